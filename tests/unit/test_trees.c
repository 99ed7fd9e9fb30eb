#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kinds/kinds.h"
#include "runtime/learn/trees/trees_parts.h"
#include "runtime/learners/learners.h"
#include "tests/unit/learner_group.h"
#include "tests/unit/trees_job.h"

/* A tree for each output: by a number that is missing in some rows, and by words. */
static void give_old_model(struct made *made, uint32_t classes)
{
    static const float base[] = {.2f, -.1f, .3f};
    static const float trees[3][TREE_NUMBERS] = {{0, 5, 0}, {5, 3, 1}, {8, 3, 2}};
    static const float nodes[11][NODE_NUMBERS] = {
        {NODE_BELOW, 2, .1f, 1, 1, 0, 0, 3, 9}, {NODE_WORD_IN, 1, 0, 3, 0, 0, 1, 2, 5},
        {NODE_LEAF, 0, .4f, 0, 0, 0, 0, 0, 4},  {NODE_LEAF, 0, -.3f, 0, 0, 0, 0, 0, 3},
        {NODE_LEAF, 0, .7f, 0, 0, 0, 0, 0, 2},  {NODE_BELOW, 0, -.2f, 1, 0, 0, 0, 2, 7},
        {NODE_LEAF, 0, .1f, 0, 0, 0, 0, 0, 4},  {NODE_LEAF, 0, -.2f, 0, 0, 0, 0, 0, 3},
        {NODE_BELOW, 1, .3f, 1, 0, 0, 0, 2, 7}, {NODE_LEAF, 0, -.1f, 0, 0, 0, 0, 0, 4},
        {NODE_LEAF, 0, .5f, 0, 0, 0, 0, 0, 3}};
    static const float sets[TREE_SET_NUMBERS] = {0x133};
    const uint32_t outputs = classes > 2 ? classes : 1;

    made->old_trees = (struct trees_model){.base = base,
                                           .trees = trees[0],
                                           .nodes = nodes[0],
                                           .sets = sets,
                                           .outputs = outputs,
                                           .tree_count = outputs,
                                           .node_count = outputs > 1 ? 11 : 5,
                                           .set_count = 1};
    made->old = (struct model){.kind = kind_find(SLICE("trees")),
                               .task = classes ? TASK_CLASSIFICATION : TASK_REGRESSION,
                               .transform = made->dataset.transform,
                               .labels = made->dataset.labels,
                               .label_scale = 1,
                               .content = &made->old_trees};
    made->dataset.old_model = &made->old;
}

/* Each adds lanes, some at a time, all apply the totals. turn: whose lanes the first one has, and
 * so on. */
static struct learner_report group_phase_turned(struct group *group, uint32_t turn)
{
    const struct phase phase = *phase_of(group);
    struct learner *first = group->learners[0];
    const uint32_t lanes = first->lanes;
    int64_t *sums = calloc(phase.owned_count + 1, sizeof *sums);
    int64_t *integers = calloc(phase.integer_count + 1, sizeof *integers);
    struct learner_report report = {0};
    uint64_t check = 0;
    struct error err;

    CHECK(sums != NULL && integers != NULL);
    CHECK(phase.owned_count <= first->elements_most);
    for (uint32_t w = 0; w < group->count; w++) {
        struct learner *worker = group->learners[w];
        const uint32_t part = (w + turn) % group->count;
        const uint32_t end = lanes * (part + 1) / group->count;

        for (uint32_t lane = lanes * part / group->count, done; lane < end; lane += done) {
            const uint64_t before = worker->contributed;
            int64_t *own = calloc(phase.owned_count + 1, sizeof *own);
            uint64_t added = 0;

            CHECK_OK(
                learner_contribute(worker, lane, end - lane, integers, own, NULL, &done, &err));
            CHECK(done > 0);
            for (uint32_t i = 0; i < phase.owned_count; i++) {
                added += (uint64_t)own[i];
                sums[i] += own[i];
            }
            CHECK(worker->contributed - before == added);
            free(own);
        }
    }
    for (uint32_t w = 0; w < group->count; w++) {
        struct learner *worker = group->learners[w];

        CHECK_OK(learner_apply(worker, &(struct phase_totals){integers, sums, NULL, NULL}, &report,
                               &err));
        CHECK(w == 0 || learner_check(worker) == check);
        check = learner_check(worker);
    }
    free(sums);
    free(integers);
    return report;
}

static struct learner_report group_phase(struct group *group)
{
    return group_phase_turned(group, 0);
}

/* The outcome of learning: the trees, and a hash of all that they came from. */
static uint64_t outcome_of(const struct group *group)
{
    struct learner *learning = group->learners[group->count - 1];
    struct error err;

    CHECK_OK(learner_verify(learning, LOOK_AT_ALL, NULL, &err));
    return learner_check(learning);
}

struct run {
    uint64_t outcome;
    uint32_t rounds;
    double first_loss, last_loss, held_out;
};

static struct run run_group(const struct jobspec *spec, const struct dataset *dataset,
                            uint32_t workers)
{
    struct run run = {0};
    struct group group;

    group_open(&group, spec, dataset, workers);
    while (phase_of(&group)->kind != PHASE_DONE) {
        const struct learner_report report = group_phase(&group);

        if (!report.step_applied)
            continue;
        run.first_loss = run.rounds++ == 0 ? report.train_loss : run.first_loss;
        run.last_loss = report.train_loss;
        run.held_out = report.validation_loss;
        CHECK_INT(report.epoch, run.rounds);
    }
    run.outcome = outcome_of(&group);
    group_close(&group);
    return run;
}

/* ---- the same bits ---- */

