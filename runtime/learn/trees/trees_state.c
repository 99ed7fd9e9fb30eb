#include "runtime/learn/trees/trees_state.h"

#include <stdlib.h>

#include "base/words.h"
#include "runtime/learn/trees/trees_lanes.h"
#include "runtime/learn/trees/trees_phases.h"

#define ARRAYS 10

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

static void list_arrays(const struct tree_forest *forest, const struct growing_tree *growing,
                        const struct leaf_quantiles *quantiles, struct tree_risk *risks,
                        uint32_t risk_count, struct state_array list[ARRAYS])
{
    list[0] = (struct state_array){forest->trees, forest->tree_count * sizeof *forest->trees};
    list[1] = (struct state_array){forest->nodes, forest->node_count * sizeof *forest->nodes};
    list[2] = (struct state_array){forest->sets, forest->set_count * sizeof *forest->sets};
    list[3] = (struct state_array){growing->nodes, growing->node_count * sizeof *growing->nodes};
    list[4] =
        (struct state_array){growing->divided, growing->divided_count * sizeof *growing->divided};
    list[5] = (struct state_array){growing->frontier,
                                   growing->frontier_count * sizeof *growing->frontier};
    list[6] = (struct state_array){growing->free_slots,
                                   growing->free_count * sizeof *growing->free_slots};
    list[7] = (struct state_array){growing->histograms, (uint64_t)growing->slot_count *
                                                            growing->total_bins *
                                                            sizeof *growing->histograms};
    list[8] =
        (struct state_array){quantiles->searches, quantiles->leaves * sizeof *quantiles->searches};
    list[9] = (struct state_array){risks, risk_count * sizeof *risks};
}

static void list_own(const struct trees *trees, struct state_array list[ARRAYS])
{
    list_arrays(&trees->forest, &trees->growing, &trees->quantiles, trees->objective.risks.risks,
                trees->objective.risks.count, list);
}

static void list_taken(const struct trees *trees, struct state_array list[ARRAYS])
{
    const struct trees_taking *taking = &trees->taking;

    list_arrays(&taking->forest, &taking->growing, &taking->quantiles, taking->risks,
                trees->objective.risks.count, list);
}

uint64_t trees_state_bytes(const void *self)
{
    const struct trees *trees = self;
    struct state_array list[ARRAYS];

    list_own(trees, list);
    return state_arrays_bytes(list, ARRAYS);
}

void trees_state_read(const void *self, uint64_t offset, size_t size, char *bytes)
{
    const struct trees *trees = self;
    struct state_array list[ARRAYS];

    list_own(trees, list);
    state_arrays_read(list, ARRAYS, offset, size, bytes);
}

void trees_put_progress(const struct trees_progress *progress, bool ranks, struct text *out)
{
    put_u64(out, progress->phase.number);
    put_u32(out, progress->phase.kind);
    put_u64(out, progress->phase.step);
    put_u32(out, progress->stage);
    put_u32(out, progress->round);
    put_u32(out, progress->tree);
    put_f64(out, (double)progress->gradient_greatest);
    put_f64(out, (double)progress->hessian_greatest);
    put_u32(out, progress->top_key);
    put_u64(out, progress->sampled);
    put_f64(out, progress->best_loss);
    put_u32(out, progress->best_rounds);
    if (ranks) {
        put_f64(out, progress->kept_loss);
        put_f64(out, progress->kept_held_out);
    }
    put_u64(out, progress->trail);
}

enum status trees_state_head(const void *self, struct text *head, struct error *err)
{
    const struct trees *trees = self;
    const struct growing_tree *growing = &trees->growing;
    const size_t start = state_head_begin(trees->fingerprint, head);
    struct state_array list[ARRAYS];

    list_own(trees, list);
    trees_put_progress(&trees->progress, trees_rank(trees->objective.name), head);
    put_u32(head, trees->forest.tree_count);
    put_u32(head, trees->forest.node_count);
    put_u32(head, trees->forest.set_count);
    put_u64(head, growing->number);
    put_f64(head, growing->units.gradient);
    put_f64(head, growing->units.hessian);
    put_f64(head, growing->units.rows_of_hessian);
    put_u32(head, growing->node_count);
    put_u32(head, growing->divided_count);
    put_u32(head, growing->batch_count);
    put_u32(head, growing->frontier_count);
    put_u32(head, growing->leaves);
    put_u32(head, growing->slot_count);
    put_u32(head, growing->free_count);
    put_u32(head, trees->quantiles.leaves);
    put_u32(head, trees->quantiles.bits);
    put_u64(head, state_arrays_hash(list, ARRAYS));
    return state_head_end(head, start, err);
}

/* ---- taking ---- */

