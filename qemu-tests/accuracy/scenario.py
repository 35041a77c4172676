"""On devices throttled to a known rate: what we say was read and written is what QEMU counts, and over whole seconds
beyond the burst the rate is within 2 % of the limit."""
import re

import machine
from burn_in_kit import arming_text
from scenario import boot, check, equal, file_disk

tier, budget_s, timing = "full", 150, True
IOPS, BYTES_PER_S = 400, 4 << 20
MIB = 1 << 20
CONF = "countdown_s = 0\ndata_check = no\nplan = jobs\njobs = jobs.fio\narm = arming.txt\n"
# Small requests: QEMU's brake lets a queue's worth through beside its limit every other second (its own counters show
# it, too).  After a stall of the host it lets a tenth of a second's worth through at once: less than 1 % of twelve seconds.
# Each job waits long enough for the counters to be asked while nothing moves.
GLOBAL = """[global]
runtime=16s
time_based
startdelay=3s
log_avg_msec=1000
iodepth=2
stonewall
"""
# job: (disk, QEMU's id, rw, block size, limit, its unit in the series)
STEPS = {
    "reads-by-requests": ("nvme0n1", "read0", "randread", "4k", IOPS, "ios"),
    "reads-by-bytes": ("sata0.0", "read1", "read", "16k", BYTES_PER_S, "bytes"),
    "writes-by-requests": ("nvme1n1", "write0", "randwrite", "4k", IOPS, "ios"),
    "writes-by-bytes": ("sata0.1", "write1", "write", "16k", BYTES_PER_S, "bytes"),
    "mix": ("nvme1n1", "write0", "randrw", "4k", IOPS, "ios"),
}
LAST = "[last]\nfilename=nvme0n1\nrw=read\nbs=4k\nruntime=1s\n"
ARMED = ["ACCURACY-NVME/NSID-1", "ACCURACY-SATA/QEMU HARDDISK"]


def disks(folder):
    args = ["-device", "ich9-ahci,id=hba"]
    for name, brake, device in (("read0", f"x-iops-total={IOPS}", "nvme,serial=A"),
                                ("read1", f"x-bps-total={BYTES_PER_S}", "ide-hd,bus=hba.0,serial=B"),
                                ("write0", f"x-iops-total={IOPS}", "nvme,serial=ACCURACY-NVME"),
                                ("write1", f"x-bps-total={BYTES_PER_S}", "ide-hd,bus=hba.1,serial=ACCURACY-SATA")):
        # Blank where it is armed.
        path = machine.stamped_disk(folder / f"{name}.img", 512 * MIB, MIB if "read" in name else 0)
        args += ["-object", f"throttle-group,id=g-{name},{brake}", *file_disk(path, f"f-{name}"),
                 "-blockdev", f"driver=throttle,throttle-group=g-{name},file=f-{name},node-name=n-{name}",
                 "-device", f"{device},drive=n-{name},id={name}"]
    return args


def counters(m):
    found = {}
    for b in m.qmp("query-blockstats", **{"query-nodes": False}):
        name = next((x for x in ("read0", "read1", "write0", "write1") if x in (b.get("qdev") or "")), None)
        if name:
            found[name] = [b["stats"][f"{side}_{what}"] for side in ("rd", "wr") for what in ("operations", "bytes")]
            found[name].append(b["stats"]["flush_operations"])
    return found


def reported(journal, job):
    """Requests and bytes that were read, and written, and flushes of the cache, as QEMU counts them: its NVMe device
    leaves flushes out of its statistics."""
    end, writing = journal.one("step_end", job=job), journal.all("writing", job=job)
    equal(end["errors"], 0, f"{job}: errors")
    sides = {x["side"]: [x["ios"], x["bytes"]] for x in journal.all("step_side", job=job)}
    if sides:
        equal([end["ios"], end["bytes"]], [a + b for a, b in zip(sides["read"], sides["write"])], f"{job}: its two sides")
        check(min(sides["read"][0], sides["write"][0]) > 0.4 * end["ios"], f"{job}: half and half by draw: {sides}")
        pair = sides["read"] + sides["write"]
    else:
        both = [end["ios"], end["bytes"]]
        pair = [0, 0] + both if writing else both + [0, 0]
    if writing:
        equal(writing[0]["written_bytes"], pair[3], f"{job}: written")
        equal(writing[0]["flushes"], 1, f"{job}: flushes")
    return pair + [1 if writing and end["disk"].startswith("sata") else 0]


def run(folder):
    (folder / "arming.txt").write_text(arming_text(ARMED))
    (folder / "jobs.fio").write_text(GLOBAL + "".join(
        f"\n[{job}]\nfilename={disk}\nrw={rw}\nbs={bs}\n" for job, (disk, _, rw, bs, _, _) in STEPS.items()) + LAST)
    seen = []

    def count(m):
        for step in range(1, len(STEPS) + 2):
            check(m.wait_for(re.compile(rb"step %d/%d " % (step, len(STEPS) + 1)), 200), f"step {step} begins")
            seen.append(counters(m))
    r = boot(folder / "boot", disks(folder), conf=CONF, during=count, expect=0, may_write=["write0", "write1"],
             files=[(folder / "jobs.fio", "jobs.fio"), (folder / "arming.txt", "arming.txt")])
    words = []
    for (job, (_, device, _, _, limit, unit)), before, after in zip(STEPS.items(), seen, seen[1:]):
        equal(reported(r.journal, job), [b - a for a, b in zip(before[device], after[device])],
              f"{job}: reported and QEMU's counts")
        series = r.journal.one("series", job=job)
        equal(series["interval_ns"], 10**9, "seconds")
        seconds = series[unit][3:15]
        equal(len(seconds), 12, "whole seconds beyond the burst")
        rate = sum(seconds) / len(seconds)
        check(abs(rate - limit) <= 0.02 * limit, f"{job}: {rate:.0f} a second, limit {limit}: {seconds}")
        words.append(f"{job} {100 * rate / limit - 100:+.1f} %")
    return ", ".join(words)
