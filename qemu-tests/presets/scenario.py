"""Two presets at their real length: every row is what the preset's table says, what was announced is kept, and each flag
is there when the row's own numbers, or the machine, ask for it."""
import csv

import machine
from burn_in_kit import arming_text
from scenario import boot, check, equal, file_disk

tier, budget_s, timing = "full", 300, True
MIB, GIB = 1 << 20, 1 << 30
CONF = "countdown_s = 0\ndata_check = no\n"
# What the flags say that depend on how busy the host is; they are checked against the row's own numbers.
OF_THE_HOST = {"poll-gap", "host-bound", "uneven", "clock-uncertain"}
# One lane of 2.5 GT/s carries 250 MB/s less 24 bytes for each 256.
GEN1_X1 = 250_000_000 * 256 // 280
BLANK_WORDS = "blank SSD (or blocks given back): link and controller measured, not flash"

# job: pattern, block size, requests in flight
QUICK = {
    "sequential-1m-qd4": ("read", MIB, 4),
    "random-4k-qd1": ("randread", 4096, 1),
    "random-4k-qd32": ("randread", 4096, 32),
}
CRYSTAL_READS = {
    "seq1m-q8t1": ("read", MIB, 8),
    "seq1m-q1t1": ("read", MIB, 1),
    "rnd4k-q32t1": ("randread", 4096, 32),
    "rnd4k-q1t1": ("randread", 4096, 1),
    "nvme-seq128k-q32t1": ("read", 128 << 10, 32),
    "nvme-rnd4k-q32t16": ("randread", 4096, 512),
}
CRYSTAL_WRITES = {f"{job}-write": (rw.replace("read", "write"), size, depth)
                  for job, (rw, size, depth) in CRYSTAL_READS.items()} | {
    "seq1m-q8t1-mix-70-30": ("rw", MIB, 8),
    "rnd4k-q32t1-mix-70-30": ("randrw", 4096, 32),
}


def of_its_numbers(end):
    """The flags that follow from what the row itself says, without those that need more than it."""
    first, last = end["first_third_bytes_per_s"], end["last_third_bytes_per_s"]
    p99 = end["latency_percentile_ns"].get("990000")
    found = {"split"} if end["command_bytes"] < end["block_bytes"] else set()
    found |= {"depth-reduced"} if end["depth"] < end["depth_asked"] else set()
    found |= {"uneven"} if abs(first - last) > max(first, last) / 10 else set()
    found |= {"poll-gap"} if p99 and end["longest_poll_gap_ns"] > p99 / 10 else set()
    return found | ({"host-bound"} if end["busy_ns"] > end["run_ns"] / 10 else set())


def check_row(end, want, seconds, region, flags, maybe=()):
    """seconds: measured and before that; region: first LBA and length."""
    rw, size, depth = want
    what = f"{end['disk']} {end['job']}"
    equal((end["rw"], end["block_bytes"], end["depth_asked"], end["errors"]), (rw, size, depth, 0), what)
    equal((end["first_lba"], end["span_lbas"]), region, f"{what}: its region")
    # The last one of a sequential pass may be what is left of the region.
    check((end["ios"] - 1) * size < end["bytes"] <= end["ios"] * size, f"{what}: {end['ios']} requests, {end['bytes']} bytes")
    for name, ns, limit_s in (("run", end["run_ns"], seconds[0]), ("ramp", end["ramp_ns"], seconds[1])):
        check(-0.01 <= ns / 1e9 - limit_s < 0.5, f"{what}: {name} of {ns / 1e9:.2f} s, {limit_s} s in the preset")
    seen, own = set(end["flags"]), of_its_numbers(end)
    check(own <= seen, f"{what}: flags {sorted(seen)}, its numbers ask for {sorted(own)}")
    # Busy is the processor, not the lane: host-bound may come from the lanes beside it.
    # Without a 99th percentile that counts there is nothing to compare a gap with.
    told = {"split", "depth-reduced", "uneven"} | ({"poll-gap"} if "990000" in end["latency_percentile_ns"] else set())
    check(not (seen - own) & told, f"{what}: {sorted(seen)}, by its numbers {sorted(own)}")
    rest = seen - own - OF_THE_HOST - set(maybe)
    equal(rest, set(flags) - set(maybe), f"{what}: flags")


def check_time(r, most_s=None):
    announced = r.journal.one("plan")["estimate_ns"]
    took = r.journal.all("step_end")[-1]["t_ns"] - r.journal.all("step_start")[0]["t_ns"]
    check(0.85 * announced < took < 1.15 * announced, f"announced {announced / 1e9:.0f} s, took {took / 1e9:.0f} s")
    check(not most_s or took < most_s * 1e9, f"took {took / 1e9:.0f} s, at most {most_s} s")
    return f"{took / 1e9:.0f} s, announced {announced / 1e9:.0f} s"


def check_table(r):
    """results.csv has the same rows with the same flags beside them."""
    ends = r.journal.all("step_end")
    with open(r.folder / "results.csv", newline="") as f:
        rows = list(csv.DictReader(f))
    equal([(x["disk"], x["job"], int(x["bytes_per_s"]), x["flags"]) for x in rows],
          [(x["disk"], x["job"], x["bytes_per_s"], "|".join(x["flags"])) for x in ends], "results.csv")


