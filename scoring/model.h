/*
 * model.h - a trained model: what predicts.
 *
 * What a model consists of, and how a row's outputs come of it, its kind says (kind.h). What the
 * outputs mean, its task:
 *     classification, 2 classes   1 logit, p(class 1) = 1 / (1 + e^-z)
 *                                 with LABEL_LINK_MARGIN class 1 where z > 0, no probabilities
 *     classification, k classes   k logits, softmax
 *     regression                  1 output, label = z * label_scale + label_mean; of several
 *                                 quantiles one of each. With LABEL_LINK_EXP e^z is in place of z
 *     clustering                  the distance to each cluster; the nearest is the prediction
 *     projection                  the components, and how far the row is from what they give back
 *     detection                   above 0 where the row is like the training rows
 *
 * A classifier may have a final step (final_step.h), which calibrates probabilities and decides
 * from a threshold.
 *
 * Scoring has one fixed order of additions per output, independent of how many rows are
 * scored together and of the width of the processor's vectors: PREDICT,
 * EVALUATE and totrain_predict give the same bits.
 */
#pragma once

#include "params/notice_list.h"
#include "scoring/final_step.h"
#include "scoring/metrics/aim.h"
#include "scoring/transform/transform.h"

#define MODEL_PARAMETERS_MAX ((uint64_t)1 << 31)

/* How label_names.h writes classes that are numbers. */
enum label_spelling {
    LABEL_AS_NUMBER,
    LABEL_AS_BOOLEAN, /* false, true */
    LABEL_AS_DATE,    /* 2024-03-31: days since 1970-01-01 */
    LABEL_AS_TIME,    /* 2024-03-31 22:30:00: seconds since then */
    LABEL_AS_INSTANT  /* 2024-03-31 22:30:00+00: likewise, of a type with a time zone */
};

/* The classes of a classifier, ascending: numbers by value, texts by bytes. One of two is
 * "positive": model_positive. */
struct labels {
    enum label_type type;
    uint32_t count;
    struct cell *values;
    enum label_spelling spelling; /* spelling of numbers, by their type in the database */
    enum input_reading reading;   /* reading of a regression's label */
};

/* One of several labels (heads.h): which input it is, and its outputs among those of a row. */
struct model_head {
    uint32_t input;
    uint32_t first, count;
};

struct head_views;
struct kind;
struct kind_params;

/*
 * 1: rows came in one random order.
 * 2: each lane has rows of its own, so that the same statement learns another model than before.
 * 3: as 2, with inputs that are parts of a column, which a reader of 2 would take for columns.
 * 4: as 3, and a numeric input may have a limit (transform.h), which a reader of 3 would not cut
 * at.
 * 5: as 4, and an input may be a text, of which a reader of 4 knows nothing.
 * 6: as 5, and a numeric input may have a code, which a reader of 5 would take for a number.
 * 7: as 6, and a category may have another rule than a vocabulary, and several inputs be made of a
 * column, of which a reader of 6 knows nothing.
 * 8: as 7, and a label may have a link, by which a reader of 7 would not predict.
 * 9: as 8, and an input may be a cross of several columns, of which a reader of 8 knows nothing.
 * 10: as 9, and an input may be of one part of the model alone, or have an embedding of a dimension
 * of its own, which a reader of 9 would take for an input of all.
 * 11: as 10, and numeric inputs may be the numbers of a list in a text, of which a reader of 10
 * knows nothing.
 * 13: as 11, and a network over embeddings may be a factorisation machine of several outputs, which
 * a reader of 11 would not compute.
 * 14: as 13, and several inputs may have one embedding (concat.h), for which a reader of 13 would
 * take weights of several.
 * 15: as 14, and numbers that are kept as they are may have an origin (transform.h), as may the
 * label of such a model, which a reader of 14 would not take off.
 * 16: as 15, and numbers and dates may be read in other spellings (cell_text.h, dates.h), which a
 * reader of 15 would refuse as texts.
 * 17: as 16, and numbers may have rests (transform.h), without which a reader of 16 would predict
 * by less digits than the model has.
 * 18: as 17, and an input may be an offset (transform.h), which a reader of 17 would take for a
 * feature, and not add.
 * 19: as 18, and inputs may count the words of a text (cell_list.h), which a reader of 18 would
 * refuse as a damaged list.
 * 20: as 19, and a classifier may have a final step, without which a reader of 19 would give other
 * probabilities and classes.
 * 21, the last number: as 20, and the meta row names the encoders that it needs beside those of 20
 * (inputs/encoders.h), of which a reader that lacks one says so. A model that needs none has one of
 * the numbers before. What is stored has the same form in 1 and 2; the digest covers the format.
 */
