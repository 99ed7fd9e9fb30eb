/*
 * worker_pool.h - which workers should run: what is wanted against what there is room for.
 *
 *     user, autoscaler --wanted, version--> pool --start, stop--> launcher
 *     launcher, broker -------slots-------->
 *
 *     EMPTY --START--> RUNNING --STOP--> LEAVING --it has ended--> EMPTY
 *                         +-----it has ended, unasked-------------> EMPTY, or RESTING
 *     RESTING --its time has come (the launcher reports it)--> EMPTY
 *
 * A launcher has one place for every index a worker can have. It does what
 * worker_pool_next says until that is nothing, and asks again after every change.
 * A worker that leaves holds its slot until it has ended.
 *
 * The wanted number has a version that only grows, so that of two writers the
 * later one counts, whichever way its request took.
 *
 * Pure: no process, clock or socket.
 */
#pragma once

#include <stdint.h>

#include "base/error.h"

#define WORKER_POOL_UNLIMITED UINT32_MAX

enum place {
    PLACE_EMPTY,
    PLACE_RUNNING,
    PLACE_LEAVING, /* asked to go, not gone yet */
    PLACE_RESTING, /* it failed, and is not to be started again yet */
    PLACE_CLOSED   /* never to be filled again */
};

struct worker_pool {
    uint32_t least, most; /* the job's min_workers and max_workers */
    uint32_t wanted;
    uint64_t version; /* version of `wanted`; 0: as the job began */
    uint32_t slots;   /* slots of the launcher for this job */
    uint32_t lanes;   /* more workers are of no use; WORKER_POOL_UNLIMITED: not known yet */
    uint32_t useful;  /* more do not pay, as this job or earlier ones measured;
                         WORKER_POOL_UNLIMITED: not known yet */
};

/* All that the job may have are wanted. */
void worker_pool_init(struct worker_pool *pool, uint32_t least, uint32_t most, uint32_t slots);

/* INVALID, with the range, for a number that the job cannot have. */
enum status worker_pool_want(struct worker_pool *pool, int64_t workers, struct error *err);

/* How many would have work of those that are wanted, and pay where the user asked for no number;
 * the job's least are in any case. */
uint32_t worker_pool_useful(const struct worker_pool *pool);

enum worker_pool_action { WORKER_POOL_NOTHING, WORKER_POOL_START, WORKER_POOL_STOP };

struct worker_pool_step {
    enum worker_pool_action action;
    uint32_t index;
};

/* Starts fill the lowest index, stops take the highest. `places`: (most). */
struct worker_pool_step worker_pool_next(const struct worker_pool *pool, const enum place *places);

/* How many processes there are, leaving ones included. */
uint32_t worker_pool_slots_used(const struct worker_pool *pool, const enum place *places);
