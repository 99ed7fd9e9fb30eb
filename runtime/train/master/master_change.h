/*
 * master_change.h - changes of the group without a death: the old group finishes the phase in
 * flight, and no row is computed twice.
 */
#pragma once

#include "runtime/train/master/master.h"

/* The launcher's drain notice: this worker will receive SIGTERM, or receives it now. It leaves as
 * after LEAVING, together with the workers of the notices that follow within leave_ms; it may have
 * left before SIGTERM reaches it. */
void master_drain(struct master *master, int64_t now_ms, uint32_t index, uint32_t incarnation,
                  struct outbox *outbox);
/* The same after the phase in flight, without the workers that are leaving. */
void master_change_group(struct master *master, int64_t now_ms, struct outbox *outbox);
void master_on_met(struct master *master, int64_t now_ms, struct outbox *outbox);
void master_on_leaving(struct master *master, int64_t now_ms, uint32_t index,
                       struct outbox *outbox);
/* `epoch`: the group's that it is free of. */
void master_on_free(struct master *master, int64_t now_ms, uint32_t index, uint64_t epoch,
                    struct outbox *outbox);
void master_forget_old_group(struct master *master);
/* Workers with a drain notice leave together once no new notice has come for leave_ms. */
void master_tick_drains(struct master *master, int64_t now_ms, struct outbox *outbox);
void master_release(struct master *master, int64_t now_ms, uint32_t index, struct outbox *outbox);
