#ifndef EFI_FILE_H
#define EFI_FILE_H
#include "firmware.h"

/* Files of a FAT volume as the medium's parts use them. */

/* NULL when the volume has no file system or does not open. */
EFI_FILE_PROTOCOL *volume_root(EFI_HANDLE volume);
/* '/' separates folders.  NULL when it is not there or the volume refuses. */
EFI_FILE_PROTOCOL *file_open(EFI_FILE_PROTOCOL *dir, const char *path, UINT64 mode, UINT64 attributes);
bool file_set_size(EFI_FILE_PROTOCOL *file, uint64_t bytes);
bool file_size(EFI_FILE_PROTOCOL *file, uint64_t *bytes);
bool file_write_at(EFI_FILE_PROTOCOL *file, uint64_t at, const void *data, size_t len);

#endif
