"""The drives' own self-tests, short and extended, which no device of QEMU has: progress while they run, then the verdict.
Two drives of each kind test themselves side by side, one of each finds a bad place."""
import re

import machine
from model_devices import boot_models
from newer_qemu import version
from scenario import QUICK_CONF, check, equal

tier, budget_s, timing = "full", 180, False
# The NVMe model's tests of either kind take so long; the AHCI model's extended one ten times its short one.
KINDS = {"short": (8, 8), "extended": (80, 8)}  # progress of the extended one is told once a minute
AFTER = {"short": "reboot", "extended": "poweroff"}  # QEMU ends at either
BAD_LBA = 77777


def run(folder):
    image = machine.stamped_disk(folder / "image.img", 64 << 20, 1 << 20)
    for kind, (nvme_s, sata_s) in KINDS.items():
        nvme = [f"image={image}", "oacs=0x10", "edstt=2", f"self_test_ns={nvme_s}s"]
        sata = [f"image={image}", f"self_test_ns={sata_s}s"]
        models = {"well": ("nvme", ["serial=WELL", *nvme]),
                  "ill": ("nvme", ["serial=ILL", *nvme, "self_test_result=7", f"self_test_lba={BAD_LBA}"]),
                  "none": ("nvme", ["serial=NONE", f"image={image}"]),
                  "sata": ("ahci", ["disk=0", *sata, "disk=1", *sata, "self_test_code=7", f"self_test_lba={BAD_LBA}"])}
        r = boot_models(folder / kind, models, QUICK_CONF + f"selftest = {kind}\nafter = {AFTER[kind]}\n", powers_off=True,
                        timeout_s=240)
        equal(r.code, 1, f"{kind}: exit code")
        verdict_of(r, kind)
    return f"QEMU {version()}"


def verdict_of(r, kind):
    passed = {f["subject"] for f in r.journal.findings("self-test-passed")}
    failed = {f["subject"]: f["seen"] for f in r.journal.findings("self-test-failed")}
    equal(passed, {"nvme0n1", "sata1.0"}, f"{kind}: drives that passed")
    equal(sorted(failed), ["nvme1n1", "sata1.1"], f"{kind}: drives that failed")
    for disk, words in failed.items():
        check(words.startswith(f"{kind} self-test: ") and words.endswith(f"at LBA {BAD_LBA}"), f"{disk}: {words}")
        equal(r.journal.verdicts()[disk], "FAIL", f"{kind}: verdict of {disk}")
    refused = {x["disk"]: x["why"] for x in r.journal.all("not_tested", job=f"selftest-{kind}")}
    equal(list(refused), ["nvme2n1"], f"{kind}: not tested: {refused}")
    for disk in (b"nvme0n1", b"sata1.0"):
        seen = [int(n) for n in re.findall(rb"%s %s self-test: (\d+) %%" % (disk, kind.encode()), r.serial_text)]
        check(seen and seen == sorted(seen) and seen[-1] < 100, f"{kind}: progress of {disk.decode()}: {seen}")
    equal([r.models[m]["self_tests"] for m in ("well", "ill", "none")], [1, 1, 0], f"{kind}: self-tests started")
    equal([r.models[m]["unsafe_shutdowns"] for m in ("well", "ill", "none")], [0, 0, 0], f"{kind}: unsafe shutdowns")
