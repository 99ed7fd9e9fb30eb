/* Models of XGBoost and LightGBM read, and ours written so that they read them. tests/exchange has
 * what their programs made. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sums/sha256.h"
#include "interop/exchange.h"
#include "interop/exchange_file.h"
#include "interop/xgboost_base.h"
#include "tests/check.h"
#include "tests/unit/trees_fixture.h"

#define ROWS   300
#define INPUTS 5

static const char *const theirs[] = {
    "xgboost_two.json",       "xgboost_two.ubj",  "xgboost_three.json", "xgboost_number.ubj",
    "xgboost_quantiles.json", "lightgbm_two.txt", "lightgbm_three.txt", "lightgbm_number.txt"};
#define THEIRS (sizeof theirs / sizeof *theirs)

static struct text read_stored(const char *name)
{
    struct text bytes;
    struct error err;
    char path[1000];

    snprintf(path, sizeof path, "%s/%s", EXCHANGE_FOLDER, name);
    text_init(&bytes, TEXT_MAXIMUM);
    CHECK_OK(exchange_file_read(path, &bytes, &err));
    return bytes;
}

/* A model that a test holds. */
struct held {
    struct arena arena;
    struct model model;
};

static enum status import_into(struct held *held, struct slice bytes, struct error *err)
{
    arena_init(&held->arena, MODEL_PARAMETERS_MAX);
    return exchange_import(bytes, SLICE("IMPORT"), NULL, &held->arena, &held->model, err);
}

/* Says stop when it is asked for the last time of so many. */
struct patience {
    struct stop stop;
    unsigned asked, most;
};

static bool is_over(void *self)
{
    struct patience *patience = self;

    return ++patience->asked >= patience->most;
}

/* How often it asked, where it was told to stop then. */
static unsigned import_until(struct slice bytes, unsigned most, struct error *err)
{
    struct patience patience = {{is_over, &patience}, 0, most};
    struct arena arena;
    struct model model;

    arena_init(&arena, MODEL_PARAMETERS_MAX);
    if (exchange_import(bytes, SLICE(""), &patience.stop, &arena, &model, err) == STATUS_OK)
        error_clear(err);
    arena_deinit(&arena);
    return patience.asked;
}

static void import_stored(struct held *held, const char *name)
{
    struct text bytes = read_stored(name);
    struct error err;

    CHECK_OK(import_into(held, text_slice(&bytes), &err));
    text_deinit(&bytes); /* nothing of it is needed any more */
}

/* (ROWS, INPUTS); texts are of `stored`. */
static void read_rows(const struct text *stored, struct cell *cells)
{
    const char *at = stored->data;

    for (size_t i = 0; i < (size_t)ROWS * INPUTS; i++, at++) {
        const size_t size = strcspn(at, "\t\n");

        cells[i] = (struct cell){.type = size > 0 ? CELL_TEXT : CELL_NULL, .text = {at, size}};
        at += size;
    }
}

/* outputs (ROWS, of the model) */
static void score_rows(const struct model *model, float *outputs)
{
    struct text stored = read_stored("rows.txt");
    struct cell *cells = calloc((size_t)ROWS * INPUTS, sizeof *cells);
    const uint32_t count = model_outputs(model);
    struct scorer scorer;
    struct error err;

    assert_non_null(cells);
    read_rows(&stored, cells);
    CHECK_OK(scorer_init(&scorer, model, 1, &err));
    for (size_t i = 0; i < ROWS; i++) {
        CHECK_OK(scorer_transform(&scorer, 0, cells + i * INPUTS, &err));
        scorer_score(&scorer, 1);
        memcpy(outputs + i * count, scorer.outputs, count * sizeof *outputs);
    }
    scorer_deinit(&scorer);
    free(cells);
    text_deinit(&stored);
}

static void check_near(float actual, float expected)
{
    const float most = 1e-6f * (fabsf(expected) > 1 ? fabsf(expected) : 1);

    if (!(fabsf(actual - expected) <= most))
        check_failed("%.9g, not %.9g", (double)actual, (double)expected);
}

static void stored_models_predict_as_their_programs_do(void **state)
{
    (void)state;
    for (size_t i = 0; i < THEIRS; i++) {
        char name[100], *at;
        float outputs[ROWS * 3];
        struct held held;
        struct text sums;

        import_stored(&held, theirs[i]);
        score_rows(&held.model, outputs);
        snprintf(name, sizeof name, "%.*s.sums", (int)strcspn(theirs[i], "."), theirs[i]);
        sums = read_stored(name);
        at = sums.data;
        for (size_t j = 0; j < (size_t)ROWS * model_outputs(&held.model); j++)
            check_near(outputs[j], strtof(at, &at));
        CHECK_INT(strspn(at, "\n"), strlen(at));
        text_deinit(&sums);
        arena_deinit(&held.arena);
    }
}

static void a_stored_model_is_told_by_its_columns_and_classes(void **state)
{
    const struct transform_input *colour;
    struct held held;

    (void)state;
    import_stored(&held, "xgboost_three.json");
    CHECK_SLICE(held.model.estimator, "XGBClassifier");
    CHECK_SLICE(held.model.label, EXCHANGE_LABEL);
    CHECK_SLICE(held.model.statement, "IMPORT");
    CHECK_INT(held.model.labels.type, LABEL_INTEGER);
    CHECK_INT(held.model.labels.count, 3);
    CHECK_INT(held.model.labels.values[2].integer, 2);
    CHECK_INT(held.model.transform.input_count, INPUTS);
    CHECK_INT(held.model.transform.inputs[0].spec.type, INPUT_NUMERIC);
    colour = &held.model.transform.inputs[4];
    CHECK_SLICE(colour->spec.name, "colour");
    CHECK_INT(colour->spec.type, INPUT_CATEGORY);
    CHECK_INT(colour->word_count, 7);
    CHECK_SLICE(colour->words[3], "with \"quotes\"");
    CHECK_SLICE(colour->words[4], "unicode");
    CHECK_SLICE(colour->words[6], "gold");
    arena_deinit(&held.arena);
    import_stored(&held, "lightgbm_number.txt");
    CHECK_SLICE(held.model.estimator, "LGBMRegressor");
    CHECK_INT(held.model.task, TASK_REGRESSION);
    CHECK_INT(held.model.labels.type, LABEL_REAL);
    CHECK_SLICE(held.model.transform.inputs[4].words[4], "unicode");
    arena_deinit(&held.arena);
}

