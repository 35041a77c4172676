"""A person is asked before anything is written: after the choice of disks is final, for the disks that the plan will
write.  A wrong word and Esc: not written.  The word: those disks are written, one that was chosen in the menu, too; one
that got other content while the person typed is not."""
import re

from scenario import boot, check, equal, file_disk, sha256

tier, budget_s, timing = "quick", 60, False
CONF = ("plan = jobs\njobs = write.fio\narm = arming.txt\nattended = yes\ninclude = sata0.0\n"
        "countdown_s = 60\nend_screen_s = 1\ndata_check = no\n")
JOBS = "[fill]\nrw=write\nbs=64k\nsize=4m\nio_size=4m\n"
MIB, WORD = 1 << 20, "OVERWRITE"


def wait(m, pattern, timeout_s=90):
    check(m.wait_for(re.compile(pattern), timeout_s), f"no line like {pattern!r} on serial")


def begin(m, *keys):
    """Into the menu, there the keys, and then Run now."""
    wait(m, rb"starts by itself in 60 s")
    m.press("down")
    wait(m, rb"the menu is open")
    check(b"Type the word" not in m.serial_bytes(), "nobody is asked before the choice is final")
    m.press(*keys, "home", "ret")
    wait(m, rb"Type the word OVERWRITE and press Enter")


def type_word(m, word):
    m.press(*(f"shift-{c.lower()}" for c in word), "ret", every_s=0.25)


def declines(m):
    begin(m)
    type_word(m, "OVERWRITES")
    m.press("esc")


def agrees(m, changes):
    begin(m, "down", "ret", "down", "spc", "down", "down", "spc", "esc")  # Disks: the second and the fourth, too
    check(len(re.findall(rb"#   sata0\.[013] ", m.serial_bytes())) == 3 and b"#   sata0.2 " not in m.serial_bytes(),
          "the question names the disks that will be written, and no other")
    with open(changes, "r+b") as f:
        f.write(b"somebody's data")
    type_word(m, WORD)


def arming_text():
    """Without approval: the word takes its place."""
    lines = ["baresweep-arming 1", "batch 00000000ba7c0002"]
    for i in range(DISKS):
        lines += [f"arming {i + 1:016x}", f"identity {IDENTITY.format(i)}", "fingerprint blank", "found nothing"]
    return "\n".join(lines) + "\n"


IDENTITY, DISKS = "WORD-{}/QEMU HARDDISK", 4


def decided(r, disk):
    return [x["decision"] for x in r.journal.all("write_permit", disk=disk)]


def run(folder):
    args, paths = [], []
    for i in range(DISKS):
        paths.append(folder / f"{i}.img")
        with open(paths[i], "wb") as f:
            f.truncate(32 * MIB)
        args += [*file_disk(paths[i], f"d{i}"), "-device", f"ide-hd,drive=d{i},bus=ide.{i},serial=WORD-{i},id=dev{i}"]
    blank = sha256(paths[0])
    (folder / "write.fio").write_text(JOBS)
    (folder / "arming.txt").write_text(arming_text())
    files = [(folder / "write.fio", "write.fio"), (folder / "arming.txt", "arming.txt")]

    r = boot(folder / "no", args, conf=CONF, files=files, during=declines, timeout_s=150)
    equal(decided(r, "sata0.0"), ["awaits-word", "refused"], "sata0.0: what was decided")
    check("nobody typed the word" in r.journal.all("not_tested", disk="sata0.0")[0]["why"], "the reason is told")
    equal(r.journal.tested(), {}, "jobs with a result")
    equal([sha256(p) for p in paths], [blank] * DISKS, "disks after a wrong word and Esc")

    r = boot(folder / "yes", args, conf=CONF, files=files, during=lambda m: agrees(m, paths[3]), timeout_s=150,
             stick=folder / "no" / "stick.img", may_write=["dev0", "dev1"])
    for i in range(2):
        equal(decided(r, f"sata0.{i}"), ["awaits-word", "granted", "used-up", "finished"], f"sata0.{i}")
        data = paths[i].read_bytes()
        check(data.startswith(b"BARESWEEP MARK 1\narming %016x\n" % (i + 1)), f"sata0.{i}: the mark: {data[:80]}")
        check(all(any(data[at:at + 4096]) for at in range(MIB, 5 * MIB, 4096)), f"sata0.{i}: written from 1 MiB on")
        check(not any(data[5 * MIB:]), f"sata0.{i}: not written behind the job's region")
    equal(r.journal.tested(), {"sata0.0": ["fill"], "sata0.1": ["fill"]}, "jobs with a result")
    equal(decided(r, "sata0.3"), ["awaits-word", "granted", "taken-back"], "sata0.3 got other content meanwhile")
    why = r.journal.all("write_permit", disk="sata0.3")[-1]["why"]
    check("changed since the decision" in why, f"sata0.3: {why}")
    equal(paths[3].read_bytes().rstrip(bytes(1)), b"somebody's data", "sata0.3")
    equal(decided(r, "sata0.2"), [], "sata0.2 was not chosen")
    equal(sha256(paths[2]), blank, "sata0.2 after the word was typed for others")
