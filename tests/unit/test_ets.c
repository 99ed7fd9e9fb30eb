/* The likelihood of exponential smoothing, its slopes and where it is greatest. */
#include "tests/check.h"

#include <math.h>

#include "forecast/smoothing/ets_start.h"

#define COUNT  48
#define SEASON 4

/* A level that moves, a trend and a season; all are above 0. */
static void make_values(double *values)
{
    static const double season[] = {-0.08, 0.02, 0.09, -0.03};

    for (int i = 0; i < COUNT; i++)
        values[i] =
            0.4 + 0.004 * i + season[i % SEASON] + 0.01 * (i % 7 < 3) + 0.002 * (i * 79 % 13);
}

struct fixture {
    struct ets_search search;
    struct series series;
    struct arena arena;
    double values[COUNT], numbers[DESCEND_NUMBERS_MAX];
};

/* A search of the form, at numbers within its bounds that are no optimum. */
static void begin(struct fixture *fixture, const struct ets_form *form)
{
    const uint32_t season = form->season == ETS_NO_SEASON ? 1 : SEASON;
    struct ets_search *search = &fixture->search;

    make_values(fixture->values);
    fixture->series = (struct series){fixture->values, COUNT, SEASON};
    CHECK(ets_is_possible(form, &fixture->series));
    *search =
        (struct ets_search){.series = &fixture->series, .places = ets_places_of(form, SEASON)};
    search->ets.form = search->start.form = *form;
    search->ets.season = search->start.season = season;
    arena_init(&fixture->arena, ARENA_MAXIMUM);
    search->steps = ARENA_NEW(&fixture->arena, struct ets_step, COUNT);
    search->seasons = ARENA_NEW(&fixture->arena, double, season);
    search->season_adjoints = ARENA_NEW(&fixture->arena, double, season);
    search->season_slopes = ARENA_NEW(&fixture->arena, double, (size_t)season *DESCEND_NUMBERS_MAX);
    search->start.seasons = ARENA_NEW(&fixture->arena, double, season);
    search->ets.seasons = ARENA_NEW(&fixture->arena, double, season);
    CHECK(isfinite(ets_choose_start(search, fixture->numbers)));
    for (uint32_t i = search->places.level; i < search->places.count; i++)
        fixture->numbers[i] = 0.1 * (i % 3) - 0.05;
}

static void for_each_form(void (*check)(struct fixture *fixture))
{
    for (int relative = 0; relative < 2; relative++)
        for (int trend = ETS_NO_TREND; trend <= ETS_DAMPED; trend++)
            for (int season = ETS_NO_SEASON; season <= ETS_TIMES; season++) {
                const struct ets_form form = {relative, trend, season};
                struct fixture fixture;

                begin(&fixture, &form);
                check(&fixture);
                arena_deinit(&fixture.arena);
            }
}

#define STEP 1e-5

static double moved_cost(struct fixture *fixture, uint32_t number, double by)
{
    double numbers[DESCEND_NUMBERS_MAX];

    memcpy(numbers, fixture->numbers, sizeof numbers);
    numbers[number] += by;
    return ets_cost(&fixture->search, numbers, NULL);
}

static void check_gradient(struct fixture *fixture)
{
    double gradient[DESCEND_NUMBERS_MAX];

    ets_cost(&fixture->search, fixture->numbers, gradient);
    for (uint32_t i = 0; i < fixture->search.places.count; i++) {
        const double slope =
            (moved_cost(fixture, i, STEP) - moved_cost(fixture, i, -STEP)) / (2 * STEP);

        CHECK(fabs(gradient[i] - slope) < 1e-5 * (1 + fabs(slope)));
    }
}

static void gradients_are_slopes(void **state)
{
    (void)state;
    for_each_form(check_gradient);
}

/* Errors as the likelihood squares them, at numbers of which one has moved. */
static void list_errors(struct fixture *fixture, uint32_t number, double by, double *errors)
{
    const struct ets_form *form = &fixture->search.ets.form;

    moved_cost(fixture, number, by);
    for (uint32_t i = 0; i < COUNT; i++) {
        const double error = fixture->search.steps[i].error;

        errors[i] = form->is_relative ? error / (fixture->values[i] - error) : error;
    }
}

