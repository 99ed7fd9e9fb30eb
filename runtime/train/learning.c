#include "runtime/train/learning.h"

#include <stdio.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>

static uint32_t real_lanes(const void *self)
{
    return learner_lanes(self);
}

static const struct phase *real_phase(const void *self)
{
    return learner_phase(self);
}

static uint64_t real_steps_total(const void *self)
{
    return learner_steps_total(self);
}

static uint32_t real_contribute(void *self, uint32_t first, uint32_t count, int64_t *integers,
                                int64_t *fixed)
{
    return learner_contribute(self, first, count, integers, fixed);
}

static struct fixed_resolved real_resolve(const void *self, const int64_t *fixed, uint32_t first,
                                          uint32_t count, float *reals)
{
    return learner_resolve(self, fixed, first, count, reals);
}

static enum status real_apply(void *self, const int64_t *integers, const float *reals,
                              struct learner_report *report, struct error *err)
{
    return learner_apply(self, integers, reals, report, err);
}

static enum status real_state_head(const void *self, struct text *head, struct error *err)
{
    return learner_state_head(self, head, err);
}

static uint64_t real_state_bytes(const void *self)
{
    return learner_state_bytes(self);
}

static void real_state_read(const void *self, uint64_t offset, size_t size, char *bytes)
{
    learner_state_read(self, offset, size, bytes);
}

static enum status real_take_begin(void *self, struct slice head, uint64_t body_bytes,
                                   struct error *err)
{
    return learner_take_begin(self, head, body_bytes, err);
}

static void real_take_piece(void *self, uint64_t offset, struct slice bytes)
{
    learner_take_piece(self, offset, bytes);
}

static enum status real_take_end(void *self, struct error *err)
{
    return learner_take_end(self, err);
}

static void real_take_abandon(void *self)
{
    learner_take_abandon(self);
}

static enum status real_measure(void *self, bool *is_done, struct error *err)
{
    return learner_measure(self, is_done, err);
}

struct hash {
    EVP_MD_CTX *context;
    bool failed;
};

static void hash_update(void *context, const void *bytes, size_t size)
{
    struct hash *hash = context;

    if (!hash->failed && EVP_DigestUpdate(hash->context, bytes, size) != 1)
        hash->failed = true;
}

enum status model_digest(const struct model *model, char digest[DIGEST_BYTES], struct error *err)
{
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    struct hash hash = {NULL, false};

    /* Where it could not allocate its own state OpenSSL 3.0 would follow a null pointer. */
    if (!OSSL_LIB_CTX_get0_global_default())
        return fail_no_memory(err);
    hash.context = EVP_MD_CTX_new();
    if (!hash.context || EVP_DigestInit_ex(hash.context, EVP_sha256(), NULL) != 1) {
        EVP_MD_CTX_free(hash.context);
        return fail_no_memory(err);
    }
    model_digest_feed(model, hash_update, &hash);
    if (EVP_DigestFinal_ex(hash.context, bytes, &size) != 1)
        hash.failed = true;
    EVP_MD_CTX_free(hash.context);
    if (hash.failed)
        return fail(err, STATUS_FAILED, "cannot compute the model's SHA-256");
    for (unsigned int i = 0; i < size && i < 32; i++)
        snprintf(digest + (size_t)2 * i, 3, "%02x", bytes[i]);
    return STATUS_OK;
}

static enum status real_result(const void *self, char digest[DIGEST_BYTES], uint64_t *rows,
                               struct result_metric metrics[LEARNER_METRICS_MAX],
                               size_t *metric_count, struct error *err)
{
    struct model model;

    TRY(learner_export(self, &model, metrics, metric_count, err));
    *rows = model.rows;
    return model_digest(&model, digest, err);
}

static enum status real_publish(const void *self, const char *digest, uint64_t *next,
                                size_t bytes_max, bool *is_at_end, model_row_sink *sink,
                                void *context, struct error *err)
{
    struct model model;

    learner_fill_model(self, &model);
    model.digest = slice_of(digest);
    return model_write_some(&model, next, bytes_max, is_at_end, sink, context, err);
}

static uint64_t real_fingerprint(const void *self)
{
    return learner_fingerprint_of(self);
}

static uint64_t real_check(const void *self)
{
    return learner_check(self);
}

static uint64_t real_contributed(const void *self)
{
    return learner_contributed(self);
}

static enum status real_verify(const void *self, struct error *err)
{
    return learner_verify(self, err);
}

static enum status real_verify_used(const void *self, struct error *err)
{
    return learner_verify_used(self, err);
}

static enum status real_verify_rows(void *self, uint64_t *position, uint64_t most,
                                    struct error *err)
{
    return learner_verify_rows(self, position, most, err);
}

static void real_restart(void *self)
{
    learner_restart(self);
}

static void *real_memory(void *self, const char *name, size_t *size)
{
    return learner_memory(self, name, size);
}

struct learning learning_of(struct learner *learner)
{
    return (struct learning){
        .self = learner,
        .lanes = real_lanes,
        .phase = real_phase,
        .steps_total = real_steps_total,
        .contribute = real_contribute,
        .resolve = real_resolve,
        .apply = real_apply,
        .state_head = real_state_head,
        .state_bytes = real_state_bytes,
        .state_read = real_state_read,
        .take_begin = real_take_begin,
        .take_piece = real_take_piece,
        .take_end = real_take_end,
        .take_abandon = real_take_abandon,
        .measure = real_measure,
        .result = real_result,
        .publish = real_publish,
        .fingerprint = real_fingerprint,
        .check = real_check,
        .contributed = real_contributed,
        .verify = real_verify,
        .verify_used = real_verify_used,
        .verify_rows = real_verify_rows,
        .restart = real_restart,
        .memory = real_memory,
    };
}
