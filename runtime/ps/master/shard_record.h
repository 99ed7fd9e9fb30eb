/*
 * shard_record.h - the rows of a job on parameter servers in its store, and its reports.
 */
#pragma once

#include "runtime/ps/master/shard_master.h"

/* The crew's call. A step is a batch. */
void shard_fill_row(const void *leader, struct job_row *row);

/* The member's index, as rows, events and the launcher have it: servers are behind the workers. */
uint32_t shard_index_of(const struct shard_master *master, const struct shard_member *member);
/* A shard is done, of which a worker has reported the loss. With the last one of an epoch its mean
 * is stored. */
void shard_note_loss(struct shard_master *master, uint32_t shard, struct batch_loss loss,
                     struct outbox *outbox);
/* Notes the loss of some batches of a shard that is not done yet: they count with it. */
void shard_note_part(struct shard_master *master, uint32_t shard, struct batch_loss loss);
/* A row and a line where they are due. */
void shard_fill_report(const void *leader, struct job_event *event);
void shard_note_progress(struct shard_master *master, int64_t now_ms, struct outbox *outbox);
