"""QEMU's log of guest errors: our application adds nothing to what firmware alone does on the same machine."""
import re

import machine
import run_image
from scenario import boot, check

tier, budget_s, timing = "quick", 40, False
END_OF_FIRMWARE = re.compile(rb"No bootable option|UEFI Interactive Shell|BdsDxe: failed to load|PXE")


def kinds(path):
    """The distinct messages, numbers taken out: firmware alone logs tens of thousands of lines."""
    with open(path, errors="replace") as f:
        return {re.sub(r"0x[0-9a-fA-F]+|\b[0-9a-fA-F]{4,}\b|\b\d+\b", "N", line.strip()) for line in f}


def run(folder):
    def log(name):
        return ["-d", "guest_errors", "-D", str(folder / name)]
    (folder / "disks").mkdir(exist_ok=True)
    disks = run_image.default_disks(folder / "disks")
    alone = machine.Machine(folder / "alone", disks=disks, stick_device=None, extra=log("alone.log"), conf=None)
    alone.start()
    reached = alone.wait_for(END_OF_FIRMWARE, 120)
    alone.quit()
    check(reached, "firmware alone did not come to the end of its boot options: " +
          alone.serial_bytes()[-500:].decode(errors="replace"))
    boot(folder / "with", disks, expect=0, extra=log("with.log"))
    new = kinds(folder / "with.log") - kinds(folder / "alone.log")
    check(not new, f"guest errors that only our run has: {sorted(new)[:10]}")