static struct text export_model(const struct model *model, enum exchange_format format)
{
    struct text bytes;
    struct error err;

    text_init(&bytes, TEXT_MAXIMUM);
    CHECK_OK(exchange_export(model, format, NULL, &bytes, &err));
    return bytes;
}

static void export_and_import(const struct model *model, enum exchange_format format,
                              struct held *held)
{
    struct text bytes = export_model(model, format);
    struct error err;

    CHECK(exchange_begins(text_slice(&bytes), format));
    CHECK_OK(import_into(held, text_slice(&bytes), &err));
    text_deinit(&bytes);
}

/* One base_score for all classes is what XGBoost before 3.1 reads: other bases are in leaves then.
 */
static bool has_one_base(const struct model *model)
{
    const struct trees_model *trees = trees_of(model);

    return trees->outputs == 1 || trees->base[0] == trees->base[1];
}

/* The digest covers inputs, words, classes and each node. */
static void a_model_in_its_own_format_comes_back_as_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < THEIRS; i++) {
        const bool is_lightgbm = strncmp(theirs[i], "lightgbm", 8) == 0;
        struct held first, second;

        import_stored(&first, theirs[i]);
        for (int format = 0; format < EXCHANGE_FORMATS; format++) {
            if ((format == EXCHANGE_LIGHTGBM) != is_lightgbm || !has_one_base(&first.model))
                continue;
            export_and_import(&first.model, (enum exchange_format)format, &second);
            if (!slice_equal(first.model.digest, second.model.digest))
                check_failed("%s comes back as another model", theirs[i]);
            arena_deinit(&second.arena);
        }
        arena_deinit(&first.arena);
    }
}

static void check_refused_by_lightgbm(const struct model *model)
{
    struct text bytes;
    struct error err;

    text_init(&bytes, TEXT_MAXIMUM);
    CHECK_FAILS(exchange_export(model, EXCHANGE_LIGHTGBM, NULL, &bytes, &err), STATUS_UNSUPPORTED,
                "3 quantiles, and a file of LightGBM's has one");
    text_deinit(&bytes);
}

/* Bases that one format has no place for are in leaves of the other, and a category whose missing
 * values go left is told by the words that go right. */
static void a_model_predicts_the_same_in_the_other_format(void **state)
{
    (void)state;
    for (size_t i = 0; i < THEIRS; i++)
        for (int format = 0; format < EXCHANGE_FORMATS; format++) {
            float before[ROWS * 3], after[ROWS * 3];
            struct held first, second;

            import_stored(&first, theirs[i]);
            if (format == EXCHANGE_LIGHTGBM && first.model.aim.quantile_count > 1) {
                check_refused_by_lightgbm(&first.model);
                arena_deinit(&first.arena);
                continue;
            }
            export_and_import(&first.model, (enum exchange_format)format, &second);
            CHECK_INT(second.model.labels.count, first.model.labels.count);
            CHECK_INT(second.model.aim.quantile_count, first.model.aim.quantile_count);
            score_rows(&first.model, before);
            score_rows(&second.model, after);
            for (size_t j = 0; j < (size_t)ROWS * model_outputs(&first.model); j++)
                check_near(after[j], before[j]);
            arena_deinit(&second.arena);
            arena_deinit(&first.arena);
        }
}

/* The first place where it stands. */
static struct text replace(const struct text *bytes, const char *from, const char *to)
{
    const char *at = memmem(bytes->data, bytes->size, from, strlen(from));
    struct text changed;

    if (!at)
        check_failed("there is no %s", from);
    text_init(&changed, TEXT_MAXIMUM);
    text_append(&changed, (struct slice){bytes->data, (size_t)(at - bytes->data)});
    text_append_string(&changed, to);
    at += strlen(from);
    text_append(&changed, (struct slice){at, (size_t)(bytes->data + bytes->size - at)});
    return changed;
}

/* Asked before each tree, before the model is built, and when it is. */
static void whoever_waits_may_stop_an_import_at_any_tree(void **state)
{
    (void)state;
    for (size_t i = 0; i < THEIRS; i++) {
        struct text bytes = read_stored(theirs[i]);
        struct error err;
        const unsigned times = import_until(text_slice(&bytes), UINT_MAX, &err);

        CHECK_INT(err.status, STATUS_OK);
        CHECK(times >= 4);
        for (unsigned most = 1; most <= times; most++) {
            CHECK_INT(import_until(text_slice(&bytes), most, &err), most);
            CHECK_INT(err.status, STATUS_INTERRUPTED);
            CHECK_SLICE(slice_of(err.message), "interrupted");
        }
        text_deinit(&bytes);
    }
}

/* How often it asked, where it was told to stop then. */
static unsigned export_until(const struct model *model, int format, unsigned most,
                             struct error *err)
{
    struct patience patience = {{is_over, &patience}, 0, most};
    struct text bytes;

    text_init(&bytes, TEXT_MAXIMUM);
    if (exchange_export(model, (enum exchange_format)format, &patience.stop, &bytes, err) ==
        STATUS_OK)
        error_clear(err);
    text_deinit(&bytes);
    return patience.asked;
}

/* Asked each so many numbers, within a tree as between trees. */
static void check_patience(struct trees_fixture *made)
{
    for (int format = 0; format < EXCHANGE_FORMATS; format++) {
        struct error err;
        const unsigned times = export_until(&made->fixture.model, format, UINT_MAX, &err);

        CHECK_INT(err.status, STATUS_OK);
        CHECK(times >= 4);
        for (unsigned most = 1; most <= times; most++) {
            CHECK_INT(export_until(&made->fixture.model, format, most, &err), most);
            CHECK_INT(err.status, STATUS_INTERRUPTED);
            CHECK_SLICE(slice_of(err.message), "interrupted");
        }
    }
}

static void whoever_waits_may_stop_an_export(void **state)
{
    struct trees_fixture made;

    (void)state;
    trees_fixture_wide(&made, 0, 3);
    while (made.trees.tree_count < TREES_FIXTURE_TREES && made.trees.node_count < 70000)
        trees_fixture_grow(&made, 0, 100, made.trees.tree_count, false);
    check_patience(&made);
    fixture_deinit(&made.fixture);
}

static void whoever_waits_may_stop_an_export_within_a_tree(void **state)
{
    struct trees_fixture made;

    (void)state;
    trees_fixture_wide(&made, 0, 3);
    trees_fixture_grow(&made, 0, 35000, 1, false);
    check_patience(&made);
    fixture_deinit(&made.fixture);
}

