/*
 * pods_calls.h - creating and deleting the workers' pods.
 */
#pragma once

#include "k8s/loop/pods_parts.h"

/* Send the request; pods_wake when it is answered. */
void pods_call_step(struct pods *pods, const struct pod_pool_step *step);
void pods_call_patch(struct pods *pods);
void pods_calls_cancel(struct pods *pods);
