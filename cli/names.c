#include "names.h"

#include <string.h>

#include "sqlite_host/sql.h"

const char names_query[] =
    "SELECT name, CASE WHEN type = 'table' AND ncol = 5 AND sql LIKE '%part%position%value%data%'"
    " THEN 'model' ELSE type END AS kind FROM pragma_table_list AS l"
    " LEFT JOIN sqlite_master AS m USING (name, type)"
    " WHERE type IN ('table', 'view', 'virtual') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    " AND name <> 'totrain_versions' ORDER BY name";

static bool is_plain(struct slice name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";

    for (size_t i = 0; i < name.size; i++)
        if (!memchr(letters, name.data[i], sizeof letters - 1) &&
            (i == 0 || name.data[i] < '0' || name.data[i] > '9'))
            return false;
    return name.size > 0 && !sqlite3_keyword_check(name.data, (int)name.size);
}

/* The name as it is to be written. */
static struct slice spell(struct arena *arena, struct slice name)
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
        struct slice name = spell(arena, sql_slice(statement, 0));
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

    table->name = spell(arena, name);
    table->columns = columns;
    table->column_count = columns ? read_columns(db, arena, name, columns) : 0;
}

void names_read(sqlite3 *db, struct arena *arena, struct completion_names *names)
{
    struct completion_table *tables = ARENA_NEW(arena, struct completion_table, NAMES_MAX);
    struct slice *models = ARENA_NEW(arena, struct slice, NAMES_MAX);
    sqlite3_stmt *statement;
    struct error ignored;
    bool has_row;

    if (!tables || !models ||
        sql_prepare(db, slice_of(names_query), &statement, &ignored) != STATUS_OK)
        return;
    names->tables = tables;
    names->models = models;
    while (sql_step(statement, &has_row, &ignored) == STATUS_OK && has_row &&
           names->table_count + names->model_count < NAMES_MAX) {
        struct slice name = sql_slice(statement, 0);
        if (slice_is(sql_slice(statement, 1), "model"))
            models[names->model_count++] = spell(arena, name);
        else
            add_table(db, arena, name, &tables[names->table_count++]);
    }
    sqlite3_finalize(statement);
}
