#include "runtime/score/scorer_role.h"

#include <string.h>

static bool is_over(const struct scorer_role *role)
{
    return role->state == SCORER_STAGED || role->state == SCORER_ENDED;
}

static struct message message_of(const struct scorer_role *role, enum message_type type)
{
    return (struct message){.type = type, .job = role->options.job, .epoch = role->epoch};
}

void scorer_role_init(struct scorer_role *role, const struct scorer_role_options *options,
                      const struct shard_scoring *scoring, const struct error *failure)
{
    *role = (struct scorer_role){
        .options = *options, .state = SCORER_JOINING, .next_peer = PEER_FIRST_ASKED};
    role->master = master_link_of(options->master, options->alive_ms, options->reconnect_ms,
                                  options->search_ms);
    error_clear(&role->failure);
    if (failure) {
        role->state = SCORER_FAILED;
        role->failure = *failure;
        role->is_unable = true;
    } else {
        role->scoring = *scoring;
    }
}

static void say_failed(const struct scorer_role *role, struct outbox *outbox)
{
    struct message message = message_of(role, MESSAGE_FAILED);

    message.failure = message_failure_of(&role->failure);
    outbox_send(outbox, role->master.peer, &message);
}

/* It never had rows, or it ran out of memory: this scorer's failure does not fail the job. */
static void say_unable(const struct scorer_role *role, struct outbox *outbox)
{
    struct message message = message_of(role, MESSAGE_UNABLE);

    message.unable =
        message_unable_of(role->options.index, role->options.incarnation, &role->failure);
    outbox_send(outbox, role->master.peer, &message);
}

static bool is_own_trouble(const struct scorer_role *role, enum status status)
{
    if (!role->options.stages)
        return status == STATUS_NO_MEMORY;
    return status != STATUS_LIMIT && status != STATUS_CORRUPT && status != STATUS_UNSUPPORTED;
}

static void be_failed(struct scorer_role *role, const struct error *err, struct outbox *outbox)
{
    role->state = SCORER_FAILED;
    role->failure = *err;
    role->lease_count = 0;
    role->is_unable = is_own_trouble(role, err->status);
    if (role->is_unable)
        say_unable(role, outbox);
    else
        say_failed(role, outbox);
}

static void connect_master(struct scorer_role *role, int64_t now_ms, struct outbox *outbox)
{
    struct message hello = message_of(role, MESSAGE_HELLO);

    master_link_connect(&role->master, now_ms, &role->next_peer, outbox);
    if (role->is_unable) {
        say_unable(role, outbox);
        return;
    }
    hello.hello = (struct message_hello){.index = role->options.index,
                                         .incarnation = role->options.incarnation,
                                         .is_leaving = role->is_leaving,
                                         .is_staging = role->options.stages,
                                         .address = slice_of("")};
    outbox_send(outbox, role->master.peer, &hello);
    if (role->state == SCORER_FAILED)
        say_failed(role, outbox);
}

void scorer_role_start(struct scorer_role *role, int64_t now_ms, struct outbox *outbox)
{
    master_link_lost(&role->master, now_ms);
    connect_master(role, now_ms, outbox);
}

static void end_with(struct scorer_role *role, enum status status, struct outbox *outbox)
{
    role->state = SCORER_ENDED;
    role->lease_count = 0;
    outbox_end(outbox, status);
}

static void be_ended(struct scorer_role *role, struct outbox *outbox)
{
    end_with(role, STATUS_OK, outbox);
}

static void on_lease(struct scorer_role *role, const struct message *message, struct outbox *outbox)
{
    struct error err;

    if (role->state == SCORER_FAILED || message->epoch < role->epoch)
        return;
    role->state = SCORER_READY;
    if (role->lease_count == SCORER_LEASES_MAX) {
        error_clear(&err);
        fail(&err, STATUS_PROTOCOL, "more than %d leases at once", SCORER_LEASES_MAX);
        be_failed(role, &err, outbox);
        return;
    }
    role->leases[role->lease_count++] = message->lease;
}

/* Ends when the rows are staged: others have staged the shards that it still has leased. */
static void be_staged(struct scorer_role *role, struct outbox *outbox)
{
    if (role->is_leaving || role->is_unable) {
        end_with(role, role->is_unable ? STATUS_CONNECTION : STATUS_OK, outbox);
        return;
    }
    role->state = SCORER_STAGED;
    role->lease_count = 0;
    outbox_close(outbox, role->master.peer);
    role->master.peer = PEER_NONE;
}

