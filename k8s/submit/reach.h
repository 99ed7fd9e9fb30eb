/*
 * reach.h - can the API server reach the node of the master's pod?
 *
 * The job's follower has no right to read nodes, but may read the log of the master's pod, which
 * the API server asks of the kubelet. While the master reports, its node is well. When nothing
 * came for 1.4 seconds the log's last line is asked for: any answer of the kubelet will do, also
 * that the container does not run yet. Silence or a server's error (5xx) is a failure; that the
 * API server itself answers is for the caller to see.
 */
#pragma once

#include "k8s/submit/pod_log.h"

#define REACH_LOST_MS  4000 /* nothing was heard for so long */
#define REACH_NEVER_MS 6000 /* the same of a job of which nothing was ever heard */

struct reach {
    struct pod_log log;
    struct api_target pod; /* its texts are the owner's; without name: none is asked for */
    void *context;
    void (*on_lines)(void *context, struct slice lines); /* the last line, where there is one */
    int64_t heard_ms;  /* when something came, or the pod was named */
    int64_t due_ms;    /* not asked before */
    uint32_t failures; /* in a row */
    bool was_heard;    /* some pod was heard */
};

/* Stays where it is until reach_deinit. */
void reach_init(struct reach *reach, struct client *client, void *context,
                void (*on_lines)(void *context, struct slice lines));
void reach_deinit(struct reach *reach);
/* Another pod from now on. */
void reach_begin(struct reach *reach, const struct api_target *pod, int64_t now_ms);
/* It has no pod any more. */
void reach_end(struct reach *reach);
/* It reports. */
void reach_hear(struct reach *reach, int64_t now_ms);
/* Asks where it is time to; true where the pod is out of reach. */
bool reach_is_lost(struct reach *reach, int64_t now_ms);
