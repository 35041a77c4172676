#ifndef NET_HTTP_WORDS_H
#define NET_HTTP_WORDS_H
#include "text.h"

/* EFI_HTTP_STATUS_CODE is an enumeration of the firmware's, not the number of the protocol (UEFI 2.10,
 * 29.6.6): 3 is 200, 4 is 201, 7 is 204, 20 is 403.  0: a status that the enumeration has no place for. */
unsigned http_status_number(unsigned firmware_code);
/* "403 (forbidden)"; what an operator would do about it where that is known. */
void http_status_words(unsigned number, struct text *out);

#endif