/* Long lists of numbers, and of anything else, are no time in which nobody can stop. */
static void whoever_waits_may_stop_the_reading_of_a_long_list(void **state)
{
    static const char *const items[] = {"0,", "{},"};

    (void)state;
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        struct text bytes;
        struct error err;

        text_init(&bytes, TEXT_MAXIMUM);
        text_append_string(&bytes, "{\"learner\":[");
        for (unsigned j = 0; j < 200000; j++)
            text_append_string(&bytes, items[i]);
        CHECK_INT(import_until(text_slice(&bytes), 3, &err), 3);
        CHECK_INT(err.status, STATUS_INTERRUPTED);
        text_deinit(&bytes);
    }
}

/* Databases take UTF-8 alone, and a terminal obeys control characters. */
static void messages_show_no_foreign_bytes_as_they_are(void **state)
{
    struct text bytes = read_stored("xgboost_two.json");
    struct text bad = replace(&bytes, "binary:logistic", "x\xff\xb0\x7f\xc3\xa4");
    struct held held;
    struct error err;

    (void)state;
    CHECK_FAILS(import_into(&held, text_slice(&bad), &err), STATUS_UNSUPPORTED,
                "objective \"x???\xc3\xa4\" are");
    arena_deinit(&held.arena);
    text_deinit(&bad);
    text_deinit(&bytes);
}

/* ----- models of ours ----- */

/* The rows of one trees_fixture model, scored before and after: numbers alone. */
static void check_wide(struct trees_fixture *made, enum exchange_format format)
{
    const struct model *model = &made->fixture.model;
    const uint32_t width = model->transform.dense_width, outputs = model_outputs(model);
    struct scorer first, second;
    struct held held;
    struct error err;
    float *dense = calloc(width, sizeof *dense);

    export_and_import(model, format, &held);
    CHECK_OK(scorer_init(&first, model, 1, &err));
    CHECK_OK(scorer_init(&second, &held.model, 1, &err));
    for (uint32_t row = 0; row < 200; row++) {
        for (uint32_t i = 0; i < width; i++) {
            const double drawn = trees_fixture_draw(row, i, 77);
            dense[i] = drawn < 0.1 ? NAN : (float)(250 * drawn - 60);
        }
        scorer_score_row(&first, dense, NULL);
        scorer_score_row(&second, dense, NULL);
        for (uint32_t i = 0; i < outputs; i++)
            check_near(second.outputs[i], first.outputs[i]);
    }
    scorer_deinit(&first);
    scorer_deinit(&second);
    free(dense);
    arena_deinit(&held.arena);
}

/* Three classes with trees of one class alone, and a base of each. */
static void rounds_without_a_tree_of_each_class_are_filled(void **state)
{
    (void)state;
    for (int format = 0; format < EXCHANGE_FORMATS; format++) {
        struct trees_fixture made;

        trees_fixture_wide(&made, 3, 4);
        trees_fixture_grow(&made, 1, 8, 1, false);
        trees_fixture_grow(&made, 1, 5, 2, false);
        trees_fixture_grow(&made, 0, 1, 3, false);
        check_wide(&made, (enum exchange_format)format);
        fixture_deinit(&made.fixture);
    }
}

static void a_model_without_trees_is_its_base(void **state)
{
    (void)state;
    for (int format = 0; format < EXCHANGE_FORMATS; format++)
        for (uint32_t classes = 0; classes < 4; classes += classes ? 1 : 2) {
            struct trees_fixture made;

            trees_fixture_wide(&made, classes, 2);
            made.base[0] = 3.75f;
            check_wide(&made, (enum exchange_format)format);
            fixture_deinit(&made.fixture);
        }
}

static void links_become_objectives(void **state)
{
    static const char *const words[TREES_LINKS][2] = {
        {"reg:squarederror", "objective=regression\n"},
        {"count:poisson", "objective=poisson\n"},
        {"reg:logistic", "objective=cross_entropy\n"}};

    (void)state;
    for (int link = 0; link < TREES_LINKS; link++)
        for (int format = 0; format < EXCHANGE_FORMATS; format++) {
            struct trees_fixture made;
            struct text bytes;

            trees_fixture_wide(&made, 0, 3);
            made.trees.link = (enum trees_link)link;
            made.base[0] = -1.5f;
            trees_fixture_grow(&made, 0, 12, 4, false);
            bytes = export_model(&made.fixture.model, (enum exchange_format)format);
            assert_non_null(memmem(bytes.data, bytes.size, words[link][format == EXCHANGE_LIGHTGBM],
                                   strlen(words[link][format == EXCHANGE_LIGHTGBM])));
            text_deinit(&bytes);
            check_wide(&made, (enum exchange_format)format);
            fixture_deinit(&made.fixture);
        }
}

/* Numbers on both sides of the threshold go where they went: also where they are counted from an
 * origin now. */
static void check_threshold(const struct model *model, float threshold)
{
    const struct transform_input *input = &model->transform.inputs[0];
    const float value = trees_of(model)->nodes[NODE_VALUE];
    const float before = nextafterf(threshold, -INFINITY);

    CHECK(transform_number(input, (double)threshold) >= value);
    CHECK(isinf(before) || transform_number(input, (double)before) < value);
    CHECK(input->mean != 0 || value == threshold);
}

/* A threshold between two floats of the format's doubles sends each float where ours sends it. */
static void thresholds_come_back_to_the_bit(void **state)
{
    static const float thresholds[] = {
        0, 1, -1, 1e-40f, -1e-40f, 3.4e38f, -3.4028235e38f, 16777216, 0.1f, 1.17549435e-38f};

    (void)state;
    for (size_t i = 0; i < sizeof thresholds / sizeof *thresholds; i++)
        for (int format = 0; format < EXCHANGE_FORMATS; format++) {
            const float nodes[3][NODE_NUMBERS] = {
                {NODE_BELOW, 0, thresholds[i], 1, 1}, {.0f, 0, -2}, {.0f, 0, 3}};
            struct trees_fixture made;
            struct held held;

            trees_fixture_wide(&made, 0, 1);
            trees_fixture_add(&made, 0, nodes, 3);
            export_and_import(&made.fixture.model, (enum exchange_format)format, &held);
            check_threshold(&held.model, thresholds[i]);
            arena_deinit(&held.arena);
            fixture_deinit(&made.fixture);
        }
}

