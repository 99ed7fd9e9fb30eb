#include "forecast/arima/arima.h"

#include <math.h>
#include <string.h>

#include "forecast/arima/differences.h"
#include "forecast/methods/descend.h"
#include "scoring/numbers/elementary.h"

#define SQUARE_LEAST 1e-20 /* an error's least square: the values are near 1 */
#define ROOT_LEAST   1.01  /* least magnitude of the roots of phi and theta */

/* About, for each value: see method.h. */
#define STEPS_OF_ERRORS 8
#define STEPS_OF_SLOPES 32

#define NUMBERS_MAX (2 * ARIMA_LAGS_MAX + 2 * ARIMA_SEASONS_MAX + 1)
_Static_assert(NUMBERS_MAX <= DESCEND_NUMBERS_MAX, "the largest order's numbers fit");

struct arima_room {
    double *w, *errors, *turn;     /* (count + horizon) */
    double *slopes[ARIMA_FACTORS]; /* (count) of the errors, by a factor's first coefficient; of a
                                      season only where it is */
    double *mean_slopes;           /* (count) */
};

static bool is_seasonal(enum arima_factor factor)
{
    return factor == ARIMA_SEASONAL_AR || factor == ARIMA_SEASONAL_MA;
}

enum status arima_room_make(const struct series *series, const struct fitting *fitting,
                            struct arima_room **room, struct error *err)
{
    struct arima_room *made = ARENA_NEW(fitting->arena, struct arima_room, 1);
    const size_t longest = (size_t)series->count + fitting->horizon;

    if (!made)
        return fail_no_memory(err);
    made->w = ARENA_NEW(fitting->arena, double, longest);
    made->errors = ARENA_NEW(fitting->arena, double, longest);
    made->turn = ARENA_NEW(fitting->arena, double, longest);
    made->mean_slopes = ARENA_NEW(fitting->arena, double, series->count);
    if (!made->w || !made->errors || !made->turn || !made->mean_slopes)
        return fail_no_memory(err);
    for (int f = 0; f < ARIMA_FACTORS; f++)
        if (series->season > 1 || !is_seasonal(f)) {
            made->slopes[f] = ARENA_NEW(fitting->arena, double, series->count);
            if (!made->slopes[f])
                return fail_no_memory(err);
        }
    *room = made;
    return STATUS_OK;
}

/* ----- orders ----- */

/* Values that are lost when the others are differenced. */
static uint64_t lost(const struct arima_order *order, uint32_t season)
{
    return order->differences + (uint64_t)order->seasonal_differences * season;
}

static uint32_t number_count(const struct arima_order *order)
{
    return order->ar + order->ma + order->seasonal_ar + order->seasonal_ma + order->has_constant;
}

bool arima_is_possible(const struct arima_order *order, const struct series *series)
{
    const uint64_t gone = lost(order, series->season);
    const uint64_t longest =
        order->seasonal_ar > order->seasonal_ma ? order->seasonal_ar : order->seasonal_ma;

    if (series->season < 2 && (longest || order->seasonal_differences))
        return false;
    /* With the variance one parameter more, and AICc needs two values more than that. */
    return series->count >= gone + number_count(order) + 3 &&
           series->count > gone + longest * series->season;
}

/* The first `count` values, differenced, into w; how many there are. */
static uint32_t difference_all(const struct arima_order *order, uint32_t season,
                               const double *values, uint32_t count, double *w)
{
    memcpy(w, values, count * sizeof *w);
    for (uint32_t i = 0; i < order->seasonal_differences; i++)
        count = difference(w, count, season);
    for (uint32_t i = 0; i < order->differences; i++)
        count = difference(w, count, 1);
    return count;
}

