/*
 * report_run.h - REPORT MODEL model TO 'file' [FORMAT html | markdown], and the functions that
 * return the page.
 *
 * A report runs the SELECT that trained the model, as the caller: that of a model which another
 * role of PostgreSQL owns is never run, and PERMISSION says that the function takes other rows.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "extension/engine/host/sink.h"
#include "planner/plan/plan.h"

#define REPORT_MODEL_COLUMNS 3 /* model, file, bytes */

/* Without FORMAT a file that ends in .md gets Markdown, any other HTML. UNSUPPORTED inside of a
 * server. */
enum status report_run(const struct host *host, const struct plan *plan, const struct sink *sink,
                       struct error *err);

/* Arguments of the functions totrain_report and totrain.report. */
struct report_call {
    struct slice model;  /* its name, as for the scoring functions (codegen/model_path.h) */
    struct slice format; /* size 0: HTML */
    struct slice select; /* the rows that the model is measured on; size 0: those of its training */
};
/* Appends the page. */
enum status report_function(const struct host *host, const struct report_call *call,
                            struct text *page, struct error *err);
