#include "parser/splitter.h"

#include <limits.h>

#include "parser/parser.h"
#include "parser/scan.h"

#define HEAD_WORDS_MAX 5 /* CREATE OR REPLACE TEMP TRIGGER */

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Statements whose bodies hold semicolons. */
enum body { BODY_NONE, BODY_TRIGGER, BODY_FUNCTION, BODY_RULE };

struct splitter {
    struct slice text;
    struct piece piece;
    struct slice words[HEAD_WORDS_MAX]; /* the leading words, as long as there are only words */
    int word_count, token_count;
    struct slice previous; /* the token before this one; empty at the start */
    int last_end;          /* where it ended */
    int depth;             /* depth of parentheses */
    int brackets;          /* depth of [ in our half, where lists are */
    bool is_query;         /* SELECT or WITH, perhaps after EXPLAIN */
    enum body body;
    bool inside_body; /* between BEGIN and its END */
};

static bool word_is_one_of(struct slice word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (slice_is_fold(word, list[i]))
            return true;
    return false;
}

static bool begins_query(struct slice word)
{
    return slice_is_fold(word, "SELECT") || slice_is_fold(word, "WITH");
}

/* Two words that together are the beginning of a command of ours. */
static bool begins_command(struct slice first, struct slice second)
{
    /* The singular is a mistake that is answered with what there is. */
    static const char *const shown[] = {
        "TRAIN", "MODELS", "MODEL",      "VERSIONS",  "VERSION",     "TRIALS",    "TRIAL",
        "JOBS",  "JOB",    "ATTRIBUTES", "ATTRIBUTE", "DEFINITIONS", "DEFINITION"};
    static const char *const verbs[] = {"TRAIN", "PREDICT",  "EVALUATE", "EXPLAIN",
                                        "RUN",   "MAXIMIZE", "MINIMIZE"};

    if (slice_is_fold(first, "SHOW"))
        return word_is_one_of(second, shown, COUNT(shown));
    if (slice_is_fold(first, "DROP"))
        return slice_is_fold(second, "DEFINITION");
    if (slice_is_fold(first, "CANCEL"))
        return slice_is_fold(second, "JOB");
    if (slice_is_fold(first, "EXPORT") || slice_is_fold(first, "IMPORT"))
        return slice_is_fold(second, "MODEL") || slice_is_fold(second, "DEFINITION");
    if (slice_is_fold(first, "ROLLBACK") || slice_is_fold(first, "REPORT"))
        return slice_is_fold(second, "MODEL");
    /* A SELECT was forgotten: no host has a statement that begins with TO. */
    return slice_is_fold(first, "TO") && word_is_one_of(second, verbs, COUNT(verbs));
}

static void splitter_begin_query(struct splitter *splitter, int start)
{
    splitter->is_query = true;
    splitter->piece.select_start = start;
}

/* Follows the leading words of a statement, one call a word. */
static void splitter_head(struct splitter *splitter, struct slice word, int start)
{
    const struct slice *words = splitter->words;
    bool creates = slice_is_fold(words[0], "CREATE") ||
                   (slice_is_fold(words[0], "EXPLAIN") && slice_is_fold(words[1], "CREATE"));

    if (splitter->word_count == 1 && begins_query(word))
        splitter_begin_query(splitter, start);
    else if (splitter->word_count == 1 &&
             (slice_is_fold(word, "FORECAST") || slice_is_fold(word, "DEFINE")))
        splitter->piece.kind = PIECE_OURS; /* no host has a statement that begins so */
    else if (splitter->word_count == 2 && slice_is_fold(words[0], "EXPLAIN") && begins_query(word))
        splitter_begin_query(splitter, start);
    else if (splitter->word_count == 2 && begins_command(words[0], word))
        splitter->piece.kind = PIECE_OURS;
    else if (creates && !splitter->body && slice_is_fold(word, "TRIGGER"))
        splitter->body = BODY_TRIGGER;
    else if (creates && !splitter->body &&
             (slice_is_fold(word, "FUNCTION") || slice_is_fold(word, "PROCEDURE")))
        splitter->body = BODY_FUNCTION;
    else if (creates && !splitter->body && slice_is_fold(word, "RULE"))
        splitter->body = BODY_RULE;
}

/* A trigger's BEGIN or a function's BEGIN ATOMIC opens its body; an END that
 * follows a semicolon closes it, as in sqlite3_complete(): the END of a CASE
 * follows an expression. */
static void splitter_body(struct splitter *splitter, struct slice word)
{
    bool begun = slice_is_fold(splitter->previous, "BEGIN");

    if (splitter->inside_body) {
        bool first = slice_is(splitter->previous, ";") || begun ||
                     slice_is_fold(splitter->previous, "ATOMIC");
        if (slice_is_fold(word, "END") && first)
            splitter->inside_body = false;
    } else if (splitter->body == BODY_TRIGGER && slice_is_fold(word, "BEGIN")) {
        splitter->inside_body = true;
    } else if (splitter->body == BODY_FUNCTION && begun && slice_is_fold(word, "ATOMIC")) {
        splitter->inside_body = true;
    }
}

static struct slice next_word(struct slice text, int at)
{
    struct scan scan = scan_next(text, at, SCAN_HOST);

    while (scan.kind == SCAN_BLANK || scan.kind == SCAN_COMMENT)
        scan = scan_next(text, scan.end, SCAN_HOST);
    return scan.kind == SCAN_WORD ? scan_text(text, &scan) : (struct slice){NULL, 0};
}

