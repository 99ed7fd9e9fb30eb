#include "runtime/learn/descent_state.h"

#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "jobspec/jobspec_fingerprint.h"
#include "runtime/learn/descent_guard.h"
#include "runtime/learn/descent_table.h"
#include "runtime/learn/fixed_point.h"
#include "runtime/learn/learner_state.h"

#define FINGERPRINT_BYTES ((size_t)1 << 20)

/* ---- the job's fingerprint ---- */

/* What the job makes of its settings once its rows are known. */
static void put_plan(const struct descent *descent, struct text *out)
{
    put_u32(out, descent->lanes);
    put_u32(out, descent->batch);
    put_u64(out, descent->optimizer.steps);
    if (descent->chooses_best)
        put_u8(out, descent->keeps_best);
}

enum status descent_compute_fingerprint(const struct descent *descent, uint64_t *fingerprint,
                                        struct error *err)
{
    struct text bytes;
    bool failed;

    text_init(&bytes, FINGERPRINT_BYTES);
    descent->model.put_shape(descent->model.self, &bytes);
    jobspec_put_settings(descent->spec, &bytes);
    put_plan(descent, &bytes);
    state_put_data(descent->dataset, &bytes);
    *fingerprint = bytes_hash(bytes.data, bytes.size, 0);
    failed = bytes.failed;
    text_deinit(&bytes);
    return failed ? fail_no_memory(err) : STATUS_OK;
}

/* ---- the body ---- */

#define ARRAYS 4

static void list_arrays(const struct descent *descent, const struct descent_arrays *arrays,
                        struct state_array list[ARRAYS])
{
    const uint64_t parameters = descent->model.parameter_count * sizeof(float);

    list[0] = (struct state_array){arrays->parameters, parameters};
    list[1] = (struct state_array){arrays->slots, descent_slot_count(descent) * sizeof(float)};
    list[2] = (struct state_array){arrays->best, arrays->best ? parameters : 0};
    list[3] = (struct state_array){arrays->row_steps,
                                   descent_table_rows(descent) * sizeof *arrays->row_steps};
}

static uint64_t hash_arrays(const struct descent *descent, const struct descent_arrays *arrays)
{
    struct state_array list[ARRAYS];

    list_arrays(descent, arrays, list);
    return state_arrays_hash(list, ARRAYS);
}

uint64_t descent_state_bytes(const void *self)
{
    const struct descent *descent = self;
    struct state_array list[ARRAYS];

    list_arrays(descent, &descent->arrays, list);
    return state_arrays_bytes(list, ARRAYS);
}

void descent_state_read(const void *self, uint64_t offset, size_t size, char *bytes)
{
    const struct descent *descent = self;
    struct state_array list[ARRAYS];

    list_arrays(descent, &descent->arrays, list);
    state_arrays_read(list, ARRAYS, offset, size, bytes);
}

/* ---- the head ---- */

static void put_progress(const struct descent *descent, struct text *out)
{
    const struct progress *progress = &descent->progress;

    put_u64(out, progress->phase.number);
    put_u32(out, progress->phase.kind);
    put_u64(out, progress->phase.step);
    put_u8(out, progress->has_best);
    put_f64(out, progress->best_loss);
    put_f64(out, progress->last_loss);
    put_f64(out, progress->rises);
    put_u32(out, progress->rise_count);
    put_u32(out, progress->evaluations_since_best);
    put_u64(out, progress->cool_from);
    put_u64(out, progress->stopped_at);
    for (uint32_t t = 0; t < descent->model.tensor_count; t++)
        put_u32(out, (uint32_t)progress->exponents[t]);
}

enum status descent_state_head(const void *self, struct text *head, struct error *err)
{
    const struct descent *descent = self;
    const size_t start = state_head_begin(descent->fingerprint, head);

    put_progress(descent, head);
    put_u64(head, hash_arrays(descent, &descent->arrays));
    return state_head_end(head, start, err);
}

static enum status read_progress(const struct descent *descent, struct byte_reader *head,
                                 struct progress *progress, struct error *err)
{
    uint32_t kind;
    uint8_t has_best;

