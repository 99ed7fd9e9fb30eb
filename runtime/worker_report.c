#include <math.h>
#include <string.h>

#include "runtime/worker_parts.h"

static void send_progress(const struct worker *worker, const struct message_progress *progress,
                          struct outbox *outbox)
{
    struct message message = worker_message(worker, MESSAGE_PROGRESS);

    message.progress = *progress;
    outbox_send(outbox, worker->master, &message);
}

static struct message_progress describe(const struct worker *worker,
                                        const struct learner_report *report)
{
    const struct phase *phase = worker->learning.phase(worker->learning.self);

    return (struct message_progress){
        .phase = phase->number,
        .step = phase->step,
        .steps = worker->learning.steps_total(worker->learning.self),
        .rows_done = worker->rows_done,
        .rows_redone = worker->rows_redone,
        .epoch = report->epoch ? report->epoch : phase->epoch + 1,
        .evaluated = report->evaluated,
        .loss =
            worker->loss_rows > 0 ? worker->loss_total / (double)worker->loss_rows : (double)NAN,
        .validation_loss = report->evaluated ? report->validation_loss : (double)NAN,
        .validation_score = report->evaluated ? report->validation_score : (double)NAN,
    };
}

/* Every member keeps the records, rank 0 sends them. Each new group says up to
 * where the master has them, and its rank 0 sends what is missing: the old one
 * may have died, or the master may have been away. */
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
        worker->records[worker->record_count++ % WORKER_RECORDS_MAX] = progress;
        worker->loss_total = 0;
        worker->loss_rows = 0;
    }
    if (worker->group.rank != 0 ||
        (!progress.is_record && now_ms - worker->progress_at < worker->options.progress_ms))
        return;
    worker->progress_at = now_ms;
    send_progress(worker, &progress, outbox);
}

void worker_repeat_records(struct worker *worker, struct outbox *outbox)
{
    uint64_t first =
        worker->record_count > WORKER_RECORDS_MAX ? worker->record_count - WORKER_RECORDS_MAX : 0;

    if (worker->group.rank != 0)
        return;
    for (uint64_t i = first; i < worker->record_count; i++) {
        const struct message_progress *record = &worker->records[i % WORKER_RECORDS_MAX];

        if (record->phase > worker->recorded)
            send_progress(worker, record, outbox);
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
    worker->must_publish = true;
}

struct row_sender {
    const struct worker *worker;
    struct outbox *outbox;
};

static enum status send_row(void *context, const struct model_row *row, struct error *err)
{
    struct row_sender *sender = context;
    struct message message = worker_message(sender->worker, MESSAGE_MODEL_ROW);

    message.model_row = (struct message_model_row){
        .part = row->part,
        .name = row->name,
        .position = row->position,
        .has_value = row->has_value,
        .has_data = row->has_data,
        .data_is_text = row->data_is_text,
        .value = row->has_value ? row->value : 0,
        .data = row->has_data ? row->data : (struct slice){"", 0},
    };
    outbox_send(sender->outbox, sender->worker->master, &message);
    return sender->outbox->failed ? fail_no_memory(err) : STATUS_OK;
}

void worker_publish(struct worker *worker, struct outbox *outbox)
{
    struct row_sender sender = {worker, outbox};
    struct result_metric metrics[LEARNER_METRICS_MAX];
    char digest[DIGEST_BYTES];
    uint64_t rows = 0;
    size_t metric_count = 0;
    struct message message;
    struct error err;

    worker->must_publish = false;
    worker_fault(worker, FAULT_PUBLISHING);
    error_clear(&err);
    if (worker->learning.publish(worker->learning.self, send_row, &sender, digest, &rows, metrics,
                                 &metric_count, &err) != STATUS_OK) {
        worker_fail(worker, &err, outbox);
        return;
    }
    for (size_t i = 0; i < metric_count; i++) {
        message = worker_message(worker, MESSAGE_RESULT);
        message.result.name = slice_of(metrics[i].name);
        message.result.train = metrics[i].train;
        message.result.validation = metrics[i].validation;
        outbox_send(outbox, worker->master, &message);
    }
    message = worker_message(worker, MESSAGE_FINISHED);
    message.finished.digest = slice_of(digest);
    message.finished.step = worker->learning.phase(worker->learning.self)->step;
    message.finished.rows = rows;
    outbox_send(outbox, worker->master, &message);
}
