#include "tests/check.h"

#include <math.h>

#include "kinds/forecast/forecast_attributes.h"
#include "runtime/data/dataset/row_store.h"
#include "runtime/data/dataset_open.h"
#include "runtime/learn/series/series_learner.h"
#include "runtime/learners/learners.h"
#include "tests/unit/data_fixture.h"
#include "tests/unit/learner_group.h"

#define COLUMNS_MAX 5  /* two that tell a series, the time, a regressor, the value */
#define VALUES      9  /* values of each series, but for some */
#define VALUES_MORE 20 /* the same of a series with a regressor */

struct table {
    struct folder folder;
    struct spool_column columns[COLUMNS_MAX];
    struct input_spec inputs[COLUMNS_MAX - 1];
    struct jobspec spec;
    uint32_t groups, series;
    bool has_regressor;
    struct cell *cells;
    uint32_t rows;
    struct dataset dataset;
};

/* ---- tables ---- */

static uint32_t columns_of(const struct table *table)
{
    return table->groups + 2 + table->has_regressor;
}

static void add_series(struct table *table, uint32_t series)
{
    static char words[8][8];
    const uint32_t first = series % 3;
    const uint32_t count = (table->has_regressor ? VALUES_MORE : VALUES) - series % 4;

    for (uint32_t i = first; i < first + count; i++) {
        struct cell *row = table->cells + (size_t)table->rows++ * columns_of(table);
        uint32_t column = 0;

        snprintf(words[series % 8], sizeof words[0], "s%u", series % 8);
        if (table->groups > 0)
            row[column++] =
                table->groups == 1 ? integer_cell(series) : text_cell(words[series % 8]);
        if (table->groups > 1)
            row[column++] = integer_cell(series / 8);
        row[column++] = real_cell(i);
        if (table->has_regressor)
            row[column++] = real_cell((i * 3 + series) % 5 / 4.0);
        row[column] = (i + series) % 7 == 3 ? null_cell()
                                            : real_cell(100 * (series + 1) + (i * i + series) % 5);
    }
}

/* Series that are told by so many columns, with values that are missing. No columns: one series. */
static void table_make_with(struct table *table, uint32_t groups, uint32_t series,
                            bool has_regressor)
{
    static const struct spool_column columns[] = {
        {SLICE("store"), SPOOL_TEXT, READING_NUMBER, 0, {LIST_NONE}},
        {SLICE("item"), SPOOL_INTEGER, READING_NUMBER, 0, {LIST_NONE}},
        {SLICE("day"), SPOOL_REAL, READING_NUMBER, 0, {LIST_NONE}},
        {SLICE("promo"), SPOOL_REAL, READING_NUMBER, 0, {LIST_NONE}},
        {SLICE("sales"), SPOOL_REAL, READING_NUMBER, 0, {LIST_NONE}}};

    *table = (struct table){
        .groups = groups,
        .series = series,
        .has_regressor = has_regressor,
        .spec = {.family = SLICE("forecast"),
                 .estimator = SLICE("Naive"),
                 .task = TASK_REGRESSION,
                 .label = SLICE("sales"),
                 .label_type = LABEL_REAL,
                 .input_count = groups + 1 + has_regressor,
                 .shuffle = true,
                 .seed = 3,
                 .lanes = 8,
                 .lanes_max = 64},
    };
    folder_open(&table->folder);
    memcpy(table->columns, columns + (2 - groups), (groups + 2) * sizeof *columns);
    table->columns[columns_of(table) - 1] = columns[4];
    for (uint32_t i = 0; i < groups; i++)
        table->inputs[i] = (struct input_spec){.name = columns[2 - groups + i].name,
                                               .type = INPUT_CATEGORY,
                                               .vocabulary_max = CATEGORY_WORDS_MAX};
    table->inputs[groups] = (struct input_spec){.name = SLICE("day"), .type = INPUT_NUMERIC};
    table->inputs[groups + 1] = (struct input_spec){.name = SLICE("promo"), .type = INPUT_NUMERIC};
    table->spec.inputs = table->inputs;
    *forecast_params(&table->spec.params) =
        (struct forecast_params){.horizon = 2, .level = .9, .backtests = 1};
    while (strcmp(forecast_method_words[forecast_params(&table->spec.params)->method], "naive") !=
           0)
        forecast_params(&table->spec.params)->method++;
    table->cells = calloc((size_t)series * VALUES_MORE * columns_of(table), sizeof *table->cells);
    for (uint32_t i = 0; i < series; i++)
        add_series(table, i);
}

