#include "extension/postgres/libpq/libpq_direct.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "extension/engine/rows/direct_order.h"
#include "extension/postgres/libpq/libpq.h"
#include "extension/postgres/libpq/libpq_describe.h"
#include "extension/postgres/libpq/libpq_scan.h"
#include "extension/postgres/libpq/libpq_wait.h"
#include "extension/postgres/sql/sql.h"
#include "extension/postgres/sql/table_scan.h"
#include "runtime/data/dataset.h"
#include "runtime/data/spool_writer.h"

#define READERS 2 /* connections of a worker; there may be many workers */

struct direct_reader {
    struct libpq *libpq;
    struct postgres_host host;
    const struct direct_reading *reading;
    struct arena arena;
};

/* ----- the snapshot ----- */

static enum status begin(struct direct_reader *reader, struct error *err)
{
    struct error why;
    enum status status;
    struct text sql;

    error_clear(&why);
    TRY(libpq_execute(reader->libpq, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", err));
    text_init(&sql, TEXT_MAXIMUM);
    text_append_string(&sql, "SET TRANSACTION SNAPSHOT ");
    text_append_literal(&sql, reader->reading->snapshot);
    status =
        sql.failed ? fail_no_memory(&why) : libpq_execute(reader->libpq, text_string(&sql), &why);
    text_deinit(&sql);
    if (status == STATUS_OK || status == STATUS_CONNECTION || status == STATUS_NO_MEMORY) {
        *err = why;
        return status;
    }
    fail(err, STATUS_INVALID, "the job's rows can be read no more: %s", why.message);
    return error_hint(err, "With job.read = 'direct' the session that sent the job holds the "
                           "snapshot of its rows, and must live for as long as the job.");
}

/* ----- may it be read? ----- */

/* The login may read the tables of many, and the order is by the job's owner alone. */
static enum status check_table(struct direct_reader *reader, const struct direct_table *table,
                               struct slice *name, struct error *err)
{
    const struct direct_reading *reading = reader->reading;
    const struct cell parameters[] = {cell_integer(table->relation), cell_text(reading->schema),
                                      cell_text(reading->journal)};
    struct cell cells[3] = {{.type = CELL_NULL}, {.type = CELL_NULL}, {.type = CELL_NULL}};
    bool found;

    TRY(pg_first(&reader->host,
                 "SELECT pg_catalog.format('%I.%I', n.nspname, c.relname), c.relkind" EQ
                 "ANY ('{r,p}'::pg_catalog.\"char\"[]) AND NOT c.relrowsecurity, "
                 "pg_catalog.has_table_privilege(o.relowner, c.oid, 'SELECT') "
                 "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid" EQ
                 "c.relnamespace, pg_catalog.pg_class o JOIN pg_catalog.pg_namespace m ON "
                 "m.oid" EQ "o.relnamespace WHERE c.oid" EQ "$1::pg_catalog.oid AND m.nspname" EQ
                 "$2::pg_catalog.name AND o.relname" EQ "$3::pg_catalog.name",
                 parameters, 3, &reader->arena, cells, 3, &found, err));
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

/* ----- its pieces ----- */

static void append_leaves(const struct direct_table *table, struct text *out)
{
    text_append_char(out, '{');
    for (size_t i = 0; i < table->leaf_count; i++)
        text_printf(out, "%s%u", i > 0 ? "," : "", table->leaves[i]);
    text_append_char(out, '}');
}

static enum status keep_text(struct arena *arena, struct text *text, struct slice *kept,
                             struct error *err)
{
    const bool has_failed = text->failed;

    *kept = arena_copy(arena, text_slice(text));
    text_deinit(text);
    return has_failed || !kept->data ? fail_no_memory(err) : STATUS_OK;
}

static enum status list_leaves(struct direct_reader *reader, const struct direct_table *table,
                               struct table_scan *scan, struct error *err)
{
    struct text list;

    text_init(&list, TEXT_MAXIMUM);
    append_leaves(table, &list);
    return keep_text(&reader->arena, &list, &scan->leaves, err);
}

static enum status list_columns(struct direct_reader *reader, const struct direct_rows *rows,
                                struct table_scan *scan, struct error *err)
{
    struct text list;

    text_init(&list, TEXT_MAXIMUM);
    for (size_t i = 0; i < rows->column_count; i++) {
        if (i > 0)
            text_append_string(&list, ", ");
        text_append_identifier(&list, rows->columns[i]);
    }
    return keep_text(&reader->arena, &list, &scan->columns, err);
}

/* Of the largest leaf: a piece is the same pages of all of them. */
static enum status count_pages(struct direct_reader *reader, const struct table_scan *scan,
                               uint64_t *pages, struct error *err)
{
    const struct cell leaves = cell_text(scan->leaves);
    struct cell most = {.type = CELL_NULL};
    bool found;

    TRY(pg_first(&reader->host,
                 "SELECT pg_catalog.max(pg_catalog.pg_relation_size(l.oid) "
                 "OPERATOR(pg_catalog./) pg_catalog.current_setting('block_size')"
                 "::pg_catalog.int8) FROM pg_catalog.unnest($1::pg_catalog.oid[]) l (oid)",
                 &leaves, 1, &reader->arena, &most, 1, &found, err));
    *pages = most.type == CELL_INTEGER ? (uint64_t)most.integer : 0;
    return STATUS_OK;
}

static enum status plan_scan(struct direct_reader *reader, const struct direct_rows *rows,
                             struct table_scan *scan, struct error *err)
{
    struct scan_table *table = ARENA_NEW(&reader->arena, struct scan_table, 1);
    uint64_t pages = 0;

    if (!table)
        return fail_no_memory(err);
    *scan = (struct table_scan){.tables = table, .count = 1};
    TRY(check_table(reader, &rows->table, &scan->root, err));
    TRY(list_leaves(reader, &rows->table, scan, err));
    TRY(list_columns(reader, rows, scan, err));
    TRY(count_pages(reader, scan, &pages, err));
    *table = (struct scan_table){.name = scan->root, .pages = pages};
    table_scan_cut(scan, pages, READERS);
    return STATUS_OK;
}

/* ----- into a spool ----- */

static enum status describe(struct direct_reader *reader, const struct table_scan *tables,
                            size_t expected, struct pg_column **columns, struct error *err)
{
    enum status status;
    struct text sql;
    size_t count;

    text_init(&sql, TEXT_MAXIMUM);
    table_scan_append(tables, 0, &sql);
    status = sql.failed ? fail_no_memory(err)
                        : libpq_describe(reader->libpq, text_slice(&sql), &reader->arena, columns,
                                         &count, err);
    text_deinit(&sql);
    TRY(status);
    return count == expected
               ? STATUS_OK
               : fail(err, STATUS_DATABASE, "the table has other columns than before");
}

static enum status read_into(struct direct_reader *reader, const struct direct_rows *rows,
                             const struct table_scan *tables, const char *path, struct error *err)
{
    struct pg_column *columns;
    struct scan scan;
    enum status status;

    TRY(describe(reader, tables, rows->column_count, &columns, err));
    TRY(scan_restore(rows->spooled, rows->cells, rows->count, &reader->arena, &scan, err));
    scan.vectors = rows->vectors;
    scan.path = path;
    scan.threads = READERS;
    scan.order = dataset_order(reader->reading->spec, !slice_is(rows->spool, "train"), READERS);
    TRY(spool_writer_open(path, rows->spooled, rows->count, 0, &scan.writer, err));
    status = spool_writer_sort(scan.writer, &scan.order, err);
    if (status == STATUS_OK)
        status = libpq_scan_shared(&reader->host, &scan, tables, columns, rows->column_count,
                                   reader->reading->snapshot, err);
    if (status == STATUS_OK)
        return spool_writer_close(scan.writer, err);
    spool_writer_abandon(scan.writer);
    return status;
}

static enum status read_rows(struct direct_reader *reader, const struct direct_rows *rows,
                             struct error *err)
{
    struct table_scan tables;
    char path[PATH_MAX];

    if (snprintf(path, sizeof path, "%s/%.*s.spool", reader->reading->folder,
                 SLICE_FORMAT(rows->spool)) >= (int)sizeof path)
        return fail(err, STATUS_LIMIT, "the path of %s is too long", reader->reading->folder);
    TRY(plan_scan(reader, rows, &tables, err));
    return read_into(reader, rows, &tables, path, err);
}

static enum status read_all(struct direct_reader *reader, const struct direct_order *order,
                            struct error *err)
{
    TRY(begin(reader, err));
    for (size_t i = 0; i < order->count; i++)
        TRY(read_rows(reader, &order->rows[i], err));
    return STATUS_OK;
}

enum status libpq_read_directly(struct libpq *libpq, const struct direct_reading *reading,
                                const struct direct_order *order, struct error *err)
{
    struct direct_reader *reader = calloc(1, sizeof *reader);
    enum status status;

    if (!reader)
        return fail_no_memory(err);
    reader->libpq = libpq;
    reader->reading = reading;
    postgres_host_init(&reader->host, &libpq->database, "", NULL);
    arena_init(&reader->arena, ARENA_MAXIMUM);
    status = read_all(reader, order, err);
    arena_deinit(&reader->arena);
    free(reader);
    return status;
}
