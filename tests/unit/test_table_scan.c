/*
 * A database that has one table, of as many leaves and pages as a test says. Which pages the
 * pieces cover is read from their SQL.
 */
#include <stdio.h>

#include "extension/postgres/sql/table_scan.h"
#include "tests/check.h"

#define LEAVES_MAX 3

struct tables_there {
    size_t leaves;
    uint64_t pages[LEAVES_MAX];
    int queries; /* the first is for the table that is named */
};

static enum status answer(void *self, const struct database_statement *statement,
                          const struct database_rows *rows, uint64_t *affected, struct error *err)
{
    struct tables_there *database = self;
    const struct cell root[] = {cell_integer(1), cell_integer(1),     cell_integer(0),
                                cell_integer(0), cell_string("a, b"), cell_string("s.t")};

    (void)statement;
    (void)affected;
    if (database->queries++ == 0)
        return rows->row(rows->self, root, 6, err);
    for (size_t i = 0; i < database->leaves; i++) {
        char name[32];
        struct cell leaf[3];

        snprintf(name, sizeof name, "s.leaf_%zu", i);
        leaf[0] = cell_string(name);
        leaf[1] = cell_integer((int64_t)database->pages[i]);
        leaf[2] = cell_integer(1);
        TRY(rows->row(rows->self, leaf, 3, err));
    }
    return STATUS_OK;
}

static struct table_scan plan(struct tables_there *database, uint32_t readers, struct arena *arena)
{
    const struct database seam = {.self = database, .query = answer};
    struct sql_host host = {.database = &seam};
    const char *reason = NULL;
    struct table_scan scan;
    struct error err;

    CHECK_OK(
        table_scan_plan(&host, SLICE("SELECT * FROM t"), readers, arena, &scan, &reason, &err));
    if (reason)
        check_failed("%s", reason);
    return scan;
}

struct piece {
    unsigned leaf;
    unsigned long long first, end; /* end 0: none */
};

static struct piece piece_of(const struct table_scan *scan, uint64_t range)
{
    struct piece piece = {.end = 0};
    struct text sql;
    int read;

    text_init(&sql, TEXT_MAXIMUM);
    table_scan_append(scan, range, &sql);
    read = sscanf(text_string(&sql),
                  "SELECT a, b FROM ONLY s.leaf_%u WHERE ctid OPERATOR(pg_catalog.>=) "
                  "'(%llu,0)'::pg_catalog.tid AND ctid OPERATOR(pg_catalog.<) '(%llu,0)'",
                  &piece.leaf, &piece.first, &piece.end);
    if (read < 2)
        check_failed("no piece: %s", text_string(&sql));
    text_deinit(&sql);
    return piece;
}

/* Each leaf from its first page on, without gap or overlap, and beyond its last page. */
static void check_covers(const struct table_scan *scan, const struct tables_there *database)
{
    unsigned leaf = 0;
    unsigned long long next = 0;

    for (uint64_t i = 0; i < scan->ranges; i++) {
        const struct piece piece = piece_of(scan, i);

        CHECK_INT(piece.leaf, leaf);
        CHECK(piece.first == next);
        next = piece.end;
        if (piece.end == 0)
            CHECK(database->pages[leaf++] < piece.first + scan->range_pages);
    }
    CHECK_INT(leaf, database->leaves);
}

static void pieces_cover_all_leaves_and_what_they_grew_by(void **state)
{
    static const uint32_t readers[] = {2, 8, 1000};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct tables_there database = {.leaves = 3, .pages = {70000, 0, 512}};
        struct arena arena;
        struct table_scan scan;

        arena_init(&arena, ARENA_MAXIMUM);
        scan = plan(&database, readers[i], &arena);
        check_covers(&scan, &database);
        arena_deinit(&arena);
    }
}

/* A statement for each piece costs more than reading its pages where these are few. */
static void a_reader_gets_about_sixteen_pieces(void **state)
{
    struct tables_there large = {.leaves = 1, .pages = {32259}};
    struct tables_there small = {.leaves = 1, .pages = {SCAN_PAGES_LEAST}};
    struct arena arena;

    (void)state;
    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_INT(plan(&large, 2, &arena).ranges, 2 * SCAN_SHARES);
    large.queries = 0;
    CHECK_INT(plan(&large, 4, &arena).ranges, 4 * SCAN_SHARES);
    CHECK_INT(plan(&small, 2, &arena).ranges, SCAN_PAGES_LEAST / SCAN_RANGE_LEAST + 1);
    arena_deinit(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_cover_all_leaves_and_what_they_grew_by),
        cmocka_unit_test(a_reader_gets_about_sixteen_pieces),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
