#ifndef BASE_ERR_H
#define BASE_ERR_H

/* What a function that can fail returns: OK or one of these.  The names say what an operator can act
 * on, not which layer failed.  Detection logs once (drivers/fault.h); callers only pass the value up. */
enum err {
    OK = 0,
    E_TIMEOUT = -1, /* the device did not answer within its deadline */
    E_GONE = -2,    /* registers read all ones: the device left the bus */
    E_NOMEM = -3,
    E_PROTO = -4, /* the device broke its own protocol */
    E_MEDIA = -5, /* data could not be read */
    E_LIMIT = -6, /* a value lies outside what can be represented or was promised */
    E_UNSUPPORTED = -7,
    E_REFUSED = -8, /* by the gate, by a guard, or by the device with a clear answer */
    E_AGAIN = -9,
    E_SYNTAX = -10, /* text of a person (job file, configuration) is wrong */
    E_IO = -11,     /* the firmware or a file system refused */
    E_CUT = -12,    /* text or data ends too early */
    ERR_COUNT = 13
};

/* "timed out", "device left the bus", ... for any value of enum err; "unknown error" for the rest. */
const char *err_text(int err);

#endif
