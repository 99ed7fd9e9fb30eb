#include "runtime/loop/loop_links.h"

#include <errno.h>
#include <event2/event.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process/log.h"
#include "runtime/loop/loop_parts.h"

/* For connecting and the handshake together. */
#define ESTABLISH_MS 5000
/* Connections that were accepted and have not shown a certificate of this job. With one more the
 * oldest is closed: a foreign process that opens connections and stays silent costs a few
 * descriptors, and a worker's handshake takes milliseconds. */
#define UNVERIFIED_MAX 64
/* Refusals are logged one by one up to here, then at every power of two. */
#define REFUSALS_LOGGED 20

/* One end of a connection of a role. */
struct link {
    struct loop_role *role;
    peer_id peer;
    struct connection *connection; /* NULL: local */
    struct link *other;            /* local: the other end */
    bool is_accepted;
    bool is_closing; /* to be freed when all is written */
    int64_t since;
    struct link *next;
};

/* A frame on its way inside the process; no bytes: the sender closed. */
struct local_frame {
    struct link *to;
    char *bytes;
    size_t size;
    struct local_frame *next;
};

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
    link->since = loop_now_ms();
    link->next = role->links;
    role->links = link;
    return link;
}

static void free_link(struct link *link)
{
    struct link **at = &link->role->links;

    while (*at != link)
        at = &(*at)->next;
    *at = link->next;
    if (link->other)
        link->other->other = NULL;
    for (struct local_frame *local = link->role->loop->local_frames; local; local = local->next)
        if (local->to == link)
            local->to = NULL;
    connection_free(link->connection);
    free(link);
}

static void post(struct link *to, struct slice bytes)
{
    struct loop *loop;
    struct local_frame *local;

    if (!to)
        return;
    loop = to->role->loop;
    local = calloc(1, sizeof *local);
    if (local && bytes.size > 0)
        local->bytes = malloc(bytes.size);
    if (!local || (bytes.size > 0 && !local->bytes)) {
        free(local);
        loop_stop(loop, STATUS_NO_MEMORY, NULL);
        return;
    }
    if (bytes.size > 0)
        memcpy(local->bytes, bytes.data, bytes.size);
    local->size = bytes.size;
    local->to = to;
    *loop->local_frames_end = local;
    loop->local_frames_end = &local->next;
}

static void role_lost(struct loop_role *role, peer_id peer)
{
    role->role.on_disconnect(role->role.self, loop_now_ms(), peer, &role->outbox);
    loop_flush(role);
}

static bool is_role(const struct identity *peer, enum identity_role role, uint32_t index)
{
    return peer->role == role && peer->index == index;
}

/* A certificate is one worker's, or one server's, and it speaks for no other. */
static bool speaks_for_itself(const struct link *link, const struct message *message)
{
    const struct identity *peer = link->connection ? connection_peer(link->connection) : NULL;

    if (!peer || peer->role == IDENTITY_MASTER)
        return true;
    switch (message->type) {
    case MESSAGE_HELLO:
        return is_role(peer, IDENTITY_WORKER, message->hello.index);
    case MESSAGE_PROCESS_ALIVE:
        return is_role(peer, IDENTITY_WORKER, message->process_alive.index);
    case MESSAGE_RESUME:
        return is_role(peer, IDENTITY_WORKER, message->resume.index);
    case MESSAGE_SERVER:
        return is_role(peer, IDENTITY_SERVER, message->server.index);
    case MESSAGE_ROWS_WANTED:
        return is_role(peer, IDENTITY_SERVER, message->rows_wanted.index);
    default:
        return true;
    }
}

static bool take_frame(struct link *link, struct slice frame)
{
    struct loop_role *role = link->role;
    struct message message;
    char peer[IDENTITY_TEXT_MAX];
    struct error err;

    if (link->is_closing)
        return true;
    error_clear(&err);
    if (message_read(frame, &message, &err) != STATUS_OK) {
        log_warning("%s", err.message);
        return false;
    }
    if (!speaks_for_itself(link, &message)) {
        identity_describe(connection_peer(link->connection), peer);
        log_warning("%s says %s for another", peer, message_name(message.type));
        return false;
    }
    role->role.on_message(role->role.self, loop_now_ms(), link->peer, &message, &role->outbox);
    loop_flush(role);
    loop_look_again(role->loop);
    return true;
}

static bool on_frame(void *context, struct connection *connection, struct slice frame)
{
    (void)connection;
    return take_frame(context, frame);
}

