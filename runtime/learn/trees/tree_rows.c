#include "runtime/learn/trees/tree_rows.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/reserve.h"
#include "base/sums/words.h"
#include "base/vectors.h"
#include "runtime/learn/trees/growth/tree_paths.h"
#include "scoring/numbers/elementary.h"

#define CHUNK_ROWS    512 /* encoded, or packed, at once */
#define PREFETCH_ROWS 32  /* ahead of the one that is summed */
#define CACHE_LINE    64

struct tree_layout tree_layout_of(const struct tree_bins *bins)
{
    const uint32_t narrow = tree_bins_narrow(bins), columns = narrow > 0 ? narrow : 1;
    const uint32_t groups = (columns + TREE_GROUP_COLUMNS - 1) / TREE_GROUP_COLUMNS;
    const uint32_t each = (columns + groups - 1) / groups;
    struct tree_layout layout = {bins, groups, (each + 3) / 4 * 4, 4, groups + bins->wide_count, 0};
    const uint32_t widest = tree_bins_widest(bins);

    while (layout.row_bytes < layout.group_columns)
        layout.row_bytes *= 2;
    layout.piece_bins = layout.group_columns * TREE_BINS_MAX;
    layout.piece_bins = widest > layout.piece_bins ? widest : layout.piece_bins;
    return layout;
}

/* ---- memory ---- */

static uint32_t block_rows(const struct tree_rows *lane, uint32_t block)
{
    const uint32_t left = lane->rows - block * TREE_BLOCK_ROWS;

    return left < TREE_BLOCK_ROWS ? left : TREE_BLOCK_ROWS;
}

/* The bytes of all groups, in whole lines of memory. */
static size_t group_bytes(const struct tree_layout *layout, uint32_t rows)
{
    const size_t bytes = (size_t)layout->group_count * rows * layout->row_bytes;

    return (bytes / CACHE_LINE + 1) * CACHE_LINE;
}

enum status tree_rows_init(struct tree_rows *lane, const struct tree_layout *layout, uint32_t rows,
                           uint32_t outputs, const struct dataset_part *part, bool learns,
                           struct error *err)
{
    const size_t numbers = (size_t)rows * outputs + 1;
    const bool is_classifier = part->classes != NULL;
    const bool is_weighted = learns && part->roles[ROLE_SAMPLE_WEIGHT];

    *lane = (struct tree_rows){
        .layout = layout,
        .rows = rows,
        .blocks = (rows + TREE_BLOCK_ROWS - 1) / TREE_BLOCK_ROWS,
        .outputs = outputs,
        .columns = malloc((size_t)tree_bins_narrow(layout->bins) * rows + 1),
        .wide = malloc(((size_t)layout->bins->wide_count * rows + 1) * sizeof(uint16_t)),
        .scores = malloc(numbers * sizeof(float)),
        .totals = malloc(numbers * sizeof(double)),
        .values = is_classifier ? NULL : malloc((rows + 1) * sizeof(float)),
        .classes = is_classifier ? malloc((rows + 1) * sizeof(int32_t)) : NULL,
        .weights = is_weighted ? malloc((rows + 1) * sizeof(float)) : NULL,
        .uppers = part->roles[ROLE_LABEL_UPPER] ? malloc((rows + 1) * sizeof(float)) : NULL,
        .groups = learns ? aligned_alloc(CACHE_LINE, group_bytes(layout, rows)) : NULL,
        .gradients = learns ? malloc(numbers * sizeof(float)) : NULL,
        .hessians = learns ? malloc(numbers * sizeof(float)) : NULL,
        .gradient_sums = learns ? calloc(outputs, sizeof(uint32_t)) : NULL,
        .keys = learns ? malloc((rows + 1) * sizeof(uint32_t)) : NULL,
        .packed = learns ? malloc((rows + 1) * sizeof(uint32_t)) : NULL,
        .order = learns ? malloc((rows + 1) * sizeof(uint16_t)) : NULL,
    };
    if (!lane->columns || !lane->wide || !lane->scores || !lane->totals ||
        !(lane->values || lane->classes) || (is_weighted && !lane->weights) ||
        (part->roles[ROLE_LABEL_UPPER] && !lane->uppers) ||
        (learns && (!lane->groups || !lane->gradients || !lane->hessians || !lane->gradient_sums ||
                    !lane->keys || !lane->packed || !lane->order))) {
        tree_rows_deinit(lane);
        return fail_no_memory(err);
    }
    if (learns) /* columns of the last group that mean nothing have a bin, too */
        memset(lane->groups, 0, group_bytes(layout, rows));
    return STATUS_OK;
}

void tree_rows_deinit(struct tree_rows *lane)
{
    free(lane->columns);
    free(lane->wide);
    free(lane->groups);
    free(lane->scores);
    free(lane->totals);
    free(lane->starts);
    free(lane->offsets);
    free(lane->sums);
    free(lane->applied);
    free(lane->values);
    free(lane->classes);
    free(lane->weights);
    free(lane->uppers);
    tree_groups_deinit(&lane->groups_of);
    free(lane->gradients);
    free(lane->hessians);
    free(lane->residuals);
    free(lane->gradient_sums);
    free(lane->keys);
    free(lane->packed);
    free(lane->order);
    free(lane->runs);
    *lane = (struct tree_rows){0};
}

static uint8_t *row_at(const struct tree_rows *lane, uint32_t group, uint32_t row)
{
    return lane->groups + ((size_t)group * lane->rows + row) * lane->layout->row_bytes;
}

static uint8_t *column_at(const struct tree_rows *lane, uint32_t column, uint32_t row)
{
    return lane->columns + (size_t)column * lane->rows + row;
}

static uint16_t *wide_at(const struct tree_rows *lane, uint32_t column, uint32_t row)
{
    return lane->wide + (size_t)(column - tree_bins_narrow(lane->layout->bins)) * lane->rows + row;
}

/* The wide column that is a piece of the layout behind the groups. */
static uint32_t column_of_piece(const struct tree_layout *layout, uint32_t piece)
{
    return tree_bins_narrow(layout->bins) + piece - layout->group_count;
}

