#include "planner/columns/labels.h"

#include "planner/columns/label.h"
#include "planner/columns/old_model.h"
#include "planner/plan/column_kind.h"
#include "planner/plan/query.h"

bool labels_are_several(const struct planning *planning)
{
    return planning->statement->other_label_count > 0;
}

static const struct name *name_of(const struct planning *planning, size_t i)
{
    const struct statement *statement = planning->statement;

    return i == 0 ? &statement->label : &statement->other_labels[i - 1];
}

static enum status check_statement(const struct planning *planning)
{
    const struct name *second = name_of(planning, 1);

    if (planning->plan->definition)
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, second->position, "%s learns one label",
            planning->plan->estimator->name);
    return error_hint(planning->err, "A model of a definition learns several: TO TRAIN zoo/...");
}

static enum input_label type_of_classes(const struct query_column *column)
{
    static const enum input_label types[] = {[LABEL_INTEGER] = INPUT_LABEL_INTEGER,
                                             [LABEL_REAL] = INPUT_LABEL_REAL,
                                             [LABEL_TEXT] = INPUT_LABEL_TEXT};

    return types[label_type_of_class(column)];
}

enum status labels_hint_old(const struct planning *planning)
{
    const struct model_summary *model = &planning->plan->model;
    enum status status;
    struct text list;

    if (!plan_has_labels(planning->plan))
        return error_hint(planning->err,
                          "It was not trained with several labels: leave USING out.");
    text_init(&list, TEXT_MAXIMUM);
    for (size_t i = 0; i < model->input_count; i++)
        if (model->inputs[i].label)
            text_printf(&list, "%s%.*s", list.size > 0 ? ", " : "",
                        SLICE_FORMAT(model->inputs[i].name));
    status = list.failed ? fail_no_memory(planning->err)
                         : error_hint(planning->err, "Write LABEL %s.", text_string(&list));
    text_deinit(&list);
    return status;
}

/* A model with a loss of its own has labels, too, and no head for each. */
static const struct model_input *find_old_label(const struct model_summary *model,
                                                struct slice name)
{
    for (size_t i = 0; i < model->input_count; i++)
        if (model->inputs[i].label && slice_equal_fold(model->inputs[i].name, name))
            return &model->inputs[i];
    return NULL;
}

static size_t old_label_count(const struct model_summary *model)
{
    size_t count = 0;

    for (size_t i = 0; i < model->input_count; i++)
        count += model->inputs[i].label != INPUT_LABEL_NONE;
    return count;
}

static bool is_null_alone(const struct query_column *column)
{
    return column->nulls > 0 &&
           column->integers + column->reals + column->texts + column->blobs + column->dates == 0;
}

/* USING: a label is what it was to the old model, whatever the rows look like. */
static enum status type_as_before(const struct planning *planning, const struct name *name,
                                  const struct query_column *column, enum input_label *type)
{
    const struct plan *plan = planning->plan;
    const struct model_input *old = find_old_label(&plan->model, column->name);

    if (!old) {
        fail_at(planning->err, STATUS_INVALID, name->position,
                "model \"%.*s\" has no label \"%.*s\"", SLICE_FORMAT(plan->model_name),
                SLICE_FORMAT(name->text));
        return labels_hint_old(planning);
    }
    if (is_null_alone(column)) /* these rows teach the other heads */
        *type = old->label;
    else if (old->label != INPUT_LABEL_NUMBER ||
             (column_words(column) > 0 && !column_is_numeric(column)))
        *type = type_of_classes(column);
    else
        *type = INPUT_LABEL_NUMBER;
    if (*type == old->label)
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, name->position,
            "label column \"%.*s\" has type %s, and label \"%.*s\" of model \"%.*s\" has type %s",
            SLICE_FORMAT(column->name), input_label_words[*type], SLICE_FORMAT(old->name),
            SLICE_FORMAT(plan->model_name), input_label_words[old->label]);
    return error_hint(planning->err, "Cast it in the SELECT.");
}

static enum status add_label(struct planning *planning, const struct name *name)
{
    struct plan *plan = planning->plan;
    struct plan_label *label = &plan->labels[plan->label_count];
    const struct query_column *column;

    TRY(query_resolve(&plan->query, "label ", name->text, name->position, &label->column,
                      planning->err));
    if (labels_have(plan, label->column))
        return fail_at(planning->err, STATUS_INVALID, name->position,
                       "label \"%.*s\" is named twice", SLICE_FORMAT(name->text));
    column = &plan->query.columns[label->column];
    if (column->vectors > 0 || column->blobs > 0) {
        query_refuse_binary(planning, "label ", column, name->position);
        return planning->err->status;
    }
    label->type = column_holds_classes(column) ? type_of_classes(column) : INPUT_LABEL_NUMBER;
    if (old_model_is_named(planning))
        TRY(type_as_before(planning, name, column, &label->type));
    plan->label_count++;
    return STATUS_OK;
}

enum status labels_plan(struct planning *planning)
{
    const size_t count = planning->statement->other_label_count + 1;

    TRY(check_statement(planning));
    planning->plan->label_type = LABEL_NONE;
    planning->plan->labels = ARENA_NEW(planning->arena, struct plan_label, count);
    if (!planning->plan->labels)
        return fail_no_memory(planning->err);
    for (size_t i = 0; i < count; i++)
        TRY(add_label(planning, name_of(planning, i)));
    if (!old_model_is_named(planning) || count == old_label_count(&planning->plan->model))
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, planning->statement->label.position,
            "model \"%.*s\" has %zu labels, and LABEL names %zu of them",
            SLICE_FORMAT(planning->plan->model_name), old_label_count(&planning->plan->model),
            count);
    return labels_hint_old(planning);
}

bool labels_have(const struct plan *plan, int column)
{
    for (size_t i = 0; i < plan->label_count; i++)
        if (plan->labels[i].column == column)
            return true;
    return false;
}

void labels_add_inputs(struct plan *plan)
{
    for (size_t i = 0; i < plan->label_count; i++) {
        const struct plan_label *label = &plan->labels[i];
        const struct query_column *column = &plan->query.columns[label->column];
        const bool is_number = label->type == INPUT_LABEL_NUMBER;
        struct plan_input *input = &plan->inputs[plan->input_count++];

        *input = (struct plan_input){.spec.name = column->name,
                                     .column = label->column,
                                     .spec.type = is_number ? INPUT_NUMERIC : INPUT_CATEGORY,
                                     .spec.vocabulary_max = is_number ? 0 : CATEGORY_WORDS,
                                     .spec.keeps_codes = is_number,
                                     .spec.label = label->type,
                                     .declared_type = column->declared_type,
                                     .is_chosen = true};
        if (is_number)
            input->spec.reading = column_reading(column);
    }
}
