/*
 * learner_state.h - the state of a learner by pieces, whatever it learns.
 *
 *     head   magic, version, the job's fingerprint | what the learner puts | a hash of all of it
 *     body   the learner's arrays, one behind the other
 *
 * A learner lists its arrays; it puts progress and the body's hash into the head.
 */
#pragma once

#include "base/bytes.h"
#include "base/error.h"
#include "runtime/data/dataset/dataset.h"

/* ---- the body ---- */

struct state_array {
    void *start;
    uint64_t bytes; /* 0: there is none */
};

uint64_t state_arrays_bytes(const struct state_array *arrays, size_t count);
uint64_t state_arrays_hash(const struct state_array *arrays, size_t count);
/* The bytes [offset, offset + size) of the body; what lies behind its end is left alone. */
void state_arrays_read(const struct state_array *arrays, size_t count, uint64_t offset, size_t size,
                       char *bytes);
void state_arrays_write(const struct state_array *arrays, size_t count, uint64_t offset,
                        struct slice bytes);

/* ---- the head ---- */

/* Begins the head, which goes before the learner's part. Returns `start` for state_head_end. */
size_t state_head_begin(uint64_t fingerprint, struct text *head);
enum status state_head_end(struct text *head, size_t start, struct error *err);
/* `inside` is left at the learner's part. CORRUPT where it is cut, damaged, or of another job. */
enum status state_head_open(struct slice head, uint64_t fingerprint, struct byte_reader *inside,
                            struct error *err);
enum status state_corrupt(struct error *err, const char *what);

/* Rows, labels and their weights, for the fingerprint. */
void state_put_data(const struct dataset *dataset, struct text *out);
