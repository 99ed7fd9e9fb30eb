#include "runtime/train/master_record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double seconds_since(int64_t now_ms, int64_t then_ms)
{
    return (double)(now_ms - then_ms) / 1000;
}

static int64_t waited_ms(const struct master *master, int64_t now_ms)
{
    return master->waited_ms +
           (master->state == JOB_STATE_WAITING ? now_ms - master->waiting_since : 0);
}

struct job_row master_job_row(const struct master *master, int64_t now_ms)
{
    struct job_row row;

    memset(&row, 0, sizeof row);
    row.id = (int64_t)master->options.job;
    row.state = master->state;
    job_facts_fill(&master->options.facts, &row);
    row.workers = master->group.count;
    row.step = master->progress.step;
    row.rows_done = master->progress.rows_done;
    row.rows_redone = master->rows_redone;
    row.loss = master->loss;
    row.goodput = usage_goodput(&master->usage, master->progress.rows_done);
    row.slot_seconds = usage_slot_seconds(&master->usage);
    row.seconds_waiting = (double)waited_ms(master, now_ms) / 1000;
    row.seconds = seconds_since(now_ms, master->started_at);
    slice_copy(slice_of(master->failure.message), row.error, sizeof row.error);
    row.steps = master->progress.steps;
    row.epoch = master->progress.epoch;
    row.epochs = master->progress.epochs;
    row.rows_per_second = master->rows_per_second;
    row.validation_loss = master->validation_loss;
    return row;
}

void master_put_job(struct master *master, int64_t now_ms, struct outbox *outbox)
{
    struct job_row row = master_job_row(master, now_ms);

    outbox_put(outbox, OUTBOX_JOB, &row, sizeof row);
}

void master_put_worker(const struct master *master, uint32_t index, const char *state,
                       uint32_t lanes, struct outbox *outbox)
{
    struct worker_row row;

    memset(&row, 0, sizeof row);
    row.index = index;
    row.incarnation = master->workers[index].incarnation;
    row.lanes = lanes;
    row.state = state;
    row.rows_per_second = master->lanes > 0 ? master->rows_per_second * lanes / master->lanes : 0;
    outbox_put(outbox, OUTBOX_WORKER, &row, sizeof row);
}

void master_put_event(const struct master *master, int64_t now_ms, int64_t index, const char *event,
                      struct outbox *outbox, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    outbox_put_event(outbox, seconds_since(now_ms, master->started_at),
                     index < 0 ? "master" : "worker", index, event, format, arguments);
    va_end(arguments);
}

/* Tells the metrics of the rows that were held out. */
static void tell_metrics(const struct master *master, struct job_event *event)
{
    const size_t count = master->metrics.count / 2;

    for (size_t i = 0; i < count; i++) {
        struct event_metric *metric = &event->metrics[event->metric_count];

        if (isnan(master->metrics.values[count + i]))
            continue;
        snprintf(metric->name, sizeof metric->name, "%s", master->options.metrics[i].data);
        metric->value = master->metrics.values[count + i];
        event->metric_count++;
    }
}

void master_report(const struct master *master, int64_t now_ms, enum job_event_kind kind,
                   struct outbox *outbox)
{
    const struct message_progress *progress = &master->progress;
    struct job_event event;

    memset(&event, 0, sizeof event);
    error_clear(&event.error);
    event.kind = kind;
    event.step = progress->step;
    event.steps = progress->steps;
    event.epoch = progress->epoch;
    event.epochs = progress->epochs;
    event.workers = master->group.count;
    event.rows_per_second = master->rows_per_second;
    event.loss = master->loss;
    event.validation_loss = master->validation_loss;
    event.validation_score = master->validation_score;
    tell_metrics(master, &event);
    event.seconds = seconds_since(now_ms, master->started_at);
    event.seconds_left = (double)NAN;
    if (progress->step > 0 && progress->steps >= progress->step)
        event.seconds_left = (event.seconds - (double)master->ms_before / 1000) *
                             (double)(progress->steps - progress->step) / (double)progress->step;
    if (kind == JOB_FAILED)
        event.error = master->failure;
    if (kind == JOB_STARTED && master->options.facts.previous)
        snprintf(event.message, sizeof event.message, "another master leads");
    if (kind == JOB_DONE)
        snprintf(event.message, sizeof event.message, "%s", master->finished);
    outbox_put(outbox, OUTBOX_REPORT, &event, sizeof event);
}