static void check_curvature(struct fixture *fixture)
{
    const struct ets_places *places = &fixture->search.places;
    double slopes[DESCEND_NUMBERS_MAX][COUNT], more[COUNT], less[COUNT], squares = 0;
    descend_square curvature;

    for (uint32_t j = 0; j < places->count; j++) {
        list_errors(fixture, j, STEP, more);
        list_errors(fixture, j, -STEP, less);
        for (uint32_t i = 0; i < COUNT; i++)
            slopes[j][i] = (more[i] - less[i]) / (2 * STEP);
    }
    list_errors(fixture, 0, 0, more);
    for (uint32_t i = 0; i < COUNT; i++)
        squares += more[i] * more[i];
    ets_curvature(&fixture->search, fixture->numbers, curvature);
    for (uint32_t j = 0; j < places->count; j++)
        for (uint32_t k = 0; k < places->count; k++) {
            const bool is_first_state =
                j == k && (j == places->level ||
                           (j == places->trend && fixture->search.ets.form.trend != ETS_NO_TREND));
            double product = is_first_state ? 1.0 / COUNT : 0; /* the prior's */

            for (uint32_t i = 0; i < COUNT; i++)
                product += 2 * slopes[j][i] * slopes[k][i] / squares;
            CHECK(fabs(curvature[j][k] - product) < 1e-5 * (1 + fabs(product)));
        }
}

static void curvatures_are_products_of_slopes(void **state)
{
    (void)state;
    for_each_form(check_curvature);
}

/* Nothing near the end of a fit is better, and the end is within the bounds. */
static void check_fit(struct fixture *fixture)
{
    const struct fitting fitting = {.arena = &fixture->arena, .horizon = 1};
    const uint32_t count = fixture->search.places.count;
    double lower[DESCEND_NUMBERS_MAX], upper[DESCEND_NUMBERS_MAX], best;
    descend_square curvature;
    struct ets_step *room;
    struct error err;
    struct ets ets;

    ets_bounds(&fixture->search, lower, upper);
    ets_choose_start(&fixture->search, fixture->numbers);
    ets_curvature(&fixture->search, fixture->numbers, curvature);
    best =
        descend_bfgs(ets_cost, &fixture->search, count, fixture->numbers, lower, upper, curvature);
    for (uint32_t i = 0; i < count; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            const double there = fixture->numbers[i] + sign * 0.03;

            CHECK(fixture->numbers[i] >= lower[i] && fixture->numbers[i] <= upper[i]);
            if (there >= lower[i] && there <= upper[i])
                CHECK(moved_cost(fixture, i, sign * 0.03) > best - 1e-4);
        }
    CHECK_OK(ets_room_make(COUNT, &fitting, &room, &err));
    CHECK_OK(ets_fit(&fixture->search.ets.form, &fixture->series, &fitting, room, &ets, &err));
    CHECK(ets.beta <= ets.alpha && ets.gamma <= 1 - ets.alpha && ets.variance > 0);
}

static void fits_end_where_nothing_near_is_better(void **state)
{
    (void)state;
    for_each_form(check_fit);
}

/* (x - 2)^2 + 10 (y - x)^2, which is flat in neither. */
static double bowl(void *context, const double *x, double *gradient)
{
    ++*(int *)context;
    if (gradient) {
        gradient[0] = 2 * (x[0] - 2) - 20 * (x[1] - x[0]);
        gradient[1] = 20 * (x[1] - x[0]);
    }
    return (x[0] - 2) * (x[0] - 2) + 10 * (x[1] - x[0]) * (x[1] - x[0]);
}

static void find(double lower, double upper, double *x, int *values)
{
    const double lowers[] = {lower, -INFINITY}, uppers[] = {upper, INFINITY};
    descend_square curvature = {{2, 0}, {0, 2}};

    *values = 0;
    descend_bfgs(bowl, values, 2, x, lowers, uppers, curvature);
    CHECK(*values < 30);
}

static void a_minimum_lies_within_bounds_or_on_them(void **state)
{
    double within[] = {-3, 5}, on[] = {0, 0}, from[] = {4, 0};
    int values;

    (void)state;
    find(-INFINITY, INFINITY, within, &values);
    CHECK(fabs(within[0] - 2) < 0.01 && fabs(within[1] - 2) < 0.01);
    find(-1, 1, on, &values);
    CHECK(on[0] == 1 && fabs(on[1] - 1) < 0.01);
    find(3, 4, from, &values);
    CHECK(from[0] == 3 && fabs(from[1] - 3) < 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_slopes),
        cmocka_unit_test(curvatures_are_products_of_slopes),
        cmocka_unit_test(fits_end_where_nothing_near_is_better),
        cmocka_unit_test(a_minimum_lies_within_bounds_or_on_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
