#include "tests/sim/toy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/random.h"
#include "base/sums/words.h"

#define INTEGERS   3 /* rows, lanes as bits, noise */
#define MEASURES   3
#define BODY_WORDS 20 /* enough to go in several pieces */
#define MODEL_ROWS 7
#define LANE_WORDS 3 /* words that a lane touches, some of them twice */

struct toy {
    struct learner learner;
    struct toy_plan plan;
    uint32_t measured;
    uint64_t *words; /* (BODY_WORDS): the state is the first one, and decides the others */
    uint64_t row, row_known;
    uint64_t kept[64]; /* by lane: what would be kept of its rows; 0: nothing */
    struct toy_rows *rows;
};

static uint64_t mix(uint64_t a, uint64_t b, uint64_t c)
{
    return random_bits(a, RANDOM_SIMULATION, b, c);
}

static void set_state(struct toy *toy, uint64_t state)
{
    toy->words[0] = state;
    for (uint64_t i = 1; i < BODY_WORDS; i++)
        toy->words[i] = mix(state, 3, i);
}

static uint64_t rows_of_phase(const struct toy *toy)
{
    const struct toy_table *table = toy->plan.table;

    if (!table)
        return toy->plan.rows + toy->learner.phase.number % 3;
    return toy->learner.phase.kind == PHASE_LEARN
               ? toy_table_step_rows(table, toy->learner.phase.step)
               : table->plan.held_out;
}

static struct phase_table table_of(const struct toy_plan *plan)
{
    const uint32_t touched = plan->lanes * LANE_WORDS;

    return (struct phase_table){plan->words, plan->words > 0 ? plan->word_width : 0,
                                touched < plan->words ? touched : plan->words};
}

