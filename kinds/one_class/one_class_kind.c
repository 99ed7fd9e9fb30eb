#include "kinds/one_class/one_class_kind.h"

#include <math.h>
#include <stdlib.h>

#include "base/vectors.h"
#include "kinds/one_class/one_class_formulas.h"
#include "params/attribute_rows.h"
#include "scoring/numbers/elementary.h"
#include "scoring/transform/spread.h"

#define FEATURES_AT_ONCE 8

_Static_assert(sizeof(struct one_class_params) <= KIND_PARAMS_BYTES, "they fit into a job spec");

/* ---- statements ---- */

ATTRIBUTE_TABLE(one_class_attributes, struct one_class_params, ONE_CLASS_ATTRIBUTES)

/* The memory of runtime/learn/sums/one_class.c: sums of the products of all pairs of features, two
 * integers each, and their totals; the matrix; rows of features; and the frequencies, twice. */
static struct kind_cost cost(const struct kind_params *params, const struct kind_shape *shape)
{
    const double features = one_class_params(params)->features + 1, turns = 11; /* are usual */
    const double inputs = shape->dense + shape->id_rows;
    const double summed = shape->dense + shape->ids; /* a category adds what one word does */

    return (struct kind_cost){
        .parameters = features * (inputs + 2),
        .multiplications = features * (summed + 20),
        .bytes = (features * features * 4 + features * (300 + 2 * inputs)) * sizeof(double),
        .learning = turns * features * features * features,
        /* Measured: products of pairs take 1.8 multiplications, a feature 6 for each input. */
        .row_learning = turns * (1.8 * features * features + 6 * features * (summed + 20)),
    };
}

static void explain(const struct kind_params *params, const struct kind_shape *shape,
                    struct text *detail)
{
    const struct one_class_params *one_class = one_class_params(params);

    text_printf(detail, "around all but %g of the rows, %u features of ", one_class->nu,
                one_class->features);
    kind_shape_append(shape, detail);
    text_printf(detail, ", by Newton's steps: at most %u passes over the rows",
                one_class->iterations + 2);
}

/* ---- stored models ---- */

static void write_content(const struct model *model, cJSON *object)
{
    json_add_integer(object, "features", one_class_of(model)->features);
}

static enum status read_content(const cJSON *object, struct arena *arena, struct model *model,
                                struct error *err)
{
    struct one_class_model *one_class = ARENA_NEW(arena, struct one_class_model, 1);
    int64_t features;
    uint64_t width; /* spread_numbers_width, of a transform that is not finished */

    if (!one_class)
        return fail_no_memory(err);
    model->content = one_class;
    if (model->task != TASK_DETECTION)
        return fail(err, STATUS_CORRUPT, "model: one class does no %s", task_words[model->task]);
    for (uint32_t i = 0; i < model->transform.input_count; i++)
        if (model->transform.inputs[i].spec.type == INPUT_TEXT)
            return fail(err, STATUS_CORRUPT, "model: one class with an input that is a text");
    width = spread_number_count(&model->transform) + transform_size_of(&model->transform).id_rows;
    TRY(json_get_integer(object, "features", 1, ONE_CLASS_FEATURES_MAX, &features, err));
    *one_class = (struct one_class_model){.features = (uint32_t)features,
                                          .inputs = (uint32_t)width,
                                          .numbers = spread_number_count(&model->transform)};
    if (width == 0 || width * one_class->features > MODEL_PARAMETERS_MAX)
        return fail(err, STATUS_CORRUPT, "model: one class of %llu inputs",
                    (unsigned long long)width);
    return STATUS_OK;
}

static bool number_of(const struct model *model, uint32_t i, uint64_t *number)
{
    *number = one_class_of(model)->features;
    return i < 1;
}

static bool array_of(const struct model *model, uint32_t i, struct model_array *array)
{
    struct one_class_model *one_class = (struct one_class_model *)(uintptr_t)model->content;
    const struct model_array arrays[] = {
        {"frequencies", one_class->features, one_class->inputs, true, &one_class->frequencies},
        {"phases", 1, one_class->features, true, &one_class->phases},
        {"weights", 1, one_class->features, true, &one_class->weights},
        {"rho", 1, 1, true, &one_class->rho},
    };

    if (i >= sizeof arrays / sizeof *arrays)
        return false;
    *array = arrays[i];
    return true;
}

static void params_of(const struct model *model, struct kind_params *params)
{
    one_class_params(params)->features = one_class_of(model)->features;
}

