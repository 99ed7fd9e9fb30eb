#include "runtime/ps/master/shard_steps.h"

#include "runtime/ps/master/shard_master.h"
#include "runtime/ps/worker/push_worker.h"

/* ---- leases ---- */

static uint32_t leases_of(const struct shard_board *board, uint32_t worker, uint32_t first,
                          uint32_t end)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < board->lease_count; i++) {
        const struct board_lease *lease = board->leases + i;

        count += lease->worker == worker && lease->shard >= first && lease->shard < end;
    }
    return count;
}

/* The worker of the group with the fewest shards; worker_count: nobody may have one more. */
static uint32_t choose_worker(const struct shard_master *master, uint32_t first, uint32_t end)
{
    uint32_t found = master->crew.workers, least = UINT32_MAX;

    for (uint32_t w = 0; w < master->crew.workers; w++) {
        const struct shard_member *worker = master->workers + w;
        uint32_t leases;

        if (worker->member.peer == PEER_NONE || worker->leased == PUSH_WORKER_LEASES_MAX)
            continue;
        leases = leases_of(&master->board, w, first, end);
        if (leases < least) {
            least = leases;
            found = w;
        }
    }
    return found;
}

static void lease_group(struct shard_master *master, uint32_t first, struct outbox *outbox)
{
    const uint32_t end = first + master->options.lanes;

    for (uint32_t shard = first; shard < end && shard < master->board.shards; shard++) {
        struct board_lease lease;
        uint32_t worker;

        if (!shard_board_is_open(&master->board, shard))
            continue;
        worker = choose_worker(master, first, end);
        if (worker == master->crew.workers ||
            !shard_board_claim_shard(&master->board, worker, shard, &lease))
            return;
        shard_send_lease(master, worker, lease.id, lease.shard, outbox);
    }
}

void shard_steps_lease(struct shard_master *master, struct outbox *outbox)
{
    const uint32_t lanes = master->options.lanes;
    const uint32_t first = shard_board_first_to_do(&master->board) / lanes * lanes;

    lease_group(master, first, outbox);
    lease_group(master, first + lanes, outbox);
}

void shard_steps_reopen(struct shard_master *master)
{
    const uint32_t lanes = master->options.lanes;

    if (lanes > 0)
        shard_board_reopen_from(&master->board,
                                shard_board_first_to_do(&master->board) / lanes * lanes);
}

/* ---- servers that are apart ---- */

static bool counts(const struct shard_master *master, const struct shard_member *server)
{
    return server->member.peer != PEER_NONE && server->layout.id == master->move.now.id;
}

/* The step that no server may be before. */
static uint64_t least_of_all(const struct shard_master *master)
{
    uint64_t least = 0;

    for (uint32_t s = 0; s < master->move.now.serving; s++)
        if (counts(master, master->servers + s) && master->servers[s].least > least)
            least = master->servers[s].least;
    return least;
}

static void ask_those_behind(struct shard_master *master, struct outbox *outbox)
{
    const uint64_t least = least_of_all(master);

    for (uint32_t s = 0; s < master->move.now.serving && master->move.is_settled; s++) {
        struct shard_member *server = master->servers + s;
        const struct message message = crew_message(&master->crew, MESSAGE_TELL);

        if (!counts(master, server) || server->clock >= least || server->is_asked)
            continue;
        server->is_asked = true;
        server->asked_least = least;
        outbox_send(outbox, server->member.peer, &message);
    }
}

/* An answer was written after all that the question knew of. */
void shard_steps_on_server(struct shard_master *master, int64_t now_ms, struct shard_member *server,
                           const struct message_server *message, struct outbox *outbox)
{
    const bool is_behind = server->is_asked && message->clock < server->asked_least;

    server->clock = message->clock;
    server->least = message->least;
    server->is_asked = false;
    if (master->options.lanes == 0)
        return;
    if (is_behind && master->move.is_settled && counts(master, server))
        shard_move_begin_anew(master, now_ms, outbox);
    else
        ask_those_behind(master, outbox);
}

void shard_steps_on_alive(struct shard_master *master, struct shard_member *server, uint64_t least,
                          struct outbox *outbox)
{
    if (master->options.lanes == 0 || least <= server->least)
        return;
    server->least = least;
    server->clock = least > server->clock ? least : server->clock;
    ask_those_behind(master, outbox);
}
