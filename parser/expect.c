#include "parser/expect.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "parser/clauses.h"
#include "parser/expect_words.h"
#include "parser/grammar.h"

#define FOUND_BYTES_MAX 40 /* bytes of the offending token in a message */
#define ITEMS_MAX       12 /* expected things named in a message */

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* In the order in which they are named: what a place wants first, then
 * punctuation, then clauses as they follow each other. */
static const struct {
    int kind;
    const char *text;
} descriptions[] = {
    {TOKEN_OPERATOR, "an expression"},
    {TOKEN_NUMBER, "a number"},
    {TOKEN_ESTIMATOR, "a model name"},
    {TOKEN_IMAGE, "an image name"},
    {TOKEN_NAME, "a name"},
    {TOKEN_STRING, "a string"},
    {TOKEN_EQ, "\"=\""},
    {TOKEN_COMMA, "\",\""},
    {TOKEN_RP, "\")\""},
    {TOKEN_RB, "\"]\""},
    {TOKEN_LIKE, "LIKE"},
    {TOKEN_EXCEPT, "EXCEPT"},
    {TOKEN_TO, "TO"},
    {TOKEN_TRAIN, "TRAIN"},
    {TOKEN_PREDICT, "PREDICT"},
    {TOKEN_EVALUATE, "EVALUATE"},
    {TOKEN_EXPLAIN, "EXPLAIN"},
    {TOKEN_RUN, "RUN"},
    {TOKEN_MAXIMIZE, "MAXIMIZE"},
    {TOKEN_MINIMIZE, "MINIMIZE"},
    {TOKEN_CONSTRAINT, "CONSTRAINT"},
    {TOKEN_GROUP, "GROUP BY"},
    {TOKEN_BY, "BY"},
    {TOKEN_CMD, "CMD"},
    {TOKEN_WITH, "WITH"},
    {TOKEN_COLUMN, "COLUMN"},
    {TOKEN_FOR, "FOR"},
    {TOKEN_LABEL, "LABEL"},
    {TOKEN_USING, "USING"},
    {TOKEN_INTO, "INTO"},
    {TOKEN_MODELS, "MODELS"},
    {TOKEN_VERSIONS, "VERSIONS"},
    {TOKEN_TRIALS, "TRIALS"},
    {TOKEN_JOBS, "JOBS"},
    {TOKEN_ATTRIBUTES, "ATTRIBUTES"},
    {TOKEN_JOB, "JOB"},
    {TOKEN_MODEL, "MODEL"},
    {TOKEN_OR, "OR REPLACE"},
    {TOKEN_REPLACE, "REPLACE"},
    {TOKEN_AS, "AS"},
    {TOKEN_DEFINITIONS, "DEFINITIONS"},
    {TOKEN_DEFINITION, "DEFINITION"},
    {TOKEN_IF, "IF EXISTS"},
    {TOKEN_EXISTS, "EXISTS"},
    {TOKEN_FORMAT, "FORMAT"},
    {LEXER_END, "end of statement"},
};

