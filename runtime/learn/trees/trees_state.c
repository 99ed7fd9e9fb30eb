#include "runtime/learn/trees/trees_state.h"

#include <string.h>

#include "base/sums/words.h"
#include "runtime/learn/trees/trees_lanes.h"
#include "runtime/learn/trees/trees_phases.h"

/* The arrays of the state, in their order. */
enum {
    FOREST_TREES,
    FOREST_NODES,
    FOREST_SETS,
    GROWING_NODES,
    GROWING_DIVIDED,
    GROWING_FRONTIER,
    GROWING_FREE_SLOTS,
    GROWING_WORDS,
    GROWING_HISTOGRAMS,
    QUANTILE_SEARCHES,
    RISKS,
    ARRAYS
};

FIELD_TABLE(trees_progress_fields_of, struct trees_progress, TREES_FIELDS)

struct field_table trees_progress_fields(void)
{
    return trees_progress_fields_of();
}

/* Equal states have equal bytes, so no array has padding. */
_Static_assert(sizeof(struct tree_split) == sizeof(double) + sizeof(uint32_t) + 4 +
                                                TREE_LIST_WORDS * sizeof(uint16_t) +
                                                2 * sizeof(struct tree_sums),
               "a split has no padding");
_Static_assert(sizeof(struct tree_node) == sizeof(struct tree_sums) + sizeof(struct tree_split) +
                                               sizeof(struct tree_bounds) + 2 * sizeof(uint64_t) +
                                               4 * sizeof(uint32_t) + 8,
               "a node has no padding");

_Static_assert(sizeof(struct leaf_search) == 3 * sizeof(uint64_t) + 2 * sizeof(uint32_t),
               "a leaf's search has no padding");

_Static_assert(sizeof(struct tree_risk) == 4 * sizeof(double), "a risk has no padding");

/* Grown trees only become more, and are summed as they are added. The growing one may be large, and
 * each phase changes some of it: tree_growth_take compares its histograms with what was split. */
uint32_t trees_arrays(void *self, struct learner_array list[LEARNER_ARRAYS_MAX])
{
    struct trees *trees = self;
    struct tree_forest *forest = &trees->forest;
    struct growing_tree *growing = &trees->growing;
    struct tree_risks *risks = &trees->objective.risks;
    const unsigned grown = LEARNER_SIZED | LEARNER_APPENDED, grows = LEARNER_SIZED | LEARNER_OWN;
    const struct learner_array arrays[ARRAYS] = {
        {(void **)&forest->trees, forest->tree_count * sizeof *forest->trees, grown, "the trees",
         NULL},
        {(void **)&forest->nodes, forest->node_count * sizeof *forest->nodes, grown, "the trees",
         "weights"},
        {(void **)&forest->sets, forest->set_count * sizeof *forest->sets, grown, "the trees",
         NULL},
        {(void **)&growing->nodes, growing->node_count * sizeof *growing->nodes, grows,
         "the growing tree", NULL},
        {(void **)&growing->divided, growing->divided_count * sizeof *growing->divided, grows,
         "the growing tree", NULL},
        {(void **)&growing->frontier, growing->frontier_count * sizeof *growing->frontier, grows,
         "the growing tree", NULL},
        {(void **)&growing->free_slots, growing->free_count * sizeof *growing->free_slots, grows,
         "the growing tree", NULL},
        {(void **)&growing->words, growing->word_count * sizeof *growing->words, grows,
         "the growing tree", NULL},
        {(void **)&growing->histograms,
         (uint64_t)growing->slot_count * growing->total_bins * sizeof *growing->histograms, grows,
         "the growing tree", "histograms"},
        {(void **)&trees->quantiles.searches,
         trees->quantiles.leaves * sizeof *trees->quantiles.searches, LEARNER_SIZED | LEARNER_USED,
         "the trees", "quantiles"},
        {(void **)&risks->risks, risks->count * sizeof *risks->risks, LEARNER_USED, "the trees",
         "risks"},
    };

    memcpy(list, arrays, sizeof arrays);
    return ARRAYS;
}

