#include "conf.h"
#include "bits.h"
#include "ini.h"
#include "presets.h"
#include "str.h"

#define FIELD(name) offsetof(struct conf, name), sizeof(((struct conf *)0)->name)

const struct opt conf_options[] = {
    { "plan", NULL, OPT_WORD, FIELD(plan), 0, 0, "default", "default jobs preset burn-in burn-in-readonly",
      "What is done: the built-in plan, the job file named by jobs, a preset, or a burn-in (docs/burn-in.md). burn-in writes "
      "to disks that are armed and to no other; burn-in-readonly writes to none" },
    { "leave", NULL, OPT_WORD, FIELD(leave), 0, 0, "zero", "zero stamp",
      "What a burn-in leaves on a disk that it has written: zero: the first and last MiB are zeros, so that an installer "
      "sees a blank disk; stamp: its data stays" },
    { "burn_in_budget_s", NULL, OPT_COUNT, FIELD(burn_in_budget_s), 0, 30 * 24 * 3600, "0", NULL,
      "Seconds that the burn-in of a drive may take. 0: 72 hours for disks that rotate, 24 hours for others" },
    { "burn_in_error_limit", NULL, OPT_COUNT, FIELD(burn_in_error_limit), 1, 1000000, "16", NULL,
      "A drive with so many failed requests or wrong blocks leaves the burn-in; the others go on. One error is FAIL" },
    { "burn_in_checkpoint_s", NULL, OPT_COUNT, FIELD(burn_in_checkpoint_s), 1, 3600, "60", NULL,
      "Seconds between two checkpoints of a burn-in, from which the next start resumes" },
    { "burn_in_stop_s", NULL, OPT_COUNT, FIELD(burn_in_stop_s), 0, 30 * 24 * 3600, "0", NULL,
      "Seconds after which a burn-in stops, in order and whatever is left to do: ABORTED; the next start resumes it. 0: no "
      "such limit" },
    { "pause_temperature_c", NULL, OPT_COUNT, FIELD(pause_temperature_c), 0, 125, "0", NULL,
      "A drive as warm as this rests until it is 5 degrees cooler. 0: at the warning limit that it tells, else 60 (rotates) "
      "or 70" },
    { "end_temperature_c", NULL, OPT_COUNT, FIELD(end_temperature_c), 0, 125, "0", NULL,
      "A drive as warm as this leaves the burn-in. 0: at the critical limit that it tells, else 65 (rotates) or 80" },
    { "preset", NULL, OPT_WORD, FIELD(preset), 0, 0, "none", preset_words,
      "A benchmark that people compare, from inside the application; docs/presets.md describes each. plan=preset follows" },
    { "order", NULL, OPT_WORD, FIELD(order), 0, 0, "auto", "auto independent one-by-one together scaling",
      "Which disks run side by side, of job files and presets: independent: one of each controller; one-by-one; together: "
      "all; scaling: 1, 2, 4 ... all disks of each controller. auto: job files together, presets independent (quick: "
      "together)" },
    { "rounds", NULL, OPT_COUNT, FIELD(rounds), 1, 25, "1", NULL,
      "Job files and presets: each step is repeated until its rate is steady by the SNIA rule (five rounds within 20 % and "
      "with a slope of at most 10 %), at most so often. 25 is the rule's own limit" },
    { "jobs", NULL, OPT_TEXT, FIELD(jobs), 0, 0, NULL, NULL,
      "Path of the job file on the stick, with / between folders. Used with plan=jobs" },
    { "budget_s", "budget", OPT_COUNT, FIELD(budget_s), 10, 30 * 24 * 3600, "900", NULL,
      "Seconds that the built-in plan or a preset may take on this machine. What does not fit is NOT-TESTED, and so is what slow devices leave no time for" },
    { "time_scale_pct", NULL, OPT_COUNT, FIELD(time_scale_pct), 1, 1000, "100", NULL,
      "All planned times and amounts in percent: 1 to 5 for trying out, never for figures" },
    { "include", NULL, OPT_TEXT, FIELD(include), 0, 0, NULL, NULL,
      "Only these disks, blanks or commas between them: names (nvme0n1), whole controllers (sata0), serial.XXXX, "
      "model=SAMSUNG* (? stands for one character, also a blank), size>1t, size<500g, rotational=yes or no, kind=nvme, "
      "sata, virtual or firmware; a + between two: both" },
    { "exclude", NULL, OPT_TEXT, FIELD(exclude), 0, 0, NULL, NULL,
      "Never these disks; stronger than include" },
    { "stripe", NULL, OPT_TEXT, FIELD(stripe), 0, 0, NULL, NULL,
      "Job files and presets: these disks (as for include) are read as one, chunk after chunk in turn, as an operating "
      "system's RAID 0 would; the array is called stripe0 and runs in place of all disks" },
    { "stripe_chunk_kib", NULL, OPT_COUNT, FIELD(stripe_chunk_kib), 4, 32768, "64", NULL,
      "Its chunk in KiB" },
    { "expect_disks", NULL, OPT_COUNT, FIELD(expect_disks), 0, 0, "0", NULL,
      "Number of disks that must be there and readable; fewer is FAIL. 0: any number" },
    { "expect_models", NULL, OPT_TEXT, FIELD(expect_models), 0, 0, NULL, NULL,
      "Drives that must be there and readable, commas between them: 4x WDC WD40*, 2x SAMSUNG*. Fewer is FAIL" },
    { "expect_firmware", NULL, OPT_TEXT, FIELD(expect_firmware), 0, 0, NULL, NULL,
      "Firmware that drives must have: WDC WD40*: 82.00A82, SAMSUNG*: 5B2Q*. Another one is FAIL" },
    { "expect_link", NULL, OPT_TEXT, FIELD(expect_link), 0, 0, NULL, NULL,
      "Least link of every storage card in a slot: gen2 x8. A narrower or slower one is FAIL" },
    { "expect_mb_per_s", NULL, OPT_TEXT, FIELD(expect_mb_per_s), 0, 0, NULL, NULL,
      "Least best sequential read in MB/s, by kind or name: hdd 100, ssd 400, nvme 1500, virtual 200, sata0.3 90" },
    { "smbus", NULL, OPT_WORD, FIELD(smbus), 0, 0, "auto", "auto passive probe no",
      "The SMBus: auto looks, and reads the memory modules' addresses when a card known for trouble is in a board that is "
      "no server; passive only looks; probe reads in any case; no leaves it alone" },
    { "bench_wait_s", NULL, OPT_COUNT, FIELD(bench_wait_s), 0, 600, "0", NULL,
      "Seconds to wait before the machine is looked at, for a test bench that changes it from outside; a key ends them" },
    { "firmware_path", NULL, OPT_FLAG, FIELD(firmware_path), 0, 0, "yes", NULL,
      "Read disks of controllers without a driver through the firmware: slow, alone, and no figure to compare" },
    { "ack_boot_message", NULL, OPT_FLAG, FIELD(ack_boot_message), 0, 0, "no", NULL,
      "A RAID card that waits for its boot message (lost cache, missing drives) to be answered: answer it and go on. It "
      "may be final" },
    { "reset_faulted_raid", NULL, OPT_FLAG, FIELD(reset_faulted_raid), 0, 0, "no", NULL,
      "A RAID card whose firmware is in state FAULT: reset it once. What its write cache still holds may be lost" },
    { "resume", NULL, OPT_FLAG, FIELD(resume), 0, 0, "no", NULL,
      "A run of this machine that a person stopped, or a power cut ended, is resumed without a key: the steps that are "
      "done are taken over, the others run. no: the menu offers it. A burn-in resumes by itself" },
    { "data_check", NULL, OPT_FLAG, FIELD(data_check), 0, 0, "yes", NULL,
      "Checksums of each disk's head and tail before and after the run: shows that nothing was changed" },
    { "handback_check", NULL, OPT_FLAG, FIELD(handback_check), 0, 0, "no", NULL,
      "At the end the firmware's own drivers read the head of each disk once more and the data is compared" },
    { "selftest", NULL, OPT_WORD, FIELD(selftest), 0, 0, "none", "none short extended",
      "The drives' own self-test after the last step, all drives side by side, no data is changed. short: about two "
      "minutes; extended: the whole medium, hours on a hard disk, ended after one and a half times the drive's own "
      "estimate and after 96 hours in any case" },
    { "warn_chains", NULL, OPT_FLAG, FIELD(warn_chains), 0, 0, "yes", NULL,
      "WARN counts as success towards the boot loader, which then starts what comes next" },
    { "after", NULL, OPT_WORD, FIELD(after), 0, 0, "return", "return reboot poweroff next",
      "What happens at the end: back to the boot loader with the verdict as its status, restart, off, or on to the next "
      "stage, which only a run that passed reaches (docs/network.md)" },
    { "next", NULL, OPT_TEXT, FIELD(next), 0, 0, NULL, NULL,
      "With after=next, where no iPXE script goes on by itself: the firmware's boot entry that comes next, by its number "
      "(Boot0003). Without it, the next one in the firmware's order" },
    { "attended", NULL, OPT_FLAG, FIELD(attended), 0, 0, "no", NULL,
      "A person is there: no watchdog restarts a machine that hangs" },
    { "countdown_s", "countdown", OPT_COUNT, FIELD(countdown_s), 0, 3600, "10", NULL,
      "Seconds before the run starts; a key opens the menu" },
    { "screen", NULL, OPT_WORD, FIELD(screen), 0, 0, "text", "text serial both none",
      "Where the full screen is: on the text consoles, on a serial port with a terminal at its other end (80 x 24, ANSI), "
      "on both, or nowhere. A serial port carries lines or a screen; the others keep their lines" },
    { "screen_port", NULL, OPT_COUNT, FIELD(screen_port), 0, 3, "0", NULL,
      "Which serial port has the screen, in the firmware's order from 0" },
    { "screen_baud", NULL, OPT_COUNT, FIELD(screen_baud), 0, 921600, "0", NULL,
      "Speed of that port in baud, set for the time of the run; pictures take a hundredth of what it carries. 0: as the "
      "firmware has set it" },
    { "screen_size", NULL, OPT_WORD, FIELD(screen_size), 0, 0, "largest", "largest 80x25",
      "Which mode of the text consoles: the largest up to 240 x 80, or 80 x 25 for a remote console that shows large ones "
      "badly" },
    { "end_screen_s", NULL, OPT_COUNT, FIELD(end_screen_s), 0, 3600, "30", NULL,
      "Seconds that the last screen stays before the boot loader goes on, with after = return; a key keeps it for longer" },
    { "arm", NULL, OPT_TEXT, FIELD(arm), 0, 0, NULL, NULL,
      "Path of the arming file (docs/safety.md) that says which disks may be overwritten, each once, and what they hold "
      "then. Without it no disk is written" },
    { "arm_sha256", NULL, OPT_TEXT, FIELD(arm_sha256), 0, 0, NULL, NULL,
      "SHA-256 of an arming file from the network, 64 hexadecimal digits. Counts only on a stick: without it, and without "
      "a pin in the application (image/pin-arming), nothing from the network arms a disk" },
    { "blink", NULL, OPT_TEXT, FIELD(blink), 0, 0, NULL, NULL,
      "This disk (sata0.3 or serial.XXXX) is read in a rhythm of three flashes and a pause, so that its light shows its "
      "bay. Nothing is measured" },
    { "blink_s", NULL, OPT_COUNT, FIELD(blink_s), 1, 3600, "60", NULL, "Seconds that it blinks" },
    { "run_label", NULL, OPT_TEXT, FIELD(run_label), 0, 0, NULL, NULL, "Free text, kept with the results" },
    { "upload", NULL, OPT_TEXT, FIELD(upload), 0, 0, NULL, NULL,
      "Where results go, up to four places in order, commas between them: http://10.9.0.1/upload/ or tftp://boot-server/. The "
      "first that takes them gets all of them. A stick's network card is used only when this, syslog or state asks for it" },
    { "syslog", NULL, OPT_TEXT, FIELD(syslog), 0, 0, NULL, NULL,
      "A line per step and finding by UDP: 10.9.0.1 or 10.9.0.1:514. Nobody answers them: some may be lost" },
    { "state", NULL, OPT_TEXT, FIELD(state), 0, 0, NULL, NULL,
      "What is to be remembered of this machine from run to run, for machines without a stick: http://10.9.0.1/upload/state/. "
      "Read at the start, written at the end" },
};
const unsigned conf_option_count = ARRAY_COUNT(conf_options);