enum {
    PLAIN,
    GOES_ON = 1,
    DROPS = 2,
    CHOOSES = 4,
    SEVERAL = 8, /* quantiles */
    LISTS = 16   /* labels follow from hundreds of words, which go together */
};

static const struct reals one_quantile = {{.8}, 1}, several_quantiles = {{.8, .5, .1}, 3};

static const struct variant {
    const char *name;
    uint32_t classes;
    enum tree_growth growth;
    uint32_t max_depth, max_leaves, parallel_trees;
    double subsample, colsample;
    enum tree_objective_name objective;
    unsigned boosting; /* bits of these: */
} variants[] = {
    {"leaf by leaf", 2, TREE_LOSSGUIDE, 0, 9, 1, 1, 1, TREE_AUTOMATIC, PLAIN},
    {"level by level", 2, TREE_DEPTHWISE, 4, 0, 1, 1, 1, TREE_AUTOMATIC, PLAIN},
    {"a number", 0, TREE_DEPTHWISE, 3, 0, 1, 1, 1, TREE_AUTOMATIC, PLAIN},
    {"three classes", 3, TREE_LOSSGUIDE, 0, 7, 1, 1, 1, TREE_AUTOMATIC, PLAIN},
    {"a part of rows and columns", 2, TREE_LOSSGUIDE, 0, 9, 1, .6, .5, TREE_AUTOMATIC, PLAIN},
    {"a forest in each round", 0, TREE_DEPTHWISE, 3, 6, 3, .5, .7, TREE_AUTOMATIC, PLAIN},
    {"margins", 2, TREE_LOSSGUIDE, 0, 9, 1, 1, 1, TREE_HINGE, PLAIN},
    {"hazards", 0, TREE_LOSSGUIDE, 0, 9, 1, 1, 1, TREE_COX, PLAIN},
    {"medians", 0, TREE_LOSSGUIDE, 0, 9, 1, 1, 1, TREE_ABSOLUTE_ERROR, PLAIN},
    {"a forest of quantiles", 0, TREE_DEPTHWISE, 3, 6, 2, .7, 1, TREE_QUANTILE, PLAIN},
    {"percentages", 0, TREE_LOSSGUIDE, 0, 7, 1, 1, 1, TREE_MAPE, PLAIN},
    {"three quantiles", 0, TREE_LOSSGUIDE, 0, 7, 1, 1, 1, TREE_QUANTILE, SEVERAL},
    {"dart of forests of three quantiles", 0, TREE_DEPTHWISE, 3, 0, 2, .7, 1, TREE_QUANTILE,
     DROPS | SEVERAL},
    {"from an old model", 2, TREE_LOSSGUIDE, 0, 7, 1, .7, 1, TREE_AUTOMATIC, GOES_ON},
    {"from an old model of three classes", 3, TREE_DEPTHWISE, 3, 0, 1, 1, .6, TREE_AUTOMATIC,
     GOES_ON},
    {"medians, from an old model", 0, TREE_DEPTHWISE, 3, 0, 1, 1, 1, TREE_ABSOLUTE_ERROR, GOES_ON},
    {"dart", 2, TREE_LOSSGUIDE, 0, 7, 1, 1, 1, TREE_AUTOMATIC, DROPS},
    {"dart of three classes", 3, TREE_DEPTHWISE, 3, 0, 1, .7, 1, TREE_AUTOMATIC, DROPS},
    {"dart of forests of numbers, from an old model", 0, TREE_DEPTHWISE, 3, 0, 2, 1, 1,
     TREE_AUTOMATIC, GOES_ON | DROPS},
    {"dart of medians", 0, TREE_DEPTHWISE, 3, 0, 1, 1, 1, TREE_ABSOLUTE_ERROR, DROPS},
    {"goss", 2, TREE_LOSSGUIDE, 0, 7, 1, 1, 1, TREE_AUTOMATIC, CHOOSES},
    {"goss and dart of three classes", 3, TREE_DEPTHWISE, 3, 0, 1, 1, 1, TREE_AUTOMATIC,
     CHOOSES | DROPS},
    {"hundreds of words", 0, TREE_LOSSGUIDE, 0, 7, 1, 1, 1, TREE_AUTOMATIC, LISTS},
    {"a forest over hundreds of words", 0, TREE_DEPTHWISE, 3, 0, 2, .9, .8, TREE_AUTOMATIC, LISTS},
    {"hundreds of words, few columns", 0, TREE_DEPTHWISE, 3, 0, 1, 1, .1, TREE_AUTOMATIC, LISTS},
};

/* Every row has one of many words, in turn, which alone tells its label. */
static void tell_by_words(struct made *made)
{
    struct dataset_part *parts[] = {&made->dataset.train, &made->dataset.validation};

    show_rows(&made->dataset);
    for (uint32_t p = 0; p < 2; p++)
        for (uint32_t row = 0; row < parts[p]->rows; row++) {
            const uint32_t word = row % WIDE_WORDS;
            const int32_t first = (CATEGORIES - 1) * (WIDE_WORDS + 1);

            parts[p]->ids[(size_t)row * CATEGORIES + CATEGORIES - 1] = first + (int32_t)word;
            parts[p]->values[row] = (float)(word * 7 % WIDE_WORDS) / WIDE_WORDS - .5f;
            if (parts[p]->labels)
                parts[p]->labels[row] = (double)parts[p]->values[row];
        }
    hide_rows(&made->dataset);
}

static void made_init_for(struct made *made, uint32_t rows, uint32_t held_out,
                          const struct variant *variant)
{
    made_init(made, rows, held_out, variant->classes);
    if (variant->boosting & GOES_ON)
        give_old_model(made, variant->classes);
    if (variant->boosting & LISTS)
        tell_by_words(made);
}

