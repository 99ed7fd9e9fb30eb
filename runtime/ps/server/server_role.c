#include "runtime/ps/server/server_role.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/reserve.h"
#include "base/sums/hash.h"
#include "runtime/ps/rows/row_snapshot.h"
#include "runtime/ps/server/server_save.h"

/* ---- life ---- */

static enum status check_options(const struct server_options *options, struct error *err)
{
    if (options->table_count < 1 || options->table_count > TABLES_MAX)
        return fail(err, STATUS_INVALID, "a parameter server has 1 to %d tables, not %" PRIu32,
                    TABLES_MAX, options->table_count);
    if (options->server_count < 1 || options->server_count > BUCKETS_PER_TABLE ||
        options->index >= BUCKETS_PER_TABLE)
        return fail(err, STATUS_INVALID,
                    "parameter server %" PRIu32 " of %" PRIu32 ", where a job has %d at most",
                    options->index, options->server_count, BUCKETS_PER_TABLE);
    for (uint32_t t = 0; t < options->table_count; t++)
        if (options->tables[t].number != t)
            return fail(err, STATUS_INVALID,
                        "table %" PRIu32 " of a parameter server has number %" PRIu32, t,
                        options->tables[t].number);
    if (options->staleness > SERVER_STALENESS_MAX)
        return fail(err, STATUS_INVALID, "a staleness of %" PRIu32 ", where %d is the most",
                    options->staleness, SERVER_STALENESS_MAX);
    return STATUS_OK;
}

enum status server_role_init(struct server_role *role, const struct server_options *options,
                             struct error *err)
{
    *role = (struct server_role){.options = *options,
                                 .next_peer = PEER_FIRST_ASKED,
                                 .layout = {.serving = options->server_count}};
    server_move_share_memory(role, options->server_count ? options->server_count : 1);
    role->master = master_link_of(options->master, options->alive_ms, options->reconnect_ms,
                                  options->search_ms);
    text_init(&role->unread, ROW_IMAGE_MAX);
    text_init(&role->snapshot.out, ROW_IMAGE_MAX);
    server_log_init(&role->log);
    TRY(check_options(options, err));
    TRY(server_steps_init(role, err));
    role->tables = calloc(options->table_count, sizeof *role->tables);
    if (!role->tables)
        return fail_no_memory(err);
    for (uint32_t t = 0; t < options->table_count; t++)
        TRY(row_table_init(role->tables + t, options->tables + t, &role->memory, err));
    role->options.tables = NULL;
    return STATUS_OK;
}

/* Only the gate lets a worker wait for others. */
static uint32_t bound_of(const struct server_role *role)
{
    return role->options.index == 0 ? role->options.staleness : 0;
}

/* The worker computes no longer: it has pushed, or other servers may have its push already. */
static void stop_computing(struct server_role *role, struct server_peer *peer)
{
    const uint32_t bound = bound_of(role);
    struct server_worker *worker = role->workers + peer->index;

    if (!peer->is_computing)
        return;
    peer->is_computing = false;
    role->turn++;
    if (bound)
        worker->turns[worker->pushes++ % bound] = role->turn;
}

static void forget_peer(struct server_role *role, struct server_peer *peer)
{
    stop_computing(role, peer);
    text_deinit(&peer->waiting);
    *peer = role->peers[--role->peer_count];
}

void server_role_deinit(struct server_role *role)
{
    while (role->peer_count)
        forget_peer(role, role->peers);
    server_move_deinit(role);
    server_steps_deinit(role);
    server_log_deinit(&role->log);
    for (uint32_t t = 0; role->tables && t < role->options.table_count; t++)
        if (role->tables[t].buckets)
            row_table_deinit(role->tables + t);
    free(role->tables);
    for (uint32_t w = 0; w < role->worker_count; w++)
        free(role->workers[w].turns);
    free(role->workers);
    free(role->peers);
    free(role->ids);
    free(role->seen);
    free(role->floats);
    shard_counts_deinit(&role->shards);
    text_deinit(&role->unread);
    text_deinit(&role->snapshot.out);
}

static bool is_over(const struct server_role *role)
{
    return role->state == SERVER_FAILED || role->state == SERVER_ENDED;
}

