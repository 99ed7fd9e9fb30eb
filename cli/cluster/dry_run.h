/*
 * dry_run.h - `totrain submit --dry-run`: the objects of a job, and nothing is created.
 */
#pragma once

#include "cli/session/options.h"

/* Prints the objects for the job spec that the first word names. */
enum status dry_run_spec(const struct options *options, struct error *err);

/* Prints the objects of each statement that would train on the cluster. The database plans the
 * statements, no row is read, and nothing else is run. The number of the job's tables is not known
 * before the rows are staged, which a line on standard error states. */
enum status dry_run_statements(const struct options *options, struct error *err);
