#include "runtime/learn/trees/objective/tree_objective.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arithmetic/kernels.h"
#include "runtime/learn/label_range.h"
#include "runtime/learn/layers/loss_head.h"
#include "runtime/learn/trees/objective/leaf_quantiles.h"
#include "runtime/learn/trees/objective/tree_gradients.h"
#include "runtime/learn/trees/objective/tree_offset.h"
#include "scoring/metrics/survival.h"
#include "scoring/numbers/elementary.h"

#define SHARE_LEAST     1e-7 /* a class's share: its logarithm is finite */
#define MEAN_LEAST      1e-30
#define LOSS_BITS_MOST  50 /* bits of a row's loss */
#define SUM_BITS        62
#define WEIGHT_BITS     30 /* bits of a row's weight */
#define GAIN_LABEL_MOST 31 /* 2^y - 1 of it is a gain, as in XGBoost and LightGBM */

/* ---- which objective ---- */

/* The link of an objective, and the labels that it has a loss for. */
struct objective_facts {
    enum trees_link link;
    double least, most; /* `least` itself is refused where is_above */
    bool is_above;
    const char *labels; /* in a sentence */
};

static const struct objective_facts facts_of[TREE_OBJECTIVES] = {
    [TREE_SQUARED_ERROR] = {.least = -INFINITY, .most = INFINITY},
    [TREE_SQUARED_LOG_ERROR] = {.least = -1, .most = INFINITY, true, "greater than -1"},
    [TREE_PSEUDO_HUBER] = {.least = -INFINITY, .most = INFINITY},
    [TREE_ABSOLUTE_ERROR] = {.least = -INFINITY, .most = INFINITY},
    [TREE_QUANTILE] = {.least = -INFINITY, .most = INFINITY},
    [TREE_HUBER] = {.least = -INFINITY, .most = INFINITY},
    [TREE_FAIR] = {.least = -INFINITY, .most = INFINITY},
    [TREE_MAPE] = {.least = -INFINITY, .most = INFINITY},
    [TREE_REGRESSION_LOGISTIC] = {TREES_LINK_LOGISTIC, 0, 1, false, "from 0 to 1"},
    [TREE_GAMMA] = {TREES_LINK_EXP, 0, INFINITY, true, "greater than 0"},
    [TREE_TWEEDIE] = {TREES_LINK_EXP, 0, INFINITY, false, "from 0 on"},
    [TREE_AFT] = {TREES_LINK_EXP, 0, INFINITY, false, "from 0 on"},
    [TREE_COX] = {.link = TREES_LINK_EXP, .least = -INFINITY, .most = INFINITY},
    [TREE_POISSON] = {TREES_LINK_EXP, 0, INFINITY, false, "from 0 on"},
    [TREE_RANK_PAIRS] = {.least = 0, .most = GAIN_LABEL_MOST, .labels = "from 0 to 31"},
    [TREE_RANK_NDCG] = {.least = 0, .most = GAIN_LABEL_MOST, .labels = "from 0 to 31"},
    [TREE_RANK_MAP] = {.least = 0, .most = 1, .labels = "that are 0 or 1"},
    [TREE_LAMBDARANK] = {.least = 0, .most = GAIN_LABEL_MOST, .labels = "from 0 to 31"},
};

static enum tree_objective_name settle_name(enum tree_objective_name name, enum task task,
                                            uint32_t classes)
{
    if (name != TREE_AUTOMATIC)
        return name;
    if (task == TASK_REGRESSION)
        return TREE_SQUARED_ERROR;
    return classes > 2 ? TREE_SOFTPROB : TREE_LOGISTIC;
}

static enum status check_classes(const struct tree_objective *objective, const struct jobspec *spec,
                                 struct error *err)
{
    const uint32_t classes = objective->dataset->labels.count;

    const bool wants_two = objective->name == TREE_LOGISTIC || objective->name == TREE_LOGIT_RAW ||
                           objective->name == TREE_HINGE;

    if (!wants_two || classes == 2)
        return STATUS_OK;
    fail(err, STATUS_INVALID, "%s learns two classes, and label column \"%.*s\" has %u",
         tree_objective_words[objective->name], SLICE_FORMAT(spec->label), classes);
    return error_hint(err, "Leave the objective out, or use objective = 'multi:softprob'.");
}

/* ---- labels ---- */

static enum status check_labels(const struct tree_objective *objective, const struct jobspec *spec,
                                struct label_range range, struct error *err)
{
    const struct objective_facts *facts = &facts_of[objective->name];
    const bool is_low = facts->is_above ? range.least <= facts->least : range.least < facts->least;

