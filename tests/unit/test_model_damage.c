/* Model tables as an attacker, or a failing disk, would leave them. */
#include <math.h>

#include "base/json.h"
#include "kinds/bayes/bayes_model.h"
#include "kinds/embedding/embedding_inputs.h"
#include "kinds/embedding/embedding_model.h"
#include "kinds/kmeans/kmeans_kind.h"
#include "kinds/one_class/one_class_model.h"
#include "kinds/pca/pca_model.h"
#include "kinds/regression/regression_model.h"
#include "kinds/scorecard/scorecard_model.h"
#include "kinds/trees/isolation_model.h"
#include "kinds/trees/trees_model.h"
#include "scoring/tables/model_write.h"
#include "tests/check.h"
#include "tests/unit/forecast_fixture.h"
#include "tests/unit/scoring_fixture.h"

enum damage_of {
    REGRESSION,
    DEEP,
    CLUSTERS,
    DATED,
    RULED,
    CROSSED,
    LISTED,
    ITEMS,
    TESTED,
    BAYES,
    COMPONENTS,
    CARD,
    ONE_CLASS,
    ISOLATION,
    TREES,
    OFFSET,
    EMBEDDED,
    SHARED,
    JOINED,
    POOLED,
    FORECAST,
    REGRESSORS, /* a forecast that has them */
    DAMAGES
};

/* A model without label of the two inputs that are numbers, of which one has NULLs. */
static void numbers_init(struct fixture *fixture, enum task task)
{
    struct model *model = &fixture->model;
    struct error err;

    fixture_init(fixture, 0);
    model->task = task;
    model->label = SLICE("");
    model->labels = (struct labels){.type = LABEL_NONE};
    model->label_mean = 0;
    model->label_scale = 1;
    model->transform = (struct transform){.inputs = model->transform.inputs, .input_count = 2};
    CHECK_OK(transform_finish(&model->transform, &fixture->arena, &err));
}

static void components_init(struct fixture *fixture)
{
    static const double variances[] = {3, 0.5};
    static struct pca_model content;
    struct model *model = &fixture->model;

    numbers_init(fixture, TASK_PROJECTION);
    content = (struct pca_model){.components = 2,
                                 .inputs = 2,
                                 .means = fixture_floats(fixture, 2, 0),
                                 .loadings = fixture_floats(fixture, 4, 1),
                                 .variances = variances,
                                 .variance = 3.5};
    model->estimator = SLICE("PCA");
    model->kind = kind_find(SLICE("pca"));
    model->components = 2;
    model->content = &content;
}

static void one_class_init(struct fixture *fixture)
{
    static struct one_class_model content;
    struct model *model = &fixture->model;

    numbers_init(fixture, TASK_DETECTION);
    content = (struct one_class_model){.features = 5,
                                       .inputs = 2,
                                       .numbers = 2,
                                       .frequencies = fixture_floats(fixture, 10, 0),
                                       .phases = fixture_floats(fixture, 5, 1),
                                       .weights = fixture_floats(fixture, 5, 2),
                                       .rho = fixture_floats(fixture, 1, 3)};
    model->estimator = SLICE("OneClassSVM");
    model->kind = kind_find(SLICE("one_class"));
    model->content = &content;
}

/* A number and a threshold. */
static void isolation_init(struct fixture *fixture)
{
    static const float base[] = {0}, trees[] = {0, 3, 0}, threshold[] = {0.5f};
    static const float nodes[3][NODE_NUMBERS] = {
        {NODE_BELOW, 0, 40, 1, 1}, {NODE_LEAF, 0, 1}, {NODE_LEAF, 0, 2}};
    static struct isolation_model content = {
        {base, trees, nodes[0], NULL, 1, 1, 3, 0, TREES_LINK_NONE}, threshold};
    struct model *model = &fixture->model;
    struct error err;

    numbers_init(fixture, TASK_DETECTION);
    model->transform = (struct transform){
        .inputs = model->transform.inputs, .input_count = 2, .keeps_numbers = true};
    CHECK_OK(transform_finish(&model->transform, &fixture->arena, &err));
    model->format = MODEL_FORMAT_ORIGINS;
    model->estimator = SLICE("IsolationForest");
    model->kind = kind_find(SLICE("isolation"));
    model->content = &content;
}

static void clusters_init(struct fixture *fixture)
{
    static struct kmeans_model content;
    struct model *model = &fixture->model;

    numbers_init(fixture, TASK_CLUSTERING);
    model->estimator = SLICE("KMeans");
    model->kind = kind_find(SLICE("kmeans"));
    content = (struct kmeans_model){fixture_floats(fixture, 4 * 3, 0), 4, 3};
    model->content = &content;
}

/* A stump on age and one on colour. */
static void trees_init(struct fixture *fixture)
{
    static const float base[] = {0.5f}, trees[] = {0, 3, 0, 3, 3, 0}, sets[TREE_SET_NUMBERS] = {5};
    static const float nodes[6][NODE_NUMBERS] = {
        {NODE_BELOW, 0, 40, 1, 1},        {NODE_LEAF, 0, 1}, {NODE_LEAF, 0, 2},
        {NODE_WORD_IN, 0, 0, 1, 0, 0, 1}, {NODE_LEAF, 0, 3}, {NODE_LEAF, 0, 4}};
    static struct trees_model content = {base, trees, nodes[0], sets, 1, 2, 6, 1, TREES_LINK_NONE};
    struct model *model = &fixture->model;
    struct error err;

    fixture_init(fixture, 0);
    model->estimator = SLICE("XGBRegressor");
    model->kind = kind_find(SLICE("trees"));
    model->format = MODEL_FORMAT_ORIGINS; /* those of the inputs are their means */
    model->label_mean = 5411000;
    model->label_scale = 1;
    model->transform.keeps_numbers = true;
    CHECK_OK(transform_finish(&model->transform, &fixture->arena, &err));
    model->content = &content;
}

/* The same trees, where the height is an offset. */
static void offset_init(struct fixture *fixture)
{
    struct model *model = &fixture->model;
    struct error err;

    trees_init(fixture);
    model->format = MODEL_FORMAT_OFFSETS;
    model->transform.inputs[1].spec.offset = OFFSET_ADDED;
    CHECK_OK(transform_finish(&model->transform, &fixture->arena, &err));
}

/* A regression with standard errors, of which the second coefficient is left out. */
static void tested_init(struct fixture *fixture)
{
    static const uint32_t linear[] = {1};
    static struct regression_coefficient coefficients[64];
    static struct regression_model content;
    struct model *model = &fixture->model;

    fixture_init(fixture, 0);
    fixture_layers(fixture, linear, 1);
    for (int i = 0; i < 64; i++)
        coefficients[i] = (struct regression_coefficient){i / 7.0, i == 1 ? -1 : 1.0 / (i + 1)};
    content = (struct regression_model){.network = *network_of(model),
                                        .equations = 1,
                                        .columns = network_of(model)->layers[0].rows + 1,
                                        .coefficients = coefficients,
                                        .fit = {150, 5, 4000.25, 250.5, 0}};
    CHECK(content.columns <= 64);
    model->estimator = SLICE("OrdinaryLeastSquares");
    model->kind = kind_find(SLICE("regression"));
    model->content = &content;
}

static void bayes_init(struct fixture *fixture)
{
    static struct bayes_model content;
    static float variances[3 * 8];
    struct model *model = &fixture->model;
    const struct transform *transform = &model->transform;

    fixture_init(fixture, 3);
    for (int i = 0; i < 3 * 8; i++)
        variances[i] = 0.5F + (float)i;
    CHECK(transform->dense_width <= 8);
    content = (struct bayes_model){3,
                                   transform->dense_width,
                                   transform->id_rows,
                                   fixture_floats(fixture, 3, 0),
                                   fixture_floats(fixture, (size_t)3 * transform->dense_width, 1),
                                   variances,
                                   fixture_floats(fixture, (size_t)3 * transform->id_rows, 2)};
    model->estimator = SLICE("NaiveBayes");
    model->kind = kind_find(SLICE("bayes"));
    model->content = &content;
}

/* Compressed interactions of both categories beside a hidden layer and a linear model. */
static void embedded_init(struct fixture *fixture)
{
    static struct embedding_model content;
    struct model *model = &fixture->model;
    struct embedding_shape *shape = &content.shape;
    struct error err;

    fixture_init(fixture, 2);
    model->estimator = SLICE("XDeepFMClassifier");
    model->kind = kind_find(SLICE("embedding"));
    *embedding_params(&content.params) =
        (struct embedding_params){.hidden_units = {{4}, 1},
                                  .activation = NETWORK_ACTIVATION_RELU,
                                  .dimension = 3,
                                  .is_wide = true,
                                  .interaction = INTERACTION_COMPRESSED,
                                  .cin_units = {{2, 5}, 2}};
    *shape = embedding_shape_of(&content.params);
    embedding_shape_take(shape, &model->transform);
    shape->id_rows = model->transform.id_rows;
    shape->outputs = 1;
    CHECK_OK(embedding_shape_finish(shape, &err));
    for (uint32_t i = 0; i < shape->array_count; i++)
        content.elements[i] =
            fixture_floats(fixture, (size_t)(shape->arrays[i].rows * shape->arrays[i].width), i);
    model->content = &content;
}

