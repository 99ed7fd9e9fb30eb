#include "kinds/forecast/holidays.h"

#include <string.h>

#include "base/sums/hash.h"

_Static_assert(TIME_DAY_LEAST > INT32_MIN && TIME_DAY_MOST < INT32_MAX, "a day is 32 bits");

/* ---- days of a step ---- */

static int64_t day_of(int64_t time)
{
    return time >= 0 ? time / DAY_MICROSECONDS
                     : -((DAY_MICROSECONDS - 1 - time) / DAY_MICROSECONDS);
}

/* The days [first, end) of a step. Saturday and Sunday are in no step of weekdays. */
static void days_of_step(const struct steps *steps, int64_t index, int64_t *first, int64_t *end)
{
    const int64_t time = steps_time(steps, index);

    *first = day_of(time);
    *end = *first + 1;
    if (steps->unit == STEP_MONTH_END)
        *first = day_of(steps_time(steps, index - 1)) + 1;
    else if (steps->unit == STEP_MONTH ||
             (steps->unit == STEP_MICROSECOND && steps->size > DAY_MICROSECONDS))
        *end = day_of(steps_time(steps, index + 1));
}

/* How many days are before this one. */
static uint32_t days_before(const struct holiday *holiday, int64_t day)
{
    uint32_t low = 0, high = holiday->count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (holiday->days[middle] < day)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double holiday_days(const struct holiday *holiday, const struct steps *steps, int64_t index)
{
    int64_t first, end;

    days_of_step(steps, index, &first, &end);
    return days_before(holiday, end) - days_before(holiday, first);
}

bool holidays_reach(const struct holidays *holidays, const struct steps *steps, int64_t index)
{
    int64_t first, end;

    days_of_step(steps, index, &first, &end);
    for (uint32_t i = 0; i < holidays->count; i++) {
        const struct holiday *holiday = &holidays->items[i];

        if (holiday->days[holiday->count - 1] >= first)
            return true;
    }
    return false;
}

/* ---- comparing ---- */

bool holidays_same_names(const struct holidays *a, const struct holidays *b)
{
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!slice_equal(a->items[i].name, b->items[i].name))
            return false;
    return true;
}

bool holidays_equal(const struct holidays *a, const struct holidays *b)
{
    if (!holidays_same_names(a, b))
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->items[i].count != b->items[i].count ||
            memcmp(a->items[i].days, b->items[i].days, a->items[i].count * sizeof(int32_t)) != 0)
            return false;
    return true;
}

uint64_t holiday_hash(const struct holiday *holiday)
{
    return bytes_hash(holiday->days, holiday->count * sizeof *holiday->days,
                      bytes_hash(holiday->name.data, holiday->name.size, 0));
}

/* ---- JSON ---- */

void holidays_write(const struct holidays *holidays, cJSON *object, const char *name)
{
    cJSON *all = json_add_array(object, name);

    for (uint32_t i = 0; i < holidays->count; i++) {
        const struct holiday *holiday = &holidays->items[i];
        cJSON *one = cJSON_CreateObject(), *days;

        json_add_string(one, "name", holiday->name);
        days = json_add_array(one, "days");
        for (uint32_t k = 0; k < holiday->count; k++)
            json_append(days, json_integer(holiday->days[k]));
        json_append(all, one);
    }
}

static enum status refuse(struct error *err)
{
    return fail(err, STATUS_CORRUPT,
                "member \"holidays\": expected names that ascend, each with days that ascend");
}

static enum status read_days(const cJSON *object, uint32_t most, struct arena *arena,
                             struct holiday *holiday, struct error *err)
{
    const cJSON *array, *item;
    int32_t *days;

    TRY(json_get_array(object, "days", most, &array, err));
    days = ARENA_NEW(arena, int32_t, (size_t)cJSON_GetArraySize(array) + 1);
    if (!days)
        return fail_no_memory(err);
    holiday->days = days;
    cJSON_ArrayForEach(item, array)
    {
        const double day = cJSON_IsNumber(item) ? item->valuedouble : (double)TIME_DAY_MOST + 1;

        if (!(day >= (double)TIME_DAY_LEAST && day <= (double)TIME_DAY_MOST) ||
            day != (double)(int32_t)day)
            return refuse(err);
        days[holiday->count++] = (int32_t)day;
        if (holiday->count > 1 && days[holiday->count - 2] >= days[holiday->count - 1])
            return refuse(err);
    }
    return holiday->count > 0 ? STATUS_OK : refuse(err);
}

static enum status read_one(const cJSON *item, uint32_t most, struct arena *arena,
                            struct holiday *holiday, struct error *err)
{
    struct slice name;

    if (!cJSON_IsObject(item) || cJSON_GetArraySize(item) != 2)
        return refuse(err);
    TRY(json_get_string(item, "name", &name, err));
    if (name.size == 0 || name.size > HOLIDAY_NAME_MAX)
        return refuse(err);
    holiday->name = arena_copy(arena, name);
    if (!holiday->name.data)
        return fail_no_memory(err);
    return read_days(item, most, arena, holiday, err);
}

enum status holidays_read(const cJSON *object, const char *name, struct arena *arena,
                          struct holidays *holidays, struct error *err)
{
    struct holiday *items = ARENA_NEW(arena, struct holiday, HOLIDAYS_MAX);
    uint32_t left = HOLIDAY_DAYS_MAX;
    const cJSON *array, *item;

    *holidays = (struct holidays){.items = items};
    if (!items)
        return fail_no_memory(err);
    TRY(json_get_array(object, name, HOLIDAYS_MAX, &array, err));
    cJSON_ArrayForEach(item, array)
    {
        struct holiday *holiday = &items[holidays->count];

        *holiday = (struct holiday){.count = 0};
        TRY(read_one(item, left, arena, holiday, err));
        left -= holiday->count;
        if (holidays->count > 0 && slice_compare(holiday[-1].name, holiday->name) >= 0)
            return refuse(err);
        holidays->count++;
    }
    return holidays->count > 0 ? STATUS_OK : refuse(err);
}
