/*
 * advice.h - what to write instead of parameters of other tools that have no attribute here.
 *
 *     WITH is_unbalance = true    Write class_weight = 'balanced': both classes weigh alike.
 *     WITH force_col_wise = true  Leave it out: how rows lie in memory changes no model.
 *     WITH C = 0.5                Write model.l2 = 2: ...
 *
 * Advice is the hint of an error that there is anyway: a name that no attribute has, one that has
 * no use with the model, or a value that is not taken. So it never refuses what is taken; a name
 * that means the same as an attribute belongs in the list of short_names.h.
 *
 * `instead` is what to write: settings, or a clause that begins with its keyword (COLUMN, LABEL,
 * USING, TO) or stands `in the SELECT`. In it stand for what the statement has:
 *
 *     {value}        the value as it is written
 *     {column}       the column that it names: 'f', ['f'] and 'name:f' are f
 *     {words}        VOCABULARY(f), VOCABULARY(g): all columns that it names
 *     {1/value}      and {1-value}, {value/2}, {1000*value}, {1/1000/value}, of a number
 *
 * docs/other-tools.md is printed from the same rows.
 */
#pragma once

#include "planner/attributes/estimators.h"

#define ADVICE_NUMBER "a number"        /* above 0 */
#define ADVICE_SHARE  "a share"         /* a number up to 1 that is not written as a whole one */
#define ADVICE_COUNT  "a whole number"  /* from 1 up */
#define ADVICE_COLUMN "a column's name" /* a text, or a list of texts, but not 'auto' */

struct advice {
    const char *name;        /* the tool's spelling of a setting; case is ignored */
    unsigned scope;          /* SCOPE_... */
    const char *tool;        /* "XGBoost": the first that has it */
    const struct kind *kind; /* the only kind of models that it is for; NULL: any */
    const char *value;       /* the only value that it is for, or list of it alone, or ADVICE_...;
                                NULL: any */
    const char *instead;     /* NULL: nothing, it is to be left out */
    const char *why;         /* a clause, small letters, without a full stop */
};

/* In the order in which they are looked at: the first that fits is meant. The last has no name. */
extern const struct advice advice_rows[];

/* Put the advice for a setting that was refused in place of the error's hint; where there is none
 * the hint stays. `scope`, `estimator`: as of attribute_check. Returns err->status, which memory
 * that ran out changes. */
enum status advice_hint(const struct setting *setting, unsigned scope,
                        const struct estimator *estimator, struct error *err);

/* "Write ...: ..." or "Leave it out: ...". */
void advice_append(const struct advice *advice, const struct value *value, struct text *out);
