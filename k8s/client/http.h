/*
 * http.h - HTTP to one API server, by libcurl. The only file that knows it.
 *
 *     http_start --> on_head --> on_bytes, on_bytes, ... --> on_end
 *                      |                                       ^
 *                      +---- http_cancel: nothing is called any more
 *
 * Two ways to wait. With a driver (the loop of a role, k8s/loop/) nothing here
 * blocks: curl's sockets and timer are the driver's, which calls http_on_socket
 * and http_on_time. Without one, http_exchange and http_run block.
 *
 * TLS 1.2 or newer, certificates checked; HTTP/1.1, so that a watch that stalls
 * holds up nothing else; no redirects, cookies, .netrc or proxy from the
 * environment. A token of a file is read again before each request, that of a
 * program when it has expired, and credentials of a kubeconfig after a 401. No header and no body
 * is ever logged or quoted.
 */
#pragma once

#include "k8s/client/access.h"
#include "k8s/client/api.h"

#define HTTP_CONNECT_MS_MAX 5000
#define HTTP_CALLS_MAX      4096 /* under way at a time */

enum { HTTP_CAN_READ = 1, HTTP_CAN_WRITE = 2 };

struct http_driver {
    void *context;
    /* Call http_on_socket when the descriptor can `what`; 0: forget it. */
    void (*watch)(void *context, int fd, unsigned what);
    /* Call http_on_time once in so many milliseconds, instead of before; -1: never. */
    void (*wake_in)(void *context, int64_t ms);
};

struct http_sink {
    void *context;
    /* Once, before any byte. retry_after_ms: -1 where the head has none. */
    void (*on_head)(void *context, int code, int64_t retry_after_ms);
    /* False ends the call, with on_end(LIMIT). */
    bool (*on_bytes)(void *context, struct slice bytes);
    /* The last call, not after http_cancel: OK when the whole answer came, with any HTTP code;
     * CONNECTION, PERMISSION (TLS), LIMIT. The call has been freed; from here, and not from the two
     * above, others may be started. */
    void (*on_end)(void *context, enum status status, const struct error *err);
};

struct http;
struct http_call;

/* Borrows what `access` points to. driver NULL: blocking. */
enum status http_new(const struct kube_access *access, const struct http_driver *driver,
                     struct http **http, struct error *err);
void http_free(struct http *http); /* cancels what is under way */

/* The request may be dropped at once. Errors of getting credentials. */
enum status http_start(struct http *http, const struct http_request *request,
                       const struct http_sink *sink, struct http_call **call, struct error *err);
void http_cancel(struct http_call *call);
/* Its credentials may be others at the next request: a file's, a program's. */
bool http_can_renew(const struct http *http);

/* From the driver. */
void http_on_socket(struct http *http, int fd, unsigned what);
void http_on_time(struct http *http);

/* Without a driver: until no call is left, or that time has passed (-1: as long
 * as it takes). */
enum status http_run(struct http *http, int64_t timeout_ms, struct error *err);
