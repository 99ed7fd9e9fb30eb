#include "scoring/shap.h"

#include <stdlib.h>
#include <string.h>

#include "scoring/kind.h"
#include "scoring/numbers/elementary.h"
#include "scoring/shap_orders.h"

struct shap {
    const struct model *model;
    /* One of three: the kind's own, a linear model's weights, or orders. */
    void *opened;
    struct linear_weights linear;
    double *averages; /* (outputs, input_count): what an input adds to an output on average */
    struct shap_orders *orders;
};

/* The sum that the words of a text, or the items of a list, add. */
static double add_text(const struct transform_input *input, const int32_t *ids,
                       const float *weights, size_t width)
{
    const struct text_ids text = text_ids_of(input);
    const uint32_t used = text_ids_used(ids + text.first, text.count);
    const struct text_shares shares = text_shares_of(&text, ids, used);
    double sum = 0;

    for (uint32_t i = 0; i < used; i++)
        sum += (double)weights[(size_t)ids[text.first + i] * width] *
               (text.is_weighted ? (double)text_share(&shares, i) : 1);
    return text.is_weighted ? sum : sum * (double)shares.share;
}

/* The number that an input of a row adds to the output, without the average. */
static double add_input(const struct shap *shap, const struct transform_input *input,
                        const float *dense, const int32_t *ids, uint32_t output)
{
    const struct transform *transform = &shap->model->transform;
    const float *weights = shap->linear.weights + output;
    const size_t width = shap->linear.width;
    double sum = 0;

    if (input->spec.offset)
        return 0;
    if (input->spec.type == INPUT_NUMERIC) {
        for (uint32_t i = input->dense_offset; i < input->dense_offset + input->dense_count; i++)
            sum += (double)weights[i * width] * (double)dense[i];
        return sum;
    }
    weights += transform_features(transform) * width;
    if (input->spec.type == INPUT_TEXT)
        return add_text(input, ids, weights, width);
    ids += input->id_offset;
    return ids[0] >= 0 ? (double)weights[(size_t)ids[0] * width] : 0;
}

static enum status measure_averages(struct shap *shap, const struct held_rows *held,
                                    const struct stop *stop, struct error *err)
{
    const struct transform *transform = &shap->model->transform;
    const uint32_t outputs = shap->linear.width;
    uint64_t steps = 0;

    shap->averages = calloc(outputs * (size_t)transform->input_count + 1, sizeof *shap->averages);
    if (!shap->averages)
        return fail_no_memory(err);
    for (uint32_t output = 0; output < outputs; output++)
        for (uint32_t i = 0; i < transform->input_count; i++) {
            double *average = &shap->averages[output * (size_t)transform->input_count + i];

            TRY(stop_step(stop, held->count, &steps, err));
            for (uint32_t row = 0; row < held->count; row++)
                *average += add_input(shap, &transform->inputs[i], held_rows_dense(held, row),
                                      held_rows_ids(held, row), output);
            *average /= held->count;
        }
    return STATUS_OK;
}

bool shap_is_known(const struct kind *kind, enum task task)
{
    return kind->shap || (task_has_label(task) && kind->output_parts == 0);
}

static enum status open_model(struct shap *shap, const struct held_rows *held,
                              const struct stop *stop, struct error *err)
{
    const struct model *model = shap->model;

    if (model->kind->shap)
        return model->kind->shap_open(model, &shap->opened, err);
    if (held && model->kind->linear && model->kind->linear(model, &shap->linear))
        return measure_averages(shap, held, stop, err);
    if (held && shap_is_known(model->kind, model->task))
        return shap_orders_new(held, &shap->orders, err);
    fail(err, STATUS_UNSUPPORTED, "SHAP values of a %.*s are not supported yet",
         SLICE_FORMAT(model->estimator));
    if (!held)
        return error_hint(err, "Models of trees have some.");
    return error_hint(err, "USING permutation takes every model.");
}

enum status shap_new(const struct model *model, const struct held_rows *held,
                     const struct stop *stop, struct shap **made, struct error *err)
{
    struct shap *shap = calloc(1, sizeof *shap);

    *made = NULL;
    if (!shap)
        return fail_no_memory(err);
    shap->model = model;
    if (open_model(shap, held, stop, err) != STATUS_OK) {
        shap_free(shap);
        return err->status;
    }
    *made = shap;
    return STATUS_OK;
}

void shap_free(struct shap *shap)
{
    if (!shap)
        return;
    if (shap->opened)
        shap->model->kind->shap_close(shap->opened);
    shap_orders_free(shap->orders);
    free(shap->averages);
    free(shap);
}

/* values (input_count + 1) */
static void explain_linear(const struct shap *shap, const float *dense, const int32_t *ids,
                           uint32_t output, double *values)
{
    const struct transform *transform = &shap->model->transform;
    const double *averages = shap->averages + output * (size_t)transform->input_count;
    double *base = &values[transform->input_count];

    *base = (double)shap->linear.bias[output] + transform_offset(transform, dense);
    for (uint32_t i = 0; i < transform->input_count; i++) {
        values[i] = add_input(shap, &transform->inputs[i], dense, ids, output) - averages[i];
        *base += averages[i];
    }
}

/* A regressor's values (input_count + 1) become units of the label, or of its logarithm. */
static void take_units(const struct model *model, double *values)
{
    double *base = &values[model->transform.input_count];

    if (model->link == LABEL_LINK_EXP) {
        *base += logarithm_double(model->label_scale);
        return;
    }
    for (uint32_t i = 0; i <= model->transform.input_count; i++)
        values[i] *= model->label_scale;
    *base += model->label_mean;
}

enum status shap_row(struct shap *shap, const float *dense, const int32_t *ids,
                     const struct stop *stop, double *values, struct error *err)
{
    const struct model *model = shap->model;
    const uint32_t outputs = model_outputs(model);

    if (shap->opened)
        TRY(model->kind->shap(shap->opened, dense, ids, stop, values, err));
    else if (shap->orders)
        TRY(shap_orders_row(shap->orders, dense, ids, stop, values, err));
    else
        for (uint32_t output = 0; output < outputs; output++)
            explain_linear(shap, dense, ids, output,
                           values + output * (model->transform.input_count + (size_t)1));
    if (model->task == TASK_REGRESSION)
        for (uint32_t output = 0; output < outputs; output++)
            take_units(model, values + output * (model->transform.input_count + (size_t)1));
    return STATUS_OK;
}