static void take_order(struct arima *arima, const struct arima_order *order, uint32_t season)
{
    const uint32_t orders[ARIMA_FACTORS] = {order->ar, order->seasonal_ar, order->ma,
                                            order->seasonal_ma};

    arima->order = *order;
    arima->season = season;
    for (int f = 0; f < ARIMA_FACTORS; f++) {
        arima->factors[f].order = orders[f];
        arima->factors[f].lag = is_seasonal(f) ? season : 1;
    }
}

/* Errors of `in`, which may be `errors` or `turn`, and the sum of their squares; `turn` is room. */
static double find_errors(const struct arima *arima, const double *in, uint32_t count, double *turn,
                          double *errors)
{
    const double *from = in;

    for (int f = ARIMA_AR; f <= ARIMA_SEASONAL_AR; f++)
        if (arima->factors[f].order) {
            double *to = from == turn ? errors : turn;

            polynomial_multiply(&arima->factors[f], from, count, to);
            from = to;
        }
    if (from != errors)
        memcpy(errors, from, count * sizeof *errors);
    if (arima->factors[ARIMA_MA].order && arima->factors[ARIMA_SEASONAL_MA].order)
        polynomial_divide(&arima->factors[ARIMA_MA], errors, count, errors);
    return polynomial_divide_squared(
        &arima->factors[arima->factors[ARIMA_SEASONAL_MA].order ? ARIMA_SEASONAL_MA : ARIMA_MA],
        errors, count);
}

/* ----- squares ----- */

struct search {
    struct arima *arima;
    struct arima_room *room;
    const struct fitting *fitting;
    struct error *err;
    enum status status; /* INTERRUPTED: the search has no sense any more */
    uint32_t count, numbers;
    uint32_t firsts[ARIMA_FACTORS]; /* where a factor's numbers begin; the mean's is the last one */
    double mean, deviation;         /* w's: the mean's number counts deviations from it */
    double last[NUMBERS_MAX];       /* numbers of the errors in the room; and their squares */
    double last_sum;
    bool has_last;
};

/* Slopes of the coefficients by the numbers, all of them. */
typedef double square[NUMBERS_MAX][NUMBERS_MAX];

static void take_numbers(struct search *search, const double *u)
{
    for (int f = 0; f < ARIMA_FACTORS; f++)
        polynomial_of_numbers(u + search->firsts[f], &search->arima->factors[f], NULL);
    if (search->arima->order.has_constant)
        search->arima->mean = search->mean + search->deviation * u[search->numbers - 1];
}

/* A column is a series of slopes `lag` steps later: a coefficient's, of which the factor's first is
 * known. */
struct column {
    const double *slopes;
    uint64_t lag;
    double sign;
};

static void list_columns(struct search *search, struct column *columns)
{
    struct arima_room *room = search->room;
    const struct arima *arima = search->arima;

    polynomial_divide_both(&arima->factors[ARIMA_AR], &arima->factors[ARIMA_MA], room->errors,
                           search->count, room->slopes[ARIMA_AR], room->slopes[ARIMA_MA]);
    for (int f = 0; f < ARIMA_FACTORS; f++) {
        const struct polynomial *factor = &arima->factors[f];

        if (factor->order && f != ARIMA_MA && f != ARIMA_AR)
            polynomial_divide(factor, room->errors, search->count, room->slopes[f]);
        for (uint32_t j = 0; j < factor->order; j++)
            columns[search->firsts[f] + j] = (struct column){
                room->slopes[f], (uint64_t)(j + 1) * factor->lag, f < ARIMA_MA ? -1 : 1};
    }
    columns[search->numbers] = (struct column){room->errors, 0, 1};
    if (!arima->order.has_constant)
        return;
    for (uint32_t i = 0; i < search->count; i++)
        room->mean_slopes[i] = 1;
    find_errors(arima, room->mean_slopes, search->count, room->turn, room->mean_slopes);
    columns[search->numbers - 1] = (struct column){room->mean_slopes, 0, -1};
}

#define TOGETHER 4 /* sums that a processor adds to side by side */

