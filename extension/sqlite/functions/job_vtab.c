#include "extension/sqlite/functions/job_vtab.h"

#include <stdlib.h>
#include <string.h>

#include "extension/engine/host/result.h"
#include "extension/engine/jobs/job_listing.h"
#include "extension/sqlite/api/sql.h"

struct job_vtab {
    sqlite3_vtab base;
    enum job_table table;
};

struct job_cursor {
    sqlite3_vtab_cursor base;
    struct result result;
    const struct result_row *row;
    sqlite3_int64 number;
};

static const enum job_table tables[] = {JOB_TABLE_JOBS, JOB_TABLE_WORKERS, JOB_TABLE_EVENTS,
                                        JOB_TABLE_METRICS, JOB_TABLE_SHARDS};

static void declare(enum job_table table, struct text *sql)
{
    const char *names[JOB_TABLE_COLUMNS_MAX];
    const size_t count = job_table_columns(table, names);

    text_append_string(sql, "CREATE TABLE t(");
    for (size_t i = 0; i < count; i++) {
        text_append_string(sql, i > 0 ? ", " : "");
        text_append_identifier(sql, slice_of(names[i]));
    }
    text_append_string(sql, ")");
}

static int connect_table(sqlite3 *db, void *context, int count, const char *const *arguments,
                         sqlite3_vtab **vtab, char **message)
{
    struct job_vtab *made;
    struct text sql;
    int code;

    (void)count;
    (void)arguments;
    (void)message;
    text_init(&sql, 4096);
    declare(*(const enum job_table *)context, &sql);
    code = sql.failed ? SQLITE_NOMEM : sqlite3_declare_vtab(db, text_string(&sql));
    text_deinit(&sql);
    if (code != SQLITE_OK)
        return code;
    sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
    made = sqlite3_malloc64(sizeof *made);
    if (!made)
        return SQLITE_NOMEM;
    *made = (struct job_vtab){.table = *(const enum job_table *)context};
    *vtab = &made->base;
    return SQLITE_OK;
}

static int disconnect_table(sqlite3_vtab *vtab)
{
    sqlite3_free(vtab);
    return SQLITE_OK;
}

/* The first column is the job's id: only that folder is looked at. */
static int best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
    (void)vtab;
    info->estimatedCost = 1e6;
    for (int i = 0; i < info->nConstraint; i++) {
        if (info->aConstraint[i].iColumn != 0 || !info->aConstraint[i].usable ||
            info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        info->aConstraintUsage[i].argvIndex = 1;
        info->idxNum = 1;
        info->estimatedCost = 1e4;
        break;
    }
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor)
{
    struct job_cursor *made = sqlite3_malloc64(sizeof *made);

    (void)vtab;
    if (!made)
        return SQLITE_NOMEM;
    memset(made, 0, sizeof *made);
    result_init(&made->result);
    *cursor = &made->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
    result_deinit(&((struct job_cursor *)base)->result);
    sqlite3_free(base);
    return SQLITE_OK;
}

/* A value that is no whole number from 1 on is no id; -1 finds none. */
static int64_t wanted_job(int count, sqlite3_value **values)
{
    if (count == 0)
        return 0;
    if (sqlite3_value_numeric_type(values[0]) == SQLITE_INTEGER &&
        sqlite3_value_int64(values[0]) > 0)
        return sqlite3_value_int64(values[0]);
    return sqlite3_value_numeric_type(values[0]) == SQLITE_FLOAT ? 0 : -1;
}

static int fail_with(struct job_cursor *cursor, const struct error *err)
{
    sqlite3_free(cursor->base.pVtab->zErrMsg);
    cursor->base.pVtab->zErrMsg = sqlite3_mprintf("%s", err->message);
    return SQLITE_ERROR;
}

static int filter(sqlite3_vtab_cursor *base, int index, const char *text, int count,
                  sqlite3_value **values)
{
    struct job_cursor *cursor = (struct job_cursor *)base;
    const struct job_vtab *vtab = (const struct job_vtab *)base->pVtab;
    struct error err;
    struct sink sink;

    (void)index;
    (void)text;
    result_deinit(&cursor->result);
    result_init(&cursor->result);
    cursor->row = NULL;
    cursor->number = 0;
    sink = result_sink(&cursor->result);
    error_clear(&err);
    if (job_table_rows(&(struct host){.self = NULL}, vtab->table, wanted_job(count, values), &sink,
                       &err) != STATUS_OK)
        return fail_with(cursor, &err);
    cursor->row = cursor->result.first;
    return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
    struct job_cursor *cursor = (struct job_cursor *)base;

    cursor->row = cursor->row->next;
    cursor->number++;
    return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base)
{
    return ((struct job_cursor *)base)->row == NULL;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
    sql_result_cell(context, &((struct job_cursor *)base)->row->cells[number]);
    return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
    *id = ((struct job_cursor *)base)->number;
    return SQLITE_OK;
}

/* Without xCreate: the table is there by the module's name, and by no other. */
static const sqlite3_module module = {
    .iVersion = 1,
    .xConnect = connect_table,
    .xBestIndex = best_index,
    .xDisconnect = disconnect_table,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = filter,
    .xNext = next,
    .xEof = at_end,
    .xColumn = column,
    .xRowid = row_id,
};

enum status job_vtab_register(sqlite3 *db, struct error *err)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        int code = sqlite3_create_module_v2(db, job_table_name(tables[i]), &module,
                                            (void *)(uintptr_t)&tables[i], NULL);
        if (code != SQLITE_OK)
            return sql_fail(db, code, err);
    }
    return STATUS_OK;
}
