/*
 * loop.h - the one loop that moves the bytes for every role.
 *
 *     sockets, clock, signals --> loop --message, tick, disconnect--> role
 *                                  ^                                   |
 *                                  +--------------- outbox ------------+
 *
 * One process may host several roles: what they send to each other goes
 * through a queue instead of a socket, as the same frames. Over TCP every
 * connection is TLS, and a peer without a certificate of this job and of a fitting role
 * (runtime/net/tls.h) is closed before a role sees it; connections that have not shown one yet are
 * limited in number and time. Only loop*.c and net/ know libevent.
 */
#pragma once

#include "runtime/role/outbox.h"

/* A role listening at this address is reached inside the process. */
#define LOOP_LOCAL "local:"

struct role {
    void *self;
    void (*on_message)(void *self, int64_t now_ms, peer_id from, const struct message *message,
                       struct outbox *outbox);
    void (*on_disconnect)(void *self, int64_t now_ms, peer_id peer, struct outbox *outbox);
    void (*on_tick)(void *self, int64_t now_ms, struct outbox *outbox);
    bool (*has_work)(void *self); /* NULL: never */
    void (*work)(void *self, int64_t now_ms, struct outbox *outbox);
    /* There is nothing to do before a message that is due any moment. NULL: never. */
    bool (*expects_soon)(void *self);
    /* The actions that are not about connections; called before any message of
     * the same outbox leaves, so that what others learn is on disk. */
    enum status (*perform)(void *context, const struct outbox *outbox, struct error *err);
    void *context;
};

struct loop;
struct loop_role;
struct tls;

enum status loop_new(int64_t tick_ms, struct loop **loop, struct error *err);
void loop_free(struct loop *loop);
int64_t loop_now_ms(void); /* monotonic */
int64_t loop_now_us(void);
/* Before it sleeps the loop looks for so long for what a role expects soon, counted
 * from the last work or message. 0, as it begins: it sleeps at once. */
void loop_set_busy_poll(struct loop *loop, int64_t us);

/* Borrowed until loop_free. At `master` only the master is accepted, at all
 * other addresses a worker or a parameter server. Without tls there is no TCP. */
struct loop_network {
    struct tls *tls;
    const char *master;
};
void loop_use_network(struct loop *loop, const struct loop_network *network);

/* `address` NULL: the role accepts no connections. `bound` as in address_listen. */
enum status loop_add_role(struct loop *loop, const struct role *role, const char *address,
                          char *bound, size_t bound_size, struct loop_role **added,
                          struct error *err);

/* To call a role from outside of its messages: fill the outbox, then flush. */
struct outbox *loop_outbox(struct loop_role *role);
void loop_flush(struct loop_role *role);

/* Lines (at most LAUNCH_EVENT_BYTES_MAX) from a descriptor that the loop now
 * owns; on_end once, when the other side closed it. */
struct line_reader {
    void *context;
    void (*on_line)(void *context, struct slice line);
    /* Instead of on_line: `reply` goes back to the sender of the line. */
    void (*on_request)(void *context, struct slice line, struct text *reply);
    void (*on_end)(void *context);
};
struct loop_lines;

/* GET of a path, with limits on size, time and method. `bound` takes HOST:PORT, the
 * port that was found where 0 was asked for. */
struct http_reader {
    void *context;
    /* False: there is no such page. The type is static. */
    bool (*on_get)(void *context, const char *path, struct text *page, const char **type);
};

void loop_on_tick(struct loop *loop, void (*call)(void *context, int64_t now_ms), void *context);

/* Runs until a role asked to END (its status), or loop_stop, then lets what
 * was sent go out. */
enum status loop_run(struct loop *loop, struct error *err);
void loop_stop(struct loop *loop, enum status status, const struct error *reason);
