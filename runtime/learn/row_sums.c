#include "runtime/learn/row_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/progress.h"
#include "base/words.h"
#include "jobspec/job_size.h"
#include "jobspec/jobspec_fingerprint.h"
#include "runtime/data/row_lanes.h"
#include "runtime/data/row_store.h"
#include "runtime/learn/learner_state.h"
#include "runtime/learn/measuring.h"

#define PART_BITS         50
#define PART_ONE          0x1p50
#define WHOLE_MOST        0x1p51 /* of a lane: 1024 of them fit into 63 bits */
#define FINGERPRINT_BYTES ((size_t)1 << 20)

/* The few integers of a phase: how many sums of lanes were too large. */
enum { TOO_LARGE, ROW_SUMS_INTEGERS };

/* A state on its way here. */
struct row_sums_taking {
    bool is_active;
    uint64_t body_hash;
    struct phase phase;
    double *state;
};

struct row_sums {
    const struct jobspec *spec;
    const struct dataset *dataset;
    struct team *team;
    struct row_sums_method method;
    uint32_t lanes, ranges; /* ranges: of each lane, whose rows are held one after the other */
    uint64_t rows, contributed, fingerprint;
    uint32_t computed; /* the lane that was computed here last */
    struct phase phase;
    double *state; /* (state_count) */
    uint32_t state_sum;
    struct row_sums_taking taking;
    struct measuring measuring;
    struct model model; /* as it was measured */
    uint64_t *starts;   /* (lanes * ranges + 1): the first row of each range */
    double *sums;       /* (sums_most): of a lane, or the totals */
};

/* ---- the plan ---- */

static void describe_phase(struct row_sums *row_sums)
{
    struct phase *phase = &row_sums->phase;
    const uint64_t first = row_sums->method.first_step;

    phase->step = phase->number > first ? phase->number - first : 0;
    phase->epoch = (uint32_t)phase->step;
    phase->rows = 0;
    phase->integer_count = phase->owned_count = 0;
    if (phase->kind == PHASE_DONE)
        return;
    phase->rows = row_sums->rows;
    phase->integer_count = ROW_SUMS_INTEGERS;
    phase->owned_count = 2 * row_sums->method.sums(row_sums->method.self, phase->number);
}

/* While its rows are computed with, those of the lane's next range come. */
static enum status hold_range(const struct row_sums *row_sums, uint32_t range, struct error *err)
{
    TRY(row_store_hold(row_sums->dataset, &row_sums->dataset->train, row_sums->starts[range],
                       row_sums->starts[range + 1], row_sums->team, err));
    if ((range + 1) % row_sums->ranges != 0)
        row_store_expect(row_sums->dataset, &row_sums->dataset->train, row_sums->starts[range + 1],
                         row_sums->starts[range + 2]);
    return STATUS_OK;
}

static void release_range(const struct row_sums *row_sums, uint32_t range)
{
    row_store_release(row_sums->dataset, &row_sums->dataset->train, row_sums->starts[range],
                      row_sums->starts[range + 1]);
}

static void guard_state(struct row_sums *row_sums)
{
    row_sums->state_sum = words_sum(row_sums->state, row_sums->method.state_count * 2);
}

static enum status allocate(struct row_sums *row_sums, struct error *err)
{
    row_sums->state = calloc(row_sums->method.state_count, sizeof *row_sums->state);
    row_sums->starts =
        calloc((size_t)row_sums->lanes * row_sums->ranges + 1, sizeof *row_sums->starts);
    row_sums->sums = calloc(row_sums->method.sums_most, sizeof *row_sums->sums);
    return row_sums->state && row_sums->starts && row_sums->sums ? STATUS_OK : fail_no_memory(err);
}

static enum status compute_fingerprint(struct row_sums *row_sums, struct error *err)
{
    struct text bytes;
    bool failed;

