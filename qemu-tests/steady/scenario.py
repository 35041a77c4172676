"""Steady state and the scaling run on throttled disks, whose rate the scenario knows and changes: rounds end by the rule
and not by their number, ss ends a job, latency_target finds its depth, curves bend where QEMU's brakes bend them."""
import json
import re
import time

import machine
from scenario import boot, check, equal, file_disk

tier, budget_s, timing = "full", 180, True
MIB = 1 << 20
SLOW, FAST = 100, 200
CONF = "countdown_s = 0\ndata_check = no\nplan = jobs\njobs = jobs.fio\n"
ROUNDS = """[global]
rw=randread
bs=4k
iodepth=4
runtime=2s
ramp_time=1s
time_based
stonewall

[changes-once]

[changes-always]
"""
SS = """[global]
filename=nvme0n1
bs=4k
iodepth=4
time_based
log_avg_msec=1000
ss_dur=4s
ss_ramp=2s
stonewall

[ss-band]
rw=randread
runtime=60s
ss=iops:5%

[ss-slope]
rw=read
runtime=60s
ss=bw_slope:2%

[ss-never]
rw=randread
runtime=9s
ss=iops:5%

[global]
filename=sata0.0:sata0.1:sata0.2:sata0.3:nvme1n1:nvme1n2

[curve]
rw=read
bs=16k
iodepth=1
runtime=3s
ramp_time=1s
"""
# At 100 requests per second n at once take n times 10 ms each, but for a few that the brake lets pass at first.
LATENCIES = """[global]
rw=randread
bs=4k
runtime=60s
time_based
stonewall

[search]
iodepth=16
latency_target=45ms
latency_window=1s
latency_percentile=80

[slow]
iodepth=4
max_latency=5ms
exitall_on_error

[beside]
stonewall=0
iodepth=1

[first]
time_based=0
number_ios=50
exitall

[second]
stonewall=0
"""


def limit(m, iops):
    m.qmp("qom-set", path="/objects/brake", property="limits", value={"iops-total": iops})


def brake(node, group, below):
    return ["-blockdev", f"driver=throttle,throttle-group={group},file={below},node-name={node}"]


def one_disk(folder):
    path = machine.stamped_disk(folder / "d.img", 64 * MIB, 64 * MIB)
    return ["-object", f"throttle-group,id=brake,x-iops-total={SLOW}", *file_disk(path, "file"),
            *brake("d", "brake", "file"), "-device", "nvme,id=n0,drive=d,serial=STEADY"]


def is_steady(rates):
    """SNIA PTS: the newest five lie within 20 % of their mean, their least-squares line rises or falls by 10 % at most."""
    if len(rates) < 5:
        return False
    last, mean = rates[-5:], sum(rates[-5:]) / 5
    slope = sum((i - 2) * v for i, v in enumerate(last)) / 10
    return max(last) - min(last) <= 0.2 * mean and abs(4 * slope) <= 0.1 * mean


def rounds(folder):
    most = 9

    def during(m):
        for step, number, iops in [(1, 4, FAST)] + [(2, i, SLOW if i % 2 else FAST) for i in range(1, most + 1)]:
            check(m.wait_for(re.compile(rb"step %d/2 [^\r\n]*, round %d[\r\n]" % (step, number)), 120),
                  f"round {number} of step {step}")
            limit(m, iops)
    (folder / "jobs.fio").write_text(ROUNDS)
    r = boot(folder / "m", one_disk(folder), conf=CONF + f"rounds = {most}\n", expect=0, during=during,
             files=[(folder / "jobs.fio", "jobs.fio")])
    once, always = r.journal.all("rounds")
    for x, job in ((once, "changes-once"), (always, "changes-always")):
        equal(x["bytes_per_s"], [e["bytes_per_s"] for e in r.journal.all("step_end", job=job)], f"{job}: rates of its rounds")
        equal([e["step"] for e in r.journal.all("step_end", job=job)], list(range(x["first_step"], x["last_step"] + 1)), job)
        first = next((n for n in range(1, most + 1) if is_steady(x["bytes_per_s"][:n])), None)
        equal((len(x["bytes_per_s"]), x["steady"]), (first or most, 1 if first else 0), f"{job}: ends by the rule: {x}")
    # Three slow ones, and five fast ones of which the first slow one is out of the window.
    equal((len(once["bytes_per_s"]), once["steady"]), (8, 1), f"steady once the five newest are alike: {once}")
    equal((len(always["bytes_per_s"]), always["steady"]), (most, 0), f"never steady: {always}")
    check(b"changes-always: NOT steady after 9 rounds of at most 9" in r.serial_text, "said")


