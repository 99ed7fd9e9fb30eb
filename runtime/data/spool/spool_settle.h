/*
 * spool_settle.h - what is known of the rows of a spool when all are written.
 *
 * Three passes over the hashes of all rows, range by range or block by block, by all threads:
 *
 *     copies   of equal rows all but one get hashes of their own, by their number
 *     parts    which rows are held out: those of least key, as many as there should be
 *     counts   rows of each range, and which rows are the sample, which is written
 *
 * The first rows of the sample also tell the middle of each column, where the job has a use for it
 * (column_sample.h).
 *
 * A row whose hash or part is another one then is gone from its block, and from the statistics, and
 * a copy is put where it belongs: some hundred in a million, unless the table is full of equal
 * ones.
 */
#pragma once

#include "runtime/data/spool/column_sample.h"
#include "runtime/data/spool/spool_writer_parts.h"

/* The index of a spool that lies by key, in memory of its own. */
struct spool_settled {
    struct spool_keyed_entry entry;
    uint32_t *counts;               /* (SPOOL_PARTS, ranges) */
    uint64_t *gone;                 /* (entry.gone_words) */
    struct text statistics;         /* bytes */
    struct sampled_column *sampled; /* (entry.sampled_columns) */
};

/* All rows are written. The entries of their blocks say then which of them are gone. */
enum status spool_settle(struct spool_writer *writer, struct spool_settled *settled,
                         struct error *err);
void spool_settled_deinit(struct spool_settled *settled);
