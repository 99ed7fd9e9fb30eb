#include "runtime/learn/series/series_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/learn/measuring.h"
#include "runtime/learn/series/series_grid.h"
#include "runtime/learn/series/series_kept.h"
#include "runtime/learn/series/series_reach.h"
#include "runtime/learn/series/series_reconcile.h"

#define SHORT_SERIES 8 /* values: with fewer a forecast is hardly more than the last one */

struct records {
    const int64_t *words;
    uint32_t width, groups, coefficients; /* coefficients: place of the first */
    const int64_t **sorted;               /* (count): those that have values, by their ids */
    int64_t *reconciled;                  /* memory of a hierarchy's, which `sorted` points to */
    uint32_t count;
};

/* ---- order ---- */

static int by_ids(const void *a, const void *b)
{
    const int64_t *left = *(const int64_t *const *)a + RECORD_IDS;
    const int64_t *right = *(const int64_t *const *)b + RECORD_IDS;

    for (uint32_t i = 0; i < FORECAST_GROUPS_MAX; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static enum status sort_records(const int64_t *words, uint64_t count, struct records *records,
                                struct error *err)
{
    records->sorted = malloc((count + 1) * sizeof *records->sorted);
    if (!records->sorted)
        return fail_no_memory(err);
    for (uint64_t i = 0; i < count; i++)
        if (words[i * records->width + RECORD_COUNT] > 0)
            records->sorted[records->count++] = words + i * records->width;
    qsort(records->sorted, records->count, sizeof *records->sorted, by_ids);
    if (records->count > 0)
        return STATUS_OK;
    fail(err, STATUS_INVALID, "no series has a value that is not NULL");
    return error_hint(err, "LABEL names the column of the values; look what the SELECT has in it.");
}

/* ---- the order of words ---- */

/* Ids of words depend on how many rows have them. Sums of doubles are made in the order of the
 * words themselves: a series is the same whether all its rows came, or new ones alone. */
struct word_place {
    struct slice word;
    uint32_t id;
};
struct worded {
    int64_t *record;
    uint32_t *const *ranks; /* (groups) of the word of each id */
    uint32_t groups;
};

static int by_word(const void *a, const void *b)
{
    return slice_compare(((const struct word_place *)a)->word,
                         ((const struct word_place *)b)->word);
}

static enum status rank_words(const struct transform_input *input, uint32_t **ranks,
                              struct error *err)
{
    struct word_place *places = calloc((size_t)input->word_count + 1, sizeof *places);

    *ranks = calloc((size_t)input->word_count + 1, sizeof **ranks);
    if (!places || !*ranks) {
        free(places);
        return fail_no_memory(err);
    }
    for (uint32_t i = 0; i < input->word_count; i++)
        places[i] = (struct word_place){input->words[i], i};
    qsort(places, input->word_count, sizeof *places, by_word);
    for (uint32_t i = 0; i < input->word_count; i++)
        (*ranks)[places[i].id] = i;
    free(places);
    return STATUS_OK;
}

/* A total, -1, is before its parts. */
static int by_words(const void *a, const void *b)
{
    const struct worded *left = a, *right = b;

    for (uint32_t i = 0; i < left->groups; i++) {
        const int64_t own = left->record[RECORD_IDS + i], other = right->record[RECORD_IDS + i];

        if (own == other)
            continue;
        if (own < 0 || other < 0)
            return own < 0 ? -1 : 1;
        return left->ranks[i][own] < left->ranks[i][other] ? -1 : 1;
    }
    return 0;
}

/* Sorts records (count). */
static enum status sort_by_words(const struct transform *transform, uint32_t groups,
                                 int64_t **records, uint32_t count, struct error *err)
{
    struct worded *worded = calloc((size_t)count + 1, sizeof *worded);
    uint32_t *ranks[FORECAST_GROUPS_MAX] = {NULL};
    enum status status = worded ? STATUS_OK : fail_no_memory(err);

    for (uint32_t i = 0; i < groups && status == STATUS_OK; i++)
        status = rank_words(&transform->inputs[i], &ranks[i], err);
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++)
        worded[i] = (struct worded){records[i], ranks, groups};
    if (status == STATUS_OK)
        qsort(worded, count, sizeof *worded, by_words);
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++)
        records[i] = worded[i].record;
    for (uint32_t i = 0; i < groups; i++)
        free(ranks[i]);
    free(worded);
    return status;
}