/* ---- the master ---- */

static void send_failure(const struct server_role *role, struct outbox *outbox)
{
    struct message message = server_role_message(role, MESSAGE_FAILED);

    message.failure = message_failure_of(&role->failure);
    outbox_send(outbox, role->master.peer, &message);
}

/* The oldest step whose rows can be pulled: the clock's, or the one before it. */
static uint64_t least_step(const struct server_role *role)
{
    return role->clock - (role->steps.has_before ? 1 : 0);
}

/* SERVER, to the master. */
static void say_server(const struct server_role *role, struct outbox *outbox)
{
    struct message message = server_role_message(role, MESSAGE_SERVER);
    struct layout_runs runs;

    message.server = (struct message_server){.index = role->options.index,
                                             .incarnation = role->options.incarnation,
                                             .counted = shard_counts_bytes(&role->shards),
                                             .address = slice_of(role->options.address),
                                             .layout = role->layout.id,
                                             .serving = role->layout.serving,
                                             .map = server_layout_runs(&role->layout, &runs),
                                             .next_layout = role->move.to.id,
                                             .next_serving = role->move.to.serving,
                                             .clock = role->clock,
                                             .least = least_step(role)};
    outbox_send(outbox, role->master.peer, &message);
}

static void connect_master(struct server_role *role, int64_t now_ms, struct outbox *outbox)
{
    master_link_connect(&role->master, now_ms, &role->next_peer, outbox);
    say_server(role, outbox);
    if (role->state == SERVER_FAILED)
        send_failure(role, outbox);
}

static void find_master(struct server_role *role, int64_t now_ms, struct outbox *outbox)
{
    master_link_lost(&role->master, now_ms);
    connect_master(role, now_ms, outbox);
}

void server_role_start(struct server_role *role, int64_t now_ms, struct outbox *outbox)
{
    role->state = SERVER_SERVING;
    role->snapshot_at = now_ms;
    role->snapshot_clock = role->clock;
    server_load_begin(&role->load, now_ms);
    find_master(role, now_ms, outbox);
}

void server_role_start_failed(struct server_role *role, int64_t now_ms, const struct error *why,
                              struct outbox *outbox)
{
    role->state = SERVER_FAILED;
    role->failure = *why;
    find_master(role, now_ms, outbox);
}

bool server_role_lacks_memory(const struct server_role *role, enum status status)
{
    return status == STATUS_NO_MEMORY || (status == STATUS_LIMIT && role->memory.was_short);
}

static void be_failed(struct server_role *role, const struct error *err, struct outbox *outbox)
{
    if (role->options.may_grow && server_role_lacks_memory(role, err->status)) {
        role->state = SERVER_ENDED;
        role->failure = *err;
        outbox_end(outbox, err->status);
        return;
    }
    role->state = SERVER_FAILED;
    role->failure = *err;
    if (role->master.peer != PEER_NONE)
        send_failure(role, outbox);
}

/* ---- peers ---- */

static struct server_peer *find_peer(const struct server_role *role, peer_id peer)
{
    for (uint32_t i = 0; i < role->peer_count; i++)
        if (role->peers[i].peer == peer)
            return role->peers + i;
    return NULL;
}

static enum status add_peer(struct server_role *role, peer_id peer, struct server_peer **added,
                            struct error *err)
{
    void *peers = role->peers;

    TRY(reserve_array(&peers, &role->peer_room, role->peer_count + 1, sizeof **added, err));
    role->peers = peers;
    *added = role->peers + role->peer_count++;
    **added = (struct server_peer){.peer = peer};
    text_init(&(*added)->waiting, FRAME_HEADER_BYTES + FRAME_PAYLOAD_MAX);
    return STATUS_OK;
}

/* There is a record of the worker with this index. */
static enum status know_worker(struct server_role *role, uint32_t index, struct error *err)
{
    void *workers = role->workers;

    if (index >= SERVER_WORKERS_MAX)
        return fail(err, STATUS_PROTOCOL, "worker %" PRIu32 " of a job", index);
    TRY(reserve_array(&workers, &role->worker_room, index + 1, sizeof *role->workers, err));
    role->workers = workers;
    while (role->worker_count <= index) {
        uint64_t *turns = bound_of(role) ? calloc(bound_of(role), sizeof *turns) : NULL;

        if (bound_of(role) && !turns)
            return fail_no_memory(err);
        role->workers[role->worker_count++] = (struct server_worker){.turns = turns};
    }
    return STATUS_OK;
}

