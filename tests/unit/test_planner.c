#include <math.h>
#include <string.h>

#include "kinds/forecast/forecast_attributes.h"
#include "kinds/kmeans/kmeans_kind.h"
#include "kinds/network/network_attributes.h"
#include "kinds/trees/trees_attributes.h"
#include "parser/parser.h"
#include "planner/columns/label.h"
#include "planner/explain/explain.h"
#include "planner/notices/far_numbers.h"
#include "planner/notices/unseen_nulls.h"
#include "planner/plan/parameters.h"
#include "planner/plan/plan.h"
#include "planner/plan/targets.h"
#include "planner/plan_statement.h"
#include "planner/training/requirement.h"
#include "planner/training/row_work.h"
#include "tests/check.h"
#include "tests/unit/described_catalog.h"

#define IRIS                                                                                       \
    "-- query: sepal_length REAL 150 reals; petal_length REAL 150 reals; class INTEGER 150 "       \
    "integers\n"
#define MODEL                                                                                      \
    "-- model: m DNNClassifier classification; label class integer; inputs petal_length numeric, " \
    "sepal_length numeric\n"

struct scene {
    struct described_catalog described;
    struct arena arena;
    struct plan plan;
    struct error err;
};

static void scene_init(struct scene *scene)
{
    arena_init(&scene->arena, ARENA_MAXIMUM);
}

static void scene_deinit(struct scene *scene)
{
    arena_deinit(&scene->arena);
}

/* Plan a described statement. The statement's own arena is gone before the
 * plan is looked at: a plan borrows nothing from it. */
static enum status plan_text(struct scene *scene, const char *text)
{
    struct slice all = slice_of(text);
    size_t start = described_catalog_read(&scene->described, all);
    struct slice sql = {all.data + start, all.size - start};
    struct statement statement;
    struct arena parsed;
    enum status status;

    arena_init(&parsed, ARENA_MAXIMUM);
    error_clear(&scene->err);
    status = parse_statement(sql, &parsed, &statement, &scene->err);
    if (status == STATUS_OK)
        status = plan_statement(&statement, sql, &scene->described.catalog, &scene->arena,
                                &scene->plan, &scene->err);
    arena_deinit(&parsed);
    return status;
}

#define PLAN_OK(text)                                                                              \
    do {                                                                                           \
        struct error err;                                                                          \
        enum status planned = plan_text(&scene, text);                                             \
        err = scene.err;                                                                           \
        CHECK_OK(planned);                                                                         \
    } while (0)

#define PLAN_FAILS(text, expected, message)                                                        \
    do {                                                                                           \
        struct error err;                                                                          \
        enum status planned = plan_text(&scene, text);                                             \
        err = scene.err;                                                                           \
        CHECK_FAILS(planned, expected, message);                                                   \
    } while (0)

static void a_requirement_is_a_metric_and_a_bound_that_it_keeps(void **state)
{
    static const char *const wrong[] = {
        "", "AUC", "AUC 0.8", "AUC >=", "AUC >= x", "nothing >= 1", "AUC >= inf", "AUC >= 1 2"};
    struct requirement bound;
    (void)state;

    CHECK(requirement_read(SLICE(" auc >= 0.8 "), &bound));
    CHECK(requirement_is_of(&bound, SLICE("AUC")) && !requirement_is_of(&bound, SLICE("F1")));
    CHECK(!requirement_is_of(&bound, SLICE("nothing")));
    CHECK(requirement_is_met(&bound, 0.8) && requirement_is_met(&bound, 0.9));
    CHECK(!requirement_is_met(&bound, 0.79) && !requirement_is_met(&bound, (double)NAN));
    CHECK(requirement_read(SLICE("AUC>0.8"), &bound) && !requirement_is_met(&bound, 0.8));
    CHECK(requirement_read(SLICE("RMSE<=12"), &bound));
    CHECK(requirement_is_met(&bound, 12) && !requirement_is_met(&bound, 12.5));
    CHECK(requirement_read(SLICE("RMSE < 12"), &bound));
    CHECK(!requirement_is_met(&bound, 12) && requirement_is_met(&bound, -1));
    CHECK(!requirement_is_met(&bound, (double)NAN));
    CHECK(requirement_read(SLICE("NDCG@5 > 0"), &bound));
    CHECK(requirement_is_of(&bound, SLICE("NDCG@5")) &&
          !requirement_is_of(&bound, SLICE("NDCG@3")));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(!requirement_read(slice_of(wrong[i]), &bound));
}

static void a_requirement_is_of_a_metric_that_is_measured(void **state)
{
    struct scene scene;
    (void)state;

    scene_init(&scene);
    PLAN_OK(IRIS
            "SELECT * FROM iris TO TRAIN LinearClassifier WITH train.require = 'Accuracy > 0.5' "
            "LABEL class INTO m");
    PLAN_FAILS(IRIS "SELECT * FROM iris TO TRAIN LinearClassifier WITH train.require = 'good' "
                    "LABEL class INTO m",
               STATUS_INVALID, "a metric and its bound");
    PLAN_FAILS(IRIS "SELECT * FROM iris TO TRAIN LinearClassifier WITH train.require = 'RMSE < 1' "
                    "LABEL class INTO m",
               STATUS_INVALID, "does not measure the metric of train.require");
    CHECK(strstr(scene.err.hint, "It measures Accuracy, LogLoss"));
    PLAN_OK(IRIS "SELECT * FROM iris TO TRAIN LinearClassifier WITH train.require = 'MCC > 0.5', "
                 "validation.metrics = 'Accuracy, MCC' LABEL class INTO m");
    scene_deinit(&scene);
}

static void a_plan_has_every_name_resolved_and_every_default_filled(void **state)
{
    struct scene scene;
    const struct plan *plan = &scene.plan;
    (void)state;

    scene_init(&scene);
    PLAN_OK(IRIS "SELECT * FROM iris TO TRAIN dnnclassifier WITH model.hidden_units = [16, 8] "
                 "LABEL CLASS INTO main.m;");
    assert_string_equal(plan->estimator->name, "DNNClassifier");
    CHECK_SLICE(plan->select, "SELECT * FROM iris");
    CHECK_INT(plan->input_count, 2);
    CHECK_SLICE(plan->inputs[1].spec.name, "petal_length");
    CHECK_INT(plan->inputs[1].column, 1);
    CHECK_SLICE(plan->label, "class");
    CHECK_INT(plan->label_column, 2);
    CHECK(plan->label_type == LABEL_INTEGER);
    CHECK_INT(network_params(&plan->spec.params)->hidden_units.count, 2);
    CHECK_INT(network_params(&plan->spec.params)->hidden_units.items[1], 8);
    CHECK_INT(plan->spec.batch_size, 128);
    CHECK_INT(plan->spec.epochs, 0); /* 'auto' */
    CHECK(network_params(&plan->spec.params)->l2 == REAL_AUTOMATIC);
    CHECK(plan->spec.shuffle && plan->spec.standardize);
    CHECK_INT(network_params(&plan->spec.params)->activation, NETWORK_ACTIVATION_AUTOMATIC);
    CHECK_INT(network_params(&plan->spec.params)->optimizer, OPTIMIZER_ADAM);
    CHECK(network_params(&plan->spec.params)->learning_rate == 0.01);
    CHECK(network_params(&plan->spec.params)->epsilon == 1e-8);
    CHECK_INT(plan->spec.min_workers, 1);
    CHECK_INT(plan->spec.max_workers, 0);
    CHECK_SLICE(plan->into_schema, "main");
    CHECK_SLICE(plan->into_name, "m");
    CHECK_INT(plan->metric_count, 4); /* two of them of two classes */
    CHECK(plan->has_default_metrics);
    scene_deinit(&scene);
}

static void the_learning_rate_depends_on_the_optimizer(void **state)
{
    static const struct {
        const char *text;
        double rate;
    } cases[] = {
        {IRIS "SELECT 1 TO TRAIN LinearClassifier WITH optimizer = adagrad LABEL class INTO m",
         .05},
        {IRIS "SELECT 1 TO TRAIN LinearClassifier WITH optimizer = SGD LABEL class INTO m", .01},
        {IRIS
         "SELECT 1 TO TRAIN LinearClassifier WITH optimizer = SGD, optimizer.lr = 2 LABEL class "
         "INTO m",
         2},
    };
    struct scene scene;
    (void)state;

    scene_init(&scene);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        PLAN_OK(cases[i].text);
        CHECK(network_params(&scene.plan.spec.params)->learning_rate == cases[i].rate);
    }
    scene_deinit(&scene);
}

static void sgd_with_momentum_is_momentum(void **state)
{
    struct scene scene;
    (void)state;

    scene_init(&scene);
    PLAN_OK(IRIS
            "SELECT 1 TO TRAIN LinearClassifier WITH optimizer = SGD, optimizer.momentum = 0.5 "
            "LABEL class INTO m");
    CHECK_INT(network_params(&scene.plan.spec.params)->optimizer, OPTIMIZER_MOMENTUM);
    CHECK(network_params(&scene.plan.spec.params)->momentum == 0.5);
    scene_deinit(&scene);
}