/* A copy of the sorted records, which adds up. */
static enum status add_up(const struct series_plan *plan, const struct transform *transform,
                          struct records *records, struct error *err)
{
    int64_t **own = calloc((size_t)records->count + 1, sizeof *own);
    enum status status = STATUS_OK;

    records->reconciled = malloc(((size_t)records->count * records->width + 1) * sizeof(int64_t));
    if (!own || !records->reconciled)
        status = fail_no_memory(err);
    for (size_t i = 0; i < records->count && status == STATUS_OK; i++) {
        own[i] = records->reconciled + i * records->width;
        memcpy(own[i], records->sorted[i], records->width * sizeof(int64_t));
        records->sorted[i] = own[i];
    }
    if (status == STATUS_OK)
        status = sort_by_words(transform, records->groups, own, records->count, err);
    if (status == STATUS_OK)
        status = series_reconcile(plan, records->groups, own, records->count, err);
    free(own);
    return status;
}

/* ---- content ---- */

static void put_expected(const int64_t *words, uint32_t history, float *expected)
{
    for (uint32_t i = 0; i < history; i++, words += EXPECTED_WORDS, expected += STEP_NUMBERS) {
        number_to_parts(record_number(words[EXPECTED_VALUE]), expected + STEP_VALUE);
        expected[STEP_DEVIATION] = (float)record_number(words[EXPECTED_DEVIATION]);
    }
}

static void put_series(const int64_t *record, uint32_t groups, uint32_t horizon, float *ids,
                       float *facts, float *forecasts)
{
    for (uint32_t i = 0; i < groups; i++)
        ids[i] = (float)record[RECORD_IDS + i];
    integer_to_parts(record[RECORD_FIRST], facts + FACT_FIRST);
    facts[FACT_LAST] = (float)record[RECORD_LAST];
    facts[FACT_SEASON] = (float)record[RECORD_SEASON];
    facts[FACT_COUNT] = (float)record[RECORD_COUNT];
    facts[FACT_POSITIVE] = (float)record[RECORD_POSITIVE];
    for (uint32_t h = 0; h < horizon; h++, forecasts += STEP_NUMBERS) {
        const int64_t *step = record + RECORD_STEPS + (size_t)h * RECORD_STEP_WORDS;

        number_to_parts(record_number(step[RECORD_VALUE]), forecasts + STEP_VALUE);
        forecasts[STEP_DEVIATION] = (float)record_number(step[RECORD_DEVIATION]);
    }
}

/* Days alone, where no time of a series is another one of its day. */
static enum forecast_times times_of(const struct series_plan *plan, const struct records *records)
{
    if (plan->are_numbers)
        return FORECAST_NUMBERS;
    if (plan->steps.unit == STEP_MICROSECOND && plan->steps.size % DAY_MICROSECONDS != 0)
        return FORECAST_MOMENTS;
    for (uint32_t i = 0; i < records->count; i++)
        if (records->sorted[i][RECORD_FIRST] % DAY_MICROSECONDS != 0)
            return FORECAST_MOMENTS;
    return FORECAST_DATES;
}

/* Parameters of the series, as wide as the one that has most. */
static enum status fill_kept(const struct series_plan *plan, const struct records *records,
                             struct series_model *model, struct error *err)
{
    struct forecast_model *content = &model->content;
    const uint32_t place = series_plan_kept(plan);