static struct jobspec spec_of_variant(const struct dataset *dataset, const struct variant *variant)
{
    struct trees_params params = params_of_test();

    params.growth = variant->growth;
    params.max_depth = variant->max_depth;
    params.max_leaves = variant->max_leaves;
    params.parallel_trees = variant->parallel_trees;
    params.subsample = variant->subsample;
    params.colsample_bynode = params.colsample_bytree = variant->colsample;
    params.objective = variant->objective;
    params.quantile_alpha = variant->boosting & SEVERAL ? several_quantiles : one_quantile;
    if (variant->boosting & DROPS) {
        params.booster = TREE_DART;
        params.rate_drop = .4;
        params.one_drop = true;
    }
    if (variant->boosting & LISTS)
        params.max_cat_threshold = TREES_WORDS_MOST;
    if (variant->boosting & CHOOSES) {
        params.row_strategy = TREE_GOSS;
        params.eta = .9;
    }
    return spec_of(dataset, params);
}

/* The variant's job, and what it comes to undisturbed. */
static uint64_t variant_begin(const struct variant *variant, uint32_t rows, uint32_t held_out,
                              uint32_t rounds, struct made *made, struct jobspec *spec)
{
    made_init_for(made, rows, held_out, variant);
    *spec = spec_of_variant(&made->dataset, variant);
    trees_params(&spec->params)->rounds = rounds;
    return run_group(spec, &made->dataset, 1).outcome;
}

/* Is there a tree that parts more words than lie in a split itself? */
static bool has_long_lists(const struct jobspec *spec, const struct dataset *dataset)
{
    const struct trees *trees;
    struct group group;
    bool has_long = false;

    group_open(&group, spec, dataset, 1);
    trees = (struct trees *)group.learners[0];
    while (phase_of(&group)->kind != PHASE_DONE)
        group_phase(&group);
    for (uint32_t i = 0; i < trees->forest.node_count; i++)
        has_long = has_long || (forest_has_list(&trees->forest.nodes[i]) &&
                                forest_list_length(&trees->forest.nodes[i]) > TREE_LIST_WORDS);
    group_close(&group);
    return has_long;
}

static void any_number_of_workers_grows_the_same_trees(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        struct made made;
        struct jobspec spec;
        struct run one;

        made_init_for(&made, 900, 100, &variants[i]);
        spec = spec_of_variant(&made.dataset, &variants[i]);
        one = run_group(&spec, &made.dataset, 1);
        CHECK_INT(one.rounds, 6);
        CHECK(!(variants[i].boosting & LISTS) || has_long_lists(&spec, &made.dataset));
        /* Goss multiplies what the few rows of a rare word have. */
        CHECK(one.last_loss < (variants[i].boosting & CHOOSES      ? 1.05
                               : variants[i].boosting & DROPS      ? .97
                               : variants[i].objective == TREE_COX ? .95
                                                                   : .8) *
                                  one.first_loss);
        CHECK(one.held_out > 0);
        for (uint32_t workers = 2; workers <= WORKERS_MAX; workers += 3)
            CHECK(run_group(&spec, &made.dataset, workers).outcome == one.outcome);
        made_deinit(&made);
    }
}

/* ---- metrics of each round ---- */

#define ROUNDS_MOST 40
#define NAMED_MOST  6
#define NEAR(a, b)  CHECK(fabs((a) - (b)) <= 1e-5 * (1 + fabs(b))) /* floats, and doubles */
/* Held-out times are told apart as far as those of training rows are. */
#define NEAR_COX(a, b) CHECK(fabs((a) - (b)) <= 2e-3 * (1 + fabs(b)))

/* The numbers that a run told of each round. */
struct told {
    uint32_t rounds, best; /* best: the rounds that the model has; 0: all */
    double train[ROUNDS_MOST][NAMED_MOST], held_out[ROUNDS_MOST][NAMED_MOST];
    double loss[ROUNDS_MOST], score[ROUNDS_MOST];
    struct result_metric results[LEARNER_METRICS_MAX];
    size_t result_count;
};

static const struct measured_case {
    uint32_t classes;
    enum tree_objective_name objective;
    bool drops, has_several; /* quantiles */
    const char *names[NAMED_MOST];
} measured_cases[] = {
    {2, TREE_AUTOMATIC, false, false, {"AUC", "PRAUC", "LogLoss", "Accuracy", "F1", "MCC"}},
    {2, TREE_AUTOMATIC, true, false, {"LogLoss", "AUC", "BalancedAccuracy", "Precision", "Recall"}},
    {2, TREE_HINGE, false, false, {"Accuracy", "AUC"}},
    {3, TREE_AUTOMATIC, false, false, {"Accuracy", "AUC", "LogLoss", "MCC", "F1", "PRAUC"}},
    {0, TREE_AUTOMATIC, false, false, {"MSE", "RMSE", "MAE", "R2", "MAPE", "RMSLE"}},
    {0,
     TREE_ABSOLUTE_ERROR,
     false,
     false,
     {"PoissonNLogLik", "GammaNLogLik", "TweedieNLogLik@1.2", "GammaDeviance", "MAE"}},
    {0, TREE_QUANTILE, false, false, {"Pinball", "Coverage"}},
    {0, TREE_QUANTILE, false, true, {"Pinball", "Coverage", "RMSE", "MAE"}},
    {0, TREE_COX, false, false, {"CoxNLogLik"}},
};

