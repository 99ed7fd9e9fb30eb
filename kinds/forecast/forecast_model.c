#include "kinds/forecast/forecast_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sums/hash.h"
#include "forecast/forecast.h"
#include "forecast/transform.h"

#define PART_BITS       22
#define PART_ONE        (INT64_C(1) << PART_BITS)
#define MILLISECOND     INT64_C(1000) /* microseconds: times are told apart by them */
#define DAY_OF_AGE_ZERO 10957.0       /* 2000-01-01, since 1970 */

/* ---- numbers as floats ---- */

void number_to_parts(double number, float parts[NUMBER_PARTS])
{
    for (int i = 0; i < NUMBER_PARTS; i++) {
        parts[i] = (float)number;
        number -= (double)parts[i];
    }
}

double number_of_parts(const float parts[NUMBER_PARTS])
{
    double number = 0;

    for (int i = NUMBER_PARTS; i-- > 0;)
        number += (double)parts[i];
    return number;
}

void integer_to_parts(int64_t integer, float parts[INTEGER_PARTS])
{
    for (int i = INTEGER_PARTS; i-- > 1;) {
        const int64_t low = ((integer % PART_ONE) + PART_ONE) % PART_ONE;

        parts[i] = (float)low;
        integer = (integer - low) / PART_ONE;
    }
    parts[0] = (float)integer;
}

int64_t integer_of_parts(const float parts[INTEGER_PARTS])
{
    int64_t integer = 0;

    for (int i = 0; i < INTEGER_PARTS; i++)
        integer = integer * PART_ONE + (int64_t)parts[i];
    return integer;
}

/* ---- a series ---- */

static int compare_ids(const struct forecast_model *forecast, uint32_t series, const int32_t *ids)
{
    const float *own = forecast->ids + (size_t)series * forecast->groups;

    for (uint32_t i = 0; i < forecast->groups; i++)
        if ((int32_t)own[i] != ids[i])
            return (int32_t)own[i] < ids[i] ? -1 : 1;
    return 0;
}

