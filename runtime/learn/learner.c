#include "runtime/learn/learner.h"

#include <stdlib.h>
#include <string.h>

#include "base/file_memory.h"
#include "base/sums/hash.h"
#include "base/sums/words.h"
#include "jobspec/job_size.h"
#include "jobspec/jobspec_fingerprint.h"
#include "runtime/data/dataset/row_lanes.h"
#include "runtime/data/dataset/row_store.h"
#include "runtime/data/dataset_open.h"
#include "runtime/learn/learner_state.h"

#define FINGERPRINT_BYTES ((size_t)1 << 20)

/* ---- arrays ---- */

struct listed {
    struct learner_array arrays[LEARNER_ARRAYS_MAX];
    uint32_t count;
};

static struct listed list_arrays(struct learner *learner)
{
    struct listed listed;

    listed.count = learner->method->arrays(learner, listed.arrays);
    return listed;
}

/* Where the bytes of the state are, or will be. */
static void list_own(const struct listed *listed, struct state_array list[LEARNER_ARRAYS_MAX])
{
    for (uint32_t i = 0; i < listed->count; i++)
        list[i] = (struct state_array){*listed->arrays[i].at, listed->arrays[i].bytes};
}

static void list_taken(const struct learner_taking *taking, uint32_t count,
                       struct state_array list[LEARNER_ARRAYS_MAX])
{
    for (uint32_t i = 0; i < count; i++)
        list[i] = (struct state_array){taking->arrays[i], taking->bytes[i]};
}

static enum status new_array(const struct learner *learner, const struct learner_array *array,
                             uint64_t bytes, void **memory, struct error *err)
{
    *memory = NULL;
    if (bytes == 0)
        return STATUS_OK;
    if (array->traits & LEARNER_IN_FILE)
        return file_memory_new(learner->dataset->folder, bytes, memory, err);
    *memory = calloc(bytes, 1);
    return *memory ? STATUS_OK : fail_no_memory(err);
}

static void free_array(const struct learner_array *array, void *memory, uint64_t bytes)
{
    if (array->traits & LEARNER_IN_FILE)
        file_memory_free(memory, bytes);
    else
        free(memory);
}

/* ---- guards ---- */

static void guard_array(const struct learner_array *array, struct learner_guard *guard)
{
    const uint64_t known = array->traits & LEARNER_APPENDED ? guard->bytes : 0;
    const char *from = (const char *)*array->at + known;
    const size_t words = (size_t)(array->bytes - known) / sizeof(uint32_t);

    if (known == 0)
        *guard = (struct learner_guard){.sum = 0};
    guard->bytes = array->bytes;
    if (words == 0)
        return;
    guard->sum += words_sum(from, words);
    guard->mixed += words_mix(from, words);
}

static void guard_arrays(struct learner *learner)
{
    const struct listed listed = list_arrays(learner);

    for (uint32_t i = 0; i < listed.count; i++)
        if (!(listed.arrays[i].traits & LEARNER_OWN))
            guard_array(&listed.arrays[i], &learner->guards[i]);
}

/* The arrays of all these traits, where these are not the method's own matter. */
static enum status verify_arrays(struct learner *learner, unsigned traits, struct error *err)
{
    const struct listed listed = list_arrays(learner);

    for (uint32_t i = 0; i < listed.count; i++) {
        const struct learner_array *array = &listed.arrays[i];

        if (array->traits & LEARNER_OWN || (array->traits & traits) != traits || array->bytes == 0)
            continue;
        if (words_sum(*array->at, array->bytes / sizeof(uint32_t)) != learner->guards[i].sum)
            return memory_damaged(err, array->what);
    }
    return STATUS_OK;
}

enum status learner_verify(struct learner *learner, enum learner_look look,
                           const struct touched_rows *rows, struct error *err)
{
    const struct learner_method *method = learner->method;

    if (learner->taking.is_active && learner->taking.in_place)
        return STATUS_OK; /* another state is being written over that of the beginning */
    TRY(verify_arrays(learner, look == LOOK_AT_ALL ? 0 : LEARNER_USED, err));
    return method->verify ? method->verify(learner, look, rows, err) : STATUS_OK;
}

