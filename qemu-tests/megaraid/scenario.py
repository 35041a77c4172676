"""MegaRAID: eight drives behind one card, 3 TiB, 4096-byte blocks, JBOD mode, a card without drives; lines and page."""
from raid_boots import jbod_and_bare, many

tier, budget_s, timing = "quick", 60, False


def run(folder):
    many(folder)
    jbod_and_bare(folder)