    text_init(&bytes, FINGERPRINT_BYTES);
    jobspec_put_settings(row_sums->spec, &bytes);
    put_u32(&bytes, row_sums->lanes);
    put_u64(&bytes, row_sums->method.state_count);
    put_u32(&bytes, row_sums->method.sums_most);
    state_put_data(row_sums->dataset, &bytes);
    row_sums->fingerprint = bytes_hash(bytes.data, bytes.size, 0);
    failed = bytes.failed;
    text_deinit(&bytes);
    return failed ? fail_no_memory(err) : STATUS_OK;
}

static void row_sums_close(void *self)
{
    struct row_sums *row_sums = self;

    measuring_deinit(&row_sums->measuring);
    row_sums->method.close(row_sums->method.self);
    free(row_sums->taking.state);
    free(row_sums->state);
    free(row_sums->starts);
    free(row_sums->sums);
    free(row_sums);
}

static const struct phase *row_sums_phase(const void *self)
{
    return &((const struct row_sums *)self)->phase;
}

static uint32_t row_sums_lanes(const void *self)
{
    return ((const struct row_sums *)self)->lanes;
}

static uint32_t elements_most(const void *self)
{
    return 2 * ((const struct row_sums *)self)->method.sums_most;
}

static uint64_t steps_total(const void *self)
{
    return ((const struct row_sums *)self)->method.steps_most;
}

/* ---- lanes ---- */

static void split_sum(double value, int64_t *whole, int64_t *part, int64_t *too_large)
{
    const double floored = floor(value);

    if (!(fabs(value) < WHOLE_MOST)) {
        ++*too_large;
        return;
    }
    *whole = (int64_t)floored;
    *part = (int64_t)((value - floored) * PART_ONE);
}

static double sum_of(const int64_t *sums)
{
    const int64_t units = (int64_t)1 << PART_BITS;

    return (double)(sums[0] + sums[1] / units) + (double)(sums[1] % units) / PART_ONE;
}

static void give_sums(struct row_sums *row_sums, uint32_t count, int64_t *integers, int64_t *sums)
{
    for (uint32_t i = 0; i < count; i++) {
        int64_t whole = 0, part = 0;

        split_sum(row_sums->sums[i], &whole, &part, &integers[TOO_LARGE]);
        sums[2 * (size_t)i] += whole;
        sums[2 * (size_t)i + 1] += part;
        row_sums->contributed += (uint64_t)whole + (uint64_t)part;
    }
}

/* One lane. */
static enum status row_sums_contribute(void *self, uint32_t lane, uint32_t lane_count,
                                       int64_t *integers, int64_t *sums, struct touched_rows *rows,
                                       uint32_t *done, struct error *err)
{
    struct row_sums *row_sums = self;
    const struct row_sums_method *method = &row_sums->method;
    const uint64_t phase = row_sums->phase.number;
    const uint32_t count = method->sums(method->self, phase);
    (void)lane_count, (void)rows;

    *done = 1;
    row_sums->computed = lane;
    memset(row_sums->sums, 0, count * sizeof *row_sums->sums);
    for (uint32_t range = lane * row_sums->ranges; range < (lane + 1) * row_sums->ranges; range++) {
        const struct row_range held = {phase, row_sums->starts[range], row_sums->starts[range + 1],
                                       row_sums->team};
        enum status status;

        TRY(hold_range(row_sums, range, err));
        status = method->add(method->self, &held, row_sums->state, row_sums->sums, err);
        release_range(row_sums, range);
        TRY(status);
        progress_note();
    }
    give_sums(row_sums, count, integers, sums);
    return STATUS_OK;
}

/* ---- apply ---- */

/* CORRUPT where apply would read what is not what was written. */
static enum status verify(const void *self, struct error *err)
{
    const struct row_sums *row_sums = self;

    if (words_sum(row_sums->state, row_sums->method.state_count * 2) != row_sums->state_sum)
        return memory_damaged(err, "the weights");
    return STATUS_OK;
}

static enum status verify_used(const void *self, const struct touched_rows *rows, struct error *err)
{
    (void)rows;
    return verify(self, err);
}

