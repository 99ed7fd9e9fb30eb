#include "runtime/ps/shard_master.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/ps/shard_counts.h"
#include "runtime/ps/shard_record.h"
#include "runtime/ps/shard_steps.h"

/* ----- life ----- */

/* The job goes on where the master before left it. */
static void continue_books(struct shard_master *master, const struct job_row *row)
{
    master->started_at -= (int64_t)(row->seconds * 1000);
    master->waited_ms = (int64_t)(row->seconds_waiting * 1000);
    usage_continue(&master->usage, row->slot_seconds, row->goodput, row->rows_done);
}

enum status shard_master_init(struct shard_master *master,
                              const struct shard_master_options *options, int64_t now_ms,
                              struct outbox *outbox, struct error *err)
{
    const uint64_t epoch = (uint64_t)options->incarnation << 32;

    *master = (struct shard_master){.options = *options,
                                    .state = JOB_STATE_WAITING,
                                    .loss = (double)NAN,
                                    .epoch = epoch,
                                    .roster = epoch,
                                    .wanted = options->worker_count,
                                    .started_at = now_ms,
                                    .waiting_since = now_ms,
                                    .ticked_at = now_ms,
                                    .reported_at = now_ms,
                                    .rate_at = now_ms};
    master->server_room =
        options->server_most > options->server_count ? options->server_most : options->server_count;
    shard_move_init(master);
    error_clear(&master->failure);
    usage_init(&master->usage, now_ms);
    master->workers = calloc(options->worker_count, sizeof *master->workers);
    master->servers = calloc(master->server_room, sizeof *master->servers);
    if (!master->workers || !master->servers)
        return fail_no_memory(err);
    TRY(server_balance_init(&master->balance, master->server_room, err));
    TRY(unable_init(&master->unable, options->worker_count, options->dead_ms, err));
    if (options->facts.previous)
        continue_books(master, options->facts.previous);
    shard_put_job(master, now_ms, outbox);
    return STATUS_OK;
}

void shard_master_deinit(struct shard_master *master)
{
    shard_board_deinit(&master->board);
    unable_deinit(&master->unable);
    shard_move_deinit(master);
    server_balance_deinit(&master->balance);
    for (uint32_t s = 0; master->servers && s < master->server_room; s++)
        shard_counts_deinit(&master->servers[s].held);
    free(master->losses);
    free(master->workers);
    free(master->servers);
    *master = (struct shard_master){0};
}

bool shard_master_has_ended(const struct shard_master *master)
{
    return master->is_learned || job_state_has_ended(master->state);
}

bool shard_master_is_learned(const struct shard_master *master)
{
    return master->is_learned;
}

/* ----- messages to others ----- */

struct message shard_message(const struct shard_master *master, enum message_type type)
{
    return (struct message){.type = type, .job = master->options.job, .epoch = master->epoch};
}

static void send_last(const struct shard_master *master, peer_id peer, enum message_type type,
                      struct outbox *outbox)
{
    const struct message message = shard_message(master, type);

    outbox_send(outbox, peer, &message);
    outbox_close(outbox, peer);
}

static void send_end(const struct shard_master *master, peer_id peer, struct outbox *outbox)
{
    send_last(master, peer, MESSAGE_END, outbox);
}

static void send_servers(const struct shard_master *master, peer_id peer, struct outbox *outbox)
{
    const uint32_t serving = master->move.now.serving;
    struct message message = shard_message(master, MESSAGE_SERVERS);
    struct layout_runs runs;
    struct text list;

    if (!master->move.is_settled)
        return; /* it follows when it is known which servers have the rows */
    text_init(&list, FRAME_PAYLOAD_MAX);
    for (uint32_t s = 0; s < serving; s++)
        message_put_server_place(
            &list, &(struct message_server_place){.incarnation = master->servers[s].incarnation,
                                                  .address = slice_of(master->servers[s].address)});
    outbox->failed |= list.failed;
    message.servers = (struct message_servers){.roster = master->roster,
                                               .server_count = serving,
                                               .servers = text_slice(&list),
                                               .layout = master->move.now.id,
                                               .map = server_layout_runs(&master->move.now, &runs),
                                               .is_paused = shard_move_pauses(master)};
    if (!list.failed)
        outbox_send(outbox, peer, &message);
    text_deinit(&list);
}

