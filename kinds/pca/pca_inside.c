#include "kinds/pca/pca_inside.h"

#include "base/cell_values.h"
#include "kinds/pca/pca_model.h"

static const char *const *loading_columns(enum task task)
{
    static const char *const names[] = {"component", "name", "loading", NULL};
    (void)task;

    return names;
}

static enum status loadings(const struct model *model, struct arena *arena, struct cell **cells,
                            size_t *rows, struct error *err)
{
    const struct pca_model *pca = pca_of(model);
    struct cell *end;

    *rows = (size_t)pca->components * pca->inputs;
    end = *cells = ARENA_NEW(arena, struct cell, *rows * 3);
    if (!end)
        return fail_no_memory(err);
    for (size_t i = 0; i < *rows; i++) {
        *end++ = cell_integer((int64_t)(i / pca->inputs) + 1);
        *end++ = cell_text(model->transform.inputs[i % pca->inputs].spec.name);
        *end++ = cell_real((double)pca->loadings[i]);
    }
    return STATUS_OK;
}

static const char *const *variance_columns(enum task task)
{
    static const char *const names[] = {"component", "variance", "ratio", "cumulative", NULL};
    (void)task;

    return names;
}

static enum status variances(const struct model *model, struct arena *arena, struct cell **cells,
                             size_t *rows, struct error *err)
{
    const struct pca_model *pca = pca_of(model);
    struct cell *end;
    double sum = 0;

    *rows = pca->components;
    end = *cells = ARENA_NEW(arena, struct cell, *rows * 4);
    if (!end)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < pca->components; i++) {
        sum += pca->variances[i];
        *end++ = cell_integer(i + 1);
        *end++ = cell_real(pca->variances[i]);
        *end++ = cell_real(pca->variances[i] / pca->variance);
        *end++ = cell_real(sum / pca->variance);
    }
    return STATUS_OK;
}

const struct model_inside pca_insides[] = {
    {"components", loading_columns, loadings},
    {"explained_variance", variance_columns, variances},
    {NULL, NULL, NULL},
};
