#include <string.h>

#include "kinds/kmeans/kmeans_kind.h"
#include "params/attribute.h"
#include "parser/parser.h"
#include "planner/attributes/advice.h"
#include "planner/attributes/other_models.h"
#include "planner/plan/plan.h"
#include "planner/plan_statement.h"
#include "tests/check.h"
#include "tests/unit/described_catalog.h"

#define ROWS                                                                                       \
    "-- query: f REAL 150 reals; g INTEGER 150 integers; code INTEGER 150 integers; "              \
    "y INTEGER 150 integers\n"                                                                     \
    "-- validation: f REAL 150 reals; g INTEGER 150 integers; code INTEGER 150 integers; "         \
    "y INTEGER 150 integers\n"                                                                     \
    "-- cluster: may\n"

/* Parse and plan; *err has the error. */
static enum status plan_text(const char *text, struct error *err)
{
    static struct described_catalog described;
    const struct slice all = slice_of(text);
    const size_t start = described_catalog_read(&described, all);
    const struct slice sql = {all.data + start, all.size - start};
    struct statement statement;
    struct arena arena;
    struct plan plan;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    error_clear(err);
    status = parse_statement(sql, &arena, &statement, err);
    if (status == STATUS_OK)
        status = plan_statement(&statement, sql, &described.catalog, &arena, &plan, err);
    arena_deinit(&arena);
    return status;
}

/* Value `number` that the row is for, as a statement has it; NULL: there are no more. */
static const char *sample(const struct advice *row, size_t number)
{
    static const char *const any[] = {"3", "'x'", "true"};
    static char quoted[80];

    if (!row->value)
        return number < sizeof any / sizeof *any ? any[number] : NULL;
    if (number > 0)
        return NULL;
    if (strcmp(row->value, ADVICE_NUMBER) == 0 || strcmp(row->value, ADVICE_SHARE) == 0)
        return "0.25";
    if (strcmp(row->value, ADVICE_COUNT) == 0)
        return "10";
    if (strcmp(row->value, ADVICE_COLUMN) == 0)
        return "'g'";
    if (strcmp(row->value, "true") == 0 || strcmp(row->value, "false") == 0 ||
        strcmp(row->value, "0") == 0)
        return row->value;
    snprintf(quoted, sizeof quoted, "'%s'", row->value);
    return quoted;
}

static bool begins(const char *text, const char *word)
{
    return text && strncmp(text, word, strlen(word)) == 0;
}

/* Settings without which the estimator learns from no table. */
static const char *needed_by(const struct estimator *estimator)
{
    return estimator->kind == &kmeans_kind ? "n_clusters = 3"
           : estimator->kind->learns_series
               ? "forecast.time = 'code', forecast.group = 'f', forecast.horizon = 3"
               : "";
}

/* A statement of the estimator's with more settings and clauses; NULL: none. */
static void write_train(const struct estimator *estimator, const char *settings, const char *column,
                        const char *label, char into[2048])
{
    const char *needed = needed_by(estimator);

    snprintf(into, 2048, ROWS "SELECT * FROM t TO TRAIN %s%s%s%s%s %s %s INTO m2", estimator->name,
             settings || *needed ? " WITH " : "", needed, *needed && settings ? ", " : "",
             settings ? settings : "", column ? column : "",
             !task_has_label(estimator->task) ? ""
             : label                          ? label
                                              : "LABEL y");
}

/* Is the statement with the proposal planned? One that is not for us alone is read, at least. */
static bool proposal_is_planned(const struct estimator *estimator, const char *proposal)
{
    const size_t size = proposal ? strlen(proposal) : 0;
    static const char in_select[] = " in the SELECT";
    char text[2048];
    struct error err;

    if (begins(proposal, "USING ")) /* a model of the same columns */
        return true;
    if (size > strlen(in_select) && strcmp(proposal + size - strlen(in_select), in_select) == 0)
        return true;
    if (begins(proposal, "forecast.holidays")) /* days are needed, and a table of them */
        snprintf(text, sizeof text,
                 "-- query: day TEXT 9 texts 9 dates; y REAL 9 reals\n"
                 "-- validation: day TEXT 9 texts 9 dates\n-- rows: 2026-12-25\n"
                 "SELECT * FROM t TO TRAIN Forecast WITH forecast.time = 'day', "
                 "forecast.horizon = 3, %s LABEL y INTO m2",
                 proposal);
    else if (begins(proposal, "TO TRAIN "))
        snprintf(text, sizeof text, ROWS "SELECT * FROM t %s%s LABEL y INTO m2", proposal,
                 strstr(proposal, "TRAIN ARIMA") && !strstr(proposal, "WITH")
                     ? " WITH forecast.time = 'g', forecast.horizon = 3"
                     : "");
    else if (begins(proposal, "COLUMN "))
        write_train(estimator, NULL, proposal, NULL, text);
    else if (begins(proposal, "LABEL "))
        write_train(estimator, NULL, NULL, proposal, text);
    else
        write_train(estimator, proposal, NULL, NULL, text);
    return plan_text(text, &err) == STATUS_OK;
}

