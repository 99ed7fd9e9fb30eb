#include "report/picture_kinds.h"

#include <math.h>
#include <stdio.h>

#define PANEL_WIDTH  258.0
#define PANEL_HEIGHT 170.0
#define PANEL_LEFT   64.0 /* from the panel's edge to its plot */
#define PANEL_RIGHT  246.0
#define PANEL_TOP    26.0
#define PANEL_BOTTOM 134.0
#define WORDS_SHOWN  4 /* below a panel */
#define WORD_BYTES   9
#define DIGITS       3 /* significant ones, of an axis */

struct dependence {
    size_t input, value, word, class, prediction;
    struct axis predictions; /* the same in all panels, which so compare */
};

/* Rows of one input and class, among the rows from `first` to `end`, which are all of this input.
 */
struct panel {
    size_t first, end;
    size_t classes, class; /* rows of a value follow each other by class: how many, and which */
    struct axis values;    /* numbers, or of words their places */
    bool is_of_words;
    struct svg_point corner;
};

static enum status find_columns(const struct picture_table *table, struct dependence *found,
                                struct error *err)
{
    TRY(drawing_find_column(table, "input", &found->input, err));
    TRY(drawing_find_column(table, "value", &found->value, err));
    TRY(drawing_find_column(table, "word", &found->word, err));
    TRY(drawing_find_column(table, "class", &found->class, err));
    TRY(drawing_find_column(table, "prediction", &found->prediction, err));
    found->predictions = (struct axis){INFINITY, -INFINITY};
    axis_reach(&found->predictions, table, found->prediction);
    if (!isfinite(found->predictions.least))
        return fail(err, STATUS_INVALID, "the rows have no predictions");
    axis_widen(&found->predictions);
    return STATUS_OK;
}

static bool has_same(const struct picture_table *table, size_t column, size_t a, size_t b)
{
    return cell_is_same(drawing_cell(table, a, column), drawing_cell(table, b, column));
}

/* The panel of the first class of the input whose rows begin at `first`. */
static struct panel panel_from(const struct picture_table *table, const struct dependence *columns,
                               size_t first)
{
    struct panel panel = {first, first, 1, 0, {INFINITY, -INFINITY}, false, {0, 0}};

    while (panel.end < table->row_count && has_same(table, columns->input, first, panel.end)) {
        const double value = cell_number(drawing_cell(table, panel.end, columns->value));

        if (isfinite(value)) {
            panel.values.least = fmin(panel.values.least, value);
            panel.values.greatest = fmax(panel.values.greatest, value);
        }
        panel.end++;
    }
    while (first + panel.classes < panel.end &&
           !has_same(table, columns->class, first, first + panel.classes))
        panel.classes++;
    panel.is_of_words = !isfinite(panel.values.least);
    if (panel.is_of_words)
        panel.values = (struct axis){-0.5, (double)((panel.end - first) / panel.classes) - 0.5};
    axis_widen(&panel.values);
    return panel;
}

static struct svg_point place_in(const struct panel *panel, const struct axis *predictions,
                                 double value, double prediction)
{
    const struct axis *values = &panel->values;

    return (struct svg_point){panel->corner.x + PANEL_LEFT +
                                  (value - values->least) / (values->greatest - values->least) *
                                      (PANEL_RIGHT - PANEL_LEFT),
                              panel->corner.y + PANEL_BOTTOM -
                                  (prediction - predictions->least) /
                                      (predictions->greatest - predictions->least) *
                                      (PANEL_BOTTOM - PANEL_TOP)};
}

static void draw_number(struct text *svg, struct svg_point at, enum svg_anchor anchor, double value)
{
    struct text words;

    text_init(&words, PICTURE_WORDS_MAX);
    text_append_digits(&words, fabs(value) > 0 ? value : 0, DIGITS); /* not -0 */
    svg_words(svg, at.x, at.y, anchor, "", text_slice(&words));
    text_deinit(&words);
}

