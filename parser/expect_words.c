#include "parser/expect_words.h"

#include "parser/grammar.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool is_one_of(struct slice word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (slice_is_fold(word, words[i]))
            return true;
    return false;
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

/* What other tools write in the place of a clause. */
static bool hint_other_word(const struct yyParser *parser, const struct token *found,
                            struct error *err)
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

    for (size_t i = 0; i < COUNT(list); i++)
        if (grammar_accepts(parser, list[i].kind, false) &&
            is_one_of(found->text, list[i].words, list[i].count)) {
            error_hint(err, "%s", list[i].hint);
            return true;
        }
    return false;
}

/* INTO TABLE m, USING MODEL m, SHOW MODELS m, CANCEL JOB m, TO TRAIN LABEL y, USING epochs = 5 */
static bool hint_name(const struct progress *progress, const struct token *found, struct error *err)
{
    static const char *const kinds[] = {"TABLE", "MODEL", "VIEW"};
    const struct token *previous = &progress->previous;
    const bool is_name = found->kind == TOKEN_NAME || found->kind == TOKEN_QUOTED;

    if (is_name && previous->kind != TOKEN_QUOTED && is_one_of(previous->text, kinds, COUNT(kinds)))
        error_hint(err, "The name stands alone, without %.*s.", SLICE_FORMAT(previous->text));
    else if (is_name && previous->kind == TOKEN_MODELS && progress->verb == TOKEN_SHOW)
        error_hint(err, "SHOW MODEL %.*s; shows one.",
                   SLICE_FORMAT(slice_prefix(found->text, 100)));
    else if (is_name && previous->kind == TOKEN_JOB)
        error_hint(err, "SHOW JOBS; lists the jobs and their numbers.");
    else if (is_name && previous->kind == TOKEN_ESTIMATOR && slice_is_fold(previous->text, "LABEL"))
        error_hint(err, "LABEL is read as the model's name here: a model, as LinearClassifier, "
                        "stands before it.");
    else if (found->kind == TOKEN_EQ && progress->seen[TOKEN_USING])
        error_hint(err, "Attributes follow WITH: WITH name = value, ...");
    else
        return false;
    return true;
}

bool expect_word(const struct yyParser *parser, const struct progress *progress,
                 const struct token *found, struct error *err)
{
    return progress->parentheses == 0 &&
           (hint_of_select(progress, found, err) || hint_other_word(parser, found, err) ||
            hint_name(progress, found, err));
}
