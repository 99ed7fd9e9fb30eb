#include "tests/check.h"

#include <float.h>
#include <math.h>

#include "base/random.h"
#include "inputs/bounds.h"
#include "inputs/cells/cells.h"
#include "inputs/word_table.h"
#include "scoring/transform/transform.h"

static struct slice words[] = {{"red", 3}, {"green", 5}, {"", 0}};

/* age (with NULLs seen), height, colour (with NULLs seen and 2 hash buckets), size. */
static struct transform make(struct transform_input *inputs, struct arena *arena)
{
    struct transform transform = {.inputs = inputs, .input_count = 4};
    struct error err;

    inputs[0] = (struct transform_input){
        .spec.name = SLICE("age"), .has_nulls = true, .mean = 40, .scale = 10};
    inputs[1] = (struct transform_input){
        .spec.name = SLICE("height"), .mean = 0, .scale = 1, .null_value = 170};
    inputs[2] = (struct transform_input){.spec.name = SLICE("colour"),
                                         .spec.type = INPUT_CATEGORY,
                                         .has_nulls = true,
                                         .words = words,
                                         .word_count = 3,
                                         .hash_buckets = 2};
    inputs[3] = (struct transform_input){
        .spec.name = SLICE("size"), .spec.type = INPUT_CATEGORY, .words = words, .word_count = 2};
    CHECK_OK(transform_finish(&transform, arena, &err));
    return transform;
}

static void numbers_have_a_reach(void **state)
{
    struct transform_input inputs[4];
    struct transform transform;
    struct arena arena;
    double least, greatest;
    (void)state;

    arena_init(&arena, 100000);
    transform = make(inputs, &arena);
    CHECK(transform_reach(&transform, &inputs[0], &least, &greatest));
    CHECK(fabs(least + 1e19) < 1e13 && fabs(greatest - 1e19) < 1e13);
    CHECK(transform_number(&inputs[0], greatest * 2) == transform_number(&inputs[0], greatest * 9));
    CHECK(!transform_reach(&transform, &inputs[2], &least, &greatest));
    inputs[0].limit = 5;
    CHECK(!transform_reach(&transform, &inputs[0], &least, &greatest));
    transform.keeps_numbers = true;
    CHECK(transform_reach(&transform, &inputs[1], &least, &greatest));
    CHECK(greatest > 3.4e38 && greatest < 3.41e38 && least == -greatest);
    inputs[1].spec.offset = OFFSET_MARGIN;
    CHECK(!transform_reach(&transform, &inputs[1], &least, &greatest));
    inputs[1].spec.offset = OFFSET_NONE;
    inputs[1].spec.part = DATE_AGE;
    CHECK(!transform_reach(&transform, &inputs[1], &least, &greatest));
    inputs[1].spec.part = DATE_WHOLE;
    inputs[1].spec.list.form = LIST_DENSE;
    CHECK(!transform_reach(&transform, &inputs[1], &least, &greatest));
    arena_deinit(&arena);
}

static struct cell text_cell(const char *text)
{
    return (struct cell){.type = CELL_TEXT, .text = slice_of(text)};
}

static void a_row_is_laid_out_as_the_header_says(void **state)
{
    struct cell cells[] = {{.type = CELL_INTEGER, .integer = 60},
                           {.type = CELL_REAL, .real = 181.5},
                           text_cell("green"),
                           text_cell("red")};
    struct transform_input inputs[4];
    struct arena arena;
    struct error err;
    float dense[3];
    int32_t ids[2];
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    struct transform transform = make(inputs, &arena);
    CHECK_INT(transform.dense_width, 3);
    CHECK_INT(transform.id_count, 2);
    CHECK_INT(transform.id_rows, 6 + 3);
    CHECK_OK(transform_row(&transform, cells, dense, ids, &err));
    CHECK(dense[0] == 2 && dense[1] == 0 && dense[2] == 181.5f);
    CHECK_INT(ids[0], 1);
    CHECK_INT(ids[1], 6);
    arena_deinit(&arena);
}

static void null_takes_the_mean_the_is_null_input_and_the_null_bucket(void **state)
{
    struct cell cells[4] = {{.type = CELL_NULL}};
    struct transform_input inputs[4];
    struct arena arena;
    struct error err;
    float dense[3];
    int32_t ids[2];
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    struct transform transform = make(inputs, &arena);
    CHECK_OK(transform_row(&transform, cells, dense, ids, &err));
    CHECK(dense[0] == 0 && dense[1] == 1 && dense[2] == 170);
    CHECK_INT(ids[0], 5);  /* three words, two buckets, then NULL */
    CHECK_INT(ids[1], -1); /* training saw no NULL here */

    cells[0] = (struct cell){.type = CELL_REAL, .real = NAN};
    CHECK_OK(transform_row(&transform, cells, dense, ids, &err));
    CHECK(dense[0] == 0 && dense[1] == 1);

    cells[0] = (struct cell){.type = CELL_TEXT, .text = SLICE(" ")};
    CHECK_OK(transform_row(&transform, cells, dense, ids, &err));
    CHECK(dense[0] == 0 && dense[1] == 1); /* blank, as CSV has it */
    arena_deinit(&arena);
}

/* Makes the transform of a kind of model that takes numbers as they are. */
static struct transform make_kept(struct transform_input *inputs, struct arena *arena)
{
    struct transform transform = make(inputs, arena);
    struct error err;

    transform.keeps_numbers = true;
    inputs[0].mean = inputs[1].mean = 0;
    CHECK_OK(transform_finish(&transform, arena, &err));
    return transform;
}

static void numbers_can_be_kept_as_they_are(void **state)
{
    struct cell cells[] = {{.type = CELL_INTEGER, .integer = 60},
                           {.type = CELL_REAL, .real = 1e300},
                           text_cell("green"),
                           text_cell("red")};
    struct transform_input inputs[4];
    struct arena arena;
    struct error err;
    float dense[2];
    int32_t ids[2];
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    struct transform transform = make_kept(inputs, &arena);
    CHECK_INT(transform.dense_width, 2);
    CHECK_INT(transform.id_rows, 6 + 3);
    CHECK_OK(transform_row(&transform, cells, dense, ids, &err));
    CHECK(dense[0] == 60 && dense[1] == TRANSFORM_KEPT_MOST);
    CHECK_INT(ids[0], 1);
    cells[0].integer = -16777217; /* -2^24 - 1: the nearest float is even */
    cells[1].real = -1e300;
    CHECK_OK(transform_row(&transform, cells, dense, ids, &err));
    CHECK(dense[0] == -16777216 && dense[1] == -TRANSFORM_KEPT_MOST);
    cells[1].real = INFINITY;
    CHECK_INT(transform_row(&transform, cells, dense, ids, &err), STATUS_INVALID);
    arena_deinit(&arena);
}

