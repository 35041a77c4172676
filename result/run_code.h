#ifndef RESULT_RUN_CODE_H
#define RESULT_RUN_CODE_H
#include <stdint.h>

/* A run's number as people write it on a ticket: the upper 40 bits of the run id in eight letters and digits
 * without I, L, O and U, as in "7K2M-9QXD". */
enum { RUN_CODE_BYTES = 10 };
void run_code(uint64_t run_id, char out[RUN_CODE_BYTES]);

#endif
