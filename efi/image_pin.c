#include "image_pin.h"
#include "arming.h"

#define NOTHING_8  "--------"
#define NOTHING_64 NOTHING_8 NOTHING_8 NOTHING_8 NOTHING_8 NOTHING_8 NOTHING_8 NOTHING_8 NOTHING_8
/* Volatile, because the compiler does not know that the file is changed behind its back. */
static const volatile char pin[] = ARMING_PIN_HEAD NOTHING_64;

const char *image_pin(void)
{
    static char copy[sizeof pin];

    for (unsigned i = 0; i < sizeof pin; i++)
        copy[i] = pin[i];
    return arming_pin(copy);
}
