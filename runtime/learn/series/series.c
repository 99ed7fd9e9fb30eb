#include "runtime/learn/series/series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/progress.h"
#include "base/words.h"
#include "forecast/common_steps.h"
#include "jobspec/job_size.h"
#include "kinds/forecast/forecast_model.h"
#include "runtime/data/row_lanes.h"
#include "runtime/data/row_store.h"
#include "runtime/learn/learner.h"
#include "runtime/learn/learner_memory.h"
#include "runtime/learn/learner_state.h"
#include "runtime/learn/series/series_model.h"
#include "scoring/model_write.h"

#define HELD_BYTES       ((uint64_t)32 << 20) /* bytes of one range's rows, over all lanes */
#define ELEMENTS_MAX     (1u << 20)
#define SERIES_OF_A_LANE 8 /* fitted in one phase, at most: some ten milliseconds */
#define RANGES_MAX       (1u << 16)
#define FIT_BYTES_MAX    ((size_t)2 << 30) /* bytes to fit a series of SERIES_COUNT_MAX values */

/* The fields of the state. */
#define SERIES_FIELDS(F)                                                                           \
    F(FLAG, is_counted, FIELD_ANY, "COUNT is over")                                                \
    F(U32, range, FIELD_ANY, "FIT: of each lane, that range, and of its")                          \
    F(U32, part, FIELD_ANY, "series [part * each, + each)")                                        \
    F(U64, done, FIELD_ANY, "records")                                                             \
    F(U64, trail, FIELD_ANY, "a hash of all totals so far")

struct series_progress {
    SERIES_FIELDS(FIELD_MEMBER)
};
FIELD_TABLE(progress_fields, struct series_progress, SERIES_FIELDS)

/* Space of one of the team. */
struct series_member {
    struct point *points;
    int64_t *times;
    double *regressors; /* (room, plan's) */
    uint64_t room;      /* points */
};

/* One series that is fitted, or counted. */
struct series_task {
    uint64_t first, end; /* rows */
    int64_t *record;     /* (width) */
    struct error error;
};

struct series_learner {
    struct learner learner;
    struct series_plan plan;
    uint32_t groups, width, each; /* each: series of a lane in a phase */
    struct series_progress progress;
    int64_t *counts;  /* COMMON_STEPS_COUNTS, and then (lanes * ranges) series of each range */
    int64_t *records; /* (total, width), of which `done` are there; NULL until they are counted */
    uint64_t total;
    struct series_member members[TEAM_SIZE_MAX];
    struct series_task *tasks; /* (each) */
    int64_t *fitted;           /* (each, width) */
    bool is_measured;
    struct series_model model;
};

/* ---- the plan ---- */

static int64_t series_of_range(const struct series_learner *series, uint32_t lane, uint32_t range)
{
    return series->counts[COMMON_STEPS_COUNTS + (size_t)lane * series->learner.ranges + range];
}

/* How many series of a lane the phase fits. */
static uint32_t series_of_lane(const struct series_learner *series, uint32_t lane)
{
    const int64_t left = series_of_range(series, lane, series->progress.range) -
                         (int64_t)series->progress.part * series->each;

    return left <= 0 ? 0 : left < series->each ? (uint32_t)left : series->each;
}

static uint32_t series_before(const struct series_learner *series, uint32_t lane)
{
    uint32_t before = 0;

    for (uint32_t i = 0; i < lane; i++)
        before += series_of_lane(series, i);
    return before;
}

static uint32_t count_elements(const struct series_learner *series)
{
    return COMMON_STEPS_COUNTS + series->learner.lanes * series->learner.ranges;
}

static void describe(void *self)
{
    struct series_learner *series = self;
    struct phase *phase = &series->learner.phase;

    phase->step = phase->number > 0 ? phase->number - 1 : 0;
    if (phase->kind == PHASE_DONE)
        return;
    phase->rows = series->learner.dataset->train.rows;
    if (!series->progress.is_counted) {
        phase->owned_count = count_elements(series);
        return;
    }
    phase->owned_count = series_before(series, series->learner.lanes) * series->width;
    phase->rows =
        phase->rows * phase->owned_count / (series->total * series->width + 1); /* about */
}

/* At most as many series as there are rows, until they are counted. */
static void set_steps(struct series_learner *series)
{
    struct learner *learner = &series->learner;
    const uint64_t together = (uint64_t)learner->lanes * series->each;
    const uint64_t most =
        series->progress.is_counted ? series->total : learner->dataset->train.rows;

    learner->steps_total = 1 + (most + together - 1) / together;
}

