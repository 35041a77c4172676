#include <string.h>
#include "bits.h"
#include "conf.h"
#include "plan.h"
#include "str.h"
#include "test.h"

static struct conf c;
static struct conf_problems p;

static bool read_text(const char *text) { return conf_read(text, strlen(text), &c, &p); }

TEST(an_empty_configuration_is_the_documented_default)
{
    CHECK(read_text(""));
    EQ(c.plan, CONF_PLAN_DEFAULT);
    EQ(c.time_scale_pct, 100);
    EQ(c.budget_s, 900);
    EQ(c.expect_disks, 0);
    EQ(c.warn_chains, 1);
    EQ(c.after, AFTER_RETURN);
    EQ(c.firmware_path, 1);
    EQ(c.attended, 0);
    EQ(c.countdown_s, 10);
    EQ_STR(c.include, "");
    EQ(p.count, 0);
}

TEST(options_are_read_in_any_section)
{
    CHECK(read_text("time_scale_pct = 2\n[run]\nplan=jobs\njobs = jobs/mine.fio\nafter=poweroff\n"
                    "[who]\ninclude = nvme0n1, sata0\nrun_label=rack 7\nwarn_chains=no\nattended\n"));
    EQ(c.time_scale_pct, 2);
    EQ(c.plan, CONF_PLAN_JOBS);
    EQ_STR(c.jobs, "jobs/mine.fio");
    EQ(c.after, AFTER_POWEROFF);
    EQ_STR(c.include, "nvme0n1, sata0");
    EQ_STR(c.run_label, "rack 7");
    EQ(c.warn_chains, 0);
    EQ(c.attended, 1);
}

TEST(a_second_text_stands_over_the_first_key_by_key)
{
    static const char file[] = "plan=jobs\njobs=a.fio\ncountdown_s=7\n",
                      words[] = "countdown_s=0\nbugdet=1\n";
    struct conf_problems of_words;

    conf_defaults(&c);
    conf_read_lines(file, strlen(file), &c, &p);
    conf_read_lines(words, strlen(words), &c, &of_words);
    conf_settle(&c, &p);
    EQ(c.plan, CONF_PLAN_JOBS);
    EQ_STR(c.jobs, "a.fio");
    EQ(c.countdown_s, 0);
    EQ(p.count, 0);
    EQ(of_words.count, 1);
    EQ(of_words.kept[0].line, 2);
}

TEST(what_is_missing_in_both_texts_is_told_once)
{
    static const char words[] = "plan=jobs\n";
    struct conf_problems of_words;

    conf_defaults(&c);
    conf_read_lines("", 0, &c, &p);
    conf_read_lines(words, strlen(words), &c, &of_words);
    conf_settle(&c, &p);
    EQ(of_words.count, 0);
    EQ(p.count, 1);
    EQ(p.kept[0].line, 0);
    HAS_STR(p.kept[0].text, "jobs = jobs/mine.fio");
}

TEST(a_wrong_line_keeps_the_default_and_is_told)
{
    static const struct {
        const char *line, *problem;
    } row[] = {
        { "time_scale_pct=0", "outside" },
        { "time_scale_pct=1001", "outside" },
        { "budget_s=9", "outside" },
        { "budgets=60", "did you mean budget" },
        { "plan=defualt", "did you mean default" },
        { "after=sleep", "return reboot poweroff" },
        { "expect_disks=65536", "outside" },
        { "countdown_s=-1", "countdown_s" },
        { "colour=blue", "docs/conf.md" },
        { "= 3", "nothing stands before" },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(row); i++) {
        char text[100];
        str_fmt(text, sizeof(text), "[run]\n%s\nrun_label=x\n", row[i].line);
        CHECK(!read_text(text));
        EQ(p.count, 1);
        EQ(p.kept[0].line, 2);
        HAS_STR(p.kept[0].text, row[i].problem);
        EQ(c.time_scale_pct, 100);
        EQ(c.budget_s, 900);
        EQ_STR(c.run_label, "x");
    }
}

TEST(jobs_without_a_file_is_a_problem)
{
    CHECK(!read_text("plan=jobs\n"));
    HAS_STR(p.kept[0].text, "needs the path");
}

