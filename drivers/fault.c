#include "fault.h"
#include "platform.h"
#include "text.h"

void fault_text(const struct fault *f, struct text *out)
{
    if (f->err == OK) {
        text_str(out, "no fault");
        return;
    }
    text_fmt(out, "%s: %s (got 0x%llx, want 0x%llx) at %s:%u", f->what, err_text(f->err),
             (unsigned long long)f->got, (unsigned long long)f->want, f->file, f->line);
}

int fault_set(struct fault *f, enum err e, const char *file, unsigned line, const char *what, uint64_t got,
              uint64_t want)
{
    struct fault now = {
        .err = e, .line = (uint16_t)line, .file = file, .what = what, .got = got, .want = want
    };
    bool first = f && f->err == OK;
    char words[200];
    struct text t = text_over(words, sizeof words);

    if (first)
        *f = now;
    fault_text(&now, &t);
    plat_log(first ? LOG_ERROR : LOG_WARN, "%s", words);
    return e;
}
