/*
 * column_function.h - the functions of the COLUMN clause, for people.
 *
 * What they mean is in column_choice.c. docs/columns.md is printed from this list.
 */
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "parser/statement.h"

struct column_function {
    const char *name;
    const char *arguments; /* forms of its calls, separated by "; " */
    const char *makes;     /* "a category" */
    const char *help;      /* sentences */
    /* Names of the arguments behind the first, in their order: "num_buckets or hash_bucket_size,
     * delimiter"; NULL: they have none. */
    const char *parameters;
};

/* An entry without a name ends them. */
extern const struct column_function column_functions[];

/* The function of this name, in any case of letters; NULL: there is none. */
const struct column_function *column_function_find(struct slice name);
/* The one whose name is nearest to it; NULL: none is near. */
const struct column_function *column_function_nearest(struct slice name);
/* Its usual name: ElasticDL's documents have others for some functions. */
struct slice column_function_usual(struct slice name);
/* The place of the argument with this name, from 1; 0: there is none. */
size_t column_function_parameter(const struct column_function *function, struct slice name);
/* May arguments that are given by name leave out others before them? */
bool column_function_has_gaps(const struct column_function *function);
/* Is it a call of this function, under whichever name? */
bool column_calls(const struct column *column, const char *function);
/* The text of an argument that is a name or a string; size 0: it is neither. */
struct slice column_argument_word(const struct column *argument);
/* INVALID at the call's first argument: "TEXT takes ..." */
enum status column_refuse_arguments(const struct column *call, const char *takes,
                                    struct error *err);
/* "NUMERIC, VOCABULARY, ... and TEXT" */
void column_functions_append(struct text *out);
