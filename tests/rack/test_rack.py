"""The rack's host program, from journals to tables: python3 tests/rack/test_rack.py [WORD]

Each test is a function test_*; those whose name contains WORD run.  Journals come from out/rack-generate, which uses
the application's own writer.
"""
import csv
import html.parser
import io
import json
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import clickhouse  # noqa: E402
import digits  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM, GENERATE = ROOT / "out/baresweep-rack", ROOT / "out/rack-generate"
GOOD, FOUND, USAGE, BROKEN = 0, 1, 2, 3


class Skip(Exception):
    pass


# ---- helpers ----
def rack(*words, want=GOOD, **kw):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, timeout=60, **kw)
    done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
    assert done.returncode == want, f"{words}: ended with {done.returncode}, want {want}\n{done.stdout}{done.stderr}"
    assert "Sanitizer" not in done.stderr, done.stderr
    return done.stdout + done.stderr


def generate(folder, **options):
    words = []
    for key, value in options.items():
        for one in value if isinstance(value, list) else [value]:
            words += [f"--{key}", str(one)]
    done = subprocess.run([GENERATE, *words, folder], capture_output=True, text=True, check=True)
    return [line.split()[1:] for line in done.stdout.splitlines()]


def one_journal(folder, **options):
    generate(folder / "one", machines=1, **options)
    return next((folder / "one").iterdir()).read_bytes()


CRC_TABLE = []
for n in range(256):
    for _ in range(8):
        n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
    CRC_TABLE.append(n)


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = CRC_TABLE[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def line(**members):
    """A journal line of our own making, with its checksum."""
    body = json.dumps({"v": 1, "run": "00000000000000aa", "seq": 0, "t_ns": 5, **members}, separators=(",", ":"))[:-1]
    return f'{body},"crc":"{crc32c(body.encode()):08x}"}}\n'.encode()


def content(db):
    """All that journals brought, without what depends on how and when."""
    with sqlite3.connect(db) as c:
        tables = [r[0] for r in c.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN "
                                          "('run', 'source', 'damage', 'span') ORDER BY 1")]
        rows = {t: sorted(map(repr, c.execute(f'SELECT run, t.* FROM "{t}" t JOIN run USING(run_key)'))) for t in tables}
        rows["span"] = sorted(c.execute("SELECT run, first_seq, last_seq FROM span JOIN run USING(run_key)"))
        rows["run"] = sorted(c.execute("SELECT run, machine, clock FROM run"))
    c.close()
    # The key of a run is a matter of order.
    return {t: [re.sub(r"^\('(\w+)', \d+", r"('\1'", r) if isinstance(r, str) else r for r in v] for t, v in rows.items()}


def ingest_bytes(folder, name, data, db, want=GOOD):
    path = folder / name
    path.write_bytes(data)
    return rack("ingest", "--db", db, path, want=want)


def query(db, sql):
    c = sqlite3.connect(db)
    try:
        return c.execute(sql).fetchall()
    finally:
        c.close()


# ---- arm ----
PRINT = "5a0c1d9e" * 8


def arming_journal(folder, db, run="00000000000000aa", machine="M1", disks=(), permits=()):
    lines = [dict(ev="run_start", serial=machine, uuid="", label="", vendor="", model="", clock="2026-11-30T10:00:00")]
    lines += [dict(ev="disk", name=d["disk"], model=d.pop("model")) for d in disks]
    lines += [dict(ev="content", mark=d.pop("mark", ""), size_bytes=1, data_places=0, **d) for d in disks]
    lines += [dict(ev="write_permit", arming_id="", why="", **p) for p in permits]
    text = b"".join(line(run=run, seq=i, **x) for i, x in enumerate(lines))
    ingest_bytes(folder, f"{run}.ndjson", text, db)


def content_of(disk, identity, state="blank", fingerprint="blank", found="nothing", model="WDC WD40", **kw):
    return dict(disk=disk, identity=identity, state=state, fingerprint=fingerprint, found=found, model=model, **kw)


