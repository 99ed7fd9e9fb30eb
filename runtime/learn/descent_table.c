#include "runtime/learn/descent_table.h"

#include <stdlib.h>

#include "base/words.h"
#include "runtime/learn/fixed_point.h"

/* ---- which tensor it is, and where its sums lie ---- */

static uint32_t rows_of(const struct tensor *tensor)
{
    return tensor->row_width > 0 ? tensor->count / tensor->row_width : 0;
}

static bool is_large(const struct tensor *tensor, uint32_t batch)
{
    return rows_of(tensor) >= TABLE_ROWS_LEAST && rows_of(tensor) / 2 >= batch;
}

static bool has_small_penalty(const struct descent_settings *settings)
{
    return settings->l1 <= TABLE_PENALTY_MOST && settings->l2 <= TABLE_PENALTY_MOST;
}

void descent_table_choose(struct descent *descent)
{
    const struct tensor *tensors = descent->model.tensors;
    const uint32_t count = descent->model.tensor_count;
    uint32_t next = 0;

    descent->table = TENSORS_MAX;
    for (uint32_t t = 0; t < count && descent->table == TENSORS_MAX; t++)
        if (has_small_penalty(&descent->model.settings) && is_large(&tensors[t], descent->batch))
            descent->table = t;
    for (uint32_t t = 0; t < count; t++) {
        descent->sums_at[t] = next;
        next += t == descent->table ? 0 : tensors[t].count;
    }
    if (descent->table < count)
        descent->sums_at[descent->table] = next;
}

static const struct tensor *table_of(const struct descent *descent)
{
    return descent->table < TENSORS_MAX ? &descent->model.tensors[descent->table] : NULL;
}

uint32_t descent_table_rows(const struct descent *descent)
{
    const struct tensor *table = table_of(descent);

    return table ? rows_of(table) : 0;
}

struct phase_table descent_table_of_step(const struct descent *descent, uint64_t rows)
{
    const struct tensor *table = table_of(descent);
    uint64_t touched;

    if (!table)
        return (struct phase_table){.rows = 0};
    touched = rows * table->selects_most;
    return (struct phase_table){rows_of(table), table->row_width,
                                touched < rows_of(table) ? (uint32_t)touched : rows_of(table)};
}

enum status descent_table_init(struct descent *descent, struct error *err)
{
    const struct tensor *table = table_of(descent);

    descent->guard.rows = calloc(descent_table_rows(descent) + 1ull, sizeof *descent->guard.rows);
    optimizer_powers_init(&descent->powers, descent->optimizer.beta2);
    descent->row_gradient = calloc(table ? table->row_width : 1, sizeof(float));
    return descent->guard.rows && descent->row_gradient ? STATUS_OK : fail_no_memory(err);
}

void descent_table_deinit(struct descent *descent)
{
    free(descent->guard.rows);
    free(descent->row_gradient);
}

/* ---- its rows ---- */

struct descent_slots descent_slots_at(const struct descent *descent, size_t parameter)
{
    float *slots = descent->arrays.slots + parameter;

    return (struct descent_slots){
        .first = descent->cost.slots > 0 ? slots : NULL,
        .second = descent->cost.slots > 1 ? slots + descent->model.parameter_count : NULL,
    };
}

static size_t parameter_of(const struct tensor *table, uint32_t row)
{
    return table->first + (size_t)row * table->row_width;
}

uint32_t descent_table_greatest(const struct descent *descent, const struct phase_totals *totals)
{
    const struct tensor *table = table_of(descent);
    const float *reals = totals->reals + descent->sums_at[descent->table];
    uint32_t greatest = 0;

    for (uint32_t i = 0; i < totals->rows->count; i++) {
        const uint32_t of_row = fixed_greatest(
            reals + (size_t)totals->rows->rows[i] * table->row_width, table->row_width);

        greatest = of_row > greatest ? of_row : greatest;
    }
    return greatest;
}

/* ---- what is known of them ---- */

static struct descent_row_sums sum_row(const struct descent *descent, uint32_t row)
{
    const struct tensor *table = table_of(descent);
    const size_t at = parameter_of(table, row);
    const struct descent_slots slots = descent_slots_at(descent, at);

