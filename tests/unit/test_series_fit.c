#include "tests/check.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "runtime/learn/series/series_fit.h"
#include "runtime/learn/series/series_plan.h"

#define HORIZON_HERE 3
#define POINTS_HERE  64
#define WORDS        (RECORD_STEPS + RECORD_STEP_WORDS * HORIZON_HERE)

static struct forecast_params params_of(const char *method)
{
    struct forecast_params params = {.horizon = HORIZON_HERE, .level = .95, .backtests = 1};

    while (strcmp(forecast_method_words[params.method], method) != 0)
        params.method++;
    return params;
}

/* Trees that expect each value somewhat above the level. */
static void give_trees(struct series_plan *plan)
{
    static const struct pooled_node leaf = {.value = .1};
    static struct pooled pooled[FORECAST_BACKTESTS_MAX + 1];

    for (uint32_t i = 0; i <= FORECAST_BACKTESTS_MAX; i++)
        pooled[i] = (struct pooled){.trees = {&leaf, 1, 0}, .season = 1, .longest = 1};
    plan->pooled = pooled;
}

static struct series_plan plan_of(const struct forecast_params *params)
{
    const struct steps ones = {STEP_NUMBER, 1, 0};
    struct series_plan plan;
    struct error err;

    CHECK_OK(series_plan_make(params, true, &plan, &err));
    CHECK_OK(series_plan_settle(&plan, &ones, &err));
    give_trees(&plan);
    return plan;
}

static enum status fit(const struct series_plan *plan, const struct point *points, uint32_t count,
                       int64_t *record, struct error *err)
{
    struct point own[POINTS_HERE];
    struct arena arena;
    enum status status;

    CHECK(count <= POINTS_HERE);
    memcpy(own, points, count * sizeof *own);
    arena_init(&arena, ARENA_MAXIMUM);
    status = series_fit(plan, own, count, NULL, &arena, record, err);
    arena_deinit(&arena);
    return status;
}

#define REGRESSORS_HERE 2

/* With regressors (count, REGRESSORS_HERE); *record (width of it) is the arena's. */
static enum status fit_with(const struct forecast_params *params, const struct point *points,
                            uint32_t count, const double *regressors, struct arena *arena,
                            int64_t **record, struct error *err)
{
    static const struct transform_input inputs[] = {{.spec.name = SLICE("promo")},
                                                    {.spec.name = SLICE("price")}};
    struct series_plan plan = plan_of(params);
    struct point own[POINTS_HERE];

    CHECK(count <= POINTS_HERE);
    memcpy(own, points, count * sizeof *own);
    plan.regressors = REGRESSORS_HERE;
    plan.regressor_inputs = inputs;
    arena_init(arena, ARENA_MAXIMUM);
    *record = ARENA_NEW(arena, int64_t,
                        series_record_words(HORIZON_HERE, params->history, REGRESSORS_HERE));
    return series_fit(&plan, own, count, regressors, arena, *record, err);
}

static double number_of(int64_t bits)
{
    double number;

    memcpy(&number, &bits, sizeof number);
    return number;
}

static double value_of(const int64_t *record, uint32_t step)
{
    return number_of(record[RECORD_STEPS + step * RECORD_STEP_WORDS + RECORD_VALUE]);
}

static double deviation_of(const int64_t *record, uint32_t step)
{
    return number_of(record[RECORD_STEPS + step * RECORD_STEP_WORDS + RECORD_DEVIATION]);
}

/* Values at the times 0, 1, 2 ...; NAN where one is missing. */
static void fit_values(const struct forecast_params *params, const double *values, uint32_t count,
                       int64_t *record)
{
    const struct series_plan plan = plan_of(params);
    struct point points[POINTS_HERE];
    struct error err;

    for (uint32_t i = 0; i < count; i++)
        points[i] = (struct point){i, values[i]};
    CHECK_OK(fit(&plan, points, count, record, &err));
}

