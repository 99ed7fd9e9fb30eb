#include "forecast/regressors.h"

#include <math.h>
#include <string.h>

#include "forecast/arima/auto_arima.h"
#include "forecast/methods/croston.h"
#include "forecast/smoothing/ets.h"

#define VALUES_LEAST    8    /* and three for each regressor */
#define DEPENDENT       1e-9 /* share of a column's squares that the ones before it leave */
#define SEARCHES        2    /* searches of an order, each for the remainder by then */
#define TURNS_MAX       12
#define CHANGE_LEAST    1e-7 /* change of a coefficient, in units of the deviations */
#define COEFFICIENT_MAX 1e30 /* floats hold it, with room for a sum */

struct equations {
    double products[REGRESSORS_MAX + 1][REGRESSORS_MAX + 1], right[REGRESSORS_MAX + 1];
    double solution[REGRESSORS_MAX + 1];
    bool is_dependent[REGRESSORS_MAX + 1]; /* it follows from the ones before: 0 solves it */
    uint32_t count;
};

struct regression {
    const struct fitting *fitting;
    struct equations *equations;
    double *values;                  /* (count) scaled to be below 1 */
    double *remainder;               /* (count) */
    double *columns[REGRESSORS_MAX]; /* (count) without their means, in units of their deviations */
    double *target, *one, *filtered[REGRESSORS_MAX]; /* (count + horizon) as the ARIMA has them */
    double means[REGRESSORS_MAX], deviations[REGRESSORS_MAX]; /* deviation 0: dropped */
    double coefficients[REGRESSORS_MAX];                      /* by units of the deviations */
    bool is_dependent[REGRESSORS_MAX];                        /* in the last least squares */
    uint32_t count, width, season;
    int exponent;
};

bool regressors_suit(const struct method *method)
{
    return method != &croston_method && method != &sba_method && method != &tsb_method;
}

double regressors_sum(const double *coefficients, const double *regressors, uint32_t width)
{
    double sum = 0;

    for (uint32_t i = 0; i < width; i++)
        if (coefficients[i] != 0) /* a dropped one may be missing */
            sum += coefficients[i] * regressors[i];
    return sum;
}

/* ----- least squares ----- */

/* Cholesky's factor in the lower triangle, and what it solves. */
static void solve(struct equations *equations)
{
    const uint32_t count = equations->count;

    for (uint32_t i = 0; i < count; i++) {
        double *row = equations->products[i];
        const double own = row[i];
        double sum = equations->right[i];

        for (uint32_t j = 0; j < i; j++) {
            const double *other = equations->products[j];

            for (uint32_t k = 0; k < j; k++)
                row[j] -= row[k] * other[k];
            row[j] = equations->is_dependent[j] ? 0 : row[j] / other[j];
            row[i] -= row[j] * row[j];
            sum -= row[j] * equations->solution[j];
        }
        equations->is_dependent[i] = !(row[i] > DEPENDENT * own);
        row[i] = equations->is_dependent[i] ? 1 : sqrt(row[i]);
        equations->solution[i] = equations->is_dependent[i] ? 0 : sum / row[i];
    }
    for (uint32_t i = count; i-- > 0;) {
        for (uint32_t j = i + 1; j < count; j++)
            equations->solution[i] -= equations->products[j][i] * equations->solution[j];
        equations->solution[i] =
            equations->is_dependent[i] ? 0 : equations->solution[i] / equations->products[i][i];
    }
}