static void the_kind_of_an_input_follows_the_sample_and_else_the_declared_type(void **state)
{
    struct scene scene;
    static const enum input_type types[] = {INPUT_NUMERIC,  INPUT_CATEGORY, INPUT_NUMERIC,
                                            INPUT_CATEGORY, INPUT_CATEGORY, INPUT_NUMERIC,
                                            INPUT_CATEGORY};
    (void)state;

    scene_init(&scene);
    PLAN_OK("-- query: a TEXT 9 integers; b INTEGER 8 integers, 1 texts; c TEXT 9 texts, 9 numeric;"
            " d TEXT 9 texts, 8 numeric; e TEXT 9 nulls; f decimal(3) 9 nulls; g 9 nulls;"
            " y TEXT 9 texts\n"
            "SELECT 1 TO TRAIN LinearClassifier LABEL y INTO m");
    CHECK_INT(scene.plan.input_count, 7);
    for (size_t i = 0; i < 7; i++)
        CHECK(scene.plan.inputs[i].spec.type == types[i]);
    CHECK(scene.plan.label_type == LABEL_TEXT);
    scene_deinit(&scene);
}

static void the_label_of_a_class_keeps_its_type_and_of_a_number_is_real(void **state)
{
    struct scene scene;
    (void)state;

    scene_init(&scene);
    PLAN_OK("-- query: a 9 integers; y 9 texts, 9 numeric\n"
            "SELECT 1 TO TRAIN LinearClassifier LABEL y INTO m");
    CHECK(scene.plan.label_type == LABEL_TEXT);
    PLAN_OK("-- query: a 9 integers; y 8 integers, 1 reals\n"
            "SELECT 1 TO TRAIN LinearClassifier LABEL y INTO m");
    CHECK(scene.plan.label_type == LABEL_REAL);
    PLAN_OK("-- query: a 9 integers; y 9 integers\n"
            "SELECT 1 TO TRAIN LinearRegressor LABEL y INTO m");
    CHECK(scene.plan.label_type == LABEL_REAL);
    scene_deinit(&scene);
}

static void inputs_stand_in_the_order_of_the_select_whatever_column_says(void **state)
{
    struct scene scene;
    (void)state;

    scene_init(&scene);
    PLAN_OK(
        "-- query: a 9 integers; b 9 integers; c 9 texts; d 9 integers; y 9 integers\n"
        "SELECT 1 TO TRAIN LinearClassifier COLUMN c, '[a-b]', VOCABULARY(A, 7) LABEL y INTO m");
    CHECK_INT(scene.plan.input_count, 3);
    CHECK_SLICE(scene.plan.inputs[0].spec.name, "a");
    CHECK(scene.plan.inputs[0].spec.type == INPUT_CATEGORY);
    CHECK_INT(scene.plan.inputs[0].spec.vocabulary_max, 7);
    CHECK_SLICE(scene.plan.inputs[1].spec.name, "b");
    CHECK(scene.plan.inputs[1].spec.type == INPUT_NUMERIC);
    CHECK_SLICE(scene.plan.inputs[2].spec.name, "c");
    scene_deinit(&scene);
}

static void a_pattern_matches_whole_names(void **state)
{
    struct scene scene;
    (void)state;

    scene_init(&scene);
    PLAN_FAILS(IRIS "SELECT 1 TO TRAIN LinearClassifier COLUMN 'sepal' LABEL class INTO m",
               STATUS_INVALID, "matches no column");
    PLAN_FAILS(IRIS "SELECT 1 TO TRAIN LinearClassifier COLUMN '(a)\\1' LABEL class INTO m",
               STATUS_INVALID, "pattern");
    PLAN_FAILS(IRIS "SELECT 1 TO TRAIN LinearClassifier COLUMN 'a{99999}' LABEL class INTO m",
               STATUS_INVALID, "repeats too often");
    scene_deinit(&scene);
}

static void a_column_is_found_exactly_before_it_is_found_in_any_case(void **state)
{
    struct scene scene;
    (void)state;

    scene_init(&scene);
    PLAN_OK("-- query: x 9 integers; X 9 reals; y 9 integers; Y 9 integers; a 9 integers\n"
            "SELECT 1 TO TRAIN LinearClassifier COLUMN A LABEL Y INTO m");
    CHECK_INT(scene.plan.label_column, 3);
    CHECK_INT(scene.plan.inputs[0].column, 4);
    PLAN_FAILS("-- query: xx 9 integers; xX 9 reals; y 9 integers\n"
               "SELECT 1 TO TRAIN LinearClassifier COLUMN XX LABEL y INTO m",
               STATUS_INVALID, "more than one column");
    scene_deinit(&scene);
}

static void an_error_of_the_host_points_into_the_whole_text(void **state)
{
    struct scene scene;
    (void)state;

    scene_init(&scene);
    PLAN_FAILS("-- refused: 14 no such table: t\n"
               "   SELECT * FROM t TO TRAIN LinearClassifier LABEL y INTO m",
               STATUS_DATABASE, "no such table");
    CHECK_INT(scene.err.position, 17);
    PLAN_FAILS("-- refused: -1 database is locked\n"
               "   SELECT * FROM t TO TRAIN LinearClassifier LABEL y INTO m",
               STATUS_DATABASE, "locked");
    CHECK_INT(scene.err.position, -1);
    scene_deinit(&scene);
}

static void validation_columns_are_found_by_name(void **state)
{
    struct scene scene;
    (void)state;

    scene_init(&scene);
    PLAN_OK(IRIS
            "-- validation: class 5 integers; petal_length 5 reals; x 5 reals; sepal_length 5 "
            "reals\n"
            "SELECT 1 TO TRAIN LinearClassifier WITH validation.select = 'SELECT 2' LABEL class "
            "INTO m");
    CHECK_SLICE(scene.plan.validation_select, "SELECT 2");
    CHECK_INT(scene.plan.validation_columns[0], 3);
    CHECK_INT(scene.plan.validation_columns[1], 1);
    CHECK_INT(scene.plan.validation_columns[2], 0);
    scene_deinit(&scene);
}

#define WEIGHED "-- query: x 9 reals; word 9 texts; w 9 integers; b 9 blobs; y 9 reals\n"

static void a_column_of_weights_is_no_input_unless_it_is_named(void **state)
{
    struct scene scene;
    (void)state;

    scene_init(&scene);
    PLAN_OK(WEIGHED "SELECT 1 TO TRAIN XGBRegressor WITH sample_weight = 'W' COLUMN '[xw]' LABEL y "
                    "INTO m");
    CHECK_INT(scene.plan.input_count, 1);
    CHECK_INT(scene.plan.role_count, 1);
    CHECK_SLICE(scene.plan.roles[0].name, "w");
    CHECK_INT(scene.plan.roles[0].column, 2);
    CHECK_INT(scene.plan.notices->count, 1);
    CHECK_INT(scene.plan.notices->items[0].kind, NOTICE_ROLE);
    PLAN_OK(WEIGHED "SELECT 1 TO TRAIN XGBRegressor WITH train.sample_weight = 'w' COLUMN x, w "
                    "LABEL y INTO m");
    CHECK_INT(scene.plan.input_count, 2);
    CHECK_INT(scene.plan.notices->count, 0);
    PLAN_OK("-- query: x 9 reals; w 9 reals; y 9 reals\n"
            "-- validation: y 5 reals; w 5 reals; x 5 reals\n"
            "SELECT 1 TO TRAIN XGBRegressor WITH train.sample_weight = 'w', validation.select = "
            "'SELECT 2' LABEL y INTO m");
    CHECK_INT(scene.plan.validation_columns[0], 2);
    CHECK_INT(scene.plan.validation_columns[1], 0);
    CHECK_INT(scene.plan.validation_columns[2], 1);
    scene_deinit(&scene);
}

static void a_ranking_needs_groups_and_measures_itself(void **state)
{
    struct scene scene;
    (void)state;

    scene_init(&scene);
    PLAN_OK(WEIGHED "SELECT 1 TO TRAIN LGBMRanker WITH qid = 'word' COLUMN x, w LABEL y INTO m");
    CHECK_INT(scene.plan.role_count, 1);
    CHECK(scene.plan.roles[0].role == ROLE_GROUP);
    CHECK_INT(scene.plan.roles[0].column, 1);
    CHECK_INT(scene.plan.metric_count, 0);
    CHECK_INT(trees_params(&scene.plan.spec.params)->pair_count, 30);
    PLAN_OK(WEIGHED "SELECT 1 TO TRAIN XGBRanker WITH train.group = 'w', lambdarank_pair_method = "
                    "'mean', validation.metrics = 'RMSE' COLUMN x LABEL y INTO m");
    CHECK_INT(trees_params(&scene.plan.spec.params)->pair_count, 1);
    CHECK_INT(scene.plan.metric_count, 1);
    PLAN_OK(WEIGHED "SELECT 1 TO TRAIN XGBRegressor WITH sample_weight = 'w', train.group = 'word' "
                    "COLUMN x LABEL y INTO m");
    CHECK_INT(scene.plan.role_count, 2);
    CHECK(scene.plan.metric_count > 0);
    PLAN_FAILS(WEIGHED "SELECT 1 TO TRAIN XGBRanker COLUMN x LABEL y INTO m", STATUS_INVALID,
               "rank:ndcg needs train.group");
    PLAN_FAILS(WEIGHED "SELECT 1 TO TRAIN XGBRanker WITH qid = 'b' COLUMN x LABEL y INTO m",
               STATUS_INVALID, "group column");
    PLAN_FAILS(WEIGHED "SELECT 1 TO TRAIN XGBRanker WITH qid = 'w', sample_weight = 'x' COLUMN x "
                       "LABEL y INTO m",
               STATUS_INVALID, "\"sample_weight\" has no use with the objective rank:ndcg");
    scene_deinit(&scene);
}

