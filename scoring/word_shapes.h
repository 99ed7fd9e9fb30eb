/*
 * word_shapes.h - words that are numbers, dates or times of day to people, in a form that no
 * reading takes.
 *
 *     SHAPE_TIME      10:17   9:05:30   4:30 pm
 *     SHAPE_DATE      06. August 2022   2019-W12   2022-10: a year, and one or two digits besides
 *     SHAPE_QUOTED    "12.5"
 *     SHAPE_MEASURE   12.5 kg   1.4k: one unit behind all of the numbers
 *
 * A column has a shape where nine of ten of its words have, of those that are kept
 * (cell_counts.h): whatever the order of rows is, they are the same.
 */
#ifndef SCORING_WORD_SHAPES_H
#define SCORING_WORD_SHAPES_H

#include "scoring/cell_counts.h"

#define UNIT_BYTES_MAX 12

enum word_shape { SHAPE_NONE, SHAPE_TIME, SHAPE_DATE, SHAPE_QUOTED, SHAPE_MEASURE, WORD_SHAPES };

struct shaped_words {
    enum word_shape shape;
    char example[WORD_KEPT_MAX], unit[UNIT_BYTES_MAX]; /* the unit of SHAPE_MEASURE */
    uint32_t example_size, unit_size;
};

/* unit: of SHAPE_MEASURE, within the word. */
enum word_shape word_shape_of(struct slice word, struct slice *unit);
struct shaped_words word_shapes_of(const struct cell_counts *counts);

#endif
