#include "cli/shell/listing.h"

#define MARGIN         2  /* before each line, and between columns */
#define HELP_AT_MAX    36 /* longer names have their help on the next line */
#define HELP_WIDTH_MIN 20 /* a terminal narrower than that has longer lines */
#define PROMPT_ROWS    2  /* the line that was typed, and the prompt below the list */

/* Letters; wide ones are taken for one: a list may be ragged, not wrong. */
static size_t width_of(struct slice text)
{
    size_t width = 0;

    for (size_t i = 0; i < text.size; i++)
        width += ((unsigned char)text.data[i] & 0xC0) != 0x80;
    return width;
}

static void append_blanks(struct text *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        text_append_char(out, ' ');
}

static size_t shown_count(const struct completion *completion)
{
    return completion->count < LISTED_MAX ? completion->count : LISTED_MAX;
}

static size_t widest(const struct completion *completion)
{
    size_t width = 0;

    for (size_t i = 0; i < shown_count(completion); i++) {
        size_t own = width_of(completion->candidates[i].text);
        width = own > width ? own : width;
    }
    return width;
}

static bool has_help(const struct completion *completion)
{
    for (size_t i = 0; i < shown_count(completion); i++)
        if (completion->candidates[i].help.size > 0)
            return true;
    return false;
}

/* Up to the last blank within the room; a longer word is taken whole. */
static size_t break_at(struct slice help, size_t room)
{
    size_t size = room;

    if (help.size <= room)
        return help.size;
    while (size > 0 && help.data[size] != ' ')
        size--;
    for (; size == 0 || (size < help.size && help.data[size] != ' ');)
        size++;
    return size;
}

/* The help in lines that begin at `indent`, broken at blanks; the first line
 * has its indent already. */
static void append_wrapped(struct text *out, struct slice help, size_t indent, size_t columns)
{
    size_t room = columns > indent + HELP_WIDTH_MIN ? columns - indent : HELP_WIDTH_MIN;

    for (;;) {
        size_t size = break_at(help, room);
        text_append(out, (struct slice){help.data, size});
        text_append_char(out, '\n');
        help = slice_trim((struct slice){help.data + size, help.size - size});
        if (help.size == 0)
            return;
        append_blanks(out, indent);
    }
}

static void append_with_help(const struct completion *completion, size_t columns, struct text *out)
{
    size_t width = widest(completion), indent;

    width = width > HELP_AT_MAX ? HELP_AT_MAX : width;
    indent = width + 2 * (size_t)MARGIN;
    for (size_t i = 0; i < shown_count(completion); i++) {
        const struct completion_candidate *candidate = &completion->candidates[i];
        size_t own = width_of(candidate->text);
        append_blanks(out, MARGIN);
        text_append(out, candidate->text);
        if (own > width && candidate->help.size > 0) {
            text_append_char(out, '\n');
            append_blanks(out, indent);
        } else if (candidate->help.size > 0) {
            append_blanks(out, width - own + MARGIN);
        }
        append_wrapped(out, candidate->help, indent, columns);
    }
}

/* In rows, as they are read. */
static void append_side_by_side(const struct completion *completion, size_t columns,
                                struct text *out)
{
    size_t width = widest(completion) + MARGIN, in_row = columns / (width ? width : 1);
    size_t count = shown_count(completion);

    in_row = in_row ? in_row : 1;
    for (size_t i = 0; i < count; i++) {
        bool is_last = i + 1 == count || (i + 1) % in_row == 0;
        append_blanks(out, MARGIN);
        text_append(out, completion->candidates[i].text);
        if (is_last)
            text_append_char(out, '\n');
        else
            append_blanks(out, width - MARGIN - width_of(completion->candidates[i].text));
    }
}

static size_t lines_of(struct slice text)
{
    size_t lines = 0;

    for (size_t i = 0; i < text.size; i++)
        lines += text.data[i] == '\n';
    return lines;
}

/* The helps where all of them fit, else the names alone. */
static void append_what_fits(const struct completion *completion, size_t columns, size_t rows,
                             struct text *out)
{
    const size_t before = out->size;

    append_with_help(completion, columns, out);
    if (out->failed || completion->count == 1 ||
        lines_of((struct slice){out->data + before, out->size - before}) + PROMPT_ROWS <= rows)
        return;
    out->size = before;
    append_side_by_side(completion, columns, out);
    text_append_string(out, "  More letters and Tab: fewer names, with their help.\n");
}

void listing_append(const struct completion *completion, size_t columns, size_t rows,
                    struct text *out)
{
    if (completion->count == 0) {
        append_blanks(out, MARGIN);
        append_wrapped(out, completion->note, MARGIN, columns);
    } else if (has_help(completion)) {
        append_what_fits(completion, columns, rows, out);
    } else {
        append_side_by_side(completion, columns, out);
    }
    if (completion->count > LISTED_MAX)
        text_printf(out, "  and %zu more\n", completion->count - LISTED_MAX);
}
