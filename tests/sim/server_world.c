#include "tests/sim/server_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/reserve.h"
#include "runtime/data/store/step_log.h"
#include "runtime/ps/master/shard_master.h"
#include "runtime/ps/server/server_replay.h"
#include "runtime/ps/server/server_role.h"
#include "runtime/ps/server/server_save.h"
#include "runtime/ps/worker/push_worker.h"
#include "tests/sim/links.h"

#define TABLES            2
#define WORKERS_MAX       8
#define SERVERS_MAX       8
#define NODES_MAX         2048
#define IDS_MAX           256
#define TICK_MS           10
#define DEAD_MS           200
#define ZOMBIE_MS         2000 /* after which the launcher has ended it */
#define FROZEN_MS         600  /* at most */
#define END_MS            3600000
#define LEASES            2   /* leases of a worker */
#define PAUSE_MS          400 /* most time that workers pause while rows move, at first */
#define LOAD_MS           30
#define PIECE_BYTES       512
#define NOBODY            UINT32_MAX
#define STEPS_MAX         2048
#define AFTER_MOVE_MS     60
#define SHARDS_OF_ALL_MAX 512

#define COLLECT_BATCHES 3

static const uint32_t widths[TABLES] = {1, 3};

enum node_kind { MASTER, WORKER, SERVER };
enum happening { FRAME, CLOSED, TICK, WORK, END, KILL, FREEZE, CUT, CUT_OFF, LEAVE, SCALE, START };

struct event {
    struct moment moment; /* with its bytes: FRAME */
    enum happening kind;
    enum node_kind of; /* KILL, START: what */
    uint32_t node, link, side;
};

struct world;

/* Rows of a batch: a function of the seed and the batch's place in its epoch. */
struct toy {
    struct world *world;
    uint32_t shard;
    bool is_collecting;
    bool is_open[SHARDS_OF_ALL_MAX];
    uint32_t batch;
    float learned[TABLES][IDS_MAX]; /* the first number of each row */
    uint32_t counts[TABLES];
    uint64_t ids[TABLES * IDS_MAX];
    uint32_t seen[TABLES * IDS_MAX];
};

/* One process: a restarted role is a new node. */
struct node {
    enum node_kind kind;
    bool is_alive, has_work;
    int64_t frozen_until, cut_off_until;
    uint32_t index, incarnation;
    struct shard_master master;
    uint64_t moves_begun, moves_given_up;
    bool is_dying; /* it dies after `last_words` of what it asks for now */
    size_t last_words;
    struct push_worker worker;
    struct server_role server;
    struct toy toy;
    struct outbox outbox;
    peer_id next_accepted;
    char name[16];
};

struct log_entry {
    uint64_t number;
    struct text bytes;
};

/* The part of a server that outlives its process. */
struct store {
    struct text pieces, whole;
    bool has_whole;
    uint64_t id;           /* id of the snapshot that the pieces belong to */
    struct log_entry *log; /* log of steps (step_log.h) */
    uint32_t log_count, log_room;
};

/* The rows before a step, the first number of each. */
struct step_state {
    float values[TABLES][IDS_MAX];
};

struct world {
    const struct server_plan *plan;
    struct node *nodes[NODES_MAX];
    uint32_t node_count, master, workers[WORKERS_MAX], servers[SERVERS_MAX];
    uint32_t worker_starts[WORKERS_MAX], server_starts[SERVERS_MAX], master_starts;
    struct store stores[SERVERS_MAX], checkpoint;
    struct step_state *step_states; /* (all steps + 1); NULL: lanes take none together */
    /* The launcher: what is wanted, and as many servers as the master says. */
    uint32_t wanted_servers, running_servers;
    uint64_t wanted_version;
    struct links links;
    struct timeline time; /* in milliseconds */
    /* Counts by each server's process: pushes of each worker, and the same when another worker
     * pulled. */
    uint64_t pushed[SERVERS_MAX][WORKERS_MAX], base[SERVERS_MAX][WORKERS_MAX][WORKERS_MAX];
    uint64_t resumed[SERVERS_MAX][WORKERS_MAX], resumed_base[SERVERS_MAX][WORKERS_MAX][WORKERS_MAX];
    bool is_computing[SERVERS_MAX][WORKERS_MAX];
    struct server_result *result;
};

static uint64_t draw(struct world *world, uint64_t below)
{
    return timeline_draw(&world->time, below);
}

static void complain(struct world *world, const char *what, uint64_t which)
{
    timeline_fail(&world->time, "%s: %llu", what, (unsigned long long)which);
}

static struct event *schedule_frame(struct world *world, int64_t at, enum happening kind,
                                    uint32_t node, struct slice bytes)
{
    struct event *event = timeline_plan(&world->time, at, bytes);

    event->kind = kind;
    event->node = node;
    return event;
}

static struct event *schedule(struct world *world, int64_t at, enum happening kind, uint32_t node)
{
    return schedule_frame(world, at, kind, node, (struct slice){NULL, 0});
}

static void count(struct world *world, enum server_fault fault)
{
    world->result->faults[fault]++;
}

/* ------------------------------------------------------------ the toy */

static uint64_t row_id(uint64_t number)
{
    return number * 0x9e3779b9u; /* far apart, in ascending order */
}

/* Rows that server 0 has at the beginning, and in the second half of an epoch those of server 1. */
static bool is_popular(const struct server_plan *plan, uint32_t shard, uint32_t table, uint64_t id)
{
    const struct server_layout first = {.serving = plan->servers};
    const uint32_t server = shard % plan->shards * 2 / plan->shards;

    return plan->skew == 0 || server_of_row(&first, table, row_id(id)) == server % plan->servers;
}

/* 0: the batch does not select the row. */
static uint32_t times_seen(const struct world *world, uint32_t shard, uint32_t batch,
                           uint32_t table, uint64_t id)
{
    const struct server_plan *plan = world->plan;
    const uint64_t place = (uint64_t)(shard % plan->shards) * 1000 + batch;
    const uint64_t bits = random_bits(plan->seed, RANDOM_SIMULATION, place * TABLES + table, id);

    if (bits % plan->ids >= plan->batch_rows ||
        (!is_popular(plan, shard, table, id) && (bits >> 20) % plan->skew > 0))
        return 0;
    return 1 + (uint32_t)(bits >> 40) % 3;
}

static enum status toy_open(void *self, uint64_t shard, uint32_t *batches, struct error *err)
{
    struct toy *toy = self;
    const struct server_plan *plan = toy->world->plan;
    (void)err;

    toy->is_open[shard] = true;
    toy->is_collecting = false;
    *batches = plan->batches;
    return STATUS_OK;
}

static void toy_close(void *self, uint64_t shard)
{
    struct toy *toy = self;

    if (!toy->is_open[shard])
        complain(toy->world, "a shard is closed that is not open", shard);
    toy->is_open[shard] = false;
}

static enum status toy_select(void *self, uint64_t shard, uint32_t batch, struct batch_rows *rows,
                              struct error *err)
{
    struct toy *toy = self;
    uint32_t row = 0;
    (void)err;

