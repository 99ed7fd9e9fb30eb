#include "kinds/trees/trees_attributes.h"
#include "kinds/trees/trees_kind.h"
#include "kinds/trees/trees_model.h"
#include "params/attribute.h"
#include "planner/attributes/attribute_check.h"
#include "planner/attributes/attributes.h"
#include "planner/attributes/estimators.h"
#include "planner/attributes/later.h"
#include "planner/attributes/short_names.h"
#include "planner/plan/column_kind.h"
#include "planner/plan/parameters.h"
#include "tests/check.h"
#include "tests/default_trees.h"

/* ---- what a statement says ---- */

struct said {
    const char *attributes[4]; /* their names stand at 10, 20, ... */
};

static bool find_said(const void *context, const char *attribute, struct slice *spelled,
                      int *position)
{
    const struct said *said = context;

    for (int i = 0; i < 4 && said->attributes[i]; i++)
        if (strcmp(said->attributes[i], attribute) == 0) {
            *spelled = slice_of(attribute);
            *position = 10 * (i + 1);
            return true;
        }
    return false;
}

static enum status settle(struct kind_params *params, enum task task, uint32_t classes,
                          const char *attribute, struct error *err)
{
    const struct said said = {{"train.num_boost_round", attribute}};
    const struct kind_settings settings = {&said, task, classes, find_said};

    error_clear(err);
    return trees_settle(params, &settings, err);
}

static struct trees_params *with_defaults(struct kind_params *params)
{
    *trees_params(params) = default_trees();
    return trees_params(params);
}

static void an_objective_is_of_classes_or_of_numbers(void **state)
{
    struct kind_params params;
    struct error err;
    (void)state;

    for (unsigned i = 1; i < TREE_OBJECTIVES; i++) {
        const bool ranks = trees_rank((enum tree_objective_name)i);
        const bool is_of_numbers = strncmp(tree_objective_words[i], "reg:", 4) == 0 ||
                                   strncmp(tree_objective_words[i], "count:", 6) == 0 ||
                                   strncmp(tree_objective_words[i], "survival:", 9) == 0 ||
                                   i == TREE_HUBER || i == TREE_FAIR || i == TREE_MAPE || ranks;
        const enum task other = is_of_numbers ? TASK_CLASSIFICATION : TASK_REGRESSION;
        enum task task;

        CHECK(trees_task(i, &task) && task != other);
        with_defaults(&params)->objective = (enum tree_objective_name)i;
        if (ranks)
            CHECK_FAILS(settle(&params, task, 2, "objective", &err), STATUS_INVALID,
                        "needs train.group");
        else
            CHECK_OK(settle(&params, task, 2, "objective", &err));
        CHECK_FAILS(settle(&params, other, 2, "objective", &err), STATUS_INVALID,
                    tree_objective_words[i]);
        CHECK_INT(err.position, 20);
    }
    CHECK(!trees_task(TREE_AUTOMATIC, &(enum task){0}));
}

static void objectives_of_two_classes_want_two(void **state)
{
    struct kind_params params;
    struct error err;
    (void)state;

    with_defaults(&params)->objective = TREE_LOGIT_RAW;
    CHECK_OK(settle(&params, TASK_CLASSIFICATION, 0, "objective", &err));
    CHECK_FAILS(settle(&params, TASK_CLASSIFICATION, 3, "objective", &err), STATUS_INVALID,
                "needs two classes, and there are 3");
    assert_string_equal(err.hint, "More classes are learned by multi:softmax or multi:softprob.");
    with_defaults(&params)->objective = TREE_SOFTPROB;
    CHECK_OK(settle(&params, TASK_CLASSIFICATION, 2, "objective", &err));
    CHECK_OK(settle(&params, TASK_CLASSIFICATION, 3, "objective", &err));
}

static void what_an_objective_does_not_look_at_is_refused(void **state)
{
    struct kind_params params;
    struct error err;
    (void)state;

    with_defaults(&params)->objective = TREE_GAMMA;
    CHECK_FAILS(settle(&params, TASK_REGRESSION, 0, "huber_slope", &err), STATUS_INVALID,
                "\"huber_slope\" has no use with the objective reg:gamma");
    assert_string_equal(err.hint, "It belongs to reg:pseudohubererror.");
    trees_params(&params)->objective = TREE_PSEUDO_HUBER;
    CHECK_OK(settle(&params, TASK_REGRESSION, 0, "huber_slope", &err));
    with_defaults(&params);
    CHECK_OK(settle(&params, TASK_CLASSIFICATION, 0, "scale_pos_weight", &err));
    trees_params(&params)->objective = TREE_SOFTMAX;
    CHECK_FAILS(settle(&params, TASK_CLASSIFICATION, 0, "scale_pos_weight", &err), STATUS_INVALID,
                "scale_pos_weight");
    for (size_t i = 0; i < trees_attributes.count; i++)
        if (strcmp(trees_attributes.rows[i].name, "eta") == 0)
            CHECK(trees_uses(&params, &trees_attributes.rows[i]));
}

