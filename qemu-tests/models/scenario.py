"""Our own NVMe and AHCI models as PCI devices, driven by OVMF's drivers and then by the image: healthy ones.  They
know what a driver must not do and count it; QEMU's own devices do not."""
import machine
from model_devices import boot_models
from newer_qemu import version
from scenario import QUICK_CONF, check, check_data, equal

tier, budget_s, timing = "full", 90, False


def run(folder):
    images = {name: machine.stamped_disk(folder / f"{name}.img", 256 << 20, seed=i + 1)
              for i, name in enumerate(("nvme", "wide", "ssd", "slow", "unqueued"))}
    models = {
        "nvme": ("nvme", ["serial=MODEL-A", f"image={images['nvme']}"]),
        # 4 KiB blocks, 16 KiB at most per command, doorbells 16 bytes apart, few entries, a host memory buffer.
        "wide": ("nvme", ["serial=MODEL-B", "lba_bytes=4096", f"image={images['wide']}", "mdts=2", "dstrd=2", "mqes=7",
                          "hmpre=1024", "hmmin=256", "jitter_ns=200us"]),
        "ahci": ("ahci", ["disk=0", f"image={images['ssd']}", "disk=2", f"image={images['slow']}", "rotation_rpm=7200",
                          "ready_ns=2s", "latency_ns=1ms", "ooo_step_ns=20us",
                          "disk=5", f"image={images['unqueued']}", "queue_depth=0"]),
    }
    r = boot_models(folder, models, QUICK_CONF + "after = poweroff\n", firmware_drives=True, powers_off=True, timeout_s=200)
    equal(r.code, 0, "exit code")
    blocks = {"nvme0n1": ("nvme", 512), "nvme1n1": ("wide", 4096), "sata1.0": ("ssd", 512), "sata1.2": ("slow", 512),
              "sata1.5": ("unqueued", 512)}
    equal(sorted(r.journal.tested()), sorted(blocks), "disks with results")
    for disk, (name, lba_bytes) in blocks.items():
        check_data(r, disk, images[name], lba_bytes)
    equal(set(r.journal.verdicts().values()), {"PASS"}, "verdicts")
    check(not r.journal.all("io_error"), "errors")
    account(r.models)
    return f"QEMU {version()}"


def account(models):
    """What the devices say: no write, no error, nothing lost, shut down in the way their kind needs."""
    for name in ("nvme", "wide"):
        m = models[name]
        equal((m["unsafe_shutdowns"], m["errors"], m["dropped"], m["writes"], m["media_changes"]), (0, 0, 0, 0, 0),
              f"{name}: unsafe shutdowns, errors, lost commands, writes")
        check(m["enables"] >= 2, f"{name}: firmware's driver was there before ours: {m}")
    ports = models["ahci"]["ports"]
    for port in ("0", "2", "5"):
        equal((ports[port]["media_errors"], ports[port]["writes"], ports[port]["refused_writes"]), (0, 0, 0), f"port {port}")
    equal((ports["0"]["max_in_flight"], ports["5"]["queued_reads"]), (32, 0), "queued reads")