    if (!toy->is_collecting && !toy->is_open[shard])
        complain(toy->world, "a batch of a shard that is not open", shard);
    toy->shard = (uint32_t)shard;
    toy->batch = batch;
    for (uint32_t t = 0; t < TABLES; t++) {
        const uint32_t first = row;

        for (uint64_t i = 0; i < toy->world->plan->ids; i++) {
            const uint32_t seen = toy->is_collecting
                                      ? i % COLLECT_BATCHES == batch
                                      : times_seen(toy->world, toy->shard, batch, t, i);

            if (!seen)
                continue;
            toy->ids[row] = row_id(i);
            toy->seen[row++] = seen;
        }
        toy->counts[t] = row - first;
    }
    *rows = (struct batch_rows){toy->counts, toy->ids, toy->seen};
    return STATUS_OK;
}

static void keep(struct toy *toy, const float *values)
{
    for (uint32_t t = 0; t < TABLES; t++)
        for (uint32_t i = 0; i < toy->counts[t]; i++, values += widths[t])
            toy->learned[t][toy->batch + i * COLLECT_BATCHES] = values[0];
}

/* ---- steps that all lanes take together: what they make of the rows ---- */

static uint32_t step_of(const struct server_plan *plan, uint32_t shard, uint32_t batch)
{
    return shard / plan->lanes * plan->batches + batch;
}

static uint32_t steps_of_all(const struct server_plan *plan)
{
    return plan->shards / plan->lanes * plan->epochs * plan->batches;
}

/* A number whose sum over lanes depends on their order. */
static float lane_gradient(const struct server_plan *plan, uint32_t shard, uint32_t batch,
                           uint64_t number, float value)
{
    const uint64_t bits =
        random_bits(plan->seed, RANDOM_SIMULATION, (uint64_t)shard * 1000 + batch, number);

    return (float)(bits % 100003) * 1e-4f - value * 0.01f;
}

/* One lane after the other. */
static void take_step(const struct world *world, uint32_t step)
{
    const struct server_plan *plan = world->plan;
    const uint32_t first = step / plan->batches * plan->lanes, batch = step % plan->batches;
    const struct step_state *before = world->step_states + step;
    struct step_state *after = world->step_states + step + 1;

    for (uint32_t t = 0; t < TABLES; t++)
        for (uint32_t i = 0; i < plan->ids; i++) {
            const float value = before->values[t][i];
            bool is_selected = false;
            float sum = 0;

            for (uint32_t lane = 0; lane < plan->lanes; lane++) {
                float gradient;

                if (!times_seen(world, first + lane, batch, t, i))
                    continue;
                gradient = lane_gradient(plan, first + lane, batch, i, value);
                sum = is_selected ? sum + gradient : gradient;
                is_selected = true;
            }
            after->values[t][i] = is_selected ? value - sum : value;
        }
}

static void take_all_steps(struct world *world)
{
    const uint32_t steps = steps_of_all(world->plan);

    world->step_states = calloc(steps + 1u, sizeof *world->step_states);
    if (!world->step_states || steps >= STEPS_MAX)
        abort();
    for (uint32_t step = 0; step < steps; step++)
        take_step(world, step);
}

/* A row's other numbers go as the first. */
static void compute_lane(struct toy *toy, const float *values, float *gradient)
{
    const struct server_plan *plan = toy->world->plan;
    const struct step_state *state =
        toy->world->step_states + step_of(plan, toy->shard, toy->batch);
    uint32_t row = 0, at = 0;

    for (uint32_t t = 0; t < TABLES; t++)
        for (uint32_t i = 0; i < toy->counts[t]; i++, row++)
            for (uint32_t j = 0; j < widths[t]; j++, at++) {
                const uint64_t number = toy->ids[row] / row_id(1);

                if (plan->min_count <= 1 && values[at] != state->values[t][number])
                    complain(toy->world, "a lane computes with other rows than its step has",
                             number);
                gradient[at] = lane_gradient(plan, toy->shard, toy->batch, number, values[at]);
            }
}

static enum status toy_compute(void *self, const float *values, float *gradient, struct error *err)
{
    struct toy *toy = self;
    uint32_t at = 0;
    (void)err;

    if (toy->is_collecting) {
        keep(toy, values);
        return STATUS_OK;
    }
    if (toy->world->step_states) {
        compute_lane(toy, values, gradient);
        return STATUS_OK;
    }
    for (uint32_t t = 0; t < TABLES; t++)
        for (uint32_t i = 0; i < toy->counts[t] * widths[t]; i++, at++) {
            if (values[at] > 0 || values[at] != (float)(int)values[at])
                complain(toy->world, "a weight that no number of batches makes, of shard",
                         toy->shard);
            gradient[at] = 1;
        }
    return STATUS_OK;
}

static struct batch_loss toy_take_loss(void *self)
{
    (void)self;
    return (struct batch_loss){.loss = 1, .rows = 1};
}

static enum status toy_collect(void *self, uint32_t *batches, struct error *err)
{
    struct toy *toy = self;
    (void)err;

    toy->is_collecting = true;
    memset(toy->learned, 0, sizeof toy->learned);
    *batches = COLLECT_BATCHES;
    return STATUS_OK;
}

static enum status toy_learned(void *self, struct learned_state *state, struct error *err)
{
    struct toy *toy = self;
    const struct server_plan *plan = toy->world->plan;
    (void)err;

    *state = (struct learned_state){.phase = 1,
                                    .step = (uint64_t)plan->shards * plan->epochs * plan->batches,
                                    .bytes = sizeof toy->learned};
    return STATUS_OK;
}

static void toy_read_learned(void *self, uint64_t offset, size_t size, char *bytes)
{
    const struct toy *toy = self;

    memcpy(bytes, (const char *)toy->learned + offset, size);
}

/* ----------------------------------------------------------- connections */

static void plan_arrival(void *context, int64_t at, uint32_t link, uint32_t side, bool is_closing,
                         struct slice frame)
{
    struct world *world = context;
    struct event *event = schedule_frame(world, at, is_closing ? CLOSED : FRAME,
                                         world->links.list[link].ends[side].node, frame);

    event->link = link;
    event->side = side;
}

static uint32_t node_of_address(struct slice address)
{
    int64_t number;

    return slice_to_integer(address, &number) ? (uint32_t)number : NOBODY;
}

/* Addresses are "master", or the number of a server's node. */
static void connect(struct world *world, uint32_t from, peer_id peer, struct slice address)
{
    const bool is_to_master = slice_is(address, "master");
    const uint32_t to = is_to_master ? world->master : node_of_address(address);
    const bool is_cut_off = is_to_master && world->nodes[from]->cut_off_until > world->time.now;

    if (!is_cut_off && to < world->node_count && world->nodes[to]->is_alive)
        links_connect(&world->links, from, peer, to, world->nodes[to]->next_accepted++);
    else
        links_connect(&world->links, from, peer, LINK_NOBODY, PEER_NONE);
}

/* ------------------------------------------------------------ what is checked */

static const struct row_entry *entry_of(const struct row_table *table, uint64_t id)
{
    const uint64_t hash = row_hash(id);

    return row_bucket_find(table->buckets + row_bucket_of(table->options.number, hash), hash, id);
}

