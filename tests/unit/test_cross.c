/* Several columns, one bucket: numbers of another implementation (cross_reference.py), for ever. */
#include "inputs/cross.h"

#include <string.h>

#include "base/json.h"
#include "inputs/cells/cells.h"
#include "tests/check.h"

static struct cell text_cell(const char *text)
{
    return (struct cell){.type = CELL_TEXT, .text = slice_of(text)};
}

static struct cell number_cell(double number)
{
    return (struct cell){.type = CELL_REAL, .real = number};
}

static const struct cell null_cell = {.type = CELL_NULL};

/* Two columns as they are, the second one first in the row. */
static struct cross plain(struct cross_column columns[2])
{
    columns[0] = (struct cross_column){.name = SLICE("site"), .cell = 1};
    columns[1] = (struct cross_column){.name = SLICE("shown"), .cell = 0};
    return (struct cross){columns, 2, 1000};
}

/* A bucket, an id and a hash bucket. */
static struct cross ruled(struct cross_column columns[3])
{
    static const double bounds[] = {30, 50};

    columns[0] = (struct cross_column){.name = SLICE("age"),
                                       .cell = 0,
                                       .rule = RULE_BUCKET,
                                       .reading = READING_SEPARATED,
                                       .bounds = bounds,
                                       .bound_count = 2};
    columns[1] =
        (struct cross_column){.name = SLICE("shop"), .cell = 1, .rule = RULE_ID, .rows = 30};
    columns[2] =
        (struct cross_column){.name = SLICE("site"), .cell = 2, .rule = RULE_HASH, .rows = 5};
    return (struct cross){columns, 3, 97};
}

static uint32_t bucket_of(const struct cross *cross, const struct cell *cells)
{
    uint32_t bucket = UINT32_MAX;
    struct error err;

    CHECK_OK(cross_bucket(cross, cells, &bucket, &err));
    return bucket;
}

