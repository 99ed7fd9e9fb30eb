/* Holidays: how many days of one are in a step, and how they are written and read. */
#include "kinds/forecast/holidays.h"
#include "tests/check.h"

#define DAY DAY_MICROSECONDS

/* 2024-01-01 is a Monday, and day 19723. */
#define MONDAY 19723

static const int32_t days[] = {MONDAY, MONDAY + 5, MONDAY + 6, MONDAY + 31};
static const struct holiday feast = {SLICE("feast"), 4, days};

static void a_step_has_the_days_that_it_spans(void **state)
{
    const struct steps hours = {STEP_MICROSECOND, DAY / 24, MONDAY * DAY};
    const struct steps daily = {STEP_MICROSECOND, DAY, MONDAY * DAY + DAY / 2};
    const struct steps weeks = {STEP_MICROSECOND, 7 * DAY, MONDAY * DAY};
    const struct steps months = {STEP_MONTH, 1, MONDAY * DAY};
    const struct steps ends = {STEP_MONTH_END, 1, (MONDAY + 30) * DAY};
    const struct steps weekdays = {STEP_WEEKDAY, 1, MONDAY * DAY};
    (void)state;

    CHECK(holiday_days(&feast, &hours, 0) == 1 && holiday_days(&feast, &hours, 23) == 1);
    CHECK(holiday_days(&feast, &hours, 24) == 0 && holiday_days(&feast, &hours, -1) == 0);
    CHECK(holiday_days(&feast, &daily, 0) == 1 && holiday_days(&feast, &daily, 4) == 0);
    CHECK(holiday_days(&feast, &daily, 5) == 1 && holiday_days(&feast, &daily, 31) == 1);
    CHECK(holiday_days(&feast, &weeks, 0) == 3 && holiday_days(&feast, &weeks, 1) == 0);
    CHECK(holiday_days(&feast, &months, 0) == 3 && holiday_days(&feast, &months, 1) == 1);
    CHECK(holiday_days(&feast, &ends, 0) == 3 && holiday_days(&feast, &ends, 1) == 1);
    CHECK(holiday_days(&feast, &ends, -1) == 0);
    /* No step of weekdays has a Saturday: Friday is step 4, and Monday step 5. */
    CHECK(holiday_days(&feast, &weekdays, 0) == 1 && holiday_days(&feast, &weekdays, 4) == 0);
    CHECK(holiday_days(&feast, &weekdays, 5) == 0 && holiday_days(&feast, &weekdays, 23) == 1);
}

static void days_before_1970_are_days(void **state)
{
    static const int32_t old[] = {-2, -1};
    const struct holiday holiday = {SLICE("old"), 2, old};
    const struct steps hours = {STEP_MICROSECOND, DAY / 24, -2 * DAY};
    (void)state;

    CHECK(holiday_days(&holiday, &hours, 0) == 1 && holiday_days(&holiday, &hours, 47) == 1);
    CHECK(holiday_days(&holiday, &hours, 48) == 0 && holiday_days(&holiday, &hours, -1) == 0);
}

/* The last day is MONDAY + 31, the 1st of February. */
static void holidays_reach_steps_to_come(void **state)
{
    const struct steps hours = {STEP_MICROSECOND, DAY / 24, MONDAY * DAY};
    const struct steps daily = {STEP_MICROSECOND, DAY, MONDAY * DAY};
    const struct steps months = {STEP_MONTH, 1, MONDAY * DAY};
    const struct steps ends = {STEP_MONTH_END, 1, (MONDAY + 30) * DAY};
    const struct holidays all = {1, &feast};
    (void)state;

    CHECK(holidays_reach(&all, &hours, 31 * 24 + 23) && !holidays_reach(&all, &hours, 32 * 24));
    CHECK(holidays_reach(&all, &daily, 31) && !holidays_reach(&all, &daily, 32));
    CHECK(holidays_reach(&all, &months, 1) && !holidays_reach(&all, &months, 2));
    CHECK(holidays_reach(&all, &ends, 1) && !holidays_reach(&all, &ends, 2));
}

