/*
 * shap_run.h - TO EXPLAIN model USING SHAP: what each input adds to the outputs of rows, by the
 * session itself.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "planner/plan/plan.h"

/* The names of the result's columns, in the arena. A row is about an input, or where there are more
 * than two classes or several quantiles about an input and one of these:
 *
 *     input
 *     class, quantile   where there are several outputs
 *     importance        mean of |SHAP value|
 *     direction         correlation of value and SHAP value; NULL of what is no number
 *     base              what the SHAP values of a row add up to the output from
 *     words             of a hash bucket of a text those that fell into it (bucket_words.h), where
 *                       the model counts words; NULL of other inputs
 *     bar               importance as a bar: summary.plot_type = 'bar'
 *     dots              how SHAP values are distributed, from the least of all inputs to the
 *                       greatest: summary.plot_type = 'dot'
 *     points            SHAP values of single rows (shap_points.h), NULL behind the first inputs:
 *                       summary.plot_type = 'points'
 *
 * The input that adds most to all outputs comes first, or with summary.sort = false the model's
 * first. */
enum status shap_columns(const struct plan *plan, struct arena *arena, struct slice **names,
                         size_t *count, struct error *err);
enum status shap_run(const struct host *host, const struct plan *plan, const struct model *model,
                     struct arena *arena, const struct sink *sink, struct error *err);
