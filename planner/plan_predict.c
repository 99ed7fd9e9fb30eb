#include "planner/plan_predict.h"

#include <string.h>

#include "planner/attributes/attribute_check.h"
#include "planner/attributes/attributes.h"
#include "planner/checked_values.h"
#include "planner/columns/label.h"
#include "planner/explain_series.h"
#include "planner/judging.h"
#include "planner/notices/far_numbers.h"
#include "planner/notices/unseen_nulls.h"
#include "planner/plan/bad_rows.h"
#include "planner/plan/dialect.h"
#include "planner/plan/model_room.h"
#include "planner/plan/model_words.h"
#include "planner/plan/planning.h"
#include "planner/plan/query.h"
#include "planner/plan/settings.h"
#include "planner/plan/targets.h"
#include "planner/settings_read.h"
#include "planner/several_models.h"
#include "planner/training/metric_list.h"
#include "planner/training/workers.h"
#include "scoring/shap.h"

/* "The model needs a, b and 3 more.", or "Its labels are y and 3 more." */
static enum status hint_inputs(const struct plan *plan, bool are_labels, struct error *err)
{
    enum status status;
    struct text list;

    text_init(&list, TEXT_MAXIMUM);
    for (size_t i = 0; i < plan->model.input_count; i++) {
        if (list.size > 400) {
            text_printf(&list, " and %zu more", plan->model.input_count - i);
            break;
        }
        if ((plan->model.inputs[i].label != INPUT_LABEL_NONE) != are_labels)
            continue;
        text_append_string(&list, list.size > 0 ? ", " : "");
        text_append(&list, plan->model.inputs[i].name);
    }
    status = list.failed
                 ? fail_no_memory(err)
                 : error_hint(err, are_labels ? "Its labels are %s." : "The model needs %s.",
                              text_string(&list));
    text_deinit(&list);
    return status;
}

/* A model that takes some elements of an array was trained on shorter ones. */
static enum status check_vectors(const struct planning *planning)
{
    const struct plan *plan = planning->plan;
    const struct vectors *vectors = &plan->query.vectors;

    for (size_t i = 0; i < vectors->count; i++) {
        const struct vector *vector = &vectors->items[i];
        const size_t first = vectors_first(vectors, vector);
        size_t taken = 0;

        for (size_t j = 0; j < plan->model.input_count; j++)
            taken += (size_t)plan->model_columns[j] >= first &&
                     (size_t)plan->model_columns[j] < first + vector->size;
        if (taken > 0 && taken < vector->size)
            return fail_at(
                planning->err, STATUS_INVALID, planning->statement->select_position,
                "column \"%.*s\" holds arrays of %u elements, and model %.*s expects %zu",
                SLICE_FORMAT(vector->name), vector->size, SLICE_FORMAT(plan->model_name), taken);
    }
    return STATUS_OK;
}

/* EVALUATE needs one of several labels. */
static enum status check_heads(const struct planning *planning)
{
    const struct plan *plan = planning->plan;
    bool has_label = false;

    if (!plan_has_labels(plan))
        return STATUS_OK;
    for (size_t i = 0; i < plan->model.input_count; i++)
        has_label |= plan->model.inputs[i].label && plan->model_columns[i] >= 0;
    if (has_label || plan->kind == STATEMENT_PREDICT || plan->report == REPORT_DRIFT)
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, planning->statement->select_position,
            "the query has none of the labels of model %.*s", SLICE_FORMAT(plan->model_name));
    return hint_inputs(plan, true, planning->err);
}

/* Finds the model's inputs among the query's columns. */
static enum status match_inputs(struct planning *planning)
{
    struct plan *plan = planning->plan;
    size_t count = plan->model.input_count;

