#include "inputs/cell_list.h"

#include <math.h>

#include "inputs/cell_list_json.h"
#include "inputs/cells/cells.h"
#include "tests/check.h"

static struct cell text_cell(const char *text)
{
    return (struct cell){.type = CELL_TEXT, .text = slice_of(text)};
}

static const struct cell_list three = {LIST_DENSE, 3, ',', 0, 0, false, 0, 0};
static const struct cell_list blanks = {LIST_DENSE, 3, ' ', 0, 0, false, 0, 0};
static const struct cell_list five = {LIST_SPARSE, 5, 0, ':', 0, false, 0, 0};
static const struct cell_list bars = {LIST_SPARSE, 5, '|', '=', 0, false, 0, 0};

static const struct cell_list words = {LIST_WORDS, 5, 0, 0, 3, false, 0, 0};

static void a_text_is_read_as_a_list(void **state)
{
    static const struct {
        const struct cell_list *list;
        const char *text;
        double numbers[5];
    } cases[] = {
        {&three, "1.5, 2,-3", {1.5, 2, -3}},
        {&three, "  1e3 ,\t2 , 3\n", {1000, 2, 3}},
        {&blanks, "1  2\t3", {1, 2, 3}},
        {&five, "3,1", {0, 1, 0, 1, 0}},
        {&five, "3 1", {0, 1, 0, 1, 0}},
        {&five, " 3 , 1 ", {0, 1, 0, 1, 0}},
        {&five, ",3,,1,", {0, 1, 0, 1, 0}},
        {&five, "3,3,3:0.5", {0, 0, 0, 2.5, 0}},
        {&five, "0:-2 4:1e-3", {-2, 0, 0, 0, 1e-3}},
        {&five, "", {0, 0, 0, 0, 0}},
        {&five, " \t", {0, 0, 0, 0, 0}},
        {&five, ",", {0, 0, 0, 0, 0}},
        {&bars, "1=2|1 = 3| 4", {0, 5, 0, 0, 1}},
    };
    double numbers[5];
    struct error err;
    bool is_null;
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct cell cell = text_cell(cases[i].text);

        CHECK_OK(cell_list_read(&cell, cases[i].list, SLICE("c"), numbers, &is_null, &err));
        CHECK(!is_null);
        assert_memory_equal(numbers, cases[i].numbers, cases[i].list->size * sizeof *numbers);
    }
}

/* Where its words are does not count, and those behind the last different one that fits neither. */
static void the_words_of_a_text_are_counted(void **state)
{
    static const struct cell_list many = {LIST_WORDS, 2000, 0, 0, 3, false, 0, 0};
    static const char *const alike[] = {"ship, Harbour; ship!", "HARBOUR\tship ship"};
    const struct cell null = {.type = CELL_NULL}, seven = {.type = CELL_INTEGER, .integer = 7};
    double numbers[2000], sum = 0;
    struct cell cell;
    struct error err;
    bool is_null;
    (void)state;

    for (size_t i = 0; i < 2; i++) {
        cell = text_cell(alike[i]);
        CHECK_OK(cell_list_read(&cell, &many, SLICE("c"), numbers, &is_null, &err));
        CHECK(!is_null && numbers[transform_word_hash(SLICE("ship")) % 2000] == 2 &&
              numbers[transform_word_hash(SLICE("harbour")) % 2000] == 1);
    }
    cell = text_cell("a a b a c a d a");
    CHECK_OK(cell_list_read(&cell, &many, SLICE("c"), numbers, &is_null, &err));
    for (size_t i = 0; i < 2000; i++)
        sum += numbers[i];
    CHECK(sum == 5 && numbers[transform_word_hash(SLICE("d")) % 2000] == 0);
    CHECK_OK(cell_list_read(&null, &words, SLICE("c"), numbers, &is_null, &err));
    for (size_t i = 0; i < 5; i++)
        CHECK(!is_null && numbers[i] == 0);
    CHECK_OK(cell_list_read(&seven, &words, SLICE("c"), numbers, &is_null, &err));
    CHECK(numbers[transform_word_hash(SLICE("7")) % 5] == 1);
    cell = (struct cell){.type = CELL_BLOB, .text = SLICE("ship")};
    CHECK_FAILS(cell_list_read(&cell, &words, SLICE("c"), numbers, &is_null, &err), STATUS_INVALID,
                "holds a blob");
}

