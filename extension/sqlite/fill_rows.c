#include "extension/sqlite/fill_rows.h"

#include <stdlib.h>

#include "extension/sqlite/query.h"
#include "extension/sqlite/sql.h"
#include "extension/sqlite/sqlite_host.h"
#include "extension/sqlite/tables.h"

#define FILLS_MAX       2
#define INTERRUPT_EVERY 1024 /* rows */

struct filling {
    struct sqlite_host *host;
    struct fill *fills;
    sqlite3_stmt *inserts[FILLS_MAX];
    size_t columns[FILLS_MAX]; /* of the table, once its first row has come */
    uint64_t rows;
};

static enum status prepare_insert(struct filling *filling, size_t table, size_t count,
                                  struct error *err)
{
    const struct table_target *target = &filling->fills[table].target;
    struct text sql;
    enum status status;

    text_init(&sql, TEXT_MAXIMUM);
    text_append_string(&sql, "INSERT INTO ");
    sql_append_table(&sql, target->schema, target->name);
    text_append_string(&sql, " VALUES (?");
    for (size_t i = 1; i < count; i++)
        text_append_string(&sql, ", ?");
    text_append_char(&sql, ')');
    status = sql_prepare_text(filling->host->db, &sql, &filling->inserts[table], err);
    text_deinit(&sql);
    filling->columns[table] = count;
    return status;
}

/* The cells stay where they are until the row is in the table. */
static void bind(sqlite3_stmt *insert, int index, const struct cell *cell)
{
    const char *bytes = cell->text.data ? cell->text.data : "";

    if (cell->type == CELL_TEXT)
        sqlite3_bind_text64(insert, index, bytes, cell->text.size, SQLITE_STATIC, SQLITE_UTF8);
    else if (cell->type == CELL_BLOB)
        sqlite3_bind_blob64(insert, index, bytes, cell->text.size, SQLITE_STATIC);
    else
        sql_bind_cell(insert, index, cell);
}

static enum status put_row(void *self, size_t table, const struct cell *cells, size_t count,
                           struct error *err)
{
    struct filling *filling = self;
    sqlite3_stmt *insert;
    int code;

    if (++filling->rows % INTERRUPT_EVERY == 0 && host_interrupted(filling->host))
        return fail(err, STATUS_INTERRUPTED, "interrupted");
    if (!filling->inserts[table])
        TRY(prepare_insert(filling, table, count, err));
    if (count != filling->columns[table])
        return fail(err, STATUS_CORRUPT, "a row of %zu cells, where others have %zu", count,
                    filling->columns[table]);
    insert = filling->inserts[table];
    for (size_t i = 0; i < count; i++)
        bind(insert, (int)i + 1, &cells[i]);
    code = sqlite3_step(insert);
    sqlite3_reset(insert);
    if (code != SQLITE_DONE)
        return sql_fail(filling->host->db, sqlite3_errcode(filling->host->db), err);
    filling->fills[table].rows++;
    return STATUS_OK;
}

bool host_has_mark(void *self, struct slice schema, struct slice table, struct slice mark)
{
    struct sqlite_host *host = self;
    sqlite3_stmt *statement = NULL;
    struct error ignored;
    bool has = false;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    text_append_string(&sql, "SELECT 1 FROM ");
    sql_append_table(&sql, schema.size > 0 ? schema : SLICE("main"), SLICE("sqlite_schema"));
    text_append_string(&sql, " WHERE type = 'table' AND name = ?1 COLLATE NOCASE"
                             " AND instr(sql, '/* ' || ?2 || ' */') > 0");
    if (sql_prepare_text(host->db, &sql, &statement, &ignored) == STATUS_OK) {
        sql_bind_text(statement, 1, table);
        sql_bind_text(statement, 2, mark);
        if (sql_step(statement, &has, &ignored) != STATUS_OK)
            has = false;
    }
    sqlite3_finalize(statement);
    text_deinit(&sql);
    return has;
}

static enum status make_tables(struct filling *filling, size_t count, struct error *err)
{
    for (size_t i = 0; i < count; i++) {
        struct fill *fill = &filling->fills[i];

        fill->rows = 0;
        TRY(drop_replaced(filling->host, &fill->target, err));
        TRY(create_marked(filling->host, &fill->target, fill->create, err));
    }
    return STATUS_OK;
}

enum status host_fill_rows(void *self, struct fill *fills, size_t count, fill_source *source,
                           void *context, struct error *err)
{
    struct filling filling = {.host = self, .fills = fills};
    const struct fill_sink sink = {&filling, put_row};
    struct transaction transaction;
    enum status status;

    for (size_t i = 0; i < count; i++)
        if (fills[i].target.schema.size == 0)
            fills[i].target.schema = SLICE("main");
    TRY(transaction_begin(&transaction, filling.host->db, err));
    status = make_tables(&filling, count, err);
    if (status == STATUS_OK)
        status = source(context, &sink, err);
    for (size_t i = 0; i < FILLS_MAX; i++)
        sqlite3_finalize(filling.inserts[i]);
    return transaction_end(&transaction, status, err);
}
