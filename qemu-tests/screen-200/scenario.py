"""200 namespaces on one NVMe controller: all are listed, measured and on the last screen; the live view is paged by somebody
who never stops pressing keys."""
import re
import time

from scenario import boot, check, equal

tier, budget_s, timing = "full", 300, False

COUNT = 200


def look(m):
    check(m.wait_for(re.compile(rb"starts by itself"), 120), "no countdown")
    time.sleep(2)
    m.screendump(m.folder / "start.png")
    m.press("down")
    m.wait_for(re.compile(rb"the menu is open"), 20)
    m.press("down", "ret", "end")
    m.screendump(m.folder / "menu.png")
    m.press("esc", "home", "ret")
    check(m.wait_for(re.compile(rb"# step 1/"), 60), "no first step")
    time.sleep(12)
    m.press("pgdn")
    time.sleep(3)
    m.screendump(m.folder / "live.png")
    while not m.wait_for(re.compile(rb"# screen and keys"), 0.2) and m.process.poll() is None:
        m.press("pgup", "ret", "esc", "pgdn", "down", every_s=0.25)


def run(folder):
    disks = ["-device", "nvme,id=nvme0,serial=MANY,max_ioqpairs=64"]
    for i in range(COUNT):
        disks += ["-blockdev", f"driver=null-co,node-name=n{i},size=67108864,read-zeroes=on",
                  "-device", f"nvme-ns,drive=n{i},bus=nvme0,nsid={i + 1}"]
    (folder / "all.fio").write_text("[look]\nrw=read\nbs=64k\niodepth=1\nruntime=45\ntime_based\n")
    r = boot(folder / "run", disks, conf="plan = jobs\njobs = all.fio\ncountdown_s = 60\nend_screen_s = 2\ndata_check = no\n",
             files=[(folder / "all.fio", "all.fio")], expect=0, during=look, timeout_s=400,
             screendump=folder / "run" / "end.png")
    equal(len(r.journal.tested()), COUNT, "disks with a result")
    cost = [x["text"] for x in r.journal.all("log") if x["text"].startswith("screen and keys")]
    check(cost, "what drawing took is said")
    percent = float(re.search(r"([\d.]+) %", cost[0]).group(1))
    check(percent < 1, f"drawing took {percent} % of the time")
