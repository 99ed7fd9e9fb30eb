#include "runtime/train/master/master_record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void master_fill_row(const void *leader, struct job_row *row)
{
    const struct master *master = leader;

    row->workers = master->group.count;
    row->step = master->progress.step;
    row->steps = master->progress.steps;
    row->epoch = master->progress.epoch;
    row->epochs = master->progress.epochs;
    row->rows_done = master->progress.rows_done;
    row->rows_redone = master->rows_redone;
    row->loss = master->loss;
    row->validation_loss = master->validation_loss;
}

void master_put_worker(const struct master *master, uint32_t index, const char *state,
                       uint32_t lanes, struct outbox *outbox)
{
    const double rate =
        master->lanes > 0 ? master->crew.rows_per_second * lanes / master->lanes : 0;

    crew_put_member(&master->crew, index, state, lanes, rate, outbox);
}

/* Tells the metrics of the rows that were held out. */
static void tell_metrics(const struct master *master, struct job_event *event)
{
    const size_t count = master->metrics.count / 2;

    for (size_t i = 0; i < count; i++) {
        struct event_metric *metric = &event->metrics[event->metric_count];

        if (isnan(master->metrics.values[count + i]))
            continue;
        slice_copy(master->options.metrics[i], metric->name, sizeof metric->name);
        metric->value = master->metrics.values[count + i];
        event->metric_count++;
    }
}

void master_fill_report(const void *leader, struct job_event *event)
{
    const struct master *master = leader;

    event->validation_score = master->validation_score;
    tell_metrics(master, event);
    if (event->kind == JOB_STARTED && master->crew.options->facts.previous)
        snprintf(event->message, sizeof event->message, "another master leads");
    if (event->kind == JOB_DONE)
        snprintf(event->message, sizeof event->message, "%s", master->finished);
}

void master_notice(const struct master *master, int64_t now_ms, struct outbox *outbox,
                   const char *format, ...)
{
    struct job_event event = crew_event(&master->crew, now_ms, JOB_NOTICE);
    va_list arguments;

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
    put_metric(progress, "seconds", "train", crew_seconds(&master->crew, now_ms), outbox);
    if (progress->evaluated) {
        put_metric(progress, "loss", "validation", progress->validation_loss, outbox);
        put_metric(progress, "score", "validation", progress->validation_score, outbox);
    }
    put_metrics(master, progress, outbox);
}

static void note_rate(struct master *master, int64_t now_ms, uint64_t rows_done)
{
    const double seconds = (double)(now_ms - master->crew.rate_at) / 1000;
    double rate;

    /* The state was lost: it starts again. Or masters before had most of these rows. */
    if (rows_done < master->crew.rate_rows || !master->has_rate_base) {
        master->has_rate_base = true;
        master->crew.rate_rows = rows_done;
        master->crew.rate_at = now_ms;
        return;
    }
    if (seconds < 0.05)
        return;
    rate = (double)(rows_done - master->crew.rate_rows) / seconds;
    master->crew.rows_per_second =
        master->crew.rows_per_second > 0 ? 0.7 * master->crew.rows_per_second + 0.3 * rate : rate;
    master->crew.rate_at = now_ms;
    master->crew.rate_rows = rows_done;
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
    usage_report(&master->crew.usage, now_ms, master->group.epoch, master->group.count,
                 progress->rows_done);
    if (progress->is_record)
        record(master, now_ms, progress, outbox);
    if (crew_is_report_due(&master->crew, now_ms))
        crew_put_progress(&master->crew, now_ms, JOB_PROGRESS, outbox);
}

void master_note_lost_rows(struct master *master)
{
    struct message_progress *progress = &master->progress;
    const struct checkpoint *stored = &master->stored;

    for (uint32_t index = 0; index < master->crew.workers; index++)
        if (master->workers[index].member.peer != PEER_NONE &&
            (master->workers[index].has_worked || master->workers[index].phase > stored->phase))
            return; /* it knows more than the store */
    if (progress->rows_done > stored->rows_done)
        master->rows_redone += progress->rows_done - stored->rows_done;
    progress->rows_done = stored->rows_done;
    progress->step = stored->step;
    master->phase_most = stored->phase;
}
