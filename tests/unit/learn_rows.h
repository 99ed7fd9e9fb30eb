/*
 * learn_rows.h - data sets made in memory, and learners driven without workers.
 */
#pragma once

#include "runtime/learn/descent/descent_parts.h"

struct rows_shape {
    uint32_t train, validation;
    uint32_t dense, ids, id_rows;
    uint32_t classes; /* 0: regression */
};

/* Rows whose label follows from their inputs, the same ones every time. They are hidden. */
struct dataset made_dataset(struct rows_shape shape);
/* The last `words` ids of a row are those of one text. */
struct dataset made_text_dataset(struct rows_shape shape, uint32_t words);
void made_dataset_close(struct dataset *dataset);

/*
 * Rows that are hidden can be read while somebody holds them (runtime/data/dataset/row_store.h);
 * what lies in their place else is not finite, or ends the test. Their hashes stay: lanes are cut
 * by them. Tests that read or change rows themselves show all of them, and hide them before a
 * learner is opened.
 */
void show_rows(struct dataset *dataset);
void hide_rows(struct dataset *dataset);
/* All rows are there from the beginning, as of a data set that is opened whole. */
void keep_rows(struct dataset *dataset);
/* Rows that nobody holds can be held so many times more; then it is IO. */
void lose_rows_after(struct dataset *dataset, uint32_t loads);
/* How many rows somebody holds. */
uint32_t held_rows(const struct dataset *dataset, const struct dataset_part *part);

/*
 * So many rows, of which only those in memory take any: a load makes them, and whoever drops them
 * finds no number there. One input, 0, and a label of HUGE_LABEL; no validation, no sample.
 */
#define HUGE_LABEL 2.0f
struct dataset huge_dataset(uint64_t rows);
void huge_dataset_close(struct dataset *dataset);

/* A spec that fits, with Adam and defaults; tests change what they are about. */
struct jobspec made_spec(const struct dataset *dataset);

/* The sums of one phase. */
struct sums {
    int64_t *integers, *fixed;
    float *reals;
    struct touched_rows rows; /* touched rows of the table */
};
void learned_sums_init(struct sums *sums, const struct phase *phase);
void learned_sums_deinit(struct sums *sums);

/* learning_open of a spec whose kind is learned by descent. */
enum status open_descent(const struct jobspec *spec, const struct dataset *dataset,
                         struct team *team, struct descent **descent, struct error *err);

/*
 * One phase of a learner: the lanes are dealt to `workers` in an order that
 * `mix` changes, each worker's lanes are summed, the sums added, resolved in
 * segments, and applied.
 */
enum status run_phase(struct descent *descent, uint32_t workers, uint32_t mix,
                      struct learner_report *report, struct error *err);

/* Phases to the end. */
enum status run_job(struct descent *descent, uint32_t workers, uint32_t mix, struct error *err);

/* Measures to the end, and exports. */
enum status measure_and_export(struct descent *descent, struct model *model,
                               struct result_metric metrics[LEARNER_METRICS_MAX], size_t *count,
                               struct error *err);

/* The measured model and its metrics. INVALID before that. */
enum status export_descent(const struct descent *descent, struct model *model,
                           struct result_metric metrics[LEARNER_METRICS_MAX], size_t *count,
                           struct error *err);

/* The whole state in one text, and back by pieces of a size that divides nothing. What is
 * cut short is CORRUPT. */
void save_state(struct descent *descent, struct text *out);
enum status load_state(struct descent *descent, struct slice state, struct error *err);
