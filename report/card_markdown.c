#include <string.h>

#include "report/card.h"

/* Words as text: what Markdown or HTML would take for markup is escaped, and a line is no end of a
 * row. */
static void append_words(struct text *out, struct slice words)
{
    static const char special[] = "\\`*{}[]#!|~";

    for (size_t i = 0; i < words.size; i++) {
        const unsigned char c = (unsigned char)words.data[i];

        if (c == '<')
            text_append_string(out, "&lt;");
        else if (c == '>')
            text_append_string(out, "&gt;");
        else if (c == '&')
            text_append_string(out, "&amp;");
        else if (c < ' ' || c == 0x7f)
            text_append_char(out, ' ');
        else if (strchr(special, (int)c))
            text_printf(out, "\\%c", c);
        else
            text_append_char(out, (char)c);
    }
}

static void append_table(const struct card_section *section, struct text *out)
{
    const struct picture_table *rows = &section->rows;
    const size_t shown = card_rows_shown(section);
    struct text words;

    text_init(&words, CARD_BYTES_MAX);
    text_append_char(out, '|');
    for (size_t i = 0; i < rows->column_count; i++) {
        text_clear(&words);
        card_append_heading(&words, rows->names[i]);
        text_append_char(out, ' ');
        append_words(out, text_slice(&words));
        text_append_string(out, " |");
    }
    text_append_string(out, "\n|");
    for (size_t i = 0; i < rows->column_count; i++)
        text_append_string(out, "---|");
    text_append_char(out, '\n');
    for (size_t place = 0; place < shown; place++) {
        const struct cell *cells = &rows->cells[card_row_at(section, place) * rows->column_count];

        text_append_char(out, '|');
        for (size_t i = 0; i < rows->column_count; i++) {
            text_clear(&words);
            card_append_cell(&words, &cells[i]);
            text_append_char(out, ' ');
            append_words(out, text_slice(&words));
            text_append_string(out, " |");
        }
        text_append_char(out, '\n');
    }
    if (shown < rows->row_count)
        text_printf(out, "\n%zu of %zu rows, evenly chosen.\n", shown, rows->row_count);
    text_deinit(&words);
}

/* Each line is indented by four: a block of code that no text in it can end. */
static void append_code(struct text *out, struct slice code)
{
    text_append_string(out, "    ");
    for (size_t i = 0; i < code.size; i++) {
        if (code.data[i] != '\r')
            text_append_char(out, code.data[i]);
        if (code.data[i] == '\n')
            text_append_string(out, "    ");
    }
    text_append_char(out, '\n');
}

static void append_lead(const struct card *card, struct text *out)
{
    text_append_string(out, "# Model card: ");
    append_words(out, card->model);
    text_append_string(out, "\n\n");
    append_words(out, card->estimator);
    if (card->label.size > 0) {
        text_append_string(out, " that predicts **");
        append_words(out, card->label);
        text_append_string(out, "**");
    }
    text_printf(out, " from %zu input%s. Trained on %llu rows, version %lld, ", card->input_count,
                card->input_count == 1 ? "" : "s", (unsigned long long)card->trained_rows,
                (long long)card->version);
    append_words(out, card->created_at);
    text_append_string(out, ".\n\n");
    append_words(out, card_measured_words(card));
    text_append_string(out, card->measured.size > 0 ? ":\n\n" : ".\n");
    if (card->measured.size > 0)
        append_code(out, card->measured);
}

void card_print_markdown(const struct card *card, struct text *out)
{
    append_lead(card, out);
    if (card->notice_count > 0)
        text_append_string(out, "\n## Notices\n\n");
    for (size_t i = 0; i < card->notice_count; i++) {
        text_append_string(out, "- ");
        append_words(out, card->notices[i]);
        text_append_char(out, '\n');
    }
    for (size_t i = 0; i < card->section_count; i++) {
        text_printf(out, "\n## %s\n\n%s\n\n", card->sections[i].title,
                    card->sections[i].explanation);
        append_table(&card->sections[i], out);
    }
    if (card->gap_count > 0)
        text_append_string(out, "\n## Not in this report\n\n");
    for (size_t i = 0; i < card->gap_count; i++) {
        text_printf(out, "- %s: ", card->gaps[i].title);
        append_words(out, card->gaps[i].reason);
        text_append_char(out, '\n');
    }
    text_append_string(out, "\n## How it was made\n\n");
    append_code(out, card->statement);
    text_append_string(out,
                       "\nThe same statement over the same rows gives the same model: digest ");
    append_words(out, card->digest);
    text_append_char(out, '\n');
}
