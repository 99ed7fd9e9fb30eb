/*
 * door_cluster.h - jobs on Kubernetes from inside of the server.
 *
 * Users choose numbers and allow-listed names; everything else about the cluster is an
 * administrator's setting, totrain.kubernetes_*.
 */
#pragma once

#include "extension/postgres/server/jobs/door.h"

/* To be asked again for each statement: why the caller's jobs cannot go to a cluster, or that
 * they can, into limits. */
void door_cluster_limits(const struct door *door, struct catalog_limits *limits);
/* Fills the host's seam. */
void door_cluster_init(struct door *door);
/* In a background worker, which goes on to follow what it sends to a cluster (kept_jobs.h). */
void door_cluster_background(struct door *door);
