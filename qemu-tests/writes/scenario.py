"""Jobs that write, on three kinds of controllers: what is on the disks afterwards is looked at by the host with nothing
but the layout of the stamps; an unarmed disk beside them stays as it is.  A second boot verifies what was altered
underneath in the meantime."""
import hashlib
import struct

from scenario import boot, check, crc32c, equal, file_disk, sha256

tier, budget_s, timing = "quick", 40, False
MIB = 1 << 20
SIZE = 32 * MIB
HEADER = struct.Struct("<QQQQII")  # magic, LBA, job, seed, pass, CRC-32C of all but itself
MAGIC = 0x314d545350575342
DISKS = {
    "nvme0n1": "nvme,drive=d0,serial=WRITES-NVME",
    "sata0.0": "ide-hd,drive=d1,bus=ide.0,serial=WRITES-SATA",
    "megaraid0.vd0": "scsi-hd,drive=d2,bus=raid.0,scsi-id=0,serial=WRITES-RAID",
}
# As a look's journal names them.
IDENTITIES = ["WRITES-NVME/NSID-1", "WRITES-SATA/QEMU HARDDISK", "vendor.WRITES-RAID"]
UNARMED, UNARMED_DEVICE = "sata0.1", "ide-hd,drive=d3,bus=ide.1,serial=WRITES-NOT-ARMED"
CONF = "plan = jobs\njobs = jobs.fio\ncountdown_s = 0\ndata_check = no\n"
# All count from behind the guard's MiB: the first writes from 1 MiB to 9 MiB, the second lies next to it.
JOBS = """[global]
stonewall

[fill]
rw=write
bs=64k
iodepth=4
size=8m
verify=crc32c
{only}
[random]
rw=randwrite
bs=4k
iodepth=8
offset=8m
size=1m
verify=crc32c
{only}
"""
MIX = """[mix]
rw=randrw
rwmixread=70
bs=4k
iodepth=8
offset=20m
size=4m
"""
STAMPED = ((1 * MIB, 8 * MIB), (9 * MIB, 1 * MIB))
MIXED = (21 * MIB, 4 * MIB)


def make_disks(folder):
    args, paths = ["-device", "megasas-gen2,id=raid"], {}
    for i, (disk, device) in enumerate([*DISKS.items(), (UNARMED, UNARMED_DEVICE)]):
        paths[disk] = folder / f"d{i}.img"
        with open(paths[disk], "wb") as f:
            f.truncate(SIZE)
        args += [*file_disk(paths[disk], f"d{i}"), "-device", f"{device},id=dev{i}"]
    return args, paths


def arming_text(identities):
    lines = ["baresweep-arming 1", "batch 0000000000057a3f"]
    for i, identity in enumerate(identities):
        lines += [f"arming {i + 1:016x}", f"identity {identity}", "fingerprint blank", "found nothing"]
    digest = hashlib.sha256("".join(f"{x}\n" for x in lines).encode()).hexdigest()
    return "\n".join(lines) + f"\napproved 2026-11-30T14:00:00 by the scenario for {digest}\n"


def jobs_boot(folder, name, text, args, stick=None, **kw):
    (folder / "jobs.fio").write_text(text)
    return boot(folder / name, args, conf=CONF + kw.pop("conf", ""), stick=stick,
                files=[(folder / "jobs.fio", "jobs.fio"), *kw.pop("files", [])], **kw)