def check_ss(r):
    for job in ("ss-band", "ss-slope"):
        end, series = r.journal.one("step_end", job=job), r.journal.one("series", job=job)
        # Two seconds that do not count, four that have to be alike; a second more for one that was not.
        check(6e9 <= end["run_ns"] < 12e9, f"{job} ended after {end['run_ns'] / 1e9:.1f} s")
        equal(sorted(set(end["flags"]) & {"not-steady", "ended-early"}), [], f"{job}: {end['flags']}")
        last = series["ios"][:end["run_ns"] // 10**9][-4:]
        mean = sum(last) / 4
        check(max(abs(x - mean) for x in last) < 0.05 * mean, f"{job}: its last seconds: {series['ios']}")
    never = r.journal.one("step_end", job="ss-never")
    check(9e9 <= never["run_ns"] < 9.5e9 and "not-steady" in never["flags"], f"ss-never: {never}")


def check_curve(r, controller, disks, each, all_together, knee, by):
    c = r.journal.one("scaling", controller=controller, job="curve")
    equal((c["disks"], c["knee_disks"], c["limit"]), (disks, knee, by), f"{controller}: {c}")
    for n, rate in zip(c["disks"], c["bytes_per_s"]):
        want = min(n * each, all_together)
        check(abs(rate - want) < 0.08 * want, f"{controller}: {n} disks read {rate}, the brakes allow {want}")
    equal(c["ceiling_bytes_per_s"], max(c["bytes_per_s"]), f"{controller}: its ceiling")


def ss_and_scaling(folder):
    """One controller whose four disks share a brake besides their own; one whose two have only their own."""
    each, shared = 2 * MIB, 5 * MIB
    args = [*one_disk(folder), "-object", f"throttle-group,id=shared,x-bps-total={shared}", "-device", "nvme,id=n1,serial=TWO"]
    for i in range(6):
        path = machine.stamped_disk(folder / f"{i}.img", 64 * MIB, 64 * MIB, seed=i + 2)
        args += ["-object", f"throttle-group,id=own{i},x-bps-total={each}", *file_disk(path, f"f{i}")]
        args += [*brake(f"s{i}", "shared", f"f{i}"), *brake(f"d{i}", f"own{i}", f"s{i}"), "-device",
                 f"ide-hd,drive=d{i},bus=ide.{i},serial=CURVE-{i}"] if i < 4 else [
                 *brake(f"d{i}", f"own{i}", f"f{i}"), "-device", f"nvme-ns,drive=d{i},bus=n1,nsid={i - 3}"]

    def during(m):
        check(m.wait_for(re.compile(rb"step \d+/\d+ ss-never"), 120), "the job that is never steady begins")
        for i in range(16):
            limit(m, SLOW if i % 2 else FAST)
            time.sleep(0.9)
    (folder / "jobs.fio").write_text(SS)
    r = boot(folder / "m", args, conf=CONF + "order = scaling\n", expect=0, during=during,
             files=[(folder / "jobs.fio", "jobs.fio")])
    check_ss(r)
    check_curve(r, "sata0", [1, 2, 4], each, shared, 2, "controller")
    check_curve(r, "nvme1", [1, 2], each, 2 * each, 2, "disks")


def latencies(folder):
    (folder / "jobs.fio").write_text(LATENCIES)
    r = boot(folder / "m", one_disk(folder), conf=CONF, expect=1, files=[(folder / "jobs.fio", "jobs.fio")])
    end = {e["job"]: e for e in r.journal.all("step_end")}
    goal = {g["job"]: g for g in r.journal.all("latency_goal")}
    equal((goal["search"]["outcome"], goal["search"]["depth"], end["search"]["depth"]), ("found", 4, 4), f"{goal['search']}")
    check(1e9 <= end["search"]["run_ns"] < 1.5e9, f"the result is that of the last window: {end['search']}")
    check("4 at once keep 80" in r.journal.findings("latency-target")[0]["seen"], "the answer is a finding")
    equal([f["level"] for f in r.journal.findings("latency-limit")], ["FAIL"], "a job that was slower than it allows")
    for job in ("slow", "beside"):
        check(end[job]["run_ns"] < 5e9, f"{job} ended: {end[job]}")
    check("max_latency" in end["slow"]["reason"] and "job slow" in end["beside"]["reason"], "each says why")
    check(end["first"]["ios"] == 50 and end["second"]["run_ns"] < 10e9 and "job first" in end["second"]["reason"], "exitall")
    error = {j["jobname"]: j["error"] for j in json.loads((r.folder / "fio.json").read_text())["jobs"]}
    equal((error["search"], error["slow"], error["beside"]), (0, 110, 0), "fio's errors")


def run(folder):
    for part in (rounds, latencies, ss_and_scaling):
        (folder / part.__name__).mkdir()
        part(folder / part.__name__)
