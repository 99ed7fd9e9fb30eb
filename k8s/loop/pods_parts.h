/*
 * pods_parts.h - shared by pods*.c.
 */
#pragma once

#include "k8s/client/http_collect.h"
#include "k8s/controller/kube_events.h"
#include "k8s/controller/notices.h"
#include "k8s/controller/pod_pool.h"
#include "k8s/loop/exchange.h"
#include "k8s/loop/pods.h"
#include "k8s/loop/pods_share.h"
#include "k8s/loop/succession.h"

#define PODS_POOLS     2                                     /* by enum kube_role */
#define PODS_CALLS_MAX (PODS_POOLS * POD_POOL_CALLS_MAX + 1) /* one for the Job */

struct pods_call {
    struct pods *pods;
    bool is_taken;
    bool is_of_job; /* a patch of the Job: `step` is not used */
    bool adopts;    /* reads an object that exists already */
    struct pod_pool_step step;
    struct http_request request;
    struct http_collect collect;
};

struct pods {
    struct launcher launcher;
    const struct kube_access *access;
    const struct kube_job *job;
    char owner[POD_UID_MAX], controller[POD_UID_MAX];
    uint32_t served; /* servers that have the rows, as told; 0: not yet */
    struct arena arena;
    struct slice master; /* address for the workers */
    struct text selector;
    struct api_target all; /* pods of the namespace */

    struct loop *loop;
    struct client *client;
    struct watch *watch;
    struct api_target jobs; /* Jobs of the namespace, with this job's name */
    struct watch *job_watch;
    struct text job_field; /* selects it, whatever its labels */
    bool has_seen_job, is_deleted;
    struct succession *succession; /* successor of this master's pod */
    bool is_asked_to_leave;        /* SIGTERM came */
    struct loop_source *timer;
    struct pod_pool pools[PODS_POOLS]; /* the workers'; the servers', where there are any */
    uint32_t pool_count;
    struct notices notices;
    struct pods_call calls[PODS_CALLS_MAX];

    struct kube_events events; /* events of the Job */
    bool scores;               /* a table; else it trains a model */
    struct exchange *telling;  /* an Event on its way to the API server */
    char pod[POD_NODE_MAX];    /* this master's */
    enum pod_pool_problem_kind problem;
    int64_t problem_at_ms; /* when it is reported next */

    struct launcher_owner listener; /* receives the notices; empty while ending */
    bool has_given_up, is_over;
    uint32_t most, least; /* workers that there may be, with which the job can work */
    uint64_t wanted_version;
    uint64_t step;       /* step of the last progress */
    int64_t progress_at; /* when a line of it was written to the log */
    uint32_t wanted;     /* number that the master was told: the least one, or more */
    uint32_t pinned;     /* by the user; 0: the job shares */
    struct pods_share share;
    uint32_t lanes;          /* more workers are of no use; 0: not known yet */
    uint32_t servers_wanted; /* by the user; 0: the Job was not seen yet */
    uint64_t servers_version;
    struct exchange *asking; /* for more servers */
    int64_t ask_at;          /* not before, after a failure */
    bool ends, must_patch;   /* pods_end: the Job is still to be patched, not to be tried again */
    int64_t patch_at, end_at, told_at;
};

/* The pool whose problem is to be told of: servers first, without which nobody works. */
const struct pod_pool *pods_worst_pool(const struct pods *pods);
/* Checks everything again, from the loop and not from here: calls cannot be started while one is
 * being read. */
void pods_wake(struct pods *pods);
