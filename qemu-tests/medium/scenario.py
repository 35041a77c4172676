"""Stick read-only, full, missing, or one copied file on a plain FAT volume: the run goes on and says so."""
import subprocess

import gpt
import machine
from scenario import QUICK_CONF, boot, check, equal, file_disk, whole_on_serial

tier, budget_s, timing = "quick", 70, False
APPLICATION = machine.ROOT / "out" / "BOOTX64.EFI"


def nvme(folder, name):
    return [*file_disk(machine.stamped_disk(folder / f"{name}.img", 64 << 20, 1 << 20), "d"),
            "-device", "nvme,drive=d,serial=STICK"]


def run(folder):
    r = boot(folder / "read-only", nvme(folder, "a"), expect=0, stick_readonly=True)
    whole_on_serial(r, ["nvme0n1"])
    equal([f["code"] for f in r.serial.all("finding", subject="stick")], ["stick-read-only"], "read-only stick")

    full = machine.Machine(folder / "filled", conf=QUICK_CONF)
    ballast = folder / "ballast"
    for offset, mib in zip(gpt.partitions(full.stick), (30, 150)):
        with open(ballast, "wb") as f:
            f.truncate(mib << 20)
        gpt.put(full.stick, offset, str(ballast), "BALLAST")
    r = boot(folder / "full", nvme(folder, "b"), conf=None, expect=0, stick=full.stick)
    whole_on_serial(r, ["nvme0n1"])
    equal([f["code"] for f in r.serial.all("finding", subject="stick")], ["stick-full"], "full stick")
    check(not gpt.fsck_clean(full.stick), "the full stick's file systems are clean")

    r = boot(folder / "missing", nvme(folder, "c"), conf=None, stick_device=None, expect=0,
             extra=["-kernel", str(APPLICATION)])
    whole_on_serial(r, ["nvme0n1"])
    check(r.serial.all("finding", subject="stick"), "a missing stick is said")

    plain = folder / "plain.img"
    subprocess.run(["truncate", "-s", "64M", plain], check=True)
    subprocess.run(["mkfs.fat", "-F", "32", "-s", "1", plain], check=True, capture_output=True)
    gpt.mtools("mmd", plain, 0, "::/EFI", "::/EFI/BOOT")
    gpt.put(plain, 0, str(APPLICATION), "EFI/BOOT/BOOTX64.EFI")
    (folder / "baresweep.conf").write_text(QUICK_CONF)
    gpt.put(plain, 0, str(folder / "baresweep.conf"), "baresweep.conf")
    r = boot(folder / "plain", nvme(folder, "d"), conf=None, stick=plain, expect=0)
    check(r.journal and sorted(r.journal.tested()) == ["nvme0n1"], "results on a plain FAT volume")
