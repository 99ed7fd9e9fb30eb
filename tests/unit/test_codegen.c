#include "codegen/lower_predict.h"
#include "codegen/lower_score.h"
#include "codegen/lower_train.h"
#include "codegen/model_path.h"
#include "jobspec/jobspec.h"
#include "jobspec/jobspec_read.h"
#include "jobspec/jobspec_write.h"
#include "kinds/network/network_attributes.h"
#include "parser/parser.h"
#include "planner/plan/plan.h"
#include "planner/plan_statement.h"
#include "tests/check.h"
#include "tests/unit/described_catalog.h"

static void a_model_path_reads_back_as_it_was_written(void **state)
{
    static const char *const names[] = {"m",   "iris_model", "my.model", "\"", "a\"b.c",
                                        "2nd", "größe",      "it's",     " ",  "."};
    struct arena arena;
    struct text path;
    struct error err;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&path, MODEL_PATH_BYTES_MAX);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        for (size_t j = 0; j <= sizeof names / sizeof *names; j++) {
            const char *wanted = j < sizeof names / sizeof *names ? names[j] : NULL;
            struct slice schema, name;
            text_clear(&path);
            model_path_write(slice_of(wanted), slice_of(names[i]), &path);
            CHECK_OK(model_path_read(text_slice(&path), &arena, &schema, &name, &err));
            CHECK_SLICE(name, names[i]);
            CHECK_SLICE(schema, wanted ? wanted : "");
        }
    }
    text_deinit(&path);
    arena_deinit(&arena);
}

static void a_plain_word_is_written_without_quotes(void **state)
{
    struct text path;
    (void)state;

    text_init(&path, MODEL_PATH_BYTES_MAX);
    model_path_write(SLICE("main"), SLICE("my.model"), &path);
    CHECK_SLICE(text_slice(&path), "main.\"my.model\"");
    text_deinit(&path);
}

static void what_is_no_path_is_refused(void **state)
{
    static const char *const paths[] = {"",    ".",    "a.",     ".a",   "a.b.c",
                                        "\"a", "\"\"", "\"a\"b", "a\"b", "\"a\".\"b\"."};
    struct arena arena;
    struct slice schema, name;
    struct error err;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        CHECK_FAILS(model_path_read(slice_of(paths[i]), &arena, &schema, &name, &err),
                    STATUS_INVALID, "is not a valid name of a model");
    arena_deinit(&arena);
}

/* A statement, its plan, and what becomes of it: a spec where it trains, SQL where it predicts. */
struct lowered {
    struct described_catalog described; /* must outlive the plan */
    struct arena arena;
    struct plan plan;
    struct jobspec spec;
    struct text sql;
};

static void lower(struct lowered *lowered, const char *text)
{
    struct slice all = slice_of(text);
    size_t start = described_catalog_read(&lowered->described, all);
    struct slice sql = {all.data + start, all.size - start};
    struct statement statement;
    struct error err;

    arena_init(&lowered->arena, ARENA_MAXIMUM);
    text_init(&lowered->sql, TEXT_MAXIMUM);
    CHECK_OK(parse_statement(sql, &lowered->arena, &statement, &err));
    CHECK_OK(plan_statement(&statement, sql, &lowered->described.catalog, &lowered->arena,
                            &lowered->plan, &err));
    if (lowered->plan.kind == STATEMENT_TRAIN)
        CHECK_OK(lower_train(&lowered->plan, &lowered->arena, &lowered->spec, &err));
    else if (lowered->plan.kind == STATEMENT_PREDICT)
        CHECK_OK(lower_predict(&lowered->plan, &lowered->sql, &err));
}

/* The SQL that makes the table, instead of the one that predicts. */
static struct slice table_of(struct lowered *lowered)
{
    struct error err;

    text_clear(&lowered->sql);
    CHECK_OK(lower_predict_table(&lowered->plan, &lowered->sql, &err));
    return text_slice(&lowered->sql);
}

static void lowered_deinit(struct lowered *lowered)
{
    text_deinit(&lowered->sql);
    arena_deinit(&lowered->arena);
}

