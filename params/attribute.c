#include "params/attribute.h"

#include <math.h>
#include <string.h>

#include "base/bytes.h"

void attribute_set_integer(const struct attribute *attribute, void *members, uint64_t value)
{
    void *member = attribute_at(attribute, members);

    if (attribute->store == STORE_U32)
        *(uint32_t *)member = (uint32_t)value;
    else
        *(uint64_t *)member = value;
}

void attribute_set_automatic(const struct attribute *attribute, void *members)
{
    if (attribute->store == STORE_REAL)
        *(double *)attribute_at(attribute, members) = REAL_AUTOMATIC;
    else
        attribute_set_integer(attribute, members, 0);
}

/* "[64, 32]" */
static void set_counts(struct slice text, struct counts *counts)
{
    *counts = (struct counts){.count = 0};
    for (size_t i = 0; i < text.size; i++) {
        const bool is_digit = text.data[i] >= '0' && text.data[i] <= '9';

        if (is_digit && (i == 0 || text.data[i - 1] < '0' || text.data[i - 1] > '9'))
            counts->items[counts->count++] = 0;
        if (is_digit)
            counts->items[counts->count - 1] =
                10 * counts->items[counts->count - 1] + (uint32_t)(text.data[i] - '0');
    }
}

/* Defaults of lists of reals are single numbers; without one the list is empty. */
static void set_real(struct slice text, struct reals *reals)
{
    *reals = (struct reals){.count = 0};
    reals->count = slice_to_real(text, &reals->items[0]);
}

void attribute_set_default(const struct attribute *attribute, void *members)
{
    struct slice text = slice_of(attribute->default_value ? attribute->default_value : "");
    void *member = attribute_at(attribute, members);
    int64_t integer = 0;
    unsigned value = 0;

    if (attribute->is_automatic) {
        attribute_set_automatic(attribute, members);
        return;
    }
    switch (attribute->store) {
    case STORE_NONE:
        break;
    case STORE_U32:
    case STORE_U64:
        slice_to_integer(text, &integer);
        attribute_set_integer(attribute, members, (uint64_t)integer);
        break;
    case STORE_REAL:
        *(double *)member = 0;
        if (attribute->default_value)
            slice_to_real(text, member);
        break;
    case STORE_BOOLEAN:
        *(bool *)member = slice_is(text, "true");
        break;
    case STORE_ENUM:
        if (!term_find(attribute->words, text, &value))
            value = 0;
        memcpy(member, &value, sizeof value);
        break;
    case STORE_COUNTS:
        set_counts(text, member);
        break;
    case STORE_REALS:
        set_real(text, member);
        break;
    }
}

/* ---- in a job spec ---- */

static unsigned enum_at(const struct attribute *attribute, const void *members)
{
    unsigned value;

    memcpy(&value, (const char *)members + attribute->offset, sizeof value);
    return value;
}

static uint64_t integer_at(const struct attribute *attribute, const void *members)
{
    const void *member = (const char *)members + attribute->offset;

    return attribute->store == STORE_U32 ? *(const uint32_t *)member : *(const uint64_t *)member;
}

static void write_reals(const struct reals *reals, const char *name, cJSON *object)
{
    if (reals->count == 1)
        json_add_real(object, name, reals->items[0]);
    else
        json_add_reals(object, name, reals->items, reals->count);
}

void attribute_write(const struct attribute *attribute, const void *members, cJSON *object)
{
    const void *member = (const char *)members + attribute->offset;
    const struct counts *counts = member;
    cJSON *array;

    switch (attribute->store) {
    case STORE_NONE:
        break;
    case STORE_U32:
    case STORE_U64:
        json_add_integer(object, attribute->member, (int64_t)integer_at(attribute, members));
        break;
    case STORE_REAL:
        json_add_real(object, attribute->member, *(const double *)member);
        break;
    case STORE_BOOLEAN:
        json_add_boolean(object, attribute->member, *(const bool *)member);
        break;
    case STORE_ENUM:
        json_add_string(object, attribute->member,
                        slice_of(attribute->words[enum_at(attribute, members)]));
        break;
    case STORE_COUNTS:
        array = json_add_array(object, attribute->member);
        for (uint32_t i = 0; i < counts->count; i++)
            json_append(array, json_integer(counts->items[i]));
        break;
    case STORE_REALS:
        write_reals(member, attribute->member, object);
        break;
    }
}

/* Members of 64 bits take whatever fits: nothing is as large as they can be. */
static int64_t integer_most(const struct attribute *attribute)
{
    return attribute->store == STORE_U64 ? INT64_MAX : (int64_t)attribute->most;
}

static enum status read_integer(const struct attribute *attribute, const cJSON *object,
                                void *members, struct error *err)
{
    const bool may_be_0 = !attribute->default_value || attribute->is_automatic;
    int64_t value;

    TRY(json_get_integer(object, attribute->member, may_be_0 ? 0 : (int64_t)attribute->least,
                         integer_most(attribute), &value, err));
    if (value < (int64_t)attribute->least && value != 0)
        return fail(err, STATUS_CORRUPT, "member \"%s\": expected 0, or %.0f and more",
                    attribute->member, attribute->least);
    attribute_set_integer(attribute, members, (uint64_t)value);
    return STATUS_OK;
}

