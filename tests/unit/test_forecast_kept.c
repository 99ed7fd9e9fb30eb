#include "tests/check.h"

#include <math.h>

#include "base/random.h"
#include "forecast/arima/auto_arima.h"
#include "forecast/regressors.h"
#include "forecast/smoothing/auto_ets.h"

#define HORIZON_HERE 12
#define OLD          72
#define NEW          5
#define ROOM         600

static double noise(uint64_t i)
{
    return random_uniform(11, RANDOM_SIMULATION, i, 0) - 0.5;
}

/* From .5 to 1, with a trend and a season: of the scale that fits have. */
static void make(double *values, uint32_t count, uint32_t season)
{
    for (uint32_t i = 0; i < count; i++)
        values[i] = 0.6 + 0.0005 * i + 0.08 * ((i % season) / (double)season) + 0.05 * noise(i);
}

struct outcome {
    double values[HORIZON_HERE], deviations[HORIZON_HERE];
};

/* The forecast of the values, of which `kept` is written or read. */
static enum status run(const char *method, const double *values, uint32_t count, uint32_t season,
                       struct kept *kept, struct outcome *outcome, struct error *err)
{
    struct forecast_options options = {
        .horizon = HORIZON_HERE, .level = 0.9, .season_is_given = true, .kept = kept};
    double own[OLD + NEW];
    struct forecast forecast;
    struct arena arena;
    enum status status;

    forecast_add_season(&options, season);
    memcpy(own, values, count * sizeof *own);
    TRY(forecast_method(slice_of(method), &options.method, err));
    arena_init(&arena, ARENA_MAXIMUM);
    status = forecast_run(own, count, &options, &arena, &forecast, err);
    if (status == STATUS_OK && !(kept && kept->is_spoiled)) {
        memcpy(outcome->values, forecast.values, sizeof outcome->values);
        memcpy(outcome->deviations, forecast.deviations, sizeof outcome->deviations);
    }
    arena_deinit(&arena);
    return status;
}

static struct kept to_read(const struct kept *written)
{
    return (struct kept){.numbers = written->numbers, .room = written->count, .is_read = true};
}

/* Old and new: the same values give the same forecast, and more values another one. */
static void check_method(const char *method, uint32_t season, bool is_searched)
{
    double values[OLD + NEW], numbers[ROOM];
    struct kept written = {.numbers = numbers, .room = ROOM}, read;
    struct outcome fitted, again, moved;
    const struct method *found;
    struct error err;

    make(values, OLD + NEW, season);
    CHECK_OK(run(method, values, OLD, season, &written, &fitted, &err));
    CHECK_OK(forecast_method(slice_of(method), &found, &err));
    CHECK(!written.is_spoiled && written.count <= FORECAST_KEPT + found->kept);
    CHECK((written.count > FORECAST_KEPT) == is_searched);
    read = to_read(&written);
    CHECK_OK(run(method, values, OLD, season, &read, &again, &err));
    CHECK(!read.is_spoiled && read.count == written.count);
    CHECK(memcmp(&fitted, &again, sizeof fitted) == 0);
    read = to_read(&written);
    CHECK_OK(run(method, values, OLD + NEW, season, &read, &moved, &err));
    CHECK(!read.is_spoiled && memcmp(&fitted, &moved, sizeof fitted) != 0);
    for (int h = 0; h < HORIZON_HERE; h++)
        CHECK(fabs(moved.values[h] - 0.7) < 0.25);
}

static void what_was_kept_gives_the_same_forecast(void **state)
{
    static const char *const searched[] = {
        "forecast",       "autoets",      "ets",
        "autoarima",      "arima",        "theta",
        "optimizedtheta", "dynamictheta", "dynamicoptimizedtheta",
        "mstl",           "stlarima"};

    (void)state;
    for (size_t i = 0; i < sizeof searched / sizeof *searched; i++) {
        check_method(searched[i], 6, true);
        check_method(searched[i], 30, true); /* too long for states */
    }
    check_method("seasonalnaive", 6, false);
    check_method("naive", 6, false);
    check_method("croston", 6, false);
}

/* The parameters of the old values, and states that the new ones move on: of fits whose values grow
 * behind their backs. */
static void check_states(const char *name, const struct method *method)
{
    double values[OLD + NEW], numbers[ROOM], expected[HORIZON_HERE];
    const struct series old = {values, OLD, 6}, all = {values, OLD + NEW, 6};
    struct kept written = {.numbers = numbers, .room = ROOM}, read;
    struct arena arena;
    const struct fitting fitting = {
        .arena = &arena, .horizon = HORIZON_HERE + NEW, .kept = &written};
    struct outcome moved;
    struct error err;
    void *fitted;

    make(values, OLD + NEW, 6);
    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(run(name, values, OLD, 6, &written, &moved, &err));
    read = to_read(&written);
    CHECK_OK(run(name, values, OLD + NEW, 6, &read, &moved, &err));
    written.count = 0;
    CHECK_OK(method->fit(&old, &fitting, &fitted, &err));
    method->project(fitted, &all, OLD + NEW, HORIZON_HERE, expected, NULL);
    for (int h = 0; h < HORIZON_HERE; h++)
        CHECK(expected[h] == moved.values[h]);
    arena_deinit(&arena);
}

