#include "runtime/learn/series/series_grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/progress.h"
#include "base/sums/words.h"
#include "runtime/learn/learner_memory.h"
#include "runtime/learn/learner_state.h"
#include "runtime/learn/series/series_learner.h"
#include "runtime/learn/series/series_rows.h"

#define PENALTY         1.0               /* factor of the squares of leaves */
#define VALUE_MOST      1000.0            /* magnitude of a leaf, far beyond those that grow */
#define COLLECT_BYTES   ((size_t)2 << 30) /* bytes to lay out a series */
#define SLICE_FEATURES  8                 /* features of a task of the team */
#define ROW_NANOSECONDS 1.0               /* time of one feature of a row */
#define NODE_SUMS       (POOLED_BINS * POOLED_SUMS)

/* ---- the plan ---- */

void series_grow_plan(struct series_learner *series)
{
    const struct forecast_params *params = forecast_params(&series->learner.spec->params);
    struct series_grow *grow = &series->grow;

    if (series->plan.options.method != &pooled_method)
        return;
    grow->rounds = params->rounds;
    grow->growth = (struct pooled_growth){.depth = params->max_depth,
                                          .least_rows = params->min_rows,
                                          .eta = params->eta,
                                          .lambda = PENALTY};
    grow->every =
        1 + (uint32_t)(series->learner.dataset->train.rows / (FORECAST_TREE_ROWS_MAX + 1));
    series->plan.pooled = grow->pooled;
}

static bool has_trees(const struct series_learner *series)
{
    return series->grow.rounds > 0;
}

void series_grow_tell(const struct series_learner *series, struct notice_list *notices)
{
    if (has_trees(series) && series->grow.every > 1)
        notice_add(notices, NOTICE_DEFAULTS,
                   "trees learn from one of %u values, a sample: they learn from all of %u values "
                   "at most, and the table has %llu rows",
                   series->grow.every, FORECAST_TREE_ROWS_MAX,
                   (unsigned long long)series->learner.dataset->train.rows);
}

enum status series_grow_begin(struct series_learner *series, struct error *err)
{
    if (!has_trees(series))
        return STATUS_OK;
    series->grow.lanes = calloc(series->learner.lanes, sizeof *series->grow.lanes);
    return series->grow.lanes ? STATUS_OK : fail_no_memory(err);
}

void series_grow_settle(struct series_learner *series)
{
    const struct forecast_options *options = &series->plan.options;
    const uint32_t seasons = options->season_count;
    struct series_grow *grow = &series->grow;

    for (uint32_t i = 0; i <= series->plan.backtests && has_trees(series); i++) {
        struct pooled *pooled = &grow->pooled[i];

        pooled->season = seasons > 0 ? options->seasons[0] : 1;
        pooled->longest = seasons > 0 ? options->seasons[seasons - 1] : 1;
        pooled->groups = series->groups;
        pooled->has_holidays = series_plan_holidays(&series->plan) > 0;
        grow->growth.ordered = pooled_ordered(pooled);
        grow->growth.features = pooled_features(pooled);
    }
}

uint32_t series_grow_total(const struct series_learner *series)
{
    return series->grow.rounds * (series->plan.backtests + 1);
}

uint32_t series_grow_elements(const struct series_learner *series)
{
    uint32_t open[1 << POOLED_DEPTH_MAX];

    return pooled_open(series->grow.growing, series->progress.level, open) *
           series->grow.growth.features * NODE_SUMS;
}

uint32_t series_grow_elements_most(const struct series_learner *series)
{
    return has_trees(series)
               ? (1u << (series->grow.growth.depth - 1)) * POOLED_FEATURES_MAX * NODE_SUMS
               : 0;
}

uint64_t series_grow_bytes(const struct series_learner *series, uint64_t trees)
{
    return has_trees(series)
               ? trees * pooled_slot(series->grow.growth.depth) * sizeof(struct pooled_node)
               : 0;
}

static void forget_lane(struct grow_lane *lane)
{
    pooled_rows_deinit(&lane->rows);
    free(lane->scores);
    free(lane->nodes);
    *lane = (struct grow_lane){.is_made = false};
}

