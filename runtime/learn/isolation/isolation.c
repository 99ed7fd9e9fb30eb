#include "runtime/learn/isolation/isolation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/progress.h"
#include "jobspec/job_size.h"
#include "kinds/trees/isolation_kind.h"
#include "kinds/trees/isolation_model.h"
#include "kinds/trees/trees_store.h"
#include "runtime/learn/isolation/isolation_draws.h"
#include "runtime/learn/isolation/isolation_scores.h"
#include "runtime/learn/isolation/isolation_tree.h"
#include "runtime/learn/learner.h"
#include "runtime/learn/learner_memory.h"
#include "runtime/learn/learner_state.h"
#include "scoring/numbers/elementary.h"

#define GATHERED_MOST ((uint32_t)1 << 20) /* elements of a phase, unless a tree takes more */
#define TREES_MOST    64                  /* grown in one apply */
#define HALF_VALUES   ((uint32_t)1 << 16)

enum isolation_stage { ISOLATION_GATHER, ISOLATION_HIGH, ISOLATION_LOW, ISOLATION_END };

/* The fields of the state. */
#define ISOLATION_FIELDS(F)                                                                        \
    F(U32, stage, ISOLATION_END, "of enum isolation_stage")                                        \
    F(U32, trees, FIELD_ANY, "that are grown")                                                     \
    F(U32, nodes, FIELD_ANY, "of these")                                                           \
    F(U32, sets, FIELD_ANY, "of words in them")                                                    \
    F(U32, high, HALF_VALUES - 1, "upper half of the score below the share")                       \
    F(U32, next_high, HALF_VALUES - 1, "of the score above it")                                    \
    F(U64, rank, FIELD_ANY, "of the score below, among those of that half")                        \
    F(U64, next_rank, FIELD_ANY, "of the score above")                                             \
    F(U32, threshold, FIELD_ANY, "bits of the threshold")

struct isolation_progress {
    ISOLATION_FIELDS(FIELD_MEMBER)
};
FIELD_TABLE(progress_fields, struct isolation_progress, ISOLATION_FIELDS)

struct isolation {
    struct learner learner; /* its team scores rows, too */
    const struct isolation_params *params;
    uint32_t numbers, ids, sample, width; /* width: elements of a row */
    uint32_t together;                    /* trees whose samples one phase gathers */
    struct isolation_progress progress;
    struct isolation_forest forest; /* its counts are the progress's, too */
    struct isolation_growth growth;
    struct isolation_sample rows; /* sample of the tree that is grown */
    struct isolation_draw *draws; /* (together * sample): those of the phase */
    uint32_t drawn_from;          /* 1 + the first tree that they are of; 0: none are drawn */
    float threshold, base;        /* the content's */
    struct isolation_model content;
    struct isolation_scores scores; /* HIGH and LOW: those of rows */
};

/* ---- the plan ---- */

static uint32_t trees_of_phase(const struct isolation *isolation)
{
    const uint32_t left = isolation->params->trees - isolation->progress.trees;

    return left < isolation->together ? left : isolation->together;
}

static void describe(void *self)
{
    struct isolation *isolation = self;
    struct phase *phase = &isolation->learner.phase;

    phase->step = phase->number;
    if (phase->kind == PHASE_DONE)
        return;
    phase->rows = isolation->learner.dataset->train.rows;
    switch ((enum isolation_stage)isolation->progress.stage) {
    case ISOLATION_GATHER:
        phase->owned_count = trees_of_phase(isolation) * isolation->sample * isolation->width;
        break;
    case ISOLATION_HIGH:
        phase->owned_count = HALF_VALUES;
        break;
    case ISOLATION_LOW:
        phase->owned_count = 2 * HALF_VALUES;
        break;
    case ISOLATION_END:
        break;
    }
}

static bool has_share(const struct isolation *isolation)
{
    return isolation->params->contamination > 0;
}

