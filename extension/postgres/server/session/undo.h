/*
 * undo.h - what happens to a job at the end of the transaction that it is part of.
 *
 *                       committed                  rolled back
 *     a trained model   unpublished.json goes:     it stays, with the reason: the job is
 *                       the job is DONE            UNPUBLISHED, totrain.publish(job) writes it
 *     a table whose     unwritten.json goes:       the folder goes: the table never existed
 *     rows are the      the job is DONE
 *     session's
 *     another table     as a model                 as a model
 *
 * A prepared transaction ends in another session: transaction_state() returns its outcome.
 */
#pragma once

#include "extension/postgres/server/session/compat.h"

#include "extension/engine/host/host.h"

/* Remove this folder should the current (sub)transaction be rolled back. */
void undo_note(const struct job_folder *folder);

/* The model or the table of this job was written by the current (sub)transaction. From now on
 * totrain.jobs asks what became of it. Throws. */
void undo_note_written(const struct job_folder *folder);

/* The same as host_jobs.transaction_state. Throws nothing. */
enum transaction_state undo_transaction_state(void *self, const char *transaction, char *who,
                                              size_t size);

/* Once a process. */
void undo_install(void);
