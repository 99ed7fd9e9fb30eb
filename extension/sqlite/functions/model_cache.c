#include "extension/sqlite/functions/model_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/sums/hash.h"
#include "codegen/model_path.h"
#include "extension/sql/models.h"
#include "extension/sql/sql.h"
#include "extension/sqlite/api/sql.h"
#include "extension/sqlite/host/models.h"
#include "extension/sqlite/host/query.h"

void model_cache_init(struct model_cache *cache, struct sqlite_host *host)
{
    *cache = (struct model_cache){
        .bytes_max = HELD_MODELS_BYTES_DEFAULT, .host = host, .stop = {host_interrupted, host}};
}

void model_cache_deinit(struct model_cache *cache)
{
    held_models_free_beyond(&cache->models, 0);
}

void model_cache_limit(struct model_cache *cache, size_t bytes)
{
    cache->bytes_max = bytes;
    cache->asked = (struct asked_tables){0}; /* which are too large is another question now */
    held_models_free_beyond(&cache->models, bytes);
}

void model_cache_give_back(struct model_cache *cache, struct cached_model *cached)
{
    held_models_give_back(&cache->models, &cached->held);
    held_models_free_beyond(&cache->models, cache->bytes_max);
}

/* ----- a table, as its statement sees it ----- */

/* The read transaction lasts as long as the statement. */
struct look {
    const char *schema;
    sqlite3_stmt *statement; /* at the table's first row */
    bool is_committed;       /* the state that is seen: `version` tells it from all others */
    unsigned version;
};

static enum status look_prepare(struct look *look, sqlite3 *db, const char *schema,
                                struct slice name, struct error *err)
{
    const struct sql_table table = {slice_of(schema), name};
    enum status status;
    struct text sql;

    *look = (struct look){.schema = schema};
    text_init(&sql, TEXT_MAXIMUM);
    sql_append(&sql, "SELECT part, name, position, value, data FROM @ LIMIT 1", &table);
    status = sql_prepare_text(db, &sql, &look->statement, err);
    text_deinit(&sql);
    return status;
}

/* In a cache that several connections share. Where nobody may ask, it is taken to be so. */
static bool reads_uncommitted(sqlite3 *db)
{
    sqlite3_stmt *statement;
    struct error ignored;
    bool has_row, is_on = true;

    if (sql_prepare(db, SLICE("PRAGMA read_uncommitted"), &statement, &ignored) != STATUS_OK)
        return true;
    if (sql_step(statement, &has_row, &ignored) == STATUS_OK && has_row)
        is_on = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return is_on;
}

static enum status look_begin(struct look *look, struct error *err)
{
    sqlite3 *db = sqlite3_db_handle(look->statement);
    bool has_row;

    TRY(sql_step(look->statement, &has_row, err));
    look->is_committed = has_row && sqlite3_txn_state(db, look->schema) == SQLITE_TXN_READ &&
                         !reads_uncommitted(db) &&
                         sqlite3_file_control(db, look->schema, SQLITE_FCNTL_DATA_VERSION,
                                              &look->version) == SQLITE_OK;
    return STATUS_OK;
}

static void look_end(struct look *look)
{
    sqlite3_finalize(look->statement);
}

static uint64_t look_hash(const struct look *look)
{
    const struct slice data = sql_slice(look->statement, 4);

    return slice_is(sql_slice(look->statement, 0), "meta") ? bytes_hash(data.data, data.size, 0)
                                                           : 0;
}

/* Databases under this name may be exchanged, and their versions begin anew. */
static bool is_exchangeable(sqlite3 *db, const char *schema)
{
    sqlite3_vfs *vfs = NULL;

    return !slice_is_fold(slice_of(schema), "main") ||
           sqlite3_file_control(db, schema, SQLITE_FCNTL_VFS_POINTER, &vfs) != SQLITE_OK || !vfs ||
           strcmp(vfs->zName, "memdb") == 0; /* sqlite3_deserialize() opens its databases there */
}

static bool is_unchanged(const struct cached_model *cached, const struct look *look)
{
    if (!look->is_committed || cached->version != look->version)
        return false;
    return !is_exchangeable(sqlite3_db_handle(look->statement), look->schema) ||
           (cached->first_row && cached->first_row == look_hash(look));
}

/* ----- loading ----- */

/* A series that is asked for. */
struct series_ask {
    struct slice name;
    bool is_there;
};

static enum status load_series(struct model_cache *cache, struct slice schema, struct slice name,
                               struct series_ask *ask, struct held_model *held, struct error *err)
{
    enum status status;

