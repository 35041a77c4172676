#include "guard_content.h"

void guard_content_words(const struct guard_content *c, struct text *out)
{
    if (c->state == CONTENT_BLANK)
        text_str(out, "nothing but zeros");
    for (unsigned i = 0; i < c->found_count; i++)
        text_fmt(out, "%s%s", i ? "; " : "", c->found[i].kind);
}
