#include "runtime/learn/trees/trees_phases.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "runtime/learn/trees/trees_state.h"
#include "scoring/numbers/elementary.h"

#define GRADIENT_MOST  32766 /* size of an integer gradient, before rounding */
#define HESSIAN_MOST   65534
#define LEAF_BITS      30     /* bits of the greatest gradient in a leaf's sum */
#define GREATEST_LEAST 1e-30f /* so that scales are finite */

/* ---- the plan ---- */

uint32_t trees_histogram_elements(const struct trees *trees)
{
    return 2 * tree_growth_node_bins(&trees->growing);
}

void trees_describe(void *self)
{
    struct trees *trees = self;
    struct phase *phase = &trees->learner.phase;

    phase->epoch = trees->progress.round;
    if (phase->kind == PHASE_DONE)
        return;
    phase->rows = trees->learner.dataset->train.rows;
    switch ((enum trees_stage)trees->progress.stage) {
    case TREES_GRADIENTS:
        phase->integer_count = TREES_GRADIENTS_INTEGERS;
        if (trees_measure_round(trees)) {
            phase->integer_count += round_metrics_integers(&trees->metrics);
            phase->owned_count = round_metrics_score_count(&trees->metrics);
        }
        break;
    case TREES_ROOT:
        phase->integer_count = tree_growth_has_long_sets(&trees->growing) ? 2 : 1;
        phase->owned_count = 2 * tree_growth_root_bins(&trees->growing);
        break;
    case TREES_SPLIT:
        phase->integer_count = trees->growing.batch_count;
        phase->owned_count = trees->growing.batch_count * trees_histogram_elements(trees);
        break;
    case TREES_LEAVES:
        phase->integer_count = 2 * trees->growing.leaves;
        break;
    case TREES_RISKS:
        phase->owned_count = trees_risk_integers(trees);
        break;
    case TREES_QUANTILES:
    case TREES_GOSS:
        phase->owned_count = leaf_quantiles_counts(&trees->quantiles);
        break;
    case TREES_STAGES:
        break;
    }
}

enum trees_stage trees_first_stage(const struct trees *trees)
{
    return trees->objective.name == TREE_COX ? TREES_RISKS : TREES_GRADIENTS;
}

/* The greatest power of two by which nothing exceeds `most`: derivatives of 1, of 1/4, or of
 * weights that are whole numbers become integers without being rounded. */
static double exact_scale(double most, double greatest)
{
    int bits;

    (void)frexp(most / greatest, &bits);
    return ldexp(1, bits - 1);
}

/* Hessians that are weights are counted by the least weight of all, if there is room: those that
 * are multiples of it become integers without being rounded, whatever their unit is. */
static double weights_scale(const struct trees *trees, double most)
{
    const struct dataset *dataset = trees->learner.dataset;
    const uint32_t column = dataset->role_columns[ROLE_SAMPLE_WEIGHT];
    const double least = column > 0 ? dataset->spool.summaries[column].least : 1;
    const double greatest = trees->progress.hessian_greatest;
    const double scale = least > 0 ? exact_scale(most, greatest / least) : 0;

    return scale >= 1 ? scale / least : exact_scale(most, greatest);
}

struct tree_sampling trees_sampling(const struct trees *trees)
{
    const struct trees_progress *progress = &trees->progress;
    const bool has_signs = tree_objective_has_unit_gradients(&trees->objective);
    const bool has_weights = has_signs || tree_objective_has_unit_hessians(&trees->objective);
    const double hessian_most = has_signs ? GRADIENT_MOST : HESSIAN_MOST;
    const double hessian_scale = has_weights
                                     ? weights_scale(trees, hessian_most)
                                     : exact_scale(hessian_most, progress->hessian_greatest);

