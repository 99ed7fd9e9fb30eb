/*
 * dataset.h - the rows of a job, encoded for learning.
 *
 * From the spool and the job spec alone, by sums that do not depend on the
 * order of the rows, so that every worker that opens the same job has the same
 * bits: which rows are held out, means, scales, vocabularies, classes, and the
 * encoded rows themselves.
 */
#pragma once

#include "base/process/team.h"
#include "jobspec/jobspec.h"
#include "runtime/data/dataset/fold_scores.h"
#include "runtime/data/spool/spool.h"
#include "scoring/model.h"

#define DATASET_BYTES_MAX  ((uint64_t)16 << 30) /* encoded rows that are all in memory */
#define DATASET_WEIGHT_MAX 1e9                  /* weight of one row */
#define DATASET_LABEL_MAX                                                                          \
    1e18 /* magnitude of a label that is kept as it is: squares fit floats                         \
          */

/*
 * One part: train or validation. Row major. Rows lie by their keys, which are made from
 * their hashes, whatever their order in the spool (without shuffle, the
 * training rows lie as the SELECT gave them).
 */
struct dataset_part {
    uint64_t rows;
    float *dense;            /* (rows, dense_width) */
    int32_t *ids;            /* (rows, id_count): rows of the id block, or -1 */
    float *values;           /* regression: (rows) standardised label, or where the kind of model
                                keeps numbers what the label is more than its origin; NULL
                                otherwise */
    double *labels;          /* (rows) as they are, NAN for a NULL, where the kind of model keeps
                                them (kind.h); NULL otherwise */
    int32_t *classes;        /* classification: (rows); -1 for a class training did not see; NULL
                                otherwise, as both are where the model is learned without label */
    float *roles[ROW_ROLES]; /* (rows) each: what the rows have in the column of that role, NaN for
                                a NULL; NULL: there is none */
    struct row_hash *hashes; /* (rows): of the row, and how many equal ones came before it */
    struct row_hash sum;     /* sum of the hashes (dataset_summary.h) */
    /* (2^range_bits + 1): where the finest ranges of keys begin that are counted; NULL: the rows
     * are looked at. */
    const uint64_t *range_starts;
    uint32_t range_bits;
    void *memory; /* holds the arrays above but range_starts */
    size_t memory_size;
};

struct row_store;
struct keyed_rows;
struct spool_source;

struct dataset {
    const char *folder; /* where it lies; borrowed. NULL: in memory */
    struct transform transform;
    struct labels labels;
    bool positive_is_lesser;        /* two classes: the statement chooses the lesser one */
    double label_mean, label_scale; /* regression: values = (label - mean) / scale */
    /* Regression: of the training rows' labels, the exact mean and population deviation (1 where it
     * is 0), each rounded once. They are label_mean and label_scale unless the kind of model keeps
     * numbers: then these are the labels' origin (number_origin.h) and 1. A label whose logarithm
     * is learned (LABEL_LINK_EXP) is divided by its mean. */
    double label_average, label_deviation;
    uint32_t role_columns[ROW_ROLES]; /* the spools' columns, by roles of numbers; 0: none */
    bool keeps_labels;                /* the parts have `labels` */
    bool has_groups; /* rows of a group lie side by side, and have hashes of the same `high` */
    double weight_average;       /* mean sample weight of the training rows; 0 without */
    float *class_weights;        /* (labels.count): class_weights.h */
    double class_weight_average; /* mean over the training rows; 0 unless the statement names
                                    weights */
    uint64_t *class_counts;      /* (labels.count): training rows of each */
    uint32_t weightless_classes; /* classes whose training rows all weigh nothing */
    float dense_greatest; /* no dense input of train.spool has a greater magnitude, of rows that are
                             held out neither */
    struct dataset_part train, validation; /* validation.rows 0: none */
    struct dataset_part sample;            /* sample of the training rows: dataset_summary.h */
    struct row_store *store;               /* which rows are in memory: row_store.h */
    uint64_t seed;
    bool shuffle;
    struct spool spool, validation_spool; /* the rows are read from these */
    struct arena views;                   /* views of the spools */
    struct keyed_rows *keyed;             /* rows of spools that lie by key */
    struct notice_list *notices;          /* notices on the training rows, for the user */
    /* USING: the model that learning goes on from, whose transform and labels the rows have; NULL:
     * there is none. It lives in `old`. */
    const struct model *old_model;
    /* The same where the rows have a transform of their own: that of a kind that learns series. */
    const struct model *old_series;
    struct fold_score *fold_scores; /* (fold_score_count): FOLD_SCORES_GIVEN: those of the folds */
    size_t fold_score_count;
    struct arena old;
    struct arena arena; /* transform, labels, notices */
};

/* Which of a job's rows are held out. */
struct spool_held_out dataset_held_out(const struct jobspec *spec);
/* How a job's train.spool, or its validation.spool, lies. threads: that its writer may start. */
struct spool_order dataset_order(const struct jobspec *spec, bool is_validation, uint32_t threads);

/* The dense inputs of a row of a part, to dense (dense_width). */
void dataset_take_row(const struct dataset *dataset, const struct dataset_part *part, uint64_t row,
                      float *dense);
/* Asks the memory for what will be needed of a row: first for its label and
 * where it lies, and then, when that is here, for its inputs. */
void dataset_expect_label(const struct dataset_part *part, uint64_t row);
void dataset_prefetch_row(const struct dataset *dataset, const struct dataset_part *part,
                          uint64_t row);

/*
 * Where each of `ranges` equal ranges of keys begins in the part: starts (ranges + 1). A row's key
 * is random bits of the seed and its hash: runtime/data/dataset/row_lanes.h. Training rows without
 * shuffle do not lie by key: there ranges are equal runs of positions.
 */
void dataset_share_out(const struct dataset *dataset, const struct dataset_part *part,
                       uint32_t ranges, uint64_t *starts);
