/*
 * scoring_fixture.h - a model with made-up weights, and a table of its rows.
 */
#pragma once

#include <stdlib.h>

#include "base/random.h"
#include "kinds/kinds.h"
#include "kinds/network/network_model.h"
#include "scoring/tables/model_table.h"
#include "scoring/tables/model_write.h"

struct fixture {
    struct arena arena;
    struct model model;
    struct network_model network; /* the model's content */
    struct model_row *rows;
    size_t row_count;
};

static inline float *fixture_floats(struct fixture *fixture, size_t count, uint64_t tensor)
{
    float *floats = ARENA_NEW(&fixture->arena, float, count);

    for (size_t i = 0; i < count; i++)
        floats[i] = (float)(random_uniform(7, RANDOM_INITIAL, tensor, i) - 0.5);
    return floats;
}

/* Layers of the given widths behind the model's transform. */
static inline void fixture_layers(struct fixture *fixture, const uint32_t *widths, uint32_t count)
{
    struct model *model = &fixture->model;
    uint32_t rows = model->transform.dense_width + model->transform.id_rows;

    fixture->network.layer_count = count;
    fixture->network.layers = ARENA_NEW(&fixture->arena, struct layer, count);
    for (uint32_t i = 0; i < count; i++) {
        fixture->network.layers[i] = (struct layer){
            .rows = rows,
            .width = widths[i],
            .weights = fixture_floats(fixture, (size_t)rows * widths[i], 2 * i),
            .bias = fixture_floats(fixture, widths[i], 2 * i + 1),
        };
        rows = widths[i];
    }
}

static const struct notice_list fixture_notices = {
    .count = 1, .items = {{NOTICE_VOCABULARY, 2, "column \"plan\" has 9 words", "Keep them."}}};

/* Inputs: age (numeric, NULLs seen), height (numeric), colour (3 words, 2 hash
 * buckets, NULLs seen), size (2 words). Labels: integers 0, 10, 20, ... */
static inline void fixture_init(struct fixture *fixture, uint32_t classes)
{
    static struct slice words[] = {{"red", 3}, {"green", 5}, {"it's", 4}};
    static uint64_t counts[] = {30, 20, 10};
    struct model *model = &fixture->model;
    struct transform_input *inputs;
    struct error err;

    *fixture = (struct fixture){0};
    arena_init(&fixture->arena, ARENA_MAXIMUM);
    inputs = ARENA_NEW(&fixture->arena, struct transform_input, 4);
    inputs[0] = (struct transform_input){
        .spec.name = SLICE("age"), .has_nulls = true, .mean = 40.1, .scale = 9.7};
    inputs[1] = (struct transform_input){.spec.name = SLICE("height"), .mean = 171.3, .scale = 0.3};
    inputs[2] = (struct transform_input){.spec.name = SLICE("colour"),
                                         .spec.type = INPUT_CATEGORY,
                                         .has_nulls = true,
                                         .words = words,
                                         .word_counts = counts,
                                         .word_count = 3,
                                         .hash_buckets = 2};
    inputs[3] = (struct transform_input){.spec.name = SLICE("size"),
                                         .spec.type = INPUT_CATEGORY,
                                         .words = words,
                                         .word_counts = counts,
                                         .word_count = 2};
    *model = (struct model){
        .format = MODEL_FORMAT_LANES,
        .estimator = SLICE("DNNClassifier"),
        .kind = kind_find(SLICE("network")),
        .content = &fixture->network,
        .task = classes ? TASK_CLASSIFICATION : TASK_REGRESSION,
        .label = SLICE("class"),
        .statement = SLICE("SELECT * FROM t TO TRAIN DNNClassifier LABEL class INTO m"),
        .id = SLICE("0123456789abcdef0123456789abcdef"),
        .version = 3,
        .digest = SLICE("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"),
        .rows = 150,
        .created_at = SLICE("2026-11-21T07:00:00Z"),
        .transform = {.inputs = inputs, .input_count = 4},
        .labels = {.type = classes ? LABEL_INTEGER : LABEL_REAL, .count = classes},
        .label_mean = classes ? 0 : 22.5,
        .label_scale = classes ? 1 : 9.25,
        .notices = &fixture_notices,
        .metrics_json = SLICE("[{\"name\":\"Accuracy\",\"train\":0.5}]"),
    };
    fixture->network.activation = ACTIVATION_RELU;
    model->labels.values = ARENA_NEW(&fixture->arena, struct cell, classes);
    for (uint32_t i = 0; i < classes; i++)
        model->labels.values[i] = (struct cell){.type = CELL_INTEGER, .integer = 10 * i};
    CHECK_OK(transform_finish(&model->transform, &fixture->arena, &err));
}

