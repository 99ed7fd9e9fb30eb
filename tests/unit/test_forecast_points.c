#include "tests/check.h"

#include <math.h>

#include "forecast/points.h"

static struct cell text_cell(const char *text)
{
    return (struct cell){.type = CELL_TEXT, .text = slice_of(text)};
}

static struct cell integer_cell(int64_t integer)
{
    return (struct cell){.type = CELL_INTEGER, .integer = integer};
}

static struct cell real_cell(double real)
{
    return (struct cell){.type = CELL_REAL, .real = real};
}

static const struct cell null_cell = {.type = CELL_NULL};

struct row {
    const char *time;
    double value;
};

/* The JSON of rows, in this order or backwards; its error where there is one. */
static enum status run(const struct row *rows, uint32_t count, bool is_backwards,
                       const char *options, struct text *json, struct error *err)
{
    const struct cell given = options ? text_cell(options) : null_cell, horizon = integer_cell(2);
    enum status status = STATUS_OK;
    struct points points;
    bool has_any;

    points_init(&points, ARENA_MAXIMUM);
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
        const struct row *row = &rows[is_backwards ? count - 1 - i : i];
        const struct cell time = text_cell(row->time), value = real_cell(row->value);

        status = points_add(&points, &time, &value, &horizon, &given, err);
    }
    if (status == STATUS_OK)
        status = points_forecast(&points, NULL, NULL, json, &has_any, err);
    points_deinit(&points);
    return status;
}

#define CHECK_JSON(rows, options, expected)                                                        \
    do {                                                                                           \
        for (int backwards = 0; backwards < 2; backwards++) {                                      \
            struct text json;                                                                      \
            text_init(&json, 10000);                                                               \
            CHECK_OK(run(rows, sizeof(rows) / sizeof *(rows), backwards, options, &json, &err));   \
            CHECK_SLICE(text_slice(&json), expected);                                              \
            text_deinit(&json);                                                                    \
        }                                                                                          \
    } while (0)

#define CHECK_REFUSED(rows, options, part)                                                         \
    do {                                                                                           \
        struct text json;                                                                          \
        text_init(&json, 10000);                                                                   \
        CHECK_FAILS(run(rows, sizeof(rows) / sizeof *(rows), false, options, &json, &err),         \
                    STATUS_INVALID, part);                                                         \
        text_deinit(&json);                                                                        \
    } while (0)

static void times_come_back_as_they_came(void **state)
{
    static const struct row months[] = {{"2024-01", 5}, {"2024-02", 5}};
    static const struct row days[] = {{"2024-02-28", 5}, {"2024-02-29", 5}};
    static const struct row hours[] = {{"2024-02-28 22:00", 5}, {"2024-02-28T23:00:00Z", 5}};
    struct error err;

    (void)state;
    CHECK_JSON(months, NULL,
               "[{\"time\":\"2024-03\",\"value\":5,\"lower\":5,\"upper\":5},"
               "{\"time\":\"2024-04\",\"value\":5,\"lower\":5,\"upper\":5}]");
    CHECK_JSON(days, "naive",
               "[{\"time\":\"2024-03-01\",\"value\":5,\"lower\":5,\"upper\":5},"
               "{\"time\":\"2024-03-02\",\"value\":5,\"lower\":5,\"upper\":5}]");
    CHECK_JSON(hours, "{}",
               "[{\"time\":\"2024-02-29 00:00:00\",\"value\":5,\"lower\":5,\"upper\":5},"
               "{\"time\":\"2024-02-29 01:00:00\",\"value\":5,\"lower\":5,\"upper\":5}]");
}

static void values_of_one_time_are_refused_or_united(void **state)
{
    static const struct row rows[] = {
        {"2024-01-01", 1}, {"2024-01-02", 2}, {"2024-01-02", 4}, {"2024-01-02", 6}};
    struct error err;

    (void)state;
    CHECK_REFUSED(rows, NULL, "two values have the time 2024-01-02");
    CHECK_JSON(rows, "{\"method\": \"naive\", \"duplicates\": \"sum\", \"level\": 0.5}",
               "[{\"time\":\"2024-01-03\",\"value\":12,\"lower\":4.5806127478431025,"
               "\"upper\":19.4193872521569},{\"time\":\"2024-01-04\",\"value\":12,"
               "\"lower\":1.507401923501666,\"upper\":22.492598076498332}]");
    CHECK_JSON(rows,
               "{\"method\": \"seasonalnaive\", \"duplicates\": \"mean\", \"season\": 1, "
               "\"level\": 0.5}",
               "[{\"time\":\"2024-01-03\",\"value\":4,\"lower\":1.9765307494117552,"
               "\"upper\":6.023469250588245},{\"time\":\"2024-01-04\",\"value\":4,"
               "\"lower\":1.1383823427731818,\"upper\":6.861617657226818}]");
}

static void bad_rows_are_refused(void **state)
{
    static const struct row word[] = {{"tomorrow", 1}}, infinite[] = {{"2024-01-01", INFINITY}};
    static const struct row uneven[] = {
        {"2024-01-01 00:00:00", 1}, {"2024-01-02 00:00:07", 1}, {"2024-02-02 00:00:00", 1}};
    static const struct row last[] = {{"9999-12-30", 1}, {"9999-12-31", 1}};
    struct error err;

    (void)state;
    CHECK_REFUSED(word, NULL, "'tomorrow' is no date");
    CHECK_REFUSED(infinite, NULL, "infinite");
    CHECK_REFUSED(uneven, NULL, "no even step is found");
    CHECK_REFUSED(last, NULL, "beyond the year 9999");
}

