#include "report/card.h"

size_t card_rows_shown(size_t rows)
{
    return rows < CARD_ROWS_MAX ? rows : CARD_ROWS_MAX;
}

size_t card_row_at(size_t rows, size_t place)
{
    const size_t shown = card_rows_shown(rows);

    return shown < 2 ? place : place * (rows - 1) / (shown - 1);
}

void card_deinit(struct card *card)
{
    for (size_t i = 0; i < card->section_count; i++)
        text_deinit(&card->sections[i].picture);
    arena_deinit(&card->arena);
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
