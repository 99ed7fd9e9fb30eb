/*
 * journal_sum.h - checksums of the entries that say what is published, and where to.
 *
 * The spec has one of its own (runtime/launch/job_spec.h), the pieces of a checkpoint are hashed by
 * its head, and of what is wrong in all other entries no model hears. The target's name, a row of
 * the model, its metrics and the results of a shard have one behind their bodies
 * (base/sums/blank_sum.h), of body and data.
 */
#pragma once

#include "runtime/data/store/journal.h"

/* Appends the checksum of the body, which ends `bytes` and begins at that place, where entries of
 * the kind have one. */
void journal_sum_append(struct text *bytes, size_t body, enum journal_kind kind,
                        const struct slice *data);
/* CORRUPT: it is not what was written. An entry without one, of an older version, is read. */
enum status journal_sum_check(const struct journal_entry *entry, struct error *err);
