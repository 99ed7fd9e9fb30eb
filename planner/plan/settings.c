#include "planner/plan/settings.h"

bool setting_is_true(const struct setting *setting)
{
    const struct value *value = &setting->value;

    return value->kind == VALUE_BOOLEAN ? value->boolean : value->integer != 0;
}

int setting_place(const struct setting *setting, int position)
{
    const struct value *value = &setting->value;
    const size_t written = (size_t)(value->span.end - value->span.start);

    if (position < 0 || value->text.size + 2 != written)
        return value->span.start;
    return value->span.start + 1 + position;
}

const struct setting *settings_find(const struct planning *planning, const char *attribute)
{
    for (size_t i = 0; i < planning->setting_count; i++)
        if (slice_is(slice_of(attribute), planning->settings[i].attribute->name))
            return planning->settings[i].setting;
    return NULL;
}
