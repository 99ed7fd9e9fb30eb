#include "runtime/learn/trees/trees_lanes.h"

#include <stdlib.h>
#include <string.h>

#include "base/process/progress.h"
#include "base/sums/words.h"
#include "base/vectors.h"
#include "runtime/data/dataset/dataset_encode.h"
#include "runtime/data/dataset/row_store.h"
#include "runtime/learn/trees/growth/tree_draws.h"
#include "runtime/learn/trees/trees_phases.h"
#include "runtime/learn/trees/trees_state.h"
#include "scoring/numbers/elementary.h"

#define READ_ROWS  65536   /* in one call, about */
#define CALL_ROWS  1000000 /* computed with in one call, about */
#define PART_ROWS  16384   /* rows of a node: fewer are no task of their own */
#define PARTS_MOST 2       /* parts of a node, for each thread */
#define LANES      16      /* numbers in a vector */
#define AHEAD_ROWS 256     /* rows of a node: as many are asked for before they are needed */
/* The time that a processor takes, about: for an output of a row in a lane's task, for a column of
 * a row that is summed. */
#define ROW_NANOSECONDS  20
#define CELL_NANOSECONDS 1

/* The results of a lane's task; tasks of different lanes run side by side. */
struct lane_result {
    int64_t loss, hits, held_out_loss, held_out_hits;
    float gradient, hessian; /* the greatest */
    uint64_t scores;         /* sum of the scores for the round's metrics */
};

struct lane_result *trees_new_results(uint32_t lanes)
{
    return calloc(lanes, sizeof(struct lane_result));
}

/* ---- reading rows ---- */

static void free_lane(struct trees *trees, uint32_t lane)
{
    tree_rows_deinit(&trees->rows[lane]);
    tree_rows_deinit(&trees->held_out[lane]);
    trees->is_read[lane] = false;
}

void trees_free_lanes(struct trees *trees)
{
    const bool have_some = trees->rows && trees->held_out && trees->is_read;

    for (uint32_t lane = 0; have_some && lane < trees->learner.lanes; lane++)
        free_lane(trees, lane);
}

void trees_forget_scores(struct trees *trees)
{
    trees->grown = 0;
    for (uint32_t lane = 0; lane < trees->learner.lanes; lane++) {
        if (!trees->is_read[lane])
            continue;
        tree_rows_start(&trees->rows[lane], trees->base);
        tree_rows_start(&trees->held_out[lane], trees->base);
    }
}

static enum status read_part(const struct trees *trees, const struct dataset_part *part,
                             const uint64_t *starts, struct tree_rows *rows, bool learns,
                             struct error *err)
{
    const struct dataset *dataset = trees->learner.dataset;
    const uint64_t first = starts[0], count = starts[trees->learner.ranges] - first;

    TRY(tree_rows_init(rows, &trees->layout, (uint32_t)count, trees->outputs, part, learns, err));
    if (trees->start.old) {
        rows->starts = malloc((count * trees->outputs + 1) * sizeof *rows->starts);
        if (!rows->starts)
            return fail_no_memory(err);
    }
    if (dataset->transform.offset_width > 0 && !trees->start.old)
        TRY(tree_rows_keep_offsets(rows, err));
    if (trees_rank(trees->objective.name))
        TRY(tree_rows_keep_groups(rows, err));
    for (uint32_t range = 0; range < trees->learner.ranges; range++) {
        if (starts[range] == starts[range + 1])
            continue;
        TRY(row_store_hold(dataset, part, starts[range], starts[range + 1], trees->learner.team,
                           err));
        if (range + 1 < trees->learner.ranges)
            row_store_expect(dataset, part, starts[range + 1], starts[range + 2]);
        tree_rows_load(rows, dataset, part, starts[range],
                       (uint32_t)(starts[range + 1] - starts[range]),
                       (uint32_t)(starts[range] - first));
        if (trees->start.old)
            trees_start_rows(&trees->start, dataset, part, starts[range],
                             starts[range + 1] - starts[range],
                             rows->starts + (starts[range] - first) * trees->outputs);
        row_store_release(dataset, part, starts[range], starts[range + 1]);
    }
    if (learns && trees_have_quantiles(trees->objective.name))
        TRY(tree_rows_keep_residuals(rows, err));
    if (trees->drops.weights)
        TRY(tree_rows_keep_sums(rows, trees->params.rounds, trees->sum_scale, err));
    TRY(tree_rows_loaded(rows, err));
    tree_rows_start(rows, trees->base);
    return STATUS_OK;
}

static enum status read_lane(struct trees *trees, uint32_t lane, struct error *err)
{
    const struct dataset *dataset = trees->learner.dataset;
    const size_t range = (size_t)lane * trees->learner.ranges;
    enum status status;

    if (trees->is_read[lane])
        return STATUS_OK;
    status = read_part(trees, &dataset->train, trees->learner.starts + range, &trees->rows[lane],
                       true, err);
    if (status == STATUS_OK)
        status = read_part(trees, &dataset->validation, trees->held_out_starts + range,
                           &trees->held_out[lane], false, err);
    if (status != STATUS_OK)
        free_lane(trees, lane);
    else
        trees->is_read[lane] = true;
    return status;
}

