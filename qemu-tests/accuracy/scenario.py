"""On devices throttled to a known rate: what we say was read is what QEMU counts, and over whole seconds beyond the
burst the rate is within 2 % of the limit.  Two presets at real length."""
import re

import machine
from scenario import boot, check, equal, file_disk

tier, budget_s, timing = "full", 420, True
IOPS, BYTES_PER_S = 400, 4 << 20
CONF = "countdown_s = 0\ndata_check = no\n"
# Small requests: QEMU's brake lets a queue's worth through beside its limit every other second (its own counters show
# it, too).
# Each job waits long enough for the counters to be asked while nothing moves.
JOBS = """[global]
runtime=10s
time_based
startdelay=3s
log_avg_msec=1000
stonewall

[by-requests]
filename=nvme0n1
rw=randread
bs=4k
iodepth=4

[by-bytes]
filename=sata0.0
rw=read
bs=16k
iodepth=4

[after]
filename=nvme0n1
runtime=1s
iodepth=1
"""


def disks(folder):
    a, b = (machine.stamped_disk(folder / f"{n}.img", 512 << 20, 1 << 20) for n in "ab")
    return ["-object", f"throttle-group,id=ga,x-iops-total={IOPS}", *file_disk(a, "fa"),
            "-blockdev", "driver=throttle,throttle-group=ga,file=fa,node-name=a",
            "-device", "nvme,id=requests,drive=a,serial=A",
            "-object", f"throttle-group,id=gb,x-bps-total={BYTES_PER_S}", *file_disk(b, "fb"),
            "-blockdev", "driver=throttle,throttle-group=gb,file=fb,node-name=b",
            "-device", "ich9-ahci,id=hba", "-device", "ide-hd,id=bytes,drive=b,bus=hba.0,serial=B"]


def counters(m):
    found = {}
    for b in m.qmp("query-blockstats", **{"query-nodes": False}):
        for name in ("requests", "bytes"):
            if name in (b.get("qdev") or ""):
                found[name] = (b["stats"]["rd_operations"], b["stats"]["rd_bytes"])
    return found


def accuracy(folder):
    (folder / "jobs.fio").write_text(JOBS)
    seen = {}

    def count(m):
        for step in (1, 2, 3):
            check(m.wait_for(re.compile(rb"step %d/3 " % step), 200), f"step {step} begins")
            seen[step] = counters(m)
    r = boot(folder, disks(folder), conf=CONF + "plan = jobs\njobs = jobs.fio\n",
             files=[(folder / "jobs.fio", "jobs.fio")], during=count, expect=0)
    for step, job, device, limit, unit in ((1, "by-requests", "requests", IOPS, "ios"),
                                           (2, "by-bytes", "bytes", BYTES_PER_S, "bytes")):
        end = r.journal.one("step_end", job=job)
        ios, size = (seen[step + 1][device][k] - seen[step][device][k] for k in (0, 1))
        equal((end["ios"], end["bytes"], end["errors"]), (ios, size, 0), f"{job}: reported and QEMU's counts")
        series = r.journal.one("series", job=job)
        equal(series["interval_ns"], 10**9, "seconds")
        seconds = series[unit][3:9]
        equal(len(seconds), 6, "whole seconds beyond the burst")
        rate = sum(seconds) / len(seconds)
        check(abs(rate - limit) <= 0.02 * limit, f"{job}: {rate:.0f} a second, limit {limit}: {seconds}")


def presets(folder):
    """Two at real length: what was announced is kept, and what would write is said not to be tested."""
    for name, disk_jobs in (("quick", 3), ("crystaldiskmark", 6)):
        (folder / name).mkdir()
        image = machine.stamped_disk(folder / name / "d.img", 1200 << 20, 1 << 20)
        r = boot(folder / name, [*file_disk(image, "d"), "-device", "nvme,drive=d,serial=P"],
                 conf=CONF + f"preset = {name}\n", expect=0, timeout_s=400)
        tested = r.journal.tested()["nvme0n1"]
        equal(len(tested), disk_jobs, f"{name}: {tested}")
        announced = r.journal.one("plan")["estimate_ns"]
        ends = r.journal.all("step_end")
        took = ends[-1]["t_ns"] - r.journal.all("step_start")[0]["t_ns"]
        check(0.85 * announced < took < 1.15 * announced, f"{name}: announced {announced / 1e9:.0f} s, took {took / 1e9:.0f} s")
        not_tested = [x for x in r.journal.all("not_tested") if "writes: " in x["why"]]
        equal(len(not_tested), 0 if name == "quick" else 8, f"{name}: writing parts are NOT-TESTED")


def run(folder):
    (folder / "accuracy").mkdir()
    accuracy(folder / "accuracy")
    presets(folder)
