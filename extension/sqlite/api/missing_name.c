#include "extension/sqlite/api/missing_name.h"

#include <stdlib.h>
#include <string.h>

#include "extension/sqlite/api/sql.h"
#include "parser/refused.h"
#include "parser/scan.h"
#include "parser/table_place.h"

#define NAMES_MAX  1000
#define TABLES_MAX 64 /* tables of the SELECT whose columns are looked at */

struct names {
    char *names[NAMES_MAX];
    size_t count;
};

static void names_free(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->names[i]);
}

static enum status keep_name(void *context, struct slice name, struct error *err)
{
    struct names *names = context;

    if (names->count == NAMES_MAX)
        return STATUS_OK;
    names->names[names->count] = strndup(name.size ? name.data : "", name.size);
    if (!names->names[names->count])
        return fail_no_memory(err);
    names->count++;
    return STATUS_OK;
}

/* Names from a query; none where it fails. */
static void read_names(sqlite3 *db, const char *sql, struct names *names)
{
    sqlite3_stmt *statement;
    struct error ignored;
    bool has_row = true;

    if (sql_prepare(db, slice_of(sql), &statement, &ignored) != STATUS_OK)
        return;
    while (sql_step(statement, &has_row, &ignored) == STATUS_OK && has_row &&
           keep_name(names, sql_slice(statement, 0), &ignored) == STATUS_OK)
        ;
    sqlite3_finalize(statement);
}

static void hint_nearest(const struct names *names, struct slice name, struct error *err)
{
    const int nearest = text_nearest(name, (const char *const *)names->names, names->count);

    if (nearest >= 0)
        error_hint(err, "Did you mean %s?", names->names[nearest]);
}

static struct slice unquoted(struct slice text, const struct scan *scan)
{
    struct slice word = scan_text(text, scan);

    if (scan->kind != SCAN_WORD && word.size >= 2) {
        word.data++;
        word.size -= 2;
    }
    return word;
}

static bool is_name(const struct scan *scan)
{
    return scan->kind == SCAN_WORD || scan->kind == SCAN_QUOTED || scan->kind == SCAN_BACKTICK ||
           scan->kind == SCAN_BRACKET;
}

static struct scan next(struct slice select, int at)
{
    const bool is_bracket = (size_t)at < select.size && select.data[at] == '[';

    return is_bracket ? scan_bracket(select, at) : scan_next(select, at, SCAN_HOST);
}

/* The place of the name in the SELECT; -1: it stands nowhere, as the name of a table in a view. */
static int place_of(struct slice select, struct slice name)
{
    for (struct scan scan = next(select, 0); scan.kind != SCAN_END; scan = next(select, scan.end))
        if (is_name(&scan) && slice_equal_fold(unquoted(select, &scan), name))
            return scan.start;
    return -1;
}

/* "no such table: main.irs" */
static enum status hint_table(sqlite3 *db, struct slice select, struct slice name,
                              struct error *err)
{
    const char *dot = memrchr(name.data, '.', name.size);
    struct names names = {.count = 0};

    if (dot)
        name = (struct slice){dot + 1, (size_t)(name.data + name.size - dot - 1)};
    read_names(db,
               "SELECT name FROM main.sqlite_master WHERE type IN ('table', 'view') UNION "
               "SELECT name FROM temp.sqlite_master WHERE type IN ('table', 'view')",
               &names);
    hint_nearest(&names, name, err);
    if (!err->hint[0] && names.count == 0)
        error_hint(err, "The database has no tables yet.");
    names_free(&names);
    err->position = place_of(select, name);
    return err->status;
}

/* The columns of all tables that the SELECT names. */
static enum status hint_column(sqlite3 *db, struct slice select, struct slice name,
                               struct error *err)
{
    const char *dot = memrchr(name.data, '.', name.size);
    struct names names = {.count = 0};
    struct error ignored;
    int tables = 0;

    if (dot)
        name = (struct slice){dot + 1, (size_t)(name.data + name.size - dot - 1)};
    for (struct scan scan = next(select, 0); scan.kind != SCAN_END && tables < TABLES_MAX;
         scan = next(select, scan.end)) {
        if (!is_name(&scan))
            continue;
        tables++;
        (void)each_column(db, SLICE(""), unquoted(select, &scan), false, keep_name, &names,
                          &ignored);
    }
    hint_nearest(&names, name, err);
    if (names.count == 0 && names_no_table(select))
        error_hint(err, "The SELECT names no table: is FROM missing?");
    names_free(&names);
    return err->status;
}

enum status hint_missing_name(sqlite3 *db, struct slice select, struct error *err)
{
    static const char table[] = "no such table: ", column[] = "no such column: ";
    char message[sizeof err->message];
    const struct slice whole = slice_of(memcpy(message, err->message, sizeof message));

    if (err->status == STATUS_SYNTAX) {
        if (slice_is(whole, "incomplete input")) /* SQLite tells no place of it */
            err->position = (int)select.size;
        refused_select_hint(select, err);
    }
    if (err->status != STATUS_DATABASE || err->hint[0] || refused_missing_hint(select, err))
        return err->status;
    if (strncmp(message, table, strlen(table)) == 0)
        return hint_table(db, select,
                          (struct slice){message + strlen(table), whole.size - strlen(table)}, err);
    if (strncmp(message, column, strlen(column)) == 0)
        return hint_column(
            db, select, (struct slice){message + strlen(column), whole.size - strlen(column)}, err);
    return err->status;
}