    if (objective->name == TREE_COX && !(range.greatest > 0)) {
        fail(err, STATUS_INVALID,
             "no label of column \"%.*s\" is above 0, and %s learns from events",
             SLICE_FORMAT(spec->label), tree_objective_words[objective->name]);
        return error_hint(err,
                          "A time is positive where the event happened then, and negative where "
                          "the row was lost from sight then.");
    }
    if (!is_low && range.greatest <= facts->most)
        return STATUS_OK;
    fail(err, STATUS_INVALID,
         "label column \"%.*s\" has the number %.15g, and %s learns numbers %s",
         SLICE_FORMAT(spec->label), is_low ? range.least : range.greatest,
         tree_objective_words[objective->name], facts->labels);
    return error_hint(err, "Leave such rows out of the SELECT, or use another objective, such as "
                           "'reg:squarederror'.");
}

/* ---- where boosting starts ---- */

/* The weights of the sample's rows; NULL: all count alike. */
static const float *weights_of_sample(const struct dataset *dataset)
{
    const float *weights = dataset->sample.roles[ROLE_SAMPLE_WEIGHT];
    bool has_weight = false;

    for (uint64_t i = 0; weights && i < dataset->sample.rows; i++)
        has_weight |= weights[i] > 0;
    return has_weight ? weights : NULL;
}

static double weight_at(const float *weights, uint64_t row)
{
    return weights ? (double)weights[row] : 1;
}

/* Rows of a class; with sample weights what those of the sample weigh. */
static double rows_of_class(const struct dataset *dataset, uint32_t class)
{
    const float *weights = weights_of_sample(dataset);
    double sum = 0;

    if (!weights)
        return (double)dataset->class_counts[class];
    for (uint64_t i = 0; i < dataset->sample.rows; i++)
        if (dataset->sample.classes[i] == (int32_t) class)
            sum += (double)weights[i];
    return sum;
}

static double mean_of_labels(const struct dataset *dataset)
{
    const float *weights = weights_of_sample(dataset);
    double sum = 0, all = 0;

    if (!weights)
        return dataset->label_average;
    for (uint64_t i = 0; i < dataset->sample.rows; i++) {
        sum += (double)weights[i] * (double)dataset->sample.values[i];
        all += (double)weights[i];
    }
    return sum / all + dataset->label_mean;
}

/* The z where the derivative of the sample's reg:pseudohubererror is 0; it grows with z. */
static double huber_center(const struct dataset *dataset, double slope, struct label_range range)
{
    const struct dataset_part *sample = &dataset->sample;
    const float *weights = weights_of_sample(dataset);
    double low = range.least - dataset->label_mean, high = range.greatest - dataset->label_mean;

    for (int halving = 0; halving < 100 && low < high; halving++) {
        const double middle = low + (high - low) / 2;
        double slope_there = 0;

        for (uint64_t i = 0; i < sample->rows; i++) {
            const double r = middle - (double)sample->values[i], part = r / slope;

            slope_there += weight_at(weights, i) * r / sqrt(1 + part * part);
        }
        if (slope_there < 0)
            low = middle;
        else
            high = middle;
    }
    return high + dataset->label_mean;
}

static double mean_of_logs(const struct dataset *dataset)
{
    const float *weights = weights_of_sample(dataset);
    double sum = 0, all = 0;

    for (uint64_t i = 0; i < dataset->sample.rows; i++) {
        const double label = (double)dataset->sample.values[i] + dataset->label_mean;

        sum += weight_at(weights, i) * logarithm_double(1 + label);
        all += weight_at(weights, i);
    }
    return exponential_double(sum / all) - 1;
}

bool tree_objective_weighs(const struct tree_objective *objective)
{
    return objective->name == TREE_MAPE || objective->dataset->role_columns[ROLE_SAMPLE_WEIGHT] > 0;
}

/* *start: the quantile of the sample's labels, less their offsets, found like a leaf's. */
static enum status quantile_of_sample(const struct tree_objective *objective, double quantile,
                                      double *start, struct error *err)
{
    const struct dataset_part *sample = &objective->dataset->sample;
    const float *weights = weights_of_sample(objective->dataset);
    struct leaf_quantiles search = {0};
    int64_t *counts = malloc(leaf_quantiles_counts_most(1) * sizeof *counts);
    enum status status =
        counts ? leaf_quantiles_begin(&search, quantile,
                                      weights != NULL || objective->name == TREE_MAPE, 1, err)
               : fail_no_memory(err);

    while (status == STATUS_OK && !leaf_quantiles_are_found(&search)) {
        memset(counts, 0, leaf_quantiles_counts_most(1) * sizeof *counts);
        for (uint64_t i = 0; i < sample->rows; i++)
            leaf_quantiles_count(
                &search, 0,
                (float)((double)sample->values[i] - tree_offset_of_sample(objective->dataset, i)),
                tree_objective_count(objective, sample->values[i], weights ? &weights[i] : NULL),
                counts);
        leaf_quantiles_take(&search, counts);
    }
    if (status == STATUS_OK)
        *start = (double)leaf_quantiles_value(&search, 0);
    leaf_quantiles_deinit(&search);
    free(counts);
    return status;
}

