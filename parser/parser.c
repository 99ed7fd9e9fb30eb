#include "parser/parser.h"

#include <limits.h>

#include "parser/clauses.h"
#include "parser/expect.h"
#include "parser/grammar.h"
#include "parser/grammar_driver.h"
#include "parser/splitter.h"

/* Everything that one parse needs; on the stack of parse_ours(). */
struct driver {
    struct parse parse;
    struct lexer lexer;
    struct progress progress;
    struct yyParser *grammar;
    int depth; /* depth of parentheses and brackets together */
};

static enum status check_bytes(struct slice text, struct span span, struct error *err)
{
    int at = span.start;

    while (at < span.end) {
        const unsigned char *byte = (const unsigned char *)text.data + at;
        size_t size = utf8_sequence((const char *)byte, (size_t)(span.end - at));
        if (*byte == '\0')
            return fail_at(err, STATUS_SYNTAX, at, "a statement cannot hold a NUL byte");
        if (size == 0)
            return fail_at(err, STATUS_SYNTAX, at, "byte 0x%02x is not UTF-8", *byte);
        at += (int)size;
    }
    return STATUS_OK;
}

static enum lexer_want lexer_want(const struct yyParser *grammar)
{
    if (grammar_accepts(grammar, TOKEN_ESTIMATOR, false))
        return grammar_accepts(grammar, TOKEN_IF, false) ? LEXER_DEFINITION : LEXER_MODEL;
    if (grammar_accepts(grammar, TOKEN_IMAGE, false))
        return LEXER_IMAGE;
    if (grammar_accepts(grammar, TOKEN_NAME, false) && !grammar_accepts(grammar, TOKEN_LB, false))
        return LEXER_BRACKET_NAME;
    return LEXER_ANY;
}

static enum status check_depth(struct driver *driver, const struct token *token)
{
    driver->depth += token->kind == TOKEN_LP || token->kind == TOKEN_LB;
    driver->depth -= token->kind == TOKEN_RP || token->kind == TOKEN_RB;
    if (driver->depth > STATEMENT_DEPTH_MAX)
        return fail_at(driver->parse.err, STATUS_LIMIT, token->position,
                       "parentheses and brackets are nested deeper than %d", STATEMENT_DEPTH_MAX);
    return STATUS_OK;
}

static enum status driver_feed(struct driver *driver, struct token token)
{
    bool as_keyword = grammar_accepts(driver->grammar, token.kind, false);

    if ((as_keyword && !clauses_allow(&driver->progress, token.kind)) ||
        (!as_keyword && !grammar_accepts(driver->grammar, token.kind, true)))
        return fail_syntax(driver->grammar, &driver->progress, &token, driver->parse.err);
    TRY(check_depth(driver, &token));
    grammar(driver->grammar, token.kind, token);
    progress_token(&driver->progress, &token, as_keyword);
    return driver->parse.status;
}

static enum status driver_feed_next(struct driver *driver, struct token *token)
{
    TRY(lexer_next(&driver->lexer, lexer_want(driver->grammar), token, driver->parse.err));
    return driver_feed(driver, *token);
}

/* EXPLAIN, if it is there, and the SELECT half as one token. */
static enum status driver_feed_query(struct driver *driver, const struct piece *piece)
{
    struct slice text = driver->parse.text;
    struct token token = {.kind = TOKEN_SELECT, .position = piece->select_start};

    if (piece->select_start > piece->span.start)
        TRY(driver_feed_next(driver, &token));
    token = (struct token){
        TOKEN_SELECT,
        {text.data + piece->select_start, (size_t)(piece->select_end - piece->select_start)},
        piece->select_start};
    if (slice_is_fold(token.text, "SELECT") || slice_is_fold(token.text, "WITH"))
        return fail_at(driver->parse.err, STATUS_SYNTAX, piece->to_position,
                       "expected columns and a table after %.*s, found \"TO\"",
                       SLICE_FORMAT(token.text));
    TRY(driver_feed(driver, token));
    driver->lexer.at = piece->to_position;
    return STATUS_OK;
}

static enum status driver_run(struct driver *driver, const struct piece *piece)
{
    struct slice text = driver->parse.text;
    char first = text.data[piece->span.start];
    struct token token;

    if (piece->select_start < 0 && (first == 'T' || first == 't')) {
        fail_at(driver->parse.err, STATUS_SYNTAX, piece->span.start,
                "expected SELECT ... before TO");
        return error_hint(driver->parse.err,
                          "The query for the rows comes first: SELECT * FROM table TO ...");
    }
    if (piece->select_start >= 0)
        TRY(driver_feed_query(driver, piece));
    do {
        TRY(driver_feed_next(driver, &token));
    } while (token.kind != LEXER_END);
    return STATUS_OK;
}

static void statement_init(struct statement *statement, enum statement_kind kind, struct span span)
{
    const struct name none = {.position = -1};

    *statement = (struct statement){.kind = kind, .span = span};
    statement->select_position = -1;
    statement->verb_position = span.start;
    statement->model = statement->label = statement->explainer = none;
    statement->format = statement->image = none;
}

static enum status parse_ours(struct slice text, const struct piece *piece, struct arena *arena,
                              struct statement *statement, struct error *err)
{
    struct driver driver = {
        .parse = {.arena = arena, .text = text, .statement = statement, .err = err},
        .lexer = {.text = text, .at = piece->span.start, .end = piece->span.end}};

    /* A comment may be open at the end, which the span leaves out. */
    if (piece->open)
        driver.lexer.end = piece->next;

    driver.grammar = grammar_new(&driver.parse);
    if (!driver.grammar)
        return fail_no_memory(err);
    return driver_run(&driver, piece);
}

static enum status parse_sql(struct slice text, const struct piece *piece, struct arena *arena,
                             struct statement *statement, struct error *err)
{
    struct slice source = {text.data + piece->span.start,
                           (size_t)(piece->span.end - piece->span.start)};

    statement->select_position = piece->span.start;
    statement->select = arena_copy(arena, source);
    return statement->select.data ? STATUS_OK : fail_no_memory(err);
}

enum status parse_piece(struct slice text, const struct piece *piece, struct arena *arena,
                        struct statement *statement, struct error *err)
{
    size_t size = (size_t)(piece->span.end - piece->span.start);
    bool ours = piece->kind == PIECE_OURS;

    statement_init(statement, STATEMENT_SQL, piece->span);
    error_clear(err);
    if (piece->kind == PIECE_EMPTY)
        return fail_at(err, STATUS_SYNTAX, piece->span.start, "there is no statement");
    if (ours && size > STATEMENT_BYTES_MAX)
        return fail_at(err, STATUS_LIMIT, piece->span.start,
                       "the statement has %zu bytes, where at most %zu are read", size,
                       STATEMENT_BYTES_MAX);
    TRY(check_bytes(text, piece->span, err));
    if (ours)
        return parse_ours(text, piece, arena, statement, err);
    return parse_sql(text, piece, arena, statement, err);
}

enum status parse_statement(struct slice text, struct arena *arena, struct statement *statement,
                            struct error *err)
{
    struct piece piece = split_piece(text, 0);

    while (piece.kind == PIECE_EMPTY && piece.terminated)
        piece = split_piece(text, piece.next);
    TRY(parse_piece(text, &piece, arena, statement, err));
    while (piece.terminated) {
        piece = split_piece(text, piece.next);
        if (piece.kind != PIECE_EMPTY)
            return fail_at(err, STATUS_SYNTAX, piece.span.start,
                           "a second statement begins here, where one is expected"),
                   error_hint(err, "Run them one at a time.");
    }
    return STATUS_OK;
}
