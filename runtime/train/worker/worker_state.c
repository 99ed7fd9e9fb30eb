#include "runtime/train/worker/worker_state.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/train/worker/worker_damage.h"
#include "runtime/train/worker/worker_parts.h"
#include "runtime/train/worker/worker_phase.h"
#include "runtime/train/worker/worker_report.h"
#include "runtime/train/worker/worker_snapshot.h"
#include "runtime/train/worker/worker_switch.h"

static uint64_t first_of(const struct record_ring *ring)
{
    return ring->count > ring->most ? ring->count - ring->most : 0;
}

/* ---- the own state as bytes ---- */

static void put_ring(struct text *out, const struct record_ring *ring)
{
    put_u64(out, ring->count);
    for (uint64_t i = first_of(ring); i < ring->count; i++)
        message_put_progress(out, &ring->list[i % ring->most]);
}

static void read_ring(struct byte_reader *reader, struct record_ring *ring)
{
    ring->count = read_u64(reader);
    for (uint64_t i = first_of(ring); i < ring->count && !reader->failed; i++)
        message_read_progress(reader, &ring->list[i % ring->most]);
}

/* The part of a state before the learner's. */
struct told {
    uint64_t rows_done, loss_rows;
    double loss_total;
};

/* Without memory *front has failed. */
static void put_front(struct learner *learner, const struct told *told,
                      const struct record_ring *records, const struct record_ring *evaluations,
                      struct text *front, struct error *err)
{
    struct text inside;

    text_init(&inside, STATE_FRONT_BYTES_MAX);
    put_u64(&inside, told->rows_done);
    put_f64(&inside, told->loss_total);
    put_u64(&inside, told->loss_rows);
    put_ring(&inside, records);
    put_ring(&inside, evaluations);
    (void)learner_state_head(learner, &inside, err);
    if (!inside.failed)
        put_sized(front, text_slice(&inside));
    front->failed |= inside.failed;
    text_deinit(&inside);
}

enum status worker_state_front(struct learner *learner, uint64_t rows_done, struct text *front,
                               struct error *err)
{
    const struct record_ring none = {.most = 0};

    put_front(learner, &(struct told){.rows_done = rows_done}, &none, &none, front, err);
    return front->failed ? fail_no_memory(err) : STATUS_OK;
}

enum status worker_make_front(struct worker *worker, struct error *err)
{
    const struct told told = {worker->rows_done, worker->loss_rows, worker->loss_total};

    if (worker->front.size > 0 && worker->front_phase == worker->learner->phase.number)
        return STATUS_OK;
    TRY(learner_verify(worker->learner, LOOK_AT_ALL, NULL, err));
    text_clear(&worker->front);
    put_front(worker->learner, &told, &worker->records, &worker->evaluations, &worker->front, err);
    worker->front_phase = worker->learner->phase.number;
    return worker->front.failed ? fail_no_memory(err) : STATUS_OK;
}

void worker_read_state(const struct worker *worker, const struct text *front, uint64_t offset,
                       size_t size, char *bytes)
{
    worker_state_read(worker->learner, front, offset, size, bytes);
}

void worker_state_read(struct learner *learner, const struct text *front, uint64_t offset,
                       size_t size, char *bytes)
{
    size_t of_front = 0;

    if (offset < front->size) {
        of_front = front->size - offset < size ? front->size - offset : size;
        memcpy(bytes, front->data + offset, of_front);
    }
    if (of_front < size)
        learner_state_read(learner, offset + of_front - front->size, size - of_front,
                           bytes + of_front);
}

static uint64_t total_of(const struct worker *worker)
{
    return worker->front.size + learner_state_bytes(worker->learner);
}

static enum status read_told(struct byte_reader *reader, struct told *told,
                             struct record_ring *records, struct record_ring *evaluations,
                             struct error *err)
{
    const size_t bytes = (size_t)(reader->end - reader->at);

    told->rows_done = read_u64(reader);
    told->loss_total = read_f64(reader);
    told->loss_rows = read_u64(reader);
    read_ring(reader, records);
    read_ring(reader, evaluations);
    if (reader->failed)
        return fail(err, STATUS_CORRUPT, "a worker's state of %zu bytes is cut", bytes);
    return STATUS_OK;
}

/* ---- giving ---- */

static size_t least(uint64_t a, uint64_t b)
{
    return (size_t)(a < b ? a : b);
}

static uint64_t window_of(const struct worker *worker)
{
    const uint32_t pieces = worker->options.state_pieces;

    return (uint64_t)worker->options.state_piece_bytes * (pieces > 0 ? pieces : 1);
}

/* The bytes [offset, end) of the own state. */
static enum status send_pieces(struct worker *worker, uint32_t to, uint64_t offset, uint64_t end,
                               struct outbox *outbox, struct error *err)
{
    struct message reply = worker_message(worker, MESSAGE_STATE);
    char *piece = malloc(worker->options.state_piece_bytes);

