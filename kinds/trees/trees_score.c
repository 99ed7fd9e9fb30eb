#include "kinds/trees/trees_score.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vectors.h"
#include "kinds/trees/trees_model.h"
#include "kinds/trees/trees_row.h"
#include "scoring/numbers/elementary.h"
#include "scoring/numbers/matrix.h"

#define LANES       16 /* rows whose masks are made side by side */
#define MASK_LEAVES 64 /* leaves of a tree whose leaves have a bit each */
#define HALF_LEAVES 32
#define FEW_ROWS    4  /* rows that are walked: masks of fewer lanes are no faster */
#define ABREAST     16 /* trees that are walked at a time: their loads do not wait for each other */

/* A node, for walking. A leaf leads to itself: nothing compares with NaN. */
struct step {
    float value;     /* threshold; of a leaf NaN */
    uint32_t column; /* index into dense, or into ids */
    uint32_t left;   /* index among all nodes; the right one is the next */
    uint32_t how;    /* STEP_MISSING_LEFT; above it: 1 + the number of a set test, 0 for none */
};
#define STEP_MISSING_LEFT 1u
#define STEP_SET_BITS     1

struct set_test {
    const uint32_t *bits;
    uint32_t values;   /* number of values with bits */
    uint32_t first_id; /* the category's */
    bool is_of_words;
};

/* A test for masks: a number below a threshold. */
struct below {
    float value;
    uint32_t column;
    uint32_t kept[2]; /* leaves that stay where a row goes right: the first HALF_LEAVES, others */
};

/* And of a set. */
struct within {
    uint32_t step, kept[2];
};

struct tree {
    uint32_t root, output;
    bool has_masks, has_halves, has_sets;
    uint32_t below, missing_right, missing_left; /* tests, the first, and how many of each kind */
    uint32_t within, withins;
    uint32_t leaves; /* the first of its leaves' values */
};

struct workspace {
    const struct model *model;
    const struct trees_model *trees;
    struct tree *tree;      /* (tree_count) */
    struct step *steps;     /* (node_count) */
    struct set_test *tests; /* (nodes that test a set) */
    uint32_t *bits;         /* (set_count, TREE_SET_VALUES / 32) */
    struct below *belows;   /* (node_count) */
    struct within *withins; /* (node_count) */
    float *leaves;          /* (node_count): values, from left to right */
    uint32_t *first_leaf;   /* (node_count): leftmost leaf that can be reached from a node */
    uint32_t *leaf_count;   /* (node_count): leaves that can be reached from it */
    uint32_t test_count, below_count, within_count, leaves_count;
    float *columns;       /* (rows in groups of LANES, dense_width, LANES) */
    uint32_t *masks;      /* (rows in groups of LANES, 2, LANES): first leaves', others' */
    double *sums;         /* (rows_max, outputs) */
    struct trees_row row; /* for one row by itself: trees of numbers with masks of one half */
    uint32_t *row_masks;  /* (trees, up to a multiple of ROW_LANES) */
};

/* ---- the model, laid out for scoring ---- */

/* The id of each category's first word, in the order of a row's ids. */
static uint32_t first_id_of(const struct transform *transform, uint32_t column)
{
    uint32_t i = 0;

    while (transform->inputs[i].spec.type != INPUT_CATEGORY ||
           transform->inputs[i].id_offset != column)
        i++;
    return transform->inputs[i].first_id;
}

static uint32_t add_set_test(struct workspace *workspace, const float *node)
{
    const bool is_of_words = node[NODE_TEST] == NODE_WORD_IN;
    struct set_test *test = &workspace->tests[workspace->test_count++];

    *test = (struct set_test){
        .bits = workspace->bits + (size_t)node[NODE_SET] * (TREE_SET_VALUES / 32),
        .values = (uint32_t)node[NODE_SET_ROWS] * TREE_SET_VALUES,
        .is_of_words = is_of_words,
        .first_id = is_of_words
                        ? first_id_of(&workspace->model->transform, (uint32_t)node[NODE_COLUMN])
                        : 0,
    };
    return workspace->test_count;
}