static void numbers_that_are_kept_are_counted_from_their_origin(void **state)
{
    struct cell cells[] = {{.type = CELL_INTEGER, .integer = 1700000061},
                           {.type = CELL_NULL},
                           text_cell("green"),
                           text_cell("red")};
    struct transform_input inputs[4];
    struct arena arena;
    struct error err;
    float dense[2];
    int32_t ids[2];
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    struct transform transform = make_kept(inputs, &arena);
    CHECK(!transform_has_origins(&transform));
    inputs[0].mean = 1700000000;
    CHECK_OK(transform_finish_numbers(&transform, &arena, &err));
    CHECK(transform_has_origins(&transform));
    CHECK_OK(transform_row(&transform, cells, dense, ids, &err));
    CHECK(dense[0] == 61 && isnan(dense[1]));
    inputs[0].mean = INFINITY;
    CHECK_FAILS(transform_finish_numbers(&transform, &arena, &err), STATUS_CORRUPT,
                "column \"age\": origin inf");
    arena_deinit(&arena);
}

static void null_is_nan_among_numbers_that_are_kept(void **state)
{
    const struct cell seen[] = {{.type = CELL_NULL},
                                {.type = CELL_REAL, .real = -3.5},
                                {.type = CELL_NULL},
                                {.type = CELL_NULL}};
    const struct cell unseen[] = {
        {.type = CELL_REAL, .real = 7}, text_cell(" "), text_cell("no word"), text_cell("no word")};
    struct transform_input inputs[4];
    struct arena arena;
    struct error err;
    float dense[3]; /* a place more than there are columns */
    int32_t ids[2];
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    struct transform transform = make_kept(inputs, &arena);
    CHECK_OK(transform_row(&transform, seen, dense, ids, &err));
    CHECK(isnan(dense[0]) && dense[1] == -3.5f);
    CHECK(transform_was_null(&inputs[0], dense) && !transform_was_null(&inputs[1], dense + 1));
    CHECK_INT(ids[0], -1);
    CHECK_INT(ids[1], -1);
    CHECK_OK(transform_row(&transform, unseen, dense, ids, &err));
    CHECK(dense[0] == 7 && isnan(dense[1])); /* where training saw no NULL, too */
    CHECK(ids[0] == 3 || ids[0] == 4);       /* a hash bucket */
    CHECK_INT(ids[1], -1);
    arena_deinit(&arena);
}

static void a_code_is_no_number_that_is_kept(void **state)
{
    struct transform_input input = {
        .spec.name = SLICE("x"), .has_nulls = true, .has_code = true, .code = -999, .scale = 1};
    struct transform transform = {.inputs = &input, .input_count = 1, .keeps_numbers = true};
    struct arena arena;
    struct error err;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_INT(transform_finish(&transform, &arena, &err), STATUS_CORRUPT);
    arena_deinit(&arena);
}

static void an_unknown_word_falls_into_a_hash_bucket_or_nowhere(void **state)
{
    struct transform_input inputs[4];
    struct arena arena;
    bool is_used[2] = {false, false};
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    make(inputs, &arena);
    for (char c = 'a'; c <= 'z'; c++) {
        int32_t id = word_id(&inputs[2], (struct slice){&c, 1});
        CHECK(id == 3 || id == 4);
        is_used[id - 3] = true;
    }
    CHECK(is_used[0] && is_used[1]);
    CHECK_INT(word_id(&inputs[2], SLICE("")), 2);
    CHECK_INT(word_id(&inputs[3], SLICE("blue")), -1);
    arena_deinit(&arena);
}

static void every_word_of_a_large_vocabulary_is_found(void **state)
{
    struct transform_input input = {
        .spec.name = SLICE("id"), .spec.type = INPUT_CATEGORY, .word_count = 5000};
    struct transform transform = {.inputs = &input, .input_count = 1};
    struct arena arena;
    struct error err;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    input.words = ARENA_NEW(&arena, struct slice, 5000);
    for (int i = 0; i < 5000; i++)
        input.words[i] = arena_printf(&arena, i % 3 ? "word %d" : "a long word %d", i);
    CHECK_OK(transform_finish(&transform, &arena, &err));
    for (int i = 0; i < 5000; i++)
        CHECK_INT(word_id(&input, input.words[i]), i);
    CHECK_INT(word_id(&input, SLICE("word 1\0")), -1);
    CHECK_INT(word_id(&input, SLICE("a long word 1")), -1);
    for (uint32_t i = 0; i + WORD_TABLE_MANY <= 5000; i += 11) {
        int32_t ids[WORD_TABLE_MANY];

        word_ids(&input, input.words + i, WORD_TABLE_MANY, ids);
        for (uint32_t j = 0; j < WORD_TABLE_MANY; j++)
            CHECK_INT(ids[j], i + j);
    }
    arena_deinit(&arena);
}

/* colour, note of 5 buckets and 3 words, x, body of many. */
static struct transform make_texts(struct transform_input *inputs, struct arena *arena)
{
    struct transform transform = {.inputs = inputs, .input_count = 4};
    struct error err;

    inputs[0] = (struct transform_input){
        .spec.name = SLICE("colour"), .spec.type = INPUT_CATEGORY, .words = words, .word_count = 2};
    inputs[1] = (struct transform_input){.spec.name = SLICE("note"),
                                         .spec.type = INPUT_TEXT,
                                         .hash_buckets = 5,
                                         .spec.words_max = 3};
    inputs[2] = (struct transform_input){.spec.name = SLICE("x"), .scale = 1};
    inputs[3] = (struct transform_input){.spec.name = SLICE("body"),
                                         .spec.type = INPUT_TEXT,
                                         .hash_buckets = 1000000,
                                         .spec.words_max = 4};
    CHECK_OK(transform_finish(&transform, arena, &err));
    return transform;
}

static int32_t bucket_of(const struct transform_input *input, const char *word)
{
    return (int32_t)(input->first_id + transform_word_hash(slice_of(word)) % input->hash_buckets);
}

static void a_text_selects_a_row_for_each_of_its_words(void **state)
{
    struct cell cells[] = {text_cell("red"),
                           text_cell("one two three four five six seven"),
                           {.type = CELL_INTEGER, .integer = 7},
                           text_cell("Apples, pears: apples! PEARS")};
    struct transform_input inputs[4];
    struct arena arena;
    struct error err;
    int32_t ids[8];
    float dense[1];
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    struct transform transform = make_texts(inputs, &arena);
    CHECK_INT(transform.id_count, 1 + 3 + 4);
    CHECK_INT(transform.id_inputs, 3);
    CHECK_INT(transform.id_rows, 3 + 5 + 1000000);
    CHECK_INT(transform.text_count, 2);
    CHECK(transform.texts[0].first == 1 && transform.texts[0].count == 3);
    CHECK(transform.texts[1].first == 4 && transform.texts[1].count == 4);
    CHECK_OK(transform_row(&transform, cells, dense, ids, &err));
    CHECK(ids[0] == 0 && dense[0] == 7);
    for (int i = 1; i < 4; i++) { /* three different ones, though seven words share five buckets */
        CHECK(ids[i] >= 3 && ids[i] < 8);
        CHECK(i == 1 || ids[i] > ids[i - 1]);
    }
    CHECK(bucket_of(&inputs[3], "pears") < bucket_of(&inputs[3], "apples"));
    CHECK_INT(ids[4], bucket_of(&inputs[3], "pears")); /* whatever their order in the text is */
    CHECK_INT(ids[5], bucket_of(&inputs[3], "apples"));
    CHECK(ids[6] == -1 && ids[7] == -1);
    CHECK_INT(text_ids_used(ids + 4, 4), 2);
    CHECK_INT(text_ids_used(ids + 1, 3), 3);
    CHECK(combiner_share(COMBINER_SQRTN, 4) == 0.5f && combiner_share(COMBINER_SQRTN, 1) == 1);
    CHECK(combiner_share(COMBINER_MEAN, 4) == 0.25f && combiner_share(COMBINER_SUM, 4) == 1);
    arena_deinit(&arena);
}

