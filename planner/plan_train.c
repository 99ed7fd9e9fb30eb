#include "planner/planning.h"

/* An error inside the string of validation.select points into it, where its
 * bytes are those of the text. */
static int position_in_value(const struct value *value, int position)
{
    size_t written = (size_t)(value->span.end - value->span.start);

    if (position < 0 || value->text.size + 2 != written)
        return value->span.start;
    return value->span.start + 1 + position;
}

static enum status describe_validation(struct planning *planning, const struct value *value,
                                       struct query *query)
{
    const struct catalog *catalog = planning->catalog;
    enum status status =
        catalog->describe(catalog->self, value->text, planning->arena, query, planning->err);

    if (status != STATUS_OK && planning->err)
        planning->err->position = position_in_value(value, planning->err->position);
    TRY(status);
    return query_keep(planning, query);
}

static enum status find_validation_column(struct planning *planning, const struct query *query,
                                          struct slice name, int position, int *column)
{
    struct error *err = planning->err;

    *column = query_find(query, name);
    if (*column >= 0)
        return STATUS_OK;
    fail_at(err, STATUS_INVALID, position, "validation.select has %s column \"%.*s\"",
            *column == -1 ? "no" : "more than one", SLICE_FORMAT(name));
    return error_hint(err, "It must return the columns of the training rows, by name.");
}

static enum status validation_plan(struct planning *planning)
{
    const struct setting *setting = settings_find(planning, "validation.select");
    struct plan *plan = planning->plan;
    struct query query = {0};

    if (!setting)
        return STATUS_OK;
    TRY(slice_keep(planning, setting->value.text, &plan->validation_select));
    TRY(describe_validation(planning, &setting->value, &query));
    plan->validation_columns = ARENA_NEW(planning->arena, int, plan->input_count + 1);
    if (!plan->validation_columns)
        return fail_no_memory(planning->err);
    for (size_t i = 0; i < plan->input_count; i++)
        TRY(find_validation_column(planning, &query, plan->inputs[i].name,
                                   setting->value.span.start, &plan->validation_columns[i]));
    return find_validation_column(planning, &query, plan->label, setting->value.span.start,
                                  &plan->validation_columns[plan->input_count]);
}

enum status plan_train(struct planning *planning)
{
    const struct statement *statement = planning->statement;
    struct plan *plan = planning->plan;
    unsigned scope = SCOPE_TRAIN;

    if (statement->object.count > 0)
        return fail_at(planning->err, STATUS_UNSUPPORTED, statement->object.parts[0].position,
                       "USING in TO TRAIN, to start from another model, is not supported yet");
    TRY(estimator_find(&statement->model, &plan->estimator, planning->err));
    if (plan->estimator->has_hidden_layers)
        scope |= SCOPE_NETWORK;
    TRY(settings_read(planning, scope));
    TRY(training_plan(planning));
    TRY(target_plan(planning, &statement->into, &plan->into_schema, &plan->into_name));
    TRY(query_describe(planning));
    TRY(label_plan(planning));
    TRY(columns_plan(planning));
    TRY(parameters_check(planning));
    return validation_plan(planning);
}
