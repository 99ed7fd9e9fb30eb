/*
 * The order to read a table: what a session writes a worker reads, and nothing else.
 */
#include "extension/engine/rows/direct_order.h"

#include "tests/check.h"

static struct slice column_names[] = {{"v \"x\"", 5}, {"class", 5}};
static struct vector vector = {{"v \"x\"", 5}, 0, 3, 0, {LIST_NONE}, false, NULL, READING_NUMBER};
static struct spool_column spooled[] = {
    {{"v \"x\"[3]", 8}, SPOOL_REAL, READING_NUMBER, 0, {LIST_NONE}},
    {{"class", 5}, SPOOL_TEXT, READING_NUMBER, 0, {LIST_NONE}}};
static int cells[] = {4, 1};
static struct direct_leaf leaves[] = {{16400, 1000, false}, {UINT32_MAX, 3, false}};

static struct direct_rows rows_of(struct slice spool)
{
    return (struct direct_rows){
        .spool = spool,
        .table = {.name = SLICE("public.t"),
                  .relation = 16384,
                  .leaves = leaves,
                  .leaf_count = 2,
                  .shard_pages = 256},
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
    CHECK(rows->table.leaves[0].relation == 16400 && rows->table.leaves[0].pages == 1000);
    CHECK(rows->table.leaves[1].relation == UINT32_MAX && rows->table.leaves[1].pages == 3);
    CHECK(!rows->table.leaves[0].is_foreign);
    CHECK_INT(rows->table.shard_pages, 256);
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
    CHECK(rows->counted > 0 || !rows->vectors.waits);
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

static void parts_of_dates_come_back(void **state)
{
    struct vector dates = {
        {"v \"x\"", 5}, 0,     3,    1 << DATE_AGE | 1 << DATE_DAY | 1 << DATE_HOUR,
        {LIST_NONE},    false, NULL, READING_NUMBER};
    struct direct_order order = {{rows_of(SLICE("train"))}, 1}, read;
    struct error err;
    struct arena arena;
    struct text json;
    (void)state;

    order.rows[0].vectors.items = &dates;
    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&json, DIRECT_BYTES_MAX);
    CHECK_OK(direct_order_write(&order, &json, &err));
    CHECK_OK(direct_order_read(text_slice(&json), &arena, &read, &err));
    CHECK_INT(read.rows[0].vectors.items[0].parts, dates.parts);
    CHECK_INT(read.rows[0].vectors.items[0].reading, READING_NUMBER);
    text_clear(&json);
    dates.reading = READING_DAY_FIRST;
    CHECK_OK(direct_order_write(&order, &json, &err));
    CHECK_OK(direct_order_read(text_slice(&json), &arena, &read, &err));
    CHECK_INT(read.rows[0].vectors.items[0].reading, READING_DAY_FIRST);
    text_clear(&json);
    dates.reading = READING_COMMA;
    CHECK_OK(direct_order_write(&order, &json, &err));
    CHECK_FAILS(direct_order_read(text_slice(&json), &arena, &read, &err), STATUS_CORRUPT,
                "a reading of dates");
    text_deinit(&json);
    arena_deinit(&arena);
}

static void a_cross_comes_back_with_the_places_of_its_columns(void **state)
{
    struct cross_column columns[] = {{.name = SLICE("class"), .cell = 1},
                                     {.name = SLICE("v \"x\""), .rule = RULE_ID, .rows = 9}};
    const struct cross cross = {columns, 2, 50};
    struct vector crossed = {.column = VECTOR_NO_COLUMN, .size = 1, .cross = &cross};
    struct direct_order order = {{rows_of(SLICE("train"))}, 1}, read;
    const struct vector *found;
    struct error err;
    struct arena arena;
    struct text json;
    (void)state;

    order.rows[0].vectors = (struct vectors){&crossed, 1, 2, 1, false};
    order.rows[0].cells = (int[]){2, 1};
    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&json, DIRECT_BYTES_MAX);
    CHECK_OK(direct_order_write(&order, &json, &err));
    CHECK_OK(direct_order_read(text_slice(&json), &arena, &read, &err));
    found = read.rows[0].vectors.items;
    CHECK(cross_equal(found->cross, &cross) && found->size == 1);
    CHECK(found->cross->columns[0].cell == 1 && found->cross->columns[1].cell == 0);
    CHECK_INT(found->column, VECTOR_NO_COLUMN);
    text_deinit(&json);
    arena_deinit(&arena);
}