    if (!piece)
        return fail_no_memory(err);
    reply.state.phase = worker->learner->phase.number;
    reply.state.total = total_of(worker);
    while (offset < end) {
        const size_t size = least(end - offset, worker->options.state_piece_bytes);

        worker_read_state(worker, &worker->front, offset, size, piece);
        reply.state.offset = offset;
        reply.state.bytes = (struct slice){piece, size};
        outbox_send(outbox, worker->peers[to].peer, &reply);
        offset += size;
    }
    free(piece);
    return STATUS_OK;
}

/* No member can finish this phase before the one that asks takes part in it, so the state does not
 * change until all of it is sent. */
static void send_state(struct worker *worker, uint32_t to, uint64_t offset, struct outbox *outbox)
{
    struct error err;
    uint64_t total, end;

    error_clear(&err);
    if (worker_make_front(worker, &err) != STATUS_OK) {
        worker_fail_or_damaged(worker, &err, outbox);
        return;
    }
    total = total_of(worker);
    if (offset >= total) {
        worker_lose_member(worker, to, outbox);
        return;
    }
    end = offset + least(total - offset, window_of(worker));
    if (send_pieces(worker, to, offset, end, outbox, &err) != STATUS_OK) {
        worker_fail(worker, &err, outbox);
    } else if (end == total) {
        worker->peers[to].is_owed_state = false;
        worker->peers[to].has_been_given_state = true;
    }
}

bool worker_owes_state(const struct worker *worker)
{
    for (uint32_t rank = 0; rank < worker->group.count; rank++)
        if (worker->peers[rank].is_owed_state)
            return true;
    return false;
}

/* Rank 0 is asked for a state that it is still to get, from the master or from a member. */
static bool comes_before_state(const struct worker *worker, uint64_t phase)
{
    return worker->group.rank == 0 && worker->state == WORKER_FETCHING && phase == worker->target;
}

void worker_on_state_request(struct worker *worker, int64_t now_ms, uint32_t from,
                             const struct message *message, struct outbox *outbox)
{
    if (message->state_request.phase == worker->learner->phase.number) {
        send_state(worker, from, message->state_request.offset, outbox);
        worker_go_if_finished(worker, now_ms, outbox);
    } else if (message->state_request.offset == 0 &&
               comes_before_state(worker, message->state_request.phase)) {
        worker->peers[from].waits_for_state = true;
    } else {
        worker_lose_member(worker, from, outbox);
    }
}

static void serve_waiting(struct worker *worker, struct outbox *outbox)
{
    for (uint32_t rank = 0; rank < worker->group.count; rank++) {
        if (worker->peers[rank].waits_for_state)
            send_state(worker, rank, 0, outbox);
        worker->peers[rank].waits_for_state = false;
    }
}

/* ---- taking ---- */

void worker_forget_incoming(struct worker *worker)
{
    if (worker->incoming.has_front)
        learner_take_abandon(worker->learner);
    text_deinit(&worker->incoming.front);
    worker->incoming = (struct incoming_state){.total = 0};
    text_init(&worker->incoming.front, sizeof(uint32_t) + STATE_FRONT_BYTES_MAX);
}

void worker_request_state(struct worker *worker, struct outbox *outbox)
{
    struct message message = worker_message(worker, MESSAGE_STATE_REQUEST);
    struct incoming_state *incoming = &worker->incoming;
    const bool is_stored = worker->source == SOURCE_MASTER;

    message.state_request.phase = worker->target;
    message.state_request.offset = is_stored ? incoming->received : incoming->asked;
    incoming->asked += window_of(worker);
    outbox_send(outbox, is_stored ? worker->master : worker->peers[worker->source].peer, &message);
}

/* The piece that follows what is here; false: it is none. */
static bool is_next_piece(const struct worker *worker, const struct message_state *state)
{
    const struct incoming_state *incoming = &worker->incoming;

    return worker->state == WORKER_FETCHING && state->phase == worker->target &&
           state->offset == incoming->received && state->bytes.size > 0 &&
           (incoming->total == 0 || state->total == incoming->total) &&
           state->bytes.size <= state->total - incoming->received;
}

/* The size of the front, its four bytes of length included; 0: not known yet. */
static uint64_t front_size(const struct text *front)
{
    struct byte_reader reader = byte_reader_over(text_slice(front));

    return front->size < sizeof(uint32_t) ? 0 : sizeof(uint32_t) + (uint64_t)read_u32(&reader);
}

/* Takes from the bytes what belongs to the front. */
static void fill_front(struct text *front, uint64_t size, struct slice *bytes)
{
    const size_t part = least(size - front->size, bytes->size);

    text_append(front, (struct slice){bytes->data, part});
    bytes->data += part;
    bytes->size -= part;
}

static enum status begin_taking(struct worker *worker, uint64_t front_bytes, struct error *err)
{
    struct incoming_state *incoming = &worker->incoming;
    struct record_ring records, evaluations;
    struct byte_reader reader = byte_reader_over(text_slice(&incoming->front));
    struct told told;
    enum status status = worker_make_rings(&records, &evaluations, err);

    read_u32(&reader);
    if (status == STATUS_OK)
        status = read_told(&reader, &told, &records, &evaluations, err);
    free(records.list);
    free(evaluations.list);
    TRY(status);
    TRY(learner_take_begin(
        worker->learner, (struct slice){(const char *)reader.at, (size_t)(reader.end - reader.at)},
        incoming->total - front_bytes, err));
    incoming->has_front = true;
    return STATUS_OK;
}

