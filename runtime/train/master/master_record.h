/*
 * master_record.h - rows in the job's store, and reports to the session.
 */
#pragma once

#include "runtime/train/master/master.h"

struct message_progress;

/* The crew's calls. */
void master_fill_row(const void *leader, struct job_row *row);
void master_fill_report(const void *leader, struct job_event *event);

void master_put_worker(const struct master *master, uint32_t index, const char *state,
                       uint32_t lanes, struct outbox *outbox);
/* A line for the user. */
void master_notice(const struct master *master, int64_t now_ms, struct outbox *outbox,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));
void master_note_progress(struct master *master, int64_t now_ms,
                          const struct message_progress *progress, struct outbox *outbox);
/* Rows whose result no connected worker has count as redone. */
void master_note_lost_rows(struct master *master);
