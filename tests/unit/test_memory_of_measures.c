/* Measures of models and counts of cells, with every allocation failing in turn. */
#include "base/bytes.h"
#include "scoring/bootstrap.h"
#include "scoring/columns/cell_counts.h"
#include "scoring/explanations/dependence.h"
#include "scoring/explanations/importance.h"
#include "scoring/metrics.h"
#include "scoring/statistics/drift.h"
#include "tests/check.h"
#include "tests/unit/failing_memory.h"
#include "tests/unit/scoring_fixture.h"
#include "tests/unit/watched_model.h"

#define ROWS        300 /* more than there is room for at first */
#define NUMBER_ROWS 1100

static void make_cells(uint32_t row, struct cell cells[4])
{
    cells[0] = (struct cell){.type = CELL_REAL, .real = row * 37 % 91};
    cells[1] = (struct cell){.type = CELL_REAL, .real = 170.5};
    cells[2] = (struct cell){.type = CELL_TEXT, .text = row % 3 ? SLICE("red") : SLICE("green")};
    cells[3] = (struct cell){.type = CELL_NULL};
}

/* Row `row` scored. */
static enum status score_row(struct scorer *scorer, uint32_t row, struct error *err)
{
    struct cell cells[4];

    make_cells(row, cells);
    TRY(scorer_transform(scorer, 0, cells, err));
    scorer_score(scorer, 1);
    return STATUS_OK;
}

static struct row_label label_of(const struct model *model, uint32_t row)
{
    return model->task == TASK_REGRESSION
               ? (struct row_label){.value = row}
               : (struct row_label){.class = row % (model->labels.count + 1)};
}

static enum status add_to_importance(struct importance *importance, const struct model *model,
                                     struct error *err)
{
    enum status status = STATUS_OK;
    struct scorer scorer;

    TRY(scorer_init(&scorer, model, 1, err));
    for (uint32_t i = 0; status == STATUS_OK && i < ROWS; i++) {
        const struct row_label label = label_of(model, i);

        status = score_row(&scorer, i, err);
        if (status == STATUS_OK)
            status = held_rows_add(importance_held(importance), &scorer, &label, err);
    }
    scorer_deinit(&scorer);
    return status;
}

static enum status explain(void *context, struct text *result, struct error *err)
{
    static const uint32_t age = 0;
    const struct model *model = context;
    const struct importance_options options = {
        .metric = model->task == TASK_REGRESSION ? SLICE("MAE") : SLICE("LogLoss"),
        .rows_max = ROWS};
    struct importance *importance;
    double baseline = 0, value = 0;
    enum status status;

    TRY(importance_new(model, &options, &importance, err));
    status = add_to_importance(importance, model, err);
    if (status == STATUS_OK)
        status = importance_begin(importance, &baseline, err);
    if (status == STATUS_OK)
        status = importance_measure(importance, SLICE("age"), &age, 1, 0, &value, err);
    if (status == STATUS_OK)
        text_append_real(result, value - baseline);
    importance_free(importance);
    return status;
}

static enum status add_to_metrics(struct metrics *metrics, const struct model *model,
                                  struct error *err)
{
    enum status status = STATUS_OK;
    struct scorer scorer;

    TRY(scorer_init(&scorer, model, 1, err));
    for (uint32_t i = 0; status == STATUS_OK && i < ROWS; i++) {
        const struct row_label label = label_of(model, i);

        status = score_row(&scorer, i, err);
        if (status == STATUS_OK)
            status = metrics_add(metrics, &scorer, &label, err);
    }
    scorer_deinit(&scorer);
    return status;
}

struct reporting {
    const struct model *model;
    enum report_kind kind;
};

static enum status report(void *context, struct text *result, struct error *err)
{
    const struct reporting *reporting = context;
    const struct metrics_options options = {.report = reporting->kind, .ranks_classes = true};
    struct report_rows rows;
    struct metrics *metrics;
    struct arena arena;
    enum status status;