static void table_make(struct table *table, uint32_t groups, uint32_t series)
{
    table_make_with(table, groups, series, false);
}

/* Small trees, that all series share. */
static void table_use_trees(struct table *table)
{
    struct forecast_params *params = forecast_params(&table->spec.params);

    while (strcmp(forecast_method_words[params->method], "trees") != 0)
        params->method++;
    params->rounds = 3;
    params->max_depth = 2;
    params->eta = .3;
    params->min_rows = 5;
    params->backtests = 2;
}

/* order: as of write_spool. */
static void table_read(struct table *table, const uint32_t *order)
{
    const struct spool_order lies = dataset_order(&table->spec, false, 1);
    const uint32_t count = columns_of(table);
    struct spool_writer *writer;
    struct error err;

    dataset_close(&table->dataset);
    CHECK_OK(spool_writer_open(folder_file(&table->folder, "train.spool"), table->columns, count, 0,
                               &writer, &err));
    CHECK_OK(spool_writer_sort(writer, &lies, &err));
    for (uint32_t i = 0; i < table->rows; i++) {
        for (uint32_t c = 0; c < count; c++)
            CHECK_OK(
                put_cell(writer, &table->cells[(size_t)(order ? order[i] : i) * count + c], &err));
        CHECK_OK(spool_end_row(writer, &err));
    }
    CHECK_OK(spool_writer_close(writer, &err));
    CHECK_OK(dataset_open(table->folder.path, NULL, &table->spec, NULL, &table->dataset, &err));
}

static void table_open(struct table *table, uint32_t groups, uint32_t series)
{
    table_make(table, groups, series);
    table_read(table, NULL);
}

/* All rows are in memory from now on. */
static void hold_rows(const struct table *table)
{
    const struct dataset *dataset = &table->dataset;
    struct error err;

    CHECK_OK(row_store_hold(dataset, &dataset->train, 0, dataset->train.rows, NULL, &err));
}

static void table_close(struct table *table)
{
    dataset_close(&table->dataset);
    free(table->cells);
    folder_close(&table->folder);
}

/* ---- groups of workers ---- */

/* Each adds its lanes, which `mix` deals, all apply the totals. */
static void group_phase(struct group *group, uint32_t mix)
{
    const struct phase phase = *phase_of(group);
    struct learner *first = group->learners[0];
    int64_t *sums = calloc(phase.owned_count + 1, sizeof *sums);
    const uint32_t lanes = first->lanes;
    struct learner_report report;
    struct error err;
    uint32_t done;

    CHECK(sums != NULL && phase.integer_count == 0 && phase.real_count == 0);
    CHECK(phase.owned_count <= first->elements_most);
    for (uint32_t i = 0; i < lanes; i++) {
        const uint32_t lane = mix % 2 ? lanes - 1 - i : i;
        struct learner *worker = group->learners[(lane * (mix + 1) + mix) % group->count];

        CHECK_OK(learner_contribute(worker, lane, 1, NULL, sums, NULL, &done, &err));
        CHECK_INT(done, 1);
    }
    for (uint32_t w = 0; w < group->count; w++) {
        struct learner *worker = group->learners[w];

        CHECK_OK(
            learner_apply(worker, &(struct phase_totals){NULL, sums, NULL, NULL}, &report, &err));
        CHECK(learner_check(worker) == learner_check(first));
        CHECK_OK(learner_verify(worker, LOOK_AT_ALL, NULL, &err));
    }
    free(sums);
}

struct outcome {
    char digest[DIGEST_BYTES];
    uint64_t rows;
    size_t metrics;
};

