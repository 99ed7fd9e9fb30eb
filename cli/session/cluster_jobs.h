/*
 * cluster_jobs.h - jobs on Kubernetes from the command line: the options, and the seam of a
 * session with PostgreSQL.
 *
 * The kubeconfig is the caller's own, and the options may name anything that it allows.
 */
#pragma once

#include "cli/session/options.h"
#include "cli/session/session.h"
#include "k8s/job/kube_job.h"

/* The defaults of every job; without a name, and without workers. */
void cluster_job_begin(struct kube_job *job);
/* Sets what the options name, over what their profile says, over what is there. INVALID, and what
 * profile_load fails with. Borrows from them; texts of the profile are the arena's. */
enum status cluster_job_fill(const struct cluster_options *options, struct arena *arena,
                             struct kube_job *job, struct error *err);

/* INVALID: --database-secret is missing. */
enum status cluster_job_needs_login(struct error *err);

/* The tables of a job that another process has staged. A notice gives the reason why they stay. */
enum status cluster_tables_are_there(struct session *session, int64_t number, bool *are_there,
                                     struct error *err);
void cluster_tables_drop(struct session *session, int64_t number);

/* TRAIN with job.where = 'kubernetes' in this session, whose database is PostgreSQL's. */
void cluster_jobs_init(struct session *session, const struct cluster_options *options);
