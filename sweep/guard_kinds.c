#include "guard_kinds.h"
#include "bits.h"
#include "guard_content.h"
#include "str.h"

const char guard_kind_mark[] = "Baresweep's own mark", guard_kind_data[] = "data of an unknown kind";

/* ---- checks: where a magic alone would fit too much, or several kinds share it ---- */

static bool is_power_of_two(uint32_t v) { return v && !(v & (v - 1)); }

static bool is_boot_sector_of(const uint8_t *b, const char *oem) { return !memcmp(b + 3, oem, 8); }

/* 12, 16 or 32; 0: no FAT.  By the count of clusters, as Microsoft's FAT specification tells them apart. */
static unsigned fat_bits(const uint8_t *b)
{
    uint32_t sector_bytes = le16(b + 11), reserved = le16(b + 14), fats = b[16], root = le16(b + 17);
    uint32_t sectors = le16(b + 19) ? le16(b + 19) : le32(b + 32);
    uint32_t fat_sectors = le16(b + 22) ? le16(b + 22) : le32(b + 36);

    if (!is_power_of_two(sector_bytes) || sector_bytes < 512 || sector_bytes > 4096 ||
        !is_power_of_two(b[13]) || !reserved || !fats || fats > 4 || (b[21] != 0xf0 && b[21] < 0xf8) ||
        !sectors || !fat_sectors)
        return 0;
    uint64_t overhead =
        reserved + (uint64_t)fats * fat_sectors + (root * 32 + sector_bytes - 1) / sector_bytes;
    if (overhead >= sectors)
        return 0;
    uint64_t clusters = (sectors - overhead) / b[13];
    return !le16(b + 22) ? 32 : clusters < 4085 ? 12 : 16;
}
static bool is_fat12(const uint8_t *b, uint64_t at_bytes) { return (void)at_bytes, fat_bits(b) == 12; }
static bool is_fat16(const uint8_t *b, uint64_t at_bytes) { return (void)at_bytes, fat_bits(b) == 16; }

/* BitLocker To Go looks like FAT32 and carries the GUID of BitLocker at 424. */
static bool is_bitlocker_to_go(const uint8_t *b, uint64_t at_bytes)
{
    static const uint8_t guid[16] = { 0x3b, 0xd6, 0x67, 0x49, 0x29, 0x2e, 0xd8, 0x4a,
                                      0x83, 0x99, 0xf6, 0xa3, 0x39, 0xe3, 0xd0, 0x01 };

    (void)at_bytes;
    return !memcmp(b + 424, guid, sizeof guid);
}
static bool is_fat32(const uint8_t *b, uint64_t at_bytes)
{
    return fat_bits(b) == 32 && !is_bitlocker_to_go(b, at_bytes);
}

/* Four entries of which at least one is used; a boot sector of a file system has the same last two bytes. */
static bool has_partition_entries(const uint8_t *b, bool protective)
{
    unsigned used = 0, protects = 0;

    if (fat_bits(b) || is_boot_sector_of(b, "NTFS    ") || is_boot_sector_of(b, "EXFAT   ") ||
        is_boot_sector_of(b, "-FVE-FS-"))
        return false;
    for (unsigned i = 0; i < 4; i++) {
        const uint8_t *e = b + 446 + 16 * i;

        if (e[0] & 0x7f)
            return false;
        used += e[4] && le32(e + 12);
        protects += e[4] == 0xee;
    }
    return used && (protects != 0) == protective;
}
static bool is_mbr(const uint8_t *b, uint64_t at_bytes)
{
    return (void)at_bytes, has_partition_entries(b, false);
}
static bool is_protective_mbr(const uint8_t *b, uint64_t at_bytes)
{
    return (void)at_bytes, has_partition_entries(b, true);
}

