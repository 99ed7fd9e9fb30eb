/*
 * picture_parts.h - parts that several pictures have: cells of rows, a frame with axes, curves,
 * legends.
 */
#pragma once

#include "report/picture.h"

#define PICTURE_WIDTH  520.0
#define PICTURE_HEIGHT 368.0
#define PLOT_LEFT      64.0 /* left edge of the plot's area */
#define PLOT_RIGHT     504.0
#define PLOT_TOP       54.0
#define PLOT_BOTTOM    316.0

#define PICTURE_WORDS_MAX 160
#define PICTURE_LABEL_MAX 22 /* bytes of a name in the margin */

/* A picture that is being drawn: rows, title, colours, and where the SVG goes. */
struct drawing {
    const struct picture_table *table;
    struct slice model;
    enum theme theme;
    struct text *svg;
};

/* ----- rows ----- */

/* INVALID where there is no such column. */
enum status drawing_find_column(const struct picture_table *table, const char *name, size_t *column,
                                struct error *err);
const struct cell *drawing_cell(const struct picture_table *table, size_t row, size_t column);
/* NAN for NULL and for texts. */
double cell_number(const struct cell *cell);
/* At most PICTURE_LABEL_MAX bytes of it, in `room`. */
struct slice cell_words(const struct cell *cell, struct text *room);
bool cell_is_same(const struct cell *a, const struct cell *b);

/* ----- axes ----- */

struct axis {
    double least, greatest;
};

/* The numbers that the plot's area shows. */
struct frame {
    struct axis x, y;
};

struct svg_point frame_place(const struct frame *frame, double x, double y);
/* From one tick to the next: 1, 2 or 5 times a power of ten, so that some five fit. */
double axis_step(const struct axis *axis);
/* An axis of one number alone gets room around it. */
void axis_widen(struct axis *axis);
/* Widens the axis to the finite numbers of a column. */
void axis_reach(struct axis *axis, const struct picture_table *table, size_t column);
void frame_draw_axis(struct text *svg, const struct frame *frame, bool is_x);
void frame_draw(struct text *svg, const struct frame *frame, const char *x, const char *y);

/* ----- the drawing ----- */

/* The title is "MODEL: WHAT MORE". */
void drawing_begin(const struct drawing *drawing, double height, const char *what,
                   const char *more);
void drawing_legend(struct text *svg, double x, const char *class, const char *words);
/* The rows whose two cells are numbers, in their order, as a line, or a dot where there is one. */
enum status drawing_curve(const struct drawing *drawing, size_t x, size_t y,
                          const struct frame *frame, const char *class, struct error *err);