static size_t name_metrics(struct jobspec *spec, const char *const *names)
{
    spec->has_default_metrics = false;
    spec->metric_count = 0;
    while (spec->metric_count < NAMED_MOST && names[spec->metric_count]) {
        spec->metrics[spec->metric_count] = slice_of(names[spec->metric_count]);
        spec->metric_count++;
    }
    return spec->metric_count;
}

static void measure_to_the_end(struct learner *learning, struct told *told)
{
    char digest[DIGEST_BYTES];
    bool is_done = false;
    struct error err;
    uint64_t rows;

    while (!is_done)
        CHECK_OK(learner_measure(learning, &is_done, &err));
    CHECK_OK(learner_result(learning, digest, &rows, told->results, &told->result_count, &err));
}

static void run_told(const struct jobspec *spec, const struct dataset *dataset, uint32_t workers,
                     struct told *told)
{
    struct group group;

    memset(told, 0, sizeof *told);
    group_open(&group, spec, dataset, workers);
    while (phase_of(&group)->kind != PHASE_DONE) {
        const struct learner_report report = group_phase(&group);

        if (!report.step_applied)
            continue;
        CHECK(told->rounds < ROUNDS_MOST);
        CHECK_INT(report.metric_count, spec->metric_count);
        memcpy(told->train[told->rounds], report.train_metrics,
               report.metric_count * sizeof *report.train_metrics);
        memcpy(told->held_out[told->rounds], report.validation_metrics,
               report.metric_count * sizeof *report.validation_metrics);
        told->loss[told->rounds] = report.validation_loss;
        told->score[told->rounds++] = report.validation_score;
    }
    told->best = ((const struct trees *)group.learners[0])->progress.best_rounds;
    measure_to_the_end(group.learners[0], told);
    group_close(&group);
}

/* Checks the last round's metrics against those of the finished model, which other code
 * measures. */
static void check_last_round(const struct told *told, const struct jobspec *spec)
{
    const uint32_t last = told->rounds - 1;

    for (size_t i = 0; i < spec->metric_count; i++)
        for (size_t j = 0; j < told->result_count; j++) {
            if (!slice_is(spec->metrics[i], told->results[j].name))
                continue;
            if (slice_is(spec->metrics[i], "CoxNLogLik"))
                NEAR_COX(told->held_out[last][i], told->results[j].validation);
            else
                NEAR(told->held_out[last][i], told->results[j].validation);
            if (!isnan(told->train[last][i])) /* all rows are in the sample */
                NEAR(told->train[last][i], told->results[j].train);
        }
}

static void check_own_loss(const struct told *told, const struct jobspec *spec)
{
    for (size_t i = 0; i < spec->metric_count; i++)
        for (uint32_t round = 0; round < told->rounds; round++) {
            if (slice_is(spec->metrics[i], "LogLoss") || slice_is(spec->metrics[i], "Pinball") ||
                slice_is(spec->metrics[i], "CoxNLogLik") || slice_is(spec->metrics[i], "MSE"))
                NEAR(told->held_out[round][i], told->loss[round]);
            if (slice_is(spec->metrics[i], "Accuracy") || slice_is(spec->metrics[i], "RMSE"))
                NEAR(told->held_out[round][i], told->score[round]);
        }
}

static void rounds_are_measured_alike_by_any_number_of_workers(void **state)
{
    static struct told one, other;
    (void)state;
    for (size_t i = 0; i < sizeof measured_cases / sizeof *measured_cases; i++) {
        const struct measured_case *measured = &measured_cases[i];
        struct trees_params params = params_of_test();
        struct made made;
        struct jobspec spec;

        params.objective = measured->objective;
        params.quantile_alpha = measured->has_several ? several_quantiles : one_quantile;
        if (measured->drops) {
            params.booster = TREE_DART;
            params.rate_drop = .4;
        }
        made_init(&made, 900, 300, measured->classes);
        spec = spec_of(&made.dataset, params);
        CHECK(name_metrics(&spec, measured->names) > 0);
        run_told(&spec, &made.dataset, 1, &one);
        CHECK_INT(one.rounds, 6);
        check_last_round(&one, &spec);
        check_own_loss(&one, &spec);
        for (uint32_t workers = 2; workers <= WORKERS_MAX; workers += 3) {
            run_told(&spec, &made.dataset, workers, &other);
            assert_memory_equal(&one, &other, sizeof one);
        }
        made_deinit(&made);
    }
}

/* Trees are the same, whatever is measured. */
static void what_is_measured_leaves_no_trace_in_the_trees(void **state)
{
    static struct told told;
    struct made made;
    struct jobspec spec;
    double loss;
    (void)state;

    made_init(&made, 900, 100, 2);
    spec = spec_of(&made.dataset, params_of_test());
    loss = run_group(&spec, &made.dataset, 1).held_out;
    name_metrics(&spec, measured_cases[0].names);
    run_told(&spec, &made.dataset, 1, &told);
    CHECK(told.loss[told.rounds - 1] == loss);
    made_deinit(&made);
}

/* AUC grows, where the loss would have gone on falling, or the other way round. */
static void training_ends_by_the_last_metric_that_is_named(void **state)
{
    static const char *const orders[][NAMED_MOST] = {{"LogLoss", "AUC"}, {"AUC", "LogLoss"}};
    static struct told told;
    (void)state;

    for (int order = 0; order < 2; order++) {
        const bool is_loss = order == 1;
        struct made made;
        struct jobspec spec;
        uint32_t best = 0;

        made_init(&made, 200, 200, 2);
        spec = spec_of(&made.dataset, params_of_test());
        trees_params(&spec.params)->rounds = ROUNDS_MOST;
        trees_params(&spec.params)->eta = 1;
        spec.early_stopping = 3;
        name_metrics(&spec, orders[order]);
        run_told(&spec, &made.dataset, 2, &told);
        for (uint32_t round = 1; round < told.rounds; round++)
            if (is_loss ? told.held_out[round][1] < told.held_out[best][1]
                        : told.held_out[round][1] > told.held_out[best][1])
                best = round;
        CHECK_INT(told.best, best + 1);
        CHECK_INT(told.rounds, told.best + 3);
        NEAR(told.held_out[best][1], told.results[2].validation);
        made_deinit(&made);
    }
}

