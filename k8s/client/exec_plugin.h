/*
 * exec_plugin.h - credentials from a program that the kubeconfig names.
 *
 * Protocol client.authentication.k8s.io/v1 (and v1beta1): the program finds the
 * version in KUBERNETES_EXEC_INFO and prints an ExecCredential with a token
 * or a client certificate. It is started directly, not by a shell, without
 * standard input; its standard error is ours. Only for the command line, where
 * the kubeconfig is the caller's own.
 */
#pragma once

#include "k8s/client/access.h"

#define EXEC_PLUGIN_BYTES_MAX ((size_t)1 << 20)
#define EXEC_PLUGIN_MS_MAX    60000
#define EXEC_NEVER_EXPIRES    INT64_MAX

/*
 * Runs access->exec and puts what it printed into token, certificate and key of
 * `access`. *expires_at_s: seconds since 1970. IO, PERMISSION with the install hint;
 * FAILED, PROTOCOL, LIMIT; none of them quotes what the program printed.
 * timeout_ms: EXEC_PLUGIN_MS_MAX.
 */
enum status exec_plugin_run(struct kube_access *access, int timeout_ms, struct arena *arena,
                            int64_t *expires_at_s, struct error *err);

/* "2026-11-21T23:20:00Z", fractions and other zones too. False: it is no such time. */
bool exec_plugin_time(struct slice text, int64_t *seconds);
