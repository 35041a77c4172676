#include "arming.h"
#include <stdio.h>
#include <string.h>
#include "bits.h"
#include "err.h"
#include "sha256.h"
#include "test.h"

static struct arming armings[ARMING_MAX];
static struct arming_batch batch;
static char why[400];

static int read_text(const char *text)
{
    struct text t = text_over(why, sizeof why);

    batch = (struct arming_batch){ .armings = armings };
    return arming_read(text, strlen(text), &batch, &t);
}

#define HEAD   "baresweep-arming 1\nbatch 0123456789abcdef\n"
#define DISK_A "arming 00000000000000aa\nidentity QM00001 QEMU HARDDISK\nfingerprint blank\nfound nothing\n"
#define PRINT  "5a0c1d9e5a0c1d9e5a0c1d9e5a0c1d9e5a0c1d9e5a0c1d9e5a0c1d9e5a0c1d9e"
#define DISK_B                                                                                               \
    "arming 00000000000000bb\n  identity nvme S5GX eui.0025385b71b00d8a\n  fingerprint " PRINT               \
    "\n  machine 4C4C4544-0031\n  found GPT; ext4\n"

static const char *approved(const char *lines)
{
    static char text[4000];
    char digest[65];

    arming_digest(lines, strlen(lines), digest);
    snprintf(text, sizeof text, "%sapproved 2026-11-30T14:10:00 by Jane by Doe for %s\n", lines, digest);
    return text;
}

TEST(a_batch_is_read_with_all_its_words)
{
    EQ(read_text(approved(HEAD "\n# for rack 7\n" DISK_A DISK_B)), OK);
    EQ(batch.count, 2);
    EQ_STR(batch.id, "0123456789abcdef");
    EQ_STR(batch.approved_at, "2026-11-30T14:10:00");
    EQ_STR(batch.approved_by, "Jane by Doe");
    EQ_STR(armings[0].id, "00000000000000aa");
    EQ_STR(armings[0].identity, "QM00001 QEMU HARDDISK");
    EQ_STR(armings[0].fingerprint, "blank");
    EQ_STR(armings[0].machine, "");
    EQ_STR(armings[1].identity, "nvme S5GX eui.0025385b71b00d8a");
    EQ_STR(armings[1].fingerprint, PRINT);
    EQ_STR(armings[1].machine, "4C4C4544-0031");
    EQ_STR(armings[1].found, "GPT; ext4");
    CHECK(arming_find(&batch, "QM00001 QEMU HARDDISK") == &armings[0]);
    CHECK(!arming_find(&batch, "QM00001 QEMU HARDDIS") && !arming_find(&batch, ""));
}

/* What a person sees as the same line, and a program does not, arms nothing. */
TEST(an_identity_of_other_spacing_or_case_is_another_disk)
{
    static const char *const others[] = { "QM00001  QEMU HARDDISK", "qm00001 QEMU HARDDISK",
                                          "QM00001 QEMU HARDDISK.", "QM00001\xc2\xa0QEMU HARDDISK" };
    char text[400];

    for (unsigned i = 0; i < ARRAY_COUNT(others); i++) {
        snprintf(text, sizeof text, HEAD "arming 00000000000000aa\nidentity %s\nfingerprint blank\n",
                 others[i]);
        EQ(read_text(text), OK);
        CHECK(!arming_find(&batch, "QM00001 QEMU HARDDISK"));
    }
    EQ(read_text(HEAD
                 "arming    00000000000000aa\n\tidentity   QM00001 QEMU HARDDISK \t\nfingerprint  blank\n"),
       OK);
    CHECK(arming_find(&batch, "QM00001 QEMU HARDDISK") == &armings[0]);
}

TEST(a_batch_that_nobody_approved_says_so)
{
    EQ(read_text(HEAD DISK_A), OK);
    armings[0].identity[0] = 0; /* whoever made such a batch: no disk without identity is found in it */
    CHECK(!arming_find(&batch, ""));
    EQ(read_text(HEAD DISK_A), OK);
    EQ(batch.count, 1);
    EQ_STR(batch.approved_by, "");
}

TEST(line_ends_of_another_system_change_nothing_that_was_approved)
{
    static char windows[4000];
    const char *text = approved(HEAD DISK_A DISK_B);
    char *to = windows;

    for (; *text; text++) {
        if (*text == '\n')
            *to++ = ' ', *to++ = '\r';
        *to++ = *text;
    }
    *to = 0;
    EQ(read_text(windows), OK);
    EQ_STR(batch.approved_by, "Jane by Doe");
    EQ_STR(armings[1].fingerprint, PRINT);
}

