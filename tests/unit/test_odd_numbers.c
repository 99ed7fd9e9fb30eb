#include "runtime/data/spool/odd_numbers.h"

#include <math.h>

#include "base/random.h"
#include "tests/check.h"

#define COUNT 400

/* Ages: whole numbers from 18 to 80. */
static void fill(double *numbers)
{
    for (uint64_t i = 0; i < COUNT; i++)
        numbers[i] = 18 + floor(63 * random_uniform(1, RANDOM_INITIAL, 0, i));
}

static struct odd_numbers with(double code, uint32_t cells)
{
    double numbers[COUNT];

    fill(numbers);
    for (uint32_t i = 0; i < cells; i++)
        numbers[i * (COUNT / cells)] = code;
    return odd_numbers_of(numbers, COUNT);
}

static void a_code_is_at_an_end_and_apart(void **state)
{
    static const double codes[] = {-999, -1,    -9,         99,   999,   9999,   888,
                                   -200, 32767, 2147483647, 1e39, -99.9, 9999.99};
    (void)state;

    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        const struct odd_numbers odd = with(codes[i], 20);

        CHECK(odd.code == codes[i]);
        CHECK_INT(odd.codes, 1);
        CHECK_INT(odd.code_cells, 20);
        CHECK_INT(odd.cells, COUNT);
        CHECK_INT(odd.form, WRITTEN_NONE);
    }
}

static void numbers_that_others_are_near_are_none(void **state)
{
    static const double numbers[] = {-0.5, 0, 17, 50, 81, 100, 500, 1000, 123456};
    (void)state;

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        CHECK_INT(with(numbers[i], 20).codes, 0);
    CHECK_INT(with(-999, 2).codes, 0);
    CHECK_INT(with(-999, 4).codes, 1);
}

static void several_codes_are_told_together(void **state)
{
    double numbers[COUNT];
    struct odd_numbers odd;
    (void)state;

    fill(numbers);
    for (uint32_t i = 0; i < 40; i++)
        numbers[i * 10] = i < 5 ? 997 : i < 30 ? 998 : 999;
    odd = odd_numbers_of(numbers, COUNT);
    CHECK_INT(odd.codes, 3);
    CHECK_INT(odd.code_cells, 40);
    CHECK(odd.code == 998 && odd.nearest == 997 && odd.is_above);
    for (uint32_t i = 0; i < 40; i++)
        numbers[i * 10] = -996 - (double)(i % 4);
    CHECK_INT(odd_numbers_of(numbers, COUNT).codes, 0);
}

static void zero_is_one_where_all_others_are_far_above_it(void **state)
{
    double numbers[COUNT];
    (void)state;

    for (uint32_t i = 0; i < COUNT; i++)
        numbers[i] = i % 9 ? 950 + i % 100 : 0;
    CHECK_INT(odd_numbers_of(numbers, COUNT).codes, 1);
    CHECK(odd_numbers_of(numbers, COUNT).code == 0);
    for (uint32_t i = 0; i < COUNT; i++)
        numbers[i] = i % 3 ? 950 + i % 100 : 0;
    CHECK_INT(odd_numbers_of(numbers, COUNT).codes, 0);
}

/* -1 is a number where it ends a tail. */
static void a_tail_below_zero_has_no_code(void **state)
{
    double numbers[COUNT];
    (void)state;

    for (uint32_t i = 0; i < COUNT; i++)
        numbers[i] = (double)(i % 25) - 1;
    CHECK_INT(odd_numbers_of(numbers, COUNT).codes, 0);
    for (uint32_t i = 0; i < COUNT; i++)
        numbers[i] = i % 3 ? (double)(i % 25) : -1;
    CHECK_INT(odd_numbers_of(numbers, COUNT).codes, 1);
    for (uint32_t i = 0; i < COUNT; i++)
        numbers[i] = (double)(i % 3) - 1;
    CHECK_INT(odd_numbers_of(numbers, COUNT).codes, 0);
}

/* Half of the numbers, up to a bound, and one of them in some cells more. */
static struct odd_numbers spike(double bound, double code, uint32_t cells)
{
    double numbers[COUNT];

    for (uint32_t i = 0; i < COUNT; i++)
        numbers[i] = i < cells ? code : i * bound / COUNT;
    return odd_numbers_of(numbers, COUNT);
}

static void a_number_that_many_cells_have_at_an_end_is_a_code(void **state)
{
    (void)state;
    CHECK_INT(spike(80000, 99999, COUNT / 10).codes, 1);
    CHECK(spike(80000, 99999, COUNT / 10).code == 99999);
    CHECK_INT(spike(80000, 99999, COUNT / 50).codes, 0); /* few cells have it */
    CHECK_INT(spike(98000, 99999, COUNT / 10).codes, 0); /* the end of the others */
    CHECK_INT(spike(80000, 100000, COUNT / 10).codes, 0);
    CHECK_INT(spike(80, 88, COUNT / 10).codes, 0); /* it has two digits */
}

