/*
 * trees_job.h - rows made in memory, and a job of trees on them.
 */
#pragma once

#include "kinds/trees/trees_model.h"
#include "tests/default_trees.h"
#include "tests/unit/learn_rows.h"

#define NUMBERS    5
#define CATEGORIES 2
#define WORDS      20
#define WIDE_WORDS 300 /* words of the last category: more than a narrow column has bins */

/* Rows with numbers, some of them missing, and categories; classes 0: their labels are numbers. */
struct made {
    struct dataset dataset;
    struct transform_input inputs[NUMBERS + CATEGORIES];
    struct slice words[WIDE_WORDS];
    char spelled[WIDE_WORDS][8];
    struct slice columns[NUMBERS + CATEGORIES];
    struct spool_column_summary summaries[2]; /* labels and weights */
    struct trees_model old_trees;             /* the old model's, where there is one */
    struct model old;
};

void made_init(struct made *made, uint32_t rows, uint32_t held_out, uint32_t classes);
void made_deinit(struct made *made);

struct trees_params params_of_test(void); /* six rounds of small trees */
struct jobspec spec_of(const struct dataset *dataset, struct trees_params params);
