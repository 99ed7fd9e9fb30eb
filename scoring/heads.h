/*
 * heads.h - a model of several labels, each by itself: what is predicted for one, and how good it
 * is.
 *
 * A view is the head's part of the model as a classifier or a regressor of its own: classes
 * ascend, two of them have one output, and a number is in the label's units. Its scorer has the
 * head's outputs of a row that the model's scorer has selected, so that all that model.h and
 * metrics.h offer can be asked of it.
 *
 *     head_view_init(&view, model, i, arena, err)      once
 *     head_view_take(&view, scorer)                    a row; then scorer_prediction(&view.scorer)
 */
#pragma once

#include "scoring/metrics.h"

struct head_view {
    struct model model;
    struct scorer scorer; /* it has a row's outputs alone */
    float *outputs;       /* scorer.outputs */
    uint32_t head;
    uint32_t *words; /* (classes): the word of the label's input that a class is */
};

/* All lies in the arena, but for what is the model's. */
enum status head_view_init(struct head_view *view, const struct model *model, uint32_t head,
                           struct arena *arena, struct error *err);
void head_view_take(struct head_view *view, const struct scorer *scorer);
/* The label that the row has among its inputs; false: it has none, or a class that the model does
 * not know. */
bool head_view_label(const struct head_view *view, const struct scorer *scorer,
                     struct row_label *label);

static inline const struct transform_input *head_input(const struct model *model, uint32_t head)
{
    return &model->transform.inputs[model->heads[head].input];
}

/* Views of all heads, which a scorer has. */
enum status head_views_new(const struct model *model, struct head_views **made, struct error *err);
void head_views_free(struct head_views *views);
/* The prediction of one label for the row that is selected: a class, or a number. Texts are the
 * model's. */
struct cell scorer_head(const struct scorer *scorer, uint32_t head);
/* Measures the prediction of one label for the row that is selected. *has_label false: the row
 * lacks it, and adds nothing. */
enum status scorer_measure_head(const struct scorer *scorer, uint32_t head, bool *has_label,
                                struct metrics_row *row, struct error *err);

/* Appends the name of a label's score in an epoch: "accuracy of clicked", "rmse of amount". */
void head_score_append(struct slice label, enum input_label type, struct text *out);

/* The metrics of each head, of the rows that have its label. */
struct head_metrics;

enum status head_metrics_new(const struct model *model, struct head_metrics **made,
                             struct error *err);
void head_metrics_free(struct head_metrics *metrics);
/* The row that is selected. */
enum status head_metrics_add(struct head_metrics *metrics, const struct scorer *scorer,
                             struct error *err);
/* Adds a row that somebody else has measured (scorer_measure_head). */
enum status head_metrics_add_row(struct head_metrics *metrics, uint32_t head,
                                 const struct metrics_row *row, struct error *err);
uint32_t head_metrics_count(const struct head_metrics *metrics); /* number of heads */
/* Number i of all; false: there are no more. label: borrowed of the model. */
bool head_metrics_value(struct head_metrics *metrics, uint32_t i, struct slice *label,
                        const char **metric, double *value);
/* The most that there are. */
uint32_t head_metrics_most(const struct head_metrics *metrics);
