/*
 * cluster_jobs.h - jobs on Kubernetes from the command line: the options, and the seam of a
 * session with PostgreSQL.
 *
 * The kubeconfig is the caller's own, and the options may name anything that it allows.
 */
#ifndef CLI_CLUSTER_JOBS_H
#define CLI_CLUSTER_JOBS_H

#include "k8s_job/kube_job.h"
#include "options.h"
#include "session.h"

/* What the options say of a job, over what is there. INVALID. Borrows from them. */
enum status cluster_job_fill(const struct cluster_options *options, struct kube_job *job,
                             struct error *err);

/* TRAIN with job.where = 'kubernetes' in this session, whose database is PostgreSQL's. */
void cluster_jobs_init(struct session *session, const struct cluster_options *options);

#endif
