#include "extension/postgres/server/session/model_cache.h"

#include <stdlib.h>

#include <catalog/namespace.h>
#include <nodes/makefuncs.h>
#include <utils/inval.h>

#include "base/sums/hash.h"
#include "codegen/model_path.h"
#include "extension/postgres/server/session/settings.h"
#include "extension/postgres/sql/postgres_host.h"
#include "extension/sql/models.h"

static struct {
    struct held_models models;
    struct asked_tables asked;
    size_t bytes_max; /* totrain.model_cache */
} cache;

/* A limit of the administrator's on a model holds for all that stay. */
static size_t bytes_max(void)
{
    const size_t most = (size_t)settings.max_memory * 1024;

    return most > 0 && most < cache.bytes_max ? most : cache.bytes_max;
}

static void throw_error(const struct error *err)
{
    struct session nobody = {.memory = CurrentMemoryContext};

    session_raise(&nobody, err, SLICE(""), false);
}

void model_cache_limit(size_t bytes)
{
    cache.bytes_max = bytes;
    cache.asked = (struct asked_tables){0}; /* which are too large is another question now */
    held_models_free_beyond(&cache.models, bytes_max());
}

/* Loaded by limits that hold no longer: it is loaded again, or refused. */
static bool is_within_limits(const struct cached_model *cached)
{
    return cached->model_memory == settings.model_memory &&
           cached->max_memory == settings.max_memory;
}

static struct cached_model *find_model(const struct model_identity *identity)
{
    for (struct held_model *held = cache.models.newest; held; held = held->next) {
        struct cached_model *cached = (struct cached_model *)held;

        if (held->may_stay && is_within_limits(cached) &&
            memcmp(&cached->identity, identity, sizeof *identity) == 0)
            return cached;
    }
    return NULL;
}

/* Older snapshots alone would still look for the models that the table held before. */
static bool is_of_table(const struct held_model *held, const void *table)
{
    const struct cached_model *cached = (const struct cached_model *)held;

    return held->may_stay && cached->identity.table == *(const Oid *)table;
}

/* ----- the name ----- */

struct names {
    char *schema, *name; /* schema NULL: along the search_path */
};

/* In the caller's memory. Nothing is thrown while the arena is there. */
static struct names read_names(const text *path)
{
    const char *const string = text_to_cstring(path);
    const struct slice utf8 = session_to_utf8(string, strlen(string));
    char *copies = palloc0(2 * (utf8.size + 1));
    struct slice schema, name;
    struct names names;
    struct arena arena;
    struct error err;

    arena_init(&arena, MODEL_PATH_BYTES_MAX * 16);
    if (model_path_read(utf8, &arena, &schema, &name, &err) != STATUS_OK) {
        arena_deinit(&arena);
        throw_error(&err);
    }
    memcpy(copies, schema.data ? schema.data : "", schema.size);
    memcpy(copies + utf8.size + 1, name.data, name.size);
    arena_deinit(&arena);
    names.schema = copies[0] ? session_from_utf8(slice_of(copies)) : NULL;
    names.name = session_from_utf8(slice_of(copies + utf8.size + 1));
    return names;
}

/* Locked; InvalidOid where there is none. */
static Oid find_table(const struct names *names)
{
    RangeVar *variable = makeRangeVar(names->schema, names->name, -1);

    AcceptInvalidationMessages(); /* a lock that the transaction has already brings none */
    return RangeVarGetRelidExtended(variable, AccessShareLock, RVR_MISSING_OK, NULL, NULL);
}

/* ----- loading ----- */

/* A series that is asked for. */
struct series_ask {
    struct slice name;
    bool is_there;
};

static enum status load_series(struct sql_host *host, struct slice schema, struct slice name,
                               size_t arena_max, struct series_ask *ask, struct held_model *held,
                               struct error *err)
{
    enum status status;

    arena_init(&held->arena, arena_max);
    status = sql_load_series(host, schema, name, ask->name, &held->arena, &held->model,
                             &ask->is_there, err);
    if (status == STATUS_OK)
        return held_model_complete(held, err);
    arena_deinit(&held->arena);
    return status;
}

/* ask: this series alone; NULL: the model. */
static enum status load_into(struct sql_host *host, const struct names *names,
                             struct series_ask *ask, struct cached_model **made, struct error *err)
{
    const size_t arena_max =
        settings.max_memory > 0 ? (size_t)settings.max_memory * 1024 : MODEL_ARENA_MAX;
    const struct slice schema =
        names->schema ? session_to_utf8(names->schema, strlen(names->schema)) : SLICE("");
    const struct slice name = session_to_utf8(names->name, strlen(names->name));
    struct cached_model *cached = calloc(1, sizeof *cached);
    enum status status;