static void a_text_without_words_selects_none(void **state)
{
    struct cell cells[] = {{.type = CELL_NULL},
                           {.type = CELL_NULL},
                           {.type = CELL_INTEGER, .integer = 7},
                           text_cell(" -- ")};
    struct transform_input inputs[4];
    struct arena arena;
    struct error err;
    int32_t ids[8];
    float dense[1];
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    struct transform transform = make_texts(inputs, &arena);
    CHECK_OK(transform_row(&transform, cells, dense, ids, &err));
    for (int i = 0; i < 8; i++)
        CHECK_INT(ids[i], -1);
    cells[3] = (struct cell){.type = CELL_INTEGER, .integer = 2026}; /* a number is its digits */
    CHECK_OK(transform_row(&transform, cells, dense, ids, &err));
    CHECK_INT(ids[4], bucket_of(&inputs[3], "2026"));
    cells[3] = (struct cell){.type = CELL_BLOB, .text = SLICE("a")};
    CHECK_FAILS(transform_row(&transform, cells, dense, ids, &err), STATUS_INVALID,
                "column \"body\" holds a blob, where text or a number was expected");
    arena_deinit(&arena);
}

static void texts_that_cannot_be_are_refused(void **state)
{
    static const struct transform_input wrong[] = {
        {.hash_buckets = 0, .spec.words_max = 1},
        {.hash_buckets = CATEGORY_WORDS_MAX + 1, .spec.words_max = 1},
        {.hash_buckets = 1, .spec.words_max = 0},
        {.hash_buckets = 1, .spec.words_max = TEXT_WORDS_MAX + 1},
        {.hash_buckets = 1, .spec.words_max = 1, .word_count = 1},
        {.hash_buckets = 1,
         .spec.words_max = 1,
         .spec.rule = RULE_HASH}, /* items of a list that is none */
        {.hash_buckets = 1, .spec.words_max = 1, .spec.is_weighted = true},
        {.hash_buckets = 1,
         .spec.words_max = 1,
         .spec.list = {LIST_ITEMS, 1, 0, ':', 0, false, 0, 0}},
        {.hash_buckets = 1,
         .spec.words_max = 1,
         .spec.list = {LIST_ITEMS, 2, 0, ':', 0, false, 0, 0},
         .spec.rule = RULE_ID},
        {.hash_buckets = 1,
         .spec.words_max = 1,
         .spec.list = {LIST_ITEMS, 1, 0, 0, 0, false, 0, 0},
         .spec.rule = RULE_HASH,
         .spec.is_weighted = true},
    };
    struct transform_input inputs[400];
    struct transform transform = {.inputs = inputs, .input_count = 1};
    struct arena arena;
    struct error err;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        inputs[0] = wrong[i];
        inputs[0].spec.name = SLICE("note");
        inputs[0].spec.source = wrong[i].spec.list.form ? SLICE("list") : (struct slice){NULL, 0};
        inputs[0].spec.type = INPUT_TEXT;
        CHECK_FAILS(transform_finish(&transform, &arena, &err), STATUS_CORRUPT, "\"note\"");
    }
    for (uint32_t i = 0; i < 400; i++)
        inputs[i] = (struct transform_input){.spec.name = arena_printf(&arena, "t%u", i),
                                             .spec.type = INPUT_TEXT,
                                             .hash_buckets = CATEGORY_WORDS_MAX,
                                             .spec.words_max = TEXT_WORDS_MAX};
    transform.input_count = TRANSFORM_IDS_MAX / TEXT_WORDS_MAX;
    CHECK_OK(transform_finish(&transform, &arena, &err));
    transform.input_count++;
    CHECK_FAILS(transform_finish(&transform, &arena, &err), STATUS_CORRUPT,
                "where 65536 are possible");
    transform.input_count = 400; /* the rows' numbers need more than 31 bits */
    CHECK_FAILS(transform_finish(&transform, &arena, &err), STATUS_CORRUPT, "hash buckets");
    arena_deinit(&arena);
}

static void what_cannot_be_a_transform_is_refused(void **state)
{
    struct slice twice[] = {{"a", 1}, {"b", 1}, {"a", 1}};
    struct transform_input inputs[2] = {{.spec.name = SLICE("x"), .scale = 1},
                                        {.spec.name = SLICE("x"), .scale = 1}};
    struct transform transform = {.inputs = inputs, .input_count = 2};
    struct arena arena;
    struct error err;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_FAILS(transform_finish(&transform, &arena, &err), STATUS_CORRUPT,
                "two inputs have the name \"x\"");
    inputs[1].spec.name = SLICE("y");
    inputs[1].scale = 0;
    CHECK_FAILS(transform_finish(&transform, &arena, &err), STATUS_CORRUPT, "\"y\"");
    inputs[1].scale = 1;
    inputs[1].mean = INFINITY;
    CHECK_FAILS(transform_finish(&transform, &arena, &err), STATUS_CORRUPT, "\"y\"");
    inputs[1].mean = 0;
    inputs[1].scale = INFINITY;
    CHECK_FAILS(transform_finish(&transform, &arena, &err), STATUS_CORRUPT, "scale inf");
    inputs[1].scale = 1;
    inputs[1].limit = -1;
    CHECK_FAILS(transform_finish(&transform, &arena, &err), STATUS_CORRUPT, "limit -1");
    inputs[1].limit = INFINITY;
    CHECK_FAILS(transform_finish(&transform, &arena, &err), STATUS_CORRUPT, "limit inf");
    inputs[1].limit = 0;
    inputs[1].spec.type = INPUT_CATEGORY;
    inputs[1].words = twice;
    inputs[1].word_count = 3;
    CHECK_FAILS(transform_finish(&transform, &arena, &err), STATUS_CORRUPT, "repeats \"a\"");
    inputs[1].word_count = CATEGORY_WORDS_MAX + 1;
    CHECK_FAILS(transform_finish(&transform, &arena, &err), STATUS_CORRUPT, "words");
    inputs[1].word_count = 0;
    inputs[1].hash_buckets = CATEGORY_WORDS_MAX + 1;
    CHECK_FAILS(transform_finish(&transform, &arena, &err), STATUS_CORRUPT, "hash buckets");
    transform.input_count = 0;
    CHECK_FAILS(transform_finish(&transform, &arena, &err), STATUS_CORRUPT, "not 0");
    arena_deinit(&arena);
}

