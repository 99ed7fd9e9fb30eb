#include "report/picture_kinds.h"

#include <math.h>
#include <stdlib.h>

#define TIMES_SHOWN  5   /* below the plot, at most */
#define LETTER_WIDTH 7.5 /* the widest digit, in pixels */
#define EDGE         4.0 /* between a time and the next one, or the picture's edge */

struct forecast_columns {
    size_t time, value, expected, lower, upper;
};

/* A number that is told by its column: words tell a series, and so may numbers. */
static bool is_number(const struct cell *cell)
{
    return cell->type == CELL_NULL || !isnan(cell_number(cell));
}

static bool is_later(const struct cell *time, const struct cell *before)
{
    if (time->type == CELL_TEXT && before->type == CELL_TEXT)
        return slice_compare(time->text, before->text) > 0;
    return cell_number(time) > cell_number(before);
}

/* Regressors vary in a series, whose times rise: those of several series go back somewhere. */
static enum status check_series(const struct picture_table *table, size_t time, struct error *err)
{
    bool vary = false;

    for (size_t row = 1; row < table->row_count; row++)
        for (size_t i = 0; i < time; i++) {
            const struct cell *cell = drawing_cell(table, row, i);

            if (cell_is_same(cell, drawing_cell(table, 0, i)))
                continue;
            if (!is_number(cell) || !is_number(drawing_cell(table, 0, i)))
                return fail(err, STATUS_INVALID, "the rows belong to several series"),
                       error_hint(err, "WHERE in the SELECT picks one of them.");
            vary = true;
        }
    for (size_t row = 1; vary && row < table->row_count; row++)
        if (!is_later(drawing_cell(table, row, time), drawing_cell(table, row - 1, time)))
            return fail(err, STATUS_INVALID,
                        "the rows belong to several series, or not in the order of their times"),
                   error_hint(err, "WHERE in the SELECT picks a series, and ORDER BY the order.");
    return STATUS_OK;
}

static enum status find_forecast(const struct picture_table *table,
                                 struct forecast_columns *columns, struct error *err)
{
    TRY(drawing_find_column(table, "expected", &columns->expected, err));
    TRY(drawing_find_column(table, "lower", &columns->lower, err));
    TRY(drawing_find_column(table, "upper", &columns->upper, err));
    if (columns->expected < 2)
        return fail(err, STATUS_INVALID, "the rows have no time and value before \"expected\""),
               error_hint(err, "The last two columns of the SELECT are the time and the value.");
    columns->value = columns->expected - 1;
    columns->time = columns->expected - 2;
    return check_series(table, columns->time, err);
}

/* The width of the longest time, in pixels. */
static double time_width(const struct picture_table *table, size_t column, struct text *words)
{
    double width = 1;

    for (size_t row = 0; row < table->row_count; row++) {
        const double own =
            LETTER_WIDTH * (double)cell_words(drawing_cell(table, row, column), words).size;

        width = fmax(width, own);
    }
    return width;
}

/* Times below the plot, evenly chosen ones with the first and the last. */
struct times {
    const struct frame *frame;
    size_t rows, shown;
    double width; /* pixels of the longest */
};

static size_t time_row(const struct times *times, size_t place)
{
    return place > 0 ? (times->rows - 1) * place / (times->shown - 1) : 0;
}

/* The middle of the time at a place, which is moved where it would leave the picture. */
static double time_middle(const struct times *times, size_t place)
{
    const double x = frame_place(times->frame, (double)time_row(times, place), 0).x;

    return fmin(fmax(x, EDGE + times->width / 2), PICTURE_WIDTH - EDGE - times->width / 2);
}

static bool times_have_room(const struct times *times)
{
    for (size_t place = 1; place < times->shown; place++)
        if (time_middle(times, place) - time_middle(times, place - 1) < times->width + EDGE)
            return false;
    return true;
}