/* It does not speak as a worker of this job does: the connection is of no use. */
static void refuse_peer(struct server_role *role, struct server_peer *peer, struct outbox *outbox)
{
    outbox_close(outbox, peer->peer);
    forget_peer(role, peer);
}

/* Nothing that a worker pulled before can be pushed any more. */
static void stop_workers(struct server_role *role)
{
    for (uint32_t i = 0; i < role->peer_count; i++) {
        stop_computing(role, role->peers + i);
        role->peers[i].has_resumed = false;
        text_clear(&role->peers[i].waiting);
    }
    server_steps_drop_pushes(role);
}

/* Whether others still compute what they pulled before the worker's last `staleness` pushes. */
static bool is_ahead(const struct server_role *role, const struct server_peer *peer)
{
    const uint32_t bound = bound_of(role);
    const struct server_worker *worker = role->workers + peer->index;
    uint64_t since;

    if (!bound || worker->pushes < bound)
        return false;
    since = worker->turns[worker->pushes % bound]; /* after the earliest of them */
    for (uint32_t i = 0; i < role->peer_count; i++) {
        const struct server_peer *other = role->peers + i;

        if (other != peer && other->is_computing && other->pulled_turn < since)
            return true;
    }
    return false;
}

/* The pull is to be answered later. */
static bool must_wait(const struct server_role *role, const struct server_peer *peer,
                      const struct message_pull *pull)
{
    if (pull->is_reading)
        return false;
    return role->steps.lanes ? pull->step > role->clock : is_ahead(role, peer);
}

/* ---- what a message brings ---- */

static enum status take_bytes(void **array, uint32_t *room, struct slice bytes, size_t size,
                              struct error *err)
{
    TRY(reserve_array(array, room, (uint32_t)(bytes.size / size), size, err));
    if (bytes.size)
        memcpy(*array, bytes.data, bytes.size);
    return STATUS_OK;
}

/* Rows of each table, and the floats of all: counts and ids of a message, checked. */
struct rows_asked {
    uint32_t counts[TABLES_MAX];
    uint32_t rows;
    uint64_t floats;
};

static enum status wrong(struct error *err, const char *what)
{
    return fail(err, STATUS_PROTOCOL, "rows of a parameter server: %s", what);
}

static enum status take_ids(struct server_role *role, struct slice counts, struct slice ids,
                            struct rows_asked *asked, struct error *err)
{
    const uint32_t tables = role->options.table_count;
    void *array = role->ids;
    uint64_t rows = 0;
    const enum status status = take_bytes(&array, &role->ids_room, ids, sizeof *role->ids, err);

    role->ids = array;
    TRY(status);
    if (counts.size != tables * sizeof *asked->counts)
        return wrong(err, "another number of tables");
    *asked = (struct rows_asked){.floats = 0};
    memcpy(asked->counts, counts.data, counts.size);
    for (uint32_t t = 0; t < tables; t++) {
        const struct row_ids of_table = {role->ids + rows, asked->counts[t]};

        rows += asked->counts[t];
        asked->floats += (uint64_t)asked->counts[t] * role->tables[t].options.width;
        if (rows > ids.size / sizeof *role->ids)
            return wrong(err, "fewer ids than are counted");
        if (!row_ids_ascend(of_table))
            return wrong(err, "ids do not ascend");
        for (uint32_t i = 0; i < of_table.count; i++)
            if (server_of_row(&role->layout, t, of_table.ids[i]) != role->options.index)
                return wrong(err, "a row that another server has");
    }
    if (rows != ids.size / sizeof *role->ids)
        return wrong(err, "more ids than are counted");
    asked->rows = (uint32_t)rows;
    return STATUS_OK;
}

/* ---- pull ---- */

static enum status on_resume(struct server_role *role, struct server_peer *peer,
                             const struct message_resume *resume, struct outbox *outbox,
                             struct error *err)
{
    struct message message = server_role_message(role, MESSAGE_RESUMED);

