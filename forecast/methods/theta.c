#include "forecast/methods/theta.h"

#include <math.h>

#include "forecast/methods/descend.h"
#include "forecast/methods/seasons.h"

#define ALPHA_LEAST   0.1
#define ALPHA_MOST    0.99
#define ERRORS_FROM   2   /* the first values make the dynamic line */
#define COUNT_LEAST   4   /* values; with fewer the parameters stay where the search begins */
#define STEPS_A_VALUE 300 /* a fit's: see method.h */

struct theta {
    bool is_dynamic, has_weight, has_pattern;
    struct pattern pattern;
    const double *values;        /* (count) without the pattern */
    double intercept, slope;     /* the line through all values; the first value is at 1 */
    double start, alpha, weight; /* level before the first value; shares of a value and the line */
    double variance;             /* variance of the errors of one step */
};

/* The state of the recursion after some values. */
struct states {
    uint32_t count;
    double level, mean, intercept, slope;
    double power; /* (1 - alpha)^count */
};

static double expect(const struct theta *theta, const struct states *states)
{
    const double grown = (1 - states->power * (1 - theta->alpha)) / theta->alpha;

    return states->level +
           theta->weight * (states->power * states->intercept + grown * states->slope);
}

static void move_on(const struct theta *theta, struct states *states, double value)
{
    const double t = ++states->count, before = states->mean;

    states->power *= 1 - theta->alpha;
    states->level += theta->alpha * (value - states->level);
    states->mean += (value - before) / t;
    if (!theta->is_dynamic)
        return;
    states->slope = t > 1 ? ((t - 2) * states->slope + 6 * (value - before) / t) / (t + 1) : 0;
    states->intercept = states->mean - states->slope * (t + 1) / 2;
}

static struct states first_states(const struct theta *theta)
{
    return (struct states){
        .level = theta->start,
        .intercept = theta->is_dynamic ? 0 : theta->intercept,
        .slope = theta->is_dynamic ? 0 : theta->slope,
        .power = 1,
    };
}

struct search {
    struct theta *theta;
    uint32_t count;
    double *intercepts, *slopes; /* (count) of the line before each value: no parameter moves it */
};

/* Squares of the errors of the values after the first ones. */
static double squares(const struct search *search)
{
    const struct theta *theta = search->theta;
    const double alpha = theta->alpha, weight = theta->weight;
    double level = theta->start, power = 1, sum = 0;

    for (uint32_t i = 0; i < search->count; i++) {
        const double value = theta->values[i], grown = (1 - power * (1 - alpha)) / alpha;
        const double line = power * search->intercepts[i] + grown * search->slopes[i];
        const double error = value - (level + weight * line);

        if (i >= ERRORS_FROM)
            sum += error * error;
        power *= 1 - alpha;
        level += alpha * (value - level);
    }
    return sum;
}

/* x is start, alpha and weight; beyond their bounds there is nothing. */
static double squares_at(void *context, const double *x, double *gradient)
{
    const struct search *search = context;

    (void)gradient;
    if (x[1] < ALPHA_LEAST || x[1] > ALPHA_MOST)
        return INFINITY;
    search->theta->start = x[0];
    search->theta->alpha = x[1];
    if (search->theta->has_weight) {
        if (x[2] < 0 || x[2] > 1)
            return INFINITY;
        search->theta->weight = x[2];
    }
    return squares(search);
}

/* The line of least squares through the values. */
static void draw_line(struct theta *theta, uint32_t count)
{
    const double middle = (count + 1) / 2.0;
    double mean = 0, product = 0, square = 0;

    for (uint32_t i = 0; i < count; i++)
        mean += theta->values[i];
    mean /= count;
    for (uint32_t i = 0; i < count; i++) {
        product += (i + 1 - middle) * (theta->values[i] - mean);
        square += (i + 1 - middle) * (i + 1 - middle);
    }
    theta->slope = square > 0 ? product / square : 0;
    theta->intercept = mean - theta->slope * middle;
}

/* The line before each value, as the states have it. */
static enum status list_lines(const struct fitting *fitting, struct search *search,
                              struct error *err)
{
    struct states states = first_states(search->theta);

    search->intercepts = ARENA_NEW(fitting->arena, double, search->count);
    search->slopes = ARENA_NEW(fitting->arena, double, search->count);
    if (!search->intercepts || !search->slopes)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < search->count; i++) {
        search->intercepts[i] = states.intercept;
        search->slopes[i] = states.slope;
        move_on(search->theta, &states, search->theta->values[i]);
    }
    return STATUS_OK;
}

