#include "kinds/forecast/forecast_stored.h"

#include <math.h>
#include <string.h>

#include "kinds/forecast/forecast_kept.h"
#include "kinds/forecast/forecast_kind.h"
#include "kinds/forecast/forecast_model.h"
#include "scoring/numbers/elementary.h"

static const char *const times_words[] = {"numbers", "dates", "moments", NULL};
static const char *const unit_words[] = {"number",    "microsecond", "month",
                                         "month end", "weekday",     NULL};

/* ---- meta ---- */

struct aim_facts forecast_aim(double level)
{
    const double tail = floor((1 - level) * 5e8 + 0.5) / 1e9; /* 0.025, not its neighbour */

    return (struct aim_facts){.aim = AIM_QUANTILES,
                              .quantiles = {tail, 0.5, 1 - tail},
                              .quantile_count = FORECAST_QUANTILES};
}

/* One of each regressor or holiday, in their order. */
static void write_coefficients(const struct found_regressor *regressors, uint32_t count,
                               const char *name, cJSON *object)
{
    cJSON *all = json_add_array(object, name);

    for (uint32_t i = 0; i < count; i++) {
        cJSON *one = cJSON_CreateObject();

        json_add_integer(one, "series", regressors[i].series);
        json_add_real(one, "median", regressors[i].median);
        json_append(all, one);
    }
}

static void write_found(const struct model *model, cJSON *object)
{
    const uint32_t groups = forecast_of(model)->groups;
    const uint32_t regressors = forecast_of(model)->regressors;
    struct forecast_found found;
    struct error ignored;
    cJSON *integers, *seasons;

    if (forecast_count(model, &found, &ignored) != STATUS_OK) {
        json_add(object, "seasons", NULL); /* the one fault of a tree is that memory has run out */
        return;
    }
    integers = json_add_array(object, "integers"); /* columns of the group */
    for (uint32_t i = 0; i < groups; i++)
        if (found.has_integers[i])
            json_append(integers, json_integer(i));
    seasons = json_add_array(object, "seasons");
    for (uint32_t i = 0; i < found.season_count; i++) {
        cJSON *season = cJSON_CreateObject();

        json_add_integer(season, "length", found.seasons[i].length);
        json_add_integer(season, "series", found.seasons[i].series);
        json_append(seasons, season);
    }
    if (regressors > 0)
        write_coefficients(found.regressors, regressors, "coefficients", object);
    if (forecast_of(model)->holidays.count > 0)
        write_coefficients(found.holidays, forecast_of(model)->holidays.count, "effects", object);
}

void forecast_write_content(const struct model *model, cJSON *object)
{
    const struct forecast_model *forecast = forecast_of(model);

    json_add_integer(object, "groups", forecast->groups);
    json_add_integer(object, "series", forecast->series);
    json_add_integer(object, "horizon", forecast->horizon);
    json_add_string(object, "times", slice_of(times_words[forecast->times]));
    json_add_real(object, "level", forecast->level);
    json_add_string(object, "unit", slice_of(unit_words[forecast->unit]));
    json_add_integer(object, "size", forecast->size);
    json_add_boolean(object, "reaches", forecast->has_reaches);
    if (forecast->has_below)
        json_add_boolean(object, "below", true);
    if (forecast->has_names)
        json_add_boolean(object, "names", true);
    if (isfinite(forecast->limits.lower))
        json_add_real(object, "lower", forecast->limits.lower);
    if (isfinite(forecast->limits.upper))
        json_add_real(object, "upper", forecast->limits.upper);
    if (forecast->limits.is_whole)
        json_add_boolean(object, "round", true);
    if (forecast->history > 0)
        json_add_integer(object, "history", forecast->history);
    if (forecast->hierarchy != HIERARCHY_NONE)
        json_add_string(object, "hierarchy",
                        slice_of(forecast_hierarchy_words[forecast->hierarchy]));
    if (forecast->is_transformed)
        json_add_boolean(object, "transformed", true);
    if (forecast->holidays.count > 0)
        holidays_write(&forecast->holidays, object, "holidays");
    forecast_write_kept(forecast, object);
    write_found(model, object);
}

