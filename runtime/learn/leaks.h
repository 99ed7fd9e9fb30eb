/*
 * leaks.h - columns that alone predict the label, as one does that is written when the label is
 * known: the date of a contract's end beside "has it ended".
 *
 *     leaks_init --> leaks_some ... until leaks_are_done --> leaks_deinit
 *                    while the sample's rows are held
 *
 * Of the sample of the training rows every second one makes a rule for each column, which the
 * others judge: the label of the same word, or of the nearest number. So words that are all
 * different predict nothing, and neither does a number among many. A column is noticed where its
 * rule leaves at most LEAK_ERRORS of the mistakes that "always the most frequent class" makes,
 * where its numbers rank two classes with AUC LEAK_RANKS, or where it explains LEAK_R2 of a number.
 * Of few rows, and of one column alone, which is there to predict, nothing is said.
 *
 * The rows' order is that of their keys: every worker has the same notices.
 */
#ifndef RUNTIME_LEARN_LEAKS_H
#define RUNTIME_LEARN_LEAKS_H

#include "runtime/data/dataset.h"

#define LEAK_ERRORS     0.01
#define LEAK_RANKS      0.999
#define LEAK_R2         0.999
#define LEAK_ROWS_MIN   100 /* of the sample */
#define LEAK_OTHERS_MIN 20  /* rows that judge and are not of the most frequent class */

struct leak_rule;

struct leaks {
    const struct dataset *dataset;
    struct slice label;
    struct leak_rule *rule; /* room; NULL: there is nothing to look for */
    uint32_t next;          /* input */
};

/* `label`: its name, borrowed as the data set is. NO_MEMORY. */
enum status leaks_init(struct leaks *leaks, const struct dataset *dataset, struct slice label,
                       struct error *err);
bool leaks_are_done(const struct leaks *leaks);
/* The next inputs, some milliseconds of them. */
void leaks_some(struct leaks *leaks, struct notice_list *notices);
void leaks_deinit(struct leaks *leaks); /* zeros, too */

#endif
