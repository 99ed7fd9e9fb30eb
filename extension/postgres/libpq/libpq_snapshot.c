#include "extension/postgres/libpq/libpq_snapshot.h"

#include "extension/postgres/libpq/libpq_wait.h"

static enum status keep_text(void *self, const struct cell *cells, size_t count, struct error *err)
{
    struct text *text = self;

    (void)count;
    if (cells[0].type == CELL_TEXT)
        text_append(text, cells[0].text);
    return text->failed ? fail_no_memory(err) : STATUS_OK;
}

enum status libpq_export_snapshot(struct libpq *libpq, struct text *snapshot, struct error *err)
{
    struct database_statement statement = {.sql = SLICE("SELECT pg_catalog.pg_export_snapshot()")};
    struct database_rows rows = {.self = snapshot, .row = keep_text};

    return libpq->database.query(libpq, &statement, &rows, NULL, err);
}

enum status libpq_take_snapshot(struct libpq *libpq, struct slice snapshot, struct error *err)
{
    enum status status;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    text_append_string(&sql, "SET TRANSACTION SNAPSHOT ");
    text_append_literal(&sql, snapshot);
    status = sql.failed ? fail_no_memory(err) : libpq_execute(libpq, text_string(&sql), err);
    text_deinit(&sql);
    return status;
}