    arena_init(&held->arena, MODEL_ARENA_MAX);
    status = sql_load_series(&cache->host->sql, schema, name, ask->name, &held->arena, &held->model,
                             &ask->is_there, err);
    if (status == STATUS_OK)
        return held_model_complete(held, err);
    arena_deinit(&held->arena);
    return status;
}

/* ask: this series alone; NULL: the model. */
static enum status load_once(struct model_cache *cache, struct slice schema, struct slice name,
                             struct series_ask *ask, struct cached_model **made, struct error *err)
{
    struct cached_model *cached = calloc(1, sizeof *cached);
    enum status status;

    if (!cached)
        return fail_no_memory(err);
    status = ask ? load_series(cache, schema, name, ask, &cached->held, err)
                 : held_model_load(&cached->held, &cache->host->sql.host, schema, name,
                                   MODEL_ARENA_MAX, err);
    if (status != STATUS_OK) {
        free(cached);
        return status;
    }
    cached->cells =
        ARENA_NEW(&cached->held.arena, struct cell, cached->held.model.transform.column_count + 1);
    cached->schema = arena_copy(&cached->held.arena, schema);
    cached->name = arena_copy(&cached->held.arena, name);
    if (!cached->cells || !cached->schema.data || !cached->name.data) {
        held_model_free(&cached->held);
        return fail_no_memory(err);
    }
    cached->held.workspace.stop = &cache->stop;
    cached->is_of_one = ask != NULL;
    *made = cached;
    return STATUS_OK;
}

/* Other models give their memory where it has run out. */
static enum status load(struct model_cache *cache, struct slice schema, struct slice name,
                        struct cached_model **taken, struct error *err)
{
    enum status status = load_once(cache, schema, name, NULL, taken, err);

    if (status == STATUS_NO_MEMORY && cache->models.newest) {
        held_models_free_beyond(&cache->models, 0);
        status = load_once(cache, schema, name, NULL, taken, err);
    }
    TRY(status);
    held_models_add(&cache->models, &(*taken)->held);
    return STATUS_OK;
}

/* ----- taking ----- */

struct table_name {
    struct slice schema, name;
};

static bool is_of_table(const struct held_model *held, const void *table)
{
    const struct cached_model *cached = (const struct cached_model *)held;
    const struct table_name *names = table;

    return held->may_stay && slice_equal_fold(cached->schema, names->schema) &&
           slice_equal_fold(cached->name, names->name);
}

static struct cached_model *find(const struct model_cache *cache, struct slice schema,
                                 struct slice name)
{
    const struct table_name table = {schema, name};
    struct held_model *held = cache->models.newest;

    while (held && !is_of_table(held, &table))
        held = held->next;
    return (struct cached_model *)held;
}

/* In temp are only tables that this connection has made. */
static enum status is_in_temp(sqlite3 *db, struct slice name, bool *is, struct error *err)
{
    struct located located;
    sqlite3_file *file;

    *is = false;
    if (sqlite3_file_control(db, "temp", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK)
        return STATUS_OK; /* nothing ever was */
    TRY(locate(db, SLICE("temp"), name, &located, err));
    *is = located.exists;
    return STATUS_OK;
}

/* A table that was found in main is there as long as its version is the same: the short way of most
 * statements, whatever else the database holds. *taken is NULL where it leads nowhere. */
static enum status take_from_main(struct model_cache *cache, struct slice schema, struct slice name,
                                  struct cached_model **taken, struct error *err)
{
    struct cached_model *cached = find(cache, SLICE("main"), name);
    sqlite3 *db = cache->host->db;
    bool is_hidden = false;
    struct error ignored;
    enum status status;
    struct look look;

    *taken = NULL;
    if (!cached || (schema.size > 0 && !slice_is_fold(schema, "main")))
        return STATUS_OK;
    if (schema.size == 0)
        TRY(is_in_temp(db, name, &is_hidden, err));
    if (is_hidden || is_exchangeable(db, "main") ||
        look_prepare(&look, db, "main", name, &ignored) != STATUS_OK)
        return STATUS_OK;
    status = look_begin(&look, err);
    if (status == STATUS_OK && is_unchanged(cached, &look)) {
        held_models_take(&cache->models, &cached->held);
        *taken = cached;
    }
    if (status != STATUS_OK && sqlite3_errcode(db) == SQLITE_ERROR)
        status = STATUS_OK; /* another process has dropped the table meanwhile */
    look_end(&look);
    return status;
}

/* NULL: its state is not committed. Such a model is not kept, and would be read by each statement.
 */
static struct asked_table *asked_of(struct model_cache *cache, const struct look *look,
                                    struct slice name)
{
    const uint64_t schema = bytes_hash(look->schema, strlen(look->schema), look->version);

