/*
 * leaks.h - columns that alone predict the label, as one does that is written when the label is
 * known: the date of a contract's end beside "has it ended".
 *
 *     leaks_init --> leaks_some ... until leaks_are_done --> leaks_deinit
 *                    while the sample's rows are held
 *
 * Each column has a rule in the sample of the training rows (leak_rule.h). A column is noticed
 * where its rule leaves at most LEAK_ERRORS of the mistakes that "always the most frequent class"
 * makes, where its numbers rank two classes with AUC LEAK_RANKS, or where it explains LEAK_R2 of a
 * number. Few rows get no notice, nor does a single column that predicts, which is there for it.
 *
 * The same rules tell a number that is rather a name, as the id of a student is: rows of the same
 * number predict the label, and those of the next numbers do not. It is noticed, too. So is the
 * difference of two columns that are nearly the same, where the model misses what it explains
 * (near_copies.h).
 *
 * The rows' order is that of their keys: every worker has the same notices.
 */
#pragma once

#include "runtime/learn/near_copies.h"

#define LEAK_ERRORS     0.01
#define LEAK_RANKS      0.999
#define LEAK_R2         0.999
#define LEAK_ROWS_MIN   100 /* rows of the sample */
#define LEAK_OTHERS_MIN 20  /* rows that judge and are not of the most frequent class */
#define LEAK_LOST       0.3 /* share of the spread that a column explains more than the model */
#define NAMES_MIN       10  /* whole numbers that may be names: so many different ones, */
#define NAMES_ROWS_MIN  2   /* with so many rows each in the mean, and */
#define NAMES_GAIN      0.2 /* share of the spread that equal numbers explain more than near ones */
#define NAMES_GAIN_MANY 0.03 /* the same, where */
#define NAMES_MANY      50   /* there are so many different numbers */
#define NAMES_MANY_ROWS 2000 /* in a sample of so many rows */

struct leaks {
    const struct dataset *dataset;
    struct slice label;
    bool is_single;         /* the job has one column */
    struct leak_rule *rule; /* room; NULL: there is nothing to look for */
    uint32_t next;          /* input; behind all of them pairs */
    uint32_t best;    /* the input whose rule explains most, as long as `explained` is above 0 */
    double explained; /* share of the label's spread, by the rows that judge */
    bool has_names;   /* numbers that seem to be names were noticed */
    struct near_copies copies;
};

/* `label`: its name, borrowed as the data set is. NO_MEMORY. */
enum status leaks_init(struct leaks *leaks, const struct dataset *dataset, struct slice label,
                       struct error *err);
bool leaks_are_done(const struct leaks *leaks);
/* The next inputs, some milliseconds of them. NO_MEMORY. */
enum status leaks_some(struct leaks *leaks, struct notice_list *notices, struct error *err);
/* Once they are done: is something other than "the columns tell nothing" to be said of a model that
 * explains so much of the label? What a single column explains and it does not is noticed here. */
bool leaks_explain(const struct leaks *leaks, double explained, struct notice_list *notices);
void leaks_deinit(struct leaks *leaks); /* zeros, too */
