"""What the burn-in scenarios share: blank armed disks, and machines that are killed while they burn in."""
import hashlib
import json
import re
import time

import gpt
import machine
from scenario import Journal, check, equal, file_disk

MIB = 1 << 20
SIZE = 24 * MIB
# name: (device, the identity by which it is armed)
THREE = {
    "nvme0n1": ("nvme,drive={n},serial=BURN-NVME0", "BURN-NVME0/NSID-1"),
    "sata0.0": ("ide-hd,drive={n},bus=ide.0,serial=BURN-SATA", "BURN-SATA/QEMU HARDDISK"),
    "megaraid0.vd0": ("scsi-hd,drive={n},bus=raid.0,scsi-id=0,serial=BURN-RAID", "vendor.BURN-RAID"),
}
PHASES = ["snapshot", "short-test", "surface", "surface-again", "capacity", "write", "reset", "verify", "verify-back", "random",
          "long-test", "delta", "clear", "done"]
STATE = re.compile(rb'\{"v":1,[^\r\n]*"ev":"burn_in",[^\r\n]*\}')
PROMISED = re.compile(rb"# on the medium up to seq (\d+)")


def conf(budget_s, more=""):
    """A checkpoint every quarter of a second; all phases together take a quarter of budget_s at most."""
    return ("plan = burn-in\narm = arming.txt\ncountdown_s = 0\ndata_check = no\nburn_in_checkpoint_s = 1\n"
            f"time_scale_pct = 25\nburn_in_budget_s = {budget_s}\nattended = no\n{more}")


def arming_text(identities):
    lines = ["baresweep-arming 1", "batch 00000000b0a70001"]
    for i, identity in enumerate(identities):
        lines += [f"arming {i + 1:016x}", f"identity {identity}", "fingerprint blank", "found nothing"]
    digest = hashlib.sha256("".join(f"{x}\n" for x in lines).encode()).hexdigest()
    return "\n".join(lines) + f"\napproved 2026-11-30T14:00:00 by the scenario for {digest}\n"


def place(state):
    """How far a drive is: comparable."""
    return PHASES.index(state["phase"]), state["position"]


def states(text):
    """Every whole line about a burn-in, in order."""
    return [json.loads(x) for x in STATE.findall(text)]


def has_written(text):
    """Some drive writes, or is past that: a fast machine writes all of a small disk between two checkpoints."""
    return any(place(x) > (PHASES.index("write"), 0) for x in states(text))


def newest(lines):
    return {x["disk"]: x for x in lines}


def oldest(lines):
    return {x["disk"]: x for x in reversed(lines)}


def promised(text):
    """The newest state of each drive of which the run said that the medium has it."""
    seqs = PROMISED.findall(text)
    return newest([x for x in states(text) if x["seq"] <= int(seqs[-1])]) if seqs else {}


class Bench:
    """Blank disks, their arming file and a stick that stays the same from boot to boot."""

    def __init__(self, folder, disks=None, budget_s=200, size=SIZE):
        self.folder, self.disks, self.paths, self.stick = folder, disks or THREE, {}, None
        self.args, self.may_write, self.before = ["-device", "megasas-gen2,id=raid"], [], {}
        self.conf = conf(budget_s)
        for i, (disk, (device, _)) in enumerate(self.disks.items()):
            self.paths[disk] = folder / f"d{i}.img"
            with open(self.paths[disk], "wb") as f:
                f.truncate(size)
            self.args += [*file_disk(self.paths[disk], f"d{i}"), "-device", device.format(n=f"d{i}") + f",id=dev{i}"]
            self.may_write.append(f"dev{i}")
        self.arming = folder / "arming.txt"
        self.arming.write_text(arming_text([identity for _, identity in self.disks.values()]))
        self.files = [(self.arming, "arming.txt")]

    def wait(self, m, good, timeout_s, what):
        """Until good(text of the serial line) holds; the text."""
        end = time.monotonic() + timeout_s
        while True:
            text = m.serial_bytes()
            if good(text):
                return text
            check(not machine.LAST_LINE.search(text), f"the run ended before {what}")
            check(m.process.poll() is None and time.monotonic() < end,
                  f"no {what}: " + text[-1500:].decode(errors="replace"))
            time.sleep(0.05)

    def started(self, text):
        """Each drive was resumed where the killed run had promised, or later."""
        first = oldest(states(text))
        equal(sorted(first), sorted(self.disks), "drives that began")
        for disk, old in self.before.items():
            check(place(first[disk]) >= place(old) and first[disk]["seed"] == old["seed"],
                  f"{disk}: {old} was on the medium, it began with {first[disk]}")
            equal(first[disk]["interruptions"], old["interruptions"] + 1, f"{disk}: interruptions")

    def kill(self, name, good, sleep_s=0.0):
        """Boots, waits until good(states of that boot) holds on the medium, pulls the plug.  The states then."""
        m = machine.Machine(self.folder / name, disks=self.args, conf=self.conf, stick=self.stick, files=self.files)
        self.stick = m.stick
        m.start()
        try:
            self.wait(m, lambda text: promised(text) and good(states(text), promised(text)), 200, "state to be killed in")
            time.sleep(sleep_s)
        finally:
            m.kill()
        text = m.serial_bytes()
        check(not machine.LAST_LINE.search(text), "killed too late")
        self.started(text)
        self.before = promised(text)
        resumed = {x["subject"] for x in Journal(text).findings("burn-in-resumed")}
        equal(sorted(resumed), sorted(self.disks) if name != "kill0" else [], "drives that resumed")
        equal(gpt.fsck_clean(self.stick), "", "fsck.fat")
        return self.before

    def went_on(self, lines, now):
        """All sound drives are further than where this boot began."""
        first = oldest(lines)
        return all(disk in now and place(now[disk]) > place(first[disk]) for disk in THREE)

    def passed(self, disk, journal, interruptions):
        s = newest(journal.all("burn_in"))[disk]
        equal((s["end"], s["phase"], s["errors"], s["interruptions"]), ("finished", "done", 0, interruptions), disk)
        equal(s["verified_blocks"], s["blocks"], f"{disk}: blocks verified")
        equal(journal.verdicts()[disk], "PASS", disk)
        data = self.paths[disk].read_bytes()
        check(not any(data[:MIB]) and not any(data[-MIB:]), f"{disk}: head or tail is not zero")
        check(any(data[4 * MIB:5 * MIB]), f"{disk}: nothing was written to it")
        check(s["written_bytes"] <= 2 * len(data), f"{disk}: at most two drive writes: {s['written_bytes']}")