/* The next series that are not fitted yet, or the end. */
static void next_fit(struct series_learner *series)
{
    struct series_progress *progress = &series->progress;

    while (progress->range < series->learner.ranges &&
           series_before(series, series->learner.lanes) == 0) {
        progress->range++;
        progress->part = 0;
    }
    if (progress->range == series->learner.ranges)
        series->learner.phase.kind = PHASE_DONE;
}

/* ---- rows ---- */

static bool is_same_series(const struct dataset_part *part, uint64_t a, uint64_t b)
{
    return part->hashes[a].high == part->hashes[b].high;
}

static uint64_t end_of_series(const struct dataset_part *part, uint64_t first, uint64_t end)
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

static enum status take_points(const struct series_learner *series, const struct series_task *task,
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

/* "series store = 'north', item = '7': ..." */
static enum status name_series(const struct series_learner *series, uint64_t row, struct error *err)
{
    const struct transform *transform = &series->learner.dataset->transform;
    const int32_t *ids = series->learner.dataset->train.ids + row * transform->id_count;
    char message[sizeof err->message];
    struct text name;

    if (series->groups == 0 || err->status == STATUS_NO_MEMORY)
        return err->status;
    text_init(&name, TEXT_MAXIMUM);
    for (uint32_t i = 0; i < series->groups; i++) {
        const struct transform_input *input = &transform->inputs[i];
        const uint32_t word = (uint32_t)(ids[i] - (int32_t)input->first_id);

        text_printf(&name, "%s%.*s = '%.*s'", i ? ", " : "", SLICE_FORMAT(input->spec.name),
                    SLICE_FORMAT(slice_prefix(input->words[word], 60)));
    }
    snprintf(message, sizeof message, "series %.150s: %.250s", text_string(&name), err->message);
    text_deinit(&name);
    memcpy(err->message, message, sizeof message);
    return err->status;
}

/* ---- COUNT ---- */

static enum status count_series(struct series_learner *series, const struct series_task *task,
                                int64_t counts[COMMON_STEPS_COUNTS], struct error *err)
{
    struct series_member *member = &series->members[0];
    const uint32_t count = (uint32_t)(task->end - task->first);
    uint32_t different = 0;

    TRY(take_points(series, task, member, err));
    points_sort(member->points, count);
    for (uint32_t i = 0; i < count; i++)
        if (different == 0 || member->times[different - 1] != member->points[i].time)
            member->times[different++] = member->points[i].time;
    common_steps_add(counts, member->times, different, series->plan.are_numbers);
    return STATUS_OK;
}

static enum status count_range(struct series_learner *series, uint32_t range, int64_t *sums,
                               struct error *err)
{
    const struct dataset_part *part = &series->learner.dataset->train;
    const uint64_t end = series->learner.starts[range + 1];
    struct series_task task = {.end = series->learner.starts[range]};

    while (task.end < end) {
        task.first = task.end;
        task.end = end_of_series(part, task.first, end);
        if (count_series(series, &task, sums, err) != STATUS_OK)
            return name_series(series, task.first, err);
        sums[COMMON_STEPS_COUNTS + range]++;
    }
    progress_note();
    return STATUS_OK;
}

/* Sums that nobody else has added to yet: what was added is known by the sum of them. */
static enum status count_lane(struct series_learner *series, uint32_t lane, int64_t *sums,
                              struct error *err)
{
    const uint32_t elements = count_elements(series);
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

static enum status fit_one(struct series_learner *series, struct series_task *task,
                           struct series_member *member, struct error *err)
{
    const struct transform *transform = &series->learner.dataset->transform;
    const int32_t *ids = series->learner.dataset->train.ids + task->first * transform->id_count;
    struct arena arena;
    enum status status;

    TRY(take_points(series, task, member, err));
    arena_init(&arena, FIT_BYTES_MAX);
    status = series_fit(&series->plan, member->points, (uint32_t)(task->end - task->first),
                        member->regressors, &arena, task->record, err);
    arena_deinit(&arena);
    for (uint32_t i = 0; i < series->groups; i++)
        task->record[RECORD_IDS + i] = ids[i] - (int32_t)transform->inputs[i].first_id;
    return status;
}

static void fit_task(void *context, uint32_t member, uint32_t number)
{
    struct series_learner *series = context;
    struct series_task *task = &series->tasks[number];

    error_clear(&task->error);
    if (fit_one(series, task, &series->members[member], &task->error) != STATUS_OK)
        name_series(series, task->first, &task->error);
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
        row = end_of_series(part, row, end);
    for (uint32_t i = 0; i < count; i++) {
        series->tasks[i] = (struct series_task){
            .first = row, .record = series->fitted + (size_t)i * series->width};
        row = end_of_series(part, row, end);
        series->tasks[i].end = row;
    }
    return count;
}

static enum status fit_lane(struct series_learner *series, uint32_t lane, int64_t *sums,
                            struct error *err)
{
    const uint32_t range = lane * series->learner.ranges + series->progress.range;
    int64_t *own = sums + (size_t)series_before(series, lane) * series->width;
    uint32_t count = series_of_lane(series, lane);

    if (count == 0)
        return STATUS_OK;
    TRY(learner_hold(&series->learner, range, err));
    count = find_tasks(series, lane);
    team_run(series->learner.team, count, fit_task, series);
    learner_release(&series->learner, range);
    for (uint32_t i = 0; i < count; i++)
        if (series->tasks[i].error.status != STATUS_OK) {
            *err = series->tasks[i].error;
            return err->status;
        }
    for (size_t i = 0; i < (size_t)count * series->width; i++)
        learner_add(&series->learner, &own[i], series->fitted[i]);
    return STATUS_OK;
}

static enum status contribute(void *self, uint32_t lane, uint32_t lane_count, int64_t *integers,
                              int64_t *sums, struct touched_rows *rows, uint32_t *done,
                              struct error *err)
{
    struct series_learner *series = self;
    (void)lane_count, (void)integers, (void)rows, (void)done;

    return series->progress.is_counted ? fit_lane(series, lane, sums, err)
                                       : count_lane(series, lane, sums, err);
}

/* ---- apply ---- */

/* Room for the records of all series that are counted, of which some may be there. */
static enum status reserve_records(struct series_learner *series, struct error *err)
{
    const uint64_t most = learner_bytes_max(series->learner.spec);
    int64_t *records;
    double bytes;

    series->total = 0;
    for (uint32_t i = COMMON_STEPS_COUNTS; i < count_elements(series); i++)
        series->total += (uint64_t)series->counts[i];
    bytes = (double)series->total * series->width * sizeof *series->records;
    if (2 * bytes > (double)most) {
        fail(err, STATUS_LIMIT,
             "the forecasts of %llu series take %.0f bytes, of which a worker has two, and it has "
             "at "
             "most %llu",
             (unsigned long long)series->total, bytes, (unsigned long long)most);
        return learner_hint_bytes(series->learner.spec,
                                  "Lower forecast.horizon, or forecast fewer series.", err);
    }
    records = realloc(series->records, (series->total * series->width + 1) * sizeof *records);
    if (!records)
        return fail_no_memory(err);
    series->records = records;
    return STATUS_OK;
}

/* The counts are there: the steps that they tell, and room for what they count. */
static enum status settle_counts(struct series_learner *series, struct error *err)
{
    const struct steps steps = common_steps_find(series->counts, series->plan.are_numbers);

    TRY(series_plan_settle(&series->plan, &steps, err));
    return reserve_records(series, err);
}

static enum status apply_counts(struct series_learner *series, const int64_t *totals,
                                struct error *err)
{
    memcpy(series->counts, totals, count_elements(series) * sizeof *totals);
    TRY(settle_counts(series, err));
    series->progress.is_counted = true;
    return STATUS_OK;
}

static void apply_records(struct series_learner *series, const int64_t *totals)
{
    const size_t count = series->learner.phase.owned_count;

    memcpy(series->records + series->progress.done * series->width, totals, count * sizeof *totals);
    series->progress.done += count / series->width;
    series->progress.part++;
}

static enum status apply(void *self, const struct phase_totals *totals,
                         struct learner_report *report, struct error *err)
{
    struct series_learner *series = self;
    struct series_progress *progress = &series->progress;
    const struct phase *phase = &series->learner.phase;

    report->train_loss = NAN;
    progress->trail = bytes_hash((const char *)totals->owned,
                                 phase->owned_count * sizeof *totals->owned, progress->trail);
    if (progress->is_counted) {
        report->step_applied = true;
        report->rows_applied = phase->rows;
        apply_records(series, totals->owned);
    } else {
        TRY(apply_counts(series, totals->owned, err));
        set_steps(series);
    }
    next_fit(series);
    return STATUS_OK;
}

/* ---- state ---- */

static uint32_t arrays(void *self, struct learner_array list[LEARNER_ARRAYS_MAX])
{
    struct series_learner *series = self;

    list[0] = (struct learner_array){(void **)&series->counts,
                                     count_elements(series) * sizeof *series->counts, LEARNER_USED,
                                     "the counts of series", "counts"};
    list[1] = (struct learner_array){
        (void **)&series->records, series->progress.done * series->width * sizeof *series->records,
        LEARNER_SIZED | LEARNER_APPENDED, "the forecasts", "weights"};
    return 2;
}

static bool is_possible(const void *self, const struct learner_taking *coming)
{
    const struct series_learner *series = self;
    const struct series_progress *progress = coming->progress;
    const bool is_done = coming->phase.kind == PHASE_DONE;

    if ((coming->phase.kind != PHASE_LEARN && !is_done) ||
        progress->done > series->learner.dataset->train.rows ||
        coming->bytes[1] != progress->done * series->width * sizeof *series->records)
        return false;
    if (!progress->is_counted)
        return coming->phase.number == 0 && !is_done && progress->done == 0;
    return coming->phase.number > 0 && progress->range <= series->learner.ranges &&
           is_done == (progress->range == series->learner.ranges);
}

/* The counts make up the records that came, and those that will. */
static enum status check_counts(const struct series_learner *series, struct error *err)
{
    uint64_t left = series->learner.dataset->train.rows;

    for (uint32_t i = COMMON_STEPS_COUNTS; i < count_elements(series); i++) {
        if (series->counts[i] < 0 || (uint64_t)series->counts[i] > left)
            return state_corrupt(err, "it counts more series than there are rows");
        left -= (uint64_t)series->counts[i];
    }
    if (series->progress.done > series->learner.dataset->train.rows - left)
        return state_corrupt(err, "it has forecasts of more series than it counts");
    return STATUS_OK;
}

static enum status enter(void *self, const struct learner_taking *taken, struct error *err)
{
    struct series_learner *series = self;

    series_model_deinit(&series->model);
    series->is_measured = false;
    series->total = 0;
    set_steps(series);
    if (!taken || !series->progress.is_counted)
        return STATUS_OK;
    TRY(check_counts(series, err));
    TRY(settle_counts(series, err));
    set_steps(series);
    return STATUS_OK;
}

/* ---- the model ---- */

static enum status measure(void *self, bool *is_done, struct error *err)
{
    struct series_learner *series = self;

    *is_done = series->is_measured;
    if (series->is_measured)
        return STATUS_OK;
    series_model_deinit(&series->model);
    TRY(series_model_make(&series->plan, series->learner.spec, series->learner.dataset,
                          series->records, series->total, &series->model, err));
    *is_done = series->is_measured = true;
    return STATUS_OK;
}

static enum status result(const void *self, char digest[DIGEST_BYTES], uint64_t *rows,
                          struct result_metric metrics[LEARNER_METRICS_MAX], size_t *metric_count,
                          struct error *err)
{
    const struct series_learner *series = self;
    const struct model model =
        series_model_of(&series->model, series->learner.spec, series->learner.dataset);

    if (!series->is_measured)
        return fail(err, STATUS_INVALID, "the model is not measured yet");
    memcpy(metrics, series->model.metrics, series->model.metric_count * sizeof *metrics);
    *metric_count = series->model.metric_count;
    *rows = model.rows;
    return model_digest(&model, digest, err);
}

static enum status publish(const void *self, const char *digest, uint64_t *next, size_t bytes_max,
                           bool *is_at_end, model_row_sink *sink, void *context, struct error *err)
{
    const struct series_learner *series = self;
    struct model model =
        series_model_of(&series->model, series->learner.spec, series->learner.dataset);

    model.digest = slice_of(digest);
    model.notices = &series->model.notices;
    return model_write_some(&model, next, bytes_max, is_at_end, sink, context, err);
}

/* ---- open and close ---- */

static void series_close(void *self)
{
    struct series_learner *series = self;

    for (uint32_t i = 0; i < TEAM_SIZE_MAX; i++) {
        free(series->members[i].points);
        free(series->members[i].times);
        free(series->members[i].regressors);
    }
    series_model_deinit(&series->model);
    free(series->tasks);
    free(series->fitted);
    free(series);
}

/* NULLs that no series, and no time, is. */
static enum status check_inputs(const struct series_learner *series, struct error *err)
{
    const struct transform *transform = &series->learner.dataset->transform;

    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];
        const struct slice name =
            input->spec.source.size > 0 ? input->spec.source : input->spec.name;

        if (i < series->groups && input->hash_buckets > 0)
            return fail(err, STATUS_LIMIT, "group column \"%.*s\" has more than %d words",
                        SLICE_FORMAT(name), CATEGORY_WORDS_MAX);
        if (!input->has_nulls || i > series->groups) /* a NULL of a regressor: series_fit.h */
            continue;
        fail(err, STATUS_INVALID, "%scolumn \"%.*s\" is NULL in some rows",
             i < series->groups ? "group " : "time ", SLICE_FORMAT(name));
        return error_hint(err, "Add WHERE %.*s IS NOT NULL to the SELECT.", SLICE_FORMAT(name));
    }
    return STATUS_OK;
}

