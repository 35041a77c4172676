"""SATA disks as they are met: 512e with an odd end, one that is slow, one that stalls for seconds, one that blinks;
a write cache that a job switches off."""
import json
import re
import time

import machine
from scenario import boot, check, check_cache, check_data, equal, file_disk, watch_cache

tier, budget_s, timing = "quick", 70, False
CONF = "countdown_s = 0\n"
SLOW_IOPS = 60
STALL_S = 4
JOBS = """[global]
bs=4k
time_based
runtime=2s
stonewall

[whole]
filename=sata0.0
rw=read
bs=64k
iodepth=32

[slow]
filename=sata0.1
rw=randread
iodepth=4

[stall]
filename=sata0.2
rw=randread
iodepth=1

[uncached]
filename=sata0.0
rw=randread
runtime=1s
write_cache=off

[ahead]
filename=sata0.0
read_lookahead=off
"""


def disks(folder):
    odd = machine.stamped_disk(folder / "odd.img", (64 << 20) + 7 * 512, seed=1)
    slow = machine.stamped_disk(folder / "slow.img", 64 << 20, seed=2)
    stall = machine.stamped_disk(folder / "stall.img", 64 << 20, seed=3)
    debug = {"driver": "raw", "node-name": "stall", "file": {"driver": "blkdebug", "image": "stall-file"}}
    return ["-device", "ich9-ahci,id=hba",
            *file_disk(odd, "odd"),
            "-device", "ide-hd,drive=odd,bus=hba.0,serial=ODD,physical_block_size=4096,rotation_rate=7200",
            "-object", "throttle-group,id=brake", *file_disk(slow, "slow-file"),
            "-blockdev", "driver=throttle,throttle-group=brake,file=slow-file,node-name=slow",
            "-device", "ide-hd,drive=slow,bus=hba.1,serial=SLOW,rotation_rate=1",
            *file_disk(stall, "stall-file"), "-blockdev", json.dumps(debug),
            "-device", "ide-hd,id=stalled,drive=stall,bus=hba.2,serial=STALL"], odd


def trouble(m):
    """Slow and stalled only once their steps have begun.  A reset while a read is suspended would freeze QEMU for good:
    the stall ends long before the driver's deadline of 60 s."""
    def step(n):
        check(m.wait_for(re.compile(rb"step %d/4 " % n), 120), f"step {n} begins")
    step(2)
    m.qmp("qom-set", path="/objects/brake", property="limits", value={"iops-total": SLOW_IOPS})
    step(3)
    time.sleep(0.5)
    m.qmp("human-monitor-command", **{"command-line": 'qemu-io -d stalled "break read_aio A"'})
    time.sleep(STALL_S)
    m.qmp("human-monitor-command", **{"command-line": 'qemu-io -d stalled "resume A"'})
    watch_cache(m, "sata0.0", "odd", 4)


def run(folder):
    args, odd = disks(folder)
    (folder / "jobs.fio").write_text(JOBS)
    r = boot(folder / "boot", args, conf=CONF + "plan = jobs\njobs = jobs.fio\n",
             files=[(folder / "jobs.fio", "jobs.fio")], during=trouble, expect=0)
    equal(r.journal.tested(), {"sata0.0": ["whole", "uncached"], "sata0.1": ["slow"], "sata0.2": ["stall"]}, "steps")
    check_data(r, "sata0.0", odd, 512)
    info = {d["name"]: d for d in r.journal.all("disk")}
    equal([(info[d]["lba_bytes"], info[d]["physical_block_bytes"], info[d]["rotation"])
           for d in ("sata0.0", "sata0.1", "sata0.2")],
          [(512, 4096, "yes"), (512, 512, "no"), (512, 512, "unknown")], "block sizes and rotation")
    equal(info["sata0.0"]["lba_count"], (64 << 20) // 512 + 7, "odd end")
    step = {s["job"]: s for s in r.journal.all("step_end")}
    equal([step[j]["errors"] for j in step], [0, 0, 0, 0], "errors")
    check_cache(r, "sata0.0", 4)
    check("cache-as-asked" in step["uncached"]["flags"], f"flags of the uncached job: {step['uncached']['flags']}")
    why = r.journal.one("not_tested", job="ahead")["why"]
    check("does not report a look-ahead" in why, f"QEMU's disk has no look-ahead: {why}")
    # The brake takes hold some time after the step began: its last third has it for sure.
    slow_iops = step["slow"]["last_third_bytes_per_s"] / 4096
    check(SLOW_IOPS / 3 < slow_iops < 2 * SLOW_IOPS, f"the slow disk did {slow_iops:.0f} reads a second")
    longest_s = step["stall"]["latency_max_ns"] / 1e9
    check(STALL_S - 1 < longest_s < STALL_S + 4, f"the stall lasted {longest_s:.2f} s")
    faults = [f for c in ("device-fault", "io-error", "io-timeout") for f in r.journal.findings(c)]
    check(not faults, f"a stall inside the deadline is no fault: {faults}")
    blink(folder, args)


def blink(folder, args):
    reads = {}

    def count(m):
        check(m.wait_for(re.compile(rb"sata0.2 .* blinks for 3 s"), 120), "blinking is announced")
        first = stats(m)
        time.sleep(2)
        reads.update({k: v - first[k] for k, v in stats(m).items()})

    def stats(m):
        return {b["qdev"].split("/")[-1]: b["stats"]["rd_operations"]
                for b in m.qmp("query-blockstats", **{"query-nodes": False}) if b.get("qdev")}
    r = boot(folder / "blink", args, conf=CONF + "data_check = no\nblink = sata0.2\nblink_s = 3\n", during=count, expect=0)
    equal(r.journal.one("finding", code="blink")["subject"], "sata0.2", "who blinked")
    equal(r.journal.one("run_end")["verdict"], "NOT-TESTED", "blinking measures nothing")
    check(not r.journal.all("step_end"), "no step ran")
    check(reads.pop("stalled") > 20 and not any(v for k, v in reads.items() if "stick" not in k),
          f"reads while it blinked, beside those of sata0.2: {reads}")
