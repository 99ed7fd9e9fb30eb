#include "extension/sqlite/host/parallel_scan.h"

#include <string.h>

#include "extension/sqlite/api/sql.h"
#include "extension/sqlite/host/frame_scan.h"
#include "extension/sqlite/host/models.h"
#include "extension/sqlite/host/scan_rows.h"
#include "extension/sqlite/host/scan_threads.h"

#define ROWIDS_LEAST 20000 /* below, opening connections takes longer than reading */
/* Each page of the table is read once: what is held of it is to stay in the processor's cache. */
#define CACHE_PAGES "32"

struct table_reader {
    sqlite3 *db;
    struct scan_rows rows;
    uint64_t first; /* rowid of position 0 */
};

struct scan_group {
    struct table_reader tables[SCAN_READERS_MAX];
    struct scan_reader readers[SCAN_READERS_MAX];
    uint32_t count;
    struct plain_scan plain;
    const char *file, *vfs;
    const char *rowid; /* a name that no column of the table has taken */
};

static enum status put_stretch(struct scan_reader *reader, const struct stretch *stretch,
                               uint64_t *rows, uint64_t *at, struct error *err)
{
    struct table_reader *table = reader->self;
    enum status status;

    table->rows.writer = reader->writer;
    table->rows.stop = reader->stop;
    status = scan_rows_put(&table->rows, (int64_t)(table->first + stretch->first),
                           (int64_t)(table->first + stretch->last), STRETCH_ROWS_MAX, err);
    *rows = table->rows.count;
    *at = (uint64_t)table->rows.at - table->first;
    return status;
}

static bool query_number(sqlite3 *db, const struct text *sql, int64_t *number)
{
    sqlite3_stmt *statement;
    struct error ignored;
    bool has_row = false;

    if (sql_prepare_text(db, sql, &statement, &ignored) != STATUS_OK)
        return false;
    if (sql_step(statement, &has_row, &ignored) != STATUS_OK || !has_row ||
        sqlite3_column_type(statement, 0) != SQLITE_INTEGER)
        has_row = false;
    else
        *number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return has_row;
}

/* The end of the table that min or max names. */
static bool end_rowid(sqlite3 *db, const char *end, struct slice schema,
                      const struct scan_group *group, int64_t *rowid)
{
    struct text sql;
    bool found;

    text_init(&sql, TEXT_MAXIMUM);
    text_printf(&sql, "SELECT %s(%s) FROM ", end, group->rowid);
    sql_append_table(&sql, schema, group->plain.table);
    found = query_number(db, &sql, rowid);
    text_deinit(&sql);
    return found;
}

/* Names of the rowid, and which of them columns of a table have taken. */
static const char *const rowid_names[] = {"rowid", "_rowid_", "oid"};
#define ROWID_NAMES (sizeof rowid_names / sizeof *rowid_names)

static enum status note_taken(void *context, struct slice name, struct error *err)
{
    bool *taken = context;

    (void)err;
    for (size_t i = 0; i < ROWID_NAMES; i++)
        taken[i] |= slice_is_fold(name, rowid_names[i]);
    return STATUS_OK;
}

static const char *rowid_name(sqlite3 *db, struct slice schema, struct slice table)
{
    bool taken[ROWID_NAMES] = {false};
    struct error ignored;

    if (each_column(db, schema, table, true, note_taken, taken, &ignored) != STATUS_OK)
        return NULL;
    for (size_t i = 0; i < ROWID_NAMES; i++)
        if (!taken[i])
            return rowid_names[i];
    return NULL;
}

/* Instructions that read columns of a table. */
static const char *const reading[] = {
    "Init", "OpenRead",     "ColumnsUsed", "Rewind", "Column", "Rowid",   "ResultRow", "Next",
    "Halt", "RealAffinity", "Transaction", "Goto",   "Noop",   "Explain", "Close",     NULL};

/* Instructions that a WHERE of columns and constants has beside them. No function, which may be
 * this connection's alone, and no parameter, whose value it has. Nor is NULL among them: where an
 * authorizer hides a column, the statement has that instead. */
static const char *const computing[] = {
    "Integer", "Int64",  "Real",   "String8",  "Affinity", "IsNull", "NotNull",
    "And",     "Or",     "Not",    "If",       "IfNot",    "IsTrue", "ZeroOrNull",
    "Copy",    "SCopy",  "Add",    "Subtract", "Multiply", "Divide", "Remainder",
    "SeekGE",  "SeekGT", "SeekLE", "SeekLT",   NULL};
