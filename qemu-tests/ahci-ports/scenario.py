"""A CD drive, empty ports, a disk on the last port, a 512e disk: found quickly, named, swept with right data."""
import machine
from scenario import boot, check, check_data, equal, file_disk

tier, budget_s, timing = "quick", 30, False


def run(folder):
    last = machine.stamped_disk(folder / "last.img", (64 << 20) + 512, seed=1)
    emulated = machine.stamped_disk(folder / "e512.img", 64 << 20, seed=2)
    cd = machine.stamped_disk(folder / "cd.img", 4 << 20, seed=3)
    r = boot(folder / "boot", ["-device", "ich9-ahci,id=one", *file_disk(last, "last"),
                               "-device", "ide-hd,drive=last,bus=one.5,serial=LAST",
                               "-device", "ich9-ahci,id=two", *file_disk(cd, "cd"),
                               "-device", "ide-cd,drive=cd,bus=two.0", *file_disk(emulated, "e512"),
                               "-device", "ide-hd,drive=e512,bus=two.2,serial=E512,physical_block_size=4096"], expect=0)
    equal(sorted(r.journal.tested()), ["sata0.5", "sata1.2"], "disks")
    check_data(r, "sata0.5", last, 512)
    check_data(r, "sata1.2", emulated, 512)
    info = {d["name"]: d for d in r.journal.all("disk")}
    equal((info["sata1.2"]["lba_bytes"], info["sata1.2"]["physical_block_bytes"]), (512, 4096), "512e")
    remarks = " ".join(f["seen"] for f in r.journal.all("finding", subject="sata1"))
    check("ATAPI" in remarks or "CD" in remarks, f"the CD drive is named: {remarks}")
    first, last_line = r.journal.all("conf")[0], r.journal.all("plan")[0]
    scan_s = (last_line["t_ns"] - first["t_ns"]) / 1e9
    check(scan_s < 2, f"three HBAs with empty ports took {scan_s:.2f} s to scan")
