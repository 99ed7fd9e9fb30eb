/*
 * spool_block.h - the bytes of a block as columns (spool_format.h).
 */
#pragma once

#include "runtime/data/spool/spool_format.h"

/* Types and counts of the columns of a spool. */
struct spool_shape {
    const enum spool_type *types; /* (column_count) */
    uint32_t column_count, number_count;
};

/* Bytes of a block without its hashes and texts. */
size_t spool_fixed_size(const struct spool_shape *shape, uint32_t rows);

/* Fills in the block's columns, which are (column_count) views. Its rows, bytes and size are set.
 * CORRUPT for bytes that no writer leaves. */
enum status spool_view_columns(const struct spool_shape *shape, struct spool_block *block,
                               struct error *err);
/* The same for one of its rows: the views of texts mean nothing for others. */
enum status spool_view_row(const struct spool_shape *shape, struct spool_block *block, uint32_t row,
                           struct error *err);
