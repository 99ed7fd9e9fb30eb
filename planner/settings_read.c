#include "planner/settings_read.h"

#include "planner/attributes/attribute_check.h"
#include "planner/columns/embeddings.h"
#include "planner/forecast/forecast_span.h"
#include "planner/plan/parameters.h"
#include "planner/training/definition_train.h"
#include "planner/training/idle_settings.h"

/* Numbers of a list beyond the range are mostly a slip of the keyboard, and sometimes a wish: say
 * what they would cost. */
static enum status refuse_absurd(const struct planning *planning, const struct setting *setting,
                                 const struct attribute *attribute)
{
    if (attribute && attribute->type == ATTRIBUTE_INTEGERS)
        return parameters_check_list(planning, setting);
    return STATUS_OK;
}

static enum status read_setting(struct planning *planning, const struct setting *setting,
                                unsigned scope)
{
    const struct attribute *attribute;
    struct checked_setting *checked = planning->settings;
    struct error range;
    enum status status =
        attribute_check(setting, scope, planning->plan->estimator, &attribute, &range);

    if (status != STATUS_OK) {
        if (status == STATUS_INVALID)
            TRY(refuse_absurd(planning, setting, attribute));
        if (planning->err)
            *planning->err = range;
        return status;
    }
    for (size_t i = 0; i < planning->setting_count; i++, checked++) {
        if (checked->attribute != attribute)
            continue;
        fail_at(planning->err, STATUS_INVALID, setting->name.position,
                "attribute \"%.*s\" is set twice", SLICE_FORMAT(setting->name.text));
        return error_hint(planning->err, "%.*s is the same attribute.",
                          SLICE_FORMAT(checked->setting->name.text));
    }
    *checked = (struct checked_setting){attribute, setting};
    planning->setting_count++;
    return STATUS_OK;
}

enum status settings_read(struct planning *planning, unsigned scope)
{
    const size_t count = planning->statement->setting_count;
    const struct setting *embedding, *horizon;

    planning->settings = ARENA_NEW(planning->arena, struct checked_setting, count + 3);
    if (!planning->settings)
        return fail_no_memory(planning->err);
    for (size_t i = 0; i < count; i++) {
        const struct setting *setting = &planning->statement->settings[i];
        bool is_idle = false;

        if (scope == SCOPE_TRAIN)
            TRY(definition_take_setting(planning, setting, &is_idle));
        if (scope == SCOPE_TRAIN && !is_idle)
            TRY(idle_settings_take(planning, setting, &is_idle));
        if (!is_idle)
            TRY(read_setting(planning, setting, scope));
    }
    if (scope != SCOPE_TRAIN)
        return STATUS_OK;
    TRY(forecast_span_setting(planning, &horizon));
    if (horizon)
        return read_setting(planning, horizon, scope); /* a forecast has no EMBEDDING */
    TRY(embeddings_setting(planning, &embedding));
    return embedding ? read_setting(planning, embedding, scope) : STATUS_OK;
}
