/*
 * dispatch_record.h - the dispatcher's rows in the job's store, and its reports.
 */
#ifndef RUNTIME_SCORE_DISPATCH_RECORD_H
#define RUNTIME_SCORE_DISPATCH_RECORD_H

#include "runtime/launch/job_event.h"
#include "runtime/score/dispatch.h"

/* The job's row as it is now. */
struct job_row dispatch_job_row(struct dispatch *dispatch, int64_t now_ms);

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

#endif