static enum status check_plan(const struct isolation *isolation, struct error *err)
{
    const struct jobspec *spec = isolation->learner.spec;
    const double rows = (double)isolation->learner.dataset->train.rows;
    const struct kind_shape shape = {
        .task = spec->task, .dense = isolation->numbers, .ids = isolation->ids, .rows = rows};
    const struct kind_cost cost = isolation_kind.cost(&spec->params, &shape);
    char who[100];

    TRY(isolation_check_size(isolation->params, rows, isolation->numbers, isolation->ids, err));
    snprintf(who, sizeof who, "%u trees of samples of %llu rows", isolation->params->trees,
             (unsigned long long)isolation_sample_rows(isolation->params, rows));
    return learner_check_bytes(spec, isolation->learner.dataset->train.rows,
                               job_learner_bytes(&cost, false, rows), who,
                               "Lower n_estimators or max_samples.", err);
}

static void set_sizes(struct isolation *isolation)
{
    const uint64_t rows = isolation->learner.dataset->train.rows;
    const uint32_t columns = isolation->numbers + isolation->ids;
    uint32_t together;

    isolation->sample = (uint32_t)isolation_sample_rows(isolation->params, (double)rows);
    isolation->width = (uint32_t)isolation_row_elements(isolation->numbers, isolation->ids);
    together = GATHERED_MOST / (isolation->sample * isolation->width);
    isolation->together = together > TREES_MOST ? TREES_MOST : together > 0 ? together : 1;
    if (isolation->together > isolation->params->trees)
        isolation->together = isolation->params->trees;
    isolation->growth = (struct isolation_growth){
        .seed = isolation->learner.spec->seed,
        .columns_most = isolation_columns(isolation->params, columns),
        .depth_most = isolation_depth(isolation->sample),
        .leaf_scale = 1 / (isolation->params->trees * isolation_path(isolation->sample)),
    };
    isolation->rows = (struct isolation_sample){
        .rows = isolation->sample, .number_count = isolation->numbers, .id_count = isolation->ids};
}

static void put_shape(const void *self, struct text *out)
{
    const struct isolation *isolation = self;

    put_u32(out, isolation->sample);
    put_u32(out, isolation->width);
    put_u32(out, isolation->together);
}

/* ---- scores of rows ---- */

/* The forest with a threshold, which is 0 while scores are counted: outputs are scores then. */
static void set_content(struct isolation *isolation, float threshold)
{
    const struct isolation_forest *forest = &isolation->forest;

    isolation->threshold = threshold;
    isolation->content = (struct isolation_model){
        .trees = {.base = &isolation->base,
                  .trees = forest->trees,
                  .nodes = forest->nodes,
                  .sets = forest->sets,
                  .outputs = 1,
                  .tree_count = isolation->progress.trees,
                  .node_count = isolation->progress.nodes,
                  .set_count = isolation->progress.sets},
        .threshold = &isolation->threshold,
    };
}

static enum status open_scores(struct isolation *isolation, struct error *err)
{
    const struct learner *learner = &isolation->learner;
    struct model model;

    if (isolation->scores.count > 0)
        return STATUS_OK;
    set_content(isolation, 0);
    model = measuring_model(learner->spec, learner->dataset);
    model.content = &isolation->content;
    return isolation_scores_open(&isolation->scores, &model, learner->dataset, learner->team, err);
}

static void count_score(struct isolation *isolation, uint32_t key, int64_t *sums)
{
    const struct isolation_progress *progress = &isolation->progress;
    const uint32_t high = key / HALF_VALUES, low = key % HALF_VALUES;

    if (progress->stage == ISOLATION_HIGH) {
        learner_add(&isolation->learner, &sums[high], 1);
        return;
    }
    if (high == progress->high)
        learner_add(&isolation->learner, &sums[low], 1);
    if (high == progress->next_high)
        learner_add(&isolation->learner, &sums[HALF_VALUES + low], 1);
}