    plan->model_columns = ARENA_NEW(planning->arena, int, count ? count : 1);
    if (!plan->model_columns)
        return fail_no_memory(planning->err);
    for (size_t i = 0; i < count; i++) {
        struct slice name = plan->model.inputs[i].name;
        plan->model_columns[i] = query_find_input(&plan->query, name);
        if (plan->model_columns[i] >= 0 ||
            (plan->model_columns[i] == -1 && plan->model.inputs[i].label))
            continue;
        fail_at(planning->err, STATUS_INVALID, planning->statement->select_position,
                "the query has %s column \"%.*s\", an input of model %.*s",
                plan->model_columns[i] == -1 ? "no" : "more than one", SLICE_FORMAT(name),
                SLICE_FORMAT(plan->model_name));
        return hint_inputs(plan, false, planning->err);
    }
    TRY(check_heads(planning));
    return check_vectors(planning);
}

/* The table of [[schema.]table.]column, or of INTO. */
static enum status find_table(const struct planning *planning, struct path *table)
{
    const struct path *path = &planning->statement->predict_into;

    *table = planning->statement->into;
    if (path->count <= 1)
        return STATUS_OK;
    if (table->count > 0) {
        fail_at(planning->err, STATUS_INVALID, path_last(table).position,
                "the table of the predictions is named before, too: \"%.*s\"",
                SLICE_FORMAT(path->parts[path->count - 2].text));
        return error_hint(planning->err, "Write TO PREDICT column USING model INTO table, or TO "
                                         "PREDICT table.column USING model.");
    }
    *table = *path;
    table->count--;
    return STATUS_OK;
}

static enum status check_column_length(const struct planning *planning, const struct name *column)
{
    const size_t most = dialect_of(planning->catalog->dialect)->column_bytes_max;

    if (column->text.size <= most)
        return STATUS_OK;
    return fail_at(planning->err, STATUS_INVALID, column->position,
                   "a name of %zu bytes, where at most %zu are possible", column->text.size, most);
}

static enum status plan_target(struct planning *planning)
{
    const struct path *path = &planning->statement->predict_into;
    struct plan *plan = planning->plan;
    const struct name column = path_last(path);
    struct path table;

    plan->target_column = task_has_label(plan->model.task)      ? plan->model.label
                          : plan->model.heads                   ? SLICE(PREDICT_HEAD)
                          : plan->model.task == TASK_PROJECTION ? SLICE(PREDICT_COMPONENT)
                          : plan->model.task == TASK_DETECTION  ? SLICE(PREDICT_INLIER)
                                                                : SLICE(PREDICT_CLUSTER);
    plan->has_target = statement_predicts_into_table(planning->statement);
    if (path->count > 0) {
        TRY(check_column_length(planning, &column));
        TRY(name_keep(planning, &column, &plan->target_column));
    }
    if (!plan->has_target)
        return STATUS_OK;
    TRY(find_table(planning, &table));
    TRY(target_plan(planning, &table, &plan->target_schema, &plan->target_table));
    return target_check_not_model(planning, table.parts[0].position);
}

/* pca_1, pca_2, ...; of several labels p_clicked, p_amount, ... */
static enum status name_components(struct planning *planning)
{
    struct plan *plan = planning->plan;

    plan->components = ARENA_NEW(planning->arena, struct slice, plan->model.component_count + 1);
    if (!plan->components)
        return fail_no_memory(planning->err);
    for (uint32_t i = 0; i < plan->model.component_count; i++) {
        plan->components[i] =
            plan->model.heads
                ? arena_printf(planning->arena, "%.*s_%.*s", SLICE_FORMAT(plan->target_column),
                               SLICE_FORMAT(plan->model.heads[i].name))
                : arena_printf(planning->arena, "%.*s_%u", SLICE_FORMAT(plan->target_column),
                               i + 1);
        if (!plan->components[i].data)
            return fail_no_memory(planning->err);
    }
    return STATUS_OK;
}

static struct output_facts outputs_of(const struct model_summary *model)
{
    return (struct output_facts){.task = model->task,
                                 .has_leaves = model->kind->leaves != NULL,
                                 .has_quantiles = model->aim.quantile_count > 0,
                                 .has_margins = model->aim.aim == AIM_MARGINS,
                                 .has_shap = model->kind->shap != NULL,
                                 .has_points = model->kind->points != NULL};
}

/* "A regressor has the extra output 'score'." */
static enum status hint_outputs(const struct model_summary *model, struct error *err)
{
    enum status status = STATUS_INVALID;
    struct text list;

