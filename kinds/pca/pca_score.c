#include "kinds/pca/pca_score.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "kinds/pca/pca_model.h"
#include "scoring/transform/spread.h"

struct workspace {
    const struct model *model;
    double *rest; /* (inputs): the part of the row that no component has given back yet */
};

enum status pca_scorer_open(const struct model *model, uint32_t rows_max, void **opened,
                            struct error *err)
{
    struct workspace *workspace = calloc(1, sizeof *workspace);
    (void)rows_max;

    *opened = workspace;
    if (!workspace)
        return fail_no_memory(err);
    workspace->model = model;
    workspace->rest = calloc(pca_of(model)->inputs, sizeof *workspace->rest);
    if (workspace->rest)
        return STATUS_OK;
    pca_scorer_close(workspace);
    *opened = NULL;
    return fail_no_memory(err);
}

static float limited(double value)
{
    return (float)(value < -(double)FLT_MAX  ? -(double)FLT_MAX
                   : value > (double)FLT_MAX ? (double)FLT_MAX
                                             : value);
}

static double product(const double *restrict a, const float *restrict b, uint32_t count)
{
    double sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += a[i] * (double)b[i];
    return sum;
}

static void score_row(const struct workspace *workspace, const float *dense, const int32_t *ids,
                      float *outputs)
{
    const struct pca_model *pca = pca_of(workspace->model);
    double *restrict rest = workspace->rest;
    double square = 0;

    spread_numbers(&workspace->model->transform, dense, ids, rest);
    for (uint32_t i = 0; i < pca->inputs; i++)
        rest[i] -= (double)pca->means[i];
    for (uint32_t k = 0; k < pca->components; k++) {
        const float *restrict loadings = pca->loadings + (size_t)k * pca->inputs;
        const double component = product(rest, loadings, pca->inputs);

        for (uint32_t i = 0; i < pca->inputs; i++)
            rest[i] -= component * (double)loadings[i];
        outputs[k] = limited(component);
    }
    for (uint32_t i = 0; i < pca->inputs; i++)
        square += rest[i] * rest[i];
    outputs[pca->components] = limited(sqrt(square));
}

void pca_score(void *opened, const float *dense, const int32_t *ids, uint32_t count, float *outputs)
{
    const struct workspace *workspace = opened;
    const uint32_t components = pca_of(workspace->model)->components;

    for (uint32_t row = 0; row < count; row++) {
        score_row(workspace, dense, ids, outputs);
        dense += workspace->model->transform.dense_width;
        ids += workspace->model->transform.id_count;
        outputs += components + 1;
    }
}

void pca_scorer_close(void *opened)
{
    struct workspace *workspace = opened;

    if (!workspace)
        return;
    free(workspace->rest);
    free(workspace);
}