static double product(const double *a, const double *b, uint32_t count)
{
    double sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Least squares of the target by these columns, the constant first where there is one. */
static void set_up(struct equations *equations, double *const *columns, uint32_t column_count,
                   const double *target, uint32_t count)
{
    equations->count = column_count;
    for (uint32_t i = 0; i < column_count; i++) {
        for (uint32_t j = 0; j <= i; j++)
            equations->products[i][j] = product(columns[i], columns[j], count);
        equations->right[i] = product(columns[i], target, count);
    }
}

/* Coefficients that explain most of the target. `one`: a constant beside them, or NULL. */
static enum status regress(struct regression *regression, double *const *columns, double *one,
                           const double *target, uint32_t count, struct error *err)
{
    struct equations *equations = regression->equations;
    double *used[REGRESSORS_MAX + 1];
    uint32_t places[REGRESSORS_MAX + 1], column_count = 0;

    if (one)
        used[column_count++] = one;
    for (uint32_t i = 0; i < regression->width; i++)
        if (regression->deviations[i] > 0) {
            places[column_count] = i;
            used[column_count++] = columns[i];
        }
    TRY(fitting_check(regression->fitting, (uint64_t)count * column_count * (column_count + 1),
                      err));
    set_up(equations, used, column_count, target, count);
    solve(equations);
    for (uint32_t i = one ? 1 : 0; i < column_count; i++) {
        regression->coefficients[places[i]] = equations->solution[i];
        regression->is_dependent[places[i]] = equations->is_dependent[i];
    }
    return STATUS_OK;
}

/* ----- columns ----- */

/* Without its mean, and divided by its deviation, which is 0 where it does not vary. */
static double standardise(double *column, uint32_t count, double *mean)
{
    double squares = 0, most = 0, deviation;

    *mean = 0;
    for (uint32_t i = 0; i < count; i++) {
        *mean += column[i] / count;
        most = fabs(column[i]) > most ? fabs(column[i]) : most;
    }
    for (uint32_t i = 0; i < count; i++) {
        column[i] -= *mean;
        squares += column[i] / most * (column[i] / most);
    }
    deviation = most > 0 ? most * sqrt(squares / count) : 0;
    if (!(deviation > DEPENDENT * most))
        return 0;
    for (uint32_t i = 0; i < count; i++)
        column[i] /= deviation;
    return deviation;
}

/* Without the mean of each place in a season of such a length. */
static void remove_places(double *column, uint32_t count, uint32_t season)
{
    for (uint32_t place = 0; place < season; place++) {
        double sum = 0;
        uint32_t places = 0;

        for (uint32_t i = place; i < count; i += season, places++)
            sum += column[i];
        for (uint32_t i = place; i < count; i += season)
            column[i] -= sum / places;
    }
}

static void find_remainder(struct regression *regression)
{
    memcpy(regression->remainder, regression->values, regression->count * sizeof(double));
    for (uint32_t i = 0; i < regression->width; i++)
        if (regression->coefficients[i] != 0)
            for (uint32_t t = 0; t < regression->count; t++)
                regression->remainder[t] -= regression->coefficients[i] * regression->columns[i][t];
}

/* Drops the columns that follow from those before them, and a constant. */
static enum status drop_dependent(struct regression *regression, struct error *err)
{
    TRY(regress(regression, regression->columns, NULL, regression->values, regression->count, err));
    for (uint32_t i = 0; i < regression->width; i++)
        if (regression->is_dependent[i])
            regression->deviations[i] = 0;
    return STATUS_OK;
}

static enum status allocate(struct regression *regression, struct error *err)
{
    struct arena *arena = regression->fitting->arena;
    const size_t count = regression->count, longest = count + regression->fitting->horizon;

    regression->equations = ARENA_NEW(arena, struct equations, 1);
    regression->values = ARENA_NEW(arena, double, count);
    regression->remainder = ARENA_NEW(arena, double, count);
    regression->target = ARENA_NEW(arena, double, longest);
    regression->one = ARENA_NEW(arena, double, longest);
    if (!regression->equations || !regression->values || !regression->remainder ||
        !regression->target || !regression->one)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < regression->width; i++) {
        regression->columns[i] = ARENA_NEW(arena, double, count);
        regression->filtered[i] = ARENA_NEW(arena, double, longest);
        if (!regression->columns[i] || !regression->filtered[i])
            return fail_no_memory(err);
    }
    return STATUS_OK;
}

static int exponent_of_most(const double *values, uint32_t count)
{
    double most = 0;
    int exponent = 0;

    for (uint32_t i = 0; i < count; i++)
        most = fabs(values[i]) > most ? fabs(values[i]) : most;
    if (most > 0)
        (void)frexp(most, &exponent);
    return exponent;
}

/* Values and columns without gaps, comparable with each other. */
static enum status take(struct regression *regression, const double *values,
                        const struct regressors *regressors, struct error *err)
{
    const uint32_t count = regression->count, width = regression->width;

    regression->exponent = exponent_of_most(values, count);
    for (uint32_t t = 0; t < count; t++)
        regression->values[t] = ldexp(values[t], -regression->exponent);
    for (uint32_t i = 0; i < width; i++) {
        for (uint32_t t = 0; t < count; t++)
            regression->columns[i][t] = regressors->values[(size_t)t * width + i];
        regression->deviations[i] =
            standardise(regression->columns[i], count, &regression->means[i]);
    }
    return drop_dependent(regression, err);
}

