#include "planner/planning.h"

/* Units beyond the range of model.hidden_units are mostly a typing error, and
 * sometimes meant: the error shows what they would cost. */
static enum status refuse_absurd(const struct setting *setting, const struct attribute *attribute,
                                 struct error *err)
{
    if (attribute && slice_is(slice_of(attribute->name), "model.hidden_units"))
        return parameters_check_layers(setting, err);
    return STATUS_OK;
}

static enum status read_setting(struct planning *planning, const struct setting *setting,
                                unsigned scope)
{
    const struct attribute *attribute;
    const struct setting **slot;
    struct error range;
    enum status status = attribute_check(setting, scope, &attribute, &range);

    if (status != STATUS_OK) {
        if (status == STATUS_INVALID)
            TRY(refuse_absurd(setting, attribute, planning->err));
        if (planning->err)
            *planning->err = range;
        return status;
    }
    slot = &planning->settings[attribute - attributes];
    if (*slot) {
        fail_at(planning->err, STATUS_INVALID, setting->name.position,
                "attribute \"%.*s\" is set twice", SLICE_FORMAT(setting->name.text));
        return error_hint(planning->err, "%.*s is the same attribute.",
                          SLICE_FORMAT((*slot)->name.text));
    }
    *slot = setting;
    return STATUS_OK;
}

enum status settings_read(struct planning *planning, unsigned scope)
{
    planning->settings = ARENA_NEW(planning->arena, const struct setting *, attribute_count);
    if (!planning->settings)
        return fail_no_memory(planning->err);
    for (size_t i = 0; i < planning->statement->setting_count; i++)
        TRY(read_setting(planning, &planning->statement->settings[i], scope));
    return STATUS_OK;
}

bool setting_is_true(const struct setting *setting)
{
    const struct value *value = &setting->value;

    return value->kind == VALUE_BOOLEAN ? value->boolean : value->integer != 0;
}

const struct setting *settings_find(const struct planning *planning, const char *attribute)
{
    return planning->settings[attribute_find(slice_of(attribute)) - attributes];
}
