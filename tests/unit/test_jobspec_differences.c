#include "base/json.h"
#include "jobspec/jobspec.h"
#include "jobspec/jobspec_equal.h"
#include "jobspec/jobspec_fingerprint.h"
#include "jobspec/jobspec_read.h"
#include "jobspec/jobspec_scoring.h"
#include "jobspec/jobspec_write.h"
#include "kinds/forecast/holidays.h"
#include "kinds/network/network_attributes.h"
#include "tests/check.h"

/* A job that the planner makes of a statement with dates and texts that are read as numbers. */
static struct jobspec example(void)
{
    static struct input_spec inputs[] = {
        {.name = SLICE("price"), .type = INPUT_NUMERIC, .reading = READING_SEPARATED},
        {.name = SLICE("day_age"), .type = INPUT_NUMERIC, .source = SLICE("day"), .part = DATE_AGE},
    };
    struct jobspec spec = {
        .statement = SLICE("SELECT 1 TO TRAIN DNNRegressor"),
        .estimator = SLICE("DNNRegressor"),
        .family = SLICE("network"),
        .task = TASK_REGRESSION,
        .model_name = SLICE("m"),
        .inputs = inputs,
        .input_count = 2,
        .label = SLICE("cost"),
        .label_type = LABEL_REAL,
        .label_reading = READING_SEPARATED,
        .batch_size = 128,
        .epochs = 10,
        .metrics = {SLICE("MSE")},
        .metric_count = 1,
        .lanes = 8,
        .lanes_max = 64,
        .min_workers = 1,
        .max_workers = 4,
    };

    *network_params(&spec.params) = (struct network_params){
        .hidden_units = {{16}, 1},
        .learning_rate = 0.25,
        .momentum = 0.9,
        .beta1 = 0.9,
        .beta2 = 0.999,
        .epsilon = 1e-8,
        .initial_accumulator = 0.1,
    };
    return spec;
}

static struct spec_scoring scoring_example(void)
{
    static uint32_t cells[] = {3, 0};

    return (struct spec_scoring){
        .rows = 1000,
        .shard_rows = 16384,
        .columns = 4,
        .inputs = cells,
        .input_count = 2,
        .label = 1,
        .label_name = SLICE("class"),
        .outputs = {SLICE("prediction"), SLICE("probability")},
        .output_count = 2,
        .metrics = {SLICE("AUC")},
        .metric_count = 1,
        .has_threshold = true,
        .threshold = 0.5,
        .bootstrap = {.level = 0.95, .resamples = 1000, .seed = 7},
    };
}

static void jobs_that_score_otherwise_are_not_equal(void **state)
{
    static uint32_t other_cells[] = {3, 2};
    const struct spec_scoring a = scoring_example();
    struct spec_scoring b = a;
    (void)state;

    CHECK(spec_same_scoring(&a, &b));
#define DIFFERS(place, value)                                                                      \
    do {                                                                                           \
        b = scoring_example();                                                                     \
        b.place = value;                                                                           \
        assert_false(spec_same_scoring(&a, &b));                                                   \
        assert_false(spec_same_scoring(&b, &a));                                                   \
    } while (0)
    DIFFERS(rows, 1001);
    DIFFERS(shard_rows, 1);
    DIFFERS(columns, 5);
    DIFFERS(inputs, other_cells);
    DIFFERS(input_count, 1);
    DIFFERS(label, JOBSPEC_NO_LABEL);
    DIFFERS(label_name, SLICE("Class"));
    DIFFERS(outputs[1], SLICE("confidence"));
    DIFFERS(output_count, 1);
    DIFFERS(checked, 1);
    DIFFERS(anomaly, 0.5);
    DIFFERS(metrics[0], SLICE("F1"));
    DIFFERS(metric_count, 0);
    DIFFERS(average, AVERAGE_MICRO);
    DIFFERS(report, REPORT_ROC);
    DIFFERS(has_threshold, false);
    DIFFERS(threshold, 0.25);
    DIFFERS(false_positive_cost, 2);
    DIFFERS(false_negative_cost, 2);
    DIFFERS(bootstrap.level, 0.9);
    DIFFERS(bootstrap.resamples, 200);
    DIFFERS(bootstrap.seed, 8);
    DIFFERS(keeps_bad_rows, true);
    DIFFERS(replaces_any, true);
#undef DIFFERS
}