static void ends_of_ranges_that_mean_nothing_are_refused_at_their_place(void **state)
{
    static const char *const names[] = {"eta", "subsample", "colsample_bytree", "colsample_bylevel",
                                        "colsample_bynode"};
    struct kind_params params;
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct trees_params *trees = with_defaults(&params);
        double *const members[] = {&trees->eta, &trees->subsample, &trees->colsample_bytree,
                                   &trees->colsample_bylevel, &trees->colsample_bynode};

        *members[i] = 0;
        CHECK_FAILS(settle(&params, TASK_REGRESSION, 0, names[i], &err), STATUS_INVALID,
                    "must be above 0");
        CHECK_INT(err.position, 20);
        CHECK(strncmp(err.message, names[i], strlen(names[i])) == 0);
    }
    with_defaults(&params)->objective = TREE_TWEEDIE;
    CHECK_OK(settle(&params, TASK_REGRESSION, 0, "tweedie_variance_power", &err));
    trees_params(&params)->tweedie_variance_power = 1;
    CHECK_FAILS(settle(&params, TASK_REGRESSION, 0, "tweedie_variance_power", &err), STATUS_INVALID,
                "above 1 and below 2");
    assert_string_equal(err.hint, "With 1 it would be count:poisson.");
    trees_params(&params)->tweedie_variance_power = 2;
    CHECK_FAILS(settle(&params, TASK_REGRESSION, 0, "tweedie_variance_power", &err), STATUS_INVALID,
                "above 1 and below 2");
    assert_string_equal(err.hint, "With 2 it would be reg:gamma.");
}

static void a_base_score_is_what_the_objective_can_begin_with(void **state)
{
    static const struct {
        enum tree_objective_name objective;
        enum task task;
        double base;
        bool is_fine;
    } cases[] = {
        {TREE_AUTOMATIC, TASK_CLASSIFICATION, .5, true},
        {TREE_AUTOMATIC, TASK_CLASSIFICATION, 1, false},
        {TREE_AUTOMATIC, TASK_CLASSIFICATION, 0, false},
        {TREE_AUTOMATIC, TASK_REGRESSION, -7, true},
        {TREE_LOGISTIC, TASK_CLASSIFICATION, 2, false},
        {TREE_SOFTMAX, TASK_CLASSIFICATION, 2, true},
        {TREE_REGRESSION_LOGISTIC, TASK_REGRESSION, 0, false},
        {TREE_POISSON, TASK_REGRESSION, 0, false},
        {TREE_POISSON, TASK_REGRESSION, 3, true},
        {TREE_POISSON, TASK_REGRESSION, REAL_AUTOMATIC, true},
    };
    struct kind_params params;
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trees_params *trees = with_defaults(&params);

        trees->objective = cases[i].objective;
        trees->base_score = cases[i].base;
        if (cases[i].is_fine) {
            CHECK_OK(settle(&params, cases[i].task, 0, "base_score", &err));
            continue;
        }
        CHECK_FAILS(settle(&params, cases[i].task, 0, "base_score", &err), STATUS_INVALID,
                    "base_score");
        CHECK_INT(err.position, 20);
    }
}

/* LightGBM's alpha, which is no penalty here; scikit-learn's is a share of rows, and is refused. */
static void where_huber_becomes_linear_is_said_by_alpha(void **state)
{
    struct kind_params params;
    struct trees_params *trees = with_defaults(&params);
    struct error err;
    (void)state;

    trees->objective = TREE_HUBER;
    CHECK_OK(settle(&params, TASK_REGRESSION, 0, "objective", &err));
    CHECK(trees->huber_alpha == .9 && trees->alpha == 0);
    trees->alpha = 3;
    CHECK_OK(settle(&params, TASK_REGRESSION, 0, "alpha", &err));
    CHECK(trees->huber_alpha == 3 && trees->alpha == 0);
    trees->alpha = 2;
    CHECK_OK(settle(&params, TASK_REGRESSION, 0, "huber_alpha", &err));
    CHECK(trees->huber_alpha == 3 && trees->alpha == 2);
    trees->huber_alpha = 0;
    CHECK_FAILS(settle(&params, TASK_REGRESSION, 0, "alpha", &err), STATUS_INVALID,
                "huber needs a huber_alpha above 0");
    with_defaults(&params)->objective = TREE_FAIR;
    CHECK_FAILS(settle(&params, TASK_REGRESSION, 0, "huber_alpha", &err), STATUS_INVALID,
                "no use with the objective fair");
    with_defaults(&params)->objective = TREE_MAPE;
    CHECK_FAILS(settle(&params, TASK_REGRESSION, 0, "monotone_constraints", &err), STATUS_INVALID,
                "cannot be kept");
}

