"""Firmware and iPXE of a newer Debian suite, unpacked beside the build."""
import subprocess

import machine
from scenario import Skip, equal

FOLDER = machine.ROOT / "out" / "suite-boot"
OVMF = FOLDER / "root" / "usr" / "share" / "OVMF"
SNPONLY = FOLDER / "root" / "usr" / "lib" / "ipxe" / "snponly.efi"


def newer_boot():
    """The versions that are there now; Skip where they cannot be had."""
    got = subprocess.run([machine.ROOT / "tools" / "suite-get", FOLDER, "ovmf", "ipxe"], capture_output=True, text=True,
                         stdin=subprocess.DEVNULL, timeout=400)
    if got.returncode == 77:
        raise Skip(got.stderr.strip().splitlines()[-1])
    equal(got.returncode, 0, f"tools/suite-get: {got.stderr}")
    return ", ".join((FOLDER / "version").read_text().split("\n")).strip(", ")


def ovmf(code, variables="OVMF_VARS_4M.fd"):
    return str(OVMF / code), str(OVMF / variables)
