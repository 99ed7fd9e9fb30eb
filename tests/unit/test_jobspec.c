#include "base/json.h"
#include "jobspec/jobspec.h"
#include "jobspec/jobspec_equal.h"
#include "jobspec/jobspec_read.h"
#include "jobspec/jobspec_write.h"
#include "kinds/network/network_attributes.h"
#include "tests/check.h"

static struct input_spec inputs[] = {
    {.name = SLICE("length"), .type = INPUT_NUMERIC},
    {.name = SLICE("the \"colour\""), .type = INPUT_CATEGORY, .vocabulary_max = 10000},
};

static const struct notice_list notices = {
    .count = 2,
    .items = {{NOTICE_KEY, 3, "column \"id\" is a key", "COLUMN id takes it."},
              {NOTICE_METRIC, 0, "AUC is NULL", ""}},
};

static struct jobspec example(void)
{
    struct jobspec spec = {
        .statement = SLICE("SELECT 1 TO TRAIN\nDNNClassifier"),
        .estimator = SLICE("DNNClassifier"),
        .family = SLICE("network"),
        .model_name = SLICE("m"),
        .inputs = inputs,
        .input_count = 2,
        .label = SLICE("class"),
        .label_type = LABEL_TEXT,
        .n_classes = 3,
        .standardize = true,
        .batch_size = 128,
        .epochs = 10,
        .max_steps = INT64_MAX,
        .seed = ((uint64_t)1 << 53) + 1,
        .test_size = 0.25,
        .early_stopping = 3,
        .balanced = true,
        .metrics = {SLICE("Accuracy"), SLICE("AUC")},
        .metric_count = 2,
        .lanes = 8,
        .lanes_max = 64,
        .min_workers = 1,
        .max_workers = 4,
        .threads = 3,
        .memory = (uint64_t)512 << 20,
        .notices = &notices,
        .require = SLICE("AUC >= 0.8"),
        .history = {SLICE("0123456789abcdef"), SLICE("8 lanes; ..."), 2},
    };

    *network_params(&spec.params) = (struct network_params){
        .hidden_units = {{16, 8}, 2},
        .activation = NETWORK_ACTIVATION_TANH,
        .dropout = 0.1,
        .l2 = 1e-9,
        .optimizer = OPTIMIZER_NESTEROV,
        .learning_rate = 1.0 / 3,
        .momentum = 0.9,
        .beta1 = 0.9,
        .beta2 = 0.999,
        .epsilon = 1e-8,
        .initial_accumulator = 0.1,
        .schedule = SCHEDULE_COSINE,
    };
    return spec;
}

static uint32_t cells[] = {3, 0};

static struct jobspec scoring_example(void)
{
    return (struct jobspec){
        .kind = SPEC_EVALUATE,
        .statement = SLICE("SELECT 1 TO EVALUATE m"),
        .estimator = SLICE("DNNClassifier"),
        .family = SLICE("network"),
        .model_name = SLICE("m"),
        .scoring = {.rows = (uint64_t)1 << 40,
                    .shard_rows = 16384,
                    .columns = 4,
                    .inputs = cells,
                    .input_count = 2,
                    .label = 1,
                    .label_name = SLICE("class"),
                    .outputs = {SLICE("prediction")},
                    .output_count = 1,
                    .checked = 3,
                    .anomaly = 0.95,
                    .metrics = {SLICE("AUC")},
                    .metric_count = 1,
                    .keeps_bad_rows = true,
                    .replaces_any = true},
        .lanes_max = 64,
        .min_workers = 1,
        .max_workers = 4,
    };
}