static void a_column_of_weights_holds_numbers_of_its_own(void **state)
{
    static const struct {
        const char *column, *message;
    } cases[] = {
        {"v", "weight column \"v\" is not among the columns of the query"},
        {"y", "column \"y\" is the label"},
        {"word", "weight column \"word\" holds text that is not a number, in 9 of 9 sampled rows"},
        {"b", "binary"},
    };
    struct scene scene;
    char text[400];
    (void)state;

    scene_init(&scene);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text,
                 WEIGHED
                 "SELECT 1 TO TRAIN XGBRegressor WITH sample_weight = '%s' COLUMN x LABEL y INTO m",
                 cases[i].column);
        PLAN_FAILS(text, STATUS_INVALID, cases[i].message);
        CHECK(scene.err.hint[0]);
    }
    PLAN_FAILS("-- query: x 9 reals; w 9 reals; y 9 reals\n-- validation: y 5 reals; x 5 reals\n"
               "SELECT 1 TO TRAIN XGBRegressor WITH train.sample_weight = 'w', validation.select = "
               "'SELECT 2' LABEL y INTO m",
               STATUS_INVALID, "validation.select has no column \"w\"");
    PLAN_FAILS(IRIS
               "SELECT 1 TO TRAIN KMeans WITH n_clusters = 2, train.sample_weight = 'petal_length' "
               "INTO m",
               STATUS_INVALID, "\"train.sample_weight\" has no use with KMeans");
    scene_deinit(&scene);
}

static void the_label_makes_room_only_for_a_prediction_of_its_name(void **state)
{
    struct scene scene;
    (void)state;

    scene_init(&scene);
    PLAN_OK(IRIS MODEL "SELECT * FROM iris TO PREDICT t.c USING m");
    CHECK_INT(scene.plan.label_column, -1);
    PLAN_OK(IRIS MODEL "SELECT * FROM iris TO PREDICT c USING m");
    CHECK_INT(scene.plan.label_column, -1);
    PLAN_OK(IRIS MODEL "SELECT * FROM iris TO PREDICT t.Class USING m");
    CHECK_INT(scene.plan.label_column, 2);
    PLAN_OK(IRIS MODEL "SELECT * FROM iris TO PREDICT USING m");
    CHECK_INT(scene.plan.label_column, 2);
    scene_deinit(&scene);
}

/* A function names its target without a statement. */
static void the_target_of_a_function_is_checked_as_that_of_a_statement(void **state)
{
    struct scene scene;
    struct error err;
    const struct catalog *catalog = &scene.described.catalog;
    (void)state;

    scene_init(&scene);
    CHECK_INT(plan_text(&scene, "-- schemas: main\nCANCEL JOB 1"), STATUS_OK);
    CHECK_OK(target_check(catalog, SLICE("main"), SLICE("m"), &err));
    CHECK_OK(target_check(catalog, SLICE(""), SLICE("m"), &err));
    CHECK_FAILS(target_check(catalog, SLICE("other"), SLICE("m"), &err), STATUS_NOT_FOUND,
                "no schema \"other\"");
    CHECK_INT(err.position, -1);
    CHECK_FAILS(target_check(catalog, SLICE(""), SLICE("totrain_m"), &err), STATUS_INVALID,
                "is reserved");
    CHECK_INT(err.position, -1);
    CHECK_FAILS(target_check(catalog, SLICE(""), SLICE(""), &err), STATUS_INVALID,
                "a name is empty");
    scene_deinit(&scene);
}

static void predict_finds_the_inputs_in_the_order_of_the_model(void **state)
{
    struct scene scene;
    (void)state;

    scene_init(&scene);
    PLAN_OK(IRIS MODEL "SELECT * FROM iris TO PREDICT t.c USING m");
    CHECK_INT(scene.plan.model_columns[0], 1);
    CHECK_INT(scene.plan.model_columns[1], 0);
    CHECK(scene.plan.has_target);
    CHECK_SLICE(scene.plan.target_table, "t");
    CHECK_SLICE(scene.plan.target_column, "c");
    PLAN_OK(IRIS MODEL "SELECT * FROM iris TO PREDICT USING m");
    CHECK(!scene.plan.has_target);
    CHECK_SLICE(scene.plan.target_column, "class");
    PLAN_OK(IRIS MODEL "SELECT * FROM iris TO PREDICT c USING m");
    CHECK(!scene.plan.has_target);
    CHECK_SLICE(scene.plan.target_column, "c");
    scene_deinit(&scene);
}

static void evaluate_takes_the_models_label_unless_one_is_given(void **state)
{
    struct scene scene;
    (void)state;

    scene_init(&scene);
    PLAN_OK(IRIS MODEL "SELECT * FROM iris TO EVALUATE m");
    CHECK_INT(scene.plan.label_column, 2);
    CHECK_SLICE(scene.plan.metrics[0], "Accuracy");
    PLAN_OK(IRIS MODEL "SELECT * FROM iris TO EVALUATE m LABEL petal_length");
    CHECK_INT(scene.plan.label_column, 1);
    scene_deinit(&scene);
}

static void names_of_tables_have_limits(void **state)
{
    struct scene scene;
    char text[512], name[300];
    (void)state;

    scene_init(&scene);
    PLAN_FAILS(IRIS "SELECT 1 TO TRAIN LinearClassifier LABEL class INTO Totrain_models",
               STATUS_INVALID, "reserved");
    memset(name, 'n', 201);
    name[201] = '\0';
    snprintf(text, sizeof text, IRIS "SELECT 1 TO TRAIN LinearClassifier LABEL class INTO %s",
             name);
    PLAN_FAILS(text, STATUS_INVALID, "at most 200");
    name[200] = '\0';
    snprintf(text, sizeof text, IRIS "SELECT 1 TO TRAIN LinearClassifier LABEL class INTO %s",
             name);
    PLAN_OK(text);
    scene_deinit(&scene);
}

static void memory_that_runs_out_is_an_error_at_every_point(void **state)
{
    static const char text[] =
        IRIS "SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [4], "
             "validation.metrics = 'AUC' COLUMN 'sepal.*', petal_length LABEL class INTO m";
    struct scene scene;
    struct plan_line *lines;
    size_t count, maximum = 0;
    enum status status;
    (void)state;

    do {
        arena_init(&scene.arena, maximum);
        maximum += 64;
        status = plan_text(&scene, text);
        if (status == STATUS_OK)
            status = plan_explain(&scene.plan, 0, NULL, &scene.arena, &lines, &count, &scene.err);
        arena_deinit(&scene.arena);
        CHECK(status == STATUS_OK || status == STATUS_NO_MEMORY);
    } while (status != STATUS_OK);
    CHECK(maximum > 4096);
}

static const struct plan_line *find_line(const struct plan_line *lines, size_t count,
                                         const char *item)
{
    for (size_t i = 0; i < count; i++)
        if (slice_is(lines[i].item, item))
            return &lines[i];
    check_failed("no line \"%s\"", item);
    return NULL;
}

static void explain_gives_the_speed_up_that_lanes_allow(void **state)
{
    struct scene scene;
    struct plan_line *lines;
    size_t count;
    (void)state;

    scene_init(&scene);
    PLAN_OK(IRIS "EXPLAIN SELECT * FROM iris TO TRAIN LinearClassifier WITH job.lanes = 6, "
                 "train.epoch = 3 LABEL class INTO m");
    CHECK(scene.plan.explain_only);
    CHECK_INT(plan_explain(&scene.plan, 0, NULL, &scene.arena, &lines, &count, NULL), STATUS_OK);
    CHECK_SLICE(find_line(lines, count, "lanes")->detail, "6");
    CHECK_SLICE(find_line(lines, count, "speed-up by workers")->detail,
                "1: 1.00, 2: 2.00, 3: 3.00, 4: 3.00, 5: 3.00, 6: 6.00, 7: 6.00, 8: 6.00");
    CHECK_SLICE(find_line(lines, count, "train.epoch")->detail, "3");
    CHECK(strstr(find_line(lines, count, "defaults")->detail.data, "train.batch_size = 128") !=
          NULL);
    CHECK_SLICE(find_line(lines, count, "rows")->detail, "150");
    CHECK_SLICE(find_line(lines, count, "steps")->detail,
                "6: 3 epochs of 2 steps, of up to 128 rows each");
    scene_deinit(&scene);
}