/* "max_bin = 255" of "Write max_bin = 255: ..."; NULL: "Leave it out: ...". */
static const char *proposal_of(const struct advice *row, const char *hint, char into[1024])
{
    const size_t front = strlen("Write ");

    if (!row->instead) {
        CHECK(begins(hint, "Leave it out: "));
        return NULL;
    }
    CHECK(begins(hint, "Write "));
    for (size_t i = front; hint[i]; i++)
        if (hint[i] == ':' && hint[i + 1] == ' ' &&
            strchr("abcdefghijklmnopqrstuvwxyzONASL01{'", hint[i + 2])) {
            snprintf(into, 1024, "%.*s", (int)(i - front), hint + front);
            return into;
        }
    check_failed("no reason behind \"%s\"", hint);
    return NULL;
}

/* Is a statement of the estimator's planned that has no setting? Some need a group, or words. Asked
 * for each row of advice, and answered once. */
static bool is_plain(size_t number)
{
    static enum { NOT_ASKED, PLANNED, REFUSED } answers[256];

    CHECK(number < sizeof answers / sizeof *answers);
    if (answers[number] == NOT_ASKED)
        answers[number] = proposal_is_planned(&estimators[number], NULL) ? PLANNED : REFUSED;
    return answers[number] == PLANNED;
}

static bool is_first(const struct advice *row, const char *hint)
{
    char end[1024];
    const size_t size = strlen(hint);

    snprintf(end, sizeof end, ": %s.", row->why);
    return size > strlen(end) && strcmp(hint + size - strlen(end), end) == 0;
}

/* How many of these estimators plan what is proposed; -1: one does not. A method of series need
 * not: they have different attributes. */
static int count_planned(const struct advice *row, const char *setting, bool of_series)
{
    char text[2048], room[1024];
    int planned = 0, failed = 0;
    struct error err;

    for (size_t i = 0; i < estimator_count; i++) {
        if (estimators[i].kind->learns_series != of_series || !is_plain(i))
            continue;
        write_train(&estimators[i], setting, NULL, NULL, text);
        if (plan_text(text, &err) == STATUS_OK || !is_first(row, err.hint))
            continue;
        if (proposal_is_planned(&estimators[i], proposal_of(row, err.hint, room)))
            planned++;
        else if (!of_series) {
            fprintf(stderr, "%s WITH %s: %s\n", estimators[i].name, setting, err.hint);
            failed++;
        }
    }
    return failed > 0 ? -1 : planned;
}

/* Some estimator refuses the setting with this advice, and each that does takes what it proposes.
 */
static bool works_for_some(const struct advice *row, const char *setting)
{
    const int planned = count_planned(row, setting, false);

    return planned > 0 || (planned == 0 && count_planned(row, setting, true) > 0);
}

static bool works_in_train(const struct advice *row)
{
    const char *value;
    char setting[256];

    for (size_t i = 0; (value = sample(row, i)); i++) {
        snprintf(setting, sizeof setting, "%s = %s", row->name, value);
        if (works_for_some(row, setting))
            return true;
    }
    fprintf(stderr, "no estimator takes what is proposed instead of %s = %s\n", row->name,
            row->value);
    return false;
}