/* The sum of the products of a column with one other, from the i-th value up to `end`. */
static double multiply_two(const struct column *a, const struct column *b, uint64_t i, uint64_t end)
{
    double sum = 0;

    for (; i < end; i++)
        sum += a->slopes[i - a->lag] * b->slopes[i - b->lag];
    return sum;
}

struct pair {
    const struct column *a, *b;
    double *product;
};

/* The same of several pairs at once: each sum is added up in the order of the values. */
static void multiply_pairs(const struct pair pairs[TOGETHER], uint32_t count)
{
    const double *of_a[TOGETHER], *of_b[TOGETHER];
    uint64_t begin = 0;
    double sum[TOGETHER];

    for (uint32_t k = 0; k < TOGETHER; k++) {
        begin = pairs[k].a->lag > begin ? pairs[k].a->lag : begin;
        begin = pairs[k].b->lag > begin ? pairs[k].b->lag : begin;
    }
    begin = begin < count ? begin : count;
    for (uint32_t k = 0; k < TOGETHER; k++) {
        const struct column *a = pairs[k].a, *b = pairs[k].b;

        sum[k] = multiply_two(a, b, b->lag > a->lag ? b->lag : a->lag, begin);
        of_a[k] = a->slopes + (begin - (a->lag < begin ? a->lag : begin));
        of_b[k] = b->slopes + (begin - (b->lag < begin ? b->lag : begin));
    }
    for (uint64_t i = 0; i < count - begin; i++)
        for (uint32_t k = 0; k < TOGETHER; k++)
            sum[k] += of_a[k][i] * of_b[k][i];
    for (uint32_t k = 0; k < TOGETHER; k++)
        *pairs[k].product = pairs[k].a->sign * pairs[k].b->sign * sum[k];
}

/* Products of the columns with each other and with the errors, which are the column behind them. */
static void multiply_columns(const struct search *search, const struct column *columns,
                             struct squares_near *near)
{
    const uint32_t numbers = search->numbers;
    struct pair pairs[TOGETHER];
    uint32_t count = 0;

    memset(near, 0, sizeof *near);
    for (uint32_t a = 0; a < numbers; a++)
        for (uint32_t b = a; b <= numbers; b++) {
            pairs[count++] =
                (struct pair){&columns[a], &columns[b],
                              b == numbers ? &near->gradient[a] : &near->products[a][b]};
            if (count < TOGETHER && !(a + 1 == numbers && b == numbers))
                continue;
            for (; count < TOGETHER; count++) /* the last one again */
                pairs[count] = pairs[count - 1];
            multiply_pairs(pairs, search->count);
            count = 0;
        }
    for (uint32_t a = 0; a < numbers; a++)
        for (uint32_t b = a + 1; b < numbers; b++)
            near->products[b][a] = near->products[a][b];
}

static void find_slopes(const struct search *search, const double *u, square by)
{
    memset(by, 0, sizeof(square));
    for (int f = 0; f < ARIMA_FACTORS; f++) {
        struct polynomial factor = search->arima->factors[f];
        const uint32_t first = search->firsts[f];
        polynomial_slopes slopes;

        polynomial_of_numbers(u + first, &factor, slopes);
        for (uint32_t j = 0; j < factor.order; j++)
            memcpy(by[first + j] + first, slopes[j], factor.order * sizeof(double));
    }
    if (search->arima->order.has_constant)
        by[search->numbers - 1][search->numbers - 1] = search->deviation;
}