static bool is_stranger(const struct link *link)
{
    return link->is_accepted && link->connection && !connection_is_established(link->connection);
}

/* A port scanner must not fill the log. */
static bool is_worth_a_line(uint64_t count)
{
    return count <= REFUSALS_LOGGED || (count & (count - 1)) == 0;
}

static void log_end(const struct link *link, const struct error *reason)
{
    char where[ADDRESS_TEXT_MAX + 1];

    connection_peer_address(link->connection, where);
    if (!is_stranger(link) && reason->status != STATUS_PERMISSION)
        log_debug("connection %" PRIu64 ": %s", link->peer, reason->message);
    else if (is_worth_a_line(++link->role->refused))
        log_warning("%s %s: %s (%" PRIu64 " refused)",
                    link->is_accepted ? "refused a connection from" : "no connection with", where,
                    reason->message, link->role->refused);
}

/* The role made this connection itself, or has received it. */
static bool is_known_to_role(const struct link *link)
{
    return !link->is_closing && !is_stranger(link);
}

static void end_link(struct link *link, const struct error *reason)
{
    struct loop_role *role = link->role;
    peer_id peer = is_known_to_role(link) ? link->peer : PEER_NONE;

    if (!link->is_closing)
        log_end(link, reason);
    free_link(link);
    if (peer != PEER_NONE)
        role_lost(role, peer);
}

static void on_closed(void *context, struct connection *connection, const struct error *reason)
{
    struct error why = *reason; /* which goes with the connection */
    (void)connection;

    end_link(context, &why);
}

static struct connection_owner owner_of(struct link *link)
{
    return (struct connection_owner){.context = link, .on_frame = on_frame, .on_closed = on_closed};
}

static void make_room(struct loop_role *role)
{
    struct link *oldest = NULL;
    size_t count = 0;
    struct error err;

    for (struct link *link = role->links; link; link = link->next)
        if (is_stranger(link)) {
            oldest = link; /* new ones come first in the list */
            count++;
        }
    if (count < UNVERIFIED_MAX)
        return;
    error_clear(&err);
    fail(&err, STATUS_LIMIT, "more than %d connections have not shown a certificate",
         UNVERIFIED_MAX);
    end_link(oldest, &err);
}

static void admit(struct loop_role *role, int fd)
{
    struct tls_demand demand = {role->has_tls ? role->loop->network.tls : NULL, IDENTITY_WORKER};
    struct link *link;

    make_room(role);
    link = add_link(role, role->next_accepted++);
    if (!link) {
        close(fd);
        return;
    }
    link->is_accepted = true;
    if (connection_new(role->loop->base, fd, &demand, owner_of(link), &link->connection, NULL) !=
        STATUS_OK)
        free_link(link);
}

static void on_accept(evutil_socket_t listener, short what, void *context)
{
    struct loop_role *role = context;
    int fd;
    (void)what;

    while ((fd = address_accept(listener)) >= 0)
        admit(role, fd);
    /* Out of descriptors: waiting clients go on waiting, until the next tick. */
    if (errno != EAGAIN)
        event_del(role->acceptor);
}

enum status links_listen(struct loop_role *role, const char *address, char *bound,
                         size_t bound_size, struct error *err)
{
    int fd;

    if (strncmp(address, LOOP_LOCAL, strlen(LOOP_LOCAL)) == 0) {
        role->local_address = strdup(address);
        return role->local_address ? STATUS_OK : fail_no_memory(err);
    }
    role->has_tls = address_is_tcp(address);
    if (role->has_tls && !role->loop->network.tls)
        return fail(err, STATUS_PERMISSION, "%s needs TLS credentials", address);
    TRY(address_listen(address, &fd, bound, bound_size, err));
    if (role->has_tls)
        log_info("listens on %s", bound);
    role->acceptor = event_new(role->loop->base, fd, EV_READ | EV_PERSIST, on_accept, role);
    if (!role->acceptor || event_add(role->acceptor, NULL) != 0) {
        if (!role->acceptor)
            close(fd);
        return fail_no_memory(err);
    }
    return STATUS_OK;
}

static struct loop_role *find_local(const struct loop *loop, const char *address)
{
    for (struct loop_role *role = loop->roles; role; role = role->next)
        if (role->local_address && strcmp(role->local_address, address) == 0)
            return role;
    return NULL;
}

static enum status connect_local(struct loop_role *role, struct link *link, const char *address,
                                 struct error *err)
{
    struct loop_role *listener = find_local(role->loop, address);
    struct link *other = listener ? add_link(listener, listener->next_accepted++) : NULL;

