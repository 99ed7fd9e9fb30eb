#include "runtime/train/worker/worker_snapshot.h"

#include <stdlib.h>

#include "runtime/train/worker/worker_damage.h"
#include "runtime/train/worker/worker_parts.h"
#include "runtime/train/worker/worker_state.h"

static size_t piece_size(const struct worker *worker, uint64_t offset)
{
    const uint64_t left = worker->snapshot.head.total - offset;
    const size_t most = worker->options.snapshot_piece_bytes;

    return left < most ? (size_t)left : most;
}

static uint64_t piece_count(const struct worker *worker)
{
    const size_t most = worker->options.snapshot_piece_bytes;

    return (worker->snapshot.head.total + most - 1) / most;
}

void worker_forget_snapshot(struct worker *worker)
{
    struct outgoing_snapshot *snapshot = &worker->snapshot;

    for (uint64_t i = 0; snapshot->blocks && i < piece_count(worker); i++)
        free(snapshot->blocks[i]);
    free(snapshot->blocks);
    text_deinit(&snapshot->front);
    *snapshot = (struct outgoing_snapshot){.blocks = NULL};
    text_init(&snapshot->front, sizeof(uint32_t) + STATE_FRONT_BYTES_MAX);
}

static bool copy_rest(struct worker *worker)
{
    struct outgoing_snapshot *snapshot = &worker->snapshot;
    const size_t most = worker->options.snapshot_piece_bytes;

    snapshot->blocks = calloc(piece_count(worker), sizeof *snapshot->blocks);
    for (uint64_t at = snapshot->sent; snapshot->blocks && at < snapshot->head.total; at += most) {
        const size_t size = piece_size(worker, at);
        char *block = malloc(size);

        if (!block)
            return false;
        worker_read_state(worker, &snapshot->front, at, size, block);
        snapshot->blocks[at / most] = block;
    }
    return snapshot->blocks != NULL;
}

/* Without memory for it there is no checkpoint this time: the answer to the next request reports
 * it. */
void worker_keep_snapshot(struct worker *worker)
{
    if (worker->snapshot.head.total > 0 && !worker->snapshot.blocks && !copy_rest(worker))
        worker_forget_snapshot(worker);
}

static void begin_snapshot(struct worker *worker, uint64_t id, struct outbox *outbox)
{
    const struct phase *phase = &worker->learner->phase;
    struct outgoing_snapshot *snapshot = &worker->snapshot;
    struct error err;

    worker_forget_snapshot(worker);
    error_clear(&err);
    if (worker->state == WORKER_FAILED)
        return;
    if (worker_make_front(worker, &err) != STATUS_OK) {
        if (err.status == STATUS_CORRUPT)
            worker_damaged(worker, phase->number, &err, outbox);
        return;
    }
    text_append(&snapshot->front, text_slice(&worker->front));
    if (snapshot->front.failed)
        return;
    snapshot->head = (struct message_snapshot){
        .id = id,
        .phase = phase->number,
        .step = phase->step,
        .rows_done = worker->rows_done,
        .total = snapshot->front.size + learner_state_bytes(worker->learner),
    };
}

/* The piece at snapshot.sent, in memory that is freed by the caller; NULL: none. */
static char *take_piece(struct worker *worker, size_t size)
{
    struct outgoing_snapshot *snapshot = &worker->snapshot;
    const uint64_t number = snapshot->sent / worker->options.snapshot_piece_bytes;
    char *piece;

    if (snapshot->blocks) {
        piece = snapshot->blocks[number];
        snapshot->blocks[number] = NULL;
        return piece;
    }
    piece = malloc(size);
    if (piece)
        worker_read_state(worker, &snapshot->front, snapshot->sent, size, piece);
    return piece;
}

/* With no bytes: it cannot be made, or not any more. */
static void send_none(const struct worker *worker, uint64_t id, uint64_t offset,
                      struct outbox *outbox)
{
    struct message reply = worker_message(worker, MESSAGE_SNAPSHOT);

    reply.snapshot = (struct message_snapshot){.id = id, .offset = offset};
    outbox_send(outbox, worker->master, &reply);
}

void worker_on_checkpoint(struct worker *worker, const struct message *message,
                          struct outbox *outbox)
{
    struct outgoing_snapshot *snapshot = &worker->snapshot;
    const uint64_t offset = message->checkpoint.offset;
    struct message reply = worker_message(worker, MESSAGE_SNAPSHOT);
    size_t size;
    char *piece;

    if (offset == 0)
        begin_snapshot(worker, message->checkpoint.id, outbox);
    if (snapshot->head.total == 0) {
        send_none(worker, message->checkpoint.id, offset, outbox);
        return;
    }
    if (message->checkpoint.id != snapshot->head.id || offset != snapshot->sent)
        return; /* a request for a checkpoint that was given up */
    size = piece_size(worker, offset);
    piece = take_piece(worker, size);
    if (!piece) {
        worker_forget_snapshot(worker);
        send_none(worker, message->checkpoint.id, offset, outbox);
        return;
    }
    reply.snapshot = snapshot->head;
    reply.snapshot.offset = offset;
    reply.snapshot.bytes = (struct slice){piece, size};
    outbox_send(outbox, worker->master, &reply);
    free(piece);
    snapshot->sent += size;
    if (snapshot->sent == snapshot->head.total)
        worker_forget_snapshot(worker);
}
