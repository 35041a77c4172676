"""The MegaRAID boots that more than one QEMU is asked for; each call of `boot` passes the keywords on."""
import machine
from scenario import QUICK_CONF, blkdebug_disk, boot, check, check_data, equal, file_disk

BAD = 4099
CARDS = {"megaraid0": ("1078", "LSI MegaRAID SAS 8708EM2"), "megaraid1": ("2108", "LSI MegaRAID SAS 9260-8i")}
BIG_BYTES = 3 << 40     # more blocks than 32 bits count; the file is a hole but for its ends


def drive(folder, name, bus, target, seed, extra="", size_bytes=64 << 20):
    path = machine.stamped_disk(folder / f"{name}.img", size_bytes, seed=seed)
    return path, [*file_disk(path, name),
                  "-device", f"scsi-hd,drive={name},bus={bus}.0,scsi-id={target},serial={name.upper()}{extra}"]


def check_big(r, disk, path):
    """The end of a disk that READ(10) does not reach."""
    check_data(r, disk, path, 512)
    last = max(x["first_lba"] for x in r.journal.all("data_crc", disk=disk))
    check(last >> 32, f"{disk}: nothing was compared beyond 2 TiB; the last checksum begins at LBA {last}")


def check_records(r, drives):
    """The lines about cards, virtual drives and drives.  drives: {card: number of drives}."""
    for name, count in drives.items():
        generation, product = CARDS[name]
        card = r.journal.one("raid_card", controller=name)
        equal((card["generation"], card["product"], card["memory_mib"]), (generation, product, 512), f"{name}: its line")
        check("QEMU" in card["package"] and card["serial"], f"{name}: package and serial number: {card}")
        # QEMU's info about a drive is that of the first one, and its state is always "offline".
        lines = r.journal.all("raid_drive", controller=name)
        equal(sorted(x["slot"] for x in lines), list(range(count)), f"{name}: slots of its drives")
        equal({x["state"] for x in lines}, {"not told"}, f"{name}: states of its drives")
    for x in r.journal.all("virtual_drive"):
        equal((x["level"], x["state"]), ("RAID 0", "optimal"), f"{x['disk']}: level and state")
    page = (r.folder / "report.html").read_text()
    for words in ("RAID cards", "Virtual drives and their policies", "Drives behind RAID cards", CARDS["megaraid0"][1]):
        check(words in page, f"the page lacks {words!r}")


def many(folder, **kw):
    """Eight drives behind a 1078, one of them of 3 TiB; behind a 2108 one with 4096-byte blocks and one of 3 TiB."""
    args, paths = ["-device", "megasas,id=eight"], {}
    for t in range(7):
        paths[f"megaraid0.vd{t}"], a = drive(folder, f"e{t}", "eight", t, t + 1)
        args += a
    big = {}
    big["megaraid0.vd7"], a = drive(folder, "e7", "eight", 7, 8, size_bytes=BIG_BYTES)
    path_4k, b = drive(folder, "big", "wide", 0, 20, ",logical_block_size=4096,physical_block_size=4096")
    big["megaraid1.vd1"], c = drive(folder, "huge", "wide", 1, 21, size_bytes=BIG_BYTES)
    r = boot(folder / "many", [*args, *a, "-device", "megasas-gen2,id=wide", *b, *c], expect=0, **kw)
    equal(sorted(r.journal.tested()), sorted([*paths, *big, "megaraid1.vd0"]), "virtual drives with results")
    for disk, path in paths.items():
        check_data(r, disk, path, 512)
    check_data(r, "megaraid1.vd0", path_4k, 4096)
    for disk, path in big.items():
        check_big(r, disk, path)
        equal(r.journal.one("virtual_drive", disk=disk)["size_bytes"], BIG_BYTES, f"{disk}: size")
    equal([d["lba_bytes"] for d in r.journal.all("disk", name="megaraid1.vd0")], [4096], "block size behind the card")
    check_records(r, {"megaraid0": 8, "megaraid1": 2})
    return r


def jbod_and_bare(folder, **kw):
    """Two drives in JBOD mode behind a 2108, and a 1078 without drives."""
    _, a = drive(folder, "jbod", "jb", 0, 30)
    _, b = drive(folder, "jbod2", "jb", 3, 31)
    r = boot(folder / "jbod", ["-device", "megasas-gen2,id=jb,use_jbod=on", *a, *b, "-device", "megasas,id=bare"],
             expect=0, **kw)
    tested = sorted(r.journal.tested())
    equal(len(tested), 2, f"JBOD drives with results: {tested}")
    equal(sorted(t.split(".")[0] for t in tested), ["megaraid0", "megaraid0"], "both on the first card")
    heads = {x["crc32c"] for x in r.journal.all("data_crc")}
    check(len(heads) > 3, "the two drives hold different data")
    said = " ".join(f["seen"] for f in r.journal.all("finding", subject="megaraid1"))
    check("no drive at all" in said, f"a card without drives says so: {said}")
    equal(r.journal.one("raid_card", controller="megaraid0")["generation"], "2108", "card of the JBOD drives")
    equal([x["exposed"] for x in r.journal.all("raid_drive", controller="megaraid0")], [1, 1], "drives shown to the host")
    equal(len(r.journal.all("virtual_drive")), 0, "lines of virtual drives")


def bad_sectors(folder, **kw):
    """One sector that cannot be read, behind each driver: recorded with its LBA, the run goes on, exit 1."""
    args = []
    for name in ("n", "s", "m", "g"):
        args += blkdebug_disk(machine.stamped_disk(folder / f"{name}.img", 64 << 20, 1 << 20), name, BAD)
    args += ["-device", "nvme,drive=n,serial=N1", "-device", "ich9-ahci,id=sata",
             "-device", "ide-hd,drive=s,bus=sata.0,serial=S1", "-device", "megasas,id=ma",
             "-device", "scsi-hd,drive=m,bus=ma.0", "-device", "megasas-gen2,id=mb",
             "-device", "scsi-hd,drive=g,bus=mb.0"]
    r = boot(folder, args, conf=QUICK_CONF, expect=1, **kw)
    for disk in ("nvme0n1", "sata0.0", "megaraid0.vd0", "megaraid1.vd0"):
        errors = r.journal.all("io_error", disk=disk)
        check(errors, f"{disk}: no error recorded")
        equal({(e["lba"], e["blocks"]) for e in errors}, {(BAD, 1)}, f"{disk}: located errors")
        equal(r.journal.verdicts()[disk], "FAIL", f"{disk}: verdict")
        check(len(r.journal.tested()[disk]) >= 15, f"{disk}: the run went on after the error")
        check(str(BAD) in r.summary, "the summary names the LBA")
