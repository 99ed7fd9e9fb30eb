#include "runtime/ps/shard_master.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/ps/shard_counts.h"

/* ----- life ----- */

enum status shard_master_init(struct shard_master *master,
                              const struct shard_master_options *options, int64_t now_ms,
                              struct error *err)
{
    const uint64_t epoch = (uint64_t)options->incarnation << 32;

    *master = (struct shard_master){.options = *options,
                                    .state = JOB_STATE_RUNNING,
                                    .epoch = epoch,
                                    .roster = epoch,
                                    .ticked_at = now_ms};
    error_clear(&master->failure);
    master->options.shards.first_lease = epoch + 1;
    TRY(shard_board_init(&master->board, &master->options.shards, err));
    master->workers = calloc(options->worker_count, sizeof *master->workers);
    master->servers = calloc(options->server_count, sizeof *master->servers);
    return master->workers && master->servers ? STATUS_OK : fail_no_memory(err);
}

void shard_master_deinit(struct shard_master *master)
{
    shard_board_deinit(&master->board);
    free(master->workers);
    free(master->servers);
    *master = (struct shard_master){0};
}

bool shard_master_has_ended(const struct shard_master *master)
{
    return master->state != JOB_STATE_RUNNING;
}

/* ----- messages to others ----- */

static struct message message_of(const struct shard_master *master, enum message_type type)
{
    return (struct message){.type = type, .job = master->options.job, .epoch = master->epoch};
}

static void send_end(const struct shard_master *master, peer_id peer, struct outbox *outbox)
{
    const struct message message = message_of(master, MESSAGE_END);

    outbox_send(outbox, peer, &message);
    outbox_close(outbox, peer);
}

static void send_servers(const struct shard_master *master, peer_id peer, struct outbox *outbox)
{
    struct message message = message_of(master, MESSAGE_SERVERS);
    struct text list;

    text_init(&list, FRAME_PAYLOAD_MAX);
    for (uint32_t s = 0; s < master->options.server_count; s++)
        message_put_server_place(
            &list, &(struct message_server_place){.incarnation = master->servers[s].incarnation,
                                                  .address = slice_of(master->servers[s].address)});
    outbox->failed |= list.failed;
    message.servers = (struct message_servers){.roster = master->roster,
                                               .server_count = master->options.server_count,
                                               .servers = text_slice(&list)};
    if (!list.failed)
        outbox_send(outbox, peer, &message);
    text_deinit(&list);
}

/* Which processes of workers are gone: nobody waits for what they have on their way. */
static void send_forgets(const struct shard_master *master, peer_id peer, struct outbox *outbox)
{
    for (uint32_t w = 0; w < master->options.worker_count; w++) {
        const struct shard_member *worker = master->workers + w;
        struct message message = message_of(master, MESSAGE_FORGET);

        if (!worker->was_seen || worker->incarnation == 0)
            continue;
        message.forget =
            (struct message_forget){.index = w, .incarnation = worker->incarnation - 1};
        outbox_send(outbox, peer, &message);
    }
}

static uint32_t leases_of(const struct shard_master *master, uint32_t worker)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < master->board.lease_count; i++)
        count += master->board.leases[i].worker == worker;
    return count;
}

static void give_leases(struct shard_master *master, struct outbox *outbox)
{
    for (uint32_t w = 0; w < master->options.worker_count; w++) {
        const struct shard_member *worker = master->workers + w;
        uint32_t held = leases_of(master, w);
        struct board_lease lease;

        while (worker->peer != PEER_NONE && held++ < master->options.leases_per_worker &&
               shard_board_claim(&master->board, w, &lease)) {
            struct message message = message_of(master, MESSAGE_LEASE);

            message.lease =
                (struct message_lease){.id = lease.id, .first = lease.shard, .count = 1};
            outbox_send(outbox, worker->peer, &message);
        }
    }
}

/* ----- the end ----- */

static void end(struct shard_master *master, enum job_state state, struct outbox *outbox)
{
    master->state = state;
    for (uint32_t w = 0; w < master->options.worker_count; w++)
        if (master->workers[w].peer != PEER_NONE)
            send_end(master, master->workers[w].peer, outbox);
    for (uint32_t s = 0; s < master->options.server_count; s++)
        if (master->servers[s].peer != PEER_NONE)
            send_end(master, master->servers[s].peer, outbox);
}

void shard_master_cancel(struct shard_master *master, struct outbox *outbox)
{
    if (!shard_master_has_ended(master))
        end(master, JOB_STATE_CANCELLED, outbox);
}

void shard_master_fail(struct shard_master *master, const struct error *err, struct outbox *outbox)
{
    if (shard_master_has_ended(master))
        return;
    master->failure = *err;
    end(master, JOB_STATE_FAILED, outbox);
}

bool shard_master_is_finished(const struct shard_master *master)
{
    if (shard_master_has_ended(master) || !shard_board_is_finished(&master->board))
        return false;
    for (uint32_t s = 0; s < master->options.server_count; s++)
        if (master->servers[s].peer == PEER_NONE)
            return false;
    return true;
}

void shard_master_complete(struct shard_master *master, struct outbox *outbox)
{
    if (shard_master_is_finished(master))
        end(master, JOB_STATE_DONE, outbox);
}

/* ----- members ----- */

static struct shard_member *member_at(const struct shard_master *master, peer_id peer)
{
    for (uint32_t w = 0; w < master->options.worker_count; w++)
        if (master->workers[w].peer == peer)
            return master->workers + w;
    for (uint32_t s = 0; s < master->options.server_count; s++)
        if (master->servers[s].peer == peer)
            return master->servers + s;
    return NULL;
}

