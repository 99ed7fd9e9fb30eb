#include "runtime/learn/trees/trees.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/sums/words.h"
#include "jobspec/job_size.h"
#include "runtime/data/dataset/row_lanes.h"
#include "runtime/data/dataset/row_store.h"
#include "runtime/learn/learner_memory.h"
#include "runtime/learn/trees/tree_notices.h"
#include "runtime/learn/trees/trees_lanes.h"
#include "runtime/learn/trees/trees_phases.h"
#include "runtime/learn/trees/trees_state.h"

#define BATCH_MOST                16                 /* nodes that a phase divides */
#define BATCH_BYTES               ((size_t)64 << 20) /* their histograms take */
#define MULTIPLICATIONS_OF_A_TREE 16 /* about as long takes a row's way through it */

/* ---- the model ---- */

static uint32_t rounds_kept(const struct trees *trees)
{
    const struct trees_progress *progress = &trees->progress;

    return trees->learner.spec->early_stopping > 0 && progress->best_rounds > 0
               ? progress->best_rounds
               : progress->round;
}

/* Dart: leaves weigh as the rounds do that are kept. */
static void weigh_leaves(struct trees *trees)
{
    struct tree_arrays *arrays = &trees->arrays;

    tree_drops_move(&trees->drops, rounds_kept(trees));
    for (uint32_t t = 0; t < arrays->tree_count; t++) {
        const float *tree = arrays->trees + (size_t)t * TREE_NUMBERS;
        float *nodes = arrays->nodes + (size_t)tree[TREE_FIRST_NODE] * NODE_NUMBERS;
        const double weight = trees->drops.weights[t / trees->trees_each];

        for (uint32_t i = 0; i < (uint32_t)tree[TREE_NODE_COUNT]; i++) {
            float *node = nodes + (size_t)i * NODE_NUMBERS;

            if (node[NODE_TEST] == NODE_LEAF)
                node[NODE_VALUE] = (float)(weight * (double)node[NODE_VALUE]);
        }
    }
}

static enum status fill(void *self, struct model *model, struct error *err)
{
    struct trees *trees = self;
    struct tree_arrays *arrays = &trees->arrays;

    tree_arrays_deinit(arrays);
    TRY(tree_forest_write(&trees->forest, rounds_kept(trees) * trees->trees_each, &trees->bins,
                          &trees->learner.dataset->transform, arrays, err));
    if (trees->drops.weights)
        weigh_leaves(trees);
    TRY(trees_start_prepend(&trees->start, arrays, err));
    trees->measured = (struct trees_model){
        .base = trees->base,
        .trees = arrays->trees,
        .nodes = arrays->nodes,
        .sets = arrays->sets,
        .outputs = trees->outputs,
        .tree_count = arrays->tree_count,
        .node_count = arrays->node_count,
        .set_count = arrays->set_count,
        .link = tree_objective_link(&trees->objective),
    };
    model->content = &trees->measured;
    model->aim = tree_objective_aim(&trees->objective, trees->learner.spec);
    trees->learner.row_work = MULTIPLICATIONS_OF_A_TREE * arrays->tree_count;
    return STATUS_OK;
}

static void tell(void *self, struct measuring *measuring)
{
    const struct trees *trees = self;

    tree_notices(trees, &measuring->notices);
    measuring->predicts_no_mean = trees->objective.square_unit > 0 ||
                                  trees->objective.name == TREE_COX ||
                                  trees_rank(trees->objective.name);
    measuring->predicts_no_label = trees->objective.name == TREE_COX;
}

/* The loss of its groups in place of that of numbers, and what it is 1 less. */
static void list_ranking(const struct trees *trees, struct result_metric *metrics, size_t *count)
{
    const bool is_map = trees->objective.name == TREE_RANK_MAP;
    const double train = trees->progress.kept_loss, held_out = trees->progress.kept_held_out;

    metrics[0] = (struct result_metric){"loss", train, held_out};
    if (!trees->learner.spec->has_default_metrics || *count == LEARNER_METRICS_MAX)
        return;
    memmove(metrics + 2, metrics + 1, (*count - 1) * sizeof *metrics);
    ++*count;
    metrics[1] = (struct result_metric){.train = 1 - train, .validation = 1 - held_out};
    snprintf(metrics[1].name, sizeof metrics[1].name, "%s", is_map ? "MAP" : "NDCG");
}

