/* The losses that a statement chooses: beside those of Keras and scikit-learn; by their formulas in
 * double, and their gradients by finite differences of these. */
#include "tests/check.h"

#include <math.h>
#include <string.h>

#include "kinds/network/network_attributes.h"
#include "runtime/learn/layers/loss_head.h"
#include "runtime/learn/networks/start.h"
#include "tests/unit/learn_rows.h"
#include "tests/unit/loss_reference.h"

#define CLASSES 4

/* ---- numbers of others ---- */

static enum network_loss loss_of(const char *word)
{
    unsigned loss = 0;

    CHECK(term_find(network_loss_words, slice_of(word), &loss));
    return (enum network_loss)loss;
}

/* With the setting for whichever of them the loss has. */
static struct loss_head reference_head(const char *word, double setting, uint32_t outputs)
{
    const enum network_loss loss = loss_of(word);
    const bool is_log_loss = loss == NETWORK_LOG_LOSS;
    const bool has_classes = is_log_loss || loss == NETWORK_FOCAL || loss == NETWORK_HINGE ||
                             loss == NETWORK_SQUARED_HINGE;

    return (struct loss_head){.task = has_classes ? TASK_CLASSIFICATION : TASK_REGRESSION,
                              .outputs = outputs,
                              .loss = loss,
                              .delta = (float)setting,
                              .alpha = (float)setting,
                              .gamma = (float)setting,
                              .smoothing = is_log_loss ? (float)setting : 0,
                              .power = setting,
                              .unit = setting};
}

static void check_reference(size_t row, const char *what, double found, double right)
{
    if (!(fabs(found - right) <= 2e-6 * (1 + fabs(right))))
        check_failed("%s, row %zu of loss_reference.h: %s %.9g, not %.9g", loss_reference[row].word,
                     row, what, found, right);
}

static void every_loss_is_that_of_keras_or_scikit_learn(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof loss_reference / sizeof *loss_reference; i++) {
        const struct loss_head head = reference_head(
            loss_reference[i].word, loss_reference[i].setting, loss_reference[i].outputs);
        float z[REFERENCE_OUTPUTS], target = (float)loss_reference[i].target, weight = 1;
        int32_t class = (int32_t)loss_reference[i].target;
        double loss;
        struct loss_labels labels = {&target, &weight, &class, &loss};

        for (uint32_t j = 0; j < head.outputs; j++)
            z[j] = (float)loss_reference[i].z[j];
        loss = loss_head_backward(&head, 1, 1, &labels, z);
        check_reference(i, "the loss is", loss, loss_reference[i].loss);
        for (uint32_t j = 0; j < head.outputs; j++)
            check_reference(i, "a slope is", (double)z[j], loss_reference[i].slopes[j]);
    }
}

/* A loss that is added needs its numbers. */
static void every_loss_has_reference_numbers(void **state)
{
    bool is_there[32] = {false};
    (void)state;

    for (size_t i = 0; i < sizeof loss_reference / sizeof *loss_reference; i++)
        is_there[loss_of(loss_reference[i].word)] = true;
    for (int loss = NETWORK_LOSS_AUTOMATIC + 1; network_loss_words[loss]; loss++)
        if (!is_there[loss])
            check_failed("no numbers for %s: add it to loss_reference.py",
                         network_loss_words[loss]);
}