static void a_number_is_read_from_text_and_refused_with_its_column(void **state)
{
    const struct slice age = SLICE("age");
    struct cell cell = text_cell(" 4.5e1 ");
    struct error err;
    double number;
    bool is_null;
    (void)state;

    CHECK_OK(cell_to_number(&cell, READING_NUMBER, age, &number, &is_null, &err));
    CHECK(number == 45 && !is_null);
    cell = text_cell("forty");
    CHECK_FAILS(cell_to_number(&cell, READING_NUMBER, age, &number, &is_null, &err), STATUS_INVALID,
                "column \"age\" holds 'forty', where a number was expected");
    cell = text_cell("nobody knows, as nobody has written it down");
    CHECK_FAILS(cell_to_number(&cell, READING_BOOLEAN, age, &number, &is_null, &err),
                STATUS_INVALID,
                "'nobody knows, as nobody has written it d...', where yes or no was expected");
    cell = text_cell("1e999");
    CHECK_FAILS(cell_to_number(&cell, READING_NUMBER, age, &number, &is_null, &err), STATUS_INVALID,
                "finite");
    cell = (struct cell){.type = CELL_REAL, .real = -INFINITY};
    CHECK_FAILS(cell_to_number(&cell, READING_NUMBER, age, &number, &is_null, &err), STATUS_INVALID,
                "column \"age\" holds an infinite number");
    cell = (struct cell){.type = CELL_REAL, .real = NAN};
    CHECK_OK(cell_to_number(&cell, READING_NUMBER, age, &number, &is_null, &err));
    CHECK(is_null);
    cell = (struct cell){.type = CELL_BLOB, .text = SLICE("1")};
    CHECK_FAILS(cell_to_number(&cell, READING_NUMBER, age, &number, &is_null, &err), STATUS_INVALID,
                "blob");
}

static void equal_numbers_are_one_word_whatever_their_type(void **state)
{
    static const struct {
        struct cell cell;
        const char *word;
    } cases[] = {
        {{.type = CELL_INTEGER, .integer = 3}, "3"},
        {{.type = CELL_REAL, .real = 3.0}, "3"},
        {{.type = CELL_TEXT, .text = {"3", 1}}, "3"},
        {{.type = CELL_REAL, .real = -0.0}, "0"},
        {{.type = CELL_REAL, .real = 0.1}, "0.1"},
        {{.type = CELL_REAL, .real = 1e18}, "1000000000000000000"},
        {{.type = CELL_REAL, .real = 1e300}, "1e+300"},
        {{.type = CELL_INTEGER, .integer = INT64_MIN}, "-9223372036854775808"},
        {{.type = CELL_REAL, .real = -0x1p62}, "-4611686018427387904"},
    };
    char buffer[TRANSFORM_WORD_BUFFER];
    struct slice word;
    struct error err;
    bool is_null;
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_OK(cell_to_word(&cases[i].cell, SLICE("x"), buffer, &word, &is_null, &err));
        CHECK(!is_null);
        CHECK_SLICE(word, cases[i].word);
    }
    struct cell infinite = {.type = CELL_REAL, .real = INFINITY};
    CHECK_FAILS(cell_to_word(&infinite, SLICE("x"), buffer, &word, &is_null, &err), STATUS_INVALID,
                "infinite");
}

static void numbers_far_out_stay_finite(void **state)
{
    struct transform_input input = {
        .spec.name = SLICE("x"), .mean = 0, .scale = 1e-300, .limit = TRANSFORM_DENSE_MAX};
    const double numbers[] = {1e300, -1e300, 0};
    float dense[6];
    (void)state;

    CHECK(transform_number(&input, 1e300) == TRANSFORM_DENSE_MAX);
    transform_numbers(&input, numbers, 3, dense, 2);
    CHECK(dense[0] == TRANSFORM_DENSE_MAX && dense[2] == -TRANSFORM_DENSE_MAX && dense[4] == 0);
}

static void a_code_is_a_missing_value(void **state)
{
    struct transform_input input = {.spec.name = SLICE("x"),
                                    .has_nulls = true,
                                    .mean = 10,
                                    .scale = 2,
                                    .null_value = 0.5f,
                                    .has_code = true,
                                    .code = -999};
    struct transform transform = {.inputs = &input, .input_count = 1};
    const struct cell cells[] = {{.type = CELL_REAL, .real = -999},
                                 {.type = CELL_INTEGER, .integer = -999},
                                 {.type = CELL_NULL},
                                 {.type = CELL_REAL, .real = 14}};
    struct arena arena;
    struct error err;
    float dense[2];
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(transform_finish(&transform, &arena, &err));
    CHECK(transform_has_codes(&transform));
    for (int i = 0; i < 4; i++) {
        CHECK_OK(transform_row(&transform, &cells[i], dense, NULL, &err));
        CHECK(dense[0] == (i < 3 ? 0.5f : 2) && dense[1] == (float)(i < 3));
    }
    input.code = INFINITY;
    CHECK_FAILS(transform_finish(&transform, &arena, &err), STATUS_CORRUPT, "code inf");
    input.code = -999, input.has_nulls = false;
    CHECK_FAILS(transform_finish(&transform, &arena, &err), STATUS_CORRUPT, "code -999");
    input.has_code = false;
    CHECK(!transform_has_codes(&transform));
    arena_deinit(&arena);
}

static void columns_taken_together_are_what_they_are_alone(void **state)
{
    enum { INPUTS = 150, ROWS = 40 };
    struct transform_input inputs[INPUTS];
    struct transform transform = {.inputs = inputs, .input_count = INPUTS};
    struct cell cells[INPUTS];
    float dense[2 * INPUTS];
    struct arena arena;
    struct error err;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    for (uint64_t i = 0; i < INPUTS; i++)
        inputs[i] = (struct transform_input){
            .spec.name = arena_printf(&arena, "x%d", (int)i),
            .has_nulls = i % 3 == 0,
            .mean = 100 * random_uniform(1, RANDOM_SAMPLE, 0, i),
            .scale = 0.1 + random_uniform(1, RANDOM_SAMPLE, 1, i),
            .null_value = (float)i,
        };
    CHECK_OK(transform_finish(&transform, &arena, &err));
    for (uint64_t row = 0; row < ROWS; row++) {
        for (uint64_t i = 0; i < INPUTS; i++) {
            const uint64_t bits = random_bits(2, RANDOM_SAMPLE, row, i);

            cells[i] = (struct cell){.type = CELL_REAL, .real = (double)(bits % 1000) / 7};
            if (bits % 5 == 0)
                cells[i].real = NAN;
            else if (bits % 7 == 0)
                cells[i] = (struct cell){.type = CELL_INTEGER, .integer = (int64_t)(bits % 50)};
        }
        CHECK_OK(transform_row(&transform, cells, dense, NULL, &err));
        for (int i = 0; i < INPUTS; i++) {
            const bool is_null = cells[i].type == CELL_REAL && isnan(cells[i].real);
            const double number =
                cells[i].type == CELL_INTEGER ? (double)cells[i].integer : cells[i].real;
            const float *at = dense + inputs[i].dense_offset;

            CHECK(at[0] == (is_null ? (float)i : transform_number(&inputs[i], number)));
            CHECK(!inputs[i].has_nulls || at[1] == (float)is_null);
        }
    }
    arena_deinit(&arena);
}