static struct odd_numbers dates(double first, double other)
{
    double numbers[COUNT];

    for (uint32_t i = 0; i < COUNT; i++)
        numbers[i] = i == 7 ? other : first + i % 12 * 100 + i % 28;
    return odd_numbers_of(numbers, COUNT);
}

static void dates_are_told_by_their_digits(void **state)
{
    double numbers[COUNT];
    (void)state;

    CHECK_INT(dates(20240101, 20240229).form, WRITTEN_DAY);
    CHECK(dates(20240101, 20240229).code == 20240101);
    CHECK_INT(dates(20230101, 20230229).form, WRITTEN_NONE);
    CHECK_INT(dates(20240101, 20241301).form, WRITTEN_NONE);
    CHECK_INT(dates(20240101, 20240100).form, WRITTEN_NONE);
    CHECK_INT(dates(20240101, 20240101.5).form, WRITTEN_NONE);
    CHECK_INT(dates(20240101, 202401).form, WRITTEN_NONE);
    CHECK_INT(dates(18990101, 18990101).form, WRITTEN_NONE);
    CHECK_INT(dates(19000101, 19000228).form, WRITTEN_DAY);
    CHECK_INT(dates(1706659200, 1706659999).form, WRITTEN_EPOCH);
    CHECK_INT(dates(1706659200000, 1706659209999).form, WRITTEN_EPOCH_MS);
    CHECK_INT(dates(946684799, 946685000).form, WRITTEN_NONE); /* before 2000 */
    CHECK_INT(dates(19000101, 19000229).form, WRITTEN_NONE);
    for (uint32_t i = 0; i < COUNT; i++)
        numbers[i] = 201501 + i % 9 * 100 + i % 12;
    CHECK_INT(odd_numbers_of(numbers, COUNT).form, WRITTEN_MONTH);
    for (uint32_t i = 0; i < COUNT; i++)
        numbers[i] = 20240101000000 + i % 28 * 1000000 + i % 24 * 10000 + i % 60 * 100 + 59;
    CHECK_INT(odd_numbers_of(numbers, COUNT).form, WRITTEN_SECOND);
    numbers[5] += 1;
    CHECK_INT(odd_numbers_of(numbers, COUNT).form, WRITTEN_NONE);
    for (uint32_t i = 0; i < COUNT; i++)
        numbers[i] = 20240101 + i % 9;
    CHECK_INT(odd_numbers_of(numbers, COUNT).form, WRITTEN_NONE);
}

static void dates_have_several_orders(void **state)
{
    static const struct {
        double numbers[3]; /* a month, a day, a day of the year */
        enum numbered_date form;
    } cases[] = {{{240131, 120229, 490101}, WRITTEN_SHORT},
                 {{31012024, 1022023, 28121999}, WRITTEN_DAY_FIRST},
                 {{1312024, 12012023, 12281999}, WRITTEN_MONTH_FIRST},
                 {{1012024, 12112023, 3041999}, WRITTEN_NONE},
                 {{202401312359, 202302010000, 199912281200}, WRITTEN_MINUTE},
                 {{202401312360, 202302010000, 199912281200}, WRITTEN_NONE},
                 {{240131, 120230, 490101}, WRITTEN_NONE}};
    (void)state;

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const bool is_short = cases[k].form == WRITTEN_SHORT;
        double numbers[COUNT];

        for (uint32_t i = 0; i < COUNT; i++)
            numbers[i] = cases[k].numbers[i % 3];
        CHECK_INT(odd_numbers_of(numbers, COUNT).form, WRITTEN_NONE); /* too few different ones */
        for (uint32_t i = 3; i < COUNT; i++)                          /* other years */
            numbers[i] = is_short                ? 250101 + i % 12 * 100 + i % 28
                         : numbers[i % 3] > 1e10 ? numbers[i % 3] - i % 20 * 1e8
                                                 : numbers[i % 3] - i % 20;
        CHECK_INT(odd_numbers_of(numbers, COUNT).form, cases[k].form);
    }
}

static void of_few_cells_nothing_is_said(void **state)
{
    static const double numbers[] = {-999, -999, -999, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    (void)state;

    CHECK_INT(odd_numbers_of(numbers, 0).codes, 0);
    CHECK_INT(odd_numbers_of(numbers, sizeof numbers / sizeof *numbers).codes, 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_code_is_at_an_end_and_apart),
        cmocka_unit_test(numbers_that_others_are_near_are_none),
        cmocka_unit_test(several_codes_are_told_together),
        cmocka_unit_test(a_tail_below_zero_has_no_code),
        cmocka_unit_test(a_number_that_many_cells_have_at_an_end_is_a_code),
        cmocka_unit_test(dates_are_told_by_their_digits),
        cmocka_unit_test(zero_is_one_where_all_others_are_far_above_it),
        cmocka_unit_test(dates_have_several_orders),
        cmocka_unit_test(of_few_cells_nothing_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
