/*
 * undo.h - a transaction that is rolled back leaves none of the jobs that it trained.
 *
 * A job that failed keeps its folder and its log, as behind any other door. One that
 * gave a model has no reason to be there when nobody ever had the model.
 */
#ifndef POSTGRES_HOST_UNDO_H
#define POSTGRES_HOST_UNDO_H

#include "postgres_host/compat.h"

#include "launch/launch.h"

/* Remove this folder should the current (sub)transaction be rolled back. */
void undo_note(const struct job_folder *folder);

/* Once a process. */
void undo_install(void);

#endif
