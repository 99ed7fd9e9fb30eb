#include "cli/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH  520.0
#define HEIGHT 368.0
#define LEFT   64.0 /* left edge of the plot's area */
#define RIGHT  504.0
#define TOP    54.0
#define BOTTOM 316.0

#define POINTS_MAX 2000 /* points of a curve that is drawn */
#define WORDS_MAX  160
#define LABEL_MAX  22 /* bytes of a name in the margin */

#define TIMES_SHOWN 5 /* below a forecast */

static const char *const kind_names[] = {"history",     "confusion",  "roc",     "pr",
                                         "calibration", "importance", "forecast"};

bool picture_find(struct slice name, enum picture_kind *kind)
{
    for (size_t i = 0; i < sizeof kind_names / sizeof *kind_names; i++) {
        if (slice_is(name, kind_names[i])) {
            *kind = (enum picture_kind)i;
            return true;
        }
    }
    return false;
}

const char *picture_report(enum picture_kind kind)
{
    return kind == PICTURE_HISTORY || kind == PICTURE_IMPORTANCE || kind == PICTURE_FORECAST
               ? NULL
               : kind_names[kind];
}

/* ----- the rows ----- */

struct drawing {
    const struct picture_table *table;
    struct slice model;
    enum theme theme;
    struct text *svg;
};

static enum status find_column(const struct picture_table *table, const char *name, size_t *column,
                               struct error *err)
{
    for (*column = 0; *column < table->column_count; ++*column)
        if (slice_is(table->names[*column], name))
            return STATUS_OK;
    return fail(err, STATUS_INVALID, "the rows have no column %s", name);
}

static const struct cell *cell_at(const struct picture_table *table, size_t row, size_t column)
{
    return &table->cells[row * table->column_count + column];
}

static double number_of(const struct cell *cell)
{
    if (cell->type == CELL_INTEGER)
        return (double)cell->integer;
    return cell->type == CELL_REAL ? cell->real : NAN;
}

static struct slice words_of(const struct cell *cell, struct text *room)
{
    text_clear(room);
    if (cell->type == CELL_TEXT)
        text_append(room, slice_prefix(cell->text, LABEL_MAX));
    else if (cell->type == CELL_INTEGER)
        text_printf(room, "%lld", (long long)cell->integer);
    else if (cell->type == CELL_REAL)
        text_append_rounded(room, cell->real);
    return text_slice(room);
}

/* ----- axes ----- */

struct axis {
    double least, greatest;
};

struct frame {
    struct axis x, y;
};

static struct svg_point place(const struct frame *frame, double x, double y)
{
    return (struct svg_point){
        LEFT + (x - frame->x.least) / (frame->x.greatest - frame->x.least) * (RIGHT - LEFT),
        BOTTOM - (y - frame->y.least) / (frame->y.greatest - frame->y.least) * (BOTTOM - TOP)};
}

/* 1, 2 or 5 times a power of ten, so that some five fit. */
static double step_of(const struct axis *axis)
{
    const double rough = (axis->greatest - axis->least) / 5;
    const double power = pow(10, floor(log10(rough)));
    const double times = rough / power;

    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

static void widen(struct axis *axis)
{
    if (!(axis->greatest > axis->least)) {
        const double margin = fabs(axis->least) > 0 ? fabs(axis->least) / 2 : 1;
        axis->least -= margin;
        axis->greatest += margin;
    }
}

static void draw_tick(struct text *svg, const struct frame *frame, double value, bool is_x)
{
    const struct svg_point at =
        is_x ? place(frame, value, frame->y.least) : place(frame, frame->x.least, value);
    struct text words;

    text_init(&words, WORDS_MAX);
    text_append_rounded(&words, fabs(value) < 1e-12 ? 0 : value);
    if (is_x) {
        svg_line(svg, at, (struct svg_point){at.x, TOP}, "grid");
        svg_words(svg, at.x, BOTTOM + 18, SVG_MIDDLE, "", text_slice(&words));
    } else {
        svg_line(svg, at, (struct svg_point){RIGHT, at.y}, "grid");
        svg_words(svg, LEFT - 8, at.y + 4, SVG_END, "", text_slice(&words));
    }
    text_deinit(&words);
}

static void draw_axis(struct text *svg, const struct frame *frame, bool is_x)
{
    const struct axis *axis = is_x ? &frame->x : &frame->y;
    const double step = step_of(axis);
    const double first = ceil(axis->least / step - 1e-9);

    for (int i = 0; i < 12 && (first + i) * step <= axis->greatest + step * 1e-9; i++)
        draw_tick(svg, frame, (first + i) * step, is_x);
}

static void draw_frame(struct text *svg, const struct frame *frame, const char *x, const char *y)
{
    draw_axis(svg, frame, true);
    draw_axis(svg, frame, false);
    svg_line(svg, (struct svg_point){LEFT, BOTTOM}, (struct svg_point){RIGHT, BOTTOM}, "ink");
    svg_line(svg, (struct svg_point){LEFT, BOTTOM}, (struct svg_point){LEFT, TOP}, "ink");
    svg_words(svg, (LEFT + RIGHT) / 2, HEIGHT - 14, SVG_MIDDLE, "", slice_of(x));
    svg_words(svg, LEFT - 8, TOP - 10, SVG_START, "", slice_of(y));
}

static void begin_drawing(const struct drawing *drawing, double height, const char *what,
                          const char *more)
{
    struct text title;

    text_init(&title, 1024);
    text_append(&title, slice_prefix(drawing->model, 40));
    text_printf(&title, ": %s%s", what, more);
    svg_begin(drawing->svg, WIDTH, height, drawing->theme, text_slice(&title));
    svg_words(drawing->svg, 12, 20, SVG_START, "head", text_slice(&title));
    text_deinit(&title);
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
        const double at_x = number_of(cell_at(table, row, x));
        const double at_y = number_of(cell_at(table, row, y));
        if ((row % stride == 0 || row + 1 == table->row_count) && isfinite(at_x) && isfinite(at_y))
            points[(*count)++] = place(frame, at_x, at_y);
    }
    return points;
}