static enum status check_sums(const struct row_sums *row_sums, const int64_t *integers,
                              struct error *err)
{
    if (integers[TOO_LARGE] == 0)
        return STATUS_OK;
    fail(err, STATUS_DIVERGED, "%s %llu: sums over the rows are too large", row_sums->method.step,
         (unsigned long long)row_sums->phase.step + 1);
    return error_hint(err, "Look for values that are far from all others, and for sample weights "
                           "that are large.");
}

static enum status row_sums_apply(void *self, const struct phase_totals *totals,
                                  struct learner_report *report, struct error *err)
{
    struct row_sums *row_sums = self;
    const struct row_sums_method *method = &row_sums->method;
    struct phase *phase = &row_sums->phase;
    const bool is_step = phase->number >= method->first_step;
    bool is_last = false;

    *report = (struct learner_report){.epoch = phase->epoch + 1};
    if (phase->kind == PHASE_DONE)
        return fail(err, STATUS_FAILED, "nothing is left to learn");
    TRY(verify(row_sums, err));
    TRY(check_sums(row_sums, totals->integers, err));
    for (uint32_t i = 0; i < phase->owned_count / 2; i++)
        row_sums->sums[i] = sum_of(totals->owned + 2 * (size_t)i);
    if (is_step) {
        report->step_applied = report->epoch_ended = true;
        report->rows_applied = row_sums->rows;
    }
    TRY(method->apply(method->self, phase->number, row_sums->sums, row_sums->state, report,
                      &is_last, err));
    phase->number++;
    if (is_last)
        phase->kind = PHASE_DONE;
    describe_phase(row_sums);
    guard_state(row_sums);
    return STATUS_OK;
}

/* ---- state ---- */

static uint64_t state_bytes(const void *self)
{
    return ((const struct row_sums *)self)->method.state_count * sizeof(double);
}

static struct state_array state_array_of(const struct row_sums *row_sums, double *state)
{
    return (struct state_array){state, state_bytes(row_sums)};
}

static void state_read(const void *self, uint64_t offset, size_t size, char *bytes)
{
    const struct row_sums *row_sums = self;
    const struct state_array array = state_array_of(row_sums, row_sums->state);

    state_arrays_read(&array, 1, offset, size, bytes);
}

static void put_place(const struct phase *phase, struct text *out)
{
    put_u64(out, phase->number);
    put_u32(out, phase->kind);
}

static enum status state_head(const void *self, struct text *head, struct error *err)
{
    const struct row_sums *row_sums = self;
    const size_t start = state_head_begin(row_sums->fingerprint, head);
    const struct state_array array = state_array_of(row_sums, row_sums->state);

    put_place(&row_sums->phase, head);
    put_u64(head, state_arrays_hash(&array, 1));
    return state_head_end(head, start, err);
}

static bool is_possible(const struct row_sums *row_sums, const struct phase *phase)
{
    const uint64_t first = row_sums->method.first_step, most = row_sums->method.steps_most;

    return phase->kind == PHASE_DONE ? phase->number > first && phase->number <= first + most
                                     : phase->kind == PHASE_LEARN && phase->number < first + most;
}

static enum status read_place(const struct row_sums *row_sums, struct byte_reader *head,
                              struct phase *phase, struct error *err)
{
    *phase = (struct phase){.number = read_u64(head)};
    phase->kind = (enum phase_kind)read_u32(head);
    if (head->failed || !is_possible(row_sums, phase))
        return state_corrupt(err, "its place in the job does not exist");
    return STATUS_OK;
}

static void take_abandon(void *self)
{
    struct row_sums *row_sums = self;

    free(row_sums->taking.state);
    row_sums->taking = (struct row_sums_taking){.is_active = false};
}

static enum status take_begin(void *self, struct slice head, uint64_t body_bytes, struct error *err)
{
    struct row_sums *row_sums = self;
    struct row_sums_taking *taking = &row_sums->taking;
    struct byte_reader reader;

    take_abandon(row_sums);
    TRY(state_head_open(head, row_sums->fingerprint, &reader, err));
    TRY(read_place(row_sums, &reader, &taking->phase, err));
    taking->body_hash = read_u64(&reader);
    if (!reader_is_done(&reader) || body_bytes != state_bytes(row_sums))
        return state_corrupt(err, "it has another size");
    taking->state = calloc(row_sums->method.state_count, sizeof *taking->state);
    if (!taking->state)
        return fail_no_memory(err);
    taking->is_active = true;
    return STATUS_OK;
}

