/*
 * SHAP values of single rows: a line of points for each input, side by side where they would cover
 * each other. The place of a point decides its height, no random number does.
 */
#include "report/picture_kinds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

#define SETS_MAX    20  /* lines of points */
#define POINTS_MAX  256 /* in one line */
#define LEFT        212.0
#define RIGHT       500.0
#define TOP         58.0
#define LINE_HEIGHT 26.0
#define NAME_MAX    30 /* bytes */
#define DOT         4.0
#define BINS        72   /* dots side by side, from LEFT to RIGHT */
#define SPREAD      10.0 /* how far a point may be above or below its line */
#define DESCRIBED   5    /* inputs that the words for readers aloud name */

enum level { LEVEL_LOW, LEVEL_MIDDLE, LEVEL_HIGH, LEVELS };
static const char *const level_classes[LEVELS] = {"low", "middle", "high"};

struct point {
    double share;
    enum level level;
};

struct line {
    size_t row; /* in the table */
    size_t count;
    struct point points[POINTS_MAX];
};

struct swarm {
    size_t input, points, importance, direction;
    size_t output; /* class or quantile; SIZE_MAX: there is one output */
    size_t line_count;
    struct axis shares;
    struct line lines[SETS_MAX];
};

/* ----- rows ----- */

static enum status find_columns(const struct picture_table *table, struct swarm *swarm,
                                struct error *err)
{
    struct error none;

    TRY(drawing_find_column(table, "input", &swarm->input, err));
    if (drawing_find_column(table, "points", &swarm->points, err) != STATUS_OK)
        return error_hint(err,
                          "TO EXPLAIN ... WITH summary.plot_type = 'points' USING SHAP has it.");
    TRY(drawing_find_column(table, "importance", &swarm->importance, err));
    TRY(drawing_find_column(table, "direction", &swarm->direction, err));
    if (drawing_find_column(table, "class", &swarm->output, &none) != STATUS_OK &&
        drawing_find_column(table, "quantile", &swarm->output, &none) != STATUS_OK)
        swarm->output = SIZE_MAX;
    return STATUS_OK;
}

static enum level level_of(const cJSON *place)
{
    if (!cJSON_IsNumber(place))
        return LEVEL_MIDDLE;
    return place->valuedouble < 1.0 / 3   ? LEVEL_LOW
           : place->valuedouble > 2.0 / 3 ? LEVEL_HIGH
                                          : LEVEL_MIDDLE;
}

static enum status read_points(const cJSON *array, struct swarm *swarm, struct line *line,
                               struct error *err)
{
    const cJSON *pair;

    cJSON_ArrayForEach(pair, array)
    {
        const cJSON *share = cJSON_GetArrayItem(pair, 1);

        if (!cJSON_IsNumber(share) || line->count == POINTS_MAX)
            return fail(err, STATUS_INVALID,
                        "the points of an input are not [[place, share], ...]");
        line->points[line->count++] =
            (struct point){share->valuedouble, level_of(cJSON_GetArrayItem(pair, 0))};
        swarm->shares.least = fmin(swarm->shares.least, share->valuedouble);
        swarm->shares.greatest = fmax(swarm->shares.greatest, share->valuedouble);
    }
    return STATUS_OK;
}

static enum status read_line(const struct drawing *drawing, size_t row, struct swarm *swarm,
                             struct error *err)
{
    const struct cell *cell = drawing_cell(drawing->table, row, swarm->points);
    enum status status;
    cJSON *json;

    if (drawing_cell(drawing->table, row, swarm->input)->type != CELL_TEXT)
        return fail(err, STATUS_INVALID, "the name of an input is no text");
    if (cell->type != CELL_TEXT || swarm->line_count == SETS_MAX)
        return STATUS_OK;
    TRY(json_parse(cell->text, JSON_BYTES_MAX, &json, err));
    swarm->lines[swarm->line_count].row = row;
    status = read_points(json, swarm, &swarm->lines[swarm->line_count++], err);
    cJSON_Delete(json);
    return status;
}

/* ----- the drawing ----- */

static double place_of(const struct swarm *swarm, double share)
{
    return LEFT + (share - swarm->shares.least) / (swarm->shares.greatest - swarm->shares.least) *
                      (RIGHT - LEFT);
}

static size_t bin_of(const struct swarm *swarm, double share)
{
    const double bin = (place_of(swarm, share) - LEFT) / DOT;

    return bin < BINS - 1 ? (size_t)bin : BINS - 1;
}

/* Points of one bin go above and below the line by turns, closer where many would not fit. */
static double height_in_bin(size_t place, size_t count)
{
    const double step = fmin(DOT, 2 * SPREAD / (double)count);

    return (place % 2 ? 1 : -1) * (double)((place + 1) / 2) * step;
}

static void draw_points(const struct drawing *drawing, const struct swarm *swarm,
                        const struct line *line, double y)
{
    size_t counts[BINS] = {0}, taken[BINS] = {0};
    struct svg_point dots[LEVELS][POINTS_MAX];
    size_t dot_counts[LEVELS] = {0};

    for (size_t i = 0; i < line->count; i++)
        counts[bin_of(swarm, line->points[i].share)]++;
    for (size_t i = 0; i < line->count; i++) {
        const struct point *point = &line->points[i];
        const size_t bin = bin_of(swarm, point->share);

        dots[point->level][dot_counts[point->level]++] = (struct svg_point){
            place_of(swarm, point->share), y + height_in_bin(taken[bin]++, counts[bin])};
    }
    for (size_t level = 0; level < LEVELS; level++)
        svg_dots(drawing->svg, dots[level], dot_counts[level], level_classes[level]);
}

