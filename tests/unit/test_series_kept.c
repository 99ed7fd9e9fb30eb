#include "tests/check.h"

#include <math.h>
#include <stdlib.h>

#include "runtime/learn/series/series_kept.h"
#include "runtime/learn/series/series_plan.h"

#define HORIZON_HERE 4
#define COUNT        40
#define MORE         3

/* The plan of a model that keeps the parameters of its series. */
static struct series_plan plan_of(const char *method, enum forecast_transform transform)
{
    const struct steps ones = {STEP_NUMBER, 1, 0};
    struct forecast_params params = {.horizon = HORIZON_HERE,
                                     .level = .95,
                                     .backtests = 1,
                                     .keeps = true,
                                     .transform = transform,
                                     .seasons = {{4}, 1}};
    struct series_plan plan;
    struct error err;

    while (strcmp(forecast_method_words[params.method], method) != 0)
        params.method++;
    CHECK_OK(series_plan_make(&params, true, &plan, &err));
    plan.kept = forecast_kept_most(&params, 0);
    CHECK_OK(series_plan_settle(&plan, &ones, &err));
    return plan;
}

static double value_at(uint32_t i)
{
    return 100 + 3 * (i % 4) + i * 0.5 + i * 7 % 5;
}

/* The record of the values from step `first` on, in memory of the heap. */
static enum status fit(const struct series_plan *plan, uint32_t first, uint32_t end,
                       int64_t **record, struct error *err)
{
    struct point points[COUNT * 3];
    struct arena arena;
    enum status status;

    CHECK(end - first <= COUNT * 3);
    for (uint32_t i = first; i < end; i++)
        points[i - first] = (struct point){i, value_at(i)};
    *record = calloc(series_plan_words(plan), sizeof **record);
    arena_init(&arena, ARENA_MAXIMUM);
    status = series_fit(plan, points, end - first, NULL, &arena, *record, err);
    arena_deinit(&arena);
    return status;
}

static double value_of(const int64_t *record, uint32_t h)
{
    return record_number(record[RECORD_STEPS + h * RECORD_STEP_WORDS + RECORD_VALUE]);
}

/* The series as a model has it that was made of the record. */
static struct series_old old_of(const struct series_plan *plan, const int64_t *record,
                                double *numbers)
{
    const int64_t *words = record + series_plan_kept(plan);
    struct series_old old = {.last = record[RECORD_FIRST] + record[RECORD_LAST],
                             .numbers = numbers,
                             .count = (uint32_t)words[KEPT_COUNT]};

    for (uint32_t i = 0; i < old.count; i++)
        numbers[i] = record_number(words[KEPT_WORDS + i]);
    old.begin = old.last + 1 - (int64_t)numbers[KEPT_NOW];
    old.last_known = old.last;
    return old;
}

/* An old series of COUNT values, and how one that has those from `first` to `end` goes on. */
struct went {
    enum series_way way;
    struct series_errors errors;
    double old_values[HORIZON_HERE], values[HORIZON_HERE], at_fit, now;
};

static enum status go_on(const char *method, enum forecast_transform transform, uint32_t first,
                         uint32_t end, struct went *went, struct error *failure)
{
    struct series_plan plan = plan_of(method, transform);
    double numbers[FORECAST_KEPT_MAX];
    struct series_old old;
    struct error err;
    int64_t *record, *next;
    enum status status;

    CHECK_OK(fit(&plan, 0, COUNT, &record, &err));
    CHECK_INT(record[series_plan_kept(&plan) + KEPT_WAY], WAY_NEW);
    old = old_of(&plan, record, numbers);
    plan.old = &old;
    status = fit(&plan, first, end, &next, failure);
    if (status == STATUS_OK) {
        const int64_t *words = next + series_plan_kept(&plan);

        *went = (struct went){.way = (enum series_way)words[KEPT_WAY],
                              .errors = series_errors_of(next),
                              .at_fit = record_number(words[KEPT_WORDS + KEPT_AT_FIT]),
                              .now = record_number(words[KEPT_WORDS + KEPT_NOW])};
        for (uint32_t h = 0; h < HORIZON_HERE; h++) {
            went->old_values[h] = value_of(record, h);
            went->values[h] = value_of(next, h);
        }
    }
    free(record);
    free(next);
    return status;
}

