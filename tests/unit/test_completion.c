#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/shell/completion.h"
#include "cli/shell/dot_line.h"
#include "cli/shell/file_names.h"
#include "cli/shell/listing.h"

static const struct slice iris_columns[] = {
    {"sepal_length", 12}, {"sepal_width", 11}, {"class", 5}};
static const struct slice churn_columns[] = {{"age", 3}, {"\"has churned\"", 13}};
static const struct completion_table tables[] = {{{"iris", 4}, iris_columns, 3},
                                                 {{"churn", 5}, churn_columns, 2}};
static const struct slice models[] = {{"iris_model", 10}, {"old", 3}};
static const struct completion_command commands[] = {
    {".help", "", "These commands."},
    {".mode", "table|csv|json|markdown", "How results are written."},
    {".maxwidth", "auto|COLUMNS", "Of a table."},
    {".maxrows", "ROWS", "Of a table."},
    {".schema", "[TABLE]", "The statements that made the tables."},
    {".read", "FILE", "Run the statements of a file."}};
static const struct completion_names names = {tables, 2, models, 2, commands, 6};

/* The candidates at the cursor of a text. */
struct offer {
    struct arena arena;
    struct completion completion;
};

static void find(struct offer *offer, struct slice text, size_t cursor)
{
    struct error err;

    arena_init(&offer->arena, 1 << 20);
    CHECK_OK(completion_find(text, cursor, &names, &offer->arena, &offer->completion, &err));
}

static void offer_deinit(struct offer *offer)
{
    arena_deinit(&offer->arena);
}

/* The candidates for a text whose cursor is at the bar, with bars between. */
static void complete(const char *marked, char *out, size_t size, size_t *start)
{
    const char *bar = strchr(marked, '|');
    char text[1024];
    struct offer offer;
    size_t used = 0;

    snprintf(text, sizeof text, "%.*s%s", (int)(bar - marked), marked, bar + 1);
    find(&offer, slice_of(text), (size_t)(bar - marked));
    out[0] = '\0';
    for (size_t i = 0; i < offer.completion.count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%.*s", i ? "|" : "",
                                 SLICE_FORMAT(offer.completion.candidates[i].text));
    *start = offer.completion.start;
    offer_deinit(&offer);
}

#define CHECK_OFFERS(marked, expected)                                                             \
    do {                                                                                           \
        char offered[8192];                                                                        \
        size_t begin;                                                                              \
        complete((marked), offered, sizeof offered, &begin);                                       \
        if (strcmp(offered, (expected)) != 0)                                                      \
            check_failed("%s offers %s, not %s", (marked), offered, (expected));                   \
    } while (0)

static bool offers(const char *marked, const char *word)
{
    char offered[8192], wanted[64], all[8200];
    size_t begin;

    complete(marked, offered, sizeof offered, &begin);
    snprintf(all, sizeof all, "|%s|", offered);
    snprintf(wanted, sizeof wanted, "|%s|", word);
    return strstr(all, wanted) != NULL;
}

static void a_statement_begins_with_a_keyword_in_the_case_that_was_typed(void **state)
{
    (void)state;
    CHECK_OFFERS("SEL|", "SELECT");
    CHECK_OFFERS("sel|", "select");
    CHECK_OFFERS("SELECT 1; SH|", "SHOW");
    CHECK(offers("|", "SHOW"));
}

static void tables_and_models_follow_from(void **state)
{
    (void)state;
    CHECK_OFFERS("SELECT * FROM |", "iris|churn|iris_model|old");
    CHECK_OFFERS("SELECT * FROM ir|", "iris|iris_model");
    CHECK_OFFERS("DROP TABLE o|", "old");
}

static void columns_are_those_of_the_named_tables(void **state)
{
    (void)state;
    CHECK_OFFERS("SELECT | FROM iris", "sepal_length|sepal_width|class");
    CHECK_OFFERS("SELECT a| ", "age");
    CHECK_OFFERS("SELECT * FROM churn; SELECT s| FROM iris", "sepal_length|sepal_width");
    CHECK_OFFERS("SELECT * FROM iris WHERE cl|", "class");
    CHECK_OFFERS("SELECT i.se| FROM iris", "");
    CHECK_OFFERS("SELECT * FROM iris AS i WHERE i.cl|", "i.class");
    CHECK_OFFERS("SELECT * FROM iris i JOIN churn c ON c.a|", "c.age");
    CHECK_OFFERS("SELECT iris.c| FROM iris", "iris.class");
}