    if (plan->kept == 0)
        return STATUS_OK;
    content->kept = KEPT_LIST;
    for (size_t i = 0; i < records->count; i++) {
        const int64_t *words = records->sorted[i] + place;

        content->ways[words[KEPT_WAY]]++;
        if (words[KEPT_COUNT] > content->kept)
            content->kept = (uint32_t)words[KEPT_COUNT];
    }
    model->numbers = calloc((size_t)records->count * content->kept * KEPT_PARTS, sizeof(float));
    model->past = calloc((size_t)records->count * plan->values * KEPT_PARTS + 1, sizeof(float));
    if (!model->numbers || !model->past)
        return fail_no_memory(err);
    content->numbers = model->numbers;
    content->past = model->past;
    for (size_t i = 0; i < records->count; i++)
        for (uint32_t k = 0; k < content->kept; k++)
            kept_to_parts(record_number(records->sorted[i][place + KEPT_WORDS + k]),
                          model->numbers + (i * content->kept + k) * KEPT_PARTS);
    for (size_t i = 0; i < records->count; i++)
        for (uint32_t k = 0; k < plan->values; k++)
            kept_to_parts(record_number(records->sorted[i][place + KEPT_WORDS + plan->kept + k]),
                          model->past + (i * plan->values + k) * KEPT_PARTS);
    return STATUS_OK;
}

static double coefficient_of(const struct records *records, size_t series, uint32_t regressor)
{
    return record_number(records->sorted[series][records->coefficients + regressor]);
}

static enum status fill_content(const struct series_plan *plan, const struct jobspec *spec,
                                const struct records *records, struct series_model *model,
                                struct error *err)
{
    const uint32_t horizon = plan->options.horizon, groups = records->groups;
    const uint32_t history = plan->options.history, regressors = plan->regressors;
    const uint32_t holidays = series_plan_holidays(plan);
    const size_t count = records->count, width = (size_t)horizon * STEP_NUMBERS;
    const size_t expected = (size_t)history * STEP_NUMBERS;
    const bool is_transformed = plan->transform != TRANSFORMS_NONE;

    model->ids = calloc(count * groups + 1, sizeof(float));
    model->facts = calloc(count * SERIES_FACTS, sizeof(float));
    model->forecasts = calloc(count * width, sizeof(float));
    model->expected = calloc(count * expected + 1, sizeof(float));
    model->reaches = calloc((size_t)FORECAST_LEVELS * horizon, sizeof(float));
    model->reaches_below = calloc((size_t)FORECAST_LEVELS * horizon, sizeof(float));
    model->coefficients = calloc(count * regressors * NUMBER_PARTS + 1, sizeof(float));
    model->effects = calloc(count * holidays * NUMBER_PARTS + 1, sizeof(float));
    model->lambdas = calloc(count + 1, sizeof(float));
    if (!model->lambdas || !model->effects || !model->ids || !model->facts || !model->forecasts ||
        !model->expected || !model->reaches || !model->reaches_below || !model->coefficients)
        return fail_no_memory(err);
    for (size_t i = 0; i < count; i++) {
        put_series(records->sorted[i], groups, horizon, model->ids + i * groups,
                   model->facts + i * SERIES_FACTS, model->forecasts + i * width);
        put_expected(records->sorted[i] + series_record_history(horizon), history,
                     model->expected + i * expected);
        if (is_transformed)
            model->lambdas[i] = (float)floor(
                record_number(records->sorted[i][series_plan_lambda(plan)]) * LAMBDAS + 0.5);
    }
    for (size_t i = 0; i < count * regressors; i++)
        number_to_parts(coefficient_of(records, i / regressors, (uint32_t)(i % regressors)),
                        model->coefficients + i * NUMBER_PARTS);
    for (size_t i = 0; i < count * holidays; i++)
        number_to_parts(
            coefficient_of(records, i / holidays, regressors + (uint32_t)(i % holidays)),
            model->effects + i * NUMBER_PARTS);
    model->content = (struct forecast_model){.groups = groups,
                                             .series = (uint32_t)count,
                                             .horizon = horizon,
                                             .history = history,
                                             .hierarchy = plan->hierarchy,
                                             .is_transformed = is_transformed,
                                             .lambdas = model->lambdas,
                                             .times = times_of(plan, records),
                                             .level = plan->options.level,
                                             .limits = plan->limits,
                                             .unit = plan->steps.unit,
                                             .size = plan->steps.size,
                                             .ids = model->ids,
                                             .facts = model->facts,
                                             .forecasts = model->forecasts,
                                             .expected = model->expected,
                                             .regressors = regressors,
                                             .coefficients = model->coefficients,
                                             .effects = model->effects,
                                             .fitted = *forecast_params(&spec->params)};
    if (plan->holidays)
        model->content.holidays = *plan->holidays;
    return STATUS_OK;
}

