#include "runtime/learn/series/series_lanes.h"

#include <math.h>
#include <string.h>

#include "base/process/progress.h"
#include "base/sums/words.h"
#include "runtime/learn/series/series_grid.h"
#include "runtime/learn/series/series_kept.h"
#include "runtime/learn/series/series_rows.h"

#define FIT_BYTES_MAX ((size_t)2 << 30) /* bytes to fit a series of SERIES_COUNT_MAX values */

/* An error of the series that the row is one of. */
static enum status name_row(const struct series_learner *series, uint64_t row, struct error *err)
{
    int64_t ids[FORECAST_GROUPS_MAX];

    series_row_ids(series, row, ids);
    return series_name(series, ids, err);
}

/* ---- COUNT ---- */

/* The rows of a series have no value: it ends with the last one that the old model keeps of it, as
 * it is joined (series_kept.h). */
static enum status take_old_end(const struct series_learner *series, const struct series_task *task,
                                int64_t *end, struct error *err)
{
    int64_t ids[FORECAST_GROUPS_MAX] = {0};
    struct series_old old;
    struct arena arena;
    enum status status;
    bool is_there;

    series_row_ids(series, task->first, ids);
    arena_init(&arena, FIT_BYTES_MAX);
    status = series_olds_find(&series->olds, ids, &arena, &old, &is_there, err);
    if (status == STATUS_OK && is_there && old.values && series_end_word(old.last_known) > *end)
        *end = series_end_word(old.last_known);
    arena_deinit(&arena);
    return status;
}

static enum status count_series(struct series_learner *series, const struct series_task *task,
                                int64_t counts[COMMON_STEPS_COUNTS], int64_t *end,
                                struct error *err)
{
    struct series_member *member = &series->members[0];
    const uint32_t count = (uint32_t)(task->end - task->first);
    uint32_t different = 0;
    bool has_any = false;

    TRY(series_take_points(series, task, member, err));
    points_sort(member->points, count);
    for (uint32_t i = 0; i < count; i++)
        if (different == 0 || member->times[different - 1] != member->points[i].time)
            member->times[different++] = member->points[i].time;
    for (uint32_t i = 0; end && i < count; i++) {
        if (isnan(member->points[i].value))
            continue;
        has_any = true;
        if (series_end_word(member->points[i].time) > *end)
            *end = series_end_word(member->points[i].time);
    }
    if (end && !has_any)
        TRY(take_old_end(series, task, end, err));
    common_steps_add(counts, member->times, different, series->plan.are_numbers);
    return STATUS_OK;
}

static enum status count_range(struct series_learner *series, uint32_t range, int64_t *sums,
                               struct error *err)
{
    const struct dataset_part *part = &series->learner.dataset->train;
    const uint64_t end = series->learner.starts[range + 1];
    struct series_task task = {.end = series->learner.starts[range]};
    int64_t *last = series->plan.hierarchy == HIERARCHY_NONE
                        ? NULL
                        : &sums[COMMON_STEPS_COUNTS + series_ranges(series) + range];

    while (task.end < end) {
        task.first = task.end;
        task.end = series_end_of(part, task.first, end);
        if (count_series(series, &task, sums, last, err) != STATUS_OK)
            return name_row(series, task.first, err);
        sums[COMMON_STEPS_COUNTS + range]++;
    }
    progress_note();
    return STATUS_OK;
}

/* Sums that nobody else has added to yet: what was added is known by the sum of them. */
static enum status count_lane(struct series_learner *series, uint32_t lane, int64_t *sums,
                              struct error *err)
{
    const uint32_t elements = series_count_elements(series);
    const uint64_t before = words_sum_long(sums, elements);
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < series->learner.ranges && status == STATUS_OK; i++) {
        const uint32_t range = lane * series->learner.ranges + i;

        TRY(learner_hold(&series->learner, range, err));
        status = count_range(series, range, sums, err);
        learner_release(&series->learner, range);
    }
    series->learner.contributed += words_sum_long(sums, elements) - before;
    return status;
}

/* ---- FIT ---- */

