/*
 * share_seat.h - the place of a process among those that share a cluster: it follows the Lease of
 * each of its namespaces, and decides for all of their jobs while it holds them.
 *
 *     watch of the Lease ---> share_lease.h ---PUT, GET, POST--> API server
 *                                 |  ^
 *                 it is ours      v  | news
 *     watches of Jobs, Pods, --> share_board.h --> Jobs that rest are suspended, and resumed
 *     quotas, nodes
 *
 * Only the holder watches the Jobs and Pods of others. Whether it may see the nodes is found out by
 * asking for them. Everything happens on the loop of the caller, and nothing waits.
 *
 * Where the Lease may not be read (a Role that an older program has printed) there is no decision,
 * and share_seat_number says so.
 */
#pragma once

#include "k8s/loop/client.h"
#include "k8s/share/share_board_decide.h"
#include "k8s/share/share_lease.h"

struct share_seat;

/* An identity that no other process has ever had; `pod`: for people. */
void share_seat_name(struct slice pod, bool is_central, char identity[SHARE_HOLDER_MAX]);

struct share_seat_options {
    const struct slice *namespaces; /* (count) borrowed */
    size_t count;                   /* up to SHARE_BOARD_SPACES */
    struct slice identity;          /* share_seat_name */
    struct slice own;               /* uid of the own Job; empty: it has none */
    enum share_rule rule;
    bool is_central; /* totrain k8s share: masters give way to it */
    void *context;
    void (*on_change)(void *context); /* the numbers may be others */
};

/* `client` is borrowed for its life. */
enum status share_seat_open(struct loop *loop, struct client *client,
                            const struct share_seat_options *options, struct share_seat **seat,
                            struct error *err);
void share_seat_close(struct share_seat *seat); /* NULL: nothing */

enum share_standing {
    SHARE_UNKNOWN,   /* the Lease has not been read yet, or somebody holds it and has not decided */
    SHARE_UNDECIDED, /* nobody decides: the Lease may not be read, or is not renewed */
    SHARE_DECIDED
};
/* How many workers the own job has in the first namespace. */
enum share_standing share_seat_number(const struct share_seat *seat, uint32_t *workers);
bool share_seat_decides(const struct share_seat *seat);

/* The jobs that the holder sees, as share_metrics.h writes them. */
void share_seat_write_metrics(const struct share_seat *seat, struct text *out);

/* Somebody else is to decide. `ends`: the own job does, and the others have its part before. */
void share_seat_leave(struct share_seat *seat, bool ends);
bool share_seat_has_left(const struct share_seat *seat);
