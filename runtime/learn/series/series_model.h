/*
 * series_model.h - the records of all series -> the model, what its past errors are, and what the
 * user should know of it.
 */
#pragma once

#include "kinds/forecast/forecast_model.h"
#include "runtime/learn/learning.h"
#include "runtime/learn/series/series_fit.h"

struct series_model {
    struct forecast_model content;
    float *ids, *facts, *forecasts, *expected, *reaches, *reaches_below, *names, *coefficients,
        *effects;
    float *numbers; /* parameters */
    float *past;    /* values */
    float *lambdas; /* the content's, as those above */
    struct result_metric metrics[LEARNER_METRICS_MAX];
    size_t metric_count;
    struct notice_list notices;
};

/* old: the model that is gone on from; NULL: none. records (count, series_plan_words), in any
 * order. INVALID where no series has a value. */
enum status series_model_make(const struct series_plan *plan, const struct forecast_model *old,
                              const struct jobspec *spec, const struct dataset *dataset,
                              const int64_t *records, uint64_t count, struct series_model *model,
                              struct error *err);
void series_model_deinit(struct series_model *model); /* zeros, too */

/* The model as it is stored: what it points to is the data set's and the series model's. */
struct model series_model_of(const struct series_model *series, const struct jobspec *spec,
                             const struct dataset *dataset);
