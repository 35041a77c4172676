#ifndef NET_BOOT_ARGS_H
#define NET_BOOT_ARGS_H
#include <stddef.h>
#include <stdint.h>
#include "text.h"

/* What a boot loader hands to an application beside its name (LoadOptions of the loaded image), as lines of a
 * configuration.  iPXE, the UEFI shell and boot entries made by efibootmgr give words with blanks between:
 *
 *     BOOTX64.EFI preset=quick "run_label=rack 7" attended
 *
 * The first word without '=' is the image's name and no option.  Double quotes, anywhere in a word, keep its
 * blanks; a backslash before a quote or a backslash makes it a plain character.
 *
 * The bytes are UCS-2, or one byte per character when the second byte is a printable character.  Firmware
 * also hands over things that are no text (an entry's private data): then nothing is taken. */
enum boot_args_kind { BOOT_ARGS_NONE, BOOT_ARGS_TEXT, BOOT_ARGS_NO_TEXT };
/* Lines "preset=quick\n" into `out`, one per word; a '#' or ';' in a word would begin a comment and ends the
 * reading as BOOT_ARGS_NO_TEXT.  Text that does not fit (out->cut) is the caller's to tell. */
enum boot_args_kind boot_args_read(const void *options, size_t bytes, struct text *out);

#endif
