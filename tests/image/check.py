"""What the images promise: their sizes, the same bits from the same input, a signature that verifies.

    check.py FOLDER          packs the image and the ISO anew under other circumstances and compares; signs
    check.py again FOLDER    builds everything from a copy of the sources in another folder and compares
"""
import hashlib
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
OUT = ROOT / "out"
APPLICATION, IMAGE, ISO = OUT / "BOOTX64.EFI", OUT / "baresweep.img", OUT / "baresweep.iso"
APPLICATION_LIMIT_BYTES, ISO_LIMIT_BYTES = 1 << 20, 8 << 20


def check(condition, what):
    if not condition:
        sys.exit(f"image: {what}")


def same(a, b, what):
    check(Path(a).read_bytes() == Path(b).read_bytes(), f"{what} differs: {a} {b}")


def run(*words, **kw):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, stdin=subprocess.DEVNULL, **kw)
    check(done.returncode == 0, f"{words}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def sizes():
    check(APPLICATION.stat().st_size <= APPLICATION_LIMIT_BYTES, f"the application has {APPLICATION.stat().st_size} bytes")
    check(ISO.stat().st_size <= ISO_LIMIT_BYTES, f"the ISO has {ISO.stat().st_size} bytes")


def pack_again(folder):
    """Another time zone, other permissions, another working folder, files that are older and newer."""
    conf, app = folder / "conf", folder / "app"
    shutil.copy(ROOT / "boot" / "baresweep.conf", conf)
    shutil.copy(APPLICATION, app)
    os.utime(conf, (10 ** 9, 10 ** 9))
    env = {**os.environ, "TZ": "Pacific/Chatham", "LC_ALL": "C", "TMPDIR": str(folder)}
    for tool, made, first in (("make-image", "i.img", IMAGE), ("make-iso", "i.iso", ISO)):
        run(ROOT / "image" / tool, folder / made, app, conf, cwd=folder, env=env, umask=0o077)
        same(folder / made, first, made)
        run(ROOT / "image" / tool, folder / f"later-{made}", app, conf, cwd=folder,
            env={**env, "SOURCE_DATE_EPOCH": "1800000000"})
        check((folder / f"later-{made}").read_bytes() != first.read_bytes(), f"SOURCE_DATE_EPOCH means nothing for {made}")


def sections(path):
    data = path.read_bytes()
    pe = struct.unpack_from("<I", data, 0x3c)[0]
    table = pe + 24 + struct.unpack_from("<H", data, pe + 20)[0]
    found = {}
    for i in range(struct.unpack_from("<H", data, pe + 6)[0]):
        name, size, _, raw_size, at = struct.unpack_from("<8sIIII", data, table + 40 * i)
        found[name.rstrip(b"\0").decode()] = data[at:at + min(size, raw_size)]
    return found


def sign(folder):
    """With a key made here; shim wants to read .sbat."""
    key, cert = folder / "key.pem", folder / "cert.pem"
    run("openssl", "req", "-new", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=test", "-days", "2",
        "-keyout", key, "-out", cert)
    signed = folder / "signed.efi"
    run("make", "-s", "sign", f"KEY={key}", f"CERT={cert}", f"SIGNED={signed}", cwd=ROOT)
    run("sbverify", "--cert", cert, signed)
    sbat = sections(signed).get(".sbat", b"")
    check(sbat.startswith(b"sbat,1,") and b"\nbaresweep," in sbat, f"no .sbat in the signed application: {sbat[:80]!r}")


def pin(folder):
    """Only the pin's 64 digits change; what is signed, or no arming file, is left alone."""
    arming, pinned = folder / "arming.txt", folder / "pinned.efi"
    arming.write_text("baresweep-arming 1\nbatch 0123456789abcdef\n")
    run("make", "-s", "pin", f"ARMING={arming}", f"PINNED={pinned}", cwd=ROOT)
    plain, data = APPLICATION.read_bytes(), pinned.read_bytes()
    at = data.index(b"BARESWEEP ARM PIN 1 " + hashlib.sha256(arming.read_bytes()).hexdigest().encode()) + 20
    check(plain[:at] == data[:at] and plain[at + 64:] == data[at + 64:], "more than the pin differs")
    for wrong in ((folder / "signed.efi", arming), (APPLICATION, APPLICATION)):
        done = subprocess.run([ROOT / "image" / "pin-arming", *wrong, folder / "none.efi"], capture_output=True)
        check(done.returncode and not (folder / "none.efi").exists(), f"pin-arming takes {wrong}")


def build_again(folder):
    """No word of the path, the day or a compiler's cache gets into what is shipped."""
    listed = run("git", "ls-files", "-z", cwd=ROOT).split("\0")
    copy = folder / "elsewhere"
    for name in filter(None, listed):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    run("make", "-s", "-j2", "all", "image", "iso", cwd=copy, env={**os.environ, "CCACHE_DISABLE": "1", "TZ": "UTC"})
    for made in (APPLICATION, IMAGE, ISO):
        same(copy / "out" / made.name, made, made.name)


def main(argv):
    again = argv[0] == "again"
    folder = Path(argv[-1]).resolve()
    run("make", "-s", "all", "image", "iso", cwd=ROOT)
    if again:
        build_again(folder)
        print("the same bits from another folder")
        return
    sizes()
    pack_again(folder)
    sign(folder)
    pin(folder)
    print(f"application {APPLICATION.stat().st_size} bytes, ISO {ISO.stat().st_size} bytes")


main(sys.argv[1:])
