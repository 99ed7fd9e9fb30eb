#include "inputs/cells/cells.h"
#include "inputs/encoders.h"

static bool is_number(const struct input_spec *spec)
{
    return spec->type == INPUT_NUMERIC && !spec->part && !cell_list_has_numbers(&spec->list);
}

struct input_size size_of_number(const struct transform_input *input, bool keeps_numbers)
{
    return (struct input_size){.dense = !keeps_numbers && input->has_nulls ? 2 : 1};
}

enum status encode_number_cell(const struct transform_input *input, const struct cell *cell,
                               struct encoded_row *row, struct error *err)
{
    double number = cell->real;
    bool is_null = false;

    if (cell->type != CELL_REAL || !isfinite(number))
        TRY(cell_to_number(cell, input->spec.reading, input->spec.name, &number, &is_null, err));
    encoded_row_put(row, input, number, is_null);
    return STATUS_OK;
}

static enum status encode(const struct transform_input *input, const struct cell *cells,
                          struct encoded_row *row, struct error *err)
{
    return encode_number_cell(input, &cells[input->column], row, err);
}

void describe_number(const struct transform_input *input, bool keeps_numbers, struct text *out)
{
    if (keeps_numbers)
        return;
    text_append_string(out, ", mean ");
    text_append_rounded(out, input->mean);
    text_append_string(out, ", deviation ");
    text_append_rounded(out, input->scale);
}

const struct encoder number_encoder = {
    .name = "number",
    .is_of = is_number,
    .reads = READS_NUMBER,
    .counts = COUNTS_MOMENTS,
    .size = size_of_number,
    .encode = encode,
    .describe = describe_number,
};
