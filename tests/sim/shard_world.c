#include "tests/sim/shard_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/score/ledger.h"
#include "tests/sim/timeline.h"

#define ROWS_MAX    2048
#define WORKERS_MAX 16
#define NODES_MAX   8192
#define LEASE_MS    200
#define BEAT_MS     20
#define END_MS      3600000
#define QUEUE_MAX   8

enum kind { ASK, LEASE, BEAT, DONE, WORKED, TICK, DEATH, FREEZE, GONE, START };

struct event {
    struct moment moment;
    enum kind kind;
    uint32_t node;        /* to which it happens; START: worker's index, or MASTER */
    uint32_t index, from; /* the worker's; the node that says it */
    struct lease lease;
    uint32_t epoch; /* incarnation of the master that gave the lease */
    enum ledger_cause cause;
};
#define MASTER  UINT32_MAX
#define NO_NODE UINT32_MAX

/* One process: a restarted role is a new node. */
struct node {
    bool is_alive;
    int64_t frozen_until;
    uint32_t index; /* MASTER */
    /* a worker: */
    uint32_t epoch; /* epoch of the leases that it has */
    struct lease queue[QUEUE_MAX];
    uint32_t queued;
    uint64_t working; /* lease id; 0: nothing */
    /* a master: */
    uint32_t incarnation;
    struct ledger *ledger;
    uint32_t members[WORKERS_MAX]; /* the node that each index is, as it knows */
    struct {
        struct lease lease;
        int64_t until;                /* its worker is to say before then that it goes on */
    } given[WORKERS_MAX * QUEUE_MAX]; /* by slot; some of them have ended */
};

struct world {
    const struct shard_plan *plan;
    struct node nodes[NODES_MAX];
    uint32_t node_count, master, workers[WORKERS_MAX]; /* now */
    struct timeline time;                              /* in milliseconds */
    bool is_deadly[ROWS_MAX];
    uint32_t torn; /* stores that the master's death still may meet */
    /* the store: what survives every process */
    uint32_t claim;
    bool is_done[ROWS_MAX], is_bad[ROWS_MAX];
    struct settled_rows settled[ROWS_MAX];
    uint32_t settled_count;
    struct shard_result *result;
};

static uint64_t draw(struct world *world, uint64_t below)
{
    return timeline_draw(&world->time, below);
}

static void complain(struct world *world, const char *what, uint64_t which)
{
    timeline_fail(&world->time, "%s: %llu", what, (unsigned long long)which);
}

static void schedule(struct world *world, int64_t after_ms, const struct event *event)
{
    struct event *planned =
        timeline_plan(&world->time, world->time.now + after_ms, (struct slice){NULL, 0});
    const struct moment moment = planned->moment;

    *planned = *event;
    planned->moment = moment;
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
    if (ledger_new(&options, &node->ledger, &world->time.failure) != STATUS_OK)
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
        world->time.has_ended = true;
}

static void master_lose_worker(struct world *world, uint32_t number, uint32_t index,
                               enum ledger_cause cause)
{
    struct node *master = &world->nodes[number];
    enum ledger_outcome outcome;
    struct lease blamed;

    master->members[index] = NO_NODE;
    if (ledger_worker_gone(master->ledger, index, cause, &blamed, &outcome, &world->time.failure) !=
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
    if (master->members[ask->index] != ask->from ||
        ledger_claim(master->ledger, ask->index, world->time.now, &lease.lease, &retry_at) !=
            LEDGER_LEASED)
        return;
    master->given[lease.lease.slot].lease = lease.lease;
    master->given[lease.lease.slot].until = world->time.now + LEASE_MS;
    send(world, &lease);
}

static bool holds(const struct node *master, uint32_t index, const struct lease *lease)
{
    return ledger_holds(master->ledger, index, lease->id, lease->slot);
}

/* The lease that is overdue longest; NULL when none is. */
static const struct lease *find_overdue(const struct world *world, const struct node *master)
{
    const struct lease *found = NULL;
    int64_t earliest = world->time.now + 1;

    for (uint32_t slot = 0; slot < WORKERS_MAX * QUEUE_MAX; slot++) {
        const struct lease *given = &master->given[slot].lease;

        if (given->id == 0 || master->given[slot].until >= earliest ||
            !holds(master, given->worker, given))
            continue;
        earliest = master->given[slot].until;
        found = given;
    }
    return found;
}

/* From any process: only the lease counts here. */
static void master_hears_done(struct world *world, uint32_t number, const struct event *done)
{
    struct node *master = &world->nodes[number];
    struct lease lease;

    if (ledger_complete(master->ledger, done->index, done->lease.id, done->lease.slot,
                        world->time.now, &lease, NULL) != STATUS_OK) {
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
    const struct lease *lease;

    while (master->is_alive && (lease = find_overdue(world, master)) != NULL) {
        const uint32_t member = master->members[lease->worker];

        master_lose_worker(world, number, lease->worker, LEDGER_LOST);
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
        node->frozen_until = world->time.now + 50 + (int64_t)draw(world, 1500);
        TRACE(world, "node %u freezes", number);
        world->result
            ->faults[node->index == MASTER ? SHARD_FAULT_MASTER_FREEZE : SHARD_FAULT_FREEZE]++;
        if (node->index == MASTER) /* the launcher does not wait for it */
            schedule(world, 100, &(struct event){.kind = START, .index = MASTER});
    } else if (node->frozen_until > world->time.now) {
        schedule(world, node->frozen_until - world->time.now + (int64_t)draw(world, 3), event);
    } else if (node->index == MASTER) {
        if (event->kind == TICK)
            master_tick(world, number);
        else if (event->kind == ASK)
            master_asked(world, number, event);
        else if (event->kind == DONE)
            master_hears_done(world, number, event);
        else if (event->kind == BEAT && holds(node, event->index, &event->lease))
            node->given[event->lease.slot].until = world->time.now + LEASE_MS;
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

static bool happen(void *self, void *happening)
{
    struct world *world = self;
    const struct event *event = happening;
    uint32_t node = event->node;

    if (event->kind == START) {
        if (event->index == MASTER)
            start_master(world);
        else
            start_worker(world, event->index);
        return true;
    }
    if (event->kind == GONE || node == MASTER) /* the node that is the master now */
        node = world->master;
    else if ((event->kind == DEATH || event->kind == FREEZE) && node == NODES_MAX)
        node = some_worker(world);
    happen_to_node(world, node, event);
    return true;
}

static void plan_mishaps(struct world *world, uint32_t count, const struct event *event)
{
    for (uint32_t i = 0; i < count; i++)
        schedule(world, (int64_t)draw(world, (uint64_t)world->plan->table.span_ms), event);
}

static void begin(struct world *world)
{
    const struct shard_plan *plan = world->plan;

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
    timeline_run(&world->time, END_MS, happen, world);
    if (world->time.has_ended)
        check_rows(world);
    else
        complain(world, "the job does not end; ranges settled", world->settled_count);
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
    timeline_open(&world->time, &(struct timeline_options){.seed = plan->table.seed,
                                                           .stream = 3,
                                                           .event_size = sizeof(struct event),
                                                           .ticks_per_ms = 1,
                                                           .verbose = plan->table.verbose});
    run(world);
    timeline_close(&world->time);
    *err = world->time.failure;
    status = err->status;
    free(world);
    return status;
}
