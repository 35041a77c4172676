"""What boot scenarios share: one call that boots and returns what the journal says, and checks with words."""
import hashlib
import json
import re
import subprocess
from pathlib import Path

import machine

QUICK_CONF = "time_scale_pct = 1\ncountdown_s = 0\n"


class Skip(Exception):
    """What cannot run here, with its reason."""


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def equal(got, want, what):
    check(got == want, f"{what}: got {got!r}, want {want!r}")


# ---- CRC-32C, as the journal has it ----
_TABLE = []
for _i in range(256):
    _c = _i
    for _ in range(8):
        _c = _c >> 1 ^ (0x82f63b78 if _c & 1 else 0)
    _TABLE.append(_c)


def crc32c(data):
    c = 0xffffffff
    for byte in data:
        c = _TABLE[(c ^ byte) & 255] ^ c >> 8
    return c ^ 0xffffffff


class Journal:
    """The lines of one journal text; every line's checksum is verified here, independently of our C code."""

    def __init__(self, text):
        self.lines = []
        for raw in re.findall(rb'\{"v":1,"run":[^\r\n]*\}', text):
            body, crc = raw.rsplit(b',"crc":"', 1)
            check(int(crc[:8], 16) == crc32c(body), f"line with a wrong checksum: {raw[:120]!r}")
            self.lines.append(json.loads(raw))

    def all(self, ev, **want):
        return [x for x in self.lines if x["ev"] == ev and all(x.get(k) == v for k, v in want.items())]

    def one(self, ev, **want):
        found = self.all(ev, **want)
        check(len(found) == 1, f"{len(found)} lines {ev} {want}, want one")
        return found[0]

    def findings(self, code):
        return self.all("finding", code=code)

    def tested(self):
        """{disk: [job, ...]} of all steps that ended with a number."""
        found = {}
        for x in self.all("step_end"):
            found.setdefault(x["disk"], []).append(x["job"])
        return found

    def verdicts(self):
        return {x["disk"]: x["verdict"] for x in self.all("disk_verdict")}


class Result:
    def __init__(self, m, code, writes, folder):
        self.machine, self.code, self.writes, self.folder = m, code, writes, folder
        self.serial_text = m.serial_bytes()
        self.serial = Journal(self.serial_text)
        self.journal = Journal((folder / "journal.ndjson").read_bytes()) if folder else None
        self.summary = (folder / "summary.txt").read_text() if folder and (folder / "summary.txt").exists() else ""


def file_disk(path, node, raw_over=None):
    return ["-blockdev", f"driver=file,filename={path},node-name={node}"]


def blkdebug_disk(path, node, bad_sector):
    """A disk on which reads that touch one 512-byte sector fail."""
    debug = {"driver": "blkdebug", "node-name": node, "image": f"{node}-file",
             "inject-error": [{"event": "none", "iotype": "read", "errno": 5, "sector": bad_sector, "once": False}]}
    return [*file_disk(path, f"{node}-file"), "-blockdev", json.dumps(debug)]


def boot(folder, disks=(), conf=QUICK_CONF, expect=None, timeout_s=240, screendump=None, during=None, may_write=(), powers_off=False,
         **kw):
    """Boots, waits for the last line, takes write statistics and the result from the stick.  during(machine) runs
    beside the machine from its start on.  may_write: the disks (by QEMU's device or node) that the run was armed for.
    powers_off: the run ends so (after = poweroff), and QEMU's own count of writes goes with it."""
    folder = Path(folder)
    m = machine.Machine(folder, disks=disks, conf=conf, **kw)
    m.start()
    try:
        if during:
            during(m)
        code = m.wait_end(timeout_s)
        if code == 3:
            raise AssertionError("crash or hang; serial log ends:\n" +
                                 m.serial_bytes()[-2500:].decode(errors="replace"))
        if powers_off:
            m.process.wait(60)
        writes = {} if powers_off else m.writes()
        if screendump:
            m.screendump(screendump)
    finally:
        m.quit()
    result = Result(m, code, writes, m.fetch(folder / "results") if m.stick_device else None)
    if expect is not None:
        equal(code, expect, "exit code\n" + result.serial_text[-3000:].decode(errors="replace"))
    check(not any(n for disk, n in result.writes.items() if not any(w in disk for w in may_write)),
          f"QEMU counts writes to disks: {result.writes}")
    return result


def boot_silent(folder, disks=(), conf=QUICK_CONF, timeout_s=240, **kw):
    """A machine without serial port: it must switch itself off; the result is what the stick holds."""
    folder = Path(folder)
    m = machine.Machine(folder, disks=disks, conf=conf + "after = poweroff\n", serial=False, **kw)
    m.start()
    try:
        m.process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        raise AssertionError("the machine without serial port did not switch itself off") from None
    finally:
        m.kill()
    results = m.fetch(folder / "results")
    check(results, "no results on the stick")
    return Journal((results / "journal.ndjson").read_bytes())


def whole_on_serial(result, disks):
    """The serial lines alone are a whole result."""
    seqs = [x["seq"] for x in result.serial.lines]
    equal(seqs, list(range(len(seqs))), "sequence on serial")
    equal(result.serial.lines[-1]["ev"], "run_end", "last line on serial")
    equal(sorted(result.serial.tested()), sorted(disks), "disks with results on serial")


def sha256(path):
    h = hashlib.sha256()
    with open(path, "rb") as f:
        while block := f.read(1 << 20):
            h.update(block)
    return h.hexdigest()


def file_crc32c(path, offset, length):
    """By the host tool, since Python takes seconds for a MiB; the journal's own lines are checked in Python."""
    tool = machine.ROOT / "out" / "file-crc32c"
    return subprocess.run([tool, path, str(offset), str(length)], check=True, capture_output=True,
                          text=True).stdout.strip()


def watch_cache(m, disk, node, step):
    """While that step runs, the device's write cache is off in QEMU's own account, too."""
    def is_on():
        return [b["inserted"]["cache"]["writeback"] for b in m.qmp("query-block")
                if b.get("inserted", {}).get("node-name") == node]
    check(m.wait_for(re.compile(rb"%s: write cache switched, now off" % disk.encode()), 120), f"{disk}: the write cache is switched")
    check(m.wait_for(re.compile(rb"step %d/" % step), 60), f"step {step} begins")
    equal(is_on(), [False], f"QEMU's write cache of {disk}")


def check_cache(result, disk, step):
    """The journal's account of a job with write_cache=off: switched and put back."""
    equal([(c["disk"], c["step"], c["cache"], c["event"], c["asked"], c["found"], c["now"]) for c in result.journal.all("cache")],
          [(disk, step, "write cache", "switched", "off", "on", "off"), (disk, step, "write cache", "restored", "off", "on", "on")],
          "caches")
    check(not result.journal.findings("cache-switch"), "a finding about a cache")


def check_data(result, disk, path, lba_bytes):
    """Every checksum that the run took of this disk equals the backing file's; single and split transfers both."""
    rows = result.journal.all("data_crc", disk=disk)
    check(len({r["request_bytes"] for r in rows}) >= 2, f"{disk}: too few checksums: {rows}")
    for r in rows:
        want = file_crc32c(path, r["first_lba"] * lba_bytes, r["bytes"])
        equal(r["crc32c"], want, f"{disk}: CRC-32C of {r['bytes']} bytes at LBA {r['first_lba']}")