/* The plan of one series, or total: with what the old model has of it, in *old and the arena. */
static enum status plan_of_series(const struct series_learner *series, const int64_t *ids,
                                  struct arena *arena, struct series_old *old,
                                  struct series_plan *plan, struct error *err)
{
    bool is_there;

    *plan = series->plan;
    TRY(series_olds_find(&series->olds, ids, arena, old, &is_there, err));
    if (is_there)
        plan->old = old;
    series_grow_words(series, ids, plan->words);
    return STATUS_OK;
}

static enum status fit_one(struct series_learner *series, struct series_task *task,
                           struct series_member *member, struct error *err)
{
    int64_t ids[FORECAST_GROUPS_MAX] = {0};
    struct series_plan plan;
    struct series_old old;
    struct arena arena;
    enum status status;

    TRY(series_take_points(series, task, member, err));
    series_row_ids(series, task->first, ids);
    arena_init(&arena, FIT_BYTES_MAX);
    status = plan_of_series(series, ids, &arena, &old, &plan, err);
    if (status == STATUS_OK)
        status = series_fit(&plan, member->points, (uint32_t)(task->end - task->first),
                            member->regressors, &arena, task->record, err);
    arena_deinit(&arena);
    memcpy(task->record + RECORD_IDS, ids, sizeof ids);
    return status;
}

static void fit_task(void *context, uint32_t member, uint32_t number)
{
    struct series_learner *series = context;
    struct series_task *task = &series->tasks[number];

    error_clear(&task->error);
    if (fit_one(series, task, &series->members[member], &task->error) != STATUS_OK)
        name_row(series, task->first, &task->error);
    progress_note();
}

/* The tasks of the lane's series in this phase. */
static uint32_t find_tasks(const struct series_learner *series, uint32_t lane)
{
    const struct dataset_part *part = &series->learner.dataset->train;
    const uint32_t range = lane * series->learner.ranges + series->progress.range;
    const uint32_t count = series_of_lane(series, lane);
    const uint64_t end = series->learner.starts[range + 1];
    uint64_t row = series->learner.starts[range];

    for (uint64_t skipped = 0; skipped < (uint64_t)series->progress.part * series->each; skipped++)
        row = series_end_of(part, row, end);
    for (uint32_t i = 0; i < count; i++) {
        series->tasks[i] = (struct series_task){
            .first = row, .record = series->fitted + (size_t)i * series->width};
        row = series_end_of(part, row, end);
        series->tasks[i].end = row;
    }
    return count;
}

/* The records that the lane's tasks made. */
static enum status add_records(struct series_learner *series, uint32_t lane, uint32_t count,
                               int64_t *sums, struct error *err)
{
    int64_t *own = sums + (size_t)series_before(series, lane) * series->width;

    for (uint32_t i = 0; i < count; i++)
        if (series->tasks[i].error.status != STATUS_OK) {
            *err = series->tasks[i].error;
            return err->status;
        }
    for (size_t i = 0; i < (size_t)count * series->width; i++)
        learner_add(&series->learner, &own[i], series->fitted[i]);
    return STATUS_OK;
}

static enum status fit_lane(struct series_learner *series, uint32_t lane, int64_t *sums,
                            struct error *err)
{
    const uint32_t range = lane * series->learner.ranges + series->progress.range;
    uint32_t count = series_of_lane(series, lane);

    if (count == 0)
        return STATUS_OK;
    TRY(learner_hold(&series->learner, range, err));
    count = find_tasks(series, lane);
    team_run(series->learner.team, count, fit_task, series);
    learner_release(&series->learner, range);
    return add_records(series, lane, count, sums, err);
}

/* ---- SUM ---- */