/* Each statement's form, for a hint where a clause is missing or one too many. */
static const struct {
    int verb;
    const char *form;
} forms[] = {
    {TOKEN_TRAIN, "TO TRAIN model [WITH ...] [COLUMN ... [FOR part]]... [LABEL column, ...] "
                  "[USING old_model] INTO new_model"},
    {TOKEN_PREDICT, "TO PREDICT [[table.]column] [WITH ...] USING model [INTO table]"},
    {TOKEN_EVALUATE, "TO EVALUATE model, ... [WITH ...] [LABEL column] [INTO table]"},
    {TOKEN_EXPLAIN, "TO EXPLAIN model [WITH ...] [USING explainer] [INTO table]"},
    {TOKEN_RUN, "TO RUN image [CMD 'word', ...] [INTO table, ...]"},
    {TOKEN_MAXIMIZE, "TO MAXIMIZE expression [CONSTRAINT expression [GROUP BY column], ...] "
                     "WITH ... [USING solver] INTO table"},
    {TOKEN_MINIMIZE, "TO MINIMIZE expression [CONSTRAINT expression [GROUP BY column], ...] "
                     "WITH ... [USING solver] INTO table"},
    {TOKEN_SHOW,
     "SHOW TRAIN model, SHOW MODEL model, SHOW MODELS [FULL], SHOW VERSIONS model, "
     "SHOW TRIALS model, SHOW JOBS [FULL], SHOW ATTRIBUTES [FOR model], SHOW DEFINITIONS "
     "or SHOW DEFINITION name"},
    {TOKEN_DEFINE, "DEFINE [OR REPLACE] MODEL zoo/name [(argument = default, ...)] AS 'text'"},
    {TOKEN_DROP, "DROP DEFINITION [IF EXISTS] name"},
    {TOKEN_FORECAST, "FORECAST model [FOR steps] [WITH ...] [INTO table]"},
    {TOKEN_CANCEL, "CANCEL JOB number"},
    {TOKEN_ROLLBACK, "ROLLBACK MODEL model TO version"},
    {TOKEN_EXPORT,
     "EXPORT MODEL model TO 'file' [FORMAT name] or EXPORT DEFINITION name TO 'file'"},
    {TOKEN_IMPORT,
     "IMPORT MODEL new_model FROM 'file' [FORMAT name] or IMPORT DEFINITION name FROM 'file'"},
    {TOKEN_REPORT, "REPORT MODEL model TO 'file' [FORMAT html | markdown]"},
};

static bool is_verb(int kind)
{
    for (size_t i = 0; i < COUNT(forms); i++)
        if (forms[i].verb == kind)
            return true;
    return false;
}

static const char *form_of(int verb)
{
    for (size_t i = 0; i < COUNT(forms); i++)
        if (forms[i].verb == verb)
            return forms[i].form;
    return NULL;
}

/* A word that begins a clause. */
static bool is_clause(int kind)
{
    static const int clauses[] = {TOKEN_WITH, TOKEN_COLUMN, TOKEN_LABEL,      TOKEN_USING,
                                  TOKEN_INTO, TOKEN_CMD,    TOKEN_CONSTRAINT, TOKEN_FORMAT,
                                  TOKEN_FOR,  TOKEN_TO};

    for (size_t i = 0; i < COUNT(clauses); i++)
        if (clauses[i] == kind)
            return true;
    return false;
}

void progress_token(struct progress *progress, const struct token *token, bool as_keyword)
{
    bool keyword = keyword_spelling(token->kind) != NULL;

    assert(token->kind >= 0 && token->kind < EXPECT_TOKENS_MAX);
    progress->previous_is_name = keyword && !as_keyword;
    if (token->kind == TOKEN_EXPLAIN && progress->previous.kind == LEXER_END)
        progress->explain_plan = true;
    else if (as_keyword && is_verb(token->kind) && !progress->verb)
        progress->verb = token->kind;
    if (keyword && as_keyword)
        progress->seen[token->kind] = true;
    if (as_keyword && clauses_have(progress->verb, token->kind))
        progress->clause = token->kind;
    progress->parentheses += token->kind == TOKEN_LP;
    progress->parentheses -= token->kind == TOKEN_RP;
    progress->after_comma = progress->previous.kind == TOKEN_COMMA;
    progress->previous = *token;
}

static void drop(bool *accepted, const int *kinds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        accepted[kinds[i]] = false;
}

/* Fold the kinds that together are one thing to a person; what NAME or NUMBER
 * then stands for is returned. */
