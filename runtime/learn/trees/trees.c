#include "runtime/learn/trees/trees.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/words.h"
#include "jobspec/job_size.h"
#include "jobspec/jobspec_fingerprint.h"
#include "runtime/data/row_lanes.h"
#include "runtime/data/row_store.h"
#include "runtime/learn/learner_memory.h"
#include "runtime/learn/trees/trees_lanes.h"
#include "runtime/learn/trees/trees_phases.h"
#include "runtime/learn/trees/trees_state.h"

#define BATCH_MOST                16                 /* nodes that a phase divides */
#define BATCH_BYTES               ((size_t)64 << 20) /* their histograms take */
#define MULTIPLICATIONS_OF_A_TREE 16 /* about as long takes a row's way through it */
#define FINGERPRINT_BYTES         ((size_t)1 << 20)

/* ---- the model ---- */

static uint32_t rounds_kept(const struct trees *trees)
{
    const struct trees_progress *progress = &trees->progress;

    return trees->spec->early_stopping > 0 && progress->best_rounds > 0 ? progress->best_rounds
                                                                        : progress->round;
}

static struct model fill_model(const struct trees *trees, struct trees_model *content)
{
    struct model model = measuring_model(trees->spec, trees->dataset);

    *content = (struct trees_model){
        .base = trees->base,
        .trees = trees->arrays.trees,
        .nodes = trees->arrays.nodes,
        .sets = trees->arrays.sets,
        .outputs = trees->outputs,
        .tree_count = trees->arrays.tree_count,
        .node_count = trees->arrays.node_count,
        .set_count = trees->arrays.set_count,
        .link = tree_objective_link(&trees->objective),
    };
    model.content = content;
    model.aim = tree_objective_aim(&trees->objective, trees->spec);
    return model;
}

/* Of dart, as the rounds weigh that are kept. */
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

/* Limits can leave no split at all, as those of LightGBM's names do where rows are few. */
static void note_no_split(struct trees *trees)
{
    const struct trees_params *params = &trees->params;
    const uint64_t rows = trees->dataset->train.rows;
    struct notice_list *notices = &trees->measuring.notices;

    if (trees->forest.node_count > trees->forest.tree_count || trees->forest.tree_count == 0)
        return;
    if (2. * params->min_rows > (double)rows) {
        notice_add(
            notices, NOTICE_SETTING,
            "no tree has a split: min_data_in_leaf = %u needs %u training rows, and there are "
            "%llu",
            params->min_rows, 2 * params->min_rows, (unsigned long long)rows);
        notice_hint(notices, "WITH min_data_in_leaf = 1 splits them.");
        return;
    }
    notice_add(notices, NOTICE_SETTING,
               "no tree has a split: none of %llu training rows gains more than gamma = %g with "
               "min_child_weight = %g and min_data_in_leaf = %u on both sides",
               (unsigned long long)rows, params->gamma, params->min_child_weight, params->min_rows);
    notice_hint(notices, "Lower these; or the columns tell nothing of the label.");
}

static enum status measure(void *self, bool *is_done, struct error *err)
{
    struct trees *trees = self;
    struct model model;

    *is_done = false;
    if (trees->progress.phase.kind != PHASE_DONE)
        return fail(err, STATUS_INVALID, "the model is not learned yet");
    if (measuring_has_begun(&trees->measuring))
        return measuring_run(&trees->measuring, is_done, err);
    tree_arrays_deinit(&trees->arrays);
    TRY(tree_forest_write(&trees->forest, rounds_kept(trees) * trees->trees_each, &trees->bins,
                          &trees->dataset->transform, &trees->arrays, err));
    if (trees->drops.weights)
        weigh_leaves(trees);
    TRY(trees_start_prepend(&trees->start, &trees->arrays, err));
    model = fill_model(trees, &trees->measured);
    TRY(measuring_begin(&trees->measuring, &model, trees->spec, trees->dataset, trees->team,
                        MULTIPLICATIONS_OF_A_TREE * trees->arrays.tree_count, err));
    note_no_split(trees);
    trees->measuring.predicts_no_mean = trees->objective.square_unit > 0 ||
                                        trees->objective.name == TREE_COX ||
                                        trees_rank(trees->objective.name);
    trees->measuring.predicts_no_label = trees->objective.name == TREE_COX;
    return STATUS_OK;
}

