#include "runtime/learn/series/series_old.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kinds/forecast/forecast_kept.h"

/* ---- words ---- */

struct old_word {
    struct slice word;
    int32_t id;
};

static int by_word(const void *a, const void *b)
{
    return slice_compare(((const struct old_word *)a)->word, ((const struct old_word *)b)->word);
}

/* Finds the place among the words of `old` of each word of `own`. */
static enum status map_words(const struct transform_input *own, const struct transform_input *old,
                             int32_t **map, struct error *err)
{
    struct old_word *sorted = calloc((size_t)old->word_count + 1, sizeof *sorted);

    *map = calloc((size_t)own->word_count + 1, sizeof **map);
    if (!sorted || !*map) {
        free(sorted);
        return fail_no_memory(err);
    }
    for (uint32_t i = 0; i < old->word_count; i++)
        sorted[i] = (struct old_word){old->words[i], (int32_t)i};
    qsort(sorted, old->word_count, sizeof *sorted, by_word);
    for (uint32_t i = 0; i < own->word_count; i++) {
        const struct old_word key = {own->words[i], 0};
        const struct old_word *found =
            bsearch(&key, sorted, old->word_count, sizeof *sorted, by_word);

        (*map)[i] = found ? found->id : -1;
    }
    free(sorted);
    return STATUS_OK;
}

/* ---- the model ---- */

static enum status refuse_columns(struct error *err)
{
    fail(err, STATUS_INVALID,
         "the old model has another group, time or other regressors than the statement");
    return error_hint(err, "SHOW MODEL shows the statement that it was trained with; without USING "
                           "all series are fitted anew.");
}

static enum status check_columns(const struct transform *own, const struct transform *old,
                                 struct error *err)
{
    if (own->input_count != old->input_count)
        return refuse_columns(err);
    for (uint32_t i = 0; i < own->input_count; i++) {
        const struct input_spec *spec = &own->inputs[i].spec, *other = &old->inputs[i].spec;

        if (!slice_equal_fold(spec->name, other->name) || spec->type != other->type ||
            spec->part != other->part)
            return refuse_columns(err);
    }
    return STATUS_OK;
}

enum status series_olds_open(const struct dataset *dataset, uint32_t groups,
                             const struct holidays *holidays, struct series_olds *olds,
                             struct error *err)
{
    static const struct holidays none = {.count = 0};
    const struct transform *own = &dataset->transform;

    *olds = (struct series_olds){.forecast = NULL};
    if (!dataset->old_series)
        return STATUS_OK;
    TRY(check_columns(own, &dataset->old_series->transform, err));
    olds->forecast = forecast_of(dataset->old_series);
    if (olds->forecast->kept == 0)
        return fail(err, STATUS_CORRUPT, "the old model keeps no parameters");
    if (!holidays_same_names(&olds->forecast->holidays, holidays ? holidays : &none))
        return fail(err, STATUS_INVALID, "the old model has other holidays than the statement");
    for (uint32_t i = 0; i < groups; i++)
        TRY(map_words(&own->inputs[i], &dataset->old_series->transform.inputs[i], &olds->words[i],
                      err));
    return STATUS_OK;
}

void series_olds_close(struct series_olds *olds)
{
    for (uint32_t i = 0; i < FORECAST_GROUPS_MAX; i++)
        free(olds->words[i]);
    *olds = (struct series_olds){.forecast = NULL};
}

enum status series_olds_check_steps(const struct series_olds *olds, const struct steps *steps,
                                    struct error *err)
{
    if (!olds->forecast ||
        (olds->forecast->unit == steps->unit && olds->forecast->size == steps->size))
        return STATUS_OK;
    fail(err, STATUS_INVALID,
         "the times of these rows have another step than those of the old "
         "model");
    return error_hint(err, "Look whether a time is a mistake; without USING all series are fitted "
                           "anew, by the step that these rows have.");
}

