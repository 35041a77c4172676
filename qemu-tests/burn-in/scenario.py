"""A machine with three armed disks on three kinds of controllers is burnt in, killed three times on the way: each next
start resumes, and in the end they pass and are blank at head and tail."""
import hashlib
import re
import time

import machine
from scenario import Journal, boot, check, equal, file_disk

tier, budget_s, timing = "quick", 120, False
MIB = 1 << 20
SIZE = 24 * MIB
DISKS = {
    "nvme0n1": "nvme,drive=d0,serial=BURN-NVME",
    "sata0.0": "ide-hd,drive=d1,bus=ide.0,serial=BURN-SATA",
    "megaraid0.vd0": "scsi-hd,drive=d2,bus=raid.0,scsi-id=0,serial=BURN-RAID",
}
LOOK = "plan = jobs\njobs = look.fio\ncountdown_s = 0\ndata_check = no\n"
CONF = ("plan = burn-in\narm = arming.txt\ncountdown_s = 0\ndata_check = no\nburn_in_checkpoint_s = 1\n"
        "burn_in_budget_s = 60\nattended = no\n")
WRITE = re.compile(rb'"ev":"burn_in","phase":"(write|verify|verify-back|random)"[^\r\n]*"position":[1-9]')


def make_disks(folder):
    args = ["-device", "megasas-gen2,id=raid"]
    paths = {}
    for i, (disk, device) in enumerate(DISKS.items()):
        path = folder / f"d{i}.img"
        with open(path, "wb") as f:
            f.truncate(SIZE)
        paths[disk] = path
        args += [*file_disk(path, f"d{i}"), "-device", f"{device},id=dev{i}"]
    return args, paths


def arming_text(identities):
    lines = ["baresweep-arming 1", "batch 00000000b0a70001"]
    for i, identity in enumerate(identities):
        lines += [f"arming {i + 1:016x}", f"identity {identity}", "fingerprint blank", "found nothing"]
    digest = hashlib.sha256("".join(f"{x}\n" for x in lines).encode()).hexdigest()
    return "\n".join(lines) + f"\napproved 2026-11-30T14:00:00 by the scenario for {digest}\n"


def killed(folder, args, stick, first, files):
    """Boots and pulls the plug once a checkpoint of new work is on the medium."""
    m = machine.Machine(folder, disks=args, conf=CONF, stick=stick, files=files).start()
    try:
        begun = m.wait_for(WRITE, 120)
        check(begun, "no checkpoint: " + m.serial_bytes()[-1500:].decode(errors="replace"))
        time.sleep(1.3)
    finally:
        m.kill()
    text = m.serial_bytes()
    check(not machine.LAST_LINE.search(text), "killed too late")
    resumed = Journal(text).all("finding", code="burn-in-resumed")
    equal(len(resumed), 0 if first else len(DISKS), "drives that resumed")


def run(folder):
    args, paths = make_disks(folder)
    (folder / "look.fio").write_text("[look]\nrw=read\nbs=64k\nio_size=64k\n")
    r = boot(folder / "look", args, conf=LOOK, expect=0, files=[(folder / "look.fio", "look.fio")])
    identities = [x["identity"] for x in r.journal.all("disk") if x["name"] in DISKS]
    equal(len(identities), len(DISKS), "disks with an identity")
    stick = folder / "look" / "stick.img"
    (folder / "arming.txt").write_text(arming_text(identities))
    files = [(folder / "arming.txt", "arming.txt")]

    for k in range(3):
        killed(folder / f"kill{k}", args, stick, k == 0, files)
    r = boot(folder / "end", args, conf=CONF, stick=stick, files=files, expect=0, timeout_s=200,
             may_write=["dev0", "dev1", "dev2"])
    last = {x["disk"]: x for x in r.journal.all("burn_in")}
    for disk, path in paths.items():
        s = last[disk]
        equal((s["end"], s["phase"], s["errors"], s["interruptions"]), ("finished", "done", 0, 3), disk)
        equal(s["verified_blocks"], s["blocks"], f"{disk}: blocks verified")
        equal(r.journal.verdicts()[disk], "PASS", disk)
        data = path.read_bytes()
        check(not any(data[:MIB]) and not any(data[-MIB:]), f"{disk}: head or tail is not zero")
        check(any(data[4 * MIB:5 * MIB]), f"{disk}: nothing was written to it")
    check(s["written_bytes"] <= 2 * SIZE, f"at most two drive writes: {s['written_bytes']}")
