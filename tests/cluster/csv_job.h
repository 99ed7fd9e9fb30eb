/*
 * csv_job.h - a job made by hand from a CSV file, without a database.
 */
#pragma once

#include "jobspec/jobspec.h"

#define CSV_COLUMNS_MAX 64
#define CSV_LINE_MAX    4096

struct csv_job {
    struct jobspec spec;
    struct input_spec inputs[CSV_COLUMNS_MAX];
    char header[CSV_LINE_MAX];
    bool lies_by_key; /* the spool, as those of jobs; others are read at once */
    size_t words;     /* so many of the first columns are put as words, not as numbers */
    uint32_t buckets; /* buckets of each column of numbers; 0: they are taken as numbers */
};

/* Writes `folder`/train.spool and fills a spec of 8 lanes that trains a small
 * classifier on it: numbers, the last column is the label. Ends the program
 * when that fails: only tests call it. */
void csv_job_make(struct csv_job *job, const char *csv, const char *folder);
/* The same with a spool that lies by key and holds no row out, as one with folds has it. */
void csv_job_make_crossed(struct csv_job *job, const char *csv, const char *folder);
/* The same of boosted trees, each of a part of the rows and columns. */
void csv_job_make_trees(struct csv_job *job, const char *csv, const char *folder);
/* The same of boosted trees that leave others out, of rows that goss chooses. */
void csv_job_make_dart(struct csv_job *job, const char *csv, const char *folder);
/* Boosted trees of which the last column is a number: medians in the leaves, three quantiles,
 * percentages (mape) and hazards of times, all of rows with weights, and rankings within groups of
 * rows. */
void csv_job_make_medians(struct csv_job *job, const char *csv, const char *folder);
void csv_job_make_quantiles(struct csv_job *job, const char *csv, const char *folder);
void csv_job_make_percentages(struct csv_job *job, const char *csv, const char *folder);
void csv_job_make_hazards(struct csv_job *job, const char *csv, const char *folder);
void csv_job_make_rankings(struct csv_job *job, const char *csv, const char *folder);
/* The same of a linear model that is learned by coordinate descent. */
void csv_job_make_linear(struct csv_job *job, const char *csv, const char *folder);
/* The same of logistic regression with standard errors, and of naive Bayes. */
void csv_job_make_regression(struct csv_job *job, const char *csv, const char *folder);
void csv_job_make_bayes(struct csv_job *job, const char *csv, const char *folder);
/* csv_job_make with batch normalization. */
void csv_job_make_norms(struct csv_job *job, const char *csv, const char *folder);
/* csv_job_make for breast_cancer, where an epoch is kept, as the last one is clearly worse. */
void csv_job_make_best(struct csv_job *job, const char *csv, const char *folder);
/* csv_job_make with train.max_seconds. */
void csv_job_make_timed(struct csv_job *job, const char *csv, const char *folder);
/* A score card of ten buckets a number; the file tells two classes apart. */
void csv_job_make_card(struct csv_job *job, const char *csv, const char *folder);
/* One class of the numbers, and their principal components. */
void csv_job_make_outliers(struct csv_job *job, const char *csv, const char *folder);
void csv_job_make_components(struct csv_job *job, const char *csv, const char *folder);
/* An isolation forest: three phases of trees, and two that count scores. */
void csv_job_make_isolation(struct csv_job *job, const char *csv, const char *folder);
/* The same of a network over embeddings with all that is beside it: of a text whose table is large
 * enough to be moved by touched rows, of a category and of numbers. */
void csv_job_make_clicks(struct csv_job *job, const char *csv, const char *folder);
/* csv_job_make_clicks with batch normalization. */
void csv_job_make_normalized_clicks(struct csv_job *job, const char *csv, const char *folder);
/* The same of a factorisation machine. */
void csv_job_make_machine(struct csv_job *job, const char *csv, const char *folder);
/* Forecasts of many series of some values each, so many that they are fitted in about `phases`
 * phases. */
void csv_job_make_series(struct csv_job *job, const char *csv, const char *folder, uint32_t phases);
/* The same of 32 series by trees that they share, in about `phases` phases as well. */
void csv_job_make_series_trees(struct csv_job *job, const char *csv, const char *folder,
                               uint32_t phases);
/* csv_job_make_series with a total of them, and without the regressor. */
void csv_job_make_totals(struct csv_job *job, const char *csv, const char *folder);
/* The same of three clusters, without the last column. */
void csv_job_make_clusters(struct csv_job *job, const char *csv, const char *folder);
