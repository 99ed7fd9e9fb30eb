#include "runtime/data/robust_inputs.h"

static void note_range(const struct transform_input *input, const struct robust_range *range,
                       double deviation, struct notice_list *notices)
{
    notice_add(notices, NOTICE_OUTLIERS,
               "column \"%.*s\": a few values are far from all others (its deviation is %.3g, that "
               "of its middle half %.3g around %.3g): it is scaled by its middle half, and values "
               "beyond %.4g and %.4g count as these",
               SLICE_FORMAT(input->name), deviation, range->deviation, range->middle,
               range->middle - (double)ROBUST_LIMIT * range->deviation,
               range->middle + (double)ROBUST_LIMIT * range->deviation);
    notice_hint(notices, "If they stand for missing values, make NULL of them, as by "
                         "nullif(column, -999).");
}

static void settle_input(const struct sampled_column *column, uint32_t number,
                         struct dataset *dataset)
{
    struct transform *transform = &dataset->transform;
    const double deviation = transform->inputs[number].scale;
    const struct robust_range *range = &column->range;

    if (range->deviation == 0 || deviation <= ROBUST_DOMINATED * range->deviation)
        return;
    transform_limit(transform, number, range->middle, range->deviation, ROBUST_LIMIT);
    note_range(&transform->inputs[number], range, deviation, dataset->notices);
}

void robust_inputs(const struct sampled_column *columns, struct dataset *dataset)
{
    for (uint32_t i = 0; i < dataset->transform.input_count; i++)
        if (dataset->transform.inputs[i].type == INPUT_NUMERIC)
            settle_input(&columns[i], i, dataset);
}
