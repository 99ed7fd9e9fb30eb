#include "runtime/learn/series/series_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_same_series(const struct dataset_part *part, uint64_t a, uint64_t b)
{
    return part->hashes[a].high == part->hashes[b].high;
}

uint64_t series_end_of(const struct dataset_part *part, uint64_t first, uint64_t end)
{
    uint64_t row = first + 1;

    while (row < end && is_same_series(part, first, row))
        row++;
    return row;
}

static enum status make_room(struct series_member *member, uint64_t points, uint32_t regressors,
                             struct error *err)
{
    if (points <= member->room)
        return STATUS_OK;
    if (points > SERIES_COUNT_MAX)
        return fail(err, STATUS_LIMIT, "%llu rows, where a series has %d at most",
                    (unsigned long long)points, SERIES_COUNT_MAX);
    free(member->points);
    free(member->times);
    free(member->regressors);
    member->room = 0;
    member->points = malloc(points * sizeof *member->points);
    member->times = malloc(points * sizeof *member->times);
    member->regressors = malloc((points * regressors + 1) * sizeof *member->regressors);
    if (!member->points || !member->times || !member->regressors)
        return fail_no_memory(err);
    member->room = points;
    return STATUS_OK;
}

static enum status refuse_time(struct error *err)
{
    fail(err, STATUS_INVALID, "a time is no whole number, or out of range");
    return error_hint(err, "Select whole numbers up to 2^53 in magnitude, or dates of the years 1 "
                           "to 9999.");
}

/* Rows lie together by a hash of 64 bits, which two series may have in common. */
static enum status refuse_collision(struct error *err)
{
    fail(err, STATUS_FAILED, "its rows lie among those of a series whose words have the same hash");
    return error_hint(err, "Write the words of one column in another way, as in 's' || store AS "
                           "store.");
}

enum status series_take_points(const struct series_learner *series, const struct series_task *task,
                               struct series_member *member, struct error *err)
{
    const struct dataset *dataset = series->learner.dataset;
    const uint32_t width = dataset->transform.dense_width, ids = dataset->transform.id_count;
    const int32_t *own = dataset->train.ids + task->first * ids;

    TRY(make_room(member, task->end - task->first, series->plan.regressors, err));
    for (uint64_t row = task->first; row < task->end; row++) {
        struct point *point = &member->points[row - task->first];

        if (ids && memcmp(own, dataset->train.ids + row * ids, ids * sizeof *own) != 0)
            return refuse_collision(err);
        if (!forecast_time(&dataset->transform, dataset->train.dense + row * width, &point->time))
            return refuse_time(err);
        forecast_row_regressors(&dataset->transform, dataset->train.dense + row * width,
                                member->regressors + (row - task->first) * series->plan.regressors);
        point->value = dataset->train.labels[row];
    }
    return STATUS_OK;
}

void series_row_ids(const struct series_learner *series, uint64_t row,
                    int64_t ids[FORECAST_GROUPS_MAX])
{
    const struct transform *transform = &series->learner.dataset->transform;
    const int32_t *own = series->learner.dataset->train.ids + row * transform->id_count;

    for (uint32_t i = 0; i < series->groups; i++)
        ids[i] = own[i] - (int32_t)transform->inputs[i].first_id;
}

enum status series_name(const struct series_learner *series, const int64_t *ids, struct error *err)
{
    const struct transform *transform = &series->learner.dataset->transform;
    char message[sizeof err->message];
    struct text name;

    if (series->groups == 0 || err->status == STATUS_NO_MEMORY)
        return err->status;
    text_init(&name, TEXT_MAXIMUM);
    for (uint32_t i = 0; i < series->groups && ids[i] >= 0; i++) {
        const struct transform_input *input = &transform->inputs[i];

        text_printf(&name, "%s%.*s = '%.*s'", i ? ", " : "", SLICE_FORMAT(input->spec.name),
                    SLICE_FORMAT(slice_prefix(input->words[ids[i]], 60)));
    }
    if (name.size > 0)
        snprintf(message, sizeof message, "series %.150s: %.250s", text_string(&name),
                 err->message);
    else
        snprintf(message, sizeof message, "the total of all series: %.250s", err->message);
    text_deinit(&name);
    memcpy(err->message, message, sizeof message);
    return err->status;
}
