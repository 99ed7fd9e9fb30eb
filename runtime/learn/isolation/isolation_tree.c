#include "runtime/learn/isolation/isolation_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

#define NO_WORD         (-1)
#define SIDES_TRIED     64 /* draws of sides, of which one has rows on both */
#define SET_BITS        16 /* in a number of a set */
#define SETS_OF_A_SPLIT (ISOLATION_WORDS / TREE_SET_VALUES)

/* Draws at a node; each has many numbers. */
enum draw { DRAW_COLUMN, DRAW_THRESHOLD, DRAW_MISSING, DRAW_SIDE };

struct grown_node {
    uint32_t first, end, depth; /* rows of `order` */
};

struct isolation_space {
    uint32_t *columns;        /* (columns): those of the tree, then of the node */
    uint32_t *order;          /* (rows): rows of the sample, those of a node side by side */
    uint32_t *parted;         /* (rows) */
    uint8_t *is_left;         /* (rows), by the places in `order` */
    struct grown_node *nodes; /* (2 rows) */
};

/* The tree that is being grown. */
struct growing {
    const struct isolation_growth *growth;
    const struct isolation_sample *sample;
    struct isolation_forest *forest;
    uint32_t tree, node, columns, node_count, set_count;
};

/* A split: the numbers of its node, and how many of its rows go left. */
struct split {
    float *node;
    uint32_t lefts;
};

enum status isolation_growth_init(struct isolation_growth *growth, uint32_t rows, uint32_t columns,
                                  struct error *err)
{
    struct isolation_space *space = calloc(1, sizeof *space);

    growth->space = space;
    if (!space)
        return fail_no_memory(err);
    space->columns = calloc((size_t)columns + 1, sizeof *space->columns);
    space->order = calloc(rows, sizeof *space->order);
    space->parted = calloc(rows, sizeof *space->parted);
    space->is_left = calloc(rows, sizeof *space->is_left);
    space->nodes = calloc(2 * (size_t)rows, sizeof *space->nodes);
    return space->columns && space->order && space->parted && space->is_left && space->nodes
               ? STATUS_OK
               : fail_no_memory(err);
}

void isolation_growth_deinit(struct isolation_growth *growth)
{
    struct isolation_space *space = growth->space;

    if (!space)
        return;
    free(space->columns);
    free(space->order);
    free(space->parted);
    free(space->is_left);
    free(space->nodes);
    free(space);
    growth->space = NULL;
}

/* ---- what is drawn ---- */

static uint64_t node_of(const struct growing *growing)
{
    return (uint64_t)growing->tree << 32 | growing->node;
}

static uint64_t draw_bits(const struct growing *growing, enum draw draw, uint64_t number)
{
    return random_bits(growing->growth->seed, RANDOM_ISOLATION, node_of(growing),
                       (uint64_t)draw << 48 | number);
}

/* One of `count`, by random bits. */
static uint32_t one_of(uint64_t bits, uint32_t count)
{
    return (uint32_t)((unsigned __int128)bits * count >> 64);
}

static void swap(uint32_t *a, uint32_t *b)
{
    const uint32_t kept = *a;

    *a = *b;
    *b = kept;
}

/* ---- columns ---- */

static float number_at(const struct growing *growing, uint32_t place, uint32_t column)
{
    const struct isolation_sample *sample = growing->sample;

    return sample
        ->numbers[(size_t)growing->growth->space->order[place] * sample->number_count + column];
}

static int32_t word_at(const struct growing *growing, uint32_t place, uint32_t column)
{
    const struct isolation_sample *sample = growing->sample;

    return sample->words[(size_t)growing->growth->space->order[place] * sample->id_count + column -
                         sample->number_count];
}

static bool is_same(const struct growing *growing, uint32_t column, uint32_t a, uint32_t b)
{
    float x, y;

    if (column >= growing->sample->number_count)
        return word_at(growing, a, column) == word_at(growing, b, column);
    x = number_at(growing, a, column);
    y = number_at(growing, b, column);
    return x == y || (isnan(x) && isnan(y));
}

