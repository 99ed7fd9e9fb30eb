/*
 * error.h - the one way to fail.
 *
 * A function that can fail returns an `enum status` and takes a `struct error
 * *` as its last argument, filled where the reason is known. The struct
 * owns no memory, so it works when memory has run out. Bad input, a lost
 * connection and a full disk are returned; only our own mistakes are asserted.
 */
#pragma once

#include "base/text.h"

/* ----- statuses ----- */

/* The exit code of `totrain` and of pods stands beside each status:
 * 0 done, 1 job failed, 2 usage or SQL error, 3 connection, 4 permission,
 * 5 refused by limits, 130 interrupted. */
#define STATUS_MAP(X)                                                                              \
    X(OK, 0, "ok")                                                                                 \
    X(SYNTAX, 2, "the text is not a statement")                                                    \
    X(INVALID, 2, "the statement parses but cannot run")                                           \
    X(UNSUPPORTED, 2, "not supported yet")                                                         \
    X(NOT_FOUND, 2, "no such object")                                                              \
    X(DATABASE, 2, "the database refused")                                                         \
    X(BUSY, 3, "it is in use")                                                                     \
    X(CONNECTION, 3, "the other side is gone")                                                     \
    X(PERMISSION, 4, "not allowed")                                                                \
    X(LIMIT, 5, "a limit is reached")                                                              \
    X(NO_MEMORY, 5, "out of memory")                                                               \
    X(IO, 1, "reading or writing failed")                                                          \
    X(CORRUPT, 1, "stored bytes are not what was written")                                         \
    X(PROTOCOL, 1, "a message breaks the protocol")                                                \
    X(STALE, 1, "a newer lease or epoch exists")                                                   \
    X(FAILED, 1, "the job failed")                                                                 \
    X(DIVERGED, 1, "learning went to numbers that are not finite")                                 \
    X(INTERRUPTED, 130, "interrupted")

enum status {
#define X(name, exit_code, text) STATUS_##name,
    STATUS_MAP(X)
#undef X
};

struct error {
    enum status status;
    int position;      /* byte offset in the SQL text; -1 when none applies */
    char message[512]; /* one line, lower case, no full stop */
    char hint[512];    /* the remedy, a sentence; may be empty */
};

/* ----- passing errors on ----- */

/* Return early with whatever failed. Needs `enum status` as the return type. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        enum status try_status = (call);                                                           \
        if (try_status != STATUS_OK)                                                               \
            return try_status;                                                                     \
    } while (0)

/* TRY for a function that has something to release first. */
#define TRY_OR(label, variable, call)                                                              \
    do {                                                                                           \
        (variable) = (call);                                                                       \
        if ((variable) != STATUS_OK)                                                               \
            goto label;                                                                            \
    } while (0)

/* ----- filling an error ----- */

void error_clear(struct error *err);

/* Fill err (no position, no hint) and return the status. A NULL err is fine. */
enum status fail(struct error *err, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* fail with a byte offset of the SQL text. */
enum status fail_at(struct error *err, enum status status, int position, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* fail with the text of errno. */
enum status fail_errno(struct error *err, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

enum status fail_no_memory(struct error *err);

/* Set the hint and return err->status, so that
 * `return fail_at(...), error_hint(err, "...")` reads as one step. */
enum status error_hint(struct error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Where the statement speaks of what failed, for a caller of what knows no
 * statement: the position unless there is one already. Returns err->status. */
enum status error_place(struct error *err, int position);

/* An error as another process sent it: a number that is no status is FAILED. */
void error_restore(struct error *err, uint32_t status, struct slice message, struct slice hint);

/* ----- names and texts ----- */

const char *status_name(enum status status); /* "INVALID" */
const char *status_text(enum status status);
int status_exit_code(enum status status);

/*
 * Append the error as a person reads it, the same through every door:
 *
 *     ERROR:  label column "churned" is not among the columns of the query
 *     LINE 1: SELECT * FROM churn TO TRAIN LinearClassifier LABEL churned INTO m;
 *                                                                 ^
 *     HINT:  The query has id, age, plan, has_churned.
 *
 * The LINE part only where err->position points into `sql`. A long line is cut
 * on both sides around the position; the caret counts characters, not bytes.
 * Control characters become ?, so that no escape sequence of the SQL reaches the terminal.
 */
void error_render(const struct error *err, struct slice sql, struct text *out);

/* Texts that a terminal needs before each part of an error, and after it. */
struct error_style {
    const char *label, *message, *caret, *hint, *end;
};

/* error_render in the colours of a style. */
void error_render_styled(const struct error *err, struct slice sql, const struct error_style *style,
                         struct text *out);
