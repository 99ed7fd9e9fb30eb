#include "parser/lexer.h"

#include "parser/grammar.h"
#include "parser/scan.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct {
    const char *spelling;
    int kind;
    bool reserved;
} keywords[] = {
    {"SELECT", TOKEN_SELECT, true},
    {"EXPLAIN", TOKEN_EXPLAIN, false},
    {"TO", TOKEN_TO, true},
    {"TRAIN", TOKEN_TRAIN, false},
    {"PREDICT", TOKEN_PREDICT, false},
    {"EVALUATE", TOKEN_EVALUATE, false},
    {"RUN", TOKEN_RUN, false},
    {"MAXIMIZE", TOKEN_MAXIMIZE, false},
    {"MINIMIZE", TOKEN_MINIMIZE, false},
    {"CONSTRAINT", TOKEN_CONSTRAINT, true},
    {"GROUP", TOKEN_GROUP, true},
    {"BY", TOKEN_BY, false},
    {"CMD", TOKEN_CMD, false},
    {"WITH", TOKEN_WITH, true},
    {"COLUMN", TOKEN_COLUMN, true},
    {"FOR", TOKEN_FOR, true},
    {"LABEL", TOKEN_LABEL, false},
    {"AS", TOKEN_AS, false},
    {"USING", TOKEN_USING, true},
    {"INTO", TOKEN_INTO, true},
    {"SHOW", TOKEN_SHOW, false},
    {"MODELS", TOKEN_MODELS, false},
    {"VERSIONS", TOKEN_VERSIONS, false},
    {"TRIALS", TOKEN_TRIALS, false},
    {"JOBS", TOKEN_JOBS, false},
    {"ATTRIBUTES", TOKEN_ATTRIBUTES, false},
    {"FULL", TOKEN_FULL, false},
    {"CANCEL", TOKEN_CANCEL, false},
    {"JOB", TOKEN_JOB, false},
    {"ROLLBACK", TOKEN_ROLLBACK, false},
    {"MODEL", TOKEN_MODEL, false},
    {"EXPORT", TOKEN_EXPORT, false},
    {"IMPORT", TOKEN_IMPORT, false},
    {"REPORT", TOKEN_REPORT, false},
    {"FROM", TOKEN_FROM, false},
    {"FORMAT", TOKEN_FORMAT, false},
    {"EXCEPT", TOKEN_EXCEPT, false},
    {"EXCLUDE", TOKEN_EXCEPT, false},
    {"LIKE", TOKEN_LIKE, false},
    {"FORECAST", TOKEN_FORECAST, false},
    {"DEFINE", TOKEN_DEFINE, false},
    {"DEFINITION", TOKEN_DEFINITION, false},
    {"DEFINITIONS", TOKEN_DEFINITIONS, false},
    {"DROP", TOKEN_DROP, false},
    {"OR", TOKEN_OR, false},
    {"REPLACE", TOKEN_REPLACE, false},
    {"IF", TOKEN_IF, false},
    {"EXISTS", TOKEN_EXISTS, false},
};

static const struct {
    const char *spelling;
    int kind;
} symbols[] = {
    {",", TOKEN_COMMA}, {".", TOKEN_DOT},  {"=", TOKEN_EQ},    {"(", TOKEN_LP},
    {")", TOKEN_RP},    {"[", TOKEN_LB},   {"]", TOKEN_RB},    {"*", TOKEN_STAR},
    {"-", TOKEN_MINUS}, {"+", TOKEN_PLUS}, {":", TOKEN_COLON},
};

const char *keyword_spelling(int kind)
{
    for (size_t i = 0; i < COUNT(keywords); i++)
        if (keywords[i].kind == kind)
            return keywords[i].spelling;
    return NULL;
}

bool keyword_is_reserved(int kind)
{
    for (size_t i = 0; i < COUNT(keywords); i++)
        if (keywords[i].kind == kind)
            return keywords[i].reserved;
    return false;
}

int token_end(const struct token *token)
{
    return token->position + (int)token->text.size;
}

static int word_kind(struct slice word)
{
    for (size_t i = 0; i < COUNT(keywords); i++)
        if (slice_is_fold(word, keywords[i].spelling))
            return keywords[i].kind;
    return TOKEN_NAME;
}

static int symbol_kind(struct slice symbol)
{
    for (size_t i = 0; i < COUNT(symbols); i++)
        if (slice_is(symbol, symbols[i].spelling))
            return symbols[i].kind;
    return TOKEN_OPERATOR;
}

static enum status unclosed(const struct scan *scan, struct error *err)
{
    switch (scan->kind) {
    case SCAN_COMMENT:
        fail_at(err, STATUS_SYNTAX, scan->start, "this comment has no closing */");
        return error_hint(err, "Comments do not nest; -- begins a comment of one line.");
    case SCAN_STRING:
        fail_at(err, STATUS_SYNTAX, scan->start, "this string has no closing quote '");
        return error_hint(err, "A quote inside a string is written twice: 'it''s'.");
    case SCAN_QUOTED:
        return fail_at(err, STATUS_SYNTAX, scan->start, "no closing quote \" follows");
    case SCAN_BACKTICK:
        return fail_at(err, STATUS_SYNTAX, scan->start, "this name has no closing quote `");
    case SCAN_DOLLAR:
        return fail_at(err, STATUS_SYNTAX, scan->start, "this dollar quote is not closed");
    default:
        return fail_at(err, STATUS_SYNTAX, scan->start, "this name has no closing ]");
    }
}