static void problem(struct conf_problems *p, const struct ini_line *line, const char *text)
{
    unsigned i = p->count++;

    if (i >= JOB_FILE_MAX_PROBLEMS)
        return;
    p->kept[i].line = line->line;
    str_copy(p->kept[i].job, sizeof(p->kept[i].job), line->section);
    str_copy(p->kept[i].text, sizeof(p->kept[i].text), text);
}

static void read_map(struct conf *c, struct conf_problems *p, const struct ini_line *line)
{
    struct conf_map *m = &c->map[c->map_count];
    char text[200];

    if (!str_starts(line->key, "/")) {
        str_fmt(text, sizeof(text),
                "[map] says what a Linux path means: %.40s is none. Write /dev/sda = sata0.3", line->key);
        problem(p, line, text);
    } else if (!line->value[0]) {
        str_fmt(text, sizeof(text), "[map] %.40s: the name of a disk is missing. Write %.40s = sata0.3",
                line->key, line->key);
        problem(p, line, text);
    } else if (c->map_count == CONF_MAX_MAPS) {
        problem(p, line, "[map] has more lines than are kept (32): remove some");
    } else if (!str_copy(m->path, sizeof(m->path), line->key) ||
               !str_copy(m->disk, sizeof(m->disk), line->value)) {
        problem(p, line, "[map]: path and disk may have 47 characters each");
    } else {
        c->map_count++;
    }
}

