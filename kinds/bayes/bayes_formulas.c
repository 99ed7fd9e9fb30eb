#include "kinds/bayes/bayes_formulas.h"

#include "kinds/bayes/bayes_model.h"
#include "scoring/numbers/elementary.h"

#define TWO_PI      0x1.921fb54442d18p+2
#define OUTPUT_MOST 1e30 /* the same as in bayes_score */

/* The logarithm of a number's density within a class; 0 where it is missing. */
static const struct formula *number_term(struct formula_program *program,
                                         const struct transform_input *input,
                                         const struct formula_row *row,
                                         const struct bayes_model *bayes, uint32_t class)
{
    const size_t at = (size_t) class * bayes->width + input->dense_offset;
    const double variance = (double)bayes->variances[at];
    const struct formula *rest =
        formula_let(program, formula_of(program, FORMULA_SUBTRACT, row->dense[input->dense_offset],
                                        formula_number(program, (double)bayes->means[at])));
    const struct formula *term = formula_of(
        program, FORMULA_SUBTRACT,
        formula_number(program, -logarithm_double(TWO_PI * variance) / 2),
        formula_of(program, FORMULA_MULTIPLY, formula_of(program, FORMULA_MULTIPLY, rest, rest),
                   formula_number(program, 1 / (2 * variance))));

    if (input->dense_count != 2)
        return term;
    return formula_if(program,
                      formula_of(program, FORMULA_LESS, formula_number(program, 0),
                                 row->dense[input->dense_offset + 1]),
                      formula_number(program, 0), term);
}

static const struct formula *word_term(struct formula_program *program,
                                       const struct transform_input *input,
                                       const struct formula_row *row,
                                       const struct bayes_model *bayes, uint32_t class)
{
    double *numbers = ARENA_NEW(program->arena, double, input->id_rows + 1u);

    program->failed |= !numbers;
    for (uint32_t i = 0; numbers && i < input->id_rows; i++)
        numbers[i] =
            (double)bayes->likelihoods[(size_t)(input->first_id + i) * bayes->classes + class];
    return formula_lookup(program, row->ids[input->id_offset], numbers, input->id_rows);
}

static const struct formula *cut(struct formula_program *program, const struct formula *a)
{
    return formula_of(program, FORMULA_GREATEST,
                      formula_of(program, FORMULA_LEAST, a, formula_number(program, OUTPUT_MOST)),
                      formula_number(program, -OUTPUT_MOST));
}

static const struct formula *class_sum(struct formula_program *program,
                                       const struct formula_row *row,
                                       const struct bayes_model *bayes, uint32_t class)
{
    const struct transform *transform = &program->model->transform;
    struct formula_terms terms;

    formula_terms_init(&terms, program, (size_t)transform->input_count + 1);
    formula_terms_add(&terms, formula_number(program, (double)bayes->priors[class]));
    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];

        formula_terms_add(&terms, input->spec.type == INPUT_NUMERIC
                                      ? number_term(program, input, row, bayes, class)
                                      : word_term(program, input, row, bayes, class));
    }
    return formula_let(program, formula_sum(program, terms.items, terms.count));
}

enum status bayes_formulas(const struct model *model, struct formula_program *program,
                           const struct formula_row *row, const struct formula **outputs,
                           struct error *err)
{
    const struct bayes_model *bayes = bayes_of(model);
    const struct formula **sums = (const struct formula **)arena_alloc_array(
        program->arena, bayes->classes, sizeof(struct formula *));
    const struct formula *greatest;

    if (!sums)
        return fail_no_memory(err);
    for (uint32_t c = 0; c < bayes->classes; c++)
        sums[c] = class_sum(program, row, bayes, c);
    if (bayes->classes == 2) {
        outputs[0] = cut(program, formula_of(program, FORMULA_SUBTRACT, sums[1], sums[0]));
        return STATUS_OK;
    }
    greatest = sums[0];
    for (uint32_t c = 1; c < bayes->classes; c++)
        greatest = formula_let(program, formula_of(program, FORMULA_GREATEST, greatest, sums[c]));
    for (uint32_t c = 0; c < bayes->classes; c++)
        outputs[c] = cut(program, formula_of(program, FORMULA_SUBTRACT, sums[c], greatest));
    return STATUS_OK;
}
