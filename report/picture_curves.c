#include "report/picture_kinds.h"

#include <math.h>
#include <stdio.h>

/* By trapezoids, in whichever direction x goes. */
static double area_below(const struct picture_table *table, size_t x, size_t y)
{
    double area = 0;

    for (size_t row = 1; row < table->row_count; row++)
        area += (cell_number(drawing_cell(table, row, x)) -
                 cell_number(drawing_cell(table, row - 1, x))) *
                (cell_number(drawing_cell(table, row, y)) +
                 cell_number(drawing_cell(table, row - 1, y))) /
                2;
    return fabs(area);
}

static const struct frame unit_frame = {{0, 1}, {0, 1}};

static void draw_diagonal(const struct drawing *drawing)
{
    svg_line(drawing->svg, frame_place(&unit_frame, 0, 0), frame_place(&unit_frame, 1, 1), "rule");
}

static enum status draw_rates(const struct drawing *drawing, bool is_roc, struct error *err)
{
    char words[64];
    double area;
    size_t x, y;

    TRY(drawing_find_column(drawing->table, is_roc ? "false_positive_rate" : "recall", &x, err));
    TRY(drawing_find_column(drawing->table, is_roc ? "true_positive_rate" : "precision", &y, err));
    area = area_below(drawing->table, x, y);
    if (!isfinite(area))
        return fail(err, STATUS_INVALID, "all rows have the same class, so there is no curve");
    snprintf(words, sizeof words, ", area %.4f", area);
    drawing_begin(drawing, PICTURE_HEIGHT, is_roc ? "ROC" : "precision and recall", words);
    frame_draw(drawing->svg, &unit_frame, is_roc ? "false positive rate" : "recall",
               is_roc ? "true positive rate" : "precision");
    if (is_roc)
        draw_diagonal(drawing);
    return drawing_curve(drawing, x, y, &unit_frame, "a", err);
}

enum status draw_roc(const struct drawing *drawing, struct error *err)
{
    return draw_rates(drawing, true, err);
}

enum status draw_pr(const struct drawing *drawing, struct error *err)
{
    return draw_rates(drawing, false, err);
}

/* Shares of the rows by tenths on the x axis, from none to all of them. */
enum status draw_gain(const struct drawing *drawing, struct error *err)
{
    const size_t rows = drawing->table->row_count;
    struct svg_point last = frame_place(&unit_frame, 0, 0);
    double taken = 0, all = 0;
    size_t counts, gain;

    TRY(drawing_find_column(drawing->table, "rows", &counts, err));
    TRY(drawing_find_column(drawing->table, "gain", &gain, err));
    for (size_t row = 0; row < rows; row++)
        all += cell_number(drawing_cell(drawing->table, row, counts));
    if (!isfinite(all) || all <= 0 ||
        !isfinite(cell_number(drawing_cell(drawing->table, rows - 1, gain))))
        return fail(err, STATUS_INVALID, "no row has the positive class, so there is no curve");
    drawing_begin(drawing, PICTURE_HEIGHT, "gain", ", rows from the best score down");
    frame_draw(drawing->svg, &unit_frame, "share of the rows", "share of the positive rows found");
    draw_diagonal(drawing);
    for (size_t row = 0; row < rows; row++) {
        struct svg_point at;

        taken += cell_number(drawing_cell(drawing->table, row, counts));
        at = frame_place(&unit_frame, taken / all,
                         cell_number(drawing_cell(drawing->table, row, gain)));
        svg_path(drawing->svg, (struct svg_point[]){last, at}, 2, "a");
        svg_dot(drawing->svg, at, 3, "a");
        last = at;
    }
    return STATUS_OK;
}

enum status draw_calibration(const struct drawing *drawing, struct error *err)
{
    size_t x, y, rows;
    double most = 1;

    TRY(drawing_find_column(drawing->table, "mean_predicted", &x, err));
    TRY(drawing_find_column(drawing->table, "actual", &y, err));
    TRY(drawing_find_column(drawing->table, "rows", &rows, err));
    drawing_begin(drawing, PICTURE_HEIGHT, "calibration",
                  ", a dot's area is its share of the rows");
    frame_draw(drawing->svg, &unit_frame, "predicted probability", "share that came true");
    draw_diagonal(drawing);
    for (size_t row = 0; row < drawing->table->row_count; row++)
        most = fmax(most, cell_number(drawing_cell(drawing->table, row, rows)));
    for (size_t row = 0; row < drawing->table->row_count; row++) {
        const double at_x = cell_number(drawing_cell(drawing->table, row, x));
        const double at_y = cell_number(drawing_cell(drawing->table, row, y));
        const double share = cell_number(drawing_cell(drawing->table, row, rows)) / most;
        if (isfinite(at_x) && isfinite(at_y))
            svg_dot(drawing->svg, frame_place(&unit_frame, at_x, at_y), 2 + 7 * sqrt(share), "a");
    }
    return drawing_curve(drawing, x, y, &unit_frame, "a", err);
}

enum status draw_history(const struct drawing *drawing, struct error *err)
{
    struct frame frame = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
    struct error ignored;
    size_t x, trained, held_out;
    bool has_held_out;

    if (drawing_find_column(drawing->table, "epoch", &x, err) != STATUS_OK)
        TRY(drawing_find_column(drawing->table, "round", &x, err));
    TRY(drawing_find_column(drawing->table, "train_loss", &trained, err));
    has_held_out =
        drawing_find_column(drawing->table, "validation_loss", &held_out, &ignored) == STATUS_OK;
    axis_reach(&frame.x, drawing->table, x);
    axis_reach(&frame.y, drawing->table, trained);
    if (has_held_out)
        axis_reach(&frame.y, drawing->table, held_out);
    if (!isfinite(frame.x.least) || !isfinite(frame.y.least))
        return fail(err, STATUS_INVALID, "the model has no history of its loss");
    axis_widen(&frame.x);
    axis_widen(&frame.y);
    drawing_begin(drawing, PICTURE_HEIGHT, "history of training", "");
    frame_draw(drawing->svg, &frame, "epoch", "loss");
    drawing_legend(drawing->svg, PLOT_RIGHT - 210, "a", "training");
    TRY(drawing_curve(drawing, x, trained, &frame, "a", err));
    if (!has_held_out)
        return STATUS_OK;
    drawing_legend(drawing->svg, PLOT_RIGHT - 110, "b", "validation");
    return drawing_curve(drawing, x, held_out, &frame, "b", err);
}
