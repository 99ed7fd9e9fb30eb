#include "report/picture_parts.h"

#include <math.h>
#include <stdlib.h>

#define POINTS_MAX 2000 /* points of a curve that is drawn */

/* ----- the rows ----- */

enum status drawing_find_column(const struct picture_table *table, const char *name, size_t *column,
                                struct error *err)
{
    for (*column = 0; *column < table->column_count; ++*column)
        if (slice_is(table->names[*column], name))
            return STATUS_OK;
    return fail(err, STATUS_INVALID, "the rows have no column %s", name);
}

const struct cell *drawing_cell(const struct picture_table *table, size_t row, size_t column)
{
    return &table->cells[row * table->column_count + column];
}

double cell_number(const struct cell *cell)
{
    if (cell->type == CELL_INTEGER)
        return (double)cell->integer;
    return cell->type == CELL_REAL ? cell->real : NAN;
}

struct slice cell_words(const struct cell *cell, struct text *room)
{
    text_clear(room);
    if (cell->type == CELL_TEXT)
        text_append(room, slice_prefix(cell->text, PICTURE_LABEL_MAX));
    else if (cell->type == CELL_INTEGER)
        text_printf(room, "%lld", (long long)cell->integer);
    else if (cell->type == CELL_REAL)
        text_append_rounded(room, cell->real);
    return text_slice(room);
}

bool cell_is_same(const struct cell *a, const struct cell *b)
{
    if (a->type != b->type)
        return false;
    if (a->type == CELL_NULL)
        return true;
    return a->type == CELL_TEXT ? slice_equal(a->text, b->text) : cell_number(a) == cell_number(b);
}

/* ----- axes ----- */

struct svg_point frame_place(const struct frame *frame, double x, double y)
{
    return (struct svg_point){
        PLOT_LEFT +
            (x - frame->x.least) / (frame->x.greatest - frame->x.least) * (PLOT_RIGHT - PLOT_LEFT),
        PLOT_BOTTOM -
            (y - frame->y.least) / (frame->y.greatest - frame->y.least) * (PLOT_BOTTOM - PLOT_TOP)};
}

double axis_step(const struct axis *axis)
{
    const double rough = (axis->greatest - axis->least) / 5;
    const double power = pow(10, floor(log10(rough)));
    const double times = rough / power;

    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

void axis_widen(struct axis *axis)
{
    if (!(axis->greatest > axis->least)) {
        const double margin = fabs(axis->least) > 0 ? fabs(axis->least) / 2 : 1;
        axis->least -= margin;
        axis->greatest += margin;
    }
}

static void draw_tick(struct text *svg, const struct frame *frame, double value, bool is_x)
{
    const struct svg_point at = is_x ? frame_place(frame, value, frame->y.least)
                                     : frame_place(frame, frame->x.least, value);
    struct text words;

    text_init(&words, PICTURE_WORDS_MAX);
    text_append_rounded(&words, fabs(value) < 1e-12 ? 0 : value);
    if (is_x) {
        svg_line(svg, at, (struct svg_point){at.x, PLOT_TOP}, "grid");
        svg_words(svg, at.x, PLOT_BOTTOM + 18, SVG_MIDDLE, "", text_slice(&words));
    } else {
        svg_line(svg, at, (struct svg_point){PLOT_RIGHT, at.y}, "grid");
        svg_words(svg, PLOT_LEFT - 8, at.y + 4, SVG_END, "", text_slice(&words));
    }
    text_deinit(&words);
}

void frame_draw_axis(struct text *svg, const struct frame *frame, bool is_x)
{
    const struct axis *axis = is_x ? &frame->x : &frame->y;
    const double step = axis_step(axis);
    const double first = ceil(axis->least / step - 1e-9);

    for (int i = 0; i < 12 && (first + i) * step <= axis->greatest + step * 1e-9; i++)
        draw_tick(svg, frame, (first + i) * step, is_x);
}

void frame_draw(struct text *svg, const struct frame *frame, const char *x, const char *y)
{
    frame_draw_axis(svg, frame, true);
    frame_draw_axis(svg, frame, false);
    svg_line(svg, (struct svg_point){PLOT_LEFT, PLOT_BOTTOM},
             (struct svg_point){PLOT_RIGHT, PLOT_BOTTOM}, "ink");
    svg_line(svg, (struct svg_point){PLOT_LEFT, PLOT_BOTTOM},
             (struct svg_point){PLOT_LEFT, PLOT_TOP}, "ink");
    svg_words(svg, (PLOT_LEFT + PLOT_RIGHT) / 2, PICTURE_HEIGHT - 14, SVG_MIDDLE, "", slice_of(x));
    svg_words(svg, PLOT_LEFT - 8, PLOT_TOP - 10, SVG_START, "", slice_of(y));
}

void drawing_begin(const struct drawing *drawing, double height, const char *what, const char *more)
{
    struct text title;

    text_init(&title, 1024);
    text_append(&title, slice_prefix(drawing->model, 40));
    text_printf(&title, ": %s%s", what, more);
    svg_begin(drawing->svg, PICTURE_WIDTH, height, drawing->theme, text_slice(&title));
    svg_words(drawing->svg, 12, 20, SVG_START, "head", text_slice(&title));
    text_deinit(&title);
}

void axis_reach(struct axis *axis, const struct picture_table *table, size_t column)
{
    for (size_t row = 0; row < table->row_count; row++) {
        const double value = cell_number(drawing_cell(table, row, column));
        if (isfinite(value)) {
            axis->least = fmin(axis->least, value);
            axis->greatest = fmax(axis->greatest, value);
        }
    }
}

void drawing_legend(struct text *svg, double x, const char *class, const char *words)
{
    svg_line(svg, (struct svg_point){x, PLOT_TOP - 14}, (struct svg_point){x + 24, PLOT_TOP - 14},
             class);
    svg_words(svg, x + 30, PLOT_TOP - 10, SVG_START, "", slice_of(words));
}

/* ----- curves ----- */

/* The rows whose two cells are numbers, in their order; at most POINTS_MAX, the last one among
 * them. NULL where memory ran out. */
static struct svg_point *points_of(const struct picture_table *table, size_t x, size_t y,
                                   const struct frame *frame, size_t *count)
{
    const size_t stride = table->row_count / POINTS_MAX + 1;
    struct svg_point *points = calloc(table->row_count / stride + 2, sizeof *points);

    *count = 0;
    for (size_t row = 0; points && row < table->row_count; row++) {
        const double at_x = cell_number(drawing_cell(table, row, x));
        const double at_y = cell_number(drawing_cell(table, row, y));
        if ((row % stride == 0 || row + 1 == table->row_count) && isfinite(at_x) && isfinite(at_y))
            points[(*count)++] = frame_place(frame, at_x, at_y);
    }
    return points;
}

enum status drawing_curve(const struct drawing *drawing, size_t x, size_t y,
                          const struct frame *frame, const char *class, struct error *err)
{
    size_t count;
    struct svg_point *points = points_of(drawing->table, x, y, frame, &count);

    if (!points)
        return fail_no_memory(err);
    if (count > 1)
        svg_path(drawing->svg, points, count, class);
    else if (count == 1)
        svg_dot(drawing->svg, points[0], 3, class);
    free(points);
    return STATUS_OK;
}
