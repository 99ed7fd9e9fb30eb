#include "runtime/learn/sample_statistics.h"

#include <stdlib.h>

#define CALL_VALUES 50000 /* values that a call sorts: some milliseconds */

enum status sample_statistics_init(struct sample_statistics *statistics,
                                   const struct dataset *dataset, const struct model *model,
                                   struct error *err)
{
    const size_t rows = (size_t)dataset->sample.rows;

    *statistics = (struct sample_statistics){.dataset = dataset,
                                             .predicts_numbers = predictions_are_numbers(model),
                                             .count = statistics_inputs(&dataset->transform) + 1};
    arena_init(&statistics->arena,
               (size_t)statistics->count * (STATISTICS_BYTES_MAX + sizeof(struct slice)) +
                   ARENA_MAXIMUM);
    statistics->values = calloc(rows, sizeof *statistics->values);
    statistics->predictions = calloc(rows, sizeof *statistics->predictions);
    statistics->numbers = calloc(rows, sizeof *statistics->numbers);
    statistics->probabilities = calloc(dataset->labels.count + (size_t)1, sizeof(double));
    statistics->written = ARENA_NEW(&statistics->arena, struct slice, statistics->count);
    return statistics->values && statistics->predictions && statistics->numbers &&
                   statistics->probabilities && statistics->written
               ? STATUS_OK
               : fail_no_memory(err);
}

void sample_statistics_deinit(struct sample_statistics *statistics)
{
    if (!statistics->dataset)
        return;
    free(statistics->values);
    free(statistics->predictions);
    free(statistics->numbers);
    free(statistics->probabilities);
    arena_deinit(&statistics->arena);
    *statistics = (struct sample_statistics){.dataset = NULL};
}

void sample_statistics_predict(struct sample_statistics *statistics, uint64_t row,
                               const struct scorer *scorer)
{
    statistics->predictions[row] = prediction_value_of(scorer, statistics->probabilities);
}

bool sample_statistics_are_done(const struct sample_statistics *statistics)
{
    return !statistics->dataset || statistics->next == statistics->count;
}

static void measure_input(struct sample_statistics *statistics, const struct transform_input *input,
                          struct input_statistics *measured)
{
    const struct transform *transform = &statistics->dataset->transform;
    const struct dataset_part *part = &statistics->dataset->sample;

    for (size_t row = 0; row < part->rows; row++)
        statistics->values[row] =
            input_value_of(transform, input, part->dense + row * transform->dense_width,
                           part->ids + row * transform->id_count, NULL);
    input_statistics_make(statistics_are_numbers(input), statistics->values, part->rows,
                          statistics->numbers, measured);
    measured->mean = statistics_number(input, measured->mean);
    measured->median = statistics_cell(transform, input, measured->median);
}

enum status sample_statistics_some(struct sample_statistics *statistics, struct error *err)
{
    const struct dataset *dataset = statistics->dataset;
    struct input_statistics measured;

    for (uint64_t values = 0; !sample_statistics_are_done(statistics) && values < CALL_VALUES;
         values += dataset->sample.rows) {
        if (statistics->next + 1 < statistics->count)
            measure_input(statistics, &dataset->transform.inputs[statistics->next], &measured);
        else
            input_statistics_make(statistics->predicts_numbers, statistics->predictions,
                                  dataset->sample.rows, statistics->numbers, &measured);
        TRY(input_statistics_write(&measured, &statistics->arena,
                                   &statistics->written[statistics->next], err));
        statistics->next++;
    }
    return STATUS_OK;
}

void sample_statistics_give(const struct sample_statistics *statistics, struct model *model)
{
    model->statistics = statistics->written;
    model->statistics_count = statistics->next;
}
