#include "runtime/learn/descent/descent_guard.h"

#include <string.h>

#include "base/sums/words.h"
#include "runtime/data/dataset/row_store.h"
#include "runtime/learn/descent/descent_state.h"
#include "runtime/learn/descent/descent_table.h"

/* ---- weights ---- */

static struct descent_sums sum_arrays(const struct descent *descent)
{
    const size_t parameters = descent->model.parameter_count;
    const struct descent_arrays *arrays = &descent->arrays;

    return (struct descent_sums){
        .parameters = words_sum(arrays->parameters, parameters),
        .slots = words_sum(arrays->slots, (size_t)descent_slot_count(descent)) +
                 words_sum(arrays->row_steps, descent_table_rows(descent)),
        .best = arrays->best ? words_sum(arrays->best, parameters) : 0,
        .mixed = words_mix(arrays->parameters, parameters),
    };
}

void descent_guard_arrays(struct descent *descent)
{
    descent->guard.arrays = sum_arrays(descent);
    for (uint32_t t = 0; t < descent->model.tensor_count; t++) {
        const struct tensor *tensor = &descent->model.tensors[t];

        descent->guard.tensors[t] =
            words_sum(descent->arrays.parameters + tensor->first, tensor->count);
    }
    descent_table_guard(descent);
}

void descent_guard_best(struct descent *descent)
{
    descent->guard.arrays.best = descent->guard.arrays.parameters;
}

static uint32_t sum_derived(const struct descent *descent)
{
    return words_sum(descent->derived, descent->model.derived_count);
}

/* The copy holds the words of those tensors, so its sum is known without a pass. */
void descent_guard_derived(struct descent *descent, uint32_t over)
{
    struct descent_guard *guard = &descent->guard;

    if (over != guard->derived)
        guard->derived_was_bad = true;
    guard->derived = 0;
    for (uint32_t t = 0; t < descent->model.tensor_count; t++)
        if (descent->model.tensors[t].is_transposed)
            guard->derived += guard->tensors[t];
}

static bool has_good_copy(const struct descent *descent)
{
    return !descent->guard.derived_was_bad && sum_derived(descent) == descent->guard.derived;
}

/* All weights, or without the table's. */
static bool has_good_weights(const struct descent *descent, bool with_table)
{
    const struct descent_guard *guard = &descent->guard;

    if (with_table)
        return words_sum(descent->arrays.parameters, descent->model.parameter_count) ==
               guard->arrays.parameters;
    return descent_table_sum_others(descent) == guard->arrays.parameters - guard->table.parameters;
}

static enum status verify_used(const struct descent *descent, const struct touched_rows *rows,
                               struct error *err)
{
    if (!has_good_weights(descent, rows == NULL) || !has_good_copy(descent) ||
        (rows && !descent_table_is_intact(descent, rows)))
        return memory_damaged(err, "the weights");
    return STATUS_OK;
}

static enum status verify_all(const struct descent *descent, struct error *err)
{
    const struct descent_sums now = sum_arrays(descent);

    if (memcmp(&now, &descent->guard.arrays, sizeof now) != 0 || !has_good_copy(descent))
        return memory_damaged(err, "the weights");
    return STATUS_OK;
}

/* A step compares what it reads as it reads it (descent_guard_step). */
enum status descent_verify(const void *self, enum learner_look look,
                           const struct touched_rows *rows, struct error *err)
{
    return look == LOOK_AT_ALL    ? verify_all(self, err)
           : look == LOOK_AT_USED ? verify_used(self, rows, err)
                                  : STATUS_OK;
}

enum status descent_guard_step(struct descent *descent, const struct optimizer_sums *before,
                               const struct optimizer_sums *after, struct error *err)
{
    struct descent_sums *known = &descent->guard.arrays;
    const struct descent_sums *table = &descent->guard.table;
    const bool is_good = before->parameters == known->parameters - table->parameters &&
                         before->slots == known->slots - table->slots &&
                         !descent->guard.derived_was_bad;

    known->parameters = after->parameters + table->parameters;
    known->slots = after->slots + table->slots;
    known->mixed = after->mixed + table->mixed;
    return is_good ? STATUS_OK : memory_damaged(err, "the weights");
}

/* The sums are known without a pass over the arrays, and are what workers compare. */
void descent_show_guards(struct descent *descent)
{
    struct learner_guard *guards = descent->learner.guards;
    const struct descent_sums *sums = &descent->guard.arrays;

    guards[DESCENT_PARAMETERS] = (struct learner_guard){sums->parameters, sums->mixed, 0};
    guards[DESCENT_SLOTS] = (struct learner_guard){.sum = sums->slots};
    guards[DESCENT_BEST] = (struct learner_guard){.sum = sums->best};
}

/* ---- rows ---- */

enum status descent_verify_rows(void *self, uint64_t *position, uint64_t most, struct error *err)
{
    struct descent *descent = self;

    if (descent->rows.was_bad || (*position == 0 && !row_lanes_are_intact(&descent->rows)))
        return memory_damaged(err, "the order of the rows");
    return row_store_verify(descent->learner.dataset, position, most, err);
}