static void read_option(struct conf *c, struct conf_problems *p, const struct ini_line *line)
{
    const struct opt *row = opt_find(conf_options, conf_option_count, line->key);
    char text[240];
    struct text t = text_over(text, sizeof(text));

    if (row) {
        if (opt_set(row, c, line->has_value ? line->value : NULL, &t))
            problem(p, line, text);
        return;
    }
    const char *nearest = opt_nearest(conf_options, conf_option_count, line->key);
    text_fmt(&t, "%.40s is no option here", line->key);
    if (nearest)
        text_fmt(&t, "; did you mean %s?", nearest);
    else
        text_str(&t, " (docs/conf.md lists them).");
    text_str(&t, " Correct the line or remove it");
    problem(p, line, text);
}

/* `arm` names a file.  What looks like a disk, or like all of them, is a wish that must not be granted. */
static void check_arm(struct conf *c, struct conf_problems *p, const struct ini_line *line)
{
    static const char *const names[] = { "all", "yes", "any", "on", "true", "*" };
    static const char *const disks[] = { "nvme", "sata", "megaraid", "serial.", "/dev/" };
    bool wrong = false;

    for (unsigned i = 0; i < ARRAY_COUNT(names); i++)
        wrong |= str_equal_nocase(c->arm, names[i]);
    for (unsigned i = 0; i < ARRAY_COUNT(disks); i++)
        wrong |= str_starts(c->arm, disks[i]) && !str_find(c->arm, ".txt");
    if (wrong)
        problem(
            p, line,
            "arm names the file of an arming batch, never a disk, a name that may move, or all of them: let "
            "baresweep-rack arm make the file from a run's journal (docs/safety.md). Nothing is armed");
    if (wrong)
        c->arm[0] = 0;
    if (c->arm_sha256[0] && str_len(c->arm_sha256) != 64) {
        problem(p, line, "arm_sha256 has 64 hexadecimal digits, as sha256sum prints them");
        c->arm_sha256[0] = 0;
    }
}

