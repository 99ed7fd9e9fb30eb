#include "extension/postgres/server/model_cache.h"

#include <stdlib.h>

#include <catalog/namespace.h>
#include <nodes/makefuncs.h>
#include <utils/inval.h>

#include "codegen/model_path.h"
#include "extension/postgres/server/settings.h"
#include "extension/postgres/sql/postgres_host.h"

static struct {
    struct held_models models;
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

static enum status load_into(struct sql_host *host, const struct names *names,
                             struct cached_model **made, struct error *err)
{
    const struct slice schema =
        names->schema ? session_to_utf8(names->schema, strlen(names->schema)) : SLICE("");
    const struct slice name = session_to_utf8(names->name, strlen(names->name));
    struct cached_model *cached = calloc(1, sizeof *cached);
    enum status status;

    if (!cached)
        return fail_no_memory(err);
    cached->model_memory = settings.model_memory;
    cached->max_memory = settings.max_memory;
    status = held_model_load(
        &cached->held, &host->host, schema, name,
        settings.max_memory > 0 ? (size_t)settings.max_memory * 1024 : MODEL_ARENA_MAX, err);
    if (status != STATUS_OK) {
        free(cached);
        return status;
    }
    *made = cached;
    return STATUS_OK;
}

/* `table` is InvalidOid where the name has to be looked up, and an error to be told. Where memory
 * has run out other models give theirs. Nothing is thrown before what was malloc'd is freed. */
static struct cached_model *load_model(const struct names *names, Oid table)
{
    struct session *session = palloc(sizeof *session);
    struct sql_host *host = palloc(sizeof *host);
    struct cached_model *cached = NULL;
    enum status status;
    struct error err;

    session_init(session, true);
    postgres_host_init(host, &session->database, "", NULL);
    settings_limit_memory(&host->host);
    host->relation = table;
    status = load_into(host, names, &cached, &err);
    if (status == STATUS_NO_MEMORY && cache.models.newest && !session->interrupt) {
        held_models_free_beyond(&cache.models, 0);
        status = load_into(host, names, &cached, &err);
    }
    if (status != STATUS_OK)
        session_raise(session, &err, SLICE(""), false);
    return cached;
}

/* With one holder more. */
static struct cached_model *find_or_load(const struct names *names, bool *is_read)
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
    cached = load_model(names, is_identified ? table : InvalidOid);
    cached->held.may_stay = is_identified;
    if (is_identified)
        cached->identity = identity;
    held_models_add(&cache.models, &cached->held);
    return cached;
}

struct cached_model *model_cache_take(const text *path, bool *is_read)
{
    const struct names names = read_names(path);
    struct cached_model *cached = find_or_load(&names, is_read);

    held_models_free_beyond(&cache.models, bytes_max());
    return cached;
}

void model_cache_give_back(struct cached_model *cached)
{
    held_models_give_back(&cache.models, &cached->held);
    held_models_free_beyond(&cache.models, bytes_max());
}
