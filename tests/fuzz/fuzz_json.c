#include <stdlib.h>
#include <string.h>
#include "json.h"
#include "str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(cond)                                                                                        \
    do {                                                                                                     \
        if (!(cond))                                                                                         \
            abort();                                                                                         \
    } while (0)

static char copy_buf[1 << 16];

/* Visits every value, asks it for everything, and writes it again. */
static void walk(const struct json_value *v, const char *text, size_t len, struct json_out *j,
                 const char *name)
{
    struct json_value key, child, again;
    char words[64], all[4096];
    uint64_t u;
    int64_t i;
    bool b = false;

    REQUIRE(v->at >= text && v->len > 0 && v->at + v->len <= text + len);
    REQUIRE(json_parse(v->at, v->len, &again) && again.kind == v->kind && again.len == v->len);
    json_str(v, "a", words, sizeof words);
    (void)json_u64(v, "run", 0);
    (void)json_to_str(v, words, 1 + v->len % sizeof words);
    bool is_unsigned = json_to_u64(v, &u), is_signed = json_to_i64(v, &i);
    if (v->kind == JSON_OBJECT || v->kind == JSON_ARRAY) {
        bool object = v->kind == JSON_OBJECT;

        object ? json_object_begin(j, name) : json_array_begin(j, name);
        for (size_t cursor = 0, before = 0; json_next(v, &cursor, &key, &child); before = cursor) {
            REQUIRE(cursor > before);
            if (object)
                json_to_str(&key, all, sizeof all);
            walk(&child, text, len, j, object ? all : NULL);
        }
        object ? json_object_end(j) : json_array_end(j);
    } else if (v->kind == JSON_STRING) {
        json_to_str(v, all, sizeof all);
        json_put_str(j, name, all);
    } else if (is_unsigned) {
        REQUIRE(v->kind == JSON_NUMBER && (!is_signed || (uint64_t)i == u));
        json_put_u64(j, name, u);
    } else if (is_signed) {
        json_put_i64(j, name, i);
    } else {
        (void)json_to_bool(v, &b);
        json_put_bool(j, name, b);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct json_value v;

    if (!json_parse(text, size, &v))
        return 0;
    struct text out = text_over(copy_buf, sizeof copy_buf);
    struct json_out j = json_over(&out);
    walk(&v, text, size, &j, NULL);
    struct json_value again;
    REQUIRE(out.cut ||
            (json_parse(copy_buf, out.len, &again) && (again.kind == v.kind || v.kind <= JSON_NUMBER)));
    return 0;
}
