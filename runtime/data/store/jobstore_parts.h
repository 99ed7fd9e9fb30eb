/*
 * jobstore_parts.h - what jobstore.c, checkpoint.c and the journal's files share.
 */
#pragma once

#include "runtime/data/store/jobstore.h"

struct sqlite3_stmt;

/* The last failure of the database, as an error of ours. */
enum status jobstore_failed(struct jobstore *store, struct error *err);
enum status jobstore_run(struct jobstore *store, const char *sql, struct error *err);
/* In the order of the values; the statement is the caller's to finalize. */
enum status jobstore_prepare(struct jobstore *store, const char *sql,
                             struct sqlite3_stmt **statement, struct error *err);
/* A table that not every job has. */
enum status jobstore_has_table(struct jobstore *store, const char *name, bool *has,
                               struct error *err);
/* jobstore_leave_sync was called. */
bool jobstore_leaves_sync(const struct jobstore *store);
/* Whether so many more bytes fit into the store's file, as far as is known. */
bool jobstore_has_room(const struct jobstore *store, uint64_t bytes);
/* Where what is put goes, too (journal_parts.h); NULL: nowhere. */
struct recording;
struct recording *jobstore_recording(const struct jobstore *store);
