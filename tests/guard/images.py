"""Disks as they are found in machines, as sparse files: made by the real tools where these work on a file, else by the
public layout of what the guard must recognise.

IMAGES: {name: (how, maker, [words that the guard must say])}; maker(path) fills an existing, all-zero file of SIZE bytes.
`how` is "tool" or "recipe".
"""
import os
import shutil
import struct
import subprocess
import zlib
from pathlib import Path

SIZE = 512 << 20
KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
IMAGES = {}


class Missing(Exception):
    """The tool is not installed."""


def image(name, *words, how="tool", size=SIZE):
    def add(maker):
        IMAGES[name] = (how, maker, words, size)
        return maker
    return add


def run(*words, **kw):
    tool = shutil.which(words[0], path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    if not tool:
        raise Missing(f"{words[0]} is not installed")
    done = subprocess.run([tool, *map(str, words[1:])], capture_output=True, timeout=60, **kw)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, words))}: {done.stdout.decode()}{done.stderr.decode()}")


def put(path, at, data):
    """At byte `at`; negative: from the end."""
    with open(path, "r+b") as f:
        f.seek(at if at >= 0 else os.path.getsize(path) + at)
        f.write(data)


# ---- file systems by their own tools ----
def by_tool(name, words, *command, size=SIZE):
    image(name, *words, size=size)(lambda path: run(*[str(path) if w == "@" else w for w in command]))


by_tool("ext2", ["ext2 at byte 1024", "ext, copy of its superblock at byte 134217728"], "mke2fs", "-q", "-F", "-t", "ext2", "@")
by_tool("ext3", ["ext3 at byte 1024", "ext, copy of its superblock at byte 134217728"], "mke2fs", "-q", "-F", "-t", "ext3", "@")
by_tool("ext4", ["ext4 at byte 1024", "ext, copy of its superblock at byte 134217728"],
        "mke2fs", "-q", "-F", "-t", "ext4", "-E", "lazy_itable_init=1", "@")
by_tool("ext4-1k", ["ext4 at byte 1024", "ext, copy of its superblock at byte 8389632"],
        "mke2fs", "-q", "-F", "-t", "ext4", "-b", "1024", "-E", "lazy_itable_init=1", "@", size=64 * MIB)
by_tool("ext-journal", ["ext journal at byte 1024"], "mke2fs", "-q", "-F", "-O", "journal_dev", "@")
by_tool("xfs", ["XFS"], "mkfs.xfs", "-q", "-f", "@")
by_tool("btrfs", ["btrfs at byte 65536", "btrfs, copy of its superblock at byte 67108864"], "mkfs.btrfs", "-q", "-f", "@")
by_tool("fat12", ["FAT12"], "mkfs.fat", "-F", "12", "@", size=8 * MIB)
by_tool("fat16", ["FAT16"], "mkfs.fat", "-F", "16", "@", size=64 * MIB)
by_tool("fat32", ["FAT32"], "mkfs.fat", "-F", "32", "@")
by_tool("exfat", ["exFAT"], "mkfs.exfat", "@")
by_tool("ntfs", ["NTFS"], "mkntfs", "-q", "-F", "-f", "@")
by_tool("f2fs", ["F2FS at byte 1024", "F2FS, second superblock at byte 5120"], "mkfs.f2fs", "-q", "@")
by_tool("swap", ["Linux swap at byte 4086"], "mkswap", "-f", "@")
by_tool("swap-64k", ["Linux swap at byte 65526"], "mkswap", "-f", "-p", "65536", "@")
by_tool("apfs", ["APFS"], "mkapfs", "@")
by_tool("luks1", ["LUKS1"], "cryptsetup", "luksFormat", "--batch-mode", "--type", "luks1", "--pbkdf-force-iterations", "1000",
        "--key-file", "/etc/hostname", "@")
by_tool("luks2", ["LUKS2", "LUKS2, second header at byte 16384"], "cryptsetup", "luksFormat", "--batch-mode", "--type",
        "luks2", "--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000", "--key-file", "/etc/hostname", "@")
by_tool("hfs", ["HFS at byte 1024"], "hformat", "-f", "@", size=64 * MIB)


def ufs(version):
    def make(path):
        folder = Path(f"{path}.files")
        folder.mkdir()
        run("makefs", "-t", "ffs", "-o", f"version={version}", "-s", "64m", path, folder)
        folder.rmdir()
        os.truncate(path, SIZE)
    return make


image("ufs1", "UFS1 at byte 8192")(ufs(1))
image("ufs2", "UFS2 at byte 8192")(ufs(2))