void master_notice(const struct master *master, int64_t now_ms, struct outbox *outbox,
                   const char *format, ...)
{
    struct job_event event;
    va_list arguments;

    memset(&event, 0, sizeof event);
    error_clear(&event.error);
    event.kind = JOB_NOTICE;
    event.loss = event.validation_loss = event.validation_score = (double)NAN;
    event.seconds = seconds_since(now_ms, master->started_at);
    event.seconds_left = (double)NAN;
    va_start(arguments, format);
    vsnprintf(event.message, sizeof event.message, format, arguments);
    va_end(arguments);
    outbox_put(outbox, OUTBOX_REPORT, &event, sizeof event);
}

static void put_metric(const struct message_progress *progress, const char *metric,
                       const char *part, double value, struct outbox *outbox)
{
    struct metric_row row;

    if (isnan(value))
        return;
    memset(&row, 0, sizeof row);
    row.epoch = progress->epoch;
    row.step = progress->step;
    row.metric = metric;
    row.part = part;
    row.value = value;
    outbox_put(outbox, OUTBOX_METRIC, &row, sizeof row);
}

/* A number of metrics that is not the statement's is of a worker that is none of this job's. */
static bool has_metrics(const struct master *master, const struct field_reals *metrics)
{
    return metrics->count > 0 && metrics->count == 2 * master->options.metric_count;
}

static void put_metrics(const struct master *master, const struct message_progress *progress,
                        struct outbox *outbox)
{
    const size_t count = master->options.metric_count;

    if (!has_metrics(master, &progress->metrics))
        return;
    for (size_t i = 0; i < count; i++) {
        const char *name = master->options.metrics[i].data;

        put_metric(progress, name, "train", progress->metrics.values[i], outbox);
        put_metric(progress, name, "validation", progress->metrics.values[count + i], outbox);
    }
}

static void record(struct master *master, int64_t now_ms, const struct message_progress *progress,
                   struct outbox *outbox)
{
    /* A new rank 0 repeats what the old one may not have sent any more. */
    if (progress->phase <= master->recorded_phase)
        return;
    master->recorded_phase = progress->phase;
    put_metric(progress, "loss", "train", progress->loss, outbox);
    put_metric(progress, "seconds", "train", seconds_since(now_ms, master->started_at), outbox);
    if (progress->evaluated) {
        put_metric(progress, "loss", "validation", progress->validation_loss, outbox);
        put_metric(progress, "score", "validation", progress->validation_score, outbox);
    }
    put_metrics(master, progress, outbox);
}

static void note_rate(struct master *master, int64_t now_ms, uint64_t rows_done)
{
    double seconds = seconds_since(now_ms, master->rate_at);
    double rate;

    /* The state was lost: it starts again. Or masters before had most of these rows. */
    if (rows_done < master->rate_rows || !master->has_rate_base) {
        master->has_rate_base = true;
        master->rate_rows = rows_done;
        master->rate_at = now_ms;
        return;
    }
    if (seconds < 0.05)
        return;
    rate = (double)(rows_done - master->rate_rows) / seconds;
    master->rows_per_second =
        master->rows_per_second > 0 ? 0.7 * master->rows_per_second + 0.3 * rate : rate;
    master->rate_at = now_ms;
    master->rate_rows = rows_done;
}

void master_note_progress(struct master *master, int64_t now_ms,
                          const struct message_progress *progress, struct outbox *outbox)
{
    master->progress = *progress;
    /* Survivors count the same abandoned rows; a new rank 0 may have seen fewer. */
    if (progress->rows_redone > master->rows_redone)
        master->rows_redone = progress->rows_redone;
    if (!isnan(progress->loss))
        master->loss = progress->loss;
    if (progress->evaluated) {
        master->validation_loss = progress->validation_loss;
        master->validation_score = progress->validation_score;
    }
    if (has_metrics(master, &progress->metrics))
        master->metrics = progress->metrics;
    note_rate(master, now_ms, progress->rows_done);
    usage_report(&master->usage, now_ms, master->group.epoch, master->group.count,
                 progress->rows_done);
    if (progress->is_record)
        record(master, now_ms, progress, outbox);
    if (now_ms - master->reported_at < master->options.report_ms)
        return;
    master->reported_at = now_ms;
    master_put_job(master, now_ms, outbox);
    master_report(master, now_ms, JOB_PROGRESS, outbox);
}

void master_note_lost_rows(struct master *master)
{
    struct message_progress *progress = &master->progress;
    const struct checkpoint *stored = &master->stored;

    for (uint32_t index = 0; index < master->options.max_workers; index++)
        if (master->workers[index].peer != PEER_NONE &&
            (master->workers[index].has_worked || master->workers[index].phase > stored->phase))
            return; /* it knows more than the store */
    if (progress->rows_done > stored->rows_done)
        master->rows_redone += progress->rows_done - stored->rows_done;
    progress->rows_done = stored->rows_done;
    progress->step = stored->step;
    master->phase_most = stored->phase;
}