static void an_alias_stands_for_its_table_on_both_sides_of_the_cursor(void **state)
{
    (void)state;
    CHECK_OFFERS("SELECT i.| FROM iris AS i", "i.sepal_length|i.sepal_width|i.class");
    CHECK_OFFERS("SELECT c.a| FROM iris i JOIN churn c", "c.age");
    CHECK_OFFERS("SELECT * FROM iris i WHERE i.c|", "i.class");
    CHECK_OFFERS("SELECT x.| FROM iris i", "");
    CHECK_OFFERS("SELECT i.| ; SELECT * FROM iris i", "");
}

static void some_words_have_one_successor(void **state)
{
    (void)state;
    CHECK_OFFERS("SELECT * FROM iris ORDER |", "BY");
    CHECK_OFFERS("select * from iris group b|", "by");
    CHECK_OFFERS("INSERT |", "INTO");
    CHECK_OFFERS("DELETE |", "FROM");
}

static void names_that_need_quotes_get_them(void **state)
{
    (void)state;
    CHECK_OFFERS("SELECT has| FROM churn", "\"has churned\"");
    CHECK_OFFERS("SELECT \"has ch| FROM churn", "\"has churned\"");
}

static void verbs_follow_to_and_estimators_follow_train(void **state)
{
    (void)state;
    CHECK_OFFERS("SELECT * FROM iris T|", "TO|THEN|TABLE");
    CHECK_OFFERS("SELECT * FROM iris TO |", "TRAIN|PREDICT|EVALUATE");
    CHECK_OFFERS("SELECT * FROM iris TO tr|", "train");
    CHECK_OFFERS(
        "SELECT * FROM iris TO TRAIN |",
        "LinearClassifier|LinearRegressor|DNNClassifier|DNNRegressor|DNNLinearCombinedClassifier|"
        "DNNLinearCombinedRegressor|WideAndDeepClassifier|WideAndDeepRegressor|DeepFMClassifier|"
        "DeepFMRegressor|DCNClassifier|DCNRegressor|XDeepFMClassifier|XDeepFMRegressor|"
        "MatrixFactorization|KMeans|"
        "OrdinaryLeastSquares|OLS|LogisticRegression|Logit|"
        "XGBClassifier|"
        "XGBRegressor|LGBMClassifier|LGBMRegressor|XGBRanker|LGBMRanker|RandomForestClassifier|"
        "RandomForestRegressor|DecisionTreeClassifier|DecisionTreeRegressor|"
        "xgboost.gbtree|lightgbm.gbdt|xgboost.dart|xgboost.gblinear|lightgbm.dart|lightgbm.goss|"
        "lightgbm."
        "rf|XGBRFClassifier|XGBRFRegressor|"
        "BoostedTreesClassifier|BoostedTreesRegressor|HistGradientBoostingClassifier|"
        "HistGradientBoostingRegressor|GradientBoostingClassifier|"
        "GradientBoostingRegressor|boosted_tree_classifier|boosted_tree_regressor|NaiveBayes|PCA|"
        "ScoreCard|Forecast|AutoETS|ETS|AutoARIMA|ARIMA_PLUS|ARIMA_PLUS_XREG|ARIMA|Theta|"
        "OptimizedTheta|"
        "DynamicTheta|"
        "DynamicOptimizedTheta|MSTL|ARIMAWithSTLDecomposition|SeasonalNaive|Naive|Croston|SBA|TSB|"
        "ForecastTrees|OneClassSVM|"
        "IsolationForest");
    CHECK_OFFERS("SELECT * FROM iris\nTO TRAIN\n  dnnc|", "DNNClassifier");
}

