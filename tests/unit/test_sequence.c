/* Sequences: what their items are, which of them count, and what words and numbers become. */
#include "inputs/sequence.h"

#include <math.h>
#include <string.h>

#include "inputs/encoders.h"
#include "inputs/word_table.h"
#include "tests/check.h"

static const struct cell_list commas = {.form = LIST_SEQUENCE, .size = 3};
static const struct cell_list semicolons = {.form = LIST_SEQUENCE, .size = 3, .delimiter = ';'};
static const struct cell_list steps = {.form = LIST_STEPS, .size = 3};

/* The items, with | between them and ~ for a null; "!" at the end of what is no sequence. */
static void check_items(struct slice text, const struct cell_list *list, const char *wanted)
{
    struct sequence sequence = sequence_of(text, list);
    enum list_next next;
    struct slice item;
    struct text found;
    uint32_t count = 0, counted;

    text_init(&found, TEXT_MAXIMUM);
    while ((next = sequence_next(&sequence, &item)) == LIST_ITEM) {
        text_append_string(&found, count++ > 0 ? "|" : "");
        text_append(&found, item.data ? item : SLICE("~"));
    }
    text_append_string(&found, next == LIST_END ? "" : "!");
    CHECK_SLICE(text_slice(&found), wanted);
    CHECK_INT(sequence_count(text, list, &counted), next == LIST_END);
    CHECK_INT(counted, count);
    text_deinit(&found);
}