def test_arm_takes_blank_disks_that_can_be_told_apart_and_an_approval_covers_every_line(folder):
    db, out = folder / "a.sqlite", folder / "arming.txt"
    arming_journal(folder, db, disks=[
        content_of("sata0.0", "S1 WDC"), content_of("sata0.1", "S2 WDC", "found", PRINT, "GPT; ext4"),
        content_of("sata0.2", ""), content_of("sata0.3", "TWIN"), content_of("sata0.4", "TWIN"),
        content_of("sata0.5", "S5 WDC", "unreadable", ""), content_of("sata0.6", "S6 WDC"),
        content_of("nvme0n1", "S7", "found", PRINT, "Baresweep's own mark", "FAST", mark="0123456789abcdef")],
        permits=[dict(disk="sata0.6", decision="used-up")])
    said = rack("arm", "--db", db, "--out", out)
    text = out.read_text()
    assert re.findall("(?m)^identity (.*)", text) == ["S1 WDC"] and "machine M1\n" in text, text
    assert "sata0.2 is left out: it has no identity" in said and "sata0.3 is left out" in said and "1 disks" in said, said
    assert re.findall("(?m)^identity (.*)", rack("arm", "--db", db, "--leftover")) == ["S7", "S1 WDC"]
    assert re.findall("(?m)^identity (.*)", rack("arm", "--db", db, "--any-content", "--model", "WDC*")) == ["S1 WDC", "S2 WDC"]
    rack("arm", "--db", db, "--machine", "M2", want=FOUND)
    # approving: asked, refused, granted, never twice
    rack("arm", "--approve", "Jane Doe", out, want=FOUND, input=b"y\n")
    assert out.read_text() == text
    said = rack("arm", "--approve", "Jane Doe", out, input=b"yes\n")
    assert "S1 WDC in machine M1" in said and "holds: nothing" in said, said
    assert re.search(r"\napproved [-0-9T:]+ by Jane Doe for [0-9a-f]{64}\n$", out.read_text())
    assert "approved already" in rack("arm", "--approve", "Jane Doe", "--yes", out, want=FOUND)
    out.write_text(out.read_text().replace("S1 WDC", "S2 WDC"))
    assert "not those that were approved" in rack("arm", "--approve", "Jane Doe", "--yes", out, want=FOUND)


def test_arm_refuses_wrong_use(folder):
    rack("arm", "--approve", "a for b", folder / "x", want=USAGE)
    rack("arm", "--approve", "", folder / "x", want=USAGE)
    rack("arm", "--approve", "me", want=USAGE)
    rack("arm", "--approve", "me", folder / "none", want=BROKEN)
    rack("arm", "--db", folder / "none.sqlite", want=BROKEN)
    (folder / "bad").write_text("baresweep-arming 1\nbatch 0123456789abcdef\narming all\n")
    assert "line 3" in rack("arm", "--approve", "me", "--yes", folder / "bad", want=FOUND)


# ---- ingest ----
def test_taking_a_folder_twice_adds_nothing(folder):
    generate(folder / "j", machines=3, drives=2, series=5)
    db = folder / "a.sqlite"
    first = rack("ingest", "--db", db, folder / "j")
    before = content(db)
    again = rack("ingest", "--db", db, folder / "j", folder / "j")
    assert " 0 new" in again and content(db) == before, again
    lines = sum(len(p.read_bytes().splitlines()) for p in (folder / "j").iterdir())
    assert f"3 files, {lines} lines, {lines} new, 0 known, 0 damaged" in first, first


def test_a_journal_cut_anywhere_gives_its_whole_lines_and_the_rest_completes_it(folder):
    whole = one_journal(folder, drives=2, jobs=2, series=3)
    ingest_bytes(folder, "whole", whole, folder / "whole.sqlite")
    want = content(folder / "whole.sqlite")
    ends = [i + 1 for i, byte in enumerate(whole) if byte == 10]
    chance = random.Random(9)
    cuts = ends[:-1:6] + [chance.randrange(1, len(whole) - 1) for _ in range(12)]
    for i, cut in enumerate(cuts):
        db = folder / f"cut{i}.sqlite"
        lines = sum(end <= cut for end in ends)
        # A line that only lacks its newline is whole; one that lost its checksum is damaged.
        torn = whole[max([0] + [e for e in ends if e <= cut]):cut]
        complete = re.search(rb'"crc":"[0-9a-f]{8}"\}$', torn) is not None
        damaged = torn.startswith(b'{"v":') and not complete
        said = ingest_bytes(folder, "cut", whole[:cut], db, want=FOUND if damaged or not lines + complete else GOOD)
        assert f" {lines + complete} lines, {lines + complete} new" in said, (cut, said)
        ingest_bytes(folder, "cut", whole, db)
        assert content(db) == want, cut


def test_200_random_cuts_lose_no_whole_line(folder):
    whole = one_journal(folder, drives=3, jobs=2)
    chance, db, seen = random.Random(4), folder / "a.sqlite", 0
    (folder / "cuts").mkdir()
    for i in range(200):
        (folder / "cuts" / f"{i:03}").write_bytes(whole[:chance.randrange(len(whole))])
    rack("ingest", "--db", db, folder / "cuts", want=FOUND)
    seen = max((folder / "cuts" / f"{i:03}").read_bytes().count(b"\n") for i in range(200))
    assert query(db, "SELECT first_seq, last_seq FROM span")[0] in ((0, seen - 1), (0, seen))


