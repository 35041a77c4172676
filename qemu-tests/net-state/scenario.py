"""Two runs of one machine without a stick: the second is compared with what a server kept of the first."""
import shutil

import machine
import outside
from net_servers import Web
from scenario import boot, check, equal

tier, budget_s, timing = "full", 90, False
UUID = "6f3c1a52-8d0e-4b7a-9c55-0123456789ab"


def run(folder):
    web, tftp = Web(), folder / "tftp"
    (tftp / "conf").mkdir(parents=True)
    shutil.copy(machine.ROOT / "out" / "BOOTX64.EFI", tftp)
    (tftp / "conf" / "default").write_text("time_scale_pct = 1\ncountdown_s = 0\nsmbus = probe\nexclude = all\n"
                                           f"state = {web.place}/state/\n")
    common = ["-netdev", f"user,id=n0,tftp={tftp},bootfile=BOOTX64.EFI", "-device",
              "virtio-net-pci,netdev=n0,romfile=,bootindex=1", "-uuid", UUID, "-device", "megasas",
              "-fw_cfg", "name=opt/org.tianocore/IPv6Support,string=no"]
    with_bmc = ["-device", "ipmi-bmc-sim,id=b", "-device", "smbus-ipmi,bmc=b,address=0x54",
                *outside.smbios_bmc_by_ports(folder / "t38.bin")]
    r = boot(folder / "first", stick_device=None, conf=None, extra=[*common, *with_bmc])
    check(b"nothing is known of this machine yet" in r.serial_text, "the first run knows nothing")
    equal(list(web.put), [f"/state/{UUID}.txt"], "what the server keeps")
    kept = web.put[f"/state/{UUID}.txt"]
    check(kept.startswith(b"baresweep-state 1\npart responders "), kept[:80])
    check(not r.serial.findings("smbus-mod-confirmed"), "nothing to compare with")

    r = boot(folder / "second", stick_device=None, conf=None, extra=common)
    check(f"{UUID}.txt: read".encode() in r.serial_text, "the second run has it")
    check("0x54" in r.serial.findings("smbus-mod-confirmed")[0]["seen"], "what the first run saw is gone")
    check(web.put[f"/state/{UUID}.txt"] != kept, "and the new map is kept")
