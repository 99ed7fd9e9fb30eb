#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "jobspec/jobspec_fingerprint.h"
#include "runtime/learn/descent_parts.h"
#include "runtime/learn/fixed_point.h"

#define STATE_MAGIC       0x4e524c5454u /* "TTLRN" */
#define STATE_VERSION     4
#define FINGERPRINT_BYTES ((size_t)1 << 20)

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays are saved as they stand");

/* ---- the job's fingerprint ---- */

/* What the job makes of its settings once its rows are known. */
static void put_plan(const struct descent *descent, struct text *out)
{
    put_u32(out, descent->lanes);
    put_u32(out, descent->batch);
    put_u64(out, descent->optimizer.steps);
}

static void put_part(const struct dataset_part *part, struct text *out)
{
    put_u32(out, part->rows);
    put_u64(out, part->rows ? hash_bytes(part->hashes, part->rows * sizeof *part->hashes, 0) : 0);
}

static void put_data(const struct dataset *dataset, struct text *out)
{
    put_part(&dataset->train, out);
    put_part(&dataset->validation, out);
    put_f64(out, dataset->label_mean);
    put_f64(out, dataset->label_scale);
    put_u32(out, dataset->labels.count);
    for (uint32_t i = 0; dataset->class_weights && i < dataset->labels.count; i++)
        put_f64(out, (double)dataset->class_weights[i]);
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
    put_data(descent->dataset, &bytes);
    *fingerprint = hash_bytes(bytes.data, bytes.size, 0);
    failed = bytes.failed;
    text_deinit(&bytes);
    return failed ? fail_no_memory(err) : STATUS_OK;
}

/* ---- the arrays as one run of bytes ---- */

#define ARRAYS 3

static uint64_t list_arrays(const struct descent *descent, const struct descent_arrays *arrays,
                            char *starts[ARRAYS], uint64_t sizes[ARRAYS])
{
    const uint64_t parameters = descent->model.parameter_count * sizeof(float);

    starts[0] = (char *)arrays->parameters;
    starts[1] = (char *)arrays->slots;
    starts[2] = (char *)arrays->best;
    sizes[0] = parameters;
    sizes[1] = descent_slot_count(descent) * sizeof(float);
    sizes[2] = arrays->best ? parameters : 0;
    return sizes[0] + sizes[1] + sizes[2];
}

uint64_t descent_state_bytes(const void *self)
{
    const struct descent *descent = self;
    char *starts[ARRAYS];
    uint64_t sizes[ARRAYS];

    return list_arrays(descent, &descent->arrays, starts, sizes);
}

static uint64_t hash_arrays(const struct descent *descent, const struct descent_arrays *arrays)
{
    char *starts[ARRAYS];
    uint64_t sizes[ARRAYS], hash = 0;

    list_arrays(descent, arrays, starts, sizes);
    for (int i = 0; i < ARRAYS; i++)
        if (sizes[i] > 0)
            hash = hash_bytes(starts[i], sizes[i], hash);
    return hash;
}

/* The part of [offset, offset + size) that lies in an array that begins there. */
struct overlap {
    uint64_t in_array, in_run;
    size_t size;
};

static struct overlap overlap_of(uint64_t begin, uint64_t bytes, uint64_t offset, size_t size)
{
    const uint64_t from = offset > begin ? offset : begin;
    const uint64_t to = offset + size < begin + bytes ? offset + size : begin + bytes;

    if (from >= to)
        return (struct overlap){0, 0, 0};
    return (struct overlap){from - begin, from - offset, (size_t)(to - from)};
}

void descent_state_read(const void *self, uint64_t offset, size_t size, char *bytes)
{
    const struct descent *descent = self;
    char *starts[ARRAYS];
    uint64_t sizes[ARRAYS], begin = 0;

    list_arrays(descent, &descent->arrays, starts, sizes);
    for (int i = 0; i < ARRAYS; begin += sizes[i++]) {
        const struct overlap part = overlap_of(begin, sizes[i], offset, size);

        if (part.size > 0)
            memcpy(bytes + part.in_run, starts[i] + part.in_array, part.size);
    }
}

