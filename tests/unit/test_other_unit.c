/* Rows in another unit than the training's: which unit is found, and which rows are only drift. */
#include "scoring/statistics/other_unit.h"

#include "inputs/encoders.h"
#include "tests/check.h"

#define ROWS 1000

/* From 1 to e^5, as prices are; i below ROWS. */
static double price(uint32_t i)
{
    return exp((double)(i * 7919 % ROWS) / 200);
}

static struct input_statistics statistics_of(double (*number)(uint32_t))
{
    struct input_value values[ROWS] = {{0}};
    struct input_statistics made;
    double room[ROWS];

    for (uint32_t i = 0; i < ROWS; i++)
        values[i] = (struct input_value){.is_null = i % 10 == 3, .number = number(i)};
    input_statistics_make(true, values, ROWS, room, &made);
    return made;
}

static const struct transform_input plain = {.encoder = &number_encoder, .scale = 1};

static enum unit_verdict find(double by, double add, uint32_t rows, const struct unit **unit)
{
    const struct input_statistics then = statistics_of(price);
    struct other_unit counts;

    CHECK(other_unit_init(&plain, &then, &counts));
    for (uint32_t i = 0; i < rows; i++)
        other_unit_take(&counts, price(i) * by + add);
    return other_unit_find(&counts, unit);
}

static void units_are_found(void **state)
{
    static const struct {
        double by, add;
        char sign;
        double with;
    } cases[] = {{100, 0, '/', 100},           {.01, 0, '*', 100},   {1000, 0, '/', 1000},
                 {1e-9, 0, '*', 1e9},          {3600, 0, '/', 3600}, {1.0 / 60, 0, '*', 60},
                 {1.0 / 86400, 0, '*', 86400}, {1e5, 0, '/', 1e5},   {1024, 0, '/', 1024}};
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct unit *unit = NULL;

        CHECK_INT(find(cases[i].by, cases[i].add, ROWS, &unit), UNIT_OTHER);
        CHECK(unit->sign == cases[i].sign && unit->by == cases[i].with);
    }
}

static double degrees(uint32_t i)
{
    return (double)(i * 7919 % ROWS) / 40 - 5;
}

static double fahrenheit(uint32_t i)
{
    return degrees(i) * 1.8 + 32;
}

static double rent(uint32_t i)
{
    return 100000 + 50 * (double)(i * 7919 % ROWS);
}

static double height(uint32_t i)
{
    return 150 + (double)(i * 7919 % ROWS) / 25;
}

static enum unit_verdict find_of(double (*number)(uint32_t), double by, double add, uint32_t rows,
                                 const struct unit **unit)
{
    const struct input_statistics then = statistics_of(number);
    struct other_unit counts;

    CHECK(other_unit_init(&plain, &then, &counts));
    for (uint32_t i = 0; i < rows; i++)
        other_unit_take(&counts, number(i) * by + add);
    return other_unit_find(&counts, unit);
}

static void kelvins_and_inches_are_found(void **state)
{
    const struct unit *unit = NULL;
    (void)state;

    CHECK_INT(find_of(degrees, 1, 273.15, ROWS, &unit), UNIT_OTHER);
    CHECK(unit->sign == '-' && unit->by == 273.15);
    CHECK_INT(find_of(degrees, 1, -273.15, ROWS, &unit), UNIT_OTHER);
    CHECK(unit->sign == '+');
    CHECK_INT(find_of(height, 1 / 2.54, 0, ROWS, &unit), UNIT_OTHER);
    CHECK(unit->sign == '*' && unit->by == 2.54);
    CHECK_INT(find_of(height, 30.48, 0, ROWS, &unit), UNIT_OTHER);
    CHECK(unit->sign == '/' && unit->by == 30.48);
    CHECK_INT(find_of(height, 1 / 2.54, 0, OTHER_UNIT_NEAR_ROWS - 1, &unit),
              UNIT_SAME); /* chance? */
}

static void fahrenheit_and_celsius_are_found(void **state)
{
    const struct unit *unit = NULL;
    (void)state;

    CHECK_INT(find_of(degrees, 1.8, 32, ROWS, &unit), UNIT_OTHER);
    CHECK(unit->sign == 'C' && unit->by == 1.8);
    CHECK_INT(find_of(fahrenheit, 1 / 1.8, -32 / 1.8, ROWS, &unit), UNIT_OTHER);
    CHECK(unit->sign == 'F' && unit->by == 1.8);
    CHECK_INT(find_of(degrees, 1.8, 25, ROWS, &unit), UNIT_SAME);
    CHECK_INT(find_of(rent, 1.8, 0, ROWS, &unit), UNIT_SAME); /* growth */
}

/* Each `of`th number is multiplied. */
static enum unit_verdict find_part(uint32_t of, double by, const struct unit **unit)
{
    const struct input_statistics then = statistics_of(price);
    struct other_unit counts;

    CHECK(other_unit_init(&plain, &then, &counts));
    for (uint32_t i = 0; i < ROWS; i++)
        other_unit_take(&counts, price(i) * (i % of == 0 ? by : 1));
    return other_unit_find(&counts, unit);
}

/* Sizes of towns: few are very large. */
static double wide(uint32_t i)
{
    const double share = ((double)(i * 7919 % ROWS) + .5) / ROWS;

    return exp(1.2 * log(share / (1 - share)));
}

