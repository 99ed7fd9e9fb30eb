#include "runtime/data/dataset_learn.h"

#include <math.h>
#include <stdlib.h>

#include "runtime/data/columns/column_statistics_finish.h"
#include "runtime/data/columns/robust_inputs.h"
#include "runtime/data/dataset/dataset_encode.h"
#include "runtime/data/spool/column_statistics_bytes.h"
#include "runtime/data/spool/odd_numbers.h"
#include "runtime/data/spool/spool_writer.h"
#include "scoring/transform/far_number.h"

/* State that the members of the team share: blocks are their tasks. */
struct adding {
    const struct spool *spool;
    const uint8_t *is_used;
    struct column_statistics **members; /* (team_size) */
    struct error *errors;               /* (team_size) */
};

static void add_block(void *context, uint32_t member, uint32_t number)
{
    const struct adding *adding = context;
    const struct spool_block *block = &adding->spool->blocks[number];

    if (adding->errors[member].status == STATUS_OK)
        column_statistics_add(adding->members[member], block->columns, 0, block->rows,
                              adding->is_used ? adding->is_used + block->first_row : NULL,
                              &adding->errors[member]);
}

static enum status add_rows(struct adding *adding, const struct jobspec *spec, struct team *team,
                            struct column_statistics *statistics, struct error *err)
{
    const uint32_t members = team_size(team);

    for (uint32_t m = 0; m < members; m++) {
        error_clear(&adding->errors[m]);
        TRY(column_statistics_new(spec, SPOOL_WORD_BYTES_MAX, &adding->members[m], err));
    }
    team_run(team, adding->spool->block_count, add_block, adding);
    TRY(first_failure(adding->errors, members, err));
    for (uint32_t m = 0; m < members; m++)
        TRY(column_statistics_merge(statistics, adding->members[m], err));
    return STATUS_OK;
}

static enum status count_rows(const struct spool *spool, const struct jobspec *spec,
                              const uint8_t *is_used, struct team *team,
                              struct column_statistics *statistics, struct error *err)
{
    const uint32_t members = team_size(team);
    struct adding adding = {.spool = spool, .is_used = is_used};
    enum status status;

    adding.members = calloc(members, sizeof *adding.members);
    adding.errors = calloc(members, sizeof *adding.errors);
    if (adding.members && adding.errors)
        status = add_rows(&adding, spec, team, statistics, err);
    else
        status = fail_no_memory(err);
    for (uint32_t m = 0; adding.members && m < members; m++)
        column_statistics_free(adding.members[m]);
    free(adding.members);
    free(adding.errors);
    return status;
}

/* A greater number is never encoded as a smaller one: the least and the greatest cell say enough.
 */
static float greatest_of(const struct transform_input *input,
                         const struct spool_column_summary *summary)
{
    const float least = fabsf(transform_number(input, summary->least));
    const float greatest = fabsf(transform_number(input, summary->greatest));
    const float null = input->has_nulls ? fmaxf(1, fabsf(input->null_value)) : 0; /* and its flag */

    return fmaxf(null, fmaxf(least, greatest));
}

static float greatest_of_all(const struct spool *spool, const struct transform *transform)
{
    float greatest = 0;

    for (uint32_t i = 0; i < transform->input_count; i++)
        if (transform_is_number(&transform->inputs[i]))
            greatest = fmaxf(greatest, greatest_of(&transform->inputs[i], &spool->summaries[i]));
    return greatest;
}

/* Notes numbers beyond the reach of the model, in held-out rows, too. */
static void note_far_numbers(const struct spool *spool, const struct dataset *dataset)
{
    for (uint32_t i = 0; i < dataset->transform.input_count; i++) {
        const struct transform_input *input = &dataset->transform.inputs[i];
        const struct spool_column_summary *summary = &spool->summaries[i];
        double least, greatest;

        if (!transform_reach(&dataset->transform, input, &least, &greatest) ||
            (summary->least >= least && summary->greatest <= greatest))
            continue;
        far_number_note(dataset->notices, input->spec.name,
                        summary->greatest > greatest ? summary->greatest : summary->least, least,
                        greatest);
        notice_hint(dataset->notices,
                    "If it is wrong, leave such rows out; else divide the column in the SELECT.");
    }
}

