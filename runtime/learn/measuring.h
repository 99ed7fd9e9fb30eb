/*
 * measuring.h - the metrics of a learned model, whatever learned it.
 *
 *     measuring_begin --> measuring_run ... until is_done --> measuring_list
 *
 * A final step that the statement wants is learned before anything is measured, from the validation
 * rows, and belongs to the model from then on. What the model keeps of its training rows
 * (sample_statistics.h) is counted in the sample while it is measured.
 *
 * With the scoring code, some milliseconds in a call: on the data set's sample of the training
 * rows, then on all validation rows, as they lie, of which some MiB are held at a time. So neither
 * the team nor the calls leave a trace.
 */
#pragma once

#include "base/process/team.h"
#include "runtime/data/dataset/dataset.h"
#include "runtime/learn/final_fit.h"
#include "runtime/learn/leaks.h"
#include "runtime/learn/learning.h"
#include "runtime/learn/sample_statistics.h"
#include "scoring/metrics.h"

struct measuring {
    const struct jobspec *spec;
    const struct dataset *dataset;
    struct team *team;
    struct model model;
    struct scorer *scorers; /* (scorer_count): one for each of the team */
    uint32_t scorer_count, rows_each;
    double *probabilities; /* (scorer_count, classes) */
    float *scores;         /* (scorer_count, rows_each, classes); NULL: they are not wanted */
    struct metrics_options options;
    struct metrics_row *rows;  /* (scorer_count, rows_each) */
    struct error *errors;      /* (scorer_count) */
    struct final_fit *fit;     /* NULL: no final step is wanted */
    bool is_fitting;           /* its rows are being read */
    struct slice *fold_scores; /* (fold_score_count): those of a fold's rows, for another job */
    uint32_t fold_score_count;
    const struct dataset_part *part;
    uint64_t *starts; /* (range_count + 1): rows of the part that are held together */
    uint32_t range, range_count;
    bool is_held;               /* the range's rows */
    uint64_t next, end;         /* rows, of the range */
    struct metrics *metrics[2]; /* those of the training rows and of the validation rows */
    uint32_t parts_begun;       /* 0: nothing has begun */
    bool is_done;
    struct arena arena; /* for the metrics of several labels, which model.metrics_json has then */
    /* Numbers of which a notice compares no RMSE; numbers that are no labels, as hazards are, of
     * which metrics are listed only where the statement names them. The learner says it. */
    bool predicts_no_mean, predicts_no_label;
    struct leaks leaks;                  /* while the sample is held */
    struct sample_statistics statistics; /* likewise */
    /* When it is done. */
    struct result_metric results[LEARNER_METRICS_MAX];
    size_t result_count;
    struct notice_list notices; /* the job's, the data's, and what the metrics tell */
};

/* The model as the job and the data describe it; the learner adds its content. */
struct model measuring_model(const struct jobspec *spec, const struct dataset *dataset);

/* Has it begun? Else measuring_run may not be called. */
static inline bool measuring_has_begun(const struct measuring *measuring)
{
    return measuring->parts_begun > 0 || measuring->is_fitting;
}

/* Keeps pointers to all that it is given, and to what the model points to. `row_work`: the
 * multiplications of a row. */
enum status measuring_begin(struct measuring *measuring, const struct model *model,
                            const struct jobspec *spec, const struct dataset *dataset,
                            struct team *team, double row_work, struct error *err);
enum status measuring_run(struct measuring *measuring, bool *is_done, struct error *err);
void measuring_deinit(struct measuring *measuring); /* also where it has not begun */

/* The result of TRAIN: loss, then each metric of the spec. INVALID before it is done. */
enum status measuring_list(const struct measuring *measuring,
                           struct result_metric rows[LEARNER_METRICS_MAX], size_t *count,
                           struct error *err);

/* The final step that was learned, in a model as it was given to measuring_begin. */
void measuring_finish(const struct measuring *measuring, struct model *model);

/* The results of learner.h's functions of these names, for the model that was measured. */
enum status measuring_result(const struct measuring *measuring, const struct model *model,
                             char digest[DIGEST_BYTES], uint64_t *rows,
                             struct result_metric metrics[LEARNER_METRICS_MAX],
                             size_t *metric_count, struct error *err);
enum status measuring_publish(const struct measuring *measuring, struct model model,
                              const char *digest, uint64_t *next, size_t bytes_max, bool *is_at_end,
                              model_row_sink *sink, void *context, struct error *err);
