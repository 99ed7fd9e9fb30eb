/*
 * model.h - a trained model: what predicts.
 *
 * Family "network": layers of z = a W + b, a' = activation(z). The first layer
 * takes the dense columns and adds one row of its `id_rows` block for each
 * selected id. No hidden layer is a linear model. The last layer's z are the
 * logits:
 *     classification, 2 classes   1 logit, p(class 1) = 1 / (1 + e^-z)
 *     classification, k classes   k logits, softmax
 *     regression                  1 output, label = z * label_scale + label_mean
 *
 * Scoring has one fixed order of additions per output (inputs in ascending
 * order, then ids, starting from the bias), independent of how many rows are
 * scored together and of the width of the processor's vectors: PREDICT,
 * EVALUATE and totrain_predict give the same bits. Loops of our own (affine.h,
 * activation.h, elementary.h), no BLAS and no libm.
 */
#ifndef SCORING_MODEL_H
#define SCORING_MODEL_H

#include "scoring/activation.h"
#include "scoring/transform.h"

#define MODEL_LAYERS_MAX     17
#define MODEL_WIDTH_MAX      65536
#define MODEL_PARAMETERS_MAX ((uint64_t)1 << 31)

struct layer {
    uint32_t rows, width; /* W is (rows, width), row major; first layer: dense columns, then ids */
    const float *weights;
    const float *bias; /* (width) */
};

/* The classes of a classifier, ascending: numbers by value, texts by bytes.
 * The class with the greater value is "positive" where there are two. */
struct labels {
    enum label_type type;
    uint32_t count;
    struct cell *values;
};

struct affine;
struct affine_kernel;

struct model {
    struct slice estimator; /* "DNNClassifier" */
    struct slice family;    /* "network" */
    enum task task;
    struct slice label;          /* the label column's name */
    struct slice label_declared; /* its type in PostgreSQL, "pg_catalog.bool", for predictions to
                                    be of; or empty. Whoever reads it must check it. */
    struct slice statement;      /* as the user wrote it */
    struct slice id;             /* 32 hex digits: survives a rename of the table */
    int64_t version;             /* 1, 2, ... */
    struct slice digest;         /* 64 hex digits; SHA-256 over transform, labels and tensors */
    uint64_t checksum;           /* as stored, of what the digest covers; 0: not stored yet */
    uint64_t rows;               /* trained on */
    struct slice created_at;     /* RFC 3339, UTC */

    struct transform transform;
    struct labels labels;           /* classification; for regression only .type */
    double label_mean, label_scale; /* regression */
    enum activation activation;
    struct layer *layers;
    uint32_t layer_count;
    struct slice metrics_json; /* the result rows of TRAIN, for SHOW TRAIN */
};

uint32_t model_outputs(const struct model *model); /* logits a row */

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
    const struct affine_kernel *kernel; /* for this processor */
    struct affine *affines;             /* (layers) */
    uint32_t rows_max;
    float *dense;         /* (rows_max, dense_width) */
    int32_t *ids;         /* (rows_max, id_count) */
    float *front, *back;  /* (rows_max, widest): activations of two layers */
    float *logits;        /* (rows_max, model_outputs), or the regression's z */
    const float *outputs; /* (model_outputs), of the row that is selected */
};

#define SCORER_ROWS 192 /* scored together where there are many */

/* Room for `rows` rows, for fewer where the layers are so wide that they would
 * take more than SCORER_BYTES: see scorer->rows_max. */
#define SCORER_BYTES ((size_t)64 << 20)
enum status scorer_init(struct scorer *scorer, const struct model *model, uint32_t rows,
                        struct error *err);
void scorer_deinit(struct scorer *scorer);

/* Cells in the order of the model's inputs become row i. */
enum status scorer_transform(struct scorer *scorer, uint32_t i, const struct cell *cells,
                             struct error *err);
/* The logits of rows 0 to count - 1; row 0 is selected. */
void scorer_score(struct scorer *scorer, uint32_t count);
void scorer_select(struct scorer *scorer, uint32_t i);
/* Score a row that is transformed already, as row 0, and select it. */
void scorer_score_row(struct scorer *scorer, const float *dense, const int32_t *ids);

/* Of the row that is selected. */
uint32_t scorer_class(const struct scorer *scorer); /* the most probable; the lowest where equal */
double scorer_value(const struct scorer *scorer);   /* regression: in the label's units */
void scorer_probabilities(const struct scorer *scorer, double *probabilities); /* (classes) */
struct cell scorer_prediction(const struct scorer *scorer); /* in the label's own type */

#endif
