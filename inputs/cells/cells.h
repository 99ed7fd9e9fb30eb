/*
 * cells.h - cells as the numbers and words that inputs take, and the messages about other ones.
 */
#pragma once

#include "base/cell.h"
#include "base/error.h"
#include "params/terms.h"

#define TRANSFORM_WORD_BUFFER 32 /* bytes, for a number as a word */

/* The number that a numeric input takes from a cell: text that reads as a
 * number counts as that number (cell_text.h). INVALID naming the column and the value for
 * other text, blobs and infinities; *is_null set for NULL, NaN, blank text and, unless the reading
 * is strict, the spellings of a missing value. */
enum status cell_to_number(const struct cell *cell, enum input_reading reading, struct slice column,
                           double *number, bool *is_null, struct error *err);

/* INVALID: column "x" holds 'y', where `wanted` was expected. */
enum status cell_refuse(const struct cell *cell, struct slice column, const char *wanted,
                        struct error *err);

/* The bytes that a category input takes from a cell: integers and reals by
 * their shortest decimal, a real that is whole as the integer ("3", not
 * "3.0"), so that 3 and 3.0 and '3' are one word. `buffer` holds TRANSFORM_WORD_BUFFER bytes. */
enum status cell_to_word(const struct cell *cell, struct slice column, char *buffer,
                         struct slice *word, bool *is_null, struct error *err);

/* A whole number from 0 to below `ids`? */
static inline bool number_is_id(double number, uint32_t ids)
{
    return number >= 0 && number < (double)ids && number == (double)(uint32_t)number;
}
/* INVALID: column "x" holds 12, where a whole number from 0 to 9 was expected. */
enum status cell_refuse_id(const struct cell *cell, struct slice column, uint32_t ids,
                           struct error *err);
uint64_t transform_word_hash(struct slice word);
