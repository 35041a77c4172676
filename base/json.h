#ifndef BASE_JSON_H
#define BASE_JSON_H
#include "text.h"

struct json_value;

/* ---- writing: one compact JSON text, integers and strings only ---- */
struct json_out {
    struct text *to;
    bool need_comma;
};

struct json_out json_over(struct text *to);
/* key may be NULL inside an array and for the outermost value. */
void json_object_begin(struct json_out *j, const char *key);
void json_object_end(struct json_out *j);
void json_array_begin(struct json_out *j, const char *key);
void json_array_end(struct json_out *j);
void json_put_u64(struct json_out *j, const char *key, uint64_t v);
void json_put_i64(struct json_out *j, const char *key, int64_t v);
void json_put_bool(struct json_out *j, const char *key, bool v);
/* Escapes quotes, backslashes and control characters; bytes that are no valid UTF-8 become '?'. */
void json_put_str(struct json_out *j, const char *key, const char *s);
/* A member as it was read: key and value come from json_next over an object. */
void json_put_member(struct json_out *j, const struct json_value *key, const struct json_value *v);
/* A value as it was read, within an array. */
void json_put_value(struct json_out *j, const struct json_value *v);

/* ---- reading: a view into the caller's text, no allocation ---- */
enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };
struct json_value {
    const char *at; /* first byte of the value, e.g. its '{' or '"' */
    size_t len;
    enum json_kind kind;
};

enum { JSON_MAX_DEPTH = 16 };

/* Checks the whole of s[0..len) (one value, blanks around it allowed, nothing after it, at most
 * JSON_MAX_DEPTH deep).  False leaves *out alone.  The functions below take only values that came
 * from a text which passed here. */
bool json_parse(const char *s, size_t len, struct json_value *out);

/* The first member of that name; false when absent or when v is no object. */
bool json_member(const struct json_value *v, const char *key, struct json_value *out);
/* Walks arrays and objects: start with *cursor = 0; false at the end.  For an object, key (may be
 * NULL) receives the member's name as a JSON_STRING value. */
bool json_next(const struct json_value *v, size_t *cursor, struct json_value *key, struct json_value *out);

/* A non-negative integer without fraction or exponent that fits; else false. */
bool json_to_u64(const struct json_value *v, uint64_t *out);
bool json_to_i64(const struct json_value *v, int64_t *out);
bool json_to_bool(const struct json_value *v, bool *out);
/* Unescaped, always terminated, cut to cap; false when v is no string or was cut. */
bool json_to_str(const struct json_value *v, char *buf, size_t cap);

/* Member of an object in one step; the default when absent or of another kind. */
uint64_t json_u64(const struct json_value *v, const char *key, uint64_t otherwise);
void json_str(const struct json_value *v, const char *key, char *buf, size_t cap); /* "" when absent */

#endif