static void the_job_grows_to_what_the_statement_says(void **state)
{
    static const struct {
        const char *with;
        uint32_t least, most, threads;
    } cases[] = {
        {"train.epoch = 1", 1, 1, 0},
        {"job.lanes = 3", 1, 1, 0},
        {"job.max_workers = 7", 1, 7, 0},
        {"job.min_workers = 6", 6, 6, 0},
        {"job.min_workers = 3, job.max_workers = 4, job.threads = 2", 3, 4, 2},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lowered lowered;
        char text[256];
        snprintf(text, sizeof text,
                 "-- query: a 9 integers; y 9 integers\n"
                 "SELECT 1 TO TRAIN LinearClassifier WITH %s LABEL y INTO m",
                 cases[i].with);
        lower(&lowered, text);
        CHECK_INT(lowered.spec.min_workers, cases[i].least);
        CHECK_INT(lowered.spec.max_workers, cases[i].most);
        CHECK_INT(lowered.spec.lanes_max, 64); /* whatever the machine has */
        CHECK_INT(lowered.spec.threads, cases[i].threads);
        lowered_deinit(&lowered);
    }
}

static void more_workers_than_64_may_have_a_lane_each(void **state)
{
    struct lowered lowered;
    (void)state;

    lower(&lowered, "-- query: a 9 integers; y 9 integers\n"
                    "SELECT 1 TO TRAIN LinearClassifier WITH job.max_workers = 143 LABEL y INTO m");
    CHECK_INT(lowered.spec.lanes, 0);
    CHECK_INT(lowered.spec.lanes_max, 143);
    lowered_deinit(&lowered);
}

static void every_word_of_the_planner_has_its_place_in_the_spec(void **state)
{
    static const char *const activations[] = {"identity", "relu", "tanh", "sigmoid"};
    (void)state;

    for (unsigned i = 0; optimizer_words[i]; i++) {
        struct lowered lowered;
        char text[320];
        snprintf(text, sizeof text,
                 "-- query: a 9 integers; y 9 integers\n"
                 "SELECT 1 TO TRAIN DNNClassifier WITH model.hidden_units = [2], model.optimizer = "
                 "'%s', model.activation = '%s' LABEL y INTO m",
                 optimizer_words[i], activations[i % 4]);
        lower(&lowered, text);
        CHECK_INT(network_params(&lowered.spec.params)->optimizer, OPTIMIZER_SGD + i);
        CHECK_INT(network_params(&lowered.spec.params)->activation, ACTIVATION_IDENTITY + i % 4);
        lowered_deinit(&lowered);
    }
}

static void a_predicting_select_quotes_names_and_closes_comments(void **state)
{
    struct lowered lowered;
    (void)state;

    lower(&lowered,
          "-- query: it's TEXT 3 texts; b INTEGER 3 integers; label INTEGER 3 integers\n"
          "-- model: m LinearClassifier classification; label label text; inputs b numeric\n"
          "SELECT * FROM t /* all */ TO PREDICT t2.p USING m");
    CHECK_SLICE(text_slice(&lowered.sql),
                "SELECT q.\"it's\", q.\"b\", q.\"label\", totrain_predict('m', q.\"b\") AS \"p\" "
                "FROM (SELECT * FROM t\n) AS q");
    CHECK_SLICE(table_of(&lowered), "CREATE TABLE \"t2\" (\"it's\" TEXT, \"b\" INTEGER, "
                                    "\"label\" INTEGER, \"p\" TEXT)");
    lowered_deinit(&lowered);
}

static void postgres_scores_whole_rows(void **state)
{
    struct lowered lowered;
    (void)state;

    lower(&lowered,
          "-- query: a numeric 3 reals; b integer 3 integers; y text 3 texts\n"
          "-- model: m\\'x LinearClassifier classification; label y text; inputs b numeric\n"
          "-- dialect: postgres\n"
          "SELECT * FROM t TO PREDICT Scored.Guess WITH predict.extra_outputs = 'probability' "
          "USING \"m\\'x\"");
    CHECK_SLICE(text_slice(&lowered.sql),
                "SELECT q.\"a\", q.\"b\", q.\"y\", totrain.predict(E'\"m\\\\''x\"', q.*, "
                "NULL::pg_catalog.text) AS \"guess\", totrain.probability(E'\"m\\\\''x\"', q.*) AS "
                "\"probability\" FROM (SELECT * FROM t\n) AS q");
    CHECK_SLICE(lowered.plan.target_table, "scored");
    lowered_deinit(&lowered);
}

/* A model that is learned without a label, from the catalog. */
#define CLUSTERS "-- model: m KMeans clustering; label \"\" none; inputs b numeric\n"

