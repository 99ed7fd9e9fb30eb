/*
 * dry_run.h - `totrain submit --dry-run`: the objects of a job, and nothing is created.
 */
#ifndef CLI_DRY_RUN_H
#define CLI_DRY_RUN_H

#include "cli/options.h"

/* Of the job spec that the first word names. */
enum status dry_run_spec(const struct options *options, struct error *err);

/* Of each statement that would train on the cluster. The database plans them, no row is read, and
 * nothing else is run. Not known before the rows are staged, and said on standard error: the number
 * of the job's tables. */
enum status dry_run_statements(const struct options *options, struct error *err);

#endif
