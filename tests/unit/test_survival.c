#include "scoring/metrics/survival.h"

#include <math.h>

#include "tests/check.h"

/* Leaves that XGBoost 3.2 makes of one row, lambda 0, eta 1, a scale of 1.2: -g / h, and h. */
static const struct {
    float lower, upper;
    enum survival_noise noise;
    float output;
    double gradient, hessian;
} reference[] = {
    {2, 2, NOISE_NORMAL, -2, -1.87024086, 0.694444418},
    {2, 2, NOISE_NORMAL, 0.7f, 0.00475889358, 0.694444418},
    {2, 2, NOISE_NORMAL, 3, 1.60198106, 0.694444418},
    {2, 2, NOISE_LOGISTIC, -2, -0.673594635, 0.120357327},
    {2, 2, NOISE_LOGISTIC, 0.7f, 0.00237944048, 0.347219378},
    {2, 2, NOISE_LOGISTIC, 3, 0.620672121, 0.15460524},
    {2, 2, NOISE_EXTREME, -2, -7.02808952, 6.55118561},
    {2, 2, NOISE_EXTREME, 0.7f, 0.00474533128, 0.690489948},
    {2, 2, NOISE_EXTREME, 3, 0.711450939, 0.101568639},
    {2, INFINITY, NOISE_NORMAL, -2, -2.15938922, 0.624383509},
    {2, INFINITY, NOISE_NORMAL, 0.7f, -0.661877152, 0.441231132},
    {2, INFINITY, NOISE_NORMAL, 3, -0.0538598948, 0.0891834125},
    {2, INFINITY, NOISE_LOGISTIC, -2, -0.753463985, 0.0601786636},
    {2, INFINITY, NOISE_LOGISTIC, 0.7f, -0.415476899, 0.173609689},
    {2, INFINITY, NOISE_LOGISTIC, 3, -0.10633058, 0.0773026198},
    {2, INFINITY, NOISE_EXTREME, -2, -7.86142306, 6.55118561},
    {2, INFINITY, NOISE_EXTREME, 0.7f, -0.828587972, 0.690489948},
    {2, INFINITY, NOISE_EXTREME, 3, -0.121882372, 0.101568639},
    {2, 5, NOISE_NORMAL, -2, -2.09029032, 0.666898191},
    {2, 5, NOISE_NORMAL, 0.7f, -0.298484064, 0.661485493},
    {2, 5, NOISE_NORMAL, 3, 1.22396926, 0.663450003},
    {2, 5, NOISE_LOGISTIC, -2, -0.714237433, 0.0913287103},
    {2, 5, NOISE_LOGISTIC, 0.7f, -0.149551945, 0.32449773},
    {2, 5, NOISE_LOGISTIC, 3, 0.527931832, 0.203565806},
    {2, 5, NOISE_EXTREME, -2, -7.86124107, 6.55267239},
    {2, 5, NOISE_EXTREME, 0.7f, -0.381744589, 0.942071021},
    {2, 5, NOISE_EXTREME, 3, 0.643566044, 0.156515986},
    {0, 5, NOISE_NORMAL, -2, 0.00361172721, 0.00906603318},
    {0, 5, NOISE_NORMAL, 0.7f, 0.321584733, 0.306514889},
    {0, 5, NOISE_NORMAL, 3, 1.37811892, 0.568406343},
    {0, 5, NOISE_LOGISTIC, -2, 0.0392265245, 0.0311500486},
    {0, 5, NOISE_LOGISTIC, 0.7f, 0.265924989, 0.150888056},
    {0, 5, NOISE_LOGISTIC, 3, 0.634262399, 0.126263186},
    {0, 5, NOISE_EXTREME, -2, 2.72398353e-08, 4.36839059e-07},
    {0, 5, NOISE_EXTREME, 0.7f, 0.238792697, 0.282624483},
    {0, 5, NOISE_EXTREME, 3, 0.709387181, 0.0976156294},
};

static void derivatives_are_those_of_xgboost(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof reference / sizeof *reference; i++) {
        const struct survival survival = {reference[i].noise, 1.2};
        float gradient, hessian;

        survival_gradients(survival, 1, &reference[i].lower, &reference[i].upper,
                           &reference[i].output, &gradient, &hessian);
        if (fabs((double)gradient - reference[i].gradient) > 2e-5 ||
            fabs((double)hessian - reference[i].hessian) > 2e-5)
            check_failed("row %zu: %g, %g instead of %g, %g", i, (double)gradient, (double)hessian,
                         reference[i].gradient, reference[i].hessian);
    }
}

static double loss_of(struct survival survival, float lower, float upper, float z)
{
    double loss;

    survival_losses(survival, 1, &lower, &upper, &z, &loss);
    return loss;
}

