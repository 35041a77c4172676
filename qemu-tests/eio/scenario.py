"""One sector that cannot be read, behind each driver: recorded with its LBA, the run goes on, exit 1."""
from raid_boots import bad_sectors

tier, budget_s, timing = "quick", 60, False


def run(folder):
    bad_sectors(folder)
