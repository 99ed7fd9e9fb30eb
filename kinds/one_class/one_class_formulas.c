#include "kinds/one_class/one_class_formulas.h"

#include "kinds/one_class/one_class_model.h"
#include "scoring/transform/spread.h"

#define TWO_PI     0x1.921fb54442d18p+2
#define TURNS_MOST 0x1p50 /* from there on a number has no fraction of a turn */
#define SINE_TERMS 8

/* cos(2 pi turns) as cosine_of_turns of elementary.h: the sine of y, by Taylor's sum. */
static const struct formula *cosine(struct formula_program *program, const struct formula *turns)
{
    const struct formula *half = formula_add(program, turns, formula_number(program, 0.5));
    const struct formula *fraction =
        formula_let(program, formula_of(program, FORMULA_SUBTRACT, turns,
                                        formula_of(program, FORMULA_FLOOR, half, NULL)));
    const struct formula *y = formula_let(
        program, formula_times(program,
                               formula_of(program, FORMULA_SUBTRACT, formula_number(program, 0.25),
                                          formula_size(program, fraction)),
                               TWO_PI));
    const struct formula *q = formula_let(
        program, formula_times(program, formula_of(program, FORMULA_MULTIPLY, y, y), -1));
    const struct formula *sum = formula_number(program, 1);

    for (int i = SINE_TERMS; i > 0; i--) /* 1 + q / (2 3) (1 + q / (4 5) (1 + ...)) */
        sum = formula_add(program, formula_number(program, 1),
                          formula_of(program, FORMULA_MULTIPLY,
                                     formula_times(program, q, 1.0 / (2.0 * i * (2.0 * i + 1))),
                                     sum));
    return formula_of(program, FORMULA_MULTIPLY, y, sum);
}

/* Turns of a feature that a category adds. */
static const struct formula *word_turns(struct formula_program *program,
                                        const struct transform_input *input,
                                        const struct formula_row *row, const float *frequencies)
{
    double *numbers = ARENA_NEW(program->arena, double, input->id_rows + 1u);

    program->failed |= !numbers;
    for (uint32_t i = 0; numbers && i < input->id_rows; i++)
        numbers[i] = (double)SPREAD_WORD * (double)frequencies[input->first_id + i];
    return formula_lookup(program, row->ids[input->id_offset], numbers, input->id_rows);
}

/* A feature's turns of a row; 0.25, whose cosine is 0, where they have no fraction. */
static const struct formula *turns_of(struct formula_program *program,
                                      const struct formula_row *row, uint32_t feature)
{
    const struct one_class_model *one_class = one_class_of(program->model);
    const struct transform *transform = &program->model->transform;
    const float *frequencies = one_class->frequencies + (size_t)feature * one_class->inputs;
    const float *of_words = frequencies + spread_number_count(transform);
    const struct formula *turns, *near;
    struct formula_terms terms;

    formula_terms_init(&terms, program, (size_t)transform->input_count + 1);
    formula_terms_add(&terms, formula_number(program, (double)one_class->phases[feature]));
    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];

        if (input->spec.type == INPUT_NUMERIC)
            formula_terms_add(&terms, formula_times(program, row->dense[input->dense_offset],
                                                    (double)*frequencies++));
        else
            formula_terms_add(&terms, word_turns(program, input, row, of_words));
    }
    turns = formula_let(program, formula_sum(program, terms.items, terms.count));
    near = formula_of(program, FORMULA_LESS, formula_size(program, turns),
                      formula_number(program, TURNS_MOST));
    return formula_let(program, formula_if(program, near, turns, formula_number(program, 0.25)));
}

enum status one_class_formulas(const struct model *model, struct formula_program *program,
                               const struct formula_row *row, const struct formula **outputs,
                               struct error *err)
{
    const struct one_class_model *one_class = one_class_of(model);
    struct formula_terms sum;
    (void)err;

    formula_terms_init(&sum, program, (size_t)one_class->features + 1);
    formula_terms_add(&sum, formula_number(program, -(double)*one_class->rho));
    for (uint32_t d = 0; d < one_class->features; d++)
        formula_terms_add(&sum, formula_times(program, cosine(program, turns_of(program, row, d)),
                                              (double)one_class->weights[d]));
    outputs[0] = formula_sum(program, sum.items, sum.count);
    return STATUS_OK;
}
