/*
 * policies.h - what a namespace of training jobs may have besides its rights (rights.h), for an
 * administrator to apply.
 *
 * Pure: values in, JSON out.
 */
#pragma once

#include "base/error.h"
#include "base/text.h"

#define POLICIES_ANYWHERE "0.0.0.0/0"

/* NetworkPolicies: pods of jobs are reached by pods of jobs alone, and reach these, names (DNS),
 * the database, and where they have a token the API server; pods of all namespaces reach the
 * sharer's /metrics. `database` is "CIDR:PORT"; empty: any address, 5432. INVALID for other texts
 * and names. */
enum status policies_print_network(struct slice kube_namespace, struct slice database,
                                   struct text *out, struct error *err);
/* A PodDisruptionBudget: a drain evicts workers as long as so many others of the namespace run. A
 * number, since the controller of workers has no scale that a share could be taken of. INVALID. */
enum status policies_print_disruption(struct slice kube_namespace, int64_t workers,
                                      struct text *out, struct error *err);

/* For the Prometheus operator: a PodMonitor of the sharer's /metrics, and rules for alerts.
 * INVALID. */
enum status policies_print_monitor(struct slice kube_namespace, struct text *out,
                                   struct error *err);