static const char *fold_kinds(bool *accepted, const struct progress *progress)
{
    static const int values[] = {TOKEN_NAME, TOKEN_QUOTED, TOKEN_STRING, TOKEN_MINUS,
                                 TOKEN_PLUS, TOKEN_LB,     TOKEN_STAR};
    static const int parts[] = {TOKEN_NUMBER, TOKEN_EQ, TOKEN_LP};

    if (accepted[TOKEN_OPERATOR]) {
        drop(accepted, values, COUNT(values));
        drop(accepted, parts, COUNT(parts));
        return "an expression";
    }
    if (accepted[TOKEN_NUMBER] && accepted[TOKEN_NAME]) {
        drop(accepted, values, COUNT(values));
        return progress->parentheses > 0 ? "an argument" : "a value";
    }
    if (accepted[TOKEN_NUMBER])
        return "a number";
    if (accepted[TOKEN_STAR] && accepted[TOKEN_NAME]) {
        accepted[TOKEN_STRING] = false;
        return "a column";
    }
    if (accepted[TOKEN_ESTIMATOR] || accepted[TOKEN_IMAGE])
        accepted[TOKEN_NAME] = false;
    if (accepted[TOKEN_NAME])
        accepted[TOKEN_STRING] = false;
    return "a name";
}

static size_t list_expected(const struct yyParser *parser, const struct progress *progress,
                            const char **items)
{
    bool accepted[EXPECT_TOKENS_MAX] = {false};
    const char *folded;
    size_t count = 0;

    assert(grammar_token_count() <= EXPECT_TOKENS_MAX);
    for (int kind = 0; kind < grammar_token_count(); kind++)
        accepted[kind] = clauses_allow(progress, kind) && grammar_accepts(parser, kind, false);
    /* Behind an argument that is a name: few mean it as the name of an argument. */
    accepted[TOKEN_EQ] &= !accepted[TOKEN_RP];
    /* Behind an argument: few mean to give it a name. */
    accepted[TOKEN_AS] &= !accepted[TOKEN_RP];
    /* Behind WITH it is the name of an attribute, as any word is. */
    accepted[TOKEN_GROUP] &= !progress->seen[TOKEN_WITH];
    folded = fold_kinds(accepted, progress);
    for (size_t i = 0; i < COUNT(descriptions) && count < ITEMS_MAX; i++) {
        int kind = descriptions[i].kind;
        if (!accepted[kind])
            continue;
        items[count++] = kind == TOKEN_NAME || kind == TOKEN_NUMBER ? folded : descriptions[i].text;
    }
    /* Only a dot, a colon or a parenthesis could follow. */
    if (count == 0)
        items[count++] = progress->previous.kind == TOKEN_EXCEPT && !progress->previous_is_name
                             ? "\"(\""
                             : "the rest of the statement";
    return count;
}

static void append_items(struct text *out, const char *const *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            text_append_string(out, i + 1 == count ? " or " : ", ");
        text_append_string(out, items[i]);
    }
}

/* " after LABEL": where a name or a value is missing, what it belongs to. */
static void append_after(struct text *out, const struct progress *progress)
{
    const struct token *previous = &progress->previous;
    const char *keyword = keyword_spelling(previous->kind);

    if (previous->kind == TOKEN_SELECT || progress->previous_is_name)
        return;
    if (keyword)
        text_printf(out, " after %s", keyword);
    else if (previous->kind == TOKEN_COMMA || previous->kind == TOKEN_EQ ||
             previous->kind == TOKEN_LP || previous->kind == TOKEN_LB ||
             previous->kind == TOKEN_DOT)
        text_printf(out, " after \"%.*s\"", SLICE_FORMAT(previous->text));
}

/* The token on one line, and not too much of it. */
static void append_found(struct text *out, const struct progress *progress,
                         const struct token *found)
{
    const size_t size = slice_prefix(found->text, FOUND_BYTES_MAX).size;
    const bool cut = size < found->text.size;

    if (found->kind == LEXER_END) {
        text_append_string(out, "end of statement");
        return;
    }
    if (is_clause(found->kind) && progress->seen[found->kind] && found->kind != TOKEN_TO) {
        text_printf(out, "a second %s", keyword_spelling(found->kind));
        return;
    }
    text_append_char(out, '"');
    for (size_t i = 0; i < size; i++) {
        char c = found->text.data[i];
        text_append_char(out, (unsigned char)c < ' ' || c == 0x7F ? ' ' : c);
    }
    text_append_string(out, cut ? "...\"" : "\"");
}

