#include "sha256.h"
#include <string.h>
#include "test.h"

static const char *hash(const void *data, size_t len, size_t piece)
{
    static char hex[65];
    struct sha256 s;
    uint8_t digest[32];

    sha256_begin(&s);
    for (size_t at = 0; at < len; at += piece)
        sha256_add(&s, (const char *)data + at, piece < len - at ? piece : len - at);
    sha256_end(&s, digest);
    sha256_hex(digest, hex);
    return hex;
}

/* The examples that NIST publishes with FIPS 180-4. */
TEST(sha256_of_the_standards_examples_is_as_published)
{
    static const char long_one[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";

    EQ_STR(hash("abc", 3, 3), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EQ_STR(hash(long_one, 56, 56), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EQ_STR(hash("", 0, 1), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(sha256_of_a_million_letters_is_as_published)
{
    static char a[1000000];

    memset(a, 'a', sizeof a);
    EQ_STR(hash(a, sizeof a, sizeof a), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    EQ_STR(hash(a, sizeof a, 999), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* The padding's edges: 55 bytes fit with the length, 56 do not, 63, 64 and 65 are around a block. */
TEST(sha256_does_not_depend_on_how_the_data_comes)
{
    static const unsigned lengths[] = { 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 129, 200 };
    char data[200], whole[65];

    for (unsigned i = 0; i < sizeof data; i++)
        data[i] = (char)(i * 7);
    for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        strcpy(whole, hash(data, lengths[i], lengths[i]));
        for (unsigned piece = 1; piece < 70; piece++)
            EQ_STR(hash(data, lengths[i], piece), whole);
    }
    strcpy(whole, hash(data, 55, 55));
    CHECK(strcmp(whole, hash(data, 56, 56)) != 0);
}
