#include "tests/sim/crowd.h"

#include <stdlib.h>
#include <string.h>

#define JOB        7
#define TICK_MS    50
#define REGROUP_MS 20

static peer_id peer_of(uint32_t index)
{
    return index + 1;
}

/* Takes the actions that the driver of a role would carry out. */
static void take_actions(struct crowd *crowd)
{
    const struct outbox_entry *entries = crowd->outbox.entries;

    for (size_t i = 0; i < crowd->outbox.count; i++) {
        switch (entries[i].kind) {
        case OUTBOX_SEND:
            crowd->frames++;
            if (i == 0 || entries[i].offset != entries[i - 1].offset)
                crowd->frame_bytes += entries[i].size;
            break;
        case OUTBOX_WORKER:
        case OUTBOX_JOB:
        case OUTBOX_EVENT:
        case OUTBOX_METRIC:
            crowd->rows++;
            break;
        default:
            break;
        }
    }
    outbox_clear(&crowd->outbox);
}

static void say(struct crowd *crowd, peer_id from, const struct message *message)
{
    uint64_t epoch = crowd->master.group.epoch;

    master_on_message(&crowd->master, crowd->now_ms, from, message, &crowd->outbox);
    crowd->messages++;
    crowd->groups += crowd->master.group.epoch != epoch;
    take_actions(crowd);
}

static struct message of(const struct crowd *crowd, enum message_type type)
{
    return (struct message){.type = type, .job = JOB, .epoch = crowd->master.group.epoch};
}

/* Rank 0 says that all are connected. */
static void meet(struct crowd *crowd)
{
    struct message message = of(crowd, MESSAGE_GROUP_READY);
    uint64_t epoch;

    do {
        epoch = message.epoch = crowd->master.group.epoch;
        say(crowd, peer_of(crowd->master.group.members[0].index), &message);
    } while (crowd->master.group.epoch != epoch);
}

static void tick(struct crowd *crowd)
{
    uint64_t epoch = crowd->master.group.epoch;

    crowd->now_ms += TICK_MS;
    master_on_tick(&crowd->master, crowd->now_ms, &crowd->outbox);
    crowd->groups += crowd->master.group.epoch != epoch;
    take_actions(crowd);
}

void crowd_open(struct crowd *crowd, uint32_t workers, uint32_t lanes)
{
    struct master_options options = {.crew.job = JOB,
                                     .crew.min_workers = 1,
                                     .crew.max_workers = workers,
                                     .crew.dead_ms = 5000,
                                     .publish_ms = 60000,
                                     .regroup_ms = REGROUP_MS,
                                     .crew.report_ms = 100,
                                     .crew.facts.started_at = ""};

    memset(crowd, 0, sizeof *crowd);
    outbox_init(&crowd->outbox);
    crowd->workers = crowd->alive = workers;
    if (master_init(&crowd->master, &options, 0, &crowd->outbox, NULL) != STATUS_OK)
        abort();
    take_actions(crowd);
    for (uint32_t index = 0; index < workers; index++) {
        struct message message = of(crowd, MESSAGE_HELLO);

        message.epoch = 0;
        message.hello = (struct message_hello){
            .index = index, .lanes = lanes, .address = SLICE("unix:/run/user/1000/totrain/w")};
        say(crowd, peer_of(index), &message);
    }
    meet(crowd);
    crowd_count_anew(crowd);
}

void crowd_close(struct crowd *crowd)
{
    master_deinit(&crowd->master);
    outbox_deinit(&crowd->outbox);
}

void crowd_count_anew(struct crowd *crowd)
{
    crowd->messages = crowd->frames = crowd->rows = crowd->groups = 0;
    crowd->frame_bytes = 0;
}

void crowd_send_alive(struct crowd *crowd)
{
    struct message message = of(crowd, MESSAGE_PHASE_ALIVE);

    for (uint32_t index = 0; index < crowd->workers; index++)
        if (crowd->master.workers[index].member.peer != PEER_NONE)
            say(crowd, peer_of(index), &message);
}

void crowd_steps(struct crowd *crowd, uint64_t steps)
{
    struct message message = of(crowd, MESSAGE_PROGRESS);
    peer_id reporter = peer_of(crowd->master.group.members[0].index);

    for (uint64_t step = 1; step <= steps; step++) {
        message.progress = (struct message_progress){
            .phase = step, .step = step, .steps = steps, .rows_done = 1024 * step, .epoch = 1};
        if (step % 1000 == 0)
            crowd->now_ms++;
        say(crowd, reporter, &message);
    }
}

void crowd_deaths(struct crowd *crowd, uint32_t deaths)
{
    uint64_t epoch = crowd->master.group.epoch;

    for (uint32_t index = 0; index < crowd->workers && deaths > 0; index++) {
        if (crowd->master.workers[index].member.peer == PEER_NONE)
            continue;
        master_on_disconnect(&crowd->master, crowd->now_ms, peer_of(index), &crowd->outbox);
        crowd->groups += crowd->master.group.epoch != epoch;
        epoch = crowd->master.group.epoch;
        take_actions(crowd);
        crowd->alive--;
        deaths--;
    }
    while (crowd->master.regroup_at != 0)
        tick(crowd);
    meet(crowd);
}
