#include "parser/other_calls.h"

#include <string.h>

#include "parser/scan.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define CALLS_TOKENS 1000 /* beyond which nothing is looked for */

#define WRITE(form) "Write " form
#define TRAINED     "SELECT * FROM table TO TRAIN LinearClassifier LABEL column INTO model;"

/* A name that begins with '_' is the end of one. */
static const struct {
    const char *name, *hint;
} calls[] = {
    {"FORECAST",
     "FORECAST model; returns the forecasts, and TO TRAIN Forecast WITH forecast.time = "
     "'day', forecast.horizon = 28 LABEL sales INTO model learns it."},
    {"EXPLAIN_FORECAST", WRITE("SELECT * FROM table TO EXPLAIN model;")},
    {"RECOMMEND", WRITE("SELECT * FROM users CROSS JOIN items TO PREDICT new_table.rating USING "
                        "model;")},
    {"WEIGHTS", "The model is a table: SELECT * FROM model WHERE part = 'weight';"},
    {"ADVANCED_WEIGHTS", "OLS and LogisticRegression have tests of their weights: SELECT * FROM "
                         "table TO EXPLAIN model USING coefficients;"},
    {"FEATURE_IMPORTANCE", WRITE("SELECT * FROM table TO EXPLAIN model;")},
    {"GLOBAL_EXPLAIN", WRITE("SELECT * FROM table TO EXPLAIN model USING SHAP;")},
    {"EXPLAIN_PREDICT", WRITE("SELECT * FROM table TO PREDICT guess WITH extra_outputs = 'shap' "
                              "USING model;")},
    {"CONFUSION_MATRIX", WRITE("SELECT * FROM table TO EVALUATE model WITH report = 'confusion';")},
    {"ROC_CURVE", WRITE("SELECT * FROM table TO EVALUATE model WITH report = 'roc';")},
    {"TRAINING_INFO", WRITE("SHOW TRAIN model;")},
    {"TRIAL_INFO", WRITE("SHOW TRIALS model;")},
    {"FEATURE_INFO", WRITE("SHOW MODEL model;")},
    {"CENTROIDS", WRITE("SHOW MODEL model;")},
    {"DETECT_ANOMALIES", WRITE("SELECT * FROM table TO TRAIN IsolationForest INTO model; then TO "
                               "PREDICT USING model;")},
    {"DEPLOY",
     "A model is in use as soon as it is trained. SHOW VERSIONS model; and ROLLBACK MODEL "
     "model TO 1; bring an older one back."},
    {"linregr_train",
     WRITE("SELECT * FROM table TO TRAIN OrdinaryLeastSquares LABEL column INTO model;")},
    {"train", WRITE(TRAINED)},
    {"_train", WRITE(TRAINED)},
    {"predict", WRITE("SELECT * FROM table TO PREDICT USING model;")},
    {"_predict", WRITE("SELECT * FROM table TO PREDICT USING model;")},
    {"evaluate", WRITE("SELECT * FROM table TO EVALUATE model;")},
};

struct word {
    enum scan_kind kind; /* SCAN_END: there are no more */
    struct slice text;
};

static struct word next_word(struct slice text, int *at)
{
    for (;;) {
        const struct scan scan = scan_next(text, *at, SCAN_HOST);

        if (scan.kind == SCAN_END)
            return (struct word){SCAN_END, {"", 0}};
        *at = scan.end;
        if (scan.kind != SCAN_BLANK && scan.kind != SCAN_COMMENT)
            return (struct word){scan.kind, scan_text(text, &scan)};
    }
}

static bool is_schema(struct slice name)
{
    static const char *const schemas[] = {"ml", "ai", "pgml", "madlib"};

    for (size_t i = 0; i < COUNT(schemas); i++)
        if (slice_is_fold(name, schemas[i]))
            return true;
    return false;
}

static bool is_call(struct slice name, const char *call)
{
    const size_t size = strlen(call);

    if (*call != '_')
        return slice_is_fold(name, call);
    return name.size > size &&
           slice_is_fold((struct slice){name.data + name.size - size, size}, call);
}

static bool hint_call(struct slice name, struct error *err)
{
    for (size_t i = 0; i < COUNT(calls); i++)
        if (is_call(name, calls[i].name)) {
            error_hint(err, "%s", calls[i].hint);
            return true;
        }
    return false;
}

/* CREATE SNOWFLAKE.ML.FORECAST f(...), and CREATE OR REPLACE */
static bool hint_snowflake(struct slice text, struct error *err)
{
    struct word word;
    int at = 0;

    word = next_word(text, &at);
    if (!slice_is_fold(word.text, "CREATE"))
        return false;
    word = next_word(text, &at);
    if (slice_is_fold(word.text, "OR")) {
        next_word(text, &at);
        word = next_word(text, &at);
    }
    if (!slice_is_fold(word.text, "SNOWFLAKE"))
        return false;
    error_hint(err, "A model is made by training: %s", TRAINED);
    return true;
}

static int place_of(struct slice text, const struct word *word)
{
    return (int)(word->text.data - text.data);
}

/* Is the place in the call that begins with `first`, and whose bracket ends at `at`? */
static bool holds(struct slice text, const struct word *first, int at, int position)
{
    struct word word;

    for (int depth = 1; position >= 0 && depth > 0;) {
        word = next_word(text, &at);
        if (word.kind == SCAN_END || place_of(text, &word) >= position)
            return position >= place_of(text, first);
        depth += slice_is(word.text, "(") - slice_is(word.text, ")");
    }
    return position < 0;
}

static bool is_other(const struct word *before, const struct word *dot, struct slice schema)
{
    if (schema.size > 0 && !slice_equal_fold(before->text, schema))
        return false;
    return (slice_is(dot->text, ".") && is_schema(before->text)) ||
           (slice_is(dot->text, "!") && schema.size == 0);
}

bool other_calls_hint(struct slice text, int position, struct slice only, struct error *err)
{
    struct word schema = {SCAN_END, {"", 0}}, dot = schema, name;
    int at = 0;

    if (err->hint[0])
        return false;
    if (only.size == 0 && hint_snowflake(text, err))
        return true;
    name = next_word(text, &at);
    for (int left = CALLS_TOKENS; name.kind != SCAN_END && left > 0; left--) {
        int ahead = at;

        if (is_other(&schema, &dot, only) && slice_is(next_word(text, &ahead).text, "(") &&
            holds(text, &schema, ahead, position) && hint_call(name.text, err))
            return true;
        schema = dot;
        dot = name;
        name = next_word(text, &at);
    }
    return false;
}