    TRY(know_worker(role, resume->index, err));
    if (resume->incarnation < role->workers[resume->index].gone)
        return wrong(err, "a worker that was replaced");
    if (resume->layout != role->layout.id)
        return wrong(err, "a worker that goes by another layout");
    stop_computing(role, peer);
    peer->has_resumed = true;
    peer->index = resume->index;
    peer->incarnation = resume->incarnation;
    text_clear(&peer->waiting);
    message.resumed =
        (struct message_resumed){.shard = resume->shard,
                                 .next = shard_counts_of(&role->shards, resume->shard),
                                 .step = role->clock};
    outbox_send(outbox, peer->peer, &message);
    return STATUS_OK;
}

static enum status answer_pull(struct server_role *role, struct server_peer *peer,
                               const struct message_pull *pull, struct outbox *outbox,
                               struct error *err)
{
    struct message message = server_role_message(role, MESSAGE_PULLED);
    struct rows_asked asked;
    void *floats = role->floats;
    uint64_t at = 0, first = 0;
    enum status status;

    TRY(take_ids(role, pull->counts, pull->ids, &asked, err));
    if (role->steps.lanes && !pull->is_reading && pull->step < least_step(role))
        return wrong(err, "of a step that is past");
    if (asked.floats > FRAME_PAYLOAD_MAX / sizeof(float) - 64)
        return wrong(err, "more than a message holds");
    status = reserve_array(&floats, &role->floats_room, (uint32_t)asked.floats, sizeof(float), err);
    role->floats = floats;
    TRY(status);
    for (uint32_t t = 0; t < role->options.table_count; t++) {
        struct row_table *table = role->tables + t;
        const struct row_ids ids = {role->ids + first, asked.counts[t]};

        row_table_pull(table, (uint32_t)role->clock, ids, role->floats + at);
        if (!pull->is_reading)
            server_load_note(&role->load, table, ids);
        first += asked.counts[t];
        at += (uint64_t)asked.counts[t] * table->options.width;
    }
    if (role->steps.lanes && !pull->is_reading && pull->step < role->clock)
        server_steps_go_back(role, asked.counts, role->ids, role->floats);
    peer->is_computing = !pull->is_reading;
    peer->pulled_at = role->clock;
    peer->pulled_turn = role->turn;
    message.pulled = (struct message_pulled){
        .request = pull->request,
        .values = {(const char *)role->floats, (size_t)asked.floats * sizeof(float)}};
    outbox_send(outbox, peer->peer, &message);
    return STATUS_OK;
}

static enum status on_pull(struct server_role *role, struct server_peer *peer,
                           const struct message *message, struct outbox *outbox, struct error *err)
{
    if (!peer->has_resumed || peer->waiting.size)
        return wrong(err, "a pull out of turn");
    stop_computing(role, peer);
    if (!must_wait(role, peer, &message->pull))
        return answer_pull(role, peer, &message->pull, outbox, err);
    role->counts.waits++;
    return message_write(message, &peer->waiting, err);
}

/* Pulls that waited for what has happened by now. */
static void answer_waiting(struct server_role *role, struct outbox *outbox)
{
    for (uint32_t i = 0; i < role->peer_count; i++) {
        struct server_peer *peer = role->peers + i;
        struct message message;
        struct error err;

        error_clear(&err);
        if (!peer->waiting.size)
            continue;
        if (message_read(text_slice(&peer->waiting), &message, &err) == STATUS_OK &&
            must_wait(role, peer, &message.pull))
            continue;
        if (err.status != STATUS_OK ||
            answer_pull(role, peer, &message.pull, outbox, &err) != STATUS_OK) {
            refuse_peer(role, peer, outbox);
            i--;
            continue;
        }
        text_clear(&peer->waiting);
    }
}

/* ---- push ---- */

static enum status diverged(const struct message_push *push, struct error *err)
{
    fail(err, STATUS_DIVERGED,
         "learning went to numbers that are not finite in shard %" PRIu64 ", batch %" PRIu32,
         push->shard, push->batch);
    return error_hint(err, "Lower optimizer.learning_rate, or look for extreme values.");
}