/* Nothing else than the last value again, of values that go up by 2. */
static void errors_of_the_past_are_those_by_hand(void **state)
{
    static const double values[] = {0, 2, 4, 6, 8, 10, 12};
    const struct forecast_params params = params_of("naive");
    int64_t record[WORDS];
    struct series_errors errors;
    (void)state;

    fit_values(&params, values, 7, record);
    errors = series_errors_of(record);
    CHECK(errors.steps == 3);
    CHECK(errors.absolute == 2 + 4 + 6 && errors.errors == 2 + 4 + 6);
    CHECK(errors.values == 8 + 10 + 12);
    CHECK(fabs(errors.shares - (4.0 / 14 + 8.0 / 16 + 12.0 / 18)) < 1e-15);
    CHECK(errors.scaled_steps == 3 && errors.scaled == (2 + 4 + 6) / 2.0);
    CHECK(errors.squares == (4 + 16 + 36) / 4.0);
    CHECK(errors.naive_steps == 3 && errors.naive_scaled == errors.scaled);
    CHECK_INT(record[RECORD_COUNT], 7);
    CHECK_INT(record[RECORD_FIRST], 0);
    CHECK_INT(record[RECORD_LAST], 6);
    for (uint32_t h = 0; h < 3; h++)
        CHECK(value_of(record, h) == 12 && deviation_of(record, h) > 0);
}

/* A series that repeats itself in twos: the season before is forecast. */
static void a_season_is_compared_with_the_one_before(void **state)
{
    static const double values[] = {1, 5, 1, 5, 1, 5, 1, 7, 1, 5, 1, 5};
    struct forecast_params params = params_of("seasonalnaive");
    int64_t record[WORDS];
    struct series_errors errors;
    (void)state;

    params.seasons = (struct counts){{2}, 1};
    fit_values(&params, values, 12, record);
    errors = series_errors_of(record);
    CHECK_INT(record[RECORD_SEASON], 2);
    CHECK(errors.steps == 3);
    CHECK(errors.absolute == 4 && errors.errors == -4); /* 7 was forecast for each of the fives */
    CHECK(errors.naive_steps == errors.scaled_steps);
    CHECK(errors.naive_scaled == errors.scaled);
    CHECK(value_of(record, 0) == 1 && value_of(record, 1) == 5 && value_of(record, 2) == 1);
}

static void several_pasts_are_added(void **state)
{
    double values[20];
    struct forecast_params params = params_of("naive");
    int64_t record[WORDS];
    (void)state;

    for (uint32_t i = 0; i < 20; i++)
        values[i] = 3 * i;
    for (params.backtests = 0; params.backtests < 5; params.backtests++) {
        struct series_errors errors;

        fit_values(&params, values, 20, record);
        errors = series_errors_of(record);
        CHECK(errors.steps == 3 * params.backtests);
        CHECK(errors.absolute == params.backtests * (3 + 6 + 9));
    }
    params.backtests = 10; /* five pasts of four values or more are there */
    fit_values(&params, values, 20, record);
    CHECK(series_errors_of(record).steps == 15);
}

static void a_step_whose_value_is_missing_is_no_error(void **state)
{
    static const double values[] = {0, 2, 4, 6, 8, NAN, 12};
    const struct forecast_params params = params_of("naive");
    int64_t record[WORDS];
    struct series_errors errors;
    (void)state;

    fit_values(&params, values, 7, record);
    errors = series_errors_of(record);
    CHECK(errors.steps == 2 && errors.absolute == 2 + 6);
    CHECK_INT(record[RECORD_COUNT], 6);
    CHECK_INT(record[RECORD_LAST], 6);
}

static double expected_of(const int64_t *record, uint32_t i)
{
    return number_of(record[WORDS + i * EXPECTED_WORDS + EXPECTED_VALUE]);
}

static double expected_deviation_of(const int64_t *record, uint32_t i)
{
    return number_of(record[WORDS + i * EXPECTED_WORDS + EXPECTED_DEVIATION]);
}

#define HISTORY_HERE 6