static void forget_lanes(struct series_learner *series)
{
    for (uint32_t i = 0; series->grow.lanes && i < series->learner.lanes; i++)
        forget_lane(&series->grow.lanes[i]);
}

void *series_grow_memory(struct series_learner *series, const char *name, size_t *size)
{
    struct grow_lane *own = series->grow.lanes;
    const struct grow_lane *end = own ? own + series->learner.lanes : NULL;

    while (own < end && !own->is_made)
        own++;
    if (own == end)
        return NULL;
    *size = own->rows.count * (strcmp(name, "bins") == 0    ? pooled_row_bytes(own->rows.features)
                               : strcmp(name, "nodes") == 0 ? sizeof *own->nodes
                                                            : sizeof(double));
    return strcmp(name, "bins") == 0      ? (void *)own->rows.bins
           : strcmp(name, "targets") == 0 ? (void *)own->rows.targets
           : strcmp(name, "scores") == 0  ? (void *)own->scores
           : strcmp(name, "nodes") == 0   ? (void *)own->nodes
                                          : NULL;
}

void series_grow_close(struct series_learner *series)
{
    forget_lanes(series);
    free(series->grow.lanes);
}

/* ---- the state ---- */

enum status series_grow_reserve(struct series_learner *series, struct error *err)
{
    const uint32_t slot = pooled_slot(series->grow.growth.depth);
    struct series_grow *grow = &series->grow;
    struct pooled_node *trees;

    forget_lanes(series); /* their nodes and scores are those of other trees */
    if (!has_trees(series))
        return STATUS_OK;
    trees = realloc(grow->trees, series_grow_bytes(series, series_grow_total(series)));
    if (!trees)
        return fail_no_memory(err);
    grow->trees = trees;
    if (!grow->growing)
        grow->growing = calloc(slot, sizeof *grow->growing);
    if (!grow->growing)
        return fail_no_memory(err);
    for (uint32_t i = 0; i <= series->plan.backtests; i++)
        grow->pooled[i].trees =
            (struct pooled_trees){.nodes = trees + (size_t)i * grow->rounds * slot,
                                  .count = grow->rounds,
                                  .depth = grow->growth.depth};
    return STATUS_OK;
}

/* False: a node has a feature that rows lack, a child that the tree lacks, or a value whose
 * gradients do not fit. */
static bool is_tree(const struct series_grow *grow, const struct pooled_node *tree)
{
    const uint32_t slot = pooled_slot(grow->growth.depth);

    for (uint32_t i = 0; i < slot; i++)
        if (tree[i].feature > grow->growth.features || (tree[i].feature > 0 && 2 * i + 2 >= slot) ||
            !(fabs(tree[i].value) <= VALUE_MOST))
            return false;
    return true;
}

enum status series_grow_check(const struct series_learner *series, struct error *err)
{
    const struct series_grow *grow = &series->grow;
    bool is_fine = true;

    for (uint32_t i = 0; has_trees(series) && i < series->progress.trees; i++)
        is_fine =
            is_fine && is_tree(grow, grow->trees + (size_t)i * pooled_slot(grow->growth.depth));
    if (has_trees(series))
        is_fine = is_fine && is_tree(grow, grow->growing);
    return is_fine ? STATUS_OK : state_corrupt(err, "its trees are invalid");
}

/* ---- the rows of a lane ---- */

void series_grow_words(const struct series_learner *series, const int64_t *ids, uint8_t *words)
{
    const struct transform *transform = &series->learner.dataset->transform;

    memset(words, 0, POOLED_GROUPS_MAX);
    for (uint32_t i = 0; i < series->groups; i++)
        if (transform->inputs[i].word_count < POOLED_BINS && ids[i] >= 0)
            words[i] = (uint8_t)(1 + ids[i]);
}

static enum status collect_series(struct series_learner *series, struct series_task *task,
                                  struct grow_lane *own, struct error *err)
{
    struct series_member *member = &series->members[0];
    struct series_plan plan = series->plan;
    int64_t ids[FORECAST_GROUPS_MAX] = {0};
    struct arena arena;
    enum status status;

    TRY(series_take_points(series, task, member, err));
    series_row_ids(series, task->first, ids);
    series_grow_words(series, ids, plan.words);
    arena_init(&arena, COLLECT_BYTES);
    status = series_collect(&plan, member->points, (uint32_t)(task->end - task->first),
                            member->regressors, own->backtest, &arena, &own->rows, err);
    arena_deinit(&arena);
    return status == STATUS_OK ? status : series_name(series, ids, err);
}