/* A factorisation machine of three classes. */
static void pooled_init(struct fixture *fixture)
{
    static struct embedding_model content;
    struct model *model = &fixture->model;
    struct embedding_shape *shape = &content.shape;
    struct error err;

    fixture_init(fixture, 3);
    model->format = MODEL_FORMAT_POOLED;
    model->estimator = SLICE("DeepFMClassifier");
    model->kind = kind_find(SLICE("embedding"));
    *embedding_params(&content.params) =
        (struct embedding_params){.hidden_units = {{4}, 1},
                                  .activation = NETWORK_ACTIVATION_RELU,
                                  .dimension = 5,
                                  .is_wide = true,
                                  .interaction = INTERACTION_PAIRS};
    *shape = embedding_shape_of(&content.params);
    embedding_shape_take(shape, &model->transform);
    shape->id_rows = model->transform.id_rows;
    shape->outputs = 3;
    CHECK_OK(embedding_shape_finish(shape, &err));
    CHECK_INT(shape->top, model->transform.dense_width + 4 + 5);
    for (uint32_t i = 0; i < shape->array_count; i++)
        content.elements[i] =
            fixture_floats(fixture, (size_t)(shape->arrays[i].rows * shape->arrays[i].width), i);
    model->content = &content;
}

/* A wide and deep network: age and colour of the linear model alone, size with an embedding of its
 * own. */
static void shared_init(struct fixture *fixture)
{
    static struct embedding_model content;
    struct model *model = &fixture->model;
    struct transform_input *inputs;
    struct embedding_shape *shape = &content.shape;
    struct error err;

    fixture_init(fixture, 2);
    inputs = model->transform.inputs;
    inputs[0].spec.model_part = inputs[2].spec.model_part = PART_LINEAR;
    inputs[3].spec.dimension = 2;
    model->format = MODEL_FORMAT_SHARES;
    model->estimator = SLICE("DNNLinearCombinedClassifier");
    model->kind = kind_find(SLICE("embedding"));
    *embedding_params(&content.params) =
        (struct embedding_params){.hidden_units = {{4}, 1},
                                  .activation = NETWORK_ACTIVATION_RELU,
                                  .dimension = 3,
                                  .is_wide = true};
    *shape = embedding_shape_of(&content.params);
    embedding_shape_take(shape, &model->transform);
    shape->id_rows = model->transform.id_rows;
    shape->outputs = 1;
    CHECK_OK(embedding_shape_finish(shape, &err));
    CHECK_INT(shape->embedded, 2);
    CHECK_INT(shape->row_width, 1 + 2);
    for (uint32_t i = 0; i < shape->array_count; i++)
        content.elements[i] =
            fixture_floats(fixture, (size_t)(shape->arrays[i].rows * shape->arrays[i].width), i);
    model->content = &content;
}

/* A wide and deep network whose two categories have one embedding. */
static void joined_init(struct fixture *fixture)
{
    struct model *model = &fixture->model;
    struct embedding_model *content;
    struct embedding_shape *shape;
    struct error err;

    shared_init(fixture);
    content = (struct embedding_model *)(uintptr_t)model->content;
    shape = &content->shape;
    for (uint32_t i = 2; i < 4; i++) {
        model->transform.inputs[i].spec.model_part = PART_BOTH;
        model->transform.inputs[i].spec.dimension = 2;
        model->transform.inputs[i].spec.concat = (struct concat){1, COMBINER_MEAN};
    }
    CHECK_OK(transform_finish(&model->transform, &fixture->arena, &err));
    model->format = MODEL_FORMAT_CONCATS;
    embedding_shape_take(shape, &model->transform);
    CHECK_OK(embedding_shape_finish(shape, &err));
    CHECK_INT(shape->embedded, 2);
    CHECK_INT(shape->fields, 1);
}

/* A card with both categories. */
static void card_init(struct fixture *fixture)
{
    static const double bad[] = {1, 2, 3, 0, 0, 4, 5, 5, 0}, good[] = {7, 6, 5, 0, 1, 4, 9, 14, 0};
    static const double coefficients[] = {0.5, 1, 2};
    static struct scorecard_model content;
    struct model *model = &fixture->model;
    struct error err;

    fixture_init(fixture, 2);
    model->transform = (struct transform){.inputs = model->transform.inputs + 2, .input_count = 2};
    CHECK_OK(transform_finish(&model->transform, &fixture->arena, &err));
    CHECK_INT(model->transform.id_rows, 9);
    content = (struct scorecard_model){.inputs = 2,
                                       .bins = 9,
                                       .scale = {1, 600, 20, 40},
                                       .bad = bad,
                                       .good = good,
                                       .coefficients = coefficients,
                                       .weights = fixture_floats(fixture, 9, 0),
                                       .bias = fixture_floats(fixture, 1, 1)};
    model->estimator = SLICE("ScoreCard");
    model->kind = kind_find(SLICE("scorecard"));
    model->content = &content;
}

static void model_init(struct fixture *fixture, enum damage_of kind)
{
    static const uint32_t deep[] = {4, 3}, linear[] = {1};

    if (kind == POOLED) {
        pooled_init(fixture);
        fixture_write(fixture);
        return;
    }
    if (kind == FORECAST || kind == REGRESSORS) {
        forecast_fixture_make(fixture, kind == REGRESSORS ? FIXTURE_REGRESSORS : 0);
        fixture_write(fixture);
        return;
    }
    if (kind == SHARED) {
        shared_init(fixture);
        fixture_write(fixture);
        return;
    }
    if (kind == JOINED) {
        joined_init(fixture);
        fixture_write(fixture);
        return;
    }
    if (kind == EMBEDDED) {
        embedded_init(fixture);
        fixture_write(fixture);
        return;
    }
    if (kind == TREES) {
        trees_init(fixture);
        fixture_write(fixture);
        return;
    }
    if (kind == OFFSET) {
        offset_init(fixture);
        fixture_write(fixture);
        return;
    }
    if (kind == TESTED) {
        tested_init(fixture);
        fixture_write(fixture);
        return;
    }
    if (kind == BAYES) {
        bayes_init(fixture);
        fixture_write(fixture);
        return;
    }
    if (kind == ONE_CLASS) {
        one_class_init(fixture);
        fixture_write(fixture);
        return;
    }
    if (kind == ISOLATION) {
        isolation_init(fixture);
        fixture_write(fixture);
        return;
    }
    if (kind == CARD) {
        card_init(fixture);
        fixture_write(fixture);
        return;
    }
    if (kind == COMPONENTS) {
        components_init(fixture);
        fixture_write(fixture);
        return;
    }
    if (kind == CLUSTERS) {
        clusters_init(fixture);
        fixture_write(fixture);
        return;
    }
    fixture_init(fixture, kind == DEEP ? 3 : 0);
    if (kind == DATED)
        fixture_dates(fixture);
    if (kind == RULED)
        fixture_rules(fixture);
    if (kind == CROSSED)
        fixture_cross(fixture);
    if (kind == LISTED)
        fixture_lists(fixture);
    if (kind == ITEMS)
        fixture_items(fixture);
    fixture_layers(fixture, kind == DEEP ? deep : linear, kind == DEEP ? 2 : 1);
    fixture_write(fixture);
}

static struct model_row *find_row(struct fixture *fixture, const char *part, const char *name)
{
    for (size_t i = 0; i < fixture->row_count; i++)
        if (slice_is(fixture->rows[i].part, part) && slice_is(fixture->rows[i].name, name))
            return &fixture->rows[i];
    check_failed("no row %s %s", part, name);
    return NULL;
}

/* Read the rows, backwards too, which puts meta last: the same error both ways. */
static void check_refused(const struct fixture *fixture, size_t room, enum status expected,
                          const char *message)
{
    struct error err;

    for (int backwards = 0; backwards < 2; backwards++) {
        struct model_reader *reader;
        struct arena arena;
        struct model model;
        enum status status = STATUS_OK;

        arena_init(&arena, room);
        CHECK_OK(model_reader_new(kinds, &arena, &reader, &err));
        for (size_t i = 0; status == STATUS_OK && i < fixture->row_count; i++)
            status = model_reader_add(
                reader, &fixture->rows[backwards ? fixture->row_count - 1 - i : i], &err);
        if (status == STATUS_OK)
            status = model_reader_finish(reader, &model, &err);
        model_reader_free(reader);
        arena_deinit(&arena);
        CHECK_FAILS(status, expected, message);
    }
}

