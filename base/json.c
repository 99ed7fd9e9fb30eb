#include "base/json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_INTEGER 9007199254740992.0 /* 2^53 */

/* Properties of a document that cJSON does not check: it has a compiled-in nesting limit of 1000,
 * and cuts a string at a zero byte. */
struct shape {
    unsigned depth; /* at its deepest */
    bool has_zero;  /* in a string, as a byte or as \u0000 */
};

static bool is_zero_escape(struct slice bytes, size_t at)
{
    return bytes.size - at >= 6 && memcmp(bytes.data + at, "\\u0000", 6) == 0;
}

static struct shape shape_of(struct slice bytes)
{
    struct shape shape = {0};
    bool in_string = false;
    unsigned depth = 0;

    for (size_t i = 0; i < bytes.size; i++) {
        char c = bytes.data[i];
        if (in_string) {
            shape.has_zero |= c == '\0' || is_zero_escape(bytes, i);
            if (c == '\\')
                i++;
            else if (c == '"')
                in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            shape.depth = ++depth > shape.depth ? depth : shape.depth;
        } else if ((c == '}' || c == ']') && depth > 0) {
            depth--;
        }
    }
    return shape;
}

/* cJSON does not report why it gave up; a trial of malloc does. */
static enum status parse_failed(struct slice bytes, const char *end, struct error *err)
{
    if (errno == ENOMEM)
        return fail_no_memory(err);
    return fail(err, STATUS_CORRUPT, "no JSON at byte %zu", end ? (size_t)(end - bytes.data) : 0);
}

enum status json_parse(struct slice bytes, size_t bytes_max, cJSON **json, struct error *err)
{
    const char *end = NULL;
    struct shape shape;

    *json = NULL;
    if (bytes.size > bytes_max)
        return fail(err, STATUS_CORRUPT, "JSON of %zu bytes, where at most %zu are read",
                    bytes.size, bytes_max);
    shape = shape_of(bytes);
    if (shape.depth > JSON_DEPTH_MAX)
        return fail(err, STATUS_CORRUPT, "JSON is nested deeper than %d", JSON_DEPTH_MAX);
    if (shape.has_zero)
        return fail(err, STATUS_CORRUPT, "a string of the JSON has a zero byte");
    errno = 0;
    *json = cJSON_ParseWithLengthOpts(bytes.data ? bytes.data : "", bytes.size, &end, false);
    if (!*json)
        return parse_failed(bytes, end, err);
    while (end < bytes.data + bytes.size &&
           (*end == ' ' || *end == '\n' || *end == '\t' || *end == '\r' || *end == '\0'))
        end++;
    if (end == bytes.data + bytes.size)
        return STATUS_OK;
    cJSON_Delete(*json);
    *json = NULL;
    return fail(err, STATUS_CORRUPT, "JSON is followed by other text at byte %zu",
                (size_t)(end - bytes.data));
}

/* A container that lacks what was to be added has a mark in its valueint, which
 * cJSON uses for numbers alone. */
static void mark_incomplete(cJSON *container)
{
    if (container)
        container->valueint = 1;
}

static bool is_incomplete(const cJSON *item)
{
    if (!cJSON_IsObject(item) && !cJSON_IsArray(item))
        return false;
    if (item->valueint)
        return true;
    for (const cJSON *child = item->child; child; child = child->next)
        if (is_incomplete(child))
            return true;
    return false;
}

enum status json_print(const cJSON *json, bool indented, struct text *out, struct error *err)
{
    char *printed;

    if (!json || is_incomplete(json))
        return fail_no_memory(err);
    printed = indented ? cJSON_Print(json) : cJSON_PrintUnformatted(json);
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

enum status json_get_reals(const cJSON *object, const char *name, size_t count, double *reals,
                           struct error *err)
{
    const cJSON *array, *item;

    TRY(json_get_array(object, name, count, &array, err));
    if ((size_t)cJSON_GetArraySize(array) != count)
        return fail(err, STATUS_CORRUPT, "member \"%s\": %d numbers, where %zu belong", name,
                    cJSON_GetArraySize(array), count);
    cJSON_ArrayForEach(item, array)
    {
        if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
            return fail(err, STATUS_CORRUPT, "member \"%s\": an element is no number", name);
        *reals++ = item->valuedouble;
    }
    return STATUS_OK;
}

bool json_has(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name) != NULL;
}

enum status json_get_object(const cJSON *object, const char *name, const cJSON **value,
                            struct error *err)
{
    *value = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsObject(*value) ? STATUS_OK : expected(name, "an object", err);
}

cJSON *json_string(struct slice value)
{
    char *copy = strndup(value.data ? value.data : "", value.size);
    cJSON *item = copy ? cJSON_CreateString(copy) : NULL;

    free(copy);
    return item;
}

cJSON *json_integer(int64_t value)
{
    char digits[32];

    snprintf(digits, sizeof digits, "%lld", (long long)value);
    /* cJSON itself prints 15 digits where they come near enough. */
    if (value >= -(int64_t)EXACT_INTEGER && value <= (int64_t)EXACT_INTEGER)
        return cJSON_CreateRaw(digits);
    return cJSON_CreateString(digits);
}

cJSON *json_real(double value)
{
    struct text digits;
    cJSON *item;

    if (!isfinite(value))
        return cJSON_CreateNull();
    /* cJSON itself prints 15 digits where they suffice to within an epsilon
     * only: print the shortest exact form ourselves. */
    text_init(&digits, 64);
    text_append_real(&digits, value);
    item = digits.failed ? NULL : cJSON_CreateRaw(text_string(&digits));
    text_deinit(&digits);
    return item;
}

void json_add(cJSON *object, const char *name, cJSON *item)
{
    if (cJSON_AddItemToObject(object, name, item))
        return;
    cJSON_Delete(item);
    mark_incomplete(object);
}

void json_append(cJSON *array, cJSON *item)
{
    if (cJSON_AddItemToArray(array, item))
        return;
    cJSON_Delete(item);
    mark_incomplete(array);
}

static cJSON *add_container(cJSON *object, const char *name, cJSON *container)
{
    if (cJSON_AddItemToObject(object, name, container))
        return container;
    cJSON_Delete(container);
    mark_incomplete(object);
    return NULL;
}

cJSON *json_add_object(cJSON *object, const char *name)
{
    return add_container(object, name, cJSON_CreateObject());
}

cJSON *json_add_array(cJSON *object, const char *name)
{
    return add_container(object, name, cJSON_CreateArray());
}

void json_add_string(cJSON *object, const char *name, struct slice value)
{
    json_add(object, name, json_string(value));
}

void json_add_integer(cJSON *object, const char *name, int64_t value)
{
    json_add(object, name, json_integer(value));
}

void json_add_real(cJSON *object, const char *name, double value)
{
    json_add(object, name, json_real(value));
}

void json_add_reals(cJSON *object, const char *name, const double *values, size_t count)
{
    cJSON *array = json_add_array(object, name);

    for (size_t i = 0; i < count; i++)
        json_append(array, json_real(values[i]));
}

void json_add_boolean(cJSON *object, const char *name, bool value)
{
    json_add(object, name, cJSON_CreateBool(value));
}
