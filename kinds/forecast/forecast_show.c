#include "kinds/forecast/forecast_show.h"

#include "base/cell_values.h"
#include "kinds/forecast/forecast_model.h"

/* The largest unit of time that makes up a step. */
static const char *unit_of(const struct forecast_model *forecast, int64_t *size)
{
    static const struct {
        int64_t microseconds;
        const char *name;
    } times[] = {{DAY_MICROSECONDS, "day"},
                 {DAY_MICROSECONDS / 24, "hour"},
                 {DAY_MICROSECONDS / 1440, "minute"},
                 {1000000, "second"},
                 {1000, "millisecond"},
                 {1, "microsecond"}};
    size_t i = 0;

    *size = forecast->size;
    switch (forecast->unit) {
    case STEP_NUMBER:
        return "";
    case STEP_MONTH:
        return "month";
    case STEP_MONTH_END:
        return "month end";
    case STEP_WEEKDAY:
        return "weekday";
    case STEP_MICROSECOND:
        break;
    }
    while (forecast->size % times[i].microseconds != 0)
        i++;
    *size = forecast->size / times[i].microseconds;
    return times[i].name;
}

static void append_steps(const struct forecast_model *forecast, struct text *out)
{
    int64_t size;
    const char *unit = unit_of(forecast, &size);

    text_printf(out, "%u of %lld%s%s%s", forecast->horizon, (long long)size, unit[0] ? " " : "",
                unit, unit[0] && size != 1 ? "s" : "");
}

static void append_seasons(const struct forecast_model *forecast, struct text *out)
{
    uint32_t left = forecast->series;

    for (uint32_t i = 0; i < forecast->found->season_count; i++) {
        const struct found_season *season = &forecast->found->seasons[i];

        text_append_string(out, i > 0 ? ", " : "");
        if (season->length > 1)
            text_printf(out, "%u in %u", season->length, season->series);
        else
            text_printf(out, "none in %u", season->series);
        if (i == 0)
            text_append_string(out, " series");
        left -= season->series < left ? season->series : left;
    }
    if (left > 0)
        text_printf(out, ", others in %u", left);
}

/* "promo 12.4 in 98 series, price -3 in 100" */
static enum status put_regressors(const struct model *model, model_fact_sink *put, void *context,
                                  struct error *err)
{
    const struct forecast_model *forecast = forecast_outline(model);
    const struct transform_input *inputs = forecast_time_input(&model->transform) + 1;
    enum status status;
    struct text text;

    if (forecast->regressors == 0)
        return STATUS_OK;
    text_init(&text, TEXT_MAXIMUM);
    for (uint32_t i = 0; i < forecast->regressors; i++)
        text_printf(&text, "%s%.*s %.4g in %u%s", i > 0 ? ", " : "",
                    SLICE_FORMAT(inputs[i].spec.name), forecast->found->regressors[i].median,
                    forecast->found->regressors[i].series, i > 0 ? "" : " series");
    status = text.failed ? fail_no_memory(err)
                         : put(context, "regressors", cell_text(text_slice(&text)), err);
    text_deinit(&text);
    return status;
}

/* "Christmas -80.5 in 98 series, Easter 12 in 100" */
static void append_holidays(const struct forecast_model *forecast, struct text *out)
{
    for (uint32_t i = 0; i < forecast->holidays.count; i++)
        text_printf(out, "%s%.*s %.4g in %u%s", i > 0 ? ", " : "",
                    SLICE_FORMAT(forecast->holidays.items[i].name),
                    forecast->found->holidays[i].median, forecast->found->holidays[i].series,
                    i > 0 ? "" : " series");
}

/* "0 to 100, whole numbers" */
static void append_limits(const struct forecast_model *forecast, struct text *out)
{
    const struct forecast_limits *limits = &forecast->limits;
    const bool has_lower = isfinite(limits->lower), has_upper = isfinite(limits->upper);

    if (has_lower && has_upper)
        text_printf(out, "%.9g to %.9g", limits->lower, limits->upper);
    else if (has_lower)
        text_printf(out, "%.9g or more", limits->lower);
    else if (has_upper)
        text_printf(out, "%.9g or less", limits->upper);
    if (limits->is_whole)
        text_printf(out, "%swhole numbers", has_lower || has_upper ? ", " : "");
}

static void append_hierarchy(const struct forecast_model *forecast, struct text *out)
{
    text_printf(out, "%s, totals among the series", forecast_hierarchy_words[forecast->hierarchy]);
}

static enum status put_text(model_fact_sink *put, void *context, const char *name,
                            const struct forecast_model *forecast,
                            void (*append)(const struct forecast_model *, struct text *),
                            struct error *err)
{
    enum status status;
    struct text text;

    text_init(&text, TEXT_MAXIMUM);
    append(forecast, &text);
    status =
        text.failed ? fail_no_memory(err) : put(context, name, cell_text(text_slice(&text)), err);
    text_deinit(&text);
    return status;
}

static void append_kept(const struct forecast_model *forecast, struct text *out)
{
    text_append_string(out, "the parameters of each series");
    if (forecast->fitted.values > 0)
        text_printf(out, " and its last %u values", forecast->fitted.values);
}

static void append_ways(const struct forecast_model *forecast, struct text *out)
{
    text_printf(out, "%u moved on by new rows, %u stayed, %u fitted anew, %u not in the old model",
                forecast->ways[WAY_MOVED], forecast->ways[WAY_STAYED], forecast->ways[WAY_ANEW],
                forecast->ways[WAY_NEW]);
}

enum status forecast_show(const struct model *model, model_fact_sink *put, void *context,
                          struct error *err)
{
    const struct forecast_model *forecast = forecast_outline(model);

    TRY(put(context, "series", cell_integer(forecast->series), err));
    TRY(put_text(put, context, "steps", forecast, append_steps, err));
    TRY(put_text(put, context, "seasons", forecast, append_seasons, err));
    TRY(put_regressors(model, put, context, err));
    if (forecast->holidays.count > 0)
        TRY(put_text(put, context, "holidays", forecast, append_holidays, err));
    if (forecast->hierarchy != HIERARCHY_NONE)
        TRY(put_text(put, context, "hierarchy", forecast, append_hierarchy, err));
    if (forecast_is_limited(&forecast->limits))
        TRY(put_text(put, context, "limits", forecast, append_limits, err));
    if (forecast->kept > 0)
        TRY(put_text(put, context, "keeps", forecast, append_kept, err));
    if (forecast->kept > 0 && forecast->ways[WAY_NEW] < forecast->series)
        TRY(put_text(put, context, "going on", forecast, append_ways, err));
    return put(context, "level", cell_real(forecast->level), err);
}
