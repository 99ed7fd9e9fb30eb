#include "tests/sim/oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

struct checked {
    struct learning inner;
    const struct oracle *oracle;
    bool allows_damage, is_spoiled;
    bool is_starved; /* the next apply finds no memory */
};

static uint64_t bytes_hash(uint64_t hash, struct slice bytes)
{
    hash = random_bits(hash, RANDOM_SIMULATION, bytes.size, 7);
    for (size_t at = 0; at < bytes.size; at += 8) {
        uint64_t word = 0;
        size_t size = bytes.size - at < 8 ? bytes.size - at : 8;

        memcpy(&word, bytes.data + at, size);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

uint64_t oracle_add_row(uint64_t hash, struct slice part, struct slice name, int64_t position,
                        struct slice data)
{
    hash = bytes_hash(hash, part);
    hash = bytes_hash(hash, name);
    hash = random_bits(hash, RANDOM_SIMULATION, (uint64_t)position, 8);
    return bytes_hash(hash, data);
}

static uint64_t hash_state(const struct learning *learning)
{
    const uint64_t size = learning->state_bytes(learning->self);
    char *body = malloc(size + 1);
    struct text head;
    struct error err;
    uint64_t hash;

    text_init(&head, TEXT_MAXIMUM);
    if (!body || learning->state_head(learning->self, &head, &err) != STATUS_OK)
        abort();
    learning->state_read(learning->self, 0, size, body);
    hash = bytes_hash(bytes_hash(1, text_slice(&head)), (struct slice){body, size});
    text_deinit(&head);
    free(body);
    return hash;
}

static void note_state(struct oracle *oracle, const struct learning *learning)
{
    oracle->states = realloc(oracle->states, (oracle->phases + 1) * sizeof *oracle->states);
    if (!oracle->states)
        abort();
    oracle->states[oracle->phases++] = hash_state(learning);
}

static enum status hash_row(void *context, const struct model_row *row, struct error *err)
{
    uint64_t *hash = context;
    (void)err;

    *hash = oracle_add_row(*hash, row->part, row->name, row->position, row->data);
    return STATUS_OK;
}

static void compute_lanes(const struct learning *learning, int64_t *integers, int64_t *sums,
                          struct touched_rows *rows)
{
    const uint32_t lanes = learning->lanes(learning->self);
    struct error err;

    for (uint32_t first = 0, done; first < lanes; first += done)
        if (learning->contribute(learning->self, first, lanes - first, integers, sums, rows, &done,
                                 &err) != STATUS_OK) {
            fprintf(stderr, "the undisturbed run fails: %s\n", err.message);
            abort();
        }
}

/* All lanes of one phase in one place. */
static bool compute_phase(struct oracle *oracle, const struct learning *learning)
{
    const struct phase *phase = learning->phase(learning->self);
    int64_t *integers = calloc(phase->integer_count + 1u, sizeof *integers);
    int64_t *sums = calloc(phase_elements(phase) + 1u, sizeof *sums);
    float *reals = calloc(phase_elements(phase) + 1u, sizeof *reals);
    struct touched_rows rows = {.rows = NULL};
    struct learner_report report = {.evaluated = false};
    struct error err;
    bool goes_on = phase->kind != PHASE_DONE;

    const struct phase_totals totals = {integers, sums, reals, &rows};

    if (!integers || !sums || !reals ||
        touched_rows_make(&rows, phase->table.rows, &err) != STATUS_OK)
        abort();
    if (goes_on) {
        compute_lanes(learning, integers, sums, &rows);
        if (learning->resolve)
            learning->resolve(learning->self, sums + phase->owned_count, 0,
                              phase->real_count + rows.count * phase->table.width, reals);
        if (learning->apply(learning->self, &totals, &report, &err) != STATUS_OK) {
            fprintf(stderr, "the undisturbed run fails: %s\n", err.message);
            abort();
        }
        oracle->records += report.evaluated;
    }
    free(integers);
    free(sums);
    free(reals);
    touched_rows_deinit(&rows);
    return goes_on;
}

/* The run is told to end before the phase with this number; UINT64_MAX: it is not. */
static struct oracle run_undisturbed(const struct subject *subject, uint64_t told_at)
{
    struct oracle oracle = {.states = NULL};
    struct learning learning = subject->open(subject->context);
    uint64_t rows, next = 0;
    bool is_measured, is_at_end;
    enum status status;
    struct error err;

    for (uint32_t done = 0, lanes = learning.lanes(learning.self);
         learning.lane_open && done < lanes;)
        done = learning.lane_open(learning.self, 0, lanes, done);
    do {
        if (learning.phase(learning.self)->number == told_at)
            learning.end_soon(learning.self);
        note_state(&oracle, &learning);
    } while (compute_phase(&oracle, &learning));
    do
        status = learning.measure(learning.self, &is_measured, &err);
    while (status == STATUS_OK && !is_measured);
    if (learning.result(learning.self, oracle.digest, &rows, oracle.results, &oracle.result_count,
                        &err) != STATUS_OK ||
        learning.publish(learning.self, oracle.digest, &next, SIZE_MAX, &is_at_end, hash_row,
                         &oracle.model, &err) != STATUS_OK ||
        !is_at_end) {
        fprintf(stderr, "the undisturbed run cannot publish: %s\n", err.message);
        abort();
    }
    subject->close(subject->context, learning);
    return oracle;
}

struct oracle oracle_new(const struct subject *subject)
{
    struct oracle oracle = run_undisturbed(subject, UINT64_MAX);

    if (!subject->ends_by_time)
        return oracle;
    oracle.stopped = calloc(oracle.phases, sizeof *oracle.stopped);
    if (!oracle.stopped)
        abort();
    for (; oracle.stopped_count < oracle.phases; oracle.stopped_count++)
        oracle.stopped[oracle.stopped_count] = run_undisturbed(subject, oracle.stopped_count);
    return oracle;
}

void oracle_free(struct oracle *oracle)
{
    for (uint64_t i = 0; i < oracle->stopped_count; i++)
        free(oracle->stopped[i].states);
    free(oracle->stopped);
    free(oracle->states);
}

const struct oracle *oracle_of_model(const struct oracle *oracle, uint64_t model)
{
    if (oracle->model == model)
        return oracle;
    for (uint64_t i = 0; i < oracle->stopped_count; i++)
        if (oracle->stopped[i].model == model)
            return &oracle->stopped[i];
    return NULL;
}

static bool has_state(const struct oracle *oracle, uint64_t number, uint64_t hash)
{
    if (number < oracle->phases && oracle->states[number] == hash)
        return true;
    for (uint64_t i = 0; i < oracle->stopped_count; i++)
        if (has_state(&oracle->stopped[i], number, hash))
            return true;
    return false;
}

static enum status compare(struct checked *checked, struct error *err)
{
    uint64_t number = checked->inner.phase(checked->inner.self)->number;

    if (checked->allows_damage)
        return STATUS_OK;
    if (!has_state(checked->oracle, number, hash_state(&checked->inner)))
        return fail(err, STATUS_FAILED, "the state before phase %llu is not the undisturbed one",
                    (unsigned long long)number);
    return STATUS_OK;
}

static uint32_t checked_lanes(const void *self)
{
    const struct checked *checked = self;
    return checked->inner.lanes(checked->inner.self);
}

static uint32_t checked_elements_most(const void *self)
{
    const struct checked *checked = self;
    return checked->inner.elements_most(checked->inner.self);
}

static const struct phase *checked_phase(const void *self)
{
    const struct checked *checked = self;
    return checked->inner.phase(checked->inner.self);
}

static uint64_t checked_steps(const void *self)
{
    const struct checked *checked = self;
    return checked->inner.steps_total(checked->inner.self);
}

static uint32_t checked_epochs(const void *self)
{
    const struct checked *checked = self;
    return checked->inner.epochs_total(checked->inner.self);
}

static uint32_t checked_lane_open(void *self, uint32_t first, uint32_t count, uint32_t done)
{
    struct checked *checked = self;
    return checked->inner.lane_open(checked->inner.self, first, count, done);
}

static enum status checked_contribute(void *self, uint32_t first, uint32_t count, int64_t *integers,
                                      int64_t *fixed, struct touched_rows *rows, uint32_t *done,
                                      struct error *err)
{
    struct checked *checked = self;
    return checked->inner.contribute(checked->inner.self, first, count, integers, fixed, rows, done,
                                     err);
}

static struct fixed_resolved checked_resolve(const void *self, const int64_t *fixed, uint32_t first,
                                             uint32_t count, float *reals)
{
    const struct checked *checked = self;
    return checked->inner.resolve(checked->inner.self, fixed, first, count, reals);
}

static enum status checked_apply(void *self, const struct phase_totals *totals,
                                 struct learner_report *report, struct error *err)
{
    struct checked *checked = self;

    if (checked->is_starved)
        return fail_no_memory(err);
    TRY(checked->inner.apply(checked->inner.self, totals, report, err));
    if (checked->is_spoiled) {
        size_t size;

        *(uint64_t *)checked->inner.memory(checked->inner.self, "computed", &size) ^= 4;
    }
    checked->is_spoiled = false;
    return compare(checked, err);
}

static enum status checked_state_head(const void *self, struct text *head, struct error *err)
{
    const struct checked *checked = self;
    return checked->inner.state_head(checked->inner.self, head, err);
}

static uint64_t checked_state_bytes(const void *self)
{
    const struct checked *checked = self;
    return checked->inner.state_bytes(checked->inner.self);
}

static void checked_state_read(const void *self, uint64_t offset, size_t size, char *bytes)
{
    const struct checked *checked = self;
    checked->inner.state_read(checked->inner.self, offset, size, bytes);
}

static enum status checked_take_begin(void *self, struct slice head, uint64_t body_bytes,
                                      struct error *err)
{
    struct checked *checked = self;
    return checked->inner.take_begin(checked->inner.self, head, body_bytes, err);
}

static void checked_take_piece(void *self, uint64_t offset, struct slice bytes)
{
    struct checked *checked = self;
    checked->inner.take_piece(checked->inner.self, offset, bytes);
}

static enum status checked_take_end(void *self, struct error *err)
{
    struct checked *checked = self;
    uint64_t before = checked->inner.phase(checked->inner.self)->number;

    TRY(checked->inner.take_end(checked->inner.self, err));
    if (checked->inner.phase(checked->inner.self)->number <= before)
        return fail(err, STATUS_CORRUPT, "a worker at phase %llu goes back",
                    (unsigned long long)before);
    return compare(checked, err);
}

/* Abandons the taken state, and checks that no trace of it is left. */
static void checked_take_abandon(void *self)
{
    struct checked *checked = self;
    struct error err;

    checked->inner.take_abandon(checked->inner.self);
    error_clear(&err);
    if (compare(checked, &err) != STATUS_OK) {
        fprintf(stderr, "%s after a state was abandoned\n", err.message);
        abort();
    }
}

static enum status checked_measure(void *self, bool *is_done, struct error *err)
{
    struct checked *checked = self;
    return checked->inner.measure(checked->inner.self, is_done, err);
}

static uint64_t checked_fingerprint(const void *self)
{
    const struct checked *checked = self;
    return checked->inner.fingerprint(checked->inner.self);
}

static uint64_t checked_check(const void *self)
{
    const struct checked *checked = self;
    return checked->inner.check(checked->inner.self);
}

static uint64_t checked_waited_ms(const void *self)
{
    const struct checked *checked = self;
    return checked->inner.waited_ms(checked->inner.self);
}

static struct learner_course checked_course(const void *self)
{
    const struct checked *checked = self;
    return checked->inner.course(checked->inner.self);
}

static uint64_t checked_contributed(const void *self)
{
    const struct checked *checked = self;
    return checked->inner.contributed(checked->inner.self);
}

static enum status checked_verify(const void *self, struct error *err)
{
    const struct checked *checked = self;
    return checked->inner.verify(checked->inner.self, err);
}

static enum status checked_verify_used(const void *self, const struct touched_rows *rows,
                                       struct error *err)
{
    const struct checked *checked = self;
    return checked->inner.verify_used(checked->inner.self, rows, err);
}

static enum status checked_verify_rows(void *self, uint64_t *position, uint64_t most,
                                       struct error *err)
{
    struct checked *checked = self;
    return checked->inner.verify_rows(checked->inner.self, position, most, err);
}

static void checked_end_soon(void *self)
{
    struct checked *checked = self;
    checked->inner.end_soon(checked->inner.self);
}

static void checked_restart(void *self)
{
    struct checked *checked = self;
    checked->inner.restart(checked->inner.self);
}

static void *checked_memory(void *self, const char *name, size_t *size)
{
    struct checked *checked = self;
    return checked->inner.memory(checked->inner.self, name, size);
}

static enum status checked_result(const void *self, char digest[DIGEST_BYTES], uint64_t *rows,
                                  struct result_metric metrics[LEARNER_METRICS_MAX],
                                  size_t *metric_count, struct error *err)
{
    const struct checked *checked = self;
    return checked->inner.result(checked->inner.self, digest, rows, metrics, metric_count, err);
}

static enum status checked_publish(const void *self, const char *digest, uint64_t *next,
                                   size_t bytes_max, bool *is_at_end, model_row_sink *sink,
                                   void *context, struct error *err)
{
    const struct checked *checked = self;
    return checked->inner.publish(checked->inner.self, digest, next, bytes_max, is_at_end, sink,
                                  context, err);
}

struct checked *checked_new(struct learning inner, const struct oracle *oracle)
{
    struct checked *checked = calloc(1, sizeof *checked);

    if (!checked)
        abort();
    checked->inner = inner;
    checked->oracle = oracle;
    return checked;
}

void checked_free(struct checked *checked)
{
    free(checked);
}

void checked_spoil(struct checked *checked)
{
    checked->is_spoiled = true;
}

void checked_starve(struct checked *checked)
{
    checked->is_starved = true;
}

void checked_allow_damage(struct checked *checked)
{
    checked->allows_damage = true;
}

struct learning checked_inner(const struct checked *checked)
{
    return checked->inner;
}

struct learning checked_learning(struct checked *checked)
{
    return (struct learning){
        .self = checked,
        .lanes = checked_lanes,
        .elements_most = checked_elements_most,
        .phase = checked_phase,
        .steps_total = checked_steps,
        .epochs_total = checked->inner.epochs_total ? checked_epochs : NULL,
        .lane_open = checked->inner.lane_open ? checked_lane_open : NULL,
        .contribute = checked_contribute,
        .resolve = checked_resolve,
        .apply = checked_apply,
        .state_head = checked_state_head,
        .state_bytes = checked_state_bytes,
        .state_read = checked_state_read,
        .take_begin = checked_take_begin,
        .take_piece = checked_take_piece,
        .take_end = checked_take_end,
        .take_abandon = checked_take_abandon,
        .measure = checked_measure,
        .result = checked_result,
        .publish = checked_publish,
        .fingerprint = checked_fingerprint,
        .check = checked_check,
        .contributed = checked_contributed,
        .waited_ms = checked->inner.waited_ms ? checked_waited_ms : NULL,
        .course = checked->inner.course ? checked_course : NULL,
        .verify = checked_verify,
        .verify_used = checked_verify_used,
        .verify_rows = checked_verify_rows,
        .end_soon = checked->inner.end_soon ? checked_end_soon : NULL,
        .restart = checked_restart,
        .memory = checked_memory,
    };
}
