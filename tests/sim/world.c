#include "tests/sim/world.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "runtime/train/master/master.h"
#include "runtime/train/master/master_change.h"
#include "runtime/train/master/master_checkpoint.h"
#include "runtime/train/worker/worker.h"
#include "runtime/train/worker/worker_switch.h"
#include "tests/sim/store.h"
#include "tests/sim/timeline.h"

#define NODES_MAX   4096
#define TICK_US     50000
#define END_US      ((int64_t)900 * 1000000)
#define PIECE_BYTES 64
#define MODEL_BYTES 16
#define GRACE_MS    3000

enum event_kind {
    FRAME,
    CLOSED,
    TICK,
    WORK,
    CRASH,
    FREEZE,
    SLOW_STORE,
    CUT,
    CUT_MEMBERS,
    PART,
    MEND,
    HANG,
    PROCESS_ALIVE,
    FLIP,
    STARVE,
    LEAVE,
    SIGNAL,
    START_WORKER,
    START_MASTER,
    END_ALL,
    STORED
};

struct event {
    struct moment moment; /* with its bytes: FRAME */
    enum event_kind kind;
    uint32_t node; /* START_WORKER: the worker's index */
    uint32_t link, side;
    uint64_t id; /* STORED: which checkpoint, and how it went */
    enum status status;
};

struct end {
    uint32_t node;
    peer_id peer;
    bool is_open;
    int64_t last_at; /* arrival of the last thing sent to this end */
};

struct link {
    struct end ends[2];
};

/* One process: a restarted role is a new node. */
struct node {
    bool is_master, is_alive, has_work_event, is_going, has_successor;
    int64_t frozen_until; /* frozen, or hanging */
    int64_t hangs_since;  /* 0: it does not hang */
    uint64_t build;
    uint32_t index, incarnation;
    struct master master;
    struct worker worker;
    struct checked *checked;
    struct outbox outbox;
    peer_id next_accepted;
    char address[64];
};

struct world {
    const struct world_plan *plan;
    const struct subject *subject;
    const struct oracle *oracle;
    struct timeline time; /* in microseconds */
    struct node *nodes[NODES_MAX];
    uint32_t node_count;
    struct link *links;
    uint32_t link_count, link_capacity;
    bool has_flipped, has_spoiled; /* a bit of a worker; what a worker computes */
    bool was_short_of_time; /* a worker asked to go ended before the group could do without it */
    uint32_t master;
    struct store store;
    uint64_t phase_most;    /* the latest phase that any worker has reached */
    uint32_t *incarnations; /* by worker index: the next one's */
    uint32_t *unables;      /* by worker index: how often it could not open its rows */
    /* (workers, workers): how many faults keep the first from connecting to the second, and how
     * many of them say nothing */
    uint8_t *parted, *silent;
    bool has_model;
    uint64_t model, model_rows; /* hash and number of the rows that lie aside */
    char digest[80];
    struct world_result result;
};

static uint64_t draw(struct world *world, uint64_t below)
{
    return timeline_draw(&world->time, below);
}

static void count(struct world *world, enum world_fault fault)
{
    world->result.faults[fault]++;
}

static void complain(struct world *world, const char *what, const char *detail)
{
    timeline_fail(&world->time, "%s: %s", what, detail);
}

static struct event *schedule_frame(struct world *world, int64_t at, enum event_kind kind,
                                    uint32_t node, struct slice bytes)
{
    struct event *event = timeline_plan(&world->time, at, bytes);

    event->kind = kind;
    event->node = node;
    return event;
}

static struct event *schedule(struct world *world, int64_t at, enum event_kind kind, uint32_t node)
{
    return schedule_frame(world, at, kind, node, (struct slice){NULL, 0});
}

/* ----------------------------------------------------------- connections */

static struct end *find_end(struct world *world, uint32_t node, peer_id peer, uint32_t *link,
                            uint32_t *side)
{
    for (uint32_t i = world->link_count; i-- > 0;)
        for (uint32_t s = 0; s < 2; s++) {
            struct end *end = &world->links[i].ends[s];

            if (end->node == node && end->peer == peer) {
                *link = i;
                *side = s;
                return end->is_open ? end : NULL;
            }
        }
    return NULL;
}

/* Mostly a fraction of a millisecond, sometimes much longer. */
static int64_t delay(struct world *world)
{
    uint64_t kind = draw(world, 100);

    if (kind < 80)
        return 20 + (int64_t)draw(world, 300);
    return kind < 98 ? (int64_t)draw(world, 5000) : (int64_t)draw(world, 80000);
}

static void send_to_end(struct world *world, uint32_t link, uint32_t side, enum event_kind kind,
                        struct slice bytes)
{
    struct end *end = &world->links[link].ends[side];
    int64_t at = world->time.now + delay(world);
    struct event *event;

    if (at < end->last_at)
        at = end->last_at;
    end->last_at = at;
    event = schedule_frame(world, at, kind, end->node, bytes);
    event->link = link;
    event->side = side;
}

static uint32_t find_address(const struct world *world, const char *address)
{
    for (uint32_t i = world->node_count; i-- > 0;)
        if (world->nodes[i]->is_alive && strcmp(world->nodes[i]->address, address) == 0)
            return i;
    return NODES_MAX;
}

static uint8_t *between(const struct world *world, uint8_t *matrix, uint32_t from, uint32_t to)
{
    return &matrix[(size_t)from * world->plan->workers + to];
}

static bool is_parted(const struct world *world, uint32_t from, uint32_t to)
{
    const struct node *one = world->nodes[from], *other = to < NODES_MAX ? world->nodes[to] : NULL;

    return other && !one->is_master && !other->is_master &&
           *between(world, world->parted, one->index, other->index) > 0;
}

/* Nobody answers: a firewall refuses, or what is sent goes nowhere and the dialer gives up. */
static void fail_to_connect(struct world *world, uint32_t link, uint32_t to)
{
    struct end *end = &world->links[link].ends[0];

    if (to < NODES_MAX && !world->nodes[to]->is_master &&
        *between(world, world->silent, world->nodes[end->node]->index, world->nodes[to]->index) >
            0) {
        count(world, WORLD_FAULT_APART_SILENTLY);
        end->last_at = world->time.now + 5000000;
    }
    send_to_end(world, link, 0, CLOSED, (struct slice){NULL, 0});
}

