/*
 * row_guard.h - hashes of a learner's rows, so that a bit of them that changes by itself is found.
 *
 * All that rows are taken from is hashed by chunks of 1 MiB as it was encoded, and compared again
 * chunk by chunk; but a spool that is mapped is not: its file is the system's to keep.
 */
#ifndef RUNTIME_LEARN_ROW_GUARD_H
#define RUNTIME_LEARN_ROW_GUARD_H

#include "base/team.h"
#include "runtime/data/dataset.h"

struct row_guard {
    const struct dataset *dataset;
    uint64_t *chunks; /* (chunk_count): hashes */
    uint64_t chunk_count;
};

enum status row_guard_init(struct row_guard *guard, const struct dataset *dataset,
                           struct team *team, struct error *err);
void row_guard_deinit(struct row_guard *guard);
/* At most so many chunks from a position on, which is 0 again after the last one. CORRUPT. */
enum status row_guard_verify(const struct row_guard *guard, uint64_t *position, uint64_t most,
                             struct error *err);

/* CORRUPT: "WHAT of this worker changed in memory by themselves". */
enum status memory_damaged(struct error *err, const char *what);

#endif