static const char *const comparing[] = {"Eq", "Ne", "Lt", "Le", "Gt", "Ge", NULL};

static bool is_one_of(const char *const *known, const char *instruction)
{
    for (size_t i = 0; known[i]; i++)
        if (strcmp(known[i], instruction) == 0)
            return true;
    return false;
}

/* A comparison of texts names its collation in the fourth operand; the connection may have others
 * than SQLite's own. */
static bool is_known(const char *instruction, const char *fourth, bool has_where)
{
    if (!instruction)
        return false;
    if (is_one_of(reading, instruction))
        return true;
    if (!has_where)
        return false;
    if (is_one_of(comparing, instruction))
        return !fourth || fourth[0] == '\0' || strncmp(fourth, "BINARY-", 7) == 0;
    return is_one_of(computing, instruction);
}

/* Does the user's own statement do nothing but read columns, and compare them in its WHERE? A
 * column that an authorizer hides, or one that is computed, takes other instructions. */
static bool reads_columns_only(sqlite3 *db, struct slice select, bool has_where)
{
    sqlite3_stmt *statement;
    struct error ignored;
    struct text sql;
    bool has_row = true, knows_all;

    text_init(&sql, TEXT_MAXIMUM);
    text_append_string(&sql, "EXPLAIN ");
    text_append(&sql, select);
    knows_all = sql_prepare_text(db, &sql, &statement, &ignored) == STATUS_OK;
    text_deinit(&sql);
    if (!knows_all)
        return false;
    while (knows_all && sql_step(statement, &has_row, &ignored) == STATUS_OK && has_row)
        knows_all = is_known((const char *)sqlite3_column_text(statement, 1),
                             (const char *)sqlite3_column_text(statement, 5), has_where);
    sqlite3_finalize(statement);
    return knows_all && !has_row;
}

/* A library that was configured for one thread hands out the same mutex twice. */
static bool has_threads(void)
{
    sqlite3_mutex *a, *b;
    bool differ;

    if (!sqlite3_threadsafe())
        return false;
    a = sqlite3_mutex_alloc(SQLITE_MUTEX_FAST);
    b = sqlite3_mutex_alloc(SQLITE_MUTEX_FAST);
    differ = a && b && a != b;
    sqlite3_mutex_free(a);
    sqlite3_mutex_free(b);
    return differ;
}

/* The file behind the schema as others would open it. */
static const char *check_file(sqlite3 *db, const char *schema, struct scan_group *group)
{
    sqlite3_vfs *vfs = NULL;
    int has_moved = 0;

    group->file = sqlite3_db_filename(db, schema);
    if (strcmp(schema, "temp") == 0 || !group->file || !group->file[0])
        return "the table is not in a file";
    if (sqlite3_uri_boolean(group->file, "nolock", 0) ||
        sqlite3_uri_boolean(group->file, "immutable", 0))
        return "the file was opened without locks";
    if (sqlite3_file_control(db, schema, SQLITE_FCNTL_HAS_MOVED, &has_moved) == SQLITE_OK &&
        has_moved)
        return "the file was moved";
    if (sqlite3_file_control(db, schema, SQLITE_FCNTL_VFS_POINTER, &vfs) != SQLITE_OK || !vfs)
        return "the file's VFS is not known";
    group->vfs = vfs->zName;
    return NULL;
}

/* NULL when the scan may be parallel so far; else why not. */
static const char *check_session(struct sqlite_host *host, struct slice select,
                                 struct scan_group *group, struct located *located)
{
    struct plain_scan *plain = &group->plain;
    struct error ignored;
    int64_t first, last;
    const char *reason;

    if (!plain_scan_recognise_some(select, plain))
        return "the SELECT is more than the columns of one table";
    if (!has_threads())
        return "this SQLite was built or set for one thread";
    if (locate(host->db, plain->schema, plain->table, located, &ignored) != STATUS_OK ||
        !located->exists || !located->is_table)
        return "it is no table";
    if (!sqlite3_get_autocommit(host->db) ||
        sqlite3_txn_state(host->db, located->schema) != SQLITE_TXN_NONE)
        return "a transaction is open";
    reason = check_file(host->db, located->schema, group);
    if (reason)
        return reason;
    if (!reads_columns_only(host->db, select, plain->where.size > 0))
        return plain->where.size > 0 ? "the WHERE does more than compare columns and constants"
                                     : "columns are computed or hidden";
    group->rowid = rowid_name(host->db, slice_of(located->schema), plain->table);
    if (!group->rowid || !end_rowid(host->db, "min", slice_of(located->schema), group, &first) ||
        !end_rowid(host->db, "max", slice_of(located->schema), group, &last))
        return "the table has no rowid, or no rows";
    return (double)last - (double)first < ROWIDS_LEAST ? "the table is small" : NULL;
}