/* Finds the start of each output. */
static enum status start_of_quantiles(struct tree_objective *objective, struct error *err)
{
    const struct transform_input *offset = transform_offset_input(&objective->dataset->transform);
    const bool is_found = objective->params->base_score == REAL_AUTOMATIC &&
                          objective->dataset->sample.rows > 0 &&
                          !(offset && offset->spec.offset == OFFSET_MARGIN);

    for (uint32_t j = 0; j < objective->outputs; j++) {
        objective->starts[j] = objective->start;
        if (is_found)
            TRY(quantile_of_sample(objective, trees_quantile(objective->params, j),
                                   &objective->starts[j], err));
    }
    return STATUS_OK;
}

static enum status find_middle_half(struct tree_objective *objective, struct error *err)
{
    double low, high;

    if (objective->dataset->sample.rows == 0 ||
        (objective->name != TREE_HUBER && objective->name != TREE_FAIR &&
         objective->name != TREE_PSEUDO_HUBER))
        return STATUS_OK;
    TRY(quantile_of_sample(objective, .25, &low, err));
    TRY(quantile_of_sample(objective, .75, &high, err));
    objective->middle_half = high - low;
    return STATUS_OK;
}

/* The sample's mean logarithm of time for survival:aft, by the bound that a row has. */
static double mean_of_log_times(const struct dataset_part *sample, const float *weights)
{
    double sum = 0, all = 0;

    for (uint64_t i = 0; i < sample->rows; i++) {
        if (!(sample->values[i] > 0))
            continue;
        sum += weight_at(weights, i) * logarithm_double((double)sample->values[i]);
        all += weight_at(weights, i);
    }
    return all > 0 ? sum / all : 0;
}

/* The share of class 1 among the weighted rows. */
static double positive_share(const struct tree_objective *objective)
{
    const struct dataset *dataset = objective->dataset;
    const double first = rows_of_class(dataset, 0) * (double)dataset->class_weights[0];
    const double second = rows_of_class(dataset, 1) * (double)dataset->class_weights[1] *
                          (double)objective->positive_weight;

    return first + second > 0 ? second / (first + second) : 0.5;
}

/* The prediction that the labels give without inputs. */
static double mean_prediction(const struct tree_objective *objective, struct label_range range)
{
    const struct dataset *dataset = objective->dataset;

    if (dataset->labels.count > 0)
        return positive_share(objective);
    if (dataset->sample.rows > 0 && objective->name == TREE_PSEUDO_HUBER)
        return huber_center(dataset, objective->params->huber_slope, range);
    if (dataset->sample.rows > 0 && objective->name == TREE_SQUARED_LOG_ERROR)
        return mean_of_logs(dataset);
    return mean_of_labels(dataset);
}

static double at_least(double x, double least)
{
    return x < least ? least : x;
}

/* The output whose prediction that is. */
static double output_of(const struct tree_objective *objective, double prediction)
{
    const enum trees_link link = facts_of[objective->name].link;

    if (link == TREES_LINK_LOGISTIC || objective->dataset->labels.count > 0)
        return logarithm_double(at_least(prediction, SHARE_LEAST)) -
               logarithm_double(at_least(1 - prediction, SHARE_LEAST));
    if (link == TREES_LINK_EXP)
        return logarithm_double(at_least(prediction, MEAN_LEAST));
    return prediction - (objective->dataset->transform.offset_width > 0 ? 0 : objective->origin);
}

static double start_of(const struct tree_objective *objective, struct label_range range)
{
    const double score = objective->params->base_score;

    if (objective->outputs > 1 && objective->dataset->labels.count > 0)
        return score;
    if (objective->name == TREE_HINGE || trees_rank(objective->name))
        return score == REAL_AUTOMATIC ? 0 : score;
    if (objective->name == TREE_COX && score == REAL_AUTOMATIC)
        return 0;
    if (objective->name == TREE_AFT && score == REAL_AUTOMATIC)
        return mean_of_log_times(&objective->dataset->sample,
                                 weights_of_sample(objective->dataset));
    return output_of(objective,
                     score == REAL_AUTOMATIC ? mean_prediction(objective, range) : score);
}

