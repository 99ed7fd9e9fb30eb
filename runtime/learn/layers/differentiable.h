/*
 * differentiable.h - a model whose loss has a gradient, as descent learns it.
 *
 *     parameters, rows of a lane --gradient--> loss, gradient of each parameter
 *
 * The parameters are one array of floats, cut into tensors. The model provides their
 * start, the computation of a lane, and the settings of the optimizer; all else (lanes,
 * fixed point, updates, early stopping, states) is descent's. The result of a lane is a
 * pure function of parameters, rows and model: the space that it is computed in carries
 * nothing from one lane to the next.
 *
 * The operations of models are forward/backward pairs in files of their own:
 * affine.h, id_rows.h, dropout.h, batch_norm.h, loss_head.h; activations in
 * scoring/numbers/activation.h and kernels.h. network.c is such a model.
 */
#pragma once

#include "graph/graph_labels.h"
#include "jobspec/jobspec.h"
#include "runtime/data/dataset/dataset.h"
#include "runtime/learn/optimizer/optimizer.h"
#include "scoring/model.h"

#define TENSORS_MAX     128
#define STATISTIC_RATE  0.1
#define LANE_CHUNK_ROWS 128 /* rows that are computed together */

/* A run of the parameters with one fixed-point exponent. */
struct tensor {
    uint32_t first, count; /* elements [first, first + count) of the parameters */
    uint32_t row_width;    /* a table whose rows are selected by id; 0: dense */
    uint32_t selects_most; /* how many of its rows a row of data selects at most */
    uint32_t linear;       /* the first elements, of a table those of each row, that the linear
                            * part's optimizer moves; 0 where there is one optimizer for all */
    bool is_bias;          /* has no penalty */
    bool is_statistic;     /* a step takes it STATISTIC_RATE of its gradient back, and nothing else
                            * of the optimizer's; in the first steps more: 1 of step t's t, so that
                            * it is the mean of what it has seen. It is no part of a clipped norm. */
    bool is_frozen;        /* it stays as it is, and is no part of a clipped norm */
    bool is_transposed;    /* derive makes a copy of it */
};

/* Rows [first, first + count) of an order, whose numbers count from a row of the part; order NULL:
 * as they lie in the part, every one or at equal distances. A lane's rows of a step have a run of
 * positions in its batch. */
struct lane_rows {
    const struct dataset *dataset;
    const struct dataset_part *part; /* one of the data set's */
    const float *class_weights;      /* NULL: all 1 */
    const float *sample_weights;     /* (the part's rows); NULL: all 1 */
    float weight_share;              /* factor of the sample weights that makes their mean 1 */
    const uint32_t *order;
    struct rows_at {
        uint64_t from;  /* the row that numbers of the order count from; order NULL: 0 */
        uint64_t first; /* in the order; order NULL: of the part */
    } at, expected;     /* its own rows; those that are probably taken next */
    uint32_t count;
    uint32_t between;  /* order NULL: rows of others between two of them */
    uint32_t position; /* the first row's in its batch, for dropout */
    uint64_t step;     /* for dropout */
    double divisor;    /* the gradient's: the rows of the batch */
};

/* The gradient of 1/divisor times the weighted loss of a lane's rows. It lies in the space that it
 * was computed in. A tensor with rows has those of `touched` first, in their order; behind them it
 * is zero. */
struct lane_gradient {
    double loss;         /* weighted, summed */
    const float *values; /* (parameter_count) */
    const uint32_t *touched;
    uint32_t touched_count;
};

/* How a regression's loss goes by the unit of its label, which is standardised for learning. */
struct loss_unit {
    double power;     /* the unit's power in the loss: 2 for squares, 1 for errors, 0 for ratios */
    bool is_square;   /* the loss is an error's square: the mean's root is an RMSE */
    bool is_of_means; /* the mean has the least loss of all constants */
};

struct differentiable {
    void *self;
    const struct kind_params *params; /* those that its kind's cost looks at; NULL: the spec's */
    const struct tensor *tensors;     /* (tensor_count), in the order of the parameters */
    uint32_t tensor_count;            /* at most TENSORS_MAX */
    uint32_t parameter_count;
    uint32_t derived_count; /* floats of the copy that derive makes */
    uint64_t space_bytes;   /* bytes of a lane's space, without its gradient */
    struct descent_settings settings;
    struct descent_settings linear; /* settings of the elements of tensors that are linear's; beta2
                                       and the end of the schedule are the same */
    struct loss_unit unit;

    void (*close)(void *self);
    /* Sets the parameters that learning begins with. Each number is a function of (seed, tensor,
     * element) alone. */
    void (*start)(const void *self, float *parameters);
    /* derived (derived_count) holds the words of the tensors that are is_transposed, as gradient
     * wants them. Returns the sum of the words (base/sums/words.h) that it wrote over. */
    uint32_t (*derive)(const void *self, const float *parameters, float *derived);

    enum status (*space_open)(const void *self, void **space, struct error *err);
    void (*space_close)(void *space); /* NULL is fine */
    struct lane_gradient (*gradient)(const void *self, const float *parameters,
                                     const float *derived, const struct lane_rows *rows,
                                     void *space);
    void (*space_clear)(const void *self, void *space); /* after each gradient was used */
    /* The loss of the rows, unweighted and without dropout, and how many are classified
     * correctly. */
    double (*evaluate)(const void *self, const float *parameters, const struct lane_rows *rows,
                       void *space, uint64_t *correct);
    /* Several labels: how good the head of each was on the rows of the last evaluate in a space. */
    uint32_t head_count; /* those that are measured, at most METRICS_MAX; 0: there is one label */
    const double
        *head_units; /* (head_count): of a number's differences; 0: the label has classes */
    const struct graph_head_sums *(*head_sums)(const void *space); /* (head_count) */

    /* Its part of the stored model, which borrows from self and parameters. */
    void (*fill_model)(void *self, const float *parameters, struct model *model);
    /* All of its shape that the learned bits depend on and that the data decides. */
    void (*put_shape)(const void *self, struct text *out);
};

/* Fills `model` for a spec of its kind. LIMIT for absurd sizes. */
typedef enum status differentiable_open(const struct jobspec *spec, const struct dataset *dataset,
                                        struct differentiable *model, struct error *err);