    text_init(&list, TEXT_MAXIMUM);
    extra_outputs_append(outputs_of(model), &list);
    error_hint(err, "A %s has the extra output%s %s.", model_word(model->kind, model->task),
               strchr(text_string(&list), ' ') ? "s" : "", text_string(&list));
    if (list.failed)
        status = fail_no_memory(err);
    text_deinit(&list);
    return status;
}

static enum status add_output(struct planning *planning, struct slice word, int position)
{
    const struct attribute *attribute = attribute_find(SLICE("predict.extra_outputs"));
    struct plan *plan = planning->plan;
    struct slice name = slice_of(attribute_word(attribute, word));

    if (!extra_output_find(outputs_of(&plan->model), name,
                           &plan->extra_kinds[plan->extra_output_count])) {
        fail_at(planning->err, STATUS_INVALID, position, "'%.*s' has no use with a %.*s",
                SLICE_FORMAT(name), SLICE_FORMAT(plan->model.estimator));
        return hint_outputs(&plan->model, planning->err);
    }
    for (size_t i = 0; i < plan->extra_output_count; i++)
        if (slice_equal(plan->extra_outputs[i], name))
            return fail_at(planning->err, STATUS_INVALID, position, "'%.*s' is named twice",
                           SLICE_FORMAT(name));
    plan->extra_outputs[plan->extra_output_count++] = name;
    return STATUS_OK;
}

static enum status plan_outputs(struct planning *planning)
{
    const struct setting *setting = settings_find(planning, "predict.extra_outputs");
    const struct value *value = setting ? &setting->value : NULL;

    if (!value)
        return STATUS_OK;
    if (value->kind == VALUE_LIST) {
        for (size_t i = 0; i < value->count; i++)
            TRY(add_output(planning, slice_trim(value->items[i].text), value->items[i].span.start));
        return STATUS_OK;
    }
    for (struct slice rest = value->text; rest.size > 0;) {
        const char *comma = memchr(rest.data, ',', rest.size);
        size_t size = comma ? (size_t)(comma - rest.data) : rest.size;
        TRY(add_output(planning, slice_trim((struct slice){rest.data, size}), value->span.start));
        rest.data += comma ? size + 1 : size;
        rest.size -= comma ? size + 1 : size;
    }
    return STATUS_OK;
}

static uint32_t predicted_count(const struct plan *plan)
{
    return plan->model.component_count > 0 ? plan->model.component_count : 1;
}

/* A column that the prediction is in. */
static struct slice predicted_name(const struct plan *plan, uint32_t i)
{
    return plan->model.component_count > 0 ? plan->components[i] : plan->target_column;
}

/* A column that PREDICT adds must not have the name of one that is there. */
static enum status check_added(const struct planning *planning, struct slice name, int position)
{
    const struct plan *plan = planning->plan;

    for (size_t i = 0; i < plan->query.count; i++) {
        if ((int)i == plan->label_column || !slice_equal_fold(plan->query.columns[i].name, name))
            continue;
        fail_at(planning->err, STATUS_INVALID, position, "the query already has a column \"%.*s\"",
                SLICE_FORMAT(name));
        return error_hint(planning->err, "Give it another name in the SELECT with AS, or leave it "
                                         "out.");
    }
    return STATUS_OK;
}

static enum status check_added_columns(const struct planning *planning)
{
    const struct plan *plan = planning->plan;
    const struct setting *setting = settings_find(planning, "predict.extra_outputs");
    struct name target = path_last(&planning->statement->predict_into);
    const bool is_named = planning->statement->predict_into.count > 0;
    int target_position = is_named ? target.position : planning->statement->verb_position;
    const int extra_position = setting ? setting->value.span.start : target_position;

