#include "inputs/encoded_row.h"

#include "base/vectors.h"

WIDE_VECTORS
void numbers_standardise(const double *restrict numbers, size_t count, const double *restrict means,
                         const double *restrict scales, const float *restrict limits,
                         float *restrict dense)
{
    for (size_t i = 0; i < count; i++)
        dense[i] = number_standardised(numbers[i], means[i], scales[i], limits[i]);
}

void encoded_row_finish(struct encoded_row *row)
{
    numbers_standardise(row->numbers, row->count, row->means + row->first, row->scales + row->first,
                        row->limits + row->first, row->dense + row->first);
    row->first += row->count;
    row->count = 0;
}

void encoded_row_put(struct encoded_row *row, const struct transform_input *input, double number,
                     bool is_null)
{
    is_null = is_null || transform_is_code(input, number);
    if (row->count + 2 > ROW_NUMBERS)
        encoded_row_finish(row);
    row->numbers[row->count++] = is_null ? (double)input->null_value : number;
    if (input->dense_count == 2)
        row->numbers[row->count++] = is_null;
    if (row->has_rests)
        row->dense[input->rest_offset] = is_null ? 0 : number_rest(input, number);
    if (is_null && !row->keeps_numbers) {
        encoded_row_finish(row);
        row->dense[input->dense_offset] = input->null_value;
    }
}
