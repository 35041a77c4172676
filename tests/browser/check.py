"""The page in a headless Chromium: on a phone, on a desk, in the dark and on paper.

    python3 tests/browser/check.py [FOLDER]       pictures of what is wrong go into FOLDER

No complaint of the browser, nothing asked of a network, no text over another or out of the page, none too small or too
pale to be read, every chart with its points and its table, every link with its end.  Exit 77: no browser comes up.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

import browser

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
    return [("showcase", showcase, 15), ("sample", sample, 1), ("cut", showcase[:len(showcase) * 2 // 5], 5),
            ("nothing", b"", 0)]


def render(folder):
    for name, journal, charts in journals():
        text, page = folder / f"{name}.ndjson", folder / f"{name}.html"
        text.write_bytes(journal)
        page.write_bytes(subprocess.run([ROOT / "out" / "journal-tool", "html", text], check=True,
                                        capture_output=True).stdout)
        yield name, page, charts


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
        pages = list(render(Path(folder)))
        try:
            b = browser.Browser()
        except browser.CannotStart as reason:
            print(reason)
            return 77
        with b:
            for name, page, charts in pages:
                for screen in SCREENS if name in ("showcase", "sample") else ("phone", "desk"):
                    wrong = look(b, page, screen, charts, geometry)
                    passed, failed = passed + (not wrong), failed + bool(wrong)
                    for words in wrong:
                        print(f"{name}, {screen}: {words}")
                    if wrong and pictures:
                        (pictures / f"{name}-{screen.replace(', ', '-')}.png").write_bytes(b.picture(whole=False))
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