/* A search for a word that is not there ends at an empty place. */
static void a_vocabulary_of_any_size_leaves_empty_places(void **state)
{
    static const char *const absent[] = {"", "a", "b", "word 1000", "WORD 1"};
    struct error err;
    (void)state;

    for (uint32_t count = 1; count <= 300; count++) {
        struct transform_input input = {
            .spec.name = SLICE("id"), .spec.type = INPUT_CATEGORY, .word_count = count};
        struct transform transform = {.inputs = &input, .input_count = 1};
        struct arena arena;
        int32_t id;

        arena_init(&arena, ARENA_MAXIMUM);
        input.words = ARENA_NEW(&arena, struct slice, count);
        for (uint32_t i = 0; i < count; i++)
            input.words[i] = arena_printf(&arena, "word %u", i);
        CHECK_OK(transform_finish(&transform, &arena, &err));
        CHECK(input.lookup_size >= 2 * count); /* or the search below may last for ever */
        for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
            CHECK_INT(word_id(&input, slice_of(absent[i])), -1);
        word_ids(&input, input.words, 1, &id);
        CHECK_INT(id, 0);
        arena_deinit(&arena);
    }
}

/* x, then age, weekday and hour of signup. */
static void make_dated(struct transform *transform, struct transform_input *inputs,
                       struct arena *arena)
{
    static struct slice weekdays[] = {{"Mon", 3}, {"Wed", 3}}, hours[] = {{"07", 2}, {"12", 2}};
    static const enum date_part parts[] = {DATE_WHOLE, DATE_AGE, DATE_WEEKDAY, DATE_HOUR};
    static const char *const names[] = {"x", "signup.age", "signup.weekday", "signup.hour"};
    struct error err;

    for (int i = 0; i < 4; i++)
        inputs[i] = (struct transform_input){.spec.name = slice_of(names[i]),
                                             .spec.part = parts[i],
                                             .spec.source = slice_of(i ? "signup" : ""),
                                             .spec.type = i < 2 ? INPUT_NUMERIC : INPUT_CATEGORY,
                                             .has_nulls = i > 0,
                                             .scale = 2};
    inputs[2].words = weekdays;
    inputs[3].words = hours;
    inputs[2].word_count = inputs[3].word_count = 2;
    *transform = (struct transform){.inputs = inputs, .input_count = 4};
    CHECK_OK(transform_finish(transform, arena, &err));
}

static void parts_of_a_date_are_read_from_one_cell(void **state)
{
    struct cell cells[] = {text_cell("2024-01-31 12:00"), text_cell("2024-01-31 12:00")};
    struct transform_input inputs[4];
    struct transform transform;
    struct arena arena;
    struct error err;
    float dense[3];
    int32_t ids[2];
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    make_dated(&transform, inputs, &arena);
    CHECK_INT(transform.column_count, 2);
    CHECK_SLICE(transform.columns[0], "x");
    CHECK_SLICE(transform.columns[1], "signup");
    cells[0] = (struct cell){.type = CELL_REAL, .real = 3};
    CHECK_OK(transform_row(&transform, cells, dense, ids, &err));
    CHECK(dense[0] == 1.5f && dense[1] == -8796.5f / 2 && dense[2] == 0);
    CHECK(ids[0] == 1 && ids[1] == 3 + 1); /* two words and NULL come before */
    cells[1] = (struct cell){.type = CELL_NULL};
    CHECK_OK(transform_row(&transform, cells, dense, ids, &err));
    CHECK(dense[1] == 0 && dense[2] == 1 && ids[0] == 2 && ids[1] == 5);
    cells[1] = text_cell("2024-02-30");
    CHECK_FAILS(transform_row(&transform, cells, dense, ids, &err), STATUS_INVALID,
                "column \"signup\" holds '2024-02-30', where a date was expected");
    arena_deinit(&arena);
}

static void parts_lie_side_by_side_each_once(void **state)
{
    struct transform_input inputs[4], one;
    struct transform transform;
    struct arena arena;
    struct error err;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    make_dated(&transform, inputs, &arena);
    one = inputs[0];
    inputs[0] = inputs[1];
    inputs[1] = one;
    CHECK_FAILS(transform_finish(&transform, &arena, &err), STATUS_CORRUPT, "two columns");
    make_dated(&transform, inputs, &arena);
    inputs[3].spec.part = DATE_WEEKDAY;
    CHECK_FAILS(transform_finish(&transform, &arena, &err), STATUS_CORRUPT, "two columns");
    make_dated(&transform, inputs, &arena);
    inputs[2].spec.type = INPUT_NUMERIC;
    CHECK_FAILS(transform_finish(&transform, &arena, &err), STATUS_CORRUPT, "no part of a column");
    make_dated(&transform, inputs, &arena);
    inputs[0].spec.name = SLICE("signup"); /* the column itself beside its parts */
    CHECK_OK(transform_finish(&transform, &arena, &err));
    CHECK_INT(transform.column_count, 1);
    arena_deinit(&arena);
}

/* age as it is, its bucket and its id; site by its hash. */
static void make_ruled(struct transform *transform, struct transform_input *inputs,
                       struct arena *arena)
{
    static const double bounds[] = {30, 50};
    static struct slice buckets[] = {{"low", 3}, {"middle", 6}, {"high", 4}};
    struct error err;

    *transform = (struct transform){.inputs = inputs, .input_count = 4};
    inputs[0] = (struct transform_input){.spec.name = SLICE("age"), .scale = 1, .has_nulls = true};
    inputs[1] = (struct transform_input){.spec.name = SLICE("BUCKET(age)"),
                                         .spec.type = INPUT_CATEGORY,
                                         .spec.rule = RULE_BUCKET,
                                         .spec.source = SLICE("age"),
                                         .has_nulls = true,
                                         .words = buckets,
                                         .word_count = 3,
                                         .spec.bounds = bounds,
                                         .spec.bound_count = 2};
    inputs[2] = (struct transform_input){.spec.name = SLICE("CATEGORY_ID(age)"),
                                         .spec.type = INPUT_CATEGORY,
                                         .spec.rule = RULE_ID,
                                         .spec.source = SLICE("age"),
                                         .has_nulls = true,
                                         .hash_buckets = 100};
    inputs[3] = (struct transform_input){.spec.name = SLICE("CATEGORY_HASH(site)"),
                                         .spec.type = INPUT_CATEGORY,
                                         .spec.rule = RULE_HASH,
                                         .spec.source = SLICE("site"),
                                         .hash_buckets = 7};
    CHECK_OK(transform_finish(transform, arena, &err));
}

