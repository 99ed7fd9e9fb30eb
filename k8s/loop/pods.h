/*
 * pods.h - the workers and parameter servers of a job as Pods: a launcher
 * (runtime/process/role/launcher.h) for its master.
 *
 *     watch --pods--> pod_pool --pod_pool_next--> calls --> API server
 *                       |  ^------answers-------/
 *                       +--> notices, failure --> master
 *
 * k8s/controller/pod_pool.h decides; this file carries it out, on the master's own loop. While
 * the API server is away its requests wait: the workers know each other and their master, and go
 * on.
 *
 * Only Pods that the Job owns count; those that a Job of the same name has left behind do not.
 */
#pragma once

#include "k8s/client/access.h"
#include "k8s/objects/manifest.h"
#include "runtime/process/role/launcher.h"

/* Longer than the wait for a Pod of a dead node (POD_POOL_STUCK_MS). */
#define PODS_END_MS 75000

struct pods;

/* Access and job are borrowed for its life. `owner` is the uid of the Job: INVALID without.
 * `controller` is that of its Secret; empty: an older submitter made the Job, and the Pods have no
 * controller. */
enum status pods_new(const struct kube_access *access, const struct kube_job *job,
                     struct slice owner, struct slice controller, struct pods **pods,
                     struct error *err);
void pods_free(struct pods *pods);
const struct launcher *pods_launcher(const struct pods *pods);
