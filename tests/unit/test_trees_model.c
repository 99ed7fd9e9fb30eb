/* Models of trees: as they are stored, and as rows are scored by them. */
#include <float.h>
#include <math.h>

#include "scoring/tables/model_bytes.h"
#include "tests/check.h"
#include "tests/unit/trees_fixture.h"

/* ---- stored ---- */

static enum status read_rows(const struct trees_fixture *made, bool backwards, struct arena *arena,
                             struct model *model, struct error *err)
{
    const struct fixture *fixture = &made->fixture;
    struct model_reader *reader;
    enum status status = STATUS_OK;

    CHECK_INT(model_reader_new(kinds, arena, &reader, err), STATUS_OK);
    for (size_t i = 0; status == STATUS_OK && i < fixture->row_count; i++)
        status = model_reader_add(reader,
                                  &fixture->rows[backwards ? fixture->row_count - 1 - i : i], err);
    if (status == STATUS_OK)
        status = model_reader_finish(reader, model, err);
    model_reader_free(reader);
    return status;
}

static void check_refused(struct trees_fixture *made, const char *message)
{
    struct arena arena;
    struct model model;
    struct error err;

    fixture_write(&made->fixture);
    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_FAILS(read_rows(made, false, &arena, &model, &err), STATUS_CORRUPT, message);
    arena_deinit(&arena);
}

static void check_same_trees(const struct trees_model *a, const struct trees_model *b)
{
    CHECK(a->outputs == b->outputs && a->tree_count == b->tree_count);
    CHECK(a->node_count == b->node_count && a->set_count == b->set_count && a->link == b->link);
    assert_memory_equal(a->base, b->base, a->outputs * sizeof(float));
    assert_memory_equal(a->trees, b->trees, a->tree_count * TREE_NUMBERS * sizeof(float));
    assert_memory_equal(a->nodes, b->nodes, (size_t)a->node_count * NODE_NUMBERS * sizeof(float));
    assert_memory_equal(a->sets, b->sets, (size_t)a->set_count * TREE_SET_NUMBERS * sizeof(float));
}

static void check_round_trip(struct trees_fixture *made)
{
    struct model read;
    struct arena arena;
    struct error err;

    fixture_write(&made->fixture);
    for (int backwards = 0; backwards < 2; backwards++) {
        arena_init(&arena, ARENA_MAXIMUM);
        CHECK_OK(read_rows(made, backwards, &arena, &read, &err));
        check_same_trees(&made->trees, trees_of(&read));
        CHECK(model_checksum(&read) == model_checksum(&made->fixture.model));
        CHECK(read.transform.keeps_numbers && read.transform.dense_width == 2);
        CHECK(read.transform.inputs[0].has_nulls && isnan(read.transform.inputs[0].null_value));
        arena_deinit(&arena);
    }
}

static void trees_read_back_as_they_were_written(void **state)
{
    struct trees_fixture made;
    (void)state;

    trees_fixture_init(&made, 3);
    check_round_trip(&made); /* without a tree */
    for (uint32_t i = 0; i < 9; i++)
        trees_fixture_grow(&made, i % 3, 1 + 20 * i, i, i % 2);
    check_round_trip(&made);
    fixture_deinit(&made.fixture);
    trees_fixture_init(&made, 0);
    trees_fixture_grow(&made, 0, 5, 1, true);
    made.trees.link = TREES_LINK_LOGISTIC;
    check_round_trip(&made);
    fixture_deinit(&made.fixture);
}

static void the_digest_covers_link_trees_and_nodes(void **state)
{
    struct trees_fixture made;
    uint64_t before;
    (void)state;

    trees_fixture_init(&made, 0);
    trees_fixture_grow(&made, 0, 5, 1, true);
    before = model_checksum(&made.fixture.model);
    made.trees.link = TREES_LINK_EXP;
    CHECK(model_checksum(&made.fixture.model) != before);
    made.trees.link = TREES_LINK_NONE;
    made.nodes[NODE_COVER] += 1;
    CHECK(model_checksum(&made.fixture.model) != before);
    made.nodes[NODE_COVER] -= 1;
    CHECK(model_checksum(&made.fixture.model) == before);
    fixture_deinit(&made.fixture);
}

/* age < 40 ? (colour in {0, 2} ? -1 : 1) : (height in {150, 160, 170} ? 2 : 3), and a second tree
 * of one leaf. Nodes: 0, 1 (colour), 2 (height), 3, 4, 5, 6; then 7. */
