"""./test: every check of the project in two tiers.

A check states its tier, its budget in seconds and whether it must run alone; two run at a time.  A check that
takes more than three times its budget fails, and so does a quick tier whose budgets add up to more than it may
take.  What a failing check made is kept under out/test/.
"""
import importlib.util
import queue
import shutil
import subprocess
import sys
import threading
import time
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "out" / "test"
QUICK_LIMIT_S, FULL_LIMIT_S = 22 * 60, 75 * 60
WORKERS = 2
sys.path.insert(0, str(ROOT / "qemu-tests"))

from scenario import Skip  # noqa: E402


class Check:
    def __init__(self, name, run, budget_s, tier="quick", timing=False):
        self.name, self.run, self.budget_s, self.tier, self.timing = name, run, budget_s, tier, timing


def make(*targets, limit_s):
    """A check that is a make target; its output is shown only when it fails."""
    def run(folder):
        log = folder / "output.txt"
        with open(log, "wb") as f:
            done = subprocess.run(["make", "-s", *targets], cwd=ROOT, stdout=f, stderr=subprocess.STDOUT,
                                  stdin=subprocess.DEVNULL, timeout=limit_s)
        if done.returncode:
            raise AssertionError(log.read_text(errors="replace")[-4000:])
        return last_count(log)
    return run


def script(*words, limit_s):
    """A check that is a Python program: it gets the folder for what it makes, and exit 77 is a skip with its words."""
    def run(folder):
        done = subprocess.run([sys.executable, *words, str(folder)], cwd=ROOT, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=limit_s)
        lines = (done.stdout + done.stderr).strip().splitlines() or [""]
        if done.returncode == 77:
            raise Skip(lines[-1])
        if done.returncode:
            raise AssertionError("\n".join(lines[-60:]))
        return lines[-1]
    return run


def last_count(log):
    lines = log.read_text(errors="replace").strip().splitlines()
    return lines[-1] if lines and " passed, " in lines[-1] else ""


def words_of(variable):
    """A list that the Makefile keeps."""
    done = subprocess.run(["make", "-s", f"print-{variable}"], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.split()


def make_checks():
    def row(name, targets, budget_s, **kw):
        return Check(name, make(*targets, limit_s=3 * budget_s), budget_s, **kw)
    units, qtests = words_of("UNITS"), words_of("QTESTS")
    return [row("lint", ["lint"], 150),
            *[row(f"unit-{u}", [f"unit-{u}"], 80) for u in units],
            row("jobs-fio", ["jobs-fio"], 40),
            row("guard-images", ["guard-images"], 30),
            row("replay", ["replay"], 100),
            *[row(f"qtest-{q}", [f"qtest-{q}"], 40) for q in qtests],
            row("rack", ["rack-test"], 60),
            Check("browser", script("tests/browser/check.py", limit_s=180), 60),
            Check("fio-schema", script("tests/fio/schema.py", limit_s=60), 20),
            Check("fio-logs", script("tests/fio/logs.py", limit_s=60), 20),
            Check("image", script("tests/image/check.py", limit_s=90), 30),
            Check("image-again", script("tests/image/check.py", "again", limit_s=400), 150, tier="full"),
            Check("guard-without", script("tests/guard/without.py", limit_s=1800), 600, tier="full"),
            row("bench-cost", ["bench-cost"], 90)]


def scenario_checks():
    """qemu-tests/NAME/scenario.py: tier, budget_s, timing, and run(folder)."""
    checks = []
    for path in sorted((ROOT / "qemu-tests").glob("*/scenario.py")):
        spec = importlib.util.spec_from_file_location(f"scenario_{path.parent.name}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        checks.append(Check(f"boot-{path.parent.name}", module.run, module.budget_s, module.tier,
                            getattr(module, "timing", False)))
    return checks


def run_one(check, results, lock):
    folder = OUT / check.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    started = time.monotonic()
    outcome, words = "ok", ""
    try:
        words = check.run(folder) or ""
    except Skip as reason:
        outcome, words = "skip", str(reason)
    except subprocess.TimeoutExpired:
        outcome, words = "FAIL", "did not end"
    except Exception as e:      # any fault of a check is that check's failure, not the runner's end
        outcome, words = "FAIL", f"{e}" if isinstance(e, AssertionError) else traceback.format_exc()
    took_s = time.monotonic() - started
    if outcome == "ok" and took_s > 3 * check.budget_s:
        outcome, words = "FAIL", f"took {took_s:.0f} s, more than three times its budget of {check.budget_s} s"
    if outcome != "FAIL":
        shutil.rmtree(folder, ignore_errors=True)
    with lock:
        results.append(outcome)
        print(f"{outcome:4} {check.name} ({took_s:.1f} s) {words if outcome != 'FAIL' else ''}".rstrip(), flush=True)
        if outcome == "FAIL":
            print("  | " + words.strip().replace("\n", "\n  | "), flush=True)


def run_all(checks):
    results, lock, work = [], threading.Lock(), queue.Queue()
    for check in checks:
        if not check.timing:
            work.put(check)

    def worker():
        while True:
            try:
                check = work.get_nowait()
            except queue.Empty:
                return
            run_one(check, results, lock)
    threads = [threading.Thread(target=worker) for _ in range(WORKERS)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for check in checks:
        if check.timing:
            run_one(check, results, lock)
    return results


def main(argv):
    tier = argv.pop(0) if argv and argv[0] in ("quick", "full") else "quick"
    words = argv
    checks = [c for c in make_checks() + scenario_checks()
              if (tier == "full" or c.tier == "quick") and (not words or any(w in c.name for w in words))]
    if not checks:
        sys.exit(f"no check is called like {' '.join(words)}")
    print(f"{len(checks)} checks, tier {tier}", flush=True)
    started = time.monotonic()
    OUT.mkdir(parents=True, exist_ok=True)
    targets = ["all", "image", "programs"]
    built = subprocess.run(["make", "-s", "-j2", *targets], cwd=ROOT, stdin=subprocess.DEVNULL)
    if built.returncode:
        print("FAIL build")
        print("0 passed, 1 failed, 0 skipped")
        return 1
    results = run_all(checks)
    took_s, limit_s = time.monotonic() - started, QUICK_LIMIT_S if tier == "quick" else FULL_LIMIT_S
    if took_s > limit_s:
        print(f"FAIL the {tier} tier took {took_s:.0f} s; it may take {limit_s} s")
        results.append("FAIL")
    print(f"took {took_s:.0f} s")
    print(f"{results.count('ok')} passed, {results.count('FAIL')} failed, {results.count('skip')} skipped")
    return 1 if "FAIL" in results else 0


sys.exit(main(sys.argv[1:]))
