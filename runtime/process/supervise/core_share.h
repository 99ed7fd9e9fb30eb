/*
 * core_share.h - the processors that a job has beside the other jobs of its user on this machine.
 *
 *     supervisor --its report--> JOBS/.cores-HOST/ID --all reports--> share_jobs() --> its own part
 *                     others read it, each for itself <----+
 *
 * All supervisors whose jobs lie in one folder JOBS read the same reports, so they come to the same
 * answer, and none waits for another: a job that comes begins with its part at once, the others
 * give theirs at their next look. A job alone has the machine, whatever number of workers it asks
 * for. A supervisor that died keeps nothing: its report counts as long as it holds the lock of its
 * job's job.json (job_lock.h), and who sees it unlocked removes it.
 *
 * A look is one fstat() unless a report has changed, and reads all reports twice a second. Nothing
 * here ends a job: where the folder cannot be used the job has the machine to itself. No bit of a
 * model depends on it.
 */
#pragma once

#include <limits.h>
#include <time.h>

#include "runtime/role/job.h"
#include "runtime/share/share.h"

#define CORE_SHARE_JOBS_MAX 256 /* others that are counted */

struct core_share {
    char jobs[PATH_MAX];    /* the folder that has the jobs' */
    char reports[PATH_MAX]; /* the folder that has the reports; who leaves it empty removes it */
    uint64_t id;            /* the job's number, by which the reports are in the order of age */
    int folder;             /* the reports'; -1: the job has the machine to itself */
    uint32_t cores;         /* the machine's */
    struct share_job own;
    struct timespec changed; /* the folder's time at the last look */
    int64_t looked_ms;
    uint32_t others;     /* jobs that run beside it */
    uint32_t processors; /* its part: 1 at least */
};

/* Reports the job, and finds its first part. `cores`: launch_cores(). */
void core_share_open(struct core_share *share, const struct job *job, uint32_t cores,
                     int64_t now_ms);
/* Whether its part, or whether it is alone, has changed. */
bool core_share_look(struct core_share *share, int64_t now_ms);
/* The number of workers that the user asked for: it has that many whatever others want, whose part
 * is the smaller for it. */
void core_share_pin(struct core_share *share, uint32_t workers, int64_t now_ms);
/* The workers that its part is enough for, of a job that wants no fewer than `least`;
 * WORKER_POOL_UNLIMITED for one that is alone or pinned. */
uint32_t core_share_workers(const struct core_share *share);
void core_share_close(struct core_share *share);
