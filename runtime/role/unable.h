/*
 * unable.h - workers that could not open their rows, and whether that is the end of the job.
 *
 *     worker --UNABLE: why--> noted --it says HELLO--> forgotten
 *                               \--nobody is here, and nobody is likely to come--> the job fails
 *
 * A full disk, missing memory or a damaged file are the trouble of one worker: it ends, its
 * launcher starts the next incarnation later and later, and the others work. The job fails when
 * nobody is here who works, nobody is just opening its rows, and
 *   - all who tried say the same of the rows themselves (INVALID, UNSUPPORTED), each worker that
 *     is wanted or one of them twice; or
 *   - one of them has tried UNABLE_TRIES_MAX times.
 *
 * Pure: the caller passes the time in milliseconds.
 */
#ifndef RUNTIME_ROLE_UNABLE_H
#define RUNTIME_ROLE_UNABLE_H

#include "runtime/net/message.h"

#define UNABLE_TRIES_MAX 3

struct unable_worker {
    uint32_t tries, incarnation; /* that said so last */
    uint64_t words;              /* hash of what it said */
    uint32_t opening;            /* incarnation that was heard of before it joined */
    int64_t opening_at;          /* last; INT64_MIN: none was */
};

struct unable {
    struct unable_worker *workers; /* (count), by index */
    uint32_t count;
    int64_t dead_ms;   /* silence after which an opening worker is dead; 0: nobody comes again */
    bool is_of_rows;   /* what was said last */
    struct error last; /* of all workers */
};

enum status unable_init(struct unable *unable, uint32_t workers, int64_t dead_ms,
                        struct error *err);
void unable_deinit(struct unable *unable);

/* False for an index that no worker has. */
bool unable_note(struct unable *unable, const struct message_unable *message);
/* A process of this worker is alive. */
void unable_note_pulse(struct unable *unable, int64_t now_ms, uint32_t index, uint32_t incarnation);
/* It has joined, or is not wanted any more. */
void unable_forget(struct unable *unable, uint32_t index);
/* While nobody is here: is that for good? `wanted`: how many workers should be. */
bool unable_is_for_good(const struct unable *unable, int64_t now_ms, uint32_t wanted);

#endif
