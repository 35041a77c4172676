#include "markup.h"
#include <stdint.h>

/* Bytes of a character that must not reach a page: C1 controls, and U+202A-202E and U+2066-2069, which turn
 * the direction of writing and make a name look like another. */
static unsigned unwanted(const uint8_t *p)
{
    if (*p < 0x20 || *p == 0x7f)
        return 1;
    if (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0)
        return 2;
    if (*p == 0xe2 &&
        ((p[1] == 0x80 && p[2] >= 0xaa && p[2] <= 0xae) || (p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9)))
        return 3;
    return 0;
}

void markup_text(FILE *to, const char *s)
{
    for (const uint8_t *p = (const uint8_t *)s; *p; p++) {
        unsigned bad = unwanted(p);

        if (bad) {
            fputc('?', to);
            p += bad - 1;
            continue;
        }
        switch (*p) {
        case '&':
            fputs("&amp;", to);
            break;
        case '<':
            fputs("&lt;", to);
            break;
        case '>':
            fputs("&gt;", to);
            break;
        case '"':
            fputs("&quot;", to);
            break;
        case '\'':
            fputs("&#39;", to);
            break;
        default:
            fputc(*p, to);
        }
    }
}

const char markup_style[] =
    ":root{color-scheme:light dark;--bg:#fcfcfb;--fg:#1b1f24;--dim:#5c6670;--line:#d7dbdf;--card:#fff;--good:#0b6bb8;"
    "--bad:#b3400a;--warn:#8a6100;--badbg:#fdeee4;--warnbg:#fdf5dc;--okbg:#eaf3fb;--offbg:#eef0f2}\n"
    "@media(prefers-color-scheme:dark){:root{--bg:#14171a;--fg:#e6e9ec;--dim:#9aa4ad;--line:#333a41;--card:#1b1f24;"
    "--good:#6db5f2;--bad:#ff9a5c;--warn:#e6c15a;--badbg:#3a2415;--warnbg:#352c12;--okbg:#17293a;--offbg:#262b30}}\n"
    "*{box-sizing:border-box}body{margin:0 auto;max-width:90rem;padding:1rem 1.2rem 3rem;background:var(--bg);"
    "color:var(--fg);font:15px/1.45 system-ui,sans-serif}\n"
    "h1{font-size:1.5rem;margin:.4rem 0}h2{font-size:1.15rem;margin:2rem 0 .5rem}"
    "h3{font-size:1rem;margin:1.2rem 0 .3rem}.do{margin:.2rem 0 .5rem}ul{margin:.5rem 0;padding-left:1.2rem;max-width:60rem}.odd td,.odd th{white-space:nowrap}.odd .dim{font-weight:400}p{max-width:60rem}\n"
    ".dim{color:var(--dim)}.tiles{display:flex;flex-wrap:wrap;gap:.6rem;margin:1rem 0}\n"
    ".tile{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.5rem .9rem;min-width:8rem}\n"
    ".tile b{display:block;font-size:1.5rem;font-variant-numeric:tabular-nums}.tile.bad b{color:var(--bad)}"
    ".tile.warn b{color:var(--warn)}.tile.good b{color:var(--good)}\n"
    ".scroll{overflow-x:auto;border:1px solid var(--line);border-radius:.5rem;background:var(--card)}\n"
    "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.3rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}\n"
    "th{font-weight:600;white-space:nowrap}tr:last-child td{border-bottom:0}th.n,td.n{text-align:right;white-space:nowrap}\n"
    ".rack td,.rack th{padding:.15rem .35rem;font-size:.8rem;text-align:center;white-space:nowrap;"
    "border-right:1px solid var(--line)}.rack th:first-child,.rack td:first-child{text-align:left;position:sticky;"
    "left:0;background:var(--card)}\n"
    ".P{background:var(--okbg)}.W{background:var(--warnbg);color:var(--warn)}.F{background:var(--badbg);"
    "color:var(--bad);font-weight:700}.N{background:var(--offbg);color:var(--dim)}.O{outline:2px solid var(--bad);"
    "outline-offset:-2px;font-weight:700}\n"
    ".kind{white-space:nowrap;font-weight:600}.kind.bad{color:var(--bad)}.kind.warn{color:var(--warn)}\n"
    "svg{display:block}svg .band{fill:var(--okbg);stroke:var(--good)}svg .axis{stroke:var(--line)}"
    "svg .mid{stroke:var(--good);stroke-width:2}svg .dot{fill:var(--bad)}\n"
    "@media print{body{max-width:none;font-size:11px}.scroll{overflow:visible;border:0}h2{break-after:avoid}"
    "tr{break-inside:avoid}th,td{padding:.15rem .25rem;white-space:normal!important}svg{width:110px}.rack td,.rack th{font-size:8px;padding:.1rem}}\n"
    "@media screen and (max-width:40rem){.wordy td{min-width:8.5rem}.wordy td.kind{min-width:0}}\n";
