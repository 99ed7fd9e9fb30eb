/*
 * sql_host.h - the engine's host seam (extension/engine/host/host.h) over a database.
 */
#ifndef EXTENSION_SQL_SQL_HOST_H
#define EXTENSION_SQL_SQL_HOST_H

#include <limits.h>

#include "extension/engine/host/host.h"
#include "extension/sql/database.h"

struct sql_host {
    const struct database *database; /* borrowed */
    char program[PATH_MAX];
    char state[PATH_MAX];  /* "": the user's own */
    const char *job_login; /* as which the processes of jobs log in; "": there is none. Borrowed */
    /* The transaction that published last (an xid8). Where its end is not known it is put into
     * the host of another session, which then publishes nothing that is there already. */
    char publisher[24];
    /* The table of the only model that is read, whose name has been looked up; 0: names are. */
    uint32_t relation;
    struct host host; /* what the engine gets; .self is this struct, which must not move */
};

#endif
