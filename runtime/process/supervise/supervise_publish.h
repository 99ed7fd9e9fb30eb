/*
 * supervise_publish.h - writes the model of a detached job into its database, by a child: `totrain
 * publish FOLDER` knows SQL, which the runtime does not. The child writes the outcome into the
 * job's store (runtime/data/store/destination.h).
 */
#pragma once

#include "runtime/role/job.h"

/* True where the model of a detached job that has learned is not in its database yet. */
bool supervise_must_publish(const struct job *job);
/* Returns the exit code. `is_elsewhere`: the model is in the tables of a job that ran somewhere
 * else, which the publisher drops, also where there is no model. */
int supervise_publish(const struct job *job, const char *sockets, bool is_detached,
                      bool is_elsewhere);