enum status learner_verify_rows(struct learner *learner, uint64_t *position, uint64_t most,
                                struct error *err)
{
    return learner->method->verify_rows ? learner->method->verify_rows(learner, position, most, err)
                                        : row_store_verify(learner->dataset, position, most, err);
}

/* ---- the fields of a state ---- */

static void put_progress(const struct learner *learner, struct text *out)
{
    put_u64(out, learner->phase.number);
    put_u32(out, learner->phase.kind);
    put_u64(out, learner->phase.step);
    if (learner->method->progress)
        fields_put(out, learner->method->progress(), learner->progress);
}

uint64_t learner_check(struct learner *learner)
{
    const struct listed listed = list_arrays(learner);
    struct text bytes;
    uint64_t hash;

    text_init(&bytes, FINGERPRINT_BYTES);
    put_progress(learner, &bytes);
    for (uint32_t i = 0; i < listed.count; i++) {
        put_u32(&bytes, learner->guards[i].sum);
        put_u32(&bytes, learner->guards[i].mixed);
    }
    hash = bytes_hash(bytes.data, bytes.size, learner->fingerprint);
    text_deinit(&bytes);
    return hash;
}

static enum status compute_fingerprint(struct learner *learner, struct error *err)
{
    struct text bytes;
    bool failed;

    text_init(&bytes, FINGERPRINT_BYTES);
    jobspec_put_settings(learner->spec, &bytes);
    put_u32(&bytes, learner->lanes);
    learner->method->put_shape(learner, &bytes);
    state_put_data(learner->dataset, &bytes);
    learner->fingerprint = bytes_hash(bytes.data, bytes.size, 0);
    failed = bytes.failed;
    text_deinit(&bytes);
    return failed ? fail_no_memory(err) : STATUS_OK;
}

/* ---- rows of lanes ---- */

enum status learner_share_out(struct learner *learner, uint32_t lanes, uint32_t ranges,
                              struct error *err)
{
    const struct dataset *dataset = learner->dataset;

    learner->lanes = lanes;
    learner->ranges = ranges;
    learner->starts = calloc((size_t)lanes * ranges + 1, sizeof *learner->starts);
    if (!learner->starts)
        return fail_no_memory(err);
    dataset_share_out(dataset, &dataset->train, lanes * ranges, learner->starts);
    return STATUS_OK;
}

enum status learner_cut(struct learner *learner, uint64_t lane_work, struct error *err)
{
    const struct jobspec *spec = learner->spec;
    const uint64_t rows = learner->dataset->train.rows;
    const uint32_t counted = rows < UINT32_MAX ? (uint32_t)rows : UINT32_MAX;
    const uint32_t lanes = job_lanes(spec->lanes, spec->lanes_max, counted, lane_work);
    const uint64_t bytes = row_store_bytes(learner->dataset, rows);

    return learner_share_out(learner, lanes, 1 + (uint32_t)(bytes / lanes / ROW_LANES_BUCKET_BYTES),
                             err);
}

enum status learner_hold(const struct learner *learner, uint32_t range, struct error *err)
{
    const struct dataset *dataset = learner->dataset;
    const uint64_t *starts = learner->starts;

    TRY(row_store_hold(dataset, &dataset->train, starts[range], starts[range + 1], learner->team,
                       err));
    if ((range + 1) % learner->ranges != 0)
        row_store_expect(dataset, &dataset->train, starts[range + 1], starts[range + 2]);
    return STATUS_OK;
}

void learner_release(const struct learner *learner, uint32_t range)
{
    row_store_release(learner->dataset, &learner->dataset->train, learner->starts[range],
                      learner->starts[range + 1]);
}

static enum status begin_anew(struct learner *learner, struct error *err);

/* ---- open and close ---- */

static enum status open_state(struct learner *learner, struct error *err)
{
    const struct listed listed = list_arrays(learner);

