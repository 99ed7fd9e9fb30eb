#include "runtime/ps/worker/push_worker.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/reserve.h"

#define MESSAGE_REST 4096 /* bytes of a push beside ids, counts and numbers of its rows: enough */

static bool is_over(const struct push_worker *worker)
{
    return worker->state == PUSH_LEARNED || worker->state == PUSH_ENDED;
}

/* The shards behind the last one of rows stand for the collection. */
static bool is_collection(const struct push_worker *worker, uint64_t shard)
{
    const struct shard_plan *plan = &worker->learning.plan;

    return shard >= (uint64_t)plan->shards_per_epoch * plan->epochs;
}

static bool takes_steps(const struct push_worker *worker)
{
    return worker->learning.plan.lanes > 0;
}

/* The step of the shard's first batch. */
static uint64_t first_step(const struct push_worker *worker, uint64_t shard)
{
    const struct shard_plan *plan = &worker->learning.plan;

    return shard / plan->lanes * plan->batches;
}

static void close_lease(struct push_worker *worker, struct pushed_shard *lease)
{
    if (lease->is_open && !is_collection(worker, lease->shard))
        worker->learning.close(worker->learning.self, lease->shard);
    lease->is_open = false;
}

static void drop_leases(struct push_worker *worker)
{
    for (uint32_t i = 0; i < worker->lease_count; i++)
        close_lease(worker, worker->leases + i);
    worker->lease_count = 0;
    worker->is_collecting = false;
}

static struct message message_of(const struct push_worker *worker, enum message_type type)
{
    return (struct message){.type = type, .job = worker->options.job, .epoch = worker->epoch};
}

void push_worker_init(struct push_worker *worker, const struct push_worker_options *options,
                      const struct batch_learning *learning, const struct error *why)
{
    *worker = (struct push_worker){.options = *options,
                                   .state = learning ? PUSH_IDLE : PUSH_UNABLE,
                                   .next_peer = PEER_FIRST_ASKED};
    if (learning)
        worker->learning = *learning;
    worker->master = master_link_of(options->master, options->alive_ms, options->reconnect_ms,
                                    options->search_ms);
    error_clear(&worker->failure);
    if (!learning)
        worker->failure = *why;
    text_init(&worker->counts, FRAME_PAYLOAD_MAX);
    text_init(&worker->ids, FRAME_PAYLOAD_MAX);
    text_init(&worker->seen, FRAME_PAYLOAD_MAX);
    text_init(&worker->floats, FRAME_PAYLOAD_MAX);
}

static void drop_servers(struct push_worker *worker)
{
    for (uint32_t s = 0; s < worker->server_count; s++)
        free(worker->servers[s].rows);
    free(worker->servers);
    worker->servers = NULL;
    worker->server_count = 0;
}

void push_worker_deinit(struct push_worker *worker)
{
    drop_servers(worker);
    free(worker->places);
    free(worker->values);
    free(worker->gradient);
    free(worker->copied);
    step_copies_free(&worker->copies);
    text_deinit(&worker->counts);
    text_deinit(&worker->ids);
    text_deinit(&worker->seen);
    text_deinit(&worker->floats);
}

/* ---- the master ---- */

static void say_failed(const struct push_worker *worker, struct outbox *outbox)
{
    struct message message = message_of(worker, MESSAGE_FAILED);

    message.failure = message_failure_of(&worker->failure);
    outbox_send(outbox, worker->master.peer, &message);
}

static void be_failed(struct push_worker *worker, const struct error *err, struct outbox *outbox)
{
    worker->state = PUSH_FAILED;
    worker->failure = *err;
    drop_leases(worker);
    if (worker->master.peer != PEER_NONE)
        say_failed(worker, outbox);
}

/* This worker's failure does not fail the job. */
static void say_unable(const struct push_worker *worker, struct outbox *outbox)
{
    struct message message = message_of(worker, MESSAGE_UNABLE);

    message.unable =
        message_unable_of(worker->options.index, worker->options.incarnation, &worker->failure);
    outbox_send(outbox, worker->master.peer, &message);
}

