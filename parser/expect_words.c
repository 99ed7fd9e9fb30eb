#include "parser/expect_words.h"

#include "parser/clauses.h"
#include "parser/grammar.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool is_one_of(struct slice word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (slice_is_fold(word, words[i]))
            return true;
    return false;
}

/* TO EXPLAIN m ORDER BY importance: the clause is about the rows that the statement returns. */
static bool hint_of_importance(const struct progress *progress, const struct token *found,
                               struct error *err)
{
    if (progress->verb != TOKEN_EXPLAIN || !progress->seen[TOKEN_TO])
        return false;
    if (slice_is_fold(found->text, "ORDER"))
        error_hint(err, "The most important input comes first by itself. INTO importance makes a "
                        "table, which SELECT * FROM importance ORDER BY ... reads.");
    else if (slice_is_fold(found->text, "LIMIT"))
        error_hint(err, "WITH summary.max_display = 5 shows the first five inputs. A LIMIT of the "
                        "rows belongs to the SELECT, which stands before TO.");
    else
        return false;
    return true;
}

/* LABEL y INTO z LIMIT 10: a clause of the SELECT, which ends with TO. */
static bool hint_of_select(const struct progress *progress, const struct token *found,
                           struct error *err)
{
    static const char *const clauses[] = {"WHERE", "GROUP",  "ORDER", "HAVING", "LIMIT",
                                          "JOIN",  "OFFSET", "UNION", "WINDOW"};
    const char *verb = keyword_spelling(progress->verb);

    if (!verb || !progress->seen[TOKEN_TO] || !is_one_of(found->text, clauses, COUNT(clauses)))
        return false;
    error_hint(err, "%.*s belongs to the SELECT, which stands before TO: SELECT ... %.*s ... TO %s",
               SLICE_FORMAT(found->text), SLICE_FORMAT(found->text), verb);
    return true;
}

/* SELECT ... TO FORECAST y: verbs of other tools. */
static bool hint_of_verb(const struct yyParser *parser, const struct progress *progress,
                         const struct token *found, struct error *err)
{
    static const char *const forecast[] = {"FORECAST"}, *const recommend[] = {"RECOMMEND"};
    static const char *const cluster[] = {"CLUSTER", "SEGMENT"};
    static const char *const predict[] = {"SCORE", "INFER", "CLASSIFY", "TRANSFORM"};
    static const char *const train[] = {"FIT", "LEARN"};
    static const char *const evaluate[] = {"TEST", "VALIDATE", "MEASURE"};
    const struct {
        const char *const *words;
        size_t count;
        const char *hint;
    } list[] = {
        {forecast, COUNT(forecast),
         "TO TRAIN Forecast WITH forecast.time = 'day', forecast.horizon = 28 LABEL sales INTO m "
         "learns the rows, and FORECAST m; returns the forecasts."},
        {recommend, COUNT(recommend),
         "A model of customers and items predicts each pair: SELECT ... FROM customers CROSS JOIN "
         "items TO PREDICT rating USING m INTO table, whose best ones a query takes."},
        {cluster, COUNT(cluster),
         "TO TRAIN KMeans WITH n_clusters = 3 INTO m makes clusters, and TO PREDICT cluster USING "
         "m "
         "names each row's."},
        {train, COUNT(train), "Write TO TRAIN LinearClassifier LABEL column INTO model."},
        {predict, COUNT(predict), "Write TO PREDICT column USING model."},
        {evaluate, COUNT(evaluate), "Write TO EVALUATE model."},
    };

    if (progress->previous.kind != TOKEN_TO || !grammar_accepts(parser, TOKEN_TRAIN, false))
        return false;
    for (size_t i = 0; i < COUNT(list); i++)
        if (is_one_of(found->text, list[i].words, list[i].count)) {
            error_hint(err, "%s", list[i].hint);
            return true;
        }
    return false;
}

/* Hints at words that other tools write in the place of a clause. */
static bool hint_other_word(const struct yyParser *parser, const struct progress *progress,
                            const struct token *found, struct error *err)
{
    static const char *const with[] = {"SET", "OPTIONS", "PARAMETERS", "HYPERPARAMETERS"};
    static const char *const label[] = {"TARGET", "OUTCOME"};
    static const char *const into[] = {"AS", "TABLE"}, *const using[] = {"FROM", "BY", "MODEL"};
    const struct {
        int kind;
        const char *const *words;
        size_t count;
        const char *hint;
    } list[] = {
        {TOKEN_WITH, with, COUNT(with), "Attributes follow WITH: WITH name = value, ..."},
        {TOKEN_LABEL, label, COUNT(label), "The column to learn follows LABEL."},
        {TOKEN_INTO, into, COUNT(into), "The name of what is made follows INTO."},
        {TOKEN_USING, using, COUNT(using), "The model follows USING."},
    };
    const bool is_train = progress->verb == TOKEN_TRAIN; /* where few statements have a USING */

    for (size_t i = 0; i < COUNT(list); i++)
        if (clauses_allow(progress, list[i].kind) && !(list[i].kind == TOKEN_USING && is_train) &&
            grammar_accepts(parser, list[i].kind, false) &&
            is_one_of(found->text, list[i].words, list[i].count)) {
            error_hint(err, "%s", list[i].hint);
            return true;
        }
    return false;
}