def test_a_damaged_line_is_refused_alone_and_a_good_copy_brings_it(folder):
    whole = one_journal(folder, drives=2, jobs=1, series=2)
    ingest_bytes(folder, "whole", whole, folder / "whole.sqlite")
    want, lines = content(folder / "whole.sqlite"), whole.splitlines(True)
    for i in range(0, len(lines), 3):
        db, broken = folder / f"d{i}.sqlite", bytearray(lines[i])
        broken[len(broken) // 2] ^= 1
        said = ingest_bytes(folder, "damaged", b"".join(lines[:i]) + bytes(broken) + b"".join(lines[i + 1:]), db, want=FOUND)
        assert f"{len(lines) - 1} lines, {len(lines) - 1} new" in said and "1 damaged" in said, said
        assert query(db, "SELECT damaged FROM source") == [(1,)] and query(db, "SELECT count(*) FROM damage") == [(1,)]
        ingest_bytes(folder, "good", whole, db)
        assert content(db) == want


def test_a_serial_capture_and_the_file_complete_each_other(folder):
    whole = one_journal(folder, drives=2, jobs=2, series=4)
    ingest_bytes(folder, "whole", whole, folder / "whole.sqlite")
    capture, omitted = b"UEFI \x1b[2J\x1b[01;01H\r\nBdsDxe: starting\r\n", 0
    for row in whole.splitlines():
        said = json.loads(row)
        if said["ev"] == "series":
            row = line(run=said["run"], seq=said["seq"], t_ns=said["t_ns"], ev="omitted", of="series")[:-1]
            omitted += 1
        capture += row + b"\r\n" + (b"\x1b[0m[firmware talks]\r\n" if said["seq"] % 5 == 0 else b"")
    db = folder / "a.sqlite"
    said = ingest_bytes(folder, "capture", capture, db)
    assert f"{omitted} omitted" in said and query(db, "SELECT count(*) FROM omitted") == [(omitted,)]
    assert "lines missing" not in report(folder, db, want=GOOD)
    ingest_bytes(folder, "file", whole, db)
    assert query(db, "SELECT count(*) FROM omitted") == [(0,)]
    assert content(db) == content(folder / "whole.sqlite")


def test_two_torn_copies_in_one_text_fill_each_others_gaps(folder):
    whole = one_journal(folder, drives=2, jobs=2)
    ingest_bytes(folder, "whole", whole, folder / "whole.sqlite")
    lines = whole.splitlines(True)
    text = b"".join(lines[0::2]) + b"".join(lines[1::2])
    assert " 0 damaged" in ingest_bytes(folder, "halves", text, folder / "a.sqlite")
    assert content(folder / "a.sqlite") == content(folder / "whole.sqlite")
    random.Random(2).shuffle(lines)
    ingest_bytes(folder, "shuffled", b"".join(lines), folder / "b.sqlite")
    assert content(folder / "b.sqlite") == content(folder / "whole.sqlite")


def test_journals_behind_each_other_are_all_taken_even_when_one_lost_its_first_line(folder):
    generate(folder / "j", machines=3, drives=2, jobs=1)
    texts = [p.read_bytes() for p in sorted((folder / "j").iterdir())]
    texts[1] = texts[1].split(b"\n", 1)[1]
    db = folder / "a.sqlite"
    said = ingest_bytes(folder, "all", b"".join(texts), db)
    assert f"{b''.join(texts).count(b'{')} lines" not in said
    assert query(db, "SELECT count(*) FROM run") == [(3,)]
    assert sum(t.count(b"\n") for t in texts) == query(db, "SELECT sum(last_seq - first_seq + 1) FROM span")[0][0]
    page = report(folder, db, want=FOUND)
    assert "beginning missing" in page and "lines missing" in page


def test_unknown_kinds_and_newer_lines_are_kept_as_they_stand(folder):
    rows = [line(seq=0, ev="run_start", serial="M1", uuid="u", clock=""), line(seq=1, ev="weather", rain=[1, {"a": "b"}]),
            line(v=2, seq=2, ev="disk", name=["new"])]
    db = folder / "a.sqlite"
    assert "1 of a newer schema" in ingest_bytes(folder, "x", b"".join(rows), db)
    assert [r[0].encode() + b"\n" for r in query(db, "SELECT line FROM other ORDER BY seq")] == rows[1:]


def test_what_is_no_journal_is_said_and_the_others_are_taken(folder):
    journal = one_journal(folder, drives=1, jobs=1)
    (folder / "in").mkdir()
    (folder / "in" / "a.ndjson").write_bytes(journal)
    (folder / "in" / "picture.png").write_bytes(bytes(range(256)) * 20)
    (folder / "in" / "empty").write_bytes(b"")
    (folder / "in" / "nowhere").symlink_to(folder / "in")
    rack("ingest", "--db", folder / "a.sqlite", folder / "in")
    said = rack("ingest", "--db", folder / "a.sqlite", folder / "in", folder / "gone", want=BROKEN)
    assert "gone: No such file" in said
    said = rack("ingest", "--db", folder / "b.sqlite", folder / "in" / "picture.png", want=FOUND)
    assert "picture.png: there is no journal line in it" in said
    rack("ingest", "--db", folder / "c.sqlite", "-", stdin=open(folder / "in" / "a.ndjson"))
    assert content(folder / "c.sqlite") == content(folder / "a.sqlite")


def test_values_are_the_journals_digits_also_beyond_63_bits(folder):
    whole = one_journal(folder, drives=2, jobs=3, series=3)
    whole += line(ev="step_end", seq=1, step=3, disk="d", job="j", bytes_per_s=2**64 - 1, iops_milli=2**63, ios=2**63 - 1,
                  latency_percentile_ns={"990000": 2**64 - 1}, flags=["split", "x|y"], depth=1)
    whole += line(ev="disk", seq=2, name="d2", later={"a": [1, 2]}, model="m", sooner="x")
    whole += line(ev="io_error", seq=0, disk="d", lba=2**64 - 1, words='say "no"\n\u00fc')
    db = folder / "a.sqlite"
    ingest_bytes(folder, "x", whole, db)
    tables = {"step_end": "cell", "disk": "disk", "series": "series", "controller": "controller", "link": "link",
              "io_error": "io_error", "run_start": "run_start", "run_end": "run_end", "disk_verdict": "disk_verdict"}
    c = sqlite3.connect(db)
    c.row_factory = sqlite3.Row
    checked = 0
    for said in map(json.loads, whole.splitlines()):
        if said["ev"] not in tables:
            continue
        row = c.execute(f'SELECT t.* FROM "{tables[said["ev"]]}" t JOIN run USING(run_key) WHERE run = ? AND seq = ?',
                        (said["run"], said["seq"])).fetchone()
        for key, value in said.items():
            if key in ("v", "run", "ev", "crc"):
                continue
            if key not in row.keys() and key != "latency_percentile_ns":
                assert json.loads(row["more"])[key] == value
                continue
            if key == "latency_percentile_ns":
                got = {k: row[f"latency_p{k}_ns"] for k in value}
                assert {k: str(v) for k, v in got.items()} == {k: str(v) for k, v in value.items()}, said
            elif key == "flags":
                assert row[key] == "|".join(value)
            elif isinstance(value, (list, dict)):
                assert json.loads(row[key]) == value
            else:
                assert str(row[key]) == str(value) and isinstance(row[key], (str, int)), (key, row[key], value)
            checked += 1
    c.close()
    assert checked > 300, checked
    assert query(db, "SELECT more FROM disk WHERE name = 'd2'") == [('{"later":{"a":[1,2]},"sooner":"x"}',)]
    out = rack("export", "--db", db, "--table", "cell", "--ndjson")
    big = [json.loads(r) for r in out.splitlines() if '"disk":"d"' in r][0]
    assert (big["bytes_per_s"], big["iops_milli"], big["latency_p990000_ns"]) == (2**64 - 1, 2**63, 2**64 - 1)
    rows = list(csv.DictReader(io.StringIO(rack("export", "--db", db, "--table", "cell"), newline="")))
    assert [r["bytes_per_s"] for r in rows if r["disk"] == "d"] == [str(2**64 - 1)]


# ---- one run in all forms ----
def test_table_json_page_and_database_of_a_run_have_the_journals_digits(folder):
    tool = ROOT / "out/journal-tool"
    journals = {"showcase": (ROOT / "tests/golden/report/showcase.journal.ndjson").read_bytes(),
                "generated": one_journal(folder, drives=3, jobs=4)}
    # All 64 bits of each number; only one side of fio's JSON has a place for it.
    extreme = [line(ev="run_start", seq=0), line(ev="disk", seq=1, name="d", lba_bytes=512, lba_count=2**63)]
    first = next(json.loads(x) for x in journals["showcase"].splitlines() if b'"step_end"' in x)
    members = {k: 2**64 - 1 - i if isinstance(v, int) else v for i, (k, v) in enumerate(first.items())
               if k not in ("v", "run", "t_ns", "crc", "seq", "step", "disk", "latency_class_ios", "block_bytes", "depth",
                            "command_bytes", "depth_asked", "wrapped")}
    members["latency_percentile_ns"] = {k: 2**64 - 1 - i for i, k in enumerate(first["latency_percentile_ns"])}
    members.update(step=1, disk="d", block_bytes=2**32 - 1, depth=65535, depth_asked=65535, command_bytes=2**32 - 1, wrapped=1)
    journals["extreme"] = b"".join([*extreme, line(seq=2, **members)])
    checked = 0
    for name, text in journals.items():
        file, db = folder / f"{name}.ndjson", folder / f"{name}.sqlite"
        file.write_bytes(text)
        rack("ingest", "--db", db, file)
        want = {str(x["seq"]): digits.measurement(x) for x in map(json.loads, text.splitlines()) if x["ev"] == "step_end"}
        assert want

        def made(form):
            return subprocess.run([tool, form, file], capture_output=True, text=True, check=True).stdout

        forms = {"csv": {seq: row for (_, seq), row in digits.from_csv(made("csv"))}, "html": dict(digits.from_page(made("html"))),
                 "fio-json": dict(digits.from_json(made("fio-json"))), "sqlite": {str(s): r for s, r in digits.from_database(db)}}
        for form, rows in forms.items():
            assert rows.keys() == want.keys(), (name, form, rows.keys() ^ want.keys())
            for seq, row in rows.items():
                for key, value in want[seq].items():
                    # The page has these two in words, and the drive in the heading.
                    if key == "seq" or (form == "html" and key in ("disk", "flags", "reason")):
                        continue
                    # A figure that means nothing stands nowhere in the table: too short, or a third without reads.
                    if form in ("csv", "html") and row[key] == "":
                        assert value in ("", "0") or "too-short" in want[seq]["flags"].split("|"), (name, seq, key, value)
                        continue
                    assert row[key] == value, (name, form, seq, key, row.get(key), value)
                    checked += 1
    assert checked > 5000, checked


# ---- odd, missing, different ----
ALL_FAULTS = ["slow-drive", "long-tail", "narrow-link", "missing-drive", "other-firmware"]


def report(folder, db, *words, want=FOUND):
    rack("report", "--db", db, "--out", folder / "page.html", *words, want=want)
    return (folder / "page.html").read_text()


def test_each_planted_fault_is_found_and_nothing_else(folder):
    planted = {f: (m, d) for f, m, d in generate(folder / "j", machines=24, drives=8, fault=ALL_FAULTS)}
    db = folder / "a.sqlite"
    rack("ingest", "--db", db, "--rack", "R7", folder / "j")
    rows = list(csv.DictReader(io.StringIO(rack("outliers", "--db", db, "--tsv", want=FOUND)), delimiter="\t"))
    slow = {(r["machine"], r["disk"]) for r in rows if r["metric"] == "rate"}
    tails = {(r["machine"], r["disk"]) for r in rows if r["metric"] != "rate"}
    assert slow == {planted["slow-drive"]} and tails == {planted["long-tail"]}, rows
    assert all(r["worse"] == "1" for r in rows)
    # In each of the six jobs, the tail by both percentiles where they were measured.
    assert sum(r["metric"] == "rate" for r in rows) == 6 and len(rows) >= 12
    page = Page(report(folder, db))
    found = [r[:3] for r in page.rows if r and r[0] in ("drive missing", "controller missing", "another firmware",
                                                        "narrower link", "another drive", "drive failed")]
    machine, disk = planted["missing-drive"]
    assert ["drive missing", machine, "GEN SSD 3840GB"] in found and ["controller missing", machine,
                                                                        "NVM Express controller 144d:a80a"] in found
    assert any(disk in r[3] for r in page.rows if r and r[0] == "drive missing")
    assert ["another firmware", *planted["other-firmware"]] in found
    assert ["narrower link", planted["narrow-link"][0], planted["narrow-link"][1][:-2]] in found
    assert len(found) == 4, found
    assert "Rack R7" in page.text


def test_racks_without_a_fault_raise_no_alarm(folder):
    """20 racks of 24 x 8 drives, 6 jobs, 3 values: 69 120 values, of which the promise allows fewer than one."""
    for seed in range(20):
        generate(folder / "j", machines=24, drives=8, seed=seed + 100, spread=[15, 30][seed % 2], first=seed * 100)
    db, alarms, judged = folder / "a.sqlite", 0, 0
    for seed in range(20):
        files = sorted((folder / "j").glob(f"N{seed:03}*"))
        assert len(files) == 24
        rack("ingest", "--db", db, "--rack", f"R{seed}", *files)
    for seed in range(20):
        said = subprocess.run([PROGRAM, "outliers", "--db", db, "--rack", f"R{seed}"], capture_output=True, text=True).stdout
        counts = re.search(r"192 drives, (\d+) odd for the worse; (\d+) values judged", said)
        alarms, judged = alarms + int(counts[1]), judged + int(counts[2])
    assert judged >= 20 * 192 * 6 * 2 and alarms == 0, (judged, alarms)


def test_a_machine_that_sent_nothing_is_named(folder):
    generate(folder / "j", machines=4, drives=2, jobs=1)
    rack("ingest", "--db", folder / "a.sqlite", folder / "j")
    (folder / "expect").write_text("# rack 7\nN00000\nN00001\nN00002\nN00003\n\nN00004\r\n")
    page = Page(report(folder, folder / "a.sqlite", "--expect", folder / "expect"))
    assert [r[:2] for r in page.rows if r and r[0] == "machine missing"] == [["machine missing", "N00004"]]
    assert "no-such: No such file" in rack("report", "--db", folder / "a.sqlite", "--expect", "no-such", "--out",
                                           folder / "p", want=BROKEN)


def test_the_latest_run_of_a_machine_counts(folder):
    generate(folder / "old", machines=24, drives=4, jobs=1, fault="slow-drive", clock="2026-01-01T00:00:00", label="a")
    generate(folder / "new", machines=24, drives=4, jobs=1, seed=2, clock="2026-02-01T00:00:00", label="b")
    rack("ingest", "--db", folder / "a.sqlite", folder / "new", folder / "old")
    rack("outliers", "--db", folder / "a.sqlite", want=GOOD)
    rack("outliers", "--db", folder / "a.sqlite", "--label", "a", want=FOUND)
    rack("outliers", "--db", folder / "a.sqlite", "--all-runs", want=FOUND)
    rack("outliers", "--db", folder / "a.sqlite", "--label", "b", want=GOOD)


# ---- the page ----
class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.rows, self.text, self.style, self.inside = set(), [], [], "", "", []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        self.inside.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag == "td":
            self.rows[-1].append("")

    def handle_data(self, data):
        if self.inside and self.inside[-1] == "style":
            self.style += data
            return
        self.text += data
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.replace("\n", "")

    def handle_endtag(self, tag):
        while self.inside and self.inside.pop() != tag:
            pass


def test_the_page_needs_nothing_and_what_a_device_says_is_text(folder):
    generate(folder / "j", machines=8, drives=4, jobs=2, fault=["hostile-names", "slow-drive"])
    evil = "</title><img src=x onerror=alert(1)>\"'&\u202e\x85"
    lines = [line(seq=0, ev="run_start", serial=evil, label=evil, uuid="", clock="", vendor=evil, model=evil),
             line(seq=1, ev="disk", name=evil, controller=evil, model=evil, serial=evil, firmware=evil, lba_bytes=512,
                  lba_count=9), line(seq=2, ev="disk_verdict", disk=evil, verdict="FAIL", why=evil)]
    (folder / "j" / "<b>evil.ndjson").write_bytes(b"".join(lines) + b'{"v":1,"run":"broken\n')
    db = folder / "a.sqlite"
    rack("ingest", "--db", db, "--rack", evil, folder / "j", want=FOUND)
    text = report(folder, db, "--title", evil)
    page = Page(text)
    allowed = {"html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p", "div", "table", "tr", "th", "td",
               "b", "span", "svg", "line", "rect", "circle", "ul", "li"}
    assert page.tags <= allowed, page.tags - allowed
    assert not [a for a in page.attributes if a[0].startswith("on") or a[0] in ("src", "href")]
    assert "<script" not in text and "<img" not in text and "\u202e" not in text and "\x85" not in text
    assert "alert(1)" in page.text and "http" not in text and "url(" not in text and "@import" not in text
    assert "prefers-color-scheme:dark" in page.style and "width=device-width" in text
    said = rack("outliers", "--db", db, want=None or FOUND)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\x80-\x9f]", said)