/* With an offset: ranks and hazards begin at 0 as without, and quantiles follow. */
static enum status find_start(struct tree_objective *objective, struct label_range range,
                              struct error *err)
{
    const bool is_plain = objective->dataset->transform.offset_width == 0 ||
                          objective->params->base_score != REAL_AUTOMATIC ||
                          objective->name == TREE_HINGE || objective->name == TREE_COX ||
                          trees_rank(objective->name);

    if (is_plain) {
        objective->start = start_of(objective, range);
        return STATUS_OK;
    }
    if (trees_have_quantiles(objective->name))
        return STATUS_OK;
    return tree_offset_start(objective, weights_of_sample(objective->dataset), &objective->start,
                             err);
}

static void shares_of_classes(const struct tree_objective *objective, float *base)
{
    const struct dataset *dataset = objective->dataset;
    const uint32_t classes = objective->outputs;
    double rows = 0, mean = 0;

    for (uint32_t j = 0; j < classes; j++)
        rows += rows_of_class(dataset, j) * (double)dataset->class_weights[j];
    for (uint32_t j = 0; j < classes; j++) {
        const double weight = rows_of_class(dataset, j) * (double)dataset->class_weights[j] / rows;
        const double logarithm = logarithm_double(at_least(weight, SHARE_LEAST));

        base[j] = (float)logarithm;
        mean += logarithm / classes;
    }
    for (uint32_t j = 0; j < classes; j++)
        base[j] = (float)((double)base[j] - mean);
}

void tree_objective_base(const struct tree_objective *objective, float *base)
{
    const bool has_quantiles = trees_have_quantiles(objective->name);

    if (objective->outputs > 1 && !has_quantiles &&
        objective->params->base_score == REAL_AUTOMATIC) {
        shares_of_classes(objective, base);
        return;
    }
    for (uint32_t j = 0; j < objective->outputs; j++)
        base[j] = (float)(has_quantiles ? objective->starts[j] : objective->start);
}

enum trees_link tree_objective_link(const struct tree_objective *objective)
{
    return facts_of[objective->name].link;
}

bool tree_objective_has_unit_hessians(const struct tree_objective *objective)
{
    return objective->name == TREE_SQUARED_ERROR || objective->name == TREE_HUBER ||
           trees_have_quantiles(objective->name);
}

bool tree_objective_has_unit_gradients(const struct tree_objective *objective)
{
    return objective->name == TREE_ABSOLUTE_ERROR || objective->name == TREE_HINGE;
}

static struct survival survival_of(const struct tree_objective *objective)
{
    return (struct survival){objective->params->aft_noise, objective->params->aft_scale};
}

static struct slice column_of_role(const struct jobspec *spec, enum row_role role)
{
    for (size_t i = 0; i < spec->role_count; i++)
        if (spec->roles[i].role == role)
            return spec->roles[i].name;
    return (struct slice){"", 0};
}

struct aim_facts tree_objective_aim(const struct tree_objective *objective,
                                    const struct jobspec *spec)
{
    const struct trees_params *params = objective->params;
    struct aim_facts facts = {.aim = trees_aim(objective->name),
                              .group = column_of_role(spec, ROLE_GROUP),
                              .upper = column_of_role(spec, ROLE_LABEL_UPPER)};

    if (facts.aim == AIM_QUANTILES) {
        facts.quantile_count = objective->outputs;
        memcpy(facts.quantiles, params->quantile_alpha.items, sizeof facts.quantiles);
    }
    if (facts.aim == AIM_TIMES)
        facts.survival = survival_of(objective);
    if (objective->name == TREE_TWEEDIE)
        facts.power = params->tweedie_variance_power;
    facts.has_two_labels = objective->name == TREE_RANK_MAP;
    facts.has_linear_gains =
        facts.aim == AIM_RANKS && (!params->exp_gain || objective->name == TREE_RANK_MAP);
    return facts;
}

/* ---- the unit of losses ---- */

/* Predictions of numbers begin at the mean or at base_score, and hardly leave what lies between
 * that and the labels: of what is twice as far off losses tell no difference. */
static double greatest_distance(const struct tree_objective *objective, struct label_range range)
{
    const double start = objective->params->base_score;
    double distance;

    if (start != REAL_AUTOMATIC) {
        range.least = fmin(range.least, start);
        range.greatest = fmax(range.greatest, start);
    }
    distance = 2 * (range.greatest - range.least);
    return distance > 0 ? distance : 1;
}

