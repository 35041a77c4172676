"""Machines without a stick that write unattended: the application pins the arming file that the boot server sends, and the
server of `state` keeps the record that the arming is used up, from before the first write.  Killed, it resumes; at its end
the disk is blank again, and the next start of the same configuration writes nothing.  A server that does not keep the
record: nothing is written."""
import re
import subprocess
import time

import machine
from burn_in_kit import PHASES, arming_text, conf, newest, oldest, place, states
from net_servers import Web
from scenario import boot, check, equal, file_disk

tier, budget_s, timing = "full", 150, False
UUID = "6f3c1a52-8d0e-4b7a-9c55-0123456789ad"
STATE, MIB = f"/state/{UUID}.txt", 1 << 20
SPENT = re.compile(rb"^part spent 32\nSPENT 0000000000000001 [0-9a-f]{8}\n", re.M)


class Rack:
    """What the boot server has, and a blank disk."""

    def __init__(self, folder, web, pinned=True):
        self.web, tftp = web, folder / "tftp"
        (tftp / "conf").mkdir(parents=True)
        (tftp / "arming.txt").write_text(arming_text(["BURN-PXE/NSID-1"]))
        pin = tftp / "arming.txt" if pinned else folder / "other.txt"
        (folder / "other.txt").write_text(arming_text(["OTHER/NSID-1"]))
        subprocess.run([machine.ROOT / "image" / "pin-arming", machine.ROOT / "out" / "BOOTX64.EFI", pin,
                        tftp / "BOOTX64.EFI"], check=True)
        (tftp / "conf" / "default").write_text(conf(120, f"smbus = no\nstate = {web.place}/state/\n"))
        self.path = folder / "d.img"
        with open(self.path, "wb") as f:
            f.truncate(24 * MIB)
        self.disk = [*file_disk(self.path, "d"), "-device", "nvme,drive=d,id=dev,serial=BURN-PXE"]
        self.extra = ["-netdev", f"user,id=n0,tftp={tftp},bootfile=BOOTX64.EFI", "-device",
                      "virtio-net-pci,netdev=n0,romfile=,bootindex=1", "-uuid", UUID,
                      "-fw_cfg", "name=opt/org.tianocore/IPv6Support,string=no"]

    def start(self, folder, **kw):
        return boot(folder, self.disk, stick_device=None, conf=None, extra=self.extra, **kw)


def decided(r):
    return [x["decision"] for x in r.serial.all("write_permit", disk="nvme0n1")]


def kill_while_it_writes(folder, rack):
    m = machine.Machine(folder, disks=rack.disk, stick_device=None, conf=None, extra=rack.extra).start()
    try:
        end = time.monotonic() + 200
        while not any(place(s) > (PHASES.index("write"), 0) for s in states(rack.web.put.get(STATE, b""))):
            check(m.process.poll() is None and time.monotonic() < end and not machine.LAST_LINE.search(m.serial_bytes()),
                  "no state of written blocks kept: " + m.serial_bytes()[-2500:].decode(errors="replace"))
            if rack.path.read_bytes()[:16].strip(b"\0"):
                check(SPENT.search(rack.web.put.get(STATE, b"")), "the disk is written and the server has no record")
            time.sleep(0.05)
    finally:
        m.kill()
    check(SPENT.search(rack.web.put[STATE]), f"the record of the server: {rack.web.put[STATE][:200]}")
    return newest(states(rack.web.put[STATE]))["nvme0n1"]


def nothing_is_written(folder, rack, words, **kw):
    before = rack.path.read_bytes()
    r = rack.start(folder, **kw)
    check(any(re.search(words, x["why"]) for x in r.serial.all("write_permit", disk="nvme0n1")),
          f"no reason like {words}: {r.serial.all('write_permit')}")
    equal(rack.path.read_bytes() == before, True, "the disk is as it was")
    check(not any(r.writes.values()), f"QEMU counts writes: {r.writes}")
    return r


def run(folder):
    rack = Rack(folder, Web())
    before = kill_while_it_writes(folder / "killed", rack)
    r = rack.start(folder / "resumed", expect=0, may_write=["dev"])
    first, last = oldest(states(r.serial_text))["nvme0n1"], newest(states(r.serial_text))["nvme0n1"]
    check(place(first) >= place(before) and first["seed"] == before["seed"], f"kept {before}, began with {first}")
    equal((last["end"], last["phase"], last["errors"], last["interruptions"]), ("finished", PHASES[-1], 0, 1), "in the end")
    equal(decided(r), ["granted", "used-up", "finished"], "what was decided")
    data = rack.path.read_bytes()
    check(not any(data[:MIB]) and not any(data[-MIB:]) and any(data[4 * MIB:5 * MIB]), "written, and its ends zeroed")
    # Its ends are blank again: only the record stands between the same configuration and another burn-in.
    rack.path.write_bytes(bytes(24 * MIB))
    nothing_is_written(folder / "again", rack, "is used up")

    (folder / "fresh").mkdir()
    for behave in ("403", "forgets"):
        rack = Rack(folder / "fresh" / behave, Web(behave))
        r = nothing_is_written(folder / behave, rack, "could not be written")
        equal(decided(r), ["granted", "taken-back"], f"{behave}: what was decided")
        check("the server of `state`" in r.serial.findings("write-refused")[0]["seen"], "it says who does not keep it")
    rack = Rack(folder / "fresh" / "pin", Web(), pinned=False)
    nothing_is_written(folder / "pin", rack, "is not the one that")
