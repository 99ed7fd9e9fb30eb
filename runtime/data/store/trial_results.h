/*
 * trial_results.h - what the trials of a search came to, in the store of the job that trained the
 * best of them.
 *
 * The table is made with the first row: other jobs have none.
 */
#pragma once

#include "runtime/data/store/jobstore.h"

/* Its texts are borrowed. */
struct trial_result {
    uint32_t number;      /* from 1 */
    double value;         /* value of the metric; NaN: it has none */
    const char *metric;   /* metric that trials are judged by */
    uint32_t epochs;      /* or rounds that it learned; 0: it has none */
    const char *state;    /* "best", "done", "stopped" before its end, "skipped" as time
                             was up, "failed" */
    const char *settings; /* settings in the words of WITH */
    const char *error;    /* error of a failed one; else empty */
    double deviation;     /* deviation of the value, from fold to fold; NaN: there are no folds */
};

enum status trial_result_put(struct jobstore *store, const struct trial_result *result,
                             struct error *err);
/* In the order of their numbers; none of a job without a search. */
enum status trial_results_each(struct jobstore *store,
                               enum status (*each)(void *context, const struct trial_result *result,
                                                   struct error *err),
                               void *context, struct error *err);