static double greatest_weight(const struct dataset *dataset)
{
    const uint32_t column = dataset->role_columns[ROLE_SAMPLE_WEIGHT];
    float greatest = 1;

    for (uint32_t i = 0; i < dataset->labels.count; i++)
        if (dataset->class_weights[i] > greatest)
            greatest = dataset->class_weights[i];
    return (double)greatest * (column > 0 ? fmax(1, dataset->spool.summaries[column].greatest) : 1);
}

static int bits_of_count(uint64_t count)
{
    int bits = 0;

    while (bits < SUM_BITS && count >> bits > 0)
        bits++;
    return bits;
}

static double unit_of(double most, int bits)
{
    int exponent;

    frexp(most, &exponent);
    return ldexp(1, exponent - bits);
}

/* The least divisor of mape's losses: max(1, |label|). */
static double least_size(struct label_range range)
{
    return fmax(1, fmax(range.least, -range.greatest));
}

/* The greatest weight is less than 2^WEIGHT_BITS then. */
static double weight_scale(const struct tree_objective *objective, struct label_range range)
{
    const struct dataset *dataset = objective->dataset;
    const uint32_t column = dataset->role_columns[ROLE_SAMPLE_WEIGHT];
    const double greatest = column > 0 ? dataset->spool.summaries[column].greatest : 1;

    return 1 / unit_of(objective->name == TREE_MAPE ? greatest / least_size(range) : greatest,
                       WEIGHT_BITS);
}

/* The loss, at most, of a row whose prediction is at this distance from its label. */
static double greatest_loss(const struct tree_objective *objective, struct label_range range,
                            double distance)
{
    const double delta = objective->params->huber_alpha;

    switch (objective->name) {
    case TREE_ABSOLUTE_ERROR:
    case TREE_QUANTILE:
        return distance;
    case TREE_HUBER:
        return distance < delta ? distance * distance / 2 : delta * distance;
    case TREE_FAIR:
        return objective->params->fair_c * distance;
    case TREE_MAPE:
        return distance / least_size(range);
    case TREE_AFT:
        return SURVIVAL_LOSS_MOST;
    default:
        return distance * distance;
    }
}

/* It is learned by a loss of its own, beside which the squared error is measured. */
static bool has_own_loss(enum tree_objective_name name)
{
    return trees_have_quantiles(name) || name == TREE_AFT || name == TREE_HUBER ||
           name == TREE_FAIR;
}

static void choose_unit(struct tree_objective *objective, struct label_range range)
{
    const struct dataset *dataset = objective->dataset;
    const int of_rows = bits_of_count(dataset->train.rows + dataset->validation.rows);
    const int bits = SUM_BITS - of_rows < LOSS_BITS_MOST ? SUM_BITS - of_rows : LOSS_BITS_MOST;
    const bool has_own = has_own_loss(objective->name);
    double distance;

    objective->weight_scale = weight_scale(objective, range);
    if (objective->name == TREE_COX) {
        objective->loss_most = RISK_LOSS_MOST;
        objective->loss_unit = unit_of(RISK_LOSS_MOST, bits);
        return;
    }
    if (dataset->labels.count > 0) {
        objective->loss_most = LOSS_ROW_MOST;
        objective->loss_unit = unit_of(LOSS_ROW_MOST * greatest_weight(dataset), bits);
        return;
    }
    if (trees_rank(objective->name)) { /* a group's loss is at most 1 */
        objective->loss_most = 1;
        objective->loss_unit = unit_of(1, bits);
        return;
    }
    distance = greatest_distance(objective, range);
    objective->loss_most = greatest_loss(objective, range, distance);
    objective->loss_unit = unit_of(objective->loss_most * greatest_weight(dataset), bits);
    objective->square_most = has_own ? distance * distance : 0;
    objective->square_unit = has_own ? unit_of(objective->square_most, bits) : 0;
}

/* ---- life ---- */

enum status tree_objective_init(struct tree_objective *objective, const struct jobspec *spec,
                                const struct dataset *dataset, struct error *err)
{
    const struct trees_params *params = trees_params(&spec->params);
    const uint32_t classes = dataset->labels.count;
    struct label_range range = {0, 0};

    *objective = (struct tree_objective){
        .name = settle_name(params->objective, spec->task, classes),
        .outputs = spec->task == TASK_REGRESSION ? trees_numbers(params)
                   : classes > 2                 ? classes
                                                 : 1,
        .params = params,
        .dataset = dataset,
        .origin = dataset->label_mean,
        .positive_weight = (float)params->scale_pos_weight,
    };
    TRY(check_classes(objective, spec, err));
    if (objective->name == TREE_QUANTILE) {
        const struct aim_facts aim = tree_objective_aim(objective, spec);

        objective->prediction = aim_prediction(&aim);
    }
    if (spec->task == TASK_REGRESSION) {
        range = label_range_of(spec, dataset);
        TRY(check_labels(objective, spec, range, err));
    }
    choose_unit(objective, range);
    TRY(find_start(objective, range, err));
    if (trees_have_quantiles(objective->name))
        TRY(start_of_quantiles(objective, err));
    TRY(find_middle_half(objective, err));
    if (dataset->transform.offset_width > 0 && spec->task == TASK_REGRESSION) {
        tree_offset_widen(objective, spec, &range);
        choose_unit(objective, range);
    }
    if (objective->name == TREE_COX)
        TRY(tree_risks_init(&objective->risks, dataset->sample.values, dataset->sample.rows, err));
    return STATUS_OK;
}