static void states_are_moved_on_by_the_new_values(void **state)
{
    (void)state;
    check_states("autoets", &auto_ets_method);
    check_states("ets", &ets_method);
    check_states("autoarima", &auto_arima_method);
    check_states("arima", &arima_method);
}

/* Written of the values, and read by those that `change` makes of them. */
static void check_spoiled(const char *method, void (*change)(double *values))
{
    double values[OLD + NEW], numbers[ROOM];
    struct kept written = {.numbers = numbers, .room = ROOM}, read;
    struct outcome outcome;
    struct error err;

    make(values, OLD + NEW, 6);
    CHECK_OK(run(method, values, OLD, 6, &written, &outcome, &err));
    read = to_read(&written);
    change(values);
    CHECK_OK(run(method, values, OLD + NEW, 6, &read, &outcome, &err));
    CHECK(read.is_spoiled);
}

static void end_in_zero(double *values)
{
    values[OLD] = 0;
}

static void grow_far(double *values)
{
    values[OLD] = 1e6;
}

static void are_the_same(double *values)
{
    for (int i = 0; i < OLD + NEW; i++)
        values[i] = 0.5;
}

static void values_that_do_not_go_with_it_spoil_a_list(void **state)
{
    double constant[OLD + NEW], numbers[ROOM];
    struct kept written = {.numbers = numbers, .room = ROOM}, read;
    struct outcome outcome;
    struct error err;
    (void)state;

    check_spoiled("autoets", end_in_zero); /* relative errors are of values above 0 */
    check_spoiled("theta", grow_far);
    are_the_same(constant);
    CHECK_OK(run("theta", constant, OLD, 6, &written, &outcome, &err));
    read = to_read(&written);
    CHECK_OK(run("theta", constant, OLD + NEW, 6, &read, &outcome, &err));
    CHECK(!read.is_spoiled && outcome.values[0] == constant[0]);
    constant[OLD] = 0.7;
    read = to_read(&written);
    CHECK_OK(run("theta", constant, OLD + NEW, 6, &read, &outcome, &err));
    CHECK(read.is_spoiled);
}

/* A list that nobody wrote, whatever it holds, is no harm. */
static void lists_of_any_numbers_end(void **state)
{
    static const char *const methods[] = {"forecast", "autoets", "autoarima",
                                          "theta",    "mstl",    "stlarima"};
    static const double odd[] = {0, 1, 2, 5, 17, 48000, 1e300, -1, 0.5, NAN, INFINITY};
    double values[OLD], numbers[ROOM];
    (void)state;

    make(values, OLD, 6);
    for (uint64_t turn = 0; turn < 400; turn++) {
        struct kept read = {
            .numbers = numbers, .room = (uint32_t)(turn * 7 % ROOM), .is_read = true};
        struct outcome outcome;
        struct error err;

        for (uint32_t i = 0; i < ROOM; i++)
            numbers[i] =
                odd[random_bits(turn, RANDOM_SIMULATION, i, 0) % (sizeof odd / sizeof *odd)];
        numbers[0] = numbers[1] = 0;
        numbers[2] = turn % 2 ? 6 : 30;
        run(methods[turn % 6], values, OLD, 6, &read, &outcome, &err); /* or INVALID */
    }
}

static void a_list_without_room_is_spoiled(void **state)
{
    double values[OLD], numbers[8];
    struct kept written = {.numbers = numbers, .room = 8};
    struct outcome outcome;
    struct error err;
    (void)state;

    make(values, OLD, 6);
    CHECK_OK(run("autoets", values, OLD, 6, &written, &outcome, &err));
    CHECK(written.is_spoiled);
}

static void coefficients_are_kept(void **state)
{
    const struct forecast_options plain = {.horizon = HORIZON_HERE, .level = 0.9};
    struct forecast_options options = plain;
    double values[OLD + NEW], own[OLD + NEW], columns[OLD + NEW], numbers[ROOM];
    double coefficients[2];
    struct kept written = {.numbers = numbers, .room = ROOM}, read;
    struct forecast first, second;
    struct arena arena;
    struct error err;
    (void)state;

    make(values, OLD + NEW, 6);
    for (int i = 0; i < OLD + NEW; i++) {
        columns[i] = i % 5 == 2;
        values[i] = 100 * values[i] + 7 * columns[i];
    }
    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(forecast_method(SLICE("autoets"), &options.method, &err));
    options.kept = &written;
    memcpy(own, values, sizeof own);
    CHECK_OK(regressors_run(own, OLD, &(struct regressors){columns, 1}, &options, &arena, &first,
                            &coefficients[0], &err));
    read = to_read(&written);
    options.kept = &read;
    memcpy(own, values, sizeof own);
    CHECK_OK(regressors_run(own, OLD, &(struct regressors){columns, 1}, &options, &arena, &second,
                            &coefficients[1], &err));
    CHECK(!read.is_spoiled && coefficients[0] == coefficients[1] && coefficients[0] > 5);
    CHECK(memcmp(first.values, second.values, HORIZON_HERE * sizeof(double)) == 0);
    arena_deinit(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_kept_gives_the_same_forecast),
        cmocka_unit_test(states_are_moved_on_by_the_new_values),
        cmocka_unit_test(values_that_do_not_go_with_it_spoil_a_list),
        cmocka_unit_test(lists_of_any_numbers_end),
        cmocka_unit_test(a_list_without_room_is_spoiled),
        cmocka_unit_test(coefficients_are_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