static void connect_master(struct push_worker *worker, int64_t now_ms, struct outbox *outbox)
{
    const struct shard_plan *plan = &worker->learning.plan;
    struct message hello = message_of(worker, MESSAGE_HELLO);

    master_link_connect(&worker->master, now_ms, &worker->next_peer, outbox);
    if (worker->state == PUSH_UNABLE) {
        say_unable(worker, outbox);
        return;
    }
    hello.hello = (struct message_hello){.index = worker->options.index,
                                         .incarnation = worker->options.incarnation,
                                         .build = worker->options.build,
                                         .is_leaving = worker->is_leaving,
                                         .is_staging = true,
                                         .shards = plan->shards_per_epoch,
                                         .epochs = plan->epochs,
                                         .batches = plan->batches,
                                         .rows = plan->rows,
                                         .address = slice_of("")};
    outbox_send(outbox, worker->master.peer, &hello);
    if (worker->state == PUSH_FAILED)
        say_failed(worker, outbox);
}

void push_worker_start(struct push_worker *worker, int64_t now_ms, struct outbox *outbox)
{
    master_link_lost(&worker->master, now_ms);
    connect_master(worker, now_ms, outbox);
}

static void end_with(struct push_worker *worker, enum status status, struct outbox *outbox)
{
    worker->state = PUSH_ENDED;
    drop_leases(worker);
    outbox_end(outbox, status);
}

/* ---- servers ---- */

static bool have_all_answered(const struct push_worker *worker)
{
    for (uint32_t s = 0; s < worker->server_count; s++)
        if (!worker->servers[s].has_answered)
            return false;
    return true;
}

static void wait_for_answers(struct push_worker *worker, enum push_worker_state state)
{
    worker->state = state;
    for (uint32_t s = 0; s < worker->server_count; s++)
        worker->servers[s].is_asked = worker->servers[s].has_answered = false;
}

static void connect_servers(struct push_worker *worker, int64_t now_ms, struct outbox *outbox)
{
    for (uint32_t s = 0; s < worker->server_count; s++) {
        struct pushed_server *server = worker->servers + s;

        if (server->peer != PEER_NONE || !server->address[0] ||
            now_ms - server->asked_at < worker->options.reconnect_ms)
            continue;
        server->peer = worker->next_peer++;
        server->asked_at = now_ms;
        outbox_connect(outbox, server->peer, slice_of(server->address));
    }
}

static bool are_all_connected(const struct push_worker *worker)
{
    for (uint32_t s = 0; s < worker->server_count; s++)
        if (worker->servers[s].peer == PEER_NONE)
            return false;
    return worker->server_count > 0;
}

/* Asks all servers how far the shard is, as soon as all can be asked. */
static void resume(struct push_worker *worker, struct outbox *outbox)
{
    struct message message = message_of(worker, MESSAGE_RESUME);

    if (worker->state == PUSH_FAILED || worker->state == PUSH_UNABLE || is_over(worker))
        return;
    if (!worker->lease_count) {
        worker->state = PUSH_IDLE;
        return;
    }
    wait_for_answers(worker, PUSH_RESUMING);
    if (!are_all_connected(worker))
        return;
    message.resume = (struct message_resume){.index = worker->options.index,
                                             .incarnation = worker->options.incarnation,
                                             .shard = worker->leases[0].shard,
                                             .layout = worker->layout.id};
    for (uint32_t s = 0; s < worker->server_count; s++)
        outbox_send(outbox, worker->servers[s].peer, &message);
}

static struct pushed_server *server_at(const struct push_worker *worker, peer_id peer)
{
    for (uint32_t s = 0; s < worker->server_count; s++)
        if (worker->servers[s].peer == peer)
            return worker->servers + s;
    return NULL;
}

/* A server at the same place is kept, with its connection. */
static void place_server(struct pushed_server *server, const struct message_server_place *place,
                         struct outbox *outbox)
{
    if (server->incarnation == place->incarnation && slice_is(place->address, server->address))
        return;
    if (server->peer != PEER_NONE)
        outbox_close(outbox, server->peer);
    server->peer = PEER_NONE;
    server->asked_at = INT64_MIN / 2;
    server->incarnation = place->incarnation;
    slice_copy(place->address, server->address, sizeof server->address);
}

/* Those that serve under both numbers keep their connections. */
static enum status make_servers(struct push_worker *worker, uint32_t count, struct outbox *outbox,
                                struct error *err)
{
    const uint32_t kept = count < worker->server_count ? count : worker->server_count;
    struct pushed_server *servers;

