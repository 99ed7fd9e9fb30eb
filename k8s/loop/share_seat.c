#include "k8s/loop/share_seat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/process/log.h"
#include "base/sums/hash.h"
#include "k8s/loop/exchange.h"
#include "k8s/loop/watch.h"
#include "k8s/share/share_metrics.h"
#include "runtime/loop/loop_source.h"

#define OURS_SELECTOR "app.kubernetes.io/name=totrain"
#define LEASE_FIELD   "metadata.name=" SHARE_LEASE_NAME
#define DECIDE_MS     200 /* between two decisions */
#define TICK_MS       1000
#define PATCH_MS      5000
#define LIST_MS       1500 /* a leaving holder waits so long for the lists */

enum seat_watch { SEAT_JOBS, SEAT_QUOTAS, SEAT_PODS, SEAT_WATCHES };

struct seat_space;

/* A watch of the objects that the holder looks at. */
struct seat_feed {
    struct share_seat *seat;
    size_t space; /* SHARE_BOARD_SPACES: all namespaces */
    enum api_kind kind;
    struct api_target target;
    struct watch *watch;
    bool is_synced;
};

struct seat_space {
    struct share_seat *seat;
    struct slice kube_namespace;
    struct api_target target; /* the Lease, by its name */
    struct api_target all;    /* the same as a list, selected by its name */
    struct share_lease lease;
    struct watch *watch;
    bool has_seen; /* it, in this list */
    struct exchange *call;
    enum share_lease_step step;
    struct seat_feed feeds[SEAT_WATCHES];
};

struct share_seat {
    struct loop *loop;
    struct client *client;
    struct share_seat_options options;
    char own[SHARE_UID_MAX];
    struct loop_source *timer;
    struct share_board *board;
    struct seat_space *spaces;        /* (options.count) */
    struct seat_feed nodes, pods;     /* the whole cluster's */
    bool hides_nodes;                 /* this process may not see them */
    bool is_ours[SHARE_BOARD_SPACES]; /* the feeds are those of these spaces */
    bool must_list, is_leaving;
    int64_t leaving_ms, decided_ms, decide_at;
    struct exchange *patch; /* a Job is told to rest, or to go on */
};

void share_seat_write_metrics(const struct share_seat *seat, struct text *out)
{
    share_metrics_write(seat->board, seat->options.namespaces, seat->options.count, out);
}

static void wake(struct share_seat *seat)
{
    loop_source_wake_in(seat->timer, 0);
}

/* ----- what the holder looks at ----- */

static size_t space_of(const struct seat_feed *feed, const cJSON *object)
{
    const struct share_seat *seat = feed->seat;

    if (feed->space < SHARE_BOARD_SPACES)
        return feed->space;
    for (size_t i = 0; i < seat->options.count; i++)
        if (slice_equal(API_TEXT(object, "metadata", "namespace"), seat->spaces[i].kube_namespace))
            return i;
    return SHARE_BOARD_SPACES;
}

static void on_fed(void *context, enum watcher_change change, struct slice name, struct slice uid,
                   const cJSON *object)
{
    struct seat_feed *feed = context;
    struct share_board *board = feed->seat->board;
    const int64_t now_ms = loop_now_ms();
    struct error err;
    enum status status;

    error_clear(&err);
    if (change == WATCHER_DELETED)
        object = NULL;
    if (feed->kind == API_JOBS)
        status = share_board_on_job(board, now_ms, feed->space, uid, object, &err);
    else if (feed->kind == API_RESOURCE_QUOTAS)
        status = share_board_on_quota(board, feed->space, uid, object, &err);
    else if (feed->kind == API_NODES)
        status = share_board_on_node(board, uid, object, &err);
    else
        status = share_board_on_pod(board, now_ms, space_of(feed, object), uid, object, &err);
    if (status != STATUS_OK)
        log_warning("%.*s does not count in what jobs share: %s", SLICE_FORMAT(name), err.message);
    wake(feed->seat);
}

static void on_fed_all(void *context)
{
    struct seat_feed *feed = context;

    feed->is_synced = true;
    wake(feed->seat);
}