static struct outcome outcome_of(struct learner *learning)
{
    struct result_metric metrics[LEARNER_METRICS_MAX];
    struct outcome outcome;
    bool is_done = false;
    struct error err;

    while (!is_done)
        CHECK_OK(learner_measure(learning, &is_done, &err));
    CHECK_OK(
        learner_result(learning, outcome.digest, &outcome.rows, metrics, &outcome.metrics, &err));
    return outcome;
}

static struct outcome run_group(const struct table *table, uint32_t workers, uint32_t mix)
{
    struct outcome outcome;
    struct group group;

    group_open(&group, &table->spec, &table->dataset, workers);
    while (phase_of(&group)->kind != PHASE_DONE)
        group_phase(&group, mix++);
    outcome = outcome_of(group.learners[workers - 1]);
    group_close(&group);
    return outcome;
}

/* Trees learn from one of `every` rows, as where the table is large. */
static struct outcome run_sample(const struct table *table, uint32_t workers, uint32_t every)
{
    struct outcome outcome;
    struct series_learner *series;
    struct group group;
    bool is_told = false;

    group_open(&group, &table->spec, &table->dataset, workers);
    for (uint32_t w = 0; w < workers; w++)
        ((struct series_learner *)group.learners[w])->grow.every = every;
    for (uint32_t mix = 0; phase_of(&group)->kind != PHASE_DONE; mix++)
        group_phase(&group, mix);
    outcome = outcome_of(group.learners[workers - 1]);
    series = (struct series_learner *)group.learners[workers - 1];
    for (size_t i = 0; i < series->model.notices.count; i++)
        is_told |= strstr(series->model.notices.items[i].text, "one of 3 values, a sample") != NULL;
    CHECK_INT(is_told, every == 3);
    group_close(&group);
    return outcome;
}

/* ---- the rows of a series ---- */

/* Rows that have the same in the columns of the group lie side by side, and no others between. */
static void rows_of_a_series_lie_side_by_side(void **state)
{
    static const uint32_t series[] = {1, 30, 30};
    (void)state;

    for (uint32_t groups = 0; groups < 3; groups++) {
        struct table table;
        const struct dataset_part *part = &table.dataset.train;
        uint32_t runs = 0;

        table_open(&table, groups, series[groups]);
        hold_rows(&table);
        CHECK_INT(part->rows, table.rows);
        CHECK(table.dataset.has_groups);
        for (uint64_t row = 0; row < part->rows; row++) {
            bool is_same = row > 0;

            for (uint32_t i = 0; i < groups && is_same; i++)
                is_same = part->ids[row * groups + i] == part->ids[(row - 1) * groups + i];
            CHECK(row == 0 || is_same == (part->hashes[row].high == part->hashes[row - 1].high));
            runs += !is_same;
        }
        CHECK_INT(runs, series[groups]);
        table_close(&table);
    }
}

/* Doubles, all their digits, and NAN for a NULL: the learner decides what that is. */
static void labels_are_kept_as_they_are(void **state)
{
    struct table table;
    uint32_t missing = 0, odd = 0;
    (void)state;

    table_make(&table, 1, 12);
    for (uint32_t i = 0; i < table.rows; i++) {
        struct cell *label = &table.cells[i * 3 + 2];

        missing += label->type == CELL_NULL;
        if (label->type != CELL_NULL)
            label->real += 1e-9 * i;
    }
    table_read(&table, NULL);
    hold_rows(&table);
    CHECK(missing > 0 && table.dataset.keeps_labels);
    for (uint64_t row = 0; row < table.dataset.train.rows; row++) {
        const double label = table.dataset.train.labels[row];

        missing -= isnan(label);
        odd += !isnan(label) && (double)(float)label != label;
    }
    CHECK_INT(missing, 0);
    CHECK(odd > 0);
    table_close(&table);
}

/* ---- the same bits ---- */

