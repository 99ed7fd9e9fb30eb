#include "runtime/train/worker/worker_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/train/worker/worker_damage.h"
#include "runtime/train/worker/worker_parts.h"

static void send_progress(const struct worker *worker, const struct message_progress *progress,
                          struct outbox *outbox)
{
    struct message message = worker_message(worker, MESSAGE_PROGRESS);

    message.progress = *progress;
    outbox_send(outbox, worker->master, &message);
}

_Static_assert(2 * METRICS_MAX <= FIELD_REALS_MAX, "the metrics of a round fit into a message");

static void describe_metrics(const struct learner_report *report, struct field_reals *metrics)
{
    const uint32_t count = report->metric_count;

    metrics->count = 2 * count;
    memcpy(metrics->values, report->train_metrics, count * sizeof *metrics->values);
    memcpy(metrics->values + count, report->validation_metrics, count * sizeof *metrics->values);
}

static struct message_progress describe(const struct worker *worker,
                                        const struct learner_report *report)
{
    const struct phase *phase = &worker->learner->phase;
    struct message_progress progress = {
        .phase = phase->number,
        .step = phase->step,
        .steps = worker->learner->steps_total,
        .epochs = worker->learner->epochs_total,
        .rows_done = worker->rows_done,
        .rows_redone = worker->rows_redone,
        .epoch = report->epoch ? report->epoch : phase->epoch + 1,
        .evaluated = report->evaluated,
        .loss =
            worker->loss_rows > 0 ? worker->loss_total / (double)worker->loss_rows : (double)NAN,
        .validation_loss = report->evaluated ? report->validation_loss : (double)NAN,
        .validation_score = report->evaluated ? report->validation_score : (double)NAN,
    };

    describe_metrics(report, &progress.metrics);
    return progress;
}

enum status worker_make_rings(struct record_ring *records, struct record_ring *evaluations,
                              struct error *err)
{
    *records = (struct record_ring){.most = WORKER_RECORDS_MAX};
    *evaluations = (struct record_ring){.most = WORKER_EVALUATIONS_MAX};
    records->list = calloc(records->most, sizeof *records->list);
    evaluations->list = calloc(evaluations->most, sizeof *evaluations->list);
    return records->list && evaluations->list ? STATUS_OK : fail_no_memory(err);
}

static void add_record(struct record_ring *ring, const struct message_progress *progress)
{
    ring->list[ring->count++ % ring->most] = *progress;
}

/* Every member holds the records, rank 0 sends them. GROUP names the phase up to which the master
 * has them, and rank 0 of the new group sends the rest: the old rank 0 may have died, or the master
 * may have been away. */
void worker_note_report(struct worker *worker, int64_t now_ms, const struct learner_report *report,
                        struct outbox *outbox)
{
    uint32_t every = worker->options.log_every_steps;
    struct message_progress progress;

    if (report->step_applied) {
        worker->rows_done += report->rows_applied;
        worker->loss_total += report->train_loss * (double)report->rows_applied;
        worker->loss_rows += report->rows_applied;
    }
    progress = describe(worker, report);
    progress.is_record = report->evaluated || report->epoch_ended ||
                         (report->step_applied && every > 0 && progress.step % every == 0);
    if (progress.is_record) {
        add_record(progress.evaluated ? &worker->evaluations : &worker->records, &progress);
        worker->loss_total = 0;
        worker->loss_rows = 0;
    }
    if (worker->group.rank != 0 ||
        (!progress.is_record && now_ms - worker->progress_at < worker->options.progress_ms))
        return;
    worker->progress_at = now_ms;
    send_progress(worker, &progress, outbox);
}

static uint64_t first_of(const struct record_ring *ring)
{
    return ring->count > ring->most ? ring->count - ring->most : 0;
}

/* NULL: there is none. */
static const struct message_progress *record_at(const struct record_ring *ring, uint64_t number)
{
    return number < ring->count ? &ring->list[number % ring->most] : NULL;
}

/* In the order of their phases: the master takes none that is older than one it has. */
void worker_repeat_records(struct worker *worker, struct outbox *outbox)
{
    uint64_t next_record = first_of(&worker->records),
             next_evaluation = first_of(&worker->evaluations);

    if (worker->group.rank != 0)
        return;
    for (;;) {
        const struct message_progress *record = record_at(&worker->records, next_record);
        const struct message_progress *evaluation =
            record_at(&worker->evaluations, next_evaluation);
        const bool is_record = record && (!evaluation || record->phase < evaluation->phase);
        const struct message_progress *next = is_record ? record : evaluation;

        if (!next)
            return;
        next_record += is_record;
        next_evaluation += !is_record;
        if (next->phase > worker->recorded)
            send_progress(worker, next, outbox);
    }
}

