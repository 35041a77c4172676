"""What the rack scenarios share: boot/rack-up as a person runs it, and what must be true of every machine."""
import json
import re
import subprocess

import machine
from scenario import Journal, Skip, check, equal

# Verdict by disks, and where iPXE's script has to end.
WANT = {"good": ("WARN", ["passed", "next"]), "failing": ("FAIL", ["failed"]), "none": ("NOT-TESTED", ["failed"])}


def rack_up(folder, timeout_s, *words):
    """The rows of machines.json, after what holds for all of them was checked."""
    done = subprocess.run([machine.ROOT / "boot" / "rack-up", "--no-build", "--out", folder / "rack", *words],
                          capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=timeout_s)
    if done.returncode == 77:
        raise Skip(done.stderr.strip().splitlines()[-1])
    equal(done.returncode, 0, f"boot/rack-up\n{done.stdout[-3000:]}{done.stderr[-2000:]}")
    rows = json.loads((folder / "rack" / "machines.json").read_text())
    page = (folder / "rack" / "rack.html").read_text()
    for row in rows:
        verdict, stages = WANT[row["disks"]]
        equal(row["verdict"], verdict, f"{row['name']}: verdict")
        equal([s for s, _ in row["stages"]], stages if row["by_script"] else [], f"{row['name']}: where its script went")
        check(row["serial"] in page, f"{row['name']} is not on the rack page")
        names_itself(row)
        came_home(row)
    return rows


def names_itself(row):
    """The serial lines are of this machine and of no other; a failed verdict reached iPXE as what it is."""
    serial = Journal(open(row["serial_log"], "rb").read())
    equal(serial.one("run_start")["serial"], row["serial"], "serial number in the journal")
    for stage, code in row["stages"]:
        if stage == "failed":
            equal(code, row["verdict"], f"{row['name']}: the status that iPXE saw")


def came_home(row):
    """What was uploaded is what the serial port said; series are left out there."""
    equal(row["from"], "upload", f"{row['name']}: where its result came from")
    parts = [p for p in row["uploads"] if re.search(r"[/_]journal-\d+\.ndjson$", p)]
    uploaded = Journal(b"".join(open(p, "rb").read() for p in sorted(parts)))
    serial = {x["seq"]: x for x in Journal(open(row["serial_log"], "rb").read()).lines}
    equal([x["seq"] for x in uploaded.lines], sorted(serial), f"{row['name']}: lines uploaded and lines on serial")
    for line in uploaded.lines:
        if line["ev"] == "series":
            equal(serial[line["seq"]]["ev"], "omitted", f"{row['name']}: series on serial")
        else:
            equal(line, serial[line["seq"]], f"{row['name']}: line {line['seq']}")
    names = {p.rsplit("/", 1)[1].rsplit("_", 1)[-1] for p in row["uploads"]}
    check({"summary.txt", "report.html"} <= names, f"{row['name']}: uploaded {sorted(names)}")
