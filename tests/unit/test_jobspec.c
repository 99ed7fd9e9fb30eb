#include "tests/check.h"

#include "base/json.h"
#include "jobspec/jobspec.h"

static struct spec_input inputs[] = {
    {SLICE("length"), SPEC_NUMERIC, 0},
    {SLICE("the \"colour\""), SPEC_CATEGORY, 10000},
};

static struct jobspec example(void)
{
    return (struct jobspec){
        .statement = SLICE("SELECT 1 TO TRAIN\nDNNClassifier"),
        .estimator = SLICE("DNNClassifier"),
        .family = SLICE("network"),
        .model_name = SLICE("m"),
        .inputs = inputs,
        .input_count = 2,
        .label = SLICE("class"),
        .label_type = SPEC_LABEL_TEXT,
        .hidden_units = {16, 8},
        .hidden_layers = 2,
        .activation = SPEC_TANH,
        .dropout = 0.1,
        .n_classes = 3,
        .standardize = true,
        .l2 = 1e-9,
        .batch_size = 128,
        .epochs = 10,
        .max_steps = INT64_MAX,
        .seed = ((uint64_t)1 << 53) + 1,
        .test_size = 0.25,
        .early_stopping = 3,
        .balanced = true,
        .metrics = {SLICE("Accuracy"), SLICE("AUC")},
        .metric_count = 2,
        .optimizer = SPEC_NESTEROV,
        .learning_rate = 1.0 / 3,
        .momentum = 0.9,
        .beta1 = 0.9,
        .beta2 = 0.999,
        .epsilon = 1e-8,
        .initial_accumulator = 0.1,
        .schedule = SPEC_COSINE,
        .lanes = 8,
        .lanes_max = 64,
        .min_workers = 1,
        .max_workers = 4,
        .kernels = SLICE("SkylakeX"),
    };
}

static void what_is_written_reads_back_the_same(void **state)
{
    struct jobspec spec = example(), again;
    struct arena arena;
    struct text json;
    struct error err;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&json, JOBSPEC_BYTES_MAX);
    CHECK_OK(jobspec_write(&spec, &json, &err));
    CHECK_OK(jobspec_read(text_slice(&json), &arena, &again, &err));
    CHECK(jobspec_equal(&spec, &again));
    CHECK(again.seed == spec.seed);
    CHECK(again.learning_rate == spec.learning_rate);
    CHECK_SLICE(again.inputs[1].name, "the \"colour\"");
    text_deinit(&json);
    arena_deinit(&arena);
}

/* Write the example, put `with` in place of the first `old`, read it. */
static enum status read_changed(const char *old, const char *with, struct error *err)
{
    struct jobspec spec = example(), again;
    struct arena arena;
    struct text json, changed;
    const char *place;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&json, JOBSPEC_BYTES_MAX);
    text_init(&changed, JOBSPEC_BYTES_MAX);
    CHECK_INT(jobspec_write(&spec, &json, err), STATUS_OK);
    place = strstr(json.data, old);
    if (!place)
        check_failed("the spec does not contain %s", old);
    text_append(&changed, (struct slice){json.data, (size_t)(place - json.data)});
    text_append_string(&changed, with);
    text_append_string(&changed, place + strlen(old));
    status = jobspec_read(text_slice(&changed), &arena, &again, err);
    text_deinit(&json);
    text_deinit(&changed);
    arena_deinit(&arena);
    return status;
}

