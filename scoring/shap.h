/*
 * shap.h - what each input of a model adds to a row's outputs (SHAP values; Lundberg, Lee, 2017).
 *
 *     shap_new --> shap_row ... --> shap_free
 *
 * A row's values of an output add up to it, before the link: of a classifier they are of logits, of
 * a regressor in the label's units, or those of its logarithm. What they are measured from is
 * `base`:
 *
 *     trees            the mean of the training rows, by the covers of the nodes (the kind's own:
 *                      kind->shap)
 *     linear models    the mean of the rows that are explained: weight x (value - mean), added up
 *                      over the columns of an input
 *     others           the mean of some of these rows, by orders of the inputs (shap_orders.h)
 */
#pragma once

#include "base/stop.h"
#include "scoring/held_rows.h"

/* Are they known where there are rows to measure from? Classifiers have some, regressors but
 * forecasts, and kinds with their own. */
bool shap_is_known(const struct kind *kind, enum task task);

struct shap;
/* `held`, sorted, are the rows that values of kinds without their own are measured from; NULL:
 * there are none, and only models of kinds with their own have any. UNSUPPORTED for a model of
 * which they are not known. The model is borrowed. `stop` (NULL: nobody is asked) is asked
 * meanwhile. INTERRUPTED.
 */
enum status shap_new(const struct model *model, const struct held_rows *held,
                     const struct stop *stop, struct shap **shap, struct error *err);
void shap_free(struct shap *shap);

/* values (outputs, input_count + 1): of each output those of the inputs, then the base.
 * INTERRUPTED by `stop` (NULL: nobody is asked), which may be another one for each row: a row of
 * many deep trees takes long. */
enum status shap_row(struct shap *shap, const float *dense, const int32_t *ids,
                     const struct stop *stop, double *values, struct error *err);