void worker_announce_model(struct worker *worker, struct outbox *outbox)
{
    struct learner_report nothing;
    struct message message = worker_message(worker, MESSAGE_PUBLISHING);
    struct message_progress progress;

    if (worker->group.rank != 0)
        return;
    memset(&nothing, 0, sizeof nothing);
    progress = describe(worker, &nothing);
    send_progress(worker, &progress, outbox);
    outbox_send(outbox, worker->master, &message);
    worker->publication.is_due = true;
    worker->publication.is_asked = false;
}

void worker_on_model_next(struct worker *worker, const struct message *message)
{
    if (message->epoch != worker->group.epoch || !worker->publication.is_due)
        return;
    worker->publication.is_asked = true;
    worker->publication.next = message->model_next.row;
}

bool worker_must_publish(const struct worker *worker)
{
    const struct publication *publication = &worker->publication;

    return publication->is_due && (!publication->is_measured || publication->is_asked);
}

static enum status measure_some(struct worker *worker, struct error *err)
{
    struct publication *publication = &worker->publication;
    bool is_done;

    TRY(learner_measure(worker->learner, &is_done, err));
    if (!is_done)
        return STATUS_OK;
    worker_fault(worker, FAULT_PUBLISHING);
    TRY(learner_result(worker->learner, publication->digest, &publication->rows,
                       publication->metrics, &publication->metric_count, err));
    publication->is_measured = true;
    return STATUS_OK;
}

/* Messages are handled between two calls. */
static void measure(struct worker *worker, struct outbox *outbox)
{
    struct error err;

    error_clear(&err);
    if (measure_some(worker, &err) != STATUS_OK)
        worker_fail(worker, &err, outbox);
}

static enum status add_row(void *context, const struct model_row *row, struct error *err)
{
    struct text *rows = context;

    message_put_model_row(rows, &(struct message_model_row){.part = row->part,
                                                            .name = row->name,
                                                            .position = row->position,
                                                            .has_value = row->has_value,
                                                            .has_data = row->has_data,
                                                            .data_is_text = row->data_is_text,
                                                            .value = row->value,
                                                            .data = row->data});
    return rows->failed ? fail(err, STATUS_LIMIT,
                               "a row of the model has %zu bytes, which do not fit into a message "
                               "of %zu",
                               row->data.size, FRAME_PAYLOAD_MAX)
                        : STATUS_OK;
}

static void send_end(const struct worker *worker, uint64_t model_rows, struct outbox *outbox)
{
    const struct publication *publication = &worker->publication;
    struct message message;

    for (size_t i = 0; i < publication->metric_count; i++) {
        const struct result_metric *metric = &publication->metrics[i];

        message = worker_message(worker, MESSAGE_RESULT);
        message.result =
            (struct message_result){slice_of(metric->name), metric->train, metric->validation};
        outbox_send(outbox, worker->master, &message);
    }
    message = worker_message(worker, MESSAGE_FINISHED);
    message.finished = (struct message_finished){.digest = slice_of(publication->digest),
                                                 .step = worker->learner->phase.step,
                                                 .rows = publication->rows,
                                                 .model_rows = model_rows};
    outbox_send(outbox, worker->master, &message);
}

static enum status send_some(const struct worker *worker, struct text *rows, struct outbox *outbox,
                             struct error *err)
{
    const struct publication *publication = &worker->publication;
    struct message message = worker_message(worker, MESSAGE_MODEL_ROWS);
    uint64_t next = publication->next;
    bool is_at_end;

    TRY(learner_publish(worker->learner, publication->digest, &next, worker->options.model_bytes,
                        &is_at_end, add_row, rows, err));
    message.model_rows = (struct message_model_rows){publication->next, text_slice(rows)};
    if (next > publication->next)
        outbox_send(outbox, worker->master, &message);
    if (is_at_end) {
        TRY(learner_verify(worker->learner, LOOK_AT_ALL, NULL,
                           err)); /* nothing changed meanwhile */
        send_end(worker, next, outbox);
    }
    return STATUS_OK;
}

/* Sends the model's rows. A row that is too large for a message is found before any of it is copied
 * elsewhere. */
static void send_rows(struct worker *worker, struct outbox *outbox)
{
    struct error err;
    struct text rows;

    if (worker->fault.is_set)
        fault_reach(&worker->fault, FAULT_MODEL_SENT, "worker", worker->options.index,
                    worker->options.incarnation, worker->publication.next);
    worker->publication.is_asked = false;
    error_clear(&err);
    text_init(&rows, FRAME_PAYLOAD_MAX - MESSAGE_NAME_MAX);
    if (send_some(worker, &rows, outbox, &err) != STATUS_OK)
        worker_fail_or_damaged(worker, &err, outbox);
    text_deinit(&rows);
}

void worker_publish(struct worker *worker, struct outbox *outbox)
{
    if (worker->publication.is_measured)
        send_rows(worker, outbox);
    else
        measure(worker, outbox);
}