TEST(whatever_is_changed_after_the_approval_makes_the_batch_void)
{
    char text[4000];

    snprintf(text, sizeof text, "%s", approved(HEAD DISK_A DISK_B));
    size_t lines = (size_t)(strstr(text, "approved") - text);
    for (size_t i = 0; i < lines; i++) {
        char was = text[i];

        if (was == '\n' || was == ' ')
            continue;
        text[i] = was == '0' ? '1' : '0';
        CHECK(read_text(text) != OK);
        EQ(batch.count, 0);
        EQ_STR(batch.approved_by, "");
        text[i] = was;
    }
    snprintf(text + strlen(text), 400, "arming 00000000000000cc\nidentity MORE\nfingerprint blank\n");
    EQ(read_text(text), E_SYNTAX);
    HAS_STR(why, "a line after the approval");
    snprintf(text, sizeof text, "%s", approved(HEAD DISK_A));
    memcpy(strstr(text, " for ") + 5, "0000", 4);
    EQ(read_text(text), E_SYNTAX);
    HAS_STR(why, "approve the batch again");
}

TEST(names_that_may_move_are_refused_with_what_to_do)
{
    static const char *const names[] = { "all",   "ALL",           "any",   "*",        "QM*",     "QM0000?",
                                         "nvme0", "nvme0n1",       "sda",   "/dev/sda", "sata0.3", "sata0",
                                         "sdaa",  "megaraid0.vd0", "disk0", "stripe0",  "fw3" };
    char text[400];

    for (unsigned i = 0; i < ARRAY_COUNT(names); i++) {
        snprintf(text, sizeof text, HEAD "arming 00000000000000aa\nidentity %s\nfingerprint blank\n",
                 names[i]);
        if (read_text(text) != E_SYNTAX)
            test_fail(__FILE__, __LINE__, "%s was taken", names[i]);
        HAS_STR(why, "line 4: a disk is armed by its identity");
        HAS_STR(why, "baresweep-rack arm");
        EQ(batch.count, 0);
    }
    EQ(read_text(HEAD "arming 00000000000000aa\nidentity sdx1000 Model nine\nfingerprint blank\n"), OK);
}

TEST(wrong_lines_are_named_with_what_is_wrong_and_nothing_counts)
{
    static const struct {
        const char *text, *words;
    } wrong[] = {
        { "", "it is empty" },
        { "# only this\n", "it is empty" },
        { "arming 00000000000000aa\n", "begins with \"baresweep-arming 1\"" },
        { "baresweep-arming 2\n", "begins with \"baresweep-arming 1\"" },
        { "baresweep-arming 1\n" DISK_A, "the batch line is missing" },
        { "baresweep-arming 1\nbatch 0123\n", "line 2: a batch is named by 16" },
        { "baresweep-arming 1\nbatch 0123456789ABCDEF\n", "line 2: a batch is named by 16" },
        { HEAD "identity X\n", "line 3: it belongs to a disk" },
        { HEAD "arming all\n", "line 3: an arming is named by 16" },
        { HEAD "arming 00000000000000aag\n", "line 3: an arming is named by 16" },
        { HEAD DISK_A DISK_A, "line 7: this arming stands here twice" },
        { HEAD DISK_A "arming 00000000000000ab\nidentity QM00001 QEMU HARDDISK\n", "armed twice" },
        { HEAD "arming 00000000000000aa\nidentity\n", "1 to 95 characters" },
        { HEAD "arming 00000000000000aa\nidentity A\n", "lacks its identity or its fingerprint" },
        { HEAD "arming 00000000000000aa\nfingerprint blank\n", "lacks its identity or its fingerprint" },
        { HEAD "arming 00000000000000aa\nidentity A\nfingerprint any\n", "a fingerprint is" },
        { HEAD "arming 00000000000000aa\nidentity A\nfingerprint " PRINT "0\n", "a fingerprint is" },
        { HEAD "arming 00000000000000aa\nidentity A\nfingerprint blank\nmachine\n", "1 to 63 characters" },
        { HEAD "everything\n", "it begins with none of" },
        { HEAD "identityX\n", "it begins with none of" },
        { HEAD DISK_A "approved\n", "an approval is: approved WHEN by WHO for DIGEST" },
        { HEAD DISK_A "approved now by for " PRINT "\n", "an approval is: approved WHEN by WHO for DIGEST" },
        { HEAD DISK_A "approved now by me\n", "an approval is: approved WHEN by WHO for DIGEST" },
        { HEAD "arming\x01\n", "a control character" },
        { "\xef\xbb\xbf" HEAD DISK_A, "line 1: a byte order mark" },
        { "Baresweep-Arming 1\n" DISK_A, "begins with \"baresweep-arming 1\"" },
        { "baresweep-arming  1\n" DISK_A, "begins with \"baresweep-arming 1\"" },
        { HEAD "Arming 00000000000000aa\n", "line 3: it begins with none of" },
        { HEAD "arming 00000000000000AA\n", "line 3: an arming is named by 16" },
        { HEAD "arming 00000000 000000aa\n", "line 3: an arming is named by 16" },
        { HEAD "arming 00000000000000aa\nidentity A\tB\n", "line 4: a control character" },
        { HEAD "arming 00000000000000aa\nidentity A\nfingerprint BLANK\n", "a fingerprint is" },
        { HEAD DISK_A "identity B\n", "line 7: a second line of its kind" },
        { HEAD DISK_A "identity QM00001 QEMU HARDDISK\n", "line 7: a second line of its kind" },
        { HEAD DISK_A "fingerprint " PRINT "\n", "line 7: a second line of its kind" },
        { HEAD DISK_A "machine A\nmachine B\n", "line 8: a second line of its kind" },
        { HEAD "batch 0123456789abcde0\n" DISK_A, "line 3: a second line of its kind" },
    };

    for (unsigned i = 0; i < ARRAY_COUNT(wrong); i++) {
        CHECK(read_text(wrong[i].text) != OK);
        HAS_STR(why, wrong[i].words);
        EQ(batch.count, 0);
        EQ_STR(batch.approved_by, "");
    }
}