static void rows_that_all_moved_are_no_part(void **state)
{
    const struct input_statistics then = statistics_of(wide);
    const struct unit *unit = NULL;
    (void)state;

    for (double by = 20; by < 80; by += 10) {
        struct other_unit counts;

        CHECK(other_unit_init(&plain, &then, &counts));
        for (uint32_t i = 0; i < ROWS; i++)
            other_unit_take(&counts, wide(i) * by);
        CHECK(other_unit_find(&counts, &unit) != UNIT_PART);
    }
}

static void a_part_in_another_unit_is_found(void **state)
{
    const struct unit *unit = NULL;
    (void)state;

    CHECK_INT(find_part(3, 1000, &unit), UNIT_PART);
    CHECK(unit->sign == '/' && unit->by == 1000);
    CHECK_INT(find_part(2, 1e6, &unit), UNIT_PART);
    CHECK(unit->by == 1e6);
    CHECK_INT(find_part(20, 1000, &unit), UNIT_SAME); /* few may be far */
    CHECK_INT(find_part(3, 3e4, &unit), UNIT_SAME);   /* no unit */
}

/* Days, counted; those of the training are as many as kelvins of freezing water. */
static double day(uint32_t i)
{
    return (double)(i % 275);
}

static void what_drifts_is_no_unit(void **state)
{
    const struct unit *unit = NULL;
    (void)state;

    CHECK_INT(find_of(day, 1, 275, 275, &unit), UNIT_SAME); /* counted on */
    CHECK_INT(find_of(day, 1, -275, 275, &unit), UNIT_SAME);
    CHECK_INT(find(1, 0, ROWS, &unit), UNIT_SAME);
    CHECK_INT(find(1.5, 0, ROWS, &unit), UNIT_SAME);
    CHECK_INT(find(1, 200, ROWS, &unit), UNIT_SAME); /* all lie outside */
    CHECK_INT(find(100, 0, OTHER_UNIT_ROWS_MIN - 1, &unit), UNIT_SAME);
    CHECK_INT(find(1, 12345, ROWS, &unit), UNIT_FAR);
    CHECK_INT(find(1, -12345, ROWS, &unit), UNIT_FAR);
}

static void codes_and_infinite_numbers_do_not_count(void **state)
{
    const struct input_statistics then = statistics_of(price);
    struct transform_input coded = plain;
    struct other_unit counts;
    (void)state;

    coded.has_code = true;
    coded.code = -999;
    CHECK(other_unit_init(&coded, &then, &counts));
    other_unit_take(&counts, -999);
    other_unit_take(&counts, INFINITY);
    CHECK_INT(counts.rows, 0);
    other_unit_take(&counts, 2);
    other_unit_take(&counts, -3);
    other_unit_take(&counts, 5);
    CHECK_INT(counts.rows, 3);
    CHECK(counts.least == -3 && counts.greatest == 5);
}

static double one(uint32_t i)
{
    return i % 2;
}

static void other_inputs_are_not_looked_at(void **state)
{
    struct input_statistics then = statistics_of(price);
    struct transform_input input = plain;
    struct other_unit counts;
    (void)state;

    input.spec.offset = OFFSET_EXPOSURE;
    CHECK(!other_unit_init(&input, &then, &counts));
    input = plain;
    input.spec.label = INPUT_LABEL_NUMBER;
    CHECK(!other_unit_init(&input, &then, &counts));
    input = plain;
    input.encoder = &date_number_encoder;
    CHECK(!other_unit_init(&input, &then, &counts));
    input = plain;
    input.scale = 0;
    CHECK(!other_unit_init(&input, &then, &counts));
    then.is_number = false;
    CHECK(!other_unit_init(&plain, &then, &counts));
    then = statistics_of(one);
    CHECK(!other_unit_init(&plain, &then, &counts));
}

static void a_sample_tells_where_to_look(void **state)
{
    const struct input_statistics then = statistics_of(price);
    const double inside[] = {2, 3, 4}, outside[] = {400, 500, 600}, partly[] = {100, 900, 1000},
                 both[] = {-9, 10, 900}, below[] = {-3, -2, -1};
    struct other_unit counts;
    (void)state;

    CHECK(other_unit_init(&plain, &then, &counts));
    CHECK(!other_unit_may_be(&counts, inside, 3));
    CHECK(other_unit_may_be(&counts, outside, 3));
    CHECK(other_unit_may_be(&counts, partly, 3));
    CHECK(other_unit_may_be(&counts, both, 3));
    CHECK(other_unit_may_be(&counts, below, 3));
    CHECK(!other_unit_may_be(&counts, below, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_are_found),
        cmocka_unit_test(kelvins_and_inches_are_found),
        cmocka_unit_test(fahrenheit_and_celsius_are_found),
        cmocka_unit_test(a_part_in_another_unit_is_found),
        cmocka_unit_test(rows_that_all_moved_are_no_part),
        cmocka_unit_test(what_drifts_is_no_unit),
        cmocka_unit_test(codes_and_infinite_numbers_do_not_count),
        cmocka_unit_test(other_inputs_are_not_looked_at),
        cmocka_unit_test(a_sample_tells_where_to_look),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
