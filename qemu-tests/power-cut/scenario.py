"""QEMU killed at random moments of journal writing: the stick's file systems are clean, every flushed line is there."""
import random
import re
import threading
import time

import gpt
import machine
from scenario import Journal, check, file_disk

tier, budget_s, timing = "quick", 150, False
CUTS, AT_ONCE = 20, 2
# Many short steps: nearly all of the time is journal writing.
JOBS = "[global]\nrw=randread\nbs=4k\nstonewall\nruntime=50ms\ntime_based\n" + "".join(f"[j{i}]\n" for i in range(60))
CONF = "countdown_s = 0\ndata_check = no\nplan = jobs\njobs = jobs.fio\n"
FLUSHED = re.compile(rb"# on the medium up to seq (\d+)")


def cut(folder, after_s):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "jobs.fio").write_text(JOBS)
    disk = machine.stamped_disk(folder / "d.img", 64 << 20, 1 << 20)
    m = machine.Machine(folder, disks=[*file_disk(disk, "d"), "-device", "nvme,drive=d,serial=CUT"], conf=CONF,
                        files=[(folder / "jobs.fio", "jobs.fio")]).start()
    started = m.wait_for(FLUSHED, 200)
    time.sleep(after_s)
    ended = machine.LAST_LINE.search(m.serial_bytes())
    m.kill()
    check(started, "the run did not begin: " + m.serial_bytes()[-1500:].decode(errors="replace"))
    check(not ended, "killed too late: the run had ended")
    said = gpt.fsck_clean(m.stick)
    check(not said, f"after {after_s:.3f} s: fsck.fat: {said}")
    promised = int(FLUSHED.findall(m.serial_bytes())[-1])
    folder_on_stick = m.fetch(folder / "results")
    check(folder_on_stick, "no results on the stick")
    held = {x["seq"] for x in Journal((folder_on_stick / "journal.ndjson").read_bytes()).lines}
    missing = [s for s in range(promised + 1) if s not in held]
    check(not missing, f"after {after_s:.3f} s: flushed up to {promised}, missing {missing[:5]}")
    return promised


def run(folder):
    rng, faults, reached = random.Random(20), [], []
    moments = [rng.uniform(0, 3.0) for _ in range(CUTS)]

    def work(k):
        for i in range(k, CUTS, AT_ONCE):
            try:
                reached.append(cut(folder / f"cut{i}", moments[i]))
            except AssertionError as e:
                faults.append(f"cut {i}: {e}")
    threads = [threading.Thread(target=work, args=(k,)) for k in range(AT_ONCE)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    check(not faults, "\n".join(faults))
    check(len(set(reached)) > CUTS // 3, f"the moments were not spread: {sorted(reached)}")
    return f"{CUTS} cuts between lines {min(reached)} and {max(reached)}"
