#include "extension/postgres/sql/table_scan.h"

#include "extension/engine/rows/plain_scan.h"
#include "extension/postgres/sql/sql.h"
#include "extension/sql/sql.h"

/* A heap of rows that last, whose rows the caller may all see. */
#define IS_PLAIN_HEAP                                                                              \
    "(c.relkind" EQ "'r' AND c.relpersistence" NE "'t' AND c.relam" EQ                             \
    "2::pg_catalog.oid AND NOT pg_catalog.row_security_active(c.oid) AND "                         \
    "pg_catalog.has_schema_privilege(c.relnamespace, 'USAGE') AND "                                \
    "pg_catalog.has_table_privilege(c.oid, 'SELECT'))"

#define PAGES                                                                                      \
    "(pg_catalog.pg_relation_size(c.oid) OPERATOR(pg_catalog./) "                                  \
    "pg_catalog.current_setting('block_size')::pg_catalog.int8)"

/* ----- the table that is named ----- */

struct root {
    int64_t relation;
    bool is_partitioned;
    struct slice name;    /* "schema"."table" */
    struct slice columns; /* all of them, quoted */
};

static enum status find_root(struct sql_host *host, struct slice name, struct arena *arena,
                             struct root *root, const char **reason, struct error *err)
{
    struct cell cells[6], key = {.type = CELL_TEXT, .text = name};
    bool found;

    TRY(sql_first(
        host,
        "SELECT c.oid, c.relkind" EQ
        "'p' AND NOT pg_catalog.row_security_active(c.oid), " IS_PLAIN_HEAP
        ", EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhparent" EQ "c.oid), "
        "(SELECT pg_catalog.string_agg(pg_catalog.quote_ident(a.attname), ', ' ORDER BY a.attnum) "
        "FROM pg_catalog.pg_attribute a WHERE a.attrelid" EQ
        "c.oid AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped), "
        "pg_catalog.format('%I.%I', n.nspname, c.relname) "
        "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid" EQ
        "c.relnamespace WHERE c.oid" EQ "pg_catalog.to_regclass($1)",
        &key, 1, arena, cells, 6, &found, err));
    if (!found) {
        *reason = "it is no table";
        return STATUS_OK;
    }
    *root = (struct root){.relation = cells[0].integer, .is_partitioned = cell_is_true(&cells[1])};
    if (!root->is_partitioned && !cells[2].integer)
        *reason = "it is no plain table, or not all of its rows are yours to see";
    else if (!root->is_partitioned && cells[3].integer)
        *reason = "other tables inherit from it";
    else if (cells[4].type != CELL_TEXT)
        *reason = "it has no columns";
    else
        root->columns = cells[4].text;
    root->name = cells[5].text;
    return STATUS_OK;
}

/* ----- the tables that hold its rows ----- */

struct leaves {
    struct table_scan *scan;
    struct arena *arena;
    size_t capacity;
    uint64_t pages;
    bool is_refused;
};

static uint64_t ranges_of(const struct table_scan *scan, const struct scan_table *table)
{
    return table->pages / scan->range_pages + 1;
}

void table_scan_cut(struct table_scan *scan, uint64_t pages, uint32_t readers)
{
    scan->range_pages = pages / ((uint64_t)readers * SCAN_SHARES) + 1;
    if (scan->range_pages < SCAN_RANGE_LEAST)
        scan->range_pages = SCAN_RANGE_LEAST;
    for (size_t i = 0; i < scan->count; i++) {
        scan->tables[i].first_range = scan->ranges;
        scan->ranges += ranges_of(scan, &scan->tables[i]);
    }
}

/* Name, pages, and whether its rows may be read directly. */
static enum status add_leaf(void *self, const struct cell *cells, size_t count, struct error *err)
{
    struct leaves *leaves = self;
    struct table_scan *scan = leaves->scan;
    struct scan_table *table;

    (void)count;
    leaves->is_refused = leaves->is_refused || !cells[2].integer || scan->count == SCAN_TABLES_MAX;
    if (leaves->is_refused)
        return STATUS_OK;
    if (!scan->tables)
        scan->tables = ARENA_NEW(leaves->arena, struct scan_table, SCAN_TABLES_MAX);
    if (!scan->tables)
        return fail_no_memory(err);
    table = &scan->tables[scan->count++];
    *table = (struct scan_table){.name = arena_copy(leaves->arena, cells[0].text),
                                 .pages = (uint64_t)cells[1].integer};
    leaves->pages += table->pages;
    return table->name.data ? STATUS_OK : fail_no_memory(err);
}