    if (learner->course.buckets == 0)
        learner->course = (struct learner_course){row_store_expects(learner->dataset) ? 1 : 0, 1};
    for (uint32_t i = 0; i < listed.count; i++)
        if (!*listed.arrays[i].at)
            TRY(new_array(learner, &listed.arrays[i], listed.arrays[i].bytes, listed.arrays[i].at,
                          err));
    TRY(compute_fingerprint(learner, err));
    return begin_anew(learner, err);
}

void learner_close(struct learner *learner)
{
    const struct listed listed = list_arrays(learner);

    for (uint32_t i = 0; i < listed.count; i++) {
        const struct learner_array *array = &listed.arrays[i];

        if (learner->taking.arrays[i] != *array->at)
            free_array(array, learner->taking.arrays[i], learner->taking.bytes[i]);
        free_array(array, *array->at, array->bytes);
        *array->at = NULL;
    }
    free(learner->taking.progress);
    free(learner->starts);
    measuring_deinit(&learner->measuring);
    learner->method->close(learner);
    free(learner);
}

enum status learner_open(const struct learner_method *method, const void *subject,
                         const struct jobspec *spec, const struct dataset *dataset,
                         struct team *team, struct learner **out, struct error *err)
{
    struct learner *learner = calloc(1, method->bytes);
    enum status status;

    if (!learner)
        return fail_no_memory(err);
    learner->method = method;
    learner->subject = subject;
    learner->progress = method->progress ? (char *)learner + method->progress_at : NULL;
    learner->spec = spec;
    learner->dataset = dataset;
    learner->team = team;
    status = method->plan(learner, err);
    if (status == STATUS_OK)
        status = open_state(learner, err);
    if (status == STATUS_OK)
        *out = learner;
    else
        learner_close(learner);
    return status;
}

enum status learner_use_team(struct learner *learner, struct team *team, struct error *err)
{
    /* A model whose rows are being sent keeps what was measured. */
    if (!learner->measuring.is_done)
        measuring_deinit(&learner->measuring);
    learner->team = team;
    return learner->method->use_team ? learner->method->use_team(learner, err) : STATUS_OK;
}

/* ---- from state to state ---- */

static void describe_phase(struct learner *learner)
{
    struct phase *phase = &learner->phase;

    phase->rows = 0;
    phase->integer_count = phase->owned_count = phase->real_count = 0;
    phase->table = (struct phase_table){.rows = 0};
    learner->method->describe(learner);
}

/* The arrays, phase and fields are those of another state. */
static enum status enter_state(struct learner *learner, const struct learner_taking *taken,
                               struct error *err)
{
    measuring_deinit(&learner->measuring);
    learner->model = (struct model){.content = NULL};
    memset(learner->guards, 0, sizeof learner->guards);
    TRY(learner->method->enter(learner, taken, err));
    describe_phase(learner);
    guard_arrays(learner);
    return STATUS_OK;
}

/* Frees what came, but for what the learner has itself. */
static void drop_taking(struct learner *learner)
{
    struct learner_taking *taking = &learner->taking;
    const struct listed listed = list_arrays(learner);

    for (uint32_t i = 0; i < listed.count; i++)
        if (taking->arrays[i] != *listed.arrays[i].at)
            free_array(&listed.arrays[i], taking->arrays[i], taking->bytes[i]);
    free(taking->progress);
    *taking = (struct learner_taking){.is_active = false};
}

/* An array in a file is as large as a disk, and written before it is read. */
static enum status begin_anew(struct learner *learner, struct error *err)
{
    const struct listed listed = list_arrays(learner);

    for (uint32_t i = 0; i < listed.count; i++)
        if (!(listed.arrays[i].traits & LEARNER_IN_FILE) && listed.arrays[i].bytes > 0)
            memset(*listed.arrays[i].at, 0, listed.arrays[i].bytes);
    learner->phase = (struct phase){.number = 0};
    if (learner->progress)
        memset(learner->progress, 0, learner->method->progress_bytes);
    return enter_state(learner, NULL, err);
}

void learner_restart(struct learner *learner)
{
    struct error err;

    drop_taking(learner);
    error_clear(&err);
    (void)begin_anew(learner, &err); /* which did not fail when it was opened */
}

/* ---- phases ---- */

