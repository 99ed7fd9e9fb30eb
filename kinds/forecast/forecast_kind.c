#include "kinds/forecast/forecast_kind.h"

#include "kinds/forecast/forecast_kept.h"
#include "kinds/forecast/forecast_model.h"
#include "kinds/forecast/forecast_score.h"
#include "kinds/forecast/forecast_show.h"
#include "kinds/forecast/forecast_stored.h"

#define FIT_WORK 2e4 /* multiplications of a value, usually: measured */

/* ---- statements ---- */

/* Series are told by the words of a column; of several columns there may be more. */
static double series_of(const struct kind_shape *shape)
{
    const double words = shape->id_rows > 0 ? shape->id_rows : 1;

    return shape->rows > 0 && words > shape->rows ? shape->rows : words;
}

static bool has_trees(const struct kind_params *params)
{
    return slice_is(slice_of(forecast_method_words[forecast_params(params)->method]), "trees");
}

/* Bytes of a value that trees are learned from, in the learner: its bins, target, score and node.
 */
static double tree_bytes_of(const struct kind_params *params, const struct kind_shape *shape)
{
    const double rows = shape->rows < FORECAST_TREE_ROWS_MAX ? shape->rows : FORECAST_TREE_ROWS_MAX;

    return has_trees(params) && rows > 0
               ? rows * (POOLED_FEATURES_MAX + 2 * sizeof(double) + sizeof(uint16_t))
               : 0;
}

/* Multiplications of a value: of trees a sum of each level and feature, for each past. */
static double work_of(const struct kind_params *params)
{
    const struct forecast_params *own = forecast_params(params);

    return has_trees(params)
               ? (double)own->rounds * own->max_depth * POOLED_FEATURES_MAX * (1 + own->backtests)
               : FIT_WORK;
}

/* All numbers but the time. */
static double regressors_of(const struct kind_shape *shape)
{
    return shape->parts.linear_dense > 1 ? shape->parts.linear_dense - 1 : 0;
}

static struct kind_cost cost(const struct kind_params *params, const struct kind_shape *shape)
{
    const double horizon = forecast_params(params)->horizon;
    const double regressors = regressors_of(shape) + shape->holidays;
    const double history = forecast_params(params)->history;
    const double kept = forecast_params(params)->keeps
                            ? forecast_kept_most(forecast_params(params), (uint32_t)regressors)
                            : 0;
    const double values = forecast_params(params)->values;
    const double floats = KEPT_PARTS * (kept + values) + shape->ids + SERIES_FACTS +
                          STEP_NUMBERS * (horizon + history) + NUMBER_PARTS * regressors;
    const double words = FORECAST_RECORD_WORDS + FORECAST_STEP_WORDS * horizon +
                         FORECAST_EXPECTED_WORDS * history + regressors +
                         (kept > 0 ? FORECAST_KEPT_WORDS + kept + values : 0);
    const bool has_totals = forecast_params(params)->hierarchy != HIERARCHY_NONE;
    const double past = forecast_params(params)->backtests *
                        (FORECAST_ORIGIN_WORDS + FORECAST_PAST_WORDS * horizon);
    const double series = series_of(shape) * (has_totals ? 2 : 1); /* fewer totals, usually */
    const double own = words + (has_totals ? FORECAST_HIERARCHY_WORDS + past : 0);
    const double copies = has_totals ? 3 : 2;

    /* The records of the learner, those of a state that is taken, a copy of a hierarchy's, and the
     * stored numbers. */
    return (struct kind_cost){
        .parameters = series * floats,
        .multiplications = 8,
        .bytes = series * (copies * own * sizeof(int64_t) + floats * sizeof(float)) +
                 tree_bytes_of(params, shape),
        .row_learning = work_of(params),
    };
}

static void explain(const struct kind_params *params, const struct kind_shape *shape,
                    struct text *detail)
{
    const uint32_t horizon = forecast_params(params)->horizon;
    const uint32_t history = forecast_params(params)->history;
    const unsigned hierarchy = forecast_params(params)->hierarchy;
    const double regressors = regressors_of(shape);

    if (has_trees(params))
        text_printf(detail, "%u ", forecast_params(params)->rounds);
    text_printf(detail, "%s, %u step%s of %s",
                forecast_method_words[forecast_params(params)->method], horizon,
                horizon == 1 ? "" : "s", shape->ids > 0 ? "each series" : "one series");
    if (regressors > 0)
        text_printf(detail, ", with %.0f regressor%s", regressors, regressors > 1 ? "s" : "");
    if (shape->holidays > 0)
        text_printf(detail, ", with %.0f holiday%s", shape->holidays,
                    shape->holidays > 1 ? "s" : "");
    if (hierarchy != HIERARCHY_NONE)
        text_printf(detail, ", and of their totals, which add up (%s)",
                    forecast_hierarchy_words[hierarchy]);
    if (forecast_params(params)->transform != TRANSFORMS_NONE)
        text_printf(detail, ", transformed (%s)",
                    forecast_transform_words[forecast_params(params)->transform]);
    if (history > 0)
        text_printf(detail, ", and what is expected at the last %u", history);
    if (forecast_params(params)->keeps)
        text_append_string(detail, ", and the parameters of each");
    if (forecast_params(params)->values > 0)
        text_printf(detail, ", and its last %u values", forecast_params(params)->values);
}

static enum aim aim(const struct kind_params *params, enum task task)
{
    (void)params;
    (void)task;
    return AIM_QUANTILES;
}

const struct kind forecast_kind = {
    .name = "forecast",
    .attributes = &forecast_attributes,
    .sections = (const char *const[]){NULL},
    .without = (const char *const[]){"train.batch_size", "train.epoch", "train.max_steps",
                                     "train.max_seconds", "train.shuffle", "train.early_stopping",
                                     "train.label_upper_bound", "train.group",
                                     "train.sample_weight", "train.test_size", "train.folds",
                                     "validation.select", "validation.metrics", "model.standardize",
                                     "tune.trials", WITHOUT_OFFSET, NULL},
    .keeps_numbers = true,
    .has_rests = true,
    .learns_series = true,
    .keeps_labels = true,
    .output_parts = NUMBER_PARTS,
    .takes_no_texts = true,
    .settle = forecast_settle,
    .goes_on = true,
    .can_go_on = forecast_can_go_on,
    .is_of_shape = forecast_is_of_shape,
    .cost = cost,
    .aim = aim,
    .size_attribute = "forecast.horizon",
    .size_hint = "The forecasts of all series are counted; lower forecast.horizon.",
    .held = "the forecasts of all series",
    .explained = "forecasts",
    .explain = explain,
    .write_content = forecast_write_content,
    .read_content = forecast_read_content,
    .number = forecast_number,
    .array = forecast_array,
    .check = forecast_check,
    .params_of = forecast_params_of,
    .show = forecast_show,
    .outputs = forecast_outputs,
    .open = forecast_scorer_open,
    .score = forecast_score,
    .has_number = forecast_has_number,
    .check_row = forecast_check_row,
    .check_value = forecast_check_value,
};