static const char *const methods[] = {"forecast", "autoets", "theta", "naive", "arima"};
#define METHODS (sizeof methods / sizeof *methods)

static void a_series_without_new_rows_stays(void **state)
{
    (void)state;
    for (size_t m = 0; m < METHODS; m++)
        for (int transform = TRANSFORMS_NONE; transform <= TRANSFORMS_BOX_COX; transform++) {
            struct went went;
            struct error err;

            CHECK_OK(go_on(methods[m], (enum forecast_transform)transform, 0, COUNT, &went, &err));
            CHECK_INT(went.way, WAY_STAYED);
            CHECK(went.errors.steps == 0 && went.at_fit == COUNT && went.now == COUNT);
            CHECK(memcmp(went.values, went.old_values, sizeof went.values) == 0);
        }
}

/* Errors are those of the forecast that the old model had of what came. */
static void a_series_with_new_rows_moves_on(void **state)
{
    (void)state;
    for (size_t m = 0; m < METHODS; m++) {
        double absolute = 0;
        struct went went;
        struct error err;

        CHECK_OK(go_on(methods[m], TRANSFORMS_NONE, 0, COUNT + MORE, &went, &err));
        CHECK_INT(went.way, WAY_MOVED);
        CHECK(went.at_fit == COUNT && went.now == COUNT + MORE);
        CHECK(memcmp(went.values, went.old_values, sizeof went.values) != 0);
        CHECK(went.errors.steps == MORE);
        for (uint32_t h = 0; h < MORE; h++)
            absolute += fabs(value_at(COUNT + h) - went.old_values[h]);
        CHECK(fabs(went.errors.absolute - absolute) < 1e-9);
    }
}

static void more_new_rows_than_steps_are_measured_by_those(void **state)
{
    struct went went;
    struct error err;
    (void)state;

    CHECK_OK(go_on("theta", TRANSFORMS_NONE, 0, COUNT + 3 * HORIZON_HERE, &went, &err));
    CHECK(went.way == WAY_MOVED && went.errors.steps == HORIZON_HERE);
}

static void rows_that_parameters_do_not_go_with_are_fitted_anew(void **state)
{
    static const uint32_t others[][2] = {
        {1, COUNT + MORE},  /* it begins later */
        {0, COUNT - 1},     /* it ends before */
        {0, 2 * COUNT + 1}, /* it has grown */
    };
    (void)state;

    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct series_plan plan = plan_of("theta", TRANSFORMS_NONE);
        const uint32_t first = others[i][0], end = others[i][1];
        struct went went;
        struct error err;
        int64_t *fresh;

        CHECK_OK(go_on("theta", TRANSFORMS_NONE, first, end, &went, &err));
        CHECK_INT(went.way, WAY_ANEW);
        CHECK(went.errors.steps == HORIZON_HERE && went.at_fit == end - first);
        CHECK_OK(fit(&plan, first, end, &fresh, &err));
        for (uint32_t h = 0; h < HORIZON_HERE; h++)
            CHECK(went.values[h] == value_of(fresh, h));
        free(fresh);
    }
}

static void new_rows_alone_are_refused(void **state)
{
    struct went went;
    struct error err;
    (void)state;

    CHECK_FAILS(go_on("theta", TRANSFORMS_NONE, COUNT, COUNT + MORE, &went, &err), STATUS_INVALID,
                "its rows begin at 40, and those of the old model at 0");
}

/* An old series of COUNT values, of which `values` are kept, and rows from step `first` on. */
static enum status go_on_with_values(uint32_t values, uint32_t first, uint32_t end,
                                     int64_t **record, struct error *failure)
{
    struct series_plan plan = plan_of("theta", TRANSFORMS_NONE);
    double numbers[FORECAST_KEPT_MAX], *kept = calloc(values, sizeof *kept);
    struct series_old old;
    int64_t *before;
    enum status status;
    struct error err;

    CHECK(kept);
    plan.values = values;
    plan.has_old_steps = true;
    CHECK_OK(fit(&plan, 0, COUNT, &before, &err));
    old = old_of(&plan, before, numbers);
    for (uint32_t i = 0; i < values; i++)
        kept[i] = record_number(before[series_plan_words(&plan) - values + i]);
    old.values = kept;
    plan.old = &old;
    status = fit(&plan, first, end, record, failure);
    free(before);
    free(kept);
    return status;
}