/* Bins of some rows, column by column, go to the groups. */
static void group_bins(struct tree_rows *lane, uint32_t first, uint32_t count)
{
    const uint32_t each = lane->layout->group_columns;
    const size_t row_bytes = lane->layout->row_bytes;

    for (uint32_t c = 0; c < tree_bins_narrow(lane->layout->bins); c++) {
        const uint8_t *bins = column_at(lane, c, first);
        uint8_t *rows = row_at(lane, c / each, first) + c % each;

        for (uint32_t i = 0; i < count; i++)
            rows[i * row_bytes] = bins[i];
    }
}

static void load_bins(struct tree_rows *lane, const struct dataset *dataset,
                      const struct dataset_part *part, uint64_t first, uint32_t count, uint32_t at)
{
    const struct transform *transform = &dataset->transform;
    const struct tree_bins *bins = lane->layout->bins;
    const uint32_t narrow = tree_bins_narrow(bins);
    uint8_t *columns[MODEL_INPUTS_MAX];

    for (uint32_t from = 0; from < count; from += CHUNK_ROWS) {
        const uint32_t some = count - from < CHUNK_ROWS ? count - from : CHUNK_ROWS;
        const float *dense = part->dense + (first + from) * transform->dense_width;
        const int32_t *ids = part->ids + (first + from) * transform->id_count;

        for (uint32_t c = 0; c < narrow; c++)
            columns[c] = column_at(lane, c, at + from);
        tree_bins_rows(bins, dataset, dense, ids, some, columns, 1);
        for (uint32_t c = narrow; c < bins->column_count; c++)
            tree_bins_wide_rows(bins, dataset, c, ids, some, wide_at(lane, c, at + from));
        if (lane->groups)
            group_bins(lane, at + from, some);
    }
}

void tree_rows_load(struct tree_rows *lane, const struct dataset *dataset,
                    const struct dataset_part *part, uint64_t first, uint32_t count, uint32_t at)
{
    load_bins(lane, dataset, part, first, count, at);
    if (lane->values)
        memcpy(lane->values + at, part->values + first, count * sizeof *lane->values);
    if (lane->classes)
        memcpy(lane->classes + at, part->classes + first, count * sizeof *lane->classes);
    if (lane->uppers)
        memcpy(lane->uppers + at, part->roles[ROLE_LABEL_UPPER] + first,
               count * sizeof *lane->uppers);
    for (uint32_t i = 0; lane->offsets && i < count; i++)
        lane->offsets[at + i] = (float)transform_offset(
            &dataset->transform, part->dense + (first + i) * dataset->transform.dense_width);
    if (lane->groups_of.starts)
        tree_groups_add(&lane->groups_of, part, first, count, at, &lane->last_group);
    if (lane->weights)
        memcpy(lane->weights + at, part->roles[ROLE_SAMPLE_WEIGHT] + first,
               count * sizeof *lane->weights);
    for (uint32_t i = 0; lane->keys && i < count; i++) {
        const struct row_hash *hash = &part->hashes[first + i];

        lane->keys[at + i] =
            (uint32_t)(random_bits(dataset->seed, RANDOM_TREE_ROW, hash->low, hash->high) >> 32);
    }
}

enum status tree_rows_keep_residuals(struct tree_rows *lane, struct error *err)
{
    const size_t numbers = (size_t)lane->rows * lane->outputs;

    lane->residuals = malloc((numbers + 1) * sizeof *lane->residuals);
    return lane->residuals ? STATUS_OK : fail_no_memory(err);
}

void tree_rows_find_residuals(struct tree_rows *lane)
{
    for (uint32_t j = 0; j < lane->outputs; j++) {
        float *residuals = lane->residuals + (size_t)j * lane->rows;

        for (uint32_t row = 0; row < lane->rows; row++)
            residuals[row] = lane->values[row] - lane->scores[(size_t)row * lane->outputs + j];
    }
}

/* ---- memory that changes by itself ---- */

static uint32_t sum_bytes(const uint8_t *bytes, size_t size)
{
    uint32_t sum = words_sum(bytes, size / sizeof(uint32_t));

    for (size_t i = size / sizeof(uint32_t) * sizeof(uint32_t); i < size; i++)
        sum += bytes[i];
    return sum;
}

static uint32_t sum_columns(const struct tree_rows *lane)
{
    const struct tree_bins *bins = lane->layout->bins;
    uint32_t sum = sum_bytes(lane->columns, (size_t)tree_bins_narrow(bins) * lane->rows);

    if (bins->wide_count > 0)
        sum += 5 *
               words_mix_one(sum_bytes((const uint8_t *)lane->wide,
                                       (size_t)bins->wide_count * lane->rows * sizeof *lane->wide));
    if (!lane->groups)
        return sum;
    return sum + 3 * words_mix_one(words_sum(lane->groups, group_bytes(lane->layout, lane->rows) /
                                                               sizeof(uint32_t)));
}

static uint32_t sum_labels(const struct tree_rows *lane)
{
    const uint32_t starts =
        lane->starts ? words_sum(lane->starts, (size_t)lane->rows * lane->outputs) : 0;
    uint32_t sum =
        words_sum(lane->values ? (const void *)lane->values : lane->classes, lane->rows) +
        words_mix_one(starts);

    if (lane->uppers)
        sum += 3 * words_mix_one(words_sum(lane->uppers, lane->rows));
    if (lane->offsets)
        sum += 7 * words_mix_one(words_sum(lane->offsets, lane->rows));
    if (lane->weights)
        sum += words_mix_one(words_sum(lane->weights, lane->rows));
    if (lane->groups_of.starts)
        sum += words_mix_one(words_sum(lane->groups_of.starts, lane->groups_of.count + 1));
    return sum;
}

static uint32_t sum_scores(const struct tree_rows *lane)
{
    return words_sum(lane->scores, (size_t)lane->rows * lane->outputs);
}

static uint32_t sum_totals(const struct tree_rows *lane)
{
    const void *totals = lane->sums ? (const void *)lane->sums : lane->totals;

    return words_sum(totals, 2 * (size_t)lane->rows * lane->outputs);
}

