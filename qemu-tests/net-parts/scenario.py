"""A result that is larger than one part of an upload: the parts, put together in the order of their names, are the
stick's files to the byte."""
import machine
from net_servers import HOST, Web, journal_of
from scenario import boot, check, equal

tier, budget_s, timing = "full", 90, False
DRIVES, JOBS, PART_BYTES = 24, 16, 512 << 10


def disks():
    args = ["-device", "nvme,id=n0,serial=PARTS"]
    for i in range(DRIVES):
        args += ["-blockdev", f"driver=null-co,size={64 << 20},read-zeroes=on,node-name=d{i}",
                 "-device", f"nvme-ns,drive=d{i},bus=n0,nsid={i + 1}"]
    return args


def job(i):
    return f"[rand-{i}]\nfilename=all\nrw=randread\nbs={4 << i % 4}k\niodepth={1 + i}\ntime_based\nruntime=300ms\n"


def run(folder):
    (folder / "jobs.fio").write_text("".join(job(i) for i in range(JOBS)))
    home = Web()
    r = boot(folder / "m", disks(), files=[(folder / "jobs.fio", "jobs.fio")], expect=0, timeout_s=2 * budget_s,
             conf=f"countdown_s = 0\ndata_check = no\nplan = jobs\njobs = jobs.fio\nupload = {home.place}/\n",
             extra=["-netdev", "user,id=n0", "-device", "virtio-net-pci,netdev=n0,romfile="])
    parts = sorted(n for n in home.put if "journal-" in n)
    check(len(parts) >= 2, f"more than one part of the journal: {parts}")
    check(any(len(home.put[n]) > PART_BYTES // 2 for n in parts), "a part that is more than half full")
    check(all(len(body) <= PART_BYTES for body in home.put.values()), "no part is larger than 512 KiB")
    check(all(home.put[n].endswith(b"\n") for n in parts), "a part ends with a whole line")
    equal(journal_of(home.put) == (r.folder / "journal.ndjson").read_bytes(), True, "the parts are the stick's journal")
    for name in ("summary.txt", "report.html", "results.csv", "fio.json", "junit.xml"):
        sent = b"".join(home.put[n] for n in sorted(home.put) if n.endswith(name) or f"{name}." in n)
        equal(sent == (r.folder / name).read_bytes(), True, f"{name}: what came home is the stick's")
    return f"{len(parts)} parts of the journal, {sum(map(len, home.put.values())) >> 10} KiB in all"
