/*
 * attribute_rows.h - how the tables of attributes write their rows; no other file includes it.
 */
#ifndef PARAMS_ATTRIBUTE_ROWS_H
#define PARAMS_ATTRIBUTE_ROWS_H

#include "params/attribute.h"

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* The first members of a row of each type, as in {REAL("model.l1", ...), .store = ...}. */
#define INTEGER(row_name, scopes, smallest, greatest, value, text)                                 \
    .name = row_name, .type = ATTRIBUTE_INTEGER, .scope = scopes, .least = smallest,               \
    .most = greatest, .default_value = value, .help = text
#define REAL(row_name, scopes, smallest, greatest, value, text)                                    \
    .name = row_name, .type = ATTRIBUTE_REAL, .scope = scopes, .least = smallest,                  \
    .most = greatest, .default_value = value, .help = text
#define BOOLEAN(row_name, scopes, value, not_yet, text)                                            \
    .name = row_name, .type = ATTRIBUTE_BOOLEAN, .scope = scopes, .default_value = value,          \
    .later = not_yet, .help = text
#define WORD(row_name, scopes, value, known, not_yet, text)                                        \
    .name = row_name, .type = ATTRIBUTE_WORD, .scope = scopes, .default_value = value,             \
    .words = known, .later = not_yet, .help = text

/* Is the member of a struct what the row says that it is? */
#define FITS_U32(member)     _Generic((member), uint32_t : 1, default : 0)
#define FITS_U64(member)     _Generic((member), uint64_t : 1, default : 0)
#define FITS_REAL(member)    _Generic((member), double : 1, default : 0)
#define FITS_BOOLEAN(member) _Generic((member), bool : 1, default : 0)
#define FITS_ENUM(member)    _Generic((member), unsigned : 1, default : 0)
#define FITS_COUNTS(member)  _Generic((member), struct counts : 1, default : 0)

/* Where the value lies, and the object of job.json in which it has the name `json`. A row of
 * another type than the member's does not compile. */
#define STORED_IN(members, type, c_member, object, json)                                           \
    .store = STORE_##type,                                                                         \
    .offset = offsetof(members, c_member) +                                                        \
              0 * sizeof(char[FITS_##type(((members *)0)->c_member) ? 1 : -1]),                    \
    .section = object, .member = json

#endif