    *progress = (struct progress){0};
    progress->phase.number = read_u64(head);
    kind = read_u32(head);
    progress->phase.step = read_u64(head);
    has_best = read_u8(head);
    progress->best_loss = read_f64(head);
    progress->last_loss = read_f64(head);
    progress->rises = read_f64(head);
    progress->rise_count = read_u32(head);
    progress->evaluations_since_best = read_u32(head);
    progress->cool_from = read_u64(head);
    progress->stopped_at = read_u64(head);
    for (uint32_t t = 0; t < descent->model.tensor_count; t++) {
        progress->exponents[t] = (int32_t)read_u32(head);
        if (progress->exponents[t] < -FIXED_EXPONENT_MAX ||
            progress->exponents[t] > FIXED_EXPONENT_MAX)
            return state_corrupt(err, "a scale is out of range");
    }
    progress->phase.kind = (enum phase_kind)kind;
    progress->has_best = has_best == 1;
    if (head->failed || kind > PHASE_DONE || has_best > 1 ||
        !descent_is_possible(descent, progress) || !isfinite(progress->best_loss) ||
        !isfinite(progress->last_loss) || !(progress->rises >= 0))
        return state_corrupt(err, "its place in the job does not exist");
    descent_describe_phase(descent, &progress->phase);
    return STATUS_OK;
}

/* ---- taking ---- */

enum status descent_take_begin(void *self, struct slice head, uint64_t body_bytes,
                               struct error *err)
{
    struct descent *descent = self;
    struct descent_taking *taking = &descent->taking;
    struct byte_reader reader;

    descent_take_abandon(descent);
    TRY(state_head_open(head, descent->fingerprint, &reader, err));
    TRY(read_progress(descent, &reader, &taking->progress, err));
    taking->body_hash = read_u64(&reader);
    if (!reader_is_done(&reader) || body_bytes != descent_state_bytes(descent))
        return state_corrupt(err, "it has another size");
    taking->in_place = descent->progress.phase.number == 0;
    if (taking->in_place)
        taking->arrays = descent->arrays;
    else
        TRY(descent_arrays_init(descent, &taking->arrays, err));
    taking->is_active = true;
    return STATUS_OK;
}

void descent_take_piece(void *self, uint64_t offset, struct slice bytes)
{
    struct descent *descent = self;
    struct state_array list[ARRAYS];

    if (!descent->taking.is_active)
        return;
    list_arrays(descent, &descent->taking.arrays, list);
    state_arrays_write(list, ARRAYS, offset, bytes);
}

enum status descent_take_end(void *self, struct error *err)
{
    struct descent *descent = self;
    struct descent_taking *taking = &descent->taking;

    if (!taking->is_active)
        return state_corrupt(err, "it has no head");
    if (hash_arrays(descent, &taking->arrays) != taking->body_hash) {
        descent_take_abandon(descent);
        return state_corrupt(err, "its checksum does not match its bytes");
    }
    if (!taking->in_place)
        descent_arrays_deinit(descent, &descent->arrays);
    descent->progress = taking->progress;
    descent_follow_progress(descent);
    descent_use_arrays(descent, taking->arrays);
    descent_guard_arrays(descent);
    *taking = (struct descent_taking){.is_active = false};
    return STATUS_OK;
}

void descent_take_abandon(void *self)
{
    struct descent *descent = self;
    struct descent_taking *taking = &descent->taking;

    if (!taking->is_active)
        return;
    if (taking->in_place)
        descent_start(descent);
    else
        descent_arrays_deinit(descent, &taking->arrays);
    *taking = (struct descent_taking){.is_active = false};
}

/* ---- weights that were learned elsewhere ---- */

void descent_take_weights(void *self, uint64_t first, const float *values, uint64_t count)
{
    struct descent *descent = self;

    memcpy(descent->arrays.parameters + first, values, count * sizeof *values);
}

void descent_end_learning(void *self)
{
    struct descent *descent = self;
    struct phase *phase = &descent->progress.phase;

    *phase = (struct phase){.number = descent->planned_steps, .step = descent->planned_steps};
    phase->kind = descent->dataset->validation.rows > 0 ? PHASE_EVALUATION : PHASE_DONE;
    descent_describe_phase(descent, phase);
    descent->has_derived = false;
    descent_guard_arrays(descent);
}