/* ---- formulas ---- */

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
    const double low = 2 - head->power, high = 1 - head->power, margin = label ? z[0] : -z[0];
    const double loss =
        head->task == TASK_CLASSIFICATION ? log_loss_of(z, head->outputs, label) : 0;

    switch (head->loss) {
    case NETWORK_ABSOLUTE_ERROR:
        return fabs(error);
    case NETWORK_HUBER:
        return fabs(error) > delta ? delta * (fabs(error) - delta / 2) : error * error / 2;
    case NETWORK_LOG_COSH:
        return log(cosh(head->unit * error)) / fmin(head->unit, head->unit * head->unit);
    case NETWORK_QUANTILE:
        return error > 0 ? (1 - (double)head->alpha) * error : -(double)head->alpha * error;
    case NETWORK_POISSON:
        return 2 * (target > 0 ? target * log(target) - target * (z[0] + 1) : 0) + 2 * exp(z[0]);
    case NETWORK_GAMMA:
        return 2 * (z[0] - log(target) + target * exp(-z[0]) - 1);
    case NETWORK_TWEEDIE:
        return 2 * (pow(target, low) / (high * low) - target * exp(high * z[0]) / high +
                    exp(low * z[0]) / low);
    case NETWORK_HINGE:
        return fmax(0, 1 - margin);
    case NETWORK_SQUARED_HINGE:
        return pow(fmax(0, 1 - margin), 2);
    case NETWORK_FOCAL:
        return pow(1 - exp(-loss), (double)head->gamma) * loss;
    case NETWORK_LOG_LOSS:
        return smoothed(z, head->outputs, label, (double)head->smoothing);
    default:
        return error * error;
    }
}

/* The share of the slope: a half for losses that are halves of deviances. */
static double slope_share(const struct loss_head *head)
{
    return head->loss >= NETWORK_POISSON && head->loss <= NETWORK_TWEEDIE ? 0.5 : 1;
}

/* Checks one row with the label or target. */
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
        CHECK(fabs((double)z[j] - slope_share(head) * (above - below) / 2e-5) <
              2e-5 + 1e-6 * fabs((double)z[j]));
    }
}

static void losses_of_numbers_have_their_formulas_and_slopes(void **state)
{
    static const enum network_loss losses[] = {NETWORK_ABSOLUTE_ERROR, NETWORK_HUBER,
                                               NETWORK_QUANTILE, NETWORK_LOG_COSH};
    (void)state;

    for (size_t k = 0; k < sizeof losses / sizeof *losses; k++)
        for (int i = -40; i <= 40; i++) {
            const struct loss_head head = {.task = TASK_REGRESSION,
                                           .outputs = 1,
                                           .loss = losses[k],
                                           .delta = 0.7f,
                                           .alpha = 0.9f,
                                           .unit = 7};
            const float z = (float)i / 8 + 0.01f;
            struct loss_head small = head;

            small.unit = 0.2;
            check_row(&head, &z, 0, 0.25f);
            check_row(&small, &z, 0, 0.25f);
        }
}

static void losses_of_logarithms_have_their_formulas_and_slopes(void **state)
{
    static const double powers[] = {1.001, 1.3, 1.5, 1.999};
    (void)state;

    for (int loss = NETWORK_POISSON; loss <= NETWORK_TWEEDIE; loss++)
        for (size_t k = 0; k < sizeof powers / sizeof *powers; k++)
            for (int i = -24; i <= 24; i++) {
                const struct loss_head head = {.task = TASK_REGRESSION,
                                               .outputs = 1,
                                               .loss = (enum network_loss)loss,
                                               .power = powers[k]};
                const float z = (float)i / 8;

                check_row(&head, &z, 0, 0.25f);
                check_row(&head, &z, 0, 7);
                if (loss != NETWORK_GAMMA)
                    check_row(&head, &z, 0, 0);
            }
}

/* A label of 0 in single precision is one that is too small for it. */
static void the_least_loss_of_a_logarithm_is_at_the_label(void **state)
{
    (void)state;
    for (int loss = NETWORK_POISSON; loss <= NETWORK_TWEEDIE; loss++) {
        const struct loss_head head = {
            .task = TASK_REGRESSION, .outputs = 1, .loss = (enum network_loss)loss, .power = 1.5};
        float z = 0, target = 1, weight = 1;
        int32_t class = 0;
        double row;
        struct loss_labels labels = {&target, &weight, &class, &row};

        CHECK(loss_head_backward(&head, 1, 1, &labels, &z) == 0 && z == 0);
        z = -400;
        CHECK(isfinite(loss_head_backward(&head, 1, 1, &labels, &z)) || loss == NETWORK_GAMMA);
        z = NAN;
        CHECK(isnan(loss_head_backward(&head, 1, 1, &labels, &z)));
        z = 0;
        target = 0;
        CHECK(isfinite(loss_head_backward(&head, 1, 1, &labels, &z)));
    }
}

