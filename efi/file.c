#include "file.h"

EFI_FILE_PROTOCOL *volume_root(EFI_HANDLE volume)
{
    EFI_SIMPLE_FILE_SYSTEM_PROTOCOL *fs = firmware_protocol(volume, &guid_file_system);
    EFI_FILE_PROTOCOL *root = NULL;

    return fs && !EFI_ERROR(fs->OpenVolume(fs, &root)) ? root : NULL;
}

EFI_FILE_PROTOCOL *file_open(EFI_FILE_PROTOCOL *dir, const char *path, UINT64 mode, UINT64 attributes)
{
    CHAR16 name[160];
    EFI_FILE_PROTOCOL *file = NULL;

    ucs2_from_text(name, ARRAY_COUNT(name), path);
    for (CHAR16 *c = name; *c; c++)
        if (*c == '/')
            *c = '\\';
    return EFI_ERROR(dir->Open(dir, &file, name, mode, attributes)) ? NULL : file;
}

bool file_set_size(EFI_FILE_PROTOCOL *file, uint64_t bytes)
{
    union {
        EFI_FILE_INFO info;
        uint8_t bytes[512];
    } u;
    UINTN size = sizeof u;

    if (EFI_ERROR(file->GetInfo(file, &guid_file_info, &size, &u)))
        return false;
    u.info.FileSize = bytes;
    return !EFI_ERROR(file->SetInfo(file, &guid_file_info, size, &u));
}

bool file_size(EFI_FILE_PROTOCOL *file, uint64_t *bytes)
{
    /* Position ~0 is the end of the file (UEFI, EFI_FILE_PROTOCOL.SetPosition). */
    return !EFI_ERROR(file->SetPosition(file, ~0ull)) && !EFI_ERROR(file->GetPosition(file, bytes)) &&
           !EFI_ERROR(file->SetPosition(file, 0));
}

bool file_write_at(EFI_FILE_PROTOCOL *file, uint64_t at, const void *data, size_t len)
{
    UINTN done = len;

    return !EFI_ERROR(file->SetPosition(file, at)) && !EFI_ERROR(file->Write(file, &done, (void *)data)) &&
           done == len;
}
