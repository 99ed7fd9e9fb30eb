#include "runtime/score/dispatch_record.h"

#include <math.h>

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

void dispatch_fill_row(const void *leader, struct job_row *row)
{
    const struct dispatch *dispatch = leader;

    if (dispatch->options.stages) /* a job that trains has made no step yet */
        return;
    row->step = shards_done(dispatch);
    row->steps = shards_in_all(dispatch);
    row->rows_done = dispatch_rows_done(dispatch);
    row->rows_redone = dispatch->rows_redone;
}

void dispatch_fill_report(const void *leader, struct job_event *event)
{
    const struct dispatch *dispatch = leader;

    event->step = shards_done(dispatch);
    event->steps = shards_in_all(dispatch);
    /* Rows that masters before have settled say nothing of the time of this one. */
    event->seconds_left = crew_seconds_left(&dispatch->crew, event->seconds,
                                            dispatch_rows_done(dispatch) - dispatch->rows_before,
                                            dispatch->options.rows - dispatch->rows_before);
    if (dispatch->options.stages)
        event->rows_per_second = 0; /* it would be a rate of shards */
}

void dispatch_put_worker(const struct dispatch *dispatch, uint32_t index, const char *state,
                         struct outbox *outbox)
{
    crew_put_member(&dispatch->crew, index, state, dispatch->workers[index].lease_count, 0, outbox);
}

void dispatch_note_progress(struct dispatch *dispatch, int64_t now_ms, struct outbox *outbox)
{
    /* The first progress of each dispatcher is reported at once: from it the launcher knows that
     * dispatchers which do not live long make progress. */
    const bool is_first =
        !dispatch->has_got_on && dispatch_rows_done(dispatch) > dispatch->rows_before;

    if (!is_first && !crew_is_report_due(&dispatch->crew, now_ms))
        return;
    dispatch->has_got_on = dispatch->has_got_on || is_first;
    crew_note_rate(&dispatch->crew, now_ms, dispatch_rows_done(dispatch));
    crew_put_progress(
        &dispatch->crew, now_ms,
        dispatch->has_started || dispatch->options.stages ? JOB_PROGRESS : JOB_STARTED, outbox);
    dispatch->has_started = true;
}