static void codes_whose_missing_values_go_left_are_refused_by_name(void **state)
{
    struct trees_fixture made;
    float nodes[3][NODE_NUMBERS] = {{NODE_IS_IN, 1, 0, 1, 1}, {.0f, 0, -2}, {.0f, 0, 3}};
    const uint32_t values[] = {3, 300};
    struct held held;
    struct text bytes;
    struct error err;
    uint32_t rows;

    (void)state;
    trees_fixture_wide(&made, 0, 2);
    nodes[0][NODE_SET] = (float)trees_fixture_set(&made, values, 2, &rows);
    nodes[0][NODE_SET_ROWS] = (float)rows;
    trees_fixture_add(&made, 0, (const float(*)[NODE_NUMBERS])nodes, 3);
    text_init(&bytes, TEXT_MAXIMUM);
    CHECK_FAILS(exchange_export(&made.fixture.model, EXCHANGE_LIGHTGBM, NULL, &bytes, &err),
                STATUS_UNSUPPORTED, "column \"f1\"");
    text_deinit(&bytes);
    export_and_import(&made.fixture.model, EXCHANGE_XGBOOST, &held);
    assert_memory_equal(trees_of(&held.model)->nodes, made.nodes, sizeof nodes);
    assert_memory_equal(trees_of(&held.model)->sets, made.sets,
                        rows * TREE_SET_NUMBERS * sizeof(float));
    arena_deinit(&held.arena);
    fixture_deinit(&made.fixture);
}

/* Colour has three words and two hash buckets, which no file has words for: its codes are numbers.
 */
static void hash_buckets_are_codes(void **state)
{
    (void)state;
    for (int format = 0; format < EXCHANGE_FORMATS; format++) {
        float nodes[3][NODE_NUMBERS] = {{NODE_WORD_IN, 0, 0, 1, 0}, {.0f, 0, -2}, {.0f, 0, 3}};
        const uint32_t values[] = {1, 4};
        struct trees_fixture made;
        struct held held;
        uint32_t rows;

        trees_fixture_init(&made, 0);
        nodes[0][NODE_SET] = (float)trees_fixture_set(&made, values, 2, &rows);
        nodes[0][NODE_SET_ROWS] = (float)rows;
        trees_fixture_add(&made, 0, (const float(*)[NODE_NUMBERS])nodes, 3);
        export_and_import(&made.fixture.model, (enum exchange_format)format, &held);
        CHECK_INT(held.model.transform.id_count, 0);
        nodes[0][NODE_TEST] = NODE_IS_IN;
        nodes[0][NODE_COLUMN] = 2; /* age, height, colour */
        assert_memory_equal(trees_of(&held.model)->nodes, nodes, sizeof *nodes);
        CHECK_INT((int)trees_of(&held.model)->sets[0], 1 << 1 | 1 << 4);
        arena_deinit(&held.arena);
        fixture_deinit(&made.fixture);
    }
}

/* Missing values against all words; XGBoost loads no set without a code. */
static void an_empty_set_gets_a_code_that_no_word_has(void **state)
{
    float nodes[3][NODE_NUMBERS] = {{NODE_WORD_IN, 1, 0, 1, 1}, {.0f, 0, -2}, {.0f, 0, 3}};
    struct trees_fixture made;
    struct text bytes;
    uint32_t rows;

    (void)state;
    trees_fixture_init(&made, 0);
    nodes[0][NODE_SET] = (float)trees_fixture_set(&made, NULL, 0, &rows);
    nodes[0][NODE_SET_ROWS] = (float)rows;
    trees_fixture_add(&made, 0, (const float(*)[NODE_NUMBERS])nodes, 3);
    bytes = export_model(&made.fixture.model, EXCHANGE_XGBOOST);
    assert_non_null(memmem(bytes.data, bytes.size, "\"categories\":[2]", 16));
    assert_non_null(memmem(bytes.data, bytes.size, "\"categories_sizes\":[1]", 22));
    text_deinit(&bytes);
    fixture_deinit(&made.fixture);
}

static void words_of_other_alphabets_are_kept(void **state)
{
    struct text stored = read_stored("lightgbm_two.txt");
    struct text changed = replace(&stored, "\"unicode\"", "\"\\u00fcn\\u00efcode\"");
    struct held first, second;
    struct error err;

    (void)state;
    CHECK_OK(import_into(&first, text_slice(&changed), &err));
    text_deinit(&changed);
    text_deinit(&stored);
    for (int format = 0; format < EXCHANGE_FORMATS; format++) {
        export_and_import(&first.model, (enum exchange_format)format, &second);
        CHECK_SLICE(second.model.transform.inputs[4].words[4], "ünïcode");
        arena_deinit(&second.arena);
    }
    stored = export_model(&first.model, EXCHANGE_XGBOOST);
    changed = replace(&stored, "\"attributes\":{\"totrain\"", "\"attributes\":{\"other\"");
    CHECK_FAILS(import_into(&second, text_slice(&changed), &err), STATUS_UNSUPPORTED,
                "words of feature \"colour\" are not ASCII");
    arena_deinit(&second.arena);
    arena_deinit(&first.arena);
    text_deinit(&changed);
    text_deinit(&stored);
}

static void names_that_lightgbm_cannot_hold_stay_apart(void **state)
{
    static struct transform_input inputs[] = {{.spec.name = {"a b", 3}, .has_nulls = true},
                                              {.spec.name = {"a,b", 3}, .has_nulls = true},
                                              {.spec.name = {"a_b", 3}, .has_nulls = true}};
    const float nodes[1][NODE_NUMBERS] = {{.0f, 0, 1}};
    struct trees_fixture made = {.base = NULL};
    struct held held;

    (void)state;
    fixture_init(&made.fixture, 0);
    trees_fixture_begin(&made, 0, inputs, 3);
    trees_fixture_add(&made, 0, nodes, 1);
    export_and_import(&made.fixture.model, EXCHANGE_LIGHTGBM, &held);
    CHECK_SLICE(held.model.transform.inputs[0].spec.name, "a_b");
    CHECK_SLICE(held.model.transform.inputs[1].spec.name, "a_b_1");
    CHECK_SLICE(held.model.transform.inputs[2].spec.name, "a_b_2");
    arena_deinit(&held.arena);
    export_and_import(&made.fixture.model, EXCHANGE_XGBOOST_UBJ, &held);
    CHECK_SLICE(held.model.transform.inputs[1].spec.name, "a,b");
    arena_deinit(&held.arena);
    fixture_deinit(&made.fixture);
}