# ---- compare ----
def compare_rows(db, a, b, want):
    return list(csv.DictReader(io.StringIO(rack("compare", "--db", db, "--tsv", a, b, want=want)), delimiter="\t"))


def test_noise_is_no_difference_and_a_shift_of_four_hundredths_is_one(folder):
    generate(folder / "a", machines=4, drives=6, jobs=3, label="before, all", clock="2026-01-01T00:00:00")
    generate(folder / "b", machines=4, drives=6, jobs=3, label="again", seed=2, clock="2026-01-02T00:00:00")
    generate(folder / "c", machines=4, drives=6, jobs=3, label="after", seed=3, shift=40000, clock="2026-01-03T00:00:00")
    db = folder / "a.sqlite"
    rack("ingest", "--db", db, folder / "a", folder / "b", folder / "c")
    same = compare_rows(db, "label=before, all", "label=again", GOOD)
    assert len(same) >= 9 and all(r["paired"] == "1" and r["n_a"] == "24" and r["known"] == "1" for r in same)
    rates = [r for r in compare_rows(db, "label=again", "label=after", FOUND) if r["metric"] == "rate"]
    assert len(rates) == 3 and all(r["differs"] == "1" for r in rates)
    assert all(abs(int(r["ppm"]) - 40000) <= int(r["plus_minus_ppm"]) < 20000 for r in rates), rates
    said = rack("compare", "--db", db, "label=again", "label=after", want=FOUND)
    assert re.search(r"B is 4\.\d\d % more, \+- \d\.\d\d %, 24 = 24 drives paired", said), said
    assert "no difference (" in rack("compare", "--db", db, "label=before, all", "label=again")
    said = rack("compare", "--db", db, "label=again,disk=nvme0n1", "label=after,disk=nvme0n1")
    assert "cannot tell: 4 and 4 values, it takes 5 of each" in said, said
    # Two halves of a rack: different drives, nothing to pair.
    halves = compare_rows(db, "label=again,disk=nvme0n1", "label=again,disk=nvme1n1", GOOD)
    assert all(r["paired"] == "0" and r["known"] == "0" for r in halves)


