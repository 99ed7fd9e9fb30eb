#include "definition/syntax.h"

#include "definition/syntax_build.h"
#include "definition/syntax_grammar.h"
#include "parser/scan.h"

#define FOUND_BYTES_MAX 40 /* bytes of a wrong token in a message */

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Words and signs, and how a message calls what a token stands for. */
static const struct {
    int kind;
    const char *spelling, *description;
} words[] = {
    {SYNTAX_FOR, "for", NULL},       {SYNTAX_IN, "in", "in"},
    {SYNTAX_RETURN, "return", NULL}, {SYNTAX_FUNCTION, "function", NULL},
    {SYNTAX_NAME, NULL, "a name"},   {SYNTAX_NUMBER, NULL, "a number"},
    {SYNTAX_EQ, "=", "\"=\""},       {SYNTAX_SEMICOLON, ";", "\";\""},
    {SYNTAX_COMMA, ",", "\",\""},    {SYNTAX_LP, "(", "\"(\""},
    {SYNTAX_RP, ")", "\")\""},       {SYNTAX_LB, "[", NULL},
    {SYNTAX_RB, "]", "\"]\""},       {SYNTAX_LC, "{", "\"{\""},
    {SYNTAX_RC, "}", "\"}\""},       {SYNTAX_PLUS, "+", NULL},
    {SYNTAX_MINUS, "-", NULL},       {SYNTAX_STAR, "*", NULL},
    {SYNTAX_SLASH, "/", NULL},       {0, NULL, "the end of the definition"},
};

struct reading {
    struct slice text;
    struct syntax syntax;
    struct yyParser *grammar;
    struct syntax_token previous;
    int at, depth;
};

struct line_column definition_place(struct slice text, int place)
{
    struct line_column found = {1, 1};

    for (int i = 0; i < place && (size_t)i < text.size; i++) {
        if (text.data[i] == '\n')
            found = (struct line_column){found.line + 1, 1};
        else
            found.column += ((unsigned char)text.data[i] & 0xC0) != 0x80;
    }
    return found;
}

/* ----- tokens ----- */

static int kind_of_word(struct slice word, int other)
{
    for (size_t i = 0; i < COUNT(words); i++)
        if (words[i].spelling && slice_is(word, words[i].spelling))
            return words[i].kind;
    return other;
}

static enum status refuse_sign(const struct syntax_token *token, struct error *err)
{
    fail_at(err, STATUS_SYNTAX, token->place, "\"%.*s\" has no meaning in a definition",
            SLICE_FORMAT(token->text));
    if (slice_is(token->text, "=="))
        return error_hint(err, "Write =.");
    if (slice_is(token->text, ":") || slice_is(token->text, "#"))
        return error_hint(err, "A comment begins with --, and a block stands in braces.");
    return err->status;
}

static enum status check_number(const struct syntax_token *token, struct error *err)
{
    double value;

    if (slice_to_real(token->text, &value))
        return STATUS_OK;
    return fail_at(err, STATUS_SYNTAX, token->place, "\"%.*s\" is not a number",
                   SLICE_FORMAT(slice_prefix(token->text, FOUND_BYTES_MAX)));
}

static enum status next_token(struct reading *reading, struct syntax_token *token,
                              struct error *err)
{
    struct scan scan = scan_next(reading->text, reading->at, SCAN_HOST);

    while (scan.closed && (scan.kind == SCAN_BLANK || scan.kind == SCAN_COMMENT))
        scan = scan_next(reading->text, scan.end, SCAN_HOST);
    reading->at = scan.end;
    *token = (struct syntax_token){0, scan_text(reading->text, &scan), scan.start};
    if (!scan.closed)
        return fail_at(err, STATUS_SYNTAX, scan.start, "this %s has no end",
                       scan.kind == SCAN_COMMENT  ? "comment"
                       : scan.kind == SCAN_STRING ? "text"
                                                  : "name");
    switch (scan.kind) {
    case SCAN_END:
        return STATUS_OK;
    case SCAN_WORD:
        token->kind = kind_of_word(token->text, SYNTAX_NAME);
        return STATUS_OK;
    case SCAN_NUMBER:
        token->kind = SYNTAX_NUMBER;
        return check_number(token, err);
    case SCAN_STRING:
        token->kind = SYNTAX_STRING;
        return token->text.data[0] == '\'' ? STATUS_OK : refuse_sign(token, err);
    case SCAN_QUOTED:
        token->kind = SYNTAX_QUOTED;
        return token->text.size > 2 ? STATUS_OK
                                    : fail_at(err, STATUS_SYNTAX, token->place, "an empty name");
    default:
        token->kind = kind_of_word(token->text, 0);
        return token->kind ? STATUS_OK : refuse_sign(token, err);
    }
}

/* ----- a token that cannot stand at its place ----- */

/* Behind a name that is a value few mean a call, or the name of an argument. */
static bool is_after_name(int kind)
{
    return kind == SYNTAX_LP || kind == SYNTAX_EQ;
}