    if (!other)
        return fail(err, STATUS_CONNECTION, "nothing listens at %s", address);
    link->other = other;
    other->other = link;
    return STATUS_OK;
}

static enum status connect_socket(struct link *link, const char *address, struct error *err)
{
    const struct loop *loop = link->role->loop;
    bool is_master = loop->network.master && strcmp(address, loop->network.master) == 0;
    struct tls_demand demand = {NULL, is_master ? IDENTITY_MASTER : IDENTITY_WORKER};

    if (address_is_tcp(address)) {
        demand.tls = loop->network.tls;
        if (!demand.tls)
            return fail(err, STATUS_PERMISSION, "%s needs TLS credentials", address);
    }
    return connection_dial(loop->base, address, &demand, owner_of(link), &link->connection, err);
}

void links_connect(struct loop_role *role, peer_id peer, const char *address)
{
    struct link *link = add_link(role, peer);
    enum status status;
    struct error err;

    if (!link) {
        loop_stop(role->loop, STATUS_NO_MEMORY, NULL);
        return;
    }
    error_clear(&err);
    if (strncmp(address, LOOP_LOCAL, strlen(LOOP_LOCAL)) == 0)
        status = connect_local(role, link, address, &err);
    else
        status = connect_socket(link, address, &err);
    if (status == STATUS_OK)
        return;
    log_debug("%s", err.message);
    /* The role gets it from the loop, not inside its own call. */
    post(link, (struct slice){NULL, 0});
}

void links_close(struct loop_role *role, peer_id peer)
{
    struct link *link = find_link(role, peer);

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

void links_send(struct loop_role *role, peer_id peer, struct slice bytes)
{
    struct link *link = find_link(role, peer);

    if (link && link->connection)
        connection_send(link->connection, bytes);
    else if (link)
        post(link->other, bytes);
}

static bool is_late(const struct link *link, int64_t now_ms)
{
    return link->connection && !connection_is_established(link->connection) &&
           now_ms - link->since >= ESTABLISH_MS;
}

static struct link *find_late(const struct loop_role *role, int64_t now_ms)
{
    for (struct link *link = role->links; link; link = link->next)
        if (is_late(link, now_ms))
            return link;
    return NULL;
}

void links_check(struct loop_role *role, int64_t now_ms)
{
    struct link *link, *next;
    struct error err;

    for (link = role->links; link; link = next) {
        next = link->next;
        if (link->is_closing && connection_is_drained(link->connection))
            free_link(link);
    }
    error_clear(&err);
    fail(&err, STATUS_CONNECTION, "no handshake within %d s", ESTABLISH_MS / 1000);
    /* Ending one link may make the role end others. */
    while (!role->loop->is_stopped && (link = find_late(role, now_ms)))
        end_link(link, &err);
    if (role->acceptor && !event_pending(role->acceptor, EV_READ, NULL))
        (void)event_add(role->acceptor, NULL);
}

/* Connections that have not shown a certificate yet are not waited for. */
bool links_are_drained(const struct loop_role *role)
{
    for (struct link *link = role->links; link; link = link->next)
        if (link->connection && connection_is_established(link->connection) &&
            !connection_is_drained(link->connection))
            return false;
    return true;
}

void links_free(struct loop_role *role)
{
    while (role->links)
        free_link(role->links);
    if (role->acceptor) {
        close(event_get_fd(role->acceptor));
        event_free(role->acceptor);
    }
    free(role->local_address);
}

static void deliver(struct link *link, struct slice bytes)
{
    if (bytes.size > 0) {
        take_frame(link, bytes);
    } else {
        struct loop_role *role = link->role;
        peer_id peer = link->peer;

        free_link(link);
        role_lost(role, peer);
    }
}

bool local_frames_deliver(struct loop *loop)
{
    bool any = loop->local_frames != NULL;

    while (loop->local_frames && !loop->is_stopped) {
        struct local_frame *local = loop->local_frames;

        loop->local_frames = local->next;
        if (!loop->local_frames)
            loop->local_frames_end = &loop->local_frames;
        if (local->to)
            deliver(local->to, (struct slice){local->bytes, local->size});
        free(local->bytes);
        free(local);
    }
    return any;
}

void local_frames_free(struct loop *loop)
{
    while (loop->local_frames) {
        struct local_frame *local = loop->local_frames;

        loop->local_frames = local->next;
        free(local->bytes);
        free(local);
    }
    loop->local_frames_end = &loop->local_frames;
}