static void a_job_that_scores_reads_back_the_same(void **state)
{
    struct jobspec spec = scoring_example(), again, other;
    uint32_t other_cells[] = {3, 1};
    struct arena arena;
    struct text json;
    struct error err;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&json, JOBSPEC_BYTES_MAX);
    CHECK_OK(jobspec_write(&spec, &json, &err));
    CHECK_OK(jobspec_read(text_slice(&json), &arena, &again, &err));
    CHECK(jobspec_equal(&spec, &again));
    CHECK_INT(again.scoring.inputs[0], 3);
    other = again, other.scoring.inputs = other_cells;
    CHECK(!jobspec_equal(&spec, &other));
    other = again, other.scoring.checked = 2;
    CHECK(!jobspec_equal(&spec, &other));
    other = again, other.scoring.anomaly = 0.5;
    CHECK(!jobspec_equal(&spec, &other));
    other = again, other.scoring.replaces_any = false;
    assert_false(jobspec_equal(&spec, &other));
    other = again, other.scoring.keeps_bad_rows = false;
    CHECK(!jobspec_equal(&spec, &other));
    other = again, other.scoring.metrics[0] = SLICE("F1");
    CHECK(!jobspec_equal(&spec, &other));
    other = again, other.scoring.group = 2;
    CHECK(!jobspec_equal(&spec, &other));
    other = again, other.scoring.group_name = SLICE("query");
    CHECK(!jobspec_equal(&spec, &other));
    other = again, other.scoring.upper = 2;
    CHECK(!jobspec_equal(&spec, &other));
    other = again, other.scoring.upper_name = SLICE("until");
    CHECK(!jobspec_equal(&spec, &other));
    other = again, other.scoring.as_means = !again.scoring.as_means;
    CHECK(!jobspec_equal(&spec, &other));
    other = again, other.scoring.by_head = true;
    CHECK(!jobspec_equal(&spec, &other));
    spec.scoring.by_head = true;
    spec.scoring.inputs = (uint32_t[]){3, JOBSPEC_NO_LABEL};
    text_clear(&json);
    CHECK_OK(jobspec_write(&spec, &json, &err));
    CHECK_OK(jobspec_read(text_slice(&json), &arena, &again, &err));
    CHECK(jobspec_equal(&spec, &again) && again.scoring.by_head);
    CHECK(again.scoring.inputs[1] == JOBSPEC_NO_LABEL);
    spec.scoring.label = JOBSPEC_NO_LABEL;
    CHECK_FAILS(jobspec_write(&spec, &json, &err), STATUS_CORRUPT, "\"label\"");
    spec.kind = SPEC_PREDICT;
    CHECK_OK(jobspec_write(&spec, &json, &err));
    spec.scoring.inputs = (uint32_t[]){3, 4};
    CHECK_FAILS(jobspec_write(&spec, &json, &err), STATUS_CORRUPT, "cells from -1 to below 4");
    text_deinit(&json);
    arena_deinit(&arena);
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
    CHECK(network_params(&again.params)->learning_rate ==
          network_params(&spec.params)->learning_rate);
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

/* The written example; the caller frees it with cJSON_Delete. */
static cJSON *tree_of(struct jobspec spec)
{
    struct text json;
    struct error err;
    cJSON *tree;

    text_init(&json, JOBSPEC_BYTES_MAX);
    CHECK_OK(jobspec_write(&spec, &json, &err));
    CHECK_OK(json_parse(text_slice(&json), JOBSPEC_BYTES_MAX, &tree, &err));
    text_deinit(&json);
    return tree;
}

static cJSON *example_tree(void)
{
    return tree_of(example());
}

static void check_tree_refused(const cJSON *tree, const char *message)
{
    struct jobspec spec;
    struct arena arena;
    struct text json;
    struct error err;

    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&json, JOBSPEC_BYTES_MAX);
    CHECK_OK(json_print(tree, false, &json, &err));
    CHECK_FAILS(jobspec_read(text_slice(&json), &arena, &spec, &err), STATUS_CORRUPT, message);
    text_deinit(&json);
    arena_deinit(&arena);
}

/* The n-th object of a tree in the order of writing, itself included; NULL
 * beyond the last. */
static cJSON *nth_object(cJSON *item, int *n)
{
    if (cJSON_IsObject(item) && (*n)-- == 0)
        return item;
    for (cJSON *child = item->child; child; child = child->next) {
        cJSON *found = nth_object(child, n);
        if (found)
            return found;
    }
    return NULL;
}

static bool may_be_missing(const char *member)
{
    return strcmp(member, "notices") == 0 || strcmp(member, "hint") == 0 ||
           strcmp(member, "others") == 0 || strcmp(member, "require") == 0 ||
           strcmp(member, "history") == 0;
}

