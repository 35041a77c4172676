"""The files of write_bw_log and its kin beside those that fio itself writes for the same jobs.

    python3 tests/fio/logs.py

Compared are the names, the columns and their units, what fio_generate_plots and fio-plot read: the times of the
intervals, the directions, and that bandwidth divided by requests is the block.  Exit 77: fio is not installed.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TOOL = ROOT / "out" / "journal-tool"
JOURNAL = ROOT / "tests" / "golden" / "report" / "logs.journal.ndjson"
# The jobs of that journal: requests of 4 KiB, intervals of 250 ms.
JOB = """[global]
ioengine=null
size=1g
bs=4k
time_based
runtime=1
rate_iops=400
log_avg_msec=250
[plain]
rw=randread
write_bw_log=plain
write_iops_log=plain
write_lat_log
[mixed]
rw=randrw
write_bw_log=mixed
write_iops_log
write_lat_log=mixed
log_offset=1
"""


def read_log(path):
    rows = []
    for line in path.read_text().splitlines():
        assert re.fullmatch(r"\d+(, \d+)+", line), f"{path.name}: {line!r}"
        rows.append([int(v) for v in line.split(", ")])
    return rows


def of_fio(folder):
    (folder / "job.fio").write_text(JOB)
    subprocess.run(["fio", "job.fio"], cwd=folder, check=True, capture_output=True, timeout=60)
    return {p.name: read_log(p) for p in folder.glob("*.log")}


def of_ours(folder):
    subprocess.run([TOOL, "logs", JOURNAL, folder], check=True, timeout=60)
    return {p.name: read_log(p) for p in (folder / "logs" / "nvme0n1").iterdir()}


def shape(rows):
    """What a reader goes by: columns, directions, that the last columns are those of an interval, rising times."""
    times = [r[0] for r in rows]
    return {"columns": {len(r) for r in rows}, "directions": {r[2] for r in rows},
            "rest": {tuple(r[3:]) for r in rows}, "rising": times == sorted(times)}


def wrong_units(logs, job, number):
    """Bandwidth is KiB/s and requests are per second: their ratio is the block of 4 KiB.

    The middle one of the lines, since fio closes the intervals of both files apart by what the machine's load is."""
    ratios = sorted(bw[1] / iops[1] for bw, iops in zip(logs[f"{job}_bw.{number}.log"], logs[f"{job}_iops.{number}.log"])
                    if iops[1])
    if not ratios or not 3 <= ratios[len(ratios) // 2] <= 5:
        yield f"{job}: KiB/s by requests per second are {ratios}"


def wrong_times(fio, ours, job, number):
    """Ours is the end of the interval to the ms, as the journal says.  That of fio is when its timer came (a ms early,
    or late by any load): of it only the unit is sure."""
    ends = [logs[f"{job}_bw.{number}.log"][0][0] for logs in (fio, ours)]
    if ends[1] != 250 or not 100 <= ends[0] < 60000:
        yield f"{job}: the first interval of 250 ms ends at {ends[0]} ms in fio and at {ends[1]} ms in ours"


def differences(fio, ours):
    for name in sorted(set(fio) | set(ours)):
        if "_slat" in name:  # ours has none: docs/reports.md
            if name in ours:
                yield f"{name} is not to be written"
        elif name not in ours or name not in fio:
            yield f"{name}: {'fio' if name in fio else 'only this program'} writes it"
        elif shape(fio[name]) != shape(ours[name]):
            yield f"{name}: fio has {shape(fio[name])}, we have {shape(ours[name])}"
        # Both in ns: a null device's latencies are far below a ms and ours here are a few us.
        elif "lat." in name and not all(1 <= r[1] < 10**10 for r in fio[name] + ours[name]):
            yield f"{name}: latencies are not in ns"
    for job, number in (("plain", 1), ("mixed", 2)):
        for logs in (fio, ours):
            yield from wrong_units(logs, job, number)
        yield from wrong_times(fio, ours, job, number)


def main():
    if not shutil.which("fio"):
        print("fio is not installed")
        return 77
    with tempfile.TemporaryDirectory() as a, tempfile.TemporaryDirectory() as b:
        wrong = list(differences(of_fio(Path(a)), of_ours(Path(b))))
    print("\n".join(wrong or ["the files are those of fio"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