/* DENSE(v, 2) with a bucket beside it, and SPARSE(s, 3). */
static void make_lists(struct transform *transform, struct transform_input *inputs)
{
    static const struct cell_list dense = {LIST_DENSE, 2, ',', 0, 0, false, 0, 0},
                                  sparse = {LIST_SPARSE, 3, 0, ':', 0, false, 0, 0};
    static const char *const names[] = {"v[1]", "v[2]", "CATEGORY_HASH(v)", "s[0]", "s[1]", "s[2]"};

    for (uint32_t i = 0; i < 6; i++)
        inputs[i] = (struct transform_input){.spec.name = slice_of(names[i]),
                                             .spec.source = i < 3 ? SLICE("v") : SLICE("s"),
                                             .spec.list = i < 2 ? dense : sparse,
                                             .spec.element = i < 2 ? i : i - 3,
                                             .mean = i,
                                             .scale = 1};
    inputs[1].has_nulls = true;
    inputs[2] = (struct transform_input){.spec.name = slice_of(names[2]),
                                         .spec.type = INPUT_CATEGORY,
                                         .spec.rule = RULE_HASH,
                                         .spec.source = SLICE("v"),
                                         .hash_buckets = 5};
    *transform = (struct transform){.inputs = inputs, .input_count = 6};
}

static void the_numbers_of_a_list_are_inputs(void **state)
{
    struct cell cells[] = {text_cell("10, 20"), text_cell("2:0.5 1")};
    struct transform_input inputs[6];
    struct transform transform;
    struct arena arena;
    struct error err;
    float dense[6];
    int32_t ids[1];
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    make_lists(&transform, inputs);
    CHECK_OK(transform_finish(&transform, &arena, &err));
    CHECK_INT(transform.column_count, 2);
    CHECK_SLICE(transform.columns[0], "v");
    CHECK_SLICE(transform.columns[1], "s");
    CHECK_OK(transform_row(&transform, cells, dense, ids, &err));
    CHECK(dense[0] == 10 && dense[1] == 19 && dense[2] == 0);
    CHECK(dense[3] == -3 && dense[4] == -3 && dense[5] == -4.5f);
    CHECK(ids[0] >= 0);
    cells[0] = cells[1] = (struct cell){.type = CELL_NULL};
    CHECK_OK(transform_row(&transform, cells, dense, ids, &err));
    CHECK(dense[0] == 0 && dense[1] == 0 && dense[2] == 1);
    CHECK(dense[3] == -3 && dense[4] == -4 && dense[5] == -5);
    CHECK_INT(ids[0], -1);
    cells[0] = text_cell("10");
    CHECK_FAILS(transform_row(&transform, cells, dense, ids, &err), STATUS_INVALID,
                "column \"v\" holds '10', where a list of 2 numbers");
    arena_deinit(&arena);
}

static void a_list_with_other_inputs_is_refused(void **state)
{
    struct transform_input inputs[6];
    struct transform transform;
    struct arena arena;
    struct error err;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
#define REFUSED(change)                                                                            \
    make_lists(&transform, inputs);                                                                \
    change;                                                                                        \
    CHECK_FAILS(transform_finish(&transform, &arena, &err), STATUS_CORRUPT,                        \
                "is not the next number of a list")
    REFUSED(transform.input_count = 5);
    REFUSED(inputs[0].spec.element = 1);
    REFUSED(inputs[1].spec.element = 0);
    REFUSED(inputs[1].spec.list.delimiter = ';');
    REFUSED(inputs[1].spec.list.form = LIST_NONE);
    REFUSED(inputs[1].spec.source = SLICE("w"));
    REFUSED(inputs[4] = inputs[2]);
    REFUSED(inputs[0].spec.source = inputs[1].spec.source = SLICE(""));
    REFUSED(inputs[0].spec.list.delimiter = inputs[1].spec.list.delimiter = '.');
    REFUSED(inputs[0].spec.list.size = inputs[1].spec.list.size = 0);
    REFUSED(inputs[5].spec.type = INPUT_CATEGORY);
    REFUSED(inputs[2].spec.list = inputs[0].spec.list);
#undef REFUSED
    arena_deinit(&arena);
}

static void several_inputs_are_made_of_one_column(void **state)
{
    static const struct {
        double age;
        int32_t bucket;
    } cases[] = {{0, 0}, {29, 0}, {30, 1}, {49, 1}, {50, 2}, {99, 2}};
    struct cell cells[] = {{.type = CELL_INTEGER}, text_cell("a.org")};
    struct transform_input inputs[4];
    struct transform transform;
    struct arena arena;
    struct error err;
    float dense[2];
    int32_t ids[3];
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    make_ruled(&transform, inputs, &arena);
    CHECK_INT(transform.column_count, 2);
    CHECK_SLICE(transform.columns[0], "age");
    CHECK_SLICE(transform.columns[1], "site");
    CHECK(transform.has_rules && transform.has_parts);
    CHECK_INT(transform.id_rows, 4 + 101 + 8);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cells[0] = (struct cell){.type = CELL_REAL, .real = cases[i].age};
        CHECK_OK(transform_row(&transform, cells, dense, ids, &err));
        CHECK(dense[0] == (float)cases[i].age);
        CHECK_INT(ids[0], cases[i].bucket);
        CHECK_INT(ids[1], 4 + (int)cases[i].age);
        CHECK_INT(ids[2], 105 + transform_word_hash(SLICE("a.org")) % 7);
    }
    cells[0] = (struct cell){.type = CELL_NULL};
    cells[1] = (struct cell){.type = CELL_NULL};
    CHECK_OK(transform_row(&transform, cells, dense, ids, &err));
    CHECK_INT(ids[0], 3);
    CHECK_INT(ids[1], 4 + 100);
    CHECK_INT(ids[2], -1); /* training saw none */
    arena_deinit(&arena);
}

static void what_is_no_id_is_refused(void **state)
{
    static const double numbers[] = {-1, 100, 2.5, 1e300};
    struct cell cells[] = {{.type = CELL_INTEGER}, text_cell("a.org")};
    struct transform_input inputs[4];
    struct transform transform;
    struct arena arena;
    struct error err;
    float dense[2];
    int32_t ids[3];
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    make_ruled(&transform, inputs, &arena);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        cells[0] = (struct cell){.type = CELL_REAL, .real = numbers[i]};
        CHECK_FAILS(transform_row(&transform, cells, dense, ids, &err), STATUS_INVALID,
                    "where a whole number from 0 to 99 was expected");
    }
    cells[0] = text_cell("7");
    CHECK_OK(transform_row(&transform, cells, dense, ids, &err));
    CHECK_INT(ids[1], 4 + 7);
    arena_deinit(&arena);
}