/* The member in another type, then missing. False where there is no such member. */
static bool check_member(const struct jobspec *spec, int object, int member)
{
    cJSON *tree = tree_of(*spec);
    cJSON *parent = nth_object(tree, &object);
    cJSON *item = parent ? cJSON_GetArrayItem(parent, member) : NULL;
    char name[64], missing[128];

    if (item) {
        const bool is_first = strcmp(item->string, "version") == 0 || /* looked at first */
                              (parent == tree && strcmp(item->string, "kind") == 0) ||
                              cJSON_HasObjectItem(parent, "text"); /* a notice's */
        const bool is_optional = may_be_missing(item->string);
        snprintf(name, sizeof name, "member \"%s\"", item->string);
        snprintf(missing, sizeof missing, is_first ? "%s: expected" : "%s is missing", name);
        cJSON_ReplaceItemInObjectCaseSensitive(parent, item->string,
                                               cJSON_Parse("[[\"of no member's type\"]]"));
        check_tree_refused(tree, name);
        cJSON_DeleteItemFromArray(parent, member);
        if (!is_optional)
            check_tree_refused(tree, missing);
    }
    cJSON_Delete(tree);
    return item != NULL;
}

static int count_members(const cJSON *item)
{
    int count = 0;

    for (const cJSON *child = item->child; child; child = child->next)
        count += (child->string != NULL) + count_members(child);
    return count;
}

static void check_members_of(struct jobspec spec)
{
    cJSON *tree = tree_of(spec);
    int members = 0;

    for (int object = 0; check_member(&spec, object, 0); object++)
        for (int member = 0; check_member(&spec, object, member); member++)
            members++;
    CHECK_INT(members, count_members(tree));
    cJSON_Delete(tree);
}

