"""A burn-in of three drives killed at 20 random moments: each next start resumes where the medium had it or later, the
stick's file systems are clean, in the end all drives pass."""
import random

from burn_in_kit import MIB, THREE, Bench
from scenario import boot

tier, budget_s, timing = "full", 500, False
KILLS = 20


def run(folder):
    bench, rng, at = Bench(folder, budget_s=800, size=192 * MIB), random.Random(20), []
    for k in range(KILLS):
        # Two of three go on until there is progress; more than three in a row without would be a crash loop.
        good = bench.went_on if k % 3 else lambda lines, now: True
        now = bench.kill(f"kill{k}", good, rng.uniform(0, 1))
        at.append(now["nvme0n1"]["phase"])
    r = boot(folder / "end", bench.args, conf=bench.conf, stick=bench.stick, files=bench.files, expect=0, timeout_s=400,
             may_write=bench.may_write)
    bench.started(r.serial_text)
    for disk in THREE:
        bench.passed(disk, r.journal, KILLS)
    return "killed in " + ", ".join(f"{p} {at.count(p)}" for p in dict.fromkeys(at))
