/*
 * leak_rule.h - how much of the label one number, or one word, of each row explains.
 *
 *     leak_rule_new --> leak_rule_begin --> leak_rule_place all rows --> leak_rule_learn
 *                            ^                                               |
 *                            +----------- leak_rule_left, _auc --------------+--> leak_rule_free
 *
 * Every second row makes the rule, which the other rows judge: the label of rows with the same
 * value, or with the nearest one. So words that are all different predict nothing, and neither does
 * a number among many. Nothing depends on the number of threads or workers.
 */
#pragma once

#include "runtime/data/dataset/dataset.h"

#define LEAK_ALONE UINT32_MAX /* the order of a NULL among numbers: nothing is near it */

/* The rows that predict a row, by their value. */
enum leak_rule_of {
    OF_EQUAL_OR_NEAREST,
    OF_EQUAL,
    OF_NEXT,     /* the nearest of the other values */
    OF_BOTH_NEXT /* the next numbers below and above, by their rows */
};

/* The prediction by the rows of one value: a class, or a mean of standardised numbers. */
struct leak_known {
    double label, rows;
    uint32_t order;
};

struct leak_placed;

struct leak_rule {
    uint32_t rows, classes;        /* classes 0: the label is a number */
    struct leak_placed *places[2]; /* (rows): sorted, and room to sort */
    struct leak_known *known;      /* (known_count): by ascending order */
    uint32_t *counts;              /* (classes): zeros between two values */
    uint32_t known_count;
    bool is_words;
    bool has_shares; /* the share of the second of two classes is predicted, a number */
    double usual;  /* prediction where nothing is known: the most frequent class, or the mean of the
                      rows that judge */
    double spread; /* loss of `usual` on these rows: rows of other classes, or squares around the
                      mean */
    const struct dataset_part *part;
};

/* NULL: there is no memory. The sample's arrays are borrowed. */
struct leak_rule *leak_rule_new(const struct dataset *dataset);
void leak_rule_free(struct leak_rule *rule); /* NULL, too */

/* Measures the prediction without any column, once the sample's rows are held. */
void leak_rule_measure_usual(struct leak_rule *rule);

/* Predicts shares of two classes from now on, by which a value that makes one class somewhat more
 * frequent is told, or classes again. To be learned anew. */
void leak_rule_take_shares(struct leak_rule *rule, bool has_shares);

/* A number's place among all floats, and the way back. */
uint32_t leak_order_of(float number);
double leak_number_of(uint32_t order);

/* The value of a row: leak_order_of, LEAK_ALONE, or a word's id. */
void leak_rule_place(struct leak_rule *rule, uint32_t row, uint32_t order);
/* From the values of all rows. */
void leak_rule_learn(struct leak_rule *rule, bool is_words);

/* The share of the spread that the rule leaves. `shrink`: of numbers, so many rows of the mean are
 * added to those of each value: few rows tell less of a label with much noise. */
double leak_rule_left(const struct leak_rule *rule, enum leak_rule_of of, double shrink);
/* The least of it by some shrinks. */
double leak_rule_least_left(const struct leak_rule *rule, enum leak_rule_of of);
/* AUC of the numbers, whichever way they rank two classes; a NULL is the greatest. */
double leak_rule_auc(const struct leak_rule *rule);