static void refuse_layers(uint32_t count, const char *hint)
{
    static const uint32_t widths[] = {1, 1};
    struct fixture fixture;
    struct text bytes;
    struct error err;

    fixture_init(&fixture, 0);
    fixture_layers(&fixture, widths, count);
    text_init(&bytes, TEXT_MAXIMUM);
    fixture.model.estimator = SLICE("DNNClassifier");
    CHECK_FAILS(exchange_export(&fixture.model, EXCHANGE_XGBOOST, NULL, &bytes, &err),
                STATUS_UNSUPPORTED, "DNNClassifier has no trees");
    CHECK(strstr(err.hint, hint));
    text_deinit(&bytes);
    fixture_deinit(&fixture);
}

static void other_kinds_are_refused(void **state)
{
    (void)state;
    refuse_layers(1, "FORMAT sql and FORMAT c write it as a program, FORMAT onnx as a graph. Its "
                     "weights are rows");
    refuse_layers(
        2,
        "FORMAT sql and FORMAT c write it as a program, FORMAT onnx as a graph; files of XGBoost");
}

static void a_file_that_would_be_too_large_is_refused(void **state)
{
    struct trees_fixture made;
    struct error err;

    (void)state;
    trees_fixture_wide(&made, 0, 3);
    trees_fixture_grow(&made, 0, 40, 4, false);
    for (int format = 0; format < EXCHANGE_FORMATS; format++) {
        struct text bytes;

        text_init(&bytes, 700);
        CHECK_FAILS(
            exchange_export(&made.fixture.model, (enum exchange_format)format, NULL, &bytes, &err),
            STATUS_LIMIT, "more than 700 bytes");
        text_deinit(&bytes);
    }
    fixture_deinit(&made.fixture);
}

/* Its bytes are no memory: none of them but the first is looked at. */
static void a_file_beyond_the_limit_is_not_read(void **state)
{
    const size_t bytes = EXCHANGE_BYTES_MAX + 1;
    char *file = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct held held;
    struct error err;

    (void)state;
    CHECK(file != MAP_FAILED);
    CHECK_FAILS(import_into(&held, (struct slice){file, bytes}, &err), STATUS_LIMIT,
                "a file of 268435457 bytes, where at most 268435456 are read");
    arena_deinit(&held.arena);
    CHECK_FAILS(import_into(&held, (struct slice){file, bytes - 1}, &err), STATUS_CORRUPT,
                "not a model");
    arena_deinit(&held.arena);
    munmap(file, bytes);
}

/* ----- damage ----- */

struct damage {
    const char *file, *from, *to;
    enum status status;
    const char *message;
};

