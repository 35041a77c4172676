"""Our job language beside fio itself: fio takes every shipped job file, and for a table of option lines both agree
on accepting and on the value, or the row says why we differ on purpose.

    make jobs-fio
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
READER = ROOT / "out" / "job-read"
FIO_HEAD = "[a]\nioengine=null\nfilename=x\n"

# (line, None) where both must agree; (line, why) where they must differ.
ROWS = [
    *[(line, None) for line in (
        "bs=4096", "bs=4k", "bs=4K", "bs=4kb", "bs=4KB", "bs=4Ki", "bs=0x1000", "bs=4KiB", "bs=1m", "bs=1MiB",
        "blocksize=64k", "bs=8k,4k,4k", "rw=read", "rw=randread", "readwrite=read", "rw=reed", "RW=read",
        "iodepth=32", "iodepth=x", "size=1g", "size=100%", "size=10%", "offset=1m", "offset=50%", "io_size=2g",
        "runtime=1m", "runtime=90s", "runtime=500ms", "runtime=500msec", "thinktime=5usec", "percentage_random=30,50", "runtime=2h", "timeout=30", "ramp_time=5", "startdelay=5",
        "time_based\nruntime=1", "stonewall", "wait_for_previous", "numjobs=4", "loops=3", "number_ios=100",
        "randseed=42", "norandommap", "thread", "group_reporting", "percentage_random=50", "percentage_random=101",
        "bssplit=4k/60:8k/40", "bssplit=4k/:8k/", "bssplit=4k/10:64k/50:32k/40,512/100",
        "bsrange=4k-64k", "blockalign=64k", "ba=8k", "random_distribution=random", "random_distribution=zipf:1.2",
        "random_distribution=zipf:1", "random_distribution=pareto:0.2", "random_distribution=normal:10",
        "rate=10m", "rate=1m,500k", "rate_iops=1000", "thinktime=100", "thinktime=2ms", "thinktime_blocks=8",
        "log_avg_msec=500", "write_bw_log=x", "write_lat_log", "write_iops_log=a/b", "per_job_logs=0", "log_offset=1",
        "log_max_value=1", "write_hist_log=h", "percentile_list=99:99.9", "ss=iops:5%\nss_dur=30\nruntime=60", "offset_increment=1g",
        "max_latency=500", "max_latency=5ms", "max_latency=2s", "max_latency=5ms,5ms", "latency_target=1000\nlatency_window=5s",
        "latency_target=2ms\nlatency_window=500000", "latency_window=5s", "latency_percentile=99.9",
        "latency_percentile=101", "latency_percentile=x", "latency_run=1", "latency_run=0", "exitall", "exitall=0",
        "exitall_on_error", "exit_what=group", "exit_what=stonewall", "exit_what=all", "exit_what=x",
        "nosuchoption=1", "iodpeth=4", "time_based=0", "rw=read#c", "rw =read", "  rw=read", "ss_ramp=10",
        "rw=write", "rw=randwrite", "rw=rw", "rw=readwrite", "rw=randrw", "rw=randread:8", "rw=read:4k", "rwmixread=70",
        "rwmixwrite=30", "rwmixread=101", "verify=crc32c", "verify=md5", "verify=nosuch", "do_verify=0", "verify_fatal=1",
        "verify=pattern\nverify_pattern=0xdeadface", "fsync=32", "fdatasync=16", "end_fsync=1", "zero_buffers",
        "refill_buffers", "scramble_buffers=0", "buffer_pattern=0xff", "buffer_compress_percentage=50")],
    ("rw= read", "people and Windows editors write blanks; fio takes ' read' for a bad value"),
    ("rw = randread", "the same"),
    ("bs=4x", "fio passes over a letter that it does not know"),
    ("bssplit=4k/60:8k/50", "fio takes more than 100 percent and never draws the last size as often as it says"),
    ("runtime=30sec", "fio takes it for 30 us"), ("include other.fio", "other files cannot be included"),
    ("rw=trim", "trimming is never done"), ("rw=randtrim", "trimming is never done"),
    ("verify=null", "it only pretends to verify"),
    ("verify_backlog=64\nverify=crc32c\nrw=write", "all is read back at the end"),
    ("rw=write\nsync=1", "fsync=1 is what is implemented"),
    ("directory=/tmp", "there are no files here"),
    ("random_distribution=zoned:60/10:40/90", "zones are not implemented"),
    ("zonemode=strided\nzonesize=1m", "zones are not implemented"),
    ("rate_process=poisson", "requests are spread evenly"),
    ("latency_target=1000", "without latency_window fio judges after every request"),
    ("latency_target=1000\nlatency_window=5s\nnumjobs=2", "the copies would disturb each other's search"),
    ("latency_percentile=0", "any latency would do"),
    ("latency_percentile=99:99.9", "fio takes the first of a list"),
    ("latency_run", "fio wants a value; a bare flag means yes in all our flags"),
    ("exitall\nexit_what=all", "jobs behind a stonewall run all the same"),
    ("flow=2", "jobs that wait for one another by a ratio are not implemented"),
    ("iodepth=2000", "the limit here is 1024"),
    ("numjobs=100", "the limit here is 64"),
    ("bs=64m", "the limit here is 32m"),
    ("time_based", "without runtime it would never end"),
    ("rate=,10m", "a limit of one side alone is not implemented"),
    ("write_cache=off", "ours: fio leaves the drive as it is"), ("read_lookahead=on", "ours as well"),
    ("rw=write\nverify=crc32c\nverify_after_reset", "ours: fio knows of no controller that could be reset"),
    ("bs=256", "no disk has LBAs smaller than 512 bytes"),
]


def fio_reads(folder, text):
    """(accepted, the number it made of the last option with one)."""
    path = folder / "line.fio"
    path.write_text(text)
    done = subprocess.run(["fio", "--debug=parse", "--parse-only", str(path)], capture_output=True, text=True, cwd=folder)
    values = {}
    for name, rest in re.findall(r"handle_option=(\w+), ptr=[^\n]*\n((?:(?!.* handle_option=).*\n)*)", done.stdout):
        if found := re.search(r"ret=0, out=(\d+)", rest):
            values[name] = int(found[1])
    return done.returncode == 0, values


def we_read(folder, text):
    path = folder / "ours.fio"
    path.write_text(text)
    done = subprocess.run([str(READER), str(path)], capture_output=True, text=True)
    words = re.search(r"^job \S+ (taken|refused)(.*)$", done.stdout, re.M)
    return done.returncode == 0, {k: int(v) for k, v in (x.split("=") for x in words[2].split())}, done.stdout


TIMES = {"max_latency", "latency_target", "latency_window", "runtime", "ramp_time", "startdelay", "steadystate_duration", "steadystate_ramp_time", "thinktime"}
OUR_NAME = {"steadystate_duration": "ss_dur", "steadystate_ramp_time": "ss_ramp"}


compared = 0


def check_line(folder, line, why):
    theirs, values = fio_reads(folder, FIO_HEAD + ("size=1m\n" if "size=" not in line else "") + line + "\n")
    ours, numbers, words = we_read(folder, "[a]\n" + line + "\n")
    if why is not None:
        return theirs != ours, f"both {'accept' if ours else 'refuse'} it, but the table says: {why}"
    if theirs != ours:
        return False, f"fio {'accepts' if theirs else 'refuses'}, we do not agree: {words}"
    if not ours:
        return True, ""
    for name, value in values.items():
        mine = OUR_NAME.get(name, name)
        if mine not in numbers or value > 1 << 63 or mine not in line + (" runtime" if "timeout" in line else ""):
            continue
        global compared
        compared += 1
        want = value * 1000 if name in TIMES else value
        if numbers[mine] != want:
            return False, f"{name}: fio has {want}, we have {numbers[mine]}"
    return True, ""


def unknown_options(folder):
    """Each option of this fio is taken, noted or refused by its own sentence: none is called unknown."""
    listed = subprocess.run(["fio", "--cmdhelp"], capture_output=True, text=True).stdout
    for name in re.findall(r"^([a-z][\w-]*)\s*:", listed, re.M):
        words = we_read(folder, f"[a]\n{name}=1\n")[2]
        if "is no option of a job" in words:
            yield name


def main():
    if not shutil.which("fio"):
        print("fio is not installed: its own reading of the job files cannot be compared")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    passed = failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in sorted((ROOT / "boot" / "presets").glob("*.fio")):
            # Whole, as shipped; a section of its own gives what fio wants to know and we do not.
            good, _ = fio_reads(folder, "[global]\nioengine=null\nfilename=x\nsize=1m\n" + path.read_text())
            passed, failed = passed + good, failed + (not good)
            if not good:
                print(f"FAIL {path.name}: fio refuses it")
        for line, why in ROWS:
            good, words = check_line(folder, line, why)
            passed, failed = passed + good, failed + (not good)
            if not good:
                print(f"FAIL {line!r}: {words.strip()}")
        unknown = list(unknown_options(folder))
        passed, failed = passed + (not unknown), failed + bool(unknown)
        if unknown:
            print(f"FAIL options of fio that are called unknown: {' '.join(unknown)}")
    print(f"{compared} values compared")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
