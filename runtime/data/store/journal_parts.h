/*
 * journal_parts.h - what the stores' files and the journal's share.
 */
#pragma once

#include "runtime/data/store/journal.h"

/* A checkpoint's head: struct journal_checkpoint, as the values of the store's columns
 * (checkpoint.c). */
#define CHECKPOINT_HEAD_VALUES 10
_Static_assert(sizeof(struct journal_checkpoint) == CHECKPOINT_HEAD_VALUES * sizeof(uint64_t),
               "a head has its fields and nothing else");

/* ----- journal_record.c: puts of a store on their way into a journal ----- */

/* NULL: the store has none, and all of the following do nothing. */
struct recording;

/* ----- checkpoint.c ----- */

/* The head and its pieces as another store has them. Nothing is trusted:
 * checkpoint_open checks them as any other's. `older`: of the one before, whose pieces are fetched
 * where the newest is damaged; NULL: there is none. */
enum status checkpoint_put_foreign(struct jobstore *store,
                                   const uint64_t values[CHECKPOINT_HEAD_VALUES],
                                   const uint64_t *older, const struct journal *journal,
                                   struct error *err);
/* Drops the checkpoints like checkpoint_drop, but without a journal entry. */
enum status checkpoint_forget(struct jobstore *store, struct error *err);
