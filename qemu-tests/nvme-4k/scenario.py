"""NVMe with 512 and 4096-byte LBAs, sparse namespace ids, an odd end, MDTS small and unlimited: data is right."""
import machine
from scenario import QUICK_CONF, boot, check, check_data, equal, file_disk

tier, budget_s, timing = "quick", 40, False


def run(folder):
    paths = {}
    args = []

    def image(name, size):
        paths[name] = machine.stamped_disk(folder / f"{name}.img", size, seed=len(paths) + 1)
        return file_disk(paths[name], name)
    args += [*image("a", (64 << 20) + 512), "-device", "nvme,drive=a,serial=PLAIN,mdts=0"]
    args += ["-device", "nvme,id=many,serial=SPARSE,mdts=1",
             *image("b", 64 << 20), "-device", "nvme-ns,drive=b,bus=many,nsid=3",
             *image("c", (64 << 20) + 4096),
             "-device", "nvme-ns,drive=c,bus=many,nsid=17,logical_block_size=4096,physical_block_size=4096"]
    r = boot(folder, args, conf=QUICK_CONF, expect=0)
    equal(sorted(r.journal.tested()), ["nvme0n1", "nvme1n17", "nvme1n3"], "disks with results")
    info = {d["name"]: d for d in r.journal.all("disk")}
    equal([info[d]["lba_bytes"] for d in ("nvme0n1", "nvme1n3", "nvme1n17")], [512, 512, 4096], "LBA sizes")
    equal(info["nvme1n3"]["max_command_bytes"], 8192, "MDTS 1 is two pages")
    for disk, name, lba in (("nvme0n1", "a", 512), ("nvme1n3", "b", 512), ("nvme1n17", "c", 4096)):
        check_data(r, disk, paths[name], lba)
    split = r.journal.all("step_end", disk="nvme1n3", block_bytes=8 << 20)[0]
    check("split" in str(split["flags"]) and split["command_bytes"] == 8192, f"splitting is said: {split}")