    return look->is_committed
               ? asked_tables_find(&cache->asked, bytes_hash(name.data, name.size, schema))
               : NULL;
}

static enum status take_alone(struct model_cache *cache, struct slice schema, struct slice name,
                              struct series_ask *ask, struct cached_model **taken,
                              struct error *err)
{
    TRY(load_once(cache, schema, name, ask, taken, err));
    held_models_add(&cache->models, &(*taken)->held);
    return STATUS_OK;
}

/* Whatever is wrong with a model that a series is read of, the load of all of it tells; so it does
 * where the series is not found, which may be for damage to its words. */
static enum status take_series(struct model_cache *cache, const struct look *look,
                               struct slice name, struct series_ask *ask,
                               struct cached_model **taken, struct error *err)
{
    struct asked_table *asked = asked_of(cache, look, name);
    const struct slice schema = slice_of(look->schema);
    struct error other;
    enum status status;

    if (!asked || asked_table_alone(asked)) {
        status = take_alone(cache, schema, name, ask, taken, err);
        if (status == STATUS_INTERRUPTED ||
            (status == STATUS_OK && (ask->is_there || (asked && asked->is_large))))
            return status;
        if (status == STATUS_OK)
            held_models_give_back(&cache->models, &(*taken)->held);
        *taken = NULL;
        error_clear(err);
    }
    ask->is_there = true;
    status = load(cache, schema, name, taken, err);
    if (status == STATUS_OK && asked)
        asked->is_large = held_model_bytes(&(*taken)->held) > cache->bytes_max;
    if (status != STATUS_LIMIT && status != STATUS_NO_MEMORY)
        return status;
    if (asked)
        asked->is_large = true;
    error_clear(&other);
    if (take_alone(cache, schema, name, ask, taken, &other) != STATUS_OK)
        return status;
    error_clear(err);
    return STATUS_OK;
}

static enum status take_looked_at(struct model_cache *cache, const struct look *look,
                                  struct slice name, struct series_ask *ask,
                                  struct cached_model **taken, struct error *err)
{
    const struct table_name table = {slice_of(look->schema), name};
    struct cached_model *cached = find(cache, table.schema, name);

    if (cached && is_unchanged(cached, look)) {
        held_models_take(&cache->models, &cached->held);
        *taken = cached;
        return STATUS_OK;
    }
    if (look->is_committed) /* nobody asks any more for models of other states */
        held_models_free_where(&cache->models, is_of_table, &table);
    TRY(ask ? take_series(cache, look, name, ask, taken, err)
            : load(cache, table.schema, name, taken, err));
    (*taken)->held.may_stay = look->is_committed && !(*taken)->is_of_one;
    (*taken)->version = look->version;
    (*taken)->first_row = look_hash(look);
    return STATUS_OK;
}

static enum status take_named(struct model_cache *cache, struct slice schema, struct slice name,
                              struct series_ask *ask, struct cached_model **taken,
                              struct error *err)
{
    sqlite3 *db = cache->host->db;
    bool has_columns = false;
    struct located located;
    enum status status;
    struct look look;

    TRY(take_from_main(cache, schema, name, taken, err));
    if (*taken)
        return STATUS_OK;
    TRY(locate(db, schema, name, &located, err));
    if (located.is_table)
        TRY(has_model_columns(db, slice_of(located.schema), name, &has_columns, err));
    if (!has_columns) /* a view, or what loading says is no model */
        return load(cache, schema, name, taken, err);
    TRY(look_prepare(&look, db, located.schema, name, err));
    status = look_begin(&look, err);
    if (status == STATUS_OK)
        status = take_looked_at(cache, &look, name, ask, taken, err);
    look_end(&look);
    return status;
}

static enum status take(struct model_cache *cache, struct slice path, struct series_ask *ask,
                        struct cached_model **taken, struct error *err)
{
    struct slice schema, name;
    struct arena arena;
    enum status status;

    arena_init(&arena, MODEL_PATH_BYTES_MAX * 16);
    status = model_path_read(path, &arena, &schema, &name, err);
    if (status == STATUS_OK)
        status = take_named(cache, schema, name, ask, taken, err);
    arena_deinit(&arena);
    TRY(status);
    held_models_free_beyond(&cache->models, cache->bytes_max);
    return STATUS_OK;
}

enum status model_cache_take(struct model_cache *cache, struct slice path,
                             struct cached_model **taken, struct error *err)
{
    return take(cache, path, NULL, taken, err);
}

enum status model_cache_take_series(struct model_cache *cache, struct slice path,
                                    struct slice series, struct cached_model **taken,
                                    bool *is_there, struct error *err)
{
    struct series_ask ask = {series, true};
    const enum status status = take(cache, path, &ask, taken, err);

    *is_there = ask.is_there;
    return status;
}
