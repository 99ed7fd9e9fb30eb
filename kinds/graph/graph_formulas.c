#include "kinds/graph/graph_formulas.h"

#include <string.h>

#include "kinds/graph/graph_model.h"

/* Puts constants in their place: no number that is returned depends on a label. */
static void leave_labels_out(const struct graph *graph, struct formula_program *program,
                             const struct formula **terms)
{
    for (uint32_t i = 0; i < graph->row.column_count; i++) {
        const struct graph_column *column = &graph->row.columns[i];

        for (uint32_t j = 0; column->label && j < column->dense_count; j++)
            terms[column->dense + j] = formula_number(program, 0);
        for (uint32_t j = 0; column->label && j < column->id_count; j++)
            terms[graph->row.features + column->ids + j] = formula_number(program, -1);
    }
}

enum status graph_formulas(const struct model *model, struct formula_program *program,
                           const struct formula_row *row, const struct formula **outputs,
                           struct error *err)
{
    const struct graph *graph = graph_model_of(model)->graph;
    const uint32_t features = graph->row.features, ids = graph->row.ids;
    const struct formula **terms;

    if (!program->is_graph) {
        fail(err, STATUS_UNSUPPORTED, "a model of a definition is no formula of SQL or C");
        return error_hint(err, "EXPORT MODEL ... FORMAT onnx writes it.");
    }
    terms = (const struct formula **)arena_alloc_array(program->arena, (size_t)features + ids + 1,
                                                       sizeof(struct formula *));
    if (!terms)
        return fail_no_memory(err);
    memcpy(terms, row->dense, features * sizeof *terms);
    memcpy(terms + features, row->ids, ids * sizeof *terms);
    leave_labels_out(graph, program, terms);
    for (uint32_t i = 0; i < graph->row.outputs; i++) {
        outputs[i] = formula_let(program, formula_graph(program, terms, features + ids, i));
        if (row->offset)
            outputs[i] = formula_add(program, outputs[i], row->offset);
    }
    if (graph->loss != GRAPH_NONE) /* its place behind what is returned: nobody reads it */
        outputs[graph->row.outputs] = formula_number(program, 0);
    return STATUS_OK;
}