static bool is_possible(const struct trees *trees, const struct trees_progress *progress)
{
    const bool is_done = progress->phase.kind == PHASE_DONE;

    if (progress->phase.kind != PHASE_LEARN && !is_done)
        return false;
    if (progress->stage >= TREES_STAGES || progress->round > trees->params.rounds ||
        progress->tree >= trees->trees_each || progress->best_rounds > progress->round)
        return false;
    if (progress->stage == TREES_RISKS && trees->objective.name != TREE_COX)
        return false;
    if (progress->stage != TREES_GRADIENTS && progress->stage != TREES_RISKS &&
        !(progress->gradient_greatest > 0 && progress->hessian_greatest > 0))
        return false;
    return is_done ? progress->stage == TREES_GRADIENTS
                   : progress->stage <= TREES_GRADIENTS || progress->round < trees->params.rounds;
}

static enum status read_progress(const struct trees *trees, struct byte_reader *head,
                                 struct trees_progress *progress, struct error *err)
{
    *progress = (struct trees_progress){.phase.number = read_u64(head)};
    progress->phase.kind = (enum phase_kind)read_u32(head);
    progress->phase.step = read_u64(head);
    progress->stage = (enum trees_stage)read_u32(head);
    progress->round = read_u32(head);
    progress->tree = read_u32(head);
    progress->gradient_greatest = (float)read_f64(head);
    progress->hessian_greatest = (float)read_f64(head);
    progress->top_key = read_u32(head);
    progress->sampled = read_u64(head);
    progress->best_loss = read_f64(head);
    progress->best_rounds = read_u32(head);
    if (trees_rank(trees->objective.name)) {
        progress->kept_loss = read_f64(head);
        progress->kept_held_out = read_f64(head);
    }
    progress->trail = read_u64(head);
    if (head->failed || !is_possible(trees, progress))
        return state_corrupt(err, "its place in the job does not exist");
    return STATUS_OK;
}

void trees_take_abandon(void *self)
{
    struct trees *trees = self;

    tree_forest_deinit(&trees->taking.forest);
    tree_growth_deinit(&trees->taking.growing);
    leaf_quantiles_deinit(&trees->taking.quantiles);
    free(trees->taking.risks);
    trees->taking = (struct trees_taking){.is_active = false};
}

static enum status read_forest(const struct trees *trees, struct byte_reader *head,
                               struct trees_taking *taking, struct error *err)
{
    const struct trees_progress *progress = &taking->progress;
    const uint32_t tree_count = read_u32(head), nodes = read_u32(head), sets = read_u32(head);

    if (head->failed ||
        tree_count != (uint64_t)progress->round * trees->trees_each + progress->tree ||
        nodes < tree_count || sets / (TREE_LIST_WORDS / FOREST_LIST_BINS) > nodes)
        return state_corrupt(err, "it has other trees than its place says");
    return tree_forest_resize(&taking->forest, tree_count, nodes, sets, err);
}

static enum status read_growing(const struct trees *trees, struct byte_reader *head,
                                struct trees_taking *taking, struct error *err)
{
    struct growing_tree *growing = &taking->growing;
    struct tree_units units;
    uint32_t nodes, divided, batch, frontier, leaves, slots, free_slots;
    uint64_t number;

    number = read_u64(head);
    units.gradient = read_f64(head);
    units.hessian = read_f64(head);
    units.rows_of_hessian = read_f64(head);
    nodes = read_u32(head);
    divided = read_u32(head);
    batch = read_u32(head);
    frontier = read_u32(head);
    leaves = read_u32(head);
    slots = read_u32(head);
    free_slots = read_u32(head);
    if (head->failed || nodes > TREES_NODES_MAX || divided > nodes || batch > divided ||
        frontier > nodes || leaves > nodes || slots > nodes || free_slots > slots)
        return state_corrupt(err, "its growing tree does not exist");
    TRY(tree_growth_init(growing, &trees->bins, &trees->constraints, &trees->params,
                         trees->spec->seed, trees->growing.limits.batch, err));
    TRY(tree_growth_resize(growing, nodes, divided, frontier, slots, free_slots, err));
    tree_growth_resume(growing, number, units, leaves, batch);
    return STATUS_OK;
}

static enum status read_quantiles(const struct trees *trees, struct byte_reader *head,
                                  struct trees_taking *taking, struct error *err)
{
    const bool is_stage = taking->progress.stage == TREES_QUANTILES;
    const bool is_goss = taking->progress.stage == TREES_GOSS;
    const uint32_t leaves = read_u32(head), bits = read_u32(head);
    const uint32_t output = taking->progress.tree % trees->outputs;
    const double quantile = is_goss      ? 1 - trees->params.top_rate
                            : leaves > 0 ? trees_quantile(&trees->params, output)
                                         : 0;

    if (head->failed ||
        leaves != (is_stage  ? taking->growing.leaves
                   : is_goss ? 1
                             : 0) ||
        (is_stage && !trees_have_quantiles(trees->objective.name)) ||
        (is_goss && !trees_round_is_goss(&trees->params, taking->progress.round)))
        return state_corrupt(err, "its leaves have no quantiles");
    TRY(leaf_quantiles_begin(&taking->quantiles, quantile, tree_objective_weighs(&trees->objective),
                             leaves, err));
    if (!leaf_quantiles_resume(&taking->quantiles, bits))
        return state_corrupt(err, "its leaves' quantiles are not looked for like that");
    return STATUS_OK;
}

