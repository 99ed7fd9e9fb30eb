/*
 * shard_results.h - the results of a shard's rows, as bytes: written by the scorer, read by the
 * session that fills the target.
 *
 * One entry a row, in the order of the rows:
 *     PREDICT   u8 0 | the cells of its outputs (base/cell_bytes.h)
 *               u8 1 | u32 size, the reason why it cannot be scored
 *     EVALUATE  u32 label | u32 predicted | f64 score | f64 loss | f64 value | u32 size, inputs |
 *               u32 size, scores (scoring/metrics.h: struct metrics_row); where bad rows are left
 * out, behind u8 0, and there may be u8 1 with a reason instead. Where each of several labels has
 * metrics, these follow for each label: u8 1 and the same again, or u8 0 where the row lacks it
 *
 * Rows are measured by the scorers and added up by the reader, one by one in the order of
 * the table: so sums do not depend on shards, and are those of the session to the last bit.
 */
#pragma once

#include "base/cell_bytes.h"
#include "scoring/metrics.h"

/* Then cell_put for each output; or shard_put_metrics, where bad rows are left out. */
void shard_put_outputs(struct text *out);
void shard_put_reason(struct text *out, const char *reason);
void shard_put_metrics(struct text *out, const struct metrics_row *row);
/* Metrics of one of several labels. NULL: the row lacks it. */
void shard_put_label_metrics(struct text *out, const struct metrics_row *row);

/* Outputs of the next row, or the reason (of size 0: none). CORRUPT at the end
 * and for anything that the above does not write. Borrowed from what is read. */
enum status shard_read_outputs(struct byte_reader *reader, struct cell *cells, size_t count,
                               struct slice *reason, struct error *err);
/* The row's inputs are borrowed from what is read, too. *reason as above, where bad rows are left
 * out; else NULL. */
enum status shard_read_metrics(struct byte_reader *reader, struct metrics_row *row,
                               struct slice *reason, struct error *err);
/* *has_label false: the row lacks the label. */
enum status shard_read_label_metrics(struct byte_reader *reader, bool *has_label,
                                     struct metrics_row *row, struct error *err);
