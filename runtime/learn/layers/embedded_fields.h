/*
 * embedded_fields.h - x (n, embedded): of each field the embedding that its ids select, and wide
 * (n, wide_width) += what they are to the linear part; and back.
 *
 * A row of the table is | wide (wide_width) | embedding (dimension) |, of which a field may have a
 * part of the embedding, or none, and the wide part or not; the members of a CONCAT add to one
 * embedding (inputs/concat.h). A field is a category, of which one id
 * is selected or none, or a text, whose words each have their share
 * (scoring/transform/transform.h).
 */
#pragma once

#include "arithmetic/touched_rows.h"
#include "kinds/embedding/embedding_inputs.h"

struct embedded_fields {
    uint32_t first;                       /* where the table starts in the parameters */
    uint32_t wide_width, dimension;       /* floats of a row of the table */
    uint32_t embedded;                    /* numbers of all embeddings of a row of data */
    uint32_t id_count;                    /* ids of a row of data */
    const struct embedding_field *fields; /* (field_count), in the order of their ids */
    uint32_t field_count;
};

/* x: rows lie x_row floats apart. */
void embedded_fields_forward(const struct embedded_fields *op, const float *parameters, uint32_t n,
                             const int32_t *ids, float *x, size_t x_row, float *wide);
/* dx, dwide: the gradients of both. `touched`: rows of the table that have a gradient. That of the
 * one at place p is row p of the table in `gradient`, += of the rows of data that selected it;
 * behind them all is zero. */
void embedded_fields_backward(const struct embedded_fields *op, uint32_t n, const int32_t *ids,
                              const float *dx, size_t dx_row, const float *dwide, float *gradient,
                              struct touched_rows *touched);
/* The gradient of all touched rows is zero again, and none is touched. */
void embedded_fields_clear(const struct embedded_fields *op, float *gradient,
                           struct touched_rows *touched);
