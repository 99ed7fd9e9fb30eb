/*
 * input.h - one input of a model, and what it makes of a cell (scoring/transform/transform.h).
 */
#pragma once

#include <math.h>

#include "base/cell.h"
#include "base/error.h"
#include "inputs/cells/dates.h"
#include "inputs/input_spec.h"
#include "inputs/items.h"
#include "params/terms.h"

#define TRANSFORM_DENSE_MAX 1e18f
#define TRANSFORM_KEPT_MOST 0x1.fffffcp+127f /* the greatest float below FLT_MAX */
#define TRANSFORM_NO_COLUMN UINT32_MAX

struct transform_place {
    uint32_t number; /* number of a word, from 1; 0: the place is empty */
    uint32_t size;   /* bytes of the word */
    uint64_t mark;   /* the word's bytes, where they are eight at most, else its hash */
};

struct encoder; /* inputs/encoder.h */

struct transform_input {
    struct input_spec spec;
    const struct encoder *encoder; /* set by transform_find_columns */
    uint32_t column;               /* place in transform.columns; TRANSFORM_NO_COLUMN: a cross */
    bool has_nulls; /* training saw NULLs: the is-null input or the NULL bucket exists, unless
                       numbers are kept */

    double mean, scale; /* numeric; scale > 0 (1 for a constant column); the origin where numbers
                           are kept */
    float null_value;   /* value of NULL in dense: 0 where standardised, else the mean; NaN where
                           numbers are kept */
    float limit;        /* numeric: numbers farther from 0 in dense are cut to it; 0 becomes
                           TRANSFORM_DENSE_MAX. Less than that: mean and scale are robust ones */
    bool has_code;      /* numeric: */
    double code;        /* stands for a missing value, such as -999; has_nulls is true then */
    uint32_t dense_offset;
    uint32_t dense_count; /* columns of dense: 2 with that for "was NULL", else 1 */
    uint32_t rest_offset; /* where transform->has_rests: its rest */

    struct slice *words;   /* category: ordered by count descending, then bytes. RULE_BUCKET: word i
                              is below bound i */
    uint64_t *word_counts; /* how often training saw each; NULL: not known */
    uint32_t word_count;
    uint64_t texts;        /* TEXT_WEIGHT_TFIDF: training rows; word_counts: those that have each */
    const double *rarity;  /* (word_count): likewise; what a word counts for each time it is there.
                              NULL: 1 */
    uint64_t cut_texts;    /* in training: rows with more different terms than words_max */
    uint32_t hash_buckets; /* text: more than 0; RULE_ID: ids; RULE_CROSS: its buckets */
    uint32_t id_offset;    /* category, text: the first of its ids in a row's */
    uint32_t first_id;     /* ids of this input are [first_id, first_id + id_rows) */
    uint32_t id_rows;
    int32_t null_id;                /* category: of NULL, or below 0 */
    struct transform_place *lookup; /* (lookup_size): open addressing over words */
    uint32_t lookup_size;           /* a power of two */
};

/* The id of NULL in a category that is told from a word that training did not see: where numbers
 * are kept and have rests, as in a forecast, whose totals have NULLs. */
#define INPUT_NULL_APART (-2)

/* Places among the ids of a row: those of its words or items, and what each of these counts. */
static inline uint32_t transform_text_room(const struct transform_input *input)
{
    return input->spec.is_weighted ? 2 * input->spec.words_max : input->spec.words_max;
}

/* Where the ids of a text input lie among those of a row. */
struct text_ids {
    uint32_t first, count;
    enum combiner combiner;
    bool is_weighted; /* `count` places with what each counts follow */
};

static inline struct text_ids text_ids_of(const struct transform_input *input)
{
    return (struct text_ids){input->id_offset, input->spec.words_max, input->spec.combiner,
                             input->spec.is_weighted};
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

/* The share of each of so many ids, where they have no weights. */
static inline float combiner_share(enum combiner combiner, uint32_t used)
{
    return combiner == COMBINER_SQRTN  ? 1 / sqrtf((float)used)
           : combiner == COMBINER_MEAN ? 1 / (float)used
                                       : 1;
}

/* The shares of a text's ids. */
struct text_shares {
    float share;        /* each, or */
    const int32_t *own; /* (used): each id's own; NULL: all alike */
};

/* ids: the row's. used: the text's ids that select something. */
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

/* Is it an input that is a number, and a feature? */
static inline bool transform_is_number(const struct transform_input *input)
{
    return input->spec.type == INPUT_NUMERIC && !input->spec.offset;
}
/* Is it no number that such an offset can be? An exposure has to have a logarithm. */
static inline bool offset_is_bad(enum offset offset, double number)
{
    return offset == OFFSET_EXPOSURE && !(number > 0);
}

/* How many words of a category at least so many training rows have: the first ones. All of them,
 * where the counts are not known. */
static inline uint32_t transform_words_of(const struct transform_input *input, uint64_t rows)
{
    uint32_t count = input->word_count;

    while (input->word_counts && count > 0 && input->word_counts[count - 1] < rows)
        count--;
    return count;
}
/* Has the input, any of them, such a limit? */
static inline bool transform_input_is_limited(const struct transform_input *input)
{
    return input->spec.type == INPUT_NUMERIC && input->limit > 0 &&
           input->limit < TRANSFORM_DENSE_MAX;
}
/* Was it NULL? dense: of the row, from the input's first column on. */
static inline bool transform_was_null(const struct transform_input *input, const float *dense)
{
    return input->dense_count == 2 ? dense[1] > 0 : isnan(dense[0]);
}
/* Does the number stand for a missing value? */
static inline bool transform_is_code(const struct transform_input *input, double number)
{
    return input->has_code && number == input->code;
}
