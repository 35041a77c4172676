"""One sector that cannot be read, behind each driver: recorded with its LBA, the run goes on, exit 1."""
import machine
from scenario import QUICK_CONF, blkdebug_disk, boot, check, equal

tier, budget_s, timing = "quick", 60, False
BAD = 4099


def run(folder):
    args = []
    for name in ("n", "s", "m", "g"):
        args += blkdebug_disk(machine.stamped_disk(folder / f"{name}.img", 64 << 20, 1 << 20), name, BAD)
    args += ["-device", "nvme,drive=n,serial=N1", "-device", "ich9-ahci,id=sata",
             "-device", "ide-hd,drive=s,bus=sata.0,serial=S1", "-device", "megasas,id=ma",
             "-device", "scsi-hd,drive=m,bus=ma.0", "-device", "megasas-gen2,id=mb",
             "-device", "scsi-hd,drive=g,bus=mb.0"]
    r = boot(folder, args, conf=QUICK_CONF, expect=1)
    for disk in ("nvme0n1", "sata0.0", "megaraid0.vd0", "megaraid1.vd0"):
        errors = r.journal.all("io_error", disk=disk)
        check(errors, f"{disk}: no error recorded")
        equal({(e["lba"], e["blocks"]) for e in errors}, {(BAD, 1)}, f"{disk}: located errors")
        equal(r.journal.verdicts()[disk], "FAIL", f"{disk}: verdict")
        check(len(r.journal.tested()[disk]) >= 15, f"{disk}: the run went on after the error")
        check(str(BAD) in r.summary, "the summary names the LBA")
