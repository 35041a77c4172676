"""Slots and cards: a narrow port, an x1 card behind a wide one, errors that QEMU injects while disks are read, a
controller that sleeps, expectations that are missed.  QEMU's cards all train at Gen1 x1, and an uncorrectable error
that it injects empties the port's link capability."""
import time

import machine
import outside
from scenario import boot, check, equal, file_disk

tier, budget_s, timing = "quick", 70, False

JOBS = """[seq]
rw=read
bs=64k
iodepth=4
runtime=12
time_based
"""


def disks(folder):
    a = machine.stamped_disk(folder / "a.img", 256 << 20, seed=1)
    b = machine.stamped_disk(folder / "b.img", 256 << 20, seed=2)
    return ["-device", "pcie-root-port,id=rp0,chassis=1,slot=1,x-speed=5,x-width=4,addr=10.0",
            *file_disk(a, "a"), "-device", "nvme,id=n0,drive=a,serial=A,bus=rp0",
            "-device", "pcie-root-port,id=rp1,chassis=2,slot=2,x-speed=8,x-width=8,addr=11.0",
            "-device", "megasas-gen2,id=mega,bus=rp1",
            *file_disk(b, "b"), "-device", "scsi-hd,drive=b,bus=mega.0,scsi-id=0,serial=B",
            "-device", "pcie-root-port,id=rp2,chassis=3,slot=3,addr=12.0"]


def asleep(m):
    """The NVMe function's power management control and status lies at 64h: D3."""
    bus = outside.config_read32(m, 0, 0x10, 0, 0x18) >> 8 & 255
    outside.config_write32(m, bus, 0, 0, 0x64, 3)
    equal(outside.config_read32(m, bus, 0, 0, 0x64) & 3, 3, "the controller sleeps")


def during(m):
    outside.in_bench_wait(asleep)(m)
    check(m.wait_for(outside.re.compile(rb"# step 1/"), 120), "the first step begins")
    time.sleep(4)
    outside.hmp(m, "pcie_aer_inject_error -c rp0 RCVR")
    outside.hmp(m, "pcie_aer_inject_error rp1 COMP_TIME 0x11223344 0x55667788 0x99aabbcc 0xddeeff00")


def finding(r, code, subject):
    found = [f for f in r.journal.findings(code) if f["subject"] == subject]
    check(len(found) >= 1, f"no finding {code} on {subject}; there are " +
          ", ".join(f"{f['code']}:{f['subject']}" for f in r.journal.all("finding")))
    return found[0]


def run(folder):
    (folder / "jobs.fio").write_text(JOBS)
    conf = ("countdown_s = 0\nplan = jobs\njobs = jobs.fio\nbench_wait_s = 60\nexpect_link = gen1 x4\n"
            "expect_mb_per_s = nvme0n1 1000000\nexpect_models = QEMU NVMe*, 2x ST4000*\n")
    r = boot(folder / "boot", disks(folder), conf=conf, expect=1, during=during,
             files=[(folder / "jobs.fio", "jobs.fio")])
    equal(finding(r, "not-awake", "nvme0")["level"], "WARN", "the controller slept")
    check("nvme0n1" in r.journal.tested(), "the controller that slept was read")
    equal(finding(r, "link-full", "nvme0")["seen"].split(";")[0].split(": ")[1], "Gen1 x1", "link of the NVMe drive")
    equal(finding(r, "card-narrow", "megaraid0")["level"], "WARN", "a 2108 is made for Gen2 x8")
    corrected = finding(r, "link-corrected", "nvme0")
    equal(corrected["level"], "WARN", "one receiver error warns")
    check("receiver error in 1 of" in corrected["seen"], corrected["seen"])
    errors = finding(r, "link-errors", "megaraid0")
    equal(errors["level"], "FAIL", "a completion timeout fails")
    check("completion timeout" in errors["seen"] and "header " in errors["seen"], errors["seen"])
    check(not r.journal.findings("slot-no-link"), "an empty slot is no fault")
    link = r.journal.one("link", controller="nvme0")
    equal((link["speed"], link["width"], link["payload_bytes"]), (1, 1, 128), "narrowest link")
    check(link["samples"] > 5 and 200e6 < link["ceiling_bytes_per_s"] < 215e6, f"ceiling under load: {link}")
    missed = [f["seen"] for f in r.journal.findings("expectation-missed")]
    equal(len(missed), 4, f"missed: two links, one speed, one model: {missed}")
    stock_smbus(r)
    tree(r)
    check("What the machine does to its disks" in r.summary and "carries 210 MB/s" in r.summary, r.summary[:3000])


def stock_smbus(r):
    """Read because a 2108 is there; QEMU's eight blank memories are no trouble and no health."""
    equal(r.journal.one("smbus")["answers"], "BBBBBBBB", "who answers on the SMBus")
    found = [(f["code"], f["level"]) for f in r.journal.all("finding", subject="smbus")]
    equal(found, [("smbus-blank", "CANNOT TELL")], "findings about the SMBus")


def tree(r):
    """Each disk hangs under its controller, each controller under its port."""
    above, path = {}, []
    for n in r.journal.all("topology"):
        path = path[:n["depth"]] + [n["name"] or n["pci_address"]]
        above[path[-1]] = path
    equal([x for x in above["nvme0n1"]], ["0000:00", "0000:00:10.0", "nvme0", "nvme0n1"], "path of the NVMe drive")
    equal([x for x in above["megaraid0.vd0"]], ["0000:00", "0000:00:11.0", "megaraid0", "megaraid0.vd0"],
          "path of the virtual drive")
