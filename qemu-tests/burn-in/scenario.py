"""A machine with seven armed disks on three kinds of controllers is burnt in, killed three times on the way; after the
first kill three of the disks are altered underneath, after the second one gets blocks back as they were at the first.  Each next start resumes; in the end the sound ones pass and are
blank at head and tail, the altered ones fail with LBA and kind."""
import random
import re
import struct

from burn_in_kit import MIB, THREE, Bench, newest, place
from scenario import boot, check, equal

tier, budget_s, timing = "quick", 120, False
ALTERED = {f"nvme{i}n1": kind for i, kind in enumerate(("lost", "misdirected", "corrupt"), 1)}
STALE = "nvme4n1"
DISKS = THREE | {f"nvme{i}n1": (f"nvme,drive={{n}},serial=BURN-NVME{i}", f"BURN-NVME{i}/NSID-1") for i in (1, 2, 3, 4)}
LBA_BYTES, MAGIC, PLACES = 512, b"BSWPSTM1", 10


def alter(path, kind, rng):
    """Some stamped LBAs are made what the kind says: fewer than the errors with which a drive leaves.  Those LBAs.  (A
    block that was written after the last checkpoint is written anew and heals; not all of them are such.)"""
    data = bytearray(path.read_bytes())
    stamped = [i for i in range(2 * MIB // LBA_BYTES, len(data) // LBA_BYTES)
               if data[i * LBA_BYTES:i * LBA_BYTES + 8] == MAGIC]
    check(len(stamped) > 20 * PLACES, f"only {len(stamped)} stamped LBAs")
    places = sorted(rng.sample(stamped, PLACES))
    with open(path, "r+b") as f:
        for lba in places:
            old, other = data[lba * LBA_BYTES:(lba + 1) * LBA_BYTES], rng.choice([x for x in stamped if x != lba])
            new = {"lost": bytes(LBA_BYTES), "misdirected": data[other * LBA_BYTES:(other + 1) * LBA_BYTES],
                   "corrupt": old[:100] + bytes([old[100] ^ 1]) + old[101:]}[kind]
            f.seek(lba * LBA_BYTES)
            f.write(new)
    return places


def passes(path):
    """{LBA: (the number that its stamp's write bears, its bytes)}"""
    data = path.read_bytes()
    blocks = ((i, data[i * LBA_BYTES:(i + 1) * LBA_BYTES]) for i in range(2 * MIB // LBA_BYTES, len(data) // LBA_BYTES))
    return {i: (struct.unpack_from("<I", b, 32)[0], b) for i, b in blocks if b[:8] == MAGIC}


def put_back(path, before, rng):
    """Some LBAs that were written again since then get what they held.  Those LBAs."""
    now = passes(path)
    again = [i for i, (number, _) in before.items() if now[i][0] > number]
    check(len(again) > 2 * PLACES, f"only {len(again)} LBAs were written again")
    places = sorted(rng.sample(again, PLACES))
    with open(path, "r+b") as f:
        for lba in places:
            f.seek(lba * LBA_BYTES)
            f.write(before[lba][1])
    return places


def failed(disk, kind, places, journal):
    s = newest(journal.all("burn_in"))[disk]
    # Each place counts whenever it is read: with the 16th error the drive leaves.
    check(s["end"] in ("finished", "left") and s["errors"], f"{disk}: {s}")
    equal(journal.verdicts()[disk], "FAIL", disk)
    said = [(w, int(lba)) for w, lba in re.findall(r"(\w+): LBA (\d+)", s["why"])]
    check(said and said[0][0] == kind and said[0][1] in places, f"{disk}, {kind} at {places}: {s['why']}")
    why = {x["disk"]: x["why"] for x in journal.all("disk_verdict")}[disk]
    check(f"LBA {said[0][1]}" in why, f"{disk}: its verdict does not say where: {why}")


def run(folder):
    bench, rng = Bench(folder, DISKS), random.Random(8)
    # Those that will be altered; the others are faster or slower than these, and where they are does not matter.
    touched = (*ALTERED, STALE)
    bench.kill("kill0", lambda lines, now: all(
        d in now and now[d]["phase"] == "write" and now[d]["position"] for d in touched))
    places = {disk: alter(bench.paths[disk], kind, rng) for disk, kind in ALTERED.items()}
    before = passes(bench.paths[STALE])
    bench.kill("kill1", bench.went_on)
    places[STALE] = put_back(bench.paths[STALE], before, rng)
    now = bench.kill("kill2", bench.went_on)
    r = boot(folder / "end", bench.args, conf=bench.conf, stick=bench.stick, files=bench.files, expect=1, timeout_s=240,
             may_write=bench.may_write)
    bench.started(r.serial_text)
    for disk in THREE:
        bench.passed(disk, r.journal, 3)
    for disk, kind in (ALTERED | {STALE: "stale"}).items():
        failed(disk, kind, places[disk], r.journal)
    return "killed the third time in " + ", ".join(f"{d} {s['phase']} {place(s)[1]}" for d, s in now.items())
