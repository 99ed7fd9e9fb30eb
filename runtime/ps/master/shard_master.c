#include "runtime/ps/master/shard_master.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/ps/master/shard_record.h"
#include "runtime/ps/master/shard_steps.h"
#include "runtime/ps/server/shard_counts.h"

/* ----- life ----- */

/* Nothing of a job that has failed or was cancelled is of use. */
static void drop_all(void *leader, struct outbox *outbox)
{
    (void)leader;
    outbox_put(outbox, OUTBOX_DROP, "", 0);
}

static bool is_worker(const struct shard_master *master, uint32_t index)
{
    return index < master->crew.workers;
}

static void forget_collection(struct shard_master *master)
{
    master->collection = (struct shard_collection){.lease = 0};
}

/* Its connection is no longer of use. */
static void let_go(struct shard_master *master, int64_t now_ms, uint32_t index, const char *state,
                   const char *why, struct outbox *outbox)
{
    crew_let_go(&master->crew, now_ms, index);
    crew_put_member(&master->crew, index, state, 0, 0, outbox);
    crew_put_event(&master->crew, now_ms, index, state, outbox, "%s", why);
    if (!is_worker(master, index)) {
        shard_move_lose_server(master, now_ms, index - master->crew.workers, outbox);
        return;
    }
    shard_board_take_back_all(&master->board, index);
    if (master->collection.lease != 0 && master->collection.worker == index &&
        !master->collection.is_storing)
        forget_collection(master);
}

static void lose(void *leader, int64_t now_ms, uint32_t index, const char *why,
                 struct outbox *outbox)
{
    let_go(leader, now_ms, index, "lost", why, outbox);
}

static const struct crew_calls calls = {.member_bytes = sizeof(struct shard_member),
                                        .fill_row = shard_fill_row,
                                        .fill_report = shard_fill_report,
                                        .lose = lose,
                                        .end = drop_all};

enum status shard_master_init(struct shard_master *master,
                              const struct shard_master_options *options, int64_t now_ms,
                              struct outbox *outbox, struct error *err)
{
    const uint64_t epoch = (uint64_t)options->crew.incarnation << 32;
    uint32_t *const servers = &master->options.crew.servers;

    *master = (struct shard_master){.options = *options, .loss = (double)NAN, .roster = epoch};
    if (*servers < options->server_count)
        *servers = options->server_count;
    TRY(crew_init(&master->crew, &master->options.crew, &calls, now_ms, err));
    master->crew.epoch = epoch;
    master->workers = master->crew.members;
    master->servers = master->workers + master->crew.workers;
    shard_move_init(master);
    TRY(server_balance_init(&master->balance, *servers, err));
    crew_put_job(&master->crew, now_ms, outbox);
    return STATUS_OK;
}

void shard_master_deinit(struct shard_master *master)
{
    shard_board_deinit(&master->board);
    shard_move_deinit(master);
    server_balance_deinit(&master->balance);
    for (uint32_t s = 0; master->servers && s < master->crew.options->servers; s++)
        shard_counts_deinit(&master->servers[s].held);
    free(master->losses);
    crew_deinit(&master->crew);
    *master = (struct shard_master){0};
}

/* ----- messages to others ----- */

