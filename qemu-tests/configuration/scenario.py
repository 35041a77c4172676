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
write_bw_log=logs/a:b
write_lat_log
log_avg_msec=20

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
          [("baresweep.conf", 5), ("jobs.fio", 16)], f"problems: {problems}")
    text = " ".join(p["text"] for p in problems)
    check("iodepth" in text and "budget_s" in text, f"the nearest word is offered: {text}")
    not_tested = {x["job"] for x in r.journal.all("not_tested")}
    check({"misspelt", "writes"} <= not_tested, f"refused jobs are NOT-TESTED: {not_tested}")

    logs = {p.name: p.read_text() for p in (folder / "bad" / "results").glob("*/logs/nvme0n1/*")}
    equal(sorted(logs), ["a_b_bw.1.log", "good_clat.1.log", "good_lat.1.log"], "the logs that a job asks for")
    for name, text in logs.items():
        rows = [[int(v) for v in line.split(", ")] for line in text.splitlines()]
        check(len(rows) >= 3 and all(len(row) == 5 and row[1] and not any(row[2:]) for row in rows), f"{name}: {text}")

    r = boot(folder / "missing", disk, conf=QUICK_CONF + "plan = jobs\njobs = nowhere.fio\n", expect=2)
    equal(r.journal.one("run_end")["verdict"], "NOT-TESTED", "a job file that is not there")
    check("nowhere.fio" in r.summary, r.summary)
