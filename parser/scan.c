#include "parser/scan.h"

#include <string.h>

static char byte_at(struct slice text, int at)
{
    return at >= 0 && (size_t)at < text.size ? text.data[at] : '\0';
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool begins_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

bool scan_is_word_byte(char c)
{
    return begins_word(c) || is_digit(c) || c == '$';
}

struct slice scan_text(struct slice text, const struct scan *scan)
{
    return (struct slice){text.data + scan->start, (size_t)(scan->end - scan->start)};
}

static struct scan scan_blank(struct slice text, int at)
{
    int end = at;

    while ((size_t)end < text.size && is_blank(text.data[end]))
        end++;
    return (struct scan){SCAN_BLANK, at, end, true};
}

static struct scan scan_line_comment(struct slice text, int at)
{
    const char *newline = memchr(text.data + at, '\n', text.size - (size_t)at);
    int end = newline ? (int)(newline - text.data) : (int)text.size;

    return (struct scan){SCAN_COMMENT, at, end, true};
}

static struct scan scan_block_comment(struct slice text, int at)
{
    for (int i = at + 2; (size_t)i + 1 < text.size; i++)
        if (text.data[i] == '*' && text.data[i + 1] == '/')
            return (struct scan){SCAN_COMMENT, at, i + 2, true};
    return (struct scan){SCAN_COMMENT, at, (int)text.size, false};
}

static struct scan scan_word(struct slice text, int at)
{
    int end = at;

    while ((size_t)end < text.size && scan_is_word_byte(text.data[end]))
        end++;
    return (struct scan){SCAN_WORD, at, end, true};
}

static struct scan scan_number(struct slice text, int at)
{
    int end = at;

    while (is_digit(byte_at(text, end)))
        end++;
    if (byte_at(text, end) == '.')
        end++;
    while (is_digit(byte_at(text, end)))
        end++;
    if (byte_at(text, end) == 'e' || byte_at(text, end) == 'E') {
        int sign = byte_at(text, end + 1) == '+' || byte_at(text, end + 1) == '-';
        if (is_digit(byte_at(text, end + 1 + sign)))
            end += 1 + sign;
    }
    while ((size_t)end < text.size && scan_is_word_byte(text.data[end]))
        end++;
    return (struct scan){SCAN_NUMBER, at, end, true};
}

/* From the opening quote at `open`; a doubled quote stands for itself. */
static struct scan scan_quotes(struct slice text, int start, int open, enum scan_kind kind,
                               bool backslashes)
{
    char quote = text.data[open];

    for (int i = open + 1; (size_t)i < text.size; i++) {
        if (backslashes && text.data[i] == '\\')
            i++;
        else if (text.data[i] == quote && byte_at(text, i + 1) == quote)
            i++;
        else if (text.data[i] == quote)
            return (struct scan){kind, start, i + 1, true};
    }
    return (struct scan){kind, start, (int)text.size, false};
}

/* $$...$$ or $tag$...$tag$; a lone $ is a symbol. */
static struct scan scan_dollar(struct slice text, int at)
{
    struct slice rest, tag;
    int open = at + 1;
    const char *close;

    if (begins_word(byte_at(text, open)))
        while (scan_is_word_byte(byte_at(text, open)) && text.data[open] != '$')
            open++;
    if (byte_at(text, open) != '$')
        return (struct scan){SCAN_SYMBOL, at, at + 1, true};
    open++;
    tag = (struct slice){text.data + at, (size_t)(open - at)};
    rest = (struct slice){text.data + open, text.size - (size_t)open};
    close = rest.size ? memmem(rest.data, rest.size, tag.data, tag.size) : NULL;
    if (!close)
        return (struct scan){SCAN_DOLLAR, at, (int)text.size, false};
    return (struct scan){SCAN_DOLLAR, at, (int)(close - text.data + (ptrdiff_t)tag.size), true};
}

struct scan scan_bracket(struct slice text, int at)
{
    const char *close = memchr(text.data + at, ']', text.size - (size_t)at);

    if (!close)
        return (struct scan){SCAN_BRACKET, at, (int)text.size, false};
    return (struct scan){SCAN_BRACKET, at, (int)(close - text.data) + 1, true};
}

static struct scan scan_symbol(struct slice text, int at)
{
    static const char pairs[][3] = {"<=", ">=", "<>", "!=", "==", "||", "::", "->"};
    char first = text.data[at], second = byte_at(text, at + 1);

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i][0] == first && pairs[i][1] == second)
            return (struct scan){SCAN_SYMBOL, at, at + 2, true};
    return (struct scan){SCAN_SYMBOL, at, at + 1, true};
}

struct scan scan_next(struct slice text, int at, enum scan_rules rules)
{
    char c = byte_at(text, at), next = byte_at(text, at + 1);

    if ((size_t)at >= text.size)
        return (struct scan){SCAN_END, at, at, true};
    if (is_blank(c))
        return scan_blank(text, at);
    /* The byte order mark that some editors put at a file's beginning. */
    if (at == 0 && text.size >= 3 && memcmp(text.data, "\xEF\xBB\xBF", 3) == 0)
        return (struct scan){SCAN_BLANK, 0, 3, true};
    if (c == '-' && next == '-')
        return scan_line_comment(text, at);
    if (c == '/' && next == '*')
        return scan_block_comment(text, at);
    if (c == '\'')
        return scan_quotes(text, at, at, SCAN_STRING, rules == SCAN_OURS);
    if (c == '"')
        return scan_quotes(text, at, at, SCAN_QUOTED, rules == SCAN_OURS);
    if (c == '`')
        return scan_quotes(text, at, at, SCAN_BACKTICK, false);
    if (c == '$')
        return scan_dollar(text, at);
    if (is_digit(c) || (c == '.' && is_digit(next)))
        return scan_number(text, at);
    if (rules == SCAN_HOST && (c == 'e' || c == 'E') && next == '\'')
        return scan_quotes(text, at, at + 1, SCAN_STRING, true);
    if (begins_word(c))
        return scan_word(text, at);
    return scan_symbol(text, at);
}