@image("ufs2-64k", "UFS2 at byte 65536", how="recipe")
def _(path):
    """Where FreeBSD's newfs puts it."""
    put(path, 65536 + 1372, struct.pack("<I", 0x19540119))


@image("gpt-ext4", "protective MBR", "GPT at byte 512", f"backup GPT at byte {SIZE - 512}", "ext4 at byte 1024 of partition 2",
       "FAT32 of partition 1")
def _(path):
    run("sgdisk", "-n", "1:2048:206847", "-t", "1:ef00", "-n", "2:206848:0", path)
    run("mkfs.fat", "-F", "32", "--offset", "2048", path, str(100 << 10))
    run("mke2fs", "-q", "-F", "-t", "ext4", "-E", f"offset={206848 * 512},lazy_itable_init=1", path, "256M")


@image("gpt-backup-only", f"backup GPT at byte {SIZE - 512}", "ext4 at byte 1024 of partition 1")
def _(path):
    run("sgdisk", "-n", "1:2048:0", path)
    run("mke2fs", "-q", "-F", "-t", "ext4", "-E", "offset=1048576,lazy_itable_init=1", path, "128M")
    put(path, 0, bytes(34 * 512))


@image("mbr-ntfs", "MBR", "NTFS of partition 1")
def _(path):
    entry = struct.pack("<B3sB3sII", 0x80, b"\0\0\0", 7, b"\0\0\0", 2048, 131072)
    put(path, 446, entry + bytes(48) + b"\x55\xaa")
    part = Path(f"{path}.part")
    with open(part, "wb") as f:
        f.truncate(131072 * 512)
    run("mkntfs", "-q", "-F", "-f", "-p", "2048", "-H", "16", "-S", "63", part)
    put(path, 2048 * 512, part.read_bytes()[:65536])
    part.unlink()


@image("lvm2", "LVM2 physical volume at byte 512", how="recipe")
def _(path):
    """The label as LVM2 writes it to sector 1 of a physical volume (pvcreate takes block devices only)."""
    put(path, 512, b"LABELONE" + struct.pack("<QII", 1, 0, 32) + b"LVM2 001" + b"0123456789abcdef" * 2)


