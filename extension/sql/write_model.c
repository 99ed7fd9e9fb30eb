#include "extension/sql/write_model.h"

#include "extension/sql/sql.h"
#include "scoring/tables/model_write.h"

enum status sql_insertion_begin(struct sql_insertion *insertion, struct sql_host *host,
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

enum status sql_insertion_row(struct sql_insertion *insertion, const struct cell *cells,
                              struct error *err)
{
    const struct database *database = insertion->host->database;

    return database->execute(database->self, insertion->prepared, cells, err);
}

/* The rows are known to be in when the statement is finished. */
enum status sql_insertion_end(struct sql_insertion *insertion, enum status so_far,
                              struct error *err)
{
    const struct database *database = insertion->host->database;
    struct error late;
    enum status status = database->finish(database->self, insertion->prepared, &late);

    if (so_far == STATUS_OK && status != STATUS_OK)
        *err = late;
    return so_far == STATUS_OK ? status : so_far;
}

static enum status lock(struct sql_host *host, const char *how, const struct sql_table *table,
                        struct error *err)
{
    const struct cell names[] = {cell_text(table->schema), cell_text(table->name)};

    return how ? sql_run(host, how, NULL, names, 2, NULL, err) : STATUS_OK;
}

enum status sql_lock_model(struct sql_host *host, const struct sql_table *table, struct error *err)
{
    return lock(host, host->variant->lock_model, table, err);
}

enum status sql_hold_model(struct sql_host *host, const struct sql_table *table, struct error *err)
{
    return lock(host, host->variant->hold_model, table, err);
}

struct writing {
    struct sql_insertion insertion;
    uint64_t number; /* number of the next row */
};

static enum status write_row(void *context, const struct model_row *row, struct error *err)
{
    struct writing *writing = context;
    const bool is_text = row->data_is_text && writing->insertion.host->variant->keeps_texts;
    const struct cell cells[] = {cell_text(row->part),
                                 cell_text(row->name),
                                 cell_integer(row->position),
                                 row->has_value ? cell_real(row->value) : cell_null(),
                                 {.type = !row->has_data ? CELL_NULL
                                          : is_text      ? CELL_TEXT
                                                         : CELL_BLOB,
                                  .text = row->data},
                                 cell_integer((int64_t)++writing->number)};

    return sql_insertion_row(&writing->insertion, cells, err);
}

enum status sql_write_model(struct sql_host *host, const struct sql_table *table,
                            struct model_writing *part, struct error *err)
{
    static const enum cell_type types[] = {CELL_TEXT, CELL_TEXT, CELL_INTEGER,
                                           CELL_REAL, CELL_BLOB, CELL_INTEGER};
    const bool is_placed = part->are_pieces && host->variant->place_row;
    struct writing writing = {.number = part->next};
    enum status status;

    TRY(sql_insertion_begin(&writing.insertion, host,
                            is_placed ? host->variant->place_row : host->variant->insert_row, table,
                            types, is_placed ? 6 : 5, err));
    status = model_write_some(part->model, &part->next, part->bytes_max, &part->is_at_end,
                              write_row, &writing, err);
    return sql_insertion_end(&writing.insertion, status, err);
}