/* Values repeat themselves in twos, so each is the one of two before. The first two steps have
 * fewer values before them than the history is long. */
static void values_of_the_past_are_expected(void **state)
{
    static const double values[] = {1, 5, 1, NAN, 1, 7};
    struct forecast_params params = params_of("seasonalnaive");
    int64_t record[WORDS + HISTORY_HERE * EXPECTED_WORDS], without[WORDS];
    (void)state;

    params.seasons = (struct counts){{2}, 1};
    fit_values(&params, values, 6, without);
    params.history = HISTORY_HERE;
    fit_values(&params, values, 6, record);
    CHECK(memcmp(record, without, sizeof without) == 0);
    CHECK(expected_deviation_of(record, 0) == -1 && expected_of(record, 0) == 0);
    CHECK(expected_of(record, 1) == 1); /* one value before: it goes on */
    CHECK(expected_of(record, 2) == 5);
    CHECK(expected_of(record, 3) == 5);
    CHECK(expected_of(record, 4) == 1);
    CHECK(expected_of(record, 5) == 1); /* the gap is on the line between its neighbours */
    for (uint32_t i = 1; i < HISTORY_HERE; i++)
        CHECK(expected_deviation_of(record, i) > 0);
}

/* Each method expects of its past what it would forecast, with these parameters, from there. */
static void any_method_expects_its_past(void **state)
{
    (void)state;
    for (uint32_t method = 0; forecast_method_words[method]; method++) {
        struct forecast_params params = params_of(forecast_method_words[method]);
        int64_t record[WORDS + HISTORY_HERE * EXPECTED_WORDS];
        double values[24];

        for (uint32_t i = 0; i < 24; i++)
            values[i] = 1000 + 10 * i + 100 * (i % 4);
        params.seasons = (struct counts){{4}, 1};
        params.history = HISTORY_HERE;
        fit_values(&params, values, 24, record);
        for (uint32_t i = 0; i < HISTORY_HERE; i++) {
            CHECK(fabs(expected_of(record, i) - values[18 + i]) < 500);
            CHECK(expected_deviation_of(record, i) >= 0);
        }
    }
}

/* One, two and three values, of which the last is the forecast; none has a past. */
static void short_series_have_a_forecast(void **state)
{
    static const double values[] = {4, 4, 4};
    (void)state;

    for (uint32_t method = 0; forecast_method_words[method]; method++) {
        struct forecast_params params = params_of(forecast_method_words[method]);

        params.seasons = (struct counts){{2}, 1}; /* one of them needs it */
        for (uint32_t count = 1; count <= 3; count++) {
            int64_t record[WORDS];

            fit_values(&params, values, count, record);
            CHECK(series_errors_of(record).steps == 0);
            CHECK_INT(record[RECORD_COUNT], count);
            for (uint32_t h = 0; h < HORIZON_HERE; h++)
                CHECK(value_of(record, h) == 4 && deviation_of(record, h) == 0);
        }
    }
}

/* Whatever the values are, the numbers are finite, and deviations at least 0. */
static void any_values_have_numbers(void **state)
{
    (void)state;
    for (uint32_t method = 0; forecast_method_words[method]; method++)
        for (uint32_t kind = 0; kind < 6; kind++)
            for (uint32_t count = 1; count < 30; count += 7) {
                struct forecast_params params = params_of(forecast_method_words[method]);
                double values[30];
                int64_t record[WORDS];

                for (uint32_t i = 0; i < count; i++) {
                    const double draw = random_uniform(3, RANDOM_SAMPLE, kind, i) - .5;
                    const double of_kind[] = {0,
                                              -7 - draw,
                                              1e17 + 1e3 * draw,
                                              i % 4 ? 0 : 5 + draw,
                                              i % 3 && i > 0 && i + 1 < count ? NAN : draw,
                                              draw * 1e-200};

                    values[i] = of_kind[kind];
                }
                params.seasons = (struct counts){{4}, 1};
                fit_values(&params, values, count, record);
                for (uint32_t h = 0; h < HORIZON_HERE; h++) {
                    CHECK(isfinite(value_of(record, h)) && isfinite(deviation_of(record, h)));
                    CHECK(deviation_of(record, h) >= 0);
                    CHECK(kind > 0 || value_of(record, h) == 0);
                    CHECK(kind != 2 || fabs(value_of(record, h) / 1e17 - 1) < .06);
                }
            }
}