/* Products by the coefficients become those by the numbers. */
static void chain(const square by, uint32_t numbers, struct squares_near *near)
{
    struct squares_near to;
    square half;

    for (uint32_t a = 0; a < numbers; a++)
        for (uint32_t b = 0; b < numbers; b++) {
            half[a][b] = 0;
            for (uint32_t k = 0; k < numbers; k++)
                half[a][b] += near->products[a][k] * by[k][b];
        }
    for (uint32_t a = 0; a < numbers; a++) {
        to.gradient[a] = 0;
        for (uint32_t k = 0; k < numbers; k++)
            to.gradient[a] += by[k][a] * near->gradient[k];
        for (uint32_t b = 0; b < numbers; b++) {
            to.products[a][b] = 0;
            for (uint32_t k = 0; k < numbers; k++)
                to.products[a][b] += by[k][a] * half[k][b];
        }
    }
    memcpy(near->gradient, to.gradient, numbers * sizeof *to.gradient);
    for (uint32_t a = 0; a < numbers; a++)
        memcpy(near->products[a], to.products[a], numbers * sizeof *to.gradient);
}

/* The errors at the numbers u, in the room, and the sum of their squares. */
static double sum_squares(struct search *search, const double *u)
{
    struct arima_room *room = search->room;
    const double *in = room->w;
    double sum;

    take_numbers(search, u);
    if (search->arima->order.has_constant) {
        for (uint32_t i = 0; i < search->count; i++)
            room->turn[i] = in[i] - search->arima->mean;
        in = room->turn;
    }
    sum = find_errors(search->arima, in, search->count, room->turn, room->errors);
    return isfinite(sum) ? sum : INFINITY;
}

/* The sum of squares at the numbers u; INFINITY from when the user has interrupted. */
static double squares(void *context, const double *u, struct squares_near *near)
{
    struct search *search = context;
    const size_t size = search->numbers * sizeof *u;

    if (search->status == STATUS_OK)
        search->status = fitting_check(
            search->fitting, (uint64_t)search->count * (near ? STEPS_OF_SLOPES : STEPS_OF_ERRORS),
            search->err);
    if (search->status != STATUS_OK)
        return INFINITY;
    if (!search->has_last || memcmp(search->last, u, size) != 0) {
        search->last_sum = sum_squares(search, u);
        memcpy(search->last, u, size);
        search->has_last = true;
    }
    if (near) {
        struct column columns[NUMBERS_MAX + 1];
        square by;

        list_columns(search, columns);
        multiply_columns(search, columns, near);
        find_slopes(search, u, by);
        chain(by, search->numbers, near);
    }
    return search->last_sum;
}

/* ----- the fit ----- */

/* The best of some first partial autocorrelations of two factors; the first of each is 0. */
static double try_starts(struct search *search, enum arima_factor a, enum arima_factor b,
                         const double *of_a, const double *of_b, uint32_t tried, double best,
                         double *u)
{
    const uint32_t in_a = search->arima->factors[a].order ? tried : 1;
    const uint32_t in_b = search->arima->factors[b].order ? tried : 1;
    uint32_t chosen = 0;
    double next[NUMBERS_MAX];

    memcpy(next, u, search->numbers * sizeof *u);
    for (uint32_t i = 1; i < in_a * in_b; i++) {
        double value;

        if (in_a > 1)
            next[search->firsts[a]] = of_a[i % in_a];
        if (in_b > 1)
            next[search->firsts[b]] = of_b[i / in_a];
        value = squares(search, next, NULL);
        if (value < best) {
            best = value;
            chosen = i;
        }
    }
    if (in_a > 1)
        u[search->firsts[a]] = of_a[chosen % in_a];
    if (in_b > 1)
        u[search->firsts[b]] = of_b[chosen / in_a];
    return best;
}

/* Numbers of .5, .9, -.4 and .4 are u where u / sqrt(1 + u^2) is that. */
static void choose_start(struct search *search, double *u)
{
    static const double half = 0.57735026918962576, most = 2.0647416048350555;
    const double ars[] = {0, half, most}, mas[] = {0, half, -0.4364357804719848};
    const double seasonal_ars[] = {0, 0.4364357804719848}, seasonal_mas[] = {0, half};
    double best;

    memset(u, 0, NUMBERS_MAX * sizeof *u);
    best = squares(search, u, NULL);
    best = try_starts(search, ARIMA_AR, ARIMA_MA, ars, mas, 3, best, u);
    try_starts(search, ARIMA_SEASONAL_AR, ARIMA_SEASONAL_MA, seasonal_ars, seasonal_mas, 2, best,
               u);
}

