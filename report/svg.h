/*
 * svg.h - shapes and words as SVG, in the colours of a theme.
 *
 * A drawing is one element <svg> that needs nothing else: no script, no font, no file. Colours are
 * classes, which the drawing's own style sheet sets: ink, grid, back, and the series `a` (blue) and
 * `b` (vermilion), which are told apart by all kinds of colour vision, and in grey; `b` is dashed,
 * too. With THEME_AUTO they follow what the reader's system prefers.
 */
#pragma once

#include "base/text.h"

enum theme { THEME_AUTO, THEME_LIGHT, THEME_DARK };

enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END };

struct svg_point {
    double x, y;
};

/* Words as text of HTML and SVG: no markup, and ? for control characters, but for the ends of lines
 * and tabs where they are kept. */
void markup_append(struct text *out, struct slice words, bool keeps_lines);

bool theme_find(struct slice name, enum theme *theme);

/* The title is also what a screen reader says. */
void svg_begin(struct text *svg, double width, double height, enum theme theme, struct slice title);
void svg_end(struct text *svg);

/* Words are escaped; what XML cannot have becomes a question mark. */
void svg_words(struct text *svg, double x, double y, enum svg_anchor anchor, const char *class,
               struct slice words);
void svg_line(struct text *svg, struct svg_point from, struct svg_point to, const char *class);
void svg_path(struct text *svg, const struct svg_point *points, size_t count, const char *class);
void svg_dot(struct text *svg, struct svg_point at, double radius, const char *class);
/* `strength`, of 0 to 1, is how opaque it is. */
void svg_box(struct text *svg, struct svg_point at, double width, double height, double strength,
             const char *class);
/* Dots of 4 pixels as one path: the classes are low (blue), middle (grey) and high (vermilion, and
 * square, which grey paper shows, too). */
void svg_dots(struct text *svg, const struct svg_point *points, size_t count, const char *class);
/* Words for readers aloud, beside the title. Right behind svg_begin. */
void svg_describe(struct text *svg, struct slice words);
