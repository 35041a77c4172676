#!/usr/bin/env python3
"""Boots the stick image in QEMU with a few disks, walks through all screens by keys and saves them as docs/screen-*.png."""
import re
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "qemu-tests"))
import machine  # noqa: E402
from scenario import blkdebug_disk, file_disk  # noqa: E402

DOCS = ROOT / "docs"
CONF = "plan = jobs\njobs = all.fio\ncountdown_s = 60\nend_screen_s = 60\n"
SMBIOS = ["-smbios", "type=0,vendor=Example,version=2.9.0,date=01/09/2020",
          "-smbios", "type=1,manufacturer=Example,product=Storage Server 24,serial=ABC1234"]


JOBS = "[global]\nrw=read\niodepth=4\ntime_based\n" + "".join(
    f"[seq-{bs}]\nstonewall\nbs={bs}\nruntime={s}\n" for bs, s in
    [("4k", 1), ("8k", 1), ("16k", 1), ("32k", 1), ("64k", 1), ("128k", 1), ("256k", 1), ("512k", 60)])


def disks(folder):
    args = []
    for i in range(4):
        args += [*file_disk(machine.stamped_disk(folder / f"n{i}.img", 256 << 20, seed=i + 1), f"n{i}"),
                 "-device", f"nvme,drive=n{i},serial=S6CSNA0T30012{i}"]
    args += ["-device", "ich9-ahci,id=sata"]
    for i in range(6):
        image = machine.stamped_disk(folder / f"s{i}.img", 256 << 20, seed=i + 11)
        disk = blkdebug_disk(image, f"s{i}", 50000) if i == 3 else file_disk(image, f"s{i}")
        args += [*disk, "-device", f"ide-hd,drive=s{i},bus=sata.{i},serial=WD-WCC7K0{i}154,model=WDC WD40EFRX-68N32N0"]
    return args


def wait(m, pattern, timeout_s=200):
    if not m.wait_for(re.compile(pattern), timeout_s):
        raise SystemExit(f"no line like {pattern!r} on serial; see {m.serial}")


def walk(m, shot):
    wait(m, rb"starts by itself")
    time.sleep(1)
    shot("start")
    m.press("down")
    wait(m, rb"the menu is open")
    time.sleep(1)
    shot("menu")
    m.press("down", "ret", "down", "down", "down")
    shot("menu-disks")
    m.press("ret")
    shot("menu-disk")
    m.press("esc", "esc", "down", "ret", "down")
    shot("menu-plans")
    m.press("esc", "f1")
    shot("help")
    m.press("esc", "home", "ret")
    wait(m, rb"# step 8/")
    time.sleep(20)
    shot("live")
    m.press("end", *["up"] * 4, "ret")
    time.sleep(10)                                            # pictures are rare in an emulator: docs/screen.md
    shot("disk")
    m.press("esc")
    time.sleep(2)
    m.press("esc")
    wait(m, rb"Stop this run\?")
    m.press("s", "t", "o")
    shot("question")
    m.press("esc")
    m.wait_end(200)
    time.sleep(1)
    shot("end")


def stop(m, shot):
    """A run that a person stops in its last step, at 80 x 25."""
    wait(m, rb"starts by itself")
    m.press("down")
    wait(m, rb"the menu is open")
    m.press("ret")
    wait(m, rb"# step 8/")
    time.sleep(8)
    shot("live-80x25")
    m.press("esc")
    wait(m, rb"Type the word stop")
    m.press("s", "t", "o", "p", "ret", every_s=0.3)
    m.wait_end(200)
    time.sleep(1)
    shot("end-80x25")


def resume(m, shot):
    wait(m, rb"starts by itself")
    time.sleep(1)
    shot("start-resume")
    m.press("down")
    wait(m, rb"the menu is open")
    m.press("down")
    time.sleep(1)
    shot("menu-resume")


def main():
    with tempfile.TemporaryDirectory() as folder:
        jobs = Path(folder) / "all.fio"
        jobs.write_text(JOBS)
        args = disks(Path(folder))
        stick = None
        for name, keys, conf in (("walk", walk, CONF), ("stop", stop, CONF + "screen_size = 80x25\n"),
                                 ("resume", resume, None)):
            kept = {"stick": stick, "conf": None} if conf is None else {"conf": conf, "files": [(jobs, "all.fio")]}
            m = machine.Machine(Path(folder) / name, disks=args, extra=SMBIOS, **kept)
            m.start()
            try:
                keys(m, lambda shown, m=m: m.screendump(DOCS / f"screen-{shown}.png"))
            finally:
                m.quit()
            stick = m.stick


main()