/* Rows that cannot be read now are read, or the failure told, when they are computed with. */
uint32_t trees_lane_open(void *self, uint32_t first, uint32_t count, uint32_t done)
{
    struct trees *trees = self;
    uint64_t rows = 0;
    struct error err;

    for (uint32_t lane = 0; done == 0 && lane < trees->learner.lanes; lane++)
        if (trees->is_read[lane] && (lane < first || lane >= first + count))
            free_lane(trees, lane);
    error_clear(&err);
    while (done < count && rows < READ_ROWS) {
        const uint32_t lane = first + done++;

        progress_note();
        if (trees->is_read[lane])
            continue;
        if (read_lane(trees, lane, &err) != STATUS_OK)
            return count;
        rows += trees->rows[lane].rows;
    }
    return done;
}

/* ---- scores ---- */

static enum status check_rows(const struct tree_rows *rows, uint32_t parts, struct error *err)
{
    return tree_rows_are_intact(rows, parts) ? STATUS_OK : memory_damaged(err, "rows");
}

static enum status check_gradients(const struct trees *trees, const struct tree_rows *rows,
                                   struct error *err)
{
    return tree_rows_gradients_are_intact(rows, trees_output(trees)) ? STATUS_OK
                                                                     : memory_damaged(err, "rows");
}

static enum status check_order(const struct tree_rows *rows, struct error *err)
{
    return tree_rows_order_is_whole(rows) ? STATUS_OK : memory_damaged(err, "the order of rows");
}

/* All nodes of the tree that grew here last are divided in these rows, too: a lane that was
 * elsewhere meanwhile may have come back with some of them. */
static bool has_grown(const struct trees *trees, const struct tree_rows *rows)
{
    return trees->grown > 0 && rows->tree == trees->grown &&
           rows->divided == trees->growing.divided_count;
}

/* The tree that grew here last reaches the rows by its nodes, and joins the totals, if it is their
 * next one. */
static enum status score_grown(struct trees *trees, struct tree_rows *rows, struct error *err)
{
    const uint32_t last = trees->grown - 1;

    if (rows->sums || !has_grown(trees, rows) || rows->scored != last)
        return STATUS_OK;
    TRY(check_order(rows, err));
    tree_rows_score_grown(rows, &trees->growing, trees->forest.trees[last].output, trees->values);
    return STATUS_OK;
}

/* The trees up to that one join the scores. */
static enum status score(struct trees *trees, struct tree_rows *rows, uint32_t upto,
                         struct error *err)
{
    TRY(check_rows(rows, TREE_ROWS_LABELS, err));
    TRY(score_grown(trees, rows, err));
    TRY(check_rows(rows, TREE_ROWS_SCORES, err));
    if (rows->sums)
        return STATUS_OK;
    TRY(trees_verify_grown(trees, rows->scored, upto, err)); /* their nodes lead rows */
    TRY(tree_rows_score(rows, &trees->forest, upto, err));
    tree_rows_take_scores(rows);
    return STATUS_OK;
}

/* Each round with its weight; without those that the next one is grown without. */
static enum status weigh_rounds(const struct trees *trees, struct tree_rows *rows,
                                bool without_dropped, struct error *err)
{
    const struct tree_drops *drops = &trees->drops;

    TRY(check_rows(rows, TREE_ROWS_LABELS | TREE_ROWS_SCORES, err));
    TRY(trees_verify_grown(trees, 0, drops->rounds * trees->trees_each, err));
    for (uint32_t round = 0; round < drops->rounds; round++) {
        const bool is_out = without_dropped && drops->are_dropped[round];

        TRY(tree_rows_weigh(rows, &trees->forest, round * trees->trees_each, trees->trees_each,
                            round, is_out ? 0 : drops->weights[round], err));
    }
    tree_rows_take_scores(rows);
    return STATUS_OK;
}

/* Scores by all rounds so far. */
static enum status score_rounds(struct trees *trees, struct tree_rows *rows, struct error *err)
{
    return rows->sums ? weigh_rounds(trees, rows, false, err)
                      : score(trees, rows, trees->progress.round * trees->trees_each, err);
}

/* ---- numbers that lanes add up ---- */

/* Lanes are tasks, and each member of the team adds to numbers of its own. */
struct counts_task {
    struct trees *trees;
    uint32_t first;   /* lane of task 0 */
    uint32_t count;   /* numbers per member */
    uint32_t *leaves; /* (growing.leaves): trees_list_leaves */
    int64_t *counts;  /* (team_size, count) */
};

static int64_t *counts_of(const struct counts_task *about, uint32_t member)
{
    return about->counts + (size_t)member * about->count;
}

/* The team, if so much work with each row of the lanes is enough for it. */
static struct team *team_of_lanes(const struct trees *trees, uint32_t first, uint32_t end,
                                  double nanoseconds)
{
    double rows = 0;

    for (uint32_t lane = first; lane < end; lane++)
        rows += trees->rows[lane].rows;
    return team_for(trees->learner.team, rows * nanoseconds);
}

