#include "planner/judging.h"

#include "planner/attributes/attribute_check.h"
#include "planner/attributes/attributes.h"
#include "planner/plan/model_words.h"
#include "planner/plan/query.h"
#include "planner/plan/settings.h"
#include "scoring/report.h"

static bool has_margins(const struct model_summary *model)
{
    return model->aim.aim == AIM_MARGINS;
}

/* "'confusion' and 'classes'" of this model. */
static void append_reports(const struct model_summary *model, struct text *out)
{
    size_t count = 0, written = 0;

    for (int pass = 0; pass < 2; pass++)
        for (unsigned i = 0; report_words[i]; i++) {
            if (i == REPORT_METRICS || !report_is_of((enum report_kind)i, model->task) ||
                (report_needs_two_classes((enum report_kind)i) && model->class_count != 2) ||
                (report_needs_probabilities((enum report_kind)i) && has_margins(model)))
                continue;
            if (pass == 0) {
                count++;
                continue;
            }
            text_append_separator(out, written++, count);
            text_append_literal(out, slice_of(report_words[i]));
        }
}

static enum status hint_reports(const struct planning *planning)
{
    const struct model_summary *model = &planning->plan->model;
    struct error *err = planning->err;
    enum status status;
    struct text list;

    text_init(&list, TEXT_MAXIMUM);
    append_reports(model, &list);
    if (list.size == 0)
        status = error_hint(err, "A %s is measured by numbers alone.",
                            model_word(model->kind, model->task));
    else if (model->task == TASK_CLASSIFICATION && model->class_count > 2)
        status = error_hint(err, "A classifier of %u classes has %s.", model->class_count,
                            text_string(&list));
    else
        status = error_hint(err, "A %s has %s.", model_word(model->kind, model->task),
                            text_string(&list));
    if (list.failed)
        status = fail_no_memory(err);
    text_deinit(&list);
    return status;
}

/* evaluate.costs = [of a false positive, of a false negative] */
static enum status costs_plan(struct planning *planning)
{
    const struct setting *setting = settings_find(planning, "evaluate.costs");
    struct plan *plan = planning->plan;

    plan->costs = (struct report_costs){1, 1};
    if (!setting)
        return STATUS_OK;
    if (plan->report != REPORT_THRESHOLDS) {
        fail_at(planning->err, STATUS_INVALID, setting->name.position,
                "evaluate.costs needs the report 'thresholds'");
        return error_hint(planning->err, "WITH evaluate.report = 'thresholds', evaluate.costs = "
                                         "[1, 20] shows the cost of each threshold.");
    }
    if (setting->value.kind != VALUE_LIST || setting->value.count != 2) {
        fail_at(planning->err, STATUS_INVALID, setting->value.span.start,
                "evaluate.costs is a list of two numbers");
        return error_hint(planning->err, "The first is the cost of a false positive, the second "
                                         "the cost of a false negative: [1, 20].");
    }
    plan->costs =
        (struct report_costs){setting->value.items[0].number, setting->value.items[1].number};
    return STATUS_OK;
}

static enum status which_report(struct planning *planning)
{
    const struct setting *setting = settings_find(planning, "evaluate.report");
    struct plan *plan = planning->plan;
    const char *word;
    unsigned report;

    if (!setting)
        return STATUS_OK;
    word = attribute_word(attribute_find(SLICE("evaluate.report")), setting->value.text);
    if (!word || !term_find(report_words, slice_of(word), &report))
        return STATUS_OK;
    plan->report = (enum report_kind)report;
    if (!report_is_of(plan->report, plan->model.task)) {
        fail_at(planning->err, STATUS_INVALID, setting->value.span.start,
                "the report '%s' needs a %s, and model %.*s is a %s", report_words[report],
                report_is_of(plan->report, TASK_REGRESSION) ? "regressor" : "classifier",
                SLICE_FORMAT(plan->model_name), model_word(plan->model.kind, plan->model.task));
        return hint_reports(planning);
    }
    if (report_needs_two_classes(plan->report) && plan->model.class_count != 2) {
        fail_at(planning->err, STATUS_INVALID, setting->value.span.start,
                "the report '%s' needs two classes, and model %.*s has %u", report_words[report],
                SLICE_FORMAT(plan->model_name), plan->model.class_count);
        return hint_reports(planning);
    }
    if (report_needs_probabilities(plan->report) && has_margins(&plan->model)) {
        fail_at(planning->err, STATUS_INVALID, setting->value.span.start,
                "the report '%s' needs probabilities, and model %.*s has none",
                report_words[report], SLICE_FORMAT(plan->model_name));
        return hint_reports(planning);
    }
    setting = settings_find(planning, "validation.metrics");
    if (!setting || plan->report == REPORT_METRICS)
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, setting->name.position,
            "validation.metrics has no use with the report '%s'", report_words[report]);
    return error_hint(planning->err, "Leave one of both out.");
}

