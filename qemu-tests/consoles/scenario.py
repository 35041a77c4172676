"""Text console without serial port, serial port without console, neither: each run finishes by itself."""
import machine
from scenario import boot, boot_silent, check, equal, file_disk

tier, budget_s, timing = "quick", 50, False


def nvme(folder, name):
    return [*file_disk(machine.stamped_disk(folder / f"{name}.img", 64 << 20, 1 << 20), "d"),
            "-device", "nvme,drive=d,serial=CONSOLE"]


def run(folder):
    r = boot(folder / "serial-only", nvme(folder, "a"), vga=False, expect=0)
    equal(sorted(r.journal.tested()), ["nvme0n1"], "serial only")
    check(b"\x1b[" not in r.serial_text.split(b"# Baresweep", 1)[1], "no colour codes on the serial port")
    for name, vga in (("screen-only", True), ("nothing", False)):
        j = boot_silent(folder / name, nvme(folder, name), vga=vga)
        equal(sorted(j.tested()), ["nvme0n1"], name)
        equal(j.lines[-1]["ev"], "run_end", name)