/* No bound is below 0 where no value was, and the method is one that looks. */
static void a_series_that_was_never_below_zero_stays_there(void **state)
{
    static const double above[] = {3, 0, 4, 1, 5}, below[] = {3, 0, -1, 1, 5};
    const struct forecast_params all = params_of("forecast"), one = params_of("theta");
    int64_t record[WORDS];
    (void)state;

    fit_values(&all, above, 5, record);
    CHECK_INT(record[RECORD_POSITIVE], 1);
    fit_values(&all, below, 5, record);
    CHECK_INT(record[RECORD_POSITIVE], 0);
    fit_values(&one, above, 5, record);
    CHECK_INT(record[RECORD_POSITIVE], 0);
}

static void the_order_of_points_changes_no_bit(void **state)
{
    struct forecast_params params = params_of("forecast");
    int64_t first[WORDS], record[WORDS];
    struct point points[40];
    struct series_plan plan;
    struct error err;
    (void)state;

    params.duplicates = DUPLICATES_ARE_ADDED;
    plan = plan_of(&params);
    for (uint32_t i = 0; i < 40; i++)
        points[i] = (struct point){(int64_t)i * 7 % 31, i % 9 == 4 ? NAN : (i * i % 23) / 10.0};
    CHECK_OK(fit(&plan, points, 40, first, &err));
    for (uint32_t turn = 0; turn < 20; turn++) {
        for (uint32_t i = 40; i > 1; i--) {
            const uint32_t other = (uint32_t)(random_bits(turn, RANDOM_SAMPLE, 1, i) % i);
            const struct point kept = points[i - 1];

            points[i - 1] = points[other];
            points[other] = kept;
        }
        CHECK_OK(fit(&plan, points, 40, record, &err));
        assert_memory_equal(record, first, sizeof first);
    }
}

static void values_of_one_time_are_what_the_rule_says(void **state)
{
    static const struct point points[] = {{0, 1}, {1, 2}, {1, 4}, {2, 3}, {2, NAN}};
    struct forecast_params params = params_of("naive");
    struct series_plan plan = plan_of(&params);
    int64_t record[WORDS];
    struct error err;
    (void)state;

    CHECK_FAILS(fit(&plan, points, 5, record, &err), STATUS_INVALID, "two values have the time 1");
    CHECK(strstr(err.hint, "forecast.duplicates"));
    CHECK_OK(fit(&plan, points + 3, 2, record, &err));
    for (int rule = DUPLICATES_ARE_ADDED; rule <= DUPLICATES_ARE_AVERAGED; rule++) {
        params.duplicates = (unsigned)rule;
        plan = plan_of(&params);
        CHECK_OK(fit(&plan, points, 3, record, &err));
        CHECK(value_of(record, 0) == (rule == DUPLICATES_ARE_ADDED ? 6 : 3));
        CHECK_INT(record[RECORD_COUNT], 2);
    }
}

static void gaps_are_what_the_statement_says(void **state)
{
    static const struct point points[] = {{0, 1}, {1, 7}, {2, 1}, {5, 9}};
    static const double wanted[] = {11.0 / 3, 0, 1}; /* on the line, zero, the last value */
    struct forecast_params params = params_of("seasonalnaive");
    int64_t record[WORDS];
    struct error err;
    (void)state;

    params.seasons = (struct counts){{3}, 1};
    for (int gaps = GAPS_ON_LINE; gaps <= GAPS_ARE_LAST; gaps++) {
        struct series_plan plan;

        params.gaps = (unsigned)gaps;
        plan = plan_of(&params);
        CHECK_OK(fit(&plan, points, 4, record, &err));
        CHECK(fabs(value_of(record, 0) - wanted[gaps]) < 1e-12);
        CHECK(value_of(record, 2) == 9);
        CHECK_INT(record[RECORD_COUNT], 4);
    }
}

