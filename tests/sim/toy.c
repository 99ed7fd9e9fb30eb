#include "tests/sim/toy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/random.h"
#include "base/words.h"

#define INTEGERS   3 /* rows, lanes as bits, noise */
#define MEASURES   3
#define BODY_WORDS 20 /* enough to go in several pieces */
#define MODEL_ROWS 7
#define LANE_WORDS 3 /* words that a lane touches, some of them twice */

struct toy {
    struct toy_plan plan;
    struct phase phase;
    uint32_t measured;
    uint64_t state, known; /* known: the state as it was written last */
    uint64_t row, row_known;
    uint64_t contributed; /* to `sums`, modulo 2^64 */
    uint64_t kept[64];    /* by lane: what would be kept of its rows; 0: nothing */
    struct toy_rows *rows;
    struct {
        bool is_active;
        uint64_t state, number, step;
        uint64_t body[BODY_WORDS];
    } taking;
};

static uint64_t mix(uint64_t a, uint64_t b, uint64_t c)
{
    return random_bits(a, RANDOM_SIMULATION, b, c);
}

static uint64_t rows_of_phase(const struct toy *toy)
{
    const struct toy_table *table = toy->plan.table;

    if (!table)
        return toy->plan.rows + toy->phase.number % 3;
    return toy->phase.kind == PHASE_LEARN ? toy_table_step_rows(table, toy->phase.step)
                                          : table->plan.held_out;
}

static struct phase_table table_of(const struct toy_plan *plan)
{
    const uint32_t touched = plan->lanes * LANE_WORDS;

    return (struct phase_table){plan->words, plan->words > 0 ? plan->word_width : 0,
                                touched < plan->words ? touched : plan->words};
}

static void describe_phase(struct toy *toy)
{
    struct phase *phase = &toy->phase;

    phase->integer_count = INTEGERS;
    phase->epoch = (uint32_t)(phase->number / 5);
    if (phase->number >= toy->plan.phases) {
        phase->kind = PHASE_DONE;
        phase->rows = 0;
        phase->integer_count = phase->owned_count = phase->real_count = 0;
        phase->table = (struct phase_table){.rows = 0};
        return;
    }
    phase->kind = phase->number % 5 == 4 ? PHASE_EVALUATION : PHASE_LEARN;
    phase->rows = rows_of_phase(toy);
    if (toy->plan.table)
        phase->epoch = toy_table_epoch(toy->plan.table, phase->step);
    phase->real_count = phase->kind == PHASE_LEARN ? toy->plan.reals : 0;
    phase->table =
        phase->kind == PHASE_LEARN ? table_of(&toy->plan) : (struct phase_table){.rows = 0};
    phase->owned_count = phase->number % 3 == 2 ? 0 : toy->plan.owned;
}

static uint64_t kept_of(const struct toy *toy, uint32_t lane)
{
    return mix(toy->state, lane, 12) | 1;
}

static void forget_lanes(struct toy *toy)
{
    memset(toy->kept, 0, sizeof toy->kept);
}

/* One lane a call. */
static uint32_t toy_lane_open(void *self, uint32_t first, uint32_t count, uint32_t done)
{
    struct toy *toy = self;

    if (done >= count || first + count > toy->plan.lanes)
        abort();
    if (done == 0)
        forget_lanes(toy);
    toy->kept[first + done] = kept_of(toy, first + done);
    return done + 1;
}

static void toy_restart(void *self)
{
    struct toy *toy = self;

    forget_lanes(toy);
    toy->taking.is_active = false;
    toy->measured = 0;
    toy->state = toy->known = mix(toy->plan.seed, 0, 0);
    toy->phase = (struct phase){.number = 0};
    describe_phase(toy);
}

struct toy *toy_new(const struct toy_plan *plan)
{
    struct toy *toy = calloc(1, sizeof *toy);

    if (!toy)
        abort();
    toy->plan = *plan;
    toy->row = toy->row_known = mix(plan->seed, 9, 9);
    toy->rows = plan->table ? toy_rows_new(plan->table) : NULL;
    toy_restart(toy);
    return toy;
}

void toy_free(struct toy *toy)
{
    if (toy->rows)
        toy_rows_free(toy->rows);
    free(toy);
}

static uint32_t toy_elements_most(const void *self)
{
    const struct toy *toy = self;
    const struct phase_table table = table_of(&toy->plan);

    return toy->plan.owned + toy->plan.reals + table.touched_most * table.width;
}

static uint32_t toy_lanes(const void *self)
{
    return ((const struct toy *)self)->plan.lanes;
}

static const struct phase *toy_phase(const void *self)
{
    return &((const struct toy *)self)->phase;
}

