#include "tests/cluster/csv_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinds/bayes/bayes_kind.h"
#include "kinds/embedding/embedding_attributes.h"
#include "kinds/forecast/forecast_attributes.h"
#include "kinds/kmeans/kmeans_kind.h"
#include "kinds/linear/linear_attributes.h"
#include "kinds/network/network_attributes.h"
#include "kinds/one_class/one_class_kind.h"
#include "kinds/pca/pca_kind.h"
#include "kinds/regression/regression_kind.h"
#include "kinds/scorecard/scorecard_kind.h"
#include "kinds/trees/isolation_kind.h"
#include "runtime/data/dataset/dataset.h"
#include "runtime/data/spool/spool_writer.h"
#include "tests/default_trees.h"

#define GROUPS 19 /* groups of rows */

#define CSV_VALUES_MAX    256 /* lines whose first number is a value of series */
#define SERIES_VALUES     12  /* values of each */
#define SERIES_LANES      4
#define SERIES_OF_A_PHASE 8 /* most series of a lane in a phase (runtime/learn/series/series.c) */

static void check(enum status status, const struct error *err)
{
    if (status == STATUS_OK)
        return;
    fprintf(stderr, "csv_job: %s\n", err->message);
    exit(1);
}

static size_t split(char *line, struct slice *cells)
{
    size_t count = 0;
    char *at = line;

    line[strcspn(line, "\r\n")] = '\0';
    while (count < CSV_COLUMNS_MAX) {
        size_t size = strcspn(at, ",");

        cells[count++] = (struct slice){at, size};
        if (!at[size])
            break;
        at += size + 1;
    }
    return count;
}

/* Puts the values of the columns of roles: weights of 1 to 3, and groups of some rows. */
static void put_roles(const struct jobspec *spec, struct spool_writer *writer, uint64_t row,
                      struct error *err)
{
    char group[32];

    for (size_t i = 0; i < spec->role_count; i++) {
        if (spec->roles[i].role != ROLE_GROUP) {
            check(spool_put_real(writer, (double)(1 + row % 3), err), err);
            continue;
        }
        snprintf(group, sizeof group, "%u", (unsigned)(row % GROUPS));
        check(spool_put_text(writer, slice_of(group), err), err);
    }
}

/* words, text: the first cells that are put as they are, and one more; count: none. */
static void put_row(struct spool_writer *writer, const struct slice *cells, size_t count,
                    size_t words, size_t text, struct error *err)
{
    for (size_t i = 0; i < count; i++) {
        double value = 0;

        if (i < words || i == text) {
            check(spool_put_text(writer, cells[i], err), err);
            continue;
        }

        slice_to_real(cells[i], &value);
        check(spool_put_real(writer, value, err), err);
    }
}

static void spool_csv(struct csv_job *job, const char *csv, const char *folder, struct error *err)
{
    struct spool_column columns[CSV_COLUMNS_MAX + ROW_ROLES];
    struct slice cells[CSV_COLUMNS_MAX];
    struct spool_writer *writer;
    char path[4096], line[CSV_LINE_MAX];
    FILE *file = fopen(csv, "r");
    const bool has_label = task_has_label(job->spec.task);
    const bool is_text = job->spec.label_type == LABEL_TEXT;
    const struct spool_order order =
        job->lies_by_key ? dataset_order(&job->spec, false, 1)
                         : (struct spool_order){.held_out = dataset_held_out(&job->spec)};
    uint64_t row = 0;
    size_t count, stored;

    if (!file || !fgets(job->header, sizeof job->header, file)) {
        fprintf(stderr, "csv_job: cannot read %s\n", csv);
        exit(1);
    }
    count = split(job->header, cells);
    for (size_t i = 0; i < count; i++) {
        const bool is_label = i + 1 == count;

        const bool is_word = i < job->words || (is_label && is_text);

        columns[i] = (struct spool_column){
            cells[i], is_word ? SPOOL_TEXT : SPOOL_REAL, READING_NUMBER, 0, {LIST_NONE}};
        if (i >= job->words)
            job->inputs[i] = job->buckets ? (struct input_spec){.type = INPUT_CATEGORY,
                                                                .rule = RULE_BUCKET,
                                                                .source = cells[i],
                                                                .vocabulary_max = job->buckets}
                                          : (struct input_spec){.type = INPUT_NUMERIC};
        job->inputs[i].name = cells[i];
    }
    job->spec.input_count = count - 1;
    stored = count - !has_label;
    for (size_t i = 0; i < job->spec.role_count; i++)
        columns[stored + i] =
            (struct spool_column){job->spec.roles[i].name,
                                  job->spec.roles[i].role == ROLE_GROUP ? SPOOL_TEXT : SPOOL_REAL,
                                  READING_NUMBER,
                                  0,
                                  {LIST_NONE}};
    if (has_label)
        job->spec.label = cells[count - 1];
    snprintf(path, sizeof path, "%s/train.spool", folder);
    check(spool_writer_open(path, columns, stored + job->spec.role_count, 0, &writer, err), err);
    check(spool_writer_sort(writer, &order, err), err);
    while (fgets(line, sizeof line, file)) {
        if (split(line, cells) != count)
            continue;
        put_row(writer, cells, stored, job->words, is_text ? count - 1 : count, err);
        put_roles(&job->spec, writer, row++, err);
        check(spool_end_row(writer, err), err);
    }
    check(spool_writer_close(writer, err), err);
    fclose(file);
}