static void write_arrays(const struct descent *descent, const struct descent_arrays *arrays,
                         uint64_t offset, struct slice bytes)
{
    char *starts[ARRAYS];
    uint64_t sizes[ARRAYS], begin = 0;

    list_arrays(descent, arrays, starts, sizes);
    for (int i = 0; i < ARRAYS; begin += sizes[i++]) {
        const struct overlap part = overlap_of(begin, sizes[i], offset, bytes.size);

        if (part.size > 0)
            memcpy(starts[i] + part.in_array, bytes.data + part.in_run, part.size);
    }
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
    put_u32(out, progress->evaluations_since_best);
    put_u64(out, progress->cool_from);
    for (uint32_t t = 0; t < descent->model.tensor_count; t++)
        put_u32(out, (uint32_t)progress->exponents[t]);
}

enum status descent_state_head(const void *self, struct text *head, struct error *err)
{
    const struct descent *descent = self;
    const size_t before = head->size;

    put_u64(head, STATE_MAGIC);
    put_u32(head, STATE_VERSION);
    put_u64(head, descent->fingerprint);
    put_progress(descent, head);
    put_u64(head, hash_arrays(descent, &descent->arrays));
    if (!head->failed)
        put_u64(head, hash_bytes(head->data + before, head->size - before, 0));
    return head->failed ? fail_no_memory(err) : STATUS_OK;
}

static enum status corrupt(struct error *err, const char *what)
{
    return fail(err, STATUS_CORRUPT, "the learner's state is not usable: %s", what);
}

static enum status check_envelope(struct slice head, struct byte_reader *inside, struct error *err)
{
    struct byte_reader end;
    struct slice hashed;

    if (head.size < sizeof(uint64_t))
        return corrupt(err, "it is cut short");
    hashed = (struct slice){head.data, head.size - sizeof(uint64_t)};
    end = byte_reader_over((struct slice){head.data + hashed.size, sizeof(uint64_t)});
    if (read_u64(&end) != hash_bytes(hashed.data, hashed.size, 0))
        return corrupt(err, "its checksum does not match its bytes");
    *inside = byte_reader_over(hashed);
    return STATUS_OK;
}

static enum status check_identity(const struct descent *descent, struct byte_reader *head,
                                  struct error *err)
{
    const uint64_t magic = read_u64(head);
    const uint32_t version = read_u32(head);
    const uint64_t fingerprint = read_u64(head);

    if (head->failed || magic != STATE_MAGIC)
        return corrupt(err, "it is no learner's state");
    if (version != STATE_VERSION)
        return corrupt(err, "another version of totrain wrote it");
    if (fingerprint != descent->fingerprint)
        return corrupt(err, "it belongs to another job");
    return STATUS_OK;
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
    progress->evaluations_since_best = read_u32(head);
    progress->cool_from = read_u64(head);
    for (uint32_t t = 0; t < descent->model.tensor_count; t++) {
        progress->exponents[t] = (int32_t)read_u32(head);
        if (progress->exponents[t] < -FIXED_EXPONENT_MAX ||
            progress->exponents[t] > FIXED_EXPONENT_MAX)
            return corrupt(err, "a scale is out of range");
    }
    progress->phase.kind = (enum phase_kind)kind;
    progress->has_best = has_best == 1;
    if (head->failed || kind > PHASE_DONE || has_best > 1 ||
        !descent_is_possible(descent, progress) || !isfinite(progress->best_loss))
        return corrupt(err, "its place in the job does not exist");
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
    TRY(check_envelope(head, &reader, err));
    TRY(check_identity(descent, &reader, err));
    TRY(read_progress(descent, &reader, &taking->progress, err));
    taking->body_hash = read_u64(&reader);
    if (!reader_is_done(&reader) || body_bytes != descent_state_bytes(descent))
        return corrupt(err, "it has another size");
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

    if (descent->taking.is_active)
        write_arrays(descent, &descent->taking.arrays, offset, bytes);
}

enum status descent_take_end(void *self, struct error *err)
{
    struct descent *descent = self;
    struct descent_taking *taking = &descent->taking;

    if (!taking->is_active)
        return corrupt(err, "it has no head");
    if (hash_arrays(descent, &taking->arrays) != taking->body_hash) {
        descent_take_abandon(descent);
        return corrupt(err, "its checksum does not match its bytes");
    }
    if (!taking->in_place)
        descent_arrays_deinit(&descent->arrays);
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
        descent_arrays_deinit(&taking->arrays);
    *taking = (struct descent_taking){.is_active = false};
}