static enum status collect_range(struct series_learner *series, uint32_t range,
                                 struct grow_lane *own, struct error *err)
{
    const uint64_t end = series->learner.starts[range + 1];
    struct series_task task = {.end = series->learner.starts[range]};

    while (task.end < end) {
        task.first = task.end;
        task.end = series_end_of(&series->learner.dataset->train, task.first, end);
        TRY(collect_series(series, &task, own, err));
        progress_note();
    }
    return STATUS_OK;
}

/* Does a worker have the bytes of all rows that it has collected? */
static enum status check_bytes(const struct series_learner *series, struct error *err)
{
    const struct series_grow *grow = &series->grow;
    const double each =
        pooled_row_bytes(grow->growth.features) + 2 * sizeof(double) + sizeof(uint16_t);
    double bytes = 0;
    uint64_t rows = 0;

    for (uint32_t i = 0; i < series->learner.lanes; i++) {
        bytes += (double)grow->lanes[i].rows.room * each;
        rows += grow->lanes[i].rows.count;
    }
    return learner_check_bytes(series->learner.spec, rows, bytes, "the trees of these series",
                               "Forecast fewer series, or fewer of their rows.", err);
}

/* Sums against bits that change by themselves: of what stays as it was made, and of the rest. */
static uint32_t sum_rows(const struct grow_lane *own)
{
    const struct pooled_rows *rows = &own->rows;

    return words_sum(rows->bins, rows->count * pooled_row_bytes(rows->features) / 4) +
           words_sum(rows->targets, 2 * rows->count);
}

static uint32_t sum_places(const struct grow_lane *own)
{
    return words_sum(own->scores, 2 * own->rows.count) +
           words_sum(own->nodes, (own->rows.count + 1) / 2);
}

static enum status make_lane(struct series_learner *series, uint32_t lane, uint32_t backtest,
                             struct error *err)
{
    struct grow_lane *own = &series->grow.lanes[lane];
    enum status status = STATUS_OK;

    forget_lane(own);
    own->backtest = backtest;
    own->rows.features = series->grow.growth.features;
    own->rows.every = series->grow.every;
    for (uint32_t i = 0; i < series->learner.ranges && status == STATUS_OK; i++) {
        const uint32_t range = lane * series->learner.ranges + i;

        TRY(learner_hold(&series->learner, range, err));
        status = collect_range(series, range, own, err);
        learner_release(&series->learner, range);
        if (status == STATUS_OK)
            status = check_bytes(series, err);
    }
    TRY(status);
    own->scores = calloc(own->rows.count + 1, sizeof *own->scores);
    own->nodes = calloc(own->rows.count + 2, sizeof *own->nodes); /* whole words */
    if (!own->scores || !own->nodes)
        return fail_no_memory(err);
    own->is_made = true;
    own->rows_sum = sum_rows(own);
    own->places_sum = sum_places(own);
    return STATUS_OK;
}

/* Moves each row on to its node of the level. */
static void descend_rows(const struct pooled_node *tree, struct grow_lane *own)
{
    for (uint64_t row = 0; row < own->rows.count; row++)
        own->nodes[row] =
            (uint16_t)pooled_descend(tree, own->nodes[row], pooled_row(&own->rows, row));
}

/* Moves the rows on to where the state is, from the beginning where that lies before them. */
static void move_lane(const struct series_learner *series, struct grow_lane *own)
{
    const struct series_grow *grow = &series->grow;
    const uint32_t trees = series->progress.trees % grow->rounds, level = series->progress.level;

    if (own->trees > trees || (own->trees == trees && own->level > level)) {
        memset(own->scores, 0, own->rows.count * sizeof *own->scores);
        memset(own->nodes, 0, own->rows.count * sizeof *own->nodes);
        own->trees = own->level = 0;
    }
    for (; own->trees < trees; own->trees++) {
        const struct pooled_node *tree = grow->pooled[own->backtest].trees.nodes +
                                         (size_t)own->trees * pooled_slot(grow->growth.depth);

        descend_rows(tree, own);
        for (uint64_t row = 0; row < own->rows.count; row++)
            own->scores[row] += tree[own->nodes[row]].value;
        memset(own->nodes, 0, own->rows.count * sizeof *own->nodes);
        own->level = 0;
    }
    if (own->level < level)
        descend_rows(grow->growing, own);
    own->level = level;
}