    TRY(metrics_new(reporting->model, &options, &metrics, err));
    arena_init(&arena, ARENA_MAXIMUM);
    status = add_to_metrics(metrics, reporting->model, err);
    if (status == STATUS_OK)
        status = report_make(metrics_report(metrics), &arena, &rows, err);
    for (size_t i = 0; status == STATUS_OK && i < rows.rows * rows.columns; i++)
        text_append_real(result, rows.cells[i].type == CELL_REAL ? rows.cells[i].real
                                                                 : (double)rows.cells[i].integer);
    arena_deinit(&arena);
    metrics_free(metrics);
    return status;
}

/* Without memory it fails, and gives no NULL. */
static enum status rank(void *context, struct text *result, struct error *err)
{
    const struct metrics_options options = {.ranks_classes = true};
    struct metrics *metrics;
    enum status status;

    TRY(metrics_new(context, &options, &metrics, err));
    status = add_to_metrics(metrics, context, err);
    if (status == STATUS_OK) {
        text_append_real(result, metrics_value(metrics, METRIC_AUC));
        text_append_real(result, metrics_value(metrics, METRIC_PR_AUC));
    }
    metrics_free(metrics);
    return status;
}

static enum status count_keys(struct cell_census *census, struct error *err)
{
    for (int64_t i = 0; i < 200; i++) {
        const struct cell number = {.type = CELL_INTEGER, .integer = i};
        const struct cell text = {.type = CELL_TEXT, .text = SLICE("word")};

        TRY(cell_count(census, 0, &number, err));
        TRY(cell_count(census, 1, &text, err));
    }
    return STATUS_OK;
}

/* Counted, merged into one that is empty, and read from bytes into that, too. */
static enum status count_and_merge(struct cell_census *census, struct cell_census *merged,
                                   struct cell_census *read, struct text *result, struct error *err)
{
    struct byte_reader reader;

    TRY(count_keys(census, err));
    TRY(cell_census_merge(merged, census, err));
    cell_census_put(merged, result);
    if (result->failed)
        return fail_no_memory(err);
    reader = byte_reader_over(text_slice(result));
    return cell_census_read(read, &reader, err);
}

static enum status take_census(void *context, struct text *result, struct error *err)
{
    static const bool are_keys[] = {true, false};
    struct cell_census *made[3] = {NULL};
    enum status status = STATUS_OK;

    (void)context;
    for (int i = 0; status == STATUS_OK && i < 3; i++)
        status = cell_census_new(2, are_keys, &made[i], err);
    if (status == STATUS_OK)
        status = count_and_merge(made[0], made[1], made[2], result, err);
    for (int i = 0; i < 3; i++)
        cell_census_free(made[i]);
    return status;
}

/* More rows of groups, or of times, than there is room for the first time that it grows. */
static enum status measure_numbers(void *context, struct text *result, struct error *err)
{
    const struct aim_facts *aim = context;
    const struct measure measure = {.metric =
                                        aim->aim == AIM_RANKS ? METRIC_NDCG : METRIC_CONCORDANCE};
    enum status status = STATUS_OK;
    struct number_metrics metrics;

    number_metrics_init(&metrics, aim, NULL, 0);
    for (uint32_t i = 0; status == STATUS_OK && i < NUMBER_ROWS; i++) {
        const double predicted = i * 37 % 91, label = i * 7 % 13;
        const struct number_measures row = {{&predicted, label, label}, i / 10, i};

        status = number_metrics_add(&metrics, &row, err);
    }
    if (status == STATUS_OK)
        text_append_real(result, number_metrics_value(&metrics, measure));
    number_metrics_deinit(&metrics);
    return status;
}

static enum status measure_clusters(void *context, struct text *result, struct error *err)
{
    struct metrics *metrics;
    enum status status;

    TRY(metrics_new(context, NULL, &metrics, err));
    status = add_to_metrics(metrics, context, err);
    if (status == STATUS_OK)
        text_append_real(result, metrics_value(metrics, METRIC_SILHOUETTE));
    metrics_free(metrics);
    return status;
}

