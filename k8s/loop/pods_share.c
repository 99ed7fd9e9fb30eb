#include "k8s/loop/pods_share.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/log.h"
#include "k8s/controller/pod_pool_next.h"
#include "k8s/loop/annotation.h"
#include "k8s/loop/pods_events.h"
#include "k8s/loop/pods_parts.h"
#include "k8s/loop/pods_wanted.h"
#include "runtime/share/share_paces.h"

#define TENTH .1

/* ----- the number ----- */

static const struct useful_workers *known(const struct pods *pods)
{
    const struct pods_share *share = &pods->share;

    return share->useful.workers > 0 ? &share->useful : &share->expected;
}

/* The largest number that pays, as far as is known; a number that the user asked for does. */
static uint32_t most_useful(const struct pods *pods)
{
    const uint32_t useful = known(pods)->workers;

    if (pods->pinned > 0 || useful == 0 || useful > pods->most)
        return pods->most;
    return useful > pods->least ? useful : pods->least;
}

uint32_t pods_share_number(const struct pods *pods)
{
    const struct pods_share *share = &pods->share;
    const uint32_t there = pod_pool_staying(&pods->pools[KUBE_WORKER]);
    const uint32_t most = most_useful(pods);

    if (pods->pinned > 0)
        return pods->pinned;
    if (!share->seat)
        return most;
    if (share->is_decided)
        return share->number < most ? share->number : most;
    if (share->unknown_ms == 0)
        return most;
    return there > pods->least ? there : pods->least;
}

bool pods_share_is_unknown(const struct pods *pods)
{
    return pods->share.seat && pods->pinned == 0 && !pods->share.is_decided &&
           pods->share.unknown_ms > 0;
}

static void on_change(void *context)
{
    pods_wake(context);
}

/* Takes the number as it is now. */
static void look(struct pods *pods, int64_t now_ms, int64_t *due_ms)
{
    struct pods_share *share = &pods->share;
    uint32_t workers = 0;
    const enum share_standing standing = share_seat_number(share->seat, &workers);

    if (standing == SHARE_DECIDED) {
        share->is_decided = true;
        share->number = workers;
        share->unknown_ms = 0;
        return;
    }
    if (share->unknown_ms == 0 && share->is_decided)
        share->unknown_ms = now_ms;
    if (standing == SHARE_UNDECIDED ||
        (share->unknown_ms > 0 && now_ms - share->unknown_ms >= PODS_SHARE_WAIT_MS)) {
        share->is_decided = false;
        share->unknown_ms = 0;
    } else if (share->unknown_ms > 0 && share->unknown_ms + PODS_SHARE_WAIT_MS < *due_ms) {
        *due_ms = share->unknown_ms + PODS_SHARE_WAIT_MS;
    }
}

/* ----- the cap ----- */

static bool has_no_place(const struct pod_pool *pool, int64_t now_ms)
{
    for (uint32_t i = 0; i < pool->most; i++)
        if (pool->places[i].state == POD_POOL_PENDING &&
            pool->places[i].obstacle == POD_UNSCHEDULABLE &&
            now_ms - pool->places[i].stuck_ms >= PODS_SHARE_CAP_MS)
            return true;
    return false;
}

/* Places that were asked for and are not there are not asked for again for a while. */
static void find_cap(struct pods *pods, int64_t now_ms)
{
    const struct pod_pool *pool = &pods->pools[KUBE_WORKER];
    struct pods_share *share = &pods->share;
    const uint32_t running = pod_pool_running(pool);

    if (share->cap > 0 && now_ms >= share->capped_until_ms)
        share->cap = 0;
    if (share->cap == 0 && running > 0 && has_no_place(pool, now_ms)) {
        const int64_t wait_ms = (int64_t)PODS_SHARE_CAPPED_MS
                                << (share->caps < 4 ? share->caps : 4);

        share->caps++;
        share->cap = running;
        share->capped_until_ms =
            now_ms + (wait_ms < PODS_SHARE_CAPPED_MS_MAX ? wait_ms : PODS_SHARE_CAPPED_MS_MAX);
    } else if (share->cap == 0 && share->is_decided && share->number > 0 &&
               running >= share->number) { /* one that gave all back has found no place either */
        share->caps = 0;
    }
}

