#include "kinds/embedding/embedding_inputs.h"

#include <stdlib.h>
#include <string.h>

/* ----- the shape ----- */

void embedding_shape_take(struct embedding_shape *shape, const struct transform *transform)
{
    const uint32_t usual = shape->dimension;
    uint64_t embedded = 0;

    shape->dimension = 0;
    shape->dense = shape->wide_dense = shape->fields = shape->wide_fields = 0;
    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];
        const bool is_deep = part_has_dnn(input->spec.model_part);
        const uint32_t own = input->spec.dimension ? input->spec.dimension : usual;
        const uint32_t columns = transform_columns_of(transform, input);

        if (input->spec.offset)
            continue;
        if (input->spec.type == INPUT_NUMERIC) {
            shape->dense += is_deep ? columns : 0;
            shape->wide_dense += part_has_linear(input->spec.model_part) ? columns : 0;
            continue;
        }
        shape->wide_fields += part_has_linear(input->spec.model_part);
        if (!is_deep || transform_concat_first(transform, input) != input)
            continue;
        shape->fields++;
        embedded += own;
        shape->dimension = own > shape->dimension ? own : shape->dimension;
    }
    shape->embedded = (uint32_t)embedded; /* 2,000 inputs: no overflow */
    if (shape->fields == 0)
        shape->dimension = usual;
}

/* ----- the lists ----- */

static struct embedding_field field_of(const struct transform_input *input, bool is_wide,
                                       uint32_t dimension)
{
    const bool is_text = input->spec.type == INPUT_TEXT;

    return (struct embedding_field){
        .ids =
            is_text ? text_ids_of(input) : (struct text_ids){.first = input->id_offset, .count = 1},
        .is_text = is_text,
        .is_wide = is_wide && part_has_linear(input->spec.model_part),
        .dimension = !part_has_dnn(input->spec.model_part) ? 0
                     : input->spec.dimension               ? input->spec.dimension
                                                           : dimension,
        .first_row = input->first_id,
        .rows = input->id_rows,
    };
}

/* Where its embedding begins: at that of its CONCAT's first member, or behind all before, which are
 * `embedded` numbers. */
static void place_field(struct embedding_inputs *inputs, const struct transform *transform,
                        const struct transform_input *input, uint32_t *embedded)
{
    struct embedding_field *field = &inputs->fields[inputs->field_count];
    const struct transform_input *first = transform_concat_first(transform, input);
    const struct embedding_field *of_first = inputs->fields;

    field->scale =
        combiner_share(input->spec.concat.combiner, transform_concat_size(transform, input));
    field->place = *embedded;
    inputs->field_count++;
    if (first == input) {
        *embedded += field->dimension;
        return;
    }
    while (of_first->ids.first != first->id_offset)
        of_first++;
    field->place = of_first->place;
}

static void take_columns(struct embedding_inputs *inputs, const struct transform_input *input)
{
    for (uint32_t j = 0; j < input->dense_count; j++) {
        if (part_has_linear(input->spec.model_part))
            inputs->wide[inputs->wide_count++] = input->dense_offset + j;
        if (part_has_dnn(input->spec.model_part))
            inputs->deep[inputs->deep_count++] = input->dense_offset + j;
    }
}

enum status embedding_inputs_init(struct embedding_inputs *inputs,
                                  const struct transform *transform, bool is_wide,
                                  uint32_t dimension, struct error *err)
{
    const size_t columns = transform->dense_width + 1u;
    uint32_t embedded = 0;

    *inputs = (struct embedding_inputs){
        .dense_width = transform->dense_width,
        .id_count = transform->id_count,
        .wide = calloc(columns, sizeof *inputs->wide),
        .deep = calloc(columns, sizeof *inputs->deep),
        .fields = calloc(transform->input_count + 1u, sizeof *inputs->fields),
    };
    if (!inputs->wide || !inputs->deep || !inputs->fields) {
        embedding_inputs_deinit(inputs);
        return fail_no_memory(err);
    }
    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];

        if (input->spec.offset)
            continue;
        if (input->spec.type == INPUT_NUMERIC) {
            take_columns(inputs, input);
        } else {
            inputs->fields[inputs->field_count] = field_of(input, is_wide, dimension);
            place_field(inputs, transform, input, &embedded);
        }
    }
    return STATUS_OK;
}

void embedding_inputs_deinit(struct embedding_inputs *inputs)
{
    free(inputs->wide);
    free(inputs->deep);
    free(inputs->fields);
    *inputs = (struct embedding_inputs){0};
}

void embedding_columns_copy(const struct embedding_inputs *inputs, const uint32_t *columns,
                            uint32_t count, const float *dense, size_t n, float *to, size_t to_row)
{
    const bool are_all = count == inputs->dense_width;

    for (size_t i = 0; i < n && count > 0; i++, dense += inputs->dense_width, to += to_row) {
        if (are_all)
            memcpy(to, dense, count * sizeof *to);
        for (uint32_t j = 0; !are_all && j < count; j++)
            to[j] = dense[columns[j]];
    }
}
