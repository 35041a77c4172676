"""The disks of ./run: every disk and cell has a result, data is right, nothing is written, firmware takes over again."""
import run_image
from scenario import QUICK_CONF, boot, check, check_data, equal, sha256

tier, budget_s, timing = "quick", 60, False
DISKS = {"nvme0n1": "nvme-a", "sata0.0": "sata-a", "sata0.1": "sata-b", "megaraid0.vd0": "vd-a",
         "megaraid0.vd1": "vd-b", "megaraid1.vd0": "vd-c"}
CELLS = 15          # twelve sequential sizes, two random depths, all together
ZONES = 3           # outer, middle, inner of a rotating disk


def run(folder):
    disks = run_image.default_disks(folder)
    before = {n: sha256(folder / f"{n}.img") for n in DISKS.values()}
    r = boot(folder, disks, conf=QUICK_CONF + "handback_check = yes\n", expect=0)
    tested = r.journal.tested()
    equal(sorted(tested), sorted(DISKS), "disks with results")
    for disk, jobs in tested.items():
        want = CELLS + (ZONES if disk == "sata0.0" else 0)
        equal(len(jobs), want, f"{disk}: cells with a result ({jobs})")
        check_data(r, disk, folder / f"{DISKS[disk]}.img", 512)
    equal({n: sha256(folder / f"{n}.img") for n in DISKS.values()}, before, "SHA-256 of the disks")
    same_on_serial(r)
    handed_back = {f["subject"]: f["level"] for f in r.journal.findings("handback")}
    equal({d: handed_back.get(d) for d in ("nvme0n1", "sata0.0", "sata0.1", "megaraid0.vd0")},
          {"nvme0n1": "PASS", "sata0.0": "PASS", "sata0.1": "PASS", "megaraid0.vd0": "INFO"}, "hand-back")
    check(r.summary.startswith("WARN") and "clock" in r.summary, "the summary begins with the verdict")
    equal(r.journal.lines[-1]["ev"], "run_end", "last line of the journal")


def same_on_serial(r):
    """The serial lines are the journal, but for series."""
    serial = {x["seq"]: x for x in r.serial.lines}
    for line in r.journal.lines:
        other = serial.get(line["seq"])
        check(other is not None, f"line {line['seq']} ({line['ev']}) is not on serial")
        if line["ev"] == "series":
            equal(other["ev"], "omitted", "series on serial")
        else:
            equal(other, line, f"line {line['seq']}")
