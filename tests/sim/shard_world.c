#include "tests/sim/shard_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "runtime/score/deadlines.h"
#include "runtime/score/ledger.h"

#define ROWS_MAX    2048
#define WORKERS_MAX 16
#define NODES_MAX   8192
#define EVENTS_MAX  65536
#define LEASE_MS    200
#define BEAT_MS     20
#define END_MS      3600000
#define QUEUE_MAX   8

enum kind { ASK, LEASE, BEAT, DONE, WORKED, TICK, DEATH, FREEZE, GONE, START };

struct event {
    enum kind kind;
    uint32_t node;        /* to which it happens; START: worker's index, or MASTER */
    uint32_t index, from; /* the worker's; the node that says it */
    struct lease lease;
    uint32_t epoch; /* incarnation of the master that gave the lease */
    enum ledger_cause cause;
    uint32_t next; /* of the free ones */
};
#define MASTER  UINT32_MAX
#define NO_NODE UINT32_MAX

/* One process: a restarted role is a new node. */
struct node {
    bool is_alive;
    int64_t frozen_until;
    uint32_t index; /* MASTER */
    /* a worker: */
    uint32_t epoch; /* of the leases that it has */
    struct lease queue[QUEUE_MAX];
    uint32_t queued;
    uint64_t working; /* lease id; 0: nothing */
    /* a master: */
    uint32_t incarnation;
    struct ledger *ledger;
    uint32_t members[WORKERS_MAX]; /* the node that each index is, as it knows */
};

struct world {
    const struct shard_plan *plan;
    struct node nodes[NODES_MAX];
    uint32_t node_count, master, workers[WORKERS_MAX]; /* now */
    struct event events[EVENTS_MAX];
    struct deadlines queue; /* of events */
    uint32_t free_event;
    int64_t now;
    uint64_t draws;
    bool is_deadly[ROWS_MAX];
    uint32_t torn; /* stores that the master's death still may meet */
    /* the store: what survives every process */
    uint32_t claim;
    bool is_done[ROWS_MAX], is_bad[ROWS_MAX];
    struct settled_rows settled[ROWS_MAX];
    uint32_t settled_count;
    bool has_ended;
    struct shard_result *result;
    struct error failure;
};

static uint64_t draw(struct world *world, uint64_t below)
{
    return random_bits(world->plan->table.seed, RANDOM_SIMULATION, world->draws++, 3) % below;
}

static void complain(struct world *world, const char *what, uint64_t which)
{
    history_fails(&world->failure, world->now, what, which);
}

static void schedule(struct world *world, int64_t after_ms, const struct event *event)
{
    const uint32_t key = world->free_event;

    if (key == NO_NODE) {
        complain(world, "too many events", EVENTS_MAX);
        return;
    }
    world->free_event = world->events[key].next;
    world->events[key] = *event;
    deadlines_put(&world->queue, key, world->now + after_ms);
}

/* Over the network: perhaps not at all, perhaps twice, in any order. */
static void send(struct world *world, const struct event *event)
{
    world->result->messages++;
    if (draw(world, 1000) < world->plan->losses) {
        world->result->faults[SHARD_FAULT_LOSS]++;
        return;
    }
    schedule(world, 1 + (int64_t)draw(world, 8), event);
    if (draw(world, 1000) < world->plan->repeats) {
        world->result->faults[SHARD_FAULT_REPEAT]++;
        schedule(world, 1 + (int64_t)draw(world, 100), event);
    }
}

/* ------------------------------------------------------------ the store */

static bool is_newest(struct world *world, const struct node *master)
{
    if (world->claim == master->incarnation)
        return true;
    world->result->stale_masters++;
    return false;
}