/* Days are among what a job is known by. */
static void check_holidays(const struct holidays *more, const struct holidays *fewer)
{
    struct jobspec a = example(), b = a;
    struct text first, second;

    a.holidays = more;
    b.holidays = fewer;
    CHECK(jobspec_equal(&a, &a) && !jobspec_equal(&a, &b));
    text_init(&first, TEXT_MAXIMUM);
    text_init(&second, TEXT_MAXIMUM);
    jobspec_put_settings(&a, &first);
    jobspec_put_settings(&b, &second);
    CHECK(!slice_equal(text_slice(&first), text_slice(&second)));
    text_deinit(&first);
    text_deinit(&second);
}

static void jobs_that_read_or_tell_otherwise_are_not_equal(void **state)
{
    const struct jobspec a = example();
    struct jobspec b = a;
    struct input_spec others[] = {a.inputs[0], a.inputs[1]};
    static const int32_t days[] = {20082, 20447};
    static const struct holiday feast = {SLICE("feast"), 2, days},
                                shorter = {SLICE("feast"), 1, days};
    static const struct holidays holidays = {1, &feast}, fewer = {1, &shorter};
    (void)state;

    CHECK(jobspec_equal(&a, &b));
    check_holidays(&holidays, &fewer);
#define DIFFERS(place, value)                                                                      \
    do {                                                                                           \
        b = example();                                                                             \
        b.place = value;                                                                           \
        assert_false(jobspec_equal(&a, &b));                                                       \
        assert_false(jobspec_equal(&b, &a));                                                       \
    } while (0)
    DIFFERS(kind, SPEC_EVALUATE);
    DIFFERS(label_declared, SLICE("numeric"));
    DIFFERS(positive, SLICE("yes"));
    DIFFERS(threshold, SLICE("f1"));
    DIFFERS(calibration, CALIBRATION_SIGMOID);
    DIFFERS(fold_scores, FOLD_SCORES_GIVEN);
    DIFFERS(label_reading, READING_NUMBER);
    DIFFERS(average, AVERAGE_WEIGHTED);
    DIFFERS(has_default_metrics, true);
    DIFFERS(staged_shards, 2);
    DIFFERS(holidays, &holidays);
    DIFFERS(metrics_host, SLICE("127.0.0.1"));
    DIFFERS(metrics_port, 9090);
    DIFFERS(tensorboard, SLICE("/tmp/board"));
    others[1].part = DATE_MONTH;
    DIFFERS(inputs, others);
    others[1] = a.inputs[1], others[1].source = SLICE("date");
    DIFFERS(inputs, others);
    others[1] = a.inputs[1], others[0].reading = READING_NUMBER;
    DIFFERS(inputs, others);
    others[0] = a.inputs[0], others[0].keeps_codes = true;
    DIFFERS(inputs, others);
    others[0] = a.inputs[0], others[0].offset = OFFSET_EXPOSURE;
    DIFFERS(inputs, others);
    others[0] = a.inputs[0], others[0].direction = -1;
    DIFFERS(inputs, others);
    others[0] = a.inputs[0], others[0].groups = (uint64_t)1 << 63;
    DIFFERS(inputs, others);
    others[0] = a.inputs[0],
    others[0].list = (struct cell_list){LIST_DENSE, 3, ',', 0, 0, false, 0, 0};
    DIFFERS(inputs, others);
    others[0] = a.inputs[0], others[0].element = 1;
    DIFFERS(inputs, others);
    others[0] = a.inputs[0], others[0].combiner = COMBINER_MEAN;
    DIFFERS(inputs, others);
    others[0] = a.inputs[0], others[0].is_weighted = true;
    DIFFERS(inputs, others);
    others[0] = a.inputs[0], others[0].has_pairs = true;
    DIFFERS(inputs, others);
    others[0] = a.inputs[0], others[0].weight = TEXT_WEIGHT_TFIDF;
    DIFFERS(inputs, others);
    DIFFERS(role_count, 1);
#undef DIFFERS
}

