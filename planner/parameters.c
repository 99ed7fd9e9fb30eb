#include "planner/planning.h"

static double outputs_of(const struct plan *plan)
{
    bool is_many = plan->estimator->task == TASK_CLASSIFICATION && plan->training.n_classes > 2;

    return is_many ? plan->training.n_classes : 1;
}

double parameters_of(const struct plan *plan)
{
    double rows = (double)plan->input_count; /* a word at least of each category */
    double total = 0;

    for (uint32_t i = 0; i < plan->training.hidden_layers; i++) {
        total += (rows + 1) * plan->training.hidden_units[i];
        rows = plan->training.hidden_units[i];
    }
    return total + (rows + 1) * outputs_of(plan);
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

static enum status refuse(double parameters, int position, struct error *err)
{
    enum status status = STATUS_LIMIT;
    struct text needed;

    text_init(&needed, TEXT_MAXIMUM);
    bytes_append(&needed, parameters * PARAMETER_BYTES);
    fail_at(err, status, position,
            "a model of %.0f parameters would need %s, where at most 2 GiB are possible",
            parameters, text_string(&needed));
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

    if (parameters * PARAMETER_BYTES <= MODEL_BYTES_MAX)
        return STATUS_OK;
    return refuse(parameters, units ? units->value.span.start : planning->statement->model.position,
                  planning->err);
}

enum status parameters_check_layers(const struct setting *hidden_units, struct error *err)
{
    const struct value *value = &hidden_units->value;
    const struct value *items = value->kind == VALUE_LIST ? value->items : value;
    size_t count = value->kind == VALUE_LIST ? value->count : 1;
    double rows = 1, total = 0;

    for (size_t i = 0; i < count; i++) {
        if (items[i].kind != VALUE_NUMBER || !(items[i].number >= 1))
            return STATUS_OK; /* wrong in another way */
        total += (rows + 1) * items[i].number;
        rows = items[i].number;
    }
    total += rows + 1;
    return total * PARAMETER_BYTES > MODEL_BYTES_MAX ? refuse(total, value->span.start, err)
                                                     : STATUS_OK;
}