static void clauses_that_are_not_there_yet(void **state)
{
    (void)state;
    CHECK_OFFERS("SELECT * FROM iris TO TRAIN DNNClassifier |", "WITH|COLUMN|LABEL|USING|INTO");
    CHECK_OFFERS("SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [8, 8] |",
                 "COLUMN|LABEL|USING|INTO");
    CHECK_OFFERS("SELECT * FROM iris TO TRAIN DNNClassifier LABEL class |",
                 "WITH|COLUMN|USING|INTO");
    CHECK_OFFERS(
        "SELECT * FROM iris TO TRAIN DNNClassifier INTO m LABEL class WITH train.epoch = 3 |",
        "COLUMN|USING");
    CHECK_OFFERS("SELECT * FROM iris TO PREDICT p INTO t |", "WITH|USING");
    CHECK_OFFERS("SELECT * FROM iris TO EVALUATE old |", "WITH|LABEL|INTO");
    CHECK_OFFERS("SELECT * FROM iris TO PREDICT p.class |", "WITH|USING|INTO");
}

static void attributes_are_those_that_the_estimator_knows(void **state)
{
    (void)state;
    CHECK_OFFERS("SELECT * FROM iris TO TRAIN DNNClassifier WITH train.ep|", "train.epoch");
    CHECK_OFFERS("SELECT * FROM iris TO TRAIN DNNClassifier WITH train.epoch = 3, model.hid|",
                 "model.hidden_units");
    CHECK_OFFERS("SELECT * FROM iris TO TRAIN LinearClassifier WITH model.hid|", "");
    CHECK_OFFERS("SELECT * FROM iris TO TRAIN DNNClassifier WITH train.epoch = 3, train.ep|", "");
    CHECK_OFFERS(
        "SELECT * FROM iris TO PREDICT p.class WITH |",
        "predict.threshold|job.where|job.min_workers|job.max_workers|job.wait|job.metrics|"
        "job.priority|"
        "job.worker_cpu|job.worker_memory|job.image|job.profile|predict.bad_rows|predict.replace|"
        "predict.extra_outputs|forecast.anomaly");
    CHECK(offers("SELECT * FROM iris TO TRAIN DNNClassifier WITH |", "optimizer.learning_rate"));
    CHECK(!offers("SELECT * FROM iris TO TRAIN DNNClassifier WITH |", "job.strategy"));
}

static void values_are_the_words_of_the_attribute(void **state)
{
    (void)state;
    CHECK_OFFERS("SELECT * FROM iris TO TRAIN DNNClassifier WITH job.where = |",
                 "'auto'|'local'|'kubernetes'");
    CHECK_OFFERS("SELECT * FROM iris TO TRAIN DNNClassifier WITH job.where = 'l|", "'local'");
    CHECK_OFFERS("SELECT * FROM iris TO TRAIN DNNClassifier WITH train.shuffle = f|", "false");
    CHECK_OFFERS("SELECT * FROM iris TO TRAIN DNNClassifier WITH job.read = 'd|", "'direct'");
    CHECK_OFFERS("SELECT * FROM t TO TRAIN DeepFMClassifier WITH job.strategy = |",
                 "'auto'|'allreduce'|'ps'");
    CHECK_OFFERS("SELECT * FROM iris TO TRAIN DNNClassifier WITH train.epoch |", "");
}

static void a_number_is_described(void **state)
{
    static const char text[] = "SELECT 1 TO TRAIN DNNClassifier WITH train.epoch = ";
    struct offer offer;
    (void)state;

    find(&offer, slice_of(text), strlen(text));
    CHECK_INT(offer.completion.count, 0);
    CHECK(memmem(offer.completion.note.data, offer.completion.note.size, "from 1 to 1000000", 17) !=
          NULL);
    offer_deinit(&offer);
}

static void attributes_bring_their_help(void **state)
{
    static const char text[] = "SELECT 1 TO TRAIN DNNClassifier WITH train.ep";
    struct offer offer;
    (void)state;

    find(&offer, slice_of(text), strlen(text));
    CHECK_INT(offer.completion.count, 1);
    CHECK_INT(offer.completion.start, strlen(text) - strlen("train.ep"));
    CHECK_SLICE(
        offer.completion.candidates[0].help,
        "Passes over the training rows. 'auto': at least 10, and enough for 1,000 steps of a "
        "linear model, 200 of a network for classes, 500 of a network for numbers, which makes 40 "
        "passes if these are no more than 4,000 steps. Default: auto.");
    CHECK(strcmp(offer.completion.candidates[0].after, " = ") == 0);
    offer_deinit(&offer);
}