static enum status read_text(const char *text, struct arena *arena, struct holidays *holidays,
                             struct error *err)
{
    enum status status;
    cJSON *json;

    CHECK(json_parse(slice_of(text), JSON_BYTES_MAX, &json, err) == STATUS_OK);
    status = holidays_read(json, "holidays", arena, holidays, err);
    cJSON_Delete(json);
    return status;
}

static void holidays_come_back(void **state)
{
    static const int32_t other_days[] = {-7, 3, 20000};
    const struct holiday items[] = {feast, {SLICE("other \"one\""), 3, other_days}};
    const struct holidays written = {2, items};
    struct holidays read, less = {1, items};
    struct holiday moved[] = {feast, items[1]};
    cJSON *json = cJSON_CreateObject();
    struct arena arena;
    struct error err;
    struct text text;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    holidays_write(&written, json, "holidays");
    text_init(&text, TEXT_MAXIMUM);
    CHECK_OK(json_print(json, false, &text, &err));
    CHECK_OK(read_text(text_string(&text), &arena, &read, &err));
    text_deinit(&text);
    CHECK(holidays_equal(&written, &read));
    CHECK(holiday_hash(&read.items[1]) == holiday_hash(&items[1]));
    CHECK(holiday_hash(&items[0]) != holiday_hash(&items[1]));
    CHECK(!holidays_equal(&written, &less) && !holidays_same_names(&written, &less));
    moved[1].count = 2;
    CHECK(!holidays_equal(&written, &(struct holidays){2, moved}));
    CHECK(holidays_same_names(&written, &(struct holidays){2, moved}));
    CHECK(holiday_hash(&moved[1]) != holiday_hash(&items[1]));
    moved[1] = (struct holiday){SLICE("other"), 3, other_days};
    CHECK(!holidays_same_names(&written, &(struct holidays){2, moved}));
    cJSON_Delete(json);
    arena_deinit(&arena);
}

static void others_are_damage(void **state)
{
    static const char *const wrong[] = {
        "{\"holidays\": []}",
        "{\"holidays\": [1]}",
        "{\"holidays\": [{\"name\": \"a\"}]}",
        "{\"holidays\": [{\"name\": \"\", \"days\": [1]}]}",
        "{\"holidays\": [{\"name\": \"a\", \"days\": []}]}",
        "{\"holidays\": [{\"name\": \"a\", \"days\": [1, 1]}]}",
        "{\"holidays\": [{\"name\": \"a\", \"days\": [1.5]}]}",
        "{\"holidays\": [{\"name\": \"a\", \"days\": [\"1\"]}]}",
        "{\"holidays\": [{\"name\": \"a\", \"days\": [2932897]}]}",
        "{\"holidays\": [{\"name\": \"a\", \"days\": [1], \"more\": 1}]}",
        "{\"holidays\": [{\"name\": \"b\", \"days\": [1]}, {\"name\": \"a\", \"days\": [1]}]}",
        "{\"holidays\": [{\"name\": \"a\", \"days\": [1]}, {\"name\": \"a\", \"days\": [2]}]}",
    };
    struct holidays holidays;
    struct arena arena;
    struct error err;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_FAILS(read_text(wrong[i], &arena, &holidays, &err), STATUS_CORRUPT, "");
    CHECK_OK(read_text("{\"holidays\": [{\"name\": \"a\", \"days\": [1, 2]}]}", &arena, &holidays,
                       &err));
    arena_deinit(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_has_the_days_that_it_spans),
        cmocka_unit_test(days_before_1970_are_days),
        cmocka_unit_test(holidays_reach_steps_to_come),
        cmocka_unit_test(holidays_come_back),
        cmocka_unit_test(others_are_damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
