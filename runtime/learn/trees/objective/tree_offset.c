#include "runtime/learn/trees/objective/tree_offset.h"

#include <math.h>
#include <stdlib.h>

#include "scoring/numbers/elementary.h"

#define HALVINGS       80
#define FARTHEST       64.0 /* size of a base, where there is a link */
#define MEAN_LEAST     1e-30
#define PREDICTED_MOST 1e6 /* prediction at most in losses, by the greatest label's size */

static double weight_at(const float *weights, uint64_t row)
{
    return weights ? (double)weights[row] : 1;
}

/* ---- in one formula ---- */

/* above / below, each a sum over the sample: of a log link the logarithm is the base. */
static double ratio_of_sums(const struct tree_objective *objective, const float *weights,
                            double above_power, double below_power)
{
    const struct dataset *dataset = objective->dataset;
    double above = 0, below = 0;

    for (uint64_t i = 0; i < dataset->sample.rows; i++) {
        const double offset = tree_offset_of_sample(dataset, i), weight = weight_at(weights, i);

        above +=
            weight * (double)dataset->sample.values[i] * exponential_double(above_power * offset);
        below += weight * exponential_double(below_power * offset);
    }
    return logarithm_double(fmax(above, MEAN_LEAST)) - logarithm_double(fmax(below, MEAN_LEAST));
}

static double mean_of_rests(const struct tree_objective *objective, const float *weights)
{
    const struct dataset *dataset = objective->dataset;
    double sum = 0, all = 0;

    for (uint64_t i = 0; i < dataset->sample.rows; i++) {
        sum += weight_at(weights, i) *
               ((double)dataset->sample.values[i] - tree_offset_of_sample(dataset, i));
        all += weight_at(weights, i);
    }
    return all > 0 ? sum / all : 0;
}

static double mean_of_log_times(const struct tree_objective *objective, const float *weights)
{
    const struct dataset *dataset = objective->dataset;
    double sum = 0, all = 0;

    for (uint64_t i = 0; i < dataset->sample.rows; i++) {
        const double label = (double)dataset->sample.values[i];

        if (!(label > 0))
            continue;
        sum +=
            weight_at(weights, i) * (logarithm_double(label) - tree_offset_of_sample(dataset, i));
        all += weight_at(weights, i);
    }
    return all > 0 ? sum / all : 0;
}

/* ---- by halving ---- */

struct halving {
    const struct tree_objective *objective;
    const float *weights;
    float *scores, *gradients, *hessians; /* (rows of the sample) */
};

/* The sum of the derivatives of the sample's losses, where all rows have this base. */
static double slope_at(const struct halving *halving, double base)
{
    const struct dataset *dataset = halving->objective->dataset;
    const struct tree_labels labels = {.values = dataset->sample.values,
                                       .classes = dataset->sample.classes,
                                       .weights = halving->weights};
    const uint32_t rows = (uint32_t)dataset->sample.rows;
    double sum = 0;

    for (uint32_t i = 0; i < rows; i++)
        halving->scores[i] = (float)(base + tree_offset_of_sample(dataset, i));
    tree_objective_rows(halving->objective, labels, 0, rows, halving->scores, halving->gradients,
                        halving->hessians, NULL, NULL);
    for (uint32_t i = 0; i < rows; i++)
        sum += (double)halving->gradients[i];
    return sum;
}

/* Where the base lies: for numbers no farther than the farthest rest, a label less its offset. */
static void bounds_of_base(const struct tree_objective *objective, double *low, double *high)
{
    const struct dataset *dataset = objective->dataset;

    *low = -FARTHEST;
    *high = FARTHEST;
    if (dataset->sample.classes || tree_objective_link(objective) != TREES_LINK_NONE)
        return;
    *low = INFINITY;
    *high = -INFINITY;
    for (uint64_t i = 0; i < dataset->sample.rows; i++) {
        const double rest = (double)dataset->sample.values[i] - tree_offset_of_sample(dataset, i);

        *low = fmin(*low, rest);
        *high = fmax(*high, rest);
    }
}