    return (struct tree_sampling){
        .bits = (uint32_t)random_bits(trees->learner.spec->seed, RANDOM_TREE,
                                      trees_number_of_growing(trees), 0),
        .threshold = (uint64_t)(trees->params.subsample * 0x1p32),
        .gradient_scale = has_signs ? hessian_scale : GRADIENT_MOST / progress->gradient_greatest,
        .hessian_scale = hessian_scale,
        .gradient_draw = TREE_DRAW_ALL,
        .hessian_draw = has_weights ? TREE_DRAW_EXACT : TREE_DRAW_ALL,
        .has_signs = has_signs,
    };
}

static int exponent_of(double greatest)
{
    int bits;

    (void)frexp(greatest, &bits);
    return LEAF_BITS - bits;
}

void trees_exponents(const struct trees *trees, int exponents[2])
{
    exponents[0] = exponent_of(trees->progress.gradient_greatest);
    exponents[1] = exponent_of(trees->progress.hessian_greatest);
}

void trees_list_leaves(const struct growing_tree *tree, uint32_t *leaves)
{
    uint32_t count = 0;

    for (uint32_t node = 0; node < tree->node_count; node++)
        if (tree->nodes[node].is_reached && !tree->nodes[node].is_inner)
            leaves[count++] = node;
}

/* ---- apply ---- */

static void note(struct trees *trees, uint64_t bits)
{
    trees->progress.trail = (trees->progress.trail ^ bits) * 0x9e3779b97f4a7c15u;
    trees->progress.trail ^= trees->progress.trail >> 29;
}

/* A bound that no gradient of so many lanes exceeds. */
static float greatest_of_levels(const int64_t *levels)
{
    uint32_t level = TREES_LEVELS - 1;
    float bound;

    while (level > 0 && levels[level] == 0)
        level--;
    bound = float_of((level + 1) << TREES_LEVEL_SHIFT);
    return bound > GREATEST_LEAST ? bound : GREATEST_LEAST;
}

/* The loss of training rows is a mean over this weight: of survival:cox the events, of rankings the
 * groups. */
static double weight_of_rows(const struct trees *trees, const int64_t *integers)
{
    const struct dataset *dataset = trees->learner.dataset;
    const double rows = (double)dataset->train.rows;

    if (trees_rank(trees->objective.name))
        return (double)integers[TREES_TRAIN_HITS];
    if (trees->objective.name == TREE_COX)
        return integers[TREES_TRAIN_HITS] > 0 ? (double)integers[TREES_TRAIN_HITS] : 1;
    return rows * (dataset->weight_average > 0 ? dataset->weight_average : 1) *
           (dataset->class_weight_average > 0 ? dataset->class_weight_average : 1);
}

static double score_of(const struct trees *trees, int64_t hits, double loss)
{
    const double held_out = (double)trees->learner.dataset->validation.rows;

    if (trees_rank(trees->objective.name))
        return 1 - loss;
    if (trees->objective.name == TREE_COX)
        return NAN;
    if (trees->learner.spec->task == TASK_CLASSIFICATION)
        return (double)hits / held_out;
    return sqrt(trees->objective.square_unit > 0
                    ? (double)hits * trees->objective.square_unit / held_out
                    : loss);
}

/* They are all that is measured of a ranking. */
static void keep_losses(struct trees *trees, double train, double held_out)
{
    if (!trees_rank(trees->objective.name))
        return;
    trees->progress.kept_loss = train;
    trees->progress.kept_held_out = held_out;
}

/* The metrics that the statement names. */
static enum status report_metrics(const struct trees *trees, const struct phase_totals *totals,
                                  struct learner_report *report, struct error *err)
{
    report->metric_count = trees->metrics.count;
    return trees->metrics.count > 0
               ? round_metrics_values(&trees->metrics, totals->integers + TREES_GRADIENTS_INTEGERS,
                                      totals->owned, report->train_metrics,
                                      report->validation_metrics, err)
               : STATUS_OK;
}

/* Early stopping goes by this, the less the better: the last metric that is named, else the loss.
 * NaN: nothing is known of the round. */
