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

enum status recording_new(const struct journal *journal, struct recording **recording,
                          struct error *err);
void recording_free(struct recording *recording);

enum status record_job(struct recording *recording, const struct job_row *row, struct error *err);
enum status record_worker(struct recording *recording, uint32_t index, const char *state,
                          uint32_t lanes, double rows_per_second, struct error *err);
enum status record_event(struct recording *recording, double at_seconds, const char *role,
                         int64_t index, const char *event, const char *detail, struct error *err);
enum status record_metric(struct recording *recording, uint32_t epoch, uint64_t step,
                          const char *metric, const char *part, double value, struct error *err);
enum status record_result(struct recording *recording, const char *name, double train,
                          double validation, struct error *err);
enum status record_model_row(struct recording *recording, const struct model_row *row,
                             struct error *err);
enum status record_head(struct recording *recording, const uint64_t values[CHECKPOINT_HEAD_VALUES],
                        struct error *err);
enum status record_piece(struct recording *recording, uint64_t checkpoint, uint64_t position,
                         struct slice bytes, struct error *err);
enum status record_drop(struct recording *recording, struct error *err);

/* What was recorded since the last of these goes to the journal, or nowhere. */
enum status recording_flush(struct recording *recording, struct error *err);
void recording_discard(struct recording *recording);

/* The claim of a master that has replayed the journal into the store. Nothing is recorded
 * meanwhile. */
enum status recording_claim(struct recording *recording, struct jobstore *store, uint32_t least,
                            uint32_t *incarnation, struct error *err);
enum status recording_check(struct recording *recording, struct error *err);

/* ----- checkpoint.c ----- */

/* The head and its pieces as another store has them. Nothing is believed:
 * checkpoint_open checks them as any other's. `older`: of the one before, whose pieces are fetched
 * where the newest is damaged; NULL: there is none. */
enum status checkpoint_put_foreign(struct jobstore *store,
                                   const uint64_t values[CHECKPOINT_HEAD_VALUES],
                                   const uint64_t *older, const struct journal *journal,
                                   struct error *err);
/* As checkpoint_drop, and no journal hears of it. */
enum status checkpoint_forget(struct jobstore *store, struct error *err);

#endif