static void add_small(struct trees_fixture *made)
{
    const uint32_t colours[] = {0, 2}, heights[] = {150, 160, 170, 300};
    uint32_t rows;
    float nodes[7][NODE_NUMBERS] = {
        {NODE_BELOW, 0, 40, 1, 1, 0, 0, 9, 100},
        {NODE_WORD_IN, 0, 0, 3, 0},
        {NODE_IS_IN, 1, 0, 5, 1},
        {NODE_LEAF, 0, -1},
        {NODE_LEAF, 0, 1},
        {NODE_LEAF, 0, 2},
        {NODE_LEAF, 0, 3},
    };
    const float leaf[1][NODE_NUMBERS] = {{NODE_LEAF, 0, 0.5f}};

    nodes[1][NODE_SET] = (float)trees_fixture_set(made, colours, 2, &rows);
    nodes[1][NODE_SET_ROWS] = (float)rows;
    nodes[2][NODE_SET] = (float)trees_fixture_set(made, heights, 4, &rows);
    nodes[2][NODE_SET_ROWS] = (float)rows;
    trees_fixture_add(made, 0, (const float(*)[NODE_NUMBERS])nodes, 7);
    trees_fixture_add(made, 0, leaf, 1);
}

static void numbers_that_are_no_places_are_refused(void **state)
{
    static const struct {
        char array; /* its first letter */
        uint32_t row, column;
        float number;
        const char *message;
    } damages[] = {
        {'n', 0, NODE_TEST, NODE_TESTS, "tree 0, node 0: there is no test 4"},
        {'n', 0, NODE_TEST, -1, "there is no test -1"},
        {'n', 0, NODE_TEST, 0.5f, "there is no test 0.5"},
        {'n', 0, NODE_COLUMN, 2, "tree 0, node 0: no number is column 2"},
        {'n', 0, NODE_COLUMN, -1, "no number is column -1"},
        {'n', 0, NODE_COLUMN, 0.5f, "no number is column 0.5"},
        {'n', 1, NODE_COLUMN, 2, "tree 0, node 1: no category is column 2"},
        {'n', 0, NODE_MISSING_LEFT, 2, "missing values cannot go to 2"},
        {'n', 0, NODE_LEFT, 0, "tree 0, node 0: no children are at 0"},
        {'n', 1, NODE_LEFT, 1, "tree 0, node 1: no children are at 1"},
        {'n', 2, NODE_LEFT, 6, "tree 0, node 2: no children are at 6"}, /* the next tree's */
        {'n', 0, NODE_LEFT, 1.5f, "no children are at 1.5"},
        {'n', 0, NODE_LEFT, 1e20f, "no children are at 1e+20"},
        {'n', 2, NODE_LEFT, 3, "tree 0, node 2: another node has the children at 3"},
        {'n', 2, NODE_LEFT, 4, "another node has the children at 4"},
        {'n', 0, NODE_LEFT, 2, "tree 0, node 1: no node before it has it: 1"},
        {'n', 2, NODE_TEST, NODE_LEAF, "tree 0, node 5: no node before it has it: 5"},
        {'n', 1, NODE_SET, 3, "tree 0, node 1: there is no set 3"},
        {'n', 1, NODE_SET, -1, "there is no set -1"},
        {'n', 1, NODE_SET_ROWS, 4, "tree 0, node 1: a set has no rows 4"},
        {'n', 2, NODE_SET_ROWS, 0, "tree 0, node 2: a set has no rows 0"},
        {'n', 7, NODE_TEST, NODE_BELOW, "tree 1, node 0: no children are at 0"},
        {'s', 1, 3, 65536, "row 1 of the sets has 65536 for 16 bits"},
        {'s', 2, 15, 1.5f, "row 2 of the sets has 1.5 for 16 bits"},
        {'t', 0, TREE_FIRST_NODE, 1, "tree 0 has 7 nodes from 1, where 8 are left"},
        {'t', 0, TREE_NODE_COUNT, 0, "tree 0 has 0 nodes from 0, where 8 are left"},
        {'t', 0, TREE_NODE_COUNT, 9, "tree 0 has 9 nodes from 0, where 8 are left"},
        {'t', 1, TREE_NODE_COUNT, 2, "tree 1 has 2 nodes from 7, where 1 are left"},
        {'t', 1, TREE_FIRST_NODE, 6, "tree 1 has 1 nodes from 6, where 1 are left"},
        {'t', 1, TREE_OUTPUT, 1, "tree 1 is of output 1, where 1 are possible"},
        {'t', 1, TREE_OUTPUT, -1, "tree 1 is of output -1"},
        {'b', 0, 0, INFINITY, "base has a number that is not finite"},
        {'n', 0, NODE_VALUE, NAN, "nodes has a number that is not finite"},
        {'n', 0, NODE_GAIN, INFINITY, "nodes has a number that is not finite"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        struct trees_fixture made;

        trees_fixture_init(&made, 0);
        add_small(&made);
        check_round_trip(&made);
        float *array = damages[i].array == 'n'   ? made.nodes
                       : damages[i].array == 's' ? made.sets
                       : damages[i].array == 't' ? made.tree
                                                 : made.base;
        const uint32_t width = damages[i].array == 'n'   ? NODE_NUMBERS
                               : damages[i].array == 's' ? TREE_SET_NUMBERS
                               : damages[i].array == 't' ? TREE_NUMBERS
                                                         : 1;
        array[(size_t)damages[i].row * width + damages[i].column] = damages[i].number;
        check_refused(&made, damages[i].message);
        fixture_deinit(&made.fixture);
    }
}

static void nodes_of_no_tree_are_refused(void **state)
{
    struct trees_fixture made;
    (void)state;

    trees_fixture_init(&made, 0);
    add_small(&made);
    made.trees.tree_count = 1;
    check_refused(&made, "1 of 8 nodes belong to no tree");
    made.trees.node_count = 0;
    check_refused(&made, "0 nodes of 1 trees");
    fixture_deinit(&made.fixture);
}

/* A member of the meta row's object `trees`, or of the row, as another JSON. */
static void check_meta_refused(uint32_t classes, const char *object, const char *member,
                               const char *json, const char *message)
{
    struct trees_fixture made;
    struct arena arena;
    struct model model;
    struct error err;
    struct text text;
    cJSON *meta, *parent;

    trees_fixture_init(&made, classes);
    trees_fixture_grow(&made, 0, 4, 1, false);
    fixture_write(&made.fixture);
    CHECK_OK(json_parse(made.fixture.rows[0].data, MODEL_META_BYTES_MAX, &meta, &err));
    parent = object ? cJSON_GetObjectItemCaseSensitive(meta, object) : meta;
    cJSON_DeleteItemFromObjectCaseSensitive(parent, member);
    json_add(parent, member, cJSON_Parse(json));
    text_init(&text, TEXT_MAXIMUM);
    CHECK_OK(json_print(meta, false, &text, &err));
    made.fixture.rows[0].data = text_slice(&text);
    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_FAILS(read_rows(&made, false, &arena, &model, &err), STATUS_CORRUPT, message);
    arena_deinit(&arena);
    cJSON_Delete(meta);
    text_deinit(&text);
    fixture_deinit(&made.fixture);
}

static void descriptions_that_are_none_of_trees_are_refused(void **state)
{
    (void)state;
    check_meta_refused(0, "trees", "link", "\"cubic\"", "\"link\" is \"cubic\"");
    check_meta_refused(0, "trees", "trees", "1048577", "\"trees\"");
    check_meta_refused(0, "trees", "nodes", "16777217", "\"nodes\"");
    check_meta_refused(0, "trees", "sets", "-1", "\"sets\"");
    check_meta_refused(0, "trees", "nodes", "0", "0 nodes of 1 trees");
    check_meta_refused(2, "trees", "link", "\"exp\"", "logits with the link \"exp\"");
    check_meta_refused(0, "labels", "mean", "3", "another scale than its own");
    check_meta_refused(0, "labels", "scale", "2", "another scale than its own");
    check_meta_refused(0, NULL, "inputs",
                       "[{\"name\":\"note\",\"type\":\"text\",\"has_nulls\":false,"
                       "\"words_max\":3,\"hash_buckets\":9}]",
                       "an input is no text");
}

/* The aim, which EVALUATE needs of a regressor, is no part of the digest. */
static void the_aim_reads_back_as_it_was_written(void **state)
{
    static const struct aim_facts aims[] = {
        {.power = 1.3},
        {.aim = AIM_QUANTILES, .quantiles = {.25}, .quantile_count = 1},
        {.aim = AIM_QUANTILES, .quantiles = {.1, .5, .9}, .quantile_count = 3},
        {.aim = AIM_RANKS, .group = SLICE("query"), .has_linear_gains = true},
        {.aim = AIM_RANKS, .group = SLICE(""), .has_two_labels = true},
        {.aim = AIM_TIMES, .upper = SLICE("until"), .survival = {NOISE_EXTREME, 1.5}},
        {.aim = AIM_HAZARDS},
    };
    (void)state;

    for (size_t i = 0; i < sizeof aims / sizeof *aims; i++) {
        struct trees_fixture made;
        struct model read;
        struct arena arena;
        struct error err;

        trees_fixture_init(&made, 0);
        trees_fixture_grow(&made, 0, 4, 1, false);
        made.fixture.model.aim = aims[i];
        made.trees.outputs = trees_outputs(&made.fixture.model);
        made.trees.base = (const float[]){1, 2, 3};
        fixture_write(&made.fixture);
        arena_init(&arena, ARENA_MAXIMUM);
        CHECK_OK(read_rows(&made, false, &arena, &read, &err));
        CHECK(read.aim.aim == aims[i].aim && read.aim.power == aims[i].power);
        CHECK(read.aim.quantile_count == aims[i].quantile_count);
        CHECK(read.aim.quantiles[0] == aims[i].quantiles[0]);
        CHECK(read.aim.quantiles[2] == aims[i].quantiles[2]);
        CHECK_INT(model_outputs(&read), aims[i].quantile_count > 1 ? 3 : 1);
        CHECK(slice_equal(read.aim.group, aims[i].group));
        CHECK(slice_equal(read.aim.upper, aims[i].upper));
        CHECK(read.aim.has_linear_gains == aims[i].has_linear_gains);
        CHECK(read.aim.has_two_labels == aims[i].has_two_labels);
        CHECK(read.aim.survival.noise == aims[i].survival.noise);
        CHECK(read.aim.survival.scale == aims[i].survival.scale);
        arena_deinit(&arena);
        fixture_deinit(&made.fixture);
    }
}

static void check_aim_refused(const char *json, const char *message)
{
    check_meta_refused(0, "trees", "aim", json, message);
}

static void an_aim_that_is_none_is_refused(void **state)
{
    (void)state;
    check_aim_refused("{\"is\":\"luck\"}", "an aim that is not known");
    check_aim_refused("{\"is\":\"quantiles\",\"quantiles\":[]}", "there is no quantile");
    check_aim_refused("{\"is\":\"quantiles\",\"quantiles\":[1]}", "above 0 and below 1");
    check_aim_refused("{\"is\":\"quantiles\",\"quantiles\":[0.1,0.2]}",
                      "another size than its shape");
    check_aim_refused("{\"is\":\"ranks\",\"group\":3}", "\"group\"");
    check_aim_refused("{\"is\":\"times\",\"label_upper_bound\":\"u\",\"distribution\":\"odd\","
                      "\"scale\":1}",
                      "no distribution");
    check_aim_refused("{\"is\":\"times\",\"label_upper_bound\":\"u\",\"distribution\":\"normal\","
                      "\"scale\":0}",
                      "no distribution");
    check_meta_refused(0, "trees", "tweedie_power", "2.5", "from 1 to 2");
}

/* ---- scored ---- */

/* The node that a row ends in, as the header says: counted from the tree's first. */
static uint32_t leaf_of(const struct trees_fixture *made, uint32_t tree, const float *dense,
                        const int32_t *ids)
{
    const struct transform *transform = &made->fixture.model.transform;
    const float *nodes =
        made->nodes + (size_t)made->tree[(size_t)tree * TREE_NUMBERS] * NODE_NUMBERS;
    uint32_t at = 0;

    for (;;) {
        const float *node = nodes + (size_t)at * NODE_NUMBERS;
        const uint32_t column = (uint32_t)node[NODE_COLUMN];
        bool is_missing, left;
        double value;

        if (node[NODE_TEST] == NODE_LEAF)
            return at;
        if (node[NODE_TEST] == NODE_WORD_IN) {
            is_missing = ids[column] < 0; /* the first two inputs are numbers */
            value = ids[column] - (double)transform->inputs[2 + column].first_id;
        } else {
            is_missing = isnan(dense[column]);
            value = (double)dense[column];
        }
        left = is_missing && node[NODE_MISSING_LEFT] == 1;
        if (!is_missing && node[NODE_TEST] == NODE_BELOW)
            left = value < (double)node[NODE_VALUE];
        else if (!is_missing && trunc(value) >= 0 &&
                 trunc(value) < TREE_SET_VALUES * (double)node[NODE_SET_ROWS]) {
            const uint32_t whole = (uint32_t)trunc(value);
            const float *set = made->sets + (size_t)node[NODE_SET] * TREE_SET_NUMBERS;

            left = (uint32_t)set[whole / 16] >> whole % 16 & 1;
        }
        at = (uint32_t)node[NODE_LEFT] + !left;
    }
}

static double sum_of(const struct trees_fixture *made, uint32_t output, const float *dense,
                     const int32_t *ids)
{
    double sum = (double)made->base[output];

    for (uint32_t i = 0; i < made->trees.tree_count; i++) {
        const float *tree = made->tree + (size_t)i * TREE_NUMBERS;
        const uint32_t leaf = (uint32_t)tree[TREE_FIRST_NODE] + leaf_of(made, i, dense, ids);

        if (tree[TREE_OUTPUT] == (float)output)
            sum += (double)trees_node(&made->trees, leaf)[NODE_VALUE];
    }
    return sum;
}

static void each_test_sends_a_row_where_the_header_says(void **state)
{
    static const struct {
        float age, height;
        int32_t colour;
        uint32_t leaf;
    } rows[] = {
        {39.99f, 0, 0, 3},
        {39.99f, 0, 1, 4},
        {39.99f, 0, 2, 3},
        {39.99f, 0, 3, 4},
        {39.99f, 0, 4, 4},
        {39.99f, 0, -1, 4},
        {40, 150, 0, 5},
        {40, 150.9f, 0, 5},
        {40, 149.9f, 0, 6},
        {40, 300, 0, 5},
        {40, 301, 0, 6},
        {40, 512, 0, 6},
        {40, -150, 0, 6},
        {40, FLT_MAX, 0, 6},
        {40, -FLT_MAX, 0, 6},
        {40, NAN, 0, 5},
        {NAN, 0, 0, 3},
        {NAN, NAN, -1, 4},
        {-FLT_MAX, 0, 0, 3},
        {FLT_MAX, 0, 0, 6},
        {nextafterf(40, 0), 0, 0, 3},
        {40, nextafterf(1, 0), 0, 6},
    };
    struct trees_fixture made;
    struct scorer scorer;
    struct error err;
    (void)state;

    trees_fixture_init(&made, 0);
    add_small(&made);
    CHECK_OK(scorer_init(&scorer, &made.fixture.model, 4, &err));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const float dense[] = {rows[i].age, rows[i].height};
        const int32_t ids[] = {rows[i].colour, -1};
        uint32_t leaves[2];

        CHECK_INT(leaf_of(&made, 0, dense, ids), rows[i].leaf);
        scorer_score_row(&scorer, dense, ids);
        scorer_leaves(&scorer, leaves);
        CHECK_INT(leaves[0], rows[i].leaf);
        CHECK_INT(leaves[1], 0);
        CHECK(scorer_value(&scorer) ==
              (double)made.nodes[rows[i].leaf * NODE_NUMBERS + NODE_VALUE] + 0.75);
    }
    scorer_deinit(&scorer);
    fixture_deinit(&made.fixture);
}

