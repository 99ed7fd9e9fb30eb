/*
 * step_log.h - the steps that a parameter server has counted since its snapshots, and the rows that
 * have moved to it, in its store (runtime/ps/server/server_log.h).
 *
 *     snapshot of step 40 | 40 41 42 ... 57      a later process counts them again, and is at 58
 *                         | move 3: 0 1 2 ... 9
 *
 * They lie among the pieces of checkpoints (checkpoint.h), under ids that no checkpoint has. The
 * death of a process loses none of them. A machine that loses its power may lose the last ones: the
 * log is not waited for. Where the store is a copy of a journal they are in the journal alone.
 *
 * An entry begins with the number of its bytes behind it, so that one which was not written to its
 * end is known.
 */
#pragma once

#include "base/text.h"
#include "runtime/data/store/jobstore.h"

#define STEP_LOG_FIRST     ((uint64_t)1 << 62) /* id of step 0 */
#define STEP_LOG_BYTES_MAX ((size_t)1 << 30)   /* bytes of an entry */

/* Entries have numbers: steps their own, those of a move others. A first entry of a move forgets
 * those that there are of it and of later ones; one without bytes does that alone. */
static inline uint64_t step_log_move(uint32_t move, uint32_t entry)
{
    return ((uint64_t)1 << 40) + ((uint64_t)move << 24) + entry;
}

/* Before the first entry: the store is written to all the time. */
enum status step_log_begin(struct jobstore *store, struct error *err);
/* In place of what was there of this number. In a transaction of the caller. LIMIT, too, where the
 * disk is nearly full: other things of the job need what is left. */
enum status step_log_put(struct jobstore *store, uint64_t number, struct slice entry,
                         struct error *err);
/* Appends it. NOT_FOUND: the log ends before it, or within it. */
enum status step_log_read(struct jobstore *store, uint64_t number, struct text *out,
                          struct error *err);
/* Forgets the steps before this one, and the moves before that one. */
enum status step_log_forget(struct jobstore *store, uint64_t step, uint32_t move,
                            struct error *err);
enum status step_log_forget_all(struct jobstore *store, struct error *err);