bool forecast_find(const struct forecast_model *forecast, const int32_t *ids, uint32_t *series)
{
    uint32_t low = 0, high = forecast->series;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const int order = forecast->groups ? compare_ids(forecast, middle, ids) : 0;

        if (order == 0) {
            *series = middle;
            return true;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

static const float *facts_of(const struct forecast_model *forecast, uint32_t series)
{
    return forecast->facts + (size_t)series * SERIES_FACTS;
}

struct steps forecast_steps(const struct forecast_model *forecast, uint32_t series)
{
    return (struct steps){.unit = forecast->unit,
                          .size = forecast->size,
                          .first = integer_of_parts(facts_of(forecast, series) + FACT_FIRST)};
}

const double forecast_levels[FORECAST_LEVELS] = {0.5, 0.8, 0.9, 0.95, 0.98};

/* The numbers that normal_quantile_of_level gives of them, which a row would wait for. */
const double forecast_normals[FORECAST_LEVELS] = {0x1.5956b87528a48p-1, 0x1.4813c36e26d34p+0,
                                                  0x1.a515209676ac2p+0, 0x1.f5c0331eeff76p+0,
                                                  0x1.29c5c4630ff18p+1};

static double normal_of(double level)
{
    for (uint32_t i = 0; i < FORECAST_LEVELS; i++)
        if (level == forecast_levels[i])
            return forecast_normals[i];
    return normal_quantile_of_level(level);
}

/* Between two levels reaches grow as those of the normal distribution do, and so beyond the last.
 */
struct forecast_interval forecast_interval_of(double level)
{
    struct forecast_interval interval = {.normal = normal_of(level)};
    double low, high;

    while (interval.below + 2 < FORECAST_LEVELS && level > forecast_levels[interval.below + 1])
        interval.below++;
    low = forecast_normals[interval.below];
    high = forecast_normals[interval.below + 1];
    interval.share = (interval.normal - low) / (high - low);
    return interval;
}

/* reaches: of the upper bounds or of the lower ones, or NULL. */
static double reach_of(const struct forecast_model *forecast, const float *reaches, uint32_t ahead,
                       const struct forecast_interval *interval)
{
    const float *low;

    if (!reaches)
        return interval->normal;
    low = reaches + (size_t)interval->below * forecast->horizon + ahead - 1;
    return (double)low[0] + interval->share * ((double)low[forecast->horizon] - (double)low[0]);
}

static double lambda_of(const struct forecast_model *forecast, uint32_t series)
{
    return forecast->is_transformed ? (double)forecast->lambdas[series] / LAMBDAS : TRANSFORM_NONE;
}

/* From the numbers that are forecast to values. The mean is above the middle, from which bounds
 * reach: an interval that ends before the mean is told to end there. Older models lack that. */
static void transform_step(const struct forecast_model *forecast, uint32_t series,
                           struct forecast_step *step)
{
    const double lambda = lambda_of(forecast, series);

    step->value = transform_mean(lambda, step->value, step->deviation);
    step->lower = transform_back(lambda, step->lower);
    step->upper = transform_back(lambda, step->upper);
    if (forecast->reaches_below && step->upper < step->value)
        step->upper = step->value;
}

static void limit_step(const struct forecast_model *forecast, struct forecast_step *step)
{
    step->lower = forecast_limited_lower(&forecast->limits, step->lower);
    step->value = forecast_limited_value(&forecast->limits, step->value);
    step->upper = forecast_limited_upper(&forecast->limits, step->upper);
}

/* Nothing is below 0 where no value was: methods see to the value, but not to what is added to it.
 */
static void finish_step(const struct forecast_model *forecast, uint32_t series,
                        struct forecast_step *step)
{
    const bool is_added = forecast->regressors > 0 || forecast->holidays.count > 0;
    double *const bounds[] = {&step->lower, &step->value, &step->upper};

    transform_step(forecast, series, step);
    for (int i = 0; i < (is_added ? 3 : 1); i++)
        if (facts_of(forecast, series)[FACT_POSITIVE] != 0 && *bounds[i] < 0)
            *bounds[i] = 0;
    limit_step(forecast, step);
}

/* The numbers of a step to come, or of one of the history. */
static const float *numbers_of(const struct forecast_model *forecast, uint32_t series,
                               int64_t ahead)
{
    if (ahead > 0)
        return forecast->forecasts +
               ((size_t)series * forecast->horizon + (size_t)ahead - 1) * STEP_NUMBERS;
    return forecast->expected +
           ((size_t)series * forecast->history + (size_t)(forecast->history - 1 + ahead)) *
               STEP_NUMBERS;
}

/* The step whose errors tell how far an interval reaches: of the history each is the next one. */
static uint32_t reaching_step(int64_t ahead)
{
    return ahead > 0 ? (uint32_t)ahead : 1;
}

struct forecast_step forecast_step_of(const struct forecast_model *forecast, uint32_t series,
                                      int64_t ahead, const struct forecast_interval *interval)
{
    const float *numbers = numbers_of(forecast, series, ahead);
    const struct steps steps = forecast_steps(forecast, series);
    const double value = number_of_parts(numbers + STEP_VALUE);
    const uint32_t reaching = reaching_step(ahead);
    const double above = reach_of(forecast, forecast->reaches, reaching, interval);
    const double below = reach_of(forecast, forecast_reaches_below(forecast), reaching, interval);
    const double deviation = (double)numbers[STEP_DEVIATION];
    struct forecast_step step = {
        .time = steps_time(&steps, (int64_t)facts_of(forecast, series)[FACT_LAST] + ahead),
        .value = value,
        .lower = value - below * deviation,
        .upper = value + above * deviation,
        .deviation = deviation,
    };

    if (forecast->regressors > 0)
        return step;
    finish_step(forecast, series, &step);
    return step;
}

double forecast_coefficient(const struct forecast_model *forecast, uint32_t series, uint32_t i)
{
    return number_of_parts(forecast->coefficients +
                           ((size_t)series * forecast->regressors + i) * NUMBER_PARTS);
}

double forecast_holiday_effect(const struct forecast_model *forecast, uint32_t series, uint32_t i)
{
    return number_of_parts(forecast->effects +
                           ((size_t)series * forecast->holidays.count + i) * NUMBER_PARTS);
}

static double sum_regressors(const struct forecast_model *forecast, uint32_t series,
                             const double *regressors)
{
    double coefficients[REGRESSORS_MAX];

    for (uint32_t i = 0; i < forecast->regressors; i++)
        coefficients[i] = forecast_coefficient(forecast, series, i);
    return regressors_sum(coefficients, regressors, forecast->regressors);
}

void forecast_add_regressors(const struct forecast_model *forecast, uint32_t series,
                             const double *regressors, struct forecast_step *step)
{
    double *const bounds[] = {&step->lower, &step->value, &step->upper};
    const double sum = sum_regressors(forecast, series, regressors);

    for (int i = 0; i < 3; i++)
        *bounds[i] += sum;
    finish_step(forecast, series, step);
}

bool forecast_ahead(const struct forecast_model *forecast, uint32_t series, int64_t time,
                    int64_t *ahead)
{
    const struct steps steps = forecast_steps(forecast, series);
    const int64_t index = steps_index(&steps, time);

    *ahead = index - (int64_t)facts_of(forecast, series)[FACT_LAST];
    if (*ahead <= -(int64_t)forecast->history || *ahead > forecast->horizon || index < 0 ||
        steps_time(&steps, index) != time)
        return false;
    return *ahead > 0 || numbers_of(forecast, series, *ahead)[STEP_DEVIATION] >= 0;
}

/* So many deviations, measured by the step's reaches of each level, in those of the normal
 * distribution: the other way round as forecast_interval_of and reach_of go. */
static double normal_of_reach(const struct forecast_model *forecast, const float *reaches,
                              double deviations)
{
    uint32_t below = 0;
    double low, high, first, step;

    while (below + 2 < FORECAST_LEVELS &&
           deviations > (double)reaches[(size_t)(below + 1) * forecast->horizon])
        below++;
    low = forecast_normals[below];
    high = forecast_normals[below + 1];
    first = (double)reaches[(size_t)below * forecast->horizon];
    step = (double)reaches[(size_t)(below + 1) * forecast->horizon] - first;
    if (step > 0)
        return low + (deviations - first) / step * (high - low);
    return deviations > first ? INFINITY : low;
}

/* The number that a value is forecast as: below all of them where there is none. */
static double number_of_value(double lambda, double value)
{
    return lambda == TRANSFORM_NONE || value > 0 ? transform_value(lambda, value) : -INFINITY;
}

/* How far a value is above what is expected, before limits: of all numbers that become the value by
 * them the nearest one counts. */
static double error_of(const struct forecast_limits *limits, double lambda, double expected,
                       double value)
{
    const double above = number_of_value(lambda, limits->is_whole ? ceil(value) - 1 : value);
    const double below = number_of_value(lambda, limits->is_whole ? floor(value) + 1 : value);

    if (above > expected)
        return value == limits->lower ? 0 : above - expected;
    return below < expected && value != limits->upper ? below - expected : 0;
}

/* Above what is expected, but not above the mean that is told, which each interval has. */
static bool is_up_to_mean(const struct forecast_model *forecast, double lambda, double expected,
                          double deviation, double value)
{
    const double nearest = forecast->limits.is_whole ? ceil(value) - 1 : value;

    return forecast->reaches_below && lambda != TRANSFORM_NONE &&
           nearest <= transform_mean(lambda, expected, deviation);
}

double forecast_anomaly(const struct forecast_model *forecast, uint32_t series, int64_t ahead,
                        const double *regressors, double value)
{
    const float *numbers = numbers_of(forecast, series, ahead);
    const double sum = forecast->regressors > 0 ? sum_regressors(forecast, series, regressors) : 0;
    const double expected = number_of_parts(numbers + STEP_VALUE) + sum;
    const double deviation = (double)numbers[STEP_DEVIATION];
    const double lambda = lambda_of(forecast, series);
    struct forecast_limits limits = forecast->limits;
    double error, deviations;
    const float *reaches;

    if (facts_of(forecast, series)[FACT_POSITIVE] != 0 && limits.lower < 0)
        limits.lower = 0;
    if (value < limits.lower || value > limits.upper)
        return 1;
    error = error_of(&limits, lambda, expected, value);
    deviations = fabs(error) / deviation;
    if (error == 0 || (error > 0 && is_up_to_mean(forecast, lambda, expected, deviation, value)))
        return 0;
    reaches = error > 0 ? forecast->reaches : forecast_reaches_below(forecast);
    if (reaches)
        deviations = normal_of_reach(forecast, reaches + reaching_step(ahead) - 1, deviations);
    return deviations > 0 ? normal_level_of_quantile(deviations) : 0;
}

/* ---- a row ---- */

bool forecast_row_series(const struct model *model, const int32_t *ids, uint32_t *series)
{
    const struct forecast_model *forecast = forecast_of(model);
    int32_t own[FORECAST_GROUPS_MAX];

    for (uint32_t i = 0; i < forecast->groups; i++) {
        const bool is_over = forecast->hierarchy != HIERARCHY_NONE && ids[i] == INPUT_NULL_APART;

        if (ids[i] < 0 && !is_over)
            return false;
        own[i] = is_over ? -1 : ids[i] - (int32_t)model->transform.inputs[i].first_id;
    }
    return forecast_find(forecast, own, series);
}

/* The nearest whole number, which a time between two milliseconds becomes. */
static int64_t nearest(double number)
{
    return (int64_t)floor(number + 0.5);
}

static double number_of(const struct transform_input *input, const float *dense)
{
    return input->mean + ((double)dense[input->dense_offset] + (double)dense[input->rest_offset]);
}

void forecast_row_regressors(const struct transform *transform, const float *dense,
                             double *regressors)
{
    const struct transform_input *first = forecast_time_input(transform) + 1;

    for (uint32_t i = 0; i < forecast_regressors(transform); i++)
        regressors[i] = number_of(&first[i], dense);
}

bool forecast_time(const struct transform *transform, const float *dense, int64_t *time)
{
    const struct transform_input *input = forecast_time_input(transform);
    const double number = number_of(input, dense);
    const double day = DAY_OF_AGE_ZERO - number; /* an age is the greater, the older the date is */

    if (isnan(dense[input->dense_offset]))
        return false;
    if (!input->spec.part) {
        if (!(fabs(number) <= (double)TIME_NUMBER_MAX))
            return false;
        *time = (int64_t)number;
        return (double)*time == number;
    }
    if (!(day >= (double)TIME_DAY_LEAST && day < (double)TIME_DAY_MOST + 1))
        return false;
    *time = nearest(day * (double)(DAY_MICROSECONDS / MILLISECOND)) * MILLISECOND;
    return true;
}

struct slice forecast_word(const struct model *model, uint32_t series, uint32_t group)
{
    const struct forecast_model *forecast = forecast_of(model);
    const struct transform_input *input = &model->transform.inputs[group];
    const int32_t id = (int32_t)forecast->ids[(size_t)series * forecast->groups + group];

    if (id < 0 || (uint32_t)id >= input->word_count)
        return (struct slice){NULL, 0};
    return input->words[id].size > 0 ? input->words[id] : SLICE("");
}

void forecast_name_hash(const struct model *model, uint32_t series, float parts[NAME_PARTS])
{
    const uint64_t mask = (UINT64_C(1) << 22) - 1;
    uint64_t hash = 0;

    for (uint32_t i = 0; i < forecast_of(model)->groups; i++) {
        const struct slice word = forecast_word(model, series, i);

        hash = bytes_hash(word.data ? word.data : "", word.size, hash + (word.data ? 1 : 2));
    }
    parts[0] = (float)(hash & mask);
    parts[1] = (float)(hash >> 22 & mask);
}

bool forecast_is_integer(struct slice word, int64_t *integer)
{
    char written[24];

    if (!slice_to_integer(word, integer))
        return false;
    snprintf(written, sizeof written, "%lld", (long long)*integer);
    return slice_is(word, written);
}

/* ---- what is counted ---- */

#define SEASONS_COUNTED 64 /* different ones; a statement has few */

static int compare_seasons(const void *a, const void *b)
{
    const struct found_season *left = a, *right = b;

    if (left->series != right->series)
        return left->series > right->series ? -1 : 1;
    return (left->length > right->length) - (left->length < right->length);
}

static void count_seasons(const struct forecast_model *forecast, struct forecast_found *found)
{
    struct found_season seasons[SEASONS_COUNTED];
    uint32_t count = 0;

    for (uint32_t i = 0; i < forecast->series; i++) {
        const uint32_t length = (uint32_t)facts_of(forecast, i)[FACT_SEASON];
        uint32_t at = 0;

        while (at < count && seasons[at].length != length)
            at++;
        if (at == SEASONS_COUNTED)
            continue;
        if (at == count)
            seasons[count++] = (struct found_season){length, 0};
        seasons[at].series++;
    }
    qsort(seasons, count, sizeof *seasons, compare_seasons);
    found->season_count = count < SEASONS_SHOWN ? count : SEASONS_SHOWN;
    for (uint32_t i = 0; i < found->season_count; i++)
        found->seasons[i] = seasons[i];
}

static bool has_integers(const struct transform_input *input)
{
    bool has_any = false;
    int64_t integer;

    for (uint32_t i = 0; i < input->word_count; i++) {
        if (input->words[i].size == 0)
            continue;
        if (!forecast_is_integer(input->words[i], &integer))
            return false;
        has_any = true;
    }
    return has_any;
}

static int compare_numbers(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

typedef double number_of_series(const struct forecast_model *forecast, uint32_t series, uint32_t i);

/* room (series) */
static void count_coefficients(const struct forecast_model *forecast, number_of_series *number,
                               uint32_t regressor, double *room, struct found_regressor *found)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < forecast->series; i++) {
        room[count] = number(forecast, i, regressor);
        count += room[count] != 0;
    }
    *found = (struct found_regressor){.series = count};
    if (count == 0)
        return;
    qsort(room, count, sizeof *room, compare_numbers);
    found->median = 0.5 * room[(count - 1) / 2] + 0.5 * room[count / 2];
}

enum status forecast_count(const struct model *model, struct forecast_found *found,
                           struct error *err)
{
    const struct forecast_model *forecast = forecast_of(model);
    const uint32_t holidays = forecast->holidays.count;
    const bool has_any = forecast->regressors > 0 || holidays > 0;
    double *room = has_any ? calloc(forecast->series, sizeof *room) : NULL;

    *found = (struct forecast_found){.season_count = 0};
    for (uint32_t i = 0; i < forecast->groups; i++)
        found->has_integers[i] = has_integers(&model->transform.inputs[i]);
    count_seasons(forecast, found);
    if (has_any && !room)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < forecast->regressors; i++)
        count_coefficients(forecast, forecast_coefficient, i, room, &found->regressors[i]);
    for (uint32_t i = 0; i < holidays; i++)
        count_coefficients(forecast, forecast_holiday_effect, i, room, &found->holidays[i]);
    free(room);
    return STATUS_OK;
}