/* The least and the greatest number of both axes, and what the panel shows. */
static void draw_panel_axes(const struct drawing *drawing, const struct dependence *columns,
                            const struct panel *panel)
{
    const struct axis *y = &columns->predictions, *x = &panel->values;
    const struct svg_point origin = place_in(panel, y, x->least, y->least);
    const struct svg_point top = place_in(panel, y, x->least, y->greatest);
    const struct svg_point right = place_in(panel, y, x->greatest, y->least);
    const struct cell *class =
        drawing_cell(drawing->table, panel->first + panel->class, columns->class);
    struct text title, word;

    svg_line(drawing->svg, origin, top, "ink");
    svg_line(drawing->svg, origin, right, "ink");
    draw_number(drawing->svg, (struct svg_point){top.x - 6, top.y + 4}, SVG_END, y->greatest);
    draw_number(drawing->svg, (struct svg_point){origin.x - 6, origin.y + 4}, SVG_END, y->least);
    if (!panel->is_of_words) {
        draw_number(drawing->svg, (struct svg_point){origin.x, origin.y + 16}, SVG_START, x->least);
        draw_number(drawing->svg, (struct svg_point){right.x, right.y + 16}, SVG_END, x->greatest);
    }
    text_init(&title, PICTURE_WORDS_MAX);
    text_init(&word, PICTURE_WORDS_MAX);
    text_append(&title,
                cell_words(drawing_cell(drawing->table, panel->first, columns->input), &word));
    if (class->type != CELL_NULL) {
        text_append_string(&title, ", class ");
        text_append(&title, cell_words(class, &word));
    }
    svg_words(drawing->svg, origin.x, panel->corner.y + 14, SVG_START, "", text_slice(&title));
    text_deinit(&word);
    text_deinit(&title);
}

/* Some words are written where there are many; `place` counts the values. */
static void draw_word(const struct drawing *drawing, const struct dependence *columns,
                      const struct panel *panel, size_t row, size_t place, struct svg_point at)
{
    const size_t values = (panel->end - panel->first) / panel->classes;
    const size_t every = (values - 1) / WORDS_SHOWN + 1;
    const struct cell *word = drawing_cell(drawing->table, row, columns->word);

    if (place % every == 0 && word->type == CELL_TEXT)
        svg_words(drawing->svg, at.x, panel->corner.y + PANEL_BOTTOM + 16, SVG_MIDDLE, "",
                  slice_prefix(word->text, WORD_BYTES));
}

static void draw_panel(const struct drawing *drawing, const struct dependence *columns,
                       const struct panel *panel)
{
    struct svg_point last = {0, 0};
    bool has_last = false;
    size_t place = 0;

    draw_panel_axes(drawing, columns, panel);
    for (size_t row = panel->first + panel->class; row < panel->end; row += panel->classes) {
        const double number = cell_number(drawing_cell(drawing->table, row, columns->value));
        const double value = panel->is_of_words ? (double)place : number;
        const double prediction =
            cell_number(drawing_cell(drawing->table, row, columns->prediction));
        const struct svg_point at = place_in(panel, &columns->predictions, value, prediction);

        place++;
        if (!isfinite(value) || !isfinite(prediction))
            continue;
        if (has_last && !panel->is_of_words)
            svg_path(drawing->svg, (struct svg_point[]){last, at}, 2, "a");
        svg_dot(drawing->svg, at, panel->is_of_words ? 4 : 1.5, "a");
        if (panel->is_of_words)
            draw_word(drawing, columns, panel, row, place - 1, at);
        last = at;
        has_last = true;
    }
}

enum status draw_dependence(const struct drawing *drawing, struct error *err)
{
    struct panel panels[PICTURE_PANELS_MAX], next;
    struct dependence columns;
    size_t count = 0, all = 0;
    char more[96] = "";

    TRY(find_columns(drawing->table, &columns, err));
    for (size_t row = 0; row < drawing->table->row_count; row = next.end) {
        next = panel_from(drawing->table, &columns, row);
        all += next.classes;
        for (; next.class < next.classes && count < PICTURE_PANELS_MAX; next.class ++) {
            next.corner = (struct svg_point){PANEL_WIDTH * (double)(count % 2),
                                             32 + PANEL_HEIGHT * (double)(count / 2)};
            panels[count++] = next;
        }
    }
    if (count < all)
        snprintf(more, sizeof more, ", %zu of %zu", count, all);
    drawing_begin(drawing, 40 + PANEL_HEIGHT * (double)((count + 1) / 2),
                  "mean prediction by the value of an input", more);
    for (size_t i = 0; i < count; i++)
        draw_panel(drawing, &columns, &panels[i]);
    return STATUS_OK;
}
