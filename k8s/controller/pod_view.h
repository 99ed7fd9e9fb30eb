/*
 * pod_view.h - the state of one of our Pods, read from its object.
 */
#pragma once

#include "k8s/client/api.h"
#include "k8s/job/kube_job.h"

enum pod_phase {
    POD_PENDING, /* not scheduled, or its container does not run yet */
    POD_RUNNING,
    POD_ENDED
};

/* The obstacle that keeps a pending pod from running, in ascending order of severity. */
enum pod_obstacle {
    POD_NO_OBSTACLE,
    POD_UNSCHEDULABLE, /* no node has room: it stays, and joins when one has */
    POD_NO_IMAGE,      /* cannot be pulled; tried again by the kubelet */
    POD_NO_START       /* a Secret is missing, a name is wrong, the runtime refuses */
};

/* How it ended. */
enum pod_end {
    POD_DONE,      /* code 0: it received END */
    POD_DISRUPTED, /* preempted, evicted, its node lost: not the program's fault */
    POD_OUT_OF_MEMORY,
    POD_CRASHED, /* a signal, or the codes of passing troubles: 1, 3, 130 and above */
    POD_REFUSED  /* 2, 4, 5: it would end so again */
};

#define POD_UID_MAX     64
#define POD_NODE_MAX    254 /* a name of DNS */
#define POD_MESSAGE_MAX 256

struct pod_view {
    enum kube_role role;         /* label totrain.dev/role */
    uint32_t index, incarnation; /* labels totrain.dev/... */
    char uid[POD_UID_MAX];
    char node[POD_NODE_MAX]; /* empty: it has none yet */
    int64_t memory;          /* bytes that it may have; 0: no limit is set */
    bool is_leaving;         /* under deletion; it may still run */
    bool is_disrupted;       /* by the cluster: preempted, evicted, its node given up */
    bool is_unheard;         /* it has a node, which has not reported it yet */
    bool is_silent;          /* it runs, as far as the cluster knows, but its node is silent */
    enum pod_phase phase;
    enum pod_obstacle obstacle;
    enum pod_end end;
    int exit_code;                 /* where it ended with one; -1 */
    char message[POD_MESSAGE_MAX]; /* a line about the obstacle, the disruption or the end */
};

/* PROTOCOL for a pod without our labels. */
enum status pod_view_read(const cJSON *pod, struct pod_view *view, struct error *err);
/* The same of a master's, which has no index. */
enum status pod_view_read_master(const cJSON *pod, struct pod_view *view, struct error *err);
/* Whether only the user can change the pod's obstacle. Else the kubelet tries again, as after a
 * runtime that did not answer in time. */
bool pod_view_needs_user(const struct pod_view *view);