static void every_member_is_needed_and_in_its_type(void **state)
{
    (void)state;

    check_members_of(example());
    check_members_of(scoring_example());
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
        {"\"threads\":", "\"lanes\": 3, \"threads\":", "twice"},
        {"\"inputs\":\t[", "\"inputs\":\t[7, ", "\"inputs\": expected objects"},
        {"\"the \\\"colour\\\"\"", "7", "\"name\": expected a string"},
        {"\"DNNClassifier\",", "\"\",", "\"estimator\": expected 1 to 64 bytes"},
        {"\"network\",",
         "\"a family name that is longer than the 64 bytes that names of families "
         "may have\",",
         "\"family\": expected 1 to 64 bytes"},
        {"\"classification\"", "\"ranking\"", "\"task\": \"ranking\" is not one of its words"},
        {"\"classification\"", "\"clustering\"", "\"label\": a model of clusters with a label"},
        {"\"text\"", "\"none\"", "\"label\": a classifier with a label"},
        {"\"category\"", "\"tensor\"", "\"kind\": \"tensor\" is not one of its words"},
        {"\"text\"", "\"blob\"", "\"type\": \"blob\" is not one of its words"},
        {"\"dropout\":\t0.1,", "", "dropout"},
        {"\"dropout\":\t0.1", "\"dropout\":\t1", "dropout"},
        {"\"dropout\":\t0.1", "\"dropout\":\t-0.1", "expected a number from 0 to 0.99"},
        {"\"batch_size\":\t128", "\"batch_size\":\t0", "batch_size"},
        {"\"batch_size\":\t128", "\"batch_size\":\t128.5", "batch_size"},
        {"\"batch_size\":\t128", "\"batch_size\":\ttrue", "batch_size"},
        {"\"batch_size\":\t128", "\"batch_size\":\t1e300", "batch_size"},
        {"\"epochs\":\t10", "\"epochs\":\t1000001", "integer from 0 to 1000000"},
        {"\"max_steps\":\t\"9223372036854775807\"", "\"max_steps\":\t\"9223372036854775808\"",
         "max_steps"},
        {"\"seed\":\t\"9007199254740993\"", "\"seed\":\t-1", "seed"},
        {"\"early_stopping\":\t3", "\"early_stopping\":\t-1", "early_stopping"},
        {"\"log_every_steps\":\t0", "\"log_every_steps\":\t4294967296", "log_every_steps"},
        {"[16, 8]", "[16, 8193]", "hidden_units"},
        {"[16, 8]", "[16, -1]", "hidden_units"},
        {"[16, 8]", "[16, 8.5]", "hidden_units"},
        {"[16, 8]", "[16, \"8\"]", "hidden_units"},
        {"[16, 8]", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "hidden_units"},
        {"\"tanh\"", "\"Tanh\"", "activation"},
        {"\"n_classes\":\t3", "\"n_classes\":\t1", "n_classes"},
        {"\"n_classes\":\t3", "\"n_classes\":\t65537", "n_classes"},
        {"\"l1\":\t0", "\"l1\":\t-1", "\"l1\": expected a number from 0 to 1e+06"},
        {"\"l1\":\t0", "\"l1\":\t1000001", "\"l1\": expected a number from 0 to 1e+06"},
        {"\"vocabulary_max\":\t10000", "\"vocabulary_max\":\t0", "vocabulary_max"},
        {"\"vocabulary_max\":\t0", "\"vocabulary_max\":\t1", "vocabulary_max"},
        {"\"vocabulary_max\":\t0", "\"vocabulary_max\":\t0, \"words_max\":\t1", "words_max"},
        {"\"category\"", "\"text\"", "words_max"},
        {"\"vocabulary_max\":\t0", "\"vocabulary_max\":\t0, \"direction\":\t1", "direction"},
        {"\"vocabulary_max\":\t0", "\"vocabulary_max\":\t0, \"direction\":\t\"up\"",
         "\"direction\": \"up\""},
        {"\"vocabulary_max\":\t10000", "\"vocabulary_max\":\t10000, \"direction\":\t\"rising\"",
         "\"direction\": a category has none"},
        {"\"vocabulary_max\":\t0", "\"vocabulary_max\":\t0, \"groups\":\t3", "groups"},
        {"\"vocabulary_max\":\t0", "\"vocabulary_max\":\t0, \"groups\":\t[]",
         "\"groups\": there is none"},
        {"\"vocabulary_max\":\t0", "\"vocabulary_max\":\t0, \"groups\":\t[\"1\"]",
         "\"groups\": numbers below 64 that ascend"},
        {"\"vocabulary_max\":\t0", "\"vocabulary_max\":\t0, \"groups\":\t[64]",
         "\"groups\": numbers below 64"},
        {"\"vocabulary_max\":\t0", "\"vocabulary_max\":\t0, \"groups\":\t[0.5]",
         "\"groups\": numbers below 64"},
        {"\"vocabulary_max\":\t0", "\"vocabulary_max\":\t0, \"groups\":\t[-1]",
         "\"groups\": numbers below 64"},
        {"\"vocabulary_max\":\t0", "\"vocabulary_max\":\t0, \"groups\":\t[3, 3]",
         "\"groups\": numbers below 64"},
        {"\"version\"", "\"roles\":\t[], \"version\"", "\"roles\": there is none"},
        {"\"version\"", "\"roles\":\t[1], \"version\"", "\"roles\": expected objects"},
        {"\"version\"", "\"roles\":\t[1,2,3,4,5,6,7,8,9], \"version\"",
         "9 elements, where at most"},
        {"\"version\"", "\"roles\":\t[{\"role\":\t\"judge\",\"name\":\t\"w\"}], \"version\"",
         "\"role\": \"judge\" is not one of its words"},
        {"\"version\"", "\"roles\":\t[{\"role\":\t\"sample_weight\"}], \"version\"", "name"},
        {"\"lanes\":\t8", "\"lanes\":\t1025", "lanes"},
        {"\"lanes_max\":\t64", "\"lanes_max\":\t0", "lanes_max"},
        {"\"min_workers\":\t1", "\"min_workers\":\t0", "min_workers"},
        {"\"max_workers\":\t4", "\"max_workers\":\t0", "max_workers"},
        {"\"min_workers\":\t1", "\"min_workers\":\t5", "max_workers"},
        {"\"threads\":\t3", "\"threads\":\t65", "threads"},
        {"\"memory\":\t536870912", "\"memory\":\t16777215", "memory"},
        {"\"in_one_process\":\tfalse", "\"in_one_process\":\t1", "in_one_process"},
        {"\"in_one_process\":\tfalse", "\"in_one_process\":\ttrue", "max_workers is 4"},
        {"\"has_validation\":\tfalse", "\"has_validation\":\ttrue", "exclude"},
        {"\"keeps_best\":\tfalse", "\"keeps_best\":\t2", "keeps_best"},
        {"\"Nesterov\"", "\"newton\"", "\"name\": \"newton\" is not one of its words"},
        {"\"cosine\"", "\"sine\"", "\"schedule\": \"sine\" is not one of its words"},
        {"\"learning_rate\":\t0.333", "\"learning_rate\":\t1e999, \"x\":\t0.333", "unknown"},
        {"\"momentum\":\t0.9", "\"momentum\":\tnull", "momentum"},
        {"\"beta2\":\t0.999", "\"beta2\":\t1", "beta2"},
        {"\"Accuracy\"", "\"\"", "metrics"},
        {"\"Accuracy\"", "5", "metrics"},
        {"\"Accuracy\"",
         "\"a metric of a name that is longer than the 64 bytes that a name may take\"",
         "expected names of 1 to 64 bytes"},
        {"\"Accuracy\"", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", "17 elements, where at most 16"},
        {"{", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[{",
         "deeper than 64"},
        {"{", "", "followed by other text"},
        {"{", "?", "no JSON at byte 0"},
    };
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_FAILS(read_changed(cases[i].old, cases[i].with, &err), STATUS_CORRUPT,
                    cases[i].message);
}

static void servers_are_processes_of_their_own(void **state)
{
    struct jobspec spec = example();
    struct text json;
    struct error err;
    (void)state;

    spec.max_workers = 1;
    spec.in_one_process = true;
    spec.servers = 2;
    text_init(&json, JOBSPEC_BYTES_MAX);
    CHECK_FAILS(jobspec_write(&spec, &json, &err), STATUS_CORRUPT,
                "job.in_one_process is true, and job.servers is 2");
    text_deinit(&json);
}

static void what_is_no_object_or_has_no_inputs_or_too_many_is_no_spec(void **state)
{
    cJSON *tree = example_tree(), *array = cJSON_CreateArray(), *many;
    (void)state;

    check_tree_refused(array, "expected an object");
    cJSON_Delete(array);
    cJSON_ReplaceItemInObjectCaseSensitive(tree, "inputs", cJSON_CreateArray());
    check_tree_refused(tree, "\"inputs\": expected at least one");
    many = cJSON_GetObjectItemCaseSensitive(tree, "inputs");
    for (int i = 0; i <= MODEL_INPUTS_MAX; i++)
        json_append(many, cJSON_CreateObject());
    check_tree_refused(tree, "2001 elements, where at most 2000 are read");
    cJSON_Delete(tree);
}

static void a_type_of_the_label_is_as_long_as_a_model_may_have_it(void **state)
{
    char type[TYPE_BYTES_MAX + 2] = "";
    struct jobspec spec = example(), again;
    struct arena arena;
    struct text json;
    struct error err;
    cJSON *tree;
    (void)state;

    memset(type, 't', TYPE_BYTES_MAX + 1);
    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&json, JOBSPEC_BYTES_MAX);
    spec.label_declared = (struct slice){type, TYPE_BYTES_MAX};
    CHECK_OK(jobspec_write(&spec, &json, &err));
    CHECK_OK(jobspec_read(text_slice(&json), &arena, &again, &err));
    CHECK(jobspec_equal(&spec, &again));
    tree = tree_of(spec);
    cJSON_SetValuestring(cJSON_GetObjectItemCaseSensitive(
                             cJSON_GetObjectItemCaseSensitive(tree, "label"), "declared"),
                         type);
    check_tree_refused(tree, "\"declared\": expected 1 to 1000 bytes");
    cJSON_Delete(tree);
    text_deinit(&json);
    arena_deinit(&arena);
}

static void a_spec_that_is_too_large_is_not_read(void **state)
{
    struct arena arena;
    struct jobspec spec;
    struct text json;
    struct error err;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&json, 2 * JOBSPEC_BYTES_MAX);
    while (json.size <= JOBSPEC_BYTES_MAX)
        text_append_string(&json,
                           "                                                                ");
    CHECK_FAILS(jobspec_read(text_slice(&json), &arena, &spec, &err), STATUS_CORRUPT,
                "where at most 16777216 are read");
    text_deinit(&json);
    arena_deinit(&arena);
}

