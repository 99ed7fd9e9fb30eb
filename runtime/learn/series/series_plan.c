#include "runtime/learn/series/series_plan.h"

#include "forecast/arima/auto_arima.h"

enum status series_plan_make(const struct forecast_params *params, bool are_numbers,
                             struct series_plan *plan, struct error *err)
{
    struct forecast_options *options = &plan->options;

    *plan = (struct series_plan){.duplicates = (enum duplicates)params->duplicates,
                                 .gaps = (enum forecast_gaps)params->gaps,
                                 .backtests = params->backtests,
                                 .are_numbers = are_numbers,
                                 .limits = forecast_limits_of(params),
                                 .hierarchy = (enum forecast_hierarchy)params->hierarchy,
                                 .transform = (enum forecast_transform)params->transform,
                                 .has_seasons = params->seasons.count > 0};
    options->has_order = forecast_order(params, &options->order);
    TRY(forecast_method(slice_of(forecast_method_words[params->method]), &options->method, err));
    if (options->has_order && options->method == &auto_arima_method) /* an order ends the search */
        options->method = &arima_method;
    options->horizon = params->horizon;
    options->history = params->history;
    options->level = params->level;
    options->season_is_given = params->seasons.count == 1;
    for (uint32_t i = 0; i < params->seasons.count; i++)
        forecast_add_season(options, params->seasons.items[i]);
    return STATUS_OK;
}

enum status series_plan_settle(struct series_plan *plan, const struct steps *steps,
                               struct error *err)
{
    struct forecast_options *options = &plan->options;

    plan->steps = *steps;
    if (!plan->has_seasons)
        options->season_count = steps_seasons(steps, options->seasons);
    if (!forecast_lacks_season(options))
        return STATUS_OK;
    fail(err, STATUS_INVALID, "%s needs a season, and these times have none",
         options->has_order ? "forecast.seasonal_order" : "MSTL");
    return error_hint(err, "Give its steps, as in forecast.season = 12.");
}