static enum status take_push(struct server_role *role, const struct message_push *push,
                             struct rows_asked *asked, struct error *err)
{
    void *seen = role->seen, *floats = role->floats;
    enum status status;

    TRY(take_ids(role, push->counts, push->ids, asked, err));
    if (push->seen.size != asked->rows * sizeof *role->seen)
        return wrong(err, "not as many counts as ids");
    if (push->gradient.size != asked->floats * sizeof *role->floats)
        return wrong(err, "not as many gradients as ids");
    status = take_bytes(&seen, &role->seen_room, push->seen, sizeof *role->seen, err);
    role->seen = seen;
    TRY(status);
    status = take_bytes(&floats, &role->floats_room, push->gradient, sizeof *role->floats, err);
    role->floats = floats;
    TRY(status);
    for (uint32_t i = 0; i < asked->rows; i++)
        if (!role->seen[i])
            return wrong(err, "a row that was never selected");
    for (uint64_t i = 0; i < asked->floats; i++)
        if (!isfinite(role->floats[i]))
            return diverged(push, err);
    return STATUS_OK;
}

/* The weight of a push by the number of pushes since its pull. As fast as it is, each of them
 * pushes once meanwhile, which is what any number of workers do: it counts in full, so that each
 * worker more makes the job learn as much faster. A push of a worker that is slower than others
 * counts as many times less as they push more often than once. */
static float weight_of(const struct server_role *role, const struct server_peer *peer)
{
    const uint64_t stale = role->clock - peer->pulled_at;
    uint32_t others = 0;

    if (!role->options.weighs_stale)
        return 1;
    for (uint32_t w = 0; w < role->worker_count; w++)
        others += w != peer->index && role->workers[w].pushed_at > peer->pulled_at;
    return others > 0 && stale > others ? (float)others / (float)stale : 1;
}

/* All of it or nothing: room first. */
static enum status count_push(struct server_role *role, const struct server_peer *peer,
                              const struct message_push *from, struct error *err)
{
    const float weight = weight_of(role, peer);
    struct row_push pushes[TABLES_MAX];
    struct rows_asked asked;
    uint64_t first = 0, at = 0;

    TRY(take_push(role, from, &asked, err));
    if (role->clock >= SERVER_CLOCK_MAX)
        return fail(err, STATUS_LIMIT, "a parameter server counts %" PRIu32 " batches at most",
                    SERVER_CLOCK_MAX);
    for (uint32_t t = 0; t < role->options.table_count; t++) {
        pushes[t] = (struct row_push){.ids = {role->ids + first, asked.counts[t]},
                                      .seen = role->seen + first,
                                      .gradient = role->floats + at,
                                      .step = (uint32_t)role->clock + 1,
                                      .rate_step = role->clock,
                                      .rate_factor = weight};
        first += asked.counts[t];
        at += (uint64_t)asked.counts[t] * role->tables[t].options.width;
        TRY(row_table_reserve(role->tables + t, pushes + t, err));
    }
    TRY(shard_counts_add(&role->shards, from->shard, err));
    for (uint32_t t = 0; t < role->options.table_count; t++)
        row_table_push(role->tables + t, pushes + t);
    role->clock++;
    role->workers[peer->index].pushed_at = role->clock;
    role->counts.pushes++;
    return STATUS_OK;
}

/* Batches go before the copies of rows that are to come: true if there is more room now. */
static bool makes_room(struct server_role *role, enum status status, const struct error *err,
                       struct outbox *outbox)
{
    return (status == STATUS_LIMIT || status == STATUS_NO_MEMORY) &&
           server_move_make_room(role, err, outbox);
}

/* A lane's push. The batches before it are counted, or the lane would not have pulled. */
static enum status on_lane(struct server_role *role, struct server_peer *peer,
                           const struct message_push *push, struct outbox *outbox,
                           struct error *err)
{
    struct message message = server_role_message(role, MESSAGE_PUSHED);
    struct rows_asked asked;
    enum status status;

    TRY(take_push(role, push, &asked, err));
    TRY(server_steps_push(role, push, asked.counts, err));
    status = server_steps_take(role, outbox, err);
    if (makes_room(role, status, err, outbox))
        status = server_steps_take(role, outbox, err);
    TRY(status);
    stop_computing(role, peer);
    message.resumed = (struct message_resumed){
        .shard = push->shard, .next = push->batch + 1, .step = role->clock};
    outbox_send(outbox, peer->peer, &message);
    return STATUS_OK;
}

