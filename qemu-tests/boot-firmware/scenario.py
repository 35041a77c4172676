"""The stick under firmware of a newer suite: as it is, Secure Boot's build, and the build for strict page protection.

The last one protects memory by default, but was seen to run an application whose code section says that it is
data: what the application promises about its pages is checked by image/pe-finish, not here."""
import machine
from newer_suite import newer_boot, ovmf
from scenario import boot, equal, file_disk

tier, budget_s, timing = "full", 60, False
SMM = ["-machine", "q35,smm=on", "-global", "driver=cfi.pflash01,property=secure,value=on"]
BUILDS = {"OVMF_CODE_4M.fd": [], "OVMF_CODE_4M.secboot.fd": SMM, "OVMF_CODE_4M.secboot.strictnx.fd": SMM}


def run(folder):
    versions = newer_boot()
    for build, extra in BUILDS.items():
        name = build.removesuffix(".fd")
        disk = machine.stamped_disk(folder / f"{name}.img", 64 << 20, 1 << 20)
        r = boot(folder / name, [*file_disk(disk, "d"), "-device", "nvme,drive=d,serial=FW"], firmware=ovmf(build),
                 extra=extra, expect=0)
        equal(sorted(r.journal.tested()), ["nvme0n1"], f"{build}: disks with results")
    return versions
