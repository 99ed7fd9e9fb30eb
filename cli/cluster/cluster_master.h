/*
 * cluster_master.h - the master of a job on Kubernetes, which starts its own workers.
 *
 *     cluster.json, JOB_UID, the pod's access --> launcher --> run_master
 */
#pragma once

#include "runtime/process/role/roles.h"

/* `file` is a struct kube_job (k8s/objects/manifest.h) as its Secret has it. `kubeconfig` NULL: the
 * access of the pod that this is. Programs that a kubeconfig names are not run. Returns the
 * exit code. */
int cluster_master(const struct role_options *options, const char *file, const char *kubeconfig);
