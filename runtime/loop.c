#include "runtime/loop.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <event2/event.h>

#include "base/log.h"
#include "net/address.h"
#include "net/connection.h"
#include "runtime/loop_parts.h"

#define DRAIN_MS_MAX  1000 /* for what was sent last */
#define POLL_EVERY_US 200  /* while there is work, sockets are looked at so often */

/* One end of a connection of a role. */
struct link {
    struct loop_role *role;
    peer_id peer;
    struct connection *connection; /* NULL: local */
    struct link *other;            /* local: the other end */
    bool is_closing;               /* to be freed when all is written */
    struct link *next;
};

/* A frame on its way inside the process; no bytes: the sender closed. */
struct parcel {
    struct link *to;
    char *bytes;
    size_t size;
    struct parcel *next;
};

struct loop_role {
    struct loop *loop;
    struct role role;
    struct outbox outbox;
    struct link *links;
    peer_id next_accepted;
    char *local_address; /* NULL: reached by socket, or not at all */
    struct event *acceptor;
    struct loop_role *next;
};

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

static struct link *find_link(const struct loop_role *role, peer_id peer)
{
    for (struct link *link = role->links; link; link = link->next)
        if (link->peer == peer && !link->is_closing)
            return link;
    return NULL;
}

static struct link *add_link(struct loop_role *role, peer_id peer)
{
    struct link *link = calloc(1, sizeof *link);

    if (!link)
        return NULL;
    link->role = role;
    link->peer = peer;
    link->next = role->links;
    role->links = link;
    return link;
}

static void forget_parcels(struct loop *loop, const struct link *to)
{
    for (struct parcel *parcel = loop->parcels; parcel; parcel = parcel->next)
        if (parcel->to == to)
            parcel->to = NULL;
}

static void free_link(struct link *link)
{
    struct link **at = &link->role->links;

    while (*at != link)
        at = &(*at)->next;
    *at = link->next;
    if (link->other)
        link->other->other = NULL;
    forget_parcels(link->role->loop, link);
    connection_free(link->connection);
    free(link);
}

static void free_drained(struct loop_role *role)
{
    struct link *link, *next;

    for (link = role->links; link; link = next) {
        next = link->next;
        if (link->is_closing && connection_is_drained(link->connection))
            free_link(link);
    }
}

static void post(struct link *to, struct slice bytes)
{
    struct loop *loop;
    struct parcel *parcel;

    if (!to)
        return;
    loop = to->role->loop;
    parcel = calloc(1, sizeof *parcel);
    if (parcel && bytes.size > 0)
        parcel->bytes = malloc(bytes.size);
    if (!parcel || (bytes.size > 0 && !parcel->bytes)) {
        free(parcel);
        loop_stop(loop, STATUS_NO_MEMORY, NULL);
        return;
    }
    if (bytes.size > 0)
        memcpy(parcel->bytes, bytes.data, bytes.size);
    parcel->size = bytes.size;
    parcel->to = to;
    *loop->parcels_end = parcel;
    loop->parcels_end = &parcel->next;
}

static void role_lost(struct loop_role *role, peer_id peer)
{
    role->role.on_disconnect(role->role.self, loop_now_ms(), peer, &role->outbox);
    loop_flush(role);
}

static bool take_frame(struct link *link, struct slice frame)
{
    struct loop_role *role = link->role;
    struct message message;
    struct error err;

    if (link->is_closing)
        return true;
    error_clear(&err);
    if (message_read(frame, &message, &err) != STATUS_OK) {
        log_warning("%s", err.message);
        return false;
    }
    role->role.on_message(role->role.self, loop_now_ms(), link->peer, &message, &role->outbox);
    loop_flush(role);
    return true;
}

static bool on_frame(void *context, struct connection *connection, struct slice frame)
{
    (void)connection;
    return take_frame(context, frame);
}

static void on_closed(void *context, struct connection *connection, const struct error *reason)
{
    struct link *link = context;
    struct loop_role *role = link->role;
    peer_id peer = link->is_closing ? PEER_NONE : link->peer;
    (void)connection;

    if (peer != PEER_NONE)
        log_debug("connection %llu: %s", (unsigned long long)peer, reason->message);
    free_link(link);
    if (peer != PEER_NONE)
        role_lost(role, peer);
}

static struct connection_owner owner_of(struct link *link)
{
    return (struct connection_owner){.context = link, .on_frame = on_frame, .on_closed = on_closed};
}

static void on_accept(evutil_socket_t listener, short what, void *context)
{
    struct loop_role *role = context;
    int fd;
    (void)what;

    while ((fd = address_accept(listener)) >= 0) {
        struct link *link = add_link(role, role->next_accepted++);

        if (!link) {
            close(fd);
        } else if (connection_new(role->loop->base, fd, owner_of(link), &link->connection, NULL) !=
                   STATUS_OK) {
            free_link(link);
        }
    }
}

static struct loop_role *find_local(const struct loop *loop, const char *address)
{
    for (struct loop_role *role = loop->roles; role; role = role->next)
        if (role->local_address && strcmp(role->local_address, address) == 0)
            return role;
    return NULL;
}

static bool connect_local(struct loop_role *role, struct link *link, const char *address)
{
    struct loop_role *listener = find_local(role->loop, address);
    struct link *other = listener ? add_link(listener, listener->next_accepted++) : NULL;

    if (!other)
        return false;
    link->other = other;
    other->other = link;
    return true;
}