static void new_rows_alone_are_enough_where_values_are_kept(void **state)
{
    const uint32_t values = COUNT + 2;
    struct series_plan plan = plan_of("theta", TRANSFORMS_NONE);
    int64_t *alone, *whole;
    struct error err;
    (void)state;

    plan.values = values;
    CHECK_OK(go_on_with_values(values, COUNT, COUNT + MORE, &alone, &err));
    CHECK_OK(go_on_with_values(values, 0, COUNT + MORE, &whole, &err));
    CHECK(memcmp(alone, whole, series_plan_words(&plan) * sizeof *alone) == 0);
    CHECK_INT(alone[series_plan_kept(&plan) + KEPT_WAY], WAY_MOVED);
    /* It has one value more now than are kept: they are the last ones. */
    CHECK(record_number(alone[series_plan_words(&plan) - values]) == value_at(1));
    CHECK(record_number(alone[series_plan_words(&plan) - 1]) == value_at(COUNT + MORE - 1));
    free(alone);
    free(whole);
}

static void new_rows_are_not_enough_where_values_are_left_out(void **state)
{
    int64_t *record;
    struct error err;
    (void)state;

    CHECK_FAILS(go_on_with_values(COUNT - 1, COUNT, COUNT + MORE, &record, &err), STATUS_INVALID,
                "had 40 values and keeps 39");
    free(record);
    CHECK_OK(go_on_with_values(COUNT - 1, 0, COUNT + MORE, &record, &err));
    free(record);
}

static void a_series_of_which_nothing_is_kept_needs_all_rows(void **state)
{
    struct series_plan plan = plan_of("theta", TRANSFORMS_NONE);
    double numbers[FORECAST_KEPT_MAX], kept[COUNT] = {0};
    struct series_old old;
    int64_t *before, *next;
    struct error err;
    (void)state;

    plan.values = COUNT;
    CHECK_OK(fit(&plan, 0, COUNT, &before, &err));
    old = old_of(&plan, before, numbers);
    old.values = kept;
    numbers[KEPT_NOW] = 0;
    plan.old = &old;
    CHECK_FAILS(fit(&plan, COUNT, COUNT + MORE, &next, &err), STATUS_INVALID,
                "keeps nothing of the series");
    free(before);
    free(next);
}

/* ---- a hierarchy ---- */

static struct series_plan plan_of_hierarchy(const char *method)
{
    struct series_plan plan = plan_of(method, TRANSFORMS_NONE);

    plan.hierarchy = HIERARCHY_BOTTOM_UP;
    plan.backtests = 2;
    plan.end = COUNT - 1;
    return plan;
}

/* The one past of a hierarchy that goes on begins where the old model ended, and has its forecast;
 * a series that began since has none. */
static void a_past_of_a_hierarchy_begins_where_the_old_model_ended(void **state)
{
    (void)state;
    for (size_t m = 0; m < METHODS; m++) {
        struct series_plan plan = plan_of_hierarchy(methods[m]);
        double numbers[FORECAST_KEPT_MAX];
        int64_t *record, *next, *young;
        const int64_t *past;
        struct series_old old;
        struct error err;

        CHECK_OK(fit(&plan, 0, COUNT, &record, &err));
        CHECK(record_number(record[series_plan_origin(&plan, 1) + ORIGIN_SCALE]) >= 0);
        old = old_of(&plan, record, numbers);
        plan.old = &old;
        plan.has_come = true;
        plan.come = MORE;
        plan.end = COUNT + MORE - 1;
        CHECK_OK(fit(&plan, 0, COUNT + MORE, &next, &err));
        CHECK_INT(next[series_plan_kept(&plan) + KEPT_WAY], WAY_MOVED);
        CHECK(record_number(next[series_plan_origin(&plan, 0) + ORIGIN_SCALE]) >= 0);
        CHECK(record_number(next[series_plan_origin(&plan, 1) + ORIGIN_SCALE]) == -1);
        past = next + series_plan_origin(&plan, 0) + ORIGIN_STEPS;
        for (uint32_t h = 0; h < HORIZON_HERE; h++, past += PAST_WORDS) {
            CHECK(record_number(past[PAST_FORECAST]) == value_of(record, h));
            CHECK(h < MORE ? record_number(past[PAST_VALUE]) == value_at(COUNT + h)
                           : isnan(record_number(past[PAST_VALUE])));
        }
        plan.old = NULL;
        CHECK_OK(fit(&plan, COUNT, COUNT + MORE, &young, &err));
        CHECK(record_number(young[series_plan_origin(&plan, 0) + ORIGIN_SCALE]) == -1);
        CHECK(record_number(young[series_plan_origin(&plan, 0) + ORIGIN_STEPS + PAST_VALUE]) ==
              value_at(COUNT));
        free(record);
        free(next);
        free(young);
    }
}