static enum status sum_series(struct series_learner *series, const struct series_task *task,
                              uint32_t first, uint32_t end, int64_t *sums, struct error *err)
{
    struct series_member *member = &series->members[0];
    uint32_t count = (uint32_t)(task->end - task->first);
    int64_t ids[FORECAST_GROUPS_MAX];
    struct series_plan plan;
    struct point *points;
    struct series_old old;
    struct arena arena;
    struct grid grid;
    enum status status;

    TRY(series_take_points(series, task, member, err));
    points = member->points;
    series_row_ids(series, task->first, ids);
    arena_init(&arena, FIT_BYTES_MAX);
    status = plan_of_series(series, ids, &arena, &old, &plan, err);
    if (status == STATUS_OK)
        status = series_kept_join(&plan, &arena, &points, &count, err);
    if (status == STATUS_OK)
        status = series_grid(&plan, points, count, &arena, &grid, err);
    if (status == STATUS_OK)
        series_grid_fill(&plan, &grid);
    if (status == STATUS_OK && grid.count > 0)
        series->learner.contributed +=
            series_totals_add(&series->totals, ids, &grid, first, end, sums);
    arena_deinit(&arena);
    return status;
}

static enum status sum_range(struct series_learner *series, uint32_t range, uint32_t first,
                             uint32_t end, int64_t *sums, struct error *err)
{
    const uint64_t last = series->learner.starts[range + 1];
    struct series_task task = {.end = series->learner.starts[range]};

    while (task.end < last) {
        task.first = task.end;
        task.end = series_end_of(&series->learner.dataset->train, task.first, last);
        if (sum_series(series, &task, first, end, sums, err) != STATUS_OK)
            return name_row(series, task.first, err);
    }
    progress_note();
    return STATUS_OK;
}

static enum status sum_lane(struct series_learner *series, uint32_t lane, int64_t *sums,
                            struct error *err)
{
    enum status status = STATUS_OK;
    uint32_t first, end;

    series_summed_now(series, &first, &end);
    for (uint32_t i = 0; i < series->learner.ranges && status == STATUS_OK; i++) {
        const uint32_t range = lane * series->learner.ranges + i;

        TRY(learner_hold(&series->learner, range, err));
        status = sum_range(series, range, first, end, sums, err);
        learner_release(&series->learner, range);
    }
    return status;
}

/* ---- TOTALS ---- */

/* task->first: the number of the total. Parameters of the old model hold where its past is the sum
 * of the same parts. */
static void fit_total(void *context, uint32_t member, uint32_t number)
{
    struct series_learner *series = context;
    struct series_task *task = &series->tasks[number];
    const struct series_total *total = &series->totals.totals[task->first];
    struct series_plan plan;
    struct series_old old;
    struct arena arena;
    enum status status;
    (void)member;

    error_clear(&task->error);
    arena_init(&arena, FIT_BYTES_MAX);
    status = plan_of_series(series, total->ids, &arena, &old, &plan, &task->error);
    if (status == STATUS_OK && plan.old)
        old.is_other = total->has_others || total->olds != old.parts;
    if (status == STATUS_OK)
        status = series_totals_fit(&plan, &series->totals, (uint32_t)task->first, series->sums,
                                   &arena, task->record, &task->error);
    if (status != STATUS_OK)
        series_name(series, total->ids, &task->error);
    arena_deinit(&arena);
    progress_note();
}

static enum status fit_totals(struct series_learner *series, uint32_t lane, int64_t *sums,
                              struct error *err)
{
    const uint32_t first = series_first_total(series, lane), count = series_of_lane(series, lane);

    for (uint32_t i = 0; i < count; i++)
        series->tasks[i] = (struct series_task){
            .first = first + i, .record = series->fitted + (size_t)i * series->width};
    team_run(series->learner.team, count, fit_total, series);
    return add_records(series, lane, count, sums, err);
}

enum status series_contribute(struct series_learner *series, uint32_t lane, int64_t *sums,
                              struct error *err)
{
    switch (series_stage(series)) {
    case STAGE_COUNT:
        return count_lane(series, lane, sums, err);
    case STAGE_GROW:
        return series_grow_contribute(series, lane, sums, err);
    case STAGE_FIT:
        return fit_lane(series, lane, sums, err);
    case STAGE_SUM:
        return sum_lane(series, lane, sums, err);
    case STAGE_TOTALS:
        return fit_totals(series, lane, sums, err);
    case STAGE_DONE:
        break;
    }
    return STATUS_OK;
}