static uint64_t toy_steps(const void *self)
{
    return ((const struct toy *)self)->plan.phases;
}

static uint32_t toy_epochs(const void *self)
{
    (void)self;
    return 1;
}

struct toy_rows *toy_rows_of(struct toy *toy)
{
    return toy->rows;
}

static enum status use_rows(struct toy *toy, uint32_t lane, struct toy_lane *made,
                            struct error *err)
{
    const uint64_t rows = toy->phase.rows, lanes = toy->plan.lanes;

    if (toy->rows && toy->phase.kind == PHASE_LEARN)
        return toy_rows_step(toy->rows, toy->phase.step, lane, made, err);
    if (toy->rows)
        return toy_rows_held_out(toy->rows, toy->phase.step, lane, made, err);
    *made = (struct toy_lane){(lane + 1) * rows / lanes - lane * rows / lanes, 0};
    return STATUS_OK;
}

/* Around the ends of the numbers: a bit of what is added to may have been inverted, the sign's. */
static void add(int64_t *sum, int64_t term)
{
    *sum = (int64_t)((uint64_t)*sum + (uint64_t)term);
}

static void contribute_words(struct toy *toy, uint32_t lane, int64_t *sums,
                             struct touched_rows *rows)
{
    const struct phase_table *table = &toy->phase.table;

    for (uint32_t j = 0; table->rows > 0 && j < LANE_WORDS; j++) {
        const uint32_t row = (uint32_t)(mix(toy->state, lane, 100 + j) % table->rows);

        const size_t at = (size_t)touched_rows_add(rows, row) * table->width;

        for (uint32_t u = 0; u < table->width; u++) {
            const int64_t term = (int64_t)mix(toy->state + toy->row, lane, 200 + 8 * j + u) >> 8;

            add(&sums[at + u], term);
            toy->contributed += (uint64_t)term;
        }
    }
}

/* One lane a call, so that messages come between any two of them. */
static enum status toy_contribute(void *self, uint32_t lane, uint32_t count, int64_t *integers,
                                  int64_t *sums, struct touched_rows *rows, uint32_t *done,
                                  struct error *err)
{
    struct toy *toy = self;
    const uint32_t elements = toy->phase.owned_count + toy->phase.real_count;
    struct toy_lane made;

    if (toy->plan.failure != STATUS_OK)
        return fail(err, toy->plan.failure, "the rows of lane %u cannot be read", lane);
    if (toy->plan.keeps_lanes && toy->kept[lane] == 0) {
        fprintf(stderr, "toy: lane %u was not opened\n", lane);
        abort();
    }
    TRY(use_rows(toy, lane, &made, err));
    add(&integers[0], (int64_t)made.rows);
    add(&integers[1], (int64_t)1 << lane);
    add(&integers[2], (int64_t)(mix(toy->state + toy->row, lane, 1 + made.sum) >> 8));
    if (toy->plan.keeps_lanes) /* a lane that was not opened anew gives others */
        add(&integers[2], (int64_t)((toy->kept[lane] ^ kept_of(toy, lane)) >> 8));
    for (uint32_t i = 0; i < elements; i++) {
        const int64_t term = (int64_t)mix(toy->state + toy->row, lane, 2 + i) >> 8;

        add(&sums[i], term);
        toy->contributed += (uint64_t)term;
    }
    contribute_words(toy, lane, sums + elements, rows);
    (void)count;
    *done = 1;
    return STATUS_OK;
}

static struct fixed_resolved toy_resolve(const void *self, const int64_t *fixed, uint32_t first,
                                         uint32_t count, float *reals)
{
    const struct toy *toy = self;
    const uint32_t dense = toy->phase.real_count, width = toy->phase.table.width;

    for (uint32_t i = 0; i < count; i++) { /* the same for a row of the table, wherever it lies */
        const uint32_t at = first + i < dense ? first + i : dense + (first + i - dense) % width;

        reals[i] = (float)((double)fixed[i] * 0x1p-40 + at);
    }
    return (struct fixed_resolved){words_sum_long(fixed, count), words_sum(reals, count)};
}

/* In whatever order they are listed. */
static uint64_t sum_words(const struct phase *phase, const struct phase_totals *totals)
{
    const struct phase_table *table = &phase->table;
    uint64_t sum = 0;

    for (uint32_t i = 0; table->rows > 0 && i < totals->rows->count; i++) {
        const uint32_t row = totals->rows->rows[i];
        const float *reals = totals->reals + phase->real_count + (size_t)i * table->width;

        for (uint32_t u = 0; u < table->width; u++) {
            uint32_t bits;

            memcpy(&bits, &reals[u], sizeof bits);
            sum += mix(row, bits, u);
        }
    }
    return sum;
}