/* The few places where PostgreSQL's own SELECT has a bare TO:
 * SIMILAR TO, AS to, and INTERVAL '1' DAY TO SECOND. */
static bool to_is_the_hosts(const struct splitter *splitter, const struct scan *scan)
{
    static const char *const from[] = {"YEAR", "DAY", "HOUR", "MINUTE"};
    static const char *const upto[] = {"MONTH", "HOUR", "MINUTE", "SECOND"};

    if (slice_is_fold(splitter->previous, "SIMILAR") || slice_is_fold(splitter->previous, "AS"))
        return true;
    return word_is_one_of(splitter->previous, from, COUNT(from)) &&
           word_is_one_of(next_word(splitter->text, scan->end), upto, COUNT(upto));
}

static void splitter_word(struct splitter *splitter, const struct scan *scan)
{
    struct slice word = scan_text(splitter->text, scan);

    if (splitter->token_count == splitter->word_count && splitter->word_count < HEAD_WORDS_MAX) {
        splitter->words[splitter->word_count++] = word;
        splitter_head(splitter, word, scan->start);
    }
    if (slice_is(splitter->previous, "."))
        return;
    splitter_body(splitter, word);
    if (splitter->is_query && splitter->piece.kind != PIECE_OURS && splitter->depth == 0 &&
        slice_is_fold(word, "TO") && !to_is_the_hosts(splitter, scan)) {
        splitter->piece.kind = PIECE_OURS;
        splitter->piece.to_position = scan->start;
        splitter->piece.select_end = splitter->last_end;
    }
}

static void splitter_symbol(struct splitter *splitter, char symbol)
{
    bool ours = splitter->piece.kind == PIECE_OURS;

    if (symbol == '(')
        splitter->depth++;
    else if (symbol == ')' && splitter->depth > 0)
        splitter->depth--;
    else if (symbol == '[' && ours)
        splitter->brackets++;
    else if (symbol == ']' && ours && splitter->brackets > 0)
        splitter->brackets--;
}

/* SQLite's [a name] begins like PostgreSQL's subscript, which follows a value
 * directly: t.a[1], (f(x))[1], ARRAY[[1]]. */
static bool bracket_is_subscript(const struct splitter *splitter, int at)
{
    char before = at > splitter->piece.span.start ? splitter->text.data[at - 1] : ' ';

    return scan_is_word_byte(before) || before == ']' || before == ')' || before == '[' ||
           before == '"';
}

static struct scan splitter_scan(const struct splitter *splitter, int at)
{
    bool ours = splitter->piece.kind == PIECE_OURS;

    if (!ours && (size_t)at < splitter->text.size && splitter->text.data[at] == '[' &&
        !bracket_is_subscript(splitter, at))
        return scan_bracket(splitter->text, at);
    return scan_next(splitter->text, at, ours ? SCAN_OURS : SCAN_HOST);
}

/* A semicolon ends the piece, except inside a body, and in the parentheses of
 * CREATE RULE. Elsewhere an unclosed parenthesis is a mistake that should not
 * swallow the statements behind it. */
static bool splitter_ends(const struct splitter *splitter, const struct scan *scan)
{
    return scan->kind == SCAN_SYMBOL && splitter->text.data[scan->start] == ';' &&
           !splitter->inside_body && !(splitter->body == BODY_RULE && splitter->depth > 0);
}

static void splitter_token(struct splitter *splitter, const struct scan *scan)
{
    if (splitter->token_count == 0) {
        splitter->piece.kind = PIECE_SQL;
        splitter->piece.span.start = scan->start;
    }
    if (scan->kind == SCAN_WORD)
        splitter_word(splitter, scan);
    else if (scan->kind == SCAN_SYMBOL)
        splitter_symbol(splitter, splitter->text.data[scan->start]);
    splitter->token_count++;
    splitter->previous = scan_text(splitter->text, scan);
    splitter->last_end = scan->end;
}

static void splitter_finish(struct splitter *splitter, int end, bool closed)
{
    struct piece *piece = &splitter->piece;

    if (piece->kind == PIECE_EMPTY)
        piece->span.start = splitter->last_end = end;
    piece->span.end = splitter->last_end;
    if (piece->to_position < 0)
        piece->select_start = -1;
    piece->next = piece->terminated ? end + 1 : end;
    piece->open = !piece->terminated && (!closed || splitter->depth > 0 || splitter->brackets > 0 ||
                                         splitter->inside_body);
}

struct piece split_piece(struct slice text, int from)
{
    struct splitter splitter = {.text = text, .piece = {.kind = PIECE_EMPTY}};
    struct scan scan;
    bool closed = true;

    if (text.size > INT_MAX)
        splitter.text.size = INT_MAX;
    splitter.piece.select_start = splitter.piece.select_end = splitter.piece.to_position = -1;
    from = from < 0 ? 0 : from;
    if ((size_t)from > splitter.text.size)
        from = (int)splitter.text.size;
    for (scan = splitter_scan(&splitter, from); scan.kind != SCAN_END;
         scan = splitter_scan(&splitter, scan.end)) {
        closed = scan.closed;
        if (splitter_ends(&splitter, &scan)) {
            splitter.piece.terminated = true;
            break;
        }
        if (scan.kind != SCAN_BLANK && scan.kind != SCAN_COMMENT)
            splitter_token(&splitter, &scan);
    }
    splitter_finish(&splitter, scan.start, closed);
    return splitter.piece;
}