static void check_row(struct world *world, struct server_role *server, uint32_t t, uint64_t number)
{
    const struct server_plan *plan = world->plan;
    const uint64_t id = row_id(number);
    const struct row_entry *entry = entry_of(server->tables + t, id);
    uint64_t batches = 0, seen = 0;
    float value[3];

    for (uint32_t shard = 0; shard < plan->shards * plan->epochs; shard++)
        for (uint32_t b = 0; b < shard_counts_of(&server->shards, shard); b++) {
            const uint32_t times = times_seen(world, shard, b, t, number);

            batches += times > 0;
            seen += times;
        }
    if ((entry ? entry->seen : 0) != seen)
        complain(world, "another number of rows of data than were counted selected row", number);
    row_table_pull(server->tables + t, (uint32_t)server->clock, (struct row_ids){&id, 1}, value);
    if (plan->min_count > 1)
        return;
    if (world->step_states ? value[0] != world->step_states[server->clock].values[t][number]
                           : value[0] != -(float)batches)
        complain(world, "a batch is not counted once in row", number);
}

/* Rows are on the server that they belong to, and nowhere else. */
static void check_buckets(struct world *world, const struct server_role *server)
{
    const uint32_t index = server->options.index;

    for (uint32_t t = 0; t < TABLES && server->move.state == MOVE_NONE; t++)
        for (uint32_t b = 0; b < BUCKETS_PER_TABLE; b++)
            if (server->tables[t].buckets[b].count > 0 &&
                server_of_bucket(&server->layout, b) != index)
                complain(world, "rows of a bucket that another server has", b);
    if (index >= server->layout.serving && server->move.state == MOVE_NONE && server->clock > 0)
        complain(world, "batches are counted by a server without rows", server->clock);
}

/* Rows and counts of a server say the same. */
static void check_server(struct world *world, struct server_role *server)
{
    uint64_t clock = 0;

    for (uint32_t shard = 0; shard < server->shards.count; shard++)
        clock += shard_counts_of(&server->shards, shard);
    clock /= world->plan->lanes ? world->plan->lanes : 1;
    if (clock != server->clock)
        complain(world, "a clock that is not the batches that are counted", server->clock);
    for (uint32_t t = 0; t < TABLES; t++)
        for (uint64_t number = 0; number < world->plan->ids; number++)
            if (server_of_row(&server->layout, t, row_id(number)) == server->options.index)
                check_row(world, server, t, number);
    check_buckets(world, server);
}

/* Servers that the master does not know, or that are gone, have nothing to do with what was
 * collected before. */
static void check_servers(struct world *world, const struct shard_master *master)
{
    for (uint32_t s = 0; s < master->move.now.serving; s++) {
        struct node *node = world->nodes[world->servers[s]];
        struct server_role *server = &node->server;

        if (!node->is_alive || node->incarnation != master->servers[s].member.incarnation)
            continue;
        if (server->layout.id != master->move.now.id)
            complain(world, "another layout than the master's, of server", s);
        for (uint32_t shard = 0; shard < world->plan->shards * world->plan->epochs; shard++)
            if (shard_counts_of(&server->shards, shard) != world->plan->batches)
                complain(world, "not all batches are counted of shard", shard);
        check_server(world, server);
        world->result->pushes += server->counts.pushes;
    }
}

/* The batches of the whole job that select the row. */
static uint64_t batches_with(const struct world *world, uint32_t t, uint64_t number)
{
    const struct server_plan *plan = world->plan;
    uint64_t batches = 0;

    for (uint32_t shard = 0; shard < plan->shards; shard++)
        for (uint32_t b = 0; b < plan->batches; b++)
            batches += times_seen(world, shard, b, t, number) > 0;
    return batches * plan->epochs;
}

static float learned_value(const struct world *world, uint32_t t, uint64_t number)
{
    return world->step_states ? world->step_states[steps_of_all(world->plan)].values[t][number]
                              : -(float)batches_with(world, t, number);
}

static void check_learned(struct world *world, struct slice state)
{
    float learned[TABLES][IDS_MAX];

    if (state.size != sizeof learned) {
        complain(world, "a checkpoint of another size", state.size);
        return;
    }
    memcpy(learned, state.data, sizeof learned);
    for (uint32_t t = 0; t < TABLES && world->plan->min_count <= 1; t++)
        for (uint64_t number = 0; number < world->plan->ids; number++)
            if (learned[t][number] != learned_value(world, t, number))
                complain(world, "a checkpoint without all batches of row", number);
}

/* Notes a pull from the process that is the server now. The gate is pulled first: when it has lost
 * the worker before the others answer, nobody waits for that worker. */
static void note_pull(struct world *world, uint32_t s, uint32_t w)
{
    world->is_computing[s][w] = s == 0 || world->is_computing[0][w];
    memcpy(world->base[s][w], world->pushed[s], sizeof world->pushed[s]);
    memcpy(world->resumed_base[s][w], world->resumed[s], sizeof world->resumed[s]);
}

/* Checks the bound of staleness. Pushes on their way when a worker began again come on top. */
static void check_staleness(struct world *world, uint32_t s, uint32_t w, uint32_t other)
{
    const uint64_t ahead = world->pushed[s][w] - world->base[s][other][w];
    const uint64_t again = world->resumed[s][w] - world->resumed_base[s][other][w];

    if (world->is_computing[s][other] && ahead > world->plan->staleness + again)
        complain(world, "too many batches ahead of another: worker", w);
}

static void note_push(struct world *world, uint32_t s, uint32_t w)
{
    world->pushed[s][w]++;
    world->is_computing[s][w] = false;
    for (uint32_t other = 0; world->plan->staleness && other < world->plan->workers; other++)
        if (other != w)
            check_staleness(world, s, w, other);
}

/* ------------------------------------------------------------ the store of a server */

/* Else another process has the store, and this one ends before it says anything. */
static bool has_claim(const struct world *world, const struct node *node)
{
    return node->incarnation + 1 == world->server_starts[node->index];
}

static void take_piece(struct world *world, const struct node *node, struct slice bytes)
{
    struct store *store = node->kind == MASTER ? &world->checkpoint : world->stores + node->index;
    struct piece_head head;

    memcpy(&head, bytes.data, sizeof head);
    if (node->kind == SERVER && node->incarnation + 1 < world->server_starts[node->index])
        return; /* another has followed */
    if (head.position == 0)
        text_clear(&store->pieces);
    store->id = head.id;
    text_append(&store->pieces, (struct slice){bytes.data + sizeof head, bytes.size - sizeof head});
}

/* ---- its log ---- */

static struct log_entry *find_in_log(const struct store *store, uint64_t number)
{
    for (uint32_t i = 0; i < store->log_count; i++)
        if (store->log[i].number == number)
            return store->log + i;
    return NULL;
}

static uint32_t forget_log(struct store *store, uint64_t first, uint64_t end)
{
    const uint32_t before = store->log_count;

    for (uint32_t i = store->log_count; i-- > 0;)
        if (store->log[i].number >= first && store->log[i].number < end) {
            text_deinit(&store->log[i].bytes);
            store->log[i] = store->log[--store->log_count];
        }
    return before - store->log_count;
}

