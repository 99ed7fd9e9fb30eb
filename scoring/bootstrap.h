/*
 * bootstrap.h - how far metrics are from what other rows of the same kind would give: intervals by
 * the bootstrap (Efron, 1979).
 *
 *     bootstrap_new --> bootstrap_add for each measured row --> bootstrap_bounds --> bootstrap_free
 *
 * A resample is as many rows as there are, each drawn from all of them with replacement; each
 * metric is measured of it as of the rows themselves. Its bounds are the quantiles of the resamples
 * at half of 1 - level from either end, with straight lines between neighbours (numpy's
 * percentile). A resample that does not define a metric, as one without a positive row does not
 * define AUC, does not count for it; where fewer than half of them do the bounds are NAN.
 *
 * The rows are sorted by what was measured before anything is drawn: so neither their order nor who
 * measured them makes a difference to a bit.
 */
#pragma once

#include "base/stop.h"
#include "params/bootstrap_choice.h"
#include "params/terms.h"
#include "scoring/model.h"

#define BOOTSTRAP_BYTES_MAX ((size_t)2 << 30) /* bytes of the rows that are kept */
#define BOOTSTRAP_DRAWS_MAX 2e10              /* rows times resamples */

struct metrics_row;
struct metrics_options;

struct bootstrap;
/* The model and what the options point to are borrowed. */
enum status bootstrap_new(const struct model *model, const struct metrics_options *options,
                          struct bootstrap **bootstrap, struct error *err);
void bootstrap_free(struct bootstrap *bootstrap);

/* A row that metrics_measure has given for the model. LIMIT beyond BOOTSTRAP_BYTES_MAX. */
enum status bootstrap_add(struct bootstrap *bootstrap, const struct metrics_row *row,
                          struct error *err);

struct metric_bounds {
    double lower, upper; /* NAN: not defined */
};
/* bounds (count): of each of the measures. LIMIT beyond BOOTSTRAP_DRAWS_MAX; INTERRUPTED. */
enum status bootstrap_bounds(struct bootstrap *bootstrap, const struct measure *measures,
                             size_t count, const struct stop *stop, struct metric_bounds *bounds,
                             struct error *err);