static uint32_t sum_gradients(const struct tree_rows *lane, uint32_t output)
{
    const size_t first = (size_t)output * lane->rows;
    uint32_t sum = words_sum(lane->gradients + first, lane->rows) +
                   words_mix_one(words_sum(lane->hessians + first, lane->rows));

    if (lane->residuals)
        sum += 3 * words_mix_one(words_sum(lane->residuals + first, lane->rows));
    return sum;
}

enum status tree_rows_keep_offsets(struct tree_rows *lane, struct error *err)
{
    lane->offsets = malloc((lane->rows + (size_t)1) * sizeof *lane->offsets);
    return lane->offsets ? STATUS_OK : fail_no_memory(err);
}

enum status tree_rows_keep_groups(struct tree_rows *lane, struct error *err)
{
    return tree_groups_init(&lane->groups_of, lane->rows, err);
}

enum status tree_rows_loaded(struct tree_rows *lane, struct error *err)
{
    if (lane->groups_of.starts)
        TRY(tree_groups_end(&lane->groups_of, lane->rows, err));
    lane->columns_sum = sum_columns(lane);
    lane->labels_sum = sum_labels(lane);
    return STATUS_OK;
}

void tree_rows_guard_gradients(struct tree_rows *lane)
{
    for (uint32_t output = 0; output < lane->outputs; output++)
        lane->gradient_sums[output] = sum_gradients(lane, output);
}

bool tree_rows_gradients_are_intact(const struct tree_rows *lane, uint32_t output)
{
    return !lane->gradients || lane->round == 0 ||
           sum_gradients(lane, output) == lane->gradient_sums[output];
}

static bool all_gradients_are_intact(const struct tree_rows *lane)
{
    for (uint32_t output = 0; output < lane->outputs; output++)
        if (!tree_rows_gradients_are_intact(lane, output))
            return false;
    return true;
}

bool tree_rows_order_is_whole(const struct tree_rows *lane)
{
    for (uint32_t block = 0; block < lane->blocks; block++) {
        const uint16_t *order = lane->order + (size_t)block * TREE_BLOCK_ROWS;
        const uint32_t rows = block_rows(lane, block);
        uint32_t sum = 0, greatest = 0;

        for (uint32_t i = 0; i < rows; i++) {
            sum += order[i];
            greatest = order[i] > greatest ? order[i] : greatest;
        }
        if (greatest != rows - 1 || sum != rows * (rows - 1) / 2)
            return false;
    }
    return true;
}

bool tree_rows_are_intact(const struct tree_rows *lane, uint32_t parts)
{
    return !((parts & TREE_ROWS_COLUMNS && sum_columns(lane) != lane->columns_sum) ||
             (parts & TREE_ROWS_LABELS && sum_labels(lane) != lane->labels_sum) ||
             (parts & TREE_ROWS_SCORES &&
              (sum_scores(lane) != lane->scores_sum || sum_totals(lane) != lane->totals_sum)) ||
             (parts & TREE_ROWS_GRADIENTS && !all_gradients_are_intact(lane)));
}

/* ---- scores ---- */

#define SUM_MOST 0x1p60 /* size of one number in a sum; sums wrap around beyond 2^63 */

static int64_t whole_of(double value, double scale)
{
    const double scaled = floor(value * scale + .5);

    return (int64_t)(scaled > SUM_MOST ? SUM_MOST : scaled < -SUM_MOST ? -SUM_MOST : scaled);
}

/* Totals, or sums, begin with starts, where the numbers of rows are `step` apart, and offsets. */
static void start_totals(struct tree_rows *lane, const float *starts, size_t step)
{
    double *totals = lane->totals;
    int64_t *sums = lane->sums;

    for (uint32_t row = 0; row < lane->rows; row++, starts += step) {
        const double offset = lane->offsets ? (double)lane->offsets[row] : 0;

        for (uint32_t j = 0; j < lane->outputs; j++) {
            if (sums)
                *sums++ = whole_of((double)starts[j] + offset, lane->sum_scale);
            else
                *totals++ = (double)starts[j] + offset;
        }
    }
}

enum status tree_rows_keep_sums(struct tree_rows *lane, uint32_t rounds, double scale,
                                struct error *err)
{
    lane->sum_scale = scale;
    lane->rounds_most = rounds;
    free(lane->totals);
    lane->totals = NULL;
    lane->sums = malloc(((size_t)lane->rows * lane->outputs + 1) * sizeof *lane->sums);
    lane->applied = malloc((rounds + (size_t)1) * sizeof *lane->applied);
    return lane->sums && lane->applied ? STATUS_OK : fail_no_memory(err);
}

void tree_rows_start(struct tree_rows *lane, const float *base)
{
    start_totals(lane, lane->starts ? lane->starts : base, lane->starts ? lane->outputs : 0);
    if (lane->applied)
        memset(lane->applied, 0, lane->rounds_most * sizeof *lane->applied);
    lane->scored = 0;
    lane->round = lane->tree = 0;
    tree_rows_take_scores(lane);
}

static uint32_t some_rows(const struct tree_rows *lane, uint32_t first)
{
    return lane->rows - first < TREE_PATHS_ROWS ? lane->rows - first : TREE_PATHS_ROWS;
}

static struct path_bins bins_from(const struct tree_rows *lane, uint32_t first)
{
    return (struct path_bins){lane->columns + first, lane->wide + first, lane->rows,
                              tree_bins_narrow(lane->layout->bins)};
}

