"""after = next without a boot loader in between: a run that passes leads to the firmware's next boot entry, one that
fails waits.  The first entry is the network, the next one a stick that says who it is."""
import re
import shutil
import time

import machine
from scenario import check, equal, file_disk

tier, budget_s, timing = "full", 200, False


def start(folder, conf):
    folder.mkdir()
    tftp = folder / "tftp"
    (tftp / "conf").mkdir(parents=True)
    shutil.copy(machine.ROOT / "out" / "BOOTX64.EFI", tftp)
    (tftp / "conf" / "default").write_text("time_scale_pct = 1\ncountdown_s = 0\nafter = next\n" + conf)
    disk = [*file_disk(machine.stamped_disk(folder / "d.img", 64 << 20, 1 << 20), "d"), "-device", "nvme,drive=d,serial=N"]
    m = machine.Machine(folder / "m", disks=disk, vga=False,
                        stick_device="-device qemu-xhci,id=xhci -device usb-storage,drive=stick,bootindex=2,removable=on",
                        conf="time_scale_pct = 1\ncountdown_s = 0\nrun_label = second stage\n",
                        extra=["-netdev", f"user,id=n0,tftp={tftp},bootfile=BOOTX64.EFI", "-device",
                               "virtio-net-pci,netdev=n0,romfile=,bootindex=1",
                               "-fw_cfg", "name=opt/org.tianocore/IPv6Support,string=no"])
    return m.start()


def run(folder):
    m = start(folder / "passes", "")
    try:
        check(m.wait_for(re.compile(rb"second stage"), 240), "the next boot entry was started\n" +
              m.serial_bytes()[-1500:].decode(errors="replace"))
        check(b"on to the firmware's next boot entry" in m.serial_bytes(), "said")
    finally:
        m.kill()
    m = start(folder / "fails", "expect_disks = 9\n")
    try:
        equal(m.wait_end(240), 1, "exit of the failing run")
        check(m.wait_for(re.compile(rb"this machine waits"), 30), "said that it waits")
        time.sleep(8)
        check(b"second stage" not in m.serial_bytes() and m.process.poll() is None, "it waits")
    finally:
        m.kill()
