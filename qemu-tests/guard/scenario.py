"""The write guard: what disks hold is named through NVMe, SATA and MegaRAID and stays as it is; what was armed for other
content is refused; one blank disk of each kind is written, once; after an installation on them they are refused."""
import hashlib
import os
import sys

from machine import ROOT
from scenario import boot, check, equal, file_disk

sys.path.insert(0, str(ROOT / "tests/guard"))
import images  # noqa: E402

tier, budget_s, timing = "quick", 120, False
# name: (image, device and its place); made by the real tools or, where these cannot run here, by recipe
DISKS = {
    "nvme0n1": ("ext4", "nvme,drive={n},serial=GUARD-NVME-0"),
    "nvme1n1": ("gpt-ext4", "nvme,drive={n},serial=GUARD-NVME-1"),
    "nvme2n1": ("", "nvme,drive={n},serial=GUARD-NVME-2"),
    "sata0.0": ("ntfs", "ide-hd,drive={n},bus=ide.0,serial=GUARD-SATA-0"),
    "sata0.1": ("luks2", "ide-hd,drive={n},bus=ide.1,serial=GUARD-SATA-1"),
    "sata0.2": ("md-1.2", "ide-hd,drive={n},bus=ide.2,serial=GUARD-SATA-2"),
    "sata0.3": ("", "ide-hd,drive={n},bus=ide.3,serial=GUARD-SATA-3"),
    "sata0.4": ("", "ide-hd,drive={n},bus=ide.4,serial=GUARD-SATA-4"),
    "megaraid0.vd0": ("lvm2", "scsi-hd,drive={n},bus=raid.0,scsi-id=0,serial=GUARD-RAID-0"),
    "megaraid0.vd1": ("zfs-label-3", "scsi-hd,drive={n},bus=raid.0,scsi-id=1,serial=GUARD-RAID-1"),
    "megaraid0.vd2": ("btrfs", "scsi-hd,drive={n},bus=raid.0,scsi-id=2,serial=GUARD-RAID-2"),
    "megaraid0.vd3": ("", "scsi-hd,drive={n},bus=raid.0,scsi-id=3,serial=GUARD-RAID-3"),
}
WRITTEN = ("nvme2n1", "sata0.3", "megaraid0.vd3")  # armed by 4, 5, 6
MIB = 1 << 20
READ_JOBS = "[look]\nrw=read\nbs=64k\nio_size=1m\n"
# Both count from behind the mark's MiB: that stays.
WRITE_JOBS = ("[global]\nrw=write\nbs=64k\niodepth=4\n[fill]\noffset=4m\nsize=8m\nio_size=8m\n"
              "[low]\nstonewall\nsize=2m\nio_size=1m\n")


def digest(path):
    """SHA-256 of what is not zero, with its places: the disks are large and nearly empty."""
    h, zeros = hashlib.sha256(), bytes(1 << 16)
    with open(path, "rb") as f:
        at = 0
        while True:
            try:
                at = os.lseek(f.fileno(), at, os.SEEK_DATA) >> 16 << 16
            except OSError:  # no data behind it
                return h.hexdigest()
            f.seek(at)
            block = f.read(len(zeros))
            if block.strip(b"\0"):
                h.update(b"%d " % at + block)
            at += len(zeros)


def node(disk):
    return disk.replace(".", "-")


def make_disks(folder):
    args, paths = ["-device", "megasas-gen2,id=raid"], {}
    for disk, (image, device) in DISKS.items():
        if image:
            path = images.make(image, folder)
        else:
            path = folder / f"blank-{node(disk)}"
            with open(path, "wb") as f:
                f.truncate(images.SIZE)
        paths[disk] = path
        args += [*file_disk(path, node(disk)), "-device", device.format(n=node(disk)) + f",id=dev-{node(disk)}"]
    return args, paths


def arming_text(armed, approve=True):
    """armed: [(id, identity, fingerprint)].  The file as docs/safety.md describes it, written independently."""
    lines = ["baresweep-arming 1", "batch 00000000ba7c0001"]
    for arming_id, identity, fingerprint in armed:
        lines += [f"arming {arming_id}", f"identity {identity}", f"fingerprint {fingerprint}", "found as seen"]
    digest = hashlib.sha256("".join(f"{x}\n" for x in lines).encode()).hexdigest()
    if approve:
        lines.append(f"approved 2026-11-30T14:00:00 by the scenario for {digest}")
    return "\n".join(lines) + "\n"


def decisions(result):
    """{disk: (last decision, reason)}"""
    return {x["disk"]: (x["decision"], x["why"]) for x in result.journal.all("write_permit")}