/* One transaction: the results of the rows, and that they are done. */
static void store_rows(struct world *world, const struct lease *lease, bool is_bad)
{
    for (uint64_t row = lease->first; row < lease->first + lease->count; row++) {
        if (world->is_done[row] || world->is_bad[row])
            complain(world, "a second result for row", row);
        if (world->is_deadly[row] != is_bad)
            complain(world, is_bad ? "a good row is said to be bad" : "a deadly row was scored",
                     row);
        *(is_bad ? &world->is_bad[row] : &world->is_done[row]) = true;
    }
    world->settled[world->settled_count++] =
        (struct settled_rows){.first = lease->first, .count = lease->count, .is_bad = is_bad};
}

static int by_first(const void *a, const void *b)
{
    const struct settled_rows *left = a, *right = b;

    return (left->first > right->first) - (left->first < right->first);
}

/* ------------------------------------------------------------ processes */

static uint32_t node_new(struct world *world, uint32_t index)
{
    if (world->node_count == NODES_MAX) {
        complain(world, "too many processes", NODES_MAX);
        return 0;
    }
    world->nodes[world->node_count] = (struct node){.is_alive = true, .index = index};
    schedule(world, 0, &(struct event){.kind = TICK, .node = world->node_count});
    return world->node_count++;
}

static void start_worker(struct world *world, uint32_t index)
{
    world->workers[index] = node_new(world, index);
    TRACE(world, "worker %u starts as %u", index, world->workers[index]);
}

static void start_master(struct world *world)
{
    struct node *node = &world->nodes[world->master = node_new(world, MASTER)];
    struct ledger_options options = {.rows = world->plan->table.rows,
                                     .shard_rows = world->plan->table.shard_rows,
                                     .workers_max = world->plan->table.workers,
                                     .leases_per_worker = world->plan->table.leases_per_worker,
                                     .suspects_max = 256,
                                     .backup_ms = 10,
                                     .settled = world->settled,
                                     .settled_count = world->settled_count};

    qsort(world->settled, world->settled_count, sizeof *world->settled, by_first);
    node->incarnation = ++world->claim;
    options.first_lease = (uint64_t)node->incarnation << 32;
    memset(node->members, 0xff, sizeof node->members);
    if (ledger_new(&options, &node->ledger, &world->failure) != STATUS_OK)
        return;
    world->result->masters++;
    TRACE(world, "master %u starts; %u ranges are settled", node->incarnation,
          world->settled_count);
}

/* The launcher sees a process end, says so, and starts the next one after that. */
static void die(struct world *world, uint32_t number, enum ledger_cause cause)
{
    struct node *node = &world->nodes[number];
    const bool is_current =
        node->index == MASTER ? world->master == number : world->workers[node->index] == number;

    if (!node->is_alive)
        return;
    TRACE(world, "%s %u dies%s", node->index == MASTER ? "master" : "worker node", number,
          cause == LEDGER_CRASHED ? " of a row" : "");
    node->is_alive = false;
    if (node->index == MASTER) {
        struct ledger_counts counts = ledger_counts(node->ledger);

        world->result->leases += counts.leases;
        world->result->backups += counts.backups;
        world->result->halved += counts.halved;
        ledger_free(node->ledger);
        node->ledger = NULL;
    } else {
        schedule(
            world, 1,
            &(struct event){.kind = GONE, .index = node->index, .from = number, .cause = cause});
    }
    if (is_current)
        schedule(world, 2 + (int64_t)draw(world, 30),
                 &(struct event){.kind = START, .index = node->index});
}

/* ------------------------------------------------------------ the master */

/* False when the master dies at that moment, or is not the master any more. */
static bool master_store(struct world *world, uint32_t number, const struct lease *lease,
                         bool is_bad)
{
    const bool dies = world->torn > 0 && draw(world, 20) == 0;
    const bool stores = !dies || draw(world, 2) == 0;

    if (!is_newest(world, &world->nodes[number])) {
        die(world, number, LEDGER_LOST);
        return false;
    }
    if (stores)
        store_rows(world, lease, is_bad);
    if (dies) {
        world->result->faults[stores ? SHARD_FAULT_TORN_AFTER : SHARD_FAULT_TORN_STORE]++;
        world->torn--;
        die(world, number, LEDGER_LOST);
    }
    return !dies;
}