static void hinge_losses_have_their_formulas_and_slopes(void **state)
{
    (void)state;
    for (int loss = NETWORK_HINGE; loss <= NETWORK_SQUARED_HINGE; loss++)
        for (int i = -24; i <= 24; i++) {
            const struct loss_head head = {
                .task = TASK_CLASSIFICATION, .outputs = 1, .loss = (enum network_loss)loss};
            const float z = (float)i / 8 + 0.01f;
            float missing = NAN, target = 1, weight = 1;
            int32_t class = 1;
            double row;
            struct loss_labels labels = {&target, &weight, &class, &row};

            check_row(&head, &z, 0, 0);
            check_row(&head, &z, 1, 1);
            CHECK(isnan(loss_head_backward(&head, 1, 1, &labels, &missing)));
        }
}

/* Held-out rows of both are judged by the hinge loss; a class that training did not see costs as
 * much as by the log loss. */
static void margins_are_judged_by_the_hinge_loss(void **state)
{
    (void)state;
    for (int loss = NETWORK_HINGE; loss <= NETWORK_SQUARED_HINGE; loss++) {
        const struct loss_head head = {
            .task = TASK_CLASSIFICATION, .outputs = 1, .loss = (enum network_loss)loss};
        float z[] = {2, -0.5f, -60, 3}, targets[] = {1, 1, 1, 0}, weights[] = {1, 1, 1, 1};
        int32_t classes[] = {1, 1, 1, -1};
        double losses[4], sum = 0;
        struct loss_labels labels = {targets, weights, classes, losses};

        CHECK_INT(loss_head_evaluate(&head, 4, &labels, z, &sum), 1);
        CHECK(fabs(sum - (0 + 1.5 + 61 + LOSS_ROW_MOST)) < 1e-9);
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
                const struct loss_head head = {.task = TASK_CLASSIFICATION,
                                               .outputs = outputs,
                                               .loss = settings[s][1] > 0 ? NETWORK_LOG_LOSS
                                                                          : NETWORK_FOCAL,
                                               .gamma = settings[s][0],
                                               .smoothing = settings[s][1]};

                for (int32_t label = 0; label < (outputs == 1 ? 2 : CLASSES); label++)
                    check_row(&head, z, label, (float)label);
            }
}

static void a_focal_loss_of_gamma_0_is_the_log_loss(void **state)
{
    const struct loss_head focal = {
        .task = TASK_CLASSIFICATION, .outputs = 1, .loss = NETWORK_FOCAL};
    const struct loss_head plain = {
        .task = TASK_CLASSIFICATION, .outputs = 1, .loss = NETWORK_LOG_LOSS};
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
    struct jobspec spec = {.task = TASK_REGRESSION};
    const struct dataset dataset = {.label_scale = 4};
    struct loss_head head;
    struct error err;
    (void)state;

    network_params(&spec.params)->loss = NETWORK_HUBER;
    network_params(&spec.params)->huber_delta = 10;
    CHECK_OK(loss_head_init(&head, &spec, 1, &dataset, &err));
    CHECK(head.delta == 2.5f && head.start == 0);
    network_params(&spec.params)->huber_delta = REAL_AUTOMATIC;
    CHECK_OK(loss_head_init(&head, &spec, 1, &dataset, &err));
    CHECK(head.delta == 1.35f);
}

