/*
 * master_slow.h - which workers are on slow machines: the launcher starts the next ones elsewhere.
 *
 * A worker is slow whose lanes have taken MASTER_SLOW_TIMES as long as those of the others for
 * long. It keeps what it can do (master_lanes.h), and is told of once.
 */
#pragma once

#include "runtime/train/master/master.h"

#define MASTER_SLOW_TIMES 2
#define MASTER_SLOW_MS    10000 /* each that is compared has computed for so long */

/* This worker has told its speed. */
void master_find_slow(struct master *master, int64_t now_ms, uint32_t index, struct outbox *outbox);