static void count_rows(struct isolation *isolation, uint64_t first, uint64_t end, int64_t *sums)
{
    const uint64_t most = isolation_scores_most(&isolation->scores);

    for (uint64_t next; first < end; first = next) {
        const float *scores;

        next = end - first < most ? end : first + most;
        scores = isolation_scores_of(&isolation->scores, isolation->learner.team, first, next);
        for (uint64_t row = first; row < next; row++)
            count_score(isolation, isolation_score_key(scores[row - first]), sums);
        progress_note();
    }
}

static enum status count_lane(struct isolation *isolation, uint32_t lane, int64_t *sums,
                              struct error *err)
{
    const struct learner *learner = &isolation->learner;

    TRY(open_scores(isolation, err));
    for (uint32_t range = lane * learner->ranges; range < (lane + 1) * learner->ranges; range++) {
        TRY(learner_hold(learner, range, err));
        count_rows(isolation, learner->starts[range], learner->starts[range + 1], sums);
        learner_release(learner, range);
    }
    return STATUS_OK;
}

/* ---- samples of rows ---- */

static size_t draws_of_phase(const struct isolation *isolation)
{
    return (size_t)trees_of_phase(isolation) * isolation->sample;
}

static enum status draw_phase(struct isolation *isolation, struct error *err)
{
    const uint32_t first = isolation->progress.trees;

    if (isolation->drawn_from == 1 + first)
        return STATUS_OK;
    TRY(isolation_draw_rows(isolation->learner.spec->seed, first, trees_of_phase(isolation),
                            isolation->sample, isolation->learner.dataset->train.rows,
                            isolation->draws, err));
    isolation->drawn_from = 1 + first;
    return STATUS_OK;
}

static uint32_t value_bits(const struct isolation *isolation, uint64_t row, uint32_t column)
{
    const struct dataset *dataset = isolation->learner.dataset;
    const struct transform *transform = &dataset->transform;

    if (column < isolation->numbers)
        return bits_of(dataset->train.dense[row * transform->dense_width + column]);
    return (uint32_t)dataset->train.ids[row * transform->id_count + column - isolation->numbers];
}

static void add_row(struct isolation *isolation, const struct isolation_draw *draw, int64_t *sums)
{
    const uint32_t columns = isolation->numbers + isolation->ids;
    int64_t *own = sums + (size_t)draw->place * isolation->width;

    for (uint32_t i = 0; i < isolation->width; i++) {
        const uint64_t low = value_bits(isolation, draw->row, 2 * i);
        const uint64_t high = 2 * i + 1 < columns ? value_bits(isolation, draw->row, 2 * i + 1) : 0;

        learner_add(&isolation->learner, &own[i], (int64_t)(high << 32 | low));
    }
}

/* The lane's rows that are drawn, range by range. */
static enum status gather_lane(struct isolation *isolation, uint32_t lane, int64_t *sums,
                               struct error *err)
{
    const struct learner *learner = &isolation->learner;
    const size_t count = draws_of_phase(isolation);
    size_t i;

    TRY(draw_phase(isolation, err));
    i = isolation_draws_find(isolation->draws, count, learner->starts[lane * learner->ranges]);
    for (uint32_t range = lane * learner->ranges; range < (lane + 1) * learner->ranges; range++) {
        if (i == count || isolation->draws[i].row >= learner->starts[range + 1])
            continue;
        TRY(learner_hold(learner, range, err));
        for (; i < count && isolation->draws[i].row < learner->starts[range + 1]; i++)
            add_row(isolation, &isolation->draws[i], sums);
        learner_release(learner, range);
        progress_note();
    }
    return STATUS_OK;
}

static enum status contribute(void *self, uint32_t first, uint32_t count, int64_t *integers,
                              int64_t *sums, struct touched_rows *rows, uint32_t *done,
                              struct error *err)
{
    struct isolation *isolation = self;
    (void)count, (void)integers, (void)rows, (void)done;