static enum status allocate(struct series_learner *series, struct error *err)
{
    series->tasks = calloc(series->each, sizeof *series->tasks);
    series->fitted = calloc((size_t)series->each * series->width, sizeof *series->fitted);
    return series->tasks && series->fitted ? STATUS_OK : fail_no_memory(err);
}

static void put_shape(const void *self, struct text *out)
{
    const struct series_learner *series = self;

    put_u32(out, series->learner.ranges);
    put_u32(out, series->each);
}

/* Lanes, ranges and what a phase takes follow from the job and its rows alone. */
static enum status share_out(struct series_learner *series, struct error *err)
{
    struct learner *learner = &series->learner;
    const uint64_t rows = learner->dataset->train.rows;
    const uint32_t lanes = job_lanes(learner->spec->lanes, learner->spec->lanes_max,
                                     rows < UINT32_MAX ? (uint32_t)rows : UINT32_MAX, 0);
    const uint32_t each = ELEMENTS_MAX / (lanes * series->width);
    uint64_t ranges = 1 + row_store_bytes(learner->dataset, rows) / HELD_BYTES;
    uint32_t fitted;

    if (ranges > RANGES_MAX / lanes)
        ranges = RANGES_MAX / lanes;
    TRY(learner_share_out(learner, lanes, ranges > 0 ? (uint32_t)ranges : 1, err));
    series->each = each > SERIES_OF_A_LANE ? SERIES_OF_A_LANE : each > 0 ? each : 1;
    fitted = lanes * series->each * series->width;
    learner->elements_most = fitted > count_elements(series) ? fitted : count_elements(series);
    return STATUS_OK;
}