/* Categories with a vocabulary of their own, and a number or the age of a date. */
static enum status check_inputs_of(const struct model *model, const struct forecast_model *forecast,
                                   struct error *err)
{
    const struct transform *transform = &model->transform;
    const struct transform_input *time;

    if (model->task != TASK_REGRESSION ||
        transform->input_count != forecast->groups + 1 + forecast->regressors ||
        forecast_groups(transform) != forecast->groups)
        return fail(err, STATUS_CORRUPT,
                    "model: a forecast has a group, a time and regressors for inputs");
    for (uint32_t i = 0; i < forecast->groups; i++)
        if (transform->inputs[i].spec.type != INPUT_CATEGORY ||
            transform->inputs[i].spec.rule != RULE_WORDS || transform->inputs[i].hash_buckets > 0)
            return fail(err, STATUS_CORRUPT, "model: a group is told by words");
    time = forecast_time_input(transform);
    if (time->spec.type != INPUT_NUMERIC || (time->spec.part && time->spec.part != DATE_AGE) ||
        !transform->has_rests)
        return fail(err, STATUS_CORRUPT, "model: a time is a number or the age of a date");
    if ((forecast->times == FORECAST_NUMBERS) != !time->spec.part)
        return fail(err, STATUS_CORRUPT, "model: a time is a number or a date");
    for (uint32_t i = 1; i <= forecast->regressors; i++)
        if (time[i].spec.type != INPUT_NUMERIC || time[i].spec.part || time[i].spec.offset)
            return fail(err, STATUS_CORRUPT, "model: a regressor is a number");
    return STATUS_OK;
}

static enum status read_word(const cJSON *object, const char *name, const char *const *words,
                             unsigned *value, struct error *err)
{
    struct slice word;

    TRY(json_get_string(object, name, &word, err));
    return term_find(words, word, value)
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT, "model: an unknown word of \"%s\"", name);
}

/* The step of all series: one that times of the kind can have. */
static enum status read_steps(const cJSON *object, struct forecast_model *forecast,
                              struct error *err)
{
    const int64_t days = TIME_DAY_MOST - TIME_DAY_LEAST;
    unsigned times, unit;
    int64_t most;

    TRY(read_word(object, "times", times_words, &times, err));
    TRY(read_word(object, "unit", unit_words, &unit, err));
    forecast->times = (enum forecast_times)times;
    forecast->unit = (enum step_unit)unit;
    if ((forecast->unit == STEP_NUMBER) != (forecast->times == FORECAST_NUMBERS))
        return fail(err, STATUS_CORRUPT, "model: steps of another kind than its times");
    most = forecast->unit == STEP_NUMBER        ? 2 * TIME_NUMBER_MAX
           : forecast->unit == STEP_MICROSECOND ? days * DAY_MICROSECONDS
           : forecast->unit == STEP_WEEKDAY     ? 1
                                                : days;
    return json_get_integer(object, "size", 1, most, &forecast->size, err);
}

/* The word that is there. */
static enum status read_hierarchy(const cJSON *object, struct forecast_model *forecast,
                                  struct error *err)
{
    unsigned hierarchy = HIERARCHY_NONE;

    if (json_has(object, "hierarchy"))
        TRY(read_word(object, "hierarchy", forecast_hierarchy_words, &hierarchy, err));
    forecast->hierarchy = (enum forecast_hierarchy)hierarchy;
    return forecast->hierarchy == HIERARCHY_NONE || forecast->groups > 0
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT, "model: totals of a single series");
}

static enum status read_found(const cJSON *object, uint32_t groups, struct forecast_found *found,
                              struct error *err)
{
    const cJSON *integers, *seasons, *item;
    int64_t length, series;