static void values_have_the_buckets_of_the_reference(void **state)
{
    struct cross_column columns[2];
    const struct cross cross = plain(columns);
    const struct {
        struct cell shown, site;
        uint32_t bucket;
    } cases[] = {
        {text_cell("tv"), text_cell("a.org"), 481}, {text_cell("a.org"), text_cell("tv"), 634},
        {number_cell(-1.5), number_cell(3), 465},   {text_cell("-1.5"), text_cell("3"), 465},
        {text_cell("tv"), null_cell, 813},          {null_cell, null_cell, 848},
        {text_cell("tv"), text_cell(""), 14},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_INT(bucket_of(&cross, (struct cell[]){cases[i].shown, cases[i].site}),
                  cases[i].bucket);
}

static void what_rules_make_of_values_is_hashed(void **state)
{
    struct cross_column columns[3];
    const struct cross cross = ruled(columns);
    (void)state;

    CHECK_INT(transform_word_hash(SLICE("s7.org")) % 5, 0);
    /* The reference has the texts "1", "7", "3" and so on. */
    columns[2].rule = RULE_WORDS;
    CHECK_INT(bucket_of(&cross, (struct cell[]){number_cell(30), number_cell(7), text_cell("3")}),
              85);
    CHECK_INT(bucket_of(&cross, (struct cell[]){text_cell(" 49 "), text_cell("7"), number_cell(3)}),
              85);
    CHECK_INT(
        bucket_of(&cross, (struct cell[]){text_cell("-1,000"), number_cell(0), number_cell(4)}),
        63);
    CHECK_INT(bucket_of(&cross, (struct cell[]){number_cell(1e9), number_cell(29), null_cell}), 26);
    columns[2].rule = RULE_HASH;
    CHECK_INT(
        bucket_of(&cross, (struct cell[]){number_cell(1), number_cell(0), text_cell("s7.org")}),
        bucket_of(&cross, (struct cell[]){number_cell(1), text_cell("0"), text_cell("s7.org")}));
}

static void cells_that_no_rule_takes_are_refused(void **state)
{
    struct cross_column columns[3];
    const struct cross cross = ruled(columns);
    struct cell cells[] = {text_cell("old"), number_cell(1), text_cell("a")};
    struct error err;
    uint32_t bucket;
    (void)state;

    CHECK_FAILS(cross_bucket(&cross, cells, &bucket, &err), STATUS_INVALID,
                "column \"age\" holds 'old', where a number was expected");
    cells[0] = number_cell(1), cells[1] = number_cell(30);
    CHECK_FAILS(cross_bucket(&cross, cells, &bucket, &err), STATUS_INVALID,
                "column \"shop\" holds 30, where a whole number from 0 to 29 was expected");
    cells[1] = number_cell(1), cells[2] = (struct cell){.type = CELL_BLOB};
    CHECK_FAILS(cross_bucket(&cross, cells, &bucket, &err), STATUS_INVALID,
                "column \"site\" holds a blob");
}

/* Writes it and reads it back. */
static struct cross *read_back(const struct cross *cross, struct arena *arena)
{
    cJSON *object = cJSON_CreateObject(), *again = NULL;
    struct cross *read = NULL;
    struct error err;
    struct text json;

    text_init(&json, 10000);
    json_add(object, "cross", cross_to_json(cross));
    CHECK_OK(json_print(object, false, &json, &err));
    CHECK_OK(json_parse(text_slice(&json), 10000, &again, &err));
    CHECK_OK(cross_from_json(again, "cross", cross->buckets, arena, &read, &err));
    cJSON_Delete(object);
    cJSON_Delete(again);
    text_deinit(&json);
    return read;
}

static void a_cross_is_copied_and_read_back_the_same(void **state)
{
    struct cross_column columns[3], others[3];
    const struct cross cross = ruled(columns);
    struct cross other = ruled(others);
    struct arena arena;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    CHECK(cross_equal(&cross, read_back(&cross, &arena)));
    CHECK(cross_equal(&cross, cross_copy(&cross, &arena)));
    CHECK(cross_equal(NULL, NULL) && !cross_equal(&cross, NULL) && !cross_equal(NULL, &cross));
    other.buckets = 98;
    CHECK(!cross_equal(&cross, &other));
    other = ruled(others);
    other.count = 2;
    CHECK(!cross_equal(&cross, &other));
    other = ruled(others);
    others[0].bounds = (const double[]){30, 51};
    CHECK(!cross_equal(&cross, &other));
    other = ruled(others);
    others[1].rows = 31;
    CHECK(!cross_equal(&cross, &other));
    other = ruled(others);
    others[1].name = SLICE("another");
    CHECK(!cross_equal(&cross, &other));
    other = ruled(others);
    others[2].rule = RULE_WORDS;
    CHECK(!cross_equal(&cross, &other));
    other = ruled(others);
    others[0].reading = READING_STRICT;
    CHECK(!cross_equal(&cross, &other));
    other = ruled(others);
    others[0].bound_count = 1;
    CHECK(!cross_equal(&cross, &other));
    arena_deinit(&arena);
}

static void what_cannot_be_a_cross_is_refused(void **state)
{
    static const struct {
        const char *json, *message;
    } cases[] = {
        {"{}", "\"cross\""},
        {"{\"cross\":1}", "\"cross\""},
        {"{\"cross\":[{\"column\":\"a\"}]}", "fewer than two columns"},
        {"{\"cross\":[{\"column\":\"a\"},{}]}", "\"rule\""},
        {"{\"cross\":[1,2]}", "has no name"},
        {"{\"cross\":[{\"column\":1},{\"column\":\"a\"}]}", "\"column\""},
        {"{\"cross\":[{\"column\":\"a\",\"rule\":\"x\"},{\"column\":\"a\"}]}", "unknown rule"},
        {"{\"cross\":[{\"column\":\"a\",\"rule\":\"cross\"},{\"column\":\"a\"}]}",
         "a rule that it cannot have"},
        {"{\"cross\":[{\"column\":\"a\",\"rule\":\"words\",\"reading\":\"boolean\"},{\"column\":"
         "\"a\"}]}",
         "a rule that it cannot have"},
        {"{\"cross\":[{\"column\":\"a\",\"rule\":\"id\"},{\"column\":\"a\"}]}", "\"rows\""},
        {"{\"cross\":[{\"column\":\"a\",\"rule\":\"hash\",\"rows\":0},{\"column\":\"a\"}]}",
         "\"rows\""},
        {"{\"cross\":[{\"column\":\"a\",\"rule\":\"bucket\"},{\"column\":\"a\"}]}", "\"bounds\""},
        {"{\"cross\":[{\"column\":\"a\",\"rule\":\"bucket\",\"bounds\":[]},{\"column\":\"a\"}]}",
         "bounds that do not ascend"},
        {"{\"cross\":[{\"column\":\"a\",\"rule\":\"bucket\",\"bounds\":[2,1]},{\"column\":\"a\"}]}",
         "bounds that do not ascend"},
        {"{\"cross\":[{\"column\":\"a\",\"rule\":\"bucket\",\"bounds\":[\"x\"]},{}]}",
         "a bound that is no number"},
        {"{\"cross\":[{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}]}", "\"cross\""},
    };
    struct cross *cross;
    struct arena arena;
    struct error err;
    cJSON *json;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_OK(json_parse(slice_of(cases[i].json), 10000, &json, &err));
        CHECK_FAILS(cross_from_json(json, "cross", 7, &arena, &cross, &err), STATUS_CORRUPT,
                    cases[i].message);
        cJSON_Delete(json);
    }
    arena_deinit(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_have_the_buckets_of_the_reference),
        cmocka_unit_test(what_rules_make_of_values_is_hashed),
        cmocka_unit_test(cells_that_no_rule_takes_are_refused),
        cmocka_unit_test(a_cross_is_copied_and_read_back_the_same),
        cmocka_unit_test(what_cannot_be_a_cross_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
