/*
 * dispatch_leases.h - leases of rows to scorers: given, renewed, lost.
 */
#pragma once

#include "runtime/score/dispatch.h"

struct message_scored;

/* Leases for this worker; for every worker that may have more. */
void dispatch_serve(struct dispatch *dispatch, int64_t now_ms, uint32_t index,
                    struct outbox *outbox);
void dispatch_serve_all(struct dispatch *dispatch, int64_t now_ms, struct outbox *outbox);
void dispatch_on_scored(struct dispatch *dispatch, int64_t now_ms, uint32_t index,
                        const struct message_scored *scored, struct outbox *outbox);
/* Notes that a worker died over a lease: too many deaths without a shard that was done fail the
 * job. */
void dispatch_note_death(struct dispatch *dispatch, int64_t now_ms, struct outbox *outbox);
/* The worker's leases are taken back, for this cause. */
void dispatch_take_back(struct dispatch *dispatch, int64_t now_ms, uint32_t index,
                        enum ledger_cause cause, struct outbox *outbox);
