/*
 * successor.h - a pod for the next master of a job.
 *
 *     Job --its template, the pod before--> Pod, as the Job's controller would make it
 *
 * The controller makes the next pod 10 s after the one before was deleted, then 20 s, 40 s ...
 * A process that knows earlier that a master is missing makes it: the master that received SIGTERM,
 * or the job's follower. It has the labels, the owner and the finalizer of the controller's own
 * pods and counts as one: while it lives the controller makes no other, and its success completes
 * the Job. Where two pods are active the controller deletes the younger one; two masters at a time
 * do no harm, as the journal takes entries of the last one alone
 * (docs/decisions/0065-the-next-master.md).
 *
 * Pure: values in, JSON out.
 */
#pragma once

#include "k8s/client/api.h"

/* "Complete", "Failed", ...: a condition of the Job that is True; NULL: it has none of
 * that type. */
const cJSON *job_condition(const cJSON *job, const char *type);

enum job_future {
    JOB_GOES_ON,
    JOB_RESTS,  /* it has ended, or is suspended: it needs no master */
    JOB_IS_GONE /* deleted, or it is another one of that name */
};
enum job_future job_future(const cJSON *job, struct slice uid);

/* `before` is the uid of the pod that it follows. It makes the name, so that one pod is made,
 * however many do so. `avoided`: a node on which it is only where there is no room elsewhere;
 * empty: none. The caller frees it; what did not fit into memory shows in json_print. */
cJSON *successor_pod(const cJSON *job, struct slice before, struct slice avoided);

/* A Pod as the Job's controller would make it, for a server-side dry run: nobody owns it. */
cJSON *successor_trial(const cJSON *job);
