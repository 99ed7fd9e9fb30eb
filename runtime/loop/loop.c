#include "runtime/loop/loop.h"

#include <event2/event.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/loop/loop_http.h"
#include "runtime/loop/loop_links.h"
#include "runtime/loop/loop_parts.h"
#include "runtime/loop/loop_watch.h"

#define DRAIN_MS_MAX  1000 /* for what was sent last */
#define POLL_EVERY_US 200  /* while there is work, sockets are looked at so often */

int64_t loop_now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t loop_now_ms(void)
{
    return loop_now_us() / 1000;
}

void loop_stop(struct loop *loop, enum status status, const struct error *reason)
{
    if (loop->is_stopped)
        return;
    loop->is_stopped = true;
    loop->how = status;
    if (reason)
        loop->reason = *reason;
    event_base_loopbreak(loop->base);
}

static void carry_out(struct loop_role *role, const struct outbox_entry *entry)
{
    switch (entry->kind) {
    case OUTBOX_SEND:
        links_send(role, entry->peer, outbox_bytes(&role->outbox, entry));
        break;
    case OUTBOX_CONNECT:
        links_connect(role, entry->peer, role->outbox.bytes.data + entry->offset);
        break;
    case OUTBOX_CLOSE:
        links_close(role, entry->peer);
        break;
    case OUTBOX_END:
        loop_stop(role->loop, entry->status, NULL);
        break;
    default:
        break; /* perform() did it */
    }
}

static bool is_for_perform(const struct outbox *outbox)
{
    for (size_t i = 0; i < outbox->count; i++) {
        enum outbox_kind kind = outbox->entries[i].kind;

        if (kind != OUTBOX_SEND && kind != OUTBOX_CONNECT && kind != OUTBOX_CLOSE &&
            kind != OUTBOX_END)
            return true;
    }
    return false;
}

void loop_flush(struct loop_role *role)
{
    struct outbox *outbox = &role->outbox;
    struct error err;

    error_clear(&err);
    if (outbox->failed) {
        fail_no_memory(&err);
        loop_stop(role->loop, STATUS_NO_MEMORY, &err);
    } else if (role->role.perform && is_for_perform(outbox) &&
               role->role.perform(role->role.context, outbox, &err) != STATUS_OK) {
        loop_stop(role->loop, err.status, &err);
    } else {
        for (size_t i = 0; i < outbox->count; i++)
            carry_out(role, &outbox->entries[i]);
    }
    outbox_clear(outbox);
}

struct outbox *loop_outbox(struct loop_role *role)
{
    return &role->outbox;
}

enum status loop_add_role(struct loop *loop, const struct role *role, const char *address,
                          char *bound, size_t bound_size, struct loop_role **added,
                          struct error *err)
{
    struct loop_role *entry = calloc(1, sizeof *entry);

    if (!entry)
        return fail_no_memory(err);
    entry->loop = loop;
    entry->role = *role;
    entry->next_accepted = PEER_NONE + 1;
    outbox_init(&entry->outbox);
    entry->next = loop->roles;
    loop->roles = entry;
    *added = entry;
    return address ? links_listen(entry, address, bound, bound_size, err) : STATUS_OK;
}

static void on_tick(evutil_socket_t fd, short what, void *context)
{
    struct loop *loop = context;
    (void)fd;
    (void)what;

    for (struct loop_role *role = loop->roles; role && !loop->is_stopped; role = role->next) {
        role->role.on_tick(role->role.self, loop_now_ms(), &role->outbox);
        loop_flush(role);
        links_check(role, loop_now_ms());
    }
    if (loop->tick_call && !loop->is_stopped)
        loop->tick_call(loop->tick_context, loop_now_ms());
}

void loop_use_network(struct loop *loop, const struct loop_network *network)
{
    loop->network = *network;
}

void loop_on_tick(struct loop *loop, void (*call)(void *context, int64_t now_ms), void *context)
{
    loop->tick_call = call;
    loop->tick_context = context;
}

