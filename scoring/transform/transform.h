/*
 * transform.h - cells -> what a model computes with.
 *
 * Learned once from the training rows, stored in the model, and reused
 * unchanged by PREDICT, EVALUATE and every export. A row becomes
 *
 *     dense  (dense_width)  float: for each numeric input (value - mean) / scale,
 *                           and after it 1 or 0 for "was NULL" where training saw NULLs
 *     ids    (id_count)     int32: for each category input the row of the first
 *                           layer that its value selects, or -1 for none; for each text
 *                           input those of its words, and behind them -1
 *
 * A column of the SELECT is one input, or several: of its dates each takes a part (dates.h), and
 * functions of COLUMN make others of it beside the column itself:
 *
 *     columns    age               signup                              plan
 *     inputs     age  BUCKET(age)  signup.age  signup.weekday  ...     plan
 *
 * The caller hands over one cell for each column. Each number of a list in a text (cell_list.h) is
 * an input; they lie side by side, in the order of the list.
 *
 * A cross is an input of several columns (cross.h), which may be those of other inputs, too. It
 * stands behind all others, and its columns that no other input takes stand behind theirs.
 *
 * NULL in a numeric input takes the training mean, that is 0 once standardised. NaN counts as NULL,
 * and so does the input's code, if it has one. Numbers farther than the input's limit, at most
 * TRANSFORM_DENSE_MAX, from 0 are cut to it, so that sums in float stay finite. A category input of
 * v words, h hash buckets and a NULL bucket owns v + h + 1 rows: word i -> i; another value -> v +
 * hash % h, or -1 where h is 0; NULL -> the last, where training saw NULLs, else -1. A category
 * without a vocabulary has a rule that says which of its h rows a value selects (RULE_HASH: hash %
 * h; RULE_ID: the number itself, which is a whole one below h; RULE_CROSS: the bucket of the cross,
 * which knows no NULL) or, by RULE_BUCKET, which of its v words: that of the interval that the
 * number is in.
 *
 * Some kinds of models take numbers as they are (kind->keeps_numbers): a numeric input is one
 * column of dense, the number as the nearest float, less than FLT_MAX from 0, and NaN where the
 * cell is NULL. So scale is 1 and limit TRANSFORM_KEPT_MOST, neither of which is stored. The mean
 * is the column's origin: 0, or where floats would take different numbers for one, such as seconds
 * since 1970, a number in their midst, which is taken off before they become floats. NULL in a
 * category is -1 then, whether training saw NULLs or not; INPUT_NULL_APART where numbers have
 * rests.
 *
 * Others need more digits of a number than a float has (kind->has_rests), as where two columns are
 * nearly the same: behind all columns of dense comes one of each numeric input, the number less its
 * float, as a float. Number and rest together have some 48 bits, half of which the mean was taken
 * off before. The rest of a NULL, and of a number that was cut, is 0.
 *
 * One numeric input may be an offset: no feature, but what is added to a row's outputs before they
 * become predictions, such as the logarithm of an exposure. It lies behind all else of dense, with
 * its rest where there are rests. It has no code and no NULL: a row without it is refused, as is
 * one whose exposure is not above 0. It is counted as outputs are: its scale is that of a
 * regression's label, 1 where these have a link or are logits. Its mean is, where numbers are kept,
 * the label's origin, where they have rests 0, else that of the column (of an exposure the
 * logarithm of it).
 *
 * A text input of h hash buckets owns h rows: a word (text_words.h) -> hash % h. A row of the layer
 * is selected once however often its words are there, by the first words_max different ones of a
 * text; of the k that a text selects each counts 1 / sqrt(k), so that a long text is no larger
 * input than a short one. NULL has no words. A text input may also be a category of several values,
 * the items of a list (items.h), and either may have another combiner, by which rows count 1 or
 * 1 / k.
 */
#pragma once

#include <math.h>

#include "base/arena.h"
#include "base/cell.h"
#include "base/error.h"
#include "inputs/cell_list.h"
#include "inputs/cells/dates.h"
#include "inputs/concat.h"
#include "inputs/cross.h"
#include "inputs/input.h"
#include "params/terms.h"

#define TRANSFORM_IDS_MAX 65536 /* ids of one row */

struct transform {
    struct transform_input *inputs;
    uint32_t input_count;
    struct slice *columns; /* (column_count): names, in the order of the inputs */
    uint32_t column_count;
    bool *are_labels;       /* (column_count): the column is a label */
    uint32_t label_columns; /* so many are: rows need not have them */
    bool has_parts;         /* an input takes another cell than that of its own number */
    bool has_lists;         /* or of a list, or combines words in another way than by sqrtn */
    bool has_rules;         /* a category has no vocabulary */
    bool has_crosses;       /* an input is a cross */
    bool keeps_numbers;     /* numbers are taken as they are: set before transform_finish */
    bool has_rests;         /* numbers have rests, which their floats lost: set likewise */
    uint32_t dense_width;   /* columns of dense */
    uint32_t rest_width;    /* rests among these, behind all features; 0: there are none */
    uint32_t offset_width;  /* offset among these, the last; 0: there is none */
    uint32_t id_count;      /* ids of a row: one of a category, transform_text_room of a text */
    uint32_t id_inputs;     /* categories and texts */
    uint32_t id_rows;       /* rows that ids select from: the sum over inputs */
    struct text_ids *texts; /* (text_count): of the text inputs, in their order */
    uint32_t text_count;
    double *means, *scales; /* (dense_width): 0 and 1 for a "was NULL" */
    float *limits;          /* (dense_width) */
};