bool learner_opens_lanes(const struct learner *learner)
{
    return learner->method->lane_open;
}

/* Rows that come from elsewhere may keep it waiting. */
static void note_waiting(struct learner *learner)
{
    if (learner->dataset)
        learner->waited_ms = dataset_waited_ms(learner->dataset);
}

uint32_t learner_lane_open(struct learner *learner, uint32_t first, uint32_t count, uint32_t done)
{
    done = learner->method->lane_open(learner, first, count, done);
    note_waiting(learner);
    return done;
}

enum status learner_contribute(struct learner *learner, uint32_t first, uint32_t count,
                               int64_t *integers, int64_t *sums, struct touched_rows *rows,
                               uint32_t *done, struct error *err)
{
    enum status status;

    *done = 1;
    learner->computed = first;
    status = learner->method->contribute(learner, first, count, integers, sums, rows, done, err);
    note_waiting(learner);
    return status;
}

struct fixed_resolved learner_resolve(const struct learner *learner, const int64_t *fixed,
                                      uint32_t first, uint32_t count, float *reals)
{
    return learner->method->resolve(learner, fixed, first, count, reals);
}

enum status learner_apply(struct learner *learner, const struct phase_totals *totals,
                          struct learner_report *report, struct error *err)
{
    *report = (struct learner_report){.epoch = learner->phase.epoch + 1};
    if (learner->phase.kind == PHASE_DONE)
        return fail(err, STATUS_FAILED, "nothing is left to learn");
    TRY(learner_verify(learner, LOOK_AT_READ, totals->rows, err));
    TRY(learner->method->apply(learner, totals, report, err));
    learner->phase.number++;
    describe_phase(learner);
    guard_arrays(learner);
    return STATUS_OK;
}

void learner_end_soon(struct learner *learner)
{
    learner->is_time_over = true;
}

/* ---- the state, read ---- */

uint64_t learner_state_bytes(struct learner *learner)
{
    const struct listed listed = list_arrays(learner);
    struct state_array list[LEARNER_ARRAYS_MAX];

    list_own(&listed, list);
    return state_arrays_bytes(list, listed.count);
}

void learner_state_read(struct learner *learner, uint64_t offset, size_t size, char *bytes)
{
    const struct listed listed = list_arrays(learner);
    struct state_array list[LEARNER_ARRAYS_MAX];

    list_own(&listed, list);
    state_arrays_read(list, listed.count, offset, size, bytes);
}

enum status learner_state_head(struct learner *learner, struct text *head, struct error *err)
{
    const struct listed listed = list_arrays(learner);
    const size_t start = state_head_begin(learner->fingerprint, head);
    struct state_array list[LEARNER_ARRAYS_MAX];

    list_own(&listed, list);
    put_progress(learner, head);
    for (uint32_t i = 0; i < listed.count; i++)
        put_u64(head, listed.arrays[i].bytes);
    put_u64(head, state_arrays_hash(list, listed.count));
    return state_head_end(head, start, err);
}

/* ---- the state, taken ---- */

static enum status read_progress(const struct learner *learner, struct byte_reader *head,
                                 struct learner_taking *taking, struct error *err)
{
    const struct learner_method *method = learner->method;

    taking->phase = (struct phase){.number = read_u64(head)};
    taking->phase.kind = (enum phase_kind)read_u32(head);
    taking->phase.step = read_u64(head);
    if (!method->progress)
        return STATUS_OK;
    taking->progress = calloc(1, method->progress_bytes);
    if (!taking->progress)
        return fail_no_memory(err);
    (void)fields_read(head, method->progress(), taking->progress);
    return STATUS_OK;
}

/* CORRUPT for a head that no learner of this job has written. */
static enum status read_head(const struct learner *learner, const struct listed *listed,
                             struct slice bytes, struct learner_taking *taking, struct error *err)
{
    struct byte_reader head;

    TRY(state_head_open(bytes, learner->fingerprint, &head, err));
    TRY(read_progress(learner, &head, taking, err));
    for (uint32_t i = 0; i < listed->count; i++)
        taking->bytes[i] = read_u64(&head);
    taking->body_hash = read_u64(&head);
    if (!reader_is_done(&head) || taking->phase.kind > PHASE_DONE ||
        !learner->method->is_possible(learner, taking))
        return state_corrupt(err, "its place in the job does not exist");
    return STATUS_OK;
}

