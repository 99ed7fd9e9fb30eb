/*
 * succession.h - making the pod of the next master, in the loop of a role.
 *
 *     GET Job --goes on--> [GET the pod before, or DELETE it] --> POST the next pod --> on_end
 *
 * What the next pod is like: k8s/objects/successor.h.
 */
#pragma once

#include "k8s/controller/pod_view.h"
#include "k8s/job/kube_job.h"
#include "k8s/loop/client.h"

enum succession_kind {
    SUCCESSION_IF_LEAVING,  /* the pod before is to have a deletionTimestamp; else none is made */
    SUCCESSION_UNREACHABLE, /* the pod before is deleted first, without waiting for its node */
    SUCCESSION_GONE         /* there is no pod before any more */
};

struct succession_order {
    enum succession_kind kind;
    struct slice job;               /* the Job's uid */
    struct slice pod_name, pod_uid; /* the pod before; IF_LEAVING needs no uid */
    struct slice avoided;           /* a node; empty: none */
};

struct succession_reader {
    void *context;
    /* Once, not after succession_cancel, and not from within succession_start. OK: the next pod is
     * there, or none is needed; NOT_FOUND: the Job is gone; else why there is none. The succession
     * is gone: another may be started, the client may not be closed. */
    void (*on_end)(void *context, enum status status, const struct error *err);
};

struct succession;

/* `job` is borrowed for its life; what `order` names is copied. Each request is tried once. */
enum status succession_start(struct loop *loop, struct client *client, const struct kube_job *job,
                             const struct succession_order *order,
                             const struct succession_reader *reader, struct succession **succession,
                             struct error *err);
void succession_cancel(struct succession *succession); /* NULL: nothing */
