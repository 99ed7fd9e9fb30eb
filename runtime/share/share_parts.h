/*
 * share_parts.h - what the steps of share_jobs() have in common.
 */
#pragma once

#include "runtime/share/share_packing.h"

struct sharing {
    const struct share_cluster *cluster;
    const struct share_job *jobs;
    size_t count;
    size_t *order; /* indexes: higher bands first, then those that run, then the oldest */
    struct share_packing packing;
    uint32_t *targets; /* a job's fair part; 0: its minimum has no room */
    bool *is_out;      /* for one step of the work: this job has all that it gets */
    uint32_t *before;  /* workers, before others give some of theirs */
};

/* The largest number that the job may have now: useful, or the user's, below its cap. */
uint32_t sharing_limit(const struct share_job *job);
/* The number after `workers`, to go up to `limit`; 0: there is none. */
uint32_t sharing_next(const struct share_job *job, uint32_t workers, uint32_t limit);
/* The number below `workers`. */
uint32_t sharing_previous(const struct share_job *job, uint32_t workers);
/* The largest number that it may have and that is not above what it has. */
uint32_t sharing_kept(const struct share_job *job);
bool sharing_ends_soon(const struct share_job *job);

/* Processors that `workers` are beyond the job's minimum. */
int64_t sharing_extra(const struct share_job *job, uint32_t workers);
/* Does job a, with so many workers, come before job b, where all get the same? */
bool sharing_is_poorer(const struct sharing *sharing, size_t a, uint32_t workers_a, size_t b,
                       uint32_t workers_b);
