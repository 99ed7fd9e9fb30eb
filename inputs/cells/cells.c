#include "inputs/cells/cells.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "inputs/cells/cell_text.h"

uint64_t transform_word_hash(struct slice word)
{
    return XXH3_64bits(word.data ? word.data : "", word.size);
}

enum status cell_refuse(const struct cell *cell, struct slice column, const char *wanted,
                        struct error *err)
{
    double number;

    if (cell->type == CELL_VECTOR)
        return fail(err, STATUS_INVALID, "column \"%.*s\" holds an array, where %s was expected",
                    SLICE_FORMAT(column), wanted);
    if (cell->type == CELL_BLOB)
        return fail(err, STATUS_INVALID, "column \"%.*s\" holds a blob, where %s was expected",
                    SLICE_FORMAT(column), wanted);
    if (cell->type == CELL_TEXT) {
        int shown = cell->text.size > 40 ? 40 : (int)cell->text.size;
        return fail(err, STATUS_INVALID, "column \"%.*s\" holds '%.*s%s', where %s was expected",
                    SLICE_FORMAT(column), shown, cell->text.data, cell->text.size > 40 ? "..." : "",
                    wanted);
    }
    if (cell->type == CELL_REAL && isinf(cell->real))
        return fail(err, STATUS_INVALID, "column \"%.*s\" holds an infinite %s",
                    SLICE_FORMAT(column), cell->time ? "date" : "number");
    number = cell->type == CELL_REAL ? cell->real : (double)cell->integer;
    return fail(err, STATUS_INVALID, "column \"%.*s\" holds %.15g, where %s was expected",
                SLICE_FORMAT(column), number, wanted);
}

static bool read_text(struct slice text, enum input_reading reading, double *number, bool *is_null)
{
    const struct text_look look = text_look_at(text);

    return text_look_number(&look, text, reading, number, is_null);
}

enum status cell_to_number(const struct cell *cell, enum input_reading reading, struct slice column,
                           double *number, bool *is_null, struct error *err)
{
    *number = 0;
    *is_null = cell->type == CELL_NULL || (cell->type == CELL_REAL && isnan(cell->real));
    if (*is_null)
        return STATUS_OK;
    if (cell->type == CELL_INTEGER)
        *number = (double)cell->integer;
    else if (cell->type == CELL_REAL)
        *number = cell->real;
    else if (cell->type >= CELL_BLOB || !read_text(cell->text, reading, number, is_null))
        return cell_refuse(cell, column, reading == READING_BOOLEAN ? "yes or no" : "a number",
                           err);
    return isfinite(*number) ? STATUS_OK : cell_refuse(cell, column, "a finite number", err);
}

static struct slice real_as_word(double real, char *buffer)
{
    struct text digits;
    size_t size;

    /* Below 2^63 a whole number prints as the integer that it is. */
    if (real == floor(real) && fabs(real) < 0x1p63) {
        size = (size_t)snprintf(buffer, TRANSFORM_WORD_BUFFER, "%lld", (long long)real);
        return (struct slice){buffer, size};
    }
    text_init(&digits, TRANSFORM_WORD_BUFFER);
    text_append_real(&digits, real);
    size = digits.size;
    memcpy(buffer, text_string(&digits), size);
    text_deinit(&digits);
    return (struct slice){buffer, size};
}

enum status cell_to_word(const struct cell *cell, struct slice column, char *buffer,
                         struct slice *word, bool *is_null, struct error *err)
{
    *word = (struct slice){buffer, 0};
    *is_null = cell->type == CELL_NULL || (cell->type == CELL_REAL && isnan(cell->real));
    if (*is_null)
        return STATUS_OK;
    if (cell->type == CELL_TEXT)
        *word = cell->text;
    else if (cell->type == CELL_INTEGER)
        word->size =
            (size_t)snprintf(buffer, TRANSFORM_WORD_BUFFER, "%lld", (long long)cell->integer);
    else if (cell->type == CELL_REAL && isfinite(cell->real))
        *word = real_as_word(cell->real, buffer);
    else
        return cell_refuse(cell, column, "text or a number", err);
    return STATUS_OK;
}

enum status cell_refuse_id(const struct cell *cell, struct slice column, uint32_t ids,
                           struct error *err)
{
    char wanted[64];

    snprintf(wanted, sizeof wanted, "a whole number from 0 to %u", ids - 1);
    cell_refuse(cell, column, wanted, err);
    return error_hint(err, "CATEGORY_ID takes ids below its second argument; CATEGORY_HASH takes "
                           "any value.");
}