static struct step step_of(struct workspace *workspace, uint32_t first, uint32_t i)
{
    const float *node = trees_node(workspace->trees, first + i);

    if (node[NODE_TEST] == NODE_LEAF)
        return (struct step){NAN, 0, first + i, STEP_MISSING_LEFT};
    return (struct step){
        .value = node[NODE_VALUE],
        .column = (uint32_t)node[NODE_COLUMN],
        .left = first + (uint32_t)node[NODE_LEFT],
        .how = (node[NODE_MISSING_LEFT] != 0 ? STEP_MISSING_LEFT : 0) |
               (node[NODE_TEST] == NODE_BELOW ? 0 : add_set_test(workspace, node)) << STEP_SET_BITS,
    };
}

static bool is_leaf(const struct workspace *workspace, uint32_t node)
{
    return workspace->steps[node].left == node;
}

/* Children come behind their parent: leaves are counted backwards, and numbered forwards. */
static void number_leaves(struct workspace *workspace, struct tree *tree, uint32_t end)
{
    uint32_t *first = workspace->first_leaf, *count = workspace->leaf_count;

    for (uint32_t i = end; i-- > tree->root;) {
        const uint32_t left = workspace->steps[i].left;

        count[i] = is_leaf(workspace, i) ? 1 : count[left] + count[left + 1];
    }
    first[tree->root] = 0;
    for (uint32_t i = tree->root; i < end; i++) {
        const uint32_t left = workspace->steps[i].left;

        if (is_leaf(workspace, i)) {
            workspace->leaves[tree->leaves + first[i]] =
                trees_node(workspace->trees, i)[NODE_VALUE];
            continue;
        }
        first[left] = first[i];
        first[left + 1] = first[i] + count[left];
    }
}

/* A left child has fewer leaves than there are bits: the right one has some. */
static void set_kept(const struct workspace *workspace, uint32_t node, uint32_t kept[2])
{
    const uint32_t left = workspace->steps[node].left;
    const uint64_t taken = (((uint64_t)1 << workspace->leaf_count[left]) - 1)
                           << workspace->first_leaf[left];

    kept[0] = ~(uint32_t)taken;
    kept[1] = ~(uint32_t)(taken >> HALF_LEAVES);
}

/* Tests of the nodes from the root to `end` of which missing values go left, or right. */
static uint32_t add_belows(struct workspace *workspace, uint32_t root, uint32_t end, uint32_t how)
{
    const uint32_t before = workspace->below_count;

    for (uint32_t i = root; i < end; i++) {
        const struct step *step = &workspace->steps[i];

        if (!is_leaf(workspace, i) && step->how == how) {
            struct below *below = &workspace->belows[workspace->below_count++];

            *below = (struct below){.value = step->value, .column = step->column};
            set_kept(workspace, i, below->kept);
        }
    }
    return workspace->below_count - before;
}

static void add_masks(struct workspace *workspace, struct tree *tree, uint32_t end)
{
    tree->below = workspace->below_count;
    tree->missing_right = add_belows(workspace, tree->root, end, 0);
    tree->missing_left = add_belows(workspace, tree->root, end, STEP_MISSING_LEFT);
    tree->within = workspace->within_count;
    for (uint32_t i = tree->root; i < end; i++)
        if (workspace->steps[i].how >> STEP_SET_BITS) {
            workspace->withins[workspace->within_count].step = i;
            set_kept(workspace, i, workspace->withins[workspace->within_count++].kept);
        }
    tree->withins = workspace->within_count - tree->within;
}

