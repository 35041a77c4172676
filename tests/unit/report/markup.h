#ifndef TESTS_REPORT_MARKUP_H
#define TESTS_REPORT_MARKUP_H
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Reads HTML or XML as strictly as XML is meant to be: known elements that nest and close, quoted attributes,
 * references of five kinds, and no character that must not be there.  What a device slips in as markup stands
 * out. */
enum { MARKUP_DEPTH = 40 };
struct markup {
    char open[MARKUP_DEPTH][16];
    unsigned depth;
    size_t elements;
    const char *wrong; /* what is wrong first; NULL: nothing */
    const char *at;
};

static const char markup_known[] =
    " html head meta title style body svg defs g circle rect path line polyline text use article header section nav "
    "div span p h1 h2 h3 a b i em small code data time ul ol li dl dt dd table thead tbody tr th td br figure "
    "figcaption details summary footer testsuites testsuite properties property testcase failure error skipped "
    "system-out ";

static inline const char *markup_fail(struct markup *m, const char *at, const char *wrong)
{
    m->wrong = wrong;
    m->at = at;
    return NULL;
}

static inline bool markup_is_known(const char *name)
{
    char word[24];

    snprintf(word, sizeof word, " %s ", name);
    return strstr(markup_known, word);
}

/* Behind the attributes' values; at is behind the element's name. */
static inline const char *markup_attributes(struct markup *m, const char *at, const char *end)
{
    while (at < end && *at == ' ') {
        while (at < end && (*at == ' ' || isalnum((unsigned char)*at) || strchr("-_:", *at)))
            at++;
        if (end - at < 2 || at[0] != '=' || at[1] != '"')
            return markup_fail(m, at, "an attribute without a value in quotes");
        for (at += 2; at < end && *at != '"'; at++)
            if (*at == '<' || *at == '>')
                return markup_fail(m, at, "a bracket in an attribute");
        at++;
    }
    return at;
}

static inline const char *markup_element(struct markup *m, const char *at, const char *end)
{
    bool closes = end - at > 1 && at[1] == '/', empty = false;
    char name[16] = "";
    size_t n = 0;

    for (at += 1 + closes; at < end && n < sizeof name - 1 && (isalnum((unsigned char)*at) || *at == '-');
         at++)
        name[n++] = *at;
    name[n] = 0;
    if (!markup_is_known(name))
        return markup_fail(m, at, "an element that is not ours");
    if (!closes)
        at = markup_attributes(m, at, end);
    if (!at)
        return NULL;
    if (at < end && *at == '/') {
        empty = true;
        at++;
    }
    if (at >= end || *at != '>')
        return markup_fail(m, at, "an element that does not end");
    m->elements++;
    if (closes && (!m->depth || strcmp(m->open[--m->depth], name)))
        return markup_fail(m, at, "an element is closed that is not open");
    if (closes || empty || !strcmp(name, "meta") || !strcmp(name, "br"))
        return at + 1;
    if (m->depth == MARKUP_DEPTH)
        return markup_fail(m, at, "too deep");
    strcpy(m->open[m->depth++], name);
    return at + 1;
}

static inline const char *markup_reference(struct markup *m, const char *at, const char *end)
{
    static const char *const known[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };

    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++)
        if ((size_t)(end - at) >= strlen(known[i]) && !memcmp(at, known[i], strlen(known[i])))
            return at + strlen(known[i]);
    return markup_fail(m, at, "an ampersand alone");
}

/* Leaves m->wrong NULL when all is well. */
static inline void markup_read(struct markup *m, const char *text, size_t len)
{
    const char *at = text, *end = text + len;

    *m = (struct markup){ 0 };
    while (at && at < end) {
        if (*at == '<' && (!strncmp(at, "<!DOCTYPE html>", 15) || !strncmp(at, "<?xml ", 6)))
            at = memchr(at, '\n', (size_t)(end - at));
        else if (*at == '<')
            at = markup_element(m, at, end);
        else if (*at == '&')
            at = markup_reference(m, at, end);
        else if (((unsigned char)*at < 0x20 && *at != '\n') || *at == 0x7f)
            at = markup_fail(m, at, "a control character");
        else if (*at == '>' && !(m->depth && !strcmp(m->open[m->depth - 1], "style")))
            at = markup_fail(m, at, "a bracket alone");
        else
            at++;
    }
    if (!m->wrong && m->depth)
        markup_fail(m, end, "an element is left open");
}

#endif