static bool is_constant(const struct growing *growing, const struct grown_node *node,
                        uint32_t column)
{
    for (uint32_t place = node->first + 1; place < node->end; place++)
        if (!is_same(growing, column, node->first, place))
            return false;
    return true;
}

/* Those that the tree is grown from, of which each differs somewhere in the sample. */
static void choose_columns(struct growing *growing, const struct grown_node *root)
{
    const struct isolation_growth *growth = growing->growth;
    const uint32_t all = growing->sample->number_count + growing->sample->id_count;
    uint32_t *columns = growth->space->columns;

    for (uint32_t i = 0; i < all; i++)
        columns[i] = i;
    for (uint32_t i = 0; i < growth->columns_most && growth->columns_most < all; i++)
        swap(&columns[i],
             &columns[i + one_of(random_bits(growth->seed, RANDOM_TREE_COLUMNS, growing->tree, i),
                                 all - i)]);
    growing->columns = 0;
    for (uint32_t i = 0; i < growth->columns_most && i < all; i++)
        if (!is_constant(growing, root, columns[i]))
            columns[growing->columns++] = columns[i];
}

/* One that differs in the node's rows; false: there is none. */
static bool draw_column(struct growing *growing, const struct grown_node *node, uint32_t *column)
{
    uint32_t *columns = growing->growth->space->columns;

    for (uint32_t i = 0; i < growing->columns; i++) {
        swap(&columns[i],
             &columns[i + one_of(draw_bits(growing, DRAW_COLUMN, i), growing->columns - i)]);
        *column = columns[i];
        if (!is_constant(growing, node, *column))
            return true;
    }
    return false;
}

/* ---- splits ---- */

/* A threshold above the least number, which goes left of it, and not above the greatest. */
static float draw_threshold(const struct growing *growing, float least, float greatest)
{
    const double share = random_uniform(growing->growth->seed, RANDOM_ISOLATION, node_of(growing),
                                        (uint64_t)DRAW_THRESHOLD << 48);
    float threshold = (float)((double)least + share * ((double)greatest - (double)least));

    if (!(threshold > least))
        threshold = nextafterf(least, INFINITY);
    return threshold > greatest ? greatest : threshold;
}

/* The threshold of equal numbers is theirs: only missing ones can go left. */
static void split_numbers(struct growing *growing, const struct grown_node *node, uint32_t column,
                          struct split *split)
{
    uint8_t *is_left = growing->growth->space->is_left;
    float least = INFINITY, greatest = -INFINITY, threshold;
    uint32_t missing = 0, below = 0;
    bool missing_left;

    for (uint32_t place = node->first; place < node->end; place++) {
        const float number = number_at(growing, place, column);

        missing += isnan(number);
        least = number < least ? number : least;
        greatest = number > greatest ? number : greatest;
    }
    threshold = least < greatest ? draw_threshold(growing, least, greatest) : least;
    for (uint32_t place = node->first; place < node->end; place++)
        below += is_left[place] = number_at(growing, place, column) < threshold;
    missing_left = missing == 0 ? 2 * below < node->end - node->first
                   : below == 0 ? true
                                : draw_bits(growing, DRAW_MISSING, 0) & 1;
    for (uint32_t place = node->first; place < node->end && missing_left; place++)
        is_left[place] |= isnan(number_at(growing, place, column));
    split->lefts = below + (missing_left ? missing : 0);
    split->node[NODE_TEST] = NODE_BELOW;
    split->node[NODE_COLUMN] = (float)column;
    split->node[NODE_VALUE] = threshold;
    split->node[NODE_MISSING_LEFT] = missing_left;
}

/* Is the word on the left in a draw of sides? In the last one the first row's word is alone, or,
 * where that is one of those that are not told apart, these are. */
static bool is_left_word(const struct growing *growing, int32_t word, int32_t first, uint32_t draw)
{
    if (word == ISOLATION_OTHER_WORDS)
        return false;
    if (draw == SIDES_TRIED)
        return first == ISOLATION_OTHER_WORDS || word == first;
    return draw_bits(growing, DRAW_SIDE, (uint64_t)draw << 32 | (uint32_t)word) & 1;
}

