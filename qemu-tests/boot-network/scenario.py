"""Network boots beside those of rack-pxe and rack-four: HTTP Boot, results by TFTP after a web server that refuses them,
Secure Boot with a signed application, firmware and iPXE of a newer suite."""
import os
import subprocess

import machine
from newer_suite import SNPONLY, newer_boot, ovmf
from rack_up import rack_up
from scenario import check

tier, budget_s, timing = "full", 280, False
SECURE = ("/usr/share/OVMF/OVMF_CODE_4M.secboot.fd", "/usr/share/OVMF/OVMF_VARS_4M.snakeoil.fd")
KEY, CERT = "/usr/share/ovmf/PkKek-1-snakeoil.key", "/usr/share/ovmf/PkKek-1-snakeoil.pem"
SMM = "-machine q35,smm=on -global driver=cfi.pflash01,property=secure,value=on"


def boots(folder, name, *words):
    (folder / name).mkdir()
    return rack_up(folder / name, 2 * budget_s, *words)


def second_place(folder):
    """The web server refuses writing there; straight from the firmware and under iPXE."""
    conf = folder / "second-place.conf"
    conf.write_text("upload = http://boot-server/conf/, tftp://boot-server/upload/tftp/\n")
    for row in boots(folder, "second-place", "--machines", "1-2", "--conf", str(conf)):
        check(all("/upload/tftp/" in path for path in row["uploads"]), f"only TFTP takes results here: {row['uploads']}")


def secure(folder):
    """A word when this system's firmware has no keys to test with."""
    if not all(os.path.exists(path) for path in (*SECURE, KEY, CERT)):
        return "without Secure Boot: its files are not part of this system's OVMF package; "
    key, signed = folder / "key.pem", folder / "signed.efi"
    subprocess.run(["openssl", "rsa", "-in", KEY, "-passin", "pass:snakeoil", "-out", key], check=True, capture_output=True)
    subprocess.run(["make", "-s", "sign", f"KEY={key}", f"CERT={CERT}", f"SIGNED={signed}"], cwd=machine.ROOT, check=True)
    boots(folder, "secure", "--machines", "1", "--app", str(signed), "--firmware", ",".join(SECURE), "--qemu=" + SMM)
    return ""


def newer(folder):
    versions = newer_boot()
    firmware = ["--firmware", ",".join(ovmf("OVMF_CODE_4M.fd"))]
    boots(folder, "newer-http", "--machines", "1", "--boot-by", "http", *firmware)
    # Straight from the firmware and by snponly.efi.
    boots(folder, "newer", "--machines", "1-2", "--ipxe", str(SNPONLY), *firmware)
    # The newer iPXE on the older firmware, with the machine that has no disk: what its errors look like.
    boots(folder, "newer-ipxe", "--machines", "4", "--ipxe", str(SNPONLY))
    return versions


def run(folder):
    # Straight into the application, and into iPXE.
    boots(folder, "http", "--machines", "1-2", "--boot-by", "http")
    second_place(folder)
    words = secure(folder)
    return words + newer(folder)