static void connect_nodes(struct world *world, uint32_t from, peer_id peer, const char *address)
{
    uint32_t to = find_address(world, address);
    uint32_t link = world->link_count;

    if (link == world->link_capacity) {
        world->link_capacity = link ? 2 * link : 64;
        world->links = realloc(world->links, world->link_capacity * sizeof *world->links);
        if (!world->links)
            abort();
    }
    TRACE(world, "%s connects to %s", world->nodes[from]->address, address);
    world->link_count++;
    world->links[link] =
        (struct link){.ends = {{.node = from, .peer = peer, .is_open = true}, {.node = NODES_MAX}}};
    if (to == NODES_MAX || is_parted(world, from, to))
        fail_to_connect(world, link, to);
    else {
        world->links[link].ends[1] =
            (struct end){.node = to, .peer = world->nodes[to]->next_accepted++, .is_open = true};
        world->result.connections += !world->nodes[from]->is_master && !world->nodes[to]->is_master;
    }
}

static void close_end(struct world *world, uint32_t link, uint32_t side)
{
    struct end *other = &world->links[link].ends[1 - side];

    world->links[link].ends[side].is_open = false;
    if (other->is_open) {
        send_to_end(world, link, 1 - side, CLOSED, (struct slice){NULL, 0});
        if (draw(world, 10) == 0) /* some loops say it twice */
            send_to_end(world, link, 1 - side, CLOSED, (struct slice){NULL, 0});
    }
}

/* ----------------------------------------------------------------- nodes */

static void start_worker(struct world *world, uint32_t index);
static void carry_out(struct world *world, uint32_t number);

static uint64_t node_phase(const struct node *node)
{
    return node->worker.learner->phase.number;
}

static void stop_node(struct world *world, uint32_t number)
{
    struct node *node = world->nodes[number];

    node->is_alive = false;
    for (uint32_t i = 0; i < world->link_count; i++)
        for (uint32_t side = 0; side < 2; side++)
            if (world->links[i].ends[side].node == number && world->links[i].ends[side].is_open)
                close_end(world, i, side);
}

/* Takes rows aside like the store: the first of all drops those that an earlier master has left. */
static void take_rows(struct world *world, struct slice bytes)
{
    struct byte_reader reader;
    struct message_model_row row;
    struct rows_head head;

    memcpy(&head, bytes.data, sizeof head);
    if (head.first == 0)
        world->model = world->model_rows = 0;
    if (head.first != world->model_rows)
        complain(world, "rows of the model are stored twice, or left out", "");
    reader = byte_reader_over((struct slice){bytes.data + sizeof head, bytes.size - sizeof head});
    while (!reader_is_done(&reader) && message_next_model_row(&reader, &row)) {
        world->model = oracle_add_row(world->model, row.part, row.name, row.position, row.data);
        world->model_rows++;
    }
}

static void take_store(struct world *world, const struct outbox *outbox,
                       const struct outbox_entry *entry)
{
    struct slice bytes = outbox_bytes(outbox, entry);
    struct event_row event;
    struct metric_row metric;
    struct result_row result;

    if (entry->kind == OUTBOX_JOB) {
        memcpy(&world->store.job, bytes.data, sizeof world->store.job);
        world->store.has_job = true;
    } else if (entry->kind == OUTBOX_MODEL_ROWS) {
        take_rows(world, bytes);
    } else if (entry->kind == OUTBOX_MODEL) {
        world->has_model = true;
    } else if (entry->kind == OUTBOX_EVENT) {
        memcpy(&event, bytes.data, sizeof event);
        TRACE(world, "event %s %" PRId64 " %s", event.event, event.index, event.detail);
        if (strcmp(event.event, "model") == 0)
            snprintf(world->digest, sizeof world->digest, "%.71s", event.detail);
        world->result.groups += strcmp(event.event, "group") == 0;
        if (strcmp(event.event, "refused") == 0 && strstr(event.detail, "another build"))
            count(world, WORLD_FAULT_REFUSED_BUILD);
        if (strcmp(event.event, "damaged") == 0) {
            count(world, WORLD_FAULT_DAMAGE_FOUND);
            if (world->plan->flips == 0)
                complain(world, "a worker's memory is said to be damaged that is not",
                         event.detail);
        }
        if (strcmp(event.event, "hangs") == 0) {
            count(world, WORLD_FAULT_HANG_FOUND);
            if (world->plan->hangs == 0)
                complain(world, "a worker is said to hang that does not", event.detail);
        }
        if (strcmp(event.event, "apart") == 0)
            count(world, WORLD_FAULT_STANDS_BY);
        if (strcmp(event.event, "measures") == 0)
            count(world, WORLD_FAULT_MEASURED);
        world->result.checkpoints += strcmp(event.event, "checkpoint") == 0;
        if (strcmp(event.event, "restored") == 0)
            count(world, WORLD_FAULT_RESTORE);
        if (strcmp(event.event, "checkpoint_refused") == 0) {
            count(world, WORLD_FAULT_REFUSAL);
            if (!world->store.was_damaged && world->plan->flips == 0)
                complain(world, "a checkpoint is refused that nobody damaged", event.detail);
        }
    } else if (entry->kind == OUTBOX_RESULT) {
        memcpy(&result, bytes.data, sizeof result);
        store_put_result(&world->store, &result);
    } else if (entry->kind == OUTBOX_METRIC) {
        memcpy(&metric, bytes.data, sizeof metric);
        if (!store_put_metric(&world->store, &metric) && world->plan->flips == 0)
            complain(world, "a metric has another value when it is told again", metric.metric);
        TRACE(world, "metric %s %s step %" PRIu64, metric.metric, metric.part, metric.step);
    }
}

/* Stores a checkpoint: the store may refuse, and tells later how it went. */
static void take_checkpoint(struct world *world, uint32_t number, const struct outbox *outbox,
                            const struct outbox_entry *entry)
{
    struct slice bytes = outbox_bytes(outbox, entry);
    bool is_finish = entry->kind == OUTBOX_FINISH;
    enum status status = STATUS_OK;
    struct event *event;
    uint64_t id;

    if (entry->kind == OUTBOX_DROP) {
        store_drop(&world->store);
        return;
    }
    memcpy(&id, bytes.data, sizeof id); /* comes first in all */
    if (entry->kind == OUTBOX_KEEP) {
        store_keep(&world->store, id);
        return;
    }
    if (draw(world, 100) < world->plan->store_trouble) {
        count(world, WORLD_FAULT_STORE_TROUBLE);
        status = STATUS_IO;
    } else if (is_finish)
        status = store_finish(&world->store, bytes, NULL);
    else
        status = store_put_piece(&world->store, bytes, NULL);
    if (status == STATUS_OK && !is_finish)
        return;
    event = schedule(world, world->time.now + 1000 + (int64_t)draw(world, 50000), STORED, number);
    event->id = id;
    event->status = status;
}

