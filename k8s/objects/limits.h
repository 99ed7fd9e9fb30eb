/*
 * limits.h - what the LimitRanges and quotas of a namespace ask of a job's pods, and a job that is
 * fitted to them.
 *
 *     list of LimitRanges, of ResourceQuotas --limits_read--> struct limits --limits_fit--> job
 *
 * Sizes that nobody asked for, which are those of every job, become what the namespace allows; a
 * limit of processors that nobody asked for is the request, where the namespace wants one. Of
 * others it is said what to set. Quantities that cannot be read are left to the cluster, which
 * refuses what it must.
 *
 * Pure.
 */
#pragma once

#include "base/json.h"
#include "k8s/job/kube_job.h"

struct limits {
    int64_t cpu_least, cpu_most;       /* thousandths; 0: none */
    int64_t memory_least, memory_most; /* bytes; 0: none */
    int64_t cpu_percent_most; /* a limit of processors, as a part of the request; 0: none */
    bool wants_cpu_limit;
};

/* Adds a list of either kind, as the API server answers it. */
void limits_read(struct limits *limits, const cJSON *list);
/* INVALID, with what to set, where a size that was asked for does not fit; the job is then in part
 * as it was. */
enum status limits_fit(const struct limits *limits, struct kube_job *job, struct error *err);
