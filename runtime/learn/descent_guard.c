#include "runtime/learn/descent_guard.h"

#include <string.h>

#include "base/hash.h"
#include "base/words.h"
#include "runtime/data/row_store.h"
#include "runtime/learn/descent_table.h"

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

enum status descent_verify_used(const void *self, const struct touched_rows *rows,
                                struct error *err)
{
    const struct descent *descent = self;

    if (!has_good_weights(descent, rows == NULL) || !has_good_copy(descent) ||
        (rows && !descent_table_is_intact(descent, rows)))
        return memory_damaged(err, "the weights");
    return STATUS_OK;
}

enum status descent_verify(const void *self, struct error *err)
{
    const struct descent *descent = self;
    const bool is_taking = descent->taking.is_active && descent->taking.in_place;
    const struct descent_sums now = sum_arrays(descent);

    if (is_taking)
        return STATUS_OK; /* another state is being written over that of the beginning */
    if (memcmp(&now, &descent->guard.arrays, sizeof now) != 0 || !has_good_copy(descent))
        return memory_damaged(err, "the weights");
    return STATUS_OK;
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

/* ---- what all workers must have in common ---- */

uint64_t descent_fingerprint(const void *self)
{
    const struct descent *descent = self;

    return descent->fingerprint;
}

uint64_t descent_check(const void *self)
{
    const struct descent *descent = self;
    const struct progress *progress = &descent->progress;
    struct {
        uint64_t number, step, kind, has_best, evaluations, rise_count;
        double best_loss, last_loss, rises;
        struct descent_sums arrays;
    } all;
    uint64_t hash;

    memset(&all, 0, sizeof all);
    all.number = progress->phase.number;
    all.step = progress->phase.step;
    all.kind = progress->phase.kind;
    all.has_best = progress->has_best;
    all.evaluations = progress->evaluations_since_best;
    all.rise_count = progress->rise_count;
    all.best_loss = progress->best_loss;
    all.last_loss = progress->last_loss;
    all.rises = progress->rises;
    all.arrays = descent->guard.arrays;
    hash = bytes_hash(&all, sizeof all, descent->fingerprint);
    return bytes_hash(progress->exponents,
                      descent->model.tensor_count * sizeof *progress->exponents, hash);
}

uint64_t descent_waited_ms(const void *self)
{
    const struct descent *descent = self;

    return dataset_waited_ms(descent->dataset);
}

struct learner_course descent_course(const void *self)
{
    const struct descent *descent = self;
    const bool are_here = !row_store_expects(descent->dataset);

    return (struct learner_course){are_here ? 0 : descent->steps_per_epoch, descent->rows.buckets};
}

uint64_t descent_contributed(const void *self)
{
    const struct descent *descent = self;

    return descent->guard.contributed;
}

/* ---- rows ---- */

enum status descent_verify_rows(void *self, uint64_t *position, uint64_t most, struct error *err)
{
    struct descent *descent = self;

    if (descent->rows.was_bad || (*position == 0 && !row_lanes_are_intact(&descent->rows)))
        return memory_damaged(err, "the order of the rows");
    return row_store_verify(descent->dataset, position, most, err);
}
