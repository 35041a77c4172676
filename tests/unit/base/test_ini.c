#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ini.h"
#include "test.h"

static struct ini_line line;

/* The lines of a text, one after the other: "S:name K:key=value F:flag B:problem". */
static const char *read_all(const char *text, size_t len)
{
    static char said[1024];
    /* Exactly as long as the text: the sanitizer sees a step beyond it. */
    char *copy = malloc(len ? len : 1);
    struct ini_reader r;

    memcpy(copy, text, len);
    said[0] = 0;
    ini_start(&r, copy, len);
    for (ini_next(&r, &line); line.kind != INI_END; ini_next(&r, &line)) {
        char *at = said + strlen(said);
        size_t room = sizeof said - (size_t)(at - said);

        if (line.kind == INI_SECTION)
            snprintf(at, room, "%u[%s] ", line.line, line.section);
        else if (line.kind == INI_BAD)
            snprintf(at, room, "%u!%.24s ", line.line, line.problem);
        else
            snprintf(at, room, line.has_value ? "%u<%s=%s> " : "%u<%s> ", line.line, line.key, line.value);
    }
    ini_next(&r, &line);
    EQ(line.kind, INI_END);
    free(copy);
    return said;
}
static const char *read_text(const char *text) { return read_all(text, strlen(text)); }

TEST(nothing_yields_the_end_again_and_again)
{
    EQ_STR(read_text(""), "");
    EQ_STR(read_text("\n\n  \n\t\r\n"), "");
    EQ_STR(read_text("# only\n; comments\n  # here"), "");
}

TEST(sections_keys_and_flags_carry_their_line_and_section)
{
    EQ_STR(read_text("[a]\nrw=read\n\ntime_based\n[b c]\nbs=4k"),
           "1[a] 2<rw=read> 4<time_based> 5[b c] 6<bs=4k> ");
    struct ini_reader r;
    const char text[] = "x=1\n[a]\ny=2\n";

    ini_start(&r, text, sizeof text - 1);
    ini_next(&r, &line);
    EQ_STR(line.section, ""); /* fio refuses an option before the first section: the caller sees it here */
    ini_next(&r, &line);
    ini_next(&r, &line);
    EQ_STR(line.section, "a");
    EQ_STR(line.key, "y");
    ini_next(&r, &line);
    EQ(line.kind, INI_END);
}

TEST(comments_begin_anywhere_as_in_fio)
{
    EQ_STR(read_text("a=1 # x\nb=2 ; y\nc=3#z\nd=4;w\n[s] # t\n"), "1<a=1> 2<b=2> 3<c=3> 4<d=4> 5[s] ");
    EQ_STR(read_text("a=#1\n"), "1<a=> ");
    EQ_STR(read_text("a=1;2#3\nb=1#2;3"), "1<a=1> 2<b=1> ");
}

TEST(blanks_around_names_and_values_are_dropped)
{
    EQ_STR(read_text("  a =1\nb= 2 \n\tc\t=\t3 4\t\n  flag  \n"), "1<a=1> 2<b=2> 3<c=3 4> 4<flag> ");
}

TEST(names_keep_their_case_and_values_their_equals_signs)
{
    EQ_STR(read_text("RW=read\ncmd=a=b\nempty=\n"), "1<RW=read> 2<cmd=a=b> 3<empty=> ");
}

TEST(windows_files_are_read)
{
    EQ_STR(read_text("\xef\xbb\xbf[a]\r\nrw=read\r\nflag\r\n"), "1[a] 2<rw=read> 3<flag> ");
    EQ_STR(read_text("\xef\xbb\xbf"), "");
    EQ_STR(read_all("\xff\xfe[\0a\0]\0", 8), "1!the file is saved as UTF ");
    EQ_STR(read_all("\xfe\xff\0[", 4), "1!the file is saved as UTF ");
}

TEST(a_wrong_line_is_told_and_the_next_is_read)
{
    EQ_STR(read_text("=1\na=1\n"), "1!nothing stands before '= 2<a=1> ");
    EQ_STR(read_all("a\0b=1\nc=2", 9), "1!a control character 2<c=2> ");
    EQ_STR(read_text("a\x7f=1\n"), "1!a control character ");
    EQ_STR(read_text("a=1\rb=2\n"), "1!a control character ");
}

TEST(options_of_a_wrong_section_never_reach_the_section_before)
{
    EQ_STR(read_text("[a]\nx=1\n[b\ny=2\n[c]\nz=3\n"), "1[a] 2<x=1> 3!']' is missing after the 5[c] 6<z=3> ");
    EQ_STR(read_text("[]\ny=2\n"), "1!the section has no name; ");
    EQ_STR(read_text("[ ]\ny=2\n"), "1!the section has no name; ");
    EQ_STR(read_text("[a] b=1\ny=2\n[c]\n"), "1!text after ']': each opt 3[c] ");
    EQ_STR(read_text("[a\x01]\ny=2\n"), "1!a control character in a ");
    EQ_STR(read_text("["), "1!']' is missing after the ");
}

TEST(parts_of_the_longest_length_fit_and_one_more_is_told)
{
    char text[700];

    memset(text, 'k', 64);
    text[63] = '=';
    memset(text + 64, 'v', 255);
    read_all(text, 64 + 255);
    struct ini_reader r;
    ini_start(&r, text, 64 + 255);
    ini_next(&r, &line);
    EQ(line.kind, INI_KEY);
    EQ(strlen(line.key), 63);
    EQ(strlen(line.value), 255);
    text[64 + 255] = 'v';
    HAS_STR(read_all(text, 64 + 256), "!the value is longer");
    memset(text, 'k', 64);
    HAS_STR(read_all(text, 64), "!the option's name is lon");
    memset(text, 's', 66);
    text[0] = '[', text[64] = ']';
    HAS_STR(read_all(text, 65), "[sss");
    text[64] = 's', text[65] = ']';
    HAS_STR(read_all(text, 66), "!the section's name is lo");
}