static void check_history(struct scene *scene, const struct plan_history *history,
                          const char *workers, const char *speed)
{
    struct plan_line *lines;
    size_t count;

    CHECK_INT(plan_explain(&scene->plan, 0, history, &scene->arena, &lines, &count, NULL),
              STATUS_OK);
    CHECK_SLICE(find_line(lines, count, "workers")->detail, workers);
    if (speed)
        CHECK_SLICE(find_line(lines, count, "expected speed")->detail, speed);
    for (size_t i = 0; !speed && i < count; i++)
        CHECK(!slice_is(lines[i].item, "expected speed"));
}

#define GIVEN_BACK "; those that do not pay, as the job measures, are given back"

static void explain_tells_what_earlier_jobs_measured(void **state)
{
    struct plan_history history = {.job = 12, .jobs = 1, .workers = 4, .row_seconds = 1e-3 / 9.52};
    struct scene scene;
    (void)state;

    scene_init(&scene);
    PLAN_OK(IRIS "EXPLAIN SELECT * FROM iris TO TRAIN DNNClassifier WITH job.max_workers = 4, "
                 "train.epoch = 1000 LABEL class INTO m");
    check_history(&scene, NULL, "1 to 4" GIVEN_BACK, NULL);
    check_history(&scene, &history, "1 to 4" GIVEN_BACK,
                  "about 9500 rows a second with 4 workers, so about 20 seconds: estimated "
                  "from job 12");
    history = (struct plan_history){
        .job = 12, .jobs = 3, .first = 1, .workers = 1, .row_seconds = 0.6, .is_measured = true};
    check_history(&scene, &history, "1 to 4, 1 at first, as job 12 measured" GIVEN_BACK,
                  "about 1.7 rows a second with 1 worker, so about 30 hours: measured by job 12 "
                  "and 2 before it");
    PLAN_OK(IRIS "EXPLAIN SELECT * FROM iris TO TRAIN DNNClassifier WITH job.max_workers = 4, "
                 "train.epoch = 1000, train.max_steps = 1 LABEL class INTO m");
    check_history(&scene, &history, "1 to 4, 1 at first, as job 12 measured" GIVEN_BACK,
                  "about 1.7 rows a second with 1 worker, so about 80 seconds: measured by job 12 "
                  "and 2 before it");
    PLAN_OK(IRIS "EXPLAIN SELECT * FROM iris TO TRAIN KMeans WITH n_clusters = 3 INTO m");
    check_history(&scene, &history, "1, 1 at first, as job 12 measured",
                  "about 1.7 rows a second with 1 worker: measured by job 12 and 2 before it");
    scene_deinit(&scene);
}

static bool have_same_work(struct scene *scene, const char *one, const char *other)
{
    char digits[2][ROW_WORK_DIGITS + 1];

    CHECK_INT(plan_text(scene, one), STATUS_OK);
    CHECK(row_work_print(&scene->plan, digits[0]));
    CHECK_INT(plan_text(scene, other), STATUS_OK);
    CHECK(row_work_print(&scene->plan, digits[1]));
    CHECK_INT(strlen(digits[1]), ROW_WORK_DIGITS);
    return strcmp(digits[0], digits[1]) == 0;
}

static void statements_do_the_same_work_for_a_row_where_its_cost_is_the_same(void **state)
{
    static const char *const same[] = {"train.seed = 9", "train.epoch = 70", "learning_rate = 0.5",
                                       "job.max_workers = 9"};
    static const char *const other[] = {"model.hidden_units = [9]", "train.batch_size = 16",
                                        "job.lanes = 3", "job.threads = 3"};
    char text[512];
    struct scene scene;
    (void)state;

    scene_init(&scene);
#define TRAINS(with)                                                                               \
    IRIS "SELECT * FROM iris TO TRAIN DNNClassifier WITH train.verbose = 0" with " LABEL class "   \
         "INTO "
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        snprintf(text, sizeof text, TRAINS(", %s") "m", same[i]);
        CHECK(have_same_work(&scene, TRAINS("") "m", text));
    }
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        snprintf(text, sizeof text, TRAINS(", %s") "m", other[i]);
        CHECK(!have_same_work(&scene, TRAINS("") "m", text));
    }
    CHECK(!have_same_work(&scene, TRAINS("") "m", TRAINS("") "n"));
#undef TRAINS
    scene_deinit(&scene);
}

static void beyond_eight_workers_explain_tells_where_the_speed_grows(void **state)
{
    struct scene scene;
    struct plan_line *lines;
    size_t count;
    (void)state;

    scene_init(&scene);
    PLAN_OK(IRIS "EXPLAIN SELECT * FROM iris TO TRAIN LinearClassifier WITH "
                 "train.batch_size = 1600, job.max_workers = 80 LABEL class INTO m");
    CHECK_INT(plan_explain(&scene.plan, 0, NULL, &scene.arena, &lines, &count, NULL), STATUS_OK);
    CHECK_SLICE(find_line(lines, count, "lanes")->detail,
                "80: one for every 16 rows of the batch, at least 1, at most 80");
    CHECK_SLICE(find_line(lines, count, "speed-up by workers")->detail,
                "1: 1.00, 2: 2.00, 3: 2.96, 4: 4.00, 5: 5.00, 6: 5.71, 7: 6.67, 8: 8.00, "
                "10: 10.00, 12: 11.43, 14: 13.33, 16: 16.00, 20: 20.00, 27: 26.67, 40: 40.00, "
                "80: 80.00");
    scene_deinit(&scene);
}

/* No statement can make such a model: the ranges of a KMeans end before. */
static void a_kind_that_is_too_large_names_its_own_attribute(void **state)
{
    const struct setting setting = {.value.span.start = 42};
    struct checked_setting checked = {&kmeans_attributes.rows[0], &setting};
    struct scene scene;
    struct error err;
    struct planning planning = {
        .plan = &scene.plan, .settings = &checked, .setting_count = 1, .err = &err};
    (void)state;

    scene_init(&scene);
    error_clear(&err);
    CHECK_INT(plan_text(&scene,
                        IRIS "SELECT * FROM iris TO TRAIN KMeans WITH model.n_clusters = 3 INTO m"),
              STATUS_OK);
    CHECK_OK(parameters_check(&planning));
    kmeans_params(&scene.plan.spec.params)->clusters = UINT32_MAX;
    CHECK_FAILS(parameters_check(&planning), STATUS_LIMIT,
                "a model of 12884901885 parameters would need 544.0 GiB, where at most 16 GiB");
    CHECK_INT(err.position, 42);
    CHECK(strstr(err.hint, "lower model.n_clusters"));
    scene_deinit(&scene);
}

#define TREES                                                                                      \
    "-- query: a REAL 1000 reals; b REAL 1000 reals; w TEXT 1000 texts, 1000 counted, 4 "          \
    "different; few INTEGER 1000 integers, 1000 counted, 3 different; many INTEGER 1000 "          \
    "integers, 1000 counted, 700 different\n"

static const struct trees_params *trees_of_plan(const struct scene *scene)
{
    return trees_params(&scene->plan.spec.params);
}

static void a_name_of_two_tasks_means_the_one_that_is_told(void **state)
{
    static const struct {
        const char *statement;
        enum task task;
    } cases[] = {
        {"SELECT * FROM t TO TRAIN xgboost.gbtree LABEL few INTO m", TASK_CLASSIFICATION},
        {"SELECT * FROM t TO TRAIN xgboost.gbtree LABEL w INTO m", TASK_CLASSIFICATION},
        {"SELECT * FROM t TO TRAIN xgboost.gbtree LABEL many INTO m", TASK_REGRESSION},
        {"SELECT * FROM t TO TRAIN xgboost.gbtree LABEL a INTO m", TASK_REGRESSION},
        {"SELECT * FROM t TO TRAIN lightgbm.gbdt WITH objective = 'auto' LABEL a INTO m",
         TASK_REGRESSION},
        {"SELECT * FROM t TO TRAIN lightgbm.gbdt WITH objective = 'regression' LABEL few INTO m",
         TASK_REGRESSION},
        {"SELECT * FROM t TO TRAIN lightgbm.gbdt WITH objective = 'multiclass' LABEL many INTO m",
         TASK_CLASSIFICATION},
        {"SELECT * FROM t TO TRAIN lightgbm.rf WITH num_class = 900 LABEL many INTO m",
         TASK_CLASSIFICATION},
    };
    struct scene scene;
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];

        snprintf(text, sizeof text, "%s%s", TREES, cases[i].statement);
        scene_init(&scene);
        PLAN_OK(text);
        CHECK_INT(scene.plan.estimator->task, cases[i].task);
        CHECK_INT(scene.plan.spec.n_classes, i == 7 ? 900 : 0);
        CHECK_INT(scene.plan.query.label.size, 0);
        scene_deinit(&scene);
    }
    scene_init(&scene);
    PLAN_FAILS(TREES "SELECT * FROM t TO TRAIN xgboost.gbtree LABEL nothing INTO m", STATUS_INVALID,
               "label column \"nothing\"");
    PLAN_FAILS(TREES "SELECT * FROM t TO TRAIN xgboost.gbtree INTO m", STATUS_INVALID,
               "LABEL is missing");
    PLAN_FAILS(TREES "-- refused: 14 no such table: t\n"
                     "SELECT * FROM t TO TRAIN xgboost.gbtree LABEL a INTO m",
               STATUS_DATABASE, "no such table");
    scene_deinit(&scene);
}

