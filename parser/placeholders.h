/*
 * placeholders.h - the parameters of a SELECT: ?, ?1, :name, @name and $name of SQLite, $1 of
 * PostgreSQL.
 *
 * Databases bind values to a statement that they have prepared. Below the door a SELECT is read by
 * many statements and processes, also after the session is gone, so that the values are written
 * into its text instead, each where its parameter stood. Numbers are those that the database gives:
 * a ? has one more than the greatest before it, a name that of its first place.
 */
#pragma once

#include "base/error.h"
#include "parser/statement.h"

#define PLACEHOLDERS_MAX 4096 /* places in one statement */

enum placeholder_style { PLACEHOLDERS_SQLITE, PLACEHOLDERS_POSTGRES };

struct placeholder {
    struct span span; /* in the text */
    int number;       /* the parameter's number, from 1 */
};

struct placeholders {
    struct placeholder *places; /* in the order of the text */
    size_t count;
    int most; /* the greatest number: how many values are bound */
};

/* All that are in text[span]. LIMIT where there are too many; INVALID for a number beyond what a
 * database takes. */
enum status placeholders_find(struct slice text, struct span span, enum placeholder_style style,
                              struct arena *arena, struct placeholders *found, struct error *err);

/* Those in the SELECT of the statement; none where it is not ours or has no SELECT. */
enum status placeholders_of_statement(struct slice statement, enum placeholder_style style,
                                      struct arena *arena, struct placeholders *found,
                                      struct error *err);

/* The text with values[number - 1] in the place of each parameter. */
void placeholders_fill(struct slice text, const struct placeholders *places,
                       const struct slice *values, struct text *out);
