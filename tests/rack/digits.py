"""The measurements of a run as each form of its report has them: dictionaries of digits and words."""
import csv
import html.parser
import io
import json
import re
import sqlite3


def measurement(said):
    """A step_end as {name: digits or text}, percentiles by ppm."""
    flat = {k: v for k, v in said.items() if k not in ("v", "run", "t_ns", "ev", "crc", "latency_class_ios")}
    flat.update({("percentile", int(ppm)): ns for ppm, ns in flat.pop("latency_percentile_ns").items()})
    flat["flags"] = "|".join(flat["flags"])
    return {k: str(v) for k, v in flat.items()}


def ppm_of(percent):
    return round(float(percent) * 10000)


def from_csv(text):
    for row in csv.DictReader(io.StringIO(text, newline="")):
        found = {("percentile", ppm_of(k[9:-3])) if re.fullmatch(r"latency_p[\d.]+_ns", k) else k: v
                 for k, v in row.items()}
        yield (found.pop("run_id"), found.pop("journal_seq")), found


class ExactTables(html.parser.HTMLParser):
    """The page's tables of every setting and digit, as (head, row)."""

    def __init__(self, page):
        super().__init__()
        self.rows, self.head, self.row, self.cell = [], [], [], None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.head = []
        elif tag == "tr":
            self.row = []
        elif tag in ("td", "th"):
            self.cell = ""

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data

    def handle_endtag(self, tag):
        if tag in ("td", "th") and self.cell is not None:
            self.row.append(self.cell)
            self.cell = None
        elif tag == "thead":
            self.head = self.row
        elif tag == "tr" and self.head[:2] == ["job", "step"] and self.row != self.head:
            self.rows.append((self.head, self.row))


def from_page(text):
    for head, row in ExactTables(text).rows:
        found = {("percentile", ppm_of(k[:-len(" %, ns")])) if k.endswith(" %, ns") else k: v for k, v in zip(head, row)}
        yield found.pop("seq"), found


def from_json(text):
    for job in json.loads(text)["jobs"]:
        said = job["baresweep"]["step_end"]
        found = measurement(said)
        side = job["write" if said["rw"].endswith("write") else "read"]
        # fio's own members, where they are whole numbers of the journal.
        found.update({"ios": str(side["total_ios"]), "bytes": str(side["io_bytes"]), "bytes_per_s": str(side["bw_bytes"]),
                      "latency_min_ns": str(side["lat_ns"]["min"]), "latency_max_ns": str(side["lat_ns"]["max"])})
        for percent, ns in side["clat_ns"].get("percentile", {}).items():
            found[("percentile", ppm_of(percent))] = str(ns)
        yield found.pop("seq"), found


def from_database(db):
    c = sqlite3.connect(db)
    c.row_factory = sqlite3.Row
    for row in c.execute("SELECT * FROM cell"):
        found = {("percentile", int(k[9:-3])) if re.fullmatch(r"latency_p\d+_ns", k) else k: "" if row[k] is None else str(row[k])
                 for k in row.keys()}
        yield found.pop("seq"), found
    c.close()
