/*
 * dispatch_parts.h - what dispatch.c, dispatch_leases.c and dispatch_record.c share.
 */
#ifndef RUNTIME_SCORE_DISPATCH_PARTS_H
#define RUNTIME_SCORE_DISPATCH_PARTS_H

#include "runtime/data/shardstore.h"
#include "runtime/score/dispatch.h"

/* dispatch_leases.c: leases given, ended, taken back. */

/* Leases for this worker; for every worker that may have more. */
void dispatch_serve(struct dispatch *dispatch, int64_t now_ms, uint32_t index,
                    struct outbox *outbox);
void dispatch_serve_all(struct dispatch *dispatch, int64_t now_ms, struct outbox *outbox);
void dispatch_on_scored(struct dispatch *dispatch, int64_t now_ms, uint32_t index,
                        const struct message_scored *scored, struct outbox *outbox);
/* The worker's leases are taken back, for this cause. */
void dispatch_take_back(struct dispatch *dispatch, int64_t now_ms, uint32_t index,
                        enum ledger_cause cause, struct outbox *outbox);

/* dispatch_record.c: rows for the store, lines for the session. */

uint64_t dispatch_rows_done(const struct dispatch *dispatch);
/* Before every change of their number: counts the slots used until now. */
void dispatch_count_slots(struct dispatch *dispatch, int64_t now_ms);
void dispatch_put_job(struct dispatch *dispatch, int64_t now_ms, struct outbox *outbox);
void dispatch_put_worker(const struct dispatch *dispatch, uint32_t index, const char *state,
                         struct outbox *outbox);
void dispatch_put_event(const struct dispatch *dispatch, int64_t now_ms, int64_t index,
                        const char *event, struct outbox *outbox, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
void dispatch_report(const struct dispatch *dispatch, int64_t now_ms, enum job_event_kind kind,
                     struct outbox *outbox);
void dispatch_note_progress(struct dispatch *dispatch, int64_t now_ms, struct outbox *outbox);

/* dispatch.c */
void dispatch_finish(struct dispatch *dispatch, int64_t now_ms, struct outbox *outbox);

#endif
