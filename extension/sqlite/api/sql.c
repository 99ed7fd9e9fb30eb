#include "extension/sqlite/api/sql.h"

#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define LOCK_POLL_MS 10

static enum status status_of(int code)
{
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return STATUS_BUSY;
    case SQLITE_INTERRUPT:
        return STATUS_INTERRUPTED;
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_READONLY:
        return STATUS_PERMISSION;
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_CORRUPT: /* the file is damaged, or could not be read: CORRUPT is what is no model
                          */
    case SQLITE_NOTADB:
        return STATUS_IO;
    case SQLITE_NOMEM:
        return STATUS_NO_MEMORY;
    default:
        return STATUS_DATABASE;
    }
}

/* Our own functions raise "message\nHINT:  hint". */
static void take_message(const char *text, enum status status, struct error *err)
{
    static const char mark[] = "\nHINT:  ";
    const char *hint = strstr(text, mark);

    fail(err, status, "%.*s", hint ? (int)(hint - text) : (int)strlen(text), text);
    if (hint)
        error_hint(err, "%s", hint + sizeof mark - 1);
}

enum status sql_fail(sqlite3 *db, int code, struct error *err)
{
    take_message(sqlite3_errmsg(db), status_of(code), err);
    if (status_of(code) == STATUS_INTERRUPTED)
        fail(err, STATUS_INTERRUPTED, "interrupted");
    return err->status;
}

int sql_error_offset(sqlite3 *db)
{
    return sqlite3_libversion_number() >= SQLITE_VERSION_ERROR_OFFSET ? sqlite3_error_offset(db)
                                                                      : -1;
}

bool sql_is_syntax_error(sqlite3 *db, int code)
{
    const char *message = sqlite3_errmsg(db);

    return ((code & 0xff) == SQLITE_ERROR || (code & 0xff) == SQLITE_SCHEMA) && message &&
           (strstr(message, "syntax error") || strcmp(message, "incomplete input") == 0 ||
            strncmp(message, "unrecognized token", 18) == 0);
}

enum status sql_prepare(sqlite3 *db, struct slice sql, sqlite3_stmt **statement, struct error *err)
{
    int code;

    *statement = NULL;
    if (sql.size > INT_MAX)
        return fail(err, STATUS_LIMIT, "a query of %zu bytes", sql.size);
    code = sqlite3_prepare_v2(db, sql.data, (int)sql.size, statement, NULL);
    if (code != SQLITE_OK) {
        sql_fail(db, code, err);
        /* An interrupt or a lock leaves the offset of an earlier error. */
        if (err->status != STATUS_DATABASE)
            return err->status;
        err->position = sql_error_offset(db);
        if (sql_is_syntax_error(db, code))
            err->status = STATUS_SYNTAX;
        return err->status;
    }
    if (!*statement)
        return fail(err, STATUS_INVALID, "the query is empty");
    return STATUS_OK;
}

enum status sql_prepare_text(sqlite3 *db, const struct text *sql, sqlite3_stmt **statement,
                             struct error *err)
{
    enum status status;

    if (sql->failed)
        return fail_no_memory(err);
    status = sql_prepare(db, text_slice(sql), statement, err);
    if (status != STATUS_OK)
        err->position = -1; /* an offset in SQL that the user never saw */
    return status;
}

/* There was no memory to bind a value of it: it would run with a NULL in the value's place. */
static _Thread_local const sqlite3_stmt *incomplete;

enum status sql_step(sqlite3_stmt *statement, bool *has_row, struct error *err)
{
    int code;

    *has_row = false;
    if (statement == incomplete) {
        incomplete = NULL;
        return fail_no_memory(err);
    }
    code = sqlite3_step(statement);
    *has_row = code == SQLITE_ROW;
    if (code == SQLITE_ROW || code == SQLITE_DONE)
        return STATUS_OK;
    return sql_fail(sqlite3_db_handle(statement), code, err);
}

enum status sql_step_through(sqlite3_stmt *statement, struct error *err)
{
    enum status status;
    bool has_row;

    do
        status = sql_step(statement, &has_row, err);
    while (status == STATUS_OK && has_row);
    sqlite3_reset(statement);
    return status;
}

static enum status execute(sqlite3 *db, struct slice sql, struct error *err)
{
    sqlite3_stmt *statement;
    enum status status = sql_prepare(db, sql, &statement, err);

    if (status != STATUS_OK) {
        err->position = -1;
        return status;
    }
    status = sql_step_through(statement, err);
    sqlite3_finalize(statement);
    return status;
}