    if (count == worker->server_count)
        return STATUS_OK;
    servers = calloc(count, sizeof *servers);
    if (!servers)
        return fail_no_memory(err);
    if (kept > 0)
        memcpy(servers, worker->servers, kept * sizeof *servers);
    for (uint32_t s = 0; s < worker->server_count; s++) {
        if (s < kept)
            worker->servers[s].rows = NULL;
        else if (worker->servers[s].peer != PEER_NONE)
            outbox_close(outbox, worker->servers[s].peer);
    }
    drop_servers(worker);
    worker->servers = servers;
    worker->server_count = count;
    return STATUS_OK;
}

static void on_servers(struct push_worker *worker, int64_t now_ms,
                       const struct message_servers *servers, struct outbox *outbox)
{
    struct byte_reader reader = byte_reader_over(servers->servers);
    struct server_layout layout;
    struct error err;

    error_clear(&err);
    if (server_layout_read(&layout, servers->layout, servers->server_count, servers->map, &err) !=
            STATUS_OK ||
        make_servers(worker, servers->server_count, outbox, &err) != STATUS_OK) {
        be_failed(worker, &err, outbox);
        return;
    }
    for (uint32_t s = 0; s < worker->server_count; s++) {
        struct message_server_place place;

        (void)message_next_server_place(&reader, &place); /* message_read has looked */
        place_server(worker->servers + s, &place, outbox);
    }
    worker->roster = servers->roster;
    worker->layout = layout;
    worker->is_paused = servers->is_paused;
    step_copies_drop(&worker->copies);
    connect_servers(worker, now_ms, outbox);
    resume(worker, outbox);
}

/* ---- messages to all servers ---- */

static void put_words(struct text *out, const void *words, size_t count, size_t size)
{
    text_append(out, (struct slice){words, count * size});
}

/* A row of the batch that is pushed, or pulled where there is no copy of it. */
static bool is_in_message(const struct push_worker *worker, uint32_t row)
{
    return worker->state == PUSH_PUSHING || !worker->copied[row];
}

/* The counts and ids of what one server has of the batch; in `seen`, too, for a push. */
static void put_rows(struct push_worker *worker, const struct pushed_server *server)
{
    uint32_t end = 0, i = 0;

    text_clear(&worker->counts);
    text_clear(&worker->ids);
    text_clear(&worker->seen);
    text_clear(&worker->floats);
    for (uint32_t t = 0; t < worker->learning.table_count; t++) {
        uint32_t count = 0;

        end += worker->rows.counts[t];
        for (; i < server->row_count && server->rows[i] < end; i++) {
            const uint32_t row = server->rows[i];

            if (!is_in_message(worker, row))
                continue;
            count++;
            put_words(&worker->ids, worker->rows.ids + row, 1, sizeof(uint64_t));
            put_words(&worker->seen, worker->rows.seen + row, 1, sizeof(uint32_t));
        }
        put_words(&worker->counts, &count, 1, sizeof count);
    }
}

static void send_pull(struct push_worker *worker, const struct pushed_server *server,
                      struct outbox *outbox)
{
    struct message message = message_of(worker, MESSAGE_PULL);

    put_rows(worker, server);
    message.pull = (struct message_pull){.request = worker->request,
                                         .step = worker->leases[0].next,
                                         .is_reading = worker->is_collecting,
                                         .counts = text_slice(&worker->counts),
                                         .ids = text_slice(&worker->ids)};
    outbox_send(outbox, server->peer, &message);
}

static void send_push(struct push_worker *worker, const struct pushed_server *server,
                      struct outbox *outbox)
{
    struct message message = message_of(worker, MESSAGE_PUSH);

    put_rows(worker, server);
    for (uint32_t i = 0; i < server->row_count; i++) {
        const uint64_t *place = worker->places + server->rows[i];

        put_words(&worker->floats, worker->gradient + place[0], place[1] - place[0], sizeof(float));
    }
    message.push = (struct message_push){.shard = worker->leases[0].shard,
                                         .batch = worker->batch,
                                         .counts = text_slice(&worker->counts),
                                         .ids = text_slice(&worker->ids),
                                         .seen = text_slice(&worker->seen),
                                         .gradient = text_slice(&worker->floats)};
    outbox_send(outbox, server->peer, &message);
}

