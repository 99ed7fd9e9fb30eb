#include "cli/shell/names.h"

#include <string.h>

#include "extension/sqlite/api/sql.h"

#define COLUMNS_MAX 100000 /* columns of all tables of PostgreSQL */

static const char sqlite_names[] =
    "SELECT name, CASE WHEN type = 'table' AND ncol = 5 AND sql LIKE '%part%position%value%data%'"
    " THEN 'model' ELSE type END AS kind FROM pragma_table_list AS l"
    " LEFT JOIN sqlite_master AS m USING (name, type)"
    " WHERE type IN ('table', 'view', 'virtual') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    " AND name <> 'totrain_versions' ORDER BY name";

/* The relations that the caller may find and look at. A model is known by its columns
 * (postgres_host). */
#define POSTGRES_RELATIONS                                                                         \
    "pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) "        \
    "c.relnamespace WHERE c.relkind OPERATOR(pg_catalog.=) ANY ('{r,p,v,m,f}') AND "               \
    "n.nspname OPERATOR(pg_catalog.<>) ALL ('{pg_catalog,information_schema,totrain}') AND NOT "   \
    "pg_catalog.starts_with(n.nspname, 'pg_toast') AND NOT "                                       \
    "pg_catalog.pg_is_other_temp_schema(n.oid) AND pg_catalog.has_schema_privilege(n.oid, "        \
    "'USAGE') "

#define POSTGRES_NAME                                                                              \
    "CASE WHEN pg_catalog.pg_table_is_visible(c.oid) THEN pg_catalog.quote_ident(c.relname) ELSE " \
    "pg_catalog.format('%I.%I', n.nspname, c.relname) END"

#define POSTGRES_COLUMNS                                                                           \
    "pg_catalog.pg_attribute a WHERE a.attrelid OPERATOR(pg_catalog.=) c.oid AND a.attnum "        \
    "OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped"

#define POSTGRES_KIND                                                                              \
    "CASE WHEN (SELECT pg_catalog.string_agg(a.attname, ',' ORDER BY a.attnum) "                   \
    "FROM " POSTGRES_COLUMNS                                                                       \
    ") OPERATOR(pg_catalog.=) 'part,name,position,value,data' THEN 'model' "                       \
    "WHEN c.relkind OPERATOR(pg_catalog.=) 'v' THEN 'view' "                                       \
    "WHEN c.relkind OPERATOR(pg_catalog.=) 'm' THEN 'materialized view' "                          \
    "WHEN c.relkind OPERATOR(pg_catalog.=) 'f' THEN 'foreign table' ELSE 'table' END"

static const char postgres_names[] = "SELECT " POSTGRES_NAME " AS name, " POSTGRES_KIND
                                     " AS kind FROM " POSTGRES_RELATIONS " ORDER BY 1";

static const char postgres_columns[] =
    "SELECT " POSTGRES_NAME ", " POSTGRES_KIND
    ", pg_catalog.quote_ident(o.attname) FROM pg_catalog.pg_attribute o RIGHT JOIN (SELECT c.oid, "
    "c.relname, c.relkind, c.relnamespace FROM " POSTGRES_RELATIONS
    ") c ON o.attrelid OPERATOR(pg_catalog.=) c.oid AND o.attnum OPERATOR(pg_catalog.>) 0 AND NOT "
    "o.attisdropped JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace "
    "ORDER BY 1, o.attnum LIMIT 100000";

const char *names_query(const struct session *session)
{
    return session->db ? sqlite_names : postgres_names;
}

void schema_query(const struct session *session, struct slice table, struct text *sql)
{
    if (session->db) {
        text_append_string(sql,
                           "SELECT sql || ';' AS sql FROM sqlite_master WHERE sql IS NOT NULL");
        if (table.size > 0) {
            text_append_string(sql, " AND tbl_name = ");
            text_append_literal(sql, table);
            text_append_string(sql, " COLLATE NOCASE");
        }
        return;
    }
    text_append_string(sql, "SELECT " POSTGRES_NAME " AS \"table\", a.attname AS \"column\", "
                            "pg_catalog.format_type(a.atttypid, a.atttypmod) AS type, CASE WHEN "
                            "a.attnotnull THEN 'not null' ELSE '' END AS nulls FROM "
                            "pg_catalog.pg_attribute a, " POSTGRES_RELATIONS
                            " AND a.attrelid OPERATOR(pg_catalog.=) c.oid AND a.attnum "
                            "OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped");
    if (table.size > 0) {
        text_append_string(sql, " AND c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass(");
        text_append_literal(sql, table);
        text_append_char(sql, ')');
    }
    text_append_string(sql, " ORDER BY 1, a.attnum");
}

static bool is_plain(struct slice name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";

    for (size_t i = 0; i < name.size; i++)
        if (!memchr(letters, name.data[i], sizeof letters - 1) &&
            (i == 0 || name.data[i] < '0' || name.data[i] > '9'))
            return false;
    return name.size > 0 && !sqlite3_keyword_check(name.data, (int)name.size);
}

struct slice names_spell(struct arena *arena, struct slice name)
{
    struct text quoted;
    struct slice copy;