    for (uint32_t i = 0; i < predicted_count(plan); i++)
        TRY(check_added(planning, predicted_name(plan, i), target_position));
    if (plan->quarantine_table.size > 0)
        TRY(check_added(planning, SLICE(QUARANTINE_REASON), target_position));
    for (size_t i = 0; i < plan->extra_output_count; i++) {
        TRY(check_added(planning, plan->extra_outputs[i], extra_position));
        for (uint32_t j = 0; j < predicted_count(plan); j++)
            if (slice_equal_fold(plan->extra_outputs[i], predicted_name(plan, j)))
                return fail_at(planning->err, STATUS_INVALID, target_position,
                               "the prediction and an extra output are both named \"%.*s\"",
                               SLICE_FORMAT(plan->extra_outputs[i]));
    }
    return STATUS_OK;
}

/* The SELECT's column that the prediction takes the place of: the label's, where the
 * prediction has its name. Otherwise what is true stands beside what is predicted. */
static int replaced_column(const struct plan *plan)
{
    return slice_equal_fold(plan->target_column, plan->label)
               ? query_find(&plan->query, plan->label)
               : -1;
}

enum status plan_predict(struct planning *planning)
{
    struct plan *plan = planning->plan;

    TRY(settings_read(planning, SCOPE_PREDICT));
    TRY(model_find(planning));
    TRY(plan_target(planning));
    TRY(model_room_note(planning));
    TRY(name_components(planning));
    TRY(target_replacing(planning, "predict.replace"));
    TRY(bad_rows_plan(planning, "predict.bad_rows"));
    TRY(plan_outputs(planning));
    TRY(threshold_plan(planning, "predict.threshold"));
    TRY(workers_plan(planning));
    TRY(query_describe(planning));
    TRY(query_check_distinct(planning));
    TRY(match_inputs(planning));
    note_unseen_nulls(plan);
    note_far_numbers(plan);
    plan->label = plan->model.label;
    TRY(checked_values_plan(planning));
    plan->label_column = plan->checked_column < 0 ? replaced_column(plan) : -1;
    return check_added_columns(planning);
}

enum status plan_evaluate(struct planning *planning)
{
    TRY(plan_evaluate_one(planning));
    return planning->statement->other_count > 0 ? several_models_plan(planning) : STATUS_OK;
}

enum status plan_evaluate_one(struct planning *planning)
{
    const struct statement *statement = planning->statement;
    struct plan *plan = planning->plan;
    int label_position = statement->label.position;

    TRY(settings_read(planning, SCOPE_EVALUATE));
    TRY(model_find(planning));
    TRY(model_room_note(planning));
    TRY(metrics_plan(planning, plan->model.task, plan->model.aim.aim, plan->model.aim.aim,
                     plan->model.class_count));
    TRY(average_check(planning));
    TRY(report_plan(planning));
    TRY(threshold_plan(planning, "evaluate.threshold"));
    TRY(target_into(planning, "evaluate.replace"));
    TRY(bad_rows_plan(planning, "evaluate.bad_rows"));
    TRY(workers_plan(planning));
    TRY(query_describe(planning));
    TRY(bad_rows_check(planning, "evaluate.bad_rows"));
    TRY(match_inputs(planning));
    note_unseen_nulls(plan);
    note_far_numbers(plan);
    if (plan->report == REPORT_DRIFT)
        return model_room_need(planning);
    if (!task_has_label(plan->model.task))
        return label_refuse(planning, plan->model.estimator);
    plan->label = plan->model.label;
    if (statement->label.text.size > 0)
        TRY(slice_keep(planning, statement->label.text, &plan->label));
    else
        label_position = statement->select_position;
    TRY(query_resolve(&plan->query, "label ", plan->label, label_position, &plan->label_column,
                      planning->err));
    return aim_columns_plan(planning);
}

static bool is_permutation(const struct name *explainer)
{
    return explainer->text.size == 0 || slice_is_fold(explainer->text, "permutation");
}

static bool is_one_of(struct slice name, const char *const *names)
{
    for (; *names; names++)
        if (slice_is_fold(name, *names))
            return true;
    return false;
}

/* SQLFlow's names for it are of kinds of models, and any of them is taken for any kind. */
static bool is_shap(const struct name *explainer)
{
    static const char *const names[] = {"SHAP",
                                        "TreeExplainer",
                                        "LinearExplainer",
                                        "XGBoostExplainer",
                                        "DeepExplainer",
                                        "GradientExplainer",
                                        "KernelExplainer",
                                        "PermutationExplainer",
                                        NULL};

    return is_one_of(explainer->text, names);
}

