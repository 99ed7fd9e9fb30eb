/*
 * database.h - the seam between the PostgreSQL host and a session of the server.
 *
 *     database_libpq.c   a connection of our own (the program `totrain`)
 *     database_spi.c     the backend we are loaded into
 *
 * postgres_host.h fills the engine's host with nothing but these functions, so that both
 * doors find, check, write and keep models with the same SQL. Everything happens
 * in the caller's session: its rights, its search_path, its transaction.
 *
 * All text is UTF-8, whatever the server's encoding. An error is returned, never
 * thrown: SQLSTATE gives the status (pg_status_of), and err->position is a byte
 * offset in the SQL that was handed over, -1 where the server gives none.
 */
#ifndef EXTENSION_POSTGRES_SQL_DATABASE_H
#define EXTENSION_POSTGRES_SQL_DATABASE_H

#include "base/arena.h"
#include "base/cell.h"
#include "base/error.h"

/* ----- columns and rows ----- */

/*
 * What a column's type is to us, and the cell that its values become (PG_DATA).
 * A domain is its base type.
 *
 *     kind        types                         cell
 *     INTEGER     int2 int4 int8                CELL_INTEGER
 *     OID         oid                           CELL_INTEGER, never negative
 *     REAL        float4 float8                 CELL_REAL; NaN and infinities too
 *     NUMERIC     numeric                       CELL_REAL: the nearest double of its text
 *     BOOLEAN     bool                          CELL_INTEGER 0, 1
 *     TEXT        text varchar bpchar name char CELL_TEXT; bpchar keeps its blanks
 *     ENUM        any enum                      CELL_TEXT: its label
 *     UUID        uuid                          CELL_TEXT: 8-4-4-4-12 small hex digits
 *     DATE        date                          CELL_INTEGER: days since 1970-01-01 (CELL_DAYS)
 *     TIMESTAMP   timestamp timestamptz         CELL_REAL: seconds since 1970-01-01 (UTC),
 *                                               microseconds / 1e6; infinities as infinities
 *                                               (CELL_SECONDS)
 *     VECTOR      int2[] int4[] int8[] float4[] CELL_VECTOR; numbers become doubles as
 *                 float8[] numeric[]            above
 *     BYTES       bytea                         CELL_BLOB
 *     OTHER       everything else               CELL_BLOB, whose bytes mean nothing
 */
enum pg_kind {
    PG_INTEGER,
    PG_OID,
    PG_REAL,
    PG_NUMERIC,
    PG_BOOLEAN,
    PG_TEXT,
    PG_ENUM,
    PG_UUID,
    PG_DATE,
    PG_TIMESTAMP,
    PG_VECTOR,
    PG_BYTES,
    PG_OTHER
};

struct pg_column {
    struct slice name;
    uint32_t type; /* OID in pg_type; of a domain its base type */
    enum pg_kind kind;
};

/* The rows of a result. What is borrowed is so until the call returns. */
struct pg_rows {
    void *self;
    /* Once, before the first row; not for a statement without a result. May be NULL. */
    enum status (*columns)(void *self, const struct pg_column *columns, size_t count,
                           struct error *err);
    enum status (*row)(void *self, const struct cell *cells, size_t count, struct error *err);
};

enum pg_form {
    PG_DATA, /* cells as in the table above: to compute with */
    PG_SHOWN /* for people: INTEGER and finite REAL as such, all else the server's own text */
};

/* ----- statements ----- */

/* One statement. */
struct pg_statement {
    struct slice sql;
    /* $1, $2, ...: bigint, double precision, text or bytea by the cell's type; a NULL
     * cell is a text: write $1::pg_catalog.int8 where that matters. */
    const struct cell *parameters;
    size_t count;
    enum pg_form form;
    /* Above 0: through a cursor that is closed after so many rows. INVALID for
     * what is no query that only reads: DML in a WITH, too. */
    uint64_t rows_max;
    /* No part of it is the user's: the server checks the owners of its tables (own_sql.h). */
    bool is_ours;
};

/* The same statement with many rows of parameters. */
struct pg_prepared;

/* Which rows of which model: see read_model. */
struct pg_model_read {
    uint32_t relation; /* OID */
    bool only_meta;    /* its meta row only */
    bool at_once;      /* for a listing: BUSY where another session has locked the table */
};

/* ----- the seam ----- */

/* The database's own part of a transaction. */
struct pg_transaction {
    bool is_inner; /* a savepoint in the user's transaction: the server always */
    void *inner[3];
};

struct pg_database {
    void *self;
    /* Label types in statements are checked as they are used (own_sql.h), so enums of any role may
     * be named. Over a connection only types of the caller's own and of superusers are. */
    bool checks_types;

    /* `affected` (may be NULL): rows that INSERT, UPDATE, DELETE or CREATE TABLE AS touched.
     * A row or columns callback that fails ends the statement with its error. */
    enum status (*query)(void *self, const struct pg_statement *statement,
                         const struct pg_rows *rows, uint64_t *affected, struct error *err);
    /* The columns of a query that is parsed and analysed, not run. INVALID when it has
     * parameters or returns no rows. Names live in the arena. */
    enum status (*describe)(void *self, struct slice sql, struct arena *arena,
                            struct pg_column **columns, size_t *count, struct error *err);

    /* The rows of a model: part, name, position, value, data; nothing of what the owner of its
     * table has made is run. PERMISSION where the caller may not read it, CORRUPT where it has
     * not a model's columns, NOT_FOUND where it is gone. */
    enum status (*read_model)(void *self, const struct pg_model_read *read,
                              const struct pg_rows *rows, struct error *err);

    /* Parameters have the types that the cells' types stand for; any may be NULL. After
     * `finish`, which frees it in every case, all rows are in or the error is known:
     * execute may return OK for a row that fails later. To be finished before any other call. */
    enum status (*prepare)(void *self, struct slice sql, const enum cell_type *types, size_t count,
                           struct pg_prepared **prepared, struct error *err);
    enum status (*execute)(void *self, struct pg_prepared *prepared, const struct cell *cells,
                           struct error *err);
    enum status (*finish)(void *self, struct pg_prepared *prepared, struct error *err);

    /* A transaction of our own, or what can be undone inside of the user's. */
    enum status (*begin)(void *self, struct pg_transaction *transaction, struct error *err);
    /* Commits when `so_far` is OK, else rolls back and returns it. */
    enum status (*end)(void *self, struct pg_transaction *transaction, enum status so_far,
                       struct error *err);

    /* Where no transaction is open, neither the user's nor one of our own: what was done so far is
     * committed for good. *is_so is false inside of one. */
    enum status (*settle)(void *self, bool *is_so, struct error *err);

    /* Has the user asked this session to stop? */
    bool (*interrupted)(void *self);
};

/* ----- what every database needs ----- */

/* Of a type that every server has (pg_type's fixed OIDs); OTHER for all others,
 * of which the caller looks at typtype 'e' (ENUM). */
enum pg_kind pg_kind_of(uint32_t type);

/* The status of an SQLSTATE ("42501": PERMISSION). */
enum status pg_status_of(const char sqlstate[5]);

#endif
