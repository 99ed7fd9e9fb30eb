#include <math.h>
#include <string.h>

#include "planner/plan/vectors.h"
#include "tests/check.h"

static bool is_element(const char *name, const char *of, uint32_t wanted)
{
    struct slice vector;
    uint32_t element;

    return vector_element_name(slice_of(name), &vector, &element) && slice_is(vector, of) &&
           element == wanted;
}

static void an_element_is_a_name_and_a_number(void **state)
{
    static const char *const others[] = {"",     "v",      "[1]",   "v[0]",  "v[01]",         "v[]",
                                         "v[1",  "v1]",    "v[1] ", "v[-1]", "v[a1]",         "]",
                                         "v[x]", "v[1][]", "v[ 1]", "1]",    "v[12345678901]"};
    struct slice vector;
    uint32_t element;

    (void)state;
    CHECK(is_element("v[1]", "v", 1));
    CHECK(is_element("v[120]", "v", 120));
    CHECK(is_element("v[1][2]", "v[1]", 2));
    CHECK(is_element("a b[7]", "a b", 7));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK(!vector_element_name(slice_of(others[i]), &vector, &element));
}

static void a_row_is_spread_behind_its_cells(void **state)
{
    const double reals[] = {1.5, -2};
    const struct vector items[] = {{.name = SLICE("v"), .column = 1, .size = 2},
                                   {.name = SLICE("w"), .column = 2, .size = 1}};
    const struct vectors vectors = {items, 2, 3, 3, false};
    struct cell cells[] = {{.type = CELL_INTEGER, .integer = 7},
                           {.type = CELL_VECTOR, .text = {(const char *)reals, sizeof reals}},
                           {.type = CELL_NULL}};
    struct cell spread[6];
    struct error err;

    (void)state;
    CHECK_OK(vectors_spread(&vectors, cells, spread, &err));
    CHECK_INT(spread[0].integer, 7);
    CHECK(spread[3].type == CELL_REAL && spread[3].real == 1.5);
    CHECK(spread[4].type == CELL_REAL && spread[4].real == -2);
    CHECK_INT(spread[5].type, CELL_NULL);
    CHECK_INT(vectors_first(&vectors, vectors_find(&vectors, 2)), 5);
    CHECK(!vectors_find(&vectors, 0));
    cells[1].text.size = sizeof(double);
    CHECK_INT(vectors_spread(&vectors, cells, spread, &err), STATUS_INVALID);
    assert_string_equal(err.message,
                        "column \"v\" holds an array of 1 element, where 2 were expected");
}

static void a_date_is_spread_into_its_parts(void **state)
{
    const uint32_t parts = 1 << DATE_AGE | 1 << DATE_WEEKDAY | 1 << DATE_HOUR;
    const struct vector items[] = {{.name = SLICE("d"), .size = 3, .parts = parts}};
    struct vectors vectors = {items, 1, 1, 3, false};
    struct cell cells[] = {{.type = CELL_TEXT, .text = SLICE("2000-01-02 06:00")}};
    struct cell spread[4];
    struct error err;

    (void)state;
    CHECK_OK(vectors_spread(&vectors, cells, spread, &err));
    CHECK(spread[1].type == CELL_REAL && spread[1].real == -1.25);
    CHECK_SLICE(spread[2].text, "Sun");
    CHECK_SLICE(spread[3].text, "06");
    cells[0].type = CELL_NULL;
    CHECK_OK(vectors_spread(&vectors, cells, spread, &err));
    for (int i = 0; i < 4; i++)
        CHECK_INT(spread[i].type, CELL_NULL);
    cells[0] = (struct cell){.type = CELL_TEXT, .text = SLICE("2000-02-30")};
    CHECK_FAILS(vectors_spread(&vectors, cells, spread, &err), STATUS_INVALID,
                "column \"d\" holds '2000-02-30', where a date was expected");
    CHECK(strstr(err.hint, "VOCABULARY(d)"));
    cells[0].text = SLICE(" n/A ");
    CHECK_OK(vectors_spread(&vectors, cells, spread, &err));
    CHECK_INT(spread[1].type, CELL_NULL);
}

static void a_cross_is_one_element_of_several_cells(void **state)
{
    struct cross_column columns[] = {{.name = SLICE("site"), .cell = 1},
                                     {.name = SLICE("shown"), .cell = 0}};
    const struct cross cross = {columns, 2, 1000};
    const struct vector items[] = {{.name = SLICE("CROSS(site, shown)"),
                                    .column = VECTOR_NO_COLUMN,
                                    .size = 1,
                                    .cross = &cross}};
    const struct vectors vectors = {items, 1, 2, 1, true};
    struct cell cells[] = {{.type = CELL_TEXT, .text = SLICE("tv")},
                           {.type = CELL_TEXT, .text = SLICE("a.org")}};
    struct cell spread[3];
    struct error err;

    (void)state;
    CHECK_OK(vectors_spread(&vectors, cells, spread, &err));
    CHECK_SLICE(spread[1].text, "a.org");
    CHECK(spread[2].type == CELL_INTEGER && spread[2].integer == 481); /* test_cross.c's */
    CHECK(!vectors_find(&vectors, 0) && !vectors_find(&vectors, 1));
    cells[1].type = CELL_BLOB;
    CHECK_FAILS(vectors_spread(&vectors, cells, spread, &err), STATUS_INVALID,
                "column \"site\" holds a blob");
}

static void what_is_no_date_waits_for_the_counts(void **state)
{
    const struct vector items[] = {{.name = SLICE("d"), .size = 1, .parts = 1 << DATE_WEEKDAY}};
    const struct vectors vectors = {items, 1, 1, 1, true};
    struct cell cells[] = {{.type = CELL_TEXT, .text = SLICE("2000-02-30")}};
    struct cell spread[2];
    struct error err;

    (void)state;
    CHECK_OK(vectors_spread(&vectors, cells, spread, &err));
    CHECK_INT(spread[1].type, CELL_NULL);
    cells[0] = (struct cell){.type = CELL_INTEGER, .integer = 20000230};
    CHECK_OK(vectors_spread(&vectors, cells, spread, &err));
    CHECK_INT(spread[1].type, CELL_NULL);
    cells[0] = (struct cell){.type = CELL_TEXT, .text = SLICE("2000-01-02")};
    CHECK_OK(vectors_spread(&vectors, cells, spread, &err));
    CHECK_SLICE(spread[1].text, "Sun");
    cells[0] = (struct cell){.type = CELL_REAL, .real = INFINITY}; /* which no count shows */
    CHECK_FAILS(vectors_spread(&vectors, cells, spread, &err), STATUS_INVALID, "infinite");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_element_is_a_name_and_a_number),
        cmocka_unit_test(a_row_is_spread_behind_its_cells),
        cmocka_unit_test(a_date_is_spread_into_its_parts),
        cmocka_unit_test(a_cross_is_one_element_of_several_cells),
        cmocka_unit_test(what_is_no_date_waits_for_the_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
