"""The SMBus in QEMU: a device that answers differently each time, a transfer that hangs, modules that fit, the PIIX4
with somebody else among the modules, no controller at all.  Stock q35 is part of checks-links."""
import machine
import outside
from scenario import QUICK_CONF, boot, check, equal, file_disk

tier, budget_s, timing = "quick", 80, False
CONF = QUICK_CONF + "data_check = no\nsmbus = probe\nexclude = all\n"
UUID = ["-uuid", "6f3c1a52-8d0e-4b7a-9c55-0123456789ab", "-device", "megasas"]


def verdict(r, code, level, words=""):
    found = [(f["code"], f["level"]) for f in r.journal.all("finding", subject="smbus")]
    check((code, level) in found, f"want {code} {level}, got {found}")
    seen = r.journal.findings(code)[0]["seen"]
    check(words in seen, f"{code}: {seen!r} lacks {words!r}")
    said, read = r.serial_text.find(b"# SMBus "), r.serial_text.find(b'"ev":"smbus"')
    check(code == "smbus-not-visible" or 0 <= said < read, "a line on serial comes before the bus is touched")
    return r.journal.one("smbus")


def unstable(folder, disk):
    """A management controller's interface at 0x54, of which the board's table does not say that it is there."""
    r = boot(folder / "unstable", [*disk, *UUID, "-device", "ipmi-bmc-sim,id=b",
                                   "-device", "smbus-ipmi,bmc=b,address=0x54",
                                   *outside.smbios_bmc_by_ports(folder / "t38.bin")], conf=CONF)
    verdict(r, "smbus-two-answer", "WARN", "0x54")
    return folder / "unstable" / "stick.img"


def hanging(folder, disk, stick):
    """The same board and the same card without that: what vanished is said; a transfer that was left hanging is ended."""
    r = boot(folder / "hanging", [*disk, *UUID], conf=CONF + "bench_wait_s = 60\n", stick=stick,
             during=outside.in_bench_wait(lambda m: outside.Smbus(m).leave_busy()))
    line = verdict(r, "smbus-left-busy", "WARN", "ended it")
    equal(line["answers"], "BBBBBBBB", "the bus works again")
    check("0x54" in r.journal.findings("smbus-mod-confirmed")[0]["seen"], "what an earlier run saw is gone")


def healthy(folder, disk):
    """Eight modules of 64 MiB, as many as the firmware's tables name, and as much as its memory map has."""
    tables = []
    for i in range(8):
        tables += outside.smbios_memory_device(folder / f"t17-{i}.bin", 0x1100 + i, 64)

    def fill(m):
        bus, spd = outside.Smbus(m), outside.spd_ddr3_64mib()
        for address in range(0x50, 0x58):
            outside.fill_spd(bus, address, spd)
    r = boot(folder / "healthy", [*disk, *tables], conf=CONF + "bench_wait_s = 60\n",
             during=outside.in_bench_wait(fill))
    line = verdict(r, "smbus-healthy", "PASS", "8 memory modules of 8")
    equal(line["answers"], "MMMMMMMM", "who answers")


def piix4(folder, disk):
    """The pc machine with a display's EDID at 0x52 and at 0x62; the second is outside of what is read."""
    r = boot(folder / "piix4", [*disk, "-machine", "pc", "-device", "i2c-ddc,address=0x52",
                                "-device", "i2c-ddc,address=0x62"], conf=CONF)
    line = verdict(r, "smbus-foreign", "WARN", "0x52")
    equal(line["answers"], "BBOBBBBB", "who answers")
    check("PIIX4" in line["controller"], f"the controller is {line['controller']}")


def absent(folder, disk):
    r = boot(folder / "absent", [*disk, "-machine", "q35,smbus=off"], conf=CONF)
    verdict(r, "smbus-not-visible", "CANNOT TELL", "no SMBus controller")


def run(folder):
    path = machine.stamped_disk(folder / "d.img", 64 << 20)
    disk = [*file_disk(path, "d"), "-device", "nvme,drive=d,serial=D"]
    stick = unstable(folder, disk)
    hanging(folder, disk, stick)
    healthy(folder, disk)
    piix4(folder, disk)
    absent(folder, disk)
