#include "kinds/scorecard/scorecard_formulas.h"

#include "kinds/scorecard/scorecard_model.h"

/* A number for each input by its bin, and their sum for the row. */
static const struct formula *sum_of(struct formula_program *program, const struct formula_row *row,
                                    bool has_points, double base)
{
    const struct model *model = program->model;
    const struct transform *transform = &model->transform;
    struct formula_terms terms;

    formula_terms_init(&terms, program, (size_t)transform->input_count + 1);
    formula_terms_add(&terms, formula_number(program, base));
    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];
        double *numbers = ARENA_NEW(program->arena, double, input->id_rows + 1u);

        program->failed |= !numbers;
        for (uint32_t j = 0; numbers && j < input->id_rows; j++)
            numbers[j] = has_points ? scorecard_bin(model, i, j).points
                                    : (double)scorecard_of(model)->weights[input->first_id + j];
        formula_terms_add(
            &terms, formula_lookup(program, row->ids[input->id_offset], numbers, input->id_rows));
    }
    return formula_sum(program, terms.items, terms.count);
}

enum status scorecard_formulas(const struct model *model, struct formula_program *program,
                               const struct formula_row *row, const struct formula **outputs,
                               struct error *err)
{
    (void)err;
    outputs[0] = sum_of(program, row, false, (double)*scorecard_of(model)->bias);
    formula_output(program, "points", false,
                   sum_of(program, row, true, scorecard_base_points(model)));
    return STATUS_OK;
}