static void put_in_log(struct store *store, uint64_t number, struct slice bytes)
{
    void *log = store->log;
    struct log_entry *entry;

    if (number >= step_log_move(0, 0) && number % step_log_move(0, 0) % (1 << 24) == 0)
        (void)forget_log(store, number, UINT64_MAX);
    (void)forget_log(store, number, number + 1);
    if (bytes.size == 0)
        return;
    if (reserve_array(&log, &store->log_room, store->log_count + 1, sizeof *store->log, NULL) !=
        STATUS_OK)
        abort();
    store->log = log;
    entry = store->log + store->log_count++;
    entry->number = number;
    text_init(&entry->bytes, TEXT_MAXIMUM);
    text_append(&entry->bytes, bytes);
}

static void take_finish(struct world *world, const struct node *node, struct slice bytes)
{
    struct store *store = world->stores + node->index;
    struct checkpoint head;

    memcpy(&head, bytes.data, sizeof head);
    if (!has_claim(world, node)) {
        count(world, SERVER_FAULT_STALE_SNAPSHOT);
        return;
    }
    if (head.id != store->id || head.bytes != store->pieces.size)
        complain(world, "a snapshot of another size than its pieces", head.bytes);
    text_clear(&store->whole);
    text_append(&store->whole, text_slice(&store->pieces));
    store->has_whole = true;
    forget_log(store, 0, head.phase - 1);
    forget_log(store, step_log_move(0, 0), step_log_move((uint32_t)head.step, 0));
    world->result->snapshots++;
}

static bool take_logged(struct world *world, struct node *node, struct slice bytes)
{
    uint64_t number;

    if (!has_claim(world, node))
        return false;
    memcpy(&number, bytes.data, sizeof number);
    put_in_log(world->stores + node->index, number,
               (struct slice){bytes.data + sizeof number, bytes.size - sizeof number});
    return true;
}

/* All that it had. */
static void take_drop(struct world *world, const struct node *node)
{
    struct store *store = world->stores + node->index;

    if (node->kind != SERVER || !has_claim(world, node))
        return;
    store->has_whole = false;
    text_clear(&store->pieces);
    (void)forget_log(store, 0, UINT64_MAX);
}

/* With its machine: what was not on the disk yet. */
static void lose_log(struct world *world, uint32_t index)
{
    struct store *store = world->stores + index;
    const uint64_t kept = draw(world, steps_of_all(world->plan) + 1);

    if (draw(world, 2))
        return;
    if (forget_log(store, kept, step_log_move(draw(world, 3), draw(world, 12))) > 0)
        count(world, SERVER_FAULT_LOST_LOG);
    (void)forget_log(store, step_log_move(draw(world, 4), draw(world, 12)), UINT64_MAX);
}

/* The job's checkpoint is whole: a master that trains goes on from it. */
static void take_checkpoint(struct world *world, struct node *node, struct slice bytes)
{
    struct shard_master *master = &node->master;
    const struct error fine = {.status = STATUS_OK};
    struct checkpoint head;

    memcpy(&head, bytes.data, sizeof head);
    if (head.id != world->checkpoint.id || head.bytes != world->checkpoint.pieces.size)
        complain(world, "a checkpoint of another size than its pieces", head.bytes);
    check_learned(world, text_slice(&world->checkpoint.pieces));
    check_servers(world, master);
    for (uint32_t s = 0; s < master->move.now.serving; s++)
        world->result->pushes += world->nodes[world->servers[s]]->server.counts.pushes;
    shard_master_on_stored(master, world->time.now, head.id, &fine, &node->outbox);
    if (!master->crew.is_handed_on)
        complain(world, "a master that has all does not end", 0);
    world->time.has_ended = true;
}

/* ------------------------------------------------------------ processes */

static void carry_out(struct world *world, uint32_t number);

static uint32_t node_new(struct world *world, enum node_kind kind, uint32_t index,
                         uint32_t incarnation)
{
    struct node *node = calloc(1, sizeof *node);

    if (!node || world->node_count == NODES_MAX)
        abort();
    node->kind = kind;
    node->is_alive = true;
    node->index = index;
    node->incarnation = incarnation;
    node->next_accepted = 1;
    node->toy.world = world;
    snprintf(node->name, sizeof node->name, "%u", world->node_count);
    outbox_init(&node->outbox);
    world->nodes[world->node_count] = node;
    schedule(world, world->time.now + (int64_t)draw(world, TICK_MS), TICK, world->node_count);
    return world->node_count++;
}

static void start_worker(struct world *world, uint32_t index)
{
    const uint32_t incarnation = world->worker_starts[index]++;
    const uint32_t number = node_new(world, WORKER, index, incarnation);
    struct node *node = world->nodes[number];
    const struct push_worker_options options = {.job = 1,
                                                .index = index,
                                                .incarnation = incarnation,
                                                .master = "master",
                                                .alive_ms = 50,
                                                .reconnect_ms = 10,
                                                .grace_ms = 1000,
                                                .piece_bytes = PIECE_BYTES,
                                                .is_gated = world->plan->staleness > 0};
    const struct server_plan *plan = world->plan;
    const struct batch_learning learning = {.self = &node->toy,
                                            .plan = {.lanes = plan->lanes,
                                                     .shards_per_epoch = plan->shards,
                                                     .epochs = plan->epochs,
                                                     .batches = plan->batches,
                                                     .rows = plan->shards},
                                            .table_count = TABLES,
                                            .widths = widths,
                                            .open = toy_open,
                                            .close = toy_close,
                                            .select = toy_select,
                                            .compute = toy_compute,
                                            .take_loss = toy_take_loss,
                                            .collect = toy_collect,
                                            .learned = toy_learned,
                                            .read_learned = toy_read_learned};

    world->workers[index] = number;
    for (uint32_t s = 0; s < SERVERS_MAX; s++)
        world->is_computing[s][index] = false;
    TRACE(world, "worker %u.%u starts", index, incarnation);
    push_worker_init(&node->worker, &options, &learning, NULL);
    push_worker_start(&node->worker, world->time.now, &node->outbox);
    carry_out(world, number);
}

static void restore_snapshot(struct world *world, struct node *node)
{
    const struct slice whole = text_slice(&world->stores[node->index].whole);
    struct error err;

    if (!world->stores[node->index].has_whole) {
        if (node->incarnation)
            count(world, SERVER_FAULT_EMPTY);
        return;
    }
    count(world, SERVER_FAULT_RESTORED);
    for (size_t at = 0; at < whole.size; at += PIECE_BYTES) {
        const size_t left = whole.size - at, size = left < PIECE_BYTES ? left : PIECE_BYTES;

        if (server_save_restore(&node->server, (struct slice){whole.data + at, size}, size == left,
                                &err) != STATUS_OK)
            complain(world, "a snapshot is not read by server", node->index);
    }
}

/* False: this was all. */
static bool read_log(struct world *world, struct node *node)
{
    struct server_role *server = &node->server;
    const struct log_entry *entry =
        find_in_log(world->stores + node->index, server_replay_wants(server));
    const struct slice bytes = entry ? text_slice(&entry->bytes) : slice_of("");
    const uint64_t clock = server->clock;
    struct error err;
    enum status status;

    error_clear(&err);
    status = server_replay_entry(server, entry ? &bytes : NULL, &err);
    if (status != STATUS_OK && status != STATUS_NOT_FOUND)
        complain(world, "the log is not read by server", node->index);
    world->result->faults[SERVER_FAULT_COUNTED_AGAIN] += server->clock == clock + 1;
    return status == STATUS_OK;
}

