"""Text console without serial port, serial port without console, neither: each run finishes by itself.  The full screen
on the text console and, at 9600 baud, on one serial port, lines on the other: 24 disks, keys pressed all the time; the slow
line is not flooded and drawing costs less than a hundredth of the time."""
import re
import time

import machine
from scenario import Journal, boot, boot_silent, check, equal, file_disk

tier, budget_s, timing = "quick", 80, False

BAUD, COUNT = 9600, 24


def nvme(folder, name):
    return [*file_disk(machine.stamped_disk(folder / f"{name}.img", 64 << 20, 1 << 20), "d"),
            "-device", "nvme,drive=d,serial=CONSOLE"]


def somebody_presses(m):
    try:
        m.press("down", "ret", "esc")
        return True
    except (OSError, ValueError):
        return False                                          # the machine has ended


def both(folder):
    """How many bytes the terminal's line got while the run went on, second by second."""
    disks = ["-device", "nvme,id=nvme0,serial=BOTH,max_ioqpairs=64"]
    for i in range(COUNT):
        disks += ["-blockdev", f"driver=null-co,node-name=n{i},size=67108864,read-zeroes=on",
                  "-device", f"nvme-ns,drive=n{i},bus=nvme0,nsid={i + 1}"]
    folder.mkdir()
    (folder / "all.fio").write_text("[look]\nrw=read\nbs=64k\niodepth=1\nruntime=18\ntime_based\n")
    lines = folder / "lines.log"
    m = machine.Machine(folder, disks=disks, extra=["-serial", f"file:{lines}"], files=[(folder / "all.fio", "all.fio")],
                        conf="plan = jobs\njobs = all.fio\nscreen = both\nscreen_baud = 9600\ncountdown_s = 2\n"
                             "end_screen_s = 0\ndata_check = no\nafter = poweroff\n")
    m.start()
    seen = []
    try:
        end = time.monotonic() + 200
        while m.process.poll() is None and time.monotonic() < end:
            text = lines.read_bytes() if lines.exists() else b""
            runs = b"# step 1/" in text and b"# screen and keys" not in text
            if not runs or not somebody_presses(m):
                time.sleep(1)
            else:
                seen.append((time.monotonic(), len(m.serial_bytes())))
                if len(seen) == 8:
                    m.screendump(folder / "live.png")
        check(m.process.poll() is not None, "the machine did not switch itself off")
    finally:
        m.kill()
    return m.serial_bytes(), lines.read_bytes(), seen


def check_both(folder):
    terminal, lines, seen = both(folder / "both")
    own = terminal.split(b"\x1b[2J", 1)[1]
    check(b'{"v":1' not in own and b"look" in own and b"PASS" in own, "the terminal has the screen and no lines")
    j = Journal(lines)
    equal([x["seq"] for x in j.lines], list(range(len(j.lines))), "the other port has all lines")
    equal(len(j.tested()), COUNT, "disks with a result")
    check(b"\x1b[" not in lines.split(b"# Baresweep", 1)[1].split(b"BARESWEEP END")[0], "no colour codes among the lines")
    check(len(seen) >= 10, f"only {len(seen)} looks at the line")
    # A picture costs what it costs; the line then rests for a hundred times as long.
    sent, could = seen[-1][1] - seen[0][1], (seen[-1][0] - seen[0][0]) * BAUD / 10
    check(sent < could / 5, f"{sent} bytes while the line carries {could}")
    cost = next(x["text"] for x in j.all("log") if x["text"].startswith("screen and keys"))
    check(float(re.search(r"([\d.]+) %", cost).group(1)) < 1, f"drawing costs too much: {cost}")
    return sent, could, cost


def run(folder):
    check_both(folder)
    r = boot(folder / "serial-only", nvme(folder, "a"), vga=False, expect=0)
    equal(sorted(r.journal.tested()), ["nvme0n1"], "serial only")
    check(b"\x1b[" not in r.serial_text.split(b"# Baresweep", 1)[1], "no colour codes on the serial port")
    for name, vga in (("screen-only", True), ("nothing", False)):
        j = boot_silent(folder / name, nvme(folder, name), vga=vga)
        equal(sorted(j.tested()), ["nvme0n1"], name)
        equal(j.lines[-1]["ev"], "run_end", name)
