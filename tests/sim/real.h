/*
 * real.h - the real learner on a small data set, as the subject of the simulation.
 */
#pragma once

#include "runtime/data/dataset/dataset.h"
#include "tests/sim/oracle.h"

/* A classifier over a CSV with a header: numbers, the last column the label.
 * Ends the program when it cannot be made. */
struct subject real_subject_open(const char *csv);
/* A job and its rows, both borrowed. */
struct real_job {
    const struct jobspec *spec;
    struct dataset *dataset;
};
struct subject real_subject_of(struct real_job *job);
/* The same rows by boosted trees. */
struct subject real_subject_open_trees(const char *csv);
/* By boosted trees that leave others out, of rows that goss chooses. */
struct subject real_subject_open_dart(const char *csv);
/* By boosted trees with medians in their leaves, of three quantiles, by mape, and of hazards, with
 * weights of rows; all have phases of their own. And of rankings within groups of rows. */
struct subject real_subject_open_medians(const char *csv);
struct subject real_subject_open_quantiles(const char *csv);
struct subject real_subject_open_percentages(const char *csv);
struct subject real_subject_open_hazards(const char *csv);
struct subject real_subject_open_rankings(const char *csv);
/* The same rows in a network over embeddings. */
struct subject real_subject_open_clicks(const char *csv);
/* The same with batch normalization. */
struct subject real_subject_open_normalized_clicks(const char *csv);
/* The same with a factorisation machine. */
struct subject real_subject_open_machine(const char *csv);
/* The same rows without it, in clusters. */
struct subject real_subject_open_clusters(const char *csv);
/* Forecasts of series whose values are those of the first column. */
struct subject real_subject_open_series(const char *csv);
/* Trees that such series share. */
struct subject real_subject_open_series_trees(const char *csv);
/* real_subject_open for series that add up to a total. */
struct subject real_subject_open_totals(const char *csv);
/* real_subject_open for a network with batch normalization. */
struct subject real_subject_open_norms(const char *csv);
/* real_subject_open for a job that keeps the weights of an epoch before the last. */
struct subject real_subject_open_best(const char *csv);
/* real_subject_open for a job with train.max_seconds. */
struct subject real_subject_open_timed(const char *csv);
/* A score card of a CSV that tells two classes apart. */
struct subject real_subject_open_card(const char *csv);
void real_subject_close(struct subject *subject);

/* The files of a folder, of which a spool may have several. */
void real_files_remove(const char *folder);