static void hear_from_store(struct world *world, const struct event *event)
{
    struct node *node = world->nodes[event->node];
    struct error why;

    error_clear(&why);
    if (event->status != STATUS_OK)
        fail(&why, event->status, "no room");
    master_on_stored(&node->master, world->time.now / 1000, event->id, &why, &node->outbox);
    carry_out(world, event->node);
}

/* A state that takes longer than the grace to go from member to member is lost with the worker that
 * alone has it. */
static bool has_no_time_left(const struct world *world, const struct node *node)
{
    return node->worker.is_leaving &&
           world->time.now / 1000 >= node->worker.leave_asked_at + GRACE_MS;
}

static void end_node(struct world *world, uint32_t number, enum status status)
{
    struct node *node = world->nodes[number];

    TRACE(world, "%s ends: %s", node->address, status_name(status));
    if (!node->is_master) {
        stop_node(world, number);
        world->was_short_of_time |= has_no_time_left(world, node);
        if (status == STATUS_CONNECTION) /* only of one that has told of its trouble */
            count(world, node->worker.failure.status == STATUS_IO ? WORLD_FAULT_LOAD_FAILED
                                                                  : WORLD_FAULT_STARVE);
        if ((node->worker.is_leaving || node->is_going || status == STATUS_CONNECTION) &&
            !node->has_successor)
            schedule(world, world->time.now + 1000 + (int64_t)draw(world, 400000), START_WORKER,
                     node->index);
    } else if (number == world->master) {
        world->time.has_ended = true;
        if (status != STATUS_OK)
            complain(world, "the job failed", node->master.crew.failure.message);
    }
}

static void replace_worker(struct world *world, uint32_t index)
{
    bool leaves_zombie = draw(world, 2) == 0;

    for (uint32_t i = 0; i < world->node_count; i++) {
        struct node *node = world->nodes[i];

        if (node->is_master || !node->is_alive || node->index != index)
            continue;
        if (leaves_zombie)
            count(world, WORLD_FAULT_ZOMBIE);
        else
            stop_node(world, i);
    }
    schedule(world, world->time.now + 1000 + (int64_t)draw(world, 100000), START_WORKER, index);
}

static bool is_stale(const struct world *world, const struct node *node)
{
    return node->is_master && node->incarnation < world->store.incarnation;
}

/* In a third of the worlds one worker is much slower than the others. */
static int64_t slowness(const struct world *world, const struct node *node)
{
    if (world->plan->lane_us > 0)
        return 1;
    return world->plan->seed % 3 == 0 && node->index == world->plan->seed / 3 % 3 ? 40 : 1;
}

/* From .6 to 1.7 times lane_us for a while, and each time a little more or less. */
static int64_t lane_us(struct world *world, const struct node *node)
{
    const uint64_t while_us = 400000, now = (uint64_t)world->time.now / while_us;
    const uint64_t percent =
        60 + random_bits(world->plan->seed, RANDOM_SIMULATION, now, 10000 + node->index) % 111;
    const bool is_slow = node->index == 0 && world->plan->slow_times > 1;

    return world->plan->lane_us * (int64_t)(percent - 5 + draw(world, 11)) / 100 *
           (is_slow ? world->plan->slow_times : 1);
}

static int64_t work_us(struct world *world, const struct node *node)
{
    return world->plan->lane_us > 0 ? lane_us(world, node)
                                    : slowness(world, node) * (50 + (int64_t)draw(world, 2000));
}

/* A group is to be changed between two phases: the connections of the old one and
 * those of the new one are the likelier to break just then. */
static void disturb_switch(struct world *world, struct slice frame)
{
    struct message message;

    if (world->plan->switch_cuts == 0 || message_read(frame, &message, NULL) != STATUS_OK ||
        message.type != MESSAGE_GROUP || message.group.after == 0)
        return;
    if (draw(world, 100) < world->plan->switch_cuts)
        schedule(world, world->time.now + (int64_t)draw(world, 20000), CUT_MEMBERS, 0);
}

/* The actions of a role. The outbox is set aside first: an action calls nobody,
 * but it may make new nodes. */
static void carry_out(struct world *world, uint32_t number)
{
    struct node *node = world->nodes[number];
    struct outbox *outbox = &node->outbox;
    uint32_t link, side;

    if (outbox->failed)
        complain(world, "outbox", node->address);
    if (outbox->count > 0 && is_stale(world, node)) {
        TRACE(world, "master %u is stale", node->incarnation);
        count(world, WORLD_FAULT_STALE_MASTER);
        outbox_clear(outbox); /* the store refuses; its actions are not done */
        stop_node(world, number);
    }
    if (!node->is_master && checked_failure(node->checked))
        complain(world, checked_failure(node->checked), node->address);
    if (!node->is_master && node_phase(node) > world->phase_most)
        world->phase_most = node_phase(node);
    for (size_t i = 0; i < outbox->count && node->is_alive; i++) {
        const struct outbox_entry *entry = &outbox->entries[i];

        switch (entry->kind) {
        case OUTBOX_SEND:
            world->result.frames++;
            if (node->is_master)
                disturb_switch(world, outbox_bytes(outbox, entry));
            if (find_end(world, number, entry->peer, &link, &side) &&
                world->links[link].ends[1 - side].is_open)
                send_to_end(world, link, 1 - side, FRAME, outbox_bytes(outbox, entry));
            break;
        case OUTBOX_CONNECT:
            connect_nodes(world, number, entry->peer, outbox->bytes.data + entry->offset);
            break;
        case OUTBOX_CLOSE:
            if (find_end(world, number, entry->peer, &link, &side))
                close_end(world, link, side);
            break;
        case OUTBOX_REPLACE:
            replace_worker(world, entry->index);
            break;
        case OUTBOX_PIECE:
        case OUTBOX_FINISH:
        case OUTBOX_DROP:
        case OUTBOX_KEEP:
            take_checkpoint(world, number, outbox, entry);
            break;
        case OUTBOX_END:
            end_node(world, number, entry->status);
            break;
        default:
            take_store(world, outbox, entry);
            break;
        }
    }
    outbox_clear(outbox);
    if (!node->is_master && node->is_alive && !node->has_work_event &&
        worker_has_work(&node->worker)) {
        node->has_work_event = true;
        if (slowness(world, node) > 1)
            count(world, WORLD_FAULT_SLOW);
        schedule(world, world->time.now + work_us(world, node), WORK, number);
    }
}

