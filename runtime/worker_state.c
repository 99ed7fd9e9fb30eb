/*
 * The state that one worker has and another continues from: the learner's, and
 * what has to be told to the master about the way there.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/worker_parts.h"

static const struct phase *phase_of(const struct worker *worker)
{
    return worker->learning.phase(worker->learning.self);
}

static uint64_t first_record(const struct worker *worker)
{
    return worker->record_count > WORKER_RECORDS_MAX ? worker->record_count - WORKER_RECORDS_MAX
                                                     : 0;
}

static enum status save(const struct worker *worker, struct text *out, struct error *err)
{
    put_u64(out, worker->rows_done);
    put_f64(out, worker->loss_total);
    put_u64(out, worker->loss_rows);
    put_u64(out, worker->record_count);
    for (uint64_t i = first_record(worker); i < worker->record_count; i++)
        message_put_progress(out, &worker->records[i % WORKER_RECORDS_MAX]);
    TRY(worker->learning.save(worker->learning.self, out, err));
    return out->failed ? fail_no_memory(err) : STATUS_OK;
}

/* What comes before the learner's part. */
struct told {
    uint64_t rows_done, loss_rows, record_count;
    double loss_total;
};

static enum status read_told(struct byte_reader *reader, struct told *told,
                             struct message_progress *records, struct error *err)
{
    const size_t bytes = (size_t)(reader->end - reader->at);
    uint64_t first;

    told->rows_done = read_u64(reader);
    told->loss_total = read_f64(reader);
    told->loss_rows = read_u64(reader);
    told->record_count = read_u64(reader);
    first = told->record_count > WORKER_RECORDS_MAX ? told->record_count - WORKER_RECORDS_MAX : 0;
    for (uint64_t i = first; i < told->record_count && !reader->failed; i++)
        message_read_progress(reader, &records[i % WORKER_RECORDS_MAX]);
    if (reader->failed)
        return fail(err, STATUS_CORRUPT, "a worker's state of %zu bytes is cut", bytes);
    return STATUS_OK;
}

/* All of it or nothing. */
static enum status load(struct worker *worker, struct slice bytes, struct error *err)
{
    struct byte_reader reader = byte_reader_over(bytes);
    struct message_progress *records = calloc(WORKER_RECORDS_MAX, sizeof *records);
    struct told told;
    enum status status;

    if (!records)
        return fail_no_memory(err);
    status = read_told(&reader, &told, records, err);
    if (status == STATUS_OK)
        status = worker->learning.load(
            worker->learning.self,
            (struct slice){(const char *)reader.at, (size_t)(reader.end - reader.at)}, err);
    if (status == STATUS_OK) {
        worker->rows_done = told.rows_done;
        worker->loss_total = told.loss_total;
        worker->loss_rows = told.loss_rows;
        worker->record_count = told.record_count;
        memcpy(worker->records, records, WORKER_RECORDS_MAX * sizeof *records);
    }
    free(records);
    return status;
}

void worker_request_state(struct worker *worker, struct outbox *outbox)
{
    struct message message = worker_message(worker, MESSAGE_STATE_REQUEST);
    peer_id from =
        worker->source == SOURCE_MASTER ? worker->master : worker->peers[worker->source].peer;

    message.state_request.phase = worker->target;
    message.state_request.offset = worker->state_bytes.size;
    outbox_send(outbox, from, &message);
}

static void send_state(struct worker *worker, uint32_t to, struct outbox *outbox)
{
    struct message reply = worker_message(worker, MESSAGE_STATE);
    struct text bytes;
    struct error err;

    text_init(&bytes, TEXT_MAXIMUM);
    error_clear(&err);
    if (save(worker, &bytes, &err) != STATUS_OK) {
        worker_fail(worker, &err, outbox);
        text_deinit(&bytes);
        return;
    }
    reply.state.phase = phase_of(worker)->number;
    reply.state.total = bytes.size;
    do {
        size_t left = bytes.size - reply.state.offset;
        size_t size = left < worker->options.piece_bytes ? left : worker->options.piece_bytes;

        reply.state.bytes = (struct slice){bytes.data + reply.state.offset, size};
        outbox_send(outbox, worker->peers[to].peer, &reply);
        reply.state.offset += size;
    } while (reply.state.offset < bytes.size);
    text_deinit(&bytes);
    worker->peers[to].is_owed_state = false;
    worker->peers[to].has_been_given_state = true;
}

bool worker_owes_state(const struct worker *worker)
{
    for (uint32_t rank = 0; rank < worker->group.count; rank++)
        if (worker->peers[rank].is_owed_state)
            return true;
    return false;
}

/* Rank 0 is asked for a state that it is still to get from the master. */
static bool comes_before_state(const struct worker *worker, uint64_t phase)
{
    return worker->group.rank == 0 && phase == worker->checkpoint &&
           (worker->state == WORKER_MEETING ||
            (worker->state == WORKER_FETCHING && worker->source == SOURCE_MASTER));
}

