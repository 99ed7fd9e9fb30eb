#include "extension/postgres/sql/direct_read.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "extension/postgres/sql/sql.h"
#include "extension/postgres/sql/table_scan.h"
#include "extension/sql/sql.h"
#include "runtime/data/spool/spool_writer.h"

struct direct_call {
    struct sql_host *host;
    const struct direct_reading *reading;
    struct arena *arena; /* this shard's */
};

/* ----- may it be read? ----- */

/* The login may read the tables of many, and the order is by the job's owner alone. */
static enum status check_table(struct direct_call *call, uint32_t relation, struct slice *name,
                               struct error *err)
{
    const struct direct_reading *reading = call->reading;
    const struct cell parameters[] = {cell_integer(relation), cell_text(reading->schema),
                                      cell_text(reading->journal)};
    struct cell cells[3] = {{.type = CELL_NULL}, {.type = CELL_NULL}, {.type = CELL_NULL}};
    bool found;

    TRY(sql_first(call->host,
                  "SELECT pg_catalog.format('%I.%I', n.nspname, c.relname), (c.relkind" EQ
                  "ANY ('{r,p}'::pg_catalog.\"char\"[]) OR c.relkind" EQ
                  "'f' AND EXISTS (SELECT FROM pg_catalog.pg_foreign_table f JOIN "
                  "pg_catalog.pg_foreign_server s ON s.oid" EQ "f.ftserver JOIN "
                  "pg_catalog.pg_foreign_data_wrapper w ON w.oid" EQ "s.srvfdw JOIN "
                  "pg_catalog.pg_proc p ON p.oid" EQ "w.fdwhandler WHERE f.ftrelid" EQ
                  "c.oid AND p.proname" EQ "'postgres_fdw_handler'::pg_catalog.name)) "
                  "AND NOT c.relrowsecurity, "
                  "pg_catalog.has_table_privilege(o.relowner, c.oid, 'SELECT') "
                  "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid" EQ
                  "c.relnamespace, pg_catalog.pg_class o JOIN pg_catalog.pg_namespace m ON "
                  "m.oid" EQ "o.relnamespace WHERE c.oid" EQ "$1::pg_catalog.oid AND m.nspname" EQ
                  "$2::pg_catalog.name AND o.relname" EQ "$3::pg_catalog.name",
                  parameters, 3, call->arena, cells, 3, &found, err));
    if (!found)
        return fail(err, STATUS_INVALID, "the table that the job reads is not there");
    *name = cells[0].text;
    if (cells[1].type != CELL_INTEGER || !cells[1].integer)
        return fail(err, STATUS_INVALID, "%.*s is no table without row security",
                    SLICE_FORMAT(*name));
    if (cells[2].type != CELL_INTEGER || !cells[2].integer)
        return fail(err, STATUS_INVALID, "the owner of the job may not read %.*s",
                    SLICE_FORMAT(*name));
    return STATUS_OK;
}

/* ----- its SELECT ----- */

static void append_leaves(const struct direct_table *table, struct text *out)
{
    text_append_char(out, '{');
    for (size_t i = 0; i < table->leaf_count; i++)
        text_printf(out, "%s%u", i > 0 ? "," : "", table->leaves[i].relation);
    text_append_char(out, '}');
}

static void append_columns(const struct direct_rows *rows, struct text *out)
{
    for (size_t i = 0; i < rows->column_count; i++) {
        if (i > 0)
            text_append_string(out, ", ");
        text_append_identifier(out, rows->columns[i]);
    }
}

/* A leaf is read without others; the table itself with its leaves, if it has any. */
static enum status append_select(struct direct_call *call, const struct direct_rows *rows,
                                 const struct direct_piece *piece, struct text *sql,
                                 struct error *err)
{
    struct scan_piece scan = {.is_whole = piece->is_foreign,
                              .first_page = piece->first_page,
                              .end_page = piece->end_page};
    struct text columns, leaves;
    enum status status;

