"""The full screen over a serial line with a terminal at its other end: the menu by its keys, an earlier run's result,
settings saved to the stick, a run that is stopped by the typed word; then a keyboard that comes and goes."""
import re
import time

import machine
from scenario import boot, check, equal, file_disk

tier, budget_s, timing = "full", 200, False

UP, DOWN, HOME, END, ESC, ENTER = b"\x1b[A", b"\x1b[B", b"\x1b[1~", b"\x1b[4~", b"\x1b", b"\r"


def plain(data):
    """What a terminal would show, roughly: the text without its sequences."""
    return re.sub(rb"\s+", b" ", re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]", b" ", data))


def wait(m, pattern, timeout_s=90, since=0):
    end = time.monotonic() + timeout_s
    while time.monotonic() < end:
        if re.search(pattern, plain(m.serial_bytes()[since:])):
            return
        time.sleep(0.2)
    raise AssertionError(f"no {pattern!r} on the terminal; it ends with {plain(m.serial_bytes())[-600:]!r}")


def at_terminal(m):
    wait(m, rb"Starts by itself")
    m.type([DOWN])
    wait(m, rb"Run now")
    seen = len(m.serial_bytes())
    m.type([DOWN] * 5 + [ENTER], every_s=0.25)
    wait(m, rb"ended early|WARN|PASS", since=seen)
    m.type([ESC], every_s=0.6)
    m.type([HOME, DOWN, ENTER, b"n", b" "], every_s=0.3)
    m.type([ESC], every_s=0.6)
    seen = len(m.serial_bytes())
    m.type([END, UP, UP, UP, ENTER], every_s=0.3)
    wait(m, rb"Saved in baresweep\.conf", since=seen)
    m.type([HOME, DOWN, DOWN, ENTER, END, UP, ENTER, HOME, ENTER], every_s=0.3)
    wait(m, rb"Step 1 of")
    time.sleep(2)
    m.type([ESC], every_s=1)
    wait(m, rb"Type the word stop")
    m.type([b"stop\r"])                                      # at once: no person
    wait(m, rb"faster than a person types")
    time.sleep(1.5)
    m.type([b"s", b"t", b"o", b"p", ENTER], every_s=0.25)


def keyboard_comes_and_goes(m):
    wait(m, rb"# step 1/")
    for _ in range(3):
        m.qmp("device_add", driver="usb-kbd", id="kbd1", bus="xhci.0")
        time.sleep(1.5)
        m.qmp("device_del", id="kbd1")
        time.sleep(1.5)


def run(folder):
    disks = []
    for i in range(2):
        disks += [*file_disk(machine.stamped_disk(folder / f"{i}.img", 64 << 20, 1 << 20, seed=i + 1), f"d{i}"),
                  "-device", f"nvme,drive=d{i},serial=LINE{i}"]
    first = boot(folder / "first", disks, expect=0)
    m = machine.Machine(folder / "terminal", disks=disks, stick=first.machine.stick, terminal=True, vga=False,
                        conf="screen = serial\ncountdown_s = 60\nend_screen_s = 1\nafter = poweroff\n")
    m.start()
    try:
        at_terminal(m)
        m.process.wait(90)
    finally:
        m.kill()
    results = m.fetch(folder / "results")
    from scenario import Journal
    j = Journal((results / "journal.ndjson").read_bytes())
    equal(j.lines[-1]["verdict"], "ABORTED", "verdict")
    equal(j.verdicts(), {"nvme0n1": "ABORTED", "nvme1n1": "NOT-TESTED"}, "verdicts")
    text = m.serial_bytes()
    check(b'{"v":1' not in text.split(b"\x1b[2J", 1)[1], "a line of the journal went to the port with the screen")
    m.serial.rename(folder / "terminal.log")

    r = boot(folder / "comes-and-goes", disks, conf="time_scale_pct = 100\nbudget_s = 20\ncountdown_s = 0\n", expect=0,
             during=keyboard_comes_and_goes)
    equal(sorted(r.journal.tested()), ["nvme0n1", "nvme1n1"], "finished although the keyboard went away")