/* The loss of its groups in place of that of numbers, and what it is 1 less. */
static void list_ranking(const struct trees *trees, struct result_metric *metrics, size_t *count)
{
    const bool is_map = trees->objective.name == TREE_RANK_MAP;
    const double train = trees->progress.kept_loss, held_out = trees->progress.kept_held_out;

    metrics[0] = (struct result_metric){"loss", train, held_out};
    if (!trees->spec->has_default_metrics || *count == LEARNER_METRICS_MAX)
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
    struct trees_model content;
    const struct model model = fill_model(trees, &content);

    TRY(measuring_result(&trees->measuring, &model, digest, rows, metrics, metric_count, err));
    if (trees_rank(trees->objective.name))
        list_ranking(trees, metrics, metric_count);
    return STATUS_OK;
}

static enum status publish(const void *self, const char *digest, uint64_t *next, size_t bytes_max,
                           bool *is_at_end, model_row_sink *sink, void *context, struct error *err)
{
    const struct trees *trees = self;
    struct trees_model content;

    return measuring_publish(&trees->measuring, fill_model(trees, &content), digest, next,
                             bytes_max, is_at_end, sink, context, err);
}

/* ---- small answers ---- */

static enum status verify_used(const void *self, const struct touched_rows *rows, struct error *err)
{
    (void)rows;
    return trees_verify(self, err);
}

static const struct phase *phase_of(const void *self)
{
    return &((const struct trees *)self)->progress.phase;
}

static uint32_t lanes_of(const void *self)
{
    return ((const struct trees *)self)->lanes;
}

