#include <stdlib.h>

#include "runtime/data/row_order.h"
#include "runtime/learn/descent_parts.h"

#define SAMPLE_ROWS_MAX  16384
#define MEASURE_WORK     2e8 /* multiplications of a scorer in a call: some ten milliseconds */
#define MEASURE_ROWS_MIN 16  /* fewer together take longer each */

/* ---- room ---- */

static void free_scorers(struct measuring *measuring)
{
    for (uint32_t i = 0; measuring->scorers && i < measuring->scorer_count; i++)
        scorer_deinit(&measuring->scorers[i]);
    free(measuring->scorers);
    free(measuring->probabilities);
    free(measuring->rows);
    free(measuring->errors);
    free(measuring->order);
    measuring->scorers = NULL;
    measuring->probabilities = NULL;
    measuring->rows = NULL;
    measuring->errors = NULL;
    measuring->order = NULL;
}

void descent_measuring_deinit(struct descent *descent)
{
    struct measuring *measuring = &descent->measuring;

    free_scorers(measuring);
    metrics_free(measuring->metrics[0]);
    metrics_free(measuring->metrics[1]);
    *measuring = (struct measuring){.is_done = false};
}

static uint32_t rows_of_call(const struct descent *descent)
{
    const double rows = MEASURE_WORK / (descent->cost.multiplications + 1);

    return rows >= SCORER_ROWS       ? SCORER_ROWS
           : rows < MEASURE_ROWS_MIN ? MEASURE_ROWS_MIN
                                     : (uint32_t)rows;
}

static enum status make_scorers(struct descent *descent, struct error *err)
{
    struct measuring *measuring = &descent->measuring;
    const size_t count = team_size(descent->own_team);
    const uint32_t rows = rows_of_call(descent);

    measuring->scorers = calloc(count, sizeof *measuring->scorers);
    measuring->errors = calloc(count, sizeof *measuring->errors);
    measuring->probabilities = calloc(count * (descent->dataset->labels.count + 1), sizeof(double));
    measuring->rows = calloc(count * rows, sizeof *measuring->rows);
    if (!measuring->scorers || !measuring->errors || !measuring->probabilities || !measuring->rows)
        return fail_no_memory(err);
    measuring->rows_each = rows;
    for (; measuring->scorer_count < count; measuring->scorer_count++) {
        struct scorer *scorer = &measuring->scorers[measuring->scorer_count];

        TRY(scorer_init(scorer, &measuring->model, rows, err));
        if (scorer->rows_max < measuring->rows_each)
            measuring->rows_each = scorer->rows_max;
    }
    return STATUS_OK;
}

/* ---- parts ---- */

/* Rows in the order of their hashes, so that neither which rows nor the last
 * bits of their sums depend on where they lie. */
static enum status hash_order(const struct descent *descent, const struct dataset_part *part,
                              uint32_t **order, struct error *err)
{
    const struct row_key key = {descent->spec->seed, RANDOM_SAMPLE, 0};
    uint64_t *space = malloc(row_order_space(part->rows) * sizeof *space);

    *order = malloc(sizeof **order * part->rows);
    if (!space || !*order) {
        free(space);
        free(*order);
        *order = NULL;
        return fail_no_memory(err);
    }
    row_order(&key, part->hashes, part->rows, descent->own_team, space, *order);
    free(space);
    return STATUS_OK;
}

static enum status begin_part(struct descent *descent, struct error *err)
{
    struct measuring *measuring = &descent->measuring;
    const struct dataset *dataset = descent->dataset;
    const bool is_train = measuring->parts_begun == 0;

    measuring->part = is_train ? &dataset->train : &dataset->validation;
    measuring->next = 0;
    measuring->end = measuring->part->rows;
    if (is_train && measuring->end > SAMPLE_ROWS_MAX)
        measuring->end = SAMPLE_ROWS_MAX;
    TRY(metrics_new(&measuring->model, &measuring->metrics[measuring->parts_begun], err));
    measuring->parts_begun++;
    free(measuring->order);
    measuring->order = NULL;
    return measuring->end > 0 ? hash_order(descent, measuring->part, &measuring->order, err)
                              : STATUS_OK;
}

