#include "planner/training/metric_list.h"

#include <ctype.h>
#include <string.h>

#include "planner/plan/model_words.h"
#include "planner/plan/planning.h"
#include "planner/plan/query.h"
#include "planner/plan/settings.h"

/* "Accuracy, LogLoss, ..." of one task, and of one aim. */
static void append_metrics(enum task task, enum aim aim, struct text *out)
{
    for (int i = 0; i < METRIC_COUNT; i++) {
        if (metric_task((enum metric)i) != task || !metric_is_of((enum metric)i, aim))
            continue;
        text_append_string(out, out->size > 0 ? ", " : "");
        text_append_string(out, metric_name((enum metric)i));
    }
}

static const struct kind *kind_measured(const struct plan *plan)
{
    return plan->estimator ? plan->estimator->kind : plan->model.kind;
}

static enum status hint_metrics(const struct plan *plan, enum task task, enum aim aim,
                                struct slice word, struct error *err)
{
    const char *called = model_task_word(kind_measured(plan), task);
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
    append_metrics(task, aim, &list);
    error_hint(err, "%c%s is measured by %s.", toupper((unsigned char)*called), called + 1,
               text_string(&list));
    if (list.failed)
        status = fail_no_memory(err);
    text_deinit(&list);
    return status;
}

/* "It is of rankings" */
static enum status refuse_aim(struct planning *planning, enum metric metric, int position)
{
    struct error *err = planning->err;

    fail_at(err, STATUS_INVALID, position, "metric %s does not fit this model",
            metric_name(metric));
    if (metric_task(metric) == TASK_CLASSIFICATION)
        return error_hint(err, "It needs probabilities, and a hinge loss learns none.");
    if (metric_task(metric) == TASK_PROJECTION)
        return error_hint(
            err, metric == METRIC_LOSS
                     ? "It measures definitions that have a loss of their own."
                     : "It measures principal components; the metric of this model is Loss.");
    if (metric_is_of(metric, AIM_RANKS))
        return error_hint(err, "It measures rankings, as XGBRanker and LGBMRanker learn them.");
    if (metric_is_of(metric, AIM_QUANTILES))
        return error_hint(err, "It measures quantiles: objective = 'reg:quantileerror'.");
    if (metric == METRIC_CONCORDANCE)
        return error_hint(err,
                          "It measures survival: objective = 'survival:aft' or 'survival:cox'.");
    return error_hint(err, "It belongs to the objective 'survival:%s'.",
                      metric == METRIC_AFT ? "aft" : "cox");
}

/* The name as it is shown: accuracy and Accuracy are one, as are ndcg@5 and NDCG@5. */
static enum status keep_name(struct planning *planning, struct measure measure, struct slice *name)
{
    enum status status;
    struct text text;

    text_init(&text, WORD_BYTES_MAX);
    measure_append(measure, &text);
    status =
        text.failed ? fail_no_memory(planning->err) : slice_keep(planning, text_slice(&text), name);
    text_deinit(&text);
    return status;
}

static enum status add_metric(struct planning *planning, enum task task, enum aim aim,
                              struct slice word, int position)
{
    struct plan *plan = planning->plan;
    struct error *err = planning->err;
    struct measure measure;
    struct slice name;

    if (!measure_find(word, &measure)) {
        fail_at(err, STATUS_INVALID, position, "unknown metric \"%.*s\"", SLICE_FORMAT(word));
        return hint_metrics(plan, task, aim, word, err);
    }
    if (metric_task(measure.metric) != task) {
        fail_at(err, STATUS_INVALID, position, "metric %s does not fit a %s",
                metric_name(measure.metric), model_word(kind_measured(plan), task));
        return hint_metrics(plan, task, aim, word, err);
    }
    if (!metric_is_of(measure.metric, aim))
        return refuse_aim(planning, measure.metric, position);
    TRY(keep_name(planning, measure, &name));
    for (size_t i = 0; i < plan->metric_count; i++)
        if (slice_equal(plan->metrics[i], name))
            return STATUS_OK;
    if (plan->metric_count == METRICS_MAX)
        return fail_at(err, STATUS_INVALID, position, "at most %d metrics are possible",
                       METRICS_MAX);
    plan->metrics[plan->metric_count++] = name;
    return STATUS_OK;
}

/* 'Accuracy,AUC' */
static enum status add_comma_metrics(struct planning *planning, enum task task, enum aim aim,
                                     const struct value *value)
{
    const char *at = value->text.data, *end = value->text.data + value->text.size;

    while (at <= end) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        struct slice word = {at, (size_t)((comma ? comma : end) - at)};
        TRY(add_metric(planning, task, aim, slice_trim(word), value->span.start));
        at += word.size + 1;
    }
    return STATUS_OK;
}

static enum status add_defaults(struct planning *planning, enum task task, enum aim aim,
                                uint32_t classes)
{
    for (int i = 0; i < METRIC_COUNT; i++)
        if (metric_task((enum metric)i) == task &&
            metric_is_default((enum metric)i, aim, classes > 0 ? classes : 2))
            TRY(add_metric(planning, task, aim, slice_of(metric_name((enum metric)i)), -1));
    return STATUS_OK;
}

enum status metrics_plan(struct planning *planning, enum task task, enum aim aim, enum aim usual,
                         uint32_t classes)
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
        return add_defaults(planning, task, usual, classes);
    if (setting->value.kind != VALUE_LIST)
        return add_comma_metrics(planning, task, aim, &setting->value);
    for (size_t i = 0; i < setting->value.count; i++)
        TRY(add_metric(planning, task, aim, slice_trim(setting->value.items[i].text),
                       setting->value.items[i].span.start));
    return STATUS_OK;
}

enum status metric_plan(struct planning *planning, const char *attribute, enum task task,
                        enum aim aim, enum metric other)
{
    const struct setting *setting = settings_find(planning, attribute);
    const struct slice name =
        setting ? slice_trim(setting->value.text) : slice_of(metric_name(other));

    planning->plan->metric_count = 0;
    return add_metric(planning, task, aim, name, setting ? setting->value.span.start : -1);
}
