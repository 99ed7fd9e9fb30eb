/*
 * share_board_parts.h - shared by share_board*.c.
 */
#pragma once

#include "k8s/share/share_board.h"

#define BOARD_NAME_MAX 64

struct board_job {
    char uid[SHARE_UID_MAX], name[BOARD_NAME_MAX], created[32];
    uint64_t hash; /* the uid's */
    size_t space;
    struct share_job report;
    bool is_suspended, has_ended, is_told_to_rest; /* by the object */
    uint32_t decided;                              /* workers */
    bool is_decided, must_rest;
    int64_t moved_ms;       /* since `decided` is that number */
    uint32_t workers, rest; /* pods with a place */
    uint32_t pods;          /* pods that are there, with or without a place */
    struct share_size held; /* requests of all that are there */
};

struct board_pod {
    char uid[SHARE_UID_MAX];
    uint64_t owner; /* hash of its Job's uid; 0: it has none */
    size_t space;
    uint64_t node; /* hash of its name; 0: it has none */
    struct share_size size;
    bool is_worker, is_leaving, has_ended;
    int64_t unplaced_ms; /* since when the scheduler finds no place; 0: it has not said so */
};

struct board_node {
    char uid[SHARE_UID_MAX];
    uint64_t name;
    struct share_size size;
    bool is_closed; /* takes no new pods */
};

struct board_quota {
    char uid[SHARE_UID_MAX];
    size_t space;
    bool has_cpu, has_memory, has_pods; /* it limits them */
    struct share_quota hard, used;
};

/* The uid is the first member of each item. */
struct board_array {
    void *items;
    uint32_t count, room;
};

struct share_board {
    enum share_rule rule;
    bool sees_nodes, has_changed;
    uint64_t left; /* hash of the uid of a job that takes no part any more; 0: none */
    struct board_array jobs, pods, nodes, quotas;
    struct share_room room;
    struct share_held held;
    struct share_decided *decided; /* memory of the last share_board_decision */
};

#define BOARD_JOBS(board)   ((struct board_job *)(board)->jobs.items)
#define BOARD_PODS(board)   ((struct board_pod *)(board)->pods.items)
#define BOARD_NODES(board)  ((struct board_node *)(board)->nodes.items)
#define BOARD_QUOTAS(board) ((struct board_quota *)(board)->quotas.items)