static bool open_connection(const struct scan_group *group, int mode, sqlite3 **db)
{
    return sqlite3_open_v2(group->file, db, mode | SQLITE_OPEN_NOMUTEX, group->vfs) == SQLITE_OK;
}

/* The first read gives a connection its view of the file. */
static bool begin_reading(sqlite3 *db)
{
    struct error ignored;

    return sql_execute(db, "PRAGMA cache_size = " CACHE_PAGES, &ignored) == STATUS_OK &&
           sql_execute(db, "BEGIN", &ignored) == STATUS_OK &&
           sql_execute(db, "SELECT 1 FROM sqlite_master", &ignored) == STATUS_OK;
}

/* While the write lock is ours, all readers begin: nothing can come between. */
static const char *begin_together(struct scan_group *group)
{
    const char *reason = NULL;
    struct error ignored;
    sqlite3 *guard = NULL;

    if (!open_connection(group, SQLITE_OPEN_READWRITE, &guard) ||
        sqlite3_db_readonly(guard, "main") != 0)
        reason = "the file cannot be opened for writing";
    else if (sql_execute(guard, "BEGIN IMMEDIATE", &ignored) != STATUS_OK)
        reason = "another connection is writing";
    for (uint32_t i = 0; !reason && i < group->count; i++)
        if (!begin_reading(group->tables[i].db))
            reason = "a connection of our own cannot read";
    sqlite3_close(guard); /* rolls back */
    return reason;
}

static const char *open_readers(struct scan_group *group, const struct scan *scan)
{
    const uint32_t wanted = scan_threads_wanted(scan);
    const char *reason;

    if (wanted < 2)
        return "there is one processor";
    for (uint32_t i = 0; i < wanted; i++) {
        group->count++;
        if (!open_connection(group, SQLITE_OPEN_READONLY, &group->tables[i].db))
            return "the file cannot be opened again";
    }
    reason = begin_together(group);
    for (uint32_t i = 0; !reason && i < group->count; i++)
        if (!scan_rows_begin(&group->tables[i].rows, group->tables[i].db, scan, &group->plain,
                             group->rowid))
            reason = "the SELECT does not work on a connection of our own";
    return reason;
}

static enum status scan_table(struct sqlite_host *host, struct scan_group *group,
                              const struct scan *scan, struct scan_outcome *outcome,
                              struct error *err)
{
    int64_t first, last;

    if (!end_rowid(group->tables[0].db, "min", SLICE("main"), group, &first) ||
        !end_rowid(group->tables[0].db, "max", SLICE("main"), group, &last)) {
        outcome->reason = "the table was emptied";
        return STATUS_OK;
    }
    for (uint32_t i = 0; i < group->count; i++) {
        group->tables[i].first = (uint64_t)first;
        group->readers[i] = (struct scan_reader){.put = put_stretch, .self = &group->tables[i]};
    }
    outcome->readers = group->count;
    return scan_threads_run(host, scan, group->readers, group->count,
                            (uint64_t)last - (uint64_t)first, err);
}

enum status host_scan(void *self, struct slice select, const struct scan *scan,
                      struct scan_outcome *outcome, struct error *err)
{
    struct sqlite_host *host = self;
    struct scan_group group = {0};
    struct located located;
    enum status status = STATUS_OK;

    *outcome = (struct scan_outcome){0};
    if (frame_scan(host, select, scan, outcome, &status, err))
        return status;
    outcome->reason = check_session(host, select, &group, &located);
    if (!outcome->reason)
        outcome->reason = open_readers(&group, scan);
    if (!outcome->reason)
        status = scan_table(host, &group, scan, outcome, err);
    for (uint32_t i = 0; i < group.count; i++) {
        scan_rows_end(&group.tables[i].rows);
        sqlite3_close(group.tables[i].db);
    }
    return status;
}