    TRY(json_get_array(object, "integers", FORECAST_GROUPS_MAX, &integers, err));
    TRY(json_get_array(object, "seasons", SEASONS_SHOWN, &seasons, err));
    cJSON_ArrayForEach(item, integers)
    {
        if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble < groups))
            return fail(err, STATUS_CORRUPT, "model: integers of a column that is not there");
        found->has_integers[(uint32_t)item->valuedouble] = true;
    }
    cJSON_ArrayForEach(item, seasons)
    {
        TRY(json_get_integer(item, "length", 1, SEASON_MAX, &length, err));
        TRY(json_get_integer(item, "series", 1, UINT32_MAX, &series, err));
        found->seasons[found->season_count++] =
            (struct found_season){(uint32_t)length, (uint32_t)series};
    }
    return STATUS_OK;
}

/* One for each of the inputs behind the time, or of the holidays. */
static enum status read_coefficients(const cJSON *object, const char *name, const char *of,
                                     uint32_t count, struct found_regressor *found,
                                     struct error *err)
{
    const cJSON *coefficients, *item;
    int64_t series;
    uint32_t i = 0;

    TRY(json_get_array(object, name, count, &coefficients, err));
    cJSON_ArrayForEach(item, coefficients)
    {
        TRY(json_get_integer(item, "series", 0, UINT32_MAX, &series, err));
        TRY(json_get_real(item, "median", &found[i].median, err));
        found[i++].series = (uint32_t)series;
    }
    return i == count ? STATUS_OK
                      : fail(err, STATUS_CORRUPT, "model: %u coefficients of %u %s", i, count, of);
}

static enum status read_regressors(const cJSON *object, const struct transform *transform,
                                   struct forecast_model *forecast, struct forecast_found *found,
                                   struct error *err)
{
    if (transform->input_count <= forecast->groups + 1)
        return STATUS_OK;
    forecast->regressors = transform->input_count - forecast->groups - 1;
    if (forecast->regressors > REGRESSORS_MAX)
        return fail(err, STATUS_CORRUPT, "model: more than %d regressors", REGRESSORS_MAX);
    return read_coefficients(object, "coefficients", "regressors", forecast->regressors,
                             found->regressors, err);
}

static enum status read_holidays(const cJSON *object, struct arena *arena,
                                 struct forecast_model *forecast, struct forecast_found *found,
                                 struct error *err)
{
    forecast->holidays = (struct holidays){.count = 0};
    if (!json_has(object, "holidays"))
        return STATUS_OK;
    TRY(holidays_read(object, "holidays", arena, &forecast->holidays, err));
    if (forecast->times == FORECAST_NUMBERS ||
        forecast->holidays.count + forecast->regressors > REGRESSORS_MAX)
        return fail(err, STATUS_CORRUPT, "model: holidays of numbers, or more than %d",
                    REGRESSORS_MAX);
    return read_coefficients(object, "effects", "holidays", forecast->holidays.count,
                             found->holidays, err);
}

/* Those that are there. */
static enum status read_limits(const cJSON *object, struct forecast_limits *limits,
                               struct error *err)
{
    *limits = forecast_unlimited;
    if (json_has(object, "lower"))
        TRY(json_get_real(object, "lower", &limits->lower, err));
    if (json_has(object, "upper"))
        TRY(json_get_real(object, "upper", &limits->upper, err));
    if (json_has(object, "round"))
        TRY(json_get_boolean(object, "round", &limits->is_whole, err));
    return limits->lower < limits->upper
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT, "model: no forecast is within its limits");
}

/* Those that have none were written before there was one, or without what it says. */
static enum status read_flag(const cJSON *object, const char *name, bool *flag, struct error *err)
{
    *flag = false;
    return json_has(object, name) ? json_get_boolean(object, name, flag, err) : STATUS_OK;
}