static void take_piece(void *self, uint64_t offset, struct slice bytes)
{
    struct row_sums *row_sums = self;
    const struct state_array array = state_array_of(row_sums, row_sums->taking.state);

    if (row_sums->taking.is_active)
        state_arrays_write(&array, 1, offset, bytes);
}

static enum status take_end(void *self, struct error *err)
{
    struct row_sums *row_sums = self;
    struct row_sums_taking *taking = &row_sums->taking;
    const struct state_array array = state_array_of(row_sums, taking->state);

    if (!taking->is_active)
        return state_corrupt(err, "it has no head");
    if (state_arrays_hash(&array, 1) != taking->body_hash) {
        take_abandon(row_sums);
        return state_corrupt(err, "its checksum does not match its bytes");
    }
    free(row_sums->state);
    row_sums->state = taking->state;
    row_sums->phase = taking->phase;
    *taking = (struct row_sums_taking){.is_active = false};
    measuring_deinit(&row_sums->measuring);
    describe_phase(row_sums);
    guard_state(row_sums);
    return STATUS_OK;
}

static void restart(void *self)
{
    struct row_sums *row_sums = self;

    take_abandon(row_sums);
    measuring_deinit(&row_sums->measuring);
    memset(row_sums->state, 0, state_bytes(row_sums));
    row_sums->phase = (struct phase){.number = 0};
    describe_phase(row_sums);
    guard_state(row_sums);
}

/* ---- the model ---- */

static enum status measure(void *self, bool *is_done, struct error *err)
{
    struct row_sums *row_sums = self;

    *is_done = false;
    if (row_sums->phase.kind != PHASE_DONE)
        return fail(err, STATUS_INVALID, "the model is not learned yet");
    if (measuring_has_begun(&row_sums->measuring))
        return measuring_run(&row_sums->measuring, is_done, err);
    row_sums->model = measuring_model(row_sums->spec, row_sums->dataset);
    row_sums->method.fill(row_sums->method.self, row_sums->state, &row_sums->model);
    TRY(measuring_begin(&row_sums->measuring, &row_sums->model, row_sums->spec, row_sums->dataset,
                        row_sums->team, row_sums->method.row_work, err));
    if (row_sums->method.tell)
        row_sums->method.tell(row_sums->method.self, row_sums->state, &row_sums->measuring.notices);
    return STATUS_OK;
}

static enum status result(const void *self, char digest[DIGEST_BYTES], uint64_t *rows,
                          struct result_metric metrics[LEARNER_METRICS_MAX], size_t *metric_count,
                          struct error *err)
{
    const struct row_sums *row_sums = self;

    return measuring_result(&row_sums->measuring, &row_sums->model, digest, rows, metrics,
                            metric_count, err);
}

static enum status publish(const void *self, const char *digest, uint64_t *next, size_t bytes_max,
                           bool *is_at_end, model_row_sink *sink, void *context, struct error *err)
{
    const struct row_sums *row_sums = self;

    return measuring_publish(&row_sums->measuring, row_sums->model, digest, next, bytes_max,
                             is_at_end, sink, context, err);
}

/* ---- memory, and what workers have in common ---- */

static uint64_t fingerprint_of(const void *self)
{
    return ((const struct row_sums *)self)->fingerprint;
}

static uint64_t check(const void *self)
{
    const struct row_sums *row_sums = self;
    struct text bytes;
    uint64_t hash;

    text_init(&bytes, FINGERPRINT_BYTES);
    put_place(&row_sums->phase, &bytes);
    put_u32(&bytes, row_sums->state_sum);
    put_u32(&bytes, words_mix(row_sums->state, row_sums->method.state_count * 2));
    hash = bytes_hash(bytes.data, bytes.size, row_sums->fingerprint);
    text_deinit(&bytes);
    return hash;
}