/* Lanes are cut otherwise, so the fingerprint differs; the trees do not. */
static void lanes_leave_no_trace_in_the_trees(void **state)
{
    struct made made;
    double loss = 0;
    (void)state;

    made_init(&made, 2000, 0, 2);
    for (uint32_t lanes = 1; lanes <= 64; lanes *= 4) {
        struct jobspec spec = spec_of(&made.dataset, params_of_test());
        struct run run;

        spec.lanes = lanes;
        run = run_group(&spec, &made.dataset, 1);
        CHECK(lanes == 1 || run.last_loss == loss);
        loss = run.last_loss;
    }
    made_deinit(&made);
}

static void threads_leave_no_trace(void **state)
{
    struct made made;
    struct jobspec spec;
    struct team *team = NULL;
    struct group group;
    struct run alone;
    struct error err;
    (void)state;

    made_init(&made, 20000, 500, 2);
    keep_rows(&made.dataset);
    spec = spec_of(&made.dataset, params_of_test());
    alone = run_group(&spec, &made.dataset, 1);
    group_open(&group, &spec, &made.dataset, 2);
    for (uint32_t phase = 0; phase_of(&group)->kind != PHASE_DONE; phase++) {
        struct team *next = team_new(1 + phase % 4);

        for (uint32_t w = 0; w < 2; w++)
            CHECK_OK(learner_use_team(group.learners[w], next, &err));
        team_free(team);
        team = next;
        group_phase(&group);
    }
    CHECK(outcome_of(&group) == alone.outcome);
    group_close(&group);
    team_free(team);
    made_deinit(&made);
}

/* Weights 0, 1, 2, 0 ... for all rows, or all 1. */
static float *weights_of(struct dataset *dataset, bool are_equal)
{
    float *weights = malloc(dataset->train.rows * sizeof *weights);

    CHECK(weights != NULL);
    for (uint64_t row = 0; row < dataset->train.rows; row++)
        weights[row] = are_equal ? 1 : (float)(row % 3);
    show_rows(dataset);
    dataset->train.roles[ROLE_SAMPLE_WEIGHT] = weights;
    dataset->role_columns[ROLE_SAMPLE_WEIGHT] = 1;
    dataset->weight_average = 1;
    hide_rows(dataset);
    return weights;
}

static void rows_count_by_their_weights_in_any_lane(void **state)
{
    (void)state;
    for (uint32_t classes = 0; classes <= 3; classes += classes ? 1 : 2) {
        struct run plain, equal, weighted;
        struct made made;
        struct jobspec spec;
        float *weights;

        made_init(&made, 900, 100, classes);
        spec = spec_of(&made.dataset, params_of_test());
        trees_params(&spec.params)->base_score = .5; /* else it is of the sample with weights */
        plain = run_group(&spec, &made.dataset, 1);
        weights = weights_of(&made.dataset, true);
        equal = run_group(&spec, &made.dataset, 1);
        CHECK(fabs(equal.last_loss - plain.last_loss) < 1e-9); /* units of losses differ */
        CHECK(fabs(equal.held_out - plain.held_out) < 1e-9);
        free(weights);
        weights = weights_of(&made.dataset, false);
        weighted = run_group(&spec, &made.dataset, 1);
        CHECK(weighted.last_loss != plain.last_loss && weighted.held_out != plain.held_out);
        for (uint32_t workers = 2; workers <= WORKERS_MAX; workers += 3)
            CHECK(run_group(&spec, &made.dataset, workers).outcome == weighted.outcome);
        free(weights);
        made_deinit(&made);
    }
}

static void medians_count_rows_by_their_weights(void **state)
{
    struct run plain, weighted;
    struct made made;
    struct jobspec spec;
    float *weights;
    (void)state;

    made_init(&made, 900, 100, 0);
    spec = spec_of(&made.dataset, params_of_test());
    trees_params(&spec.params)->objective = TREE_ABSOLUTE_ERROR;
    plain = run_group(&spec, &made.dataset, 1);
    weights = weights_of(&made.dataset, false);
    weighted = run_group(&spec, &made.dataset, 1);
    CHECK(weighted.last_loss != plain.last_loss);
    CHECK(weighted.last_loss < .8 * weighted.first_loss);
    for (uint32_t workers = 2; workers <= WORKERS_MAX; workers += 3)
        CHECK(run_group(&spec, &made.dataset, workers).outcome == weighted.outcome);
    free(weights);
    made_deinit(&made);
}

/* ---- states ---- */

static bool rounds_no_hessian(struct learner *learning)
{
    return ((const struct trees *)learning)->growing.options.has_exact_hessians;
}