/* changes: room for what each node, by its place in the tree, adds to the sums of its rows. */
static void weigh_tree(struct tree_rows *lane, struct tree_paths *paths, uint32_t number,
                       double before, double weight, int64_t *changes)
{
    const struct forest_tree *tree = &paths->forest->trees[number];
    const struct forest_node *root = &paths->forest->nodes[tree->first];

    for (uint32_t i = 0; i < tree->count; i++)
        changes[i] = whole_of(weight * (double)root[i].value, lane->sum_scale) -
                     whole_of(before * (double)root[i].value, lane->sum_scale);
    for (uint32_t first = 0; first < lane->rows; first += TREE_PATHS_ROWS) {
        const uint32_t rows = some_rows(lane, first);
        int64_t *sums = lane->sums + (size_t)first * lane->outputs + tree->output;

        tree_paths_find(paths, number, bins_from(lane, first), rows);
        for (uint32_t i = 0; i < rows; i++, sums += lane->outputs)
            *sums = words_add(*sums, changes[paths->leaves[i]]);
    }
}

enum status tree_rows_weigh(struct tree_rows *lane, const struct tree_forest *forest,
                            uint32_t first, uint32_t count, uint32_t round, double weight,
                            struct error *err)
{
    const double before = lane->applied[round];
    struct tree_paths paths;
    uint32_t nodes = 1;
    int64_t *changes;

    if (weight == before)
        return STATUS_OK;
    TRY(tree_paths_init(&paths, forest, first, first + count, err));
    for (uint32_t t = first; t < first + count; t++)
        nodes = forest->trees[t].count > nodes ? forest->trees[t].count : nodes;
    changes = malloc(nodes * sizeof *changes);
    for (uint32_t t = first; changes && t < first + count; t++)
        weigh_tree(lane, &paths, t, before, weight, changes);
    tree_paths_deinit(&paths);
    if (!changes)
        return fail_no_memory(err);
    lane->applied[round] = weight;
    free(changes);
    return STATUS_OK;
}

void tree_rows_take_scores(struct tree_rows *lane)
{
    const size_t numbers = (size_t)lane->rows * lane->outputs;

    if (lane->sums)
        for (size_t i = 0; i < numbers; i++)
            lane->scores[i] = (float)((double)lane->sums[i] / lane->sum_scale);
    else
        for (size_t i = 0; i < numbers; i++)
            lane->scores[i] = (float)lane->totals[i];
    lane->scores_sum = sum_scores(lane);
    lane->totals_sum = sum_totals(lane);
}

enum status tree_rows_score(struct tree_rows *lane, const struct tree_forest *forest,
                            uint32_t trees, struct error *err)
{
    struct tree_paths paths;

    if (lane->scored >= trees)
        return STATUS_OK;
    TRY(tree_paths_init(&paths, forest, lane->scored, trees, err));
    for (; lane->scored < trees; lane->scored++) {
        const struct forest_tree *tree = &forest->trees[lane->scored];
        const struct forest_node *root = &forest->nodes[tree->first];

        for (uint32_t first = 0; first < lane->rows; first += TREE_PATHS_ROWS) {
            const uint32_t rows = some_rows(lane, first);
            double *totals = lane->totals + (size_t)first * lane->outputs + tree->output;

            tree_paths_find(&paths, lane->scored, bins_from(lane, first), rows);
            for (uint32_t i = 0; i < rows; i++, totals += lane->outputs)
                *totals += (double)root[paths.leaves[i]].value;
        }
    }
    tree_paths_deinit(&paths);
    return STATUS_OK;
}

static uint32_t words_of(double total)
{
    const uint64_t bits = double_bits(total);

    return (uint32_t)bits + (uint32_t)(bits >> 32);
}

/* The guard follows by what changes: one that was wrong before stays wrong. */
void tree_rows_score_grown(struct tree_rows *lane, const struct growing_tree *tree, uint32_t output,
                           const float *values)
{
    for (uint32_t block = 0; block < lane->blocks; block++) {
        const uint16_t *order = lane->order + (size_t)block * TREE_BLOCK_ROWS;
        double *totals = lane->totals + (size_t)block * TREE_BLOCK_ROWS * lane->outputs + output;

        for (uint32_t node = 0; node < tree->node_count; node++) {
            const struct tree_run *run = tree_rows_run(lane, node, block);

            if (!values[node] || tree->nodes[node].is_inner)
                continue;
            for (uint32_t i = run->first; i < (uint32_t)run->first + run->count; i++) {
                double *total = &totals[(size_t)order[i] * lane->outputs];
                const uint32_t before = words_of(*total);

                *total += (double)values[node];
                lane->totals_sum += words_of(*total) - before;
            }
        }
    }
    lane->scored++;
}

/* ---- a tree begins ---- */

/* Random bits of a row for a tree: those of the row's key, mixed (MurmurHash3's finalizer). */
VECTORS_PART uint32_t row_bits(uint32_t key, uint32_t tree)
{
    uint32_t bits = key ^ tree;

    bits = (bits ^ bits >> 16) * 0x85ebca6bu;
    bits = (bits ^ bits >> 13) * 0xc2b2ae35u;
    return bits ^ bits >> 16;
}

float tree_rows_size(const struct tree_rows *lane, uint32_t row)
{
    float sum = 0;

    for (uint32_t output = 0; output < lane->outputs; output++) {
        const size_t at = (size_t)output * lane->rows + row;

        sum += fabsf(lane->gradients[at] * lane->hessians[at]);
    }
    return sum < FLT_MAX ? sum : FLT_MAX;
}

static void multiply_row(struct tree_rows *lane, uint32_t row, float factor)
{
    for (uint32_t output = 0; output < lane->outputs; output++) {
        const size_t at = (size_t)output * lane->rows + row;

        lane->gradients[at] *= factor;
        lane->hessians[at] *= factor;
    }
}

/* No hessian is negative: -0 is that of a row that is not chosen. */
static bool is_left_out(const struct tree_rows *lane, size_t row)
{
    return signbit(lane->hessians[row]) != 0;
}

void tree_rows_choose(struct tree_rows *lane, const struct tree_choice *choice)
{
    lane->chosen = 0;
    for (uint32_t row = 0; row < lane->rows; row++) {
        const bool is_large = leaf_quantiles_key(tree_rows_size(lane, row)) >= choice->top;
        const bool is_drawn = row_bits(lane->keys[row], choice->bits) < choice->threshold;

        lane->chosen += is_large || is_drawn;
        if (!is_large)
            multiply_row(lane, row, is_drawn ? choice->factor : -0.0f);
    }
    lane->is_chosen = true;
    tree_rows_guard_gradients(lane);
}