static void columns_follow_label_and_column(void **state)
{
    (void)state;
    CHECK_OFFERS("SELECT * FROM iris TO TRAIN DNNClassifier LABEL |",
                 "sepal_length|sepal_width|class");
    CHECK_OFFERS("SELECT * FROM iris TO TRAIN DNNClassifier COLUMN sep|",
                 "sepal_length|sepal_width");
    CHECK_OFFERS("SELECT * FROM iris TO TRAIN DNNClassifier COLUMN VOCABULARY(cl|", "class");
    CHECK_OFFERS("SELECT * FROM iris TO TRAIN DNNClassifier COLUMN VOCAB|", "VOCABULARY");
    CHECK_OFFERS("SELECT * FROM iris TO TRAIN DNNClassifier COLUMN * EXC|", "EXCEPT");
    CHECK_OFFERS("SELECT * FROM iris TO TRAIN DNNClassifier COLUMN * EXCEPT (sep|",
                 "sepal_length|sepal_width");
}

static void models_follow_using_evaluate_and_show_train(void **state)
{
    (void)state;
    CHECK_OFFERS("SELECT * FROM iris TO PREDICT USING |", "iris_model|old");
    CHECK_OFFERS("SELECT * FROM iris TO EVALUATE i|", "iris_model");
    CHECK_OFFERS("SELECT * FROM iris TO EVALUATE old, i|", "iris_model");
    CHECK_OFFERS("SELECT * FROM iris TO EVALUATE old, iris_model |", "WITH|LABEL|INTO");
    CHECK_OFFERS("SHOW TRAIN |", "iris_model|old");
    CHECK_OFFERS("SHOW VERSIONS o|", "old");
    CHECK_OFFERS("SHOW DEFIN|", "DEFINITIONS|DEFINITION");
    CHECK(offers("SHOW DEFINITION |", "zoo/mlp"));
    CHECK(offers("SELECT * FROM t TO TRAIN zo|", "zoo/mlp"));
    CHECK_OFFERS("DEF|", "DEFINE");
    CHECK_OFFERS("DEFINE |", "MODEL|OR");
    CHECK_OFFERS("DEFINE OR |", "REPLACE");
    CHECK_OFFERS("DEFINE OR REPLACE |", "MODEL");
    CHECK_OFFERS("DEFINE MODEL tower |", "AS");
    CHECK_OFFERS("DROP D|", "DEFINITION");
    CHECK_OFFERS("DROP DEFINITION |", "IF");
    CHECK_OFFERS("DROP DEFINITION IF |", "EXISTS");
    CHECK_OFFERS("FORECAST o|", "old");
    CHECK_OFFERS("FORECAST old |", "FOR|WITH|INTO");
    CHECK_OFFERS("FORECAST old FOR |", "");
    CHECK_OFFERS("FORECAST old FOR 3 |", "WITH|INTO");
    CHECK_OFFERS("FORECAST old WITH |", "predict.replace|forecast.level");
    CHECK_OFFERS("FORECAST old WITH forecast.level = 0.9 |", "FOR|INTO");
    CHECK_OFFERS("ROLLBACK MODEL o|", "old");
    CHECK_OFFERS("EXPORT |", "MODEL|DEFINITION");
    CHECK_OFFERS("IMPORT |", "MODEL|DEFINITION");
    CHECK(offers("EXPORT DEFINITION |", "zoo/mlp"));
    CHECK_OFFERS("EXPORT DEFINITION zoo/mlp |", "TO");
    CHECK_OFFERS("EXPORT DEFINITION zoo/mlp TO 'f' |", "");
    CHECK_OFFERS("IMPORT DEFINITION zoo/a FROM 'f' |", "");
    CHECK_OFFERS("EXPORT MODEL o|", "old");
    CHECK_OFFERS("EXPORT MODEL old TO 'm.json' |", "FORMAT");
    CHECK_OFFERS("REPORT MODEL o|", "old");
    CHECK_OFFERS("REPORT MODEL old TO 'm.html' |", "FORMAT");
    CHECK_OFFERS("REPORT MODEL old TO 'm.html' FORMAT |", "html|markdown");
    CHECK_OFFERS("EXPORT MODEL old TO 'm.json' FORMAT |",
                 "xgboost|xgboost_ubj|lightgbm|sql|sqlite|postgres|c|onnx");
    CHECK_OFFERS("IMPORT MODEL m FROM 'm.json' FORMAT |", "xgboost|xgboost_ubj|lightgbm");
    CHECK_OFFERS("IMPORT MODEL m FROM 'm.json' FORMAT xg|", "xgboost|xgboost_ubj");
    CHECK_OFFERS("SELECT totrain_imp|", "totrain_import_model");
    CHECK_OFFERS("SHOW ATTRIBUTES FOR lin|", "LinearClassifier|LinearRegressor");
}

