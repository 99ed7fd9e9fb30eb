#include "kinds/network/network_formulas.h"

#include "kinds/network/network_model.h"
#include "scoring/numbers/activation.h"

#define EXPONENT_MOST 200

static const struct formula *number(struct formula_program *program, double value)
{
    return formula_number(program, value);
}

static const struct formula *minus_one(struct formula_program *program, const struct formula *a)
{
    return formula_of(program, FORMULA_SUBTRACT, a, number(program, 1));
}

static const struct formula *one_by_one_plus(struct formula_program *program,
                                             const struct formula *a)
{
    return formula_of(program, FORMULA_DIVIDE, number(program, 1),
                      formula_add(program, number(program, 1), a));
}

static const struct formula *sigmoid(struct formula_program *program, const struct formula *z)
{
    return one_by_one_plus(program,
                           formula_exp(program, formula_times(program, z, -1), EXPONENT_MOST));
}

/* Above 0 z, below what is given. */
static const struct formula *kinked(struct formula_program *program, const struct formula *z,
                                    const struct formula *above, const struct formula *below)
{
    return formula_if(program, formula_of(program, FORMULA_LESS, number(program, 0), z), above,
                      below);
}

static const struct formula *polynomial(struct formula_program *program, const struct formula *x,
                                        const double *factors, size_t count)
{
    const struct formula *sum = number(program, factors[0]);

    for (size_t i = 1; i < count; i++)
        sum = formula_add(program, formula_of(program, FORMULA_MULTIPLY, sum, x),
                          number(program, factors[i]));
    return sum;
}

/* The numbers are those of normal_share in elementary.h. */
static const struct formula *normal_share_of(struct formula_program *program,
                                             const struct formula *x)
{
    static const double far_high[] = {-0x1.22p-16, 0x1.91cfb2p-12},
                        far_next[] = {-0x1.fd1438p-9, 0x1.8d6342p-6},
                        far_rest[] = {-0x1.b55cb8p-4, -0x1.450aa0p-1, -0x1.079d0cp-3},
                        near_all[] = {-0x1.38ep-11,  0x1.471a58p-8, -0x1.b691b2p-6,
                                      0x1.ce1c44p-4, -0x1.8127p-2,  0x1.06eba8p-3};
    const struct formula *y = formula_let(program, formula_times(program, x, 0x1.6a09e6p-1));
    const struct formula *t = formula_let(program, formula_size(program, y)), *far, *tail, *near;
    const struct formula *s = formula_let(program, formula_of(program, FORMULA_MULTIPLY, y, y));

    far = formula_add(program,
                      formula_of(program, FORMULA_MULTIPLY, polynomial(program, t, far_high, 2), s),
                      polynomial(program, t, far_next, 2));
    for (size_t i = 0; i < 3; i++)
        far = formula_add(program, formula_of(program, FORMULA_MULTIPLY, far, t),
                          number(program, far_rest[i]));
    far = formula_of(program, FORMULA_SUBTRACT, formula_of(program, FORMULA_MULTIPLY, far, t), t);
    tail = formula_let(
        program, formula_times(
                     program, formula_exp(program, formula_let(program, far), EXPONENT_MOST), 0.5));
    near = formula_add(
        program, formula_of(program, FORMULA_MULTIPLY, polynomial(program, s, near_all, 6), y), y);
    near = formula_add(program, number(program, 0.5), formula_times(program, near, 0.5));
    tail = formula_if(program, formula_of(program, FORMULA_LESS, x, number(program, 0)), tail,
                      formula_of(program, FORMULA_SUBTRACT, number(program, 1), tail));
    return formula_if(program, formula_of(program, FORMULA_LESS, number(program, 0.927734375), t),
                      tail, near);
}

