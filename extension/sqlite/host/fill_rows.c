#include "extension/sqlite/host/fill_rows.h"

#include "extension/sql/write_model.h"
#include "extension/sqlite/api/sql.h"
#include "extension/sqlite/host/query.h"
#include "extension/sqlite/host/sqlite_host.h"
#include "extension/sqlite/host/tables.h"

#define FILLS_MAX       2
#define INTERRUPT_EVERY 1024 /* rows */

struct filling {
    struct sqlite_host *host;
    struct fill *fills;
    struct sql_insertion inserts[FILLS_MAX]; /* where columns[] is not 0 */
    size_t columns[FILLS_MAX]; /* number of each table's columns, once its first row has come */
    uint64_t rows;
};

static enum status begin_insert(struct filling *filling, size_t table, size_t count,
                                struct error *err)
{
    const struct table_target *target = &filling->fills[table].target;
    struct text sql;
    enum status status;

    text_init(&sql, TEXT_MAXIMUM);
    text_append_string(&sql, "INSERT INTO @ VALUES ($1");
    for (size_t i = 2; i <= count; i++)
        text_printf(&sql, ", $%zu", i);
    text_append_char(&sql, ')');
    status = sql.failed ? fail_no_memory(err)
                        : sql_insertion_begin(
                              &filling->inserts[table], &filling->host->sql, text_string(&sql),
                              &(struct sql_table){target->schema, target->name}, NULL, count, err);
    text_deinit(&sql);
    if (status == STATUS_OK)
        filling->columns[table] = count;
    return status;
}

static enum status put_row(void *self, size_t table, const struct cell *cells, size_t count,
                           struct error *err)
{
    struct filling *filling = self;

    if (++filling->rows % INTERRUPT_EVERY == 0 && host_interrupted(filling->host))
        return fail(err, STATUS_INTERRUPTED, "interrupted");
    if (filling->columns[table] == 0)
        TRY(begin_insert(filling, table, count, err));
    if (count != filling->columns[table])
        return fail(err, STATUS_CORRUPT, "a row of %zu cells, where others have %zu", count,
                    filling->columns[table]);
    TRY(sql_insertion_row(&filling->inserts[table], cells, err));
    filling->fills[table].rows++;
    return STATUS_OK;
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
        if (filling.columns[i] > 0)
            status = sql_insertion_end(&filling.inserts[i], status, err);
    return transaction_end(&transaction, status, err);
}