static void restore(struct world *world, struct node *node)
{
    struct server_role *server = &node->server;
    uint64_t layout;

    if (world->plan->loses_logs && node->incarnation > 0)
        lose_log(world, node->index);
    restore_snapshot(world, node);
    layout = server->layout.id;
    while (read_log(world, node))
        ;
    world->result->faults[SERVER_FAULT_MOVED_AGAIN] += server->layout.id != layout;
    world->result->faults[SERVER_FAULT_READY_AGAIN] += server->move.state == MOVE_READY;
    check_server(world, server);
}

static void start_server(struct world *world, uint32_t index)
{
    const uint32_t incarnation = world->server_starts[index]++;
    const uint32_t number = node_new(world, SERVER, index, incarnation);
    struct node *node = world->nodes[number];
    struct row_table_options tables[TABLES];
    struct server_options options = {.job = 1,
                                     .index = index,
                                     .incarnation = incarnation,
                                     .server_count = world->plan->servers,
                                     .master = "master",
                                     .address = node->name,
                                     .tables = tables,
                                     .table_count = TABLES,
                                     .memory_limit = UINT64_MAX,
                                     .staleness = world->plan->staleness,
                                     .lanes = world->plan->lanes,
                                     .batches = world->plan->batches,
                                     .alive_ms = 50,
                                     .reconnect_ms = 10,
                                     .snapshot_ms = world->plan->snapshot_ms,
                                     .load_ms = LOAD_MS,
                                     .piece_bytes = PIECE_BYTES};
    struct error err;

    for (uint32_t t = 0; t < TABLES; t++)
        tables[t] =
            (struct row_table_options){.number = t,
                                       .width = widths[t],
                                       .settings = {.optimizer = OPTIMIZER_SGD, .learning_rate = 1},
                                       .min_count = world->plan->min_count};
    world->servers[index] = number;
    memset(world->pushed[index], 0, sizeof world->pushed[index]);
    /* A new gate does not know who computes. */
    memset(world->is_computing[index], 0,
           index ? sizeof world->is_computing[index] : sizeof world->is_computing);
    TRACE(world, "server %u.%u starts", index, incarnation);
    if (server_role_init(&node->server, &options, &err) != STATUS_OK)
        abort();
    restore(world, node);
    server_role_start(&node->server, world->time.now, &node->outbox);
    carry_out(world, number);
}

static void tell_wanted(struct world *world)
{
    struct node *node = world->nodes[world->master];

    shard_master_want_servers(&node->master, world->time.now, world->wanted_version,
                              world->wanted_servers, &node->outbox);
}

static void start_master(struct world *world)
{
    const struct server_plan *plan = world->plan;
    const uint32_t incarnation = world->master_starts++;
    struct error err;

    world->master = node_new(world, MASTER, 0, incarnation);
    TRACE(world, "master %u starts", incarnation);
    if (shard_master_init(&world->nodes[world->master]->master,
                          &(struct shard_master_options){.crew.job = 1,
                                                         .crew.incarnation = incarnation,
                                                         .crew.max_workers = plan->workers,
                                                         .server_count = plan->servers,
                                                         .crew.servers = SERVERS_MAX,
                                                         .pause_ms = PAUSE_MS,
                                                         .balance_ms = plan->balance_ms,
                                                         .crew.min_workers = 1,
                                                         .leases_per_worker = LEASES,
                                                         .lanes = plan->lanes,
                                                         .crew.dead_ms = DEAD_MS,
                                                         .crew.report_ms = 100,
                                                         .crew.facts.started_at = ""},
                          world->time.now, &world->nodes[world->master]->outbox, &err) != STATUS_OK)
        abort();
    tell_wanted(world);
    carry_out(world, world->master);
}

/* ------------------------------------------------------------ the launcher */

/* A process that is silent is taken for dead, and another starts beside it. */
static void replace(struct world *world, const struct outbox_entry *entry)
{
    const bool is_worker = entry->index < world->plan->workers;
    const uint32_t index = is_worker ? entry->index : entry->index - world->plan->workers;
    const uint32_t number = is_worker ? world->workers[index] : world->servers[index];
    const struct node *now = world->nodes[number];

    /* Another is on its way, or the launcher has seen that itself. */
    if (now->incarnation != entry->incarnation || !now->is_alive)
        return;
    count(world, SERVER_FAULT_ZOMBIE);
    schedule(world, world->time.now + (int64_t)draw(world, ZOMBIE_MS), END, number);
    if (is_worker)
        start_worker(world, index);
    else
        start_server(world, index);
}

/* Those beyond end: they have got END, or they would look for their master for ever. */
static void run_servers(struct world *world, uint32_t least, uint32_t most)
{
    uint32_t servers = world->running_servers;

    servers = servers < least ? least : servers > most ? most : servers;
    world->running_servers = servers;
    for (uint32_t s = 0; s < SERVERS_MAX; s++) {
        const uint32_t number = world->servers[s];
        const bool is_running = world->server_starts[s] > 0 && world->nodes[number]->is_alive;

        if (s < servers && !is_running)
            start_server(world, s);
        else if (s >= servers && is_running)
            schedule(world, world->time.now + (int64_t)draw(world, ZOMBIE_MS), END, number);
    }
}

/* ------------------------------------------------------------ what a role asks for */

static bool node_has_work(const struct node *node)
{
    if (node->kind == WORKER)
        return push_worker_has_work(&node->worker);
    return node->kind == SERVER && server_save_has_work(&node->server);
}

static void ask_for_work(struct world *world, uint32_t number)
{
    struct node *node = world->nodes[number];
    int64_t takes = 1 + (int64_t)draw(world, 4);

    if (node->has_work || !node_has_work(node))
        return;
    if (node->kind == WORKER && node->index < world->plan->slow_workers) {
        takes *= 30;
        count(world, SERVER_FAULT_SLOW);
    }
    node->has_work = true;
    schedule(world, world->time.now + takes, WORK, number);
}

/* The worker has pushed, begins again, or is gone: nobody waits for it. The gate says so for all
 * servers. */
static void stop_watching(struct world *world, const struct node *server, const struct node *worker)
{
    if (worker->kind != WORKER || world->nodes[world->servers[server->index]] != server ||
        world->nodes[world->workers[worker->index]] != worker)
        return;
    for (uint32_t s = 0; s < SERVERS_MAX; s++)
        if (server->index == 0 || server->index == s)
            world->is_computing[s][worker->index] = false;
}

/* A server's own answers say what it has counted, and what workers compute with. */
static void watch(struct world *world, const struct node *node, uint32_t to, struct slice frame)
{
    struct message message;
    struct error err;
    const struct node *worker = world->nodes[to];

    if (node->kind != SERVER || worker->kind != WORKER ||
        world->nodes[world->servers[node->index]] != node ||
        world->nodes[world->workers[worker->index]] != worker ||
        message_read(frame, &message, &err) != STATUS_OK)
        return;
    if (message.type == MESSAGE_PULLED && !worker->worker.is_collecting)
        note_pull(world, node->index, worker->index);
    else if (message.type == MESSAGE_RESUMED || message.type == MESSAGE_PUSHED)
        stop_watching(world, node, worker);
    world->resumed[node->index][worker->index] += message.type == MESSAGE_RESUMED;
}

