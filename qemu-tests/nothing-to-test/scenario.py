"""No disk, an NVMe controller without namespace, a lone virtio disk: a clear sentence each, and an end."""
import machine
from scenario import QUICK_CONF, boot, check, equal, file_disk

tier, budget_s, timing = "quick", 60, False


def run(folder):
    r = boot(folder / "none", conf=QUICK_CONF, expect=0)
    equal(r.journal.one("run_end")["verdict"], "NOT-TESTED", "run without disks")
    check("no disk was found" in r.summary, r.summary)

    r = boot(folder / "expected", conf=QUICK_CONF + "expect_disks = 2\n", expect=1)
    check("0 usable disks found, 2 expected" in r.summary, r.summary)

    r = boot(folder / "no-namespace", ["-device", "nvme,serial=EMPTY"], conf=QUICK_CONF, expect=0)
    equal(r.journal.one("run_end")["verdict"], "NOT-TESTED", "NVMe without namespace")
    check("namespace" in r.summary, r.summary)

    disk = machine.stamped_disk(folder / "v.img", 64 << 20)
    r = boot(folder / "virtio", [*file_disk(disk, "v"), "-device", "virtio-blk-pci,drive=v"], conf=QUICK_CONF, expect=0)
    equal(sorted(r.journal.tested()), ["fw0"], "read by the firmware path")
    for step in r.journal.all("step_end"):
        check("firmware-path" in str(step["flags"]) and step["depth"] == 1, f"labelled: {step}")
    check("virtio" in r.summary, r.summary)
