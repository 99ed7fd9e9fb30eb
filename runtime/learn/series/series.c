#include "runtime/learn/series/series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/progress.h"
#include "base/words.h"
#include "forecast/common_steps.h"
#include "jobspec/job_size.h"
#include "jobspec/jobspec_fingerprint.h"
#include "kinds/forecast/forecast_model.h"
#include "runtime/data/row_lanes.h"
#include "runtime/data/row_store.h"
#include "runtime/learn/learner_memory.h"
#include "runtime/learn/learner_state.h"
#include "runtime/learn/series/series_model.h"
#include "scoring/model_write.h"

#define HELD_BYTES        ((uint64_t)32 << 20) /* of the rows of one range of each lane */
#define ELEMENTS_MAX      (1u << 20)
#define SERIES_OF_A_LANE  8 /* fitted in one phase, at most: some ten milliseconds */
#define RANGES_MAX        (1u << 16)
#define FIT_BYTES_MAX     ((size_t)2 << 30) /* of one series of SERIES_COUNT_MAX values */
#define FINGERPRINT_BYTES ((size_t)1 << 20)

/* The part of the state that is no array. */
struct series_progress {
    struct phase phase;
    bool is_counted;
    uint32_t range, part; /* FIT: of each lane; the series [part * each, + each) of that range */
    uint64_t done;        /* records */
    uint64_t trail;       /* a hash of all totals so far */
};

struct series_arrays {
    int64_t *counts;  /* COMMON_STEPS_COUNTS, and then (lanes * ranges) series of each range */
    int64_t *records; /* (total, width); NULL until they are counted */
    uint64_t total;
};

struct series_taking {
    bool is_active;
    uint64_t body_hash;
    struct series_progress progress;
    struct series_arrays arrays;
};

/* Space of one of the team. */
struct series_member {
    struct point *points;
    int64_t *times;
    uint64_t room; /* points */
};

/* One series that is fitted, or counted. */
struct series_task {
    uint64_t first, end; /* rows */
    int64_t *record;     /* (width) */
    struct error error;
};

struct series_learner {
    const struct jobspec *spec;
    const struct dataset *dataset;
    struct team *team;
    struct series_plan plan;
    uint32_t groups, width, lanes, ranges, each; /* each: series of a lane in a phase */
    uint64_t *starts;                            /* (lanes * ranges + 1) */
    uint32_t computed;                           /* the lane that was, last */
    uint64_t contributed, fingerprint;
    struct series_progress progress;
    struct series_arrays arrays;
    uint64_t counts_sum, records_sum; /* of what was written */
    struct series_taking taking;
    struct series_member members[TEAM_SIZE_MAX];
    struct series_task *tasks; /* (each) */
    int64_t *fitted;           /* (each, width) */
    bool is_measured;
    struct series_model model;
};

/* ---- the plan ---- */

static int64_t series_of_range(const struct series_learner *series, uint32_t lane, uint32_t range)
{
    return series->arrays.counts[COMMON_STEPS_COUNTS + (size_t)lane * series->ranges + range];
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
    return COMMON_STEPS_COUNTS + series->lanes * series->ranges;
}

static void describe_phase(struct series_learner *series)
{
    struct phase *phase = &series->progress.phase;

    phase->integer_count = phase->real_count = phase->owned_count = 0;
    phase->step = phase->number > 0 ? phase->number - 1 : 0;
    phase->epoch = 0;
    phase->rows = 0;
    if (phase->kind == PHASE_DONE)
        return;
    phase->rows = series->dataset->train.rows;
    if (!series->progress.is_counted) {
        phase->owned_count = count_elements(series);
        return;
    }
    phase->owned_count = series_before(series, series->lanes) * series->width;
    phase->rows =
        phase->rows * phase->owned_count / (series->arrays.total * series->width + 1); /* about */
}

