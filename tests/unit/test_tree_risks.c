#include "runtime/learn/trees/objective/tree_risks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tests/check.h"

#define ROWS 60

struct rows {
    float y[ROWS], z[ROWS], gradients[ROWS], hessians[ROWS];
    uint32_t count;
};

static struct tree_risks taken(const struct rows *rows, const struct rows *held_out)
{
    struct tree_risks risks;
    struct error err;
    int64_t *sums;
    size_t length;

    CHECK_OK(tree_risks_init(&risks, rows->y, rows->count, &err));
    length = (size_t)risks.count * TREE_RISK_INTEGERS;
    sums = calloc(2 * length, sizeof *sums);
    CHECK(sums != NULL);
    /* by two parties */
    tree_risks_count(&risks, rows->count / 2, rows->y, rows->z, sums);
    tree_risks_count(&risks, rows->count - rows->count / 2, rows->y + rows->count / 2,
                     rows->z + rows->count / 2, sums);
    tree_risks_count(&risks, held_out->count, held_out->y, held_out->z, sums + length);
    tree_risks_take(&risks, sums, sums + length);
    free(sums);
    return risks;
}

static void derive(struct rows *rows)
{
    struct tree_risks risks = taken(rows, rows);

    tree_risks_derive(&risks, rows->count, rows->y, rows->z, rows->gradients, rows->hessians);
    tree_risks_deinit(&risks);
}

static double loss_of(const struct rows *rows, bool are_held_out)
{
    struct tree_risks risks = taken(rows, rows);
    double losses[ROWS], sum = 0;
    uint32_t events, expected = 0;

    events = tree_risks_losses(&risks, are_held_out, rows->count, rows->y, rows->z, losses);
    for (uint32_t i = 0; i < rows->count; i++) {
        sum += losses[i];
        expected += rows->y[i] > 0;
    }
    CHECK_INT(events, expected);
    tree_risks_deinit(&risks);
    return sum;
}

/* Breslow's partial likelihood, by the C library. */
static double partial_likelihood(const struct rows *rows)
{
    double sum = 0;

    for (uint32_t i = 0; i < rows->count; i++) {
        double at_risk = 0;

        for (uint32_t j = 0; j < rows->count; j++)
            if (fabsf(rows->y[j]) >= fabsf(rows->y[i]))
                at_risk += exp((double)rows->z[j]);
        sum += rows->y[i] > 0 ? log(at_risk) - (double)rows->z[i] : 0;
    }
    return sum;
}

static struct rows drawn(uint64_t seed, uint32_t times)
{
    struct rows rows = {.count = ROWS};

    for (uint32_t i = 0; i < ROWS; i++) {
        const double time = 1 + floor(times * random_uniform(seed, RANDOM_SIMULATION, i, 0));

        rows.y[i] = (float)(random_uniform(seed, RANDOM_SIMULATION, i, 1) < .4 ? -time : time);
        rows.z[i] = (float)(4 * random_uniform(seed, RANDOM_SIMULATION, i, 2) - 2);
    }
    return rows;
}

/* XGBoost 3.2: leaves of rows each by itself, lambda 0, eta 1: -g / h, and h. */
static void derivatives_are_those_of_xgboost(void **state)
{
    static const double gradients[] = {-0.43465334, 0.089536511, -0.4204144,
                                       0.462866865, 1.25820211,  -0.955537489},
                        hessians[] = {0.453358114, 0.0815197229, 0.410759747,
                                      0.387798369, 0.703519285,  0.0424856022};
    struct rows rows = {.y = {3, -1, 2, 5, -4, .5f}, .z = {.2f, -.3f, .8f, 0, 1, -1}, .count = 6};
    (void)state;

    derive(&rows);
    for (uint32_t i = 0; i < rows.count; i++) {
        CHECK(fabs((double)rows.gradients[i] - gradients[i]) < 1e-6);
        CHECK(fabs((double)rows.hessians[i] - hessians[i]) < 1e-6);
    }
    CHECK(fabs(loss_of(&rows, false) / 4 - 1.41991245) < 1e-6);
}

/* With ties, too. */
static void derivatives_follow_the_partial_likelihood(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 6; seed++) {
        struct rows rows = drawn(seed, seed % 2 ? 8 : 100000);

        derive(&rows);
        CHECK(fabs(loss_of(&rows, false) - partial_likelihood(&rows)) < 1e-4);
        CHECK(loss_of(&rows, true) == loss_of(&rows, false));
        for (uint32_t i = 0; i < ROWS; i++) {
            struct rows below = rows, above = rows;
            const float step = 1.f / 64;
            double first, second;

            below.z[i] -= step;
            above.z[i] += step;
            first = (partial_likelihood(&above) - partial_likelihood(&below)) / (2 * (double)step);
            second = (partial_likelihood(&above) - 2 * partial_likelihood(&rows) +
                      partial_likelihood(&below)) /
                     ((double)step * (double)step);
            CHECK(fabs((double)rows.gradients[i] - first) < 1e-3);
            CHECK(fabs((double)rows.hessians[i] - second) < 1e-3);
        }
    }
}

/* Rows that no sample has told of lie between the times that there are, or after the last. */
static void times_of_other_rows_count_as_the_next_one(void **state)
{
    struct rows rows = {.y = {1, 2, -3}, .z = {0, 0, 0}, .count = 3};
    struct rows others = {.y = {1.5f, -9, .5f}, .z = {0, 1, 2}, .count = 3};
    struct tree_risks risks = taken(&rows, &others);
    double losses[3];
    (void)state;

    CHECK_INT(risks.count, 3);
    CHECK_INT(tree_risks_losses(&risks, true, 3, others.y, others.z, losses), 2);
    CHECK(fabs(losses[0] - log(1 + exp(1))) < 1e-9 && losses[1] == 0);
    CHECK(fabs(losses[2] - (log(1 + exp(1) + exp(2)) - 2)) < 1e-9);
    tree_risks_deinit(&risks);
}

static void far_outputs_have_finite_derivatives(void **state)
{
    struct rows rows = {.y = {1, 2, 3, -4}, .z = {-3e38f, 3e38f, 1e4f, -1e4f}, .count = 4};
    (void)state;

    derive(&rows);
    for (uint32_t i = 0; i < rows.count; i++) {
        CHECK(isfinite(rows.gradients[i]) && fabsf(rows.gradients[i]) <= 4);
        CHECK(rows.hessians[i] >= 0 && rows.hessians[i] <= 4);
    }
    CHECK(isfinite(loss_of(&rows, false)) && loss_of(&rows, false) <= 3. * RISK_LOSS_MOST);
}

static void no_rows_have_one_time(void **state)
{
    struct tree_risks risks;
    struct error err;
    (void)state;

    CHECK_OK(tree_risks_init(&risks, NULL, 0, &err));
    CHECK_INT(risks.count, 1);
    tree_risks_deinit(&risks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_those_of_xgboost),
        cmocka_unit_test(derivatives_follow_the_partial_likelihood),
        cmocka_unit_test(times_of_other_rows_count_as_the_next_one),
        cmocka_unit_test(far_outputs_have_finite_derivatives),
        cmocka_unit_test(no_rows_have_one_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
