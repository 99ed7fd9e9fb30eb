#include "tests/sim/score_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "runtime/data/store/shardstore.h"
#include "runtime/score/dispatch.h"
#include "runtime/score/scorer_role.h"
#include "runtime/train/master/master.h"
#include "tests/sim/links.h"

#define ROWS_MAX    2048
#define WORKERS_MAX 16
#define NODES_MAX   4096
#define TICK_MS     10
#define DEAD_MS     200
#define MISSED_MS   100
#define PIECE_ROWS  4
#define FROZEN_MS   850 /* at most */
#define END_MS      3600000
#define NOBODY      UINT32_MAX

enum happening { FRAME, CLOSED, TICK, WORK, READ, KILL, LEAVE, FREEZE, CUT, START, START_MASTER };

struct event {
    struct moment moment; /* with its bytes: FRAME */
    enum happening kind;
    uint32_t node, link, side; /* START: node is the worker's index */
};

struct world;

/* Scores by making up a value; one row may be its last. Where it stages, a thread of its own reads
 * a shard and stores it. */
struct toy {
    struct world *world;
    uint32_t node;
    uint64_t next, end;
    bool is_dead, is_reading;
    struct text results;
};

/* One process: a restarted role is a new node. */
struct node {
    bool is_master, is_alive, has_work;
    bool trains;    /* a master whose rows are staged: `master` leads */
    bool has_ended; /* it was not killed: what its thread reads is stored all the same */
    int64_t frozen_until;
    uint32_t index, incarnation;
    struct dispatch dispatch;
    struct master master;
    struct scorer_role scorer;
    struct toy toy;
    struct outbox outbox;
    peer_id next_accepted;
};

struct world {
    const struct score_plan *plan;
    struct node *nodes[NODES_MAX];
    uint32_t node_count, master, workers[WORKERS_MAX], incarnations[WORKERS_MAX];
    struct links links;
    struct timeline time; /* in milliseconds */
    bool is_deadly[ROWS_MAX];
    uint32_t torn;   /* transactions that a dispatcher's death may still meet */
    uint32_t unsaid; /* shards over which a worker may still die when they are stored */
    /* the store: what survives everybody */
    uint32_t claim;
    enum shard_state states[ROWS_MAX]; /* LEASED: not settled yet */
    struct settled_rows settled[ROWS_MAX];
    uint32_t settled_count;
    bool is_stored[ROWS_MAX]; /* by the workers that stage; its key is the shard */
    uint32_t stored_count;
    int64_t staged_until; /* all mishaps are over */
    bool has_job;
    struct job_row job;
    struct score_result *result;
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

/* ------------------------------------------------------------ the toy */

static uint64_t value_of(const struct world *world, uint64_t row)
{
    return random_bits(world->plan->table.seed, RANDOM_SIMULATION, row, 6);
}

static enum status toy_begin(void *self, uint64_t first, uint32_t count, struct error *err)
{
    struct toy *toy = self;
    (void)err;

    toy->next = first;
    toy->end = first + count;
    text_clear(&toy->results);
    return STATUS_OK;
}

static enum status toy_score(void *self, bool *is_done, struct error *err)
{
    struct toy *toy = self;
    (void)err;

    for (int i = 0; i < PIECE_ROWS && toy->next < toy->end; i++, toy->next++) {
        if (toy->world->is_deadly[toy->next])
            toy->is_dead = true;
        put_u64(&toy->results, value_of(toy->world, toy->next));
    }
    *is_done = toy->next == toy->end;
    return STATUS_OK;
}

static struct slice toy_results(const void *self)
{
    const struct toy *toy = self;

    return text_slice(&toy->results);
}

/* ----- that stages ----- */

static bool is_slow(const struct world *world, const struct node *node)
{
    return node->index < world->plan->table.slow_workers;
}

/* All but the last, which is settled over them. */
static bool are_others_stored(const struct world *world)
{
    return world->stored_count + 1 >= world->plan->table.rows;
}

static enum status toy_read(void *self, uint64_t first, uint32_t count, struct error *err)
{
    struct toy *toy = self;
    struct world *world = toy->world;
    const int64_t pieces = 1 + (int64_t)(value_of(world, first) % 16);
    const bool slow = is_slow(world, world->nodes[toy->node]);
    (void)err;

