/*
 * alive_sender.h - a process that computes is alive; one that hangs is not.
 *
 * A worker's loop is silent while it computes one lane of a large model or
 * measures a long validation set, and a silent worker is taken for dead. So a
 * thread sends PROCESS_ALIVE to the master every second, on a connection of its own,
 * and connects again when the master has changed. A stopped, swapped-out or
 * unreachable process is as silent as before: that is what silence means. Each
 * PROCESS_ALIVE says for how long the work of the process has stood still (stall.h), so that
 * the master can distinguish a process whose main thread hangs from one that computes for long.
 */
#pragma once

#include "base/error.h"

struct loop_network;
struct alive_sender;

/* The master at network->master. What `network` points to must outlive the sender. */
enum status alive_sender_start(uint64_t job, uint32_t index, uint32_t incarnation,
                               const struct loop_network *network, int interval_ms,
                               struct alive_sender **sender, struct error *err);
void alive_sender_stop(struct alive_sender *sender); /* NULL: nothing to stop */
