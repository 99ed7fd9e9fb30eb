#include "kinds/pca/pca_formulas.h"

#include <string.h>

#include "kinds/pca/pca_model.h"
#include "scoring/transform/feature_names.h"
#include "scoring/transform/spread.h"

/* rest (inputs): what lies between a row and the means. A word that no row has is NULL: it is 0
 * whatever the row is. */
static void begin_rest(const struct model *model, struct formula_program *program,
                       const struct formula_row *row, const struct formula **rest)
{
    const struct transform *transform = &model->transform;
    const float *means = pca_of(model)->means;
    const uint32_t numbers = spread_number_count(transform);
    uint32_t number = 0;

    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];
        const uint32_t first = numbers + input->first_id;

        if (input->spec.type == INPUT_NUMERIC) {
            rest[number] = formula_let(
                program, formula_of(program, FORMULA_SUBTRACT, row->dense[input->dense_offset],
                                    formula_number(program, (double)means[number])));
            number++;
            continue;
        }
        for (uint32_t word = 0; word < feature_count(input); word++) {
            const double mean = (double)means[first + word];
            const struct formula *is_word = formula_of(
                program, FORMULA_EQUAL, row->ids[input->id_offset], formula_number(program, word));

            rest[first + word] = formula_let(
                program, formula_if(program, is_word, formula_number(program, SPREAD_WORD - mean),
                                    formula_number(program, 0 - mean)));
        }
    }
}

/* The steps of pca_score: each component takes away what it gives back of the row. */
enum status pca_formulas(const struct model *model, struct formula_program *program,
                         const struct formula_row *row, const struct formula **outputs,
                         struct error *err)
{
    const struct pca_model *pca = pca_of(model);
    const struct formula **rest = (const struct formula **)arena_alloc_array(
        program->arena, pca->inputs, sizeof(struct formula *));
    struct formula_terms terms;

    if (!rest)
        return fail_no_memory(err);
    memset(rest, 0, pca->inputs * sizeof *rest);
    begin_rest(model, program, row, rest);
    for (uint32_t k = 0; k < pca->components; k++) {
        const float *loadings = pca->loadings + (size_t)k * pca->inputs;

        formula_terms_init(&terms, program, pca->inputs);
        for (uint32_t i = 0; i < pca->inputs; i++)
            if (rest[i])
                formula_terms_add(&terms, formula_times(program, rest[i], (double)loadings[i]));
        outputs[k] = formula_let(program, formula_sum(program, terms.items, terms.count));
        for (uint32_t i = 0; i < pca->inputs; i++)
            if (rest[i] && loadings[i] != 0)
                rest[i] = formula_let(
                    program, formula_of(program, FORMULA_SUBTRACT, rest[i],
                                        formula_times(program, outputs[k], (double)loadings[i])));
    }
    formula_terms_init(&terms, program, pca->inputs);
    for (uint32_t i = 0; i < pca->inputs; i++)
        if (rest[i])
            formula_terms_add(&terms, formula_of(program, FORMULA_MULTIPLY, rest[i], rest[i]));
    outputs[pca->components] =
        formula_of(program, FORMULA_ROOT, formula_sum(program, terms.items, terms.count), NULL);
    return STATUS_OK;
}