static double goodness(const struct trees *trees, const struct learner_report *report)
{
    const uint32_t count = report->metric_count;

    if (count == 0)
        return report->validation_loss;
    return metric_is_loss(trees->metrics.measures[count - 1].metric)
               ? report->validation_metrics[count - 1]
               : -report->validation_metrics[count - 1];
}

static void report_round(struct trees *trees, const int64_t *integers,
                         struct learner_report *report)
{
    struct trees_progress *progress = &trees->progress;
    const double unit = trees->objective.loss_unit;
    const int64_t held_out_hits = integers[TREES_HELD_OUT_HITS];
    const double held_out = trees->objective.name == TREE_COX || trees_rank(trees->objective.name)
                                ? (double)held_out_hits
                                : (double)trees->learner.dataset->validation.rows;

    report->step_applied = report->epoch_ended = true;
    report->rows_applied = trees->learner.dataset->train.rows;
    report->epoch = progress->round;
    report->train_loss =
        (double)integers[TREES_TRAIN_LOSS] * unit / weight_of_rows(trees, integers);
    trees->learner.phase.step = progress->round;
    if (held_out == 0) {
        keep_losses(trees, report->train_loss, NAN);
        return;
    }
    report->evaluated = true;
    report->validation_loss = (double)integers[TREES_HELD_OUT_LOSS] * unit / held_out;
    report->validation_score = score_of(trees, held_out_hits, report->validation_loss);
    if (trees->learner.spec->early_stopping == 0)
        keep_losses(trees, report->train_loss, report->validation_loss);
    if (progress->best_rounds > 0 && !(goodness(trees, report) < progress->best_loss))
        return;
    keep_losses(trees, report->train_loss, report->validation_loss);
    report->improved = true;
    progress->best_rounds = progress->round;
    progress->best_loss = goodness(trees, report);
    if (isnan(progress->best_loss))
        progress->best_loss = INFINITY;
}

static enum status apply_gradients(struct trees *trees, const struct phase_totals *totals,
                                   struct learner_report *report, struct error *err)
{
    struct trees_progress *progress = &trees->progress;
    const uint32_t patience = trees->learner.spec->early_stopping;
    const int64_t *integers = totals->integers;

    if (progress->round > 0) {
        TRY(report_metrics(trees, totals, report, err));
        report_round(trees, integers, report);
    }
    if (progress->round == trees->params.rounds ||
        (patience > 0 && progress->best_rounds > 0 &&
         progress->round - progress->best_rounds >= patience)) {
        trees->learner.phase.kind = PHASE_DONE;
        trees->progress.stage = TREES_GRADIENTS;
        return STATUS_OK;
    }
    progress->gradient_greatest = (double)greatest_of_levels(integers + TREES_GRADIENT_LEVELS);
    progress->hessian_greatest = (double)greatest_of_levels(integers + TREES_HESSIAN_LEVELS);
    if (!trees_round_is_goss(&trees->params, progress->round)) {
        trees->progress.stage = TREES_ROOT;
        return STATUS_OK;
    }
    TRY(leaf_quantiles_begin(&trees->quantiles, 1 - trees->params.top_rate, false, 1, err));
    trees->progress.stage = TREES_GOSS;
    return STATUS_OK;
}

static double goss_factor(const struct trees_params *params)
{
    return (1 - params->top_rate) / params->other_rate;
}

struct tree_choice trees_choice(const struct trees *trees)
{
    const struct trees_progress *progress = &trees->progress;
    const double factor = goss_factor(&trees->params);

    return (struct tree_choice){
        .top = progress->top_key,
        .bits =
            (uint32_t)random_bits(trees->learner.spec->seed, RANDOM_TREE_GOSS, progress->round, 0),
        .threshold = (uint64_t)(0x1p32 / factor),
        .factor = (float)factor,
    };
}

/* Rows above the quantile are large. All gradients may become as many times greater. */
static enum status apply_goss(struct trees *trees, const int64_t *counts, struct error *err)
{
    struct trees_progress *progress = &trees->progress;
    const float factor = (float)goss_factor(&trees->params);