static enum status remove_pattern(const struct series *series, const struct fitting *fitting,
                                  struct theta *theta, struct error *err)
{
    double *values;

    theta->values = series->values;
    theta->has_pattern = season_is_kept(series, fitting);
    if (!theta->has_pattern)
        return STATUS_OK;
    TRY(pattern_find(series, fitting, &theta->pattern, err));
    values = ARENA_NEW(fitting->arena, double, series->count);
    if (!values)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < series->count; i++)
        values[i] = pattern_remove(&theta->pattern, i, series->values[i]);
    theta->values = values;
    return STATUS_OK;
}

static enum status find_parameters(const struct fitting *fitting, uint32_t count,
                                   struct theta *theta, struct error *err)
{
    struct search search = {.theta = theta, .count = count};
    double x[3], step[3] = {0, 0.2, 0.25}, spread = 0;

    TRY(fitting_check(fitting, (uint64_t)count * STEPS_A_VALUE, err));
    draw_line(theta, count);
    x[0] = theta->start = theta->values[0] / 2;
    x[1] = theta->alpha = 0.5;
    x[2] = theta->weight = 0.5;
    if (count < COUNT_LEAST)
        return STATUS_OK;
    TRY(list_lines(fitting, &search, err));
    for (uint32_t i = 1; i < count; i++)
        spread += fabs(theta->values[i] - theta->values[i - 1]) / (count - 1);
    step[0] = spread > 0 ? spread : 0.1;
    descend_simplex(squares_at, &search, theta->has_weight ? 3 : 2, x, step);
    theta->variance = squares_at(&search, x, NULL) / (count - ERRORS_FROM);
    return STATUS_OK;
}

static enum status fit(const struct series *series, bool is_dynamic, bool has_weight,
                       const struct fitting *fitting, void **fitted, struct error *err)
{
    struct theta *theta = ARENA_NEW(fitting->arena, struct theta, 1);

    if (!theta)
        return fail_no_memory(err);
    *fitted = theta;
    TRY(remove_pattern(series, fitting, theta, err));
    theta->is_dynamic = is_dynamic;
    theta->has_weight = has_weight;
    if (!kept_is_read(fitting->kept))
        TRY(find_parameters(fitting, series->count, theta, err));
    kept_number(fitting->kept, &theta->intercept);
    kept_number(fitting->kept, &theta->slope);
    kept_number(fitting->kept, &theta->start);
    kept_number(fitting->kept, &theta->alpha);
    kept_number(fitting->kept, &theta->weight);
    kept_number(fitting->kept, &theta->variance);
    return STATUS_OK;
}

static enum status fit_standard(const struct series *series, const struct fitting *fitting,
                                void **fitted, struct error *err)
{
    return fit(series, false, false, fitting, fitted, err);
}

static enum status fit_optimized(const struct series *series, const struct fitting *fitting,
                                 void **fitted, struct error *err)
{
    return fit(series, false, true, fitting, fitted, err);
}

static enum status fit_dynamic(const struct series *series, const struct fitting *fitting,
                               void **fitted, struct error *err)
{
    return fit(series, true, false, fitting, fitted, err);
}

static enum status fit_dynamic_optimized(const struct series *series, const struct fitting *fitting,
                                         void **fitted, struct error *err)
{
    return fit(series, true, true, fitting, fitted, err);
}

static void project(const void *fitted, const struct series *series, uint32_t origin,
                    uint32_t horizon, double *means, double *variances)
{
    const struct theta *theta = fitted;
    struct states states = first_states(theta);

    (void)series;
    for (uint32_t i = 0; i < origin; i++)
        move_on(theta, &states, theta->values[i]);
    for (uint32_t i = 0; i < horizon; i++) {
        double variance = theta->variance * (1 + i * theta->alpha * theta->alpha);

        means[i] = expect(theta, &states);
        move_on(theta, &states, means[i]);
        if (theta->has_pattern) {
            means[i] = pattern_restore(&theta->pattern, origin + i, means[i]);
            variance = pattern_variance(&theta->pattern, origin + i, variance);
        }
        if (variances)
            variances[i] = variance;
    }
}

const struct method theta_method = {"theta", "the Theta method", fit_standard, project, THETA_KEPT};
const struct method optimized_theta_method = {"optimizedtheta", "Theta with a fitted weight",
                                              fit_optimized, project, THETA_KEPT};
const struct method dynamic_theta_method = {"dynamictheta", "Theta of a line that moves",
                                            fit_dynamic, project, THETA_KEPT};
const struct method dynamic_optimized_theta_method = {"dynamicoptimizedtheta", "both",
                                                      fit_dynamic_optimized, project, THETA_KEPT};