/* Reads the spec back into the arena, which this begins, and the caller ends. */
static struct jobspec read_back(const struct jobspec *spec, struct arena *arena)
{
    struct jobspec again;
    struct text json;
    struct error err;

    arena_init(arena, ARENA_MAXIMUM);
    text_init(&json, JOBSPEC_BYTES_MAX);
    CHECK_OK(jobspec_write(spec, &json, &err));
    CHECK_OK(jobspec_read(text_slice(&json), arena, &again, &err));
    text_deinit(&json);
    return again;
}

static void columns_of_roles_read_back_the_same(void **state)
{
    struct jobspec spec = example(), again;
    struct arena arena;
    (void)state;

    spec.roles[0] = (struct spec_role){ROLE_SAMPLE_WEIGHT, SLICE("w")};
    spec.role_count = 1;
    again = read_back(&spec, &arena);
    CHECK(jobspec_equal(&spec, &again));
    CHECK_INT(spec_columns(&again), spec.input_count + 2);
    CHECK_INT(spec_role_column(&again, ROLE_SAMPLE_WEIGHT), spec.input_count + 1);
    again.roles[0].name = SLICE("v");
    CHECK(!jobspec_equal(&spec, &again));
    again.role_count = 0;
    CHECK_INT(spec_role_column(&again, ROLE_SAMPLE_WEIGHT), 0);
    arena_deinit(&arena);
}

static void dates_and_readings_read_back_the_same(void **state)
{
    struct jobspec spec = example(), again;
    struct input_spec inputs[] = {spec.inputs[0], spec.inputs[1]};
    struct arena arena;
    (void)state;

    inputs[0].keeps_codes = true;
    spec.inputs = inputs;
    again = read_back(&spec, &arena);
    CHECK(jobspec_equal(&spec, &again));
    CHECK_SLICE(again.inputs[1].source, "day");
    CHECK(again.inputs[1].part == DATE_AGE);
    CHECK(again.inputs[0].reading == READING_SEPARATED);
    CHECK(again.label_reading == READING_SEPARATED);
    CHECK(again.inputs[0].keeps_codes && !again.inputs[1].keeps_codes);
    arena_deinit(&arena);
}

static void constraints_of_inputs_read_back_the_same(void **state)
{
    struct jobspec spec = example(), again;
    struct input_spec inputs[] = {spec.inputs[0], spec.inputs[1]};
    struct arena arena;
    (void)state;

    inputs[0].type = inputs[1].type = INPUT_NUMERIC;
    inputs[0].direction = -1, inputs[1].direction = 1;
    inputs[0].groups = (uint64_t)1 << 63 | 1, inputs[1].groups = 2;
    inputs[0].offset = OFFSET_MARGIN;
    spec.inputs = inputs;
    again = read_back(&spec, &arena);
    CHECK(jobspec_equal(&spec, &again));
    CHECK_INT(again.inputs[0].direction, -1);
    CHECK_INT(again.inputs[1].direction, 1);
    CHECK(again.inputs[0].groups == ((uint64_t)1 << 63 | 1) && again.inputs[1].groups == 2);
    CHECK(again.inputs[0].offset == OFFSET_MARGIN && !again.inputs[1].offset);
    arena_deinit(&arena);
}

