#include "report/picture_kinds.h"

#include <math.h>

/* The rows of the report that are boxes of its histogram. */
static bool is_box(const struct picture_table *table, size_t row, size_t part)
{
    const struct cell *cell = drawing_cell(table, row, part);

    return cell->type == CELL_TEXT && slice_is(cell->text, "histogram");
}

static double number_at(const struct drawing *drawing, size_t row, size_t column)
{
    return cell_number(drawing_cell(drawing->table, row, column));
}

struct histogram {
    size_t part, share, low, high;
    struct frame frame;
};

static enum status find_boxes(const struct drawing *drawing, struct histogram *found,
                              struct error *err)
{
    const struct picture_table *table = drawing->table;

    TRY(drawing_find_column(table, "part", &found->part, err));
    TRY(drawing_find_column(table, "share", &found->share, err));
    TRY(drawing_find_column(table, "low", &found->low, err));
    TRY(drawing_find_column(table, "high", &found->high, err));
    found->frame = (struct frame){{INFINITY, -INFINITY}, {0, 0}};
    for (size_t row = 0; row < table->row_count; row++) {
        if (!is_box(table, row, found->part))
            continue;
        found->frame.x.least = fmin(found->frame.x.least, number_at(drawing, row, found->low));
        found->frame.x.greatest =
            fmax(found->frame.x.greatest, number_at(drawing, row, found->high));
        found->frame.y.greatest =
            fmax(found->frame.y.greatest, number_at(drawing, row, found->share));
    }
    if (!isfinite(found->frame.x.least) || !isfinite(found->frame.x.greatest))
        return fail(err, STATUS_INVALID, "the rows have no histogram");
    axis_widen(&found->frame.x);
    axis_widen(&found->frame.y);
    return STATUS_OK;
}

enum status draw_residuals(const struct drawing *drawing, struct error *err)
{
    struct histogram found;

    TRY(find_boxes(drawing, &found, err));
    drawing_begin(drawing, PICTURE_HEIGHT, "residuals", ", label less prediction");
    frame_draw(drawing->svg, &found.frame, "label less prediction", "share of the rows");
    for (size_t row = 0; row < drawing->table->row_count; row++) {
        struct svg_point from, to;

        if (!is_box(drawing->table, row, found.part))
            continue;
        from = frame_place(&found.frame, number_at(drawing, row, found.low),
                           number_at(drawing, row, found.share));
        to = frame_place(&found.frame, number_at(drawing, row, found.high), found.frame.y.least);
        svg_box(drawing->svg, from, fmax(1, to.x - from.x - 1), fmax(0, to.y - from.y), 1, "a");
    }
    return STATUS_OK;
}