static void fill_spec(struct csv_job *job)
{
    struct jobspec *spec = &job->spec;

    spec->statement = SLICE("simulated");
    spec->estimator = SLICE("DNNClassifier");
    spec->family = SLICE("network");
    spec->model_name = SLICE("m");
    spec->task = TASK_CLASSIFICATION;
    spec->inputs = job->inputs;
    spec->label_type = LABEL_TEXT;
    network_params(&spec->params)->hidden_units.items[0] = 16;
    network_params(&spec->params)->hidden_units.count = 1;
    network_params(&spec->params)->activation = NETWORK_ACTIVATION_RELU;
    spec->standardize = true;
    spec->batch_size = 32;
    spec->epochs = 6;
    spec->seed = 1;
    spec->shuffle = true;
    spec->test_size = 0.2;
    spec->metrics[0] = SLICE("Accuracy");
    spec->metric_count = 1;
    network_params(&spec->params)->optimizer = OPTIMIZER_ADAM;
    network_params(&spec->params)->learning_rate = 0.01;
    network_params(&spec->params)->beta1 = 0.9;
    network_params(&spec->params)->beta2 = 0.999;
    network_params(&spec->params)->epsilon = 1e-8;
    network_params(&spec->params)->schedule = SCHEDULE_CONSTANT;
    spec->lanes = 8;
    spec->lanes_max = JOBSPEC_LANES_DEFAULT_MAX;
    spec->min_workers = 1;
    spec->max_workers = 1;
}

/* A job of another kind than network, whose attributes are these. */
static void begin(struct csv_job *job, const char *family, const char *estimator,
                  const void *params, size_t size)
{
    struct jobspec *spec = &job->spec;

    memset(job, 0, sizeof *job);
    fill_spec(job);
    memset(&spec->params, 0, sizeof spec->params);
    memcpy(spec->params.bytes, params, size);
    spec->family = slice_of(family);
    spec->estimator = slice_of(estimator);
}

static struct trees_params small_trees(void)
{
    struct trees_params params = default_trees();

    params.rounds = 6;
    params.growth = TREE_LOSSGUIDE;
    params.max_depth = 0;
    params.max_leaves = 5;
    params.max_bin = 64;
    params.eta = .1;
    params.min_child_weight = .1;
    params.colsample_bynode = .6;
    return params;
}

static void make_trees(struct csv_job *job, const struct trees_params *params, const char *csv,
                       const char *folder)
{
    struct error err;

    begin(job, "trees", "LGBMClassifier", params, sizeof *params);
    job->spec.metrics[job->spec.metric_count++] = SLICE("LogLoss"); /* beside Accuracy */
    job->spec.metrics[job->spec.metric_count++] = SLICE("AUC");
    error_clear(&err);
    spool_csv(job, csv, folder, &err);
}

void csv_job_make_trees(struct csv_job *job, const char *csv, const char *folder)
{
    struct trees_params params = small_trees();

    params.subsample = .8;
    make_trees(job, &params, csv, folder);
}

void csv_job_make_dart(struct csv_job *job, const char *csv, const char *folder)
{
    struct trees_params params = small_trees();

    params.eta = .5;
    params.booster = TREE_DART;
    params.rate_drop = .4;
    params.one_drop = true;
    params.row_strategy = TREE_GOSS;
    make_trees(job, &params, csv, folder);
}

static struct trees_params small_numbers(enum tree_objective_name objective)
{
    struct trees_params params = small_trees();

    params.objective = objective;
    params.subsample = .8;
    return params;
}

