/*
 * cluster_supervise.h - `totrain supervise` for a job whose processes are Pods.
 *
 *            creation             the master's final event, or the Job's condition
 *     folder ---------> following ------------------------------------> report it
 *        |                  |
 *        +---- cancel, the session has ended, hopeless --> delete the Job --> report it
 *
 * The folder has cluster.json and access.json (k8s/job/cluster_folder.h). Lifeline, events,
 * control socket and exit code are those of a local job.
 */
#pragma once

#include "runtime/role/job.h"

int cluster_supervise(const struct job *job, const char *sockets, bool is_detached);
