/*
 * table_reading.h - shards of a user's table for a worker that stages them: what `totrain worker`
 * does with --snapshot.
 */
#pragma once

#include "runtime/process/role/roles.h"

extern const struct table_reader table_reading;
