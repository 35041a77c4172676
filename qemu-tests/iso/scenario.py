"""The ISO as a virtual CD and as a USB stick: it boots, says that a CD takes no results, serial holds them all."""
import subprocess

import machine
from scenario import boot, check, equal, file_disk, whole_on_serial

tier, budget_s, timing = "quick", 50, False


def run(folder):
    subprocess.run(["make", "-s", "iso"], cwd=machine.ROOT, check=True)
    iso = machine.ROOT / "out" / "baresweep.iso"
    check(iso.stat().st_size <= 8 << 20, f"the ISO has {iso.stat().st_size} bytes")
    conf = folder / "quick.conf"
    conf.write_text("time_scale_pct = 1\ncountdown_s = 0\n")
    quick = folder / "quick.iso"
    subprocess.run([machine.ROOT / "image" / "make-iso", quick, machine.ROOT / "out" / "BOOTX64.EFI", conf], check=True)
    disk = [*file_disk(machine.stamped_disk(folder / "d.img", 64 << 20, 1 << 20), "d"), "-device", "nvme,drive=d,serial=CD"]
    r = boot(folder / "cd", disk, conf=None, stick_device=None, expect=0,
             extra=["-drive", f"if=none,id=cd,format=raw,readonly=on,file={quick}",
                    "-device", "qemu-xhci", "-device", "usb-storage,drive=cd,bootindex=0"])
    whole_on_serial(r, ["nvme0n1"])
    r = boot(folder / "sata-cd", disk, conf=None, stick_device=None, expect=0,
             extra=["-drive", f"if=none,id=cd,format=raw,readonly=on,file={quick}",
                    "-device", "ich9-ahci,id=cdbus", "-device", "ide-cd,drive=cd,bus=cdbus.0,bootindex=0"])
    whole_on_serial(r, ["nvme0n1"])
    left_alone = [c["why_not"] for c in r.serial.all("controller") if "booted from" in c["why_not"]]
    equal(len(left_alone), 1, "the controller behind which the CD drive sits is left alone")
