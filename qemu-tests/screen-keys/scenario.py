"""A person at the keyboard: two of three disks and a preset from the menu; a stuck Esc does not stop the run, the typed
word does; what was measured lies on the stick.  The next start offers to resume this run, does so by keys, and its report has
both parts."""
import re
import time

import machine
from scenario import boot, check, equal, file_disk

tier, budget_s, timing = "quick", 60, False

CONF = "countdown_s = 60\nend_screen_s = 1\ntime_scale_pct = 30\n"


def wait(m, pattern, timeout_s=90):
    check(m.wait_for(re.compile(pattern), timeout_s), f"no line like {pattern!r} on serial")


def person(m):
    wait(m, rb"starts by itself in 60 s")
    m.press("down")
    wait(m, rb"the menu is open")
    m.press("down", "ret", "n", "spc", "down", "spc", "esc")  # Disks: the first two
    m.press("down", "ret", "end", *["up"] * 4, "ret")              # What runs: quick
    m.press("home", "ret")                                    # Run now
    wait(m, rb"# step 1/")
    m.press(*["esc"] * 40, every_s=0.05)                      # stuck
    wait(m, rb"Stop this run\?: (answered: no|no answer: no)")
    check(not machine.LAST_LINE.search(m.serial_bytes()), "a stuck key ended the run")
    time.sleep(11)                                            # nobody is asked again at once
    wait(m, rb"# step 2/")
    time.sleep(3)                                             # something of it is measured
    m.press("esc")
    wait(m, rb"(?s)Stop this run\?: (answered|no answer).*# Type the word stop and press Enter")
    m.press("s", "t", "o", "p", "ret", every_s=0.2)


def person_again(m):
    wait(m, rb"starts by itself in 60 s")
    m.press("spc")
    wait(m, rb"the menu is open")
    m.press("down", "ret")                                    # Resume an unfinished run


def numbers(j, **want):
    return {(x["disk"], x["job"]): (x["ios"], x["bytes"], x["run_ns"], x["latency_max_ns"])
            for x in j.all("step_end") if all(x.get(k) == v for k, v in want.items())}


def resumed(folder, disks, first):
    """What was done is taken over digit by digit, the rest is measured, in one report."""
    r = boot(folder, disks, conf=None, stick=first.machine.stick, expect=0, during=person_again, timeout_s=150)
    before = {k: v for k, v in numbers(first.journal).items()
              if not any("ended-early" in x["flags"] for x in first.journal.all("step_end") if (x["disk"], x["job"]) == k)}
    earlier = {(x["disk"], x["job"]) for x in r.journal.all("step_end") if "earlier-start" in x["flags"]}
    check(before, "a step was done before the stop")
    equal({k: v for k, v in numbers(r.journal).items() if k in earlier}, before, "results taken over")
    steps = r.journal.one("plan")["steps"]
    equal(len(numbers(r.journal)), 2 * steps, "results of both parts")
    equal(sorted({x["step"] for x in r.journal.all("step_end")}), list(range(1, steps + 1)), "numbers of the steps")
    equal(r.journal.one("plan_choice")["resumes"], first.journal.lines[0]["run"], "the run that is resumed")
    equal(r.journal.one("plan_choice")["disks"], ["nvme0n1", "nvme1n1"], "its disks")
    equal(r.journal.verdicts(), {"nvme0n1": "PASS", "nvme1n1": "PASS", "nvme2n1": "NOT-TESTED"}, "verdicts")
    check(len(r.journal.findings("run-resumed")) == 1 and "earlier-start" in r.summary, "the report says so")


def run(folder):
    disks = []
    for i in range(3):
        disks += [*file_disk(machine.stamped_disk(folder / f"{i}.img", 64 << 20, 1 << 20, seed=i + 1), f"d{i}"),
                  "-device", f"nvme,drive=d{i},serial=KEYS{i}"]
    r = boot(folder / "run", disks, conf=CONF, expect=1, during=person, timeout_s=120)
    equal(r.journal.lines[-1]["verdict"], "ABORTED", "the run's verdict on the stick")
    equal(r.journal.verdicts(), {"nvme0n1": "ABORTED", "nvme1n1": "ABORTED", "nvme2n1": "NOT-TESTED"}, "verdicts")
    check("quick" in r.journal.one("conf", source="menu")["settings"], "the menu's choice is in the journal")
    check(any("ended-early" in x["flags"] for x in r.journal.all("step_end")), "the step that ran is marked")
    check(r.journal.all("not_tested", why="stopped by a person before its plan was done") or
          len(r.journal.all("step_start")) > 1, "what did not run is named")
    check(r.summary, "the summary is on the stick")
    ignored = [x["text"] for x in r.journal.all("log") if "repeats itself" in x["text"]]
    check(ignored, "the stuck key is told of")
    check(b"The next start offers to resume this run" in r.serial_text, "the next start is told of")
    resumed(folder / "again", disks, r)