static void any_number_of_workers_makes_the_same_records(void **state)
{
    static const uint32_t workers[] = {2, 3, 8}, series[] = {1, 90, 200};
    (void)state;

    for (uint32_t groups = 0; groups < 3; groups++) {
        struct table table;
        struct outcome one;

        table_open(&table, groups, series[groups]);
        one = run_group(&table, 1, 0);
        CHECK_INT(one.rows, table.rows);
        CHECK(one.metrics > 0);
        for (uint32_t i = 0; i < 3; i++)
            assert_string_equal(run_group(&table, workers[i], i).digest, one.digest);
        table_close(&table);
    }
}

static void the_order_of_rows_changes_no_bit(void **state)
{
    struct table table;
    struct outcome first;
    (void)state;

    table_open(&table, 2, 60);
    first = run_group(&table, 1, 0);
    for (uint64_t seed = 1; seed < 4; seed++) {
        uint32_t *order = shuffled(table.rows, seed);

        table_read(&table, order);
        assert_string_equal(run_group(&table, 2, 1).digest, first.digest);
        free(order);
    }
    table_close(&table);
}

static void regressors_have_the_same_bits_however_rows_and_workers_come(void **state)
{
    static const uint32_t series[] = {1, 60, 60};
    (void)state;

    for (uint32_t groups = 0; groups < 3; groups++) {
        struct table table;
        struct outcome one;

        table_make_with(&table, groups, series[groups], true);
        table_read(&table, NULL);
        one = run_group(&table, 1, 0);
        for (uint32_t workers = 2; workers < 9; workers += 3) {
            uint32_t *order = shuffled(table.rows, workers);

            table_read(&table, order);
            assert_string_equal(run_group(&table, workers, groups).digest, one.digest);
            free(order);
        }
        table_close(&table);
    }
}

static void trees_have_the_same_bits_however_rows_and_workers_come(void **state)
{
    static const uint32_t series[] = {1, 60, 60};
    (void)state;

    for (uint32_t groups = 0; groups < 3; groups++) {
        struct table table;
        struct outcome one;

        table_make_with(&table, groups, series[groups], groups == 1);
        table_use_trees(&table);
        table_read(&table, NULL);
        one = run_group(&table, 1, 0);
        CHECK_INT(one.rows, table.rows);
        for (uint32_t workers = 2; workers < 9; workers += 3) {
            uint32_t *order = shuffled(table.rows, workers);

            table_read(&table, order);
            assert_string_equal(run_group(&table, workers, groups).digest, one.digest);
            free(order);
        }
        table_close(&table);
    }
}

static void check_threads(struct table *table)
{
    struct team *team = NULL;
    struct outcome alone;
    struct group group;
    struct error err;

    table_read(table, NULL);
    alone = run_group(table, 1, 0);
    group_open(&group, &table->spec, &table->dataset, 2);
    for (uint32_t phase = 0; phase_of(&group)->kind != PHASE_DONE; phase++) {
        struct team *next = team_new(1 + phase % 4);

        for (uint32_t w = 0; w < 2; w++)
            CHECK_OK(learner_use_team(group.learners[w], next, &err));
        team_free(team);
        team = next;
        group_phase(&group, phase);
    }
    assert_string_equal(outcome_of(group.learners[1]).digest, alone.digest);
    group_close(&group);
    team_free(team);
    table_close(table);
}

static void threads_leave_no_trace(void **state)
{
    struct table table;
    (void)state;

    for (int has_trees = 0; has_trees < 2; has_trees++) {
        table_make(&table, 1, has_trees ? 60 : 150);
        if (has_trees)
            table_use_trees(&table);
        check_threads(&table);
    }
}

static void a_sample_is_told_and_the_same_for_any_workers(void **state)
{
    struct outcome all, sample;
    struct table table;
    (void)state;

    table_make(&table, 1, 60);
    table_use_trees(&table);
    table_read(&table, NULL);
    table.spec.lanes = 4;
    all = run_sample(&table, 1, 1);
    sample = run_sample(&table, 1, 3);
    CHECK(strcmp(sample.digest, all.digest) != 0);
    assert_string_equal(run_sample(&table, 3, 3).digest, sample.digest);
    table_close(&table);
}

