"""Machines with two memory nodes: QEMU's own table, which does not say where a controller is, and one of ours that
does.  Where the buffers lie is taken from QEMU's trace of the queues that the driver makes, not from its words."""
import re
import struct

import machine
from scenario import QUICK_CONF, boot, check, equal, file_disk

tier, budget_s, timing = "quick", 40, False
CONF = QUICK_CONF + "data_check = no\nsmbus = no\n"
NODE_0_END = 256 << 20
TRACE = ["-trace", "pci_nvme_create_sq", "-trace", "pci_nvme_create_cq"]


def memory(node, base, size):
    return struct.pack("<BBIHQQIIQ", 1, 40, node, 0, base, size, 0, 1, 0)


def processor(node, apic_id):
    return struct.pack("<BBBBIIII", 0, 16, node, apic_id, 1, 0, 0, 0)[:16]


def initiator(node, device, function):
    return struct.pack("<BBBBIHBB12xII", 5, 32, 0, 1, node, 0, 0, device << 3 | function, 1, 0)


def queues(m):
    text = (m.folder / "qemu.out").read_text(errors="replace")
    found = [int(x, 16) for x in re.findall(r"pci_nvme_create_[sc]q .*?addr=0x([0-9a-f]+)", text)]
    check(len(found) >= 2, f"queues in QEMU's trace: {text[:500]!r}")
    return found


def flags(r):
    return {f for x in r.journal.all("step_end") for f in x["flags"]}


def qemus_table(folder, disk):
    r = boot(folder / "not-told", [*disk, "-object", "memory-backend-ram,id=m0,size=256M",
                                   "-object", "memory-backend-ram,id=m1,size=256M",
                                   "-numa", "node,nodeid=0,cpus=0,memdev=m0",
                                   "-numa", "node,nodeid=1,cpus=1,memdev=m1", *TRACE], conf=CONF, expect=0)
    f = r.journal.findings("numa-not-controlled")
    equal([(x["level"], x["subject"]) for x in f], [("INFO", "run")], "the finding about nodes")
    check("2 memory nodes" in f[0]["seen"] and "on node 0" in f[0]["seen"], f[0]["seen"])
    check("numa-not-controlled" in flags(r), "the flag stands beside the numbers")
    check(all(a < NODE_0_END for a in queues(r.machine)), "buffers lie on the node of the processor")


def our_table(folder, disk):
    """The processor is on node 1, the controllers on node 0."""
    body = struct.pack("<IQ", 1, 0) + processor(1, 0) + memory(0, 0, NODE_0_END)
    body += memory(1, NODE_0_END, NODE_0_END) + initiator(0, 0x10, 0) + initiator(0, 0x1f, 2)
    (folder / "srat.bin").write_bytes(body)
    r = boot(folder / "told", [*disk, "-acpitable", f"sig=SRAT,rev=3,data={folder / 'srat.bin'}", *TRACE], conf=CONF,
             expect=0)
    f = r.journal.findings("numa-controlled")
    equal([(x["level"], x["subject"]) for x in f], [("PASS", "run")], "the finding about nodes")
    check("numa-not-controlled" not in flags(r), "no flag where the node is known")
    check(all(a < NODE_0_END for a in queues(r.machine)), "buffers lie on the node of the controller")


def run(folder):
    path = machine.stamped_disk(folder / "d.img", 64 << 20)
    disk = [*file_disk(path, "d"), "-device", "nvme,drive=d,serial=D,addr=10.0"]
    qemus_table(folder, disk)
    our_table(folder, disk)