static void without_new_times_a_hierarchy_measures_nothing(void **state)
{
    struct series_plan plan = plan_of_hierarchy("theta");
    double numbers[FORECAST_KEPT_MAX];
    int64_t *record, *next;
    struct series_old old;
    struct error err;
    (void)state;

    CHECK_OK(fit(&plan, 0, COUNT, &record, &err));
    old = old_of(&plan, record, numbers);
    plan.old = &old;
    plan.has_come = true;
    CHECK_OK(fit(&plan, 0, COUNT, &next, &err));
    CHECK_INT(next[series_plan_kept(&plan) + KEPT_WAY], WAY_STAYED);
    for (uint32_t i = 0; i < plan.backtests; i++) {
        const int64_t *origin = next + series_plan_origin(&plan, i);

        CHECK(record_number(origin[ORIGIN_SCALE]) == -1);
        CHECK(isnan(record_number(origin[ORIGIN_STEPS + PAST_VALUE])));
    }
    for (uint32_t h = 0; h < HORIZON_HERE; h++)
        CHECK(value_of(record, h) == value_of(next, h));
    free(record);
    free(next);
}

/* Also where its own parts begin behind all that the old one had. */
static void a_total_of_other_parts_is_fitted_anew(void **state)
{
    static const uint32_t firsts[] = {0, COUNT};
    (void)state;

    for (size_t i = 0; i < 2; i++) {
        struct series_plan plan = plan_of_hierarchy("theta");
        double numbers[FORECAST_KEPT_MAX];
        int64_t *record, *next, *fresh;
        struct series_old old;
        struct error err;

        CHECK_OK(fit(&plan, 0, COUNT, &record, &err));
        old = old_of(&plan, record, numbers);
        old.is_other = true;
        plan.end = COUNT + MORE - 1;
        CHECK_OK(fit(&plan, firsts[i], COUNT + MORE, &fresh, &err));
        plan.old = &old;
        CHECK_OK(fit(&plan, firsts[i], COUNT + MORE, &next, &err));
        CHECK_INT(next[series_plan_kept(&plan) + KEPT_WAY], WAY_ANEW);
        for (uint32_t h = 0; h < HORIZON_HERE; h++)
            CHECK(value_of(fresh, h) == value_of(next, h));
        free(record);
        free(next);
        free(fresh);
    }
}

/* The old model had filled its last steps: values that come for them are new. */
static void values_of_filled_steps_may_still_come(void **state)
{
    struct series_plan plan = plan_of_hierarchy("theta");
    double numbers[FORECAST_KEPT_MAX], kept[COUNT];
    int64_t *record, *alone, *whole;
    struct series_old old;
    struct error err;
    (void)state;

    plan.values = COUNT;
    plan.has_old_steps = true;
    CHECK_OK(fit(&plan, 0, COUNT - MORE, &record, &err));
    CHECK(record_number(record[series_plan_kept(&plan) + KEPT_WORDS + KEPT_NOW]) == COUNT);
    for (uint32_t i = 0; i < COUNT; i++)
        kept[i] = record_number(record[series_plan_words(&plan) - COUNT + i]);
    CHECK(kept[COUNT - MORE - 1] == value_at(COUNT - MORE - 1) && isnan(kept[COUNT - MORE]));
    old = old_of(&plan, record, numbers);
    old.values = kept;
    old.last_known = COUNT - MORE - 1;
    plan.old = &old;
    CHECK_OK(fit(&plan, COUNT - MORE, COUNT, &alone, &err));
    CHECK_OK(fit(&plan, 0, COUNT, &whole, &err));
    CHECK(memcmp(alone, whole, series_plan_words(&plan) * sizeof *alone) == 0);
    free(alone);
    CHECK_FAILS(fit(&plan, COUNT - MORE - 1, COUNT, &alone, &err), STATUS_INVALID,
                "its rows begin at 36, among those of the old model, which are from 0 to 36");
    free(record);
    free(alone);
    free(whole);
}

