#include "inputs/encoders.h"

static bool is_number(const struct input_spec *spec)
{
    return spec->part && spec->type == INPUT_NUMERIC;
}

static bool is_word(const struct input_spec *spec)
{
    return spec->part && spec->type == INPUT_CATEGORY && spec->rule == RULE_WORDS;
}

/* The parts of a column lie side by side: the first reads the date. */
static enum status take_part(const struct transform_input *input, const struct cell *cells,
                             struct encoded_row *row, struct cell *part, struct error *err)
{
    if (row->date_column != input->column)
        TRY(cell_to_date(&cells[input->column], input->spec.reading, input->spec.source, &row->date,
                         &row->date_is_null, err));
    row->date_column = input->column;
    *part = row->date_is_null ? (struct cell){.type = CELL_NULL}
                              : date_part_cell(&row->date, input->spec.part);
    return STATUS_OK;
}

static enum status encode_as_number(const struct transform_input *input, const struct cell *cells,
                                    struct encoded_row *row, struct error *err)
{
    struct cell part;

    TRY(take_part(input, cells, row, &part, err));
    return encode_number_cell(input, &part, row, err);
}

static enum status encode_as_word(const struct transform_input *input, const struct cell *cells,
                                  struct encoded_row *row, struct error *err)
{
    struct cell part;

    TRY(take_part(input, cells, row, &part, err));
    return encode_word_cell(input, &part, row, err);
}

static void explain_number(const struct input_spec *spec, struct text *out)
{
    if (spec->part == DATE_AGE)
        text_append_string(out, ", days before 2000-01-01");
}

const struct encoder date_number_encoder = {
    .name = "part of a date",
    .is_of = is_number,
    .reads = READS_NUMBER,
    .counts = COUNTS_MOMENTS,
    .size = size_of_number,
    .encode = encode_as_number,
    .explain = explain_number,
    .describe = describe_number,
};

const struct encoder date_word_encoder = {
    .name = "part of a date",
    .is_of = is_word,
    .reads = READS_WORD,
    .counts = COUNTS_WORDS,
    .fits = fits_vocabulary,
    .size = size_of_category,
    .encode = encode_as_word,
    .explain = explain_vocabulary,
    .describe = describe_vocabulary,
};
