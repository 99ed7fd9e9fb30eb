#include "report/picture_kinds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

    while (at < classes->count && !cell_is_same(classes->labels[at], label))
        at++;
    if (at == classes->count && at < PICTURE_CLASSES_MAX)
        classes->labels[classes->count++] = label;
    return at;
}

static enum status count_classes(const struct picture_table *table, struct classes *classes,
                                 struct error *err)
{
    size_t actual, predicted, rows;

    TRY(drawing_find_column(table, "actual", &actual, err));
    TRY(drawing_find_column(table, "predicted", &predicted, err));
    TRY(drawing_find_column(table, "rows", &rows, err));
    for (size_t row = 0; row < table->row_count; row++) {
        const size_t from = class_of(classes, drawing_cell(table, row, actual));
        const size_t to = class_of(classes, drawing_cell(table, row, predicted));
        const double count = cell_number(drawing_cell(table, row, rows));
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

    text_init(&room, PICTURE_WORDS_MAX);
    for (size_t from = 0; from < classes->count; from++) {
        svg_words(svg, left - 8, top + size * ((double)from + 0.5) + 4, SVG_END, "",
                  cell_words(classes->labels[from], &room));
        if (size >= 26 || from % 5 == 0)
            svg_words(svg, left + size * ((double)from + 0.5), top - 6, SVG_MIDDLE, "",
                      cell_words(classes->labels[from], &room));
        for (size_t to = 0; to < classes->count; to++)
            draw_square(svg, classes, from, to,
                        (struct svg_point){left + size * (double)to, top + size * (double)from},
                        size);
    }
    text_deinit(&room);
}

enum status draw_confusion(const struct drawing *drawing, struct error *err)
{
    const double left = 150, top = 76;
    struct classes *classes = calloc(1, sizeof *classes);
    enum status status = classes ? STATUS_OK : fail_no_memory(err);

    if (status == STATUS_OK)
        status = count_classes(drawing->table, classes, err);
    if (status == STATUS_OK) {
        const double size = fmax(
            16,
            fmin(88, floor((PLOT_RIGHT - left) / (double)(classes->count ? classes->count : 1))));
        drawing_begin(drawing, top + size * (double)classes->count + 24, "confusion",
                      ", rows by actual and predicted class");
        svg_words(drawing->svg, left, 48, SVG_START, "", SLICE("predicted"));
        svg_words(drawing->svg, left - 8, top - 6, SVG_END, "", SLICE("actual"));
        draw_matrix(drawing->svg, classes, left, top, size);
    }
    free(classes);
    return status;
}