#define ROWS 192

/* Numbers of all kinds, whole ones, and some that are missing. */
static void draw_rows(const struct transform *transform, float *dense, int32_t *ids)
{
    for (uint32_t i = 0; i < ROWS * transform->dense_width; i++) {
        const double drawn = trees_fixture_draw(77, i, 0);

        dense[i] = drawn < 0.1    ? NAN
                   : drawn < 0.12 ? FLT_MAX
                   : drawn < 0.5  ? (float)floor(300 * trees_fixture_draw(77, i, 1))
                                  : (float)(200 * trees_fixture_draw(77, i, 1) - 50);
    }
    for (uint32_t i = 0; i < ROWS; i++)
        for (uint32_t j = 0; j < transform->id_count; j++) {
            const struct transform_input *input =
                &transform->inputs[transform->input_count - transform->id_count + j];
            const double drawn = trees_fixture_draw(78, i, j) * (input->id_rows + 1);

            ids[i * transform->id_count + j] =
                drawn < 1 ? -1 : (int32_t)(input->first_id + (uint32_t)(drawn - 1));
        }
}

/* Scored together in blocks of any size, and one by one, as the header says. */
static void check_scores(const struct trees_fixture *made)
{
    const struct model *model = &made->fixture.model;
    const size_t width = model->transform.dense_width, id_count = model->transform.id_count;
    const uint32_t outputs = made->trees.outputs;
    float dense[ROWS * 40], expected[ROWS * 4];
    int32_t ids[ROWS * 4];
    uint32_t leaves[TREES_FIXTURE_TREES];
    struct scorer scorer;
    struct error err;

    draw_rows(&model->transform, dense, ids);
    for (uint32_t i = 0; i < ROWS; i++)
        for (uint32_t j = 0; j < outputs; j++)
            expected[i * outputs + j] =
                (float)sum_of(made, j, dense + i * width, ids + i * id_count);
    CHECK_OK(scorer_init(&scorer, model, ROWS, &err));
    for (uint32_t count = 1; count <= ROWS; count += 1 + count / 7)
        for (uint32_t first = 0; first + count <= ROWS; first += count) {
            memcpy(scorer.dense, dense + first * width, count * width * sizeof *dense);
            memcpy(scorer.ids, ids + first * id_count, count * id_count * sizeof *ids);
            scorer_score(&scorer, count);
            assert_memory_equal(scorer.results, expected + first * outputs,
                                count * outputs * sizeof *expected);
        }
    scorer_select(&scorer, 1);
    scorer_leaves(&scorer, leaves);
    for (uint32_t i = 0; i < made->trees.tree_count; i++)
        CHECK_INT(leaves[i], leaf_of(made, i, scorer.dense + width, scorer.ids + id_count));
    scorer_deinit(&scorer);
}

