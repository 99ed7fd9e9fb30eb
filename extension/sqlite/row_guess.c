#include "extension/sqlite/row_guess.h"

#include "extension/engine/rows/plain_scan.h"
#include "extension/sqlite/models.h"
#include "extension/sqlite/sql.h"
#include "extension/sqlite/sqlite_host.h"

static uint64_t read_number(sqlite3 *db, struct slice sql)
{
    sqlite3_stmt *statement = NULL;
    struct error ignored;
    bool has_row = false;
    int64_t number = 0;

    /* A table that has taken the name for a column, or has no rowid. */
    if (sql_prepare(db, sql, &statement, &ignored) != STATUS_OK)
        return 0;
    if (sql_step(statement, &has_row, &ignored) == STATUS_OK && has_row)
        number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return number > 0 ? (uint64_t)number : 0;
}

/* Both ends of a rowid table are found without looking at what is in between. */
uint64_t host_guess_rows(void *self, struct slice select)
{
    struct sqlite_host *host = self;
    struct plain_scan plain;
    struct located located;
    struct error ignored;
    struct text sql;
    uint64_t rows;

    if (!plain_scan_recognise(select, &plain) ||
        locate(host->db, plain.schema, plain.table, &located, &ignored) != STATUS_OK ||
        !located.exists || !located.is_table)
        return 0;
    text_init(&sql, TEXT_MAXIMUM);
    text_append_string(&sql, "SELECT (SELECT max(_rowid_) FROM ");
    sql_append_table(&sql, slice_of(located.schema), plain.table);
    text_append_string(&sql, ") - (SELECT min(_rowid_) FROM ");
    sql_append_table(&sql, slice_of(located.schema), plain.table);
    text_append_string(&sql, ") + 1");
    rows = sql.failed ? 0 : read_number(host->db, text_slice(&sql));
    text_deinit(&sql);
    return rows;
}