/* Rounded down after a random number below 1 was added, so that the mean is right. */
VECTORS_PART int32_t round_randomly(float value, float scale, uint32_t random16)
{
    const float shift = 32768;

    return (int32_t)(value * scale + shift + (float)random16 * 0x1p-16f) - (int32_t)shift;
}

/* The rows that the tree is grown from, by a random number of each. */
struct row_draw {
    uint32_t random;
    uint32_t is_sampled; /* 1 or 0 */
};

VECTORS_PART struct row_draw draw_row(uint32_t key, const struct tree_sampling *sampling)
{
    const uint32_t bits = row_bits(key, sampling->bits);
    const uint32_t takes_all = sampling->threshold > UINT32_MAX;

    return (struct row_draw){bits * 0x9e3779b1u,
                             takes_all | (bits < (uint32_t)sampling->threshold)};
}

VECTORS_PART uint32_t pack(int32_t gradient, int32_t hessian, struct row_draw draw)
{
    return ((uint32_t)gradient << 16 | ((uint32_t)hessian & 0xffff)) & (0 - draw.is_sampled);
}

/* Gradients and hessians of some rows, 16 bits each; 0 of rows that the tree is not grown from.
 * Returns how many it is. */
WIDE_VECTORS
static uint32_t pack_rows(const float *gradients, const float *hessians, const uint32_t *keys,
                          uint32_t count, const struct tree_sampling *sampling, uint32_t *packed)
{
    const struct tree_sampling own = *sampling;
    uint32_t sampled = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct row_draw draw = draw_row(keys[i], &own);

        packed[i] = pack(
            round_randomly(gradients[i], (float)own.gradient_scale,
                           draw.random >> 16 & own.gradient_draw),
            round_randomly(hessians[i], (float)own.hessian_scale, draw.random & own.hessian_draw),
            draw);
        sampled += draw.is_sampled;
    }
    return sampled;
}

/* The same of gradients that are hessians but for their sign, or 0: rounded once, they stay so. */
WIDE_VECTORS
static uint32_t pack_signs(const float *gradients, const float *hessians, const uint32_t *keys,
                           uint32_t count, const struct tree_sampling *sampling, uint32_t *packed)
{
    const struct tree_sampling own = *sampling;
    uint32_t sampled = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct row_draw draw = draw_row(keys[i], &own);
        const int32_t size =
            round_randomly(hessians[i], (float)own.hessian_scale, draw.random & own.hessian_draw);
        const int32_t sign = (gradients[i] > 0) - (gradients[i] < 0);

        packed[i] = pack(sign * size, size, draw);
        sampled += draw.is_sampled;
    }
    return sampled;
}

enum status tree_rows_reserve(struct tree_rows *lane, uint32_t nodes, struct error *err)
{
    return reserve_array((void **)&lane->runs, &lane->run_room, nodes,
                         lane->blocks * sizeof *lane->runs, err);
}

enum status tree_rows_begin(struct tree_rows *lane, struct error *err)
{
    TRY(tree_rows_reserve(lane, 1, err));
    for (uint32_t row = 0; row < lane->rows; row++)
        lane->order[row] = (uint16_t)(row % TREE_BLOCK_ROWS);
    for (uint32_t block = 0; block < lane->blocks; block++)
        lane->runs[block] = (struct tree_run){0, (uint16_t)block_rows(lane, block)};
    lane->divided = 0;
    lane->is_packed = false;
    return STATUS_OK;
}

/* ---- nodes ---- */

static void table_of_narrow(const struct tree_split *split, uint8_t *goes_left)
{
    if (split->by_set) {
        for (uint32_t bin = 0; bin < TREE_BINS_MAX; bin++)
            goes_left[bin] = split->set[bin / 64] >> bin % 64 & 1;
    } else {
        memset(goes_left, 1, split->bin + (size_t)1);
        memset(goes_left + split->bin + 1, 0, TREE_BINS_MAX - 1 - (size_t)split->bin);
    }
    goes_left[0] = split->missing_left;
}

void tree_split_table(const struct growing_tree *tree, uint32_t node,
                      struct tree_split_table *table)
{
    const struct tree_split *split = &tree->nodes[node].split;
    const uint16_t *list = tree_split_list(split, tree->words);

    if (!split->has_list) {
        table_of_narrow(split, table->goes_left);
        return;
    }
    memset(table->bits, 0, sizeof table->bits);
    table->bits[0] = split->missing_left;
    for (uint32_t i = 0; i < tree_split_list_length(split); i++)
        table->bits[list[i] / 64] |= (uint64_t)1 << list[i] % 64;
}

int64_t tree_rows_squares(const struct tree_rows *lane)
{
    int64_t sum = 0;

    for (uint32_t row = 0; row < lane->rows; row++) {
        const int32_t gradient = (int16_t)(lane->packed[row] >> 16);

        sum += gradient * gradient;
    }
    return sum;
}

uint32_t tree_rows_count(const struct tree_rows *lane, uint32_t node)
{
    uint32_t count = 0;

    for (uint32_t block = 0; block < lane->blocks; block++)
        count += tree_rows_run(lane, node, block)->count;
    return count;
}

uint32_t tree_rows_sampled(const struct tree_rows *lane, uint32_t node,
                           const struct tree_sampling *sampling)
{
    uint32_t count = 0;

    if (sampling->threshold > UINT32_MAX && !lane->is_chosen)
        return tree_rows_count(lane, node);
    for (uint32_t block = 0; block < lane->blocks; block++) {
        const struct tree_run *run = tree_rows_run(lane, node, block);
        const size_t start = (size_t)block * TREE_BLOCK_ROWS;

        for (uint32_t i = run->first; i < (uint32_t)run->first + run->count; i++) {
            const size_t row = start + lane->order[start + i];

            count += lane->is_chosen
                         ? !is_left_out(lane, row)
                         : row_bits(lane->keys[row], sampling->bits) < sampling->threshold;
        }
    }
    return count;
}

