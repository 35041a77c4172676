"""A disk that becomes slow once the run has begun: the time budget is kept all the same, what was running ends early and
says so, and what is left is NOT-TESTED with its reason."""
import re

import machine
from scenario import boot, check, equal, file_disk

tier, budget_s, timing = "full", 60, False
BUDGET_S = 20
CONF = f"countdown_s = 0\nend_screen_s = 1\ndata_check = no\nbudget_s = {BUDGET_S}\n"


def brake(m):
    check(m.wait_for(re.compile(rb"# step 1/"), 60), "no first step")
    m.qmp("qom-set", path="/objects/brake", property="limits", value={"iops-total": 2})


def run(folder):
    path = machine.stamped_disk(folder / "d.img", 64 << 20, 1 << 20, seed=1)
    args = ["-object", "throttle-group,id=brake", *file_disk(path, "file"),
            "-blockdev", "driver=throttle,throttle-group=brake,file=file,node-name=d",
            "-device", "nvme,drive=d,serial=SLOW"]
    r = boot(folder, args, conf=CONF, expect=0, during=brake, timeout_s=120)
    j = r.journal
    check(j.one("plan")["estimate_ns"] <= BUDGET_S * 1e9, "the plan fits by its estimate")
    begun, end = j.all("step_start")[0]["t_ns"], j.lines[-1]["t_ns"]
    # The last requests in flight are still waited for: 32 of them at two a second.
    check(end - begun < (1.15 * BUDGET_S + 20) * 1e9, f"the run took {(end - begun) / 1e9:.1f} s")
    equal(len(j.all("step_start")) + len({x["job"] for x in j.all("not_tested") if "is used up" in x["why"]}),
          j.one("plan")["steps"], "steps begun and left out")
    check(any("is used up" in x["why"] for x in j.all("not_tested")), "something is left out")
    equal([x["level"] for x in j.findings("not-tested")], ["WARN"], "the finding")
    check("is used up" in r.summary, "the summary says so")