static cJSON *meta_tree(struct fixture *fixture)
{
    struct error err;
    cJSON *meta;

    CHECK_OK(
        json_parse(find_row(fixture, "meta", "meta")->data, MODEL_META_BYTES_MAX, &meta, &err));
    return meta;
}

static void set_meta(struct fixture *fixture, const cJSON *meta)
{
    struct text json;
    struct error err;

    text_init(&json, TEXT_MAXIMUM);
    CHECK_OK(json_print(meta, false, &json, &err));
    find_row(fixture, "meta", "meta")->data = arena_copy(&fixture->arena, text_slice(&json));
    text_deinit(&json);
}

/* The n-th object that the reader looks into, NULL beyond the last. */
static cJSON *nth_object(cJSON *item, int *n)
{
    if (cJSON_IsObject(item) && (*n)-- == 0)
        return item;
    for (cJSON *child = item->child; child; child = child->next) {
        cJSON *found = child->string && strcmp(child->string, "metrics") == 0
                           ? NULL /* for people: kept as it is */
                           : nth_object(child, n);
        if (found)
            return found;
    }
    return NULL;
}

static bool is_for_people(const char *member)
{
    return strcmp(member, "metrics") == 0 || strcmp(member, "weight_rows") == 0;
}

static bool may_be_missing(const char *member)
{
    return strcmp(member, "notices") == 0 || strcmp(member, "hint") == 0 ||
           strcmp(member, "others") == 0 || strcmp(member, "reading") == 0 ||
           strcmp(member, "combiner") == 0 || strcmp(member, "weighted") == 0 ||
           strcmp(member, "model_part") == 0 || strcmp(member, "dimension") == 0 ||
           strcmp(member, "concat") == 0 || strcmp(member, "origin") == 0 ||
           strcmp(member, "offset") == 0;
}

/* Without it the others of its input do not go together, or are those of another model. */
static bool is_missed_by_others(const char *member)
{
    return strcmp(member, "column") == 0 || strcmp(member, "part") == 0 ||
           strcmp(member, "rule") == 0 || strcmp(member, "list") == 0 ||
           strcmp(member, "below") == 0 || strcmp(member, "names") == 0;
}

/* The member in another type, then missing. False where there is no such member. */
static bool check_member(enum damage_of kind, int object, int member)
{
    struct fixture fixture;
    cJSON *meta, *parent, *item;
    bool is_optional;
    char name[64], item_name[64];

    model_init(&fixture, kind);
    meta = meta_tree(&fixture);
    parent = nth_object(meta, &object);
    item = parent ? cJSON_GetArrayItem(parent, member) : NULL;
    if (item && !is_for_people(item->string)) {
        is_optional = may_be_missing(item->string);
        snprintf(item_name, sizeof item_name, "%s", item->string);
        snprintf(name, sizeof name, "member \"%s\": expected", item->string);
        cJSON_ReplaceItemInObjectCaseSensitive(parent, item->string, cJSON_CreateNull());
        set_meta(&fixture, meta);
        check_refused(&fixture, ARENA_MAXIMUM, STATUS_CORRUPT, name);
        cJSON_DeleteItemFromArray(parent, member);
        set_meta(&fixture, meta);
        if (!is_optional)
            check_refused(&fixture, ARENA_MAXIMUM, STATUS_CORRUPT,
                          is_missed_by_others(item_name) ? "" : name);
    }
    cJSON_Delete(meta);
    fixture_deinit(&fixture);
    return item != NULL;
}

static int count_members(const cJSON *item)
{
    int count = 0;

    for (const cJSON *child = item->child; child; child = child->next) {
        const bool is_kept = child->string && strcmp(child->string, "metrics") == 0;
        count += (child->string != NULL) + (is_kept ? 0 : count_members(child));
    }
    return count;
}

static void every_member_of_the_meta_row_is_needed_in_its_type(void **state)
{
    (void)state;
    for (int kind = REGRESSION; kind < DAMAGES; kind++) {
        struct fixture fixture;
        int members = 0;
        cJSON *meta;

        for (int object = 0; check_member((enum damage_of)kind, object, 0); object++)
            for (int member = 0; check_member((enum damage_of)kind, object, member); member++)
                members++;
        model_init(&fixture, (enum damage_of)kind);
        meta = meta_tree(&fixture);
        CHECK_INT(members, count_members(meta));
        cJSON_Delete(meta);
        fixture_deinit(&fixture);
    }
}

/* The meta row with `with` in the place of the first `old`. */
static void check_meta(enum damage_of kind, const char *old, const char *with, enum status expected,
                       const char *message)
{
    struct fixture fixture;
    struct model_row *row;
    const char *at;

    model_init(&fixture, kind);
    row = find_row(&fixture, "meta", "meta");
    at = strstr(row->data.data, old);
    if (!at)
        check_failed("the meta row has no %s: %s", old, row->data.data);
    row->data = arena_printf(&fixture.arena, "%.*s%s%s", (int)(at - row->data.data), row->data.data,
                             with, at + strlen(old));
    check_refused(&fixture, ARENA_MAXIMUM, expected, message);
    fixture_deinit(&fixture);
}

#define SIXTY_FOUR "0123456789012345678901234567890123456789012345678901234567890123"