TEST(a_map_says_what_a_linux_path_means)
{
    CHECK(read_text("[map]\n/dev/sda = sata0.3\n/dev/disk/by-id/x=serial.ABC\n[run]\nbudget=60\n"));
    EQ(c.map_count, 2);
    EQ_STR(c.map[0].path, "/dev/sda");
    EQ_STR(c.map[0].disk, "sata0.3");
    EQ_STR(c.map[1].disk, "serial.ABC");
    EQ(c.budget_s, 60);
    CHECK(!read_text("[map]\nsda=sata0.3\n"));
    HAS_STR(p.kept[0].text, "Linux path");
    CHECK(!read_text("[map]\n/dev/sda\n"));
    HAS_STR(p.kept[0].text, "missing");
    CHECK(!read_text("[map]\n/dev/disk/by-id/a-name-that-is-far-too-long-to-be-kept-here=sata0.3\n"));
    EQ(c.map_count, 0);
}

TEST(the_map_has_an_end)
{
    static char text[2048];
    struct text t = text_over(text, sizeof(text));

    text_str(&t, "[map]\n");
    for (unsigned i = 0; i < CONF_MAX_MAPS + 1; i++)
        text_fmt(&t, "/dev/x%u=sata0.%u\n", i, i);
    CHECK(!read_text(text));
    EQ(c.map_count, CONF_MAX_MAPS);
    EQ(p.count, 1);
}

TEST(problems_beyond_the_kept_ones_are_counted_in_a_configuration_too)
{
    static char text[1024];
    struct text t = text_over(text, sizeof(text));

    for (unsigned i = 0; i < 40; i++)
        text_str(&t, "nonsense=1\n");
    CHECK(!read_text(text));
    EQ(p.count, 40);
}

TEST(include_and_exclude_choose_disks_by_name_controller_and_serial)
{
    static const struct {
        const char *include, *exclude;
        bool wanted;
    } row[] = {
        { "", "", true },
        { "sata0.3", "", true },
        { "sata0.30", "", false },
        { "sata0.", "", false },
        { "nvme0n1, sata0.3", "", true },
        { "nvme0n1\tsata0.3", "", true },
        { ",,  ,", "", false },
        { "sata0", "", true },
        { "sata1", "", false },
        { "serial.WD-123", "", true },
        { "serial.WD-12", "", false },
        { "serial.", "", false },
        { "all", "", true },
        { "", "sata0.3", false },
        { "sata0.3", "sata0.3", false },
        { "sata0.3", "sata0", false },
        { "", "serial.WD-123", false },
        { "", "nvme0n1", true },
        { "", "all", false },
    };
    struct controller k = { .name = "sata0" };
    struct disk d = { .controller = &k, .name = "sata0.3", .serial = "WD-123" };

    for (unsigned i = 0; i < ARRAY_COUNT(row); i++) {
        read_text("");
        str_copy(c.include, sizeof(c.include), row[i].include);
        str_copy(c.exclude, sizeof(c.exclude), row[i].exclude);
        if (plan_wants_disk(&c, &d) != row[i].wanted)
            test_fail(__FILE__, __LINE__, "include '%s' exclude '%s'", row[i].include, row[i].exclude);
    }
}

TEST(arm_names_a_file_and_neither_a_disk_nor_all_of_them)
{
    static const char *const names[] = { "all",       "ALL",       "yes",     "any",
                                         "*",         "nvme0n1",   "sata0.3", "megaraid0.vd0",
                                         "serial.S1", "/dev/sda1", "true" };
    char text[80];

    for (unsigned i = 0; i < ARRAY_COUNT(names); i++) {
        str_fmt(text, sizeof(text), "plan=burn-in\narm = %s\n", names[i]);
        if (read_text(text))
            test_fail(__FILE__, __LINE__, "arm = %s was taken", names[i]);
        EQ(p.count, 1);
        HAS_STR(p.kept[0].text, "baresweep-rack arm make the file");
        HAS_STR(p.kept[0].text, "Nothing is armed");
        EQ_STR(c.arm, "");
    }
    CHECK(read_text("arm = arming.txt\n"));
    EQ_STR(c.arm, "arming.txt");
    CHECK(read_text("arm = sata-rack7.txt\n"));
    EQ_STR(c.arm, "sata-rack7.txt");
}