static enum status draw_curve(const struct drawing *drawing, size_t x, size_t y,
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

/* By trapezoids, in whichever direction x goes. */
static double area_below(const struct picture_table *table, size_t x, size_t y)
{
    double area = 0;

    for (size_t row = 1; row < table->row_count; row++)
        area += (number_of(cell_at(table, row, x)) - number_of(cell_at(table, row - 1, x))) *
                (number_of(cell_at(table, row, y)) + number_of(cell_at(table, row - 1, y))) / 2;
    return fabs(area);
}

static const struct frame unit_frame = {{0, 1}, {0, 1}};

static void draw_diagonal(const struct drawing *drawing)
{
    svg_line(drawing->svg, place(&unit_frame, 0, 0), place(&unit_frame, 1, 1), "rule");
}

static enum status draw_rates(const struct drawing *drawing, bool is_roc, struct error *err)
{
    char words[64];
    double area;
    size_t x, y;

    TRY(find_column(drawing->table, is_roc ? "false_positive_rate" : "recall", &x, err));
    TRY(find_column(drawing->table, is_roc ? "true_positive_rate" : "precision", &y, err));
    area = area_below(drawing->table, x, y);
    if (!isfinite(area))
        return fail(err, STATUS_INVALID, "the rows are all of one class, so there is no curve");
    snprintf(words, sizeof words, ", area %.4f", area);
    begin_drawing(drawing, HEIGHT, is_roc ? "ROC" : "precision and recall", words);
    draw_frame(drawing->svg, &unit_frame, is_roc ? "false positive rate" : "recall",
               is_roc ? "true positive rate" : "precision");
    if (is_roc)
        draw_diagonal(drawing);
    return draw_curve(drawing, x, y, &unit_frame, "a", err);
}

static enum status draw_calibration(const struct drawing *drawing, struct error *err)
{
    size_t x, y, rows;
    double most = 1;

    TRY(find_column(drawing->table, "mean_predicted", &x, err));
    TRY(find_column(drawing->table, "actual", &y, err));
    TRY(find_column(drawing->table, "rows", &rows, err));
    begin_drawing(drawing, HEIGHT, "calibration", ", a dot's area is its share of the rows");
    draw_frame(drawing->svg, &unit_frame, "predicted probability", "share that came true");
    draw_diagonal(drawing);
    for (size_t row = 0; row < drawing->table->row_count; row++)
        most = fmax(most, number_of(cell_at(drawing->table, row, rows)));
    for (size_t row = 0; row < drawing->table->row_count; row++) {
        const double at_x = number_of(cell_at(drawing->table, row, x));
        const double at_y = number_of(cell_at(drawing->table, row, y));
        const double share = number_of(cell_at(drawing->table, row, rows)) / most;
        if (isfinite(at_x) && isfinite(at_y))
            svg_dot(drawing->svg, place(&unit_frame, at_x, at_y), 2 + 7 * sqrt(share), "a");
    }
    return draw_curve(drawing, x, y, &unit_frame, "a", err);
}

/* ----- history ----- */

static void reach(struct axis *axis, const struct picture_table *table, size_t column)
{
    for (size_t row = 0; row < table->row_count; row++) {
        const double value = number_of(cell_at(table, row, column));
        if (isfinite(value)) {
            axis->least = fmin(axis->least, value);
            axis->greatest = fmax(axis->greatest, value);
        }
    }
}

static void draw_legend(struct text *svg, double x, const char *class, const char *words)
{
    svg_line(svg, (struct svg_point){x, TOP - 14}, (struct svg_point){x + 24, TOP - 14}, class);
    svg_words(svg, x + 30, TOP - 10, SVG_START, "", slice_of(words));
}

static enum status draw_history(const struct drawing *drawing, struct error *err)
{
    struct frame frame = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
    struct error ignored;
    size_t x, trained, held_out;
    bool has_held_out;

    if (find_column(drawing->table, "epoch", &x, err) != STATUS_OK)
        TRY(find_column(drawing->table, "round", &x, err));
    TRY(find_column(drawing->table, "train_loss", &trained, err));
    has_held_out = find_column(drawing->table, "validation_loss", &held_out, &ignored) == STATUS_OK;
    reach(&frame.x, drawing->table, x);
    reach(&frame.y, drawing->table, trained);
    if (has_held_out)
        reach(&frame.y, drawing->table, held_out);
    if (!isfinite(frame.x.least) || !isfinite(frame.y.least))
        return fail(err, STATUS_INVALID, "the model has no history of its loss");
    widen(&frame.x);
    widen(&frame.y);
    begin_drawing(drawing, HEIGHT, "history of training", "");
    draw_frame(drawing->svg, &frame, "epoch", "loss");
    draw_legend(drawing->svg, RIGHT - 210, "a", "training");
    TRY(draw_curve(drawing, x, trained, &frame, "a", err));
    if (!has_held_out)
        return STATUS_OK;
    draw_legend(drawing->svg, RIGHT - 110, "b", "validation");
    return draw_curve(drawing, x, held_out, &frame, "b", err);
}

/* ----- confusion ----- */

static bool same(const struct cell *a, const struct cell *b)
{
    if (a->type != b->type)
        return false;
    return a->type == CELL_TEXT ? slice_equal(a->text, b->text) : number_of(a) == number_of(b);
}

struct classes {
    const struct cell *labels[PICTURE_CLASSES_MAX];
    size_t count;
    double rows[PICTURE_CLASSES_MAX][PICTURE_CLASSES_MAX]; /* actual, predicted */
    double actual[PICTURE_CLASSES_MAX];
};

/* Its number; PICTURE_CLASSES_MAX where there is no room for it. */
static size_t class_of(struct classes *classes, const struct cell *label)
{
    size_t at = 0;

    while (at < classes->count && !same(classes->labels[at], label))
        at++;
    if (at == classes->count && at < PICTURE_CLASSES_MAX)
        classes->labels[classes->count++] = label;
    return at;
}

static enum status count_classes(const struct picture_table *table, struct classes *classes,
                                 struct error *err)
{
    size_t actual, predicted, rows;

    TRY(find_column(table, "actual", &actual, err));
    TRY(find_column(table, "predicted", &predicted, err));
    TRY(find_column(table, "rows", &rows, err));
    for (size_t row = 0; row < table->row_count; row++) {
        const size_t from = class_of(classes, cell_at(table, row, actual));
        const size_t to = class_of(classes, cell_at(table, row, predicted));
        const double count = number_of(cell_at(table, row, rows));
        if (from == PICTURE_CLASSES_MAX || to == PICTURE_CLASSES_MAX)
            return fail(err, STATUS_LIMIT, "a picture of more than %d classes cannot be read",
                        PICTURE_CLASSES_MAX);
        classes->rows[from][to] += count;
        classes->actual[from] += count;
    }
    return STATUS_OK;
}

static void draw_square(struct text *svg, const struct classes *classes, size_t from, size_t to,
                        struct svg_point at, double size)
{
    const double rows = classes->rows[from][to];
    const double share = classes->actual[from] > 0 ? rows / classes->actual[from] : 0;
    char words[32];

    svg_box(svg, at, size - 1, size - 1, 0.06 + 0.94 * share, "a");
    if (size < 26)
        return;
    snprintf(words, sizeof words, "%.0f", rows);
    svg_words(svg, at.x + size / 2, at.y + size / 2 + 4, SVG_MIDDLE, share > 0.7 ? "over" : "",
              slice_of(words));
}

static void draw_matrix(struct text *svg, const struct classes *classes, double left, double top,
                        double size)
{
    struct text room;

    text_init(&room, WORDS_MAX);
    for (size_t from = 0; from < classes->count; from++) {
        svg_words(svg, left - 8, top + size * ((double)from + 0.5) + 4, SVG_END, "",
                  words_of(classes->labels[from], &room));
        if (size >= 26 || from % 5 == 0)
            svg_words(svg, left + size * ((double)from + 0.5), top - 6, SVG_MIDDLE, "",
                      words_of(classes->labels[from], &room));
        for (size_t to = 0; to < classes->count; to++)
            draw_square(svg, classes, from, to,
                        (struct svg_point){left + size * (double)to, top + size * (double)from},
                        size);
    }
    text_deinit(&room);
}

static enum status draw_confusion(const struct drawing *drawing, struct error *err)
{
    const double left = 150, top = 76;
    struct classes *classes = calloc(1, sizeof *classes);
    enum status status = classes ? STATUS_OK : fail_no_memory(err);

    if (status == STATUS_OK)
        status = count_classes(drawing->table, classes, err);
    if (status == STATUS_OK) {
        const double size = fmax(
            16, fmin(88, floor((RIGHT - left) / (double)(classes->count ? classes->count : 1))));
        begin_drawing(drawing, top + size * (double)classes->count + 24, "confusion",
                      ", rows by actual and predicted class");
        svg_words(drawing->svg, left, 48, SVG_START, "", SLICE("predicted"));
        svg_words(drawing->svg, left - 8, top - 6, SVG_END, "", SLICE("actual"));
        draw_matrix(drawing->svg, classes, left, top, size);
    }
    free(classes);
    return status;
}

/* ----- importance ----- */

static void draw_bar(const struct drawing *drawing, size_t row, const size_t columns[3],
                     const struct axis *axis, double y)
{
    const double left = 170, right = 416, scale = (right - left) / (axis->greatest - axis->least);
    const double value = number_of(cell_at(drawing->table, row, columns[1]));
    const double deviation = number_of(cell_at(drawing->table, row, columns[2]));
    const double zero = left - axis->least * scale, end = zero + value * scale;
    struct text room;

    text_init(&room, WORDS_MAX);
    svg_words(drawing->svg, left - 8, y + 13, SVG_END, "",
              words_of(cell_at(drawing->table, row, columns[0]), &room));
    if (isfinite(value)) {
        svg_box(drawing->svg, (struct svg_point){fmin(zero, end), y + 2}, fabs(end - zero), 14, 1,
                "a");
        if (isfinite(deviation))
            svg_line(drawing->svg, (struct svg_point){end - deviation * scale, y + 9},
                     (struct svg_point){end + deviation * scale, y + 9}, "ink");
        text_clear(&room);
        text_append_rounded(&room, value);
        svg_words(drawing->svg, right + 26, y + 13, SVG_START, "", text_slice(&room));
    }
    text_deinit(&room);
}

static enum status draw_importance(const struct drawing *drawing, struct error *err)
{
    const size_t rows = drawing->table->row_count;
    const size_t shown = rows < PICTURE_INPUTS_MAX ? rows : PICTURE_INPUTS_MAX;
    struct axis axis = {0, 0};
    size_t columns[3];
    char more[96] = "";

    TRY(find_column(drawing->table, "input", &columns[0], err));
    TRY(find_column(drawing->table, "importance", &columns[1], err));
    TRY(find_column(drawing->table, "deviation", &columns[2], err));
    reach(&axis, drawing->table, columns[1]);
    if (!(axis.greatest > axis.least))
        axis.greatest = 1;
    if (shown < rows)
        snprintf(more, sizeof more, ", the first %zu of %zu inputs", shown, rows);
    begin_drawing(drawing, 40 + 22 * (double)shown + 12, "importance", more);
    for (size_t row = 0; row < shown; row++)
        draw_bar(drawing, row, columns, &axis, 36 + 22 * (double)row);
    return STATUS_OK;
}

/* ----- forecast ----- */

struct forecast_columns {
    size_t time, value, expected, lower, upper;
};

static enum status find_forecast(const struct picture_table *table,
                                 struct forecast_columns *columns, struct error *err)
{
    TRY(find_column(table, "expected", &columns->expected, err));
    TRY(find_column(table, "lower", &columns->lower, err));
    TRY(find_column(table, "upper", &columns->upper, err));
    if (columns->expected < 2)
        return fail(err, STATUS_INVALID, "the rows have no time and value before \"expected\""),
               error_hint(err, "The last two columns of the SELECT are the time and the value.");
    columns->value = columns->expected - 1;
    columns->time = columns->expected - 2;
    for (size_t row = 1; row < table->row_count; row++)
        for (size_t i = 0; i < columns->time; i++)
            if (!same(cell_at(table, row, i), cell_at(table, 0, i)))
                return fail(err, STATUS_INVALID, "the rows are of several series"),
                       error_hint(err, "WHERE in the SELECT picks one of them.");
    return STATUS_OK;
}

/* Times are shown as they are written, some of them. */
static void draw_times(const struct drawing *drawing, const struct frame *frame, size_t column)
{
    const size_t rows = drawing->table->row_count;
    const size_t shown = rows < TIMES_SHOWN ? rows : TIMES_SHOWN;
    struct text words;

    text_init(&words, WORDS_MAX);
    for (size_t i = 0; i < shown; i++) {
        const size_t row = i > 0 ? (rows - 1) * i / (shown - 1) : 0;
        const struct svg_point at = place(frame, (double)row, frame->y.least);

        svg_line(drawing->svg, at, (struct svg_point){at.x, TOP}, "grid");
        svg_words(drawing->svg, at.x, BOTTOM + 18, SVG_MIDDLE, "",
                  words_of(cell_at(drawing->table, row, column), &words));
    }
    text_deinit(&words);
}

/* A strip for each row that has bounds. */
static void draw_bounds(const struct drawing *drawing, const struct frame *frame,
                        const struct forecast_columns *columns)
{
    for (size_t row = 0; row < drawing->table->row_count; row++) {
        const double lower = number_of(cell_at(drawing->table, row, columns->lower));
        const double upper = number_of(cell_at(drawing->table, row, columns->upper));
        const struct svg_point from = place(frame, (double)row - 0.5, upper);
        const struct svg_point to = place(frame, (double)row + 0.5, lower);
        const double left = fmax(LEFT, from.x), right = fmin(RIGHT, to.x);

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
            row < table->row_count ? number_of(cell_at(table, row, column)) : (double)NAN;

        if (isfinite(value)) {
            points[count++] = place(frame, (double)row, value);
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

static enum status draw_forecast(const struct drawing *drawing, struct error *err)
{
    struct frame frame = {{0, (double)drawing->table->row_count - 1}, {INFINITY, -INFINITY}};
    struct forecast_columns columns = {0};
    struct text words;

    TRY(find_forecast(drawing->table, &columns, err));
    reach(&frame.y, drawing->table, columns.value);
    reach(&frame.y, drawing->table, columns.lower);
    reach(&frame.y, drawing->table, columns.upper);
    if (!isfinite(frame.y.least))
        return fail(err, STATUS_INVALID, "the rows have no values, and none are expected");
    widen(&frame.x);
    widen(&frame.y);
    text_init(&words, WORDS_MAX);
    text_append(&words, slice_prefix(drawing->table->names[columns.value], LABEL_MAX));
    begin_drawing(drawing, HEIGHT, "what came, and what is expected", "");
    draw_axis(drawing->svg, &frame, false);
    draw_times(drawing, &frame, columns.time);
    svg_words(drawing->svg, LEFT - 8, TOP - 10, SVG_START, "", text_slice(&words));
    text_deinit(&words);
    draw_legend(drawing->svg, RIGHT - 210, "a", "what came");
    draw_legend(drawing->svg, RIGHT - 110, "b", "expected");
    draw_bounds(drawing, &frame, &columns);
    TRY(draw_by_rows(drawing, &frame, columns.value, "a", err));
    return draw_by_rows(drawing, &frame, columns.expected, "b", err);
}

/* ----- all of them ----- */

static enum status draw(const struct drawing *drawing, enum picture_kind kind, struct error *err)
{
    switch (kind) {
    case PICTURE_HISTORY:
        return draw_history(drawing, err);
    case PICTURE_CONFUSION:
        return draw_confusion(drawing, err);
    case PICTURE_ROC:
        return draw_rates(drawing, true, err);
    case PICTURE_PR:
        return draw_rates(drawing, false, err);
    case PICTURE_CALIBRATION:
        return draw_calibration(drawing, err);
    case PICTURE_IMPORTANCE:
        return draw_importance(drawing, err);
    case PICTURE_FORECAST:
        return draw_forecast(drawing, err);
    }
    return STATUS_OK;
}

enum status picture_draw(enum picture_kind kind, const struct picture_table *table,
                         struct slice model, enum theme theme, struct text *svg, struct error *err)
{
    const struct drawing drawing = {table, model, theme, svg};

    if (table->row_count == 0)
        return fail(err, STATUS_INVALID, "there are no rows to draw");
    TRY(draw(&drawing, kind, err));
    svg_end(svg);
    return svg->failed ? fail_no_memory(err) : STATUS_OK;
}