void worker_on_state_request(struct worker *worker, int64_t now_ms, uint32_t from,
                             const struct message *message, struct outbox *outbox)
{
    if (message->state_request.offset != 0) {
        worker_lose_member(worker, from, outbox);
        return;
    }
    if (message->state_request.phase == phase_of(worker)->number) {
        send_state(worker, from, outbox);
        worker_go_if_finished(worker, now_ms, outbox);
    } else if (comes_before_state(worker, message->state_request.phase)) {
        worker->peers[from].waits_for_state = true;
    } else {
        worker_lose_member(worker, from, outbox);
    }
}

static void serve_waiting(struct worker *worker, struct outbox *outbox)
{
    for (uint32_t rank = 0; rank < worker->group.count; rank++) {
        if (worker->peers[rank].waits_for_state)
            send_state(worker, rank, outbox);
        worker->peers[rank].waits_for_state = false;
    }
}

/* The piece that follows what is here; false: it is none. */
static bool take_piece(struct worker *worker, const struct message_state *state)
{
    if (worker->state != WORKER_FETCHING || state->phase != worker->target ||
        state->offset != worker->state_bytes.size || state->total > worker->state_bytes.maximum)
        return false;
    text_append(&worker->state_bytes, state->bytes);
    return true;
}

static enum status continue_from(struct worker *worker, struct error *err)
{
    struct text *bytes = &worker->state_bytes;
    enum status status;

    if (bytes->failed)
        status = fail_no_memory(err);
    else
        status = load(worker, text_slice(bytes), err);
    if (status == STATUS_OK && phase_of(worker)->number != worker->target)
        status =
            fail(err, STATUS_PROTOCOL, "a state of phase %llu, expected %llu",
                 (unsigned long long)phase_of(worker)->number, (unsigned long long)worker->target);
    text_deinit(bytes);
    return status;
}

static void begin(struct worker *worker, int64_t now_ms, struct outbox *outbox)
{
    serve_waiting(worker, outbox);
    worker_repeat_records(worker, outbox);
    worker_begin_phase(worker, now_ms, outbox);
}

void worker_on_state(struct worker *worker, int64_t now_ms, uint32_t from,
                     const struct message *message, struct outbox *outbox)
{
    struct error err;

    if (from != worker->source || !take_piece(worker, &message->state)) {
        worker_lose_member(worker, from, outbox);
        return;
    }
    if (worker->state_bytes.size < message->state.total && !worker->state_bytes.failed)
        return;
    error_clear(&err);
    if (continue_from(worker, &err) == STATUS_OK)
        begin(worker, now_ms, outbox);
    else
        worker_fail(worker, &err, outbox);
}

/* A checkpoint that does not fit is no reason to fail: the master drops it, and
 * the next group begins without. */
void worker_on_checkpoint_state(struct worker *worker, int64_t now_ms,
                                const struct message *message, struct outbox *outbox)
{
    struct message refused = worker_message(worker, MESSAGE_STATE_REFUSED);
    struct error err;

    if (message->epoch != worker->group.epoch || worker->source != SOURCE_MASTER ||
        !take_piece(worker, &message->state))
        return; /* of a group that is past */
    if (worker->state_bytes.size < message->state.total && !worker->state_bytes.failed) {
        worker_request_state(worker, outbox);
        return;
    }
    error_clear(&err);
    if (continue_from(worker, &err) == STATUS_OK) {
        begin(worker, now_ms, outbox);
        return;
    }
    refused.refusal.phase = worker->target;
    refused.refusal.reason = slice_of(err.message);
    outbox_send(outbox, worker->master, &refused);
}

static void take_snapshot(struct worker *worker, uint64_t id)
{
    struct text *copy = &worker->snapshot;
    struct error err;

    text_deinit(copy);
    text_init(copy, CHECKPOINT_BYTES_MAX);
    error_clear(&err);
    if (worker->state == WORKER_FAILED || save(worker, copy, &err) != STATUS_OK)
        text_deinit(copy);
    worker->snapshot_head = (struct message_snapshot){
        .id = id,
        .phase = phase_of(worker)->number,
        .step = phase_of(worker)->step,
        .rows_done = worker->rows_done,
        .total = copy->size,
    };
}

void worker_on_checkpoint(struct worker *worker, const struct message *message,
                          struct outbox *outbox)
{
    const uint64_t offset = message->checkpoint.offset;
    struct message reply = worker_message(worker, MESSAGE_SNAPSHOT);
    size_t left;

    if (offset == 0)
        take_snapshot(worker, message->checkpoint.id);
    else if (message->checkpoint.id != worker->snapshot_head.id || offset > worker->snapshot.size)
        return;
    reply.snapshot = worker->snapshot_head;
    reply.snapshot.offset = offset;
    left = worker->snapshot.size - offset;
    if (left > worker->options.snapshot_piece_bytes)
        left = worker->options.snapshot_piece_bytes;
    if (left > 0)
        reply.snapshot.bytes = (struct slice){worker->snapshot.data + offset, left};
    outbox_send(outbox, worker->master, &reply);
    if (offset + left == worker->snapshot.size)
        text_deinit(&worker->snapshot);
}