static bool hint_nearest(const struct token *found, const char *const *items, size_t count,
                         struct error *err)
{
    const char *keywords[ITEMS_MAX];
    size_t keyword_count = 0;
    int nearest;

    if (found->kind != TOKEN_NAME && !keyword_spelling(found->kind))
        return false;
    for (size_t i = 0; i < count; i++)
        if (items[i][0] >= 'A' && items[i][0] <= 'Z')
            keywords[keyword_count++] = items[i];
    nearest = text_nearest(found->text, keywords, keyword_count);
    if (nearest >= 0)
        error_hint(err, "Did you mean %s?", keywords[nearest]);
    return nearest >= 0;
}

static bool hint_clause(const struct yyParser *parser, const struct progress *progress,
                        const struct token *found, struct error *err)
{
    const char *form = form_of(progress->verb);
    const char *word = keyword_spelling(found->kind);

    if (progress->explain_plan && progress->previous.kind == TOKEN_TO && is_verb(found->kind)) {
        error_hint(err,
                   "EXPLAIN shows the plan of TRAIN, PREDICT and EVALUATE; %s has none to show.",
                   word);
        return true;
    }
    if (found->kind == TOKEN_USING &&
        (progress->previous.kind == TOKEN_EVALUATE || progress->previous.kind == TOKEN_EXPLAIN)) {
        error_hint(err, "The model follows %s, without USING.",
                   keyword_spelling(progress->previous.kind));
        return true;
    }
    if (word && keyword_is_reserved(found->kind) && grammar_accepts(parser, TOKEN_QUOTED, false) &&
        !grammar_accepts(parser, TOKEN_WITH, false)) {
        error_hint(err,
                   "Something is missing before %s; to use the word as a name, quote it: "
                   "\"%.*s\".",
                   word, SLICE_FORMAT(found->text));
        return true;
    }
    if (progress->previous_is_name && progress->after_comma) {
        error_hint(err, "The comma before %.*s makes it a name: is the comma one too many?",
                   SLICE_FORMAT(progress->previous.text));
        return true;
    }
    if (progress->previous_is_name) {
        error_hint(err, "%.*s is read as a name here: is something missing before it?",
                   SLICE_FORMAT(progress->previous.text));
        return true;
    }
    if (grammar_accepts(parser, TOKEN_RP, false) || grammar_accepts(parser, TOKEN_RB, false)) {
        bool list = grammar_accepts(parser, TOKEN_RB, false);
        error_hint(err, "The %s before it is not closed.", list ? "[" : "(");
        return true;
    }
    if (!form || !(is_clause(found->kind) || found->kind == LEXER_END))
        return false;
    if (found->kind == TOKEN_WITH && progress->seen[TOKEN_WITH])
        error_hint(err, "Write all attributes after one WITH, separated by commas.");
    else if (progress->seen[found->kind] && clauses_have(progress->verb, found->kind))
        error_hint(err, "A statement has one %s: leave one of the two out.", word);
    else
        error_hint(err, "The form is: %s.", form);
    return true;
}