static void start_later(struct world *world, enum node_kind kind, uint32_t index)
{
    struct event *event =
        schedule(world, world->time.now + 20 + (int64_t)draw(world, 200), START, index);

    event->of = kind;
}

static void trace_event(struct world *world, struct slice bytes)
{
    struct event_row row;

    memcpy(&row, bytes.data, sizeof row);
    TRACE(world, "master: %s %lld: %s", row.event, (long long)row.index, row.detail);
}

static void carry_out(struct world *world, uint32_t number)
{
    struct node *node = world->nodes[number];
    bool is_fenced = false;
    uint32_t link, side;

    for (size_t i = 0; i < node->outbox.count && (!node->is_dying || i < node->last_words) &&
                       (node->is_alive || !is_fenced);
         i++) {
        const struct outbox_entry entry = node->outbox.entries[i];
        const struct slice bytes = outbox_bytes(&node->outbox, &entry);

        switch (entry.kind) {
        case OUTBOX_CONNECT:
            connect(world, number, entry.peer, bytes);
            break;
        case OUTBOX_SEND:
            if (links_find(&world->links, number, entry.peer, &link, &side)) {
                world->result->frames++;
                if (world->links.list[link].ends[1 - side].node != NOBODY)
                    watch(world, node, world->links.list[link].ends[1 - side].node, bytes);
                links_send(&world->links, link, 1 - side, bytes);
            }
            break;
        case OUTBOX_CLOSE:
            if (!links_find(&world->links, number, entry.peer, &link, &side))
                break;
            if (node->kind == SERVER && world->links.list[link].ends[1 - side].node != NOBODY)
                stop_watching(world, node,
                              world->nodes[world->links.list[link].ends[1 - side].node]);
            links_close(&world->links, link, side);
            break;
        case OUTBOX_LOG:
            is_fenced = !take_logged(world, node, bytes);
            node->is_alive &= !is_fenced;
            break;
        case OUTBOX_CLAIM:
            is_fenced = !has_claim(world, node);
            node->is_alive &= !is_fenced;
            break;
        case OUTBOX_DROP:
            take_drop(world, node);
            break;
        case OUTBOX_PIECE:
            take_piece(world, node, bytes);
            break;
        case OUTBOX_FINISH:
            if (node->kind == MASTER)
                take_checkpoint(world, node, bytes);
            else
                take_finish(world, node, bytes);
            break;
        case OUTBOX_REPLACE:
            replace(world, &entry);
            break;
        case OUTBOX_EVENT:
            trace_event(world, bytes);
            break;
        case OUTBOX_SERVERS:
            if (world->nodes[world->master] == node)
                run_servers(world, entry.servers.least, entry.servers.most);
            break;
        case OUTBOX_END:
            node->is_alive = false;
            if (node->kind == SERVER && world->servers[node->index] == number)
                start_later(world, SERVER, node->index);
            break;
        default:
            break;
        }
    }
    outbox_clear(&node->outbox);
    if (node->is_dying && node->is_alive) {
        count(world,
              node->kind == MASTER ? SERVER_FAULT_MOVE_MASTER_KILL : SERVER_FAULT_MOVE_SERVER_KILL);
        TRACE(world, "%s %u.%u dies", node->kind == MASTER ? "master" : "server", node->index,
              node->incarnation);
        node->is_alive = false;
        if (node->kind == MASTER || world->nodes[world->servers[node->index]] == node)
            start_later(world, node->kind, node->index);
    }
    if (!node->is_alive)
        links_close_all(&world->links, number);
    ask_for_work(world, number);
}

/* ------------------------------------------------------------ mishaps */

static uint32_t node_of(struct world *world, enum node_kind kind)
{
    if (kind == MASTER)
        return world->master;
    if (kind == WORKER)
        return world->workers[draw(world, world->plan->workers)];
    return world->servers[draw(world, world->running_servers)];
}

static void kill_one(struct world *world, enum node_kind kind)
{
    const uint32_t number = node_of(world, kind);
    struct node *node = world->nodes[number];

    if (!node->is_alive)
        return;
    count(world, kind == WORKER   ? SERVER_FAULT_KILL
                 : kind == SERVER ? SERVER_FAULT_SERVER_KILL
                                  : SERVER_FAULT_MASTER_KILL);
    if (kind == SERVER && node->server.snapshot.is_on)
        count(world, SERVER_FAULT_TORN);
    if (world->nodes[world->master]->is_alive || kind == MASTER)
        if (world->nodes[world->master]->master.move.stage != SHARD_MOVE_NONE)
            count(world, kind == WORKER   ? SERVER_FAULT_MOVE_WORKER_KILL
                         : kind == SERVER ? SERVER_FAULT_MOVE_SERVER_KILL
                                          : SERVER_FAULT_MOVE_MASTER_KILL);
    TRACE(world, "%s %u.%u is killed",
          kind == WORKER   ? "worker"
          : kind == SERVER ? "server"
                           : "master",
          node->index, node->incarnation);
    node->is_alive = false;
    carry_out(world, number);
    start_later(world, kind, node->index);
}

static void freeze_one(struct world *world)
{
    const bool is_server = draw(world, 2) == 0;
    struct node *node = world->nodes[node_of(world, is_server ? SERVER : WORKER)];

    /* Rather one that has begun a snapshot, which it may end when another has followed. */
    for (int i = 0; is_server && i < 4 && !node->server.snapshot.is_on; i++)
        node = world->nodes[node_of(world, SERVER)];
    /* A frozen node is not frozen again: one that thawed earlier than was thought would get later
     * messages before those that have waited. */
    if (!node->is_alive || node->frozen_until > world->time.now)
        return;
    count(world, is_server ? SERVER_FAULT_SERVER_FREEZE : SERVER_FAULT_FREEZE);
    node->frozen_until = world->time.now + (int64_t)draw(world, FROZEN_MS);
    TRACE(world, "%s %u.%u freezes", is_server ? "server" : "worker", node->index,
          node->incarnation);
}

static void cut_one(struct world *world)
{
    uint32_t link;

    if (links_cut_one(&world->links, 50, &link))
        count(world, SERVER_FAULT_CUT);
}

/* It goes on with what is leased to it, while its master gives that to others. */
static void cut_off_one(struct world *world)
{
    struct node *node = world->nodes[node_of(world, WORKER)];
    uint32_t link, side;

    if (!node->is_alive ||
        !links_find(&world->links, world->workers[node->index], node->worker.master.peer, &link,
                    &side) ||
        !world->links.list[link].ends[1 - side].is_open)
        return;
    count(world, SERVER_FAULT_CUT_OFF);
    node->cut_off_until = world->time.now + (int64_t)draw(world, FROZEN_MS);
    links_send_close(&world->links, link, 0);
    links_send_close(&world->links, link, 1);
}

static void leave_one(struct world *world)
{
    const uint32_t number = node_of(world, WORKER);
    struct node *node = world->nodes[number];

    if (!node->is_alive || node->frozen_until > world->time.now)
        return;
    count(world, SERVER_FAULT_LEAVE);
    push_worker_leave(&node->worker, world->time.now, &node->outbox);
    carry_out(world, number);
    start_later(world, WORKER, node->index);
}