    leaf_quantiles_take(&trees->quantiles, counts);
    if (!leaf_quantiles_are_found(&trees->quantiles)) {
        trees->progress.stage = TREES_GOSS;
        return STATUS_OK;
    }
    progress->top_key = trees->quantiles.searches[0].key[1];
    progress->gradient_greatest = (double)((float)progress->gradient_greatest * factor);
    progress->hessian_greatest = (double)((float)progress->hessian_greatest * factor);
    note(trees, progress->top_key);
    TRY(leaf_quantiles_begin(&trees->quantiles, 0, false, 0, err));
    trees->progress.stage = TREES_ROOT;
    return STATUS_OK;
}

/* The next nodes to divide; without any the tree is complete. */
static enum status grow_on(struct trees *trees, struct error *err)
{
    const bool has_quantiles = trees_have_quantiles(trees->objective.name);

    TRY(tree_growth_next(&trees->growing, err));
    if (trees->growing.batch_count > 0) {
        trees->progress.stage = TREES_SPLIT;
        return STATUS_OK;
    }
    if (has_quantiles)
        TRY(leaf_quantiles_begin(
            &trees->quantiles, trees_quantile(&trees->params, trees_output(trees)),
            tree_objective_weighs(&trees->objective), trees->growing.leaves, err));
    trees->progress.stage = has_quantiles ? TREES_QUANTILES : TREES_LEAVES;
    return STATUS_OK;
}

/* squares: the sum of squared gradients, where it is asked for. */
static struct tree_units units_of(const struct trees *trees, int64_t hessians, int64_t squares)
{
    const struct tree_sampling sampling = trees_sampling(trees);
    struct tree_units units = {.gradient = 1 / sampling.gradient_scale,
                               .hessian = 1 / sampling.hessian_scale};

    if (hessians > 0) {
        units.rows_of_hessian = (double)trees->progress.sampled / (double)hessians;
        units.dispersion =
            (double)squares * units.gradient * units.gradient / ((double)hessians * units.hessian);
    }
    return units;
}

static enum status apply_root(struct trees *trees, const struct phase_totals *totals,
                              struct error *err)
{
    const uint64_t number = trees_number_of_growing(trees);
    const uint32_t bins = tree_growth_first_bins(&trees->growing, number);
    const bool has_squares = tree_growth_has_long_sets(&trees->growing);
    int64_t hessians = 0;

    trees->grown = 0;
    trees->progress.sampled = (uint64_t)totals->integers[0];
    for (uint32_t b = 0; b < bins; b++)
        hessians += totals->owned[2 * b + 1];
    TRY(tree_growth_begin(&trees->growing, number,
                          units_of(trees, hessians, has_squares ? totals->integers[1] : 0),
                          totals->owned, trees->learner.team, err));
    return grow_on(trees, err);
}

static void note_nodes(struct trees *trees)
{
    const struct growing_tree *tree = &trees->growing;

    for (uint32_t i = 0; i < tree->batch_count; i++) {
        const uint32_t left = tree->nodes[tree_growth_batch_node(tree, i)].left;

        for (uint32_t child = left; child < left + 2; child++) {
            const struct tree_node *node = &tree->nodes[child];

            note(trees, double_bits(node->split.gain));
            note(trees, (uint64_t)node->split.column << 8 | node->split.bin);
            if (tree_split_has_long_list(&node->split))
                note(trees, node->split.many.count);
            note(trees, (uint64_t)node->sums.gradient);
            note(trees, (uint64_t)node->sums.hessian);
            note(trees, node->rows);
        }
    }
}

static enum status apply_split(struct trees *trees, const struct phase_totals *totals,
                               struct error *err)
{
    TRY(tree_growth_take(&trees->growing, totals->owned, totals->integers, trees->learner.team,
                         err));
    note_nodes(trees);
    return grow_on(trees, err);
}