enum {
    EXT_SB = 1024,
    EXT_COMPAT_JOURNAL = 0x4,
    EXT_INCOMPAT_JOURNAL_DEVICE = 0x8,
    /* those features that ext2 and ext3 know: compression, directory types, recovery, meta block groups */
    EXT_INCOMPAT_OLD = 0x1 | 0x2 | 0x4 | 0x10
};
static bool is_ext(const uint8_t *sb)
{
    return le32(sb + 4) && le32(sb + 0x18) <= 6 && le32(sb + 0x4c) <= 1; /* blocks, their size, revision */
}
static bool ext_is_new(const uint8_t *sb) { return (le32(sb + 0x60) & ~(uint32_t)EXT_INCOMPAT_OLD) != 0; }
static bool ext_has_journal(const uint8_t *sb) { return le32(sb + 0x5c) & EXT_COMPAT_JOURNAL; }
static bool is_ext2(const uint8_t *sb, uint64_t at_bytes)
{
    return (void)at_bytes, is_ext(sb) && !ext_is_new(sb) && !ext_has_journal(sb);
}
static bool is_ext3(const uint8_t *sb, uint64_t at_bytes)
{
    return (void)at_bytes, is_ext(sb) && !ext_is_new(sb) && ext_has_journal(sb);
}
static bool is_ext4(const uint8_t *sb, uint64_t at_bytes)
{
    return (void)at_bytes, is_ext(sb) && ext_is_new(sb) && !(le32(sb + 0x60) & EXT_INCOMPAT_JOURNAL_DEVICE);
}
static bool is_ext_journal(const uint8_t *sb, uint64_t at_bytes)
{
    return (void)at_bytes, is_ext(sb) && le32(sb + 0x60) & EXT_INCOMPAT_JOURNAL_DEVICE;
}
/* The first copy is in block group 1 and says so. */
static bool is_ext_copy(const uint8_t *sb, uint64_t at_bytes)
{
    return (void)at_bytes, is_ext(sb) && le16(sb + 0x5a) == 1;
}

static bool is_hfs_plus(const uint8_t *b, uint64_t at_bytes) { return (void)at_bytes, !b[2] && b[3] == 4; }
static bool is_hfsx(const uint8_t *b, uint64_t at_bytes) { return (void)at_bytes, !b[2] && b[3] == 5; }
static bool is_hfs(const uint8_t *b, uint64_t at_bytes)
{
    return (void)at_bytes, b[0x12] || b[0x13]; /* drNmAlBlks, big-endian */
}

static bool is_luks1(const uint8_t *b, uint64_t at_bytes) { return (void)at_bytes, !b[6] && b[7] == 1; }
static bool is_luks2(const uint8_t *b, uint64_t at_bytes) { return (void)at_bytes, !b[6] && b[7] == 2; }

static bool is_md_0(const uint8_t *b, uint64_t at_bytes) { return (void)at_bytes, !le32(b + 4); }
static bool is_md_1(const uint8_t *b, uint64_t at_bytes)
{
    return le32(b + 4) == 1 && le64(b + 144) == at_bytes / 512; /* it says where it is */
}

/* A packed list of pairs in XDR: encoding 1, byte order, two zeros; its first name is the version. */
static bool is_zfs_label(const uint8_t *b, uint64_t at_bytes)
{
    (void)at_bytes;
    if (b[0] != 1 || b[1] > 1 || b[2] || b[3])
        return false;
    for (unsigned i = 4; i < 256; i++)
        if (!memcmp(b + i, "version", 7))
            return true;
    return false;
}

static bool is_nilfs2(const uint8_t *b, uint64_t at_bytes) { return (void)at_bytes, le32(b) == 2; }

/* ---- the table ---- */
#define MAGIC(s)        (sizeof(s) - 1), .magic = (s)
#define START(base, at) .anchor = FROM_START, .base_bytes = (base), .magic_at = (at), .magic_bytes =
#define END(base, at)   .anchor = FROM_END, .base_bytes = (base), .magic_at = (at), .magic_bytes =
#define UFS(place)                                                                                           \
    { .kind = "UFS1", START(place, 0x55c) MAGIC("\x54\x19\x01\x00") },                                       \
        { .kind = "UFS1", START(place, 0x55c) MAGIC("\x00\x01\x19\x54") },                                   \
        { .kind = "UFS2", START(place, 0x55c) MAGIC("\x19\x01\x54\x19") },                                   \
    {                                                                                                        \
        .kind = "UFS2", START(place, 0x55c) MAGIC("\x19\x54\x01\x19")                                        \
    }
