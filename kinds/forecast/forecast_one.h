/*
 * forecast_one.h - one series of a stored forecast, read without the others.
 *
 *     meta row, the series' name --forecast_one_load, which fetches the rows that it needs-->
 *         a model of this series alone
 *
 * It reads the words of the series, by their text, some chunks of the ids, in which the series is
 * found by bisection, and of each array the chunks that hold its numbers. Memory is that of two
 * chunks, however many series there are. Each chunk is held against its checksum, and the words of
 * the series against their hash; damage in others is not seen, and the model's own checksum, which
 * is of all arrays, is not either.
 */
#pragma once

#include "kinds/forecast/forecast_model.h"
#include "scoring/tables/model_table.h"

/* Rows of a model table: of a part and a name, at positions [first, end), and with this text where
 * data.data is not NULL. */
struct model_wish {
    struct slice part, name;
    int64_t first, end;
    struct slice data;
};
/* Passes these rows on, in any order; others may come as well. */
typedef enum status model_fetch(void *self, const struct model_wish *wish, model_row_sink *sink,
                                void *context, struct error *err);

/* series: its name, as totrain_forecast has it. *is_there is false where the model has no such
 * series: it then has the numbers of another one. An error for a model of another kind, too, or
 * without a group: read whole, it tells what is wrong. */
enum status forecast_one_load(struct slice meta, struct slice series, model_fetch *fetch,
                              void *self, struct arena *arena, struct model *model, bool *is_there,
                              struct error *err);