static struct node *add_node(struct world *world, bool is_master, uint32_t index,
                             uint32_t incarnation)
{
    struct node *node = calloc(1, sizeof *node);

    if (!node || world->node_count == NODES_MAX)
        abort();
    node->is_master = is_master;
    node->is_alive = true;
    node->index = index;
    node->incarnation = incarnation;
    node->next_accepted = PEER_NONE + 1;
    outbox_init(&node->outbox);
    if (is_master)
        snprintf(node->address, sizeof node->address, "sim:master");
    else
        snprintf(node->address, sizeof node->address, "sim:worker%u.%u", index, incarnation);
    world->nodes[world->node_count++] = node;
    return node;
}

/* It says so and ends, and its launcher starts the next. Once fewer than would end the job where
 * nobody else is here. */
static bool is_unable(struct world *world, uint32_t index)
{
    struct node *master = world->nodes[world->master];
    struct message message = {.type = MESSAGE_UNABLE, .job = 7};

    if (world->plan->unables == 0 || world->unables[index] + 1 >= UNABLE_TRIES_MAX ||
        draw(world, 100) >= world->plan->unables || !master->is_alive ||
        master->frozen_until > world->time.now)
        return false;
    world->unables[index]++;
    count(world, WORLD_FAULT_UNABLE);
    message.unable = (struct message_unable){.index = index,
                                             .incarnation = world->incarnations[index]++,
                                             .status = STATUS_IO,
                                             .message = SLICE("no disk")};
    master_on_message(&master->master, world->time.now / 1000, master->next_accepted++, &message,
                      &master->outbox);
    carry_out(world, world->master);
    schedule(world, world->time.now + 1000 + (int64_t)draw(world, 400000), START_WORKER, index);
    return true;
}

static void start_worker(struct world *world, uint32_t index)
{
    uint32_t number = world->node_count;
    struct node *node = add_node(world, false, index, world->incarnations[index]++);
    struct worker_options options = {.job = 7,
                                     .index = index,
                                     .incarnation = node->incarnation,
                                     .master = "sim:master",
                                     .address = node->address,
                                     .alive_ms = 1000,
                                     .reconnect_ms = 100,
                                     .progress_ms = world->plan->measure_ms > 0 ? 5 : 100,
                                     .speed_first_ms = 100,
                                     .segment_least = world->plan->segment_least,
                                     .lanes_at_once = (uint32_t)draw(world, 3),
                                     .grace_ms = GRACE_MS,
                                     .alone_ms = GRACE_MS / 2,
                                     .piece_bytes = PIECE_BYTES,
                                     .state_piece_bytes = PIECE_BYTES,
                                     .state_pieces = 1 + world->plan->seed % 3,
                                     .snapshot_piece_bytes = PIECE_BYTES,
                                     .model_bytes = MODEL_BYTES};
    struct learner *learner;

    if (world->plan->other_builds > 0 && draw(world, 100) < world->plan->other_builds) {
        count(world, WORLD_FAULT_OTHER_BUILD);
        options.build = 1;
    }
    node->build = options.build;
    learner = world->subject->open(world->subject->context);
    node->checked = checked_new(learner, world->oracle);
    if (world->plan->flips > 0)
        checked_allow_damage(node->checked);
    worker_init(&node->worker, &options, learner, NULL);
    TRACE(world, "%s starts", node->address);
    worker_start(&node->worker, world->time.now / 1000, &node->outbox);
    carry_out(world, number);
    schedule(world, world->time.now + (int64_t)draw(world, TICK_US), TICK, number);
}

static void start_master(struct world *world)
{
    struct job_row previous = world->store.job;
    struct master_options options = {.crew.job = 7,
                                     .crew.incarnation = world->store.incarnation,
                                     .checkpoint_ms = world->plan->checkpoint_ms,
                                     .checkpoint = world->store.whole,
                                     .older = world->store.older,
                                     .store = {&world->store, store_read_piece},
                                     .crew.facts.previous = world->store.has_job ? &previous : NULL,
                                     .crew.min_workers = world->plan->min_workers,
                                     .crew.max_workers = world->plan->workers,
                                     .crew.dead_ms = 5000,
                                     .hang_ms = 3000,
                                     .publish_ms = 60000,
                                     .learn_ms = world->plan->learn_ms,
                                     .measure = {world->plan->measure_ms, 1},
                                     .regroup_ms = 20,
                                     .settle_ms = 500,
                                     .crew.report_ms = 100,
                                     .try_ms = 20,
                                     .apart_ms = 200,
                                     .leave_ms = world->plan->seed % 4 < 2 ? 0 : 100,
                                     .gather_ms = world->plan->seed % 2 ? 0 : 20,
                                     .crew.facts.started_at = "",
                                     .metrics = world->subject->metrics,
                                     .metric_count = world->subject->metric_count};
    uint32_t number = world->node_count;
    struct node *node = add_node(world, true, 0, options.crew.incarnation);

    TRACE(world, "master %u starts", options.crew.incarnation);
    world->master = number;
    if (master_init(&node->master, &options, world->time.now / 1000, &node->outbox,
                    &world->time.failure) != STATUS_OK)
        abort();
    carry_out(world, number);
    schedule(world, world->time.now + (int64_t)draw(world, TICK_US), TICK, number);
}

/* ---------------------------------------------------------------- events */

static void deliver(struct world *world, const struct event *event)
{
    struct end *end = &world->links[event->link].ends[event->side];
    struct node *node = world->nodes[event->node];
    struct message message;

    if (event->kind == FRAME && end->is_open) {
        if (message_read(event->moment.bytes, &message, &world->time.failure) != STATUS_OK)
            return;
        TRACE(world, "%s <- %s epoch %" PRIx64, node->address, message_name(message.type),
              message.epoch);
        if (!node->is_master && message.type == MESSAGE_STATE_REQUEST &&
            node->worker.state == WORKER_FETCHING && node->worker.source != UINT32_MAX)
            count(world, WORLD_FAULT_RELAY);
        if (node->is_master)
            master_on_message(&node->master, world->time.now / 1000, end->peer, &message,
                              &node->outbox);
        else
            worker_on_message(&node->worker, world->time.now / 1000, end->peer, &message,
                              &node->outbox);
    } else if (event->kind == CLOSED) {
        end->is_open = false;
        if (node->is_master)
            master_on_disconnect(&node->master, world->time.now / 1000, end->peer, &node->outbox);
        else
            worker_on_disconnect(&node->worker, world->time.now / 1000, end->peer, &node->outbox);
    }
    carry_out(world, event->node);
}

