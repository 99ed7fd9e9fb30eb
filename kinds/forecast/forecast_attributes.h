/*
 * forecast_attributes.h - what WITH sets of a forecast.
 */
#pragma once

#include "forecast/forecast.h"
#include "forecast/methods/method.h"
#include "kinds/forecast/forecast_limits.h"
#include "scoring/kind.h"
#include "scoring/outputs.h"

#define FORECAST_BACKTESTS_MAX 10
#define FORECAST_BOUND_MAX     1e15
#define FORECAST_TREE_ROWS_MAX 4000000 /* values that trees are learned from, about */
#define FORECAST_ROUNDS_MAX    1000

extern const char *const forecast_method_words[];
extern const char *const forecast_duplicates_words[];
extern const char *const forecast_gaps_words[];
extern const char *const forecast_hierarchy_words[];
extern const char *const forecast_transform_words[];

/* Values of one time. */
enum forecast_duplicates { DUPLICATES_ARE_ERRORS, DUPLICATES_ARE_ADDED, DUPLICATES_ARE_AVERAGED };

#define FORECAST_ATTRIBUTES(STORED, PLANNED)                                                       \
    PLANNED("forecast.time", SCOPE_TRAIN, TEXT(),                                                  \
            "The column of the SELECT with the time of each row: dates, timestamps or whole "      \
            "numbers. Required.",                                                                  \
            .example = "A column day is WITH forecast.time = 'day'.",                              \
            .aliases = WORDS("time_series_timestamp_col", "forecast.ds"))                          \
    PLANNED("forecast.group", SCOPE_TRAIN, WORD_LIST(NULL, NULL),                                  \
            "The columns of the SELECT that identify the series of a row, as in 'store' or "       \
            "['region', 'store']. Without, all rows are one series.",                              \
            .aliases = WORDS("time_series_id_col", "forecast.unique_id"))                          \
    STORED(uint32_t, horizon, "forecast.horizon", SCOPE_TRAIN, IN_KIND(horizon),                   \
           INTEGER(1, HORIZON_MAX, NULL),                                                          \
           "Steps behind the last time of each series that are forecast. Required.",               \
           .example = "Four weeks of days are WITH forecast.horizon = 28.",                        \
           .aliases = WORDS("horizon", "forecast.h"))                                              \
    STORED(unsigned, method, "forecast.method", SCOPE_TRAIN, IN_KIND(method),                      \
           WORD("forecast", forecast_method_words, NULL),                                          \
           "How a series is forecast. 'forecast': the weighted mean of exponential smoothing, "    \
           "Theta, ARIMA and the last season, by their errors on the series' past.")               \
    STORED(                                                                                        \
        struct counts, seasons, "forecast.season", SCOPE_TRAIN, IN_KIND(season),                   \
        INTEGERS(1, SEASON_MAX, NULL),                                                             \
        "Steps of a season, or a list of lengths of which the longest that is found counts; 1: "   \
        "none. Default: what dates suggest, such as 12 for months, and 24 and 168 for hours.",     \
        .aliases = WORDS("forecast.season_length", "forecast.seasons", "model.period"))            \
    STORED(double, level, "forecast.level", SCOPE_TRAIN | SCOPE_FORECAST, IN_KIND(level),          \
           REAL(0.5, 0.999, "0.95"),                                                               \
           "Share of what comes that lies between the lower and the upper bound.",                 \
           .aliases = WORDS("confidence_level"))                                                   \
    STORED(struct counts, order, "forecast.order", SCOPE_TRAIN, IN_KIND(order),                    \
           INTEGERS(0, 100, NULL),                                                                 \
           "The order of an ARIMA, [p, d, q]. Default: it is searched for.",                       \
           .aliases = WORDS("non_seasonal_order", "model.order"))                                  \
    STORED(struct counts, seasonal_order, "forecast.seasonal_order", SCOPE_TRAIN,                  \
           IN_KIND(seasonal_order), INTEGERS(0, 100, NULL),                                        \
           "The seasonal order of an ARIMA, [P, D, Q], beside forecast.order.")                    \
    STORED(unsigned, duplicates, "forecast.duplicates", SCOPE_TRAIN, IN_KIND(duplicates),          \
           WORD("error", forecast_duplicates_words, NULL),                                         \
           "Several values of one time in a series: 'error', or their 'sum' or 'mean' counts.")    \
    STORED(unsigned, gaps, "forecast.gaps", SCOPE_TRAIN, IN_KIND(gaps),                            \
           WORD("line", forecast_gaps_words, NULL),                                                \
           "Times between others that have no value: on the 'line' between their neighbours, "     \
           "'zero', or the 'last' value before them.")                                             \
    STORED(struct reals, lower, "forecast.lower", SCOPE_TRAIN, IN_KIND(lower),                     \
           REALS(-FORECAST_BOUND_MAX, FORECAST_BOUND_MAX, NULL),                                   \
           "No forecast, and no bound of an interval, is below this number.",                      \
           .aliases = WORDS("forecast_limit_lower_bound"))                                         \
    STORED(struct reals, upper, "forecast.upper", SCOPE_TRAIN, IN_KIND(upper),                     \
           REALS(-FORECAST_BOUND_MAX, FORECAST_BOUND_MAX, NULL),                                   \
           "No forecast, and no bound of an interval, is above this number.",                      \
           .aliases = WORDS("forecast_limit_upper_bound"))                                         \
    STORED(bool, is_whole, "forecast.round", SCOPE_TRAIN, IN_KIND(round), BOOLEAN("false", NULL),  \
           "Forecasts are whole numbers: the nearest one, and intervals reach to the next ones "   \
           "outside of them.")                                                                     \
    STORED(unsigned, hierarchy, "forecast.hierarchy", SCOPE_TRAIN, IN_KIND(hierarchy),             \
           WORD("none", forecast_hierarchy_words, NULL),                                           \
           "Totals over the columns of forecast.group, the last one first, that add up: "          \
           "'bottom-up', the sums of their parts, or 'mint', by the errors of all of them.")       \
    STORED(unsigned, transform, "forecast.transform", SCOPE_TRAIN, IN_KIND(transform),             \
           WORD("none", forecast_transform_words, NULL),                                           \
           "Values are forecast as their logarithms, 'log', or as the power that makes "           \
           "their deviations most alike, 'box-cox'; both need values above 0. 'auto': "            \
           "'box-cox' if all values of a series are above 0.")                                     \
    STORED(uint32_t, backtests, "forecast.backtest", SCOPE_TRAIN, IN_KIND(backtest),               \
           INTEGER(0, FORECAST_BACKTESTS_MAX, "1"),                                                \
           "How often the past is forecast to measure the errors: from the horizon before the "    \
           "last value, from two horizons before it, and so on. 0: the errors are not measured.")  \
    STORED(uint32_t, history, "forecast.history", SCOPE_TRAIN, IN_KIND(history),                   \
           INTEGER(0, HISTORY_MAX, "0"),                                                           \
           "Last values of each series for which the model keeps what it expects there, so that "  \
           "TO PREDICT finds anomalies among them. 0: those of times to come alone.")              \
    STORED(bool, keeps, "forecast.keep_parameters", SCOPE_TRAIN, IN_KIND(keep_parameters),         \
           BOOLEAN("false", NULL),                                                                 \
           "The model keeps the parameters of each series, so that TO TRAIN ... USING it moves "   \
           "the series on by new rows and searches for none.")                                     \
    STORED(uint32_t, values, "forecast.keep_values", SCOPE_TRAIN, IN_KIND(keep_values),            \
           INTEGER(0, HISTORY_MAX, "0"),                                                           \
           "Last values of each series that the model keeps beside its parameters: with all of "   \
           "them TO TRAIN ... USING it takes the new rows alone.")                                 \
    STORED(uint32_t, rounds, "train.num_boost_round", SCOPE_TRAIN, IN_KIND(rounds),                \
           INTEGER(1, FORECAST_ROUNDS_MAX, "100"),                                                 \
           "Trees that ForecastTrees grows, one after the other.")                                 \
    STORED(uint32_t, max_depth, "max_depth", SCOPE_TRAIN, IN_KIND(max_depth),                      \
           INTEGER(1, POOLED_DEPTH_MAX, "4"),                                                      \
           "Most splits on the way to a leaf of ForecastTrees.")                                   \
    STORED(double, eta, "eta", SCOPE_TRAIN, IN_KIND(eta), REAL(0, 1, "0.05"),                      \
           "Learning rate of ForecastTrees: the factor of each tree's leaves.")                    \
    STORED(uint32_t, min_rows, "min_data_in_leaf", SCOPE_TRAIN, IN_KIND(min_rows),                 \
           INTEGER(1, 1e9, "20"), "Least values of the series in a leaf of ForecastTrees.")        \
    PLANNED(                                                                                       \
        "forecast.holidays", SCOPE_TRAIN, TEXT(),                                                  \
        "A table or view of holidays: a column of dates, and one of names where there is more "    \
        "than one holiday. Each has an effect of its own, also on the days to come.",              \
        .example = "Each row is a day, such as '2026-12-25', 'Christmas': WITH forecast.holidays " \
                   "= 'holidays'.")                                                                \
    PLANNED("forecast.start", SCOPE_TRAIN, TEXT(),                                                 \
            "With forecast.end, in place of forecast.horizon: the first day that is forecast.",    \
            .aliases = WORDS("model.forecast_start"))                                              \
    PLANNED("forecast.end", SCOPE_TRAIN, TEXT(),                                                   \
            "The last day that is forecast: a step for each day from forecast.start on.",          \
            .aliases = WORDS("model.forecast_end"))                                                \
    PLANNED("forecast.date_format", SCOPE_TRAIN, TEXT(),                                           \
            "The form of dates, '%Y-%m-%d', which is the one that is read.",                       \
            .aliases = WORDS("model.date_format"))                                                 \
    PLANNED("forecast.anomaly", SCOPE_PREDICT,                                                     \
            REAL(CHECKED_LEVEL_LEAST, CHECKED_LEVEL_MOST, "0.95"),                                 \
            "A value is an anomaly where its probability to be one is above this; lower and "      \
            "upper are the bounds of such a level. The SELECT has the column of the label.",       \
            .aliases = WORDS("anomaly_prob_threshold"))

