/*
 * store.h - the job's store as the simulator plays it: what is in it survives
 * everybody's end.
 *
 * The claim, the job's row, metrics by their key, results by their name, and one checkpoint beside
 * the pieces of the next. Calls for checkpoints may fail, a checkpoint may be
 * damaged while no process runs: some damage the checksums see, some only the
 * learner.
 */
#pragma once

#include "runtime/learn/learning.h"
#include "runtime/role/outbox.h"

struct store {
    uint32_t incarnation; /* the master that leads; others are stale */
    bool has_job;
    struct job_row job;
    struct metric_row *metrics;
    uint32_t metric_count;
    struct result_row results[LEARNER_METRICS_MAX]; /* (result_count) */
    size_t result_count;
    struct checkpoint whole; /* phase 0: none */
    struct text whole_bytes;
    bool is_damaged;         /* the checksums do not fit */
    struct checkpoint older; /* the one before; phase 0: none */
    struct text older_bytes;
    bool older_is_damaged;
    bool was_damaged; /* ever */
    uint64_t partial_id;
    struct text partial_bytes;
};

void store_init(struct store *store);
void store_deinit(struct store *store);

/* False: another value is there under the same key. */
bool store_put_metric(struct store *store, const struct metric_row *metric);
/* Puts a result like the job's store: said again, it takes the place of the one before. */
void store_put_result(struct store *store, const struct result_row *result);
uint64_t store_count_evaluations(const struct store *store);

enum status store_put_piece(struct store *store, struct slice bytes, struct error *err);
enum status store_finish(struct store *store, struct slice bytes, struct error *err);
void store_drop(struct store *store);
/* Keeps the checkpoint of this id, and drops the other one. */
void store_keep(struct store *store, uint64_t id);
enum status store_read_piece(void *store, const struct checkpoint *checkpoint, uint64_t position,
                             struct text *out, struct error *err);
/* Damage that shows when a piece is read, or when the learner looks. */
/* False: there is no checkpoint to damage. */
bool store_damage(struct store *store, uint64_t where, bool shows_early);