/* The next servers of the batch: the gate before the others when it is pulled, after them when it
 * is pushed. */
static void ask_servers(struct push_worker *worker, struct outbox *outbox)
{
    const bool pulls = worker->state == PUSH_PULLING;
    const bool is_gated = worker->options.is_gated && worker->server_count > 1;
    bool have_others = true;

    for (uint32_t s = 1; s < worker->server_count; s++)
        have_others &= worker->servers[s].has_answered;
    for (uint32_t s = 0; s < worker->server_count; s++) {
        struct pushed_server *server = worker->servers + s;

        if (server->is_asked || (is_gated && pulls && s > 0 && !worker->servers[0].has_answered) ||
            (is_gated && !pulls && s == 0 && !have_others))
            continue;
        server->is_asked = true;
        if (pulls)
            send_pull(worker, server, outbox);
        else
            send_push(worker, server, outbox);
    }
}

static void send_pulls(struct push_worker *worker, struct outbox *outbox)
{
    wait_for_answers(worker, PUSH_PULLING);
    worker->request++;
    ask_servers(worker, outbox);
}

static void send_pushes(struct push_worker *worker, struct outbox *outbox)
{
    wait_for_answers(worker, PUSH_PUSHING);
    ask_servers(worker, outbox);
}

/* ---- a batch ---- */

static enum status too_many(uint64_t count, struct error *err)
{
    fail(err, STATUS_LIMIT,
         "a batch selects %llu numbers of the parameter servers, which is too many",
         (unsigned long long)count);
    return error_hint(err, "Set a smaller train.batch_size, or fewer model.hidden_units.");
}

static enum status reserve(void **array, uint32_t *room, uint64_t count, size_t size,
                           struct error *err)
{
    if (count > FRAME_PAYLOAD_MAX / sizeof(float))
        return too_many(count, err);
    return reserve_array(array, room, (uint32_t)count, size, err);
}