    if (is_plain(name))
        return arena_copy(arena, name);
    text_init(&quoted, TEXT_MAXIMUM);
    text_append_identifier(&quoted, name);
    copy = arena_copy(arena, text_slice(&quoted));
    text_deinit(&quoted);
    return copy;
}

static size_t read_columns(sqlite3 *db, struct arena *arena, struct slice table, struct slice *into)
{
    sqlite3_stmt *statement;
    struct error ignored;
    bool has_row;
    size_t count = 0;

    if (sql_prepare(db, SLICE("SELECT name FROM pragma_table_info(?1)"), &statement, &ignored) !=
        STATUS_OK)
        return 0;
    sql_bind_text(statement, 1, table);
    while (sql_step(statement, &has_row, &ignored) == STATUS_OK && has_row && count < NAMES_MAX) {
        struct slice name = names_spell(arena, sql_slice(statement, 0));
        if (!name.data)
            break;
        if (into)
            into[count] = name;
        count++;
    }
    sqlite3_finalize(statement);
    return count;
}

static void add_table(sqlite3 *db, struct arena *arena, struct slice name,
                      struct completion_table *table)
{
    struct slice *columns = ARENA_NEW(arena, struct slice, read_columns(db, arena, name, NULL) + 1);

    table->name = names_spell(arena, name);
    table->columns = columns;
    table->column_count = columns ? read_columns(db, arena, name, columns) : 0;
}

static void read_sqlite(sqlite3 *db, struct arena *arena, struct completion_names *names)
{
    struct completion_table *tables = ARENA_NEW(arena, struct completion_table, NAMES_MAX);
    struct slice *models = ARENA_NEW(arena, struct slice, NAMES_MAX);
    sqlite3_stmt *statement;
    struct error ignored;
    bool has_row;

    if (!tables || !models ||
        sql_prepare(db, slice_of(sqlite_names), &statement, &ignored) != STATUS_OK)
        return;
    names->tables = tables;
    names->models = models;
    while (sql_step(statement, &has_row, &ignored) == STATUS_OK && has_row &&
           names->table_count + names->model_count < NAMES_MAX) {
        struct slice name = sql_slice(statement, 0);
        if (slice_is(sql_slice(statement, 1), "model"))
            models[names->model_count++] = names_spell(arena, name);
        else
            add_table(db, arena, name, &tables[names->table_count++]);
    }
    sqlite3_finalize(statement);
}

/* Rows come a table after the other, each with its columns. */
struct reading {
    struct arena *arena;
    struct completion_names *names;
    struct completion_table *tables;
    struct slice *models, *columns;
    size_t column_count;
    struct slice last; /* name of the table or model that was added last */
};

static enum status add_name(struct reading *reading, const struct cell *cells, struct error *err)
{
    struct completion_names *names = reading->names;
    struct slice name = arena_copy(reading->arena, cells[0].text);

    if (!name.data || names->table_count + names->model_count >= NAMES_MAX)
        return fail(err, STATUS_LIMIT, "too many names");
    reading->last = name;
    if (slice_is(cells[1].text, "model"))
        reading->models[names->model_count++] = name;
    else
        reading->tables[names->table_count++] = (struct completion_table){
            .name = name, .columns = reading->columns + reading->column_count};
    return STATUS_OK;
}

static enum status read_row(void *self, const struct cell *cells, size_t count, struct error *err)
{
    struct reading *reading = self;
    struct completion_table *table;

    (void)count;
    if (!slice_equal(reading->last, cells[0].text))
        TRY(add_name(reading, cells, err));
    if (slice_is(cells[1].text, "model") || cells[2].type != CELL_TEXT)
        return STATUS_OK;
    table = &reading->tables[reading->names->table_count - 1];
    if (reading->column_count == COLUMNS_MAX)
        return fail(err, STATUS_LIMIT, "too many columns");
    reading->columns[reading->column_count] = arena_copy(reading->arena, cells[2].text);
    if (!reading->columns[reading->column_count].data)
        return fail_no_memory(err);
    reading->column_count++;
    table->column_count++;
    return STATUS_OK;
}

static enum status ignore_columns(void *self, const struct slice *names, size_t count,
                                  struct error *err)
{
    (void)self;
    (void)names;
    (void)count;
    (void)err;
    return STATUS_OK;
}

static void read_postgres(const struct session *session, struct arena *arena,
                          struct completion_names *names)
{
    struct reading reading = {.arena = arena,
                              .names = names,
                              .tables = ARENA_NEW(arena, struct completion_table, NAMES_MAX),
                              .models = ARENA_NEW(arena, struct slice, NAMES_MAX),
                              .columns = ARENA_NEW(arena, struct slice, COLUMNS_MAX)};
    struct sink sink = {.self = &reading, .columns = ignore_columns, .row = read_row};
    struct error ignored;

    if (!reading.tables || !reading.models || !reading.columns)
        return;
    names->tables = reading.tables;
    names->models = reading.models;
    session->host->rows->query(session->host->self, slice_of(postgres_columns), &sink, &ignored);
}

void names_read(const struct session *session, struct arena *arena, struct completion_names *names)
{
    if (session->db)
        read_sqlite(session->db, arena, names);
    else
        read_postgres(session, arena, names);
}