/* Rows go to both sides, and the place moves on of the one that they belong to: no branch that
 * would be guessed wrong half of the time. Returns how many go left. */
static uint32_t part_rows(const uint8_t *bins, const uint8_t *goes_left, uint32_t count,
                          uint16_t *order)
{
    uint16_t right[TREE_BLOCK_ROWS];
    uint32_t lefts = 0, rights = 0;

    for (uint32_t i = 0; i < count; i++) {
        const uint16_t row = order[i];
        const uint32_t is_left = goes_left[bins[row]];

        order[lefts] = right[rights] = row;
        lefts += is_left;
        rights += 1 - is_left;
    }
    memcpy(order + lefts, right, rights * sizeof *right);
    return lefts;
}

/* The same by a wide column. */
static uint32_t part_rows_widely(const uint16_t *bins, const uint64_t *bits, uint32_t count,
                                 uint16_t *order)
{
    uint16_t right[TREE_BLOCK_ROWS];
    uint32_t lefts = 0, rights = 0;

    for (uint32_t i = 0; i < count; i++) {
        const uint16_t row = order[i];
        const uint32_t is_left = bits[bins[row] / 64] >> bins[row] % 64 & 1;

        order[lefts] = right[rights] = row;
        lefts += is_left;
        rights += 1 - is_left;
    }
    memcpy(order + lefts, right, rights * sizeof *right);
    return lefts;
}

bool tree_rows_divide(struct tree_rows *lane, const struct growing_tree *tree, uint32_t node,
                      const struct tree_split_table *table, uint32_t block)
{
    const struct tree_run run = *tree_rows_run(lane, node, block);
    const struct tree_node *parent = &tree->nodes[node];
    const uint32_t column = parent->split.column, first = block * TREE_BLOCK_ROWS;
    uint16_t *order = lane->order + first + run.first;
    uint16_t greatest = 0;
    uint32_t lefts;

    for (uint32_t i = 0; i < run.count; i++)
        greatest = order[i] > greatest ? order[i] : greatest;
    if (run.count > 0 && greatest >= block_rows(lane, block))
        return false;
    lefts = parent->split.has_list
                ? part_rows_widely(wide_at(lane, column, first), table->bits, run.count, order)
                : part_rows(column_at(lane, column, first), table->goes_left, run.count, order);
    lane->runs[(size_t)parent->left * lane->blocks + block] =
        (struct tree_run){run.first, (uint16_t)lefts};
    lane->runs[(size_t)(parent->left + 1) * lane->blocks + block] =
        (struct tree_run){(uint16_t)(run.first + lefts), (uint16_t)(run.count - lefts)};
    return true;
}

/* ---- histograms ---- */

/* The gradient above, the hessian, which is not negative, below. */
static inline int64_t unpack(uint32_t packed)
{
    return (int64_t)((uint64_t)(int64_t)(int16_t)(packed >> 16) << 32) + (packed & 0xffff);
}

/* A constant number of columns: no loop is left of them, and a row is as many additions to
 * memory. */
#define ROW_LOOP static inline __attribute__((always_inline)) void

ROW_LOOP add_row(const uint8_t *row, int64_t value, uint32_t columns, int64_t *sums)
{
#pragma GCC unroll 32
    for (uint32_t c = 0; c < columns; c++)
        sums[c * TREE_BINS_MAX + row[c]] += value;
}

ROW_LOOP sum_rows(const uint8_t *rows, const uint32_t *packed, const uint16_t *order,
                  uint32_t count, uint32_t columns, uint32_t row_bytes, int64_t *sums)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i + PREFETCH_ROWS < count) {
            __builtin_prefetch(rows + (size_t)order[i + PREFETCH_ROWS] * row_bytes);
            __builtin_prefetch(packed + order[i + PREFETCH_ROWS]);
        }
        add_row(rows + (size_t)order[i] * row_bytes, unpack(packed[order[i]]), columns, sums);
    }
}

/* Rows that lie side by side. */
ROW_LOOP sum_all(const uint8_t *rows, const uint32_t *packed, uint32_t count, uint32_t columns,
                 uint32_t row_bytes, int64_t *sums)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *row = rows + (size_t)i * row_bytes;

        __builtin_prefetch(row + (size_t)PREFETCH_ROWS * row_bytes);
        add_row(row, unpack(packed[i]), columns, sums);
    }
}

#define BY_COLUMNS(columns, loop, ...)                                                             \
    switch (columns) {                                                                             \
    case 4:                                                                                        \
        loop(__VA_ARGS__, 4, 4, sums);                                                             \
        break;                                                                                     \
    case 8:                                                                                        \
        loop(__VA_ARGS__, 8, 8, sums);                                                             \
        break;                                                                                     \
    case 12:                                                                                       \
        loop(__VA_ARGS__, 12, 16, sums);                                                           \
        break;                                                                                     \
    case 16:                                                                                       \
        loop(__VA_ARGS__, 16, 16, sums);                                                           \
        break;                                                                                     \
    case 20:                                                                                       \
        loop(__VA_ARGS__, 20, 32, sums);                                                           \
        break;                                                                                     \
    case 24:                                                                                       \
        loop(__VA_ARGS__, 24, 32, sums);                                                           \
        break;                                                                                     \
    case 28:                                                                                       \
        loop(__VA_ARGS__, 28, 32, sums);                                                           \
        break;                                                                                     \
    default:                                                                                       \
        loop(__VA_ARGS__, 32, 32, sums);                                                           \
    }

/* A bin that there is not, since memory changed by itself, is in no sum: it shows in these. */
static inline void add_wide(uint16_t bin, uint32_t bins, uint32_t packed, int64_t *sums)
{
    if (bin < bins)
        sums[bin] += unpack(packed);
}

