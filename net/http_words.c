#include "http_words.h"
#include "bits.h"

static const unsigned short numbers[] = {
    0,   100, 101, 200, 201, 202, 203, 204, 205, 206, 300, 301, 302, 303, 304, 305, 307, 400, 401, 402, 403,
    404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 500, 501, 502, 503, 504, 505, 308,
};

unsigned http_status_number(unsigned firmware_code)
{
    return firmware_code < ARRAY_COUNT(numbers) ? numbers[firmware_code] : 0;
}

static const struct {
    unsigned short number;
    const char *words;
} meanings[] = {
    { 401, "wants a password" },
    { 403, "forbidden: may the server write there?" },
    { 404, "not found: is there such a folder?" },
    { 405, "method not allowed: nginx needs dav_methods PUT" },
    { 409, "conflict: nginx needs create_full_put_path on" },
    { 411, "length required" },
    { 413, "too large: nginx needs client_max_body_size 1m or more" },
    { 500, "the server's own error: see its log" },
    { 501, "not implemented: this server takes no PUT" },
    { 502, "bad gateway" },
    { 503, "not available at the moment" },
    { 504, "gateway timed out" },
};

void http_status_words(unsigned number, struct text *out)
{
    if (!number) {
        text_str(out, "answered with an error that the firmware does not name (507, no room left, is one)");
        return;
    }
    text_fmt(out, "answered %u", number);
    for (unsigned i = 0; i < ARRAY_COUNT(meanings); i++)
        if (meanings[i].number == number)
            text_fmt(out, " (%s)", meanings[i].words);
}