#define SWAP(page_bytes)                                                                                     \
    { .kind = "Linux swap", START(page_bytes - 10, 0) MAGIC("SWAPSPACE2") },                                 \
        { .kind = "Linux swap", START(page_bytes - 10, 0) MAGIC("SWAP-SPACE") },                             \
        { .kind = "suspended Linux", START(page_bytes - 10, 0) MAGIC("S1SUSPEND") },                         \
        { .kind = "suspended Linux", START(page_bytes - 10, 0) MAGIC("S2SUSPEND") },                         \
        { .kind = "suspended Linux", START(page_bytes - 10, 0) MAGIC("ULSUSPEND") },                         \
    {                                                                                                        \
        .kind = "suspended Linux", START(page_bytes - 10, 0) MAGIC("LINHIB0001")                             \
    }
#define LUKS2_SECOND(place)                                                                                  \
    {                                                                                                        \
        .kind = "LUKS2, second header", START(place, 0) MAGIC("SKUL\xba\xbe"), .check = is_luks2             \
    }
#define PROMISE(sectors)                                                                                     \
    {                                                                                                        \
        .kind = "Promise RAID", END(512ull * (sectors), 0) MAGIC("Promise Technology, Inc.")                 \
    }
#define BCACHE   "\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81"
#define BCACHEFS "\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef"
#define OCFS2(place)                                                                                         \
    {                                                                                                        \
        .kind = "OCFS2", START(place, 0) MAGIC("OCFSV2")                                                     \
    }
#define DRBD(magic_)                                                                                         \
    {                                                                                                        \
        .kind = "DRBD", END(4096, 60) MAGIC(magic_)                                                          \
    }

