#include "runtime/learn/layers/loss_head.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arithmetic/kernels.h"
#include "runtime/learn/label_range.h"
#include "runtime/learn/layers/losses.h"

#define DELTA_AUTOMATIC 1.35 /* deviations of the label: Huber's own choice */

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

/* A quantile of the sample's labels, which are standardised. */
static enum status sample_quantile(const struct dataset_part *sample, double alpha, float *value,
                                   struct error *err)
{
    const size_t bytes = sample->rows * sizeof *sample->values;
    float *sorted = malloc(bytes + 1);

    *value = 0;
    if (!sorted)
        return fail_no_memory(err);
    if (sample->rows > 0) {
        memcpy(sorted, sample->values, bytes);
        qsort(sorted, sample->rows, sizeof *sorted, compare_floats);
        *value = sorted[(size_t)(alpha * (double)(sample->rows - 1) + 0.5)];
    }
    free(sorted);
    return STATUS_OK;
}

/* Checks the labels of all rows, of those that are held out, too. */
static enum status check_numbers(const struct jobspec *spec, const struct dataset *dataset,
                                 struct error *err)
{
    const enum network_loss loss = network_params(&spec->params)->loss;
    const struct label_range range = label_range_of(spec, dataset);
    const bool takes_zero = loss != NETWORK_GAMMA;

    if (takes_zero ? range.least < 0 : range.least <= 0) {
        fail(err, STATUS_INVALID,
             "label column \"%.*s\" has the number %.15g, and the loss %s learns numbers %s",
             SLICE_FORMAT(spec->label), range.least, network_loss_words[loss],
             takes_zero ? "from 0 on" : "above 0");
        return error_hint(err, "Leave such rows out of the SELECT, or use another loss, such as "
                               "'squared_error'.");
    }
    if (range.greatest > 0)
        return STATUS_OK;
    fail(err, STATUS_INVALID,
         "no label of column \"%.*s\" is above 0, where the loss %s needs some",
         SLICE_FORMAT(spec->label), network_loss_words[loss]);
    return error_hint(err, "It learns the logarithm of their mean.");
}

static enum status check_labels(const struct jobspec *spec, uint32_t outputs,
                                const struct dataset *dataset, struct error *err)
{
    const enum label_link link = network_link(&spec->params);

    if (link == LABEL_LINK_EXP)
        return check_numbers(spec, dataset, err);
    if (link != LABEL_LINK_MARGIN || outputs == 1)
        return STATUS_OK;
    fail(err, STATUS_INVALID, "the loss %s needs two classes, and label column \"%.*s\" has %u",
         network_loss_words[network_params(&spec->params)->loss], SLICE_FORMAT(spec->label),
         outputs);
    return error_hint(err, "More classes are learned by log_loss and focal.");
}

enum status loss_head_init(struct loss_head *head, const struct jobspec *spec, uint32_t outputs,
                           const struct dataset *dataset, struct error *err)
{
    const struct network_params *params = network_params(&spec->params);
    const bool is_median = params->loss == NETWORK_ABSOLUTE_ERROR;
    const double delta =
        params->huber_delta <= 0 ? DELTA_AUTOMATIC : params->huber_delta / dataset->label_scale;

    *head = (struct loss_head){
        .task = spec->task,
        .outputs = outputs,
        .loss = params->loss,
        .delta = (float)delta,
        .alpha = (float)params->quantile_level,
        .gamma = (float)params->focal_gamma,
        .smoothing = (float)params->label_smoothing,
        .power = params->tweedie_power,
        .unit = dataset->label_scale,
    };
    TRY(check_labels(spec, outputs, dataset, err));
    if (!is_median && params->loss != NETWORK_QUANTILE)
        return STATUS_OK;
    return sample_quantile(&dataset->sample, is_median ? 0.5 : params->quantile_level, &head->start,
                           err);
}

void loss_head_fill(const struct loss_head *head, struct model *model)
{
    if (head->loss == NETWORK_TWEEDIE)
        model->aim.power = head->power;
}

struct loss_unit loss_head_unit(const struct loss_head *head)
{
    switch (head->loss) {
    case NETWORK_ABSOLUTE_ERROR:
    case NETWORK_QUANTILE:
        return (struct loss_unit){.power = 1};
    case NETWORK_HUBER:
        return (struct loss_unit){.power = 2, .is_of_means = true};
    case NETWORK_LOG_COSH: /* divided by losses.h's c */
        return (struct loss_unit){.power = head->unit > 1 ? 1 : 2, .is_of_means = true};
    case NETWORK_POISSON:
        return (struct loss_unit){.power = 1, .is_of_means = true};
    case NETWORK_GAMMA:
        return (struct loss_unit){.power = 0, .is_of_means = true};
    case NETWORK_TWEEDIE:
        return (struct loss_unit){.power = 2 - head->power, .is_of_means = true};
    default:
        return (struct loss_unit){.power = 2, .is_square = true, .is_of_means = true};
    }
}

void loss_head_take(const struct loss_head *head, const struct lane_rows *rows, uint64_t row,
                    uint32_t at, struct loss_labels *labels)
{
    int32_t class;

    labels->weights[at] = rows->sample_weights ? rows->sample_weights[row] * rows->weight_share : 1;
    if (!task_has_label(head->task))
        return;
    if (head->task == TASK_REGRESSION) {
        labels->targets[at] = rows->part->values[row];
        return;
    }
    class = rows->part->classes[row];
    /* One that changed in memory by itself is found when the rows are looked at; until then it is
     * none that there is. */
    if (class >= (int32_t)(head->outputs == 1 ? 2 : head->outputs))
        class = -1;
    labels->classes[at] = class;
    labels->targets[at] = class > 0 ? 1 : 0;
    if (rows->class_weights && class >= 0)
        labels->weights[at] *= rows->class_weights[class];
}