TEST(a_batch_may_have_as_many_disks_as_there_is_room_for_and_not_one_more)
{
    static char text[100 << 10];
    size_t len = (size_t)sprintf(text, HEAD);

    for (unsigned i = 0; i < ARMING_MAX + 1; i++) {
        if (i == ARMING_MAX) {
            EQ(read_text(text), OK);
            EQ(batch.count, ARMING_MAX);
        }
        len += (size_t)sprintf(text + len, "arming %016x\nidentity N%u\nfingerprint blank\n", i + 1, i);
    }
    EQ(read_text(text), E_LIMIT);
    HAS_STR(why, "more than 512 disks");
    EQ(batch.count, 0);
}

TEST(a_batch_cut_anywhere_arms_nothing_that_is_approved)
{
    char text[4000];
    const char *whole = approved(HEAD DISK_A DISK_B);
    size_t len = strlen(whole);

    for (size_t cut = 0; cut + 1 < len; cut++) {
        memcpy(text, whole, cut);
        text[cut] = 0;
        if (read_text(text) == OK)
            EQ_STR(batch.approved_by, "");
    }
}

TEST(a_file_from_the_network_counts_only_when_its_hash_is_pinned)
{
    static const char text[] = "abc";
    struct text t = text_over(why, sizeof why);

    CHECK(arming_accept(false, "", text, 3, &t) && arming_accept(false, NULL, text, 3, &t));
    CHECK(!arming_accept(true, "", text, 3, &t));
    HAS_STR(why, "arm_sha256");
    CHECK(!arming_accept(true, NULL, text, 3, &t));
    text_reset(&t);
    CHECK(!arming_accept(true, PRINT, text, 3, &t));
    HAS_STR(why, "is not the one that arm_sha256 or the application pins");
    CHECK(
        arming_accept(true, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", text, 3, &t));
    CHECK(
        arming_accept(true, "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD", text, 3, &t));
    CHECK(
        !arming_accept(true, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015a", text, 3, &t));
}

TEST(the_place_of_a_pin_in_the_image_holds_one_only_when_all_of_it_is_one)
{
    static const char *const none[] = { "",
                                        ARMING_PIN_HEAD,
                                        ARMING_PIN_HEAD PRINT "0",
                                        "BARESWEEP ARM PIN 2 " PRINT,
                                        ARMING_PIN_HEAD
                                        "----------------------------------------------------------------",
                                        ARMING_PIN_HEAD
                                        "-a0c1d9e5a0c1d9e5a0c1d9e5a0c1d9e5a0c1d9e5a0c1d9e5a0c1d9e5a0c1d9e" };

    EQ_STR(arming_pin(ARMING_PIN_HEAD PRINT), PRINT);
    for (unsigned i = 0; i < ARRAY_COUNT(none); i++)
        EQ_STR(arming_pin(none[i]), "");
}

TEST(a_ledger_knows_what_was_added_until_it_is_full)
{
    static char ledger[LEDGER_BYTES];
    char id[17];
    size_t at, records = LEDGER_BYTES / LEDGER_RECORD_BYTES;

    memset(ledger, 0, sizeof ledger);
    for (size_t i = 0; i < records; i++) {
        snprintf(id, sizeof id, "%016llx", i * 0x0123456789abcdull);
        CHECK(!ledger_has(ledger, sizeof ledger, id));
        EQ(ledger_add(ledger, sizeof ledger, id, &at), OK);
        EQ(at, i * LEDGER_RECORD_BYTES);
        EQ(ledger[at + LEDGER_RECORD_BYTES - 1], '\n');
        CHECK(ledger_has(ledger, sizeof ledger, id));
    }
    EQ(ledger_add(ledger, sizeof ledger, "ffffffffffffffff", &at), E_LIMIT);
    CHECK(!ledger_has(ledger, sizeof ledger, "ffffffffffffffff"));
    EQ(ledger_add(ledger, sizeof ledger, "fff", &at), E_SYNTAX);
}

TEST(a_damaged_record_of_a_ledger_still_means_used_up)
{
    static char ledger[LEDGER_BYTES];
    size_t at;

    memset(ledger, ' ', sizeof ledger);
    EQ(ledger_add(ledger, sizeof ledger, "0123456789abcdef", &at), OK);
    ledger[at + 25] ^= 1;
    CHECK(ledger_has(ledger, sizeof ledger, "0123456789abcdef"));
    CHECK(!ledger_has(ledger, 0, "0123456789abcdef"));
}
