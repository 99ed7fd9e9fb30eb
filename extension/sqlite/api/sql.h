/*
 * sql.h - the few moves that all our use of SQLite is made of.
 */
#pragma once

#include "base/cell.h"
#include "base/error.h"
#include "extension/sqlite/api/api.h"

/* The status of a result code, with the connection's own message. */
enum status sql_fail(sqlite3 *db, int code, struct error *err);

/* The offset of the last error in its SQL; -1 where SQLite does not know it. */
int sql_error_offset(sqlite3 *db);
/* Says after a call of sqlite3_prepare*() that returned `code` that the text is no SQL. */
bool sql_is_syntax_error(sqlite3 *db, int code);

/* err->position is the offset in `sql` where SQLite knows it; SYNTAX where the text is no SQL. */
enum status sql_prepare(sqlite3 *db, struct slice sql, sqlite3_stmt **statement, struct error *err);
enum status sql_prepare_text(sqlite3 *db, const struct text *sql, sqlite3_stmt **statement,
                             struct error *err);
enum status sql_step(sqlite3_stmt *statement, bool *has_row, struct error *err);
/* Step to the end, then reset, so that it can be bound and run again. */
enum status sql_step_through(sqlite3_stmt *statement, struct error *err);
/* Prepare, run, finalize. */
enum status sql_execute(sqlite3 *db, const char *sql, struct error *err);
enum status sql_execute_text(sqlite3 *db, const struct text *sql, struct error *err);

struct cell sql_cell(sqlite3_stmt *statement, int column);
/* Text in UTF-8, whatever the database's encoding is; empty for NULL. */
struct slice sql_slice(sqlite3_stmt *statement, int column);
/* The cell of a function's argument, which no other thread may be changing. */
void sql_value(sqlite3_value *value, struct cell *cell);
/* The bytes are copied. */
void sql_bind_text(sqlite3_stmt *statement, int index, struct slice value);
void sql_bind_cell(sqlite3_stmt *statement, int index, const struct cell *cell);
/* A text or a blob whose bytes stay where they are until the statement was run. */
void sql_bind_borrowed(sqlite3_stmt *statement, int index, struct slice value, bool are_text);

void sql_result_cell(sqlite3_context *context, const struct cell *cell);

/* "schema"."table", or "table" alone where the schema is empty. */
void sql_append_table(struct text *sql, struct slice schema, struct slice table);

/* The columns of a table in their order; none: there is no such table. `are_all`: generated and
 * hidden ones, too. */
typedef enum status column_taker(void *context, struct slice name, struct error *err);
enum status each_column(sqlite3 *db, struct slice schema, struct slice table, bool are_all,
                        column_taker *take, void *context, struct error *err);

/*
 * A transaction of our own, or a savepoint inside the user's. It waits for a
 * lock that another connection holds: as long as the connection's own busy
 * handler does, and then LOCK_WAIT_MS more, since a model that took an
 * hour must not be lost to a writer that takes a second.
 */
#define LOCK_WAIT_MS 10000

struct transaction {
    sqlite3 *db;
    bool is_savepoint;
};

enum status transaction_begin(struct transaction *transaction, sqlite3 *db, struct error *err);
/* Commits when `so_far` is OK, else rolls back and returns it. */
enum status transaction_end(struct transaction *transaction, enum status so_far, struct error *err);