/* Times are shown as they are written: as many as have room beside each other. */
static void draw_times(const struct drawing *drawing, const struct frame *frame, size_t column)
{
    const size_t rows = drawing->table->row_count;
    struct times times = {frame, rows, rows < TIMES_SHOWN ? rows : TIMES_SHOWN, 0};
    struct text words;

    text_init(&words, PICTURE_WORDS_MAX);
    times.width = time_width(drawing->table, column, &words);
    while (times.shown > 2 && !times_have_room(&times))
        times.shown--;
    for (size_t i = 0; i < times.shown; i++) {
        const size_t row = time_row(&times, i);
        const struct svg_point at = frame_place(frame, (double)row, frame->y.least);

        svg_line(drawing->svg, at, (struct svg_point){at.x, PLOT_TOP}, "grid");
        svg_words(drawing->svg, time_middle(&times, i), PLOT_BOTTOM + 18, SVG_MIDDLE, "",
                  cell_words(drawing_cell(drawing->table, row, column), &words));
    }
    text_deinit(&words);
}

/* A strip for each row that has bounds. */
static void draw_bounds(const struct drawing *drawing, const struct frame *frame,
                        const struct forecast_columns *columns)
{
    for (size_t row = 0; row < drawing->table->row_count; row++) {
        const double lower = cell_number(drawing_cell(drawing->table, row, columns->lower));
        const double upper = cell_number(drawing_cell(drawing->table, row, columns->upper));
        const struct svg_point from = frame_place(frame, (double)row - 0.5, upper);
        const struct svg_point to = frame_place(frame, (double)row + 0.5, lower);
        const double left = fmax(PLOT_LEFT, from.x), right = fmin(PLOT_RIGHT, to.x);

        if (isfinite(lower) && isfinite(upper))
            svg_box(drawing->svg, (struct svg_point){left, from.y}, right - left, to.y - from.y,
                    0.18, "a");
    }
}

/* A curve by the numbers of rows, broken where there is none. */
static enum status draw_by_rows(const struct drawing *drawing, const struct frame *frame,
                                size_t column, const char *class, struct error *err)
{
    const struct picture_table *table = drawing->table;
    struct svg_point *points = calloc(table->row_count + 1, sizeof *points);
    size_t count = 0;

    if (!points)
        return fail_no_memory(err);
    for (size_t row = 0; row <= table->row_count; row++) {
        const double value =
            row < table->row_count ? cell_number(drawing_cell(table, row, column)) : (double)NAN;

        if (isfinite(value)) {
            points[count++] = frame_place(frame, (double)row, value);
            continue;
        }
        if (count == 1) { /* one alone is a dash */
            points[1] = (struct svg_point){points[0].x + 3, points[0].y};
            points[count++ - 1].x -= 3;
        }
        if (count > 0)
            svg_path(drawing->svg, points, count, class);
        count = 0;
    }
    free(points);
    return STATUS_OK;
}

enum status draw_forecast(const struct drawing *drawing, struct error *err)
{
    struct frame frame = {{0, (double)drawing->table->row_count - 1}, {INFINITY, -INFINITY}};
    struct forecast_columns columns = {0};
    struct text words;

    TRY(find_forecast(drawing->table, &columns, err));
    axis_reach(&frame.y, drawing->table, columns.value);
    axis_reach(&frame.y, drawing->table, columns.lower);
    axis_reach(&frame.y, drawing->table, columns.upper);
    if (!isfinite(frame.y.least))
        return fail(err, STATUS_INVALID, "the rows have no values, and none are expected");
    axis_widen(&frame.x);
    axis_widen(&frame.y);
    text_init(&words, PICTURE_WORDS_MAX);
    text_append(&words, slice_prefix(drawing->table->names[columns.value], PICTURE_LABEL_MAX));
    drawing_begin(drawing, PICTURE_HEIGHT, "actual and expected values", "");
    frame_draw_axis(drawing->svg, &frame, false);
    draw_times(drawing, &frame, columns.time);
    svg_words(drawing->svg, PLOT_LEFT - 8, PLOT_TOP - 10, SVG_START, "", text_slice(&words));
    text_deinit(&words);
    drawing_legend(drawing->svg, PLOT_RIGHT - 210, "a", "actual");
    drawing_legend(drawing->svg, PLOT_RIGHT - 110, "b", "expected");
    draw_bounds(drawing, &frame, &columns);
    TRY(draw_by_rows(drawing, &frame, columns.value, "a", err));
    return draw_by_rows(drawing, &frame, columns.expected, "b", err);
}
