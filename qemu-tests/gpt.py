"""The few words of GPT and FAT that the runner needs to look into a stick image without mounting it."""
import struct
import subprocess


def partitions(image):
    """Byte offsets of an image's GPT partitions; [0] when it is one bare file system."""
    with open(image, "rb") as f:
        f.seek(512)
        header = f.read(92)
        if header[:8] != b"EFI PART":
            return [0]
        table_lba, count, size = struct.unpack_from("<QII", header, 72)
        f.seek(table_lba * 512)
        entries = [f.read(size) for _ in range(count)]
    return [struct.unpack_from("<Q", e, 32)[0] * 512 for e in entries if any(e[:16])]


def mtools(command, image, offset, *args, check=True):
    return subprocess.run([command, "-i", f"{image}@@{offset}", *args], check=check, capture_output=True,
                          env={"MTOOLS_SKIP_CHECK": "1", "PATH": "/usr/bin:/bin"})


def listing(image, offset, path):
    """Names in a folder of a FAT partition; [] when there is none."""
    done = mtools("mdir", image, offset, "-b", path, check=False)
    return done.stdout.decode().split("\n") if done.returncode == 0 else []


def put(image, offset, source, name):
    mtools("mcopy", image, offset, "-o", source, f"::/{name}")


def fetch_runs(image, into):
    """Copies every runs/ folder of the image's partitions into a directory; returns the run folders' names."""
    names = []
    for offset in partitions(image):
        for path in listing(image, offset, "::/runs"):
            name = path.strip().rstrip("/").split("/")[-1]
            if name and mtools("mcopy", image, offset, "-s", "-n", path.strip().rstrip("/"), str(into),
                               check=False).returncode == 0:
                names.append(name)
    return names


def fsck_clean(image):
    """'' when fsck.fat finds nothing wrong in any partition of the image, else what it said."""
    said = ""
    with open(image, "rb") as f:
        starts = partitions(image)
        ends = starts[1:] + [None]
        for start, end in zip(starts, ends):
            piece = f"{image}.part"
            f.seek(start)
            with open(piece, "wb") as out:
                left = (end - start) if end else None
                while left is None or left > 0:
                    block = f.read(min(1 << 20, left) if left is not None else 1 << 20)
                    if not block:
                        break
                    if any(block):
                        out.write(block)
                    else:
                        out.seek(len(block), 1)
                    left = None if left is None else left - len(block)
                out.truncate()
            done = subprocess.run(["fsck.fat", "-n", piece], capture_output=True, text=True)
            if done.returncode:
                said += done.stdout
            subprocess.run(["rm", "-f", piece])
    return said
