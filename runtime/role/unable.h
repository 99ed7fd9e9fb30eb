/*
 * unable.h - workers that could not open their rows, or that ran out of memory at work, and whether
 * that is the end of the job.
 *
 *     worker --UNABLE: why--> noted --it says HELLO, or a phase was done--> forgotten
 *                               \--no worker is here or likely to come--> the job fails
 *
 * A full disk, missing memory or a damaged file are the trouble of one worker: it ends, its
 * launcher starts the next incarnation later and later, and the others work. One that runs out of
 * memory at work opens its rows each time: for it HELLO changes nothing, a phase that was done
 * since does. The job fails when no worker works, none is opening its rows, and
 *   - all that tried report the same of the rows themselves (INVALID, UNSUPPORTED), each worker
 * that is wanted or one of them twice; or
 *   - one of them has tried UNABLE_TRIES_MAX times;
 * and when all that are here ran out of memory that often, with no phase done in between.
 *
 * Pure: the caller passes the time in milliseconds.
 */
#pragma once

#include "runtime/net/message.h"

#define UNABLE_TRIES_MAX 3

struct unable_worker {
    uint32_t tries, incarnation; /* tries, and the incarnation that said so last */
    bool was_at_work;            /* it had opened its rows by then */
    uint64_t words;              /* hash of what it said */
    bool is_here;                /* it is connected, and has joined */
    uint32_t joined;             /* incarnation that joined last */
    uint32_t opening;            /* incarnation that was heard of before it joined */
    int64_t opening_at;          /* last; INT64_MIN: none was */
};

struct unable {
    struct unable_worker *workers; /* (count), by index */
    uint32_t count;
    int64_t dead_ms;   /* silence after which an opening worker is dead; 0: none comes again */
    bool is_of_rows;   /* the last reason was about the rows */
    bool any_at_work;  /* some worker is at work */
    struct error last; /* last error of all workers */
};

enum status unable_init(struct unable *unable, uint32_t workers, int64_t dead_ms,
                        struct error *err);
void unable_deinit(struct unable *unable);

/* It says nothing new: another incarnation has joined since, or it ran out of memory at work, which
 * it sends again on each new connection until it is answered. That is no further try. */
bool unable_is_stale(const struct unable *unable, const struct message_unable *message,
                     bool was_at_work);
/* False for an index that no worker has. `was_at_work`: it had joined before it said so. */
bool unable_note(struct unable *unable, const struct message_unable *message, bool was_at_work);
/* A process of this worker is alive. */
void unable_note_alive(struct unable *unable, int64_t now_ms, uint32_t index, uint32_t incarnation);
/* This incarnation of it has joined, and is here until it has left. */
void unable_note_joined(struct unable *unable, uint32_t index, uint32_t incarnation);
void unable_note_left(struct unable *unable, uint32_t index);
/* The workers that are here have got on with the job. */
void unable_note_phase_done(struct unable *unable);
/* Workers are here, and each of them ran out of memory UNABLE_TRIES_MAX times since a phase was
 * done. To be asked when one of them has run out of memory: the others are trying again. */
bool unable_all_fail_at_work(const struct unable *unable);
/* No worker is here, and that is for good. `wanted`: how many workers should run. */
bool unable_is_for_good(const struct unable *unable, int64_t now_ms, uint32_t wanted);
