#include "runtime/learn/sums/symmetric_inverse.h"

#include <math.h>
#include <string.h>

#include "tests/check.h"

#define N 5

/* Products of five columns over some rows; the fourth is the sum of the first two. */
static void products(double matrix[N * N])
{
    memset(matrix, 0, N * N * sizeof *matrix);
    for (int row = 0; row < 40; row++) {
        double x[N] = {1, row % 7, (row * row) % 11, 0, row % 3 - 1};

        x[3] = x[0] + x[1];
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                matrix[i * N + j] += x[i] * x[j];
    }
}

/* Checks that matrix times inverse is 1 in the columns that are used. */
static void check_inverse(const double *inverse, const bool *is_used)
{
    double matrix[N * N];

    products(matrix);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;

            if (!is_used[i] || !is_used[j])
                continue;
            for (int k = 0; k < N; k++)
                sum += is_used[k] ? matrix[i * N + k] * inverse[k * N + j] : 0;
            CHECK(fabs(sum - (i == j)) < 1e-10);
        }
}

static void a_column_that_follows_from_those_before_is_left_out(void **state)
{
    static const struct {
        uint32_t order[N], left_out;
    } cases[] = {{{0, 1, 2, 3, 4}, 3}, {{3, 2, 1, 0, 4}, 0}, {{4, 3, 0, 2, 1}, 1}};
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool is_used[N] = {true, true, true, true, true};
        double matrix[N * N], squares[N];

        products(matrix);
        symmetric_invert(N, cases[i].order, 1e-10, matrix, is_used, squares);
        for (uint32_t j = 0; j < N; j++)
            CHECK(is_used[j] == (j != cases[i].left_out));
        check_inverse(matrix, is_used);
    }
}

static void a_column_that_is_not_used_stays_so(void **state)
{
    static const uint32_t order[N] = {0, 1, 2, 3, 4};
    bool is_used[N] = {true, false, true, true, false};
    double matrix[N * N], squares[N];
    (void)state;

    products(matrix);
    symmetric_invert(N, order, 1e-10, matrix, is_used, squares);
    CHECK(is_used[0] && !is_used[1] && is_used[2] && is_used[3] && !is_used[4]);
    check_inverse(matrix, is_used);
}

static void a_column_of_zeros_is_left_out(void **state)
{
    static const uint32_t order[2] = {0, 1};
    bool is_used[2] = {true, true};
    double matrix[4] = {0, 0, 0, 4}, squares[2];
    (void)state;

    symmetric_invert(2, order, 1e-10, matrix, is_used, squares);
    CHECK(!is_used[0] && is_used[1]);
    CHECK(fabs(matrix[3] - 0.25) < 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_that_follows_from_those_before_is_left_out),
        cmocka_unit_test(a_column_that_is_not_used_stays_so),
        cmocka_unit_test(a_column_of_zeros_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