static void an_estimator_fills_in_the_defaults_of_its_library(void **state)
{
    struct scene scene;
    (void)state;

    scene_init(&scene);
    PLAN_OK(TREES "SELECT * FROM t TO TRAIN LGBMRegressor WITH num_leaves = 7 LABEL a INTO m");
    CHECK_INT(trees_of_plan(&scene)->rounds, 100);
    CHECK_INT(trees_of_plan(&scene)->max_leaves, 7);
    CHECK_INT(trees_of_plan(&scene)->growth, TREE_LOSSGUIDE);
    CHECK(trees_of_plan(&scene)->eta == .1 && trees_of_plan(&scene)->base_score == REAL_AUTOMATIC);
    PLAN_OK(TREES "SELECT * FROM t TO TRAIN RandomForestClassifier WITH n_estimators = 9 LABEL few "
                  "INTO m");
    CHECK_INT(trees_of_plan(&scene)->rounds, 1); /* which no statement can set */
    CHECK_INT(trees_of_plan(&scene)->parallel_trees, 9);
    CHECK(trees_of_plan(&scene)->eta == 1 && trees_of_plan(&scene)->base_score == .5);
    CHECK(trees_of_plan(&scene)->colsample_bynode == .5); /* the root of four columns */
    PLAN_OK(TREES "SELECT * FROM t TO TRAIN RandomForestClassifier WITH base_score = 'auto', "
                  "max_features = 'all' LABEL few INTO m");
    CHECK(trees_of_plan(&scene)->base_score == REAL_AUTOMATIC);
    CHECK(trees_of_plan(&scene)->colsample_bynode == 1);
    scene_deinit(&scene);
}

static void minus_one_is_no_limit_and_a_base_of_minus_one_is_a_number(void **state)
{
    struct scene scene;
    (void)state;

    scene_init(&scene);
    PLAN_OK(TREES "SELECT * FROM t TO TRAIN XGBRegressor WITH max_depth = -1, max_leaves = -1, "
                  "n_jobs = -1, verbosity = -1, base_score = -1 LABEL a INTO m");
    CHECK_INT(trees_of_plan(&scene)->max_depth, 0);
    CHECK_INT(trees_of_plan(&scene)->max_leaves, 0);
    CHECK_INT(scene.plan.spec.threads, 0);
    CHECK_INT(scene.plan.verbose, 0);
    CHECK(trees_of_plan(&scene)->base_score != REAL_AUTOMATIC);
    CHECK((float)trees_of_plan(&scene)->base_score == -1.0F);
    PLAN_FAILS(TREES "SELECT * FROM t TO TRAIN XGBRegressor WITH max_depth = -2 LABEL a INTO m",
               STATUS_INVALID, "max_depth takes a whole number from 0 to 64, not -2");
    scene_deinit(&scene);
}

static void models_of_coefficients_take_no_texts(void **state)
{
    struct scene scene;
    (void)state;

    scene_init(&scene);
    PLAN_FAILS(TREES "SELECT * FROM t TO TRAIN OLS COLUMN a, TEXT(w) LABEL b INTO m",
               STATUS_INVALID, "column \"w\" is a text, and OLS accepts numbers");
    CHECK(strstr(scene.err.hint, "LinearRegressor learns from the words of texts"));
    PLAN_FAILS(TREES "SELECT * FROM t TO TRAIN ScoreCard COLUMN a, TEXT(w) LABEL few INTO m",
               STATUS_INVALID, "column \"w\" is a text");
    CHECK(strstr(scene.err.hint, "LinearClassifier"));
    PLAN_OK(TREES "SELECT * FROM t TO TRAIN NaiveBayes COLUMN a, TEXT(w) LABEL few INTO m");
    CHECK_INT(scene.plan.inputs[1].spec.weight, TEXT_WEIGHT_COUNT);
    PLAN_FAILS(
        TREES
        "SELECT * FROM t TO TRAIN NaiveBayes COLUMN CATEGORY_HASH(w, 5, ',') LABEL few INTO m",
        STATUS_INVALID, "is a category of several values, and NaiveBayes takes one");
    scene_deinit(&scene);
}

static void trees_count_the_words_of_texts_in_buckets_that_are_inputs(void **state)
{
    const struct plan_input *last;
    struct scene scene;
    (void)state;

    scene_init(&scene);
    PLAN_OK(TREES "SELECT * FROM t TO TRAIN XGBRegressor COLUMN a, TEXT(w, 30) LABEL b INTO m");
    CHECK_INT(scene.plan.input_count, 31);
    last = &scene.plan.inputs[30];
    CHECK(slice_equal(last->spec.name, SLICE("w[29]")) &&
          slice_equal(last->spec.source, SLICE("w")));
    CHECK(last->spec.type == INPUT_NUMERIC && last->spec.list.form == LIST_WORDS &&
          last->spec.list.size == 30);
    CHECK_INT(last->spec.list.words_max, TEXT_WORDS_MAX);
    CHECK_INT(last->spec.element, 29);
    scene_deinit(&scene);
}

static const char *date_notice(const char *estimator, const char *sql_type,
                               struct notice_list *notices)
{
    struct query_column label = {.name = slice_of("seen"), .sql_type = slice_of(sql_type)};
    const struct name name = {.text = slice_of(estimator)};
    struct plan plan = {.query = {.columns = &label, .count = 1}, .notices = notices};
    struct error err;

    CHECK_OK(estimator_find(&name, &plan.estimator, &err));
    *notices = (struct notice_list){0};
    label_unit_notice(&plan);
    return notices->count > 0 ? notices->items[0].text : "";
}

static void a_regressor_of_dates_says_what_it_counts(void **state)
{
    static struct notice_list notices;
    (void)state;

    assert_string_equal(
        date_notice("XGBRegressor", "pg_catalog.date", &notices),
        "label column \"seen\" is learned, and predicted, as days since 1970-01-01");
    assert_string_equal(notices.items[0].hint,
                        "date '1970-01-01' + round(prediction)::int is the date.");
    assert_string_equal(
        date_notice("OLS", "pg_catalog.timestamptz", &notices),
        "label column \"seen\" is learned, and predicted, as seconds since 1970-01-01");
    assert_string_equal(
        date_notice("OLS", "pg_catalog.\"timestamp\"", &notices),
        "label column \"seen\" is learned, and predicted, as seconds since 1970-01-01");
    assert_string_equal(notices.items[0].hint, "to_timestamp(prediction) is the time.");
    assert_string_equal(date_notice("OLS", "pg_catalog.int4", &notices), "");
    assert_string_equal(date_notice("XGBClassifier", "pg_catalog.date", &notices), "");
}

/* ---- FORECAST ---- */

#define STORE_ROWS                                                                                 \
    "-- query: store TEXT 9 texts; item INTEGER 9 integers; day TEXT 9 texts 9 dates; sales REAL " \
    "9 reals\n"
#define STORES                                                                                     \
    "-- model: f Forecast regression; label sales real; inputs store category, item category, "    \
    "day numeric\n"

static void a_forecast_has_the_columns_of_its_history(void **state)
{
    static const struct {
        const char *name;
        enum result_type type;
    } wanted[] = {{"store", RESULT_TEXT}, {"item", RESULT_INTEGER}, {"day", RESULT_DATE},
                  {"sales", RESULT_REAL}, {"lower", RESULT_REAL},   {"upper", RESULT_REAL}};
    struct scene scene;
    const struct plan *plan = &scene.plan;
    (void)state;

    scene_init(&scene);
    PLAN_OK(STORES "FORECAST f");
    CHECK_INT(plan->steps, 14);
    CHECK(plan->level == 0.95);
    CHECK_INT(plan->result_count, 6);
    for (size_t i = 0; i < 6; i++) {
        CHECK(slice_is(plan->results[i].name, wanted[i].name));
        CHECK_INT(plan->results[i].type, wanted[i].type);
    }
    CHECK(!plan->has_target);
    PLAN_OK(STORES "FORECAST f FOR 7 WITH forecast.level = 0.8 INTO next_week");
    CHECK_INT(plan->steps, 7);
    CHECK(plan->level == 0.8);
    CHECK(plan->has_target && slice_is(plan->target_table, "next_week"));
    PLAN_OK("-- model: f Forecast regression; label sales real; inputs Upper category, day "
            "numeric\nFORECAST f FOR '3'");
    CHECK(slice_is(plan->results[3].name, "sales_lower"));
    CHECK(slice_is(plan->results[4].name, "sales_upper"));
    PLAN_OK("-- model: f Forecast regression; label lower real; inputs day numeric\nFORECAST f");
    CHECK(slice_is(plan->results[2].name, "lower_lower"));
    scene_deinit(&scene);
}