def check_stamps(disk, data):
    """Every LBA has its own number; the CRC of each 100th is made anew here."""
    for at, length in STAMPED:
        keys = set()
        for lba in range(at // 512, (at + length) // 512):
            block = data[lba * 512:lba * 512 + 512]
            magic, own, job, seed, number, crc = HEADER.unpack_from(block)
            check(magic == MAGIC and own == lba, f"{disk}: LBA {lba} has no stamp of its own: {block[:40].hex()}")
            keys.add((job, seed, number))
            if lba % 100 == 0:
                equal(crc, crc32c(block[:36] + block[40:]), f"{disk}: CRC-32C of LBA {lba}")
        equal(len(keys), 1, f"{disk}: stamps of one job, run and pass from byte {at}")


def check_written(r, disk, device, data):
    check_stamps(disk, data)
    at, length = MIXED
    blocks = sum(any(data[b:b + 4096]) for b in range(at, at + length, 4096))
    sides = {x["side"]: x for x in r.journal.all("step_side", disk=disk, job="mix")}
    equal(sides["read"]["ios"] + sides["write"]["ios"], length // 4096, f"{disk}: requests of the mix")
    equal(sides["write"]["ios"], blocks, f"{disk}: blocks that the mix wrote, and those that are not zero")
    # 1024 draws of 0.3: 14.7 is one deviation
    check(abs(blocks - 307) < 5 * 15, f"{disk}: the mix wrote {blocks} of 1024")
    inside = [(0, MIB), *STAMPED, MIXED]
    for begin, end in zip([a + n for a, n in inside], [a for a, _ in inside[1:]] + [SIZE]):
        check(not any(data[begin:end]), f"{disk}: something was written between byte {begin} and {end}")
    check(data.startswith(b"BARESWEEP MARK 1\n") and b"state finished" in data[:512], f"{disk}: {data[:80]}")
    written = 0
    for x in r.journal.all("writing", disk=disk):
        verifies = x["job"] != "mix"
        equal((x["verifies"], x["verify_complete"], x["bad_lbas"]), (verifies, verifies, 0), f"{disk}: {x}")
        equal(x["verified_bytes"], x["written_bytes"] if verifies else 0, f"{disk}: {x['job']} read back")
        equal(x["flushes"], 1, f"{disk}: flushes of {x['job']}")
        written += x["written_bytes"]
    equal(written, 9 * MIB + blocks * 4096, f"{disk}: bytes written, by the journal")
    # The guard's own: first and last MiB before the first write, the first one again at the end.
    equal(r.writes[device], written + 3 * MIB, f"{disk}: bytes written, by QEMU")


def alter(path, disk):
    """One byte turned over; one LBA over another; one as it was before any write."""
    with open(path, "r+b") as f:
        lba = {"nvme0n1": 2048 + 7777, "sata0.0": 2048, "megaraid0.vd0": 2048 + 8 * 2048 - 1}[disk]
        f.seek(lba * 512)
        block = bytearray(f.read(512))
        if disk == "nvme0n1":
            block[300] ^= 0x40
        elif disk == "sata0.0":
            f.seek((lba + 99) * 512)
            block = f.read(512)
        else:
            block = bytes(512)
        f.seek(lba * 512)
        f.write(block)
    # The first, the last and one in between of the region.
    return lba, {"nvme0n1": "corrupt", "sata0.0": "misdirected", "megaraid0.vd0": "lost"}[disk]


def run(folder):
    args, paths = make_disks(folder)
    before = sha256(paths[UNARMED])
    (folder / "arming.txt").write_text(arming_text(IDENTITIES))
    r = jobs_boot(folder, "write", JOBS.format(only="verify_after_reset") + MIX, args, conf="arm = arming.txt\n", expect=0,
                  files=[(folder / "arming.txt", "arming.txt")], may_write=["dev0", "dev1", "dev2"])
    for i, disk in enumerate(DISKS):
        device = next(d for d in r.writes if f"dev{i}" in d)
        check_written(r, disk, device, paths[disk].read_bytes())
        equal(r.journal.verdicts()[disk], "PASS", disk)
    resets = [x["subject"] for x in r.journal.findings("driver-remark") if "reset on request" in x["seen"]]
    equal(sorted(resets), ["nvme0"] * 2 + ["sata0"] * 2, "resets before reading back, of two jobs")
    equal([x["subject"] for x in r.journal.findings("verify-reset")], ["megaraid0.vd0"] * 2, "the card is flushed instead")
    equal(r.journal.verdicts()[UNARMED], "NOT-TESTED", UNARMED)
    refused = r.journal.all("not_tested", disk=UNARMED)
    equal([x["job"] for x in refused], ["fill", "random", "mix"], "jobs that the unarmed disk did not get")
    check(all("arming file does not name it" in x["why"] for x in refused), f"{refused}")
    equal(sha256(paths[UNARMED]), before, "SHA-256 of the unarmed disk")

    stick = folder / "write" / "stick.img"
    altered = {disk: alter(paths[disk], disk) for disk in DISKS}
    only = "verify_only\nfilename=" + ":".join(DISKS) + "\n"
    r = jobs_boot(folder, "verify", JOBS.format(only=only), args, stick, expect=1)
    for disk, (lba, kind) in altered.items():
        found = r.journal.all("verify_error", disk=disk)
        equal([(x["job"], x["lba"], x["kind"]) for x in found], [("fill", lba, kind)], f"{disk}: what is not as written")
        equal(r.journal.verdicts()[disk], "FAIL", disk)
        sound = r.journal.one("writing", disk=disk, job="random")
        equal((sound["verified_bytes"], sound["bad_lbas"]), (1 * MIB, 0), f"{disk}: the other job")
