/* Forecasts that add up: against the formula with matrices, and exactly. */
#include <math.h>

#include "forecast/hierarchy.h"
#include "tests/check.h"

/* total, north, north 1, north 2, south, south 1, south 2, south 3 */
#define MEMBERS 8
#define PARTS   5

static const uint32_t levels[MEMBERS] = {0, 1, 2, 2, 1, 2, 2, 2};
static const double sums[MEMBERS][PARTS] = {{1, 1, 1, 1, 1}, {1, 1, 0, 0, 0}, {1, 0, 0, 0, 0},
                                            {0, 1, 0, 0, 0}, {0, 0, 1, 1, 1}, {0, 0, 1, 0, 0},
                                            {0, 0, 0, 1, 0}, {0, 0, 0, 0, 1}};
static const double forecasts[MEMBERS] = {100, 45, 20, 22, 61, 11, 30, 17.5};
static const double deviations[MEMBERS] = {4, 3, 2, 5, 6, 1, 2.5, 0.5};

/* a (count, count) x = b, in b, by elimination with pivots. */
static void solve(double a[PARTS][PARTS], double b[PARTS])
{
    for (int k = 0; k < PARTS; k++)
        for (int i = 0; i < PARTS; i++) {
            const double factor = a[i][k] / a[k][k];

            if (i == k)
                continue;
            for (int j = 0; j < PARTS; j++)
                a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    for (int k = 0; k < PARTS; k++)
        b[k] /= a[k][k];
}

/* S (S' W^-1 S)^-1 S' W^-1 y */
static void reconcile(double values[MEMBERS])
{
    double a[PARTS][PARTS] = {{0}}, b[PARTS] = {0};

    for (int m = 0; m < MEMBERS; m++)
        for (int i = 0; i < PARTS; i++) {
            const double weighed = sums[m][i] / (deviations[m] * deviations[m]);

            b[i] += weighed * forecasts[m];
            for (int j = 0; j < PARTS; j++)
                a[i][j] += weighed * sums[m][j];
        }
    solve(a, b);
    for (int m = 0; m < MEMBERS; m++) {
        values[m] = 0;
        for (int i = 0; i < PARTS; i++)
            values[m] += sums[m][i] * b[i];
    }
}

static void weights_are_those_of_least_squares(void **state)
{
    double values[MEMBERS], wanted[MEMBERS];
    struct hierarchy hierarchy;
    struct error err;
    (void)state;

    reconcile(wanted);
    CHECK_OK(hierarchy_init(&hierarchy, levels, MEMBERS, &err));
    for (int scale = -300; scale <= 150; scale += 150) { /* no square is beyond a double */
        double scaled[MEMBERS];

        for (int i = 0; i < MEMBERS; i++) {
            values[i] = forecasts[i];
            scaled[i] = ldexp(deviations[i], scale);
        }
        hierarchy_weigh(&hierarchy, values, scaled);
        for (int i = 0; i < MEMBERS; i++)
            CHECK(fabs(values[i] - wanted[i]) < 1e-12 * fabs(wanted[i]));
    }
    hierarchy_deinit(&hierarchy);
}

static void what_is_certain_stays(void **state)
{
    static const double certain[MEMBERS] = {0, 3, 0, 0, 6, 1, 2.5, 0.5}, none[MEMBERS] = {0};
    double values[MEMBERS];
    struct hierarchy hierarchy;
    struct error err;
    (void)state;

    CHECK_OK(hierarchy_init(&hierarchy, levels, MEMBERS, &err));
    for (int i = 0; i < MEMBERS; i++)
        values[i] = forecasts[i];
    hierarchy_weigh(&hierarchy, values, certain);
    CHECK(values[0] == 100 && values[1] == 42 && values[2] == 20 && values[3] == 22);
    CHECK(fabs(values[4] - 58) < 1e-12);
    for (int i = 0; i < MEMBERS; i++)
        values[i] = forecasts[i];
    hierarchy_weigh(&hierarchy, values, none);
    CHECK(values[0] == 100.5 && values[1] == 42 && values[2] == 20 && values[7] == 17.5);
    hierarchy_deinit(&hierarchy);
}

/* In any order, as SUM in a database may add them. */
static void sums_are_exact_in_any_order(void **state)
{
    static const double parts[][PARTS] = {{0.1, 1e9 / 3, 1e-7, -1e8 / 7, 2.0 / 3},
                                          {1e300, 1, 0.1, -1e300, 3},
                                          {0, 0, 0, 0, 0},
                                          {1e-30, 2e-30, -3e-40, 1e-44, 0}};
    struct hierarchy hierarchy;
    struct error err;
    (void)state;

    CHECK_OK(hierarchy_init(&hierarchy, levels, MEMBERS, &err));
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        const int places[PARTS] = {2, 3, 5, 6, 7};
        double values[MEMBERS] = {7, 7, 0, 0, 7, 0, 0, 0}, most = 0;

        for (int i = 0; i < PARTS; i++) {
            values[places[i]] = parts[k][i];
            most = fmax(most, fabs(parts[k][i]));
        }
        hierarchy_add_up(&hierarchy, values);
        for (int first = 0; first < PARTS; first++) {
            double sum = 0;

            for (int i = 0; i < PARTS; i++)
                sum += values[places[(first + i * 2) % PARTS]];
            CHECK(sum == values[0]);
        }
        CHECK(values[2] + values[3] == values[1]);
        CHECK(values[7] + values[5] + values[6] == values[4] && values[4] + values[1] == values[0]);
        for (int i = 0; i < PARTS; i++)
            CHECK(fabs(values[places[i]] - parts[k][i]) <= fmax(most * 0x1p-48, 0x1p-149));
    }
    hierarchy_deinit(&hierarchy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_those_of_least_squares),
        cmocka_unit_test(what_is_certain_stays),
        cmocka_unit_test(sums_are_exact_in_any_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