    if (!cached)
        return fail_no_memory(err);
    cached->model_memory = settings.model_memory;
    cached->max_memory = settings.max_memory;
    cached->is_of_one = ask != NULL;
    status = ask ? load_series(host, schema, name, arena_max, ask, &cached->held, err)
                 : held_model_load(&cached->held, &host->host, schema, name, arena_max, err);
    if (status != STATUS_OK) {
        free(cached);
        return status;
    }
    *made = cached;
    return STATUS_OK;
}

/* `table` is InvalidOid where the name has to be looked up, and an error to be told. Where memory
 * has run out other models give theirs. Nothing is thrown before what was malloc'd is freed. */
static enum status try_load(struct session *session, const struct names *names, Oid table,
                            struct series_ask *ask, struct cached_model **cached, struct error *err)
{
    struct sql_host *host = palloc(sizeof *host);
    enum status status;

    session_init(session, true);
    postgres_host_init(host, &session->database, "", NULL);
    settings_limit_memory(&host->host);
    host->relation = table;
    status = load_into(host, names, ask, cached, err);
    if (status == STATUS_NO_MEMORY && cache.models.newest && !session->interrupt) {
        held_models_free_beyond(&cache.models, 0);
        status = load_into(host, names, ask, cached, err);
    }
    return status;
}

static struct cached_model *load_model(const struct names *names, Oid table)
{
    struct session *session = palloc(sizeof *session);
    struct cached_model *cached = NULL;
    struct error err;

    if (try_load(session, names, table, NULL, &cached, &err) != STATUS_OK)
        session_raise(session, &err, SLICE(""), false);
    return cached;
}

/* Whatever is wrong with a model that a series is read of, the load of all of it tells; so it does
 * where the series is not found, which may be for damage to its words. */
static struct cached_model *load_for_series(const struct names *names,
                                            const struct model_identity *identity,
                                            struct series_ask *ask)
{
    struct asked_table *asked =
        asked_tables_find(&cache.asked, bytes_hash(identity, sizeof *identity, 0));
    struct session *session = palloc(sizeof *session);
    struct cached_model *cached = NULL;
    struct error err, other;
    enum status status;

    if (asked_table_alone(asked)) {
        status = try_load(session, names, identity->table, ask, &cached, &err);
        if (status == STATUS_OK && (ask->is_there || asked->is_large))
            return cached;
        if (status == STATUS_OK)
            held_model_free(&cached->held);
        else if (session->interrupt)
            session_raise(session, &err, SLICE(""), false);
    }
    ask->is_there = true;
    status = try_load(session, names, identity->table, NULL, &cached, &err);
    if (status == STATUS_OK) {
        asked->is_large = held_model_bytes(&cached->held) > bytes_max();
        return cached;
    }
    if (status == STATUS_LIMIT || status == STATUS_NO_MEMORY) {
        struct session *again = palloc(sizeof *again);

        asked->is_large = true;
        if (try_load(again, names, identity->table, ask, &cached, &other) == STATUS_OK)
            return cached;
    }
    session_raise(session, &err, SLICE(""), false);
    return NULL;
}

/* With one holder more. */
static struct cached_model *find_or_load(const struct names *names, struct series_ask *ask,
                                         bool *is_read)
{
    const Oid table = find_table(names);
    struct model_identity identity;
    const bool is_identified = OidIsValid(table) && model_heap_identify(table, &identity);
    struct cached_model *cached = is_identified ? find_model(&identity) : NULL;

    *is_read = !cached;
    if (cached) {
        held_models_take(&cache.models, &cached->held);
        return cached;
    }
    if (is_identified)
        held_models_free_where(&cache.models, is_of_table, &table);
    cached = ask && is_identified ? load_for_series(names, &identity, ask)
                                  : load_model(names, is_identified ? table : InvalidOid);
    cached->held.may_stay = is_identified && !cached->is_of_one;
    if (is_identified)
        cached->identity = identity;
    held_models_add(&cache.models, &cached->held);
    return cached;
}

struct cached_model *model_cache_take(const text *path, bool *is_read)
{
    const struct names names = read_names(path);
    struct cached_model *cached = find_or_load(&names, NULL, is_read);

    held_models_free_beyond(&cache.models, bytes_max());
    return cached;
}

struct cached_model *model_cache_take_series(const text *path, struct slice series, bool *is_there)
{
    const struct names names = read_names(path);
    struct series_ask ask = {series, true};
    bool is_read;
    struct cached_model *cached = find_or_load(&names, &ask, &is_read);

    held_models_free_beyond(&cache.models, bytes_max());
    *is_there = ask.is_there;
    return cached;
}

void model_cache_give_back(struct cached_model *cached)
{
    held_models_give_back(&cache.models, &cached->held);
    held_models_free_beyond(&cache.models, bytes_max());
}
