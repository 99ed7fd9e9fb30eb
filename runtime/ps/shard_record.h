/*
 * shard_record.h - the rows of a job on parameter servers in its store, and its reports.
 */
#ifndef RUNTIME_PS_SHARD_RECORD_H
#define RUNTIME_PS_SHARD_RECORD_H

#include "runtime/launch/job_event.h"
#include "runtime/ps/shard_master.h"

/* The job's row as it is now. A step is a batch. */
struct job_row shard_master_job_row(struct shard_master *master, int64_t now_ms);

/* Before every change of the number of workers: counts the slots used until now. */
void shard_count_slots(struct shard_master *master, int64_t now_ms);
void shard_put_job(struct shard_master *master, int64_t now_ms, struct outbox *outbox);
/* The index in rows, events and for the launcher: servers come behind the workers. */
uint32_t shard_index_of(const struct shard_master *master, const struct shard_member *member);
void shard_put_member(const struct shard_master *master, const struct shard_member *member,
                      const char *state, struct outbox *outbox);
/* -1: the master's own. */
void shard_put_event(const struct shard_master *master, int64_t now_ms, int64_t index,
                     const char *event, struct outbox *outbox, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
void shard_report(const struct shard_master *master, int64_t now_ms, enum job_event_kind kind,
                  struct outbox *outbox);
/* A shard is done, of which a worker has reported the loss. With the last one of an epoch its mean
 * is stored. */
void shard_note_loss(struct shard_master *master, uint32_t shard, struct batch_loss loss,
                     struct outbox *outbox);
/* Notes the loss of some batches of a shard that is not done yet: they count with it. */
void shard_note_part(struct shard_master *master, uint32_t shard, struct batch_loss loss);
/* A row and a line where they are due. */
void shard_note_progress(struct shard_master *master, int64_t now_ms, struct outbox *outbox);

#endif