/* alpha is the penalty, unless it is all that says which quantile is meant. */
static void a_quantile_is_said_by_the_name_of_any_library(void **state)
{
    static const char *const wrong[] = {"quantile_alpha", "alpha"};
    struct kind_params params;
    struct trees_params *trees = with_defaults(&params);
    struct error err;
    (void)state;

    trees->objective = TREE_QUANTILE;
    trees->quantile_alpha = (struct reals){{.9}, 1};
    trees->alpha = 2;
    CHECK_OK(settle(&params, TASK_REGRESSION, 0, "quantile_alpha", &err));
    CHECK(trees->quantile_alpha.items[0] == .9 && trees->alpha == 2);
    trees->quantile_alpha.items[0] = .5;
    trees->alpha = .2;
    CHECK_OK(settle(&params, TASK_REGRESSION, 0, "alpha", &err));
    CHECK(trees->quantile_alpha.items[0] == .2 && trees->alpha == 0);
    with_defaults(&params)->objective = TREE_QUANTILE;
    CHECK_OK(settle(&params, TASK_REGRESSION, 0, "objective", &err));
    CHECK(trees->quantile_alpha.items[0] == .9 && trees->alpha == 0);
    for (int i = 0; i < 4; i++) {
        trees->quantile_alpha.items[0] = trees->alpha = i % 2 ? 1 : 0;
        CHECK_FAILS(settle(&params, TASK_REGRESSION, 0, wrong[i / 2], &err), STATUS_INVALID,
                    "must be above 0 and below 1");
        CHECK_INT(err.position, 20);
    }
    with_defaults(&params)->objective = TREE_QUANTILE;
    trees->quantile_alpha = (struct reals){{.1, .5, .9}, 3};
    CHECK_OK(settle(&params, TASK_REGRESSION, 0, "quantile_alpha", &err));
    CHECK(trees_count(trees, &(struct kind_shape){.task = TASK_REGRESSION}) == 3.0 * trees->rounds);
    trees->quantile_alpha.items[2] = 1;
    CHECK_FAILS(settle(&params, TASK_REGRESSION, 0, "quantile_alpha", &err), STATUS_INVALID,
                "must be above 0 and below 1");
    trees->quantile_alpha.items[2] = .1;
    CHECK_FAILS(settle(&params, TASK_REGRESSION, 0, "quantile_alpha", &err), STATUS_INVALID,
                "quantile_alpha has 0.1 twice");
    with_defaults(&params)->objective = TREE_ABSOLUTE_ERROR;
    CHECK_FAILS(settle(&params, TASK_REGRESSION, 0, "quantile_alpha", &err), STATUS_INVALID,
                "no use with the objective reg:absoluteerror");
    CHECK_FAILS(settle(&params, TASK_REGRESSION, 0, "monotone_constraints", &err), STATUS_INVALID,
                "\"monotone_constraints\" cannot be kept with the objective reg:absoluteerror");
}

static void what_belongs_to_another_booster_is_refused(void **state)
{
    static const char *const of_dart[] = {"rate_drop", "skip_drop", "max_drop", "one_drop"};
    struct kind_params params;
    struct trees_params *trees = with_defaults(&params);
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof of_dart / sizeof *of_dart; i++) {
        trees->booster = TREE_GBTREE;
        CHECK_FAILS(settle(&params, TASK_REGRESSION, 0, of_dart[i], &err), STATUS_INVALID,
                    "has no use here");
        assert_string_equal(err.hint, "It belongs to booster = 'dart'.");
        CHECK_INT(err.position, 20);
        trees->booster = TREE_DART;
        CHECK_OK(settle(&params, TASK_REGRESSION, 0, of_dart[i], &err));
    }
    CHECK_FAILS(settle(&params, TASK_REGRESSION, 0, "other_rate", &err), STATUS_INVALID,
                "has no use here");
    for (size_t i = 0; i < trees_attributes.count; i++) {
        const struct attribute *attribute = &trees_attributes.rows[i];

        if (strcmp(attribute->name, "rate_drop") == 0)
            CHECK(trees_uses(&params, attribute));
        if (strcmp(attribute->name, "top_rate") == 0)
            CHECK(!trees_uses(&params, attribute));
    }
}