/* A state of a job goes on with a job of the same constraints and roles alone. */
static void constraints_and_roles_are_in_the_fingerprint(void **state)
{
    struct jobspec spec = example();
    struct input_spec inputs[] = {spec.inputs[0], spec.inputs[1]};
    struct text texts[7];
    (void)state;

    spec.inputs = inputs;
    for (int i = 0; i < 7; i++) {
        text_init(&texts[i], TEXT_MAXIMUM);
        inputs[0].direction = i == 1, inputs[1].direction = i == 2;
        inputs[1].groups = i == 3;
        inputs[1].offset = i == 6 ? OFFSET_ADDED : OFFSET_NONE;
        spec.role_count = i == 4 || i == 5;
        spec.roles[0] = (struct spec_role){ROLE_GROUP, i == 4 ? SLICE("v") : SLICE("w")};
        jobspec_put_settings(&spec, &texts[i]);
        for (int j = 0; j < i; j++)
            CHECK(!slice_equal(text_slice(&texts[i]), text_slice(&texts[j])));
    }
    for (int i = 0; i < 7; i++)
        text_deinit(&texts[i]);
}

/* Inputs for specs that the writer refuses, as they would not read back: the message says why. */
static struct input_spec bucket_input(void)
{
    static const double bounds[] = {-1.5, 0, 1e300};

    return (struct input_spec){.name = SLICE("BUCKET(price)"),
                               .type = INPUT_CATEGORY,
                               .rule = RULE_BUCKET,
                               .vocabulary_max = 4,
                               .bounds = bounds,
                               .bound_count = 3,
                               .source = SLICE("price"),
                               .reading = READING_SEPARATED};
}

static struct input_spec list_input(void)
{
    return (struct input_spec){.name = SLICE("seen[2]"),
                               .type = INPUT_NUMERIC,
                               .list = {LIST_SPARSE, 10, 0, ':', 0, false, 0, 0},
                               .element = 2,
                               .source = SLICE("seen"),
                               .keeps_codes = true};
}

static struct input_spec items_input(void)
{
    return (struct input_spec){.name = SLICE("CATEGORY_ID(seen)"),
                               .type = INPUT_TEXT,
                               .vocabulary_max = 500,
                               .words_max = 20,
                               .rule = RULE_ID,
                               .combiner = COMBINER_MEAN,
                               .is_weighted = true,
                               .list = {LIST_ITEMS, 20, ' ', ':', 0, false, 0, 0},
                               .source = SLICE("seen")};
}

static void items_read_back_the_same(void **state)
{
    struct jobspec spec = example(), again;
    struct input_spec inputs[] = {spec.inputs[0], items_input()};
    struct arena arena;
    (void)state;

    spec.inputs = inputs;
    again = read_back(&spec, &arena);
    CHECK(jobspec_equal(&spec, &again));
    CHECK(again.inputs[1].is_weighted && again.inputs[1].combiner == COMBINER_MEAN);
    CHECK(again.inputs[1].rule == RULE_ID && again.inputs[1].list.form == LIST_ITEMS);
    arena_deinit(&arena);
}

static void lists_read_back_the_same(void **state)
{
    struct jobspec spec = example(), again;
    struct input_spec inputs[] = {spec.inputs[0], list_input()};
    struct arena arena;
    (void)state;

    spec.inputs = inputs;
    again = read_back(&spec, &arena);
    CHECK(jobspec_equal(&spec, &again));
    CHECK(again.inputs[1].list.size == 10 && again.inputs[1].element == 2);
    arena_deinit(&arena);
}