static enum status on_push(struct server_role *role, struct server_peer *peer,
                           const struct message_push *push, struct outbox *outbox,
                           struct error *err)
{
    struct message message = server_role_message(role, MESSAGE_PUSHED);

    if (!peer->is_computing)
        return wrong(err, "a push without a pull");
    if (role->steps.lanes)
        return on_lane(role, peer, push, outbox, err);
    if (push->batch != shard_counts_of(&role->shards, push->shard)) {
        role->counts.repeated++;
    } else {
        enum status status = count_push(role, peer, push, err);

        if (makes_room(role, status, err, outbox))
            status = count_push(role, peer, push, err);
        TRY(status);
    }
    stop_computing(role, peer);
    message.resumed = (struct message_resumed){.shard = push->shard,
                                               .next = shard_counts_of(&role->shards, push->shard)};
    outbox_send(outbox, peer->peer, &message);
    return STATUS_OK;
}

/* ---- messages ---- */

/* Failures of the rows end the job, or ask for more servers; what is wrong with a message ends its
 * connection. */
static void on_worker(struct server_role *role, peer_id from, const struct message *message,
                      struct outbox *outbox)
{
    struct server_peer *peer = find_peer(role, from);
    enum status status = STATUS_OK;
    struct error err;

    error_clear(&err);
    if (!peer)
        status = add_peer(role, from, &peer, &err);
    if (status == STATUS_OK && role->move.is_held)
        status = wrong(&err, "they are about to move");
    else if (status == STATUS_OK && message->type == MESSAGE_RESUME)
        status = on_resume(role, peer, &message->resume, outbox, &err);
    else if (status == STATUS_OK && message->type == MESSAGE_PULL)
        status = on_pull(role, peer, message, outbox, &err);
    else if (status == STATUS_OK && message->type == MESSAGE_PUSH)
        status = on_push(role, peer, &message->push, outbox, &err);
    else if (status == STATUS_OK)
        status = wrong(&err, "another message");
    if (status == STATUS_PROTOCOL)
        refuse_peer(role, peer, outbox);
    else if (status != STATUS_OK)
        be_failed(role, &err, outbox);
    if (!is_over(role))
        answer_waiting(role, outbox);
}

static void on_forget(struct server_role *role, const struct message_forget *forget,
                      struct outbox *outbox)
{
    struct error err;

    if (know_worker(role, forget->index, &err) == STATUS_OK &&
        role->workers[forget->index].gone <= forget->incarnation)
        role->workers[forget->index].gone = forget->incarnation + 1;
    for (uint32_t i = role->peer_count; i-- > 0;) {
        struct server_peer *peer = role->peers + i;

        if (peer->has_resumed && peer->index == forget->index &&
            peer->incarnation <= forget->incarnation)
            refuse_peer(role, peer, outbox);
    }
    answer_waiting(role, outbox);
}

static void on_hold(struct server_role *role, const struct message_layout *layout,
                    struct outbox *outbox)
{
    struct message message = server_role_message(role, MESSAGE_HELD);

    if (!server_move_hold(role, layout))
        return;
    stop_workers(role);
    message.held = (struct message_held){.layout = layout->layout,
                                         .counted = shard_counts_bytes(&role->shards)};
    outbox_send(outbox, role->master.peer, &message);
}

static void on_layout(struct server_role *role, int64_t now_ms, const struct message_layout *layout,
                      struct outbox *outbox)
{
    if (!server_move_layout(role, layout, outbox))
        return;
    stop_workers(role);
    server_load_begin(&role->load, now_ms);
    say_server(role, outbox);
    server_save_anew(role, now_ms);
}