/* WITH epochs 5, WITH (epochs = 5), LinearClassifier(epochs = 5), WITH hidden_units = 64, 32 */
static bool hint_attribute(const struct yyParser *parser, const struct progress *progress,
                           const struct token *found, struct error *err)
{
    const int previous = progress->previous.kind;
    const bool is_in_with = progress->clause == TOKEN_WITH && progress->parentheses == 0;

    if (found->kind == TOKEN_LP && previous == TOKEN_ESTIMATOR)
        error_hint(err, "Attributes follow WITH: TO TRAIN %.*s WITH name = value, ...",
                   SLICE_FORMAT(progress->previous.text));
    else if (found->kind == TOKEN_LP && previous == TOKEN_WITH)
        error_hint(err, "Attributes stand without parentheses: WITH name = value, ...");
    else if (found->kind == TOKEN_NUMBER && previous == TOKEN_COMMA && is_in_with &&
             grammar_accepts(parser, TOKEN_NAME, false))
        error_hint(err, "A list is written in brackets: [64, 32].");
    else if (is_in_with && grammar_accepts(parser, TOKEN_EQ, false) &&
             !progress->previous_is_name && !slice_is(found->text, "=="))
        error_hint(err, "An attribute is written name = value.");
    else
        return false;
    return true;
}

/* A parameter of the database's: ?, :name, @name or $1. */
static bool is_parameter(const struct token *found)
{
    return found->kind == TOKEN_OPERATOR && found->text.size == 1 &&
           strchr("?:@$", found->text.data[0]);
}

/* Is a column named here, in COLUMN or LABEL? */
static bool names_column(const struct progress *progress)
{
    return progress->clause == TOKEN_COLUMN || progress->clause == TOKEN_LABEL;
}

/* Is a table or a model named here, in INTO or USING? */
static bool names_table(const struct progress *progress)
{
    return progress->clause == TOKEN_INTO || progress->clause == TOKEN_USING;
}

/* Words in capitals are rather meant as keywords. */
static bool has_small_letter(struct slice text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] >= 'a' && text.data[i] <= 'z')
            return true;
    return false;
}

/* INTO 'my model', INTO my model, LABEL Churned? */
static bool hint_quotes(const struct yyParser *parser, const struct progress *progress,
                        const struct token *found, struct error *err)
{
    const struct token *previous = &progress->previous;
    const bool is_name = names_column(progress) || names_table(progress);
    const bool is_word =
        found->kind == TOKEN_NAME || (keyword_spelling(found->kind) &&
                                      !keyword_is_reserved(found->kind) && !is_clause(found->kind));
    const bool is_joined = previous->kind == TOKEN_NAME &&
                           found->text.data == previous->text.data + previous->text.size;

    if (!is_name || progress->parentheses > 0 || found->kind == TOKEN_LP)
        return false;
    if (found->kind == TOKEN_STRING && grammar_accepts(parser, TOKEN_QUOTED, false) &&
        !grammar_accepts(parser, TOKEN_STRING, false))
        error_hint(err, "A name is written in double quotes: \"%.*s\".",
                   (int)slice_prefix(found->text, 100).size - 2, found->text.data + 1);
    else if (is_joined && found->kind == TOKEN_OPERATOR)
        error_hint(err,
                   "A name with other characters than letters, digits and _ is written in double "
                   "quotes: \"%.*s%.*s\".",
                   SLICE_FORMAT(slice_prefix(previous->text, 100)),
                   SLICE_FORMAT(slice_prefix(found->text, 100)));
    else if (is_word && has_small_letter(found->text) && previous->kind == TOKEN_NAME &&
             (progress->clause == TOKEN_LABEL || !grammar_accepts(parser, TOKEN_COMMA, false)))
        error_hint(err, "A name of two words is written in double quotes: \"%.*s %.*s\".",
                   SLICE_FORMAT(slice_prefix(previous->text, 100)),
                   SLICE_FORMAT(slice_prefix(found->text, 100)));
    else
        return false;
    return true;
}