/* Counts the rows on the left. */
static uint32_t draw_sides(const struct growing *growing, const struct grown_node *node,
                           uint32_t column, uint32_t draw)
{
    uint8_t *is_left = growing->growth->space->is_left;
    const int32_t first = word_at(growing, node->first, column);
    uint32_t lefts = 0;

    for (uint32_t place = node->first; place < node->end; place++) {
        is_left[place] = is_left_word(growing, word_at(growing, place, column), first, draw);
        lefts += is_left[place];
    }
    return lefts;
}

static bool has_other_words(const struct growing *growing, const struct grown_node *node,
                            uint32_t column)
{
    for (uint32_t place = node->first; place < node->end; place++)
        if (word_at(growing, place, column) == ISOLATION_OTHER_WORDS)
            return true;
    return false;
}

static void put_word(float *sets, uint32_t word)
{
    float *number = &sets[word / SET_BITS];

    *number = (float)((uint32_t)*number | 1u << word % SET_BITS);
}

/* The words on the left are in the set. They are those of the larger side, unless there are some
 * that are not told apart: these are in no set, and so are those that the rows do not have. */
static void split_words(struct growing *growing, const struct grown_node *node, uint32_t column,
                        struct split *split)
{
    uint8_t *is_left = growing->growth->space->is_left;
    float *sets = growing->forest->sets + (size_t)growing->set_count * TREE_SET_NUMBERS;
    const uint32_t rows = node->end - node->first;
    int32_t greatest = 0;
    uint32_t lefts = 0;
    bool turns;

    for (uint32_t draw = 0; lefts == 0 || lefts == rows; draw++)
        lefts = draw_sides(growing, node, column, draw);
    turns = 2 * lefts < rows && !has_other_words(growing, node, column);
    split->lefts = turns ? rows - lefts : lefts;
    split->node[NODE_MISSING_LEFT] = 0;
    memset(sets, 0, SETS_OF_A_SPLIT * TREE_SET_NUMBERS * sizeof *sets);
    for (uint32_t place = node->first; place < node->end; place++) {
        const int32_t word = word_at(growing, place, column);

        is_left[place] ^= turns;
        if (is_left[place] && word == NO_WORD)
            split->node[NODE_MISSING_LEFT] = 1;
        else if (is_left[place])
            put_word(sets, (uint32_t)word);
        greatest = is_left[place] && word > greatest ? word : greatest;
    }
    split->node[NODE_TEST] = NODE_WORD_IN;
    split->node[NODE_COLUMN] = (float)(column - growing->sample->number_count);
    split->node[NODE_SET] = (float)growing->set_count;
    split->node[NODE_SET_ROWS] = (float)(greatest / TREE_SET_VALUES + 1);
    growing->set_count += (uint32_t)greatest / TREE_SET_VALUES + 1;
}

/* Rows of the left child before those of the right one, in the order that they had. */
static void part_rows(const struct growing *growing, const struct grown_node *node, uint32_t lefts)
{
    const struct isolation_space *space = growing->growth->space;
    uint32_t left = node->first, right = node->first + lefts;

    for (uint32_t place = node->first; place < node->end; place++)
        space->parted[space->is_left[place] ? left++ : right++] = space->order[place];
    memcpy(space->order + node->first, space->parted + node->first,
           (node->end - node->first) * sizeof *space->order);
}

static void split_node(struct growing *growing, const struct grown_node *node, uint32_t column,
                       float *numbers)
{
    struct grown_node *children = growing->growth->space->nodes + growing->node_count;
    struct split split = {.node = numbers};

    if (column < growing->sample->number_count)
        split_numbers(growing, node, column, &split);
    else
        split_words(growing, node, column, &split);
    numbers[NODE_LEFT] = (float)growing->node_count;
    part_rows(growing, node, split.lefts);
    children[0] = (struct grown_node){node->first, node->first + split.lefts, node->depth + 1};
    children[1] = (struct grown_node){node->first + split.lefts, node->end, node->depth + 1};
    growing->node_count += 2;
}