void shard_send_servers_to_all(const struct shard_master *master, struct outbox *outbox)
{
    for (uint32_t w = 0; w < master->options.worker_count; w++)
        if (master->workers[w].peer != PEER_NONE)
            send_servers(master, master->workers[w].peer, outbox);
}

/* Which processes of workers are gone: nobody waits for what they have on their way. */
static void send_forgets(const struct shard_master *master, peer_id peer, struct outbox *outbox)
{
    for (uint32_t w = 0; w < master->options.worker_count; w++) {
        const struct shard_member *worker = master->workers + w;
        struct message message = shard_message(master, MESSAGE_FORGET);

        if (!worker->was_seen || worker->incarnation == 0)
            continue;
        message.forget =
            (struct message_forget){.index = w, .incarnation = worker->incarnation - 1};
        outbox_send(outbox, peer, &message);
    }
}

/* ----- leases ----- */

void shard_send_lease(const struct shard_master *master, uint32_t worker, uint64_t id,
                      uint64_t shard, struct outbox *outbox)
{
    struct message message = shard_message(master, MESSAGE_LEASE);

    master->workers[worker].leased++;
    message.lease = (struct message_lease){.id = id, .first = shard, .count = 1};
    outbox_send(outbox, master->workers[worker].peer, &message);
}

static bool are_all_done(const struct shard_master *master)
{
    if (master->plan.shards_per_epoch == 0 || !shard_board_is_finished(&master->board))
        return false;
    for (uint32_t s = 0; s < master->move.now.serving; s++)
        if (master->servers[s].peer == PEER_NONE ||
            master->servers[s].layout.id != master->move.now.id)
            return false;
    return master->move.is_settled;
}

/* The first that does nothing, else the first there is. worker_count: none is here. */
static uint32_t choose_collector(const struct shard_master *master)
{
    const uint32_t none = master->options.worker_count;
    uint32_t found = none;

    for (uint32_t w = 0; w < none; w++) {
        if (master->workers[w].peer == PEER_NONE)
            continue;
        if (master->workers[w].leased == 0)
            return w;
        found = found == none ? w : found;
    }
    return found;
}

/* Leases the collection of the state, which follows the last shard. */
static void lease_collection(struct shard_master *master, int64_t now_ms, struct outbox *outbox)
{
    struct shard_collection *collection = &master->collection;
    uint32_t worker;

    if (collection->lease != 0 || !are_all_done(master))
        return;
    worker = choose_collector(master);
    if (worker == master->options.worker_count)
        return;
    *collection = (struct shard_collection){.lease = master->board.next_lease++, .worker = worker};
    shard_put_event(master, now_ms, worker, "collecting", outbox, "all %" PRIu32 " shards are done",
                    master->board.shards);
    shard_send_lease(master, worker, collection->lease, master->board.shards, outbox);
}

static void give_leases(struct shard_master *master, int64_t now_ms, struct outbox *outbox)
{
    if (shard_master_has_ended(master))
        return;
    shard_move_step(master, now_ms, outbox);
    if (master->state != JOB_STATE_RUNNING || shard_move_pauses(master))
        return;
    if (master->options.lanes > 0)
        shard_steps_lease(master, outbox);
    for (uint32_t w = 0; w < master->options.worker_count && master->options.lanes == 0; w++) {
        const struct shard_member *worker = master->workers + w;
        struct board_lease lease;

        if (worker->peer == PEER_NONE)
            continue;
        while (worker->leased < master->options.leases_per_worker &&
               shard_board_claim(&master->board, w, &lease))
            shard_send_lease(master, w, lease.id, lease.shard, outbox);
        if (worker->leased == 0 && shard_board_share(&master->board, w, &lease))
            shard_send_lease(master, w, lease.id, lease.shard, outbox);
    }
    lease_collection(master, now_ms, outbox);
}

/* ----- the end ----- */

