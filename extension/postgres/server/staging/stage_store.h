/*
 * stage_store.h - rows_JOB, the table of what was staged, and a folder to work in, for
 * totrain.stage_shard.
 *
 *     files of the folder, bytes --stage_store_files--> pieces in rows_JOB (staged_pieces.h)
 *     rows_JOB --stage_store_read--> an index
 *
 * All of it is SQL of the caller's: his are the rights. What lies in the table may be anybody's
 * bytes.
 */
#pragma once

#include "extension/postgres/server/session/session.h"

#include <executor/spi.h>

#include "runtime/data/staged/staged_pieces.h"

#define STAGE_FOLDER_MAX 64

struct stage_store {
    struct session *session;
    const char *table; /* "schema".rows_JOB as in SQL */
    char folder[STAGE_FOLDER_MAX];
};

/* Makes the folder, among the server's temporary files, which it removes itself when it starts. */
void stage_store_init(struct stage_store *store, struct session *session, const char *schema,
                      int64 job);
void stage_store_remove_folder(struct stage_store *store);

/* A file that is not there has no pieces. The first that another transaction has stored, too, is
 * an error of PostgreSQL: a key that is there twice. */
enum status stage_store_files(struct stage_store *store, const struct staged_file *files,
                              size_t count, struct error *err);
/* Appends the bytes of a file. NOT_FOUND; LIMIT: beyond what the text may hold. */
enum status stage_store_read(struct stage_store *store, const char *name, struct text *bytes,
                             struct error *err);
/* The first fact in the index of a shard: the bytes of its part. */
enum status stage_store_part_bytes(struct stage_store *store, const char *index, uint64_t *bytes,
                                   struct error *err);

/* For what is guarded, and connected to SPI, where all of these throw. */
SPIPlanPtr stage_store_prepare(const char *sql, Oid *types, int count);
/* most: rows; 0: all. */
void stage_store_run(SPIPlanPtr plan, Datum *values, bool reads, long most);
/* A column, from 1, of a row that was found. Borrowed from it. */
struct slice stage_store_bytes(uint64 row, int column);
