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
 * Whoever scores hands over one cell for each column. Of a list in a text (cell_list.h) each number
 * is an input; they lie side by side, in the order of the list.
 *
 * A cross is an input of several columns (cross.h), which may be those of other inputs, too. It
 * stands behind all others, and its columns that no other input takes stand behind theirs.
 *
 * NULL in a numeric input takes the training mean, that is 0 once
 * standardised. NaN counts as NULL, and so does the input's code, if it has one. Numbers farther
 * than the input's limit, at most TRANSFORM_DENSE_MAX, from 0 are cut to it, so that sums in float
 * stay finite. A category input of v words, h hash buckets and a NULL bucket owns v + h + 1 rows:
 * word i -> i; another value -> v + hash % h, or -1 where h is 0; NULL -> the last, where training
 * saw NULLs, else -1. Of a category without a vocabulary the rule says which of its h rows
 * (RULE_HASH: hash % h; RULE_ID: the number itself, which is a whole one below h; RULE_CROSS: the
 * bucket of the cross, which knows no NULL) or, of RULE_BUCKET, which of its v words: that of the
 * interval that the number is in.
 *
 * Some kinds of models take numbers as they are (kind->keeps_numbers): a numeric input is one
 * column of dense, the number as the nearest float, less than FLT_MAX from 0, and NaN where the
 * cell is NULL. So scale is 1 and limit TRANSFORM_KEPT_MOST, neither of which is stored. The mean
 * is the column's origin: 0, or where floats would take different numbers for one, such as seconds
 * since 1970, a number in their midst, which is taken off before they become floats. NULL in a
 * category is -1 then, whether training saw NULLs or not.
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
 * the items of a list (list_ids.h), and either may have another combiner, by which rows count 1 or
 * 1 / k.
 */
#ifndef SCORING_TRANSFORM_H
#define SCORING_TRANSFORM_H

#include <math.h>

#include "base/arena.h"
#include "base/cell.h"
#include "base/error.h"
#include "params/terms.h"
#include "scoring/cell_list.h"
#include "scoring/concat.h"
#include "scoring/cross.h"
#include "scoring/dates.h"
#include "scoring/list_ids.h"

#define TRANSFORM_DENSE_MAX   1e18f
#define TRANSFORM_KEPT_MOST   0x1.fffffcp+127f /* the greatest float below FLT_MAX */
#define TRANSFORM_WORD_BUFFER 32               /* bytes, for a number as a word */
#define TRANSFORM_IDS_MAX     65536            /* of one row */
#define TRANSFORM_NO_COLUMN   UINT32_MAX

struct transform_place {
    uint32_t number; /* of a word, from 1; 0: empty */
    uint32_t size;   /* its */
    uint64_t mark;   /* its bytes, where they are eight at most, else its hash */
};

struct transform_input {
    struct slice name;
    enum date_part part;   /* that it takes of the column; DATE_WHOLE: the cell as it is */
    struct slice source;   /* the column's name, where that is not the input's; else size 0 */
    struct cell_list list; /* numeric: of which it takes one number; text: whose items select rows,
                              and not its words; LIST_NONE: the cell as it is */
    uint32_t element;      /* of a list: which, from 0 */
    uint32_t column;       /* of transform.columns; TRANSFORM_NO_COLUMN: it is a cross */
    enum model_part model_part; /* of models that have parts (kinds/embedding/) */
    uint32_t dimension;         /* of its embedding; 0: the model's */
    struct concat concat;       /* category, text of networks over embeddings */
    struct cross *cross;        /* RULE_CROSS: whose cells are those of transform.columns */
    enum input_type type;
    bool has_nulls; /* training saw NULLs: the is-null input or the NULL bucket exists, unless
                       numbers are kept */