# ---- RAID, by the public layouts ----
def md1(at_bytes):
    sb = bytearray(256)
    sb[0:8] = struct.pack("<II", 0xa92b4efc, 1)
    sb[16:32] = bytes(range(16))
    sb[32:64] = b"host:0".ljust(32, b"\0")
    sb[72:80] = struct.pack("<iI", 1, 0)
    sb[128:152] = struct.pack("<QQQ", 2048, 4096, at_bytes // 512)
    return bytes(sb)


@image("md-0.90", f"Linux RAID 0.90 member at byte {SIZE - 65536}", how="recipe")
def _(path):
    put(path, SIZE - 65536, struct.pack("<IIII", 0xa92b4efc, 0, 90, 0) + bytes(range(1, 200)))


@image("md-0.90-odd-size", "Linux RAID 0.90 member at byte 268369920", how="recipe", size=256 * MIB + 4096)
def _(path):
    put(path, 256 * MIB - 65536, struct.pack("<IIII", 0xa92b4efc, 0, 90, 0) + bytes(range(1, 200)))


@image("md-1.0", f"Linux RAID 1.0 member at byte {SIZE - 8192}", how="recipe")
def _(path):
    put(path, SIZE - 8192, md1(SIZE - 8192))


@image("md-1.0-odd-size", "Linux RAID 1.0 member at byte 268427264", how="recipe", size=256 * MIB + 512 * 3)
def _(path):
    put(path, 256 * MIB - 8192, md1(256 * MIB - 8192))


@image("md-1.1", "Linux RAID 1.1 member", how="recipe")
def _(path):
    put(path, 0, md1(0))


@image("md-1.2", "Linux RAID 1.2 member at byte 4096", how="recipe")
def _(path):
    put(path, 4096, md1(4096))


def ddf_header():
    h = bytearray(b"\xff" * 512)
    h[0:4] = bytes.fromhex("de11de11")
    h[8:32] = b"LSI     \x10\x00\x00\x79\x10\x28\x1f\x17" + bytes(8)
    h[32:40] = b"01.02.00"
    h[4:8] = struct.pack(">I", zlib.crc32(bytes(h)))
    return bytes(h)


@image("ddf", f"DDF RAID at byte {SIZE - 512}", how="recipe")
def _(path):
    put(path, -512, ddf_header())


@image("ddf-secondary", f"DDF RAID at byte {SIZE - 257 * 512}", how="recipe")
def _(path):
    put(path, -257 * 512, ddf_header())


@image("imsm", f"Intel RAID (IMSM) at byte {SIZE - 1024}", how="recipe")
def _(path):
    put(path, -1024, b"Intel Raid ISM Cfg Sig. 1.3.00".ljust(512, b"\1"))


@image("lsi", f"LSI RAID at byte {SIZE - 512}", how="recipe")
def _(path):
    put(path, -512, b"$XIDE$".ljust(512, b"\2"))


@image("adaptec", f"Adaptec RAID at byte {SIZE - 512}", how="recipe")
def _(path):
    put(path, -512, bytes.fromhex("37fc4d1e") + bytes(240) + b"DPTM")


# ---- volumes without a tool here ----
def zfs_label():
    pairs = struct.pack(">BBBBII", 1, 0, 0, 0, 0, 1) + struct.pack(">III", 36, 32, 7) + b"version\0" + struct.pack(
        ">IIQ", 8, 1, 5000)
    return pairs + struct.pack(">III", 36, 32, 4) + b"name" + struct.pack(">III", 9, 1, 4) + b"tank"


ZFS_ENDS = [0, 256 * KIB, SIZE - 512 * KIB, SIZE - 256 * KIB]
for number, place in enumerate(ZFS_ENDS):
    image(f"zfs-label-{number}", f"ZFS, label {number} at byte {place + 16 * KIB}", how="recipe")(
        lambda path, place=place: put(path, place + 16 * KIB, zfs_label()))


@image("refs", "ReFS", how="recipe")
def _(path):
    put(path, 0, b"\0\0\0ReFS\0\0\0\0\0FSRS")


@image("bitlocker", "BitLocker", how="recipe")
def _(path):
    put(path, 0, b"\xeb\x58\x90-FVE-FS-\0\2\1" + bytes(496) + b"\x55\xaa")


@image("bitlocker-to-go", "BitLocker To Go", how="recipe")
def _(path):
    run("mkfs.fat", "-F", "32", path)
    put(path, 0, b"\xeb\x58\x90MSWIN4.1")
    put(path, 424, bytes.fromhex("3bd66749292ed84a8399f6a339e3d001"))


@image("hfs-plus", "HFS+ at byte 1024", f"HFS+, copy of its header at byte {SIZE - 1024}", how="recipe")
def _(path):
    header = b"H+" + struct.pack(">HII", 4, 0x100, 0x31302e30) + bytes(64)
    put(path, 1024, header)
    put(path, -1024, header)


@image("vmfs", "VMFS volume at byte 1048576", "VMFS at byte 2097152", how="recipe")
def _(path):
    put(path, MIB, bytes.fromhex("0dd001c0") + b"\3")
    put(path, 2 * MIB, bytes.fromhex("5ef1ab2f") + b"\6")


@image("bcache", "bcache at byte 4096", how="recipe")
def _(path):
    put(path, 4096, struct.pack("<QQQ", 0, 8, 1) + bytes.fromhex("c68573f64e1a45ca8265f57f48ba6d81"))


@image("bcachefs", "bcachefs at byte 4096", f"bcachefs, copy of its superblock at byte {SIZE - MIB}", how="recipe")
def _(path):
    for at in (4096, SIZE - MIB):
        put(path, at, bytes(24) + bytes.fromhex("c68573f666ce90a9d96a60cf803df7ef"))


@image("ceph", "Ceph BlueStore", how="recipe")
def _(path):
    put(path, 0, b"bluestore block device\n01234567-89ab-cdef-0123-456789abcdef\n")


@image("iso9660", "ISO 9660 at byte 32768", how="recipe")
def _(path):
    put(path, 32768, b"\1CD001\1")


@image("luks2-second-header-only", "LUKS2, second header at byte 4194304", how="recipe")
def _(path):
    put(path, 4 * MIB, b"SKUL\xba\xbe\0\2")


# ---- without a name ----
@image("one-byte-in-the-head", "data of an unknown kind", how="recipe")
def _(path):
    put(path, MIB - 1, b"\1")


@image("one-byte-in-the-tail", f"data of an unknown kind at byte {SIZE - MIB}", how="recipe")
def _(path):
    put(path, -MIB, b"\1")


@image("data-in-the-middle", "data of an unknown kind", how="recipe")
def _(path):
    put(path, SIZE // 2, b"x" * (8 * MIB))


@image("erased-to-ones", "data of an unknown kind", how="recipe", size=16 * MIB)
def _(path):
    put(path, 0, b"\xff" * (16 * MIB))


def make(name, folder):
    """Fills folder/name; its path."""
    how, maker, words, size = IMAGES[name]
    path = Path(folder) / name
    with open(path, "wb") as f:
        f.truncate(size)
    maker(path)
    if os.path.getsize(path) != size:
        os.truncate(path, size)
    return path
