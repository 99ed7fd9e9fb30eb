/*
 * A thousand histories of a model of an API server that cuts, repeats,
 * reorders, forgets and refuses as a seed says: when it comes to rest, what the
 * watcher told its reader is what the server has; and on the way each object went
 * through a life that is possible. A seed as the argument plays that one alone.
 */
#include <stdlib.h>

#include "base/random.h"
#include "k8s/client/api_answer.h"
#include "k8s/controller/watcher.h"
#include "tests/unit/histories.h"

#define NAMES         8
#define EVENTS        400
#define HISTORIES     1000
#define PAGE          3
#define STREAM_EVENTS 16 /* held back at most, to be sent in another order */

enum type { ADDED, MODIFIED, DELETED };

struct happening {
    enum type type;
    uint32_t name, uid;
    uint32_t version; /* its place in the history, from 1 */
};

struct model {
    uint64_t seed, draws;
    struct happening history[EVENTS + 1]; /* by version */
    uint32_t version, forgotten, uids;
    uint32_t alive[NAMES]; /* uid; 0: none */
    /* the client */
    struct watcher watcher;
    struct http_request request;
    int64_t now_ms;
    uint32_t seen_uid[NAMES], seen_version[NAMES], synced;
    /* its stream */
    bool is_streaming;
    uint32_t sent; /* the version up to which all was sent */
    struct happening held[STREAM_EVENTS];
    uint32_t held_count;
};

static uint32_t draw(struct model *model, uint32_t below)
{
    return (uint32_t)(random_bits(model->seed, RANDOM_SIMULATION, model->draws++, 0) % below);
}

static void check(const struct model *model, bool holds, const char *what)
{
    if (!holds)
        check_failed("seed %llu: %s", (unsigned long long)model->seed, what);
}

static void on_change(void *context, enum watcher_change change, struct slice name,
                      struct slice uid, const cJSON *object)
{
    struct model *model = context;
    uint32_t index = (uint32_t)(name.data[1] - '0');
    int64_t number = 0, version = 0;

    check(model, slice_to_integer(uid, &number), "a uid");
    (void)slice_to_integer(API_TEXT(object, "metadata", "resourceVersion"), &version);
    if (change == WATCHER_ADDED) {
        check(model, model->seen_uid[index] == 0, "one is added that is there");
        model->seen_uid[index] = (uint32_t)number;
    } else {
        check(model, model->seen_uid[index] == number, "a change of another");
        check(model, !object || version > model->seen_version[index], "a change to the past");
    }
    model->seen_version[index] = (uint32_t)version;
    if (change == WATCHER_DELETED)
        model->seen_uid[index] = 0;
}

static void on_synced(void *context)
{
    struct model *model = context;

    model->synced++;
}

static void happen(struct model *model)
{
    uint32_t name = draw(model, NAMES);
    enum type type = !model->alive[name] ? ADDED : draw(model, 3) ? MODIFIED : DELETED;

    if (model->version == EVENTS)
        return;
    if (type == ADDED)
        model->alive[name] = ++model->uids;
    model->history[++model->version] =
        (struct happening){type, name, model->alive[name], model->version};
    if (type == DELETED)
        model->alive[name] = 0;
}

static void write_object(struct text *out, const struct happening *happening)
{
    text_printf(out, "{\"metadata\":{\"name\":\"n%u\",\"uid\":\"%u\",\"resourceVersion\":\"%u\"}}",
                happening->name, happening->uid, happening->version);
}

/* The last happening of each name up to a version; uid 0: there is none. */
static void state_at(const struct model *model, uint32_t version, struct happening state[NAMES])
{
    memset(state, 0, NAMES * sizeof *state);
    for (uint32_t i = 1; i <= version; i++) {
        const struct happening *happening = &model->history[i];

        state[happening->name] = *happening;
        if (happening->type == DELETED)
            state[happening->name].uid = 0;
    }
}

static void answer(struct model *model, int code, const char *body)
{
    watcher_on_head(&model->watcher, code, -1);
    (void)watcher_on_bytes(&model->watcher, model->now_ms, slice_of(body));
    watcher_on_end(&model->watcher, model->now_ms, STATUS_OK, NULL);
}

static void cut(struct model *model)
{
    struct error err;

    (void)fail(&err, STATUS_CONNECTION, "cut");
    model->is_streaming = false;
    watcher_on_end(&model->watcher, model->now_ms, STATUS_CONNECTION, &err);
}

#define GONE "{\"code\":410,\"reason\":\"Expired\"}"

/* A page of the state at the version of the first page; the token is
 * VERSION.FIRST. */
static void answer_list(struct model *model, bool is_faulty)
{
    const char *token = strstr(text_string(&model->request.path), "continue=");
    struct happening state[NAMES];
    unsigned version = model->version, first = 0, items = 0, name;
    struct text body;

    if (token && sscanf(token, "continue=%u.%u", &version, &first) != 2)
        check(model, false, "a token");
    if (is_faulty && token && draw(model, 4) == 0) {
        answer(model, 410, GONE);
        return;
    }
    state_at(model, version, state);
    text_init(&body, 1 << 16);
    text_append_string(&body, "{\"items\":[");
    for (name = first; name < NAMES && items < PAGE; name++) {
        if (!state[name].uid)
            continue;
        text_append_string(&body, items++ ? "," : "");
        write_object(&body, &state[name]);
    }
    text_printf(&body, "],\"metadata\":{\"resourceVersion\":\"%u\"", version);
    if (name < NAMES)
        text_printf(&body, ",\"continue\":\"%u.%u\"", version, name);
    text_append_string(&body, "}}");
    answer(model, 200, text_string(&body));
    text_deinit(&body);
}