static void append_expected(const struct reading *reading, struct text *out)
{
    const char *items[COUNT(words) + 1];
    const bool begins_step = syntax_grammar_accepts(reading->grammar, SYNTAX_RETURN, false) &&
                             !syntax_grammar_accepts(reading->grammar, SYNTAX_NUMBER, false);
    const bool begins_value = syntax_grammar_accepts(reading->grammar, SYNTAX_NUMBER, false);
    const bool is_behind_name = reading->previous.kind == SYNTAX_NAME &&
                                syntax_grammar_accepts(reading->grammar, SYNTAX_PLUS, false);
    size_t count = 0;

    if (begins_step)
        items[count++] = "a step";
    else if (begins_value)
        items[count++] = "a value";
    for (size_t i = 0; i < COUNT(words); i++) {
        const bool is_said =
            (begins_step && words[i].kind == SYNTAX_SEMICOLON) ||
            ((begins_step || begins_value) && words[i].kind == SYNTAX_NAME) ||
            (begins_value && (words[i].kind == SYNTAX_NUMBER || words[i].kind == SYNTAX_LP));

        if (words[i].description && !is_said && !(is_behind_name && is_after_name(words[i].kind)) &&
            syntax_grammar_accepts(reading->grammar, words[i].kind, false))
            items[count++] = words[i].description;
    }
    text_append_string(out, "expected ");
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            text_append_string(out, i + 1 == count ? " or " : ", ");
        text_append_string(out, items[i]);
    }
}

static bool is_word(const struct syntax_token *token)
{
    return token->kind == SYNTAX_NAME || token->kind == SYNTAX_FOR || token->kind == SYNTAX_IN ||
           token->kind == SYNTAX_RETURN || token->kind == SYNTAX_FUNCTION;
}

static void hint_token(const struct reading *reading, const struct syntax_token *found,
                       struct error *err)
{
    static const char *const keywords[] = {"for", "function", "return", "in"};
    const struct syntax_token *previous = &reading->previous;
    int nearest = -1;

    if (previous->kind == SYNTAX_NAME && (is_word(found) || found->kind == SYNTAX_NUMBER))
        nearest = text_nearest(previous->text, keywords, COUNT(keywords) - 1);
    if (nearest >= 0)
        error_hint(err, "Did you mean %s?", keywords[nearest]);
    else if (found->kind != SYNTAX_NAME && is_word(found) &&
             syntax_grammar_accepts(reading->grammar, SYNTAX_NAME, false))
        error_hint(err, "%.*s is a word of the language, and no name.", SLICE_FORMAT(found->text));
    else if (is_word(found) && syntax_grammar_accepts(reading->grammar, SYNTAX_SEMICOLON, false))
        error_hint(err, "A step ends with a semicolon.");
    else if (found->kind == SYNTAX_STRING &&
             syntax_grammar_accepts(reading->grammar, SYNTAX_NAME, false))
        error_hint(err, "A name stands without quotes.");
}

static enum status refuse_token(const struct reading *reading, const struct syntax_token *found,
                                struct error *err)
{
    const struct slice shown = slice_prefix(found->text, FOUND_BYTES_MAX);
    struct text message;

    text_init(&message, TEXT_MAXIMUM);
    append_expected(reading, &message);
    if (found->kind)
        text_printf(&message, ", found \"%.*s%s\"", SLICE_FORMAT(shown),
                    shown.size < found->text.size ? "..." : "");
    else
        text_append_string(&message, ", found the end of the definition");
    if (message.failed)
        fail_no_memory(err);
    else
        fail_at(err, STATUS_SYNTAX, found->place, "%s", text_string(&message));
    text_deinit(&message);
    if (err->status == STATUS_SYNTAX)
        hint_token(reading, found, err);
    return err->status;
}

/* ----- the text ----- */

static enum status check_text(struct slice text, struct error *err)
{
    if (text.size > DEFINITION_BYTES_MAX)
        return fail(err, STATUS_LIMIT, "a definition has at most %zu bytes, not %zu",
                    DEFINITION_BYTES_MAX, text.size);
    for (size_t at = 0, size; at < text.size; at += size) {
        size = utf8_sequence(text.data + at, text.size - at);
        if (size == 0 || text.data[at] == '\0')
            return fail_at(err, STATUS_SYNTAX, (int)at, "byte 0x%02x is no text",
                           (unsigned char)text.data[at]);
    }
    return STATUS_OK;
}

static enum status check_depth(struct reading *reading, const struct syntax_token *token,
                               struct error *err)
{
    reading->depth +=
        token->kind == SYNTAX_LP || token->kind == SYNTAX_LB || token->kind == SYNTAX_LC;
    reading->depth -=
        token->kind == SYNTAX_RP || token->kind == SYNTAX_RB || token->kind == SYNTAX_RC;
    return reading->depth <= DEFINITION_DEPTH_MAX
               ? STATUS_OK
               : fail_at(err, STATUS_LIMIT, token->place,
                         "parentheses, brackets and braces are nested deeper than %d",
                         DEFINITION_DEPTH_MAX);
}

static enum status read_all(struct reading *reading, struct error *err)
{
    struct syntax_token token;

    do {
        TRY(next_token(reading, &token, err));
        if (!syntax_grammar_accepts(reading->grammar, token.kind, false))
            return refuse_token(reading, &token, err);
        TRY(check_depth(reading, &token, err));
        syntax_grammar(reading->grammar, token.kind, token);
        reading->previous = token;
        TRY(reading->syntax.status);
    } while (token.kind != 0);
    return STATUS_OK;
}

enum status definition_read(struct slice text, struct arena *arena, struct step **steps,
                            struct error *err)
{
    struct reading reading = {.text = text, .syntax = {.arena = arena, .err = err}};

    *steps = NULL;
    TRY(check_text(text, err));
    reading.grammar = syntax_grammar_new(&reading.syntax);
    if (!reading.grammar)
        return fail_no_memory(err);
    TRY(read_all(&reading, err));
    *steps = reading.syntax.steps;
    return STATUS_OK;
}