/* The next series that are not fitted yet, or the end. */
static void next_fit(struct series_learner *series)
{
    struct series_progress *progress = &series->progress;

    while (progress->range < series->ranges && series_before(series, series->lanes) == 0) {
        progress->range++;
        progress->part = 0;
    }
    if (progress->range == series->ranges)
        progress->phase.kind = PHASE_DONE;
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

static enum status make_room(struct series_member *member, uint64_t points, struct error *err)
{
    if (points <= member->room)
        return STATUS_OK;
    if (points > SERIES_COUNT_MAX)
        return fail(err, STATUS_LIMIT, "%llu rows, where a series has %d at most",
                    (unsigned long long)points, SERIES_COUNT_MAX);
    free(member->points);
    free(member->times);
    member->room = 0;
    member->points = malloc(points * sizeof *member->points);
    member->times = malloc(points * sizeof *member->times);
    if (!member->points || !member->times)
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
    const struct dataset *dataset = series->dataset;
    const uint32_t width = dataset->transform.dense_width, ids = dataset->transform.id_count;
    const int32_t *own = dataset->train.ids + task->first * ids;

    TRY(make_room(member, task->end - task->first, err));
    for (uint64_t row = task->first; row < task->end; row++) {
        struct point *point = &member->points[row - task->first];

        if (ids && memcmp(own, dataset->train.ids + row * ids, ids * sizeof *own) != 0)
            return refuse_collision(err);
        if (!forecast_time(&dataset->transform, dataset->train.dense + row * width, &point->time))
            return refuse_time(err);
        point->value = dataset->train.labels[row];
    }
    return STATUS_OK;
}

/* "series store = 'north', item = '7': ..." */
static enum status name_series(const struct series_learner *series, uint64_t row, struct error *err)
{
    const struct transform *transform = &series->dataset->transform;
    const int32_t *ids = series->dataset->train.ids + row * transform->id_count;
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
    const struct dataset_part *part = &series->dataset->train;
    const uint64_t end = series->starts[range + 1];
    struct series_task task = {.end = series->starts[range]};

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

static enum status hold_range(const struct series_learner *series, uint32_t range,
                              struct error *err)
{
    return row_store_hold(series->dataset, &series->dataset->train, series->starts[range],
                          series->starts[range + 1], series->team, err);
}

static void release_range(const struct series_learner *series, uint32_t range)
{
    row_store_release(series->dataset, &series->dataset->train, series->starts[range],
                      series->starts[range + 1]);
}

/* Sums that nobody else has added to yet: what was added is known by the sum of them. */
static enum status count_lane(struct series_learner *series, uint32_t lane, int64_t *sums,
                              struct error *err)
{
    const uint32_t elements = count_elements(series);
    const uint64_t before = words_sum_long(sums, elements);
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < series->ranges && status == STATUS_OK; i++) {
        const uint32_t range = lane * series->ranges + i;

        TRY(hold_range(series, range, err));
        status = count_range(series, range, sums, err);
        release_range(series, range);
    }
    series->contributed += words_sum_long(sums, elements) - before;
    return status;
}

/* ---- FIT ---- */

static enum status fit_one(struct series_learner *series, struct series_task *task,
                           struct series_member *member, struct error *err)
{
    const struct transform *transform = &series->dataset->transform;
    const int32_t *ids = series->dataset->train.ids + task->first * transform->id_count;
    struct arena arena;
    enum status status;

    TRY(take_points(series, task, member, err));
    arena_init(&arena, FIT_BYTES_MAX);
    status = series_fit(&series->plan, member->points, (uint32_t)(task->end - task->first), &arena,
                        task->record, err);
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
    const struct dataset_part *part = &series->dataset->train;
    const uint32_t range = lane * series->ranges + series->progress.range;
    const uint32_t count = series_of_lane(series, lane);
    const uint64_t end = series->starts[range + 1];
    uint64_t row = series->starts[range];

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
    const uint32_t range = lane * series->ranges + series->progress.range;
    int64_t *own = sums + (size_t)series_before(series, lane) * series->width;
    uint32_t count = series_of_lane(series, lane);

    if (count == 0)
        return STATUS_OK;
    TRY(hold_range(series, range, err));
    count = find_tasks(series, lane);
    team_run(series->team, count, fit_task, series);
    release_range(series, range);
    for (uint32_t i = 0; i < count; i++)
        if (series->tasks[i].error.status != STATUS_OK) {
            *err = series->tasks[i].error;
            return err->status;
        }
    for (size_t i = 0; i < (size_t)count * series->width; i++) {
        own[i] = words_add(own[i], series->fitted[i]);
        series->contributed += (uint64_t)series->fitted[i];
    }
    return STATUS_OK;
}

/* One lane. */
static enum status contribute(void *self, uint32_t lane, uint32_t lane_count, int64_t *integers,
                              int64_t *sums, struct touched_rows *rows, uint32_t *done,
                              struct error *err)
{
    struct series_learner *series = self;
    (void)lane_count, (void)integers, (void)rows;

    *done = 1;
    series->computed = lane;
    return series->progress.is_counted ? fit_lane(series, lane, sums, err)
                                       : count_lane(series, lane, sums, err);
}

/* ---- apply ---- */

static uint64_t hash_totals(const struct series_learner *series, const int64_t *totals)
{
    return bytes_hash((const char *)totals, series->progress.phase.owned_count * sizeof *totals,
                      series->progress.trail);
}

static enum status verify_counts(const struct series_learner *series, struct error *err)
{
    if (words_sum_long(series->arrays.counts, count_elements(series)) != series->counts_sum)
        return memory_damaged(err, "the counts of series");
    return STATUS_OK;
}

static enum status reserve_records(const struct series_learner *series,
                                   struct series_arrays *arrays, struct error *err)
{
    const uint64_t most = learner_bytes_max(series->spec);
    double bytes;

    for (uint32_t i = COMMON_STEPS_COUNTS; i < count_elements(series); i++)
        arrays->total += (uint64_t)arrays->counts[i];
    bytes = (double)arrays->total * series->width * sizeof *arrays->records;
    if (2 * bytes > (double)most) {
        fail(err, STATUS_LIMIT,
             "the forecasts of %llu series take %.0f bytes, of which a worker has two, and it has "
             "at "
             "most %llu",
             (unsigned long long)arrays->total, bytes, (unsigned long long)most);
        return learner_hint_bytes(series->spec, "Lower forecast.horizon, or forecast fewer series.",
                                  err);
    }
    arrays->records = calloc(arrays->total * series->width + 1, sizeof *arrays->records);
    return arrays->records ? STATUS_OK : fail_no_memory(err);
}

static enum status apply_counts(struct series_learner *series, const int64_t *totals,
                                struct error *err)
{
    struct steps steps;

    memcpy(series->arrays.counts, totals, count_elements(series) * sizeof *totals);
    series->counts_sum = words_sum_long(totals, count_elements(series));
    steps = common_steps_find(totals, series->plan.are_numbers);
    TRY(series_plan_settle(&series->plan, &steps, err));
    TRY(reserve_records(series, &series->arrays, err));
    series->progress.is_counted = true;
    return STATUS_OK;
}

static void apply_records(struct series_learner *series, const int64_t *totals)
{
    const size_t count = series->progress.phase.owned_count;

    memcpy(series->arrays.records + series->progress.done * series->width, totals,
           count * sizeof *totals);
    series->records_sum += words_sum_long(totals, count);
    series->progress.done += count / series->width;
    series->progress.part++;
}

static enum status apply(void *self, const struct phase_totals *totals,
                         struct learner_report *report, struct error *err)
{
    struct series_learner *series = self;
    struct series_progress *progress = &series->progress;

    *report = (struct learner_report){.epoch = 1, .train_loss = NAN};
    if (progress->phase.kind == PHASE_DONE)
        return fail(err, STATUS_FAILED, "nothing is left to learn");
    progress->trail = hash_totals(series, totals->owned);
    if (progress->is_counted) {
        TRY(verify_counts(series, err));
        report->step_applied = true;
        report->rows_applied = progress->phase.rows;
        apply_records(series, totals->owned);
    } else {
        TRY(apply_counts(series, totals->owned, err));
    }
    progress->phase.number++;
    next_fit(series);
    describe_phase(series);
    return STATUS_OK;
}

/* ---- state ---- */

#define ARRAYS 2

static void list_arrays(const struct series_learner *series, const struct series_arrays *arrays,
                        struct state_array list[ARRAYS])
{
    list[0] = (struct state_array){arrays->counts, count_elements(series) * sizeof *arrays->counts};
    list[1] = (struct state_array){arrays->records,
                                   arrays->total * series->width * sizeof *arrays->records};
}

static uint64_t state_bytes(const void *self)
{
    const struct series_learner *series = self;
    struct state_array list[ARRAYS];

    list_arrays(series, &series->arrays, list);
    return state_arrays_bytes(list, ARRAYS);
}

static void state_read(const void *self, uint64_t offset, size_t size, char *bytes)
{
    const struct series_learner *series = self;
    struct state_array list[ARRAYS];

    list_arrays(series, &series->arrays, list);
    state_arrays_read(list, ARRAYS, offset, size, bytes);
}

static void put_progress(const struct series_progress *progress, struct text *out)
{
    put_u64(out, progress->phase.number);
    put_u32(out, progress->phase.kind);
    put_u8(out, progress->is_counted);
    put_u32(out, progress->range);
    put_u32(out, progress->part);
    put_u64(out, progress->done);
    put_u64(out, progress->trail);
}

static enum status state_head(const void *self, struct text *head, struct error *err)
{
    const struct series_learner *series = self;
    const size_t start = state_head_begin(series->fingerprint, head);
    struct state_array list[ARRAYS];

    list_arrays(series, &series->arrays, list);
    put_progress(&series->progress, head);
    put_u64(head, series->arrays.total);
    put_u64(head, state_arrays_hash(list, ARRAYS));
    return state_head_end(head, start, err);
}

static void arrays_deinit(struct series_arrays *arrays)
{
    free(arrays->counts);
    free(arrays->records);
    *arrays = (struct series_arrays){.total = 0};
}

static void take_abandon(void *self)
{
    struct series_learner *series = self;

    arrays_deinit(&series->taking.arrays);
    series->taking = (struct series_taking){.is_active = false};
}

static bool is_possible(const struct series_learner *series, const struct series_progress *progress,
                        uint64_t total)
{
    if (progress->phase.kind != PHASE_LEARN && progress->phase.kind != PHASE_DONE)
        return false;
    if (!progress->is_counted)
        return progress->phase.number == 0 && progress->phase.kind == PHASE_LEARN && total == 0;
    return progress->phase.number > 0 && progress->range <= series->ranges &&
           total <= series->dataset->train.rows && progress->done <= total &&
           (progress->phase.kind == PHASE_DONE) == (progress->range == series->ranges);
}

static enum status read_progress(struct byte_reader *head, struct series_progress *progress)
{
    *progress = (struct series_progress){.phase.number = read_u64(head)};
    progress->phase.kind = (enum phase_kind)read_u32(head);
    progress->is_counted = read_u8(head) == 1;
    progress->range = read_u32(head);
    progress->part = read_u32(head);
    progress->done = read_u64(head);
    progress->trail = read_u64(head);
    return STATUS_OK;
}

static enum status take_arrays(const struct series_learner *series, struct series_arrays *arrays,
                               struct error *err)
{
    arrays->counts = calloc(count_elements(series), sizeof *arrays->counts);
    if (arrays->total > 0)
        arrays->records = calloc(arrays->total * series->width, sizeof *arrays->records);
    return arrays->counts && (arrays->records || arrays->total == 0) ? STATUS_OK
                                                                     : fail_no_memory(err);
}

static enum status take_begin(void *self, struct slice head, uint64_t body_bytes, struct error *err)
{
    struct series_learner *series = self;
    struct series_taking *taking = &series->taking;
    struct state_array list[ARRAYS];
    struct byte_reader reader;

    take_abandon(series);
    TRY(state_head_open(head, series->fingerprint, &reader, err));
    read_progress(&reader, &taking->progress);
    taking->arrays.total = read_u64(&reader);
    taking->body_hash = read_u64(&reader);
    if (!reader_is_done(&reader) || !is_possible(series, &taking->progress, taking->arrays.total))
        return state_corrupt(err, "its place in the job does not exist");
    list_arrays(series, &taking->arrays, list);
    if (state_arrays_bytes(list, ARRAYS) != body_bytes)
        return state_corrupt(err, "it has another size");
    if (take_arrays(series, &taking->arrays, err) != STATUS_OK) {
        take_abandon(series);
        return err->status;
    }
    taking->is_active = true;
    return STATUS_OK;
}

static void take_piece(void *self, uint64_t offset, struct slice bytes)
{
    struct series_learner *series = self;
    struct state_array list[ARRAYS];

    if (!series->taking.is_active)
        return;
    list_arrays(series, &series->taking.arrays, list);
    state_arrays_write(list, ARRAYS, offset, bytes);
}

/* Do the counts that came make up what the head says? */
static bool counts_fit(const struct series_learner *series, const struct series_taking *taking)
{
    uint64_t total = 0;

    for (uint32_t i = COMMON_STEPS_COUNTS; i < count_elements(series); i++) {
        if (taking->arrays.counts[i] < 0)
            return false;
        total += (uint64_t)taking->arrays.counts[i];
    }
    return total == taking->arrays.total;
}

static void forget_model(struct series_learner *series)
{
    series_model_deinit(&series->model);
    series->is_measured = false;
}

static enum status take_end(void *self, struct error *err)
{
    struct series_learner *series = self;
    struct series_taking *taking = &series->taking;
    struct state_array list[ARRAYS];
    struct steps steps;

    if (!taking->is_active)
        return state_corrupt(err, "it has no head");
    list_arrays(series, &taking->arrays, list);
    if (state_arrays_hash(list, ARRAYS) != taking->body_hash || !counts_fit(series, taking)) {
        take_abandon(series);
        return state_corrupt(err, "its checksum does not match its bytes");
    }
    if (taking->progress.is_counted) {
        steps = common_steps_find(taking->arrays.counts, series->plan.are_numbers);
        TRY(series_plan_settle(&series->plan, &steps, err));
    }
    arrays_deinit(&series->arrays);
    series->arrays = taking->arrays;
    series->progress = taking->progress;
    *taking = (struct series_taking){.is_active = false};
    series->counts_sum = words_sum_long(series->arrays.counts, count_elements(series));
    series->records_sum =
        words_sum_long(series->arrays.records, series->arrays.total * series->width);
    forget_model(series);
    describe_phase(series);
    return STATUS_OK;
}

static void restart(void *self)
{
    struct series_learner *series = self;

    take_abandon(series);
    forget_model(series);
    free(series->arrays.records);
    series->arrays.records = NULL;
    series->arrays.total = 0;
    memset(series->arrays.counts, 0, count_elements(series) * sizeof *series->arrays.counts);
    series->counts_sum = series->records_sum = 0;
    series->progress = (struct series_progress){.range = 0};
    describe_phase(series);
}

/* ---- the model ---- */

static enum status measure(void *self, bool *is_done, struct error *err)
{
    struct series_learner *series = self;

    *is_done = series->is_measured;
    if (series->progress.phase.kind != PHASE_DONE)
        return fail(err, STATUS_INVALID, "the model is not learned yet");
    if (series->is_measured)
        return STATUS_OK;
    series_model_deinit(&series->model);
    TRY(series_model_make(&series->plan, series->spec, series->dataset, series->arrays.records,
                          series->arrays.total, &series->model, err));
    *is_done = series->is_measured = true;
    return STATUS_OK;
}

static enum status result(const void *self, char digest[DIGEST_BYTES], uint64_t *rows,
                          struct result_metric metrics[LEARNER_METRICS_MAX], size_t *metric_count,
                          struct error *err)
{
    const struct series_learner *series = self;
    const struct model model = series_model_of(&series->model, series->spec, series->dataset);

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
    struct model model = series_model_of(&series->model, series->spec, series->dataset);

    model.digest = slice_of(digest);
    model.notices = &series->model.notices;
    return model_write_some(&model, next, bytes_max, is_at_end, sink, context, err);
}

/* ---- memory, and what workers have in common ---- */

static uint64_t fingerprint_of(const void *self)
{
    return ((const struct series_learner *)self)->fingerprint;
}

static uint64_t check(const void *self)
{
    const struct series_learner *series = self;
    struct text bytes;
    uint64_t hash;

    text_init(&bytes, FINGERPRINT_BYTES);
    put_progress(&series->progress, &bytes);
    put_u64(&bytes, series->counts_sum);
    put_u64(&bytes, series->records_sum);
    hash = bytes_hash(bytes.data, bytes.size, series->fingerprint);
    text_deinit(&bytes);
    return hash;
}

static uint64_t contributed(const void *self)
{
    return ((const struct series_learner *)self)->contributed;
}

static enum status verify(const void *self, struct error *err)
{
    const struct series_learner *series = self;

    TRY(verify_counts(series, err));
    if (words_sum_long(series->arrays.records, series->arrays.total * series->width) !=
        series->records_sum)
        return memory_damaged(err, "the forecasts");
    return STATUS_OK;
}

/* A fit reads the counts alone. */
static enum status verify_used(const void *self, const struct touched_rows *rows, struct error *err)
{
    (void)rows;
    return verify_counts(self, err);
}

static enum status verify_rows(void *self, uint64_t *position, uint64_t most, struct error *err)
{
    return row_store_verify(((const struct series_learner *)self)->dataset, position, most, err);
}

static uint64_t waited_ms(const void *self)
{
    return dataset_waited_ms(((const struct series_learner *)self)->dataset);
}

/* A round needs each row once, range after range. */
static struct learner_course course(const void *self)
{
    const struct series_learner *series = self;

    return (struct learner_course){row_store_expects(series->dataset) ? 1 : 0, 1};
}

/* Rows are those of the first range of the lane that was computed last. */
static void *memory(void *self, const char *name, size_t *size)
{
    struct series_learner *series = self;
    const struct series_arrays *arrays = &series->arrays;
    const struct dataset_part *part = &series->dataset->train;
    const uint64_t *range = series->starts + (size_t)series->computed * series->ranges;
    const size_t rows = (size_t)(range[1] - range[0]);
    const size_t width = series->dataset->transform.dense_width;
    const struct {
        const char *name;
        void *memory;
        size_t bytes;
    } memories[] = {
        {"counts", arrays->counts, count_elements(series) * sizeof *arrays->counts},
        {"weights", arrays->records, arrays->total * series->width * sizeof *arrays->records},
        {"rows", part->dense + range[0] * width, rows * width * sizeof *part->dense},
        {"labels", part->labels + range[0], rows * sizeof *part->labels},
    };

    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++)
        if (strcmp(memories[i].name, name) == 0 && memories[i].bytes > 0) {
            *size = memories[i].bytes;
            return memories[i].memory;
        }
    return NULL;
}