static void lay_out_tree(struct workspace *workspace, uint32_t number)
{
    const float *numbers = workspace->trees->trees + (size_t)number * TREE_NUMBERS;
    struct tree *tree = &workspace->tree[number];
    const uint32_t nodes = (uint32_t)numbers[TREE_NODE_COUNT];

    *tree = (struct tree){.root = (uint32_t)numbers[TREE_FIRST_NODE],
                          .output = (uint32_t)numbers[TREE_OUTPUT],
                          .leaves = workspace->leaves_count};
    const uint32_t sets_before = workspace->test_count;
    for (uint32_t i = 0; i < nodes; i++)
        workspace->steps[tree->root + i] = step_of(workspace, tree->root, i);
    tree->has_sets = workspace->test_count > sets_before;
    number_leaves(workspace, tree, tree->root + nodes);
    workspace->leaves_count += workspace->leaf_count[tree->root];
    tree->has_halves = workspace->leaf_count[tree->root] > HALF_LEAVES;
    tree->has_masks = workspace->leaf_count[tree->root] <= MASK_LEAVES;
    if (tree->has_masks)
        add_masks(workspace, tree, tree->root + nodes);
}

/* Is a row by itself led to the tree's leaf with those of all such trees? */
static bool is_asked_at_once(const struct tree *tree)
{
    return tree->has_masks && !tree->has_halves && !tree->has_sets;
}

static bool lay_out_row(struct workspace *workspace)
{
    const uint32_t trees = workspace->trees->tree_count;
    struct row_test *tests = calloc(workspace->below_count + (size_t)1, sizeof *tests);
    uint32_t count = 0, asked = 0;

    if (!tests)
        return false;
    for (uint32_t i = 0; i < trees; i++) {
        const struct tree *tree = &workspace->tree[i];
        const uint32_t belows = tree->missing_right + tree->missing_left;

        asked += is_asked_at_once(tree);
        for (uint32_t j = 0; is_asked_at_once(tree) && j < belows; j++) {
            const struct below *below = &workspace->belows[tree->below + j];

            tests[count++] = (struct row_test){below->value, below->column, i, below->kept[0],
                                               j >= tree->missing_right};
        }
    }
    workspace->row_masks = matrix_new(1, trees + (size_t)ROW_LANES, sizeof *workspace->row_masks);
    return trees_row_init(&workspace->row, tests, asked == trees ? count : 0, trees) &&
           workspace->row_masks;
}

static void lay_out_bits(struct workspace *workspace)
{
    const struct trees_model *trees = workspace->trees;
    const size_t count = (size_t)trees->set_count * (TREE_SET_VALUES / 32);

    for (size_t i = 0; i < count; i++)
        workspace->bits[i] = (uint32_t)trees->sets[2 * i] | (uint32_t)trees->sets[2 * i + 1]
                                                                << TREE_SET_NUMBERS;
}

static uint32_t groups_of(uint32_t rows)
{
    return (rows + LANES - 1) / LANES;
}

static bool allocate(struct workspace *workspace, uint32_t rows_max)
{
    const struct trees_model *trees = workspace->trees;
    const size_t nodes = trees->node_count + (size_t)1, lanes = (size_t)groups_of(rows_max) * LANES;
    const size_t width = workspace->model->transform.dense_width;
    size_t set_tests = 1;

    for (uint32_t i = 0; i < trees->node_count; i++)
        set_tests += trees_node(trees, i)[NODE_TEST] > NODE_BELOW;
    workspace->tree = calloc(trees->tree_count + (size_t)1, sizeof *workspace->tree);
    workspace->steps = matrix_new(nodes, 1, sizeof *workspace->steps);
    workspace->tests = calloc(set_tests, sizeof *workspace->tests);
    workspace->bits =
        matrix_new(trees->set_count + (size_t)1, TREE_SET_VALUES / 32, sizeof *workspace->bits);
    workspace->belows = matrix_new(nodes, 1, sizeof *workspace->belows);
    workspace->withins = calloc(set_tests, sizeof *workspace->withins);
    workspace->leaves = calloc(nodes, sizeof *workspace->leaves);
    workspace->first_leaf = calloc(nodes, sizeof *workspace->first_leaf);
    workspace->leaf_count = calloc(nodes, sizeof *workspace->leaf_count);
    workspace->columns = matrix_new(lanes, width, sizeof *workspace->columns);
    workspace->masks = matrix_new(lanes, 2, sizeof *workspace->masks);
    workspace->sums = matrix_new(rows_max, trees->outputs, sizeof *workspace->sums);
    return workspace->tree && workspace->steps && workspace->tests && workspace->bits &&
           workspace->belows && workspace->withins && workspace->leaves && workspace->first_leaf &&
           workspace->leaf_count && workspace->columns && workspace->masks && workspace->sums;
}

