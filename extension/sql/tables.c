#include "extension/sql/tables.h"

#include "extension/sql/sql.h"

/* ----- from queries ----- */

static enum status fill_all(struct sql_host *host, struct slice stage, struct fill *fills,
                            size_t count, struct error *err)
{
    const struct sql_variant *variant = host->variant;
    const bool is_staged = stage.size > 0;

    if (is_staged)
        TRY(variant->keep_stage(host, stage, err));
    for (size_t i = 0; i < count; i++)
        TRY(variant->replace_by_select(host, &fills[i], is_staged, err));
    return is_staged ? sql_run(host, "DROP TABLE @", &variant->stage, NULL, 0, NULL, err)
                     : STATUS_OK;
}

enum status sql_fill_tables(void *self, struct slice stage, struct fill *fills, size_t count,
                            struct error *err)
{
    struct sql_host *host = self;
    struct database_transaction transaction;

    TRY(host->database->begin(host->database->self, &transaction, err));
    return host->database->end(host->database->self, &transaction,
                               fill_all(host, stage, fills, count, err), err);
}

/* ----- from rows ----- */

/* Rows of cells (rows, columns) and the names of the columns. */
struct named_rows {
    const struct slice *names;
    const struct cell *cells;
    size_t columns, rows;
};

/* The type of a column's first cell that is not NULL; a metric that the data do not define is NULL.
 */
static enum cell_type cells_of(const struct named_rows *rows, size_t column)
{
    for (size_t row = 0; row < rows->rows; row++)
        if (rows->cells[row * rows->columns + column].type != CELL_NULL)
            return rows->cells[row * rows->columns + column].type;
    return CELL_REAL;
}

static const char *type_of(const struct sql_host *host, const struct named_rows *rows,
                           size_t column)
{
    return host->variant->type_of ? host->variant->type_of(cells_of(rows, column)) : NULL;
}

static enum status create_for_rows(struct sql_host *host, const struct sql_new_table *new,
                                   const struct named_rows *rows, struct error *err)
{
    struct text columns;
    enum status status;

    text_init(&columns, TEXT_MAXIMUM);
    for (size_t i = 0; i < rows->columns; i++) {
        const char *type = type_of(host, rows, i);

        text_append_string(&columns, i > 0 ? ", " : " (");
        text_append_identifier(&columns, rows->names[i]);
        if (type)
            text_printf(&columns, " %s", type);
    }
    text_append_string(&columns, ")");
    status = columns.failed ? fail_no_memory(err)
                            : host->variant->create(host, new, text_string(&columns), err);
    text_deinit(&columns);
    return status;
}

/* Some rows in a statement, as a statement has limits. */
#define PARAMETERS_MOST 900

static enum status insert_rows(struct sql_host *host, const struct sql_table *new,
                               const struct named_rows *rows, size_t first, size_t count,
                               struct error *err)
{
    enum status status;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    sql_append(&sql, "INSERT INTO @ VALUES ", new);
    for (size_t i = 0; i < count; i++) {
        text_append_string(&sql, i > 0 ? ", (" : "(");
        for (size_t j = 0; j < rows->columns; j++) {
            const char *type = type_of(host, rows, j);

            text_printf(&sql, "%s$%zu", j > 0 ? ", " : "", i * rows->columns + j + 1);
            if (type)
                text_printf(&sql, "::%s", type);
        }
        text_append_string(&sql, ")");
    }
    status = sql_run_text(host, &sql, rows->cells + first * rows->columns, count * rows->columns,
                          NULL, err);
    text_deinit(&sql);
    return status;
}

static enum status make_rows(struct sql_host *host, const struct sql_new_table *new, void *context,
                             struct error *err)
{
    const struct named_rows *rows = context;
    const size_t most = rows->columns < PARAMETERS_MOST ? PARAMETERS_MOST / rows->columns : 1;

    TRY(create_for_rows(host, new, rows, err));
    for (size_t first = 0; first < rows->rows; first += most) {
        const size_t left = rows->rows - first;

        TRY(insert_rows(host, &new->table, rows, first, left < most ? left : most, err));
    }
    return STATUS_OK;
}

enum status sql_write_rows(void *self, const struct table_target *target, const struct slice *names,
                           size_t columns, const struct cell *cells, size_t rows, struct error *err)
{
    struct sql_host *host = self;
    struct named_rows named = {names, cells, columns, rows};
    struct database_transaction transaction;

    TRY(host->database->begin(host->database->self, &transaction, err));
    return host->database->end(host->database->self, &transaction,
                               host->variant->replace(host, target, make_rows, &named, err), err);
}