/* The middle one of an odd number of labels. */
static void an_output_starts_at_the_best_constant(void **state)
{
    float values[5] = {3, -1, 0.5f, 9, 0};
    const struct dataset dataset = {.label_scale = 4, .sample = {.rows = 5, .values = values}};
    struct jobspec spec = {.task = TASK_REGRESSION};
    struct loss_head head;
    struct error err;
    (void)state;

    network_params(&spec.params)->loss = NETWORK_ABSOLUTE_ERROR;
    network_params(&spec.params)->quantile_level = 0.99;
    CHECK_OK(loss_head_init(&head, &spec, 1, &dataset, &err));
    CHECK(head.start == 0.5f);
    network_params(&spec.params)->loss = NETWORK_QUANTILE;
    CHECK_OK(loss_head_init(&head, &spec, 1, &dataset, &err));
    CHECK(head.start == 9);
}

/* The constant of the least squared hinge loss: the difference of the classes' shares. */
static void a_margin_starts_between_the_classes(void **state)
{
    uint64_t counts[] = {30, 10};
    float weights[] = {1, 1}, bias;
    struct dataset dataset = {
        .labels = {.count = 2}, .class_counts = counts, .class_weights = weights};
    const struct loss_head head = {
        .task = TASK_CLASSIFICATION, .outputs = 1, .loss = NETWORK_SQUARED_HINGE};
    (void)state;

    start_outputs(&head, &dataset, &bias);
    CHECK(bias == -0.5f);
    weights[1] = 3;
    start_outputs(&head, &dataset, &bias);
    CHECK(bias == 0);
}

static void labels_that_a_loss_is_not_of_are_refused(void **state)
{
    static const struct {
        enum network_loss loss;
        double least, greatest;
        const char *message;
    } cases[] = {
        {NETWORK_POISSON, -3, 9, "label column \"y\" has the number -3, and the loss poisson"},
        {NETWORK_TWEEDIE, -1e-9, 9,
         "has the number -1e-09, and the loss tweedie learns numbers fr"},
        {NETWORK_GAMMA, 0, 9, "has the number 0, and the loss gamma learns numbers above 0"},
        {NETWORK_POISSON, 0, 0, "no label of column \"y\" is above 0"},
    };
    struct loss_head head;
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int in_validation = 0; in_validation < 2; in_validation++) {
            struct spool_column_summary fine = {0, 1, 2},
                                        bad = {0, cases[i].least, cases[i].greatest};
            const struct dataset dataset = {.label_scale = 1,
                                            .spool.summaries = in_validation ? &fine : &bad,
                                            .validation_spool.summaries =
                                                in_validation ? &bad : &fine};
            struct jobspec spec = {
                .task = TASK_REGRESSION, .label = SLICE("y"), .has_validation = in_validation};

            network_params(&spec.params)->loss = cases[i].loss;
            if (in_validation && cases[i].least == cases[i].greatest)
                CHECK_OK(loss_head_init(&head, &spec, 1, &dataset, &err));
            else
                CHECK_FAILS(loss_head_init(&head, &spec, 1, &dataset, &err), STATUS_INVALID,
                            cases[i].message);
        }
    {
        struct jobspec spec = {.task = TASK_CLASSIFICATION, .label = SLICE("y")};
        const struct dataset dataset = {.label_scale = 1};

        network_params(&spec.params)->loss = NETWORK_HINGE;
        CHECK_OK(loss_head_init(&head, &spec, 1, &dataset, &err));
        CHECK_FAILS(loss_head_init(&head, &spec, 3, &dataset, &err), STATUS_INVALID,
                    "the loss hinge needs two classes, and label column \"y\" has 3");
    }
}

/* The labels of all rows: they have a logarithm then. */
static void make_positive(struct dataset *dataset)
{
    show_rows(dataset);
    for (uint32_t i = 0; i < dataset->train.rows; i++)
        dataset->train.values[i] = expf(dataset->train.values[i]);
    for (uint32_t i = 0; i < dataset->validation.rows; i++)
        dataset->validation.values[i] = expf(dataset->validation.values[i]);
    hide_rows(dataset);
}