size_t trees_row_bytes(const struct model *model)
{
    return model->transform.dense_width * sizeof(float) + 2 * sizeof(uint32_t) +
           trees_of(model)->outputs * sizeof(double);
}

enum status trees_scorer_open(const struct model *model, uint32_t rows_max, void **opened,
                              struct error *err)
{
    struct workspace *workspace = calloc(1, sizeof *workspace);

    *opened = NULL;
    if (!workspace)
        return fail_no_memory(err);
    workspace->model = model;
    workspace->trees = trees_of(model);
    if (!allocate(workspace, rows_max)) {
        trees_scorer_close(workspace);
        return fail_no_memory(err);
    }
    lay_out_bits(workspace);
    for (uint32_t i = 0; i < workspace->trees->tree_count; i++)
        lay_out_tree(workspace, i);
    if (!lay_out_row(workspace)) {
        trees_scorer_close(workspace);
        return fail_no_memory(err);
    }
    *opened = workspace;
    return STATUS_OK;
}

void trees_scorer_close(void *closed)
{
    struct workspace *workspace = closed;

    if (!workspace)
        return;
    free(workspace->tree);
    free(workspace->steps);
    free(workspace->tests);
    free(workspace->bits);
    free(workspace->belows);
    free(workspace->withins);
    free(workspace->leaves);
    free(workspace->first_leaf);
    free(workspace->leaf_count);
    free(workspace->columns);
    free(workspace->masks);
    free(workspace->sums);
    trees_row_deinit(&workspace->row);
    free(workspace->row_masks);
    free(workspace);
}

/* ---- walking ---- */

static bool has_bit(const struct set_test *test, uint32_t value)
{
    return value < test->values && test->bits[value / 32] >> (value % 32) & 1;
}

static bool goes_left_by_set(const struct workspace *workspace, const struct step *step,
                             const float *dense, const int32_t *ids)
{
    const struct set_test *test = &workspace->tests[(step->how >> STEP_SET_BITS) - 1];
    const bool missing_left = step->how & STEP_MISSING_LEFT;
    float number;

    if (test->is_of_words)
        return ids[step->column] < 0 ? missing_left
                                     : has_bit(test, (uint32_t)ids[step->column] - test->first_id);
    number = dense[step->column];
    if (isnan(number))
        return missing_left;
    return number > -1 && number < (float)test->values && has_bit(test, (uint32_t)number);
}

static inline uint32_t walk_on(const struct workspace *workspace, uint32_t node, const float *dense,
                               const int32_t *ids)
{
    const struct step *step = &workspace->steps[node];
    float number;

    if (step->how >> STEP_SET_BITS)
        return step->left + !goes_left_by_set(workspace, step, dense, ids);
    number = dense[step->column];
    return step->left + ((number >= step->value) | (isnan(number) & !step->how));
}

/* The leaves of a row in ABREAST trees of numbers alone. */
static void walk_abreast(const struct step *steps, const struct tree *trees, const float *dense,
                         uint32_t *nodes)
{
    uint32_t moved = 1;

    for (uint32_t i = 0; i < ABREAST; i++)
        nodes[i] = trees[i].root;
    while (moved) {
        moved = 0;
        for (uint32_t i = 0; i < ABREAST; i++) {
            const struct step *step = &steps[nodes[i]];
            const float number = dense[step->column];
            const uint32_t next =
                step->left + ((number >= step->value) | (isnan(number) & !step->how));

            moved |= next ^ nodes[i];
            nodes[i] = next;
        }
    }
}

