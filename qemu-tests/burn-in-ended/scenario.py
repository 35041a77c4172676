"""One drive fails early in a burn-in of three, the machine is killed, and once more stopped by its time: each next start
goes on with the two others, and the failed one stays FAIL without being burnt in anew."""
import json

from burn_in_kit import PHASES, Bench, newest
from scenario import boot, check, equal, file_disk

tier, budget_s, timing = "full", 150, False
BAD_LBA, FAILED = 20001, "sata0.0"


def spoil(bench):
    """The SATA disk cannot read one of its blocks."""
    at = next(i for i, a in enumerate(bench.args) if "dev1" in a)
    file = file_disk(bench.paths[FAILED], "bad-file")
    debug = {"driver": "raw", "node-name": "bad", "file": {
        "driver": "blkdebug", "image": "bad-file",
        "inject-error": [{"event": "read_aio", "errno": 5, "sector": BAD_LBA}]}}
    bench.args[at] = bench.args[at].replace("drive=d1", "drive=bad")
    bench.args[:0] = [*file, "-blockdev", json.dumps(debug)]


def run(folder):
    bench = Bench(folder)
    spoil(bench)
    bench.conf += "burn_in_error_limit = 1\n"
    sound = [d for d in bench.disks if d != FAILED]

    def failed_and_others_write(lines, now):
        return FAILED in now and now[FAILED]["end"] == "left" and all(
            d in now and PHASES.index(now[d]["phase"]) >= PHASES.index("write") for d in sound)

    bench.kill("kill0", failed_and_others_write)

    def start(name, more=""):
        r = boot(folder / name, bench.args, conf=bench.conf + more, files=bench.files, stick=bench.stick, expect=1,
                 may_write=bench.may_write, timeout_s=200)
        bench.stick = r.machine.stick
        equal(r.journal.verdicts()[FAILED], "FAIL", f"{name}: the drive that failed")
        why = next(x["why"] for x in r.journal.all("disk_verdict", disk=FAILED))
        check(why.startswith("in an earlier start: "), f"{name}: its reason: {why}")
        equal({x["end"] for x in r.journal.all("burn_in", disk=FAILED)}, {"left"}, f"{name}: it is not begun again")
        check(r.journal.findings("burn-in-error"), f"{name}: the finding is there")
        return r

    start("stopped", "burn_in_stop_s = 1\n")
    r = start("end")
    equal(r.journal.lines[-1]["verdict"], "FAIL", "the machine's verdict")
    for disk in sound:
        equal((newest(r.journal.all("burn_in"))[disk]["end"], r.journal.verdicts()[disk]), ("finished", "PASS"), disk)