/* TO EXPLAIN m USING name, whatever the model is. */
static enum status check_explainer(const struct planning *planning)
{
    static const char *const later[] = {"LIME", NULL};
    const struct name *name = &planning->statement->explainer;
    struct error *err = planning->err;

    if (!is_one_of(name->text, later))
        return STATUS_OK;
    fail_at(err, STATUS_UNSUPPORTED, name->position, "USING %.*s is not supported yet",
            SLICE_FORMAT(name->text));
    return error_hint(err, "USING permutation is the default; USING SHAP explains classifiers and "
                           "regressors.");
}

static bool has_shap(const struct model_summary *model)
{
    return shap_is_known(model->kind, model->task);
}

/* Names of other tools, and of tables that other models have. */
static const char *explainer_hint(struct slice name)
{
    static const struct {
        const char *name, *hint;
    } list[] = {
        {"ice", "Write WITH explain.individual = true USING partial_dependence."},
        {"individual", "Write WITH explain.individual = true USING partial_dependence."},
        {"partial", "Write USING partial_dependence."},
        {"dependence", "Write USING partial_dependence."},
        {"coefficients", "OrdinaryLeastSquares and LogisticRegression have coefficients with "
                         "standard errors. The weights of a linear model are rows: SELECT name, "
                         "value FROM model WHERE part = 'weight'."},
        {"weights", "The weights of a linear model are rows: SELECT name, value FROM model WHERE "
                    "part = 'weight'."},
    };

    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (slice_is_fold(name, list[i].name))
            return list[i].hint;
    return NULL;
}

static enum status refuse_explainer(const struct planning *planning,
                                    const struct model_inside *insides)
{
    static const char also[] = "; for this model there is also";
    const struct name *name = &planning->statement->explainer;
    struct text list;
    enum status status;

    fail_at(planning->err, STATUS_INVALID, name->position, "unknown explainer \"%.*s\"",
            SLICE_FORMAT(name->text));
    if (explainer_hint(name->text))
        return error_hint(planning->err, "%s", explainer_hint(name->text));
    text_init(&list, TEXT_MAXIMUM);
    for (size_t i = 0; insides && insides[i].name; i++)
        text_printf(&list, "%s USING %s", i > 0 ? "," : also, insides[i].name);
    if (has_shap(&planning->plan->model))
        text_printf(&list, "%s USING SHAP", list.size > 0 ? "," : also);
    if (task_has_label(planning->plan->model.task))
        text_printf(&list, "%s USING partial_dependence", list.size > 0 ? "," : also);
    status = list.failed ? fail_no_memory(planning->err)
                         : error_hint(planning->err, "USING permutation is the default%s.",
                                      text_string(&list));
    text_deinit(&list);
    return status;
}

/* The table of the model's inside that is asked for. */
static enum status find_inside(struct planning *planning)
{
    const struct model_inside *insides = planning->plan->model.kind->insides, *inside;

    for (inside = insides; inside && inside->name; inside++) {
        if (!slice_is_fold(planning->statement->explainer.text, inside->name))
            continue;
        planning->plan->inside = inside;
        return STATUS_OK;
    }
    return refuse_explainer(planning, insides);
}

/* No rows are read for it. */
static enum status plan_inside(struct planning *planning)
{
    const struct statement *statement = planning->statement;

    TRY(find_inside(planning));
    for (size_t i = 0; i < statement->setting_count; i++) {
        const struct name *setting = &statement->settings[i].name;

        if (&statement->settings[i] == settings_find(planning, "evaluate.replace"))
            continue;
        fail_at(planning->err, STATUS_INVALID, setting->position, "%.*s needs USING permutation",
                SLICE_FORMAT(setting->text));
        return error_hint(planning->err,
                          "USING %s shows what the model consists of; leave %.*s out.",
                          planning->plan->inside->name, SLICE_FORMAT(setting->text));
    }
    TRY(target_into(planning, "evaluate.replace"));
    return query_describe(planning);
}

