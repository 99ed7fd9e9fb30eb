/*
 * trees_shap.h - what each input adds to a row's outputs: Shapley values of boosted trees.
 *
 * Where an input is not known, a row goes both ways at each of its tests, with the weights of the
 * training rows that went there (NODE_COVER). The value of an input is what knowing it adds to the
 * output, the mean over all orders in which the inputs can become known. Computed in one walk of
 * each tree (Lundberg et al., "From local explanations to global understanding with explainable AI
 * for trees", 2020, algorithm 2), in doubles, tree by tree: leaves x depth^2 steps a row.
 * Such a row may take hours, so `stop` is asked within it.
 *
 * They are of outputs before the link, as XGBoost's pred_contribs and LightGBM's pred_contrib are,
 * and add up to them.
 */
#pragma once

#include "scoring/kind.h"

#define TREES_SHAP_DEPTH_MAX 1000 /* tests between a root and a leaf */

/* LIMIT for deeper trees. */
enum status trees_shap_open(const struct model *model, void **opened, struct error *err);
/* INTERRUPTED, where `values` mean nothing. */
enum status trees_shap(void *opened, const float *dense, const int32_t *ids,
                       const struct stop *stop, double *values, struct error *err);
void trees_shap_close(void *opened);
