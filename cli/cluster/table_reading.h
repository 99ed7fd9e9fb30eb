/*
 * table_reading.h - shards of a user's table for a worker that stages them: what `totrain worker`
 * does with --snapshot.
 */
#ifndef CLI_CLUSTER_TABLE_READING_H
#define CLI_CLUSTER_TABLE_READING_H

#include "runtime/process/roles.h"

extern const struct table_reader table_reading;

#endif
