#include "k8s/controller/watcher.h"

#include <string.h>

#include "base/random.h"
#include "k8s/client/api_answer.h"
#include "k8s/controller/watcher_known.h"

#define TOKEN_BYTES_MAX ((size_t)8 << 10)

void watcher_init(struct watcher *watcher, const struct api_target *target, struct slice selector,
                  uint64_t seed, const struct watcher_reader *reader)
{
    memset(watcher, 0, sizeof *watcher);
    watcher->target = *target;
    watcher->selector = selector;
    watcher->seed = seed;
    watcher->reader = *reader;
    watcher->must_list = true;
    watcher->due_ms = INT64_MIN;
    error_clear(&watcher->problem);
    text_init(&watcher->token, TOKEN_BYTES_MAX);
    text_init(&watcher->version, 256);
    text_init(&watcher->pending, API_ANSWER_BYTES_MAX);
}

void watcher_deinit(struct watcher *watcher)
{
    known_deinit(watcher);
    text_deinit(&watcher->token);
    text_deinit(&watcher->version);
    text_deinit(&watcher->pending);
}

const struct error *watcher_problem(const struct watcher *watcher)
{
    return watcher->problem.status == STATUS_OK ? NULL : &watcher->problem;
}

/* 100 ms, 200, 400, ... 10 s, each between 3/4 and 5/4 of it. */
static int64_t backoff_ms(const struct watcher *watcher)
{
    uint32_t doublings = watcher->failures - 1 < 10 ? watcher->failures - 1 : 10;
    int64_t wait_ms = (int64_t)WATCHER_RETRY_MS_MIN << doublings;
    double spread = random_uniform(watcher->seed, RANDOM_BACKOFF, watcher->failures, watcher->list);

    if (wait_ms > WATCHER_RETRY_MS_MAX)
        wait_ms = WATCHER_RETRY_MS_MAX;
    return (int64_t)((double)wait_ms * (.75 + spread / 2));
}

static void pause(struct watcher *watcher, int64_t now_ms)
{
    int64_t wait_ms;

    watcher->failures++;
    wait_ms = backoff_ms(watcher);
    if (watcher->retry_after_ms > wait_ms)
        wait_ms = watcher->retry_after_ms;
    watcher->state = WATCHER_WAITING;
    watcher->due_ms = now_ms + wait_ms;
}

/* Ends the call; its answer so far is worth nothing more. */
static void give_up(struct watcher *watcher, int64_t now_ms, bool must_list,
                    const struct error *problem)
{
    if (problem)
        watcher->problem = *problem;
    watcher->must_list = watcher->must_list || must_list;
    text_clear(&watcher->token);
    pause(watcher, now_ms);
    if (problem && watcher->reader.on_problem)
        watcher->reader.on_problem(watcher->reader.context);
}

static void is_well(struct watcher *watcher)
{
    watcher->failures = 0;
    error_clear(&watcher->problem);
}

static enum status fill(struct watcher *watcher, struct http_request *request, struct error *err)
{
    if (watcher->must_list)
        return api_list(request, &watcher->target, watcher->selector, text_slice(&watcher->token),
                        err);
    return api_watch(request, &watcher->target, watcher->selector, text_slice(&watcher->version),
                     err);
}

bool watcher_next(struct watcher *watcher, int64_t now_ms, struct http_request *request)
{
    struct error err;

    if (watcher->is_open || watcher->state != WATCHER_WAITING || now_ms < watcher->due_ms)
        return false;
    watcher->retry_after_ms = -1;
    if (fill(watcher, request, &err) != STATUS_OK) {
        give_up(watcher, now_ms, true, &err);
        return false;
    }
    if (watcher->must_list && watcher->token.size == 0)
        watcher->list++;
    watcher->state = watcher->must_list ? WATCHER_LISTING : WATCHER_WATCHING;
    watcher->is_open = true;
    watcher->opened_ms = now_ms;
    watcher->code = 0;
    text_clear(&watcher->pending);
    return true;
}

void watcher_on_head(struct watcher *watcher, int code, int64_t retry_after_ms)
{
    watcher->code = code;
    watcher->retry_after_ms = retry_after_ms;
    if (watcher->state == WATCHER_WATCHING && code == 200)
        error_clear(&watcher->problem); /* it may be silent for minutes from here on */
}