/* "age", or with several outputs "age, yes". */
static void append_name(const struct drawing *drawing, const struct swarm *swarm, size_t row,
                        struct text *out)
{
    struct text words;

    text_append(out, slice_prefix(drawing_cell(drawing->table, row, swarm->input)->text, NAME_MAX));
    if (swarm->output == SIZE_MAX)
        return;
    text_init(&words, PICTURE_WORDS_MAX);
    text_append_string(out, ", ");
    text_append(out, cell_words(drawing_cell(drawing->table, row, swarm->output), &words));
    text_deinit(&words);
}

static void draw_line(const struct drawing *drawing, const struct swarm *swarm, size_t place)
{
    const struct line *line = &swarm->lines[place];
    const double y = TOP + LINE_HEIGHT * ((double)place + 0.5);
    struct text name;

    text_init(&name, PICTURE_WORDS_MAX);
    append_name(drawing, swarm, line->row, &name);
    svg_words(drawing->svg, LEFT - 10, y + 4, SVG_END, "",
              slice_prefix(text_slice(&name), NAME_MAX));
    text_deinit(&name);
    svg_line(drawing->svg, (struct svg_point){LEFT, y}, (struct svg_point){RIGHT, y}, "grid");
    draw_points(drawing, swarm, line, y);
}

static void draw_axis(const struct drawing *drawing, const struct swarm *swarm)
{
    const double bottom = TOP + LINE_HEIGHT * (double)swarm->line_count;
    const double step = axis_step(&swarm->shares);
    const double first = ceil(swarm->shares.least / step - 1e-9);
    struct text words;

    text_init(&words, PICTURE_WORDS_MAX);
    for (int i = 0; i < 12 && (first + i) * step <= swarm->shares.greatest + step * 1e-9; i++) {
        const double value = fabs(first + i) > 0 ? (first + i) * step : 0;
        const double x = place_of(swarm, value);

        svg_line(drawing->svg, (struct svg_point){x, TOP}, (struct svg_point){x, bottom + 4},
                 value == 0 ? "ink" : "grid");
        text_clear(&words);
        text_append_rounded(&words, value);
        svg_words(drawing->svg, x, bottom + 18, SVG_MIDDLE, "", text_slice(&words));
    }
    text_deinit(&words);
    svg_words(drawing->svg, (LEFT + RIGHT) / 2, bottom + 38, SVG_MIDDLE, "",
              SLICE("SHAP value: change of the prediction"));
}

static void draw_legend(const struct drawing *drawing)
{
    static const char *const words[LEVELS] = {"low value", "middle or no number", "high value"};
    static const double places[LEVELS] = {150, 236, 390};

    for (size_t level = 0; level < LEVELS; level++) {
        svg_dots(drawing->svg, &(struct svg_point){places[level] + 3, 40}, 1, level_classes[level]);
        svg_words(drawing->svg, places[level] + 12, 44, SVG_START, "", slice_of(words[level]));
    }
}

/* The first inputs in words, for those who do not see the points. */
static void describe(const struct drawing *drawing, const struct swarm *swarm)
{
    struct text words;

    text_init(&words, 4096);
    for (size_t i = 0; i < swarm->line_count && i < DESCRIBED; i++) {
        const size_t row = swarm->lines[i].row;
        const double direction = cell_number(drawing_cell(drawing->table, row, swarm->direction));

        text_append_string(&words, i > 0 ? "; " : "");
        append_name(drawing, swarm, row, &words);
        text_append_string(&words, " changes the prediction by ");
        text_append_rounded(&words,
                            cell_number(drawing_cell(drawing->table, row, swarm->importance)));
        if (isfinite(direction))
            text_append_string(&words,
                               direction > 0 ? ", high values raise it" : ", high values lower it");
    }
    svg_describe(drawing->svg, text_slice(&words));
    text_deinit(&words);
}

static void draw_swarm(const struct drawing *drawing, const struct swarm *swarm)
{
    const size_t rows = drawing->table->row_count;
    char what[64], more[96] = "";

    snprintf(what, sizeof what, "SHAP values of %zu rows", swarm->lines[0].count);
    if (swarm->line_count < rows)
        snprintf(more, sizeof more, ", the first %zu of %zu inputs", swarm->line_count, rows);
    drawing_begin(drawing, TOP + LINE_HEIGHT * (double)swarm->line_count + 50, what, more);
    describe(drawing, swarm);
    draw_legend(drawing);
    draw_axis(drawing, swarm);
    for (size_t i = 0; i < swarm->line_count; i++)
        draw_line(drawing, swarm, i);
}

enum status draw_shap(const struct drawing *drawing, struct error *err)
{
    struct swarm *swarm = calloc(1, sizeof *swarm);
    enum status status;

    if (!swarm)
        return fail_no_memory(err);
    swarm->shares = (struct axis){0, 0};
    status = find_columns(drawing->table, swarm, err);
    for (size_t row = 0; status == STATUS_OK && row < drawing->table->row_count; row++)
        status = read_line(drawing, row, swarm, err);
    if (status == STATUS_OK && swarm->line_count == 0)
        status = fail(err, STATUS_INVALID, "the rows have no points");
    if (status == STATUS_OK) {
        axis_widen(&swarm->shares);
        draw_swarm(drawing, swarm);
    }
    free(swarm);
    return status;
}
