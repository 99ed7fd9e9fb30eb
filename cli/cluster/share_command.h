/*
 * share_command.h - `totrain k8s share`: decides how many workers each job has, for the masters of
 * one or several namespaces, until SIGTERM.
 *
 * It does what each master can do (k8s/loop/share_seat.h), but with the rights of a ClusterRole it
 * sees the nodes, and jobs of several namespaces share the same room. Masters give way to it; when
 * it ends one of them decides again.
 */
#pragma once

#include "cli/session/options.h"
#include "k8s/client/access.h"

/* `namespaces`: names, separated by commas; `rule`: even, mixed or soonest; NULL: mixed. `metrics`:
 * [IP:]PORT where /metrics is; NULL: nowhere. */
enum status share_command(const struct kube_access *access, struct slice namespaces,
                          const char *rule, const char *metrics, struct error *err);