static void what_is_no_series_is_refused(void **state)
{
    static const struct point far[] = {{0, 1}, {1, 2}, {3000, 3}};
    static const struct point last[] = {{TIME_NUMBER_MAX - 3, 1}, {TIME_NUMBER_MAX - 2, 2}};
    static const struct point huge[] = {{0, 1.5e308}, {0, 1.5e308}};
    struct forecast_params params = params_of("naive");
    struct series_plan plan = plan_of(&params);
    int64_t record[WORDS];
    struct error err;
    (void)state;

    CHECK_FAILS(fit(&plan, far, 3, record, &err), STATUS_INVALID,
                "3 times would be 3001 steps, of which most have no value");
    CHECK_FAILS(fit(&plan, last, 2, record, &err), STATUS_INVALID, "beyond the year 9999, or 2^53");
    params.duplicates = DUPLICATES_ARE_ADDED;
    plan = plan_of(&params);
    CHECK_FAILS(fit(&plan, huge, 2, record, &err), STATUS_INVALID, "is no number");
}

static void a_series_without_values_has_no_record(void **state)
{
    static const double values[] = {NAN, NAN};
    const struct forecast_params params = params_of("forecast");
    int64_t record[WORDS];
    (void)state;

    fit_values(&params, values, 2, record);
    for (uint32_t i = 0; i < WORDS; i++)
        CHECK_INT(record[i], 0);
}

/* ---- regressors ---- */

static double coefficient_of(const int64_t *record, uint32_t history, uint32_t regressor)
{
    return number_of(record[series_record_coefficients(HORIZON_HERE, history) + regressor]);
}

/* 100 + 10 promo - 3 price, and twice as much of some noise as of nothing. */
static uint32_t make_promoted(struct point *points, double *regressors, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        double *own = regressors + (size_t)i * REGRESSORS_HERE;

        own[0] = i * i % 5 == 1;
        own[1] = 4 + i * 7 % 11 / 4.0;
        points[i] = (struct point){i, 100 + 10 * own[0] - 3 * own[1] +
                                          0.1 * random_uniform(4, RANDOM_SIMULATION, i, 0)};
    }
    return count;
}

static void regressors_have_coefficients_and_explain_the_past(void **state)
{
    const struct forecast_params params = params_of("forecast");
    double regressors[POINTS_HERE * REGRESSORS_HERE];
    struct point points[POINTS_HERE];
    struct series_errors errors;
    struct arena arena;
    struct error err;
    int64_t *record;
    (void)state;

    make_promoted(points, regressors, 40);
    CHECK_OK(fit_with(&params, points, 40, regressors, &arena, &record, &err));
    CHECK(fabs(coefficient_of(record, 0, 0) - 10) < 0.1);
    CHECK(fabs(coefficient_of(record, 0, 1) + 3) < 0.1);
    CHECK(fabs(value_of(record, 0) - 100) < 0.5); /* where both are 0 */
    errors = series_errors_of(record);
    CHECK(errors.steps == HORIZON_HERE && errors.absolute < HORIZON_HERE * 0.2);
    CHECK(errors.covered > 0);
    arena_deinit(&arena);
}

