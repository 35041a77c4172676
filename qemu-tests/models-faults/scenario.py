"""Our own NVMe and AHCI models, each with a fault of its own that QEMU's devices cannot have, side by side in a machine:
what the run says about each drive, and what each device has seen of the driver."""
import re
import time

import machine
from model_devices import boot_models
from newer_qemu import version
from scenario import check, equal

tier, budget_s, timing = "full", 150, False
CONF = "plan = jobs\njobs = jobs.fio\ncountdown_s = 0\ndata_check = no\nafter = poweroff\n"
JOBS = """[rand]
filename=all
rw=randread
bs=4k
iodepth=4
time_based
runtime=4s
[next]
stonewall
runtime=1s
"""
READ = "io:2"
SKIP = 200  # reads before the fault
DRIVES = {
    "good": [],
    "fatal": [f"lie=fatal:{READ}:{SKIP}:1"],
    "lost": [f"lie=lose:{READ}:{SKIP}:1"],
    "stuck": [f"lie=stick:{READ}:{SKIP}:1"],
    "bogus": [f"lie=bogus-cid:{READ}:{SKIP}:1:0x7777"],
    "vanish": [f"lie=vanish:{READ}:{SKIP}:1"],
    # CRD 1 of command interrupted: once more after 100 ms.
    "again": [f"lie=status:{READ}:{SKIP}:8:0x0821"],
    # The same with DNR: not again.
    "final": [f"lie=status:{READ}:{SKIP}:1:0x4021"],
    "narrow": ["link_width=2", "link_speed=3"],
    "borrows": ["hmpre=1024", "hmmin=256"],
    "killed": [],
}


def serial(name):
    return f"FAULT-{name.upper()}"


def run(folder):
    (folder / "jobs.fio").write_text(JOBS)
    image = machine.stamped_disk(folder / "image.img", 64 << 20, 64 << 20)
    models = {name: ("nvme", [f"serial={serial(name)}", f"image={image}", *options]) for name, options in DRIVES.items()}
    # A hard disk that tries for 40 s and then has it, and a disk with a bad sector under queued reads.
    models["sata"] = ("ahci", ["disk=0", f"image={image}", f"serial={serial('retries40')}", "rotation_rpm=7200",
                               "nth_slow=200", "slow_ns=40s",
                               "disk=1", f"image={image}", f"serial={serial('sector')}", "bad=4096:2048"])

    def kill(m, servers):
        check(m.wait_for(re.compile(rb"step 1/2"), 90), "the step begins")
        time.sleep(1.5)
        servers["killed"].kill()
    r = boot_models(folder, models, CONF, during=kill, killed=("killed",), powers_off=True, timeout_s=200,
                    files=[(folder / "jobs.fio", "jobs.fio")])
    equal(r.code, 1, "exit code")
    names = {d["serial"]: d["name"] for d in r.journal.all("disk")}
    for name in (*DRIVES, "retries40", "sector"):
        globals()[f"is_{name}"](r, names[serial(name)], r.models.get(name))
    return f"QEMU {version()}"


# ---- what is wanted of each ----
def end(r, disk):
    return r.journal.one("step_end", disk=disk, job="rand")


def errors(r, disk):
    return [x["words"] for x in r.journal.all("io_error", disk=disk, job="rand")]


def remarks(r, disk):
    """What was found about the drive or its controller, the levels first."""
    controller = disk.split("n1")[0]
    return " / ".join(f"{x['level']} {x['code']} {x['seen']}" for x in r.journal.all("finding")
                      if x["subject"] in (disk, controller))


def said(r, disk, *parts):
    text = remarks(r, disk)
    for part in parts:
        check(part in text, f"{disk}: {part!r} is not in {text}")


def goes_on(r, disk):
    e = r.journal.one("step_end", disk=disk, job="next")
    check(e["errors"] == 0 and e["ios"] > 50, f"{disk}: the next step: {e['ios']} reads, {e['errors']} errors")


def shut_down(seen, disk):
    equal((seen["unsafe_shutdowns"], seen["shutdowns"] >= 1), (0, True), f"{disk}: unsafe shutdowns, shut down in order")


def is_good(r, disk, seen):
    equal((r.journal.verdicts()[disk], end(r, disk)["errors"]), ("PASS", 0), "the good drive")
    equal((seen["errors"], seen["dropped"], seen["aborts"], seen["writes"]), (0, 0, 0, 0), "its account")
    held_s = end(r, disk)["held_ns"] / 1e9
    check(held_s < 10, f"it stood still for {held_s:.1f} s because of the others")
    shut_down(seen, disk)