/* ---- errors of the past ---- */

static void put_metric(struct series_model *model, const char *name, double value)
{
    struct result_metric *metric = &model->metrics[model->metric_count];

    if (!isfinite(value)) /* nothing to compare with, such as where each season is the one before */
        return;
    model->metric_count++;
    snprintf(metric->name, sizeof metric->name, "%s", name);
    metric->train = NAN;
    metric->validation = value;
}

static double ratio(double sum, double count)
{
    return count > 0 ? sum / count : NAN;
}

/* Means over the series whose past was forecast, but for those that are of all values together. */
static void measure(const struct records *records, double coverage, struct series_model *model,
                    double *mase, double *naive)
{
    double measured = 0, scaled = 0, with_naive = 0, smape = 0, rmsse = 0;
    struct series_errors all = {0};

    *mase = *naive = 0;
    for (uint32_t i = 0; i < records->count; i++) {
        const struct series_errors errors = series_errors_of(records->sorted[i]);

        if (!(errors.steps > 0))
            continue;
        measured++;
        smape += 100 * errors.shares / errors.steps;
        all.steps += errors.steps;
        all.absolute += errors.absolute;
        all.errors += errors.errors;
        all.values += errors.values;
        all.covered += errors.covered;
        if (!(errors.scaled_steps > 0))
            continue;
        scaled++;
        *mase += errors.scaled / errors.scaled_steps;
        rmsse += sqrt(errors.squares / errors.scaled_steps);
        if (!(errors.naive_steps > 0))
            continue;
        with_naive++;
        *naive += errors.naive_scaled / errors.naive_steps;
    }
    *mase = ratio(*mase, scaled);
    *naive = ratio(*naive, with_naive);
    if (measured == 0)
        return;
    put_metric(model, "MASE", *mase);
    put_metric(model, "NaiveMASE", *naive);
    put_metric(model, "sMAPE", ratio(smape, measured));
    put_metric(model, "WAPE", ratio(all.absolute, all.values));
    put_metric(model, "RMSSE", ratio(rmsse, scaled));
    put_metric(model, "Bias", ratio(all.errors, all.values));
    put_metric(model, "Coverage",
               model->content.has_reaches ? coverage : ratio(all.covered, all.steps));
}

/* How far the intervals reach. Where too few series say it, as in the normal distribution. Those of
 * a model that is gone on from stay: its parameters have seen the past, and their errors there are
 * smaller than those to come. */
static enum status fill_reaches(const struct series_plan *plan, const struct forecast_model *old,
                                const struct records *records, struct series_model *model,
                                double *coverage, struct error *err)
{
    struct forecast_model *content = &model->content;
    const uint32_t horizon = plan->options.horizon;

    const struct series_reaches reaches = {model->reaches, model->reaches_below};
    const size_t bytes = (size_t)FORECAST_LEVELS * horizon * sizeof(float);

    if (old && old->has_reaches) {
        memcpy(model->reaches, old->reaches, bytes);
        memcpy(model->reaches_below, forecast_reaches_below(old), bytes);
        content->has_reaches = true;
        content->has_below = old->has_below;
        *coverage = series_reach_coverage(records->sorted, records->count, horizon,
                                          plan->options.level, reaches);
    } else {
        TRY(series_reaches_find(records->sorted, records->count, horizon, plan->options.level,
                                reaches, &content->has_reaches, coverage, err));
        content->has_below = content->has_reaches;
    }
    content->reaches = content->has_reaches ? model->reaches : NULL;
    content->reaches_below = content->has_below ? model->reaches_below : NULL;
    return STATUS_OK;
}