/* ---- scoring ---- */

/* So many features at once: none waits for the sum of another. */
VECTORS_PART void take_features(const struct one_class_model *one_class, uint32_t first,
                                uint32_t features, const double *x, const int32_t *ids,
                                uint32_t count, double *cosines)
{
    const uint32_t inputs = one_class->inputs;
    const float *frequencies = one_class->frequencies + (size_t)first * inputs;
    double turns[FEATURES_AT_ONCE];

    for (uint32_t d = 0; d < features; d++)
        turns[d] = (double)one_class->phases[first + d];
    for (uint32_t i = 0; i < one_class->numbers; i++)
        for (uint32_t d = 0; d < features; d++)
            turns[d] += (double)frequencies[(size_t)d * inputs + i] * x[i];
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t d = 0; d < features && ids[i] >= 0; d++)
            turns[d] +=
                (double)SPREAD_WORD *
                (double)frequencies[(size_t)d * inputs + one_class->numbers + (uint32_t)ids[i]];
    for (uint32_t d = 0; d < features; d++)
        cosines[d] = cosine_of_turns(turns[d]);
}

WIDE_VECTORS
void one_class_features(const struct one_class_model *one_class, const double *x,
                        const int32_t *ids, uint32_t count, double *cosines)
{
    uint32_t first = 0;

    for (; one_class->features - first >= FEATURES_AT_ONCE; first += FEATURES_AT_ONCE)
        take_features(one_class, first, FEATURES_AT_ONCE, x, ids, count, cosines + first);
    take_features(one_class, first, one_class->features - first, x, ids, count, cosines + first);
}

static uint32_t outputs_of(const struct model *model)
{
    (void)model;
    return 1;
}

struct workspace {
    const struct model *model;
    double *x;       /* (inputs) */
    double *cosines; /* (features) */
};

static void close_workspace(void *opened)
{
    struct workspace *workspace = opened;

    if (workspace) {
        free(workspace->x);
        free(workspace->cosines);
    }
    free(workspace);
}

static enum status open_workspace(const struct model *model, uint32_t rows_max, void **opened,
                                  struct error *err)
{
    struct workspace *workspace = calloc(1, sizeof *workspace);
    (void)rows_max;

    *opened = workspace;
    if (!workspace)
        return fail_no_memory(err);
    workspace->model = model;
    workspace->x = calloc(one_class_of(model)->inputs, sizeof *workspace->x);
    workspace->cosines = calloc(one_class_of(model)->features, sizeof *workspace->cosines);
    if (workspace->x && workspace->cosines)
        return STATUS_OK;
    close_workspace(workspace);
    *opened = NULL;
    return fail_no_memory(err);
}

static void score(void *opened, const float *dense, const int32_t *ids, uint32_t count,
                  float *outputs)
{
    const struct workspace *workspace = opened;
    const struct one_class_model *one_class = one_class_of(workspace->model);
    const struct transform *transform = &workspace->model->transform;

    for (uint32_t row = 0; row < count; row++) {
        double sum = -(double)*one_class->rho;

        spread_numbers(transform, dense, ids, workspace->x);
        one_class_features(one_class, workspace->x, ids, transform->id_count, workspace->cosines);
        for (uint32_t d = 0; d < one_class->features; d++)
            sum += (double)one_class->weights[d] * workspace->cosines[d];
        outputs[row] = (float)sum;
        dense += transform->dense_width;
        ids += transform->id_count;
    }
}

const struct kind one_class_kind = {
    .name = "one_class",
    .attributes = &one_class_attributes,
    .sections = (const char *const[]){NULL},
    .without = (const char *const[]){"train.batch_size", "train.epoch", "train.max_steps",
                                     "train.max_seconds", "train.shuffle", "train.early_stopping",
                                     "train.label_upper_bound", "train.group", NULL},
    .spreads_words = true,
    .takes_no_texts = true,
    .is_shift_free = true,
    .cost = cost,
    .size_attribute = "model.n_features",
    .size_hint = "The sums of the products of all pairs of features are counted; lower "
                 "model.n_features.",
    .held = "features and the sums of products of all pairs of them",
    .explained = "one class",
    .explain = explain,
    .write_content = write_content,
    .read_content = read_content,
    .number = number_of,
    .array = array_of,
    .params_of = params_of,
    .outputs = outputs_of,
    .open = open_workspace,
    .score = score,
    .close = close_workspace,
    .formulas = one_class_formulas,
};