    return isolation->progress.stage == ISOLATION_GATHER ? gather_lane(isolation, first, sums, err)
                                                         : count_lane(isolation, first, sums, err);
}

/* ---- apply ---- */

static int32_t word_of(const struct transform *transform, uint32_t column, int32_t id)
{
    uint32_t i = 0;

    while (transform->inputs[i].spec.type != INPUT_CATEGORY ||
           transform->inputs[i].id_offset != column)
        i++;
    if (id < 0)
        return -1;
    id -= (int32_t)transform->inputs[i].first_id;
    return id < ISOLATION_OTHER_WORDS ? id : ISOLATION_OTHER_WORDS;
}

/* The sample of a tree, from the totals of its places. */
static void take_sample(struct isolation *isolation, const int64_t *totals)
{
    const struct transform *transform = &isolation->learner.dataset->transform;
    const uint32_t columns = isolation->numbers + isolation->ids;

    for (uint32_t row = 0; row < isolation->sample; row++, totals += isolation->width)
        for (uint32_t i = 0; i < columns; i++) {
            const uint32_t bits = (uint32_t)((uint64_t)totals[i / 2] >> (i % 2 ? 32 : 0));

            if (i < isolation->numbers)
                isolation->rows.numbers[(size_t)row * isolation->numbers + i] = float_of(bits);
            else
                isolation->rows.words[(size_t)row * isolation->ids + i - isolation->numbers] =
                    word_of(transform, i - isolation->numbers, (int32_t)bits);
        }
}

static void begin_end(struct isolation *isolation, float threshold)
{
    isolation->progress.threshold = bits_of(threshold);
    isolation->progress.stage = ISOLATION_END;
    isolation->learner.phase.kind = PHASE_DONE;
}

static enum status grow_trees(struct isolation *isolation, const int64_t *totals, struct error *err)
{
    struct isolation_progress *progress = &isolation->progress;
    const uint32_t count = trees_of_phase(isolation);

    for (uint32_t t = 0; t < count; t++) {
        take_sample(isolation, totals + (size_t)t * isolation->sample * isolation->width);
        TRY(isolation_grow(&isolation->growth, &isolation->rows, &isolation->forest, err));
    }
    progress->trees = isolation->forest.tree_count;
    progress->nodes = isolation->forest.node_count;
    progress->sets = isolation->forest.set_count;
    if (progress->trees < isolation->params->trees)
        return STATUS_OK;
    if (has_share(isolation))
        progress->stage = ISOLATION_HIGH;
    else
        begin_end(isolation, ISOLATION_THRESHOLD);
    return STATUS_OK;
}

/* Where numbers of so many rows have the one of this rank, which becomes that within its value. */
static enum status find_rank(const int64_t *counts, uint64_t *rank, uint32_t *value,
                             struct error *err)
{
    *value = 0;
    while (*value < HALF_VALUES && *rank >= (uint64_t)counts[*value])
        *rank -= (uint64_t)counts[(*value)++];
    return *value < HALF_VALUES ? STATUS_OK
                                : fail(err, STATUS_FAILED, "rows have no score of their rank");
}

/* The place of the share among the rows, as numpy.percentile has it. */
static double share_place(const struct isolation *isolation)
{
    return isolation->params->contamination * ((double)isolation->learner.dataset->train.rows - 1);
}

static enum status apply_high(struct isolation *isolation, const int64_t *totals, struct error *err)
{
    struct isolation_progress *progress = &isolation->progress;
    const uint64_t last = isolation->learner.dataset->train.rows - 1;

    progress->rank = (uint64_t)share_place(isolation);
    progress->next_rank = progress->rank < last ? progress->rank + 1 : last;
    TRY(find_rank(totals, &progress->rank, &progress->high, err));
    TRY(find_rank(totals, &progress->next_rank, &progress->next_high, err));
    progress->stage = ISOLATION_LOW;
    return STATUS_OK;
}

