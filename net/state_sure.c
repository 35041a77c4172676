#include "state_sure.h"
#include "err.h"
#include "str.h"

int state_put_sure(const struct state_wire *w, const char *text, size_t len, struct text *why)
{
    char *back = NULL;
    size_t back_len = 0;
    int rc = w->put(w->ctx, text, len, why);

    if (rc == OK)
        rc = w->get(w->ctx, &back, &back_len, why);
    if (rc != OK)
        return rc;
    bool same = back_len == len && (!len || !memcmp(back, text, len));
    w->release(w->ctx, back);
    if (same)
        return OK;
    text_str(why, "took the text and gives back another");
    return E_PROTO;
}