    enum input_reading reading; /* of numbers, and of dates: of their text */
    double mean, scale;         /* numeric; scale > 0 (1 for a constant column); the origin where
                                   numbers are kept */
    float null_value; /* what NULL becomes in dense: 0 where standardised, else the mean; NaN where
                         numbers are kept */
    float limit;      /* numeric: what is farther from 0 in dense is cut to it; 0 becomes
                         TRANSFORM_DENSE_MAX. Less than that: mean and scale are robust ones */
    bool has_code;    /* numeric: */
    double code;      /* stands for a missing value, such as -999; has_nulls is true then */
    uint32_t dense_offset;
    uint32_t dense_count; /* columns of dense: 2 with that for "was NULL", else 1 */
    uint32_t rest_offset; /* where transform->has_rests: its rest */
    enum offset offset;   /* numeric: it is one; OFFSET_NONE: it is a feature */

    struct slice *words;   /* category: ordered by count descending, then bytes */
    uint64_t *word_counts; /* how often training saw each; NULL: not known */
    uint32_t word_count;
    enum category_rule rule; /* category; text with a list: of its items, RULE_HASH or RULE_ID */
    enum combiner combiner;  /* text */
    bool is_weighted;        /* text with a list: items have weights */
    const double *bounds;    /* (bound_count): RULE_BUCKET: ascending; word i is below bound i */
    uint32_t bound_count;    /* one less than words */
    uint32_t hash_buckets;   /* text: more than 0; RULE_ID: ids; RULE_CROSS: its buckets */
    uint32_t words_max;      /* text: 1 to TEXT_WORDS_MAX */
    uint32_t id_offset;      /* category, text: the first of its ids in a row's */
    uint32_t first_id;       /* ids of this input are [first_id, first_id + id_rows) */
    uint32_t id_rows;
    int32_t null_id;                /* category: of NULL */
    struct transform_place *lookup; /* (lookup_size): open addressing over words */
    uint32_t lookup_size;           /* a power of two */
};

/* Places among the ids of a row: those of its words or items, and what each of these counts. */
static inline uint32_t transform_text_room(const struct transform_input *input)
{
    return input->is_weighted ? 2 * input->words_max : input->words_max;
}

/* Where the ids of a text input lie among those of a row. */
struct text_ids {
    uint32_t first, count;
    enum combiner combiner;
    bool is_weighted; /* `count` places with what each counts follow */
};

static inline struct text_ids text_ids_of(const struct transform_input *input)
{
    return (struct text_ids){input->id_offset, input->words_max, input->combiner,
                             input->is_weighted};
}

static inline uint32_t text_ids_end(const struct text_ids *text)
{
    return text->first + (text->is_weighted ? 2 * text->count : text->count);
}

/* How many of a text's ids select something: those in front. */
static inline uint32_t text_ids_used(const int32_t *ids, uint32_t count)
{
    uint32_t used = 0;

    while (used < count && ids[used] >= 0)
        used++;
    return used;
}

/* What each of so many ids counts, where they have no weights. */
static inline float combiner_share(enum combiner combiner, uint32_t used)
{
    return combiner == COMBINER_SQRTN  ? 1 / sqrtf((float)used)
           : combiner == COMBINER_MEAN ? 1 / (float)used
                                       : 1;
}

/* What the ids of a text count. */
struct text_shares {
    float share;        /* each, or */
    const int32_t *own; /* of each its own; NULL: all alike */
};

/* ids: of the row. Of those of a text that select something. */
static inline struct text_shares text_shares_of(const struct text_ids *text, const int32_t *ids,
                                                uint32_t used)
{
    if (text->is_weighted)
        return (struct text_shares){0, ids + text->first + text->count};
    return (struct text_shares){used ? combiner_share(text->combiner, used) : 0, NULL};
}

static inline float text_share(const struct text_shares *shares, uint32_t i)
{
    return shares->own ? list_share_get(shares->own[i]) : shares->share;
}