static void rows_have_the_same_bits_whatever_is_scored_with_them(void **state)
{
    static const uint32_t leaves[] = {1, 2, 3, 31, 32, 33, 63, 64, 65, 200};
    (void)state;

    for (int with_sets = 0; with_sets < 2; with_sets++)
        for (uint32_t classes = 0; classes < 4; classes += classes ? 1 : 2) {
            struct trees_fixture made;

            trees_fixture_init(&made, classes);
            for (uint32_t i = 0; i < 23; i++)
                trees_fixture_grow(&made, i % made.trees.outputs, leaves[i % 10], i, with_sets);
            check_scores(&made);
            fixture_deinit(&made.fixture);
        }
}

/* A tree that is a chain has as many levels as leaves. */
static void trees_may_be_as_deep_as_they_have_leaves(void **state)
{
    enum { LEAVES = 300 };
    static float nodes[2 * LEAVES - 1][NODE_NUMBERS];
    struct trees_fixture made;
    (void)state;

    for (uint32_t i = 0; i + 1 < LEAVES; i++) { /* the right child is the next in the chain */
        float *node = nodes[i ? 2 * i : 0];

        node[NODE_TEST] = NODE_BELOW;
        node[NODE_VALUE] = (float)i;
        node[NODE_LEFT] = (float)(2 * i + 1);
        nodes[2 * i + 1][NODE_VALUE] = (float)i / 8;
    }
    nodes[2 * LEAVES - 2][NODE_VALUE] = -1;
    trees_fixture_init(&made, 0);
    trees_fixture_add(&made, 0, (const float(*)[NODE_NUMBERS])nodes, 2 * LEAVES - 1);
    check_round_trip(&made);
    check_scores(&made);
    fixture_deinit(&made.fixture);
}