static void master_check_end(struct world *world, const struct node *master)
{
    if (ledger_is_finished(master->ledger) && world->claim == master->incarnation)
        world->has_ended = true;
}

static void master_lose_worker(struct world *world, uint32_t number, uint32_t index,
                               enum ledger_cause cause)
{
    struct node *master = &world->nodes[number];
    enum ledger_outcome outcome;
    struct lease blamed;

    master->members[index] = NO_NODE;
    if (ledger_worker_gone(master->ledger, index, cause, &blamed, &outcome, &world->failure) !=
        STATUS_OK)
        return;
    if (outcome == LEDGER_HALVED || outcome == LEDGER_BAD)
        TRACE(world, "rows %llu + %u: %s", (unsigned long long)blamed.first, blamed.count,
              outcome == LEDGER_BAD ? "bad" : "halved");
    if (outcome == LEDGER_BAD && master_store(world, number, &blamed, true)) {
        world->result->bad++;
        master_check_end(world, master);
    }
}

static void master_asked(struct world *world, uint32_t number, const struct event *ask)
{
    struct node *master = &world->nodes[number];
    struct event lease = {.kind = LEASE, .node = ask->from, .epoch = master->incarnation};
    int64_t retry_at;

    if (master->members[ask->index] == NO_NODE ||
        master->members[ask->index] < ask->from) { /* the first, or a later process */
        if (master->members[ask->index] != NO_NODE)
            master_lose_worker(world, number, ask->index, LEDGER_LOST);
        if (!master->is_alive)
            return;
        master->members[ask->index] = ask->from;
    }
    if (master->members[ask->index] == ask->from &&
        ledger_claim(master->ledger, ask->index, world->now, world->now + LEASE_MS, &lease.lease,
                     &retry_at) == LEDGER_LEASED)
        send(world, &lease);
}

/* From any process: only the lease counts here. */
static void master_hears_done(struct world *world, uint32_t number, const struct event *done)
{
    struct node *master = &world->nodes[number];
    struct lease lease;

    if (ledger_complete(master->ledger, done->index, done->lease.id, done->lease.slot, world->now,
                        &lease, NULL) != STATUS_OK) {
        world->result->stale++;
        return;
    }
    if (lease.first != done->lease.first || lease.count != done->lease.count)
        complain(world, "the lease is of other rows", lease.id);
    if (master_store(world, number, &lease, false))
        master_check_end(world, master);
}

/* A worker that does not get on is replaced. Only so is it certain that what it
 * dies of later is not blamed on what it was given since. */
static void master_tick(struct world *world, uint32_t number)
{
    struct node *master = &world->nodes[number];
    struct lease lease;

    while (master->is_alive && ledger_overdue(master->ledger, world->now, &lease)) {
        const uint32_t member = master->members[lease.worker];

        master_lose_worker(world, number, lease.worker, LEDGER_LOST);
        if (member != NO_NODE)
            schedule(world, 1 + (int64_t)draw(world, 300),
                     &(struct event){.kind = DEATH, .node = member, .cause = LEDGER_LOST});
    }
    if (master->is_alive) /* all may have been settled before it began */
        master_check_end(world, master);
    schedule(world, 10, &(struct event){.kind = TICK, .node = number});
}

/* ------------------------------------------------------------ a worker */

static void worker_send(struct world *world, uint32_t number, enum kind kind,
                        const struct lease *lease)
{
    struct node *worker = &world->nodes[number];

    send(world, &(struct event){.kind = kind,
                                .node = world->master,
                                .index = worker->index,
                                .from = number,
                                .lease = *lease});
}