/* Nothing happens but joins, leaves, and workers that never come so far as to join. */
static bool is_gentle(const struct world *world)
{
    const struct world_plan *plan = world->plan;

    return !world->was_short_of_time &&
           plan->flips + plan->hangs + plan->crashes + plan->master_crashes + plan->freezes +
                   plan->cuts + plan->switch_cuts + plan->ends + plan->store_trouble + plan->parts +
                   plan->slow_stores + plan->starves ==
               0;
}

static void tick(struct world *world, uint32_t number)
{
    struct node *node = world->nodes[number];

    if (is_stale(world, node)) { /* its executor looks, even when there is nothing to write */
        count(world, WORLD_FAULT_STALE_MASTER);
        stop_node(world, number);
    } else if (node->is_master)
        master_on_tick(&node->master, world->time.now / 1000, &node->outbox);
    else
        worker_on_tick(&node->worker, world->time.now / 1000, &node->outbox);
    carry_out(world, number);
    schedule(world, world->time.now + TICK_US, TICK, number);
}

/* It is deaf while it reads. What it made of the rows is on its way already. */
static void wait_for_rows(struct world *world, struct node *node)
{
    const struct subject *subject = world->subject;
    const int64_t us = subject->load_us ? subject->load_us(node->worker.learner) : 0;

    if (us == 0)
        return;
    count(world, WORLD_FAULT_LOAD);
    node->frozen_until = world->time.now + slowness(world, node) * us;
}

static void work(struct world *world, uint32_t number)
{
    struct node *node = world->nodes[number];

    node->has_work_event = false;
    if (is_gentle(world) && node_phase(node) + 1 < world->phase_most)
        complain(world, "a phase is computed again although nobody died", node->address);
    if (worker_has_work(&node->worker))
        worker_work(&node->worker, world->time.now / 1000, &node->outbox);
    wait_for_rows(world, node);
    carry_out(world, number);
}

static uint32_t pick_live(struct world *world, bool is_master)
{
    uint32_t live[NODES_MAX], count = 0;

    for (uint32_t i = 0; i < world->node_count; i++)
        if (world->nodes[i]->is_alive && world->nodes[i]->is_master == is_master)
            live[count++] = i;
    return count > 0 ? live[draw(world, count)] : NODES_MAX;
}

static void crash(struct world *world, bool is_master)
{
    uint32_t number = pick_live(world, is_master);
    int64_t again = world->time.now + 1000 + (int64_t)draw(world, 400000);
    struct node *node;

    if (number == NODES_MAX)
        return;
    node = world->nodes[number];
    TRACE(world, "%s crashes", node->address);
    count(world, is_master ? WORLD_FAULT_MASTER_CRASH : WORLD_FAULT_CRASH);
    stop_node(world, number);
    if (is_master)
        schedule(world, again, START_MASTER, 0);
    else
        schedule(world, again, START_WORKER, node->index);
}

/* It finds no memory, or cannot read its next rows: it tells its master and ends, and its launcher
 * starts the next, as often as unable workers do, since a job of which nobody can work fails. */
static void starve(struct world *world)
{
    const uint32_t number = pick_live(world, false);
    struct node *node;

    if (number == NODES_MAX)
        return;
    node = world->nodes[number];
    if (world->unables[node->index] + 1 >= UNABLE_TRIES_MAX)
        return;
    world->unables[node->index]++;
    if (world->subject->lose_rows && draw(world, 2) == 0) {
        world->subject->lose_rows(node->worker.learner);
        TRACE(world, "%s will lose rows", node->address);
        return;
    }
    checked_starve(node->checked);
    TRACE(world, "%s will find no memory", node->address);
}

static void freeze(struct world *world)
{
    uint32_t number = pick_live(world, draw(world, 6) == 0);
    int64_t longest = draw(world, 2) == 0 ? 500000 : 20000000;

    if (number == NODES_MAX || world->nodes[number]->frozen_until > world->time.now)
        return;
    world->nodes[number]->frozen_until = world->time.now + (int64_t)draw(world, (uint64_t)longest);
    count(world, world->nodes[number]->is_master ? WORLD_FAULT_MASTER_FREEZE : WORLD_FAULT_FREEZE);
    /* The launcher takes a silent master for dead; this one will thaw. */
    if (world->nodes[number]->is_master &&
        world->nodes[number]->frozen_until > world->time.now + 5000000) {
        count(world, WORLD_FAULT_MASTER_TWICE);
        schedule(world, world->time.now + 5000000, START_MASTER, 0);
    }
    TRACE(world, "%s freezes until %.3f ms", world->nodes[number]->address,
          (double)world->nodes[number]->frozen_until / 1000);
}

/* Slows down the store. Messages meanwhile wait; the launcher knows that the master is in a call of
 * its store. */
static void slow_store(struct world *world)
{
    struct node *master = world->nodes[world->master];

    if (!master->is_alive || master->frozen_until > world->time.now)
        return;
    count(world, WORLD_FAULT_SLOW_STORE);
    master->frozen_until = world->time.now + 1000000 + (int64_t)draw(world, 30000000);
    TRACE(world, "the store of %s takes until %.3f ms", master->address,
          (double)master->frozen_until / 1000);
}

/* Only from a world in which nobody goes are bad rows and wrong results always found: who goes
 * takes along what it would have found, or the only state that differed. */
static bool nobody_goes(const struct world_plan *plan)
{
    return plan->workers > 1 && plan->min_workers == plan->workers &&
           plan->leaves + plan->late_joins + plan->crashes + plan->master_crashes + plan->freezes +
                   plan->cuts + plan->switch_cuts + plan->ends + plan->hangs + plan->parts +
                   plan->starves ==
               0;
}

static void invert(struct world *world, void *bytes, size_t size)
{
    const uint64_t bit = draw(world, 8 * (uint64_t)size);

    ((uint8_t *)bytes)[bit / 8] ^= (uint8_t)(1u << bit % 8);
}