/* ---- open and close ---- */

static void series_close(void *self)
{
    struct series_learner *series = self;

    for (uint32_t i = 0; i < TEAM_SIZE_MAX; i++) {
        free(series->members[i].points);
        free(series->members[i].times);
    }
    take_abandon(series);
    arrays_deinit(&series->arrays);
    series_model_deinit(&series->model);
    free(series->starts);
    free(series->tasks);
    free(series->fitted);
    free(series);
}

static enum status use_team(void *self, struct team *team, struct error *err)
{
    (void)err;
    ((struct series_learner *)self)->team = team;
    return STATUS_OK;
}

static const struct phase *phase_of(const void *self)
{
    return &((const struct series_learner *)self)->progress.phase;
}

static uint32_t lanes_of(const void *self)
{
    return ((const struct series_learner *)self)->lanes;
}

static uint32_t elements_most(const void *self)
{
    const struct series_learner *series = self;
    const uint32_t fitted = series->lanes * series->each * series->width;

    return fitted > count_elements(series) ? fitted : count_elements(series);
}

/* At most as many as there are rows. */
static uint64_t steps_total(const void *self)
{
    const struct series_learner *series = self;
    const uint64_t together = (uint64_t)series->lanes * series->each;

    return 1 + ((series->progress.is_counted ? series->arrays.total : series->dataset->train.rows) +
                together - 1) /
                   together;
}

