#include "kinds/bayes/bayes_score.h"

#include <stdlib.h>

#include "kinds/bayes/bayes_model.h"
#include "scoring/numbers/elementary.h"

#define TWO_PI      0x1.921fb54442d18p+2
#define OUTPUT_MOST 1e30 /* beyond it a probability is 0 anyway */

struct workspace {
    const struct model *model;
    double *halves; /* (classes, width): 1 / (2 variance) */
    double *peaks;  /* (classes, width): the logarithm of the density at the mean */
    double *sums;   /* (classes) */
};

enum status bayes_scorer_open(const struct model *model, uint32_t rows_max, void **opened,
                              struct error *err)
{
    const struct bayes_model *bayes = bayes_of(model);
    const size_t numbers = (size_t)bayes->classes * bayes->width;
    struct workspace *workspace = calloc(1, sizeof *workspace);
    (void)rows_max;

    *opened = workspace;
    if (!workspace)
        return fail_no_memory(err);
    workspace->model = model;
    workspace->halves = calloc(numbers + 1, sizeof *workspace->halves);
    workspace->peaks = calloc(numbers + 1, sizeof *workspace->peaks);
    workspace->sums = calloc(bayes->classes, sizeof *workspace->sums);
    if (!workspace->halves || !workspace->peaks || !workspace->sums) {
        bayes_scorer_close(workspace);
        *opened = NULL;
        return fail_no_memory(err);
    }
    for (size_t i = 0; i < numbers; i++) {
        workspace->halves[i] = 1 / (2 * (double)bayes->variances[i]);
        workspace->peaks[i] = -logarithm_double(TWO_PI * (double)bayes->variances[i]) / 2;
    }
    return STATUS_OK;
}

static void add_number(const struct workspace *workspace, const struct transform_input *input,
                       const float *dense)
{
    const struct bayes_model *bayes = bayes_of(workspace->model);
    const double value = (double)dense[input->dense_offset];

    if (transform_was_null(input, dense + input->dense_offset))
        return;
    for (uint32_t c = 0; c < bayes->classes; c++) {
        const size_t at = (size_t)c * bayes->width + input->dense_offset;
        const double rest = value - (double)bayes->means[at];

        workspace->sums[c] += workspace->peaks[at] - rest * rest * workspace->halves[at];
    }
}

static void add_word(const struct workspace *workspace, int32_t id)
{
    const struct bayes_model *bayes = bayes_of(workspace->model);

    for (uint32_t c = 0; c < bayes->classes && id >= 0; c++)
        workspace->sums[c] += (double)bayes->likelihoods[(size_t)id * bayes->classes + c];
}

/* Each word of a text, as often as it counts. */
static void add_text(const struct workspace *workspace, const struct transform_input *input,
                     const int32_t *ids)
{
    const struct bayes_model *bayes = bayes_of(workspace->model);
    const struct text_ids text = text_ids_of(input);
    const uint32_t used = text_ids_used(ids + text.first, text.count);
    const struct text_shares shares = text_shares_of(&text, ids, used);

    for (uint32_t i = 0; i < used; i++) {
        const float *words = bayes->likelihoods + (size_t)ids[text.first + i] * bayes->classes;
        const double share = (double)text_share(&shares, i);

        for (uint32_t c = 0; c < bayes->classes; c++)
            workspace->sums[c] += share * (double)words[c];
    }
}

static float limited(double output)
{
    return (float)(output < -OUTPUT_MOST  ? -OUTPUT_MOST
                   : output > OUTPUT_MOST ? OUTPUT_MOST
                                          : output);
}

static float *put_outputs(const double *sums, uint32_t classes, float *outputs)
{
    double greatest = sums[0];

    if (classes == 2) {
        *outputs++ = limited(sums[1] - sums[0]);
        return outputs;
    }
    for (uint32_t c = 1; c < classes; c++)
        greatest = sums[c] > greatest ? sums[c] : greatest;
    for (uint32_t c = 0; c < classes; c++)
        *outputs++ = limited(sums[c] - greatest);
    return outputs;
}

void bayes_score(void *opened, const float *dense, const int32_t *ids, uint32_t count,
                 float *outputs)
{
    const struct workspace *workspace = opened;
    const struct bayes_model *bayes = bayes_of(workspace->model);
    const struct transform *transform = &workspace->model->transform;

    for (uint32_t row = 0; row < count; row++) {
        for (uint32_t c = 0; c < bayes->classes; c++)
            workspace->sums[c] = (double)bayes->priors[c];
        for (uint32_t i = 0; i < transform->input_count; i++) {
            const struct transform_input *input = &transform->inputs[i];

            if (input->spec.type == INPUT_NUMERIC)
                add_number(workspace, input, dense);
            else if (input->spec.type == INPUT_TEXT)
                add_text(workspace, input, ids);
            else
                add_word(workspace, ids[input->id_offset]);
        }
        outputs = put_outputs(workspace->sums, bayes->classes, outputs);
        dense += transform->dense_width;
        ids += transform->id_count;
    }
}

void bayes_scorer_close(void *opened)
{
    struct workspace *workspace = opened;

    if (!workspace)
        return;
    free(workspace->halves);
    free(workspace->peaks);
    free(workspace->sums);
    free(workspace);
}