static void a_meta_row_with_a_wrong_value_is_refused(void **state)
{
    static const struct {
        const char *old, *with, *message;
    } cases[] = {
        {"{\"format\"", "[{\"format\"", "no JSON"},
        {"\"format\":2", "\"format\":0", "\"format\": expected an integer from 1"},
        {"\"network\",", "\"" SIXTY_FOUR SIXTY_FOUR SIXTY_FOUR SIXTY_FOUR "7\",",
         "\"family\" has 257 bytes, where at most 64 are read"},
        {"\"classification\"", "\"ranking\"", "\"task\" is \"ranking\""},
        {"\"classification\"", "\"" SIXTY_FOUR "\"",
         "\"task\" is \"0123456789012345678901234567890123456789\""},
        {"\"id\":\"0", "\"id\":\"", "\"id\" is no number of 32 digits"},
        {"\"id\":\"0", "\"id\":\"00", "\"id\" has 33 bytes"},
        {"\"id\":\"0", "\"id\":\"x", "\"id\" is no number of 32 digits"},
        {"\"checksum\":\"", "\"checksum\":\"g", "\"checksum\" has 17 bytes"},
        {"\"version\":3", "\"version\":-1", "\"version\": expected an integer from 0"},
        {"\"version\":3", "\"version\":1e300", "\"version\": expected an integer"},
        {"\"rows\":150", "\"rows\":-1", "\"rows\": expected an integer from 0"},
        {"\"numeric\"", "\"vector\"", "\"type\": \"vector\" is not one of its words"},
        {"\"scale\":9.7", "\"scale\":-9.7", "positive scale"},
        {"\"null_value\":0", "\"null_value\":2e18", "for a NULL is out of range"},
        {"\"words\":3", "\"words\":-1", "\"words\": expected an integer from 0 to 10000000"},
        {"\"words\":3", "\"words\":10000001", "\"words\": expected an integer from 0 to 10000000"},
        {"\"hash_buckets\":2", "\"hash_buckets\":-1", "\"hash_buckets\""},
        {"\"inputs\":[", "\"inputs\":[5,", "\"name\": expected a string"},
        {"\"name\":\"height\"", "\"name\":\"age\"", "two inputs have the name \"age\""},
        {"[0,10,20]", "[]", "at least two labels"},
        {"[0,10,20]", "[10]", "at least two labels"},
        {"[0,10,20]", "[0,10]", "last layer has 3 outputs, where 1 belong"},
        {"[0,10,20]", "[0,10,10.5]", "a label has another type"},
        {"[0,10,20]", "[0,10,1e300]", "a label has another type"},
        {"[0,10,20]", "[0,10,\"20x\"]", "a label has another type"},
        {"[0,10,20]", "[0,10,null]", "a label has another type"},
        {"[0,10,20]", "[0,10,10]", "not in ascending order"},
        {"{\"type\":\"integer\",", "{\"type\":\"text\",", "a label has another type"},
        {"{\"type\":\"integer\",\"values\":[0,10,20]",
         "{\"type\":\"text\",\"values\":[\"b\",\"a\",\"c\"]", "not in ascending order"},
        {"{\"type\":\"integer\",\"values\":[0,10,20]", "{\"type\":\"real\",\"values\":[1,\"2\",3]",
         "a label has another type"},
        {"{\"type\":\"integer\",\"values\":[0,10,20]", "{\"type\":\"real\",\"values\":[1,1e999,3]",
         "a label has another type"},
        {"{\"type\":\"integer\",\"values\":[0,10,20]", "{\"type\":\"real\",\"values\":[1,3,2]",
         "not in ascending order"},
        {"{\"type\":\"integer\"", "{\"type\":\"date\"", "\"type\" is \"date\""},
        {"\"relu\"", "\"swash\"", "\"activation\" is \"swash\""},
        {"\"layers\":[", "\"layers\":[],\"others\":[", "there are no layers"},
        {"\"layers\":[", "\"layers\":[7,", "\"rows\": expected an integer from 1"},
        {"\"width\":4", "\"width\":0", "\"width\": expected an integer from 1 to 65536"},
        {"\"width\":4", "\"width\":65537", "\"width\": expected an integer from 1 to 65536"},
        {"\"width\":4},{\"rows\":4,\"width\":3", "\"width\":65536},{\"rows\":65536,\"width\":65536",
         "more than 2147483648 parameters"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_meta(DEEP, cases[i].old, cases[i].with, STATUS_CORRUPT, cases[i].message);
    check_meta(REGRESSION, "\"scale\":9.25", "\"scale\":0", STATUS_CORRUPT, "positive scale");
    check_meta(REGRESSION, "\"type\":\"real\"", "\"type\":\"text\"", STATUS_CORRUPT,
               "a regressor's label is a number");
}

static void what_is_damaged_here_could_be_read_before(void **state)
{
    (void)state;
    for (int kind = REGRESSION; kind < DAMAGES; kind++) {
        struct model_reader *reader;
        struct fixture fixture;
        struct model model;
        struct error err;

        model_init(&fixture, (enum damage_of)kind);
        CHECK_OK(model_reader_new(kinds, &fixture.arena, &reader, &err));
        for (size_t i = 0; i < fixture.row_count; i++)
            CHECK_OK(model_reader_add(reader, &fixture.rows[i], &err));
        CHECK_OK(model_reader_finish(reader, &model, &err));
        model_reader_free(reader);
        fixture_deinit(&fixture);
    }
}

static void parts_with_a_wrong_value_are_refused(void **state)
{
    static const struct {
        const char *old, *with, *message;
    } cases[] = {
        {"\"part\":\"age\"", "\"part\":\"whole\"", "\"part\": \"whole\" is not one of its words"},
        {"\"part\":\"age\"", "\"part\":\"month\"", "a numeric is no month of a date"},
        {"\"part\":\"age\"", "\"part\":\"year\"", "\"part\": \"year\" is not one of its words"},
        {"\"part\":\"weekday\"", "\"part\":\"age\"", "a category is no age of a date"},
        {"\"part\":\"hour\"", "\"part\":\"weekday\"", "two columns have the name \"signup\""},
        {"\"part\":\"hour\"", "\"part\":\"day\"", "two columns have the name \"signup\""},
        {"\"column\":\"signup\"", "\"column\":\"\"", "\"column\": expected 1 to"},
        {"\"column\":\"signup\"", "\"column\":\"login\"", "it was changed after training"},
        {"\"column\":\"signup\"", "\"column\":\"size\"", "two columns have the name \"size\""},
        {"\"column\":\"signup\",\"part\":\"hour\",", "", "it was changed after training"},
        {"\"format\":3", "\"format\":2", "it was changed after training"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_meta(DATED, cases[i].old, cases[i].with, STATUS_CORRUPT, cases[i].message);
}

static void rules_with_a_wrong_value_are_refused(void **state)
{
    static const struct {
        const char *old, *with, *message;
    } cases[] = {
        {"\"rule\":\"bucket\"", "\"rule\":\"words\"",
         "\"rule\": \"words\" is not one of its words"},
        {"\"rule\":\"bucket\"", "\"rule\":\"x\"", "\"rule\": \"x\" is not one of its words"},
        {"\"rule\":\"bucket\"", "\"rule\":\"hash\"", "without what its rule needs"},
        {"\"rule\":\"id\"", "\"rule\":\"hash\"", "it was changed after training"},
        {",\"rule\":\"id\"", "", "\"column\": an input of the column itself"},
        {"\"reading\":\"separated\"", "\"reading\":\"boolean\"", "it was changed after training"},
        {"\"bounds\":[30,50]", "\"bounds\":[30,51]", "it was changed after training"},
        {"\"bounds\":[30,50]", "\"bounds\":[50,30]", "\"bounds\": numbers that ascend"},
        {"\"bounds\":[30,50]", "\"bounds\":[30]", "without what its rule needs"},
        {"\"bounds\":[30,50]", "\"bounds\":[30,\"x\"]", "\"bounds\": numbers that ascend"},
        {"\"bounds\":[30,50]", "\"bounds\":7", "bounds"},
        {"\"column\":\"age\"", "\"column\":\"\"", "\"column\": expected 1 to"},
        {"\"column\":\"age\"", "\"column\":\"size\"", "two columns have the name"},
        {"\"format\":7", "\"format\":6", "\"column\": an input of the column itself"},
        {"\"column\":\"age\",", "", "\"rule\": a category with a rule needs its column"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_meta(RULED, cases[i].old, cases[i].with, STATUS_CORRUPT, cases[i].message);
}

static void crosses_with_a_wrong_value_are_refused(void **state)
{
    static const struct {
        const char *old, *with, *message;
    } cases[] = {
        {"\"rule\":\"cross\"", "\"rule\":\"id\"",
         "\"rule\": a category with a rule needs its column"},
        {"\"rule\":\"cross\",\"cross\"", "\"rule\":\"cross\",\"x\"", "\"cross\""},
        {"\"format\":9", "\"format\":8", "\"cross\": of the rule \"cross\" alone"},
        {"{\"column\":\"colour\",", "{\"column\":\"age\",", "it was changed after training"},
        {"{\"column\":\"colour\",\"rule\":\"words\"},", "", "it was changed after training"},
        {"\"rule\":\"hash\",\"rows\":7", "\"rule\":\"id\",\"rows\":7",
         "it was changed after training"},
        {"\"rule\":\"hash\",\"rows\":7", "\"rule\":\"hash\",\"rows\":8",
         "it was changed after training"},
        {"\"rule\":\"hash\",\"rows\":7", "\"rule\":\"hash\",\"rows\":-7", "\"rows\""},
        {"\"bounds\":[171]", "\"bounds\":[172]", "it was changed after training"},
        {"\"bounds\":[171]", "\"bounds\":[171,170]", "bounds that do not ascend"},
        {"\"hash_buckets\":11", "\"hash_buckets\":0", "\"hash_buckets\""},
        {"\"hash_buckets\":11,\"rule\":\"cross\"", "\"hash_buckets\":1,\"rule\":\"cross\"", ""},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_meta(CROSSED, cases[i].old, cases[i].with, STATUS_CORRUPT, cases[i].message);
}

static void parts_of_models_with_a_wrong_value_are_refused(void **state)
{
    static const struct {
        const char *old, *with, *message;
    } cases[] = {
        {"\"model_part\":\"linear\"", "\"model_part\":\"dnn\"", ""},
        {"\"model_part\":\"linear\"", "\"model_part\":\"wide\"",
         "\"model_part\": \"wide\" is not one of its words"},
        {"\"model_part\":\"linear\",", "", ""},
        {"\"dimension\":2", "\"dimension\":0", "\"dimension\""},
        {"\"dimension\":2", "\"dimension\":513", "\"dimension\""},
        {"\"dimension\":2", "\"dimension\":1", ""},
        {"\"dimension\":2", "\"model_part\":\"linear\",\"dimension\":2", "of embeddings alone"},
        {"\"type\":\"numeric\"", "\"type\":\"numeric\",\"dimension\":2", "of embeddings alone"},
        {"\"format\":10", "\"format\":9", ""},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_meta(SHARED, cases[i].old, cases[i].with, STATUS_CORRUPT, cases[i].message);
}

static void offsets_with_a_wrong_value_are_refused(void **state)
{
    static const struct {
        const char *old, *with, *message;
    } cases[] = {
        {"\"offset\":\"offset\"", "\"offset\":\"none\"",
         "\"offset\": \"none\" is not one of its words"},
        {"\"offset\":\"offset\"", "\"offset\":\"start\"",
         "\"offset\": \"start\" is not one of its words"},
        {"\"offset\":\"offset\"", "\"offset\":\"exposure\"", "it was changed after training"},
        {"\"offset\":\"offset\",", "", "it was changed after training"},
        {"\"has_nulls\":true", "\"has_nulls\":true,\"offset\":\"offset\"", "is no offset"},
        {"\"type\":\"category\"", "\"type\":\"category\",\"offset\":\"offset\"",
         "\"offset\": a number of a column alone is one"},
        {"\"format\":18", "\"format\":17", "it was changed after training"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_meta(OFFSET, cases[i].old, cases[i].with, STATUS_CORRUPT, cases[i].message);
}

static void concats_with_a_wrong_value_are_refused(void **state)
{
    static const struct {
        const char *old, *with, *message;
    } cases[] = {
        {"\"concat\":{\"number\":1,", "\"concat\":{\"number\":2,", ""},
        {"\"concat\":{\"number\":1,", "\"concat\":{\"number\":0,", "\"number\""},
        {"\"concat\":{\"number\":1,", "\"concat\":{\"number\":2001,", "\"number\""},
        {"\"combiner\":\"mean\"}", "\"combiner\":\"sum\"}", "unlike the others of its CONCAT"},
        {"\"combiner\":\"mean\"}", "\"combiner\":\"most\"}", "a number and a combiner"},
        {"\"combiner\":\"mean\"}", "\"combiner\":\"mean\",\"x\":1}", "a number and a combiner"},
        {"\"dimension\":2,\"concat\"", "\"concat\"", ""},
        {"\"type\":\"numeric\"",
         "\"type\":\"numeric\",\"concat\":{\"number\":1,\"combiner\":\"mean\"}",
         "of embeddings alone"},
        {"\"format\":14", "\"format\":13", ""},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_meta(JOINED, cases[i].old, cases[i].with, STATUS_CORRUPT, cases[i].message);
}

static void pairs_of_several_outputs_with_a_wrong_value_are_refused(void **state)
{
    static const struct {
        const char *old, *with, *message;
    } cases[] = {
        {"\"format\":13", "\"format\":11", "pairs of several outputs in format 11"},
        {"\"pairs\"", "\"none\"", "another size than its shape"},
        {"\"embedding_dimension\":5", "\"embedding_dimension\":4", "another size than its shape"},
        {"\"embedding_dimension\":5", "\"embedding_dimension\":0", "\"embedding_dimension\""},
        {"\"wide\":true", "\"wide\":false", "another size than its shape"},
        {"[0,10,20]", "[0,10]", "another size than its shape"},
    };
    struct model_reader *reader;
    struct fixture fixture;
    struct model model;
    struct error err;
    (void)state;

    model_init(&fixture, POOLED);
    CHECK_OK(model_reader_new(kinds, &fixture.arena, &reader, &err));
    for (size_t i = 0; i < fixture.row_count; i++)
        CHECK_OK(model_reader_add(reader, &fixture.rows[i], &err));
    CHECK_OK(model_reader_finish(reader, &model, &err));
    CHECK_INT(embedding_of(&model)->shape.top, embedding_of(&fixture.model)->shape.top);
    model_reader_free(reader);
    fixture_deinit(&fixture);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_meta(POOLED, cases[i].old, cases[i].with, STATUS_CORRUPT, cases[i].message);
}

static void lists_with_a_wrong_value_are_refused(void **state)
{
    static const struct {
        const char *old, *with, *message;
    } cases[] = {
        {"\"form\":\"sparse\"", "\"form\":\"dense\"", "cannot be read"},
        {"\"form\":\"sparse\"", "\"form\":\"none\"", "cannot be read"},
        {"\"form\":\"sparse\"", "\"form\":\"x\"", "no such lists"},
        {"\"size\":2", "\"size\":1", "is not the next number of a list"},
        {"\"size\":2", "\"size\":3", "is not the next number of a list"},
        {"\"size\":2", "\"size\":4294967298", "\"size\": expected an integer"},
        {"\"element\":1", "\"element\":0", "is not the next number of a list"},
        {"\"element\":1", "\"element\":2", "\"element\": 2 of 2"},
        {"\"element\":1", "\"element\":-1", "\"element\": expected an integer"},
        {"\"delimiter\":\" \"", "\"delimiter\":\",\"", "is not the next number of a list"},
        {"\"delimiter\":\" \"", "\"delimiter\":\":\"", "cannot be read"},
        {"\"pair\":\":\"", "\"pair\":\"e\"", "cannot be read"},
        {"\"column\":\"seen\"", "\"column\":\"\"", "\"column\": expected 1 to"},
        {"\"column\":\"seen\"", "\"column\":\"size\"", "is not the next number of a list"},
        {"\"name\":\"seen[1]\"", "\"name\":\"seen[0]\"", "two inputs have the name"},
        {"\"format\":11", "\"format\":10", "\"column\": an input of the column itself"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_meta(LISTED, cases[i].old, cases[i].with, STATUS_CORRUPT, cases[i].message);
}

static void items_with_a_wrong_value_are_refused(void **state)
{
    static const struct {
        const char *old, *with, *message;
    } cases[] = {
        {"\"rule\":\"id\"", "\"rule\":\"hash\"", "it was changed after training"},
        {"\"rule\":\"id\"", "\"rule\":\"words\"", "\"rule\": \"words\" is not one of its words"},
        {"\"rule\":\"id\"", "\"rule\":\"x\"", "\"rule\": \"x\" is not one of its words"},
        {"\"rule\":\"id\",", "", "\"rule\": a list of items has one"},
        {"\"combiner\":\"mean\"", "\"combiner\":\"sum\"", "it was changed after training"},
        {"\"combiner\":\"mean\"", "\"combiner\":\"max\"",
         "\"combiner\": \"max\" is not one of its words"},
        {"\"weighted\":true", "\"weighted\":false", "\"weighted\": true, or left out"},
        {"\"weighted\":true", "\"weighted\":1", "\"weighted\": expected"},
        {"\"words_max\":4", "\"words_max\":3", "\"words_max\": not the list's"},
        {"\"form\":\"items\",\"size\":4", "\"form\":\"items\",\"size\":5",
         "\"words_max\": not the list's"},
        {"\"form\":\"items\",\"size\":4", "\"form\":\"items\",\"size\":1025", "cannot be read"},
        {"\"pair\":\"=\"", "\"pair\":\"\"", "of lists alone"},
        {"\"pair\":\"=\"", "\"pair\":\"~\"", "it was changed after training"},
        {"\"form\":\"items\"", "\"form\":\"sparse\"", "\"element\": expected"},
        {"\"hash_buckets\":7", "\"hash_buckets\":0", "\"hash_buckets\": expected"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_meta(ITEMS, cases[i].old, cases[i].with, STATUS_CORRUPT, cases[i].message);
}

static void clusters_with_a_wrong_value_are_refused(void **state)
{
    static const struct {
        const char *old, *with, *message;
    } cases[] = {
        {"\"clusters\":4", "\"clusters\":0", "\"clusters\": expected an integer from 1"},
        {"\"clusters\":4", "\"clusters\":-4", "\"clusters\": expected an integer from 1"},
        {"\"clusters\":4", "\"clusters\":65537", "\"clusters\": expected an integer from 1"},
        {"\"clusters\":4", "\"clusters\":1e300", "\"clusters\": expected an integer"},
        {"\"clusters\":4", "\"clusters\":4.5", "\"clusters\": expected an integer"},
        {"\"clusters\":4", "\"clusters\":5", "centers\" 0 has another size than its shape"},
        {"\"clusters\":4", "\"clusters\":3", "centers\" 0 has another size than its shape"},
        {"\"clusters\":4", "\"clusters\":65536", "centers\" 0 has another size than its shape"},
        {"\"clustering\"", "\"regression\"", "a regressor with labels of type \"none\""},
        {"\"has_nulls\":true", "\"has_nulls\":false",
         "centers\" 0 has another size than its shape"},
        {"\"type\":\"numeric\"", "\"words\":0,\"hash_buckets\":1,\"type\":\"category\"",
         "it was changed after training"},
        {"\"scale\":9.7", "\"scale\":9.5", "it was changed after training"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_meta(CLUSTERS, cases[i].old, cases[i].with, STATUS_CORRUPT, cases[i].message);
}

static void components_with_a_wrong_value_are_refused(void **state)
{
    static const struct {
        const char *old, *with, *message;
    } cases[] = {
        {"\"components\":2", "\"components\":0", "\"components\": expected an integer from 1 to 2"},
        {"\"components\":2", "\"components\":3", "\"components\": expected an integer from 1 to 2"},
        {"\"components\":2", "\"components\":1", "elements, where at most 1"},
        {"[3,0.5]", "[3]", "1 numbers, where 2 belong"},
        {"[3,0.5]", "[3,-1]", "a variance is below 0"},
        {"[3,0.5]", "[3,null]", "an element is no number"},
        {"[3,0.5]", "[3,0.25]", "it was changed after training"},
        {"\"variance\":3.5", "\"variance\":0", "the variance of all inputs is not above 0"},
        {"\"variance\":3.5", "\"variance\":4", "it was changed after training"},
        {"\"projection\"", "\"clustering\"", "principal components do no clustering"},
        {"\"type\":\"numeric\"", "\"words\":0,\"hash_buckets\":1,\"type\":\"category\"",
         "another size than its shape"},
        {"\"scale\":9.7", "\"scale\":9.5", "it was changed after training"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_meta(COMPONENTS, cases[i].old, cases[i].with, STATUS_CORRUPT, cases[i].message);
}

static void one_class_with_a_wrong_value_is_refused(void **state)
{
    static const struct {
        const char *old, *with, *message;
    } cases[] = {
        {"\"features\":5", "\"features\":0", "\"features\": expected an integer from 1 to 1024"},
        {"\"features\":5", "\"features\":1025", "\"features\": expected an integer from 1 to 1024"},
        {"\"features\":5", "\"features\":4", "another size than its shape"},
        {"\"features\":5", "\"features\":6", "another size than its shape"},
        {"\"detection\"", "\"clustering\"", "one class does no clustering"},
        {"\"type\":\"numeric\"", "\"words\":0,\"hash_buckets\":1,\"type\":\"category\"",
         "another size than its shape"},
        {"\"scale\":9.7", "\"scale\":9.5", "it was changed after training"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_meta(ONE_CLASS, cases[i].old, cases[i].with, STATUS_CORRUPT, cases[i].message);
}

static void an_isolation_forest_with_a_wrong_value_is_refused(void **state)
{
    static const struct {
        const char *old, *with, *message;
    } cases[] = {
        {"\"nodes\":3", "\"nodes\":0", "0 nodes of 1 trees"},
        {"\"nodes\":3", "\"nodes\":4", "another size than its shape"},
        {"\"trees\":1", "\"trees\":2", "another size than its shape"},
        {"\"trees\":1", "\"trees\":-1", "\"trees\": expected an integer from 0"},
        {"\"detection\"", "\"clustering\"", "an isolation forest does no clustering"},
        {"\"sets\":0", "\"sets\":\"\"", "\"sets\": expected an integer"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_meta(ISOLATION, cases[i].old, cases[i].with, STATUS_CORRUPT, cases[i].message);
}

static void forecasts_with_a_wrong_value_are_refused(void **state)
{
    static const struct {
        const char *old, *with, *message;
    } cases[] = {
        {"\"groups\":2", "\"groups\":9", "\"groups\": expected an integer from 0 to 8"},
        {"\"groups\":2", "\"groups\":1", "a column that is not there"},
        {"\"series\":4", "\"series\":0", "\"series\": expected an integer from 1"},
        {"\"series\":4", "\"series\":5", "another size than its shape"},
        {"\"horizon\":2", "\"horizon\":0", "\"horizon\": expected an integer from 1"},
        {"\"horizon\":2", "\"horizon\":10001", "\"horizon\": expected an integer from 1"},
        {"\"horizon\":2", "\"horizon\":3", "another size than its shape"},
        {"\"numbers\"", "\"dates\"", "steps of another kind than its times"},
        {"\"numbers\"", "\"words\"", "an unknown word of \"times\""},
        {"\"unit\":\"number\"", "\"unit\":\"month\"", "steps of another kind than its times"},
        {"\"unit\":\"number\"", "\"unit\":\"year\"", "an unknown word of \"unit\""},
        {"\"level\":0.95", "\"level\":1", "no forecast has such a level"},
        {"\"level\":0.95", "\"level\":0.9", "it was changed after training"},
        {"\"size\":2", "\"size\":0", "\"size\": expected an integer from 1"},
        {"\"size\":2", "\"size\":3", "it was changed after training"},
        {"\"reaches\":true", "\"reaches\":false", "reaches"},
        {"\"integers\":[1]", "\"integers\":[2]", "a column that is not there"},
        {"\"integers\":[1]", "\"integers\":[-1]", "a column that is not there"},
        {"\"integers\":[1]", "\"integers\":[\"1\"]", "a column that is not there"},
        {"\"integers\":[1]", "\"integers\":[0,0,0,0,0,0,0,0,0]", "at most 8"},
        {"\"length\":7", "\"length\":0", "\"length\": expected an integer from 1"},
        {"\"length\":7,\"series\":3", "\"length\":7,\"series\":0", "\"series\": expected"},
        {"\"seasons\":[", "\"seasons\":[3,", "\"length\": expected"},
        {"\"seasons\":[", "\"seasons\":[1,2,3,", "at most 4"},
        {"\"regression\"", "\"clustering\"", ""},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_meta(FORECAST, cases[i].old, cases[i].with, STATUS_CORRUPT, cases[i].message);
}

static void forecasts_with_wrong_regressors_are_refused(void **state)
{
    static const struct {
        const char *old, *with, *message;
    } cases[] = {
        {"\"coefficients\":[{\"series\":3", "\"coefficients\":[{\"series\":-3", "from 0 to"},
        {"\"coefficients\":[", "\"coefficients\":[1,", ""},
        {"\"coefficients\":[", "\"coefficients\":[{\"series\":1,\"median\":1},", "at most 2"},
        {"\"coefficients\":[{\"series\":3,\"median\":0.3333333333333333},", "\"coefficients\":[",
         "1 coefficients of 2 regressors"},
        {"\"groups\":2", "\"groups\":1", "integers of a column that is not there"},
        {"\"median\":", "\"mean\":", "median"},
        {"\"coefficients\":[", "\"coefficients\":3,\"other\":[", "coefficients"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_meta(REGRESSORS, cases[i].old, cases[i].with, STATUS_CORRUPT, cases[i].message);
}

/* A number of an array, which the checksums cover. */
static void check_number(size_t array, size_t number, float with, const char *message)
{
    struct model_array written;
    struct fixture fixture;
    float *numbers, before;

    forecast_fixture_init(&fixture);
    CHECK(fixture.model.kind->array(&fixture.model, (uint32_t)array, &written));
    numbers = (float *)(uintptr_t)*written.elements;
    before = numbers[number];
    numbers[number] = with;
    fixture_write(&fixture);
    numbers[number] = before;
    check_refused(&fixture, ARENA_MAXIMUM, STATUS_CORRUPT, message);
    fixture_deinit(&fixture);
}

static void series_with_a_wrong_number_are_refused(void **state)
{
    enum { FORECASTS, FACTS, IDS, REACHES };
    static const char series[] = "cannot be forecast";
    (void)state;

    check_number(FORECASTS, STEP_DEVIATION, -1, "a deviation is below 0");
    check_number(FORECASTS, STEP_VALUE, NAN, "");
    check_number(FACTS, FACT_FIRST, 0x1p22F, series);
    check_number(FACTS, FACT_FIRST + 1, -1, series);
    check_number(FACTS, FACT_FIRST + 2, 0.5F, series);
    check_number(FACTS, FACT_LAST, -1, series);
    check_number(FACTS, FACT_LAST, 1e9F, series);
    check_number(FACTS, FACT_SEASON, 0, "\"length\": expected");
    check_number(FACTS, FACT_COUNT, 0, series);
    check_number(FACTS, FACT_POSITIVE, 2, series);
    check_number(IDS, 1, 1, series); /* twice the same */
    check_number(IDS, 0, 3, series);
    check_number(IDS, 0, 1, series); /* not ascending */
    check_number(IDS, 0, -1, series);
    check_number(REACHES, 3, -1, "reaches less than nothing");
}

static void score_cards_with_a_wrong_value_are_refused(void **state)
{
    static const struct {
        const char *old, *with, *message;
    } cases[] = {
        {"\"bad\":[1,2", "\"bad\":[1", "8 numbers, where 9 belong"},
        {"\"bad\":[1,2", "\"bad\":[1,2,2", "elements, where at most 9"},
        {"\"bad\":[1,2", "\"bad\":[-1,2", "a bin of less than no row"},
        {"\"bad\":[1,2", "\"bad\":[1,3", "it was changed after training"},
        {"\"bad\":[1,2,3,0,0,4", "\"bad\":[0,0,0,0,0,0", "of rows of one class"},
        {"\"scale\":[1,600", "\"scale\":[0,600", "a score card without a scale"},
        {"\"scale\":[1,600", "\"scale\":[1,601", "it was changed after training"},
        {"\"scale\":[1,600", "\"scale\":[600", "3 numbers, where 4 belong"},
        {"\"coefficients\":[0.5", "\"coefficients\":[null", "an element is no number"},
        {"\"coefficients\":[0.5", "\"coefficients\":[0.25", "it was changed after training"},
        {"[0,10]", "[0,10,20]", "a score card of other than two classes"},
        {"\"words\":2", "\"words\":3", "9 numbers, where 10 belong"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_meta(CARD, cases[i].old, cases[i].with, STATUS_CORRUPT, cases[i].message);
}

static void regressions_with_a_wrong_value_are_refused(void **state)
{
    static const struct {
        const char *old, *with, *message;
    } cases[] = {
        {"\"coefficients\":[", "\"coefficients\":[1,", "elements, where at most"},
        {"\"coefficients\":[0,", "\"coefficients\":[", "numbers, where"},
        {"\"coefficients\":[0,", "\"coefficients\":[null,", "an element is no number"},
        {"\"coefficients\":[0,", "\"coefficients\":[1e999,", "an element is no number"},
        {"\"coefficients\":[0,", "\"coefficients\":[0.5,", "it was changed after training"},
        {"\"fit\":[150,5,", "\"fit\":[150,", "4 numbers, where 5 belong"},
        {"\"fit\":[150,5,", "\"fit\":[0,5,", "no fit has such numbers"},
        {"\"fit\":[150,5,", "\"fit\":[150,500,", "no fit has such numbers"},
        {"\"fit\":[150,5,", "\"fit\":[150,-1,", "no fit has such numbers"},
        {"\"fit\":[150,5,", "\"fit\":[150,4,", "it was changed after training"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_meta(TESTED, cases[i].old, cases[i].with, STATUS_CORRUPT, cases[i].message);
}

static void naive_bayes_with_a_wrong_value_is_refused(void **state)
{
    static const struct {
        const char *old, *with, *message;
    } cases[] = {
        {"\"classes\":3", "\"classes\":2", "\"classes\": expected an integer from 3 to 3"},
        {"\"classes\":3", "\"classes\":4", "\"classes\": expected an integer from 3 to 3"},
        {"[0,10,20]", "[0,10]", "\"classes\": expected an integer from 2 to 2"},
        {"\"has_nulls\":true", "\"has_nulls\":false", "another size than its shape"},
        {"\"words\":2", "\"words\":3", "another size than its shape"},
        {"\"scale\":9.7", "\"scale\":9.5", "it was changed after training"},
    };
    struct fixture fixture;
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_meta(BAYES, cases[i].old, cases[i].with, STATUS_CORRUPT, cases[i].message);
    bayes_init(&fixture);
    ((float *)(uintptr_t)((const struct bayes_model *)fixture.model.content)->variances)[1] = 0;
    fixture_write(&fixture);
    check_refused(&fixture, ARENA_MAXIMUM, STATUS_CORRUPT, "a variance is not above 0");
    fixture_deinit(&fixture);
}

static void embeddings_with_a_wrong_value_are_refused(void **state)
{
    static const struct {
        const char *old, *with, *message;
    } cases[] = {
        {"\"embedding_dimension\":3", "\"embedding_dimension\":0", "embedding"},
        {"\"embedding_dimension\":3", "\"embedding_dimension\":513", "\"embedding_dimension\""},
        {"\"embedding_dimension\":3", "\"embedding_dimension\":4", "another size than its shape"},
        {"\"embedding_dimension\":3,", "", "\"embedding_dimension\""},
        {"\"wide\":true", "\"wide\":1", "\"wide\""},
        {"\"wide\":true", "\"wide\":false", "another size than its shape"},
        {"\"compressed\"", "\"other\"", "\"interaction\""},
        {"\"compressed\"", "\"none\"", "does not belong to it"},
        {"\"compressed\"", "\"pairs\"", "does not belong to it"},
        {"\"cin_layer_size\":[2,5]", "\"cin_layer_size\":[2,6]", "another size than its shape"},
        {"\"cin_layer_size\":[2,5]", "\"cin_layer_size\":[2,513]", "\"cin_layer_size\""},
        {"\"cin_layer_size\":[2,5]", "\"cin_layer_size\":[2]", "does not belong to it"},
        {"\"hidden_units\":[4]",
         "\"hidden_units\":[8192,8192,8192,8192,8192,8192,8192,8192,8192,"
         "8192,8192,8192,8192,8192,8192,8192,8192]",
         "\"hidden_units\""},
        {"\"relu\"", "\"tanh\"", "it was changed after training"},
        {"\"hash_buckets\":2", "\"hash_buckets\":3", "another size than its shape"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_meta(EMBEDDED, cases[i].old, cases[i].with, STATUS_CORRUPT, cases[i].message);
}

static void damaged_centers_are_refused(void **state)
{
    static const float values[] = {NAN, INFINITY, -INFINITY};
    struct fixture fixture;
    struct model_row *row;
    struct slice whole;
    (void)state;

    clusters_init(&fixture);
    fixture_write(&fixture);
    row = find_row(&fixture, "tensor", "centers");
    whole = row->data;
    for (size_t size = 0; size < whole.size; size++) {
        row->data.size = size;
        check_refused(&fixture, ARENA_MAXIMUM, STATUS_CORRUPT, "another size than its shape");
    }
    row->data.size = whole.size;
    for (size_t byte = 0; byte < whole.size; byte++) {
        ((char *)whole.data)[byte] ^= 0x10;
        check_refused(&fixture, ARENA_MAXIMUM, STATUS_CORRUPT, "does not match its checksum");
        ((char *)whole.data)[byte] ^= 0x10;
    }
    row->position = 1;
    check_refused(&fixture, ARENA_MAXIMUM, STATUS_CORRUPT, "does not belong");
    *row = fixture.rows[--fixture.row_count];
    check_refused(&fixture, ARENA_MAXIMUM, STATUS_CORRUPT, "centers lacks 1 of 1 chunks");
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const struct kmeans_model *content = fixture.model.content;

        ((float *)(uintptr_t)content->centers)[5] = values[i];
        fixture_write(&fixture);
        check_refused(&fixture, ARENA_MAXIMUM, STATUS_CORRUPT, "a number that is not finite");
    }
    fixture_deinit(&fixture);
}

static void a_row_that_does_not_belong_to_the_model_is_refused(void **state)
{
    static const struct {
        struct slice part, name;
        int64_t position;
        const char *message;
    } cases[] = {
        {SLICE("tensor"), SLICE("layer2/bias"), 0, "tensor \"layer2/bias\" 0 does not belong"},
        {SLICE("tensor"), SLICE("layer0/bias"), INT64_MIN, "does not belong"},
        {SLICE("tensor"), SLICE("layer0/bias"), INT64_MAX, "does not belong"},
        {SLICE("vocabulary"), SLICE("shape"), 0, "vocabulary \"shape\" 0 does not belong"},
        {SLICE("vocabulary"), SLICE("age"), 0, "does not belong"},
        {SLICE("vocabulary"), SLICE("size"), -1, "does not belong"},
        {SLICE("vocabulary"), SLICE("size"), 2, "vocabulary \"size\" 2 does not belong"},
        {SLICE("a part of a name that is long"), SLICE(SIXTY_FOUR), 0,
         "a part of a name tha \"012345678901234567890123456789012345678901234567890123456789\" 0 "
         "belongs to no known part"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct model_row row = {
            .part = cases[i].part, .name = cases[i].name, .position = cases[i].position};
        struct fixture fixture;
        struct error err;

        model_init(&fixture, DEEP);
        CHECK_OK(fixture_keep(&fixture, &row, &err));
        check_refused(&fixture, ARENA_MAXIMUM, STATUS_CORRUPT, cases[i].message);
        fixture_deinit(&fixture);
    }
}

static void a_row_that_is_there_twice_is_refused(void **state)
{
    struct fixture fixture;
    struct error err;
    size_t rows;
    (void)state;

    model_init(&fixture, DEEP);
    rows = fixture.row_count;
    for (size_t i = 0; i < rows; i++) {
        const struct model_row row = fixture.rows[i];

        CHECK_OK(fixture_keep(&fixture, &row, &err));
        check_refused(&fixture, ARENA_MAXIMUM, STATUS_CORRUPT, "is there twice");
        fixture.row_count--;
    }
    fixture_deinit(&fixture);
}

static void a_row_without_its_data_is_refused(void **state)
{
    static const char *const rows[][3] = {
        {"meta", "meta", "is empty"},
        {"tensor", "layer0/bias", "has another size than its shape"},
        {"vocabulary", "colour", "has no word"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fixture fixture;

        model_init(&fixture, DEEP);
        find_row(&fixture, rows[i][0], rows[i][1])->has_data = false;
        check_refused(&fixture, ARENA_MAXIMUM, STATUS_CORRUPT, rows[i][2]);
        fixture_deinit(&fixture);
    }
}

/* Rows before the meta row must be kept: neither long ones nor many of them
 * take more than the arena would hold. */
static void rows_before_the_meta_row_have_a_limit(void **state)
{
    const size_t size = MODEL_META_BYTES_MAX + 1;
    struct model_row row = {.part = SLICE("tensor"), .name = SLICE("a"), .has_data = true};
    struct model_reader *reader;
    struct arena arena;
    struct error err;
    char *bytes = calloc(size, 1);
    (void)state;

    CHECK(bytes);
    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(model_reader_new(kinds, &arena, &reader, &err));
    row.data = (struct slice){bytes, size};
    CHECK_FAILS(model_reader_add(reader, &row, &err), STATUS_CORRUPT, "\"a\" 0 is too long");
    row.name = row.data;
    row.data = SLICE("");
    CHECK_FAILS(model_reader_add(reader, &row, &err), STATUS_CORRUPT, "is too long");
    model_reader_free(reader);

    arena_init(&arena, 4000);
    CHECK_OK(model_reader_new(kinds, &arena, &reader, &err));
    row.name = (struct slice){NULL, 0};
    row.data = (struct slice){bytes, 2000};
    CHECK_OK(model_reader_add(reader, &row, &err));
    CHECK_FAILS(model_reader_add(reader, &row, &err), STATUS_NO_MEMORY, "more than 4000 bytes");
    row.data.size = 5000;
    CHECK_FAILS(model_reader_add(reader, &row, &err), STATUS_NO_MEMORY, "more than 4000 bytes");
    model_reader_free(reader);
    free(bytes);
}

static void a_count_that_is_no_count_is_not_known(void **state)
{
    static const double values[] = {-1, 0, NAN, 0x1p53, INFINITY};
    (void)state;

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct model_reader *reader;
        struct fixture fixture;
        struct model model;
        struct error err;

        model_init(&fixture, DEEP);
        find_row(&fixture, "vocabulary", "colour")->value = values[i];
        CHECK_OK(model_reader_new(kinds, &fixture.arena, &reader, &err));
        for (size_t j = 0; j < fixture.row_count; j++)
            CHECK_OK(model_reader_add(reader, &fixture.rows[j], &err));
        CHECK_OK(model_reader_finish(reader, &model, &err));
        CHECK(model.transform.inputs[2].word_counts[0] == 0);
        CHECK(model.transform.inputs[2].word_counts[1] == 20);
        model_reader_free(reader);
        fixture_deinit(&fixture);
    }
}

struct failing_sink {
    size_t rows_left;
};

static enum status sink_until(void *context, const struct model_row *row, struct error *err)
{
    struct failing_sink *sink = context;

    (void)row;
    return sink->rows_left-- > 0 ? STATUS_OK : fail(err, STATUS_IO, "the disk is full");
}

static void a_sink_that_fails_at_any_row_ends_the_writing(void **state)
{
    (void)state;
    for (int kind = REGRESSION; kind < DAMAGES; kind++) {
        struct fixture fixture;
        struct error err;

        model_init(&fixture, (enum damage_of)kind);
        for (size_t rows = 0; rows < fixture.row_count; rows++) {
            struct failing_sink sink = {rows};
            CHECK_FAILS(model_write(&fixture.model, sink_until, &sink, &err), STATUS_IO,
                        "the disk is full");
            CHECK(sink.rows_left == SIZE_MAX); /* it was not asked again */
        }
        fixture_deinit(&fixture);
    }
}

static void a_text_with_a_zero_byte_is_not_written_wherever_it_stands(void **state)
{
    const struct slice bad = {"a\0b", 3};
    struct cell text_labels[3] = {{.type = CELL_TEXT, .text = SLICE("a")},
                                  {.type = CELL_TEXT, .text = SLICE("b")},
                                  {.type = CELL_TEXT, .text = bad}};
    struct fixture fixture;
    struct error err;
    (void)state;

    model_init(&fixture, DEEP);
#define REFUSED(place, message)                                                                    \
    do {                                                                                           \
        const struct slice kept = place;                                                           \
        place = bad;                                                                               \
        CHECK_FAILS(model_write(&fixture.model, fixture_keep, &fixture, &err), STATUS_INVALID,     \
                    message);                                                                      \
        place = kept;                                                                              \
    } while (0)
    REFUSED(fixture.model.id, "the model's id has a zero byte");
    REFUSED(fixture.model.estimator, "estimator has a zero byte");
    REFUSED(fixture.model.label, "label has a zero byte");
    REFUSED(fixture.model.statement, "statement has a zero byte");
    REFUSED(fixture.model.digest, "digest has a zero byte");
    REFUSED(fixture.model.created_at, "created_at has a zero byte");
    REFUSED(fixture.model.transform.inputs[1].spec.name, "name has a zero byte");
#undef REFUSED
    fixture.model.labels.type = LABEL_TEXT;
    fixture.model.labels.values = text_labels;
    CHECK_FAILS(model_write(&fixture.model, fixture_keep, &fixture, &err), STATUS_INVALID,
                "a label of the model has a zero byte");
    fixture_deinit(&fixture);
}

static void a_description_that_no_reader_would_take_is_not_written(void **state)
{
    struct fixture fixture;
    struct error err;
    char *statement = malloc(MODEL_META_BYTES_MAX);
    (void)state;

    CHECK(statement);
    memset(statement, 'x', MODEL_META_BYTES_MAX);
    model_init(&fixture, DEEP);
    fixture.model.statement = (struct slice){statement, MODEL_META_BYTES_MAX};
    CHECK_FAILS(model_write(&fixture.model, fixture_keep, &fixture, &err), STATUS_LIMIT,
                "where at most 16777216 are read");
    fixture.model.statement = SLICE("");
    fixture.model.metrics_json = SLICE("{");
    CHECK_FAILS(model_write(&fixture.model, fixture_keep, &fixture, &err), STATUS_CORRUPT,
                "no JSON");
    free(statement);
    fixture_deinit(&fixture);
}

static void words_are_shown_as_text_where_every_database_takes_them(void **state)
{
    static const struct {
        struct slice word;
        bool is_text;
    } cases[] = {
        {SLICE(""), true},
        {SLICE("plain"), true},
        {{"a\0b", 3}, false},
        {SLICE("\xc3\xa4"), true},          /* U+00E4 */
        {SLICE("\xe2\x82\xac"), true},      /* U+20AC */
        {SLICE("\xf0\x9f\x98\x80"), true},  /* U+1F600 */
        {SLICE("\xf4\x8f\xbf\xbf"), true},  /* U+10FFFF */
        {SLICE("\x80"), false},             /* begins in the middle */
        {SLICE("\xc0\x80"), false},         /* an overlong zero */
        {SLICE("\xc3"), false},             /* cut */
        {SLICE("\xc3z"), false},            /* not continued */
        {SLICE("\xe0\x9f\xbf"), false},     /* overlong in three bytes */
        {SLICE("\xed\xa0\x80"), false},     /* a surrogate */
        {SLICE("\xf0\x8f\xbf\xbf"), false}, /* overlong in four bytes */
        {SLICE("\xf4\x90\x80\x80"), false}, /* beyond U+10FFFF */
        {SLICE("\xf5\x80\x80\x80"), false}, /* no first byte */
    };
    struct fixture fixture;
    struct slice words[2] = {SLICE("red"), SLICE("green")};
    (void)state;

    model_init(&fixture, DEEP);
    fixture.model.transform.inputs[3].words = words;
    fixture.model.transform.inputs[3].word_counts = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct model_row *row;

        words[0] = cases[i].word;
        fixture_write(&fixture);
        row = find_row(&fixture, "vocabulary", "size");
        CHECK(row->data_is_text == cases[i].is_text);
        CHECK(slice_equal(row->data, cases[i].word));
        CHECK(!row->has_value); /* they were not counted */
    }
    fixture_deinit(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_member_of_the_meta_row_is_needed_in_its_type),
        cmocka_unit_test(a_meta_row_with_a_wrong_value_is_refused),
        cmocka_unit_test(what_is_damaged_here_could_be_read_before),
        cmocka_unit_test(parts_with_a_wrong_value_are_refused),
        cmocka_unit_test(rules_with_a_wrong_value_are_refused),
        cmocka_unit_test(crosses_with_a_wrong_value_are_refused),
        cmocka_unit_test(parts_of_models_with_a_wrong_value_are_refused),
        cmocka_unit_test(offsets_with_a_wrong_value_are_refused),
        cmocka_unit_test(concats_with_a_wrong_value_are_refused),
        cmocka_unit_test(pairs_of_several_outputs_with_a_wrong_value_are_refused),
        cmocka_unit_test(lists_with_a_wrong_value_are_refused),
        cmocka_unit_test(items_with_a_wrong_value_are_refused),
        cmocka_unit_test(clusters_with_a_wrong_value_are_refused),
        cmocka_unit_test(regressions_with_a_wrong_value_are_refused),
        cmocka_unit_test(one_class_with_a_wrong_value_is_refused),
        cmocka_unit_test(an_isolation_forest_with_a_wrong_value_is_refused),
        cmocka_unit_test(forecasts_with_a_wrong_value_are_refused),
        cmocka_unit_test(forecasts_with_wrong_regressors_are_refused),
        cmocka_unit_test(series_with_a_wrong_number_are_refused),
        cmocka_unit_test(score_cards_with_a_wrong_value_are_refused),
        cmocka_unit_test(components_with_a_wrong_value_are_refused),
        cmocka_unit_test(naive_bayes_with_a_wrong_value_is_refused),
        cmocka_unit_test(embeddings_with_a_wrong_value_are_refused),
        cmocka_unit_test(damaged_centers_are_refused),
        cmocka_unit_test(a_row_that_does_not_belong_to_the_model_is_refused),
        cmocka_unit_test(a_row_that_is_there_twice_is_refused),
        cmocka_unit_test(a_row_without_its_data_is_refused),
        cmocka_unit_test(rows_before_the_meta_row_have_a_limit),
        cmocka_unit_test(a_count_that_is_no_count_is_not_known),
        cmocka_unit_test(a_sink_that_fails_at_any_row_ends_the_writing),
        cmocka_unit_test(a_text_with_a_zero_byte_is_not_written_wherever_it_stands),
        cmocka_unit_test(a_description_that_no_reader_would_take_is_not_written),
        cmocka_unit_test(words_are_shown_as_text_where_every_database_takes_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
