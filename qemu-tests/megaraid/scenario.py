"""MegaRAID: eight drives behind one card, 4096-byte blocks, JBOD mode, a card without drives."""
import machine
from scenario import boot, check, check_data, equal, file_disk

tier, budget_s, timing = "quick", 60, False


def drive(folder, name, bus, target, seed, extra=""):
    path = machine.stamped_disk(folder / f"{name}.img", 64 << 20, seed=seed)
    return path, [*file_disk(path, name),
                  "-device", f"scsi-hd,drive={name},bus={bus}.0,scsi-id={target},serial={name.upper()}{extra}"]


def run(folder):
    args, paths = ["-device", "megasas,id=eight"], {}
    for t in range(8):
        paths[f"megaraid0.vd{t}"], a = drive(folder, f"e{t}", "eight", t, t + 1)
        args += a
    path_4k, a = drive(folder, "big", "wide", 0, 20, ",logical_block_size=4096,physical_block_size=4096")
    args += ["-device", "megasas-gen2,id=wide", *a]
    r = boot(folder / "many", args, expect=0)
    equal(sorted(r.journal.tested()), [*sorted(paths), "megaraid1.vd0"], "virtual drives with results")
    for disk, path in paths.items():
        check_data(r, disk, path, 512)
    check_data(r, "megaraid1.vd0", path_4k, 4096)
    equal([d["lba_bytes"] for d in r.journal.all("disk", name="megaraid1.vd0")], [4096], "block size behind the card")

    path_j, a = drive(folder, "jbod", "jb", 0, 30)
    path_k, b = drive(folder, "jbod2", "jb", 3, 31)
    r = boot(folder / "jbod", ["-device", "megasas-gen2,id=jb,use_jbod=on", *a, *b, "-device", "megasas,id=bare"],
             expect=0)
    tested = sorted(r.journal.tested())
    equal(len(tested), 2, f"JBOD drives with results: {tested}")
    equal(sorted(t.split(".")[0] for t in tested), ["megaraid0", "megaraid0"], "both on the first card")
    heads = {x["crc32c"] for x in r.journal.all("data_crc")}
    check(len(heads) > 3, "the two drives hold different data")
    said = " ".join(f["seen"] for f in r.journal.all("finding", subject="megaraid1"))
    check("no drive at all" in said, f"a card without drives says so: {said}")
