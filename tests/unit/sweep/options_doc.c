#include "options_doc.h"
#include "bits.h"
#include "conf.h"
#include "job.h"
#include "str.h"

static const char jobs_intro[] =
    "# Job files\n"
    "\n"
    "<!-- Made from sweep/job_options.c by `make docs`: change it there. -->\n"
    "\n"
    "A job file says what to read and write, in the language of fio. Put it on the stick and name it in `baresweep.conf` with\n"
    "`plan = jobs` and `jobs = PATH`. A file that runs with fio runs here in most cases; what cannot be\n"
    "honoured is refused by name, never skipped.\n"
    "\n"
    "```\n"
    "[global]\n"
    "filename=all\n"
    "runtime=30s\n"
    "\n"
    "[sequential]\n"
    "rw=read\n"
    "bs=1m\n"
    "iodepth=4\n"
    "\n"
    "[random]\n"
    "stonewall\n"
    "rw=randread\n"
    "bs=4k\n"
    "iodepth=32\n"
    "```\n"
    "\n"
    "A section is a job. `[global]` gives its options to the jobs below it; a second `[global]` adds to the first. Jobs\n"
    "run side by side until one has `stonewall`. Comments begin with `#` or `;`. A wrong line refuses its job (in\n"
    "`[global]`: the jobs below it) with the line's number, the nearest known word and what to write; the others run, and\n"
    "the run ends with exit 2. A job that writes on a disk that is not armed is NOT-TESTED there with the reason; no\n"
    "line is at fault then, and the exit status is that of the rest.\n"
    "\n"
    "What differs from fio:\n"
    "\n"
    "* Jobs that write need a disk that is armed (`docs/safety.md`). Its first MiB is the write guard's own, so to a file\n"
    "  that has a job which writes or verifies, an armed disk is what lies behind it: all offsets of the file, those of\n"
    "  its reads too, count from there, percents are of the rest, and what goes beyond the end is refused. Two regions\n"
    "  lie to one another as the file says. On a disk that is not armed the same holds for jobs that only compare\n"
    "  (`verify_only`, `verify` of a read), so that they look where an earlier boot wrote; its other reads begin at 0.\n"
    "* `filename` takes the names that this program shows (`nvme0n1`, `sata0.3`, `megaraid0.vd0`), `serial.XXXX`, or\n"
    "  `all`. A Linux path is refused unless `[map]` in `baresweep.conf` says which disk it means.\n"
    "* Each disk named by a job gets the whole job with the whole `iodepth`; fio spreads one job over its files.\n"
    "* Blanks around `=` and a byte order mark at the file's start are accepted.\n"
    "* A `size` that is no multiple of `bs` is read to its end: the last request of a sequential job is shorter.\n"
    "* A failed request does not end a job. It is counted, named, and kept out of bandwidth and latency.\n"
    "\n"
    "As in fio, `4k` is 4096 bytes and `4KiB` is 4000 (its `kb_base=1024`), which no disk can read: the job is refused\n"
    "with a sentence about it.\n";

static const char conf_intro[] =
    "# baresweep.conf\n"
    "\n"
    "<!-- Made from sweep/conf.c by `make docs`: change it there. -->\n"
    "\n"
    "A text file beside the application, one `option = value` a line. Without it everything has the default below.\n"
    "Comments begin with `#` or `;`; section names are free. A wrong line keeps its default, is shown with its number,\n"
    "and the run ends with exit 2.\n"
    "\n"
    "```\n"
    "[run]\n"
    "budget_s = 600\n"
    "include = nvme0n1, sata0\n"
    "expect_disks = 12\n"
    "\n"
    "[map]\n"
    "/dev/sda = sata0.3\n"
    "```\n"
    "\n"
    "`[map]` is the one section with a meaning of its own: its lines say which disk a Linux path in a job file is.\n";