static void goss_takes_shares_that_fit_and_nothing_that_draws_besides(void **state)
{
    struct kind_params params;
    struct trees_params *trees = with_defaults(&params);
    struct error err;
    (void)state;

    trees->booster = TREE_BOOSTED_GOSS;
    CHECK_OK(settle(&params, TASK_REGRESSION, 0, "top_rate", &err));
    CHECK(trees->booster == TREE_GBTREE && trees->row_strategy == TREE_GOSS);
    trees->subsample = .5;
    CHECK_FAILS(settle(&params, TASK_REGRESSION, 0, "subsample", &err), STATUS_INVALID,
                "no use with goss");
    CHECK_INT(err.position, 20);
    trees->subsample = 1;
    trees->objective = TREE_ABSOLUTE_ERROR;
    CHECK_FAILS(settle(&params, TASK_REGRESSION, 0, "objective", &err), STATUS_INVALID,
                "reg:absoluteerror");
    trees->objective = TREE_SQUARED_ERROR;
    trees->top_rate = 0;
    CHECK_FAILS(settle(&params, TASK_REGRESSION, 0, "top_rate", &err), STATUS_INVALID,
                "together at most 1");
    CHECK_INT(err.position, 20);
    trees->top_rate = .8;
    trees->other_rate = 0;
    CHECK_FAILS(settle(&params, TASK_REGRESSION, 0, "other_rate", &err), STATUS_INVALID,
                "together at most 1");
    trees->other_rate = .3;
    CHECK_FAILS(settle(&params, TASK_REGRESSION, 0, "other_rate", &err), STATUS_INVALID,
                "together at most 1");
    trees->other_rate = .2;
    CHECK_OK(settle(&params, TASK_REGRESSION, 0, "other_rate", &err));
    trees->eta = .3;
    CHECK(!trees_round_is_goss(trees, 2) && trees_round_is_goss(trees, 3));
}

static void hazards_are_not_learned_by_trees_that_are_dropped(void **state)
{
    struct kind_params params;
    struct trees_params *trees = with_defaults(&params);
    struct error err;
    (void)state;

    trees->objective = TREE_COX;
    CHECK_OK(settle(&params, TASK_REGRESSION, 0, "booster", &err));
    trees->booster = TREE_DART;
    CHECK_FAILS(settle(&params, TASK_REGRESSION, 0, "booster", &err), STATUS_UNSUPPORTED,
                "booster = 'dart' is not supported yet with the objective survival:cox");
    CHECK_INT(err.position, 20);
    CHECK(err.hint[0]);
    trees->objective = TREE_AFT;
    CHECK_OK(settle(&params, TASK_REGRESSION, 0, "booster", &err));
}

static void growth_has_an_end(void **state)
{
    struct kind_params params;
    struct trees_params *trees = with_defaults(&params);
    struct error err;
    (void)state;

    trees->growth = TREE_LOSSGUIDE;
    CHECK_OK(settle(&params, TASK_REGRESSION, 0, "grow_policy", &err));
    trees->max_depth = 0;
    CHECK_FAILS(settle(&params, TASK_REGRESSION, 0, "grow_policy", &err), STATUS_INVALID,
                "needs max_leaves or max_depth");
    CHECK_INT(err.position, 20);
    trees->max_leaves = 31;
    CHECK_OK(settle(&params, TASK_REGRESSION, 0, "grow_policy", &err));
    trees->max_leaves = 0;
    trees->growth = TREE_DEPTHWISE;
    CHECK_OK(settle(&params, TASK_REGRESSION, 0, "grow_policy", &err));
}