/* A deviance of Tweedie's is in units of the label to the power 2 - v. */
static void a_loss_is_reported_in_units_of_the_label(void **state)
{
    static const struct {
        enum network_loss loss;
        double power;
    } cases[] = {{NETWORK_SQUARED_ERROR, 2}, {NETWORK_ABSOLUTE_ERROR, 1}, {NETWORK_HUBER, 2},
                 {NETWORK_POISSON, 1},       {NETWORK_GAMMA, 0},          {NETWORK_TWEEDIE, 0.75}};
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct loss_head head = {
            .task = TASK_REGRESSION, .loss = cases[i].loss, .power = 1.25};

        CHECK(loss_head_unit(&head).power == cases[i].power);
        CHECK(loss_head_unit(&head).is_square == (i == 0));
        CHECK(loss_head_unit(&head).is_of_means == (i != 1));
    }
}

/* The reported loss of such a job has the label's unit, and no RMSE is made of it. */
static void the_bits_do_not_depend_on_workers(void **state)
{
    (void)state;
    for (int loss = NETWORK_SQUARED_ERROR; network_loss_words[loss]; loss++) {
        const bool has_margins = loss >= NETWORK_HINGE;
        const bool has_classes = loss == NETWORK_LOG_LOSS || loss == NETWORK_FOCAL || has_margins;
        struct spool_column_summary summaries[20] = {[0 ... 19] = {0, 1, 2}};
        struct dataset dataset = made_dataset((struct rows_shape){150, 40, 5, 2, 12,
                                                                  has_margins   ? 2
                                                                  : has_classes ? 3
                                                                                : 0});
        struct jobspec spec = made_spec(&dataset);
        struct descent *one, *many;
        struct text first, second;
        struct learner_report report;
        struct error err;

        if (loss >= NETWORK_POISSON && loss <= NETWORK_TWEEDIE)
            make_positive(&dataset);
        dataset.spool.summaries = dataset.validation_spool.summaries = summaries;
        network_params(&spec.params)->loss = (enum network_loss)loss;
        network_params(&spec.params)->tweedie_power = 1.5;
        network_params(&spec.params)->label_smoothing = has_classes ? 0.1 : 0;
        CHECK_OK(open_descent(&spec, &dataset, NULL, &one, &err));
        CHECK_OK(open_descent(&spec, &dataset, NULL, &many, &err));
        do
            CHECK_OK(run_phase(one, 1, 0, &report, &err));
        while (!report.evaluated);
        CHECK(report.validation_loss > 0);
        CHECK(isnan(report.validation_score) == (loss != NETWORK_SQUARED_ERROR && !has_classes));
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
        learner_close(&one->learner);
        learner_close(&many->learner);
        made_dataset_close(&dataset);
    }
}

/* An inverted bit in a label makes it a class that is none (loss_head_take). */
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
        cmocka_unit_test(every_loss_is_that_of_keras_or_scikit_learn),
        cmocka_unit_test(every_loss_has_reference_numbers),
        cmocka_unit_test(losses_of_numbers_have_their_formulas_and_slopes),
        cmocka_unit_test(losses_of_logarithms_have_their_formulas_and_slopes),
        cmocka_unit_test(the_least_loss_of_a_logarithm_is_at_the_label),
        cmocka_unit_test(hinge_losses_have_their_formulas_and_slopes),
        cmocka_unit_test(margins_are_judged_by_the_hinge_loss),
        cmocka_unit_test(losses_of_classes_have_their_formulas_and_slopes),
        cmocka_unit_test(a_focal_loss_of_gamma_0_is_the_log_loss),
        cmocka_unit_test(a_delta_is_in_units_of_the_label),
        cmocka_unit_test(an_output_starts_at_the_best_constant),
        cmocka_unit_test(a_margin_starts_between_the_classes),
        cmocka_unit_test(labels_that_a_loss_is_not_of_are_refused),
        cmocka_unit_test(a_class_that_is_none_touches_no_other_row),
        cmocka_unit_test(a_loss_is_reported_in_units_of_the_label),
        cmocka_unit_test(the_bits_do_not_depend_on_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
