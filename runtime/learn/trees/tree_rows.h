/*
 * tree_rows.h - the rows of a lane as trees are grown from them: bins, outputs so far, gradients,
 * and which node of the growing tree each row has reached.
 *
 *     bins     twice. Column by column, for whoever divides rows by one of them. And in groups of
 *              at most 32 columns: of each group a matrix of 32 bytes a row (16, 8 or 4 where a
 *              power of two is enough), so that whoever sums a row touches one line of it. Wide
 *              columns are in no group: theirs, in 16 bits, lie once, column by column
 *     packed   of each row gradient and hessian as integers of 16 bits, for all groups
 *     order    blocks of at most 8192 rows; of each block its rows, in 16 bits, those of a node
 *              side by side. A node is divided in place, block by block
 *     runs     of each node and block, where its rows begin in `order` and how many they are
 *
 * Nothing of it is part of the state: it is made of the data set's rows and the trees so far.
 */
#pragma once

#include "runtime/learn/trees/growth/tree_forest.h"
#include "runtime/learn/trees/objective/leaf_quantiles.h"
#include "runtime/learn/trees/objective/tree_objective.h"
#include "runtime/learn/trees/objective/tree_rankings.h"

#define TREE_GROUP_COLUMNS 32
#define TREE_BLOCK_ROWS    8192
/* Sums of so many rows fit into one number of 64 bits: gradients above, hessians below. */
#define TREE_PACKED_ROWS 65536

/* In which group a column lies, and where. */
struct tree_layout {
    const struct tree_bins *bins;
    uint32_t group_count, group_columns; /* at least one; columns of a group, a multiple of 4; the
                                            last has fewer that mean something */
    uint32_t row_bytes;   /* bytes of a group's row: the power of two that has room */
    uint32_t piece_count; /* pieces in which a row's bins are summed: the groups, then wide columns,
                             each by itself */
    uint32_t piece_bins;  /* sums of the piece that has most */
};

struct tree_layout tree_layout_of(const struct tree_bins *bins);

/* Where a node's rows are in a block's order. */
struct tree_run {
    uint16_t first, count;
};

struct tree_rows {
    const struct tree_layout *layout;
    uint32_t rows, blocks, outputs;
    uint8_t *columns; /* (columns that are not wide, rows) */
    uint16_t *wide;   /* (wide columns, rows) */
    float *scores;    /* (rows, outputs): base and trees so far, as the model will predict */
    double *totals;   /* (rows, outputs): of which scores are the nearest floats. The leaves of one
                         more tree may be smaller than a step of these, and count nevertheless; NULL
                         with sums */
    float *starts;    /* (rows, outputs): of the old model; NULL: there is none */
    float *offsets;   /* (rows): what rows begin with beside the base; NULL: nothing. Those of an
                         old model are in its starts */
    int64_t *sums;   /* (rows, outputs): the scores of dart, in units of 1 / sum_scale; else NULL */
    double *applied; /* (rounds): what each round of trees weighs in them */
    double sum_scale;
    uint32_t rounds_most;
    float *values;                /* (rows): labels of a regression, else NULL */
    int32_t *classes;             /* (rows): of a classifier, else NULL */
    float *weights;               /* (rows): sample weights, or NULL */
    float *uppers;                /* (rows): upper bounds of labels, or NULL */
    struct tree_groups groups_of; /* without starts, unless they are ranked */
    uint64_t last_group;          /* while they are loaded */
    /* Check sums of these, as written; starts are with the labels, sums are totals. */
    uint32_t columns_sum, labels_sum, scores_sum, totals_sum;
    uint32_t *gradient_sums; /* (outputs): of each its gradients, hessians and residuals */
    uint32_t scored;         /* trees that are in the totals */

    /* Members of rows to learn from, else NULL: */
    uint8_t *groups;             /* (groups, rows, row_bytes) */
    float *gradients, *hessians; /* (outputs, rows) */
    float *residuals;      /* (outputs, rows): label less score of the round; NULL unless leaves are
                              quantiles */
    uint32_t *keys;        /* (rows): random bits of the seed and the row's hash */
    uint32_t *packed;      /* (rows): gradient above, hessian below */
    uint16_t *order;       /* (rows) */
    struct tree_run *runs; /* (run_room nodes, blocks) */
    uint32_t run_room;
    uint64_t round;   /* 1 + the round that gradients are of; 0: none */
    uint64_t tree;    /* 1 + the tree that is growing; 0: none */
    uint64_t sampled; /* rows that it is grown from */
    bool is_chosen;   /* by goss: gradients of rows that are not are 0 */
    uint64_t chosen;  /* rows that are */
    bool is_packed;   /* its gradients are packed */
    uint32_t divided; /* nodes whose rows are divided, in the tree's order */
};