/* Values of days from 1970 on; on each twentieth day, and on day 61, which is to come, 30 more. */
static void a_holiday_is_in_what_is_forecast_of_it(void **state)
{
    static const int32_t days[] = {7, 27, 47, 61}, never[] = {400};
    const struct holiday items[] = {{SLICE("a"), 4, days}, {SLICE("b"), 1, never}};
    const struct holidays holidays = {2, items};
    struct forecast_params params = params_of("autoets");
    struct series_plan plan;
    struct point points[60];
    struct arena arena;
    struct error err;
    int64_t *record;
    (void)state;

    params.history = 20;
    params.backtests = 0;
    CHECK_OK(series_plan_make(&params, false, &plan, &err));
    CHECK_OK(
        series_plan_settle(&plan, &(struct steps){STEP_MICROSECOND, DAY_MICROSECONDS, 0}, &err));
    plan.holidays = &holidays;
    for (int64_t i = 0; i < 60; i++)
        points[i] = (struct point){i * DAY_MICROSECONDS,
                                   100 + (i % 20 == 7 ? 30 : 0) +
                                       random_uniform(4, RANDOM_SIMULATION, (uint64_t)i, 0)};
    arena_init(&arena, ARENA_MAXIMUM);
    record = ARENA_NEW(&arena, int64_t, series_plan_words(&plan));
    CHECK_OK(series_fit(&plan, points, 60, NULL, &arena, record, &err));
    CHECK(fabs(coefficient_of(record, 20, 0) - 30) < 1);
    CHECK(coefficient_of(record, 20, 1) == 0);
    CHECK(fabs(value_of(record, 0) - 100.5) < 1 && fabs(value_of(record, 2) - 100.5) < 1);
    CHECK(fabs(value_of(record, 1) - 130.5) < 1); /* day 61 */
    for (uint32_t i = 0; i < 20; i++) {           /* days 40 to 59 */
        const double expected = number_of(
            record[series_record_history(HORIZON_HERE) + i * EXPECTED_WORDS + EXPECTED_VALUE]);

        CHECK(fabs(expected - (i == 7 ? 130.5 : 100.5)) < 1);
    }
    arena_deinit(&arena);
}

/* Steps of the past are moved as those to come are: whoever tells one adds its row's regressors. */
static void the_past_is_expected_where_regressors_are_0(void **state)
{
    static const char *const methods[] = {"forecast", "autoets", "theta", "seasonalnaive"};
    double regressors[POINTS_HERE * REGRESSORS_HERE];
    struct point points[POINTS_HERE];
    (void)state;

    make_promoted(points, regressors, 40);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        struct forecast_params params = params_of(methods[i]);
        int64_t *record, *without;
        struct arena arena, second;
        struct error err;

        CHECK_OK(fit_with(&params, points, 40, regressors, &second, &without, &err));
        params.history = HISTORY_HERE;
        CHECK_OK(fit_with(&params, points, 40, regressors, &arena, &record, &err));
        for (uint32_t k = 0; k < HISTORY_HERE; k++) {
            CHECK(fabs(expected_of(record, k) - 100) < 0.5);
            CHECK(expected_deviation_of(record, k) > 0 && expected_deviation_of(record, k) < 1);
        }
        CHECK(memcmp(record, without, WORDS * sizeof *record) == 0); /* all else stays */
        for (uint32_t k = 0; k < REGRESSORS_HERE; k++)
            CHECK(coefficient_of(record, HISTORY_HERE, k) == coefficient_of(without, 0, k));
        arena_deinit(&arena);
        arena_deinit(&second);
    }
}