static enum status result(const void *self, char digest[DIGEST_BYTES], uint64_t *rows,
                          struct result_metric metrics[LEARNER_METRICS_MAX], size_t *metric_count,
                          struct error *err)
{
    const struct trees *trees = self;

    TRY(measuring_result(&trees->learner.measuring, &trees->learner.model, digest, rows, metrics,
                         metric_count, err));
    if (trees_rank(trees->objective.name))
        list_ranking(trees, metrics, metric_count);
    return STATUS_OK;
}

/* ---- small answers ---- */

static uint32_t elements_most(const struct trees *trees)
{
    const uint32_t histograms = trees->growing.limits.batch * trees_histogram_elements(trees);
    const uint32_t counts = trees_have_quantiles(trees->objective.name)
                                ? leaf_quantiles_counts_most(trees_leaves_most(&trees->params))
                            : trees->params.row_strategy == TREE_GOSS
                                ? leaf_quantiles_counts_most(1)
                                : 0;
    const uint32_t risks = trees_risk_integers(trees);
    const uint32_t scores = round_metrics_score_count(&trees->metrics);
    uint32_t most = histograms;

    most = counts > most ? counts : most;
    most = risks > most ? risks : most;
    return scores > most ? scores : most;
}

/* Behind the data set's rows come those that lanes have kept, a lane at a time. */
#define LANE_POSITION ((uint64_t)1 << 62)

static enum status verify_rows(void *self, uint64_t *position, uint64_t most, struct error *err)
{
    const struct trees *trees = self;

    if (*position < LANE_POSITION) {
        TRY(row_store_verify(trees->learner.dataset, position, most, err));
        if (*position > 0)
            return STATUS_OK;
        *position = LANE_POSITION;
    }
    for (uint64_t lane = *position - LANE_POSITION; lane < trees->learner.lanes && most > 0;
         lane++) {
        *position = LANE_POSITION + lane + 1;
        if (!trees->is_read[lane])
            continue;
        most--;
        if (!tree_rows_are_intact(&trees->rows[lane], TREE_ROWS_ALL) ||
            !tree_rows_are_intact(&trees->held_out[lane], TREE_ROWS_ALL))
            return memory_damaged(err, "rows");
    }
    if (*position == LANE_POSITION + trees->learner.lanes)
        *position = 0;
    return STATUS_OK;
}

/* Memories of rows are those of the first lane that was read here. */
static void *memory(void *self, const char *name, size_t *size)
{
    struct trees *trees = self;
    const struct tree_rows *rows = &trees->rows[0];
    size_t numbers;

    while (rows + 1 < trees->rows + trees->learner.lanes && rows->rows == 0)
        rows++;
    numbers = (size_t)rows->rows * trees->outputs;

    const struct {
        const char *name;
        void *bytes;
        size_t size;
    } memories[] = {
        {"rows", rows->columns, (size_t)rows->rows * tree_bins_narrow(&trees->bins)},
        {"wide", rows->wide, (size_t)rows->rows * trees->bins.wide_count * sizeof *rows->wide},
        {"labels", rows->values ? (void *)rows->values : rows->classes, rows->rows * sizeof(float)},
        {"scores", rows->scores, numbers * sizeof(float)},
        {"totals", rows->totals, numbers * sizeof(double)},
        {"gradients", rows->gradients, numbers * sizeof(float)},
        {"residuals", rows->residuals, numbers * sizeof(float)},
        {"order", rows->order, rows->rows * sizeof *rows->order},
        {"grouped", rows->groups, (size_t)rows->rows * trees->layout.row_bytes},
        {"packed", rows->packed, rows->rows * sizeof *rows->packed},
    };

    *size = 0;
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++) {
        if (strcmp(memories[i].name, name) != 0 || !memories[i].bytes || memories[i].size == 0)
            continue;
        *size = memories[i].size;
        return memories[i].bytes;
    }
    return NULL;
}

/* ---- open ---- */