/* * EXCEPT a, INTO TABLE m, USING MODEL m, SHOW MODELS m, SHOW MODELS LIKE 'c%', TO EVALUATE a b,
 * CANCEL JOB m, TO TRAIN LABEL y, USING epochs = 5 */
static bool hint_name(const struct progress *progress, const struct token *found, struct error *err)
{
    static const char *const kinds[] = {"TABLE", "MODEL", "VIEW"};
    static const char *const filters[] = {"LIKE", "ILIKE", "WHERE", "ORDER", "LIMIT"};
    const struct token *previous = &progress->previous;
    const bool is_name = found->kind == TOKEN_NAME || found->kind == TOKEN_QUOTED;

    if (previous->kind == TOKEN_EXCEPT && !progress->previous_is_name)
        error_hint(err, "Names and patterns behind EXCEPT stand in parentheses: * EXCEPT (a, b).");
    else if (is_name && previous->kind != TOKEN_QUOTED &&
             is_one_of(previous->text, kinds, COUNT(kinds)))
        error_hint(err, "The name stands alone, without %.*s.", SLICE_FORMAT(previous->text));
    else if (previous->kind == TOKEN_MODELS && progress->verb == TOKEN_SHOW &&
             is_one_of(found->text, filters, COUNT(filters)))
        error_hint(err, "A query chooses among them: SELECT name, kind, rows FROM totrain_models "
                        "WHERE name LIKE 'c%%'; in PostgreSQL FROM totrain.models.");
    else if (progress->verb == TOKEN_SHOW && is_one_of(found->text, filters, COUNT(filters)))
        error_hint(err, "A query chooses among its rows: SELECT row FROM totrain_rows('SHOW ...') "
                        "WHERE row ->> 'name' LIKE 'c%%'; in PostgreSQL FROM totrain.rows(...).");
    else if (is_name && previous->kind == TOKEN_MODELS && progress->verb == TOKEN_SHOW)
        error_hint(err, "SHOW MODEL %.*s; shows one.",
                   SLICE_FORMAT(slice_prefix(found->text, 100)));
    else if (is_name && previous->kind == TOKEN_JOB)
        error_hint(err, "SHOW JOBS; lists the jobs and their numbers.");
    else if (is_name && previous->kind == TOKEN_ESTIMATOR && slice_is_fold(previous->text, "LABEL"))
        error_hint(err, "LABEL is read as the model's name here: write a model, such as "
                        "LinearClassifier, before it.");
    else if (is_name && progress->verb == TOKEN_EVALUATE && progress->seen[TOKEN_TO] &&
             progress->clause == 0 && previous->kind == TOKEN_NAME)
        error_hint(err, "Models that are measured on the same rows are separated by commas.");
    else if (slice_is(found->text, "*") && previous->kind == TOKEN_EVALUATE)
        error_hint(err, "Models that are measured on the same rows are named: TO EVALUATE a, b. "
                        "SHOW MODELS lists them.");
    else if (found->kind == TOKEN_EQ && progress->clause == TOKEN_USING)
        error_hint(err, "Attributes follow WITH: WITH name = value, ...");
    else
        return false;
    return true;
}

/* COLUMN * - id, COLUMN -id, COLUMN * MINUS (id), COLUMN ALL EXCEPT (id), * EXCEPT (), * EXCEPT
 * (m*) */
static bool hint_except(const struct progress *progress, const struct token *found,
                        struct error *err)
{
    static const char *const less[] = {"MINUS", "WITHOUT", "DROP", "-", "!"};
    const struct token *previous = &progress->previous;
    const bool is_less = is_one_of(found->text, less, COUNT(less));

    if (progress->clause != TOKEN_COLUMN)
        return false;
    if (progress->parentheses > 0 && progress->seen[TOKEN_EXCEPT] &&
        (slice_is(found->text, "*") || slice_is(found->text, "%")))
        error_hint(err, "A pattern of names stands in quotes: * EXCEPT (LIKE 'tmp_%%'), or as a "
                        "regular expression * EXCEPT ('tmp_.*').");
    else if (previous->kind == TOKEN_LP && found->kind == TOKEN_RP && progress->seen[TOKEN_EXCEPT])
        error_hint(err, "Name what is left out: * EXCEPT (a, b). COLUMN * alone takes all.");
    else if (progress->parentheses == 0 &&
             (found->kind == TOKEN_EXCEPT ||
              (is_less && (previous->kind == TOKEN_COLUMN || slice_is(previous->text, "*")))))
        error_hint(err, "All columns but some are COLUMN * EXCEPT (a, b).");
    else
        return false;
    return true;
}

bool expect_word(const struct yyParser *parser, const struct progress *progress,
                 const struct token *found, struct error *err)
{
    if (hint_except(progress, found, err))
        return true;
    return progress->parentheses == 0 &&
           (hint_of_verb(parser, progress, found, err) ||
            hint_of_importance(progress, found, err) || hint_of_select(progress, found, err) ||
            hint_other_word(parser, progress, found, err) || hint_name(progress, found, err));
}
