/*
 * search.h - how long a worker has been without its master.
 *
 *     start, disconnect --> searching --a message of the master, or a connection
 *                              |        that has lasted SEARCH_FOUND_MS--> found
 *                              +--limit_ms--> over: the worker ends
 *
 * Where there is a supervisor it ends its workers itself. Where there is none, a worker
 * whose connection was cut does not learn that the job is over: it would look for its
 * master for ever. A connection by itself proves nothing, since another process may have
 * the address by now; a master whose group is complete, on the other hand, may have no
 * message for it.
 *
 * Pure: the caller passes the time in milliseconds.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SEARCH_FOUND_MS 10000 /* longer than connecting and the handshake may take */
#define SEARCH_SECONDS  900   /* a master's Pod is put elsewhere after five minutes */

struct search {
    int64_t limit_ms; /* 0: it never is over */
    bool is_on;
    int64_t since;
};

/* No master is connected: the search begins unless it has begun. */
void search_begin(struct search *search, int64_t now_ms);
void search_end(struct search *search);
/* Once a tick. connected_at: of the present connection or attempt; -1: there is none. */
bool search_is_over(struct search *search, int64_t now_ms, int64_t connected_at);