/* In the place of age, height and colour: age, weekday and hour of signup. */
static inline void fixture_dates(struct fixture *fixture)
{
    static struct slice weekdays[] = {{"Mon", 3}, {"Sat", 3}, {"Wed", 3}}, hours[] = {{"07", 2}};
    static const enum date_part parts[] = {DATE_AGE, DATE_WEEKDAY, DATE_HOUR};
    static const char *const names[] = {"signup.age", "signup.weekday", "signup.hour"};
    struct transform_input *inputs = fixture->model.transform.inputs;
    struct error err;

    for (int i = 0; i < 3; i++)
        inputs[i] = (struct transform_input){.spec.name = slice_of(names[i]),
                                             .spec.type = date_part_type(parts[i]),
                                             .spec.part = parts[i],
                                             .spec.source = SLICE("signup"),
                                             .has_nulls = true};
    inputs[0].mean = -8700.5;
    inputs[0].scale = 200;
    inputs[1].words = weekdays;
    inputs[1].word_count = 3;
    inputs[2].words = hours;
    inputs[2].word_count = 1;
    fixture->model.format = MODEL_FORMAT_PARTS;
    CHECK_OK(transform_finish(&fixture->model.transform, &fixture->arena, &err));
}

/* In the place of colour: note, a text of up to 4 words in 7 buckets. */
static inline void fixture_text(struct fixture *fixture)
{
    struct error err;

    fixture->model.transform.inputs[2] = (struct transform_input){.spec.name = SLICE("note"),
                                                                  .spec.type = INPUT_TEXT,
                                                                  .hash_buckets = 7,
                                                                  .spec.words_max = 4};
    fixture->model.format = MODEL_FORMAT_TEXTS;
    CHECK_OK(transform_finish(&fixture->model.transform, &fixture->arena, &err));
}

/* In the place of age, height and colour: age, and of it a bucket and an id. */
static inline void fixture_rules(struct fixture *fixture)
{
    static const double bounds[] = {30, 50};
    static struct slice buckets[] = {{"(-inf, 30)", 10}, {"[30, 50)", 8}, {"[50, inf)", 9}};
    struct transform_input *inputs = fixture->model.transform.inputs;
    struct error err;

    inputs[1] = (struct transform_input){.spec.name = SLICE("BUCKET(age)"),
                                         .spec.type = INPUT_CATEGORY,
                                         .spec.rule = RULE_BUCKET,
                                         .spec.source = SLICE("age"),
                                         .words = buckets,
                                         .word_count = 3,
                                         .spec.bounds = bounds,
                                         .spec.bound_count = 2};
    inputs[2] = (struct transform_input){.spec.name = SLICE("CATEGORY_ID(age)"),
                                         .spec.type = INPUT_CATEGORY,
                                         .spec.rule = RULE_ID,
                                         .spec.source = SLICE("age"),
                                         .spec.reading = READING_SEPARATED,
                                         .hash_buckets = 9};
    fixture->model.format = MODEL_FORMAT_RULES;
    CHECK_OK(transform_finish(&fixture->model.transform, &fixture->arena, &err));
}

/* In the place of size: a cross of colour, of a bucket of height and of shape, which is no other
 * input. */
