/*
 * k8s_check.h - `totrain k8s check`: a pod that has the image, and the login of the Secret.
 */
#pragma once

#include "cli/session/options.h"
#include "k8s/client/http.h"

/* A Job of one pod runs the image: it prints its version, or where a Secret is named checks that
 * the database is reached with its login. The Job is deleted again. CONNECTION and FAILED with the
 * cluster's reason. */
enum status k8s_check_pod(struct http *http, struct slice kube_namespace,
                          const struct cluster_options *options, struct error *err);

/* The same with the account of schedules and the service file of --service-secret: has it the
 * rights, and does it reach the database `address`? */
enum status k8s_check_schedule(struct http *http, struct slice kube_namespace,
                               const struct cluster_options *options, const char *address,
                               struct error *err);

/* In that pod: connects with the login of the file. */
enum status k8s_reach(const char *file, struct error *err);
/* The same by a service of libpq. */
enum status k8s_reach_service(const char *address, struct error *err);