static void rules_of_categories_read_back_the_same(void **state)
{
    static const double others[] = {-1.5, 0, 1e301};
    struct jobspec spec = example(), again;
    struct input_spec inputs[] = {spec.inputs[0], bucket_input()};
    struct arena arena;
    (void)state;

    spec.inputs = inputs;
    again = read_back(&spec, &arena);
    CHECK(jobspec_equal(&spec, &again));
    CHECK_SLICE(again.inputs[1].source, "price");
    CHECK(again.inputs[1].rule == RULE_BUCKET && again.inputs[1].bound_count == 3);
    inputs[1].bounds = others;
    CHECK(!jobspec_equal(&spec, &again));
    inputs[1].bounds = NULL, inputs[1].bound_count = 0;
    CHECK(!jobspec_equal(&spec, &again));
    arena_deinit(&arena);
    again = read_back(&spec, &arena);
    CHECK(jobspec_equal(&spec, &again));
    inputs[1].rule = RULE_ID;
    CHECK(!jobspec_equal(&spec, &again));
    arena_deinit(&arena);
}

/* CROSS(site, BUCKET(price)) of 100 buckets */
static struct input_spec cross_input(struct cross *cross, struct cross_column columns[2])
{
    static const double bounds[] = {0.5};

    columns[0] = (struct cross_column){.name = SLICE("site")};
    columns[1] = (struct cross_column){.name = SLICE("price"),
                                       .rule = RULE_BUCKET,
                                       .reading = READING_SEPARATED,
                                       .bounds = bounds,
                                       .bound_count = 1};
    *cross = (struct cross){columns, 2, 100};
    return (struct input_spec){.name = SLICE("CROSS(site, BUCKET(price))"),
                               .type = INPUT_CATEGORY,
                               .rule = RULE_CROSS,
                               .cross = cross,
                               .vocabulary_max = 100};
}

static void crosses_read_back_the_same(void **state)
{
    struct jobspec spec = example(), again;
    struct cross_column columns[2], others[2];
    struct cross cross, other;
    struct input_spec inputs[] = {spec.inputs[0], cross_input(&cross, columns)};
    struct arena arena;
    (void)state;

    spec.inputs = inputs;
    again = read_back(&spec, &arena);
    CHECK(jobspec_equal(&spec, &again));
    CHECK_INT(again.inputs[1].cross->buckets, 100);
    inputs[1] = cross_input(&other, others);
    others[0].name = SLICE("page");
    CHECK(!jobspec_equal(&spec, &again));
    arena_deinit(&arena);
}

static void parts_of_models_read_back_the_same(void **state)
{
    struct jobspec spec = example(), again;
    struct cross_column columns[2];
    struct cross cross;
    struct input_spec inputs[] = {spec.inputs[0], cross_input(&cross, columns)};
    struct arena arena;
    (void)state;

    spec.inputs = inputs;
    inputs[0].model_part = PART_LINEAR;
    inputs[1].model_part = PART_DNN, inputs[1].dimension = 16;
    again = read_back(&spec, &arena);
    CHECK(jobspec_equal(&spec, &again));
    CHECK(again.inputs[0].model_part == PART_LINEAR && again.inputs[0].dimension == 0);
    CHECK(again.inputs[1].model_part == PART_DNN && again.inputs[1].dimension == 16);
    inputs[0].model_part = PART_BOTH;
    CHECK(!jobspec_equal(&spec, &again));
    inputs[0].model_part = PART_LINEAR, inputs[1].dimension = 8;
    CHECK(!jobspec_equal(&spec, &again));
    arena_deinit(&arena);
    inputs[1].concat = (struct concat){3, COMBINER_SUM};
    again = read_back(&spec, &arena);
    CHECK(jobspec_equal(&spec, &again));
    CHECK(concat_equal(again.inputs[1].concat, inputs[1].concat));
    inputs[1].concat.combiner = COMBINER_MEAN;
    CHECK(!jobspec_equal(&spec, &again));
    arena_deinit(&arena);
}

static void check_not_written(const struct jobspec *spec, const char *message)
{
    struct text json;
    struct error err;

    text_init(&json, JOBSPEC_BYTES_MAX);
    CHECK_FAILS(jobspec_write(spec, &json, &err), STATUS_CORRUPT, message);
    text_deinit(&json);
}

