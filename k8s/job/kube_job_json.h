/*
 * kube_job_json.h - struct kube_job as cluster.json, and back.
 */
#pragma once

#include "k8s/job/kube_job.h"

/* Writes and reads cluster.json: CORRUPT for another text, INVALID as from kube_job_check. Strings
 * that were read live in the arena. Nothing in it is secret. */
enum status kube_job_write(const struct kube_job *job, struct text *out, struct error *err);
enum status kube_job_read(struct slice json, struct arena *arena, struct kube_job *job,
                          struct error *err);