/* The leaves of a row in `count` trees. */
static void walk_trees(const struct workspace *workspace, uint32_t first, uint32_t count,
                       const float *dense, const int32_t *ids, uint32_t *nodes)
{
    uint32_t moved = 1;

    for (uint32_t i = 0; i < count; i++)
        nodes[i] = workspace->tree[first + i].root;
    while (moved) {
        moved = 0;
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t next = walk_on(workspace, nodes[i], dense, ids);

            moved |= next ^ nodes[i];
            nodes[i] = next;
        }
    }
}

/* The leaf of each of some rows. */
static void walk_rows(const struct workspace *workspace, uint32_t root, const float *dense,
                      const int32_t *ids, uint32_t count, uint32_t *nodes)
{
    const struct transform *transform = &workspace->model->transform;
    const size_t width = transform->dense_width, id_count = transform->id_count;
    uint32_t moved = 1;

    for (uint32_t i = 0; i < count; i++)
        nodes[i] = root;
    while (moved) {
        moved = 0;
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t next =
                walk_on(workspace, nodes[i], dense + i * width, ids + i * id_count);

            moved |= next ^ nodes[i];
            nodes[i] = next;
        }
    }
}

/* The same of a whole group, in a tree of numbers alone. columns (dense_width, LANES) */
static void walk_group(const struct step *steps, uint32_t root, const float *columns,
                       uint32_t *nodes)
{
    uint32_t moved = 1;

    for (uint32_t i = 0; i < LANES; i++)
        nodes[i] = root;
    while (moved) {
        moved = 0;
        for (uint32_t i = 0; i < LANES; i++) {
            const struct step *step = &steps[nodes[i]];
            const float number = columns[(size_t)step->column * LANES + i];
            const uint32_t next =
                step->left + ((number >= step->value) | (isnan(number) & !step->how));

            moved |= next ^ nodes[i];
            nodes[i] = next;
        }
    }
}

/* ---- masks ---- */

/* Column by column, the rows of a group side by side. */
static void turn_rows(const struct workspace *workspace, const float *dense, uint32_t count)
{
    const size_t width = workspace->model->transform.dense_width;

    for (uint32_t row = 0; row < count; row++) {
        float *columns = workspace->columns + (row / LANES * width) * LANES + row % LANES;

        for (size_t i = 0; i < width; i++)
            columns[i * LANES] = dense[row * width + i];
    }
}

typedef float lane_numbers __attribute__((vector_size(LANES * sizeof(float))));
typedef uint32_t lane_masks __attribute__((vector_size(LANES * sizeof(uint32_t))));

WIDE_VECTORS
static void make_masks(const struct workspace *workspace, const struct tree *tree, uint32_t groups)
{
    const size_t width = workspace->model->transform.dense_width;
    const struct below *belows = workspace->belows + tree->below;
    const uint32_t rights = tree->missing_right, count = rights + tree->missing_left;

    for (uint32_t group = 0; group < groups; group++) {
        const lane_numbers *columns =
            (const lane_numbers *)(const void *)(workspace->columns + group * width * LANES);
        lane_masks masks = {0};

        masks = ~masks;
        for (uint32_t i = 0; i < rights; i++)
            masks &= (lane_masks)(columns[belows[i].column] < belows[i].value) | belows[i].kept[0];
        for (uint32_t i = rights; i < count; i++)
            masks &=
                ~(lane_masks)(columns[belows[i].column] >= belows[i].value) | belows[i].kept[0];
        memcpy(workspace->masks + group * 2 * LANES, &masks, sizeof masks);
    }
}

