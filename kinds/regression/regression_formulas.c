#include "kinds/regression/regression_formulas.h"

#include "kinds/network/network_formulas.h"
#include "kinds/regression/regression_model.h"
#include "kinds/regression/regression_score.h"

static const struct formula *equation(struct formula_program *program,
                                      const struct formula_row *row, const double *weights)
{
    const struct transform *transform = &program->model->transform;
    const double *of_ids = weights + 1 + transform_features(transform);
    struct formula_terms terms;

    formula_terms_init(&terms, program, 2 * (size_t)transform->input_count + 2);
    formula_terms_add(&terms, formula_number(program, weights[0]));
    formula_terms_add(&terms, row->offset);
    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];

        if (input->spec.offset)
            continue;
        if (input->spec.type == INPUT_NUMERIC)
            for (uint32_t k = 0; k < input->dense_count; k++)
                formula_terms_add(&terms,
                                  formula_times(program, row->dense[input->dense_offset + k],
                                                weights[1 + input->dense_offset + k]));
        else
            formula_terms_add(&terms, formula_lookup(program, row->ids[input->id_offset],
                                                     of_ids + input->first_id, input->id_rows));
    }
    return formula_sum(program, terms.items, terms.count);
}

enum status regression_formulas(const struct model *model, struct formula_program *program,
                                const struct formula_row *row, const struct formula **outputs,
                                struct error *err)
{
    const struct regression_model *regression = regression_of(model);
    const uint32_t first = model_outputs(model) - regression->equations;
    double *weights;

    if (!model->transform.has_rests)
        return network_formulas(model, program, row, outputs, err);
    weights =
        ARENA_NEW(program->arena, double, (size_t)regression->equations * regression->columns + 1);
    if (!weights)
        return fail_no_memory(err);
    for (uint32_t k = 0; k < first; k++)
        outputs[k] = formula_number(program, 0);
    for (uint32_t k = 0; k < regression->equations; k++) {
        double *own = weights + (size_t)k * regression->columns;

        regression_standardise(model, k, own);
        outputs[first + k] = equation(program, row, own);
    }
    return STATUS_OK;
}
