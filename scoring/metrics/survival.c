#include "scoring/metrics/survival.h"

#include <math.h>

#include "scoring/numbers/elementary.h"

#define GRADIENT_CUT  15.
#define HESSIAN_CUT   15.
#define HESSIAN_LEAST 1e-16
#define VANISHING     1e-12

const char *const survival_noise_words[] = {"normal", "logistic", "extreme", NULL};

/* ---- the normal distribution ---- */

/* W. J. Cody's rational approximations of erfc, to about the last digit: of 0 to .46875, where it
 * is 1 - erf, to 4, and beyond. The last number of a numerator stands before the others. */
static double error_function(double x)
{
    static const double p[] = {3.16112374387056560e00, 1.13864154151050156e02,
                               3.77485237685302021e02, 3.20937758913846947e03};
    static const double q[] = {2.36012909523441209e01, 2.44024637934444173e02,
                               1.28261652607737228e03, 2.84423683343917062e03};
    const double square = x * x;
    double above = 1.85777706184603153e-1, below = 1;

    for (int i = 0; i < 4; i++) {
        above = above * square + p[i];
        below = below * square + q[i];
    }
    return x * above / below;
}

static double tail_to_four(double x)
{
    static const double p[] = {5.64188496988670089e-1, 8.88314979438837594e00,
                               6.61191906371416295e01, 2.98635138197400131e02,
                               8.81952221241769090e02, 1.71204761263407058e03,
                               2.05107837782607147e03, 1.23033935479799725e03};
    static const double q[] = {1.57449261107098347e01, 1.17693950891312499e02,
                               5.37181101862009858e02, 1.62138957456669019e03,
                               3.29079923573345963e03, 4.36261909014324716e03,
                               3.43936767414372164e03, 1.23033935480374942e03};
    double above = 2.15311535474403846e-8, below = 1;

    for (int i = 0; i < 8; i++) {
        above = above * x + p[i];
        below = below * x + q[i];
    }
    return exponential_double(-x * x) * above / below;
}

static double tail_beyond_four(double x)
{
    static const double p[] = {3.05326634961232344e-1, 3.60344899949804439e-1,
                               1.25781726111229246e-1, 1.60837851487422766e-2,
                               6.58749161529837803e-4};
    static const double q[] = {2.56852019228982242e00, 1.87295284992346725e00,
                               5.27905102951428412e-1, 6.05183413124413191e-2,
                               2.33520497626869185e-3};
    const double root_of_pi = 1.77245385090551602730, inverse = 1 / (x * x);
    double above = 1.63153871373020978e-2, below = 1;

    for (int i = 0; i < 5; i++) {
        above = above * inverse + p[i];
        below = below * inverse + q[i];
    }
    return exponential_double(-x * x) * (1 / root_of_pi - inverse * above / below) / x;
}

double survival_normal_tail(double z)
{
    const double x = fabs(z) * 0.70710678118654752440;
    const double tail = x <= 0.46875 ? 1 - error_function(x)
                        : x <= 4     ? tail_to_four(x)
                                     : tail_beyond_four(x);

    return (z < 0 ? 2 - tail : tail) / 2;
}

/* ---- distributions ---- */

/* At a point: the density, its derivatives, and the shares below and above. */
struct point {
    double density, slope, bend, below, above;
};

static struct point normal_at(double z)
{
    const double density = exponential_double(-z * z / 2) * 0.39894228040143267794;

    if (density == 0)
        return (struct point){.below = z > 0, .above = z < 0};
    return (struct point){density, -z * density, (z * z - 1) * density, survival_normal_tail(-z),
                          survival_normal_tail(z)};
}

static struct point logistic_at(double z)
{
    const double small = exponential_double(-fabs(z)), greater = 1 / (1 + small);
    const double below = z < 0 ? small * greater : greater;
    const double above = z < 0 ? greater : small * greater;
    const double density = below * above;

    return (struct point){density, density * (above - below), density * (1 - 6 * density), below,
                          above};
}

static struct point extreme_at(double z)
{
    const double w = exponential_double(z), above = exponential_double(-w);
    const double density = w * above;

    if (above == 0)
        return (struct point){.below = 1};
    return (struct point){density, (1 - w) * density, (w * w - 3 * w + 1) * density,
                          w < 1e-5 ? w - w * w / 2 : 1 - above, above};
}

static struct point point_at(enum survival_noise noise, double z)
{
    return noise == NOISE_NORMAL     ? normal_at(z)
           : noise == NOISE_LOGISTIC ? logistic_at(z)
                                     : extreme_at(z);
}

/* ---- a row ---- */