static void nothing_is_offered_in_comments_and_strings(void **state)
{
    (void)state;
    CHECK_OFFERS("SELECT 1 -- SEL|", "");
    CHECK_OFFERS("SELECT 1 /* SEL|", "");
    CHECK_OFFERS("SELECT * FROM iris WHERE class = 'x; SEL|", "");
}

static void dot_commands_are_offered_at_the_beginning(void **state)
{
    (void)state;
    CHECK_OFFERS(".|", ".help|.mode|.maxwidth|.maxrows|.schema|.read");
    CHECK_OFFERS(".mo|", ".mode");
    CHECK_OFFERS("SELECT .mo|", "");
}

static void arguments_of_dot_commands_are_those_of_their_table(void **state)
{
    (void)state;
    CHECK_OFFERS(".mode |", "table|csv|json|markdown");
    CHECK_OFFERS(".mode   c|", "csv");
    CHECK_OFFERS(".maxwidth |", "auto");
    CHECK_OFFERS(".maxrows |", "");
    CHECK_OFFERS("-- a comment\n.mode m|", "markdown");
    CHECK_OFFERS(".schema i|", "iris|iris_model");
    CHECK_OFFERS(".help |", "");
    CHECK_OFFERS(".tables |", "");
    CHECK_OFFERS("SELECT 1 + .mode |", "TO|FROM|WHERE|GROUP|BY|ORDER|LIMIT|JOIN|LEFT|ON|AS|AND|OR|"
                                       "NOT|IS|IN|BETWEEN|LIKE|HAVING|UNION|ALL|EXCEPT|INTERSECT|"
                                       "OFFSET|DESC|ASC|WHEN|THEN|ELSE|END|VALUES|SET|TABLE|INTO");
}

static void make_file(const char *folder, const char *name)
{
    char path[256];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    CHECK(file != NULL);
    fclose(file);
}

static void remove_in(const char *folder, const char *name)
{
    char path[256];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    CHECK_INT(remove(path), 0);
}

/* The files offered for a name in the folder, without the folder, with bars
 * between; then what they share. */
static void check_files(const char *folder, const char *typed, const char *expected,
                        const char *common)
{
    char text[512], found[512] = "";
    struct offer offer;
    struct error err;
    size_t front = strlen(folder) + 1;

    snprintf(text, sizeof text, ".read %s/%s", folder, typed);
    find(&offer, slice_of(text), strlen(text));
    CHECK(offer.completion.is_file);
    CHECK_INT(offer.completion.start, 6);
    CHECK_OK(file_names_find(slice_of(text + 6), &offer.arena, &offer.completion, &err));
    for (size_t i = 0; i < offer.completion.count; i++) {
        struct slice name = offer.completion.candidates[i].text;
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%.*s", i ? "|" : "",
                 (int)(name.size - front), name.data + front);
    }
    assert_string_equal(found, expected);
    if (offer.completion.count > 0) {
        struct slice shared = completion_common(&offer.completion);
        CHECK_SLICE(((struct slice){shared.data + front, shared.size - front}), common);
    }
    offer_deinit(&offer);
}