static void open_watch(struct model *model)
{
    const char *from = strstr(text_string(&model->request.path), "resourceVersion=");
    unsigned version = 0;

    check(model, from && sscanf(from, "resourceVersion=%u", &version) == 1, "a watch from nowhere");
    if (version < model->forgotten) {
        if (draw(model, 2)) {
            answer(model, 410, GONE);
        } else {
            watcher_on_head(&model->watcher, 200, -1);
            (void)watcher_on_bytes(&model->watcher, model->now_ms,
                                   slice_of("{\"type\":\"ERROR\",\"object\":" GONE "}\n"));
            cut(model);
        }
        return;
    }
    watcher_on_head(&model->watcher, 200, -1);
    model->is_streaming = true;
    model->sent = version;
    model->held_count = 0;
}

static void ask(struct model *model, bool is_faulty)
{
    if (!watcher_next(&model->watcher, model->now_ms, &model->request))
        return;
    if (is_faulty && draw(model, 5) == 0) {
        if (draw(model, 2))
            cut(model);
        else
            answer(model, draw(model, 2) ? 500 : 429, "");
    } else if (strstr(text_string(&model->request.path), "watch=true")) {
        open_watch(model);
    } else {
        answer_list(model, is_faulty);
    }
}

/* In pieces of any size. False: the watcher has had enough. */
static bool give(struct model *model, struct slice bytes)
{
    while (bytes.size > 0) {
        size_t size = 1 + draw(model, (uint32_t)bytes.size);

        if (!watcher_on_bytes(&model->watcher, model->now_ms, (struct slice){bytes.data, size})) {
            cut(model);
            return false;
        }
        bytes = (struct slice){bytes.data + size, bytes.size - size};
    }
    return true;
}

static bool give_event(struct model *model, const struct happening *happening, size_t bytes_max)
{
    static const char *const types[] = {"ADDED", "MODIFIED", "DELETED"};
    struct text line;
    bool goes_on;

    text_init(&line, 4096);
    text_printf(&line, "{\"type\":\"%s\",\"object\":", types[happening->type]);
    write_object(&line, happening);
    text_append_string(&line, "}\n");
    goes_on = give(model, (struct slice){line.data, line.size < bytes_max ? line.size : bytes_max});
    text_deinit(&line);
    return goes_on;
}

/* Releases one of the events held back, chosen anew each time. */
static bool release(struct model *model)
{
    while (model->held_count > 0) {
        uint32_t chosen = draw(model, model->held_count);
        struct happening happening = model->held[chosen];

        model->held[chosen] = model->held[--model->held_count];
        if (!give_event(model, &happening, SIZE_MAX))
            return false;
        if (draw(model, 4) == 0 && !give_event(model, &happening, SIZE_MAX))
            return false;
    }
    return true;
}

static void break_stream(struct model *model)
{
    static const struct happening any = {MODIFIED, 0, 1, 1};

    switch (draw(model, 4)) {
    case 0: /* with events on their way, and within a line */
        if (model->sent + 1 < model->version &&
            !give_event(model, &model->history[model->sent + 2], SIZE_MAX))
            return;
        if (give_event(model, &any, 1 + draw(model, 40)))
            cut(model);
        break;
    case 1:
        (void)give(model, SLICE("{\"type\":7}\n"));
        break;
    case 2:
        (void)give(model, SLICE("{\"type\":\"ERROR\",\"object\":" GONE "}\n"));
        break;
    default: /* the server's own end of it */
        if (!release(model))
            return;
        model->is_streaming = false;
        watcher_on_end(&model->watcher, model->now_ms, STATUS_OK, NULL);
    }
}

static void send_some(struct model *model, bool is_faulty)
{
    if (is_faulty && draw(model, 10) == 0) {
        break_stream(model);
        return;
    }
    while (model->sent < model->version && model->held_count < STREAM_EVENTS)
        model->held[model->held_count++] = model->history[++model->sent];
    if (!release(model))
        return;
    if (draw(model, 5) == 0) {
        char bookmark[128];

        snprintf(bookmark, sizeof bookmark,
                 "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"%u\"}}}\n",
                 model->sent);
        (void)give(model, slice_of(bookmark));
    }
}

static void step(struct model *model, bool is_faulty)
{
    model->now_ms += draw(model, 400);
    ask(model, is_faulty);
    if (is_faulty)
        for (uint32_t i = draw(model, 4); i > 0; i--)
            happen(model);
    if (is_faulty && draw(model, 20) == 0)
        model->forgotten = model->version - draw(model, model->version / 4 + 1);
    if (model->is_streaming)
        send_some(model, is_faulty);
}

static void play(uint64_t seed)
{
    static const struct api_target target = {.kind = API_PODS, .kube_namespace = {"n", 1}};
    struct model *model = calloc(1, sizeof *model);
    struct watcher_reader reader = {
        .context = model, .on_change = on_change, .on_synced = on_synced};

    CHECK(model);
    model->seed = seed;
    http_request_init(&model->request);
    watcher_init(&model->watcher, &target, SLICE(""), seed, &reader);
    for (int i = 0; i < 300; i++)
        step(model, true);
    for (int i = 0; i < 1000 && !(model->is_streaming && model->sent == model->version); i++)
        step(model, false);
    check(model, model->is_streaming && model->synced > 0, "it did not come to rest");
    for (int name = 0; name < NAMES; name++)
        check(model, model->seen_uid[name] == model->alive[name], "the view is another");
    watcher_deinit(&model->watcher);
    http_request_deinit(&model->request);
    free(model);
}

int main(int argc, char **argv)
{
    return run_histories(argc, argv, "after_any_history_the_view_is_what_the_server_has", play,
                         HISTORIES);
}