/* ----- the report ----- */

static struct share_job report_of(const struct pods *pods)
{
    struct share_job report = kube_job_use(pods->job);
    const uint32_t lanes = pods->lanes > 0 ? pods->lanes : UINT32_MAX;

    report.least = pods->least;
    report.most = most_useful(pods) < lanes ? most_useful(pods) : lanes;
    report.most = report.most > report.least ? report.most : report.least;
    report.has = pod_pool_running(&pods->pools[KUBE_WORKER]);
    report.pinned = pods->pinned;
    report.cap = pods->share.cap;
    if (known(pods)->workers > 0)
        report.curve = known(pods)->curve;
    report.seconds_left = pods->share.seconds_left;
    if (pods->servers_wanted > 0)
        report.rest_count = 1 + pods->servers_wanted;
    return report;
}

static bool differs_by_a_tenth(double a, double b)
{
    return (a < 0) != (b < 0) || fabs(a - b) > TENTH * fabs(a);
}

static bool is_other(const struct share_job *a, const struct share_job *b)
{
    return a->least != b->least || a->most != b->most || a->pinned != b->pinned ||
           a->cap != b->cap || a->rest_count != b->rest_count || a->curve.lanes != b->curve.lanes ||
           a->curve.fixed != b->curve.fixed || a->curve.per_worker != b->curve.per_worker;
}

static void on_reported(void *context, enum status status, struct api_answer *answer,
                        const struct error *err)
{
    struct pods *pods = context;
    (void)answer;

    pods->share.reporting = NULL;
    if (status != STATUS_OK && status != STATUS_NOT_FOUND) {
        log_warning("what the job can use is not reported: %s", err->message);
        pods->share.has_reported = false;
        pods->share.reported_ms = loop_now_ms() + PODS_SHARE_WAIT_MS;
    }
    pods_wake(pods);
}

/* NULL: it takes no part any more. */
static void send_report(struct pods *pods, const struct share_job *report)
{
    const struct exchange_reader reader = {pods, on_reported};
    struct text text;
    struct error err;
    enum status status = STATUS_OK;

    error_clear(&err);
    text_init(&text, SHARE_REPORT_BYTES_MAX);
    if (report)
        status = share_report_write(report, &text, &err);
    if (status == STATUS_OK)
        status = annotation_write(pods->loop, pods->client, pods->job, slice_of(pods->owner),
                                  MANIFEST_USE, report ? text_string(&text) : NULL, &reader,
                                  &pods->share.reporting, &err);
    if (status != STATUS_OK)
        log_warning("what the job can use is not reported: %s", err.message);
    text_deinit(&text);
}

static void report(struct pods *pods, int64_t now_ms, int64_t *due_ms)
{
    struct pods_share *share = &pods->share;
    const struct share_job now = report_of(pods);
    int64_t at_ms;

    if (share->reporting)
        return;
    if (share->must_clear) {
        share->must_clear = false;
        send_report(pods, NULL);
        return;
    }
    if (pods->is_over || pods->ends)
        return;
    if (share->has_reported && !is_other(&share->reported, &now) &&
        !differs_by_a_tenth(share->reported.seconds_left, now.seconds_left))
        return;
    at_ms = !share->has_reported               ? share->reported_ms
            : is_other(&share->reported, &now) ? share->reported_ms + PODS_SHARE_SOON_MS
                                               : share->reported_ms + PODS_SHARE_REPORT_MS;
    if (now_ms < at_ms) {
        *due_ms = at_ms < *due_ms ? at_ms : *due_ms;
        return;
    }
    share->reported = now;
    share->reported_ms = now_ms;
    share->has_reported = true;
    send_report(pods, &now);
}