/* So few that no table of masks is worth it, some, and so many that there is no room for it. */
static void many_trees_are_scored(void **state)
{
    static const uint32_t counts[] = {15, 16, 17, 90, 200, 400};
    (void)state;

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (uint32_t classes = 0; classes < 4; classes += 3) {
            struct trees_fixture made;

            trees_fixture_wide(&made, classes, i % 2 ? 40 : 3);
            for (uint32_t j = 0; j < counts[i]; j++)
                trees_fixture_grow(&made, j % made.trees.outputs,
                                   counts[i] == 400 ? 31 : 1 + j % 32, j, false);
            check_scores(&made);
            fixture_deinit(&made.fixture);
        }
}

static void no_number_at_all_is_scored(void **state)
{
    struct trees_fixture made;
    struct transform_input *inputs;
    (void)state;

    made = (struct trees_fixture){.base = NULL};
    fixture_init(&made.fixture, 0);
    inputs = made.fixture.model.transform.inputs;
    trees_fixture_begin(&made, 0, inputs + 2, 2);
    CHECK_INT(made.fixture.model.transform.dense_width, 0);
    {
        const uint32_t words[] = {1, 4};
        uint32_t rows;
        float nodes[3][NODE_NUMBERS] = {
            {NODE_WORD_IN, 0, 0, 1, 1}, {NODE_LEAF, 0, 1}, {NODE_LEAF, 0, 2}};
        struct scorer scorer;
        struct error err;

        nodes[0][NODE_SET] = (float)trees_fixture_set(&made, words, 2, &rows);
        nodes[0][NODE_SET_ROWS] = (float)rows;
        trees_fixture_add(&made, 0, (const float(*)[NODE_NUMBERS])nodes, 3);
        CHECK_OK(scorer_init(&scorer, &made.fixture.model, 20, &err));
        for (uint32_t count = 1; count <= 20; count += 19) {
            for (int32_t i = 0; i < 40; i++)
                scorer.ids[i] = i % 2 ? -1 : i / 2 % 6 - 1;
            scorer_score(&scorer, count);
            for (uint32_t i = 0; i < count; i++) {
                const int32_t id = scorer.ids[2 * i];

                CHECK(scorer.results[i] == (id == -1 || id == 1 || id == 4 ? 1.25f : 2.25f));
            }
        }
        scorer_deinit(&scorer);
    }
    fixture_deinit(&made.fixture);
}

