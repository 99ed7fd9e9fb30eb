#include "runtime/launch/job_event.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"

static const char *const kind_names[] = {"started", "progress", "notice",
                                         "done",    "failed",   "staged"};

void job_event_add_metrics(const struct job_event *event, cJSON *json)
{
    cJSON *metrics = event->metric_count > 0 ? json_add_object(json, "metrics") : NULL;

    for (size_t i = 0; i < event->metric_count; i++)
        json_add_real(metrics, event->metrics[i].name, event->metrics[i].value);
}

static void read_metrics(const cJSON *json, struct job_event *event)
{
    const cJSON *metric;

    cJSON_ArrayForEach(metric, cJSON_GetObjectItemCaseSensitive(json, "metrics"))
    {
        struct event_metric *read = &event->metrics[event->metric_count];

        if (event->metric_count == METRICS_MAX || !cJSON_IsNumber(metric) || !metric->string)
            return;
        slice_copy(slice_of(metric->string), read->name, sizeof read->name);
        read->value = metric->valuedouble;
        event->metric_count++;
    }
}

void job_event_write(const struct job_event *event, struct text *out)
{
    cJSON *json = cJSON_CreateObject();

    json_add_string(json, "event", slice_of(kind_names[event->kind]));
    json_add_integer(json, "step", (int64_t)event->step);
    json_add_integer(json, "steps", (int64_t)event->steps);
    json_add_integer(json, "epoch", event->epoch);
    json_add_integer(json, "epochs", event->epochs);
    json_add_integer(json, "workers", event->workers);
    json_add_real(json, "rows_per_second", event->rows_per_second);
    json_add_real(json, "loss", event->loss);
    json_add_real(json, "validation_loss", event->validation_loss);
    json_add_real(json, "validation_score", event->validation_score);
    job_event_add_metrics(event, json);
    json_add_real(json, "seconds", event->seconds);
    json_add_real(json, "seconds_left", event->seconds_left);
    if (event->message[0])
        json_add_string(json, "message", slice_of(event->message));
    if (event->kind == JOB_FAILED) {
        json_add_string(json, "status", slice_of(status_name(event->error.status)));
        json_add_string(json, "error", slice_of(event->error.message));
        json_add_string(json, "hint", slice_of(event->error.hint));
    }
    if (json_print(json, false, out, NULL) == STATUS_OK)
        text_append_char(out, '\n');
    cJSON_Delete(json);
}

static double real_or_nan(const cJSON *json, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name);
    return cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

static enum status get_count(const cJSON *json, const char *name, int64_t most, uint64_t *value,
                             struct error *err)
{
    int64_t integer;

    TRY(json_get_integer(json, name, 0, most, &integer, err));
    *value = (uint64_t)integer;
    return STATUS_OK;
}

static void copy_string(const cJSON *json, const char *name, char *into, size_t size)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name);

    if (cJSON_IsString(item))
        snprintf(into, size, "%s", item->valuestring);
}

static void read_error(const cJSON *json, struct error *error)
{
    struct slice name;

    error_clear(error);
    error->status = STATUS_FAILED;
    if (json_get_string(json, "status", &name, NULL) == STATUS_OK)
        for (int status = STATUS_OK + 1; status <= STATUS_INTERRUPTED; status++)
            if (slice_is(name, status_name((enum status)status)))
                error->status = (enum status)status;
    copy_string(json, "error", error->message, sizeof error->message);
    copy_string(json, "hint", error->hint, sizeof error->hint);
}

static enum status read_members(const cJSON *json, struct job_event *event, struct error *err)
{
    struct slice kind;
    uint64_t epoch, epochs, workers;
    size_t found = 0;

    TRY(json_get_string(json, "event", &kind, err));
    while (found < sizeof kind_names / sizeof *kind_names && !slice_is(kind, kind_names[found]))
        found++;
    if (found == sizeof kind_names / sizeof *kind_names)
        return fail(err, STATUS_CORRUPT, "an unknown event \"%.*s\"", SLICE_FORMAT(kind));
    event->kind = (enum job_event_kind)found;
    TRY(get_count(json, "step", INT64_MAX, &event->step, err));
    TRY(get_count(json, "steps", INT64_MAX, &event->steps, err));
    TRY(get_count(json, "epoch", UINT32_MAX, &epoch, err));
    TRY(get_count(json, "epochs", UINT32_MAX, &epochs, err));
    TRY(get_count(json, "workers", UINT32_MAX, &workers, err));
    event->epoch = (uint32_t)epoch;
    event->epochs = (uint32_t)epochs;
    event->workers = (uint32_t)workers;
    event->rows_per_second = real_or_nan(json, "rows_per_second");
    event->loss = real_or_nan(json, "loss");
    event->validation_loss = real_or_nan(json, "validation_loss");
    event->validation_score = real_or_nan(json, "validation_score");
    read_metrics(json, event);
    event->seconds = real_or_nan(json, "seconds");
    event->seconds_left = real_or_nan(json, "seconds_left");
    copy_string(json, "message", event->message, sizeof event->message);
    if (event->kind == JOB_FAILED)
        read_error(json, &event->error);
    return STATUS_OK;
}

enum status job_event_read(struct slice line, struct job_event *event, struct error *err)
{
    enum status status;
    cJSON *json;

    memset(event, 0, sizeof *event);
    error_clear(&event->error);
    TRY(json_parse(line, LAUNCH_EVENT_BYTES_MAX, &json, err));
    status = read_members(json, event, err);
    cJSON_Delete(json);
    return status;
}