/* The lanes' tasks add to the sums of the phase: integers, or those that have owners. */
static enum status count_lanes(struct trees *trees, uint32_t first, uint32_t end, team_task *task,
                               int64_t *integers, int64_t *owned, struct error *err)
{
    const struct phase *phase = &trees->learner.phase;
    const bool is_owned = phase->owned_count > 0;
    const uint32_t count = is_owned ? phase->owned_count : phase->integer_count;
    const size_t all = (size_t)team_size(trees->learner.team) * count;
    int64_t *totals = is_owned ? owned : integers;
    struct counts_task about = {trees, first, count,
                                malloc((trees->growing.leaves + 1) * sizeof *about.leaves),
                                calloc(all, sizeof *about.counts)};
    enum status status;

    if (!about.leaves || !about.counts) {
        status = fail_no_memory(err);
    } else {
        trees_list_leaves(&trees->growing, about.leaves);
        team_run(team_of_lanes(trees, first, end, ROW_NANOSECONDS), end - first, task, &about);
        status = first_failure(trees->errors + first, end - first, err);
        for (size_t i = 0; i < all; i++) {
            totals[i % count] = words_add(totals[i % count], about.counts[i]);
            trees->learner.contributed += is_owned ? (uint64_t)about.counts[i] : 0;
        }
    }
    free(about.leaves);
    free(about.counts);
    return status;
}

/* ---- risks ---- */

static void count_risks(void *context, uint32_t member, uint32_t task)
{
    const struct counts_task *about = context;
    struct trees *trees = about->trees;
    const uint32_t lane = about->first + task, half = about->count / 2;
    const struct tree_risks *risks = &trees->objective.risks;
    struct tree_rows *rows = &trees->rows[lane], *held_out = &trees->held_out[lane];
    int64_t *counts = counts_of(about, member);

    progress_note();
    if (score_rounds(trees, rows, &trees->errors[lane]) != STATUS_OK ||
        score_rounds(trees, held_out, &trees->errors[lane]) != STATUS_OK)
        return;
    tree_risks_count(risks, rows->rows, rows->values, rows->scores, counts);
    tree_risks_count(risks, held_out->rows, held_out->values, held_out->scores, counts + half);
}

/* ---- gradients ---- */

/* Maxima side by side, so that it goes by vectors. */
WIDE_VECTORS
static float greatest_of(const float *numbers, size_t count)
{
    float lanes[LANES] = {0}, most = 0;
    size_t i = 0;

    for (; i + LANES <= count; i += LANES)
        for (uint32_t j = 0; j < LANES; j++) {
            const float size = fabsf(numbers[i + j]);

            lanes[j] = size > lanes[j] ? size : lanes[j];
        }
    for (; i < count; i++)
        most = fabsf(numbers[i]) > most ? fabsf(numbers[i]) : most;
    for (uint32_t j = 0; j < LANES; j++)
        most = lanes[j] > most ? lanes[j] : most;
    return most;
}

static struct tree_labels labels_of(const struct trees *trees, const struct tree_rows *rows)
{
    return (struct tree_labels){
        .values = rows->values,
        .classes = rows->classes,
        .weights = rows->weights,
        .uppers = rows->uppers,
        .groups = &rows->groups_of,
        .keys = rows->keys,
        .round = trees->progress.round,
        .are_held_out = rows->gradients == NULL,
    };
}

/* Finds the scores that the round begins with, and losses and gradients from them. The round after
 * the last is begun, too, for its losses alone. metrics: integers for the metrics of the round
 * before; NULL: they are not wanted. */
static enum status begin_round(struct trees *trees, uint32_t lane, int64_t *metrics)
{
    const uint32_t round = trees->progress.round;
    struct lane_result *result = &trees->results[lane];
    struct tree_rows *rows = &trees->rows[lane];
    const struct tree_labels labels = labels_of(trees, rows);
    const size_t numbers = (size_t)rows->rows * trees->outputs;

    TRY(score_rounds(trees, rows, &trees->errors[lane]));
    tree_objective_rows(&trees->objective, labels, 0, rows->rows, rows->scores, rows->gradients,
                        rows->hessians, &result->loss, &result->hits);
    if (metrics)
        round_metrics_rows(&trees->metrics, &labels, rows->rows, rows->scores, metrics);
    if (trees->drops.dropped > 0 && round < trees->params.rounds) {
        TRY(weigh_rounds(trees, rows, true, &trees->errors[lane]));
        tree_objective_rows(&trees->objective, labels, 0, rows->rows, rows->scores, rows->gradients,
                            rows->hessians, NULL, NULL);
    }
    if (rows->residuals)
        tree_rows_find_residuals(rows);
    tree_rows_guard_gradients(rows);
    rows->is_chosen = false;
    rows->round = (uint64_t)round + 1;
    rows->tree = 0;
    result->gradient = greatest_of(rows->gradients, numbers);
    result->hessian = greatest_of(rows->hessians, numbers);
    return STATUS_OK;
}

/* sums: of the scores of all lanes, each at its own place. */
static enum status measure_held_out(struct trees *trees, uint32_t lane, int64_t *metrics,
                                    int64_t *sums)
{
    struct lane_result *result = &trees->results[lane];
    struct tree_rows *rows = &trees->held_out[lane];
    const struct tree_labels labels = labels_of(trees, rows);

    TRY(score_rounds(trees, rows, &trees->errors[lane]));
    tree_objective_rows(&trees->objective, labels, 0, rows->rows, rows->scores, NULL, NULL,
                        &result->held_out_loss, &result->held_out_hits);
    if (!metrics)
        return STATUS_OK;
    round_metrics_rows(&trees->metrics, &labels, rows->rows, rows->scores, metrics);
    if (trees->metrics.scored_rows > 0)
        result->scores = round_metrics_scores(
            &trees->metrics, &labels, trees->held_out_starts[(size_t)lane * trees->learner.ranges],
            rows->rows, rows->scores, sums);
    return STATUS_OK;
}