/* The numbers that transform_finish will count: columns of dense, inputs that select rows, these
 * rows, and the ids of a row. */
struct transform_size {
    uint32_t dense, id_inputs, id_count;
    uint64_t id_rows;
};
struct transform_size transform_size_of(const struct transform *transform);
/* Columns of dense that are features: what a model may have weights of. */
static inline uint32_t transform_features(const struct transform *transform)
{
    return transform->dense_width - transform->rest_width - transform->offset_width;
}

/* The number that the row's outputs begin with, as it is counted in outputs: 0 without an offset.
 * dense: the row's. */
static inline double transform_offset(const struct transform *transform, const float *dense)
{
    double offset = 0;

    for (uint32_t i = transform->dense_width - transform->offset_width; i < transform->dense_width;
         i++)
        offset += (double)dense[i];
    return offset;
}
/* The same of a row whose offset is 0, or whose exposure is 1. */
double transform_offset_of_0(const struct transform *transform);
/* The input that is the offset; NULL: there is none. */
const struct transform_input *transform_offset_input(const struct transform *transform);
/* The columns of a numeric input, its rest not among them. */
static inline uint32_t transform_columns_of(const struct transform *transform,
                                            const struct transform_input *input)
{
    return !transform->keeps_numbers && input->has_nulls ? 2 : 1;
}

/* Is the column one of several labels (input_spec.h), which is NULL where a row does not have it?
 */
bool transform_is_label(const struct transform *transform, uint32_t column);
/* The cells of a row without its labels, in the order of the columns, with NULL for these. */
void transform_add_labels(const struct transform *transform, struct cell *cells);

/* Copies what an input is in one row to another row. */
void transform_copy_input(const struct transform *transform, const struct transform_input *input,
                          const float *from_dense, const int32_t *from_ids, float *dense,
                          int32_t *ids);

/* Derive columns, offsets, lookups and means after inputs were filled; they
 * live in the arena. CORRUPT for what cannot be a transform (scale <= 0, repeated words or
 * names, inputs of one column that do not lie side by side, parts in another order than the enum's,
 * bounds that do not ascend, a cross before another input, members of a CONCAT that are unlike). */
enum status transform_finish(struct transform *transform, struct arena *arena, struct error *err);

/* The columns alone: what is known of a transform whose vocabularies are not there. */
enum status transform_find_columns(struct transform *transform, struct arena *arena,
                                   struct error *err);

/* Derive once more what depends on the numeric inputs, which have changed since. */
enum status transform_finish_numbers(struct transform *transform, struct arena *arena,
                                     struct error *err);
/* The reach of a column's numbers that are inputs as they are, and have no limit of their own:
 * those beyond *least, and those beyond *greatest, are one to the model. False: the input is no
 * such column. */
bool transform_reach(const struct transform *transform, const struct transform_input *input,
                     double *least, double *greatest);
bool transform_is_limited(const struct transform *transform);
bool transform_has_codes(const struct transform *transform);
/* Has an input whose numbers are kept an origin? */
bool transform_has_origins(const struct transform *transform);
/* Is an input's text read in other spellings than before model format WRITTEN? */
bool transform_has_written(const struct transform *transform);
/* Has an input a part of the model, or a dimension, of its own? */
bool transform_has_model_parts(const struct transform *transform);
/* Does an input count the words of a text? */
bool transform_counts_words(const struct transform *transform);
/* Is an input's encoder one that models name? */
bool transform_names_encoders(const struct transform *transform);
bool transform_has_concats(const struct transform *transform);
/* The first input of its CONCAT; itself, where it is of none. */
const struct transform_input *transform_concat_first(const struct transform *transform,
                                                     const struct transform_input *input);
/* How many inputs the CONCAT of an input has; 1: it is of none. */
uint32_t transform_concat_size(const struct transform *transform,
                               const struct transform_input *input);
/* Is this one of the columns whose values the input takes? */
bool transform_input_takes(const struct transform_input *input, uint32_t column);

/* A number that is no code, as dense has it. */
float transform_number(const struct transform_input *input, double number);
/* The part of the number that this float lost. */
float transform_rest(const struct transform_input *input, double number);
/* transform_number for a column of numbers; results lie `stride` floats apart. */
void transform_numbers(const struct transform_input *input, const double *numbers, size_t count,
                       float *dense, size_t stride);
/* The same for a row of numbers, one for each column of dense: of a transform without rests. */
void transform_reals(const struct transform *transform, const double *numbers, float *dense);
/* One row of cells, in the order of the columns. dense and ids are the caller's. */
enum status transform_row(const struct transform *transform, const struct cell *cells, float *dense,
                          int32_t *ids, struct error *err);