void tree_objective_deinit(struct tree_objective *objective)
{
    tree_risks_deinit(&objective->risks);
}

/* ---- derivatives ---- */

#define BLOCK_ROWS TREE_LOSS_ROWS

/* z (count, outputs); gradients and hessians (outputs, count). */
static void derive_quantiles(const struct tree_objective *objective, uint32_t count, const float *y,
                             const float *z, float *gradients, float *hessians)
{
    const uint32_t outputs = objective->outputs;
    float block[BLOCK_ROWS];

    for (uint32_t j = 0; j < outputs; j++)
        for (uint32_t first = 0; first < count; first += BLOCK_ROWS) {
            const uint32_t n = count - first < BLOCK_ROWS ? count - first : BLOCK_ROWS;
            const size_t at = (size_t)j * count + first;

            for (uint32_t i = 0; i < n; i++)
                block[i] = z[(size_t)(first + i) * outputs + j];
            gradients_quantile(n, trees_quantile(objective->params, j), y + first, block,
                               gradients + at, hessians + at);
        }
}

static void derive_numbers(const struct tree_objective *objective, size_t count, const float *y,
                           const float *z, float *gradients, float *hessians)
{
    const struct trees_params *params = objective->params;

    switch (objective->name) {
    case TREE_SQUARED_LOG_ERROR:
        gradients_squared_logs(count, objective->origin, y, z, gradients, hessians);
        return;
    case TREE_PSEUDO_HUBER:
        gradients_pseudo_huber(count, params->huber_slope, y, z, gradients, hessians);
        return;
    case TREE_ABSOLUTE_ERROR:
        gradients_signs(count, y, z, gradients, hessians);
        return;
    case TREE_HUBER:
        gradients_huber(count, params->huber_alpha, y, z, gradients, hessians);
        return;
    case TREE_FAIR:
        gradients_fair(count, params->fair_c, y, z, gradients, hessians);
        return;
    case TREE_MAPE:
        gradients_percentages(count, objective->origin, y, z, gradients, hessians);
        return;
    case TREE_REGRESSION_LOGISTIC:
        gradients_logistic(count, y, z, gradients, hessians);
        return;
    case TREE_GAMMA:
        gradients_gamma(count, y, z, gradients, hessians);
        return;
    case TREE_TWEEDIE:
        gradients_tweedie(count, params->tweedie_variance_power, y, z, gradients, hessians);
        return;
    case TREE_POISSON:
        gradients_poisson(count, exponential_double(params->poisson_step), y, z, gradients,
                          hessians);
        return;
    default:
        gradients_squares(count, y, z, gradients, hessians);
        return;
    }
}

/* The factor of a class's p (1 - p) in its hessian. */
static float softmax_factor(const struct tree_objective *objective)
{
    const float classes = (float)objective->outputs;

    switch (objective->params->softmax_hessian) {
    case TREE_SOFTMAX_LIGHTGBM:
        return classes / (classes - 1);
    case TREE_SOFTMAX_SCIKIT:
        return 1;
    default:
        return 2;
    }
}

static void derive(const struct tree_objective *objective, struct tree_labels labels,
                   uint64_t first, uint32_t count, const float *z, float *gradients,
                   float *hessians)
{
    const float *weights = objective->dataset->class_weights;

    if (objective->name == TREE_AFT)
        survival_gradients(survival_of(objective), count, labels.values + first,
                           (labels.uppers ? labels.uppers : labels.values) + first, z, gradients,
                           hessians);
    else if (objective->name == TREE_COX)
        tree_risks_derive(&objective->risks, count, labels.values + first, z, gradients, hessians);
    else if (objective->name == TREE_QUANTILE)
        derive_quantiles(objective, count, labels.values + first, z, gradients, hessians);
    else if (!labels.classes)
        derive_numbers(objective, count, labels.values + first, z, gradients, hessians);
    else if (objective->name == TREE_HINGE)
        gradients_hinge(count, labels.classes + first, weights, z, gradients, hessians);
    else if (objective->outputs == 1)
        gradients_two_classes(count, labels.classes + first,
                              (float[]){weights[0], weights[1] * objective->positive_weight}, z,
                              gradients, hessians);
    else
        gradients_classes(count, objective->outputs, softmax_factor(objective),
                          labels.classes + first, weights, z, count, gradients, hessians);
}