static void another_text_is_refused(void **state)
{
    static const struct {
        const struct cell_list *list;
        const char *text, *message;
    } cases[] = {
        {&three, "1,2", "column \"c\" holds '1,2', where a list of 3 numbers, separated by \",\","},
        {&three, "1,2,3,4", "a list of 3 numbers"},
        {&three, "1,2,3,", "a list of 3 numbers"},
        {&three, "1,,3", "a list of 3 numbers"},
        {&three, "1,x,3", "a list of 3 numbers"},
        {&three, "1,nan,3", "a list of 3 numbers"},
        {&three, "1,1e999,3", "a list of 3 numbers"},
        {&three, "1 2 3", "a list of 3 numbers"},
        {&blanks, "1,2,3", "separated by \" \""},
        {&five, "5", "a list of ids from 0 to 4, or of id:number, was expected"},
        {&five, "-1", "a list of ids"},
        {&five, "1.0", "a list of ids"},
        {&five, "99999999999999999999", "a list of ids"},
        {&five, "1:", "a list of ids"},
        {&five, ":1", "a list of ids"},
        {&five, "1:x", "a list of ids"},
        {&five, "1:1e999", "a list of ids"},
        {&five, "1:1e308 1:1e308", "a list of ids"},
        {&bars, "1=2,2", "or of id=number, separated by \"|\","},
    };
    double numbers[5];
    struct error err;
    bool is_null;
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct cell cell = text_cell(cases[i].text);

        CHECK_FAILS(cell_list_read(&cell, cases[i].list, SLICE("c"), numbers, &is_null, &err),
                    STATUS_INVALID, cases[i].message);
    }
}

static void other_cells_are_lists_too(void **state)
{
    const double array[] = {7, 8, 9};
    struct cell cell = {.type = CELL_NULL};
    double numbers[5];
    struct error err;
    bool is_null;
    (void)state;

    CHECK_OK(cell_list_read(&cell, &three, SLICE("c"), numbers, &is_null, &err));
    CHECK(is_null);
    CHECK_OK(cell_list_read(&cell, &five, SLICE("c"), numbers, &is_null, &err));
    CHECK(!is_null && numbers[0] == 0 && numbers[4] == 0);
    cell = text_cell(" ");
    CHECK_OK(cell_list_read(&cell, &three, SLICE("c"), numbers, &is_null, &err));
    CHECK(is_null);
    cell = (struct cell){.type = CELL_INTEGER, .integer = 2};
    CHECK_OK(cell_list_read(&cell, &five, SLICE("c"), numbers, &is_null, &err));
    CHECK(numbers[2] == 1);
    cell = (struct cell){.type = CELL_REAL, .real = 2.5};
    CHECK_FAILS(cell_list_read(&cell, &five, SLICE("c"), numbers, &is_null, &err), STATUS_INVALID,
                "holds 2.5");
    cell = (struct cell){.type = CELL_VECTOR, .text = {(const char *)array, sizeof array}};
    CHECK_OK(cell_list_read(&cell, &three, SLICE("c"), numbers, &is_null, &err));
    CHECK(numbers[0] == 7 && numbers[2] == 9);
    CHECK_FAILS(cell_list_read(&cell, &five, SLICE("c"), numbers, &is_null, &err), STATUS_INVALID,
                "holds an array");
    cell.text.size -= sizeof *array;
    CHECK_FAILS(cell_list_read(&cell, &three, SLICE("c"), numbers, &is_null, &err), STATUS_INVALID,
                "holds an array");
    cell = (struct cell){.type = CELL_BLOB, .text = SLICE("1,2,3")};
    CHECK_FAILS(cell_list_read(&cell, &three, SLICE("c"), numbers, &is_null, &err), STATUS_INVALID,
                "holds a blob");
}