/* All members that were ever seen are told so, and are not here any more. */
static void dismiss(struct shard_master *master, enum message_type to_workers,
                    struct outbox *outbox)
{
    for (uint32_t w = 0; w < master->options.worker_count; w++) {
        if (master->workers[w].peer != PEER_NONE)
            send_last(master, master->workers[w].peer, to_workers, outbox);
        master->workers[w].peer = PEER_NONE;
    }
    for (uint32_t s = 0; s < master->server_room; s++) {
        if (master->servers[s].peer != PEER_NONE)
            send_end(master, master->servers[s].peer, outbox);
        master->servers[s].peer = PEER_NONE;
    }
}

void shard_master_end_workers(struct shard_master *master, struct outbox *outbox)
{
    dismiss(master, MESSAGE_END, outbox);
}

static void put_ended(const struct shard_master *master, const struct shard_member *members,
                      uint32_t count, struct outbox *outbox)
{
    for (uint32_t i = 0; i < count; i++)
        if (members[i].was_seen)
            shard_put_member(master, members + i, "ended", outbox);
}

/* Ends a job that has failed or was cancelled. */
static void end(struct shard_master *master, int64_t now_ms, enum job_state state,
                struct outbox *outbox)
{
    shard_count_slots(master, now_ms);
    master->state = state;
    shard_put_job(master, now_ms, outbox);
    put_ended(master, master->workers, master->options.worker_count, outbox);
    put_ended(master, master->servers, master->server_room, outbox);
    dismiss(master, MESSAGE_END, outbox);
    master->live = 0;
    outbox_put(outbox, OUTBOX_DROP, "", 0);
    shard_put_event(master, now_ms, -1, job_state_name(state), outbox, "%s",
                    master->failure.message);
    shard_report(master, now_ms, JOB_FAILED, outbox);
    outbox_end(outbox, master->failure.status);
}

void shard_master_cancel(struct shard_master *master, int64_t now_ms, struct outbox *outbox)
{
    if (shard_master_has_ended(master))
        return;
    error_clear(&master->failure);
    fail(&master->failure, STATUS_INTERRUPTED, "the job was cancelled");
    end(master, now_ms, JOB_STATE_CANCELLED, outbox);
}

void shard_master_fail(struct shard_master *master, int64_t now_ms, const struct error *err,
                       struct outbox *outbox)
{
    if (shard_master_has_ended(master))
        return;
    master->failure = *err;
    end(master, now_ms, JOB_STATE_FAILED, outbox);
}

void shard_master_want(struct shard_master *master, int64_t now_ms, uint64_t version,
                       uint32_t workers, struct outbox *outbox)
{
    if (shard_master_has_ended(master) || version < master->wanted_version)
        return;
    if (workers != master->wanted)
        shard_put_event(master, now_ms, -1, "wanted", outbox, "%" PRIu32 " workers", workers);
    master->wanted_version = version;
    master->wanted = workers;
}

void shard_master_want_servers(struct shard_master *master, int64_t now_ms, uint64_t version,
                               uint32_t servers, struct outbox *outbox)
{
    if (shard_master_has_ended(master))
        return;
    shard_move_want(master, now_ms, version, servers, outbox);
    give_leases(master, now_ms, outbox);
}

void shard_master_leave(struct shard_master *master, int64_t now_ms, struct outbox *outbox)
{
    if (shard_master_has_ended(master))
        return;
    shard_put_job(master, now_ms, outbox);
    shard_put_event(master, now_ms, -1, "leaving", outbox, "was asked to go");
    outbox_end(outbox, STATUS_OK);
}

/* ----- members ----- */

static struct shard_member *member_at(const struct shard_master *master, peer_id peer)
{
    for (uint32_t w = 0; w < master->options.worker_count; w++)
        if (master->workers[w].peer == peer)
            return master->workers + w;
    for (uint32_t s = 0; s < master->server_room; s++)
        if (master->servers[s].peer == peer)
            return master->servers + s;
    return NULL;
}

static bool is_worker(const struct shard_master *master, const struct shard_member *member)
{
    return member >= master->workers && member < master->workers + master->options.worker_count;
}