static enum status take_bytes(struct worker *worker, struct slice bytes, struct error *err)
{
    struct incoming_state *incoming = &worker->incoming;
    struct text *front = &incoming->front;
    uint64_t size;

    if (!incoming->has_front) {
        if (front->size < sizeof(uint32_t))
            fill_front(front, sizeof(uint32_t), &bytes);
        size = front_size(front);
        if (size > incoming->total || size > front->maximum)
            return fail(err, STATUS_CORRUPT, "a worker's state of %llu bytes is cut",
                        (unsigned long long)incoming->total);
        if (size > 0)
            fill_front(front, size, &bytes);
        if (front->failed)
            return fail_no_memory(err);
        if (size == 0 || front->size < size)
            return STATUS_OK;
        TRY(begin_taking(worker, size, err));
    }
    if (bytes.size > 0)
        learner_take_piece(worker->learner, incoming->received - bytes.size - front->size, bytes);
    return STATUS_OK;
}

/* The records that the giver had sent to the master, beside the learner's own state. */
static enum status take_told(struct worker *worker, struct error *err)
{
    struct byte_reader reader = byte_reader_over(text_slice(&worker->incoming.front));
    struct told told;

    read_u32(&reader);
    TRY(read_told(&reader, &told, &worker->records, &worker->evaluations, err));
    worker->rows_done = told.rows_done;
    worker->loss_total = told.loss_total;
    worker->loss_rows = told.loss_rows;
    return STATUS_OK;
}

static enum status end_taking(struct worker *worker, struct error *err)
{
    if (!worker->incoming.has_front)
        return fail(err, STATUS_CORRUPT, "a worker's state of %llu bytes is cut",
                    (unsigned long long)worker->incoming.total);
    worker_keep_snapshot(worker);
    TRY(learner_take_end(worker->learner, err));
    worker->lanes_opened = 0;
    worker->incoming.has_front = false;
    TRY(take_told(worker, err));
    if (worker->learner->phase.number != worker->target)
        return fail(err, STATUS_PROTOCOL, "a state of phase %llu, expected %llu",
                    (unsigned long long)worker->learner->phase.number,
                    (unsigned long long)worker->target);
    return STATUS_OK;
}

/* OK and is_whole: this worker is where the giver was. */
static enum status take_piece(struct worker *worker, const struct message_state *state,
                              bool *is_whole, struct error *err)
{
    struct incoming_state *incoming = &worker->incoming;
    enum status status;

    incoming->total = state->total;
    incoming->received += state->bytes.size;
    *is_whole = incoming->received == incoming->total;
    status = take_bytes(worker, state->bytes, err);
    if (status == STATUS_OK && *is_whole)
        status = end_taking(worker, err);
    if (status != STATUS_OK || *is_whole)
        worker_forget_incoming(worker);
    return status;
}

static void begin_with_state(struct worker *worker, int64_t now_ms, struct outbox *outbox)
{
    serve_waiting(worker, outbox);
    worker_repeat_records(worker, outbox);
    worker_begin_phase(worker, now_ms, outbox);
}

void worker_on_state(struct worker *worker, int64_t now_ms, uint32_t from,
                     const struct message *message, struct outbox *outbox)
{
    const struct incoming_state *incoming = &worker->incoming;
    struct error err;
    bool is_whole;

    if (from != worker->source || !is_next_piece(worker, &message->state)) {
        worker_lose_member(worker, from, outbox);
        return;
    }
    error_clear(&err);
    if (take_piece(worker, &message->state, &is_whole, &err) != STATUS_OK) {
        if (err.status == STATUS_CORRUPT) /* the giver finds out when it goes on */
            worker_lose_member(worker, from, outbox);
        else
            worker_fail(worker, &err, outbox);
    } else if (is_whole)
        begin_with_state(worker, now_ms, outbox);
    else if (incoming->asked < incoming->total &&
             incoming->asked <= incoming->received + window_of(worker))
        worker_request_state(worker, outbox);
}

/* A checkpoint that does not fit is no reason to fail: the master drops it, and
 * the next group begins without. */
void worker_on_checkpoint_state(struct worker *worker, int64_t now_ms,
                                const struct message *message, struct outbox *outbox)
{
    struct message refused = worker_message(worker, MESSAGE_STATE_REFUSED);
    struct error err;
    bool is_whole;

    if (message->epoch != worker->group.epoch || worker->source != SOURCE_MASTER ||
        !is_next_piece(worker, &message->state))
        return; /* a piece for an earlier group */
    error_clear(&err);
    if (take_piece(worker, &message->state, &is_whole, &err) == STATUS_OK) {
        if (is_whole)
            begin_with_state(worker, now_ms, outbox);
        else
            worker_request_state(worker, outbox);
        return;
    }
    refused.refusal.phase = worker->target;
    refused.refusal.reason = slice_of(err.message);
    outbox_send(outbox, worker->master, &refused);
}
