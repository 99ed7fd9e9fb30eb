#include "planner/labels.h"

#include "planner/column_kind.h"
#include "planner/label.h"
#include "planner/old_model.h"
#include "planner/query.h"

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

    if (!planning->plan->definition) {
        fail_at(planning->err, STATUS_INVALID, second->position, "%s learns one label",
                planning->plan->estimator->name);
        return error_hint(planning->err,
                          "A model of a definition learns several: TO TRAIN zoo/...");
    }
    if (!old_model_is_named(planning))
        return STATUS_OK;
    return fail_at(planning->err, STATUS_UNSUPPORTED,
                   path_last(&planning->statement->object).position,
                   "USING with several labels is not supported yet");
}

static enum input_label type_of(const struct query_column *column)
{
    static const enum input_label types[] = {[LABEL_INTEGER] = INPUT_LABEL_INTEGER,
                                             [LABEL_REAL] = INPUT_LABEL_REAL,
                                             [LABEL_TEXT] = INPUT_LABEL_TEXT};

    return column_holds_classes(column) ? types[label_type_of_class(column)] : INPUT_LABEL_NUMBER;
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
    label->type = type_of(column);
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
    return STATUS_OK;
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