static void worker_begin(struct world *world, uint32_t number)
{
    struct node *worker = &world->nodes[number];
    const struct lease *lease = &worker->queue[0];
    const int64_t slowness = worker->index < world->plan->table.slow_workers ? 30 : 1;

    if (worker->working || worker->queued == 0)
        return;
    world->result->faults[SHARD_FAULT_SLOW] += slowness > 1;
    worker->working = lease->id;
    schedule(world, (1 + lease->count / 4 + (int64_t)draw(world, 4)) * slowness,
             &(struct event){.kind = WORKED, .node = number, .lease = *lease});
}

static void worker_got_lease(struct world *world, uint32_t number, const struct event *event)
{
    struct node *worker = &world->nodes[number];

    if (event->epoch < worker->epoch || worker->queued == QUEUE_MAX)
        return;
    if (event->epoch > worker->epoch) { /* a new master knows nothing of the old leases */
        worker->epoch = event->epoch;
        worker->queued = 0;
        worker->working = 0;
    }
    worker->queue[worker->queued++] = event->lease;
    worker_begin(world, number);
}

static void worker_worked(struct world *world, uint32_t number, const struct event *event)
{
    struct node *worker = &world->nodes[number];

    if (worker->working != event->lease.id)
        return; /* it was dropped meanwhile */
    for (uint32_t i = 0; i < event->lease.count; i++)
        if (world->is_deadly[event->lease.first + i]) {
            world->result->faults[SHARD_FAULT_DEADLY_ROW]++;
            die(world, number, LEDGER_CRASHED);
            return;
        }
    worker_send(world, number, DONE, &event->lease);
    worker->working = 0;
    worker->queued--;
    memmove(worker->queue, worker->queue + 1, worker->queued * sizeof *worker->queue);
    worker_begin(world, number);
}

static void worker_tick(struct world *world, uint32_t number)
{
    struct node *worker = &world->nodes[number];

    for (uint32_t i = 0; i < worker->queued; i++)
        worker_send(world, number, BEAT, &worker->queue[i]);
    if (worker->queued < 2)
        worker_send(world, number, ASK, &(struct lease){.id = 0});
    schedule(world, BEAT_MS, &(struct event){.kind = TICK, .node = number});
}

/* ------------------------------------------------------------ the world */

static void happen_to_node(struct world *world, uint32_t number, const struct event *event)
{
    struct node *node = &world->nodes[number];

    if (!node->is_alive)
        return;
    if (event->kind == DEATH) {
        world->result->faults[node->index == MASTER         ? SHARD_FAULT_MASTER_KILL
                              : event->cause == LEDGER_LOST ? SHARD_FAULT_KILL
                                                            : SHARD_FAULT_CRASH]++;
        die(world, number, event->cause);
    } else if (event->kind == FREEZE) {
        node->frozen_until = world->now + 50 + (int64_t)draw(world, 1500);
        TRACE(world, "node %u freezes", number);
        world->result
            ->faults[node->index == MASTER ? SHARD_FAULT_MASTER_FREEZE : SHARD_FAULT_FREEZE]++;
        if (node->index == MASTER) /* the launcher does not wait for it */
            schedule(world, 100, &(struct event){.kind = START, .index = MASTER});
    } else if (node->frozen_until > world->now) {
        schedule(world, node->frozen_until - world->now + (int64_t)draw(world, 3), event);
    } else if (node->index == MASTER) {
        if (event->kind == TICK)
            master_tick(world, number);
        else if (event->kind == ASK)
            master_asked(world, number, event);
        else if (event->kind == DONE)
            master_hears_done(world, number, event);
        else if (event->kind == BEAT)
            ledger_renew(node->ledger, event->index, event->lease.id, event->lease.slot,
                         world->now + LEASE_MS, NULL);
        else if (event->kind == GONE && node->members[event->index] == event->from)
            master_lose_worker(world, number, event->index, event->cause);
    } else if (event->kind == TICK) {
        worker_tick(world, number);
    } else if (event->kind == LEASE) {
        worker_got_lease(world, number, event);
    } else if (event->kind == WORKED) {
        worker_worked(world, number, event);
    }
}

