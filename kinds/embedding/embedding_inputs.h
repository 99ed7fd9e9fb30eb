/*
 * embedding_inputs.h - which columns and categories each part of a network over embeddings takes.
 *
 * Without COLUMN ... FOR the linear model and the hidden layers take all of them. A category of the
 * linear model alone has no embedding, one of the hidden layers alone no weights of its own; what
 * their rows of the table have no use for stays 0.
 */
#pragma once

#include "kinds/embedding/embedding_shape.h"
#include "scoring/transform/transform.h"

/* An input that selects rows of the table. */
struct embedding_field {
    struct text_ids ids;   /* ids in a row of data; a category has one */
    bool is_text, is_wide; /* is_wide: the linear model takes it */
    uint32_t dimension;    /* its embedding's; 0: it has none */
    uint32_t place;        /* where that begins among the embeddings of a row of data */
    float scale;           /* factor of its numbers there: each member of a CONCAT adds its share */
    uint32_t first_row, rows; /* the table's */
};

struct embedding_inputs {
    uint32_t dense_width, id_count; /* counts in a row of data */
    uint32_t *wide, *deep;          /* (wide_count), (deep_count): columns of dense, ascending */
    uint32_t wide_count, deep_count;
    struct embedding_field *fields; /* (field_count), in the order of their ids */
    uint32_t field_count;
};

/* Into the given part of the shape, whose dimension is the statement's, what its inputs decide; the
 * transform need not be finished. */
void embedding_shape_take(struct embedding_shape *shape, const struct transform *transform);

/* `dimension`: for fields that have none of their own. */
enum status embedding_inputs_init(struct embedding_inputs *inputs,
                                  const struct transform *transform, bool is_wide,
                                  uint32_t dimension, struct error *err);
void embedding_inputs_deinit(struct embedding_inputs *inputs);

/* Copies these columns of dense of each of n rows of data to rows that lie to_row floats apart. */
void embedding_columns_copy(const struct embedding_inputs *inputs, const uint32_t *columns,
                            uint32_t count, const float *dense, size_t n, float *to, size_t to_row);
