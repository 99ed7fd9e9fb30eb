#include "extension/sqlite/host/query.h"

#include <string.h>

#include "extension/engine/host/stored.h"
#include "extension/sql/query.h"
#include "extension/sqlite/api/missing_name.h"
#include "extension/sqlite/api/python_signals.h"
#include "extension/sqlite/api/sql.h"
#include "extension/sqlite/host/each_row.h"

/* Some 5,000 instructions of SQLite's, a fraction of a millisecond. */
#define INTERRUPTIBLE                                                                              \
    "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 400) "               \
    "SELECT count(*) FROM r"

#define FLAG_DETERMINISTIC 0x800 /* a bit of `flags` in PRAGMA function_list */

bool host_interrupted(void *self)
{
    struct sqlite_host *host = self;
    sqlite3_stmt *statement = NULL;
    int code;

    if ((host->interrupts && *host->interrupts) || python_signals_stop())
        return true;
    /* sqlite3_is_interrupted() came with 3.41. A statement that is prepared and
     * stepped while the user's own is active notices the flag just as well, and is long enough
     * that a progress handler of the user's, which may want the end, is called. */
    code = sqlite3_prepare_v2(host->db, INTERRUPTIBLE, -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    sqlite3_finalize(statement);
    return code == SQLITE_INTERRUPT;
}

enum status host_query(void *self, struct slice select, const struct sink *sink, struct error *err)
{
    struct sqlite_host *host = self;
    sqlite3_stmt *statement;
    enum status status;
    bool is_done;

    if (sink->columns) /* a sink that asks for no names takes all rows at once */
        return sql_query(&host->sql, select, sink, err);
    TRY(sql_prepare(host->db, select, &statement, err));
    is_done = each_row(statement, sink, &status, err);
    sqlite3_finalize(statement);
    return is_done ? status : sql_query(&host->sql, select, sink, err);
}

enum status host_each_row(void *self, struct slice select, const struct row_taker *taker,
                          struct error *err)
{
    const struct sink sink = {.self = taker->self, .row = taker->row};

    return host_query(self, select, &sink, err);
}

static enum status check_no_parameters(sqlite3_stmt *statement, struct error *err)
{
    if (sqlite3_bind_parameter_count(statement) > 0)
        return fail(err, STATUS_INVALID, "the SELECT has parameters (%s), which cannot be bound",
                    sqlite3_bind_parameter_name(statement, 1)
                        ? sqlite3_bind_parameter_name(statement, 1)
                        : "?"),
               error_hint(err, "Write the values into the statement.");
    return STATUS_OK;
}

static enum status check_select(const struct sqlite_host *host, sqlite3_stmt *statement,
                                struct error *err)
{
    if (!host->is_preparing)
        TRY(check_no_parameters(statement, err));
    if (!sqlite3_stmt_readonly(statement) || sqlite3_column_count(statement) == 0)
        return fail(err, STATUS_INVALID, "the query must be one that only reads");
    return STATUS_OK;
}

static enum status describe_statement(struct sqlite_host *host, sqlite3_stmt *statement,
                                      struct arena *arena, struct query *query, struct error *err)
{
    TRY(check_select(host, statement, err));
    query->count = (size_t)sqlite3_column_count(statement);
    if (query->count > QUERY_COLUMNS_MAX)
        return fail(err, STATUS_LIMIT, "the query returns %zu columns, at most %d are read",
                    query->count, QUERY_COLUMNS_MAX);
    query->columns = ARENA_NEW(arena, struct query_column, query->count);
    if (!query->columns)
        return fail_no_memory(err);
    for (size_t i = 0; i < query->count; i++) {
        struct query_column *column = &query->columns[i];
        column->name = arena_copy(arena, slice_of(sqlite3_column_name(statement, (int)i)));
        column->declared_type =
            arena_copy(arena, slice_of(sqlite3_column_decltype(statement, (int)i)));
        if (!column->name.data || !column->declared_type.data)
            return fail_no_memory(err);
    }
    if (sqlite3_bind_parameter_count(statement) > 0)
        return STATUS_OK; /* which rows there are depends on values that are bound later */
    return sql_sample(&host->sql, slice_of(sqlite3_sql(statement)), query, err);
}

/* Does SQLite know of a function "random(0)" that it may answer differently? By a list of all
 * functions: one of a name is a table of a query, which SQLite keeps (models.c). */
static bool is_volatile_call(sqlite3 *db, struct slice call)
{
    const char *end = memchr(call.data, '(', call.size);
    const struct slice name = {call.data, end ? (size_t)(end - call.data) : call.size};
    bool has_row = true, is_known = false, differs = false;
    sqlite3_stmt *statement;
    struct error ignored;

    if (sql_prepare(db, SLICE("PRAGMA function_list"), &statement, &ignored) != STATUS_OK)
        return true;
    while (sql_step(statement, &has_row, &ignored) == STATUS_OK && has_row) {
        if (!slice_equal_fold(sql_slice(statement, 0), name))
            continue;
        is_known = true;
        differs |= !(sqlite3_column_int(statement, 5) & FLAG_DETERMINISTIC);
    }
    sqlite3_finalize(statement);
    return !is_known || differs;
}

static bool calls_volatile(sqlite3 *db, sqlite3_stmt *program)
{
    struct error ignored;
    bool has_row;

    for (;;) {
        if (sql_step(program, &has_row, &ignored) != STATUS_OK)
            return true;
        if (!has_row)
            return false;
        if ((slice_is(sql_slice(program, 1), "Function") ||
             slice_is(sql_slice(program, 1), "PureFunc")) &&
            is_volatile_call(db, sql_slice(program, 5)))
            return true;
    }
}

/* The query's program names the functions that it calls, those in views too. When in
 * doubt a query is volatile: that costs time alone. */
static bool is_volatile(sqlite3 *db, struct slice select)
{
    sqlite3_stmt *program;
    struct error ignored;
    struct text sql;
    bool result = true;

    text_init(&sql, TEXT_MAXIMUM);
    text_append_string(&sql, "EXPLAIN ");
    text_append(&sql, select);
    if (sql_prepare_text(db, &sql, &program, &ignored) == STATUS_OK) {
        result = calls_volatile(db, program);
        sqlite3_finalize(program);
    }
    text_deinit(&sql);
    return result;
}

enum status host_describe(void *self, struct slice select, struct arena *arena, struct query *query,
                          struct error *err)
{
    struct sqlite_host *host = self;
    sqlite3_stmt *statement;
    enum status status;

    *query = (struct query){.label = query->label,
                            .more_labels = query->more_labels,
                            .more_label_count = query->more_label_count,
                            .is_ordered = select_is_ordered(select)};
    if (sql_prepare(host->db, select, &statement, err) != STATUS_OK)
        return hint_missing_name(host->db, select, err);
    status = describe_statement(host, statement, arena, query, err);
    sqlite3_finalize(statement);
    if (status == STATUS_OK)
        query->is_volatile = is_volatile(host->db, select);
    return status;
}
