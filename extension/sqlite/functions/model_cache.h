/*
 * model_cache.h - the models that a connection keeps, from one statement to the next.
 *
 *     totrain_predict('m', ...) --take--> table of m, under a -----> the model that was read in
 * this read transaction           state of the database, or is read now
 *
 * Nothing has to tell the cache that a model was replaced. Each statement begins to read the table,
 * so that its locks are waited for and an authorizer is asked, and then asks SQLite for the
 * database's version (SQLITE_FCNTL_DATA_VERSION), which every commit changes, of whichever
 * connection or process. A model is kept with the version that it was read in, and used in no
 * other. So the table is read once more when anything in its database was committed since.
 *
 * Three things the version does not tell, and what is done about them:
 *
 *     what this connection has written and not committed yet:    each statement reads the model
 *     what others have, where PRAGMA read_uncommitted shows it:  likewise
 *     that another database goes by the name of this one now:    outside of main the table's first
 *       (DETACH and ATTACH, PRAGMA temp_store, and of main       row counts, too: the model's meta,
 *       sqlite3_deserialize)                                     with its id and SHA-256
 *
 * The name is looked up by each statement, so that a temporary table comes first as soon as it is
 * there. Views and virtual tables are read by each. A damaged model is never kept.
 *
 * A model is held by those who took it. When nobody holds it any more it stays, as long as all that
 * stay take no more than totrain_config('model_cache'); those that were used last stay.
 */
#pragma once

#include "extension/engine/host/held_models.h"
#include "extension/sqlite/host/sqlite_host.h"

struct cached_model {
    struct held_model held;
    struct cell *cells; /* (columns of the model): one row, of whoever holds the model */

    /* the cache's own */
    struct slice schema, name;
    unsigned version;   /* version of the schema's database */
    uint64_t first_row; /* a hash of the meta; 0: the first row is another one */
    bool is_of_one;     /* it has one series, of whoever has asked for it */
};

struct model_cache {
    struct held_models models;
    struct asked_tables asked;
    size_t bytes_max;
    struct sqlite_host *host; /* borrowed */
    struct stop stop;         /* a row that takes long is interrupted with its statement */
};

void model_cache_init(struct model_cache *cache, struct sqlite_host *host);
/* No statement of the connection is left. */
void model_cache_deinit(struct model_cache *cache);

/* The model of this name ('m', 'other.m'), as the statement that asks would read it. */
enum status model_cache_take(struct model_cache *cache, struct slice path,
                             struct cached_model **taken, struct error *err);
/* One series of a forecast, by its name (forecast_one.h), which is all that the taken model may
 * have; the first of a table are read alone, as they would not be worth the time of reading it all,
 * and so are those of a model that has no room. *is_there: it has the series. */
enum status model_cache_take_series(struct model_cache *cache, struct slice path,
                                    struct slice series, struct cached_model **taken,
                                    bool *is_there, struct error *err);
void model_cache_give_back(struct model_cache *cache, struct cached_model *cached);

/* From now on so many bytes stay at most, beside models that are held. */
void model_cache_limit(struct model_cache *cache, size_t bytes);