#define FUND    "-- query: time TEXT 9 texts 9 dates; purchase REAL 9 reals\n"
#define SQLFLOW "SELECT * FROM fund TO TRAIN sqlflow_models.ARIMAWithSTLDecomposition WITH "
#define DAYS    "model.forecast_start = '2014-09-01', model.forecast_end = '2014-09-30'"
#define INTO    " LABEL purchase INTO p"

static void days_of_a_statement_count_its_steps(void **state)
{
    struct scene scene;
    (void)state;

    scene_init(&scene);
    PLAN_OK(FUND SQLFLOW "model.order = [7, 0, 2], model.period = [7, 30], " DAYS INTO);
    CHECK_INT(forecast_params(&scene.plan.spec.params)->horizon, 30);
    PLAN_OK(FUND SQLFLOW "model.date_format = '%Y-%m-%d %H:%M:%S', " DAYS INTO);
    PLAN_OK(FUND SQLFLOW "model.date_format = '%Y-%m-%d', forecast.time = 'time', " DAYS INTO);
    PLAN_FAILS(FUND SQLFLOW "model.date_format = '%Y%m%d', " DAYS INTO, STATUS_INVALID,
               "dates are written as %Y-%m-%d");
    PLAN_FAILS(FUND SQLFLOW "model.forecast_start = '2014-09-01'" INTO, STATUS_INVALID,
               "are set together");
    PLAN_FAILS(FUND SQLFLOW "model.forecast_end = '2014-09-01'" INTO, STATUS_INVALID,
               "are set together");
    PLAN_FAILS(FUND SQLFLOW DAYS ", forecast.horizon = 3" INTO, STATUS_INVALID,
               "so does forecast.horizon");
    PLAN_FAILS(FUND SQLFLOW "model.forecast_start = 'a', model.forecast_end = '2014-09-30'" INTO,
               STATUS_INVALID, "is a date, not 'a'");
    PLAN_FAILS(FUND SQLFLOW "model.forecast_start = '2014-09-01', model.forecast_end = 'b'" INTO,
               STATUS_INVALID, "is a date, not 'b'");
    PLAN_FAILS(FUND SQLFLOW
               "model.forecast_start = '2014-09-02', model.forecast_end = '2014-09-01'" INTO,
               STATUS_INVALID, "forecast.end is before forecast.start");
    PLAN_FAILS("-- query: a TEXT 9 texts 9 dates; b TEXT 9 texts 9 dates; purchase REAL 9 "
               "reals\n" SQLFLOW DAYS INTO,
               STATUS_INVALID, "needs forecast.time");
    PLAN_FAILS("-- query: a TEXT 9 texts; purchase REAL 9 reals\n" SQLFLOW DAYS INTO,
               STATUS_INVALID, "needs forecast.time");
    PLAN_FAILS(FUND SQLFLOW "forecast.horizon = 3" INTO, STATUS_INVALID, "needs forecast.time");
    scene_deinit(&scene);
}

/* ---- holidays ---- */

#define VALUES "-- query: day TEXT 9 texts 9 dates; sales REAL 9 reals; promo INTEGER 9 integers\n"
#define TABLE  "-- validation: id INTEGER 9 integers; d TEXT 9 texts 9 dates; name TEXT 9 texts\n"
#define FEASTS                                                                                     \
    "-- rows: 1 2025-12-25 Christmas, 2 2024-03-31 Easter, 3 2024-12-25 Christmas, 4 2025-12-25 "  \
    "Christmas\n"
#define TRAINED(method, more)                                                                      \
    "SELECT * FROM t TO TRAIN " method " WITH forecast.time = 'day', forecast.horizon = 3, "       \
    "forecast.holidays = 'calendar'" more " LABEL sales INTO m"

static void holidays_are_the_days_of_each_name(void **state)
{
    const struct holidays *found;
    struct scene scene;
    (void)state;

    scene_init(&scene);
    PLAN_OK(VALUES TABLE FEASTS TRAINED("Forecast", ""));
    found = scene.plan.spec.holidays;
    CHECK_INT(found->count, 2);
    CHECK(slice_is(found->items[0].name, "Christmas") && slice_is(found->items[1].name, "Easter"));
    CHECK_INT(found->items[0].count, 2); /* one day is there twice */
    CHECK_INT(found->items[0].days[0], 20082);
    CHECK_INT(found->items[0].days[1], 20447);
    CHECK_INT(found->items[1].count, 1);
    PLAN_OK(VALUES
            "-- validation: d DATE 9 texts 9 dates\n-- rows: 2025-12-25, 2024-12-25\n" TRAINED(
                "Forecast", ""));
    found = scene.plan.spec.holidays;
    CHECK_INT(found->count, 1);
    CHECK(slice_is(found->items[0].name, "holiday") && found->items[0].count == 2);
    PLAN_OK(VALUES "SELECT * FROM t TO TRAIN Forecast WITH forecast.time = 'day', "
                   "forecast.horizon = 3 LABEL sales INTO m");
    CHECK(!scene.plan.spec.holidays);
    scene_deinit(&scene);
}

static void a_table_of_holidays_has_days_and_names(void **state)
{
    static const struct {
        const char *table, *message;
    } all[] = {
        {"-- validation: name TEXT 9 texts\n", "table 'calendar' has no column of dates"},
        {"-- validation: a TEXT 9 texts 9 dates; b TEXT 9 texts 9 dates\n",
         "has several columns of dates"},
        {"-- validation: d TEXT 9 texts 9 dates; b TEXT 9 texts; c TEXT 9 texts\n",
         "has several columns of texts"},
        {"-- validation: d TEXT\n", "has no rows"},
        {TABLE "-- rows:\n", "has no rows"},
        {TABLE "-- rows: 1 - Easter\n", "row 1 of table 'calendar': its day is NULL"},
        {TABLE "-- rows: 1 2024-12-25 a, 1 2024-12-26 -\n", "row 2 of table 'calendar': its name"},
        {TABLE "-- rows: 1 2024-12-25 \"\"\n", "row 1 of table 'calendar': its name"},
        {TABLE "-- rows: 1 2024-02-30 a\n", "2024-02-30"},
    };
    struct scene scene;
    char text[400];
    (void)state;

    scene_init(&scene);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        snprintf(text, sizeof text, "%s%s%s", VALUES, all[i].table, TRAINED("Forecast", ""));
        PLAN_FAILS(text, STATUS_INVALID, all[i].message);
        CHECK(scene.err.position >= 0 && scene.err.hint[0]);
    }
    scene_deinit(&scene);
}

static void holidays_have_a_limit(void **state)
{
    struct scene scene;
    struct text text;
    (void)state;

    scene_init(&scene);
    PLAN_FAILS(VALUES TABLE FEASTS "-- repeats: 5001\n" TRAINED("Forecast", ""), STATUS_LIMIT,
               "forecast.holidays takes 20000 rows at most");
    PLAN_OK(VALUES TABLE FEASTS "-- repeats: 5000\n" TRAINED("Forecast", ""));
    text_init(&text, TEXT_MAXIMUM);
    text_append_string(&text, VALUES TABLE "-- rows: ");
    for (int i = 0; i < HOLIDAYS_MAX; i++) /* promo is a regressor beside them */
        text_printf(&text, "1 2024-12-25 h%d,", i);
    text_append_string(&text, "\n" TRAINED("Forecast", ""));
    PLAN_FAILS(text_string(&text), STATUS_LIMIT, "64 regressors and holidays at most");
    text_deinit(&text);
    scene_deinit(&scene);
}

static void holidays_need_days_and_a_method_that_takes_them(void **state)
{
    struct scene scene;
    (void)state;

    scene_init(&scene);
    PLAN_FAILS(VALUES TABLE FEASTS TRAINED("TSB", ""), STATUS_INVALID, "holidays are regressors");
    PLAN_FAILS(VALUES TABLE FEASTS TRAINED("Forecast", ", forecast.group = 'promo', "
                                                       "forecast.hierarchy = 'mint'"),
               STATUS_INVALID, "holidays are regressors");
    PLAN_FAILS("-- query: day INTEGER 9 integers; sales REAL 9 reals\n" TABLE FEASTS TRAINED(
                   "Forecast", ""),
               STATUS_INVALID, "holidays are days, and the times are numbers");
    PLAN_FAILS(VALUES TABLE FEASTS
               "-- model: kept Forecast regression; label sales real; inputs day numeric\n"
               "SELECT day, sales FROM t TO TRAIN Forecast WITH forecast.time = 'day', "
               "forecast.horizon = 14, forecast.holidays = 'main.calendar' LABEL sales USING kept "
               "INTO m",
               STATUS_INVALID, "model \"kept\" was trained with no holidays");
    scene_deinit(&scene);
}