static void lists_come_back(void **state)
{
    struct vector seen = {
        {"v \"x\"", 5}, 0, 3, 0, {LIST_SPARSE, 3, '|', '=', 0, false, 0, 0}, true, NULL,
        READING_NUMBER};
    struct direct_order order = {{rows_of(SLICE("train"))}, 1}, read;
    struct error err;
    struct arena arena;
    struct text json;
    (void)state;

    order.rows[0].vectors.items = &seen;
    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&json, DIRECT_BYTES_MAX);
    CHECK_OK(direct_order_write(&order, &json, &err));
    CHECK_OK(direct_order_read(text_slice(&json), &arena, &read, &err));
    CHECK(cell_list_equal(&read.rows[0].vectors.items[0].list, &seen.list));
    text_deinit(&json);
    arena_deinit(&arena);
}

/* Those of the second column, as the order has them for a spool of this type. */
static enum status read_ids(enum spool_type type, uint32_t *ids, struct error *err)
{
    struct spool_column columns[] = {spooled[0],
                                     {{"shop", 4}, type, READING_NUMBER, 30, {LIST_NONE}}};
    struct direct_order order = {{rows_of(SLICE("train"))}, 1}, read;
    enum status status;
    struct arena arena;
    struct text json;

    order.rows[0].spooled = columns;
    text_init(&json, DIRECT_BYTES_MAX);
    arena_init(&arena, ARENA_MAXIMUM);
    CHECK(direct_order_write(&order, &json, err) == STATUS_OK);
    status = direct_order_read(text_slice(&json), &arena, &read, err);
    if (status == STATUS_OK) {
        CHECK_INT(read.rows[0].spooled[0].ids, 0);
        *ids = read.rows[0].spooled[1].ids;
    }
    arena_deinit(&arena);
    text_deinit(&json);
    return status;
}

static void ids_are_those_of_whole_numbers(void **state)
{
    uint32_t ids = 0;
    struct error err;
    (void)state;

    CHECK_OK(read_ids(SPOOL_INTEGER, &ids, &err));
    CHECK_INT(ids, 30);
    CHECK_FAILS(read_ids(SPOOL_REAL, &ids, &err), STATUS_CORRUPT,
                "a column of ids that are no whole numbers");
}

static void items_of_texts_come_back(void **state)
{
    struct spool_column columns[] = {
        spooled[0],
        {{"tags", 4}, SPOOL_TEXT, READING_NUMBER, 30, {LIST_ITEMS, 128, '|', ':', 0, false, 0, 0}}};
    struct direct_order order = {{rows_of(SLICE("train"))}, 1}, read;
    struct arena arena;
    struct error err;
    struct text json;
    (void)state;

    order.rows[0].spooled = columns;
    text_init(&json, DIRECT_BYTES_MAX);
    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(direct_order_write(&order, &json, &err));
    CHECK_OK(direct_order_read(text_slice(&json), &arena, &read, &err));
    CHECK_INT(read.rows[0].spooled[1].ids, 30);
    CHECK(cell_list_equal(&read.rows[0].spooled[1].items, &columns[1].items));
    CHECK(read.rows[0].spooled[0].items.form == LIST_NONE);
    text_clear(&json);
    columns[1].type = SPOOL_REAL;
    CHECK_OK(direct_order_write(&order, &json, &err));
    CHECK_FAILS(direct_order_read(text_slice(&json), &arena, &read, &err), STATUS_CORRUPT,
                "a column of lists that are no texts of items");
    arena_deinit(&arena);
    text_deinit(&json);
}

static void what_is_counted_comes_back(void **state)
{
    struct direct_order order = {{rows_of(SLICE("train"))}, 1}, read;
    bool are_keys[] = {false, true, false, true};
    int counted[] = {4, 1, 1, 0};
    struct error err;
    struct arena arena;
    struct text json;
    (void)state;

    order.rows[0].cells = counted;
    order.rows[0].counted = 4;
    order.rows[0].are_keys = are_keys;
    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&json, DIRECT_BYTES_MAX);
    CHECK_OK(direct_order_write(&order, &json, &err));
    CHECK_OK(direct_order_read(text_slice(&json), &arena, &read, &err));
    check_read(&read.rows[0]);
    CHECK_INT(read.rows[0].counted, 4);
    CHECK(read.rows[0].cells[2] == 1 && read.rows[0].cells[3] == 0);
    for (int i = 0; i < 4; i++)
        CHECK(read.rows[0].are_keys[i] == are_keys[i]);
    CHECK(read.rows[0].vectors.waits);
    text_deinit(&json);
    arena_deinit(&arena);
}

/* ---- shards ---- */

static struct direct_table table_of(struct direct_leaf *of, size_t count, uint32_t workers)
{
    struct direct_table table = {.relation = 1, .leaves = of, .leaf_count = count};