/* ---- notices ---- */

static uint64_t count_short(const struct records *records)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < records->count; i++)
        count += records->sorted[i][RECORD_COUNT] < SHORT_SERIES;
    return count;
}

static uint64_t count_measured(const struct records *records)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < records->count; i++)
        count += series_errors_of(records->sorted[i]).steps > 0;
    return count;
}

/* The values that are missing between the first and the last of their series. */
static uint64_t count_gaps(const struct records *records)
{
    uint64_t gaps = 0;

    for (uint32_t i = 0; i < records->count; i++)
        gaps += (uint64_t)(records->sorted[i][RECORD_LAST] + 1 - records->sorted[i][RECORD_COUNT]);
    return gaps;
}

static uint32_t count_without(const struct records *records, uint32_t regressor)
{
    uint32_t without = 0;

    for (uint32_t i = 0; i < records->count; i++)
        without += coefficient_of(records, i, regressor) == 0;
    return without;
}

/* Holidays that no series has in its past, and holidays that end before the forecasts begin. */
static void tell_holidays(const struct series_plan *plan, const struct records *records,
                          struct notice_list *notices)
{
    int64_t last = INT64_MIN;
    bool reach = false;
    char text[TIME_BYTES];

    if (!plan->holidays)
        return;
    for (uint32_t k = 0; k < plan->holidays->count; k++) {
        const struct slice name = plan->holidays->items[k].name;

        if (count_without(records, plan->regressors + k) < records->count)
            continue;
        notice_add(notices, NOTICE_CONSTANT, "holiday \"%.*s\" has no effect%s in any series",
                   SLICE_FORMAT(name), plan->pooled ? " of its own" : "");
        notice_hint(notices, plan->pooled
                                 ? "No series alone tells it; if it is on days of the history, the "
                                   "trees know it from all series together."
                                 : "It is on no day of the history, or on the same days as others; "
                                   "a day of another year gives it one.");
    }
    for (uint32_t i = 0; i < records->count; i++) {
        const int64_t *record = records->sorted[i];
        const struct steps steps = {plan->steps.unit, plan->steps.size, record[RECORD_FIRST]};
        const int64_t time = steps_time(&steps, record[RECORD_LAST]);

        if (time <= last)
            continue;
        last = time;
        reach = holidays_reach(plan->holidays, &steps, record[RECORD_LAST] + 1);
    }
    if (reach)
        return;
    series_time_print(plan, last, text);
    notice_add(notices, NOTICE_MISSING,
               "no holiday is later than the last value, %s: forecasts have no effects of any",
               text);
    notice_hint(notices, "Add the holidays to come to the table, and train again.");
}

/* Regressors that are 0 in some series, each with how many. */
static void tell_regressors(const struct series_plan *plan, const struct records *records,
                            struct notice_list *notices)
{
    for (uint32_t k = 0; k < plan->regressors; k++) {
        const struct slice name = plan->regressor_inputs[k].spec.name;
        const uint32_t without = count_without(records, k);

        if (without == 0)
            continue;
        notice_add(
            notices, NOTICE_CONSTANT,
            "regressor \"%.*s\" has no information in %u of %u series, and has the coefficient 0",
            SLICE_FORMAT(name), without, records->count);
        notice_hint(notices,
                    "It does not vary there, follows from the regressors before it, or the "
                    "series has too few values.");
    }
}

