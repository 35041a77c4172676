"""The stick is pulled while drives are burnt in, and put back: the journal catches up, the verdict is as it would be."""
import re
import time

from burn_in_kit import THREE, Bench, has_written
from scenario import boot, check, equal

tier, budget_s, timing = "full", 120, False
LOST = re.compile(rb"it is looked for again at each checkpoint")
BACK = re.compile(rb"it is back and holds the whole journal again")


def run(folder):
    bench = Bench(folder, budget_s=240)

    def pull_and_put_back(m):
        bench.wait(m, has_written, 200, "writes")
        m.qmp("device_del", id="stick0")
        check(m.wait_for(LOST, 200), "nobody missed the stick")
        time.sleep(1)
        said = m.qmp("human-monitor-command", **{
            "command-line": f"drive_add 0 if=none,id=stickb,format=raw,file={m.stick}"})
        equal(said.strip(), "OK", "drive_add")
        m.qmp("device_add", driver="usb-storage", id="stick0", drive="stickb", removable=True)
        check(m.wait_for(BACK, 200), "it was not found again: " + m.qmp("human-monitor-command", **{
            "command-line": "info usb"}) + m.serial_bytes()[-1500:].decode(errors="replace"))

    r = boot(folder / "run", bench.args, conf=bench.conf, files=bench.files, expect=0, during=pull_and_put_back,
             may_write=bench.may_write)
    for disk in THREE:
        bench.passed(disk, r.journal, 0)
    seqs = [x["seq"] for x in r.journal.lines]
    equal(seqs, list(range(len(seqs))), "the journal on the stick is whole")
    equal(r.journal.lines[-1]["ev"], "run_end", "its last line")
    equal(r.journal.findings("stick-write-failed")[0]["level"], "INFO", "a stick that came back")
    check(r.summary, "the reports are on the stick")