static void a_list_has_delimiters_that_no_item_has(void **state)
{
    static const struct cell_list fitting[] = {{LIST_DENSE, 1, ',', 0, 0, false, 0, 0},
                                               {LIST_DENSE, 2000, '\t', 0, 0, false, 0, 0},
                                               {LIST_SPARSE, 7, 0, ':', 0, false, 0, 0},
                                               {LIST_WORDS, 2000, 0, 0, 1024, false, 0, 0}};
    static const struct cell_list others[] = {{LIST_NONE, 1, ',', 0, 0, false, 0, 0},
                                              {LIST_DENSE, 0, ',', 0, 0, false, 0, 0},
                                              {LIST_DENSE, 2001, ',', 0, 0, false, 0, 0},
                                              {LIST_DENSE, 3, '.', 0, 0, false, 0, 0},
                                              {LIST_DENSE, 3, '-', 0, 0, false, 0, 0},
                                              {LIST_DENSE, 3, 'e', 0, 0, false, 0, 0},
                                              {LIST_DENSE, 3, '7', 0, 0, false, 0, 0},
                                              {LIST_DENSE, 3, '\n', 0, 0, false, 0, 0},
                                              {LIST_DENSE, 3, (char)200, 0, 0, false, 0, 0},
                                              {LIST_DENSE, 3, ',', ':', 0, false, 0, 0},
                                              {LIST_SPARSE, 3, ',', 0, 0, false, 0, 0},
                                              {LIST_SPARSE, 3, ':', ':', 0, false, 0, 0},
                                              {LIST_SPARSE, 3, 0, 'x', 0, false, 0, 0},
                                              {(enum list_form)7, 3, ',', 0, 0, false, 0, 0},
                                              {LIST_WORDS, 3, 0, 0, 0, false, 0, 0},
                                              {LIST_WORDS, 3, 0, 0, 1025, false, 0, 0},
                                              {LIST_WORDS, 3, ' ', 0, 3, false, 0, 0},
                                              {LIST_WORDS, 2001, 0, 0, 3, false, 0, 0},
                                              {LIST_DENSE, 3, ',', 0, 1, false, 0, 0}};
    (void)state;

    for (size_t i = 0; i < sizeof fitting / sizeof *fitting; i++)
        CHECK(cell_list_fits(&fitting[i]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK(!cell_list_fits(&others[i]));
}

/* The list that the JSON has; INVALID as CORRUPT. */
static enum status read_json(const char *json, struct cell_list *list, struct error *err)
{
    enum status status;
    cJSON *object;

    TRY(json_parse(slice_of(json), JSON_BYTES_MAX, &object, err));
    status = cell_list_get(object, list, err);
    cJSON_Delete(object);
    return status;
}

static void a_list_reads_back_from_json(void **state)
{
    const struct cell_list *lists[] = {&three, &blanks, &five, &bars, &words};
    (void)state;

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        cJSON *object = cJSON_CreateObject();
        struct cell_list again;
        struct error err;
        struct text json;

        text_init(&json, 1000);
        cell_list_write(lists[i], object);
        CHECK_OK(json_print(object, false, &json, &err));
        CHECK_OK(read_json(text_string(&json), &again, &err));
        CHECK(cell_list_equal(&again, lists[i]));
        text_deinit(&json);
        cJSON_Delete(object);
    }
}

static void other_json_is_no_list(void **state)
{
    static const struct {
        const char *json, *message;
    } cases[] = {
        {"{}", "\"list\""},
        {"{\"list\":7}", "\"list\""},
        {"{\"list\":{\"size\":3}}", "\"form\""},
        {"{\"list\":{\"form\":\"x\",\"size\":3,\"delimiter\":\",\",\"pair\":\"\"}}",
         "no such lists"},
        {"{\"list\":{\"form\":\"dense\",\"size\":0,\"delimiter\":\",\",\"pair\":\"\"}}",
         "\"size\""},
        {"{\"list\":{\"form\":\"dense\",\"size\":2001,\"delimiter\":\",\",\"pair\":\"\"}}",
         "\"size\""},
        {"{\"list\":{\"form\":\"dense\",\"size\":1e300,\"delimiter\":\",\",\"pair\":\"\"}}",
         "\"size\""},
        {"{\"list\":{\"form\":\"none\",\"size\":3,\"delimiter\":\",\",\"pair\":\"\"}}",
         "cannot be read"},
        {"{\"list\":{\"form\":\"sparse\",\"size\":3,\"delimiter\":\",\",\"pair\":\"\"}}",
         "cannot be read"},
        {"{\"list\":{\"form\":\"dense\",\"size\":3,\"delimiter\":\",,\",\"pair\":\"\"}}",
         "one byte or none"},
        {"{\"list\":{\"form\":\"dense\",\"size\":3,\"delimiter\":\"1\",\"pair\":\"\"}}",
         "cannot be read"},
        {"{\"list\":{\"form\":\"dense\",\"size\":3,\"delimiter\":7,\"pair\":\"\"}}",
         "\"delimiter\""},
        {"{\"list\":{\"form\":\"dense\",\"size\":3,\"delimiter\":\",\",\"pair\":\"::\"}}",
         "one byte or none"},
        {"{\"list\":{\"form\":\"dense\",\"size\":3,\"delimiter\":\",\",\"pair\":\"\",\"more\":7}}",
         "cannot be read"},
        {"{\"list\":{\"form\":\"dense\",\"size\":3}}", "\"delimiter\""},
    };
    struct cell_list list;
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_FAILS(read_json(cases[i].json, &list, &err), STATUS_CORRUPT, cases[i].message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_read_as_a_list),
        cmocka_unit_test(the_words_of_a_text_are_counted),
        cmocka_unit_test(another_text_is_refused),
        cmocka_unit_test(other_cells_are_lists_too),
        cmocka_unit_test(a_list_has_delimiters_that_no_item_has),
        cmocka_unit_test(a_list_reads_back_from_json),
        cmocka_unit_test(other_json_is_no_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
