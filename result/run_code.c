#include "run_code.h"

void run_code(uint64_t run_id, char out[RUN_CODE_BYTES])
{
    static const char digits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    unsigned at = 0;

    for (int i = 0; i < 8; i++) {
        if (i == 4)
            out[at++] = '-';
        out[at++] = digits[run_id >> (59 - 5 * i) & 31];
    }
    out[at] = 0;
}