static void lists_that_cannot_be_are_refused(void **state)
{
    struct jobspec spec = example();
    struct input_spec inputs[] = {spec.inputs[0], list_input()};
    (void)state;

    spec.inputs = inputs;
    inputs[1].element = 10;
    check_not_written(&spec, "\"element\"");
    inputs[1] = list_input(), inputs[1].list.pair = '1';
    check_not_written(&spec, "lists that cannot be read");
    inputs[1] = list_input(), inputs[1].list.size = 4000000000;
    check_not_written(&spec, "\"size\"");
    inputs[1] = list_input(), inputs[1].source = SLICE("");
    check_not_written(&spec, "\"column\" is missing");
    inputs[1] = list_input(), inputs[1].keeps_codes = false;
    inputs[1].type = INPUT_CATEGORY, inputs[1].vocabulary_max = 10;
    check_not_written(&spec, "\"list\": a category takes no such list");
    inputs[1] = list_input(), inputs[1].list.form = LIST_ITEMS;
    check_not_written(&spec, "\"list\": a numeric takes no such list");
    inputs[1] = list_input(), inputs[1].combiner = COMBINER_SUM;
    check_not_written(&spec, "of lists alone");
    inputs[1] = list_input(), inputs[1].is_weighted = true;
    check_not_written(&spec, "of lists alone");
    inputs[1] = items_input(), inputs[1].list.pair = 0;
    check_not_written(&spec, "of lists alone");
    inputs[1] = items_input(), inputs[1].rule = RULE_WORDS;
    check_not_written(&spec, "a list of items has one");
    inputs[1] = items_input(), inputs[1].rule = RULE_BUCKET;
    check_not_written(&spec, "a text has no rule \"bucket\"");
    inputs[1] = items_input(), inputs[1].words_max = 21;
    check_not_written(&spec, "\"words_max\": not the list's");
    inputs[1] = items_input(), inputs[1].words_max = inputs[1].list.size = 4000000;
    check_not_written(&spec, "\"words_max\": expected an integer");
    inputs[1] = list_input(), inputs[1].part = DATE_AGE;
    check_not_written(&spec, "\"part\"");
}

static void parts_of_dates_and_readings_that_cannot_be_are_refused(void **state)
{
    struct jobspec spec = example();
    struct input_spec inputs[] = {spec.inputs[0], spec.inputs[1]};
    (void)state;

    spec.inputs = inputs;
    inputs[1].source = SLICE("");
    check_not_written(&spec, "\"column\"");
    inputs[1] = example().inputs[1];
    inputs[1].part = DATE_WEEKDAY; /* a word, where an age is a number */
    check_not_written(&spec, "\"part\": a numeric is no weekday of a date");
    inputs[1] = example().inputs[1];
    inputs[0].reading = READING_STRICT;
    check_not_written(&spec, "is not written");
    inputs[0].reading = READING_DAY_FIRST;
    check_not_written(&spec, "\"reading\": a numeric has none");
    inputs[0] = example().inputs[0];
    inputs[1].reading = READING_COMMA; /* the input is a part of dates */
    check_not_written(&spec, "\"reading\": a numeric has none");
    inputs[1] = example().inputs[1];
    inputs[0].type = INPUT_CATEGORY, inputs[0].vocabulary_max = 10;
    check_not_written(&spec, "\"reading\"");
    inputs[0].type = INPUT_TEXT, inputs[0].words_max = 10;
    check_not_written(&spec, "\"reading\": a text has none");
    inputs[0].type = INPUT_CATEGORY;
    inputs[0].reading = READING_NUMBER, inputs[0].keeps_codes = true;
    check_not_written(&spec, "\"keeps_codes\"");
    spec = example();
    spec.label_reading = READING_STRICT;
    check_not_written(&spec, "is not written");
    spec.label_reading = READING_MONTH_FIRST;
    check_not_written(&spec, "a label is no date");
    spec = example();
    spec.family = SLICE("astrology");
    check_not_written(&spec, "astrology");
}