static void a_link_makes_a_number_of_the_sum(void **state)
{
    static const struct {
        enum trees_link link;
        float base;
        double value, tolerance;
    } links[] = {
        {TREES_LINK_NONE, -3.5f, -3.5, 0},
        {TREES_LINK_EXP, 2, 7.38905609893065, 1e-6},
        {TREES_LINK_EXP, -1e30f, 0, 0},
        {TREES_LINK_EXP, 1e30f, (double)FLT_MAX, 0}, /* finite, as all predictions */
        {TREES_LINK_LOGISTIC, 1, 0.7310585786300049, 1e-7},
        {TREES_LINK_LOGISTIC, -1e30f, 0, 0},
        {TREES_LINK_LOGISTIC, 1e30f, 1, 0},
    };
    (void)state;

    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        const float dense[2] = {0};
        const int32_t ids[2] = {0};
        struct trees_fixture made;
        struct scorer scorer;
        struct error err;

        trees_fixture_init(&made, 0);
        made.trees.link = links[i].link;
        made.base[0] = links[i].base;
        CHECK_OK(scorer_init(&scorer, &made.fixture.model, 1, &err));
        scorer_score_row(&scorer, dense, ids);
        CHECK(fabs(scorer_value(&scorer) - links[i].value) <= links[i].tolerance);
        scorer_deinit(&scorer);
        fixture_deinit(&made.fixture);
    }
}

