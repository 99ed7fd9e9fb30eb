#include "k8s/submit/reach.h"

#include "base/process/log.h"
#include "runtime/loop/loop.h"

#define QUIET_MS     1400 /* more than lies between reports, PROGRESS_MS of the journal and a look */
#define ASK_MS       1100
#define AGAIN_MS     300
#define FAILURES_MIN 2

static void on_answer(void *context, enum status status, int code, struct slice lines,
                      const struct error *err);

void reach_init(struct reach *reach, struct client *client, void *context,
                void (*on_lines)(void *context, struct slice lines))
{
    *reach = (struct reach){.log = {.client = client, .context = reach, .on_answer = on_answer},
                            .context = context,
                            .on_lines = on_lines};
}

void reach_deinit(struct reach *reach)
{
    pod_log_cancel(&reach->log);
}

void reach_begin(struct reach *reach, const struct api_target *pod, int64_t now_ms)
{
    pod_log_cancel(&reach->log);
    reach->pod = *pod;
    reach->heard_ms = now_ms;
    reach->due_ms = now_ms;
    reach->failures = 0;
}

void reach_end(struct reach *reach)
{
    pod_log_cancel(&reach->log);
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

static void fail_once(struct reach *reach, const char *why)
{
    reach->failures++;
    reach->due_ms = loop_now_ms() + AGAIN_MS;
    log_info("the log of %.*s is out of reach: %s", SLICE_FORMAT(reach->pod.name), why);
}

static void on_answer(void *context, enum status status, int code, struct slice lines,
                      const struct error *err)
{
    struct reach *reach = context;

    if (status != STATUS_OK) {
        fail_once(reach, err->message);
    } else if (code >= 500) {
        fail_once(reach, "the API server does not reach its node");
    } else {
        reach_hear(reach, loop_now_ms());
        reach->on_lines(reach->context, lines);
    }
}

bool reach_is_lost(struct reach *reach, int64_t now_ms)
{
    const int64_t patience_ms = reach->was_heard ? REACH_LOST_MS : REACH_NEVER_MS;
    struct error err;

    error_clear(&err);
    if (reach->pod.name.size == 0)
        return false;
    if (!reach->log.call && now_ms >= reach->due_ms &&
        pod_log_ask(&reach->log, &reach->pod, 1, ASK_MS, &err) != STATUS_OK)
        reach->due_ms = now_ms + QUIET_MS; /* no memory says nothing of the node */
    return reach->failures >= FAILURES_MIN && now_ms >= reach->heard_ms + patience_ms;
}