/* The differenced values, and where their mean is looked for. */
static void take_values(struct search *search, const struct series *series)
{
    const struct arima_order *order = &search->arima->order;
    double *w = search->room->w, sum = 0, squared = 0;
    uint32_t first = 0;

    search->count = difference_all(order, series->season, series->values, series->count, w);
    for (uint32_t i = 0; i < search->count && order->has_constant; i++)
        sum += w[i];
    search->mean = sum / search->count;
    for (uint32_t i = 0; i < search->count; i++)
        squared += (w[i] - search->mean) * (w[i] - search->mean);
    search->deviation = squared > 0 ? sqrt(squared / search->count) : 1;
    for (int f = 0; f < ARIMA_FACTORS; f++) {
        search->firsts[f] = first;
        first += search->arima->factors[f].order;
    }
}

enum status arima_fit(const struct arima_order *order, const struct series *series,
                      const struct fitting *fitting, double gain, struct arima_room *room,
                      struct arima *arima, struct error *err)
{
    struct search search = {arima, room, fitting, err, .numbers = number_count(order)};
    const double parameters = search.numbers + 1;
    double u[NUMBERS_MAX], least, count;

    *arima = (struct arima){.room = room};
    take_order(arima, order, series->season);
    take_values(&search, series);
    choose_start(&search, u);
    least = descend_squares(squares, &search, search.numbers, gain, u);
    TRY(search.status);
    take_numbers(&search, u);
    count = search.count;
    arima->variance = least / (count - search.numbers);
    arima->criterion = count * logarithm_double(least / count + SQUARE_LEAST) + 2 * parameters +
                       2 * parameters * (parameters + 1) / (count - parameters - 1);
    if (!polynomial_roots_are_above(&arima->factors[ARIMA_AR], ROOT_LEAST) ||
        !polynomial_roots_are_above(&arima->factors[ARIMA_MA], ROOT_LEAST))
        arima->criterion = INFINITY;
    return STATUS_OK;
}

/* ----- models that are kept ----- */

/* Each part of an order with its greatest value: written as one number. */
struct order_part {
    uint32_t *part, most;
};
#define ORDER_PARTS 7

static void keep_order(struct kept *kept, struct arima_order *order)
{
    uint32_t constant = order->has_constant, code = 0, codes = 1;
    const struct order_part parts[ORDER_PARTS] = {
        {&order->ar, ARIMA_LAGS_MAX},
        {&order->ma, ARIMA_LAGS_MAX},
        {&order->differences, ARIMA_DIFFERENCES_MAX},
        {&order->seasonal_ar, ARIMA_SEASONS_MAX},
        {&order->seasonal_ma, ARIMA_SEASONS_MAX},
        {&order->seasonal_differences, ARIMA_DIFFERENCES_MAX},
        {&constant, 1},
    };

    for (int i = 0; i < ORDER_PARTS; i++) {
        code += codes * *parts[i].part;
        codes *= parts[i].most + 1;
    }
    kept_count(kept, &code, codes - 1);
    for (int i = 0; i < ORDER_PARTS; i++) {
        *parts[i].part = code % (parts[i].most + 1);
        code /= parts[i].most + 1;
    }
    order->has_constant = constant;
}

void arima_keep(const struct series *series, struct arima_room *room, struct kept *kept,
                struct arima *arima, double *weight)
{
    struct arima_order order = arima->order;

    keep_order(kept, &order);
    if (kept_is_read(kept) && !arima_is_possible(&order, series)) {
        kept_spoil(kept);
        order = (struct arima_order){.ar = 0};
    }
    take_order(arima, &order, series->season);
    arima->room = room;
    for (int f = 0; f < ARIMA_FACTORS; f++)
        for (uint32_t i = 0; i < arima->factors[f].order; i++)
            kept_number(kept, &arima->factors[f].c[i]);
    kept_number(kept, &arima->mean);
    kept_number(kept, &arima->variance);
    kept_number(kept, weight);
}