/* Drift is of inputs and predictions: what belongs to labels, or to workers, has no use. */
static enum status drift_check(const struct planning *planning)
{
    static const char *const without[] = {"evaluate.threshold", "validation.average",
                                          "job.min_workers",    "job.max_workers",
                                          "job.wait",           "job.where"};
    const struct name *label = &planning->statement->label;
    const struct plan *plan = planning->plan;

    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        const struct setting *setting = settings_find(planning, without[i]);

        if (!setting)
            continue;
        fail_at(planning->err, STATUS_INVALID, setting->name.position,
                "%.*s has no use with the report 'drift'", SLICE_FORMAT(setting->name.text));
        return error_hint(planning->err,
                          "Leave it out: the session itself counts labels and predictions.");
    }
    if (label->text.size > 0) {
        fail_at(planning->err, STATUS_INVALID, label->position,
                "LABEL has no use with the report 'drift'");
        return error_hint(planning->err, "Leave it out: the rows need no label.");
    }
    if (plan->model.has_statistics)
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, path_last(&planning->statement->object).position,
            "model %.*s keeps no statistics of its training rows", SLICE_FORMAT(plan->model_name));
    return error_hint(planning->err, "It was trained before models kept any, or imported: a model "
                                     "that TO TRAIN makes anew has them.");
}

/* evaluate.interval, with what belongs to it. */
static enum status intervals_plan(struct planning *planning)
{
    const struct setting *level = settings_find(planning, "evaluate.interval");
    const struct setting *resamples = settings_find(planning, "evaluate.bootstrap");
    const struct setting *seed = settings_find(planning, "evaluate.seed");
    const struct setting *first = level ? level : resamples ? resamples : seed;
    struct plan *plan = planning->plan;

    if (!first)
        return STATUS_OK;
    if (!level) {
        fail_at(planning->err, STATUS_INVALID, first->name.position,
                "%.*s has no use without evaluate.interval", SLICE_FORMAT(first->name.text));
        return error_hint(planning->err, "WITH evaluate.interval = 0.95 gives each metric an "
                                         "interval.");
    }
    if (plan->report != REPORT_METRICS || !task_has_label(plan->model.task)) {
        fail_at(planning->err, STATUS_INVALID, level->name.position,
                "evaluate.interval suits the metrics of classifiers and regressors alone");
        return error_hint(planning->err, "Leave it out, or evaluate.report.");
    }
    plan->bootstrap.level = level->value.number;
    plan->bootstrap.resamples = resamples ? (uint32_t)resamples->value.number : 1000;
    if (seed)
        plan->bootstrap.seed =
            seed->value.is_integer ? (uint64_t)seed->value.integer : (uint64_t)seed->value.number;
    return STATUS_OK;
}

enum status report_plan(struct planning *planning)
{
    TRY(which_report(planning));
    TRY(intervals_plan(planning));
    if (planning->plan->report == REPORT_DRIFT)
        TRY(drift_check(planning));
    return costs_plan(planning);
}

enum status threshold_plan(struct planning *planning, const char *attribute)
{
    const struct setting *setting = settings_find(planning, attribute);
    struct plan *plan = planning->plan;