static void make_numbers(struct csv_job *job, const struct trees_params *params, enum row_role role,
                         const char *csv, const char *folder)
{
    struct error err;

    begin(job, "trees", "XGBRegressor", params, sizeof *params);
    job->spec.task = TASK_REGRESSION;
    job->spec.label_type = LABEL_REAL;
    job->spec.metrics[0] = SLICE("RMSE");
    job->lies_by_key = true;
    job->spec.roles[0] = (struct spec_role){.role = role, .name = SLICE("role")};
    job->spec.role_count = 1;
    error_clear(&err);
    spool_csv(job, csv, folder, &err);
}

void csv_job_make_medians(struct csv_job *job, const char *csv, const char *folder)
{
    const struct trees_params params = small_numbers(TREE_ABSOLUTE_ERROR);

    make_numbers(job, &params, ROLE_SAMPLE_WEIGHT, csv, folder);
}

void csv_job_make_quantiles(struct csv_job *job, const char *csv, const char *folder)
{
    struct trees_params params = small_numbers(TREE_QUANTILE);

    params.quantile_alpha = (struct reals){{.2, .5, .9}, 3};
    make_numbers(job, &params, ROLE_SAMPLE_WEIGHT, csv, folder);
}

void csv_job_make_percentages(struct csv_job *job, const char *csv, const char *folder)
{
    const struct trees_params params = small_numbers(TREE_MAPE);

    make_numbers(job, &params, ROLE_SAMPLE_WEIGHT, csv, folder);
}

void csv_job_make_hazards(struct csv_job *job, const char *csv, const char *folder)
{
    const struct trees_params params = small_numbers(TREE_COX);

    make_numbers(job, &params, ROLE_SAMPLE_WEIGHT, csv, folder);
}

void csv_job_make_rankings(struct csv_job *job, const char *csv, const char *folder)
{
    const struct trees_params params = small_numbers(TREE_RANK_NDCG);

    make_numbers(job, &params, ROLE_GROUP, csv, folder);
}

static void make_clicks(struct csv_job *job, const char *estimator,
                        const struct embedding_params *params, const char *csv, const char *folder)
{
    struct jobspec *spec = &job->spec;
    struct kind_params of_network;
    struct error err;

    memset(job, 0, sizeof *job);
    fill_spec(job);
    /* Their members are the first of these. */
    memcpy(&of_network, spec->params.bytes, sizeof of_network);
    begin(job, "embedding", estimator, params, sizeof *params);
    memcpy(spec->params.bytes, of_network.bytes, offsetof(struct embedding_params, dimension));
    job->words = 2;
    job->inputs[0] =
        (struct input_spec){.type = INPUT_TEXT, .vocabulary_max = 2000, .words_max = 8};
    job->inputs[1] = (struct input_spec){.type = INPUT_CATEGORY, .vocabulary_max = 100};
    job->lies_by_key = true;
    network_params(&spec->params)->dropout = .1;
    error_clear(&err);
    spool_csv(job, csv, folder, &err);
}

void csv_job_make_clicks(struct csv_job *job, const char *csv, const char *folder)
{
    const struct embedding_params params = {
        .dimension = 4,
        .is_wide = true,
        .interaction = INTERACTION_COMPRESSED,
        .cin_units = {{4, 3}, 2},
    };

    make_clicks(job, "XDeepFMClassifier", &params, csv, folder);
}

void csv_job_make_normalized_clicks(struct csv_job *job, const char *csv, const char *folder)
{
    csv_job_make_clicks(job, csv, folder);
    network_params(&job->spec.params)->batch_norm = true;
}

void csv_job_make_machine(struct csv_job *job, const char *csv, const char *folder)
{
    const struct embedding_params params = {
        .dimension = 4, .is_wide = true, .interaction = INTERACTION_PAIRS};

    make_clicks(job, "DeepFMClassifier", &params, csv, folder);
}

void csv_job_make_clusters(struct csv_job *job, const char *csv, const char *folder)
{
    const struct kmeans_params params = {.clusters = 3, .runs = 4, .iterations = 50};
    struct jobspec *spec = &job->spec;
    struct error err;

    begin(job, "kmeans", "KMeans", &params, sizeof params);
    spec->task = TASK_CLUSTERING;
    spec->label_type = LABEL_NONE;
    spec->metrics[0] = SLICE("Inertia");
    error_clear(&err);
    spool_csv(job, csv, folder, &err);
}

static void make_by_key(struct csv_job *job, const char *csv, const char *folder)
{
    struct error err;

    job->lies_by_key = true;
    error_clear(&err);
    spool_csv(job, csv, folder, &err);
}

void csv_job_make_linear(struct csv_job *job, const char *csv, const char *folder)
{
    const struct linear_params params = {.rounds = 40, .eta = .5, .base_score = REAL_AUTOMATIC};

    begin(job, "linear", "xgboost.gblinear", &params, sizeof params);
    make_by_key(job, csv, folder);
}