/* A row whose score is that of the threshold is no outlier: its output has to be above 0. */
static enum status apply_low(struct isolation *isolation, const int64_t *totals, struct error *err)
{
    struct isolation_progress *progress = &isolation->progress;
    const double place = share_place(isolation), part = place - floor(place);
    double below, above;
    uint32_t low, next_low;

    TRY(find_rank(totals, &progress->rank, &low, err));
    TRY(find_rank(totals + HALF_VALUES, &progress->next_rank, &next_low, err));
    below = (double)isolation_key_score(progress->high * HALF_VALUES + low);
    above = (double)isolation_key_score(progress->next_high * HALF_VALUES + next_low);
    begin_end(isolation, nextafterf((float)-(below + (above - below) * part), INFINITY));
    return STATUS_OK;
}

static enum status apply(void *self, const struct phase_totals *totals,
                         struct learner_report *report, struct error *err)
{
    struct isolation *isolation = self;

    report->train_loss = NAN;
    report->step_applied = true;
    report->rows_applied = isolation->learner.phase.rows;
    isolation_scores_close(&isolation->scores);
    switch ((enum isolation_stage)isolation->progress.stage) {
    case ISOLATION_GATHER:
        return grow_trees(isolation, totals->owned, err);
    case ISOLATION_HIGH:
        return apply_high(isolation, totals->owned, err);
    case ISOLATION_LOW:
        return apply_low(isolation, totals->owned, err);
    case ISOLATION_END:
        break;
    }
    return STATUS_OK;
}

/* ---- state ---- */

static uint32_t arrays(void *self, struct learner_array list[LEARNER_ARRAYS_MAX])
{
    struct isolation *isolation = self;
    const struct isolation_progress *progress = &isolation->progress;
    struct isolation_forest *forest = &isolation->forest;
    const unsigned traits = LEARNER_USED | LEARNER_SIZED | LEARNER_APPENDED;

    list[0] = (struct learner_array){(void **)&forest->trees,
                                     (uint64_t)progress->trees * TREE_NUMBERS * sizeof(float),
                                     traits, "the trees", "trees"};
    list[1] = (struct learner_array){(void **)&forest->nodes,
                                     (uint64_t)progress->nodes * NODE_NUMBERS * sizeof(float),
                                     traits, "the nodes of the trees", "weights"};
    list[2] = (struct learner_array){(void **)&forest->sets,
                                     (uint64_t)progress->sets * TREE_SET_NUMBERS * sizeof(float),
                                     traits, "the sets of words", "sets"};
    return 3;
}

static bool is_possible(const void *self, const struct learner_taking *coming)
{
    const struct isolation *isolation = self;
    const struct isolation_progress *progress = coming->progress;
    const bool is_whole = progress->trees == isolation->params->trees;

    if (coming->phase.kind == PHASE_EVALUATION || progress->trees > isolation->params->trees ||
        progress->nodes > TREES_NODES_MAX || progress->sets > TREES_SETS_MAX ||
        (coming->phase.kind == PHASE_DONE) != (progress->stage == ISOLATION_END) ||
        is_whole != (progress->stage != ISOLATION_GATHER) ||
        (!has_share(isolation) &&
         (progress->stage == ISOLATION_HIGH || progress->stage == ISOLATION_LOW)))
        return false;
    return isfinite(float_of(progress->threshold)) &&
           coming->bytes[0] == (uint64_t)progress->trees * TREE_NUMBERS * sizeof(float) &&
           coming->bytes[1] == (uint64_t)progress->nodes * NODE_NUMBERS * sizeof(float) &&
           coming->bytes[2] == (uint64_t)progress->sets * TREE_SET_NUMBERS * sizeof(float);
}