/* ---- states ---- */

/* A worker that was further on, or has learned nothing, goes on from any phase of another's. */
static void check_states(struct table *table)
{
    struct outcome wanted;
    uint64_t phases = 0;

    table_read(table, NULL);
    table->spec.lanes = 4;
    wanted = run_group(table, 1, 0);
    for (uint64_t taken = 0, is_last = false; !is_last; taken++)
        for (uint32_t ahead = 0; ahead < 5; ahead += 4) {
            struct group old, new;

            group_open(&old, &table->spec, &table->dataset, 1);
            group_open(&new, &table->spec, &table->dataset, 2);
            while (phase_of(&old)->number < taken && phase_of(&old)->kind != PHASE_DONE)
                group_phase(&old, 0);
            is_last = phase_of(&old)->kind == PHASE_DONE;
            for (uint32_t i = 0; i < ahead; i++)
                group_phase(&new, i);
            for (uint32_t w = 0; w < 2; w++)
                give_state(old.learners[0], new.learners[w]);
            CHECK_INT(phase_of(&new)->number, phase_of(&old)->number);
            CHECK_INT(phase_of(&new)->owned_count, phase_of(&old)->owned_count);
            while (phase_of(&new)->kind != PHASE_DONE)
                group_phase(&new, 1);
            assert_string_equal(outcome_of(new.learners[1]).digest, wanted.digest);
            for (uint32_t w = 0; w < 2; w++)
                learner_restart(new.learners[w]);
            CHECK_INT(phase_of(&new)->number, 0);
            while (phase_of(&new)->kind != PHASE_DONE)
                group_phase(&new, 2);
            assert_string_equal(outcome_of(new.learners[0]).digest, wanted.digest);
            group_close(&old);
            group_close(&new);
            phases = taken;
        }
    CHECK(phases > 5); /* the count, and some series of each lane at a time */
    table_close(table);
}

static void a_state_taken_at_any_phase_leads_to_the_same_records(void **state)
{
    struct table table;
    (void)state;

    for (int has_trees = 0; has_trees < 2; has_trees++) {
        table_make(&table, 2, has_trees ? 20 : 200);
        if (has_trees)
            table_use_trees(&table);
        check_states(&table);
    }
}

static void a_state_that_is_cut_or_of_another_job_is_refused(void **state)
{
    struct table table;
    struct jobspec spec;
    struct group group, others;
    (void)state;

    table_open(&table, 1, 100);
    spec = table.spec;
    forecast_params(&spec.params)->backtests = 2;
    group_open(&group, &table.spec, &table.dataset, 2);
    group_open(&others, &spec, &table.dataset, 1);
    group_phase(&group, 0);
    group_phase(&group, 0);
    check_bad_states(group.learners[0], group.learners[1], others.learners[0]);
    while (phase_of(&group)->kind != PHASE_DONE)
        group_phase(&group, 0);
    assert_string_equal(outcome_of(group.learners[1]).digest, run_group(&table, 1, 0).digest);
    group_close(&group);
    group_close(&others);
    table_close(&table);
}

static void a_bit_that_is_inverted_in_any_memory_is_found(void **state)
{
    static const char *const names[] = {"counts", "weights"};
    struct table table;
    (void)state;

    table_open(&table, 1, 100);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct group group;
        struct learner *learning;
        struct error err;
        uint8_t *memory;
        size_t size;

        group_open(&group, &table.spec, &table.dataset, 1);
        learning = group.learners[0];
        group_phase(&group, 0);
        group_phase(&group, 0);
        memory = learner_memory(learning, names[i], &size);
        CHECK(memory && size > 0);
        memory[size / 2] ^= 16;
        CHECK_FAILS(learner_verify(learning, LOOK_AT_ALL, NULL, &err), STATUS_CORRUPT, "");
        CHECK_INT(learner_verify(learning, LOOK_AT_USED, NULL, &err),
                  i == 0 ? STATUS_CORRUPT : STATUS_OK); /* a fit reads the counts alone */
        memory[size / 2] ^= 16;
        CHECK_OK(learner_verify(learning, LOOK_AT_ALL, NULL, &err));
        group_close(&group);
    }
    table_close(&table);
}

