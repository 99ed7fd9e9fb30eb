/*
 * The order to read a table: what a session writes a worker reads, and nothing else.
 */
#include "extension/engine/rows/direct_order.h"

#include "tests/check.h"

static struct slice column_names[] = {{"v \"x\"", 5}, {"class", 5}};
static struct vector vector = {{"v \"x\"", 5}, 0, 3};
static struct spool_column spooled[] = {{{"v \"x\"[3]", 8}, SPOOL_REAL},
                                        {{"class", 5}, SPOOL_TEXT}};
static int cells[] = {4, 1};
static uint32_t leaves[] = {16400, UINT32_MAX};

static struct direct_rows rows_of(struct slice spool)
{
    return (struct direct_rows){
        .spool = spool,
        .table = {.name = SLICE("public.t"), .relation = 16384, .leaves = leaves, .leaf_count = 2},
        .columns = column_names,
        .column_count = 2,
        .vectors = {.items = &vector, .count = 1, .columns = 2, .elements = 3},
        .spooled = spooled,
        .cells = cells,
        .count = 2};
}

static void check_read(const struct direct_rows *rows)
{
    CHECK_INT(rows->table.relation, 16384);
    CHECK_INT(rows->table.leaf_count, 2);
    CHECK(rows->table.leaves[0] == 16400 && rows->table.leaves[1] == UINT32_MAX);
    CHECK_INT(rows->column_count, 2);
    CHECK_SLICE(rows->columns[0], "v \"x\"");
    CHECK_INT(rows->vectors.count, 1);
    CHECK_INT(rows->vectors.columns, 2);
    CHECK_INT(rows->vectors.elements, 3);
    CHECK_SLICE(rows->vectors.items[0].name, "v \"x\"");
    CHECK_INT(rows->count, 2);
    CHECK(rows->spooled[0].type == SPOOL_REAL && rows->spooled[1].type == SPOOL_TEXT);
    CHECK_SLICE(rows->spooled[0].name, "v \"x\"[3]");
    CHECK(rows->cells[0] == 4 && rows->cells[1] == 1);
}

static void a_worker_reads_what_the_session_wrote(void **state)
{
    struct direct_order order = {{rows_of(SLICE("train")), rows_of(SLICE("validation"))}, 2}, read;
    struct error err;
    struct arena arena;
    struct text json;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&json, DIRECT_BYTES_MAX);
    CHECK_OK(direct_order_write(&order, &json, &err));
    CHECK_OK(direct_order_read(text_slice(&json), &arena, &read, &err));
    CHECK_INT(read.count, 2);
    CHECK_SLICE(read.rows[0].spool, "train");
    CHECK_SLICE(read.rows[1].spool, "validation");
    check_read(&read.rows[0]);
    check_read(&read.rows[1]);
    text_deinit(&json);
    arena_deinit(&arena);
}

#define ORDER(spool, table, leaves, columns, vectors, cells)                                       \
    "[{\"spool\":" spool ",\"table\":" table ",\"leaves\":" leaves ",\"columns\":" columns         \
    ",\"vectors\":" vectors ",\"cells\":" cells "}]"
#define CELL "[{\"name\":\"a\",\"type\":\"real\",\"from\":0}]"

static const char *const refused[][2] = {
    {"[]", "one or two tables"},
    {"{}", "one or two tables"},
    {"[1]", ""},
    {ORDER("\"../train\"", "1", "[1]", "[\"a\"]", "[]", CELL), "none of a job's spools"},
    {ORDER("\"train\"", "0", "[1]", "[\"a\"]", "[]", CELL), "table"},
    {ORDER("\"train\"", "4294967296", "[1]", "[\"a\"]", "[]", CELL), "table"},
    {ORDER("\"train\"", "1", "[1.5]", "[\"a\"]", "[]", CELL), "no OID"},
    {ORDER("\"train\"", "1", "[\"1\"]", "[\"a\"]", "[]", CELL), "no OID"},
    {ORDER("\"train\"", "1", "[1]", "[]", "[]", CELL), "no columns"},
    {ORDER("\"train\"", "1", "[1]", "[1]", "[]", CELL), "no name"},
    {ORDER("\"train\"", "1", "[1]", "[\"a\"]", "[{\"column\":1,\"size\":1}]", CELL), "column"},
    {ORDER("\"train\"", "1", "[1]", "[\"a\"]", "[{\"column\":0,\"size\":10001}]", CELL), "size"},
    {ORDER("\"train\"", "1", "[1]", "[\"a\"]",
           "[{\"column\":0,\"size\":9000},{\"column\":0,\"size\":9000}]", CELL),
     "too long"},
    {ORDER("\"train\"", "1", "[1]", "[\"a\"]", "[]", "[]"), "no cells"},
    {ORDER("\"train\"", "1", "[1]", "[\"a\"]", "[]",
           "[{\"name\":\"a\",\"type\":\"real\",\"from\":1}]"),
     "from"},
    {ORDER("\"train\"", "1", "[1]", "[\"a\"]", "[]",
           "[{\"name\":\"a\",\"type\":\"blob\",\"from\":0}]"),
     "no type"},
};

static void what_does_not_fit_is_refused(void **state)
{
    struct direct_order order;
    struct error err;
    struct arena arena;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(direct_order_read(SLICE(ORDER("\"train\"", "1", "[1]", "[\"a\"]", "[]", CELL)), &arena,
                               &order, &err));
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        CHECK_FAILS(direct_order_read(slice_of(refused[i][0]), &arena, &order, &err),
                    STATUS_CORRUPT, refused[i][1]);
    arena_deinit(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worker_reads_what_the_session_wrote),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