static void files_follow_read(void **state)
{
    char folder[] = "/tmp/totrain-files-XXXXXX", inner[64];
    (void)state;

    CHECK(mkdtemp(folder) != NULL);
    snprintf(inner, sizeof inner, "%s/train", folder);
    CHECK_INT(mkdir(inner, 0700), 0);
    make_file(folder, "train now.sql");
    make_file(folder, "Trial.sql");
    make_file(folder, ".hidden");
    check_files(folder, "", "Trial.sql|train now.sql|train/", "");
    check_files(folder, "tr", "train now.sql|train/", "train");
    check_files(folder, "train n", "train now.sql", "train now.sql");
    check_files(folder, ".", ".hidden", ".hidden");
    check_files(folder, "nowhere/x", "", "");
    remove_in(folder, "train now.sql");
    remove_in(folder, "Trial.sql");
    remove_in(folder, ".hidden");
    remove_in(folder, "train");
    CHECK_INT(remove(folder), 0);
}

static void check_dot_line(const char *text, int at, const char *line, int after)
{
    struct slice found = dot_line_find(slice_of(text), &at);

    CHECK_SLICE(found, line);
    CHECK_INT(at, after);
}

static void a_dot_command_stands_at_the_beginning_of_a_line(void **state)
{
    (void)state;
    check_dot_line(".help\nSELECT 1;", 0, ".help", 0);
    check_dot_line("SELECT 1;\n  .mode csv", 9, ".mode csv", 12);
    check_dot_line("-- why\n/* two\nlines */\n.help", 0, ".help", 23);
    check_dot_line("SELECT 1; .help", 9, "", 10);
    check_dot_line("/* */ .help", 0, "", 6);
    check_dot_line("  \n", 0, "", 3);
    check_dot_line("/* open", 0, "", 7);
}

static void check_rows(struct completion_candidate *candidates, size_t count, size_t columns,
                       size_t rows, const char *expected)
{
    struct completion completion = {.candidates = candidates, .count = count};
    struct text out;

    completion.note = SLICE("train.epoch: a whole number.");
    text_init(&out, 1 << 20);
    listing_append(&completion, columns, rows, &out);
    assert_string_equal(text_string(&out), expected);
    text_deinit(&out);
}

static void check_listing(struct completion_candidate *candidates, size_t count, size_t columns,
                          const char *expected)
{
    check_rows(candidates, count, columns, 24, expected);
}

static void helps_that_do_not_fit_the_screen_are_left_out(void **state)
{
    struct completion_candidate candidates[] = {
        {SLICE("train.epoch"), SLICE("Passes over rows."), ""},
        {SLICE("train.seed"), SLICE("Draws the rows."), ""},
        {SLICE("train.x"), SLICE("Two lines of help."), ""}};
    static const char all[] = "  train.epoch  Passes over rows.\n"
                              "  train.seed   Draws the rows.\n"
                              "  train.x      Two lines of help.\n";
    static const char alone[] = "  train.epoch  train.seed   train.x\n"
                                "  More letters and Tab: fewer names, with their help.\n";
    (void)state;

    check_rows(candidates, 3, 80, 5, all);
    check_rows(candidates, 3, 80, 4, alone);
    check_rows(candidates, 1, 80, 1, "  train.epoch  Passes over rows.\n");
}

static void help_is_wrapped_beside_its_word(void **state)
{
    struct completion_candidate candidates[] = {
        {SLICE("train.epoch"), SLICE("Passes over the training rows, each in an order of its own."),
         " = "},
        {SLICE("a_name_that_is_longer_than_all_that_have_their_help_beside"), SLICE("Help."), ""},
        {SLICE("none"), SLICE(""), ""},
        {SLICE("x"), SLICE("Averylongwordthatcannotbebroken at all."), ""},
    };
    (void)state;

    check_listing(candidates, 1, 50,
                  "  train.epoch  Passes over the training rows, each\n"
                  "               in an order of its own.\n");
    check_listing(candidates + 1, 3, 60,
                  "  a_name_that_is_longer_than_all_that_have_their_help_beside\n"
                  "                                        Help.\n"
                  "  none\n"
                  "  x                                     Averylongwordthatcannotbebroken\n"
                  "                                        at all.\n");
    check_listing(candidates, 0, 80, "  train.epoch: a whole number.\n");
}