enum status forecast_read_content(const cJSON *object, struct arena *arena, struct model *model,
                                  struct error *err)
{
    struct forecast_model *forecast = ARENA_NEW(arena, struct forecast_model, 1);
    struct forecast_found *found = ARENA_NEW(arena, struct forecast_found, 1);
    int64_t groups, series, horizon;
    int64_t history = 0;
    bool has_reaches;

    if (!forecast || !found)
        return fail_no_memory(err);
    *found = (struct forecast_found){.season_count = 0};
    forecast->found = found;
    model->content = model->outline = forecast;
    TRY(json_get_integer(object, "groups", 0, FORECAST_GROUPS_MAX, &groups, err));
    TRY(json_get_integer(object, "series", 1, UINT32_MAX, &series, err));
    TRY(json_get_integer(object, "horizon", 1, HORIZON_MAX, &horizon, err));
    TRY(json_get_real(object, "level", &forecast->level, err));
    TRY(read_steps(object, forecast, err));
    TRY(json_get_boolean(object, "reaches", &has_reaches, err));
    if (cJSON_HasObjectItem(object, "history"))
        TRY(json_get_integer(object, "history", 1, HISTORY_MAX, &history, err));
    forecast->has_reaches = has_reaches;
    TRY(read_flag(object, "below", &forecast->has_below, err));
    TRY(read_flag(object, "names", &forecast->has_names, err));
    if (forecast->has_below && !has_reaches)
        return fail(err, STATUS_CORRUPT, "model: \"reaches_below\" without \"reaches\"");
    forecast->history = (uint32_t)history;
    forecast->groups = (uint32_t)groups;
    forecast->series = (uint32_t)series;
    forecast->horizon = (uint32_t)horizon;
    TRY(read_limits(object, &forecast->limits, err));
    TRY(read_hierarchy(object, forecast, err));
    TRY(read_flag(object, "transformed", &forecast->is_transformed, err));
    TRY(forecast_read_kept(object, forecast, err));
    TRY(read_found(object, forecast->groups, found, err));
    TRY(read_regressors(object, &model->transform, forecast, found, err));
    TRY(read_holidays(object, arena, forecast, found, err));
    if (!(forecast->level > 0 && forecast->level < 1) || (groups == 0 && series != 1))
        return fail(err, STATUS_CORRUPT, "model: no forecast has such a level, or such series");
    model->aim = forecast_aim(forecast->level);
    return check_inputs_of(model, forecast, err);
}

/* Regressors, limits, a history, totals and holidays of models that have any, so that others keep
 * their digests. */
bool forecast_number(const struct model *model, uint32_t i, uint64_t *number)
{
    enum {
        NUMBERS_OF_ALL = 7,
        NUMBERS_OF_REGRESSORS,
        NUMBERS_OF_LIMITS = 11,
        NUMBERS_OF_HISTORY,
        NUMBERS_OF_HIERARCHY,
        NUMBERS_OF_TRANSFORM
    };
    const struct forecast_model *forecast = forecast_of(model);
    const struct forecast_limits *limits = &forecast->limits;
    const uint64_t numbers[NUMBERS_OF_TRANSFORM] = {forecast->groups,
                                                    forecast->series,
                                                    forecast->horizon,
                                                    forecast->times,
                                                    double_bits(forecast->level),
                                                    forecast->unit,
                                                    (uint64_t)forecast->size,
                                                    forecast->regressors,
                                                    double_bits(limits->lower),
                                                    double_bits(limits->upper),
                                                    limits->is_whole,
                                                    forecast->history,
                                                    forecast->hierarchy,
                                                    forecast->is_transformed};
    const uint32_t count = forecast->is_transformed || forecast->kept > 0 ? NUMBERS_OF_TRANSFORM
                           : forecast->hierarchy != HIERARCHY_NONE        ? NUMBERS_OF_HIERARCHY
                           : forecast->history > 0                        ? NUMBERS_OF_HISTORY
                           : forecast_is_limited(limits)                  ? NUMBERS_OF_LIMITS
                           : forecast->regressors > 0                     ? NUMBERS_OF_REGRESSORS
                                                                          : NUMBERS_OF_ALL;

    if (i < count) {
        *number = numbers[i];
        return true;
    }
    if (i - count < forecast->holidays.count) {
        *number = holiday_hash(&forecast->holidays.items[i - count]);
        return true;
    }
    return forecast_kept_digest(forecast, i - count - forecast->holidays.count, number);
}