/* ----- coefficients ----- */

/* Those of the changes from one value to the next: the level may move. */
static enum status regress_changes(struct regression *regression, struct error *err)
{
    const uint32_t count = regression->count - 1;

    for (uint32_t t = 0; t < count; t++)
        regression->target[t] = regression->values[t + 1] - regression->values[t];
    for (uint32_t i = 0; i < regression->width; i++)
        for (uint32_t t = 0; t < count; t++)
            regression->filtered[i][t] = regression->columns[i][t + 1] - regression->columns[i][t];
    TRY(regress(regression, regression->filtered, NULL, regression->target, count, err));
    find_remainder(regression);
    return STATUS_OK;
}

/* Those of the series as the ARIMA filters them, whose errors are independent. */
static enum status regress_filtered(struct regression *regression, const struct arima *arima,
                                    double *change, struct error *err)
{
    const uint32_t total = regression->count;
    const bool has_constant = arima->order.has_constant;
    double before[REGRESSORS_MAX];
    uint32_t count;

    memcpy(before, regression->coefficients, sizeof before);
    for (uint32_t i = 0; i < regression->width; i++)
        arima_errors(arima, regression->columns[i], total, regression->filtered[i]);
    count = arima_errors(arima, regression->values, total, regression->target);
    if (has_constant)
        arima_errors_of_one(arima, count, regression->one);
    TRY(regress(regression, regression->filtered, has_constant ? regression->one : NULL,
                regression->target, count, err));
    find_remainder(regression);
    *change = 0;
    for (uint32_t i = 0; i < regression->width; i++) {
        const double own = fabs(regression->coefficients[i] - before[i]);

        *change = own > *change ? own : *change;
    }
    return STATUS_OK;
}

/* In turn the remainder's ARIMA and the coefficients. */
static enum status take_turns(struct regression *regression, const struct arima_order *given,
                              struct error *err)
{
    const struct fitting *fitting = regression->fitting;
    const struct series series = {regression->remainder, regression->count, regression->season};
    struct arima_room *room;
    struct arima arima;
    double change = INFINITY;
    bool is_there;

    if (given && !arima_is_possible(given, &series))
        return STATUS_OK;
    for (uint32_t i = 0; !given && i < SEARCHES; i++) {
        TRY(auto_arima_search(&series, fitting, &arima, &is_there, err));
        if (!is_there)
            return STATUS_OK;
        TRY(regress_filtered(regression, &arima, &change, err));
    }
    TRY(arima_room_make(&series, fitting, &room, err));
    for (uint32_t i = 0; i < TURNS_MAX && change > CHANGE_LEAST; i++) {
        const struct arima_order order = given ? *given : arima.order;

        TRY(arima_fit(&order, &series, fitting, ARIMA_GAIN, room, &arima, err));
        TRY(regress_filtered(regression, &arima, &change, err));
    }
    return STATUS_OK;
}

static enum status find_coefficients(struct regression *regression,
                                     const struct forecast_options *options, struct error *err)
{
    const uint32_t count = regression->count;
    const struct arima_order *given = options->has_order ? &options->order : NULL;

    TRY(regress_changes(regression, err));
    regression->season = forecast_choose_season(regression->remainder, count, options);
    if (!given && regression->season > ETS_SEASON_MAX) {
        remove_places(regression->values, count, regression->season);
        for (uint32_t i = 0; i < regression->width; i++)
            remove_places(regression->columns[i], count, regression->season);
        regression->season = 1;
        find_remainder(regression);
    }
    return take_turns(regression, given, err);
}

/* Is there anything to be told by them? */
static bool has_any(const struct regression *regression)
{
    uint32_t used = 0;
    bool varies = false;

    for (uint32_t i = 0; i < regression->width; i++)
        used += regression->deviations[i] > 0;
    for (uint32_t t = 1; t < regression->count; t++)
        varies = varies || regression->values[t] != regression->values[0];
    return used > 0 && varies && regression->count >= VALUES_LEAST + 3 * used;
}

/* ----- the whole ----- */