const struct sign guard_signs[] = {
    /* partition tables */
    { .kind = "MBR", START(0, 510) MAGIC("\x55\xaa"), .check = is_mbr },
    { .kind = "protective MBR", START(0, 510) MAGIC("\x55\xaa"), .check = is_protective_mbr },
    { .kind = "GPT", START(512, 0) MAGIC("EFI PART") },
    { .kind = "GPT of 4096-byte blocks", START(4096, 0) MAGIC("EFI PART") },
    { .kind = "backup GPT", END(512, 0) MAGIC("EFI PART") },
    { .kind = "backup GPT of 4096-byte blocks", END(4096, 0) MAGIC("EFI PART") },
    { .kind = "Apple partition map", START(512, 0) MAGIC("PM\0\0") },
    { .kind = "BSD disk label", START(512, 0) MAGIC("\x57\x45\x56\x82") },
    { .kind = "BSD disk label", START(0, 64) MAGIC("\x57\x45\x56\x82") },
    { .kind = "Windows dynamic disk", START(3072, 0) MAGIC("PRIVHEAD") },
    { .kind = "Windows dynamic disk", END(512, 0) MAGIC("PRIVHEAD") },
    /* Windows and DOS */
    { .kind = "FAT12", START(0, 510) MAGIC("\x55\xaa"), .check = is_fat12 },
    { .kind = "FAT16", START(0, 510) MAGIC("\x55\xaa"), .check = is_fat16 },
    { .kind = "FAT32", START(0, 510) MAGIC("\x55\xaa"), .check = is_fat32 },
    { .kind = "exFAT", START(0, 3) MAGIC("EXFAT   ") },
    { .kind = "NTFS", START(0, 3) MAGIC("NTFS    ") },
    { .kind = "ReFS", START(0, 3) MAGIC("ReFS\0") },
    { .kind = "BitLocker", START(0, 3) MAGIC("-FVE-FS-") },
    { .kind = "BitLocker To Go", START(0, 3) MAGIC("MSWIN4.1"), .check = is_bitlocker_to_go },
    /* Linux */
    { .kind = "ext2", START(EXT_SB, 0x38) MAGIC("\x53\xef"), .check = is_ext2 },
    { .kind = "ext3", START(EXT_SB, 0x38) MAGIC("\x53\xef"), .check = is_ext3 },
    { .kind = "ext4", START(EXT_SB, 0x38) MAGIC("\x53\xef"), .check = is_ext4 },
    { .kind = "ext journal", START(EXT_SB, 0x38) MAGIC("\x53\xef"), .check = is_ext_journal },
    { .kind = "ext, copy of its superblock",
      START(8193 * KIB, 0x38) MAGIC("\x53\xef"),
      .check = is_ext_copy },
    { .kind = "ext, copy of its superblock", START(128 * MIB, 0x38) MAGIC("\x53\xef"), .check = is_ext_copy },
    { .kind = "XFS", START(0, 0) MAGIC("XFSB") },
    { .kind = "XFS log", START(0, 0) MAGIC("\xfe\xed\xba\xbe") },
    { .kind = "btrfs", START(64 * KIB, 64) MAGIC("_BHRfS_M") },
    { .kind = "btrfs, copy of its superblock", START(64 * MIB, 64) MAGIC("_BHRfS_M") },
    { .kind = "btrfs, copy of its superblock", START(256 * GIB, 64) MAGIC("_BHRfS_M") },
    { .kind = "F2FS", START(1024, 0) MAGIC("\x10\x20\xf5\xf2") },
    { .kind = "F2FS, second superblock", START(5120, 0) MAGIC("\x10\x20\xf5\xf2") },
    { .kind = "bcache", START(4096, 24) MAGIC(BCACHE) },
    { .kind = "bcachefs", START(4096, 24) MAGIC(BCACHEFS) },
    { .kind = "bcachefs, copy of its superblock", START(2 * MIB, 24) MAGIC(BCACHEFS) },
    { .kind = "bcachefs, copy of its superblock", END(1 * MIB, 24) MAGIC(BCACHEFS) },
    SWAP(4096),
    SWAP(8192),
    SWAP(16384),
    SWAP(32768),
    SWAP(65536),
    { .kind = "JFS", START(32768, 0) MAGIC("JFS1") },
    { .kind = "ReiserFS", START(65536, 0x34) MAGIC("ReIsEr") },
    { .kind = "ReiserFS", START(8192, 0x34) MAGIC("ReIsEr") },
    { .kind = "Reiser4", START(65536, 0) MAGIC("ReIsEr4") },
    { .kind = "NILFS2", START(1024, 6) MAGIC("\x34\x34"), .check = is_nilfs2 },
    { .kind = "GFS2", START(65536, 0) MAGIC("\x01\x16\x19\x70") },
    OCFS2(1024),
    OCFS2(2048),
    OCFS2(4096),
    OCFS2(8192),
    { .kind = "EROFS", START(1024, 0) MAGIC("\xe2\xe1\xf5\xe0") },
    { .kind = "SquashFS", START(0, 0) MAGIC("hsqs") },
    /* volume managers, encryption, software RAID */
    { .kind = "LVM2 physical volume", START(0, 24) MAGIC("LVM2 001") },
    { .kind = "LVM2 physical volume", START(512, 24) MAGIC("LVM2 001") },
    { .kind = "LVM2 physical volume", START(1024, 24) MAGIC("LVM2 001") },
    { .kind = "LVM2 physical volume", START(1536, 24) MAGIC("LVM2 001") },
    { .kind = "LUKS1", START(0, 0) MAGIC("LUKS\xba\xbe"), .check = is_luks1 },
    { .kind = "LUKS2", START(0, 0) MAGIC("LUKS\xba\xbe"), .check = is_luks2 },
    LUKS2_SECOND(0x4000),
    LUKS2_SECOND(0x8000),
    LUKS2_SECOND(0x10000),
    LUKS2_SECOND(0x20000),
    LUKS2_SECOND(0x40000),
    LUKS2_SECOND(0x80000),
    LUKS2_SECOND(0x100000),
    LUKS2_SECOND(0x200000),
    LUKS2_SECOND(0x400000),
    { .kind = "Linux RAID 0.90 member",
      .anchor = FROM_END_OF_64K,
      .base_bytes = 65536,
      .magic_bytes = MAGIC("\xfc\x4e\x2b\xa9"),
      .check = is_md_0 },
    { .kind = "Linux RAID 0.90 member",
      .anchor = FROM_END_OF_64K,
      .base_bytes = 65536,
      .magic_bytes = MAGIC("\xa9\x2b\x4e\xfc"),
      .check = is_md_0 },
    { .kind = "Linux RAID 1.0 member",
      .anchor = FROM_END_OF_4K,
      .base_bytes = 8192,
      .magic_bytes = MAGIC("\xfc\x4e\x2b\xa9"),
      .check = is_md_1 },
    { .kind = "Linux RAID 1.1 member", START(0, 0) MAGIC("\xfc\x4e\x2b\xa9"), .check = is_md_1 },
    { .kind = "Linux RAID 1.2 member", START(4096, 0) MAGIC("\xfc\x4e\x2b\xa9"), .check = is_md_1 },
    { .kind = "dm-integrity", START(0, 0) MAGIC("integrt\0") },
    { .kind = "dm-verity", START(0, 0) MAGIC("verity\0\0") },
    { .kind = "VDO", START(0, 0) MAGIC("dmvdo001") },
    { .kind = "Stratis", START(512, 4) MAGIC("!Stra0tis\x86\xff\x02^\x41rh") },
    { .kind = "Stratis", START(4608, 4) MAGIC("!Stra0tis\x86\xff\x02^\x41rh") },
    DRBD("\x83\x74\x02\x6b"),
    DRBD("\x83\x74\x02\x6c"),
    DRBD("\x83\x74\x02\x6d"),
    /* ZFS keeps four labels */
    { .kind = "ZFS, label 0", START(16 * KIB, 0) MAGIC("\x01"), .check = is_zfs_label },
    { .kind = "ZFS, label 1", START(272 * KIB, 0) MAGIC("\x01"), .check = is_zfs_label },
    { .kind = "ZFS, label 2",
      .anchor = FROM_END_OF_256K,
      .base_bytes = 496 * KIB,
      .magic_bytes = MAGIC("\x01"),
      .check = is_zfs_label },
    { .kind = "ZFS, label 3",
      .anchor = FROM_END_OF_256K,
      .base_bytes = 240 * KIB,
      .magic_bytes = MAGIC("\x01"),
      .check = is_zfs_label },
    /* Apple, BSD, others */
    { .kind = "APFS", START(0, 32) MAGIC("NXSB") },
    { .kind = "HFS+", START(1024, 0) MAGIC("H+"), .check = is_hfs_plus },
    { .kind = "HFS+, copy of its header", END(1024, 0) MAGIC("H+"), .check = is_hfs_plus },
    { .kind = "HFSX", START(1024, 0) MAGIC("HX"), .check = is_hfsx },
    { .kind = "HFS", START(1024, 0) MAGIC("BD"), .check = is_hfs },
    UFS(0),
    UFS(8 * KIB),
    UFS(64 * KIB),
    UFS(256 * KIB),
    { .kind = "VMFS volume", START(1 * MIB, 0) MAGIC("\x0d\xd0\x01\xc0") },
    { .kind = "VMFS", START(2 * MIB, 0) MAGIC("\x5e\xf1\xab\x2f") },
    { .kind = "Ceph BlueStore", START(0, 0) MAGIC("bluestore block device") },
    { .kind = "Oracle ASM", START(0, 32) MAGIC("ORCLDISK") },
    { .kind = "VxFS", START(1024, 0) MAGIC("\xf5\xfc\x01\xa5") },
    { .kind = "ISO 9660", START(32768, 1) MAGIC("CD001") },
    { .kind = "UDF", START(32768, 1) MAGIC("BEA01") },
    /* RAID cards and chip sets, at the end */
    { .kind = "DDF RAID", END(512, 0) MAGIC("\xde\x11\xde\x11") },
    { .kind = "DDF RAID", END(257 * 512, 0) MAGIC("\xde\x11\xde\x11") },
    { .kind = "DDF RAID", END(4096, 0) MAGIC("\xde\x11\xde\x11") },
    { .kind = "Intel RAID (IMSM)", END(1024, 0) MAGIC("Intel Raid ISM Cfg Sig. ") },
    { .kind = "Intel RAID (IMSM)", END(8192, 0) MAGIC("Intel Raid ISM Cfg Sig. ") },
    { .kind = "LSI RAID", END(512, 0) MAGIC("$XIDE$") },
    { .kind = "Adaptec RAID", END(512, 0) MAGIC("\x37\xfc\x4d\x1e") },
    { .kind = "NVIDIA RAID", END(1024, 0) MAGIC("NVIDIA  ") },
    { .kind = "HighPoint RAID", START(4608, 32) MAGIC("\xf0\x16\x78\x5a") },
    { .kind = "HighPoint RAID", END(11 * 512, 0) MAGIC("\xf3\x16\x78\x5a") },
    PROMISE(63),
    PROMISE(255),
    PROMISE(256),
    PROMISE(16),
    PROMISE(399),
    PROMISE(591),
    PROMISE(675),
    PROMISE(735),
    PROMISE(911),
    PROMISE(951),
    PROMISE(974),
    PROMISE(991),
};
const unsigned guard_sign_count = ARRAY_COUNT(guard_signs);