static uint32_t level_of(float greatest)
{
    return bits_of(greatest) >> TREES_LEVEL_SHIFT;
}

/* ---- the growing tree ---- */

static enum status divide_rows(const struct trees *trees, struct tree_rows *rows, uint32_t upto,
                               struct error *err)
{
    const struct growing_tree *tree = &trees->growing;
    struct tree_split_table table;

    TRY(tree_rows_reserve(rows, tree->node_count, err));
    for (; rows->divided < upto; rows->divided++) {
        const uint32_t node = tree->divided[rows->divided];

        tree_split_table(tree, node, &table);
        for (uint32_t block = 0; block < rows->blocks; block++)
            if (!tree_rows_divide(rows, tree, node, &table, block))
                return memory_damaged(err, "the order of rows");
    }
    return STATUS_OK;
}

/* A lane's rows are where the phase needs them: in the round, in the tree, and divided by so many
 * nodes, as they are already where the lane was computed here before. */
static enum status follow(struct trees *trees, uint32_t lane, uint32_t divided)
{
    struct tree_rows *rows = &trees->rows[lane];
    const struct tree_sampling sampling = trees_sampling(trees);
    const uint32_t growing = trees_growing(trees);

    if (rows->round != (uint64_t)trees->progress.round + 1)
        TRY(begin_round(trees, lane, NULL));
    if (trees_choose_rows(trees) && !rows->is_chosen) {
        const struct tree_choice choice = trees_choice(trees);

        TRY(check_rows(rows, TREE_ROWS_GRADIENTS, &trees->errors[lane]));
        tree_rows_choose(rows, &choice);
    }
    if (trees->progress.stage == TREES_GOSS)
        return STATUS_OK;
    if (rows->tree != (uint64_t)growing + 1) {
        TRY(score_grown(trees, rows, &trees->errors[lane]));
        TRY(check_gradients(trees, rows, &trees->errors[lane]));
        TRY(tree_rows_begin(rows, &trees->errors[lane]));
        rows->tree = (uint64_t)growing + 1;
    }
    if (!rows->is_packed && trees->progress.stage != TREES_ROOT)
        tree_rows_pack_all(rows, trees_output(trees), &sampling);
    return divide_rows(trees, rows, divided, &trees->errors[lane]);
}

/* ---- tasks ---- */

struct lanes_task {
    struct trees *trees;
    uint32_t first; /* lane of task 0 */
    uint32_t divided;
    /* A round that is measured has integers of its metrics, (team_size, metric_count), and the
     * places of scores; else NULL. */
    int64_t *metrics, *sums;
    uint32_t metric_count;
};

static void gradients_task(void *context, uint32_t member, uint32_t task)
{
    const struct lanes_task *about = context;
    struct trees *trees = about->trees;
    const uint32_t lane = about->first + task;
    int64_t *metrics =
        about->metrics ? about->metrics + (size_t)member * about->metric_count : NULL;

    progress_note();
    if (begin_round(trees, lane, metrics) == STATUS_OK)
        measure_held_out(trees, lane, metrics, about->sums);
}
static void follow_task(void *context, uint32_t member, uint32_t task)
{
    const struct lanes_task *about = context;
    (void)member;

    progress_note();
    follow(about->trees, about->first + task, about->divided);
}

/* Rows of a node in some lanes, of which the histogram is summed. */
struct node_part {
    uint32_t node, summed; /* the node that is divided; itself at the root */
    uint32_t first_lane, end_lane;
    uint32_t number; /* in the batch */
    uint64_t size;   /* rows of the node */
    int64_t *histogram;
    int64_t rows; /* rows of a divided node that are summed, and that the tree is grown from */
    bool was_bad; /* the order of its rows */
};

struct parts_task {
    struct trees *trees;
    struct node_part *parts;
    uint32_t count;
};

/* A block of a lane, on the way through those of a part; `rows` of the node that is divided were
 * before it. */
struct place {
    uint32_t lane, block;
    uint64_t rows;
};

static struct place first_place(const struct trees *trees, const struct node_part *part)
{
    struct place place = {part->first_lane, 0, 0};

    while (place.lane < part->end_lane && trees->rows[place.lane].blocks == 0)
        place.lane++;
    return place;
}

/* There is one more, after which `rows` is that of the next. */
static bool is_place(const struct node_part *part, const struct place *place)
{
    return place->lane < part->end_lane;
}

static void go_on(const struct trees *trees, const struct node_part *part, struct place *place)
{
    place->rows += tree_rows_run(&trees->rows[place->lane], part->node, place->block)->count;
    if (++place->block < trees->rows[place->lane].blocks)
        return;
    place->block = 0;
    do
        place->lane++;
    while (place->lane < part->end_lane && trees->rows[place->lane].blocks == 0);
}

