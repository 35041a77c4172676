"""The page of a machine and that of a rack in a headless Chromium: on a phone, on a desk, in the dark and on paper.

    python3 tests/browser/check.py [FOLDER]       pictures of what is wrong go into FOLDER

No complaint of the browser, nothing asked of a network, no text over another or out of the page, none too small or too
pale to be read, every chart with its points and its table, every link with its end.  Exit 77: no browser comes up.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

import browser

# The rack's page has a strip per odd value instead of charts; without SQLite its program is not there.
RACK_FAULTS = ("slow-drive", "long-tail", "narrow-link", "missing-drive", "other-firmware", "hostile-names")

ROOT = Path(__file__).resolve().parent.parent.parent
GOLDEN = ROOT / "tests" / "golden" / "report"
SCREENS = {
    "phone": {"width": 390, "height": 844, "phone": True},
    "phone, dark": {"width": 360, "height": 800, "phone": True, "dark": True},
    "desk": {"width": 1280, "height": 900},
    "desk, dark": {"width": 1440, "height": 900, "dark": True},
    "paper": {"width": 688, "height": 970, "paper": True},      # A4 without its margins
}


def journals():
    """(name, journal, fewest charts)"""
    showcase = (GOLDEN / "showcase.journal.ndjson").read_bytes()
    sample = (GOLDEN / "sample.journal.ndjson").read_bytes()
    return [("showcase", showcase, 18), ("sample", sample, 1), ("cut", showcase[:len(showcase) * 2 // 5], 5),
            ("nothing", b"", 0)]


def render(folder):
    for name, journal, charts in journals():
        text, page = folder / f"{name}.ndjson", folder / f"{name}.html"
        text.write_bytes(journal)
        page.write_bytes(subprocess.run([ROOT / "out" / "journal-tool", "html", text], check=True,
                                        capture_output=True).stdout)
        yield name, page, charts


def render_rack(folder):
    """(name, page, fewest charts) of a rack with a fault of each kind, and of one without."""
    program, generate = ROOT / "out" / "baresweep-rack", ROOT / "out" / "rack-generate"
    for name, faults in ("rack", RACK_FAULTS), ("rack without fault", ()):
        if not program.exists():
            return
        journals, db, page = folder / name, folder / f"{name}.sqlite", folder / f"{name}.html"
        words = [word for fault in faults for word in ("--fault", fault)]
        subprocess.run([generate, "--machines", "24", "--drives", "8", *words, journals], check=True, capture_output=True)
        subprocess.run([program, "ingest", "--db", db, "--rack", "R7", journals], check=True, capture_output=True)
        done = subprocess.run([program, "report", "--db", db, "--out", page], capture_output=True, text=True)
        if done.returncode != bool(faults):
            raise AssertionError(f"{name}: the report ended with {done.returncode}: {done.stdout}{done.stderr}")
        yield name, page, 0


def strips(b, name):
    """Each odd value stands among its peers: a band and a mark within the picture, and the mark beside the band."""
    if name != "rack":
        return []
    got = b.value("""[...document.querySelectorAll("table.odd svg")].map(s => { const at = q => {
        const r = s.querySelector(q).getBoundingClientRect(); return [r.left, r.right]; };
        const all = s.getBoundingClientRect(), band = at(".band"), dot = at(".dot");
        return dot[0] >= all.left - 1 && dot[1] <= all.right + 1 && band[1] > band[0] && band[0] >= all.left - 1 &&
               band[1] <= all.right + 1 && (dot[1] <= band[0] + 5 || dot[0] >= band[1] - 5); })""")
    wrong = [] if len(got) >= 12 else [f"{len(got)} strips of odd values, at least 12 are expected"]
    return wrong + (["a strip's mark is outside of it or on the band"] if not all(got) else [])


def look(b, page, screen, fewest_charts, geometry):
    b.screen(**SCREENS[screen])
    b.open(page)
    seen = b.value(geometry)
    wrong = seen["wrong"] + [f"the browser complains: {c}" for c in b.complaints()]
    if seen["charts"] < fewest_charts:
        wrong.append(f"{seen['charts']} charts, at least {fewest_charts} are expected")
    if not seen["texts"] or not seen["title"] or seen["scripts"]:
        wrong.append(f"not our page: {seen}")
    return wrong


def main():
    pictures = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    geometry = (Path(__file__).parent / "geometry.js").read_text()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        pages = [*render(Path(folder)), *render_rack(Path(folder))]
        try:
            b = browser.Browser()
        except browser.CannotStart as reason:
            print(reason)
            return 77
        with b:
            for name, page, charts in pages:
                for screen in SCREENS if name in ("showcase", "sample", "rack") else ("phone", "desk"):
                    wrong = look(b, page, screen, charts, geometry) + strips(b, name)
                    passed, failed = passed + (not wrong), failed + bool(wrong)
                    for words in wrong:
                        print(f"{name}, {screen}: {words}")
                    if wrong and pictures:
                        (pictures / f"{name}-{screen.replace(', ', '-')}.png").write_bytes(b.picture(whole=False))
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