#define RESERVE(worker, member, count, err)                                                        \
    do {                                                                                           \
        void *array_ = (worker)->member;                                                           \
        enum status status_ =                                                                      \
            reserve(&array_, &(worker)->member##_room, (count), sizeof *(worker)->member, (err));  \
        (worker)->member = array_;                                                                 \
        TRY(status_);                                                                              \
    } while (0)

/* Where each row's floats lie, and which server has it. */
static enum status divide_rows(struct push_worker *worker, struct error *err)
{
    uint64_t place = 0, row = 0;

    worker->row_count = 0;
    for (uint32_t t = 0; t < worker->learning.table_count; t++)
        worker->row_count += worker->rows.counts[t];
    RESERVE(worker, places, (uint64_t)worker->row_count + 1, err);
    for (uint32_t s = 0; s < worker->server_count; s++)
        worker->servers[s].row_count = 0;
    for (uint32_t t = 0; t < worker->learning.table_count; t++)
        for (uint32_t i = 0; i < worker->rows.counts[t]; i++, row++) {
            struct pushed_server *server =
                worker->servers + server_of_row(&worker->layout, t, worker->rows.ids[row]);

            RESERVE(server, rows, server->row_count + 1, err);
            server->rows[server->row_count++] = (uint32_t)row;
            worker->places[row] = place;
            place += worker->learning.widths[t];
        }
    worker->places[row] = place;
    /* One server may have all: its push is one message. */
    if (place * sizeof(float) + row * (sizeof(uint64_t) + sizeof(uint32_t)) >
        FRAME_PAYLOAD_MAX - MESSAGE_REST)
        return too_many(place, err);
    RESERVE(worker, copied, row + 1, err);
    RESERVE(worker, values, place + 1, err);
    RESERVE(worker, gradient, place + 1, err);
    return STATUS_OK;
}

static struct row_widths widths_of(const struct push_worker *worker)
{
    return (struct row_widths){worker->learning.widths, worker->learning.table_count};
}

static enum status select_batch(struct push_worker *worker, struct error *err)
{
    const struct batch_learning *learning = &worker->learning;

    TRY(learning->select(learning->self, worker->leases[0].shard, worker->batch, &worker->rows,
                         err));
    TRY(divide_rows(worker, err));
    /* While all is collected there is no step. */
    if (worker->is_collecting)
        step_copies_drop(&worker->copies);
    step_copies_take(&worker->copies, worker->leases[0].next, widths_of(worker), &worker->rows,
                     worker->values, worker->copied);
    return STATUS_OK;
}

/* All values of the batch are here: another lane of the step may need some of them, too. */
static enum status keep_copies(struct push_worker *worker, struct error *err)
{
    const uint64_t step = worker->leases[0].next;

    for (uint32_t i = 1; takes_steps(worker) && i < worker->lease_count; i++)
        if (worker->leases[i].next == step)
            return step_copies_keep(&worker->copies, step, widths_of(worker), &worker->rows,
                                    worker->values, err);
    return STATUS_OK;
}

/* The shard is done, or, where it is even, all servers have counted the same of it. */
static void hand_in(struct push_worker *worker, bool is_even, struct outbox *outbox)
{
    struct message message = message_of(worker, MESSAGE_SHARD_DONE);
    struct pushed_shard *lease = worker->leases;

    message.shard_done = (struct message_shard_done){.id = lease->id,
                                                     .shard = lease->shard,
                                                     .roster = worker->roster,
                                                     .rows = lease->loss.rows,
                                                     .loss = lease->loss.loss,
                                                     .is_even = is_even};
    if (worker->master.peer != PEER_NONE && worker->leased_by == worker->master.peer)
        outbox_send(outbox, worker->master.peer, &message);
    close_lease(worker, lease);
    worker->lease_count--;
    worker->is_collecting = false;
    memmove(lease, lease + 1, worker->lease_count * sizeof *lease);
}

static enum status open_lease(struct push_worker *worker, struct error *err)
{
    const struct batch_learning *learning = &worker->learning;
    struct pushed_shard *lease = worker->leases;

    if (lease->is_open)
        return STATUS_OK;
    worker->learned.bytes = 0;
    worker->is_collecting = is_collection(worker, lease->shard);
    TRY(worker->is_collecting
            ? learning->collect(learning->self, &worker->batches, err)
            : learning->open(learning->self, lease->shard, &worker->batches, err));
    lease->is_open = true;
    return STATUS_OK;
}

/* The batches of the shard that servers have counted: the fewest and the most of any server. */
static void find_counted(const struct push_worker *worker, uint32_t *least, uint32_t *most)
{
    *least = UINT32_MAX;
    *most = 0;
    for (uint32_t s = 0; s < worker->server_count; s++) {
        const uint32_t next = worker->servers[s].next;

        *least = next < *least ? next : *least;
        *most = next > *most ? next : *most;
    }
}

/* Rows are about to move, and this shard lets them. */
static bool is_given_back(const struct push_worker *worker, uint32_t least, uint32_t most)
{
    return worker->is_paused && (least == most || is_collection(worker, worker->leases[0].shard)) &&
           (!worker->leases[0].is_open || least < worker->batches);
}

/* All servers have said how far they are with the first lease. What was collected before may be of
 * a process that is gone. */
static void go_on_alone(struct push_worker *worker, struct outbox *outbox)
{
    uint32_t least, most;
    struct error err;

    error_clear(&err);
    find_counted(worker, &least, &most);
    if (is_given_back(worker, least, most)) {
        hand_in(worker, true, outbox);
        resume(worker, outbox);
        return;
    }
    if (open_lease(worker, &err) != STATUS_OK) {
        be_failed(worker, &err, outbox);
        return;
    }
    if (worker->is_collecting)
        least = 0;
    if (least >= worker->batches) {
        hand_in(worker, false, outbox);
        resume(worker, outbox);
        return;
    }
    worker->batch = least;
    worker->state = PUSH_SELECTING;
}

/* ---- steps that all lanes take together ---- */

static void note_steps(struct push_worker *worker)
{
    worker->least_step = UINT64_MAX;
    worker->most_step = 0;
    for (uint32_t s = 0; s < worker->server_count; s++) {
        const uint64_t step = worker->servers[s].step;

        worker->least_step = step < worker->least_step ? step : worker->least_step;
        worker->most_step = step > worker->most_step ? step : worker->most_step;
    }
}

/* The first step that a lane may be asked for, of those that its shard has. */
static uint64_t next_of(const struct push_worker *worker, uint64_t shard)
{
    const uint64_t first = first_step(worker, shard);
    const uint64_t end = first + worker->learning.plan.batches;

    if (worker->least_step <= first)
        return first;
    return worker->least_step < end ? worker->least_step : end;
}

/* The lease whose step is the lowest; of those the one that came first. */
static void put_lowest_first(struct push_worker *worker)
{
    struct pushed_shard *leases = worker->leases, lowest;
    uint32_t found = 0;

    for (uint32_t i = 1; i < worker->lease_count; i++)
        if (leases[i].next < leases[found].next)
            found = i;
    lowest = leases[found];
    memmove(leases + 1, leases, found * sizeof *leases);
    leases[0] = lowest;
}

/* Rows are about to move: a lane is pushed only where servers are at different steps. */
static bool is_lane_given_back(const struct push_worker *worker)
{
    return worker->is_paused && worker->leases[0].next >= worker->most_step;
}

static enum status select_lane(struct push_worker *worker, struct outbox *outbox, struct error *err)
{
    while (worker->lease_count > 0) {
        const struct pushed_shard *lease = worker->leases;
        uint64_t first;

        put_lowest_first(worker);
        first = first_step(worker, lease->shard);
        if (lease->next == first + worker->learning.plan.batches) {
            hand_in(worker, false, outbox);
        } else if (is_lane_given_back(worker)) {
            hand_in(worker, true, outbox);
        } else {
            TRY(open_lease(worker, err));
            worker->batch = (uint32_t)(lease->next - first);
            worker->state = PUSH_SELECTING;
            return STATUS_OK;
        }
    }
    worker->state = PUSH_IDLE;
    return STATUS_OK;
}

static void go_on_together(struct push_worker *worker, struct outbox *outbox)
{
    struct error err;

    error_clear(&err);
    if (worker->state == PUSH_PUSHING) {
        worker->leases[0].next++;
    } else {
        note_steps(worker);
        for (uint32_t i = 0; i < worker->lease_count; i++)
            worker->leases[i].next = next_of(worker, worker->leases[i].shard);
    }
    if (select_lane(worker, outbox, &err) != STATUS_OK)
        be_failed(worker, &err, outbox);
}

static void go_on(struct push_worker *worker, struct outbox *outbox)
{
    if (takes_steps(worker) && !is_collection(worker, worker->leases[0].shard))
        go_on_together(worker, outbox);
    else
        go_on_alone(worker, outbox);
}

/* The values of a batch are kept. */
static enum status collect_batch(struct push_worker *worker, struct outbox *outbox,
                                 struct error *err)
{
    const struct batch_learning *learning = &worker->learning;

    TRY(learning->compute(learning->self, worker->values, NULL, err));
    if (++worker->batch < worker->batches) {
        worker->state = PUSH_SELECTING;
        return STATUS_OK;
    }
    TRY(learning->learned(learning->self, &worker->learned, err));
    hand_in(worker, false, outbox);
    resume(worker, outbox);
    return STATUS_OK;
}

/* ---- answers of servers ---- */

static void take_values(struct push_worker *worker, struct pushed_server *server,
                        const struct message_pulled *pulled)
{
    const char *at = pulled->values.data;
    size_t left = pulled->values.size;

    for (uint32_t i = 0; i < server->row_count; i++) {
        const uint64_t *place = worker->places + server->rows[i];
        const size_t bytes = (size_t)(place[1] - place[0]) * sizeof(float);

        if (worker->copied[server->rows[i]])
            continue;
        if (bytes > left)
            return; /* it is no answer to the request */
        memcpy(worker->values + place[0], at, bytes);
        at += bytes;
        left -= bytes;
    }
    server->has_answered = left == 0;
}

static void on_server(struct push_worker *worker, struct pushed_server *server,
                      const struct message *message, struct outbox *outbox)
{
    const struct message_resumed *resumed = &message->resumed;
    const bool is_of_shard = worker->lease_count && resumed->shard == worker->leases[0].shard &&
                             (message->type == MESSAGE_RESUMED || message->type == MESSAGE_PUSHED);

    if (worker->state == PUSH_PULLING && message->type == MESSAGE_PULLED &&
        message->pulled.request == worker->request) {
        take_values(worker, server, &message->pulled);
        if (have_all_answered(worker)) {
            worker->state = PUSH_COMPUTING;
            if (worker->leases[0].next > worker->least_step)
                worker->least_step = worker->leases[0].next; /* the step waited for */
        } else
            ask_servers(worker, outbox);
        return;
    }
    if (!is_of_shard || !((worker->state == PUSH_RESUMING && message->type == MESSAGE_RESUMED) ||
                          (worker->state == PUSH_PUSHING && message->type == MESSAGE_PUSHED)))
        return;
    server->next = resumed->next;
    server->step = resumed->step;
    server->has_answered = true;
    if (!have_all_answered(worker)) {
        if (worker->state == PUSH_PUSHING)
            ask_servers(worker, outbox);
        return;
    }
    worker->batches_done += worker->state == PUSH_PUSHING;
    go_on(worker, outbox);
}

/* ---- messages ---- */

/* The first lease waits, or will, for the lane of the one that has come. */
static bool is_overtaken(const struct push_worker *worker, const struct pushed_shard *lease)
{
    return takes_steps(worker) && lease->next < worker->leases[0].next &&
           (worker->state == PUSH_SELECTING || worker->state == PUSH_PULLING);
}

static void on_lease(struct push_worker *worker, const struct message *message,
                     struct outbox *outbox)
{
    struct pushed_shard *lease;
    struct error err;

    if (worker->state == PUSH_FAILED || worker->state == PUSH_UNABLE || worker->is_leaving)
        return;
    if (worker->leased_by != worker->master.peer) {
        drop_leases(worker);
        worker->leased_by = worker->master.peer;
    }
    if (worker->lease_count == PUSH_WORKER_LEASES_MAX) {
        error_clear(&err);
        fail(&err, STATUS_PROTOCOL, "more than %d leases at once", PUSH_WORKER_LEASES_MAX);
        be_failed(worker, &err, outbox);
        return;
    }
    lease = worker->leases + worker->lease_count++;
    *lease = (struct pushed_shard){.id = message->lease.id, .shard = message->lease.first};
    if (takes_steps(worker) && !is_collection(worker, lease->shard))
        lease->next = next_of(worker, lease->shard);
    if (worker->lease_count == 1 || is_overtaken(worker, lease))
        resume(worker, outbox);
}

static void send_piece(struct push_worker *worker, const struct message_checkpoint *asked,
                       struct outbox *outbox)
{
    struct message message = message_of(worker, MESSAGE_SNAPSHOT);
    const uint64_t total = worker->learned.bytes;
    const uint64_t left = asked->offset < total ? total - asked->offset : 0;
    const size_t most = worker->options.piece_bytes, size = left < most ? (size_t)left : most;
    char *bytes = size > 0 ? malloc(size) : NULL;

    message.snapshot = (struct message_snapshot){.id = asked->id, .offset = asked->offset};
    if (bytes) { /* none: it has no such state, or no memory, and the master asks another */
        worker->learning.read_learned(worker->learning.self, asked->offset, size, bytes);
        message.snapshot.phase = worker->learned.phase;
        message.snapshot.step = worker->learned.step;
        message.snapshot.rows_done = worker->learned.rows_done;
        message.snapshot.total = total;
        message.snapshot.bytes = (struct slice){bytes, size};
    }
    outbox_send(outbox, worker->master.peer, &message);
    free(bytes);
}

static void be_learned(struct push_worker *worker, struct outbox *outbox)
{
    worker->state = PUSH_LEARNED;
    drop_leases(worker);
    for (uint32_t s = 0; s < worker->server_count; s++)
        if (worker->servers[s].peer != PEER_NONE)
            outbox_close(outbox, worker->servers[s].peer);
}

static void on_master(struct push_worker *worker, int64_t now_ms, const struct message *message,
                      struct outbox *outbox)
{
    if (message->epoch < worker->epoch) { /* a master that was thought dead has thawed */
        outbox_close(outbox, worker->master.peer);
        push_worker_on_disconnect(worker, now_ms, worker->master.peer, outbox);
        return;
    }
    worker->epoch = message->epoch;
    master_link_found(&worker->master);
    if (message->type == MESSAGE_SERVERS)
        on_servers(worker, now_ms, &message->servers, outbox);
    else if (message->type == MESSAGE_LEASE)
        on_lease(worker, message, outbox);
    else if (message->type == MESSAGE_CHECKPOINT)
        send_piece(worker, &message->checkpoint, outbox);
    else if (message->type == MESSAGE_STAGED)
        be_learned(worker, outbox);
    else if (message->type == MESSAGE_END)
        end_with(worker, STATUS_OK, outbox);
}

void push_worker_on_message(struct push_worker *worker, int64_t now_ms, peer_id from,
                            const struct message *message, struct outbox *outbox)
{
    struct pushed_server *server = server_at(worker, from);

    if (is_over(worker) || message->job != worker->options.job)
        return;
    if (from == worker->master.peer)
        on_master(worker, now_ms, message, outbox);
    else if (server)
        on_server(worker, server, message, outbox);
}

void push_worker_on_disconnect(struct push_worker *worker, int64_t now_ms, peer_id peer,
                               struct outbox *outbox)
{
    struct pushed_server *server = server_at(worker, peer);

    if (is_over(worker))
        return;
    if (server) {
        server->peer = PEER_NONE;
        resume(worker, outbox);
    } else if (peer == worker->master.peer) {
        master_link_lost(&worker->master, now_ms);
        if (worker->is_leaving)
            end_with(worker, STATUS_OK, outbox); /* it holds nothing that is needed */
    }
}

void push_worker_leave(struct push_worker *worker, int64_t now_ms, struct outbox *outbox)
{
    struct message leaving = message_of(worker, MESSAGE_LEAVING);

    if (is_over(worker) || worker->is_leaving)
        return;
    worker->is_leaving = true;
    worker->leave_at = now_ms + worker->options.grace_ms;
    drop_leases(worker);
    resume(worker, outbox);
    if (worker->master.peer == PEER_NONE)
        end_with(worker, STATUS_OK, outbox);
    else
        outbox_send(outbox, worker->master.peer, &leaving);
}

static void tick_servers(struct push_worker *worker, int64_t now_ms, struct outbox *outbox)
{
    if (are_all_connected(worker))
        return;
    connect_servers(worker, now_ms, outbox);
    if (are_all_connected(worker))
        resume(worker, outbox);
}

void push_worker_on_tick(struct push_worker *worker, int64_t now_ms, struct outbox *outbox)
{
    struct message alive = message_of(worker, MESSAGE_PHASE_ALIVE);

    if (is_over(worker))
        return;
    if (worker->is_leaving && now_ms >= worker->leave_at) {
        end_with(worker, STATUS_OK, outbox);
        return;
    }
    switch (master_link_tick(&worker->master, now_ms)) {
    case MASTER_GIVE_UP:
        end_with(worker, STATUS_CONNECTION, outbox);
        return;
    case MASTER_CONNECT:
        connect_master(worker, now_ms, outbox);
        break;
    case MASTER_SEND_ALIVE:
        alive.phase_alive.phase = worker->batches_done;
        outbox_send(outbox, worker->master.peer, &alive);
        break;
    case MASTER_NEEDS_NOTHING:
        break;
    }
    tick_servers(worker, now_ms, outbox);
}

/* ---- work ---- */

static void note_loss(struct push_worker *worker)
{
    const struct batch_loss loss = worker->learning.take_loss(worker->learning.self);

    worker->leases[0].loss.loss += loss.loss;
    worker->leases[0].loss.rows += loss.rows;
}

bool push_worker_has_work(const struct push_worker *worker)
{
    return worker->state == PUSH_SELECTING || worker->state == PUSH_COMPUTING;
}

void push_worker_work(struct push_worker *worker, int64_t now_ms, struct outbox *outbox)
{
    const struct batch_learning *learning = &worker->learning;
    enum status status;
    struct error err;
    (void)now_ms;

    error_clear(&err);
    if (worker->state == PUSH_SELECTING) {
        status = select_batch(worker, &err);
        if (status == STATUS_OK)
            send_pulls(worker, outbox);
    } else if (worker->is_collecting) {
        status = collect_batch(worker, outbox, &err);
    } else {
        status = keep_copies(worker, &err);
        if (status == STATUS_OK)
            status = learning->compute(learning->self, worker->values, worker->gradient, &err);
        if (status == STATUS_OK) {
            note_loss(worker);
            send_pushes(worker, outbox);
        }
    }
    if (status != STATUS_OK)
        be_failed(worker, &err, outbox);
}