/* Trees that are done, and the one that grows; and of the lanes' rows all that is kept of them. */
static void a_bit_that_is_inverted_in_trees_or_their_rows_is_found(void **state)
{
    static const char *const names[] = {"trees", "growing", "bins", "targets", "scores", "nodes"};
    struct table table;
    (void)state;

    table_make(&table, 1, 40);
    table_use_trees(&table);
    table.spec.lanes = 1;
    table_read(&table, NULL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct group group;
        struct learner *learning;
        int64_t *sums;
        struct error err;
        uint8_t *memory;
        uint32_t done;
        size_t size;

        group_open(&group, &table.spec, &table.dataset, 1);
        learning = group.learners[0];
        sums = calloc(learning->elements_most, sizeof *sums);
        CHECK(learner_memory(learning, "bins", &size) == NULL);
        for (int phase = 0; phase < 4; phase++)
            group_phase(&group, 0);
        CHECK(learner_memory(learning, "bins", &size) != NULL);
        learner_restart(learning); /* rows of lanes are gone with the old state */
        CHECK(learner_memory(learning, "bins", &size) == NULL);
        for (int phase = 0; phase < 4; phase++)
            group_phase(&group, 0);
        memory = learner_memory(learning, names[i], &size);
        CHECK(memory && size > 0);
        memory[size / 2] ^= 16;
        if (i < 2) {
            CHECK_FAILS(learner_verify(learning, LOOK_AT_USED, NULL, &err), STATUS_CORRUPT, "");
        } else {
            CHECK_FAILS(learner_contribute(learning, 0, 1, NULL, sums, NULL, &done, &err),
                        STATUS_CORRUPT, "the rows of trees");
        }
        free(sums);
        group_close(&group);
    }
    table_close(&table);
}

static enum status take(struct learner *from, struct learner *to, struct error *err)
{
    const size_t bytes = (size_t)learner_state_bytes(from);
    char *body = malloc(bytes);
    struct text head;
    enum status status;

    CHECK(body);
    text_init(&head, TEXT_MAXIMUM);
    CHECK(learner_state_head(from, &head, err) == STATUS_OK);
    learner_state_read(from, 0, bytes, body);
    status = learner_take_begin(to, text_slice(&head), bytes, err);
    if (status == STATUS_OK) {
        learner_take_piece(to, 0, (struct slice){body, bytes});
        status = learner_take_end(to, err);
    }
    text_deinit(&head);
    free(body);
    return status;
}

/* A level behind the last one has nodes without room for children; leaves may be no numbers. */
static void trees_that_do_not_grow_are_refused(void **state)
{
    struct table table;
    struct group group, other;
    struct series_progress *progress;
    struct pooled_node *nodes;
    struct error err;
    uint32_t level;
    size_t size;
    (void)state;

    table_make(&table, 1, 40);
    table_use_trees(&table);
    table_read(&table, NULL);
    group_open(&group, &table.spec, &table.dataset, 1);
    group_open(&other, &table.spec, &table.dataset, 1);
    for (int phase = 0; phase < 4; phase++)
        group_phase(&group, 0);
    progress = group.learners[0]->progress;
    level = progress->level;
    progress->level = 2;
    CHECK_FAILS(take(group.learners[0], other.learners[0], &err), STATUS_CORRUPT,
                "its place in the job does not exist");
    progress->level = level;
    nodes = learner_memory(group.learners[0], "trees", &size);
    CHECK(nodes && size > 0);
    for (int i = 0; i < 2; i++) {
        const double before = nodes[1].value;

        nodes[1].value = i == 0 ? (double)NAN : 1e300;
        CHECK_FAILS(take(group.learners[0], other.learners[0], &err), STATUS_CORRUPT,
                    "its trees are invalid");
        nodes[1].value = before;
    }
    CHECK_OK(take(group.learners[0], other.learners[0], &err));
    group_close(&group);
    group_close(&other);
    table_close(&table);
}

