/*
 * http_collect.h - one request and its whole answer, in memory.
 *
 *     http_collect_start --> head, bytes, bytes, ... --> on_answer
 *              ^                                |
 *              +---- 401, and there may be other credentials by now: once more
 *
 * For all that is no stream: http_exchange, which blocks, and the calls in the loop
 * of a role (k8s/loop/).
 */
#pragma once

#include "k8s/client/api_answer.h"
#include "k8s/client/http.h"

struct http_collect {
    /* Set by the caller; borrowed until on_answer, the request too. */
    struct http *http;
    const struct http_request *request;
    const char *what; /* the first argument of api_answer_read */
    size_t bytes_max; /* LIMIT beyond */
    void *context;
    /* Once, not after http_collect_cancel, and not from within http_collect_start: what
     * api_answer_read made of the answer, or why none came whole. The receiver frees the answer,
     * and may start this or another one. */
    void (*on_answer)(void *context, enum status status, struct api_answer *answer,
                      const struct error *err);

    /* Its own. */
    struct http_call *call; /* NULL: nothing is under way */
    bool is_second;
    int code; /* 0: no head yet */
    int64_t retry_after_ms;
    struct text body;
};

/* Errors of http_start: nothing is under way then, and nothing is to be freed. */
enum status http_collect_start(struct http_collect *collect, struct error *err);
void http_collect_cancel(struct http_collect *collect); /* nothing under way: nothing */
