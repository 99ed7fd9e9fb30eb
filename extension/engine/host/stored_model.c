#include "extension/engine/host/stored_model.h"

#include <stdlib.h>

#include "base/memory_size.h"
#include "base/process/log.h"
#include "base/process/memory_limit.h"
#include "base/sums/hash.h"
#include "extension/engine/host/stored.h"
#include "kinds/kinds.h"
#include "planner/plan/model_room.h"

#define SHARE 4 /* a model may take one of so many parts of the memory */

/* ----- how much a session loads ----- */

void stored_model_limit(struct host *host, uint64_t bytes, const char *setting)
{
    struct catalog_limits *limits = &host->catalog.limits;
    const uint64_t most = host->session.memory_max;

    limits->model_memory = bytes > 0 ? bytes : memory_limit() / SHARE;
    limits->model_memory_decision = setting;
    if (most == 0 || most >= limits->model_memory)
        return;
    limits->model_memory = most;
    limits->model_memory_decision = "totrain.max_memory";
}

void stored_model_limit_of_environment(struct host *host)
{
    const char *said = getenv("TOTRAIN_MODEL_MEMORY");
    double bytes = 0;

    if (said && *said && !(memory_size_read(slice_of(said), &bytes) && bytes >= 1)) {
        log_warning("TOTRAIN_MODEL_MEMORY is \"%s\"; expected an amount of memory, such as 512Mi",
                    said);
        bytes = 0;
    }
    stored_model_limit(host, (uint64_t)bytes, "TOTRAIN_MODEL_MEMORY");
}

/* ----- into memory ----- */

enum status stored_model_load(const struct host *host, struct slice schema, struct slice name,
                              struct arena *arena, struct model *model, struct error *err)
{
    struct arena meta;
    struct model known;
    double multiplications;
    enum status status;

    arena_init(&meta, ARENA_MAXIMUM);
    status = host->models->load_meta(host->self, schema, name, &meta, &known, err);
    if (status == STATUS_OK)
        status = model_room_check(&host->catalog.limits, name, known.memory, err);
    multiplications = status == STATUS_OK ? known.multiplications : 0;
    arena_deinit(&meta);
    if (status == STATUS_LIMIT)
        return status;
    error_clear(err); /* whatever else is wrong with it the load says */
    TRY(host->models->load(host->self, schema, name, arena, model, err));
    model->multiplications = multiplications;
    return STATUS_OK;
}

/* ----- row by row ----- */

struct copying {
    model_row_sink *sink;
    void *context;
    struct arena *arena;
    struct model *model;
    uint64_t metas, meta_hash; /* meta rows that came by */
    uint64_t rows;
};

static uint64_t hash_of(const struct model_row *row)
{
    return row->has_data ? bytes_hash(row->data.data, row->data.size, 0) : 0;
}

static enum status take_meta(void *context, const struct model_row *row, struct error *err)
{
    struct copying *copying = context;

    copying->metas++;
    copying->meta_hash = hash_of(row);
    TRY(model_read_meta(row->has_data ? row->data : SLICE(""), kinds, copying->arena,
                        copying->model, err));
    return copying->sink(copying->context, row, err);
}

/* It comes by once more, with the rows that are its own; where those are another model's by now,
 * that model's does. */
static enum status compare_meta(struct copying *copying, const struct model_row *row,
                                struct error *err)
{
    if (hash_of(row) != copying->meta_hash)
        return fail(err, STATUS_STALE, "the model was replaced meanwhile: run the statement again");
    return ++copying->metas == 2 ? STATUS_OK
                                 : fail(err, STATUS_CORRUPT, "model: there are two meta rows");
}

static enum status take_row(void *context, const struct model_row *row, struct error *err)
{
    struct copying *copying = context;

    if (++copying->rows > MODEL_ROWS_MAX)
        return fail(err, STATUS_CORRUPT, "model: more than %llu rows",
                    (unsigned long long)MODEL_ROWS_MAX);
    if (slice_is(row->part, "weight"))
        return STATUS_OK;
    if (slice_is(row->part, "meta"))
        return compare_meta(copying, row, err);
    if (slice_is(row->part, "tensor"))
        TRY(model_chunk_check(row, err));
    return copying->sink(copying->context, row, err);
}

enum status stored_model_copy(const struct host *host, struct slice schema, struct slice name,
                              model_row_sink *sink, void *context, struct arena *arena,
                              struct model *model, struct error *err)
{
    struct copying copying = {.sink = sink, .context = context, .arena = arena, .model = model};
    enum status status;

    status = host->models->each_row(host->self, schema, name, true, take_meta, &copying, err);
    if (status == STATUS_OK && copying.metas == 0)
        return refuse_no_model(name, err);
    TRY(status);
    return host->models->each_row(host->self, schema, name, false, take_row, &copying, err);
}
