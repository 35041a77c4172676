"""boot/rack-up as it stands: four machines, straight from the firmware, by snponly.efi, by iPXE in the card and by the
menu; two good ones, one with a failing disk, one without any."""
from rack_up import rack_up

tier, budget_s, timing = "full", 130, False


def run(folder):
    rows = rack_up(folder, 3 * budget_s, "--machines", "4")
    return ", ".join(f"{r['name']} {r['verdict']} {r['seconds']:.0f} s" for r in rows)