#define MODEL_FORMAT_LANES   2
#define MODEL_FORMAT_PARTS   3
#define MODEL_FORMAT_LIMITS  4
#define MODEL_FORMAT_TEXTS   5
#define MODEL_FORMAT_CODES   6
#define MODEL_FORMAT_RULES   7
#define MODEL_FORMAT_LINKS   8
#define MODEL_FORMAT_CROSSES 9
#define MODEL_FORMAT_SHARES  10
#define MODEL_FORMAT_LISTS   11
#define MODEL_FORMAT_POOLED  13
#define MODEL_FORMAT_CONCATS 14
#define MODEL_FORMAT_ORIGINS 15
#define MODEL_FORMAT_WRITTEN 16
#define MODEL_FORMAT_RESTS   17
#define MODEL_FORMAT_OFFSETS 18
#define MODEL_FORMAT_COUNTS  19
#define MODEL_FORMAT_FINALS  20
#define MODEL_FORMAT_NAMES   21
#define MODEL_FORMAT_VERSION 21 /* the newest */

struct model {
    uint32_t format;        /* the oldest that has what the model has, of those since LANES */
    struct slice estimator; /* "DNNClassifier" */
    const struct kind *kind;
    enum task task;
    struct slice label;          /* the label column's name; size 0: learned without */
    struct slice label_declared; /* its type in PostgreSQL, "pg_catalog.bool", for predictions to
                                    be of; or empty. It is checked before use. */
    struct slice definition; /* digest of what says its graph (definition/); size 0: nothing does */
    struct slice statement;  /* the text as the user wrote it */
    struct slice id;         /* 32 hex digits: survives a rename of the table */
    int64_t version;         /* 1, 2, ... */
    struct slice digest;     /* 64 hex digits; SHA-256 over transform, labels and tensors */
    uint64_t checksum;       /* stored sum of what the digest covers; 0: not stored yet */
    uint64_t rows;           /* trained on */
    uint32_t kept_epoch;     /* epoch of its weights; 0: the end. No part of the digest */
    struct slice created_at; /* RFC 3339, UTC */

    struct transform transform;
    struct labels labels;    /* classification; otherwise only .type: LABEL_NONE of clusters */
    bool positive_is_lesser; /* the positive one of two classes is the lesser label */
    double label_mean, label_scale; /* regression */
    enum label_link link;
    struct aim_facts aim;    /* no part of the digest */
    struct final_step final; /* classification */
    uint32_t components;     /* projection */
    const struct model_head
        *heads; /* (head_count): likewise, of several labels; no part of the digest */
    uint32_t head_count;
    const void *content; /* the struct of its kind; NULL of model_read_meta */
    const void *outline; /* the same as content, but of model_read_meta without arrays; NULL: its
                            kind shows none */
    /* Likewise: what a statement says of one like it. */
    const struct kind_params *params;
    /* Likewise: bytes that arrays and vocabularies take where the whole model is loaded, and
     * multiplications of a row (model_cost). */
    uint64_t memory;
    double multiplications;
    struct slice metrics_json;         /* the result rows of TRAIN, for SHOW TRAIN */
    struct slice trials_json;          /* a search's, for SHOW TRIALS; size 0: there was none */
    const struct notice_list *notices; /* NULL: none */
    /* (statistics_count): what the training rows have in each input, and behind these what the
     * model predicts of them (input_statistics.h), as JSON. No part of the digest. 0: it keeps
     * none; of model_read_meta the count alone. */
    const struct slice *statistics;
    uint32_t statistics_count;
    /* (fold_score_count): bytes that the job of a fold publishes behind its model
     * (runtime/data/dataset/fold_scores.h). No stored model has any. */
    const struct slice *fold_scores;
    uint32_t fold_score_count;
};

