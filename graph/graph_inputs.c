#include "graph/graph_inputs.h"

#include "inputs/encoder.h"

/* Columns of dense and ids lie in the order of the inputs (transform_finish). */
static struct graph_column column_of(const struct transform_input *input, struct input_size size,
                                     struct graph_row *row)
{
    const struct graph_column column = {
        .name = input->spec.name,
        .source = input_column(&input->spec),
        .dense = row->features,
        .dense_count = size.dense,
        .ids = row->ids,
        .id_count =
            size.ids > 0 && input->spec.type == INPUT_TEXT ? input->spec.words_max : size.ids,
        .first_row = row->id_rows,
        .rows = size.id_rows,
        .words = input->word_count,
        .label = input->spec.label,
        .is_text = input->spec.type == INPUT_TEXT,
        .is_weighted = input->spec.is_weighted,
        .is_sequence =
            input->spec.list.form == LIST_SEQUENCE || input->spec.list.form == LIST_STEPS,
        .has_order = input->spec.rule == RULE_ORDERED,
        .combiner = input->spec.combiner,
    };

    row->features += size.dense;
    row->ids += size.ids;
    row->id_rows += size.id_rows;
    return column;
}

enum status graph_row_of(const struct transform *transform, uint32_t outputs, struct arena *arena,
                         struct graph_row *row, struct error *err)
{
    struct graph_column *columns = ARENA_NEW(arena, struct graph_column, transform->input_count);

    *row = (struct graph_row){.columns = columns, .outputs = outputs};
    if (!columns)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];

        if (!input->spec.offset)
            columns[row->column_count++] =
                column_of(input, input->encoder->size(input, transform->keeps_numbers), row);
    }
    return STATUS_OK;
}