/* The value of a time that has none. */
enum forecast_gaps { GAPS_ON_LINE, GAPS_ARE_ZERO, GAPS_ARE_LAST };

/* How totals and their parts come to add up. */
enum forecast_hierarchy { HIERARCHY_NONE, HIERARCHY_BOTTOM_UP, HIERARCHY_MINT };

/* The values that a series is forecast by. */
enum forecast_transform { TRANSFORMS_NONE, TRANSFORMS_LOG, TRANSFORMS_BOX_COX, TRANSFORMS_AUTO };

/* In a struct kind_params. */
struct KIND_PARAMS_TYPE forecast_params {
    FORECAST_ATTRIBUTES(ATTRIBUTE_MEMBER, ATTRIBUTE_NO_MEMBER)
};

extern const struct attribute_table forecast_attributes;

static inline struct forecast_params *forecast_params(const struct kind_params *params)
{
    return (struct forecast_params *)(void *)params->bytes;
}

/* The limits that are set, and others that limit nothing. */
struct forecast_limits forecast_limits_of(const struct forecast_params *params);

/* The orders of an ARIMA; false: they are searched for. */
struct arima_order;
bool forecast_order(const struct forecast_params *params, struct arima_order *order);

/* kind->settle. */
enum status forecast_settle(struct kind_params *params, const struct kind_settings *settings,
                            struct error *err);
