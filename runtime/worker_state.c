/*
 * The state that one worker has and another continues from: the learner's, and
 * what has to be told to the master about the way there.
 */
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

static enum status load(struct worker *worker, struct slice bytes, struct error *err)
{
    struct byte_reader reader = byte_reader_over(bytes);
    struct slice learner;

    worker->rows_done = read_u64(&reader);
    worker->loss_total = read_f64(&reader);
    worker->loss_rows = read_u64(&reader);
    worker->record_count = read_u64(&reader);
    for (uint64_t i = first_record(worker); i < worker->record_count && !reader.failed; i++)
        message_read_progress(&reader, &worker->records[i % WORKER_RECORDS_MAX]);
    if (reader.failed) {
        worker->record_count = 0;
        return fail(err, STATUS_CORRUPT, "a worker's state of %zu bytes is cut", bytes.size);
    }
    learner = (struct slice){(const char *)reader.at, (size_t)(reader.end - reader.at)};
    return worker->learning.load(worker->learning.self, learner, err);
}

void worker_on_state_request(struct worker *worker, uint32_t from, const struct message *message,
                             struct outbox *outbox)
{
    struct message reply = worker_message(worker, MESSAGE_STATE);
    struct text bytes;
    struct error err;

    if (message->phase != phase_of(worker)->number) {
        worker_lose_member(worker, from, outbox);
        return;
    }
    text_init(&bytes, TEXT_MAXIMUM);
    error_clear(&err);
    if (save(worker, &bytes, &err) != STATUS_OK) {
        worker_fail(worker, &err, outbox);
        text_deinit(&bytes);
        return;
    }
    reply.state.phase = message->phase;
    reply.state.total = bytes.size;
    do {
        size_t left = bytes.size - reply.state.offset;
        size_t size = left < worker->options.piece_bytes ? left : worker->options.piece_bytes;

        reply.state.bytes = (struct slice){bytes.data + reply.state.offset, size};
        outbox_send(outbox, worker->peers[from].peer, &reply);
        reply.state.offset += size;
    } while (reply.state.offset < bytes.size);
    text_deinit(&bytes);
}

void worker_on_state(struct worker *worker, int64_t now_ms, uint32_t from,
                     const struct message *message, struct outbox *outbox)
{
    const struct message_state *state = &message->state;
    struct text *bytes = &worker->state_bytes;
    struct error err;

    if (worker->state != WORKER_FETCHING || from != worker->source ||
        state->phase != worker->target || state->offset != bytes->size ||
        state->total > bytes->maximum) {
        worker_lose_member(worker, from, outbox);
        return;
    }
    text_append(bytes, state->bytes);
    if (bytes->size < state->total && !bytes->failed)
        return;
    error_clear(&err);
    if (bytes->failed)
        fail_no_memory(&err);
    else if (load(worker, text_slice(bytes), &err) == STATUS_OK &&
             phase_of(worker)->number != worker->target)
        fail(&err, STATUS_PROTOCOL, "a state of phase %llu, expected %llu",
             (unsigned long long)phase_of(worker)->number, (unsigned long long)worker->target);
    text_clear(bytes);
    if (err.status != STATUS_OK) {
        worker_fail(worker, &err, outbox);
        return;
    }
    worker_repeat_records(worker, outbox);
    worker_begin_phase(worker, now_ms, outbox);
}
