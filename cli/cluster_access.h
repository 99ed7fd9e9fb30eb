/*
 * cluster_access.h - the cluster that the command line means.
 *
 * --kubeconfig; else the files of $KUBECONFIG; else ~/.kube/config; else, in a
 * pod, the pod's own access. The files are the caller's own, so programs that
 * they name for credentials are run.
 */
#ifndef CLI_CLUSTER_ACCESS_H
#define CLI_CLUSTER_ACCESS_H

#include "k8s/access.h"
#include "options.h"

enum status cluster_access(const struct cluster_options *options, struct arena *arena,
                           struct kube_access *access, struct error *err);

#endif