static void connect_peer(struct loop_role *role, peer_id peer, const char *address)
{
    struct link *link = add_link(role, peer);
    struct error err;
    bool connected;
    int fd;

    if (!link) {
        loop_stop(role->loop, STATUS_NO_MEMORY, NULL);
        return;
    }
    error_clear(&err);
    if (strncmp(address, LOOP_LOCAL, strlen(LOOP_LOCAL)) == 0)
        connected = connect_local(role, link, address);
    else
        connected = address_connect(address, &fd, &err) == STATUS_OK &&
                    connection_new(role->loop->base, fd, owner_of(link), &link->connection, &err) ==
                        STATUS_OK;
    if (connected)
        return;
    log_debug("%s", err.message);
    /* The role hears of it from the loop, not inside of its own call. */
    post(link, (struct slice){NULL, 0});
}

static void close_peer(struct link *link)
{
    if (!link)
        return;
    if (!link->connection) {
        post(link->other, (struct slice){NULL, 0});
        free_link(link);
    } else if (connection_is_drained(link->connection)) {
        free_link(link);
    } else {
        link->is_closing = true;
    }
}

static void send_peer(struct link *link, struct slice bytes)
{
    if (!link)
        return;
    if (link->connection)
        connection_send(link->connection, bytes);
    else
        post(link->other, bytes);
}

static void carry_out(struct loop_role *role, const struct outbox_entry *entry)
{
    switch (entry->kind) {
    case OUTBOX_SEND:
        send_peer(find_link(role, entry->peer), outbox_bytes(&role->outbox, entry));
        break;
    case OUTBOX_CONNECT:
        connect_peer(role, entry->peer, role->outbox.bytes.data + entry->offset);
        break;
    case OUTBOX_CLOSE:
        close_peer(find_link(role, entry->peer));
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

static enum status listen_at(struct loop_role *role, const char *address, char *bound,
                             size_t bound_size, struct error *err)
{
    int fd;

    if (strncmp(address, LOOP_LOCAL, strlen(LOOP_LOCAL)) == 0) {
        role->local_address = strdup(address);
        return role->local_address ? STATUS_OK : fail_no_memory(err);
    }
    TRY(address_listen(address, &fd, bound, bound_size, err));
    role->acceptor = event_new(role->loop->base, fd, EV_READ | EV_PERSIST, on_accept, role);
    if (!role->acceptor || event_add(role->acceptor, NULL) != 0) {
        close(fd);
        return fail_no_memory(err);
    }
    return STATUS_OK;
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
    return address ? listen_at(entry, address, bound, bound_size, err) : STATUS_OK;
}

static void on_tick(evutil_socket_t fd, short what, void *context)
{
    struct loop *loop = context;
    (void)fd;
    (void)what;

    for (struct loop_role *role = loop->roles; role && !loop->is_stopped; role = role->next) {
        role->role.on_tick(role->role.self, loop_now_ms(), &role->outbox);
        loop_flush(role);
        free_drained(role);
    }
    if (loop->tick_call && !loop->is_stopped)
        loop->tick_call(loop->tick_context, loop_now_ms());
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
    loop->parcels_end = &loop->parcels;
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

static void free_role(struct loop_role *role)
{
    while (role->links)
        free_link(role->links);
    if (role->acceptor) {
        close(event_get_fd(role->acceptor));
        event_free(role->acceptor);
    }
    outbox_deinit(&role->outbox);
    free(role->local_address);
    free(role);
}

static void free_parcels(struct loop *loop)
{
    while (loop->parcels) {
        struct parcel *parcel = loop->parcels;

        loop->parcels = parcel->next;
        free(parcel->bytes);
        free(parcel);
    }
    loop->parcels_end = &loop->parcels;
}

void loop_free(struct loop *loop)
{
    if (!loop)
        return;
    while (loop->roles) {
        struct loop_role *role = loop->roles;

        loop->roles = role->next;
        free_role(role);
    }
    free_parcels(loop);
    loop_free_watches(loop);
    if (loop->tick)
        event_free(loop->tick);
    if (loop->base)
        event_base_free(loop->base);
    free(loop);
}

static bool deliver_parcels(struct loop *loop)
{
    bool any = loop->parcels != NULL;

    while (loop->parcels && !loop->is_stopped) {
        struct parcel *parcel = loop->parcels;
        struct link *link = parcel->to;

        loop->parcels = parcel->next;
        if (!loop->parcels)
            loop->parcels_end = &loop->parcels;
        if (link && parcel->size > 0) {
            take_frame(link, (struct slice){parcel->bytes, parcel->size});
        } else if (link) {
            struct loop_role *role = link->role;
            peer_id peer = link->peer;

            free_link(link);
            role_lost(role, peer);
        }
        free(parcel->bytes);
        free(parcel);
    }
    return any;
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
    return any;
}

static bool is_drained(const struct loop *loop)
{
    for (struct loop_role *role = loop->roles; role; role = role->next)
        for (struct link *link = role->links; link; link = link->next)
            if (link->connection && !connection_is_drained(link->connection))
                return false;
    return true;
}

static void drain(struct loop *loop)
{
    int64_t until = loop_now_ms() + DRAIN_MS_MAX;

    while (!is_drained(loop) && loop_now_ms() < until)
        event_base_loop(loop->base, EVLOOP_ONCE); /* the tick bounds the wait */
}

enum status loop_run(struct loop *loop, struct error *err)
{
    int64_t polled_at = 0;

    while (!loop->is_stopped) {
        bool is_busy = do_work(loop);

        is_busy = deliver_parcels(loop) || is_busy;
        if (loop->is_stopped)
            break;
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