    if (count != 1)
        complain(world, "more than a shard in a lease from", first);
    if (toy->is_reading)
        complain(world, "a worker reads two shards at once", first);
    if (first + 1 == world->plan->table.rows && !are_others_stored(world))
        complain(world, "others are settled before they are stored", world->stored_count);
    toy->next = first;
    toy->is_reading = true;
    schedule(world, world->time.now + pieces * (slow ? 30 : 1), READ, toy->node);
    return STATUS_OK;
}

static enum status toy_look(void *self, bool *is_done, struct error *err)
{
    const struct toy *toy = self;
    (void)err;

    *is_done = !toy->is_reading;
    return STATUS_OK;
}

static const struct shard_scoring scoring_toy = {NULL, toy_begin, toy_score, toy_results};
static const struct shard_scoring staging_toy = {NULL, toy_read, toy_look, toy_results};

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

static void connect_master(struct world *world, uint32_t from, peer_id peer)
{
    struct node *master = world->nodes[world->master];

    if (master->is_alive)
        links_connect(&world->links, from, peer, world->master, master->next_accepted++);
    else
        links_connect(&world->links, from, peer, LINK_NOBODY, PEER_NONE);
}

/* ------------------------------------------------------------ the store */

static void settle(struct world *world, const struct shard_head *head, struct slice results)
{
    const bool is_bad = head->state == SHARD_BAD;
    struct byte_reader reader = byte_reader_over(results);

    for (uint64_t row = head->first; row < head->first + head->count; row++) {
        if (world->states[row] != SHARD_LEASED)
            complain(world, "a second result for row", row);
        if (world->plan->stages) {
            if (!world->is_stored[row])
                complain(world, "a shard is done that is not stored", row);
            world->states[row] = (enum shard_state)head->state;
            continue;
        }
        if (world->is_deadly[row] != is_bad)
            complain(world, is_bad ? "a good row is bad" : "a deadly row was scored", row);
        if (!is_bad && read_u64(&reader) != value_of(world, row))
            complain(world, "another row's result for row", row);
        world->states[row] = (enum shard_state)head->state;
    }
    if (!is_bad && !reader_is_done(&reader))
        complain(world, "more results than rows from row", head->first);
    world->settled[world->settled_count++] =
        (struct settled_rows){.first = head->first, .count = head->count, .is_bad = is_bad};
}

static void check_staging(struct world *world, const struct shard_head *head)
{
    if (head->count != 1)
        complain(world, "more than a shard is staged at once from", head->first);
    if (head->state == SHARD_CRASHED || head->state == SHARD_BAD)
        complain(world, "a death is blamed on shard", head->first);
    if (head->state == SHARD_LEASED && head->first + 1 == world->plan->table.rows &&
        world->settled_count + 1 < world->plan->table.rows)
        complain(world, "the last shard is leased before others are done", world->settled_count);
}

static void take_shard(struct world *world, struct slice bytes)
{
    struct score_result *result = world->result;
    struct shard_head head;

    memcpy(&head, bytes.data, sizeof head);
    result->leases += head.state == SHARD_LEASED;
    result->late += head.state == SHARD_LATE;
    result->crashed += head.state == SHARD_CRASHED;
    result->returned += head.state == SHARD_RETURNED;
    result->bad += head.state == SHARD_BAD;
    if (world->plan->stages)
        check_staging(world, &head);
    if (head.state == SHARD_DONE || head.state == SHARD_BAD)
        settle(world, &head, (struct slice){bytes.data + sizeof head, bytes.size - sizeof head});
}

static void take_row(struct world *world, const struct outbox *outbox,
                     const struct outbox_entry *entry)
{
    const struct slice bytes = outbox_bytes(outbox, entry);
    struct event_row event;

    if (entry->kind == OUTBOX_SHARD) {
        take_shard(world, bytes);
    } else if (entry->kind == OUTBOX_JOB) {
        memcpy(&world->job, bytes.data, sizeof world->job);
        world->has_job = true;
        if (world->plan->stages && world->job.state >= JOB_STATE_DONE)
            complain(world, "the job ends, though its rows are only staged", world->job.state);
        world->time.has_ended = world->job.state >= JOB_STATE_DONE;
    } else if (entry->kind == OUTBOX_EVENT) {
        memcpy(&event, bytes.data, sizeof event);
        world->result->backups += strcmp(event.event, "backup") == 0;
        TRACE(world, "%s %lld %s %s", event.role, (long long)event.index, event.event,
              event.detail);
    }
}

static bool is_stored(enum outbox_kind kind)
{
    return kind >= OUTBOX_JOB && kind <= OUTBOX_MODEL;
}

static bool wants_store(const struct outbox *outbox)
{
    for (size_t i = 0; i < outbox->count; i++)
        if (is_stored(outbox->entries[i].kind))
            return true;
    return false;
}

/* ------------------------------------------------------------ processes */

static void carry_out(struct world *world, uint32_t number);

static uint32_t node_new(struct world *world, bool is_master, uint32_t index, uint32_t incarnation)
{
    struct node *node = calloc(1, sizeof *node);

    if (!node || world->node_count == NODES_MAX)
        abort();
    node->is_master = is_master;
    node->is_alive = true;
    node->index = index;
    node->incarnation = incarnation;
    node->next_accepted = 1;
    outbox_init(&node->outbox);
    text_init(&node->toy.results, TEXT_MAXIMUM);
    node->toy.world = world;
    node->toy.node = world->node_count;
    world->nodes[world->node_count] = node;
    schedule(world, world->time.now + (int64_t)draw(world, TICK_MS), TICK, world->node_count);
    return world->node_count++;
}

static void start_worker(struct world *world, uint32_t index)
{
    const uint32_t incarnation = world->incarnations[index]++;
    const uint32_t number = node_new(world, false, index, incarnation);
    struct node *node = world->nodes[number];
    const struct scorer_role_options options = {.job = 1,
                                                .index = index,
                                                .incarnation = incarnation,
                                                .master = "master",
                                                .alive_ms = 50,
                                                .reconnect_ms = 10,
                                                .grace_ms = 1000,
                                                .stages = world->plan->stages};
    struct shard_scoring scoring = world->plan->stages ? staging_toy : scoring_toy;

    scoring.self = &node->toy;
    world->workers[index] = number;
    TRACE(world, "worker %u.%u starts", index, incarnation);
    scorer_role_init(&node->scorer, &options, &scoring, NULL);
    scorer_role_start(&node->scorer, world->time.now, &node->outbox);
    carry_out(world, number);
}

static int by_first(const void *a, const void *b)
{
    const struct settled_rows *left = a, *right = b;

    return (left->first > right->first) - (left->first < right->first);
}

/* Its rows are staged, and stay so. */
static void begin_training(struct world *world, struct node *node)
{
    const struct master_options options = {.crew.job = 1,
                                           .crew.incarnation = node->incarnation,
                                           .crew.min_workers = world->plan->min_workers,
                                           .crew.max_workers = world->plan->table.workers,
                                           .crew.dead_ms = DEAD_MS,
                                           .crew.report_ms = 100,
                                           .crew.facts.previous =
                                               world->has_job ? &world->job : NULL,
                                           .crew.facts.started_at = ""};

    TRACE(world, "master %u trains", node->incarnation);
    node->trains = true;
    if (master_init(&node->master, &options, world->time.now, &node->outbox,
                    &world->time.failure) != STATUS_OK)
        abort();
}

static void begin_dispatching(struct world *world, struct node *node)
{
    const struct score_plan *plan = world->plan;
    struct dispatch_options options = {.crew.job = 1,
                                       .crew.incarnation = node->incarnation,
                                       .crew.min_workers = plan->min_workers,
                                       .crew.max_workers = plan->table.workers,
                                       .rows = plan->table.rows,
                                       .shard_rows = plan->table.shard_rows,
                                       .leases_per_worker = plan->table.leases_per_worker,
                                       .keeps_bad_rows = plan->keeps_bad_rows,
                                       .stages = plan->stages,
                                       .settled = world->settled,
                                       .settled_count = world->settled_count,
                                       .crew.dead_ms = DEAD_MS,
                                       .missed_ms = MISSED_MS,
                                       .backup_ms = 10,
                                       .crew.report_ms = 100,
                                       .crew.facts.previous = world->has_job ? &world->job : NULL,
                                       .crew.facts.started_at = ""};

    if (dispatch_init(&node->dispatch, &options, world->time.now, &node->outbox,
                      &world->time.failure) != STATUS_OK)
        complain(world, world->time.failure.message, node->incarnation);
}

static void start_master(struct world *world)
{
    const uint32_t number = node_new(world, true, 0, ++world->claim);
    struct node *node = world->nodes[number];

    world->master = number;
    world->result->masters++;
    qsort(world->settled, world->settled_count, sizeof *world->settled, by_first);
    TRACE(world, "master %u starts; %u ranges are settled", node->incarnation,
          world->settled_count);
    if (world->plan->stages && world->settled_count == world->plan->table.rows)
        begin_training(world, node);
    else
        begin_dispatching(world, node);
    carry_out(world, number);
}

/* Puts the role that trains in the dispatcher's place, as the process of a master does. */
static void hand_on(struct world *world, struct node *node)
{
    if (!node->is_master || node->trains || !node->dispatch.crew.is_handed_on)
        return;
    dispatch_deinit(&node->dispatch);
    begin_training(world, node);
}

/* Its connections close; the launcher starts the next one after a moment. */
static void die(struct world *world, uint32_t number)
{
    struct node *node = world->nodes[number];
    const int64_t soon = world->time.now + 2 + (int64_t)draw(world, 40);

    if (!node->is_alive)
        return;
    TRACE(world, "%s %u.%u ends", node->is_master ? "master" : "worker", node->index,
          node->incarnation);
    node->is_alive = false;
    outbox_clear(&node->outbox);
    links_close_all(&world->links, number);
    if (world->time.has_ended)
        return;
    if (node->is_master && world->master == number)
        schedule(world, soon, START_MASTER, 0);
    else if (!node->is_master && world->workers[node->index] == number)
        schedule(world, soon, START, node->index);
}

/* Sometimes the old one lives for a while, and thaws as a zombie. */
static void replace(struct world *world, uint32_t index)
{
    const uint32_t old = world->workers[index];

    world->result->replaced++;
    if (!world->nodes[old]->is_alive)
        return;
    if (draw(world, 2) == 0) {
        schedule(world, world->time.now + 1, KILL, old);
        return;
    }
    world->result->faults[SCORE_FAULT_ZOMBIE]++;
    world->workers[index] = NOBODY;
    schedule(world, world->time.now + 1 + (int64_t)draw(world, 500), KILL, old);
    schedule(world, world->time.now + 2, START, index);
}

/* False when nothing of the outbox may leave. */
static bool store(struct world *world, uint32_t number)
{
    struct node *node = world->nodes[number];
    const bool dies = world->torn > 0 && draw(world, 20) == 0;
    bool stores;

    if (!wants_store(&node->outbox))
        return true;
    if (world->claim != node->incarnation) {
        world->result->stale_masters++;
        die(world, number);
        return false;
    }
    stores = !dies || draw(world, 2) == 0;
    for (size_t i = 0; stores && i < node->outbox.count; i++)
        take_row(world, &node->outbox, &node->outbox.entries[i]);
    if (!dies)
        return true;
    world->result->faults[stores ? SCORE_FAULT_TORN_AFTER : SCORE_FAULT_TORN_STORE]++;
    world->torn--;
    die(world, number);
    return false;
}

static void perform(struct world *world, uint32_t number, const struct outbox_entry *entry)
{
    struct node *node = world->nodes[number];
    uint32_t link, side;

    if (entry->kind == OUTBOX_CONNECT)
        connect_master(world, number, entry->peer);
    else if (entry->kind == OUTBOX_SEND &&
             links_find(&world->links, number, entry->peer, &link, &side))
        links_send(&world->links, link, 1 - side, outbox_bytes(&node->outbox, entry));
    else if (entry->kind == OUTBOX_CLOSE &&
             links_find(&world->links, number, entry->peer, &link, &side))
        links_close(&world->links, link, side);
    else if (entry->kind == OUTBOX_REPLACE)
        replace(world, entry->index);
}

static bool has_work(const struct node *node)
{
    return scorer_role_has_work(&node->scorer) && !node->toy.is_reading;
}

static void carry_out(struct world *world, uint32_t number)
{
    struct node *node = world->nodes[number];
    bool ends = false;

    if (node->is_master && !store(world, number))
        return;
    for (size_t i = 0; i < node->outbox.count; i++) {
        perform(world, number, &node->outbox.entries[i]);
        ends = ends || node->outbox.entries[i].kind == OUTBOX_END;
    }
    outbox_clear(&node->outbox);
    if (ends) {
        node->has_ended = true;
        die(world, number);
    } else if (!node->is_master && !node->has_work && has_work(node)) {
        node->has_work = true;
        schedule(world, world->time.now, WORK, number);
    }
}

/* ------------------------------------------------------------ what happens */

static void hear_as_scorer(struct world *world, struct node *node, peer_id from,
                           const struct message *message)
{
    const enum scorer_state before = node->scorer.state;

    scorer_role_on_message(&node->scorer, world->time.now, from, message, &node->outbox);
    if (node->scorer.state != SCORER_STAGED || before == SCORER_STAGED)
        return;
    TRACE(world, "worker %u.%u has heard that all is staged", node->index, node->incarnation);
    world->result->faults[SCORE_FAULT_STAGED]++;
}

static void hear_as_master(struct world *world, struct node *node, peer_id from,
                           const struct message *message)
{
    world->result->faults[SCORE_FAULT_STAGED_LATER] +=
        message->type == MESSAGE_HELLO && message->hello.is_staging;
    master_on_message(&node->master, world->time.now, from, message, &node->outbox);
}

static void hear(struct world *world, const struct event *event)
{
    struct node *node = world->nodes[event->node];
    struct link_end *end = &world->links.list[event->link].ends[event->side];
    struct message message;

    if (!end->is_open)
        return;
    if (event->kind == CLOSED) {
        end->is_open = false;
        if (node->trains)
            master_on_disconnect(&node->master, world->time.now, end->peer, &node->outbox);
        else if (node->is_master)
            dispatch_on_disconnect(&node->dispatch, world->time.now, end->peer, &node->outbox);
        else
            scorer_role_on_disconnect(&node->scorer, world->time.now, end->peer, &node->outbox);
        return;
    }
    world->result->frames++;
    if (message_read(event->moment.bytes, &message, &world->time.failure) != STATUS_OK)
        return;
    if (node->trains)
        hear_as_master(world, node, end->peer, &message);
    else if (node->is_master)
        dispatch_on_message(&node->dispatch, world->time.now, end->peer, &message, &node->outbox);
    else
        hear_as_scorer(world, node, end->peer, &message);
}

static void tick(struct world *world, uint32_t number)
{
    struct node *node = world->nodes[number];

    schedule(world, world->time.now + TICK_MS, TICK, number);
    if (!node->is_master) {
        scorer_role_on_tick(&node->scorer, world->time.now, &node->outbox);
    } else if (world->claim != node->incarnation) { /* it looks now and then */
        world->result->stale_masters++;
        die(world, number);
    } else if (node->trains) {
        master_on_tick(&node->master, world->time.now, &node->outbox);
    } else {
        dispatch_on_tick(&node->dispatch, world->time.now, &node->outbox);
    }
}

/* The end of a piece, which took its time; death comes in the middle of it. */
static void work(struct world *world, uint32_t number)
{
    struct node *node = world->nodes[number];
    const bool slow = is_slow(world, node);

    node->has_work = false;
    if (!has_work(node))
        return;
    scorer_role_work(&node->scorer, world->time.now, &node->outbox);
    world->result->faults[SCORE_FAULT_SLOW] += slow;
    if (node->toy.is_dead) {
        world->result->faults[SCORE_FAULT_DEADLY_ROW]++;
        die(world, number);
        return;
    }
    if (has_work(node)) {
        node->has_work = true;
        schedule(world, world->time.now + (slow ? 30 : 1), WORK, number);
    }
}

/* The end of a transaction, by which a shard is stored, or was already. The worker has not sent
 * that it is done, and may never do so. */
static void store_shard(struct world *world, uint32_t number)
{
    struct node *node = world->nodes[number];
    const uint64_t shard = node->toy.next;

    node->toy.is_reading = false;
    if (shard + 1 == world->plan->table.rows && !are_others_stored(world))
        complain(world, "others are settled before they are stored", world->stored_count);
    TRACE(world, "worker %u.%u stores shard %llu%s", node->index, node->incarnation,
          (unsigned long long)shard, world->is_stored[shard] ? ", which is there" : "");
    world->result->faults[SCORE_FAULT_KEY] += world->is_stored[shard];
    world->stored_count += !world->is_stored[shard];
    world->is_stored[shard] = true;
    if (node->is_alive && world->unsaid > 0 && draw(world, 8) == 0) {
        world->result->faults[SCORE_FAULT_UNSAID]++;
        world->unsaid--;
        die(world, number);
    }
}

static uint32_t random_worker(struct world *world)
{
    return world->workers[draw(world, world->plan->table.workers)];
}

static uint32_t random_live_node(struct world *world, bool is_master)
{
    return is_master ? world->master : random_worker(world);
}

static void freeze(struct world *world, bool is_master)
{
    const uint32_t number = random_live_node(world, is_master);
    const int64_t until = world->time.now + 50 + (int64_t)draw(world, FROZEN_MS - 50);

    if (number == NOBODY || !world->nodes[number]->is_alive)
        return;
    TRACE(world, "%s %u freezes until %lld", is_master ? "master" : "worker node", number,
          (long long)until);
    world->nodes[number]->frozen_until = until;
    world->result->faults[is_master ? SCORE_FAULT_MASTER_FREEZE : SCORE_FAULT_FREEZE]++;
    if (is_master && draw(world, 2) == 0) { /* the launcher thinks it dead */
        world->result->faults[SCORE_FAULT_MASTER_TWICE]++;
        schedule(world, world->time.now + 20, START_MASTER, 0);
    }
}

static void cut(struct world *world)
{
    uint32_t link;

    if (!links_cut_one(&world->links, 20, &link))
        return;
    TRACE(world, "connection %u is cut", link);
    world->result->faults[SCORE_FAULT_CUT]++;
}

static void mishap(struct world *world, const struct event *event)
{
    const bool is_master = event->node == 1;
    const uint32_t number = random_live_node(world, is_master);
    struct node *node = number == NOBODY ? NULL : world->nodes[number];

    if (event->kind == FREEZE) {
        freeze(world, is_master);
    } else if (event->kind == CUT) {
        cut(world);
    } else if (node && node->is_alive && event->kind == KILL) {
        world->result->faults[is_master ? SCORE_FAULT_MASTER_KILL : SCORE_FAULT_KILL]++;
        die(world, number);
    } else if (node && node->is_alive && event->kind == LEAVE &&
               node->frozen_until <= world->time.now) {
        TRACE(world, "worker %u is asked to go", node->index);
        world->result->faults[SCORE_FAULT_LEAVE]++;
        if (node->scorer.state == SCORER_STAGED) {
            die(world, number);
            return;
        }
        scorer_role_leave(&node->scorer, world->time.now, &node->outbox);
        carry_out(world, number);
    }
}

static void happen_to(struct world *world, const struct event *event)
{
    const uint32_t number = event->node;
    struct node *node = world->nodes[number];

    if (event->kind == TICK)
        tick(world, number);
    else if (event->kind == WORK)
        work(world, number);
    else if (event->kind == READ)
        store_shard(world, number);
    else
        hear(world, event);
    if (!node->is_alive)
        return;
    hand_on(world, node);
    carry_out(world, number);
}

/* The rows of a job that trains: a master leads it, and every worker knows. What ran meanwhile has
 * come to its end. */
static bool is_staged(const struct world *world)
{
    const struct node *master = world->nodes[world->master];

    if (!master->is_alive || !master->trains || world->time.now < world->staged_until)
        return false;
    for (uint32_t index = 0; index < world->plan->table.workers; index++) {
        const uint32_t number = world->workers[index];

        if (number == NOBODY || !world->nodes[number]->is_alive ||
            world->nodes[number]->scorer.state != SCORER_STAGED)
            return false;
    }
    return true;
}

#define MISHAP (1u << 31) /* in `link`: the event is of no particular node */

/* False: the event waits for its node to thaw. */
static bool happen(void *self, void *happening)
{
    struct world *world = self;
    const struct event *event = happening;
    const struct node *node;

    if (event->kind == START) {
        start_worker(world, event->node);
    } else if (event->kind == START_MASTER) {
        start_master(world);
    } else if (event->link == MISHAP) {
        mishap(world, event);
    } else if ((node = world->nodes[event->node])->is_alive ||
               (event->kind == READ && node->has_ended)) {
        if (event->kind == KILL) {
            die(world, event->node);
        } else if (node->frozen_until > world->time.now) {
            timeline_put_off(&world->time, happening, node->frozen_until);
            return false;
        } else {
            happen_to(world, event);
        }
    }
    if (world->plan->stages && is_staged(world))
        world->time.has_ended = true;
    return true;
}

/* ------------------------------------------------------------ a history */

static void plan_mishaps(struct world *world, enum happening kind, uint32_t count,
                         uint32_t is_master)
{
    for (uint32_t i = 0; i < count; i++)
        schedule(world, 1 + (int64_t)draw(world, (uint64_t)world->plan->table.span_ms), kind,
                 is_master)
            ->link = MISHAP;
}

static void prepare(struct world *world)
{
    const struct score_plan *plan = world->plan;

    for (uint32_t i = 0; i < plan->table.deadly_rows; i++)
        world->is_deadly[draw(world, plan->table.rows)] = true;
    world->torn = plan->table.torn_stores;
    world->unsaid = plan->unsaid;
    world->staged_until = plan->table.span_ms + FROZEN_MS;
    plan_mishaps(world, KILL, plan->kills, 0);
    plan_mishaps(world, LEAVE, plan->leaves, 0);
    plan_mishaps(world, FREEZE, plan->table.freezes, 0);
    plan_mishaps(world, CUT, plan->cuts, 0);
    plan_mishaps(world, KILL, plan->table.master_kills, 1);
    plan_mishaps(world, FREEZE, plan->table.master_freezes, 1);
    start_master(world);
    for (uint32_t index = 0; index < plan->table.workers; index++)
        start_worker(world, index);
}

static bool has_deadly(const struct world *world)
{
    for (uint32_t row = 0; row < world->plan->table.rows; row++)
        if (world->is_deadly[row])
            return true;
    return false;
}

static void check_staged(struct world *world)
{
    for (uint32_t shard = 0; shard < world->plan->table.rows; shard++)
        if (!world->is_stored[shard] || world->states[shard] != SHARD_DONE)
            complain(world, "the job trains without shard", shard);
}

static void check_end(struct world *world)
{
    unsigned long long row;

    if (!world->time.has_ended)
        complain(world, "the job does not end; ranges settled", world->settled_count);
    if (world->plan->stages)
        check_staged(world);
    if (world->time.failure.status != STATUS_OK || world->plan->stages)
        return;
    if (!world->plan->keeps_bad_rows && has_deadly(world)) {
        world->result->failed++;
        if (world->job.state != JOB_STATE_FAILED ||
            sscanf(world->job.error, "row %llu:", &row) != 1 || row < 1 ||
            row > world->plan->table.rows || !world->is_deadly[row - 1])
            complain(world, "the job did not fail over a deadly row", world->job.state);
        return;
    }
    if (world->job.state != JOB_STATE_DONE)
        complain(world, world->job.error, world->job.state);
    for (uint32_t i = 0; i < world->plan->table.rows; i++)
        if (world->states[i] == SHARD_LEASED)
            complain(world, "no result for row", i);
}

static void clean(struct world *world)
{
    timeline_close(&world->time);
    for (uint32_t i = 0; i < world->node_count; i++) {
        struct node *node = world->nodes[i];

        if (node->trains)
            master_deinit(&node->master);
        else if (node->is_master)
            dispatch_deinit(&node->dispatch);
        text_deinit(&node->toy.results);
        outbox_deinit(&node->outbox);
        free(node);
    }
    free(world);
}

enum status score_world_run(const struct score_plan *plan, struct score_result *result,
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
    timeline_open(&world->time, &(struct timeline_options){.seed = plan->table.seed,
                                                           .stream = 5,
                                                           .event_size = sizeof(struct event),
                                                           .ticks_per_ms = 1,
                                                           .verbose = plan->table.verbose});
    prepare(world);
    timeline_run(&world->time, END_MS, happen, world);
    check_end(world);
    status = world->time.failure.status;
    *err = world->time.failure;
    clean(world);
    return status;
}