uint32_t arima_errors(const struct arima *arima, const double *values, uint32_t count,
                      double *errors)
{
    double *w = arima->room->w;

    count = difference_all(&arima->order, arima->season, values, count, w);
    find_errors(arima, w, count, arima->room->turn, errors);
    return count;
}

void arima_errors_of_one(const struct arima *arima, uint32_t count, double *errors)
{
    for (uint32_t i = 0; i < count; i++)
        errors[i] = 1;
    find_errors(arima, errors, count, arima->room->turn, errors);
}

/* ----- forecasts ----- */

struct model_terms {
    struct terms ar, ma, differences;
};

static void list_terms(const struct arima *arima, struct model_terms *terms)
{
    const struct polynomial one = polynomial_of_differences(arima->order.differences, 1);
    const struct polynomial seasonal =
        polynomial_of_differences(arima->order.seasonal_differences, arima->season);

    terms_of_product(&arima->factors[ARIMA_AR], &arima->factors[ARIMA_SEASONAL_AR], &terms->ar);
    terms_of_product(&arima->factors[ARIMA_MA], &arima->factors[ARIMA_SEASONAL_MA], &terms->ma);
    terms_of_product(&one, &seasonal, &terms->differences);
}

/* How much of an error is in the values after it, and what their squares make of the variance. */
static void find_variances(const struct arima *arima, const struct model_terms *terms,
                           uint32_t horizon, double *variances)
{
    double *in_w = arima->room->turn, *in_values = arima->room->errors, sum = 0;

    for (uint32_t h = 0; h < horizon; h++) {
        in_w[h] = h == 0 ? 1 : terms_sum(&terms->ar, in_w, h);
        for (uint32_t i = 0; i < terms->ma.count; i++)
            if (terms->ma.lags[i] == h)
                in_w[h] -= terms->ma.coefficients[i];
        in_values[h] = in_w[h] + terms_sum(&terms->differences, in_values, h);
        sum += in_values[h] * in_values[h];
        variances[h] = arima->variance * sum;
    }
}

/* The next w's, and the values of which they are the differences. */
static void find_means(const struct arima *arima, const struct model_terms *terms,
                       const struct series *series, uint32_t origin, uint32_t horizon,
                       double *means)
{
    double *w = arima->room->w, *errors = arima->room->errors;
    const uint32_t count = difference_all(&arima->order, arima->season, series->values, origin, w);

    for (uint32_t i = 0; i < count; i++)
        w[i] -= arima->mean;
    find_errors(arima, w, count, arima->room->turn, errors);
    for (uint32_t h = 0; h < horizon; h++) {
        const uint64_t at = (uint64_t)count + h;

        errors[at] = 0;
        w[at] = terms_sum(&terms->ar, w, at) - terms_sum(&terms->ma, errors, at);
        means[h] = w[at] + arima->mean;
        for (uint32_t i = 0; i < terms->differences.count; i++) {
            const uint32_t lag = terms->differences.lags[i];

            means[h] += terms->differences.coefficients[i] *
                        (lag <= h ? means[h - lag] : series->values[origin + h - lag]);
        }
    }
}

void arima_project(const struct arima *arima, const struct series *series, uint32_t origin,
                   uint32_t horizon, double *means, double *variances)
{
    struct model_terms terms;

    list_terms(arima, &terms);
    if (origin > lost(&arima->order, arima->season))
        find_means(arima, &terms, series, origin, horizon, means);
    else
        for (uint32_t h = 0; h < horizon; h++)
            means[h] = series->values[origin - 1];
    if (variances)
        find_variances(arima, &terms, horizon, variances);
}
