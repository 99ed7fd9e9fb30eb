/*
 * word_shapes.h - words that are numbers, dates or times of day to people, in a form that no
 * reading takes.
 *
 *     SHAPE_TIME       10:17   9:05:30   4:30 pm
 *     SHAPE_DATE       06. August 2022   2019-W12   2024-019   January 2024   Jan-24
 *     SHAPE_QUOTED     "12.5"
 *     SHAPE_ORDINAL    3rd
 *     SHAPE_BOUND      >= 5   ~12   80+: a sign, or numbers with and without one
 *     SHAPE_PARTS      150-155   10 to 20   1.10.2   120/80: numbers in one form (word_form.h)
 *     SHAPE_FRACTION   1 1/2 beside 3/4
 *     SHAPE_DURATION   7h 29m   PT449M
 *     SHAPE_UNITS      12 MB   3.5 GB: one of a few units behind each number
 *     SHAPE_MEASURE    12.5 kg   1.4k: one unit behind all of the numbers
 *     SHAPE_OBJECT     {"a": 1}   [{"a": 1}]: JSON
 *     SHAPE_LIST       drama|comedy   red;blue: words with a sign between them that names lack
 *
 * A column has a shape where nine of ten of its words have, of those that are kept
 * (cell_counts.h): whatever the order of rows is, they are the same. Words of SHAPE_PARTS and
 * SHAPE_DATE must have one form for it, or the form is not known.
 */
#pragma once

#include "scoring/columns/cell_counts.h"
#include "scoring/columns/word_form.h"

#define UNIT_BYTES_MAX 12

/* The units of SHAPE_UNITS. */
enum unit_family {
    UNITS_OTHER,
    UNITS_BYTES, /* B, kB, MiB, ... */
    UNITS_COUNTS /* k, M, bn, ... */
};

enum word_shape {
    SHAPE_NONE,
    SHAPE_TIME,
    SHAPE_DATE,
    SHAPE_QUOTED,
    SHAPE_ORDINAL,
    SHAPE_BOUND,
    SHAPE_PARTS,
    SHAPE_FRACTION,
    SHAPE_DURATION,
    SHAPE_UNITS,
    SHAPE_MEASURE,
    SHAPE_OBJECT,
    SHAPE_LIST,
    WORD_SHAPES
};

struct shaped_words {
    enum word_shape shape;
    char example[WORD_KEPT_MAX], unit[UNIT_BYTES_MAX]; /* the unit of SHAPE_MEASURE */
    uint32_t example_size, unit_size;
    struct word_form form;  /* the form that all of them have; size 0: they have several */
    uint32_t words, shaped; /* different words, and how many of them have the shape */
    bool has_commas;        /* between thousands, in some of them */
    bool is_hours;          /* SHAPE_DURATION: hours and minutes are all that they have */
    enum unit_family family;
};

/* unit: of SHAPE_MEASURE, within the word. Never SHAPE_FRACTION and SHAPE_UNITS, which several
 * words together have. */
enum word_shape word_shape_of(struct slice word, struct slice *unit);
struct shaped_words word_shapes_of(const struct cell_counts *counts);