/* The launcher keeps the number, and tells it to the master that there is. */
static void scale_servers(struct world *world)
{
    world->wanted_servers = 1 + (uint32_t)draw(world, SERVERS_MAX);
    world->wanted_version++;
    TRACE(world, "%u servers are wanted", world->wanted_servers);
    if (!world->nodes[world->master]->is_alive)
        return;
    tell_wanted(world);
    carry_out(world, world->master);
}

static void start(struct world *world, const struct event *event)
{
    if (event->of == MASTER)
        start_master(world);
    else if (event->of == WORKER)
        start_worker(world, event->node);
    else if (event->node < world->running_servers &&
             !world->nodes[world->servers[event->node]]->is_alive)
        start_server(world, event->node);
}

static void plan_mishaps(struct world *world)
{
    const struct server_plan *plan = world->plan;
    const struct {
        enum happening kind;
        enum node_kind of;
        uint32_t times;
    } mishaps[] = {{KILL, WORKER, plan->kills},        {KILL, SERVER, plan->server_kills},
                   {KILL, MASTER, plan->master_kills}, {FREEZE, WORKER, plan->freezes},
                   {CUT, WORKER, plan->cuts},          {LEAVE, WORKER, plan->leaves},
                   {CUT_OFF, WORKER, plan->cut_offs},  {SCALE, MASTER, plan->scales}};

    for (size_t m = 0; m < sizeof mishaps / sizeof *mishaps; m++)
        for (uint32_t i = 0; i < mishaps[m].times; i++)
            schedule(world, (int64_t)draw(world, (uint64_t)plan->span_ms), mishaps[m].kind, 0)->of =
                mishaps[m].of;
}

/* ------------------------------------------------------------ events */

/* It says some of what it was about to say. */
static void die(struct world *world, struct node *node)
{
    node->is_dying = true;
    node->last_words = draw(world, node->outbox.count + 1);
}

static void count_move(struct world *world, const struct shard_move *before,
                       const struct shard_move *after)
{
    if (after->balanced > before->balanced)
        count(world, before->now.has_map ? SERVER_FAULT_BALANCED_ANEW : SERVER_FAULT_BALANCED);
    else
        count(world,
              after->now.serving > before->now.serving ? SERVER_FAULT_GROWN : SERVER_FAULT_SHRUNK);
}

/* Gives the master a message, and counts the changes that it makes. */
static void lead(struct world *world, struct node *node, peer_id from,
                 const struct message *message)
{
    struct shard_master *master = &node->master;
    const uint64_t reopened = master->board.reopened, late = master->late;
    const uint64_t lease = master->collection.lease;
    const struct shard_move move = master->move;

    shard_master_on_message(master, world->time.now, from, message, &node->outbox);
    if (master->move.committed > move.committed)
        count_move(world, &move, &master->move);
    world->result->faults[SERVER_FAULT_ANEW] += master->move.begun_anew - move.begun_anew;
    if (master->move.begun_anew > move.begun_anew && !world->plan->loses_logs &&
        world->plan->snapshot_ms > 0)
        complain(world, "steps are taken again, though all logs are there",
                 master->move.begun_anew);
    world->result->faults[SERVER_FAULT_EVENED] += master->move.evened - move.evened;
    if ((world->plan->master_kills && master->move.stage != move.stage && draw(world, 2) == 0) ||
        (world->plan->server_kills && master->move.committed > move.committed &&
         draw(world, 3) == 0))
        die(world, node);
    world->result->faults[SERVER_FAULT_REOPENED] += master->board.reopened - reopened;
    world->result->faults[SERVER_FAULT_LATE] += master->late - late;
    world->result->faults[SERVER_FAULT_COLLECTED_ANEW] +=
        lease != 0 && master->collection.lease != lease;
    if (message->type == MESSAGE_FAILED)
        complain(world, "a role failed", message->failure.status);
}

/* Ends a server's connection. A worker that is frozen does not begin again, and is waited for no
 * longer. */
static void lose_connection(struct world *world, struct node *node, const struct event *event,
                            peer_id peer)
{
    const uint32_t other = world->links.list[event->link].ends[1 - event->side].node;

    server_role_on_disconnect(&node->server, world->time.now, peer, &node->outbox);
    if (other != NOBODY)
        stop_watching(world, node, world->nodes[other]);
}

/* Gives the server a message, and checks its rows at once after another layout. */
static void serve(struct world *world, struct node *node, peer_id from,
                  const struct message *message)
{
    struct server_role *server = &node->server;
    const struct server_layout before = server->layout;
    const uint64_t resets = server->move.resets, clock = server->clock;
    const bool is_back = message->type == MESSAGE_PULL && !message->pull.is_reading &&
                         message->pull.step + 1 == clock && world->plan->lanes;
    const bool was_ready = server->move.state == MOVE_READY;

    if (message->type == MESSAGE_RESUME &&
        (message->resume.layout != before.id || server->move.is_held))
        count(world, SERVER_FAULT_REFUSED);
    server_role_on_message(server, world->time.now, from, message, &node->outbox);
    if (message->type == MESSAGE_LAYOUT)
        check_server(world, server);
    if (is_back && server->steps.has_before)
        count(world, SERVER_FAULT_WENT_BACK);
    if (world->plan->lanes)
        world->result->faults[SERVER_FAULT_STEP] += server->clock == clock + 1;
    if (server->layout.id == before.id)
        return;
    if (world->plan->server_kills && draw(world, 6) == 0)
        die(world, node);
    else if (world->plan->server_kills && draw(world, 2) == 0) /* before its snapshot is whole */
        schedule(world, world->time.now + 1 + (int64_t)draw(world, AFTER_MOVE_MS), END,
                 world->servers[node->index]);
    if (world->nodes[world->servers[node->index]] == node)
        memset(world->is_computing[node->index], 0,
               node->index ? sizeof world->is_computing[node->index] : sizeof world->is_computing);
    world->result->faults[SERVER_FAULT_USELESS] += server->move.resets - resets;
    world->result->faults[SERVER_FAULT_USED] +=
        !was_ready && clock > 0 && server->clock == clock && server->move.resets == resets;
    world->result->faults[SERVER_FAULT_LATE_LAYOUT] +=
        was_ready && server->layout.id >> 32 < message->epoch >> 32;
}

static void deliver(struct world *world, struct node *node, const struct event *event)
{
    struct link_end *end = &world->links.list[event->link].ends[event->side];
    const peer_id peer = end->peer;
    struct message message;
    struct error err;

    if (event->kind == CLOSED) {
        end->is_open = false;
        if (node->kind == MASTER)
            shard_master_on_disconnect(&node->master, world->time.now, peer, &node->outbox);
        else if (node->kind == WORKER)
            push_worker_on_disconnect(&node->worker, world->time.now, peer, &node->outbox);
        else
            lose_connection(world, node, event, peer);
        return;
    }
    if (message_read(event->moment.bytes, &message, &err) != STATUS_OK)
        complain(world, "a frame is not read by node", event->node);
    else if (node->kind == MASTER)
        lead(world, node, peer, &message);
    else if (node->kind == WORKER)
        push_worker_on_message(&node->worker, world->time.now, peer, &message, &node->outbox);
    else
        serve(world, node, peer, &message);
}

