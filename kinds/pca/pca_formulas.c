#include "kinds/pca/pca_formulas.h"

#include "kinds/pca/pca_model.h"

/* The steps of pca_score: each component takes away what it gives back of the row. */
enum status pca_formulas(const struct model *model, struct formula_program *program,
                         const struct formula_row *row, const struct formula **outputs,
                         struct error *err)
{
    const struct pca_model *pca = pca_of(model);
    const struct transform *transform = &model->transform;
    const struct formula **rest = (const struct formula **)arena_alloc_array(
        program->arena, pca->inputs, sizeof(struct formula *));
    struct formula_terms terms;

    if (!rest)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < pca->inputs; i++)
        rest[i] = formula_let(program, formula_of(program, FORMULA_SUBTRACT,
                                                  row->dense[transform->inputs[i].dense_offset],
                                                  formula_number(program, (double)pca->means[i])));
    for (uint32_t k = 0; k < pca->components; k++) {
        const float *loadings = pca->loadings + (size_t)k * pca->inputs;

        formula_terms_init(&terms, program, pca->inputs);
        for (uint32_t i = 0; i < pca->inputs; i++)
            formula_terms_add(&terms, formula_times(program, rest[i], (double)loadings[i]));
        outputs[k] = formula_let(program, formula_sum(program, terms.items, terms.count));
        for (uint32_t i = 0; i < pca->inputs; i++)
            if (loadings[i] != 0)
                rest[i] = formula_let(
                    program, formula_of(program, FORMULA_SUBTRACT, rest[i],
                                        formula_times(program, outputs[k], (double)loadings[i])));
    }
    formula_terms_init(&terms, program, pca->inputs);
    for (uint32_t i = 0; i < pca->inputs; i++)
        formula_terms_add(&terms, formula_of(program, FORMULA_MULTIPLY, rest[i], rest[i]));
    outputs[pca->components] =
        formula_of(program, FORMULA_ROOT, formula_sum(program, terms.items, terms.count), NULL);
    return STATUS_OK;
}
