#ifndef BASE_CRC_H
#define BASE_CRC_H
#include <stddef.h>
#include <stdint.h>

/* CRC-32C (Castagnoli, reflected 0x82f63b78), as iSCSI and the journal use it.  Start with 0; pass
 * the previous result to go on.  crc32c(0, "123456789", 9) == 0xe3069283. */
uint32_t crc32c(uint32_t crc, const void *data, size_t len);
/* CRC-32 (IEEE, reflected 0xedb88320), as GPT uses it.  crc32("123456789") == 0xcbf43926. */
uint32_t crc32(uint32_t crc, const void *data, size_t len);

#endif