static void rules_without_what_they_need_are_refused(void **state)
{
    static const double falling[] = {50, 30}, infinite[] = {30, INFINITY};
    struct transform_input inputs[4];
    struct transform transform;
    struct arena arena;
    struct error err;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    for (int i = 0; i < 7; i++) {
        make_ruled(&transform, inputs, &arena);
        switch (i) {
        case 0:
            inputs[1].spec.bounds = falling;
            break;
        case 1:
            inputs[1].spec.bounds = infinite;
            break;
        case 2:
            inputs[1].spec.bound_count = 1;
            break;
        case 3:
            inputs[1].hash_buckets = 1;
            break;
        case 4:
            inputs[2].hash_buckets = 0;
            break;
        case 5:
            inputs[3].words = words, inputs[3].word_count = 1;
            break;
        default:
            inputs[1].spec.rule = RULE_WORDS;
        }
        CHECK_FAILS(transform_finish(&transform, &arena, &err), STATUS_CORRUPT,
                    "without what its rule needs");
    }
    make_ruled(&transform, inputs, &arena);
    inputs[3].spec.source = SLICE("age");
    CHECK_OK(transform_finish(&transform, &arena, &err));
    inputs[1].spec.source = SLICE("site"); /* not beside the other inputs of its column */
    CHECK_FAILS(transform_finish(&transform, &arena, &err), STATUS_CORRUPT, "two columns");
    arena_deinit(&arena);
}

/* site; a cross of it and of shown, which is no other input; a cross of shown and age. */
static void make_crossed(struct transform *transform, struct transform_input inputs[3],
                         struct cross crosses[2], struct cross_column columns[4])
{
    columns[0] = (struct cross_column){.name = SLICE("site")};
    columns[1] = (struct cross_column){.name = SLICE("shown")};
    columns[2] = (struct cross_column){.name = SLICE("shown")};
    columns[3] = (struct cross_column){.name = SLICE("age"), .rule = RULE_ID, .rows = 100};
    crosses[0] = (struct cross){columns, 2, 1000};
    crosses[1] = (struct cross){columns + 2, 2, 50};
    inputs[0] = (struct transform_input){
        .spec.name = SLICE("site"), .spec.type = INPUT_CATEGORY, .words = words, .word_count = 2};
    for (int i = 0; i < 2; i++)
        inputs[1 + i] = (struct transform_input){.spec.name = i ? SLICE("second") : SLICE("first"),
                                                 .spec.type = INPUT_CATEGORY,
                                                 .spec.rule = RULE_CROSS,
                                                 .spec.cross = &crosses[i],
                                                 .hash_buckets = crosses[i].buckets};
    *transform = (struct transform){.inputs = inputs, .input_count = 3};
}

static void a_cross_takes_the_cells_of_its_columns(void **state)
{
    const struct cell cells[] = {
        text_cell("a.org"), text_cell("tv"), {.type = CELL_REAL, .real = 7}};
    struct cell others[] = {cells[0], cells[1], {.type = CELL_REAL, .real = 100}};
    struct transform_input inputs[3];
    struct cross_column columns[4];
    struct transform transform;
    struct cross crosses[2];
    struct arena arena;
    struct error err;
    uint32_t second;
    int32_t ids[3];
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    make_crossed(&transform, inputs, crosses, columns);
    CHECK_OK(transform_finish(&transform, &arena, &err));
    CHECK_INT(transform.column_count, 3);
    CHECK_SLICE(transform.columns[1], "shown");
    CHECK_SLICE(transform.columns[2], "age");
    CHECK(transform.has_crosses && transform.has_rules && transform.has_parts);
    CHECK(transform_input_takes(&inputs[0], 0) && !transform_input_takes(&inputs[0], 1));
    CHECK(transform_input_takes(&inputs[1], 0) && !transform_input_takes(&inputs[1], 2));
    CHECK_INT(transform.id_rows, 3 + 1001 + 51);
    CHECK_OK(transform_row(&transform, cells, NULL, ids, &err));
    CHECK_INT(ids[1], 3 + 481); /* the number that test_cross.c has */
    CHECK_OK(cross_bucket(&crosses[1], cells, &second, &err));
    CHECK_INT(ids[2], 3 + 1001 + second);
    CHECK_FAILS(transform_row(&transform, others, NULL, ids, &err), STATUS_INVALID,
                "column \"age\" holds 100");
    arena_deinit(&arena);
}

static void crosses_that_cannot_be_are_refused(void **state)
{
    static const char *const messages[] = {"follows a cross", "what its rule needs",
                                           "what its rule needs", "what its rule needs",
                                           "two inputs"};
    struct transform_input inputs[3], first;
    struct cross_column columns[4];
    struct transform transform;
    struct cross crosses[2];
    struct arena arena;
    struct error err;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    for (int i = 0; i < 5; i++) {
        make_crossed(&transform, inputs, crosses, columns);
        first = inputs[0];
        if (i == 0)
            inputs[0] = inputs[1], inputs[1] = first;
        inputs[2].has_nulls = i == 1;
        inputs[2].hash_buckets += i == 2;
        inputs[2].spec.rule = i == 3 ? RULE_WORDS : RULE_CROSS;
        inputs[2].spec.name = i == 4 ? inputs[1].spec.name : inputs[2].spec.name;
        if (i == 3)
            inputs[2].spec.bound_count = 1;
        CHECK_FAILS(transform_finish(&transform, &arena, &err), STATUS_CORRUPT, messages[i]);
    }
    arena_deinit(&arena);
}

static void members_of_a_concat_that_are_unlike_are_refused(void **state)
{
    struct transform_input inputs[4];
    struct transform transform;
    struct arena arena;
    struct error err;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    transform = make(inputs, &arena);
    CHECK(!transform_has_concats(&transform));
    inputs[2].spec.concat = inputs[3].spec.concat = (struct concat){1, COMBINER_MEAN};
    CHECK_OK(transform_finish(&transform, &arena, &err));
    CHECK(transform_has_concats(&transform));
    CHECK(transform_concat_first(&transform, &inputs[3]) == &inputs[2]);
    CHECK_INT(transform_concat_size(&transform, &inputs[2]), 2);
    CHECK_INT(transform_concat_size(&transform, &inputs[1]), 1);
    inputs[3].spec.dimension = 4;
    CHECK_FAILS(transform_finish(&transform, &arena, &err), STATUS_CORRUPT,
                "\"size\" is unlike the others of its CONCAT");
    inputs[2].spec.dimension = 4;
    CHECK_OK(transform_finish(&transform, &arena, &err));
    inputs[3].spec.model_part = PART_LINEAR;
    CHECK_FAILS(transform_finish(&transform, &arena, &err), STATUS_CORRUPT, "\"size\" is unlike");
    inputs[3].spec.model_part = PART_DNN;
    CHECK_OK(transform_finish(&transform, &arena, &err));
    inputs[1].spec.concat.number = 2;
    CHECK_FAILS(transform_finish(&transform, &arena, &err), STATUS_CORRUPT, "\"height\" is unlike");
    arena_deinit(&arena);
}

