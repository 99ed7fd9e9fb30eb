/*
 * job_wait.h - waiting for a job of any session of this user, by reading its folder.
 */
#pragma once

#include "extension/engine/host/host.h"

/*
 * Follow the job until it has ended: its result rows, or its error. One that was
 * lost is continued from its checkpoint first; one whose model could not be
 * written has it written. The host brings program, state and interrupted; an
 * interrupt ends the waiting, not the job.
 */
enum status job_wait(const struct host *host, int64_t id, const struct sink *sink,
                     struct error *err);
