#include "runtime/learn/descent/descent_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/sums/words.h"
#include "runtime/learn/fixed_point.h"

#define MOVE_WEIGHTS_LEAST 1024 /* weights that are worth a task of the team */
#define MOVE_TASKS_MAX     64

/* ---- which tensor it is, and where its sums lie ---- */

static uint32_t rows_of(const struct tensor *tensor)
{
    return tensor->row_width > 0 ? tensor->count / tensor->row_width : 0;
}

static bool is_large(const struct tensor *tensor, uint32_t batch)
{
    return !tensor->is_frozen && rows_of(tensor) >= TABLE_ROWS_LEAST &&
           rows_of(tensor) / 2 >= batch;
}

static bool can_move_rows(const struct descent_settings *settings)
{
    return settings->l1 <= TABLE_PENALTY_MOST && settings->l2 <= TABLE_PENALTY_MOST &&
           optimizer_moves_rows(settings->optimizer, settings->l1 > 0 || settings->l2 > 0);
}

void descent_table_choose(struct descent *descent)
{
    const struct tensor *tensors = descent->model.tensors;
    const uint32_t count = descent->model.tensor_count;
    uint32_t next = 0;

    descent->table = TENSORS_MAX;
    for (uint32_t t = 0; t < count && descent->table == TENSORS_MAX; t++)
        if (can_move_rows(&descent->model.settings) && is_large(&tensors[t], descent->batch) &&
            (tensors[t].linear == 0 || can_move_rows(&descent->model.linear)))
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
    descent->guard.rows = calloc(descent_table_rows(descent) + 1ull, sizeof *descent->guard.rows);
    optimizer_powers_init(&descent->powers, descent->optimizer.settings.beta2);
    return descent->guard.rows ? STATUS_OK : fail_no_memory(err);
}

void descent_table_deinit(struct descent *descent)
{
    free(descent->guard.rows);
}

/* ---- its rows ---- */

struct descent_slots descent_slots_at(const struct descent *descent, size_t parameter)
{
    struct descent_slots slots = {{NULL}};

    for (uint32_t s = 0; s < descent->cost.slots; s++)
        slots.at[s] =
            descent->arrays.slots + (size_t)s * descent->model.parameter_count + parameter;
    return slots;
}

static size_t parameter_of(const struct tensor *table, uint32_t row)
{
    return table->first + (size_t)row * table->row_width;
}

uint32_t descent_table_greatest(const struct descent *descent, const struct phase_totals *totals)
{
    return fixed_greatest(totals->reals + descent->sums_at[descent->table],
                          (size_t)totals->rows->count * table_of(descent)->row_width);
}

/* ---- what is known of them ---- */

static struct optimizer_row_sums sum_row(const struct descent *descent, uint32_t row)
{
    const struct tensor *table = table_of(descent);
    const size_t at = parameter_of(table, row);
    const struct descent_slots slots = descent_slots_at(descent, at);

    struct optimizer_row_sums sums = {
        .parameters = words_sum(descent->arrays.parameters + at, table->row_width),
        .slots = descent->arrays.row_steps[row],
    };

    for (uint32_t s = 0; s < descent->cost.slots; s++)
        sums.slots += words_sum(slots.at[s], table->row_width);
    return sums;
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

/* Some of the rows that a step moves, and what became of them. */
struct move_batch {
    struct optimizer_rows rows;
    struct optimizer_rows_change changes[MOVE_TASKS_MAX]; /* by task */
    uint32_t task_rows;
};

static void move_task(void *context, uint32_t member, uint32_t task)
{
    struct move_batch *batch = context;
    struct optimizer_rows rows = batch->rows;
    const uint32_t first = task * batch->task_rows, left = rows.count - first;
    (void)member;

    rows.count = left < batch->task_rows ? left : batch->task_rows;
    rows.rows += first;
    rows.gradient += (size_t)first * rows.width;
    optimizer_update_rows(&rows, &batch->changes[task]);
}

/* The sums of the table and of all words as they are now. False: something else was read than was
 * known.
 */
static bool note_change(struct descent_guard *guard, const struct optimizer_rows_change *change)
{
    guard->table.parameters += change->after.parameters - change->known.parameters;
    guard->arrays.parameters += change->after.parameters - change->known.parameters;
    guard->table.slots += change->after.slots - change->known.slots;
    guard->arrays.slots += change->after.slots - change->known.slots;
    guard->table.mixed += change->after.mixed;
    guard->arrays.mixed += change->after.mixed;
    return change->before.parameters == change->known.parameters &&
           change->before.slots == change->known.slots;
}

static struct optimizer_rows rows_to_move(struct descent *descent,
                                          const struct optimizer_step *step,
                                          const struct optimizer_step *linear_step,
                                          const struct phase_totals *totals, const float *gradient)
{
    const struct tensor *table = table_of(descent);
    const struct descent_slots slots = descent_slots_at(descent, table->first);

    return (struct optimizer_rows){
        .step = step,
        .powers = &descent->powers,
        .l1 = (float)descent->model.settings.l1,
        .l2 = (float)descent->model.settings.l2,
        .linear = table->linear,
        .linear_step = linear_step,
        .linear_l1 = (float)descent->model.linear.l1,
        .linear_l2 = (float)descent->model.linear.l2,
        .now = (uint32_t)descent->learner.phase.step + 1,
        .count = totals->rows->count,
        .width = table->row_width,
        .rows = totals->rows->rows,
        .gradient = gradient,
        .parameters = descent->arrays.parameters + table->first,
        .first = slots.at[0],
        .second = slots.at[1],
        .row_steps = descent->arrays.row_steps,
        .known = descent->guard.rows,
    };
}

/* So few rows that a task is worth a thread, and no more tasks than there is room for. */
static uint32_t rows_of_task(const struct optimizer_rows *rows)
{
    const uint32_t least = (MOVE_WEIGHTS_LEAST - 1) / rows->width + 1;
    const uint32_t share = (rows->count + MOVE_TASKS_MAX - 1) / MOVE_TASKS_MAX;

    return share > least ? share : least;
}

enum status descent_table_update(struct descent *descent, const struct optimizer_step *dense,
                                 const struct optimizer_step *linear,
                                 const struct phase_totals *totals, const float *gradient,
                                 struct error *err)
{
    const uint64_t t = descent->learner.phase.step;
    struct optimizer_step step, linear_step;
    struct move_batch batch;
    uint32_t tasks;
    bool is_good = true;

    step = optimizer_row_step_at(&descent->optimizer, t, dense);
    linear_step = optimizer_row_step_at(&descent->linear, t, linear);
    batch.rows = rows_to_move(descent, &step, &linear_step, totals, gradient);
    batch.task_rows = rows_of_task(&batch.rows);
    tasks = (batch.rows.count + batch.task_rows - 1) / batch.task_rows;
    memset(batch.changes, 0, tasks * sizeof *batch.changes);
    team_run(descent->team, tasks, move_task, &batch);
    for (uint32_t task = 0; task < tasks; task++)
        is_good &= note_change(&descent->guard, &batch.changes[task]);
    return is_good ? STATUS_OK : memory_damaged(err, "the weights");
}