/* ---- sums ---- */

struct slices {
    const struct grow_lane *own;
    const uint16_t *places; /* (slot): the node's among the open ones, from 1; 0: it is not open */
    int64_t *sums;
};

static void add_slice(void *context, uint32_t member, uint32_t number)
{
    const struct slices *slices = context;
    const struct pooled_rows *rows = &slices->own->rows;
    const uint32_t first = number * SLICE_FEATURES;
    const uint32_t end =
        first + SLICE_FEATURES < rows->features ? first + SLICE_FEATURES : rows->features;
    (void)member;

    for (uint64_t row = 0; row < rows->count; row++) {
        const uint32_t place = slices->places[slices->own->nodes[row]];
        const int64_t gradient = pooled_gradient(rows->targets[row], slices->own->scores[row]);
        const uint8_t *bins = pooled_row(rows, row);
        int64_t *own;

        if (place == 0)
            continue;
        own = slices->sums + ((size_t)(place - 1) * rows->features + first) * NODE_SUMS;
        for (uint32_t i = first; i < end; i++, own += NODE_SUMS) {
            own[bins[i] * POOLED_SUMS + POOLED_GRADIENT] += gradient;
            own[bins[i] * POOLED_SUMS + POOLED_COUNT]++;
        }
    }
}

enum status series_grow_contribute(struct series_learner *series, uint32_t lane, int64_t *sums,
                                   struct error *err)
{
    const uint32_t backtest = series->progress.trees / series->grow.rounds;
    struct grow_lane *own = &series->grow.lanes[lane];
    uint16_t places[(2 << POOLED_DEPTH_MAX) - 1] = {0};
    uint32_t open[1 << POOLED_DEPTH_MAX];
    const struct slices slices = {own, places, sums};
    const uint32_t features = series->grow.growth.features;
    const uint32_t count = pooled_open(series->grow.growing, series->progress.level, open);
    uint64_t added = 0;

    if (!own->is_made || own->backtest != backtest)
        TRY(make_lane(series, lane, backtest, err));
    if (sum_rows(own) != own->rows_sum || sum_places(own) != own->places_sum)
        return memory_damaged(err, "the rows of trees");
    move_lane(series, own);
    own->places_sum = sum_places(own);
    for (uint32_t i = 0; i < count; i++)
        places[open[i]] = (uint16_t)(i + 1);
    for (uint64_t row = 0; row < own->rows.count; row++)
        if (places[own->nodes[row]] > 0)
            added += (uint64_t)pooled_gradient(own->rows.targets[row], own->scores[row]) + 1;
    team_run(team_for(series->learner.team, (double)own->rows.count * features * ROW_NANOSECONDS),
             (features + SLICE_FEATURES - 1) / SLICE_FEATURES, add_slice, (void *)&slices);
    series->learner.contributed += added * features;
    return STATUS_OK;
}

/* ---- apply ---- */

void series_grow_apply(struct series_learner *series, const int64_t *totals)
{
    struct series_progress *progress = &series->progress;
    struct series_grow *grow = &series->grow;
    const uint32_t slot = pooled_slot(grow->growth.depth);
    const bool is_split = pooled_split(&grow->growth, grow->growing, progress->level, totals);
    const bool is_over = !is_split && progress->level == 0; /* nothing is left to learn */
    const uint32_t left = is_over ? grow->rounds - progress->trees % grow->rounds : 1;

    progress->level++;
    if (is_split && progress->level < grow->growth.depth)
        return;
    memset(grow->trees + (size_t)progress->trees * slot, 0, series_grow_bytes(series, left));
    memcpy(grow->trees + (size_t)progress->trees * slot, grow->growing,
           series_grow_bytes(series, 1));
    memset(grow->growing, 0, series_grow_bytes(series, 1));
    progress->trees += left;
    progress->level = 0;
    if (progress->trees == series_grow_total(series))
        forget_lanes(series);
}