static void flip_sums(struct world *world, struct worker *worker)
{
    struct sums *sums = &worker->sums;
    const size_t elements = (size_t)sums->owned_count + sums->real_count;
    const uint64_t which = draw(world, 3);

    if (worker->state != WORKER_COMPUTING && worker->state != WORKER_EXCHANGING)
        return;
    if (which == 0 ? sums->integer_count == 0 : elements == 0)
        return;
    if (which == 0)
        invert(world, sums->integers, sums->integer_count * sizeof *sums->integers);
    else if (which == 1)
        invert(world, sums->elements, elements * sizeof *sums->elements);
    else
        invert(world, sums->owned,
               sums->owned_count * sizeof *sums->owned + sums->real_count * sizeof *sums->reals);
    count(world, WORLD_FAULT_FLIP_SUMS);
}

/* A bit that is inverted twice before anything looks at it is good again, and what was made of it
 * in between is not: no look at the memory finds that. */
static bool is_inverted(const struct worker *worker)
{
    struct learner *learner = worker->learner;
    uint64_t position = 0;
    struct error err;

    error_clear(&err);
    return learner_verify(learner, LOOK_AT_ALL, NULL, &err) != STATUS_OK ||
           learner_verify_rows(learner, &position, UINT64_MAX, &err) != STATUS_OK;
}

static void flip(struct world *world)
{
    static const char *const names[] = {"sums", "weights", "rows", "computed"};
    static const enum world_fault faults[] = {WORLD_FAULT_FLIP_SUMS, WORLD_FAULT_FLIP_WEIGHTS,
                                              WORLD_FAULT_FLIP_ROWS, WORLD_FAULT_FLIP_COMPUTED};
    const uint64_t which =
        draw(world, nobody_goes(world->plan) && !world->subject->shares_rows ? 4 : 2);
    const uint32_t number = pick_live(world, false);
    struct worker *worker;
    size_t size;
    void *memory;

    if (number == NODES_MAX)
        return;
    worker = &world->nodes[number]->worker;
    /* With nobody to compare with it is never found: nor where another worker goes for a fault of
     * its own in the phase in which they would be compared. */
    if (world->has_spoiled ||
        (which == 3 &&
         (world->has_flipped || worker->group.count < 2 || worker->state != WORKER_COMPUTING)) ||
        (which != 3 && which != 0 && is_inverted(worker)))
        return;
    world->has_flipped = true;
    world->has_spoiled = which == 3;
    TRACE(world, "%s: a bit of its %s is inverted", world->nodes[number]->address, names[which]);
    if (which == 0) {
        flip_sums(world, worker);
        return;
    }
    if (which == 3) {
        count(world, faults[which]);
        checked_spoil(world->nodes[number]->checked);
        return;
    }
    memory = learner_memory(worker->learner, names[which], &size);
    if (!memory) /* trees have none before the first one */
        return;
    count(world, faults[which]);
    invert(world, memory, size);
}

#define PROCESS_ALIVE_US 1000000

/* Its main thread hangs, the thread that sends PROCESS_ALIVE does not. */
static void hang(struct world *world)
{
    const uint32_t number = pick_live(world, false);
    struct node *node;

    if (number == NODES_MAX || world->nodes[number]->frozen_until > world->time.now)
        return;
    node = world->nodes[number];
    node->hangs_since = world->time.now;
    node->frozen_until =
        draw(world, 2) == 0 ? 2 * END_US : world->time.now + (int64_t)draw(world, 20000000);
    count(world, WORLD_FAULT_HANG);
    TRACE(world, "%s hangs until %.3f ms", node->address, (double)node->frozen_until / 1000);
    schedule(world, world->time.now + (int64_t)draw(world, PROCESS_ALIVE_US), PROCESS_ALIVE,
             number);
}

static void send_process_alive(struct world *world, uint32_t number)
{
    const struct node *node = world->nodes[number];
    struct node *master = world->nodes[world->master];
    const int64_t still_us = world->time.now - node->hangs_since;
    struct message message = {.type = MESSAGE_PROCESS_ALIVE, .job = 7};

    if (!node->is_alive || node->frozen_until <= world->time.now)
        return;
    schedule(world, world->time.now + PROCESS_ALIVE_US, PROCESS_ALIVE, number);
    if (!master->is_alive || master->frozen_until > world->time.now)
        return;
    message.process_alive = (struct message_process_alive){.index = node->index,
                                                           .incarnation = node->incarnation,
                                                           .still_ms = (uint32_t)(still_us / 1000)};
    master_on_message(&master->master, world->time.now / 1000, UINT64_MAX, &message,
                      &master->outbox);
    carry_out(world, world->master);
}

static bool can_be_cut(const struct world *world, const struct link *link, bool of_members)
{
    if (!link->ends[0].is_open || !link->ends[1].is_open)
        return false;
    return !of_members || (!world->nodes[link->ends[0].node]->is_master &&
                           !world->nodes[link->ends[1].node]->is_master);
}

/* A connection breaks; half of the times what is on its way is lost. */
static void cut(struct world *world, bool of_members)
{
    for (int tries = 0; tries < 20 && world->link_count > 0; tries++) {
        uint32_t link = (uint32_t)draw(world, world->link_count);

        if (!can_be_cut(world, &world->links[link], of_members))
            continue;
        TRACE(world, "%s and %s are cut", world->nodes[world->links[link].ends[0].node]->address,
              world->nodes[world->links[link].ends[1].node]->address);
        count(world, of_members ? WORLD_FAULT_SWITCH_CUT : WORLD_FAULT_CUT);
        for (uint32_t side = 0; side < 2; side++)
            send_to_end(world, link, side, CLOSED, (struct slice){NULL, 0});
        if (draw(world, 2) > 0)
            return;
        count(world, WORLD_FAULT_CUT_LOSS);
        world->links[link].ends[0].is_open = world->links[link].ends[1].is_open = false;
        return;
    }
}

/* Ends the links between two nodes: their ends see it at once, or, without a word, after the time
 * that a sender waits. */