/* USING: how the series went on. */
static void tell_ways(const struct forecast_model *old, const struct forecast_model *content,
                      struct notice_list *notices)
{
    const uint32_t *ways = content->ways, found = content->series - ways[WAY_NEW];

    if (!old)
        return;
    notice_add(notices, NOTICE_DEFAULTS,
               "%u series moved on by new rows with the parameters that they had, %u have no new "
               "ones, and %u are not in the old model",
               ways[WAY_MOVED], ways[WAY_STAYED], ways[WAY_NEW]);
    if (ways[WAY_ANEW] > 0) {
        notice_add(notices, NOTICE_DEFAULTS,
                   "%u series are fitted anew: their parameters do not go with their rows",
                   ways[WAY_ANEW]);
        notice_hint(notices, "They begin or end at another time, have twice as many values as at "
                             "their fit, or values that their models do not take, or are totals "
                             "of other series.");
    }
    if (old->series > found)
        notice_add(notices, NOTICE_MISSING,
                   "%u series of the old model have no rows, and are left out",
                   old->series - found);
}

/* A horizon longer than all histories, and seasons of the statement that no series is forecast
 * with. */
static void tell_lengths(const struct series_plan *plan, const struct records *records,
                         struct notice_list *notices)
{
    const struct forecast_options *options = &plan->options;
    int64_t longest = 0;
    bool has_season = false;

    for (uint32_t i = 0; i < records->count; i++) {
        const int64_t *record = records->sorted[i];

        longest = record[RECORD_LAST] + 1 > longest ? record[RECORD_LAST] + 1 : longest;
        has_season = has_season || record[RECORD_SEASON] > 1;
    }
    if (options->horizon > longest) {
        notice_add(
            notices, NOTICE_DEFAULTS,
            "forecast.horizon is %u steps, and the longest series has %lld: what lies so far "
            "ahead, no series tells",
            options->horizon, (long long)longest);
        notice_hint(notices, "A horizon of a part of the history can be measured on its end.");
    }
    if (plan->has_seasons && options->season_count > 0 && !has_season) {
        notice_add(notices, NOTICE_DEFAULTS, "no series is forecast with a season of %u steps%s",
                   options->seasons[0], options->season_count > 1 ? ", nor with a longer one" : "");
        notice_hint(notices, "A season needs two rounds of values, and one of several lengths has "
                             "to show in them.");
    }
}

static void tell(const struct series_plan *plan, const struct forecast_model *old,
                 const struct records *records, uint64_t all, double mase, double naive,
                 struct notice_list *notices)
{
    const uint64_t few = count_short(records), measured = count_measured(records);
    const uint64_t gaps = count_gaps(records);
    const bool measures = plan->backtests > 0 && !old; /* fewer rows than a horizon may have come */

    if (all > records->count)
        notice_add(notices, NOTICE_MISSING,
                   "%llu of %llu series have no value that is not NULL, and are not forecast",
                   (unsigned long long)(all - records->count), (unsigned long long)all);
    if (gaps > 0) {
        notice_add(notices, NOTICE_MISSING, "%llu values are missing between others, and are %s",
                   (unsigned long long)gaps,
                   plan->gaps == GAPS_ON_LINE    ? "on the line between their neighbours"
                   : plan->gaps == GAPS_ARE_ZERO ? "0"
                                                 : "those before them");
        if (plan->gaps == GAPS_ON_LINE)
            notice_hint(notices, "Where a missing row means 0, forecast.gaps = 'zero' says so.");
    }
    if (few > 0)
        notice_add(notices, NOTICE_DEFAULTS,
                   "%llu of %u series ha%s fewer than %d values: such a forecast is hardly more "
                   "than the last ones",
                   (unsigned long long)few, records->count, few == 1 ? "s" : "ve", SHORT_SERIES);
    if (measures && measured == 0)
        notice_add(notices, NOTICE_METRIC,
                   "no errors are measured: all series are too short to forecast their last %u "
                   "values",
                   plan->options.horizon);
    else if (measures && measured < records->count)
        notice_add(
            notices, NOTICE_METRIC,
            "the errors are those of %llu of %u series: the others are too short to forecast "
            "their last %u values",
            (unsigned long long)measured, records->count, plan->options.horizon);
    if (measures && measured < records->count)
        notice_hint(notices, "A smaller forecast.horizon is measured on more of them.");
    if (naive < mase) { /* both are numbers then */
        notice_add(notices, NOTICE_BASELINE,
                   "the last season's values were nearer to the past than the forecast: MASE %.3g, "
                   "where the forecast has %.3g",
                   naive, mase);
        notice_hint(notices, "TO TRAIN SeasonalNaive forecasts these.");
    }
}