/* The same of more leaves than a lane has bits. */
WIDE_VECTORS
static void make_both_masks(const struct workspace *workspace, const struct tree *tree,
                            uint32_t groups)
{
    const size_t width = workspace->model->transform.dense_width;
    const struct below *belows = workspace->belows + tree->below;
    const uint32_t rights = tree->missing_right, count = rights + tree->missing_left;

    for (uint32_t group = 0; group < groups; group++) {
        const lane_numbers *columns =
            (const lane_numbers *)(const void *)(workspace->columns + group * width * LANES);
        lane_masks masks[2] = {{0}}, is_left;

        masks[0] = masks[1] = ~masks[0];
        for (uint32_t i = 0; i < count; i++) {
            is_left = i < rights ? (lane_masks)(columns[belows[i].column] < belows[i].value)
                                 : ~(lane_masks)(columns[belows[i].column] >= belows[i].value);
            masks[0] &= is_left | belows[i].kept[0];
            masks[1] &= is_left | belows[i].kept[1];
        }
        memcpy(workspace->masks + group * 2 * LANES, masks, sizeof masks);
    }
}

static uint32_t *mask_of(const struct workspace *workspace, uint32_t row, uint32_t half)
{
    return &workspace->masks[(row / LANES * 2 + half) * LANES + row % LANES];
}

static void mask_sets(const struct workspace *workspace, const struct tree *tree,
                      const float *dense, const int32_t *ids, uint32_t count)
{
    const struct transform *transform = &workspace->model->transform;

    for (uint32_t i = 0; i < tree->withins; i++) {
        const struct within *within = &workspace->withins[tree->within + i];
        const struct step *step = &workspace->steps[within->step];

        for (uint32_t row = 0; row < count; row++)
            if (!goes_left_by_set(workspace, step, dense + (size_t)row * transform->dense_width,
                                  ids + (size_t)row * transform->id_count))
                for (uint32_t half = 0; half <= tree->has_halves; half++)
                    *mask_of(workspace, row, half) &= within->kept[half];
    }
}

/* The first leaf that is left is the row's. */
static void add_masked(const struct workspace *workspace, const struct tree *tree, uint32_t count)
{
    const float *leaves = workspace->leaves + tree->leaves;
    const uint32_t outputs = workspace->trees->outputs, halves = tree->has_halves;
    const uint32_t *masks = workspace->masks;
    double *sum = workspace->sums + tree->output;

    for (uint32_t first = 0; first < count; first += LANES, masks += 2 * LANES) {
        const uint32_t rows = count - first < LANES ? count - first : LANES;

        for (uint32_t i = 0; i < rows; i++, sum += outputs) {
            const uint64_t others = halves ? masks[LANES + i] : 0;

            *sum += (double)leaves[__builtin_ctzll(masks[i] | others << HALF_LEAVES)];
        }
    }
}

/* ---- outputs ---- */

/* A leaf's value, by the node. */
static double value_of(const struct workspace *workspace, uint32_t node)
{
    return (double)trees_node(workspace->trees, node)[NODE_VALUE];
}

static void add_walked(const struct workspace *workspace, const struct tree *tree,
                       const float *dense, const int32_t *ids, uint32_t count)
{
    const struct transform *transform = &workspace->model->transform;
    const size_t width = transform->dense_width, id_count = transform->id_count;
    const uint32_t outputs = workspace->trees->outputs;
    double *sums = workspace->sums + tree->output;
    uint32_t nodes[LANES];

    for (uint32_t first = 0; first < count; first += LANES) {
        const uint32_t rows = count - first < LANES ? count - first : LANES;

        if (tree->has_sets)
            walk_rows(workspace, tree->root, dense + first * width, ids + first * id_count, rows,
                      nodes);
        else
            walk_group(workspace->steps, tree->root, workspace->columns + first * width, nodes);
        for (uint32_t i = 0; i < rows; i++)
            sums[(size_t)(first + i) * outputs] += value_of(workspace, nodes[i]);
    }
}

