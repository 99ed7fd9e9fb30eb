/*
 * journal_replay.h - a journal's entries into a store.
 */
#pragma once

#include "runtime/data/store/journal.h"

struct jobstore;

/* Everything behind what the store has; the store is not attached to a journal. *position: as
 * far as it got. CORRUPT for an entry that does not follow from those before. */
enum status journal_replay(const struct journal *journal, struct jobstore *store,
                           struct journal_position *position, struct error *err);