static void bad_options_are_refused(void **state)
{
    static const struct row rows[] = {{"2024-01-01", 1}, {"2024-01-02", 2}};
    static const struct {
        const char *options, *text;
    } cases[] = {
        {"arimax", "no method \"arimax\""},
        {"{\"method\": 3}", "\"method\" is a text"},
        {"{\"methd\": \"ets\"}", "no option \"methd\""},
        {"{\"level\": 1}", "\"level\" is a number from 0.5 to 0.999"},
        {"{\"season\": 0}", "\"season\" is a whole number"},
        {"{\"season\": 1.5}", "\"season\" is a whole number"},
        {"{\"season\": []}", "\"season\" has 1 to 8"},
        {"{\"season\": [2,3,4,5,6,7,8,9,10]}", "\"season\" has 1 to 8"},
        {"{\"duplicates\": \"first\"}", "\"duplicates\" is"},
        {"{\"season\": ", "no object of JSON"},
        {"{\"method\": \"arima\", \"order\": 1}", "\"order\" is a list of three whole numbers"},
        {"{\"method\": \"arima\", \"order\": [1, 1]}", "from 0 to 12, 2 and 12"},
        {"{\"method\": \"arima\", \"order\": [1, 3, 1]}", "\"order\" is a list"},
        {"{\"method\": \"arima\", \"order\": [-1, 1, 1]}", "\"order\" is a list"},
        {"{\"method\": \"arima\", \"order\": [1, 0.5, 1]}", "\"order\" is a list"},
        {"{\"method\": \"arima\", \"order\": [1, \"1\", 1]}", "\"order\" is a list"},
        {"{\"method\": \"arima\", \"order\": [1, 1, 1], \"seasonal_order\": [4, 0, 0]}",
         "\"seasonal_order\" is a list of three whole numbers from 0 to 3, 2 and 3"},
        {"{\"method\": \"arima\", \"seasonal_order\": [0, 1, 1]}", "need \"order\""},
        {"{\"method\": \"arima\", \"constant\": true}", "need \"order\""},
        {"{\"method\": \"arima\", \"order\": [1, 1, 1], \"constant\": 1}", "is true or false"},
        {"{\"method\": \"arima\", \"order\": [1, 2, 1], \"constant\": true}", "that bends"},
        {"{\"method\": \"arima\", \"order\": [1, 1, 1], \"seasonal_order\": [0, 1, 1], "
         "\"season\": 1}",
         "\"seasonal_order\" needs a season"},
        {"{\"method\": \"mstl\", \"seasons\": [1]}", "the method mstl needs a season"},
        {"{\"seasons\": [1.5]}", "\"season\" is a whole number"},
        {"{\"order\": [1, 1, 1]}", "belong to the method arima"},
        {"{\"order\": [1, 1, 1], \"method\": \"auto_arima\"}", "belong to the method arima"},
    };
    struct error err;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_REFUSED(rows, cases[i].options, cases[i].text);
}

static void settings_are_the_same_in_all_rows(void **state)
{
    const struct cell time = integer_cell(1), value = real_cell(2), two = integer_cell(2),
                      three = integer_cell(3), zero = integer_cell(0), theta = text_cell("theta"),
                      date = text_cell("2024-01-01"), half = real_cell(0.5);
    struct points points;
    struct error err;

    (void)state;
    points_init(&points, ARENA_MAXIMUM);
    CHECK_FAILS(points_add(&points, &time, &value, &zero, &null_cell, &err), STATUS_INVALID,
                "the horizon is a whole number from 1 to 10000");
    CHECK_FAILS(points_add(&points, &time, &value, &null_cell, &null_cell, &err), STATUS_INVALID,
                "the horizon");
    CHECK_OK(points_add(&points, &time, &value, &two, &null_cell, &err));
    CHECK_FAILS(points_add(&points, &time, &value, &three, &null_cell, &err), STATUS_INVALID,
                "the same in all rows");
    CHECK_FAILS(points_add(&points, &time, &value, &two, &theta, &err), STATUS_INVALID,
                "the same in all rows");
    CHECK_FAILS(points_add(&points, &date, &value, &two, &null_cell, &err), STATUS_INVALID,
                "some times are numbers");
    CHECK_FAILS(points_add(&points, &half, &value, &two, &null_cell, &err), STATUS_INVALID,
                "the time 0.5 is no whole number");
    CHECK_FAILS(points_add(&points, &null_cell, &value, &two, &null_cell, &err), STATUS_INVALID,
                "a time is NULL");
    CHECK_FAILS(points_add(&points, &time, &theta, &two, &null_cell, &err), STATUS_INVALID,
                "'theta' is a text");
    points_deinit(&points);
}

static void nothing_is_forecast_of_no_values(void **state)
{
    static const struct row rows[] = {{"2024-01-01", NAN}, {"2024-01-02", NAN}};
    struct error err;
    struct text json;

    (void)state;
    text_init(&json, 100);
    CHECK_OK(run(rows, 2, false, NULL, &json, &err));
    CHECK_OK(run(rows, 0, false, NULL, &json, &err));
    CHECK_INT(json.size, 0);
    text_deinit(&json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_come_back_as_they_came),
        cmocka_unit_test(values_of_one_time_are_refused_or_united),
        cmocka_unit_test(bad_rows_are_refused),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(settings_are_the_same_in_all_rows),
        cmocka_unit_test(nothing_is_forecast_of_no_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