/* NULLs that no series, and no time, is. */
static enum status check_inputs(const struct series_learner *series, struct error *err)
{
    const struct transform *transform = &series->dataset->transform;

    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];
        const struct slice name =
            input->spec.source.size > 0 ? input->spec.source : input->spec.name;

        if (i < series->groups && input->hash_buckets > 0)
            return fail(err, STATUS_LIMIT, "group column \"%.*s\" has more than %d words",
                        SLICE_FORMAT(name), CATEGORY_WORDS_MAX);
        if (!input->has_nulls)
            continue;
        fail(err, STATUS_INVALID, "%scolumn \"%.*s\" is NULL in some rows",
             i < series->groups ? "group " : "time ", SLICE_FORMAT(name));
        return error_hint(err, "Add WHERE %.*s IS NOT NULL to the SELECT.", SLICE_FORMAT(name));
    }
    return STATUS_OK;
}

static enum status allocate(struct series_learner *series, struct error *err)
{
    series->starts = calloc((size_t)series->lanes * series->ranges + 1, sizeof *series->starts);
    series->arrays.counts = calloc(count_elements(series), sizeof *series->arrays.counts);
    series->tasks = calloc(series->each, sizeof *series->tasks);
    series->fitted = calloc((size_t)series->each * series->width, sizeof *series->fitted);
    return series->starts && series->arrays.counts && series->tasks && series->fitted
               ? STATUS_OK
               : fail_no_memory(err);
}

