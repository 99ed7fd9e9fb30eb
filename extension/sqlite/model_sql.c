#include "extension/sqlite/model_sql.h"

#include "extension/sqlite/sql.h"

/* See model_sql.h: % and $. */
static void append_sql(struct text *sql, struct slice schema, struct slice table,
                       const char *format)
{
    for (; *format; format++) {
        if (*format == '%')
            text_append_identifier(sql, schema);
        else if (*format == '$')
            sql_append_table(sql, schema, table);
        else
            text_append_char(sql, *format);
    }
}

enum status execute_in(sqlite3 *db, struct slice schema, const char *format, struct error *err)
{
    struct text sql;
    enum status status;

    text_init(&sql, TEXT_MAXIMUM);
    append_sql(&sql, schema, slice_of(""), format);
    status = sql_execute_text(db, &sql, err);
    text_deinit(&sql);
    return status;
}

enum status prepare_in(sqlite3 *db, struct slice schema, struct slice table, const char *format,
                       sqlite3_stmt **statement, struct error *err)
{
    struct text sql;
    enum status status;

    text_init(&sql, TEXT_MAXIMUM);
    append_sql(&sql, schema, table, format);
    status = sql_prepare_text(db, &sql, statement, err);
    text_deinit(&sql);
    return status;
}

enum status run_in(sqlite3 *db, struct slice schema, struct slice table, const char *format,
                   const struct cell *cells, size_t count, struct error *err)
{
    sqlite3_stmt *statement;
    enum status status;

    TRY(prepare_in(db, schema, table, format, &statement, err));
    for (size_t i = 0; i < count; i++)
        sql_bind_cell(statement, (int)i + 1, &cells[i]);
    status = sql_step_through(statement, err);
    sqlite3_finalize(statement);
    return status;
}

enum status first_integer(sqlite3 *db, struct slice schema, struct slice table, const char *format,
                          struct slice first, struct slice second, int64_t *value,
                          struct error *err)
{
    sqlite3_stmt *statement;
    bool has_row;
    enum status status;

    TRY(prepare_in(db, schema, table, format, &statement, err));
    sql_bind_text(statement, 1, first);
    sql_bind_text(statement, 2, second);
    status = sql_step(statement, &has_row, err);
    *value = status == STATUS_OK && has_row ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return status;
}

enum status check_written(sqlite3 *db, int64_t wanted, struct error *err)
{
    if (sqlite3_changes(db) == wanted)
        return STATUS_OK;
    fail(err, STATUS_INVALID, "a trigger on the model's table leaves out rows that are written");
    return error_hint(err, "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' shows it; "
                           "DROP TRIGGER removes it.");
}

enum status insert_model_row(void *context, const struct model_row *row, struct error *err)
{
    sqlite3_stmt *statement = context;

    sql_bind_borrowed(statement, 1, row->part, true);
    sql_bind_borrowed(statement, 2, row->name, true);
    sqlite3_bind_int64(statement, 3, row->position);
    if (row->has_value)
        sqlite3_bind_double(statement, 4, row->value);
    else
        sqlite3_bind_null(statement, 4);
    if (row->has_data)
        sql_bind_borrowed(statement, 5, row->data, row->data_is_text);
    else
        sqlite3_bind_null(statement, 5);
    TRY(sql_step_through(statement, err));
    return check_written(sqlite3_db_handle(statement), 1, err);
}
