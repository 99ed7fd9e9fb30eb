#include "kinds/graph/graph_formulas.h"

#include <string.h>

#include "kinds/graph/graph_model.h"

enum status graph_formulas(const struct model *model, struct formula_program *program,
                           const struct formula_row *row, const struct formula **outputs,
                           struct error *err)
{
    const struct graph *graph = graph_model_of(model)->graph;
    const uint32_t features = graph->row.features, ids = graph->row.ids;
    const struct formula **terms;

    if (graph->loss != GRAPH_NONE)
        return fail(err, STATUS_UNSUPPORTED, "a model with a loss of its own is not exported yet");
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
    for (uint32_t i = 0; i < graph->row.outputs; i++) {
        outputs[i] = formula_let(program, formula_graph(program, terms, features + ids, i));
        if (row->offset)
            outputs[i] = formula_add(program, outputs[i], row->offset);
    }
    return STATUS_OK;
}
