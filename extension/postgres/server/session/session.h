/*
 * session.h - the backend that we are loaded into, seen from the engine.
 *
 *     engine --host.h--> postgres_host --database.h--> database_spi.c --SPI--> backend
 *
 * PostgreSQL throws: ereport() jumps out of any of its functions. The engine
 * returns: it has memory, files and processes to release. So nothing is thrown
 * through the engine. Each call of PostgreSQL that the engine leads to is made
 * by session_guard(), which catches, takes back what the call did (an internal
 * subtransaction), and returns a status. An error that the engine then returns
 * to the door is thrown there (session_raise), as PostgreSQL's own error where
 * it was one.
 *
 * An interrupt (Ctrl-C, statement_timeout, a conflict with recovery) is caught
 * too, stored, and thrown again by the door; until then interrupted() is true. A
 * request to end the backend is not caught: it exits, and the kernel closes the
 * lifelines of its jobs.
 */
#pragma once

#include "extension/postgres/server/session/compat.h"

#include "extension/engine/host/sink.h"
#include "extension/sql/database.h"

struct session {
    struct database database;
    MemoryContext memory; /* the caller's: errors are kept in it */
    /* Nothing is taken back, all errors are interrupts: for functions, which run
     * where no subtransaction can begin (a parallel worker). They only read. */
    bool is_function;
    const char *sql;      /* the statement that runs, in the server's encoding */
    ErrorData *interrupt; /* to be thrown again; NULL: none */
    ErrorData *last;      /* the last error that was returned */
};

/* In CurrentMemoryContext. */
void session_init(struct session *session, bool is_function);

/* Call PostgreSQL, in a subtransaction that is undone unless body returns OK. */
enum status session_guard(struct session *session,
                          enum status (*body)(struct session *session, void *call,
                                              struct error *err),
                          void *call, struct error *err);

/* Call PostgreSQL where the caller takes back what it did. err may be NULL. */
enum status session_catch(struct session *session, void (*body)(void *call), void *call,
                          struct error *err);

/* Call PostgreSQL for something that changes nothing in the database, as a NOTICE
 * is; what it throws is kept as an interrupt. */
void session_try(struct session *session, void (*body)(void *call), void *call);

/* True after an interrupt. Also runs what the server asks every backend to do. */
bool session_interrupted(void *session);

/* ereport(ERROR). `position` in err is in `text`: where `is_query`, that is what the client
 * sent, and it can show the place; else it is shown beside it. */
void session_raise(struct session *session, const struct error *err, struct slice text,
                   bool is_query) __attribute__((noreturn));

/* Text of the server's encoding as UTF-8 and back, in CurrentMemoryContext where
 * it must be converted. */
struct slice session_to_utf8(const char *text, size_t size);
char *session_from_utf8(struct slice text);
/* The same for people, where nothing may be thrown: a text that cannot be converted (a database
 * of encoding SQL_ASCII has any bytes) has a ? for each byte beyond ASCII. */
struct slice session_shown(const char *text);