void pods_share_expect(struct pods *pods, const struct spec_history *history)
{
    struct share_paces paces;

    if (history->first == 0 || !share_paces_read(history->paces, &paces))
        return;
    log_info("by earlier jobs of the model %u of %u workers pay at first", history->first,
             pods->most);
    pods->share.expected = (struct useful_workers){
        history->first, share_curve_fit(paces.lanes, paces.points, paces.count)};
}

void pods_share_measured(struct pods *pods, const struct useful_workers *useful)
{
    if (useful->workers != pods->share.useful.workers)
        pods_events_measured(pods, useful);
    pods->share.useful = *useful;
}

void pods_share_note(struct pods *pods, const struct job_event *event)
{
    const struct share_curve curve = pods->share.reported.curve;

    pods->share.seconds_left =
        isnan(event->seconds_left) || event->workers == 0
            ? -1
            : event->seconds_left * share_curve_speed(&curve, event->workers);
}

/* ----- time ----- */

/* For SHOW JOBS and totrain.jobs. */
static void stand(struct pods *pods)
{
    const uint32_t most = pods->share.reported.most, number = pods->share.number;
    char text[160] = "";

    if (number == 0)
        snprintf(text, sizeof text, "waits: there is no room for its %u worker%s beside other jobs",
                 pods->least, pods->least == 1 ? "" : "s");
    else if (number < most)
        snprintf(text, sizeof text, "has %u of the %u workers that it can use: %s", number, most,
                 pods->share.cap > 0 ? "no node has room for more" : "other jobs have the rest");
    pods->listener.stand(pods->listener.context, text);
    if (number == 0)
        pods->listener.notice(pods->listener.context, text);
}

static void tell(struct pods *pods)
{
    struct pods_share *share = &pods->share;

    if (!share->is_decided || pods->pinned > 0 || share->number == share->said)
        return;
    log_info("%u of %u workers are this job's part of the cluster", share->number, pods->most);
    if (share->said != UINT32_MAX || share->number < share->reported.most)
        pods_events_shared(pods, share->number, share->reported.most);
    share->said = share->number;
    stand(pods);
}

void pods_share_on_time(struct pods *pods, int64_t now_ms, int64_t *due_ms)
{
    if (!pods->share.seat)
        return;
    find_cap(pods, now_ms);
    report(pods, now_ms, due_ms);
    if (pods->is_over || pods->ends)
        return;
    look(pods, now_ms, due_ms);
    tell(pods);
    pods_want_useful(pods);
}

/* ----- life ----- */

void pods_share_init(struct pods *pods)
{
    pods->share.seconds_left = -1;
    pods->share.said = UINT32_MAX;
    share_seat_name(slice_of(pods->pod), false, pods->share.identity);
}

void pods_share_open(struct pods *pods)
{
    const struct share_seat_options options = {.namespaces = &pods->job->kube_namespace,
                                               .count = 1,
                                               .identity = slice_of(pods->share.identity),
                                               .own = slice_of(pods->owner),
                                               .rule = SHARE_MIXED,
                                               .context = pods,
                                               .on_change = on_change};
    struct error err;

    pods->share.unknown_ms = loop_now_ms();
    if (share_seat_open(pods->loop, pods->client, &options, &pods->share.seat, &err) != STATUS_OK)
        log_warning("the job does not share the cluster with others: %s", err.message);
}

void pods_share_close(struct pods *pods)
{
    exchange_cancel(pods->share.reporting);
    pods->share.reporting = NULL;
    share_seat_close(pods->share.seat);
    pods->share.seat = NULL;
}

void pods_share_leave(struct pods *pods, bool ends)
{
    if (!pods->share.seat)
        return;
    pods->share.must_clear = pods->share.must_clear || (ends && pods->share.has_reported);
    pods->share.has_reported = pods->share.has_reported && !ends;
    share_seat_leave(pods->share.seat, ends);
}

bool pods_share_has_left(const struct pods *pods)
{
    return !pods->share.seat || (!pods->share.reporting && !pods->share.must_clear &&
                                 share_seat_has_left(pods->share.seat));
}