static const struct damage damages[] = {
    {"xgboost_two.json", "\"left_children\":[1,", "\"left_children\":[0,", STATUS_CORRUPT,
     "tree 0: node 0: children"},
    {"xgboost_two.json", "\"left_children\":[1,", "\"left_children\":[99,", STATUS_CORRUPT,
     "tree 0: node 0: children"},
    {"xgboost_two.json", "\"left_children\":[1,", "\"left_children\":[2,", STATUS_CORRUPT,
     "another parent"},
    {"xgboost_two.json", "\"left_children\":[1,3,", "\"left_children\":[1,1,", STATUS_CORRUPT,
     "another parent"},
    {"xgboost_two.json", "\"left_children\":[1,", "\"left_children\":[", STATUS_CORRUPT,
     "expected 14 numbers, found 15"},
    {"xgboost_two.json", "\"left_children\":[1,", "\"left_children\":[1,\"x\",", STATUS_CORRUPT,
     "no JSON at byte"},
    {"xgboost_two.json", "\"split_indices\":[4,", "\"split_indices\":[5,", STATUS_CORRUPT,
     "feature 5"},
    {"xgboost_two.json", "\"split_indices\":[4,", "\"split_indices\":[-1,", STATUS_CORRUPT,
     "no feature -1"},
    {"xgboost_two.json", "\"split_conditions\":[", "\"split_conditions\":[NaN,", STATUS_CORRUPT,
     "expected 15 numbers"},
    {"xgboost_two.json", "\"categories_segments\":[0", "\"categories_segments\":[10",
     STATUS_CORRUPT, "categories"},
    {"xgboost_two.json", "\"categories_nodes\":[0", "\"categories_nodes\":[80", STATUS_CORRUPT,
     "categories"},
    {"xgboost_two.json", "\"categories\":[", "\"categories\":[1677721600,", STATUS_CORRUPT,
     "no code of a category"},
    {"xgboost_two.json", "\"tree_info\":[0,", "\"tree_info\":[1,", STATUS_CORRUPT, "class 1 of 1"},
    {"xgboost_two.json", "\"tree_info\":[0,", "\"tree_info\":[", STATUS_CORRUPT,
     "expected 4 numbers"},
    {"xgboost_two.json", "\"num_feature\":\"5\",\"num_target", "\"num_feature\":\"6\",\"num_target",
     STATUS_CORRUPT, "names for 6 features"},
    {"xgboost_two.json", "\"num_feature\":\"5\",\"num_target",
     "\"num_feature\":\"99999\",\"num_target", STATUS_UNSUPPORTED, "99999 features"},
    {"xgboost_two.json", "\"num_target\":\"1\"", "\"num_target\":\"2\"", STATUS_UNSUPPORTED,
     "2 targets"},
    {"xgboost_two.json", "\"num_class\":\"0\"", "\"num_class\":\"3\"", STATUS_UNSUPPORTED,
     "3 classes"},
    {"xgboost_two.json", "\"base_score\":\"[", "\"base_score\":\"[-", STATUS_CORRUPT,
     "base_score is no prediction"},
    {"xgboost_two.json", "\"base_score\":\"[", "\"base_score\":\"[x", STATUS_CORRUPT,
     "base_score is no prediction"},
    {"xgboost_quantiles.json", "\"[1E-1,5E-1,9E-1]\"", "\"[1E-1,5E-1]\"", STATUS_CORRUPT,
     "2 quantiles with 3 targets"},
    {"xgboost_quantiles.json", "\"[1E-1,5E-1,9E-1]\"", "\"[1E-1,5E-1,9E0]\"", STATUS_CORRUPT,
     "quantile_alpha is no list"},
    {"xgboost_quantiles.json", "\"[1E-1,5E-1,9E-1]\"", "\"[1E-1,five,9E-1]\"", STATUS_CORRUPT,
     "quantile_alpha is no list"},
    {"xgboost_quantiles.json", "\"quantile_loss_param\"", "\"other_param\"", STATUS_CORRUPT,
     "quantile_loss_param"},
    {"xgboost_quantiles.json", "\"reg:quantileerror\"", "\"reg:absoluteerror\"", STATUS_UNSUPPORTED,
     "3 targets"},
    {"xgboost_two.json", "\"size_leaf_vector\":\"1\"", "\"size_leaf_vector\":\"2\"",
     STATUS_UNSUPPORTED, "several values"},
    {"xgboost_two.json", "\"name\":\"gbtree\"", "\"name\":\"gblinear\"", STATUS_UNSUPPORTED,
     "booster \"gblinear\""},
    {"xgboost_two.json", "\"name\":\"binary:logistic\"", "\"name\":\"binary:hunch\"",
     STATUS_UNSUPPORTED, "\"binary:hunch\""},
    {"xgboost_two.json", "\"name\":\"binary:logistic\"", "\"name\":\"binary:hinge\"", STATUS_OK,
     ""},
    {"xgboost_two.json", "\"learner\":", "\"learned\":", STATUS_CORRUPT, "member \"learner\""},
    {"xgboost_two.json", "\"feature_names\":[\"a\",\"b\"", "\"feature_names\":[\"a\",\"a\"",
     STATUS_CORRUPT, "the name \"a\""},
    {"xgboost_two.json", "\"feature_names\":[\"a\"", "\"feature_names\":[\"\"", STATUS_CORRUPT,
     "name of feature 0"},
    {"xgboost_two.json", "\"feature_names\":[\"a\"", "\"feature_names\":[\"a\\u0000\"",
     STATUS_CORRUPT, "name of feature 0"},
    {"xgboost_two.json", "\"feature_names\":[\"a\"", "\"feature_names\":[7", STATUS_CORRUPT,
     "no JSON"},
    {"xgboost_two.json", "{\"offsets\":[0,3,", "{\"offsets\":[0,3000,", STATUS_CORRUPT,
     "have no places"},
    {"xgboost_two.json", "{\"offsets\":[0,3,8", "{\"offsets\":[0,8,3", STATUS_CORRUPT,
     "have no places"},
    {"xgboost_two.json", "\"enc\":[{\"offsets\":[],\"values\":[]},", "\"enc\":[", STATUS_CORRUPT,
     "categories of 4 features"},
    {"xgboost_two.json", "\"split_type\":[1,0", "\"split_type\":[1,1", STATUS_CORRUPT,
     "no set of categories"},
    {"xgboost_three.json", "\"weight_drop\":[", "\"weight_drop\":[1,", STATUS_CORRUPT,
     "13 weights of 12 trees"},
    {"xgboost_three.json", "\"weight_drop\":[", "\"weight_drop\":[1e300,", STATUS_CORRUPT,
     "13 weights of 12 trees"},
    {"lightgbm_two.txt", "tree\n", "treo\n", STATUS_CORRUPT,
     "not a model of XGBoost, LightGBM or ONNX"},
    {"lightgbm_two.txt", "tree\n", "tree \n", STATUS_CORRUPT, "the first line"},
    {"lightgbm_two.txt", "num_tree_per_iteration=1", "num_tree_per_iteration=0", STATUS_CORRUPT,
     "num_tree_per_iteration"},
    {"lightgbm_two.txt", "num_tree_per_iteration=1", "num_tree_per_iteration=3", STATUS_UNSUPPORTED,
     "of 3 outputs"},
    {"lightgbm_two.txt", "max_feature_idx=4", "max_feature_idx=5", STATUS_CORRUPT,
     "5 names for 6 features"},
    {"lightgbm_two.txt", "max_feature_idx=4", "max_feature_idx=3", STATUS_CORRUPT, "more names"},
    {"lightgbm_two.txt", "max_feature_idx=4", "max_feature_idx=100000", STATUS_UNSUPPORTED,
     "100001 features"},
    {"lightgbm_two.txt", "objective=binary", "objective=multiclassova", STATUS_UNSUPPORTED,
     "\"multiclassova"},
    {"lightgbm_two.txt", "sigmoid:1", "sigmoid:0", STATUS_CORRUPT, "sigmoid:0"},
    {"lightgbm_number.txt", "objective=regression", "objective=regression sqrt", STATUS_UNSUPPORTED,
     "sqrt"},
    {"lightgbm_two.txt", "num_leaves=6", "num_leaves=7", STATUS_CORRUPT,
     "tree 0: leaf_value: expected 7"},
    {"lightgbm_two.txt", "num_leaves=6", "num_leaves=5", STATUS_CORRUPT,
     "tree 0: leaf_value: expected 5"},
    {"lightgbm_two.txt", "num_leaves=6", "num_leaves=999999", STATUS_CORRUPT, "expected 999999"},
    {"lightgbm_two.txt", "num_leaves=6", "num_leaves=0", STATUS_CORRUPT, "num_leaves"},
    {"lightgbm_two.txt", "is_linear=0", "is_linear=1", STATUS_UNSUPPORTED, "linear trees"},
    {"lightgbm_two.txt", "left_child=2", "left_child=0", STATUS_CORRUPT, "children"},
    {"lightgbm_two.txt", "left_child=2", "left_child=-7", STATUS_CORRUPT, "children"},
    {"lightgbm_two.txt", "left_child=2", "left_child=1", STATUS_CORRUPT, "another parent"},
    {"lightgbm_two.txt", "split_feature=", "split_feature=9", STATUS_CORRUPT, "no feature 9"},
    {"lightgbm_two.txt", "decision_type=", "decision_type=9", STATUS_CORRUPT, "decision_type 9"},
    {"lightgbm_two.txt", "threshold=", "threshold=x", STATUS_CORRUPT, "is no number"},
    {"lightgbm_two.txt", "leaf_value=", "leaf_value=1e", STATUS_CORRUPT, "leaf_value"},
    {"lightgbm_two.txt", "end of trees\n\nfeature_importances:", "end of forest\n", STATUS_CORRUPT,
     "before \"end of trees\""},
    {"lightgbm_two.txt", "cat_boundaries=0 1", "cat_boundaries=0 9", STATUS_CORRUPT,
     "cat_threshold: expected"},
    {"lightgbm_two.txt", "cat_boundaries=0 1", "cat_boundaries=2 1", STATUS_CORRUPT,
     "has no place"},
    {"lightgbm_three.txt", "Tree=1\n", "Tree=1\nTree=1\n", STATUS_CORRUPT, "no rounds of 3"},
    {"lightgbm_two.txt", "pandas_categorical:[[", "pandas_categorical:[[[],", STATUS_CORRUPT,
     "neither text nor number"},
    {"lightgbm_two.txt", "pandas_categorical:[[", "pandas_categorical:[[\"red\",", STATUS_CORRUPT,
     "repeats"},
    {"lightgbm_two.txt", "pandas_categorical:[[", "pandas_categorical:[\"a\",[", STATUS_OK, ""},
};

