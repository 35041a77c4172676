#include "guard.h"
#include <stdio.h>
#include <string.h>
#include "arming.h"
#include "bits.h"
#include "fake_disk.h"
#include "gate.h"
#include "guard_content.h"
#include "str.h"
#include "test.h"

/* A case in which everything speaks for writing; each test takes one thing away. */
static struct fake_disk fake;
static struct controller controller = { .name = "sata0" };
static struct arming armings[2];
static struct arming_batch batch;
static struct guard_content content;
static struct guard_case c;
#define ID    "0123456789abcdef"
#define PRINT "5a0c1d9e5a0c1d9e5a0c1d9e5a0c1d9e5a0c1d9e5a0c1d9e5a0c1d9e5a0c1d9e"

static void up(void)
{
    guard_forget_all();
    fake_disk_init(&fake, "sata0.0", &controller, NULL, 0);
    fake.disk.kind = DISK_SATA;
    str_copy(fake.disk.identity, sizeof fake.disk.identity, "QM00001 QEMU HARDDISK");
    armings[0] = (struct arming){ .id = ID, .identity = "QM00001 QEMU HARDDISK", .fingerprint = "blank" };
    armings[1] = (struct arming){ .id = "00000000000000bb", .identity = "OTHER", .fingerprint = PRINT };
    batch = (struct arming_batch){
        .id = "ba7c", .approved_at = "today", .approved_by = "Jane Doe", .armings = armings, .count = 2
    };
    content = (struct guard_content){ .state = CONTENT_BLANK, .fingerprint = "blank" };
    c = (struct guard_case){ .disk = &fake.disk,
                             .content = &content,
                             .batch = &batch,
                             .same_identity = 1,
                             .keeps_record = true,
                             .machine_serial = "CZ123",
                             .machine_uuid = "4c4c4544-0031" };
}

static void refused(const char *words)
{
    const struct write_permit *p = guard_decide(&c);

    if (p->granted)
        test_fail(__FILE__, __LINE__, "it was granted, should be refused: %s", words);
    HAS_STR(p->why_not, words);
    EQ(p->lba_count, p->awaits_word ? fake.disk.lba_count - 2048 : 0);
    EQ_STR(p->arming_id, "");
    CHECK(guard_arm(&fake.disk) != OK);
    CHECK(!gate_is_armed(fake.disk.identity, NULL, NULL));
    CHECK(guard_permit(&fake.disk) == p);
}

static void granted(void)
{
    const struct write_permit *p = guard_decide(&c);

    if (!p->granted)
        test_fail(__FILE__, __LINE__, "refused: %s", p->why_not);
    EQ_STR(p->why_not, "");
}

TEST(a_disk_that_nobody_decided_about_is_not_armed)
{
    up();
    CHECK(!guard_permit(&fake.disk)->granted);
    HAS_STR(guard_permit(&fake.disk)->why_not, "not armed: no arming file names it");
    CHECK(!guard_permit(NULL)->granted);
}

TEST(what_fits_in_everything_is_granted_and_the_gate_opens_for_all_but_the_mark)
{
    uint64_t first, count;

    up();
    granted();
    const struct write_permit *p = guard_permit(&fake.disk);
    EQ_STR(p->arming_id, ID);
    EQ(p->first_lba, 2048);
    EQ(p->lba_count, fake.disk.lba_count - 2048);
    CHECK(!p->resumes);
    CHECK(!gate_is_armed(fake.disk.identity, NULL, NULL));
    EQ(guard_arm(&fake.disk), OK);
    CHECK(gate_is_armed(fake.disk.identity, &first, &count));
    EQ(first, 2048);
    EQ(count, fake.disk.lba_count - 2048);
    CHECK(guard_arm(&fake.disk) != OK); /* twice */
    CHECK(!guard_permit(&fake.disk)->granted);
    CHECK(!gate_is_armed(fake.disk.identity, NULL, NULL));
}

TEST(the_gate_opens_for_the_mark_and_closes_behind_it)
{
    uint64_t first, count;

    up();
    CHECK(guard_widen(&fake.disk, true) != OK); /* nobody decided */
    granted();
    CHECK(guard_widen(&fake.disk, true) != OK); /* not armed */
    CHECK(!gate_is_armed(fake.disk.identity, NULL, NULL));
    EQ(guard_arm(&fake.disk), OK);
    EQ(guard_widen(&fake.disk, true), OK);
    CHECK(gate_is_armed(fake.disk.identity, &first, &count));
    EQ(first, 0);
    EQ(count, fake.disk.lba_count);
    EQ(guard_widen(&fake.disk, false), OK);
    CHECK(gate_is_armed(fake.disk.identity, &first, &count));
    EQ(first, 2048);
    EQ(count, fake.disk.lba_count - 2048);
    guard_revoke(&fake.disk, "no record");
    CHECK(guard_widen(&fake.disk, true) != OK);
    CHECK(!gate_is_armed(fake.disk.identity, NULL, NULL));
}