static void rules_that_cannot_be_are_refused(void **state)
{
    static const double falling[] = {1, 0, 2};
    struct jobspec spec = example();
    struct input_spec inputs[] = {spec.inputs[0], bucket_input()};
    (void)state;

    spec.inputs = inputs;
    inputs[1].bounds = falling;
    check_not_written(&spec, "\"bounds\": numbers that ascend");
    inputs[1] = bucket_input();
    inputs[1].rule = RULE_ID;
    check_not_written(&spec, "\"bounds\": of buckets alone");
    inputs[1] = bucket_input();
    inputs[1].vocabulary_max = 5;
    check_not_written(&spec, "3 of 5 buckets");
    inputs[1] = bucket_input();
    inputs[1].type = INPUT_TEXT, inputs[1].words_max = 3;
    check_not_written(&spec, "a text has no rule \"bucket\"");
    inputs[1] = bucket_input();
    inputs[1].bound_count = 0, inputs[1].vocabulary_max = BUCKETS_MAX + 1;
    check_not_written(&spec, "vocabulary_max");
    inputs[1] = bucket_input();
    inputs[1].rule = RULE_WORDS, inputs[1].bound_count = 0, inputs[1].reading = READING_NUMBER;
    check_not_written(&spec, "an input of the column itself");
}

static void crosses_that_cannot_be_are_refused(void **state)
{
    struct jobspec spec = example();
    struct cross_column columns[2];
    struct cross cross;
    struct input_spec inputs[] = {spec.inputs[0], cross_input(&cross, columns)};
    (void)state;

    spec.inputs = inputs;
    inputs[1].cross = NULL;
    check_not_written(&spec, "\"cross\"");
    inputs[1].cross = &cross, inputs[1].rule = RULE_HASH;
    check_not_written(&spec, "\"rule\": a category with a rule needs its column");
    inputs[1].rule = RULE_CROSS, inputs[1].source = SLICE("site");
    check_not_written(&spec, "\"column\": an input of the column itself");
    inputs[1].source = SLICE(""), columns[0].rule = RULE_CROSS;
    check_not_written(&spec, "a rule that it cannot have");
}

static void dimensions_without_an_embedding_are_refused(void **state)
{
    struct jobspec spec = example();
    struct cross_column columns[2];
    struct cross cross;
    struct input_spec inputs[] = {spec.inputs[0], cross_input(&cross, columns)};
    (void)state;

    spec.inputs = inputs;
    inputs[0].dimension = 4;
    check_not_written(&spec, "members \"dimension\" and \"concat\": of embeddings alone");
    inputs[0].dimension = 0;
    inputs[1].dimension = 4, inputs[1].model_part = PART_LINEAR;
    check_not_written(&spec, "members \"dimension\" and \"concat\": of embeddings alone");
    inputs[1].dimension = 0, inputs[1].concat = (struct concat){1, COMBINER_SUM};
    check_not_written(&spec, "members \"dimension\" and \"concat\": of embeddings alone");
    inputs[1].concat.number = MODEL_INPUTS_MAX + 1, inputs[1].model_part = PART_BOTH;
    check_not_written(&spec, "\"number\"");
    inputs[1].concat.number = 0;
    inputs[1].dimension = EMBEDDING_DIMENSION_MAX + 1, inputs[1].model_part = PART_BOTH;
    check_not_written(&spec, "\"dimension\"");
}

/* The section as it is read from a file; the caller frees it with cJSON_Delete. */
static cJSON *written(const struct spec_scoring *scoring)
{
    cJSON *json = cJSON_CreateObject(), *again;
    struct text text;
    struct error err;

    text_init(&text, JOBSPEC_BYTES_MAX);
    spec_write_scoring(scoring, json);
    CHECK_OK(json_print(json, false, &text, &err));
    CHECK_OK(json_parse(text_slice(&text), JOBSPEC_BYTES_MAX, &again, &err));
    text_deinit(&text);
    cJSON_Delete(json);
    return again;
}