static enum status watch_rows(struct drift *drift, const struct model *model, struct error *err)
{
    enum status status = STATUS_OK;
    struct scorer scorer;

    TRY(scorer_init(&scorer, model, 1, err));
    for (uint32_t i = 0; status == STATUS_OK && i < ROWS; i++) {
        struct cell cells[4];

        watched_cells(i, cells);
        status = watched_score(&scorer, i, err);
        if (status == STATUS_OK)
            status = drift_take_row(drift, &scorer, 0, cells, err);
        if (status == STATUS_OK)
            status = drift_take_prediction(drift, &scorer, err);
    }
    scorer_deinit(&scorer);
    return status;
}

static enum status watch(void *context, struct text *result, struct error *err)
{
    struct report_rows rows;
    struct arena arena;
    struct drift *drift;
    enum status status;

    TRY(drift_new(context, DRIFT_NUMBERS_MAX, &drift, err));
    arena_init(&arena, ARENA_MAXIMUM);
    status = watch_rows(drift, context, err);
    if (status == STATUS_OK)
        status = drift_make(drift, &arena, &rows, err);
    for (size_t i = 0; status == STATUS_OK && i < rows.rows; i++)
        text_append_real(result, rows.cells[i * rows.columns + 1].real);
    arena_deinit(&arena);
    drift_free(drift);
    return status;
}

static enum status keep_statistics(void *context, struct text *result, struct error *err)
{
    struct fixture *fixture = context;

    TRY(watched_keep(fixture, err));
    for (uint32_t i = 0; i < fixture->model.statistics_count; i++)
        text_append(result, fixture->model.statistics[i]);
    return STATUS_OK;
}

static enum status resample(void *context, struct text *result, struct error *err)
{
    const struct model *model = context;
    const struct metrics_options options = {.ranks_classes = model->labels.count > 2,
                                            .keeps_rows = true,
                                            .bootstrap = {.level = 0.9, .resamples = 2}};
    const struct measure measure = {.metric =
                                        model->task == TASK_REGRESSION ? METRIC_RMSE : METRIC_AUC};
    struct metric_bounds bounds = {0};
    struct metrics *metrics;
    enum status status;

    TRY(metrics_new(model, &options, &metrics, err));
    status = add_to_metrics(metrics, model, err);
    if (status == STATUS_OK)
        status = bootstrap_bounds(metrics_bootstrap(metrics), &measure, 1, NULL, &bounds, err);
    if (status == STATUS_OK) {
        text_append_real(result, bounds.lower);
        text_append_real(result, bounds.upper);
    }
    metrics_free(metrics);
    return status;
}

static enum status hold_rows(struct held_rows *held, const struct model *model, struct error *err)
{
    const struct row_label none = {.class = 0};
    enum status status = STATUS_OK;
    struct scorer scorer;

    TRY(scorer_init(&scorer, model, 1, err));
    for (uint32_t i = 0; status == STATUS_OK && i < ROWS; i++) {
        status = score_row(&scorer, i, err);
        if (status == STATUS_OK)
            status = held_rows_add(held, &scorer, &none, err);
    }
    scorer_deinit(&scorer);
    return status == STATUS_OK ? held_rows_sort(held, err) : status;
}

/* The numbers of age, and the words of colour. */
static enum status depend_on(struct dependence *dependence, const struct model *model,
                             uint32_t column, struct arena *arena, struct text *result,
                             struct error *err)
{
    const struct transform_input *input = dependence_input(&model->transform, column);
    struct dependence_point *points;
    double means[16];
    uint32_t count;

    TRY(dependence_points(dependence, input, 5, arena, &points, &count, err));
    for (uint32_t i = 0; i < count; i++) {
        TRY(dependence_measure(dependence, input, &points[i], NULL, means, NULL, err));
        for (uint32_t j = 0; j < dependence_outputs(model); j++)
            text_append_real(result, means[j]);
    }
    return STATUS_OK;
}

