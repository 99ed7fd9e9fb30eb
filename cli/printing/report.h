/*
 * report.h - errors as a person at a terminal reads them, on standard error.
 *
 *     train.sql:4: ERROR:  label column "klass" is not among the columns of the query
 *     LINE 4: TO TRAIN LinearClassifier LABEL klass INTO m;
 *                                             ^
 *     HINT:  Did you mean class?
 *
 * In colour the label is red, the caret green and the hint's label cyan, as
 * compilers have it. Without colour the bytes are those above.
 */
#pragma once

#include "base/error.h"

enum colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

bool colour_find(struct slice name, enum colour *colour);

/* auto: standard error is a terminal that understands escape sequences (TERM
 * is not dumb), and NO_COLOR is unset or empty (https://no-color.org). */
bool colour_applies(enum colour colour);

/* Standard error is a terminal on which a line can be redrawn. */
bool report_is_to_terminal(void);

/* `place` goes before the error: a file and line, or nothing. What was written
 * to standard output before is flushed first. Returns err->status. */
enum status report_error(const struct error *err, const char *place, struct slice sql,
                         enum colour colour);

/* report_error for a command that ends with it: returns the exit code. */
int report(const struct error *err, enum colour colour);