static void a_job_begins_with_workers_that_it_may_have(void **state)
{
    static const uint32_t wrong[] = {1, 5};
    struct jobspec spec = example();
    struct text json;
    struct error err;
    (void)state;

    spec.min_workers = 2;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        spec.history.first = wrong[i];
        text_init(&json, JOBSPEC_BYTES_MAX);
        CHECK_FAILS(jobspec_write(&spec, &json, &err), STATUS_CORRUPT,
                    "member \"first\": expected 0, or min_workers to max_workers");
        text_deinit(&json);
    }
    spec.history = (struct spec_history){.first = 0};
    spec.require = SLICE("");
    text_init(&json, JOBSPEC_BYTES_MAX);
    CHECK_OK(jobspec_write(&spec, &json, &err)); /* neither is in the file */
    CHECK(!strstr(text_string(&json), "history") && !strstr(text_string(&json), "require"));
    text_deinit(&json);
}

static void numbers_at_the_ends_of_their_ranges_are_read(void **state)
{
    struct error err;
    (void)state;

    CHECK_OK(read_changed("[16, 8]", "[1, 8192]", &err));
    CHECK_OK(read_changed("[16, 8]", "[]", &err));
    CHECK_OK(read_changed("\"dropout\":\t0.1", "\"dropout\":\t0.99", &err));
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
    struct input_spec others[] = {inputs[0], inputs[1]};
    struct jobspec a = example(), b = example();
    (void)state;

    CHECK(jobspec_equal(&a, &b));
#define DIFFERS(place, value)                                                                      \
    do {                                                                                           \
        b = example();                                                                             \
        b.place = value;                                                                           \
        CHECK(!jobspec_equal(&a, &b));                                                             \
        CHECK(!jobspec_equal(&b, &a));                                                             \
    } while (0)
#define NETWORK_DIFFERS(place, value)                                                              \
    do {                                                                                           \
        b = example();                                                                             \
        network_params(&b.params)->place = value;                                                  \
        CHECK(!jobspec_equal(&a, &b));                                                             \
        CHECK(!jobspec_equal(&b, &a));                                                             \
    } while (0)
    DIFFERS(statement, SLICE("SELECT 2 TO TRAIN\nDNNClassifier"));
    DIFFERS(estimator, SLICE("LinearClassifier"));
    DIFFERS(family, SLICE("forest"));
    DIFFERS(task, TASK_REGRESSION);
    DIFFERS(model_name, SLICE("n"));
    DIFFERS(input_count, 1);
    DIFFERS(label, SLICE("Class"));
    DIFFERS(label_type, LABEL_REAL);
    DIFFERS(has_validation, true);
    DIFFERS(keeps_best, true);
    DIFFERS(notices, NULL);
    DIFFERS(require, SLICE("AUC >= 0.9"));
    DIFFERS(history.work, SLICE("0123456789abcdee"));
    DIFFERS(history.paces, SLICE(""));
    DIFFERS(history.first, 1);
    NETWORK_DIFFERS(hidden_units.items[1], 9);
    NETWORK_DIFFERS(hidden_units.count, 1);
    NETWORK_DIFFERS(activation, NETWORK_ACTIVATION_RELU);
    NETWORK_DIFFERS(dropout, 0.2);
    DIFFERS(n_classes, 4);
    DIFFERS(standardize, false);
    NETWORK_DIFFERS(l1, 1e-9);
    NETWORK_DIFFERS(l2, 2e-9);
    DIFFERS(batch_size, 127);
    DIFFERS(epochs, 11);
    DIFFERS(max_steps, 1);
    DIFFERS(seed, (uint64_t)1 << 53);
    DIFFERS(shuffle, true);
    DIFFERS(test_size, 0.125);
    DIFFERS(early_stopping, 4);
    DIFFERS(balanced, false);
    DIFFERS(metrics[1], SLICE("F1"));
    DIFFERS(metric_count, 1);
    DIFFERS(log_every_steps, 1);
    NETWORK_DIFFERS(optimizer, OPTIMIZER_MOMENTUM);
    NETWORK_DIFFERS(learning_rate, 0.25);
    NETWORK_DIFFERS(momentum, 0.8);
    NETWORK_DIFFERS(beta1, 0.8);
    NETWORK_DIFFERS(beta2, 0.8);
    NETWORK_DIFFERS(epsilon, 1e-7);
    NETWORK_DIFFERS(initial_accumulator, 0.2);
    NETWORK_DIFFERS(schedule, SCHEDULE_LINEAR);
    NETWORK_DIFFERS(loss, NETWORK_FOCAL);
    NETWORK_DIFFERS(huber_delta, 0.8);
    NETWORK_DIFFERS(quantile_level, 0.8);
    NETWORK_DIFFERS(focal_gamma, 0.8);
    NETWORK_DIFFERS(label_smoothing, 0.8);
    NETWORK_DIFFERS(rho, 0.8);
    NETWORK_DIFFERS(centered, true);
    NETWORK_DIFFERS(weight_decay, 0.25);
    NETWORK_DIFFERS(rate_power, -0.25);
    NETWORK_DIFFERS(ftrl_l1, 0.25);
    NETWORK_DIFFERS(ftrl_l2, 0.25);
    NETWORK_DIFFERS(clip_norm, 0.25);
    NETWORK_DIFFERS(clip_value, 0.25);
    NETWORK_DIFFERS(decay_steps, 9);
    NETWORK_DIFFERS(decay_rate, 0.25);
    NETWORK_DIFFERS(power, 0.25);
    NETWORK_DIFFERS(end_rate, 0.25);
    NETWORK_DIFFERS(warmup_steps, 9);
    DIFFERS(lanes, 9);
    DIFFERS(lanes_max, 65);
    DIFFERS(min_workers, 2);
    DIFFERS(max_workers, 5);
    DIFFERS(threads, 4);
    DIFFERS(memory, 0);
    DIFFERS(servers, 3);
    DIFFERS(staleness, 3);
    DIFFERS(server_memory, 1 << 30);
    DIFFERS(in_one_process, true);
    others[1].name = SLICE("color");
    DIFFERS(inputs, others);
    others[1] = inputs[1];
    others[1].type = INPUT_NUMERIC;
    DIFFERS(inputs, others);
    others[1] = inputs[1];
    others[1].vocabulary_max = 1;
    DIFFERS(inputs, others);
    others[1] = inputs[1];
    others[1].words_max = 1;
    DIFFERS(inputs, others);
#undef DIFFERS
}

