#include "k8s/submit/pod_log.h"

#include <stdlib.h>

#include "k8s/client/api_answer.h"
#include "runtime/loop/loop_source.h"

#define RETRY_MS_MIN      100
#define RETRY_MS_MAX      5000
#define REFUSAL_BYTES_MAX ((size_t)64 << 10)

struct pod_log {
    struct client *client;
    struct api_target pod;
    struct log_lines *lines;
    struct pod_log_reader reader;
    struct loop_source *timer;
    struct http_call *call; /* NULL: waits for its timer */
    int code;
    int64_t retry_after_ms, retry_ms;
    uint64_t bytes;      /* bytes of this answer */
    struct text refusal; /* the answer that came instead of a log */
};

static void on_head(void *context, int code, int64_t retry_after_ms)
{
    struct pod_log *log = context;

    log->code = code;
    log->retry_after_ms = retry_after_ms;
}

static bool on_bytes(void *context, struct slice bytes)
{
    struct pod_log *log = context;

    log->bytes += bytes.size;
    if (log->code == 200)
        log_lines_take(log->lines, bytes);
    else
        text_append(&log->refusal, bytes);
    return !log->refusal.failed;
}

static void wait_a_little(struct pod_log *log)
{
    int64_t wait_ms = log->retry_ms;

    if (log->bytes > 0 && log->code == 200)
        wait_ms = RETRY_MS_MIN;
    log->retry_ms = wait_ms * 2 < RETRY_MS_MAX ? wait_ms * 2 : RETRY_MS_MAX;
    if (log->retry_after_ms > wait_ms)
        wait_ms = log->retry_after_ms;
    loop_source_wake_in(log->timer, wait_ms < RETRY_MS_MAX ? wait_ms : RETRY_MS_MAX);
}

static void on_end(void *context, enum status status, const struct error *why)
{
    struct pod_log *log = context;
    struct error err = *why;

    log->call = NULL;
    if (status == STATUS_OK && log->code == 200) {
        log_lines_end(log->lines);
    } else if (status == STATUS_OK) {
        struct api_answer answer;

        status = api_answer_read(log->code, log->retry_after_ms, text_slice(&log->refusal),
                                 "read the log of the master's pod", &answer, &err);
        api_answer_deinit(&answer);
    }
    wait_a_little(log);
    log->reader.on_pause(log->reader.context, status, &err);
}

static enum status start_log_call(struct pod_log *log, struct error *err)
{
    struct http_sink sink = {log, on_head, on_bytes, on_end};
    struct http_request request;
    char since[32];
    struct api_log wanted = {.container = "master",
                             .follows = true,
                             .has_times = true,
                             .since = log_lines_since(log->lines, since),
                             .tail_lines = -1};
    enum status status;

    log->code = 0;
    log->retry_after_ms = -1;
    log->bytes = 0;
    text_clear(&log->refusal);
    log_lines_begin(log->lines);
    http_request_init(&request);
    status = api_pod_log(&request, &log->pod, &wanted, err);
    if (status == STATUS_OK)
        status = http_start(client_http(log->client), &request, &sink, &log->call, err);
    http_request_deinit(&request);
    return status;
}

static void on_time(void *context)
{
    struct pod_log *log = context;
    struct error err;

    error_clear(&err);
    if (log->call)
        return;
    if (start_log_call(log, &err) == STATUS_OK)
        return;
    log->call = NULL;
    wait_a_little(log);
    log->reader.on_pause(log->reader.context, err.status, &err);
}

enum status pod_log_open(struct loop *loop, struct client *client, const struct api_target *pod,
                         struct log_lines *lines, const struct pod_log_reader *reader,
                         struct pod_log **out, struct error *err)
{
    struct pod_log *log = calloc(1, sizeof *log);
    struct loop_source_calls calls = {log, NULL, on_time};
    enum status status;

    if (!log)
        return fail_no_memory(err);
    *log = (struct pod_log){
        .client = client, .pod = *pod, .lines = lines, .reader = *reader, .retry_ms = RETRY_MS_MIN};
    text_init(&log->refusal, REFUSAL_BYTES_MAX);
    status = loop_add_source(loop, &calls, &log->timer, err);
    if (status != STATUS_OK) {
        free(log);
        return status;
    }
    loop_source_wake_in(log->timer, 0);
    *out = log;
    return STATUS_OK;
}

void pod_log_close(struct pod_log *log)
{
    if (!log)
        return;
    if (log->call)
        http_cancel(log->call);
    loop_remove_source(log->timer);
    text_deinit(&log->refusal);
    free(log);
}

void pod_log_retry_now(struct pod_log *log)
{
    if (log->call)
        return;
    log->retry_ms = RETRY_MS_MIN;
    loop_source_wake_in(log->timer, 0);
}