static const char own_rows[] =
    "SELECT pg_catalog.format('%I.%I', n.nspname, c.relname), " PAGES ", true "
    "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid" EQ
    "c.relnamespace WHERE c.oid" EQ "$1::pg_catalog.oid";

static const char leaf_rows[] =
    "SELECT pg_catalog.format('%I.%I', n.nspname, c.relname), " PAGES ", " IS_PLAIN_HEAP
    " FROM pg_catalog.pg_partition_tree($1::pg_catalog.oid::pg_catalog.regclass) p "
    "JOIN pg_catalog.pg_class c ON c.oid" EQ "p.relid "
    "JOIN pg_catalog.pg_namespace n ON n.oid" EQ "c.relnamespace WHERE p.isleaf ORDER BY c.oid";

static enum status find_tables(struct sql_host *host, const struct root *root, uint32_t readers,
                               struct arena *arena, struct table_scan *scan, const char **reason,
                               struct error *err)
{
    struct leaves leaves = {.scan = scan, .arena = arena};
    struct database_rows rows = {.self = &leaves, .row = add_leaf};
    struct cell key = cell_integer(root->relation);

    TRY(sql_each(host, root->is_partitioned ? leaf_rows : own_rows, NULL, &key, 1, &rows, err));
    if (leaves.is_refused)
        *reason = "a partition is no plain table, or not all of its rows are yours to see";
    else if (leaves.pages < SCAN_PAGES_LEAST)
        *reason = "the table is small";
    else
        table_scan_cut(scan, leaves.pages, readers);
    return STATUS_OK;
}

enum status table_scan_plan(struct sql_host *host, struct slice select, uint32_t readers,
                            struct arena *arena, struct table_scan *scan, const char **reason,
                            struct error *err)
{
    struct plain_scan plain;
    struct root root = {.relation = 0};

    *scan = (struct table_scan){.count = 0};
    *reason = NULL;
    if (!plain_scan_recognise(select, &plain)) {
        *reason = "the SELECT is more than the columns of one table";
        return STATUS_OK;
    }
    TRY(find_root(host, slice_trim(plain.from), arena, &root, reason, err));
    if (*reason)
        return STATUS_OK;
    scan->root = root.name;
    /* A partition may have its columns in another order. */
    scan->columns = slice_is(slice_trim(plain.columns), "*") ? root.columns : plain.columns;
    return find_tables(host, &root, readers, arena, scan, reason, err);
}

bool table_scan_equal(const struct table_scan *a, const struct table_scan *b)
{
    if (a->count != b->count || !slice_equal(a->root, b->root))
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!slice_equal(a->tables[i].name, b->tables[i].name))
            return false;
    return true;
}

/* ----- pieces ----- */

static const struct scan_table *table_of(const struct table_scan *scan, uint64_t range)
{
    size_t low = 0, high = scan->count;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (scan->tables[middle].first_range <= range)
            low = middle;
        else
            high = middle;
    }
    return &scan->tables[low];
}

void scan_piece_append(const struct scan_piece *piece, struct text *sql)
{
    text_append_string(sql, "SELECT ");
    text_append(sql, piece->columns);
    text_append_string(sql, piece->leaves.size > 0 ? " FROM " : " FROM ONLY ");
    text_append(sql, piece->table);
    if (piece->is_whole)
        return;
    text_printf(sql, " WHERE ctid OPERATOR(pg_catalog.>=) '(%llu,0)'::pg_catalog.tid",
                (unsigned long long)piece->first_page);
    if (piece->end_page > 0)
        text_printf(sql, " AND ctid OPERATOR(pg_catalog.<) '(%llu,0)'::pg_catalog.tid",
                    (unsigned long long)piece->end_page);
    if (piece->leaves.size > 0)
        text_printf(sql, " AND tableoid" EQ "ANY ('%.*s'::pg_catalog.oid[])",
                    SLICE_FORMAT(piece->leaves));
}

/* The last piece of a table has no end: the table may have grown since it was measured. */
void table_scan_append(const struct table_scan *scan, uint64_t range, struct text *sql)
{
    const struct scan_table *table = table_of(scan, range);
    const uint64_t number = range - table->first_range;
    struct scan_piece piece = {
        .table = table->name, .columns = scan->columns, .first_page = number * scan->range_pages};

    if (number + 1 < ranges_of(scan, table))
        piece.end_page = piece.first_page + scan->range_pages;
    scan_piece_append(&piece, sql);
}
