/*
 * journal_parts.h - what the stores' files and the journal's share.
 */
#ifndef RUNTIME_DATA_JOURNAL_PARTS_H
#define RUNTIME_DATA_JOURNAL_PARTS_H

#include "runtime/data/journal.h"

/* A checkpoint's head, in the order of the store's columns (checkpoint.c). */
#define CHECKPOINT_HEAD_VALUES 10
extern const char *const journal_head_names[CHECKPOINT_HEAD_VALUES];

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
/* As checkpoint_drop, but without a journal entry. */
enum status checkpoint_forget(struct jobstore *store, struct error *err);

#endif