const struct formula *network_activated(struct formula_program *program, enum activation activation,
                                        const struct formula *z)
{
    const struct formula *size, *tail;

    switch (activation) {
    case ACTIVATION_IDENTITY:
        return z;
    case ACTIVATION_RELU:
        return formula_of(program, FORMULA_GREATEST, z, number(program, 0));
    case ACTIVATION_TANH: /* 1 - 2 / (1 + e^2z) */
        tail = one_by_one_plus(program,
                               formula_exp(program, formula_times(program, z, 2), EXPONENT_MOST));
        return formula_of(program, FORMULA_SUBTRACT, number(program, 1),
                          formula_times(program, tail, 2));
    case ACTIVATION_SIGMOID:
        return sigmoid(program, z);
    case ACTIVATION_ELU:
        return kinked(program, z, z, minus_one(program, formula_exp(program, z, EXPONENT_MOST)));
    case ACTIVATION_SELU:
        return kinked(program, z, formula_times(program, z, (double)ACTIVATION_SELU_SCALE),
                      formula_times(program,
                                    minus_one(program, formula_exp(program, z, EXPONENT_MOST)),
                                    (double)ACTIVATION_SELU_FACTOR));
    case ACTIVATION_LEAKY_RELU:
        return kinked(program, z, z, formula_times(program, z, (double)ACTIVATION_LEAK));
    case ACTIVATION_GELU:
        return formula_of(program, FORMULA_MULTIPLY, z, normal_share_of(program, z));
    case ACTIVATION_SWISH:
        return formula_of(program, FORMULA_MULTIPLY, z, sigmoid(program, z));
    case ACTIVATION_SOFTPLUS:
        size = formula_let(program, formula_size(program, z));
        tail = formula_add(program, number(program, 1),
                           formula_exp(program, formula_times(program, size, -1), EXPONENT_MOST));
        return formula_add(program, formula_of(program, FORMULA_GREATEST, z, number(program, 0)),
                           formula_of(program, FORMULA_LOG, tail, NULL));
    case ACTIVATION_SOFTSIGN:
        size = formula_add(program, number(program, 1), formula_size(program, z));
        return formula_of(program, FORMULA_DIVIDE, z, size);
    }
    return z;
}

void network_layer_terms(struct formula_program *program, const struct layer *layer, uint32_t j,
                         const struct formula *const *x, uint32_t inputs,
                         struct formula_terms *terms)
{
    if (layer->bias)
        formula_terms_add(terms, number(program, (double)layer->bias[j]));
    for (uint32_t k = 0; k < inputs; k++)
        formula_terms_add(
            terms,
            formula_times(program, x[k], (double)layer->weights[(size_t)k * layer->width + j]));
}

/* The sum that the row's ids add to output j of the first layer. */
static void add_ids(struct formula_program *program, const struct formula_row *row,
                    const struct layer *layer, uint32_t j, struct formula_terms *terms)
{
    const struct transform *transform = &program->model->transform;
    const float *block = layer->weights + (size_t)transform_features(transform) * layer->width;

    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];
        double *numbers;

        if (input->spec.type == INPUT_NUMERIC)
            continue;
        numbers = ARENA_NEW(program->arena, double, input->id_rows + 1u);
        program->failed |= !numbers;
        for (uint32_t k = 0; numbers && k < input->id_rows; k++)
            numbers[k] = (double)block[(size_t)(input->first_id + k) * layer->width + j];
        formula_terms_add(
            terms, formula_lookup(program, row->ids[input->id_offset], numbers, input->id_rows));
    }
}

enum status network_formulas(const struct model *model, struct formula_program *program,
                             const struct formula_row *row, const struct formula **outputs,
                             struct error *err)
{
    const struct network_model *network = network_of(model);
    const struct formula **x = row->dense;
    uint32_t inputs = transform_features(&model->transform);

    for (uint32_t i = 0; i < network->layer_count; i++) {
        const struct layer *layer = &network->layers[i];
        const bool is_last = i + 1 == network->layer_count;
        const struct formula **z = (const struct formula **)arena_alloc_array(
            program->arena, layer->width, sizeof(struct formula *));

        if (!z || program->failed)
            return fail_no_memory(err);
        for (uint32_t j = 0; j < layer->width; j++) {
            struct formula_terms terms;

            formula_terms_init(&terms, program, (size_t)inputs + model->transform.input_count + 2);
            network_layer_terms(program, layer, j, x, inputs, &terms);
            if (i == 0)
                add_ids(program, row, layer, j, &terms);
            if (is_last)
                formula_terms_add(&terms, row->offset);
            z[j] = formula_let(program, formula_sum(program, terms.items, terms.count));
            if (!is_last)
                z[j] = formula_let(program, network_activated(program, network->activation, z[j]));
            else
                outputs[j] = z[j];
        }
        x = z;
        inputs = layer->width;
    }
    return STATUS_OK;
}
