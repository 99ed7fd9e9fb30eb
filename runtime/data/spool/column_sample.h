/*
 * column_sample.h - what some of a job's training rows tell of its columns of numbers, which sums
 * over all rows do not: where their middle lies, and from where they are counted.
 *
 *     rows of a sample --add--> numbers, column by column --measure--> a sampled_column each
 *
 * The settling of a spool that lies by key measures the first COLUMN_SAMPLE_ROWS rows of its
 * sample, which is a function of the set of rows and the seed. The index keeps the results
 * (spool_settle.h): no worker reads the sample for them. Each worker of a spool in the SELECT's
 * order, which has all of its rows, measures as many at equal distances (dataset_learn.c).
 */
#pragma once

#include "jobspec/jobspec.h"
#include "runtime/data/spool/odd_numbers.h"
#include "runtime/data/spool/spool.h"
#include "runtime/data/statistics/robust_range.h"

#define COLUMN_SAMPLE_ROWS 4096 /* at most; fewer of rows with thousands of numbers */

/* A code is there at least so often, and in no less than one of so many cells. */
#define CODE_CELLS_MIN 3
#define CODE_CELLS_OF  100

/* Far cells are few where there is one, or no more than one of so many (FAR_FEW). A distribution
 * with a long tail has more far cells: among log-normal numbers, where they dominate, one of 20. */
#define FEW_FAR_OF 200

/*
 * A measured column, in the form that the index of a spool has. All zero: nobody asks, or nothing
 * can be said.
 *
 * A code is one number, and not 0, that many cells have and that is far (ROBUST_FAR) from the
 * middle of all others, as -999 is: most of the far cells have it.
 */
struct sampled_column {
    /* Zero, too, of an input where far cells are not few, unless FAR_CUT is asked for. A
     * regression's label has one, whatever is asked for. */
    struct robust_range range;
    double code;
    uint32_t cells, code_cells; /* code_cells have the code; 0: there is no code */
    /* The cells without the code: */
    struct robust_range rest;
    double rest_mean, rest_deviation;
    /* Where the kind of model keeps numbers: number_origin.h. */
    double origin;
    struct odd_numbers odd;
};

struct column_sample;

/* Makes a sample of the numeric inputs of the job, and of its label where that is a number. Where
 * there is no such column *sample is NULL, which the calls below take as a sample that wants no
 * row. Memory as rows come, 8 bytes a number. */
enum status column_sample_new(const struct jobspec *spec, struct column_sample **sample,
                              struct error *err);
void column_sample_free(struct column_sample *sample);

uint32_t column_sample_most(const struct column_sample *sample); /* rows; 0 of NULL */
/* Whether another row is wanted. */
bool column_sample_wants(const struct column_sample *sample);
/* A row that is wanted, of a block with the columns of the job. */
void column_sample_add(struct column_sample *sample, const struct spool_column_view *columns,
                       uint32_t row);
/* columns: (column_count), inputs first; all zero before. The rows are measured once: their order
 * changes. */
void column_sample_measure(struct column_sample *sample, struct sampled_column *columns);