static void what_a_row_costs_is_its_way_through_all_trees(void **state)
{
    struct trees_fixture made;
    (void)state;

    trees_fixture_init(&made, 3);
    for (uint32_t i = 0; i < 30; i++)
        trees_fixture_grow(&made, i % 3, 32, i, false);
    CHECK(model_cost(&made.fixture.model).multiplications == 30 * 5);
    fixture_deinit(&made.fixture);
    trees_fixture_init(&made, 0);
    CHECK(model_cost(&made.fixture.model).multiplications < 10);
    fixture_deinit(&made.fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_read_back_as_they_were_written),
        cmocka_unit_test(the_digest_covers_link_trees_and_nodes),
        cmocka_unit_test(numbers_that_are_no_places_are_refused),
        cmocka_unit_test(nodes_of_no_tree_are_refused),
        cmocka_unit_test(descriptions_that_are_none_of_trees_are_refused),
        cmocka_unit_test(the_aim_reads_back_as_it_was_written),
        cmocka_unit_test(an_aim_that_is_none_is_refused),
        cmocka_unit_test(each_test_sends_a_row_where_the_header_says),
        cmocka_unit_test(rows_have_the_same_bits_whatever_is_scored_with_them),
        cmocka_unit_test(trees_may_be_as_deep_as_they_have_leaves),
        cmocka_unit_test(many_trees_are_scored),
        cmocka_unit_test(no_number_at_all_is_scored),
        cmocka_unit_test(a_link_makes_a_number_of_the_sum),
        cmocka_unit_test(what_a_row_costs_is_its_way_through_all_trees),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