static void compute_regression(const struct loss_head *head, uint32_t n, struct loss_labels *labels,
                               float *z)
{
    switch (head->loss) {
    case NETWORK_ABSOLUTE_ERROR:
        loss_absolute(n, labels->targets, z, labels->losses);
        return;
    case NETWORK_HUBER:
        loss_huber(n, head->delta, labels->targets, z, labels->losses);
        return;
    case NETWORK_LOG_COSH:
        loss_log_cosh(n, head->unit, labels->targets, z, labels->losses);
        return;
    case NETWORK_QUANTILE:
        loss_quantile(n, head->alpha, labels->targets, z, labels->losses);
        return;
    case NETWORK_POISSON:
        loss_poisson(n, labels->targets, z, labels->losses);
        return;
    case NETWORK_GAMMA:
        loss_gamma(n, labels->targets, z, labels->losses);
        return;
    case NETWORK_TWEEDIE:
        loss_tweedie(n, head->power, labels->targets, z, labels->losses);
        return;
    default:
        loss_squares(n, labels->targets, z, labels->losses);
        return;
    }
}

/* losses (n), and z becomes the gradient of each row's loss; of classes the log loss, of margins
 * the hinge loss. */
static void compute_losses(const struct loss_head *head, uint32_t n, struct loss_labels *labels,
                           float *z)
{
    if (head->task == TASK_REGRESSION)
        compute_regression(head, n, labels, z);
    else if (loss_head_has_margins(head))
        loss_hinge(n, labels->targets, z, labels->losses);
    else if (head->outputs == 1)
        loss_logistic(n, labels->targets, z, labels->losses);
    else
        loss_softmax(n, head->outputs, labels->classes, z, labels->losses);
}

/* The same where the loss is another one. */
static void compute_chosen(const struct loss_head *head, uint32_t n, struct loss_labels *labels,
                           float *z)
{
    const bool has_one = head->outputs == 1;

    if (head->loss == NETWORK_SQUARED_HINGE)
        loss_squared_hinge(n, labels->targets, z, labels->losses);
    else if (head->loss == NETWORK_FOCAL && has_one)
        loss_focal_logistic(n, head->gamma, labels->targets, z, labels->losses);
    else if (head->loss == NETWORK_FOCAL)
        loss_focal_softmax(n, head->outputs, head->gamma, labels->classes, z, labels->losses);
    else if (head->smoothing > 0 && has_one)
        loss_smoothed_logistic(n, head->smoothing, labels->targets, z, labels->losses);
    else if (head->smoothing > 0)
        loss_smoothed_softmax(n, head->outputs, head->smoothing, labels->classes, z,
                              labels->losses);
    else
        compute_losses(head, n, labels, z);
}

/* A row that is learned has one of the outputs' classes, unless its memory changed by itself: then
 * no output lies where -1 would point to. */
static void keep_inside(uint32_t n, int32_t *classes)
{
    for (uint32_t i = 0; i < n; i++)
        if (classes[i] < 0)
            classes[i] = 0;
}

double loss_head_backward(const struct loss_head *head, uint32_t n, double divisor,
                          struct loss_labels *labels, float *z)
{
    const float share = (float)(1 / divisor);
    double sum = 0;

    if (head->outputs > 1)
        keep_inside(n, labels->classes);
    compute_chosen(head, n, labels, z);
    for (uint32_t i = 0; i < n; i++) {
        const float scale = labels->weights[i] * share;

        for (uint32_t j = 0; j < head->outputs; j++)
            z[(size_t)i * head->outputs + j] *= scale;
        sum += (double)labels->weights[i] * labels->losses[i];
    }
    return sum;
}

static bool is_correct(const struct loss_head *head, const float *z, int32_t label)
{
    uint32_t best = 0;

    if (head->outputs == 1)
        return (z[0] > 0) == label;
    for (uint32_t j = 1; j < head->outputs; j++)
        if (z[j] > z[best])
            best = j;
    return (int32_t)best == label;
}

/* Before compute_losses() takes the outputs away. Unseen classes get one that exists. */
static uint64_t count_correct(const struct loss_head *head, uint32_t n, struct loss_labels *labels,
                              const float *z)
{
    uint64_t correct = 0;

    for (uint32_t i = 0; i < n; i++, z += head->outputs) {
        correct += is_correct(head, z, labels->classes[i]);
        if (labels->classes[i] < 0) {
            labels->classes[i] = 0;
            labels->weights[i] = 0;
        }
    }
    return correct;
}

/* A log loss is cut where probabilities are. NaN stays NaN. */
static double class_loss(const struct loss_head *head, double loss, float weight)
{
    if (weight == 0 && isfinite(loss))
        return LOSS_ROW_MOST;
    return loss > LOSS_ROW_MOST && !loss_head_has_margins(head) ? LOSS_ROW_MOST : loss;
}

uint64_t loss_head_evaluate(const struct loss_head *head, uint32_t n, struct loss_labels *labels,
                            float *z, double *loss)
{
    const bool is_classifier = head->task == TASK_CLASSIFICATION;
    const uint64_t correct = is_classifier ? count_correct(head, n, labels, z) : 0;

    compute_losses(head, n, labels, z);
    for (uint32_t i = 0; i < n; i++)
        *loss += is_classifier ? class_loss(head, labels->losses[i], labels->weights[i])
                               : labels->losses[i];
    return correct;
}
