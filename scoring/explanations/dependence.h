/*
 * dependence.h - what a model predicts in the mean when a column has one value in all rows (partial
 * dependence; Friedman, 2001), and of each row (individual conditional expectation; Goldstein,
 * Kapelner, Bleich, Pitkin, 2015).
 *
 *     held_rows_sort --> dependence_new --> dependence_points of a column --> dependence_measure of
 *                                           each point --> dependence_free
 *
 * It is of columns that are one input, a number or a category with a vocabulary, and no part of a
 * cross: of others no single value could be put into a row. Points are values that the held rows
 * have: of numbers all, or where they have more, quantiles from DEPENDENCE_LEAST to
 * 1 - DEPENDENCE_LEAST at equal distances; of words the most frequent ones, of as many the one that
 * the vocabulary has first.
 *
 * A prediction is the label's number; of two classes the positive one's probability (its score
 * where there are none); of more each class' probability. Rows are taken in the order of their
 * hashes (held_rows.h): means have the same bits whatever order they came in.
 */
#pragma once

#include "base/stop.h"
#include "scoring/held_rows.h"

#define DEPENDENCE_LEAST 0.05

struct dependence_point {
    bool is_word;
    struct slice word; /* the model's */
    double number;     /* in the units of the column */
    float dense, rest; /* numbers: as in dense */
    int32_t id;        /* words: as in ids */
};

/* The input that a column is; NULL: it is several, or one that has no values to put in. */
const struct transform_input *dependence_input(const struct transform *transform, uint32_t column);

struct dependence;
/* held: sorted; borrowed, as the model is. */
enum status dependence_new(const struct held_rows *held, struct dependence **dependence,
                           struct error *err);
void dependence_free(struct dependence *dependence);

/* Numbers that a row predicts. */
uint32_t dependence_outputs(const struct model *model);

/* Ascending numbers, or words, at most points_max: in the arena. */
enum status dependence_points(const struct dependence *dependence,
                              const struct transform_input *input, uint32_t points_max,
                              struct arena *arena, struct dependence_point **points,
                              uint32_t *count, struct error *err);

/* means (outputs): over the held rows. each (rows, outputs): NULL: nobody asks. INTERRUPTED. */
enum status dependence_measure(struct dependence *dependence, const struct transform_input *input,
                               const struct dependence_point *point, const struct stop *stop,
                               double *means, double *each, struct error *err);
