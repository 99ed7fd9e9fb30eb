#include "k8s/client/http_exchange.h"

#include "k8s/client/api_answer.h"
#include "k8s/client/http_collect.h"

#define WAIT_MS_MIN 200
#define WAIT_MS_MAX 10000

struct exchange {
    bool has_ended;
    enum status status;
    struct api_answer *answer;
    struct error *err;
};

static void on_answer(void *context, enum status status, struct api_answer *answer,
                      const struct error *err)
{
    struct exchange *exchange = context;

    exchange->has_ended = true;
    exchange->status = status;
    *exchange->answer = *answer;
    *exchange->err = *err;
}

enum status http_exchange(struct http *http, const struct http_request *request, const char *what,
                          struct api_answer *answer, struct error *err)
{
    struct exchange exchange = {.answer = answer, .err = err};
    struct http_collect collect = {.http = http,
                                   .request = request,
                                   .what = what,
                                   .bytes_max = API_ANSWER_BYTES_MAX,
                                   .context = &exchange,
                                   .on_answer = on_answer};
    enum status status;

    *answer = (struct api_answer){.retry_after_ms = -1};
    TRY(http_collect_start(&collect, err));
    status = http_run(http, -1, err);
    http_collect_cancel(&collect); /* else it would end in what is no more */
    return exchange.has_ended ? exchange.status : status;
}

static int64_t wait_before(int attempt, const struct api_answer *answer)
{
    int64_t wait_ms = (int64_t)WAIT_MS_MIN << (attempt < 6 ? attempt : 6);

    if (answer->retry_after_ms > wait_ms)
        wait_ms = answer->retry_after_ms;
    return wait_ms < WAIT_MS_MAX ? wait_ms : WAIT_MS_MAX;
}

enum status http_exchange_again(struct http *http, const struct http_request *request,
                                const char *what, int tries, struct api_answer *answer,
                                struct error *err)
{
    for (int attempt = 0;; attempt++) {
        enum status status = http_exchange(http, request, what, answer, err);

        if (attempt + 1 >= tries || !api_is_passing(status, answer))
            return status;
        TRY(http_run(http, wait_before(attempt, answer), err));
    }
}

static enum status adopt(struct http *http, const struct api_target *target, const cJSON *object,
                         int tries, struct api_answer *answer, struct error *err)
{
    struct api_target existing = *target;
    struct http_request request;
    enum status status;

    existing.name = API_TEXT(object, "metadata", "name");
    http_request_init(&request);
    status = api_get(&request, &existing, err);
    if (status == STATUS_OK)
        status =
            http_exchange_again(http, &request, "get what is there already", tries, answer, err);
    if (status == STATUS_OK && api_may_adopt(answer->object, object, err) != STATUS_OK) {
        status = err->status;
        api_answer_deinit(answer);
    }
    http_request_deinit(&request);
    return status;
}

enum status http_create_or_adopt(struct http *http, const struct api_target *target,
                                 const cJSON *object, int tries, struct api_answer *answer,
                                 struct error *err)
{
    struct http_request request;
    enum status status;

    http_request_init(&request);
    status = api_create(&request, target, object, err);
    if (status == STATUS_OK)
        status = http_exchange_again(http, &request, "create an object", tries, answer, err);
    http_request_deinit(&request);
    if (status == STATUS_BUSY && slice_is(slice_of(answer->reason), "AlreadyExists"))
        return adopt(http, target, object, tries, answer, err);
    return status;
}
