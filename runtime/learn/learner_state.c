#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "learn/fixed_point.h"
#include "learn/learner_parts.h"

#define STATE_MAGIC       0x4e524c5454u /* "TTLRN" */
#define STATE_VERSION     1
#define FINGERPRINT_BYTES ((size_t)1 << 20)

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays are saved as they stand");

/* ---- the job's fingerprint ---- */

static void put_network(const struct network *network, struct text *out)
{
    put_u32(out, network->task);
    put_u32(out, network->activation);
    put_u32(out, network->dense_width);
    put_u32(out, network->id_count);
    put_u32(out, network->id_rows);
    put_u32(out, network->layer_count);
    for (uint32_t l = 0; l < network->layer_count; l++)
        put_u32(out, network->layers[l].width);
    put_f64(out, network->dropout);
}

static void put_plan(const struct learner *learner, struct text *out)
{
    const struct jobspec *spec = learner->spec;
    const struct optimizer *optimizer = &learner->optimizer;

    put_u64(out, spec->seed);
    put_u32(out, learner->lanes);
    put_u32(out, learner->batch);
    put_u32(out, spec->shuffle);
    put_u32(out, spec->early_stopping);
    put_u64(out, optimizer->steps);
    put_f64(out, spec->l1);
    put_f64(out, spec->l2);
    put_u32(out, optimizer->kind);
    put_u32(out, optimizer->schedule);
    put_f64(out, optimizer->learning_rate);
    put_f64(out, optimizer->momentum);
    put_f64(out, optimizer->beta1);
    put_f64(out, optimizer->beta2);
    put_f64(out, optimizer->epsilon);
    put_f64(out, optimizer->initial_accumulator);
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

enum status learner_fingerprint(const struct learner *learner, uint64_t *fingerprint,
                                struct error *err)
{
    struct text bytes;
    bool failed;

    text_init(&bytes, FINGERPRINT_BYTES);
    put_network(&learner->network, &bytes);
    put_plan(learner, &bytes);
    put_data(learner->dataset, &bytes);
    *fingerprint = hash_bytes(bytes.data, bytes.size, 0);
    failed = bytes.failed;
    text_deinit(&bytes);
    return failed ? fail_no_memory(err) : STATUS_OK;
}

/* ---- save ---- */

static void put_floats(struct text *out, const float *values, uint64_t count)
{
    if (values)
        text_append(out, (struct slice){(const char *)values, count * sizeof *values});
}

static void put_progress(const struct learner *learner, struct text *out)
{
    const struct progress *progress = &learner->progress;

    put_u64(out, progress->phase.number);
    put_u32(out, progress->phase.kind);
    put_u64(out, progress->phase.step);
    put_u8(out, progress->has_best);
    put_f64(out, progress->best_loss);
    put_u32(out, progress->evaluations_since_best);
    for (uint32_t t = 0; t < learner->network.tensor_count; t++)
        put_u32(out, (uint32_t)progress->exponents[t]);
}

enum status learner_save(const struct learner *learner, struct text *out, struct error *err)
{
    const uint64_t parameters = learner->network.parameter_count;
    const size_t before = out->size;

    put_u64(out, STATE_MAGIC);
    put_u32(out, STATE_VERSION);
    put_u64(out, learner->fingerprint);
    put_progress(learner, out);
    put_floats(out, learner->parameters, parameters);
    put_floats(out, learner->slots, learner_slot_count(learner));
    put_floats(out, learner->best, parameters);
    if (!out->failed)
        put_u64(out, hash_bytes(out->data + before, out->size - before, 0));
    if (out->failed)
        return fail(err, STATUS_LIMIT, "a learner's state does not fit into %zu bytes",
                    out->maximum);
    return STATUS_OK;
}

/* ---- load ---- */

static enum status corrupt(struct error *err, const char *what)
{
    return fail(err, STATUS_CORRUPT, "the learner's state is not usable: %s", what);
}

static enum status check_envelope(struct slice state, struct byte_reader *body, struct error *err)
{
    struct byte_reader end;
    struct slice hashed;

    if (state.size < sizeof(uint64_t))
        return corrupt(err, "it is cut short");
    hashed = (struct slice){state.data, state.size - sizeof(uint64_t)};
    end = byte_reader_over((struct slice){state.data + hashed.size, sizeof(uint64_t)});
    if (read_u64(&end) != hash_bytes(hashed.data, hashed.size, 0))
        return corrupt(err, "its checksum does not match its bytes");
    *body = byte_reader_over(hashed);
    return STATUS_OK;
}

static enum status check_header(const struct learner *learner, struct byte_reader *body,
                                struct error *err)
{
    const uint64_t magic = read_u64(body);
    const uint32_t version = read_u32(body);
    const uint64_t fingerprint = read_u64(body);

    if (body->failed || magic != STATE_MAGIC)
        return corrupt(err, "it is no learner's state");
    if (version != STATE_VERSION)
        return corrupt(err, "it has another version");
    if (fingerprint != learner->fingerprint)
        return corrupt(err, "it belongs to another job");
    return STATUS_OK;
}

static enum status read_progress(const struct learner *learner, struct byte_reader *body,
                                 struct progress *progress, struct error *err)
{
    uint32_t kind;
    uint8_t has_best;

    *progress = (struct progress){0};
    progress->phase.number = read_u64(body);
    kind = read_u32(body);
    progress->phase.step = read_u64(body);
    has_best = read_u8(body);
    progress->best_loss = read_f64(body);
    progress->evaluations_since_best = read_u32(body);
    for (uint32_t t = 0; t < learner->network.tensor_count; t++) {
        progress->exponents[t] = (int32_t)read_u32(body);
        if (progress->exponents[t] < -FIXED_EXPONENT_MAX ||
            progress->exponents[t] > FIXED_EXPONENT_MAX)
            return corrupt(err, "a scale is out of range");
    }
    progress->phase.kind = (enum phase_kind)kind;
    progress->has_best = has_best == 1;
    if (body->failed || kind > PHASE_DONE || has_best > 1 ||
        !learner_is_possible(learner, &progress->phase) || !isfinite(progress->best_loss))
        return corrupt(err, "its place in the job does not exist");
    learner_describe_phase(learner, &progress->phase);
    return STATUS_OK;
}

static void take_floats(struct byte_reader *body, float *values, uint64_t count)
{
    if (values && count)
        memcpy(values, read_bytes(body, count * sizeof *values).data, count * sizeof *values);
}

enum status learner_load(struct learner *learner, struct slice state, struct error *err)
{
    const uint64_t parameters = learner->network.parameter_count;
    const uint64_t floats =
        parameters + learner_slot_count(learner) + (learner->best ? parameters : 0);
    struct byte_reader body;
    struct progress progress;

    TRY(check_envelope(state, &body, err));
    TRY(check_header(learner, &body, err));
    TRY(read_progress(learner, &body, &progress, err));
    if ((uint64_t)(body.end - body.at) != floats * sizeof(float))
        return corrupt(err, "it has another size");
    learner->progress = progress;
    take_floats(&body, learner->parameters, parameters);
    learner->has_transposed = false;
    take_floats(&body, learner->slots, learner_slot_count(learner));
    take_floats(&body, learner->best, parameters);
    return STATUS_OK;
}
