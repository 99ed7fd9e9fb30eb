#include "k8s/loop/exchange.h"

#include <stdlib.h>

#include "k8s/client/api_answer.h"
#include "k8s/client/http_collect.h"
#include "runtime/loop/loop_source.h"

#define WAIT_MS_MIN 200
#define WAIT_MS_MAX 10000

struct exchange {
    struct loop_source *timer;
    struct http_request request;
    int tries_left, tries_made;
    struct exchange_reader reader;
    struct http_collect collect; /* answer to the try that is under way */
};

static void drop(struct exchange *exchange)
{
    loop_remove_source(exchange->timer);
    http_request_deinit(&exchange->request);
    free(exchange);
}

static void wait_a_little(struct exchange *exchange, const struct api_answer *answer)
{
    const int doublings = exchange->tries_made < 6 ? exchange->tries_made : 6;
    int64_t wait_ms = (int64_t)WAIT_MS_MIN << doublings;

    if (answer->retry_after_ms > wait_ms)
        wait_ms = answer->retry_after_ms;
    exchange->tries_made++;
    loop_source_wake_in(exchange->timer, wait_ms < WAIT_MS_MAX ? wait_ms : WAIT_MS_MAX);
}

static void on_answer(void *context, enum status status, struct api_answer *answer,
                      const struct error *err)
{
    struct exchange *exchange = context;
    struct exchange_reader reader = exchange->reader;

    if (exchange->tries_left > 0 && api_is_passing(status, answer)) {
        wait_a_little(exchange, answer);
    } else {
        drop(exchange);
        reader.on_answer(reader.context, status, answer, err);
    }
    api_answer_deinit(answer);
}

static void on_time(void *context)
{
    struct exchange *exchange = context;
    struct api_answer answer = {.retry_after_ms = -1};
    struct error err;
    enum status status;

    error_clear(&err);
    exchange->tries_left--;
    status = http_collect_start(&exchange->collect, &err);
    if (status != STATUS_OK)
        on_answer(exchange, status, &answer, &err);
}

enum status exchange_start(struct loop *loop, struct client *client, struct http_request *request,
                           const char *what, int tries, const struct exchange_reader *reader,
                           struct exchange **out, struct error *err)
{
    struct exchange *exchange = calloc(1, sizeof *exchange);
    struct loop_source_calls calls = {exchange, NULL, on_time};
    enum status status;

    if (!exchange) {
        http_request_deinit(request);
        return fail_no_memory(err);
    }
    *exchange = (struct exchange){.request = *request, .tries_left = tries, .reader = *reader};
    exchange->collect = (struct http_collect){.http = client_http(client),
                                              .request = &exchange->request,
                                              .what = what,
                                              .bytes_max = API_ANSWER_BYTES_MAX,
                                              .context = exchange,
                                              .on_answer = on_answer};
    http_request_init(request);
    status = loop_add_source(loop, &calls, &exchange->timer, err);
    if (status != STATUS_OK) {
        drop(exchange);
        return status;
    }
    loop_source_wake_in(exchange->timer, 0);
    *out = exchange;
    return STATUS_OK;
}

void exchange_cancel(struct exchange *exchange)
{
    if (!exchange)
        return;
    http_collect_cancel(&exchange->collect);
    drop(exchange);
}
