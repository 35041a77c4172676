#include <stdio.h>
#include "pins.h"
#include "responders.h"
#include "smbus_rig.h"

/* What one run says of the bus against what the stick remembers of the run before. */

static struct board_facts board;
static struct finding found[4];
static struct finding_list list;

static void setup(enum model_smbus_chip chip)
{
    bus_up(chip);
    board = (struct board_facts){ .told = true };
}

static struct responder_map before, now;

static void keep(struct responder_map *m, const char *cards)
{
    char line[RESPONDER_LINE_MAX];
    struct text t = text_over(line, sizeof line);

    responders_of(&seen, &board, "2026-11-30T14:00:00", cards, m);
    responders_write(m, &t);
    CHECK(!t.cut);
    CHECK(responders_parse(line, t.len, m));
    EQ_STR(m->cards, cards[0] ? cards : "-");
}

static const char *compare(void)
{
    list = (struct finding_list){ .at = found, .capacity = 4 };
    responders_compare(&before, &now, &list);
    CHECK(list.count <= 1);
    return list.count ? found[0].code : "";
}

static void run(struct responder_map *m, bool foreign, const char *cards)
{
    setup(CHIP_I801);
    bus_spd(0x50, 0x0b);
    if (foreign)
        model_slave_fru(&bus.slave[0x53]);
    bus_examine(true);
    keep(m, cards);
}

TEST(a_trouble_that_is_gone_with_the_same_cards_confirms_the_cure)
{
    run(&before, true, "1000:0060");
    run(&now, false, "1000:0060");
    EQ_STR(compare(), "smbus-mod-confirmed");
    EQ(found[0].level, FINDING_INFO);
    HAS_STR(found[0].seen, "0x53");
}

TEST(a_trouble_that_comes_or_goes_with_a_card_is_the_cards)
{
    run(&before, false, "");
    run(&now, true, "1000:0060");
    EQ_STR(compare(), "smbus-comes-with-card");
    run(&before, true, "1000:0060");
    run(&now, false, "");
    EQ_STR(compare(), "smbus-comes-with-card");
}

TEST(a_new_trouble_with_the_same_cards_is_said)
{
    run(&before, false, "1000:0060");
    run(&now, true, "1000:0060");
    EQ_STR(compare(), "smbus-comes-and-goes");
    EQ(found[0].level, FINDING_WARN);
}

TEST(without_a_card_that_could_be_cured_nothing_is_confirmed)
{
    run(&before, true, "");
    run(&now, false, "");
    EQ_STR(compare(), "smbus-comes-and-goes");
    EQ(found[0].level, FINDING_INFO);
}

TEST(two_equal_runs_say_nothing)
{
    run(&before, true, "1000:0060");
    run(&now, true, "1000:0060");
    EQ_STR(compare(), "");
    run(&before, false, "1000:0060");
    run(&now, false, "");
    EQ_STR(compare(), "");
}

TEST(a_held_line_that_is_free_again_confirms_the_cure)
{
    setup(CHIP_I801);
    bus.clock_low = true;
    bus_examine(false);
    keep(&before, "1000:0079");
    setup(CHIP_I801);
    bus_examine(false);
    keep(&now, "1000:0079");
    EQ_STR(compare(), "smbus-mod-confirmed");
    HAS_STR(found[0].seen, "clock");
}

TEST(a_run_that_only_looked_proves_nothing_about_addresses)
{
    run(&before, true, "1000:0060");
    setup(CHIP_I801);
    bus_examine(false);
    keep(&now, "1000:0060");
    EQ_STR(compare(), "");
}

TEST(lines_of_the_stick_that_are_damaged_are_passed_over)
{
    static const char good[] = "v1 when=- cards=- map=M------- clock=0/250 data=0/250 trouble=0 probed=1\n";
    static const char *const bad[] = {
        "",
        "v2 when=- cards=- map=M------- clock=0/250 data=0/250 trouble=0 probed=1",
        "v1 when=- cards=- map=M------ clock=0/250 data=0/250 trouble=0 probed=1",
        "v1 when=- cards=- map=M------Q clock=0/250 data=0/250 trouble=0 probed=1",
        "v1 when=- cards=- map=M------- clock=0 data=0/250 trouble=0 probed=1",
        "v1 when=- cards=- map=M------- clock=0/250 data=0/250 trouble=99999999999 probed=1",
        "v1 when=- cards=- map=M------- clock=0/250 data=0/250 trouble=0",
        "v1 when=- cards=1000:0060+1000:0060+1000:0060+1000:0060+1000:0060 map=M------- clock=0/1 data=0/1 trouble=0 probed=1",
        "v1 cards=- map=M------- clock=0/250 data=0/250 trouble=0 probed=1",
    };
    struct responder_map m;
    char file[400];

    CHECK(responders_parse(good, sizeof good - 1, &m));
    EQ(m.kind[0], RESPONDER_MODULE);
    EQ(m.samples, 250);
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (responders_parse(bad[i], strlen(bad[i]), &m))
            test_fail(__FILE__, __LINE__, "taken: %s", bad[i]);
    snprintf(file, sizeof file,
             "rubbish\nv1 when=2 cards=- map=B------- clock=0/0 data=0/0 trouble=3 probed=0\r\n\n%sv1 cut",
             good);
    CHECK(responders_newest(file, strlen(file), &m));
    EQ(m.kind[0], RESPONDER_BLANK);
    EQ(m.trouble, 3);
    CHECK(!responders_newest("nothing\n\n", 9, &m));
    for (size_t n = 0; n < sizeof good - 2; n++)
        CHECK(!responders_parse(good, n, &m) || n >= sizeof good - 3);
}

TEST(the_file_of_a_board_keeps_its_size_and_the_newest_lines_first)
{
    static char file[RESPONDER_FILE_BYTES], next[RESPONDER_FILE_BYTES];
    struct responder_map m = { .cards = "-", .probed = true }, back;
    unsigned lines = 0;

    for (unsigned i = 0; i < 100; i++) {
        m.trouble = i;
        responders_file(file, i ? sizeof file : 0, &m, next);
        memcpy(file, next, sizeof file);
        EQ(file[sizeof file - 1], '\n');
        CHECK(responders_newest(file, sizeof file, &back));
        EQ(back.trouble, i);
    }
    for (unsigned i = 0; i < sizeof file; i++) {
        CHECK(file[i]);
        lines += file[i] == '\n';
    }
    CHECK(lines > 20);
    file[sizeof file - 1] = 0;
    HAS_STR(file, "trouble=98 ");
}