/* Which rows a tree is grown from, and how gradients become integers. */
struct tree_sampling {
    uint32_t bits;      /* random, of the tree */
    uint64_t threshold; /* rows whose bits are below: 2^32 is all */
    double gradient_scale, hessian_scale;
    uint32_t gradient_draw, hessian_draw; /* TREE_DRAW_... */
    bool has_signs; /* gradients are hessians but for their sign, or 0; both scales are the same */
};

/* Bits of the random number that is added to a derivative before it is rounded down. All of them
 * round what has no fraction up once in some hundred rows, as the sum is a float. */
#define TREE_DRAW_ALL   0xffff
#define TREE_DRAW_EXACT 0xfe00 /* whole numbers stay as they are */

/* NO_MEMORY. part: that the rows will be loaded from; learns: they are rows to learn from, and have
 * its weights. */
enum status tree_rows_init(struct tree_rows *lane, const struct tree_layout *layout, uint32_t rows,
                           uint32_t outputs, const struct dataset_part *part, bool learns,
                           struct error *err);
void tree_rows_deinit(struct tree_rows *lane); /* also where there are none */

/* The rows [first, first + count) of the part, which are held, become those from `at` on. */
void tree_rows_load(struct tree_rows *lane, const struct dataset *dataset,
                    const struct dataset_part *part, uint64_t first, uint32_t count, uint32_t at);

/* Leaves will be quantiles of residuals: there is room for these. NO_MEMORY. */
enum status tree_rows_keep_residuals(struct tree_rows *lane, struct error *err);
/* Finds the residuals of the scores as they are. */
void tree_rows_find_residuals(struct tree_rows *lane);

/* Goss: rows whose key is no less than `top` keep their gradients; others whose random bits, drawn
 * by `bits`, are below `threshold` have them multiplied by `factor`; the rest have none. */
struct tree_choice {
    uint32_t top, bits;
    uint64_t threshold; /* 2^32: all of the others */
    float factor;
};
void tree_rows_choose(struct tree_rows *lane, const struct tree_choice *choice);
/* The size by which goss orders a row: |gradient x hessian|, summed over outputs. */
float tree_rows_size(const struct tree_rows *lane, uint32_t row);

/* All rows are loaded. INVALID, NO_MEMORY: as tree_groups_end. */
enum status tree_rows_loaded(struct tree_rows *lane, struct error *err);

/* Rows will be ranked by their groups: before they are loaded. NO_MEMORY. */
enum status tree_rows_keep_groups(struct tree_rows *lane, struct error *err);

/* Each row has an offset: before they are loaded. NO_MEMORY. */
enum status tree_rows_keep_offsets(struct tree_rows *lane, struct error *err);

/* Scores start with base (outputs) and the row's offset, or where the old model ends, and none of
 * the trees is in them.
 */
void tree_rows_start(struct tree_rows *lane, const float *base);
/* For dart: scores are made of sums of whole numbers, which trees join and leave in any order.
 * Before tree_rows_start. `rounds` at most. NO_MEMORY. */
enum status tree_rows_keep_sums(struct tree_rows *lane, uint32_t rounds, double scale,
                                struct error *err);
/* The trees [first, first + count) of round `round` weigh so much in the sums from now on.
 * NO_MEMORY. */
enum status tree_rows_weigh(struct tree_rows *lane, const struct tree_forest *forest,
                            uint32_t first, uint32_t count, uint32_t round, double weight,
                            struct error *err);
/* The trees from `scored` on, up to `trees`, join the totals. NO_MEMORY. */
enum status tree_rows_score(struct tree_rows *lane, const struct tree_forest *forest,
                            uint32_t trees, struct error *err);
/* One tree more, which grew in these rows, joins the totals: values of its nodes (forest leaves
 * alone). */
void tree_rows_score_grown(struct tree_rows *lane, const struct growing_tree *tree, uint32_t output,
                           const float *values);
/* Scores become those of the totals, or sums, and are guarded. */
void tree_rows_take_scores(struct tree_rows *lane);

/* A tree begins: all rows are in the root, and nothing is packed. */
enum status tree_rows_begin(struct tree_rows *lane, struct error *err);
/* The gradients of an output become integers: those of a block, and all of them. Blocks in their
 * order count the sampled rows. */
void tree_rows_pack(struct tree_rows *lane, uint32_t output, const struct tree_sampling *sampling,
                    uint32_t block);
void tree_rows_pack_all(struct tree_rows *lane, uint32_t output,
                        const struct tree_sampling *sampling);
/* Room for the runs of so many nodes. */
enum status tree_rows_reserve(struct tree_rows *lane, uint32_t nodes, struct error *err);
/* Does a bin of a split's column go left? 1 or 0 for each; in a wide one bit b % 64 of bits[b / 64]
 * for bin b. */
