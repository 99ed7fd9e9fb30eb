/*
 * descent_export.h - the finished model, its metrics, and its rows.
 */
#ifndef RUNTIME_LEARN_DESCENT_EXPORT_H
#define RUNTIME_LEARN_DESCENT_EXPORT_H

#include "runtime/learn/descent_parts.h"

/* ----- what struct learning asks (learning.h); self: a struct descent ----- */

enum status descent_measure(void *self, bool *is_done, struct error *err);
/* At PHASE_DONE and measured: the model (descent_best.h says of which epoch), borrowing
 * from learner and data set, and the result of TRAIN: loss, then each metric of the spec. id,
 * version, created_at and digest are left empty. */
enum status descent_export(const struct descent *descent, struct model *model,
                           struct result_metric metrics[LEARNER_METRICS_MAX], size_t *metric_count,
                           struct error *err);
enum status descent_result(const void *self, char digest[DIGEST_BYTES], uint64_t *rows,
                           struct result_metric metrics[LEARNER_METRICS_MAX], size_t *metric_count,
                           struct error *err);
enum status descent_publish(const void *self, const char *digest, uint64_t *next, size_t bytes_max,
                            bool *is_at_end, model_row_sink *sink, void *context,
                            struct error *err);

#endif