static void send_servers(const struct shard_master *master, peer_id peer, struct outbox *outbox)
{
    const uint32_t serving = master->move.now.serving;
    struct message message = crew_message(&master->crew, MESSAGE_SERVERS);
    struct layout_runs runs;
    struct text list;

    if (!master->move.is_settled)
        return; /* it follows when it is known which servers have the rows */
    text_init(&list, FRAME_PAYLOAD_MAX);
    for (uint32_t s = 0; s < serving; s++)
        message_put_server_place(&list, &(struct message_server_place){
                                            .incarnation = master->servers[s].member.incarnation,
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
    for (uint32_t w = 0; w < master->crew.workers; w++)
        if (master->workers[w].member.peer != PEER_NONE)
            send_servers(master, master->workers[w].member.peer, outbox);
}

/* Which processes of workers are gone: nobody waits for what they have on their way. */
static void send_forgets(const struct shard_master *master, peer_id peer, struct outbox *outbox)
{
    for (uint32_t w = 0; w < master->crew.workers; w++) {
        const struct shard_member *worker = master->workers + w;
        struct message message = crew_message(&master->crew, MESSAGE_FORGET);

        if (!worker->member.was_seen || worker->member.incarnation == 0)
            continue;
        message.forget =
            (struct message_forget){.index = w, .incarnation = worker->member.incarnation - 1};
        outbox_send(outbox, peer, &message);
    }
}

/* ----- leases ----- */

void shard_send_lease(const struct shard_master *master, uint32_t worker, uint64_t id,
                      uint64_t shard, struct outbox *outbox)
{
    struct message message = crew_message(&master->crew, MESSAGE_LEASE);

    master->workers[worker].leased++;
    message.lease = (struct message_lease){.id = id, .first = shard, .count = 1};
    outbox_send(outbox, master->workers[worker].member.peer, &message);
}

static bool are_all_done(const struct shard_master *master)
{
    if (master->plan.shards_per_epoch == 0 || !shard_board_is_finished(&master->board))
        return false;
    for (uint32_t s = 0; s < master->move.now.serving; s++)
        if (master->servers[s].member.peer == PEER_NONE ||
            master->servers[s].layout.id != master->move.now.id)
            return false;
    return master->move.is_settled;
}

/* The first that does nothing, else the first there is. worker_count: none is here. */
static uint32_t choose_collector(const struct shard_master *master)
{
    const uint32_t none = master->crew.workers;
    uint32_t found = none;

    for (uint32_t w = 0; w < none; w++) {
        if (master->workers[w].member.peer == PEER_NONE)
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
    if (worker == master->crew.workers)
        return;
    *collection = (struct shard_collection){.lease = master->board.next_lease++, .worker = worker};
    crew_put_event(&master->crew, now_ms, worker, "collecting", outbox,
                   "all %" PRIu32 " shards are done", master->board.shards);
    shard_send_lease(master, worker, collection->lease, master->board.shards, outbox);
}

static void give_leases(struct shard_master *master, int64_t now_ms, struct outbox *outbox)
{
    if (crew_has_ended(&master->crew))
        return;
    shard_move_step(master, now_ms, outbox);
    if (master->crew.state != JOB_STATE_RUNNING || shard_move_pauses(master))
        return;
    if (master->options.lanes > 0)
        shard_steps_lease(master, outbox);
    for (uint32_t w = 0; w < master->crew.workers && master->options.lanes == 0; w++) {
        const struct shard_member *worker = master->workers + w;
        struct board_lease lease;

        if (worker->member.peer == PEER_NONE)
            continue;
        while (worker->leased < master->options.leases_per_worker &&
               shard_board_claim(&master->board, w, &lease))
            shard_send_lease(master, w, lease.id, lease.shard, outbox);
        if (worker->leased == 0 && shard_board_share(&master->board, w, &lease))
            shard_send_lease(master, w, lease.id, lease.shard, outbox);
    }
    lease_collection(master, now_ms, outbox);
}

/* ----- requests ----- */

void shard_master_want_servers(struct shard_master *master, int64_t now_ms, uint64_t version,
                               uint32_t servers, struct outbox *outbox)
{
    if (crew_has_ended(&master->crew))
        return;
    shard_move_want(master, now_ms, version, servers, outbox);
    give_leases(master, now_ms, outbox);
}

/* ----- members ----- */

/* A process that is past, or of a place that there is not, is asked to go. */
static bool take_in(struct shard_master *master, int64_t now_ms, bool has_place, uint32_t index,
                    uint32_t incarnation, peer_id from, struct outbox *outbox)
{
    struct crew *crew = &master->crew;
    const struct crew_member *member = crew_at(crew, index);

    if (!has_place || (member->was_seen && incarnation < member->incarnation)) {
        crew_send_end(crew, from, outbox);
        return false;
    }
    if (member->peer != PEER_NONE) {
        outbox_close(outbox, member->peer);
        lose(master, now_ms, index, "has connected anew", outbox);
    }
    crew_put_event(crew, now_ms, index, "joined", outbox, "incarnation %" PRIu32, incarnation);
    crew_take_in(crew, now_ms, index, incarnation, from);
    master->workers[index].leased = 0;
    crew_put_member(crew, index, is_worker(master, index) ? "training" : "serving", 0, 0, outbox);
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
                                                .first_lease = master->crew.epoch + 1};

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

static void on_hello(struct shard_master *master, int64_t now_ms, peer_id from,
                     const struct message *message, struct outbox *outbox)
{
    const struct message_hello *hello = &message->hello;
    struct error err;

    error_clear(&err);
    if (crew_is_followed(&master->crew, message->epoch, outbox))
        return;
    if (!hello->is_staging) { /* it has heard of a checkpoint that is not there any more */
        outbox_replace(outbox, hello->index, hello->incarnation);
        outbox_close(outbox, from);
        return;
    }
    if (hello->is_leaving) {
        crew_send_end(&master->crew, from, outbox);
        return;
    }
    if (take_plan(master, hello, &err) != STATUS_OK) {
        crew_fail(&master->crew, now_ms, &err, outbox);
        return;
    }
    if (!take_in(master, now_ms, is_worker(master, hello->index), hello->index, hello->incarnation,
                 from, outbox))
        return;
    for (uint32_t s = 0; s < master->crew.options->servers; s++)
        if (master->servers[s].member.peer != PEER_NONE)
            send_forgets(master, master->servers[s].member.peer, outbox);
    send_servers(master, from, outbox);
    crew_begin(&master->crew, now_ms, outbox);
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
        crew_fail(&master->crew, now_ms, &err, outbox);
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
    const bool is_known = message->index < master->crew.options->servers &&
                          master->servers[message->index].member.was_seen;
    const uint32_t before = is_known ? master->servers[message->index].member.incarnation : 0;
    const bool was_settled = master->move.is_settled;
    struct server_layout layout;

    if (!read_layout(message, &layout) || layout.serving > master->crew.options->servers ||
        message->next_serving > master->crew.options->servers) {
        crew_send_end(&master->crew, from, outbox);
        return;
    }
    if (!take_in(master, now_ms, message->index < shard_move_servers_most(master),
                 master->crew.workers + message->index, message->incarnation, from, outbox))
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

    if (server->member.peer != PEER_NONE)
        crew_send_end(&master->crew, server->member.peer, outbox);
    if (server->member.was_seen)
        crew_put_member(&master->crew, shard_index_of(master, server), "ended", 0, 0, outbox);
    server->member.peer = PEER_NONE;
    server->member.was_seen = false;
}

/* ----- what is collected, into the checkpoint ----- */

static void ask_piece(const struct shard_master *master, struct outbox *outbox)
{
    const struct shard_collection *collection = &master->collection;
    struct message message = crew_message(&master->crew, MESSAGE_CHECKPOINT);

    message.checkpoint =
        (struct message_checkpoint){.id = collection->lease, .offset = collection->received};
    outbox_send(outbox, master->workers[collection->worker].member.peer, &message);
}

static bool begins_well(struct shard_master *master, const struct message_snapshot *snapshot,
                        struct error *err)
{
    struct checkpoint *head = &master->collection.head;

    *head = (struct checkpoint){.id = snapshot->id,
                                .job = master->crew.options->job,
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
        crew_fail(&master->crew, now_ms, &err, outbox);
        return;
    }
    position = collection->received / collection->head.piece_bytes;
    if (snapshot->total != collection->head.bytes ||
        snapshot->bytes.size != checkpoint_piece_size(&collection->head, position)) {
        fail(&err, STATUS_PROTOCOL, "the pieces of the learned model do not fit together");
        crew_fail(&master->crew, now_ms, &err, outbox);
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

    if (crew_has_ended(&master->crew) || collection->lease == 0 || collection->head.id != id)
        return;
    if (why->status != STATUS_OK) {
        err = *why;
        fail(&err, why->status, "the learned model cannot be stored: %s", why->message);
        crew_fail(&master->crew, now_ms, &err, outbox);
        return;
    }
    crew_put_job(&master->crew, now_ms, outbox);
    crew_put_event(&master->crew, now_ms, -1, "learned", outbox, "%" PRIu64 " bytes are stored",
                   collection->head.bytes);
    for (uint32_t index = master->crew.workers; index < master->crew.count; index++)
        if (crew_at(&master->crew, index)->was_seen)
            crew_put_member(&master->crew, index, "ended", 0, 0, outbox);
    crew_hand_on(&master->crew, MESSAGE_STAGED, outbox);
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
    unable_note_phase_done(&master->crew.unable);
    shard_note_loss(master, (uint32_t)done->shard, (struct batch_loss){done->loss, done->rows},
                    outbox);
    shard_note_progress(master, now_ms, outbox);
}

/* ----- messages ----- */

static void on_server_message(struct shard_master *master, int64_t now_ms, uint32_t index,
                              const struct message *message, struct outbox *outbox)
{
    struct shard_member *server = master->servers + index;

    if (message->type == MESSAGE_SERVER)
        on_server_again(master, now_ms, server, &message->server, outbox);
    else if (message->type == MESSAGE_HELD)
        shard_move_on_held(master, now_ms, index, &message->held, outbox);
    else if (message->type == MESSAGE_FETCHED)
        shard_move_on_fetched(master, now_ms, index, &message->fetched, outbox);
    else if (message->type == MESSAGE_PHASE_ALIVE)
        shard_steps_on_alive(master, server, message->phase_alive.phase, outbox);
    else if (message->type == MESSAGE_LOAD)
        shard_move_on_load(master, index, &message->load);
}

static void on_member_message(struct shard_master *master, int64_t now_ms, uint32_t index,
                              const struct message *message, struct outbox *outbox)
{
    struct shard_member *member = master->workers + index;

    member->member.heard_at = now_ms;
    if (message->type == MESSAGE_SHARD_DONE) {
        member->leased -= member->leased > 0;
        on_shard_done(master, now_ms, &message->shard_done, outbox);
    } else if (message->type == MESSAGE_SNAPSHOT) {
        on_snapshot(master, now_ms, index, &message->snapshot, outbox);
    } else if (message->type == MESSAGE_LEAVING) {
        crew_send_end(&master->crew, member->member.peer, outbox);
        let_go(master, now_ms, index, "left", "was asked to go", outbox);
    } else if (message->type == MESSAGE_FAILED) {
        crew_on_failed(&master->crew, now_ms, &message->failure, outbox);
    } else if (!is_worker(master, index)) {
        on_server_message(master, now_ms, index - master->crew.workers, message, outbox);
    }
}

/* From a thread of a worker whose loop computes. */
static void on_process_alive(struct shard_master *master, int64_t now_ms,
                             const struct message_process_alive *alive)
{
    struct shard_member *worker = master->workers + alive->index;

    if (alive->index >= master->crew.workers)
        return;
    unable_note_alive(&master->crew.unable, now_ms, alive->index, alive->incarnation);
    if (worker->member.was_seen && worker->member.incarnation == alive->incarnation)
        worker->member.heard_at = now_ms;
}

void shard_master_on_message(struct shard_master *master, int64_t now_ms, peer_id from,
                             const struct message *message, struct outbox *outbox)
{
    struct crew *crew = &master->crew;
    const uint32_t index = crew_find(crew, from);

    if (message->job != crew->options->job) {
        outbox_close(outbox, from);
        return;
    }
    if (crew_has_ended(crew)) {
        crew_send_end(crew, from, outbox);
        return;
    }
    if (message->type == MESSAGE_HELLO && index == CREW_NONE)
        on_hello(master, now_ms, from, message, outbox);
    else if (message->type == MESSAGE_SERVER && index == CREW_NONE)
        on_server(master, now_ms, from, &message->server, outbox);
    else if (message->type == MESSAGE_UNABLE)
        crew_on_unable(crew, now_ms, from, &message->unable, outbox);
    else if (message->type == MESSAGE_PROCESS_ALIVE)
        on_process_alive(master, now_ms, &message->process_alive);
    else if (index != CREW_NONE)
        on_member_message(master, now_ms, index, message, outbox);
    else
        outbox_close(outbox, from); /* unknown, or another has its place */
    if (!crew_has_ended(crew))
        give_leases(master, now_ms, outbox);
}

void shard_master_on_disconnect(struct shard_master *master, int64_t now_ms, peer_id peer,
                                struct outbox *outbox)
{
    const uint32_t index = crew_find(&master->crew, peer);

    if (index == CREW_NONE || crew_has_ended(&master->crew))
        return;
    lose(master, now_ms, index, "closed its connection", outbox);
    give_leases(master, now_ms, outbox);
}

/* ----- time ----- */

/* Its connection stays: it may have been slow, and is heard of again. */
static void check_member(struct crew *crew, int64_t now_ms, uint32_t index, struct outbox *outbox)
{
    struct crew_member *member = crew_at(crew, index);

    if (!member->was_seen || !crew_is_silent(crew, now_ms, index, crew->options->dead_ms))
        return;
    crew_put_event(crew, now_ms, index, "silent", outbox, "is replaced");
    outbox_replace(outbox, index, member->incarnation);
    member->heard_at = now_ms;
}

void shard_master_on_tick(struct shard_master *master, int64_t now_ms, struct outbox *outbox)
{
    struct crew *crew = &master->crew;

    if (crew_has_ended(crew))
        return;
    crew_note_pause(crew, now_ms);
    for (uint32_t index = 0; index < crew->count; index++)
        check_member(crew, now_ms, index, outbox);
    give_leases(master, now_ms, outbox);
    if (crew->state == JOB_STATE_RUNNING)
        shard_note_progress(master, now_ms, outbox);
}
