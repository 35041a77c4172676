"""The ISO as a virtual CD and as a USB stick.  With a network the result comes home whole by upload; without, serial
holds it and says that nothing was kept."""
import subprocess

import machine
from net_servers import HOST, Web, journal_of
from scenario import Journal, boot, check, equal, file_disk, whole_on_serial

tier, budget_s, timing = "quick", 50, False


def came_home(home, r):
    """All files of the result; the journal has every line that serial has, in full."""
    for name in ("summary.txt", "report.html", "results.csv", "fio.json", "junit.xml"):
        check(len([n for n in home.put if n.endswith(name)]) == 1, f"{name} among {sorted(home.put)}")
    got, said = Journal(journal_of(home.put)), r.serial
    equal([x["seq"] for x in got.lines], [x["seq"] for x in said.lines], "lines that came home")
    differ = [x["ev"] for x, y in zip(got.lines, said.lines) if x != y and y["ev"] != "omitted"]
    check(not differ, f"lines that are others on serial: {differ[:5]}")
    check(not got.all("omitted"), "the uploaded journal leaves nothing out")


def run(folder):
    subprocess.run(["make", "-s", "iso"], cwd=machine.ROOT, check=True)
    iso = machine.ROOT / "out" / "baresweep.iso"
    check(iso.stat().st_size <= 8 << 20, f"the ISO has {iso.stat().st_size} bytes")
    conf = folder / "quick.conf"
    home = Web()
    # Without a network card the upload is what cannot be done, and the second boot says so.
    conf.write_text(f"time_scale_pct = 1\ncountdown_s = 0\nupload = {home.place}/\n")
    quick = folder / "quick.iso"
    subprocess.run([machine.ROOT / "image" / "make-iso", quick, machine.ROOT / "out" / "BOOTX64.EFI", conf], check=True)
    disk = [*file_disk(machine.stamped_disk(folder / "d.img", 64 << 20, 1 << 20), "d"), "-device", "nvme,drive=d,serial=CD"]
    r = boot(folder / "cd", disk, conf=None, stick_device=None, expect=0,
             extra=["-drive", f"if=none,id=cd,format=raw,readonly=on,file={quick}",
                    "-device", "qemu-xhci", "-device", "usb-storage,drive=cd,bootindex=0",
                    "-netdev", "user,id=n0", "-device", "virtio-net-pci,netdev=n0,romfile="])
    whole_on_serial(r, ["nvme0n1"])
    came_home(home, r)
    home.put.clear()
    r = boot(folder / "sata-cd", disk, conf=None, stick_device=None, expect=0,
             extra=["-drive", f"if=none,id=cd,format=raw,readonly=on,file={quick}",
                    "-device", "ich9-ahci,id=cdbus", "-device", "ide-cd,drive=cd,bus=cdbus.0,bootindex=0"])
    whole_on_serial(r, ["nvme0n1"])
    check(not home.put, "no network: nothing came home")
    for words in ("the lines on the serial port are the result", "results NOT SENT: http://", "no network card"):
        check(words in r.serial_text.decode(errors="replace"), f"said on serial: {words}")
    left_alone = [c["why_not"] for c in r.serial.all("controller") if "booted from" in c["why_not"]]
    equal(len(left_alone), 1, "the controller behind which the CD drive sits is left alone")