static enum status toy_apply(void *self, const struct phase_totals *totals,
                             struct learner_report *report, struct error *err)
{
    const int64_t *integers = totals->integers;
    struct toy *toy = self;
    struct phase *phase = &toy->phase;

    if (integers[0] != (int64_t)phase->rows || integers[1] != ((int64_t)1 << toy->plan.lanes) - 1)
        return fail(err, STATUS_FAILED, "phase %" PRIu64 " sums %" PRId64 " rows of lanes %" PRIx64,
                    phase->number, integers[0], (uint64_t)integers[1]);
    if (toy->state != toy->known)
        return fail(err, STATUS_CORRUPT, "the state changed by itself");
    toy->state = mix(toy->state, (uint64_t)integers[2], phase->number);
    for (uint32_t i = 0; i < phase->real_count; i++) {
        uint32_t bits;

        memcpy(&bits, &totals->reals[i], sizeof bits);
        toy->state = mix(toy->state, bits, i);
    }
    for (uint32_t i = 0; i < phase->owned_count; i++)
        toy->state = mix(toy->state, (uint64_t)totals->owned[i], i);
    toy->state += sum_words(phase, totals);
    toy->known = toy->state;
    for (uint32_t lane = 0; lane < toy->plan.lanes; lane++)
        if (toy->kept[lane] != 0)
            toy->kept[lane] = kept_of(toy, lane);
    report->evaluated = phase->kind == PHASE_EVALUATION;
    /* Not all steps between two evaluations: these would be of the same step. */
    report->repeated = !report->evaluated && phase->number % 5 != 3 && toy->state % 11 == 0;
    report->step_applied = !report->evaluated && !report->repeated;
    report->rows_applied = report->step_applied ? phase->rows : 0;
    report->validation_loss = (double)(toy->state % 1000);
    phase->step += report->step_applied;
    phase->number++;
    describe_phase(toy);
    return STATUS_OK;
}

static enum status toy_state_head(const void *self, struct text *head, struct error *err)
{
    const struct toy *toy = self;

    put_u64(head, toy->state);
    put_u64(head, toy->phase.number);
    put_u64(head, toy->phase.step);
    return head->failed ? fail_no_memory(err) : STATUS_OK;
}

static uint64_t toy_state_bytes(const void *self)
{
    (void)self;
    return BODY_WORDS * sizeof(uint64_t);
}

static void toy_state_read(const void *self, uint64_t offset, size_t size, char *bytes)
{
    const struct toy *toy = self;
    uint64_t body[BODY_WORDS];

    for (uint64_t i = 0; i < BODY_WORDS; i++)
        body[i] = mix(toy->state, 3, i);
    if (offset > sizeof body || size > sizeof body - offset)
        abort();
    memcpy(bytes, (const char *)body + offset, size);
}

static enum status toy_take_begin(void *self, struct slice head, uint64_t body_bytes,
                                  struct error *err)
{
    struct toy *toy = self;
    struct byte_reader reader = byte_reader_over(head);

    toy->taking.state = read_u64(&reader);
    toy->taking.number = read_u64(&reader);
    toy->taking.step = read_u64(&reader);
    if (!reader_is_done(&reader) || body_bytes != sizeof toy->taking.body)
        return fail(err, STATUS_CORRUPT, "a state of %llu bytes", (unsigned long long)body_bytes);
    toy->taking.is_active = true;
    memset(toy->taking.body, 0, sizeof toy->taking.body);
    return STATUS_OK;
}

static void toy_take_piece(void *self, uint64_t offset, struct slice bytes)
{
    struct toy *toy = self;

    if (!toy->taking.is_active || offset > sizeof toy->taking.body ||
        bytes.size > sizeof toy->taking.body - offset)
        abort();
    memcpy((char *)toy->taking.body + offset, bytes.data, bytes.size);
}

static enum status toy_take_end(void *self, struct error *err)
{
    struct toy *toy = self;

    toy->taking.is_active = false;
    for (uint64_t i = 0; i < BODY_WORDS; i++)
        if (toy->taking.body[i] != mix(toy->taking.state, 3, i))
            return fail(err, STATUS_CORRUPT, "a state that was changed on its way");
    toy->measured = 0;
    forget_lanes(toy);
    toy->state = toy->known = toy->taking.state;
    toy->phase.number = toy->taking.number;
    toy->phase.step = toy->taking.step;
    describe_phase(toy);
    return STATUS_OK;
}

static void toy_take_abandon(void *self)
{
    struct toy *toy = self;

    toy->taking.is_active = false;
}

/* In some calls, so that messages come between any two of them. */
static enum status toy_measure(void *self, bool *is_done, struct error *err)
{
    struct toy *toy = self;
    (void)err;

