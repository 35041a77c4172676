"""Armed burn-ins on our own models: a counterfeit of a third of its size is found out, sound drives of each kind (NVMe,
SATA, a virtual drive of a fusion card) pass and are written only where that is permitted."""
from burn_in_kit import MIB, arming_text, conf, newest
from model_devices import boot_models
from newer_qemu import version
from scenario import check, equal

tier, budget_s, timing = "full", 150, False
SIZE = 24 * MIB
BLOCKS = SIZE // 512
NGUID = "NSID-1/NGUID-6162636465666768696a6b6c6d6e6f70"
IDENTITIES = [f"SOUND/{NGUID}", f"FAKE/{NGUID}", "SATA/MODEL AHCI DISK/5000c50000000000", "naa.600605b000000000"]


def run(folder):
    blank = folder / "blank.img"
    with open(blank, "wb") as f:
        f.truncate(SIZE)
    models = {"sound": ("nvme", ["serial=SOUND", f"image={blank}", f"permit=0:{BLOCKS}"]),
              "fake": ("nvme", ["serial=FAKE", f"image={blank}", f"permit=0:{BLOCKS}", f"wraps={BLOCKS // 3}"]),
              "sata": ("ahci", ["disk=0", "serial=SATA", f"image={blank}", f"permit=0:{BLOCKS}"]),
              "raid": ("mfi", ["generation=invader", "virtual=0", f"image={blank}", f"permit=0:{BLOCKS}"])}
    arming = folder / "arming.txt"
    arming.write_text(arming_text(IDENTITIES))
    r = boot_models(folder, models, conf(100, "after = poweroff\n"), powers_off=True, timeout_s=300, files=[(arming, "arming.txt")])
    equal(r.code, 1, "exit code")
    names = {d["serial"]: d["name"] for d in r.journal.all("disk")}
    states, verdicts = newest(r.journal.all("burn_in")), r.journal.verdicts()
    for disk in (names["SOUND"], names["SATA"], "megaraid0.vd0"):
        s = states[disk]
        equal((s["end"], s["errors"], s["verified_blocks"] - s["blocks"]), ("finished", 0, 0), f"{disk}: {s}")
        equal(verdicts[disk], "PASS", f"{disk}: verdict")
    fake = names["FAKE"]
    equal(verdicts[fake], "FAIL", f"{fake}: verdict")
    check("capacity is a lie: real size about 8.39 MB of 25.17 MB" in states[fake]["why"], f"{fake}: {states[fake]}")
    for name in ("sound", "fake"):
        check(r.models[name]["writes"] > 0, f"{name}: was written")
        equal(r.models[name]["unsafe_shutdowns"], 0, f"{name}: unsafe shutdowns")
    return f"QEMU {version()}"
