/*
 * lane_gather.h - the rows of a lane, a chunk of them at a time, out of the data set.
 */
#pragma once

#include "runtime/learn/layers/loss_head.h"

/* Between asking for a row's label and for its inputs: an order of rows (differentiable.h) has so
 * many numbers more than it has rows. */
#define LANE_ROWS_AHEAD 16

/* Where they go. */
struct gathered {
    float *dense;   /* (chunk, transform_features) */
    int32_t *ids;   /* (chunk, id_count) */
    float *offsets; /* (chunk), of a transform that has one */
    struct loss_labels *labels;
};

/* How many rows the chunk has that begins there. */
static inline uint32_t lane_chunk_rows(const struct lane_rows *rows, uint32_t offset)
{
    const uint32_t left = rows->count - offset;

    return left < LANE_CHUNK_ROWS ? left : LANE_CHUNK_ROWS;
}

/* `count` rows from `offset` on. */
void lane_gather(const struct loss_head *head, const struct lane_rows *rows, uint32_t offset,
                 uint32_t count, const struct gathered *to);