uint32_t model_outputs(const struct model *model); /* floats that a row gives */
/* The positive class of two. model.positive chooses it, else it is the greater. */
static inline uint32_t model_positive(const struct model *model)
{
    return model->positive_is_lesser ? 0 : 1;
}

/*
 * Room for scoring rows, one at a time or several together: made once per model
 * and thread.
 *
 *     scorer_init(&scorer, &model, rows, err)
 *     scorer_transform(&scorer, i, cells, err)    rows 0 <= i < n <= rows
 *     scorer_score(&scorer, n)
 *     scorer_select(&scorer, i)                   then scorer_class(&scorer), ...
 */
struct scorer {
    const struct model *model;
    uint32_t rows_max;
    float *dense;                /* (rows_max, dense_width) */
    int32_t *ids;                /* (rows_max, id_count) */
    float *results;              /* (rows_max, model_outputs) */
    double *calibrated;          /* (model_outputs): room */
    float *spread;               /* (rows_max, spread_width), of clusters by words; else NULL */
    void *workspace;             /* its kind's */
    struct head_views *heads;    /* where the model has several labels (heads.h); else NULL */
    const float *selected;       /* (dense_width), the inputs of the row that is selected */
    const int32_t *selected_ids; /* (id_count) */
    const float *outputs;        /* (model_outputs), of that row */
    /* The positive class of two is predicted from this probability up, whatever threshold the model
     * has. */
    bool has_threshold;
    double threshold;
};

#define SCORER_ROWS 192 /* scored together where there are many */

/* Room for `rows` rows, for fewer where each takes so much that they would together
 * take more than SCORER_BYTES, or more than SCORER_WORK multiplications, about a second: between
 * two batches who scores in a session asks whether it is interrupted. See scorer->rows_max. */
#define SCORER_BYTES ((size_t)64 << 20)
#define SCORER_WORK  4e9
/* The number of rows for which there is room, `rows` at most. */
uint32_t scorer_rows(const struct model *model, uint32_t rows);
enum status scorer_init(struct scorer *scorer, const struct model *model, uint32_t rows,
                        struct error *err);
void scorer_deinit(struct scorer *scorer);

/* Cells in the order of the model's inputs become row i. */
enum status scorer_transform(struct scorer *scorer, uint32_t i, const struct cell *cells,
                             struct error *err);
/* INVALID where the model has no number for row i, which is to be measured. `row` counts from 1,
 * for the message. */
enum status scorer_check_number(const struct scorer *scorer, uint32_t i, uint64_t row,
                                struct error *err);
/* The outputs of rows 0 to count - 1; row 0 is selected. */
void scorer_score(struct scorer *scorer, uint32_t count);
void scorer_select(struct scorer *scorer, uint32_t i);
/* Score a row that is transformed already, as row 0, and select it. */
void scorer_score_row(struct scorer *scorer, const float *dense, const int32_t *ids);

/* Predictions for the row that is selected: */
/* The most probable class; the lowest where equal. Two are decided by the threshold, where there is
 * one. */
uint32_t scorer_class(const struct scorer *scorer);
double scorer_value(const struct scorer *scorer); /* regression: in the label's units; of several
                                                     quantiles the one that is predicted */
double scorer_number(const struct scorer *scorer, uint32_t i); /* one of several quantiles */
/* The same; NULL where the row has none (kind->output_parts). */
struct cell scorer_number_cell(const struct scorer *scorer, uint32_t i);
uint32_t scorer_cluster(const struct scorer *scorer); /* the nearest; the lowest where equal */
double scorer_distance(const struct scorer *scorer); /* to that; of a detection to the border, above
                                                        0 inside; of a projection to the row that
                                                        its components give back */
double scorer_component(const struct scorer *scorer, uint32_t i);
/* The node of each tree that the row ends in, counted from the tree's first: leaves (leaf_count).
 * Only models that have leaves (kind.h). */
void scorer_leaves(const struct scorer *scorer, uint32_t *leaves);
void scorer_probabilities(const struct scorer *scorer, double *probabilities); /* (classes) */
struct cell scorer_prediction(const struct scorer *scorer); /* in the label's own type; of a
                                                               projection the first component */
