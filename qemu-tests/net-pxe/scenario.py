"""Booted by PXE without any stick: the configuration is found at the boot server, and results come home by HTTP."""
import shutil

import machine
from net_servers import Web, journal_of
from scenario import Journal, boot, check, equal, file_disk

tier, budget_s, timing = "quick", 25, False
MAC = "52:54:00:00:11:01"


def nic(tftp, mac=MAC):
    return ["-netdev", f"user,id=n0,tftp={tftp},bootfile=BOOTX64.EFI", "-device",
            f"virtio-net-pci,netdev=n0,mac={mac},romfile=,bootindex=1",
            "-fw_cfg", "name=opt/org.tianocore/IPv6Support,string=no",
            "-smbios", "type=1,manufacturer=ACME,product=Rack1,serial=SN 12/345,uuid=11223344-5566-7788-99aa-bbccddeeff00"]


def run(folder):
    web = Web()
    tftp = folder / "tftp"
    (tftp / "conf").mkdir(parents=True)
    shutil.copy(machine.ROOT / "out" / "BOOTX64.EFI", tftp)
    (tftp / "conf" / "default").write_text("expect_disks = 99\n")
    (tftp / "conf" / MAC.replace(":", "-")).write_text(
        f"time_scale_pct = 1\ncountdown_s = 0\nupload = {web.place}/upload/\nrun_label = by MAC\n")
    disk = [*file_disk(machine.stamped_disk(folder / "d.img", 64 << 20, 1 << 20), "d"), "-device", "nvme,drive=d,serial=P"]
    r = boot(folder / "m", disk, conf=None, stick_device=None, extra=nic(tftp), expect=0)
    conf = r.serial.one("conf")
    check("conf/52-54-00-00-11-01" in conf["source"], conf)
    names = sorted(n.split("/")[-1] for n in web.put)
    equal(names[0], "fio.json", f"uploaded: {sorted(web.put)}")
    check(all("SN_12_345_52-54-00-00-11-01_11223344-" in n for n in web.put), sorted(web.put))
    got = Journal(journal_of(web.put))
    equal([x["seq"] for x in got.lines], list(range(len(got.lines))), "sequence of what came home")
    equal(got.lines[-1]["verdict"], r.serial.one("run_end")["verdict"], "verdict of what came home")
    equal([x["seq"] for x in r.serial.lines], [x["seq"] for x in got.lines], "serial and upload")
    check(any(n.endswith("/summary.txt") for n in web.put), sorted(web.put))
