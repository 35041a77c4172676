"""The guard's recogniser on disks made by real tools and by recipe: python3 tests/guard/test_images.py [WORD]"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import images  # noqa: E402

LOOK = Path(__file__).resolve().parent.parent.parent / "out/guard-look"


def look(path, block_bytes=512):
    done = subprocess.run([LOOK, path, str(block_bytes)], capture_output=True, text=True, check=True)
    return done.stdout.strip().split(" ", 2)


def check(name, folder):
    path = images.make(name, folder)
    state, fingerprint, words = look(path)
    found = words.split("; ")
    assert state == "found", f"{state}: {words}"
    assert re.fullmatch("[0-9a-f]{64}", fingerprint), fingerprint
    for want in images.IMAGES[name][2]:
        assert want in found or any(f.startswith(want + " at byte") for f in found if want.startswith("data ")), \
            f"\"{want}\" is not in: {words}"
    # A name of something else would mislead: what is on the disk is all that is named.
    kinds = {re.sub(" at byte.*| of partition.*", "", f) for f in found}
    wanted = {re.sub(" at byte.*| of partition.*", "", w) for w in images.IMAGES[name][2]}
    assert kinds == wanted, f"found {kinds}, want {wanted}"
    if images.IMAGES[name][3] % 4096 == 0 and "GPT" not in name and "gpt" not in name and not name.startswith("mbr"):
        assert look(path, 4096)[2] == words, "another answer for blocks of 4096 bytes"
    path.unlink()


def check_blank(folder):
    path = folder / "blank"
    with open(path, "wb") as f:
        f.truncate(images.SIZE)
    assert look(path) == ["blank", "blank", "nothing but zeros at every place looked at"], look(path)
    assert look(path, 4096)[0] == "blank"


def main():
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    passed = failed = skipped = 0
    # In memory where that is offered: the tools wait for the disk otherwise.
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        folder = Path(folder)
        for name in [n for n in images.IMAGES if word in n] + ([""] if word in "blank" else []):
            try:
                check(name, folder) if name else check_blank(folder)
                passed += 1
            except images.Missing as why:
                skipped += 1
                print(f"{name}: skipped: {why}")
            except AssertionError as why:
                failed += 1
                print(f"{name}: {why}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
