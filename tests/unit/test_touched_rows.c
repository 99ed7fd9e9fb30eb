#include "tests/check.h"

#include "arithmetic/touched_rows.h"

static void a_row_is_listed_once_and_forgotten_when_all_are(void **state)
{
    struct touched_rows touched = {.rows = NULL};
    struct error err;
    (void)state;

    CHECK_OK(touched_rows_make(&touched, 10, &err));
    CHECK_INT(touched_rows_add(&touched, 7), 0);
    CHECK_INT(touched_rows_add(&touched, 2), 1);
    CHECK_INT(touched_rows_add(&touched, 7), 0);
    CHECK(touched.count == 2 && touched.rows[0] == 7 && touched.rows[1] == 2);
    CHECK(touched_rows_has(&touched, 7) && touched_rows_has(&touched, 2) &&
          !touched_rows_has(&touched, 3));
    touched_rows_clear(&touched);
    CHECK_INT(touched.count, 0);
    CHECK(!touched_rows_has(&touched, 7) && !touched_rows_has(&touched, 2));
    touched_rows_deinit(&touched);
}

static void a_list_that_is_made_again_is_empty_and_of_that_size(void **state)
{
    struct touched_rows touched = {.rows = NULL};
    struct error err;
    (void)state;

    CHECK_OK(touched_rows_make(&touched, 3, &err));
    touched_rows_add(&touched, 1);
    CHECK_OK(touched_rows_make(&touched, 3, &err));
    CHECK(touched.count == 0 && !touched_rows_has(&touched, 1));
    touched_rows_add(&touched, 1);
    CHECK_OK(touched_rows_make(&touched, 300, &err));
    CHECK(touched.count == 0 && !touched_rows_has(&touched, 1) && !touched_rows_has(&touched, 299));
    touched_rows_deinit(&touched);
}

static void sorted_rows_are_counted_below_any_row(void **state)
{
    const uint32_t rows[] = {40, 3, 17, 0, 99};
    struct touched_rows touched = {.rows = NULL};
    struct error err;
    (void)state;

    CHECK_OK(touched_rows_make(&touched, 100, &err));
    touched_rows_sort(&touched);
    CHECK_INT(touched_rows_below(&touched, 50), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        touched_rows_add(&touched, rows[i]);
    touched_rows_sort(&touched);
    for (uint32_t row = 0; row <= 100; row++) {
        uint32_t below = 0;

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            below += rows[i] < row;
        CHECK_INT(touched_rows_below(&touched, row), below);
    }
    for (uint32_t i = 0; i < touched.count; i++) { /* places stay */
        CHECK(touched.rows[i] == rows[i] && touched_rows_place(&touched, rows[i]) == i);
        CHECK(i == 0 || touched.ascending[i - 1] < touched.ascending[i]);
    }
    touched_rows_deinit(&touched);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_is_listed_once_and_forgotten_when_all_are),
        cmocka_unit_test(a_list_that_is_made_again_is_empty_and_of_that_size),
        cmocka_unit_test(sorted_rows_are_counted_below_any_row),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
