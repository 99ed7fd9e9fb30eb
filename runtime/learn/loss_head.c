#include "runtime/learn/loss_head.h"

#include <math.h>

#include "runtime/learn/kernels.h"

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

/* losses (n), and z becomes the gradient of each row's loss. */
static void compute_losses(const struct loss_head *head, uint32_t n, struct loss_labels *labels,
                           float *z)
{
    if (head->task == TASK_REGRESSION)
        loss_squares(n, labels->targets, z, labels->losses);
    else if (head->outputs == 1)
        loss_logistic(n, labels->targets, z, labels->losses);
    else
        loss_softmax(n, head->outputs, labels->classes, z, labels->losses);
}

double loss_head_backward(const struct loss_head *head, uint32_t n, double divisor,
                          struct loss_labels *labels, float *z)
{
    const float share = (float)(1 / divisor);
    double sum = 0;

    compute_losses(head, n, labels, z);
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