static void the_root_of_the_columns_is_a_share_once_they_are_known(void **state)
{
    const struct kind_shape shape = {.dense = 12, .ids = 4}, none = {.dense = 0};
    struct kind_params params;
    struct trees_params *trees = with_defaults(&params);
    struct error err;
    (void)state;

    trees->colsample_bynode = .3;
    trees_settle_inputs(&params, &shape);
    CHECK(trees->colsample_bynode == .3);
    trees->max_features = TREE_FEATURES_SQRT;
    trees_settle_inputs(&params, &none);
    CHECK(trees->colsample_bynode == .3);
    trees_settle_inputs(&params, &shape);
    CHECK(trees->colsample_bynode == .25);
    CHECK_OK(settle(&params, TASK_REGRESSION, 0, "max_features", &err));
    CHECK_FAILS(settle(&params, TASK_REGRESSION, 0, "colsample_bynode", &err), STATUS_INVALID,
                "no use with max_features = 'sqrt'");
    for (size_t i = 0; i < trees_attributes.count; i++)
        if (strcmp(trees_attributes.rows[i].name, "colsample_bynode") == 0)
            CHECK(!trees_uses(&params, &trees_attributes.rows[i]));
}

static void counts_take_steps_of_seven_tenths(void **state)
{
    struct kind_params params;
    struct error err;
    (void)state;

    with_defaults(&params)->objective = TREE_POISSON;
    CHECK_OK(settle(&params, TASK_REGRESSION, 0, "objective", &err));
    CHECK(trees_params(&params)->max_delta_step == .7);
    trees_params(&params)->max_delta_step = 2;
    CHECK_OK(settle(&params, TASK_REGRESSION, 0, "objective", &err));
    CHECK(trees_params(&params)->max_delta_step == 2);
}

/* ---- how large ---- */

static void a_tree_has_as_many_leaves_as_depth_and_limit_allow(void **state)
{
    static const struct {
        uint32_t depth, leaves, most;
    } cases[] = {{6, 0, 64},     {6, 31, 31},    {0, 31, 31},    {4, 31, 16}, {0, 0, 65536},
                 {16, 0, 65536}, {64, 0, 65536}, {15, 0, 32768}, {1, 0, 2}};
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_INT(trees_leaves_most(&(struct trees_params){.max_depth = cases[i].depth,
                                                           .max_leaves = cases[i].leaves}),
                  cases[i].most);
    CHECK_INT(trees_bins_most(&(struct trees_params){.max_bin = 256}), 255);
    CHECK_INT(trees_bins_most(&(struct trees_params){.max_bin = 255}), 255);
    CHECK_INT(trees_bins_most(&(struct trees_params){.max_bin = 2}), 2);
}

static void each_class_beyond_two_has_trees_of_its_own(void **state)
{
    struct kind_params params;
    struct trees_params *trees = with_defaults(&params);
    const struct kind_shape two = {.task = TASK_CLASSIFICATION, .classes = 2, .dense = 28},
                            five = {.task = TASK_CLASSIFICATION, .classes = 5, .dense = 28},
                            numbers = {.task = TASK_REGRESSION, .dense = 28};
    (void)state;

    trees->rounds = 100;
    trees->parallel_trees = 3;
    CHECK(trees_count(trees, &two) == 300 && trees_count(trees, &numbers) == 300);
    CHECK(trees_count(trees, &five) == 1500);
    CHECK(trees_cost(&params, &five).parameters == 5 * trees_cost(&params, &two).parameters);
    CHECK(trees_cost(&params, &two).row_bytes == 32 + 28 + 14 + 12);
    CHECK(trees_cost(&params, &five).row_bytes == 32 + 28 + 14 + 60);
}

static void cost_follows_columns_leaves_and_rows(void **state)
{
    struct kind_params params;
    struct trees_params *trees = with_defaults(&params);
    struct kind_shape shape = {.task = TASK_REGRESSION, .dense = 20, .ids = 8};
    const double histogram = 28 * 256 * 16;
    (void)state;

    trees->rounds = 1;
    CHECK(trees_cost(&params, &shape).bytes == 64 * histogram * 1.5);
    CHECK(trees_cost(&params, &shape).multiplications == 6);
    shape.ids = 13;
    CHECK(trees_cost(&params, &shape).row_bytes == 64 + 33 + 14 + 12);
    shape.rows = 10; /* no leaf is without a row */
    CHECK(trees_cost(&params, &shape).bytes == 10 * histogram * 33 / 28 * 1.5);
    CHECK(trees_cost(&params, &shape).multiplications == 4);
    shape.rows = 1;
    CHECK(trees_cost(&params, &shape).parameters == NODE_NUMBERS);
    CHECK(trees_cost(&params, &shape).multiplications == 0);
    trees->max_depth = 3;
    shape.rows = 0;
    CHECK(trees_cost(&params, &shape).multiplications == 3);
}