/* Adds used rows to the sample, at equal distances. */
static void sample_apart(const struct spool *spool, const uint8_t *is_used,
                         struct column_sample *sample)
{
    const uint64_t most = column_sample_most(sample);
    uint64_t used = 0, rank = 0, taken = 0;

    for (uint64_t row = 0; row < spool->rows; row++)
        used += !is_used || is_used[row];
    for (uint32_t b = 0; b < spool->block_count; b++) {
        const struct spool_block *block = &spool->blocks[b];

        for (uint32_t row = 0; row < block->rows && column_sample_wants(sample); row++) {
            if (is_used && !is_used[block->first_row + row])
                continue;
            if (used <= most || rank * most / used == taken) {
                column_sample_add(sample, block->columns, row);
                taken++;
            }
            rank++;
        }
    }
}

static enum status sample_columns(const struct spool *spool, const struct jobspec *spec,
                                  const uint8_t *is_used, struct sampled_column *columns,
                                  struct error *err)
{
    struct column_sample *sample;

    TRY(column_sample_new(spec, &sample, err));
    sample_apart(spool, is_used, sample);
    column_sample_measure(sample, columns);
    column_sample_free(sample);
    return STATUS_OK;
}

/* Takes the origins of numbers that are kept; where learning goes on from a model, that model's
 * origins stay. */
static enum status take_origins(const struct sampled_column *columns, const struct jobspec *spec,
                                struct dataset *dataset, struct error *err)
{
    struct transform *transform = &dataset->transform;

    if (!transform->keeps_numbers || dataset->old_model)
        return STATUS_OK;
    if (spec->task == TASK_REGRESSION)
        dataset->label_mean = columns[spec->input_count].origin;
    for (uint32_t i = 0; i < transform->input_count; i++)
        if (transform->inputs[i].spec.offset)
            transform->inputs[i].mean = dataset->label_mean;
        else if (transform->inputs[i].spec.type == INPUT_NUMERIC)
            transform->inputs[i].mean = columns[i].origin;
    return transform_has_origins(transform)
               ? transform_finish_numbers(transform, &dataset->arena, err)
               : STATUS_OK;
}

static enum status take_sampled(const struct sampled_column *columns, const struct jobspec *spec,
                                struct dataset *dataset, struct error *err)
{
    TRY(robust_inputs(columns, spec, dataset, err));
    odd_numbers_note(columns, spec, &dataset->transform, dataset->notices);
    return take_origins(columns, spec, dataset, err);
}

static enum status scale_inputs(const struct spool *spool, const struct jobspec *spec,
                                const uint8_t *is_used, struct dataset *dataset, struct error *err)
{
    struct sampled_column *columns;
    enum status status;

    if (spool->is_keyed)
        return spool->ranges.sampled ? take_sampled(spool->ranges.sampled, spec, dataset, err)
                                     : STATUS_OK;
    columns = calloc(spool->column_count, sizeof *columns);
    if (!columns)
        return fail_no_memory(err);
    status = sample_columns(spool, spec, is_used, columns, err);
    if (status == STATUS_OK)
        status = take_sampled(columns, spec, dataset, err);
    free(columns);
    return status;
}

enum status dataset_learn(const struct spool *spool, const struct jobspec *spec,
                          const uint8_t *is_used, struct team *team, struct dataset *dataset,
                          struct class_index *index, struct error *err)
{
    struct column_statistics *statistics;
    enum status status;

    TRY(column_statistics_new(spec, SPOOL_WORD_BYTES_MAX, &statistics, err));
    if (spool->is_keyed)
        status = column_statistics_read(statistics, spool->ranges.statistics, err);
    else
        status = count_rows(spool, spec, is_used, team, statistics, err);
    if (status == STATUS_OK)
        status = column_statistics_finish(statistics, dataset, index, err);
    if (status == STATUS_OK)
        status = scale_inputs(spool, spec, is_used, dataset, err);
    if (status == STATUS_OK) {
        note_far_numbers(spool, dataset);
        dataset->dense_greatest = greatest_of_all(spool, &dataset->transform);
    }
    column_statistics_free(statistics);
    return status;
}