/* Divides rows of the part's node up to some that are ahead of those that are summed. Before, their
 * bins of the column were asked for; after that the rows are that will be summed. */
static bool divide_ahead(const struct trees *trees, const struct node_part *part,
                         const struct tree_split_table *table, uint64_t upto, struct place *asked,
                         struct place *divided)
{
    const struct growing_tree *tree = &trees->growing;

    while (is_place(part, divided) && divided->rows <= upto) {
        for (; is_place(part, asked) && asked->rows <= divided->rows + AHEAD_ROWS;
             go_on(trees, part, asked))
            tree_rows_expect_column(&trees->rows[asked->lane], part->node, asked->block,
                                    tree->nodes[part->node].split.column);
        if (!tree_rows_divide(&trees->rows[divided->lane], tree, part->node, table, divided->block))
            return false;
        tree_rows_expect(&trees->rows[divided->lane], part->summed, divided->block, 0);
        go_on(trees, part, divided);
    }
    return true;
}

static void ask_ahead(const struct trees *trees, const struct node_part *part, uint32_t piece,
                      uint64_t upto, struct place *asked)
{
    for (; is_place(part, asked) && asked->rows <= upto; go_on(trees, part, asked))
        tree_rows_expect(&trees->rows[asked->lane], part->summed, asked->block, piece);
}

/* Packed sums of a part's rows in one piece of the layout, a group of columns or a wide one, on
 * their way to the histogram. */
struct packed_sums {
    struct trees *trees;
    const struct node_part *part;
    uint32_t piece, rows;
    int64_t *sums;
};

static void flush(struct packed_sums *packed)
{
    struct trees *trees = packed->trees;

    pthread_mutex_lock(&trees->lock);
    trees->learner.contributed +=
        tree_rows_unpack(&trees->layout, packed->piece, packed->sums, packed->part->histogram);
    pthread_mutex_unlock(&trees->lock);
    packed->rows = 0;
}

static void make_room(struct packed_sums *packed, uint32_t rows)
{
    if (packed->rows + rows > TREE_PACKED_ROWS)
        flush(packed);
    packed->rows += rows;
}

/* All rows of the lanes, whose gradients become integers on the way. */
static void sum_root(struct packed_sums *packed)
{
    const struct trees *trees = packed->trees;
    const struct tree_sampling sampling = trees_sampling(trees);

    for (struct place place = first_place(trees, packed->part); is_place(packed->part, &place);
         go_on(trees, packed->part, &place)) {
        struct tree_rows *rows = &trees->rows[place.lane];

        make_room(packed, tree_rows_run(rows, 0, place.block)->count);
        if (packed->piece == 0)
            tree_rows_pack(rows, trees_output(trees), &sampling, place.block);
        tree_rows_sum_all(rows, place.block, packed->piece, packed->sums);
    }
    flush(packed);
}

/* Those of the smaller child. The rows are divided on the way in the first group. */
static bool sum_child(struct packed_sums *packed)
{
    const struct trees *trees = packed->trees;
    const struct node_part *part = packed->part;
    struct place asked = first_place(trees, part), divided = asked, summed = asked;
    struct tree_split_table table;

    tree_split_table(&trees->growing, part->node, &table);
    for (; is_place(part, &summed); go_on(trees, part, &summed)) {
        const struct tree_rows *rows = &trees->rows[summed.lane];

        if (packed->piece > 0)
            ask_ahead(trees, part, packed->piece, summed.rows + AHEAD_ROWS, &asked);
        else if (!divide_ahead(trees, part, &table, summed.rows + AHEAD_ROWS, &asked, &divided))
            return false;
        make_room(packed, tree_rows_run(rows, part->summed, summed.block)->count);
        tree_rows_sum(rows, part->summed, summed.block, packed->piece, packed->sums);
    }
    if (packed->rows > 0)
        flush(packed);
    return true;
}

/* ---- sums where draws are few ---- */

/* A node that is summed in the columns of its own list. */
struct drawn_sums {
    uint32_t node, rows;
    const uint32_t *columns; /* NULL: it is not divided, and not summed */
    int64_t *sums, *histogram;
};

static uint32_t drawn_room(const struct trees *trees)
{
    return trees->growing.draws.bins + TREE_BINS_MAX;
}

uint32_t trees_packed_bins(const struct trees *trees)
{
    const uint32_t drawn = tree_draws_are_few(&trees->growing) ? 2 * drawn_room(trees) : 0;

    return drawn > trees->layout.piece_bins ? drawn : trees->layout.piece_bins;
}

/* The root alone, or both children. Returns how many. */
static uint32_t list_drawn(const struct trees *trees, const struct node_part *part, int64_t *packed,
                           struct drawn_sums drawn[2])
{
    const struct growing_tree *tree = &trees->growing;
    const bool is_root = part->node == part->summed;
    const uint32_t count = is_root ? 1 : 2;

    for (uint32_t i = 0; i < count; i++)
        drawn[i] = (struct drawn_sums){
            .node = is_root ? part->node : tree->nodes[part->node].left + i,
            .columns = is_root || tree_growth_may_divide(tree, part->node, i)
                           ? tree_draws_list(tree, count * part->number + i)
                           : NULL,
            .sums = packed + (size_t)i * drawn_room(trees),
            .histogram = part->histogram + 2 * (size_t)i * tree->draws.bins,
        };
    return count;
}

