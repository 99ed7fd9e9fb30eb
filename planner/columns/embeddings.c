#include "planner/columns/embeddings.h"

#include <string.h>

#include "definition/definition.h"
#include "planner/attributes/attributes.h"
#include "planner/columns/column_choice.h"
#include "planner/columns/column_function.h"
#include "planner/plan/settings.h"

#define DIMENSION            "model.embedding_dimension"
#define DEFINITION_DIMENSION "dim"

const struct value *embedding_dimension(const struct column *column)
{
    if (!column_calls(column, "EMBEDDING") || column->count < 2 ||
        column->items[1].kind != COLUMN_VALUE)
        return NULL;
    return &column->items[1].value;
}

static enum status refuse_model(const struct planning *planning, const struct column *call)
{
    fail_at(planning->err, STATUS_UNSUPPORTED, call->name.position,
            "EMBEDDING is not supported yet by %s", planning->plan->estimator->name);
    return error_hint(planning->err, "DNN, DNNLinearCombined, DeepFM, XDeepFM and DCN models learn "
                                     "embeddings; "
                                     "INDICATOR uses the category itself.");
}

static bool are_equal(const struct value *a, const struct value *b)
{
    return a->kind == VALUE_NUMBER && b->kind == VALUE_NUMBER && a->is_integer && b->is_integer &&
           a->integer == b->integer;
}

/* Products of embeddings need the same numbers of each. */
static bool takes_several(const struct planning *planning)
{
    const struct attribute *attribute = attribute_find(slice_of("model.interaction"));
    const char *interaction = estimator_default(planning->plan->estimator, attribute);

    return !interaction || strcmp(interaction, "cross") == 0;
}

static enum status refuse_several(const struct planning *planning, const struct value *value,
                                  bool is_given)
{
    if (is_given)
        return fail_at(planning->err, STATUS_INVALID, value->span.start,
                       "EMBEDDING has another dimension than " DIMENSION);
    fail_at(planning->err, STATUS_INVALID, value->span.start,
            "embeddings of two dimensions have no products in %s", planning->plan->estimator->name);
    return error_hint(planning->err, "Give all of them the same one; DNNLinearCombined and DCN "
                                     "models take several.");
}

static enum status make_setting(const struct planning *planning, const struct value *value,
                                const struct setting **made)
{
    struct setting *setting = ARENA_NEW(planning->arena, struct setting, 1);

    if (!setting)
        return fail_no_memory(planning->err);
    *setting = (struct setting){
        .name = {.text = slice_of(DIMENSION), .position = value->span.start}, .value = *value};
    *made = setting;
    return STATUS_OK;
}

/* The next EMBEDDING with a dimension from this place on; NULL: there are no more. */
static const struct value *next_dimension(const struct planning *planning, size_t *clause,
                                          size_t *item, const struct column **call)
{
    const struct statement *statement = planning->statement;

    for (; *clause < statement->column_clause_count; ++*clause, *item = 0) {
        const bool is_for_linear =
            model_parts_of_clause(&statement->columns[*clause]) == MODEL_PARTS_LINEAR;

        while (*item < statement->columns[*clause].count) {
            const struct column *column = &statement->columns[*clause].columns[(*item)++];
            const struct value *value = embedding_dimension(column);

            *call = column;
            if (value && !is_for_linear)
                return value;
        }
    }
    return NULL;
}

/* ----- definitions ----- */

/* The value of the argument that says how long embeddings are; NULL: the definition has none. */
static const struct value **dimension_argument(const struct planning *planning,
                                               const struct definition_argument **argument)
{
    const struct definition *definition = planning->plan->definition;

    for (size_t i = 0; i < definition->argument_count; i++) {
        *argument = &definition->arguments[i];
        if (slice_is((*argument)->name, DEFINITION_DIMENSION))
            return &planning->plan->definition_values[i];
    }
    return NULL;
}

static enum status refuse_definition(const struct planning *planning, const struct column *call)
{
    fail_at(planning->err, STATUS_INVALID, call->name.position,
            "the definition has no argument " DEFINITION_DIMENSION
            ", which would be the dimension of EMBEDDING");
    return error_hint(planning->err, "INDICATOR uses the category itself.");
}

/* EMBEDDING(c, 128) sets model.dim = 128. */
static enum status set_dimension_argument(struct planning *planning)
{
    const struct definition_argument *argument;
    const struct value **dimension = dimension_argument(planning, &argument), *value;
    const struct column *call;
    size_t clause = 0, item = 0;

    while ((value = next_dimension(planning, &clause, &item, &call))) {
        if (!dimension)
            return refuse_definition(planning, call);
        if (*dimension && !are_equal(*dimension, value))
            return fail_at(planning->err, STATUS_INVALID, value->span.start,
                           "EMBEDDING has another dimension than model." DEFINITION_DIMENSION
                           ", or than another EMBEDDING");
        TRY(definition_check_value(argument, value, planning->err));
        *dimension = value;
    }
    return STATUS_OK;
}

enum status embeddings_setting(struct planning *planning, const struct setting **setting)
{
    const struct setting *given = settings_find(planning, DIMENSION);
    const struct value *first = given ? &given->value : NULL, *value;
    const struct column *call;
    size_t clause = 0, item = 0;
    bool are_several = false;

    *setting = NULL;
    if (planning->plan->definition)
        return set_dimension_argument(planning);
    while ((value = next_dimension(planning, &clause, &item, &call))) {
        if (!estimator_uses(planning->plan->estimator, attribute_find(slice_of(DIMENSION))))
            return refuse_model(planning, call);
        first = first ? first : value;
        if (are_equal(first, value))
            continue;
        if (!takes_several(planning))
            return refuse_several(planning, value, given != NULL);
        are_several = true; /* each has its own then (columns.c) */
    }
    return given || are_several || !first ? STATUS_OK : make_setting(planning, first, setting);
}