static const char jobs_verify[] =
    "\n## Writing and verifying\n\n"
    "A job that writes runs only on a disk that is armed (`docs/safety.md`); on the others it is NOT-TESTED. The\n"
    "disk's cache is flushed at the end, inside the measured time.\n"
    "\n"
    "With `verify`, each LBA carries a stamp: its number, a word for the job (its region, `bs` and `randseed`), the run\n"
    "(the one in the lines of its journal), the pass (which rises each time that the region is written again) and a\n"
    "CRC-32C over the whole LBA; the rest is a sequence that follows from these. When all is written and flushed it is read back in the same order. A block that is not as written is named\n"
    "with its LBA and one of: `lost` (never written), `stale` (an earlier pass), `misdirected` (the stamp of another\n"
    "LBA), `corrupt` (the CRC is wrong), `other-job` (another job, run or later pass). One such block fails the lane.\n"
    "The same job run again stamps another run, so that a write lost the second time is found.\n"
    "\n"
    "`verify_only` with the lines of the job that wrote reads it back later, also in another boot. All has to be of one\n"
    "run: of `verify_run` if that is given; else of this run, if an earlier step of it writes the same; else of the run\n"
    "that the first sound stamp of this job names. That there is only one is then known, not which: name it where it\n"
    "counts. It supposes that the job came to its end by bytes; one that ended by time wrote less or more. Which blocks\n"
    "a sequential mix (`rw=rw`) wrote cannot be known later: `verify_only` of it is refused, `verify` in it works.\n"
    "`rounds` in the configuration writes the same stamps in each round.\n"
    "\n"
    "As in fio, the reads of a mix are not checked; what the mix wrote is, at the end.\n";

/* One row as opt_help words it, as a line of a table. */
static void put_row(struct text *out, const struct opt *row)
{
    char line[512], name[64];
    struct text t = text_over(line, sizeof(line)), n = text_over(name, sizeof(name));
    const char *rest = line;

    text_str(&n, row->name);
    if (row->alias)
        text_fmt(&n, ", %s", row->alias);
    opt_help(row, 1, &t);
    rest += n.len;
    while (*rest == ' ')
        rest++;
    text_fmt(out, "| `%s`%s%s%s | ", row->name, row->alias ? ", `" : "", row->alias ? row->alias : "",
             row->alias ? "`" : "");
    text_bytes(out, rest, str_len(rest) - 1);
    text_str(out, " |\n");
}

static void put_options(struct text *out, const struct opt *table, unsigned rows)
{
    text_str(out, "\n| option | accepts; default. Meaning |\n|---|---|\n");
    for (unsigned i = 0; i < rows; i++)
        if (table[i].kind != OPT_NOTE)
            put_row(out, &table[i]);
}

/* Rows with the same reason share a line. */
static void put_notes(struct text *out, const struct opt *table, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        bool first = true;
        for (unsigned k = 0; k < i && first; k++)
            first = table[k].kind != OPT_NOTE || !str_equal(table[k].help, table[i].help);
        if (table[i].kind != OPT_NOTE || !first)
            continue;
        text_str(out, "* ");
        for (unsigned k = i; k < rows; k++)
            if (table[k].kind == OPT_NOTE && str_equal(table[k].help, table[i].help))
                text_fmt(out, "%s`%s`", k == i ? "" : ", ", table[k].name);
        text_fmt(out, ": %s.\n", table[i].help);
    }
}

void options_doc_jobs(struct text *out)
{
    text_str(out, jobs_intro);
    text_str(out, "\n## Options\n");
    put_options(out, job_options, job_option_count);
    text_str(out, "\n## Accepted without meaning\n\n"
                  "These change nothing:\n\n");
    put_notes(out, job_options, job_option_count);
    text_str(
        out,
        "\n## Refused\n\n"
        "These would change the workload; a job that has one is not run. The value in the second column asks for\n"
        "what happens anyway and is accepted.\n\n"
        "| option | accepted value | why |\n|---|---|---|\n");
    for (unsigned i = 0; i < job_refusal_count; i++)
        text_fmt(out, "| `%s` | %s | %s |\n", job_refusals[i].name,
                 job_refusals[i].harmless ? job_refusals[i].harmless : "none", job_refusals[i].why);
    text_str(out, "\nIn a job that writes, these, too; for others they have no meaning:\n\n"
                  "| option | accepted value | why |\n|---|---|---|\n");
    for (unsigned i = 0; i < job_write_refusal_count; i++)
        text_fmt(out, "| `%s` | %s | %s |\n", job_write_refusals[i].name,
                 job_write_refusals[i].harmless ? job_write_refusals[i].harmless : "none",
                 job_write_refusals[i].why);
    text_str(out, jobs_verify);
}

void options_doc_conf(struct text *out)
{
    text_str(out, conf_intro);
    text_str(out, "\n## Options\n");
    put_options(out, conf_options, conf_option_count);
}