static void flush_drawn(struct trees *trees, struct drawn_sums *drawn)
{
    if (drawn->rows == 0)
        return;
    pthread_mutex_lock(&trees->lock);
    trees->learner.contributed +=
        tree_rows_unpack_columns(trees->growing.draws.bins, drawn->sums, drawn->histogram);
    pthread_mutex_unlock(&trees->lock);
    drawn->rows = 0;
}

static void sum_drawn(struct trees *trees, const struct place *place, struct drawn_sums *drawn)
{
    const struct tree_rows *rows = &trees->rows[place->lane];
    const uint32_t count = tree_rows_run(rows, drawn->node, place->block)->count;

    if (!drawn->columns)
        return;
    if (drawn->rows + count > TREE_PACKED_ROWS)
        flush_drawn(trees, drawn);
    drawn->rows += count;
    tree_rows_sum_columns(rows, drawn->node, place->block, drawn->columns,
                          trees->growing.draws.columns, drawn->sums);
}

static void sum_drawn_part(struct trees *trees, struct node_part *part, int64_t *packed)
{
    const struct tree_sampling sampling = trees_sampling(trees);
    const bool is_root = part->node == part->summed;
    struct place summed = first_place(trees, part), asked = summed, divided = summed;
    struct tree_split_table table;
    struct drawn_sums drawn[2];
    const uint32_t count = list_drawn(trees, part, packed, drawn);

    progress_note();
    if (!is_root)
        tree_split_table(&trees->growing, part->node, &table);
    for (; is_place(part, &summed); go_on(trees, part, &summed)) {
        if (is_root)
            tree_rows_pack(&trees->rows[summed.lane], trees_output(trees), &sampling, summed.block);
        else if (!divide_ahead(trees, part, &table, summed.rows + AHEAD_ROWS, &asked, &divided)) {
            part->was_bad = true;
            break;
        }
        for (uint32_t i = 0; i < count; i++)
            sum_drawn(trees, &summed, &drawn[i]);
    }
    for (uint32_t i = 0; i < count; i++)
        flush_drawn(trees, &drawn[i]);
}

/* ---- parts ---- */

static void sum_pieces(struct trees *trees, struct node_part *part, int64_t *sums)
{
    struct packed_sums packed = {.trees = trees, .part = part, .sums = sums};

    for (; packed.piece < trees->layout.piece_count && !part->was_bad; packed.piece++) {
        progress_note();
        if (part->node == part->summed)
            sum_root(&packed);
        else
            part->was_bad = !sum_child(&packed);
    }
}

static void sum_part(void *context, uint32_t member, uint32_t task)
{
    const struct parts_task *about = context;
    struct trees *trees = about->trees;
    struct node_part *part = &about->parts[task];
    const struct tree_sampling sampling = trees_sampling(trees);
    int64_t *packed = trees->packed + (size_t)member * trees->packed_bins;

    if (tree_draws_are_few(&trees->growing))
        sum_drawn_part(trees, part, packed);
    else
        sum_pieces(trees, part, packed);
    for (uint32_t lane = part->first_lane;
         part->node != part->summed && !part->was_bad && lane < part->end_lane; lane++)
        part->rows += tree_rows_sampled(&trees->rows[lane], part->summed, &sampling);
}

/* The node's rows of the lanes as some parts of about the same size. */
static uint32_t cut_parts(const struct trees *trees, uint32_t first, uint32_t end,
                          const struct node_part *whole, uint32_t most, struct node_part *parts)
{
    uint64_t rows = 0, each, taken = 0;
    uint32_t count = 0, lane = first;

    for (uint32_t l = first; l < end; l++)
        rows += tree_rows_count(&trees->rows[l], whole->node);
    each = rows / most > PART_ROWS ? rows / most : PART_ROWS;
    while (lane < end) {
        struct node_part *part = &parts[count++];

        *part = *whole;
        part->first_lane = lane;
        taken = 0;
        while (lane < end && (taken < each || count == most))
            taken += tree_rows_count(&trees->rows[lane++], whole->node);
        part->end_lane = lane;
        part->size = taken;
    }
    return count;
}

/* Large ones first, so that threads end at about the same time. */
static int compare_parts(const void *a, const void *b)
{
    const struct node_part *first = a, *second = b;

    return (first->size < second->size) - (first->size > second->size);
}

