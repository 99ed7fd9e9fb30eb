/* The losses that a statement chooses: by their formulas in double, and their gradients by finite
 * differences of these. */
#include "tests/check.h"

#include <math.h>
#include <string.h>

#include "kinds/network/network_attributes.h"
#include "runtime/learn/loss_head.h"
#include "tests/unit/learn_rows.h"

#define CLASSES 4

static double log_loss_of(const double *z, size_t m, size_t label)
{
    double sum = 0;

    if (m == 1)
        return log1p(exp(label ? -z[0] : z[0]));
    for (size_t j = 0; j < m; j++)
        sum += exp(z[j]);
    return log(sum) - z[label];
}

static double smoothed(const double *z, size_t m, size_t label, double smoothing)
{
    const size_t classes = m == 1 ? 2 : m;
    double sum = (1 - smoothing) * log_loss_of(z, m, label);

    for (size_t j = 0; j < classes; j++)
        sum += smoothing / (double)classes * log_loss_of(z, m, j);
    return sum;
}

static double exact(const struct loss_head *head, const double *z, size_t label, double target)
{
    const double error = z[0] - target, delta = (double)head->delta;
    const double loss =
        head->task == TASK_CLASSIFICATION ? log_loss_of(z, head->outputs, label) : 0;

    switch (head->loss) {
    case NETWORK_ABSOLUTE_ERROR:
        return fabs(error);
    case NETWORK_HUBER:
        return fabs(error) > delta ? delta * (fabs(error) - delta / 2) : error * error / 2;
    case NETWORK_QUANTILE:
        return error > 0 ? (1 - (double)head->alpha) * error : -(double)head->alpha * error;
    case NETWORK_FOCAL:
        return pow(1 - exp(-loss), (double)head->gamma) * loss;
    case NETWORK_LOG_LOSS:
        return smoothed(z, head->outputs, label, (double)head->smoothing);
    default:
        return error * error;
    }
}

/* Of one row with the label or target. */
static void check_row(const struct loss_head *head, const float *outputs, int32_t label,
                      float target)
{
    float z[CLASSES], weight = 1;
    double near[CLASSES], sum, loss;
    struct loss_labels labels = {&target, &weight, &label, &loss};

    memcpy(z, outputs, head->outputs * sizeof *z);
    for (uint32_t j = 0; j < head->outputs; j++)
        near[j] = (double)outputs[j];
    sum = loss_head_backward(head, 1, 1, &labels, z);
    CHECK(fabs(sum - exact(head, near, (size_t)label, (double)target)) <= 2e-6 * (1 + fabs(sum)));
    for (uint32_t j = 0; j < head->outputs; j++) {
        double above, below;

        near[j] = (double)outputs[j] + 1e-5;
        above = exact(head, near, (size_t)label, (double)target);
        near[j] = (double)outputs[j] - 1e-5;
        below = exact(head, near, (size_t)label, (double)target);
        near[j] = (double)outputs[j];
        CHECK(fabs((double)z[j] - (above - below) / 2e-5) < 2e-5);
    }
}

static void losses_of_numbers_have_their_formulas_and_slopes(void **state)
{
    static const enum network_loss losses[] = {NETWORK_ABSOLUTE_ERROR, NETWORK_HUBER,
                                               NETWORK_QUANTILE};
    (void)state;

    for (size_t k = 0; k < sizeof losses / sizeof *losses; k++)
        for (int i = -40; i <= 40; i++) {
            const struct loss_head head = {TASK_REGRESSION, 1, losses[k], 0.7f, 0.9f, 0, 0, 0};
            const float z = (float)i / 8 + 0.01f;

            check_row(&head, &z, 0, 0.25f);
        }
}

static void losses_of_classes_have_their_formulas_and_slopes(void **state)
{
    static const float settings[][2] = {{0, 0.1f}, {0, 0.5f}, {0.5f, 0}, {1, 0}, {2, 0}, {5, 0}};
    (void)state;

    for (size_t s = 0; s < sizeof settings / sizeof *settings; s++)
        for (int i = -12; i <= 12; i++)
            for (uint32_t outputs = 1; outputs <= CLASSES; outputs += CLASSES - 1) {
                const float z[CLASSES] = {(float)i / 2, 0.5f, -1, (float)i / 3};
                const struct loss_head head = {TASK_CLASSIFICATION,
                                               outputs,
                                               settings[s][1] > 0 ? NETWORK_LOG_LOSS
                                                                  : NETWORK_FOCAL,
                                               0,
                                               0,
                                               settings[s][0],
                                               settings[s][1],
                                               0};

                for (int32_t label = 0; label < (outputs == 1 ? 2 : CLASSES); label++)
                    check_row(&head, z, label, (float)label);
            }
}

static void a_focal_loss_of_gamma_0_is_the_log_loss(void **state)
{
    const struct loss_head focal = {TASK_CLASSIFICATION, 1, NETWORK_FOCAL, 0, 0, 0, 0, 0};
    const struct loss_head plain = {TASK_CLASSIFICATION, 1, NETWORK_LOG_LOSS, 0, 0, 0, 0, 0};
    (void)state;

    for (int i = -400; i <= 400; i++) {
        float target = 1, weight = 1, one = (float)i / 4, other = one;
        int32_t class = 1;
        double loss;
        struct loss_labels labels = {&target, &weight, &class, &loss};

        CHECK(loss_head_backward(&focal, 1, 1, &labels, &one) ==
              loss_head_backward(&plain, 1, 1, &labels, &other));
        CHECK(one == other);
    }
}

