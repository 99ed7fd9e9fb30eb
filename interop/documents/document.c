#include "interop/documents/document.h"

#include <math.h>
#include <string.h>

const struct value *value_member(const struct value *object, const char *name)
{
    if (!object || object->type != VALUE_OBJECT)
        return NULL;
    for (size_t i = 0; i < object->count; i++)
        if (slice_is(object->of.members[i].name, name))
            return &object->of.members[i].value;
    return NULL;
}

static enum status expected(const char *name, const char *what, struct error *err)
{
    return fail(err, STATUS_CORRUPT, "member \"%s\": expected %s", name, what);
}

enum status value_get_object(const struct value *object, const char *name,
                             const struct value **value, struct error *err)
{
    *value = value_member(object, name);
    return *value && (*value)->type == VALUE_OBJECT ? STATUS_OK : expected(name, "an object", err);
}

enum status value_get_text(const struct value *object, const char *name, struct slice *value,
                           struct error *err)
{
    const struct value *found = value_member(object, name);

    if (!found || found->type != VALUE_TEXT)
        return expected(name, "a text", err);
    *value = (struct slice){found->of.text, found->count};
    return STATUS_OK;
}

enum status value_get_integer(const struct value *object, const char *name, int64_t least,
                              int64_t most, int64_t *value, struct error *err)
{
    const struct value *found = value_member(object, name);
    bool is_whole = false;

    if (found && found->type == VALUE_NUMBER && found->of.number == floor(found->of.number) &&
        fabs(found->of.number) < 0x1p53) {
        *value = (int64_t)found->of.number;
        is_whole = true;
    } else if (found && found->type == VALUE_TEXT) {
        is_whole = slice_to_integer((struct slice){found->of.text, found->count}, value);
    }
    if (is_whole && *value >= least && *value <= most)
        return STATUS_OK;
    return fail(err, STATUS_CORRUPT, "member \"%s\": expected an integer from %lld to %lld", name,
                (long long)least, (long long)most);
}

enum status value_get_numbers(const struct value *object, const char *name, size_t count,
                              const struct value **value, struct error *err)
{
    *value = value_member(object, name);
    if (!*value || (*value)->type != VALUE_NUMBERS)
        return expected(name, "a list of numbers", err);
    if (count == SIZE_MAX || (*value)->count == count)
        return STATUS_OK;
    return fail(err, STATUS_CORRUPT, "member \"%s\": expected %zu numbers, found %zu", name, count,
                (*value)->count);
}

enum status value_get_list(const struct value *object, const char *name, const struct value **value,
                           struct error *err)
{
    static const struct value none = {.type = VALUE_LIST};
    const struct value *found = value_member(object, name);

    if (!found || (found->type != VALUE_LIST && (found->type != VALUE_NUMBERS || found->count > 0)))
        return expected(name, "a list", err);
    *value = found->type == VALUE_LIST ? found : &none;
    return STATUS_OK;
}
