/*
 * placement.h - a profile's members of Pods (k8s/job/profile.h), put into objects.
 *
 *     struct kube_job.pods --placement_of_pod--> nodeSelector, tolerations, ... of a Pod's spec
 *                          --placement_of_object--> labels and annotations
 *                          --placement_add_queue--> the LocalQueue of Kueue, which releases the Job
 *
 * Labels, annotations and tolerations that an object has already stay as they are.
 */
#pragma once

#include "base/json.h"
#include "k8s/job/kube_job.h"

#define PLACEMENT_QUEUE "kueue.x-k8s.io/queue-name" /* label of Jobs and Pods */

void placement_of_object(const struct kube_job *job, cJSON *metadata);
/* With those of placement_of_object; `is_queued`: with the label of its queue, too. */
void placement_of_pod(const struct kube_job *job, bool is_queued, cJSON *metadata, cJSON *spec);
/* The queue's label, into the patch that releases the Job. False: there is no queue. */
bool placement_add_queue(const struct kube_job *job, cJSON *metadata);
