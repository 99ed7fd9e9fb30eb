#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_INTEGER 9007199254740992.0 /* 2^53 */

/* cJSON has a compiled-in nesting limit of 1000 and none on size. */
static unsigned json_depth(struct slice bytes)
{
    unsigned depth = 0, deepest = 0;
    bool in_string = false;

    for (size_t i = 0; i < bytes.size; i++) {
        char c = bytes.data[i];
        if (in_string) {
            if (c == '\\')
                i++;
            else if (c == '"')
                in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            deepest = ++depth > deepest ? depth : deepest;
        } else if ((c == '}' || c == ']') && depth > 0) {
            depth--;
        }
    }
    return deepest;
}

cJSON *json_parse(struct slice bytes, size_t bytes_max, struct error *err)
{
    const char *end = NULL;
    cJSON *json;

    if (bytes.size > bytes_max) {
        fail(err, STATUS_CORRUPT, "JSON of %zu bytes, where at most %zu are read", bytes.size,
             bytes_max);
        return NULL;
    }
    if (json_depth(bytes) > JSON_DEPTH_MAX) {
        fail(err, STATUS_CORRUPT, "JSON is nested deeper than %d", JSON_DEPTH_MAX);
        return NULL;
    }
    json = cJSON_ParseWithLengthOpts(bytes.data ? bytes.data : "", bytes.size, &end, false);
    if (!json) {
        fail(err, STATUS_CORRUPT, "no JSON at byte %zu", end ? (size_t)(end - bytes.data) : 0);
        return NULL;
    }
    while (end < bytes.data + bytes.size &&
           (*end == ' ' || *end == '\n' || *end == '\t' || *end == '\r' || *end == '\0'))
        end++;
    if (end != bytes.data + bytes.size) {
        fail(err, STATUS_CORRUPT, "JSON is followed by other text at byte %zu",
             (size_t)(end - bytes.data));
        cJSON_Delete(json);
        return NULL;
    }
    return json;
}

enum status json_print(const cJSON *json, bool indented, struct text *out, struct error *err)
{
    char *printed = indented ? cJSON_Print(json) : cJSON_PrintUnformatted(json);

    if (!printed)
        return fail_no_memory(err);
    text_append_string(out, printed);
    cJSON_free(printed);
    return out->failed ? fail_no_memory(err) : STATUS_OK;
}

static enum status expected(const char *name, const char *what, struct error *err)
{
    return fail(err, STATUS_CORRUPT, "member \"%s\": expected %s", name, what);
}

enum status json_get_string(const cJSON *object, const char *name, struct slice *value,
                            struct error *err)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    if (!cJSON_IsString(item))
        return expected(name, "a string", err);
    *value = slice_of(item->valuestring);
    return STATUS_OK;
}

enum status json_get_integer(const cJSON *object, const char *name, int64_t least, int64_t most,
                             int64_t *value, struct error *err)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    bool found = false;

    if (cJSON_IsNumber(item) && fabs(item->valuedouble) <= EXACT_INTEGER &&
        item->valuedouble == floor(item->valuedouble)) {
        *value = (int64_t)item->valuedouble;
        found = true;
    } else if (cJSON_IsString(item)) {
        found = slice_to_integer(slice_of(item->valuestring), value);
    }
    if (!found || *value < least || *value > most)
        return fail(err, STATUS_CORRUPT, "member \"%s\": expected an integer from %lld to %lld",
                    name, (long long)least, (long long)most);
    return STATUS_OK;
}

enum status json_get_real(const cJSON *object, const char *name, double *value, struct error *err)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
        return expected(name, "a finite number", err);
    *value = item->valuedouble;
    return STATUS_OK;
}

enum status json_get_boolean(const cJSON *object, const char *name, bool *value, struct error *err)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    if (!cJSON_IsBool(item))
        return expected(name, "true or false", err);
    *value = cJSON_IsTrue(item);
    return STATUS_OK;
}

enum status json_get_array(const cJSON *object, const char *name, size_t count_max,
                           const cJSON **value, struct error *err)
{
    *value = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!cJSON_IsArray(*value))
        return expected(name, "an array", err);
    if ((size_t)cJSON_GetArraySize(*value) > count_max)
        return fail(err, STATUS_CORRUPT, "member \"%s\": %d elements, where at most %zu are read",
                    name, cJSON_GetArraySize(*value), count_max);
    return STATUS_OK;
}

enum status json_get_object(const cJSON *object, const char *name, const cJSON **value,
                            struct error *err)
{
    *value = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsObject(*value) ? STATUS_OK : expected(name, "an object", err);
}

void json_add_string(cJSON *object, const char *name, struct slice value)
{
    char *copy = strndup(value.data ? value.data : "", value.size);

    if (copy)
        cJSON_AddStringToObject(object, name, copy);
    free(copy);
}

void json_add_integer(cJSON *object, const char *name, int64_t value)
{
    char digits[32];

    snprintf(digits, sizeof digits, "%lld", (long long)value);
    /* cJSON itself prints 15 digits where they come near enough. */
    if (value >= -(int64_t)EXACT_INTEGER && value <= (int64_t)EXACT_INTEGER)
        cJSON_AddRawToObject(object, name, digits);
    else
        cJSON_AddStringToObject(object, name, digits);
}

void json_add_real(cJSON *object, const char *name, double value)
{
    struct text digits;

    if (!isfinite(value)) {
        cJSON_AddNullToObject(object, name);
        return;
    }
    /* cJSON itself prints 15 digits where they suffice to within an epsilon
     * only: print the shortest exact form ourselves. */
    text_init(&digits, 64);
    text_append_real(&digits, value);
    cJSON_AddRawToObject(object, name, text_string(&digits));
    text_deinit(&digits);
}