static void on_feed_problem(void *context)
{
    wake(((struct seat_feed *)context)->seat);
}

static void open_feed(struct seat_feed *feed, const char *selector)
{
    const struct watcher_reader reader = {feed, on_fed, on_fed_all, on_feed_problem};
    struct share_seat *seat = feed->seat;
    struct error err;

    if (feed->watch)
        return;
    feed->is_synced = false;
    if (watch_open(seat->loop, seat->client, &feed->target, slice_of(selector),
                   (uint64_t)loop_now_us(), &reader, &feed->watch, &err) != STATUS_OK)
        log_warning("what jobs share is not seen: %s", err.message);
}

static void close_feed(struct seat_feed *feed)
{
    watch_close(feed->watch);
    feed->watch = NULL;
    feed->is_synced = false;
}

static bool is_forbidden(const struct seat_feed *feed)
{
    const struct error *problem = feed->watch ? watcher_problem(watch_watcher(feed->watch)) : NULL;

    return problem && problem->status == STATUS_PERMISSION;
}

static void close_feeds(struct share_seat *seat)
{
    for (size_t i = 0; i < seat->options.count; i++)
        for (size_t kind = 0; kind < SEAT_WATCHES; kind++)
            close_feed(&seat->spaces[i].feeds[kind]);
    close_feed(&seat->nodes);
    close_feed(&seat->pods);
    share_board_forget(seat->board);
}

/* Nodes first; pods of the whole cluster with them, or pods of the namespaces without. */
static void open_feeds(struct share_seat *seat)
{
    bool is_any = false;

    if (!seat->hides_nodes && (is_forbidden(&seat->nodes) || is_forbidden(&seat->pods))) {
        seat->hides_nodes = true;
        log_info("the nodes may not be seen: the room is found out by trying");
        close_feeds(seat);
    }
    for (size_t i = 0; i < seat->options.count; i++) {
        if (!seat->is_ours[i])
            continue;
        is_any = true;
        open_feed(&seat->spaces[i].feeds[SEAT_JOBS], OURS_SELECTOR);
        open_feed(&seat->spaces[i].feeds[SEAT_QUOTAS], "");
        if (seat->hides_nodes)
            open_feed(&seat->spaces[i].feeds[SEAT_PODS], OURS_SELECTOR);
    }
    if (!is_any || seat->hides_nodes)
        return;
    open_feed(&seat->nodes, "");
    if (seat->nodes.is_synced)
        open_feed(&seat->pods, "");
}

/* Quotas that may not be seen do not count. */
static bool is_synced(const struct share_seat *seat)
{
    for (size_t i = 0; i < seat->options.count; i++) {
        const struct seat_feed *feeds = seat->spaces[i].feeds;

        if (seat->is_ours[i] &&
            (!feeds[SEAT_JOBS].is_synced ||
             (!feeds[SEAT_QUOTAS].is_synced && !is_forbidden(&feeds[SEAT_QUOTAS])) ||
             (seat->hides_nodes && !feeds[SEAT_PODS].is_synced)))
            return false;
    }
    return seat->hides_nodes || (seat->nodes.is_synced && seat->pods.is_synced);
}

/* Which Leases are held has changed, or what is known is old: all is listed anew. */
static void follow_leases(struct share_seat *seat)
{
    bool is_other = seat->must_list;

    for (size_t i = 0; i < seat->options.count; i++) {
        const bool is_ours = share_lease_is_ours(&seat->spaces[i].lease);

        /* While it reads whether the Lease is still its own it goes on looking. */
        if (seat->spaces[i].lease.must_read || is_ours == seat->is_ours[i])
            continue;
        log_info("%s what the jobs of %.*s have",
                 is_ours ? "decides from now on" : "does not decide any more",
                 SLICE_FORMAT(seat->spaces[i].kube_namespace));
        seat->is_ours[i] = is_ours;
        is_other = true;
    }
    if (is_other)
        close_feeds(seat);
    seat->must_list = false;
    open_feeds(seat);
}

/* ----- the Lease ----- */