static void end_links_between(struct world *world, uint32_t one, uint32_t other, bool is_silent)
{
    for (uint32_t i = 0; i < world->link_count; i++) {
        struct link *link = &world->links[i];
        const struct node *nodes[2];

        if (!can_be_cut(world, link, true))
            continue;
        nodes[0] = world->nodes[link->ends[0].node];
        nodes[1] = world->nodes[link->ends[1].node];
        if (!((nodes[0]->index == one && nodes[1]->index == other) ||
              (nodes[0]->index == other && nodes[1]->index == one)))
            continue;
        for (uint32_t side = 0; side < 2; side++) {
            if (is_silent)
                link->ends[side].last_at = world->time.now + 8000000;
            send_to_end(world, i, side, CLOSED, (struct slice){NULL, 0});
        }
    }
}

static void part(struct world *world)
{
    const uint32_t workers = world->plan->workers;
    const uint32_t one = (uint32_t)draw(world, workers), other = (uint32_t)draw(world, workers);
    const bool one_way = draw(world, 3) == 0, is_silent = draw(world, 3) == 0;
    /* A job that needs more workers than can meet waits, as it was told to. */
    const bool for_ever = draw(world, 4) == 0 && world->plan->min_workers == 1;
    struct event *mend;

    if (one == other)
        return;
    TRACE(world, "workers %u and %u are apart%s%s%s", one, other, one_way ? ", one way" : "",
          is_silent ? ", silently" : "", for_ever ? ", for ever" : "");
    count(world, one_way ? WORLD_FAULT_APART_ONE_WAY : WORLD_FAULT_APART);
    for (uint32_t way = 0; way < (one_way ? 1u : 2u); way++) {
        const uint32_t from = way ? other : one, to = way ? one : other;

        ++*between(world, world->parted, from, to);
        *between(world, world->silent, from, to) += is_silent;
    }
    end_links_between(world, one, other, is_silent);
    if (for_ever) {
        count(world, WORLD_FAULT_APART_FOR_EVER);
        return;
    }
    mend = schedule(world, world->time.now + (int64_t)draw(world, 3000000), MEND, one);
    mend->link = other;
    mend->side = one_way;
    mend->id = is_silent;
}

static void mend(struct world *world, const struct event *event)
{
    const uint32_t one = event->node, other = event->link;

    TRACE(world, "workers %u and %u can reach each other", one, other);
    for (uint32_t way = 0; way < (event->side ? 1u : 2u); way++) {
        const uint32_t from = way ? other : one, to = way ? one : other;

        --*between(world, world->parted, from, to);
        *between(world, world->silent, from, to) -= (uint8_t)event->id;
    }
}

/* The machine goes down, and comes back with nothing but the store. */
static void end_all(struct world *world)
{
    TRACE(world, "everything ends");
    count(world, WORLD_FAULT_END_ALL);
    for (uint32_t i = 0; i < world->node_count; i++)
        if (world->nodes[i]->is_alive)
            stop_node(world, i);
    if (world->plan->damages && draw(world, 2) == 0 &&
        store_damage(&world->store, draw(world, 1 << 20), draw(world, 2) == 0))
        count(world, WORLD_FAULT_DAMAGE);
    schedule(world, world->time.now + 1000 + (int64_t)draw(world, 100000), START_MASTER, 0);
    for (uint32_t index = 0; index < world->plan->workers; index++)
        schedule(world, world->time.now + 1000 + (int64_t)draw(world, 400000), START_WORKER, index);
}

/* On a cluster the launcher hears of it before the worker does. */
static void announce(struct world *world, const struct node *worker)
{
    struct node *master = world->nodes[world->master];

    if (!master->is_alive || master->frozen_until > world->time.now)
        return;
    TRACE(world, "%s is announced", worker->address);
    count(world, WORLD_FAULT_ANNOUNCED);
    master_drain(&master->master, world->time.now / 1000, worker->index, worker->incarnation,
                 &master->outbox);
    carry_out(world, world->master);
}

static void leave(struct world *world)
{
    uint32_t number = pick_live(world, false);
    struct node *node;

    if (number == NODES_MAX || world->nodes[number]->frozen_until > world->time.now)
        return;
    node = world->nodes[number];
    TRACE(world, "%s is asked to go", node->address);
    count(world, WORLD_FAULT_LEAVE);
    node->has_successor = draw(world, 2) == 0; /* started meanwhile, as on a cluster */
    if (node->has_successor) {
        count(world, WORLD_FAULT_SUCCESSOR);
        schedule(world, world->time.now + (int64_t)draw(world, 100000), START_WORKER, node->index);
    }
    node->is_going = true;
    if (draw(world, 2) == 0) {
        announce(world, node);
        schedule(world, world->time.now + (int64_t)draw(world, 400000), SIGNAL, number);
    } else {
        schedule(world, world->time.now, SIGNAL, number);
    }
}

static void send_signal(struct world *world, uint32_t number)
{
    struct node *node = world->nodes[number];

    worker_leave(&node->worker, world->time.now / 1000, &node->outbox);
    carry_out(world, number);
}

static bool is_of_a_node(const struct event *event)
{
    return event->kind == FRAME || event->kind == CLOSED || event->kind == TICK ||
           event->kind == WORK || event->kind == STORED || event->kind == SIGNAL;
}

/* Members of one build only. */
static void check_builds(struct world *world)
{
    const struct master *master = &world->nodes[world->master]->master;

    if (master->crew.state != JOB_STATE_RUNNING)
        return; /* a worker that made place for another is not missed while the model is made */
    for (uint32_t rank = 1; rank < master->group.count; rank++)
        if (master->workers[master->group.members[rank].index].build !=
            master->workers[master->group.members[0].index].build)
            complain(world, "members of two builds are in a group", "");
}

/* False: the event waits for its node to thaw. */
static bool handle(void *self, void *happening)
{
    struct world *world = self;
    const struct event *event = happening;
    struct node *node = is_of_a_node(event) ? world->nodes[event->node] : NULL;

    if (world->plan->other_builds > 0)
        check_builds(world);
    if (node && !node->is_alive)
        return true;
    if (node && node->frozen_until > world->time.now) {
        timeline_put_off(&world->time, happening, node->frozen_until);
        return false;
    }
    switch (event->kind) {
    case FRAME:
    case CLOSED:
        deliver(world, event);
        break;
    case TICK:
        tick(world, event->node);
        break;
    case WORK:
        work(world, event->node);
        break;
    case CRASH:
        crash(world, event->node == 1);
        break;
    case FREEZE:
        freeze(world);
        break;
    case SLOW_STORE:
        slow_store(world);
        break;
    case CUT:
    case CUT_MEMBERS:
        cut(world, event->kind == CUT_MEMBERS);
        break;
    case STARVE:
        starve(world);
        break;
    case FLIP:
        flip(world);
        break;
    case HANG:
        hang(world);
        break;
    case PROCESS_ALIVE:
        send_process_alive(world, event->node);
        break;
    case PART:
        part(world);
        break;
    case MEND:
        mend(world, event);
        break;
    case END_ALL:
        end_all(world);
        break;
    case STORED:
        hear_from_store(world, event);
        break;
    case LEAVE:
        leave(world);
        break;
    case SIGNAL:
        send_signal(world, event->node);
        break;
    case START_WORKER:
        if (!is_unable(world, event->node))
            start_worker(world, event->node);
        break;
    case START_MASTER:
        world->store.incarnation++;
        start_master(world);
        break;
    }
    return true;
}