void scorer_role_on_message(struct scorer_role *role, int64_t now_ms, peer_id from,
                            const struct message *message, struct outbox *outbox)
{
    (void)now_ms;
    if (from != role->master.peer || is_over(role) || message->job != role->options.job)
        return;
    if (message->epoch < role->epoch) { /* a master that was thought dead has thawed */
        scorer_role_on_disconnect(role, now_ms, from, outbox);
        outbox_close(outbox, from);
        return;
    }
    role->epoch = message->epoch;
    master_link_found(&role->master);
    if (message->type == MESSAGE_LEASE)
        on_lease(role, message, outbox);
    else if (message->type == MESSAGE_END)
        end_with(role, role->is_unable ? STATUS_CONNECTION : STATUS_OK, outbox);
    else if (message->type == MESSAGE_STAGED && role->options.stages)
        be_staged(role, outbox);
}

void scorer_role_on_disconnect(struct scorer_role *role, int64_t now_ms, peer_id peer,
                               struct outbox *outbox)
{
    if (peer != role->master.peer || is_over(role))
        return;
    master_link_lost(&role->master, now_ms);
    role->lease_count = 0;
    role->is_scoring = false;
    if (role->is_leaving)
        be_ended(role, outbox); /* it holds nothing that is needed */
    else if (role->state == SCORER_READY)
        role->state = SCORER_JOINING;
}

void scorer_role_leave(struct scorer_role *role, int64_t now_ms, struct outbox *outbox)
{
    struct message leaving = message_of(role, MESSAGE_LEAVING);

    if (is_over(role) || role->is_leaving)
        return;
    role->is_leaving = true;
    role->leave_at = now_ms + role->options.grace_ms;
    role->lease_count = 0;
    role->is_scoring = false;
    if (role->master.peer == PEER_NONE)
        be_ended(role, outbox);
    else
        outbox_send(outbox, role->master.peer, &leaving);
}

void scorer_role_on_tick(struct scorer_role *role, int64_t now_ms, struct outbox *outbox)
{
    struct message alive = message_of(role, MESSAGE_PHASE_ALIVE);

    if (is_over(role))
        return;
    if (role->is_leaving && now_ms >= role->leave_at) {
        be_ended(role, outbox);
        return;
    }
    switch (master_link_tick(&role->master, now_ms)) {
    case MASTER_GIVE_UP:
        end_with(role, STATUS_CONNECTION, outbox);
        break;
    case MASTER_CONNECT:
        connect_master(role, now_ms, outbox);
        break;
    case MASTER_SEND_ALIVE:
        outbox_send(outbox, role->master.peer, &alive);
        break;
    case MASTER_NEEDS_NOTHING:
        break;
    }
}

bool scorer_role_has_work(const struct scorer_role *role)
{
    return role->state == SCORER_READY && role->lease_count > 0;
}

static void reach(const struct scorer_role *role, enum fault_point point)
{
    if (role->fault.is_set)
        fault_reach(&role->fault, point, "worker", role->options.index, role->options.incarnation,
                    role->leases[0].first);
}

static void hand_in(struct scorer_role *role, struct outbox *outbox)
{
    struct message scored = message_of(role, MESSAGE_SCORED);

    reach(role, FAULT_SHARD_SCORED);
    scored.scored = (struct message_scored){.id = role->leases[0].id,
                                            .slot = role->leases[0].slot,
                                            .results = role->scoring.results(role->scoring.self)};
    outbox_send(outbox, role->master.peer, &scored);
    role->is_scoring = false;
    role->lease_count--;
    memmove(role->leases, role->leases + 1, role->lease_count * sizeof *role->leases);
}

void scorer_role_work(struct scorer_role *role, int64_t now_ms, struct outbox *outbox)
{
    const struct shard_scoring *scoring = &role->scoring;
    enum status status = STATUS_OK;
    bool is_done = false;
    struct error err;
    (void)now_ms;

    error_clear(&err);
    if (!role->is_scoring) {
        status = scoring->begin(scoring->self, role->leases[0].first, role->leases[0].count, &err);
        role->is_scoring = true;
        reach(role, FAULT_SHARD_BEGIN);
    }
    if (status == STATUS_OK)
        status = scoring->score(scoring->self, &is_done, &err);
    if (status != STATUS_OK)
        be_failed(role, &err, outbox);
    else if (is_done)
        hand_in(role, outbox);
}
