/*
 * share_packing.h - pods on nodes, best fit: each goes where the least is left.
 *
 * Each job's pods are a stack, its minimum at the bottom: what was placed last leaves first.
 */
#pragma once

#include "runtime/share/share.h"

struct share_stack {
    uint32_t *nodes; /* each pod's node, the master's and the servers' first */
    uint32_t count, room;
};

struct share_packing {
    struct share_size *nodes; /* the room that each has left */
    size_t node_count;
    struct share_quota *left; /* the rest of each quota */
    size_t quota_count;
    int64_t free_millis; /* on all nodes together */
    struct share_stack *stacks;
    uint32_t *places; /* the stacks' memory */
};

enum status share_packing_open(struct share_packing *packing, const struct share_cluster *cluster,
                               const struct share_job *jobs, size_t count, struct error *err);
/* Back to the state in which it was opened. */
void share_packing_clear(struct share_packing *packing, const struct share_cluster *cluster,
                         size_t count);
void share_packing_close(struct share_packing *packing);

/* Its minimum, all or nothing. */
bool share_packing_begin(struct share_packing *packing, const struct share_job *job, size_t index);
/* Its workers from what it has to so many, all or nothing. */
bool share_packing_grow(struct share_packing *packing, const struct share_job *job, size_t index,
                        uint32_t workers);
/* Back to so many. */
void share_packing_shrink(struct share_packing *packing, const struct share_job *job, size_t index,
                          uint32_t workers);
uint32_t share_packing_workers(const struct share_packing *packing, const struct share_job *job,
                               size_t index);
/* Millis that could still be given: what is free, within the quotas. */
int64_t share_packing_free(const struct share_packing *packing);
