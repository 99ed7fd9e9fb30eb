/*
 * kubeconfig_choose.h - the cluster, the user and the credentials of one context.
 */
#ifndef K8S_CLIENT_KUBECONFIG_CHOOSE_H
#define K8S_CLIENT_KUBECONFIG_CHOOSE_H

#include "k8s/client/kubeconfig.h"

/* NOT_FOUND for a context, cluster or user that is not there; PERMISSION for
 * what `choice` does not allow; UNSUPPORTED; CORRUPT. */
enum status kubeconfig_choose(const struct kubeconfig *config,
                              const struct kubeconfig_choice *choice, struct arena *arena,
                              struct kube_access *access, struct error *err);

#endif