static enum status check_sizes(const struct listed *listed, const struct learner_taking *taking,
                               uint64_t body_bytes, struct error *err)
{
    uint64_t left = body_bytes;

    for (uint32_t i = 0; i < listed->count; i++) {
        if ((!(listed->arrays[i].traits & LEARNER_SIZED) &&
             taking->bytes[i] != listed->arrays[i].bytes) ||
            taking->bytes[i] > left)
            return state_corrupt(err, "it has another size");
        left -= taking->bytes[i];
    }
    return left == 0 ? STATUS_OK : state_corrupt(err, "it has another size");
}

/* A state of which nothing is learned is written over. */
static enum status reserve_taking(const struct learner *learner, const struct listed *listed,
                                  struct learner_taking *taking, struct error *err)
{
    taking->in_place = learner->phase.number == 0;
    for (uint32_t i = 0; i < listed->count; i++) {
        const struct learner_array *array = &listed->arrays[i];

        if (taking->in_place && taking->bytes[i] == array->bytes)
            taking->arrays[i] = *array->at;
        else
            TRY(new_array(learner, array, taking->bytes[i], &taking->arrays[i], err));
    }
    return STATUS_OK;
}

void learner_take_abandon(struct learner *learner)
{
    if (learner->taking.is_active && learner->taking.in_place)
        learner_restart(learner);
    else
        drop_taking(learner);
}

enum status learner_take_begin(struct learner *learner, struct slice head, uint64_t body_bytes,
                               struct error *err)
{
    struct learner_taking *taking = &learner->taking;
    const struct listed listed = list_arrays(learner);
    enum status status;

    learner_take_abandon(learner);
    status = read_head(learner, &listed, head, taking, err);
    if (status == STATUS_OK)
        status = check_sizes(&listed, taking, body_bytes, err);
    if (status == STATUS_OK)
        status = reserve_taking(learner, &listed, taking, err);
    taking->is_active = status == STATUS_OK;
    if (status != STATUS_OK)
        drop_taking(learner);
    return status;
}

void learner_take_piece(struct learner *learner, uint64_t offset, struct slice bytes)
{
    const struct listed listed = list_arrays(learner);
    struct state_array list[LEARNER_ARRAYS_MAX];

    if (!learner->taking.is_active)
        return;
    list_taken(&learner->taking, listed.count, list);
    state_arrays_write(list, listed.count, offset, bytes);
}

/* Arrays, phase and fields that came take the place of the learner's own. */
static void swap_states(struct learner *learner, const struct listed *listed,
                        const struct learner_taking *taken)
{
    for (uint32_t i = 0; i < listed->count; i++) {
        const struct learner_array *array = &listed->arrays[i];

        if (taken->arrays[i] != *array->at)
            free_array(array, *array->at, array->bytes);
        *array->at = taken->arrays[i];
    }
    learner->phase = taken->phase;
    if (learner->progress)
        memcpy(learner->progress, taken->progress, learner->method->progress_bytes);
}

enum status learner_take_end(struct learner *learner, struct error *err)
{
    const struct listed listed = list_arrays(learner);
    struct state_array list[LEARNER_ARRAYS_MAX];
    struct learner_taking taken;
    enum status status;

    if (!learner->taking.is_active)
        return state_corrupt(err, "it has no head");
    list_taken(&learner->taking, listed.count, list);
    if (state_arrays_hash(list, listed.count) != learner->taking.body_hash) {
        learner_take_abandon(learner);
        return state_corrupt(err, "its checksum does not match its bytes");
    }
    taken = learner->taking;
    learner->taking = (struct learner_taking){.is_active = false};
    swap_states(learner, &listed, &taken);
    status = enter_state(learner, &taken, err);
    free(taken.progress);
    if (status != STATUS_OK)
        learner_restart(learner);
    return status;
}

