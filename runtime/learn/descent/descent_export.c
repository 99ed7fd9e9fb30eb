#include "runtime/learn/descent/descent_export.h"

#include <string.h>

#include "runtime/learn/descent/descent_best.h"

#define FEW_ROWS           20
#define PENALTY_OF_ROWS    2    /* model.l2 times the rows: of networks, and not of linear models */
#define TENSORS_OF_A_LAYER 2    /* weights and biases */
#define SHARE_LEAST        0.05 /* deviation of a label as a share of its mean */

/* ---- the model ---- */

enum status descent_fill(void *self, struct model *model, struct error *err)
{
    struct descent *descent = self;
    const bool takes_best = descent_best_is_kept(descent);
    (void)err;

    row_lanes_release(&descent->rows, descent->learner.team);
    if (takes_best && descent->progress.evaluations_since_best > 0)
        model->kept_epoch = descent_best_epoch(descent);
    descent->model.fill_model(
        descent->model.self, takes_best ? descent->arrays.best : descent->arrays.parameters, model);
    return STATUS_OK;
}

static void note_time(struct descent *descent)
{
    struct notice_list *notices = &descent->learner.measuring.notices;

    if (descent->progress.stopped_at == 0)
        return;
    notice_add(notices, NOTICE_TIME,
               "training ended after %llu of %llu steps, as the time was over: train.max_seconds "
               "is %g",
               (unsigned long long)descent->progress.stopped_at,
               (unsigned long long)descent->planned_steps, descent->learner.spec->max_seconds);
    notice_hint(notices, "TO TRAIN ... USING the model goes on from it.");
}

/* A penalty by the training rows outweighs the label where these are few. */
static void note_penalty(const struct descent *descent, struct notice_list *notices)
{
    const double penalty = descent->model.settings.l2;
    const uint64_t rows = descent->learner.dataset->train.rows;

    if (rows > FEW_ROWS || penalty * (double)rows < PENALTY_OF_ROWS)
        return;
    notice_add(
        notices, NOTICE_SETTING,
        "few rows: with model.l2 = %.3g, %llu training rows hardly move predictions from the "
        "mean",
        penalty, (unsigned long long)rows);
    notice_hint(notices, "WITH model.l2 = 0.001 the model follows such rows.");
}

/* The logarithm of a label that differs by less than what steps of many layers can tell. */
static void note_narrow_label(const struct descent *descent, struct notice_list *notices)
{
    const struct dataset *dataset = descent->learner.dataset;
    const double share = dataset->label_deviation / dataset->label_average;

    if (descent->learner.measuring.model.link != LABEL_LINK_EXP ||
        descent->model.tensor_count <= TENSORS_OF_A_LAYER || share >= SHARE_LEAST)
        return;
    notice_add(notices, NOTICE_SETTING,
               "labels deviate by %.2g %% of their mean, and the loss is one of shares of the "
               "mean: a network hardly distinguishes such shares",
               100 * share);
    notice_hint(notices,
                "Subtract a number near the least label in the SELECT; or WITH model.loss = "
                "'squared_error'.");
}

void descent_tell(void *self, struct measuring *measuring)
{
    struct descent *descent = self;

    note_time(descent);
    descent_best_tell(descent);
    note_penalty(descent, &measuring->notices);
    note_narrow_label(descent, &measuring->notices);
    measuring->predicts_no_mean = !descent->model.unit.is_of_means;
}

/* ---- memories by name ---- */

/* Rows are those of one bucket that is held: a bit of others would be read by nobody. */
void *descent_memory(void *self, const char *name, size_t *size)
{
    struct descent *descent = self;
    const struct dataset_part *part = &descent->learner.dataset->train;
    const struct transform *transform = &descent->learner.dataset->transform;
    const struct row_lanes *lanes = &descent->rows;
    const uint32_t bucket = lanes->held_count > 0 ? lanes->held[0] : 0;
    const size_t first = lanes->starts[bucket];
    const size_t rows = lanes->held_count > 0 ? lanes->starts[bucket + 1] - first : 0;
    const struct {
        const char *name;
        void *bytes;
        size_t size;
    } memories[] = {
        {"transposed", descent->derived, descent->model.derived_count * sizeof(float)},
        {"rows", part->dense ? part->dense + first * transform->dense_width : NULL,
         rows * transform->dense_width * sizeof(float)},
        {"ids", part->ids + first * transform->id_count,
         rows * transform->id_count * sizeof(int32_t)},
        {"labels", part->values ? (void *)(part->values + first) : (void *)(part->classes + first),
         rows * sizeof(int32_t)},
        {"order", lanes->order ? lanes->order + lanes->all[bucket].place : NULL,
         rows * sizeof(uint32_t)},
    };

    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++) {
        if (strcmp(memories[i].name, name) != 0 || !memories[i].bytes || memories[i].size == 0)
            continue;
        *size = memories[i].size;
        return memories[i].bytes;
    }
    *size = 0;
    return NULL;
}