static void a_forecast_is_asked_for_what_it_has(void **state)
{
    struct scene scene;
    (void)state;

    scene_init(&scene);
    PLAN_FAILS(STORES "FORECAST f FOR 15", STATUS_INVALID,
               "the model forecasts 1 to 14 steps, not 15");
    CHECK(strstr(scene.err.hint, "forecast.horizon: 15"));
    PLAN_FAILS(STORES "FORECAST f FOR 0", STATUS_INVALID, "the model forecasts 1 to 14 steps");
    PLAN_FAILS(STORES "FORECAST f FOR 1.5", STATUS_INVALID, "steps are a whole number, not 1.5");
    PLAN_FAILS(STORES "FORECAST f FOR 'a week'", STATUS_INVALID, "not a week");
    PLAN_FAILS(STORES "FORECAST f WITH forecast.level = 2", STATUS_INVALID, "forecast.level");
    PLAN_FAILS(STORES "FORECAST f WITH train.epoch = 2", STATUS_INVALID, "train.epoch");
    PLAN_FAILS(STORES "FORECAST g", STATUS_NOT_FOUND, "no model");
    PLAN_FAILS(MODEL "FORECAST m", STATUS_INVALID,
               "the model is not a forecast but a DNNClassifier");
    PLAN_FAILS("-- memory: 3000 of 2000\n" STORES "FORECAST f", STATUS_LIMIT,
               "a session loads models of up to 2.0 KiB");
    scene_deinit(&scene);
}

#define STORE_TRAIN(estimator, old)                                                                \
    "SELECT * FROM t TO TRAIN " estimator " WITH forecast.time = 'day', forecast.group = "         \
    "['store', 'item'], forecast.horizon = 14 LABEL sales USING " old " INTO m"

static void a_forecast_goes_on_from_one_that_keeps_parameters(void **state)
{
    static const char kept[] = "-- model: kept Forecast regression; label sales real; inputs store "
                               "category, item category, day numeric\n";
    struct scene scene;
    const struct plan *plan = &scene.plan;
    struct text statement;
    (void)state;

    scene_init(&scene);
    text_init(&statement, TEXT_MAXIMUM);
    text_printf(&statement, "%s%s%s", STORE_ROWS, kept, STORE_TRAIN("Forecast", "kept"));
    PLAN_OK(text_string(&statement));
    CHECK(forecast_params(&plan->spec.params)->keeps);
    CHECK_INT(plan->input_count, 3);
    text_clear(&statement);
    text_printf(&statement, "%s%s%s", STORE_ROWS, kept,
                "SELECT * FROM t TO TRAIN Forecast WITH forecast.time = 'day', forecast.group = "
                "['store', 'item'] LABEL sales USING kept INTO m");
    PLAN_OK(text_string(&statement));
    CHECK_INT(forecast_params(&plan->spec.params)->horizon, 14);
    text_clear(&statement);
    text_printf(&statement, "%s%s%s", STORE_ROWS, kept, STORE_TRAIN("Theta", "kept"));
    PLAN_FAILS(text_string(&statement), STATUS_INVALID, "which no Theta has");
    PLAN_FAILS(STORE_ROWS STORES STORE_TRAIN("Forecast", "f"), STATUS_INVALID,
               "model \"f\" keeps no parameters");
    text_deinit(&statement);
    scene_deinit(&scene);
}

/* A day of hours is shorter than the week that was found. */
static void a_forecast_is_explained_by_its_parts(void **state)
{
    static const char *const names[] = {"store",      "item",      "day",
                                        "sales",      "trend",     "season_24",
                                        "season_168", "remainder", "level_shift"};
    struct scene scene;
    const struct plan *plan = &scene.plan;
    (void)state;

    scene_init(&scene);
    PLAN_OK(STORE_ROWS STORES
            "SELECT * FROM t TO EXPLAIN f WITH explain.replace = true INTO parts");
    CHECK(plan->explains_series && plan->has_target && plan->replaces_any);
    CHECK_INT(plan->result_count, 9);
    for (size_t i = 0; i < 9; i++)
        CHECK(slice_is(plan->results[i].name, names[i]));
    CHECK_INT(plan->part_season_count, 2);
    CHECK_INT(plan->part_seasons[0], 24);
    CHECK_INT(plan->part_seasons[1], 168);
    CHECK_INT(plan->label_column, 3);
    PLAN_OK("-- query: day TEXT 9 texts 9 dates; sales REAL 9 reals; promo INTEGER 9 integers\n"
            "-- model: f Forecast regression; label sales real; inputs day numeric, promo numeric\n"
            "SELECT * FROM t TO EXPLAIN f");
    CHECK_INT(plan->part_effect_count, 1);
    CHECK(slice_is(plan->results[5].name, "effect_promo"));
    CHECK(slice_is(plan->results[6].name, "remainder"));
    PLAN_OK("-- query: season_24 TEXT 9 texts; day TEXT 9 texts 9 dates; trend REAL 9 reals\n"
            "-- model: f Forecast regression; label trend real; inputs season_24 category, day "
            "numeric\nSELECT * FROM t TO EXPLAIN f");
    CHECK(slice_is(plan->results[3].name, "trend_trend"));
    CHECK(slice_is(plan->results[4].name, "trend_season_24"));
    PLAN_FAILS(STORE_ROWS STORES "SELECT * FROM t TO EXPLAIN f USING permutation",
               STATUS_UNSUPPORTED, "a Forecast has no inputs whose importance could be measured");
    PLAN_FAILS(STORE_ROWS STORES "SELECT * FROM t TO EXPLAIN f WITH explain.seed = 1",
               STATUS_INVALID, "explain.seed has no use with a forecast");
    PLAN_FAILS(
        "-- query: store TEXT 9 texts; item INTEGER 9 integers; day TEXT 9 texts 9 dates\n" STORES
        "SELECT * FROM t TO EXPLAIN f",
        STATUS_INVALID, "label column \"sales\"");
    scene_deinit(&scene);
}

static void values_that_came_are_checked(void **state)
{
    struct scene scene;
    const struct plan *plan = &scene.plan;
    (void)state;

    scene_init(&scene);
    PLAN_OK(STORE_ROWS STORES "SELECT * FROM t TO PREDICT c.sales USING f");
    CHECK_INT(plan->checked_column, 3);
    CHECK(plan->anomaly == 0.95 && slice_is(plan->target_column, "expected"));
    CHECK_INT(plan->extra_output_count, 4);
    CHECK_INT(plan->label_column, -1);
    PLAN_OK(STORE_ROWS STORES "SELECT * FROM t TO PREDICT c.guess USING f");
    CHECK(plan->checked_column == -1 && plan->extra_output_count == 0);
    PLAN_OK(STORE_ROWS STORES
            "SELECT * FROM t TO PREDICT c.guess WITH forecast.anomaly = 0.8 USING f");
    CHECK(plan->anomaly == 0.8 && slice_is(plan->target_column, "guess"));
    scene_deinit(&scene);
}

/* ---- what a classifier keeps beside its weights ---- */

#define FRAUDS                                                                                     \
    "-- query: amount REAL 900 reals; kind TEXT 900 texts\n"                                       \
    "SELECT * FROM t TO TRAIN "
#define KIND " LABEL kind INTO m"

static void a_threshold_is_a_number_or_a_rule(void **state)
{
    static const char *const rules[] = {
        "0.4", "'0.4'", "'f1'", "'recall >= 0.95'", "1", "'precision>=.9'", "'cost 1, 20'", "'F1'"};
    static const char *const others[] = {"true",
                                         "'x'",
                                         "2",
                                         "-1",
                                         "'recall'",
                                         "'recall > 0.5'",
                                         "'recall >= 2'",
                                         "'cost 1'",
                                         "'cost 1, 2, 3'",
                                         "'cost -1, 2'",
                                         "'f1 >= 0.5'",
                                         "''"};
    char text[200];
    struct scene scene;
    (void)state;

    scene_init(&scene);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        snprintf(text, sizeof text, FRAUDS "LinearClassifier WITH train.threshold = %s" KIND,
                 rules[i]);
        PLAN_OK(text);
        CHECK(scene.plan.spec.threshold.size > 0);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        snprintf(text, sizeof text, FRAUDS "LinearClassifier WITH train.threshold = %s" KIND,
                 others[i]);
        if (plan_text(&scene, text) == STATUS_OK)
            check_failed("%s is taken", others[i]);
        CHECK(strstr(scene.err.message, "train.threshold"));
    }
    scene_deinit(&scene);
}

static void what_is_learned_last_needs_rows_that_are_held_out(void **state)
{
    struct scene scene;
    (void)state;

    scene_init(&scene);
    PLAN_OK(FRAUDS
            "LinearClassifier WITH train.calibration = 'Isotonic', train.threshold = 'f1'" KIND);
    CHECK_INT(scene.plan.spec.calibration, CALIBRATION_ISOTONIC);
    PLAN_OK(FRAUDS "XGBClassifier WITH train.calibration = 'sigmoid', train.test_size = 0.2" KIND);
    CHECK_INT(scene.plan.spec.calibration, CALIBRATION_SIGMOID);
    PLAN_OK(FRAUDS "LinearClassifier WITH train.calibration = 'none', train.test_size = 0" KIND);
    PLAN_OK(FRAUDS "LinearClassifier WITH train.threshold = 0.3, train.test_size = 0" KIND);
    PLAN_FAILS(FRAUDS "LinearClassifier WITH train.threshold = 'f1', train.test_size = 0" KIND,
               STATUS_INVALID, "train.threshold is learned from rows that are held out");
    PLAN_OK(FRAUDS "LinearClassifier WITH train.calibration = 'sigmoid', train.folds = 5" KIND);
    CHECK_INT(scene.plan.folds, 5);
    PLAN_FAILS(FRAUDS "LinearClassifier WITH model.loss = 'hinge', train.threshold = 'f1'" KIND,
               STATUS_INVALID, "a model that is learned by a hinge loss has none");
    scene_deinit(&scene);
}

