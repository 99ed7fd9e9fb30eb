/*
 * field.h - records as lists of their fields.
 *
 *     #define POINT_FIELDS(F)                                  \
 *         F(U32, index, POINTS_MAX, "which of the points")     \
 *         F(TEXT, name, 40, "what people call it")
 *
 *     struct point {
 *         POINT_FIELDS(FIELD_MEMBER)
 *     };
 *     FIELD_TABLE(point_table, struct point, POINT_FIELDS)
 *
 * The one list is the members of the struct and, by way of the table, what is written, what is read
 * and within which limits, the samples of tests and the documentation: a field that is added to it
 * is in all of them. Fields are written in the order of the list.
 *
 *     type       in C                limit           as bytes
 *     FLAG       bool                                1 byte, 0 or 1
 *     U32, U64   uint32_t, uint64_t  greatest value  4 or 8 bytes
 *     I64, F64   int64_t, double                     8 bytes
 *     TEXT       struct slice        bytes           4 bytes of size, then the bytes: UTF-8
 *     BYTES      struct slice        bytes           the same: anything
 *     INT64S     struct slice        bytes           the same: whole integers of 8 bytes
 *     U32S       struct slice        bytes           the same: whole integers of 4 bytes
 *     FLOATS     struct slice        bytes           the same: whole floats of 4 bytes
 *     REALS      struct field_reals  reals           4 bytes of their number, then 8 of each
 *     INDEX      int64_t             greatest value  8 bytes; -1: none
 *     STRING     const char *        bytes + 1       none: for JSON
 *     CHARS      char[limit]         bytes + 1       none: for JSON
 *
 * A limit of FIELD_ANY is none. Numbers are little-endian.
 */
#pragma once

#include <stddef.h>

#include "base/text.h"

struct byte_reader; /* base/bytes.h */

#define FIELD_ANY 0

#define FIELD_TYPE_MAP(X)                                                                          \
    X(FLAG, "flag")                                                                                \
    X(U32, "32-bit integer")                                                                       \
    X(U64, "64-bit integer")                                                                       \
    X(I64, "signed 64-bit integer")                                                                \
    X(F64, "64-bit real")                                                                          \
    X(TEXT, "text")                                                                                \
    X(BYTES, "bytes")                                                                              \
    X(INT64S, "64-bit integers")                                                                   \
    X(U32S, "32-bit integers")                                                                     \
    X(FLOATS, "32-bit reals")                                                                      \
    X(REALS, "64-bit reals")                                                                       \
    X(INDEX, "integer")                                                                            \
    X(STRING, "text")                                                                              \
    X(CHARS, "text")

/* Some reals in the record itself. */
#define FIELD_REALS_MAX 32
struct field_reals {
    uint32_t count;
    double values[FIELD_REALS_MAX];
};

enum field_type {
#define X(name, text) FIELD_##name,
    FIELD_TYPE_MAP(X)
#undef X
};

struct field {
    const char *name, *meaning;
    enum field_type type;
    uint64_t limit;
    size_t offset; /* in the struct */
};

struct field_table {
    const struct field *fields;
    size_t count;
};

/* A member of the struct. */
#define FIELD_MEMBER(type, member, limit, meaning) FIELD_MEMBER_##type(member, limit)
#define FIELD_MEMBER_FLAG(member, limit)           bool member;
#define FIELD_MEMBER_U32(member, limit)            uint32_t member;
#define FIELD_MEMBER_U64(member, limit)            uint64_t member;
#define FIELD_MEMBER_I64(member, limit)            int64_t member;
#define FIELD_MEMBER_F64(member, limit)            double member;
#define FIELD_MEMBER_TEXT(member, limit)           struct slice member;
#define FIELD_MEMBER_BYTES(member, limit)          struct slice member;
#define FIELD_MEMBER_INT64S(member, limit)         struct slice member;
#define FIELD_MEMBER_U32S(member, limit)           struct slice member;
#define FIELD_MEMBER_FLOATS(member, limit)         struct slice member;
#define FIELD_MEMBER_REALS(member, limit)          struct field_reals member;
#define FIELD_MEMBER_INDEX(member, limit)          int64_t member;
#define FIELD_MEMBER_STRING(member, limit)         const char *member;
#define FIELD_MEMBER_CHARS(member, limit)          char member[limit];

/* static struct field_table NAME(void) */
#define FIELD_TABLE(name, of, FIELDS)                                                              \
    static struct field_table name(void)                                                           \
    {                                                                                              \
        typedef of field_record;                                                                   \
        static const struct field fields[] = {FIELDS(FIELD_ROW)};                                  \
        return (struct field_table){fields, sizeof fields / sizeof *fields};                       \
    }
#define FIELD_ROW(type, member, limit, meaning)                                                    \
    {#member, meaning, FIELD_##type, limit, offsetof(field_record, member)},

/* The fields of the record, one behind the other. */
void fields_put(struct text *out, struct field_table table, const void *record);

/* The same read back; slices borrow from the reader's bytes. NULL, or the field that is cut or
 * beyond its limit: the reader is then marked failed, and the record is not to be used. */
const struct field *fields_read(struct byte_reader *reader, struct field_table table, void *record);

/* Rows of a table in Markdown: name, type, limit, meaning. */
void fields_print_document(struct text *out, struct field_table table);
