#include "runtime/learn/trees/growth/tree_paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tests/check.h"

#define NARROW  5
#define COLUMNS 7 /* the last two are wide */
#define NODES   401
#define SETS    800
#define ROWS    1000

/* A forest of one tree behind a node that is none of its own, so that it does not begin at 0. */
struct drawn {
    struct forest_tree tree;
    struct forest_node nodes[NODES + 1];
    struct forest_set sets[SETS];
    struct tree_forest forest;
    uint8_t bins[NARROW][ROWS];
    uint16_t wide[COLUMNS - NARROW][ROWS];
};

static uint64_t draw(uint64_t seed, uint64_t number, uint64_t what, uint64_t most)
{
    return random_bits(seed, RANDOM_SIMULATION, number, what) % most;
}

/* Draws a list of none to the most words that there may be; those that rows have lie close
 * together. */
static void draw_list(struct drawn *drawn, struct forest_node *node, uint64_t seed, uint32_t number)
{
    const uint32_t count = (uint32_t)draw(seed, number, 4, TREE_LIST_WORDS + 1);
    uint16_t *list = drawn->sets[drawn->forest.set_count].list;

    for (uint32_t i = 0; i < count; i++)
        list[i] = (uint16_t)(1 + draw(seed, number, 100 + i, 65535) % (i % 2 ? 65535 : 400));
    node->set = drawn->forest.set_count + 1;
    node->bin = 1 + count;
    drawn->forest.set_count += TREE_LIST_WORDS / FOREST_LIST_BINS;
}

static void draw_test(struct drawn *drawn, struct forest_node *node, uint64_t seed, uint32_t number)
{
    node->column = (uint32_t)draw(seed, number, 1, COLUMNS);
    node->missing_left = (uint32_t)draw(seed, number, 2, 2);
    if (node->column >= NARROW) {
        draw_list(drawn, node, seed, number);
    } else if (draw(seed, number, 3, 3) == 0) {
        struct forest_set *set = &drawn->sets[drawn->forest.set_count++];

        for (uint32_t i = 0; i < 4; i++)
            set->bits[i] = draw(seed, number, 4 + i, UINT64_MAX);
        node->set = drawn->forest.set_count;
    } else {
        /* Missing values alone go left, or all others do, once in a while. */
        const uint64_t edge = draw(seed, number, 8, 6);

        node->bin = edge == 0 && node->missing_left ? 0
                    : edge == 1                     ? 255
                                                    : (uint32_t)draw(seed, number, 9, 256);
    }
}

/* chain: each right child is divided, and no left one. */
static void draw_tree(struct drawn *drawn, uint64_t seed, uint32_t count, bool is_chain)
{
    memset(drawn, 0, sizeof *drawn);
    drawn->tree = (struct forest_tree){.first = 1, .count = count};
    drawn->forest = (struct tree_forest){.trees = &drawn->tree,
                                         .nodes = drawn->nodes,
                                         .sets = drawn->sets,
                                         .tree_count = 1,
                                         .node_count = count + 1};
    for (uint32_t used = 1; used < count; used += 2) {
        uint32_t parent = is_chain ? used - 1 : (uint32_t)draw(seed, used, 0, used);
        struct forest_node *root = drawn->nodes + 1;

        while (root[parent].left > 0)
            parent = (parent + 1) % used;
        draw_test(drawn, &root[parent], seed, used);
        root[parent].left = used;
    }
    for (uint32_t c = 0; c < COLUMNS - NARROW; c++)
        for (uint32_t row = 0; row < ROWS; row++)
            drawn->wide[c][row] =
                (uint16_t)(draw(seed, row, 60 + c, 2) ? draw(seed, row, 70 + c, 400)
                                                      : draw(seed, row, 80 + c, 65536));
    for (uint32_t c = 0; c < NARROW; c++)
        for (uint32_t row = 0; row < ROWS; row++)
            drawn->bins[c][row] =
                draw(seed, row, 20 + c, 5) == 0 ? 0 : (uint8_t)draw(seed, row, 40 + c, 256);
}

static uint32_t walked(const struct drawn *drawn, uint32_t row)
{
    uint32_t node = 0;

    while (drawn->nodes[1 + node].left > 0) {
        const struct forest_node *about = &drawn->nodes[1 + node];

        const uint16_t bin = about->column < NARROW ? drawn->bins[about->column][row]
                                                    : drawn->wide[about->column - NARROW][row];

        node = about->left + !forest_goes_left(&drawn->forest, about, bin);
    }
    return node;
}

static void check_rows(struct drawn *drawn, uint32_t first, uint32_t rows)
{
    struct tree_paths paths;
    struct error err;

    CHECK_OK(tree_paths_init(&paths, &drawn->forest, 0, 1, &err));
    tree_paths_find(
        &paths, 0, (struct path_bins){drawn->bins[0] + first, drawn->wide[0] + first, ROWS, NARROW},
        rows);
    for (uint32_t i = 0; i < rows; i++)
        CHECK_INT(paths.leaves[i], walked(drawn, first + i));
    tree_paths_deinit(&paths);
}

static void rows_reach_the_leaves_that_each_would_walk_to(void **state)
{
    static const uint32_t nodes[] = {1, 3, 61, NODES};
    struct drawn *drawn = malloc(sizeof *drawn);
    (void)state;

    assert_non_null(drawn);
    for (uint64_t seed = 0; seed < 40; seed++) {
        draw_tree(drawn, seed, nodes[seed % 4], seed % 3 == 0);
        check_rows(drawn, 0, ROWS);
        check_rows(drawn, 300, 1);
        check_rows(drawn, 999, 0);
        check_rows(drawn, 17, 500);
    }
    free(drawn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_reach_the_leaves_that_each_would_walk_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
