#include "tests/check.h"

#include <math.h>
#include <string.h>

#include "arithmetic/kernels.h"
#include "base/random.h"
#include "tests/unit/activation_reference.h"

static float draw(uint64_t a, uint64_t b)
{
    return (float)(2 * random_uniform(1, RANDOM_SIMULATION, a, b) - 1);
}

/* Relative error against the C library in double, over many magnitudes. */
static double worst_error(enum activation activation, double (*exact)(double))
{
    double worst = 0;

    for (int i = 0; i < 20000; i++) {
        float x = ldexpf(draw(9, i), i % 32 - 25), y = x;
        double right = exact((double)x);

        activation_forward(activation, &y, 1);
        worst = fmax(worst, fabs((double)y - right) / fmax(fabs(right), 1e-30));
    }
    return worst;
}

static double exact_sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double exact_elu(double x)
{
    return x > 0 ? x : expm1(x);
}

static double exact_selu(double x)
{
    return 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * expm1(x));
}

static double exact_gelu(double x)
{
    return x * erfc(-x * sqrt(0.5)) / 2;
}

static double exact_swish(double x)
{
    return x / (1 + exp(-x));
}

static double exact_softplus(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

static double exact_softsign(double x)
{
    return x / (1 + fabs(x));
}

static void activations_are_exact_to_a_few_units_of_the_last_place(void **state)
{
    (void)state;
    CHECK(worst_error(ACTIVATION_TANH, tanh) < 3e-7);
    CHECK(worst_error(ACTIVATION_SIGMOID, exact_sigmoid) < 3e-7);
    CHECK(worst_error(ACTIVATION_ELU, exact_elu) < 5e-7);
    CHECK(worst_error(ACTIVATION_SELU, exact_selu) < 5e-7);
    CHECK(worst_error(ACTIVATION_SWISH, exact_swish) < 3e-7);
    CHECK(worst_error(ACTIVATION_SOFTPLUS, exact_softplus) < 3e-7);
    CHECK(worst_error(ACTIVATION_SOFTSIGN, exact_softsign) < 2e-7);
}

/* Below -3 a gelu is less than 0.005, and the last digits are missing. */
static void gelus_are_exact_where_they_are_seen(void **state)
{
    (void)state;
    for (int i = -9000; i <= 20000; i++) {
        float x = (float)i / 1000, y = x;
        const double right = exact_gelu((double)x);

        activation_forward(ACTIVATION_GELU, &y, 1);
        CHECK(fabs((double)y - right) <= 5e-7 * fabs(right) + (x < -1 ? 3e-8 : 0));
    }
    for (int i = 0; i < 200; i++) {
        float y = -(float)i * 0x1p20f;

        activation_forward(ACTIVATION_GELU, &y, 1);
        CHECK(y <= 0 && y > -1e-6f);
    }
}

static const double *keras_values(const char *word)
{
    const size_t count = sizeof activation_reference / sizeof *activation_reference;

    for (size_t i = 0; i < count; i++)
        if (strcmp(activation_reference[i].word, word) == 0)
            return activation_reference[i].values;
    check_failed("no numbers of Keras for %s: add it to activation_reference.py", word);
    return NULL;
}

/* An activation that is added needs its numbers. */
static void every_activation_is_that_of_keras(void **state)
{
    (void)state;
    for (int activation = 0; activation_words[activation]; activation++) {
        const double *right = keras_values(activation_words[activation]);

        for (size_t i = 0; i < sizeof activation_inputs / sizeof *activation_inputs; i++) {
            float y = activation_inputs[i];

            activation_forward((enum activation)activation, &y, 1);
            CHECK(fabs((double)y - right[i]) <= 1e-6 * fabs(right[i]) + 3e-8);
        }
    }
}

static void what_is_not_a_number_stays_so(void **state)
{
    (void)state;
    for (int activation = 0; activation_words[activation]; activation++) {
        float a[3] = {NAN, 1, NAN};

        activation_forward((enum activation)activation, a, 3);
        CHECK(isnan(a[0]) && !isnan(a[1]) && isnan(a[2]));
    }
}

static void vectors_and_single_elements_agree_to_the_bit(void **state)
{
    (void)state;
    for (int activation = 0; activation_words[activation]; activation++) {
        float all[67], one;

        for (int i = 0; i < 67; i++)
            all[i] = 8 * draw(4, i);
        activation_forward((enum activation)activation, all, 67);
        for (int i = 0; i < 67; i++) {
            one = 8 * draw(4, i);
            activation_forward((enum activation)activation, &one, 1);
            assert_memory_equal(&one, &all[i], sizeof one);
        }
    }
}

static void logistic_loss_is_right_at_both_ends(void **state)
{
    const double z[] = {0, 1, -1, 20, -20, 90, -90, 1e-4, 400};

    (void)state;
    for (size_t i = 0; i < sizeof z / sizeof *z; i++) {
        for (int label = 0; label < 2; label++) {
            float logit = (float)z[i], target = (float)label;
            double loss, sign = label ? -1 : 1;
            double exact = fmax(0, sign * z[i]) + log1p(exp(-fabs(z[i])));

            loss_logistic(1, &target, &logit, &loss);
            CHECK(fabs(loss - exact) <= 1e-6 * exact + 1e-37);
            CHECK(fabs(logit - (1 / (1 + exp(-z[i])) - label)) < 1e-7);
        }
    }
}

static void softmax_loss_and_gradient_follow_their_definition(void **state)
{
    (void)state;
    for (int m = 2; m < 40; m += 3) {
        float z[40];
        double exact[40] = {0}, sum = 0, loss;
        int32_t label = m / 2;

        for (int j = 0; j < m; j++)
            exact[j] = z[j] = 6 * draw(5, 100 * m + j);
        for (int j = 0; j < m; j++)
            sum += exp(exact[j]);
        loss_softmax(1, m, &label, z, &loss);
        CHECK(fabs(loss - (log(sum) - exact[label])) < 2e-6);
        for (int j = 0; j < m; j++)
            CHECK(fabs(z[j] - (exp(exact[j]) / sum - (j == label))) < 1e-6);
    }
}

static void softmax_of_huge_logits_is_finite(void **state)
{
    float z[3] = {3e38f, -3e38f, 0};
    const int32_t label = 0;
    double loss;

    (void)state;
    loss_softmax(1, 3, &label, z, &loss);
    CHECK(loss == 0 && fabsf(z[0]) < 1e-6f && fabsf(z[1]) < 1e-30f);
}

static void the_greatest_error_still_has_a_loss(void **state)
{
    float z = 2e38f;
    const float target = -1e38f;
    double loss;

    (void)state;
    loss_squares(1, &target, &z, &loss);
    CHECK(isfinite(loss) && loss > 8e76);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(activations_are_exact_to_a_few_units_of_the_last_place),
        cmocka_unit_test(gelus_are_exact_where_they_are_seen),
        cmocka_unit_test(every_activation_is_that_of_keras),
        cmocka_unit_test(what_is_not_a_number_stays_so),
        cmocka_unit_test(vectors_and_single_elements_agree_to_the_bit),
        cmocka_unit_test(logistic_loss_is_right_at_both_ends),
        cmocka_unit_test(softmax_loss_and_gradient_follow_their_definition),
        cmocka_unit_test(softmax_of_huge_logits_is_finite),
        cmocka_unit_test(the_greatest_error_still_has_a_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