def test_firmwares_and_jobs_can_be_compared(folder):
    generate(folder / "a", machines=12, drives=2, jobs=6)
    db = folder / "a.sqlite"
    rack("ingest", "--db", db, folder / "a")
    jobs = compare_rows(db, "job=seq-128k-qd4", "job=together-128k-qd4", FOUND)
    assert [r for r in jobs if r["metric"] == "rate" and r["differs"] == "1" and int(r["ppm"]) < -100000], jobs
    said = rack("compare", "--db", db, "firmware=GF10", "firmware=GF09", want=USAGE)
    assert 'firmware=GF09 selects no measurement' in said and '"GF10"' in said
    assert "fields are run machine" in rack("compare", "--db", db, "colour=red", "job=x", want=USAGE)


# ---- query, export, use ----
def test_query_reads_and_never_writes(folder):
    generate(folder / "j", machines=2, drives=1, jobs=1)
    db = folder / "a.sqlite"
    rack("ingest", "--db", db, folder / "j")
    assert rack("query", "--db", db, "SELECT count(*) AS n FROM cell") == "n\r\n2\r\n"
    assert rack("query", "--db", db, "--ndjson", "SELECT 1 AS a, 'x\"' AS b, NULL AS c") == '{"a":1,"b":"x\\"","c":null}\n'
    before = db.read_bytes()
    for sql in ("DELETE FROM cell", "DELETE FROM cell RETURNING *", "DROP TABLE cell", "UPDATE run SET rack = 'x'", "ATTACH '/tmp/x' AS y", "VACUUM INTO 'x'",
                "PRAGMA user_version = 9", "nonsense", "CREATE TABLE t(a)", ""):
        rack("query", "--db", db, sql, want=USAGE)
    assert db.read_bytes() == before
    for table in ("peer_cell", "disk", "machine_run", "source"):
        rows = list(csv.DictReader(io.StringIO(rack("export", "--db", db, "--table", table), newline="")))
        again = [json.loads(r) for r in rack("export", "--db", db, "--table", table, "--ndjson").splitlines()]
        assert rows and [{k: "" if v is None else str(v) for k, v in r.items()} for r in again] == rows
    assert "no table nix" in rack("export", "--db", db, "--table", "nix", want=USAGE)