    return (struct descent_row_sums){
        .parameters = words_sum(descent->arrays.parameters + at, table->row_width),
        .slots = descent->arrays.row_steps[row] +
                 (slots.first ? words_sum(slots.first, table->row_width) : 0) +
                 (slots.second ? words_sum(slots.second, table->row_width) : 0),
    };
}

void descent_table_guard(struct descent *descent)
{
    struct descent_guard *guard = &descent->guard;
    const struct tensor *table = table_of(descent);

    guard->table = (struct descent_sums){.parameters = 0};
    for (uint32_t row = 0; row < descent_table_rows(descent); row++) {
        guard->rows[row] = sum_row(descent, row);
        guard->table.parameters += guard->rows[row].parameters;
        guard->table.slots += guard->rows[row].slots;
    }
    if (table)
        guard->table.mixed = words_mix(descent->arrays.parameters + table->first, table->count);
}

bool descent_table_is_intact(const struct descent *descent, const struct touched_rows *rows)
{
    const struct tensor *table = table_of(descent);

    for (uint32_t i = 0; i < rows->count; i++) {
        const uint32_t row = rows->rows[i];

        if (words_sum(descent->arrays.parameters + parameter_of(table, row), table->row_width) !=
            descent->guard.rows[row].parameters)
            return false;
    }
    return true;
}

uint32_t descent_table_sum_others(const struct descent *descent)
{
    const struct tensor *table = table_of(descent);
    const float *parameters = descent->arrays.parameters;
    const uint32_t count = descent->model.parameter_count;
    const uint32_t end = table ? table->first + table->count : 0;

    return (table ? words_sum(parameters, table->first) : 0) +
           words_sum(parameters + end, count - end);
}

/* ---- a step ---- */

/* The row was moved, and this is what is known of it and of all now. */
static void note_row(struct descent *descent, uint32_t row, struct descent_row_sums now,
                     uint32_t mixed)
{
    struct descent_guard *guard = &descent->guard;
    const struct descent_row_sums was = guard->rows[row];

    guard->table.parameters += now.parameters - was.parameters;
    guard->arrays.parameters += now.parameters - was.parameters;
    guard->table.slots += now.slots - was.slots;
    guard->arrays.slots += now.slots - was.slots;
    guard->table.mixed += mixed;
    guard->arrays.mixed += mixed;
    guard->rows[row] = now;
}

static bool update_row(struct descent *descent, const struct optimizer_step *step, uint32_t row,
                       const float *gradient)
{
    const struct tensor *table = table_of(descent);
    const size_t at = parameter_of(table, row);
    const struct descent_slots slots = descent_slots_at(descent, at);
    const struct descent_row_sums known = descent->guard.rows[row];
    const uint32_t now = (uint32_t)descent->progress.phase.step + 1;
    const uint32_t steps = now - descent->arrays.row_steps[row];
    struct optimizer_update update = {
        .step = step,
        .l1 = (float)descent->model.settings.l1,
        .l2 = (float)descent->model.settings.l2,
        .count = table->row_width,
        .gradient = gradient,
        .parameters = descent->arrays.parameters + at,
        .first = slots.first,
        .second = slots.second,
    };
    const uint32_t mixed = words_mix(update.parameters, update.count);
    struct optimizer_sums read = {.slots = descent->arrays.row_steps[row]},
                          written = {.slots = now};

    read.slots += optimizer_row_decay(&update, &descent->powers, steps);
    optimizer_row_penalise(&update, steps, descent->row_gradient);
    optimizer_update(&update, &read, &written);
    descent->arrays.row_steps[row] = now;
    note_row(descent, row, (struct descent_row_sums){written.parameters, written.slots},
             written.mixed - mixed);
    return read.parameters == known.parameters && read.slots == known.slots;
}

enum status descent_table_update(struct descent *descent, const struct phase_totals *totals,
                                 struct error *err)
{
    const struct tensor *table = table_of(descent);
    struct optimizer_step step;
    bool is_good = true;

    if (!table)
        return STATUS_OK;
    step = optimizer_row_step_at(&descent->optimizer, descent->progress.phase.step);
    for (uint32_t i = 0; i < totals->rows->count; i++) {
        const uint32_t row = totals->rows->rows[i];
        const size_t at = descent->sums_at[descent->table] + (size_t)row * table->row_width;

        is_good &= update_row(descent, &step, row, totals->reals + at);
    }
    return is_good ? STATUS_OK : memory_damaged(err, "the weights");
}
