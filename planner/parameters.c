#include <math.h>

#include "jobspec/job_size.h"
#include "planner/planning.h"

/* What each optimizer keeps for a parameter (runtime/learn/optimizer.h). */
static uint32_t slots_of(struct slice optimizer)
{
    return slice_is(optimizer, "SGD") ? 0 : slice_is(optimizer, "Adam") ? 2 : 1;
}

static double outputs_of(const struct plan *plan)
{
    bool is_many = plan->estimator->task == TASK_CLASSIFICATION && plan->training.n_classes > 2;

    return is_many ? plan->training.n_classes : 1;
}

static double count_parameters(const struct plan *plan, double rows)
{
    double total = 0;

    for (uint32_t i = 0; i < plan->training.hidden_layers; i++) {
        total += (rows + 1) * plan->training.hidden_units[i];
        rows = plan->training.hidden_units[i];
    }
    return total + (rows + 1) * outputs_of(plan);
}

double parameters_of(const struct plan *plan)
{
    return count_parameters(plan, (double)plan->input_count); /* a word at least of each category */
}

/* A category has no more words than rows, where the sample was all of them; where it has more
 * than it may keep, a tenth of these for the others (runtime/data/dataset_learn.c); and one for
 * NULL. */
static double rows_of_input(const struct plan *plan, const struct plan_input *input)
{
    const struct query *query = &plan->query;
    double most;

    if (input->type == INPUT_NUMERIC)
        return 1;
    most = input->vocabulary_max;
    if (query->sample_rows < QUERY_SAMPLE_ROWS && query->sample_rows <= most)
        return query->sample_rows + 1.0;
    return most + (most >= 10 ? floor(most / 10) : 1) + 1;
}

double parameters_most(const struct plan *plan)
{
    double rows = 0;

    for (size_t i = 0; i < plan->input_count; i++)
        rows += rows_of_input(plan, &plan->inputs[i]);
    return count_parameters(plan, rows);
}

double parameters_bytes(const struct plan *plan, double parameters)
{
    const bool keeps_best = plan->training.early_stopping > 0;
    const struct job_size one = {1, slots_of(plan->training.optimizer), keeps_best};

    return parameters * (double)job_learner_bytes(&one);
}

void bytes_append(struct text *out, double bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t unit = 0;

    while (bytes >= 1024 && unit + 1 < sizeof units / sizeof *units) {
        bytes /= 1024;
        unit++;
    }
    text_printf(out, unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
}

static enum status refuse(double parameters, double bytes, int position, struct error *err)
{
    enum status status = STATUS_LIMIT;
    struct text needed;

    text_init(&needed, TEXT_MAXIMUM);
    bytes_append(&needed, bytes);
    fail_at(err, status, position,
            "a model of %.0f parameters would need %s, where at most %u GiB are possible",
            parameters, text_string(&needed), (unsigned)(JOB_LEARNER_BYTES_MAX >> 30));
    error_hint(
        err,
        "Parameters, gradients, their sums and optimizer state are counted; use fewer units in "
        "model.hidden_units.");
    if (needed.failed)
        status = fail_no_memory(err);
    text_deinit(&needed);
    return status;
}

enum status parameters_check(const struct planning *planning)
{
    const struct setting *units = settings_find(planning, "model.hidden_units");
    double parameters = parameters_of(planning->plan);
    double bytes = parameters_bytes(planning->plan, parameters);

    if (bytes <= (double)JOB_LEARNER_BYTES_MAX)
        return STATUS_OK;
    return refuse(parameters, bytes,
                  units ? units->value.span.start : planning->statement->model.position,
                  planning->err);
}

enum status parameters_check_layers(const struct setting *hidden_units, struct error *err)
{
    const struct value *value = &hidden_units->value;
    const struct value *items = value->kind == VALUE_LIST ? value->items : value;
    size_t count = value->kind == VALUE_LIST ? value->count : 1;
    const struct job_size least = {1, 0, false};
    double rows = 1, total = 0, bytes;

    for (size_t i = 0; i < count; i++) {
        if (items[i].kind != VALUE_NUMBER || !(items[i].number >= 1))
            return STATUS_OK; /* wrong in another way */
        total += (rows + 1) * items[i].number;
        rows = items[i].number;
    }
    total += rows + 1;
    bytes = total * (double)job_learner_bytes(&least);
    return bytes > (double)JOB_LEARNER_BYTES_MAX ? refuse(total, bytes, value->span.start, err)
                                                 : STATUS_OK;
}