static uint32_t elements_most(const void *self)
{
    const struct trees *trees = self;
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

static uint64_t steps_total(const void *self)
{
    return ((const struct trees *)self)->params.rounds;
}

static uint64_t fingerprint_of(const void *self)
{
    return ((const struct trees *)self)->fingerprint;
}

static uint64_t check(const void *self)
{
    const struct trees *trees = self;
    struct text bytes;
    uint64_t hash;

    text_init(&bytes, FINGERPRINT_BYTES);
    trees_put_progress(&trees->progress, trees_rank(trees->objective.name), &bytes);
    put_u32(&bytes, words_sum(trees->forest.sums, trees->forest.tree_count));
    put_u32(&bytes, trees->guard.base);
    put_u32(&bytes, trees->guard.quantiles);
    put_u32(&bytes, trees->guard.risks);
    hash = bytes_hash(bytes.data, bytes.size, trees->fingerprint);
    text_deinit(&bytes);
    return hash;
}

static uint64_t contributed(const void *self)
{
    return ((const struct trees *)self)->contributed;
}

static uint64_t waited_ms(const void *self)
{
    return dataset_waited_ms(((const struct trees *)self)->dataset);
}

/* Rows are read once, all of them. */
static struct learner_course course(const void *self)
{
    const struct trees *trees = self;

    return (struct learner_course){row_store_expects(trees->dataset) ? 1 : 0, 1};
}

/* Behind the data set's rows come those that lanes have kept, a lane at a time. */
#define LANE_POSITION ((uint64_t)1 << 62)

static enum status verify_rows(void *self, uint64_t *position, uint64_t most, struct error *err)
{
    const struct trees *trees = self;

    if (*position < LANE_POSITION) {
        TRY(row_store_verify(trees->dataset, position, most, err));
        if (*position > 0)
            return STATUS_OK;
        *position = LANE_POSITION;
    }
    for (uint64_t lane = *position - LANE_POSITION; lane < trees->lanes && most > 0; lane++) {
        *position = LANE_POSITION + lane + 1;
        if (!trees->is_read[lane])
            continue;
        most--;
        if (!tree_rows_are_intact(&trees->rows[lane], TREE_ROWS_ALL) ||
            !tree_rows_are_intact(&trees->held_out[lane], TREE_ROWS_ALL))
            return memory_damaged(err, "rows");
    }
    if (*position == LANE_POSITION + trees->lanes)
        *position = 0;
    return STATUS_OK;
}

/* Of the first lane that was read here. */
static void *memory(void *self, const char *name, size_t *size)
{
    struct trees *trees = self;
    const struct tree_forest *forest = &trees->forest;
    const struct growing_tree *growing = &trees->growing;
    const struct tree_rows *rows = &trees->rows[0];
    size_t numbers;

    while (rows + 1 < trees->rows + trees->lanes && rows->rows == 0)
        rows++;
    numbers = (size_t)rows->rows * trees->outputs;

    const struct {
        const char *name;
        void *bytes;
        size_t size;
    } memories[] = {
        {"weights", forest->nodes, forest->node_count * sizeof *forest->nodes},
        {"histograms", growing->histograms,
         (size_t)growing->slot_count * growing->total_bins * sizeof *growing->histograms},
        {"rows", rows->columns, (size_t)rows->rows * tree_bins_narrow(&trees->bins)},
        {"wide", rows->wide, (size_t)rows->rows * trees->bins.wide_count * sizeof *rows->wide},
        {"labels", rows->values ? (void *)rows->values : rows->classes, rows->rows * sizeof(float)},
        {"scores", rows->scores, numbers * sizeof(float)},
        {"totals", rows->totals, numbers * sizeof(double)},
        {"gradients", rows->gradients, numbers * sizeof(float)},
        {"residuals", rows->residuals, numbers * sizeof(float)},
        {"risks", trees->objective.risks.risks,
         trees->objective.risks.count * sizeof *trees->objective.risks.risks},
        {"quantiles", trees->quantiles.searches,
         trees->quantiles.leaves * sizeof *trees->quantiles.searches},
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

static void restart(void *self)
{
    struct trees *trees = self;
    struct error err;

    error_clear(&err);
    trees_take_abandon(trees);
    measuring_deinit(&trees->measuring);
    tree_forest_resize(&trees->forest, 0, 0, 0, &err);
    tree_growth_resize(&trees->growing, 0, 0, 0, 0, 0, &err);
    leaf_quantiles_begin(&trees->quantiles, 0, false, 0, &err);
    if (trees->objective.risks.count > 0)
        memset(trees->objective.risks.risks, 0,
               trees->objective.risks.count * sizeof *trees->objective.risks.risks);
    trees->progress = (struct trees_progress){.stage = trees_first_stage(trees)};
    trees_describe_phase(trees);
    trees_guard_state(trees);
    trees_forget_scores(trees);
}

/* ---- open ---- */

static void trees_close(void *self)
{
    struct trees *trees = self;

    trees_take_abandon(trees);
    measuring_deinit(&trees->measuring);
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
    free(trees->starts);
    free(trees->held_out_starts);
    free(trees->rows);
    free(trees->held_out);
    free(trees->is_read);
    free(trees->values);
    free(trees->packed);
    free(trees->results);
    free(trees->errors);
    pthread_mutex_destroy(&trees->lock);
    free(trees);
}

static enum status use_team(void *self, struct team *team, struct error *err)
{
    struct trees *trees = self;

    measuring_deinit(&trees->measuring);
    free(trees->packed);
    trees->team = team;
    trees->packed = calloc((size_t)team_size(team) * trees->packed_bins, sizeof *trees->packed);
    return trees->packed ? STATUS_OK : fail_no_memory(err);
}

static enum status check_plan(const struct trees *trees, const struct kind_cost *cost,
                              struct error *err)
{
    const double rows = (double)trees->dataset->train.rows;
    const double bytes = job_learner_bytes(cost, false, rows);
    const uint64_t most = learner_bytes_max(trees->spec);

    if (trees->bins.column_count == 0)
        return fail(err, STATUS_INVALID,
                    "trees learn from numbers and categories, and there are "
                    "none");
    if (bytes <= (double)most)
        return STATUS_OK;
    fail(err, STATUS_LIMIT,
         "trees of %u inputs need %.0f bytes to train on %.0f rows, and a worker has at most %llu",
         trees->bins.column_count, bytes, rows, (unsigned long long)most);
    return learner_hint_bytes(trees->spec,
                              "Lower max_depth, max_leaves or max_bin, keep fewer words of "
                              "categories (COLUMN VOCABULARY(c, 1000)), or train on fewer rows.",
                              err);
}

static enum status allocate(struct trees *trees, struct error *err)
{
    const size_t ranges = (size_t)trees->lanes * trees->ranges;

    trees->starts = calloc(ranges + 1, sizeof *trees->starts);
    trees->held_out_starts = calloc(ranges + 1, sizeof *trees->held_out_starts);
    trees->rows = calloc(trees->lanes, sizeof *trees->rows);
    trees->held_out = calloc(trees->lanes, sizeof *trees->held_out);
    trees->is_read = calloc(trees->lanes, sizeof *trees->is_read);
    trees->results = trees_new_results(trees->lanes);
    trees->errors = calloc(trees->lanes, sizeof *trees->errors);
    if (!trees->starts || !trees->held_out_starts || !trees->rows || !trees->held_out ||
        !trees->is_read || !trees->results || !trees->errors)
        return fail_no_memory(err);
    return use_team(trees, trees->team, err);
}

static enum status compute_fingerprint(struct trees *trees, struct error *err)
{
    struct text bytes;
    bool failed;

    text_init(&bytes, FINGERPRINT_BYTES);
    jobspec_put_settings(trees->spec, &bytes);
    put_u32(&bytes, trees->lanes);
    put_u32(&bytes, trees->growing.total_bins);
    put_u32(&bytes, trees->growing.limits.batch);
    for (uint32_t i = 0; i < trees->metrics.count; i++)
        put_sized(&bytes, trees->spec->metrics[i]);
    state_put_data(trees->dataset, &bytes);
    trees->fingerprint = bytes_hash(bytes.data, bytes.size, 0);
    failed = bytes.failed;
    text_deinit(&bytes);
    return failed ? fail_no_memory(err) : STATUS_OK;
}

static struct kind_cost cost_of(const struct trees *trees)
{
    const struct transform *transform = &trees->dataset->transform;
    const struct kind_shape shape = {
        .task = trees->spec->task,
        .classes = trees->dataset->labels.count,
        .dense = transform->dense_width,
        .ids = transform->id_count,
        .rows = (double)trees->dataset->train.rows,
        .id_rows = transform->id_rows,
    };

    return trees_cost(&trees->spec->params, &shape);
}

static uint32_t batch_of(uint32_t total_bins)
{
    const size_t most = BATCH_BYTES / (total_bins * sizeof(struct tree_sums) + 1);

    return most < 1 ? 1 : most < BATCH_MOST ? (uint32_t)most : BATCH_MOST;
}

#define SUM_BITS   40    /* below what labels are like */
#define SIZE_LEAST 1e-30 /* of labels, so that the scale is finite */

/* Sums of scores are in units that follow from the labels: of the numbers themselves where these
 * are learned, of logits and logarithms else. */
static enum status open_drops(struct trees *trees, struct error *err)
{
    const struct dataset *dataset = trees->dataset;
    const bool is_number = trees->spec->task == TASK_REGRESSION &&
                           tree_objective_link(&trees->objective) == TREES_LINK_NONE;
    const double size =
        fabs(dataset->label_average - dataset->label_mean) + dataset->label_deviation;
    int bits = 0;

    if (is_number && size > SIZE_LEAST)
        (void)frexp(size, &bits);
    trees->sum_scale = ldexp(1, SUM_BITS - bits);
    return tree_drops_init(&trees->drops, &trees->params, trees->spec->seed, err);
}

/* What follows from the sample, which is held. */
static enum status open_sampled(struct trees *trees, struct error *err)
{
    const struct trees_params *params = &trees->params;
    const uint32_t bins_most =
        params->max_bin < TREE_BINS_MAX ? params->max_bin : TREE_BINS_MAX - 1;

    TRY(tree_objective_init(&trees->objective, trees->spec, trees->dataset, err));
    trees->outputs = trees->objective.outputs;
    round_metrics_init(&trees->metrics, trees->spec, &trees->objective, trees->dataset);
    trees->trees_each = trees->outputs * params->parallel_trees;
    trees->base = calloc(trees->outputs, sizeof *trees->base);
    if (!trees->base)
        return fail_no_memory(err);
    if (params->booster == TREE_DART)
        TRY(open_drops(trees, err));
    TRY(trees_start_init(&trees->start, &trees->objective, trees->dataset, err));
    if (trees->start.old)
        memcpy(trees->base, trees->start.old->base, trees->outputs * sizeof *trees->base);
    else
        tree_objective_base(&trees->objective, trees->base);
    return tree_bins_init(&trees->bins, trees->dataset, bins_most, params, trees->team, err);
}

static enum status open_parts(struct trees *trees, struct error *err)
{
    const struct dataset *dataset = trees->dataset;
    const struct trees_params *params = &trees->params;
    const uint64_t rows = dataset->train.rows;
    enum status status;
    struct kind_cost cost;

    TRY(row_store_hold(dataset, &dataset->sample, 0, dataset->sample.rows, trees->team, err));
    status = open_sampled(trees, err);
    row_store_release(dataset, &dataset->sample, 0, dataset->sample.rows);
    TRY(status);
    trees->layout = tree_layout_of(&trees->bins);
    cost = cost_of(trees);
    TRY(check_plan(trees, &cost, err));
    TRY(tree_constraints_init(&trees->constraints, trees->spec, &trees->bins, err));
    TRY(tree_growth_init(&trees->growing, &trees->bins, &trees->constraints, params,
                         trees->spec->seed, batch_of(trees->bins.offsets[trees->bins.column_count]),
                         err));
    trees->packed_bins = trees_packed_bins(trees);
    trees->growing.options.has_exact_hessians =
        tree_objective_has_unit_hessians(&trees->objective) &&
        dataset->role_columns[ROLE_SAMPLE_WEIGHT] == 0 && params->row_strategy != TREE_GOSS;
    trees->lanes =
        job_lanes(trees->spec->lanes, trees->spec->lanes_max,
                  rows < UINT32_MAX ? (uint32_t)rows : UINT32_MAX, (uint64_t)cost.parameters);
    trees->ranges =
        1 + (uint32_t)(row_store_bytes(dataset, rows) / trees->lanes / ROW_LANES_BUCKET_BYTES);
    if (rows / trees->lanes > ROW_LANES_ROWS_MAX)
        return fail(err, STATUS_LIMIT, "%llu rows are too many for %u lanes",
                    (unsigned long long)rows, trees->lanes);
    TRY(allocate(trees, err));
    dataset_share_out(dataset, &dataset->train, trees->lanes * trees->ranges, trees->starts);
    dataset_share_out(dataset, &dataset->validation, trees->lanes * trees->ranges,
                      trees->held_out_starts);
    return compute_fingerprint(trees, err);
}

static const struct learning table = {
    .close = trees_close,
    .use_team = use_team,
    .restart = restart,
    .lanes = lanes_of,
    .elements_most = elements_most,
    .phase = phase_of,
    .steps_total = steps_total,
    .lane_open = trees_lane_open,
    .contribute = trees_contribute,
    .apply = trees_apply,
    .state_head = trees_state_head,
    .state_bytes = trees_state_bytes,
    .state_read = trees_state_read,
    .take_begin = trees_take_begin,
    .take_piece = trees_take_piece,
    .take_end = trees_take_end,
    .take_abandon = trees_take_abandon,
    .measure = measure,
    .result = result,
    .publish = publish,
    .fingerprint = fingerprint_of,
    .check = check,
    .contributed = contributed,
    .verify = trees_verify,
    .verify_used = verify_used,
    .verify_rows = verify_rows,
    .waited_ms = waited_ms,
    .course = course,
    .memory = memory,
};

enum status trees_open(const struct jobspec *spec, const struct dataset *dataset, struct team *team,
                       struct learning *learning, struct error *err)
{
    struct trees *trees = calloc(1, sizeof *trees);

    if (!trees)
        return fail_no_memory(err);
    pthread_mutex_init(&trees->lock, NULL);
    trees->spec = spec;
    trees->dataset = dataset;
    trees->team = team;
    trees->params = *trees_params(&spec->params);
    if (open_parts(trees, err) != STATUS_OK) {
        trees_close(trees);
        return err->status;
    }
    restart(trees);
    *learning = table;
    learning->self = trees;
    return STATUS_OK;
}
