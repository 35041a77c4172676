"""Changes a machine from outside while it runs, and makes what firmware's tables say of it: for scenarios of checks."""
import re
import struct

BENCH = re.compile(rb"waiting up to \d+ s for the test bench")


def hmp(m, line):
    return m.qmp("human-monitor-command", **{"command-line": line})


def in_bench_wait(work):
    """A `during` for boot(): work(m) while the application waits for its test bench (bench_wait_s), then a key."""
    def during(m):
        if not m.wait_for(BENCH, 120):
            raise AssertionError("the application did not come to its test bench\n" +
                                 m.serial_bytes()[-1500:].decode(errors="replace"))
        work(m)
        m.qmp("send-key", keys=[{"type": "qcode", "data": "ret"}])
    return during


# ---- ports and configuration space ----
def out8(m, port, value):
    hmp(m, f"o/b {port:#x} {value:#x}")


def in8(m, port):
    return int(hmp(m, f"i/b {port:#x}").split("=")[1], 16)


def config_select(m, bus, device, function, off):
    hmp(m, f"o/w 0xcf8 {0x80000000 | bus << 16 | device << 11 | function << 8 | off & 0xfc:#x}")


def config_read32(m, bus, device, function, off):
    config_select(m, bus, device, function, off)
    return int(hmp(m, "i/w 0xcfc").split("=")[1], 16)


def config_write32(m, bus, device, function, off, value):
    config_select(m, bus, device, function, off)
    hmp(m, f"o/w 0xcfc {value:#x}")


class Smbus:
    """QEMU's controller, driven from outside: i801 of q35, or the PIIX4 of pc."""

    def __init__(self, m, piix4=False):
        self.m = m
        self.base = (config_read32(m, 0, 1, 3, 0x90) & 0xfff0 if piix4 else config_read32(m, 0, 0x1f, 3, 0x20) & 0xffe0)

    def write_byte(self, address, index, value):
        m, b = self.m, self.base
        out8(m, b + 4, address << 1)
        out8(m, b + 3, index)
        out8(m, b + 5, value)
        out8(m, b + 2, 0x48)
        in8(m, b)
        in8(m, b)
        out8(m, b, 0x9e)

    def leave_busy(self):
        """A block read that nobody fetches the bytes of."""
        m, b = self.m, self.base
        out8(m, b + 4, 0xa1)
        out8(m, b + 3, 0)
        out8(m, b + 2, 0x54)
        in8(m, b)


# ---- memory modules ----
def crc16(data):
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xffff
    return crc


def spd_ddr3_64mib():
    """A DDR3 module of one rank of two 256 Mbit chips of 32 bits: 64 MiB."""
    spd = bytearray(128)
    spd[0:9] = bytes([0x92, 0x10, 0x0b, 0x02, 0x00, 0x00, 0x00, 0x03, 0x03])
    spd[126:128] = struct.pack("<H", crc16(spd[:117]))
    return bytes(spd)


def fill_spd(bus, address, data):
    """QEMU's memories are blank: only what differs is written."""
    for i, byte in enumerate(data):
        if byte:
            bus.write_byte(address, i, byte)


# ---- SMBIOS structures for -smbios file= ----
def smbios_bmc_by_ports(path):
    """A management controller that is reached by I/O ports (KCS): replaces QEMU's own word about its SMBus address."""
    path.write_bytes(struct.pack("<BBHBBBBQBB", 38, 18, 0x3000, 1, 0x20, 0x40, 0xff, 0xca3, 0, 0) + b"\0\0")
    return ["-smbios", f"file={path}"]


def smbios_memory_device(path, handle, mib):
    body = struct.pack("<BBHHHHHHBBBBBH", 17, 0, handle, 0x1000, 0xfffe, 64, 64, mib, 9, 0, 0, 0, 0x18, 0x80)
    body = body[:1] + bytes([len(body)]) + body[2:]
    path.write_bytes(body + b"\0\0")
    return ["-smbios", f"file={path}"]