def quick(folder):
    """Two namespaces of one controller; a disk for itself; and one that is faster than its slot's link and blank."""
    args = ["-device", "nvme,id=n0,serial=SHARED",
            "-device", "pcie-root-port,id=rp0,chassis=1,slot=1,x-speed=2_5,x-width=1,addr=10.0",
            "-blockdev", f"driver=null-co,node-name=fast,size={8 * GIB},read-zeroes=on",
            "-device", "nvme,id=n1,drive=fast,serial=FAST,bus=rp0"]
    for i, device in enumerate(("nvme-ns,bus=n0,nsid=1", "nvme-ns,bus=n0,nsid=2", "ide-hd,bus=ide.0,serial=ALONE")):
        path = machine.stamped_disk(folder / f"{i}.img", 64 * MIB, 64 * MIB, seed=i + 1)
        args += [*file_disk(path, f"d{i}"), "-device", f"{device},drive=d{i}"]
    r = boot(folder / "m", args, conf=CONF + "preset = quick\n", expect=0, timeout_s=400)
    disks = ["nvme0n1", "nvme0n2", "nvme1n1", "sata0.0"]
    equal(r.journal.tested(), {d: list(QUICK) for d in disks}, "rows")
    equal(len({x["step"] for x in r.journal.all("step_end")}), 3, "all disks side by side")
    equal(r.journal.all("not_tested"), [], "not tested")
    for end in r.journal.all("step_end"):
        disk, job, flags = end["disk"], end["job"], set()
        if disk.startswith("nvme0"):
            flags.add("shared-path")
        if disk == "nvme1n1":
            flags |= {"blank"} | ({"above-link"} if job == "sequential-1m-qd4" else set())
            check((end["bytes_per_s"] > 1.02 * GEN1_X1) == ("above-link" in flags), f"{disk} {job}: {end['bytes_per_s']}")
        lbas = (8 * GIB if disk == "nvme1n1" else 64 * MIB) // 512
        check_row(end, QUICK[job], (30, 2), (0, lbas), flags)
    check(BLANK_WORDS in " ".join(r.summary.split()), "the summary says what blank means")
    check_table(r)
    return check_time(r, most_s=180)


def check_mix(r, end):
    sides = {x["side"]: x for x in r.journal.all("step_side", disk=end["disk"], job=end["job"])}
    n, reads = end["ios"], sides["read"]["ios"]
    equal(reads + sides["write"]["ios"], n, f"{end['job']}: its two sides")
    # Five deviations of n draws.
    check(abs(reads - 0.7 * n) < 5 * (0.21 * n) ** 0.5, f"{end['job']}: {reads} of {n} requests read")


def crystaldiskmark(folder):
    """An armed disk, beside it one that is not."""
    (folder / "arming.txt").write_text(arming_text(["PRESETS-ARMED/NSID-1"]))
    armed = machine.stamped_disk(folder / "armed.img", 1200 * MIB, 0)
    other = machine.stamped_disk(folder / "other.img", 1200 * MIB, MIB)
    # How long the host takes to bring a GiB onto its disk is not asked here.
    args = ["-blockdev", f"driver=file,filename={armed},node-name=armed,cache.no-flush=on",
            "-device", "nvme,drive=armed,serial=PRESETS-ARMED,id=armed0",
            *file_disk(other, "other"), "-device", "ide-hd,drive=other,bus=ide.0,serial=PRESETS-OTHER"]
    r = boot(folder / "m", args, conf=CONF + "preset = crystaldiskmark\narm = arming.txt\n", expect=0, timeout_s=500,
             files=[(folder / "arming.txt", "arming.txt")], may_write=["armed0"])
    equal(r.journal.tested(), {"nvme0n1": [*CRYSTAL_READS, *CRYSTAL_WRITES], "sata0.0": [*CRYSTAL_READS]}, "rows")
    refused = r.journal.all("not_tested")
    equal([(x["disk"], x["job"]) for x in refused], [("sata0.0", job) for job in CRYSTAL_WRITES], "not tested")
    check(all("writes: " in x["why"] for x in refused), f"{refused}")
    check(len(CRYSTAL_WRITES) == 8 and r.journal.verdicts() == {"nvme0n1": "PASS", "sata0.0": "PASS"}, r.journal.verdicts())
    for end in r.journal.all("step_end"):
        job, writes = end["job"], end["job"] in CRYSTAL_WRITES
        # On the armed disk all begins behind the guard's MiB.  It is blank until it is written.
        check_row(end, (CRYSTAL_WRITES if writes else CRYSTAL_READS)[job], (5, 5), (2048 if end["disk"] == "nvme0n1" else 0, GIB // 512),
                  {"blank"} if end["disk"] == "nvme0n1" and not writes else (),
                  maybe=["blank"] if end["disk"] == "sata0.0" else [])
        if "mix" in job:
            check_mix(r, end)
    # Sixteen lanes, as far as the disk takes them: queues of NVMe are its own, SATA has 32 commands for all.
    equal({x["disk"]: x["depth"] for x in r.journal.all("step_end", job="nvme-rnd4k-q32t16")}, {"nvme0n1": 512, "sata0.0": 32},
          "in flight in the deepest row")
    check_table(r)
    return check_time(r)


def run(folder):
    words = []
    for preset in (quick, crystaldiskmark):
        (folder / preset.__name__).mkdir()
        words.append(f"{preset.__name__} {preset(folder / preset.__name__)}")
    return "; ".join(words)
