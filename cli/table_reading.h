/*
 * table_reading.h - what a worker of `job.read = 'direct'` does for its rows
 * (runtime/process/roles.h).
 */
#ifndef CLI_TABLE_READING_H
#define CLI_TABLE_READING_H

#include "runtime/process/roles.h"

/* The order among the job's files, to the spools beside it. CONNECTION: to be tried again by
 * another worker. */
enum status table_reading(const struct rows_reading *reading, struct error *err);

#endif