static void check_explained(const struct kind_params *params, const struct kind_shape *shape,
                            const char *part)
{
    struct text detail;

    text_init(&detail, TEXT_MAXIMUM);
    trees_explain(params, shape, &detail);
    if (!strstr(text_string(&detail), part))
        check_failed("\"%s\" is not in \"%s\"", part, text_string(&detail));
    text_deinit(&detail);
}

/* 28 columns of 256 bins: 114,688 bytes a histogram; 30 of them leaf-wise, 32 in depth 6. */
static void what_workers_exchange_is_one_histogram_a_split(void **state)
{
    struct kind_params params;
    struct trees_params *trees = with_defaults(&params);
    struct kind_shape shape = {.task = TASK_REGRESSION, .dense = 28};
    (void)state;

    check_explained(&params, &shape,
                    "10 rounds of 1 tree, of at most 64 leaves; 28 columns "
                    "of at most 256 bins: histograms of 7.3 MB");
    check_explained(&params, &shape, "between workers 3.7 MB a round"); /* 32 */
    trees->growth = TREE_LOSSGUIDE;
    trees->max_depth = 0;
    trees->max_leaves = 31;
    check_explained(&params, &shape, "between workers 3.4 MB a round"); /* 30 */
    check_explained(&params, &shape,
                    "each million rows about 47 ms on one thread, and on one of each of 2, 4, 8 "
                    "workers 29, 19, 14");
    trees->parallel_trees = 10;
    trees->rounds = 1;
    check_explained(&params, &shape, "1 round of 10 trees, of at most 31 leaves each");
    check_explained(&params, &shape, "between workers 34.4 MB a round");
    shape.rows = 1;
    shape.dense = 1;
    check_explained(&params, &shape, "of at most 1 leaves each; 1 column of at most");
    shape.task = TASK_CLASSIFICATION;
    check_explained(&params, &shape, "with two classes, of more one for each class");
}

/* ---- names ---- */

static const struct estimator *estimator_named(const char *name)
{
    const struct name named = {.text = slice_of(name)};
    const struct estimator *estimator = NULL;
    struct error err;

    CHECK_OK(estimator_find(&named, &estimator, &err));
    return estimator;
}

static const char *written(const char *model, const char *name)
{
    const struct attribute *found =
        attribute_find_written(slice_of(name), SCOPE_TRAIN, estimator_named(model));

    return found ? found->name : "";
}

