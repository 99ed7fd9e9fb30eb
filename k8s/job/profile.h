/*
 * profile.h - where jobs run and what their Pods are like, under a name that an administrator gives
 * it.
 *
 *     {"night": {"namespace": "team-a", "node_selector": {"pool": "spot"}, "deadline_seconds":
 * 7200}}
 *        |
 *        +--profile_read--> struct kube_job: members of its own, and `pods`, a JSON text
 *                              |
 *                              +--placement.h--> Job and Pods
 *
 * Members, each of which may be missing:
 *
 *     namespace, database_secret, resource, priority       texts, as the settings of these names
 *     keep_seconds, deadline_seconds                        of the Job
 *     master_cpu, master_memory, cpu_limit                  '200m', '512Mi', percent
 *     read_only_root                                        true: each Pod has emptyDirs
 *     node_selector, labels, annotations                    objects of texts; {job} is its name
 *     tolerations, affinity, pull_secrets                   as in a Pod; names of Secrets
 *     runtime_class, scheduler, queue                       names; queue: a LocalQueue of Kueue
 *
 * Pure but for profile_load: bytes in, values out.
 */
#pragma once

#include "k8s/job/kube_job.h"

#define PROFILE_FILE_BYTES_MAX ((size_t)256 << 10)

/* Fills `job` with what the file's profile of this name says; the rest stays. INVALID names the
 * profile, the member and what it takes; a name that is not there gets a list of those that are.
 * Texts are the arena's. */
enum status profile_read(struct slice file, struct slice name, struct arena *arena,
                         struct kube_job *job, struct error *err);

/* The same with NAME@FILE: the file is read first. NOT_FOUND, PERMISSION, IO, LIMIT. */
enum status profile_load(struct slice name_and_file, struct arena *arena, struct kube_job *job,
                         struct error *err);

/* Has the job anything that a profile alone can say? Appends a file with one profile,
 * PROFILE_OF_RUN, that says it again, for the runs of a schedule. */
#define PROFILE_OF_RUN "schedule"
bool profile_is_there(const struct kube_job *job);
enum status profile_write(const struct kube_job *job, struct text *out, struct error *err);

/* Checks the text of a job that is read back: an object of the members of Pods alone. INVALID. */
enum status profile_check_pods(struct slice pods, struct error *err);