void learner_take_weights(struct learner *learner, uint64_t first, const float *values,
                          uint64_t count)
{
    const struct listed listed = list_arrays(learner);

    memcpy((float *)*listed.arrays[0].at + first, values, count * sizeof *values);
}

void learner_end_learning(struct learner *learner)
{
    const struct learner_taking taken = {.is_active = false};
    struct error err;

    learner->phase = (struct phase){.number = learner->steps_total, .step = learner->steps_total};
    learner->phase.kind = learner->dataset->validation.rows > 0 ? PHASE_EVALUATION : PHASE_DONE;
    error_clear(&err);
    (void)enter_state(learner, &taken, &err); /* its fields and scales are those of a beginning */
}

/* ---- the model ---- */

enum status learner_measure(struct learner *learner, bool *is_done, struct error *err)
{
    const struct learner_method *method = learner->method;
    struct measuring *measuring = &learner->measuring;

    *is_done = false;
    if (learner->phase.kind != PHASE_DONE)
        return fail(err, STATUS_INVALID, "the model is not learned yet");
    if (method->measure)
        return method->measure(learner, is_done, err);
    if (measuring_has_begun(measuring))
        return measuring_run(measuring, is_done, err);
    learner->model = measuring_model(learner->spec, learner->dataset);
    TRY(method->fill(learner, &learner->model, err));
    TRY(measuring_begin(measuring, &learner->model, learner->spec, learner->dataset, learner->team,
                        learner->row_work, err));
    if (method->tell)
        method->tell(learner, measuring);
    return STATUS_OK;
}

enum status learner_result(const struct learner *learner, char digest[DIGEST_BYTES], uint64_t *rows,
                           struct result_metric metrics[LEARNER_METRICS_MAX], size_t *metric_count,
                           struct error *err)
{
    return learner->method->result
               ? learner->method->result(learner, digest, rows, metrics, metric_count, err)
               : measuring_result(&learner->measuring, &learner->model, digest, rows, metrics,
                                  metric_count, err);
}

enum status learner_publish(const struct learner *learner, const char *digest, uint64_t *next,
                            size_t bytes_max, bool *is_at_end, model_row_sink *sink, void *context,
                            struct error *err)
{
    if (learner->method->publish)
        return learner->method->publish(learner, digest, next, bytes_max, is_at_end, sink, context,
                                        err);
    if (!learner->model.content)
        return fail(err, STATUS_INVALID, "the model is not measured yet");
    return measuring_publish(&learner->measuring, learner->model, digest, next, bytes_max,
                             is_at_end, sink, context, err);
}

/* ---- memories by name ---- */

void *learner_rows_memory(struct learner *learner, const char *name, size_t *size)
{
    const struct dataset_part *part = &learner->dataset->train;
    const uint64_t *range = learner->starts + (size_t)learner->computed * learner->ranges;
    const size_t first = range[0], rows = range[1] - first;
    const size_t width = learner->dataset->transform.dense_width;
    const size_t ids = learner->dataset->transform.id_count;
    const struct {
        const char *name;
        void *bytes;
        size_t size;
    } memories[] = {
        {"rows", part->dense ? part->dense + first * width : NULL, rows * width * sizeof(float)},
        {"ids", part->ids ? part->ids + first * ids : NULL, rows * ids * sizeof(int32_t)},
        {"labels", part->labels ? part->labels + first : NULL, rows * sizeof *part->labels},
    };

    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++)
        if (strcmp(memories[i].name, name) == 0 && memories[i].size > 0) {
            *size = memories[i].size;
            return memories[i].bytes;
        }
    return NULL;
}

void *learner_memory(struct learner *learner, const char *name, size_t *size)
{
    const struct listed listed = list_arrays(learner);

    for (uint32_t i = 0; i < listed.count; i++) {
        const struct learner_array *array = &listed.arrays[i];

        if (!array->in_test || strcmp(array->in_test, name) != 0)
            continue;
        *size = array->bytes;
        return array->bytes > 0 ? *array->at : NULL;
    }
    *size = 0;
    return learner->method->memory ? learner->method->memory(learner, name, size)
                                   : learner_rows_memory(learner, name, size);
}
