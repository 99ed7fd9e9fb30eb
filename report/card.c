#include "report/card.h"

#include <string.h>

size_t card_rows_shown(const struct card_section *section)
{
    const size_t most = section->rows_max > 0 ? section->rows_max : CARD_ROWS_MAX;

    return section->rows.row_count < most ? section->rows.row_count : most;
}

size_t card_row_at(const struct card_section *section, size_t place)
{
    const size_t shown = card_rows_shown(section);

    return shown < 2 ? place : place * (section->rows.row_count - 1) / (shown - 1);
}

void card_deinit(struct card *card)
{
    for (size_t i = 0; i < card->section_count; i++)
        text_deinit(&card->sections[i].picture);
    arena_deinit(&card->arena);
}

void card_append_heading(struct text *out, struct slice name)
{
    for (size_t i = 0; i < name.size; i++)
        text_append_char(out, name.data[i] == '_' ? ' ' : name.data[i]);
}

void card_append_cell(struct text *out, const struct cell *cell)
{
    if (cell->type == CELL_TEXT)
        text_append(out, cell->text);
    else if (cell->type == CELL_INTEGER)
        text_printf(out, "%lld", (long long)cell->integer);
    else if (cell->type == CELL_REAL)
        text_append_rounded(out, cell->real);
}

struct slice card_measured_words(const struct card *card)
{
    if (card->measured.size == 0)
        return SLICE("Its metrics are those of the backtest of its training");
    if (card->is_flattered)
        return SLICE("Measured on the rows that it was trained on, which flatters the model");
    return SLICE("Measured on the rows of");
}

enum status card_format_of(struct slice file, enum card_format *format, struct error *err)
{
    const char *stroke = memrchr(file.data, '/', file.size);
    const char *name = stroke ? stroke + 1 : file.data;
    const size_t size = (size_t)(file.data + file.size - name);

    *format = slice_ends_fold(file, ".md") || slice_ends_fold(file, ".markdown") ? CARD_MARKDOWN
                                                                                 : CARD_HTML;
    if (*format == CARD_MARKDOWN || !memchr(name, '.', size) || slice_ends_fold(file, ".html") ||
        slice_ends_fold(file, ".htm"))
        return STATUS_OK;
    fail(err, STATUS_INVALID, "the ending of \"%.*s\" names no format of reports",
         SLICE_FORMAT(file));
    return error_hint(err, "Endings are .html and .md.");
}

void card_print(const struct card *card, enum card_format format, struct text *out)
{
    if (format == CARD_MARKDOWN)
        card_print_markdown(card, out);
    else
        card_print_html(card, out);
}