static enum status compute_fingerprint(struct series_learner *series, struct error *err)
{
    struct text bytes;
    bool failed;

    text_init(&bytes, FINGERPRINT_BYTES);
    jobspec_put_settings(series->spec, &bytes);
    put_u32(&bytes, series->lanes);
    put_u32(&bytes, series->ranges);
    put_u32(&bytes, series->each);
    state_put_data(series->dataset, &bytes);
    series->fingerprint = bytes_hash(bytes.data, bytes.size, 0);
    failed = bytes.failed;
    text_deinit(&bytes);
    return failed ? fail_no_memory(err) : STATUS_OK;
}

/* Lanes, ranges and what a phase takes: of the job and its rows alone. */
static void share_out(struct series_learner *series)
{
    const struct dataset *dataset = series->dataset;
    const uint64_t rows = dataset->train.rows;
    uint64_t ranges = 1 + row_store_bytes(dataset, rows) / HELD_BYTES;
    uint32_t each;

    series->lanes = job_lanes(series->spec->lanes, series->spec->lanes_max,
                              rows < UINT32_MAX ? (uint32_t)rows : UINT32_MAX, 0);
    if (ranges > RANGES_MAX / series->lanes)
        ranges = RANGES_MAX / series->lanes;
    each = ELEMENTS_MAX / (series->lanes * series->width);
    series->ranges = ranges > 0 ? (uint32_t)ranges : 1;
    series->each = each > SERIES_OF_A_LANE ? SERIES_OF_A_LANE : each > 0 ? each : 1;
}