static const struct learner_method method = {
    .progress = progress_fields,
    .progress_bytes = sizeof(struct series_progress),
    .close = series_close,
    .put_shape = put_shape,
    .arrays = arrays,
    .is_possible = is_possible,
    .enter = enter,
    .describe = describe,
    .contribute = contribute,
    .apply = apply,
    .measure = measure,
    .result = result,
    .publish = publish,
};

enum status series_open(const struct jobspec *spec, const struct dataset *dataset,
                        struct team *team, struct learning *learning, struct error *err)
{
    struct series_learner *series = calloc(1, sizeof *series);
    const struct forecast_params *params = forecast_params(&spec->params);
    enum status status;

    if (!series)
        return fail_no_memory(err);
    learner_init(&series->learner, &method, &series->progress, spec, dataset, team);
    series->groups = forecast_groups(&dataset->transform);
    series->width = series_record_words(params->horizon, params->history,
                                        forecast_regressors(&dataset->transform));
    TRY_OR(failed, status, check_inputs(series, err));
    TRY_OR(failed, status,
           series_plan_make(params, !forecast_time_input(&dataset->transform)->spec.part,
                            &series->plan, err));
    series->plan.regressors = forecast_regressors(&dataset->transform);
    series->plan.regressor_inputs = forecast_time_input(&dataset->transform) + 1;
    TRY_OR(failed, status, share_out(series, err));
    TRY_OR(failed, status, allocate(series, err));
    row_store_keep(dataset, ROW_LANES_BYTES);
    TRY_OR(failed, status, learner_open(&series->learner, err));
    *learning = learner_table(&series->learner);
    return STATUS_OK;
failed:
    learner_close(&series->learner);
    return status;
}
