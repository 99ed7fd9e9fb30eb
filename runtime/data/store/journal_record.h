/*
 * journal_record.h - what a store is given, as entries of a journal.
 */
#pragma once

#include "runtime/data/store/journal_parts.h"

struct jobstore;
struct recording;

enum status recording_new(const struct journal *journal, struct recording **recording,
                          struct error *err);
void recording_free(struct recording *recording);

enum status record_job(struct recording *recording, const struct job_row *row, struct error *err);
/* Any other entry that has fields: the struct of its kind (journal_fields.h). */
enum status record_entry(struct recording *recording, enum journal_kind kind, const void *fields,
                         struct error *err);
/* The same, with data. */
enum status record_entry_with(struct recording *recording, enum journal_kind kind,
                              const void *fields, struct slice data, struct error *err);
/* A report: an object of JSON. */
enum status record_report(struct recording *recording, struct slice json, enum report_haste haste,
                          struct error *err);
enum status record_model_row(struct recording *recording, const struct model_row *row,
                             struct error *err);
enum status record_piece(struct recording *recording, uint64_t checkpoint, uint64_t position,
                         struct slice bytes, struct error *err);
/* Those that were put under this id: they need not be in the store. */
enum status record_each_piece(struct recording *recording, uint64_t checkpoint, piece_reader *each,
                              void *context, struct error *err);
/* Forgets checkpoints from `first` on, below `end`. The store has committed that it does not have
 * them any more. */
void record_forget(struct recording *recording, uint64_t first, uint64_t end);
enum status record_drop(struct recording *recording, struct error *err);

/* Flush sends the entries since the last flush or discard to the journal; discard drops them. */
enum status recording_flush(struct recording *recording, struct error *err);
void recording_discard(struct recording *recording);

/* The claim of a master that has replayed the journal into the store. Nothing is recorded
 * meanwhile. */
enum status recording_claim(struct recording *recording, struct jobstore *store, uint32_t least,
                            uint32_t *incarnation, struct error *err);
enum status recording_check(struct recording *recording, struct error *err);
