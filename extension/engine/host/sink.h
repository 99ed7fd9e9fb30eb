/*
 * sink.h - where the rows of a result go.
 *
 *     columns (once)  row, row, row ...
 *
 * Every door brings one: the shell of the CLI prints, the SQLite extension
 * keeps the rows for its recursive query, and inside the engine the spool and
 * EVALUATE are sinks too. Cells and names are borrowed until the call returns.
 */
#pragma once

#include "base/cell_values.h"
#include "base/error.h"
#include "runtime/launch/job_event.h"

struct sink {
    void *self;
    /* May be NULL where names are not needed. */
    enum status (*columns)(void *self, const struct slice *names, size_t count, struct error *err);
    enum status (*row)(void *self, const struct cell *cells, size_t count, struct error *err);
    /* Instead of columns and rows, of rows that are a query of the host's, each column of a type of
     * its own: runs it, and gives them on. NULL where cells will do. */
    enum status (*query)(void *self, struct slice sql, struct error *err);
    /* A line for the user, and how training goes: JOB_STARTED, any number of
     * JOB_PROGRESS, then JOB_DONE or JOB_FAILED. Either may be NULL. */
    void (*notice)(void *self, const char *line);
    void (*progress)(void *self, const struct job_event *event);
};

enum status sink_columns(const struct sink *sink, const struct slice *names, size_t count,
                         struct error *err);
enum status sink_row(const struct sink *sink, const struct cell *cells, size_t count,
                     struct error *err);
void sink_notice(const struct sink *sink, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void sink_progress(const struct sink *sink, const struct job_event *event);
