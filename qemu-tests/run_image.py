"""./run: boots the built image in QEMU, shows its progress, copies the results, prints the summary."""
import argparse
import shutil
import subprocess
import sys
import time
from pathlib import Path

import machine

ROOT = machine.ROOT
EXITS = """exit status:
  0  PASS, WARN, or nothing to measure (the summary says which)
  1  FAIL, ABORTED, or something expected was missing
  2  a configuration or job line was refused (the rest ran)
  3  crash, hang or time-out

After `--` QEMU arguments replace the default disks, for example
  ./run -- -blockdev driver=file,filename=d.img,node-name=d -device nvme,drive=d,serial=X"""
DEFAULT_CONF = """# Times are scaled down: this is a demonstration on emulated disks, whose speed means nothing.
time_scale_pct = 4
"""


def default_disks(folder):
    """An NVMe drive, two SATA disks, a MegaRAID 1078 with two virtual drives and a 2108 with one."""
    def disk(name, mib, seed):
        path = machine.stamped_disk(folder / f"{name}.img", mib << 20, seed=seed)
        return ["-blockdev", f"driver=file,filename={path},node-name={name}"]
    return [*disk("nvme-a", 1024, 1), "-device", "nvme,drive=nvme-a,serial=NVME0001",
            "-device", "ich9-ahci,id=sata",
            *disk("sata-a", 1024, 2), "-device", "ide-hd,drive=sata-a,bus=sata.0,serial=SATA0001,rotation_rate=7200",
            *disk("sata-b", 1024, 3), "-device", "ide-hd,drive=sata-b,bus=sata.1,serial=SATA0002,rotation_rate=1",
            "-device", "megasas,id=mega",
            *disk("vd-a", 1024, 4), "-device", "scsi-hd,drive=vd-a,bus=mega.0,scsi-id=0,serial=VD0001",
            *disk("vd-b", 1024, 5), "-device", "scsi-hd,drive=vd-b,bus=mega.0,scsi-id=1,serial=VD0002",
            "-device", "megasas-gen2,id=mega2",
            *disk("vd-c", 1024, 6), "-device", "scsi-hd,drive=vd-c,bus=mega2.0,scsi-id=0,serial=VD0003"]


def parse(argv):
    argv, qemu = (argv[:argv.index("--")], argv[argv.index("--") + 1:]) if "--" in argv else (argv, None)
    p = argparse.ArgumentParser(prog="./run", epilog=EXITS, formatter_class=argparse.RawDescriptionHelpFormatter,
                                description=__doc__.split(":", 1)[1].strip())
    p.add_argument("--out", default="out/run", metavar="DIR", help="where results go (default out/run)")
    p.add_argument("--conf", metavar="FILE", help="baresweep.conf to put into a copy of the image")
    p.add_argument("--jobs", metavar="FILE", help="fio job file to run instead of the default plan")
    p.add_argument("--stick", metavar="FILE", help="boot this stick image itself (it is written to)")
    p.add_argument("--timeout", type=float, default=900, metavar="S", help="seconds until the run counts as hung (900)")
    p.add_argument("--no-build", action="store_true", help="take the image as it is")
    p.add_argument("--serial", metavar="FILE", help="copy of the serial log")
    p.add_argument("--screenshot", metavar="FILE", help="PNG of the screen at the end")
    o = p.parse_args(argv)
    o.qemu = qemu
    for name in ("conf", "jobs", "stick"):
        if getattr(o, name) and not Path(getattr(o, name)).is_file():
            p.error(f"--{name} {getattr(o, name)}: no such file")
    return o


def configuration(o):
    text = Path(o.conf).read_text() if o.conf else DEFAULT_CONF
    return text + ("\nplan = jobs\njobs = jobs.fio\n" if o.jobs else "")


def show_progress(pending=[b""]):
    def show(text):
        *lines, pending[0] = (pending[0] + text).split(b"\n")
        for line in lines:
            if line.startswith(b"# "):
                print("  " + line[2:].decode(errors="replace").rstrip(), flush=True)
    return show


def main():
    o = parse(sys.argv[1:])
    out = Path(o.out)
    work = out / "machine"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    disks = o.qemu if o.qemu is not None else default_disks(work)
    own_stick = o.stick is None
    if not own_stick and (o.conf or o.jobs):
        sys.exit("./run: --conf and --jobs go into a copy of the image; with --stick put them on that stick")
    m = machine.Machine(work, stick=o.stick, disks=disks, conf=configuration(o) if own_stick else None,
                        files=[(o.jobs, "jobs.fio")] if o.jobs else [])
    print("booting; serial lines from the application:", flush=True)
    started = time.monotonic()
    m.start()
    code = m.wait_end(o.timeout, show_progress())
    if code != 3:
        if o.screenshot:
            time.sleep(1)
            m.screendump(o.screenshot)
        written = {k: v for k, v in m.writes().items() if v}
        if written:
            print(f"QEMU counts writes to disks under test: {written}")
            code = 3
    m.quit()
    if o.serial:
        shutil.copy(m.serial, o.serial)
    shutil.copy(m.serial, out / "serial.log")
    return finish(o, out, m, code, time.monotonic() - started)


def finish(o, out, m, code, seconds):
    if code == 3:
        print(f"the run did not come to its end after {seconds:.0f} s; serial log: {out / 'serial.log'}; its end:")
        print(m.serial_bytes()[-1500:].decode(errors="replace"))
    folder = m.fetch(out / "stick")
    journal = folder / "journal.ndjson" if folder else out / "serial.log"
    if folder:
        for name in ("journal.ndjson", "summary.txt", "report.html", "results.csv", "fio.json", "junit.xml"):
            if (folder / name).exists():
                shutil.copy(folder / name, out / name)
    (ROOT / "out" / "journal-tool").exists() and subprocess.run([str(ROOT / "out" / "journal-tool"), "summary", str(journal)])
    print(f"results: {folder or journal}   run took {seconds:.0f} s   exit {code}")
    return code


if __name__ == "__main__":
    sys.exit(main())
