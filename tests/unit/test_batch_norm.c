/* Batch normalization against PyTorch's numbers (batch_norm_reference.py). */
#include "tests/check.h"

#include <math.h>
#include <string.h>

#include "arithmetic/batch_norm.h"
#include "tests/unit/batch_norm_reference.h"

#define ROWS  REFERENCE_ROWS
#define WIDTH REFERENCE_WIDTH
#define COUNT (ROWS * WIDTH)

static const struct batch_norm op = {
    .width = WIDTH, .gamma = 0, .beta = WIDTH, .mean = 2 * WIDTH, .variance = 3 * WIDTH};

struct stage {
    float parameters[4 * WIDTH], gradient[4 * WIDTH];
    float mean[WIDTH], variance[WIDTH], inverse[WIDTH], sums[2 * WIDTH];
    struct batch_norm_room room;
    float a[COUNT], y[COUNT], delta[COUNT];
};

static void stage_init(struct stage *stage)
{
    const float parameters[] = {0.5f, -1.25f, 2, 0.25f, 0, -0.75f, 0, 0, 0, 1, 1, 1};

    memcpy(stage->parameters, parameters, sizeof parameters);
    for (int i = 0; i < 4 * WIDTH; i++)
        stage->gradient[i] = 1e9f; /* shows if it does not begin from zeros */
    stage->room =
        (struct batch_norm_room){stage->mean, stage->variance, stage->inverse, stage->sums, false};
}

static void take(const double *from, size_t count, float *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (float)from[i];
}

static void check_near(const float *found, const double *wanted, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(fabs((double)found[i] - wanted[i]) <= 2e-6 * (1 + fabs(wanted[i]))))
            check_failed("number %zu is %.9g, where %.9g belongs", i, (double)found[i], wanted[i]);
}

static void rows_are_normalized_as_by_pytorch_step_by_step(void **state)
{
    struct stage stage;
    (void)state;

    stage_init(&stage);
    for (int step = 0; step < REFERENCE_STEPS; step++) {
        take(reference_inputs + step * COUNT, COUNT, stage.a);
        take(reference_deltas + step * COUNT, COUNT, stage.delta);
        batch_norm_forward(&op, stage.parameters, ROWS, true, stage.a, &stage.room, stage.y);
        check_near(stage.y, reference_outputs + step * COUNT, COUNT);
        batch_norm_backward(&op, stage.parameters, ROWS, 1, stage.a, &stage.room, true, stage.delta,
                            stage.gradient);
        check_near(stage.delta, reference_passed + step * COUNT, COUNT);
        check_near(stage.gradient + op.gamma, reference_gammas + step * WIDTH, WIDTH);
        check_near(stage.gradient + op.beta, reference_betas + step * WIDTH, WIDTH);
        for (uint32_t j = 2 * WIDTH; j < 4 * WIDTH; j++)
            stage.parameters[j] -= 0.1f * stage.gradient[j];
        check_near(stage.parameters + op.mean, reference_means + step * WIDTH, WIDTH);
        check_near(stage.parameters + op.variance, reference_variances + step * WIDTH, WIDTH);
    }
    take(reference_inputs, COUNT, stage.a);
    batch_norm_forward(&op, stage.parameters, ROWS, false, stage.a, &stage.room, stage.y);
    check_near(stage.y, reference_evaluated, COUNT);
}

static void evaluated_rows_are_on_a_line(void **state)
{
    struct stage stage;
    (void)state;

    stage_init(&stage);
    take(reference_means, WIDTH, stage.parameters + op.mean);
    take(reference_variances, WIDTH, stage.parameters + op.variance);
    take(reference_inputs, COUNT, stage.a);
    batch_norm_forward(&op, stage.parameters, ROWS, false, stage.a, &stage.room, stage.y);
    for (uint32_t i = 0; i < COUNT; i++) {
        double scale, shift;

        batch_norm_line(&op, stage.parameters, i % WIDTH, &scale, &shift);
        assert_float_equal(stage.y[i], scale * (double)stage.a[i] + shift, 2e-6);
    }
}

/* Neither does a row change what is known of others, nor others how it is passed on. */
static void a_single_row_takes_the_running_numbers(void **state)
{
    struct stage stage;
    (void)state;

    stage_init(&stage);
    take(reference_inputs, COUNT, stage.a);
    batch_norm_forward(&op, stage.parameters, 1, true, stage.a, &stage.room, stage.y);
    for (uint32_t j = 0; j < WIDTH; j++) {
        const float inverse = 1 / sqrtf(1 + (float)BATCH_NORM_EPSILON);

        assert_float_equal(stage.y[j],
                           stage.a[j] * inverse * stage.parameters[j] + stage.parameters[WIDTH + j],
                           1e-6);
        stage.delta[j] = 1;
    }
    batch_norm_backward(&op, stage.parameters, 1, 1, stage.a, &stage.room, true, stage.delta,
                        stage.gradient);
    for (uint32_t j = 0; j < WIDTH; j++) {
        assert_float_equal(stage.delta[j], stage.parameters[j] * stage.inverse[j], 1e-6);
        assert_float_equal(stage.gradient[op.beta + j], 1, 0);
        assert_float_equal(stage.gradient[op.mean + j], 0, 0);
        assert_float_equal(stage.gradient[op.variance + j], 0, 0);
    }
}

/* Chunks add up, and their shares of the step weigh what they say of mean and variance. */
static void chunks_add_up(void **state)
{
    struct stage stage;
    float off[2][WIDTH];
    (void)state;

    stage_init(&stage);
    for (int chunk = 0; chunk < 2; chunk++) {
        take(reference_inputs + chunk * COUNT, COUNT, stage.a);
        take(reference_deltas + chunk * COUNT, COUNT, stage.delta);
        batch_norm_forward(&op, stage.parameters, ROWS, true, stage.a, &stage.room, stage.y);
        memcpy(off[chunk], stage.mean, sizeof off[chunk]);
        batch_norm_backward(&op, stage.parameters, ROWS, chunk ? 0.25 : 0.75, stage.a, &stage.room,
                            chunk == 0, stage.delta, stage.gradient);
    }
    for (uint32_t j = 0; j < WIDTH; j++) {
        assert_float_equal(stage.gradient[op.mean + j], -0.75f * off[0][j] - 0.25f * off[1][j],
                           1e-6);
        assert_float_equal(stage.gradient[op.gamma + j],
                           reference_gammas[j] + reference_gammas[WIDTH + j], 1e-5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_normalized_as_by_pytorch_step_by_step),
        cmocka_unit_test(evaluated_rows_are_on_a_line),
        cmocka_unit_test(a_single_row_takes_the_running_numbers),
        cmocka_unit_test(chunks_add_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
