/*
 * The publisher's side of a detached job that scored: its table into the database, once.
 */
#include "extension/engine/score/score_deliver.h"

#include "extension/engine/score/score.h"
#include "extension/engine/score/score_job.h"
#include "extension/engine/score/score_results.h"

struct delivering {
    const struct host *host;
    const struct delivery_order *order;
    struct scored scored;
    struct arena arena;
};

/* What a job that scored wrote before its publisher was killed is not written over: the user
 * may have gone on with it. */
static bool is_there_already(struct delivering *delivering, const struct fill *target)
{
    const struct host *host = delivering->host;

    return !delivering->order->is_first &&
           host->marks->has(host->self, target->target.schema, target->target.name,
                            delivering->order->mark);
}

struct metrics_row_source {
    const struct cell *cells;
    size_t count;
};

static enum status put_metrics(void *context, const struct fill_sink *sink, struct error *err)
{
    const struct metrics_row_source *source = context;
    return sink->put(sink->self, 0, source->cells, source->count, err);
}

/* As write_row makes it, and with a mark. */
static enum status write_marked(struct delivering *delivering, struct fill *target,
                                const struct slice *names, const struct cell *cells, size_t count,
                                struct error *err)
{
    const struct host *host = delivering->host;
    struct metrics_row_source source = {cells, count};
    struct text create;
    enum status status;

    text_init(&create, TEXT_MAXIMUM);
    text_append_string(&create, "CREATE TABLE ");
    text_append_identifier(&create, target->target.name);
    for (size_t i = 0; i < count; i++) {
        text_append_string(&create, i == 0 ? " (" : ", ");
        text_append_identifier(&create, names[i]);
    }
    text_append_char(&create, ')');
    target->create = text_slice(&create);
    target->mark = delivering->order->mark;
    status = create.failed
                 ? fail_no_memory(err)
                 : host->tables->fill_rows(host->self, target, 1, put_metrics, &source, err);
    text_deinit(&create);
    return status;
}

static enum status deliver_metrics(struct delivering *delivering, uint64_t *rows, struct error *err)
{
    const struct spec_scoring *spec = &delivering->order->spec->scoring;
    const struct host *host = delivering->host;
    struct slice names[METRICS_MAX + 1] = {SLICE("loss")};
    struct cell cells[METRICS_MAX + 1];
    struct fill target;

    *rows = 1;
    for (size_t i = 0; i < spec->metric_count; i++)
        names[i + 1] = spec->metrics[i];
    TRY(score_job_target(delivering->order->store, delivering->order->spec, 0, &delivering->arena,
                         &target, err));
    if (is_there_already(delivering, &target))
        return STATUS_OK;
    TRY(host->tables->check_target(host->self, &target.target, err));
    TRY(score_job_metrics(&delivering->scored, delivering->order->store, &delivering->arena, NULL,
                          cells, err));
    return write_marked(delivering, &target, names, cells, spec->metric_count + 1, err);
}

static enum status deliver_predictions(struct delivering *delivering, uint64_t *rows,
                                       struct error *err)
{
    const struct delivery_order *order = delivering->order;
    const struct host *host = delivering->host;
    const size_t count = order->spec->scoring.keeps_bad_rows ? 2 : 1;
    struct fill fills[2];
    uint64_t counted[2];

    for (size_t i = 0; i < count; i++) {
        TRY(score_job_target(order->store, order->spec, (int)i, &delivering->arena, &fills[i],
                             err));
        fills[i].mark = order->mark;
    }
    if (is_there_already(delivering, &fills[0])) {
        TRY(scored_count(&delivering->scored, order->store, counted, err));
        *rows = counted[0];
        return STATUS_OK;
    }
    for (size_t i = 0; i < count; i++) /* again, as hours may lie between */
        TRY(host->tables->check_target(host->self, &fills[i].target, err));
    TRY(scored_fill(&delivering->scored, host, order->store, fills, count, err));
    *rows = fills[0].rows;
    return STATUS_OK;
}

enum status score_job_deliver(const struct host *host, const struct delivery_order *order,
                              uint64_t *rows, struct error *err)
{
    struct delivering delivering = {.host = host, .order = order};
    enum status status;

    TRY(scored_open(&delivering.scored, order->folder, order->spec, err));
    arena_init(&delivering.arena, MODEL_ARENA_MAX);
    status = order->spec->kind == SPEC_PREDICT ? deliver_predictions(&delivering, rows, err)
                                               : deliver_metrics(&delivering, rows, err);
    arena_deinit(&delivering.arena);
    scored_close(&delivering.scored);
    return status;
}
