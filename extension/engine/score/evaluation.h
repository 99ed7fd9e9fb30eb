/*
 * evaluation.h - what EVALUATE returns of the rows that were measured, whoever measured them: the
 * loss and the metrics as one row, or a report (scoring/report.h).
 *
 *     loss, Accuracy, Accuracy_lower, Accuracy_upper, ... , notice     with intervals
 *     label, metric, value             of several labels: a row for each metric of each, first Loss
 *     loss, Accuracy, ... , notice     metrics that are NULL and why, labels that were not learned;
 *                                      '' where there is nothing to say, so that it is a text
 * always
 */
#pragma once

#include "base/arena.h"
#include "base/stop.h"
#include "extension/engine/host/sink.h"
#include "jobspec/jobspec.h"
#include "scoring/metrics.h"
#include "scoring/report.h"

/* The wanted result, by the statement's plan or by the spec of a job. */
struct evaluation_order {
    enum report_kind report;
    const struct slice *metrics; /* names */
    size_t metric_count;
    enum average average;
    bool as_means; /* the model's aim is not looked at */
    struct report_costs costs;
    struct bootstrap_choice bootstrap; /* the metrics' intervals */
    const struct notice_list *notices; /* those of planning, put before others; NULL: none */
    bool by_head; /* the metrics of each of several labels, in rows of their own */
};
struct evaluation_order evaluation_order_of(const struct spec_scoring *scoring);

/* For metrics_new. */
struct metrics_options evaluation_options(const struct evaluation_order *order,
                                          const struct model *model);

/* The names of the result's columns, in the arena. */
enum status evaluation_columns(const struct evaluation_order *order, struct arena *arena,
                               struct slice **names, size_t *count, struct error *err);

/* The result, in the arena; texts are the model's. */
struct evaluation_rows {
    struct slice *names; /* (columns) */
    size_t columns;
    const struct cell *cells; /* (rows, columns) */
    size_t rows;
};
/* Notices of a report go to the sink, as its rows are of one kind; NULL: nowhere. `stop` is asked
 * while intervals are made. */
enum status evaluation_collect(const struct evaluation_order *order, struct metrics *metrics,
                               const struct stop *stop, struct arena *arena,
                               const struct sink *sink, struct evaluation_rows *rows,
                               struct error *err);