static uint64_t contributed(const void *self)
{
    return ((const struct row_sums *)self)->contributed;
}

static uint64_t waited_ms(const void *self)
{
    return dataset_waited_ms(((const struct row_sums *)self)->dataset);
}

/* A round needs all rows. */
static struct learner_course course(const void *self)
{
    const struct row_sums *row_sums = self;

    return (struct learner_course){row_store_expects(row_sums->dataset) ? 1 : 0, 1};
}

static enum status verify_rows(void *self, uint64_t *position, uint64_t most, struct error *err)
{
    return row_store_verify(((const struct row_sums *)self)->dataset, position, most, err);
}

static void *memory(void *self, const char *name, size_t *size)
{
    struct row_sums *row_sums = self;
    float *dense = row_sums->dataset->train.dense;
    int32_t *ids = row_sums->dataset->train.ids;
    const uint64_t *range = row_sums->starts + (size_t)row_sums->computed * row_sums->ranges;
    const size_t width = row_sums->dataset->transform.dense_width;
    const size_t id_count = row_sums->dataset->transform.id_count;

    *size = state_bytes(row_sums);
    if (strcmp(name, "weights") == 0)
        return row_sums->state;
    if (strcmp(name, "ids") == 0) {
        *size = (range[1] - range[0]) * id_count * sizeof *ids;
        return ids && *size > 0 ? ids + range[0] * id_count : NULL;
    }
    *size = (range[1] - range[0]) * width * sizeof(float);
    return strcmp(name, "rows") == 0 && dense && *size > 0 ? dense + range[0] * width : NULL;
}

/* ---- open ---- */

static enum status use_team(void *self, struct team *team, struct error *err)
{
    struct row_sums *row_sums = self;
    (void)err;

    measuring_deinit(&row_sums->measuring);
    row_sums->team = team;
    return STATUS_OK;
}

static const struct learning table = {
    .close = row_sums_close,
    .use_team = use_team,
    .restart = restart,
    .lanes = row_sums_lanes,
    .elements_most = elements_most,
    .phase = row_sums_phase,
    .steps_total = steps_total,
    .contribute = row_sums_contribute,
    .apply = row_sums_apply,
    .state_head = state_head,
    .state_bytes = state_bytes,
    .state_read = state_read,
    .take_begin = take_begin,
    .take_piece = take_piece,
    .take_end = take_end,
    .take_abandon = take_abandon,
    .measure = measure,
    .result = result,
    .publish = publish,
    .fingerprint = fingerprint_of,
    .check = check,
    .contributed = contributed,
    .verify = verify,
    .verify_used = verify_used,
    .verify_rows = verify_rows,
    .waited_ms = waited_ms,
    .course = course,
    .memory = memory,
};

enum status row_sums_open(const struct jobspec *spec, const struct dataset *dataset,
                          struct team *team, const struct row_sums_method *method,
                          struct learning *learning, struct error *err)
{
    struct row_sums *row_sums = calloc(1, sizeof *row_sums);
    enum status status;

    if (!row_sums) {
        method->close(method->self);
        return fail_no_memory(err);
    }
    row_sums->spec = spec;
    row_sums->dataset = dataset;
    row_sums->team = team;
    row_sums->method = *method;
    row_sums->rows = dataset->train.rows;
    row_sums->lanes =
        job_lanes(spec->lanes, spec->lanes_max, (uint32_t)row_sums->rows, method->lane_work);
    row_sums->ranges = 1 + (uint32_t)(row_store_bytes(dataset, row_sums->rows) / row_sums->lanes /
                                      ROW_LANES_BUCKET_BYTES);
    TRY_OR(failed, status, allocate(row_sums, err));
    dataset_share_out(dataset, &dataset->train, row_sums->lanes * row_sums->ranges,
                      row_sums->starts);
    TRY_OR(failed, status, compute_fingerprint(row_sums, err));
    restart(row_sums);
    *learning = table;
    learning->self = row_sums;
    return STATUS_OK;
failed:
    row_sums_close(row_sums);
    return status;
}
