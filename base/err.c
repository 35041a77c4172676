#include "err.h"

static const char *const err_words[ERR_COUNT] = {
    [-OK] = "no error",
    [-E_TIMEOUT] = "timed out",
    [-E_GONE] = "device left the bus",
    [-E_NOMEM] = "out of memory",
    [-E_PROTO] = "device broke its protocol",
    [-E_MEDIA] = "data could not be read",
    [-E_LIMIT] = "outside the limits",
    [-E_UNSUPPORTED] = "not supported",
    [-E_REFUSED] = "refused",
    [-E_AGAIN] = "busy, try again",
    [-E_SYNTAX] = "wrong syntax",
    [-E_IO] = "firmware or file system refused",
    [-E_CUT] = "ends too early",
};

const char *err_text(int err) { return err > 0 || err <= -ERR_COUNT ? "unknown error" : err_words[-err]; }
