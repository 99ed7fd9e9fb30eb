#include "planner/columns/old_model.h"

#include "planner/attributes/estimators.h"
#include "planner/columns/labels.h"
#include "planner/plan/model_words.h"
#include "planner/plan/settings.h"
#include "planner/plan/targets.h"

bool old_model_is_named(const struct planning *planning)
{
    return planning->plan->kind == STATEMENT_TRAIN && planning->statement->object.count > 0;
}

bool old_model_gives_inputs(const struct planning *planning)
{
    return old_model_is_named(planning) && !planning->plan->estimator->kind->learns_series;
}

static int place_of(const struct planning *planning)
{
    return path_last(&planning->statement->object).position;
}

static enum status refuse_column_clause(const struct planning *planning)
{
    const struct statement *statement = planning->statement;
    const struct plan *plan = planning->plan;

    if (statement->column_clause_count == 0)
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, statement->columns[0].position,
            "COLUMN has no use with USING, which takes the inputs of model \"%.*s\"",
            SLICE_FORMAT(plan->model_name));
    return error_hint(planning->err, "Leave it out: the model knows its columns.");
}

static enum status refuse_nothing_kept(const struct planning *planning)
{
    fail_at(planning->err, STATUS_INVALID, place_of(planning),
            "model \"%.*s\" keeps no parameters that its series could move on with",
            SLICE_FORMAT(planning->plan->model_name));
    return error_hint(planning->err,
                      "Train it once WITH forecast.keep_parameters = true, and then USING it.");
}

enum status old_model_find(struct planning *planning)
{
    const struct plan *plan = planning->plan;

    if (!old_model_is_named(planning))
        return STATUS_OK;
    if (!plan->estimator->kind->goes_on) {
        fail_at(planning->err, STATUS_UNSUPPORTED, place_of(planning),
                "USING in TO TRAIN, to go on from another model, is not supported yet by %s",
                plan->estimator->name);
        return error_hint(planning->err,
                          "Boosted trees, networks, linear models, forecasts and models "
                          "of definitions go on from models of their kind.");
    }
    if (!plan->model.kind) /* kind_choose may have found it */
        TRY(model_find(planning));
    if (plan->model.kind != plan->estimator->kind) {
        fail_at(planning->err, STATUS_INVALID, place_of(planning),
                "model \"%.*s\" is a %.*s, and %s does not go on from one",
                SLICE_FORMAT(plan->model_name), SLICE_FORMAT(plan->model.estimator),
                plan->estimator->name);
        return error_hint(planning->err, "Leave USING out: it learns from the rows alone then.");
    }
    if (plan->estimator->kind->can_go_on && !plan->estimator->kind->can_go_on(plan->model.outline))
        return refuse_nothing_kept(planning);
    return refuse_column_clause(planning);
}

/* ---- the shape of weights ---- */

/* "model.hidden_units = [16,16]" */
static enum status append_value(const struct attribute *attribute, const void *members,
                                struct text *out, struct error *err)
{
    cJSON *object = cJSON_CreateObject();
    enum status status = STATUS_OK;

    if (!object)
        return fail_no_memory(err);
    attribute_write(attribute, members, object);
    text_printf(out, "%s = ", attribute->name);
    status = json_print(object->child, false, out, err);
    cJSON_Delete(object);
    return status;
}

static enum status refuse_value(const struct planning *planning, const struct attribute *attribute,
                                const struct setting *setting)
{
    const struct plan *plan = planning->plan;
    enum status status;
    struct text value;

    text_init(&value, STATEMENT_BYTES_MAX);
    status = append_value(attribute, plan->model.params->bytes, &value, planning->err);
    if (status == STATUS_OK && setting) {
        fail_at(planning->err, STATUS_INVALID, setting->value.span.start,
                "model \"%.*s\" has %s, and learning goes on with that",
                SLICE_FORMAT(plan->model_name), text_string(&value));
        status = error_hint(planning->err, "Leave %s out, or USING.", attribute->name);
    } else if (status == STATUS_OK) {
        fail_at(planning->err, STATUS_INVALID, place_of(planning),
                "model \"%.*s\" has %s, which no %s has", SLICE_FORMAT(plan->model_name),
                text_string(&value), plan->estimator->name);
        status =
            error_hint(planning->err, "It is a %.*s, from which a %.*s goes on.",
                       SLICE_FORMAT(plan->model.estimator), SLICE_FORMAT(plan->model.estimator));
    }
    text_deinit(&value);
    return status;
}

static bool says_auto(const struct setting *setting)
{
    return setting->value.kind != VALUE_LIST && slice_is_fold(setting->value.text, "auto");
}

/* Copies the attribute's value in the form that a job spec gives it. */
static enum status copy_value(const struct attribute *attribute, const void *from, void *to,
                              struct error *err)
{
    cJSON *object = cJSON_CreateObject(), *read = NULL;
    enum status status;
    struct text json;

    if (!object)
        return fail_no_memory(err);
    attribute_write(attribute, from, object);
    text_init(&json, TEXT_MAXIMUM);
    status = json_print(object, false, &json, err);
    if (status == STATUS_OK)
        status = json_parse(text_slice(&json), TEXT_MAXIMUM, &read, err);
    if (status == STATUS_OK)
        status = attribute_read(attribute, read, to, err);
    cJSON_Delete(read);
    cJSON_Delete(object);
    text_deinit(&json);
    return status;
}

