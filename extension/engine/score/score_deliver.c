/*
 * The publisher's side of a detached job that scored: its table into the database, once.
 */
#include "extension/engine/score/score_deliver.h"

#include "extension/engine/rows/bad_rows.h"
#include "extension/engine/score/score.h"
#include "extension/engine/score/score_job.h"
#include "extension/engine/score/score_results.h"
#include "extension/engine/score/score_rows.h"

struct delivering {
    const struct host *host;
    const struct delivery_order *order;
    struct scored scored;
    struct text faults;
    struct arena arena;
};

static enum status find_target(struct delivering *delivering, int position, struct fill *fill,
                               struct error *err)
{
    const struct delivery_order *order = delivering->order;

    TRY(score_job_target(order->store, order->spec, position, &delivering->arena, fill, err));
    fill->target.schema = order->schema;
    fill->target.mark = order->mark;
    return STATUS_OK;
}

/* What a job that scored wrote before its publisher was killed is not written over: the user
 * may have gone on with it. */
static bool is_there_already(struct delivering *delivering, const struct fill *target)
{
    const struct host *host = delivering->host;

    return !delivering->order->is_first &&
           host->marks->has(host->self, target->target.schema, target->target.name,
                            delivering->order->mark);
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
    TRY(find_target(delivering, 0, &target, err));
    if (is_there_already(delivering, &target))
        return STATUS_OK;
    TRY(host->tables->check_target(host->self, &target.target, err));
    TRY(score_job_metrics(&delivering->scored, delivering->order->store, &delivering->arena, NULL,
                          cells, err));
    return host->tables->write_row(host->self, &target.target, names, cells, spec->metric_count + 1,
                                   err);
}

static enum status restore_rows(struct delivering *delivering, struct error *err)
{
    TRY(score_rows_restore(delivering->host, delivering->order->folder, &delivering->faults, err));
    delivering->scored.faults = text_slice(&delivering->faults);
    return STATUS_OK;
}

static enum status deliver_predictions(struct delivering *delivering, uint64_t *rows,
                                       struct error *err)
{
    const struct delivery_order *order = delivering->order;
    const struct host *host = delivering->host;
    const size_t count = order->spec->scoring.keeps_bad_rows ? 2 : 1;
    struct fill fills[2];
    uint64_t counted[2];

    for (size_t i = 0; i < count; i++)
        TRY(find_target(delivering, (int)i, &fills[i], err));
    if (is_there_already(delivering, &fills[0])) {
        TRY(scored_count(&delivering->scored, order->store, counted, err));
        *rows = counted[0];
        return STATUS_OK;
    }
    for (size_t i = 0; i < count; i++) /* again, as hours may lie between */
        TRY(host->tables->check_target(host->self, &fills[i].target, err));
    if (host->kept_rows)
        TRY(restore_rows(delivering, err));
    TRY(scored_fill(&delivering->scored, host, order->store, fills, count, err));
    *rows = fills[0].rows;
    return STATUS_OK;
}

enum status score_job_deliver(const struct host *host, const struct delivery_order *order,
                              uint64_t *rows, struct error *err)
{
    struct delivering delivering = {.host = host, .order = order};
    enum status status;

    TRY(scored_open(&delivering.scored, order->folder->path, order->spec, err));
    text_init(&delivering.faults, BAD_ROWS_BYTES_MAX);
    arena_init(&delivering.arena, MODEL_ARENA_MAX);
    status = order->spec->kind == SPEC_PREDICT ? deliver_predictions(&delivering, rows, err)
                                               : deliver_metrics(&delivering, rows, err);
    arena_deinit(&delivering.arena);
    text_deinit(&delivering.faults);
    scored_close(&delivering.scored);
    return status;
}