    direct_table_cut(&table, workers);
    return table;
}

/* From page 0 on, without a gap, and without an end. */
static void check_pieces(const struct direct_table *table, uint32_t first, uint32_t count,
                         uint32_t relation)
{
    uint64_t page = 0;

    for (uint32_t shard = first; shard < first + count; shard++) {
        const struct direct_piece piece = direct_table_piece(table, shard);

        CHECK_INT(piece.relation, relation);
        CHECK_INT(piece.first_page, page);
        CHECK(shard + 1 < first + count ? piece.end_page > page : piece.end_page == 0);
        page = piece.end_page;
    }
}

static void each_page_is_in_one_shard(void **state)
{
    struct direct_leaf one = {.relation = 1, .pages = 100000};
    struct direct_leaf many[] = {{5, 0, false}, {6, 70000, false}, {7, 400, false}};
    struct direct_table table = table_of(&one, 1, 4);
    (void)state;

    CHECK_INT(direct_table_shards(&table), 64);
    check_pieces(&table, 0, 64, 1);
    table = table_of(many, 3, 4); /* pages of all side by side */
    CHECK_INT(direct_table_shards(&table), 64);
    check_pieces(&table, 0, 64, 1);
    CHECK(!direct_table_piece(&table, 0).is_leaf);
    one.pages = 0; /* it may have rows by the time that it is read */
    table = table_of(&one, 1, 4);
    CHECK_INT(direct_table_shards(&table), 1);
    check_pieces(&table, 0, 1, 1);
    one.pages = UINT32_MAX;
    table = table_of(&one, 1, 4);
    CHECK(direct_table_shards(&table) <= DIRECT_SHARDS_MAX);
}

static void a_foreign_partition_is_one_shard(void **state)
{
    struct direct_leaf leaves_of[] = {{5, 1000, false}, {6, 0, true}, {7, 0, false}, {8, 0, true}};
    const struct direct_table table = table_of(leaves_of, 4, 1);
    (void)state;

    CHECK_INT(table.shard_pages, 256);
    CHECK_INT(direct_table_shards(&table), 4 + 1 + 1 + 1);
    check_pieces(&table, 0, 4, 5);
    check_pieces(&table, 4, 1, 6);
    check_pieces(&table, 5, 1, 7);
    check_pieces(&table, 6, 1, 8);
    CHECK(direct_table_piece(&table, 4).is_foreign && direct_table_piece(&table, 6).is_foreign);
    CHECK(direct_table_piece(&table, 0).is_leaf && !direct_table_piece(&table, 5).is_foreign);
}

#define ORDER(spool, table, leaves, columns, vectors, cells)                                       \
    "[{\"spool\":" spool ",\"table\":" table ",\"shard_pages\":1,\"leaves\":" leaves               \
    ",\"columns\":" columns ",\"vectors\":" vectors ",\"cells\":" cells "}]"
#define LEAF_OF(table, pages, is_foreign)                                                          \
    "[{\"table\":" table ",\"pages\":" pages ",\"foreign\":" is_foreign "}]"
#define LEAF LEAF_OF("1", "1", "false")
#define CELL "[{\"name\":\"a\",\"type\":\"real\",\"from\":0}]"
#define COUNTED(keys, behind)                                                                      \
    "[{\"spool\":\"train\",\"table\":1,\"shard_pages\":1,\"leaves\":" LEAF                         \
    ",\"columns\":[\"a\"],\"vectors\":[],\"cells\":" CELL ",\"counted\":{\"keys\":" keys           \
    ",\"behind\":" behind "}}]"