static void forget_collection(struct shard_master *master)
{
    master->collection = (struct shard_collection){.lease = 0};
}

/* Its connection is no longer of use. */
static void lose(struct shard_master *master, int64_t now_ms, struct shard_member *member,
                 const char *state, const char *why, struct outbox *outbox)
{
    const uint32_t worker = (uint32_t)(member - master->workers);

    shard_count_slots(master, now_ms);
    member->peer = PEER_NONE;
    shard_put_member(master, member, state, outbox);
    shard_put_event(master, now_ms, shard_index_of(master, member), state, outbox, "%s", why);
    if (!is_worker(master, member)) {
        shard_move_lose_server(master, now_ms, (uint32_t)(member - master->servers), outbox);
        return;
    }
    master->live--;
    unable_note_left(&master->unable, worker);
    shard_board_take_back_all(&master->board, worker);
    if (master->collection.lease != 0 && master->collection.worker == worker &&
        !master->collection.is_storing)
        forget_collection(master);
}

/* A process that is past, or of an index that there is not, is asked to go. */
static bool take_in(struct shard_master *master, int64_t now_ms, struct shard_member *members,
                    uint32_t count, uint32_t index, uint32_t incarnation, peer_id from,
                    struct outbox *outbox)
{
    struct shard_member *member = members + index;

    if (index >= count || (member->was_seen && incarnation < member->incarnation)) {
        send_end(master, from, outbox);
        return false;
    }
    if (member->peer != PEER_NONE && member->peer != from) {
        outbox_close(outbox, member->peer);
        lose(master, now_ms, member, "lost", "has connected anew", outbox);
    }
    shard_count_slots(master, now_ms);
    if (member->peer == PEER_NONE)
        shard_put_event(master, now_ms, shard_index_of(master, member), "joined", outbox,
                        "incarnation %" PRIu32, incarnation);
    if (member->peer != from)
        member->leased = 0;
    member->peer = from;
    member->incarnation = incarnation;
    member->was_seen = true;
    member->heard_at = now_ms;
    shard_put_member(master, member, is_worker(master, member) ? "training" : "serving", outbox);
    return true;
}

/* ----- a worker ----- */

static bool are_equal(const struct shard_plan *a, const struct shard_plan *b)
{
    return a->shards_per_epoch == b->shards_per_epoch && a->epochs == b->epochs &&
           a->batches == b->batches && a->rows == b->rows;
}

static enum status make_board(struct shard_master *master, const struct shard_plan *plan,
                              struct error *err)
{
    const struct shard_board_options options = {.shards_per_epoch = plan->shards_per_epoch,
                                                .epochs = plan->epochs,
                                                .batches = plan->batches,
                                                .first_lease = master->epoch + 1};

    TRY(shard_board_init(&master->board, &options, err));
    master->losses = calloc(plan->epochs, sizeof *master->losses);
    if (!master->losses)
        return fail_no_memory(err);
    master->plan = *plan;
    return STATUS_OK;
}

/* The first worker says how the rows are cut into shards, and all others the same. */
static enum status take_plan(struct shard_master *master, const struct message_hello *hello,
                             struct error *err)
{
    const struct shard_plan plan = {.shards_per_epoch = hello->shards,
                                    .epochs = hello->epochs,
                                    .batches = hello->batches,
                                    .steps =
                                        (uint64_t)hello->shards * hello->epochs * hello->batches,
                                    .rows = hello->rows};

    if (plan.shards_per_epoch == 0 || plan.batches == 0)
        return fail(err, STATUS_PROTOCOL, "worker %" PRIu32 " has no shards", hello->index);
    if (master->plan.shards_per_epoch == 0)
        return make_board(master, &plan, err);
    if (are_equal(&plan, &master->plan))
        return STATUS_OK;
    fail(err, STATUS_FAILED, "worker %" PRIu32 " cuts the rows into other shards than the others",
         hello->index);
    return error_hint(err, "All workers of a job must run the same build on the same rows.");
}

