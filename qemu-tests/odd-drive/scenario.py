"""Eight NVMe drives of one kind, one of them throttled to less: the application names it in its own findings, and the
rack's program names it from what the stick holds and from the serial capture."""
import csv
import io
import subprocess

import machine
from scenario import boot, check, equal, file_disk

tier, budget_s, timing = "quick", 60, False
DRIVES, ODD, IOPS, ODD_IOPS = 8, 5, 300, 150
PROGRAM = machine.ROOT / "out/baresweep-rack"
JOBS = """[rand]
filename=all
rw=randread
bs=4k
iodepth=4
time_based
runtime=4s
"""


def disks(folder):
    args = []
    for i in range(DRIVES):
        path = machine.stamped_disk(folder / f"d{i}.img", 64 << 20, seed=i)
        limit = ODD_IOPS if i == ODD else IOPS
        args += ["-object", f"throttle-group,id=g{i},x-iops-total={limit}", *file_disk(path, f"f{i}"),
                 "-blockdev", f"driver=throttle,throttle-group=g{i},file=f{i},node-name=d{i}",
                 "-device", f"nvme,drive=d{i},serial=NV{i}"]
    return args


def rack(*words, ends):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True)
    check(done.returncode in ends, f"{words}: ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def run(folder):
    (folder / "jobs.fio").write_text(JOBS)
    r = boot(folder / "boot", disks(folder), conf="countdown_s = 0\ndata_check = no\nplan = jobs\njobs = jobs.fio\n",
             files=[(folder / "jobs.fio", "jobs.fio")], expect=0)
    names = {d["serial"]: d["name"] for d in r.journal.all("disk")}
    equal(len(names), DRIVES, "drives")
    odd = [(f["code"], f["level"], f["subject"]) for f in r.journal.all("finding") if f["code"].startswith("odd-")]
    equal([o for o in odd if o[0] == "odd-slow"], [("odd-slow", "WARN", names[f"NV{ODD}"])], f"odd drives in {odd}")
    check("8 like drives" in r.journal.findings("odd-slow")[0]["seen"], "the finding has its evidence")
    equal(r.journal.verdicts()[names[f"NV{ODD}"]], "WARN", "the odd drive's verdict")
    check("slower than the drives of its kind" in r.summary, "the summary names it")
    (folder / "serial.log").write_bytes(r.serial_text)
    for name, source in (("stick", r.folder), ("serial", folder / "serial.log")):
        db = folder / f"{name}.sqlite"
        rack("ingest", "--db", db, source, ends=(0,))
        rows = list(csv.DictReader(io.StringIO(rack("outliers", "--db", db, "--tsv", ends=(1,))), delimiter="\t"))
        slow = [r["disk"] for r in rows if r["metric"] == "rate"]
        equal(slow, [names[f"NV{ODD}"]], f"slow drives, from the {name}")