static void describe(void *self)
{
    struct toy *toy = self;
    struct phase *phase = &toy->learner.phase;

    phase->epoch = (uint32_t)(phase->number / 5);
    if (phase->number >= toy->plan.phases) {
        phase->kind = PHASE_DONE;
        return;
    }
    phase->integer_count = INTEGERS;
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
    return mix(toy->words[0], lane, 12) | 1;
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

struct toy_rows *toy_rows_of(struct learner *learner)
{
    return ((struct toy *)learner)->rows;
}

static enum status use_rows(struct toy *toy, uint32_t lane, struct toy_lane *made,
                            struct error *err)
{
    const uint64_t rows = toy->learner.phase.rows, lanes = toy->plan.lanes;

    if (toy->rows && toy->learner.phase.kind == PHASE_LEARN)
        return toy_rows_step(toy->rows, toy->learner.phase.step, lane, made, err);
    if (toy->rows)
        return toy_rows_held_out(toy->rows, toy->learner.phase.step, lane, made, err);
    *made = (struct toy_lane){(lane + 1) * rows / lanes - lane * rows / lanes, 0};
    return STATUS_OK;
}

static void contribute_words(struct toy *toy, uint32_t lane, int64_t *sums,
                             struct touched_rows *rows)
{
    const struct phase_table *table = &toy->learner.phase.table;

    for (uint32_t j = 0; table->rows > 0 && j < LANE_WORDS; j++) {
        const uint32_t row = (uint32_t)(mix(toy->words[0], lane, 100 + j) % table->rows);

        const size_t at = (size_t)touched_rows_add(rows, row) * table->width;

        for (uint32_t u = 0; u < table->width; u++) {
            const int64_t term = (int64_t)mix(toy->words[0] + toy->row, lane, 200 + 8 * j + u) >> 8;

            learner_add(&toy->learner, &sums[at + u], term);
        }
    }
}

/* One lane a call, so that messages come between any two of them. */
static enum status toy_contribute(void *self, uint32_t lane, uint32_t count, int64_t *integers,
                                  int64_t *sums, struct touched_rows *rows, uint32_t *done,
                                  struct error *err)
{
    struct toy *toy = self;
    const uint32_t elements = toy->learner.phase.owned_count + toy->learner.phase.real_count;
    struct toy_lane made;

    if (toy->plan.failure != STATUS_OK)
        return fail(err, toy->plan.failure, "the rows of lane %u cannot be read", lane);
    if (toy->plan.keeps_lanes && toy->kept[lane] == 0) {
        fprintf(stderr, "toy: lane %u was not opened\n", lane);
        abort();
    }
    TRY(use_rows(toy, lane, &made, err));
    integers[0] = words_add(integers[0], (int64_t)made.rows);
    integers[1] = words_add(integers[1], (int64_t)1 << lane);
    integers[2] =
        words_add(integers[2], (int64_t)(mix(toy->words[0] + toy->row, lane, 1 + made.sum) >> 8));
    if (toy->plan.keeps_lanes) /* a lane that was not opened anew gives others */
        integers[2] =
            words_add(integers[2], (int64_t)((toy->kept[lane] ^ kept_of(toy, lane)) >> 8));
    for (uint32_t i = 0; i < elements; i++) {
        const int64_t term = (int64_t)mix(toy->words[0] + toy->row, lane, 2 + i) >> 8;

        learner_add(&toy->learner, &sums[i], term);
    }
    contribute_words(toy, lane, sums + elements, rows);
    if (toy->rows)
        toy->learner.waited_ms = toy_rows_waited_ms(toy->rows);
    (void)count, (void)done;
    return STATUS_OK;
}

static struct fixed_resolved toy_resolve(const void *self, const int64_t *fixed, uint32_t first,
                                         uint32_t count, float *reals)
{
    const struct toy *toy = self;
    const uint32_t dense = toy->learner.phase.real_count, width = toy->learner.phase.table.width;

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
    struct phase *phase = &toy->learner.phase;
    uint64_t state = toy->words[0];

    if (integers[0] != (int64_t)phase->rows || integers[1] != ((int64_t)1 << toy->plan.lanes) - 1)
        return fail(err, STATUS_FAILED, "phase %" PRIu64 " sums %" PRId64 " rows of lanes %" PRIx64,
                    phase->number, integers[0], (uint64_t)integers[1]);
    state = mix(state, (uint64_t)integers[2], phase->number);
    for (uint32_t i = 0; i < phase->real_count; i++) {
        uint32_t bits;

        memcpy(&bits, &totals->reals[i], sizeof bits);
        state = mix(state, bits, i);
    }
    for (uint32_t i = 0; i < phase->owned_count; i++)
        state = mix(state, (uint64_t)totals->owned[i], i);
    state += sum_words(phase, totals);
    set_state(toy, state);
    for (uint32_t lane = 0; lane < toy->plan.lanes; lane++)
        if (toy->kept[lane] != 0)
            toy->kept[lane] = kept_of(toy, lane);
    report->evaluated = phase->kind == PHASE_EVALUATION;
    /* Not all steps between two evaluations: these would be of the same step. */
    report->repeated = !report->evaluated && phase->number % 5 != 3 && state % 11 == 0;
    report->step_applied = !report->evaluated && !report->repeated;
    report->rows_applied = report->step_applied ? phase->rows : 0;
    report->validation_loss = (double)(state % 1000);
    phase->step += report->step_applied;
    return STATUS_OK;
}

static uint32_t arrays(void *self, struct learner_array list[LEARNER_ARRAYS_MAX])
{
    list[0] =
        (struct learner_array){(void **)&((struct toy *)self)->words, BODY_WORDS * sizeof(uint64_t),
                               LEARNER_USED, "the state", "weights"};
    return 1;
}

static void put_shape(const void *self, struct text *out)
{
    put_u64(out, ((const struct toy *)self)->plan.seed);
}

static bool is_possible(const void *self, const struct learner_taking *coming)
{
    return coming->phase.number <= ((const struct toy *)self)->plan.phases;
}

static enum status enter(void *self, const struct learner_taking *taken, struct error *err)
{
    struct toy *toy = self;
    (void)err;

    forget_lanes(toy);
    toy->measured = 0;
    if (!taken)
        set_state(toy, mix(toy->plan.seed, 0, 0));
    return STATUS_OK;
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
    snprintf(digest, DIGEST_BYTES, "%064" PRIx64, toy->words[0]);
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
        uint64_t value = mix(toy->words[0], 4, *next);
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

static enum status toy_verify_rows(void *self, uint64_t *position, uint64_t most, struct error *err)
{
    const struct toy *toy = self;
    (void)most;

    *position = 0;
    if (toy->row != toy->row_known)
        return fail(err, STATUS_CORRUPT, "a row changed by itself");
    return toy->rows ? toy_rows_verify(toy->rows, err) : STATUS_OK;
}

static void *toy_memory(void *self, const char *name, size_t *size)
{
    struct toy *toy = self;

    *size = sizeof toy->row;
    return strcmp(name, "rows") == 0 ? &toy->row : NULL;
}

static enum status plan(void *self, struct error *err)
{
    struct toy *toy = self;
    const struct toy_plan *plan = toy->learner.subject;
    const struct phase_table table = table_of(plan);
    (void)err;

    toy->plan = *plan;
    toy->row = toy->row_known = mix(plan->seed, 9, 9);
    toy->rows = plan->table ? toy_rows_new(plan->table) : NULL;
    toy->learner.lanes = plan->lanes;
    toy->learner.elements_most = plan->owned + plan->reals + table.touched_most * table.width;
    toy->learner.steps_total = plan->phases;
    toy->learner.epochs_total = 1;
    toy->learner.course = toy->rows ? toy_rows_course(toy->rows) : (struct learner_course){0, 1};
    return STATUS_OK;
}

static void toy_close(void *self)
{
    struct toy *toy = self;

    if (toy->rows)
        toy_rows_free(toy->rows);
}

#define TOY_METHOD                                                                                 \
    .bytes = sizeof(struct toy), .plan = plan, .close = toy_close, .put_shape = put_shape,         \
    .arrays = arrays, .is_possible = is_possible, .enter = enter, .describe = describe,            \
    .contribute = toy_contribute, .resolve = toy_resolve, .apply = toy_apply,                      \
    .measure = toy_measure, .result = toy_result, .publish = toy_publish,                          \
    .verify_rows = toy_verify_rows, .memory = toy_memory

static const struct learner_method toy_method = {TOY_METHOD};
static const struct learner_method toy_that_keeps_lanes = {TOY_METHOD, .lane_open = toy_lane_open};

struct learner *toy_new(const struct toy_plan *plan)
{
    static const struct jobspec spec = {.family = {"kmeans", 6}};
    static const struct dataset dataset;
    struct learner *learner;
    struct error err;

    if (learner_open(plan->keeps_lanes ? &toy_that_keeps_lanes : &toy_method, plan, &spec, &dataset,
                     NULL, &learner, &err) != STATUS_OK)
        abort();
    learner->dataset = NULL; /* its rows are its own */
    return learner;
}
