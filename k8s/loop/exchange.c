#include "k8s_loop/exchange.h"

#include <stdlib.h>

#define WAIT_MS_MIN 200
#define WAIT_MS_MAX 10000

struct exchange {
    struct client *client;
    struct loop_guest *timer;
    struct http_request request;
    const char *what;
    int tries_left, tries_made;
    struct exchange_reader reader;
    struct http_call *call; /* NULL: waits for its timer */
    int code;
    int64_t retry_after_ms;
    struct text body;
};

static void drop(struct exchange *exchange)
{
    loop_remove_guest(exchange->timer);
    http_request_deinit(&exchange->request);
    text_deinit(&exchange->body);
    free(exchange);
}

static void on_head(void *context, int code, int64_t retry_after_ms)
{
    struct exchange *exchange = context;

    exchange->code = code;
    exchange->retry_after_ms = retry_after_ms;
}

static bool on_bytes(void *context, struct slice bytes)
{
    struct exchange *exchange = context;

    text_append(&exchange->body, bytes);
    return !exchange->body.failed;
}

static void wait_a_little(struct exchange *exchange, const struct api_answer *answer)
{
    const int doublings = exchange->tries_made < 6 ? exchange->tries_made : 6;
    int64_t wait_ms = (int64_t)WAIT_MS_MIN << doublings;

    if (answer->retry_after_ms > wait_ms)
        wait_ms = answer->retry_after_ms;
    exchange->tries_made++;
    loop_guest_wake_in(exchange->timer, wait_ms < WAIT_MS_MAX ? wait_ms : WAIT_MS_MAX);
}

static void finish(struct exchange *exchange, enum status status, struct error *err)
{
    struct api_answer answer = {.retry_after_ms = -1};
    struct exchange_reader reader = exchange->reader;

    if (status == STATUS_OK)
        status = api_answer_read(exchange->code, exchange->retry_after_ms,
                                 text_slice(&exchange->body), exchange->what, &answer, err);
    if (exchange->tries_left > 0 && api_is_passing(status, &answer)) {
        wait_a_little(exchange, &answer);
        api_answer_deinit(&answer);
        return;
    }
    drop(exchange);
    reader.on_answer(reader.context, status, &answer, err);
    api_answer_deinit(&answer);
}

static void on_end(void *context, enum status status, const struct error *err)
{
    struct exchange *exchange = context;
    struct error why = *err;

    exchange->call = NULL;
    finish(exchange, status, &why);
}

static void on_time(void *context)
{
    struct exchange *exchange = context;
    struct http_sink sink = {exchange, on_head, on_bytes, on_end};
    struct error err;
    enum status status;

    error_clear(&err);
    exchange->tries_left--;
    exchange->code = 0;
    exchange->retry_after_ms = -1;
    text_clear(&exchange->body);
    status =
        http_start(client_http(exchange->client), &exchange->request, &sink, &exchange->call, &err);
    if (status == STATUS_OK)
        return;
    exchange->call = NULL;
    finish(exchange, status, &err);
}

enum status exchange_start(struct loop *loop, struct client *client, struct http_request *request,
                           const char *what, int tries, const struct exchange_reader *reader,
                           struct exchange **out, struct error *err)
{
    struct exchange *exchange = calloc(1, sizeof *exchange);
    struct guest_calls calls = {exchange, NULL, on_time};
    enum status status;

    if (!exchange) {
        http_request_deinit(request);
        return fail_no_memory(err);
    }
    *exchange = (struct exchange){.client = client,
                                  .request = *request,
                                  .what = what,
                                  .tries_left = tries,
                                  .reader = *reader};
    http_request_init(request);
    text_init(&exchange->body, API_ANSWER_BYTES_MAX);
    status = loop_add_guest(loop, &calls, &exchange->timer, err);
    if (status != STATUS_OK) {
        drop(exchange);
        return status;
    }
    loop_guest_wake_in(exchange->timer, 0);
    *out = exchange;
    return STATUS_OK;
}

void exchange_cancel(struct exchange *exchange)
{
    if (!exchange)
        return;
    if (exchange->call)
        http_cancel(exchange->call);
    drop(exchange);
}