/* Whatever scoring and growing go by is looked at before it is used. */
static enum status enter(void *self, const struct learner_taking *taken, struct error *err)
{
    struct isolation *isolation = self;
    const struct isolation_progress *progress = &isolation->progress;
    struct isolation_forest *forest = &isolation->forest;
    struct model model;

    isolation_scores_close(&isolation->scores);
    isolation->drawn_from = 0;
    forest->tree_count = forest->tree_room = progress->trees;
    forest->node_count = forest->node_room = progress->nodes;
    forest->set_count = forest->set_room = progress->sets;
    if (!taken)
        return STATUS_OK;
    set_content(isolation, 0);
    model = measuring_model(isolation->learner.spec, isolation->learner.dataset);
    model.content = &isolation->content;
    return trees_check(&model, err) == STATUS_OK ? STATUS_OK
                                                 : state_corrupt(err, "its trees lead nowhere");
}

/* ---- the model ---- */

static enum status fill(void *self, struct model *model, struct error *err)
{
    struct isolation *isolation = self;
    (void)err;

    set_content(isolation, float_of(isolation->progress.threshold));
    model->content = &isolation->content;
    return STATUS_OK;
}

/* ---- open and close ---- */

static void isolation_close(void *self)
{
    struct isolation *isolation = self;

    isolation_scores_close(&isolation->scores);
    isolation_growth_deinit(&isolation->growth);
    free(isolation->rows.numbers);
    free(isolation->rows.words);
    free(isolation->draws);
}

static enum status use_team(void *self, struct error *err)
{
    (void)err;
    isolation_scores_close(&((struct isolation *)self)->scores);
    return STATUS_OK;
}

static enum status allocate(struct isolation *isolation, struct error *err)
{
    const size_t rows = isolation->sample;

    isolation->rows.numbers = calloc(rows * isolation->numbers + 1, sizeof(float));
    isolation->rows.words = calloc(rows * isolation->ids + 1, sizeof(int32_t));
    isolation->draws = calloc(rows * isolation->together, sizeof *isolation->draws);
    if (!isolation->rows.numbers || !isolation->rows.words || !isolation->draws)
        return fail_no_memory(err);
    return isolation_growth_init(&isolation->growth, isolation->sample,
                                 isolation->numbers + isolation->ids, err);
}

static void plan_phases(struct isolation *isolation)
{
    struct learner *learner = &isolation->learner;
    const uint32_t gathered = isolation->together * isolation->sample * isolation->width;
    const uint32_t trees = isolation->params->trees, together = isolation->together;

    learner->steps_total = (trees + together - 1) / together + (has_share(isolation) ? 2 : 0);
    learner->elements_most = gathered;
    if (has_share(isolation) && gathered < 2 * HALF_VALUES)
        learner->elements_most = 2 * HALF_VALUES;
    learner->row_work = (double)trees * isolation->growth.depth_most;
}

static enum status plan(void *self, struct error *err)
{
    struct isolation *isolation = self;
    struct learner *learner = &isolation->learner;

    isolation->params = isolation_params((struct kind_params *)(uintptr_t)&learner->spec->params);
    isolation->numbers = transform_features(&learner->dataset->transform);
    isolation->ids = learner->dataset->transform.id_count;
    TRY(check_plan(isolation, err));
    set_sizes(isolation);
    TRY(learner_cut(learner, isolation->width, err));
    TRY(allocate(isolation, err));
    plan_phases(isolation);
    return STATUS_OK;
}

const struct learner_method isolation_learner = {
    .bytes = sizeof(struct isolation),
    .progress = progress_fields,
    .progress_at = offsetof(struct isolation, progress),
    .progress_bytes = sizeof(struct isolation_progress),
    .plan = plan,
    .close = isolation_close,
    .put_shape = put_shape,
    .arrays = arrays,
    .is_possible = is_possible,
    .enter = enter,
    .describe = describe,
    .contribute = contribute,
    .apply = apply,
    .fill = fill,
    .use_team = use_team,
};
