#include "extension/postgres/sql/query.h"

#include <string.h>

#include "extension/engine/host/stored.h"
#include "extension/postgres/sql/missing_relation.h"
#include "extension/postgres/sql/sql.h"
#include "extension/sql/query.h"
#include "extension/sql/sql.h"

bool postgres_interrupted(void *self)
{
    struct sql_host *host = self;

    return host->database->interrupted(host->database->self);
}

/* ----- running one ----- */

/* The scoring functions are the extension's. */
static void hint_extension(struct error *err)
{
    if (err->status == STATUS_DATABASE && !err->hint[0] && strstr(err->message, "\"totrain\""))
        error_hint(err, "CREATE EXTENSION totrain; makes it, once in each database.");
}

enum status postgres_query(void *self, struct slice select, const struct sink *sink,
                           struct error *err)
{
    const enum status status = sql_query(self, select, sink, err);

    if (status != STATUS_OK)
        hint_extension(err);
    return status;
}

enum status postgres_each_row(void *self, struct slice select, const struct row_taker *taker,
                              struct error *err)
{
    const struct sink sink = {.self = taker->self, .row = taker->row};

    return postgres_query(self, select, &sink, err);
}

/* ----- describing one ----- */

struct type_names {
    struct arena *arena;
    struct query *query;
    size_t count;
};

static enum status keep_type(void *self, const struct cell *cells, size_t count, struct error *err)
{
    struct type_names *names = self;

    struct query_column *column;

    if (count != 2 || names->count >= names->query->count)
        return fail(err, STATUS_DATABASE, "the server named more types than were asked for");
    column = &names->query->columns[names->count++];
    column->declared_type = arena_copy(names->arena, cells[0].text);
    if (cells[1].type == CELL_TEXT)
        column->sql_type = arena_copy(names->arena, cells[1].text);
    if (!column->declared_type.data || (cells[1].type == CELL_TEXT && !column->sql_type.data))
        return fail_no_memory(err);
    return STATUS_OK;
}

static enum status name_types(struct sql_host *host, const struct database_column *columns,
                              struct arena *arena, struct query *query, struct error *err)
{
    struct type_names names = {arena, query, 0};
    struct database_rows rows = {.self = &names, .row = keep_type};
    enum status status;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    text_append_string(&sql, "SELECT pg_catalog.format_type(u.type, NULL), CASE WHEN " PG_LABEL_TYPE
                             " THEN " PG_TYPE_NAME " END FROM pg_catalog.unnest('{");
    for (size_t i = 0; i < query->count; i++)
        text_printf(&sql, i > 0 ? ",%u" : "%u", (unsigned)columns[i].type);
    text_append_string(&sql, "}'::pg_catalog.oid[]) WITH ORDINALITY AS u(type, n) LEFT JOIN "
                             "(pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid" EQ
                             "t.typnamespace) ON t.oid" EQ "u.type ORDER BY u.n");
    status = sql.failed ? fail_no_memory(err)
                        : sql_each(host, text_string(&sql), NULL, NULL, 0, &rows, err);
    text_deinit(&sql);
    return status;
}

static enum status describe_columns(struct sql_host *host, struct slice select, struct arena *arena,
                                    struct query *query, struct error *err)
{
    struct database_column *columns = NULL;

    TRY(host->database->describe(host->database->self, select, arena, &columns, &query->count,
                                 err));
    if (query->count > QUERY_COLUMNS_MAX)
        return fail(err, STATUS_LIMIT, "the query returns %zu columns, at most %d are read",
                    query->count, QUERY_COLUMNS_MAX);
    query->columns = ARENA_NEW(arena, struct query_column, query->count + 1);
    if (!query->columns)
        return fail_no_memory(err);
    for (size_t i = 0; i < query->count; i++)
        query->columns[i].name = columns[i].name;
    return name_types(host, columns, arena, query, err);
}

/* No column is read twice: PostgreSQL keeps a subquery of volatile functions as it is. */
enum status postgres_describe(void *self, struct slice select, struct arena *arena,
                              struct query *query, struct error *err)
{
    struct sql_host *host = self;
    enum status status;

    *query = (struct query){.label = query->label,
                            .more_labels = query->more_labels,
                            .more_label_count = query->more_label_count,
                            .is_ordered = select_is_ordered(select)};
    status = describe_columns(host, select, arena, query, err);
    if (status != STATUS_OK)
        hint_relation(host, select, err);
    if (status == STATUS_OK)
        status = sql_sample(host, select, query, err);
    if (status != STATUS_OK)
        hint_extension(err);
    return status;
}
