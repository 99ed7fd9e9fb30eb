#include "tests/sim/oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

struct checked {
    struct learner_method method; /* the learner's, with looks at its states */
    const struct learner_method *inner;
    const struct oracle *oracle;
    const char *failure; /* NULL: none */
    bool allows_damage, is_spoiled;
    bool is_starved; /* the next apply finds no memory */
    uint64_t number; /* the number of its phase */
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

static uint64_t hash_state(struct learner *learning)
{
    const uint64_t size = learner_state_bytes(learning);
    char *body = malloc(size + 1);
    struct text head;
    struct error err;
    uint64_t hash;

    text_init(&head, TEXT_MAXIMUM);
    if (!body || learner_state_head(learning, &head, &err) != STATUS_OK)
        abort();
    learner_state_read(learning, 0, size, body);
    hash = bytes_hash(bytes_hash(1, text_slice(&head)), (struct slice){body, size});
    text_deinit(&head);
    free(body);
    return hash;
}

static void note_state(struct oracle *oracle, struct learner *learning)
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

static void compute_lanes(struct learner *learning, int64_t *integers, int64_t *sums,
                          struct touched_rows *rows)
{
    const uint32_t lanes = learning->lanes;
    struct error err;

    for (uint32_t first = 0, done; first < lanes; first += done)
        if (learner_contribute(learning, first, lanes - first, integers, sums, rows, &done, &err) !=
            STATUS_OK) {
            fprintf(stderr, "the undisturbed run fails: %s\n", err.message);
            abort();
        }
}

/* All lanes of one phase in one place. */
static bool compute_phase(struct oracle *oracle, struct learner *learning)
{
    const struct phase *phase = &learning->phase;
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
        if (learning->method->resolve)
            learner_resolve(learning, sums + phase->owned_count, 0,
                            phase->real_count + rows.count * phase->table.width, reals);
        if (learner_apply(learning, &totals, &report, &err) != STATUS_OK) {
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
    struct learner *learning = subject->open(subject->context);
    uint64_t rows, next = 0;
    bool is_measured, is_at_end;
    enum status status;
    struct error err;

    for (uint32_t done = 0, lanes = learning->lanes; learner_opens_lanes(learning) && done < lanes;)
        done = learner_lane_open(learning, 0, lanes, done);
    do {
        if (learning->phase.number == told_at)
            learner_end_soon(learning);
        note_state(&oracle, learning);
    } while (compute_phase(&oracle, learning));
    do
        status = learner_measure(learning, &is_measured, &err);
    while (status == STATUS_OK && !is_measured);
    if (learner_result(learning, oracle.digest, &rows, oracle.results, &oracle.result_count,
                       &err) != STATUS_OK ||
        learner_publish(learning, oracle.digest, &next, SIZE_MAX, &is_at_end, hash_row,
                        &oracle.model, &err) != STATUS_OK ||
        !is_at_end) {
        fprintf(stderr, "the undisturbed run cannot publish: %s\n", err.message);
        abort();
    }
    learner_close(learning);
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

static struct checked *checked_of(const struct learner *learner)
{
    return (struct checked *)(uintptr_t)learner->method; /* its first member */
}

static enum status checked_apply(void *self, const struct phase_totals *totals,
                                 struct learner_report *report, struct error *err)
{
    struct checked *checked = checked_of(self);
    size_t size;

    if (checked->is_starved)
        return fail_no_memory(err);
    TRY(checked->inner->apply(self, totals, report, err));
    if (checked->is_spoiled) /* before its sums are taken: no look at the memory shows it */
        *(uint64_t *)learner_memory(self, "weights", &size) ^= 4;
    checked->is_spoiled = false;
    return STATUS_OK;
}

static enum status checked_enter(void *self, const struct learner_taking *taken, struct error *err)
{
    struct checked *checked = checked_of(self);

    if (taken && taken->phase.number <= checked->number)
        checked->failure = "a worker goes back";
    return checked->inner->enter(self, taken, err);
}

/* Called with each change of the state, be it that one is abandoned. */
static void checked_describe(void *self)
{
    const struct learner *learner = self;
    struct checked *checked = checked_of(learner);

    checked->inner->describe(self);
    checked->number = learner->phase.number;
    if (!checked->allows_damage && !has_state(checked->oracle, checked->number, hash_state(self)))
        checked->failure = "a state is not the undisturbed one";
}

struct checked *checked_new(struct learner *learner, const struct oracle *oracle)
{
    struct checked *checked = calloc(1, sizeof *checked);

    if (!checked)
        abort();
    checked->inner = learner->method;
    checked->oracle = oracle;
    checked->method = *learner->method;
    checked->method.apply = checked_apply;
    checked->method.enter = checked_enter;
    checked->method.describe = checked_describe;
    learner->method = &checked->method;
    return checked;
}

const char *checked_failure(const struct checked *checked)
{
    return checked->failure;
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