static enum status no_object(struct error *err)
{
    return fail(err, STATUS_PROTOCOL, "the API server sent an object without name or uid");
}

/* Goes on to the version of the last event to come, also out of order: receiving some events again
 * does no harm. */
static enum status advance(struct watcher *watcher, struct slice version, struct error *err)
{
    text_clear(&watcher->version);
    text_append(&watcher->version, version);
    return watcher->version.failed || version.size == 0
               ? fail(err, STATUS_PROTOCOL, "the API server sent no resource version")
               : STATUS_OK;
}

static enum status take_error(struct watcher *watcher, const cJSON *object, struct error *err)
{
    struct api_answer answer;

    api_status_read(object, &answer, err);
    watcher->retry_after_ms = answer.retry_after_ms;
    return err->status;
}

static enum status take_change(struct watcher *watcher, struct slice type, const cJSON *json,
                               struct error *err)
{
    struct known_object object;

    if (!known_read(json, &object))
        return no_object(err);
    TRY(advance(watcher, API_TEXT(json, "metadata", "resourceVersion"), err));
    if (object.version != 0 && object.version <= watcher->floor)
        return STATUS_OK; /* the list had it */
    return slice_is(type, "DELETED") ? known_drop(watcher, &object, err)
                                     : known_take(watcher, &object, err);
}

/* A server that is behind its own earlier version was restored from a backup, and would be silent
 * until it reaches ours. */
static enum status take_bookmark(struct watcher *watcher, struct slice version, struct error *err)
{
    uint64_t number = known_version(version);

    if (number != 0 && number < known_version(text_slice(&watcher->version)))
        return fail(err, STATUS_STALE, "the API server went back to an older state");
    return advance(watcher, version, err);
}

static enum status take_event(struct watcher *watcher, const cJSON *event, struct error *err)
{
    struct slice type = API_TEXT(event, "type");
    const cJSON *object = API_MEMBER(event, "object");

    if (slice_is(type, "ERROR"))
        return take_error(watcher, object, err);
    if (slice_is(type, "BOOKMARK"))
        return take_bookmark(watcher, API_TEXT(object, "metadata", "resourceVersion"), err);
    if (slice_is(type, "ADDED") || slice_is(type, "MODIFIED") || slice_is(type, "DELETED"))
        return take_change(watcher, type, object, err);
    return fail(err, STATUS_PROTOCOL, "the API server sent an event of no known type");
}

static bool take_line(struct watcher *watcher, int64_t now_ms, struct slice line)
{
    struct error err;
    cJSON *event;
    enum status status;

    if (slice_trim(line).size == 0)
        return true;
    error_clear(&err);
    status = json_parse(line, WATCHER_LINE_BYTES_MAX, &event, &err);
    if (status == STATUS_OK)
        status = take_event(watcher, event, &err);
    cJSON_Delete(event);
    if (status == STATUS_OK) {
        is_well(watcher);
        return true;
    }
    /* History is cleaned away regularly: list, without a delay unless it happens again and
     * again. */
    give_up(watcher, now_ms, true, &err);
    if (status == STATUS_STALE && watcher->failures == 1)
        watcher->due_ms = now_ms;
    return false;
}

static bool take_lines(struct watcher *watcher, int64_t now_ms, struct slice bytes)
{
    while (bytes.size > 0) {
        const char *newline = memchr(bytes.data, '\n', bytes.size);
        size_t size = newline ? (size_t)(newline - bytes.data) : bytes.size;

        if (watcher->pending.size + size > WATCHER_LINE_BYTES_MAX) {
            struct error err;

            fail(&err, STATUS_LIMIT, "the API server sent an event of more than %zu bytes",
                 WATCHER_LINE_BYTES_MAX);
            give_up(watcher, now_ms, true, &err);
            return false;
        }
        text_append(&watcher->pending, (struct slice){bytes.data, size});
        if (!newline)
            return true;
        if (!take_line(watcher, now_ms, text_slice(&watcher->pending)))
            return false;
        text_clear(&watcher->pending);
        bytes = (struct slice){newline + 1, bytes.size - size - 1};
    }
    return true;
}