/* Rows of one time in the order in which they come, backwards and mixed. */
static void the_order_of_rows_with_regressors_changes_no_bit(void **state)
{
    struct forecast_params params = params_of("theta");
    const uint32_t words = series_record_words(HORIZON_HERE, 0, REGRESSORS_HERE);
    double regressors[POINTS_HERE * REGRESSORS_HERE], other[POINTS_HERE * REGRESSORS_HERE];
    struct point points[POINTS_HERE], moved[POINTS_HERE];
    struct arena arena, second;
    struct error err;
    int64_t *record, *again;
    uint32_t count;
    (void)state;

    count = make_promoted(points, regressors, 60);
    for (uint32_t i = 0; i < count; i++) {
        points[i].time /= 3;
        points[i].value = i % 2 ? points[i].value : 90; /* the same value with other regressors */
    }
    CHECK_FAILS(fit_with(&params, points, count, regressors, &arena, &record, &err), STATUS_INVALID,
                "two values have the time");
    arena_deinit(&arena);
    for (unsigned duplicates = DUPLICATES_ARE_ADDED; duplicates <= DUPLICATES_ARE_AVERAGED;
         duplicates++) {
        params.duplicates = duplicates;
        CHECK_OK(fit_with(&params, points, count, regressors, &arena, &record, &err));
        CHECK(coefficient_of(record, 0, 0) != 0);
        for (uint32_t turn = 0; turn < 2; turn++) {
            for (uint32_t i = 0; i < count; i++) {
                const uint32_t from = turn ? count - 1 - i : i * 7 % count;

                moved[i] = points[from];
                memcpy(other + (size_t)i * REGRESSORS_HERE,
                       regressors + (size_t)from * REGRESSORS_HERE,
                       REGRESSORS_HERE * sizeof *other);
            }
            CHECK_OK(fit_with(&params, moved, count, other, &second, &again, &err));
            CHECK(memcmp(record, again, words * sizeof *record) == 0);
            arena_deinit(&second);
        }
        arena_deinit(&arena);
    }
}

static void a_regressor_is_missing_only_where_the_value_is(void **state)
{
    struct forecast_params params = params_of("autoarima");
    double regressors[POINTS_HERE * REGRESSORS_HERE];
    struct point points[POINTS_HERE];
    struct arena arena;
    struct error err;
    int64_t *record;
    (void)state;

    make_promoted(points, regressors, 40);
    regressors[17 * REGRESSORS_HERE + 1] = NAN;
    CHECK_FAILS(fit_with(&params, points, 40, regressors, &arena, &record, &err), STATUS_INVALID,
                "regressor \"price\" is NULL at 17");
    CHECK(strstr(err.hint, "coalesce(price, 0)"));
    arena_deinit(&arena);
    /* Values and regressors of the last step before a horizon of the past, and within it. */
    points[17].value = points[36].value = points[38].value = NAN;
    for (unsigned gaps = GAPS_ON_LINE; gaps <= GAPS_ARE_LAST; gaps++) {
        params.gaps = gaps;
        regressors[36 * REGRESSORS_HERE] = NAN;
        CHECK_OK(fit_with(&params, points, 40, regressors, &arena, &record, &err));
        CHECK(isfinite(coefficient_of(record, 0, 0)) && isfinite(value_of(record, 0)));
        CHECK(series_errors_of(record).steps == HORIZON_HERE - 1);
        CHECK(isfinite(series_errors_of(record).absolute));
        arena_deinit(&arena);
    }
}

/* A value below 0 is none of a series that never had one, in its past either. */
static void a_past_with_regressors_is_cut_at_zero(void **state)
{
    const struct forecast_params params = params_of("forecast");
    double regressors[POINTS_HERE * REGRESSORS_HERE];
    struct point points[POINTS_HERE];
    struct arena arena;
    struct error err;
    int64_t *record;
    (void)state;

    make_promoted(points, regressors, 43);
    for (uint32_t i = 0; i < 43; i++) {
        const double *own = regressors + (size_t)i * REGRESSORS_HERE;

        points[i].value = 20 * own[0] + random_uniform(5, RANDOM_SIMULATION, i, 0);
        if (i >= 40) { /* so little as never before: some -40 */
            regressors[i * REGRESSORS_HERE] = -2;
            points[i].value = 0;
        }
    }
    CHECK_OK(fit_with(&params, points, 43, regressors, &arena, &record, &err));
    CHECK(series_errors_of(record).absolute == 0);
    CHECK_INT(record[RECORD_POSITIVE], 1);
    arena_deinit(&arena);
}

/* ---- limits ---- */

