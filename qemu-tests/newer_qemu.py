"""The QEMU of a newer Debian suite, unpacked beside the build."""
import subprocess

import machine
from scenario import Skip, equal

SUITE = machine.ROOT / "out" / "suite"


def newer_qemu():
    """The program; Skip where it cannot be had."""
    got = subprocess.run([machine.ROOT / "tools" / "suite-get", SUITE], capture_output=True, text=True,
                         stdin=subprocess.DEVNULL, timeout=400)
    if got.returncode == 77:
        raise Skip(got.stderr.strip().splitlines()[-1])
    equal(got.returncode, 0, f"tools/suite-get: {got.stderr}")
    return SUITE / "qemu-system-x86_64"


def version():
    return (SUITE / "version").read_text().strip()
