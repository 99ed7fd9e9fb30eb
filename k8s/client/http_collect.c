#include "k8s/client/http_collect.h"

#include <string.h>

#include "k8s/client/api_answer.h"

static void on_head(void *context, int code, int64_t retry_after_ms)
{
    struct http_collect *collect = context;

    collect->code = code;
    collect->retry_after_ms = retry_after_ms;
}

static bool on_bytes(void *context, struct slice bytes)
{
    struct http_collect *collect = context;

    text_append(&collect->body, bytes);
    return !collect->body.failed;
}

static enum status begin_try(struct http_collect *collect, struct error *err);

/* Overwrites the body, which may hold a Secret. */
static void drop_body(struct http_collect *collect)
{
    if (collect->body.data)
        explicit_bzero(collect->body.data, collect->body.capacity);
    text_deinit(&collect->body);
}

static void on_end(void *context, enum status status, const struct error *why)
{
    struct http_collect *collect = context;
    struct api_answer answer = {.retry_after_ms = -1};
    struct error err = *why;

    collect->call = NULL;
    if (status == STATUS_OK && collect->code == 401 && !collect->is_second &&
        http_can_renew(collect->http)) {
        collect->is_second = true;
        drop_body(collect);
        status = begin_try(collect, &err);
        if (status == STATUS_OK)
            return;
    } else if (status == STATUS_OK) {
        status = api_answer_read(collect->code, collect->retry_after_ms, text_slice(&collect->body),
                                 collect->what, &answer, &err);
    }
    drop_body(collect);
    collect->on_answer(collect->context, status, &answer, &err);
}

static enum status begin_try(struct http_collect *collect, struct error *err)
{
    struct http_sink sink = {collect, on_head, on_bytes, on_end};

    collect->code = 0;
    collect->retry_after_ms = -1;
    text_init(&collect->body, collect->bytes_max);
    collect->call = NULL;
    return http_start(collect->http, collect->request, &sink, &collect->call, err);
}

enum status http_collect_start(struct http_collect *collect, struct error *err)
{
    collect->is_second = false;
    return begin_try(collect, err);
}

void http_collect_cancel(struct http_collect *collect)
{
    if (!collect->call)
        return;
    http_cancel(collect->call);
    collect->call = NULL;
    drop_body(collect);
}