/* counts: of each node of the batch the rows that are summed. */
static enum status sum_histograms(struct trees *trees, uint32_t first, uint32_t end,
                                  int64_t *counts, int64_t *sums, struct error *err)
{
    const struct growing_tree *tree = &trees->growing;
    const bool is_root = trees->progress.stage == TREES_ROOT;
    const uint32_t nodes = is_root ? 1 : tree->batch_count;
    const uint32_t most = PARTS_MOST * team_size(trees->learner.team);
    const uint32_t columns =
        tree_draws_are_few(tree) ? tree->draws.columns : trees->bins.column_count;
    struct parts_task about = {trees, NULL, 0};
    enum status status = STATUS_OK;
    double rows = 0;

    about.parts = malloc(((size_t)nodes * most + 1) * sizeof *about.parts);
    if (!about.parts)
        return fail_no_memory(err);
    if (tree_draws_are_few(tree) && is_root)
        tree_draws_list_root(&trees->growing, trees_number_of_growing(trees));
    else if (tree_draws_are_few(tree))
        tree_draws_list_batch(&trees->growing);
    for (uint32_t i = 0; i < nodes; i++) {
        const uint32_t node = is_root ? 0 : tree_growth_batch_node(tree, i);
        const struct node_part whole = {
            .node = node,
            .summed = is_root ? node : tree_growth_summed(tree, node),
            .number = i,
            .histogram = sums + 2 * (size_t)i * tree_growth_node_bins(tree),
        };

        about.count += cut_parts(trees, first, end, &whole, most, about.parts + about.count);
    }
    for (uint32_t i = 0; i < about.count; i++)
        rows += (double)about.parts[i].size;
    qsort(about.parts, about.count, sizeof *about.parts, compare_parts);
    team_run(team_for(trees->learner.team, rows * CELL_NANOSECONDS * columns), about.count,
             sum_part, &about);
    for (uint32_t lane = first; lane < end; lane++) {
        trees->rows[lane].is_packed = true;
        trees->rows[lane].divided = is_root ? 0 : tree->divided_count;
    }
    for (uint32_t i = 0; i < about.count; i++) {
        int64_t *count = &counts[about.parts[i].number];

        *count = words_add(*count, about.parts[i].rows);
        if (about.parts[i].was_bad)
            status = memory_damaged(err, "the order of rows");
    }
    free(about.parts);
    return status;
}

/* ---- leaves ---- */

static void sum_leaves(void *context, uint32_t member, uint32_t task)
{
    const struct counts_task *about = context;
    struct trees *trees = about->trees;
    const struct tree_sampling sampling = trees_sampling(trees);
    const struct tree_rows *rows = &trees->rows[about->first + task];
    struct error *err = &trees->errors[about->first + task];
    int exponents[2];

    progress_note();
    trees_exponents(trees, exponents);
    if (check_gradients(trees, rows, err) != STATUS_OK || check_order(rows, err) != STATUS_OK)
        return;
    tree_rows_exact(rows, about->leaves, trees->growing.leaves, trees_output(trees), &sampling,
                    exponents, counts_of(about, member));
}

/* ---- quantiles of leaves ---- */

static void count_residuals(void *context, uint32_t member, uint32_t task)
{
    const struct counts_task *about = context;
    struct trees *trees = about->trees;
    const struct tree_sampling sampling = trees_sampling(trees);
    const struct tree_rows *rows = &trees->rows[about->first + task];
    struct error *err = &trees->errors[about->first + task];
    int64_t *counts = counts_of(about, member);

    progress_note();
    if (check_gradients(trees, rows, err) != STATUS_OK || check_order(rows, err) != STATUS_OK)
        return;
    for (uint32_t i = 0; i < trees->growing.leaves; i++)
        tree_rows_count_residuals(rows, about->leaves[i], trees_output(trees), &sampling,
                                  &trees->objective, &trees->quantiles, i, counts);
}

/* ---- goss ---- */

static void count_sizes(void *context, uint32_t member, uint32_t task)
{
    const struct counts_task *about = context;
    struct trees *trees = about->trees;
    const struct tree_rows *rows = &trees->rows[about->first + task];
    int64_t *counts = counts_of(about, member);

    progress_note();
    if (check_rows(rows, TREE_ROWS_GRADIENTS, &trees->errors[about->first + task]) != STATUS_OK)
        return;
    for (uint32_t row = 0; row < rows->rows; row++)
        leaf_quantiles_count(&trees->quantiles, 0, tree_rows_size(rows, row), 1, counts);
}

/* ---- contribute ---- */

static enum status compute_gradients(struct trees *trees, uint32_t first, uint32_t end,
                                     int64_t *integers, int64_t *sums, struct error *err)
{
    struct lanes_task about = {.trees = trees, .first = first};
    const size_t members = team_size(trees->learner.team);

    if (trees_measure_round(trees)) {
        about.sums = sums;
        about.metric_count = round_metrics_integers(&trees->metrics);
        about.metrics = calloc(members * about.metric_count, sizeof *about.metrics);
        if (!about.metrics)
            return fail_no_memory(err);
    }
    team_run(team_of_lanes(trees, first, end, ROW_NANOSECONDS * trees->outputs), end - first,
             gradients_task, &about);
    for (size_t i = 0; i < members * about.metric_count; i++) {
        int64_t *total = &integers[TREES_GRADIENTS_INTEGERS + i % about.metric_count];

        *total = words_add(*total, about.metrics[i]);
    }
    free(about.metrics);
    return first_failure(trees->errors + first, end - first, err);
}

