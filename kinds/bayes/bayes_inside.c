#include "kinds/bayes/bayes_inside.h"

#include <math.h>

#include "base/cell_values.h"
#include "kinds/bayes/bayes_model.h"
#include "scoring/label_names.h"
#include "scoring/numbers/elementary.h"
#include "scoring/transform/feature_names.h"

enum { NAME, CLASS, MEAN, DEVIATION, PROBABILITY, COLUMNS };

static const char *const *columns(enum task task)
{
    static const char *const names[] = {"name", "class", "mean", "deviation", "probability", NULL};
    (void)task;

    return names;
}

static struct cell *put(struct cell *cells, struct slice name, struct slice class)
{
    cells[NAME] = cell_text(name);
    cells[CLASS] = cell_text(class);
    cells[MEAN] = cells[DEVIATION] = cells[PROBABILITY] = cell_null();
    return cells + COLUMNS;
}

static struct cell probability(float logarithm)
{
    return cell_real(exponential_double((double)logarithm));
}

/* Puts one input's rows for all classes. */
static struct cell *put_input(const struct model *model, const struct transform_input *input,
                              const struct slice *names, const struct slice *classes,
                              struct cell *cells)
{
    const struct bayes_model *bayes = bayes_of(model);
    const bool is_number = input->spec.type == INPUT_NUMERIC;
    const uint32_t features = is_number ? 1 : feature_count(input);

    for (uint32_t i = 0; i < features; i++)
        for (uint32_t c = 0; c < bayes->classes; c++) {
            const size_t at = (size_t)c * bayes->width + input->dense_offset;
            const uint32_t word = input->first_id + i;
            struct cell *row = cells;

            cells = put(cells, names[1 + feature_first(&model->transform, input) + i], classes[c]);
            if (is_number) {
                row[MEAN] = cell_real((double)bayes->means[at] * input->scale + input->mean);
                row[DEVIATION] = cell_real(sqrt((double)bayes->variances[at]) * input->scale);
            } else {
                row[PROBABILITY] =
                    probability(bayes->likelihoods[(size_t)word * bayes->classes + c]);
            }
        }
    return cells;
}

static enum status likelihoods(const struct model *model, struct arena *arena, struct cell **cells,
                               size_t *rows, struct error *err)
{
    const struct bayes_model *bayes = bayes_of(model);
    const struct transform *transform = &model->transform;
    const size_t most = 1 + (size_t)transform->dense_width + transform->id_rows;
    struct slice *names, *classes;
    struct cell *end;

    TRY(feature_names(transform, arena, &names, err));
    TRY(label_names(&model->labels, arena, &classes, err));
    end = *cells = ARENA_NEW(arena, struct cell, most * bayes->classes * COLUMNS);
    if (!end)
        return fail_no_memory(err);
    for (uint32_t c = 0; c < bayes->classes; c++) {
        struct cell *row = end;

        end = put(end, SLICE("(class)"), classes[c]);
        row[PROBABILITY] = probability(bayes->priors[c]);
    }
    for (uint32_t i = 0; i < transform->input_count; i++)
        end = put_input(model, &transform->inputs[i], names, classes, end);
    *rows = (size_t)(end - *cells) / COLUMNS;
    return STATUS_OK;
}

const struct model_inside bayes_insides[] = {
    {"likelihoods", columns, likelihoods},
    {NULL, NULL, NULL},
};