void conf_defaults(struct conf *out)
{
    memset(out, 0, sizeof(*out));
    opt_defaults(conf_options, conf_option_count, out);
}

void conf_read_lines(const char *text, size_t len, struct conf *out, struct conf_problems *problems)
{
    struct ini_reader ini;
    struct ini_line line;

    memset(problems, 0, sizeof(*problems));
    ini_start(&ini, text, len);
    for (ini_next(&ini, &line); line.kind != INI_END; ini_next(&ini, &line)) {
        if (line.kind == INI_BAD)
            problem(problems, &line, line.problem);
        else if (line.kind == INI_KEY && str_equal(line.section, "map"))
            read_map(out, problems, &line);
        else if (line.kind == INI_KEY)
            read_option(out, problems, &line);
    }
}

void conf_settle(struct conf *out, struct conf_problems *problems)
{
    struct ini_line line = { .line = 0 };

    check_arm(out, problems, &line);
    if (out->preset && out->plan == CONF_PLAN_DEFAULT)
        out->plan = CONF_PLAN_PRESET;
    if (out->plan == CONF_PLAN_PRESET && !out->preset)
        problem(problems, &line, "plan=preset needs the name of one: add preset = quick");
    if (out->plan == CONF_PLAN_JOBS && out->preset)
        problem(problems, &line, "plan=jobs and a preset: remove one of them; the job file is run");
    if (out->plan == CONF_PLAN_JOBS && !out->jobs[0])
        problem(problems, &line, "plan=jobs needs the path of a job file: add jobs = jobs/mine.fio");
}

bool conf_read(const char *text, size_t len, struct conf *out, struct conf_problems *problems)
{
    conf_defaults(out);
    conf_read_lines(text, len, out, problems);
    conf_settle(out, problems);
    return !problems->count;
}