static void items_stand_between_delimiters_or_in_arrays(void **state)
{
    static const struct {
        const char *text, *wanted;
    } cases[] = {
        {"", ""},
        {"  ", ""},
        {"a", "a"},
        {"a, b c", "a|b|c"},
        {"a,,b", "a|b"},
        {"[]", ""},
        {"{ }", ""},
        {"[1, 2.5 ,-3]", "1|2.5|-3"},
        {"{1,2,NULL}", "1|2|~"},
        {"{a,\"b c\",\"d,\\\"e\\\\\"}", "a|b c|d,\"e\\"},
        {"[\"a\", null, \"null\"]", "a|~|null"},
        {"[\"\"]", ""},
        {"[\"\\u00e9\\n\\/\", \"\\ud83d\\ude00\", \"\\u20AC\"]",
         "\xc3\xa9\n/|\xf0\x9f\x98\x80|\xe2\x82\xac"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_items(slice_of(cases[i].text), &commas, cases[i].wanted);
    check_items(SLICE("red wine; beer"), &semicolons, "red wine|beer");
    check_items(SLICE("[\"red wine\", \"b;c\"]"), &semicolons, "red wine|b;c");
}

static void what_is_no_array_though_it_begins_as_one_is_refused(void **state)
{
    static const char *const texts[] = {"[",
                                        "{",
                                        "[1",
                                        "[1,",
                                        "[1,]",
                                        "[,1]",
                                        "[1,,2]",
                                        "[1] 2",
                                        "[1}",
                                        "[[1]]",
                                        "[{\"a\": 1}]",
                                        "{\"a\": 1}",
                                        "[\"a",
                                        "[\"a\" \"b\"]",
                                        "[\"a\"b]",
                                        "[a\"b\"]",
                                        "[\"\\x\"]",
                                        "[\"\\",
                                        "[\"\\u12\"]",
                                        "[\"\\u12g4\"]",
                                        "[\"\\u0000\"]",
                                        "[\"\\ud800\"]",
                                        "[\"\\ud800\\u0041\"]",
                                        "[\"\\ude00\"]"};
    double numbers[3];
    uint32_t count;
    (void)state;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (sequence_count(slice_of(texts[i]), &commas, &count))
            check_failed("%s is taken for a sequence", texts[i]);
        CHECK(!sequence_numbers(slice_of(texts[i]), &steps, numbers));
        CHECK(!list_items_fit(&commas, 0, slice_of(texts[i])));
    }
}

/* Bytes are bytes: no text is read beyond its end, whatever is in it. */
static void hostile_texts_end_where_they_end(void **state)
{
    static char deep[100000], many[200000], quoted[SEQUENCE_WORD_MAX + 8];
    struct sequence zero;
    struct slice item;
    uint32_t count;
    (void)state;

    memset(deep, '[', sizeof deep);
    CHECK(!sequence_count((struct slice){deep, sizeof deep}, &commas, &count));
    for (size_t i = 0; i < sizeof many; i++)
        many[i] = i % 2 ? ',' : 'x';
    CHECK(sequence_count((struct slice){many, sizeof many}, &commas, &count));
    CHECK_INT(count, sizeof many / 2);
    zero = sequence_of((struct slice){"a\0b,c", 5}, &commas);
    CHECK_INT(sequence_next(&zero, &item), LIST_ITEM);
    CHECK(slice_equal(item, (struct slice){"a\0b", 3}));
    CHECK_INT(sequence_next(&zero, &item), LIST_ITEM);
    CHECK_SLICE(item, "c");
    check_items((struct slice){"[\"\xff\xfe\", \xc3]", 9}, &commas, "\xff\xfe|\xc3");
    CHECK(!sequence_count((struct slice){"[\"a\\\0\"]", 7}, &commas, &count));
    memset(quoted, 'a', sizeof quoted);
    memcpy(quoted, "[\"\\n", 4), memcpy(quoted + sizeof quoted - 2, "\"]", 2);
    CHECK(!sequence_count((struct slice){quoted, sizeof quoted}, &commas, &count));
    memcpy(quoted, "[\"aa", 4);
    CHECK(sequence_count((struct slice){quoted, sizeof quoted}, &commas, &count));
}

static void check_numbers(const char *text, double a, double b, double c)
{
    const double wanted[] = {a, b, c};
    double found[3];

    CHECK(sequence_numbers(slice_of(text), &steps, found));
    for (int i = 0; i < 3; i++)
        CHECK(isnan(wanted[i]) ? isnan(found[i]) : found[i] >= wanted[i] && found[i] <= wanted[i]);
}

static void the_last_numbers_are_kept_and_stand_at_the_end(void **state)
{
    static const char *const wrong[] = {"1,x", "1e400", "[1e400, 1]", "[\"a\"]", "nan,1", "{inf}"};
    static const double doubles[] = {1, 2, 3, 4};
    double found[3];
    (void)state;

    check_numbers("1,2,3", 1, 2, 3);
    check_numbers("1,2,3,4,5", 3, 4, 5);
    check_numbers("7", NAN, NAN, 7);
    check_numbers("", NAN, NAN, NAN);
    check_numbers("[null, \" 2 \"]", NAN, NAN, 2);
    check_numbers("{4,NULL}", NAN, 4, NAN);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(!sequence_numbers(slice_of(wrong[i]), &steps, found));
    sequence_array((const char *)doubles, 4, &steps, found);
    CHECK(found[0] >= 2 && found[0] <= 2 && found[2] >= 4);
    sequence_array((const char *)doubles, 1, &steps, found);
    CHECK(isnan(found[0]) && isnan(found[1]) && found[2] <= 1);
    sequence_array(NULL, 0, &steps, found);
    CHECK(isnan(found[2]));
}

static void a_cell_of_numbers_is_read_or_refused_by_name(void **state)
{
    static const double doubles[] = {1, 2};
    struct cell array = {.type = CELL_VECTOR, .text = {(const char *)doubles, sizeof doubles}};
    const struct cell text = {.type = CELL_TEXT, .text = SLICE("[1, 2")};
    const struct cell blank = {.type = CELL_TEXT, .text = SLICE(" ")};
    double numbers[3];
    struct error err;
    bool is_null;
    (void)state;

    CHECK_OK(cell_list_read(&array, &steps, SLICE("c"), numbers, &is_null, &err));
    CHECK(!is_null && isnan(numbers[0]) && numbers[2] >= 2);
    array.integer = VECTOR_HAS_NULLS;
    CHECK_FAILS(cell_list_read(&array, &steps, SLICE("c"), numbers, &is_null, &err), STATUS_INVALID,
                "column \"c\" holds an array, where a sequence of numbers was expected");
    CHECK_FAILS(cell_list_read(&text, &steps, SLICE("c"), numbers, &is_null, &err), STATUS_INVALID,
                "column \"c\" holds '[1, 2', where a sequence of numbers was expected");
    CHECK_OK(cell_list_read(&blank, &steps, SLICE("c"), numbers, &is_null, &err));
    CHECK(is_null);
}

/* ---- words ---- */

static struct transform_input words_input(struct arena *arena, uint32_t hash_buckets)
{
    static struct slice words[] = {SLICE("a"), SLICE("b"), SLICE("c")};
    struct transform_input input = {.spec = {.name = SLICE("SEQUENCE(c)"),
                                             .source = SLICE("c"),
                                             .type = INPUT_TEXT,
                                             .rule = RULE_SEQUENCE,
                                             .combiner = COMBINER_MEAN,
                                             .words_max = 3,
                                             .list = {.form = LIST_SEQUENCE, .size = 3}},
                                    .words = words,
                                    .word_count = 3,
                                    .hash_buckets = hash_buckets,
                                    .first_id = 100};
    struct error err;

    input.encoder = encoder_of(&input.spec);
    CHECK(input.encoder == &sequence_encoder);
    CHECK_OK(word_table_make(&input, arena, &err));
    return input;
}

static void check_ids(const struct transform_input *input, const char *text, int32_t a, int32_t b,
                      int32_t c)
{
    int32_t ids[3];

    CHECK(input->encoder->text_ids(input, slice_of(text), ids));
    CHECK_INT(ids[0], a);
    CHECK_INT(ids[1], b);
    CHECK_INT(ids[2], c);
}

static void the_last_words_select_rows_by_the_vocabulary(void **state)
{
    struct transform_input input;
    struct arena arena;
    int32_t ids[3];
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    input = words_input(&arena, 0);
    check_ids(&input, "c,a,b", 100, 101, 102);
    check_ids(&input, "a,a", 100, 100, -1);
    check_ids(&input, "a,b,b,c", 101, 101, 102);
    check_ids(&input, "[\"a\", null]", 100, -1, -1);
    check_ids(&input, "never,b", 101, -1, -1);
    check_ids(&input, "", -1, -1, -1);
    CHECK(!input.encoder->text_ids(&input, SLICE("[a"), ids));
    input = words_input(&arena, 1);
    check_ids(&input, "never,b", 101, 103, -1);
    CHECK_INT(input.encoder->size(&input, false).id_rows, 4);
    CHECK_INT(input.encoder->size(&input, false).ids, 3);
    input.word_count = input.hash_buckets = 0;
    CHECK_INT(input.encoder->size(&input, false).id_rows, 1);
    arena_deinit(&arena);
}

struct taken {
    struct text words;
    uint32_t most;
};

static enum status take_word(void *self, struct slice word, struct error *err)
{
    struct taken *taken = self;

    if (taken->most-- == 0)
        return fail(err, STATUS_LIMIT, "enough");
    text_append(&taken->words, word);
    text_append_string(&taken->words, ";");
    return STATUS_OK;
}

/* Words that no row keeps are in no vocabulary. */
static void the_words_that_are_kept_are_counted(void **state)
{
    struct transform_input input;
    struct taken taken = {.most = 3};
    struct arena arena;
    struct error err;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    input = words_input(&arena, 0);
    text_init(&taken.words, TEXT_MAXIMUM);
    CHECK_OK(input.encoder->each_word(&input.spec, SLICE("x,a,null,c"), take_word, &taken, &err));
    CHECK_SLICE(text_slice(&taken.words), "a;null;c;");
    CHECK_FAILS(input.encoder->each_word(&input.spec, SLICE("a"), take_word, &taken, &err),
                STATUS_LIMIT, "enough");
    CHECK_FAILS(input.encoder->each_word(&input.spec, SLICE("[a"), take_word, &taken, &err),
                STATUS_CORRUPT, "column \"c\": a text that is no sequence");
    text_deinit(&taken.words);
    arena_deinit(&arena);
}

static void a_stored_sequence_has_what_it_needs(void **state)
{
    const struct transform_input *input;
    struct transform_input other;
    struct arena arena;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    other = words_input(&arena, 0);
    input = &other;
    CHECK(input->encoder->fits(input));
#define FITS_NOT(member, value)                                                                    \
    other = words_input(&arena, 0), other.member = (value);                                        \
    CHECK(!sequence_encoder.fits(input))
    FITS_NOT(spec.list.form, LIST_ITEMS);
    FITS_NOT(spec.is_weighted, true);
    FITS_NOT(spec.words_max, 0);
    FITS_NOT(spec.words_max, TEXT_WORDS_MAX + 1);
    FITS_NOT(spec.words_max, 2);
    FITS_NOT(word_count, CATEGORY_WORDS_MAX + 1);
    FITS_NOT(hash_buckets, CATEGORY_WORDS_MAX + 1);
#undef FITS_NOT
    arena_deinit(&arena);
}

static void people_read_what_it_is(void **state)
{
    struct transform_input input;
    struct arena arena;
    struct text out;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&out, TEXT_MAXIMUM);
    input = words_input(&arena, 2);
    input.spec.vocabulary_max = 10;
    input.encoder->explain(&input.spec, &out);
    CHECK_SLICE(text_slice(&out), ", a sequence, the last 3 of its words, of up to 10 different "
                                  "ones, by their mean");
    text_clear(&out);
    input.encoder->describe(&input, false, &out);
    CHECK_SLICE(text_slice(&out), ", a sequence, the last 3 of its words, 2 hash buckets beside "
                                  "them, by their mean");
    text_deinit(&out);
    arena_deinit(&arena);
}

static void encoders_that_models_name_are_found_by_name(void **state)
{
    (void)state;
    CHECK(encoder_find(SLICE("sequence")) == &sequence_encoder);
    CHECK(encoder_find(SLICE("sequence of numbers")) == &step_encoder);
    CHECK(!encoder_find(SLICE("number")) && !encoder_find(SLICE("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_stand_between_delimiters_or_in_arrays),
        cmocka_unit_test(what_is_no_array_though_it_begins_as_one_is_refused),
        cmocka_unit_test(hostile_texts_end_where_they_end),
        cmocka_unit_test(the_last_numbers_are_kept_and_stand_at_the_end),
        cmocka_unit_test(a_cell_of_numbers_is_read_or_refused_by_name),
        cmocka_unit_test(the_last_words_select_rows_by_the_vocabulary),
        cmocka_unit_test(the_words_that_are_kept_are_counted),
        cmocka_unit_test(a_stored_sequence_has_what_it_needs),
        cmocka_unit_test(people_read_what_it_is),
        cmocka_unit_test(encoders_that_models_name_are_found_by_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
