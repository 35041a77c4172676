"""NVMe on unknown machines: namespaces of every kind, shared ones, huge disks, few queues, sixteen at once, slow ones."""
import re

import machine
from scenario import QUICK_CONF, boot, check, check_cache, check_data, equal, file_disk, watch_cache

tier, budget_s, timing = "quick", 75, False
TIB = 1 << 40


def null_disk(node, size):
    return ["-blockdev", f"driver=null-co,size={size},read-zeroes=on,node-name={node}"]


def namespaces(folder):
    """One machine: a subsystem with two controllers, a drive of 8 TiB in each block size, one queue pair, SATA."""
    paths, args = {}, ["-device", "nvme-subsys,id=ss,nqn=twin",
                       "-device", "nvme,id=left,serial=TWIN,subsys=ss", "-device", "nvme,id=right,serial=TWIN,subsys=ss"]

    def image(name, size=32 << 20):
        paths[name] = machine.stamped_disk(folder / f"{name}.img", size, seed=len(paths) + 1)
        return file_disk(paths[name], name)
    args += [*image("shared"), "-device", "nvme-ns,drive=shared,bus=left,nsid=5,shared=on",
             *image("away"), "-device", "nvme-ns,drive=away,bus=left,nsid=9,shared=on,detached=on",
             *image("protected"), "-device", "nvme-ns,drive=protected,bus=left,nsid=70,shared=off,ms=8,mset=0,pi=1",
             *image("inline"), "-device", "nvme-ns,drive=inline,bus=left,nsid=71,shared=off,ms=8,mset=1,pi=2",
             *image("meta"), "-device", "nvme-ns,drive=meta,bus=left,nsid=200,shared=off,ms=16",
             *image("zoned"), "-device", "nvme-ns,drive=zoned,bus=left,nsid=201,shared=off,zoned=on,zoned.zone_size=1M",
             *null_disk("huge4k", 8 * TIB + 3 * 4096), "-device", "nvme,id=h4,serial=HUGE4K",
             "-device", "nvme-ns,drive=huge4k,bus=h4,nsid=1,logical_block_size=4096,physical_block_size=4096",
             *null_disk("huge512", 8 * TIB + 512), "-device", "nvme,drive=huge512,serial=HUGE512,mdts=0",
             *image("one"), "-device", "nvme,drive=one,serial=ONEPAIR,max_ioqpairs=1,mdts=1",
             *image("sata"), "-device", "ide-hd,drive=sata,bus=ide.0,serial=SATA"]
    r = boot(folder / "boot", args, conf=QUICK_CONF + "selftest = short\n", expect=0)
    tested = r.journal.tested()
    equal(sorted(tested), ["nvme0n5", "nvme0n70", "nvme0n71", "nvme2n1", "nvme3n1", "nvme4n1", "sata0.0"], "disks with results")
    info = {d["name"]: d for d in r.journal.all("disk")}
    check("second path to nvme0n5" in info["nvme1n5"]["why_not"], f"the second path is named: {info['nvme1n5']}")
    equal([f["subject"] for f in r.journal.findings("duplicate-path")], ["nvme1n5"], "second paths")
    for disk, words in (("nvme0n9", "attached to no controller"), ("nvme0n200", "16 bytes of metadata"), ("nvme0n201", "zoned")):
        check(words in info[disk]["why_not"], f"{disk} has its reason: {info[disk]['why_not']}")
    equal((info["nvme2n1"]["lba_count"], info["nvme2n1"]["lba_bytes"]), (2 * TIB // 1024 + 3, 4096), "8 TiB in 4 KiB")
    equal((info["nvme3n1"]["lba_count"], info["nvme3n1"]["lba_bytes"]), (16 * TIB // 1024 + 1, 512), "8 TiB in 512")
    equal(info["nvme4n1"]["max_command_bytes"], 8192, "MDTS 1")
    for disk, name in (("nvme0n5", "shared"), ("nvme4n1", "one"), ("sata0.0", "sata")):
        check_data(r, disk, paths[name], 512)
    # QEMU keeps the metadata of a namespace behind all its data, in either layout: the data is the file's head.
    for disk, name in (("nvme0n70", "protected"), ("nvme0n71", "inline")):
        check_data(r, disk, paths[name], 512)
    state(r)


def state(r):
    """What the drives say about themselves, and what they were not asked for in vain."""
    health = {(h["disk"], h["when"]): h for h in r.journal.all("health")}
    for when in ("before", "after"):
        equal(health["nvme0n5", when]["values"]["temperature_c"], 50, "temperature of QEMU's drive")
        equal(health["nvme0n5", when]["values"]["error_log_entries"], 0, "errors that we caused")
    settings = {s["disk"]: s["settings"] for s in r.journal.all("drive_settings")}
    check("power state 0" in settings["nvme0n5"], f"settings are recorded: {settings}")
    refused = {x["disk"]: x["why"] for x in r.journal.all("not_tested", job="selftest-short")}
    check("no self-test" in refused.get("nvme0n5", ""), f"QEMU's NVMe has no self-test: {refused}")
    check("sata0.0" in refused, f"QEMU's SATA disk does not say that it has one: {refused}")


def sixteen(folder):
    """As many drives as a backplane has, all of them at the same time."""
    args = []
    for i in range(16):
        args += [*null_disk(f"d{i}", (1 << 30) + 512 * i), "-device", "pcie-root-port,id=p%d,chassis=%d" % (i, i),
                 "-device", f"nvme,drive=d{i},serial=S{i:02d},bus=p{i}"]
    r = boot(folder / "boot", args, conf=QUICK_CONF + "data_check = no\n", expect=0)
    equal(sorted(r.journal.tested()), sorted(f"nvme{i}n1" for i in range(16)), "disks with results")
    equal({d["lba_count"] - (1 << 21) for d in r.journal.all("disk")}, set(range(16)), "odd ends")
    together = [s for s in r.journal.all("step_start") if s["lanes"] == 16]
    check(together, "no step had all sixteen side by side")
    check(not r.journal.all("io_error"), "errors")


SLOW_JOBS = """[global]
rw=randread
bs=4k
iodepth=4
time_based
runtime=%ds
[slow]
filename=nvme0n1
[stalls]
filename=nvme1n1
[uncached]
stonewall
filename=nvme1n1
runtime=1s
write_cache=off
"""


def slow(folder):
    """A drive of 100 reads a second, and one that stops answering for a while: slow numbers, no errors.  Then its write
    cache is switched off for a job."""
    (folder / "slow.fio").write_text(SLOW_JOBS % 12)
    args = []
    for name, iops in (("slow", 100), ("stalls", 2000)):
        disk = machine.stamped_disk(folder / f"{name}.img", 32 << 20, seed=iops)
        args += ["-object", f"throttle-group,id=tg-{name},x-iops-total={iops}", *file_disk(disk, f"{name}-file"),
                 "-blockdev", f"driver=throttle,throttle-group=tg-{name},file={name}-file,node-name={name}",
                 "-device", f"nvme,drive={name},serial={name.upper()}"]

    def stall(m):
        check(m.wait_for(re.compile(rb"step 1/2"), 60), "the step begins")
        limit = {"iops-total": 1}
        m.qmp("qom-set", path="/objects/tg-stalls", property="limits", value=limit)
        m.wait_for(re.compile(rb"never printed"), 4)
        m.qmp("qom-set", path="/objects/tg-stalls", property="limits", value={"iops-total": 2000})
        watch_cache(m, "nvme1n1", "stalls", 2)
    r = boot(folder / "boot", args, conf="plan = jobs\njobs = slow.fio\ncountdown_s = 0\ndata_check = no\n", expect=0,
             files=[(folder / "slow.fio", "slow.fio")], during=stall)
    for job, least_iops, most_iops, longest_ns in (("slow", 50, 150, 10**7), ("stalls", 10, 2100, 5 * 10**8)):
        ends = r.journal.all("step_end", job=job)
        equal(len(ends), 1, f"results of {job}")
        iops = ends[0]["iops_milli"] // 1000
        check(least_iops <= iops <= most_iops, f"{job}: {iops} reads a second")
        check(ends[0]["latency_max_ns"] >= longest_ns, f"{job}: longest {ends[0]['latency_max_ns']} ns")
        equal(ends[0]["errors"], 0, f"errors of {job}")
    check_cache(r, "nvme1n1", 2)
    equal(set(r.journal.verdicts().values()), {"PASS"}, "verdicts")


def run(folder):
    for part in (namespaces, sixteen, slow):
        (folder / part.__name__).mkdir(parents=True, exist_ok=True)
        part(folder / part.__name__)