static uint32_t some_worker(struct world *world)
{
    return world->workers[draw(world, world->plan->table.workers)];
}

static void happen(struct world *world, const struct event *event)
{
    uint32_t node = event->node;

    if (event->kind == START) {
        if (event->index == MASTER)
            start_master(world);
        else
            start_worker(world, event->index);
        return;
    }
    if (event->kind == GONE || node == MASTER) /* the node that is the master now */
        node = world->master;
    else if ((event->kind == DEATH || event->kind == FREEZE) && node == NODES_MAX)
        node = some_worker(world);
    happen_to_node(world, node, event);
}

static void plan_mishaps(struct world *world, uint32_t count, const struct event *event)
{
    for (uint32_t i = 0; i < count; i++)
        schedule(world, (int64_t)draw(world, (uint64_t)world->plan->table.span_ms), event);
}

static void begin(struct world *world)
{
    const struct shard_plan *plan = world->plan;

    for (uint32_t i = EVENTS_MAX; i-- > 0;) {
        world->events[i].next = world->free_event;
        world->free_event = i;
    }
    for (uint32_t i = 0; i < plan->table.deadly_rows; i++)
        world->is_deadly[draw(world, plan->table.rows)] = true;
    start_master(world);
    for (uint32_t index = 0; index < plan->table.workers; index++)
        start_worker(world, index);
    plan_mishaps(world, plan->kills,
                 &(struct event){.kind = DEATH, .node = NODES_MAX, .cause = LEDGER_LOST});
    plan_mishaps(world, plan->crashes,
                 &(struct event){.kind = DEATH, .node = NODES_MAX, .cause = LEDGER_CRASHED});
    plan_mishaps(world, plan->table.freezes, &(struct event){.kind = FREEZE, .node = NODES_MAX});
    plan_mishaps(world, plan->table.master_kills, &(struct event){.kind = DEATH, .node = MASTER});
    plan_mishaps(world, plan->table.master_freezes,
                 &(struct event){.kind = FREEZE, .node = MASTER});
}

static void check_rows(struct world *world)
{
    for (uint32_t row = 0; row < world->plan->table.rows; row++) {
        if (!world->is_done[row] && !world->is_bad[row])
            complain(world, "the job has ended without row", row);
        if (world->is_bad[row] != world->is_deadly[row])
            complain(world, "not found, or found without reason, to be bad: row", row);
    }
}

static void run(struct world *world)
{
    begin(world);
    while (!world->has_ended && world->failure.status == STATUS_OK) {
        const uint32_t key = deadlines_first(&world->queue);
        const struct event event = world->events[key];

        world->now = world->queue.at[key];
        deadlines_remove(&world->queue, key);
        world->events[key].next = world->free_event;
        world->free_event = key;
        happen(world, &event);
        if (world->now > END_MS)
            complain(world, "the job does not end; ranges settled", world->settled_count);
    }
    if (world->has_ended)
        check_rows(world);
    for (uint32_t i = 0; i < world->node_count; i++)
        if (world->nodes[i].is_alive && world->nodes[i].ledger)
            die(world, i, LEDGER_LOST);
}

enum status shard_world_run(const struct shard_plan *plan, struct shard_result *result,
                            struct error *err)
{
    struct world *world = calloc(1, sizeof *world);
    enum status status;

    if (!world || plan->table.rows > ROWS_MAX || plan->table.workers > WORKERS_MAX)
        abort();
    world->plan = plan;
    world->result = result;
    world->torn = plan->table.torn_stores;
    world->free_event = NO_NODE;
    error_clear(&world->failure);
    if (deadlines_init(&world->queue, EVENTS_MAX, &world->failure) == STATUS_OK)
        run(world);
    deadlines_deinit(&world->queue);
    *err = world->failure;
    status = err->status;
    free(world);
    return status;
}