static enum status depend(void *context, struct text *result, struct error *err)
{
    const struct model *model = context;
    struct dependence *dependence = NULL;
    struct held_rows held;
    struct arena arena;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    held_rows_init(&held, model, ROWS);
    status = hold_rows(&held, model, err);
    if (status == STATUS_OK)
        status = dependence_new(&held, &dependence, err);
    for (uint32_t column = 0; status == STATUS_OK && column < 3; column += 2)
        status = depend_on(dependence, model, column, &arena, result, err);
    dependence_free(dependence);
    held_rows_deinit(&held);
    arena_deinit(&arena);
    return status;
}

static void model_init(struct fixture *fixture, uint32_t classes)
{
    const uint32_t widths[] = {classes > 2 ? classes : 1};

    fixture_init(fixture, classes);
    fixture_layers(fixture, widths, 1);
}

static void every_allocation_of_explaining_a_model_may_fail(void **state)
{
    static const uint32_t classes[] = {0, 2, 3};
    (void)state;

    for (size_t i = 0; i < 3; i++) {
        struct fixture fixture;

        model_init(&fixture, classes[i]);
        check_every_allocation_may_fail("explain", explain, &fixture.model);
        fixture_deinit(&fixture);
    }
}

static void every_allocation_of_watching_a_model_may_fail(void **state)
{
    static const uint32_t classes[] = {0, 2, 3};
    (void)state;

    for (size_t i = 0; i < 3; i++) {
        struct fixture fixture;

        model_init(&fixture, classes[i]);
        check_every_allocation_may_fail("statistics", keep_statistics, &fixture);
        check_every_allocation_may_fail("drift", watch, &fixture.model);
        check_every_allocation_may_fail("resample", resample, &fixture.model);
        check_every_allocation_may_fail("depend", depend, &fixture.model);
        fixture_deinit(&fixture);
    }
}

static void every_allocation_of_a_report_may_fail(void **state)
{
    (void)state;
    for (int kind = REPORT_CONFUSION; kind <= REPORT_RESIDUALS; kind++) {
        struct reporting reporting = {.kind = (enum report_kind)kind};
        struct fixture fixture;

        model_init(&fixture, kind == REPORT_RESIDUALS ? 0 : 2);
        reporting.model = &fixture.model;
        check_every_allocation_may_fail(report_words[kind], report, &reporting);
        fixture_deinit(&fixture);
    }
}

static void every_allocation_of_ranking_classes_may_fail(void **state)
{
    struct fixture fixture;
    (void)state;

    model_init(&fixture, 3);
    check_every_allocation_may_fail("rank", rank, &fixture.model);
    fixture_deinit(&fixture);
}

static void every_allocation_of_measuring_numbers_may_fail(void **state)
{
    struct aim_facts aims[] = {{.aim = AIM_RANKS}, {.aim = AIM_TIMES}, {.aim = AIM_HAZARDS}};
    (void)state;

    for (size_t i = 0; i < 3; i++)
        check_every_allocation_may_fail("numbers", measure_numbers, &aims[i]);
}

/* Three outputs are the distances to three clusters. */
static void every_allocation_of_measuring_clusters_may_fail(void **state)
{
    struct fixture fixture;
    (void)state;

    model_init(&fixture, 3);
    fixture.model.task = TASK_CLUSTERING;
    check_every_allocation_may_fail("clusters", measure_clusters, &fixture.model);
    fixture_deinit(&fixture);
}

static void every_allocation_of_a_census_may_fail(void **state)
{
    (void)state;
    check_every_allocation_may_fail("census", take_census, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_of_explaining_a_model_may_fail),
        cmocka_unit_test(every_allocation_of_watching_a_model_may_fail),
        cmocka_unit_test(every_allocation_of_a_report_may_fail),
        cmocka_unit_test(every_allocation_of_ranking_classes_may_fail),
        cmocka_unit_test(every_allocation_of_measuring_numbers_may_fail),
        cmocka_unit_test(every_allocation_of_measuring_clusters_may_fail),
        cmocka_unit_test(every_allocation_of_a_census_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