static enum status contribute_gradients(struct trees *trees, uint32_t first, uint32_t end,
                                        int64_t *integers, int64_t *sums, struct error *err)
{
    TRY(compute_gradients(trees, first, end, integers, sums, err));
    for (uint32_t lane = first; lane < end; lane++) {
        const struct lane_result *result = &trees->results[lane];

        integers[TREES_TRAIN_LOSS] = words_add(integers[TREES_TRAIN_LOSS], result->loss);
        integers[TREES_TRAIN_HITS] = words_add(integers[TREES_TRAIN_HITS], result->hits);
        integers[TREES_HELD_OUT_LOSS] =
            words_add(integers[TREES_HELD_OUT_LOSS], result->held_out_loss);
        integers[TREES_HELD_OUT_HITS] =
            words_add(integers[TREES_HELD_OUT_HITS], result->held_out_hits);
        trees->learner.contributed += result->scores;
        if (trees->rows[lane].rows == 0)
            continue;
        integers[TREES_GRADIENT_LEVELS + level_of(result->gradient)]++;
        integers[TREES_HESSIAN_LEVELS + level_of(result->hessian)]++;
    }
    return STATUS_OK;
}

/* Are a lane's rows where the phase needs them? */
static bool is_there(const struct trees *trees, const struct tree_rows *rows, uint32_t divided)
{
    return rows->round == (uint64_t)trees->progress.round + 1 &&
           rows->tree == (uint64_t)trees_growing(trees) + 1 && rows->divided >= divided &&
           rows->run_room >= trees->growing.node_count &&
           (rows->is_chosen || !trees_choose_rows(trees)) &&
           (rows->is_packed || trees->progress.stage == TREES_ROOT);
}

/* Rows that begin a tree or are divided are little work; a lane that is behind by rounds catches up
 * with all of their trees. */
static struct team *team_of_followers(const struct trees *trees, uint32_t first, uint32_t end)
{
    for (uint32_t lane = first; lane < end; lane++)
        if (trees->rows[lane].round != (uint64_t)trees->progress.round + 1)
            return trees->learner.team;
    return team_of_lanes(trees, first, end, ROW_NANOSECONDS);
}

static enum status follow_lanes(struct trees *trees, uint32_t first, uint32_t end, uint32_t divided,
                                struct error *err)
{
    struct lanes_task about = {.trees = trees, .first = first, .divided = divided};
    uint32_t there = first;

    while (there < end && is_there(trees, &trees->rows[there], divided))
        there++;
    if (there == end)
        return STATUS_OK;
    team_run(team_of_followers(trees, first, end), end - first, follow_task, &about);
    return first_failure(trees->errors + first, end - first, err);
}

/* The lanes that are computed in this call: they are read, and have about CALL_ROWS rows. */
static enum status choose_lanes(struct trees *trees, uint32_t first, uint32_t end, uint32_t *done,
                                struct error *err)
{
    uint64_t rows = 0, read = 0;

    *done = 0;
    while (first + *done < end && rows < CALL_ROWS && read < READ_ROWS) {
        const uint32_t lane = first + *done;
        const bool was_read = trees->is_read[lane];

        TRY(read_lane(trees, lane, err));
        rows += trees->rows[lane].rows;
        read += was_read ? 0 : trees->rows[lane].rows;
        memset(&trees->results[lane], 0, sizeof trees->results[lane]);
        error_clear(&trees->errors[lane]);
        ++*done;
    }
    return STATUS_OK;
}

enum status trees_contribute(void *self, uint32_t first, uint32_t count, int64_t *integers,
                             int64_t *sums, struct touched_rows *rows, uint32_t *done,
                             struct error *err)
{
    struct trees *trees = self;
    const struct growing_tree *tree = &trees->growing;
    uint32_t end;
    (void)rows;

    progress_note();
    TRY(learner_verify(&trees->learner, LOOK_AT_READ, NULL, err));
    if (trees->drops.weights)
        tree_drops_move(&trees->drops, trees->progress.round);
    TRY(choose_lanes(trees, first, first + count, done, err));
    end = first + *done;
    switch ((enum trees_stage)trees->progress.stage) {
    case TREES_RISKS:
        return count_lanes(trees, first, end, count_risks, integers, sums, err);
    case TREES_GRADIENTS:
        return contribute_gradients(trees, first, end, integers, sums, err);
    case TREES_ROOT:
        TRY(follow_lanes(trees, first, end, 0, err));
        TRY(sum_histograms(trees, first, end, integers, sums, err));
        for (uint32_t lane = first; lane < end; lane++) {
            integers[0] += (int64_t)(trees->rows[lane].is_chosen ? trees->rows[lane].chosen
                                                                 : trees->rows[lane].sampled);
            if (tree_growth_has_long_sets(tree))
                integers[1] += tree_rows_squares(&trees->rows[lane]);
        }
        return STATUS_OK;
    case TREES_SPLIT:
        TRY(follow_lanes(trees, first, end, tree->divided_count - tree->batch_count, err));
        return sum_histograms(trees, first, end, integers, sums, err);
    case TREES_LEAVES:
        TRY(follow_lanes(trees, first, end, tree->divided_count, err));
        return count_lanes(trees, first, end, sum_leaves, integers, sums, err);
    case TREES_QUANTILES:
        TRY(follow_lanes(trees, first, end, tree->divided_count, err));
        return count_lanes(trees, first, end, count_residuals, integers, sums, err);
    case TREES_GOSS:
        TRY(follow_lanes(trees, first, end, 0, err));
        return count_lanes(trees, first, end, count_sizes, integers, sums, err);
    case TREES_STAGES:
        break;
    }
    return STATUS_OK;
}