/* order: of the rows; NULL: all, as they lie. */
static void sum_wide(const struct tree_rows *lane, uint32_t piece, uint32_t block,
                     const uint16_t *order, uint32_t count, int64_t *sums)
{
    const size_t start = (size_t)block * TREE_BLOCK_ROWS;
    const uint32_t column = column_of_piece(lane->layout, piece);
    const uint32_t bins = lane->layout->bins->columns[column].bins;
    const uint16_t *rows = wide_at(lane, column, (uint32_t)start);
    const uint32_t *packed = lane->packed + start;

    for (uint32_t i = 0; order && i < count; i++)
        add_wide(rows[order[i]], bins, packed[order[i]], sums);
    for (uint32_t i = 0; !order && i < count; i++)
        add_wide(rows[i], bins, packed[i], sums);
}

void tree_rows_sum(const struct tree_rows *lane, uint32_t node, uint32_t block, uint32_t piece,
                   int64_t *sums)
{
    const struct tree_run *run = tree_rows_run(lane, node, block);
    const size_t start = (size_t)block * TREE_BLOCK_ROWS;
    const uint16_t *order = lane->order + start + run->first;
    const uint8_t *rows;

    if (piece >= lane->layout->group_count) {
        sum_wide(lane, piece, block, order, run->count, sums);
        return;
    }
    rows = row_at(lane, piece, (uint32_t)start);
    BY_COLUMNS(lane->layout->group_columns, sum_rows, rows, lane->packed + start, order,
               run->count);
}

void tree_rows_sum_all(const struct tree_rows *lane, uint32_t block, uint32_t piece, int64_t *sums)
{
    const size_t start = (size_t)block * TREE_BLOCK_ROWS;
    const uint8_t *rows;

    if (piece >= lane->layout->group_count) {
        sum_wide(lane, piece, block, NULL, block_rows(lane, block), sums);
        return;
    }
    rows = row_at(lane, piece, (uint32_t)start);
    BY_COLUMNS(lane->layout->group_columns, sum_all, rows, lane->packed + start,
               block_rows(lane, block));
}

/* A narrow column as groups have it: its bins are row_bytes apart. */
struct summed_column {
    const uint8_t *bins;
    int64_t *sums;
};

#define COLUMNS_AT_ONCE 4

ROW_LOOP sum_some(const struct summed_column *columns, const uint32_t *packed,
                  const uint16_t *order, uint32_t rows, size_t row_bytes, uint32_t count)
{
    for (uint32_t i = 0; i < rows; i++) {
        const size_t row = order[i];
        const int64_t value = unpack(packed[row]);

#pragma GCC unroll 4
        for (uint32_t c = 0; c < count; c++)
            columns[c].sums[columns[c].bins[row * row_bytes]] += value;
    }
}

/* Groups, not columns, are what is summed: rows are divided by the columns, so whichever of the two
 * changed by itself, sums and divisions tell each other. */
void tree_rows_sum_columns(const struct tree_rows *lane, uint32_t node, uint32_t block,
                           const uint32_t *columns, uint32_t count, int64_t *sums)
{
    const struct tree_layout *layout = lane->layout;
    const struct tree_bins *bins = layout->bins;
    const uint32_t narrow = tree_bins_narrow(bins), each = layout->group_columns;
    const struct tree_run *run = tree_rows_run(lane, node, block);
    const uint32_t start = block * TREE_BLOCK_ROWS;
    const uint32_t *packed = lane->packed + start;
    const uint16_t *order = lane->order + start + run->first;
    struct summed_column some[COLUMNS_AT_ONCE];
    uint32_t waiting = 0;

    for (uint32_t i = 0; run->count > 0 && i < count; i++) {
        const uint32_t c = columns[i];

        if (c >= narrow)
            sum_wide(lane, layout->group_count + c - narrow, block, order, run->count, sums);
        else
            some[waiting++] =
                (struct summed_column){row_at(lane, c / each, start) + c % each, sums};
        sums += bins->columns[c].bins;
        if (waiting < COLUMNS_AT_ONCE)
            continue;
        sum_some(some, packed, order, run->count, layout->row_bytes, COLUMNS_AT_ONCE);
        waiting = 0;
    }
    for (uint32_t i = 0; i < waiting; i++)
        sum_some(some + i, packed, order, run->count, layout->row_bytes, 1);
}

void tree_rows_pack(struct tree_rows *lane, uint32_t output, const struct tree_sampling *sampling,
                    uint32_t block)
{
    const size_t start = (size_t)block * TREE_BLOCK_ROWS;
    const size_t of_output = (size_t)output * lane->rows + start;
    const uint32_t sampled = (sampling->has_signs ? pack_signs : pack_rows)(
        lane->gradients + of_output, lane->hessians + of_output, lane->keys + start,
        block_rows(lane, block), sampling, lane->packed + start);

    lane->sampled = (block == 0 ? 0 : lane->sampled) + sampled;
}

void tree_rows_pack_all(struct tree_rows *lane, uint32_t output,
                        const struct tree_sampling *sampling)
{
    for (uint32_t block = 0; block < lane->blocks; block++)
        tree_rows_pack(lane, output, sampling, block);
    lane->is_packed = true;
}

void tree_rows_expect(const struct tree_rows *lane, uint32_t node, uint32_t block, uint32_t piece)
{
    const struct tree_layout *layout = lane->layout;
    const bool is_wide = piece >= layout->group_count;
    const uint32_t first = block * TREE_BLOCK_ROWS;
    const struct tree_run *run = tree_rows_run(lane, node, block);
    const uint8_t *rows =
        is_wide ? (const uint8_t *)wide_at(lane, column_of_piece(layout, piece), first)
                : row_at(lane, piece, first);
    const size_t row_bytes = is_wide ? sizeof(uint16_t) : layout->row_bytes;
    const uint16_t *order = lane->order + first + run->first;
    const uint32_t *packed = lane->packed + first;

    for (uint32_t i = 0; i < run->count && i < PREFETCH_ROWS; i++) {
        __builtin_prefetch(rows + order[i] * row_bytes);
        __builtin_prefetch(packed + order[i]);
    }
}