static bool is_worker(const struct shard_master *master, const struct shard_member *member)
{
    return member >= master->workers && member < master->workers + master->options.worker_count;
}

/* Its connection is no longer of use. */
static void lose(struct shard_master *master, struct shard_member *member)
{
    member->peer = PEER_NONE;
    if (is_worker(master, member))
        shard_board_take_back_all(&master->board, (uint32_t)(member - master->workers));
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
    if (member->peer != PEER_NONE && member->peer != from)
        outbox_close(outbox, member->peer);
    member->peer = from;
    member->incarnation = incarnation;
    member->was_seen = true;
    member->heard_at = now_ms;
    return true;
}

static void on_hello(struct shard_master *master, int64_t now_ms, peer_id from,
                     const struct message_hello *hello, struct outbox *outbox)
{
    if (!take_in(master, now_ms, master->workers, master->options.worker_count, hello->index,
                 hello->incarnation, from, outbox))
        return;
    shard_board_take_back_all(&master->board, hello->index);
    for (uint32_t s = 0; s < master->options.server_count; s++)
        if (master->servers[s].peer != PEER_NONE)
            send_forgets(master, master->servers[s].peer, outbox);
    send_servers(master, from, outbox);
}

static void reopen(struct shard_master *master, struct slice counted, struct outbox *outbox)
{
    struct shard_counts counts = {.count = 0};
    struct error err;

    error_clear(&err);
    if (shard_counts_read(&counts, counted, &err) == STATUS_OK)
        shard_board_reopen(&master->board, counts.batches, counts.count);
    else
        shard_master_fail(master, &err, outbox);
    shard_counts_deinit(&counts);
}

static void on_server(struct shard_master *master, int64_t now_ms, peer_id from,
                      const struct message_server *message, struct outbox *outbox)
{
    const bool is_known =
        message->index < master->options.server_count && master->servers[message->index].was_seen;
    const uint32_t before = is_known ? master->servers[message->index].incarnation : 0;

    if (!take_in(master, now_ms, master->servers, master->options.server_count, message->index,
                 message->incarnation, from, outbox))
        return;
    master->roster += !is_known || message->incarnation > before;
    snprintf(master->servers[message->index].address, MESSAGE_ADDRESS_MAX + 1, "%.*s",
             SLICE_FORMAT(message->address));
    send_forgets(master, from, outbox);
    reopen(master, message->counted, outbox);
    for (uint32_t w = 0; w < master->options.worker_count; w++)
        if (master->workers[w].peer != PEER_NONE)
            send_servers(master, master->workers[w].peer, outbox);
}

static void on_shard_done(struct shard_master *master, const struct message_shard_done *done)
{
    if (done->roster == master->roster) {
        (void)shard_board_finish(&master->board, done->id);
        return;
    }
    master->late++;
    shard_board_take_back(&master->board, done->id);
}

static void on_failed(struct shard_master *master, const struct message_failure *failure,
                      struct outbox *outbox)
{
    struct error err;

    error_restore(&err, failure->status, failure->message, failure->hint);
    shard_master_fail(master, &err, outbox);
}

void shard_master_on_message(struct shard_master *master, int64_t now_ms, peer_id from,
                             const struct message *message, struct outbox *outbox)
{
    struct shard_member *member = member_at(master, from);

    if (shard_master_has_ended(master) || message->job != master->options.job)
        return;
    if (member)
        member->heard_at = now_ms;
    if (message->type == MESSAGE_HELLO) {
        on_hello(master, now_ms, from, &message->hello, outbox);
    } else if (message->type == MESSAGE_SERVER) {
        on_server(master, now_ms, from, &message->server, outbox);
    } else if (member && message->type == MESSAGE_SHARD_DONE) {
        on_shard_done(master, &message->shard_done);
    } else if (member && message->type == MESSAGE_LEAVING) {
        lose(master, member);
        send_end(master, from, outbox);
    } else if (member && message->type == MESSAGE_FAILED) {
        on_failed(master, &message->failure, outbox);
    }
    if (!shard_master_has_ended(master))
        give_leases(master, outbox);
}

void shard_master_on_disconnect(struct shard_master *master, int64_t now_ms, peer_id peer,
                                struct outbox *outbox)
{
    struct shard_member *member = member_at(master, peer);

    (void)now_ms;
    if (!member || shard_master_has_ended(master))
        return;
    lose(master, member);
    give_leases(master, outbox);
}

/* ----- time ----- */

/* Its connection stays: it may have been slow, and is heard of again. */
static void check_member(struct shard_master *master, int64_t now_ms, uint32_t index,
                         struct shard_member *member, struct outbox *outbox)
{
    if (!member->was_seen || master->options.dead_ms == 0 ||
        now_ms - member->heard_at < master->options.dead_ms)
        return;
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
    for (uint32_t s = 0; s < master->options.server_count; s++)
        master->servers[s].heard_at += pause;
}

void shard_master_on_tick(struct shard_master *master, int64_t now_ms, struct outbox *outbox)
{
    const uint32_t workers = master->options.worker_count, servers = master->options.server_count;

    if (shard_master_has_ended(master))
        return;
    add_pause(master, now_ms);
    for (uint32_t w = 0; w < workers; w++)
        check_member(master, now_ms, w, master->workers + w, outbox);
    for (uint32_t s = 0; s < servers; s++)
        check_member(master, now_ms, workers + s, master->servers + s, outbox);
}
