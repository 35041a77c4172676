"""A burn-in of a machine without a stick, killed: the next PXE start resumes it from what the server of `state` kept."""
import re
import shutil
import time

import machine
from burn_in_kit import PHASES, newest, oldest, place, states
from net_servers import Web
from scenario import boot, check, equal, file_disk

tier, budget_s, timing = "full", 90, False
UUID = "6f3c1a52-8d0e-4b7a-9c55-0123456789ac"
CONF = ("plan = burn-in-readonly\ncountdown_s = 0\ndata_check = no\nburn_in_checkpoint_s = 1\ntime_scale_pct = 25\n"
        "burn_in_budget_s = 80\nsmbus = no\n")


def kept(web):
    """The newest states that the server holds."""
    body = web.put.get(f"/state/{UUID}.txt", b"")
    return newest(states(body)) if re.search(rb"^part burnin \d+$", body, re.M) else {}


def run(folder):
    web, tftp = Web(), folder / "tftp"
    (tftp / "conf").mkdir(parents=True)
    shutil.copy(machine.ROOT / "out" / "BOOTX64.EFI", tftp)
    (tftp / "conf" / "default").write_text(CONF + f"state = {web.place}/state/\n")
    with open(folder / "d.img", "wb") as f:
        f.truncate(24 << 20)
    disk = [*file_disk(folder / "d.img", "d"), "-device", "nvme,drive=d,serial=BURN-NET"]
    extra = ["-netdev", f"user,id=n0,tftp={tftp},bootfile=BOOTX64.EFI", "-device",
             "virtio-net-pci,netdev=n0,romfile=,bootindex=1", "-uuid", UUID,
             "-fw_cfg", "name=opt/org.tianocore/IPv6Support,string=no"]

    m = machine.Machine(folder / "killed", disks=disk, stick_device=None, conf=None, extra=extra).start()
    try:
        end = time.monotonic() + 200
        while not any(place(s) > (PHASES.index("surface"), 0) for s in kept(web).values()):
            check(m.process.poll() is None and time.monotonic() < end and not machine.LAST_LINE.search(m.serial_bytes()),
                  "no state kept: " + m.serial_bytes()[-1500:].decode(errors="replace"))
            time.sleep(0.05)
    finally:
        m.kill()
    check(b"no resume on this boot path" not in m.serial_bytes(), "it says that it cannot resume")
    before = kept(web)["nvme0n1"]

    r = boot(folder / "resumed", disk, stick_device=None, conf=None, extra=extra, expect=0)
    first, last = oldest(states(r.serial_text))["nvme0n1"], newest(states(r.serial_text))["nvme0n1"]
    equal(len(r.serial.findings("burn-in-resumed")), 1, "drives that resumed")
    check(place(first) >= place(before) and first["seed"] == before["seed"], f"kept {before}, began with {first}")
    equal((last["end"], last["errors"], last["interruptions"]), ("finished", 0, 1), "in the end")
    equal(kept(web)["nvme0n1"]["end"], "finished", "what the server keeps of it")

    (tftp / "conf" / "default").write_text(CONF)
    r = boot(folder / "alone", disk, stick_device=None, conf=None, extra=extra, expect=0)
    check(r.serial.findings("no-resume"), "without stick and state it does not say that it cannot resume")