TEST(a_permit_that_is_taken_back_closes_the_gate)
{
    up();
    granted();
    EQ(guard_arm(&fake.disk), OK);
    guard_revoke(&fake.disk, "no record");
    CHECK(!gate_is_armed(fake.disk.identity, NULL, NULL));
    EQ_STR(guard_permit(&fake.disk)->why_not, "no record");
    EQ(guard_permit(&fake.disk)->lba_count, 0);
}

/* docs/safety.md lists these: each condition taken away lets one of them fail. */
TEST(the_firmware_path_is_never_written)
{
    up();
    fake.disk.kind = DISK_FIRMWARE;
    refused("through the firmware");
}

TEST(a_disk_that_cannot_be_used_is_not_written)
{
    up();
    fake.disk.ops = NULL;
    str_copy(fake.disk.why_not, sizeof fake.disk.why_not, "locked");
    refused("locked");
}

TEST(a_disk_no_larger_than_the_guards_own_part_is_not_written)
{
    up();
    fake.disk.lba_count = 2048;
    refused("too small");
    fake.disk.lba_count = 2049;
    granted();
}

TEST(a_disk_that_broke_down_is_not_written)
{
    up();
    FAULT(&fake.disk.fault, E_TIMEOUT, "a reset", 1, 0);
    refused("it broke down");
}

TEST(the_boot_medium_and_what_shares_its_path_are_not_written)
{
    up();
    c.on_boot_path = true;
    refused("the medium of this run");
}

TEST(a_member_of_an_array_is_not_written)
{
    up();
    c.array_member = true;
    refused("member of an array");
}

TEST(a_disk_without_identity_or_with_a_filler_is_not_written)
{
    static const char *const fillers[] = { "", "0000000000", "XXXXXXXX", "    ", "None", "0123456789" };

    for (unsigned i = 0; i < ARRAY_COUNT(fillers); i++) {
        up();
        str_copy(fake.disk.identity, sizeof fake.disk.identity, fillers[i]);
        str_copy(armings[0].identity, sizeof armings[0].identity, fillers[i]);
        refused("no identity");
    }
}

TEST(two_disks_with_one_identity_are_not_written)
{
    up();
    c.same_identity = 2;
    refused("2 disks of this machine");
    c.same_identity = 0; /* nobody counted */
    refused("0 disks of this machine");
}

TEST(a_disk_that_the_batch_does_not_name_is_not_written)
{
    up();
    str_copy(fake.disk.identity, sizeof fake.disk.identity, "QM00002 QEMU HARDDISK");
    refused("the arming file does not name it");
    c.batch = NULL;
    refused("not armed: no arming file names it");
    c.batch_problem = "line 7: nonsense";
    refused("not armed: line 7: nonsense");
}

TEST(a_disk_in_another_machine_than_it_was_armed_for_is_not_written)
{
    up();
    str_copy(armings[0].machine, sizeof armings[0].machine, "CZ124");
    refused("armed for the machine CZ124");
    str_copy(armings[0].machine, sizeof armings[0].machine, "CZ123");
    granted();
    str_copy(armings[0].machine, sizeof armings[0].machine, "4C4C4544-0031");
    granted();
    c.machine_serial = c.machine_uuid = NULL;
    refused("another one");
    c.machine_serial = c.machine_uuid = "";
    refused("another one");
}

TEST(a_disk_whose_content_was_not_seen_is_not_written)
{
    up();
    c.content = NULL;
    refused("was not looked at");
    c.content = &content;
    content.state = CONTENT_UNREADABLE;
    refused("never taken for blank");
    content.state = CONTENT_UNFINISHED;
    refused("took too long");
    content.state = CONTENT_NOT_LOOKED;
    refused("was not looked at");
}

TEST(a_disk_that_holds_something_else_than_was_armed_is_not_written)
{
    up();
    content = (struct guard_content){ .state = CONTENT_FOUND, .found_count = 1, .fingerprint = PRINT };
    content.found[0].kind = "XFS";
    refused("there is now: XFS");
    str_copy(armings[0].fingerprint, sizeof armings[0].fingerprint, PRINT);
    granted();
    content.fingerprint[63] ^= 1;
    refused("there is now: XFS");
    content = (struct guard_content){ .state = CONTENT_BLANK, .fingerprint = "blank" };
    refused("there is now: nothing but zeros");
}

/* The fingerprint of the neighbour, in a batch whose lines were exchanged by hand. */
TEST(an_arming_with_the_fingerprint_of_another_disk_arms_nothing)
{
    up();
    str_copy(armings[0].fingerprint, sizeof armings[0].fingerprint, PRINT);
    refused("it does not hold what was armed to be overwritten; there is now: nothing but zeros");
    content = (struct guard_content){ .state = CONTENT_FOUND, .found_count = 1, .fingerprint = PRINT };
    content.fingerprint[0] ^= 1;
    content.found[0].kind = "ext4";
    refused("there is now: ext4");
}