void csv_job_make_regression(struct csv_job *job, const char *csv, const char *folder)
{
    const struct regression_params params = {.l2 = .01, .iterations = 35};

    begin(job, "regression", "LogisticRegression", &params, sizeof params);
    make_by_key(job, csv, folder);
}

void csv_job_make_bayes(struct csv_job *job, const char *csv, const char *folder)
{
    const struct bayes_params params = {.var_smoothing = 1e-9, .alpha = 1};

    begin(job, "bayes", "NaiveBayes", &params, sizeof params);
    make_by_key(job, csv, folder);
}

void csv_job_make_card(struct csv_job *job, const char *csv, const char *folder)
{
    const struct scorecard_params params = {.bins = 10,
                                            .smoothing = 1,
                                            .l2 = 1,
                                            .iterations = 35,
                                            .base_score = 600,
                                            .base_odds = 20,
                                            .pdo = 20};

    begin(job, "scorecard", "ScoreCard", &params, sizeof params);
    job->buckets = params.bins;
    make_by_key(job, csv, folder);
}

void csv_job_make_outliers(struct csv_job *job, const char *csv, const char *folder)
{
    const struct one_class_params params = {
        .nu = .1, .gamma = REAL_AUTOMATIC, .features = 24, .iterations = 200};

    begin(job, "one_class", "OneClassSVM", &params, sizeof params);
    job->spec.task = TASK_DETECTION;
    job->spec.label_type = LABEL_NONE;
    job->spec.metrics[0] = SLICE("Outliers");
    make_by_key(job, csv, folder);
}

void csv_job_make_isolation(struct csv_job *job, const char *csv, const char *folder)
{
    const struct isolation_params params = {
        .trees = 150, .max_samples = 40, .contamination = .1, .max_features = 1};

    begin(job, "isolation", "IsolationForest", &params, sizeof params);
    job->spec.task = TASK_DETECTION;
    job->spec.label_type = LABEL_NONE;
    job->spec.metrics[0] = SLICE("Outliers");
    make_by_key(job, csv, folder);
}

void csv_job_make_components(struct csv_job *job, const char *csv, const char *folder)
{
    const struct pca_params params = {.components = 2};

    begin(job, "pca", "PCA", &params, sizeof params);
    job->spec.task = TASK_PROJECTION;
    job->spec.label_type = LABEL_NONE;
    job->spec.metrics[0] = SLICE("ExplainedVariance");
    make_by_key(job, csv, folder);
}

/* Values of one series: what some of the file's lines have in their first column. */
static void put_series(struct spool_writer *writer, const double *values, uint32_t lines,
                       uint32_t series, bool has_promo, struct error *err)
{
    char name[16];

    snprintf(name, sizeof name, "s%u", series);
    for (uint32_t i = 0; i < SERIES_VALUES; i++) {
        check(spool_put_text(writer, slice_of(name), err), err);
        check(spool_put_real(writer, i, err), err);
        if (has_promo)
            check(spool_put_real(writer, (series * 3 + i * i) % 5 == 0, err), err);
        check(spool_put_real(writer, values[(series * 7 + i) % lines], err), err);
        check(spool_end_row(writer, err), err);
    }
}

static uint32_t read_values(const char *csv, double values[CSV_VALUES_MAX])
{
    struct slice cells[CSV_COLUMNS_MAX];
    char line[CSV_LINE_MAX];
    FILE *file = fopen(csv, "r");
    uint32_t lines = 0;

    while (file && lines < CSV_VALUES_MAX && fgets(line, sizeof line, file))
        if (split(line, cells) > 0 && slice_to_real(cells[0], &values[lines]))
            lines++;
    if (lines == 0) {
        fprintf(stderr, "csv_job: cannot read %s\n", csv);
        exit(1);
    }
    fclose(file);
    return lines;
}

static void spool_series(struct csv_job *job, const char *csv, const char *folder, uint32_t series)
{
    const bool has_promo = job->spec.input_count > 2;
    const struct spool_column columns[] = {
        {SLICE("store"), SPOOL_TEXT, READING_NUMBER, 0, {LIST_NONE}},
        {SLICE("day"), SPOOL_REAL, READING_NUMBER, 0, {LIST_NONE}},
        {has_promo ? SLICE("promo") : SLICE("sales"), SPOOL_REAL, READING_NUMBER, 0, {LIST_NONE}},
        {SLICE("sales"), SPOOL_REAL, READING_NUMBER, 0, {LIST_NONE}}};
    const struct spool_order order = dataset_order(&job->spec, false, 1);
    double values[CSV_VALUES_MAX];
    const uint32_t lines = read_values(csv, values);
    struct spool_writer *writer;
    struct error err;
    char path[4096];

    error_clear(&err);
    snprintf(path, sizeof path, "%s/train.spool", folder);
    check(spool_writer_open(path, columns, has_promo ? 4 : 3, 0, &writer, &err), &err);
    check(spool_writer_sort(writer, &order, &err), &err);
    for (uint32_t i = 0; i < series; i++)
        put_series(writer, values, lines, i, has_promo, &err);
    check(spool_writer_close(writer, &err), &err);
}

