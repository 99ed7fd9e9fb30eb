/*
 * request.h - which call of the console an HTTP request is, and whether it may be made.
 *
 *     GET  /TOKEN/                            the page; console.js, console.css, icon.svg beside it
 *     GET  /TOKEN/stream                      ticks: server-sent events
 *     GET  /TOKEN/jobs?since=VERSION          jobs that changed since
 *     GET  /TOKEN/job?id=ID&events=N&metrics=N     workers, and what came behind the first N
 *     GET  /TOKEN/log?id=ID&from=BYTE         more of the job's log
 *     GET  /TOKEN/models, model?name=NAME     tables of SHOW MODELS, and of one model
 *     GET  /TOKEN/picture?name=NAME&kind=KIND&theme=THEME, report?name=NAME
 *     POST /TOKEN/cancel, scale               id, workers, servers in the body, as of a form
 *
 * Three things keep others out. The token in the path, which no page of another site and no other
 * user of this machine knows. The Host header, which must name the loopback: a name of a stranger's
 * that leads to 127.0.0.1 (DNS rebinding) does not. A request that changes
 * something has a second token, in a header that no form can send, and the console's own Origin.
 *
 * A pure function of bytes that anybody may send.
 */
#pragma once

#include <stdint.h>

#include "base/text.h"

#define CONSOLE_TOKEN_BYTES 32   /* hexadecimal digits */
#define CONSOLE_TARGET_MAX  4096 /* bytes of a path and its query */
#define CONSOLE_BODY_MAX    1024
#define CONSOLE_NAME_MAX    512 /* bytes of a model's name, as statements write it */
#define CONSOLE_OWNER_MAX   255 /* bytes of a role's name */
#define CONSOLE_CSRF_HEADER "X-Totrain-Csrf"
#define CONSOLE_WORKERS_MAX 1000000

enum console_call {
    CONSOLE_PAGE,
    CONSOLE_SCRIPT,
    CONSOLE_SHEET,
    CONSOLE_ICON,
    CONSOLE_STREAM,
    CONSOLE_JOBS,
    CONSOLE_JOB,
    CONSOLE_LOG,
    CONSOLE_MODELS,
    CONSOLE_MODEL,
    CONSOLE_PICTURE,
    CONSOLE_REPORT,
    CONSOLE_CANCEL,
    CONSOLE_SCALE
};

/* Borrowed from the request; a header that is not there has size 0. */
struct console_given {
    bool is_post;
    struct slice target; /* path and query as they were sent */
    struct slice host, origin, csrf;
    struct slice body;
};

struct console_secrets {
    char token[CONSOLE_TOKEN_BYTES + 1], csrf[CONSOLE_TOKEN_BYTES + 1];
};

struct console_request {
    enum console_call call;
    int64_t id;                        /* a job's */
    int64_t workers, servers;          /* SCALE; 0: not given */
    uint64_t since;                    /* JOBS: a version of the list */
    uint64_t events, metrics;          /* JOB: rows that the page has */
    uint64_t from;                     /* LOG: bytes that the page has */
    char name[CONSOLE_NAME_MAX + 1];   /* a model's */
    char kind[32], theme[8];           /* PICTURE */
    char owner[CONSOLE_OWNER_MAX + 1]; /* the role whose job it is; empty: there are no roles */
};

/* The status of HTTP: 200; 400 for arguments that are none, 403 for a stranger, 404, 405 for the
 * wrong method. */
int console_request_read(const struct console_given *given, const struct console_secrets *secrets,
                         struct console_request *request);