def test_every_command_helps_and_an_error_names_the_file_and_what_to_do(folder):
    commands = re.findall(r"^  (\w+) ", rack("--help"), re.M)
    assert commands == ["ingest", "report", "outliers", "compare", "query", "export", "arm", "schema"]
    for command in commands:
        assert f"usage: baresweep-rack {command}" in rack(command, "--help")
        assert "--help" in rack(command, "--nonsense", want=USAGE)
    rack(want=USAGE)
    rack("nonsense", want=USAGE)
    for words in (["report"], ["outliers"], ["query", "SELECT 1"], ["export"], ["compare", "job=a", "job=b"]):
        said = rack(*words, "--db", folder / "none.sqlite", want=BROKEN)
        assert "none.sqlite" in said and "ingest makes it" in said, said
    (folder / "text").write_text("this is no database, but a text of some length\n" * 100)
    assert "text" in rack("ingest", "--db", folder / "text", "/dev/null", want=BROKEN)
    other = sqlite3.connect(folder / "other.sqlite")
    other.execute("CREATE TABLE precious(a)")
    other.commit()
    other.close()
    assert "other.sqlite is no database of this program" in rack("ingest", "--db", folder / "other.sqlite", "/dev/null",
                                                                 want=BROKEN)
    generate(folder / "j", machines=1, drives=1, jobs=1)
    assert "/no/such" in rack("ingest", "--db", "/no/such/x.sqlite", folder / "j", want=BROKEN)
    rack("ingest", "--db", folder / "a.sqlite", folder / "j")
    assert "/no/such/p" in rack("report", "--db", folder / "a.sqlite", "--out", "/no/such/p", want=BROKEN)