/* A worker that was further on, or has learned nothing, goes on from any phase of another's. */
static void a_state_taken_at_any_phase_leads_to_the_same_trees(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        struct made made;
        struct jobspec spec;
        const uint64_t wanted = variant_begin(&variants[i], 300, 40, 3, &made, &spec);

        for (uint64_t taken = 0, is_last = false; !is_last; taken++) {
            struct group old, new;

            group_open(&old, &spec, &made.dataset, 1);
            group_open(&new, &spec, &made.dataset, 2);
            while (phase_of(&old)->number < taken && phase_of(&old)->kind != PHASE_DONE)
                group_phase(&old);
            is_last = phase_of(&old)->kind == PHASE_DONE;
            for (int ahead = 0; ahead < 9 && taken % 2; ahead++)
                group_phase(&new);
            for (uint32_t w = 0; w < 2; w++) {
                give_state(old.learners[0], new.learners[w]);
                CHECK(rounds_no_hessian(new.learners[w]) == rounds_no_hessian(old.learners[0]));
            }
            while (phase_of(&new)->kind != PHASE_DONE)
                group_phase(&new);
            CHECK(outcome_of(&new) == wanted);
            group_close(&old);
            group_close(&new);
        }
        made_deinit(&made);
    }
}

static void a_learner_that_starts_anew_grows_the_same_trees(void **state)
{
    struct made made;
    struct jobspec spec;
    struct group group;
    uint64_t wanted;
    (void)state;

    made_init(&made, 500, 50, 2);
    spec = spec_of(&made.dataset, params_of_test());
    wanted = run_group(&spec, &made.dataset, 1).outcome;
    group_open(&group, &spec, &made.dataset, 2);
    for (int phase = 0; phase < 20; phase++)
        group_phase(&group);
    for (uint32_t w = 0; w < 2; w++)
        learner_restart(group.learners[w]);
    CHECK_INT(phase_of(&group)->number, 0);
    while (phase_of(&group)->kind != PHASE_DONE)
        group_phase(&group);
    CHECK(outcome_of(&group) == wanted);
    group_close(&group);
    made_deinit(&made);
}

/* A lane that comes back was elsewhere meanwhile: its rows are read and reached anew. */
static void lanes_that_move_reach_their_rows_anew(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        struct made made;
        struct jobspec spec;
        struct group group;
        const uint64_t wanted = variant_begin(&variants[i], 700, 60, 6, &made, &spec);

        group_open(&group, &spec, &made.dataset, 1);
        while (phase_of(&group)->kind != PHASE_DONE) {
            struct learner *learning = group.learners[0];
            const uint32_t lanes = learning->lanes;
            const uint32_t away = phase_of(&group)->number % 3 == 0 ? lanes : 0;

            /* all but one lane go, and come back */
            for (uint32_t done = 0; away > 0 && done < 1;)
                done = learner_lane_open(learning, away / 2, 1, done);
            for (uint32_t done = 0; done < lanes;)
                done = learner_lane_open(learning, 0, lanes, done);
            group_phase(&group);
        }
        CHECK(outcome_of(&group) == wanted);
        group_close(&group);
        made_deinit(&made);
    }
}

/* They come back while what was made of them before is there, but not what happened meanwhile. */
static void lanes_that_go_from_hand_to_hand_leave_no_trace(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        struct made made;
        struct jobspec spec;
        const uint64_t wanted = variant_begin(&variants[i], 700, 60, 6, &made, &spec);

        for (uint32_t stay = 1; stay <= 7; stay++) { /* so many phases */
            struct group group;

            group_open(&group, &spec, &made.dataset, 3);
            while (phase_of(&group)->kind != PHASE_DONE)
                group_phase_turned(&group, (uint32_t)(phase_of(&group)->number / stay));
            CHECK(outcome_of(&group) == wanted);
            group_close(&group);
        }
        made_deinit(&made);
    }
}

static void a_state_that_is_cut_or_of_another_job_is_refused(void **state)
{
    struct made made;
    struct trees_params params = params_of_test();
    struct jobspec spec, other;
    struct group group, others;
    (void)state;

    made_init(&made, 300, 0, 2);
    spec = spec_of(&made.dataset, params);
    params.eta = .25;
    other = spec_of(&made.dataset, params);
    group_open(&group, &spec, &made.dataset, 2);
    group_open(&others, &other, &made.dataset, 1);
    for (int phase = 0; phase < 14; phase++)
        group_phase(&group);
    check_bad_states(group.learners[0], group.learners[1], others.learners[0]);
    group_close(&group);
    group_close(&others);
    made_deinit(&made);
}

/* ---- memory that changes by itself ---- */

/* One phase of one worker; false: something was found to have changed. */
static bool goes_on(struct learner *learning)
{
    const struct phase phase = learning->phase;
    int64_t *sums = calloc(phase.owned_count + 1, sizeof *sums);
    int64_t *integers = calloc(phase.integer_count + 1, sizeof *integers);
    const uint32_t lanes = learning->lanes;
    enum status status = STATUS_OK;
    struct learner_report report;
    struct error err;

    error_clear(&err);
    for (uint32_t lane = 0, done; lane < lanes && status == STATUS_OK; lane += done)
        status =
            learner_contribute(learning, lane, lanes - lane, integers, sums, NULL, &done, &err);
    if (status == STATUS_OK)
        status = learner_verify(learning, LOOK_AT_USED, NULL, &err);
    if (status == STATUS_OK)
        status = learner_apply(learning, &(struct phase_totals){integers, sums, NULL, NULL},
                               &report, &err);
    free(sums);
    free(integers);
    CHECK(status == STATUS_OK || status == STATUS_CORRUPT);
    return status == STATUS_OK;
}

/* Whenever it happens, it is found before the job's model is: at the latest when all rows are
 * looked at, as every job does at its end. */