enum status sql_execute(sqlite3 *db, const char *sql, struct error *err)
{
    return execute(db, slice_of(sql), err);
}

enum status sql_execute_text(sqlite3 *db, const struct text *sql, struct error *err)
{
    return sql->failed ? fail_no_memory(err) : execute(db, text_slice(sql), err);
}

struct slice sql_slice(sqlite3_stmt *statement, int column)
{
    const bool is_text = sqlite3_column_type(statement, column) == SQLITE_TEXT;
    const char *bytes = is_text ? (const char *)sqlite3_column_text(statement, column)
                                : sqlite3_column_blob(statement, column);

    return (struct slice){bytes, (size_t)sqlite3_column_bytes(statement, column)};
}

/* The value's own functions for what only looks at it: they take no lock. Text
 * may be converted first, with memory of the connection, which another thread
 * of the program may be using: that is for the functions that lock it. */
struct cell sql_cell(sqlite3_stmt *statement, int column)
{
    sqlite3_value *value = sqlite3_column_value(statement, column);

    switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
        return (struct cell){.type = CELL_INTEGER, .integer = sqlite3_value_int64(value)};
    case SQLITE_FLOAT:
        return (struct cell){.type = CELL_REAL, .real = sqlite3_value_double(value)};
    case SQLITE_TEXT: {
        const char *bytes = (const char *)sqlite3_column_text(statement, column);
        size_t size = (size_t)sqlite3_column_bytes(statement, column);
        return (struct cell){.type = CELL_TEXT, .text = {bytes, size}};
    }
    case SQLITE_BLOB:
        return (struct cell){.type = CELL_BLOB, .text = sql_slice(statement, column)};
    default:
        return (struct cell){.type = CELL_NULL};
    }
}

/* Members that the type does not have are left alone: rows are wide. */
void sql_value(sqlite3_value *value, struct cell *cell)
{
    cell->time = CELL_PLAIN;
    switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
        cell->type = CELL_INTEGER;
        cell->integer = sqlite3_value_int64(value);
        break;
    case SQLITE_FLOAT:
        cell->type = CELL_REAL;
        cell->real = sqlite3_value_double(value);
        break;
    case SQLITE_TEXT:
        cell->type = CELL_TEXT;
        cell->text.data = (const char *)sqlite3_value_text(value);
        cell->text.size = (size_t)sqlite3_value_bytes(value);
        break;
    case SQLITE_BLOB:
        cell->type = CELL_BLOB;
        cell->text.data = sqlite3_value_blob(value);
        cell->text.size = (size_t)sqlite3_value_bytes(value);
        break;
    default:
        cell->type = CELL_NULL;
    }
}

static void bind_bytes(sqlite3_stmt *statement, int index, struct slice value, bool are_text,
                       sqlite3_destructor_type lifetime)
{
    const char *data = value.data ? value.data : "";
    const int code =
        are_text ? sqlite3_bind_text64(statement, index, data, value.size, lifetime, SQLITE_UTF8)
                 : sqlite3_bind_blob64(statement, index, data, value.size, lifetime);

    if (code == SQLITE_NOMEM)
        incomplete = statement;
}

void sql_bind_text(sqlite3_stmt *statement, int index, struct slice value)
{
    bind_bytes(statement, index, value, true, SQLITE_TRANSIENT);
}

void sql_bind_borrowed(sqlite3_stmt *statement, int index, struct slice value, bool are_text)
{
    bind_bytes(statement, index, value, are_text, SQLITE_STATIC);
}

void sql_bind_cell(sqlite3_stmt *statement, int index, const struct cell *cell)
{
    switch (cell->type) {
    case CELL_NULL:
        sqlite3_bind_null(statement, index);
        break;
    case CELL_INTEGER:
        sqlite3_bind_int64(statement, index, cell->integer);
        break;
    case CELL_REAL:
        sqlite3_bind_double(statement, index, cell->real);
        break;
    case CELL_TEXT:
        sql_bind_text(statement, index, cell->text);
        break;
    case CELL_BLOB:
    case CELL_VECTOR: /* SQLite has none */
        bind_bytes(statement, index, cell->text, false, SQLITE_TRANSIENT);
        break;
    }
}

