/*
 * model_path.h - the first argument of the scoring functions.
 *
 *     totrain_predict('iris_model', ...)   totrain_predict('main."my.model"', ...)
 *
 * The argument is an identifier path as SQL writes it: name, or schema.name.
 * A part is a word or stands in double quotes, with a double quote inside
 * doubled. A word is taken as it is, case included, and ends at the point; so
 * what holds a point, a quote or white space must stand in quotes. The writer
 * quotes whatever is not [A-Za-z_][A-Za-z0-9_]*; the reader is more generous
 * and takes any other bytes in a word ('größe', '2nd-model').
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"

#define MODEL_PATH_BYTES_MAX 1000

/* schema->size == 0: none was written. INVALID, without a position, for an
 * empty part, an open quote, or more than two parts. The slices live in the
 * arena. */
enum status model_path_read(struct slice text, struct arena *arena, struct slice *schema,
                            struct slice *name, struct error *err);

/* Append the path; what was written reads back as the same two names. */
void model_path_write(struct slice schema, struct slice name, struct text *out);
