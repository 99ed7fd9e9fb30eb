#include "runtime/learn/sums/symmetric_eigen.h"

#include <math.h>
#include <string.h>

#include "tests/check.h"

#define N_MAX 24

/* Products of n columns over `rows` rows. */
static void products(uint32_t n, int rows, double *matrix)
{
    memset(matrix, 0, (size_t)n * n * sizeof *matrix);
    for (int row = 0; row < rows; row++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                matrix[i * n + j] += sin(row * 0.7 + i * i) * sin(row * 0.7 + j * j) +
                                     cos(row * (i + 1.)) * cos(row * (j + 1.));
}

static double dot(uint32_t n, const double *a, const double *b)
{
    double sum = 0;

    for (uint32_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void check_eigen(uint32_t n, const double *matrix)
{
    double used[N_MAX * N_MAX], values[N_MAX], vectors[N_MAX * N_MAX];
    struct error err;

    memcpy(used, matrix, (size_t)n * n * sizeof *used);
    CHECK_OK(symmetric_eigen(n, used, values, vectors, &err));
    for (uint32_t i = 0; i < n; i++) {
        const double *vector = vectors + (size_t)i * n;
        double greatest = 0;

        CHECK(i == 0 || values[i] <= values[i - 1]);
        for (uint32_t j = 0; j < n; j++) {
            CHECK(fabs(dot(n, matrix + (size_t)j * n, vector) - values[i] * vector[j]) <
                  1e-12 * (1 + fabs(values[0])));
            CHECK(fabs(dot(n, vector, vectors + (size_t)j * n) - (i == j)) < 1e-12);
            if (fabs(vector[j]) > fabs(greatest))
                greatest = vector[j];
        }
        CHECK(greatest > 0);
    }
}

static void each_vector_is_only_scaled_by_the_matrix(void **state)
{
    static const uint32_t sizes[] = {1, 2, 3, 4, 7, N_MAX};
    double matrix[N_MAX * N_MAX];
    (void)state;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int rows = 1; rows < 40;
             rows += 13) { /* with fewer rows than columns it has no full rank */
            products(sizes[i], rows, matrix);
            check_eigen(sizes[i], matrix);
        }
}

static void what_is_diagonal_or_all_0_stays_as_it_is(void **state)
{
    const double diagonal[] = {1, 0, 0, 0, 3, 0, 0, 0, -2}, nothing[9] = {0};
    const double apart[] = {2, 0, 1, 0, 5, 0, 1, 0, 2};
    (void)state;

    check_eigen(3, diagonal);
    check_eigen(3, nothing);
    check_eigen(3, apart);
}

static void what_is_not_finite_comes_to_an_end(void **state)
{
    double matrix[9] = {1, (double)NAN, 0, (double)NAN, 1, 0, 0, 0, 1}, values[3], vectors[9];
    struct error err;
    (void)state;

    CHECK_FAILS(symmetric_eigen(3, matrix, values, vectors, &err), STATUS_FAILED, "no eigenvalues");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_vector_is_only_scaled_by_the_matrix),
        cmocka_unit_test(what_is_diagonal_or_all_0_stays_as_it_is),
        cmocka_unit_test(what_is_not_finite_comes_to_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
