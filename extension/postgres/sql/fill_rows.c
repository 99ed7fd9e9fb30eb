#include "extension/postgres/sql/fill_rows.h"

#include <stdio.h>

#include "base/cell_values.h"
#include "codegen/lower_predict.h"
#include "extension/postgres/sql/query.h"
#include "extension/postgres/sql/replace.h"
#include "extension/postgres/sql/tables.h"
#include "extension/sql/sql.h"

#define OUTPUTS_MAX     JOBSPEC_OUTPUTS_MAX
#define INTERRUPT_EVERY 1024

static const struct sql_table kept = {SLICE("pg_temp"), SLICE(PREDICT_KEPT)};
static const struct sql_table scores = {SLICE("pg_temp"), SLICE(PREDICT_SCORES)};

enum status postgres_forget_rows(void *self, struct error *err)
{
    return postgres_drop_kept(self, &kept, err);
}

enum status postgres_keep_rows(void *self, struct slice select, struct error *err)
{
    struct sql_host *host = self;
    enum status status;
    struct text sql;

    TRY(postgres_check_temporary(host, err));
    TRY(postgres_drop_kept(host, &kept, err));
    text_init(&sql, TEXT_MAXIMUM);
    text_append_string(&sql, "SELECT pg_catalog.row_number() OVER () OPERATOR(pg_catalog.-) 1 AS "
                             "\"" PREDICT_ROW "\", q.* FROM (");
    text_append(&sql, select);
    text_append_string(&sql, "\n) AS q"); /* the line's end closes a comment */
    status = sql.failed ? fail_no_memory(err)
                        : postgres_create_table_as(host, &kept, text_slice(&sql), NULL, err);
    text_deinit(&sql);
    return status;
}

struct filling {
    struct sql_host *host;
    struct database_prepared *insert;
    size_t outputs;                       /* count of outputs per row */
    struct text numbers[1 + OUTPUTS_MAX]; /* (1 + outputs): of a row, as texts */
    uint64_t rows;
};

/* A number is the shortest text that reads as it. */
static enum status output_text(const struct cell *output, struct text *number, struct cell *cell,
                               struct error *err)
{
    *cell = *output;
    if (output->type != CELL_INTEGER && output->type != CELL_REAL)
        return STATUS_OK;
    text_clear(number);
    if (output->type == CELL_INTEGER)
        text_printf(number, "%lld", (long long)output->integer);
    else
        text_append_real(number, output->real);
    *cell = cell_text(text_slice(number));
    return number->failed ? fail_no_memory(err) : STATUS_OK;
}

static enum status put_row(void *self, size_t table, const struct cell *cells, size_t count,
                           struct error *err)
{
    struct filling *filling = self;
    const struct database *database = filling->host->database;
    struct cell row[2 + OUTPUTS_MAX];

    (void)table; /* a reason says it */
    if (count > 2 + filling->outputs)
        return fail(err, STATUS_LIMIT, "a row of %zu outputs", count - 2);
    if (++filling->rows % INTERRUPT_EVERY == 0 && postgres_interrupted(filling->host))
        return fail(err, STATUS_INTERRUPTED, "interrupted");
    row[0] = cells[0];
    for (size_t i = 1; i < count; i++)
        TRY(output_text(&cells[i], &filling->numbers[i - 1], &row[i], err));
    for (size_t i = count; i < 2 + filling->outputs; i++)
        row[i] = cell_null();
    return database->execute(database->self, filling->insert, row, err);
}

static enum status make_scores(struct sql_host *host, size_t outputs, struct error *err)
{
    enum status status;
    struct text sql;

    TRY(postgres_drop_kept(host, &scores, err));
    text_init(&sql, TEXT_MAXIMUM);
    sql_append(&sql,
               "CREATE TABLE @ (\"" PREDICT_ROW "\" pg_catalog.int8, "
               "reason pg_catalog.text",
               &scores);
    for (size_t i = 1; i <= outputs; i++)
        text_printf(&sql, ", o%zu pg_catalog.text", i);
    text_append_char(&sql, ')');
    status = sql_run_text(host, &sql, NULL, 0, NULL, err);
    text_deinit(&sql);
    return status;
}

static enum status prepare(struct filling *filling, struct error *err)
{
    const struct database *database = filling->host->database;
    enum cell_type types[2 + OUTPUTS_MAX] = {CELL_INTEGER};
    enum status status;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    sql_append(&sql, "INSERT INTO @ VALUES ($1", &scores);
    for (size_t i = 1; i < 2 + filling->outputs; i++) {
        types[i] = CELL_TEXT;
        text_printf(&sql, ", $%zu", i + 1);
    }
    text_append_char(&sql, ')');
    status = sql.failed ? fail_no_memory(err)
                        : database->prepare(database->self, text_slice(&sql), types,
                                            2 + filling->outputs, &filling->insert, err);
    text_deinit(&sql);
    return status;
}

static enum status insert_scores(struct sql_host *host, size_t outputs, fill_source *source,
                                 void *context, struct error *err)
{
    const struct database *database = host->database;
    struct filling filling = {.host = host, .outputs = outputs};
    const struct fill_sink sink = {&filling, put_row};
    enum status status, late;
    struct error finished;

    TRY(make_scores(host, outputs, err));
    TRY(prepare(&filling, err));
    for (size_t i = 0; i <= outputs; i++)
        text_init(&filling.numbers[i], TEXT_MAXIMUM);
    status = source(context, &sink, err);
    late = database->finish(database->self, filling.insert, &finished);
    if (status == STATUS_OK && late != STATUS_OK)
        *err = finished;
    for (size_t i = 0; i <= outputs; i++)
        text_deinit(&filling.numbers[i]);
    return status == STATUS_OK ? late : status;
}

static enum status drop_both(struct sql_host *host, struct error *err)
{
    TRY(sql_run(host, "DROP TABLE @", &scores, NULL, 0, NULL, err));
    return sql_run(host, "DROP TABLE @", &kept, NULL, 0, NULL, err);
}

static enum status fill_all(struct sql_host *host, struct fill *fills, size_t count,
                            fill_source *source, void *context, struct error *err)
{
    TRY(insert_scores(host, fills[0].outputs, source, context, err));
    for (size_t i = 0; i < count; i++) {
        fills[i].select = fills[i].create;
        TRY(postgres_replace_by_select(host, &fills[i], false, err));
    }
    return drop_both(host, err);
}

enum status postgres_fill_rows(void *self, struct fill *fills, size_t count, fill_source *source,
                               void *context, struct error *err)
{
    struct sql_host *host = self;
    struct database_transaction transaction;

    TRY(host->database->begin(host->database->self, &transaction, err));
    return host->database->end(host->database->self, &transaction,
                               fill_all(host, fills, count, source, context, err), err);
}

static enum status show_all(struct sql_host *host, const struct fill *shown, fill_source *source,
                            void *context, const struct sink *sink, struct error *err)
{
    TRY(insert_scores(host, shown->outputs, source, context, err));
    TRY(sink->query ? sink->query(sink->self, shown->select, err)
                    : postgres_query(host, shown->select, sink, err));
    return drop_both(host, err);
}

enum status postgres_show_rows(void *self, const struct fill *shown, fill_source *source,
                               void *context, const struct sink *sink, struct error *err)
{
    struct sql_host *host = self;
    struct database_transaction transaction;

    TRY(host->database->begin(host->database->self, &transaction, err));
    return host->database->end(host->database->self, &transaction,
                               show_all(host, shown, source, context, sink, err), err);
}
