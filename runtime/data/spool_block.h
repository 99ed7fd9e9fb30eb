/*
 * spool_block.h - the bytes of a block as columns (spool_format.h).
 */
#ifndef RUNTIME_DATA_SPOOL_BLOCK_H
#define RUNTIME_DATA_SPOOL_BLOCK_H

#include "runtime/data/spool_format.h"

/* What the columns of a spool are. */
struct spool_shape {
    const enum spool_type *types; /* (column_count) */
    uint32_t column_count, number_count;
};

/* Of a block but its hashes and texts. */
size_t spool_fixed_size(const struct spool_shape *shape, uint32_t rows);

/* Of the block its rows, bytes and size are set, and columns is (column_count): views are filled
 * in. CORRUPT for bytes that no writer leaves. */
enum status spool_view_columns(const struct spool_shape *shape, struct spool_block *block,
                               struct error *err);
/* The same for one of its rows: the views of texts mean nothing for others. */
enum status spool_view_row(const struct spool_shape *shape, struct spool_block *block, uint32_t row,
                           struct error *err);

#endif