    text_init(&columns, TEXT_MAXIMUM);
    text_init(&leaves, TEXT_MAXIMUM);
    append_columns(rows, &columns);
    if (!piece->is_leaf)
        append_leaves(&rows->table, &leaves);
    status = check_table(call, piece->relation, &scan.table, err);
    scan.columns = text_slice(&columns);
    scan.leaves = text_slice(&leaves);
    if (status == STATUS_OK)
        scan_piece_append(&scan, sql);
    if (status == STATUS_OK && (columns.failed || leaves.failed || sql->failed))
        status = fail_no_memory(err);
    text_deinit(&columns);
    text_deinit(&leaves);
    return status;
}

/* ----- into a part ----- */

struct shard_rows {
    const struct scan *scan;
    struct spool_writer *part;
    size_t expected; /* columns */
    void *room;      /* room for a row */
};

static enum status check_columns(void *self, const struct database_column *columns, size_t count,
                                 struct error *err)
{
    const struct shard_rows *rows = self;

    (void)columns;
    return count == rows->expected
               ? STATUS_OK
               : fail(err, STATUS_DATABASE, "the table has other columns than before");
}

static enum status put_row(void *self, const struct cell *cells, size_t count, struct error *err)
{
    const struct shard_rows *rows = self;

    (void)count;
    return scan_put_row(rows->scan, cells, rows->room, rows->part, err);
}

static enum status put_rows(struct direct_call *call, const struct scan *scan, struct slice select,
                            size_t expected, struct spool_writer *part, struct error *err)
{
    const struct database *database = call->host->database;
    struct shard_rows shard = {scan, part, expected, calloc(1, scan_room_bytes(scan))};
    const struct database_rows rows = {.self = &shard, .columns = check_columns, .row = put_row};
    const struct database_statement statement = {.sql = select, .form = FORM_DATA};
    enum status status;

    if (!shard.room)
        return fail_no_memory(err);
    status = database->query(database->self, &statement, &rows, NULL, err);
    free(shard.room);
    return status;
}

static enum status write_part(struct direct_call *call, const struct direct_rows *rows,
                              struct slice select, const char *path, uint32_t number,
                              struct text *index, struct error *err)
{
    const struct spool_order order = direct_spool_order(rows, call->reading->spec, 1);
    struct spool_writer *part;
    enum status status;
    struct scan scan;

    TRY(scan_restore(rows->spooled, rows->cells, rows->count, call->arena, &scan, err));
    scan.vectors = rows->vectors;
    scan.path = path;
    TRY(spool_part_open(path, number, rows->spooled, rows->count, &part, err));
    status = spool_writer_sort(part, &order, err);
    if (status == STATUS_OK)
        status = put_rows(call, &scan, select, rows->column_count, part, err);
    if (status == STATUS_OK)
        return spool_part_close(part, index, err);
    spool_writer_abandon(part);
    return status;
}

enum status direct_read_part(struct sql_host *host, const struct direct_reading *reading,
                             const struct direct_rows *rows, uint32_t shard, struct text *index,
                             struct error *err)
{
    const struct direct_piece piece = direct_table_piece(&rows->table, shard);
    struct arena arena;
    struct direct_call call = {host, reading, &arena};
    char path[PATH_MAX];
    enum status status;
    struct text select;

    if (snprintf(path, sizeof path, "%s/%.*s.spool", reading->folder, SLICE_FORMAT(rows->spool)) >=
        (int)sizeof path)
        return fail(err, STATUS_LIMIT, "the path of %s is too long", reading->folder);
    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&select, TEXT_MAXIMUM);
    status = append_select(&call, rows, &piece, &select, err);
    if (status == STATUS_OK)
        status = write_part(&call, rows, text_slice(&select), path, shard, index, err);
    text_deinit(&select);
    arena_deinit(&arena);
    return status;
}