/* A contribution is known by its sum. */
static void check_counted(struct table *table, uint32_t phases)
{
    struct group group;
    struct learner *learning;
    uint64_t sum = 0;
    struct error err;

    table_read(table, NULL);
    group_open(&group, &table->spec, &table->dataset, 1);
    learning = group.learners[0];
    for (uint32_t phase = 0; phase < phases; phase++) {
        const uint32_t count = phase_of(&group)->owned_count;
        int64_t *sums = calloc(count, sizeof *sums);
        struct learner_report report;
        uint32_t done;

        for (uint32_t lane = 0; lane < learning->lanes; lane++)
            CHECK_OK(learner_contribute(learning, lane, 1, NULL, sums, NULL, &done, &err));
        for (uint32_t i = 0; i < count; i++)
            sum += (uint64_t)sums[i];
        CHECK(learning->contributed == sum);
        CHECK_OK(
            learner_apply(learning, &(struct phase_totals){NULL, sums, NULL, NULL}, &report, &err));
        free(sums);
    }
    group_close(&group);
    table_close(table);
}

static void contributions_are_counted(void **state)
{
    struct table table;
    (void)state;

    table_make(&table, 1, 100);
    check_counted(&table, 2);
    table_make(&table, 1, 100);
    table_use_trees(&table);
    check_counted(&table, 4);
}

/* ---- what is refused ---- */

static void nulls_of_groups_and_times_are_refused(void **state)
{
    (void)state;
    for (uint32_t column = 0; column < 3; column++) {
        static const char *const wanted[] = {"group column \"store\" is NULL",
                                             "group column \"item\" is NULL",
                                             "time column \"day\" is NULL"};
        struct learner *learning;
        struct table table;
        struct error err;

        table_make(&table, 2, 20);
        table.cells[4 * 7 + column] = null_cell();
        table_read(&table, NULL);
        CHECK_FAILS(learning_open(&table.spec, &table.dataset, NULL, &learning, &err),
                    STATUS_INVALID, wanted[column]);
        CHECK(strstr(err.hint, "IS NOT NULL"));
        table_close(&table);
    }
}

/* The first phase of one worker, as far as it fails. */
static enum status first_phases(const struct table *table, uint32_t phases, struct error *err)
{
    struct learner *learning;
    enum status status = STATUS_OK;
    int64_t *sums;

    CHECK_INT(learning_open(&table->spec, &table->dataset, NULL, &learning, err), STATUS_OK);
    sums = calloc(learning->elements_most, sizeof *sums);
    for (uint32_t phase = 0; phase < phases && status == STATUS_OK; phase++) {
        struct learner_report report;
        uint32_t done;

        memset(sums, 0, learning->elements_most * sizeof *sums);
        for (uint32_t lane = 0; lane < learning->lanes && status == STATUS_OK; lane++)
            status = learner_contribute(learning, lane, 1, NULL, sums, NULL, &done, err);
        if (status == STATUS_OK)
            status = learner_apply(learning, &(struct phase_totals){NULL, sums, NULL, NULL},
                                   &report, err);
    }
    free(sums);
    learner_close(learning);
    return status;
}

static void a_series_that_cannot_be_fitted_is_named(void **state)
{
    struct table table;
    struct error err;
    (void)state;

    table_make(&table, 2, 20);
    table.cells[4 * 7 + 2] = real_cell(2.5);
    table_read(&table, NULL);
    CHECK_FAILS(first_phases(&table, 1, &err), STATUS_INVALID, "series store = 's0', item = '0'");
    CHECK(strstr(err.message, "a time is no whole number") && err.hint[0]);
    table.cells[4 * 7 + 2] = table.cells[4 * 6 + 2];
    table.cells[4 * 7 + 3] = table.cells[4 * 6 + 3] = real_cell(1);
    table_read(&table, NULL);
    CHECK_OK(first_phases(&table, 1, &err));
    CHECK_FAILS(first_phases(&table, 2, &err), STATUS_INVALID,
                "series store = 's0', item = '0': two values have the time");
    table_close(&table);
}

