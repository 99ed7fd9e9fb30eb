#include "report/picture_kinds.h"

#include <math.h>
#include <stdio.h>

#define NAME_BYTES_MAX 30 /* the name of an input, left of its bar */
#define BARS_LEFT      200.0
#define BARS_RIGHT     425.0 /* values of eleven signs are beside it */
#define BAR_HEIGHT     22.0
#define NOISE          1e-9 /* smaller shares of the greatest bar are 0 that was rounded */

/* Bars of one column by the inputs of another. */
struct bars {
    size_t input, value, deviation; /* deviation: SIZE_MAX: there is none */
    struct axis axis;
};

static double bar_end(const struct bars *bars, double value)
{
    return BARS_LEFT + (value - bars->axis.least) / (bars->axis.greatest - bars->axis.least) *
                           (BARS_RIGHT - BARS_LEFT);
}

static double deviation_of(const struct drawing *drawing, const struct bars *bars, size_t row)
{
    const double deviation = bars->deviation == SIZE_MAX
                                 ? 0
                                 : cell_number(drawing_cell(drawing->table, row, bars->deviation));

    return isfinite(deviation) ? deviation : 0;
}

static void draw_bar(const struct drawing *drawing, size_t row, const struct bars *bars, double y)
{
    double value = cell_number(drawing_cell(drawing->table, row, bars->value));
    const double deviation = deviation_of(drawing, bars, row);
    struct slice name = drawing_cell(drawing->table, row, bars->input)->text;
    struct text words;

    svg_words(drawing->svg, BARS_LEFT - 8, y + 13, SVG_END, "", slice_prefix(name, NAME_BYTES_MAX));
    if (!isfinite(value))
        return;
    if (fabs(value) < NOISE * (bars->axis.greatest - bars->axis.least))
        value = 0;
    svg_box(drawing->svg, (struct svg_point){fmin(bar_end(bars, 0), bar_end(bars, value)), y + 2},
            fabs(bar_end(bars, value) - bar_end(bars, 0)), 14, 1, "a");
    if (deviation > 0)
        svg_line(drawing->svg, (struct svg_point){bar_end(bars, value - deviation), y + 9},
                 (struct svg_point){bar_end(bars, value + deviation), y + 9}, "ink");
    text_init(&words, PICTURE_WORDS_MAX);
    text_append_rounded(&words, value);
    svg_words(drawing->svg, BARS_RIGHT + 8, y + 13, SVG_START, "", text_slice(&words));
    text_deinit(&words);
}

/* The axis has all bars with their deviations, and 0. */
static void reach_bars(const struct drawing *drawing, size_t shown, struct bars *bars)
{
    bars->axis = (struct axis){0, 0};
    for (size_t row = 0; row < shown; row++) {
        const double value = cell_number(drawing_cell(drawing->table, row, bars->value));
        const double deviation = deviation_of(drawing, bars, row);

        if (!isfinite(value))
            continue;
        bars->axis.least = fmin(bars->axis.least, value - deviation);
        bars->axis.greatest = fmax(bars->axis.greatest, value + deviation);
    }
    if (!(bars->axis.greatest > bars->axis.least))
        bars->axis.greatest = 1;
}

static enum status draw_bars(const struct drawing *drawing, struct bars *bars, const char *what,
                             struct error *err)
{
    const size_t rows = drawing->table->row_count;
    const size_t shown = rows < PICTURE_INPUTS_MAX ? rows : PICTURE_INPUTS_MAX;
    char more[96] = "";

    TRY(drawing_find_column(drawing->table, "input", &bars->input, err));
    TRY(drawing_find_column(drawing->table, "importance", &bars->value, err));
    for (size_t row = 0; row < rows; row++)
        if (drawing_cell(drawing->table, row, bars->input)->type != CELL_TEXT)
            return fail(err, STATUS_INVALID, "the name of an input is no text");
    reach_bars(drawing, shown, bars);
    if (shown < rows)
        snprintf(more, sizeof more, ", the first %zu of %zu inputs", shown, rows);
    drawing_begin(drawing, 40 + BAR_HEIGHT * (double)shown + 12, what, more);
    for (size_t row = 0; row < shown; row++)
        draw_bar(drawing, row, bars, 36 + BAR_HEIGHT * (double)row);
    return STATUS_OK;
}

enum status draw_importance(const struct drawing *drawing, struct error *err)
{
    struct bars bars;
    char what[96] = "importance";
    size_t metric;

    TRY(drawing_find_column(drawing->table, "deviation", &bars.deviation, err));
    if (drawing_find_column(drawing->table, "metric", &metric, err) == STATUS_OK &&
        drawing_cell(drawing->table, 0, metric)->type == CELL_TEXT)
        snprintf(what, sizeof what, "importance: how much worse %.*s is if shuffled",
                 SLICE_FORMAT(slice_prefix(drawing_cell(drawing->table, 0, metric)->text, 24)));
    return draw_bars(drawing, &bars, what, err);
}