static bool works_elsewhere(const struct advice *row)
{
    static const char model[] = "-- query: f REAL 150 reals; kind TEXT 150 texts\n"
                                "-- model: m XGBClassifier classification; label kind text "
                                "classes a b; inputs f numeric\nSELECT * FROM t TO ";
    const char *verb = row->scope & SCOPE_PREDICT    ? "PREDICT WITH %s USING m"
                       : row->scope & SCOPE_EVALUATE ? "EVALUATE m WITH %s"
                                                     : "EXPLAIN m WITH %s";
    char text[2048], setting[256], room[1024], clauses[512];
    const char *proposal;
    struct error err;

    snprintf(setting, sizeof setting, "%s = %s", row->name, sample(row, 0));
    snprintf(clauses, sizeof clauses, verb, setting);
    snprintf(text, sizeof text, "%s%s", model, clauses);
    if (plan_text(text, &err) == STATUS_OK || !is_first(row, err.hint)) {
        fprintf(stderr, "%s: %s\n", setting, err.hint);
        return false;
    }
    proposal = proposal_of(row, err.hint, room);
    if (!proposal)
        return true;
    if (begins(proposal, "USING ") || begins(proposal, "WITH ")) /* clauses, and no setting */
        verb = "EXPLAIN m %s";
    snprintf(clauses, sizeof clauses, verb, proposal);
    snprintf(text, sizeof text, "%s%s", model, clauses);
    if (plan_text(text, &err) == STATUS_OK)
        return true;
    fprintf(stderr, "%s: %s\n", clauses, err.message);
    return false;
}

static void what_is_proposed_can_be_written(void **state)
{
    size_t failed = 0;
    (void)state;

    for (const struct advice *row = advice_rows; row->name; row++)
        failed +=
            !(row->scope & ~(unsigned)SCOPE_TRAIN ? works_elsewhere(row) : works_in_train(row));
    CHECK_INT(failed, 0);
}

/* Advice for settings that are refused, in full. */
static void advice_says_what_to_write_with_the_value(void **state)
{
    static const struct {
        const char *model, *setting, *message, *hint;
    } cases[] = {
        {"XGBClassifier", "enable_categorical = true", "unknown attribute \"enable_categorical\"",
         "Leave it out: texts are categories by themselves, and COLUMN VOCABULARY(code), * makes "
         "one "
         "of numbers."},
        {"XGBClassifier", "missing = -999", "unknown attribute \"missing\"",
         "Write NULLIF(column, -999) AS column in the SELECT: NULL is missing."},
        {"XGBClassifier", "device = 'cuda'", "unknown attribute \"device\"",
         "Leave it out: models are learned on all processors of one machine or many, and on no "
         "GPU."},
        {"XGBClassifier", "tree_method = 'exact'", "tree_method = 'exact' is not supported yet",
         "Write tree_method = 'hist': splits are between bins, of which a number has up to 255."},
        {"LGBMClassifier", "is_unbalance = true", "unknown attribute \"is_unbalance\"",
         "Write class_weight = 'balanced': both classes weigh alike."},
        {"LGBMClassifier", "is_unbalance = false", "unknown attribute \"is_unbalance\"",
         "Leave it out: it is off by default."},
        {"LGBMClassifier", "bagging_freq = 5",
         "bagging_freq takes a whole number from 1 to 1, not 5",
         "Leave it out: each tree draws its own rows, as with 1."},
        {"LGBMClassifier", "categorical_feature = 'name:f,Zip code'",
         "unknown attribute \"categorical_feature\"",
         "Write COLUMN VOCABULARY(f), VOCABULARY(\"Zip code\"), *: texts are categories by "
         "themselves, numbers so."},
        {"LGBMClassifier", "categorical_feature = ['f', 'g']",
         "unknown attribute \"categorical_feature\"",
         "Write COLUMN VOCABULARY(f), VOCABULARY(g), *: texts are categories by themselves, "
         "numbers "
         "so."},
        {"LogisticRegression", "C = 0.5", "unknown attribute \"C\"",
         "Write model.l2 = 2: half the squares of the coefficients weigh 1 / C, and there are no "
         "standard errors then."},
        {"LogisticRegression", "C = -2", "unknown attribute \"C\"",
         "Write model.l2 = 1: it is 1 / C, which is above 0."},
        {"LogisticRegression", "C = 0", "unknown attribute \"C\"",
         "Write model.l2 = 1: it is 1 / C, which is above 0."},
        {"LinearClassifier", "model.C = 0.5", "unknown attribute \"model.C\"",
         "Write model.l2 = 0.002: the penalty is added to the mean loss: of n rows 1 / (C n), here "
         "of 1,000."},
        {"LinearClassifier", "penalty = 'l1'", "unknown attribute \"penalty\"",
         "Write model.l1 = 0.001: its weight; model.l2 = 0 leaves it alone."},
        {"RandomForestRegressor", "max_features = 0.5",
         "max_features takes 'all' or 'sqrt', not 0.5",
         "Write max_features = 'all', colsample_bynode = 0.5: the share of the columns that a node "
         "looks at."},
        {"RandomForestRegressor", "max_depth = None",
         "max_depth takes a whole number from 0 to 64, not 'None'",
         "Leave it out: what is not written has its default."},
        {"RandomForestClassifier", "min_samples_split = 5",
         "\"min_samples_split\" is not supported",
         "Write min_samples_leaf = 3: a node of fewer than twice this number of rows is not "
         "split."},
        {"LinearClassifier", "data_split_method = 'seq'", "unknown attribute \"data_split_method\"",
         "Write validation.select = 'SELECT * FROM t WHERE day >= ''2024-10-01''': the last rows, "
         "which the SELECT leaves out."},
        {"LinearClassifier", "input_label_cols = ['y']", "unknown attribute \"input_label_cols\"",
         "Write LABEL y: the label has a clause of its own."},
        {"LinearClassifier", "early_stop = true", "unknown attribute \"early_stop\"",
         "Write early_stopping = 10: training ends after this number of evaluations without a "
         "smaller loss and keeps the best model."},
        /* Nothing is proposed that the model has not. */
        {"LogisticRegression", "early_stop = true", "unknown attribute \"early_stop\"",
         "SHOW ATTRIBUTES; lists all attributes."},
        {"LogisticRegression", "is_unbalance = true", "unknown attribute \"is_unbalance\"",
         "SHOW ATTRIBUTES; lists all attributes."},
    };
    char text[2048];
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct name name = {.text = slice_of(cases[i].model)};
        const struct estimator *estimator = NULL;

        CHECK_OK(estimator_find(&name, &estimator, &err));
        write_train(estimator, cases[i].setting, NULL, NULL, text);
        CHECK(plan_text(text, &err) != STATUS_OK);
        CHECK(strstr(err.message, cases[i].message));
        assert_string_equal(err.hint, cases[i].hint);
    }
}

