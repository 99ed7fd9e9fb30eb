#include "extension/postgres/sql/write_model.h"

#include "scoring/model_write.h"

enum status pg_insertion_begin(struct pg_insertion *insertion, struct sql_host *host,
                               const char *format, const struct sql_table *table,
                               const enum cell_type *types, size_t count, struct error *err)
{
    const struct database *database = host->database;
    enum status status;
    struct text sql;

    insertion->host = host;
    text_init(&sql, TEXT_MAXIMUM);
    sql_append(&sql, format, table);
    status = sql.failed ? fail_no_memory(err)
                        : database->prepare(database->self, text_slice(&sql), types, count,
                                            &insertion->prepared, err);
    text_deinit(&sql);
    return status;
}

enum status pg_insertion_row(struct pg_insertion *insertion, const struct cell *cells,
                             struct error *err)
{
    const struct database *database = insertion->host->database;

    return database->execute(database->self, insertion->prepared, cells, err);
}

/* What is in is known when the statement is finished. */
enum status pg_insertion_end(struct pg_insertion *insertion, enum status so_far, struct error *err)
{
    const struct database *database = insertion->host->database;
    struct error late;
    enum status status = database->finish(database->self, insertion->prepared, &late);

    if (so_far == STATUS_OK && status != STATUS_OK)
        *err = late;
    return so_far == STATUS_OK ? status : so_far;
}

enum status pg_lock_model(struct sql_host *host, const struct sql_table *table, struct error *err)
{
    const struct cell names[] = {cell_text(table->schema), cell_text(table->name)};

    return sql_run(host, "SELECT totrain.lock_model($1, $2)", NULL, names, 2, NULL, err);
}

enum status pg_hold_model(struct sql_host *host, const struct sql_table *table, struct error *err)
{
    const struct cell names[] = {cell_text(table->schema), cell_text(table->name)};

    return sql_run(host, "SELECT totrain.hold_model($1, $2)", NULL, names, 2, NULL, err);
}

/* Random bytes cannot be packed: TOAST would try with every chunk. */
enum status pg_create_model_table(struct sql_host *host, const struct sql_table *table,
                                  struct error *err)
{
    TRY(sql_run(host,
                "CREATE TABLE @ (part pg_catalog.text, name pg_catalog.text, \"position\" "
                "pg_catalog.int8, value pg_catalog.float8, data pg_catalog.bytea)",
                table, NULL, 0, NULL, err));
    return sql_run(host,
                   "ALTER TABLE @ ALTER COLUMN data SET STORAGE EXTERNAL, REPLICA IDENTITY FULL",
                   table, NULL, 0, NULL, err);
}

static enum status write_row(void *context, const struct model_row *row, struct error *err)
{
    const struct cell cells[] = {
        cell_text(row->part),
        cell_text(row->name),
        cell_integer(row->position),
        row->has_value ? cell_real(row->value) : cell_null(),
        {.type = row->has_data ? CELL_BLOB : CELL_NULL, .text = row->data}};

    return pg_insertion_row(context, cells, err);
}

enum status pg_write_model(struct sql_host *host, const struct sql_table *table,
                           const struct model *model, uint64_t *next, size_t bytes_max,
                           bool *is_at_end, struct error *err)
{
    static const enum cell_type types[] = {CELL_TEXT, CELL_TEXT, CELL_INTEGER, CELL_REAL,
                                           CELL_BLOB};
    struct pg_insertion insertion;

    TRY(pg_insertion_begin(
        &insertion, host,
        "INSERT INTO @ (part, name, \"position\", value, data) VALUES ($1, $2, $3, $4, $5)", table,
        types, 5, err));
    return pg_insertion_end(
        &insertion, model_write_some(model, next, bytes_max, is_at_end, write_row, &insertion, err),
        err);
}