/* ---- the whole ---- */

/* The words of the series, by their hash. */
static enum status fill_names(const struct jobspec *spec, const struct dataset *dataset,
                              struct series_model *series, struct error *err)
{
    const struct model model = series_model_of(series, spec, dataset);

    if (series->content.groups == 0)
        return STATUS_OK;
    series->names = calloc((size_t)series->content.series * NAME_PARTS, sizeof(float));
    if (!series->names)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < series->content.series; i++)
        forecast_name_hash(&model, i, series->names + (size_t)i * NAME_PARTS);
    series->content.has_names = true;
    series->content.names = series->names;
    return STATUS_OK;
}

enum status series_model_make(const struct series_plan *plan, const struct forecast_model *old,
                              const struct jobspec *spec, const struct dataset *dataset,
                              const int64_t *words, uint64_t count, struct series_model *model,
                              struct error *err)
{
    struct records records = {
        .words = words,
        .width = series_plan_words(plan),
        .groups = forecast_groups(&dataset->transform),
        .coefficients = series_record_coefficients(plan->options.horizon, plan->options.history)};
    double mase, naive, coverage = NAN;
    enum status status;

    *model = (struct series_model){.metric_count = 0};
    notice_list_join(&model->notices, spec->notices);
    notice_list_join(&model->notices, dataset->notices);
    status = sort_records(words, count, &records, err);
    if (status == STATUS_OK && plan->hierarchy != HIERARCHY_NONE)
        status = add_up(plan, &dataset->transform, &records, err);
    if (status == STATUS_OK)
        status = fill_content(plan, spec, &records, model, err);
    if (status == STATUS_OK)
        status = fill_names(spec, dataset, model, err);
    if (status == STATUS_OK)
        status = fill_kept(plan, &records, model, err);
    if (status == STATUS_OK)
        status = fill_reaches(plan, old, &records, model, &coverage, err);
    if (status == STATUS_OK) {
        measure(&records, coverage, model, &mase, &naive);
        tell(plan, old, &records, count, mase, naive, &model->notices);
        if (!old)
            tell_lengths(plan, &records, &model->notices);
        tell_ways(old, &model->content, &model->notices);
        tell_regressors(plan, &records, &model->notices);
        tell_holidays(plan, &records, &model->notices);
    }
    free(records.sorted);
    free(records.reconciled);
    return status;
}

void series_model_deinit(struct series_model *model)
{
    free(model->ids);
    free(model->facts);
    free(model->forecasts);
    free(model->expected);
    free(model->lambdas);
    free(model->numbers);
    free(model->past);
    free(model->reaches);
    free(model->reaches_below);
    free(model->names);
    free(model->coefficients);
    free(model->effects);
    *model = (struct series_model){.metric_count = 0};
}

struct model series_model_of(const struct series_model *series, const struct jobspec *spec,
                             const struct dataset *dataset)
{
    struct model model = measuring_model(spec, dataset);

    model.content = &series->content;
    model.label_mean = 0;
    model.label_scale = 1;
    model.aim = forecast_aim(series->content.level);
    return model;
}
