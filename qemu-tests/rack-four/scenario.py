"""boot/rack-up as it stands: four machines, straight from the firmware, by snponly.efi, by iPXE in the card and by the
menu; two good ones, one with a failing disk, one without any.  Words from iPXE reach the three that it starts."""
from rack_up import rack_up
from scenario import Journal, equal

tier, budget_s, timing = "full", 130, False


def run(folder):
    rows = rack_up(folder, 3 * budget_s, "--machines", "4", "--args", "run_label=from-iPXE smbus=no")
    for row in rows:
        start = Journal(open(row["serial_log"], "rb").read()).one("run_start")
        equal(start["label"], "from-iPXE" if row["by_script"] else "", f"{row['name']}: label by iPXE's words")
    return ", ".join(f"{r['name']} {r['verdict']} {r['seconds']:.0f} s" for r in rows)
