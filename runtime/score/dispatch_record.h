/*
 * dispatch_record.h - the dispatcher's rows in the job's store, and its reports.
 */
#pragma once

#include "runtime/score/dispatch.h"

/* The crew's calls. */
void dispatch_fill_row(const void *leader, struct job_row *row);
void dispatch_fill_report(const void *leader, struct job_event *event);

uint64_t dispatch_rows_done(const struct dispatch *dispatch);
void dispatch_put_worker(const struct dispatch *dispatch, uint32_t index, const char *state,
                         struct outbox *outbox);
/* A row and a report where they are due. */
void dispatch_note_progress(struct dispatch *dispatch, int64_t now_ms, struct outbox *outbox);