static void on_lease(void *context, enum watcher_change change, struct slice name, struct slice uid,
                     const cJSON *object)
{
    struct seat_space *space = context;
    (void)uid;

    if (!slice_is(name, SHARE_LEASE_NAME))
        return;
    space->has_seen = change != WATCHER_DELETED;
    share_lease_on_object(&space->lease, loop_now_ms(), space->has_seen ? object : NULL);
    wake(space->seat);
}

static void on_lease_synced(void *context)
{
    struct seat_space *space = context;

    if (!space->has_seen && !space->lease.is_asking)
        share_lease_on_object(&space->lease, loop_now_ms(), NULL);
    wake(space->seat);
}

static void on_lease_problem(void *context)
{
    wake(((struct seat_space *)context)->seat);
}

static void on_lease_answer(void *context, enum status status, struct api_answer *answer,
                            const struct error *err)
{
    struct seat_space *space = context;

    space->call = NULL;
    if (status != STATUS_OK && status != STATUS_BUSY)
        log_warning("the Lease %s: %s", SHARE_LEASE_NAME, err->message);
    share_lease_on_answer(&space->lease, loop_now_ms(), space->step, status, answer);
    wake(space->seat);
}

static void ask(struct seat_space *space, int64_t now_ms, enum share_lease_step step)
{
    struct share_seat *seat = space->seat;
    const struct exchange_reader reader = {space, on_lease_answer};
    const struct share_decision decision =
        share_board_decision(seat->board, now_ms, (size_t)(space - seat->spaces));
    struct api_answer none = {.retry_after_ms = -1};
    struct http_request request;
    struct timespec clock;
    struct error err;
    enum status status;

    error_clear(&err);
    clock_gettime(CLOCK_REALTIME, &clock);
    http_request_init(&request);
    space->step = step;
    status = share_lease_ask(&space->lease, now_ms, step, &space->target, &decision, &clock,
                             &request, &err);
    if (status == STATUS_OK)
        status = exchange_start(seat->loop, seat->client, &request, "write the Lease", 1, &reader,
                                &space->call, &err);
    else
        http_request_deinit(&request);
    if (status != STATUS_OK)
        share_lease_on_answer(&space->lease, now_ms, step, status, &none);
}

/* ----- Jobs that rest ----- */

static void on_patched(void *context, enum status status, struct api_answer *answer,
                       const struct error *err)
{
    struct share_seat *seat = context;
    (void)answer;

    seat->patch = NULL;
    if (status != STATUS_OK && status != STATUS_NOT_FOUND)
        log_warning("a Job is not told to rest, or to go on: %s", err->message);
    loop_source_wake_in(seat->timer, status == STATUS_OK ? 0 : TICK_MS);
}

static void patch_job(struct share_seat *seat, const struct share_rest *rest)
{
    const struct exchange_reader reader = {seat, on_patched};
    const struct api_target target = {.kind = API_JOBS,
                                      .kube_namespace = seat->spaces[rest->space].kube_namespace,
                                      .name = slice_of(rest->name)};
    cJSON *patch = cJSON_CreateObject(), *metadata = json_add_object(patch, "metadata");
    struct http_request request;
    struct error err;
    enum status status;

    log_info("the Job %s %s", rest->name,
             rest->must_rest ? "rests, since the quota has no room for it" : "goes on");
    json_add_string(metadata, "uid", slice_of(rest->uid));
    json_add(json_add_object(metadata, "annotations"), SHARE_BOARD_RESTS,
             rest->must_rest ? json_string(SLICE("quota")) : cJSON_CreateNull());
    json_add_boolean(json_add_object(patch, "spec"), "suspend", rest->must_rest);
    http_request_init(&request);
    status = api_patch(&request, &target, API_PATCH_MERGE, patch, &err);
    cJSON_Delete(patch);
    request.timeout_ms = PATCH_MS;
    if (status == STATUS_OK)
        status = exchange_start(seat->loop, seat->client, &request, "patch a Job", 1, &reader,
                                &seat->patch, &err);
    else
        http_request_deinit(&request);
    if (status != STATUS_OK)
        log_warning("the Job %s: %s", rest->name, err.message);
}

/* ----- time ----- */

