#include "runtime/learn/descent_export.h"

#include <string.h>

#include "runtime/learn/descent_best.h"

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

void descent_tell(void *self, struct measuring *measuring)
{
    struct descent *descent = self;

    note_time(descent);
    descent_best_tell(descent);
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