static const char *const refused[][2] = {
    {"[]", "one or two tables"},
    {"{}", "one or two tables"},
    {"[1]", ""},
    {ORDER("\"../train\"", "1", LEAF, "[\"a\"]", "[]", CELL), "not one of a job's spools"},
    {ORDER("\"train\"", "0", LEAF, "[\"a\"]", "[]", CELL), "table"},
    {ORDER("\"train\"", "4294967296", LEAF, "[\"a\"]", "[]", CELL), "table"},
    {ORDER("\"train\"", "1", "[1]", "[\"a\"]", "[]", CELL), "table"},
    {ORDER("\"train\"", "1", LEAF_OF("1.5", "1", "false"), "[\"a\"]", "[]", CELL), "table"},
    {ORDER("\"train\"", "1", LEAF_OF("1", "-1", "false"), "[\"a\"]", "[]", CELL), "pages"},
    {ORDER("\"train\"", "1", LEAF_OF("1", "4001", "false"), "[\"a\"]", "[]", CELL),
     "too many shards"},
    {ORDER("\"train\"", "1", LEAF_OF("1", "1", "true"), "[\"a\"]", "[]", CELL), "has pages"},
    {ORDER("\"train\"", "1", LEAF, "[]", "[]", CELL), "no columns"},
    {ORDER("\"train\"", "1", LEAF, "[1]", "[]", CELL), "no name"},
    {ORDER("\"train\"", "1", LEAF, "[\"a\"]", "[{\"column\":1,\"size\":1}]", CELL), "column"},
    {ORDER("\"train\"", "1", LEAF, "[\"a\"]", "[{\"column\":0,\"size\":10001}]", CELL), "size"},
    {ORDER("\"train\"", "1", LEAF, "[\"a\"]", "[{\"column\":0,\"size\":1,\"parts\":64}]", CELL),
     "parts"},
    {ORDER("\"train\"", "1", LEAF, "[\"a\"]", "[{\"column\":0,\"size\":1,\"parts\":1}]", CELL),
     "other parts than elements"},
    {ORDER("\"train\"", "1", LEAF, "[\"a\"]", "[{\"column\":0,\"size\":3,\"parts\":6}]", CELL),
     "other parts than elements"},
    {ORDER("\"train\"", "1", LEAF, "[\"a\"]",
           "[{\"column\":0,\"size\":9000},{\"column\":0,\"size\":9000}]", CELL),
     "too long"},
    {ORDER("\"train\"", "1", LEAF, "[\"a\"]",
           "[{\"column\":0,\"size\":3,\"list\":{\"form\":\"dense\",\"size\":2,\"delimiter\":\",\","
           "\"pair\":\"\"}}]",
           CELL),
     "lists of another size"},
    {ORDER("\"train\"", "1", LEAF, "[\"a\"]",
           "[{\"column\":0,\"size\":1,\"parts\":2,\"list\":{\"form\":\"dense\",\"size\":1,"
           "\"delimiter\":\",\",\"pair\":\"\"}}]",
           CELL),
     "lists of another size"},
    {ORDER("\"train\"", "1", LEAF, "[\"a\"]", "[{\"column\":0,\"size\":3,\"list\":3}]", CELL),
     "list"},
    {ORDER("\"train\"", "1", LEAF, "[\"a\"]",
           "[{\"buckets\":3,\"cross\":[{\"column\":\"a\",\"rule\":\"words\"},{\"column\":\"b\","
           "\"rule\":\"words\"}]}]",
           CELL),
     "no column of a cross"},
    {ORDER("\"train\"", "1", LEAF, "[\"a\"]", "[{\"buckets\":0,\"cross\":[{},{}]}]", CELL),
     "buckets"},
    {ORDER("\"train\"", "1", LEAF, "[\"a\"]", "[{\"buckets\":3,\"cross\":[]}]", CELL),
     "fewer than two"},
    {ORDER("\"train\"", "1", LEAF, "[\"a\"]", "[]", "[]"), "no cells"},
    {ORDER("\"train\"", "1", LEAF, "[\"a\"]", "[]",
           "[{\"name\":\"a\",\"type\":\"real\",\"from\":1}]"),
     "from"},
    {ORDER("\"train\"", "1", LEAF, "[\"a\"]", "[]",
           "[{\"name\":\"a\",\"type\":\"blob\",\"from\":0}]"),
     "no type"},
    {COUNTED("[2]", "[0]"), "is not there"},
    {COUNTED("[-1]", "[0]"), "is not there"},
    {COUNTED("[0.5]", "[0]"), "is not there"},
    {COUNTED("[\"0\"]", "[0]"), "is not there"},
    {COUNTED("[]", "[1]"), "is not there"},
    {COUNTED("[]", "7"), "behind"},
    {COUNTED("7", "[]"), "keys"},
};

static void what_does_not_fit_is_refused(void **state)
{
    struct direct_order order;
    struct error err;
    struct arena arena;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(direct_order_read(SLICE(ORDER("\"train\"", "1", LEAF, "[\"a\"]", "[]", CELL)), &arena,
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
        cmocka_unit_test(parts_of_dates_come_back),
        cmocka_unit_test(lists_come_back),
        cmocka_unit_test(a_cross_comes_back_with_the_places_of_its_columns),
        cmocka_unit_test(items_of_texts_come_back),
        cmocka_unit_test(ids_are_those_of_whole_numbers),
        cmocka_unit_test(what_is_counted_comes_back),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(each_page_is_in_one_shard),
        cmocka_unit_test(a_foreign_partition_is_one_shard),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