static void decide(struct share_seat *seat, int64_t now_ms, int64_t *due_ms)
{
    struct share_rest rest;
    struct error err;

    error_clear(&err);
    if (now_ms - seat->decided_ms < DECIDE_MS) {
        *due_ms = seat->decided_ms + DECIDE_MS;
        return;
    }
    seat->decided_ms = now_ms;
    share_board_see_nodes(seat->board, !seat->hides_nodes);
    for (size_t i = 0; i < seat->options.count; i++)
        if (seat->is_ours[i])
            share_board_take(seat->board, now_ms, i, &seat->spaces[i].lease.decision);
    if (share_board_decide(seat->board, now_ms, seat->is_ours, &seat->decide_at, &err) != STATUS_OK)
        log_warning("what jobs share is not decided: %s", err.message);
    if (!seat->patch && share_board_rest(seat->board, seat->is_ours, &rest))
        patch_job(seat, &rest);
    *due_ms = seat->decide_at < *due_ms ? seat->decide_at : *due_ms;
}

/* Others must not rest for ever, with nobody there who makes them go on. */
static bool may_leave(const struct share_seat *seat, const struct seat_space *space)
{
    struct share_rest rest;

    if (!space->lease.is_known)
        return watcher_problem(watch_watcher(space->watch)) != NULL;
    if (!is_synced(seat))
        return loop_now_ms() - seat->leaving_ms > LIST_MS || !share_seat_decides(seat);
    return !seat->patch && seat->decided_ms > 0 &&
           !share_board_rest(seat->board, seat->is_ours, &rest);
}

static void on_time(void *context)
{
    struct share_seat *seat = context;
    const int64_t now_ms = loop_now_ms();
    int64_t due_ms = now_ms + TICK_MS;
    bool knows;

    for (size_t i = 0; i < seat->options.count; i++)
        seat->must_list = share_lease_tick(&seat->spaces[i].lease, now_ms) || seat->must_list;
    follow_leases(seat);
    knows = is_synced(seat);
    if (knows)
        decide(seat, now_ms, &due_ms);
    for (size_t i = 0; i < seat->options.count; i++) {
        struct seat_space *space = &seat->spaces[i];
        const bool has_news = knows && seat->is_ours[i] &&
                              share_board_has_news(seat->board, i, &space->lease.decision);
        enum share_lease_step step;

        if (seat->is_leaving && !has_news && may_leave(seat, space))
            share_lease_leave(&space->lease);
        step = share_lease_next(&space->lease, now_ms, has_news, knows, &due_ms);
        if (step != SHARE_LEASE_NOTHING)
            ask(space, now_ms, step);
    }
    seat->options.on_change(seat->options.context);
    loop_source_wake_in(seat->timer, due_ms > now_ms ? due_ms - now_ms : 1);
}

/* ----- life ----- */

void share_seat_name(struct slice pod, bool is_central, char identity[SHARE_HOLDER_MAX])
{
    unsigned long long number;

    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        number = (unsigned long long)loop_now_us();
    snprintf(identity, SHARE_HOLDER_MAX, "%s%.*s_%016llx", is_central ? SHARE_LEASE_CENTRAL : "",
             SLICE_FORMAT(pod), number);
}

static void init_feed(struct share_seat *seat, struct seat_feed *feed, enum api_kind kind,
                      size_t space, struct slice kube_namespace)
{
    *feed = (struct seat_feed){.seat = seat,
                               .space = space,
                               .kind = kind,
                               .target = {.kind = kind, .kube_namespace = kube_namespace}};
}

static enum status open_space(struct share_seat *seat, size_t i, struct error *err)
{
    struct seat_space *space = &seat->spaces[i];
    const struct watcher_reader reader = {space, on_lease, on_lease_synced, on_lease_problem};
    const struct slice kube_namespace = seat->options.namespaces[i];
    const struct slice identity = seat->options.identity;
    const uint64_t seed = bytes_hash(identity.data, identity.size, i);

