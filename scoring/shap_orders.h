/*
 * shap_orders.h - SHAP values of models of which no formula gives them: by orders in which the
 * inputs of a row become known.
 *
 *     background row   a b c d          its outputs, without the row
 *                      A b c d
 *                      A b C d          each step adds to the input that it makes known what it
 *                      A B C d          changes of the outputs
 *     row              A B C D          its outputs
 *
 * The background is up to SHAP_BACKGROUND of the rows that are explained, those of the least
 * hashes, and each has an order of its own at random, which is walked in both directions. So the
 * values of a row add up to its outputs, they are exact for that background where no more than two
 * inputs depend on one another (sums, products of pairs), and else the mean of a sample of orders.
 * Rows in another order, and another statement, give the same bits.
 */
#pragma once

#include "base/stop.h"
#include "scoring/held_rows.h"

#define SHAP_BACKGROUND 64

struct shap_orders;
/* `held`, sorted, is borrowed, and its model. */
enum status shap_orders_new(const struct held_rows *held, struct shap_orders **orders,
                            struct error *err);
void shap_orders_free(struct shap_orders *orders); /* does nothing with NULL */

/* values (outputs, input_count + 1): of each output those of the inputs, then the mean of the
 * background, with the row's offset. INTERRUPTED. */
enum status shap_orders_row(struct shap_orders *orders, const float *dense, const int32_t *ids,
                            const struct stop *stop, double *values, struct error *err);
