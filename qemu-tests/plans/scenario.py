"""Plans beyond one disk after another: the scaling run over four disks of one controller with rounds until steady, and
the same disks read as one by chunks."""
import machine
from scenario import boot, check, equal, file_disk

tier, budget_s, timing = "quick", 40, False
MIB = 1 << 20
DISKS = [f"sata0.{i}" for i in range(4)]
CONF = "plan = jobs\njobs = jobs.fio\ncountdown_s = 0\ndata_check = no\n"
JOBS = "[reads]\nrw=read\nbs=64k\niodepth=2\nruntime=200ms\ntime_based\n"
WHOLE = "[whole]\nrw=read\nbs=256k\niodepth=2\n"


def disks(folder):
    args = []
    for i in range(4):
        path = machine.stamped_disk(folder / f"d{i}.img", 4 * MIB, 4 * MIB, seed=i + 1)
        args += [*file_disk(path, f"d{i}"), "-device", f"ide-hd,drive=d{i},bus=ide.{i},serial=PLANS-{i},id=dev{i}"]
    return args


def go(folder, name, text, args, conf):
    (folder / "jobs.fio").write_text(text)
    return boot(folder / name, args, conf=CONF + conf, files=[(folder / "jobs.fio", "jobs.fio")], expect=0)


def run(folder):
    args = disks(folder)
    r = go(folder, "scaling", JOBS, args, "order = scaling\nrounds = 6\n")
    lanes = {}
    for x in r.journal.all("step_end"):
        lanes.setdefault(x["step"], []).append(x["disk"])
    sizes = [len(v) for _, v in sorted(lanes.items())]
    equal(sizes, sorted(sizes), "1, 2 and 4 disks, in this order")
    for count in (1, 2, 4):
        check(5 <= sizes.count(count) <= 6, f"rounds of {count} disks: {sizes}")
    for v in lanes.values():
        equal(sorted(v), DISKS[:len(v)], "the first disks of the controller")
    curve = r.journal.one("scaling")
    equal((curve["controller"], curve["job"], curve["disks"]), ("sata0", "reads", [1, 2, 4]), "the curve")
    check(all(curve["bytes_per_s"]) and curve["ceiling_bytes_per_s"] == max(curve["bytes_per_s"]), "its ceiling")
    rounds = r.journal.all("rounds")
    equal([len(x["bytes_per_s"]) for x in rounds], [sizes.count(n) for n in (1, 2, 4)], "rounds of each number")
    equal({x["most"] for x in rounds}, {6}, "rounds allowed")

    r = go(folder, "stripe", WHOLE, args, "stripe = sata0\nstripe_chunk_kib = 64\n")
    end = r.journal.one("step_end")
    equal((end["disk"], end["bytes"], end["errors"]), ("stripe0", 16 * MIB, 0), "the array is read as one, whole")
    array = r.journal.one("array")
    equal((array["disk"], array["chunk_bytes"], array["members"]), ("stripe0", 64 << 10, DISKS), "its members")
    verdicts = {x["disk"]: x["verdict"] for x in r.journal.all("disk_verdict")}
    equal({verdicts[d] for d in ["stripe0", *DISKS]}, {"PASS"}, "array and members have verdicts")
