/*
 * pgstore_parts.h - what the files of this folder share.
 */
#pragma once

#include "base/json.h"
#include "runtime/data/pgstore/pg_connection.h"
#include "runtime/data/pgstore/pgstore.h"
#include "runtime/data/staged/sparse_files.h"

#define TABLE_NAME_MAX 300 /* quoted */

struct pgstore {
    struct pg_connection connection;
    char input[TABLE_NAME_MAX], checkpoint[TABLE_NAME_MAX], result[TABLE_NAME_MAX];
    char rows[TABLE_NAME_MAX];
    bool is_of_server;   /* `result` and `checkpoint` are server_JOB and snapshot_JOB */
    uint32_t server;     /* its index */
    int64_t patience_ms; /* patience for what must be done */
    const char *source;  /* the one of these that has the files */
    size_t piece_bytes;  /* bytes of the files' pieces there */
    struct journal journal;
    int64_t last;         /* number of the last entry that was read or appended */
    struct text pending;  /* COPY of a transaction that may or may not be there */
    size_t pending_count; /* entries; 0: none */
    size_t pending_first; /* bytes of the first one's row */
    bool is_in_doubt;     /* it was sent, and the answer was lost */
    int64_t retry_at;     /* how the job goes may try to connect again */
    struct sparse_file *files;
    size_t file_count;
};

/* Takes the files that the member "files" lists. */
enum status pgstore_read_files(struct pgstore *store, const cJSON *body, struct error *err);

/* The statement's text with @ for the table; false: too long. */
bool pgstore_sql(char *sql, size_t capacity, const char *format, const char *table);