def look_boot(folder, args, paths):
    (folder / "look.fio").write_text(READ_JOBS)
    r = boot(folder / "look", args, conf="plan = jobs\njobs = look.fio\ncountdown_s = 0\ndata_check = no\n", expect=0,
             files=[(folder / "look.fio", "look.fio")])
    contents = {x["disk"]: x for x in r.journal.all("content")}
    equal(sorted(contents), sorted(DISKS), "disks with a content line")
    for disk, (image, _) in DISKS.items():
        c = contents[disk]
        if not image:
            equal((c["state"], c["fingerprint"]), ("blank", "blank"), disk)
            continue
        equal(c["state"], "found", f"{disk}: {c}")
        for words in images.IMAGES[image][2]:
            check(words in c["found"].split("; "), f"{disk} ({image}): \"{words}\" is not in \"{c['found']}\"")
    check(not r.journal.all("write_permit"), "without an arming file nothing is decided, nothing is armed")
    return contents


def write_boot(folder, name, args, stick, arming, **kw):
    (folder / "arming.txt").write_text(arming)
    (folder / "write.fio").write_text(WRITE_JOBS)
    return boot(folder / name, args, conf="plan = jobs\njobs = write.fio\narm = arming.txt\ncountdown_s = 0\n", stick=stick,
                files=[(folder / "write.fio", "write.fio"), (folder / "arming.txt", "arming.txt")],
                may_write=[f"dev-{node(d)}" for d in WRITTEN], **kw)


def check_written(path, arming_id):
    """The mark, what the two jobs wrote, and zeros everywhere else."""
    data = open(path, "rb").read(16 * MIB)
    check(data.startswith(b"BARESWEEP MARK 1\narming %016x\n" % arming_id) and b"state finished" in data[:512],
          f"{path}: the mark: {data[:120]}")
    check(not any(data[512:MIB]), f"{path}: the rest of the mark's MiB is zero")
    written = [any(data[at:at + 4096]) for at in range(MIB, 16 * MIB, 4096)]
    want = [at < 2 * MIB or 5 * MIB <= at < 13 * MIB for at in range(MIB, 16 * MIB, 4096)]
    equal(written, want, f"{path}: 4 KiB blocks that hold data")


def check_refusals(said):
    for disk, words in {"nvme0n1": "ext4", "sata0.0": "NTFS", "megaraid0.vd0": "LVM2"}.items():
        equal(said[disk][0], "refused", f"{disk}: {said[disk]}")
        check("does not hold what was armed" in said[disk][1] and words in said[disk][1], f"{disk}: {said[disk]}")
    for disk in ("nvme1n1", "sata0.1", "sata0.4", "megaraid0.vd2"):
        equal(said[disk][0], "refused", f"{disk}: {said[disk]}")
        check("the arming file does not name it" in said[disk][1], f"{disk}: {said[disk]}")


def run(folder):
    args, paths = make_disks(folder)
    before = {d: digest(p) for d, p in paths.items()}
    contents = look_boot(folder, args, paths)
    equal({d: digest(p) for d, p in paths.items()}, before, "SHA-256 of the disks after a look")
    stick = folder / "look" / "stick.img"

    def armed(disk, number, fingerprint=None):
        c = contents[disk]
        check(c["identity"], f"{disk} has an identity")
        return f"{number:016x}", c["identity"], fingerprint or c["fingerprint"]

    wrong = "0" + contents["nvme0n1"]["fingerprint"][1:]
    if wrong == contents["nvme0n1"]["fingerprint"]:
        wrong = "1" + wrong[1:]
    arming = arming_text([armed("nvme0n1", 1, wrong), armed("sata0.0", 2, "blank"),
                          armed("megaraid0.vd0", 3, contents["megaraid0.vd1"]["fingerprint"]),
                          *(armed(disk, 4 + i) for i, disk in enumerate(WRITTEN))])
    r = write_boot(folder, "write", args, stick, arming, expect=0)
    check_refusals(decisions(r))
    equal(r.journal.tested(), {d: ["fill", "low"] for d in WRITTEN}, "jobs with a result")
    refused = {x["disk"]: x["why"] for x in r.journal.all("not_tested", job="fill")}
    check("there is now: ext4" in refused["nvme0n1"], f"the refused job says what the guard said: {refused}")
    for i, disk in enumerate(WRITTEN):
        steps = [x["decision"] for x in r.journal.all("write_permit", disk=disk)]
        equal(steps, ["granted", "used-up", "finished"], f"{disk}: what was decided")
        check_written(paths[disk], 4 + i)
    after = {d: digest(p) for d, p in paths.items()}
    equal([d for d in DISKS if after[d] != before[d]], [d for d in DISKS if d in WRITTEN], "disks that changed")

    # The reinstall trap: something is installed, and the machine boots the same configuration once more.
    for disk in WRITTEN:
        images.run("mke2fs", "-q", "-F", "-t", "ext4", "-E", "lazy_itable_init=1", paths[disk])
    before = {d: digest(p) for d, p in paths.items()}
    r = write_boot(folder, "again", args, stick, arming, expect=0)
    said = decisions(r)
    for disk in WRITTEN:
        equal(said[disk][0], "refused", f"{disk}: {said[disk]}")
        check("is used up" in said[disk][1], f"{disk}: {said[disk]}")
    check(not any(r.writes.values()), f"QEMU counts writes: {r.writes}")
    equal(r.journal.tested(), {}, "jobs with a result")
    equal({d: digest(p) for d, p in paths.items()}, before, "SHA-256 of the disks after the second start")