TEST(a_disk_that_changed_between_the_decision_and_the_first_write_is_noticed)
{
    struct guard_content now;
    char words[200];
    struct text t = text_over(words, sizeof words);

    up();
    now = content;
    CHECK(guard_holds_still(&content, &now, &t));
    now = (struct guard_content){ .state = CONTENT_FOUND, .found_count = 1, .fingerprint = PRINT };
    now.found[0].kind = "XFS";
    CHECK(!guard_holds_still(&content, &now, &t));
    EQ_STR(words, "what it holds changed since the decision to write it; there is now: XFS");
    t = text_over(words, sizeof words);
    CHECK(!guard_holds_still(&now, &content, &t));
    HAS_STR(words, "nothing but zeros");
    now = (struct guard_content){ .state = CONTENT_UNREADABLE, .unreadable_lba = 7 };
    t = text_over(words, sizeof words);
    CHECK(!guard_holds_still(&content, &now, &t));
    HAS_STR(words, "unreadable (LBA 7)");
    CHECK(!guard_holds_still(&now, &now, &t)); /* nothing is as unknown as nothing */
}

TEST(an_arming_that_is_used_up_arms_nothing)
{
    up();
    c.spent = true;
    refused("arming " ID " is used up");
}

static void interrupted(void)
{
    up();
    c.spent = true;
    content = (struct guard_content){ .state = CONTENT_FOUND,
                                      .found_count = 1,
                                      .fingerprint = PRINT,
                                      .has_mark = true,
                                      .only_ours = true,
                                      .mark = { .arming_id = ID } };
    content.found[0].kind = "Baresweep's own mark";
}

TEST(an_interrupted_run_of_the_same_arming_goes_on)
{
    interrupted();
    granted();
    CHECK(guard_permit(&fake.disk)->resumes);
}

TEST(an_interrupted_run_does_not_go_on_when_anything_differs)
{
    interrupted();
    content.only_ours = false;
    refused("is used up");
    interrupted();
    content.mark.finished = true;
    refused("is used up");
    interrupted();
    content.has_mark = false;
    refused("is used up");
    interrupted();
    content.mark.arming_id[0] = 'f';
    refused("is used up");
    interrupted();
    c.spent = false; /* a mark that no record knows: only the fingerprint counts */
    refused("there is now: Baresweep's own mark");
}

TEST(without_a_record_nobody_is_there_for_nothing_is_written)
{
    up();
    c.keeps_record = false;
    refused("nothing here keeps the record");
    c.attended = c.confirmed = true;
    granted();
}

TEST(unattended_a_batch_without_approval_arms_nothing)
{
    up();
    batch.approved_by[0] = 0;
    refused("the arming batch has no approval");
    c.confirmed = true; /* nobody can have typed it */
    refused("the arming batch has no approval");
}

TEST(attended_only_the_typed_word_counts)
{
    up();
    c.attended = true;
    batch.approved_by[0] = 0;
    refused("nobody typed the word");
    CHECK(guard_permit(&fake.disk)->awaits_word && guard_may_plan(guard_permit(&fake.disk)));
    c.asked = true; /* and the answer was no, or none */
    refused("nobody typed the word");
    CHECK(!guard_permit(&fake.disk)->awaits_word && !guard_may_plan(guard_permit(&fake.disk)));
    c.confirmed = true;
    granted();
    CHECK(!guard_permit(&fake.disk)->awaits_word && guard_may_plan(guard_permit(&fake.disk)));
}

TEST(the_word_is_not_asked_for_what_would_be_refused_anyway)
{
    up();
    batch.approved_by[0] = 0; /* unattended */
    refused("no approval");
    CHECK(!guard_permit(&fake.disk)->awaits_word && !guard_may_plan(guard_permit(&fake.disk)));
    c.attended = true;
    c.spent = true;
    refused("is used up");
    CHECK(!guard_permit(&fake.disk)->awaits_word && !guard_may_plan(guard_permit(&fake.disk)));
}

TEST(the_guard_answers_for_as_many_disks_as_it_has_room_for)
{
    static struct disk many[GUARD_MAX_DISKS + 1];

    up();
    for (unsigned i = 0; i <= GUARD_MAX_DISKS; i++) {
        many[i] = fake.disk;
        c.disk = &many[i];
        EQ(guard_decide(&c)->granted, i < GUARD_MAX_DISKS);
    }
    CHECK(!guard_permit(&many[GUARD_MAX_DISKS])->granted);
    guard_forget_all();
    CHECK(!guard_permit(&many[0])->granted);
}

TEST(each_condition_has_a_name)
{
    EQ(guard_condition_count, 13);
    for (unsigned i = 0; i < guard_condition_count; i++)
        CHECK(guard_conditions[i].name[0] && guard_conditions[i].holds);
}