static void begin_job(struct shard_master *master, int64_t now_ms, struct outbox *outbox)
{
    if (master->state != JOB_STATE_WAITING || master->live < master->options.min_workers)
        return;
    master->waited_ms += now_ms - master->waiting_since;
    master->rate_at = now_ms;
    master->state = JOB_STATE_RUNNING;
    shard_put_job(master, now_ms, outbox);
}

static void on_hello(struct shard_master *master, int64_t now_ms, peer_id from,
                     const struct message *message, struct outbox *outbox)
{
    const struct message_hello *hello = &message->hello;
    struct error err;

    error_clear(&err);
    if (message->epoch >= master->epoch + (UINT64_C(1) << 32)) { /* a newer master has led it */
        outbox_end(outbox, STATUS_STALE);
        return;
    }
    if (!hello->is_staging) { /* it has heard of a checkpoint that is not there any more */
        outbox_replace(outbox, hello->index, hello->incarnation);
        outbox_close(outbox, from);
        return;
    }
    if (hello->is_leaving) {
        send_end(master, from, outbox);
        return;
    }
    if (take_plan(master, hello, &err) != STATUS_OK) {
        shard_master_fail(master, now_ms, &err, outbox);
        return;
    }
    if (!take_in(master, now_ms, master->workers, master->options.worker_count, hello->index,
                 hello->incarnation, from, outbox))
        return;
    master->live++;
    unable_note_joined(&master->unable, hello->index, hello->incarnation);
    for (uint32_t s = 0; s < master->server_room; s++)
        if (master->servers[s].peer != PEER_NONE)
            send_forgets(master, master->servers[s].peer, outbox);
    send_servers(master, from, outbox);
    begin_job(master, now_ms, outbox);
}

/* The trouble of one worker: its launcher starts it again, the others do not wait for it. */
static void on_unable(struct shard_master *master, int64_t now_ms, peer_id from,
                      const struct message_unable *unable, struct outbox *outbox)
{
    if (unable_is_stale(&master->unable, unable, false)) {
        send_end(master, from, outbox);
        return;
    }
    if (!unable_note(&master->unable, unable, false)) {
        outbox_close(outbox, from);
        return;
    }
    shard_put_event(master, now_ms, unable->index, "unable", outbox, "%s",
                    master->unable.last.message);
    send_end(master, from, outbox);
    if (unable_is_for_good(&master->unable, now_ms, master->wanted))
        shard_master_fail(master, now_ms, &master->unable.last, outbox);
}

/* ----- a server ----- */

static enum status reopen(struct shard_master *master, struct slice counted, struct error *err)
{
    struct shard_counts counts = {.count = 0};
    enum status status = shard_counts_read(&counts, counted, err);

    if (status == STATUS_OK && master->plan.shards_per_epoch > 0)
        shard_board_reopen(&master->board, counts.batches, counts.count);
    shard_counts_deinit(&counts);
    return status;
}

/* Its rows may be older than those that workers have seen there. */
void shard_make_roster(struct shard_master *master)
{
    master->roster++;
    if (!master->collection.is_storing)
        forget_collection(master);
}

static bool read_layout(const struct message_server *message, struct server_layout *layout)
{
    struct error err;

    return server_layout_read(layout, message->layout, message->serving, message->map, &err) ==
           STATUS_OK;
}

static void note_what_it_has(struct shard_member *server, const struct server_layout *layout,
                             const struct message_server *message)
{
    server->layout = *layout;
    server->next =
        (struct server_layout){.id = message->next_layout, .serving = message->next_serving};
    snprintf(server->address, MESSAGE_ADDRESS_MAX + 1, "%.*s", SLICE_FORMAT(message->address));
}

static void check_server(struct shard_master *master, int64_t now_ms,
                         const struct shard_member *server, const struct message_server *message,
                         struct outbox *outbox)
{
    struct error err;

    error_clear(&err);
    if (server - master->servers < master->move.now.serving &&
        reopen(master, message->counted, &err) != STATUS_OK)
        shard_master_fail(master, now_ms, &err, outbox);
}

/* Again over the same connection: it has another layout. What it has counted since the workers
 * know of that layout stays. */
static void on_server_again(struct shard_master *master, int64_t now_ms,
                            struct shard_member *server, const struct message_server *message,
                            struct outbox *outbox)
{
    struct server_layout layout;