void trees_note_growing(struct trees *trees)
{
    const struct growing_tree *growing = &trees->growing;
    struct trees_progress *progress = &trees->progress;

    progress->number = growing->number;
    progress->gradient_unit = growing->units.gradient;
    progress->hessian_unit = growing->units.hessian;
    progress->rows_of_hessian = growing->units.rows_of_hessian;
    progress->dispersion = growing->units.dispersion;
    progress->leaves = growing->leaves;
    progress->batch = growing->batch_count;
    progress->key_bits = trees->quantiles.bits;
}

/* ---- taking ---- */

/* How many elements of that size an array that comes has; UINT32_MAX: no whole number of them. */
static uint32_t count_of(const struct learner_taking *coming, uint32_t array, size_t size)
{
    const uint64_t bytes = coming->bytes[array];

    return bytes % size == 0 && bytes / size < UINT32_MAX ? (uint32_t)(bytes / size) : UINT32_MAX;
}

struct tree_counts {
    uint32_t trees, nodes, sets;
    struct growing_counts growing;
    uint32_t searches;
};

static struct tree_counts counts_of(const struct trees *trees, const struct learner_taking *coming)
{
    const struct growing_tree *growing = &trees->growing;

    return (struct tree_counts){
        .trees = count_of(coming, FOREST_TREES, sizeof *trees->forest.trees),
        .nodes = count_of(coming, FOREST_NODES, sizeof *trees->forest.nodes),
        .sets = count_of(coming, FOREST_SETS, sizeof *trees->forest.sets),
        .growing = {.nodes = count_of(coming, GROWING_NODES, sizeof *growing->nodes),
                    .divided = count_of(coming, GROWING_DIVIDED, sizeof *growing->divided),
                    .frontier = count_of(coming, GROWING_FRONTIER, sizeof *growing->frontier),
                    .free_slots = count_of(coming, GROWING_FREE_SLOTS, sizeof *growing->free_slots),
                    .words = count_of(coming, GROWING_WORDS, sizeof *growing->words),
                    .slots = count_of(coming, GROWING_HISTOGRAMS,
                                      growing->total_bins * sizeof *growing->histograms)},
        .searches = count_of(coming, QUANTILE_SEARCHES, sizeof *trees->quantiles.searches),
    };
}

static bool is_place(const struct trees *trees, const struct phase *phase,
                     const struct trees_progress *progress)
{
    const bool is_done = phase->kind == PHASE_DONE;

    if (phase->kind != PHASE_LEARN && !is_done)
        return false;
    if (progress->round > trees->params.rounds || progress->tree >= trees->trees_each ||
        progress->best_rounds > progress->round)
        return false;
    if (progress->stage == TREES_RISKS && trees->objective.name != TREE_COX)
        return false;
    if (progress->stage != TREES_GRADIENTS && progress->stage != TREES_RISKS &&
        !(progress->gradient_greatest > 0 && progress->hessian_greatest > 0))
        return false;
    return is_done ? progress->stage == TREES_GRADIENTS
                   : progress->stage <= TREES_GRADIENTS || progress->round < trees->params.rounds;
}

static bool has_trees(const struct trees *trees, const struct trees_progress *progress,
                      const struct tree_counts *counts)
{
    return counts->trees == (uint64_t)progress->round * trees->trees_each + progress->tree &&
           counts->trees <= TREES_MAX && counts->nodes >= counts->trees &&
           counts->nodes <= TREES_NODES_MAX && counts->sets <= TREES_NODES_MAX &&
           counts->sets / (TREE_WIDE_BINS_MAX / FOREST_LIST_BINS) <= counts->nodes;
}

static bool has_growing(const struct trees_progress *progress, const struct growing_counts *counts)
{
    return counts->nodes <= TREES_NODES_MAX && counts->divided <= counts->nodes &&
           progress->batch <= counts->divided && counts->frontier <= counts->nodes &&
           progress->leaves <= counts->nodes && counts->slots <= counts->nodes &&
           counts->free_slots <= counts->slots &&
           counts->words / TREE_WIDE_BINS_MAX <= counts->nodes;
}

