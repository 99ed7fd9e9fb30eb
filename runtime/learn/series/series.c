#include "runtime/learn/series/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/sums/hash.h"
#include "jobspec/job_size.h"
#include "kinds/forecast/forecast_kept.h"
#include "runtime/data/dataset/row_lanes.h"
#include "runtime/data/dataset/row_store.h"
#include "runtime/learn/learner_memory.h"
#include "runtime/learn/learner_state.h"
#include "runtime/learn/series/series_lanes.h"
#include "runtime/learn/series/series_plan.h"
#include "scoring/tables/model_write.h"

#define HELD_BYTES       ((uint64_t)32 << 20) /* bytes of one range's rows, over all lanes */
#define ELEMENTS_MAX     (1u << 20)
#define SERIES_OF_A_LANE 8 /* fitted in one phase, at most: some ten milliseconds */
#define RANGES_MAX       (1u << 16)

FIELD_TABLE(progress_fields, struct series_progress, SERIES_FIELDS)

/* ---- the plan ---- */

enum series_stage series_stage(const struct series_learner *series)
{
    const struct series_progress *progress = &series->progress;

    if (!progress->is_counted)
        return STAGE_COUNT;
    if (progress->trees < series_grow_total(series))
        return STAGE_GROW;
    if (progress->range < series->learner.ranges)
        return STAGE_FIT;
    if (progress->summed < series->totals.sums)
        return STAGE_SUM;
    return progress->done < series->total + series->totals.count ? STAGE_TOTALS : STAGE_DONE;
}

static int64_t series_of_range(const struct series_learner *series, uint32_t lane, uint32_t range)
{
    return series->counts[COMMON_STEPS_COUNTS + (size_t)lane * series->learner.ranges + range];
}

/* Totals that are fitted already. */
static uint32_t totals_done(const struct series_learner *series)
{
    return (uint32_t)(series->progress.done - series->total);
}

uint32_t series_first_total(const struct series_learner *series, uint32_t lane)
{
    return totals_done(series) + series_before(series, lane);
}

uint32_t series_of_lane(const struct series_learner *series, uint32_t lane)
{
    int64_t left;

    if (series_stage(series) == STAGE_TOTALS)
        left = (int64_t)series->totals.count - totals_done(series) - (int64_t)lane * series->each;
    else if (series_stage(series) == STAGE_FIT)
        left = series_of_range(series, lane, series->progress.range) -
               (int64_t)series->progress.part * series->each;
    else
        left = 0;
    return left <= 0 ? 0 : left < series->each ? (uint32_t)left : series->each;
}

uint32_t series_before(const struct series_learner *series, uint32_t lane)
{
    uint32_t before = 0;

    for (uint32_t i = 0; i < lane; i++)
        before += series_of_lane(series, i);
    return before;
}

void series_summed_now(const struct series_learner *series, uint32_t *first, uint32_t *end)
{
    *first = 0;
    while (series->totals.totals[*first].offset < series->progress.summed)
        ++*first;
    *end = series_totals_end(&series->totals, *first, ELEMENTS_MAX);
}

static uint32_t summed_now(const struct series_learner *series)
{
    const struct series_total *totals = series->totals.totals;
    uint32_t first, end;

    series_summed_now(series, &first, &end);
    return (uint32_t)(totals[end - 1].offset + totals[end - 1].length - totals[first].offset);
}

