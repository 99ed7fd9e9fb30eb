/*
 * k8s_admission.h - would the cluster admit a job's Pods?
 *
 *     options, profile --> a master's and a worker's Pod --dryRun=All--> yes, or the reason
 *
 * A server-side dry run asks quotas, LimitRanges, Pod Security and webhooks, and stores nothing.
 */
#pragma once

#include "cli/session/options.h"
#include "k8s/client/http.h"

/* A line for each of both; FAILED with the number of those that are refused. */
enum status k8s_check_admission(struct http *http, struct slice kube_namespace,
                                const struct cluster_options *options, struct error *err);
