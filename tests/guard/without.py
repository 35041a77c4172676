"""Takes away one condition of the write guard or of the gate after the other, in a copy of the sources, and asks that a
unit test fails each time.  without.py FOLDER: works there; FOLDER WORD: only conditions whose name contains it."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
ROOMS = ("base", "drivers", "net", "result", "sweep", "tests")
HOST = ["tests/unit/test_main.c", "base/*.c", "drivers/controller.c", "drivers/fault.c", "drivers/gate.c", "drivers/health.c",
        "drivers/lane.c", "drivers/raid.c", "drivers/smart.c", "tests/platform/model/*.c"]
# A program: the tests that are run and what they stand on.
PROGRAMS = {
    "gate": ["tests/unit/drivers/test_gate.c"],
    "guard": ["tests/unit/sweep/test_guard.c", "tests/unit/sweep/test_guard_content.c",
              "tests/unit/result/test_arming.c", "tests/unit/result/test_ledger.c", "tests/fakes/fake_disk.c",
              "sweep/guard*.c", "result/arming.c", "result/ledger.c"],
    "state": ["tests/unit/net/test_state_sure.c", "tests/unit/net/test_state_text.c", "net/state_sure.c", "net/state_text.c"],
    **{driver: ["tests/hands/*.c", f"tests/unit/{driver}/*.c", f"drivers/{driver}/*.c", "tests/models/*.c", f"tests/models/{driver}/*.c"]
       for driver in ("nvme", "ahci", "mfi")},
}
GUARD, CONTENT, ARMING, GATE, GATE_H = ("sweep/guard.c", "sweep/guard_content.c", "result/arming.c", "drivers/gate.c",
                                        "drivers/gate.h")
MARK = "sweep/guard_mark.c"
LEDGER, SURE, STATE = "result/ledger.c", "net/state_sure.c", "net/state_text.c"
# name: file, what stands there, what stands there without it
EDITS = {
    "guard: nobody decided": (GUARD, "return a ? &a->permit : &not_armed;", "return a ? &a->permit : &too_many;"),
    "guard: no permit, no gate": (GUARD, "if (!guard_permit(d)->granted)", "if (0)"),
    "guard: the gate leaves out the mark": (GUARD, "return open_gate(d, guard_permit(d)->first_lba);",
                                            "return open_gate(d, 0);"),
    "guard: the gate is narrowed behind the mark": (GUARD, "whole ? 0 : p->first_lba", "whole ? 0 : 0"),
    "guard: the mark only when armed": (GUARD, "if (!p->granted || !gate_is_armed(d->identity, NULL, NULL))", "if (0)"),
    "guard: taken back closes the gate": (GUARD, "struct answer *a = answer_of(d);\n\n    gate_disarm(d->identity);",
                                          "struct answer *a = answer_of(d);\n"),
    "guard: asked once": (GUARD, "c->attended && !c->asked;", "c->attended;"),
    "guard: awaits only the approval": (GUARD, "against && against->holds == is_approved && c->attended", "against && c->attended"),
    "kind: only what can be used": (GUARD, "if (d->ops && d->kind", "if (d->kind"),
    # Not here: found_more (fewer signs lie within a disk than are kept), and what asks for rows that always are in the table.
    "kind: no firmware path": (GUARD, "d->ops && d->kind != DISK_FIRMWARE &&", "d->ops &&"),
    "kind: only what is larger than the head": (GUARD, "d->lba_count > GUARD_HEAD_BYTES / d->lba_bytes)", "1)"),
    "identity: no filler": (GUARD, "if (!is_filler(c->disk->identity))", "if (1)"),
    "identity: no filler's word": (GUARD, "if (str_equal_nocase(s, words[i]))", "if (0)"),
    "identity: no repeated character": (GUARD, "same &= *p == s[0] || *p == ' ' || *p == '0';", "same = false;"),
    "identity: of this arming": (GUARD, "arming_find(c->batch, c->disk->identity) : NULL;", "&c->batch->armings[0] : NULL;"),
    "machine: by serial": (GUARD, "c->machine_serial && str_equal(a->machine, c->machine_serial)", "c->machine_serial"),
    "machine: by UUID": (GUARD, "c->machine_uuid && str_equal_nocase(a->machine, c->machine_uuid)", "c->machine_uuid"),
    "looked at: blank or found": (GUARD, "if (k && (k->state == CONTENT_BLANK || k->state == CONTENT_FOUND))", "if (k)"),
    "approved: the word": (GUARD, "c->attended ? c->confirmed : c->batch", "c->attended ? true : c->batch"),
    "approved: the line": (GUARD, "c->confirmed : c->batch->approved_by[0] != 0", "c->confirmed : true"),
    "record: nobody is there": (GUARD, "if (c->keeps_record || c->attended)", "if (1)"),
    "may plan: only what would be granted": ("sweep/guard.h", "return p->granted || p->awaits_word;", "return true;"),
    "still: what it held": (GUARD, "now->fingerprint[0] && str_equal(then->fingerprint, now->fingerprint)", "now->fingerprint[0]"),
    "still: seen at all": (GUARD, "now->fingerprint[0] && str_equal(then", "str_equal(then"),
    "mark: its magic": (MARK, "memcmp(block, magic, sizeof magic - 1) ||", ""),
    "mark: its checksum": (MARK, "|| crc != crc32c(0, block, CRC_AT))", ")"),
    "ours: no foreign sign": (CONTENT, "            return false;\n    return o->has_mark", "            (void)0;\n    return o->has_mark"),
    "ours: zeros behind the mark": (CONTENT, "is_zero(k->m->head + GUARD_MARK_BYTES, k->ends_bytes - GUARD_MARK_BYTES);", "true;"),
    "content: every place": (CONTENT, "if (p && !is_zero(p, n))", "if (0)"),
    "content: the whole head": (CONTENT, "!is_zero(k->m->head, k->ends_bytes))", "0)"),
    "content: the whole tail": (CONTENT, "!is_zero(k->m->tail, k->ends_bytes))", "0)"),
    "fingerprint: the head": (CONTENT, "sha256_add(&s, k->m->head, k->ends_bytes);", ""),
    "fingerprint: the tail": (CONTENT, "sha256_add(&s, k->m->tail, k->ends_bytes);", ""),
    "fingerprint: the size": (CONTENT, "(unsigned long long)k->disk_bytes);\n    sha256_add", "0ull);\n    sha256_add"),
    "resumes: on record": (GUARD, "return c->spent && k->has_mark", "return k->has_mark"),
    "resumes: a mark": (GUARD, "c->spent && k->has_mark && ", "c->spent && "),
    "resumes: nothing foreign": (GUARD, "k->only_ours && ", ""),
    "resumes: not finished": (GUARD, "!k->mark.finished &&", "1 &&"),
    "resumes: this arming": (GUARD, "str_equal(k->mark.arming_id, a->id);", "1;"),
    "gate: a write cache goes on where it was on, or armed": (GATE, "return !on || found_on || gate_is_armed(identity, NULL, NULL);",
                                                              "return true;"),
    "gate: no more armed than there is room": (GATE, "if (armed_count == GATE_MAX_ARMED)", "if (armed_count == GATE_MAX_ARMED + 1)"),
    "gate: only what has a row": (GATE, "        if (r->transport == transport && r->opcode == opcode &&",
                                  "        if (r->opcode == opcode &&"),
    "gate: its opcode": (GATE, "r->transport == transport && r->opcode == opcode &&", "r->transport == transport &&"),
    "gate: its qualifier": (GATE, "(qualifier & r->qualifier_mask) == r->qualifier)", "1)"),
    "gate: a lane's command has a row": (GATE, "if (!gate_permits(transport, read_opcode, 0))", "if (0)"),
    "gate: writes only when armed": (GATE, "if (!gate_is_armed(identity, &first, &armed_blocks))",
                                     "first = 0, armed_blocks = lba_count;\n    if (0)"),
    "gate: writes on the pass's transport": (GATE, "p->transport != transport || ", ""),
    "gate: a write command has a row": (GATE, "!write_row_permits(transport, write_opcode, false) ||", "0 ||"),
    "gate: a flush command has a row": (GATE, "!write_row_permits(transport, flush_opcode, true))", "0)"),
    "gate: to the end of the armed range": (GATE, "end = first + armed_blocks < lba_count ? first + armed_blocks : lba_count;",
                                            "end = lba_count;"),
    "gate: to the end of the disk": (GATE, "first + armed_blocks < lba_count ? first + armed_blocks : lba_count;",
                                     "first + armed_blocks;"),
    "gate: to the end of the pass": (GATE, "end = end < p->lba_count ? end : p->lba_count;", ""),
    "gate: an armed range beyond the end": (GATE, "if (first >= end)", "if (0)"),
    "gate: arming needs an identity": (GATE, "!identity[0] || str_len", "str_len"),
    "gate: arming needs a range": (GATE, "if (!lba_count || lba_count", "if (lba_count"),
    "gate: armed ranges do not wrap": (GATE, "|| lba_count > UINT64_MAX - first_lba)", ")"),
    "gate: armed once": (GATE, "if (armed_find(identity))", "if (0)"),
    "gate: by the whole identity": (GATE, "if (str_equal(armed[i].identity, identity))", "if (armed[i].identity[0] == identity[0])"),
    "gate: disarmed is disarmed": (GATE, "    if (a)\n        *a = armed[--armed_count];", "    (void)a;"),
    "gate: all disarmed": (GATE, "void gate_disarm_all(void) { armed_count = 0; }", "void gate_disarm_all(void) { }"),
    "pass: reads below the end": (GATE_H, "lba < p->lba_count && blocks <= p->lba_count - lba", "1"),
    "pass: the write command only": (GATE_H, "return opcode == p->write_opcode && blocks != 0 && lba >=",
                                     "return blocks != 0 && lba >="),
    "pass: no empty write": (GATE_H, "p->write_opcode && blocks != 0 && lba >=", "p->write_opcode && lba >="),
    "pass: writes from the first LBA on": (GATE_H, "lba >= p->write_first_lba && ", ""),
    "pass: writes begin below the end": (GATE_H, "lba < p->write_end_lba &&", "1 &&"),
    "pass: writes end below the end": (GATE_H, "blocks <= p->write_end_lba - lba;", "1;"),
    "pass: no flush without writes": (GATE_H, "return p->write_end_lba != 0 && opcode", "return opcode"),
    "pass: the flush command only": (GATE_H, "p->write_end_lba != 0 && opcode == p->flush_opcode", "p->write_end_lba != 0"),
    "pass: many writes, the command": (GATE_H, "return room && opcode == p->write_opcode &&", "return room &&"),
    "pass: many writes, the range": (GATE_H, "blocks <= room ? room - blocks + 1", "blocks <= room ? room + 1"),
    "pass: many reads, the range": (GATE_H, "blocks <= p->lba_count ? p->lba_count - blocks + 1", "blocks <= p->lba_count ? p->lba_count"),
    "content: what cannot be read is not blank": (CONTENT, "    if (rc == OK)\n        return true;\n    k->failed = true;",
                                                  "    return true;"),
    "content: a sign is found": (CONTENT, "o->state = o->found_count ? CONTENT_FOUND : CONTENT_BLANK;", "o->state = CONTENT_BLANK;"),
    "content: data without a sign is found": (CONTENT, "if (o->data_places && !o->found_count)", "if (0)"),
    "arming: its first line": (ARMING, "if (!begun && (l.len != sizeof", "if (0 && (l.len != sizeof"),
    "arming: no control character": (ARMING, "if ((uint8_t)l.text[i] < 0x20 || l.text[i] == 0x7f)", "if (0)"),
    "arming: no byte order mark": (ARMING, "if (!begun && l.len >= 3 &&", "if (0 &&"),
    "arming: a batch has an id": (ARMING, "!value_of(l, \"batch\", r->batch->id, sizeof r->batch->id) || !is_id(r->batch->id)",
                                 "!value_of(l, \"batch\", r->batch->id, sizeof r->batch->id)"),
    "arming: an arming has an id": (ARMING, "!value_of(l, \"arming\", a->id, sizeof a->id) || !is_id(a->id)",
                                   "!value_of(l, \"arming\", a->id, sizeof a->id)"),
    "arming: ids are hexadecimal": (ARMING, "return str_len(s) == 16 && is_hex(s, 16);", "return str_len(s) == 16;"),
    "arming: each id once": (ARMING, "if (str_equal(r->batch->armings[i].id, a->id))", "if (0)"),
    "arming: each identity once": (ARMING, "if (str_equal(r->batch->armings[i].identity, a->identity))", "if (0)"),
    "arming: each line once": (ARMING, "bool twice = r->seen & 1u << kind;", "bool twice = false;"),
    "arming: no name that moves": (ARMING, "if (is_moving_name(a->identity))", "if (0)"),
    "arming: an identity has characters": (ARMING, "sizeof a->identity) || !a->identity[0])", "sizeof a->identity))"),
    "arming: a fingerprint is one": (ARMING, "(str_len(a->fingerprint) == 64 && is_hex(a->fingerprint, 64))", "1"),
    "arming: a machine is named": (ARMING, "sizeof a->machine) || !a->machine[0])", "sizeof a->machine))"),
    "arming: lines of a disk behind an arming": (ARMING, "if (line_kinds[i].of_a_disk && !r->batch->count)", "if (0)"),
    "arming: nothing behind the approval": (ARMING, "if (r->ended)\n", "if (0)\n"),
    "arming: known lines only": (ARMING, 'return refuse(r, E_SYNTAX, l->number,\n                  "it begins with none',
                                 'return OK; return refuse(r, E_SYNTAX, l->number,\n                  "it begins with none'),
    "arming: each has identity and fingerprint": (ARMING, "!b->armings[i].identity[0] || !b->armings[i].fingerprint[0]", "0"),
    "arming: the whole file or none of it": (ARMING, "    r->batch->count = 0;\n    r->batch->approved_by[0] = 0;\n    text_fmt",
                                             "    text_fmt"),
    "arming: found by its identity": (ARMING, "identity[0] && i < b->count", "i < b->count"),
    "arming: the approval covers the lines": (ARMING, "if (!str_equal(with + 5, digest))", "if (0)"),
    "arming: from the network only when pinned": (ARMING, "if (!pinned_sha256 || !pinned_sha256[0]) {", "if (0) {"),
    "arming: the image's pin is whole": (ARMING, " && is_hex(place + n, 64)", ""),
    "record: a damaged record counts": (ARMING, "!memcmp(ledger + at + 6, record + 6, 16))", "!memcmp(ledger + at + 6, record + 6, 26))"),
    "record: what is recorded is not overwritten": (ARMING, "        if (memcmp(ledger + *at, \"SPENT \", 6)) {", "        if (1) {"),
    "record: what any place has": (LEDGER, "if (ledger_has(k[i].ledger, LEDGER_BYTES, arming_id))", "if (0)"),
    "record: every place that keeps": (LEDGER, "!put(&k[i], arming_id, why))\n            return false;",
                                       "!put(&k[i], arming_id, why))\n            continue;"),
    "record: at least one place": (LEDGER, "if (ledgers_keep(k, count))", "if (1)"),
    "record: not taken for granted": (LEDGER, "memset(k->ledger + at, 0, LEDGER_RECORD_BYTES);", ""),
    "record: a damaged text": (LEDGER, "if (ledger_len(ledger) == len)", "if (1)"),
    "server: takes it": (SURE, "int rc = w->put(w->ctx, text, len, why);", "int rc = (w->put(w->ctx, text, len, why), OK);"),
    "server: gives it back": (SURE, "    if (same)\n", "    if (same || 1)\n"),
    "server: a whole text": (STATE, "return at ? at == len :", "return at ? true :"),
    "arming: pinned is pinned": (ARMING, "if (str_equal_nocase(hex, pinned_sha256))", "if (1)"),
    # A write cache that was found off.
    "write cache: ahci asks": ("drivers/ahci/ahci_cache.c", "which == CACHE_WRITE && !gate_permits_write_cache(d->identity, on, s->found == CACHE_ON)", "0"),
    "write cache: nvme asks": ("drivers/nvme/nvme_settings.c", "!gate_permits_write_cache(d->identity, on, s->found == CACHE_ON)", "0"),
    "write cache: ahci, never a state not known": ("drivers/ahci/ahci_cache.c", "    if (s->found == CACHE_UNKNOWN)\n        return E_UNSUPPORTED;\n    if (which", "    if (which"),
    # A lane that writes.
    "lane: ahci, armed": ("drivers/ahci/ahci_lane.c", "if (shape->writes && !gate_is_armed(d->identity, NULL, NULL))", "if (0)"),
    "lane: mfi, armed": ("drivers/mfi/mfi_lane.c", "if (s->writes && !gate_is_armed(d->identity, NULL, NULL))", "if (0)"),
    "lane: nvme, armed": ("drivers/nvme/nvme_lane.c", "if (shape->writes && !gate_is_armed(d->identity, NULL, NULL))", "if (0)"),
    "lane: ahci, writes only when asked": ("drivers/ahci/ahci_lane.c", "    if (rc || !writes)\n", "    if (rc)\n"),
    "lane: ahci without queue, writes only when asked": ("drivers/ahci/ahci_lane.c", "if (!rc && writes)", "if (!rc)"),
    "lane: mfi, writes only when asked": ("drivers/mfi/mfi_lane.c", "    if (rc || !writes)\n", "    if (rc)\n"),
    "lane: nvme, writes only when asked": ("drivers/nvme/nvme_lane.c", "    if (rc || !writes)\n", "    if (rc)\n"),
    # What the drivers' short ways have in place of a question per command: the gate's answer for the first LBA.
    "short way: nvme, batches": ("drivers/nvme/nvme_io.c", "lba - from >= firsts)", "0)"),
    "short way: nvme, one read": ("drivers/nvme/nvme_io.c", "r->lba >= l->full_first_lbas))", "0))"),
    "short way: nvme, writes from the begin": ("drivers/nvme/nvme_io.c",
                                               "from = op == IO_WRITE ? l->pass.write_first_lba : 0;", "from = 0;"),
    "short way: mfi": ("drivers/mfi/mfi_path.h", "lba - from >= first_lbas || ", ""),
    "short way: mfi, writes from the begin": ("drivers/mfi/mfi_path.h",
                                              "from = op == IO_WRITE ? m->pass.write_first_lba : 0;", "from = 0;"),
}
OWN = {"drivers": "gate", "net": "state"}
# What a driver asks of the gate in its submit path: taken away as a whole.
DRIVERS = {
    "nvme": ["nvme_io.c", "nvme_admin.c"],
    "ahci": ["ahci_io.c", "ahci_port.c"],
    "mfi": ["mfi_io.c", "mfi_dcmd.c", "mfi_scsi.c"],
}
ANSWERS = {"_io.c": ("gate_lets_through", "gate_lets_flush"), "": ("gate_permits",)}


class Copy:
    def __init__(self, folder):
        self.root, self.objects = Path(folder).resolve() / "copy", Path(folder).resolve() / "objects"
        shutil.rmtree(self.root, ignore_errors=True)
        self.objects.mkdir(parents=True, exist_ok=True)
        for room in ROOMS:
            shutil.copytree(ROOT / room, self.root / room)
        shutil.copy(ROOT / "Makefile", self.root)
        words = re.search(r"^INC_tests +:= ((?:.*\\\n)*.*)$", (ROOT / "Makefile").read_text(), re.M).group(1)
        self.includes = [f"-I{room}" for room in words.replace("\\\n", " ").split() if (self.root / room).is_dir()]

    def sources(self, program):
        return sorted({str(p.relative_to(self.root)) for pattern in HOST + PROGRAMS[program] for p in self.root.glob(pattern)})

    def compile(self, sources, tag):
        """Objects of these sources, those of an untouched copy once for all."""
        objects, running = [], []
        for source in sources:
            target = self.objects / (source.replace("/", "-") + f".{tag}.o")
            objects.append(target)
            if tag == "whole" and target.exists():
                continue
            running.append(subprocess.Popen(["gcc", "-std=gnu11", "-O1", "-w", *self.includes, "-c", "-o", str(target), source],
                                            cwd=self.root, stderr=subprocess.PIPE))
            if len(running) == (os.cpu_count() or 1):
                finish(running)
        finish(running)
        return objects

    def tests_fail(self, program, touched=()):
        """Builds with the touched sources compiled anew (a header: those that include it) and runs."""
        names = [Path(t).name for t in touched]
        anew = [s for s in self.sources(program)
                if s in touched or any(n.endswith(".h") and f'"{n}"' in (self.root / s).read_text() for n in names)]
        rest = [s for s in self.sources(program) if s not in anew]
        binary = self.objects / f"{program}.run"
        subprocess.run(["gcc", "-o", str(binary), *map(str, self.compile(rest, "whole") + self.compile(anew, "edit"))], check=True)
        try:
            return subprocess.run([str(binary)], cwd=self.root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  timeout=120).returncode != 0
        except subprocess.TimeoutExpired:
            return True

    def edit(self, source, change):
        path = self.root / source
        text = path.read_text()
        path.write_text(change(text))
        return text


def finish(running):
    while running:
        p = running.pop()
        words = p.communicate()[1]
        if p.returncode:
            raise SystemExit(f"{p.args[-1]} does not compile:\n{words.decode()[-2000:]}")


def replaced(old, new):
    def change(text):
        if text.count(old) != 1:
            raise SystemExit(f"stands {text.count(old)} times there, not once: {old!r}")
        return text.replace(old, new)
    return change


def always(function):
    """A row of guard_conditions whose condition always holds."""
    def change(text):
        changed = re.sub(r'(\{ "[^"]+", )%s \}' % function, r"\1always_holds }", text)
        return changed.replace("const struct guard_condition guard_conditions[] = {", "static bool always_holds(const struct "
                               "guard_case *c, struct text *t) { (void)c; (void)t; return true; }\n"
                               "const struct guard_condition guard_conditions[] = {")
    return change


def answered(functions):
    """The gate says yes to whatever this file asks."""
    def change(text):
        last = text.rindex("#include")
        end = text.index("\n", last) + 1
        return text[:end] + "".join(f"#define {f}(...) true\n" for f in functions) + text[end:]
    return change


def all_changes():
    rows = re.findall(r'\{ "([^"]+)", (\w+) \},', (ROOT / GUARD).read_text())
    if len(rows) < 13:
        raise SystemExit("the rows of guard_conditions were not found")
    for name, function in rows:
        yield f"condition: {name}", "guard", GUARD, always(function)
    for name, (source, old, new) in EDITS.items():
        room, folder = source.split("/")[:2]
        yield name, folder if folder in DRIVERS else OWN.get(room, "guard"), source, replaced(old, new)
    for driver, files in DRIVERS.items():
        for file in files:
            functions = next(v for k, v in ANSWERS.items() if file.endswith(k))
            yield f"{driver}: what {file} asks the gate", driver, f"drivers/{driver}/{file}", answered(functions)


def main(folder, word=""):
    copy, survived, count = Copy(folder), [], 0
    changes = [c for c in all_changes() if word in c[0]]
    for program in sorted({c[1] for c in changes}):
        if copy.tests_fail(program):
            raise SystemExit(f"the tests of {program} fail with nothing taken away")
    for name, program, source, change in changes:
        text = copy.edit(source, change)
        count += 1
        if not copy.tests_fail(program, (source,)):
            survived.append(name)
        (copy.root / source).write_text(text)
    shutil.rmtree(copy.root)
    shutil.rmtree(copy.objects)
    for name in survived:
        print(f"no test fails without \"{name}\"")
    print(f"{count} conditions taken away, a test failed for {count - len(survived)}")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
