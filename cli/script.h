/*
 * script.h - a program of SQL and of our statements, run piece by piece.
 */
#ifndef CLI_SCRIPT_H
#define CLI_SCRIPT_H

#include "format.h"
#include "progress.h"
#include "sqlite_host/host.h"

struct session {
    sqlite3 *db;
    struct sqlite_host host;
    struct formatter formatter;
    struct progress progress;
    bool is_coloured; /* errors, on a terminal */
    bool is_timed;    /* say how long each statement took */
};

/* CONNECTION when the database cannot be opened. A file that is not there is
 * made, as sqlite3 does. */
enum status session_open(struct session *session, const char *path, enum format format,
                         enum progress_mode progress, struct error *err);
void session_close(struct session *session);

/* Run every statement of the text, up to the first error, which is printed to
 * standard error with its line and caret. */
enum status session_run(struct session *session, struct slice text);
/* Has Ctrl-C come since the last clear? */
bool session_is_interrupted(void);
/* Forget an interrupt that was answered. */
void session_clear_interrupt(void);

#endif
