#include "runtime/learn/loss_head.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/learn/kernels.h"
#include "runtime/learn/losses.h"

#define DELTA_AUTOMATIC 1.35 /* deviations of the label: Huber's own choice */

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

/* Of the labels of the sample, as they are standardised. */
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

enum status loss_head_init(struct loss_head *head, const struct network_params *params,
                           enum task task, uint32_t outputs, const struct dataset *dataset,
                           struct error *err)
{
    const bool is_median = params->loss == NETWORK_ABSOLUTE_ERROR;
    const double delta =
        params->huber_delta <= 0 ? DELTA_AUTOMATIC : params->huber_delta / dataset->label_scale;

    *head = (struct loss_head){
        .task = task,
        .outputs = outputs,
        .loss = params->loss,
        .delta = (float)delta,
        .alpha = (float)params->quantile_level,
        .gamma = (float)params->focal_gamma,
        .smoothing = (float)params->label_smoothing,
    };
    if (!is_median && params->loss != NETWORK_QUANTILE)
        return STATUS_OK;
    return sample_quantile(&dataset->sample, is_median ? 0.5 : params->quantile_level, &head->start,
                           err);
}

enum loss_unit loss_head_unit(const struct loss_head *head)
{
    switch (head->loss) {
    case NETWORK_ABSOLUTE_ERROR:
    case NETWORK_QUANTILE:
        return LOSS_AS_LABEL;
    case NETWORK_HUBER:
        return LOSS_AS_SQUARE;
    default:
        return LOSS_IS_SQUARE;
    }
}

void loss_head_take(const struct loss_head *head, const struct lane_rows *rows, uint64_t row,
                    uint32_t at, struct loss_labels *labels)
{
    int32_t class;

    labels->weights[at] = rows->sample_weights ? rows->sample_weights[row] * rows->weight_share : 1;
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
    case NETWORK_QUANTILE:
        loss_quantile(n, head->alpha, labels->targets, z, labels->losses);
        return;
    default:
        loss_squares(n, labels->targets, z, labels->losses);
        return;
    }
}

/* losses (n), and z becomes the gradient of each row's loss; of classes the log loss. */
static void compute_losses(const struct loss_head *head, uint32_t n, struct loss_labels *labels,
                           float *z)
{
    if (head->task == TASK_REGRESSION)
        compute_regression(head, n, labels, z);
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

    if (head->loss == NETWORK_FOCAL && has_one)
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

/* NaN stays NaN. */
static double class_loss(double loss, float weight)
{
    if (weight == 0 && isfinite(loss))
        return LOSS_ROW_MOST;
    return loss > LOSS_ROW_MOST ? LOSS_ROW_MOST : loss;
}

uint64_t loss_head_evaluate(const struct loss_head *head, uint32_t n, struct loss_labels *labels,
                            float *z, double *loss)
{
    const bool is_classifier = head->task == TASK_CLASSIFICATION;
    const uint64_t correct = is_classifier ? count_correct(head, n, labels, z) : 0;

    compute_losses(head, n, labels, z);
    for (uint32_t i = 0; i < n; i++)
        *loss +=
            is_classifier ? class_loss(labels->losses[i], labels->weights[i]) : labels->losses[i];
    return correct;
}
