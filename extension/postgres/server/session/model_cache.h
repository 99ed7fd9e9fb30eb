/*
 * model_cache.h - the models that a session holds, from one statement to the next.
 *
 *     totrain.predict('m', row) --take--> table of m, its rows --------> the model that was made of
 *                                         (model_heap_identify)          these rows, or is made now
 *
 * Nothing has to tell the cache that a model was replaced: each statement looks the name up, locks
 * the table, checks the caller's rights, and looks which rows its snapshot sees. Only a model that
 * was loaded from exactly these rows is used. So retraining, ROLLBACK, TRUNCATE, UPDATE by hand,
 * older snapshots and renamed tables need no case of their own. A damaged model is never held.
 *
 * The price is a scan of the table's own pages, without what lies out of line: a chunk of 256 KiB
 * is one row of 60 bytes. Views, and tables that are no heaps, are loaded for each statement.
 *
 * A model is held by those who took it. When nobody holds it any more it stays, as long as all that
 * stay take no more than totrain.model_cache; those that were used last stay.
 */
#pragma once

#include "extension/postgres/server/session/session.h"

#include "extension/engine/host/held_models.h"
#include "extension/postgres/server/session/model_heap.h"

struct cached_model {
    struct held_model held; /* loaded from the visible rows that `identity` tells */
    struct model_identity identity;
    int model_memory, max_memory; /* the settings by which it was loaded */
    bool is_of_one;               /* it has one series, of whoever has asked for it */
};

/* The model of this name, as the caller's statement sees it; throws where there is none, or it may
 * not be read, or takes too much memory. In CurrentMemoryContext nothing of it. *is_read: it was
 * not there, and its table was read. */
struct cached_model *model_cache_take(const text *path, bool *is_read);
/* One series of a forecast, by its name in UTF-8 (kinds/forecast/forecast_one.h), which is all that
 * the model may have; the first of a table are read alone. *is_there: it has the series. */
struct cached_model *model_cache_take_series(const text *path, struct slice series, bool *is_there);
void model_cache_give_back(struct cached_model *cached);

/* From now on so many bytes stay at most, beside models that are held. */
void model_cache_limit(size_t bytes);
