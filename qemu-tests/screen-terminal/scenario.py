"""The full screen over a serial line with a terminal at its other end: the menu by its keys, an earlier run's result,
settings saved to the stick, a run that is stopped by the typed word, resumed from the menu, cut off by a power cut and
resumed once more without a key; every other item of the menu; a flood of forged keys; then a keyboard that comes and
goes."""
import re
import time

import machine
from scenario import Journal, boot, check, equal, file_disk

tier, budget_s, timing = "full", 500, False

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


def wait_line(m, pattern, timeout_s=120):
    """On the other serial port, which carries lines."""
    end = time.monotonic() + timeout_s
    while time.monotonic() < end:
        if re.search(pattern, m.lines.read_bytes() if m.lines.exists() else b""):
            return
        time.sleep(0.2)
    raise AssertionError(f"no line like {pattern!r}")


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
    m.type([HOME, DOWN, DOWN, ENTER, END, UP, UP, UP, ENTER, HOME, ENTER], every_s=0.3)
    wait_line(m, rb"# step 3/")
    time.sleep(2)
    m.type([ESC], every_s=1)
    wait(m, rb"Type the word stop")
    m.type([b"stop\r"])                                      # at once: no person
    wait(m, rb"faster than a person types")
    time.sleep(1.5)
    m.type([b"s", b"t", b"o", b"p", ENTER], every_s=0.25)


def terminal_boot(folder, disks, stick, conf, during):
    """A run with the screen on the line; its journal, and whether the machine ended by itself."""
    m = machine.Machine(folder, disks=disks, stick=stick, terminal=True, vga=False, extra=["-serial", f"file:{folder}/lines"],
                        conf="screen = serial\ncountdown_s = 60\nend_screen_s = 1\nafter = poweroff\n" + conf)
    m.lines = folder / "lines"
    m.start()
    try:
        during(m)
        m.process.wait(240)
    finally:
        m.kill()
    return Journal((m.fetch(folder / "results") / "journal.ndjson").read_bytes()), m


def resume_and_cut(m):
    wait(m, rb"An unfinished run: [0-9: -]+, \d+ of \d+ steps done")
    m.type([DOWN])
    wait(m, rb"Resume an unfinished run")
    m.type([DOWN, ENTER], every_s=0.4)
    wait_line(m, rb"(?s)# step \d+/.*# step \d+/")              # the first of its own is done
    m.kill()


def earlier(j):
    return {(x["disk"], x["job"]): (x["ios"], x["bytes"]) for x in j.all("step_end") if "earlier-start" in x["flags"]}


def whole(j):
    return {(x["disk"], x["job"]): (x["ios"], x["bytes"]) for x in j.all("step_end") if "ended-early" not in x["flags"]}


def resumed_twice(folder, disks, stick, first):
    cut, _ = terminal_boot(folder / "cut", disks, stick, "", resume_and_cut)
    check(not cut.all("run_end"), "the power cut left no end")
    equal(earlier(cut), {k: v for k, v in whole(first).items() if k in earlier(cut)}, "taken over from the first")
    check(len(earlier(cut)) >= 1 and len(whole(cut)) > len(earlier(cut)), "the second start measured more")
    last, m = terminal_boot(folder / "last", disks, stick, "resume = yes\ncountdown_s = 1\n", lambda m: None)
    equal(last.lines[-1]["verdict"] in ("PASS", "WARN"), True, "verdict of the last start")
    steps = last.one("plan")["steps"]
    equal(sorted({x["step"] for x in last.all("step_end")}), list(range(1, steps + 1)), "all steps, each once")
    for k, v in earlier(last).items():
        equal(v, whole(cut)[k], f"{k} taken over from the cut one")
    check(len(earlier(last)) > len(earlier(cut)), "the third start took over more than the second")
    equal(last.one("plan_choice")["resumes"], cut.lines[0]["run"], "the run that is resumed")
    check(b"Resumes an unfinished run" in plain(m.serial_bytes()), "the start screen says so")


def rest_of_the_menu(m):
    """Time limit, writing without an arming file, a disk in words, its light, help; then the checks alone."""
    def keys(pattern, *what):
        seen = len(m.serial_bytes())
        m.type(what, every_s=0.4)
        wait(m, pattern, since=seen)

    wait(m, rb"Starts by itself")
    keys(rb"Run now", DOWN)
    keys(rb"Time at most", HOME, *[DOWN] * 3, ENTER)
    keys(rb"Checks alone", END, ENTER)
    keys(rb"No arming file is named", HOME, *[DOWN] * 6, ENTER)
    keys(rb"nvme1n1", HOME, DOWN, ENTER)
    keys(rb"Content: ", DOWN, ENTER, END)
    m.type([ESC], every_s=0.6)
    keys(rb"nvme1n1 blinked for 15 s", b"b")
    keys(rb"rows 1-\d+ of", b"?")
    m.type([ESC], every_s=0.6)
    m.type([ESC], every_s=0.6)
    m.type([HOME, *[DOWN] * 4, ENTER], every_s=0.4)


