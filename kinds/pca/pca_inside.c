#include "kinds/pca/pca_inside.h"

#include "base/cell_values.h"
#include "kinds/pca/pca_model.h"
#include "scoring/transform/feature_names.h"

static const char *const *loading_columns(enum task task)
{
    static const char *const names[] = {"component", "name", "loading", NULL};
    (void)task;

    return names;
}

/* The names of the columns of a row (spread_numbers); those of words that no row has are empty. */
static enum status name_columns(const struct model *model, struct arena *arena,
                                struct slice **columns, struct error *err)
{
    const struct transform *transform = &model->transform;
    struct slice *names, *column;

    TRY(feature_names(transform, arena, &names, err));
    column = *columns = ARENA_NEW(arena, struct slice, pca_of(model)->inputs);
    if (!column)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < transform->input_count; i++)
        if (transform->inputs[i].spec.type == INPUT_NUMERIC)
            *column++ = transform->inputs[i].spec.name;
    for (uint32_t i = 0; i < transform->id_rows; i++)
        *column++ = names[1 + transform_features(transform) + i];
    return STATUS_OK;
}

static enum status loadings(const struct model *model, struct arena *arena, struct cell **cells,
                            size_t *rows, struct error *err)
{
    const struct pca_model *pca = pca_of(model);
    const size_t most = (size_t)pca->components * pca->inputs;
    struct slice *columns;
    struct cell *end;

    TRY(name_columns(model, arena, &columns, err));
    end = *cells = ARENA_NEW(arena, struct cell, most * 3);
    if (!end)
        return fail_no_memory(err);
    for (size_t i = 0; i < most; i++) {
        if (columns[i % pca->inputs].size == 0)
            continue;
        *end++ = cell_integer((int64_t)(i / pca->inputs) + 1);
        *end++ = cell_text(columns[i % pca->inputs]);
        *end++ = cell_real((double)pca->loadings[i]);
    }
    *rows = (size_t)(end - *cells) / 3;
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