/* The settings that a model of series needs, or the columns of one of two. */
static const char *settings_of(struct slice model)
{
    const struct name name = {.text = model};
    const struct estimator *estimator = NULL;
    struct error err;

    if (estimator_find(&name, &estimator, &err) != STATUS_OK)
        return "";
    return estimator->kind->learns_series   ? " WITH forecast.time = 'g', forecast.horizon = 3"
           : estimator_is_of_two(estimator) ? " COLUMN g, code"
                                            : "";
}

/* "a" and "b" of "a or b". */
static bool each_is_planned(const char *here)
{
    const char *other = strstr(here, " or ");
    const struct slice model = {here, other ? (size_t)(other - here) : strlen(here)};
    char text[512];

    snprintf(text, sizeof text, "TO TRAIN %.*s%s", SLICE_FORMAT(model), settings_of(model));
    return (strstr(here, "KMeans") || strstr(here, "PCA") || strstr(here, "OneClassSVM") ||
            strstr(here, "IsolationForest") || strstr(here, "DeepFM") ||
            proposal_is_planned(NULL, text)) &&
           (!other || each_is_planned(other + 4));
}

static void models_of_other_tools_are_answered_with_one_that_is_there(void **state)
{
    struct error err;
    (void)state;

    for (const struct other_model *model = other_models; model->name; model++) {
        char text[1024];

        snprintf(text, sizeof text, ROWS "SELECT * FROM t TO TRAIN %s LABEL y INTO m2",
                 model->name);
        CHECK(plan_text(text, &err) != STATUS_OK);
        if (!strstr(err.hint, model->here) || !each_is_planned(model->here))
            check_failed("%s: %s", model->name, err.hint);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(advice_says_what_to_write_with_the_value),
        cmocka_unit_test(models_of_other_tools_are_answered_with_one_that_is_there),
        cmocka_unit_test(what_is_proposed_can_be_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