/* A step of Newton's by the sums of leaf i, gradient and hessian. */
static double newton_value(const struct trees *trees, const int64_t *sums, uint32_t i,
                           uint32_t leaf)
{
    int exponents[2];
    double gradient, hessian;

    trees_exponents(trees, exponents);
    gradient = ldexp((double)sums[2 * i], -exponents[0]);
    hessian = ldexp((double)sums[2 * i + 1], -exponents[1]);
    return tree_growth_value(&trees->growing, leaf, gradient, hessian);
}

/* sums: of the leaves' gradients; NULL: their quantiles are found. */
static enum status set_values(struct trees *trees, const int64_t *sums, struct error *err)
{
    const struct growing_tree *tree = &trees->growing;
    const double share = trees->params.eta / trees->params.parallel_trees;
    uint32_t *leaves = malloc(tree->leaves * sizeof *leaves);
    float *values = calloc(tree->node_count, sizeof *values);

    if (!leaves || !values) {
        free(leaves);
        free(values);
        return fail_no_memory(err);
    }
    trees_list_leaves(tree, leaves);
    for (uint32_t i = 0; i < tree->leaves; i++) {
        const double value = sums ? newton_value(trees, sums, i, leaves[i])
                                  : (double)leaf_quantiles_value(&trees->quantiles, i);

        values[leaves[i]] = (float)(share * value);
        note(trees, bits_of(values[leaves[i]]));
    }
    free(leaves);
    free(trees->values);
    trees->values = values;
    return STATUS_OK;
}

static enum status apply_leaves(struct trees *trees, const int64_t *integers, struct error *err)
{
    struct trees_progress *progress = &trees->progress;
    const uint32_t number = trees_growing(trees);

    TRY(set_values(trees, integers, err));
    TRY(tree_forest_add(&trees->forest, &trees->growing, trees_output(trees), trees->values, err));
    trees->grown = number + 1;
    if (++progress->tree < trees->trees_each) {
        trees->progress.stage = TREES_ROOT;
        return STATUS_OK;
    }
    progress->tree = 0;
    progress->round++;
    trees->progress.stage = trees_first_stage(trees);
    return STATUS_OK;
}

static enum status apply_quantiles(struct trees *trees, const int64_t *counts, struct error *err)
{
    leaf_quantiles_take(&trees->quantiles, counts);
    if (!leaf_quantiles_are_found(&trees->quantiles)) {
        trees->progress.stage = TREES_QUANTILES;
        return STATUS_OK;
    }
    TRY(apply_leaves(trees, NULL, err));
    return leaf_quantiles_begin(&trees->quantiles, 0, false, 0, err);
}

static enum status apply_stage(struct trees *trees, const struct phase_totals *totals,
                               struct learner_report *report, struct error *err)
{
    switch ((enum trees_stage)trees->progress.stage) {
    case TREES_RISKS:
        tree_risks_take(&trees->objective.risks, totals->owned,
                        totals->owned + trees_risk_integers(trees) / 2);
        trees->progress.stage = TREES_GRADIENTS;
        break;
    case TREES_GRADIENTS:
        return apply_gradients(trees, totals, report, err);
    case TREES_ROOT:
        return apply_root(trees, totals, err);
    case TREES_SPLIT:
        return apply_split(trees, totals, err);
    case TREES_LEAVES:
        return apply_leaves(trees, totals->integers, err);
    case TREES_QUANTILES:
        return apply_quantiles(trees, totals->owned, err);
    case TREES_GOSS:
        return apply_goss(trees, totals->owned, err);
    case TREES_STAGES:
        break;
    }
    return STATUS_OK;
}

enum status trees_apply(void *self, const struct phase_totals *totals,
                        struct learner_report *report, struct error *err)
{
    struct trees *trees = self;

    TRY(apply_stage(trees, totals, report, err));
    trees_note_growing(trees);
    return STATUS_OK;
}