/* ---- NULLs that a model has not learned of ---- */

#define NULLS(rows)                                                                                \
    "-- query: sepal_length REAL " rows "; petal_length TEXT 1000 texts; class INTEGER 1000 "      \
    "integers\n"

static void nulls_that_a_model_has_not_learned_of_are_told(void **state)
{
    const struct cell null = {.type = CELL_NULL}, blank = {.type = CELL_TEXT, .text = SLICE(" ")},
                      missing = {.type = CELL_TEXT, .text = SLICE("n/a")},
                      word = {.type = CELL_TEXT, .text = SLICE("red")},
                      number = {.type = CELL_INTEGER, .integer = 7};
    const char *const model = "-- model: m DNNClassifier classification; label class integer; "
                              "inputs petal_length category, sepal_length numeric\n";
    struct scene scene;
    const struct plan *plan = &scene.plan;
    uint64_t nulls[2] = {0, 4};
    char text[400];
    (void)state;

    scene_init(&scene);
    snprintf(text, sizeof text, NULLS("990 reals, 10 nulls") "%sSELECT * FROM t TO EVALUATE m",
             model);
    PLAN_OK(text);
    CHECK_INT(plan->notices->count, 1);
    CHECK(strstr(plan->notices->items[0].text, "\"sepal_length\" is NULL in 10 of the first 1000"));
    CHECK(strstr(plan->notices->items[0].text, "the mean of the column"));
    CHECK(!unseen_nulls_may_come(plan, 1)); /* it is told already */
    snprintf(text, sizeof text, NULLS("1000 reals") "%sSELECT * FROM t TO EVALUATE m", model);
    PLAN_OK(text);
    CHECK_INT(plan->notices->count, 0);
    CHECK(unseen_nulls_may_come(plan, 0) && unseen_nulls_may_come(plan, 1));
    CHECK(unseen_null_is(plan, 0, &null) && unseen_null_is(plan, 0, &blank));
    CHECK(!unseen_null_is(plan, 0, &missing) && unseen_null_is(plan, 1, &missing));
    CHECK(!unseen_null_is(plan, 0, &word) && !unseen_null_is(plan, 1, &number));
    note_counted_nulls(plan, nulls, 5000);
    CHECK_INT(plan->notices->count, 1);
    CHECK(strstr(plan->notices->items[0].text, "\"sepal_length\" is NULL in 4 of 5000 rows"));
    scene_deinit(&scene);
}

static void numbers_beyond_a_models_reach_are_told(void **state)
{
    const struct cell far = {.type = CELL_REAL, .real = -1e39},
                      near = {.type = CELL_REAL, .real = 1e37},
                      whole = {.type = CELL_INTEGER, .integer = 7},
                      text = {.type = CELL_TEXT, .text = SLICE("1e39")};
    struct scene scene;
    struct plan *plan = &scene.plan;
    struct query_column *column;
    double found[2] = {NAN, -1e39};
    (void)state;

    scene_init(&scene);
    PLAN_OK(NULLS("1000 reals") "-- model: m DNNClassifier classification; label class integer; "
                                "inputs petal_length category, sepal_length numeric\n"
                                "SELECT * FROM t TO EVALUATE m");
    CHECK(!far_numbers_may_come(plan, 1) && !far_number_is(plan, 1, &far)); /* no reach is known */
    plan->model.inputs[1].least = -1e38;
    plan->model.inputs[1].greatest = 1e38;
    CHECK(!far_numbers_may_come(plan, 0) && far_numbers_may_come(plan, 1));
    CHECK(far_number_is(plan, 1, &far) && !far_number_is(plan, 1, &near));
    CHECK(!far_number_is(plan, 1, &whole) && !far_number_is(plan, 1, &text));
    note_far_numbers(plan);
    CHECK_INT(plan->notices->count, 0);
    note_found_far_numbers(plan, found);
    CHECK_INT(plan->notices->count, 1);
    CHECK(strstr(plan->notices->items[0].text, "\"sepal_length\" has the number -1e+39"));
    column = &plan->query.columns[plan->model_columns[1]];
    column->distinct_numbers = 1;
    for (int sign = -1; sign < 2; sign += 2) {
        column->least = sign < 0 ? -1e39 : 0;
        column->greatest = sign > 0 ? 1e39 : 0;
        CHECK(!far_numbers_may_come(plan, 1)); /* it is told already */
        note_far_numbers(plan);
    }
    CHECK_INT(plan->notices->count, 3);
    plan->model.inputs[1].least = 1e38; /* 0 is far, too */
    plan->model.inputs[1].greatest = 1e40;
    column->least = 0;
    column->greatest = 1e39;
    note_far_numbers(plan);
    CHECK_INT(plan->notices->count, 4);
    CHECK(strstr(plan->notices->items[3].text, "\"sepal_length\" has the number 0:"));
    plan->query.sample_rows = 999;
    column->greatest = 0;
    CHECK(!far_numbers_may_come(plan, 1));
    plan->model_columns[1] = -1;
    CHECK(!far_number_is(plan, 1, &far));
    scene_deinit(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_requirement_is_a_metric_and_a_bound_that_it_keeps),
        cmocka_unit_test(a_requirement_is_of_a_metric_that_is_measured),
        cmocka_unit_test(a_plan_has_every_name_resolved_and_every_default_filled),
        cmocka_unit_test(numbers_beyond_a_models_reach_are_told),
        cmocka_unit_test(the_learning_rate_depends_on_the_optimizer),
        cmocka_unit_test(sgd_with_momentum_is_momentum),
        cmocka_unit_test(the_kind_of_an_input_follows_the_sample_and_else_the_declared_type),
        cmocka_unit_test(the_label_of_a_class_keeps_its_type_and_of_a_number_is_real),
        cmocka_unit_test(inputs_stand_in_the_order_of_the_select_whatever_column_says),
        cmocka_unit_test(a_pattern_matches_whole_names),
        cmocka_unit_test(a_column_is_found_exactly_before_it_is_found_in_any_case),
        cmocka_unit_test(an_error_of_the_host_points_into_the_whole_text),
        cmocka_unit_test(validation_columns_are_found_by_name),
        cmocka_unit_test(the_target_of_a_function_is_checked_as_that_of_a_statement),
        cmocka_unit_test(a_column_of_weights_is_no_input_unless_it_is_named),
        cmocka_unit_test(a_ranking_needs_groups_and_measures_itself),
        cmocka_unit_test(a_column_of_weights_holds_numbers_of_its_own),
        cmocka_unit_test(predict_finds_the_inputs_in_the_order_of_the_model),
        cmocka_unit_test(the_label_makes_room_only_for_a_prediction_of_its_name),
        cmocka_unit_test(evaluate_takes_the_models_label_unless_one_is_given),
        cmocka_unit_test(names_of_tables_have_limits),
        cmocka_unit_test(memory_that_runs_out_is_an_error_at_every_point),
        cmocka_unit_test(explain_gives_the_speed_up_that_lanes_allow),
        cmocka_unit_test(explain_tells_what_earlier_jobs_measured),
        cmocka_unit_test(statements_do_the_same_work_for_a_row_where_its_cost_is_the_same),
        cmocka_unit_test(a_kind_that_is_too_large_names_its_own_attribute),
        cmocka_unit_test(beyond_eight_workers_explain_tells_where_the_speed_grows),
        cmocka_unit_test(a_name_of_two_tasks_means_the_one_that_is_told),
        cmocka_unit_test(an_estimator_fills_in_the_defaults_of_its_library),
        cmocka_unit_test(minus_one_is_no_limit_and_a_base_of_minus_one_is_a_number),
        cmocka_unit_test(models_of_coefficients_take_no_texts),
        cmocka_unit_test(trees_count_the_words_of_texts_in_buckets_that_are_inputs),
        cmocka_unit_test(a_regressor_of_dates_says_what_it_counts),
        cmocka_unit_test(a_forecast_has_the_columns_of_its_history),
        cmocka_unit_test(days_of_a_statement_count_its_steps),
        cmocka_unit_test(a_forecast_is_asked_for_what_it_has),
        cmocka_unit_test(holidays_are_the_days_of_each_name),
        cmocka_unit_test(a_table_of_holidays_has_days_and_names),
        cmocka_unit_test(holidays_have_a_limit),
        cmocka_unit_test(holidays_need_days_and_a_method_that_takes_them),
        cmocka_unit_test(a_forecast_goes_on_from_one_that_keeps_parameters),
        cmocka_unit_test(a_forecast_is_explained_by_its_parts),
        cmocka_unit_test(values_that_came_are_checked),
        cmocka_unit_test(a_threshold_is_a_number_or_a_rule),
        cmocka_unit_test(what_is_learned_last_needs_rows_that_are_held_out),
        cmocka_unit_test(nulls_that_a_model_has_not_learned_of_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
