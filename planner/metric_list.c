#include "planner/metric_list.h"

#include <ctype.h>
#include <string.h>

#include "planner/planning.h"
#include "planner/settings.h"

/* "Accuracy, LogLoss, ..." of one task. */
static void append_metrics(enum task task, struct text *out)
{
    for (int i = 0; i < METRIC_COUNT; i++) {
        if (metric_task((enum metric)i) != task)
            continue;
        text_append_string(out, out->size > 0 ? ", " : "");
        text_append_string(out, metric_name((enum metric)i));
    }
}

static enum status hint_metrics(enum task task, struct slice word, struct error *err)
{
    const char *names[METRIC_COUNT];
    enum status status = STATUS_INVALID;
    struct text list;
    int nearest;

    for (int i = 0; i < METRIC_COUNT; i++)
        names[i] = metric_name((enum metric)i);
    nearest = text_nearest(word, names, METRIC_COUNT);
    if (nearest >= 0 && metric_task((enum metric)nearest) == task)
        return error_hint(err, "Did you mean %s?", names[nearest]);
    text_init(&list, TEXT_MAXIMUM);
    append_metrics(task, &list);
    error_hint(err, "%c%s is measured by %s.", toupper((unsigned char)*task_words[task]),
               task_words[task] + 1, text_string(&list));
    if (list.failed)
        status = fail_no_memory(err);
    text_deinit(&list);
    return status;
}

static enum status add_metric(struct planning *planning, enum task task, struct slice word,
                              int position)
{
    struct plan *plan = planning->plan;
    struct error *err = planning->err;
    enum metric metric;

    if (!metric_find(word, &metric)) {
        fail_at(err, STATUS_INVALID, position, "unknown metric \"%.*s\"", SLICE_FORMAT(word));
        return hint_metrics(task, word, err);
    }
    if (metric_task(metric) != task) {
        fail_at(err, STATUS_INVALID, position, "metric %s does not fit a %s", metric_name(metric),
                task_models[task]);
        return hint_metrics(task, word, err);
    }
    for (size_t i = 0; i < plan->metric_count; i++)
        if (slice_is(plan->metrics[i], metric_name(metric)))
            return STATUS_OK; /* accuracy and Accuracy are one */
    if (plan->metric_count == METRICS_MAX)
        return fail_at(err, STATUS_INVALID, position, "at most %d metrics are possible",
                       METRICS_MAX);
    plan->metrics[plan->metric_count++] = slice_of(metric_name(metric));
    return STATUS_OK;
}

/* 'Accuracy,AUC' */
static enum status add_comma_metrics(struct planning *planning, enum task task,
                                     const struct value *value)
{
    const char *at = value->text.data, *end = value->text.data + value->text.size;

    while (at <= end) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        struct slice word = {at, (size_t)((comma ? comma : end) - at)};
        TRY(add_metric(planning, task, slice_trim(word), value->span.start));
        at += word.size + 1;
    }
    return STATUS_OK;
}

static enum status add_defaults(struct planning *planning, enum task task, uint32_t classes)
{
    for (int i = 0; i < METRIC_COUNT; i++)
        if (metric_task((enum metric)i) == task &&
            metric_is_default((enum metric)i, classes > 0 ? classes : 2))
            TRY(add_metric(planning, task, slice_of(metric_name((enum metric)i)), -1));
    return STATUS_OK;
}

enum status metrics_plan(struct planning *planning, enum task task, uint32_t classes)
{
    const struct setting *setting = settings_find(planning, "validation.metrics");
    const struct setting *average = settings_find(planning, "validation.average");
    unsigned word = AVERAGE_MACRO;

    if (average)
        term_find_fold(average_words, average->value.text, &word);
    planning->plan->average = (enum average)word;
    planning->plan->metric_count = 0;
    planning->plan->has_default_metrics = !setting;
    if (!setting)
        return add_defaults(planning, task, classes);
    if (setting->value.kind != VALUE_LIST)
        return add_comma_metrics(planning, task, &setting->value);
    for (size_t i = 0; i < setting->value.count; i++)
        TRY(add_metric(planning, task, slice_trim(setting->value.items[i].text),
                       setting->value.items[i].span.start));
    return STATUS_OK;
}

enum status metric_plan(struct planning *planning, const char *attribute, enum task task,
                        enum metric other)
{
    const struct setting *setting = settings_find(planning, attribute);
    const struct slice name =
        setting ? slice_trim(setting->value.text) : slice_of(metric_name(other));

    planning->plan->metric_count = 0;
    return add_metric(planning, task, name, setting ? setting->value.span.start : -1);
}