static void a_delta_is_in_units_of_the_label(void **state)
{
    struct network_params params = {.huber_delta = 10, .loss = NETWORK_HUBER};
    const struct dataset dataset = {.label_scale = 4};
    struct loss_head head;
    struct error err;
    (void)state;

    CHECK_OK(loss_head_init(&head, &params, TASK_REGRESSION, 1, &dataset, &err));
    CHECK(head.delta == 2.5f && head.start == 0);
    params.huber_delta = REAL_AUTOMATIC;
    CHECK_OK(loss_head_init(&head, &params, TASK_REGRESSION, 1, &dataset, &err));
    CHECK(head.delta == 1.35f);
}

/* Of an odd number of labels the one in the middle. */
static void an_output_starts_at_the_best_constant(void **state)
{
    float values[5] = {3, -1, 0.5f, 9, 0};
    const struct dataset dataset = {.label_scale = 4, .sample = {.rows = 5, .values = values}};
    struct network_params params = {.loss = NETWORK_ABSOLUTE_ERROR, .quantile_level = 0.99};
    struct loss_head head;
    struct error err;
    (void)state;

    CHECK_OK(loss_head_init(&head, &params, TASK_REGRESSION, 1, &dataset, &err));
    CHECK(head.start == 0.5f);
    params.loss = NETWORK_QUANTILE;
    CHECK_OK(loss_head_init(&head, &params, TASK_REGRESSION, 1, &dataset, &err));
    CHECK(head.start == 9);
}

/* Of a job with such a loss: what is reported has the label's unit, and no RMSE is made of it. */
static void the_bits_do_not_depend_on_workers(void **state)
{
    (void)state;
    for (int loss = NETWORK_SQUARED_ERROR; network_loss_words[loss]; loss++) {
        const bool has_classes = loss >= NETWORK_LOG_LOSS;
        struct dataset dataset =
            made_dataset((struct rows_shape){150, 40, 5, 2, 12, has_classes ? 3 : 0});
        struct jobspec spec = made_spec(&dataset);
        struct descent *one, *many;
        struct text first, second;
        struct learner_report report;
        struct error err;

        network_params(&spec.params)->loss = (enum network_loss)loss;
        network_params(&spec.params)->label_smoothing = has_classes ? 0.1 : 0;
        CHECK_OK(open_descent(&spec, &dataset, NULL, &one, &err));
        CHECK_OK(open_descent(&spec, &dataset, NULL, &many, &err));
        do
            CHECK_OK(run_phase(one, 1, 0, &report, &err));
        while (!report.evaluated);
        CHECK(report.validation_loss > 0);
        CHECK(isnan(report.validation_score) ==
              (loss > NETWORK_SQUARED_ERROR && loss < NETWORK_LOG_LOSS));
        CHECK_OK(run_job(one, 1, 0, &err));
        CHECK_OK(run_job(many, 3, 2, &err));
        text_init(&first, (size_t)1 << 22);
        text_init(&second, (size_t)1 << 22);
        save_state(one, &first);
        save_state(many, &second);
        CHECK_INT(first.size, second.size);
        assert_memory_equal(first.data, second.data, first.size);
        text_deinit(&first);
        text_deinit(&second);
        descent_close(one);
        descent_close(many);
        made_dataset_close(&dataset);
    }
}

/* As a bit that is inverted in a label makes it (loss_head_take). */
static void a_class_that_is_none_touches_no_other_row(void **state)
{
    static const enum network_loss losses[] = {NETWORK_LOG_LOSS, NETWORK_FOCAL};
    (void)state;

    for (size_t k = 0; k < sizeof losses / sizeof *losses; k++)
        for (int smoothed = 0; smoothed < 2; smoothed++) {
            const struct loss_head head = {.task = TASK_CLASSIFICATION,
                                           .outputs = CLASSES,
                                           .loss = losses[k],
                                           .gamma = 2,
                                           .smoothing = smoothed ? 0.1f : 0};
            float z[1 + CLASSES] = {0.75f, 1, 2, 3, 4}, target = 0, weight = 1;
            int32_t class = -1;
            double loss;
            struct loss_labels labels = {&target, &weight, &class, &loss};

            CHECK(isfinite(loss_head_backward(&head, 1, 1, &labels, z + 1)));
            CHECK(z[0] == 0.75f);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_of_numbers_have_their_formulas_and_slopes),
        cmocka_unit_test(losses_of_classes_have_their_formulas_and_slopes),
        cmocka_unit_test(a_focal_loss_of_gamma_0_is_the_log_loss),
        cmocka_unit_test(a_delta_is_in_units_of_the_label),
        cmocka_unit_test(an_output_starts_at_the_best_constant),
        cmocka_unit_test(a_class_that_is_none_touches_no_other_row),
        cmocka_unit_test(the_bits_do_not_depend_on_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