enum status loop_new(int64_t tick_ms, struct loop **out, struct error *err)
{
    struct loop *loop = calloc(1, sizeof *loop);
    struct timeval tick = {.tv_sec = tick_ms / 1000, .tv_usec = tick_ms % 1000 * 1000};

    if (!loop)
        return fail_no_memory(err);
    loop->local_frames_end = &loop->local_frames;
    loop->base = event_base_new();
    if (loop->base)
        loop->tick = event_new(loop->base, -1, EV_PERSIST, on_tick, loop);
    if (!loop->tick || event_add(loop->tick, &tick) != 0) {
        loop_free(loop);
        return fail_no_memory(err);
    }
    signal(SIGPIPE, SIG_IGN);
    *out = loop;
    return STATUS_OK;
}

void loop_free(struct loop *loop)
{
    if (!loop)
        return;
    while (loop->roles) {
        struct loop_role *role = loop->roles;

        loop->roles = role->next;
        links_free(role);
        outbox_deinit(&role->outbox);
        free(role);
    }
    local_frames_free(loop);
    loop_free_watches(loop);
    loop_free_http(loop);
    if (loop->tick)
        event_free(loop->tick);
    if (loop->base)
        event_base_free(loop->base);
    free(loop);
}

void loop_set_busy_poll(struct loop *loop, int64_t us)
{
    loop->look_us = us;
}

void loop_look_again(struct loop *loop)
{
    if (loop->look_us > 0)
        loop->look_until_us = loop_now_us() + loop->look_us;
}

static bool do_work(struct loop *loop)
{
    bool any = false;

    for (struct loop_role *role = loop->roles; role && !loop->is_stopped; role = role->next) {
        if (!role->role.has_work || !role->role.has_work(role->role.self))
            continue;
        role->role.work(role->role.self, loop_now_ms(), &role->outbox);
        loop_flush(role);
        any = true;
    }
    if (any)
        loop_look_again(loop);
    return any;
}

static bool is_drained(const struct loop *loop)
{
    for (const struct loop_role *role = loop->roles; role; role = role->next)
        if (!links_are_drained(role))
            return false;
    return true;
}

static void drain(struct loop *loop)
{
    int64_t until = loop_now_ms() + DRAIN_MS_MAX;

    while (!is_drained(loop) && loop_now_ms() < until)
        event_base_loop(loop->base, EVLOOP_ONCE); /* the tick bounds the wait */
}

static bool expects_soon(const struct loop *loop)
{
    for (const struct loop_role *role = loop->roles; role; role = role->next)
        if (role->role.expects_soon && role->role.expects_soon(role->role.self))
            return true;
    return false;
}

/* A processor that went to sleep takes some ten microseconds to wake, that of a virtual machine
 * more. Other processes get this one after each poll. True when there may be something to do. */
static bool comes_soon(struct loop *loop)
{
    bool has_looked = false;

    while (expects_soon(loop) && !loop->is_stopped && !loop->local_frames) {
        if (loop_now_us() >= loop->look_until_us)
            break;
        event_base_loop(loop->base, EVLOOP_NONBLOCK);
        sched_yield();
        has_looked = true;
    }
    return has_looked;
}

enum status loop_run(struct loop *loop, struct error *err)
{
    int64_t polled_at = 0;

    while (!loop->is_stopped) {
        bool is_busy = do_work(loop);

        is_busy = local_frames_deliver(loop) || is_busy;
        if (loop->is_stopped)
            break;
        if (!is_busy && comes_soon(loop))
            continue;
        if (!is_busy)
            event_base_loop(loop->base, EVLOOP_ONCE);
        else if (loop_now_us() - polled_at < POLL_EVERY_US)
            continue;
        else
            event_base_loop(loop->base, EVLOOP_NONBLOCK);
        polled_at = loop_now_us();
    }
    drain(loop);
    if (loop->how != STATUS_OK && err)
        *err = loop->reason;
    return loop->how;
}
