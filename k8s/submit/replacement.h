/*
 * replacement.h - a job's follower makes its next master where one is missing.
 *
 *     pods of masters --seen--> replacement --succession.h--> the next master's pod
 *     what it reports --heard-----^
 *
 * A master is missing where no pod of one is active for a moment, and where the node of the active
 * one is out of reach (reach.h); then that pod is deleted first. The Job's controller does the same
 * later. Without success it is tried again, with doubled pauses.
 */
#pragma once

#include "k8s/controller/pod_view.h"
#include "k8s/job/kube_job.h"
#include "k8s/loop/succession.h"
#include "k8s/submit/reach.h"

#define REPLACEMENT_PODS_MAX 8
#define REPLACEMENT_NAME_MAX 254

struct replacement_reader {
    void *context;
    void (*on_notice)(void *context, const char *text);  /* for the user */
    void (*on_lines)(void *context, struct slice lines); /* a quiet master's last log lines */
};

struct replacement {
    struct loop *loop;
    struct client *client;
    const struct kube_job *job;
    struct slice job_uid;
    struct replacement_reader reader;

    char active[REPLACEMENT_PODS_MAX][POD_UID_MAX]; /* uids */
    uint32_t active_count;
    /* The master that was active last. */
    char name[REPLACEMENT_NAME_MAX], uid[POD_UID_MAX], node[POD_NODE_MAX];
    char left_uid[POD_UID_MAX],
        left_node[POD_NODE_MAX]; /* the last one out of reach, and where it was */
    bool has_succeeded;          /* one of them: the job needs no other */
    int64_t gone_ms;             /* since when none is active */

    struct reach reach;
    struct succession *succession;
    int64_t pause_ms, due_ms; /* the next one not before */
};

/* `job` and `job_uid` are borrowed for its life. */
void replacement_init(struct replacement *replacement, struct loop *loop, struct client *client,
                      const struct kube_job *job, struct slice job_uid,
                      const struct replacement_reader *reader);
void replacement_deinit(struct replacement *replacement);
/* A pod of a master, as it is now. */
void replacement_see(struct replacement *replacement, const cJSON *pod, int64_t now_ms);
/* It is not there any more. */
void replacement_see_gone(struct replacement *replacement, struct slice uid, int64_t now_ms);
/* A master reports. */
void replacement_hear(struct replacement *replacement, int64_t now_ms);
/* From the loop's tick, while the job goes on. */
void replacement_look(struct replacement *replacement, int64_t now_ms);