static void buckets_are_called_by_their_bounds(void **state)
{
    static const double bounds[] = {-0.5, 30};
    static const char *const names[] = {"(-inf, -0.5)", "[-0.5, 30)", "[30, inf)"};
    struct arena arena;
    struct slice name;
    struct error err;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_OK(transform_bucket_name(bounds, 2, i, &arena, &name, &err));
        CHECK_SLICE(name, names[i]);
    }
    CHECK_OK(transform_bucket_name(bounds, 0, 0, &arena, &name, &err));
    CHECK_SLICE(name, "(-inf, inf)");
    arena_deinit(&arena);
}

/* An exposure among the columns, and a number that has a rest. */
static void an_offset_lies_behind_all_features(void **state)
{
    struct transform_input inputs[] = {
        {.spec.name = SLICE("e"), .spec.offset = OFFSET_EXPOSURE, .scale = 1},
        {.spec.name = SLICE("x"), .mean = 1, .scale = 2, .has_nulls = true},
    };
    struct transform transform = {.inputs = inputs, .input_count = 2, .has_rests = true};
    struct cell cells[] = {{.type = CELL_REAL, .real = 3}, {.type = CELL_INTEGER, .integer = 7}};
    struct arena arena;
    struct error err;
    float dense[5];
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(transform_finish(&transform, &arena, &err));
    CHECK_INT(transform.dense_width, 5);
    CHECK_INT(transform_features(&transform), 2);
    CHECK(transform_offset_input(&transform) == &inputs[0]);
    CHECK_OK(transform_row(&transform, cells, dense, NULL, &err));
    CHECK(dense[0] == 3 && dense[1] == 0 && dense[2] == 0);
    CHECK(fabs(transform_offset(&transform, dense) - log(3)) < 1e-15);
    CHECK(transform_offset_of_0(&transform) == 0);
    arena_deinit(&arena);
}

static void a_row_without_an_offset_is_refused(void **state)
{
    struct transform_input inputs[] = {
        {.spec.name = SLICE("x"), .scale = 1},
        {.spec.name = SLICE("o"), .spec.offset = OFFSET_ADDED, .mean = 10, .scale = 1},
    };
    struct transform transform = {.inputs = inputs, .input_count = 2, .keeps_numbers = true};
    struct cell cells[] = {{.type = CELL_REAL, .real = 3}, {.type = CELL_INTEGER, .integer = 7}};
    struct arena arena;
    struct error err;
    float dense[2];
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(transform_finish(&transform, &arena, &err));
    CHECK_OK(transform_row(&transform, cells, dense, NULL, &err));
    CHECK(dense[0] == 3 && transform_offset(&transform, dense) == -3);
    CHECK(transform_offset_of_0(&transform) == -10);
    cells[1] = (struct cell){.type = CELL_NULL};
    CHECK_FAILS(transform_row(&transform, cells, dense, NULL, &err), STATUS_INVALID,
                "offset column \"o\" is NULL");
    inputs[1].spec.offset = OFFSET_EXPOSURE;
    cells[1] = (struct cell){.type = CELL_REAL, .real = 0};
    CHECK_FAILS(transform_row(&transform, cells, dense, NULL, &err), STATUS_INVALID,
                "exposure column \"o\" is 0, and exposures are above 0");
    arena_deinit(&arena);
}

static void what_is_no_offset_is_refused(void **state)
{
    struct transform_input inputs[] = {
        {.spec.name = SLICE("x"), .scale = 1, .spec.offset = OFFSET_ADDED},
        {.spec.name = SLICE("o"), .scale = 1, .spec.offset = OFFSET_ADDED},
    };
    struct transform transform = {.inputs = inputs, .input_count = 2};
    struct arena arena;
    struct error err;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_INT(transform_finish(&transform, &arena, &err), STATUS_CORRUPT);
    inputs[0].spec.offset = OFFSET_NONE;
    CHECK_OK(transform_finish(&transform, &arena, &err));
    inputs[1].has_nulls = true;
    CHECK_INT(transform_finish(&transform, &arena, &err), STATUS_CORRUPT);
    arena_deinit(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_numbers_of_a_list_are_inputs),
        cmocka_unit_test(a_list_with_other_inputs_is_refused),
        cmocka_unit_test(several_inputs_are_made_of_one_column),
        cmocka_unit_test(what_is_no_id_is_refused),
        cmocka_unit_test(rules_without_what_they_need_are_refused),
        cmocka_unit_test(a_cross_takes_the_cells_of_its_columns),
        cmocka_unit_test(crosses_that_cannot_be_are_refused),
        cmocka_unit_test(members_of_a_concat_that_are_unlike_are_refused),
        cmocka_unit_test(buckets_are_called_by_their_bounds),
        cmocka_unit_test(an_offset_lies_behind_all_features),
        cmocka_unit_test(a_row_without_an_offset_is_refused),
        cmocka_unit_test(what_is_no_offset_is_refused),
        cmocka_unit_test(a_row_is_laid_out_as_the_header_says),
        cmocka_unit_test(parts_of_a_date_are_read_from_one_cell),
        cmocka_unit_test(parts_lie_side_by_side_each_once),
        cmocka_unit_test(null_takes_the_mean_the_is_null_input_and_the_null_bucket),
        cmocka_unit_test(numbers_can_be_kept_as_they_are),
        cmocka_unit_test(numbers_that_are_kept_are_counted_from_their_origin),
        cmocka_unit_test(null_is_nan_among_numbers_that_are_kept),
        cmocka_unit_test(a_code_is_no_number_that_is_kept),
        cmocka_unit_test(an_unknown_word_falls_into_a_hash_bucket_or_nowhere),
        cmocka_unit_test(every_word_of_a_large_vocabulary_is_found),
        cmocka_unit_test(a_text_selects_a_row_for_each_of_its_words),
        cmocka_unit_test(a_text_without_words_selects_none),
        cmocka_unit_test(texts_that_cannot_be_are_refused),
        cmocka_unit_test(what_cannot_be_a_transform_is_refused),
        cmocka_unit_test(a_number_is_read_from_text_and_refused_with_its_column),
        cmocka_unit_test(equal_numbers_are_one_word_whatever_their_type),
        cmocka_unit_test(numbers_far_out_stay_finite),
        cmocka_unit_test(a_code_is_a_missing_value),
        cmocka_unit_test(columns_taken_together_are_what_they_are_alone),
        cmocka_unit_test(numbers_have_a_reach),
        cmocka_unit_test(a_vocabulary_of_any_size_leaves_empty_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