    *is_done = ++toy->measured >= MEASURES;
    return STATUS_OK;
}

static enum status toy_result(const void *self, char digest[DIGEST_BYTES], uint64_t *rows,
                              struct result_metric metrics[LEARNER_METRICS_MAX],
                              size_t *metric_count, struct error *err)
{
    const struct toy *toy = self;

    if (toy->measured < MEASURES)
        return fail(err, STATUS_INVALID, "the model is not measured yet");
    snprintf(digest, DIGEST_BYTES, "%064" PRIx64, toy->state);
    *rows = toy->plan.table ? toy->plan.table->plan.rows : toy->plan.rows;
    *metric_count = 1;
    snprintf(metrics[0].name, sizeof metrics[0].name, "loss");
    metrics[0].train = metrics[0].validation = 1;
    return STATUS_OK;
}

static enum status toy_publish(const void *self, const char *digest, uint64_t *next,
                               size_t bytes_max, bool *is_at_end, model_row_sink *sink,
                               void *context, struct error *err)
{
    const struct toy *toy = self;
    size_t bytes = 0;
    (void)digest;

    for (; *next < MODEL_ROWS && bytes < bytes_max; ++*next) {
        uint64_t value = mix(toy->state, 4, *next);
        struct model_row row = {.part = SLICE("tensor"),
                                .name = SLICE("layer0/weights"),
                                .position = (int64_t)*next,
                                .has_data = true,
                                .data = {(const char *)&value, sizeof value}};

        TRY(sink(context, &row, err));
        bytes += sizeof value;
    }
    *is_at_end = *next == MODEL_ROWS;
    return STATUS_OK;
}

static uint64_t toy_fingerprint(const void *self)
{
    return mix(((const struct toy *)self)->plan.seed, 10, 10);
}

static uint64_t toy_check(const void *self)
{
    const struct toy *toy = self;
    return mix(toy->state, toy->phase.number, 11);
}

static uint64_t toy_waited_ms(const void *self)
{
    const struct toy *toy = self;
    return toy->rows ? toy_rows_waited_ms(toy->rows) : 0;
}

static struct learner_course toy_course(const void *self)
{
    const struct toy *toy = self;
    return toy->rows ? toy_rows_course(toy->rows) : (struct learner_course){0, 1};
}

static uint64_t toy_contributed(const void *self)
{
    return ((const struct toy *)self)->contributed;
}

static enum status toy_verify(const void *self, struct error *err)
{
    const struct toy *toy = self;

    if (toy->state != toy->known)
        return fail(err, STATUS_CORRUPT, "the state changed by itself");
    return STATUS_OK;
}

static enum status toy_verify_used(const void *self, const struct touched_rows *rows,
                                   struct error *err)
{
    (void)rows;
    return toy_verify(self, err);
}

static enum status toy_verify_rows(void *self, uint64_t *position, uint64_t most, struct error *err)
{
    const struct toy *toy = self;
    (void)most;

    *position = 0;
    if (toy->row != toy->row_known)
        return fail(err, STATUS_CORRUPT, "a row changed by itself");
    return toy->rows ? toy_rows_verify(toy->rows, err) : STATUS_OK;
}

/* "computed": a wrong result, which no look at the memory shows. */
static void *toy_memory(void *self, const char *name, size_t *size)
{
    struct toy *toy = self;

    *size = sizeof toy->state;
    if (strcmp(name, "computed") == 0)
        toy->known ^= 4;
    return strcmp(name, "rows") == 0 ? &toy->row : &toy->state;
}

struct learning toy_learning(struct toy *toy)
{
    return (struct learning){
        .self = toy,
        .lanes = toy_lanes,
        .elements_most = toy_elements_most,
        .phase = toy_phase,
        .steps_total = toy_steps,
        .epochs_total = toy_epochs,
        .lane_open = toy->plan.keeps_lanes ? toy_lane_open : NULL,
        .contribute = toy_contribute,
        .resolve = toy_resolve,
        .apply = toy_apply,
        .state_head = toy_state_head,
        .state_bytes = toy_state_bytes,
        .state_read = toy_state_read,
        .take_begin = toy_take_begin,
        .take_piece = toy_take_piece,
        .take_end = toy_take_end,
        .take_abandon = toy_take_abandon,
        .measure = toy_measure,
        .result = toy_result,
        .publish = toy_publish,
        .fingerprint = toy_fingerprint,
        .check = toy_check,
        .contributed = toy_contributed,
        .waited_ms = toy_waited_ms,
        .course = toy_course,
        .verify = toy_verify,
        .verify_used = toy_verify_used,
        .verify_rows = toy_verify_rows,
        .restart = toy_restart,
        .memory = toy_memory,
    };
}