/* Models whose metrics can be measured: groups and upper bounds of times are not read. */
static enum aim aim_of_explanation(const struct model_summary *model)
{
    const enum aim aim = model->aim.aim;

    return aim == AIM_QUANTILES || aim == AIM_HAZARDS ? aim : aim_measured(aim);
}

static enum metric metric_of_explanation(const struct model_summary *model)
{
    if (aim_of_explanation(model) == AIM_QUANTILES)
        return METRIC_PINBALL;
    if (aim_of_explanation(model) == AIM_HAZARDS)
        return METRIC_CONCORDANCE;
    if (model->task == TASK_REGRESSION)
        return METRIC_RMSE;
    if (model->task == TASK_CLUSTERING)
        return METRIC_INERTIA;
    if (model->task == TASK_PROJECTION)
        return model->aim.aim == AIM_LOSSES ? METRIC_LOSS : METRIC_RECONSTRUCTION;
    if (model->task == TASK_DETECTION)
        return METRIC_OUTLIERS;
    return model->class_count == 2 ? METRIC_AUC : METRIC_ACCURACY;
}

static uint64_t whole_number(const struct planning *planning, const char *attribute, uint64_t other)
{
    const struct setting *setting = settings_find(planning, attribute);

    if (!setting)
        return other;
    return setting->value.is_integer ? (uint64_t)setting->value.integer
                                     : (uint64_t)setting->value.number;
}

static void plan_summary(struct planning *planning)
{
    const struct setting *picture = settings_find(planning, "summary.plot_type");
    const struct setting *sort = settings_find(planning, "summary.sort");
    struct plan *plan = planning->plan;

    if (picture)
        plan->explain_picture = slice_is_fold(picture->value.text, "dot")      ? PICTURE_DOT
                                : slice_is_fold(picture->value.text, "points") ? PICTURE_POINTS
                                                                               : PICTURE_BAR;
    plan->explain_sorted = !sort || setting_is_true(sort);
    plan->explain_inputs_max = (uint32_t)whole_number(planning, "summary.max_display", 0);
    plan->explain_rows = (uint32_t)whole_number(planning, "explain.rows", 10000);
}

/* SHAP values are asked for by name, or by a picture that only they have. */
static enum status choose_shap(struct planning *planning)
{
    const struct name *name = &planning->statement->explainer;
    const struct setting *picture = settings_find(planning, "summary.plot_type");
    struct plan *plan = planning->plan;
    const bool has_dots =
        plan->explain_picture == PICTURE_DOT || plan->explain_picture == PICTURE_POINTS;

    if (has_dots && name->text.size > 0 && !is_shap(name)) {
        fail_at(planning->err, STATUS_INVALID, picture->name.position,
                "summary.plot_type = '%.*s' needs USING SHAP", SLICE_FORMAT(picture->value.text));
        return error_hint(planning->err, "Write summary.plot_type = 'bar'.");
    }
    plan->explain_by_shap = has_dots || is_shap(name);
    plan->explainer_position = name->text.size > 0 ? name->position
                               : picture           ? picture->name.position
                                                   : -1;
    if (!plan->explain_by_shap || has_shap(&plan->model))
        return STATUS_OK;
    fail_at(planning->err, STATUS_UNSUPPORTED, plan->explainer_position,
            "SHAP values of a %.*s are not supported yet", SLICE_FORMAT(plan->model.estimator));
    return error_hint(planning->err, "USING permutation takes every model.");
}

static bool is_dependence(const struct name *explainer)
{
    static const char *const names[] = {"partial_dependence", "pdp", NULL};

    return is_one_of(explainer->text, names);
}

/* Attributes of the other explainers have no use with partial dependence, and its own none
 * elsewhere. */
static enum status check_dependence(const struct planning *planning, bool is_wanted)
{
    static const char *const own[] = {"explain.columns", "explain.grid", "explain.individual",
                                      NULL};
    static const char *const others[] = {
        "explain.metric",      "explain.repeats", "explain.seed",  "summary.plot_type",
        "summary.max_display", "summary.sort",    "summary.alpha", NULL};