static void check_inverted_bits(enum tree_objective_name objective, uint32_t classes,
                                uint32_t parallel_trees)
{
    static const char *const names[] = {"weights",   "histograms", "rows",  "labels", "scores",
                                        "totals",    "gradients",  "order", "packed", "grouped",
                                        "residuals", "quantiles",  "risks", "wide"};
    const size_t count = sizeof names / sizeof *names;
    struct made made;
    struct jobspec spec;
    struct run clean;
    uint32_t inverted = 0;

    made_init(&made, 400, 30, classes);
    spec = spec_of(&made.dataset, params_of_test());
    trees_params(&spec.params)->rounds = parallel_trees > 1 ? 1 : 3;
    trees_params(&spec.params)->parallel_trees = parallel_trees;
    if (objective != TREE_AUTOMATIC)
        trees_params(&spec.params)->objective = objective;
    clean = run_group(&spec, &made.dataset, 1);
    for (size_t i = 0; i < count; i++) {
        for (uint64_t at = 1; at < 26; at++) {
            struct group group;
            struct learner *learning;
            uint64_t position = 0;
            struct error err;
            uint8_t *memory;
            size_t size;
            bool is_found = false;

            group_open(&group, &spec, &made.dataset, 1);
            learning = group.learners[0];
            while (phase_of(&group)->number < at && phase_of(&group)->kind != PHASE_DONE)
                group_phase(&group);
            memory = learner_memory(learning, names[i], &size);
            if (memory) {
                memory[size / 2] ^= 16;
                inverted++;
            }
            while (!is_found && phase_of(&group)->kind != PHASE_DONE)
                is_found = !goes_on(learning);
            is_found =
                is_found || learner_verify(learning, LOOK_AT_ALL, NULL, &err) == STATUS_CORRUPT;
            do
                is_found =
                    is_found || learner_verify_rows(learning, &position, 1, &err) == STATUS_CORRUPT;
            while (!is_found && position > 0);
            /* or nobody read it any more */
            CHECK(is_found || learner_check(learning) == clean.outcome);
            group_close(&group);
        }
    }
    CHECK(inverted > 100);
    made_deinit(&made);
}

static void a_bit_that_is_inverted_in_any_memory_is_found(void **state)
{
    (void)state;
    check_inverted_bits(TREE_AUTOMATIC, 2, 1);
    check_inverted_bits(TREE_AUTOMATIC, 3, 4);
    check_inverted_bits(TREE_ABSOLUTE_ERROR, 0, 1);
    check_inverted_bits(TREE_COX, 0, 1);
}

/* ---- the model ---- */

struct exported {
    struct model model; /* points into the learner */
    char digest[DIGEST_BYTES];
    uint64_t rows;
    struct result_metric metrics[LEARNER_METRICS_MAX];
    size_t metric_count;
};

static struct exported export_model(struct learner *learning)
{
    struct exported exported;
    bool is_done = false;
    struct error err;

    while (!is_done)
        CHECK_OK(learner_measure(learning, &is_done, &err));
    CHECK_OK(learner_result(learning, exported.digest, &exported.rows, exported.metrics,
                            &exported.metric_count, &err));
    exported.model = learning->measuring.model;
    return exported;
}

/* Thresholds and sets of the stored model lead rows to the leaves that their bins led them to. */
static void a_stored_model_scores_rows_as_they_were_learned(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        struct made made;
        struct jobspec spec;
        struct group group;
        struct exported first, second;
        struct scorer scorer;
        const struct trees *trees;
        struct error err;

        made_init_for(&made, 600, 90, &variants[i]);
        keep_rows(&made.dataset);
        spec = spec_of_variant(&made.dataset, &variants[i]);
        spec.lanes = 1;
        group_open(&group, &spec, &made.dataset, 2);
        while (phase_of(&group)->kind != PHASE_DONE)
            group_phase(&group);
        first = export_model(group.learners[0]);
        second = export_model(group.learners[1]);
        assert_string_equal(first.digest, second.digest);
        CHECK_INT(first.rows, 600);
        trees = (struct trees *)group.learners[1]; /* which had the lane */
        CHECK_OK(scorer_init(&scorer, &first.model, 1, &err));
        for (uint32_t row = 0; row < 600; row++) {
            scorer_score_row(&scorer, made.dataset.train.dense + (size_t)row * NUMBERS,
                             made.dataset.train.ids + (size_t)row * CATEGORIES);
            for (uint32_t k = 0; k < trees->outputs; k++) {
                const float z = trees->rows[0].scores[(size_t)row * trees->outputs + k];

                const float expected = variants[i].objective == TREE_COX ? expf(z) : z;

                CHECK(fabsf(scorer.outputs[k] - expected) < 1e-5f * fmaxf(1, fabsf(expected)));
            }
        }
        scorer_deinit(&scorer);
        group_close(&group);
        made_deinit(&made);
    }
}

/* ---- early stopping, limits, rows ---- */

/* The new model is measured and stored as the old model's trees, and those that were grown.
 */