    space->seat = seat;
    space->kube_namespace = kube_namespace;
    space->target = space->all =
        (struct api_target){.kind = API_LEASES, .kube_namespace = kube_namespace};
    space->target.name = SLICE(SHARE_LEASE_NAME);
    space->all.fields = SLICE(LEASE_FIELD);
    share_lease_init(&space->lease, identity, seed, seat->options.is_central, loop_now_ms());
    init_feed(seat, &space->feeds[SEAT_JOBS], API_JOBS, i, kube_namespace);
    init_feed(seat, &space->feeds[SEAT_QUOTAS], API_RESOURCE_QUOTAS, i, kube_namespace);
    init_feed(seat, &space->feeds[SEAT_PODS], API_PODS, i, kube_namespace);
    return watch_open(seat->loop, seat->client, &space->all, SLICE(""), seed, &reader,
                      &space->watch, err);
}

static enum status open_all(struct share_seat *seat, struct error *err)
{
    const struct loop_source_calls calls = {seat, NULL, on_time};

    seat->spaces = calloc(seat->options.count, sizeof *seat->spaces);
    if (!seat->spaces)
        return fail_no_memory(err);
    TRY(share_board_new(seat->options.rule, &seat->board, err));
    TRY(loop_add_source(seat->loop, &calls, &seat->timer, err));
    init_feed(seat, &seat->nodes, API_NODES, SHARE_BOARD_SPACES, SLICE(""));
    init_feed(seat, &seat->pods, API_PODS, SHARE_BOARD_SPACES, SLICE(""));
    for (size_t i = 0; i < seat->options.count; i++)
        TRY(open_space(seat, i, err));
    wake(seat);
    return STATUS_OK;
}

enum status share_seat_open(struct loop *loop, struct client *client,
                            const struct share_seat_options *options, struct share_seat **out,
                            struct error *err)
{
    struct share_seat *seat = calloc(1, sizeof *seat);
    enum status status;

    if (!seat)
        return fail_no_memory(err);
    seat->loop = loop;
    seat->client = client;
    seat->options = *options;
    slice_copy(options->own, seat->own, sizeof seat->own);
    status = open_all(seat, err);
    if (status == STATUS_OK)
        *out = seat;
    else
        share_seat_close(seat);
    return status;
}

void share_seat_close(struct share_seat *seat)
{
    if (!seat)
        return;
    for (size_t i = 0; seat->spaces && i < seat->options.count; i++) {
        struct seat_space *space = &seat->spaces[i];

        for (size_t kind = 0; kind < SEAT_WATCHES; kind++)
            close_feed(&space->feeds[kind]);
        watch_close(space->watch);
        exchange_cancel(space->call);
        share_lease_deinit(&space->lease);
    }
    close_feed(&seat->nodes);
    close_feed(&seat->pods);
    exchange_cancel(seat->patch);
    if (seat->timer)
        loop_remove_source(seat->timer);
    share_board_free(seat->board);
    free(seat->spaces);
    free(seat);
}

/* ----- what others ask ----- */

enum share_standing share_seat_number(const struct share_seat *seat, uint32_t *workers)
{
    const struct seat_space *space = &seat->spaces[0];
    const int64_t now_ms = loop_now_ms();
    const struct share_decision *decision = share_lease_decision(&space->lease, now_ms);
    const struct share_decided *own = decision ? share_decision_find(decision, seat->own) : NULL;
    const struct error *problem = watcher_problem(watch_watcher(space->watch));

    if (own) {
        *workers = own->workers;
        return SHARE_DECIDED;
    }
    if (space->lease.is_refused || (!space->lease.is_known && problem))
        return SHARE_UNDECIDED;
    return SHARE_UNKNOWN;
}

bool share_seat_decides(const struct share_seat *seat)
{
    return seat->is_ours[0];
}

void share_seat_leave(struct share_seat *seat, bool ends)
{
    if (seat->is_leaving)
        return;
    seat->is_leaving = true;
    seat->leaving_ms = loop_now_ms();
    seat->decided_ms = 0;
    if (ends)
        share_board_leave(seat->board, slice_of(seat->own));
    wake(seat);
}

bool share_seat_has_left(const struct share_seat *seat)
{
    for (size_t i = 0; i < seat->options.count; i++)
        if (!share_lease_has_left(&seat->spaces[i].lease))
            return false;
    return true;
}