/* A push of a worker is on its way into the server's rows. */
static void deliver_watched(struct world *world, struct node *node, const struct event *event)
{
    const uint32_t sender = world->links.list[event->link].ends[1 - event->side].node;
    const uint64_t pushes = node->server.counts.pushes, repeated = node->server.counts.repeated;
    const uint64_t waits = node->server.counts.waits;
    const bool is_snapshot_on = node->server.snapshot.is_on;

    deliver(world, node, event);
    if (node->kind != SERVER)
        return;
    if (event->kind == CLOSED && sender != NOBODY)
        stop_watching(world, node, world->nodes[sender]);
    world->result->faults[SERVER_FAULT_REPEATED] += node->server.counts.repeated - repeated;
    world->result->faults[SERVER_FAULT_WAITED] += node->server.counts.waits - waits;
    if (node->server.counts.pushes == pushes)
        return;
    world->result->faults[SERVER_FAULT_BUSY] += is_snapshot_on;
    /* A push over a connection that is lost is not counted: it comes on top. */
    if (world->links.list[event->link].ends[1 - event->side].is_open &&
        world->nodes[world->servers[node->index]] == node && world->nodes[sender]->kind == WORKER &&
        world->nodes[world->workers[world->nodes[sender]->index]] == world->nodes[sender])
        note_push(world, node->index, world->nodes[sender]->index);
}

/* Lets a master's time pass, and counts the changes that it makes by itself. */
static void lead_on(struct world *world, struct node *node)
{
    shard_master_on_tick(&node->master, world->time.now, &node->outbox);
    world->result->faults[SERVER_FAULT_MOVE] += node->master.move.begun - node->moves_begun;
    world->result->faults[SERVER_FAULT_MOVE_GIVEN_UP] +=
        node->master.move.aborted - node->moves_given_up;
    node->moves_begun = node->master.move.begun;
    node->moves_given_up = node->master.move.aborted;
}

static void tick(struct world *world, struct node *node, uint32_t number)
{
    if (node->kind == MASTER)
        lead_on(world, node);
    else if (node->kind == WORKER)
        push_worker_on_tick(&node->worker, world->time.now, &node->outbox);
    else
        server_role_on_tick(&node->server, world->time.now, &node->outbox);
    schedule(world, world->time.now + TICK_MS, TICK, number);
}

/* A batch that is to be computed. */
static void count_copies(struct world *world, const struct push_worker *worker)
{
    bool are_some = false;

    for (uint32_t i = 0; worker->state == PUSH_COMPUTING && i < worker->row_count; i++)
        are_some |= worker->copied[i];
    world->result->faults[SERVER_FAULT_COPIED] += are_some;
}

static void work(struct world *world, struct node *node)
{
    node->has_work = false;
    if (!node_has_work(node))
        return;
    if (node->kind == WORKER) {
        count_copies(world, &node->worker);
        push_worker_work(&node->worker, world->time.now, &node->outbox);
    } else {
        server_save_work(&node->server, world->time.now, &node->outbox);
    }
}

static bool happens_to_node(struct world *world, struct event *event)
{
    struct node *node = world->nodes[event->node];
    const bool is_of_link = event->kind == FRAME || event->kind == CLOSED;

    if (!node->is_alive ||
        (is_of_link && !world->links.list[event->link].ends[event->side].is_open))
        return true;
    if (node->frozen_until > world->time.now) {
        timeline_put_off(&world->time, event, node->frozen_until);
        return false;
    }
    if (is_of_link)
        deliver_watched(world, node, event);
    else if (event->kind == TICK)
        tick(world, node, event->node);
    else
        work(world, node);
    carry_out(world, event->node);
    return true;
}

/* Its launcher ends it; one that is wanted again by then follows. */
static void end_one(struct world *world, uint32_t number)
{
    struct node *node = world->nodes[number];

    if (!node->is_alive)
        return;
    node->is_alive = false;
    carry_out(world, number);
    if (node->kind == SERVER && world->servers[node->index] == number)
        start_later(world, SERVER, node->index);
}

static bool happens(void *context, void *what)
{
    struct world *world = context;
    struct event *event = what;

    switch (event->kind) {
    case END:
        end_one(world, event->node);
        return true;
    case KILL:
        kill_one(world, event->of);
        return true;
    case FREEZE:
        freeze_one(world);
        return true;
    case CUT:
        cut_one(world);
        return true;
    case CUT_OFF:
        cut_off_one(world);
        return true;
    case LEAVE:
        leave_one(world);
        return true;
    case SCALE:
        scale_servers(world);
        return true;
    case START:
        start(world, event);
        return true;
    default:
        return happens_to_node(world, event);
    }
}

static void world_close(struct world *world)
{
    for (uint32_t n = 0; n < world->node_count; n++) {
        struct node *node = world->nodes[n];

        if (node->kind == MASTER)
            shard_master_deinit(&node->master);
        else if (node->kind == WORKER)
            push_worker_deinit(&node->worker);
        else
            server_role_deinit(&node->server);
        outbox_deinit(&node->outbox);
        free(node);
    }
    for (uint32_t s = 0; s < SERVERS_MAX; s++) {
        text_deinit(&world->stores[s].pieces);
        text_deinit(&world->stores[s].whole);
        (void)forget_log(world->stores + s, 0, UINT64_MAX);
        free(world->stores[s].log);
    }
    free(world->step_states);
    text_deinit(&world->checkpoint.pieces);
    timeline_close(&world->time);
    free(world);
}

enum status server_world_run(const struct server_plan *plan, struct server_result *result,
                             struct error *err)
{
    struct world *world = calloc(1, sizeof *world);
    enum status status;

    if (!world)
        return fail_no_memory(err);
    world->plan = plan;
    world->result = result;
    world->links.time = &world->time;
    world->links.plan = plan_arrival;
    world->links.world = world;
    timeline_open(&world->time, &(struct timeline_options){.seed = plan->seed,
                                                           .stream = 9,
                                                           .event_size = sizeof(struct event),
                                                           .ticks_per_ms = 1,
                                                           .verbose = plan->verbose});
    for (uint32_t s = 0; s < SERVERS_MAX; s++) {
        text_init(&world->stores[s].pieces, TEXT_MAXIMUM);
        text_init(&world->stores[s].whole, TEXT_MAXIMUM);
    }
    if (plan->lanes)
        take_all_steps(world);
    text_init(&world->checkpoint.pieces, TEXT_MAXIMUM);
    world->wanted_servers = plan->servers;
    start_master(world);
    run_servers(world, plan->servers, plan->servers);
    for (uint32_t w = 0; w < plan->workers; w++)
        start_worker(world, w);
    plan_mishaps(world);
    timeline_run(&world->time, END_MS, happens, world);
    if (!world->time.has_ended)
        complain(world, "the job does not end; so many shards are done",
                 world->nodes[world->master]->master.board.done);
    result->end_ms += (uint64_t)world->time.now;
    status = world->time.failure.status;
    if (status != STATUS_OK && err)
        *err = world->time.failure;
    world_close(world);
    return status;
}
