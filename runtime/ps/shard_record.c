#include "runtime/ps/shard_record.h"

#include <math.h>
#include <string.h>

#define RATE_SECONDS_LEAST 0.05

static double seconds_since(int64_t now_ms, int64_t then_ms)
{
    return (double)(now_ms - then_ms) / 1000;
}

static uint64_t steps_done(const struct shard_master *master)
{
    return (uint64_t)master->board.done * master->plan.batches;
}

static uint64_t steps_in_all(const struct shard_master *master)
{
    return (uint64_t)master->board.shards * master->plan.batches;
}

static uint64_t rows_done(const struct shard_master *master)
{
    const struct shard_plan *plan = &master->plan;

    if (plan->shards_per_epoch == 0)
        return 0;
    return master->board.done / plan->shards_per_epoch * plan->rows +
           master->board.done % plan->shards_per_epoch * plan->rows / plan->shards_per_epoch;
}

/* The epoch of the last shard done, from 1; 0: no shard is done. */
static uint32_t epoch_of(const struct shard_master *master)
{
    const uint32_t done = master->board.done;

    return done == 0 ? 0 : (done - 1) / master->plan.shards_per_epoch + 1;
}

void shard_count_slots(struct shard_master *master, int64_t now_ms)
{
    usage_count(&master->usage, now_ms, shard_master_has_ended(master) ? 0 : master->live);
}

struct job_row shard_master_job_row(struct shard_master *master, int64_t now_ms)
{
    const struct shard_master_options *options = &master->options;
    int64_t waited = master->waited_ms;
    struct job_row row;

    shard_count_slots(master, now_ms);
    if (master->state == JOB_STATE_WAITING)
        waited += now_ms - master->waiting_since;
    memset(&row, 0, sizeof row);
    row.id = (int64_t)options->job;
    row.state = master->state;
    job_facts_fill(&options->facts, &row);
    row.workers = master->live;
    row.step = steps_done(master);
    row.steps = steps_in_all(master);
    row.epoch = epoch_of(master);
    row.epochs = master->plan.epochs;
    row.rows_done = rows_done(master);
    row.loss = master->loss;
    row.validation_loss = (double)NAN;
    row.goodput = usage_goodput(&master->usage, row.rows_done);
    row.slot_seconds = usage_slot_seconds(&master->usage);
    row.seconds_waiting = (double)waited / 1000;
    row.seconds = seconds_since(now_ms, master->started_at);
    row.rows_per_second = master->rows_per_second;
    slice_copy(slice_of(master->failure.message), row.error, sizeof row.error);
    return row;
}

void shard_put_job(struct shard_master *master, int64_t now_ms, struct outbox *outbox)
{
    const struct job_row row = shard_master_job_row(master, now_ms);

    outbox_put(outbox, OUTBOX_JOB, &row, sizeof row);
}

uint32_t shard_index_of(const struct shard_master *master, const struct shard_member *member)
{
    const uint32_t workers = master->options.worker_count;
    const bool is_worker = member >= master->workers && member < master->workers + workers;

    return is_worker ? (uint32_t)(member - master->workers)
                     : workers + (uint32_t)(member - master->servers);
}

void shard_put_member(const struct shard_master *master, const struct shard_member *member,
                      const char *state, struct outbox *outbox)
{
    struct worker_row row;

    memset(&row, 0, sizeof row);
    row.index = shard_index_of(master, member);
    row.incarnation = member->incarnation;
    row.state = state;
    outbox_put(outbox, OUTBOX_WORKER, &row, sizeof row);
}

void shard_put_event(const struct shard_master *master, int64_t now_ms, int64_t index,
                     const char *event, struct outbox *outbox, const char *format, ...)
{
    const int64_t workers = master->options.worker_count;
    const bool is_server = index >= workers;
    va_list arguments;

    va_start(arguments, format);
    outbox_put_event(outbox, seconds_since(now_ms, master->started_at),
                     is_server   ? "server"
                     : index < 0 ? "master"
                                 : "worker",
                     is_server ? index - workers : index, event, format, arguments);
    va_end(arguments);
}

void shard_report(const struct shard_master *master, int64_t now_ms, enum job_event_kind kind,
                  struct outbox *outbox)
{
    struct job_event event;

    memset(&event, 0, sizeof event);
    error_clear(&event.error);
    event.kind = kind;
    event.step = steps_done(master);
    event.steps = steps_in_all(master);
    event.epoch = epoch_of(master);
    event.epochs = master->plan.epochs;
    event.workers = master->live;
    event.rows_per_second = master->rows_per_second;
    event.loss = master->loss;
    event.validation_loss = event.validation_score = (double)NAN;
    event.seconds = seconds_since(now_ms, master->started_at);
    event.seconds_left = (double)NAN;
    if (event.step > 0)
        event.seconds_left =
            event.seconds * (double)(event.steps - event.step) / (double)event.step;
    if (kind == JOB_FAILED)
        event.error = master->failure;
    outbox_put(outbox, OUTBOX_REPORT, &event, sizeof event);
}

void shard_note_part(struct shard_master *master, uint32_t shard, struct batch_loss loss)
{
    struct epoch_loss *of = master->losses + shard / master->plan.shards_per_epoch;

    of->loss += loss.loss;
    of->rows += loss.rows;
}

void shard_note_loss(struct shard_master *master, uint32_t shard, struct batch_loss loss,
                     struct outbox *outbox)
{
    const uint32_t epoch = shard / master->plan.shards_per_epoch;
    struct epoch_loss *of = master->losses + epoch;
    struct metric_row row = {.epoch = epoch + 1, .metric = "loss", .part = "train"};

    shard_note_part(master, shard, loss);
    of->shards++;
    if (loss.rows > 0)
        master->loss = loss.loss / (double)loss.rows;
    if (of->shards != master->plan.shards_per_epoch || of->rows == 0)
        return;
    row.step = (uint64_t)(epoch + 1) * master->plan.shards_per_epoch * master->plan.batches;
    row.value = of->loss / (double)of->rows;
    outbox_put(outbox, OUTBOX_METRIC, &row, sizeof row);
}

static void note_rate(struct shard_master *master, int64_t now_ms)
{
    const double seconds = seconds_since(now_ms, master->rate_at);
    const uint64_t rows = rows_done(master);

    if (seconds < RATE_SECONDS_LEAST)
        return;
    if (rows >= master->rate_rows)
        master->rows_per_second = (double)(rows - master->rate_rows) / seconds;
    master->rate_at = now_ms;
    master->rate_rows = rows;
}

void shard_note_progress(struct shard_master *master, int64_t now_ms, struct outbox *outbox)
{
    if (master->has_started && now_ms - master->reported_at < master->options.report_ms)
        return;
    master->reported_at = now_ms;
    note_rate(master, now_ms);
    shard_put_job(master, now_ms, outbox);
    shard_report(master, now_ms, master->has_started ? JOB_PROGRESS : JOB_STARTED, outbox);
    master->has_started = true;
}
