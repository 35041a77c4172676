"""The stick image on an NVMe drive and on a SATA port, once each, on media larger than the image, as sticks are: the
machine's other NVMe drive is measured, the controller behind the boot medium is left alone, the result is on it."""
import os

import machine
from scenario import QUICK_CONF, boot, check, equal, file_disk

tier, budget_s, timing = "quick", 35, False
PLACES = {
    "nvme": "-device nvme,drive=stick,serial=STICK,bootindex=0",
    "sata": "-device ich9-ahci,id=boot -device ide-hd,drive=stick,bus=boot.0,bootindex=0",
}


def run(folder):
    for name, place in PLACES.items():
        disk = machine.stamped_disk(folder / f"{name}.img", 64 << 20, 1 << 20)
        stick = machine.Machine(folder / f"{name}-stick", conf=QUICK_CONF).stick
        os.truncate(stick, stick.stat().st_size + (100 << 20))
        r = boot(folder / name, [*file_disk(disk, "d"), "-device", "nvme,drive=d,serial=TESTED"], conf=None, stick=stick,
                 stick_device=place, expect=0)
        check(r.journal, f"{name}: no result on the medium")
        equal(sorted(r.journal.tested()), ["nvme0n1"], f"{name}: disks with results")
        equal(r.journal.one("disk", name="nvme0n1")["serial"], "TESTED", f"{name}: the disk that was measured")
        left = [c for c in r.journal.all("controller") if "booted from" in c["why_not"]]
        equal(len(left), 1, f"{name}: controllers left alone because of the boot medium")
