/*
 * checkpoint_pieces.h - pieces as they lie in a store: those of checkpoints (checkpoint.h), and of
 * the log of steps (step_log.h).
 */
#pragma once

#include "runtime/data/store/journal.h"

/* Into the store alone, in place of what was there. */
enum status checkpoint_insert_piece(struct jobstore *store, uint64_t id, uint64_t position,
                                    struct slice bytes, struct error *err);
/* In order of their positions, up to the first that is not there. CORRUPT: one is damaged. */
enum status checkpoint_each_piece(struct jobstore *store, uint64_t id, piece_reader *each,
                                  void *context, struct error *err);
