#include "planner/training/idle_settings.h"

/* clang-format off: one row, one attribute. */
const struct idle_attribute idle_attributes[] = {
    {"validation.steps", 1e9, "an evaluation takes all validation rows"},
    {"validation.start_delay_secs", 1e9, "each epoch is evaluated"},
    {"validation.throttle_secs", 1e9, "each epoch is evaluated"},
    {"train.disk_cache", 1, "rows are on disk always, and in memory as far as there is room"},
    {"model.label_dimension", 1, "a regressor has one label"},
    {NULL, 0, NULL},
};
/* clang-format on */

static enum status check_value(const struct idle_attribute *attribute,
                               const struct setting *setting, struct error *err)
{
    const struct value *value = &setting->value;

    if (value->kind == VALUE_BOOLEAN && attribute->most == 1)
        return STATUS_OK;
    if (value->kind == VALUE_NUMBER && value->number >= 0 && value->number <= attribute->most)
        return STATUS_OK;
    fail_at(err, STATUS_INVALID, value->span.start, "%s takes a number from 0 to %.0f",
            attribute->name, attribute->most);
    return error_hint(err, "It changes nothing: %s. Leave it out.", attribute->why);
}

enum status idle_settings_take(struct planning *planning, const struct setting *setting,
                               bool *is_idle)
{
    const struct idle_attribute *attribute = idle_attributes;

    while (attribute->name && !slice_is_fold(setting->name.text, attribute->name))
        attribute++;
    *is_idle = attribute->name != NULL;
    if (!*is_idle)
        return STATUS_OK;
    TRY(check_value(attribute, setting, planning->err));
    notice_add(planning->plan->notices, NOTICE_SETTING, "%s changes nothing: %s", attribute->name,
               attribute->why);
    return STATUS_OK;
}
