/*
 * odd_numbers.h - numbers of a column that stand for something else: codes for a missing value, and
 * dates that are written as whole numbers.
 *
 *     -999, -1, 9999    one to three whole numbers at an end of the column that no other number is
 *                       near, as many cells have them
 *     0                 the same beside numbers that all are far above it
 *     20240131          all cells are dates when their digits are year, month and day, in one of
 *                       some orders, also with a time
 *     1706659200        all cells are seconds or milliseconds since 1970, of this century, and the
 *                       column has the name of a time (told of inputs alone)
 *
 * A model takes both as the numbers that they are, unless robust_inputs.h makes a missing value of
 * a code: this is for a notice. Nothing is said of few cells and of few different ones.
 *
 * A number is a code where it alone is below 0, or where it looks like one (77, -888, 9999, -200,
 * the greatest of a type) and is farther from the other numbers than these from each other, or is
 * less far and in so many cells as no other number is. So a single far value, a long tail and
 * counts are no codes.
 */
#pragma once

#include "jobspec/jobspec.h"
#include "scoring/transform/transform.h"

#define ODD_CELLS_MIN     20  /* cells; fewer tell nothing */
#define ODD_DIFFERENT_MIN 10  /* different numbers beside one below 0, and different dates */
#define ODD_CODES_MAX     3   /* codes of a column */
#define ODD_CODE_CELLS    3   /* cells with a code, and */
#define ODD_CODE_CELLS_OF 100 /* one of so many */

/* The order of a date's parts. A 0 in front of a day or a month that comes first is lost; which of
 * them comes first must follow from the numbers. */
enum numbered_date {
    WRITTEN_NONE,
    WRITTEN_MONTH,       /* 202401 */
    WRITTEN_SHORT,       /* 240131, of 2010 to 2049 */
    WRITTEN_DAY,         /* 20240131 */
    WRITTEN_DAY_FIRST,   /* 31012024 */
    WRITTEN_MONTH_FIRST, /* 1312024 */
    WRITTEN_MINUTE,      /* 202401312359 */
    WRITTEN_SECOND,      /* 20240131235959 */
    WRITTEN_EPOCH,       /* seconds since 1970, of 2000 to 2040 */
    WRITTEN_EPOCH_MS,    /* milliseconds since then */
    WRITTEN_DATES
};

struct odd_numbers {
    double code;       /* the code that most cells have; among dates the least one */
    double nearest;    /* the code that is nearest to the other numbers */
    uint32_t is_above; /* the codes are above the other numbers */
    uint32_t cells, code_cells, codes; /* codes 0: there is none */
    uint32_t form;                     /* enum numbered_date */
    uint32_t unused;                   /* so that each byte of an index is defined */
};

/* Is it a number that many use for a missing one: 77, -888, 9999, -200, the greatest of a type? */
bool odd_number_is_like_a_code(double number);

/* Looks for odd numbers among the cells of a column that are not NULL, in any order. */
struct odd_numbers odd_numbers_of(const double *numbers, size_t count);

struct sampled_column;

/* Adds a notice for each input whose numbers are odd and are taken as they are, and for the label
 * of a regression. columns: of the job (column_sample.h). */
void odd_numbers_note(const struct sampled_column *columns, const struct jobspec *spec,
                      const struct transform *transform, struct notice_list *notices);