static enum status reserve_risks(const struct trees *trees, struct trees_taking *taking,
                                 struct error *err)
{
    const uint32_t count = trees->objective.risks.count;

    if (count == 0)
        return STATUS_OK;
    taking->risks = calloc(count, sizeof *taking->risks);
    return taking->risks ? STATUS_OK : fail_no_memory(err);
}

enum status trees_take_begin(void *self, struct slice head, uint64_t body_bytes, struct error *err)
{
    struct trees *trees = self;
    struct trees_taking *taking = &trees->taking;
    struct state_array list[ARRAYS];
    struct byte_reader reader;

    trees_take_abandon(trees);
    TRY(state_head_open(head, trees->fingerprint, &reader, err));
    if (read_progress(trees, &reader, &taking->progress, err) != STATUS_OK ||
        read_forest(trees, &reader, taking, err) != STATUS_OK ||
        read_growing(trees, &reader, taking, err) != STATUS_OK ||
        read_quantiles(trees, &reader, taking, err) != STATUS_OK ||
        reserve_risks(trees, taking, err) != STATUS_OK) {
        trees_take_abandon(trees);
        return err->status;
    }
    taking->body_hash = read_u64(&reader);
    list_taken(trees, list);
    if (!reader_is_done(&reader) || body_bytes != state_arrays_bytes(list, ARRAYS)) {
        trees_take_abandon(trees);
        return state_corrupt(err, "it has another size");
    }
    taking->is_active = true;
    return STATUS_OK;
}

void trees_take_piece(void *self, uint64_t offset, struct slice bytes)
{
    struct trees *trees = self;
    struct state_array list[ARRAYS];

    if (!trees->taking.is_active)
        return;
    list_taken(trees, list);
    state_arrays_write(list, ARRAYS, offset, bytes);
}

enum status trees_take_end(void *self, struct error *err)
{
    struct trees *trees = self;
    struct trees_taking *taking = &trees->taking;
    struct state_array list[ARRAYS];

    if (!taking->is_active)
        return state_corrupt(err, "it has no head");
    list_taken(trees, list);
    if (state_arrays_hash(list, ARRAYS) != taking->body_hash) {
        trees_take_abandon(trees);
        return state_corrupt(err, "its checksum does not match its bytes");
    }
    tree_forest_deinit(&trees->forest);
    tree_growth_deinit(&trees->growing);
    leaf_quantiles_deinit(&trees->quantiles);
    trees->forest = taking->forest;
    trees->growing = taking->growing;
    trees->quantiles = taking->quantiles;
    if (taking->risks) {
        free(trees->objective.risks.risks);
        trees->objective.risks.risks = taking->risks;
    }
    trees->progress = taking->progress;
    *taking = (struct trees_taking){.is_active = false};
    measuring_deinit(&trees->measuring);
    trees_describe_phase(trees);
    tree_forest_guard(&trees->forest);
    trees_guard_state(trees);
    trees_forget_scores(trees);
    return STATUS_OK;
}

/* ---- what only the learner writes ---- */

static uint32_t sum_of_risks(const struct tree_risks *risks)
{
    return words_sum(risks->risks,
                     (size_t)risks->count * (sizeof *risks->risks / sizeof(uint32_t))) +
           words_mix_one(words_sum(risks->times, risks->count));
}

static uint32_t sum_of_searches(const struct leaf_quantiles *quantiles)
{
    return words_sum(quantiles->searches,
                     (size_t)quantiles->leaves * sizeof(struct leaf_search) / sizeof(uint32_t));
}

void trees_guard_state(struct trees *trees)
{
    trees->guard.base = words_sum(trees->base, trees->outputs);
    trees->guard.quantiles = sum_of_searches(&trees->quantiles);
    trees->guard.risks = sum_of_risks(&trees->objective.risks);
}

enum status trees_verify_growing(const struct trees *trees, struct error *err)
{
    if (words_sum(trees->base, trees->outputs) != trees->guard.base ||
        sum_of_searches(&trees->quantiles) != trees->guard.quantiles ||
        sum_of_risks(&trees->objective.risks) != trees->guard.risks)
        return memory_damaged(err, "the trees");
    return STATUS_OK;
}

enum status trees_verify_grown(const struct trees *trees, uint32_t first, uint32_t end,
                               struct error *err)
{
    return tree_forest_is_intact(&trees->forest, first, end) ? STATUS_OK
                                                             : memory_damaged(err, "the trees");
}

enum status trees_verify(const void *self, struct error *err)
{
    const struct trees *trees = self;

    TRY(trees_verify_growing(trees, err));
    return trees_verify_grown(trees, 0, trees->forest.tree_count, err);
}