static void describe(void *self)
{
    struct series_learner *series = self;
    struct phase *phase = &series->learner.phase;

    phase->step = phase->number > 0 ? phase->number - 1 : 0;
    if (phase->kind == PHASE_DONE)
        return;
    phase->rows = series->learner.dataset->train.rows;
    if (series_stage(series) == STAGE_COUNT) {
        phase->owned_count = series_count_elements(series);
        return;
    }
    if (series_stage(series) == STAGE_GROW) {
        phase->owned_count = series_grow_elements(series);
        return;
    }
    if (series_stage(series) == STAGE_SUM) {
        phase->owned_count = summed_now(series);
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

    learner->steps_total = 1 + (uint64_t)series_grow_total(series) * series->grow.growth.depth +
                           (most + together - 1) / together;
}

static enum status contribute(void *self, uint32_t lane, uint32_t lane_count, int64_t *integers,
                              int64_t *sums, struct touched_rows *rows, uint32_t *done,
                              struct error *err)
{
    struct series_learner *series = self;
    (void)lane_count, (void)integers, (void)rows, (void)done;

    return series_contribute(series, lane, sums, err);
}

/* ---- apply ---- */

/* Room for the records of so many series, of which some may be there. A hierarchy is measured on a
 * copy of them. */
static enum status reserve_records(struct series_learner *series, uint64_t count, struct error *err)
{
    const uint64_t most = learner_bytes_max(series->learner.spec);
    const double copies = series->plan.hierarchy == HIERARCHY_NONE ? 2 : 3;
    const double bytes = (double)count * series->width * sizeof *series->records;
    int64_t *records;

    if (copies * bytes + (double)series->totals.sums * sizeof *series->sums > (double)most) {
        fail(err, STATUS_LIMIT,
             "the forecasts of %llu series take %.0f bytes, of which a worker has %s, and it has "
             "at most %llu",
             (unsigned long long)count, bytes, copies == 2 ? "two" : "three",
             (unsigned long long)most);
        return learner_hint_bytes(series->learner.spec,
                                  "Lower forecast.horizon, or forecast fewer series.", err);
    }
    if (count < series->progress.done) /* totals were taken with the others */
        return STATUS_OK;
    records = realloc(series->records, (count * series->width + 1) * sizeof *records);
    if (!records)
        return fail_no_memory(err);
    series->records = records;
    return STATUS_OK;
}

/* The last time of all series. */
static void settle_end(struct series_learner *series)
{
    const int64_t *ends = series->counts + COMMON_STEPS_COUNTS + series_ranges(series);
    int64_t last = 0;

    if (series->plan.hierarchy == HIERARCHY_NONE)
        return;
    for (uint32_t i = 0; i < series_ranges(series); i++)
        last = ends[i] > last ? ends[i] : last;
    series->plan.end = series_end_time(last);
}

/* How far a hierarchy has come since the model that it goes on from; where it ends before that, all
 * series are fitted anew. */
static void settle_come(struct series_learner *series)
{
    struct series_plan *plan = &series->plan;
    struct steps steps = plan->steps;

    plan->has_come = false;
    if (plan->hierarchy == HIERARCHY_NONE || !series->olds.forecast)
        return;
    steps.first = series_olds_end(&series->olds);
    if (plan->end < steps.first)
        return;
    plan->has_come = true;
    plan->come = (uint32_t)steps_index(&steps, plan->end);
}

/* The counts are there: the steps that they tell, and room for what they count. */
static enum status settle_counts(struct series_learner *series, struct error *err)
{
    struct steps steps = common_steps_find(series->counts, series->plan.are_numbers);

    series->total = 0;
    for (uint32_t i = 0; i < series_ranges(series); i++)
        series->total += (uint64_t)series->counts[COMMON_STEPS_COUNTS + i];
    settle_end(series);
    if (series->plan.has_old_steps) /* few rows tell no step */
        steps = (struct steps){.unit = series->olds.forecast->unit,
                               .size = series->olds.forecast->size};
    TRY(series_olds_check_steps(&series->olds, &steps, err));
    TRY(series_plan_settle(&series->plan, &steps, err));
    settle_come(series);
    series_grow_settle(series);
    return reserve_records(series, series->total, err);
}

/* All series of the rows are fitted: the totals that they make up, and room for them. */
static enum status open_totals(struct series_learner *series, struct error *err)
{
    int64_t *sums;

    if (series->plan.hierarchy == HIERARCHY_NONE)
        return STATUS_OK;
    series_totals_deinit(&series->totals);
    TRY(series_totals_make(&series->plan, series->groups, series->records, series->total,
                           &series->totals, err));
    TRY(reserve_records(series, series->total + series->totals.count, err));
    sums = realloc(series->sums, (series->totals.sums + 1) * sizeof *sums);
    if (!sums)
        return fail_no_memory(err);
    series->sums = sums;
    return STATUS_OK;
}

static enum status apply_counts(struct series_learner *series, const int64_t *totals,
                                struct error *err)
{
    memcpy(series->counts, totals, series_count_elements(series) * sizeof *totals);
    TRY(settle_counts(series, err));
    series->progress.is_counted = true;
    set_steps(series);
    return STATUS_OK;
}

static void apply_records(struct series_learner *series, const int64_t *totals)
{
    const size_t count = series->learner.phase.owned_count;

    memcpy(series->records + series->progress.done * series->width, totals, count * sizeof *totals);
    series->progress.part += series_stage(series) == STAGE_FIT;
    series->progress.done += count / series->width;
}

static void apply_sums(struct series_learner *series, const int64_t *totals)
{
    const size_t count = series->learner.phase.owned_count;

    memcpy(series->sums + series->progress.summed, totals, count * sizeof *totals);
    series->progress.summed += count;
}

/* The next series that are not fitted yet, or the end. */
static enum status next_fit(struct series_learner *series, struct error *err)
{
    struct series_progress *progress = &series->progress;
    const bool was_fitting = series_stage(series) == STAGE_FIT;

    while (series_stage(series) == STAGE_FIT && series_before(series, series->learner.lanes) == 0) {
        progress->range++;
        progress->part = 0;
    }
    if (was_fitting && series_stage(series) != STAGE_FIT)
        TRY(open_totals(series, err));
    if (series_stage(series) == STAGE_DONE)
        series->learner.phase.kind = PHASE_DONE;
    return STATUS_OK;
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
    if (series_stage(series) == STAGE_COUNT) {
        TRY(apply_counts(series, totals->owned, err));
    } else {
        report->step_applied = true;
        report->rows_applied = phase->rows;
        if (series_stage(series) == STAGE_GROW)
            series_grow_apply(series, totals->owned);
        else if (series_stage(series) == STAGE_SUM)
            apply_sums(series, totals->owned);
        else
            apply_records(series, totals->owned);
    }
    return next_fit(series, err);
}

/* ---- state ---- */

/* May the next apply make totals of the records? */
static bool makes_totals(const struct series_learner *series)
{
    return series->plan.hierarchy != HIERARCHY_NONE && series->progress.is_counted &&
           series->progress.range + 1 == series->learner.ranges;
}

static uint32_t arrays(void *self, struct learner_array list[LEARNER_ARRAYS_MAX])
{
    struct series_learner *series = self;

    list[0] = (struct learner_array){(void **)&series->counts,
                                     series_count_elements(series) * sizeof *series->counts,
                                     LEARNER_USED, "the counts of series", "counts"};
    list[1] = (struct learner_array){
        (void **)&series->records, series->progress.done * series->width * sizeof *series->records,
        LEARNER_SIZED | LEARNER_APPENDED | (makes_totals(series) ? LEARNER_USED : 0),
        "the forecasts", "weights"};
    list[2] = (struct learner_array){
        (void **)&series->sums, series->progress.summed * sizeof *series->sums,
        LEARNER_SIZED | LEARNER_APPENDED | LEARNER_USED, "the sums of totals", "sums"};
    list[3] = (struct learner_array){
        (void **)&series->grow.trees, series_grow_bytes(series, series->progress.trees),
        LEARNER_SIZED | LEARNER_APPENDED | LEARNER_USED, "the trees", "trees"};
    list[4] = (struct learner_array){(void **)&series->grow.growing, series_grow_bytes(series, 1),
                                     LEARNER_USED, "the tree that grows", "growing"};
    return 5;
}

static bool is_possible(const void *self, const struct learner_taking *coming)
{
    const struct series_learner *series = self;
    const struct series_progress *progress = coming->progress;
    const bool is_done = coming->phase.kind == PHASE_DONE;
    const uint64_t most = series->learner.dataset->train.rows * (1 + (uint64_t)series->groups);

    if ((coming->phase.kind != PHASE_LEARN && !is_done) || progress->done > most ||
        coming->bytes[1] != progress->done * series->width * sizeof *series->records ||
        coming->bytes[2] != progress->summed * sizeof *series->sums ||
        progress->trees > series_grow_total(series) ||
        (progress->level > 0 && progress->level >= series->grow.growth.depth) ||
        coming->bytes[3] != series_grow_bytes(series, progress->trees))
        return false;
    if (!progress->is_counted)
        return coming->phase.number == 0 && !is_done && progress->done == 0 &&
               progress->summed == 0 && progress->trees == 0 && progress->level == 0;
    if (progress->trees < series_grow_total(series))
        return coming->phase.number > 0 && !is_done && progress->done == 0 && progress->range == 0;
    if (coming->phase.number == 0 || progress->range > series->learner.ranges ||
        (is_done && progress->range < series->learner.ranges))
        return false;
    return series->plan.hierarchy != HIERARCHY_NONE ||
           (progress->summed == 0 && is_done == (progress->range == series->learner.ranges));
}

/* The counts make up the records that came, and those that will. */
static enum status check_counts(const struct series_learner *series, struct error *err)
{
    uint64_t left = series->learner.dataset->train.rows;

    for (uint32_t i = 0; i < series_ranges(series); i++) {
        const int64_t count = series->counts[COMMON_STEPS_COUNTS + i];

        if (count < 0 || (uint64_t)count > left)
            return state_corrupt(err, "it counts more series than there are rows");
        left -= (uint64_t)count;
    }
    return STATUS_OK;
}

/* And so do the totals. */
static enum status check_done(const struct series_learner *series, struct error *err)
{
    const struct series_progress *progress = &series->progress;
    const bool is_done = series->learner.phase.kind == PHASE_DONE;

    if (progress->done > series->total + series->totals.count ||
        (progress->range == series->learner.ranges && progress->done < series->total) ||
        progress->summed > series->totals.sums)
        return state_corrupt(err, "it has forecasts of more series than it counts");
    return is_done == (series_stage(series) == STAGE_DONE)
               ? STATUS_OK
               : state_corrupt(err, "it ends before all series are forecast");
}

static enum status enter(void *self, const struct learner_taking *taken, struct error *err)
{
    struct series_learner *series = self;
    struct series_progress *progress = &series->progress;

    series_model_deinit(&series->model);
    series_totals_deinit(&series->totals);
    series->is_measured = false;
    series->total = 0;
    TRY(series_grow_reserve(series, err));
    set_steps(series);
    if (!taken || !progress->is_counted)
        return STATUS_OK;
    TRY(check_counts(series, err));
    TRY(settle_counts(series, err));
    TRY(series_grow_check(series, err));
    if (progress->range == series->learner.ranges && progress->done >= series->total)
        TRY(open_totals(series, err));
    set_steps(series);
    return check_done(series, err);
}

/* ---- the model ---- */

static enum status measure(void *self, bool *is_done, struct error *err)
{
    struct series_learner *series = self;

    *is_done = series->is_measured;
    if (series->is_measured)
        return STATUS_OK;
    series_model_deinit(&series->model);
    TRY(series_model_make(&series->plan, series->olds.forecast, series->learner.spec,
                          series->learner.dataset, series->records, series->progress.done,
                          &series->model, err));
    series_grow_tell(series, &series->model.notices);
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
    series_totals_deinit(&series->totals);
    series_olds_close(&series->olds);
    series_grow_close(series);
    free(series->tasks);
    free(series->fitted);
}

/* NULLs that no series, and no time, is; and totals that the planner makes none of. */
static enum status check_inputs(const struct series_learner *series, struct error *err)
{
    const struct transform *transform = &series->learner.dataset->transform;

    if (forecast_params(&series->learner.spec->params)->hierarchy != HIERARCHY_NONE &&
        (series->groups == 0 || forecast_regressors(transform) > 0 ||
         series->learner.spec->holidays))
        return fail(err, STATUS_INVALID, "totals are over a group, and have no regressors");
    if (series->learner.spec->holidays && !forecast_time_input(transform)->spec.part)
        return fail(err, STATUS_INVALID, "holidays are days, and the times are numbers");
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
    learner->elements_most =
        fitted > series_count_elements(series) ? fitted : series_count_elements(series);
    if (series->plan.hierarchy != HIERARCHY_NONE && learner->elements_most < ELEMENTS_MAX)
        learner->elements_most = ELEMENTS_MAX;
    if (learner->elements_most < series_grow_elements_most(series))
        learner->elements_most = series_grow_elements_most(series);
    return STATUS_OK;
}

static enum status plan(void *self, struct error *err)
{
    struct series_learner *series = self;
    const struct dataset *dataset = series->learner.dataset;
    const struct forecast_params *params = forecast_params(&series->learner.spec->params);

    series->groups = forecast_groups(&dataset->transform);
    TRY(check_inputs(series, err));
    TRY(series_plan_make(params, !forecast_time_input(&dataset->transform)->spec.part,
                         &series->plan, err));
    series_grow_plan(series);
    series->plan.regressors = forecast_regressors(&dataset->transform);
    series->plan.regressor_inputs = forecast_time_input(&dataset->transform) + 1;
    series->plan.holidays = series->learner.spec->holidays;
    if (series_plan_width(&series->plan) > REGRESSORS_MAX)
        return fail(err, STATUS_INVALID, "a forecast has %d regressors and holidays at most",
                    REGRESSORS_MAX);
    if (params->keeps)
        series->plan.kept = forecast_kept_most(params, series_plan_width(&series->plan));
    series->plan.values = params->keeps ? params->values : 0;
    if (series->plan.values > 0 && series->plan.regressors > 0)
        return fail(err, STATUS_INVALID, "values are kept of series without regressors");
    TRY(series_olds_open(dataset, series->groups, series->plan.holidays, &series->olds, err));
    if (series->olds.forecast && (series->olds.forecast->kept > series->plan.kept ||
                                  series->olds.forecast->fitted.values != series->plan.values ||
                                  series->olds.forecast->hierarchy != series->plan.hierarchy ||
                                  series->olds.forecast->horizon != params->horizon))
        return fail(err, STATUS_CORRUPT, "the old model keeps other parameters than its kind has");
    series->plan.has_old_steps = series->olds.forecast && series->plan.values > 0;
    series->width = series_plan_words(&series->plan);
    TRY(share_out(series, err));
    TRY(allocate(series, err));
    TRY(series_grow_begin(series, err));
    row_store_keep(dataset, ROW_LANES_BYTES);
    return STATUS_OK;
}

static void *memory(void *self, const char *name, size_t *size)
{
    struct series_learner *series = self;
    void *rows = series_grow_memory(series, name, size);

    return rows ? rows : learner_rows_memory(&series->learner, name, size);
}

const struct learner_method series_learner = {
    .bytes = sizeof(struct series_learner),
    .progress = progress_fields,
    .progress_at = offsetof(struct series_learner, progress),
    .progress_bytes = sizeof(struct series_progress),
    .plan = plan,
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
    .memory = memory,
};
