/*
 * model_write.h - a model, written as rows of its table (model_table.h).
 */
#pragma once

#include "scoring/tables/model_table.h"

enum status model_write(const struct model *model, model_row_sink *sink, void *context,
                        struct error *err);
/*
 * The same rows by and by, counted from 0 in the same order: from number *next on, until those
 * given to the sink have `bytes_max` bytes, the last one included: MODEL_ROW_BYTES each, and their
 * names and data. *next is the row that follows, *is_at_end whether there is none. One call holds
 * no more than one row, and takes as long as what it gives, but for the weight part, which it walks
 * through.
 */
enum status model_write_some(const struct model *model, uint64_t *next, size_t bytes_max,
                             bool *is_at_end, model_row_sink *sink, void *context,
                             struct error *err);
