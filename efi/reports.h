#ifndef EFI_REPORTS_H
#define EFI_REPORTS_H
#include "render.h"

/* What is made from the journal beside it, on the medium and in the network. */
struct report_file {
    const char *name;
    void (*render)(const char *journal, size_t len, struct render_out *out);
};
extern const struct report_file reports[];
extern const unsigned report_count;

#endif