/* A hash that two series have in common makes no series of both. */
static void a_regressor_that_is_missing_is_told_with_series_and_time(void **state)
{
    struct table table;
    struct error err;
    (void)state;

    table_make_with(&table, 2, 20, true);
    table.cells[5 * 7 + 3] = null_cell();
    CHECK(table.cells[5 * 7 + 4].type != CELL_NULL);
    table_read(&table, NULL);
    CHECK_OK(first_phases(&table, 1, &err)); /* steps are found without it */
    CHECK_FAILS(first_phases(&table, 2, &err), STATUS_INVALID,
                "series store = 's0', item = '0': regressor \"promo\" is NULL at 7");
    table_close(&table);
}

static void series_of_one_hash_are_not_joined(void **state)
{
    struct table table;
    struct error err;
    (void)state;

    table_make(&table, 2, 20);
    table.spec.lanes = 1; /* its rows are those that are held here, and are not read again */
    table_read(&table, NULL);
    hold_rows(&table);
    CHECK(table.dataset.train.hashes[0].high == table.dataset.train.hashes[1].high);
    table.dataset.train.ids[2] = (table.dataset.train.ids[2] + 1) % 2;
    CHECK_FAILS(first_phases(&table, 1, &err), STATUS_FAILED, "whose words have the same hash");
    CHECK(strstr(err.message, "series store = ") && err.hint[0]);
    table_close(&table);
}

static void trees_whose_rows_do_not_fit_are_refused_with_the_bytes(void **state)
{
    struct table table;
    struct error err;
    (void)state;

    table_make(&table, 1, 100);
    table_use_trees(&table);
    table_read(&table, NULL);
    table.spec.memory = 70000; /* their forecasts fit */
    CHECK_FAILS(first_phases(&table, 2, &err), STATUS_LIMIT, "the trees of these series need");
    CHECK(strstr(err.hint, "Forecast fewer series"));
    table_close(&table);
}

static void what_does_not_fit_into_the_memory_of_a_worker_is_refused_with_the_bytes(void **state)
{
    struct table table;
    struct error err;
    (void)state;

    table_open(&table, 1, 100);
    table.spec.memory = 10000;
    CHECK_FAILS(first_phases(&table, 1, &err), STATUS_LIMIT, "the forecasts of 100 series take");
    CHECK(strstr(err.hint, "forecast.horizon"));
    table_close(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_a_series_lie_side_by_side),
        cmocka_unit_test(labels_are_kept_as_they_are),
        cmocka_unit_test(any_number_of_workers_makes_the_same_records),
        cmocka_unit_test(the_order_of_rows_changes_no_bit),
        cmocka_unit_test(regressors_have_the_same_bits_however_rows_and_workers_come),
        cmocka_unit_test(trees_have_the_same_bits_however_rows_and_workers_come),
        cmocka_unit_test(threads_leave_no_trace),
        cmocka_unit_test(a_state_taken_at_any_phase_leads_to_the_same_records),
        cmocka_unit_test(a_state_that_is_cut_or_of_another_job_is_refused),
        cmocka_unit_test(a_bit_that_is_inverted_in_any_memory_is_found),
        cmocka_unit_test(a_bit_that_is_inverted_in_trees_or_their_rows_is_found),
        cmocka_unit_test(trees_that_do_not_grow_are_refused),
        cmocka_unit_test(a_sample_is_told_and_the_same_for_any_workers),
        cmocka_unit_test(contributions_are_counted),
        cmocka_unit_test(nulls_of_groups_and_times_are_refused),
        cmocka_unit_test(a_series_that_cannot_be_fitted_is_named),
        cmocka_unit_test(a_regressor_that_is_missing_is_told_with_series_and_time),
        cmocka_unit_test(series_of_one_hash_are_not_joined),
        cmocka_unit_test(trees_whose_rows_do_not_fit_are_refused_with_the_bytes),
        cmocka_unit_test(what_does_not_fit_into_the_memory_of_a_worker_is_refused_with_the_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
