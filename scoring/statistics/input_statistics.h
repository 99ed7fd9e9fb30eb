/*
 * input_statistics.h - the statistics that a model keeps of the rows that it was trained on, an
 * input at a time, and of its own predictions of them.
 *
 *     values of the sample --make--> statistics --write--> a row of the model's table
 *                                               <--read--
 *
 * A number has bounds, the deciles of the numbers that are there: a bin is above one bound and up
 * to the next, the last one above all. Equal deciles are one bound. A category has the words that
 * most rows have, each a bin; behind them lie the other words that the model knows, and those that
 * it does not. Missing values are a bin of their own, the last of all. A text is the number of its
 * different words.
 *
 * Bounds are compared with what transform.h made of a cell, so that equal cells fall into one bin
 * whoever looks at them; mean and median are in the units of the column. A prediction is a number:
 * the label's, the positive class' probability of two (its score where there are none), a
 * detection's distance, a projection's first component; or a category: the class of more than two,
 * the cluster.
 *
 * Values are sorted before anything is added: their order makes no difference to a bit.
 */
#pragma once

#include "base/cell.h"
#include "scoring/model.h"

#define STATISTICS_BINS       10 /* bins of numbers */
#define STATISTICS_WORDS      20 /* words of a category that are bins of their own */
#define STATISTICS_BINS_MAX   (STATISTICS_WORDS + 2)
#define STATISTICS_INPUTS_MAX 1000 /* the first inputs of a model that has more */
#define STATISTICS_BYTES_MAX  2048 /* bytes of one input's, written */
#define STATISTICS_PREDICTION "(prediction)"

/* The value that a row has in an input, or predicts. */
struct input_value {
    bool is_null;
    double number; /* a number's, as in dense */
    int32_t id;    /* a category's, from 0; -1: no word that the model knows */
};

struct input_statistics {
    bool is_number;
    uint64_t rows, nulls;
    double mean, median; /* numbers: of those that are there, in the column's units */
    uint32_t bins;       /* the bin of missing values is not one of them */
    /* Numbers: bounds (bins - 1), ascending. Categories: ids (bins - 2). */
    double bounds[STATISTICS_BINS];
    int32_t ids[STATISTICS_WORDS];
    uint64_t counts[STATISTICS_BINS_MAX]; /* (bins): rows of each */
};

/* How many inputs of a model have statistics; one more row is of its predictions. */
uint32_t statistics_inputs(const struct transform *transform);

/* Is the input one whose values are numbers? */
bool statistics_are_numbers(const struct transform_input *input);
/* The value of a row in an input: dense and ids are the row's, `cell` that of the input's column.
 * NULL: it is not known, and a NULL is one where training saw some. */
struct input_value input_value_of(const struct transform *transform,
                                  const struct transform_input *input, const float *dense,
                                  const int32_t *ids, const struct cell *cell);
/* Likewise of predictions. The scorer's row is selected. */
bool predictions_are_numbers(const struct model *model);
struct input_value prediction_value_of(const struct scorer *scorer, double *probabilities);

/* A number of dense in the units of the column. */
double statistics_number(const struct transform_input *input, double number);
/* The same of one cell: the shortest number that the model reads as this one, so that 29.7 is not
 * 29.700000762939453. */
double statistics_cell(const struct transform *transform, const struct transform_input *input,
                       double number);

/* The mean and median of ascending numbers; NAN of none. */
struct middle {
    double mean, median;
};
struct middle middle_of(const double *numbers, size_t count);

/* values (count); numbers (count): room. The numbers' mean and median are those of dense: they are
 * the caller's to translate. */
void input_statistics_make(bool is_number, const struct input_value *values, size_t count,
                           double *numbers, struct input_statistics *statistics);
/* Which bin a value falls into; `bins` for a missing one. */
uint32_t input_statistics_bin(const struct input_statistics *statistics,
                              const struct input_value *value);

/* The JSON of statistics, in the arena. NO_MEMORY. */
enum status input_statistics_write(const struct input_statistics *statistics, struct arena *arena,
                                   struct slice *json, struct error *err);
/* CORRUPT for anything that input_statistics_write does not write. `name` is that of the input. */
enum status input_statistics_read(struct slice json, struct slice name,
                                  struct input_statistics *statistics, struct error *err);