/* Line by line, or where there are fewer rows than lines, row by row. */
void tree_rows_expect_column(const struct tree_rows *lane, uint32_t node, uint32_t block,
                             uint32_t column)
{
    const struct tree_run *run = tree_rows_run(lane, node, block);
    const uint32_t first = block * TREE_BLOCK_ROWS;
    const bool is_wide = column >= tree_bins_narrow(lane->layout->bins);
    const uint8_t *bins =
        is_wide ? (const uint8_t *)wide_at(lane, column, first) : column_at(lane, column, first);
    const size_t size = is_wide ? sizeof(uint16_t) : 1;
    const uint16_t *order = lane->order + first + run->first;
    const uint32_t rows = block_rows(lane, block);

    if (run->count > rows / CACHE_LINE)
        for (size_t at = 0; at < rows * size; at += CACHE_LINE)
            __builtin_prefetch(bins + at);
    else
        for (uint32_t i = 0; i < run->count; i++)
            __builtin_prefetch(bins + order[i] * size);
}

/* Sums of the bins of a column, which are added to those that are there. Returns what was added. */
WIDE_VECTORS
static uint64_t unpack_column(const int64_t *restrict packed, uint32_t bins, int64_t *restrict out)
{
    uint64_t added = 0;

    for (uint32_t b = 0; b < bins; b++) {
        const int64_t hessian = (int64_t)((uint64_t)packed[b] & UINT32_MAX);
        const int64_t gradient = (packed[b] - hessian) >> 32;

        out[2 * b] = words_add(out[2 * b], gradient);
        out[2 * b + 1] = words_add(out[2 * b + 1], hessian);
        added += (uint64_t)(gradient + hessian);
    }
    return added;
}

uint64_t tree_rows_unpack(const struct tree_layout *layout, uint32_t piece, int64_t *sums,
                          int64_t *histogram)
{
    const struct tree_bins *bins = layout->bins;
    const bool is_wide = piece >= layout->group_count;
    const uint32_t first = is_wide ? column_of_piece(layout, piece) : piece * layout->group_columns;
    const uint32_t columns = is_wide ? 1 : layout->group_columns;
    const uint32_t end = is_wide ? bins->column_count : tree_bins_narrow(bins);
    uint64_t added = 0;

    for (uint32_t c = 0; c < columns && first + c < end; c++)
        added += unpack_column(sums + (size_t)c * TREE_BINS_MAX, bins->columns[first + c].bins,
                               histogram + 2 * (size_t)bins->offsets[first + c]);
    memset(sums, 0, (is_wide ? bins->columns[first].bins : columns * TREE_BINS_MAX) * sizeof *sums);
    return added;
}

uint64_t tree_rows_unpack_columns(uint32_t bins, int64_t *sums, int64_t *histogram)
{
    const uint64_t added = unpack_column(sums, bins, histogram);

    memset(sums, 0, ((size_t)bins + TREE_BINS_MAX) * sizeof *sums);
    return added;
}

/* ---- leaves ---- */

/* Makes whole numbers of 1 / scale; 0 for rows that the tree is not grown from. */
WIDE_VECTORS
static void fix_rows(const float *restrict numbers, const uint32_t *restrict keys, uint32_t count,
                     const struct tree_sampling *sampling, double scale, int32_t *restrict fixed)
{
    const double shifter = 0x1.8p52; /* a double as large has whole numbers in its low bits */
    const bool takes_all = sampling->threshold > UINT32_MAX;
    const uint32_t threshold = (uint32_t)sampling->threshold, tree = sampling->bits;

    for (uint32_t i = 0; i < count; i++)
        fixed[i] = (int32_t)(uint32_t)double_bits((double)numbers[i] * scale + shifter);
    for (uint32_t i = 0; !takes_all && i < count; i++)
        fixed[i] = row_bits(keys[i], tree) < threshold ? fixed[i] : 0;
}

void tree_rows_exact(const struct tree_rows *lane, const uint32_t *leaves, uint32_t leaf_count,
                     uint32_t output, const struct tree_sampling *sampling, const int exponents[2],
                     int64_t *sums)
{
    const double scales[2] = {ldexp(1, exponents[0]), ldexp(1, exponents[1])};
    int32_t gradients[TREE_BLOCK_ROWS], hessians[TREE_BLOCK_ROWS];

    for (uint32_t block = 0; block < lane->blocks; block++) {
        const size_t start = (size_t)block * TREE_BLOCK_ROWS;
        const size_t of_output = (size_t)output * lane->rows + start;
        const uint32_t rows = block_rows(lane, block);

        fix_rows(lane->gradients + of_output, lane->keys + start, rows, sampling, scales[0],
                 gradients);
        fix_rows(lane->hessians + of_output, lane->keys + start, rows, sampling, scales[1],
                 hessians);
        for (uint32_t leaf = 0; leaf < leaf_count; leaf++) {
            const struct tree_run *run = tree_rows_run(lane, leaves[leaf], block);
            const uint16_t *order = lane->order + start + run->first;
            int64_t gradient = 0, hessian = 0;

            for (uint32_t i = 0; i < run->count; i++) {
                gradient += gradients[order[i]];
                hessian += hessians[order[i]];
            }
            sums[2 * leaf] += gradient;
            sums[2 * leaf + 1] += hessian;
        }
    }
}

void tree_rows_count_residuals(const struct tree_rows *lane, uint32_t node, uint32_t output,
                               const struct tree_sampling *sampling,
                               const struct tree_objective *objective,
                               const struct leaf_quantiles *search, uint32_t leaf, int64_t *counts)
{
    const float *residuals = lane->residuals + (size_t)output * lane->rows;

    for (uint32_t block = 0; block < lane->blocks; block++) {
        const struct tree_run *run = tree_rows_run(lane, node, block);
        const size_t start = (size_t)block * TREE_BLOCK_ROWS;

        for (uint32_t i = run->first; i < (uint32_t)run->first + run->count; i++) {
            const size_t row = start + lane->order[start + i];

            if (row_bits(lane->keys[row], sampling->bits) >= sampling->threshold)
                continue;
            leaf_quantiles_count(search, leaf, residuals[row],
                                 tree_objective_count(objective, lane->values[row],
                                                      lane->weights ? &lane->weights[row] : NULL),
                                 counts);
        }
    }
}
