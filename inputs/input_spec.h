/*
 * input_spec.h - an input as a statement wants it: the plan, the job spec and the model have this
 * one struct.
 *
 * A function of COLUMN fills it (planner/columns/column_choice.c). What training learns besides
 * stands in struct transform_input (input.h). Each member has a row in input_members.h, by which it
 * is written, read, compared and copied.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "inputs/cell_list.h"
#include "inputs/concat.h"
#include "inputs/cross.h"
#include "params/terms.h"

struct input_spec {
    struct slice name;
    enum input_type type;
    struct slice source;        /* the column's name, where that is not the input's */
    enum date_part part;        /* taken of the column's dates; DATE_WHOLE: the column as it is */
    struct cell_list list;      /* INPUT_NUMERIC: one of its numbers is the input; INPUT_TEXT: its
                                   items are, and not the words; LIST_NONE: the cell as it is */
    uint32_t element;           /* the place in the list, from 0 */
    enum input_reading reading; /* reading of the text of numbers and of dates. READING_STRICT: in
                                   models alone */
    enum offset offset;         /* INPUT_NUMERIC: what it is where it is no feature */
    enum input_label label;    /* INPUT_NUMERIC, INPUT_CATEGORY: it is a label, which a row need not
                                  have, and no feature */
    enum category_rule rule;   /* INPUT_CATEGORY, INPUT_TEXT with a list: of its items, RULE_HASH
                                  or RULE_ID */
    const struct cross *cross; /* RULE_CROSS, else NULL */
    const double *bounds;      /* (bound_count): RULE_BUCKET: ascending, one less than buckets */
    uint32_t bound_count;      /* 0: they are quantiles of the training rows */
    uint32_t vocabulary_max;   /* INPUT_CATEGORY: words, 1 to CATEGORY_WORDS_MAX; RULE_HASH: hash
                                  buckets; RULE_ID: ids, from 0; RULE_BUCKET, RULE_CROSS: buckets.
                                  INPUT_TEXT: hash buckets. INPUT_NUMERIC: 0. A model has words and
                                  hash buckets in its place */
    uint32_t words_max;        /* INPUT_TEXT: 1 to TEXT_WORDS_MAX; else 0 */
    enum combiner combiner;    /* INPUT_TEXT */
    bool is_weighted;          /* INPUT_TEXT with a list: its items have weights; of a text, its
                                  terms have those of `weight` */
    bool has_pairs;            /* INPUT_TEXT without a list: pairs of words count, too */
    enum text_weight weight;   /* likewise: the words have a vocabulary and this weight */

    enum model_part model_part; /* the part of the model that takes it (kinds/embedding/) */
    uint32_t dimension;         /* INPUT_CATEGORY, INPUT_TEXT: of its embedding; 0: the model's */
    struct concat concat;       /* likewise; all of one number have one dimension and combiner */

    /* Jobs alone have these; models do not store them. */
    bool keeps_codes; /* INPUT_NUMERIC: -999 is a number, whatever the others are */
    int8_t direction; /* INPUT_NUMERIC: 1: no prediction falls where it rises; -1: none rises */
    uint64_t groups;  /* bit g: of those inputs of group g that may be on one way to a leaf of a
                         tree. 0: none; of all inputs: any may */
};

#define INTERACTION_GROUPS_MAX 64

/* Does the input take its cells as numbers? */
static inline bool input_takes_numbers(const struct input_spec *spec)
{
    return spec->type == INPUT_NUMERIC ||
           (spec->type == INPUT_CATEGORY && rule_takes_numbers(spec->rule));
}

/* Is it one of several inputs that share their column out among them? */
static inline bool input_shares(const struct input_spec *spec)
{
    return spec->part || cell_list_has_numbers(&spec->list);
}

/* The column that the input takes its cells from; a cross has none. */
static inline struct slice input_column(const struct input_spec *spec)
{
    return spec->source.size > 0 ? spec->source : spec->name;
}

/* Do its members go together? CORRUPT, naming one that does not. Questions to a job alone, and to
 * what a model has learned, are asked where these are read. */
enum status input_spec_check(const struct input_spec *spec, struct error *err);
/* With copies of all that it points to, in the arena. */
enum status input_spec_copy(const struct input_spec *spec, struct arena *arena,
                            struct input_spec *copy, struct error *err);
bool input_spec_equal(const struct input_spec *a, const struct input_spec *b);
