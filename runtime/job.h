/*
 * job.h - a job's folder, as the processes below it see it.
 */
#ifndef RUNTIME_JOB_H
#define RUNTIME_JOB_H

#include <limits.h>

#include "base/arena.h"
#include "jobspec/jobspec.h"

struct job {
    char folder[PATH_MAX];
    uint64_t id;       /* the folder's name */
    uint64_t identity; /* of spec and rows: hash of job.json and of the spools' heads, which
                          cover every block. A state is only continued under the same one. */
    struct arena arena;
    struct jobspec spec;
};

enum status job_open(const char *folder, struct job *job, struct error *err);
void job_deinit(struct job *job);

/* The threads that a worker computes with: what the job says, else its share of
 * this machine's cores when all workers are here. No bit depends on them. */
uint32_t job_threads(const struct job *job);

#endif
