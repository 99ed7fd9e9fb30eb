/*
 * job.h - a job's folder, as the processes below it see it.
 */
#pragma once

#include <limits.h>

#include "base/arena.h"
#include "jobspec/jobspec.h"
#include "runtime/data/spool/spool_source.h"
#include "runtime/data/store/journal.h"

struct job {
    char folder[PATH_MAX];
    uint64_t id;       /* the folder's name */
    uint64_t identity; /* identity of spec and rows: hash of job.json and of the spools' heads,
                          which cover every block. A state is only continued under the same one. */
    uint32_t cpus;     /* a worker's own processors; 0: it shares the machine's */
    struct arena arena;
    struct jobspec spec;
    /* (round_metric_count): names of the metrics that its learner measures in each round, or of the
     * scores of several labels; each ends with a zero byte. */
    struct slice round_metrics[METRICS_MAX];
    size_t round_metric_count;
    /* Members for a job whose roles share no folder (job_in_tables.h): its store is elsewhere, and
     * so are its rows until a worker fetches them. NULL: all is in the folder. Where source is
     * given, rows that lie by key may be left where they are until they are needed: *source, which
     * is to be closed, brings them then. NULL: they are all in the folder. */
    const struct journal *journal;
    enum status (*fetch)(const struct job *job, const struct spool_source **source,
                         struct error *err);
    void *tables;
    const struct role_options *options; /* options for `fetch` */
};

/* The number that a job's folder is named by. */
enum status job_number(const char *folder, uint64_t *number, struct error *err);
enum status job_open(const char *folder, struct job *job, struct error *err);
void job_deinit(struct job *job);

/* The threads that a worker computes with when `workers` share the machine: job.threads, else the
 * processors that the worker has for itself, else its share of the machine's cores.
 * No bit depends on them. */
uint32_t job_threads(const struct job *job, uint32_t workers);
/* The same where the job has `cores` of the machine's processors; 0: all of them. */
uint32_t job_threads_of(const struct job *job, uint32_t workers, uint32_t cores);

/* The bytes of memory that a worker may use when `workers` share the machine: job.memory, else what
 * there is for its process (base/process/memory_limit.h), shared unless the worker has it for
 * itself; 64 MiB at least. No bit depends on it. */
uint64_t job_memory(const struct job *job, uint32_t workers);
/* The same of a process that has `there` bytes. */
uint64_t job_memory_of(const struct job *job, uint32_t workers, uint64_t there);