static void a_reader_takes_nothing_that_it_does_not_know(void **state)
{
    static const struct {
        const char *old, *with, *message;
    } cases[] = {
        {"\"version\":\t1", "\"version\":\t2", "version"},
        {"\"statement\"", "\"statment\"", "statment"},
        {"\"seed\"", "\"sead\"", "sead"},
        {"\"label\":\t{", "\"label\":\t{\"extra\": 1,", "extra"},
        {"\"kernels\":", "\"lanes\": 3, \"kernels\":", "twice"},
        {"\"dropout\":\t0.1,", "", "dropout"},
        {"\"dropout\":\t0.1", "\"dropout\":\t1", "dropout"},
        {"\"batch_size\":\t128", "\"batch_size\":\t0", "batch_size"},
        {"\"batch_size\":\t128", "\"batch_size\":\t128.5", "batch_size"},
        {"\"batch_size\":\t128", "\"batch_size\":\ttrue", "batch_size"},
        {"[16, 8]", "[16, 8193]", "hidden_units"},
        {"[16, 8]", "[16, -1]", "hidden_units"},
        {"[16, 8]", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "hidden_units"},
        {"\"tanh\"", "\"Tanh\"", "activation"},
        {"\"n_classes\":\t3", "\"n_classes\":\t1", "n_classes"},
        {"\"vocabulary_max\":\t10000", "\"vocabulary_max\":\t0", "vocabulary_max"},
        {"\"vocabulary_max\":\t0", "\"vocabulary_max\":\t1", "vocabulary_max"},
        {"\"max_workers\":\t4", "\"max_workers\":\t0", "max_workers"},
        {"\"min_workers\":\t1", "\"min_workers\":\t5", "max_workers"},
        {"\"has_validation\":\tfalse", "\"has_validation\":\ttrue", "exclude"},
        {"\"learning_rate\":\t0.333", "\"learning_rate\":\t1e999, \"x\":\t0.333", "unknown"},
        {"\"momentum\":\t0.9", "\"momentum\":\tnull", "momentum"},
        {"\"Accuracy\"", "\"\"", "metrics"},
    };
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_FAILS(read_changed(cases[i].old, cases[i].with, &err), STATUS_CORRUPT,
                    cases[i].message);
}

static void numbers_at_the_ends_of_their_ranges_are_read(void **state)
{
    struct error err;
    (void)state;

    CHECK_OK(read_changed("[16, 8]", "[1, 8192]", &err));
    CHECK_OK(read_changed("[16, 8]", "[]", &err));
    CHECK_OK(read_changed("\"dropout\":\t0.1", "\"dropout\":\t0.9999999", &err));
    CHECK_OK(read_changed("\"max_workers\":\t4", "\"max_workers\":\t1024", &err));
    CHECK_FAILS(read_changed("\"max_workers\":\t4", "\"max_workers\":\t1025", &err), STATUS_CORRUPT,
                "max_workers");
}

static void a_spec_that_no_reader_would_take_is_not_written(void **state)
{
    struct jobspec spec = example();
    struct text json;
    struct error err;
    (void)state;

    text_init(&json, JOBSPEC_BYTES_MAX);
    spec.max_workers = 0;
    CHECK_FAILS(jobspec_write(&spec, &json, &err), STATUS_CORRUPT, "max_workers");
    text_clear(&json);
    spec = example();
    spec.input_count = 0;
    CHECK_FAILS(jobspec_write(&spec, &json, &err), STATUS_CORRUPT, "inputs");
    text_deinit(&json);
}

static void specs_that_differ_anywhere_are_not_equal(void **state)
{
    struct jobspec a = example(), b = example();
    (void)state;

    CHECK(jobspec_equal(&a, &b));
    b.hidden_units[1]++;
    CHECK(!jobspec_equal(&a, &b));
    b = example();
    b.metrics[1] = SLICE("F1");
    CHECK(!jobspec_equal(&a, &b));
    b = example();
    b.kernels = SLICE("");
    CHECK(!jobspec_equal(&a, &b));
    b = example();
    b.schedule = SPEC_LINEAR;
    CHECK(!jobspec_equal(&a, &b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_reads_back_the_same),
        cmocka_unit_test(a_reader_takes_nothing_that_it_does_not_know),
        cmocka_unit_test(numbers_at_the_ends_of_their_ranges_are_read),
        cmocka_unit_test(a_spec_that_no_reader_would_take_is_not_written),
        cmocka_unit_test(specs_that_differ_anywhere_are_not_equal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
