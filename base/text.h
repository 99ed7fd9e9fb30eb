/*
 * text.h - borrowed and owned runs of bytes.
 *
 * A slice borrows: it is valid as long as what it points into. A text owns: it
 * grows up to the maximum it was born with and then refuses, remembering that
 * it did, so that a row of appends needs one check at the end.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct slice {
    const char *data; /* not terminated */
    size_t size;
};

#define SLICE(literal) ((struct slice){(literal), sizeof(literal) - 1})
/* For printf: "%.*s", SLICE_FORMAT(s) */
#define SLICE_FORMAT(s) (int)(s).size, (s).data

struct slice slice_of(const char *terminated); /* NULL gives the empty slice */
bool slice_equal(struct slice a, struct slice b);
bool slice_equal_fold(struct slice a, struct slice b); /* ASCII case ignored */
bool slice_is(struct slice a, const char *terminated);
bool slice_is_fold(struct slice a, const char *terminated);
/* Does it end so, and is there something before? */
bool slice_ends_fold(struct slice a, const char *ending);
/* memcmp order, a prefix first: <0, 0, >0 */
int slice_compare(struct slice a, struct slice b);
/* The first eight bytes as they lie in memory, with zeros behind a shorter slice. */
static inline uint64_t slice_start(struct slice a)
{
    uint64_t start = 0;
    uint32_t first, last;

    if (a.size >= sizeof start) {
        memcpy(&start, a.data, sizeof start);
    } else if (a.size >= sizeof first) { /* two halves, which may overlap */
        memcpy(&first, a.data, sizeof first);
        memcpy(&last, a.data + a.size - sizeof last, sizeof last);
        start = first | (uint64_t)last << 8 * (a.size - sizeof last);
    } else {
        for (size_t i = 0; i < a.size; i++)
            start |= (uint64_t)(unsigned char)a.data[i] << 8 * i;
    }
    return start;
}
static inline bool is_white_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}
struct slice slice_trim(struct slice a); /* white space off both ends */
/* Bytes of the well-formed UTF-8 sequence at the start, 0 when there is none. */
size_t utf8_sequence(const char *bytes, size_t left);
/* At most so many of its first bytes, and no part of a character of UTF-8 at the end. */
struct slice slice_prefix(struct slice text, size_t bytes_max);
/* Such a prefix, terminated. `capacity` is 1 at least. */
void slice_copy(struct slice text, char *into, size_t capacity);

struct text {
    char *data; /* always terminated once anything was appended; may be NULL before */
    size_t size;
    size_t capacity;
    size_t maximum; /* bytes; never grows beyond */
    bool failed;    /* an append did not fit or memory ran out; size stays as it was */
};

#define TEXT_MAXIMUM ((size_t)1 << 30)

void text_init(struct text *text, size_t maximum);
void text_deinit(struct text *text);
void text_clear(struct text *text); /* keeps the memory */
void text_append(struct text *text, struct slice bytes);
void text_append_string(struct text *text, const char *terminated);
/* Appends the separator before item `i` of a list of `count` in a sentence: "a", "a and b", "a, b
 * and c". */
void text_append_separator(struct text *text, size_t i, size_t count);
void text_append_char(struct text *text, char c);
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *text, const char *format, va_list arguments);
struct slice text_slice(const struct text *text);
/* The terminated bytes, "" when nothing was appended. Valid until the next append. */
const char *text_string(const struct text *text);

/* "name" with every double quote doubled: how both hosts quote an identifier. */
void text_append_identifier(struct text *text, struct slice name);
#define SQL_NAME_BYTES 256
/* A name as a statement takes it, for sentences that people copy from: in quotes where it is no
 * plain word of small letters, and cut off where the buffer ends. suffix: written behind it. */
const char *sql_name(struct slice name, const char *suffix, char buffer[SQL_NAME_BYTES]);
/* A text likewise, always in quotes. */
const char *sql_text(struct slice value, char buffer[SQL_NAME_BYTES]);
/* Both in a buffer that lives as long as the block that they stand in. */
#define SQL_NAME(name)              sql_name((name), "", (char[SQL_NAME_BYTES]){0})
#define SQL_NAME_WITH(name, suffix) sql_name((name), (suffix), (char[SQL_NAME_BYTES]){0})
#define SQL_TEXT(value)             sql_text((value), (char[SQL_NAME_BYTES]){0})
/* 'value' with every single quote doubled. */
void text_append_literal(struct text *text, struct slice value);

/* The shortest decimal that reads back as the same double ("0.1", "1e+300"). */
void text_append_real(struct text *text, double value);
/* The same of a float ("0.1", where its double has 17 digits). */
void text_append_float(struct text *text, float value);
/* To so many significant digits ("0.01235"). */
void text_append_digits(struct text *text, double value, int digits);

/* For people: five significant digits, and all that stand before the point ("0.96667", "352064");
 * fewer where the number has fewer. */
void text_append_rounded(struct text *text, double value);

/* Parse a whole slice as a C-locale number; false when any of it is left over,
 * or for the words inf and nan. Reads no locale. */
bool slice_to_real(struct slice text, double *value);
bool slice_to_integer(struct slice text, int64_t *value);

/*
 * The candidate nearest to `word` by Damerau-Levenshtein distance, case
 * ignored; -1 when none is near enough to be what the user meant (more than a
 * third of the longer word's letters, or three, differ).
 */
int text_nearest(struct slice word, const char *const *candidates, size_t count);
