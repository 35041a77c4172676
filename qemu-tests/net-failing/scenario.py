"""No place takes the results: one is off, one takes a request and never answers, one has no room (507), one stops in
the middle of a TFTP transfer.  Each ends in its time and is said; the run ends with the verdict that it has without.
Then a slow server behind one that is off gets everything."""
import re
import time

import machine
from net_servers import Tftp, Web, journal_of
from scenario import QUICK_CONF, boot, check, equal, file_disk

tier, budget_s, timing = "full", 260, False
OFF = "http://10.0.2.77/"       # nobody has this address


def card():
    return ["-netdev", "user,id=n0", "-device", "virtio-net-pci,netdev=n0,romfile="]



def run(folder):
    disk = [*file_disk(machine.stamped_disk(folder / "d.img", 64 << 20, 1 << 20), "d"), "-device", "nvme,drive=d,serial=S"]
    alone = boot(folder / "alone", disk, expect=0)
    full, silent, stops = Web("507"), Web("silent"), Tftp(stop_after=5)
    conf = QUICK_CONF + f"upload = {OFF}, {silent.place}/, {full.place}/, {stops.place}/\n"
    started = time.monotonic()
    r = boot(folder / "none", disk, conf=conf, extra=card(), expect=0)
    took = time.monotonic() - started
    serial = r.serial_text.decode(errors="replace")
    for words in ("no answer within 5 s", "did not answer in time", "does not name (507",
                  "the TFTP server stopped answering after"):
        check(words in serial, f"said on serial: {words}")
    check(re.search(r"results NOT SENT: http://10\.0\.2\.77/", serial), "the end says that nothing was sent")
    check(not full.put and not silent.put and not stops.put, "nothing arrived")
    equal(r.journal.one("run_end")["verdict"], alone.journal.one("run_end")["verdict"], "verdict")
    equal(r.journal.verdicts(), alone.journal.verdicts(), "verdicts of disks")
    check(took < 200, f"all of it took {took:.0f} s")

    slow = Web("slow")
    r = boot(folder / "slow", disk, conf=QUICK_CONF + f"upload = {OFF}, {slow.place}/\n", extra=card(), expect=0)
    check(b"results sent to http://" in r.serial_text, "the second place has it")
    equal(journal_of(slow.put), (r.folder / "journal.ndjson").read_bytes(), "the whole journal")
    return f"no place: {took:.0f} s"