static void a_cluster_is_predicted_where_there_is_no_label(void **state)
{
    struct lowered lowered;
    struct error err;
    (void)state;

    lower(&lowered,
          "-- query: b INTEGER 3 integers\n" CLUSTERS
          "SELECT * FROM t TO PREDICT p.\"cluster\" WITH predict.extra_outputs = 'score', "
          "job.max_workers = 2 USING m");
    CHECK_SLICE(text_slice(&lowered.sql),
                "SELECT q.\"b\", totrain_predict('m', q.\"b\") AS \"cluster\", "
                "totrain_distance('m', q.\"b\") AS \"score\" "
                "FROM (SELECT * FROM t\n) AS q");
    CHECK_SLICE(table_of(&lowered),
                "CREATE TABLE \"p\" (\"b\" INTEGER, \"cluster\" INTEGER, \"score\" REAL)");
    CHECK_OK(lower_score(&lowered.plan, &lowered.arena, &lowered.spec, &err));
    CHECK_INT(lowered.spec.scoring.output_count, 2);
    CHECK_SLICE(lowered.spec.scoring.outputs[1], "distance");
    lowered_deinit(&lowered);
    lower(&lowered, "-- query: b INTEGER 3 integers\n" CLUSTERS "-- dialect: postgres\n"
                    "SELECT * FROM t TO PREDICT USING m");
    CHECK_SLICE(text_slice(&lowered.sql), "SELECT q.\"b\", totrain.predict(E'm', q.*, "
                                          "NULL::pg_catalog.int8) AS \"cluster\" "
                                          "FROM (SELECT * FROM t\n) AS q");
    lowered_deinit(&lowered);
}

static void clusters_are_evaluated_without_a_column_of_labels(void **state)
{
    struct lowered lowered;
    struct jobspec *spec = &lowered.spec, again;
    struct text json;
    struct error err;
    (void)state;

    text_init(&json, TEXT_MAXIMUM);
    lower(&lowered, "-- query: b INTEGER 3 integers\n" CLUSTERS
                    "SELECT * FROM t TO EVALUATE m WITH job.max_workers = 2");
    CHECK_INT(lowered.plan.label_column, -1);
    CHECK_INT(lowered.plan.metric_count, 2);
    CHECK_SLICE(lowered.plan.metrics[0], "Inertia");
    CHECK_OK(lower_score(&lowered.plan, &lowered.arena, spec, &err));
    CHECK_INT(spec->scoring.columns, 1);
    CHECK(spec->scoring.label == JOBSPEC_NO_LABEL);
    spec->scoring.shard_rows = 3;
    spec->family = SLICE("clusters");
    CHECK_OK(jobspec_write(spec, &json, &err));
    CHECK_OK(jobspec_read(text_slice(&json), &lowered.arena, &again, &err));
    text_deinit(&json);
    lowered_deinit(&lowered);
}

static void a_declared_type_that_is_not_plain_words_is_left_out(void **state)
{
    static const char *const hostile[] = {"INT); DROP TABLE t; --",
                                          "INT)(",
                                          "INT))((",
                                          "))",
                                          "INT(",
                                          "INT((1))",
                                          "INT, c INT",
                                          "\"INT\""};
    struct lowered lowered;
    (void)state;

    lower(&lowered, "-- query: a NUMERIC(10,2) 3 reals; b INTEGER 3 integers\n"
                    "-- model: m LinearRegressor regression; label y real; inputs a numeric\n"
                    "SELECT * FROM t TO PREDICT t2.p USING m");
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        lowered.plan.query.columns[1].declared_type = slice_of(hostile[i]);
        CHECK_SLICE(table_of(&lowered),
                    "CREATE TABLE \"t2\" (\"a\" NUMERIC(10,2), \"b\", \"p\" REAL)");
    }
    lowered_deinit(&lowered);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_path_reads_back_as_it_was_written),
        cmocka_unit_test(a_plain_word_is_written_without_quotes),
        cmocka_unit_test(what_is_no_path_is_refused),
        cmocka_unit_test(the_job_grows_to_what_the_statement_says),
        cmocka_unit_test(more_workers_than_64_may_have_a_lane_each),
        cmocka_unit_test(every_word_of_the_planner_has_its_place_in_the_spec),
        cmocka_unit_test(a_predicting_select_quotes_names_and_closes_comments),
        cmocka_unit_test(a_cluster_is_predicted_where_there_is_no_label),
        cmocka_unit_test(clusters_are_evaluated_without_a_column_of_labels),
        cmocka_unit_test(a_declared_type_that_is_not_plain_words_is_left_out),
        cmocka_unit_test(postgres_scores_whole_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