static void damaged_files_are_refused_with_the_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        const struct damage *damage = &damages[i];
        struct text stored = read_stored(damage->file);
        struct text changed = replace(&stored, damage->from, damage->to);
        struct held held;
        struct error err;

        if (damage->status == STATUS_OK)
            CHECK_OK(import_into(&held, text_slice(&changed), &err));
        else if (import_into(&held, text_slice(&changed), &err) != damage->status ||
                 !strstr(err.message, damage->message))
            check_failed("%s to %s: %s", damage->from, damage->to, err.message);
        arena_deinit(&held.arena);
        text_deinit(&changed);
        text_deinit(&stored);
    }
}

static void a_file_that_was_cut_off_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < THEIRS; i++) {
        struct text stored = read_stored(theirs[i]);
        const char *end = memmem(stored.data, stored.size, "end of trees", 12);
        const size_t size = end ? (size_t)(end - stored.data) : stored.size;

        for (size_t cut = 0; cut < size; cut += 61) {
            struct held held;
            struct error err;

            if (import_into(&held, (struct slice){stored.data, cut}, &err) != STATUS_CORRUPT)
                check_failed("%s: %zu of %zu bytes: %s", theirs[i], cut, stored.size, err.message);
            arena_deinit(&held.arena);
        }
        text_deinit(&stored);
    }
}

/* Trees of XGBoost 1.0: no categories, children anywhere, names of features unknown. */
static void models_of_old_versions_are_read(void **state)
{
    static const char old[] =
        "{\"learner\": {\"attributes\": {}, \"feature_names\": [], \"gradient_booster\": "
        "{\"model\": {"
        "\"gbtree_model_param\": {\"num_trees\": \"1\"}, \"tree_info\": [0], \"trees\": [{"
        "\"default_left\": [true, false, false, false, false], \"left_children\": [3, -1, -1, 1, "
        "-1],"
        "\"right_children\": [4, -1, -1, 2, -1], \"split_indices\": [1, 0, 0, 0, 0],"
        "\"split_conditions\": [0.5, 1, 2, -Infinity, 4], \"loss_changes\": [9, 0, 0, 8, 0],"
        "\"sum_hessian\": [5, 1, 1, 2, NaN], \"tree_param\": {\"num_nodes\": \"5\"}}]},"
        "\"name\": \"gbtree\"}, \"learner_model_param\": {\"base_score\": \"5E-1\","
        "\"num_class\": \"0\", \"num_feature\": \"2\"}, \"objective\": {\"name\": \"reg:linear\"}},"
        "\"version\": [1, 0, 0]}";
    const float rows[][2] = {{7, 0.25f}, {7, 0.5f}, {7, NAN}, {NAN, NAN}};
    const float expected[] = {2.5f, 4.5f, 2.5f, 2.5f};
    struct scorer scorer;
    struct held held;
    struct error err;

    (void)state;
    CHECK_OK(import_into(&held, SLICE(old), &err));
    CHECK_SLICE(held.model.estimator, "XGBRegressor");
    CHECK_SLICE(held.model.transform.inputs[1].spec.name, "f1");
    CHECK_OK(scorer_init(&scorer, &held.model, 1, &err));
    for (size_t i = 0; i < 4; i++) {
        scorer_score_row(&scorer, rows[i], NULL);
        check_near(scorer.outputs[0], expected[i]);
    }
    scorer_deinit(&scorer);
    arena_deinit(&held.arena);
}

static void several_base_scores_are_those_of_classes(void **state)
{
    struct text stored = read_stored("xgboost_three.json"), changed;
    const char *at = strstr(stored.data, "\"base_score\":\"[");
    char before[200];
    struct held held;
    struct error err;

    (void)state;
    assert_non_null(at);
    snprintf(before, sizeof before, "%.*s", (int)strcspn(at, "]") + 1, at);
    changed = replace(&stored, before, "\"base_score\":\"[1E0, -2.5,3e-1]");
    CHECK_OK(import_into(&held, text_slice(&changed), &err));
    CHECK(trees_of(&held.model)->base[1] == -2.5f);
    CHECK(trees_of(&held.model)->base[2] == 0.3f);
    arena_deinit(&held.arena);
    text_deinit(&changed);
    changed = replace(&stored, before, "\"base_score\":\"[1,2]");
    CHECK_FAILS(import_into(&held, text_slice(&changed), &err), STATUS_CORRUPT, "2 numbers for 3");
    arena_deinit(&held.arena);
    text_deinit(&changed);
    text_deinit(&stored);
}

static void a_base_score_gives_its_margin_back(void **state)
{
    static const double margins[] = {0, 1, -1, 4, -9, 12};

    (void)state;
    for (size_t i = 0; i < sizeof margins / sizeof *margins; i++) {
        const float score = xgboost_base_score(margins[i], TREES_LINK_LOGISTIC);

        assert_true(score > 0 && score < 1);
        assert_true(fabs(xgboost_margin(score, TREES_LINK_LOGISTIC) - margins[i]) < 0.1);
        assert_true(
            fabs(xgboost_margin(xgboost_base_score(margins[i], TREES_LINK_EXP), TREES_LINK_EXP) -
                 margins[i]) < 1e-6);
    }
    assert_true(xgboost_base_score(1000, TREES_LINK_LOGISTIC) < 1);
    assert_true(isfinite(xgboost_base_score(1000, TREES_LINK_EXP)));
    assert_true(xgboost_base_score(0.25, TREES_LINK_NONE) == 0.25f);
}

/* ----- names of formats, files ----- */

