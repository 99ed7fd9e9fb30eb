#include "kinds/kmeans/kmeans_formulas.h"

#include "kinds/kmeans/kmeans_kind.h"

enum status kmeans_formulas(const struct model *model, struct formula_program *program,
                            const struct formula_row *row, const struct formula **outputs,
                            struct error *err)
{
    const struct kmeans_model *kmeans = model->content;
    (void)err;

    for (uint32_t c = 0; c < kmeans->clusters; c++) {
        struct formula_terms terms;

        formula_terms_init(&terms, program, kmeans->width);
        for (uint32_t j = 0; j < kmeans->width; j++) {
            const double center = (double)kmeans->centers[(size_t)c * kmeans->width + j];
            const struct formula *rest =
                formula_let(program, formula_of(program, FORMULA_SUBTRACT, row->dense[j],
                                                formula_number(program, center)));

            formula_terms_add(&terms, formula_of(program, FORMULA_MULTIPLY, rest, rest));
        }
        outputs[c] =
            formula_of(program, FORMULA_ROOT, formula_sum(program, terms.items, terms.count), NULL);
    }
    return STATUS_OK;
}