static void add_row_masks(const struct workspace *workspace, const float *dense, double *sums)
{
    const uint32_t count = workspace->trees->tree_count;
    const struct tree *tree = workspace->tree;
    double sum = sums[0];

    trees_row_masks(&workspace->row, dense, workspace->row_masks);
    if (workspace->trees->outputs == 1) { /* the sum stays in a register */
        for (uint32_t i = 0; i < count; i++)
            sum += (double)workspace
                       ->leaves[tree[i].leaves + (uint32_t)__builtin_ctz(workspace->row_masks[i])];
        sums[0] = sum;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        sums[tree[i].output] +=
            (double)workspace
                ->leaves[tree[i].leaves + (uint32_t)__builtin_ctz(workspace->row_masks[i])];
}

static void score_row(const struct workspace *workspace, const float *dense, const int32_t *ids,
                      double *sums)
{
    const uint32_t count = workspace->trees->tree_count;
    uint32_t nodes[ABREAST];

    if (workspace->row.test_count > 0) {
        add_row_masks(workspace, dense, sums);
        return;
    }

    for (uint32_t first = 0; first < count; first += ABREAST) {
        const uint32_t trees = count - first < ABREAST ? count - first : ABREAST;

        if (trees == ABREAST && workspace->test_count == 0)
            walk_abreast(workspace->steps, workspace->tree + first, dense, nodes);
        else
            walk_trees(workspace, first, trees, dense, ids, nodes);
        for (uint32_t i = 0; i < trees; i++)
            sums[workspace->tree[first + i].output] += value_of(workspace, nodes[i]);
    }
}

static void score_rows(const struct workspace *workspace, const float *dense, const int32_t *ids,
                       uint32_t count)
{
    turn_rows(workspace, dense, count);
    for (uint32_t i = 0; i < workspace->trees->tree_count; i++) {
        const struct tree *tree = &workspace->tree[i];

        if (!tree->has_masks) {
            add_walked(workspace, tree, dense, ids, count);
            continue;
        }
        if (tree->has_halves)
            make_both_masks(workspace, tree, groups_of(count));
        else
            make_masks(workspace, tree, groups_of(count));
        mask_sets(workspace, tree, dense, ids, count);
        add_masked(workspace, tree, count);
    }
}

static float linked(enum trees_link link, double sum)
{
    if (link == TREES_LINK_EXP)
        return (float)fmin(exponential_double(sum), (double)FLT_MAX);
    if (link == TREES_LINK_LOGISTIC)
        return (float)(1 / (1 + exponential_double(-sum)));
    return (float)sum;
}

/* Where rows have no numbers a leaf's step looks at this one. */
static const float no_numbers[1];

void trees_score(void *opened, const float *dense, const int32_t *ids, uint32_t count,
                 float *outputs)
{
    const struct workspace *workspace = opened;
    const struct trees_model *trees = workspace->trees;
    const struct transform *transform = &workspace->model->transform;

    if (transform->dense_width == 0)
        dense = no_numbers;
    for (uint32_t row = 0; row < count; row++) {
        const double offset =
            transform_offset(transform, dense + (size_t)row * transform->dense_width);

        for (uint32_t j = 0; j < trees->outputs; j++)
            workspace->sums[(size_t)row * trees->outputs + j] = (double)trees->base[j] + offset;
    }
    if (count >= FEW_ROWS)
        score_rows(workspace, dense, ids, count);
    for (uint32_t row = 0; count < FEW_ROWS && row < count; row++)
        score_row(workspace, dense + (size_t)row * transform->dense_width,
                  ids + (size_t)row * transform->id_count,
                  workspace->sums + (size_t)row * trees->outputs);
    for (size_t i = 0; i < (size_t)count * trees->outputs; i++)
        outputs[i] = linked(trees->link, workspace->sums[i]);
}

uint32_t trees_next(const void *opened, uint32_t node, const float *dense, const int32_t *ids)
{
    return walk_on(opened, node, dense, ids);
}

void trees_leaves(void *opened, const float *dense, const int32_t *ids, uint32_t *leaves)
{
    const struct workspace *workspace = opened;
    const uint32_t count = workspace->trees->tree_count;

    if (workspace->model->transform.dense_width == 0)
        dense = no_numbers;
    for (uint32_t first = 0; first < count; first += ABREAST)
        walk_trees(workspace, first, count - first < ABREAST ? count - first : ABREAST, dense, ids,
                   leaves + first);
    for (uint32_t i = 0; i < count; i++)
        leaves[i] -= workspace->tree[i].root;
}