static const float bounds[][2] = {{2, 2}, {0.3f, 0.3f}, {2, INFINITY}, {0.5f, NAN},
                                  {0, 5}, {0, 0.2f},    {1, 4},        {3, 3.5f}};

static void derivatives_follow_the_loss(void **state)
{
    const float step = 1.f / 256;
    (void)state;

    for (int noise = NOISE_NORMAL; noise <= NOISE_EXTREME; noise++)
        for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
            for (float z = -1.5f; z <= 2; z += 0.25f) {
                const struct survival survival = {(enum survival_noise)noise, 0.9};
                const float lower = bounds[i][0], upper = bounds[i][1];
                const double below = loss_of(survival, lower, upper, z - step);
                const double here = loss_of(survival, lower, upper, z);
                const double above = loss_of(survival, lower, upper, z + step);
                const double first = (above - below) / (2 * (double)step);
                const double second = (above - 2 * here + below) / ((double)step * (double)step);
                float gradient, hessian;

                survival_gradients(survival, 1, &lower, &upper, &z, &gradient, &hessian);
                CHECK(fabsf(gradient) == 15 || fabs((double)gradient - first) < 1e-2);
                CHECK(hessian == 15 || fabs((double)hessian - second) < 1e-2);
            }
}

static void bounds_may_change_places(void **state)
{
    const float one = 1, four = 4, z = 0.5f;
    (void)state;

    for (int noise = NOISE_NORMAL; noise <= NOISE_EXTREME; noise++) {
        const struct survival survival = {(enum survival_noise)noise, 0.9};
        float gradients[2], hessians[2];

        survival_gradients(survival, 1, &one, &four, &z, &gradients[0], &hessians[0]);
        survival_gradients(survival, 1, &four, &one, &z, &gradients[1], &hessians[1]);
        CHECK(gradients[0] == gradients[1] && hessians[0] == hessians[1]);
        CHECK(loss_of(survival, 1, 4, z) == loss_of(survival, 4, 1, z));
    }
}

/* Where XGBoost's likelihood has no digits left, the gradient goes on as it should: here about as
 * the distance, less than where it is cut. */
static void far_from_a_bound_derivatives_keep_their_digits(void **state)
{
    const struct survival survival = {NOISE_NORMAL, 1};
    const float one = 1, none = INFINITY;
    (void)state;

    for (float z = -14; z <= -6; z++) {
        float gradient, hessian;

        survival_gradients(survival, 1, &one, &none, &z, &gradient, &hessian);
        CHECK(gradient < z && gradient > z - 0.2f);
        CHECK(hessian > 0.9f && hessian < 1);
    }
}

static void far_outputs_have_finite_derivatives(void **state)
{
    static const float outputs[] = {-3e38f, -1e5f, -800, -300, -90, 90, 300, 800, 1e5f, 3e38f};
    static const float far_bounds[][2] = {{1e-45f, 1e-45f},  {3e38f, 3e38f},  {0, 1e-45f},
                                          {3e38f, INFINITY}, {1e-45f, 3e38f}, {1, 1.0000001f}};
    (void)state;

    for (int noise = NOISE_NORMAL; noise <= NOISE_EXTREME; noise++)
        for (size_t i = 0; i < 6; i++)
            for (size_t k = 0; k < sizeof outputs / sizeof *outputs; k++) {
                const struct survival survival = {(enum survival_noise)noise, k % 2 ? 1e-3 : 1e6};
                float gradient, hessian;
                double loss;

                survival_gradients(survival, 1, &far_bounds[i][0], &far_bounds[i][1], &outputs[k],
                                   &gradient, &hessian);
                loss = loss_of(survival, far_bounds[i][0], far_bounds[i][1], outputs[k]);
                CHECK(gradient >= -15 && gradient <= 15);
                CHECK(hessian > 0 && hessian <= 15);
                CHECK(fabs(loss) <= SURVIVAL_LOSS_MOST);
            }
}

static void the_tail_of_the_normal_distribution_has_all_digits(void **state)
{
    (void)state;
    for (int i = -3800; i <= 3700; i++) {
        const double z = i / 100., right = erfc(z / sqrt(2)) / 2;

        CHECK(fabs(survival_normal_tail(z) - right) <= 1e-12 * right);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_those_of_xgboost),
        cmocka_unit_test(derivatives_follow_the_loss),
        cmocka_unit_test(bounds_may_change_places),
        cmocka_unit_test(far_from_a_bound_derivatives_keep_their_digits),
        cmocka_unit_test(far_outputs_have_finite_derivatives),
        cmocka_unit_test(the_tail_of_the_normal_distribution_has_all_digits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