    if (!read_layout(message, &layout))
        return;
    note_what_it_has(server, &layout, message);
    shard_move_note_server(master, now_ms, (uint32_t)(server - master->servers), outbox);
    check_server(master, now_ms, server, message, outbox);
    shard_steps_on_server(master, now_ms, server, message, outbox);
}

static void on_server(struct shard_master *master, int64_t now_ms, peer_id from,
                      const struct message_server *message, struct outbox *outbox)
{
    const bool is_known =
        message->index < master->server_room && master->servers[message->index].was_seen;
    const uint32_t before = is_known ? master->servers[message->index].incarnation : 0;
    const bool was_settled = master->move.is_settled;
    struct server_layout layout;

    if (!read_layout(message, &layout) || layout.serving > master->server_room ||
        message->next_serving > master->server_room) {
        send_end(master, from, outbox);
        return;
    }
    if (!take_in(master, now_ms, master->servers, shard_move_servers_most(master), message->index,
                 message->incarnation, from, outbox))
        return;
    if ((!is_known || message->incarnation > before) &&
        (!was_settled || message->index < master->move.now.serving))
        shard_make_roster(master);
    note_what_it_has(master->servers + message->index, &layout, message);
    send_forgets(master, from, outbox);
    shard_move_note_server(master, now_ms, message->index, outbox);
    check_server(master, now_ms, master->servers + message->index, message, outbox);
    if (was_settled && message->index < master->move.now.serving)
        shard_send_servers_to_all(master, outbox);
    master->servers[message->index].is_asked = false;
    shard_steps_on_server(master, now_ms, master->servers + message->index, message, outbox);
}

void shard_release_server(struct shard_master *master, uint32_t index, struct outbox *outbox)
{
    struct shard_member *server = master->servers + index;

    if (server->peer != PEER_NONE)
        send_end(master, server->peer, outbox);
    if (server->was_seen)
        shard_put_member(master, server, "ended", outbox);
    server->peer = PEER_NONE;
    server->was_seen = false;
}

/* ----- what is collected, into the checkpoint ----- */

static void ask_piece(const struct shard_master *master, struct outbox *outbox)
{
    const struct shard_collection *collection = &master->collection;
    struct message message = shard_message(master, MESSAGE_CHECKPOINT);

    message.checkpoint =
        (struct message_checkpoint){.id = collection->lease, .offset = collection->received};
    outbox_send(outbox, master->workers[collection->worker].peer, &message);
}

static bool begins_well(struct shard_master *master, const struct message_snapshot *snapshot,
                        struct error *err)
{
    struct checkpoint *head = &master->collection.head;

    *head = (struct checkpoint){.id = snapshot->id,
                                .job = master->options.job,
                                .identity = master->options.identity,
                                .phase = snapshot->phase,
                                .step = snapshot->step,
                                .rows_done = snapshot->rows_done,
                                .bytes = snapshot->total,
                                .piece_bytes = snapshot->bytes.size};
    return checkpoint_check(head, err) == STATUS_OK;
}

/* Keeps a piece of the collected state. If it does not fit, all is collected again: the worker has
 * lost what it had. */
static void on_snapshot(struct shard_master *master, int64_t now_ms, uint32_t worker,
                        const struct message_snapshot *snapshot, struct outbox *outbox)
{
    struct shard_collection *collection = &master->collection;
    struct error err;
    uint64_t position;

    if (!collection->is_collected || collection->is_storing || collection->worker != worker ||
        snapshot->id != collection->lease || snapshot->offset != collection->received)
        return;
    error_clear(&err);
    if (snapshot->total == 0) {
        forget_collection(master);
        return;
    }
    if (collection->received == 0 && !begins_well(master, snapshot, &err)) {
        shard_master_fail(master, now_ms, &err, outbox);
        return;
    }
    position = collection->received / collection->head.piece_bytes;
    if (snapshot->total != collection->head.bytes ||
        snapshot->bytes.size != checkpoint_piece_size(&collection->head, position)) {
        fail(&err, STATUS_PROTOCOL, "the pieces of what was learned do not fit together");
        shard_master_fail(master, now_ms, &err, outbox);
        return;
    }
    outbox_put_piece(outbox, collection->head.id, position, snapshot->bytes);
    collection->received += snapshot->bytes.size;
    if (collection->received < collection->head.bytes) {
        ask_piece(master, outbox);
        return;
    }
    collection->is_storing = true;
    outbox_put(outbox, OUTBOX_FINISH, &collection->head, sizeof collection->head);
}

