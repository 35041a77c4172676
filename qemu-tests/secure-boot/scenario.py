"""Secure Boot with an enrolled key: the signed application runs, the unsigned one is refused by firmware."""
import os
import re
import subprocess

import gpt
import machine
from scenario import QUICK_CONF, Skip, boot, check, equal, file_disk

tier, budget_s, timing = "quick", 60, False
FIRMWARE = ("/usr/share/OVMF/OVMF_CODE_4M.secboot.fd", "/usr/share/OVMF/OVMF_VARS_4M.snakeoil.fd")
KEY, CERT = "/usr/share/ovmf/PkKek-1-snakeoil.key", "/usr/share/ovmf/PkKek-1-snakeoil.pem"
SMM = ["-machine", "q35,smm=on", "-global", "driver=cfi.pflash01,property=secure,value=on"]


def run(folder):
    for path in (*FIRMWARE, KEY, CERT):
        if not os.path.exists(path):
            raise Skip(f"{path} is not part of this system's OVMF package")
    disk = [*file_disk(machine.stamped_disk(folder / "d.img", 64 << 20, 1 << 20), "d"), "-device", "nvme,drive=d,serial=SB"]
    signed, key = folder / "signed.efi", folder / "key.pem"
    subprocess.run(["openssl", "rsa", "-in", KEY, "-passin", "pass:snakeoil", "-out", key], check=True, capture_output=True)
    subprocess.run(["make", "-s", "sign", f"KEY={key}", f"CERT={CERT}", f"SIGNED={signed}"], cwd=machine.ROOT, check=True)

    m = machine.Machine(folder / "unsigned", disks=disk, firmware=FIRMWARE, extra=SMM, conf=QUICK_CONF).start()
    refused = m.wait_for(re.compile(rb"Access Denied|Security Violation|# Baresweep"), 200)
    m.quit()
    check(refused and b"# Baresweep" not in refused.group(0), "the unsigned application was started")

    ready = machine.Machine(folder / "stick", conf=QUICK_CONF)
    gpt.put(ready.stick, gpt.partitions(ready.stick)[0], str(signed), "EFI/BOOT/BOOTX64.EFI")
    r = boot(folder / "signed", disk, conf=None, stick=ready.stick, firmware=FIRMWARE, extra=SMM, expect=0)
    equal(sorted(r.journal.tested()), ["nvme0n1"], "the signed application runs")