static enum status read_real(const struct attribute *attribute, const cJSON *object, double *value,
                             struct error *err)
{
    TRY(json_get_real(object, attribute->member, value, err));
    if ((*value >= attribute->least && *value <= attribute->most) || *value == 0 ||
        (attribute->is_automatic && *value == REAL_AUTOMATIC))
        return STATUS_OK;
    return fail(err, STATUS_CORRUPT, "member \"%s\": expected a number from %g to %g",
                attribute->member, attribute->least, attribute->most);
}

static enum status read_word(const struct attribute *attribute, const cJSON *object, void *member,
                             struct error *err)
{
    struct slice word;
    unsigned value;

    TRY(json_get_string(object, attribute->member, &word, err));
    if (!term_find(attribute->words, word, &value))
        return fail(err, STATUS_CORRUPT, "member \"%s\": \"%.40s\" is not one of its words",
                    attribute->member, word.data);
    memcpy(member, &value, sizeof value);
    return STATUS_OK;
}

static enum status read_counts(const struct attribute *attribute, const cJSON *object,
                               struct counts *counts, struct error *err)
{
    const cJSON *array, *item;

    TRY(json_get_array(object, attribute->member, COUNTS_MAX, &array, err));
    counts->count = 0;
    cJSON_ArrayForEach(item, array)
    {
        const double value = cJSON_IsNumber(item) ? item->valuedouble : -1;

        if (!(value >= attribute->least && value <= attribute->most) || value != floor(value))
            return fail(err, STATUS_CORRUPT, "member \"%s\": expected integers from %.0f to %.0f",
                        attribute->member, attribute->least, attribute->most);
        counts->items[counts->count++] = (uint32_t)value;
    }
    return STATUS_OK;
}

static enum status read_reals(const struct attribute *attribute, const cJSON *object,
                              struct reals *reals, struct error *err)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, attribute->member);

    reals->count = 1;
    if (cJSON_IsNumber(item))
        return read_real(attribute, object, &reals->items[0], err);
    TRY(json_get_array(object, attribute->member, REALS_MAX, &object, err));
    reals->count = 0;
    cJSON_ArrayForEach(item, object)
    {
        const double value = cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;

        if (!(value >= attribute->least && value <= attribute->most))
            return fail(err, STATUS_CORRUPT, "member \"%s\": expected numbers from %g to %g",
                        attribute->member, attribute->least, attribute->most);
        reals->items[reals->count++] = value;
    }
    return STATUS_OK;
}

enum status attribute_read(const struct attribute *attribute, const cJSON *object, void *members,
                           struct error *err)
{
    void *member = attribute_at(attribute, members);

    switch (attribute->store) {
    case STORE_NONE:
        break;
    case STORE_U32:
    case STORE_U64:
        return read_integer(attribute, object, members, err);
    case STORE_REAL:
        return read_real(attribute, object, member, err);
    case STORE_BOOLEAN:
        return json_get_boolean(object, attribute->member, member, err);
    case STORE_ENUM:
        return read_word(attribute, object, member, err);
    case STORE_COUNTS:
        return read_counts(attribute, object, member, err);
    case STORE_REALS:
        return read_reals(attribute, object, member, err);
    }
    return STATUS_OK;
}

/* The bytes that make the value: a list has its items, and first how many. */
static size_t bytes_of(const struct attribute *attribute, const void *member)
{
    switch (attribute->store) {
    case STORE_NONE:
        return 0;
    case STORE_U32:
        return sizeof(uint32_t);
    case STORE_U64:
        return sizeof(uint64_t);
    case STORE_REAL:
        return sizeof(double);
    case STORE_BOOLEAN:
        return sizeof(bool);
    case STORE_ENUM:
        return sizeof(unsigned);
    case STORE_COUNTS:
        return ((const struct counts *)member)->count * sizeof(uint32_t);
    case STORE_REALS:
        return ((const struct reals *)member)->count * sizeof(double);
    }
    return 0;
}

bool attribute_equal(const struct attribute *attribute, const void *a, const void *b)
{
    const void *one = (const char *)a + attribute->offset,
               *other = (const char *)b + attribute->offset;
    const size_t size = bytes_of(attribute, one);

    return size == bytes_of(attribute, other) && memcmp(one, other, size) == 0;
}

void attribute_put(const struct attribute *attribute, const void *members, struct text *out)
{
    const void *member = (const char *)members + attribute->offset;
    const struct counts *counts = member;
    const struct reals *reals = member;

    put_sized(out, slice_of(attribute->name));
    switch (attribute->store) {
    case STORE_NONE:
        break;
    case STORE_U32:
    case STORE_U64:
        put_u64(out, integer_at(attribute, members));
        break;
    case STORE_REAL:
        put_f64(out, *(const double *)member);
        break;
    case STORE_BOOLEAN:
        put_u8(out, *(const bool *)member);
        break;
    case STORE_ENUM:
        put_u32(out, enum_at(attribute, members));
        break;
    case STORE_COUNTS:
        put_u32(out, counts->count);
        for (uint32_t i = 0; i < counts->count; i++)
            put_u32(out, counts->items[i]);
        break;
    case STORE_REALS:
        put_u32(out, reals->count);
        for (uint32_t i = 0; i < reals->count; i++)
            put_f64(out, reals->items[i]);
        break;
    }
}
