/*
 * kubeconfig_choose.h - the cluster, the user and the credentials of one context.
 */
#pragma once

#include "k8s/client/kubeconfig.h"

/* NOT_FOUND for a context, cluster or user that is not there; PERMISSION for
 * what `choice` does not allow; UNSUPPORTED; CORRUPT. */
enum status kubeconfig_choose(const struct kubeconfig *config,
                              const struct kubeconfig_choice *choice, struct arena *arena,
                              struct kube_access *access, struct error *err);
