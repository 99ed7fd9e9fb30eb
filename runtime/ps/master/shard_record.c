#include "runtime/ps/master/shard_record.h"

#include <stdio.h>

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

void shard_fill_row(const void *leader, struct job_row *row)
{
    const struct shard_master *master = leader;

    row->step = steps_done(master);
    row->steps = steps_in_all(master);
    row->epoch = epoch_of(master);
    row->epochs = master->plan.epochs;
    row->rows_done = rows_done(master);
    row->loss = master->loss;
}

uint32_t shard_index_of(const struct shard_master *master, const struct shard_member *member)
{
    return (uint32_t)(member - master->workers);
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

void shard_fill_report(const void *leader, struct job_event *event)
{
    const struct shard_master *master = leader;

    if (event->kind == JOB_STARTED && master->crew.options->facts.previous)
        snprintf(event->message, sizeof event->message, "another master leads");
}

void shard_note_progress(struct shard_master *master, int64_t now_ms, struct outbox *outbox)
{
    if (master->has_started && !crew_is_report_due(&master->crew, now_ms))
        return;
    crew_note_rate(&master->crew, now_ms, rows_done(master));
    crew_put_progress(&master->crew, now_ms, master->has_started ? JOB_PROGRESS : JOB_STARTED,
                      outbox);
    master->has_started = true;
}
