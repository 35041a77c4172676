"""The disks of ./run, the MegaRAID boots and the driver over qtest, with the QEMU of a newer Debian suite."""
import os
import subprocess

import machine
import raid_boots
import run_image
from newer_qemu import SUITE, newer_qemu, version
from scenario import QUICK_CONF, boot, check, check_data, equal

tier, budget_s, timing = "full", 240, False
DISKS = {"nvme0n1": "nvme-a", "sata0.0": "sata-a", "sata0.1": "sata-b", "megaraid0.vd0": "vd-a",
         "megaraid0.vd1": "vd-b", "megaraid1.vd0": "vd-c"}


def run(folder):
    qemu = newer_qemu()
    r = boot(folder, run_image.default_disks(folder), conf=QUICK_CONF, expect=0, qemu=qemu)
    equal(sorted(r.journal.tested()), sorted(DISKS), "disks with results")
    for disk, image in DISKS.items():
        check_data(r, disk, folder / f"{image}.img", 512)
    for name in ("many", "jbod_and_bare", "bad_sectors"):
        part = folder / name
        part.mkdir()
        getattr(raid_boots, name)(part, qemu=qemu, timeout_s=400)
    subprocess.run(["make", "-s", "out/qtest-mfi"], cwd=machine.ROOT, check=True, stdin=subprocess.DEVNULL, capture_output=True)
    over_qtest = subprocess.run([machine.ROOT / "out" / "qtest-mfi"], capture_output=True, text=True, timeout=200,
                                env={**os.environ, "PATH": f"{SUITE}:{os.environ['PATH']}"}, cwd=machine.ROOT)
    words = (over_qtest.stdout + over_qtest.stderr).strip()
    check(over_qtest.returncode == 0, f"qtest with the newer QEMU:\n{words[-3000:]}")
    return f"QEMU {version()}; qtest: {words.splitlines()[-1]}"