/* Without it there is no model. */
void shard_master_on_stored(struct shard_master *master, int64_t now_ms, uint64_t id,
                            const struct error *why, struct outbox *outbox)
{
    struct shard_collection *collection = &master->collection;
    struct error err;

    if (shard_master_has_ended(master) || collection->lease == 0 || collection->head.id != id)
        return;
    if (why->status != STATUS_OK) {
        err = *why;
        fail(&err, why->status, "what was learned cannot be stored: %s", why->message);
        shard_master_fail(master, now_ms, &err, outbox);
        return;
    }
    shard_count_slots(master, now_ms);
    shard_put_job(master, now_ms, outbox);
    shard_put_event(master, now_ms, -1, "learned", outbox, "%" PRIu64 " bytes are stored",
                    collection->head.bytes);
    put_ended(master, master->servers, master->server_room, outbox);
    dismiss(master, MESSAGE_STAGED, outbox);
    master->live = 0;
    master->is_learned = true;
}

static void on_shard_done(struct shard_master *master, int64_t now_ms,
                          const struct message_shard_done *done, struct outbox *outbox)
{
    struct shard_collection *collection = &master->collection;
    const bool is_current = done->roster == master->roster && !done->is_even;

    if (collection->lease != 0 && done->id == collection->lease) {
        collection->is_collected = is_current;
        if (is_current)
            ask_piece(master, outbox);
        else
            forget_collection(master);
        return;
    }
    if (!is_current) {
        master->late += !done->is_even;
        if (done->is_even && done->shard < master->board.shards)
            shard_note_part(master, (uint32_t)done->shard,
                            (struct batch_loss){done->loss, done->rows});
        shard_board_take_back(&master->board, done->id);
        return;
    }
    if (!shard_board_finish(&master->board, done->id) || done->shard >= master->board.shards)
        return;
    unable_note_phase_done(&master->unable);
    shard_note_loss(master, (uint32_t)done->shard, (struct batch_loss){done->loss, done->rows},
                    outbox);
    shard_note_progress(master, now_ms, outbox);
}

/* ----- messages ----- */

static void on_failed(struct shard_master *master, int64_t now_ms,
                      const struct message_failure *failure, struct outbox *outbox)
{
    struct error err;

    error_restore(&err, failure->status, failure->message, failure->hint);
    shard_master_fail(master, now_ms, &err, outbox);
}

static void on_member_message(struct shard_master *master, int64_t now_ms,
                              struct shard_member *member, const struct message *message,
                              struct outbox *outbox)
{
    member->heard_at = now_ms;
    if (message->type == MESSAGE_SHARD_DONE) {
        member->leased -= member->leased > 0;
        on_shard_done(master, now_ms, &message->shard_done, outbox);
    } else if (message->type == MESSAGE_SNAPSHOT) {
        on_snapshot(master, now_ms, shard_index_of(master, member), &message->snapshot, outbox);
    } else if (message->type == MESSAGE_LEAVING) {
        send_end(master, member->peer, outbox);
        lose(master, now_ms, member, "left", "was asked to go", outbox);
    } else if (message->type == MESSAGE_SERVER && !is_worker(master, member)) {
        on_server_again(master, now_ms, member, &message->server, outbox);
    } else if (message->type == MESSAGE_HELD && !is_worker(master, member)) {
        shard_move_on_held(master, now_ms, (uint32_t)(member - master->servers), &message->held,
                           outbox);
    } else if (message->type == MESSAGE_FETCHED && !is_worker(master, member)) {
        shard_move_on_fetched(master, now_ms, (uint32_t)(member - master->servers),
                              &message->fetched, outbox);
    } else if (message->type == MESSAGE_PHASE_ALIVE && !is_worker(master, member)) {
        shard_steps_on_alive(master, member, message->phase_alive.phase, outbox);
    } else if (message->type == MESSAGE_LOAD && !is_worker(master, member)) {
        shard_move_on_load(master, (uint32_t)(member - master->servers), &message->load);
    } else if (message->type == MESSAGE_FAILED) {
        on_failed(master, now_ms, &message->failure, outbox);
    }
}

