/*
 * embedding_case.h - rows and a job for networks over embeddings, and what they compute in double
 * and plain loops.
 */
#pragma once

#include "kinds/embedding/embedding_attributes.h"
#include "runtime/learn/networks/embedding_layout.h"
#include "tests/unit/learn_rows.h"

struct embedding_case {
    struct dataset dataset;
    struct jobspec spec;
};

/* The parts beside the hidden layers. */
struct embedding_parts {
    enum interaction interaction;
    bool is_wide;
    enum cross_weights cross_weights;
    uint32_t hidden_layers; /* 0 to 2 */
    /* The first number and the first category are of the linear model alone, the second ones of the
     * layers alone, with an embedding of 2 numbers; the linear model is learned by Adagrad. */
    bool are_shared_out;
    bool is_normalized; /* model.batch_norm */
};

/* The last `words` ids of a row are those of one text; 0: there is none. Rows are hidden
 * (learn_rows.h). Embeddings have 3 numbers. */
void embedding_case_open(struct embedding_case *of, struct rows_shape shape, uint32_t words,
                         struct embedding_parts parts);
void embedding_case_close(struct embedding_case *of);
/* The last two inputs that select rows have one embedding. */
void embedding_case_concat(struct embedding_case *of, enum combiner combiner);

/* outputs (rows, outputs): of the first training rows; parameters lie as the network has them.
 * mask: of layer l, unit u, what dropout multiplies by; NULL: 1. Norms are by the numbers of these
 * rows where it learns, else by the running ones. */
void embedding_reference(const struct embedding_network *network, const double *parameters,
                         uint32_t rows, bool learns, const float *const *masks, double *outputs);