/* A row's time as far as it is known, by the bounds' places in the distribution. */
struct seen {
    bool is_exact, has_lower, has_upper;
    bool is_above; /* a bound lies above 0: the output is too low, where the likelihood vanishes */
    struct point lower, upper;
    double share; /* between the bounds */
};

static double place_of(struct survival survival, float time, float z)
{
    return (logarithm_double((double)time) - (double)z) / survival.scale;
}

static struct seen look(struct survival survival, float one, float other, float z)
{
    const float lower = other < one ? other : one, upper = other < one ? one : other;
    struct seen seen = {.is_exact = lower == upper,
                        .has_lower = lower >= SURVIVAL_TIME_LEAST,
                        .has_upper = upper <= SURVIVAL_TIME_MOST};
    double at_lower = 0, at_upper = 0;

    seen.lower = (struct point){.above = 1};
    seen.upper = (struct point){.below = 1};
    if (seen.has_lower || seen.is_exact) {
        at_lower = place_of(survival, fmaxf(lower, SURVIVAL_TIME_LEAST), z);
        seen.lower = point_at(survival.noise, at_lower);
    }
    if (seen.has_upper && !seen.is_exact) {
        at_upper = place_of(survival, fmaxf(upper, SURVIVAL_TIME_LEAST), z);
        seen.upper = point_at(survival.noise, at_upper);
    }
    seen.is_above = at_lower > 0 || at_upper > 0;
    seen.share =
        at_lower > 0 ? seen.lower.above - seen.upper.above : seen.upper.below - seen.lower.below;
    return seen;
}

static double cut(double x, double least, double most)
{
    return x < least ? least : x > most ? most : x;
}

/* The limit of the gradient as z goes away from what was seen. */
static double gradient_far_off(struct survival survival, const struct seen *seen)
{
    const double of_logistic = 1 / survival.scale;

    if (seen->is_above)
        return !seen->has_lower                   ? 0
               : survival.noise == NOISE_LOGISTIC ? -of_logistic
                                                  : -GRADIENT_CUT;
    return !seen->has_upper ? 0 : survival.noise == NOISE_NORMAL ? GRADIENT_CUT : of_logistic;
}

static double hessian_far_off(struct survival survival, const struct seen *seen)
{
    const bool is_pulled = seen->is_above ? seen->has_lower : seen->has_upper;

    if (!is_pulled || survival.noise == NOISE_LOGISTIC)
        return HESSIAN_LEAST;
    if (survival.noise == NOISE_NORMAL)
        return 1 / (survival.scale * survival.scale);
    return seen->is_above ? HESSIAN_CUT : HESSIAN_LEAST;
}

static void derive_row(struct survival survival, const struct seen *seen, double *gradient,
                       double *hessian)
{
    const double scale = survival.scale;
    const double likelihood = seen->is_exact ? seen->lower.density : seen->share;
    const double first =
        seen->is_exact ? seen->lower.slope : seen->upper.density - seen->lower.density;
    const double second = seen->is_exact ? seen->lower.bend : seen->upper.slope - seen->lower.slope;
    const double ratio = first / likelihood;

    *gradient = ratio / scale;
    *hessian = (ratio * ratio - second / likelihood) / (scale * scale);
    if (!(likelihood > 0) || !isfinite(*gradient))
        *gradient = gradient_far_off(survival, seen);
    if (!(likelihood > 0) || !isfinite(*hessian))
        *hessian = hessian_far_off(survival, seen);
}

void survival_gradients(struct survival survival, size_t n, const float *lower, const float *upper,
                        const float *z, float *gradients, float *hessians)
{
    for (size_t i = 0; i < n; i++) {
        const struct seen seen = look(survival, lower[i], upper[i], z[i]);
        double gradient, hessian;

        derive_row(survival, &seen, &gradient, &hessian);
        gradients[i] = (float)cut(gradient, -GRADIENT_CUT, GRADIENT_CUT);
        hessians[i] = (float)cut(hessian, HESSIAN_LEAST, HESSIAN_CUT);
    }
}

void survival_losses(struct survival survival, size_t n, const float *lower, const float *upper,
                     const float *z, double *losses)
{
    for (size_t i = 0; i < n; i++) {
        const struct seen seen = look(survival, lower[i], upper[i], z[i]);
        const double time = (double)fmaxf(lower[i], SURVIVAL_TIME_LEAST);
        const double likelihood =
            seen.is_exact ? seen.lower.density / (survival.scale * time) : seen.share;

        losses[i] = -logarithm_double(cut(likelihood, VANISHING, 1e300));
        losses[i] = cut(losses[i], -SURVIVAL_LOSS_MOST, SURVIVAL_LOSS_MOST);
    }
}
