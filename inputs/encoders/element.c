#include "inputs/encoders.h"

static bool is_element(const struct input_spec *spec)
{
    return spec->type == INPUT_NUMERIC && !spec->part && cell_list_has_numbers(&spec->list);
}

/* The inputs of a list lie side by side: with the first all of its numbers are read. */
static enum status encode(const struct transform_input *input, const struct cell *cells,
                          struct encoded_row *row, struct error *err)
{
    struct cell number = {.type = CELL_REAL};

    if (input->spec.element == 0)
        TRY(cell_list_read(&cells[input->column], &input->spec.list, input->spec.source, row->list,
                           &row->list_is_null, err));
    number.type = row->list_is_null ? CELL_NULL : CELL_REAL;
    number.real = row->list[input->spec.element];
    return encode_number_cell(input, &number, row, err);
}

const struct encoder element_encoder = {
    .name = "number of a list",
    .is_of = is_element,
    .reads = READS_NUMBER,
    .counts = COUNTS_MOMENTS,
    .size = size_of_number,
    .encode = encode,
    .describe = describe_number,
};

/* ---- pictures, which older programs know as bytes alone ---- */

static bool is_pixel(const struct input_spec *spec)
{
    return is_element(spec) && spec->list.form == LIST_PICTURE;
}

const struct encoder pixel_encoder = {
    .name = "number of a picture",
    .is_of = is_pixel,
    .reads = READS_NUMBER,
    .counts = COUNTS_MOMENTS,
    .is_named = true,
    .size = size_of_number,
    .encode = encode,
    .describe = describe_number,
};

/* ---- counts of words and of pairs of neighbours, which older programs do not know ---- */

static bool is_count(const struct input_spec *spec)
{
    return is_element(spec) && spec->list.form == LIST_WORDS && spec->list.has_pairs;
}

const struct encoder count_encoder = {
    .name = "counts of pairs of words",
    .is_of = is_count,
    .reads = READS_NUMBER,
    .counts = COUNTS_MOMENTS,
    .is_named = true,
    .size = size_of_number,
    .encode = encode,
    .describe = describe_number,
};
