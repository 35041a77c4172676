"""Wrong lines in baresweep.conf and in a job file: named with file and line, the rest runs, exit 2."""
import machine
from scenario import QUICK_CONF, boot, check, equal, file_disk

tier, budget_s, timing = "quick", 30, False
JOBS = """[global]
bs=4k
runtime=100ms
time_based
stonewall

[good]
rw=randread
iodepth=8

[misspelt]
rw=read
iodepht=4

[writes]
rw=write

[also-good]
rw=read
filename=nvme0n1
"""


def run(folder):
    (folder / "jobs.fio").write_text(JOBS)
    disk = [*file_disk(machine.stamped_disk(folder / "d.img", 64 << 20, 1 << 20), "d"), "-device", "nvme,drive=d,serial=C"]
    conf = QUICK_CONF + "plan = jobs\njobs = jobs.fio\nbugdet_s = 60\n"
    r = boot(folder / "bad", disk, conf=conf, files=[(folder / "jobs.fio", "jobs.fio")], expect=2)
    equal(r.journal.tested(), {"nvme0n1": ["good", "also-good"]}, "the good jobs ran")
    problems = r.journal.all("problem")
    equal(sorted((p["source"], p["line"]) for p in problems),
          [("baresweep.conf", 5), ("jobs.fio", 13)], f"problems: {problems}")
    text = " ".join(p["text"] for p in problems)
    check("iodepth" in text and "budget_s" in text, f"the nearest word is offered: {text}")
    not_tested = {x["job"] for x in r.journal.all("not_tested")}
    check({"misspelt", "writes"} <= not_tested, f"refused jobs are NOT-TESTED: {not_tested}")

    r = boot(folder / "missing", disk, conf=QUICK_CONF + "plan = jobs\njobs = nowhere.fio\n", expect=2)
    equal(r.journal.one("run_end")["verdict"], "NOT-TESTED", "a job file that is not there")
    check("nowhere.fio" in r.summary, r.summary)