    if (!setting)
        return STATUS_OK;
    plan->has_threshold = true;
    plan->threshold = setting->value.number;
    if (has_margins(&plan->model)) {
        fail_at(planning->err, STATUS_INVALID, setting->name.position,
                "%s is a probability, and model %.*s has none", attribute,
                SLICE_FORMAT(plan->model_name));
        return error_hint(planning->err, "predict.extra_outputs = 'score' returns the score that "
                                         "it decides by, which can be compared with any number.");
    }
    if (plan->model.class_count == 2)
        return STATUS_OK;
    if (plan->model.task != TASK_CLASSIFICATION)
        return fail_at(planning->err, STATUS_INVALID, setting->name.position,
                       "%s needs a classifier, and model %.*s is a %s", attribute,
                       SLICE_FORMAT(plan->model_name),
                       model_word(plan->model.kind, plan->model.task));
    fail_at(planning->err, STATUS_INVALID, setting->name.position,
            "%s needs two classes, and model %.*s has %u", attribute,
            SLICE_FORMAT(plan->model_name), plan->model.class_count);
    return error_hint(planning->err, "With more classes the most probable one is predicted.");
}

enum status average_check(const struct planning *planning)
{
    const struct setting *setting = settings_find(planning, "validation.average");
    const struct plan *plan = planning->plan;

    if (!setting || plan->model.task == TASK_CLASSIFICATION)
        return STATUS_OK;
    return fail_at(planning->err, STATUS_INVALID, setting->name.position,
                   "attribute \"%.*s\" has no use with a %s", SLICE_FORMAT(setting->name.text),
                   model_word(plan->model.kind, plan->model.task));
}

/* Is one of the metrics of the model's aim alone? */
static bool has_own_metric(const struct plan *plan)
{
    enum metric metric;

    for (size_t i = 0; i < plan->metric_count; i++)
        if (metric_find(plan->metrics[i], &metric) && !metric_is_of(metric, AIM_MEANS))
            return true;
    return false;
}

/* *column stays -1 where neither the statement nor the model names one. */
static enum status aim_column(struct planning *planning, const char *attribute, const char *what,
                              struct slice of_model, int *column)
{
    const struct setting *setting = settings_find(planning, attribute);
    const struct plan *plan = planning->plan;
    const struct slice name = setting ? setting->value.text : of_model;
    const int position = setting ? setting->value.span.start : planning->statement->select_position;

    if (name.size == 0)
        return STATUS_OK;
    if (query_resolve(&plan->query, what, name, position, column, planning->err) == STATUS_OK)
        return STATUS_OK;
    return setting ? planning->err->status
                   : error_hint(planning->err,
                                "Select it, or name another column: %s = '...'; or ask for other "
                                "metrics, as validation.metrics = 'RMSE'.",
                                attribute);
}

static enum status refuse_unused(struct planning *planning, const char *attribute, const char *of)
{
    const struct setting *setting = settings_find(planning, attribute);

    if (!setting)
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, setting->name.position,
            "attribute \"%.*s\" has no use here", SLICE_FORMAT(setting->name.text));
    return error_hint(planning->err, "It belongs to metrics of %s.", of);
}

enum status aim_columns_plan(struct planning *planning)
{
    struct plan *plan = planning->plan;
    const struct aim_facts *aim = &plan->model.aim;

    plan->as_means =
        aim->aim == AIM_MEANS || plan->report != REPORT_METRICS || !has_own_metric(plan);
    if (plan->as_means || aim->aim != AIM_RANKS)
        TRY(refuse_unused(planning, "evaluate.group", "rankings"));
    else if (plan->bootstrap.level > 0) {
        fail_at(planning->err, STATUS_UNSUPPORTED,
                settings_find(planning, "evaluate.interval")->name.position,
                "intervals of a ranking's metrics are not supported yet");
        return error_hint(planning->err, "Their resamples would be of groups, and rows are drawn.");
    }
    if (plan->as_means || aim->aim != AIM_TIMES)
        TRY(refuse_unused(planning, "evaluate.label_upper_bound", "survival:aft"));
    if (plan->as_means)
        return STATUS_OK;
    if (aim->aim == AIM_TIMES)
        return aim_column(planning, "evaluate.label_upper_bound", "upper bound ", aim->upper,
                          &plan->upper_column);
    if (aim->aim != AIM_RANKS)
        return STATUS_OK;
    TRY(aim_column(planning, "evaluate.group", "group ", aim->group, &plan->group_column));
    if (plan->group_column >= 0)
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, planning->statement->select_position,
            "a ranking is measured by groups, and model %.*s names no column of them",
            SLICE_FORMAT(plan->model_name));
    return error_hint(planning->err, "Name it: evaluate.group = '...'.");
}