bool forecast_array(const struct model *model, uint32_t i, struct model_array *array)
{
    struct forecast_model *forecast = (struct forecast_model *)(uintptr_t)model->content;
    const uint64_t width = (uint64_t)forecast->horizon * STEP_NUMBERS;
    const struct model_array arrays[] = {
        {"forecasts", forecast->series, width, true, &forecast->forecasts},
        {"facts", forecast->series, SERIES_FACTS, true, &forecast->facts},
        {"ids", forecast->series, forecast->groups, true, &forecast->ids},
        {"names", forecast->series, NAME_PARTS, true, &forecast->names},
        {"reaches", FORECAST_LEVELS, forecast->horizon, true, &forecast->reaches},
        {"reaches_below", FORECAST_LEVELS, forecast->horizon, true, &forecast->reaches_below},
        {"expected", forecast->series, (uint64_t)forecast->history * STEP_NUMBERS, true,
         &forecast->expected},
        {"coefficients", forecast->series, (uint64_t)forecast->regressors * NUMBER_PARTS, true,
         &forecast->coefficients},
        {"lambdas", forecast->series, 1, true, &forecast->lambdas},
        {"kept", forecast->series, (uint64_t)forecast->kept * KEPT_PARTS, true, &forecast->numbers},
        {"values", forecast->series, (uint64_t)forecast->fitted.values * KEPT_PARTS, true,
         &forecast->past},
        {"effects", forecast->series, (uint64_t)forecast->holidays.count * NUMBER_PARTS, true,
         &forecast->effects},
    };
    const bool is_there[] = {true,
                             true,
                             forecast->groups > 0,
                             forecast->has_names,
                             forecast->has_reaches,
                             forecast->has_below,
                             forecast->history > 0,
                             forecast->regressors > 0,
                             forecast->is_transformed,
                             forecast->kept > 0,
                             forecast->kept > 0 && forecast->fitted.values > 0,
                             forecast->holidays.count > 0};

    for (uint32_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        if (is_there[k] && i-- == 0) {
            *array = arrays[k];
            return true;
        }
    return false;
}

/* ---- checks of a stored model ---- */

static bool is_whole(float number, double least, double most)
{
    return (double)number >= least && (double)number <= most && number == floorf(number);
}

static bool is_integer(const float parts[INTEGER_PARTS])
{
    const double one = 1 << 22;

    if (!is_whole(parts[0], -one / 16, one / 16))
        return false;
    return is_whole(parts[1], 0, one - 1) && is_whole(parts[2], 0, one - 1);
}

static bool are_ids(const struct model *model, uint32_t series)
{
    const struct forecast_model *forecast = forecast_of(model);
    const float *ids = forecast->ids + (size_t)series * forecast->groups;
    int order = series > 0 ? 0 : 1; /* against those of the series before */
    const double least = forecast->hierarchy == HIERARCHY_NONE ? 0 : -1;

    for (uint32_t i = 0; i < forecast->groups; i++) {
        const bool is_over = i > 0 && ids[i - 1] < 0; /* behind a column that is totalled */
        const double most = is_over ? -1 : (double)model->transform.inputs[i].word_count - 1;

        if (!is_whole(ids[i], least, most))
            return false;
        if (order == 0 && ids[i] != (ids - forecast->groups)[i])
            order = ids[i] > (ids - forecast->groups)[i] ? 1 : -1;
    }
    return forecast->groups == 0 || order > 0;
}

static bool are_facts(const struct forecast_model *forecast, uint32_t series)
{
    const float *facts = forecast->facts + (size_t)series * SERIES_FACTS;
    struct steps steps;

    if (!is_integer(facts + FACT_FIRST) || !is_whole(facts[FACT_LAST], 0, SERIES_COUNT_MAX) ||
        !is_whole(facts[FACT_SEASON], 1, SEASON_MAX) ||
        !is_whole(facts[FACT_COUNT], 1, SERIES_COUNT_MAX) || !is_whole(facts[FACT_POSITIVE], 0, 1))
        return false;
    steps = forecast_steps(forecast, series);
    if (steps.unit == STEP_NUMBER)
        return steps.first >= -TIME_NUMBER_MAX && steps.first <= TIME_NUMBER_MAX &&
               steps_has(&steps, (int64_t)facts[FACT_LAST] + forecast->horizon);
    return steps.first >= TIME_DAY_LEAST * DAY_MICROSECONDS &&
           steps.first < (TIME_DAY_MOST + 1) * DAY_MICROSECONDS &&
           steps_has(&steps, (int64_t)facts[FACT_LAST] + forecast->horizon);
}

static bool has_its_name(const struct model *model, uint32_t series)
{
    const float *stored = forecast_of(model)->names;
    float own[NAME_PARTS];

    if (!stored)
        return true;
    forecast_name_hash(model, series, own);
    return memcmp(own, stored + (size_t)series * NAME_PARTS, sizeof own) == 0;
}

/* -1: nothing is expected there. */
static bool is_expected_deviation(float deviation)
{
    return deviation >= 0 || deviation == -1;
}

enum status forecast_check(const struct model *model, struct error *err)
{
    const struct forecast_model *forecast = forecast_of(model);
    const uint64_t numbers = (uint64_t)forecast->series * forecast->horizon;

    for (uint32_t i = 0; i < forecast->series; i++)
        if (!are_ids(model, i) || !are_facts(forecast, i))
            return fail(err, STATUS_CORRUPT, "model: series %u cannot be forecast", i + 1);
    for (uint32_t i = 0; i < forecast->series; i++)
        if (!has_its_name(model, i))
            return fail(err, STATUS_CORRUPT, "model: series %u has words of another one", i + 1);
    for (uint32_t i = 0; forecast->is_transformed && i < forecast->series; i++)
        if (!is_whole(forecast->lambdas[i], 0, LAMBDAS))
            return fail(err, STATUS_CORRUPT, "model: series %u has an unknown transform", i + 1);
    for (uint64_t i = 0; i < numbers; i++)
        if (forecast->forecasts[i * STEP_NUMBERS + STEP_DEVIATION] < 0)
            return fail(err, STATUS_CORRUPT, "model: a deviation is below 0");
    for (uint64_t i = 0; i < (uint64_t)forecast->series * forecast->history; i++)
        if (!is_expected_deviation(forecast->expected[i * STEP_NUMBERS + STEP_DEVIATION]))
            return fail(err, STATUS_CORRUPT, "model: a deviation of the history is below 0");
    for (uint32_t i = 0; forecast->reaches && i < FORECAST_LEVELS * forecast->horizon; i++)
        if (forecast->reaches[i] < 0 || forecast_reaches_below(forecast)[i] < 0)
            return fail(err, STATUS_CORRUPT, "model: an interval reaches less than nothing");
    if (forecast->kept > 0 && !forecast_kept_is_whole(forecast))
        return fail(err, STATUS_CORRUPT, "model: parameters are invalid");
    return STATUS_OK;
}

void forecast_params_of(const struct model *model, struct kind_params *params)
{
    if (forecast_of(model)->kept > 0)
        forecast_copy_shape(&forecast_of(model)->fitted, forecast_params(params));
    forecast_params(params)->horizon = forecast_of(model)->horizon;
    forecast_params(params)->history = forecast_of(model)->history;
}
