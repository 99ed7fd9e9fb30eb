#include "k8s/submit/reach.h"

#include "base/process/log.h"
#include "runtime/loop/loop.h"

#define QUIET_MS     1000
#define ASK_MS       1300
#define AGAIN_MS     300
#define FAILURES_MIN 2

void reach_init(struct reach *reach, struct client *client)
{
    *reach = (struct reach){.client = client};
}

static void cancel(struct reach *reach)
{
    if (reach->call)
        http_cancel(reach->call);
    reach->call = NULL;
}

void reach_deinit(struct reach *reach)
{
    cancel(reach);
}

void reach_begin(struct reach *reach, const struct api_target *pod, int64_t now_ms)
{
    cancel(reach);
    reach->pod = *pod;
    reach->heard_ms = now_ms;
    reach->due_ms = now_ms;
    reach->failures = 0;
}

void reach_end(struct reach *reach)
{
    cancel(reach);
    reach->pod = (struct api_target){0};
}

void reach_hear(struct reach *reach, int64_t now_ms)
{
    reach->heard_ms = now_ms;
    reach->due_ms = now_ms + QUIET_MS;
    reach->failures = 0;
    reach->was_heard = true;
}

/* ----- asking ----- */

static void on_head(void *context, int code, int64_t retry_after_ms)
{
    struct reach *reach = context;
    (void)retry_after_ms;

    reach->code = code;
}

static bool on_bytes(void *context, struct slice bytes)
{
    (void)context;
    (void)bytes;
    return true;
}

static void fail_once(struct reach *reach, const char *why)
{
    reach->failures++;
    reach->due_ms = loop_now_ms() + AGAIN_MS;
    log_info("the log of %.*s is out of reach: %s", SLICE_FORMAT(reach->pod.name), why);
}

static void on_end(void *context, enum status status, const struct error *err)
{
    struct reach *reach = context;

    reach->call = NULL;
    if (status != STATUS_OK)
        fail_once(reach, err->message);
    else if (reach->code >= 500)
        fail_once(reach, "the API server does not reach its node");
    else
        reach_hear(reach, loop_now_ms());
}

static enum status ask(struct reach *reach, struct error *err)
{
    const struct http_sink sink = {reach, on_head, on_bytes, on_end};
    const struct api_log wanted = {.container = "master", .tail_lines = 1, .bytes_max = 1};
    struct http_request request;
    enum status status;

    reach->code = 0;
    http_request_init(&request);
    status = api_pod_log(&request, &reach->pod, &wanted, err);
    request.timeout_ms = ASK_MS;
    if (status == STATUS_OK)
        status = http_start(client_http(reach->client), &request, &sink, &reach->call, err);
    http_request_deinit(&request);
    return status;
}

bool reach_is_lost(struct reach *reach, int64_t now_ms)
{
    const int64_t patience_ms = reach->was_heard ? REACH_LOST_MS : REACH_NEVER_MS;
    struct error err;

    error_clear(&err);
    if (reach->pod.name.size == 0)
        return false;
    if (!reach->call && now_ms >= reach->due_ms && ask(reach, &err) != STATUS_OK) {
        reach->call = NULL;
        reach->due_ms = now_ms + QUIET_MS; /* no memory says nothing of the node */
    }
    return reach->failures >= FAILURES_MIN && now_ms >= reach->heard_ms + patience_ms;
}