    for (const char *const *name = is_wanted ? others : own; *name; name++) {
        const struct setting *setting = settings_find(planning, *name);

        if (!setting)
            continue;
        fail_at(planning->err, STATUS_INVALID, setting->name.position,
                is_wanted ? "%s has no use with USING partial_dependence"
                          : "%s suits USING partial_dependence alone",
                *name);
        return error_hint(planning->err,
                          is_wanted ? "Leave it out." : "Write USING partial_dependence, too.");
    }
    return STATUS_OK;
}

/* No label is needed. */
static enum status plan_dependence(struct planning *planning)
{
    const struct setting *columns = settings_find(planning, "explain.columns");
    const struct setting *individual = settings_find(planning, "explain.individual");
    struct plan *plan = planning->plan;

    if (!task_has_label(plan->model.task)) {
        fail_at(
            planning->err, STATUS_INVALID, planning->statement->explainer.position,
            "partial dependence explains classifiers and regressors alone, and model %.*s is a %s",
            SLICE_FORMAT(plan->model_name), model_word(plan->model.kind, plan->model.task));
        return error_hint(planning->err, "USING permutation takes every model.");
    }
    TRY(check_dependence(planning, true));
    plan->explain_by_dependence = true;
    plan->explain_points = (uint32_t)whole_number(planning, "explain.grid", 20);
    plan->explain_individual = individual && setting_is_true(individual);
    if (columns)
        TRY(slice_keep(planning, columns->value.text, &plan->explain_columns));
    TRY(target_into(planning, "evaluate.replace"));
    TRY(query_describe(planning));
    return match_inputs(planning);
}

/* SHAP values need no label. */
static enum status plan_shap(struct planning *planning)
{
    static const char *const of_permutation[] = {"explain.metric", "explain.repeats",
                                                 "explain.seed"};

    for (size_t i = 0; i < sizeof of_permutation / sizeof *of_permutation; i++) {
        const struct setting *setting = settings_find(planning, of_permutation[i]);

        if (!setting)
            continue;
        fail_at(planning->err, STATUS_INVALID, setting->name.position, "%s needs USING permutation",
                of_permutation[i]);
        return error_hint(planning->err, "SHAP values explain the rows as they are; leave it out.");
    }
    TRY(target_into(planning, "evaluate.replace"));
    TRY(query_describe(planning));
    return match_inputs(planning);
}

static enum status plan_permutation(struct planning *planning)
{
    struct plan *plan = planning->plan;

    TRY(metric_plan(planning, "explain.metric", plan->model.task, aim_of_explanation(&plan->model),
                    metric_of_explanation(&plan->model)));
    plan->explain_repeats = (uint32_t)whole_number(planning, "explain.repeats", 5);
    plan->explain_seed = whole_number(planning, "explain.seed", 0);
    TRY(target_into(planning, "evaluate.replace"));
    TRY(query_describe(planning));
    TRY(match_inputs(planning));
    if (!task_has_label(plan->model.task))
        return STATUS_OK;
    plan->label = plan->model.label;
    return query_resolve(&plan->query, "label ", plan->label, planning->statement->select_position,
                         &plan->label_column, planning->err);
}

enum status plan_explain_model(struct planning *planning)
{
    const struct name *explainer = &planning->statement->explainer;

    TRY(check_explainer(planning));
    TRY(settings_read(planning, SCOPE_EXPLAIN));
    TRY(model_find(planning));
    TRY(model_room_need(planning));
    if (planning->plan->model.kind->learns_series) {
        TRY(explain_series_plan(planning));
        return match_inputs(planning);
    }
    plan_summary(planning);
    if (is_dependence(explainer))
        return plan_dependence(planning);
    TRY(check_dependence(planning, false));
    if (!is_permutation(explainer) && !is_shap(explainer))
        return plan_inside(planning);
    TRY(choose_shap(planning));
    return planning->plan->explain_by_shap ? plan_shap(planning) : plan_permutation(planning);
}