static void trees_close(void *self)
{
    struct trees *trees = self;

    tree_arrays_deinit(&trees->arrays);
    trees_free_lanes(trees);
    tree_growth_deinit(&trees->growing);
    leaf_quantiles_deinit(&trees->quantiles);
    tree_objective_deinit(&trees->objective);
    tree_forest_deinit(&trees->forest);
    tree_bins_deinit(&trees->bins);
    tree_constraints_deinit(&trees->constraints);
    trees_start_deinit(&trees->start);
    tree_drops_deinit(&trees->drops);
    free(trees->base);
    free(trees->held_out_starts);
    free(trees->rows);
    free(trees->held_out);
    free(trees->is_read);
    free(trees->values);
    free(trees->packed);
    free(trees->results);
    free(trees->errors);
    pthread_mutex_destroy(&trees->lock);
}

static enum status make_packed(void *self, struct error *err)
{
    struct trees *trees = self;

    free(trees->packed);
    trees->packed =
        calloc((size_t)team_size(trees->learner.team) * trees->packed_bins, sizeof *trees->packed);
    return trees->packed ? STATUS_OK : fail_no_memory(err);
}

static enum status check_plan(const struct trees *trees, const struct kind_cost *cost,
                              struct error *err)
{
    const uint64_t rows = trees->learner.dataset->train.rows;
    char who[60];

    if (trees->bins.column_count == 0)
        return fail(err, STATUS_INVALID,
                    "trees learn from numbers and categories, and there are "
                    "none");
    snprintf(who, sizeof who, "trees of %u inputs", trees->bins.column_count);
    return learner_check_bytes(trees->learner.spec, rows,
                               job_learner_bytes(cost, false, (double)rows), who,
                               "Lower max_depth, max_leaves or max_bin, keep fewer words of "
                               "categories (COLUMN VOCABULARY(c, 1000)), or train on fewer rows.",
                               err);
}

static enum status allocate(struct trees *trees, struct error *err)
{
    const uint32_t lanes = trees->learner.lanes;
    const size_t ranges = (size_t)lanes * trees->learner.ranges;

    trees->held_out_starts = calloc(ranges + 1, sizeof *trees->held_out_starts);
    trees->rows = calloc(lanes, sizeof *trees->rows);
    trees->held_out = calloc(lanes, sizeof *trees->held_out);
    trees->is_read = calloc(lanes, sizeof *trees->is_read);
    trees->results = trees_new_results(lanes);
    trees->errors = calloc(lanes, sizeof *trees->errors);
    if (!trees->held_out_starts || !trees->rows || !trees->held_out || !trees->is_read ||
        !trees->results || !trees->errors)
        return fail_no_memory(err);
    return make_packed(trees, err);
}

static void put_shape(const void *self, struct text *out)
{
    const struct trees *trees = self;

    put_u32(out, trees->growing.total_bins);
    put_u32(out, trees->growing.limits.batch);
    for (uint32_t i = 0; i < trees->metrics.count; i++)
        put_sized(out, trees->learner.spec->metrics[i]);
}

static struct kind_cost cost_of(const struct trees *trees)
{
    const struct transform *transform = &trees->learner.dataset->transform;
    const struct kind_shape shape = {
        .task = trees->learner.spec->task,
        .classes = trees->learner.dataset->labels.count,
        .dense = transform->dense_width,
        .ids = transform->id_count,
        .rows = (double)trees->learner.dataset->train.rows,
        .id_rows = transform->id_rows,
    };

    return trees_cost(&trees->learner.spec->params, &shape);
}

static uint32_t batch_of(uint32_t total_bins)
{
    const size_t most = BATCH_BYTES / (total_bins * sizeof(struct tree_sums) + 1);

    return most < 1 ? 1 : most < BATCH_MOST ? (uint32_t)most : BATCH_MOST;
}

#define SUM_BITS   40    /* bits below the labels' size */
#define SIZE_LEAST 1e-30 /* labels' size, so that the scale is finite */

/* Sums of scores are in units that follow from the labels: of the numbers themselves where these
 * are learned, of logits and logarithms else. */
static enum status open_drops(struct trees *trees, struct error *err)
{
    const struct dataset *dataset = trees->learner.dataset;
    const bool is_number = trees->learner.spec->task == TASK_REGRESSION &&
                           tree_objective_link(&trees->objective) == TREES_LINK_NONE;
    const double size =
        fabs(dataset->label_average - dataset->label_mean) + dataset->label_deviation;
    int bits = 0;