struct tree_split_table {
    uint8_t goes_left[TREE_BINS_MAX];
    uint64_t bits[TREE_WIDE_BINS_MAX / 64];
};
void tree_split_table(const struct growing_tree *tree, uint32_t node,
                      struct tree_split_table *table);
/* The sum of the squares of the rows' gradients, which are packed. */
int64_t tree_rows_squares(const struct tree_rows *lane);
/* Divides the node's rows of a block. False: the order names a row that there is not, since memory
 * changed by itself; nothing is divided then. */
bool tree_rows_divide(struct tree_rows *lane, const struct growing_tree *tree, uint32_t node,
                      const struct tree_split_table *table, uint32_t block);

static inline const struct tree_run *tree_rows_run(const struct tree_rows *lane, uint32_t node,
                                                   uint32_t block)
{
    return &lane->runs[(size_t)node * lane->blocks + block];
}
/* The parts of a lane that are kept: before labels, scores or gradients are used, the caller checks
 * that they are as they were written. Damage to the rest shows in the sums themselves
 * (tree_growth_take). */
enum {
    TREE_ROWS_COLUMNS = 1,
    TREE_ROWS_LABELS = 2,
    TREE_ROWS_SCORES = 4,
    TREE_ROWS_GRADIENTS = 8,
    TREE_ROWS_ALL = 15
};
bool tree_rows_are_intact(const struct tree_rows *lane, uint32_t parts);
/* The gradients of one output, by which a tree is grown. */
bool tree_rows_gradients_are_intact(const struct tree_rows *lane, uint32_t output);
/* Whether the order has each row of a block once: else it names rows that there are not. */
bool tree_rows_order_is_whole(const struct tree_rows *lane);
/* Gradients have been written. */
void tree_rows_guard_gradients(struct tree_rows *lane);

/* Rows of a node in the lane. */
uint32_t tree_rows_count(const struct tree_rows *lane, uint32_t node);

/* The node's rows that the tree is grown from. */
uint32_t tree_rows_sampled(const struct tree_rows *lane, uint32_t node,
                           const struct tree_sampling *sampling);

/* sums += the packed gradients of a node's rows of a block, in a piece of the layout: a group
 * (group_columns, TREE_BINS_MAX), or a wide column (its bins). */
void tree_rows_sum(const struct tree_rows *lane, uint32_t node, uint32_t block, uint32_t piece,
                   int64_t *sums);
/* The same of all rows of a block. */
void tree_rows_sum_all(const struct tree_rows *lane, uint32_t block, uint32_t piece, int64_t *sums);
/* sums += those of a node's rows of a block, of these columns one behind the other. Behind them is
 * room for TREE_BINS_MAX more: where memory changed by itself, a row has a bin that its column has
 * not, which shows in the column's sums. */
void tree_rows_sum_columns(const struct tree_rows *lane, uint32_t node, uint32_t block,
                           const uint32_t *columns, uint32_t count, int64_t *sums);
/* Asks the memory for the first rows of what will be summed next; for the bins of a column by which
 * a node's rows of a block will be divided. */
void tree_rows_expect(const struct tree_rows *lane, uint32_t node, uint32_t block, uint32_t piece);
void tree_rows_expect_column(const struct tree_rows *lane, uint32_t node, uint32_t block,
                             uint32_t column);
/* Packed sums of a piece go to histogram (total_bins: gradient, hessian), and are 0 again. Returns
 * the sum of all that was added. */
uint64_t tree_rows_unpack(const struct tree_layout *layout, uint32_t piece, int64_t *sums,
                          int64_t *histogram);
/* The same of tree_rows_sum_columns, of columns that have so many bins at most. */
uint64_t tree_rows_unpack_columns(uint32_t bins, int64_t *sums, int64_t *histogram);

/* Counts the residuals of an output of the rows of a node that the tree is grown from, as those of
 * a leaf. */
void tree_rows_count_residuals(const struct tree_rows *lane, uint32_t node, uint32_t output,
                               const struct tree_sampling *sampling,
                               const struct tree_objective *objective,
                               const struct leaf_quantiles *search, uint32_t leaf, int64_t *counts);

/* Sums of each leaf: gradients and hessians of the rows that the tree is grown from, not rounded to
 * 16 bits, but to 2^-exponent, of which each has less than 2^30. sums (leaf_count: gradient,
 * hessian) grow by them. The order is whole. */
void tree_rows_exact(const struct tree_rows *lane, const uint32_t *leaves, uint32_t leaf_count,
                     uint32_t output, const struct tree_sampling *sampling, const int exponents[2],
                     int64_t *sums);
