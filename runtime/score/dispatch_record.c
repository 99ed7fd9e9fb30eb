#include "runtime/score/dispatch_record.h"

#include <math.h>
#include <string.h>

static double seconds_since(int64_t now_ms, int64_t then_ms)
{
    return (double)(now_ms - then_ms) / 1000;
}

uint64_t dispatch_rows_done(const struct dispatch *dispatch)
{
    struct ledger_counts counts;

    if (!dispatch->ledger)
        return 0;
    counts = ledger_counts(dispatch->ledger);
    return counts.rows_done + counts.rows_bad;
}

/* Shards are what a person can count; halves of one count when both are there. */
static uint64_t shards_of(const struct dispatch *dispatch, uint64_t rows)
{
    return rows / dispatch->options.shard_rows;
}

static uint64_t shards_in_all(const struct dispatch *dispatch)
{
    return shards_of(dispatch, dispatch->options.rows + dispatch->options.shard_rows - 1);
}

static uint64_t shards_done(const struct dispatch *dispatch)
{
    const uint64_t rows = dispatch_rows_done(dispatch);

    return rows == dispatch->options.rows ? shards_in_all(dispatch) : shards_of(dispatch, rows);
}

void dispatch_count_slots(struct dispatch *dispatch, int64_t now_ms)
{
    usage_count(&dispatch->usage, now_ms, dispatch_has_ended(dispatch) ? 0 : dispatch->live);
}

struct job_row dispatch_job_row(struct dispatch *dispatch, int64_t now_ms)
{
    const struct dispatch_options *options = &dispatch->options;
    struct job_row row;
    int64_t waited = dispatch->waited_ms;

    dispatch_count_slots(dispatch, now_ms);
    if (dispatch->state == JOB_STATE_WAITING)
        waited += now_ms - dispatch->waiting_since;
    memset(&row, 0, sizeof row);
    row.id = (int64_t)options->job;
    row.state = dispatch->state;
    job_facts_fill(&options->facts, &row);
    row.workers = dispatch->live;
    if (!options->stages) { /* a job that trains has made no step yet */
        row.step = shards_done(dispatch);
        row.steps = shards_in_all(dispatch);
        row.rows_done = dispatch_rows_done(dispatch);
        row.rows_redone = dispatch->rows_redone;
    }
    row.loss = row.validation_loss = (double)NAN;
    row.goodput = usage_goodput(&dispatch->usage, row.rows_done);
    row.slot_seconds = usage_slot_seconds(&dispatch->usage);
    row.seconds_waiting = (double)waited / 1000;
    row.seconds = seconds_since(now_ms, dispatch->started_at);
    slice_copy(slice_of(dispatch->failure.message), row.error, sizeof row.error);
    row.rows_per_second = dispatch->rows_per_second;
    return row;
}

void dispatch_put_job(struct dispatch *dispatch, int64_t now_ms, struct outbox *outbox)
{
    const struct job_row row = dispatch_job_row(dispatch, now_ms);

    outbox_put(outbox, OUTBOX_JOB, &row, sizeof row);
}

void dispatch_put_worker(const struct dispatch *dispatch, uint32_t index, const char *state,
                         struct outbox *outbox)
{
    struct worker_row row;

    memset(&row, 0, sizeof row);
    row.index = index;
    row.incarnation = dispatch->workers[index].incarnation;
    row.lanes = dispatch->workers[index].lease_count;
    row.state = state;
    outbox_put(outbox, OUTBOX_WORKER, &row, sizeof row);
}

void dispatch_put_event(const struct dispatch *dispatch, int64_t now_ms, int64_t index,
                        const char *event, struct outbox *outbox, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    outbox_put_event(outbox, seconds_since(now_ms, dispatch->started_at),
                     index < 0 ? "master" : "worker", index, event, format, arguments);
    va_end(arguments);
}

void dispatch_report(const struct dispatch *dispatch, int64_t now_ms, enum job_event_kind kind,
                     struct outbox *outbox)
{
    const uint64_t done = dispatch_rows_done(dispatch);
    struct job_event event;

    memset(&event, 0, sizeof event);
    error_clear(&event.error);
    event.kind = kind;
    event.step = shards_done(dispatch);
    event.steps = shards_in_all(dispatch);
    event.workers = dispatch->live;
    event.rows_per_second = dispatch->rows_per_second;
    event.loss = event.validation_loss = event.validation_score = (double)NAN;
    event.seconds = seconds_since(now_ms, dispatch->started_at);
    event.seconds_left = (double)NAN;
    if (done > 0)
        event.seconds_left = event.seconds * (double)(dispatch->options.rows - done) / (double)done;
    if (kind == JOB_FAILED)
        event.error = dispatch->failure;
    if (dispatch->options.stages)
        event.rows_per_second = 0; /* it would count shards */
    outbox_put(outbox, OUTBOX_REPORT, &event, sizeof event);
}

static void note_rate(struct dispatch *dispatch, int64_t now_ms)
{
    const double seconds = seconds_since(now_ms, dispatch->rate_at);
    const uint64_t rows = dispatch_rows_done(dispatch);

    if (seconds < 0.05)
        return;
    dispatch->rows_per_second = (double)(rows - dispatch->rate_rows) / seconds;
    dispatch->rate_at = now_ms;
    dispatch->rate_rows = rows;
}

void dispatch_note_progress(struct dispatch *dispatch, int64_t now_ms, struct outbox *outbox)
{
    /* The first progress of each dispatcher is reported at once: from it the launcher knows that
     * dispatchers which do not live long make progress. */
    const bool is_first =
        !dispatch->has_got_on && dispatch_rows_done(dispatch) > dispatch->rows_before;

    if (!is_first && now_ms - dispatch->reported_at < dispatch->options.report_ms)
        return;
    dispatch->has_got_on = dispatch->has_got_on || is_first;
    dispatch->reported_at = now_ms;
    note_rate(dispatch, now_ms);
    dispatch_put_job(dispatch, now_ms, outbox);
    dispatch_report(dispatch, now_ms,
                    dispatch->has_started || dispatch->options.stages ? JOB_PROGRESS : JOB_STARTED,
                    outbox);
    dispatch->has_started = true;
}