static enum status halve(const struct tree_objective *objective, const float *weights,
                         double *start, struct error *err)
{
    const size_t rows = objective->dataset->sample.rows + (size_t)1;
    const struct halving halving = {objective, weights, malloc(rows * sizeof(float)),
                                    malloc(rows * sizeof(float)), malloc(rows * sizeof(float))};
    const bool has_room = halving.scores && halving.gradients && halving.hessians;
    double low, high;

    bounds_of_base(objective, &low, &high);
    for (int i = 0; has_room && i < HALVINGS && low < high; i++) {
        const double middle = low + (high - low) / 2;

        if (slope_at(&halving, middle) < 0)
            low = middle;
        else
            high = middle;
    }
    *start = high;
    free(halving.scores);
    free(halving.gradients);
    free(halving.hessians);
    return has_room ? STATUS_OK : fail_no_memory(err);
}

enum status tree_offset_start(const struct tree_objective *objective, const float *weights,
                              double *start, struct error *err)
{
    const double power = objective->params->tweedie_variance_power;

    *start = 0;
    if (transform_offset_input(&objective->dataset->transform)->spec.offset == OFFSET_MARGIN ||
        objective->dataset->sample.rows == 0)
        return STATUS_OK;
    switch (objective->name) {
    case TREE_SQUARED_ERROR:
    case TREE_HUBER:
    case TREE_FAIR:
        *start = mean_of_rests(objective, weights);
        return STATUS_OK;
    case TREE_POISSON:
        *start = ratio_of_sums(objective, weights, 0, 1);
        return STATUS_OK;
    case TREE_GAMMA:
        *start = ratio_of_sums(objective, weights, -1, 0);
        return STATUS_OK;
    case TREE_TWEEDIE:
        *start = ratio_of_sums(objective, weights, 1 - power, 2 - power);
        return STATUS_OK;
    case TREE_AFT:
        *start = mean_of_log_times(objective, weights);
        return STATUS_OK;
    default:
        return halve(objective, weights, start, err);
    }
}

/* ---- how far predictions are ---- */

static void take_prediction(const struct tree_objective *objective, double output,
                            struct label_range *range)
{
    const double most = PREDICTED_MOST * (1 + fmax(fabs(range->least), fabs(range->greatest)));
    double prediction = output + objective->origin;

    if (tree_objective_link(objective) == TREES_LINK_EXP)
        prediction = exponential_double(output);
    else if (tree_objective_link(objective) == TREES_LINK_LOGISTIC)
        prediction = 1 / (1 + exponential_double(-output));
    prediction = fmin(fmax(prediction, -most), most);
    range->least = fmin(range->least, prediction);
    range->greatest = fmax(range->greatest, prediction);
}

static void take_summary(const struct tree_objective *objective, const struct spool *spool,
                         uint32_t input, struct label_range *range)
{
    const struct transform_input *offset = &objective->dataset->transform.inputs[input];
    const struct spool_column_summary *summary = &spool->summaries[input];

    take_prediction(objective, objective->start + (double)transform_number(offset, summary->least),
                    range);
    take_prediction(objective,
                    objective->start + (double)transform_number(offset, summary->greatest), range);
}

void tree_offset_widen(const struct tree_objective *objective, const struct jobspec *spec,
                       struct label_range *range)
{
    const struct dataset *dataset = objective->dataset;
    const struct label_range of_labels = *range;

    for (uint32_t i = 0; i < dataset->transform.input_count; i++) {
        if (!dataset->transform.inputs[i].spec.offset)
            continue;
        take_summary(objective, &dataset->spool, i, range);
        if (spec->has_validation) {
            struct label_range of_validation = of_labels;

            take_summary(objective, &dataset->validation_spool, i, &of_validation);
            range->least = fmin(range->least, of_validation.least);
            range->greatest = fmax(range->greatest, of_validation.greatest);
        }
    }
}