static void parameters_of_the_libraries_are_found(void **state)
{
    static const struct {
        const char *model, *name, *attribute;
    } cases[] = {
        {"XGBClassifier", "learning_rate", "eta"},
        {"DNNClassifier", "learning_rate", "optimizer.learning_rate"},
        {"XGBClassifier", "n_estimators", "train.num_boost_round"},
        {"XGBRFClassifier", "n_estimators", "num_parallel_tree"},
        {"lightgbm.rf", "num_iterations", "num_parallel_tree"},
        {"lightgbm.rf", "num_boost_round", "num_parallel_tree"},
        {"xgboost.gbtree", "num_boost_round", "train.num_boost_round"},
        {"HistGradientBoostingClassifier", "max_iter", "train.num_boost_round"},
        {"KMeans", "max_iter", "model.max_iter"},
        {"LinearClassifier", "max_iter", "train.epoch"},
        {"LGBMRegressor", "num_leaves", "max_leaves"},
        {"LGBMRegressor", "lambda_l2", "lambda"},
        {"LGBMRegressor", "l2_reg", "lambda"},
        {"DNNRegressor", "l2_reg", "model.l2"},
        {"LGBMRegressor", "boosting_type", "booster"},
        {"LGBMRegressor", "bagging_fraction", "subsample"},
        {"XGBClassifier", "num_class", "model.n_classes"},
        {"XGBClassifier", "seed", "train.seed"},
        {"XGBClassifier", "eval_metric", "validation.metrics"},
        {"XGBClassifier", "nthread", "job.threads"},
        {"XGBClassifier", "early_stopping_rounds", "train.early_stopping"},
        {"boosted_tree_regressor", "max_tree_depth", "max_depth"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(written(cases[i].model, cases[i].name), cases[i].attribute);
}

/* A name of another tool that is known here and not built must not stand for something else. */
static void no_name_is_both_known_and_not_supported(void **state)
{
    (void)state;
    for (size_t i = 0; i < later_attribute_count; i++)
        CHECK(!attribute_find(slice_of(later_attributes[i].name)));
    for (size_t i = 0; i < later_estimator_count; i++)
        for (size_t j = 0; j < estimator_count; j++)
            CHECK(!slice_is_fold(slice_of(later_estimators[i].name), estimators[j].name));
}

static struct value as_value(const char *text)
{
    struct value value = {.kind = VALUE_WORD, .text = slice_of(text)};

    if (slice_to_real(value.text, &value.number))
        value.kind = VALUE_NUMBER;
    value.is_integer = value.kind == VALUE_NUMBER && value.number == (double)(int64_t)value.number;
    value.integer = (int64_t)value.number;
    value.boolean = strcmp(text, "true") == 0;
    if (value.boolean || strcmp(text, "false") == 0)
        value.kind = VALUE_BOOLEAN;
    return value;
}

static bool is_fixed(const struct estimator *estimator, const char *attribute)
{
    for (size_t i = 0; estimator->fixed[i]; i++)
        if (strcmp(estimator->fixed[i], attribute) == 0)
            return true;
    return false;
}

/* One that takes the attribute from a statement. */
static const struct estimator *one_that_takes(const struct attribute *attribute)
{
    size_t i = 0;

    while (!estimator_uses(&estimators[i], attribute))
        i++;
    return &estimators[i];
}

/* A default is one that a statement could set, or of what no statement can. */
static void every_default_of_an_estimator_is_a_value_of_its_attribute(void **state)
{
    (void)state;
    for (size_t i = 0; i < estimator_count; i++) {
        const struct estimator *estimator = &estimators[i];

        for (const struct estimator_default *own = estimator->defaults; own && own->attribute;
             own++) {
            const struct attribute *attribute = attribute_find(slice_of(own->attribute)), *found;
            const struct setting setting = {.name = {.text = slice_of(own->attribute)},
                                            .value = as_value(own->value)};
            struct attribute with_it;
            struct error err;

            CHECK(attribute && (attribute_is_of_all_kinds(attribute) ||
                                attribute_is_of_kind(attribute, estimator->kind)));
            CHECK(estimator_uses(estimator, attribute) != is_fixed(estimator, own->attribute));
            CHECK_OK(attribute_check(&setting, SCOPE_TRAIN,
                                     is_fixed(estimator, own->attribute) ? one_that_takes(attribute)
                                                                         : estimator,
                                     &found, &err));
            with_it = estimator_attribute(estimator, attribute);
            assert_string_equal(with_it.default_value, own->value);
            CHECK(!with_it.is_automatic);
            CHECK(estimator_attribute(NULL, attribute).default_value == attribute->default_value);
        }
    }
}

static void words_of_other_libraries_are_words_here(void **state)
{
    const struct attribute *objective = attribute_find(SLICE("objective"));
    unsigned place;
    (void)state;

    for (const struct word_alias *alias = tree_objective_aliases; alias->name; alias++) {
        const char *word = attribute_word(objective, slice_of(alias->name));

        CHECK(word && term_find(tree_objective_words, slice_of(word), &place));
        CHECK(!term_find(tree_objective_words, slice_of(alias->name), &place));
        CHECK(!term_find(tree_objectives_later, slice_of(alias->name), &place));
    }
    assert_string_equal(attribute_word(objective, SLICE("Regression")), "reg:squarederror");
    assert_string_equal(attribute_word(objective, SLICE("quantile")), "reg:quantileerror");
    assert_string_equal(attribute_word(objective, SLICE("huber")), "huber");
    assert_string_equal(attribute_word(objective, SLICE("mean_absolute_percentage_error")), "mape");
    CHECK(!attribute_word(objective, SLICE("rank_xendcg")));
}

/* ---- classes or numbers ---- */

static void a_label_of_words_or_few_whole_numbers_holds_classes(void **state)
{
    static const struct {
        struct query_column column;
        bool holds_classes;
    } cases[] = {
        {{.texts = 9, .distinct_values = 9, .distinct_cells = 9}, true},
        {{.texts = 9, .boolean_texts = 9}, true},
        {{.integers = 9, .declared_type = SLICE("boolean"), .distinct_values = 9}, true},
        {{.integers = 3, .distinct_values = 2, .distinct_cells = 3}, true},
        {{.integers = 200, .distinct_values = 20, .distinct_cells = 200}, true},
        {{.integers = 199, .distinct_values = 20, .distinct_cells = 199}, false},
        {{.integers = 1000, .distinct_values = 21, .distinct_cells = 1000}, false},
        {{.integers = 999, .reals = 1, .distinct_values = 2, .distinct_cells = 999}, false},
        {{.texts = 50,
          .numeric_texts = 50,
          .whole_texts = 50,
          .distinct_values = 3,
          .distinct_cells = 50},
         true},
        {{.texts = 50,
          .numeric_texts = 50,
          .whole_texts = 49,
          .distinct_values = 3,
          .distinct_cells = 49},
         false},
        {{.texts = 50, .separated_texts = 50}, false},
        {{.nulls = 5, .declared_type = SLICE("REAL")}, false},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (column_holds_classes(&cases[i].column) != cases[i].holds_classes)
            check_failed("case %zu", i);
}

static void a_name_of_two_estimators_has_one_of_each_task(void **state)
{
    const struct estimator *first = estimator_named("lightgbm.gbdt");
    const struct estimator *other = estimator_beside(first);
    (void)state;

    CHECK(first->task == TASK_CLASSIFICATION && other && other->task == TASK_REGRESSION);
    assert_string_equal(first->name, other->name);
    CHECK(estimator_beside(other) == first);
    CHECK(!estimator_beside(estimator_named("XGBRegressor")));
    CHECK(first->kind == &trees_kind);
}

/* Words that are expected of 16,000 rows, of which 1,000 were looked at. */
static double words_expected_of(struct query_column column)
{
    struct plan_input input = {.spec = {.type = INPUT_CATEGORY, .vocabulary_max = 10000}};
    struct plan plan = {.estimator = estimator_named("XGBRegressor")};

    column.distinct_cells = 1000;
    plan.query.columns = &column;
    plan.query.count = 1;
    plan.query.sample_rows = QUERY_SAMPLE_ROWS;
    plan.inputs = &input;
    plan.input_count = 1;
    return shape_expected(&plan, 16000).id_rows - 1;
}

static void words_that_a_sample_has_not_seen_are_expected_by_those_that_are_rare(void **state)
{
    (void)state;
    /* by the root as many more rows, where nothing else is known */
    CHECK(words_expected_of((struct query_column){.distinct_values = 500}) == 2000);
    /* 800 words of about as many rows each */
    CHECK(words_expected_of((struct query_column){
              .distinct_values = 571, .once_values = 286, .twice_values = 179}) < 950);
    /* few words that most rows have, and many rare ones */
    CHECK(words_expected_of((struct query_column){
              .distinct_values = 400, .once_values = 300, .twice_values = 30}) == 1600);
    /* all words that one row has, none that two have */
    CHECK(words_expected_of((struct query_column){.distinct_values = 990, .once_values = 980}) ==
          3960);
    CHECK(words_expected_of((struct query_column){.distinct_values = 300, .twice_values = 200}) ==
          300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_objective_is_of_classes_or_of_numbers),
        cmocka_unit_test(objectives_of_two_classes_want_two),
        cmocka_unit_test(what_an_objective_does_not_look_at_is_refused),
        cmocka_unit_test(ends_of_ranges_that_mean_nothing_are_refused_at_their_place),
        cmocka_unit_test(a_base_score_is_what_the_objective_can_begin_with),
        cmocka_unit_test(a_quantile_is_said_by_the_name_of_any_library),
        cmocka_unit_test(where_huber_becomes_linear_is_said_by_alpha),
        cmocka_unit_test(what_belongs_to_another_booster_is_refused),
        cmocka_unit_test(goss_takes_shares_that_fit_and_nothing_that_draws_besides),
        cmocka_unit_test(hazards_are_not_learned_by_trees_that_are_dropped),
        cmocka_unit_test(growth_has_an_end),
        cmocka_unit_test(the_root_of_the_columns_is_a_share_once_they_are_known),
        cmocka_unit_test(counts_take_steps_of_seven_tenths),
        cmocka_unit_test(a_tree_has_as_many_leaves_as_depth_and_limit_allow),
        cmocka_unit_test(each_class_beyond_two_has_trees_of_its_own),
        cmocka_unit_test(cost_follows_columns_leaves_and_rows),
        cmocka_unit_test(what_workers_exchange_is_one_histogram_a_split),
        cmocka_unit_test(parameters_of_the_libraries_are_found),
        cmocka_unit_test(no_name_is_both_known_and_not_supported),
        cmocka_unit_test(every_default_of_an_estimator_is_a_value_of_its_attribute),
        cmocka_unit_test(words_of_other_libraries_are_words_here),
        cmocka_unit_test(a_label_of_words_or_few_whole_numbers_holds_classes),
        cmocka_unit_test(a_name_of_two_estimators_has_one_of_each_task),
        cmocka_unit_test(words_that_a_sample_has_not_seen_are_expected_by_those_that_are_rare),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