/* Gradients and hessians are (outputs, count). */
static void weigh(uint32_t outputs, const float *weights, uint32_t count, float *gradients,
                  float *hessians)
{
    for (uint32_t j = 0; j < outputs; j++)
        gradients_weigh(count, weights, gradients + (size_t)j * count,
                        hessians + (size_t)j * count);
}

/* ---- losses ---- */

double tree_objective_prediction(enum trees_link link, float z)
{
    if (link == TREES_LINK_EXP)
        return (double)exponential(z);
    if (link == TREES_LINK_LOGISTIC)
        return (double)logistic(z, exponential(-fabsf(z)));
    return (double)z;
}

static void square_errors(const struct tree_objective *objective, uint32_t n, const float *y,
                          const float *z, double *losses)
{
    const enum trees_link link = tree_objective_link(objective);

    z += objective->prediction;
    for (uint32_t i = 0; i < n; i++, z += objective->outputs) {
        const double error = tree_objective_prediction(link, *z) - (double)y[i];

        losses[i] = error * error;
    }
}

/* The absolute error is twice what a median costs. */
static void quantile_losses(const struct tree_objective *objective, uint32_t n, const float *y,
                            const float *z, double *losses)
{
    const double factor = objective->name == TREE_ABSOLUTE_ERROR ? 2 : 1;
    const uint32_t outputs = objective->outputs;

    for (uint32_t i = 0; i < n; i++, z += outputs) {
        losses[i] = 0;
        for (uint32_t j = 0; j < outputs; j++) {
            const double quantile = trees_quantile(objective->params, j);
            const double lack = (double)y[i] - (double)z[j];

            losses[i] += factor * lack * (lack < 0 ? quantile - 1 : quantile);
        }
        losses[i] /= outputs;
    }
}

/* A row's loss by mape, fair or huber, as LightGBM's metrics of these names have it. */
static double robust_loss(const struct tree_objective *objective, double y, double z)
{
    const double r = fabs(z - y), delta = objective->params->huber_alpha;
    const double c = objective->params->fair_c;

    if (objective->name == TREE_MAPE)
        return r / fmax(1, fabs(y + objective->origin));
    if (objective->name == TREE_FAIR)
        return c * r - c * c * logarithm_double(1 + r / c);
    return r <= delta ? r * r / 2 : delta * (r - delta / 2);
}

static uint32_t two_class_losses(uint32_t n, const int32_t *classes, const float *z, double *losses)
{
    float targets[BLOCK_ROWS], gradients[BLOCK_ROWS];
    uint32_t hits = 0;

    for (uint32_t i = 0; i < n; i++) {
        targets[i] = classes[i] == 1 ? 1 : 0;
        hits += (z[i] > 0) == classes[i];
    }
    memcpy(gradients, z, n * sizeof *z);
    loss_logistic(n, targets, gradients, losses);
    return hits;
}

static uint32_t hinge_losses(uint32_t n, const int32_t *classes, const float *z, double *losses)
{
    uint32_t hits = 0;

    for (uint32_t i = 0; i < n; i++) {
        const double lack = 1 - (classes[i] == 1 ? (double)z[i] : -(double)z[i]);

        losses[i] = lack > 0 ? lack : 0;
        hits += (z[i] > 0) == classes[i];
    }
    return hits;
}

/* Returns how many rows are classified right; among equal outputs the first counts. */
static uint32_t class_losses(uint32_t n, uint32_t k, const int32_t *classes, const float *z,
                             double *losses)
{
    uint32_t hits = 0;

    for (uint32_t i = 0; i < n; i++, z += k) {
        uint32_t best = 0;
        float sum = 0;

        for (uint32_t j = 1; j < k; j++)
            if (z[j] > z[best])
                best = j;
        for (uint32_t j = 0; j < k; j++)
            sum += exponential(z[j] - z[best]);
        hits += (int32_t)best == classes[i];
        losses[i] = classes[i] < 0
                        ? LOSS_ROW_MOST
                        : (double)z[best] - (double)z[classes[i]] + logarithm_double((double)sum);
    }
    return hits;
}

