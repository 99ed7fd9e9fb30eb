/*
 * fold_scores.h - scores of rows by models that have not learned from them.
 *
 *     job of fold 1   its held-out rows --> rows of its store --.
 *     job of fold 2   ...               --> ...                --+--> file --> calibration,
 * threshold
 *
 * With train.folds each row is held out of one fold, whose model scores it. The job of a fold
 * publishes these scores behind its model (FOLD_SCORES_KEPT), the session copies them into a file
 * beside the rows, and the job that learns from all rows reads it (FOLD_SCORES_GIVEN). Which row a
 * score is of nobody asks: it is counted, with its class, for each map of the calibration
 * (scoring/final_step.h).
 */
#pragma once

#include "base/arena.h"
#include "scoring/tables/model_table.h"

#define FOLD_SCORES_FILE "fold.scores"
#define FOLD_SCORES_MAX  ((uint64_t)1 << 24) /* scores of all maps of all rows */

/* Rows of one score. */
struct fold_score {
    double score;
    uint64_t rows, hits;   /* hits: rows of the map's class */
    uint32_t map, classes; /* classes: as many as the fold's model knows */
};

/* Slices of whole scores, for struct model: fold_scores, fold_score_count. */
enum status fold_scores_slice(const struct fold_score *scores, size_t count, struct arena *arena,
                              struct slice **slices, uint32_t *slice_count, struct error *err);
/* Is it such a row of a model? */
bool fold_scores_is_row(const struct model_row *row);

/* Those of a file of such rows, in the arena. CORRUPT for others, and for numbers that no fold
 * has. */
enum status fold_scores_read(const char *path, struct arena *arena, struct fold_score **scores,
                             size_t *count, struct error *err);
