"""Two machines of boot/rack-up boot by PXE and iPXE: the good one goes on to the next stage, the failing one does not."""
from rack_up import rack_up

tier, budget_s, timing = "quick", 80, False


def run(folder):
    rows = rack_up(folder, 3 * budget_s, "--machines", "2-3")
    return ", ".join(f"{r['name']} {r['verdict']} {r['seconds']:.0f} s" for r in rows)
