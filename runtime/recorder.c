#include "runtime/recorder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

enum status recorder_open(struct recorder *recorder, const char *folder, struct error *err)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof path, "%s/job.db", folder) >= (int)sizeof path)
        return fail(err, STATUS_LIMIT, "the path of %s is too long", folder);
    if (access(path, F_OK) == 0)
        return jobstore_open(path, false, &recorder->store, err);
    return jobstore_create(path, &recorder->store, err);
}

void recorder_close(struct recorder *recorder)
{
    if (recorder->store)
        jobstore_close(recorder->store);
    recorder->store = NULL;
}

void recorder_say(const struct recorder *recorder, const struct job_event *event)
{
    struct text line;

    text_init(&line, LAUNCH_EVENT_BYTES_MAX);
    job_event_write(event, &line);
    if (!line.failed)
        recorder->say(recorder->context, event, text_slice(&line));
    text_deinit(&line);
}

void recorder_say_failed(const struct recorder *recorder, const struct error *err)
{
    struct job_event event;

    memset(&event, 0, sizeof event);
    event.kind = JOB_FAILED;
    event.loss = event.validation_loss = event.validation_score = (double)NAN;
    event.seconds_left = (double)NAN;
    event.error = *err;
    recorder_say(recorder, &event);
}

static enum status put_model_row(struct jobstore *store, struct slice frame, struct error *err)
{
    struct message message;
    struct model_row row;

    TRY(message_read(frame, &message, err));
    row = (struct model_row){
        .part = message.model_row.part,
        .name = message.model_row.name,
        .position = message.model_row.position,
        .has_value = message.model_row.has_value,
        .value = message.model_row.value,
        .has_data = message.model_row.has_data,
        .data_is_text = message.model_row.data_is_text,
        .data = message.model_row.data,
    };
    return jobstore_put_model_row(store, &row, err);
}

static void log_event(const struct event_row *row)
{
    if (row->index >= 0)
        log_info("%s %lld %s: %s", row->role, (long long)row->index, row->event, row->detail);
    else
        log_info("%s: %s", row->event, row->detail);
}

static enum status put(struct jobstore *store, enum outbox_kind kind, struct slice bytes,
                       struct error *err)
{
    union {
        struct job_row job;
        struct worker_row worker;
        struct event_row event;
        struct metric_row metric;
        struct result_row result;
    } row;

    if (kind == OUTBOX_MODEL_ROW)
        return put_model_row(store, bytes, err);
    memcpy(&row, bytes.data, bytes.size < sizeof row ? bytes.size : sizeof row);
    switch (kind) {
    case OUTBOX_JOB:
        return jobstore_put_job(store, &row.job, err);
    case OUTBOX_WORKER:
        return jobstore_put_worker(store, row.worker.index, row.worker.state, row.worker.lanes,
                                   row.worker.rows_per_second, err);
    case OUTBOX_EVENT:
        log_event(&row.event);
        return jobstore_put_event(store, row.event.at_seconds, row.event.role, row.event.index,
                                  row.event.event, row.event.detail, err);
    case OUTBOX_METRIC:
        return jobstore_put_metric(store, row.metric.epoch, row.metric.step, row.metric.metric,
                                   row.metric.part, row.metric.value, err);
    case OUTBOX_RESULT:
        return jobstore_put_result(store, row.result.name, row.result.train, row.result.validation,
                                   err);
    default:
        return STATUS_OK;
    }
}

static bool is_row(enum outbox_kind kind)
{
    return kind >= OUTBOX_JOB && kind <= OUTBOX_MODEL_ROW;
}

static enum status store_rows(struct jobstore *store, const struct outbox *outbox,
                              struct error *err)
{
    bool has_begun = false;

    for (size_t i = 0; i < outbox->count; i++) {
        const struct outbox_entry *entry = &outbox->entries[i];

        if (!is_row(entry->kind))
            continue;
        if (!has_begun)
            TRY(jobstore_begin(store, err));
        has_begun = true;
        TRY(put(store, entry->kind, outbox_bytes(outbox, entry), err));
    }
    return has_begun ? jobstore_commit(store, err) : STATUS_OK;
}

enum status recorder_perform(void *context, const struct outbox *outbox, struct error *err)
{
    struct recorder *recorder = context;
    struct job_event event;

    if (store_rows(recorder->store, outbox, err) != STATUS_OK) {
        log_error("%s", err->message);
        recorder_say_failed(recorder, err);
        return err->status;
    }
    for (size_t i = 0; i < outbox->count; i++) {
        const struct outbox_entry *entry = &outbox->entries[i];

        if (entry->kind == OUTBOX_REPLACE) {
            recorder->replace(recorder->context, entry->index);
        } else if (entry->kind == OUTBOX_REPORT) {
            memcpy(&event, outbox_bytes(outbox, entry).data, sizeof event);
            recorder_say(recorder, &event);
        }
    }
    return STATUS_OK;
}