static void on_master(struct server_role *role, int64_t now_ms, const struct message *message,
                      struct outbox *outbox)
{
    if (message->epoch < role->epoch) { /* a master that was thought dead has thawed */
        outbox_close(outbox, role->master.peer);
        server_role_on_disconnect(role, now_ms, role->master.peer, outbox);
        return;
    }
    role->epoch = message->epoch;
    master_link_found(&role->master);
    if (message->type == MESSAGE_FORGET) {
        on_forget(role, &message->forget, outbox);
    } else if (message->type == MESSAGE_TELL && !is_over(role)) {
        /* It claims first: batches that it lacks may make all servers begin anew, which one that
         * was frozen must not cause. */
        outbox_put(outbox, OUTBOX_CLAIM, "", 0);
        say_server(role, outbox);
    } else if (message->type == MESSAGE_COPY && !is_over(role)) {
        server_move_copy(role, now_ms, &message->fetch, outbox);
    } else if (message->type == MESSAGE_HOLD && !is_over(role)) {
        on_hold(role, &message->layout, outbox);
    } else if (message->type == MESSAGE_FETCH && !is_over(role)) {
        server_move_fetch(role, now_ms, &message->fetch, outbox);
    } else if (message->type == MESSAGE_LAYOUT && !is_over(role)) {
        on_layout(role, now_ms, &message->layout, outbox);
    } else if (message->type == MESSAGE_END) {
        role->state = SERVER_ENDED;
        outbox_end(outbox, STATUS_OK);
    }
}

void server_role_on_message(struct server_role *role, int64_t now_ms, peer_id from,
                            const struct message *message, struct outbox *outbox)
{
    if (role->state == SERVER_ENDED || message->job != role->options.job)
        return;
    if (from == role->master.peer)
        on_master(role, now_ms, message, outbox);
    else if (role->state == SERVER_SERVING &&
             (message->type == MESSAGE_ROWS || message->type == MESSAGE_ROWS_WANTED))
        server_move_on_message(role, now_ms, from, message, outbox);
    else if (role->state == SERVER_SERVING)
        on_worker(role, from, message, outbox);
}

void server_role_on_disconnect(struct server_role *role, int64_t now_ms, peer_id peer,
                               struct outbox *outbox)
{
    struct server_peer *worker = find_peer(role, peer);

    if (peer == role->master.peer) {
        master_link_lost(&role->master, now_ms);
    } else if (server_move_on_disconnect(role, peer)) {
        return;
    } else if (worker) {
        forget_peer(role, worker);
        if (!is_over(role))
            answer_waiting(role, outbox);
    }
}

/* ---- time ---- */

/* While rows move loads are not those of other times. */
static void say_load(struct server_role *role, int64_t now_ms, struct outbox *outbox)
{
    struct message message = server_role_message(role, MESSAGE_LOAD);

    if (role->options.load_ms == 0 || now_ms - role->load.since < role->options.load_ms)
        return;
    message.load = server_load_message(&role->load, now_ms, role->layout.id);
    if (role->state == SERVER_SERVING && role->master.peer != PEER_NONE &&
        role->move.state == MOVE_NONE && role->options.index < role->layout.serving)
        outbox_send(outbox, role->master.peer, &message);
    server_load_begin(&role->load, now_ms);
}

void server_role_on_tick(struct server_role *role, int64_t now_ms, struct outbox *outbox)
{
    struct message alive = server_role_message(role, MESSAGE_PHASE_ALIVE);

    if (role->state == SERVER_ENDED)
        return;
    switch (master_link_tick(&role->master, now_ms)) {
    case MASTER_GIVE_UP:
        role->state = SERVER_ENDED;
        outbox_end(outbox, STATUS_CONNECTION);
        return;
    case MASTER_CONNECT:
        connect_master(role, now_ms, outbox);
        break;
    case MASTER_SEND_ALIVE:
        alive.phase_alive.phase = least_step(role);
        outbox_send(outbox, role->master.peer, &alive);
        break;
    case MASTER_NEEDS_NOTHING:
        break;
    }
    server_move_on_tick(role, now_ms, outbox);
    say_load(role, now_ms, outbox);
    server_save_on_tick(role, now_ms);
}

uint64_t server_role_digest(const struct server_role *role)
{
    const struct slice counts = shard_counts_bytes(&role->shards);
    uint64_t digest = bytes_hash(counts.data, counts.size, 0);

    for (uint32_t t = 0; t < role->options.table_count; t++)
        digest += row_table_digest(role->tables + t, (uint32_t)role->clock);
    return digest;
}
