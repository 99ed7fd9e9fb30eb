#include "kinds/forecast/forecast_attributes.h"

#include <math.h>

#include "forecast/arima/arima.h"
#include "forecast/regressors.h"
#include "params/attribute_rows.h"

_Static_assert(sizeof(struct forecast_params) <= KIND_PARAMS_BYTES, "they fit into a job spec");

/* The names of forecast_method. */
const char *const forecast_method_words[] = {
    "forecast",      "autoets",
    "ets",           "autoarima",
    "arima",         "mstl",
    "theta",         "optimizedtheta",
    "dynamictheta",  "dynamicoptimizedtheta",
    "seasonalnaive", "naive",
    "croston",       "sba",
    "tsb",           "stlarima",
    "trees",         NULL,
};
const char *const forecast_duplicates_words[] = {"error", "sum", "mean", NULL};
const char *const forecast_gaps_words[] = {"line", "zero", "last", NULL};
const char *const forecast_hierarchy_words[] = {"none", "bottom-up", "mint", NULL};
const char *const forecast_transform_words[] = {"none", "log", "box-cox", "auto", NULL};

ATTRIBUTE_TABLE(forecast_attributes, struct forecast_params, FORECAST_ATTRIBUTES)

bool forecast_order(const struct forecast_params *params, struct arima_order *order)
{
    const struct counts *own = &params->order, *seasonal = &params->seasonal_order;

    if (own->count == 0)
        return false;
    *order = (struct arima_order){
        .ar = own->items[0], .differences = own->items[1], .ma = own->items[2]};
    if (seasonal->count > 0) {
        order->seasonal_ar = seasonal->items[0];
        order->seasonal_differences = seasonal->items[1];
        order->seasonal_ma = seasonal->items[2];
    }
    order->has_constant = order->differences + order->seasonal_differences == 0;
    return true;
}

struct forecast_limits forecast_limits_of(const struct forecast_params *params)
{
    struct forecast_limits limits = forecast_unlimited;

    if (params->lower.count > 0)
        limits.lower = params->lower.items[0];
    if (params->upper.count > 0)
        limits.upper = params->upper.items[0];
    limits.is_whole = params->is_whole;
    return limits;
}

static int position_of(const struct kind_settings *settings, const char *attribute)
{
    struct slice spelled;
    int position = -1;

    settings->find(settings->context, attribute, &spelled, &position);
    return position;
}

static enum status check_order(const struct counts *order, const char *attribute, uint32_t lags_max,
                               const struct kind_settings *settings, struct error *err)
{
    const uint32_t most[] = {lags_max, ARIMA_DIFFERENCES_MAX, lags_max};

    for (uint32_t i = 0; i < order->count; i++) {
        if (order->count == 3 && order->items[i] <= most[i])
            continue;
        fail_at(err, STATUS_INVALID, position_of(settings, attribute),
                "%s is a list of three whole numbers from 0 to %u, %u and %u", attribute, most[0],
                most[1], most[2]);
        return error_hint(
            err, "Write, for example, forecast.order = [1, 1, 1], forecast.seasonal_order = "
                 "[0, 1, 1], forecast.season = 12.");
    }
    return STATUS_OK;
}

static enum status check_limits(const struct forecast_params *params,
                                const struct kind_settings *settings, struct error *err)
{
    const struct forecast_limits limits = forecast_limits_of(params);
    const char *const names[] = {"forecast.lower", "forecast.upper"};
    const uint32_t counts[] = {params->lower.count, params->upper.count};

    for (int i = 0; i < 2; i++)
        if (counts[i] > 1)
            return fail_at(err, STATUS_INVALID, position_of(settings, names[i]),
                           "%s is one number, not a list of %u", names[i], counts[i]);
    if (limits.lower < limits.upper)
        return STATUS_OK;
    fail_at(err, STATUS_INVALID, position_of(settings, "forecast.upper"),
            "forecast.upper is above forecast.lower, and %g is not above %g", limits.upper,
            limits.lower);
    return error_hint(err, "Shares are WITH forecast.lower = 0, forecast.upper = 1.");
}

/* A total is within the limits of its parts where these are 0 and nothing. */
static enum status check_hierarchy(const struct forecast_params *params,
                                   const struct kind_settings *settings, struct error *err)
{
    const struct forecast_limits limits = forecast_limits_of(params);
    const bool is_lower = isfinite(limits.lower) && limits.lower != 0;
    struct slice spelled;
    int position = -1;

    if (params->hierarchy == HIERARCHY_NONE)
        return STATUS_OK;
    if (!settings->find(settings->context, "forecast.group", &spelled, &position)) {
        fail_at(err, STATUS_INVALID, position_of(settings, "forecast.hierarchy"),
                "forecast.hierarchy needs forecast.group");
        return error_hint(err, "Totals are over its columns, as in forecast.group = "
                               "['region', 'store'].");
    }
    if (!is_lower && !isfinite(limits.upper))
        return STATUS_OK;
    fail_at(err, STATUS_INVALID,
            position_of(settings, is_lower ? "forecast.lower" : "forecast.upper"),
            "a total is not within the limits of its parts: %s",
            is_lower ? "forecast.lower is 0 with forecast.hierarchy"
                     : "forecast.upper has no use with forecast.hierarchy");
    return error_hint(err, "forecast.lower = 0 and forecast.round = true hold for all of them.");
}

