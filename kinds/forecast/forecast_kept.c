#include "kinds/forecast/forecast_kept.h"

#include <math.h>
#include <string.h>

/* ---- numbers ---- */

#define LOW_BITS  21
#define HIGH_BITS (64 - 2 * LOW_BITS)

void kept_to_parts(double number, float parts[KEPT_PARTS])
{
    const uint64_t mask = (UINT64_C(1) << LOW_BITS) - 1;
    uint64_t bits;

    memcpy(&bits, &number, sizeof bits);
    parts[0] = (float)(bits >> (2 * LOW_BITS));
    parts[1] = (float)(bits >> LOW_BITS & mask);
    parts[2] = (float)(bits & mask);
}

double kept_of_parts(const float parts[KEPT_PARTS])
{
    const uint64_t bits =
        (uint64_t)parts[0] << (2 * LOW_BITS) | (uint64_t)parts[1] << LOW_BITS | (uint64_t)parts[2];
    double number;

    memcpy(&number, &bits, sizeof number);
    return number;
}

static bool is_part(float part, int bits)
{
    return part >= 0 && (double)part < (double)(1u << bits) && part == floorf(part);
}

bool forecast_kept_is_whole(const struct forecast_model *forecast)
{
    const uint64_t count = (uint64_t)forecast->series * forecast->kept;
    const uint64_t values = (uint64_t)forecast->series * forecast->fitted.values;

    for (uint64_t i = 0; i < count + values; i++) {
        const float *parts = i < count ? forecast->numbers + i * KEPT_PARTS
                                       : forecast->past + (i - count) * KEPT_PARTS;

        if (!is_part(parts[0], HIGH_BITS) || !is_part(parts[1], LOW_BITS) ||
            !is_part(parts[2], LOW_BITS))
            return false;
    }
    return true;
}

uint32_t forecast_kept_most(const struct forecast_params *params, uint32_t regressors)
{
    const struct method *method = NULL;
    struct error ignored;

    if (forecast_method(slice_of(forecast_method_words[params->method]), &method, &ignored) !=
        STATUS_OK)
        return 0;
    /* A lambda, and of a regression what the mean value has of it. */
    return KEPT_LIST + 1 + regressors + 1 + FORECAST_KEPT + method->kept;
}

/* ---- shape ---- */

static const char *const shape[] = {"forecast.horizon",     "forecast.method",
                                    "forecast.season",      "forecast.order",
                                    "forecast.gaps",        "forecast.seasonal_order",
                                    "forecast.transform",   "forecast.keep_parameters",
                                    "forecast.keep_values", "forecast.hierarchy"};

bool forecast_is_of_shape(const struct attribute *attribute)
{
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
        if (slice_is(slice_of(attribute->name), shape[i]))
            return true;
    return false;
}

bool forecast_can_go_on(const void *outline)
{
    const struct forecast_model *forecast = outline;

    return forecast && forecast->kept > 0;
}

void forecast_copy_shape(const struct forecast_params *from, struct forecast_params *to)
{
    to->horizon = from->horizon;
    to->method = from->method;
    to->seasons = from->seasons;
    to->order = from->order;
    to->gaps = from->gaps;
    to->seasonal_order = from->seasonal_order;
    to->transform = from->transform;
    to->keeps = from->keeps;
    to->values = from->values;
    to->hierarchy = from->hierarchy;
}

/* ---- meta ---- */

/* Models without values are as they were before any had them; a hierarchy stands among the facts of
 * the model. */
static bool is_written(const struct attribute *attribute, bool has_values)
{
    return forecast_is_of_shape(attribute) &&
           !slice_is(slice_of(attribute->name), "forecast.hierarchy") &&
           (has_values || !slice_is(slice_of(attribute->name), "forecast.keep_values"));
}

void forecast_write_kept(const struct forecast_model *forecast, cJSON *object)
{
    cJSON *fitted, *ways;

    if (forecast->kept == 0)
        return;
    json_add_integer(object, "kept", forecast->kept);
    ways = json_add_array(object, "ways");
    for (int i = 0; i < SERIES_WAYS; i++)
        json_append(ways, json_integer(forecast->ways[i]));
    fitted = cJSON_CreateObject();
    for (size_t i = 0; i < forecast_attributes.count; i++)
        if (is_written(&forecast_attributes.rows[i], forecast->fitted.values > 0))
            attribute_write(&forecast_attributes.rows[i], &forecast->fitted, fitted);
    json_add(object, "fitted", fitted);
}

static enum status read_ways(const cJSON *object, struct forecast_model *forecast,
                             struct error *err)
{
    const cJSON *ways, *item;
    uint32_t count = 0;

    TRY(json_get_array(object, "ways", SERIES_WAYS, &ways, err));
    cJSON_ArrayForEach(item, ways)
    {
        if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble <= UINT32_MAX))
            return fail(err, STATUS_CORRUPT, "model: an invalid count of series");
        forecast->ways[count++] = (uint32_t)item->valuedouble;
    }
    return count == SERIES_WAYS ? STATUS_OK
                                : fail(err, STATUS_CORRUPT, "model: %u counts of series, not %d",
                                       count, SERIES_WAYS);
}

enum status forecast_read_kept(const cJSON *object, struct forecast_model *forecast,
                               struct error *err)
{
    const cJSON *fitted;
    int64_t kept;

    forecast->kept = 0;
    forecast->fitted.values = 0;
    forecast->fitted.hierarchy = forecast->hierarchy;
    if (!json_has(object, "kept"))
        return STATUS_OK;
    TRY(json_get_integer(object, "kept", KEPT_LIST, FORECAST_KEPT_MAX, &kept, err));
    forecast->kept = (uint32_t)kept;
    TRY(read_ways(object, forecast, err));
    TRY(json_get_object(object, "fitted", &fitted, err));
    for (size_t i = 0; i < forecast_attributes.count; i++)
        if (is_written(&forecast_attributes.rows[i], json_has(fitted, "keep_values")))
            TRY(attribute_read(&forecast_attributes.rows[i], fitted, &forecast->fitted, err));
    return STATUS_OK;
}

static bool number_of_counts(const struct counts *counts, uint32_t i, uint64_t *number)
{
    if (i > counts->count)
        return false;
    *number = i == 0 ? counts->count : counts->items[i - 1];
    return true;
}

bool forecast_kept_digest(const struct forecast_model *forecast, uint32_t i, uint64_t *number)
{
    enum { NUMBERS = 4 + SERIES_WAYS };
    const struct forecast_params *fitted = &forecast->fitted;
    const struct counts *const counts[] = {&fitted->seasons, &fitted->order,
                                           &fitted->seasonal_order};
    const uint64_t numbers[NUMBERS] = {forecast->kept,
                                       fitted->method,
                                       fitted->gaps,
                                       fitted->transform,
                                       forecast->ways[WAY_NEW],
                                       forecast->ways[WAY_MOVED],
                                       forecast->ways[WAY_STAYED],
                                       forecast->ways[WAY_ANEW]};

    if (forecast->kept == 0)
        return false;
    if (i < NUMBERS) {
        *number = numbers[i];
        return true;
    }
    i -= NUMBERS;
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        if (number_of_counts(counts[k], i, number))
            return true;
        i -= counts[k]->count + 1;
    }
    *number = fitted->values;
    return i == 0 && fitted->values > 0;
}