static void errors_of_the_past_are_those_within_the_limits(void **state)
{
    static const double values[] = {0.5, 2.25, 4.5, 6.75, 8, 10, 12};
    struct forecast_params params = params_of("naive");
    int64_t plain[WORDS], limited[WORDS];
    (void)state;

    fit_values(&params, values, 7, plain);
    params.lower = (struct reals){{7.5}, 1};
    params.upper = (struct reals){{11}, 1};
    fit_values(&params, values, 7, limited);
    /* The naive forecast of 8, 10 and 12 is 6.75, and 7.5 with its limit. */
    CHECK(series_errors_of(plain).absolute == 1.25 + 3.25 + 5.25);
    CHECK(series_errors_of(limited).absolute == 0.5 + 2.5 + 4.5);
    CHECK(series_errors_of(limited).covered < series_errors_of(plain).covered); /* 12 is above */
    CHECK(memcmp(plain + RECORD_STEPS, limited + RECORD_STEPS,
                 sizeof plain - RECORD_STEPS * sizeof *plain) == 0);
    params.lower.count = params.upper.count = 0;
    params.is_whole = true;
    fit_values(&params, values, 7, limited);
    CHECK(series_errors_of(limited).absolute == 1 + 3 + 5); /* 7 */
}

/* Statements of BigQuery ML have ARIMA_PLUS with an order. */
static void an_order_ends_the_search(void **state)
{
    struct forecast_params searched = params_of("autoarima"), given = params_of("arima");
    int64_t record[WORDS], other[WORDS];
    double values[30];
    (void)state;

    for (uint32_t i = 0; i < 30; i++)
        values[i] = i * 7919 % 31 + i;
    searched.order = given.order = (struct counts){{1, 1, 1}, 3};
    fit_values(&searched, values, 30, record);
    fit_values(&given, values, 30, other);
    CHECK(memcmp(record, other, sizeof record) == 0);
    searched.order.count = 0;
    fit_values(&searched, values, 30, record);
    CHECK(memcmp(record, other, sizeof record) != 0);
}

static void a_season_that_is_needed_has_to_be_there(void **state)
{
    const struct steps ones = {STEP_NUMBER, 1, 0}, days = {STEP_MICROSECOND, DAY_MICROSECONDS, 0};
    const struct forecast_params params = params_of("mstl");
    struct series_plan plan;
    struct error err;
    (void)state;

    CHECK_OK(series_plan_make(&params, false, &plan, &err));
    CHECK_FAILS(series_plan_settle(&plan, &ones, &err), STATUS_INVALID, "MSTL needs a season");
    CHECK_OK(series_plan_settle(&plan, &days, &err));
    CHECK_INT(plan.options.seasons[0], 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_of_the_past_are_those_by_hand),
        cmocka_unit_test(a_season_is_compared_with_the_one_before),
        cmocka_unit_test(several_pasts_are_added),
        cmocka_unit_test(a_step_whose_value_is_missing_is_no_error),
        cmocka_unit_test(values_of_the_past_are_expected),
        cmocka_unit_test(any_method_expects_its_past),
        cmocka_unit_test(short_series_have_a_forecast),
        cmocka_unit_test(any_values_have_numbers),
        cmocka_unit_test(a_series_that_was_never_below_zero_stays_there),
        cmocka_unit_test(the_order_of_points_changes_no_bit),
        cmocka_unit_test(values_of_one_time_are_what_the_rule_says),
        cmocka_unit_test(gaps_are_what_the_statement_says),
        cmocka_unit_test(what_is_no_series_is_refused),
        cmocka_unit_test(a_series_without_values_has_no_record),
        cmocka_unit_test(regressors_have_coefficients_and_explain_the_past),
        cmocka_unit_test(a_holiday_is_in_what_is_forecast_of_it),
        cmocka_unit_test(the_past_is_expected_where_regressors_are_0),
        cmocka_unit_test(the_order_of_rows_with_regressors_changes_no_bit),
        cmocka_unit_test(a_regressor_is_missing_only_where_the_value_is),
        cmocka_unit_test(a_past_with_regressors_is_cut_at_zero),
        cmocka_unit_test(errors_of_the_past_are_those_within_the_limits),
        cmocka_unit_test(an_order_ends_the_search),
        cmocka_unit_test(a_season_that_is_needed_has_to_be_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
