#include "planner/training/requirement.h"

#include <math.h>

#include "planner/plan/planning.h"
#include "planner/plan/settings.h"

bool requirement_read(struct slice text, struct requirement *requirement)
{
    size_t at = 0;

    while (at < text.size && text.data[at] != '<' && text.data[at] != '>')
        at++;
    if (at == text.size ||
        !measure_find(slice_trim((struct slice){text.data, at}), &requirement->measure))
        return false;
    requirement->is_most = text.data[at++] == '<';
    requirement->is_strict = at == text.size || text.data[at] != '=';
    at += !requirement->is_strict;
    return slice_to_real(slice_trim((struct slice){text.data + at, text.size - at}),
                         &requirement->bound) &&
           isfinite(requirement->bound);
}

bool requirement_is_of(const struct requirement *requirement, struct slice metric)
{
    struct measure measure;

    return measure_find(metric, &measure) && measure.metric == requirement->measure.metric &&
           measure.at == requirement->measure.at;
}

bool requirement_is_met(const struct requirement *requirement, double value)
{
    if (requirement->is_most ? value < requirement->bound : value > requirement->bound)
        return true;
    return !requirement->is_strict && value == requirement->bound;
}

static enum status refuse_metric(struct planning *planning, const struct setting *setting)
{
    const struct plan *plan = planning->plan;
    struct text list;

    fail_at(planning->err, STATUS_INVALID, setting->value.span.start,
            "this statement does not measure the metric of train.require");
    text_init(&list, 512);
    for (size_t i = 0; i < plan->metric_count; i++)
        text_printf(&list, "%s%.*s", i > 0 ? ", " : "", SLICE_FORMAT(plan->metrics[i]));
    error_hint(planning->err, "It measures %s; validation.metrics names others.",
               list.size > 0 ? text_string(&list) : "none");
    text_deinit(&list);
    return planning->err->status;
}

enum status requirement_plan(struct planning *planning)
{
    const struct setting *setting = settings_find(planning, "train.require");
    struct plan *plan = planning->plan;
    struct requirement requirement;

    if (!setting)
        return STATUS_OK;
    if (setting->value.text.size > JOBSPEC_REQUIRE_BYTES ||
        !requirement_read(setting->value.text, &requirement)) {
        fail_at(planning->err, STATUS_INVALID, setting->value.span.start,
                "train.require is a metric and its bound");
        return error_hint(planning->err, "'AUC >= 0.8', 'RMSE < 12.5'");
    }
    plan->spec.require = setting->value.text;
    for (size_t i = 0; i < plan->metric_count; i++)
        if (requirement_is_of(&requirement, plan->metrics[i]))
            return STATUS_OK;
    return refuse_metric(planning, setting);
}
