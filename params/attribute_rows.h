/*
 * attribute_rows.h - how a table of attributes is made of their list (params/attribute.h); only the
 * file that makes one includes it.
 */
#pragma once

#include "params/attribute.h"

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* ---- what a value may be ---- */

/* Range, and default: as it would be written; NULL: none. */
#define INTEGER(smallest, greatest, value)                                                         \
    .type = ATTRIBUTE_INTEGER, .least = smallest, .most = greatest, .default_value = value
#define REAL(smallest, greatest, value)                                                            \
    .type = ATTRIBUTE_REAL, .least = smallest, .most = greatest, .default_value = value
#define INTEGERS(smallest, greatest, value)                                                        \
    .type = ATTRIBUTE_INTEGERS, .least = smallest, .most = greatest, .default_value = value
#define REALS(smallest, greatest, value)                                                           \
    .type = ATTRIBUTE_REALS, .least = smallest, .most = greatest, .default_value = value
/* Default, words (NULL: checked elsewhere), and values that are not built yet (NULL: none). */
#define BOOLEAN(value, not_yet) .type = ATTRIBUTE_BOOLEAN, .default_value = value, .later = not_yet
#define WORD(value, known, not_yet)                                                                \
    .type = ATTRIBUTE_WORD, .default_value = value, .words = known, .later = not_yet
#define WEIGHTS(smallest, greatest, known)                                                         \
    .type = ATTRIBUTE_WEIGHTS, .least = smallest, .most = greatest, .words = known
#define WORD_LIST(known, not_yet) .type = ATTRIBUTE_WORDS, .words = known, .later = not_yet
#define TEXT()                    .type = ATTRIBUTE_TEXT
#define A_LABEL()                 .type = ATTRIBUTE_LABEL
/* An amount of memory, as Kubernetes writes it (base/memory_size.h); the range is in bytes. */
#define MEMORY(smallest, greatest) .type = ATTRIBUTE_MEMORY, .least = smallest, .most = greatest

/* The C types that a member of such a value can have. */
#define STORES_INTEGER(...)                                                                        \
    uint32_t:                                                                                      \
    STORE_U32, uint64_t : STORE_U64
#define STORES_MEMORY(...)                                                                         \
    uint64_t:                                                                                      \
    STORE_U64
#define STORES_REAL(...)     double : STORE_REAL
#define STORES_INTEGERS(...) struct counts : STORE_COUNTS
#define STORES_REALS(...)    struct reals : STORE_REALS
#define STORES_BOOLEAN(...)  bool : STORE_BOOLEAN
#define STORES_WEIGHTS(...)  bool : STORE_BOOLEAN
#define STORES_WORD(...)     unsigned : STORE_ENUM, bool : STORE_BOOLEAN

/* ---- where job.json has it ---- */

#define IN(object, json_member) .section = #object, .member = #json_member
/* In the object that has the name of the kind. */
#define IN_KIND(json_member) .member = #json_member

/* ---- the table ---- */

/* const struct attribute_table NAME: the attributes of the list, in its order, whose values are
 * members of the struct. One in a file. A member of a C type that cannot have the value does not
 * compile. */
#define ATTRIBUTE_TABLE(name, of, ATTRIBUTES)                                                      \
    typedef of attribute_members;                                                                  \
    static const struct attribute attribute_rows[] = {                                             \
        ATTRIBUTES(ATTRIBUTE_STORED_ROW, ATTRIBUTE_PLANNED_ROW)};                                  \
    const struct attribute_table name = {attribute_rows,                                           \
                                         sizeof attribute_rows / sizeof *attribute_rows};
#define ATTRIBUTE_STORED_ROW(c_type, c_member, spelled, statements, place, takes, ...)             \
    {.name = spelled,                                                                              \
     .scope = statements,                                                                          \
     takes,                                                                                        \
     .store = _Generic(*(c_type *)0, STORES_##takes),                                              \
     .offset = offsetof(attribute_members, c_member),                                              \
     place,                                                                                        \
     .help = __VA_ARGS__},
#define ATTRIBUTE_PLANNED_ROW(spelled, statements, takes, ...)                                     \
    {.name = spelled, .scope = statements, takes, .help = __VA_ARGS__},