static bool has_searches(const struct trees *trees, const struct trees_progress *progress,
                         uint32_t searches)
{
    const bool is_stage = progress->stage == TREES_QUANTILES;
    const bool is_goss = progress->stage == TREES_GOSS;

    if (searches != (is_stage ? progress->leaves : is_goss ? 1 : 0))
        return false;
    if (is_stage && !trees_have_quantiles(trees->objective.name))
        return false;
    return (!is_goss || trees_round_is_goss(&trees->params, progress->round)) &&
           leaf_quantiles_can_have(searches, progress->key_bits);
}

bool trees_is_possible(const void *self, const struct learner_taking *coming)
{
    const struct trees *trees = self;
    const struct trees_progress *progress = coming->progress;
    const struct tree_counts counts = counts_of(trees, coming);

    return is_place(trees, &coming->phase, progress) && has_trees(trees, progress, &counts) &&
           has_growing(progress, &counts.growing) && has_searches(trees, progress, counts.searches);
}

static double quantile_of(const struct trees *trees, uint32_t searches)
{
    if (trees->progress.stage == TREES_GOSS)
        return 1 - trees->params.top_rate;
    return searches > 0 ? trees_quantile(&trees->params, trees_output(trees)) : 0;
}

static enum status enter_taken(struct trees *trees, const struct learner_taking *taken,
                               struct error *err)
{
    const struct trees_progress *progress = &trees->progress;
    const struct tree_counts counts = counts_of(trees, taken);
    const struct tree_units units = {progress->gradient_unit, progress->hessian_unit,
                                     progress->rows_of_hessian, progress->dispersion};

    TRY(tree_forest_adopt(&trees->forest, counts.trees, counts.nodes, counts.sets, err));
    tree_growth_adopt(&trees->growing, &counts.growing);
    tree_growth_resume(&trees->growing, progress->number, units, progress->leaves, progress->batch);
    leaf_quantiles_adopt(&trees->quantiles, quantile_of(trees, counts.searches),
                         tree_objective_weighs(&trees->objective), counts.searches,
                         progress->key_bits);
    trees_forget_scores(trees);
    return STATUS_OK;
}

static uint32_t sum_of_constants(const struct trees *trees)
{
    const struct tree_risks *risks = &trees->objective.risks;

    return words_sum(trees->base, trees->outputs) +
           words_mix_one(words_sum(risks->times, risks->count));
}

enum status trees_enter(void *self, const struct learner_taking *taken, struct error *err)
{
    struct trees *trees = self;

    trees->constants = sum_of_constants(trees);
    if (taken)
        return enter_taken(trees, taken, err);
    TRY(tree_forest_resize(&trees->forest, 0, 0, 0, err));
    TRY(tree_growth_resize(&trees->growing, 0, 0, 0, 0, 0, err));
    trees->growing.number = 0; /* the fields of equal states are equal */
    trees->growing.units = (struct tree_units){.gradient = 0};
    trees->growing.leaves = trees->growing.batch_count = 0;
    TRY(leaf_quantiles_begin(&trees->quantiles, 0, false, 0, err));
    trees->progress.stage = trees_first_stage(trees);
    trees_forget_scores(trees);
    return STATUS_OK;
}

/* ---- what only the learner writes ---- */

enum status trees_verify_grown(const struct trees *trees, uint32_t first, uint32_t end,
                               struct error *err)
{
    return tree_forest_is_intact(&trees->forest, first, end) ? STATUS_OK
                                                             : memory_damaged(err, "the trees");
}

enum status trees_verify(const void *self, enum learner_look look, const struct touched_rows *rows,
                         struct error *err)
{
    const struct trees *trees = self;
    (void)rows;

    if (sum_of_constants(trees) != trees->constants)
        return memory_damaged(err, "the trees");
    return look == LOOK_AT_READ ? STATUS_OK
                                : trees_verify_grown(trees, 0, trees->forest.tree_count, err);
}
