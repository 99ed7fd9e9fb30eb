#include "k8s/submit/pod_log.h"

#define LINES_BYTES_MAX ((size_t)256 << 10)

static void on_head(void *context, int code, int64_t retry_after_ms)
{
    struct pod_log *log = context;
    (void)retry_after_ms;

    log->code = code;
}

static bool on_bytes(void *context, struct slice bytes)
{
    struct pod_log *log = context;

    text_append(&log->lines, bytes);
    return !log->lines.failed;
}

static void on_end(void *context, enum status status, const struct error *err)
{
    struct pod_log *log = context;
    struct text lines = log->lines;

    log->call = NULL;
    log->lines = (struct text){.data = NULL};
    log->on_answer(log->context, status, log->code,
                   log->code == 200 ? text_slice(&lines) : SLICE(""), err);
    text_deinit(&lines);
}

enum status pod_log_ask(struct pod_log *log, const struct api_target *pod, int64_t lines,
                        int64_t timeout_ms, struct error *err)
{
    const struct http_sink sink = {log, on_head, on_bytes, on_end};
    const struct api_log wanted = {.container = "master", .tail_lines = lines};
    struct http_request request;
    enum status status;

    log->code = 0;
    text_init(&log->lines, LINES_BYTES_MAX);
    http_request_init(&request);
    status = api_pod_log(&request, pod, &wanted, err);
    request.timeout_ms = timeout_ms;
    if (status == STATUS_OK)
        status = http_start(client_http(log->client), &request, &sink, &log->call, err);
    http_request_deinit(&request);
    if (status != STATUS_OK) {
        log->call = NULL;
        text_deinit(&log->lines);
    }
    return status;
}

void pod_log_cancel(struct pod_log *log)
{
    if (!log->call)
        return;
    http_cancel(log->call);
    log->call = NULL;
    text_deinit(&log->lines);
}
