#include "k8s/loop/pods_wanted.h"

#include "base/process/log.h"
#include "k8s/loop/annotation.h"
#include "k8s/loop/pods_events.h"
#include "k8s/loop/pods_parts.h"

/* False: it is not set, or no number. */
static bool read_number(const cJSON *job, const char *annotation, int64_t *number)
{
    const struct slice text = API_TEXT(job, "metadata", "annotations", annotation);

    if (text.size == 0)
        return false;
    if (slice_to_integer(text, number))
        return true;
    log_warning("%s of the Job is no number: %.*s", annotation, SLICE_FORMAT(text));
    return false;
}

/* ----- workers ----- */

static void tell_master(struct pods *pods, uint32_t workers)
{
    if (workers == pods->wanted)
        return;
    pods->wanted = workers;
    pods->listener.want(pods->listener.context, ++pods->wanted_version, workers);
}

void pods_want_useful(struct pods *pods)
{
    const uint32_t lanes = pods->lanes > 0 ? pods->lanes : UINT32_MAX;
    const uint32_t number = pods_share_number(pods);
    const uint32_t wanted = number < lanes ? number : lanes;

    if (pods->is_over || pods->ends)
        return;
    if (wanted != pods->pools[KUBE_WORKER].wanted) {
        pod_pool_want(&pods->pools[KUBE_WORKER], wanted);
        pods_wake(pods);
    }
    if (!pods_share_is_unknown(pods)) /* it waits a moment for all that there may be */
        tell_master(pods, number > pods->least ? number : pods->least);
}

static void want_workers(struct pods *pods, int64_t workers)
{
    if (workers < pods->least || workers > pods->most) {
        log_warning("the Job wants %lld workers, where it may have %u to %u", (long long)workers,
                    pods->least, pods->most);
        return;
    }
    if (workers == pods->pinned)
        return;
    log_info("%lld workers are wanted", (long long)workers);
    if (workers != pods->wanted)
        pods_events_scaled(pods, KUBE_WORKER, pods->wanted, (uint32_t)workers);
    pods->pinned = (uint32_t)workers;
    pods_want_useful(pods);
}

/* ----- parameter servers ----- */

/* Before the master knows which servers have rows none is ended. One that says that none is needed
 * any more has the last word. */
static void start_servers(struct pods *pods)
{
    struct pod_pool *pool = &pods->pools[KUBE_SERVER];

    if (pool->kept > 0)
        pod_pool_keep(pool,
                      pool->wanted > pods->servers_wanted ? pool->wanted : pods->servers_wanted,
                      pool->kept);
    pods_wake(pods);
}

static void want_servers(struct pods *pods, int64_t servers)
{
    const uint32_t before = pods->servers_wanted;

    if (servers == before)
        return;
    pods->servers_wanted = (uint32_t)servers;
    log_info("%lld servers are wanted", (long long)servers);
    if (before == 0)
        start_servers(pods);
    else
        pods_events_scaled(pods, KUBE_SERVER, before, (uint32_t)servers);
    pods->listener.want_servers(pods->listener.context, ++pods->servers_version, (uint32_t)servers);
}

/* Takes the number of servers from the Job. A number that cannot be is left out of account: as many
 * as before, or as the job began with. */
static void take_servers(struct pods *pods, const cJSON *job)
{
    const uint32_t before = pods->servers_wanted;
    int64_t servers = 0;

    if (read_number(job, MANIFEST_SERVERS, &servers) &&
        (servers < 1 || servers > pods->job->servers_max)) {
        log_warning("the Job wants %lld parameter servers, where it may have 1 to %u",
                    (long long)servers, pods->job->servers_max);
        servers = 0;
    }
    if (servers == 0)
        servers = before > 0 ? before : pods->job->servers;
    want_servers(pods, servers);
}

void pods_run_servers(struct pods *pods, uint32_t least, uint32_t most, uint32_t serving)
{
    struct pod_pool *pool = &pods->pools[KUBE_SERVER];

    if (pods->is_over || pods->pool_count <= KUBE_SERVER)
        return;
    pod_pool_keep(pool, least, most);
    if (serving > 0) {
        if (pods->served > 0 && serving != pods->served)
            pods_events_moved(pods, pods->served, serving);
        pods->served = serving;
        pod_pool_on_serving(pool, serving);
    }
    pods_wake(pods);
}

static void on_asked(void *context, enum status status, struct api_answer *answer,
                     const struct error *err)
{
    struct pods *pods = context;
    (void)answer;

    pods->asking = NULL;
    if (status == STATUS_OK) {
        pods->pools[KUBE_SERVER].asked = 0;
    } else {
        log_warning("more servers are needed, and the Job is not told: %s", err->message);
        pods->ask_at = loop_now_ms() + POD_POOL_RETRY_MS_MAX;
    }
    pods_wake(pods);
}

/* Asks for servers in the Job. Its new number then comes by the Job's watch, like one that a user
 * sets. */
void pods_ask_for_servers(struct pods *pods, int64_t now_ms, int64_t *due_ms)
{
    const struct exchange_reader reader = {pods, on_asked};
    struct pod_pool *pool = &pods->pools[KUBE_SERVER];
    struct error err;

    if (pods->is_over || pods->servers_wanted == 0 || pool->asked == 0 || pods->asking)
        return;
    if (pool->asked <= pods->servers_wanted) {
        pool->asked = 0;
        return;
    }
    if (now_ms < pods->ask_at) {
        *due_ms = pods->ask_at < *due_ms ? pods->ask_at : *due_ms;
        return;
    }
    pods_events_asked(pods, pool->serving, pool->asked);
    error_clear(&err);
    if (annotation_start(pods->loop, pods->client, pods->job, slice_of(pods->owner),
                         MANIFEST_SERVERS, pool->asked, &reader, &pods->asking, &err) != STATUS_OK)
        on_asked(pods, err.status, NULL, &err);
}

void pods_wanted_on_job(struct pods *pods, const cJSON *job)
{
    int64_t workers;

    if (pods->is_over)
        return;
    if (read_number(job, MANIFEST_WORKERS, &workers))
        want_workers(pods, workers);
    if (pods->pool_count > KUBE_SERVER)
        take_servers(pods, job);
}