/* The spec with its second input a text. */
static void a_text_has_words_and_no_other_input(void **state)
{
    static const struct {
        enum input_type type;
        uint32_t buckets, words;
        const char *message; /* NULL: it is right */
    } cases[] = {
        {INPUT_TEXT, 1, 1, NULL},
        {INPUT_TEXT, CATEGORY_WORDS_MAX, TEXT_WORDS_MAX, NULL},
        {INPUT_TEXT, 0, 1, "vocabulary_max"},
        {INPUT_TEXT, CATEGORY_WORDS_MAX + 1, 1, "vocabulary_max"},
        {INPUT_TEXT, 1, 0, "words_max"},
        {INPUT_TEXT, 1, TEXT_WORDS_MAX + 1, "words_max"},
    };
    struct jobspec spec = example(), read;
    struct input_spec texts[2];
    struct arena arena;
    struct text written;
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        arena_init(&arena, ARENA_MAXIMUM);
        text_init(&written, JOBSPEC_BYTES_MAX);
        memcpy(texts, inputs, sizeof texts);
        texts[1].type = cases[i].type;
        texts[1].vocabulary_max = cases[i].buckets;
        texts[1].words_max = cases[i].words;
        spec.inputs = texts;
        if (cases[i].message) {
            CHECK_FAILS(jobspec_write(&spec, &written, &err), STATUS_CORRUPT, cases[i].message);
        } else {
            CHECK_OK(jobspec_write(&spec, &written, &err));
            CHECK_OK(jobspec_read(text_slice(&written), &arena, &read, &err));
            CHECK(jobspec_equal(&spec, &read));
        }
        text_deinit(&written);
        arena_deinit(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_reads_back_the_same),
        cmocka_unit_test(a_job_that_scores_reads_back_the_same),
        cmocka_unit_test(a_text_has_words_and_no_other_input),
        cmocka_unit_test(every_member_is_needed_and_in_its_type),
        cmocka_unit_test(a_reader_takes_nothing_that_it_does_not_know),
        cmocka_unit_test(servers_are_processes_of_their_own),
        cmocka_unit_test(what_is_no_object_or_has_no_inputs_or_too_many_is_no_spec),
        cmocka_unit_test(a_type_of_the_label_is_as_long_as_a_model_may_have_it),
        cmocka_unit_test(a_spec_that_is_too_large_is_not_read),
        cmocka_unit_test(a_job_begins_with_workers_that_it_may_have),
        cmocka_unit_test(numbers_at_the_ends_of_their_ranges_are_read),
        cmocka_unit_test(a_spec_that_no_reader_would_take_is_not_written),
        cmocka_unit_test(specs_that_differ_anywhere_are_not_equal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
