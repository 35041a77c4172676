"""What fio itself writes for a job like ours, as a list of keys with their types: tests/golden/report/fio-keys.txt.

    python3 tests/fio/schema.py              compares fio's list and journal-tool's JSON with the stored one
    python3 tests/fio/schema.py --write      stores fio's list

Exit 77: fio is not installed.
"""
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
STORED = ROOT / "tests" / "golden" / "report" / "fio-keys.txt"
TOOL = ROOT / "out" / "journal-tool"
JOURNAL = ROOT / "tests" / "golden" / "report" / "sample.journal.ndjson"
OPTIONS = "direct=0\npercentile_list=1:5:10:25:50:70:75:90:95:99:99.9:99.99:99.999:99.9999\n"
JOB = "rw=randread\nbs=4k\niodepth=32\nnumjobs=1\nfilename={file}\noffset=0\nsize=1m\n"


class Fraction(str):
    """A number as it was written, with a point."""


def unique(pairs):
    keys = [k for k, _ in pairs]
    assert len(keys) == len(set(keys)), f"a key comes twice: {keys}"
    return dict(pairs)


def refuse(word):
    raise AssertionError(f"{word} is no JSON")


def load(text):
    return json.loads(text, parse_float=Fraction, parse_constant=refuse, object_pairs_hook=unique)


def keys_of(value, path=""):
    if isinstance(value, dict):
        kind = "object"
        below = [k for key, v in value.items() for k in keys_of(v, f"{path}/{key}")]
    elif isinstance(value, list):
        kind = "array"
        below = [k for v in value for k in keys_of(v, path + "/*")]
    else:
        kind = "fraction" if isinstance(value, Fraction) else "text" if isinstance(value, str) else "number"
        below = []
    return sorted(set(([f"{path} {kind}"] if path else []) + below))


def of_fio():
    with tempfile.TemporaryDirectory() as folder:
        job = Path(folder, "job.fio")
        job.write_text(f"[global]\n{OPTIONS}[job]\n{JOB.format(file=Path(folder, 'data'))}")
        done = subprocess.run(["fio", "--output-format=json", str(job)], capture_output=True, text=True, timeout=60,
                              cwd=folder)
        # Its notes may come before the JSON.
        return keys_of(load(done.stdout[done.stdout.index("{"):]))


def without(keys, *paths):
    return [k for k in keys if not any(p in k for p in paths)]


def differences(name, got, want):
    return [f"{name} lacks {k}" for k in want if k not in got] + [f"{name} has {k}" for k in got if k not in want]


def main():
    if "--write" in sys.argv:
        STORED.write_text("\n".join(of_fio()) + "\n")
        return 0
    stored = STORED.read_text().splitlines()
    wrong = []
    for words in (["fio-json", str(JOURNAL), "--job", "rand-4k-qd32", "--every-percentile"],):
        ours = keys_of(load(subprocess.run([TOOL, *words], capture_output=True, text=True, check=True).stdout))
        wrong += differences("journal-tool", without(ours, "/baresweep"), stored)
    every = keys_of(load(subprocess.run([TOOL, "fio-json", JOURNAL], capture_output=True, text=True, check=True).stdout))
    wrong += differences("the combined file", without(every, "/baresweep", "/percentile/"), without(stored, "/percentile/"))
    if shutil.which("fio"):
        fio = of_fio()
        # Inside a container fio may not see which disk the file is on.
        skip = [] if any("/disk_util/*/" in k for k in fio) else ["/disk_util"]
        version = subprocess.run(["fio", "--version"], capture_output=True, text=True).stdout.strip()
        if version == "fio-3.33":
            wrong += differences("fio", without(fio, *skip), without(stored, *skip))
    print("\n".join(wrong or ["the keys are those of fio" if shutil.which("fio") else
                              "fio is not installed; the keys are those that were stored"]))
    return 1 if wrong else 0 if shutil.which("fio") else 77


if __name__ == "__main__":
    sys.exit(main())