# ---- ClickHouse ----
def test_the_tables_for_clickhouse_are_those_of_sqlite(folder):
    assert rack("schema", "--clickhouse") == (ROOT / "rack/clickhouse/schema.sql").read_text(), "run make rack-schema"


def test_clickhouse_gives_the_same_outliers_and_comparisons(folder):
    generate(folder / "a", machines=200, drives=8, jobs=3, fault=["slow-drive", "long-tail", "narrow-link"], label="before",
             clock="2026-01-01T00:00:00")
    generate(folder / "b", machines=20, drives=8, jobs=3, label="after", seed=5, shift=-30000, clock="2026-01-02T00:00:00")
    db = folder / "a.sqlite"
    rack("ingest", "--db", db, folder / "a", folder / "b")
    rack("export", "--db", db, "--tsv", folder / "tsv")
    try:
        server = clickhouse.Server(folder / "server")
        with server:
            same_as_clickhouse(server, folder, db)
    except clickhouse.Unavailable as reason:
        raise Skip(str(reason))


def same_as_clickhouse(server, folder, db):
    load = ROOT / "rack/clickhouse/load"
    done = subprocess.run([load, folder / "tsv", *server.client()], capture_output=True, text=True, timeout=90)
    assert not done.returncode, done.stderr
    tables = [p.stem for p in (folder / "tsv").iterdir() if p.stat().st_size]
    sums = server.query(" UNION ALL ".join(f"SELECT '{t}', count() FROM {t}" for t in tables))
    for table, count in (row.split("\t") for row in sums.splitlines()):
        assert int(count) == (folder / "tsv" / f"{table}.tsv").read_bytes().count(b"\n"), table
    sums_sql = "SELECT sum(latency_p500000_ns), sum(bytes), max(tail_p99_milli), count() FROM cell"
    assert server.query(sums_sql).split() == [str(v) for v in query(db, sums_sql.replace("count()", "count(*)"))[0]]
    ours = sorted(rack("outliers", "--db", db, "--tsv", want=FOUND).splitlines()[1:])
    theirs = sorted(server.query((ROOT / "rack/clickhouse/outliers.sql").read_text()).splitlines())
    assert len(ours) > 6 and ours == theirs, (ours, theirs)
    for a, b in (("label=before", "label=after"), ("job=rand-4k-qd1", "job=rand-4k-qd1"), ("disk=nvme0n1", "disk=nvme1n1"),
                 ("machine=N00001", "machine=N00002"), ("machine=N00003,job=seq-128k-qd4", "machine=N00004")):
        done = subprocess.run([PROGRAM, "compare", "--db", db, "--tsv", a, b], capture_output=True, text=True)
        where = [" AND ".join("{} = '{}'".format(*term.split("=")) for term in side.split(",")) for side in (a, b)]
        got = subprocess.run([ROOT / "rack/clickhouse/compare", *where, *server.client()], capture_output=True, text=True)
        assert not got.returncode, got.stderr
        ours = sorted(done.stdout.splitlines()[1:])
        assert ours and ours == sorted(got.stdout.splitlines()), (a, b, done.stdout, got.stdout)


# ---- all of them ----
def run_one(name, test):
    folder = Path(tempfile.mkdtemp(prefix="rack-", dir=ROOT / "out"))
    try:
        test(folder)
    except Skip as reason:
        print(f"skip {name}: {reason}")
        return 2
    except Exception:
        print(f"FAIL {name}\n{traceback.format_exc()[-3000:]}")
        return 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


def main():
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    tests = [(n, t) for n, t in globals().items() if n.startswith("test_") and word in n]
    ends = [run_one(n, t) for n, t in tests]
    print(f"{ends.count(0)} passed, {ends.count(1)} failed, {ends.count(2)} skipped")
    return 1 if 1 in ends or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
