#include "kinds/kmeans/kmeans_formulas.h"

#include "kinds/kmeans/kmeans_kind.h"
#include "scoring/transform/spread.h"

/* The share of a category in the square of a distance, beside the squares of the center. */
static const struct formula *word_term(struct formula_program *program,
                                       const struct transform_input *input,
                                       const struct formula_row *row, const float *center)
{
    double *numbers = ARENA_NEW(program->arena, double, input->id_rows + 1u);

    program->failed |= !numbers;
    for (uint32_t i = 0; numbers && i < input->id_rows; i++)
        numbers[i] =
            (double)SPREAD_WORD * ((double)SPREAD_WORD - 2 * (double)center[input->first_id + i]);
    return formula_lookup(program, row->ids[input->id_offset], numbers, input->id_rows);
}

/* The same of all categories; center: its part for words. */
static void add_words(struct formula_program *program, const struct formula_row *row,
                      const float *center, struct formula_terms *terms)
{
    const struct transform *transform = &program->model->transform;
    double squares = 0;

    for (uint32_t j = 0; j < transform->id_rows; j++)
        squares += (double)center[j] * (double)center[j];
    for (uint32_t i = 0; i < transform->input_count; i++)
        if (transform->inputs[i].spec.type == INPUT_CATEGORY)
            formula_terms_add(terms, word_term(program, &transform->inputs[i], row, center));
    if (transform->id_rows > 0)
        formula_terms_add(terms, formula_number(program, squares));
}

enum status kmeans_formulas(const struct model *model, struct formula_program *program,
                            const struct formula_row *row, const struct formula **outputs,
                            struct error *err)
{
    const struct kmeans_model *kmeans = model->content;
    const struct transform *transform = &model->transform;
    (void)err;

    for (uint32_t c = 0; c < kmeans->clusters; c++) {
        const float *at = kmeans->centers + (size_t)c * kmeans->width;
        const struct formula *sum;
        struct formula_terms terms;

        formula_terms_init(&terms, program,
                           (size_t)transform->dense_width + transform->id_count + 1);
        for (uint32_t j = 0; j < transform->dense_width; j++) {
            const double center = (double)at[j];
            const struct formula *rest =
                formula_let(program, formula_of(program, FORMULA_SUBTRACT, row->dense[j],
                                                formula_number(program, center)));

            formula_terms_add(&terms, formula_of(program, FORMULA_MULTIPLY, rest, rest));
        }
        add_words(program, row, at + transform->dense_width, &terms);
        sum = formula_sum(program, terms.items, terms.count);
        if (transform->id_rows > 0) /* rounding may leave less than 0 */
            sum = formula_of(program, FORMULA_GREATEST, sum, formula_number(program, 0));
        outputs[c] = formula_of(program, FORMULA_ROOT, sum, NULL);
    }
    return STATUS_OK;
}