/* Steps of 2 from 0 on, and a time of 41. */
static void a_time_between_the_old_steps_is_refused(void **state)
{
    struct series_plan plan = plan_of("naive", TRANSFORMS_NONE);
    struct point points[] = {{38, 1}, {41, 2}};
    struct arena arena;
    int64_t *record;
    struct error err;
    (void)state;

    plan.values = 3;
    plan.has_old_steps = true;
    plan.steps.size = 2;
    record = calloc(series_plan_words(&plan), sizeof *record);
    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_FAILS(series_fit(&plan, points, 2, NULL, &arena, record, &err), STATUS_INVALID,
                "the time 41 is between two steps of the old model");
    points[1].time = 42;
    CHECK_OK(series_fit(&plan, points, 2, NULL, &arena, record, &err));
    arena_deinit(&arena);
    free(record);
}

/* A list that no fit wrote is spoiled, and the series fitted. */
static void a_spoiled_list_is_fitted_anew(void **state)
{
    struct series_plan plan = plan_of("autoets", TRANSFORMS_LOG);
    double numbers[FORECAST_KEPT_MAX];
    struct series_old old;
    int64_t *record, *next;
    struct error err;
    (void)state;

    CHECK_OK(fit(&plan, 0, COUNT, &record, &err));
    old = old_of(&plan, record, numbers);
    for (uint32_t i = KEPT_LIST; i < old.count; i++)
        numbers[i] = 1e9;
    plan.old = &old;
    CHECK_OK(fit(&plan, 0, COUNT, &next, &err));
    CHECK_INT(next[series_plan_kept(&plan) + KEPT_WAY], WAY_ANEW);
    for (uint32_t h = 0; h < HORIZON_HERE; h++)
        CHECK(value_of(record, h) == value_of(next, h));
    free(record);
    free(next);
}

static void bits_of_any_number_are_parts(void **state)
{
    static const double all[] = {0, -0.0, 1, -1e300, 5e-324, 3.25, INFINITY, 1.0 / 3};
    (void)state;

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        float parts[KEPT_PARTS];
        double back;

        kept_to_parts(all[i], parts);
        back = kept_of_parts(parts);
        CHECK(memcmp(&back, &all[i], sizeof back) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_series_without_new_rows_stays),
        cmocka_unit_test(a_series_with_new_rows_moves_on),
        cmocka_unit_test(more_new_rows_than_steps_are_measured_by_those),
        cmocka_unit_test(rows_that_parameters_do_not_go_with_are_fitted_anew),
        cmocka_unit_test(new_rows_alone_are_refused),
        cmocka_unit_test(new_rows_alone_are_enough_where_values_are_kept),
        cmocka_unit_test(new_rows_are_not_enough_where_values_are_left_out),
        cmocka_unit_test(a_series_of_which_nothing_is_kept_needs_all_rows),
        cmocka_unit_test(a_past_of_a_hierarchy_begins_where_the_old_model_ended),
        cmocka_unit_test(without_new_times_a_hierarchy_measures_nothing),
        cmocka_unit_test(a_total_of_other_parts_is_fitted_anew),
        cmocka_unit_test(values_of_filled_steps_may_still_come),
        cmocka_unit_test(a_time_between_the_old_steps_is_refused),
        cmocka_unit_test(a_spoiled_list_is_fitted_anew),
        cmocka_unit_test(bits_of_any_number_are_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