static void words_without_help_stand_side_by_side(void **state)
{
    struct completion_candidate candidates[] = {{SLICE("iris"), SLICE(""), ""},
                                                {SLICE("größe"), SLICE(""), ""},
                                                {SLICE("m"), SLICE(""), ""}};
    (void)state;

    check_listing(candidates, 3, 80, "  iris   größe  m\n");
    check_listing(candidates, 3, 14, "  iris   größe\n  m\n");
    check_listing(candidates, 3, 1, "  iris\n  größe\n  m\n");
}

static void what_candidates_share_is_their_common_beginning(void **state)
{
    struct completion_candidate candidates[] = {{SLICE("sepal_length"), SLICE(""), " "},
                                                {SLICE("Sepal_width"), SLICE(""), " "}};
    struct completion completion = {.candidates = candidates, .count = 2};
    struct completion_candidate letters[] = {{SLICE("a\xC3\xA4"), SLICE(""), " "},
                                             {SLICE("a\xC3\xB6"), SLICE(""), " "}};
    struct completion characters = {.candidates = letters, .count = 2};
    (void)state;

    CHECK_SLICE(completion_common(&completion), "sepal_");
    CHECK_SLICE(completion_common(&characters), "a");
    completion.count = 0;
    CHECK_SLICE(completion_common(&completion), "");
}

/* Every cursor of a program that uses all of the language: no crash, and the
 * word lies before the cursor. */
static void every_cursor_of_every_text_is_taken(void **state)
{
    static const char text[] =
        "SELECT \"a\", `b`, [c] FROM iris i, churn WHERE x = 'y''z' AND i. TO TRAIN "
        "xgboost.gbtree WITH a = [1, [2, 'x\\'']], b.c = \"d\", = , COLUMN BUCKET(a, [1]), ) FOR x "
        "LABEL \"l USING . INTO m; .help; EXPLAIN SELECT 1 TO PREDICT a.b.c USING x; SHOW; ; "
        "/* x */ -- y\nCREATE TRIGGER t AFTER INSERT ON x BEGIN SELECT 1; END; $$ \xC3\xA4";
    (void)state;

    for (size_t from = 0; from < sizeof text; from += 7) {
        for (size_t cursor = 0; cursor < sizeof text - from; cursor++) {
            struct offer offer;

            find(&offer, (struct slice){text + from, sizeof text - 1 - from}, cursor);
            CHECK(offer.completion.start <= cursor);
            completion_common(&offer.completion);
            offer_deinit(&offer);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_statement_begins_with_a_keyword_in_the_case_that_was_typed),
        cmocka_unit_test(tables_and_models_follow_from),
        cmocka_unit_test(columns_are_those_of_the_named_tables),
        cmocka_unit_test(an_alias_stands_for_its_table_on_both_sides_of_the_cursor),
        cmocka_unit_test(some_words_have_one_successor),
        cmocka_unit_test(names_that_need_quotes_get_them),
        cmocka_unit_test(verbs_follow_to_and_estimators_follow_train),
        cmocka_unit_test(clauses_that_are_not_there_yet),
        cmocka_unit_test(attributes_are_those_that_the_estimator_knows),
        cmocka_unit_test(values_are_the_words_of_the_attribute),
        cmocka_unit_test(a_number_is_described),
        cmocka_unit_test(attributes_bring_their_help),
        cmocka_unit_test(columns_follow_label_and_column),
        cmocka_unit_test(models_follow_using_evaluate_and_show_train),
        cmocka_unit_test(nothing_is_offered_in_comments_and_strings),
        cmocka_unit_test(dot_commands_are_offered_at_the_beginning),
        cmocka_unit_test(arguments_of_dot_commands_are_those_of_their_table),
        cmocka_unit_test(files_follow_read),
        cmocka_unit_test(help_is_wrapped_beside_its_word),
        cmocka_unit_test(helps_that_do_not_fit_the_screen_are_left_out),
        cmocka_unit_test(words_without_help_stand_side_by_side),
        cmocka_unit_test(a_dot_command_stands_at_the_beginning_of_a_line),
        cmocka_unit_test(what_candidates_share_is_their_common_beginning),
        cmocka_unit_test(every_cursor_of_every_text_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
