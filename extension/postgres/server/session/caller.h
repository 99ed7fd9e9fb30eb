/*
 * caller.h - the role that submitted a job and its settings, for workers that continue it.
 *
 *     session --caller_write--> FOLDER/caller.json --caller_read, caller_become--> worker
 *
 * It outlives the server: roles are OIDs, and settings are those that the session was opened with
 * or has SET; those of the database and of the role come with the connection.
 */
#pragma once

#include "extension/postgres/server/session/compat.h"

#include "base/error.h"
#include "runtime/launch/job_folder.h"

struct caller {
    Oid session_user; /* the role as which the worker connects */
    Oid role;         /* the role of SET ROLE; InvalidOid: none */
    Oid user;         /* the role as which the statement runs */
    int security;     /* flags of that */
    struct caller_setting *settings;
    size_t count;
};

/* Writes the current role and settings into the folder. Throws. */
void caller_write(const struct job_folder *folder);
bool caller_is_written(const char *folder);
/* In CurrentMemoryContext; needs no connection to a database. */
enum status caller_read(const struct job_folder *folder, struct caller *caller, struct error *err);
/* In a transaction. Why nobody may act as the caller: a role was dropped, or is no longer the
 * session user's to take. NULL: it may be done. In CurrentMemoryContext. */
char *caller_refusal(const struct caller *caller);
/* Once connected as the session user, and in no transaction. Throws the refusal. A setting that the
 * server refuses by now is logged. */
void caller_become(const struct caller *caller);