/* Totals add up as values do, and many zeros have no logarithm. */
static enum status check_transform(const struct forecast_params *params,
                                   const struct kind_settings *settings, struct error *err)
{
    const char *method = forecast_method_words[params->method];
    const struct method *found;

    if (params->transform == TRANSFORMS_NONE)
        return STATUS_OK;
    if (params->hierarchy != HIERARCHY_NONE) {
        fail_at(err, STATUS_INVALID, position_of(settings, "forecast.transform"),
                "forecast.transform has no use with forecast.hierarchy");
        return error_hint(err, "Forecasts of totals add up, and logarithms do not.");
    }
    TRY(forecast_method(slice_of(method), &found, err));
    if (regressors_suit(found))
        return STATUS_OK;
    fail_at(err, STATUS_INVALID, position_of(settings, "forecast.transform"),
            "forecast.transform has no use with %s", method);
    return error_hint(err, "It forecasts zeros among other values, which have no logarithm.");
}

/* Attributes of trees, which other methods have no use for; and they are grown anew. */
static enum status check_trees(const struct forecast_params *params,
                               const struct kind_settings *settings, struct error *err)
{
    static const char *const names[] = {"train.num_boost_round", "max_depth", "eta",
                                        "min_data_in_leaf"};
    const char *method = forecast_method_words[params->method];
    struct slice spelled;
    int position = -1;

    if (slice_is(slice_of(method), "trees")) {
        if (!params->keeps)
            return STATUS_OK;
        fail_at(err, STATUS_UNSUPPORTED, position_of(settings, "forecast.keep_parameters"),
                "forecast.keep_parameters does not go together with trees");
        return error_hint(err, "Their forecasts are trained anew, from all rows.");
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (settings->find(settings->context, names[i], &spelled, &position)) {
            fail_at(err, STATUS_INVALID, position, "%.*s belongs to ForecastTrees, not to %s",
                    SLICE_FORMAT(spelled), method);
            return error_hint(err, "TO TRAIN ForecastTrees has trees; leave it out otherwise.");
        }
    return STATUS_OK;
}

static enum status check_kept(const struct forecast_params *params,
                              const struct kind_settings *settings, struct error *err)
{
    if (params->values > 0 && !params->keeps) {
        fail_at(err, STATUS_INVALID, position_of(settings, "forecast.keep_values"),
                "forecast.keep_values needs forecast.keep_parameters = true");
        return error_hint(err, "Values are kept for series that move on, with their parameters.");
    }
    return STATUS_OK;
}

enum status forecast_settle(struct kind_params *all, const struct kind_settings *settings,
                            struct error *err)
{
    const struct forecast_params *params = forecast_params(all);
    const struct slice method = slice_of(forecast_method_words[params->method]);
    const bool is_arima = slice_is(method, "arima") || slice_is(method, "stlarima") ||
                          slice_is(method, "autoarima"); /* an order ends its search */

    TRY(check_limits(params, settings, err));
    TRY(check_hierarchy(params, settings, err));
    TRY(check_transform(params, settings, err));
    TRY(check_kept(params, settings, err));
    TRY(check_trees(params, settings, err));
    TRY(check_order(&params->order, "forecast.order", ARIMA_LAGS_MAX, settings, err));
    TRY(check_order(&params->seasonal_order, "forecast.seasonal_order", ARIMA_SEASONS_MAX, settings,
                    err));
    if (params->seasons.count > SEASONS_MAX)
        return fail_at(err, STATUS_INVALID, position_of(settings, "forecast.season"),
                       "forecast.season has %d lengths at most", SEASONS_MAX);
    if (params->order.count > 0 && !is_arima) {
        fail_at(err, STATUS_INVALID, position_of(settings, "forecast.order"),
                "forecast.order belongs to ARIMA, not to %s",
                forecast_method_words[params->method]);
        return error_hint(err, "TO TRAIN ARIMA takes it, as does forecast.method = 'arima'.");
    }
    if (params->seasonal_order.count > 0 && params->order.count == 0) {
        fail_at(err, STATUS_INVALID, position_of(settings, "forecast.seasonal_order"),
                "forecast.seasonal_order needs forecast.order");
        return error_hint(err, "Without both the orders are searched for.");
    }
    return STATUS_OK;
}
