"""A power cut in the second step of a job-file plan whose steps are repeated in rounds on one and on two disks of a
controller; the next start of the machine resumes it without a key: the rounds that were measured are taken over digit by
digit, the rest runs, and the curve over the disks is made of both parts."""
import re

import machine
from scenario import Journal, boot, check, equal

tier, budget_s, timing = "full", 150, False

CONF = "plan = jobs\njobs = all.fio\nrounds = 5\norder = scaling\ncountdown_s = 0\ndata_check = no\nend_screen_s = 0\n"
JOBS = "[seq]\nrw=read\nbs=64k\niodepth=4\nruntime=2\ntime_based\n"


def disks():
    args = ["-device", "nvme,id=nvme0,serial=RESUME,max_ioqpairs=8"]
    for i in range(2):
        args += ["-blockdev", f"driver=null-co,node-name=n{i},size=268435456,read-zeroes=on",
                 "-device", f"nvme-ns,drive=n{i},bus=nvme0,nsid={i + 1}"]
    return args


def numbers(lines):
    return [(x["disk"], x["job"], x["ios"], x["bytes"], x["run_ns"], x["latency_max_ns"]) for x in lines]


def cut(folder, jobs):
    """Killed once a round of the second step is done; what the stick then holds."""
    m = machine.Machine(folder, disks=disks(), conf=CONF, files=[(jobs, "all.fio")])
    m.start()
    try:
        check(m.wait_for(re.compile(rb"(?s)# step 2/2.*# on the medium.*# step 2/2.*# on the medium"), 150), "no second step")
    finally:
        m.kill()
    return Journal((m.fetch(folder / "results") / "journal.ndjson").read_bytes()), m.stick


def run(folder):
    jobs = folder / "all.fio"
    jobs.write_text(JOBS)
    first, stick = cut(folder / "cut", jobs)
    check(not first.all("run_end"), "the power cut left no end")
    done = first.one("rounds")
    of_first = [x for x in first.all("step_end") if done["first_step"] <= x["step"] <= done["last_step"]]
    check(len(first.all("step_end")) > len(of_first), "a round of the second step was measured, too")

    r = boot(folder / "resumed", disks(), conf=CONF + "resume = yes\n", stick=stick, expect=0, timeout_s=150,
             files=[(jobs, "all.fio")])
    j = r.journal
    equal(j.one("plan_choice")["resumes"], first.lines[0]["run"], "the run that is resumed")
    taken = [x for x in j.all("step_end") if "earlier-start" in x["flags"]]
    equal(numbers(taken), numbers(of_first), "rounds taken over; those of the step that was cut run again")
    both = j.all("rounds")
    equal([x["bytes_per_s"] for x in both[:1]], [done["bytes_per_s"]], "the first step's rounds")
    one, two = (len(x["bytes_per_s"]) for x in both)
    equal((both[1]["first_step"], both[1]["last_step"]), (one + 1, one + two), "steps of the rounds follow each other")
    # Its first step is of one disk, its second of both.
    equal(len(j.all("step_end")), one + 2 * two, "results of one and of two disks")
    curve = j.one("scaling")
    equal(curve["disks"], [1, 2], "the curve has both parts")
    equal(j.verdicts(), {"nvme0n1": "PASS", "nvme0n2": "PASS"}, "verdicts")
    check("earlier-start" in r.summary and len(j.findings("run-resumed")) == 1, "the report says so")
