#include "inputs/encoder.h"

#include "inputs/cells/cells.h"
#include "inputs/word_table.h"

enum status encode_number_id(const struct transform_input *input, const struct cell *cells,
                             struct encoded_row *row, struct error *err)
{
    const struct slice column = input_column(&input->spec);
    const struct cell *cell = &cells[input->column];
    int32_t *id = &row->ids[input->id_offset];
    double number;
    bool is_null;

    TRY(cell_to_number(cell, input->spec.reading, column, &number, &is_null, err));
    *id = is_null ? input->null_id : input->encoder->number_id(input, number);
    return *id >= 0 || is_null ? STATUS_OK : cell_refuse_id(cell, column, input->hash_buckets, err);
}

/* A blank text is NULL, as where rows are trained on; models of before may have it as a word. */
static bool is_missing_word(const struct transform_input *input, struct slice word)
{
    return input->spec.rule == RULE_WORDS && slice_trim(word).size == 0 &&
           !word_table_has(input, word);
}

enum status encode_word_cell(const struct transform_input *input, const struct cell *cell,
                             struct encoded_row *row, struct error *err)
{
    char buffer[TRANSFORM_WORD_BUFFER];
    int32_t *id = &row->ids[input->id_offset];
    struct slice word;
    bool is_null;

    TRY(cell_to_word(cell, input_column(&input->spec), buffer, &word, &is_null, err));
    is_null = is_null || is_missing_word(input, word);
    *id = is_null ? input->null_id : word_id(input, word);
    return STATUS_OK;
}

enum status encode_word(const struct transform_input *input, const struct cell *cells,
                        struct encoded_row *row, struct error *err)
{
    return encode_word_cell(input, &cells[input->column], row, err);
}

struct input_size size_of_category(const struct transform_input *input, bool keeps_numbers)
{
    (void)keeps_numbers;
    return (struct input_size){.ids = 1, .id_rows = input->word_count + input->hash_buckets + 1};
}

struct input_size size_of_texts(const struct transform_input *input, bool keeps_numbers)
{
    (void)keeps_numbers;
    return (struct input_size){.ids = transform_text_room(input), .id_rows = input->hash_buckets};
}
