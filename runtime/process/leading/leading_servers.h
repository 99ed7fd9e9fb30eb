/*
 * leading_servers.h - the master of shards (shard_master.h) as the role that leads a job whose
 * weights lie on parameter servers; the one that trains follows it, from the checkpoint of what
 * was learned.
 */
#pragma once

#include "runtime/process/leading/leading_role.h"

extern const struct leading_role servers_leader;