static void the_old_trees_come_before_the_new_ones(void **state)
{
    struct made made;
    struct jobspec spec;
    struct group group;
    const struct trees *trees;
    struct error err;
    bool is_done = false;
    (void)state;

    made_init(&made, 600, 60, 3);
    give_old_model(&made, 3);
    spec = spec_of(&made.dataset, params_of_test());
    trees_params(&spec.params)->rounds = 2;
    group_open(&group, &spec, &made.dataset, 1);
    while (phase_of(&group)->kind != PHASE_DONE)
        group_phase(&group);
    while (!is_done)
        CHECK_OK(learner_measure(group.learners[0], &is_done, &err));
    trees = (struct trees *)group.learners[0];
    CHECK_INT(trees->arrays.tree_count, 9);
    CHECK_INT(trees->arrays.trees[3 * TREE_NUMBERS + TREE_FIRST_NODE], 11);
    assert_memory_equal(trees->arrays.nodes, made.old_trees.nodes,
                        11 * NODE_NUMBERS * sizeof(float));
    assert_memory_equal(trees->arrays.sets, made.old_trees.sets, TREE_SET_NUMBERS * sizeof(float));
    assert_memory_equal(trees->base, made.old_trees.base, 3 * sizeof(float));
    for (uint32_t i = 11; i < trees->arrays.node_count; i++)
        if (trees->arrays.nodes[i * NODE_NUMBERS + NODE_TEST] == NODE_WORD_IN)
            CHECK(trees->arrays.nodes[i * NODE_NUMBERS + NODE_SET] >= 1);
    group_close(&group);
    made_deinit(&made);
}

static void an_old_model_of_another_link_or_other_outputs_is_refused(void **state)
{
    struct made made;
    struct jobspec spec;
    struct learner *learning;
    struct error err;
    (void)state;

    made_init(&made, 300, 0, 2);
    give_old_model(&made, 2);
    spec = spec_of(&made.dataset, params_of_test());
    made.old_trees.link = TREES_LINK_EXP;
    CHECK_FAILS(learning_open(&spec, &made.dataset, NULL, &learning, &err), STATUS_INVALID,
                "by the link \"exp\", those of the objective binary:logistic by \"none\"");
    made.old_trees.link = TREES_LINK_NONE;
    made.old_trees.outputs = 3;
    CHECK_FAILS(learning_open(&spec, &made.dataset, NULL, &learning, &err), STATUS_CORRUPT,
                "the old model has 3 outputs, where 1 are learned");
    made_deinit(&made);
}

static void training_ends_when_held_out_rows_do_not_gain(void **state)
{
    struct made made;
    struct jobspec spec;
    struct group group;
    const struct trees *trees;
    (void)state;

    made_init(&made, 200, 200, 2);
    spec = spec_of(&made.dataset, params_of_test());
    trees_params(&spec.params)->rounds = 500;
    trees_params(&spec.params)->eta = 1;
    spec.early_stopping = 3;
    group_open(&group, &spec, &made.dataset, 1);
    while (phase_of(&group)->kind != PHASE_DONE)
        group_phase(&group);
    trees = (struct trees *)group.learners[0];
    CHECK(trees->progress.round < 100);
    CHECK_INT(trees->progress.round, trees->progress.best_rounds + 3);
    group_close(&group);
    made_deinit(&made);
}

static void what_does_not_fit_into_the_memory_of_a_worker_is_refused_with_the_bytes(void **state)
{
    struct made made;
    struct jobspec spec;
    struct learner *learning;
    struct error err;
    (void)state;

    made_init(&made, 300, 0, 2);
    spec = spec_of(&made.dataset, params_of_test());
    spec.memory = 100;
    CHECK_FAILS(learning_open(&spec, &made.dataset, NULL, &learning, &err), STATUS_LIMIT,
                "and a worker has at most 100");
    CHECK(strstr(err.hint, "max_depth"));
    made_deinit(&made);
}

static void rows_that_cannot_be_read_fail_what_needs_them(void **state)
{
    int64_t *integers = calloc(TREES_GRADIENTS_INTEGERS, sizeof *integers);
    struct made made;
    struct jobspec spec;
    struct learner *learning;
    struct error err;
    uint32_t done;
    (void)state;

    made_init(&made, 300, 20, 2);
    spec = spec_of(&made.dataset, params_of_test());
    CHECK_OK(learning_open(&spec, &made.dataset, NULL, &learning, &err));
    lose_rows_after(&made.dataset, 2);
    CHECK_FAILS(learner_contribute(learning, 0, 8, integers, NULL, NULL, &done, &err), STATUS_IO,
                "cannot be read");
    learner_close(learning);
    CHECK_INT(held_rows(&made.dataset, &made.dataset.train), 0);
    free(integers);
    made_deinit(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_workers_grows_the_same_trees),
        cmocka_unit_test(rounds_are_measured_alike_by_any_number_of_workers),
        cmocka_unit_test(what_is_measured_leaves_no_trace_in_the_trees),
        cmocka_unit_test(training_ends_by_the_last_metric_that_is_named),
        cmocka_unit_test(lanes_leave_no_trace_in_the_trees),
        cmocka_unit_test(threads_leave_no_trace),
        cmocka_unit_test(rows_count_by_their_weights_in_any_lane),
        cmocka_unit_test(medians_count_rows_by_their_weights),
        cmocka_unit_test(a_state_taken_at_any_phase_leads_to_the_same_trees),
        cmocka_unit_test(a_learner_that_starts_anew_grows_the_same_trees),
        cmocka_unit_test(lanes_that_move_reach_their_rows_anew),
        cmocka_unit_test(lanes_that_go_from_hand_to_hand_leave_no_trace),
        cmocka_unit_test(a_state_that_is_cut_or_of_another_job_is_refused),
        cmocka_unit_test(a_bit_that_is_inverted_in_any_memory_is_found),
        cmocka_unit_test(a_stored_model_scores_rows_as_they_were_learned),
        cmocka_unit_test(the_old_trees_come_before_the_new_ones),
        cmocka_unit_test(an_old_model_of_another_link_or_other_outputs_is_refused),
        cmocka_unit_test(training_ends_when_held_out_rows_do_not_gain),
        cmocka_unit_test(what_does_not_fit_into_the_memory_of_a_worker_is_refused_with_the_bytes),
        cmocka_unit_test(rows_that_cannot_be_read_fail_what_needs_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