static void late_join(struct world *world, uint32_t index)
{
    count(world, WORLD_FAULT_LATE_JOIN);
    schedule(world, (int64_t)draw(world, (uint64_t)world->plan->span_us), START_WORKER, index);
}

static void plan_mischief(struct world *world)
{
    const struct world_plan *plan = world->plan;
    const uint64_t span = (uint64_t)plan->span_us;
    const struct {
        uint32_t times;
        enum event_kind kind;
        uint32_t which;
    } mishaps[] = {{plan->crashes, CRASH, 0},  {plan->master_crashes, CRASH, 1},
                   {plan->freezes, FREEZE, 0}, {plan->slow_stores, SLOW_STORE, 0},
                   {plan->cuts, CUT, 0},       {plan->flips, FLIP, 0},
                   {plan->starves, STARVE, 0}, {plan->hangs, HANG, 0},
                   {plan->parts, PART, 0},     {plan->leaves, LEAVE, 0},
                   {plan->ends, END_ALL, 0}};

    for (size_t kind = 0; kind < sizeof mishaps / sizeof *mishaps; kind++)
        for (uint32_t i = 0; i < mishaps[kind].times; i++)
            schedule(world, (int64_t)draw(world, span), mishaps[kind].kind, mishaps[kind].which);
    for (uint32_t index = 0; index < plan->workers; index++)
        if (index < plan->late_joins)
            late_join(world, index);
        else
            schedule(world, 0, START_WORKER, index);
}

static bool is_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* The undisturbed run's results and no others. */
static bool has_results(const struct store *store, const struct oracle *oracle)
{
    size_t same = 0;

    for (size_t i = 0; i < store->result_count; i++)
        for (size_t j = 0; j < oracle->result_count; j++)
            same += strcmp(store->results[i].name, oracle->results[j].name) == 0 &&
                    is_same(store->results[i].train, oracle->results[j].train) &&
                    is_same(store->results[i].validation, oracle->results[j].validation);
    return same == oracle->result_count && same == store->result_count;
}

static void check_end(struct world *world)
{
    const struct world_plan *plan = world->plan;
    const struct oracle *ended = oracle_of_model(world->oracle, world->model);
    const struct oracle *oracle = ended ? ended : world->oracle;
    /* Ended by the clock after it began anew, it was recorded beyond its end: docs/status.md. */
    const bool is_stopped = oracle != world->oracle;
    char expected[80];

    snprintf(expected, sizeof expected, "digest %s", oracle->digest);
    if (!world->time.has_ended)
        complain(world, "the job does not end", "time or events ran out");
    else if (strncmp(world->digest, expected, strlen(expected)) != 0)
        complain(world, "another digest", world->digest);
    else if (!world->has_model || !ended)
        complain(world, "other model rows", "");
    else if (!has_results(&world->store, oracle))
        complain(world, "other results", "");
    else if (!is_stopped && plan->flips == 0 &&
             store_count_evaluations(&world->store) > oracle->records)
        complain(world, "an evaluation is recorded twice", "");
    else if (!is_stopped && store_count_evaluations(&world->store) < oracle->records)
        complain(world, "an evaluation is not recorded", "");
    else if (is_gentle(world) && world->result.faults[WORLD_FAULT_STANDS_BY] > 0)
        complain(world, "a worker is taken for unreachable that was not", "");
    else if (is_gentle(world) && world->nodes[world->master]->master.rows_redone > 0)
        complain(world, "rows are computed twice although nobody died", "");
    memcpy(world->result.results, world->store.results, sizeof world->store.results);
    world->result.result_count = world->store.result_count;
    world->result.is_stopped = is_stopped;
    world->result.end_us = world->time.now;
    world->result.lanes_of_first = world->nodes[world->master]->master.workers[0].lanes.count;
}

static void free_node(struct node *node)
{
    if (node->is_master) {
        master_deinit(&node->master);
    } else {
        worker_deinit(&node->worker);
        learner_close(node->worker.learner);
        checked_free(node->checked);
    }
    outbox_deinit(&node->outbox);
    free(node);
}

static void free_world(struct world *world)
{
    for (uint32_t i = 0; i < world->node_count; i++)
        free_node(world->nodes[i]);
    timeline_close(&world->time);
    free(world->links);
    free(world->incarnations);
    free(world->unables);
    free(world->parted);
    free(world->silent);
    store_deinit(&world->store);
    free(world);
}

enum status world_run(const struct world_plan *plan, const struct subject *subject,
                      const struct oracle *oracle, struct world_result *result, struct error *err)
{
    struct world *world = calloc(1, sizeof *world);
    enum status status;

    if (!world)
        abort();
    world->plan = plan;
    world->subject = subject;
    world->oracle = oracle;
    timeline_open(&world->time, &(struct timeline_options){.seed = plan->seed,
                                                           .stream = 1,
                                                           .event_size = sizeof(struct event),
                                                           .ticks_per_ms = 1000,
                                                           .verbose = plan->verbose});
    store_init(&world->store);
    world->incarnations = calloc(plan->workers, sizeof *world->incarnations);
    world->unables = calloc(plan->workers, sizeof *world->unables);
    world->parted = calloc((size_t)plan->workers * plan->workers, 1);
    world->silent = calloc((size_t)plan->workers * plan->workers, 1);
    if (!world->incarnations || !world->parted || !world->silent)
        abort();
    start_master(world);
    plan_mischief(world);
    timeline_run(&world->time, END_US, handle, world);
    check_end(world);
    *result = world->result;
    *err = world->time.failure;
    status = world->time.failure.status;
    free_world(world);
    return status;
}