static void cells_and_thresholds_that_cannot_be_are_refused(void **state)
{
    static const struct {
        const char *member, *value, *message;
    } cases[] = {
        {"inputs", "[3, -2]", "cells from -1 to below 4"},
        {"inputs", "[3, 4]", "cells from -1 to below 4"},
        {"inputs", "[3, 0.5]", "cells from -1 to below 4"},
        {"inputs", "[3, \"0\"]", "cells from -1 to below 4"},
        {"threshold", "-0.5", "\"threshold\": expected 0 to 1"},
        {"threshold", "1.5", "\"threshold\": expected 0 to 1"},
        {"false_positive_cost", "-1", "\"false_positive_cost\": expected 0 to 1e+09"},
        {"false_negative_cost", "2e9", "\"false_negative_cost\": expected 0 to 1e+09"},
        {"intervals", "{\"level\": 0.4, \"resamples\": 100, \"seed\": 0}",
         "expected 0.5 to 0.9999"},
        {"intervals", "{\"level\": 1, \"resamples\": 100, \"seed\": 0}", "expected 0.5 to 0.9999"},
        {"intervals", "{\"level\": 0.9, \"resamples\": 99, \"seed\": 0}", "\"resamples\""},
        {"intervals", "{\"level\": 0.9, \"resamples\": 100, \"seed\": -1}", "\"seed\""},
        {"intervals", "{\"level\": 0.9, \"resamples\": 100}", "\"seed\" is missing"},
        {"intervals", "0.9", "\"intervals\""},
        {"report", "\"haiku\"", "\"haiku\" is not one of its words"},
        {"label", "4", "\"label\""},
    };
    const struct spec_scoring scoring = scoring_example();
    struct jobspec spec = {.kind = SPEC_EVALUATE};
    struct arena arena;
    struct error err;
    cJSON *json;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json = written(&scoring);
        spec.scoring = (struct spec_scoring){0};
        CHECK_OK(spec_read_scoring(json, &arena, &spec, &err));
        CHECK(spec_same_scoring(&spec.scoring, &scoring));
        spec.scoring = (struct spec_scoring){0};
        cJSON_ReplaceItemInObjectCaseSensitive(cJSON_GetObjectItem(json, "scoring"),
                                               cases[i].member, cJSON_Parse(cases[i].value));
        CHECK_FAILS(spec_read_scoring(json, &arena, &spec, &err), STATUS_CORRUPT, cases[i].message);
        cJSON_Delete(json);
    }
    arena_deinit(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_that_score_otherwise_are_not_equal),
        cmocka_unit_test(jobs_that_read_or_tell_otherwise_are_not_equal),
        cmocka_unit_test(dates_and_readings_read_back_the_same),
        cmocka_unit_test(rules_of_categories_read_back_the_same),
        cmocka_unit_test(rules_that_cannot_be_are_refused),
        cmocka_unit_test(crosses_read_back_the_same),
        cmocka_unit_test(crosses_that_cannot_be_are_refused),
        cmocka_unit_test(parts_of_models_read_back_the_same),
        cmocka_unit_test(dimensions_without_an_embedding_are_refused),
        cmocka_unit_test(columns_of_roles_read_back_the_same),
        cmocka_unit_test(constraints_of_inputs_read_back_the_same),
        cmocka_unit_test(constraints_and_roles_are_in_the_fingerprint),
        cmocka_unit_test(lists_read_back_the_same),
        cmocka_unit_test(items_read_back_the_same),
        cmocka_unit_test(lists_that_cannot_be_are_refused),
        cmocka_unit_test(parts_of_dates_and_readings_that_cannot_be_are_refused),
        cmocka_unit_test(cells_and_thresholds_that_cannot_be_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
