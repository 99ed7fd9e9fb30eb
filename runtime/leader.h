/*
 * leader.h - what the process that leads a job has, whether the job trains (host.h) or scores
 * (score_host.h): the claim on its store, the books of who led before, its pages.
 */
#ifndef RUNTIME_LEADER_H
#define RUNTIME_LEADER_H

#include "runtime/job_pages.h"
#include "runtime/recorder.h"

struct leader {
    struct recorder recorder;
    struct loop *loop;
    struct loop_role *role; /* made by its host */
    struct job_row books;   /* of who led before */
    bool has_books;
    struct job_pages pages; /* `self` and `write_metrics` are the host's */
    int64_t claim_checked_at;
    char started_at[32]; /* the job, be it under an earlier leader */
};

/* Claims the job, reads the books and serves the pages. `recorder` brings say and replace.
 * `incarnation`: the least to claim. */
enum status leader_open(struct leader *leader, struct loop *loop, const struct job *job,
                        const struct recorder *recorder, uint32_t incarnation, struct error *err);
void leader_close(struct leader *leader);

/* Of each tick: false when another leads, and the loop then ends with STALE. The store is asked
 * once in a second. */
bool leader_still_leads(struct leader *leader, int64_t now_ms);

static inline const struct job_row *leader_books(const struct leader *leader)
{
    return leader->has_books ? &leader->books : NULL;
}

/* NULL where there are no pages. */
static inline const char *leader_metrics(const struct leader *leader)
{
    return leader->pages.address[0] ? leader->pages.address : NULL;
}

#endif
