#include "planner/forecast/forecast_span.h"

#include "inputs/cells/dates.h"
#include "planner/plan/settings.h"

#define HORIZON "forecast.horizon"
#define START   "forecast.start"
#define END     "forecast.end"

static enum status read_day(const struct planning *planning, const struct setting *setting,
                            int64_t *day)
{
    struct date date;

    if (date_read(setting->value.text, &date)) {
        *day = date.day;
        return STATUS_OK;
    }
    fail_at(planning->err, STATUS_INVALID, setting->value.span.start, "%.*s is a date, not '%.*s'",
            SLICE_FORMAT(setting->name.text), SLICE_FORMAT(slice_prefix(setting->value.text, 40)));
    return error_hint(planning->err,
                      "Write, for example, forecast.start = '2014-09-01', forecast.end = "
                      "'2014-09-30'.");
}

/* The forms that dates are read in. */
static enum status check_format(const struct planning *planning)
{
    const struct setting *format = settings_find(planning, "forecast.date_format");

    if (!format || slice_is(format->value.text, "%Y-%m-%d") ||
        slice_is(format->value.text, "%Y-%m-%d %H:%M:%S"))
        return STATUS_OK;
    fail_at(planning->err, STATUS_INVALID, format->value.span.start,
            "dates are written as %%Y-%%m-%%d, not as '%.*s'",
            SLICE_FORMAT(slice_prefix(format->value.text, 40)));
    return error_hint(planning->err, "Make such dates of them in the SELECT; a column of dates or "
                                     "timestamps needs no format.");
}

static enum status refuse_alone(const struct planning *planning, const struct setting *alone)
{
    fail_at(planning->err, STATUS_INVALID, alone->name.position,
            "forecast.start and forecast.end are set together, or neither is");
    return error_hint(planning->err, "forecast.horizon = 30 forecasts 30 steps.");
}

static enum status refuse_horizon(const struct planning *planning, const struct setting *end)
{
    fail_at(planning->err, STATUS_INVALID, end->name.position,
            "forecast.start and forecast.end say how many steps are forecast, and so does %s",
            HORIZON);
    return error_hint(planning->err, "Leave out either.");
}

static enum status make_setting(struct planning *planning, const struct setting *end, int64_t days,
                                const struct setting **made)
{
    struct setting *setting = ARENA_NEW(planning->arena, struct setting, 1);

    if (!setting)
        return fail_no_memory(planning->err);
    *setting =
        (struct setting){.name = {.text = slice_of(HORIZON), .position = end->name.position},
                         .value = {.kind = VALUE_NUMBER,
                                   .span = end->value.span,
                                   .number = (double)days,
                                   .is_integer = true,
                                   .integer = days,
                                   .text = arena_printf(planning->arena, "%lld", (long long)days)}};
    *made = setting;
    return setting->value.text.data ? STATUS_OK : fail_no_memory(planning->err);
}

enum status forecast_span_setting(struct planning *planning, const struct setting **setting)
{
    const struct setting *start = settings_find(planning, START);
    const struct setting *end = settings_find(planning, END);
    int64_t first = 0, last = 0;

    *setting = NULL;
    TRY(check_format(planning));
    if (!start && !end)
        return STATUS_OK;
    if (!start || !end)
        return refuse_alone(planning, start ? start : end);
    if (settings_find(planning, HORIZON))
        return refuse_horizon(planning, end);
    TRY(read_day(planning, start, &first));
    TRY(read_day(planning, end, &last));
    if (last < first)
        return fail_at(planning->err, STATUS_INVALID, end->value.span.start,
                       "forecast.end is before forecast.start");
    notice_add(planning->plan->notices, NOTICE_SETTING,
               "%lld steps are forecast, one for each day from %.*s to %.*s",
               (long long)(last - first + 1), SLICE_FORMAT(start->value.text),
               SLICE_FORMAT(end->value.text));
    notice_hint(planning->plan->notices,
                "The first step follows the last row, whatever forecast.start says; "
                "forecast.horizon sets the number of steps that are not days.");
    return make_setting(planning, end, last - first + 1, setting);
}
