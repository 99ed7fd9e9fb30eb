/*
 * learning.h - the learner as a worker sees it: a table of functions, so that
 * the simulator can put a small machine in its place.
 *
 * The functions are those of runtime/learn/learner.h, where each is explained.
 */
#ifndef RUNTIME_TRAIN_LEARNING_H
#define RUNTIME_TRAIN_LEARNING_H

#include "runtime/learn/learner.h"

#define DIGEST_BYTES 65 /* 64 hex digits, terminated */

struct learning {
    void *self;
    uint32_t (*lanes)(const void *self);
    const struct phase *(*phase)(const void *self);
    uint64_t (*steps_total)(const void *self);
    uint32_t (*contribute)(void *self, uint32_t first, uint32_t count, int64_t *integers,
                           int64_t *fixed);
    struct fixed_resolved (*resolve)(const void *self, const int64_t *fixed, uint32_t first,
                                     uint32_t count, float *reals);
    enum status (*apply)(void *self, const int64_t *integers, const float *reals,
                         struct learner_report *report, struct error *err);
    enum status (*state_head)(const void *self, struct text *head, struct error *err);
    uint64_t (*state_bytes)(const void *self);
    void (*state_read)(const void *self, uint64_t offset, size_t size, char *bytes);
    enum status (*take_begin)(void *self, struct slice head, uint64_t body_bytes,
                              struct error *err);
    void (*take_piece)(void *self, uint64_t offset, struct slice bytes);
    enum status (*take_end)(void *self, struct error *err);
    void (*take_abandon)(void *self);
    /* At PHASE_DONE: measures the model, some of it in a call, until it is done. */
    enum status (*measure)(void *self, bool *is_done, struct error *err);
    /* At PHASE_DONE and measured: the model's digest and metrics, and how many rows it learned
     * from. */
    enum status (*result)(const void *self, char digest[DIGEST_BYTES], uint64_t *rows,
                          struct result_metric metrics[LEARNER_METRICS_MAX], size_t *metric_count,
                          struct error *err);
    /* Some of its rows: model_write_some. `digest` as measured. */
    enum status (*publish)(const void *self, const char *digest, uint64_t *next, size_t bytes_max,
                           bool *is_at_end, model_row_sink *sink, void *context, struct error *err);
    /* Of memory that changes by itself, and of what the workers of a job have in common. */
    uint64_t (*fingerprint)(const void *self);
    uint64_t (*check)(const void *self);
    uint64_t (*contributed)(const void *self);
    enum status (*verify)(const void *self, struct error *err);
    enum status (*verify_used)(const void *self, struct error *err);
    enum status (*verify_rows)(void *self, uint64_t *position, uint64_t most, struct error *err);
    void (*restart)(void *self);
    /* For tests that invert a bit: a memory by its name. NULL: there is none. The function may be
     * NULL, too. */
    void *(*memory)(void *self, const char *name, size_t *size);
};

struct learning learning_of(struct learner *learner);

/* SHA-256 of what model_digest_feed covers, in hexadecimal. */
enum status model_digest(const struct model *model, char digest[DIGEST_BYTES], struct error *err);

#endif
