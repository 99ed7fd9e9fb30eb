#include "kinds/forecast/forecast_score.h"

#include <math.h>

#include "forecast/time/time_text.h"
#include "kinds/forecast/forecast_kind.h"
#include "kinds/forecast/forecast_model.h"

uint32_t forecast_outputs(const struct model *model)
{
    (void)model;
    return FORECAST_QUANTILES * NUMBER_PARTS;
}

enum status forecast_scorer_open(const struct model *model, uint32_t rows_max, void **workspace,
                                 struct error *err)
{
    (void)rows_max;
    (void)err;
    *workspace = (void *)(uintptr_t)model; /* nothing besides */
    return STATUS_OK;
}

/* Part `part` of quantile `quantile` lies at part * FORECAST_QUANTILES + quantile. */
static void put_outputs(const struct forecast_step *step, float *outputs)
{
    const double numbers[FORECAST_QUANTILES] = {step->lower, step->value, step->upper};

    for (uint32_t i = 0; i < FORECAST_QUANTILES; i++) {
        float parts[NUMBER_PARTS];

        number_to_parts(numbers[i], parts);
        for (uint32_t p = 0; p < NUMBER_PARTS; p++)
            outputs[p * FORECAST_QUANTILES + i] = parts[p];
    }
}

/* The series of a row, and how many steps behind its last value it is; false: it has no
 * forecast. */
static bool find_step(const struct model *model, const float *dense, const int32_t *ids,
                      uint32_t *series, int64_t *ahead)
{
    int64_t time;

    if (!forecast_row_series(model, ids, series) || !forecast_time(&model->transform, dense, &time))
        return false;
    return forecast_ahead(forecast_of(model), *series, time, ahead);
}

bool forecast_has_number(void *workspace, const float *dense, const int32_t *ids)
{
    uint32_t series;
    int64_t ahead;

    return find_step(workspace, dense, ids, &series, &ahead);
}

/* Which regressor the row lacks; the number of all of them: none. */
static uint32_t find_missing(const struct model *model, const float *dense)
{
    const uint32_t count = forecast_of(model)->regressors;
    double regressors[REGRESSORS_MAX];
    uint32_t i = 0;

    forecast_row_regressors(&model->transform, dense, regressors);
    while (i < count && !isnan(regressors[i]))
        i++;
    return i;
}

/* "series store = 'north': regressor "promo" is NULL at 2024-06-01" */
static enum status refuse_missing(const struct model *model, uint32_t series, int64_t time,
                                  uint32_t regressor, struct error *err)
{
    const struct forecast_model *forecast = forecast_of(model);
    const struct slice name = forecast_time_input(&model->transform)[1 + regressor].spec.name;
    char when[TIME_BYTES];
    struct text whose;

    time_print(forecast->times == FORECAST_NUMBERS ? TIME_NUMBER
               : forecast->times == FORECAST_DATES ? TIME_DATE
                                                   : TIME_MOMENT,
               time, "", when);
    text_init(&whose, TEXT_MAXIMUM);
    for (uint32_t i = 0; i < forecast->groups; i++)
        text_printf(&whose, "%s%.*s = '%.*s'%s", i ? ", " : "series ",
                    SLICE_FORMAT(slice_prefix(model->transform.inputs[i].spec.name, 60)),
                    SLICE_FORMAT(slice_prefix(forecast_word(model, series, i), 60)),
                    i + 1 < forecast->groups ? "" : ": ");
    fail(err, STATUS_INVALID, "%.150sregressor \"%.*s\" is NULL at %s", text_string(&whose),
         SLICE_FORMAT(slice_prefix(name, 60)), when);
    text_deinit(&whose);
    return error_hint(err,
                      "Its value has to be known for a forecast: coalesce(%.*s, 0) AS %.*s "
                      "gives one in the SELECT.",
                      SLICE_FORMAT(slice_prefix(name, 60)), SLICE_FORMAT(slice_prefix(name, 60)));
}

enum status forecast_check_row(void *workspace, const float *dense, const int32_t *ids,
                               struct error *err)
{
    const struct model *model = workspace;
    uint32_t series, missing;
    int64_t time, ahead;

    if (forecast_of(model)->regressors == 0 || !find_step(model, dense, ids, &series, &ahead))
        return STATUS_OK;
    missing = find_missing(model, dense);
    if (missing == forecast_of(model)->regressors)
        return STATUS_OK;
    forecast_time(&model->transform, dense, &time);
    return refuse_missing(model, series, time, missing, err);
}

/* regressors: the row's. */
static struct forecast_step step_of_row(const struct model *model, const float *dense,
                                        uint32_t series, int64_t ahead,
                                        const struct forecast_interval *interval,
                                        double regressors[REGRESSORS_MAX])
{
    const struct forecast_model *forecast = forecast_of(model);
    struct forecast_step step = forecast_step_of(forecast, series, ahead, interval);

    if (forecast->regressors == 0)
        return step;
    forecast_row_regressors(&model->transform, dense, regressors);
    forecast_add_regressors(forecast, series, regressors, &step);
    return step;
}

static void score_row(const struct model *model, const float *dense, const int32_t *ids,
                      const struct forecast_interval *interval, float *outputs)
{
    struct forecast_step step = {.value = NAN, .lower = NAN, .upper = NAN};
    double regressors[REGRESSORS_MAX];
    uint32_t series;
    int64_t ahead;

    if (find_step(model, dense, ids, &series, &ahead))
        step = step_of_row(model, dense, series, ahead, interval, regressors);
    put_outputs(&step, outputs);
}

void forecast_score(void *workspace, const float *dense, const int32_t *ids, uint32_t count,
                    float *outputs)
{
    const struct model *model = workspace;
    const struct forecast_interval interval = forecast_interval_of(forecast_of(model)->level);

    for (uint32_t row = 0; row < count; row++) {
        score_row(model, dense, ids, &interval, outputs);
        dense += model->transform.dense_width;
        ids += model->transform.id_count;
        outputs += FORECAST_QUANTILES * NUMBER_PARTS;
    }
}

bool forecast_check_value(const struct model *model, const float *dense, const int32_t *ids,
                          double value, double level, struct checked_value *checked)
{
    const struct forecast_interval interval = forecast_interval_of(level);
    double regressors[REGRESSORS_MAX];
    struct forecast_step step;
    uint32_t series;
    int64_t ahead;

    if (!find_step(model, dense, ids, &series, &ahead))
        return false;
    step = step_of_row(model, dense, series, ahead, &interval, regressors);
    checked->lower = step.lower;
    checked->upper = step.upper;
    checked->probability = forecast_anomaly(forecast_of(model), series, ahead, regressors, value);
    return true;
}