/* From a thread of a worker whose loop computes. */
static void on_process_alive(struct shard_master *master, int64_t now_ms,
                             const struct message_process_alive *alive)
{
    struct shard_member *worker = master->workers + alive->index;

    if (alive->index >= master->options.worker_count)
        return;
    unable_note_alive(&master->unable, now_ms, alive->index, alive->incarnation);
    if (worker->was_seen && worker->incarnation == alive->incarnation)
        worker->heard_at = now_ms;
}

void shard_master_on_message(struct shard_master *master, int64_t now_ms, peer_id from,
                             const struct message *message, struct outbox *outbox)
{
    struct shard_member *member = member_at(master, from);

    if (message->job != master->options.job) {
        outbox_close(outbox, from);
        return;
    }
    if (shard_master_has_ended(master)) {
        send_end(master, from, outbox);
        return;
    }
    if (message->type == MESSAGE_HELLO && !member)
        on_hello(master, now_ms, from, message, outbox);
    else if (message->type == MESSAGE_SERVER && !member)
        on_server(master, now_ms, from, &message->server, outbox);
    else if (message->type == MESSAGE_UNABLE)
        on_unable(master, now_ms, from, &message->unable, outbox);
    else if (message->type == MESSAGE_PROCESS_ALIVE)
        on_process_alive(master, now_ms, &message->process_alive);
    else if (member)
        on_member_message(master, now_ms, member, message, outbox);
    else
        outbox_close(outbox, from); /* unknown, or another has its place */
    if (!shard_master_has_ended(master))
        give_leases(master, now_ms, outbox);
}

void shard_master_on_disconnect(struct shard_master *master, int64_t now_ms, peer_id peer,
                                struct outbox *outbox)
{
    struct shard_member *member = member_at(master, peer);

    if (!member || shard_master_has_ended(master))
        return;
    lose(master, now_ms, member, "lost", "closed its connection", outbox);
    give_leases(master, now_ms, outbox);
}

/* ----- time ----- */

/* Its connection stays: it may have been slow, and is heard of again. */
static void check_member(struct shard_master *master, int64_t now_ms, struct shard_member *member,
                         struct outbox *outbox)
{
    const uint32_t index = shard_index_of(master, member);

    if (!member->was_seen || master->options.dead_ms == 0 ||
        now_ms - member->heard_at < master->options.dead_ms)
        return;
    shard_put_event(master, now_ms, index, "silent", outbox, "is replaced");
    outbox_replace(outbox, index, member->incarnation);
    member->heard_at = now_ms;
}

/* A pause of the master itself is not counted as silence of the others. */
static void add_pause(struct shard_master *master, int64_t now_ms)
{
    const int64_t pause = now_ms - master->ticked_at;

    master->ticked_at = now_ms;
    if (master->options.dead_ms == 0 || pause <= master->options.dead_ms / 2)
        return;
    for (uint32_t w = 0; w < master->options.worker_count; w++)
        master->workers[w].heard_at += pause;
    for (uint32_t s = 0; s < master->server_room; s++)
        master->servers[s].heard_at += pause;
}

void shard_master_on_tick(struct shard_master *master, int64_t now_ms, struct outbox *outbox)
{
    if (shard_master_has_ended(master))
        return;
    add_pause(master, now_ms);
    for (uint32_t w = 0; w < master->options.worker_count; w++)
        check_member(master, now_ms, master->workers + w, outbox);
    for (uint32_t s = 0; s < master->server_room; s++)
        check_member(master, now_ms, master->servers + s, outbox);
    give_leases(master, now_ms, outbox);
    if (master->state == JOB_STATE_RUNNING)
        shard_note_progress(master, now_ms, outbox);
}