static enum status begin(struct descent *descent, struct error *err)
{
    descent_measuring_deinit(descent);
    descent_fill_model(descent, &descent->measuring.model);
    TRY(make_scorers(descent, err));
    return begin_part(descent, err);
}

/* ---- rows ---- */

static uint32_t rows_of_task(const struct measuring *measuring, uint32_t task)
{
    const uint32_t first = measuring->next + task * measuring->rows_each;
    const uint32_t left = first < measuring->end ? measuring->end - first : 0;

    return left < measuring->rows_each ? left : measuring->rows_each;
}

static enum status measure_row(const struct descent *descent, uint32_t task, uint32_t i,
                               uint32_t row, struct error *err)
{
    const struct measuring *measuring = &descent->measuring;
    const struct dataset *dataset = descent->dataset;
    const struct dataset_part *part = measuring->part;
    struct scorer *scorer = &measuring->scorers[task];
    struct metrics_row *measured = &measuring->rows[(size_t)task * measuring->rows_each + i];

    union truth truth;

    scorer_select(scorer, i);
    if (part->classes)
        truth.class = part->classes[row];
    else if (part->values)
        truth.value = (double)part->values[row] * dataset->label_scale + dataset->label_mean;
    return metrics_measure(scorer, &truth,
                           measuring->probabilities + (size_t)task * dataset->labels.count,
                           measured, err);
}

static void measure_rows(void *context, uint32_t member, uint32_t task)
{
    const struct descent *descent = context;
    const struct measuring *measuring = &descent->measuring;
    const struct transform *transform = &descent->dataset->transform;
    const uint32_t *rows = measuring->order + measuring->next + task * measuring->rows_each;
    const uint32_t count = rows_of_task(measuring, task);
    struct scorer *scorer = &measuring->scorers[task];
    struct error *err = &measuring->errors[task];
    (void)member;

    error_clear(err);
    for (uint32_t i = 0; i < count; i++) {
        dataset_take_row(descent->dataset, measuring->part, rows[i],
                         scorer->dense + (size_t)i * transform->dense_width);
        for (uint32_t j = 0; j < transform->id_count; j++)
            scorer->ids[(size_t)i * transform->id_count + j] =
                measuring->part->ids[(size_t)rows[i] * transform->id_count + j];
    }
    scorer_score(scorer, count);
    for (uint32_t i = 0; i < count && err->status == STATUS_OK; i++)
        measure_row(descent, task, i, rows[i], err);
}

/* In the order of the rows, whichever thread scored them. */
static enum status add_rows(struct measuring *measuring, uint32_t tasks, struct error *err)
{
    struct metrics *metrics = measuring->metrics[measuring->parts_begun - 1];

    for (uint32_t task = 0; task < tasks; task++) {
        const uint32_t count = rows_of_task(measuring, task);

        if (measuring->errors[task].status != STATUS_OK) {
            *err = measuring->errors[task];
            return err->status;
        }
        for (uint32_t i = 0; i < count; i++)
            TRY(metrics_add_row(metrics, &measuring->rows[(size_t)task * measuring->rows_each + i],
                                err));
    }
    return STATUS_OK;
}

static enum status measure_some(struct descent *descent, struct error *err)
{
    struct measuring *measuring = &descent->measuring;
    uint32_t tasks = 0, rows = 0;

    while (tasks < measuring->scorer_count && rows_of_task(measuring, tasks) > 0)
        rows += rows_of_task(measuring, tasks++);
    team_run(descent->own_team, tasks, measure_rows, descent);
    TRY(add_rows(measuring, tasks, err));
    measuring->next += rows;
    return STATUS_OK;
}

enum status descent_measure(void *self, bool *is_done, struct error *err)
{
    struct descent *descent = self;
    struct measuring *measuring = &descent->measuring;

    *is_done = false;
    if (descent->progress.phase.kind != PHASE_DONE)
        return fail(err, STATUS_INVALID, "the model is not learned yet");
    if (measuring->parts_begun == 0)
        TRY(begin(descent, err));
    else if (measuring->next < measuring->end)
        TRY(measure_some(descent, err));
    else if (measuring->parts_begun == 1)
        TRY(begin_part(descent, err));
    else
        measuring->is_done = true;
    if (measuring->is_done)
        free_scorers(measuring);
    *is_done = measuring->is_done;
    return STATUS_OK;
}
