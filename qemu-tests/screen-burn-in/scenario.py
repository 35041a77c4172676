"""A burn-in that the configuration does not name is chosen in the menu: the one that reads runs through all its phases and
changes nothing; the one that writes finds no armed disk and says so."""
import re

import machine
from scenario import boot, check, equal, file_disk, sha256

tier, budget_s, timing = "full", 120, False

CONF = "countdown_s = 60\nend_screen_s = 1\ntime_scale_pct = 20\nburn_in_budget_s = 60\n"


def choose(*keys):
    def person(m):
        check(m.wait_for(re.compile(rb"starts by itself in 60 s"), 90), "no countdown")
        m.press("spc")
        check(m.wait_for(re.compile(rb"the menu is open"), 30), "no menu")
        m.press("down", "down", "ret", "end", *keys, "ret")
        m.press("home", "ret")
    return person


def looks(m):
    """The drive's own page, and help over it, while it is read; the end is waited for with the page open."""
    choose("up")(m)
    check(m.wait_for(re.compile(rb"nvme0n1 second surface read: "), 60), "no surface read")
    m.press("ret", "f1", "pgdn", "esc", "ret", every_s=1.2)
    m.screendump(m.folder / "page.png")


def run(folder):
    disk = machine.stamped_disk(folder / "d.img", 64 << 20, 1 << 20, seed=7)
    args = [*file_disk(disk, "d"), "-device", "nvme,drive=d,serial=MENU"]
    before = sha256(disk)
    r = boot(folder / "reads", args, conf=CONF.replace("= 20", "= 100"), expect=0, during=looks, timeout_s=120)
    check("burn-in-readonly" in r.journal.one("conf", source="menu")["settings"], "the choice is in the journal")
    equal(r.journal.verdicts(), {"nvme0n1": "PASS"}, "verdict of the burn-in that reads")
    equal(r.journal.all("burn_in")[-1]["phase"], "done", "its last phase")
    r = boot(folder / "writes", args, conf=CONF, expect=0, during=choose(), timeout_s=120)
    equal(r.journal.verdicts(), {"nvme0n1": "NOT-TESTED"}, "verdict without an arming")
    check(any("arm" in x["why"] for x in r.journal.all("not_tested")), "the reason names the arming")
    equal(sha256(disk), before, "the disk")
