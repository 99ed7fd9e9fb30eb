#include "extension/engine/jobs/progress.h"

#include <math.h>
#include <sys/ioctl.h>

#include "base/json.h"

static void append_rate(double rate, struct text *out)
{
    if (rate >= 1e6)
        text_printf(out, "  %.1fM rows/s", rate / 1e6);
    else if (rate >= 1e3)
        text_printf(out, "  %.1fk rows/s", rate / 1e3);
    else if (rate > 0)
        text_printf(out, "  %.0f rows/s", rate);
}

static void append_time(double seconds, struct text *out)
{
    unsigned long long whole;

    if (!(seconds >= 0 && seconds < 1e7)) /* unknown, or nothing that one would wait for */
        return;
    whole = (unsigned long long)seconds;
    if (whole >= 3600)
        text_printf(out, "  %llu:%02llu:%02llu left", whole / 3600, whole / 60 % 60, whole % 60);
    else
        text_printf(out, "  %llu:%02llu left", whole / 60, whole % 60);
}

/* A job that scores a table has shards for its steps, and no epochs. */
static void append_place(const struct job_event *event, struct text *out)
{
    const bool has_epochs = event->epochs > 0 || event->epoch > 0;

    if (event->stage)
        text_printf(out, "%s  ", event->stage);
    if (event->epochs)
        text_printf(out, "epoch %u/%u", event->epoch, event->epochs);
    else if (has_epochs)
        text_printf(out, "epoch %u", event->epoch);
    if (event->steps)
        text_printf(out, "%s %llu/%llu",
                    has_epochs    ? "  step"
                    : event->unit ? event->unit
                                  : "shard",
                    (unsigned long long)event->step, (unsigned long long)event->steps);
}

void progress_line(const struct job_event *event, struct text *out)
{
    append_place(event, out);
    if (!isnan(event->loss))
        text_printf(out, "  loss %.4g", event->loss);
    if (!isnan(event->validation_loss))
        text_printf(out, "  validation %.4g", event->validation_loss);
    for (size_t i = 0; i < event->metric_count; i++)
        text_printf(out, "  %s %.4g", event->metrics[i].name, event->metrics[i].value);
    append_rate(event->rows_per_second, out);
    if (event->workers > 1)
        text_printf(out, "  %u workers", event->workers);
    append_time(event->seconds_left, out);
}

int progress_bytes_drawn(const struct text *line, int fd)
{
    const int size = (int)line->size;
    struct winsize window = {0};

    if (ioctl(fd, TIOCGWINSZ, &window) != 0 || window.ws_col == 0 || size < window.ws_col)
        return size;
    return window.ws_col - 1;
}

static const char *event_name(enum job_event_kind kind)
{
    switch (kind) {
    case JOB_STARTED:
        return "started";
    case JOB_PROGRESS:
        return "progress";
    case JOB_NOTICE:
        return "notice";
    case JOB_DONE:
        return "done";
    default:
        return "failed";
    }
}

static void add_numbers(cJSON *object, const struct job_event *event)
{
    if (event->stage)
        json_add_string(object, "stage", slice_of(event->stage));
    json_add_integer(object, "epoch", event->epoch);
    json_add_integer(object, "epochs", event->epochs);
    json_add_integer(object, "step", (int64_t)event->step);
    json_add_integer(object, "steps", (int64_t)event->steps);
    json_add_integer(object, "workers", event->workers);
    json_add_real(object, "loss", event->loss);
    json_add_real(object, "validation_loss", event->validation_loss);
    json_add_real(object, "validation_score", event->validation_score);
    job_event_add_metrics(event, object);
    json_add_real(object, "rows_per_second", event->rows_per_second);
    json_add_real(object, "seconds", event->seconds);
    json_add_real(object, "seconds_left", event->seconds_left);
}

static bool print_line(cJSON *object, struct text *out)
{
    struct error ignored;
    const bool is_printed = json_print(object, false, out, &ignored) == STATUS_OK;

    text_append_char(out, '\n');
    cJSON_Delete(object);
    return is_printed && !out->failed;
}

bool progress_json(const struct job_event *event, struct text *out)
{
    cJSON *object = cJSON_CreateObject();

    if (!object)
        return false;
    json_add_string(object, "event", slice_of(event_name(event->kind)));
    add_numbers(object, event);
    return print_line(object, out);
}

bool progress_notice_json(const char *message, struct text *out)
{
    cJSON *object = cJSON_CreateObject();

    if (!object)
        return false;
    json_add_string(object, "event", SLICE("notice"));
    json_add_string(object, "message", slice_of(message));
    return print_line(object, out);
}