def is_fatal(r, disk, seen):
    """CSTS.CFS in the middle of a step: found when a read is late, one reset, and on it goes."""
    check(errors(r, disk).count("timed out") == 1 and set(errors(r, disk)) <= {"timed out", "lost"}, f"{errors(r, disk)}")
    said(r, disk, "FAIL driver-remark", "reports a fatal error (CSTS 0x3)", "works again after its reset")
    check("abort" not in remarks(r, disk), f"a controller that is down is not asked to abort: {remarks(r, disk)}")
    equal((seen["aborts"], seen["enables"]), (0, 2), "aborts, times that the controller was enabled")
    goes_on(r, disk)
    shut_down(seen, disk)


def is_lost(r, disk, seen):
    equal(errors(r, disk), ["timed out"], "errors of a lost completion")
    said(r, disk, "is not answered: aborting it", "the abort did not help", "works again after its reset")
    equal((seen["aborts"], seen["aborted"], seen["enables"]), (1, 0, 2), "aborts, done, enabled")
    goes_on(r, disk)
    shut_down(seen, disk)


def is_stuck(r, disk, seen):
    equal(errors(r, disk), ["timed out"], "errors of a command that hangs")
    said(r, disk, "is not answered: aborting it", "came back after its abort")
    equal((seen["aborts"], seen["aborted"], seen["enables"]), (1, 1, 1), "aborts, done, enabled")
    goes_on(r, disk)
    shut_down(seen, disk)


def is_bogus(r, disk, seen):
    said(r, disk, "FAIL device-fault controller posted a completion for a command not in flight", "(got 0x7777,",
         "the disks on it are not tested further")
    check("ended-early" in end(r, disk)["flags"], "the lane ends")
    shut_down(seen, disk)


def is_vanish(r, disk, seen):
    said(r, disk, "FAIL device-fault CSTS reads all ones", "the controller left the bus", "FAIL link-errors")
    check("ended-early" in end(r, disk)["flags"], "the lane ends")
    check(not r.journal.all("step_end", disk=disk, job="next"), "nothing is read from it any more")


is_killed = is_vanish


def is_again(r, disk, seen):
    """Flag and count stand beside the number, and no error."""
    e = end(r, disk)
    equal((e["errors"], e["retries"], "retries" in e["flags"]), (0, 8, True), "errors, retries and flag")
    check(e["latency_max_ns"] >= 100 * 10**6, f"CRD 1 is 100 ms: {e['latency_max_ns']} ns")
    said(r, disk, "WARN io-retries 8 repetitions")
    equal(r.journal.verdicts()[disk], "WARN", "its verdict")
    shut_down(seen, disk)


def is_final(r, disk, seen):
    equal((end(r, disk)["errors"], end(r, disk)["retries"]), (1, 0), "errors and retries of a status with DNR")
    check("do not retry" in errors(r, disk)[0], f"{errors(r, disk)}")
    shut_down(seen, disk)


def is_narrow(r, disk, seen):
    check("narrow-link" in end(r, disk)["flags"], f"{end(r, disk)['flags']}")
    said(r, disk, "FAIL lanes-missing", "Gen3 x2")
    equal((end(r, disk)["errors"], r.journal.verdicts()[disk]), (0, "PASS"), "the drive itself is good")
    shut_down(seen, disk)


def is_borrows(r, disk, seen):
    equal((seen["hmb_grants"], seen["hmb_returns"]), (1, 1), "host memory lent and taken back")
    shut_down(seen, disk)


def is_retries40(r, disk, seen):
    """A hard disk that takes 40 s for a read is slow, not wrong: nothing is reset."""
    e = end(r, disk)
    equal((e["errors"], e["retries"]), (0, 0), "errors and retries")
    check(e["latency_max_ns"] >= 40 * 10**9, f"longest {e['latency_max_ns']} ns")
    said(r, disk, "WARN slow-request one took 4")
    equal(r.journal.verdicts()[disk], "WARN", "its verdict")
    port = r.models["sata"]["ports"]["0"]
    equal((port["comresets"], port["soft_resets"], r.models["sata"]["hba_resets"]), (0, 0, 1), "resets")


def is_sector(r, disk, seen):
    """READ LOG EXT 10h names the read that failed; the others of its queue are repeats."""
    located = r.journal.all("io_error", disk=disk)
    check(located and all(x["located"] and 4089 <= x["lba"] < 6144 and "cannot be read" in x["words"] for x in located),
          f"{located}")
    e, port = end(r, disk), r.models["sata"]["ports"]["1"]
    check(e["retries"] > 0 and "retries" in e["flags"], f"repeats: {e['retries']}")
    equal(port["media_errors"] >= e["errors"], True, f"{e['errors']} errors, and the disk's own count: {port}")
    check(port["log_reads"] >= e["errors"], f"the log is read: {port}")
    equal((port["comresets"], port["soft_resets"]), (0, 0), "resets")