static void grow_node(struct growing *growing)
{
    const struct isolation_growth *growth = growing->growth;
    const struct grown_node node = growth->space->nodes[growing->node];
    float *numbers = growing->forest->nodes +
                     ((size_t)growing->forest->node_count + growing->node) * NODE_NUMBERS;
    const uint32_t rows = node.end - node.first;
    uint32_t column;

    memset(numbers, 0, NODE_NUMBERS * sizeof *numbers);
    numbers[NODE_COVER] = (float)rows;
    if (rows > 1 && node.depth < growth->depth_most && draw_column(growing, &node, &column))
        split_node(growing, &node, column, numbers);
    else
        numbers[NODE_VALUE] = (float)((node.depth + isolation_path(rows)) * growth->leaf_scale);
}

/* ---- the forest ---- */

static enum status refuse_size(uint32_t most, const char *what, struct error *err)
{
    fail(err, STATUS_LIMIT, "the forest has more than %u %s", most, what);
    return error_hint(err, "Lower n_estimators or max_samples.");
}

/* Room for `more` rows of so many floats behind the first `count`. */
static enum status reserve(float **rows, uint32_t *room, uint32_t count, uint32_t more,
                           uint32_t width, struct error *err)
{
    const size_t needed = (size_t)count + more;
    float *longer;

    if (needed <= *room)
        return STATUS_OK;
    longer = realloc(*rows, needed * width * sizeof *longer);
    if (!longer)
        return fail_no_memory(err);
    *rows = longer;
    *room = (uint32_t)needed;
    return STATUS_OK;
}

/* The next split may need as many sets as a category has words for. */
static enum status reserve_sets(const struct growing *growing, struct error *err)
{
    struct isolation_forest *forest = growing->forest;
    const uint32_t count = growing->set_count;

    if (growing->sample->id_count == 0 || count + SETS_OF_A_SPLIT <= forest->set_room)
        return STATUS_OK;
    if (count + SETS_OF_A_SPLIT > TREES_SETS_MAX)
        return refuse_size(TREES_SETS_MAX, "sets of words", err);
    return reserve(&forest->sets, &forest->set_room, count, count / 2 + SETS_OF_A_SPLIT,
                   TREE_SET_NUMBERS, err);
}

static enum status reserve_tree(struct isolation_forest *forest, uint32_t rows, struct error *err)
{
    if (2 * (uint64_t)rows > TREES_NODES_MAX - forest->node_count)
        return refuse_size(TREES_NODES_MAX, "nodes", err);
    TRY(reserve(&forest->trees, &forest->tree_room, forest->tree_count, 1, TREE_NUMBERS, err));
    return reserve(&forest->nodes, &forest->node_room, forest->node_count, 2 * rows, NODE_NUMBERS,
                   err);
}

enum status isolation_grow(const struct isolation_growth *growth,
                           const struct isolation_sample *sample, struct isolation_forest *forest,
                           struct error *err)
{
    struct growing growing = {.growth = growth,
                              .sample = sample,
                              .forest = forest,
                              .tree = forest->tree_count,
                              .node_count = 1,
                              .set_count = forest->set_count};
    const struct grown_node root = {.end = sample->rows};
    float *tree;

    TRY(reserve_tree(forest, sample->rows, err));
    for (uint32_t i = 0; i < sample->rows; i++)
        growth->space->order[i] = i;
    growth->space->nodes[0] = root;
    choose_columns(&growing, &root);
    for (; growing.node < growing.node_count; growing.node++) {
        TRY(reserve_sets(&growing, err));
        grow_node(&growing);
    }
    tree = forest->trees + (size_t)forest->tree_count * TREE_NUMBERS;
    tree[TREE_FIRST_NODE] = (float)forest->node_count;
    tree[TREE_NODE_COUNT] = (float)growing.node_count;
    tree[TREE_OUTPUT] = 0;
    forest->tree_count++;
    forest->node_count += growing.node_count;
    forest->set_count = growing.set_count;
    return STATUS_OK;
}