/* Hints at tokens that can neither begin a value or a name, nor continue one. */
static bool hint_value(const struct yyParser *parser, const struct progress *progress,
                       const struct token *found, struct error *err)
{
    if (found->kind == TOKEN_DOT && names_column(progress))
        error_hint(err, "Columns are named as the query's result names them, without a table.");
    else if (is_parameter(found) && grammar_accepts(parser, TOKEN_NAME, false) &&
             progress->previous.kind != TOKEN_DOT)
        error_hint(err, "Parameters are bound in the SELECT alone: write the value here.");
    else if (slice_is(found->text, "%") && progress->previous.kind == TOKEN_NUMBER)
        error_hint(err, "A percentage is written as a share: 0.2 for 20 of 100.");
    else if ((found->kind == TOKEN_STRING || found->kind == TOKEN_QUOTED) &&
             grammar_accepts(parser, TOKEN_ESTIMATOR, false))
        error_hint(err, "A model's name stands without quotes.");
    else if (found->kind == TOKEN_COMMA && progress->clause == TOKEN_LABEL &&
             grammar_accepts(parser, TOKEN_INTO, false))
        error_hint(err, "LABEL names one column here; TO TRAIN alone takes several.");
    else if (found->kind == TOKEN_MINUS && names_table(progress) &&
             grammar_accepts(parser, LEXER_END, false))
        error_hint(err,
                   "A name with other characters than letters, digits and _ is written in quotes: "
                   "\"my-model\".");
    else if (slice_is_fold(found->text, "SELECT") && grammar_accepts(parser, LEXER_END, false))
        error_hint(err, "Statements are separated by semicolons.");
    else
        return false;
    return true;
}

static void hint_symbol(const struct yyParser *parser, const struct progress *progress,
                        const struct token *found, struct error *err)
{
    if (found->kind == TOKEN_LP && grammar_accepts(parser, TOKEN_LB, false))
        error_hint(err, "A list is written in brackets: [16, 16].");
    else if (found->kind == TOKEN_OPERATOR && slice_is(found->text, "==") &&
             grammar_accepts(parser, TOKEN_EQ, false))
        error_hint(err, "Write =.");
    else if (found->kind == TOKEN_DOT)
        error_hint(err, "A name has at most three parts: database.schema.table.");
    else if (found->kind == TOKEN_DOLLAR)
        error_hint(err, "Text is written in quotes; a quote inside it is written twice.");
    else if (found->kind == TOKEN_NAME && grammar_accepts(parser, TOKEN_STRING, false) &&
             !grammar_accepts(parser, TOKEN_NUMBER, false))
        error_hint(err, "Text is written in quotes.");
    else if (found->kind == TOKEN_NAME && grammar_accepts(parser, TOKEN_COMMA, false) &&
             progress->clause == TOKEN_WITH)
        error_hint(err, "Attributes are separated by commas, and text of more than one word is "
                        "written in quotes.");
    else if (found->kind == TOKEN_NAME && grammar_accepts(parser, TOKEN_COMMA, false) &&
             progress->clause == TOKEN_COLUMN && progress->parentheses == 0)
        error_hint(err, "Columns are separated by commas.");
}

enum status fail_syntax(const struct yyParser *parser, const struct progress *progress,
                        const struct token *found, struct error *err)
{
    const char *items[ITEMS_MAX];
    size_t count = list_expected(parser, progress, items);
    enum status status;
    struct text message;

    text_init(&message, TEXT_MAXIMUM);
    text_append_string(&message, "expected ");
    append_items(&message, items, count);
    append_after(&message, progress);
    text_append_string(&message, ", found ");
    append_found(&message, progress, found);
    status = message.failed
                 ? fail_no_memory(err)
                 : fail_at(err, STATUS_SYNTAX, found->position, "%s", text_string(&message));
    text_deinit(&message);
    if (status == STATUS_SYNTAX && !expect_word(parser, progress, found, err) &&
        !hint_nearest(found, items, count, err) && !hint_attribute(parser, progress, found, err) &&
        !hint_quotes(parser, progress, found, err) && !hint_value(parser, progress, found, err) &&
        !hint_clause(parser, progress, found, err))
        hint_symbol(parser, progress, found, err);
    return status;
}

void fail_syntax_unexplained(struct parse *parse)
{
    if (parse->status == STATUS_OK)
        parse->status = fail(parse->err, STATUS_SYNTAX, "the statement cannot be parsed");
}