bool watcher_on_bytes(struct watcher *watcher, int64_t now_ms, struct slice bytes)
{
    if (watcher->state == WATCHER_WAITING)
        return false;
    if (watcher->state == WATCHER_WATCHING && watcher->code == 200)
        return take_lines(watcher, now_ms, bytes);
    text_append(&watcher->pending, bytes);
    return !watcher->pending.failed;
}

static enum status take_items(struct watcher *watcher, const cJSON *page, struct error *err)
{
    const cJSON *item, *items = API_MEMBER(page, "items");

    if (!cJSON_IsArray(items) && !cJSON_IsNull(items))
        return fail(err, STATUS_PROTOCOL, "the API server sent a list without items");
    cJSON_ArrayForEach(item, items)
    {
        struct known_object object;

        if (!known_read(item, &object))
            return no_object(err);
        TRY(known_take(watcher, &object, err));
    }
    return STATUS_OK;
}

static enum status take_page(struct watcher *watcher, const cJSON *page, struct error *err)
{
    struct slice version = API_TEXT(page, "metadata", "resourceVersion");

    /* A cluster that was restored from a backup counts anew from there. */
    if (known_version(version) < known_version(text_slice(&watcher->version)))
        known_forget_versions(watcher);
    TRY(take_items(watcher, page, err));
    text_clear(&watcher->token);
    text_append(&watcher->token, API_TEXT(page, "metadata", "continue"));
    if (watcher->token.failed)
        return fail(err, STATUS_PROTOCOL, "the API server sent a token of more than %zu bytes",
                    TOKEN_BYTES_MAX);
    if (watcher->token.size > 0)
        return STATUS_OK;
    text_clear(&watcher->version);
    TRY(advance(watcher, version, err));
    watcher->floor = known_version(version);
    watcher->must_list = false;
    known_end_list(watcher);
    watcher->reader.on_synced(watcher->reader.context);
    return STATUS_OK;
}

/* The whole of a page, or of an answer that was no stream. */
static void end_answer(struct watcher *watcher, int64_t now_ms)
{
    struct api_answer answer;
    struct error err;
    enum status status;

    error_clear(&err);
    status = api_answer_read(watcher->code, watcher->retry_after_ms, text_slice(&watcher->pending),
                             watcher->must_list ? "a list" : "a watch", &answer, &err);
    if (status == STATUS_OK)
        status = take_page(watcher, answer.object, &err);
    watcher->retry_after_ms = answer.retry_after_ms;
    api_answer_deinit(&answer);
    if (status == STATUS_OK) { /* the next page, or the stream */
        watcher->state = WATCHER_WAITING;
        watcher->due_ms = now_ms;
        return;
    }
    give_up(watcher, now_ms, status == STATUS_STALE, &err);
    if (status == STATUS_STALE && watcher->failures == 1)
        watcher->due_ms = now_ms;
}

/* The server ends a stream from time to time; an empty one at once again and
 * again is none of those. */
static void end_stream(struct watcher *watcher, int64_t now_ms)
{
    if (now_ms - watcher->opened_ms >= WATCHER_HEALTHY_MS)
        is_well(watcher);
    if (watcher->pending.size > 0) { /* in the middle of a line */
        struct error err;

        fail(&err, STATUS_CONNECTION, "the API server ended a stream within a line");
        give_up(watcher, now_ms, true, &err);
        return;
    }
    give_up(watcher, now_ms, false, NULL);
}

void watcher_on_end(struct watcher *watcher, int64_t now_ms, enum status status,
                    const struct error *err)
{
    watcher->is_open = false;
    if (watcher->state == WATCHER_WAITING)
        return; /* it was given up before */
    if (status != STATUS_OK) {
        if (watcher->state == WATCHER_WATCHING && now_ms - watcher->opened_ms >= WATCHER_HEALTHY_MS)
            is_well(watcher);
        give_up(watcher, now_ms, true, err);
    } else if (watcher->state == WATCHER_WATCHING && watcher->code == 200) {
        end_stream(watcher, now_ms);
    } else {
        end_answer(watcher, now_ms);
    }
}
