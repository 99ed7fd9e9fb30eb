#include "runtime/ps/master/shard_move.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/reserve.h"
#include "runtime/ps/master/shard_master.h"
#include "runtime/ps/master/shard_record.h"
#include "runtime/ps/master/shard_steps.h"

#define REST_MS          100 /* after a first try, then twice as long */
#define TRIES_COUNTED    7   /* rest and patience grow with these tries, then no more */
#define BALANCES_COUNTED 6   /* after which rests grow */
#define UNEVEN_SPARE     8 /* shards, beside those that workers have: more is for the job's work */

static bool is_here(const struct shard_master *master, uint32_t server)
{
    return master->servers[server].member.peer != PEER_NONE;
}

static uint32_t greater(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

void shard_move_init(struct shard_master *master)
{
    master->move = (struct shard_move){.now = {.serving = master->options.server_count}};
}

void shard_move_deinit(struct shard_master *master)
{
    free(master->move.uneven);
}

bool shard_move_pauses(const struct shard_master *master)
{
    return master->move.stage > SHARD_MOVE_COPYING;
}

uint32_t shard_move_servers_most(const struct shard_master *master)
{
    const struct shard_move *move = &master->move;

    if (!move->is_settled || move->wanted == 0)
        return master->crew.options->servers;
    return greater(move->now.serving, move->wanted);
}

/* ---- messages ---- */

static void send_layout(const struct shard_master *master, uint32_t server, enum message_type type,
                        const struct server_layout *layout, struct outbox *outbox)
{
    struct message message = crew_message(&master->crew, type);
    struct layout_runs runs;

    message.layout =
        (struct message_layout){.layout = layout->id,
                                .serving = layout->serving,
                                .map = server_layout_runs(layout, &runs),
                                .is_anew = layout->id != 0 && layout->id == master->move.anew};
    if (is_here(master, server))
        outbox_send(outbox, master->servers[server].member.peer, &message);
}

static void send_layout_to_all(const struct shard_master *master, enum message_type type,
                               const struct server_layout *layout, struct outbox *outbox)
{
    for (uint32_t s = 0; s < master->crew.options->servers; s++)
        send_layout(master, s, type, layout, outbox);
}

/* To the first servers, with where the rows are now. */
static void send_fetch(const struct shard_master *master, enum message_type type, uint32_t servers,
                       struct outbox *outbox)
{
    const struct shard_move *move = &master->move;
    struct message message = crew_message(&master->crew, type);
    struct layout_runs runs;
    struct text list;

    text_init(&list, FRAME_PAYLOAD_MAX);
    for (uint32_t s = 0; s < move->now.serving; s++)
        message_put_server_place(&list, &(struct message_server_place){
                                            .incarnation = master->servers[s].member.incarnation,
                                            .address = slice_of(master->servers[s].address)});
    outbox->failed |= list.failed;
    message.fetch = (struct message_fetch){.layout = move->next.id,
                                           .serving = move->next.serving,
                                           .map = server_layout_runs(&move->next, &runs),
                                           .server_count = move->now.serving,
                                           .servers = text_slice(&list)};
    for (uint32_t s = 0; s < servers && !list.failed; s++)
        outbox_send(outbox, master->servers[s].member.peer, &message);
    text_deinit(&list);
}

/* ---- which layout is in force, and how many servers run ---- */

/* In force, or wanted; while that is not known, also what servers speak of. */
static uint32_t servers_needed(const struct shard_master *master)
{
    const struct shard_move *move = &master->move;
    uint32_t needed = greater(move->now.serving, move->wanted);

    for (uint32_t s = 0; s < master->crew.options->servers && !move->is_settled; s++)
        if (master->servers[s].member.was_seen && master->servers[s].next.id > move->now.id)
            needed = greater(needed, master->servers[s].next.serving);
    return needed;
}

/* None is ended before it is known which of them have the rows, and how many are wanted. */
static void tell_launcher(struct shard_master *master, struct outbox *outbox)
{
    struct shard_move *move = &master->move;
    const uint32_t least = servers_needed(master);
    const uint32_t most =
        move->is_settled && move->wanted > 0 ? least : master->crew.options->servers;
    const uint32_t serving = move->is_settled ? move->now.serving : 0;

    if (least == move->told_least && most == move->told_most && serving == move->told_serving)
        return;
    for (uint32_t s = most; s < master->crew.options->servers; s++)
        shard_release_server(master, s, outbox);
    move->told_least = least;
    move->told_most = most;
    move->told_serving = serving;
    outbox_servers(outbox, least, most, serving);
}

static bool have_all_spoken(const struct shard_master *master, uint32_t servers)
{
    for (uint32_t s = 0; s < servers; s++)
        if (!master->servers[s].member.was_seen)
            return false;
    return true;
}

static void settle(struct shard_master *master, struct outbox *outbox)
{
    struct shard_move *move = &master->move;

    for (uint32_t s = 0; s < master->crew.options->servers; s++)
        if (master->servers[s].member.was_seen && master->servers[s].layout.id > move->now.id)
            move->now = master->servers[s].layout;
    move->is_settled = have_all_spoken(master, move->now.serving);
    for (uint32_t s = 0; s < master->crew.options->servers && move->is_settled; s++)
        if (master->servers[s].member.was_seen && master->servers[s].next.id > move->now.id)
            move->is_settled = have_all_spoken(master, master->servers[s].next.serving);
    tell_launcher(master, outbox);
    if (!move->is_settled)
        return;
    for (uint32_t s = 0; s < master->crew.options->servers; s++)
        if (master->servers[s].layout.id != move->now.id || master->servers[s].next.id != 0)
            send_layout(master, s, MESSAGE_LAYOUT, &move->now, outbox);
    shard_send_servers_to_all(master, outbox);
}

void shard_move_note_server(struct shard_master *master, int64_t now_ms, uint32_t index,
                            struct outbox *outbox)
{
    struct shard_move *move = &master->move;
    const struct shard_member *server = master->servers + index;
    (void)now_ms;

    if (!move->is_settled)
        settle(master, outbox);
    else if (move->stage == SHARD_MOVE_NONE &&
             (server->layout.id != move->now.id || server->next.id != 0))
        send_layout(master, index, MESSAGE_LAYOUT, &move->now, outbox);
}

/* ---- a move begins, and ends ---- */

/* It has said so since it was told. */
static bool is_in_force_at(const struct shard_master *master, uint32_t server)
{
    return is_here(master, server) && master->servers[server].layout.id == master->move.now.id;
}

static bool is_number_wanted(const struct shard_move *move)
{
    return move->wanted > 0 && move->wanted != move->now.serving;
}

/* The servers there are stay; some of their rows move. */
static bool is_for_load(const struct shard_move *move)
{
    return move->next.serving == move->now.serving;
}

static bool is_balance_due(const struct shard_master *master, int64_t now_ms)
{
    const struct shard_move *move = &master->move;

    return master->options.balance_ms > 0 && !move->lacks_memory && !is_number_wanted(move) &&
           now_ms >= move->balance_at && server_balance_is_due(&master->balance);
}

static bool can_begin(const struct shard_master *master, int64_t now_ms)
{
    const struct shard_move *move = &master->move;

    if (now_ms < move->next_at || master->crew.state != JOB_STATE_RUNNING ||
        master->plan.shards_per_epoch == 0 || shard_board_is_finished(&master->board))
        return false;
    for (uint32_t s = 0; s < greater(move->now.serving, move->wanted); s++)
        if (!is_in_force_at(master, s))
            return false;
    return true;
}

static uint32_t servers_of_both(const struct shard_move *move)
{
    return greater(move->now.serving, move->next.serving);
}

static void begin_move(struct shard_master *master, int64_t now_ms, struct outbox *outbox)
{
    struct shard_move *move = &master->move;

    move->next.id = master->crew.epoch + ++move->ids;
    move->stage = SHARD_MOVE_COPYING;
    move->copying_since = now_ms;
    move->begun++;
    for (uint32_t s = 0; s < master->crew.options->servers; s++)
        master->servers[s].has_held = master->servers[s].has_fetched = false;
    send_fetch(master, MESSAGE_COPY, servers_of_both(move), outbox);
}

static void begin_for_number(struct shard_master *master, int64_t now_ms, struct outbox *outbox)
{
    struct shard_move *move = &master->move;

    move->next = (struct server_layout){.serving = move->wanted};
    crew_put_event(&master->crew, now_ms, -1, "moving", outbox,
                   "from %" PRIu32 " to %" PRIu32 " servers", move->now.serving, move->wanted);
    begin_move(master, now_ms, outbox);
}

static void begin_for_load(struct shard_master *master, int64_t now_ms, struct outbox *outbox)
{
    struct balance_choice choice;
    struct server_layout next;

    if (!server_balance_choose(&master->balance, &master->move.now, &next, &choice)) {
        server_balance_clear(&master->balance); /* a choice is not made with each message */
        return;
    }
    master->move.next = next;
    crew_put_event(&master->crew, now_ms, shard_index_of(master, master->servers + choice.hot),
                   "balancing", outbox,
                   "has %.2f times the mean load: %" PRIu32 " of %d buckets move, so that it is "
                   "%.2f times",
                   choice.before, choice.moved, BUCKETS_PER_TABLE, choice.after);
    begin_move(master, now_ms, outbox);
}

static void pause_workers(struct shard_master *master, int64_t now_ms, struct outbox *outbox)
{
    struct shard_move *move = &master->move;

    for (uint32_t s = 0; s < master->crew.options->servers; s++)
        master->servers[s].has_fetched = false;
    move->stage = SHARD_MOVE_PAUSING;
    move->paused_since = now_ms;
    shard_send_servers_to_all(master, outbox);
}

/* Loads of the time before are of no use, whatever comes. */
static void end_stage(struct shard_master *master, int64_t now_ms)
{
    struct shard_move *move = &master->move;

    move->stage = SHARD_MOVE_NONE;
    move->uneven_count = 0;
    server_balance_clear(&master->balance);
    if (is_for_load(move)) {
        move->balance_at = now_ms + (master->options.balance_ms << move->balances);
        move->balances += move->balances < BALANCES_COUNTED;
    }
}

static void give_up(struct shard_master *master, int64_t now_ms, const char *why,
                    struct outbox *outbox)
{
    struct shard_move *move = &master->move;

    end_stage(master, now_ms);
    move->aborted++;
    move->next_at = now_ms + ((int64_t)REST_MS << move->tries);
    move->tries += move->tries < TRIES_COUNTED;
    crew_put_event(&master->crew, now_ms, -1, "not moved", outbox, "%s", why);
    send_layout_to_all(master, MESSAGE_LAYOUT, &move->now, outbox);
    shard_send_servers_to_all(master, outbox);
}

static void commit(struct shard_master *master, int64_t now_ms, struct outbox *outbox)
{
    struct shard_move *move = &master->move;
    const bool is_balanced = is_for_load(move);

    end_stage(master, now_ms);
    move->balanced += is_balanced;
    if (!is_balanced) {
        move->balances = 0;
        move->lacks_memory = false;
    }
    move->now = move->next;
    move->tries = 0;
    move->committed++;
    master->roster++;
    send_layout_to_all(master, MESSAGE_LAYOUT, &move->now, outbox);
    shard_send_servers_to_all(master, outbox);
    crew_put_event(&master->crew, now_ms, -1, is_balanced ? "balanced" : "moved", outbox,
                   "%" PRIu32 " servers have the rows, after %" PRId64
                   " ms of copying and a pause of %" PRId64 " ms",
                   move->now.serving, move->paused_since - move->copying_since,
                   now_ms - move->paused_since);
    tell_launcher(master, outbox);
}

void shard_move_begin_anew(struct shard_master *master, int64_t now_ms, struct outbox *outbox)
{
    struct shard_move *move = &master->move;

    if (move->stage != SHARD_MOVE_NONE)
        give_up(master, now_ms, "all steps are taken again", outbox);
    move->now.id = move->anew = master->crew.epoch + ++move->ids;
    move->begun_anew++;
    shard_make_roster(master);
    crew_put_event(&master->crew, now_ms, -1, "anew", outbox,
                   "a server has lost steps that others have: all steps are taken again");
    send_layout_to_all(master, MESSAGE_LAYOUT, &move->now, outbox);
    shard_send_servers_to_all(master, outbox);
}

void shard_move_lose_server(struct shard_master *master, int64_t now_ms, uint32_t index,
                            struct outbox *outbox)
{
    const struct shard_move *move = &master->move;

    if (move->stage != SHARD_MOVE_NONE && index < servers_of_both(move))
        give_up(master, now_ms, "a server was lost", outbox);
}

void shard_move_want(struct shard_master *master, int64_t now_ms, uint64_t version,
                     uint32_t servers, struct outbox *outbox)
{
    struct shard_move *move = &master->move;

    if (version < move->wanted_version || servers < 1 || servers > master->crew.options->servers)
        return;
    if (servers != (move->wanted > 0 ? move->wanted : move->now.serving))
        crew_put_event(&master->crew, now_ms, -1, "wanted", outbox, "%" PRIu32 " servers", servers);
    move->wanted_version = version;
    move->wanted = servers;
    if (move->stage != SHARD_MOVE_NONE && move->next.serving != servers)
        give_up(master, now_ms, "another number is wanted", outbox);
    move->tries = 0;
    move->next_at = now_ms;
    if (move->is_settled)
        tell_launcher(master, outbox);
}

void shard_move_on_load(struct shard_master *master, uint32_t index,
                        const struct message_load *load)
{
    const struct shard_move *move = &master->move;

    if (master->options.balance_ms > 0 && move->is_settled && move->stage == SHARD_MOVE_NONE)
        server_balance_note(&master->balance, &move->now, index, load);
}

/* ---- all have counted the same ---- */

static bool note_uneven(struct shard_move *move, uint32_t shard)
{
    void *uneven = move->uneven;

    if (reserve_array(&uneven, &move->uneven_room, move->uneven_count + 1, sizeof *move->uneven,
                      NULL) != STATUS_OK)
        return false;
    move->uneven = uneven;
    move->uneven[move->uneven_count++] = shard;
    return true;
}

static bool is_even(const struct shard_master *master, uint32_t shard)
{
    for (uint32_t s = 1; s < master->move.now.serving; s++)
        if (shard_counts_of(&master->servers[s].held, shard) !=
            shard_counts_of(&master->servers[0].held, shard))
            return false;
    return true;
}

/* False: too many, or no memory. */
static bool find_uneven(struct shard_master *master)
{
    const uint32_t most = master->options.leases_per_worker * master->crew.workers + UNEVEN_SPARE +
                          master->options.lanes;
    struct shard_move *move = &master->move;

    move->uneven_count = 0;
    for (uint32_t shard = 0; shard < master->board.shards; shard++)
        if (!is_even(master, shard) && (move->uneven_count == most || !note_uneven(move, shard)))
            return false;
    return true;
}

static void compare(struct shard_master *master, int64_t now_ms, struct outbox *outbox)
{
    struct shard_move *move = &master->move;

    if (!find_uneven(master)) {
        give_up(master, now_ms, "a server lacks what it is to count again", outbox);
        return;
    }
    if (move->uneven_count == 0) {
        move->stage = SHARD_MOVE_FETCHING;
        send_fetch(master, MESSAGE_FETCH, move->next.serving, outbox);
        return;
    }
    move->evened += move->uneven_count;
    move->stage = SHARD_MOVE_PAUSING;
    for (uint32_t s = 0; s < master->crew.options->servers; s++)
        master->servers[s].has_held = false;
    send_fetch(master, MESSAGE_COPY, servers_of_both(move), outbox);
}

void shard_move_on_held(struct shard_master *master, int64_t now_ms, uint32_t index,
                        const struct message_held *held, struct outbox *outbox)
{
    struct shard_move *move = &master->move;
    struct shard_member *server = master->servers + index;
    struct error err;

    if (move->stage != SHARD_MOVE_HOLDING || held->layout != move->next.id)
        return;
    if (shard_counts_read(&server->held, held->counted, &err) != STATUS_OK) {
        give_up(master, now_ms, err.message, outbox);
        return;
    }
    server->has_held = true;
    for (uint32_t s = 0; s < servers_of_both(move); s++)
        if (!master->servers[s].has_held)
            return;
    compare(master, now_ms, outbox);
}

/* No other try mends it. */
static void note_memory_is_short(struct shard_move *move)
{
    if (is_for_load(move))
        move->lacks_memory = true;
    else
        move->wanted = move->now.serving;
}

void shard_move_on_fetched(struct shard_master *master, int64_t now_ms, uint32_t index,
                           const struct message_fetched *fetched, struct outbox *outbox)
{
    struct shard_move *move = &master->move;
    char why[MESSAGE_REASON_MAX + 1];

    if ((move->stage != SHARD_MOVE_COPYING && move->stage != SHARD_MOVE_FETCHING) ||
        fetched->layout != move->next.id)
        return;
    if (fetched->status != STATUS_OK) {
        slice_copy(fetched->message, why, sizeof why);
        if (fetched->status == STATUS_LIMIT || fetched->status == STATUS_NO_MEMORY)
            note_memory_is_short(move);
        give_up(master, now_ms, why, outbox);
        tell_launcher(master, outbox);
        return;
    }
    master->servers[index].has_fetched = true;
    for (uint32_t s = 0; s < move->next.serving; s++)
        if (!master->servers[s].has_fetched)
            return;
    if (move->stage == SHARD_MOVE_COPYING)
        pause_workers(master, now_ms, outbox);
    else
        commit(master, now_ms, outbox);
}

/* ---- what is due ---- */

/* To whoever has the fewest; the others stay paused. */
static void lease_uneven(struct shard_master *master, struct outbox *outbox)
{
    struct shard_move *move = &master->move;

    while (move->uneven_count > 0) {
        uint32_t least = UINT32_MAX, worker = UINT32_MAX;
        struct board_lease lease;

        for (uint32_t w = 0; w < master->crew.workers; w++) {
            const uint32_t leased = master->workers[w].leased;

            if (master->workers[w].member.peer == PEER_NONE || leased >= least ||
                leased >= master->options.leases_per_worker)
                continue;
            least = leased;
            worker = w;
        }
        if (worker == UINT32_MAX)
            return;
        if (shard_board_claim_shard(&master->board, worker, move->uneven[--move->uneven_count],
                                    &lease))
            shard_send_lease(master, worker, lease.id, lease.shard, outbox);
    }
}

static bool takes_too_long(const struct shard_master *master, int64_t now_ms)
{
    const struct shard_move *move = &master->move;

    return master->options.pause_ms > 0 && shard_move_pauses(master) &&
           now_ms - move->paused_since > master->options.pause_ms << move->tries;
}

void shard_move_step(struct shard_master *master, int64_t now_ms, struct outbox *outbox)
{
    struct shard_move *move = &master->move;

    if (!move->is_settled)
        return;
    if (move->stage == SHARD_MOVE_NONE && is_number_wanted(move) && can_begin(master, now_ms))
        begin_for_number(master, now_ms, outbox);
    else if (move->stage == SHARD_MOVE_NONE && is_balance_due(master, now_ms) &&
             can_begin(master, now_ms))
        begin_for_load(master, now_ms, outbox);
    if (move->stage == SHARD_MOVE_NONE)
        return;
    if (takes_too_long(master, now_ms)) {
        give_up(master, now_ms, "the workers were not to wait longer", outbox);
    } else if (shard_board_is_finished(&master->board)) {
        give_up(master, now_ms, "all shards are done", outbox);
    } else if (move->stage == SHARD_MOVE_PAUSING) {
        lease_uneven(master, outbox);
        if (move->uneven_count > 0 || master->board.lease_count > 0)
            return;
        move->stage = SHARD_MOVE_HOLDING;
        shard_steps_reopen(master);
        send_layout_to_all(master, MESSAGE_HOLD, &move->next, outbox);
    }
}