void sql_result_cell(sqlite3_context *context, const struct cell *cell)
{
    switch (cell->type) {
    case CELL_NULL:
        sqlite3_result_null(context);
        break;
    case CELL_INTEGER:
        sqlite3_result_int64(context, cell->integer);
        break;
    case CELL_REAL:
        sqlite3_result_double(context, cell->real);
        break;
    case CELL_TEXT:
        sqlite3_result_text64(context, cell->text.data, cell->text.size, SQLITE_TRANSIENT,
                              SQLITE_UTF8);
        break;
    case CELL_BLOB:
    case CELL_VECTOR: /* SQLite has none */
        sqlite3_result_blob64(context, cell->text.data, cell->text.size, SQLITE_TRANSIENT);
        break;
    }
}

void sql_append_table(struct text *sql, struct slice schema, struct slice table)
{
    if (schema.size > 0) {
        text_append_identifier(sql, schema);
        text_append_char(sql, '.');
    }
    text_append_identifier(sql, table);
}

enum status each_column(sqlite3 *db, struct slice schema, struct slice table, bool are_all,
                        column_taker *take, void *context, struct error *err)
{
    sqlite3_stmt *statement;
    struct text sql;
    enum status status;
    bool has_row = true;

    text_init(&sql, 4096);
    text_append_string(&sql, "PRAGMA ");
    sql_append_table(&sql, schema, are_all ? SLICE("table_xinfo") : SLICE("table_info"));
    text_append_string(&sql, "(");
    sql_append_table(&sql, SLICE(""), table);
    text_append_string(&sql, ")");
    status = sql_prepare_text(db, &sql, &statement, err);
    text_deinit(&sql);
    if (status != STATUS_OK)
        return status;
    while ((status = sql_step(statement, &has_row, err)) == STATUS_OK && has_row)
        TRY_OR(done, status, take(context, sql_slice(statement, 1), err));
done:
    sqlite3_finalize(statement);
    return status;
}

static int64_t clock_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* BEGIN and COMMIT meet other connections' locks: try again for a while. It is
 * the clock that counts, since a try itself takes up to the busy timeout, and
 * a COMMIT that waits for readers keeps new ones out. */
static enum status execute_waiting(sqlite3 *db, const char *sql, struct error *err)
{
    enum status status = sql_execute(db, sql, err);
    int64_t end = clock_ms() + LOCK_WAIT_MS;

    while (status == STATUS_BUSY && clock_ms() < end) {
        poll(NULL, 0, LOCK_POLL_MS);
        status = sql_execute(db, sql, err);
    }
    return status;
}

static bool try_roll_back(const struct transaction *transaction)
{
    struct error ignored;

    if (!transaction->is_savepoint)
        return sql_execute(transaction->db, "ROLLBACK", &ignored) == STATUS_OK;
    return sql_execute(transaction->db, "ROLLBACK TO totrain", &ignored) == STATUS_OK &&
           sql_execute(transaction->db, "RELEASE totrain", &ignored) == STATUS_OK;
}

/* An interrupt lasts until the statement through which we were called ends, so
 * that ROLLBACK is interrupted as well. But SQLite itself ends the transaction,
 * a user's around it, too, when a statement that writes is interrupted. VACUUM
 * is one that does nothing else inside a transaction, and without a space it
 * gets through the parser, which looks for an interrupt there. */
static void roll_back(const struct transaction *transaction)
{
    struct error ignored;

    /* A full disk may have rolled everything back already. */
    if (sqlite3_get_autocommit(transaction->db) || try_roll_back(transaction))
        return;
    if (!sqlite3_get_autocommit(transaction->db))
        sql_execute(transaction->db, "VACUUM;", &ignored);
    if (!sqlite3_get_autocommit(transaction->db))
        try_roll_back(transaction); /* the reason why it failed may be over */
}

enum status transaction_begin(struct transaction *transaction, sqlite3 *db, struct error *err)
{
    enum status status;

    transaction->db = db;
    transaction->is_savepoint = !sqlite3_get_autocommit(db);
    if (transaction->is_savepoint)
        return sql_execute(db, "SAVEPOINT totrain", err);
    status = execute_waiting(db, "BEGIN IMMEDIATE", err);
    if (status != STATUS_OK)
        roll_back(transaction); /* it may have been interrupted at its end */
    return status;
}

enum status transaction_end(struct transaction *transaction, enum status so_far, struct error *err)
{
    enum status status = so_far;

    if (status == STATUS_OK && transaction->is_savepoint)
        status = sql_execute(transaction->db, "RELEASE totrain", err);
    else if (status == STATUS_OK)
        status = execute_waiting(transaction->db, "COMMIT", err);
    if (status != STATUS_OK)
        roll_back(transaction);
    return status;
}