struct transform {
    struct transform_input *inputs;
    uint32_t input_count;
    struct slice *columns; /* (column_count): names, in the order of the inputs */
    uint32_t column_count;
    bool has_parts;         /* an input takes another cell than that of its own number */
    bool has_lists;         /* or of a list, or combines words in another way than by sqrtn */
    bool has_rules;         /* a category has no vocabulary */
    bool has_crosses;       /* an input is a cross */
    bool keeps_numbers;     /* numbers are taken as they are: set before transform_finish */
    bool has_rests;         /* of each number there is what the float lost: set likewise */
    uint32_t dense_width;   /* columns of dense */
    uint32_t rest_width;    /* of them rests, behind all features; 0: there are none */
    uint32_t offset_width;  /* of them the offset, the last; 0: there is none */
    uint32_t id_count;      /* ids of a row: one of a category, transform_text_room of a text */
    uint32_t id_inputs;     /* categories and texts */
    uint32_t id_rows;       /* rows that ids select from: the sum over inputs */
    struct text_ids *texts; /* (text_count): of the text inputs, in their order */
    uint32_t text_count;
    double *means, *scales; /* (dense_width): 0 and 1 for a "was NULL" */
    float *limits;          /* (dense_width) */
};

/* What transform_finish will count: columns of dense, inputs that select rows, these rows, and the
 * ids of a row. */
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

/* What the row's outputs begin with, as it is counted in outputs: 0 without an offset. dense: of
 * the row. */
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
/* How many words of a category at least so many training rows have: the first ones. All of them,
 * where the counts are not known. */
static inline uint32_t transform_words_of(const struct transform_input *input, uint64_t rows)
{
    uint32_t count = input->word_count;

    while (input->word_counts && count > 0 && input->word_counts[count - 1] < rows)
        count--;
    return count;
}
/* The input that is the offset; NULL: there is none. */
const struct transform_input *transform_offset_input(const struct transform *transform);
/* Is it an input that is a number, and a feature? */
static inline bool transform_is_number(const struct transform_input *input)
{
    return input->type == INPUT_NUMERIC && !input->offset;
}
/* Is it no number that such an offset can be? Of an exposure one that has no logarithm. */
static inline bool offset_is_bad(enum offset offset, double number)
{
    return offset == OFFSET_EXPOSURE && !(number > 0);
}

/* Of a numeric input, its rest not among them. */
static inline uint32_t transform_columns_of(const struct transform *transform,
                                            const struct transform_input *input)
{
    return !transform->keeps_numbers && input->has_nulls ? 2 : 1;
}

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
/* Has the input, any of them, such a limit? */
static inline bool transform_input_is_limited(const struct transform_input *input)
{
    return input->type == INPUT_NUMERIC && input->limit > 0 && input->limit < TRANSFORM_DENSE_MAX;
}

/* Of a column's numbers that are inputs as they are, and have no limit of their own: numbers beyond
 * *least and *greatest are one to the model. False: the input is no such column. */
bool transform_reach(const struct transform *transform, const struct transform_input *input,
                     double *least, double *greatest);
bool transform_is_limited(const struct transform *transform);
/* Was it NULL? dense: of the row, from the input's first column on. */
static inline bool transform_was_null(const struct transform_input *input, const float *dense)
{
    return input->dense_count == 2 ? dense[1] > 0 : isnan(dense[0]);
}
bool transform_has_codes(const struct transform *transform);
/* Has an input whose numbers are kept an origin? */
bool transform_has_origins(const struct transform *transform);
/* Is an input's text read in other spellings than before model format WRITTEN? */
bool transform_has_written(const struct transform *transform);
/* Has an input a part of the model, or a dimension, of its own? */
bool transform_has_model_parts(const struct transform *transform);
/* Does an input count the words of a text? */
bool transform_counts_words(const struct transform *transform);
bool transform_has_concats(const struct transform *transform);
/* The first input of its CONCAT; itself, where it is of none. */
const struct transform_input *transform_concat_first(const struct transform *transform,
                                                     const struct transform_input *input);
