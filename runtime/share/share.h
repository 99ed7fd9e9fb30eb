/*
 * share.h - how many workers each of several jobs should have, on a cluster or on one machine.
 *
 *     nodes, quota --+                                  +--> workers of each job, and why
 *     jobs, by age --+--> minimums --> extras --> settle
 *
 * Minimums: by band, those that run first, then by age, each with its master and servers, all or
 *     nothing. A job that finds no room is passed over, so that small ones behind it begin; after
 *     SHARE_PATIENCE_S none behind it begins any more, so that it does not wait for ever. Where
 *     several jobs hold a part of their minimum, and find no place for the rest of it, the first
 *     alone goes on waiting: the others give back what they hold.
 * Extras: band by band, a useful number (share_curve.h) at a time, best fit on the nodes. A part of
 *     the room goes to who has the fewest processors beyond its minimum, ties to who has the least
 *     of what it could use, then to who has them already, then to the oldest; the rest to who has
 *     the least left to do.
 * Settle: room that is free is taken at once. A job gives up only what another lacks, few jobs
 *     rather than many, those with most above their part first. While nothing changes from outside
 *     a job moves once in SHARE_REST_S. One that ends within SHARE_ENDING_S does not grow, and
 * gives nothing but for another's minimum.
 *
 * All who are given the same jobs come to the same answer: each may compute it and take its own
 * part of it. Pods that run stay on their nodes, where these are known. Where new ones go is a
 * guess; who places them decides (a pod stays pending, and the job is capped: share_job.cap).
 *
 * Pure: no clock, file or random number. Millis of a processor, bytes.
 */
#pragma once

#include "base/error.h"
#include "runtime/share/share_curve.h"

#define SHARE_JOBS_MAX    4096
#define SHARE_NODES_MAX   16384
#define SHARE_WORKERS_MAX 1024 /* a job has no more */

#define SHARE_PATIENCE_S 60
#define SHARE_REST_S     60
#define SHARE_ENDING_S   20

/* A node's: room for these jobs, workers that run included, other pods that run (rest_placed) left
 * out. A pod's: its requests. */
struct share_size {
    int64_t millis;
    int64_t bytes;
};

enum share_rule {
    SHARE_MIXED,  /* half of the extras evenly, half to who ends first */
    SHARE_EVEN,   /* all of them evenly */
    SHARE_SOONEST /* all to who ends first */
};

/* For some of the jobs together; a member 0: it sets no limit there. */
struct share_quota {
    struct share_size size;
    uint32_t pods;
};

struct share_cluster {
    const struct share_size *nodes;
    size_t node_count;
    const struct share_quota *quotas;
    size_t quota_count;
    enum share_rule rule;
    bool has_changed; /* since the last answer, from outside: a job, a node, a quota, a service */
};

struct share_job {
    int32_t band;         /* those of a higher one come first */
    uint32_t least, most; /* job.min_workers and job.max_workers: from 1 to SHARE_WORKERS_MAX */
    struct share_curve curve;
    struct share_size worker;  /* asked for by each worker */
    struct share_size rest;    /* asked for by each of the other pods, master and servers */
    uint32_t rest_count;       /* other pods; 0: none */
    uint32_t rest_placed;      /* others that have places, which are no part of the nodes' room */
    uint32_t has;              /* workers */
    const uint32_t *nodes;     /* (rest_count + has): each pod's, the rest first; NULL: not known */
    bool is_running;           /* it has its minimum, and no other of its band takes it */
    size_t quota;              /* the one that counts it; quota_count: none */
    uint32_t pinned;           /* number that the user asked for; 0: none */
    uint32_t cap;              /* no more find a place for now; 0: not known */
    double seconds_left;       /* with one worker; negative: not known */
    double seconds_since_move; /* since `has` was another number */
    double seconds_waited;     /* for its minimum */
};

enum share_reason {
    SHARE_ALL,     /* it has all that it can use */
    SHARE_PART,    /* others have the rest */
    SHARE_NO_ROOM, /* its minimum has no room, or an older job waits for it */
    SHARE_PINNED,  /* the user's number */
    SHARE_CAPPED,  /* no more find a place */
    SHARE_ENDS,    /* it ends soon, and does not grow */
    SHARE_RESTS    /* it has moved lately */
};

struct share_part {
    uint32_t workers; /* 0: its minimum has no room; it holds nothing */
    uint32_t wanted;  /* the largest number of use to it */
    enum share_reason reason;
};

/* `parts` (count) is the answer; jobs: the oldest first. INVALID for sizes and numbers that no job
 * has, LIMIT for more than the limits above, NO_MEMORY. */
enum status share_jobs(const struct share_cluster *cluster, const struct share_job *jobs,
                       size_t count, struct share_part *parts, struct error *err);

/* A word for it, in a sentence: "others have the rest". */
const char *share_reason_text(enum share_reason reason);
bool share_rule_of(struct slice word, enum share_rule *rule); /* even, mixed, soonest */
