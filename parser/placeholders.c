#include "parser/placeholders.h"

#include "base/arena.h"
#include "parser/scan.h"
#include "parser/splitter.h"

#define NUMBER_MAX 65535 /* PostgreSQL's; SQLite takes 32,766 */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Where the parameter that begins at `at` ends; `at` where none does. */
static int end_of(struct slice text, int at, enum placeholder_style style)
{
    const char sigil = text.data[at];
    const bool has_number = sigil == '?' || style == PLACEHOLDERS_POSTGRES;
    int end = at + 1;

    if (style == PLACEHOLDERS_POSTGRES
            ? sigil != '$'
            : sigil != '?' && sigil != ':' && sigil != '@' && sigil != '$')
        return at;
    while ((size_t)end < text.size &&
           (has_number ? is_digit(text.data[end]) : scan_is_word_byte(text.data[end])))
        end++;
    return sigil == '?' || end > at + 1 ? end : at;
}

static int number_of_name(struct slice text, struct slice name, const struct placeholders *found)
{
    for (size_t i = 0; i < found->count; i++) {
        const struct span span = found->places[i].span;
        const struct slice other = {text.data + span.start, (size_t)(span.end - span.start)};

        if (slice_equal(other, name))
            return found->places[i].number;
    }
    return found->most + 1;
}

/* ?5 of SQLite and $5 of PostgreSQL; SQLite's :5 and $5 are names. */
static bool is_numbered(struct slice written, enum placeholder_style style)
{
    return written.size > 1 && written.data[0] == (style == PLACEHOLDERS_POSTGRES ? '$' : '?');
}

static enum status add_placeholder(struct slice text, struct span span,
                                   enum placeholder_style style, struct arena *arena,
                                   struct placeholders *found, struct error *err)
{
    const struct slice written = {text.data + span.start, (size_t)(span.end - span.start)};
    int64_t number = found->most + 1;

    if (!found->places)
        found->places = ARENA_NEW(arena, struct placeholder, PLACEHOLDERS_MAX);
    if (!found->places)
        return fail_no_memory(err);
    if (found->count == PLACEHOLDERS_MAX)
        return fail_at(err, STATUS_LIMIT, span.start, "more than %d parameters", PLACEHOLDERS_MAX);
    if (is_numbered(written, style)) {
        if (!slice_to_integer((struct slice){written.data + 1, written.size - 1}, &number) ||
            number < 1 || number > NUMBER_MAX)
            return fail_at(err, STATUS_INVALID, span.start, "a parameter has a number from 1 to %d",
                           NUMBER_MAX);
    } else if (written.size > 1) {
        number = number_of_name(text, written, found);
    }
    found->places[found->count++] = (struct placeholder){span, (int)number};
    if (number > found->most)
        found->most = (int)number;
    return STATUS_OK;
}

enum status placeholders_find(struct slice text, struct span span, enum placeholder_style style,
                              struct arena *arena, struct placeholders *found, struct error *err)
{
    *found = (struct placeholders){0};
    for (int at = span.start; at < span.end;) {
        const bool is_name = text.data[at] == '[' && style == PLACEHOLDERS_SQLITE;
        const struct scan scan = is_name ? scan_bracket(text, at) : scan_next(text, at, SCAN_HOST);
        const int end =
            scan.kind == SCAN_SYMBOL && scan.end == at + 1 ? end_of(text, at, style) : at;

        if (scan.kind == SCAN_END)
            break;
        if (end > at)
            TRY(add_placeholder(text, (struct span){at, end}, style, arena, found, err));
        at = end > at ? end : scan.end;
    }
    return STATUS_OK;
}

/* A value is kept from a word that it would become a part of. */
static void append_apart(struct slice value, struct text *out)
{
    if (out->size > 0 && scan_is_word_byte(out->data[out->size - 1]))
        text_append_char(out, ' ');
    text_append(out, value);
}

enum status placeholders_of_statement(struct slice statement, enum placeholder_style style,
                                      struct arena *arena, struct placeholders *found,
                                      struct error *err)
{
    const struct piece piece = split_piece(statement, 0);

    *found = (struct placeholders){0};
    if (piece.kind != PIECE_OURS || piece.select_start < 0)
        return STATUS_OK;
    return placeholders_find(statement, (struct span){piece.select_start, piece.select_end}, style,
                             arena, found, err);
}

void placeholders_fill(struct slice text, const struct placeholders *places,
                       const struct slice *values, struct text *out)
{
    size_t at = 0;

    for (size_t i = 0; i < places->count; i++) {
        const struct placeholder *place = &places->places[i];
        const size_t start = (size_t)place->span.start;

        text_append(out, (struct slice){text.data + at, start - at});
        append_apart(values[place->number - 1], out);
        at = (size_t)place->span.end;
        if (at < text.size && scan_is_word_byte(text.data[at]))
            text_append_char(out, ' ');
    }
    text_append(out, (struct slice){text.data + at, text.size - at});
}
