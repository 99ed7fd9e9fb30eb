/*
 * database.h - the seam between models as tables and a session of a database.
 *
 *     database_libpq.c    PostgreSQL: a connection of our own (the program `totrain`)
 *     database_spi.c      PostgreSQL: the backend we are loaded into
 *     database_sqlite.c   SQLite: a connection, ours or of whoever has loaded us
 *
 * Models are found, checked, written and kept with nothing but these functions (sql_host.h).
 * Everything happens in the caller's session: its rights, its search order, its transaction.
 *
 * All text is UTF-8, whatever the database's encoding. An error is returned, never
 * thrown, and err->position is a byte offset in the SQL that was handed over, -1 where the
 * database gives none.
 */
#pragma once

#include "base/arena.h"
#include "base/cell.h"
#include "base/error.h"

/* ----- columns and rows ----- */

/* A table; schema.size 0: where the database looks for one. */
struct sql_table {
    struct slice schema, name;
};

struct database_column {
    struct slice name;
    uint32_t type; /* PostgreSQL: OID in pg_type, for a domain that of its base type; else 0 */
    uint32_t kind; /* PostgreSQL: the pg_kind by which its cells are read (kinds.h); else 0 */
};

/* The rows of a result. What is borrowed is so until the call returns. */
struct database_rows {
    void *self;
    /* Once, before the first row; not for a statement without a result. May be NULL. */
    enum status (*columns)(void *self, const struct database_column *columns, size_t count,
                           struct error *err);
    enum status (*row)(void *self, const struct cell *cells, size_t count, struct error *err);
};

enum database_form {
    FORM_DATA, /* cells as in the table above: to compute with */
    FORM_SHOWN /* for people: INTEGER and finite REAL as such, all else the server's own text */
};

/* ----- statements ----- */

/* One statement. */
struct database_statement {
    struct slice sql;
    /* $1, $2, ...: bigint, double precision, text or bytea by the cell's type; a NULL
     * cell is a text: write $1::pg_catalog.int8 where that matters. */
    const struct cell *parameters;
    size_t count;
    enum database_form form;
    /* Above 0: through a cursor that is closed after so many rows. INVALID for
     * what is no query that only reads: DML in a WITH, too. */
    uint64_t rows_max;
    /* No part of it is the user's: the server checks the owners of its tables (own_sql.h). */
    bool is_ours;
};

/* The same statement with many rows of parameters. */
struct database_prepared;

/* Rows of a model to be read (read_model). */
struct model_read {
    uint32_t relation;      /* OID; 0 in SQLite, which goes by the name */
    struct sql_table table; /* its schema and name, where they are known */
    bool only_meta;         /* its meta row only */
    bool at_once;           /* for a listing: BUSY where another session has locked the table */
    /* Where part.size > 0, rows of this part and name at positions [first, end), and with the text
     * `data` where that is not NULL; others may come as well. */
    struct slice part, name, data;
    int64_t first, end;
};

/* ----- the seam ----- */

/* The database's own part of a transaction. */
struct database_transaction {
    bool is_inner; /* a savepoint in the user's transaction: the server always */
    void *inner[3];
};

struct database {
    void *self;
    /* Label types in statements are checked as they are used (own_sql.h), so enums of any role may
     * be named. Over a connection only types of the caller's own and of superusers are. */
    bool checks_types;
    /* An error ends the transaction that is open: what may fail, and others go on, is done inside
     * of a savepoint. */
    bool loses_transactions;

    /* `affected` (may be NULL): rows that INSERT, UPDATE, DELETE or CREATE TABLE AS touched.
     * A row or columns callback that fails ends the statement with its error. */
    enum status (*query)(void *self, const struct database_statement *statement,
                         const struct database_rows *rows, uint64_t *affected, struct error *err);
    /* The columns of a query that is parsed and analysed, not run. INVALID when it has
     * parameters or returns no rows. Names live in the arena. */
    enum status (*describe)(void *self, struct slice sql, struct arena *arena,
                            struct database_column **columns, size_t *count, struct error *err);

    /* The rows of a model: part, name, position, value, data; nothing of what the owner of its
     * table has made is run. PERMISSION where the caller may not read it, CORRUPT where it has
     * not a model's columns, NOT_FOUND where it is gone. */
    enum status (*read_model)(void *self, const struct model_read *read,
                              const struct database_rows *rows, struct error *err);

    /* Parameters have the types that the cells' types stand for; any may be NULL. After
     * `finish`, which frees it in every case, all rows are in or the error is known:
     * execute may return OK for a row that fails later. To be finished before any other call. */
    enum status (*prepare)(void *self, struct slice sql, const enum cell_type *types, size_t count,
                           struct database_prepared **prepared, struct error *err);
    enum status (*execute)(void *self, struct database_prepared *prepared, const struct cell *cells,
                           struct error *err);
    enum status (*finish)(void *self, struct database_prepared *prepared, struct error *err);

    /* A transaction of our own, or what can be undone inside of the user's. */
    enum status (*begin)(void *self, struct database_transaction *transaction, struct error *err);
    /* Commits when `so_far` is OK, else rolls back and returns it. */
    enum status (*end)(void *self, struct database_transaction *transaction, enum status so_far,
                       struct error *err);

    /* Outside of any transaction, the user's or one of our own: everything that was done so far is
     * committed for good. *is_so is false inside of one. */
    enum status (*settle)(void *self, bool *is_so, struct error *err);

    /* Has the user asked this session to stop? */
    bool (*interrupted)(void *self);
};
