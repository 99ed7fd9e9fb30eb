#include "planner/embeddings.h"

#include "planner/attributes.h"
#include "planner/settings.h"

#define DIMENSION "model.embedding_dimension"

/* Its number, where a call is an EMBEDDING that has one; NULL: none. */
static const struct value *dimension_of(const struct column *column)
{
    if (column->kind != COLUMN_CALL || !slice_is_fold(column->name.text, "EMBEDDING") ||
        column->count < 2 || column->items[1].kind != COLUMN_VALUE)
        return NULL;
    return &column->items[1].value;
}

static enum status refuse_model(const struct planning *planning, const struct column *call)
{
    fail_at(planning->err, STATUS_UNSUPPORTED, call->name.position,
            "EMBEDDING is not supported yet by %s", planning->plan->estimator->name);
    return error_hint(planning->err,
                      "DNNLinearCombined, DeepFM, XDeepFM and DCN models learn embeddings; "
                      "INDICATOR takes the category itself.");
}

static enum status compare(const struct planning *planning, const struct value *before,
                           const struct value *value, bool is_set)
{
    if (before->kind == VALUE_NUMBER && value->kind == VALUE_NUMBER && before->is_integer &&
        value->is_integer && before->integer == value->integer)
        return STATUS_OK;
    if (is_set)
        return fail_at(planning->err, STATUS_INVALID, value->span.start,
                       "EMBEDDING has another dimension than " DIMENSION);
    fail_at(planning->err, STATUS_UNSUPPORTED, value->span.start,
            "embeddings of two dimensions in one model are not supported yet");
    return error_hint(planning->err, "Give all of them the same one.");
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

enum status embeddings_setting(struct planning *planning, const struct setting **setting)
{
    const struct setting *given = settings_find(planning, DIMENSION);
    const struct statement *statement = planning->statement;

    *setting = NULL;
    for (size_t c = 0; c < statement->column_clause_count; c++)
        for (size_t i = 0; i < statement->columns[c].count; i++) {
            const struct column *column = &statement->columns[c].columns[i];
            const struct value *value = dimension_of(column);

            if (!value)
                continue;
            if (!estimator_uses(planning->plan->estimator, attribute_find(slice_of(DIMENSION))))
                return refuse_model(planning, column);
            if (given || *setting)
                TRY(compare(planning, given ? &given->value : &(*setting)->value, value,
                            given != NULL));
            else
                TRY(make_setting(planning, value, setting));
        }
    return STATUS_OK;
}
