/*
 * exposition.h - a job as Prometheus reads it: text, one sample a line.
 *
 * Names begin with totrain_ and end with their unit; sums that only grow with
 * _total (https://prometheus.io/docs/practices/naming). A number that is not known
 * has no sample. Pure: what is printed is a function of the master's state.
 */
#pragma once

#include "runtime/ps/master/shard_master.h"
#include "runtime/score/dispatch.h"
#include "runtime/train/master/master.h"

#define EXPOSITION_TYPE      "text/plain; version=0.0.4; charset=utf-8"
#define EXPOSITION_BYTES_MAX ((size_t)1 << 20)

void exposition_write(const struct master *master, const struct job_row *row, struct text *out);
/* Writes the metrics of a job over parameter servers. */
void exposition_write_servers(const struct shard_master *master, const struct job_row *row,
                              struct text *out);
/* Writes the metrics of a job that scores a table. */
void exposition_write_scoring(const struct dispatch *dispatch, const struct job_row *row,
                              struct text *out);
/* Backslash, quote and newline, as in the value of a label. Public for its test. */
void exposition_append_label(struct text *out, struct slice value);
