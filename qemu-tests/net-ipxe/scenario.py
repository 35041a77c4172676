"""Started by an iPXE script: words of the script stand over the configuration that iPXE loaded beside the application,
results go home by HTTP, and the script goes on by the verdict."""
import re
import shutil
import time
from pathlib import Path

import machine
from net_servers import Web, journal_of
from scenario import Journal, Skip, check, equal, file_disk

tier, budget_s, timing = "full", 90, False
ROM = Path("/usr/lib/ipxe/qemu/efi-e1000.rom")
SCRIPT = """#!ipxe
initrd --name baresweep.conf conf
kernel BOOTX64.EFI countdown_s=0 "run_label=from the script" upload={place}/up/ {args}
boot || goto failed
imgfree
imgfetch --name said {place}/passed ||
shell
:failed
imgfree
imgfetch --name said {place}/failed?${{errno}} ||
shell
"""


def start(folder, args):
    folder.mkdir()
    web, tftp = Web(), folder / "tftp"
    tftp.mkdir()
    shutil.copy(machine.ROOT / "out" / "BOOTX64.EFI", tftp)
    (tftp / "conf").write_text("time_scale_pct = 1\ncountdown_s = 3000\nrun_label = from the file\n")
    (tftp / "boot.ipxe").write_text(SCRIPT.format(place=web.place, args=args))
    disk = [*file_disk(machine.stamped_disk(folder / "d.img", 64 << 20, 1 << 20), "d"), "-device", "nvme,drive=d,serial=I"]
    m = machine.Machine(folder / "m", disks=disk, vga=False, stick_device=None,
                        extra=["-netdev", f"user,id=n0,tftp={tftp},bootfile=boot.ipxe", "-device",
                               f"e1000,netdev=n0,mac=52:54:00:00:13:01,romfile={ROM},bootindex=1",
                               "-fw_cfg", "name=opt/org.tianocore/IPv6Support,string=no"])
    return web, m.start()


def told(web, m, what):
    """Until the script has fetched a path that begins so."""
    end = time.monotonic() + 40
    while not any(x.startswith(what) for x in web.got) and time.monotonic() < end:
        time.sleep(0.2)
    check(any(x.startswith(what) for x in web.got), f"the script went on: {web.got}\n" +
          m.serial_bytes()[-800:].decode(errors="replace"))


def run(folder):
    if not ROM.exists():
        raise Skip(f"{ROM} is missing (package ipxe-qemu)")
    web, m = start(folder / "passes", "")
    try:
        equal(m.wait_end(240), 0, "exit\n" + m.serial_bytes()[-2500:].decode(errors="replace"))
        told(web, m, "/passed")
        j = Journal(m.serial_bytes())
        equal(j.one("run_start")["label"], "from the script", "words of the script are stronger")
        check("boot loader" in j.one("conf")["source"], j.one("conf"))
        check("from_network=yes" in str(j.one("conf")), j.one("conf"))
        equal([x["seq"] for x in Journal(journal_of(web.put)).lines], [x["seq"] for x in j.lines], "what came home")
    finally:
        m.kill()
    web, m = start(folder / "fails", "expect_disks=9")
    try:
        equal(m.wait_end(240), 1, "exit of the failing run")
        told(web, m, "/failed?")
        check(re.search(r"/failed\?0x7f04\w*c3", next(x for x in web.got if "failed" in x)), f"the status: {web.got}")
    finally:
        m.kill()
