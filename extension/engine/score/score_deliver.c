/*
 * The publisher's side of a detached job that scored: its table into the database, once.
 */
#include "extension/engine/score/score_deliver.h"

#include <string.h>

#include "extension/engine/jobs/staged.h"
#include "extension/engine/jobs/unpublished.h"
#include "extension/engine/rows/bad_rows.h"
#include "extension/engine/score/score.h"
#include "extension/engine/score/score_job.h"
#include "extension/engine/score/score_results.h"
#include "extension/engine/score/score_rows.h"

#define MARK_CHARACTERS "totrain job of 0123456789-:TZ"
#define MARK_ARENA_MAX  ((size_t)64 << 10)

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

/* A table that a job that scored wrote before its publisher was killed is not written over: the
 * user may have gone on with it. */
static bool is_there_already(struct delivering *delivering, const struct fill *target)
{
    const struct host *host = delivering->host;

    return !delivering->order->is_first &&
           host->marks->has(host->self, target->target.schema, target->target.name,
                            delivering->order->mark);
}

static enum status deliver_metrics(struct delivering *delivering, uint64_t *rows, struct error *err)
{
    const struct host *host = delivering->host;
    const struct stop stop = {host->session.interrupted, host->self};
    struct evaluation_rows made;
    struct fill target;

    *rows = 1;
    TRY(find_target(delivering, 0, &target, err));
    if (is_there_already(delivering, &target))
        return STATUS_OK;
    TRY(host->tables->check_target(host->self, &target.target, err));
    TRY(score_job_metrics(&delivering->scored, delivering->order->store, &delivering->arena, NULL,
                          &stop, NULL, &made, err));
    *rows = made.rows;
    return host->tables->write_rows(host->self, &target.target, made.names, made.columns,
                                    made.cells, made.rows, err);
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

bool score_job_is_delivered(const struct host *host, const struct delivery_order *order)
{
    struct delivering delivering = {.host = host, .order = order};
    struct error ignored;
    struct fill target;
    bool is_there;

    arena_init(&delivering.arena, MODEL_ARENA_MAX);
    is_there = find_target(&delivering, 0, &target, &ignored) == STATUS_OK &&
               is_there_already(&delivering, &target);
    arena_deinit(&delivering.arena);
    return is_there;
}

enum status score_job_mark(const struct job_row *row, struct arena *arena, struct slice *mark,
                           struct error *err)
{
    *mark = arena_printf(arena, "totrain job %lld of %s", (long long)row->id, row->started_at);
    if (!mark->data)
        return fail_no_memory(err);
    return strspn(mark->data, MARK_CHARACTERS) == mark->size
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT, "the job's store: the time when it began is damaged");
}

/* ----- of a job on a cluster ----- */

struct collecting {
    const struct host *host;
    const struct job_folder *folder;
    const struct jobspec *spec;
    uint64_t *rows;
};

/* In the transaction that marks the tables as over: there is no other that has written it. */
static enum status write_collected(void *context, struct journal *journal, struct error *err)
{
    const struct collecting *collecting = context;
    struct unpublished unpublished;
    struct delivery_order order = {
        .folder = collecting->folder, .spec = collecting->spec, .is_first = true};
    struct job_row row;
    struct arena arena;
    enum status status;

    TRY(unpublished_read(collecting->folder, &unpublished, err));
    order.schema = slice_of(unpublished.schema);
    TRY(job_replay(journal, collecting->folder, &order.store, &row, err));
    arena_init(&arena, MARK_ARENA_MAX);
    status = score_job_mark(&row, &arena, &order.mark, err);
    if (status == STATUS_OK)
        status = score_job_deliver(collecting->host, &order, collecting->rows, err);
    arena_deinit(&arena);
    jobstore_close(order.store);
    return status;
}

enum status score_job_collect(const struct host *host, int64_t number,
                              const struct job_folder *folder, const struct jobspec *spec,
                              uint64_t *rows, const struct sink *sink, struct error *err)
{
    struct collecting collecting = {host, folder, spec, rows};
    const struct collection collection = {.write = write_collected, .context = &collecting};

    return host->cluster->collect(host->cluster->self, number, &collection, sink, err);
}
