/*
 * crowd.h - the master alone with many workers that need no processes: what a
 * message costs, and what many deaths at once cost.
 */
#pragma once

#include "runtime/train/master/master.h"

struct crowd {
    struct master master;
    struct outbox outbox;
    uint32_t workers, alive;
    int64_t now_ms;
    /* actions of the master, since crowd_count_anew */
    uint64_t messages, frames, rows, groups;
    uint64_t frame_bytes; /* a frame sent to many counts once */
};

void crowd_open(struct crowd *crowd, uint32_t workers, uint32_t lanes);
void crowd_close(struct crowd *crowd);
void crowd_count_anew(struct crowd *crowd);

void crowd_send_alive(struct crowd *crowd); /* one message of each worker that lives */
void crowd_steps(struct crowd *crowd, uint64_t steps);
/* The first `deaths` members lose their connections; then time passes until the
 * others work again. */
void crowd_deaths(struct crowd *crowd, uint32_t deaths);