/* How many inputs the CONCAT of an input has; 1: it is of none. */
uint32_t transform_concat_size(const struct transform *transform,
                               const struct transform_input *input);
/* Is this one of the columns whose values the input takes? */
bool transform_input_takes(const struct transform_input *input, uint32_t column);

/* The number that a numeric input takes from a cell: text that reads as a
 * number counts as that number (cell_text.h). INVALID naming the column and the value for
 * other text, blobs and infinities; *is_null set for NULL, NaN, blank text and, unless the reading
 * is strict, the spellings of a missing value. */
enum status cell_to_number(const struct cell *cell, enum input_reading reading, struct slice column,
                           double *number, bool *is_null, struct error *err);

/* Finite, and each greater than the one before it? */
bool bounds_ascend(const double *bounds, uint32_t count);
/* How many of the bounds are no greater than the number. */
uint32_t bounds_bucket(const double *bounds, uint32_t count, double number);
/* Of a category that takes numbers (RULE_ID, RULE_BUCKET, of RULE_CROSS its buckets) the id of one;
 * -1: it is no id of the input. */
int32_t transform_number_id(const struct transform_input *input, double number);
/* A whole number from 0 to below `ids`? */
static inline bool number_is_id(double number, uint32_t ids)
{
    return number >= 0 && number < (double)ids && number == (double)(uint32_t)number;
}
/* INVALID: column "x" holds 12, where a whole number from 0 to 9 was expected. */
enum status cell_refuse_id(const struct cell *cell, struct slice column, uint32_t ids,
                           struct error *err);
/* What the bucket below bound i, or above all of them, is called: "[30, 50)". In the arena. */
enum status transform_bucket_name(const double *bounds, uint32_t count, uint32_t i,
                                  struct arena *arena, struct slice *name, struct error *err);

/* INVALID: column "x" holds 'y', where `wanted` was expected. */
enum status cell_refuse(const struct cell *cell, struct slice column, const char *wanted,
                        struct error *err);

/* The bytes that a category input takes from a cell: integers and reals by
 * their shortest decimal, a real that is whole as the integer ("3", not
 * "3.0"), so that 3 and 3.0 and '3' are one word. `buffer` holds TRANSFORM_WORD_BUFFER bytes. */
enum status cell_to_word(const struct cell *cell, struct slice column, char *buffer,
                         struct slice *word, bool *is_null, struct error *err);

/* Does the number stand for a missing value? */
static inline bool transform_is_code(const struct transform_input *input, double number)
{
    return input->has_code && number == input->code;
}
/* Of one that does not. */
float transform_number(const struct transform_input *input, double number);
/* What that float lost of it. */
float transform_rest(const struct transform_input *input, double number);
/* transform_number for a column of numbers; results lie `stride` floats apart. */
void transform_numbers(const struct transform_input *input, const double *numbers, size_t count,
                       float *dense, size_t stride);
/* The same for a row of numbers, one for each column of dense: of a transform without rests. */
void transform_reals(const struct transform *transform, const double *numbers, float *dense);
int32_t transform_word(const struct transform_input *input, struct slice word);
#define TRANSFORM_WORDS_MANY 32
/* The same of several words, at most TRANSFORM_WORDS_MANY: ids (count). Many words lie anywhere in
 * memory, and what each of them needs is fetched beside what the others do. */
void transform_words_many(const struct transform_input *input, const struct slice *words,
                          uint32_t count, int32_t *ids);
/* The ids of a text's words, ascending, and -1 behind them: ids (transform_text_room). False for a
 * text that is no list as the input takes it. */
bool transform_text(const struct transform_input *input, struct slice text, int32_t *ids);

uint64_t transform_word_hash(struct slice word);

/* One row of cells, in the order of the columns. dense and ids are the caller's. */
enum status transform_row(const struct transform *transform, const struct cell *cells, float *dense,
                          int32_t *ids, struct error *err);

#endif