def checks_alone(folder, disks):
    j, _ = terminal_boot(folder, disks, None, "", rest_of_the_menu)
    equal((j.lines[-1]["verdict"], j.all("step_start")), ("NOT-TESTED", []), "checks alone measure nothing")
    check("budget_s=259200 " in j.one("conf", source="menu")["settings"], "the time limit that was chosen")
    check(len(j.all("health")) >= 2, "the drives were looked at")


def flooded(m):
    """Forged input without an end, from the countdown on and again while it runs."""
    wait(m, rb"Starts by itself")
    m.type([b"y\n" * 20000])
    wait_line(m, rb"# step 1/")
    m.type([b"\x1bstop\r" * 10000])


def survives_a_flood(folder, disks, stick):
    j, _ = terminal_boot(folder, disks, stick, "time_scale_pct = 20\nplan = preset\npreset = quick\n", flooded)
    equal(j.lines[-1]["verdict"] in ("PASS", "WARN"), True, "a flood of keys stops nothing")
    equal(j.verdicts(), {"nvme0n1": "PASS", "nvme1n1": "PASS"}, "all that was planned is measured")
    check(any("faster than a person types" in x["text"] for x in j.all("log")), "the flood is told of")


def keyboard_comes_and_goes(m):
    wait(m, rb"# step 1/")
    for _ in range(3):
        m.qmp("device_add", driver="usb-kbd", id="kbd1", bus="xhci.0")
        time.sleep(1.5)
        m.qmp("device_del", id="kbd1")
        time.sleep(1.5)


def leave(ups):
    def keys(m):
        check(m.wait_for(re.compile(rb"starts by itself"), 90), "no countdown")
        m.press("down")
        check(m.wait_for(re.compile(rb"the menu is open"), 20), "no menu")
        m.press("end", *["up"] * ups, "ret")
        check(m.wait_for(re.compile(rb"Type the word yes"), 20), "no question")
        m.press("y", "e", "s", "ret", every_s=0.25)
    return keys


def leaves_the_menu(folder, disks):
    """Back to the firmware, power off, restart: each after a typed word, with nothing measured."""
    for ups, name in enumerate(("firmware", "power-off", "restart")):
        m = machine.Machine(folder / name, disks=disks, conf="countdown_s = 60\nend_screen_s = 0\n")
        m.start()
        try:
            leave(ups)(m)
            equal(m.wait_end(60), 1, f"exit code after {name}")
            if name == "firmware":
                time.sleep(2)
                check(m.process.poll() is None, "the machine is still on")
            else:
                m.process.wait(20)
        finally:
            m.kill()
        j = Journal((m.fetch(folder / name / "results") / "journal.ndjson").read_bytes())
        equal((j.lines[-1]["verdict"], j.all("step_start")), ("ABORTED", []), f"the run after {name}")


def run(folder):
    disks = []
    for i in range(2):
        # So large that steps end by their time, however fast the machine is: stops and cuts fall into steps.
        disks += [*file_disk(machine.stamped_disk(folder / f"{i}.img", 16 << 30, 1 << 20, seed=i + 1), f"d{i}"),
                  "-device", f"nvme,drive=d{i},serial=LINE{i}"]
    first = boot(folder / "first", disks, expect=0)
    j, m = terminal_boot(folder / "terminal", disks, first.machine.stick, "", at_terminal)
    equal(j.lines[-1]["verdict"], "ABORTED", "verdict")
    equal(j.verdicts(), {"nvme0n1": "ABORTED", "nvme1n1": "NOT-TESTED"}, "verdicts")
    text = m.serial_bytes()
    check(b'{"v":1' not in text.split(b"\x1b[2J", 1)[1], "a line of the journal went to the port with the screen")
    resumed_twice(folder, disks, first.machine.stick, j)

    checks_alone(folder / "checks", disks)
    survives_a_flood(folder / "flood", disks, None)
    leaves_the_menu(folder, disks)
    r = boot(folder / "comes-and-goes", disks, conf="time_scale_pct = 100\nbudget_s = 20\ncountdown_s = 0\n", expect=0,
             during=keyboard_comes_and_goes)
    equal(sorted(r.journal.tested()), ["nvme0n1", "nvme1n1"], "finished although the keyboard went away")
