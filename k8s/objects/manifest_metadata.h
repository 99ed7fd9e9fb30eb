/*
 * manifest_metadata.h - parts that all objects of a job have: names, labels, owners, bytes.
 */
#pragma once

#include "k8s/client/api.h"
#include "k8s/job/kube_job.h"

/* Written as a person would read it. */
cJSON *manifest_literal(const char *json);
struct slice manifest_named(const struct kube_job *job, const char *suffix, char out[128]);
/* Another one, or a profile, may have made it. */
cJSON *manifest_object_in(cJSON *object, const char *name);
cJSON *manifest_annotations(cJSON *metadata);
/* The cluster autoscaler keeps a node that has a pod whose controller it does not know, unless the
 * pod says so: what a job loses with it is made again, and no row is lost. */
void manifest_allow_eviction(cJSON *metadata);
void manifest_add_labels(cJSON *metadata, const struct kube_job *job, const char *component);
cJSON *manifest_begin(const struct kube_job *job, enum api_kind kind, const char *suffix,
                      const char *component, cJSON **metadata);
/* Without blockOwnerDeletion, which would need a right of its own. */
void manifest_add_owner(cJSON *metadata, const char *version, const char *kind, struct slice name,
                        struct slice uid, bool is_controller);
/* Not as its controller: the Job's would give up what does not match its selector, as the pods of
 * workers must not, and without an owner they would outlive it. `uid` empty: it is not known. */
void manifest_add_job_owner(cJSON *metadata, const struct kube_job *job, struct slice uid);
void manifest_add_bytes(cJSON *data, const char *name, struct slice bytes);
