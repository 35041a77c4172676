#include "finding_list.h"
#include "str.h"

void finding_add(struct finding_list *l, const char *code, enum finding_level level, const char *subject,
                 const char *expected, const char *seen_fmt, ...)
{
    va_list ap;

    if (l->count == l->capacity) {
        l->dropped++;
        return;
    }
    struct finding *f = &l->at[l->count++];
    *f = (struct finding){ .code = code, .level = level };
    struct text seen = text_over(f->seen, sizeof f->seen);
    va_start(ap, seen_fmt);
    text_vfmt(&seen, seen_fmt, ap);
    va_end(ap);
    str_copy(f->subject, sizeof f->subject, subject);
    str_copy(f->expected, sizeof f->expected, expected ? expected : "");
}