void tree_objective_class_losses(const struct tree_objective *objective, uint32_t n,
                                 const int32_t *classes, const float *z, double *losses)
{
    if (objective->outputs == 1)
        (void)two_class_losses(n, classes, z, losses);
    else
        (void)class_losses(n, objective->outputs, classes, z, losses);
    for (uint32_t i = 0; i < n; i++)
        losses[i] = classes[i] >= 0 && losses[i] < LOSS_ROW_MOST ? losses[i] : LOSS_ROW_MOST;
}

/* A class that training did not see costs the most; NaN does, too. */
static int64_t sum_losses(double most, double unit, uint32_t n, const int32_t *classes,
                          const float *weights, const float *of_rows, const double *losses)
{
    const double units = 1 / unit;
    int64_t sum = 0;

    for (uint32_t i = 0; i < n; i++) {
        double loss = losses[i] < most ? losses[i] : most;

        if (classes && classes[i] < 0)
            loss = most;
        else if (weights)
            loss *= (double)weights[classes[i]];
        if (of_rows)
            loss *= (double)of_rows[i];
        sum += (int64_t)(loss * units + 0.5);
    }
    return sum;
}

static void own_losses(const struct tree_objective *objective, struct tree_labels labels,
                       uint64_t first, uint32_t n, const float *z, double *losses)
{
    const float *y = labels.values + first;

    if (objective->name == TREE_AFT)
        survival_losses(survival_of(objective), n, y, labels.uppers ? labels.uppers + first : y, z,
                        losses);
    else if (objective->name == TREE_ABSOLUTE_ERROR || objective->name == TREE_QUANTILE)
        quantile_losses(objective, n, y, z, losses);
    else
        for (uint32_t i = 0; i < n; i++)
            losses[i] = robust_loss(objective, (double)y[i], (double)z[i]);
}

static void measure_block(const struct tree_objective *objective, struct tree_labels labels,
                          uint64_t first, uint32_t n, const float *z, int64_t *loss, int64_t *hits)
{
    const struct dataset *dataset = objective->dataset;
    const bool is_weighted = labels.classes && !labels.are_held_out;
    const int32_t *classes = labels.classes ? labels.classes + first : NULL;
    double losses[BLOCK_ROWS];

    if (objective->name == TREE_COX)
        *hits += tree_risks_losses(&objective->risks, labels.are_held_out, n, labels.values + first,
                                   z, losses);
    else if (!classes)
        square_errors(objective, n, labels.values + first, z, losses);
    else if (objective->name == TREE_HINGE)
        *hits += hinge_losses(n, classes, z, losses);
    else if (objective->outputs == 1)
        *hits += two_class_losses(n, classes, z, losses);
    else
        *hits += class_losses(n, objective->outputs, classes, z, losses);
    if (objective->square_unit > 0) {
        *hits +=
            sum_losses(objective->square_most, objective->square_unit, n, NULL, NULL, NULL, losses);
        own_losses(objective, labels, first, n, z, losses);
    }
    *loss += sum_losses(
        objective->loss_most, objective->loss_unit, n, classes,
        is_weighted ? dataset->class_weights : NULL,
        labels.weights && objective->name != TREE_COX ? labels.weights + first : NULL, losses);
}

static void rank_rows(const struct tree_objective *objective, struct tree_labels labels,
                      const float *scores, float *gradients, float *hessians, int64_t *loss,
                      int64_t *hits)
{
    const struct ranking ranking = {.name = objective->name,
                                    .pairs = objective->params->pairs,
                                    .pair_count = objective->params->pair_count,
                                    .exp_gain = objective->params->exp_gain,
                                    .seed = objective->dataset->seed,
                                    .round = labels.round};
    const int64_t sum = tree_rankings(&ranking, labels.groups, labels.values, scores, labels.keys,
                                      objective->loss_unit, gradients, hessians);

    if (!loss)
        return;
    *loss = sum;
    *hits = labels.groups->count;
}

void tree_objective_rows(const struct tree_objective *objective, struct tree_labels labels,
                         uint64_t first, uint32_t count, const float *scores, float *gradients,
                         float *hessians, int64_t *loss, int64_t *hits)
{
    if (trees_rank(objective->name)) {
        rank_rows(objective, labels, scores, gradients, hessians, loss, hits);
        return;
    }
    if (gradients)
        derive(objective, labels, first, count, scores, gradients, hessians);
    if (gradients && labels.weights)
        weigh(objective->outputs, labels.weights + first, count, gradients, hessians);
    if (!loss)
        return;
    *loss = *hits = 0;
    for (uint32_t done = 0; done < count; done += BLOCK_ROWS)
        measure_block(objective, labels, first + done,
                      count - done < BLOCK_ROWS ? count - done : BLOCK_ROWS,
                      scores + (size_t)done * objective->outputs, loss, hits);
}