static void formats_are_found_by_name_or_by_the_files_ending(void **state)
{
    static const struct {
        const char *name, *file;
        enum exchange_format format;
    } cases[] = {{"xgboost", "m", EXCHANGE_XGBOOST},
                 {"XGBoost", "m.txt", EXCHANGE_XGBOOST},
                 {"xgboost", "m.UBJ", EXCHANGE_XGBOOST_UBJ},
                 {"xgboost_ubj", "m", EXCHANGE_XGBOOST_UBJ},
                 {"lightgbm", "m.json", EXCHANGE_LIGHTGBM},
                 {"", "m.json", EXCHANGE_XGBOOST},
                 {"", "m.ubj", EXCHANGE_XGBOOST_UBJ},
                 {"", "a/m.txt", EXCHANGE_LIGHTGBM},
                 {"onnx", "m", EXCHANGE_ONNX},
                 {"", "m.onnx", EXCHANGE_ONNX}};
    enum exchange_format format;
    struct error err;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_OK(
            exchange_format_find(slice_of(cases[i].name), slice_of(cases[i].file), &format, &err));
        CHECK_INT(format, cases[i].format);
    }
    CHECK_FAILS(exchange_format_find(SLICE("pmml"), SLICE("m.json"), &format, &err), STATUS_INVALID,
                "no format \"pmml\"");
    CHECK(strstr(err.hint, "lightgbm (.txt)"));
    CHECK_FAILS(exchange_format_find(SLICE(""), SLICE(""), &format, &err), STATUS_INVALID,
                "no format \"\"");
    CHECK_FAILS(exchange_format_find(SLICE(""), SLICE(".json"), &format, &err), STATUS_INVALID,
                "does not show its format");
}

static void files_are_replaced_whole_or_not_at_all(void **state)
{
    char folder[] = "/tmp/test_exchange_XXXXXX", path[100], link_path[100];
    struct text bytes;
    struct stat found;
    struct error err;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/m.json", folder);
    snprintf(link_path, sizeof link_path, "%s/link.json", folder);
    text_init(&bytes, 5);
    CHECK_FAILS(exchange_file_read(path, &bytes, &err), STATUS_NOT_FOUND, "cannot read");
    CHECK_OK(exchange_file_write(path, SLICE("first"), &err));
    CHECK_INT(chmod(path, 0640), 0);
    CHECK_INT(symlink(path, link_path), 0);
    CHECK_OK(exchange_file_write(link_path, SLICE("other"), &err));
    CHECK_INT(lstat(link_path, &found), 0);
    CHECK(S_ISLNK(found.st_mode));
    CHECK_INT(lstat(path, &found), 0);
    CHECK_INT(found.st_mode & 0777, 0640);
    CHECK_OK(exchange_file_read(path, &bytes, &err));
    CHECK_SLICE(text_slice(&bytes), "other");
    CHECK_FAILS(exchange_file_read(path, &bytes, &err), STATUS_LIMIT, "more than the 5 bytes");
    CHECK_FAILS(exchange_file_write(folder, SLICE("x"), &err), STATUS_INVALID, "no ordinary file");
    CHECK_FAILS(exchange_file_read(folder, &bytes, &err), STATUS_INVALID, "no ordinary file");
    snprintf(path, sizeof path, "%s/m.json/in", folder);
    CHECK_FAILS(exchange_file_write(path, SLICE("x"), &err), STATUS_NOT_FOUND, "cannot write");
    snprintf(path, sizeof path, "%s/none/m.json", folder);
    CHECK_FAILS(exchange_file_write(path, SLICE("x"), &err), STATUS_NOT_FOUND, "cannot write");
    text_deinit(&bytes);
    unlink(link_path);
    snprintf(path, sizeof path, "%s/m.json", folder);
    unlink(path);
    CHECK_INT(rmdir(folder), 0); /* and nothing else is in it */
}

static void sha256_is_the_standards(void **state)
{
    static const struct {
        const char *text, *digest;
        size_t times;
    } cases[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", 1},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", 1},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1", 1},
        {"aaaaaaaaaa", "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0", 100000}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sha256 hash;
        uint8_t bytes[SHA256_BYTES];
        char digest[2 * SHA256_BYTES + 1];

        sha256_init(&hash);
        for (size_t j = 0; j < cases[i].times; j++)
            sha256_update(&hash, cases[i].text, strlen(cases[i].text));
        sha256_final(&hash, bytes);
        for (size_t j = 0; j < SHA256_BYTES; j++)
            snprintf(digest + 2 * j, 3, "%02x", bytes[j]);
        assert_string_equal(digest, cases[i].digest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored_models_predict_as_their_programs_do),
        cmocka_unit_test(a_stored_model_is_told_by_its_columns_and_classes),
        cmocka_unit_test(a_model_in_its_own_format_comes_back_as_the_same),
        cmocka_unit_test(a_model_predicts_the_same_in_the_other_format),
        cmocka_unit_test(whoever_waits_may_stop_an_import_at_any_tree),
        cmocka_unit_test(whoever_waits_may_stop_an_export),
        cmocka_unit_test(whoever_waits_may_stop_an_export_within_a_tree),
        cmocka_unit_test(whoever_waits_may_stop_the_reading_of_a_long_list),
        cmocka_unit_test(messages_show_no_foreign_bytes_as_they_are),
        cmocka_unit_test(rounds_without_a_tree_of_each_class_are_filled),
        cmocka_unit_test(a_model_without_trees_is_its_base),
        cmocka_unit_test(links_become_objectives),
        cmocka_unit_test(thresholds_come_back_to_the_bit),
        cmocka_unit_test(codes_whose_missing_values_go_left_are_refused_by_name),
        cmocka_unit_test(hash_buckets_are_codes),
        cmocka_unit_test(an_empty_set_gets_a_code_that_no_word_has),
        cmocka_unit_test(words_of_other_alphabets_are_kept),
        cmocka_unit_test(names_that_lightgbm_cannot_hold_stay_apart),
        cmocka_unit_test(other_kinds_are_refused),
        cmocka_unit_test(a_file_that_would_be_too_large_is_refused),
        cmocka_unit_test(a_file_beyond_the_limit_is_not_read),
        cmocka_unit_test(damaged_files_are_refused_with_the_place),
        cmocka_unit_test(a_file_that_was_cut_off_is_refused),
        cmocka_unit_test(models_of_old_versions_are_read),
        cmocka_unit_test(several_base_scores_are_those_of_classes),
        cmocka_unit_test(a_base_score_gives_its_margin_back),
        cmocka_unit_test(formats_are_found_by_name_or_by_the_files_ending),
        cmocka_unit_test(files_are_replaced_whole_or_not_at_all),
        cmocka_unit_test(sha256_is_the_standards),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
