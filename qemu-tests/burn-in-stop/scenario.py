"""A burn-in that is stopped by the typed word, resumed by the next start, stopped by the configured time, and resumed once
more to its end: flushed and ABORTED each time, nothing done twice or lost, the controllers back with the firmware."""
import re

import machine
from burn_in_kit import THREE, Bench, has_written, newest, place
from scenario import boot, check, equal

tier, budget_s, timing = "quick", 60, False
PERSON, TIME = "a person stopped it", "the time that the configuration gives it (burn_in_stop_s) is over"


def run(folder):
    bench, flushes, said = Bench(folder), {}, []

    def count_flushes(m):
        check(m.wait_for(machine.LAST_LINE, 200), "it does not end")
        for b in m.qmp("query-blockstats", **{"query-nodes": False}):
            flushes[b.get("qdev", "").split("/")[-1]] = b["stats"]["flush_operations"]

    def type_stop(m):
        bench.wait(m, has_written, 200, "writes")
        m.press("esc")
        check(m.wait_for(re.compile(rb"Type the word stop and press Enter"), 60), "nobody asks for the word")
        m.press("s", "t", "o", "p", "ret", every_s=0.2)
        count_flushes(m)

    def start(name, more="", **kw):
        r = boot(folder / name, bench.args, conf=bench.conf + more, files=bench.files, stick=bench.stick,
                 may_write=bench.may_write, timeout_s=200, **kw)
        bench.stick = r.machine.stick
        said.append(r.serial_text + "".join(x["why"] for x in r.journal.all("disk_verdict")).encode())
        bench.started(r.serial_text)
        bench.before = newest(r.journal.all("burn_in"))
        return r

    def stopped(r, why):
        verdicts = r.journal.verdicts()
        equal({d: verdicts[d] for d in THREE}, {d: "ABORTED" for d in THREE}, f"{why}: verdicts")
        for disk, s in bench.before.items():
            equal((s["end"], s["why"], s["errors"]), ("stopped", why, 0), disk)
            check(s["blocks"] > s["position"] or s["phase"] != "write", f"{disk}: it was at its end: {s}")
        wrote = bench.before["sata0.0"]["phase"] in ("write", "random")
        check(flushes["dev1"] or not wrote, "it wrote, and no flush came (QEMU counts those of SATA disks)")
        equal({d: [x["decision"] for x in r.journal.all("write_permit", disk=d)][-1] for d in THREE},
              {d: "used-up" for d in THREE}, "the marks stay for the next start")
        check(not r.journal.findings("burn-in-error"), "a stop is no error")

    stopped(start("word", expect=1, during=type_stop), PERSON)
    r = start("time", "burn_in_stop_s = 2\nhandback_check = yes\ndata_check = yes\n", expect=1, during=count_flushes)
    stopped(r, TIME)
    equal({x["subject"]: x["level"] for x in r.journal.findings("handback")},
          {d: "INFO" if "raid" in d else "PASS" for d in THREE},  # OVMF has no driver for a RAID card
          "firmware reads the disks after the stop")
    where = ", ".join(f"{d} {s['phase']} {place(s)[1]}" for d, s in bench.before.items())
    r = start("end", expect=0)
    for disk in THREE:
        bench.passed(disk, r.journal, 2)
    # Between writing and reading back, in whichever of the three starts that was.
    for words in (rb"nvme0[^\n]*reset on request", rb"sata0.0: reset on request", rb"a RAID card is not reset"):
        check(any(re.search(words, x) for x in said), f"no start says {words}")
    return "stopped the second time in " + where
