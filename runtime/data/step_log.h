/*
 * step_log.h - the steps that a parameter server has counted since its snapshots, in its store.
 *
 *     snapshot of step 40 | 40 41 42 ... 57      a later process counts them again, and is at 58
 *
 * They lie among the pieces of checkpoints (checkpoint.h), under ids that no checkpoint has. The
 * death of a process loses none of them. A machine that loses its power may lose the last ones: the
 * log is not waited for. Where the store is a copy of a journal they are in the journal alone.
 *
 * An entry begins with the number of its bytes behind it, so that one which was not written to its
 * end is known.
 */
#ifndef RUNTIME_DATA_STEP_LOG_H
#define RUNTIME_DATA_STEP_LOG_H

#include "base/text.h"
#include "runtime/data/jobstore.h"

#define STEP_LOG_FIRST     ((uint64_t)1 << 62) /* id of step 0 */
#define STEP_LOG_BYTES_MAX ((size_t)1 << 30)   /* of an entry */

/* Before the first entry: the store is written to all the time. */
enum status step_log_begin(struct jobstore *store, struct error *err);
/* In place of what was there of this step. In a transaction of the caller. LIMIT, too, where the
 * disk is nearly full: other things of the job need what is left. */
enum status step_log_put(struct jobstore *store, uint64_t step, struct slice entry,
                         struct error *err);
/* Appends it. NOT_FOUND: the log ends before it, or within it. */
enum status step_log_read(struct jobstore *store, uint64_t step, struct text *out,
                          struct error *err);
/* Of the steps before this one. */
enum status step_log_forget(struct jobstore *store, uint64_t step, struct error *err);
enum status step_log_forget_all(struct jobstore *store, struct error *err);

#endif