int64_t series_olds_end(const struct series_olds *olds)
{
    const struct steps steps = forecast_steps(olds->forecast, 0);

    return steps_time(&steps, (int64_t)olds->forecast->facts[FACT_LAST]);
}

/* ---- a series ---- */

/* NULL: none are kept. */
static enum status read_values(const struct forecast_model *forecast, uint32_t series,
                               struct arena *arena, double **values, struct error *err)
{
    const uint32_t count = forecast->fitted.values;

    *values = NULL;
    if (count == 0)
        return STATUS_OK;
    *values = ARENA_NEW(arena, double, count);
    if (!*values)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < count; i++) {
        (*values)[i] = kept_of_parts(forecast->past + ((size_t)series * count + i) * KEPT_PARTS);
        if (isinf((*values)[i]))
            return fail(err, STATUS_CORRUPT, "the old model keeps values that are not finite");
    }
    return STATUS_OK;
}

/* The time of the last value that is kept. */
static int64_t last_known(const struct forecast_model *forecast, const struct steps *steps,
                          int64_t last, const double *values)
{
    uint32_t after = 0;

    while (values && after + 1 < forecast->fitted.values &&
           isnan(values[forecast->fitted.values - after - 1]))
        after++;
    return steps_time(steps, after <= last ? last - after : last);
}

/* Series of a total, which stand behind it. */
static uint32_t count_parts(const struct forecast_model *forecast, uint32_t total)
{
    const uint32_t groups = forecast->groups;
    const float *own = forecast->ids + (size_t)total * groups;
    uint32_t level = 0, parts = 0;

    while (level < groups && own[level] >= 0)
        level++;
    for (uint32_t i = total + 1; i < forecast->series && level < groups; i++) {
        const float *ids = forecast->ids + (size_t)i * groups;

        if (memcmp(ids, own, level * sizeof *ids) != 0)
            break;
        parts += ids[groups - 1] >= 0;
    }
    return parts;
}

/* The words of the old model; false: it lacks one. */
static bool map_ids(const struct series_olds *olds, const int64_t *ids, int32_t *own)
{
    for (uint32_t i = 0; i < olds->forecast->groups; i++) {
        own[i] = ids[i] < 0 ? -1 : olds->words[i][ids[i]];
        if (ids[i] >= 0 && own[i] < 0)
            return false;
    }
    return true;
}

enum status series_olds_find(const struct series_olds *olds, const int64_t *ids,
                             struct arena *arena, struct series_old *old, bool *is_there,
                             struct error *err)
{
    const struct forecast_model *forecast = olds->forecast;
    int32_t own[FORECAST_GROUPS_MAX];
    const float *facts, *parts;
    struct steps steps;
    uint32_t series;
    int64_t last, count;

    *is_there = false;
    if (!forecast)
        return STATUS_OK;
    if (!map_ids(olds, ids, own) || !forecast_find(forecast, own, &series))
        return STATUS_OK;
    *old = (struct series_old){.count = forecast->kept, .parts = count_parts(forecast, series)};
    facts = forecast->facts + (size_t)series * SERIES_FACTS;
    parts = forecast->numbers + (size_t)series * forecast->kept * KEPT_PARTS;
    old->numbers = ARENA_NEW(arena, double, forecast->kept);
    if (!old->numbers)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < forecast->kept; i++)
        old->numbers[i] = kept_of_parts(parts + (size_t)i * KEPT_PARTS);
    TRY(read_values(forecast, series, arena, &old->values, err));
    steps = forecast_steps(forecast, series);
    last = (int64_t)facts[FACT_LAST];
    old->last = steps_time(&steps, last);
    old->last_known = last_known(forecast, &steps, last, old->values);
    count = old->numbers[KEPT_NOW] >= 0 && old->numbers[KEPT_NOW] <= (double)last + 1
                ? (int64_t)old->numbers[KEPT_NOW]
                : 0; /* no series has so many: it is fitted anew */
    old->numbers[KEPT_NOW] = (double)count;
    old->begin = steps_time(&steps, last + 1 - count);
    *is_there = true;
    return STATUS_OK;
}