static struct forecast_params series_params(const char *method)
{
    struct forecast_params params = {.horizon = 2,
                                     .level = .95,
                                     .backtests = 1,
                                     .rounds = 100,
                                     .max_depth = 4,
                                     .eta = .05,
                                     .min_rows = 20};

    while (strcmp(forecast_method_words[params.method], method) != 0)
        params.method++;
    return params;
}

static void make_series(struct csv_job *job, const char *csv, const char *folder,
                        const char *estimator, const struct forecast_params *params,
                        uint32_t series)
{
    struct jobspec *spec = &job->spec;

    begin(job, "forecast", estimator, params, sizeof *params);
    spec->task = TASK_REGRESSION;
    spec->label_type = LABEL_REAL;
    spec->label = SLICE("sales");
    spec->metric_count = 0;
    spec->test_size = 0;
    spec->standardize = false;
    spec->lanes = SERIES_LANES;
    job->inputs[0] = (struct input_spec){
        .name = SLICE("store"), .type = INPUT_CATEGORY, .vocabulary_max = CATEGORY_WORDS_MAX};
    job->inputs[1] = (struct input_spec){.name = SLICE("day"), .type = INPUT_NUMERIC};
    job->inputs[2] = (struct input_spec){.name = SLICE("promo"), .type = INPUT_NUMERIC};
    spec->input_count = params->hierarchy == HIERARCHY_NONE ? 3 : 2;
    job->lies_by_key = true;
    spool_series(job, csv, folder, series);
}

void csv_job_make_series(struct csv_job *job, const char *csv, const char *folder, uint32_t phases)
{
    const struct forecast_params params = series_params("theta");

    make_series(job, csv, folder, "Theta", &params, phases * SERIES_LANES * SERIES_OF_A_PHASE);
}

/* A phase grows a level of a tree, of those that forecast and of those that measure errors. */
void csv_job_make_series_trees(struct csv_job *job, const char *csv, const char *folder,
                               uint32_t phases)
{
    struct forecast_params params = series_params("trees");

    params.max_depth = 2;
    params.min_rows = 5;
    params.rounds = (phases + 3) / 4;
    make_series(job, csv, folder, "ForecastTrees", &params, SERIES_LANES * SERIES_OF_A_PHASE);
}

void csv_job_make_totals(struct csv_job *job, const char *csv, const char *folder)
{
    struct forecast_params params = series_params("theta");

    params.hierarchy = HIERARCHY_MINT;
    make_series(job, csv, folder, "Theta", &params, 5 * SERIES_LANES * SERIES_OF_A_PHASE);
}

void csv_job_make(struct csv_job *job, const char *csv, const char *folder)
{
    struct error err;

    memset(job, 0, sizeof *job);
    error_clear(&err);
    fill_spec(job);
    spool_csv(job, csv, folder, &err);
}

void csv_job_make_crossed(struct csv_job *job, const char *csv, const char *folder)
{
    memset(job, 0, sizeof *job);
    fill_spec(job);
    job->spec.test_size = 0;
    job->spec.metrics[job->spec.metric_count++] = SLICE("LogLoss"); /* beside Accuracy */
    make_by_key(job, csv, folder);
}

void csv_job_make_norms(struct csv_job *job, const char *csv, const char *folder)
{
    csv_job_make(job, csv, folder);
    network_params(&job->spec.params)->batch_norm = true;
}

/* The few rows are learned by heart: the loss of those held out is .044 after an early epoch, and
 * .13 after the last. */
void csv_job_make_best(struct csv_job *job, const char *csv, const char *folder)
{
    csv_job_make(job, csv, folder);
    job->spec.keeps_best = true;
    job->spec.test_size = 0.7;
    job->spec.epochs = 20;
    network_params(&job->spec.params)->learning_rate = 0.05;
}

void csv_job_make_timed(struct csv_job *job, const char *csv, const char *folder)
{
    csv_job_make(job, csv, folder);
    job->spec.max_seconds = 1;
}