    if (is_number && size > SIZE_LEAST)
        (void)frexp(size, &bits);
    trees->sum_scale = ldexp(1, SUM_BITS - bits);
    return tree_drops_init(&trees->drops, &trees->params, trees->learner.spec->seed, err);
}

/* Objective, bases and bins follow from the sample, which is held. */
static enum status open_sampled(struct trees *trees, struct error *err)
{
    const struct trees_params *params = &trees->params;
    const uint32_t bins_most =
        params->max_bin < TREE_BINS_MAX ? params->max_bin : TREE_BINS_MAX - 1;

    TRY(tree_objective_init(&trees->objective, trees->learner.spec, trees->learner.dataset, err));
    trees->outputs = trees->objective.outputs;
    round_metrics_init(&trees->metrics, trees->learner.spec, &trees->objective,
                       trees->learner.dataset);
    trees->trees_each = trees->outputs * params->parallel_trees;
    trees->base = calloc(trees->outputs, sizeof *trees->base);
    if (!trees->base)
        return fail_no_memory(err);
    if (params->booster == TREE_DART)
        TRY(open_drops(trees, err));
    TRY(trees_start_init(&trees->start, &trees->objective, trees->learner.dataset, err));
    if (trees->start.old)
        memcpy(trees->base, trees->start.old->base, trees->outputs * sizeof *trees->base);
    else
        tree_objective_base(&trees->objective, trees->base);
    return tree_bins_init(&trees->bins, trees->learner.dataset, bins_most, params,
                          trees->learner.team, err);
}

static enum status plan(void *self, struct error *err)
{
    struct trees *trees = self;
    const struct dataset *dataset = trees->learner.dataset;
    const struct trees_params *params = &trees->params;
    const uint64_t rows = dataset->train.rows;
    enum status status;
    struct kind_cost cost;

    pthread_mutex_init(&trees->lock, NULL);
    trees->params = *trees_params(&trees->learner.spec->params);
    TRY(row_store_hold(dataset, &dataset->sample, 0, dataset->sample.rows, trees->learner.team,
                       err));
    status = open_sampled(trees, err);
    row_store_release(dataset, &dataset->sample, 0, dataset->sample.rows);
    TRY(status);
    trees->layout = tree_layout_of(&trees->bins);
    cost = cost_of(trees);
    TRY(check_plan(trees, &cost, err));
    TRY(tree_constraints_init(&trees->constraints, trees->learner.spec, &trees->bins, err));
    TRY(tree_growth_init(&trees->growing, &trees->bins, &trees->constraints, params,
                         trees->learner.spec->seed,
                         batch_of(trees->bins.offsets[trees->bins.column_count]), err));
    trees->packed_bins = trees_packed_bins(trees);
    trees->growing.options.has_exact_hessians =
        tree_objective_has_unit_hessians(&trees->objective) &&
        dataset->role_columns[ROLE_SAMPLE_WEIGHT] == 0 && params->row_strategy != TREE_GOSS;
    TRY(learner_cut(&trees->learner, (uint64_t)cost.parameters, err));
    if (rows / trees->learner.lanes > ROW_LANES_ROWS_MAX)
        return fail(err, STATUS_LIMIT, "%llu rows are too many for %u lanes",
                    (unsigned long long)rows, trees->learner.lanes);
    TRY(allocate(trees, err));
    dataset_share_out(dataset, &dataset->validation, trees->learner.lanes * trees->learner.ranges,
                      trees->held_out_starts);
    trees->learner.elements_most = elements_most(trees);
    trees->learner.steps_total = params->rounds;
    return STATUS_OK;
}

const struct learner_method trees_learner = {
    .bytes = sizeof(struct trees),
    .progress = trees_progress_fields,
    .progress_at = offsetof(struct trees, progress),
    .progress_bytes = sizeof(struct trees_progress),
    .plan = plan,
    .close = trees_close,
    .put_shape = put_shape,
    .arrays = trees_arrays,
    .is_possible = trees_is_possible,
    .enter = trees_enter,
    .describe = trees_describe,
    .contribute = trees_contribute,
    .apply = trees_apply,
    .fill = fill,
    .use_team = make_packed,
    .lane_open = trees_lane_open,
    .verify = trees_verify,
    .verify_rows = verify_rows,
    .tell = tell,
    .memory = memory,
    .result = result,
};
