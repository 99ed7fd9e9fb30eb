/*
 * attribute_rows.h - how the tables of attributes write their rows; nobody else includes it.
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

#endif
