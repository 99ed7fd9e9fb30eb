/*
 * named_values.h - a row's values by the names of the inputs: totrain_predict('m', json_object('x',
 * x, 'y', y)).
 *
 *     totrain_named('x', x, 'y', y)      names and values in turn, as cells
 *     {"x": 1, "y": "blue"}              a text of JSON: its members become the same cells
 *
 * They may come in any order, in several objects, and with names that the model does not take,
 * which are ignored, as PREDICT ignores other columns. A name that is missing or comes twice is an
 * error. Names are compared as SQLite compares those of columns: capitals do not count, unless two
 * inputs differ by them alone.
 *
 * totrain_named() keeps all bits of a value. JSON has the digits that SQLite writes, 15 of them in
 * 3.40, where a number may come back as its neighbour. An array is the text of a list, an
 * object the text of an object, true and false are 1 and 0.
 */
#pragma once

#include "extension/sqlite/api/api.h"
#include "scoring/transform/transform.h"

#define NAMED_SUBTYPE 'N' /* mark of totrain_named(): SQL text cannot forge it */

/* The values that one call has given, of the row at hand. Zeros are a valid start. */
struct named_values {
    sqlite3_stmt *members; /* reads the members of an object; NULL before the first one */
    struct text cells;
    unsigned char *are_given; /* (columns) */
};

void named_values_deinit(struct named_values *values);

/* *are: the `count` arguments behind the model's name, which takes so many inputs, are objects,
 * each of them. JSON that lost its mark on the way, as a column's or a bound one, is one where it
 * stands alone and the model takes several inputs. INVALID where totrain_named() stands beside
 * other values. */
enum status values_are_named(sqlite3_value **values, int count, uint32_t inputs, bool *are,
                             struct error *err);

/* The next object of the row. INVALID for what is no object of JSON. */
enum status named_values_add(struct named_values *values, sqlite3_context *context,
                             sqlite3_value *value, struct error *err);

/* cells: (columns of the transform); texts borrow from *values until named_values_clear(). INVALID
 * for a name that is missing, with the names of all inputs as a hint, or comes twice. */
enum status named_values_place(struct named_values *values, const struct transform *transform,
                               struct cell *cells, struct error *err);

/* The next row begins. */
void named_values_clear(struct named_values *values);

/* "They are x, y." as the hint beside an error; `subject`: "They are". */
enum status hint_inputs(const struct transform *transform, const char *subject, struct error *err);

/* totrain_named(name, value, ...) */
void named_values_make(sqlite3_context *context, int count, sqlite3_value **values);