static const struct learning table = {
    .close = series_close,
    .use_team = use_team,
    .restart = restart,
    .lanes = lanes_of,
    .elements_most = elements_most,
    .phase = phase_of,
    .steps_total = steps_total,
    .contribute = contribute,
    .apply = apply,
    .state_head = state_head,
    .state_bytes = state_bytes,
    .state_read = state_read,
    .take_begin = take_begin,
    .take_piece = take_piece,
    .take_end = take_end,
    .take_abandon = take_abandon,
    .measure = measure,
    .result = result,
    .publish = publish,
    .fingerprint = fingerprint_of,
    .check = check,
    .contributed = contributed,
    .verify = verify,
    .verify_used = verify_used,
    .verify_rows = verify_rows,
    .waited_ms = waited_ms,
    .course = course,
    .memory = memory,
};

enum status series_open(const struct jobspec *spec, const struct dataset *dataset,
                        struct team *team, struct learning *learning, struct error *err)
{
    struct series_learner *series = calloc(1, sizeof *series);
    const struct forecast_params *params = forecast_params(&spec->params);
    enum status status;

    if (!series)
        return fail_no_memory(err);
    series->spec = spec;
    series->dataset = dataset;
    series->team = team;
    series->groups = dataset->transform.input_count - 1;
    series->width = series_record_words(params->horizon);
    share_out(series);
    TRY_OR(failed, status, check_inputs(series, err));
    TRY_OR(failed, status,
           series_plan_make(params, !forecast_time_input(&dataset->transform)->spec.part,
                            &series->plan, err));
    TRY_OR(failed, status, allocate(series, err));
    dataset_share_out(dataset, &dataset->train, series->lanes * series->ranges, series->starts);
    row_store_keep(dataset, ROW_LANES_BYTES);
    TRY_OR(failed, status, compute_fingerprint(series, err));
    restart(series);
    *learning = table;
    learning->self = series;
    return STATUS_OK;
failed:
    series_close(series);
    return status;
}
