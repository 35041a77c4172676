"""A stick in a machine with a network: the card is brought up only because the configuration asks for it.  Of four
places for results the first is closed, the second forbids, the third dies half-way; the fourth, TFTP with 10 % loss,
gets everything.  Nothing of it changes the verdict."""
import time

import machine
from net_servers import Syslog, Tftp, Web, free_port, journal_of, HOST
from scenario import QUICK_CONF, Journal, boot, check, equal, file_disk

tier, budget_s, timing = "quick", 45, False


def card():
    return ["-netdev", "user,id=n0", "-device", "virtio-net-pci,netdev=n0,mac=52:54:00:00:12:01,romfile=",
            "-smbios", "type=1,serial=STICK1,uuid=11223344-5566-7788-99aa-bbccddeeff01"]



def run(folder):
    forbids, dies, lossy, log, state = Web("403"), Web("dies"), Tftp(loss_pct=10), Syslog(), Web()
    conf = QUICK_CONF + (f"upload = http://{HOST}:{free_port()}/, {forbids.place}/a/, {dies.place}/b/, {lossy.place}/\n"
                         f"syslog = {log.place}\nstate = {state.place}/state/\n")
    disk = [*file_disk(machine.stamped_disk(folder / "d.img", 64 << 20, 1 << 20), "d"), "-device", "nvme,drive=d,serial=S"]
    started = time.monotonic()
    r = boot(folder / "m", disk, conf=conf, extra=card(), expect=0)
    serial = r.serial_text.decode(errors="replace")
    for words in ("connection refused", "answered 403 (forbidden", "the connection broke off"):
        check(words in serial, f"said on serial: {words}")
    check("results sent to tftp://" in serial, "the last place has it")
    check(lossy.lost > 0, "the relay did lose packets")
    check(forbids.tries >= 1 and dies.tries >= 1 and not forbids.put and not dies.put, "each was tried")
    base = "STICK1_52-54-00-00-12-01_11223344-5566-7788-99aa-bbccddeeff01_"
    check(all(n.startswith(base) for n in lossy.put), sorted(lossy.put))
    got = journal_of(lossy.put)
    equal(got, (r.folder / "journal.ndjson").read_bytes(), "the stick's journal and the one that came home")
    for name in ("summary.txt", "report.html", "results.csv", "fio.json", "junit.xml"):
        sent = [b for n, b in lossy.put.items() if n.endswith(name)]
        equal(sent, [(r.folder / name).read_bytes()], name)
    check(r.journal.one("run_end")["verdict"] in ("PASS", "WARN"), "verdict")
    check(not r.journal.findings("upload"), "no finding is made of it")
    check(any("step 1/" in x for x in log.lines) and "ends: " in log.lines[-1], f"syslog: {log.lines}")
    check(all(x.startswith("<13") and " STICK1 baresweep - - - " in x for x in log.lines), f"syslog: {log.lines[:3]}")
    return f"{time.monotonic() - started:.0f} s, {lossy.lost} packets lost"