static bool is_model_byte(char c)
{
    return scan_is_word_byte(c) || c == '.' || c == '/' || c == ':' || c == '@' || c == '-';
}

/* From `start` over everything that a model's or an image's name may hold; a
 * comment ends it. */
static int model_end(struct slice text, int start)
{
    int end = start;

    while ((size_t)end < text.size && is_model_byte(text.data[end])) {
        char c = text.data[end], next = (size_t)end + 1 < text.size ? text.data[end + 1] : '\0';
        if ((c == '-' && next == '-') || (c == '/' && next == '*'))
            break;
        end++;
    }
    return end;
}

static enum status lexer_model(struct lexer *lexer, enum lexer_want want, const struct scan *scan,
                               struct token *token, struct error *err)
{
    struct slice text = {lexer->text.data, (size_t)lexer->end};
    int end = model_end(text, scan->start);
    char last = text.data[end - 1];

    token->kind = want == LEXER_IMAGE ? TOKEN_IMAGE : TOKEN_ESTIMATOR;
    token->text = (struct slice){text.data + scan->start, (size_t)(end - scan->start)};
    lexer->at = end;
    if (!scan_is_word_byte(last))
        return fail_at(err, STATUS_SYNTAX, end - 1, "a name cannot end in \"%c\"", last);
    return STATUS_OK;
}

static enum status lexer_number(const struct scan *scan, struct token *token, struct error *err)
{
    double value;

    token->kind = TOKEN_NUMBER;
    if (slice_to_real(token->text, &value))
        return STATUS_OK;
    fail_at(err, STATUS_SYNTAX, scan->start, "\"%.*s\" is not a number",
            (int)(token->text.size > 40 ? 40 : token->text.size), token->text.data);
    return error_hint(err, "A name that begins with a digit is written in quotes, and so is text.");
}

static int scan_token_kind(const struct scan *scan, struct slice text)
{
    switch (scan->kind) {
    case SCAN_END:
        return LEXER_END;
    case SCAN_WORD:
        return word_kind(text);
    case SCAN_STRING:
        return TOKEN_STRING;
    case SCAN_QUOTED:
        return TOKEN_QUOTED;
    case SCAN_DOLLAR:
        return TOKEN_DOLLAR;
    case SCAN_BACKTICK:
    case SCAN_BRACKET:
        return TOKEN_NAME;
    case SCAN_SYMBOL:
        return symbol_kind(text);
    default:
        return TOKEN_OPERATOR;
    }
}

/* Is the word the beginning of a model's or an image's name? The IF of IF EXISTS is none. */
static bool wants_long_name(enum lexer_want want, int kind)
{
    return want == LEXER_MODEL || want == LEXER_IMAGE ||
           (want == LEXER_DEFINITION && kind != TOKEN_IF);
}

static enum status lexer_read(struct lexer *lexer, enum lexer_want want, struct token *token,
                              struct error *err)
{
    struct slice text = {lexer->text.data, (size_t)lexer->end};
    struct scan scan = scan_next(text, lexer->at, SCAN_OURS);

    while (scan.closed && (scan.kind == SCAN_BLANK || scan.kind == SCAN_COMMENT))
        scan = scan_next(text, scan.end, SCAN_OURS);
    if (want == LEXER_BRACKET_NAME && scan.kind == SCAN_SYMBOL && text.data[scan.start] == '[')
        scan = scan_bracket(text, scan.start);
    if (!scan.closed)
        return unclosed(&scan, err);
    /* The end is where the last token ended, not behind the blanks after it. */
    if (scan.kind == SCAN_END)
        scan.start = scan.end = lexer->at;
    token->text = scan_text(text, &scan);
    token->position = scan.start;
    token->kind = scan_token_kind(&scan, token->text);
    lexer->at = scan.end;
    if (wants_long_name(want, token->kind) &&
        (scan.kind == SCAN_WORD || scan.kind == SCAN_NUMBER) && !keyword_is_reserved(token->kind))
        return lexer_model(lexer, want, &scan, token, err);
    if (scan.kind == SCAN_NUMBER)
        return lexer_number(&scan, token, err);
    if (scan.kind == SCAN_WORD && lexer->previous == TOKEN_DOT)
        token->kind = TOKEN_NAME;
    return STATUS_OK;
}

enum status lexer_next(struct lexer *lexer, enum lexer_want want, struct token *token,
                       struct error *err)
{
    TRY(lexer_read(lexer, want, token, err));
    lexer->previous = token->kind;
    return STATUS_OK;
}