static inline void fixture_cross(struct fixture *fixture)
{
    static const double bounds[] = {171};
    static struct cross_column columns[3];
    static struct cross cross = {columns, 3, 11};
    struct error err;

    columns[0] = (struct cross_column){.name = SLICE("colour")};
    columns[1] = (struct cross_column){
        .name = SLICE("height"), .rule = RULE_BUCKET, .bounds = bounds, .bound_count = 1};
    columns[2] = (struct cross_column){.name = SLICE("shape"), .rule = RULE_HASH, .rows = 7};
    fixture->model.transform.inputs[3] = (struct transform_input){
        .spec.name = SLICE("CROSS(colour, BUCKET(height), CATEGORY_HASH(shape))"),
        .spec.type = INPUT_CATEGORY,
        .spec.rule = RULE_CROSS,
        .spec.cross = &cross,
        .hash_buckets = 11};
    fixture->model.format = MODEL_FORMAT_CROSSES;
    CHECK_OK(transform_finish(&fixture->model.transform, &fixture->arena, &err));
}

/* In the place of age and height: the numbers of a sparse list of two ids. */
static inline void fixture_lists(struct fixture *fixture)
{
    static const char *const names[] = {"seen[0]", "seen[1]"};
    struct transform_input *inputs = fixture->model.transform.inputs;
    struct error err;

    for (uint32_t i = 0; i < 2; i++)
        inputs[i] = (struct transform_input){.spec.name = slice_of(names[i]),
                                             .spec.source = SLICE("seen"),
                                             .spec.list = {LIST_SPARSE, 2, ' ', ':'},
                                             .spec.element = i,
                                             .mean = 0.5,
                                             .scale = 0.25};
    fixture->model.format = MODEL_FORMAT_LISTS;
    CHECK_OK(transform_finish(&fixture->model.transform, &fixture->arena, &err));
}

/* And in the place of colour the items of a list, with weights. */
static inline void fixture_items(struct fixture *fixture)
{
    struct error err;

    fixture_lists(fixture);
    fixture->model.transform.inputs[2] =
        (struct transform_input){.spec.name = SLICE("CATEGORY_ID(seen)"),
                                 .spec.source = SLICE("seen"),
                                 .spec.type = INPUT_TEXT,
                                 .spec.rule = RULE_ID,
                                 .spec.combiner = COMBINER_MEAN,
                                 .spec.is_weighted = true,
                                 .spec.list = {LIST_ITEMS, 4, 0, '='},
                                 .hash_buckets = 7,
                                 .spec.words_max = 4};
    CHECK_OK(transform_finish(&fixture->model.transform, &fixture->arena, &err));
}

/* And in the place of colour the words of a sequence. */
static inline void fixture_sequence(struct fixture *fixture)
{
    struct transform_input *input = &fixture->model.transform.inputs[2];
    const struct transform_input colour = *input;
    struct error err;

    fixture_lists(fixture);
    *input = (struct transform_input){.spec.name = SLICE("SEQUENCE(seen)"),
                                      .spec.source = SLICE("seen"),
                                      .spec.type = INPUT_TEXT,
                                      .spec.rule = RULE_SEQUENCE,
                                      .spec.combiner = COMBINER_MEAN,
                                      .spec.list = {LIST_SEQUENCE, 4, 0, 0},
                                      .spec.words_max = 4,
                                      .words = colour.words,
                                      .word_counts = colour.word_counts,
                                      .word_count = 3,
                                      .hash_buckets = 2};
    fixture->model.format = MODEL_FORMAT_NAMES;
    CHECK_OK(transform_finish(&fixture->model.transform, &fixture->arena, &err));
}

static inline enum status fixture_keep(void *context, const struct model_row *row,
                                       struct error *err)
{
    struct fixture *fixture = context;
    struct model_row *kept;

    (void)err;
    fixture->rows = realloc(fixture->rows, (fixture->row_count + 1) * sizeof *fixture->rows);
    kept = &fixture->rows[fixture->row_count++];
    *kept = *row;
    kept->part = arena_copy(&fixture->arena, row->part);
    kept->name = arena_copy(&fixture->arena, row->name);
    kept->data = arena_copy(&fixture->arena, row->data);
    return STATUS_OK;
}

static inline void fixture_write(struct fixture *fixture)
{
    struct error err;

    fixture->row_count = 0;
    CHECK_OK(model_write(&fixture->model, fixture_keep, fixture, &err));
}

static inline void fixture_deinit(struct fixture *fixture)
{
    free(fixture->rows);
    arena_deinit(&fixture->arena);
}
