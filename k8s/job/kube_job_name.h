/*
 * kube_job_name.h - the name of a job's objects on the cluster.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"

/* "Churn_model" becomes "churn-model-x4k2p": what a name of an object allows, and another one
 * each time. In the arena. IO, NO_MEMORY. */
enum status kube_job_invent_name(struct slice model, struct arena *arena, struct slice *name,
                                 struct error *err);

/* The name without its end: the same each time. */
enum status kube_job_stem(struct slice model, struct arena *arena, struct slice *stem,
                          struct error *err);