static enum status take_attribute(struct planning *planning, const struct attribute *attribute)
{
    const struct setting *setting = settings_find(planning, attribute->name);
    struct plan *plan = planning->plan;
    void *members = plan->spec.params.bytes;

    if (attribute_equal(attribute, members, plan->model.params->bytes))
        return STATUS_OK;
    if ((setting && !says_auto(setting)) || !estimator_uses(plan->estimator, attribute))
        return refuse_value(planning, attribute, setting);
    return copy_value(attribute, plan->model.params->bytes, members, planning->err);
}

bool old_model_gives(const struct planning *planning, const struct attribute *attribute)
{
    const struct kind *kind = planning->plan->estimator->kind;

    return old_model_is_named(planning) && planning->plan->model.params && kind->is_of_shape &&
           kind->is_of_shape(attribute);
}

enum status old_model_take_shape(struct planning *planning)
{
    const struct plan *plan = planning->plan;
    const struct kind *kind = plan->estimator->kind;

    if (!old_model_is_named(planning) || !kind->is_of_shape || !plan->model.params)
        return STATUS_OK;
    for (size_t i = 0; i < kind->attributes->count; i++)
        if (kind->is_of_shape(&kind->attributes->rows[i]))
            TRY(take_attribute(planning, &kind->attributes->rows[i]));
    return STATUS_OK;
}

/* ---- what else must fit ---- */

/* Weights are those of outputs from which a label follows in one way. */
static enum status check_link(const struct planning *planning)
{
    const struct setting *loss = settings_find(planning, "model.loss");
    const struct plan *plan = planning->plan;
    const struct kind *kind = plan->estimator->kind;
    const enum label_link link = kind->link ? kind->link(&plan->spec.params) : LABEL_LINK_NONE;

    if (!kind->is_of_shape || link == plan->model.link)
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, loss ? loss->value.span.start : place_of(planning),
            "the label of model \"%.*s\" has the link \"%s\", and the loss has \"%s\"",
            SLICE_FORMAT(plan->model_name), label_link_words[plan->model.link],
            label_link_words[link]);
    return error_hint(planning->err,
                      "Name a loss like the one that it was trained with: SHOW MODEL "
                      "shows its statement.");
}

static enum status refuse_setting(const struct planning *planning, const char *attribute,
                                  const char *why)
{
    const struct setting *setting = settings_find(planning, attribute);

    if (!setting)
        return STATUS_OK;
    return fail_at(planning->err, STATUS_INVALID, setting->name.position,
                   "%s has no use with USING: model \"%.*s\" %s", attribute,
                   SLICE_FORMAT(planning->plan->model_name), why);
}

static enum status check_classes(const struct planning *planning)
{
    const struct plan *plan = planning->plan;

    if (plan->estimator->task != TASK_CLASSIFICATION || plan->label_type == plan->model.label_type)
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, planning->statement->label.position,
            "label column \"%.*s\" has type %s, and the classes of model \"%.*s\" have type %s",
            SLICE_FORMAT(plan->label), label_type_words[plan->label_type],
            SLICE_FORMAT(plan->model_name), label_type_words[plan->model.label_type]);
    return error_hint(planning->err, "Cast it in the SELECT.");
}

enum status old_model_check(const struct planning *planning)
{
    const struct plan *plan = planning->plan;

    if (!old_model_is_named(planning))
        return STATUS_OK;
    if (plan->model.task != plan->estimator->task) {
        fail_at(planning->err, STATUS_INVALID, place_of(planning),
                "model \"%.*s\" is a %s, and %s learns a %s", SLICE_FORMAT(plan->model_name),
                model_word(plan->model.kind, plan->model.task), plan->estimator->name,
                model_word(plan->estimator->kind, plan->estimator->task));
        return plan->model.heads ? labels_hint_old(planning) : planning->err->status;
    }
    TRY(refuse_setting(planning, "base_score", "is where boosting starts"));
    TRY(refuse_setting(planning, "model.standardize", "knows what its inputs become"));
    TRY(refuse_setting(planning, "model.batch_norm", "has weights that are not normalised"));
    TRY(check_link(planning));
    return check_classes(planning);
}

/* Is the input made of this one column? A date, or functions of COLUMN, may make several. */
static bool is_of_column(const struct plan_input *input, struct slice column)
{
    if (input->spec.cross)
        return false;
    return slice_equal_fold(input->spec.source.size > 0 ? input->spec.source : input->spec.name,
                            column);
}

enum status old_model_order(struct planning *planning)
{
    struct plan *plan = planning->plan;
    struct plan_input *ordered;
    size_t count = 0;

    if (!old_model_gives_inputs(planning))
        return STATUS_OK;
    ordered = ARENA_NEW(planning->arena, struct plan_input, plan->input_count + 1);
    if (!ordered)
        return fail_no_memory(planning->err);
    for (size_t column = 0; column < plan->model.input_count; column++)
        for (size_t i = 0; i < plan->input_count; i++)
            if (is_of_column(&plan->inputs[i], plan->model.inputs[column].name))
                ordered[count++] = plan->inputs[i];
    for (size_t i = 0; i < plan->input_count; i++)
        if (plan->inputs[i].spec.cross)
            ordered[count++] = plan->inputs[i];
    if (count != plan->input_count) /* an array that is longer than it was */
        return fail_at(planning->err, STATUS_INVALID, planning->statement->select_position,
                       "the query has %zu inputs, where model \"%.*s\" takes %zu of them",
                       plan->input_count, SLICE_FORMAT(plan->model_name), count);
    plan->inputs = ordered;
    return STATUS_OK;
}