/* A regressor is as little known as the value that it would explain. */
static void fill_columns(const double *values, uint32_t count, const struct regressors *regressors,
                         double *column)
{
    const uint32_t width = regressors->width;

    for (uint32_t i = 0; i < width; i++) {
        for (uint32_t t = 0; t < count; t++)
            column[t] = isnan(values[t]) ? NAN : regressors->values[(size_t)t * width + i];
        forecast_fill_gaps(column, count);
        for (uint32_t t = 1; t < count; t++) /* behind the last one */
            column[t] = isnan(column[t]) ? column[t - 1] : column[t];
        for (uint32_t t = 0; t < count; t++)
            regressors->values[(size_t)t * width + i] = column[t];
    }
}

/* Coefficients of the values as they are. */
static void put_coefficients(const struct regression *regression, double *coefficients)
{
    for (uint32_t i = 0; i < regression->width; i++) {
        const double own = regression->coefficients[i];
        const double real =
            own != 0 ? ldexp(own / regression->deviations[i], regression->exponent) : 0;

        coefficients[i] = fabs(real) < COEFFICIENT_MAX ? real : 0;
    }
}

/* The coefficients of values without gaps, and their part of the mean value. */
static enum status find_all(struct regression *regression, const double *values,
                            const struct regressors *known, const struct forecast_options *options,
                            double *coefficients, double *middle, struct error *err)
{
    TRY(take(regression, values, known, err));
    if (has_any(regression))
        TRY(find_coefficients(regression, options, err));
    else
        memset(regression->coefficients, 0, sizeof regression->coefficients);
    put_coefficients(regression, coefficients);
    *middle = regressors_sum(coefficients, regression->means, regression->width);
    return STATUS_OK;
}

static bool are_finite(const double *values, uint32_t count)
{
    for (uint32_t t = 0; t < count; t++)
        if (!isfinite(values[t]))
            return false;
    return true;
}

static void move(struct forecast *forecast, uint32_t horizon, double by)
{
    for (uint32_t h = 0; h < horizon; h++) {
        forecast->values[h] += by;
        forecast->lower[h] += by;
        forecast->upper[h] += by;
    }
    for (uint32_t i = 0; i < forecast->expected_count; i++)
        forecast->expected[i] += by;
}

enum status regressors_run(double *values, uint32_t count, const struct regressors *regressors,
                           const struct forecast_options *options, struct arena *arena,
                           struct forecast *forecast, double *coefficients, struct error *err)
{
    const uint32_t width = regressors->width;
    struct regressors known = *regressors;
    struct forecast_options of_remainder = *options;
    double middle = 0; /* the remainder lies where the values do */
    struct regression *regression = ARENA_NEW(arena, struct regression, 1);
    uint64_t steps = 0;
    const struct fitting fitting = {.arena = arena,
                                    .horizon = options->horizon,
                                    .is_stopped = options->is_stopped,
                                    .stop = options->stop,
                                    .steps = &steps};

    if (!regression)
        return fail_no_memory(err);
    for (; isnan(values[0]); values++, count--)
        known.values += width;
    while (isnan(values[count - 1]))
        count--;
    *regression = (struct regression){.fitting = &fitting, .count = count, .width = width};
    TRY(allocate(regression, err));
    if (options->history > 0) {
        of_remainder.are_known = forecast_list_known(values, count, arena);
        if (!of_remainder.are_known)
            return fail_no_memory(err);
    }
    fill_columns(values, count, &known, regression->remainder);
    forecast_fill_gaps(values, count);
    if (!kept_is_read(options->kept))
        TRY(find_all(regression, values, &known, options, coefficients, &middle, err));
    for (uint32_t i = 0; i < width; i++)
        kept_number(options->kept, &coefficients[i]);
    kept_number(options->kept, &middle);
    for (uint32_t i = 0; i < width; i++)
        of_remainder.is_remainder = of_remainder.is_remainder || coefficients[i] != 0;
    for (uint32_t t = 0; t < count; t++)
        values[t] -= regressors_sum(coefficients, known.values + (size_t)t * width, width) - middle;
    if (kept_is_read(options->kept) && !are_finite(values, count)) {
        kept_spoil(options->kept); /* by coefficients that no fit has written */
        return STATUS_OK;
    }
    TRY(forecast_run(values, count, &of_remainder, arena, forecast, err));
    move(forecast, options->horizon, -middle);
    return STATUS_OK;
}
