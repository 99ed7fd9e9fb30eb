#include <stdio.h>

#include "extension/engine/score/explain/bucket_words.h"
#include "inputs/cells/cells.h"
#include "tests/check.h"

#define INPUTS 8 /* x, TEXT(a, 5), TEXT(b, 2) */

static struct cell text_cell(const char *text)
{
    return (struct cell){.type = CELL_TEXT, .text = slice_of(text)};
}

static void put_text(struct transform_input *inputs, uint32_t first, const char *column,
                     uint32_t buckets, uint32_t words_max)
{
    static const char *const names[] = {"a[0]", "a[1]", "a[2]", "a[3]", "a[4]", "b[0]", "b[1]"};

    for (uint32_t i = 0; i < buckets; i++)
        inputs[1 + first + i] =
            (struct transform_input){.spec.name = slice_of(names[first + i]),
                                     .spec.source = slice_of(column),
                                     .spec.list = {LIST_WORDS, buckets, 0, 0, words_max},
                                     .spec.element = i,
                                     .scale = 1};
}

static void make(struct transform *transform, struct transform_input *inputs, struct arena *arena)
{
    struct error err;

    inputs[0] = (struct transform_input){.spec.name = SLICE("x"), .scale = 1};
    put_text(inputs, 0, "a", 5, 1000);
    put_text(inputs, 5, "b", 2, 1);
    *transform = (struct transform){.inputs = inputs, .input_count = INPUTS};
    CHECK_OK(transform_finish(transform, arena, &err));
}

static const struct {
    const char *a, *b;
} rows[] = {{"Ship ship, harbour", "oven"},
            {"harbour ship 1 2 3 4 5 6 7 8 9 10 11 12", "oven flour"},
            {NULL, ""},
            {"", NULL}};
#define ROWS (sizeof rows / sizeof *rows)

static enum status add_rows(struct bucket_words *words, bool backwards, struct error *err)
{
    for (size_t i = 0; i < ROWS; i++) {
        const size_t row = backwards ? ROWS - 1 - i : i;
        const struct cell cells[] = {
            {.type = CELL_REAL, .real = 1},
            rows[row].a ? text_cell(rows[row].a) : (struct cell){.type = CELL_NULL},
            rows[row].b ? text_cell(rows[row].b) : (struct cell){.type = CELL_NULL}};

        TRY(bucket_words_add(words, cells, err));
    }
    return bucket_words_sort(words, err);
}

/* "x: NULL", ... of all inputs. */
static enum status describe(const struct transform *transform, bool backwards, struct text *out,
                            struct error *err)
{
    struct bucket_words words;
    enum status status = bucket_words_init(&words, transform, err);
    struct arena arena;

    arena_init(&arena, 10000);
    if (status == STATUS_OK)
        status = add_rows(&words, backwards, err);
    for (uint32_t i = 0; i < INPUTS && status == STATUS_OK; i++) {
        struct cell name;

        status = bucket_words_name(&words, i, &arena, &name, err);
        if (status == STATUS_OK)
            text_printf(out, "%u: %s\n", i, name.type == CELL_TEXT ? name.text.data : "NULL");
    }
    bucket_words_deinit(&words);
    arena_deinit(&arena);
    return status;
}

/* Is "3: ship 3, 4 1" said of input 3, or more behind it? */
static bool holds(const struct text *described, uint32_t input, const char *name)
{
    char line[100];

    snprintf(line, sizeof line, "%u: %s", input, name);
    return strstr(text_string(described), line) != NULL;
}

static void the_most_frequent_words_of_a_bucket_are_named_in_any_order_of_the_rows(void **state)
{
    struct transform_input inputs[INPUTS];
    struct transform transform;
    struct text one, other;
    struct arena arena;
    struct error err;
    uint32_t oven;
    (void)state;

    arena_init(&arena, 10000);
    make(&transform, inputs, &arena);
    text_init(&one, 10000);
    text_init(&other, 10000);
    CHECK_OK(describe(&transform, false, &one, &err));
    CHECK_OK(describe(&transform, true, &other, &err));
    CHECK(slice_equal(text_slice(&one), text_slice(&other)));
    CHECK(holds(&one, 0, "NULL\n"));
    CHECK(holds(&one, 1 + (uint32_t)(transform_word_hash(SLICE("ship")) % 5), "ship 3, "));
    CHECK(strstr(text_string(&one), "harbour 2, ") && strstr(text_string(&one), " more\n"));
    oven = (uint32_t)(transform_word_hash(SLICE("oven")) % 2);
    CHECK(holds(&one, 6 + oven, "oven 2\n") && holds(&one, 7 - oven, "NULL\n"));
    text_deinit(&one);
    text_deinit(&other);
    arena_deinit(&arena);
}

static enum status add_numbers(struct bucket_words *words, uint32_t first, uint32_t count,
                               struct error *err)
{
    struct cell cells[] = {{.type = CELL_NULL}, {.type = CELL_NULL}, {.type = CELL_NULL}};
    enum status status;
    struct text text;

    text_init(&text, 10000);
    for (uint32_t i = 0; i < count; i++)
        text_printf(&text, "%u ", first + i);
    cells[1] = text_cell(text_string(&text));
    status = bucket_words_add(words, cells, err);
    text_deinit(&text);
    return status;
}

static void of_too_many_words_none_is_named(void **state)
{
    struct transform_input inputs[INPUTS];
    struct cell name = {.type = CELL_REAL};
    struct transform transform;
    struct bucket_words words;
    struct arena arena;
    struct error err;
    (void)state;

    arena_init(&arena, 10000);
    make(&transform, inputs, &arena);
    CHECK_OK(bucket_words_init(&words, &transform, &err));
    for (uint32_t i = 0; i < BUCKET_WORDS_MAX; i += 1024)
        CHECK_OK(add_numbers(&words, i, 1024, &err));
    CHECK(!words.is_full);
    CHECK_OK(add_numbers(&words, BUCKET_WORDS_MAX, 1, &err));
    CHECK(words.is_full);
    CHECK_OK(add_numbers(&words, 0, 1, &err));
    CHECK_OK(bucket_words_sort(&words, &err));
    CHECK_OK(bucket_words_name(&words, 1, &arena, &name, &err));
    CHECK_INT(name.type, CELL_NULL);
    bucket_words_deinit(&words);
    arena_deinit(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_most_frequent_words_of_a_bucket_are_named_in_any_order_of_the_rows),
        cmocka_unit_test(of_too_many_words_none_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
